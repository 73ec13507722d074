// Mechanisms from files, within a model or alone.
#include "model/make_bodies.h"

#include <string.h>

static const dls_import_statement *import_of(const dls_making *m, int i)
{
  int k = m->s->imports.count - 1;
  while (k > 0 && (!m->s->imports.items[k].mechanism || m->s->imports.items[k].first_body > i)) k--;
  return &m->s->imports.items[k];
}

// Of a body of the file, in the frame of what it stands on.
static bool pose_on(dls_making *m, const dls_import_statement *import, const dls_pose *own,
                    dls_pose *pose)
{
  dls_pose place;
  if (!dls_making_place(m, &import->place, &place)) return false;
  const bool moved = import->place.position.count + import->place.rotation.count > 0;
  *pose = moved ? dls_pose_product(&place, own) : *own;
  return true;
}

static int holder(const dls_making *m, const dls_import_statement *import)
{
  return import->attached && import->on.body >= 0 ? m->made->body[import->on.body] : DLS_WORLD;
}

static bool has_joint(const dls_mechanism *from, int body)
{
  for (int k = 0; k < from->joints; k++)
    if (from->joint[k].body == body) return true;
  return false;
}

bool dls_making_place_imported(dls_making *m, int i)
{
  const dls_import_statement *import = import_of(m, i);
  const int k = i - import->first_body, parent = m->forest.parent[i];
  const dls_rigid_body *body = &import->mechanism->body[k];
  dls_pose pose = body->pose;
  if (body->parent < 0 && !pose_on(m, import, &body->pose, &pose)) return false;
  m->pose[i] = parent >= 0 ? dls_pose_product(&m->pose[parent], &pose) : pose;
  m->movable[i] = (parent >= 0 && m->movable[parent]) || has_joint(import->mechanism, k);
  return true;
}

bool dls_making_imported_body(dls_making *m, int i)
{
  const dls_import_statement *import = import_of(m, i);
  const dls_mechanism *from = import->mechanism;
  const int k = i - import->first_body, index = m->made->mechanism.bodies++;
  dls_rigid_body *body = &m->body[index];
  *body = from->body[k];
  m->made->body[i] = index;
  const bool root = body->parent < 0;
  body->parent = root ? holder(m, import) : m->made->body[import->first_body + body->parent];
  if (root && !pose_on(m, import, &from->body[k].pose, &body->pose)) return false;
  if (k == 0) m->next_joint = 0;
  for (; m->next_joint < from->joints && from->joint[m->next_joint].body == k; m->next_joint++) {
    dls_joint *joint = &m->joint[m->made->mechanism.joints];
    *joint = from->joint[m->next_joint];
    joint->body = index;
    m->made->first_joint[import->first_joint + m->next_joint] = m->made->mechanism.joints++;
    if (joint->kind == DLS_JOINT_FREE && import->attached)
      return dls_making_fault(m, import->on.at, import->on.length, "",
                              "the body `%s` of this file is free: nothing can hold it",
                              body->name);
  }
  return true;
}

static int mapped_body(const dls_making *m, const dls_import_statement *import, int body)
{
  if (body >= 0) return m->made->body[import->first_body + body];
  return body == DLS_WORLD ? holder(m, import) : body;
}

static int mapped_joint(const dls_making *m, const dls_import_statement *import, int joint)
{
  return joint < 0 ? joint : m->made->first_joint[import->first_joint + joint];
}

static bool add_closures(dls_making *m, const dls_import_statement *import)
{
  const dls_mechanism *from = import->mechanism;
  for (int k = 0; k < from->closures; k++) {
    dls_closure *c = &m->closure[m->made->mechanism.closures++];
    *c = from->closure[k];
    const bool joints = c->kind == DLS_CLOSURE_JOINTS;
    for (int j = 0; j < 2; j++) {
      if (joints) {
        c->joint[j] = mapped_joint(m, import, c->joint[j]);
        continue;
      }
      if (c->body[j] == DLS_WORLD && !pose_on(m, import, &from->closure[k].frame[j], &c->frame[j]))
        return false;
      c->body[j] = mapped_body(m, import, c->body[j]);
    }
  }
  return true;
}

static bool add_solids(dls_making *m, const dls_import_statement *import)
{
  const dls_mechanism *from = import->mechanism;
  const int first = m->made->mechanism.solids;
  for (int k = 0; k < from->solids; k++) {
    dls_solid *solid = &m->solid[m->made->mechanism.solids++];
    *solid = from->solid[k];
    if (solid->body == DLS_WORLD && !pose_on(m, import, &from->solid[k].pose, &solid->pose))
      return false;
    solid->body = mapped_body(m, import, solid->body);
  }
  for (int k = 0; k < from->rules; k++) {
    dls_contact_rule *rule = &m->rule[m->made->mechanism.rules++];
    *rule = from->rule[k];
    for (int j = 0; j < 2; j++) {
      rule->body[j] = mapped_body(m, import, rule->body[j]);
      if (rule->solid[j] >= 0) rule->solid[j] += first;
    }
  }
  return true;
}

static bool add_forces(dls_making *m, const dls_import_statement *import)
{
  const dls_mechanism *from = import->mechanism;
  const int first = m->made->mechanism.tendons;
  for (int k = 0; k < from->tendons; k++) {
    dls_tendon *tendon = &m->tendon[m->made->mechanism.tendons++];
    *tendon = from->tendon[k];
    int *joint = dls_arena_alloc(m->arena, tendon->terms, sizeof *joint);
    if (!joint) return m->status = DLS_ERR_MEMORY, false;
    for (int j = 0; j < tendon->terms; j++) joint[j] = mapped_joint(m, import, tendon->joint[j]);
    tendon->joint = joint;
  }
  for (int k = 0; k < from->actuators; k++) {
    dls_actuator *a = &m->actuator[m->made->mechanism.actuators++];
    *a = from->actuator[k];
    a->of = a->kind == DLS_ACTUATOR_JOINT    ? mapped_joint(m, import, a->of)
            : a->kind == DLS_ACTUATOR_TENDON ? a->of + first
                                             : mapped_body(m, import, a->of);
    a->control = m->parameters[import->first_control + k];
  }
  return true;
}

bool dls_making_imports(dls_making *m)
{
  for (int i = 0; i < m->s->imports.count; i++) {
    const dls_import_statement *import = &m->s->imports.items[i];
    if (!import->mechanism) continue;
    if (!add_closures(m, import) || !add_solids(m, import) || !add_forces(m, import)) return false;
  }
  return true;
}

// ---- copies -------------------------------------------------------------------------------------

typedef struct copying {
  dls_arena *arena;
  const char *prefix;
  bool failed;
} copying;

static const void *copy(copying *c, const void *from, ptrdiff_t count, size_t size)
{
  void *to = dls_arena_alloc(c->arena, count + 1, size);
  if (!to) c->failed = true;
  else if (count > 0) memcpy(to, from, (size_t)count * size);
  return to;
}

static const char *copy_name(copying *c, const char *name)
{
  const size_t before = c->prefix ? strlen(c->prefix) + 1 : 0, length = strlen(name);
  char *to = dls_arena_alloc(c->arena, (ptrdiff_t)(before + length + 1), 1);
  if (!to) {
    c->failed = true;
    return name;
  }
  if (before > 0) memcpy(to, c->prefix, before - 1), to[before - 1] = '.';
  memcpy(to + before, name, length + 1);
  return to;
}

#define COPY(c, m, what, count) \
  ((m)->what = copy(c, (m)->what, (m)->count, sizeof *(m)->what), !(c)->failed)

static bool copy_solids(copying *c, dls_mechanism *m)
{
  if (!COPY(c, m, solid, solids)) return false;
  dls_solid *solid = (dls_solid *)m->solid;
  for (int k = 0; k < m->solids && !c->failed; k++) {
    dls_solid *s = &solid[k];
    // alone on its body a solid has no name, and needs none
    const bool named = s->name[0] != 0;
    copying plain = {.arena = c->arena};
    s->name = named ? copy_name(&plain, s->name) : "";
    c->failed = c->failed || plain.failed;
    if (s->kind != DLS_SOLID_HULL || c->failed) continue;
    const int corners = s->first[s->faces];
    s->vertex = copy(c, s->vertex, 3 * (ptrdiff_t)s->vertices, sizeof *s->vertex);
    s->face = copy(c, s->face, corners, sizeof *s->face);
    s->first = copy(c, s->first, (ptrdiff_t)s->faces + 1, sizeof *s->first);
  }
  return !c->failed;
}

static bool copy_tendons(copying *c, dls_mechanism *m)
{
  if (!COPY(c, m, tendon, tendons)) return false;
  dls_tendon *tendon = (dls_tendon *)m->tendon;
  for (int k = 0; k < m->tendons; k++) {
    tendon[k].name = copy_name(c, tendon[k].name);
    tendon[k].joint = copy(c, tendon[k].joint, tendon[k].terms, sizeof *tendon[k].joint);
    tendon[k].gear = copy(c, tendon[k].gear, tendon[k].terms, sizeof *tendon[k].gear);
  }
  return !c->failed;
}

const dls_mechanism *dls_mechanism_copy(dls_arena *arena, const dls_mechanism *from,
                                        const char *prefix)
{
  copying c = {.arena = arena, .prefix = prefix};
  dls_mechanism *m = dls_arena_alloc(arena, 1, sizeof *m);
  if (!m) return NULL;
  *m = *from;
  if (!COPY(&c, m, body, bodies) || !COPY(&c, m, joint, joints) ||
      !COPY(&c, m, closure, closures) || !COPY(&c, m, rule, rules) ||
      !COPY(&c, m, actuator, actuators) || !copy_solids(&c, m) || !copy_tendons(&c, m))
    return NULL;
  for (int k = 0; k < m->bodies; k++)
    ((dls_rigid_body *)m->body)[k].name = copy_name(&c, m->body[k].name);
  for (int k = 0; k < m->joints; k++)
    ((dls_joint *)m->joint)[k].name = copy_name(&c, m->joint[k].name);
  for (int k = 0; k < m->closures; k++)
    ((dls_closure *)m->closure)[k].name = copy_name(&c, m->closure[k].name);
  for (int k = 0; k < m->actuators; k++)
    ((dls_actuator *)m->actuator)[k].name = copy_name(&c, m->actuator[k].name);
  return c.failed ? NULL : m;
}
