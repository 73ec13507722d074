// Numbers of formulas: doubles, or doubles with bounds of their rounding errors where
// DLS_BOUNDED is defined. What is written over them gives the same doubles in both.
#ifndef DLS_LINALG_NUMBER_H
#define DLS_LINALG_NUMBER_H

#ifdef DLS_BOUNDED
#include "linalg/bounded.h"
#endif

#include <float.h>
#include <math.h>

#ifndef DLS_BOUNDED

typedef double num;

static inline num exact(double x)
{
  return x;
}

// The double next to a number that is none.
static inline num inexact(double x)
{
  return x;
}

// A number known within e.
static inline num within(double x, double e)
{
  (void)e;
  return x;
}

static inline double value(num a)
{
  return a;
}

static inline double bound_of(num a)
{
  (void)a;
  return 0;
}

static inline num plus(num a, num b)
{
  return a + b;
}

static inline num minus(num a, num b)
{
  return a - b;
}

static inline num times(num a, num b)
{
  return a * b;
}

static inline num over(num a, num b)
{
  return a / b;
}

static inline num root(num a)
{
  return sqrt(a);
}

// The nearest number in low ... high.
static inline num clipped(num a, double low, double high)
{
  return a < low ? low : a > high ? high : a;
}

static inline num cosine(num a)
{
  return cos(a);
}

static inline num sine(num a)
{
  return sin(a);
}

#else

typedef dls_bounded num;

static inline num exact(double x)
{
  return dls_exactly(x);
}

static inline num inexact(double x)
{
  return dls_rounded(x, 0);
}

static inline num within(double x, double e)
{
  return (num){x, e};
}

static inline double value(num a)
{
  return a.x;
}

static inline double bound_of(num a)
{
  return a.e;
}

static inline num plus(num a, num b)
{
  return dls_plus(a, b);
}

static inline num minus(num a, num b)
{
  return dls_minus(a, b);
}

static inline num times(num a, num b)
{
  return dls_times(a, b);
}

static inline num over(num a, num b)
{
  const double x = a.x / b.x, room = fabs(b.x) - b.e;
  return dls_rounded(x, room > 0 ? (a.e + fabs(x) * b.e) / room : INFINITY);
}

static inline num root(num a)
{
  const double x = sqrt(a.x);
  return dls_rounded(x, a.e > 0 ? a.e / (x > 0 ? x : sqrt(a.e)) : 0);
}

static inline num clipped(num a, double low, double high)
{
  if (a.x < low) return dls_rounded(low, fmax(a.x + a.e - low, 0));
  if (a.x > high) return dls_rounded(high, fmax(high - (a.x - a.e), 0));
  return a;
}

// The C library's are off by less than a unit in the last place.
static inline num cosine(num a)
{
  const double x = cos(a.x);
  return dls_rounded(x, a.e + (x == 1 && a.x == 0 ? 0 : fabs(x) * DBL_EPSILON));
}

static inline num sine(num a)
{
  const double x = sin(a.x);
  return dls_rounded(x, a.e + fabs(x) * DBL_EPSILON);
}

#endif
#endif
