// Of all multipliers that belong to an acceleration, those of least norm.           eq (mul.2)
#include "certify/multipliers.h"

#include "base/memory.h"
#include "certify/tolerances.h"
#include "certify/witness.h"
#include "convex/qp.h"
#include "linalg/dense.h"

#include <math.h>

// Forces that signs alone pin to zero leave no slack: rounding closes it, so it is opened by as
// much.
static const double slack[] = {0, 1e-13, 1e-11};

static const double program_tolerance = 1e-10;
static const double regularization = 1e-11, descent = 1e-4;  // of H, and of what a step promises

// The nearest point of an interval whose ends may be unknown (NaN).
static double within(double value, double low, double high)
{
  if (value < low) return low;
  return value > high ? high : value;
}

// Takes the multipliers of a point of the polyhedron, unless they do not solve the problem as
// given.
static dls_status replace_if_valid(dls_multipliers *p, const double *point)
{
  dls_context *x = p->x;
  const ptrdiff_t n = x->n, m_b = x->m_b, m_u = x->m_u;
  double *b = dls_context_work(x, m_b), *u = dls_context_work(x, m_u);
  double *z = dls_context_work(x, n), *lambda = dls_context_work(x, m_b + m_u), residual = NAN;
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  dls_multipliers_spread(p, point, b, u);
  for (ptrdiff_t i = 0; i < m_b; i++) b[i] = within(b[i], x->low[i], x->high[i]);
  for (ptrdiff_t i = 0; i < m_u; i++) u[i] = within(u[i], x->low[m_b + i], x->high[m_b + i]);
  for (ptrdiff_t i = 0; i < n; i++) z[i] = x->D[i] * x->S[i] * x->z[i];
  for (ptrdiff_t i = 0; i < m_b; i++) lambda[i] = x->mass_unit * x->C_b[i] * x->S_b[i] * b[i];
  for (ptrdiff_t i = 0; i < m_u; i++) lambda[m_b + i] = x->mass_unit * x->C_u[i] * x->S_u[i] * u[i];
  dls_status status = dls_problem_residual(&x->given, z, lambda, lambda + m_b, &residual);
  if (status == DLS_OK && residual <= dls_margin_limit(x)) {
    dls_copy(x->lambda_b, b, m_b);
    dls_copy(x->lambda_u, u, m_u);
  }
  return status;
}

// The user's unit of each multiplier, relative to the largest.
static double *find_weights(dls_multipliers *p)
{
  const dls_context *x = p->x;
  double *weight = dls_context_work(p->x, p->m), largest = 0;
  for (int i = 0; weight && i < p->m; i++) {
    const int at = p->constraint[i], u = at - x->m_b;
    weight[i] = u < 0 ? x->C_b[at] * x->S_b[at] : x->C_u[u] * x->S_u[u];
    largest = fmax(largest, weight[i]);
  }
  for (int i = 0; weight && i < p->m; i++) weight[i] /= largest;
  return weight;
}

// ---- few redundant contacts: a quadratic program on the kernel N of G ---------------------------

// min |C lambda| over lambda = lambda* + N y
static dls_status by_program(dls_multipliers *p, const double *weight, double *point, bool *found)
{
  dls_context *x = p->x;
  const int nullity = p->m - p->possible;
  const ptrdiff_t m = p->m, k = nullity;
  double *CN = dls_context_work(x, m * k), *C_lambda = dls_context_work(x, m);
  double *K = dls_context_work(x, k * k), *c = dls_context_work(x, k), *y = dls_context_work(x, k);
  double *E = dls_context_work(x, m * k), *f = dls_context_work(x, m);
  double *mu = dls_context_work(x, m);
  if (x->out_of_memory) return DLS_ERR_MEMORY;

  const double *N = p->V + m * p->possible;
  int first = 0;
  while (first < p->m && dls_multipliers_is_bilateral(p, first)) first++;
  const int rows = p->m - first;
  for (ptrdiff_t i = 0; i < m; i++) {
    C_lambda[i] = weight[i] * p->lambda[i] / p->unit;
    for (ptrdiff_t j = 0; j < k; j++) CN[i + m * j] = weight[i] * N[i + m * j];
  }
  for (ptrdiff_t j = 0; j < k; j++)
    for (ptrdiff_t i = 0; i < rows; i++) E[i + rows * j] = N[i + first + m * j];
  for (ptrdiff_t i = 0; i < rows; i++) f[i] = p->lambda[i + first] / p->unit;
  dls_gemm(true, false, nullity, nullity, p->m, 1, CN, CN, 0, K);
  dls_gemv(true, p->m, nullity, 1, CN, C_lambda, 0, c);
  const dls_qp_data qp = {.n = nullity, .m = rows, .K = K, .c = c, .E = E, .f = f};
  dls_qp_report report = {.outcome = DLS_QP_LIMIT};
  dls_status status = DLS_OK;
  for (ptrdiff_t a = 0; a < 3 && status == DLS_OK && report.outcome != DLS_QP_SOLVED; a++) {
    for (int i = 0; i < rows; i++) f[i] += slack[a];
    status = dls_qp_solve(&qp, program_tolerance, y, mu, &report);
  }
  *found = status == DLS_OK && report.outcome == DLS_QP_SOLVED;
  if (!*found) return status;
  for (ptrdiff_t i = 0; i < m; i++) point[i] = p->lambda[i] / p->unit;
  dls_gemv(false, p->m, nullity, 1, N, y, 1, point);
  return DLS_OK;
}

// ---- many: Newton's method in the coordinates ---------------------------------------------------

// The least norm has C^2 lambda = G^T y, or its positive part at unilateral contacts, so that the
// unknowns are as many as coordinates: min 1/2 |C^-1 (G^T y)+|^2 - r^T y, r = G lambda*. (mul.3)
typedef struct newton {
  dls_multipliers *p;
  const double *weight;
  double *r, *y, *rest, *step, *trial, *H, *L, *point;
} newton;

// The multipliers that belong to y, what they leave of the balance, and the value of the program.
static double value_at(newton *w, const double *y)
{
  const dls_multipliers *p = w->p;
  const ptrdiff_t n = p->x->n;
  double value = -dls_dot(p->x->n, w->r, y);
  for (ptrdiff_t i = 0; i < n; i++) w->rest[i] = w->r[i];
  for (int j = 0; j < p->m; j++) {
    const double along = dls_dot(p->x->n, p->G + n * j, y);
    const bool acts = along > 0 || dls_multipliers_is_bilateral(p, j);
    w->point[j] = acts ? along / (w->weight[j] * w->weight[j]) : 0;
    value += 0.5 * w->point[j] * along;
  }
  dls_gemv(false, p->x->n, p->m, -1, p->G, w->point, 1, w->rest);
  return value;
}

// step = H^-1 rest; H sums what pushes, or may push at the start, where nothing does yet.
static dls_status find_step(newton *w, bool start, bool *good)
{
  const dls_multipliers *p = w->p;
  const ptrdiff_t n = p->x->n;
  double largest = 0;
  dls_clear(w->H, n * n);
  for (int j = 0; j < p->m; j++) {
    const double *g = p->G + n * j, weight = 1 / (w->weight[j] * w->weight[j]);
    if (w->point[j] == 0 && !start) continue;
    for (ptrdiff_t k = 0; k < n; k++)
      for (ptrdiff_t i = 0; i < n && g[k] != 0; i++) w->H[i + n * k] += weight * g[i] * g[k];
  }
  for (ptrdiff_t i = 0; i < n; i++) largest = fmax(largest, w->H[i * (n + 1)]);
  for (ptrdiff_t i = 0; i < n; i++) w->H[i * (n + 1)] += regularization * largest;
  const dls_status status = dls_cholesky(p->x->n, w->H, w->L, good);
  dls_copy(w->step, w->rest, n);
  if (status != DLS_OK || !*good) return status;
  dls_lower_solve(p->x->n, 1, w->L, false, w->step);
  dls_lower_solve(p->x->n, 1, w->L, true, w->step);
  return DLS_OK;
}

static dls_status iterate(newton *w, bool *found)
{
  enum { STEPS = 100, HALVES = 40 };
  const int n = w->p->x->n;
  const double size = dls_norm_max(n, w->r);
  dls_status status = DLS_OK;
  double value = value_at(w, w->y);
  *found = false;
  for (int k = 0; k < STEPS && status == DLS_OK; k++) {
    bool good = false;
    const double before = dls_norm_max(n, w->rest);
    *found = before <= least_norm_residual * size;
    if (*found) break;
    status = find_step(w, k == 0, &good);
    if (status != DLS_OK || !good) break;
    const double fall = dls_dot(n, w->rest, w->step);
    double length = 2, next = NAN;
    good = false;
    for (int h = 0; h < HALVES && !good; h++) {
      length /= 2;
      for (int i = 0; i < n; i++) w->trial[i] = w->y[i] + length * w->step[i];
      next = value_at(w, w->trial);
      // near the end the value says nothing any more
      good = next <= value - descent * length * fall || dls_norm_max(n, w->rest) <= before / 2;
    }
    if (!good) break;
    dls_copy(w->y, w->trial, n);
    value = next;
  }
  return status;
}

static dls_status by_newton(dls_multipliers *p, const double *weight, double *point, bool *found)
{
  dls_context *x = p->x;
  const ptrdiff_t n = x->n;
  newton w = {.p = p, .weight = weight, .point = point};
  double **const vectors[] = {&w.r, &w.y, &w.rest, &w.step, &w.trial};
  for (ptrdiff_t k = 0; k < dls_count_of(vectors); k++) *vectors[k] = dls_context_work(x, n);
  w.H = dls_context_work(x, n * n), w.L = dls_context_work(x, n * n);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  dls_gemv(false, x->n, p->m, 1 / p->unit, p->G, p->lambda, 0, w.r);
  return iterate(&w, found);
}

// eq (mul.2)
dls_status dls_multipliers_least_norm(dls_multipliers *p)
{
  enum { MANY = 200 };
  dls_context *x = p->x;
  const int nullity = p->m - p->possible;
  if (nullity == 0) return DLS_OK;
  const double *weight = find_weights(p);
  double *point = dls_context_work(x, p->m);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  bool found = false;
  dls_status status = nullity > MANY && nullity > x->n ? by_newton(p, weight, point, &found)
                                                       : by_program(p, weight, point, &found);
  if (status == DLS_OK && found) status = dls_multipliers_correct(p, point);
  return status == DLS_OK && found ? replace_if_valid(p, point) : status;
}
