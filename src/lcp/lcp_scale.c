#include "lcp/lcp_scale.h"

#include <math.h>

enum { PASSES = 4, MEANS = 8 };
enum { LARGEST_EXPONENT = 300 };  // far enough from the ends of the range for products of three

double dls_lcp_inverse_power(double x)
{
  int exponent = 0;
  if (!(x > 0) || !isfinite(x)) return 1;
  frexp(x, &exponent);
  if (exponent > LARGEST_EXPONENT) exponent = LARGEST_EXPONENT;
  if (exponent < -LARGEST_EXPONENT) exponent = -LARGEST_EXPONENT;
  return ldexp(1, -exponent);
}

// The size of row a, or of column a, in the present units: its largest entry or their mean.
static double size_of(const dls_mlcp *p, bool mean, bool columns, ptrdiff_t a, const double *R,
                      const double *C)
{
  const ptrdiff_t n = p->n;
  double largest = 0;
  long sum = 0, count = 0;
  for (ptrdiff_t b = 0; b < n; b++) {
    const ptrdiff_t i = columns ? b : a, j = columns ? a : b;
    const double x = fabs(p->M[i + n * j]) * R[i] * C[j];
    if (!(x > 0)) continue;
    largest = fmax(largest, x);
    // exponents alone: their sums are exact, so that other units change the mean by theirs
    int exponent = 0;
    frexp(x, &exponent);
    sum += exponent, count++;
  }
  if (!mean || count == 0) return largest;
  return ldexp(0.5, (int)floor((double)(2 * sum + count) / (double)(2 * count)));
}

void dls_lcp_scale(const dls_mlcp *p, dls_lcp_units units, double *R, double *C, double *s)
{
  const ptrdiff_t n = p->n;
  const int means = units == DLS_LCP_UNITS_MEAN ? MEANS : 0;
  for (ptrdiff_t i = 0; i < n; i++) R[i] = C[i] = 1;
  // rows, then columns, again and again, as columns disturb rows
  for (int pass = 0; pass < means + PASSES; pass++)
    for (ptrdiff_t a = 0; a < n; a++) {
      const double factor = dls_lcp_inverse_power(size_of(p, pass < means, pass % 2, a, R, C));
      if (pass % 2) C[a] *= factor;
      else R[a] *= factor;
    }
  double load = 0;
  for (ptrdiff_t i = 0; i < n; i++) load = fmax(load, fabs(p->q[i] * R[i]));
  *s = dls_lcp_inverse_power(load);
}

bool dls_lcp_apply_scale(const dls_mlcp *p, const double *R, const double *C, double s, double *M,
                         double *q)
{
  const ptrdiff_t n = p->n;
  bool exact = true;
  for (ptrdiff_t j = 0; j < n; j++) {
    q[j] = p->q[j] * R[j] * s;
    exact &= q[j] / s / R[j] == p->q[j];
    for (ptrdiff_t i = 0; i < n; i++) {
      double *x = &M[i + n * j];
      *x = p->M[i + n * j] * R[i] * C[j];
      exact &= *x / C[j] / R[i] == p->M[i + n * j];
    }
  }
  return exact;
}
