// Where the bodies of a mechanism are, from its configuration; and the same motion in the
// coordinates of another system of it.
#include "body/assembly.h"

#include "base/message.h"
#include "body/pose.h"
#include "body/tree_internal.h"

#include <stdlib.h>

static const dls_pose nowhere = {{0, 0, 0}, {1, 0, 0, 0}};

// What a joint does to the frame of its body.
static dls_status moved_by(const dls_joint *joint, const double *q, dls_pose *out)
{
  *out = nowhere;
  const double *axis = joint->axis;
  const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  const double way = joint->kind >= DLS_JOINT_HINGE ? q[0] - joint->reference : 0;
  if (joint->kind == DLS_JOINT_SLIDE) {
    for (int i = 0; i < 3; i++) out->position[i] = way * axis[i] / length;
    return isfinite(way) ? DLS_OK : DLS_ERR_NUMBER;
  }
  double *turn = out->quaternion, back[3];
  if (joint->kind == DLS_JOINT_HINGE) {
    turn[0] = cos(way / 2);
    for (int i = 0; i < 3; i++) turn[1 + i] = sin(way / 2) * axis[i] / length;
  } else {
    dls_copy(turn, q + (joint->kind == DLS_JOINT_FREE ? 3 : 0), 4);
  }
  if (!dls_unit_quaternion(turn)) return DLS_ERR_NUMBER;
  if (joint->kind == DLS_JOINT_FREE) {
    dls_copy(out->position, q, 3);
    return isfinite(q[0]) && isfinite(q[1]) && isfinite(q[2]) ? DLS_OK : DLS_ERR_NUMBER;
  }
  dls_quaternion_turn(turn, joint->anchor, back);  // the anchor stays where it was
  for (int i = 0; i < 3; i++) out->position[i] = joint->anchor[i] - back[i];
  return DLS_OK;
}

// Of all bodies of the expanded mechanism.
static dls_status place_all(const dls_assembly *a, const double *q, dls_pose *pose)
{
  const dls_mechanism *m = &a->expanded.mechanism;
  for (int b = 0, j = 0; b < m->bodies; b++) {
    const dls_rigid_body *body = m->body + b;
    pose[b] = body->pose;
    if (body->parent >= 0) pose[b] = dls_pose_product(&pose[body->parent], &body->pose);
    if (j < m->joints && m->joint[j].body == b) {
      dls_pose by;
      if (moved_by(m->joint + j, q + a->tree->joint_q[j], &by) != DLS_OK) return DLS_ERR_NUMBER;
      pose[b] = m->joint[j].kind == DLS_JOINT_FREE ? by : dls_pose_product(&pose[b], &by);
      j++;
    }
    dls_unit_quaternion(pose[b].quaternion);
  }
  return DLS_OK;
}

dls_status dls_mechanism_poses(const dls_system *system, const double *q, dls_pose *pose)
{
  assert(system->evaluate == dls_assembly_evaluate);
  const dls_assembly *a = system->self;
  dls_pose *all = dls_alloc(a->expanded.mechanism.bodies, sizeof *all);
  if (!all) return DLS_ERR_MEMORY;
  const dls_status status = place_all(a, q, all);
  for (int b = 0; b < a->expanded.bodies && status == DLS_OK; b++)
    pose[b] = all[a->expanded.body[b]];
  free(all);
  return status;
}

// Velocities of the origins in the world and angular velocities in the bodies' axes, from the
// forest, whose centre is put back.
static dls_status rates(const dls_assembly *a, const double *q, const double *v, double *work,
                        const dls_assembly *to, double *to_v)
{
  dls_tree *tree = a->tree;
  double *before = work, *x = before + tree->nq, *x_dot = x + tree->n;
  dls_copy(before, tree->data->centre, tree->nq);
  dls_status status = dls_tree_centre(tree, q, NULL);
  if (status == DLS_OK) status = dls_tree_enter(tree, q, v, x, x_dot);
  if (status == DLS_OK) status = dls_tree_move(tree, x, x_dot, NULL, false);
  for (int j = 0; j < a->joints && status == DLS_OK; j++) {
    dls_solid_motion m;
    dls_tree_motion(tree, a->expanded.joint_body[j], NULL, &m, NULL);
    double *out = to_v + to->tree->joint_v[j];
    for (int i = 0; i < 3; i++) {
      out[i] = m.v[i];
      out[3 + i] = m.R[i] * m.w[0] + m.R[3 + i] * m.w[1] + m.R[6 + i] * m.w[2];
    }
  }
  dls_tree_centre(tree, before, NULL);
  return status;
}

dls_status dls_mechanism_in_maximal(const dls_system *reduced, const double *q, const double *v,
                                    const dls_system *maximal, double *to_q, double *to_v)
{
  assert(reduced->evaluate == dls_assembly_evaluate && maximal->evaluate == dls_assembly_evaluate);
  const dls_assembly *a = reduced->self, *to = maximal->self;
  if (a->structure != to->structure || a->expanded.kind != DLS_REDUCED ||
      to->expanded.kind != DLS_MAXIMAL)
    return DLS_ERR_ARGUMENT;
  dls_pose *all = dls_alloc(a->expanded.mechanism.bodies, sizeof *all);
  double *work = dls_alloc((ptrdiff_t)a->tree->nq + 2 * (ptrdiff_t)a->tree->n, sizeof *work);
  dls_status status = all && work ? place_all(a, q, all) : DLS_ERR_MEMORY;
  for (int j = 0; j < a->joints && status == DLS_OK; j++) {
    const dls_pose *pose = all + a->expanded.joint_body[j];
    dls_copy(to_q + to->tree->joint_q[j], pose->position, 3);
    dls_copy(to_q + to->tree->joint_q[j] + 3, pose->quaternion, 4);
  }
  if (status == DLS_OK) status = rates(a, q, v, work, to, to_v);
  free(all), free(work);
  return status;
}
