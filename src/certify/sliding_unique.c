// Unique for every load?                                                    eqs (sli.2), (lcp.5)
#include "certify/sliding_internal.h"

#include "base/memory.h"
#include "certify/pmatrix.h"
#include "certify/representatives.h"
#include "certify/tolerances.h"
#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

// 2 x 2 minors up to this part of their terms may be negative: their sign is computed again.
static const double nearly_negative = 1e-12;

enum { LARGEST = DLS_REPRESENTATIVES_LARGEST };

static const double noise = 2 * DBL_EPSILON;

dls_status dls_sliding_validate(const dls_sliding *s, const double *mu)
{
  if (!s || s->m_b < 0 || s->m_u < 0) return DLS_ERR_ARGUMENT;
  if (s->m_b > 2000 || s->m_u > 2000) return DLS_ERR_LIMIT;
  const ptrdiff_t m = (ptrdiff_t)s->m_b + s->m_u;
  if (m == 0) return DLS_OK;
  if (!s->A_n || !s->A_t || !s->frictional || (!mu && !s->mu)) return DLS_ERR_ARGUMENT;
  const double *friction = mu ? mu : s->mu;
  for (ptrdiff_t k = 0; k < m * m; k++)
    if (!isfinite(s->A_n[k]) || !isfinite(s->A_t[k])) return DLS_ERR_NUMBER;
  for (ptrdiff_t j = 0; j < m; j++) {
    if (!isfinite(friction[j])) return DLS_ERR_NUMBER;
    if (friction[j] < 0) return DLS_ERR_ARGUMENT;
    for (ptrdiff_t i = 0; i < j; i++) {
      const double a = s->A_n[i + m * j], b = s->A_n[j + m * i];
      const double size = sqrt(fabs(s->A_n[i * (m + 1)])) * sqrt(fabs(s->A_n[j * (m + 1)]));
      if (fabs(a - b) > not_symmetric * fmax(fmax(fabs(a), fabs(b)), size)) return DLS_ERR_ARGUMENT;
    }
  }
  return DLS_OK;
}

// a - sign mu t, exact where it can be: then its bound is zero.
static dls_tracked entry(double a, double sign, double mu, double width, double t, double level)
{
  const long double product = (long double)mu * t * sign, x = a - product;
  const bool exact = product == 0 || fmal((long double)mu, t * sign, -product) == 0;
  const long double part = x - a;  // Knuth's sum: what the subtraction lost
  const long double lost = (a - (x - part)) + (-product - part);
  const long double terms = fabs(a) + fabsl(product);
  dls_tracked out = {.x = x, .e = level * terms + (long double)width * fabs(t)};
  if (!exact || lost != 0) out.e += LDBL_EPSILON * terms;
  return out;
}

// A power of two next to the largest entry: unit columns of this length have the unit of the
// others, so that another unit of mass changes no bit.
static double column_unit(const dls_sliding *s)
{
  const int m = s->m_b + s->m_u;
  const double largest = dls_norm_max(m * m, s->A_n);
  int exponent = 1;
  if (largest > 0) frexp(largest, &exponent);
  return ldexp(1, exponent - 1);
}

void dls_sliding_columns(const dls_sliding *s, const double *mu, double uniform, double width,
                         double level, dls_tracked *A, dls_tracked *B)
{
  const int m = s->m_b + s->m_u;
  const double unit = column_unit(s);
  for (int j = 0; j < m; j++) {
    const bool friction = s->frictional[j];
    const double value = mu ? mu[j] : uniform;
    for (int i = 0; i < m; i++) {
      const ptrdiff_t k = i + (ptrdiff_t)m * j;
      const double t = friction ? s->A_t[k] : 0;
      const double size = sqrt(fabs(s->A_n[i * (m + 1)])) * sqrt(fabs(s->A_n[j * (m + 1)]));
      const double left = s->rounding * size * (1 + (friction ? value * s->coupling : 0));
      dls_tracked plus = entry(s->A_n[k], 1, value, width, t, level);
      plus.e += left;
      if (j < s->m_b) {
        A[k] = plus, B[k] = entry(s->A_n[k], -1, value, width, t, level);
        B[k].e += left;
      } else {
        A[k] = (dls_tracked){.x = i == j ? unit : 0}, B[k] = plus;
      }
    }
  }
}

// Bit or flag of "column of B" as a choice of the header.
static int choice_of(const dls_sliding *s, int j, bool from_B)
{
  if (j < s->m_b) return from_B ? -1 : 1;
  return from_B;
}

typedef struct columns {
  int m;
  dls_tracked *A, *B;
} columns;

static dls_status set_witness(const dls_sliding *s, const columns *c, const bool *bad, int *first,
                              int *second, dls_sliding_verdict *out)
{
  bool *reference = dls_alloc(c->m, sizeof *reference);
  if (!reference) return DLS_ERR_MEMORY;
  dls_sign one, two;
  double error;
  dls_status status = dls_representative_sign(c->m, c->A, c->B, bad, &one, &out->determinant_first,
                                              &out->error_first);
  if (status == DLS_OK)
    status = dls_representative_sign(c->m, c->A, c->B, reference, &two, &out->determinant_second,
                                     &error);
  for (int j = 0; j < c->m; j++)
    first[j] = choice_of(s, j, bad[j]), second[j] = choice_of(s, j, false);
  out->has_witness = true;
  free(reference);
  return status;
}

static dls_status exact(const dls_sliding *s, const columns *c, int *first, int *second,
                        dls_sliding_verdict *out)
{
  dls_representatives r;
  const double zero = c->m * DBL_EPSILON;
  dls_status status = dls_representatives_test(c->m, c->A, c->B, zero, &r);
  if (status != DLS_OK) return status;
  out->by = s->m_b == 0 ? "all principal minors, with error bounds"
                        : "determinants of all choices of signs and closed contacts";
  out->answer = r.answer, out->margin = r.margin;
  if (r.answer == DLS_YES) return DLS_OK;
  bool bad[LARGEST];
  for (int j = 0; j < c->m; j++) bad[j] = r.second >> j & 1;
  return set_witness(s, c, bad, first, second, out);
}

// ---- more contacts than choices can be listed for ----------------------------------------------

// |A_n^-1 A_t [mu]|_2 < 1: the fixed point of the forces is a contraction, with bilateral contacts
// only.
static dls_status contraction(const dls_sliding *s, const double *mu, dls_sliding_verdict *out)
{
  const ptrdiff_t m = s->m_b;
  double *T = dls_alloc(2 * m * m + m, sizeof *T), *K = T ? T + m * m : NULL, rcond = 0;
  if (!T) return DLS_ERR_MEMORY;
  double *singular = K + m * m;
  for (ptrdiff_t j = 0; j < m; j++)
    for (ptrdiff_t i = 0; i < m; i++)
      T[i + m * j] = s->frictional[j] ? mu[j] * s->A_t[i + m * j] : 0;
  dls_status status = dls_solve(s->m_b, s->m_b, s->A_n, T, K, &rcond);
  if (status == DLS_OK && rcond > 0) {
    status = dls_svd(s->m_b, s->m_b, K, NULL, singular, NULL);
    const double norm = singular[0] * (1 + 32 * (double)m * DBL_EPSILON / rcond);
    if (status == DLS_OK && norm < 1) {
      out->answer = DLS_YES, out->margin = 1 - norm;
      out->by = "contraction: |A_n^-1 A_t mu| < 1";
    }
  }
  free(T);
  return status;
}

// One or two contacts changed against the reference. N = A^-1 B says which may fail.
static dls_status search_small(const dls_sliding *s, const columns *c, const double *N, int *first,
                               int *second, dls_sliding_verdict *out)
{
  const ptrdiff_t m = c->m;
  bool *bad = dls_alloc(m, sizeof *bad), *none = dls_alloc(m, sizeof *none);
  dls_status status = bad && none ? DLS_OK : DLS_ERR_MEMORY;
  dls_sign reference = DLS_UNSURE, sign = DLS_UNSURE;
  double size, error;
  if (status == DLS_OK)
    status = dls_representative_sign(c->m, c->A, c->B, none, &reference, &size, &error);
  bool found = reference == DLS_UNSURE || reference == DLS_ZERO;
  for (ptrdiff_t i = 0; i < m && status == DLS_OK && !found; i++)
    for (ptrdiff_t j = i; j < m && status == DLS_OK && !found; j++) {
      const double own = N[i * (m + 1)] * N[j * (m + 1)], cross = N[i + m * j] * N[j + m * i];
      const double minor = i == j ? N[i * (m + 1)] : own - cross;
      if (minor > (i == j ? 0 : nearly_negative * (fabs(own) + fabs(cross)))) continue;
      bad[i] = bad[j] = true;
      status = dls_representative_sign(c->m, c->A, c->B, bad, &sign, &size, &error);
      found = sign != DLS_UNSURE && sign != reference;
      if (found && status == DLS_OK) {
        out->answer = DLS_NO, out->by = "a determinant with one or two contacts changed";
        status = set_witness(s, c, bad, first, second, out);
      }
      bad[i] = bad[j] = false;
    }
  free(bad), free(none);
  return status;
}

static dls_status by_tests(const dls_sliding *s, const columns *c, const double *mu, int *first,
                           int *second, dls_sliding_verdict *out)
{
  const ptrdiff_t m = c->m;
  dls_status status = DLS_OK;
  out->by = "too many contacts for all choices; no other test decides";
  if (s->m_u == 0) status = contraction(s, mu, out);
  if (status != DLS_OK || out->answer == DLS_YES) return status;
  double *A = dls_alloc(3 * m * m, sizeof *A), rcond = 0, margin = 0;
  if (!A) return DLS_ERR_MEMORY;
  double *B = A + m * m, *N = B + m * m;
  for (ptrdiff_t k = 0; k < m * m; k++) A[k] = (double)c->A[k].x, B[k] = (double)c->B[k].x;
  status = dls_solve(c->m, c->m, A, B, N, &rcond);
  if (status == DLS_OK && rcond > 0) {
    const char *by;
    const double error = 32 * (double)m * DBL_EPSILON / rcond * dls_norm_max((int)(m * m), N);
    status = dls_p_matrix_sufficient(c->m, N, error, &margin, &by);
    if (status == DLS_OK && margin > 0) out->answer = DLS_YES, out->margin = margin, out->by = by;
    else if (status == DLS_OK) status = search_small(s, c, N, first, second, out);
  }
  free(A);
  return status;
}

dls_status dls_sliding_unique(const dls_sliding *s, const double *mu, int *first, int *second,
                              dls_sliding_verdict *out)
{
  *out = (dls_sliding_verdict){.answer = DLS_UNDECIDED,
                               .margin = NAN,
                               .by = "",
                               .determinant_first = NAN,
                               .determinant_second = NAN,
                               .error_first = NAN};
  dls_status status = dls_sliding_validate(s, mu);
  if (status != DLS_OK) return status;
  if (!mu) mu = s->mu;
  const ptrdiff_t m = (ptrdiff_t)s->m_b + s->m_u;
  dls_tracked *A = dls_alloc(2 * m * m, sizeof *A);
  if (!A) return DLS_ERR_MEMORY;
  const columns c = {.m = (int)m, .A = A, .B = A + m * m};
  dls_sliding_columns(s, mu, 0, 0, noise, c.A, c.B);
  status =
      m <= LARGEST ? exact(s, &c, first, second, out) : by_tests(s, &c, mu, first, second, out);
  free(A);
  return status;
}
