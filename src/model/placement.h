// More of positions and quaternions.
#ifndef DLS_MODEL_PLACEMENT_H
#define DLS_MODEL_PLACEMENT_H

#include "body/pose.h"
#include "linalg/vector3.h"

static const dls_pose dls_no_pose = {{0, 0, 0}, {1, 0, 0, 0}};

static inline void dls_quaternion_turn_back(const double q[4], const double a[3], double out[3])
{
  const double back[4] = {q[0], -q[1], -q[2], -q[3]};
  dls_quaternion_turn(back, a, out);
}

// False when it has no length.
static inline bool dls_quaternion_normalize(double q[4])
{
  const double largest = fmax(fmax(fabs(q[0]), fabs(q[1])), fmax(fabs(q[2]), fabs(q[3])));
  double norm = 0;
  if (!(largest > 0) || !isfinite(largest)) return false;
  for (int k = 0; k < 4; k++) q[k] /= largest, norm += q[k] * q[k];
  norm = sqrt(norm);
  for (int k = 0; k < 4; k++) q[k] /= norm;
  return true;
}

// A point of the world in the frame at `pose`.
static inline void dls_pose_point_in(const dls_pose *pose, const double point[3], double out[3])
{
  double d[3];
  for (int k = 0; k < 3; k++) d[k] = point[k] - pose->position[k];
  dls_quaternion_turn_back(pose->quaternion, d, out);
}

// A pose of the world in the frame at `outer`.
static inline dls_pose dls_pose_relative(const dls_pose *outer, const dls_pose *pose)
{
  dls_pose p = {0};
  const double *q = outer->quaternion, back[4] = {q[0], -q[1], -q[2], -q[3]};
  dls_pose_point_in(outer, pose->position, p.position);
  dls_quaternion_product(back, pose->quaternion, p.quaternion);
  return p;
}

// roll, pitch, yaw about fixed x, y, z, in this order.
static inline void dls_quaternion_of_angles(const double angle[3], double q[4])
{
  const double x[4] = {cos(angle[0] / 2), sin(angle[0] / 2), 0, 0};
  const double y[4] = {cos(angle[1] / 2), 0, sin(angle[1] / 2), 0};
  const double z[4] = {cos(angle[2] / 2), 0, 0, sin(angle[2] / 2)};
  dls_quaternion_product(y, x, q);
  dls_quaternion_product(z, q, q);
}

#endif
