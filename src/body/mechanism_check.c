// Is a mechanism one? Names, indices, numbers and inertias.
#include <delassus/mechanism.h>

#include "base/memory.h"
#include "base/message.h"
#include "body/tolerances.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// ---- numbers ------------------------------------------------------------------------------------

static bool all_finite(const double *x, int count)
{
  for (int i = 0; i < count; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

static bool is_amount(double x)
{
  return isfinite(x) && x >= 0;
}

static bool is_pose(const dls_pose *pose)
{
  const double *q = pose->quaternion;
  return all_finite(pose->position, 3) && all_finite(q, 4) &&
         (q[0] != 0 || q[1] != 0 || q[2] != 0 || q[3] != 0);
}

static bool is_range(bool limited, const double range[2])
{
  return !limited || (all_finite(range, 2) && range[0] <= range[1]);
}

static dls_status wrong(dls_message *message, const char *what, const char *name, const char *why)
{
  return dls_fail(message, DLS_ERR_MODEL, "%s `%.80s`: %s", what, name, why);
}

// ---- names --------------------------------------------------------------------------------------

typedef struct label {
  const char *name;
  int group;  // names of two groups may be the same
} label;

static int compare_labels(const void *a, const void *b)
{
  const label *x = a, *y = b;
  if (x->group != y->group) return x->group < y->group ? -1 : 1;
  return strcmp(x->name, y->name);
}

// DLS_ERR_MODEL where two of one group have a name. Sorts them.
static dls_status distinct(label *all, ptrdiff_t count, const char *what, dls_message *message)
{
  qsort(all, (size_t)count, sizeof *all, compare_labels);
  for (ptrdiff_t k = 1; k < count; k++)
    if (compare_labels(all + k - 1, all + k) == 0)
      return dls_fail(message, DLS_ERR_MODEL, "there are two %s with the name `%.80s`", what,
                      all[k].name);
  return DLS_OK;
}

static bool is_name(const char *name)
{
  return name && *name;
}

static dls_status check_names(const dls_mechanism *m, label *all, dls_message *message)
{
  for (int b = 0; b < m->bodies; b++) all[b] = (label){m->body[b].name, 0};
  dls_status status = distinct(all, m->bodies, "bodies", message);
  if (status != DLS_OK) return status;
  for (int j = 0; j < m->joints; j++) all[j] = (label){m->joint[j].name, 0};
  for (int c = 0; c < m->closures; c++) all[m->joints + c] = (label){m->closure[c].name, 0};
  status = distinct(all, (ptrdiff_t)m->joints + m->closures, "joints", message);
  if (status != DLS_OK) return status;
  for (int t = 0; t < m->tendons; t++) all[t] = (label){m->tendon[t].name, 0};
  status = distinct(all, m->tendons, "tendons", message);
  if (status != DLS_OK) return status;
  for (int a = 0; a < m->actuators; a++) all[a] = (label){m->actuator[a].name, 0};
  status = distinct(all, m->actuators, "actuators", message);
  if (status != DLS_OK) return status;
  for (int s = 0; s < m->solids; s++) all[s] = (label){m->solid[s].name, m->solid[s].body};
  status = distinct(all, m->solids, "solids of one body", message);
  // "" is the name of the only one: it comes first
  for (int s = 1; s < m->solids && status == DLS_OK; s++)
    if (all[s - 1].group == all[s].group && !*all[s - 1].name)
      status = dls_fail(message, DLS_ERR_MODEL,
                        "a solid of %s%.80s has no name, and it is not the only one",
                        all[s].group < 0 ? "the world" : "body ",
                        all[s].group < 0 ? "" : m->body[all[s].group].name);
  return status;
}

// ---- bodies -------------------------------------------------------------------------------------

// Is the covariance of mass, (tr I)/2 - I, positive semidefinite up to rounding? Then I is, too,
// and no principal moment exceeds the sum of the others.
static bool is_inertia(const double I[6])
{
  const double trace = I[0] + I[1] + I[2];
  if (!all_finite(I, 6) || !isfinite(trace)) return false;
  double large = 0;
  for (int k = 0; k < 6; k++) large = fmax(large, fabs(I[k]));
  if (!(large > 0)) return true;
  if (!(trace > 0)) return false;
  const double shift = inertia_rounding + 0.5;
  const double x = shift - I[0] / trace, y = shift - I[1] / trace, z = shift - I[2] / trace;
  const double xy = -I[3] / trace, xz = -I[4] / trace, yz = -I[5] / trace;
  if (!(x > 0)) return false;
  const double y1 = y - xy * xy / x, z1 = z - xz * xz / x, yz1 = yz - xy * xz / x;
  return y1 > 0 && z1 - yz1 * yz1 / y1 > 0;
}

static dls_status check_body(const dls_mechanism *m, int b, dls_message *message)
{
  const dls_rigid_body *body = m->body + b;
  static const char *const what = "body";
  if (!is_name(body->name)) return dls_fail(message, DLS_ERR_MODEL, "body %d has no name", b + 1);
  if (body->parent < DLS_WORLD || body->parent >= b)
    return wrong(message, what, body->name, "it hangs on a body that does not come before it");
  if (!is_pose(&body->pose))
    return wrong(message, what, body->name, "its pose is not finite, or its quaternion is zero");
  if (!is_amount(body->mass))
    return wrong(message, what, body->name, "its mass is negative or not finite");
  if (!all_finite(body->centre, 3))
    return wrong(message, what, body->name, "its centre of mass is not finite");
  if (!is_inertia(body->inertia))
    return wrong(message, what, body->name,
                 "its inertia is that of no body: a principal moment is negative, larger than the "
                 "sum of the other two, or not finite");
  if (!isfinite(body->carried))
    return wrong(message, what, body->name, "the part of its weight that is carried is not finite");
  return DLS_OK;
}

static dls_status check_joint(const dls_mechanism *m, int j, dls_message *message)
{
  const dls_joint *joint = m->joint + j;
  static const char *const what = "joint";
  if (!is_name(joint->name)) return dls_fail(message, DLS_ERR_MODEL, "joint %d has no name", j + 1);
  const bool single = joint->kind == DLS_JOINT_HINGE || joint->kind == DLS_JOINT_SLIDE;
  if ((int)joint->kind < DLS_JOINT_FREE || (int)joint->kind > DLS_JOINT_SLIDE)
    return wrong(message, what, joint->name, "there is no such kind of joint");
  if (joint->body < 0 || joint->body >= m->bodies)
    return wrong(message, what, joint->name, "its body does not exist");
  if (j > 0 && joint->body < m->joint[j - 1].body)
    return wrong(message, what, joint->name, "joints must stand in the order of their bodies");
  const bool first = j == 0 || m->joint[j - 1].body != joint->body;
  const bool last = j + 1 == m->joints || m->joint[j + 1].body != joint->body;
  if (joint->kind == DLS_JOINT_FREE &&
      (m->body[joint->body].parent != DLS_WORLD || !first || !last))
    return wrong(message, what, joint->name,
                 "a free joint is the only one of its body, which hangs on the world");
  const double *a = joint->axis;
  if (!all_finite(joint->anchor, 3) || (single && !all_finite(a, 3)))
    return wrong(message, what, joint->name, "its anchor or axis is not finite");
  if (single && !(fabs(sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) - 1) <= axis_length))
    return wrong(message, what, joint->name, "its axis is not of length 1");
  if (!isfinite(joint->reference) || !isfinite(joint->damping) || !isfinite(joint->stiffness) ||
      !isfinite(joint->rest))
    return wrong(message, what, joint->name, "its reference, damping or spring is not finite");
  if (!is_amount(joint->armature) || !is_amount(joint->friction) || !is_amount(joint->restitution))
    return wrong(message, what, joint->name,
                 "its armature, friction or restitution is negative or not finite");
  if (joint->limited && !single)
    return wrong(message, what, joint->name, "only hinges and slides have a range");
  if (!is_range(joint->limited, joint->range))
    return wrong(message, what, joint->name, "its range is empty or not finite");
  return DLS_OK;
}

// ---- closures, tendons, actuators ---------------------------------------------------------------

static bool is_single(const dls_mechanism *m, int joint)
{
  return joint >= 0 && joint < m->joints &&
         (m->joint[joint].kind == DLS_JOINT_HINGE || m->joint[joint].kind == DLS_JOINT_SLIDE);
}

static dls_status check_closure(const dls_mechanism *m, int c, dls_message *message)
{
  const dls_closure *closure = m->closure + c;
  static const char *const what = "joint";
  if (!is_name(closure->name))
    return dls_fail(message, DLS_ERR_MODEL, "closure %d has no name", c + 1);
  if ((int)closure->kind < DLS_CLOSURE_WELD || (int)closure->kind > DLS_CLOSURE_JOINTS)
    return wrong(message, what, closure->name, "there is no such kind of joint");
  if (closure->kind == DLS_CLOSURE_JOINTS) {
    const int *joint = closure->joint;
    if (!is_single(m, joint[0]) || (joint[1] != -1 && !is_single(m, joint[1])))
      return wrong(message, what, closure->name, "it ties hinges and slides of the tree");
    if (joint[0] == joint[1])
      return wrong(message, what, closure->name, "it ties a joint to itself");
    if (!all_finite(closure->polynomial, 5))
      return wrong(message, what, closure->name, "its polynomial is not finite");
    return DLS_OK;
  }
  for (int side = 0; side < 2; side++) {
    if (closure->body[side] < DLS_WORLD || closure->body[side] >= m->bodies)
      return wrong(message, what, closure->name, "one of its bodies does not exist");
    if (!is_pose(&closure->frame[side]))
      return wrong(message, what, closure->name,
                   "one of its frames is not finite, or its quaternion is zero");
  }
  if (closure->body[0] == closure->body[1])
    return wrong(message, what, closure->name, "it ties a body to itself");
  if (!isfinite(closure->damping) || !isfinite(closure->stiffness) || !isfinite(closure->rest))
    return wrong(message, what, closure->name, "its damping or spring is not finite");
  if (!is_amount(closure->armature) || !is_amount(closure->friction) ||
      !is_amount(closure->restitution))
    return wrong(message, what, closure->name,
                 "its armature, friction or restitution is negative or not finite");
  if (!is_range(closure->limited, closure->range))
    return wrong(message, what, closure->name, "its range is empty or not finite");
  return DLS_OK;
}

static dls_status check_tendon(const dls_mechanism *m, int t, dls_message *message)
{
  const dls_tendon *tendon = m->tendon + t;
  static const char *const what = "tendon";
  if (!is_name(tendon->name))
    return dls_fail(message, DLS_ERR_MODEL, "tendon %d has no name", t + 1);
  if (tendon->terms < 1 || !tendon->joint || !tendon->gear)
    return wrong(message, what, tendon->name, "it has no joints");
  for (int k = 0; k < tendon->terms; k++)
    if (!is_single(m, tendon->joint[k]))
      return wrong(message, what, tendon->name, "its joints are hinges and slides of the tree");
  if (!all_finite(tendon->gear, tendon->terms))
    return wrong(message, what, tendon->name, "a gear is not finite");
  if (!isfinite(tendon->damping) || !isfinite(tendon->stiffness) || !all_finite(tendon->rest, 2) ||
      tendon->rest[0] > tendon->rest[1])
    return wrong(message, what, tendon->name,
                 "its damping or spring is not finite, or its rest is empty");
  if (!is_amount(tendon->friction) || !is_amount(tendon->restitution))
    return wrong(message, what, tendon->name,
                 "its friction or restitution is negative or not finite");
  if (!is_range(tendon->limited, tendon->range))
    return wrong(message, what, tendon->name, "its range is empty or not finite");
  return DLS_OK;
}

static dls_status check_actuator(const dls_mechanism *m, int i, dls_message *message)
{
  const dls_actuator *actuator = m->actuator + i;
  static const char *const what = "actuator";
  if (!is_name(actuator->name))
    return dls_fail(message, DLS_ERR_MODEL, "actuator %d has no name", i + 1);
  const int count[] = {m->joints, m->tendons, m->bodies};
  if ((int)actuator->kind < DLS_ACTUATOR_JOINT || (int)actuator->kind > DLS_ACTUATOR_FRAME)
    return wrong(message, what, actuator->name, "there is no such kind of actuator");
  if (actuator->of < 0 || actuator->of >= count[actuator->kind])
    return wrong(message, what, actuator->name, "what it acts on does not exist");
  if (actuator->kind == DLS_ACTUATOR_FRAME && !is_pose(&actuator->frame))
    return wrong(message, what, actuator->name,
                 "its frame is not finite, or its quaternion is zero");
  if (!all_finite(actuator->gear, 6) || !isfinite(actuator->gain) || !isfinite(actuator->control) ||
      !all_finite(actuator->bias, 3))
    return wrong(message, what, actuator->name, "a number of it is not finite");
  if (!is_range(actuator->limited, actuator->range))
    return wrong(message, what, actuator->name, "its range is empty or not finite");
  return DLS_OK;
}

// ---- solids -------------------------------------------------------------------------------------

static bool is_hull(const dls_solid *solid)
{
  if (solid->vertices < 4 || solid->faces < 4 || !solid->vertex || !solid->first || !solid->face ||
      solid->first[0] != 0)
    return false;
  for (ptrdiff_t k = 0; k < 3 * (ptrdiff_t)solid->vertices; k++)
    if (!isfinite(solid->vertex[k])) return false;
  for (int f = 0; f < solid->faces; f++) {
    if (solid->first[f + 1] < solid->first[f] + 3) return false;
    for (int k = solid->first[f]; k < solid->first[f + 1]; k++)
      if (solid->face[k] < 0 || solid->face[k] >= solid->vertices) return false;
  }
  return true;
}

static dls_status check_solid(const dls_mechanism *m, int s, dls_message *message)
{
  static const int sizes[] = {
      [DLS_SOLID_SPHERE] = 1,    [DLS_SOLID_CAPSULE] = 2, [DLS_SOLID_CYLINDER] = 2,
      [DLS_SOLID_ELLIPSOID] = 3, [DLS_SOLID_BOX] = 3,     [DLS_SOLID_HULL] = 0};
  const dls_solid *solid = m->solid + s;
  if (!solid->name) return dls_fail(message, DLS_ERR_MODEL, "solid %d has no name", s + 1);
  if (solid->body < DLS_WORLD || solid->body >= m->bodies)
    return wrong(message, "solid", solid->name, "its body does not exist");
  char name[200] = "";
  const char *body = solid->body < 0 ? "the world" : m->body[solid->body].name;
  const int written =
      snprintf(name, sizeof name, "%.80s%s%.80s", body, *solid->name ? "." : "", solid->name);
  if (written < 0) return DLS_ERR_MODEL;
  if ((int)solid->kind < 0 || (int)solid->kind >= DLS_SOLID_KINDS)
    return wrong(message, "solid", name, "there is no such kind of solid");
  if (!is_pose(&solid->pose))
    return wrong(message, "solid", name, "its pose is not finite, or its quaternion is zero");
  for (int k = 0; k < sizes[solid->kind]; k++)
    if (!isfinite(solid->size[k]) || !(solid->size[k] > 0))
      return wrong(message, "solid", name, "its sizes must be positive and finite");
  if (solid->kind == DLS_SOLID_HULL && !is_hull(solid))
    return wrong(message, "solid", name, "it is no polyhedron");
  if (!is_amount(solid->friction) || !is_amount(solid->restitution))
    return wrong(message, "solid", name, "its friction or restitution is negative or not finite");
  return DLS_OK;
}

static dls_status check_rule(const dls_mechanism *m, int r, dls_message *message)
{
  const dls_contact_rule *rule = m->rule + r;
  for (int side = 0; side < 2; side++)
    if (rule->body[side] < DLS_ANY || rule->body[side] >= m->bodies ||
        (rule->solid[side] != DLS_ANY && (rule->solid[side] < 0 || rule->solid[side] >= m->solids)))
      return dls_fail(message, DLS_ERR_MODEL,
                      "contact rule %d is about a body or solid that does not exist", r + 1);
  if (rule->none && rule->meet)
    return dls_fail(message, DLS_ERR_MODEL,
                    "contact rule %d says that they touch, and that they do not", r + 1);
  if (!isfinite(rule->friction) || !isfinite(rule->restitution))
    return dls_fail(message, DLS_ERR_MODEL,
                    "friction or restitution of contact rule %d is not finite", r + 1);
  return DLS_OK;
}

// ---- all of it ----------------------------------------------------------------------------------

static dls_status check_counts(const dls_mechanism *m, dls_message *message)
{
  const struct {
    int count;
    const void *array;
  } all[] = {{m->bodies, m->body},       {m->joints, m->joint}, {m->closures, m->closure},
             {m->solids, m->solid},      {m->rules, m->rule},   {m->tendons, m->tendon},
             {m->actuators, m->actuator}};
  for (ptrdiff_t k = 0; k < dls_count_of(all); k++)
    if (all[k].count < 0 || (all[k].count > 0 && !all[k].array))
      return dls_fail(message, DLS_ERR_MODEL, "the mechanism has arrays without elements");
  if (!all_finite(m->gravity, 3)) return dls_fail(message, DLS_ERR_MODEL, "gravity is not finite");
  return DLS_OK;
}

dls_status dls_mechanism_check(const dls_mechanism *m, dls_message *message)
{
  if (message) message->text[0] = 0;
  dls_status status = check_counts(m, message);
  for (int k = 0; k < m->bodies && status == DLS_OK; k++) status = check_body(m, k, message);
  for (int k = 0; k < m->joints && status == DLS_OK; k++) status = check_joint(m, k, message);
  for (int k = 0; k < m->closures && status == DLS_OK; k++) status = check_closure(m, k, message);
  for (int k = 0; k < m->tendons && status == DLS_OK; k++) status = check_tendon(m, k, message);
  for (int k = 0; k < m->actuators && status == DLS_OK; k++) status = check_actuator(m, k, message);
  for (int k = 0; k < m->solids && status == DLS_OK; k++) status = check_solid(m, k, message);
  for (int k = 0; k < m->rules && status == DLS_OK; k++) status = check_rule(m, k, message);
  if (status != DLS_OK) return status;
  ptrdiff_t most = (ptrdiff_t)m->joints + m->closures;
  const int others[] = {m->bodies, m->solids, m->tendons, m->actuators};
  for (int k = 0; k < 4; k++) most = most < others[k] ? others[k] : most;
  label *all = dls_alloc(most, sizeof *all);
  if (!all) return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  status = check_names(m, all, message);
  free(all);
  return status;
}
