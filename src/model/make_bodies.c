// The mechanism of a model at the values of its parameters: bodies and solids; joints are in
// make_joints.c, files in make_imports.c.
#include "model/make_bodies.h"
#include "model/mass_properties.h"
#include "base/message.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>

bool dls_making_fault(dls_making *m, unsigned at, unsigned length, const char *hint,
                      const char *format, ...)
{
  if (m->status != DLS_OK) return false;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(m->fault->message.text, sizeof m->fault->message.text, format, arguments);
  va_end(arguments);
  m->fault->at = at, m->fault->length = length;
  snprintf(m->fault->hint, sizeof m->fault->hint, "%s", hint);
  m->status = DLS_ERR_MODEL;
  return false;
}

static bool fault_of(dls_making *m, const dls_number_list *list, const char *hint, const char *what)
{
  const dls_formula *f = &m->s->numbers.items[list->first];
  return dls_making_fault(m, f->at, f->length, hint, "%s", what);
}

bool dls_making_finite(dls_making *m, const dls_number_list *list)
{
  for (int k = 0; k < list->count; k++) {
    const dls_formula *f = &m->s->numbers.items[list->first + (list->triple ? 0 : k)];
    if (!isfinite(m->number[list->first + k]))
      return dls_making_fault(m, f->at, f->length, "", "the value is not a finite number");
  }
  return true;
}

bool dls_making_not_negative(dls_making *m, const dls_number_list *list, const char *what)
{
  if (list->count == 0 || m->number[list->first] >= 0) return true;
  const dls_formula *f = &m->s->numbers.items[list->first];
  return dls_making_fault(m, f->at, f->length, "", "%s cannot be negative", what);
}

double dls_making_number(const dls_making *m, const dls_number_list *list, double otherwise)
{
  return list->count > 0 ? m->number[list->first] : otherwise;
}

const char *dls_making_name(const dls_making *m, int word)
{
  return m->model->names.words[word].text;
}

// A direction as a vector of length 1.
bool dls_making_direction(dls_making *m, const dls_number_list *list, int first, double out[3])
{
  double norm = 0;
  if (!dls_making_finite(m, list)) return false;
  for (int k = 0; k < 3; k++) out[k] = m->number[list->first + first + k];
  const double largest = fmax(fmax(fabs(out[0]), fabs(out[1])), fabs(out[2]));
  for (int k = 0; k < 3 && largest > 0; k++) out[k] /= largest, norm += out[k] * out[k];
  norm = sqrt(norm);
  if (!(norm > 0)) return fault_of(m, list, "", "a direction cannot be zero");
  for (int k = 0; k < 3; k++) out[k] /= norm;
  return true;
}

bool dls_making_place(dls_making *m, const dls_placement_statement *place, dls_pose *pose)
{
  const double *r = m->number + place->rotation.first, *p = m->number + place->position.first;
  *pose = dls_no_pose;
  if (!dls_making_finite(m, &place->position) || !dls_making_finite(m, &place->rotation))
    return false;
  if (place->position.count > 0) dls_copy(pose->position, p, 3);
  if (place->rotation.count == 0) return true;
  double *q = pose->quaternion, axis[3];
  switch (place->form) {
  case DLS_ROTATION_ROLL: dls_quaternion_of_angles(r, q); return true;
  case DLS_ROTATION_QUATERNION:
    dls_copy(q, r, 4);
    return dls_quaternion_normalize(q) ||
           fault_of(m, &place->rotation, "", "a quaternion cannot be zero");
  case DLS_ROTATION_AXIS: {
    if (!dls_making_direction(m, &place->rotation, 0, axis)) return false;
    q[0] = cos(r[3] / 2);
    for (int k = 0; k < 3; k++) q[k + 1] = sin(r[3] / 2) * axis[k];
    return true;
  }
  }
  return true;
}

// ---- solids -------------------------------------------------------------------------------------

static const char *const kind_names[DLS_SOLID_KINDS] = {
    "plane", "sphere", "capsule", "cylinder", "ellipsoid", "box", "hull"};

// "" when it is alone on its body, else its kind, with a number when there are several.
static const char *solid_name(dls_making *m, const dls_body_statement *b, int index)
{
  const dls_solid_statement *all = m->s->solids.items + b->first_solid;
  int before = 0, same = 0;
  if (b->solids == 1) return "";
  for (int k = 0; k < b->solids; k++) {
    same += all[k].kind == all[index].kind;
    before += k < index && all[k].kind == all[index].kind;
  }
  const char *kind = kind_names[all[index].kind];
  if (same == 1) return kind;
  char text[32];
  const int length = snprintf(text, sizeof text, "%s%d", kind, before + 1);
  const char *name = dls_arena_copy(m->arena, text, (size_t)length);
  if (!name) m->status = DLS_ERR_MEMORY;
  return name;
}

static bool set_plane(dls_making *m, const dls_solid_statement *from, dls_solid *solid)
{
  double n[3];
  if (!dls_making_direction(m, &from->size, 0, n) || !dls_making_finite(m, &from->through))
    return false;
  dls_pose plane = dls_no_pose;
  dls_quaternion_to_axis(n, plane.quaternion);
  if (from->through.count > 0) dls_copy(plane.position, m->number + from->through.first, 3);
  solid->pose = dls_pose_product(&solid->pose, &plane);
  return true;
}

static bool set_size(dls_making *m, const dls_solid_statement *from, dls_solid *solid)
{
  if (from->kind == DLS_SOLID_PLANE) return set_plane(m, from, solid);
  if (from->kind == DLS_SOLID_HULL) {
    solid->vertices = from->hull->vertices, solid->faces = from->hull->faces;
    solid->vertex = from->hull->vertex;
    solid->first = from->hull->first, solid->face = from->hull->face;
    return true;
  }
  if (!dls_making_finite(m, &from->size)) return false;
  for (int k = 0; k < from->size.count; k++) {
    solid->size[k] = m->number[from->size.first + k];
    if (solid->size[k] > 0) continue;
    const dls_formula *f = &m->s->numbers.items[from->size.first + (from->size.triple ? 0 : k)];
    return dls_making_fault(m, f->at, f->length, "", "the sizes of a %s are above 0",
                            kind_names[from->kind]);
  }
  return true;
}

static bool add_solid(dls_making *m, const dls_body_statement *b, int index, int body)
{
  const dls_solid_statement *from = &m->s->solids.items[b->first_solid + index];
  dls_solid *solid = &m->solid[m->made->mechanism.solids++];
  *solid = (dls_solid){.name = solid_name(m, b, index),
                       .body = body,
                       .kind = from->kind,
                       .friction = dls_making_number(m, &from->friction, 0),
                       .restitution = dls_making_number(m, &from->restitution, 0),
                       .type = 1,
                       .affinity = 1};
  return solid->name && dls_making_place(m, &from->place, &solid->pose) &&
         set_size(m, from, solid) && dls_making_finite(m, &from->friction) &&
         dls_making_finite(m, &from->restitution) &&
         dls_making_not_negative(m, &from->friction, "a friction coefficient") &&
         dls_making_not_negative(m, &from->restitution, "a coefficient of restitution");
}

// ---- masses -------------------------------------------------------------------------------------

// Principal moments are not negative, and none is larger than the sum of the others: both tr(I)/2 -
// I and I are positive semidefinite, up to rounding.
static bool is_semidefinite(const double a[6], double scale)
{
  const double zero = 1e-12 * scale;
  const double xy = a[0] * a[1] - a[3] * a[3], xz = a[0] * a[2] - a[4] * a[4],
               yz = a[1] * a[2] - a[5] * a[5];
  const double det =
      a[0] * yz - a[3] * (a[3] * a[2] - a[5] * a[4]) + a[4] * (a[3] * a[5] - a[1] * a[4]);
  return a[0] >= -zero && a[1] >= -zero && a[2] >= -zero && xy >= -zero * scale &&
         xz >= -zero * scale && yz >= -zero * scale && det >= -zero * scale * scale;
}

static bool check_inertia(dls_making *m, const dls_body_statement *b, const double inertia[6])
{
  const double half = (inertia[0] + inertia[1] + inertia[2]) / 2;
  double rest[6];
  for (int k = 0; k < 6; k++) rest[k] = k < 3 ? half - inertia[k] : -inertia[k];
  if (!is_semidefinite(inertia, 2 * fabs(half)))
    return fault_of(m, &b->inertia, "", "an inertia has no negative principal moment");
  if (is_semidefinite(rest, 2 * fabs(half))) return true;
  return fault_of(m, &b->inertia, "each is at most the sum of the two others",
                  "no body has these moments of inertia");
}

static dls_mass_properties properties_of(const dls_making *m, const dls_body_statement *b)
{
  dls_mass_properties sum = {0};
  const int first = m->made->mechanism.solids - b->solids;
  for (int k = 0; k < b->solids; k++) {
    const dls_mass_properties p = dls_solid_properties(&m->solid[first + k]);
    sum = dls_properties_sum(&sum, &p);
  }
  return sum;
}

static bool check_masses(dls_making *m, const dls_body_statement *b)
{
  if (b->mass.count > 0 && b->density.count > 0)
    return dls_making_fault(m, b->density.at, b->density.length,
                            "one of them follows from the other",
                            "`mass` and `density` are both given");
  const dls_number_list *lists[] = {&b->mass, &b->density, &b->inertia, &b->centre};
  for (int k = 0; k < 4; k++)
    if (!dls_making_finite(m, lists[k])) return false;
  for (int k = 0; k < 2; k++)
    if (lists[k]->count > 0 && !(m->number[lists[k]->first] > 0))
      return fault_of(m, lists[k], "", k ? "a density is above 0" : "a mass is above 0");
  return true;
}

static bool set_masses(dls_making *m, const dls_body_statement *b, dls_rigid_body *body,
                       bool movable)
{
  const char *name = dls_making_name(m, b->name);
  const unsigned letters = m->model->names.words[b->name].length;
  const dls_mass_properties p = properties_of(m, b);
  if (!check_masses(m, b)) return false;
  const bool given = b->mass.count + b->density.count > 0;
  if (!given && movable)
    return dls_making_fault(m, b->at, letters, "add `mass` or `density`, or write `fixed`",
                            "the body `%s` can move, but has no mass", name);
  if (!given) return true;
  if (b->density.count > 0 && !(p.volume > 0))
    return fault_of(m, &b->density, "write `mass`, and `inertia`",
                    "a density needs a shape with a volume");
  if (movable && b->inertia.count == 0 && !(p.volume > 0))
    return dls_making_fault(m, b->at, letters,
                            "add a shape or `inertia Ixx, Iyy, Izz`; 0, 0, 0 is a point",
                            "the body `%s` has no shape from which its inertia follows", name);
  body->mass =
      b->mass.count > 0 ? m->number[b->mass.first] : m->number[b->density.first] * p.volume;
  dls_copy(body->centre, p.centre, 3);
  if (b->centre.count > 0) dls_copy(body->centre, m->number + b->centre.first, 3);
  const double density = p.volume > 0 ? body->mass / p.volume : 0;
  for (int k = 0; k < 6; k++) body->inertia[k] = density * p.inertia[k];
  if (b->inertia.count == 0) return true;
  for (int k = 0; k < 6; k++)
    body->inertia[k] = k < b->inertia.count ? m->number[b->inertia.first + k] : 0;
  return check_inertia(m, b, body->inertia);
}

// ---- bodies -------------------------------------------------------------------------------------

// Where all bodies stand in the world, and which can move.
static bool place_bodies(dls_making *m)
{
  for (int k = 0; k < m->forest.bodies; k++) {
    const int i = m->forest.order[k], parent = m->forest.parent[i];
    if (i < m->s->bodies.count) {
      const dls_body_statement *b = &m->s->bodies.items[i];
      const int joint = m->forest.joint[i];
      if (!dls_making_place(m, &b->place, &m->pose[i])) return false;
      m->movable[i] = m->forest.free[i] || (parent >= 0 && m->movable[parent]) ||
                      (joint >= 0 && m->s->joints.items[joint].kind != DLS_WRITTEN_WELD);
    } else if (!dls_making_place_imported(m, i)) {
      return false;
    }
  }
  return true;
}

static bool add_free_joint(dls_making *m, const char *name, int body)
{
  m->joint[m->made->mechanism.joints++] =
      (dls_joint){.name = name, .body = body, .kind = DLS_JOINT_FREE};
  return true;
}

static bool check_motion(dls_making *m, const dls_body_statement *b, bool free)
{
  const dls_number_list *lists[] = {&b->velocity, &b->spin};
  for (int k = 0; k < 2; k++) {
    if (!dls_making_finite(m, lists[k])) return false;
    if (lists[k]->count > 0 && !free)
      return dls_making_fault(
          m, lists[k]->at, lists[k]->length, "joints take `velocity` and `position`",
          "the body `%s` is held by a joint, or fixed: that decides how it moves",
          dls_making_name(m, b->name));
  }
  return true;
}

static bool add_body(dls_making *m, int i)
{
  const dls_body_statement *b = &m->s->bodies.items[i];
  const int parent = m->forest.parent[i], joint = m->forest.joint[i];
  const int index = m->made->mechanism.bodies++;
  dls_rigid_body *body = &m->body[index];
  m->made->body[i] = index;
  *body = (dls_rigid_body){.name = dls_making_name(m, b->name), .parent = DLS_WORLD};
  const bool free_joint = joint >= 0 && m->s->joints.items[joint].kind == DLS_WRITTEN_FREE;
  if (parent >= 0 && !free_joint) {
    body->parent = m->made->body[parent];
    body->pose = dls_pose_relative(&m->pose[parent], &m->pose[i]);
  } else {
    body->pose = m->pose[i];
  }
  for (int k = 0; k < b->solids; k++)
    if (!add_solid(m, b, k, index)) return false;
  if (!set_masses(m, b, body, m->movable[i])) return false;
  if (!check_motion(m, b, m->forest.free[i] || free_joint)) return false;
  if (m->forest.free[i]) return add_free_joint(m, body->name, index);
  return joint < 0 || dls_making_joint(m, i, joint);
}

static bool add_rules(dls_making *m)
{
  for (int k = 0; k < m->s->rules.count; k++) {
    const dls_rule_statement *from = &m->s->rules.items[k];
    dls_contact_rule *rule = &m->rule[m->made->mechanism.rules++];
    *rule = (dls_contact_rule){.solid = {DLS_ANY, DLS_ANY},
                               .none = from->none,
                               .meet = from->meet,
                               .friction = dls_making_number(m, &from->friction, -1),
                               .restitution = dls_making_number(m, &from->restitution, -1)};
    for (int j = 0; j < 2; j++)
      rule->body[j] =
          from->body[j].body >= 0 ? m->made->body[from->body[j].body] : from->body[j].body;
    if (!dls_making_finite(m, &from->friction) || !dls_making_finite(m, &from->restitution) ||
        !dls_making_not_negative(m, &from->friction, "a friction coefficient") ||
        !dls_making_not_negative(m, &from->restitution, "a coefficient of restitution"))
      return false;
  }
  return true;
}

static void set_gravity(dls_making *m)
{
  dls_mechanism *mechanism = &m->made->mechanism;
  const dls_number_list *gravity = &m->s->gravity;
  if (gravity->count > 0) {
    if (dls_making_finite(m, gravity)) dls_copy(mechanism->gravity, m->number + gravity->first, 3);
    return;
  }
  for (int i = 0; i < m->s->imports.count; i++)
    if (m->s->imports.items[i].mechanism) {
      dls_copy(mechanism->gravity, m->s->imports.items[i].mechanism->gravity, 3);
      return;
    }
}

static bool allocate(dls_making *m)
{
  const dls_source *s = m->s;
  ptrdiff_t joints = 3 * (ptrdiff_t)s->bodies.count, closures = s->joints.count,
            solids = s->solids.count, rules = s->rules.count, tendons = 0, actuators = 0;
  const ptrdiff_t bodies = s->all_bodies;
  for (int i = 0; i < s->imports.count; i++) {
    const dls_mechanism *from = s->imports.items[i].mechanism;
    if (!from) continue;
    joints += from->joints, closures += from->closures, solids += from->solids;
    rules += from->rules, tendons += from->tendons, actuators += from->actuators;
  }
  m->body = dls_arena_alloc(m->arena, bodies + 1, sizeof *m->body);
  m->joint = dls_arena_alloc(m->arena, joints + 1, sizeof *m->joint);
  m->closure = dls_arena_alloc(m->arena, closures + 1, sizeof *m->closure);
  m->solid = dls_arena_alloc(m->arena, solids + 1, sizeof *m->solid);
  m->rule = dls_arena_alloc(m->arena, rules + 1, sizeof *m->rule);
  m->tendon = dls_arena_alloc(m->arena, tendons + 1, sizeof *m->tendon);
  m->actuator = dls_arena_alloc(m->arena, actuators + 1, sizeof *m->actuator);
  m->pose = dls_arena_alloc(m->arena, bodies + 1, sizeof *m->pose);
  m->movable = dls_arena_alloc(m->arena, bodies + 1, sizeof *m->movable);
  dls_made *made = m->made;
  made->body = dls_arena_alloc(m->arena, bodies + 1, sizeof *made->body);
  made->first_joint = dls_arena_alloc(m->arena, (ptrdiff_t)s->all_joints + 1, sizeof(int));
  made->position = dls_arena_alloc(m->arena, joints + 1, sizeof *made->position);
  made->velocity = dls_arena_alloc(m->arena, joints + 1, sizeof *made->velocity);
  made->has = dls_arena_alloc(m->arena, joints + 1, 1);
  if (!m->body || !m->joint || !m->closure || !m->solid || !m->rule || !m->tendon || !m->actuator ||
      !m->pose || !m->movable || !made->body || !made->first_joint || !made->position ||
      !made->velocity || !made->has)
    return m->status = DLS_ERR_MEMORY, false;
  for (int k = 0; k < s->all_joints; k++) made->first_joint[k] = -1;
  return true;
}

static bool make(dls_making *m)
{
  if (!allocate(m) || !place_bodies(m)) return false;
  for (int k = 0; k < m->forest.bodies; k++) {
    const int i = m->forest.order[k];
    if (!(i < m->s->bodies.count ? add_body(m, i) : dls_making_imported_body(m, i))) return false;
  }
  set_gravity(m);
  return dls_making_imports(m) && add_rules(m) && dls_making_closures(m) && m->status == DLS_OK;
}

dls_status dls_model_bodies_make(const dls_model *model, const double *number,
                                 const double *parameters, dls_arena *arena, dls_made *made,
                                 dls_body_fault *fault)
{
  dls_making m = {.model = model,
                  .s = &model->source,
                  .number = number,
                  .parameters = parameters,
                  .arena = arena,
                  .made = made,
                  .fault = fault};
  *made = (dls_made){0};
  m.status = dls_body_forest_make(m.s, arena, &m.forest);
  if (m.status == DLS_OK) make(&m);
  dls_mechanism *mechanism = &made->mechanism;
  mechanism->body = m.body, mechanism->joint = m.joint, mechanism->closure = m.closure;
  mechanism->solid = m.solid, mechanism->rule = m.rule, mechanism->tendon = m.tendon;
  mechanism->actuator = m.actuator;
  return m.status;
}
