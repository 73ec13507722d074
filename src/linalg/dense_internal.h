// Small helpers that the dense factorisations share.
#ifndef DLS_LINALG_DENSE_INTERNAL_H
#define DLS_LINALG_DENSE_INTERNAL_H

#include <delassus/status.h>
#include <stdbool.h>
#include <stddef.h>

bool dls_finite(ptrdiff_t count, const double *x);

// The binary exponent e of the largest |x_k|, so that 2^-e x has entries of at most 1. Scaling by
// powers of two is exact and keeps LAPACK away from overflow and underflow. 0 when all are zero.
int dls_exponent_of_largest(ptrdiff_t count, const double *x);

// y = 2^exponent x; y may be x.
void dls_shift(ptrdiff_t count, const double *x, int exponent, double *y);

// Sizes that are allowed, entries that are finite.
dls_status dls_matrix_check(int rows, int cols, const double *A);

// dls_svd by LAPACK, whatever the pattern of A.
dls_status dls_svd_whole(int rows, int cols, const double *A, double *U, double *s, double *V);

#endif
