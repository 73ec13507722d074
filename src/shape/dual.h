// Numbers that carry a derivative, under the names of linalg/number.h.
#ifndef DLS_SHAPE_DUAL_H
#define DLS_SHAPE_DUAL_H
#define DLS_NUMBER_GIVEN

#include <math.h>

typedef struct num {
  double x, e;  // the number and its derivative
} num;

static inline num exact(double x)
{
  return (num){x, 0};
}

static inline num within(double x, double e)
{
  (void)e;
  return (num){x, 0};
}

static inline double value(num a)
{
  return a.x;
}

static inline double bound_of(num a)
{
  (void)a;
  return 0;
}

static inline num plus(num a, num b)
{
  return (num){a.x + b.x, a.e + b.e};
}

static inline num minus(num a, num b)
{
  return (num){a.x - b.x, a.e - b.e};
}

static inline num times(num a, num b)
{
  return (num){a.x * b.x, a.e * b.x + a.x * b.e};
}

static inline num over(num a, num b)
{
  const double x = a.x / b.x;
  return (num){x, (a.e - x * b.e) / b.x};
}

static inline num root(num a)
{
  const double x = sqrt(a.x);
  return (num){x, a.e / (2 * x)};
}

#endif
