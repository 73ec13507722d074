// Coulomb's law at a point, from the data of an incremental problem alone: what is wrong with it,
// each thing relative to what its own rows add up. Dense, in long double, and slow; it shares no
// line with the library.
#ifndef TEST_COULOMB_LAW_H
#define TEST_COULOMB_LAW_H

#include <delassus/incremental.h>
#include <delassus/solve.h>

typedef struct law_error {
  double into;      // normal velocities into the ground
  double outside;   // forces outside the cone, pulling ones too
  double held;      // forces of contacts that open
  double against;   // friction that is not as large as the law wants it, or not against the slip
  double equation;  // velocities of equations
  double balance;   // global form: M v - H r - f
  double largest;   // of all; NaN where something is no number
} law_error;

// Runs a solver on one thread. r: the start, and the point; v, u: room for global form and for
// velocities, or NULL. false: the solver for piles, and the problem is none. Fails the test when it
// does not run.
bool law_solve(const dls_incremental *problem, dls_solve_options options, double *r, double *v,
               double *u, dls_solve_report *report);

// v: NULL in local form.
law_error law_error_of(const dls_incremental *problem, const double *r, const double *v);

#endif
