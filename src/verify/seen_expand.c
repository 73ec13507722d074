#include "verify/seen_expand.h"

typedef struct copies {
  dls_rigid_body *body;
  dls_joint *joint;
  dls_closure *closure;
  dls_solid *solid;
  dls_actuator *actuator;
  int *last;  // of each body given, the one that carries it
} copies;

static bool allocate(const dls_mechanism *m, dls_arena *arena, copies *c)
{
  c->body = dls_arena_alloc(arena, (ptrdiff_t)m->bodies + m->joints, sizeof *c->body);
  c->joint = dls_arena_alloc(arena, m->joints, sizeof *c->joint);
  c->closure = dls_arena_alloc(arena, m->closures, sizeof *c->closure);
  c->solid = dls_arena_alloc(arena, m->solids, sizeof *c->solid);
  c->actuator = dls_arena_alloc(arena, m->actuators, sizeof *c->actuator);
  c->last = dls_arena_alloc(arena, m->bodies, sizeof *c->last);
  return c->body && c->joint && c->closure && c->solid && c->actuator && c->last;
}

static int moved(const copies *c, int body)
{
  return body < 0 ? body : c->last[body];
}

// Bodies one behind the other: the first has the pose, the last all else.
static int chain(const dls_mechanism *m, int b, int count, int *joint, const copies *c)
{
  int joints = 0;
  while (*joint + joints < m->joints && m->joint[*joint + joints].body == b) joints++;
  const int links = joints > 1 ? joints : 1;
  for (int k = 0; k < links; k++) {
    dls_rigid_body *own = &c->body[count + k];
    *own = (dls_rigid_body){.name = m->body[b].name, .pose.quaternion = {1}};
    if (k == links - 1) *own = m->body[b];
    own->pose = k == 0 ? m->body[b].pose : (dls_pose){.quaternion = {1}};
    own->parent = k == 0 ? moved(c, m->body[b].parent) : count + k - 1;
    if (k < joints) c->joint[*joint + k].body = count + k;
  }
  *joint += joints;
  c->last[b] = count + links - 1;
  return count + links;
}

bool dls_seen_expand(const dls_mechanism *m, dls_arena *arena, dls_mechanism *out)
{
  copies c;
  if (!allocate(m, arena, &c)) return false;
  if (m->joints > 0) dls_copy(c.joint, m->joint, m->joints);
  if (m->closures > 0) dls_copy(c.closure, m->closure, m->closures);
  if (m->solids > 0) dls_copy(c.solid, m->solid, m->solids);
  if (m->actuators > 0) dls_copy(c.actuator, m->actuator, m->actuators);
  int count = 0, joint = 0;
  for (int b = 0; b < m->bodies; b++) count = chain(m, b, count, &joint, &c);
  for (int k = 0; k < m->closures; k++)
    for (int side = 0; side < 2 && m->closure[k].kind != DLS_CLOSURE_JOINTS; side++)
      c.closure[k].body[side] = moved(&c, m->closure[k].body[side]);
  for (int k = 0; k < m->solids; k++) c.solid[k].body = moved(&c, m->solid[k].body);
  for (int k = 0; k < m->actuators; k++)
    if (m->actuator[k].kind == DLS_ACTUATOR_FRAME) c.actuator[k].of = moved(&c, m->actuator[k].of);
  *out = *m;
  out->bodies = count;
  out->body = c.body, out->joint = c.joint, out->closure = c.closure;
  out->solid = c.solid, out->actuator = c.actuator;
  return true;
}
