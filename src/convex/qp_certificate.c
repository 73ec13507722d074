// Certificates of infeasible and unbounded quadratic programs, checked from the data given.
#include "convex/qp_internal.h"

#include "base/memory.h"
#include "convex/lp.h"
#include "convex/tolerances.h"
#include "linalg/dense.h"
#include "linalg/dense_internal.h"

#include <math.h>
#include <stdlib.h>

// lambda in the units of the data, from its scaled values in w->lambda; normalised and checked:
// lambda >= 0, E^T lambda = 0, f^T lambda = -1.
bool dls_qp_farkas(qp_work *w, double *lambda)
{
  ptrdiff_t n = w->n, m = w->m;
  const dls_qp_data *d = w->data;
  long double fall = 0, size = 0;
  for (ptrdiff_t i = 0; i < m; i++) {
    double r = w->r[i] > 0 ? w->r[i] : 1;
    lambda[i] = r * w->lambda[i];
    if (!(lambda[i] >= 0) || isinf(lambda[i])) return false;
    fall += (long double)d->f[i] * lambda[i];
    size += fabsl((long double)d->f[i] * lambda[i]);
  }
  if (!(fall < -certificate_margin * size)) return false;
  for (ptrdiff_t i = 0; i < m; i++) lambda[i] = (double)(lambda[i] / -fall);
  for (ptrdiff_t j = 0; j < n; j++) {
    long double sum = 0, terms = 0;
    for (ptrdiff_t i = 0; i < m; i++) {
      long double term = (long double)d->E[j * m + i] * lambda[i];
      sum += term;
      terms += fabsl(term);
    }
    if (!(fabsl(sum) <= certificate_zero_qp * terms)) return false;
  }
  return dls_finite(m, lambda);
}

// A Farkas ray from the linear program, when the one of the active-set method was too rough.
bool dls_qp_farkas_by_lp(qp_work *w, double *lambda)
{
  ptrdiff_t n = w->n, m = w->m;
  bool good = true;
  double *low = dls_qp_reals(m, &good), *high = dls_qp_reals(m, &good);
  double *col_low = dls_qp_reals(n, &good), *col_high = dls_qp_reals(n, &good),
         *cost = dls_qp_reals(n, &good);
  if (good) {
    for (ptrdiff_t i = 0; i < m; i++) low[i] = -w->f[i], high[i] = INFINITY;
    for (ptrdiff_t j = 0; j < n; j++) col_low[j] = -INFINITY, col_high[j] = INFINITY;
    dls_lp_data data = {w->m, w->n, w->E, low, high, col_low, col_high, cost};
    dls_lp_outcome outcome;
    const dls_status status = dls_lp_run(&data, NULL, w->lambda, NULL, &outcome);
    if (status == DLS_ERR_MEMORY) w->exhausted = true;
    good = status == DLS_OK && outcome == DLS_LP_INFEASIBLE && dls_qp_farkas(w, lambda);
  } else {
    w->exhausted = true;
  }
  free(low);
  free(high);
  free(col_low);
  free(col_high);
  free(cost);
  return good;
}

// y = S V_N v in the units of the data; checked: K y = 0, E y >= 0, c^T y = -1.
static bool ray(const qp_work *w, int nulls, const double *v, double *y)
{
  ptrdiff_t n = w->n, m = w->m;
  const dls_qp_data *d = w->data;
  double *scaled = w->try_y;
  dls_gemv(false, w->n, nulls, 1, w->L, v, 0, scaled);
  double size = dls_norm_max(w->n, scaled);
  long double fall = 0, terms = 0;
  for (ptrdiff_t j = 0; j < n; j++) {
    y[j] = scaled[j] * w->s[j];
    fall += (long double)d->c[j] * y[j];
    terms += fabsl((long double)d->c[j] * y[j]);
  }
  if (!(fall < -certificate_margin * terms)) return false;
  for (ptrdiff_t j = 0; j < n; j++) {
    long double sum = 0;
    for (ptrdiff_t k = 0; k < n; k++) sum += (long double)d->K[j * n + k] * y[k];
    if (!(fabsl(sum) * w->s[j] <= certificate_zero_qp * size)) return false;
  }
  for (ptrdiff_t i = 0; i < m; i++) {
    long double sum = 0;
    for (ptrdiff_t j = 0; j < n; j++) sum += (long double)d->E[j * m + i] * y[j];
    if (!(sum * w->r[i] >= -certificate_zero_qp * size)) return false;
  }
  for (ptrdiff_t j = 0; j < n; j++) y[j] = (double)(y[j] / -fall);
  return dls_finite(n, y);
}

// min c^T V_N v  s.t.  E V_N v >= -slack, |v| <= 1, over the null space of K.
static bool find_ray(qp_work *w, double slack, double *y)
{
  int nulls = 0;
  double top = w->n > 0 ? w->w[w->n - 1] : 0;
  while (nulls < w->n && w->w[nulls] <= null_space * (double)w->n * top) nulls++;
  if (w->cholesky || nulls == 0) return false;
  ptrdiff_t k = nulls, m = w->m;
  bool good = true;
  double *A = dls_qp_reals(m * k, &good), *low = dls_qp_reals(m, &good),
         *high = dls_qp_reals(m, &good);
  double *col_low = dls_qp_reals(k, &good), *col_high = dls_qp_reals(k, &good),
         *cost = dls_qp_reals(k, &good);
  double *v = dls_qp_reals(k, &good);
  if (good) {
    dls_gemm(false, false, w->m, nulls, w->n, 1, w->E, w->L, 0, A);
    dls_gemv(true, w->n, nulls, 1, w->L, w->c, 0, cost);
    // rows of E have entries around 1: less is rounding, and must not forbid a parallel ray
    for (ptrdiff_t e = 0; e < m * k; e++)
      if (fabs(A[e]) <= null_space * (double)w->n) A[e] = 0;
    for (ptrdiff_t i = 0; i < m; i++) low[i] = -slack, high[i] = INFINITY;
    for (ptrdiff_t j = 0; j < k; j++) col_low[j] = -1, col_high[j] = 1;
    dls_lp_data data = {w->m, nulls, A, low, high, col_low, col_high, cost};
    dls_lp_outcome outcome;
    const dls_status status = dls_lp_run(&data, v, NULL, NULL, &outcome);
    if (status == DLS_ERR_MEMORY) w->exhausted = true;
    good = status == DLS_OK && outcome == DLS_LP_OPTIMAL && ray(w, nulls, v, y);
  } else {
    w->exhausted = true;
  }
  free(A);
  free(low);
  free(high);
  free(col_low);
  free(col_high);
  free(cost);
  free(v);
  return good;
}

bool dls_qp_unbounded(qp_work *w, double *y)
{
  // rows that are parallel to the ray up to rounding may need half of what the check allows
  return find_ray(w, 0, y) || find_ray(w, certificate_zero_qp / 2, y);
}
