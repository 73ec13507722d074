// Checks verdicts and solutions from their witnesses by plain loops in long double. Shares no
// code with the library.
#ifndef TEST_WITNESS_H
#define TEST_WITNESS_H

#include <delassus/check.h>

// Why the witness does not show what the answer claims; NULL when it does (or when the answer,
// such as undecided, claims nothing).
const char *witness_fault(const dls_check *check, dls_question question);

// What is wrong with the solution or with the numbers next to it; NULL when nothing is.
const char *solution_fault(const dls_check *check);

// The part of that name, or NULL.
const dls_witness_part *witness_part(const dls_verdict *verdict, const char *name);

// Largest violation of (con.3) in equilibrated data.
double solution_error(const dls_problem *problem, const double *z, const double *lambda_b,
                      const double *lambda_u);

#endif
