// Vectors of three numbers.
#ifndef DLS_LINALG_VECTOR3_H
#define DLS_LINALG_VECTOR3_H

static inline void dls_cross(const double a[3], const double b[3], double out[3])
{
  const double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
  out[0] = x, out[1] = y;
}

static inline double dls_dot3(const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

#endif
