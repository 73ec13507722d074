// A rigid plate on legs that slides and spins on a plane until it rests; in its own code, in the
// stretched time in which the directions of slip turn at a finite rate to the very end.
#ifndef TEST_REFERENCE_PLATE_H
#define TEST_REFERENCE_PLATE_H

#include "reference_ode.h"

enum { PLATE_LEGS = 6 };

typedef struct plate {
  int legs;
  real r[PLATE_LEGS][2];  // from the centre of mass, along the plane
  real mu[PLATE_LEGS];
  real normal[PLATE_LEGS];  // forces; they follow from statics when `height` > 0
  real height;              // of the centre of mass above the plane; > 0: three legs
  real mass, inertia;
  real push[2];         // force along the plane, at the centre of mass
  real weight;          // force against the plane
  real epsilon;         // > 0: friction s/sqrt(s^2 + epsilon^2), a check of the reference
  real place[3], w[3];  // x, y, angle and their rates
} plate;

typedef struct plate_rest {
  bool fit;   // false: a leg loses the floor or slips again, or it does not come to rest
  int pivot;  // the leg about which it turned at last, or -1
  real t, place[3];
  real turn;  // the least of |s|/|s'| over the legs while it is fast
} plate_rest;

plate_rest plate_follow(plate p);

// With `epsilon`, in plain time, to `end`; false where that fails.
bool plate_regular(plate p, real end, real place[3]);

#endif
