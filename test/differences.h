// The equations that an implicit integrator differentiates, and their derivatives by differences:
// the oracle for the exact ones.  eq (dyn.2)
#ifndef TEST_DIFFERENCES_H
#define TEST_DIFFERENCES_H

#include <delassus/system.h>

// A point: state, accelerations and forces, n, n, n, m and tangents numbers.
typedef struct point {
  double t;
  double *q, *v, *a, *lambda, *tau;
} point;

// All equations one below the other: R (n), N (m), T (tangents), D (m), S (tangents).
int equations_count(const dls_system *system);
void equations_at(const dls_system *system, const point *x, double *out);

// Differences of fourth order with two steps, extrapolated: the derivatives of all equations by q_j
// (velocity 0) or v_j (velocity 1). Moves the point and puts it back.
void equations_difference(const dls_system *system, point *x, int velocity, int j, double step,
                          double *out);

// The exact derivatives in the same order, dense.
void equations_exact(const dls_system *system, const dls_derivatives *d, int velocity, int j,
                     double *out);

#endif
