// Matrices of intervals with ends of many digits (MPFI): whatever the data are within theirs, the
// results lie within those that are computed.
#ifndef DLS_VERIFY_INTERVALS_H
#define DLS_VERIFY_INTERVALS_H

#include "verify/interval.h"

#include <mpfi.h>

enum { DLS_BITS = 256 };  // for sums: cancellation of 60 digits leaves a double

// Zero, of that many bits; a macro, so that checkers that do not know mpfi_t see what sets it.
#define dls_mpfi_init(x) ((void)mpfi_init2(x, DLS_BITS), (void)mpfi_set_si(x, 0))

// In doubles, rounded outwards; all numbers when it is not bounded.
dls_interval dls_interval_of(mpfi_srcptr x);
double dls_middle(mpfi_srcptr x);

// y + a b or y - a b, rounded once.
void dls_fused(mpfr_ptr y, mpfr_srcptr a, mpfr_srcptr b, bool subtract, mpfr_rnd_t rounding);
// x + a b and x - a b, each end rounded once.
void dls_add_product(mpfi_ptr x, mpfi_srcptr a, mpfi_srcptr b);
void dls_subtract_product(mpfi_ptr x, mpfi_srcptr a, mpfi_srcptr b);

// An array of one, as mpfi_t is: written without &, and passed by its address.
typedef struct dls_intervals {
  int rows, cols, bits;
  mpfi_t *entry;  // by rows
} dls_intervals[1];

static inline mpfi_ptr dls_at(const dls_intervals A, int i, int j)
{
  return A->entry[(ptrdiff_t)i * (ptrdiff_t)A->cols + (ptrdiff_t)j];
}

// All zero.
void dls_intervals_init(dls_intervals A, int rows, int cols, int bits);
void dls_intervals_clear(dls_intervals A);

void dls_intervals_zero(dls_intervals A);
void dls_intervals_set(dls_intervals to, const dls_intervals A);
void dls_intervals_transpose(dls_intervals to, const dls_intervals A);
// to: another matrix than A and B.
void dls_intervals_multiply(dls_intervals to, const dls_intervals A, const dls_intervals B);

// A <- L with L L^T = A, in its lower half; false when a pivot is not positive.
bool dls_intervals_cholesky(dls_intervals A);
// A <- L below the diagonal, D on it, with L D L^T = A; likewise.
bool dls_intervals_ldl(dls_intervals A);
// X <- L^-1 X; unit: the diagonal of L counts as 1. X <- L^-T X.
void dls_intervals_forward(const dls_intervals L, bool unit, dls_intervals X);
void dls_intervals_backward(const dls_intervals L, dls_intervals X);
// X <- A^-1 X by elimination; A is lost. det, when not NULL: the determinant. False when no row has
// a pivot that is not zero.
bool dls_intervals_eliminate(dls_intervals A, dls_intervals X, mpfi_ptr det);

#endif
