// Joints of the text: in the forest, or closing a loop.
#include "model/make_bodies.h"

#include <stdio.h>
#include <string.h>

typedef struct geometry {
  double anchor[3], axis[2][3];  // in the world
} geometry;

static const char *const kinds[DLS_WRITTEN_JOINTS] = {
    "hinge",       "slide", "ball", "free joint", "weld", "universal joint", "cylindrical joint",
    "planar joint"};

static bool scalar(const dls_joint_statement *j)
{
  return j->kind == DLS_WRITTEN_HINGE || j->kind == DLS_WRITTEN_SLIDE;
}

// What a joint of its kind can have.
static bool allowed(const dls_joint_statement *j, int number)
{
  const bool rotates = j->kind == DLS_WRITTEN_BALL || j->kind == DLS_WRITTEN_FREE;
  switch (number) {
  case DLS_OF_ANCHOR: return j->kind != DLS_WRITTEN_FREE && j->kind != DLS_WRITTEN_WELD;
  case DLS_OF_AXIS: return !rotates && j->kind != DLS_WRITTEN_WELD;
  case DLS_OF_FRICTION:
  case DLS_OF_DAMPING:
  case DLS_OF_ARMATURE: return scalar(j) || rotates;
  default: return scalar(j);
  }
}

static bool check_numbers(dls_making *m, const dls_joint_statement *j)
{
  static const char *const words[DLS_JOINT_NUMBERS] = {
      "anchor",  "axis",     "range",       "friction",  "stiffness", "rest",
      "damping", "armature", "restitution", "reference", "position",  "velocity"};
  static const char *const what[DLS_JOINT_NUMBERS] = {[DLS_OF_FRICTION] = "a friction force",
                                                      [DLS_OF_STIFFNESS] = "a stiffness",
                                                      [DLS_OF_DAMPING] = "damping",
                                                      [DLS_OF_ARMATURE] = "an armature",
                                                      [DLS_OF_RESTITUTION] =
                                                          "a coefficient of restitution"};
  for (int k = 0; k < DLS_JOINT_NUMBERS; k++) {
    const dls_number_list *list = &j->number[k];
    if (list->count == 0) continue;
    if (!allowed(j, k))
      return dls_making_fault(m, list->at, list->length, "", "a %s has no `%s`", kinds[j->kind],
                              words[k]);
    if (!dls_making_finite(m, list)) return false;
    if (what[k] && !dls_making_not_negative(m, list, what[k])) return false;
  }
  const dls_number_list *range = &j->number[DLS_OF_RANGE];
  if (range->count > 0 && m->number[range->first] > m->number[range->first + 1])
    return dls_making_fault(m, range->at, range->length, "", "the range ends before it begins");
  return true;
}

static bool read_geometry(dls_making *m, const dls_joint_statement *j, geometry *g)
{
  const dls_number_list *anchor = &j->number[DLS_OF_ANCHOR], *axis = &j->number[DLS_OF_AXIS];
  memset(g, 0, sizeof *g);
  if (!check_numbers(m, j)) return false;
  if (anchor->count > 0) dls_copy(g->anchor, m->number + anchor->first, 3);
  else if (j->body[1].body >= 0) dls_copy(g->anchor, m->pose[j->body[1].body].position, 3);
  if (!allowed(j, DLS_OF_AXIS)) return true;
  if (axis->count == 0)
    return dls_making_fault(m, j->at, m->model->names.words[j->name].length,
                            "add `axis x, y, z`, in the axes of the world",
                            "the joint `%s` needs an axis", dls_making_name(m, j->name));
  if (!dls_making_direction(m, axis, 0, g->axis[0])) return false;
  if (axis->count < 6) return true;
  if (!dls_making_direction(m, axis, 3, g->axis[1])) return false;
  if (fabs(dls_dot3(g->axis[0], g->axis[1])) < 1e-9) return true;
  return dls_making_fault(m, axis->at, axis->length, "",
                          "the axes of a universal joint are normal to "
                          "one another");
}

// Two directions normal to n and to each other.
static void span(const double n[3], double x[3], double y[3])
{
  double q[4];
  const double ex[3] = {1, 0, 0}, ey[3] = {0, 1, 0};
  dls_quaternion_to_axis(n, q);
  dls_quaternion_turn(q, ex, x);
  dls_quaternion_turn(q, ey, y);
}

static double number_of(const dls_making *m, const dls_joint_statement *j, dls_joint_number k)
{
  return dls_making_number(m, &j->number[k], 0);
}

// ---- in the forest ------------------------------------------------------------------------------

static const char *part_name(dls_making *m, const char *name, const char *part)
{
  const size_t length = strlen(name), more = strlen(part);
  char *text = dls_arena_alloc(m->arena, (ptrdiff_t)(length + more + 1), 1);
  if (!text) {
    m->status = DLS_ERR_MEMORY;
    return name;
  }
  snprintf(text, length + more + 1, "%s%s", name, part);
  return text;
}

static dls_joint *add_joint(dls_making *m, int i, const char *name, dls_joint_kind kind,
                            const geometry *g, const double axis[3])
{
  dls_joint *joint = &m->joint[m->made->mechanism.joints++];
  const dls_pose *pose = &m->pose[i];
  *joint = (dls_joint){.name = name, .body = m->made->body[i], .kind = kind};
  dls_pose_point_in(pose, g->anchor, joint->anchor);
  if (!axis) return joint;
  double turned[3];
  dls_quaternion_turn_back(pose->quaternion, axis, turned);
  for (int k = 0; k < 3; k++) joint->axis[k] = m->forest.reversed[i] ? -turned[k] : turned[k];
  return joint;
}

static void set_joint(dls_making *m, const dls_joint_statement *j, dls_joint *joint)
{
  const dls_number_list *range = &j->number[DLS_OF_RANGE];
  const int index = (int)(joint - m->joint);
  joint->reference = number_of(m, j, DLS_OF_REFERENCE);
  joint->armature = number_of(m, j, DLS_OF_ARMATURE);
  joint->damping = number_of(m, j, DLS_OF_DAMPING);
  joint->stiffness = number_of(m, j, DLS_OF_STIFFNESS);
  joint->rest = number_of(m, j, DLS_OF_REST);
  joint->friction = number_of(m, j, DLS_OF_FRICTION);
  joint->restitution = number_of(m, j, DLS_OF_RESTITUTION);
  joint->limited = range->count > 0;
  for (int k = 0; k < 2 && joint->limited; k++) joint->range[k] = m->number[range->first + k];
  m->made->position[index] = number_of(m, j, DLS_OF_POSITION);
  m->made->velocity[index] = number_of(m, j, DLS_OF_VELOCITY);
  m->made->has[index] = (unsigned char)((j->number[DLS_OF_POSITION].count > 0) |
                                        (j->number[DLS_OF_VELOCITY].count > 0) << 1);
}

// From a root in the world, or another body that stands still in it.
static bool check_free(dls_making *m, const dls_joint_statement *j, int i)
{
  const int parent = m->forest.parent[i];
  if (parent < 0 || !m->movable[parent]) return true;
  const dls_word *w = &m->model->names.words[j->name];
  return dls_making_fault(m, j->at, w->length, "bodies without joints are free",
                          "the free joint `%s` has to lead from `world` or a fixed body", w->text);
}

bool dls_making_joint(dls_making *m, int i, int index)
{
  const dls_joint_statement *j = &m->s->joints.items[index];
  const char *name = dls_making_name(m, j->name);
  const bool reversed = m->forest.reversed[i];
  geometry g;
  double x[3], y[3];
  if (!read_geometry(m, j, &g)) return false;
  m->made->first_joint[index] = m->made->mechanism.joints;
  switch (j->kind) {
  case DLS_WRITTEN_HINGE:
    set_joint(m, j, add_joint(m, i, name, DLS_JOINT_HINGE, &g, g.axis[0]));
    break;
  case DLS_WRITTEN_SLIDE:
    set_joint(m, j, add_joint(m, i, name, DLS_JOINT_SLIDE, &g, g.axis[0]));
    break;
  case DLS_WRITTEN_BALL: set_joint(m, j, add_joint(m, i, name, DLS_JOINT_BALL, &g, NULL)); break;
  case DLS_WRITTEN_FREE:
    if (!check_free(m, j, i)) return false;
    set_joint(m, j, add_joint(m, i, name, DLS_JOINT_FREE, &g, NULL));
    break;
  case DLS_WRITTEN_UNIVERSAL:
    for (int k = 0; k < 2; k++) {
      const int a = reversed ? 1 - k : k;
      add_joint(m, i, part_name(m, name, a ? ".2" : ".1"), DLS_JOINT_HINGE, &g, g.axis[a]);
    }
    break;
  case DLS_WRITTEN_CYLINDRICAL:
    add_joint(m, i, part_name(m, name, ".slide"), DLS_JOINT_SLIDE, &g, g.axis[0]);
    add_joint(m, i, part_name(m, name, ".turn"), DLS_JOINT_HINGE, &g, g.axis[0]);
    break;
  case DLS_WRITTEN_PLANAR:
    span(g.axis[0], x, y);
    if (reversed) add_joint(m, i, part_name(m, name, ".turn"), DLS_JOINT_HINGE, &g, g.axis[0]);
    add_joint(m, i, part_name(m, name, ".x"), DLS_JOINT_SLIDE, &g, x);
    add_joint(m, i, part_name(m, name, ".y"), DLS_JOINT_SLIDE, &g, y);
    if (!reversed) add_joint(m, i, part_name(m, name, ".turn"), DLS_JOINT_HINGE, &g, g.axis[0]);
    break;
  case DLS_WRITTEN_WELD:
  case DLS_WRITTEN_JOINTS: m->made->first_joint[index] = -1; break;
  }
  return m->status == DLS_OK;
}

// ---- closing loops ------------------------------------------------------------------------------

// A quaternion with these x and y axes, normal and of length 1.
static void quaternion_of_axes(const double x[3], const double y[3], double q[4])
{
  double z[3];
  dls_cross(x, y, z);
  const double R[3][3] = {{x[0], y[0], z[0]}, {x[1], y[1], z[1]}, {x[2], y[2], z[2]}};
  const double w = 1 + R[0][0] + R[1][1] + R[2][2];
  if (w > 0.5) {
    q[0] = w, q[1] = R[2][1] - R[1][2], q[2] = R[0][2] - R[2][0], q[3] = R[1][0] - R[0][1];
  } else {
    int k = 0;
    for (int i = 1; i < 3; i++)
      if (R[i][i] > R[k][k]) k = i;
    const int l = (k + 1) % 3, n = (k + 2) % 3;
    q[1 + k] = 1 + R[k][k] - R[l][l] - R[n][n];
    q[1 + l] = R[l][k] + R[k][l];
    q[1 + n] = R[n][k] + R[k][n];
    q[0] = R[n][l] - R[l][n];
  }
  (void)dls_quaternion_normalize(q);
}

static dls_pose frame_of(const dls_joint_statement *j, const geometry *g)
{
  dls_pose frame = dls_no_pose;
  dls_copy(frame.position, g->anchor, 3);
  if (j->kind == DLS_WRITTEN_UNIVERSAL)
    quaternion_of_axes(g->axis[0], g->axis[1], frame.quaternion);
  else if (allowed(j, DLS_OF_AXIS)) dls_quaternion_to_axis(g->axis[0], frame.quaternion);
  return frame;
}

static bool closure_kind(dls_making *m, const dls_joint_statement *j, dls_closure_kind *kind)
{
  static const dls_closure_kind closures[DLS_WRITTEN_JOINTS] = {
      DLS_CLOSURE_HINGE, DLS_CLOSURE_SLIDE,     DLS_CLOSURE_BALL,        DLS_CLOSURE_JOINTS,
      DLS_CLOSURE_WELD,  DLS_CLOSURE_UNIVERSAL, DLS_CLOSURE_CYLINDRICAL, DLS_CLOSURE_PLANAR};
  const dls_word *w = &m->model->names.words[j->name];
  *kind = closures[j->kind];
  if (j->kind == DLS_WRITTEN_FREE)
    return dls_making_fault(m, j->at, w->length, "bodies without joints are free",
                            "the free joint `%s` joins bodies that are joined already", w->text);
  for (int k = DLS_OF_POSITION; k <= DLS_OF_VELOCITY; k++)
    if (j->number[k].count > 0)
      return dls_making_fault(m, j->number[k].at, j->number[k].length,
                              "give those of other joints of the loop",
                              "the joint `%s` closes a loop: it has no coordinate", w->text);
  if (j->kind == DLS_WRITTEN_BALL &&
      (j->number[DLS_OF_DAMPING].count > 0 || j->number[DLS_OF_FRICTION].count > 0 ||
       j->number[DLS_OF_ARMATURE].count > 0))
    return dls_making_fault(m, j->at, w->length, "",
                            "the ball joint `%s` closes a loop: it has no friction, damping or "
                            "armature",
                            w->text);
  return true;
}

static bool add_closure(dls_making *m, const dls_joint_statement *j)
{
  geometry g;
  dls_closure_kind kind;
  if (!read_geometry(m, j, &g) || !closure_kind(m, j, &kind)) return false;
  const dls_pose frame = frame_of(j, &g);
  const double reference = number_of(m, j, DLS_OF_REFERENCE);
  const dls_number_list *range = &j->number[DLS_OF_RANGE];
  dls_closure *c = &m->closure[m->made->mechanism.closures++];
  *c = (dls_closure){.name = dls_making_name(m, j->name),
                     .kind = kind,
                     .joint = {-1, -1},
                     .armature = number_of(m, j, DLS_OF_ARMATURE),
                     .damping = number_of(m, j, DLS_OF_DAMPING),
                     .stiffness = number_of(m, j, DLS_OF_STIFFNESS),
                     .rest = number_of(m, j, DLS_OF_REST) - reference,
                     .friction = number_of(m, j, DLS_OF_FRICTION),
                     .restitution = number_of(m, j, DLS_OF_RESTITUTION),
                     .limited = range->count > 0};
  for (int k = 0; k < 2; k++) {
    const int body = j->body[k].body;
    c->body[k] = body < 0 ? DLS_WORLD : m->made->body[body];
    c->frame[k] = body < 0 ? frame : dls_pose_relative(&m->pose[body], &frame);
    if (c->limited) c->range[k] = m->number[range->first + k] - reference;
  }
  return true;
}

bool dls_making_closures(dls_making *m)
{
  for (int i = 0; i < m->s->joints.count; i++)
    if (m->forest.closes[i] && !add_closure(m, &m->s->joints.items[i])) return false;
  return true;
}
