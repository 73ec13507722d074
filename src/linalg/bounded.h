// Numbers with bounds of their rounding errors, running error analysis. In a
// header, so that compilers see through it.
#ifndef DLS_LINALG_BOUNDED_H
#define DLS_LINALG_BOUNDED_H

#include <float.h>
#include <math.h>

typedef struct dls_bounded {
  double x, e;  // the true number is in [x - e, x + e]
} dls_bounded;

typedef struct dls_bounded3 {
  dls_bounded c[3];
} dls_bounded3;

static inline dls_bounded dls_exactly(double x)
{
  return (dls_bounded){x, 0};
}

// What is left of an operation whose arguments have the error e. The factor covers the roundings of
// the bound itself; what is 0 is taken to be exactly so.
static inline dls_bounded dls_rounded(double x, double e)
{
  const double own = fabs(x) < DBL_MIN && x != 0 ? DBL_TRUE_MIN : 0.5 * DBL_EPSILON * fabs(x);
  return (dls_bounded){x, (e + own) * (1 + 8 * DBL_EPSILON)};
}

static inline dls_bounded dls_plus(dls_bounded a, dls_bounded b)
{
  return dls_rounded(a.x + b.x, a.e + b.e);
}

static inline dls_bounded dls_minus(dls_bounded a, dls_bounded b)
{
  return dls_rounded(a.x - b.x, a.e + b.e);
}

static inline dls_bounded dls_times(dls_bounded a, dls_bounded b)
{
  const double x = a.x * b.x, e = fabs(a.x) * b.e + a.e * fabs(b.x) + a.e * b.e;
  // a product that vanishes, of factors that do not
  return dls_rounded(x, x == 0 && a.x != 0 && b.x != 0 ? e + DBL_TRUE_MIN : e);
}

// By a power of two, or a sign: exact.
static inline dls_bounded dls_scale(double power, dls_bounded a)
{
  return (dls_bounded){power * a.x, fabs(power) * a.e};
}

static inline dls_bounded3 dls_with_errors3(const double x[3], const double e[3])
{
  return (dls_bounded3){{{x[0], e ? e[0] : 0}, {x[1], e ? e[1] : 0}, {x[2], e ? e[2] : 0}}};
}

static inline dls_bounded dls_dot_bounded(dls_bounded3 a, dls_bounded3 b)
{
  return dls_plus(dls_plus(dls_times(a.c[0], b.c[0]), dls_times(a.c[1], b.c[1])),
                  dls_times(a.c[2], b.c[2]));
}

static inline dls_bounded3 dls_cross_bounded(dls_bounded3 a, dls_bounded3 b)
{
  return (dls_bounded3){{dls_minus(dls_times(a.c[1], b.c[2]), dls_times(a.c[2], b.c[1])),
                         dls_minus(dls_times(a.c[2], b.c[0]), dls_times(a.c[0], b.c[2])),
                         dls_minus(dls_times(a.c[0], b.c[1]), dls_times(a.c[1], b.c[0]))}};
}

static inline dls_bounded3 dls_plus3(dls_bounded3 a, dls_bounded3 b)
{
  for (int i = 0; i < 3; i++) a.c[i] = dls_plus(a.c[i], b.c[i]);
  return a;
}

static inline dls_bounded3 dls_minus3(dls_bounded3 a, dls_bounded3 b)
{
  for (int i = 0; i < 3; i++) a.c[i] = dls_minus(a.c[i], b.c[i]);
  return a;
}

static inline dls_bounded3 dls_times3(dls_bounded s, dls_bounded3 a)
{
  for (int i = 0; i < 3; i++) a.c[i] = dls_times(s, a.c[i]);
  return a;
}

static inline dls_bounded3 dls_scale3(double power, dls_bounded3 a)
{
  for (int i = 0; i < 3; i++) a.c[i] = dls_scale(power, a.c[i]);
  return a;
}

#endif
