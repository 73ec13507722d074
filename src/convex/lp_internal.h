// The stored linear program, shared by the solver and by the checks of its answers.
#ifndef DLS_CONVEX_LP_INTERNAL_H
#define DLS_CONVEX_LP_INTERNAL_H

#include "convex/lp.h"

#include <stdbool.h>

// What CLP's final basis says, cleared of CLP: for each column and row, whether it is basic, and
// the value at which it rests otherwise.
typedef struct lp_basis {
  bool *basic_col, *basic_row;
  double *x;         // cols: CLP's values; at a bound, the bound itself
  double *activity;  // rows: likewise
  double *y;         // rows: CLP's multipliers
} lp_basis;

struct dls_lp {
  int rows, cols;
  int *p, *i;  // A in compressed columns
  double *a;
  double *row_low, *row_high, *col_low, *col_high;
  double *cost;
  int cost_exponent;  // CLP sees 2^-cost_exponent cost, with entries of at most 1
  bool bad_cost;      // the last cost was not finite
  bool warm;          // the basis in the model is the optimal one of the last solve
  bool nested;        // an auxiliary program, feasible and bounded by construction
  bool exhausted;     // memory ran out: no answer is one any more
  void *model;        // CLP's, NULL when A has no entries or it is lost
  lp_basis basis;
  double *x, *y;            // the answer being checked
  double *best_x, *best_y;  // the best one of several attempts
  double best;              // and its violation
};

// Fills lp->x and lp->y from the basis: B x_B = rhs - N x_N and B^T y = c_B. Basic slacks are
// eliminated: only nonbasic rows and basic columns enter. false when there is no such solution, or
// no memory.
bool dls_lp_recompute(dls_lp *lp);

// The largest violation of the optimality conditions by (lp->x, lp->y), each relative to the size
// of its terms, or ten times the relative gap to the dual value when that is more; NaN when a
// number is not finite or memory runs out.
double dls_lp_violation(dls_lp *lp);

// Whether y proves that no x exists; whether d is a ray along which the cost falls forever.
bool dls_lp_farkas(const dls_lp *lp, const double *y);
bool dls_lp_ray(dls_lp *lp, const double *d);

#endif
