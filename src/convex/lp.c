// CLP proposes, the stored data decide: every answer that leaves this file has passed
// lp_check.c. CLP's tolerances are absolute, so that costs are scaled to entries of at most 1.
#include "convex/lp_internal.h"

#include "base/memory.h"
#include "convex/clp.h"
#include "convex/tolerances.h"
#include "linalg/dense_internal.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

// ---- creation ----------------------------------------------------------------------------------

// Bounds must not be NaN nor exclude all numbers by infinity. Crossing bounds are kept: such a
// program is infeasible.
static dls_status check_bounds(int count, const double *low, const double *high)
{
  for (int k = 0; k < count; k++) {
    if (isnan(low[k]) || isnan(high[k])) return DLS_ERR_NUMBER;
    if (low[k] == INFINITY || high[k] == -INFINITY) return DLS_ERR_ARGUMENT;
  }
  return DLS_OK;
}

static dls_status check_data(const dls_lp_data *d)
{
  if (!d || d->rows < 0 || d->cols < 0) return DLS_ERR_ARGUMENT;
  // CLP counts entries in ints
  if (d->cols > 0 && d->rows > INT_MAX / 4 / d->cols) return DLS_ERR_LIMIT;
  if (d->rows > INT_MAX / 8 || d->cols > INT_MAX / 8) return DLS_ERR_LIMIT;
  if (!dls_finite((ptrdiff_t)d->rows * d->cols, d->A)) return DLS_ERR_NUMBER;
  if (!dls_finite(d->cols, d->cost)) return DLS_ERR_NUMBER;
  dls_status status = check_bounds(d->rows, d->row_low, d->row_high);
  return status == DLS_OK ? check_bounds(d->cols, d->col_low, d->col_high) : status;
}

static dls_lp *allocate(int rows, int cols, ptrdiff_t entries)
{
  dls_lp *lp = dls_alloc(1, sizeof *lp);
  if (!lp) return NULL;
  ptrdiff_t m = rows, n = cols;
  lp->rows = rows;
  lp->cols = cols;
  lp->p = dls_alloc(n + 1, sizeof(int));
  lp->i = dls_alloc(entries, sizeof(int));
  lp->a = dls_alloc(entries, sizeof(double));
  lp->row_low = dls_alloc(m, sizeof(double));
  lp->row_high = dls_alloc(m, sizeof(double));
  lp->col_low = dls_alloc(n, sizeof(double));
  lp->col_high = dls_alloc(n, sizeof(double));
  lp->cost = dls_alloc(n, sizeof(double));
  lp->basis.basic_col = dls_alloc(n, sizeof(bool));
  lp->basis.basic_row = dls_alloc(m, sizeof(bool));
  lp->basis.x = dls_alloc(n, sizeof(double));
  lp->basis.activity = dls_alloc(m, sizeof(double));
  lp->basis.y = dls_alloc(m, sizeof(double));
  lp->x = dls_alloc(n, sizeof(double));
  lp->y = dls_alloc(m, sizeof(double));
  lp->best_x = dls_alloc(n, sizeof(double));
  lp->best_y = dls_alloc(m, sizeof(double));
  if (lp->p && lp->i && lp->a && lp->row_low && lp->row_high && lp->col_low && lp->col_high &&
      lp->cost && lp->basis.basic_col && lp->basis.basic_row && lp->basis.x && lp->basis.activity &&
      lp->basis.y && lp->x && lp->y && lp->best_x && lp->best_y)
    return lp;
  dls_lp_free(lp);
  return NULL;
}

void dls_lp_free(dls_lp *lp)
{
  if (!lp) return;
  dls_clp_free(lp->model);
  free(lp->p);
  free(lp->i);
  free(lp->a);
  free(lp->row_low);
  free(lp->row_high);
  free(lp->col_low);
  free(lp->col_high);
  free(lp->cost);
  free(lp->basis.basic_col);
  free(lp->basis.basic_row);
  free(lp->basis.x);
  free(lp->basis.activity);
  free(lp->basis.y);
  free(lp->x);
  free(lp->y);
  free(lp->best_x);
  free(lp->best_y);
  free(lp);
}

static void snap(int count, double *low, double *high)
{
  for (int k = 0; k < count; k++)
    if (low[k] > high[k] && low[k] - high[k] <= crossed_bounds * (fabs(low[k]) + fabs(high[k])))
      low[k] = high[k] = 0.5 * low[k] + 0.5 * high[k];
}

static double *clp_bounds(int count, const double *bound)
{
  double *b = dls_alloc(count, sizeof *b);
  for (int k = 0; k < count && b; k++)
    b[k] = isinf(bound[k]) ? copysign(DBL_MAX, bound[k]) : bound[k];
  return b;
}

// Hands the stored program to CLP.
static dls_status load(dls_lp *lp)
{
  snap(lp->rows, lp->row_low, lp->row_high);
  snap(lp->cols, lp->col_low, lp->col_high);
  if (lp->p[lp->cols] == 0) return DLS_OK;
  double *rl = clp_bounds(lp->rows, lp->row_low), *rh = clp_bounds(lp->rows, lp->row_high);
  double *cl = clp_bounds(lp->cols, lp->col_low), *ch = clp_bounds(lp->cols, lp->col_high);
  const dls_clp_data data = {lp->rows, lp->cols, lp->p, lp->i, lp->a, rl, rh, cl, ch, lp->cost};
  if (rl && rh && cl && ch) lp->model = dls_clp_create(&data);
  free(rl);
  free(rh);
  free(cl);
  free(ch);
  return lp->model ? DLS_OK : DLS_ERR_MEMORY;
}

// Memory ran out: what there is of an answer is none, and CLP's model cannot be used again.
static void lose_model(dls_lp *lp)
{
  lp->model = NULL;
  lp->exhausted = true;
}

void dls_lp_set_cost(dls_lp *lp, const double *cost)
{
  ptrdiff_t n = lp->cols;
  lp->bad_cost = !dls_finite(n, cost);
  if (lp->bad_cost) return;
  if (n > 0 && cost != lp->cost) dls_copy(lp->cost, cost, n);
  lp->cost_exponent = dls_exponent_of_largest(n, cost);
  if (!lp->model) return;
  double *scaled = lp->x;  // free until the next solve
  dls_shift(n, cost, -lp->cost_exponent, scaled);
  if (!dls_clp_set_cost(lp->model, scaled)) lose_model(lp);
}

dls_status dls_lp_create(const dls_lp_data *data, dls_lp **out)
{
  *out = NULL;
  dls_status status = check_data(data);
  if (status != DLS_OK) return status;
  ptrdiff_t m = data->rows, n = data->cols, entries = 0;
  for (ptrdiff_t k = 0; k < m * n; k++) entries += data->A[k] != 0;
  dls_lp *lp = allocate(data->rows, data->cols, entries);
  if (!lp) return DLS_ERR_MEMORY;
  for (int j = 0, k = 0; j < data->cols; j++) {
    for (int i = 0; i < data->rows; i++) {
      double a = data->A[j * m + i];
      if (a == 0) continue;
      lp->i[k] = i;
      lp->a[k++] = a;
    }
    lp->p[j + 1] = k;
  }
  if (m > 0) dls_copy(lp->row_low, data->row_low, m);
  if (m > 0) dls_copy(lp->row_high, data->row_high, m);
  if (n > 0) dls_copy(lp->col_low, data->col_low, n);
  if (n > 0) dls_copy(lp->col_high, data->col_high, n);
  status = load(lp);
  if (status == DLS_OK) dls_lp_set_cost(lp, data->cost);
  if (status == DLS_OK) *out = lp;
  else dls_lp_free(lp);
  return status;
}

// ---- auxiliary programs, feasible and bounded by construction -----------------------------------

// min sum (s + t)  s.t.  row_low <= A x + s - t <= row_high,  x in its bounds,  s, t >= 0.
// Its multipliers prove that the stored program is infeasible when the optimum is positive.
static dls_lp *elastic(const dls_lp *lp)
{
  int m = lp->rows, n = lp->cols, entries = lp->p[n];
  dls_lp *e = allocate(m, n + 2 * m, entries + 2 * (ptrdiff_t)m);
  if (!e) return NULL;
  dls_copy(e->i, lp->i, entries);
  dls_copy(e->a, lp->a, entries);
  dls_copy(e->p, lp->p, n + 1);
  dls_copy(e->row_low, lp->row_low, m);
  dls_copy(e->row_high, lp->row_high, m);
  dls_copy(e->col_low, lp->col_low, n);
  dls_copy(e->col_high, lp->col_high, n);
  for (int k = 0; k < 2 * m; k++) {
    e->i[entries + k] = k % m;
    e->a[entries + k] = k < m ? 1 : -1;
    e->p[n + k + 1] = entries + k + 1;
    e->col_high[n + k] = INFINITY;
    e->cost[n + k] = 1;
  }
  return e;
}

// min c^T d over the recession directions of the bounds with |d| <= 1.
static dls_lp *recession(const dls_lp *lp)
{
  int m = lp->rows, n = lp->cols, entries = lp->p[n];
  dls_lp *r = allocate(m, n, entries);
  if (!r) return NULL;
  dls_copy(r->i, lp->i, entries);
  dls_copy(r->a, lp->a, entries);
  dls_copy(r->p, lp->p, n + 1);
  dls_copy(r->cost, lp->cost, n);
  for (int i = 0; i < m; i++) {
    r->row_low[i] = isinf(lp->row_low[i]) ? -INFINITY : 0;
    r->row_high[i] = isinf(lp->row_high[i]) ? INFINITY : 0;
  }
  for (int j = 0; j < n; j++) {
    r->col_low[j] = isinf(lp->col_low[j]) ? -1 : 0;
    r->col_high[j] = isinf(lp->col_high[j]) ? 1 : 0;
  }
  return r;
}

static bool solve_auxiliary(dls_lp *lp, dls_lp *aux)
{
  bool solved = false;
  if (aux) {
    aux->nested = true;
    aux->exhausted = load(aux) != DLS_OK;
    dls_lp_set_cost(aux, aux->cost);
    solved = dls_lp_solve(aux, NULL, NULL, NULL) == DLS_LP_OPTIMAL;
  }
  lp->exhausted = lp->exhausted || !aux || aux->exhausted;
  return solved;
}

// Fills lp->y with the multipliers of the solved elastic program, when they are a Farkas ray.
static bool prove_infeasible(dls_lp *lp, const dls_lp *e)
{
  for (int i = 0; i < lp->rows; i++) {
    // a multiplier on an infinite bound is rounding; the check decides without it
    bool infinite = isinf(e->y[i] > 0 ? lp->row_low[i] : lp->row_high[i]);
    lp->y[i] = infinite ? 0 : e->y[i];
  }
  return dls_lp_farkas(lp, lp->y);
}

// Fills lp->x with a checked ray.
static bool prove_ray(dls_lp *lp)
{
  dls_lp *r = recession(lp);
  bool proved = solve_auxiliary(lp, r);
  // entries on finite bounds are zero up to rounding: make them so
  for (int j = 0; proved && j < lp->cols; j++) {
    if (r->x[j] < 0 && isfinite(lp->col_low[j])) r->x[j] = 0;
    if (r->x[j] > 0 && isfinite(lp->col_high[j])) r->x[j] = 0;
  }
  proved = proved && dls_lp_ray(lp, r->x);
  if (proved) dls_copy(lp->x, r->x, lp->cols);
  dls_lp_free(r);
  return proved;
}

// ---- solution ----------------------------------------------------------------------------------

static double nearest_bound(double value, double low, double high)
{
  if (isinf(low) && isinf(high)) return value;
  if (isinf(low)) return high;
  if (isinf(high)) return low;
  return fabs(value - low) <= fabs(value - high) ? low : high;
}

static bool is_free(double low, double high)
{
  return isinf(low) && isinf(high);
}

// Where what is not basic rests. A free variable may rest anywhere, and the dual method leaves it
// where its artificial bounds were, at 1e10 and beyond: there the sums lose the digits that count.
static double rest(double value, double low, double high)
{
  return is_free(low, high) ? 0 : nearest_bound(value, low, high);
}

static void read_basis(dls_lp *lp)
{
  const double *x = dls_clp_x(lp->model), *v = dls_clp_activity(lp->model);
  const double *y = dls_clp_y(lp->model);
  lp_basis *b = &lp->basis;
  for (int j = 0; j < lp->cols; j++) {
    b->basic_col[j] = dls_clp_basic_col(lp->model, j);
    b->x[j] = b->basic_col[j] ? x[j] : rest(x[j], lp->col_low[j], lp->col_high[j]);
  }
  for (int i = 0; i < lp->rows; i++) {
    b->basic_row[i] = dls_clp_basic_row(lp->model, i);
    b->activity[i] = b->basic_row[i] ? v[i] : rest(v[i], lp->row_low[i], lp->row_high[i]);
    b->y[i] = ldexp(y[i], lp->cost_exponent);
  }
}

// Moves free variables that are not basic to zero, for the next run; true when one was elsewhere.
static bool pull_to_zero(dls_lp *lp)
{
  double *x = dls_clp_x(lp->model);
  bool moved = false;
  for (int j = 0; j < lp->cols; j++) {
    if (lp->basis.basic_col[j] || !is_free(lp->col_low[j], lp->col_high[j])) continue;
    moved = moved || x[j] != 0;
    x[j] = 0;
  }
  return moved;
}

static void keep_best(dls_lp *lp, double least)
{
  double violation = dls_lp_violation(lp);
  if (violation < least) violation = least;
  if (!(violation < lp->best)) return;
  lp->best = violation;
  dls_copy(lp->best_x, lp->x, lp->cols);
  dls_copy(lp->best_y, lp->y, lp->rows);
}

// Recomputed values first, then CLP's own: with free variables far away, only when nothing better
// is found.
static void assess(dls_lp *lp)
{
  read_basis(lp);
  if (dls_lp_recompute(lp)) keep_best(lp, 0);
  if (lp->best <= sharp_optimum) return;
  dls_copy(lp->x, dls_clp_x(lp->model), lp->cols);
  dls_copy(lp->y, lp->basis.y, lp->rows);
  keep_best(lp, pull_to_zero(lp) ? 2 * sharp_optimum : 0);
}

// One simplex run; the outcome CLP claims. Attempt 0 starts from what there is, 1 goes on from
// there with tighter tolerances and the other method, the others start from the slack basis, at
// last without CLP's scaling.
static dls_lp_outcome run(dls_lp *lp, int attempt)
{
  // a new cost leaves the old optimum feasible: the primal method goes on from there
  const dls_clp_call call = {.tolerance = attempt == 0 ? clp_tolerance : clp_tighter,
                             .scaled = attempt < 3,
                             .primal = lp->warm || attempt == 1 || attempt == 4,
                             .iterations = 10000 + 100 * (lp->rows + lp->cols)};
  dls_clp_answer answer = DLS_CLP_EXHAUSTED;
  if (attempt < 2 || dls_clp_reset(lp->model, lp->rows, lp->cols, lp->col_low, lp->col_high))
    answer = dls_clp_run(lp->model, &call);
  if (answer == DLS_CLP_EXHAUSTED) lose_model(lp);
  switch (answer) {
  case DLS_CLP_OPTIMAL: return DLS_LP_OPTIMAL;
  case DLS_CLP_INFEASIBLE: return DLS_LP_INFEASIBLE;
  case DLS_CLP_UNBOUNDED: return DLS_LP_UNBOUNDED;
  default: return DLS_LP_FAILED;
  }
}

// CLP says that there is no optimum: find out why, with proof.
static dls_lp_outcome explain(dls_lp *lp)
{
  if (lp->nested) return DLS_LP_FAILED;
  dls_lp_outcome outcome = DLS_LP_FAILED;
  dls_lp *e = elastic(lp);
  if (solve_auxiliary(lp, e)) {
    double missing = 0;
    for (int k = lp->cols; k < e->cols; k++) missing += fabs(e->x[k]);
    if (prove_infeasible(lp, e)) outcome = DLS_LP_INFEASIBLE;
    // unbounded only when some point is feasible: the elastic optimum is such a point
    else if (missing <= feasible_point && prove_ray(lp)) outcome = DLS_LP_UNBOUNDED;
  }
  dls_lp_free(e);
  return outcome;
}

// Without entries every variable stands alone.
static dls_lp_outcome solve_trivial(dls_lp *lp)
{
  bool unbounded = false;
  for (int j = 0; j < lp->cols; j++) {
    double c = lp->cost[j], low = lp->col_low[j], high = lp->col_high[j];
    lp->x[j] = c > 0 ? low : c < 0 ? high : nearest_bound(0, low, high);
    unbounded = unbounded || isinf(lp->x[j]);
  }
  for (int i = 0; i < lp->rows; i++) {
    lp->y[i] = lp->row_low[i] > 0 ? 1 : lp->row_high[i] < 0 ? -1 : 0;
    if (lp->y[i] != 0 && dls_lp_farkas(lp, lp->y)) return DLS_LP_INFEASIBLE;
    lp->y[i] = 0;  // no bound is missed, or by rounding only
  }
  if (!unbounded) return DLS_LP_OPTIMAL;
  for (int j = 0; j < lp->cols; j++) lp->x[j] = isinf(lp->x[j]) ? copysign(1, lp->x[j]) : 0;
  return DLS_LP_UNBOUNDED;
}

// Bounds that cross leave nothing to solve.
static bool crossed(dls_lp *lp)
{
  bool found = false;
  dls_clear(lp->y, lp->rows);
  for (int j = 0; j < lp->cols && !found; j++) found = lp->col_low[j] > lp->col_high[j];
  for (int i = 0; i < lp->rows && !found; i++) found = lp->row_low[i] > lp->row_high[i];
  return found;
}

static dls_lp_outcome solve(dls_lp *lp)
{
  if (lp->bad_cost || lp->exhausted) return DLS_LP_FAILED;
  if (crossed(lp)) return DLS_LP_INFEASIBLE;
  if (!lp->model) return solve_trivial(lp);
  bool explained = false;
  lp->best = INFINITY;
  for (int attempt = 0; attempt < 5 && !(lp->best <= sharp_optimum); attempt++) {
    // an answer that is good enough gets one more chance to be sharp
    if (attempt >= 2 && lp->best <= accepted_optimum) break;
    dls_lp_outcome outcome = run(lp, attempt);
    lp->warm = outcome == DLS_LP_OPTIMAL;
    if (outcome == DLS_LP_OPTIMAL) assess(lp);
    if (lp->exhausted) return DLS_LP_FAILED;
    if (outcome == DLS_LP_OPTIMAL || outcome == DLS_LP_FAILED || explained) continue;
    if (lp->best <= accepted_optimum) continue;
    outcome = explain(lp);
    explained = true;
    if (lp->exhausted) return DLS_LP_FAILED;
    if (outcome != DLS_LP_FAILED) return outcome;
  }
  if (!(lp->best <= accepted_optimum)) return DLS_LP_FAILED;
  dls_copy(lp->x, lp->best_x, lp->cols);
  dls_copy(lp->y, lp->best_y, lp->rows);
  return DLS_LP_OPTIMAL;
}

dls_lp_outcome dls_lp_solve(dls_lp *lp, double *x, double *y, double *objective)
{
  dls_lp_outcome outcome = solve(lp);
  ptrdiff_t n = lp->cols, m = lp->rows;
  if (outcome == DLS_LP_FAILED || outcome == DLS_LP_INFEASIBLE) dls_clear(lp->x, n);
  if (outcome == DLS_LP_FAILED || outcome == DLS_LP_UNBOUNDED) dls_clear(lp->y, m);
  if (x && n > 0) dls_copy(x, lp->x, n);
  if (y && m > 0) dls_copy(y, lp->y, m);
  if (!objective) return outcome;
  long double sum = 0;
  for (ptrdiff_t j = 0; j < n; j++) sum += (long double)lp->cost[j] * lp->x[j];
  *objective = outcome == DLS_LP_OPTIMAL      ? (double)sum
               : outcome == DLS_LP_INFEASIBLE ? INFINITY
               : outcome == DLS_LP_UNBOUNDED  ? -INFINITY
                                              : NAN;
  return outcome;
}

dls_status dls_lp_status(const dls_lp *lp)
{
  return lp->exhausted ? DLS_ERR_MEMORY : DLS_OK;
}

dls_status dls_lp_run(const dls_lp_data *data, double *x, double *y, double *objective,
                      dls_lp_outcome *outcome)
{
  dls_lp *lp;
  dls_status status = dls_lp_create(data, &lp);
  if (status != DLS_OK) return status;
  *outcome = dls_lp_solve(lp, x, y, objective);
  status = dls_lp_status(lp);
  dls_lp_free(lp);
  return status;
}
