// Residuals of complementarity problems.                                             eq (lcp.2)
#include <delassus/lcp.h>

#include "base/memory.h"
#include "lcp/lcp.h"
#include "base/larger.h"

#include <math.h>
#include <stdlib.h>

enum { LARGEST = 10000 };  // unknowns, of whatever is asked

dls_status dls_mlcp_validate(const dls_mlcp *p)
{
  if (!p || p->n < 0 || p->free < 0 || p->free > p->n) return DLS_ERR_ARGUMENT;
  if (p->n > LARGEST) return DLS_ERR_LIMIT;
  if (p->n > 0 && (!p->M || !p->q)) return DLS_ERR_ARGUMENT;
  const ptrdiff_t n = p->n;
  for (ptrdiff_t k = 0; k < n * n; k++)
    if (!isfinite(p->M[k])) return DLS_ERR_NUMBER;
  for (ptrdiff_t k = 0; k < n; k++)
    if (!isfinite(p->q[k])) return DLS_ERR_NUMBER;
  return DLS_OK;
}

void dls_mlcp_rows(const dls_mlcp *p, const double *z, double *w, double *terms)
{
  const ptrdiff_t n = p->n;
  for (ptrdiff_t i = 0; i < n; i++) {
    long double sum = p->q[i], size = fabs(p->q[i]);
    for (ptrdiff_t j = 0; j < n; j++) {
      const long double x = (long double)p->M[i + n * j] * z[j];
      sum += x, size += fabsl(x);
    }
    w[i] = (double)sum, terms[i] = (double)size;
  }
}

// NaN when one of them is
static double smaller(double a, double b)
{
  if (isnan(a) || isnan(b)) return NAN;
  return a < b ? a : b;
}

// What z_j contributes to the rows, relative to their terms. Where it contributes to none there is
// nothing to measure it by, and it counts in full.
static double contribution(const dls_mlcp *p, ptrdiff_t j, double z, const double *terms)
{
  const ptrdiff_t n = p->n;
  double largest = 0;
  bool seen = false;
  if (z == 0) return 0;
  for (ptrdiff_t i = 0; i < n; i++) {
    const double x = fabs(p->M[i + n * j] * z);
    if (p->M[i + n * j] == 0) continue;
    seen = true;
    if (!(x == 0)) largest = dls_larger(largest, x / terms[i]);
  }
  return seen ? largest : 1;
}

dls_lcp_error dls_mlcp_measure(const dls_mlcp *p, const double *z, double *w, double *terms)
{
  const ptrdiff_t n = p->n;
  dls_mlcp_rows(p, z, w, terms);
  double absolute = 0, relative = 0;
  for (ptrdiff_t i = 0; i < n; i++) {
    const double row = w[i] == 0 ? 0 : w[i] / terms[i];
    if (i < p->free) {
      absolute = dls_larger(absolute, fabs(w[i]));
      relative = dls_larger(relative, fabs(row));
      continue;
    }
    absolute = dls_larger(absolute, fabs(smaller(z[i], w[i])));
    const double size = contribution(p, i, z[i], terms);
    relative = dls_larger(relative, fabs(smaller(z[i] < 0 ? -size : size, row)));
  }
  return (dls_lcp_error){.absolute = absolute, .relative = relative};
}

// sqrt(sum / load), where no load counts as 1
static double ratio(long double sum, long double load)
{
  return (double)(sqrtl(sum) / (load > 0 ? sqrtl(load) : 1));
}

dls_natural_error dls_mlcp_natural(const dls_mlcp *p, const double *R, const double *C,
                                   const double *z, const double *w)
{
  long double plain = 0, load = 0, in_units = 0, load_in_units = 0;
  for (int i = 0; i < p->n; i++) {
    const double own_w = R[i] * w[i], own_q = R[i] * p->q[i];
    const long double x = i < p->free ? w[i] : smaller(z[i], w[i]);
    const long double y = i < p->free ? own_w : smaller(z[i] / C[i], own_w);
    plain += x * x, load += (long double)p->q[i] * p->q[i];
    in_units += y * y, load_in_units += (long double)own_q * own_q;
  }
  return (dls_natural_error){ratio(plain, load), ratio(in_units, load_in_units)};
}

dls_status dls_mlcp_residual(const dls_mlcp *p, const double *z, dls_lcp_error *error)
{
  *error = (dls_lcp_error){.absolute = NAN, .relative = NAN};
  if (!p || p->n < 0 || p->free < 0 || p->free > p->n) return DLS_ERR_ARGUMENT;
  const ptrdiff_t n = p->n;
  double *w = dls_alloc(2 * n, sizeof *w);
  if (!w) return DLS_ERR_MEMORY;
  *error = dls_mlcp_measure(p, z, w, w + n);
  free(w);
  return DLS_OK;
}

dls_status dls_lcp_residual(const dls_lcp *p, const double *z, dls_lcp_error *error)
{
  *error = (dls_lcp_error){.absolute = NAN, .relative = NAN};
  if (!p) return DLS_ERR_ARGUMENT;
  const dls_mlcp mixed = {.n = p->n, .free = 0, .M = p->M, .q = p->q};
  return dls_mlcp_residual(&mixed, z, error);
}
