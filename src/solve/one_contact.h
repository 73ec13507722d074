// Coulomb's law of one contact in space, solved exactly.
#ifndef DLS_SOLVE_ONE_CONTACT_H
#define DLS_SOLVE_ONE_CONTACT_H

#include <stdbool.h>

// u = W r + q with (u, r) in Coulomb's law, eq (inc.3); W: 3 x 3, symmetric, positive semidefinite,
// the normal first. Take-off where q_N >= 0, then stick, then the sliding direction that fits best.
// False, and r as it was, when none is found: W has no normal part, or large friction and inertial
// coupling leave no solution.
bool dls_one_contact(const double W[9], const double q[3], double mu, double r[3]);

#endif
