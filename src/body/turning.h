// A rotation by a vector theta and its rate, over the numbers of linalg/number.h.        eq (tre.3)
#ifndef DLS_BODY_TURNING_H
#define DLS_BODY_TURNING_H

#include "body/vector.h"

// (1 - cos s)/s^2 and (s - sin s)/s^3 as functions of y = s^2, and their first two derivatives by
// y.
typedef struct turning {
  num A[3], B[3];
} turning;

// factor (1 - y/(c (c+1)) (1 - y/((c+2) (c+3)) (1 - ...))), which converges for every y; up to the
// longest vector of a chart these are as many terms as a double has.
static inline void nested(num y, int c, num factor, num out[3])
{
  const int terms = value(y) < 0.01 ? 8 : 17;
  num t = exact(1), t1 = exact(0), t2 = exact(0);
  for (int k = terms - 1; k >= 0; k--) {
    const num q = inexact(-1.0 / ((c + 2 * k) * (c + 2 * k + 1)));
    t2 = times(q, plus(times(exact(2), t1), times(y, t2)));
    t1 = times(q, plus(t, times(y, t1)));
    t = plus(exact(1), times(q, times(y, t)));
  }
  out[0] = times(factor, t), out[1] = times(factor, t1), out[2] = times(factor, t2);
}

static inline turning turning_at(num y)
{
  turning out = {0};
  nested(y, 3, exact(0.5), out.A);
  nested(y, 4, inexact(1.0 / 6), out.B);
  return out;
}

// 1 + k [theta] + l [theta]^2, y = theta^2
static inline mat rodrigues(num k, num l, vec theta, num y)
{
  const vec a = scale(k, theta), b = scale(l, theta);
  const num diagonal = minus(exact(1), times(l, y));
  return (mat){{plus(diagonal, times(b.x, theta.x)), plus(times(b.x, theta.y), a.z),
                minus(times(b.x, theta.z), a.y)},
               {minus(times(b.y, theta.x), a.z), plus(diagonal, times(b.y, theta.y)),
                plus(times(b.y, theta.z), a.x)},
               {plus(times(b.z, theta.x), a.y), minus(times(b.z, theta.y), a.x),
                plus(diagonal, times(b.z, theta.z))}};
}

// exp theta, and T with the angular velocity T theta' in the turned axes.
static inline mat turning_exp(const turning *t, vec theta, num y)
{
  return rodrigues(minus(exact(1), times(y, t->B[0])), t->A[0], theta, y);
}

static inline mat turning_rate(const turning *t, vec theta, num y)
{
  return rodrigues(minus(exact(0), t->A[0]), t->B[0], theta, y);
}

// T' theta' with theta'' = 0
static inline vec turning_bias(const turning *t, vec theta, vec rate)
{
  const vec c = cross(theta, rate);
  const num y_rate = times(exact(2), dot(theta, rate));
  const vec bend =
      add(scale(times(y_rate, t->B[1]), cross(theta, c)), scale(t->B[0], cross(rate, c)));
  return sub(bend, scale(times(y_rate, t->A[1]), c));
}

// About an axis of length 1.
static inline mat turned_about(vec axis, num angle)
{
  const num c = cosine(angle), s = sine(angle), rest = minus(exact(1), c);
  const vec a = scale(s, axis), b = scale(rest, axis);
  return (mat){
      {plus(c, times(b.x, axis.x)), plus(times(b.x, axis.y), a.z), minus(times(b.x, axis.z), a.y)},
      {minus(times(b.y, axis.x), a.z), plus(c, times(b.y, axis.y)), plus(times(b.y, axis.z), a.x)},
      {plus(times(b.z, axis.x), a.y), minus(times(b.z, axis.y), a.x), plus(c, times(b.z, axis.z))}};
}

#endif
