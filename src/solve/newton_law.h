// The trial force of a law and its derivative, for Newton's method.
#ifndef DLS_SOLVE_NEWTON_LAW_H
#define DLS_SOLVE_NEWTON_LAW_H

#include "solve/solver_run.h"

// Of contact i at X: force, and B, d x d, column-major.                              eq (law.1)
void dls_newton_law(const dls_run *run, int i, const double *X, double *force, double *B);

#endif
