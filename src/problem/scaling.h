// Units out of the way before any decision: coordinates scaled to unit masses, gradients to unit
// length.                                                                        eq (num.1)
#ifndef DLS_PROBLEM_SCALING_H
#define DLS_PROBLEM_SCALING_H

#include <delassus/contact.h>

// Positive factors. With z = D z^, lambda = C lambda^:  M^ = D M D, F^ = D F, G^ = D G C, b^ = C b.
// All are powers of two, so that scaling does not round. D_i is about 1/sqrt(M_ii); a massless
// coordinate takes its unit from the constraints it appears in. Columns of G^ have about unit
// length (C = 1 for a zero gradient).
// coordinate: n, bilateral: m_b, unilateral: m_u.
dls_status dls_scaling_find(const dls_problem *problem, double *coordinate, double *bilateral,
                            double *unilateral);

// Checks sizes, pointers, finite numbers and the symmetry of M.
dls_status dls_problem_validate(const dls_problem *problem, dls_message *message);

#endif
