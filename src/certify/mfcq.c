// Mangasarian-Fromovitz: is there a direction d with G_u^T d > 0 and G_b^T d = 0?   eq (ver.4)
#include "certify/witness.h"
#include "convex/lp.h"
#include "linalg/dense.h"

#include <math.h>

// max t  s.t.  E y - t >= 0, |y| <= 1, t <= 1. Its dual is min |E^T lambda|_1 over lambda >= 0
// with sum 1: the optimum is the margin of the yes and the defect of the no.
static dls_status widest_direction(dls_context *x, double *y, double *lambda, double *t,
                                   dls_lp_outcome *outcome)
{
  const int m = x->m_u, cols = x->k + 1;
  const ptrdiff_t rows = m, size = cols;
  double *A = dls_context_work(x, rows * size), *low = dls_context_work(x, size);
  double *high = dls_context_work(x, size), *cost = dls_context_work(x, size);
  double *row_low = dls_context_work(x, rows), *row_high = dls_context_work(x, rows);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  for (ptrdiff_t j = 0; j + 1 < size; j++) {
    low[j] = -1, high[j] = 1;
    for (ptrdiff_t i = 0; i < rows; i++) A[i + rows * j] = x->E[i + rows * j];
  }
  for (ptrdiff_t i = 0; i < rows; i++) A[i + rows * (size - 1)] = -1, row_high[i] = INFINITY;
  low[size - 1] = -1, high[size - 1] = 1, cost[size - 1] = -1;

  const dls_lp_data data = {.rows = m,
                            .cols = cols,
                            .A = A,
                            .row_low = row_low,
                            .row_high = row_high,
                            .col_low = low,
                            .col_high = high,
                            .cost = cost};
  double objective = 0;
  const dls_status status = dls_lp_run(&data, y, lambda, &objective, outcome);
  *t = y[cols - 1];
  return status;
}

// Parts without unilateral constraints have nothing to open.
static void keep_moving_parts(const dls_context *x, double *d)
{
  const int *part = x->scaling.part, *unilateral = part + x->n + x->m_b;
  for (int i = 0; i < x->n; i++) {
    bool opens = false;
    for (int j = 0; j < x->m_u; j++) opens |= unilateral[j] == part[i];
    if (!opens) d[i] = 0;
  }
}

dls_status dls_certify_mfcq(dls_context *x)
{
  const ptrdiff_t m = x->m_u;
  if (m == 0) return DLS_OK;
  double *y = dls_context_work(x, (ptrdiff_t)x->k + 1), *lambda_u = dls_context_work(x, m);
  double *d = dls_context_work(x, x->n), *lambda_b = dls_context_work(x, x->m_b);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  double t = NAN;
  dls_lp_outcome outcome;
  dls_status status = widest_direction(x, y, lambda_u, &t, &outcome);
  if (status != DLS_OK) return status;

  const char *by = "linear program (Gordan's alternative)";
  dls_size size =
      outcome == DLS_LP_OPTIMAL ? dls_size_of(&x->kernel, t < 0 ? 0 : t) : DLS_SIZE_AMBIGUOUS;
  // at another state within the tolerance the direction may open less, or move      eq (num.3)
  const bool open = t <= x->G_change * sqrt(x->k) || x->bilateral.certain != x->bilateral.possible;
  if (size == DLS_SIZE_POSITIVE && open) size = DLS_SIZE_AMBIGUOUS;
  dls_verdict *v = dls_verdict_set(x, DLS_MFCQ, DLS_UNDECIDED, fmax(t, 0), by, "");
  if (outcome != DLS_LP_OPTIMAL) v->margin = NAN;
  if (size == DLS_SIZE_POSITIVE) {
    v = dls_verdict_set(x, DLS_MFCQ, DLS_YES, t, by, "G_u^T direction > 0, G_b^T direction = 0");
    dls_gemv(false, x->n, x->k, 1, x->basis, y, 0, d);
    keep_moving_parts(x, d);
    dls_witness_direction(x, v, "direction", d, false);
    if (x->out_of_memory) return DLS_ERR_MEMORY;
    if (!(dls_margin_opening(x, v->part[0].values) > 0) ||
        !(dls_margin_bilateral(x, v->part[0].values, false) <= dls_margin_limit(x)))
      v->answer = DLS_UNDECIDED;
  } else if (size == DLS_SIZE_ZERO) {
    v = dls_verdict_set(x, DLS_MFCQ, DLS_NO, fmax(t, 0), by,
                        "G_u lambda_u + G_b lambda_b = 0, lambda_u >= 0, lambda_u not zero");
    double *r = dls_context_work(x, x->n);
    if (!r) return DLS_ERR_MEMORY;
    for (ptrdiff_t i = 0; i < m; i++) lambda_u[i] = fmax(lambda_u[i], 0);
    dls_gemv(false, x->n, x->m_u, -1, x->G_u, lambda_u, 0, r);
    dls_context_bilateral_multipliers(x, r, lambda_b);
    status = dls_combination_refine(x, lambda_b, lambda_u);
    if (status != DLS_OK) return status;
    dls_witness_combination(x, v, lambda_b, lambda_u);
    if (x->out_of_memory) return DLS_ERR_MEMORY;
    if (!(dls_margin_combination(x, v->part[0].values, v->part[1].values, true) <=
          dls_margin_zero(x)) ||
        !(dls_norm_max(x->m_u, lambda_u) > 0))
      v->answer = DLS_UNDECIDED;
  }
  return DLS_OK;
}
