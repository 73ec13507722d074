#include "certify/multipliers.h"

#include "base/memory.h"
#include "certify/tolerances.h"
#include "convex/lp.h"
#include "linalg/dense.h"

#include <math.h>

// What distance costs, in a program for a vertex near by.
static const double price = 1e-6;

bool dls_multipliers_is_bilateral(const dls_multipliers *p, int j)
{
  return p->constraint[j] < p->x->m_b;
}

static dls_status collect(dls_multipliers *p)
{
  dls_context *x = p->x;
  const ptrdiff_t n = x->n, all = (ptrdiff_t)x->m_b + x->m_u;
  p->constraint = dls_arena_alloc(x->work, all, sizeof(int));
  p->G = dls_context_work(x, n * all), p->lambda = dls_context_work(x, all);
  x->low = dls_context_work(x, all), x->high = dls_context_work(x, all);
  if (x->out_of_memory || !p->constraint) return DLS_ERR_MEMORY;
  for (ptrdiff_t j = 0; j < all; j++) {
    const bool bilateral = j < x->m_b;
    const ptrdiff_t u = j - x->m_b;
    if (!bilateral && x->opening[u] == DLS_SIZE_POSITIVE) {
      x->lambda_u[u] = 0;
      continue;
    }
    p->ambiguous |= !bilateral && x->opening[u] == DLS_SIZE_AMBIGUOUS;
    dls_copy(p->G + n * (ptrdiff_t)p->m, bilateral ? x->G_b + n * j : x->G_u + n * u, n);
    p->lambda[p->m] = bilateral ? x->lambda_b[j] : x->lambda_u[u];
    p->constraint[p->m++] = (int)j;
  }
  p->unit = fmax(dls_norm_max(p->m, p->lambda), x->f_load);
  if (!(p->unit > 0)) p->unit = 1;
  return DLS_OK;
}

static dls_status decompose(dls_multipliers *p)
{
  dls_context *x = p->x;
  const int least = x->n < p->m ? x->n : p->m;
  p->U = dls_context_work(x, (ptrdiff_t)x->n * x->n);
  p->S = dls_context_work(x, least);
  p->V = dls_context_work(x, (ptrdiff_t)p->m * p->m);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  dls_status status = dls_svd(x->n, p->m, p->G, p->U, p->S, p->V);
  if (status != DLS_OK) return status;
  for (int i = 0; i < least && p->S[0] > 0; i++) {
    const dls_size size = dls_size_of(&x->basic, p->S[i] / p->S[0]);
    p->certain += size == DLS_SIZE_POSITIVE;
    p->possible += size != DLS_SIZE_ZERO;
  }
  p->threshold.noise = fmax(x->kernel.noise, kernel_rounding);
  if (p->possible)
    p->threshold.noise = fmax(p->threshold.noise, x->basic.noise * p->S[0] / p->S[p->possible - 1]);
  p->threshold.tolerance = fmax(x->basic.tolerance, tolerance_roundings * p->threshold.noise);
  p->ambiguous |= p->certain != p->possible;
  for (ptrdiff_t i = (ptrdiff_t)p->possible * p->m; i < (ptrdiff_t)p->m * p->m; i++)
    if (fabs(p->V[i]) <= p->threshold.noise) p->V[i] = 0;
  return DLS_OK;
}

dls_status dls_multipliers_find(dls_context *x, dls_multipliers *p)
{
  *p = (dls_multipliers){.x = x};
  const dls_status status = collect(p);
  return status == DLS_OK ? decompose(p) : status;
}

// G lambda = G lambda* in echelon form, lambda_P + T lambda_Q = const: Gauss-Jordan elimination
// with complete pivoting, rounding noise removed at every step, so that components that do not
// depend on each other do not do so by noise. Bilateral constraints, whose multipliers are free,
// are preferred as pivots.
static dls_status find_echelon(dls_multipliers *p)
{
  dls_context *x = p->x;
  const ptrdiff_t n = x->n, m = p->m, rank = p->possible;
  double *A = dls_context_work(x, n * m);
  p->T = dls_context_work(x, rank * m);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  dls_copy(A, p->G, n * m);
  for (ptrdiff_t step = 0; step < rank; step++) {
    ptrdiff_t row = step, column = 0;
    double largest = -1;
    for (ptrdiff_t j = 0; j < m; j++)
      for (ptrdiff_t i = step; i < n; i++) {
        const double size = fabs(A[i + n * j]) * (dls_multipliers_is_bilateral(p, (int)j) ? 16 : 1);
        if (size > largest) largest = size, row = i, column = j;
      }
    const double pivot = A[row + n * column];
    if (pivot == 0) break;
    for (ptrdiff_t j = 0; j < m; j++) {
      const double swap = A[row + n * j];
      A[row + n * j] = A[step + n * j], A[step + n * j] = swap / pivot;
    }
    for (ptrdiff_t i = 0; i < n; i++) {
      const double factor = A[i + n * column];
      if (i == step || factor == 0) continue;
      for (ptrdiff_t j = 0; j < m; j++) {
        const double term = factor * A[step + n * j], entry = A[i + n * j] - term;
        A[i + n * j] = fabs(entry) <= elimination_rounding * fmax(1, fabs(term)) ? 0 : entry;
      }
      A[i + n * column] = 0;
    }
  }
  for (ptrdiff_t j = 0; j < m; j++) dls_copy(p->T + rank * j, A + n * j, rank);
  return DLS_OK;
}

// radius: how far each multiplier may move from the point that was found; INFINITY for the whole
// polyhedron.
static dls_status make_program(dls_multipliers *p, double radius, dls_lp **lp)
{
  dls_context *x = p->x;
  const ptrdiff_t m = p->m, rows = p->possible;
  double *right = dls_context_work(x, rows), *low = dls_context_work(x, m);
  double *high = dls_context_work(x, m), *cost = dls_context_work(x, m);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  for (ptrdiff_t j = 0; j < m; j++) {
    const double lambda = p->lambda[j] / p->unit;
    for (ptrdiff_t i = 0; i < rows; i++) right[i] += p->T[i + rows * j] * lambda;
    low[j] = lambda - radius, high[j] = lambda + radius;
    if (!dls_multipliers_is_bilateral(p, (int)j)) low[j] = fmax(low[j], fmin(0, lambda));
  }
  const dls_lp_data data = {p->possible, p->m, p->T, right, right, low, high, cost};
  return dls_lp_create(&data, lp);
}

// The directions of the polyhedron, within the unit box: T d = 0, d_u >= 0. The program always has
// an optimum, +-1 or 0, so that what is unbounded is known without running into infinity.
static dls_status make_directions(dls_multipliers *p, dls_lp **lp)
{
  dls_context *x = p->x;
  const ptrdiff_t m = p->m;
  double *zero = dls_context_work(x, p->possible), *low = dls_context_work(x, m);
  double *high = dls_context_work(x, m), *cost = dls_context_work(x, m);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  for (int i = 0; i < p->m; i++) low[i] = dls_multipliers_is_bilateral(p, i) ? -1 : 0, high[i] = 1;
  const dls_lp_data data = {p->possible, p->m, p->T, zero, zero, low, high, cost};
  return dls_lp_create(&data, lp);
}

// The smallest value of side * component j over a program; cost and point are work memory.
static dls_lp_outcome least(const dls_multipliers *p, dls_lp *lp, int j, double side, double *cost,
                            double *point, double *value)
{
  dls_clear(cost, p->m);
  cost[j] = side;
  dls_lp_set_cost(lp, cost);
  return dls_lp_solve(lp, point, NULL, value);
}

// Whether nothing can be wedged: one program tells it for all multipliers, where the bilateral
// gradients are independent.
static bool is_bounded(const dls_multipliers *p, dls_lp *directions, double *cost, double *point)
{
  double value = NAN;
  if (p->x->bilateral.certain != p->x->m_b) return false;
  for (int i = 0; i < p->m; i++) cost[i] = dls_multipliers_is_bilateral(p, i) ? 0 : -1;
  dls_lp_set_cost(directions, cost);
  return dls_lp_solve(directions, point, NULL, &value) == DLS_LP_OPTIMAL &&
         -value <= p->threshold.noise;
}

// One end of the interval of component j, in units of p->unit: +-INFINITY when unbounded, NaN when
// a program failed. Contacts that can be wedged against each other let a simplex run end at forces
// of any size, with digits lost accordingly: a first run with a small price on every force finds a
// vertex near by, from which the second one starts.
static double end_of(const dls_multipliers *p, dls_lp *lp, dls_lp *directions, int j, double side,
                     double *cost, double *point)
{
  double value = NAN;
  if (directions) {
    if (least(p, directions, j, side, cost, point, &value) != DLS_LP_OPTIMAL) return NAN;
    if (-value > p->threshold.tolerance) return -side * INFINITY;
  }
  for (int i = 0; i < p->m && !p->bounded; i++)
    cost[i] = dls_multipliers_is_bilateral(p, i) ? 0 : price;
  if (!p->bounded) {
    cost[j] += side;
    dls_lp_set_cost(lp, cost);
    dls_lp_solve(lp, point, NULL, &value);
  }
  switch (least(p, lp, j, side, cost, point, &value)) {
  case DLS_LP_OPTIMAL: return side * value;
  case DLS_LP_UNBOUNDED: return -side * INFINITY;
  default: return NAN;
  }
}

static double *find_kernel_rows(dls_multipliers *p)
{
  const ptrdiff_t m = p->m;
  double *length = dls_context_work(p->x, m);
  if (!length) return NULL;
  for (ptrdiff_t j = p->possible; j < m; j++)
    for (ptrdiff_t i = 0; i < m; i++) length[i] = hypot(length[i], p->V[i + m * j]);
  return length;
}

dls_status dls_multipliers_intervals(dls_multipliers *p)
{
  dls_context *x = p->x;
  const ptrdiff_t m = p->m;
  double *free_part = find_kernel_rows(p), *cost = dls_context_work(x, m);
  double *point = dls_context_work(x, m);
  dls_lp *lp = NULL, *directions = NULL;
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  dls_status status = DLS_OK;
  for (int j = 0; j < p->m; j++) {
    const int c = p->constraint[j];
    const double lambda = p->lambda[j] / p->unit;
    status = dls_context_progress(x, 0.3 + 0.6 * j / p->m);
    if (status != DLS_OK) break;
    x->low[c] = x->high[c] = p->lambda[j];
    if (free_part[j] <= p->threshold.noise) continue;
    if (!lp) {
      status = find_echelon(p);
      if (status == DLS_OK) status = make_program(p, INFINITY, &lp);
      if (status == DLS_OK) status = make_directions(p, &directions);
      p->bounded = status == DLS_OK && is_bounded(p, directions, cost, point);
    }
    if (status != DLS_OK) break;
    dls_lp *wedged = p->bounded ? NULL : directions;
    // the point found with the acceleration belongs to the polyhedron: the interval contains it
    const double a = end_of(p, lp, wedged, j, 1, cost, point);
    const double b = end_of(p, lp, wedged, j, -1, cost, point);
    const double low = isnan(a) ? NAN : fmin(a, lambda), high = isnan(b) ? NAN : fmax(b, lambda);
    x->low[c] = p->unit * low, x->high[c] = p->unit * high;
    if (isnan(low) || isnan(high)) {
      p->ambiguous = true;
      continue;
    }
    if (dls_size_of(&p->threshold, high - low) == DLS_SIZE_ZERO)
      x->low[c] = x->high[c] = p->lambda[j];
    if (!(high - low > p->width)) continue;
    p->width = high - low, p->widest = j;
  }
  if (status == DLS_OK && lp) status = dls_lp_status(lp);
  if (status == DLS_OK && directions) status = dls_lp_status(directions);
  dls_lp_free(lp);
  dls_lp_free(directions);
  return status;
}

dls_status dls_multipliers_correct(dls_multipliers *p, double *point)
{
  const dls_context *x = p->x;
  const ptrdiff_t n = x->n, m = p->m;
  double *r = dls_context_work(p->x, n), *change = dls_context_work(p->x, m);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  for (ptrdiff_t j = 0; j < m; j++) change[j] = p->lambda[j] / p->unit - point[j];
  dls_gemv(false, x->n, p->m, 1, p->G, change, 0, r);
  for (int k = 0; k < p->possible; k++) {
    const double along = dls_dot(x->n, p->U + n * k, r) / p->S[k];
    for (ptrdiff_t j = 0; j < m; j++) point[j] += along * p->V[j + m * k];
  }
  return DLS_OK;
}

dls_status dls_multipliers_span(dls_multipliers *p, double *from, double *to)
{
  double *cost = dls_context_work(p->x, p->m);
  dls_lp *lp = NULL;
  if (!cost) return DLS_ERR_MEMORY;
  dls_status status = make_program(p, 1, &lp);
  if (status != DLS_OK) return status;
  const double a = end_of(p, lp, NULL, p->widest, 1, cost, from);
  const double b = end_of(p, lp, NULL, p->widest, -1, cost, to);
  status = dls_lp_status(lp);
  dls_lp_free(lp);
  if (!isfinite(a) || !isfinite(b)) p->ambiguous = true;
  if (status == DLS_OK) status = dls_multipliers_correct(p, from);
  return status == DLS_OK ? dls_multipliers_correct(p, to) : status;
}

void dls_multipliers_spread(const dls_multipliers *p, const double *point, double *lambda_b,
                            double *lambda_u)
{
  const dls_context *x = p->x;
  dls_clear(lambda_b, x->m_b);
  dls_clear(lambda_u, x->m_u);
  for (int j = 0; j < p->m; j++) {
    const int c = p->constraint[j];
    if (c < x->m_b) lambda_b[c] = p->unit * point[j];
    else lambda_u[c - x->m_b] = fmax(0, p->unit * point[j]);
  }
}
