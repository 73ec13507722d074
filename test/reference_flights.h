// Motions between events in closed form, and the first event by steps that provably miss none.
#ifndef TEST_REFERENCE_FLIGHTS_H
#define TEST_REFERENCE_FLIGHTS_H

#include "reference_ode.h"

// value(t) and its first derivative; |second derivative| <= bound everywhere.
typedef void (*reference_curve)(const void *self, real t, real *value, real *slope);

// The first t in [from, end] at which the value, positive after `from`, is zero; INFINITY: none.
real reference_first(reference_curve curve, const void *self, real bound, real from, real end);

// a + sum A_i sin(w_i t + phi_i)
enum { WAVES = 4 };
typedef struct waves {
  int count;
  real a, A[WAVES], w[WAVES], phi[WAVES];
} waves;
real waves_at(const waves *f, int derivative, real t);  // -1: an integral
real waves_bound(const waves *f, int derivative);       // of its size, without a

// A point between two walls: x >= wall(t) - b (contact 0), x <= wall(t) + b (contact 1); b =
// INFINITY for the first only, which is then x >= wall(t). Constant acceleration, restitution e.
typedef struct rattle {
  waves wall;
  real b, acceleration, e;
} rattle;
typedef struct flight_end {
  real t, x, v;
  int impacts;
  real last, shortest;  // time of the last impact, the shortest flight between two
  real closest;         // the least distance to a wall on the way that was not an impact
  bool fit;             // false: impacts accumulate
} flight_end;
flight_end rattle_at(const rattle *r, real x, real v, real end);

// m x'' = f(t) - F sign(x'), at rest at the start.
typedef struct shaker {
  waves force;
  real m, F;
} shaker;
typedef struct shaker_end {
  real t, x, v;
  int tangents, sticks;
  real last, shortest;  // time of the last slip's begin, the shortest slip
} shaker_end;
shaker_end shaker_at(const shaker *s, real end);

#endif
