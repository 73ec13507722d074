// Checks solutions and witnesses of problems with Coulomb friction by plain loops in long double,
// in the units in which the problem was drawn. Shares no code with the library.
#ifndef TEST_COULOMB_WITNESS_H
#define TEST_COULOMB_WITNESS_H

#include "coulomb_maker.h"

// p is the problem as drawn, u the units of the one that was checked. Faults are texts; NULL: none.

// Equations of motion and Coulomb's law. tau may be NULL when nothing has friction.
const char *coulomb_law_fault(const coulomb *p, const coulomb_units *u, const double *z,
                              const double *lambda_b, const double *lambda_u, const double *tau);

// The law, and that mode, a_u and the intervals belong to the solution.
const char *coulomb_solution_fault(const coulomb *p, const coulomb_units *u, const dls_solution *s);

// Existence and uniqueness: do the witnesses show what the answers claim?
const char *coulomb_witness_fault(const coulomb *p, const coulomb_units *u, const dls_verdict *v,
                                  dls_question question);

// Form and force closure: motions that escape, forces that cancel inside the cones.
const char *coulomb_closure_fault(const coulomb *p, const coulomb_units *u, const dls_verdict *v,
                                  dls_question question);

// Modes of one contact, planar or spatial; at most 6. Returns how many.
int coulomb_atoms(const coulomb *p, int contact, unsigned char *mode);

// A solution in the units in which the problem was drawn; lambda and tau after each other.
void coulomb_plain(const coulomb *p, const coulomb_units *u, const dls_solution *s, double *z,
                   double *lambda, double *tau);

#endif
