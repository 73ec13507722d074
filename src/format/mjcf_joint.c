// Joints and sites.
#include "format/mjcf.h"
#include "format/turn.h"

#include <string.h>

static const double degree = 3.14159265358979323846 / 180;

static const char *const switches[] = {"false", "true", "auto", NULL};

void dls_mjcf_joint_values(dls_mjcf *m, const dls_xml_element *e, dls_mjcf_joint *joint)
{
  static const char *const kinds[] = {"free", "ball", "hinge", "slide", NULL};
  dls_file_reading *r = m->reading;
  int value;
  if (dls_reading_word(r, e, "type", kinds, &value)) joint->kind = (dls_joint_kind)value;
  if (dls_reading_word(r, e, "limited", switches, &value)) joint->limited = (dls_mjcf_switch)value;
  dls_reading_numbers(r, e, "pos", 3, 3, joint->position);
  dls_reading_numbers(r, e, "axis", 3, 3, joint->axis);
  dls_reading_numbers(r, e, "springdamper", 2, 2, joint->spring_damper);
  dls_reading_numbers(r, e, "range", 2, 2, joint->range);
  dls_reading_number(r, e, "ref", &joint->reference);
  dls_reading_number(r, e, "springref", &joint->rest);
  dls_reading_number(r, e, "armature", &joint->armature);
  dls_reading_number(r, e, "frictionloss", &joint->friction);
  double law[3] = {0};
  if (dls_reading_numbers(r, e, "stiffness", 1, 3, law)) joint->stiffness = law[0];
  if (law[1] != 0 || law[2] != 0) dls_reading_note(r, true, 1, "joint stiffness (nonlinear)");
  law[1] = law[2] = 0;
  if (dls_reading_numbers(r, e, "damping", 1, 3, law)) joint->damping = law[0];
  if (law[1] != 0 || law[2] != 0) dls_reading_note(r, true, 1, "joint damping (nonlinear)");
}

static void check_values(dls_mjcf *m, const dls_mjcf_joint *j)
{
  static const char *const names[] = {"stiffness", "damping", "armature", "frictionloss"};
  const double value[] = {j->stiffness, j->damping, j->armature, j->friction};
  for (int k = 0; k < dls_count_of(names); k++) {
    if (value[k] < 0)
      dls_reading_fail(m->reading, j->element, names[k], "`%s` must not be negative", names[k]);
  }
  const double *t = j->spring_damper;
  if ((t[0] != 0 || t[1] != 0) && !(t[0] > 0 && t[1] > 0))
    dls_reading_fail(m->reading, j->element, "springdamper",
                     "`springdamper` needs two positive numbers");
}

// What a joint of several freedoms says and a mechanism does not.
static void leave_out(dls_mjcf *m, dls_mjcf_joint *j)
{
  const bool ball = j->kind == DLS_JOINT_BALL;
  if (j->stiffness != 0 || j->spring_damper[0] > 0)
    dls_reading_note(m->reading, false, 1, "joint stiffness of a %s", ball ? "ball" : "free joint");
  if (ball && j->limited != DLS_MJCF_NO && j->range[0] < j->range[1])
    dls_reading_note(m->reading, false, 1, "joint range of a ball");
  j->stiffness = 0;
  j->limited = DLS_MJCF_NO;
  j->reference = j->rest = 0;
  memset(j->range, 0, sizeof j->range);
}

void dls_mjcf_joint_finish(dls_mjcf *m, const dls_pose *frame, dls_mjcf_joint *joint)
{
  check_values(m, joint);
  if (joint->kind == DLS_JOINT_FREE || joint->kind == DLS_JOINT_BALL) {
    leave_out(m, joint);
    memcpy(joint->axis, (const double[3]){0, 0, 1}, sizeof joint->axis);
  } else {
    dls_turn_vector(frame->quaternion, joint->axis, joint->axis);
    if (!dls_turn_unit(3, joint->axis))
      dls_reading_fail(m->reading, joint->element, "axis", "`axis` has no length");
  }
  if (joint->kind == DLS_JOINT_FREE) memset(joint->position, 0, sizeof joint->position);
  else dls_pose_point(frame, joint->position, joint->position);
  bool limited = false;
  dls_mjcf_limited(m, joint->element, "limited", "range", joint->limited, joint->range, &limited);
  joint->limited = limited && !m->off.limit ? DLS_MJCF_YES : DLS_MJCF_NO;
  if (joint->kind == DLS_JOINT_HINGE && m->compiler.degrees) {
    joint->range[0] *= degree;
    joint->range[1] *= degree;
    joint->reference *= degree;
    joint->rest *= degree;
  }
  if (m->off.spring) joint->stiffness = 0;
  if (m->off.damper) joint->damping = 0;
  if (m->off.friction) joint->friction = 0;
}

// ---- sites
// ---------------------------------------------------------------------------------------

void dls_mjcf_site_values(dls_mjcf *m, const dls_xml_element *e, dls_mjcf_site *site)
{
  dls_reading_numbers(m->reading, e, "pos", 3, 3, site->position);
  if (dls_reading_numbers(m->reading, e, "fromto", 6, 6, site->ends)) site->has_ends = true;
  dls_mjcf_turn_values(m, e, &site->turn);
}

void dls_mjcf_site_finish(dls_mjcf *m, const dls_pose *frame, dls_mjcf_site *site)
{
  dls_pose pose = dls_pose_none;
  if (site->has_ends) {
    const double *p = site->ends;
    const double along[3] = {p[0] - p[3], p[1] - p[4], p[2] - p[5]};
    dls_turn_z_to(along, pose.quaternion);
    for (int k = 0; k < 3; k++) pose.position[k] = (p[k] + p[k + 3]) / 2;
  } else {
    memcpy(pose.position, site->position, sizeof pose.position);
    dls_mjcf_turn_resolve(m, site->element, &site->turn, pose.quaternion);
  }
  site->pose = dls_pose_in(frame, &pose);
}
