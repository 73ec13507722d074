// Comparisons for residuals.
#ifndef DLS_BASE_LARGER_H
#define DLS_BASE_LARGER_H

#include <math.h>

// The larger of two numbers: NaN stays NaN, which fmax would lose.
static inline double dls_larger(double a, double b)
{
  return b <= a || isnan(a) ? a : b;
}

// max(-x, 0), or NaN.
static inline double dls_negative_part(double x)
{
  return x < 0 ? -x : x - x;
}

// An error by its size: infinite where there are no terms, unless it is none; NaN stays.
static inline double dls_by_size(double error, double size)
{
  return error == 0 ? 0 : error / size;
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
