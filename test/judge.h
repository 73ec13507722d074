// Runs the check on a made problem and holds every answer, witness and number against what is
// known. Faults are printed and counted; the tests assert that there were none.
#ifndef TEST_JUDGE_H
#define TEST_JUDGE_H

#include "problem_maker.h"

typedef struct judge {
  const char *test;
  long problems, faults, undecided, solutions;
  long unsolved;  // solutions whose comparison by the dual or reduced program was not solved
  long answers[DLS_QUESTION_COUNT][4];
  bool allow_undecided;
} judge;

// NULL (and a fault) when the check could not run.
dls_check *judge_run(judge *j, const maker *p);

// Compares with what is known.
void judge_check(judge *j, const maker *p, const dls_check *check);

// A fault of the test's own finding; prints the problem for the first few.
void judge_fault(judge *j, const maker *p, const char *what, const char *detail);

// Compares the numbers of a solution that is known to be unique.
void judge_acceleration(judge *j, const maker *p, const dls_check *check, const double *z,
                        double tolerance);
void judge_intervals(judge *j, const maker *p, const dls_check *check, double tolerance);

// Prints the counts; returns the number of faults. Undecided answers are honest, but on these
// problems they must be rare: more than three in a thousand problems (a single problem can have
// three) count as a fault, and so does more than one unsolved comparison in a hundred.
long judge_close(const judge *j);

#endif
