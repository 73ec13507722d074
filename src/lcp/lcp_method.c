#include "lcp/lcp_method.h"

#include "base/clock.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/lu.h"
#include "lcp/lcp.h"

#include <math.h>

double dls_lcp_measure_point(dls_lcp_run *r)
{
  for (int i = 0; i < r->given.n; i++)
    if (!isfinite(r->point[i])) return INFINITY;
  dls_mlcp_rows(&r->given, r->point, r->w, r->terms);
  const double error = dls_mlcp_natural(&r->given, r->R, r->C, r->point, r->w).in_units;
  return isnan(error) ? INFINITY : error;
}

double dls_lcp_offer(dls_lcp_run *r, const double *z)
{
  for (int i = 0; i < r->given.n; i++) r->point[i] = z[i] * r->col[i] / r->s;
  const double error = dls_lcp_measure_point(r);
  if (error < r->own_error) r->own_error = error;
  if (error < r->best_error) {
    r->best_error = error;
    r->best_solver = r->solver;
    if (r->given.n > 0) dls_copy(r->best, r->point, r->given.n);
  }
  return error;
}

bool dls_lcp_continue(dls_lcp_run *r, double error)
{
  const dls_lcp_options *o = &r->options;
  if (r->best_error <= o->tolerance) r->stop = DLS_LCP_STOP_CONVERGED;
  else if (r->iterations >= r->limit) r->stop = DLS_LCP_STOP_ITERATIONS;
  else if (o->watch && o->watch(o->self, r->iterations, error, r->solver))
    r->stop = DLS_LCP_STOP_INTERRUPTED;
  else if (o->time_limit > 0 && dls_clock() - r->began > o->time_limit) r->stop = DLS_LCP_STOP_TIME;
  else {
    r->iterations++;
    return true;
  }
  return false;
}

bool dls_lcp_next(dls_lcp_run *r, const double *z)
{
  const double error = dls_lcp_offer(r, z);
  return dls_lcp_continue(r, error);
}

void dls_lcp_limit(dls_lcp_run *r, int own)
{
  r->limit = r->options.max_iterations > 0 ? r->options.max_iterations : own;
}

ptrdiff_t dls_lcp_basis_reals(int n)
{
  return (ptrdiff_t)n * n + 6 * (ptrdiff_t)n;
}

bool dls_lcp_basis_solve(const dls_lcp_run *r, const int *in, double least, double *z, double *work,
                         int *index)
{
  const dls_mlcp *p = &r->scaled;
  const ptrdiff_t n = p->n;
  double *B = work, *x = B + n * n, *residual = x + n, *lu_work = residual + n;
  int *pivot = index + n, count = 0;
  for (int i = 0; i < p->n; i++)
    if (i < p->free || in[i]) index[count++] = i;
  const ptrdiff_t m = count;
  for (ptrdiff_t a = 0; a < m; a++) {
    x[a] = -p->q[index[a]];
    for (ptrdiff_t b = 0; b < m; b++) B[b + m * a] = p->M[index[b] + n * index[a]];
  }
  if (!(dls_lu_factor(count, B, pivot, lu_work) > least)) return false;
  dls_lu_solve(count, 1, B, pivot, false, x);
  // one step of refinement with the residual in long double
  for (ptrdiff_t a = 0; a < m; a++) {
    long double sum = -(long double)p->q[index[a]];
    for (ptrdiff_t b = 0; b < m; b++) sum -= (long double)p->M[index[a] + n * index[b]] * x[b];
    residual[a] = (double)sum;
  }
  dls_lu_solve(count, 1, B, pivot, false, residual);
  dls_clear(z, n);
  for (ptrdiff_t a = 0; a < m; a++) z[index[a]] = x[a] + residual[a];
  return true;
}
