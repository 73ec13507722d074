// The numbers of the forest: doubles, or doubles with bounds of their rounding errors where
// DLS_BOUNDED is defined. What is written over them gives the same doubles in both.
#ifndef DLS_BODY_NUMBER_H
#define DLS_BODY_NUMBER_H

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

typedef struct num {
  double v, e;  // what is meant lies in v - e ... v + e
} num;

// The roundings of e itself, of which there are at most a handful in an operation.
static const double dls_inflate = 1 + 8 * DBL_EPSILON;

static inline num exact(double x)
{
  return (num){x, 0};
}

static inline double value(num a)
{
  return a.v;
}

static inline double bound_of(num a)
{
  return a.e;
}

// v was rounded: half a unit in the last place, or the smallest number where it is subnormal.
static inline num rounded(double v, double e)
{
  const double own = fabs(v) < DBL_MIN && v != 0 ? DBL_TRUE_MIN : fabs(v) * (DBL_EPSILON / 2);
  return (num){v, (e + own) * dls_inflate};
}

static inline num inexact(double x)
{
  return rounded(x, 0);
}

static inline num plus(num a, num b)
{
  return rounded(a.v + b.v, a.e + b.e);
}

static inline num minus(num a, num b)
{
  return rounded(a.v - b.v, a.e + b.e);
}

static inline num times(num a, num b)
{
  const double v = a.v * b.v, e = fabs(a.v) * b.e + fabs(b.v) * a.e + a.e * b.e;
  // a product that vanishes, of factors that do not
  if (v == 0 && a.v != 0 && b.v != 0) return (num){v, e * dls_inflate + DBL_TRUE_MIN};
  return rounded(v, e);
}

static inline num over(num a, num b)
{
  const double v = a.v / b.v, room = fabs(b.v) - b.e;
  return rounded(v, room > 0 ? (a.e + fabs(v) * b.e) / room : INFINITY);
}

static inline num root(num a)
{
  const double v = sqrt(a.v);
  return rounded(v, a.e > 0 ? a.e / (v > 0 ? v : sqrt(a.e)) : 0);
}

static inline num clipped(num a, double low, double high)
{
  if (a.v < low) return (num){low, fmax(a.v + a.e - low, 0) * dls_inflate};
  if (a.v > high) return (num){high, fmax(high - (a.v - a.e), 0) * dls_inflate};
  return a;
}

// The C library's are off by less than a unit in the last place.
static inline num cosine(num a)
{
  const double v = cos(a.v);
  return rounded(v, a.e + (v == 1 ? 0 : fabs(v) * DBL_EPSILON));
}

static inline num sine(num a)
{
  const double v = sin(a.v);
  return rounded(v, a.e + fabs(v) * DBL_EPSILON);
}

#endif
#endif
