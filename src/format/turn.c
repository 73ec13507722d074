#include "format/turn.h"

#include <math.h>
#include <string.h>

const dls_pose dls_pose_none = {.quaternion = {1, 0, 0, 0}};

bool dls_turn_unit(int count, double *x)
{
  double most = 0, sum = 0;
  for (int k = 0; k < count; k++) most = fmax(most, fabs(x[k]));
  if (!(most >= DLS_TURN_SHORT)) return false;
  for (int k = 0; k < count; k++) sum += (x[k] / most) * (x[k] / most);
  const double length = most * sqrt(sum);
  for (int k = 0; k < count; k++) x[k] /= length;
  return true;
}

void dls_turn_product(const double a[4], const double b[4], double out[4])
{
  const double p[4] = {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
                       a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                       a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
                       a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
  memcpy(out, p, sizeof p);
}

void dls_turn_inverse(const double a[4], double out[4])
{
  const double p[4] = {a[0], -a[1], -a[2], -a[3]};
  memcpy(out, p, sizeof p);
}

void dls_turn_matrix(const double a[4], double out[9])
{
  const double w = a[0], x = a[1], y = a[2], z = a[3];
  const double m[9] = {
      w * w + x * x - y * y - z * z, 2 * (x * y - w * z),           2 * (x * z + w * y),
      2 * (x * y + w * z),           w * w - x * x + y * y - z * z, 2 * (y * z - w * x),
      2 * (x * z - w * y),           2 * (y * z + w * x),           w * w - x * x - y * y + z * z};
  memcpy(out, m, sizeof m);
}

void dls_turn_vector(const double a[4], const double x[3], double out[3])
{
  double m[9];
  dls_turn_matrix(a, m);
  const double y[3] = {m[0] * x[0] + m[1] * x[1] + m[2] * x[2],
                       m[3] * x[0] + m[4] * x[1] + m[5] * x[2],
                       m[6] * x[0] + m[7] * x[1] + m[8] * x[2]};
  memcpy(out, y, sizeof y);
}

void dls_turn_about(const double unit_axis[3], double angle, double out[4])
{
  const double s = sin(angle / 2);
  const double q[4] = {cos(angle / 2), s * unit_axis[0], s * unit_axis[1], s * unit_axis[2]};
  memcpy(out, q, sizeof q);
}

void dls_turn_z_to(const double direction[3], double out[4])
{
  double d[3] = {direction[0], direction[1], direction[2]};
  if (!dls_turn_unit(3, d)) d[2] = 1;
  double axis[3] = {-d[1], d[0], 0};  // z x d
  const double s = hypot(axis[0], axis[1]);
  if (!dls_turn_unit(3, axis)) {
    axis[0] = 1;
    axis[1] = 0;
  }
  dls_turn_about(axis, atan2(s, d[2]), out);
}

void dls_turn_of_matrix(const double matrix[9], double out[4])
{
  const double *m = matrix;
  double q[4] = {1 + m[0] + m[4] + m[8], m[7] - m[5], m[2] - m[6], m[3] - m[1]};
  // the column whose diagonal entry is the largest is far from zero
  if (m[0] >= m[4] && m[0] >= m[8] && 1 + m[0] - m[4] - m[8] > q[0]) {
    const double p[4] = {m[7] - m[5], 1 + m[0] - m[4] - m[8], m[1] + m[3], m[2] + m[6]};
    memcpy(q, p, sizeof q);
  } else if (m[4] >= m[8] && 1 - m[0] + m[4] - m[8] > q[0]) {
    const double p[4] = {m[2] - m[6], m[1] + m[3], 1 - m[0] + m[4] - m[8], m[5] + m[7]};
    memcpy(q, p, sizeof q);
  } else if (1 - m[0] - m[4] + m[8] > q[0]) {
    const double p[4] = {m[3] - m[1], m[2] + m[6], m[5] + m[7], 1 - m[0] - m[4] + m[8]};
    memcpy(q, p, sizeof q);
  }
  if (!dls_turn_unit(4, q)) q[0] = 1;
  memcpy(out, q, sizeof q);
}

void dls_pose_point(const dls_pose *pose, const double x[3], double out[3])
{
  dls_turn_vector(pose->quaternion, x, out);
  for (int k = 0; k < 3; k++) out[k] += pose->position[k];
}

dls_pose dls_pose_in(const dls_pose *outer, const dls_pose *inner)
{
  dls_pose p = {0};
  dls_pose_point(outer, inner->position, p.position);
  dls_turn_product(outer->quaternion, inner->quaternion, p.quaternion);
  dls_turn_unit(4, p.quaternion);
  return p;
}

dls_pose dls_pose_inverse(const dls_pose *pose)
{
  dls_pose p = {0};
  dls_turn_inverse(pose->quaternion, p.quaternion);
  dls_turn_vector(p.quaternion, pose->position, p.position);
  for (int k = 0; k < 3; k++) p.position[k] = -p.position[k];
  return p;
}
