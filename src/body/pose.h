// Places of frames in one another, in plain numbers.
#ifndef DLS_BODY_POSE_H
#define DLS_BODY_POSE_H

#include <delassus/mechanism.h>

#include <math.h>

static inline void dls_quaternion_product(const double p[4], const double q[4], double out[4])
{
  const double r[] = {p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
                      p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
                      p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
                      p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]};
  for (int i = 0; i < 4; i++) out[i] = r[i];
}

// The axes of a quaternion of any length but 0, as columns of a row-major matrix.
static inline void dls_quaternion_axes(const double q[4], double R[9])
{
  const double w = q[0], x = q[1], y = q[2], z = q[3], s = 2 / (w * w + x * x + y * y + z * z);
  const double rows[] = {1 - s * (y * y + z * z), s * (x * y - w * z),     s * (x * z + w * y),
                         s * (x * y + w * z),     1 - s * (x * x + z * z), s * (y * z - w * x),
                         s * (x * z - w * y),     s * (y * z + w * x),     1 - s * (x * x + y * y)};
  for (int i = 0; i < 9; i++) R[i] = rows[i];
}

static inline void dls_quaternion_turn(const double q[4], const double a[3], double out[3])
{
  double R[9], r[3];
  dls_quaternion_axes(q, R);
  for (int i = 0; i < 3; i++) r[i] = R[3 * i] * a[0] + R[3 * i + 1] * a[1] + R[3 * i + 2] * a[2];
  for (int i = 0; i < 3; i++) out[i] = r[i];
}

// b, which is in a, in what a is in.
static inline dls_pose dls_pose_product(const dls_pose *a, const dls_pose *b)
{
  dls_pose out;
  dls_quaternion_turn(a->quaternion, b->position, out.position);
  for (int i = 0; i < 3; i++) out.position[i] += a->position[i];
  dls_quaternion_product(a->quaternion, b->quaternion, out.quaternion);
  return out;
}

// The least rotation that takes z to the axis, which need not be of length 1.
static inline void dls_quaternion_to_axis(const double axis[3], double q[4])
{
  const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  const double x = axis[0] / length, y = axis[1] / length, z = axis[2] / length;
  if (z > -0.5) {
    const double w = sqrt((1 + z) / 2);
    q[0] = w, q[1] = -y / (2 * w), q[2] = x / (2 * w), q[3] = 0;
    return;
  }
  // half a turn about what is halfway between z and the axis
  const double h = sqrt((1 - z) / 2);
  // away from -z: half a turn about x first, then the least rotation from -z
  const double s[4] = {h, y / (2 * h), -x / (2 * h), 0}, flip[4] = {0, 1, 0, 0};
  dls_quaternion_product(s, flip, q);
}

#endif
