// The Gauss program: an approximate solution in several ways, polished, and taken back to
// accelerations and multipliers.                                                 eq (gau.3)
#include "certify/polish.h"

#include "base/memory.h"
#include "certify/tolerances.h"
#include "convex/qp.h"
#include "linalg/dense.h"

#include <math.h>

// How the program is tried: opened by a slack (-1: by rounding), with a proximal term rho, in so
// many steps.
static const struct {
  double slack, rho;
  int steps;
} plan[] = {{0, 0, 1}, {-1, 0, 1}, {0, 1e-3, 6}, {1e-10, 0, 1}, {1e-10, 1e-3, 6}, {1e-9, 1, 40}};

static const double program_tolerance = 1e-9, refined_rcond = 1e-12;

// Which unilateral contacts open. A normal acceleration is known up to rounding in its own terms
// and in the accelerations of the load.
static dls_status sort_openings(dls_context *x)
{
  const ptrdiff_t n = x->n;
  x->opening = dls_arena_alloc(x->work, x->m_u, sizeof *x->opening);
  if (!x->opening) return DLS_ERR_MEMORY;
  double unit = x->a_load;
  for (int j = 0; j < x->m_u; j++) {
    double terms = fabs(x->b_u[j]);
    for (ptrdiff_t i = 0; i < n; i++) terms += fabs(x->G_u[i + n * j] * x->z[i]);
    unit = fmax(unit, terms);
  }
  for (int j = 0; j < x->m_u; j++) {
    const bool loaded = x->lambda_u[j] > 0;  // noise has been removed
    x->opening[j] = unit > 0 && !loaded ? dls_size_of(&x->kernel, x->a[j] / unit) : DLS_SIZE_ZERO;
  }
  return DLS_OK;
}

// The Gauss program in units of its loads, and the ways to an approximate solution.
typedef struct gauss_program {
  double *K, *c, *f;  // scaled; K is diagonal
  double *K_try, *c_try, *f_try;
  double *y, *lambda;  // of the last attempt, in the units of x->c and x->f
  double a_unit, f_unit;
} gauss_program;

static dls_status set_up_gauss(dls_context *x, gauss_program *g)
{
  const ptrdiff_t k = x->k, m = x->m_u;
  g->K = dls_context_work(x, k), g->K_try = dls_context_work(x, k * k);
  g->c = dls_context_work(x, k), g->c_try = dls_context_work(x, k);
  g->f = dls_context_work(x, m), g->f_try = dls_context_work(x, m);
  g->y = dls_context_work(x, k), g->lambda = dls_context_work(x, m);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  g->f_unit = x->f_load > 0 ? x->f_load : 1;
  g->a_unit = x->a_load > 0 ? x->a_load : g->f_unit;
  for (ptrdiff_t i = 0; i < k; i++)
    g->K[i] = x->w[i] * (g->a_unit / g->f_unit), g->c[i] = x->c[i] / g->f_unit;
  for (ptrdiff_t j = 0; j < m; j++) g->f[j] = x->f[j] / g->a_unit;
  return DLS_OK;
}

// One quadratic program: room is added to every constraint (where they leave room only on their
// boundary, rounding closes it), and rho to the inertia, centred at the last attempt (proximal
// point): polishing removes what either adds.
static dls_status attempt(dls_context *x, gauss_program *g, double slack, double rho, bool *solved)
{
  const ptrdiff_t k = x->k;
  for (ptrdiff_t i = 0; i < k; i++) {
    g->K_try[i * (k + 1)] = g->K[i] + rho;
    g->c_try[i] = g->c[i] - rho * (g->y[i] / g->a_unit);
  }
  for (int j = 0; j < x->m_u; j++) g->f_try[j] = g->f[j] + slack;
  const dls_qp_data qp = {
      .n = x->k, .m = x->m_u, .K = g->K_try, .c = g->c_try, .E = x->E, .f = g->f_try};
  dls_qp_report report = {0};
  dls_status status = dls_qp_solve(&qp, program_tolerance, g->y, g->lambda, &report);
  *solved = status == DLS_OK && report.outcome == DLS_QP_SOLVED;
  for (ptrdiff_t i = 0; i < k; i++) g->y[i] = *solved ? g->a_unit * g->y[i] : 0;
  for (int j = 0; j < x->m_u; j++) g->lambda[j] *= g->f_unit;
  return status;
}

// Tries in turn until one attempt, polished, fulfils the conditions to `good`; else the best one
// that is acceptable.
static dls_status solve_gauss(dls_context *x, double *y, double *lambda, bool *solved)
{
  const double good = gauss_roundings * x->kernel.noise;
  gauss_program g;
  dls_status status = set_up_gauss(x, &g);
  double best = INFINITY;
  for (ptrdiff_t p = 0; status == DLS_OK && p < dls_count_of(plan) && best > good; p++) {
    const double slack = plan[p].slack < 0 ? 2 * x->kernel.noise : plan[p].slack;
    dls_clear(g.y, x->k);
    for (int step = 0; status == DLS_OK && step < plan[p].steps && best > good; step++) {
      bool found = false;
      double error = NAN;
      status = attempt(x, &g, slack, plan[p].rho, &found);
      if (status != DLS_OK || !found) break;
      status = dls_context_polish(x, g.y, g.lambda, &error);
      if (!(error < best)) continue;
      best = error;
      dls_copy(y, g.y, x->k);
      dls_copy(lambda, g.lambda, x->m_u);
    }
  }
  *solved = best <= gauss_acceptable;
  return status;
}

// Residuals of eq (con.1) on the closed contacts, in long double: r = (G lambda - M z - F, -G^T z -
// b). column: the closed contacts' gradients; returns the largest.
typedef struct closed_problem {
  int m;             // bilateral first
  const double **g;  // gradients
  double **lambda;   // their multipliers, in place
  const double **b;
} closed_problem;

static double residual(const dls_context *x, const closed_problem *c, double *r)
{
  const ptrdiff_t n = x->n;
  double largest = 0;
  for (ptrdiff_t i = 0; i < n; i++) {
    long double sum = -(long double)x->F[i];
    for (ptrdiff_t j = 0; j < n; j++) sum -= (long double)x->M[i + n * j] * x->z[j];
    for (int j = 0; j < c->m; j++) sum += (long double)c->g[j][i] * *c->lambda[j];
    r[i] = (double)sum;
  }
  for (int j = 0; j < c->m; j++) {
    long double sum = -(long double)*c->b[j];
    for (ptrdiff_t i = 0; i < n; i++) sum -= (long double)c->g[j][i] * x->z[i];
    r[n + j] = (double)sum;
  }
  for (ptrdiff_t i = 0; i < n + c->m; i++) largest = fmax(largest, fabs(r[i]));
  return largest;
}

static dls_status collect_closed(dls_context *x, closed_problem *c)
{
  const ptrdiff_t all = (ptrdiff_t)x->m_b + x->m_u, n = x->n;
  c->g = dls_arena_alloc(x->work, all, sizeof *c->g);
  c->lambda = dls_arena_alloc(x->work, all, sizeof *c->lambda);
  c->b = dls_arena_alloc(x->work, all, sizeof *c->b);
  if (!c->g || !c->lambda || !c->b) return DLS_ERR_MEMORY;
  for (int j = 0; j < x->m_b; j++, c->m++)
    c->g[j] = x->G_b + n * j, c->lambda[j] = &x->lambda_b[j], c->b[j] = &x->b_b[j];
  for (int j = 0; j < x->m_u; j++) {
    if (x->lambda_u[j] == 0) continue;
    c->g[c->m] = x->G_u + n * j, c->lambda[c->m] = &x->lambda_u[j];
    c->b[c->m++] = &x->b_u[j];
  }
  return DLS_OK;
}

// Iterative refinement of z and the forces that are not zero, by the KKT matrix itself: the way
// there passed through the squares of small numbers. Only where the matrix is of moderate size; a
// step that does not help is taken back.
static dls_status refine(dls_context *x)
{
  enum { LARGEST = 300, STEPS = 3 };
  closed_problem c = {0};
  dls_status status = collect_closed(x, &c);
  const ptrdiff_t n = x->n, size = n + c.m;
  if (status != DLS_OK || size > LARGEST) return status;
  double *A = dls_context_work(x, size * size), *r = dls_context_work(x, size);
  double *d = dls_context_work(x, size), rcond = 0;
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  for (ptrdiff_t j = 0; j < n; j++)
    for (ptrdiff_t i = 0; i < n; i++) A[i + size * j] = x->M[i + n * j];
  for (ptrdiff_t j = 0; j < c.m; j++)
    for (ptrdiff_t i = 0; i < n; i++) {
      A[i + size * (n + j)] = -c.g[j][i];
      A[n + j + size * i] = c.g[j][i];
    }
  double before = residual(x, &c, r);
  for (int step = 0; step < STEPS && before > 0; step++) {
    status = dls_solve((int)size, 1, A, r, d, &rcond);
    if (status != DLS_OK || !(rcond > refined_rcond)) return status;
    for (ptrdiff_t i = 0; i < n; i++) x->z[i] += d[i];
    for (int j = 0; j < c.m; j++) *c.lambda[j] += d[n + j];
    const double after = residual(x, &c, r);
    if (after < before) {
      before = after;
      continue;
    }
    for (ptrdiff_t i = 0; i < n; i++) x->z[i] -= d[i];
    for (int j = 0; j < c.m; j++) *c.lambda[j] -= d[n + j];
    break;
  }
  return DLS_OK;
}

dls_status dls_context_solve(dls_context *x)
{
  const int n = x->n, k = x->k, m_u = x->m_u;
  x->z = dls_context_work(x, n), x->lambda_b = dls_context_work(x, x->m_b);
  x->lambda_u = dls_context_work(x, m_u), x->a = dls_context_work(x, m_u);
  double *y = dls_context_work(x, k), *r = dls_context_work(x, n);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  dls_status status = solve_gauss(x, y, x->lambda_u, &x->solved);
  if (status != DLS_OK || !x->solved) return status;

  // back to z and the multipliers
  dls_copy(x->z, x->z_0, n);
  dls_gemv(false, n, k, 1, x->basis, y, 1, x->z);
  dls_context_remove_noise(x, x->a_load, x->z, n);
  dls_context_remove_noise(x, x->f_load, x->lambda_u, m_u);
  dls_copy(r, x->F, n);
  dls_gemv(false, n, n, 1, x->M, x->z, 1, r);
  dls_gemv(false, n, m_u, -1, x->G_u, x->lambda_u, 1, r);
  dls_context_bilateral_multipliers(x, r, x->lambda_b);
  dls_context_remove_noise(x, x->f_load, x->lambda_b, x->m_b);
  status = refine(x);
  if (status != DLS_OK) return status;
  dls_context_remove_noise(x, x->a_load, x->z, n);
  dls_context_remove_noise(x, x->f_load, x->lambda_b, x->m_b);
  dls_context_remove_noise(x, x->f_load, x->lambda_u, m_u);
  for (int j = 0; j < m_u; j++) x->lambda_u[j] = fmax(0, x->lambda_u[j]);
  dls_copy(x->a, x->b_u, m_u);
  dls_gemv(true, n, m_u, 1, x->G_u, x->z, 1, x->a);
  return sort_openings(x);
}
