// From an approximate solution of the Gauss program to one that is exact up to rounding.
#ifndef DLS_CERTIFY_POLISH_H
#define DLS_CERTIFY_POLISH_H

#include "certify/context.h"

// Improves y (k) and lambda (m_u) of eq (gau.3), in the units of x->c and x->f; keeps them when
// nothing better is found. *error: the largest violation reached, relative to the load.
dls_status dls_context_polish(dls_context *x, double *y, double *lambda, double *error);

// lambda >= 0 (any sign where is_free) with A lambda = b and the smallest sum of sizes, on as many
// independent rows of A (rows x cols) as it has; the other rows follow when b is in the image.
// is_free may be NULL.
dls_status dls_nonnegative_combination(dls_context *x, int rows, int cols, const double *A,
                                       const double *b, const bool *is_free, double *lambda,
                                       bool *found);

#endif
