// Linear equations and inequalities, decided without rounding.
#ifndef DLS_CONVEX_LP_EXACT_H
#define DLS_CONVEX_LP_EXACT_H

#include <delassus/status.h>

#include <stdbool.h>

// Row i says a_i0 x_0 + ... + a_i(n-1) x_(n-1) + a_in = 0, or >= 0; n = cols. The x are free. The
// doubles are taken as they are.
typedef struct dls_exact_rows {
  int rows, cols;
  const double *a;  // rows x (cols + 1), by rows
  const bool *equation;
} dls_exact_rows;

typedef enum dls_exact_outcome {
  DLS_EXACT_POINT,  // x fulfils all rows
  DLS_EXACT_EMPTY,  // nothing does: sum_i y_i a_i = (0, ..., 0, c) with c < 0, and y_i >= 0 for
                    // inequalities
  DLS_EXACT_LARGE,  // too much work, or numbers too far apart
} dls_exact_outcome;

// x: cols, y: rows with the largest entry 1; each is what rounding leaves of the exact numbers, and
// may be NULL. *rank, that of the equations, may be, too.
dls_status dls_exact_solve(const dls_exact_rows *rows, double *x, double *y, int *rank,
                           dls_exact_outcome *outcome);

// The sign of a determinant, of a matrix of doubles n x n; 2 when it is too much work. Where it is
// 1 or -1 the inverse, n x n, to rounding; may be NULL.
dls_status dls_exact_determinant(int n, const double *a, int *sign, double *inverse);

#endif
