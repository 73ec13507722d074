// Linear programs by CLP behind one small interface.
//
//   min c^T x   s.t.  row_low <= A x <= row_high,  col_low <= x <= col_high
//
// Infinite bounds are +-INFINITY. The data should be scaled by the caller to entries around 1; the
// cost's own scale does not matter.
//
// No outcome is CLP's word alone. With d = c - A^T y and v = A x, an optimum has been checked to
// fulfil, from the data given,
//   bounds:  violated by at most 1e-8 (1 + the size of the bound's or row's terms),
//   d_j > 0 only where x_j = col_low_j,  d_j < 0 only where x_j = col_high_j,
//   y_i > 0 only where v_i = row_low_i,  y_i < 0 only where v_i = row_high_i,
// where multipliers up to 1e-8 of the size of their terms count as zero. Whatever was forgiven so,
// c^T x is the value of the dual program up to 1e-9 (|c| + the size of that value's terms).
// Infeasible and unbounded programs have a checked certificate, found by a second linear program.
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

// Copies the data. DLS_ERR_NUMBER when they hold NaN (or infinity outside the bounds),
// DLS_ERR_ARGUMENT for a lower bound +INFINITY or an upper bound -INFINITY. Bounds that cross make
// the program infeasible, unless by rounding only (1e-12 relative): those are made equal.
dls_status dls_lp_create(const dls_lp_data *data, dls_lp **lp);
void dls_lp_free(dls_lp *lp);  // NULL is fine
// A cost that is not finite makes the next solve fail.
void dls_lp_set_cost(dls_lp *lp, const double *cost);

// Solves, starting from the last basis when there is one. x: cols, y: rows; any result may be NULL.
//   optimal     x, and the row multipliers y (d are the reduced costs), recomputed from the optimal
//               basis by LU with refinement, not taken from CLP's running values, as long as the
//               basis has at most 1500 structural columns
//   infeasible  y is a Farkas ray: with z = -A^T y the least value of y^T v + z^T x over all
//               bounds is positive, although it is zero for every x with v = A x. y = 0 when
//               bounds cross. The objective is +INFINITY
//   unbounded   x is a ray: it keeps all bounds and c^T x < 0. The objective is -INFINITY
//   failed      x = 0, y = 0, the objective is NaN; also when memory ran out
dls_lp_outcome dls_lp_solve(dls_lp *lp, double *x, double *y, double *objective);

// DLS_ERR_MEMORY once memory ran out in one of the calls before, here or in CLP: what failed then
// may be solvable, and every further solve fails. DLS_OK otherwise.
dls_status dls_lp_status(const dls_lp *lp);

// One program, once: creates it, solves it into x, y and objective as above, frees it. On a status
// other than DLS_OK nothing of it is an answer.
dls_status dls_lp_run(const dls_lp_data *data, double *x, double *y, double *objective,
                      dls_lp_outcome *outcome);

#endif
