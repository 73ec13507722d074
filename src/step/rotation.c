#include "step/rotation.h"

#include <math.h>
#include <string.h>

static const double SMALL = 1e-4;  // angles whose sine is a series: what is left out is rounding

void dls_rotation_matrix(const double q[4], double R[9])
{
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  const double rows[9] = {
      1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
      2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
      2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y),
  };
  memcpy(R, rows, sizeof rows);
}

void dls_rotation_turn(double q[4], const double omega[3], double h)
{
  const double half = 0.5 * h * sqrt(dls_dot3(omega, omega));
  const double s = 0.5 * h * (half < SMALL ? 1 - half * half / 6 : sin(half) / half);
  const double e[4] = {cos(half), s * omega[0], s * omega[1], s * omega[2]};
  const double p[4] = {
      e[0] * q[0] - e[1] * q[1] - e[2] * q[2] - e[3] * q[3],
      e[0] * q[1] + e[1] * q[0] + e[2] * q[3] - e[3] * q[2],
      e[0] * q[2] - e[1] * q[3] + e[2] * q[0] + e[3] * q[1],
      e[0] * q[3] + e[1] * q[2] - e[2] * q[1] + e[3] * q[0],
  };
  const double length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
  for (int i = 0; i < 4; i++) q[i] = p[i] / length;
}

void dls_rotate(const double R[9], const double x[3], double out[3])
{
  const double a = x[0], b = x[1], c = x[2];
  for (int i = 0; i < 3; i++) out[i] = R[3 * i] * a + R[3 * i + 1] * b + R[3 * i + 2] * c;
}

void dls_rotate_back(const double R[9], const double x[3], double out[3])
{
  const double a = x[0], b = x[1], c = x[2];
  for (int i = 0; i < 3; i++) out[i] = R[i] * a + R[3 + i] * b + R[6 + i] * c;
}

void dls_tangents(const double n[3], double t1[3], double t2[3])
{
  // the axis that is farthest from the normal
  int least = 0;
  for (int i = 1; i < 3; i++)
    if (fabs(n[i]) < fabs(n[least])) least = i;
  double axis[3] = {0};
  axis[least] = 1;
  dls_cross(n, axis, t1);
  const double length = sqrt(dls_dot3(t1, t1));
  for (int i = 0; i < 3; i++) t1[i] /= length;
  dls_cross(n, t1, t2);
}
