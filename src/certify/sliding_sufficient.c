// Bounds on a uniform mu that are enough for uniqueness.          eqs (sli.4), (sli.5), (sli.6)
#include "certify/sliding_internal.h"

#include "base/memory.h"
#include "certify/sliding_mixed.h"
#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

// sigma_min(A_n) / sigma_max(A_t), from below. 0 when A_n is not certainly definite.
static dls_status ratio(int m, const double *A_n, const double *A_t, double *value)
{
  const ptrdiff_t size = m;
  double *work = dls_alloc(3 * size * size + 2 * size, sizeof *work);
  if (!work) return DLS_ERR_MEMORY;
  double *normal = work + 3 * size * size, *tangential = normal + size, *L = work + size * size;
  bool definite = false;
  *value = 0;
  dls_status status = dls_svd(m, m, A_n, NULL, normal, NULL);
  if (status == DLS_OK) status = dls_svd(m, m, A_t, NULL, tangential, NULL);
  if (status == DLS_OK) status = dls_cholesky(m, A_n, L, &definite);
  if (status == DLS_OK && definite) {
    const double slack = 4 * (m + 1) * DBL_EPSILON;
    const double least = normal[m - 1] - slack * normal[0];
    if (least > 0)
      *value = tangential[0] > 0 ? least / (tangential[0] * (1 + slack)) * (1 - 4 * DBL_EPSILON)
                                 : INFINITY;
  }
  free(work);
  return status;
}

static void add(dls_sliding_bounds *out, double value, const char *by)
{
  if (!(value > 0)) return;
  out->bound[out->count++] = (dls_sliding_bound){.by = by, .value = value};
  if (out->count == 1 || value > out->sufficient) out->sufficient = value, out->by = by;
}

static dls_status one_kind(const dls_sliding *s, const double *A_t, dls_sliding_bounds *out)
{
  const int m = s->m_b + s->m_u;
  double value;
  const dls_status status = ratio(m, s->A_n, A_t, &value);
  if (status != DLS_OK) return status;
  if (s->m_u > 0) {
    add(out, value,
        s->eliminated ? "TUT Prop. 14, theory §8: sigma_min(A_n)/sigma_max(A_t), unilateral, "
                        "bilateral eliminated"
                      : "TUT Prop. 12, theory §8: sigma_min(A_n)/sigma_max(A_t), unilateral");
    return DLS_OK;
  }
  add(out, value,
      s->eliminated ? "TUT Prop. 11, theory §8: sigma_min(A_n)/sigma_max(A_t), bilateral, "
                      "frictionless eliminated"
                    : "TUT Prop. 9, theory §8: sigma_min(A_n)/sigma_max(A_t), bilateral");
  if (!s->eliminated)
    add(out, value / 3 * (1 - DBL_EPSILON),
        "TUT Prop. 10, theory §8: a third of Prop. 9, bilateral");
  return DLS_OK;
}

// The bilateral block alone, for the limit of eq (sli.6).
static dls_status bilateral_ratio(const dls_sliding *s, const double *A_t, double *value)
{
  const ptrdiff_t m = (ptrdiff_t)s->m_b + s->m_u, b = s->m_b;
  double *N = dls_alloc(2 * b * b, sizeof *N);
  if (!N) return DLS_ERR_MEMORY;
  for (ptrdiff_t j = 0; j < b; j++)
    for (ptrdiff_t i = 0; i < b; i++)
      N[i + b * j] = s->A_n[i + m * j], N[b * b + i + b * j] = A_t[i + m * j];
  const dls_status status = ratio(s->m_b, N, N + b * b, value);
  free(N);
  return status;
}

static dls_status both_kinds(const dls_sliding *s, const double *A_t, dls_sliding_bounds *out)
{
  double limit, value = 0;
  if (s->m_b + s->m_u > DLS_SLIDING_MIXED_LARGEST) {
    out->by = "too many contacts for the bound of bilateral and unilateral ones together";
    return DLS_OK;
  }
  dls_status status = bilateral_ratio(s, A_t, &limit);
  if (status == DLS_OK && limit > 0) status = dls_sliding_mixed(s, A_t, limit, &out->beta, &value);
  if (status == DLS_OK)
    add(out, value,
        s->eliminated
            ? "TUT Prop. 13, theory §8: |M_ub^mu - M_ub^0| < 1/beta_2, frictionless eliminated"
            : "TUT Prop. 13, theory §8: |M_ub^mu - M_ub^0| < 1/beta_2");
  return status;
}

dls_status dls_sliding_sufficient(const dls_sliding *s, dls_sliding_bounds *out)
{
  *out = (dls_sliding_bounds){
      .sufficient = NAN, .by = "A_n is not definite beyond rounding", .beta = NAN};
  dls_status status = dls_sliding_validate(s, NULL);
  if (status != DLS_OK) return status;
  const ptrdiff_t m = (ptrdiff_t)s->m_b + s->m_u;
  if (m == 0) {
    out->sufficient = INFINITY, out->by = "no sliding contacts";
    return DLS_OK;
  }
  double *A_t = dls_alloc(m * m, sizeof *A_t);
  if (!A_t) return DLS_ERR_MEMORY;
  for (ptrdiff_t j = 0; j < m; j++)
    for (ptrdiff_t i = 0; i < m; i++) A_t[i + m * j] = s->frictional[j] ? s->A_t[i + m * j] : 0;
  status = s->m_b == 0 || s->m_u == 0 ? one_kind(s, A_t, out) : both_kinds(s, A_t, out);
  free(A_t);
  return status;
}
