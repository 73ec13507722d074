// The larger of two numbers, of residuals above all: NaN stays NaN, which fmax would lose.
#ifndef DLS_BASE_LARGER_H
#define DLS_BASE_LARGER_H

#include <math.h>

static inline double dls_larger(double a, double b)
{
  return b <= a || isnan(a) ? a : b;
}

// By one comparison, where NaN was seen to before: b when one of them is.
static inline double dls_max(double a, double b)
{
  return a > b ? a : b;
}

static inline double dls_min(double a, double b)
{
  return a < b ? a : b;
}

#endif
