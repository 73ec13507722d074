// The length of a vector of two numbers: a root where squares are harmless, hypot elsewhere.
#ifndef DLS_LINALG_LENGTH_H
#define DLS_LINALG_LENGTH_H

#include <math.h>

static inline double dls_length(double x, double y)
{
  const double square = x * x + y * y;
  if ((square > 1e-260 && square < 1e260) || (x == 0 && y == 0)) return sqrt(square);
  return hypot(x, y);
}

#endif
