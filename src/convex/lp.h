// Linear programs by CLP behind one small interface.
//
//   min c^T x   s.t.  row_low <= A x <= row_high,  col_low <= x <= col_high
//
// Infinite bounds are +-INFINITY. The data should be scaled by the caller to entries around 1.
#ifndef DLS_CONVEX_LP_H
#define DLS_CONVEX_LP_H

#include <delassus/status.h>

typedef enum dls_lp_outcome {
  DLS_LP_OPTIMAL,
  DLS_LP_INFEASIBLE,
  DLS_LP_UNBOUNDED,
  DLS_LP_FAILED,  // no claim of any kind
} dls_lp_outcome;

typedef struct dls_lp_data {
  int rows, cols;
  const double *A;  // rows x cols, column-major dense; zeros are dropped
  const double *row_low, *row_high;
  const double *col_low, *col_high;
  const double *cost;  // cols
} dls_lp_data;

typedef struct dls_lp dls_lp;

dls_status dls_lp_create(const dls_lp_data *data, dls_lp **lp);
void dls_lp_free(dls_lp *lp);
void dls_lp_set_cost(dls_lp *lp, const double *cost);

// Solves, starting from the last basis when there is one. At an optimum x (cols) and the row
// multipliers y (rows; c - A^T y are the reduced costs) are recomputed from the optimal basis by
// a dense or sparse LU with refinement, not taken from CLP's running values; either may be NULL.
// With DLS_LP_INFEASIBLE y holds a Farkas ray when CLP gave one (else zeros).
dls_lp_outcome dls_lp_solve(dls_lp *lp, double *x, double *y, double *objective);

#endif
