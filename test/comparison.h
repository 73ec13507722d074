// Runs the check on a made problem and holds every answer, witness and number against what is
// known. Faults are printed and counted; the tests assert that there were none.
#ifndef TEST_COMPARISON_H
#define TEST_COMPARISON_H

#include "problem_maker.h"

typedef struct comparison {
  const char *test;
  long problems, faults, undecided, solutions;
  long unsolved;  // solutions whose comparison by the dual or reduced program was not solved
  long answers[DLS_QUESTION_COUNT][4];
  bool allow_undecided;
} comparison;

// NULL (and a fault) when the check could not run.
dls_check *comparison_run(comparison *j, const maker *p);

// Compares with what is known.
void comparison_check(comparison *j, const maker *p, const dls_check *check);

// A fault of the test's own finding; prints the problem for the first few.
void comparison_fault(comparison *j, const maker *p, const char *what, const char *detail);

// Compares the numbers of a solution that is known to be unique.
void comparison_acceleration(comparison *j, const maker *p, const dls_check *check, const double *z,
                             double tolerance);
void comparison_intervals(comparison *j, const maker *p, const dls_check *check, double tolerance);

// Prints the counts; returns the number of faults. Undecided answers are honest, but on these
// problems they must be rare: more than three in a thousand problems (a single problem can have
// three) count as a fault, and so does more than one unsolved comparison in a hundred.
long comparison_close(const comparison *j);

#endif
