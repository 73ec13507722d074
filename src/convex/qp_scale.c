// Scales of a quadratic program, and its residual. Both depend on the data alone, so that the
// residual does not change when variables or rows are given in other units.
#include "convex/qp_internal.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

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
  size_t n = (size_t)d->n, J = (size_t)j;
  double largest = d->K[J * n + J];
  for (size_t k = 0; k < n; k++) {
    double off = d->K[J * n + k], other = d->K[k * n + k];
    if (k != J && off != 0 && other > 0 && off / other * off > largest) largest = off / other * off;
  }
  return largest;
}

void dls_qp_scales(const dls_qp_data *d, double *s, double *r)
{
  size_t n = (size_t)d->n, m = (size_t)d->m;
  for (size_t j = 0; j < n; j++) {
    double k = diagonal(d, (int)j);
    s[j] = k > 0 && isfinite(k) ? 1 / power_of_two(sqrt(k)) : 0;
    if (!isfinite(s[j])) s[j] = 0;
  }
  // rows from the columns that have a scale, then the columns without one from the rows
  for (int pass = 0; pass < 3; pass++) {
    for (size_t i = 0; i < m; i++) r[i] = 0;
    for (size_t j = 0; j < n; j++)
      for (size_t i = 0; i < m; i++) r[i] = fmax(r[i], fabs(d->E[j * m + i]) * s[j]);
    for (size_t i = 0; i < m; i++) {
      double largest = r[i];
      if (pass == 0 && largest == 0)
        for (size_t j = 0; j < n; j++) largest = fmax(largest, fabs(d->E[j * m + i]));
      r[i] = largest > 0 && isfinite(largest) ? 1 / power_of_two(largest) : 0;
    }
    for (size_t j = 0; j < n; j++) {
      if (diagonal(d, (int)j) > 0 && s[j] > 0) continue;
      double largest = 0;
      for (size_t i = 0; i < m; i++) largest = fmax(largest, fabs(d->E[j * m + i]) * r[i]);
      s[j] = largest > 0 && isfinite(largest) ? 1 / power_of_two(largest) : 1;
    }
  }
}

// ---- residual ----------------------------------------------------------------------------------

// value against size + 1e-3 of the largest size: entries whose own terms all vanish are measured
// by the rest.
static double relative(double value, double size, double largest)
{
  double total = size + 1e-3 * largest;
  return value == 0 ? 0 : value / total;
}

static void worsen(double *worst, double x)
{
  if (!(x <= *worst)) *worst = x;  // NaN stays
}

typedef struct residual_work {
  double *s, *r;
  double *value, *size;  // max(n, m)
} residual_work;

// K y + c - E^T lambda in the scaled variables
static double stationarity(const dls_qp_data *d, const residual_work *w, const double *y,
                           const double *lambda)
{
  size_t n = (size_t)d->n, m = (size_t)d->m;
  double largest = 0, worst = 0;
  for (size_t j = 0; j < n; j++) {
    long double sum = d->c[j], size = fabs(d->c[j]);
    for (size_t k = 0; k < n; k++) {
      long double term = (long double)d->K[j * n + k] * y[k];
      sum += term;
      size += fabsl(term);
    }
    for (size_t i = 0; i < m; i++) {
      long double term = (long double)d->E[j * m + i] * lambda[i];
      sum -= term;
      size += fabsl(term);
    }
    w->value[j] = w->s[j] * fabs((double)sum);
    w->size[j] = w->s[j] * (double)size;
    worsen(&largest, w->size[j]);
  }
  for (size_t j = 0; j < n; j++) worsen(&worst, relative(w->value[j], w->size[j], largest));
  return worst;
}

// 0 <= lambda _|_ E y + f >= 0 in the scaled rows
static double complementarity(const dls_qp_data *d, const residual_work *w, const double *y,
                              const double *lambda)
{
  size_t n = (size_t)d->n, m = (size_t)d->m;
  double largest = 0, force = 0, worst = 0;
  for (size_t i = 0; i < m; i++) {
    double r = w->r[i] > 0 ? w->r[i] : 1;
    long double sum = d->f[i], size = fabs(d->f[i]);
    for (size_t j = 0; j < n; j++) {
      long double term = (long double)d->E[j * m + i] * y[j];
      sum += term;
      size += fabsl(term);
    }
    w->value[i] = r * (double)sum;
    w->size[i] = r * (double)size;
    worsen(&largest, w->size[i]);
    worsen(&force, fabs(lambda[i]) / r);
  }
  for (size_t i = 0; i < m; i++) {
    double r = w->r[i] > 0 ? w->r[i] : 1;
    double gap = relative(w->value[i], w->size[i], largest);
    double push = lambda[i] == 0 ? 0 : lambda[i] / r / force;
    // each is at least -residual, and not both exceed it
    worsen(&worst, fabs(gap < push ? gap : push));
    if (isnan(gap) || isnan(push)) worst = NAN;
    if (isnan(worst)) return worst;
  }
  return worst;
}

double dls_qp_residual(const dls_qp_data *d, const double *y, const double *lambda)
{
  size_t n = (size_t)d->n, m = (size_t)d->m, longest = n > m ? n : m;
  residual_work w = {.s = dls_alloc(n, sizeof(double)),
                     .r = dls_alloc(m, sizeof(double)),
                     .value = dls_alloc(longest, sizeof(double)),
                     .size = dls_alloc(longest, sizeof(double))};
  double worst = NAN;
  if (w.s && w.r && w.value && w.size) {
    dls_qp_scales(d, w.s, w.r);
    worst = stationarity(d, &w, y, lambda);
    if (!isnan(worst)) worsen(&worst, complementarity(d, &w, y, lambda));
  }
  free(w.s);
  free(w.r);
  free(w.value);
  free(w.size);
  return worst;
}
