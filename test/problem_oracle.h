// The true answers of small integer problems, by enumeration in exact arithmetic.
#ifndef TEST_PROBLEM_ORACLE_H
#define TEST_PROBLEM_ORACLE_H

#include "problem_maker.h"

// Fills in every unknown answer that does not need a solution. Needs M = B^T B (mass_rows) and
// integer data. False when the enumeration was given up.
bool oracle_without_solution(maker *p);

// Given a solution (within rounding): uniqueness of the acceleration and of the multipliers.
bool oracle_with_solution(maker *p, const double *z, const double *lambda_u);

// Given p->has_solution with integer numbers: the intervals of the multipliers, and whether
// lambda (bilateral first) is the admissible one of least norm, to 1e-9 relative.
bool oracle_intervals(maker *p, const double *lambda_b, const double *lambda_u, bool *least);

// z and multipliers of a problem with M definite by trying every active set; m_u <= 12.
bool brute_force(const maker *p, double *z);

#endif
