// Which multipliers are determined?                                              eq (ver.8)
//
// Given the acceleration, the multipliers form a polyhedron: G lambda = G lambda*, lambda_u >= 0,
// lambda_i = 0 at contacts that open.                                             eq (mul.1)
// Two linear programs give the interval of each component; where the kernel of G has no entry the
// component is determined without any. The least-norm point is a quadratic program. eq (mul.2)
#include "certify/witness.h"
#include "convex/lp.h"
#include "convex/qp.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

typedef struct polyhedron {
  dls_context *x;
  int m;            // constraints that may carry a force: bilateral first
  int *constraint;  // their place in (bilateral, unilateral)
  double *G;        // n x m
  double *lambda;   // m: the multipliers found with the acceleration
  double unit;      // their size
  double *V, *S;
  double *T;              // rank x m: echelon form of G
  int certain, possible;  // rank of G
  dls_threshold threshold;
  bool doubt;  // a contact's opening or the rank is within the tolerance
  dls_lp *lp;
  // the widest interval and two points that span it
  double width;
  int widest;
  double *from, *to;
} polyhedron;

static bool is_bilateral(const polyhedron *p, int j)
{
  return p->constraint[j] < p->x->m_b;
}

static dls_status collect(polyhedron *p)
{
  dls_context *x = p->x;
  const size_t n = (size_t)x->n, all = (size_t)x->m_b + (size_t)x->m_u;
  p->constraint = dls_arena_alloc(x->work, all, sizeof(int));
  p->G = dls_context_work(x, n * all), p->lambda = dls_context_work(x, all);
  p->from = dls_context_work(x, all), p->to = dls_context_work(x, all);
  x->low = dls_context_work(x, all), x->high = dls_context_work(x, all);
  if (x->out_of_memory || !p->constraint) return DLS_ERR_MEMORY;
  for (size_t j = 0; j < all; j++) {
    const bool bilateral = j < (size_t)x->m_b;
    const size_t u = j - (size_t)x->m_b;
    if (!bilateral && x->opening[u] == DLS_SIZE_POSITIVE) {
      x->lambda_u[u] = 0;
      continue;
    }
    p->doubt |= !bilateral && x->opening[u] == DLS_SIZE_GREY;
    memcpy(p->G + n * (size_t)p->m, bilateral ? x->G_b + n * j : x->G_u + n * u,
           n * sizeof(double));
    p->lambda[p->m] = bilateral ? x->lambda_b[j] : x->lambda_u[u];
    p->constraint[p->m++] = (int)j;
  }
  p->unit = fmax(dls_norm_max(p->m, p->lambda), x->f_load);
  if (!(p->unit > 0)) p->unit = 1;
  return DLS_OK;
}

static dls_status decompose(polyhedron *p)
{
  dls_context *x = p->x;
  const int least = x->n < p->m ? x->n : p->m;
  p->S = dls_context_work(x, (size_t)least);
  p->V = dls_context_work(x, (size_t)p->m * (size_t)p->m);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  dls_status status = dls_svd(x->n, p->m, p->G, NULL, p->S, p->V);
  if (status != DLS_OK) return status;
  for (int i = 0; i < least && p->S[0] > 0; i++) {
    const dls_size size = dls_size_of(&x->basic, p->S[i] / p->S[0]);
    p->certain += size == DLS_SIZE_POSITIVE;
    p->possible += size != DLS_SIZE_ZERO;
  }
  p->threshold.noise = fmax(x->kernel.noise, 1e-12);
  if (p->possible)
    p->threshold.noise = fmax(p->threshold.noise, x->basic.noise * p->S[0] / p->S[p->possible - 1]);
  p->threshold.tolerance = fmax(x->basic.tolerance, 16 * p->threshold.noise);
  p->doubt |= p->certain != p->possible;
  for (size_t i = (size_t)p->possible * (size_t)p->m; i < (size_t)p->m * (size_t)p->m; i++)
    if (fabs(p->V[i]) <= p->threshold.noise) p->V[i] = 0;
  return DLS_OK;
}

// G lambda = G lambda* in echelon form, lambda_P + T lambda_Q = const: Gauss-Jordan elimination
// with complete pivoting, rounding noise removed at every step, so that components that do not
// depend on each other do not do so by noise. Bilateral constraints, whose multipliers are free,
// are preferred as pivots.
static dls_status find_echelon(polyhedron *p)
{
  dls_context *x = p->x;
  const size_t n = (size_t)x->n, m = (size_t)p->m, rank = (size_t)p->possible;
  double *A = dls_context_work(x, n * m);
  p->T = dls_context_work(x, rank * m);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  memcpy(A, p->G, n * m * sizeof *A);
  for (size_t step = 0; step < rank; step++) {
    size_t row = step, column = 0;
    double largest = -1;
    for (size_t j = 0; j < m; j++)
      for (size_t i = step; i < n; i++) {
        const double size = fabs(A[i + n * j]) * (is_bilateral(p, (int)j) ? 16 : 1);
        if (size > largest) largest = size, row = i, column = j;
      }
    const double pivot = A[row + n * column];
    if (pivot == 0) break;
    for (size_t j = 0; j < m; j++) {
      const double swap = A[row + n * j];
      A[row + n * j] = A[step + n * j], A[step + n * j] = swap / pivot;
    }
    for (size_t i = 0; i < n; i++) {
      const double factor = A[i + n * column];
      if (i == step || factor == 0) continue;
      for (size_t j = 0; j < m; j++) {
        const double term = factor * A[step + n * j], entry = A[i + n * j] - term;
        A[i + n * j] = fabs(entry) <= 1e-12 * fmax(1, fabs(term)) ? 0 : entry;
      }
      A[i + n * column] = 0;
    }
  }
  for (size_t j = 0; j < m; j++) memcpy(p->T + rank * j, A + n * j, rank * sizeof *A);
  return DLS_OK;
}

// radius: how far each multiplier may move from the point that was found; INFINITY for the whole
// polyhedron.
static dls_status make_program(polyhedron *p, double radius, dls_lp **lp)
{
  dls_context *x = p->x;
  const size_t m = (size_t)p->m, rows = (size_t)p->possible;
  double *right = dls_context_work(x, rows), *low = dls_context_work(x, m);
  double *high = dls_context_work(x, m), *cost = dls_context_work(x, m);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  for (size_t j = 0; j < m; j++) {
    const double lambda = p->lambda[j] / p->unit;
    for (size_t i = 0; i < rows; i++) right[i] += p->T[i + rows * j] * lambda;
    low[j] = lambda - radius, high[j] = lambda + radius;
    if (!is_bilateral(p, (int)j)) low[j] = fmax(low[j], fmin(0, lambda));
  }
  const dls_lp_data data = {p->possible, p->m, p->T, right, right, low, high, cost};
  return dls_lp_create(&data, lp);
}

// The directions of the polyhedron, within the unit box: T d = 0, d_u >= 0. The program always has
// an optimum, +-1 or 0, so that what is unbounded is known without running into infinity.
static dls_status make_directions(polyhedron *p, dls_lp **lp)
{
  dls_context *x = p->x;
  const size_t m = (size_t)p->m;
  double *zero = dls_context_work(x, (size_t)p->possible), *low = dls_context_work(x, m);
  double *high = dls_context_work(x, m), *cost = dls_context_work(x, m);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  for (int i = 0; i < p->m; i++) low[i] = is_bilateral(p, i) ? -1 : 0, high[i] = 1;
  const dls_lp_data data = {p->possible, p->m, p->T, zero, zero, low, high, cost};
  return dls_lp_create(&data, lp);
}

// The smallest value of side * component j over a program; cost and point are work memory.
static dls_lp_outcome least(const polyhedron *p, dls_lp *lp, int j, double side, double *cost,
                            double *point, double *value)
{
  memset(cost, 0, (size_t)p->m * sizeof *cost);
  cost[j] = side;
  dls_lp_set_cost(lp, cost);
  return dls_lp_solve(lp, point, NULL, value);
}

// One end of the interval of component j, in units of p->unit: +-INFINITY when unbounded, NaN when
// a program failed. Contacts that can be wedged against each other let a simplex run end at forces
// of any size, with digits lost accordingly: a first run with a small price on every force finds a
// vertex near by, from which the second one starts.
static double end_of(const polyhedron *p, dls_lp *lp, dls_lp *directions, int j, double side,
                     double *cost, double *point)
{
  static const double price = 1e-6;
  double value = NAN;
  if (directions) {
    if (least(p, directions, j, side, cost, point, &value) != DLS_LP_OPTIMAL) return NAN;
    if (-value > p->threshold.tolerance) return -side * INFINITY;
  }
  for (int i = 0; i < p->m; i++) cost[i] = is_bilateral(p, i) ? 0 : price;
  cost[j] += side;
  dls_lp_set_cost(lp, cost);
  dls_lp_solve(lp, point, NULL, &value);
  switch (least(p, lp, j, side, cost, point, &value)) {
  case DLS_LP_OPTIMAL: return side * value;
  case DLS_LP_UNBOUNDED: return -side * INFINITY;
  default: return NAN;
  }
}

static double *find_kernel_rows(polyhedron *p)
{
  const size_t m = (size_t)p->m;
  double *length = dls_context_work(p->x, m);
  if (!length) return NULL;
  for (size_t j = (size_t)p->possible; j < m; j++)
    for (size_t i = 0; i < m; i++) length[i] = hypot(length[i], p->V[i + m * j]);
  return length;
}

static dls_status find_intervals(polyhedron *p)
{
  dls_context *x = p->x;
  const size_t m = (size_t)p->m;
  double *free_part = find_kernel_rows(p), *cost = dls_context_work(x, m);
  double *point = dls_context_work(x, m);
  dls_lp *lp = NULL, *directions = NULL;
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  dls_status status = DLS_OK;
  for (int j = 0; j < p->m; j++) {
    const int c = p->constraint[j];
    const double lambda = p->lambda[j] / p->unit;
    dls_context_progress(x, 0.3 + 0.6 * j / p->m);
    x->low[c] = x->high[c] = p->lambda[j];
    if (free_part[j] <= p->threshold.noise) continue;
    if (!lp) {
      status = find_echelon(p);
      if (status == DLS_OK) status = make_program(p, INFINITY, &lp);
      if (status == DLS_OK) status = make_directions(p, &directions);
    }
    if (status != DLS_OK) break;
    // the point found with the acceleration belongs to the polyhedron: the interval contains it
    const double a = end_of(p, lp, directions, j, 1, cost, point);
    const double b = end_of(p, lp, directions, j, -1, cost, point);
    const double low = isnan(a) ? NAN : fmin(a, lambda), high = isnan(b) ? NAN : fmax(b, lambda);
    x->low[c] = p->unit * low, x->high[c] = p->unit * high;
    if (isnan(low) || isnan(high)) {
      p->doubt = true;
      continue;
    }
    if (dls_size_of(&p->threshold, high - low) == DLS_SIZE_ZERO)
      x->low[c] = x->high[c] = p->lambda[j];
    if (!(high - low > p->width)) continue;
    p->width = high - low, p->widest = j;
  }
  dls_lp_free(lp);
  dls_lp_free(directions);
  return status;
}

// Two points near by that differ in the widest component.
static dls_status span_widest(polyhedron *p)
{
  double *cost = dls_context_work(p->x, (size_t)p->m);
  dls_lp *lp = NULL;
  if (!cost) return DLS_ERR_MEMORY;
  dls_status status = make_program(p, 1, &lp);
  if (status != DLS_OK) return status;
  const double a = end_of(p, lp, NULL, p->widest, 1, cost, p->from);
  const double b = end_of(p, lp, NULL, p->widest, -1, cost, p->to);
  dls_lp_free(lp);
  if (!isfinite(a) || !isfinite(b)) p->doubt = true;
  return DLS_OK;
}

// Multipliers of all constraints from a point of the polyhedron (in units of `unit`).
static void spread(const polyhedron *p, const double *point, double unit, double *lambda_b,
                   double *lambda_u)
{
  const dls_context *x = p->x;
  memset(lambda_b, 0, (size_t)x->m_b * sizeof *lambda_b);
  memset(lambda_u, 0, (size_t)x->m_u * sizeof *lambda_u);
  for (int j = 0; j < p->m; j++) {
    const int c = p->constraint[j];
    if (c < x->m_b) lambda_b[c] = unit * point[j];
    else lambda_u[c - x->m_b] = fmax(0, unit * point[j]);
  }
}

// Moves a point so that G point = G lambda* holds to rounding, by the least change:
// G^+ r = V S^-2 V^T G^T r.
static dls_status correct(polyhedron *p, double *point)
{
  const dls_context *x = p->x;
  const size_t m = (size_t)p->m;
  double *r = dls_context_work(p->x, (size_t)x->n), *g = dls_context_work(p->x, m);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  for (size_t j = 0; j < m; j++) g[j] = p->lambda[j] / p->unit - point[j];
  dls_gemv(false, x->n, p->m, 1, p->G, g, 0, r);
  dls_gemv(true, x->n, p->m, 1, p->G, r, 0, g);
  for (int k = 0; k < p->possible; k++) {
    const double *v = p->V + m * (size_t)k, along = dls_dot(p->m, v, g) / (p->S[k] * p->S[k]);
    for (size_t j = 0; j < m; j++) point[j] += along * v[j];
  }
  return DLS_OK;
}

static dls_status refuse_by_two(polyhedron *p)
{
  dls_context *x = p->x;
  double *b = dls_context_work(x, (size_t)x->m_b), *u = dls_context_work(x, (size_t)x->m_u);
  double *z = dls_context_work(x, (size_t)x->n);
  dls_status status = span_widest(p);
  if (status == DLS_OK) status = correct(p, p->from);
  if (status == DLS_OK) status = correct(p, p->to);
  if (status != DLS_OK || x->out_of_memory) return x->out_of_memory ? DLS_ERR_MEMORY : status;
  dls_verdict *v = dls_verdict_set(x, DLS_FORCES_UNIQUE, DLS_NO, p->width,
                                   "two linear programs for each multiplier",
                                   "lambda and other, nonnegative on unilateral contacts and zero "
                                   "where they open, have the same G_b lambda_b + G_u lambda_u");
  spread(p, p->from, p->unit, b, u);
  dls_witness_multipliers(x, v, "lambda_b", b, "lambda_u", u);
  spread(p, p->to, p->unit, b, u);
  dls_witness_multipliers(x, v, "other_b", b, "other_u", u);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  for (int i = 0; i < x->n; i++) z[i] = x->D[i] * x->S[i] * x->z[i];
  double first = NAN, second = NAN;
  status = dls_problem_residual(&x->given, z, v->part[0].values, v->part[1].values, &first);
  if (status == DLS_OK)
    status = dls_problem_residual(&x->given, z, v->part[2].values, v->part[3].values, &second);
  if (p->doubt || !(first <= dls_gate_limit(x)) || !(second <= dls_gate_limit(x)))
    v->answer = DLS_UNDECIDED;
  if (!isfinite(v->margin)) v->margin = NAN;
  return status;
}

// Rows at which the given columns of G form a nonsingular square matrix, by pivoting.
static dls_status add_rows(polyhedron *p, const double *G, int columns, dls_verdict *v)
{
  dls_context *x = p->x;
  const size_t n = (size_t)x->n, m = (size_t)columns;
  double *transposed = dls_context_work(x, n * m), *r = dls_context_work(x, m);
  int *order = dls_arena_alloc(x->work, n, sizeof *order);
  if (x->out_of_memory || !order) return DLS_ERR_MEMORY;
  for (size_t j = 0; j < m; j++)
    for (size_t i = 0; i < n; i++) transposed[j + m * i] = G[i + n * j];
  dls_status status = dls_qr_pivots(columns, x->n, transposed, order, r);
  if (status != DLS_OK) return status;
  dls_witness_set(x, v, "coordinates", DLS_OVER_COORDINATES, order, columns);
  if (columns && !(r[m - 1] > x->basic.noise * r[0])) v->answer = DLS_UNDECIDED;
  return x->out_of_memory ? DLS_ERR_MEMORY : DLS_OK;
}

static dls_status accept_by_rank(polyhedron *p)
{
  dls_verdict *v =
      dls_verdict_set(p->x, DLS_FORCES_UNIQUE, DLS_YES, p->m ? p->S[p->m - 1] / p->S[0] : NAN,
                      p->m == 0 ? "no contact carries a force"
                                : "the gradients of the contacts that stay closed are independent",
                      "the rows at these coordinates of (G_b, G_u without the contacts that open) "
                      "form a nonsingular "
                      "square matrix");
  return add_rows(p, p->G, p->m, v);
}

// Loaded: bilateral, or with a positive force; idle: closed without force; else in doubt.
static dls_size load_of(const polyhedron *p, int j)
{
  return is_bilateral(p, j) ? DLS_SIZE_POSITIVE
                            : dls_size_of(&p->threshold, p->lambda[j] / p->unit);
}

// max t  s.t.  G_idle^T N y >= t, |y| <= 1 with N the kernel of G_loaded^T.
static dls_status open_idle(polyhedron *p, const double *N, int k, int idle, const double *G,
                            double *y, double *t)
{
  dls_context *x = p->x;
  const size_t rows = (size_t)idle, cols = (size_t)k + 1;
  double *A = dls_context_work(x, rows * cols), *cost = dls_context_work(x, cols);
  double *low = dls_context_work(x, cols), *high = dls_context_work(x, cols);
  double *row_low = dls_context_work(x, rows), *row_high = dls_context_work(x, rows);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  dls_gemm(true, false, idle, k, x->n, 1, G, N, 0, A);
  for (size_t i = 0; i < rows * (cols - 1); i++)
    if (fabs(A[i]) <= p->threshold.noise) A[i] = 0;
  for (size_t j = 0; j < cols; j++) low[j] = -1, high[j] = 1;
  for (size_t i = 0; i < rows; i++) A[i + rows * (cols - 1)] = -1, row_high[i] = INFINITY;
  cost[cols - 1] = -1;
  const dls_lp_data data = {idle, k + 1, A, row_low, row_high, low, high, cost};
  double objective = NAN;
  dls_lp_outcome outcome;
  dls_status status = dls_lp_run(&data, y, NULL, &objective, &outcome);
  if (status != DLS_OK) return status;
  *t = outcome == DLS_LP_OPTIMAL ? y[k] : NAN;
  return DLS_OK;
}

// The strict Mangasarian-Fromovitz condition: loaded gradients independent, and a direction d that
// keeps the loaded constraints and opens all idle ones. Multiplying G delta = 0 by d leaves no room
// for delta at the idle contacts, then rank leaves none at the others.
static dls_status accept_by_signs(polyhedron *p)
{
  dls_context *x = p->x;
  const size_t n = (size_t)x->n, m = (size_t)p->m;
  double *loaded = dls_context_work(x, n * m), *idle = dls_context_work(x, n * m);
  double *U = dls_context_work(x, n * n), *S = dls_context_work(x, n < m ? n : m);
  double *y = dls_context_work(x, n + 1), *d = dls_context_work(x, n), t = NAN;
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  int l = 0, i = 0;
  for (size_t j = 0; j < m; j++) {
    const dls_size size = load_of(p, (int)j);
    double *to = size == DLS_SIZE_POSITIVE ? loaded + n * (size_t)l++ : idle + n * (size_t)i++;
    memcpy(to, p->G + n * j, n * sizeof(double));
    p->doubt |= size == DLS_SIZE_GREY;
  }
  dls_verdict *v = dls_verdict_set(
      x, DLS_FORCES_UNIQUE, DLS_YES, NAN,
      "two linear programs for each multiplier: every interval is a point (strict MFCQ)",
      "G_b^T direction = 0, G_u^T direction = 0 where lambda_u > 0 and > 0 at the other closed "
      "contacts; the rows at these coordinates of (G_b, G_u where lambda_u > 0) form a nonsingular "
      "square matrix");
  dls_status status = dls_svd(x->n, l, loaded, U, S, NULL);
  if (status == DLS_OK && l <= x->n)
    status = open_idle(p, U + n * (size_t)l, x->n - l, i, idle, y, &t);
  if (status != DLS_OK) return status;
  v->margin = t;
  if (p->doubt || l > x->n || dls_size_of(&p->threshold, t) != DLS_SIZE_POSITIVE) {
    v->answer = DLS_UNDECIDED;
    return DLS_OK;
  }
  dls_gemv(false, x->n, x->n - l, 1, U + n * (size_t)l, y, 0, d);
  dls_witness_direction(x, v, "direction", d, false);
  dls_witness_multipliers(x, v, "lambda_b", x->lambda_b, "lambda_u", x->lambda_u);
  return add_rows(p, loaded, l, v);
}

static dls_status decide(polyhedron *p)
{
  if (p->certain == p->m) return accept_by_rank(p);
  const dls_size size = dls_size_of(&p->threshold, p->width);
  if (size == DLS_SIZE_POSITIVE) return refuse_by_two(p);
  if (size == DLS_SIZE_ZERO && !p->doubt) return accept_by_signs(p);
  dls_verdict_set(p->x, DLS_FORCES_UNIQUE, DLS_UNDECIDED, p->width,
                  "two linear programs for each multiplier", "");
  return DLS_OK;
}

// The nearest point of an interval whose ends may be unknown (NaN).
static double within(double value, double low, double high)
{
  if (value < low) return low;
  return value > high ? high : value;
}

// Takes the multipliers of a point of the polyhedron, unless they do not solve the problem as
// given.
static dls_status replace_if_valid(polyhedron *p, const double *point)
{
  dls_context *x = p->x;
  const size_t n = (size_t)x->n, m_b = (size_t)x->m_b, m_u = (size_t)x->m_u;
  double *b = dls_context_work(x, m_b), *u = dls_context_work(x, m_u);
  double *z = dls_context_work(x, n), *lambda = dls_context_work(x, m_b + m_u), residual = NAN;
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  spread(p, point, p->unit, b, u);
  for (size_t i = 0; i < m_b; i++) b[i] = within(b[i], x->low[i], x->high[i]);
  for (size_t i = 0; i < m_u; i++) u[i] = within(u[i], x->low[m_b + i], x->high[m_b + i]);
  for (size_t i = 0; i < n; i++) z[i] = x->D[i] * x->S[i] * x->z[i];
  for (size_t i = 0; i < m_b; i++) lambda[i] = x->C_b[i] * x->S_b[i] * b[i];
  for (size_t i = 0; i < m_u; i++) lambda[m_b + i] = x->C_u[i] * x->S_u[i] * u[i];
  dls_status status = dls_problem_residual(&x->given, z, lambda, lambda + m_b, &residual);
  if (status == DLS_OK && residual <= dls_gate_limit(x)) {
    memcpy(x->lambda_b, b, m_b * sizeof *b);
    memcpy(x->lambda_u, u, m_u * sizeof *u);
  }
  return status;
}

// min |C lambda| over the polyhedron, lambda = lambda* + N y.  Keeps lambda* when it fails. eq
// (mul.2)
static dls_status take_least_norm(polyhedron *p)
{
  dls_context *x = p->x;
  const int nullity = p->m - p->possible;
  if (nullity == 0) return DLS_OK;
  const size_t m = (size_t)p->m, k = (size_t)nullity;
  double *CN = dls_context_work(x, m * k), *C_lambda = dls_context_work(x, m);
  double *K = dls_context_work(x, k * k), *c = dls_context_work(x, k), *y = dls_context_work(x, k);
  double *E = dls_context_work(x, m * k), *f = dls_context_work(x, m);
  double *mu = dls_context_work(x, m), *point = dls_context_work(x, m);
  if (x->out_of_memory) return DLS_ERR_MEMORY;

  const double *N = p->V + m * (size_t)p->possible;
  double largest = 0;
  int rows = 0, first = p->m;
  for (int i = 0; i < p->m; i++) {
    const int at = p->constraint[i];
    if (!is_bilateral(p, i) && first == p->m) first = i;
    mu[i] = at < x->m_b ? x->C_b[at] * x->S_b[at] : x->C_u[at - x->m_b] * x->S_u[at - x->m_b];
    largest = fmax(largest, mu[i]);
  }
  rows = p->m - first;
  for (size_t i = 0; i < m; i++) {
    C_lambda[i] = mu[i] / largest * p->lambda[i] / p->unit;
    for (size_t j = 0; j < k; j++) CN[i + m * j] = mu[i] / largest * N[i + m * j];
  }
  for (size_t j = 0; j < k; j++)
    for (size_t i = 0; i < (size_t)rows; i++)
      E[i + (size_t)rows * j] = N[i + (size_t)first + m * j];
  for (size_t i = 0; i < (size_t)rows; i++) f[i] = p->lambda[i + (size_t)first] / p->unit;
  dls_gemm(true, false, nullity, nullity, p->m, 1, CN, CN, 0, K);
  dls_gemv(true, p->m, nullity, 1, CN, C_lambda, 0, c);
  const dls_qp_data qp = {.n = nullity, .m = rows, .K = K, .c = c, .E = E, .f = f};
  dls_qp_report report;
  dls_status status = dls_qp_solve(&qp, 1e-10, y, mu, &report);
  if (status != DLS_OK || report.outcome != DLS_QP_SOLVED) return status;
  for (size_t i = 0; i < m; i++) point[i] = p->lambda[i] / p->unit;
  dls_gemv(false, p->m, nullity, 1, N, y, 1, point);
  return replace_if_valid(p, point);
}

dls_status dls_certify_forces(dls_context *x)
{
  const dls_verdict *exists = &x->check->verdict[DLS_ACCELERATION_EXISTS];
  if (x->m_b + x->m_u == 0) return DLS_OK;
  if (exists->answer != DLS_YES) {
    dls_verdict *v = &x->check->verdict[DLS_FORCES_UNIQUE];
    *v = *exists;
    v->by = exists->answer == DLS_NO ? "no acceleration exists" : "existence is undecided";
    return DLS_OK;
  }
  polyhedron p = {.x = x, .width = 0};
  dls_status status = collect(&p);
  if (status == DLS_OK) status = decompose(&p);
  if (status == DLS_OK) status = find_intervals(&p);
  if (status == DLS_OK) status = decide(&p);
  if (status == DLS_OK) status = take_least_norm(&p);
  return x->out_of_memory ? DLS_ERR_MEMORY : status;
}
