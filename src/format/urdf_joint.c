// Joints and mimics.
#include "format/turn.h"
#include "format/urdf.h"

#include <string.h>

static dls_joint *add(dls_urdf *u, const dls_urdf_joint *j, int body, dls_joint_kind kind,
                      const char *suffix, const double axis[3])
{
  dls_file_reading *r = u->reading;
  const char *name = dls_reading_keep_format(r, "%s%s", j->name, suffix);
  dls_joint *joint = name ? DLS_READING_ADD(r, &u->draft, joint) : NULL;
  if (!joint) return NULL;
  *joint = (dls_joint){
      .body = body,
      .kind = kind,
      .name = dls_draft_name(r, &u->draft.joint_names, NULL, name, "joint", u->draft.joints)};
  memcpy(joint->axis, axis, sizeof joint->axis);
  return joint;
}

static void read_axis(dls_urdf *u, const dls_urdf_joint *j, double axis[3])
{
  const dls_xml_element *e = dls_xml_child(j->element, "axis");
  const bool used =
      j->kind != DLS_URDF_FIXED && j->kind != DLS_URDF_FLOATING && j->kind != DLS_URDF_SPHERICAL;
  if (!e || !used) return;
  dls_reading_require(u->reading, e, "xyz");
  dls_reading_numbers(u->reading, e, "xyz", 3, 3, axis);
  if (!dls_turn_unit(3, axis)) dls_reading_fail(u->reading, e, "xyz", "the axis has no length");
}

static void read_limits(dls_urdf *u, const dls_urdf_joint *j, dls_joint *joint)
{
  const dls_xml_element *e = dls_xml_child(j->element, "limit");
  if (!e) return;
  const bool low = dls_reading_number(u->reading, e, "lower", &joint->range[0]);
  const bool high = dls_reading_number(u->reading, e, "upper", &joint->range[1]);
  joint->limited = low && high && joint->range[0] < joint->range[1];
  if (!joint->limited && (low || high))
    dls_reading_note(u->reading, false, 1, "limit that is no range: lower and upper");
}

static void read_dynamics(dls_urdf *u, const dls_urdf_joint *j, int first)
{
  const dls_xml_element *e = dls_xml_child(j->element, "dynamics");
  double damping = 0, friction = 0;
  if (!e) return;
  dls_reading_number(u->reading, e, "damping", &damping);
  dls_reading_number(u->reading, e, "friction", &friction);
  if (damping < 0) dls_reading_fail(u->reading, e, "damping", "`damping` must not be negative");
  if (friction < 0) dls_reading_fail(u->reading, e, "friction", "`friction` must not be negative");
  for (int k = first; k < u->draft.joints; k++) {
    u->draft.joint[k].damping = damping;
    u->draft.joint[k].friction = friction;
  }
}

// Two slides and a hinge, whose axis is normal to the plane.
static void add_planar(dls_urdf *u, const dls_urdf_joint *j, int body, const double axis[3])
{
  static const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0};
  double turn[4], along[3];
  dls_turn_z_to(axis, turn);
  dls_turn_vector(turn, x, along);
  add(u, j, body, DLS_JOINT_SLIDE, "_TX", along);
  dls_turn_vector(turn, y, along);
  add(u, j, body, DLS_JOINT_SLIDE, "_TY", along);
  add(u, j, body, DLS_JOINT_HINGE, "_RZ", axis);
}

// Free bodies hang on the world: on another one three slides and a ball do it.
static void add_floating(dls_urdf *u, const dls_urdf_joint *j, int body)
{
  static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  static const char *const suffixes[] = {"_TX", "_TY", "_TZ"};
  if (u->draft.body[body].parent == DLS_WORLD) {
    add(u, j, body, DLS_JOINT_FREE, "", axes[2]);
    return;
  }
  for (int k = 0; k < 3; k++) add(u, j, body, DLS_JOINT_SLIDE, suffixes[k], axes[k]);
  add(u, j, body, DLS_JOINT_BALL, "_R", axes[2]);
}

void dls_urdf_add_joints(dls_urdf *u, dls_urdf_joint *joint, int body)
{
  double axis[3] = {1, 0, 0};
  const int first = u->draft.joints;
  read_axis(u, joint, axis);
  dls_joint *made = NULL;
  switch (joint->kind) {
  case DLS_URDF_REVOLUTE:
  case DLS_URDF_CONTINUOUS: made = add(u, joint, body, DLS_JOINT_HINGE, "", axis); break;
  case DLS_URDF_PRISMATIC: made = add(u, joint, body, DLS_JOINT_SLIDE, "", axis); break;
  case DLS_URDF_FIXED: break;
  case DLS_URDF_FLOATING: add_floating(u, joint, body); break;
  case DLS_URDF_PLANAR: add_planar(u, joint, body, axis); break;
  case DLS_URDF_SPHERICAL: add(u, joint, body, DLS_JOINT_BALL, "", axis); break;
  }
  if (made) joint->index = first;
  if (made && joint->kind != DLS_URDF_CONTINUOUS) read_limits(u, joint, made);
  read_dynamics(u, joint, first);
}

// The coordinate is multiplier times that of another joint, plus offset.
static void add_mimic(dls_urdf *u, const dls_urdf_joint *j, const dls_xml_element *e)
{
  dls_file_reading *r = u->reading;
  double multiplier = 1, offset = 0;
  const char *name = dls_reading_required(r, e, "joint");
  dls_reading_number(r, e, "multiplier", &multiplier);
  dls_reading_number(r, e, "offset", &offset);
  if (r->status) return;
  const int other = dls_name_table_find(&u->joint_names, name);
  if (other < 0) {
    dls_reading_fail(r, e, "joint", "there is no joint `%.100s`%s", name,
                     dls_name_table_suggest(&u->joint_names, name).text);
    return;
  }
  if (j->index < 0 || u->joint[other].index < 0 || j->index == u->joint[other].index) {
    dls_reading_fail(r, e, "joint", "two different joints of one freedom are needed");
    return;
  }
  const char *made = dls_reading_keep_format(r, "%s_mimic", j->name);
  dls_closure *c = made ? DLS_READING_ADD(r, &u->draft, closure) : NULL;
  if (!c) return;
  *c = (dls_closure){
      .name = dls_draft_name(r, &u->draft.joint_names, NULL, made, "mimic", u->draft.closures),
      .kind = DLS_CLOSURE_JOINTS,
      .body = {DLS_WORLD, DLS_WORLD},
      .frame = {dls_pose_none, dls_pose_none},
      .joint = {j->index, u->joint[other].index},
      .polynomial = {offset, multiplier},
  };
}

void dls_urdf_add_mimics(dls_urdf *u)
{
  for (int k = 0; k < u->joints && !u->reading->status; k++) {
    const dls_xml_element *e = dls_xml_child(u->joint[k].element, "mimic");
    if (e) add_mimic(u, &u->joint[k], e);
  }
}
