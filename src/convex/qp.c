// The outer iteration. The strictly convex core needs K = L L^T. When K is (nearly) singular, with
// eigenvalues w_i, it is given H = V max(w, rho) V^T instead, centred at the last iterate:
//
//   y_{k+1} = argmin 1/2 y^T K y + c^T y + 1/2 (y - y_k)^T (H - K) (y - y_k)  s.t.  E y + f >= 0
//
// As H - K is semidefinite this is the proximal point method: no decision on the rank of K is
// needed, and it ends at a solution of the original problem. After each step the equality problem
// of the active set is solved by refinement with residuals of the original data in long double.
// What leaves this file has passed dls_qp_residual, or the checks in qp_certificate.c.
#include "convex/qp_internal.h"

#include "base/memory.h"
#include "convex/tolerances.h"
#include "linalg/dense.h"
#include "linalg/dense_internal.h"

#include <math.h>
#include <stdlib.h>

enum { OUTER = 60, POLISH = 4, ASK_FOR_RAY = 4, CENTRED = 4, FACTORS = 4 };
static const double factors[FACTORS] = {1e-1, 1e-3, 1e-5, 1e-7};  // of rho, step by step
static const double rho_without_force = 1e-3;                     // of the largest eigenvalue
static const double refining = 0.5;   // of residuals: slower is no progress
static const double reach = 10;       // of the point and f, that corrections may go
static const double far_terms = 1e3;  // of K y, of the largest force: y runs away

// ---- preparation -------------------------------------------------------------------------------

static dls_status check_data(const dls_qp_data *d)
{
  if (!d || d->n < 0 || d->m < 0) return DLS_ERR_ARGUMENT;
  if (d->n > 10000 || d->m > 100000) return DLS_ERR_LIMIT;
  ptrdiff_t n = d->n, m = d->m;
  if (!dls_finite(n * n, d->K) || !dls_finite(n, d->c) || !dls_finite(m * n, d->E) ||
      !dls_finite(m, d->f))
    return DLS_ERR_NUMBER;
  for (ptrdiff_t j = 0; j < n; j++)
    if (d->K[j * n + j] < 0) return DLS_ERR_ARGUMENT;
  return DLS_OK;
}

double *dls_qp_reals(ptrdiff_t count, bool *good)
{
  double *x = dls_alloc(count, sizeof *x);
  if (!x) *good = false;
  return x;
}

static dls_status allocate(qp_work *w)
{
  ptrdiff_t n = w->n, m = w->m;
  bool good = true;
  double **square[] = {&w->K, &w->L};
  double **wide[] = {&w->E, &w->half, &w->B, &w->B_fine};
  double **per_variable[] = {&w->s, &w->c, &w->w,     &w->h, &w->y,  &w->best_y,  &w->g,
                             &w->a, &w->u, &w->try_y, &w->z, &w->hk, &w->polish_y};
  double **per_row[] = {&w->r,  &w->f,          &w->lambda,       &w->best_lambda,
                        &w->fk, &w->try_lambda, &w->polish_lambda};
  for (ptrdiff_t k = 0; k < dls_count_of(square); k++) *square[k] = dls_qp_reals(n * n, &good);
  for (ptrdiff_t k = 0; k < dls_count_of(wide); k++) *wide[k] = dls_qp_reals(n * m, &good);
  for (ptrdiff_t k = 0; k < dls_count_of(per_variable); k++)
    *per_variable[k] = dls_qp_reals(n + 1, &good);
  for (ptrdiff_t k = 0; k < dls_count_of(per_row); k++) *per_row[k] = dls_qp_reals(m, &good);
  return good ? DLS_OK : DLS_ERR_MEMORY;
}

static void release(qp_work *w)
{
  double *all[] = {w->K,        w->L,
                   w->E,        w->half,
                   w->B,        w->B_fine,
                   w->s,        w->c,
                   w->w,        w->h,
                   w->y,        w->best_y,
                   w->g,        w->a,
                   w->u,        w->try_y,
                   w->z,        w->hk,
                   w->r,        w->f,
                   w->lambda,   w->best_lambda,
                   w->fk,       w->try_lambda,
                   w->polish_y, w->polish_lambda};
  for (ptrdiff_t k = 0; k < dls_count_of(all); k++) free(all[k]);
  if (w->fine != w->core) dls_qp_active_free(w->fine);
  dls_qp_active_free(w->core);
}

static dls_status scale(qp_work *w)
{
  ptrdiff_t n = w->n, m = w->m;
  const dls_qp_data *d = w->data;
  dls_qp_scales(d, w->s, w->r);
  for (ptrdiff_t j = 0; j < n; j++) {
    w->c[j] = d->c[j] * w->s[j];
    for (ptrdiff_t k = 0; k < n; k++) w->K[j * n + k] = d->K[j * n + k] * w->s[j] * w->s[k];
    for (ptrdiff_t i = 0; i < m; i++) w->E[j * m + i] = d->E[j * m + i] * w->s[j] * w->r[i];
  }
  for (ptrdiff_t i = 0; i < m; i++) w->f[i] = d->f[i] * w->r[i];
  w->scaled = (dls_qp_data){.n = w->n, .m = w->m, .K = w->K, .c = w->c, .E = w->E, .f = w->f};
  bool finite = dls_finite(n * n, w->K) && dls_finite(n, w->c) && dls_finite(m * n, w->E) &&
                dls_finite(m, w->f);
  return finite ? DLS_OK : DLS_ERR_NUMBER;
}

// Cholesky when K is safely definite, eigenvalues otherwise. DLS_ERR_ARGUMENT when K is indefinite.
static dls_status factor(qp_work *w, bool allow_cholesky)
{
  ptrdiff_t n = w->n, m = w->m;
  bool definite = false;
  dls_status status = DLS_OK;
  if (allow_cholesky) status = dls_cholesky(w->n, w->K, w->L, &definite);
  if (status != DLS_OK) return status;
  for (ptrdiff_t j = 0; j < n && definite; j++) definite = w->L[j * n + j] > safe_pivot;
  w->cholesky = definite;
  if (definite) {
    for (ptrdiff_t j = 0; j < n; j++)
      for (ptrdiff_t i = 0; i < m; i++) w->half[i * n + j] = w->E[j * m + i];
    dls_lower_solve(w->n, w->m, w->L, false, w->half);
    return DLS_OK;
  }
  status = dls_eigen_symmetric(w->n, w->K, w->w, w->L);
  if (status != DLS_OK) return status;
  if (n > 0 && w->w[0] < -indefinite * fabs(w->w[n - 1])) return DLS_ERR_ARGUMENT;
  dls_gemm(true, true, w->n, w->m, w->n, 1, w->L, w->E, 0, w->half);
  return DLS_OK;
}

// h = max(w, rho), B = h^-1/2 V^T E^T.
static void set_rho(qp_work *w, double rho, double *B)
{
  ptrdiff_t n = w->n, m = w->m;
  for (ptrdiff_t j = 0; j < n; j++) w->h[j] = w->w[j] > rho ? w->w[j] : rho;
  for (ptrdiff_t i = 0; i < m; i++)
    for (ptrdiff_t j = 0; j < n; j++) B[i * n + j] = w->half[i * n + j] / sqrt(w->h[j]);
}

// a = L^-1 g
static void to_core(const qp_work *w, const double *g, double *a)
{
  if (w->cholesky) {
    dls_copy(a, g, w->n);
    dls_lower_solve(w->n, 1, w->L, false, a);
    return;
  }
  dls_gemv(true, w->n, w->n, 1, w->L, g, 0, a);
  for (int j = 0; j < w->n; j++) a[j] /= sqrt(w->h[j]);
}

// y += L^-T u; u is overwritten
static void add_step(const qp_work *w, double *u, double *y)
{
  if (w->cholesky) {
    dls_lower_solve(w->n, 1, w->L, true, u);
    for (int j = 0; j < w->n; j++) y[j] += u[j];
    return;
  }
  for (int j = 0; j < w->n; j++) u[j] /= sqrt(w->h[j]);
  dls_gemv(false, w->n, w->n, 1, w->L, u, 1, y);
}

// ---- residuals of the scaled problem, in long double --------------------------------------------

// g = K y + c - E^T lambda
static void gradient(const qp_work *w, const double *y, const double *lambda, double *g)
{
  ptrdiff_t n = w->n, m = w->m;
  for (ptrdiff_t j = 0; j < n; j++) {
    long double sum = w->c[j];
    for (ptrdiff_t k = 0; k < n; k++) sum += (long double)w->K[j * n + k] * y[k];
    for (ptrdiff_t i = 0; i < m && lambda; i++)
      if (lambda[i] != 0) sum -= (long double)w->E[j * m + i] * lambda[i];
    g[j] = (double)sum;
  }
}

static double gap(const qp_work *w, int i, const double *y)
{
  ptrdiff_t m = w->m;
  long double sum = w->f[i];
  for (ptrdiff_t j = 0; j < w->n; j++) sum += (long double)w->E[j * m + i] * y[j];
  return (double)sum;
}

// Keeps (y, lambda) when its residual in the units of the data is the best so far. Returns it.
static double keep_best(qp_work *w, const double *y, const double *lambda)
{
  for (int j = 0; j < w->n; j++) w->try_y[j] = y[j] * w->s[j];
  for (int i = 0; i < w->m; i++) w->try_lambda[i] = lambda[i] < 0 ? 0 : lambda[i] * w->r[i];
  double residual = NAN;
  if (dls_qp_measure(w->data, w->try_y, w->try_lambda, &residual) != DLS_OK) w->exhausted = true;
  if (!(residual < w->best)) return residual;
  w->best = residual;
  dls_copy(w->best_y, w->try_y, w->n);
  if (w->m > 0) dls_copy(w->best_lambda, w->try_lambda, w->m);
  return residual;
}

// ---- one outer step -----------------------------------------------------------------------------

// The equality problem of the active set, by refinement; y and lambda follow while it helps.
static void refine(qp_work *w, qp_active *fine, double *y, double *lambda)
{
  double last = keep_best(w, y, lambda);
  double farthest = reach * (dls_norm_max(w->n, y) + dls_norm_max(w->m, w->f));
  for (int k = 0; k < POLISH && last > refined_qp; k++) {
    gradient(w, y, lambda, w->g);
    to_core(w, w->g, w->a);
    for (int p = 0; p < fine->count; p++) w->hk[p] = gap(w, fine->passive[p], y);
    dls_qp_active_kkt(fine, w->a, w->hk, w->z, w->u);
    add_step(w, w->u, y);
    for (int p = 0; p < fine->count; p++) lambda[fine->passive[p]] += w->z[p];
    // rounding along a direction without resistance: no correction goes that far
    if (!(dls_norm_max(w->n, y) <= farthest)) break;
    double now = keep_best(w, y, lambda);
    if (!(now < refining * last)) break;
    last = now;
  }
}

// Refinement contracts by rho / (rho + w) in the directions of small eigenvalues w: the smaller rho
// is tried when the larger, which amplifies less rounding, was not enough. The iteration goes on
// from the first.
static void polish(qp_work *w, double tolerance)
{
  if (w->fine == w->core) {
    refine(w, w->core, w->y, w->lambda);
    return;
  }
  double top = w->n > 0 ? w->w[w->n - 1] : 0;
  set_rho(w, top > 0 ? refining_rho * top : 1, w->B_fine);
  dls_qp_active_copy(w->fine, w->core);
  refine(w, w->fine, w->y, w->lambda);
  if (w->best <= tolerance || !(top > 0)) return;
  set_rho(w, refining_rho_smaller * top, w->B_fine);
  dls_qp_active_copy(w->fine, w->core);
  dls_copy(w->polish_y, w->y, w->n);
  if (w->m > 0) dls_copy(w->polish_lambda, w->lambda, w->m);
  refine(w, w->fine, w->polish_y, w->polish_lambda);
}

// Without c no force, and without f no motion, has a scale of its own: what is left of them is
// rounding, and zero may be the exact answer.
static void try_zero(qp_work *w)
{
  double *zero = w->hk;
  if (dls_norm_max(w->n, w->c) == 0 && w->m > 0) {
    dls_clear(w->fk, w->m);
    keep_best(w, w->y, w->fk);
  }
  if (dls_norm_max(w->m, w->f) == 0) {
    dls_clear(zero, w->n);
    keep_best(w, zero, w->lambda);
  }
}

// Whether K y of the best point is the small sum of terms much larger than any force: y then runs
// along a direction that K barely resists, as it does when K is singular up to rounding.
static bool runs_away(const qp_work *w)
{
  ptrdiff_t n = w->n, m = w->m;
  const dls_qp_data *d = w->data;
  double inner = 0, force = 0;
  for (ptrdiff_t j = 0; j < n; j++) {
    double terms = 0, outer = fabs(d->c[j]);
    for (ptrdiff_t k = 0; k < n; k++) terms += fabs(d->K[j * n + k] * w->best_y[k]);
    for (ptrdiff_t i = 0; i < m; i++) outer += fabs(d->E[j * m + i] * w->best_lambda[i]);
    inner = fmax(inner, w->s[j] * terms);
    force = fmax(force, w->s[j] * outer);
  }
  return inner > far_terms * force;
}

// rho for the k-th step: steps c/rho should be longer than the solution, or it takes many, but not
// so long that the solution drowns in their rounding.
static double choose_rho(const qp_work *w, int k)
{
  double top = w->n > 0 ? w->w[w->n - 1] : 0;
  double pull = dls_norm_max(w->n, w->c);
  double size = fmax(dls_norm_max(w->m, w->f), dls_norm_max(w->n, w->y));
  double unit = pull > 0 && size > 0 ? pull / size : top > 0 ? rho_without_force * top : 1;
  double rho = unit * factors[k % FACTORS];
  if (top > 0 && rho < least_rho * top) rho = least_rho * top;
  if (top > 0 && rho > top) rho = top;
  return rho;
}

static bool fulfils(const qp_work *w)
{
  double size = fmax(dls_norm_max(w->m, w->f), dls_norm_max(w->n, w->y));
  for (int i = 0; i < w->m; i++)
    if (!(gap(w, i, w->y) >= -fulfilled_row * size)) return false;
  return true;
}

static qp_active_outcome outer_step(qp_work *w, int k, int *iterations)
{
  qp_active *core = w->core;
  if (!w->cholesky) set_rho(w, choose_rho(w, k), w->B);
  // the first steps all start at zero: with rho small enough they find the solution nearest to it
  if (!w->cholesky && k < CENTRED) dls_clear(w->y, w->n);
  gradient(w, w->y, NULL, w->g);
  to_core(w, w->g, w->a);
  for (int i = 0; i < w->m; i++) w->fk[i] = gap(w, i, w->y);
  core->B = w->cholesky ? w->half : w->B;
  core->a = w->a;
  core->f = w->fk;
  core->limit = 100 + 20 * (w->n + w->m);
  qp_active_outcome outcome = dls_qp_active_solve(core);
  *iterations += core->iterations;
  dls_copy(w->lambda, core->x, w->m);
  if (outcome == QP_INFEASIBLE) return outcome;
  dls_copy(w->u, core->u, w->n);
  add_step(w, w->u, w->y);
  if (outcome == QP_DONE && !w->feasible) w->feasible = fulfils(w);
  return outcome;
}

// ---- the whole ----------------------------------------------------------------------------------

// A row of zeros with f_i < 0 is infeasible by itself.
static bool impossible_row(qp_work *w, double *lambda)
{
  for (int i = 0; i < w->m; i++) {
    if (w->r[i] > 0 || !(w->data->f[i] < 0)) continue;
    dls_clear(w->lambda, w->m);
    w->lambda[i] = 1;
    return dls_qp_farkas(w, lambda);
  }
  return false;
}

static void iterate(qp_work *w, double tolerance, double *y, double *lambda, dls_qp_report *report)
{
  int outer = w->cholesky ? 5 : OUTER;
  for (int k = 0; k < outer; k++) {
    qp_active_outcome outcome = outer_step(w, k, &report->iterations);
    if (outcome == QP_INFEASIBLE) {
      if (dls_qp_farkas(w, lambda) || dls_qp_farkas_by_lp(w, lambda))
        report->outcome = DLS_QP_INFEASIBLE;
      return;
    }
    polish(w, tolerance);
    if (!(w->best <= tolerance)) try_zero(w);
    bool solved = w->best <= tolerance;
    bool ask = solved ? runs_away(w) : k + 1 == ASK_FOR_RAY;
    if (ask && w->feasible && (dls_qp_unbounded(w, y))) report->outcome = DLS_QP_UNBOUNDED;
    else if (solved) report->outcome = DLS_QP_SOLVED;
    if (report->outcome != DLS_QP_LIMIT) return;
    if (w->exhausted || !dls_finite(w->n, w->y)) return;
  }
}

static dls_status run(qp_work *w, double tolerance, double *y, double *lambda,
                      dls_qp_report *report)
{
  dls_status status = allocate(w);
  if (status == DLS_OK) status = scale(w);
  if (status != DLS_OK) return status;
  if (impossible_row(w, lambda)) {
    report->outcome = DLS_QP_INFEASIBLE;
    return DLS_OK;
  }
  w->best = INFINITY;
  status = dls_qp_active_create(w->n, w->m, &w->core);
  // an ill-conditioned Cholesky factor may not be good enough: then once more by eigenvalues
  for (int attempt = 0; attempt < 2 && status == DLS_OK; attempt++) {
    status = factor(w, attempt == 0);
    if (status != DLS_OK) break;
    w->fine = w->core;
    if (!w->cholesky) status = dls_qp_active_create(w->n, w->m, &w->fine);
    if (status != DLS_OK) break;
    if (!w->cholesky) w->fine->B = w->B_fine;
    dls_clear(w->y, w->n);
    iterate(w, tolerance, y, lambda, report);
    if (w->exhausted) return DLS_ERR_MEMORY;
    if (report->outcome != DLS_QP_LIMIT || !w->cholesky) break;
  }
  return status;
}

dls_status dls_qp_solve(const dls_qp_data *data, double tolerance, double *y, double *lambda,
                        dls_qp_report *report)
{
  *report = (dls_qp_report){.outcome = DLS_QP_LIMIT, .residual = NAN};
  dls_status status = check_data(data);
  if (status != DLS_OK) return status;
  qp_work w = {.data = data, .n = data->n, .m = data->m};
  ptrdiff_t n = w.n, m = w.m;
  status = run(&w, tolerance, y, lambda, report);
  if (status == DLS_OK) {
    if (report->outcome == DLS_QP_INFEASIBLE && n > 0) dls_clear(y, n);
    if (report->outcome == DLS_QP_UNBOUNDED && m > 0) dls_clear(lambda, m);
    if (report->outcome == DLS_QP_SOLVED || report->outcome == DLS_QP_LIMIT) {
      if (n > 0) dls_copy(y, w.best_y, n);
      if (m > 0) dls_copy(lambda, w.best_lambda, m);
      report->residual = w.best;
    }
  }
  release(&w);
  return status;
}
