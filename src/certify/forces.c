// Which multipliers are determined?                                              eq (ver.8)
//
// The polyhedron of multipliers is a point or not: by rank when the gradients are independent, else
// by the interval of each component.
#include "base/memory.h"
#include "certify/multipliers.h"
#include "certify/witness.h"
#include "convex/lp.h"
#include "linalg/dense.h"

#include <math.h>

static dls_status refuse_by_two(dls_multipliers *p)
{
  dls_context *x = p->x;
  double *b = dls_context_work(x, x->m_b), *u = dls_context_work(x, x->m_u);
  double *z = dls_context_work(x, x->n);
  double *from = dls_context_work(x, p->m), *to = dls_context_work(x, p->m);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  dls_status status = dls_multipliers_span(p, from, to);
  if (status != DLS_OK || x->out_of_memory) return x->out_of_memory ? DLS_ERR_MEMORY : status;
  dls_verdict *v = dls_verdict_set(x, DLS_FORCES_UNIQUE, DLS_NO, p->width,
                                   "two linear programs for each multiplier",
                                   "lambda and other, nonnegative on unilateral contacts and zero "
                                   "where they open, have the same G_b lambda_b + G_u lambda_u");
  dls_multipliers_spread(p, from, b, u);
  dls_witness_multipliers(x, v, "lambda_b", b, "lambda_u", u);
  dls_multipliers_spread(p, to, b, u);
  dls_witness_multipliers(x, v, "other_b", b, "other_u", u);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  for (int i = 0; i < x->n; i++) z[i] = x->D[i] * x->S[i] * x->z[i];
  double first = NAN, second = NAN;
  status = dls_problem_residual(&x->given, z, v->part[0].values, v->part[1].values, &first);
  if (status == DLS_OK)
    status = dls_problem_residual(&x->given, z, v->part[2].values, v->part[3].values, &second);
  if (p->ambiguous || !(first <= dls_margin_limit(x)) || !(second <= dls_margin_limit(x)))
    v->answer = DLS_UNDECIDED;
  if (!isfinite(v->margin)) v->margin = NAN;
  return status;
}

static dls_status accept_by_rank(dls_multipliers *p)
{
  dls_verdict *v =
      dls_verdict_set(p->x, DLS_FORCES_UNIQUE, DLS_YES, p->m ? p->S[p->m - 1] / p->S[0] : NAN,
                      p->m == 0 ? "no contact carries a force"
                                : "the gradients of the contacts that stay closed are independent",
                      "the rows at these coordinates of (G_b, G_u without the contacts that open) "
                      "form a nonsingular "
                      "square matrix");
  return dls_witness_rows(p->x, v, p->G, p->m);
}

// Loaded: bilateral, or with a positive force; idle: closed without force; else in doubt.
static dls_size load_of(const dls_multipliers *p, int j)
{
  return dls_multipliers_is_bilateral(p, j) ? DLS_SIZE_POSITIVE
                                            : dls_size_of(&p->threshold, p->lambda[j] / p->unit);
}

// max t  s.t.  G_idle^T N y >= t, |y| <= 1 with N the kernel of G_loaded^T.
static dls_status open_idle(dls_multipliers *p, const double *N, int k, int idle, const double *G,
                            double *y, double *t)
{
  dls_context *x = p->x;
  const ptrdiff_t rows = idle, cols = (ptrdiff_t)k + 1;
  double *A = dls_context_work(x, rows * cols), *cost = dls_context_work(x, cols);
  double *low = dls_context_work(x, cols), *high = dls_context_work(x, cols);
  double *row_low = dls_context_work(x, rows), *row_high = dls_context_work(x, rows);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  dls_gemm(true, false, idle, k, x->n, 1, G, N, 0, A);
  for (ptrdiff_t i = 0; i < rows * (cols - 1); i++)
    if (fabs(A[i]) <= p->threshold.noise) A[i] = 0;
  for (ptrdiff_t j = 0; j < cols; j++) low[j] = -1, high[j] = 1;
  for (ptrdiff_t i = 0; i < rows; i++) A[i + rows * (cols - 1)] = -1, row_high[i] = INFINITY;
  cost[cols - 1] = -1;
  const dls_lp_data data = {idle, k + 1, A, row_low, row_high, low, high, cost};
  double objective = NAN;
  dls_lp_outcome outcome;
  dls_status status = dls_lp_run(&data, y, NULL, &objective, &outcome);
  if (status != DLS_OK) return status;
  *t = outcome == DLS_LP_OPTIMAL ? y[k] : NAN;
  return DLS_OK;
}

// The strict Mangasarian-Fromovitz condition: loaded gradients independent, and a direction d that
// keeps the loaded constraints and opens all idle ones. Multiplying G delta = 0 by d leaves no room
// for delta at the idle contacts, then rank leaves none at the others.
static dls_status accept_by_signs(dls_multipliers *p)
{
  dls_context *x = p->x;
  const ptrdiff_t n = x->n, m = p->m;
  double *loaded = dls_context_work(x, n * m), *idle = dls_context_work(x, n * m);
  double *U = dls_context_work(x, n * n), *S = dls_context_work(x, n < m ? n : m);
  double *y = dls_context_work(x, n + 1), *d = dls_context_work(x, n), t = NAN;
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  int l = 0, i = 0;
  for (ptrdiff_t j = 0; j < m; j++) {
    const dls_size size = load_of(p, (int)j);
    double *to = size == DLS_SIZE_POSITIVE ? loaded + n * l++ : idle + n * i++;
    dls_copy(to, p->G + n * j, n);
    p->ambiguous |= size == DLS_SIZE_AMBIGUOUS;
  }
  dls_verdict *v = dls_verdict_set(
      x, DLS_FORCES_UNIQUE, DLS_YES, NAN,
      "two linear programs for each multiplier: every interval is a point (strict MFCQ)",
      "G_b^T direction = 0, G_u^T direction = 0 where lambda_u > 0 and > 0 at the other closed "
      "contacts; the rows at these coordinates of (G_b, G_u where lambda_u > 0) form a nonsingular "
      "square matrix");
  dls_status status = dls_svd(x->n, l, loaded, U, S, NULL);
  if (status == DLS_OK && l <= x->n) status = open_idle(p, U + n * l, x->n - l, i, idle, y, &t);
  if (status != DLS_OK) return status;
  v->margin = t;
  if (p->ambiguous || l > x->n || dls_size_of(&p->threshold, t) != DLS_SIZE_POSITIVE) {
    v->answer = DLS_UNDECIDED;
    return DLS_OK;
  }
  dls_gemv(false, x->n, x->n - l, 1, U + n * l, y, 0, d);
  dls_witness_direction(x, v, "direction", d, false);
  dls_witness_multipliers(x, v, "lambda_b", x->lambda_b, "lambda_u", x->lambda_u);
  return dls_witness_rows(x, v, loaded, l);
}

static dls_status decide(dls_multipliers *p)
{
  if (p->certain == p->m) {
    // another state within the tolerance may differ                                 eq (num.3)
    if (p->m == 0 || p->S[p->m - 1] > p->x->G_change) return accept_by_rank(p);
    dls_verdict_set(p->x, DLS_FORCES_UNIQUE, DLS_UNDECIDED, p->S[p->m - 1],
                    "within the tolerance of the state the gradients may depend on each other", "");
    return DLS_OK;
  }
  const dls_size size = dls_size_of(&p->threshold, p->width);
  if (size == DLS_SIZE_POSITIVE) return refuse_by_two(p);
  if (size == DLS_SIZE_ZERO && !p->ambiguous) return accept_by_signs(p);
  dls_verdict_set(p->x, DLS_FORCES_UNIQUE, DLS_UNDECIDED, p->width,
                  "two linear programs for each multiplier", "");
  return DLS_OK;
}

dls_status dls_certify_forces(dls_context *x)
{
  const dls_verdict *exists = &x->check->verdict[DLS_ACCELERATION_EXISTS];
  if (x->m_b + x->m_u == 0) return DLS_OK;
  if (exists->answer != DLS_YES) {
    dls_verdict *v = &x->check->verdict[DLS_FORCES_UNIQUE];
    *v = *exists;
    v->by = exists->answer == DLS_NO ? "no acceleration exists" : "existence is undecided";
    return DLS_OK;
  }
  dls_multipliers p;
  dls_status status = dls_multipliers_find(x, &p);
  if (status == DLS_OK) status = dls_multipliers_intervals(&p);
  if (status == DLS_OK) status = decide(&p);
  if (status == DLS_OK) status = dls_multipliers_least_norm(&p);
  return x->out_of_memory ? DLS_ERR_MEMORY : status;
}
