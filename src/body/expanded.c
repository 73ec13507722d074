#include "body/expanded.h"

#include "body/pose.h"

#include <stdio.h>

static const dls_pose nowhere = {{0, 0, 0}, {1, 0, 0, 0}};

bool dls_expanded_applies(const dls_mechanism *m, dls_coordinates_kind kind, int actuator)
{
  const dls_actuator *a = m->actuator + actuator;
  return kind == DLS_REDUCED || a->kind == DLS_ACTUATOR_FRAME ||
         (a->kind == DLS_ACTUATOR_JOINT && m->joint[a->of].kind == DLS_JOINT_FREE);
}

// "BODY.JOINT" of a body between two joints: its coordinates are named so.
static const char *between(dls_arena *arena, const char *body, const char *joint)
{
  const size_t length = strlen(body) + strlen(joint) + 1;
  char *text = dls_arena_alloc(arena, (ptrdiff_t)length + 1, 1);
  if (text) snprintf(text, length + 1, "%s.%s", body, joint);
  return text;
}

static bool allocate(dls_expanded *x, const dls_mechanism *m, int extra, dls_arena *arena)
{
  const ptrdiff_t bodies = (ptrdiff_t)m->bodies + extra + 1, joints = (ptrdiff_t)m->joints + 1;
  x->body = dls_arena_alloc(arena, (ptrdiff_t)m->bodies + 1, sizeof(int));
  x->joint_body = dls_arena_alloc(arena, joints, sizeof(int));
  x->joint_parent = dls_arena_alloc(arena, joints, sizeof(int));
  x->joint_of_tree = dls_arena_alloc(arena, joints, sizeof(int));
  x->mount = dls_arena_alloc(arena, joints, sizeof *x->mount);
  x->own_body = dls_arena_alloc(arena, bodies, sizeof *x->own_body);
  x->own_joint = dls_arena_alloc(arena, joints, sizeof *x->own_joint);
  x->own_actuator = dls_arena_alloc(arena, (ptrdiff_t)m->actuators + 1, sizeof *x->own_actuator);
  return x->body && x->joint_body && x->joint_parent && x->joint_of_tree && x->mount &&
         x->own_body && x->own_joint && x->own_actuator;
}

// Bodies and joints one after another, names and indices only.
static bool arrange(dls_expanded *x, const dls_mechanism *m, dls_arena *arena)
{
  int count = 0, moved = 0;
  for (int b = 0, j = 0; b < m->bodies; b++) {
    int parent = m->body[b].parent >= 0 ? x->body[m->body[b].parent] : DLS_WORLD;
    int body = count;
    for (bool first = true; first || (j < m->joints && m->joint[j].body == b); first = false) {
      dls_rigid_body *own = x->own_body + count;
      *own = (dls_rigid_body){.name = m->body[b].name, .parent = parent, .pose = nowhere};
      if (j < m->joints && m->joint[j].body == b) {
        const bool last = j + 1 == m->joints || m->joint[j + 1].body != b;
        if (!last && !(own->name = between(arena, m->body[b].name, m->joint[j].name))) return false;
        x->joint_parent[j] = parent, x->joint_body[j] = count;
        x->joint_of_tree[j] =
            x->kind == DLS_REDUCED || m->joint[j].kind == DLS_JOINT_FREE ? moved : -1;
        if (x->kind == DLS_MAXIMAL) own->parent = DLS_WORLD;
        moved++, j++;
      }
      body = parent = count++;
    }
    x->body[b] = body;
  }
  x->mechanism.bodies = count, x->mechanism.joints = moved;
  return true;
}

dls_status dls_expanded_create(const dls_mechanism *m, dls_coordinates_kind kind, dls_arena *arena,
                               dls_expanded *x)
{
  int extra = 0;
  for (int j = 1; j < m->joints; j++) extra += m->joint[j].body == m->joint[j - 1].body;
  *x = (dls_expanded){.kind = kind, .bodies = m->bodies, .joints = m->joints};
  if (!allocate(x, m, extra, arena) || !arrange(x, m, arena)) return DLS_ERR_MEMORY;
  x->mechanism.body = x->own_body, x->mechanism.joint = x->own_joint;
  dls_expanded_update(x, m);
  return DLS_OK;
}

// Where everything stands when joints are at their reference: in the parent's frame first.
static void place_bodies(dls_expanded *x, const dls_mechanism *m)
{
  for (int b = 0, j = 0; b < m->bodies; b++) {
    const int last = x->body[b];
    dls_rigid_body *own = x->own_body + last;
    const char *name = own->name;
    const int parent = own->parent;
    *own = m->body[b];
    own->name = name, own->parent = parent, own->pose = nowhere;
    int first = last;
    if (j < m->joints && m->joint[j].body == b) first = x->joint_body[j];
    for (bool at_first = true; j < m->joints && m->joint[j].body == b; j++, at_first = false)
      x->mount[j] = at_first ? m->body[b].pose : nowhere;
    x->own_body[first].pose = m->body[b].pose;
  }
  if (x->kind == DLS_REDUCED) return;
  for (int j = 0; j < m->joints; j++) {  // free bodies, in the world
    const int parent = x->joint_parent[j];
    dls_pose on = nowhere;
    for (int p = parent; p >= 0; p = x->own_body[p].parent)
      on = dls_pose_product(&x->own_body[p].pose, &on);
    x->own_body[x->joint_body[j]].pose = dls_pose_product(&on, &x->mount[j]);
  }
}

static void place_joints(dls_expanded *x, const dls_mechanism *m)
{
  for (int j = 0; j < m->joints; j++) {
    const dls_joint *from = m->joint + j;
    dls_joint *own = x->own_joint + j;
    const int body = x->joint_body[j];
    if (x->kind == DLS_REDUCED || from->kind == DLS_JOINT_FREE) {
      *own = *from;
      own->body = body;
    } else {
      *own = (dls_joint){.body = body, .kind = DLS_JOINT_FREE};
    }
    if (x->kind == DLS_MAXIMAL) own->name = x->own_body[body].name;
  }
}

void dls_expanded_update(dls_expanded *x, const dls_mechanism *m)
{
  dls_mechanism *own = &x->mechanism;
  place_bodies(x, m);
  place_joints(x, m);
  dls_copy(own->gravity, m->gravity, 3);
  if (x->kind == DLS_REDUCED) own->tendons = m->tendons, own->tendon = m->tendon;
  own->actuators = 0, own->actuator = x->own_actuator;
  for (int a = 0; a < m->actuators; a++) {
    if (!dls_expanded_applies(m, x->kind, a)) continue;
    dls_actuator *to = x->own_actuator + own->actuators++;
    *to = m->actuator[a];
    if (to->kind == DLS_ACTUATOR_FRAME) to->of = x->body[to->of];
    if (to->kind == DLS_ACTUATOR_JOINT) to->of = x->joint_of_tree[to->of];
  }
}
