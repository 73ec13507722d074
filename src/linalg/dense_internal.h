// Small helpers that the dense factorisations share.
#ifndef DLS_LINALG_DENSE_INTERNAL_H
#define DLS_LINALG_DENSE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

bool dls_finite(size_t count, const double *x);

// The binary exponent e of the largest |x_k|, so that 2^-e x has entries of at most 1. Scaling by
// powers of two is exact and keeps LAPACK away from overflow and underflow. 0 when all are zero.
int dls_exponent(size_t count, const double *x);

// y = 2^exponent x; y may be x.
void dls_shift(size_t count, const double *x, int exponent, double *y);

#endif
