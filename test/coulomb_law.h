// Coulomb's law at a point, from the data of an incremental problem alone: what is wrong with it,
// each thing relative to what its own rows add up. Dense, in long double, and slow; it shares no
// line with the library.
#ifndef TEST_COULOMB_LAW_H
#define TEST_COULOMB_LAW_H

#include <delassus/incremental.h>

typedef struct law_error {
  double into;      // normal velocities into the ground
  double outside;   // forces outside the cone, pulling ones too
  double held;      // forces of contacts that open
  double against;   // friction that is not as large as the law wants it, or not against the slip
  double equation;  // velocities of equations
  double balance;   // global form: M v - H r - f
  double largest;   // of all; NaN where something is no number
} law_error;

// v: NULL in local form.
law_error law_error_of(const dls_incremental *problem, const double *r, const double *v);

#endif
