// LU of a small dense matrix kept by rows, with row pivoting: for systems where a call of LAPACK
// costs more than the work. Nothing is allocated.
#ifndef DLS_LINALG_DENSE_LU_H
#define DLS_LINALG_DENSE_LU_H

#include <stdbool.h>

// A: n x n, row after row; its factors on return. pivot: n. sign: of the determinant. False when
// a pivot is zero or not finite.
bool dls_dense_lu_factor(int n, double *A, int *pivot, int *sign);
void dls_dense_lu_solve(int n, const double *A, const int *pivot, double *b);  // in place

#endif
