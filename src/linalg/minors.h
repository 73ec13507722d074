// Determinants whose sign can be trusted: fraction-free elimination in long double, where every
// number carries a bound of its error.                                              eq (lcp.3)
//
// Fraction-free (Bareiss): every number that appears is a minor of the matrix. Of a matrix of small
// integers they are integers, all operations are exact, and a zero is a proven zero; of any other
// the bounds grow as elimination rounds.
#ifndef DLS_LINALG_MINORS_H
#define DLS_LINALG_MINORS_H

#include <delassus/status.h>
#include <stdbool.h>

typedef struct dls_tracked {
  long double x, e;  // the number is within e of x
} dls_tracked;

typedef enum dls_sign {
  DLS_NEGATIVE = -1,
  DLS_ZERO = 0,
  DLS_POSITIVE = 1,
  DLS_UNSURE = 2
} dls_sign;

// DLS_ZERO only when proven; an error bound that is NaN makes it unsure.
dls_sign dls_tracked_sign(dls_tracked a);

// (p s - a b) / q, where q is not zero within its bound. unit: unit roundoff, 0 where all is exact.
dls_tracked dls_tracked_update(dls_tracked p, dls_tracked s, dls_tracked a, dls_tracked b,
                               dls_tracked q, long double unit);

// Multiplies row i by 2^row[i] and column j by 2^col[j] so that minors of all sizes stay in range,
// or, when they then are exact, so that all entries are small integers. *unit: the unit roundoff
// that the minors of the result need, 0 when they are exact. Signs of minors do not change.
dls_status dls_minors_scale(int rows, int cols, dls_tracked *A, int *row, int *col,
                            long double *unit);

// Elimination in T (rows x cols), with complete pivoting in the leading block of the given order.
typedef struct dls_minors {
  int rows, cols, order;
  long double unit;
  dls_tracked *T;
  int *pivot_row, *pivot_col;  // the first `rank` are filled
  bool *row_used, *col_used;   // rows, cols
  int rank;                    // pivots that are certainly not zero
  dls_tracked last;            // the last pivot; 1 without any
} dls_minors;

dls_status dls_minors_create(int rows, int cols, dls_minors *minors);  // all sizes up to these
void dls_minors_free(dls_minors *minors);

// With rank == order, C the leading block and c = pivot_col[k], r = pivot_row[k]:
//   T[r, j] / last = (C^-1 B)_cj           for the columns j >= order, B the rest of the block's
//   rows T[i, j] / last = (D - E C^-1 B)_ij     for the rows i >= order
// The block's own columns are not kept up. Allocates nothing.
void dls_minors_solve(dls_minors *minors);

// The determinant of the leading block (the whole of T): its sign counts, its size is that of the
// scaled matrix. (0, bound) when a pivot may vanish. T is overwritten.
dls_tracked dls_minors_determinant(dls_minors *minors);

#endif
