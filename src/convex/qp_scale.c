// Scales of a quadratic program, and its residual. Both depend on the data alone, so that the
// residual does not change when variables or rows are given in other units.
#include "convex/qp_internal.h"

#include "base/memory.h"
#include "convex/tolerances.h"

#include <math.h>
#include <stdlib.h>

enum { PASSES = 8 };

static double power_of_two(double x)
{
  int exponent;
  frexp(x, &exponent);
  return ldexp(1, exponent - 1);
}

// The diagonal of K, raised where an off-diagonal entry shows that it has rounded away:
// K_jk^2 <= K_jj K_kk for every semidefinite matrix.
static double diagonal(const dls_qp_data *d, int j)
{
  ptrdiff_t n = d->n, J = j;
  double largest = d->K[J * n + J];
  for (ptrdiff_t k = 0; k < n; k++) {
    double off = d->K[J * n + k], other = d->K[k * n + k];
    if (k != J && off != 0 && other > 0 && off / other * off > largest) largest = off / other * off;
  }
  return largest;
}

typedef struct range {
  double low, high;  // of the nonzero entries met so far
} range;

static void meet(range *a, double x)
{
  if (x == 0) return;
  a->low = a->low == 0 || x < a->low ? x : a->low;
  a->high = x > a->high ? x : a->high;
}

// 1 / geometric mean of the range, as a power of two; `none` when there is nothing in it.
static double inverse_mean(range a, double none)
{
  double mean = sqrt(a.low) * sqrt(a.high);
  return mean > 0 && isfinite(mean) ? 1 / power_of_two(mean) : none;
}

void dls_qp_scales(const dls_qp_data *d, double *s, double *r)
{
  ptrdiff_t n = d->n, m = d->m;
  // a negative s marks a variable without a scale of its own: E must give one
  for (ptrdiff_t j = 0; j < n; j++) {
    double k = sqrt(diagonal(d, (int)j));
    s[j] = k > 0 && isfinite(1 / k) ? 1 / power_of_two(k) : -1;
  }
  for (int pass = 0; pass < PASSES; pass++) {
    bool last = pass == PASSES - 1;
    for (ptrdiff_t i = 0; i < m; i++) {
      range row = {0, 0};
      for (ptrdiff_t j = 0; j < n; j++) meet(&row, fabs(d->E[j * m + i] * s[j]));
      if (last) row.low = row.high;
      r[i] = inverse_mean(row, 0);
    }
    for (ptrdiff_t j = 0; j < n && !last; j++) {
      range col = {0, 0};
      if (s[j] > 0) continue;
      for (ptrdiff_t i = 0; i < m; i++) meet(&col, fabs(d->E[j * m + i] * r[i]));
      s[j] = -inverse_mean(col, 1);
    }
  }
  for (ptrdiff_t j = 0; j < n; j++) s[j] = fabs(s[j]);
}

// ---- residual ----------------------------------------------------------------------------------

// value against size + some of the largest size: entries whose own terms all vanish are measured
// by the rest.
static double relative(double value, double size, double largest)
{
  double total = size + share_of_size * largest;
  return value == 0 ? 0 : value / total;
}

static void worsen(double *worst, double x)
{
  if (!(x <= *worst)) *worst = x;  // NaN stays
}

typedef struct residual_work {
  double *s, *r;
  double *value, *size;  // max(n, m)
  double *inner;         // n: the terms of K y
  double force;          // the largest term of the stationarity
  double motion;         // what c alone would move, when K is not zero
} residual_work;

// K y + c - E^T lambda in the scaled variables. The terms of K y count only up to ten times the
// largest force (unless there is none): a huge y along a direction that K barely resists must not
// make every residual look small.
static double stationarity(const dls_qp_data *d, residual_work *w, const double *y,
                           const double *lambda)
{
  ptrdiff_t n = d->n, m = d->m;
  double largest = 0, force = 0, inner = 0, worst = 0;
  for (ptrdiff_t j = 0; j < n; j++) {
    long double sum = d->c[j], outer_size = fabs(d->c[j]), inner_size = 0;
    for (ptrdiff_t k = 0; k < n; k++) {
      long double term = (long double)d->K[j * n + k] * y[k];
      sum += term;
      inner_size += fabsl(term);
    }
    for (ptrdiff_t i = 0; i < m; i++) {
      long double term = (long double)d->E[j * m + i] * lambda[i];
      sum -= term;
      outer_size += fabsl(term);
    }
    w->value[j] = w->s[j] * fabs((double)sum);
    w->size[j] = w->s[j] * (double)outer_size;
    w->inner[j] = w->s[j] * (double)inner_size;
    worsen(&force, w->size[j]);
    worsen(&inner, w->inner[j]);
    if (d->K[j * n + j] > 0) worsen(&w->motion, w->s[j] * fabs(d->c[j]));
  }
  double share = force > 0 && inner > counted_sizes * force ? counted_sizes * force / inner : 1;
  for (ptrdiff_t j = 0; j < n; j++) worsen(&largest, w->size[j] += share * w->inner[j]);
  w->force = largest;
  for (ptrdiff_t j = 0; j < n; j++) worsen(&worst, relative(w->value[j], w->size[j], largest));
  return worst;
}

// 0 <= lambda _|_ E y + f >= 0 in the scaled rows
static double complementarity(const dls_qp_data *d, const residual_work *w, const double *y,
                              const double *lambda)
{
  ptrdiff_t n = d->n, m = d->m;
  double largest = w->motion, force = 0, worst = 0;
  for (ptrdiff_t i = 0; i < m; i++) {
    double r = w->r[i] > 0 ? w->r[i] : 1;
    long double sum = d->f[i], size = fabs(d->f[i]);
    for (ptrdiff_t j = 0; j < n; j++) {
      long double term = (long double)d->E[j * m + i] * y[j];
      sum += term;
      size += fabsl(term);
    }
    w->value[i] = r * (double)sum;
    w->size[i] = r * (double)size;
    worsen(&largest, w->size[i]);
    worsen(&force, fabs(lambda[i]) / r);
  }
  for (ptrdiff_t i = 0; i < m; i++) {
    double r = w->r[i] > 0 ? w->r[i] : 1;
    double gap = relative(w->value[i], w->size[i], largest);
    double push = lambda[i] == 0 ? 0 : relative(lambda[i] / r, force, w->force);
    // each is at least -residual, and not both exceed it
    worsen(&worst, fabs(gap < push ? gap : push));
    if (isnan(gap) || isnan(push)) worst = NAN;
    if (isnan(worst)) return worst;
  }
  return worst;
}

dls_status dls_qp_measure(const dls_qp_data *d, const double *y, const double *lambda,
                          double *residual)
{
  ptrdiff_t n = d->n, m = d->m, longest = n > m ? n : m;
  residual_work w = {.s = dls_alloc(n, sizeof(double)),
                     .r = dls_alloc(m, sizeof(double)),
                     .value = dls_alloc(longest, sizeof(double)),
                     .size = dls_alloc(longest, sizeof(double)),
                     .inner = dls_alloc(n, sizeof(double))};
  double worst = NAN;
  const bool room = w.s && w.r && w.value && w.size && w.inner;
  if (room) {
    dls_qp_scales(d, w.s, w.r);
    worst = stationarity(d, &w, y, lambda);
    if (!isnan(worst)) worsen(&worst, complementarity(d, &w, y, lambda));
  }
  free(w.s);
  free(w.r);
  free(w.value);
  free(w.size);
  free(w.inner);
  *residual = worst;
  return room ? DLS_OK : DLS_ERR_MEMORY;
}

double dls_qp_residual(const dls_qp_data *d, const double *y, const double *lambda)
{
  double residual = NAN;
  (void)dls_qp_measure(d, y, lambda, &residual);
  return residual;
}
