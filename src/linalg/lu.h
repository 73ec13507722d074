// LU factors in place, for solvers that own their memory: nothing here allocates.
#ifndef DLS_LINALG_LU_H
#define DLS_LINALG_LU_H

#include <stdbool.h>

// A (n x n, column-major) is replaced by its factors. pivot: 2 n, work: 4 n. Returns the estimated
// reciprocal condition number in the 1-norm; 0 when a pivot vanishes or a number is not finite.
double dls_lu_factor(int n, double *A, int *pivot, double *work);

// B (n x cols) <- A^-1 B, or A^-T B.
void dls_lu_solve(int n, int cols, const double *LU, const int *pivot, bool transpose, double *B);

#endif
