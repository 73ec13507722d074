// The contact problem with friction: its solutions and the three questions about them.
#ifndef DLS_CERTIFY_COULOMB_H
#define DLS_CERTIFY_COULOMB_H

#include "certify/modes.h"

// A closed contact has slip velocities and a positive coefficient of friction.
bool dls_coulomb_applies(const dls_problem *problem);

// One solution, without a claim that it is the only one, for systems with too many modes and for
// spatial contacts that start to slide: Gauss-Seidel on the Delassus matrix, then Newton's method
// in the modes that it ends in. *found: the residual of the point passes the check.
dls_status dls_coulomb_find(dls_polyhedra *polyhedra, dls_set *set, bool *found);

// Lists the solutions, one for each component, in the check.
dls_status dls_coulomb_solutions(dls_modes *modes);

// Solutions, acceleration_exists, acceleration_unique, forces_unique.
dls_status dls_certify_coulomb(dls_context *x);

#endif
