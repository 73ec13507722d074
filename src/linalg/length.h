// The length of a vector of two numbers: a root where squares are harmless, hypot elsewhere.
#ifndef DLS_LINALG_LENGTH_H
#define DLS_LINALG_LENGTH_H

#include "linalg/tolerances.h"

#include <math.h>

static inline double dls_length(double x, double y)
{
  const double square = x * x + y * y;
  if ((square > dls_least_square && square < dls_largest_square) || (x == 0 && y == 0))
    return sqrt(square);
  return hypot(x, y);
}

#endif
