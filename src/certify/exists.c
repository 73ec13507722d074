// Does an acceleration exist?                                                    eq (ver.6)
//
// (a) the accelerations that the constraints allow, P = {z : G_u^T z + b_u >= 0, G_b^T z + b_b =
// 0},
//     are not empty; (b) no massless direction that the constraints leave open is pushed. Then the
//     Gauss program has a minimum, and it is the acceleration. Both are linear programs.
#include "certify/witness.h"
#include "convex/lp.h"
#include "linalg/dense.h"

#include <math.h>

// Multipliers up to this part of the largest come from rounding: the proof is checked without them.
static const double rounded_multiplier = 1e-13;

static const char *const farkas_shows =
    "G_u lambda_u + G_b lambda_b = 0, lambda_u >= 0, lambda_u^T b_u + lambda_b^T b_b < 0: no "
    "acceleration fulfils the constraints";

// Farkas' certificate from multipliers of the unilateral constraints with E^T lambda_u = 0.
static dls_status refuse_by_farkas(dls_context *x, double margin, double *lambda_u)
{
  double *r = dls_context_work(x, x->n), *lambda_b = dls_context_work(x, x->m_b);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  const double least = rounded_multiplier * dls_norm_max(x->m_u, lambda_u);
  for (int i = 0; i < x->m_u; i++)
    if (lambda_u[i] <= least) lambda_u[i] = 0;
  dls_gemv(false, x->n, x->m_u, -1, x->G_u, lambda_u, 0, r);
  dls_context_bilateral_multipliers(x, r, lambda_b);
  dls_keep_contradicting_part(x, lambda_b, lambda_u);
  const dls_status status = dls_combination_refine(x, lambda_b, lambda_u);
  if (status != DLS_OK) return status;
  dls_verdict *v = dls_verdict_set(x, DLS_ACCELERATION_EXISTS, DLS_NO, margin,
                                   "linear program (Farkas): the constraints contradict each other",
                                   farkas_shows);
  dls_witness_combination(x, v, lambda_b, lambda_u);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  const double *b = v->part[0].values, *u = v->part[1].values;
  if (!(dls_margin_combination(x, b, u, false) <= dls_margin_zero(x)) ||
      !(dls_margin_load(x, b, u) < -dls_margin_limit(x)))
    v->answer = DLS_UNDECIDED;
  return DLS_OK;
}

// (a), by Farkas: min f^T lambda  s.t.  E^T lambda = 0, sum lambda <= 1, lambda >= 0. The optimum
// is minus the least violation of the constraints by any acceleration, and lambda proves it.
static dls_status constraints_allow(dls_context *x, dls_answer *answer)
{
  const int m = x->m_u;
  const ptrdiff_t cols = m, k = x->k, rows = k + 1;
  *answer = DLS_YES;
  if (m == 0 || x->check->verdict[DLS_MFCQ].answer == DLS_YES) return DLS_OK;

  double *A = dls_context_work(x, rows * cols), *cost = dls_context_work(x, cols);
  double *low = dls_context_work(x, cols), *high = dls_context_work(x, cols);
  double *row_low = dls_context_work(x, rows), *row_high = dls_context_work(x, rows);
  double *lambda = dls_context_work(x, cols), value = NAN;
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  const double unit = fmax(dls_norm_max(m, x->f), x->b_size);
  for (ptrdiff_t j = 0; j < cols; j++) {
    high[j] = 1, cost[j] = x->f[j] / unit;
    for (ptrdiff_t i = 0; i < k; i++) A[i + rows * j] = x->E[j + cols * i];
    A[k + rows * j] = 1;
  }
  row_high[k] = 1;
  const dls_lp_data data = {(int)rows, m, A, row_low, row_high, low, high, cost};
  dls_lp_outcome outcome;
  dls_status status = dls_lp_run(&data, lambda, NULL, &value, &outcome);
  if (status != DLS_OK) return status;
  const dls_size found =
      outcome == DLS_LP_OPTIMAL ? dls_size_of(&x->kernel, -value) : DLS_SIZE_AMBIGUOUS;
  *answer = found == DLS_SIZE_ZERO ? DLS_YES : found == DLS_SIZE_POSITIVE ? DLS_NO : DLS_UNDECIDED;
  if (*answer == DLS_NO) return refuse_by_farkas(x, -value, lambda);
  if (*answer == DLS_UNDECIDED)
    dls_verdict_set(x, DLS_ACCELERATION_EXISTS, DLS_UNDECIDED, -value,
                    "linear program: the constraints contradict each other by an amount within the "
                    "tolerance",
                    "");
  return DLS_OK;
}

// (b): min c^T d over massless d with E d >= 0, |d| <= 1. Massless directions come first in the
// basis, since the eigenvalues increase.
static dls_status loads_allow(dls_context *x, dls_answer *answer)
{
  const int m = x->m_u, k_0 = x->k_0;
  const ptrdiff_t rows = m, cols = k_0;
  *answer = DLS_YES;
  if (k_0 == 0) return DLS_OK;
  double *A = dls_context_work(x, rows * cols), *low = dls_context_work(x, cols);
  double *high = dls_context_work(x, cols), *cost = dls_context_work(x, cols);
  double *row_low = dls_context_work(x, rows), *row_high = dls_context_work(x, rows);
  double *y = dls_context_work(x, cols), *d = dls_context_work(x, x->n);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  const double unit = fmax(x->F_size, dls_norm_max(x->k, x->c));
  for (ptrdiff_t j = 0; j < cols; j++) {
    low[j] = -1, high[j] = 1, cost[j] = x->c[j] / unit;
    for (ptrdiff_t i = 0; i < rows; i++) A[i + rows * j] = x->E[i + rows * j];
  }
  for (ptrdiff_t i = 0; i < rows; i++) row_high[i] = INFINITY;
  const dls_lp_data data = {m, k_0, A, row_low, row_high, low, high, cost};
  double push = NAN;
  dls_lp_outcome outcome;
  dls_status status = dls_lp_run(&data, y, NULL, &push, &outcome);
  if (status != DLS_OK) return status;
  const dls_size found =
      outcome == DLS_LP_OPTIMAL ? dls_size_of(&x->massless, -push) : DLS_SIZE_AMBIGUOUS;
  *answer = found == DLS_SIZE_ZERO ? DLS_YES : found == DLS_SIZE_POSITIVE ? DLS_NO : DLS_UNDECIDED;
  if (*answer == DLS_YES) return DLS_OK;

  dls_verdict *v = dls_verdict_set(
      x, DLS_ACCELERATION_EXISTS, *answer, -push,
      "linear program: a massless direction that the constraints leave open is pushed",
      "M direction = 0, G_b^T direction = 0, G_u^T direction >= 0, F^T direction < 0");
  if (*answer == DLS_UNDECIDED) return DLS_OK;
  dls_gemv(false, x->n, k_0, 1, x->basis, y, 0, d);
  dls_keep_pushed_part(x, d);
  dls_witness_direction(x, v, "direction", d, true);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  const double work = dls_dot(x->n, x->given.F, v->part[0].values);
  if (!(dls_margin_massless(x, v->part[0].values) <= dls_margin_limit(x)) || !(work < 0))
    v->answer = *answer = DLS_UNDECIDED;
  return DLS_OK;
}

static const char *exists_by(const dls_context *x)
{
  const dls_verdict *verdict = x->check->verdict;
  const bool definite = verdict[DLS_MASS_DEFINITE].answer == DLS_YES;
  const bool mfcq = verdict[DLS_MFCQ].answer == DLS_YES;
  if (x->m_b + x->m_u == 0) return definite ? "M is definite" : "linear program; Gauss program";
  if (x->m_u == 0) return "KKT system (TUT Prop. 1, theory §5)";
  if (verdict[DLS_DELASSUS_DEFINITE].answer == DLS_YES)
    return x->m_b ? "the constrained Delassus matrix is definite (TUT Prop. 7(i), theory §5)"
                  : "the Delassus matrix is definite (TUT Prop. 3(i), theory §5)";
  if (definite && x->m_b == 0) return "linear program; Gauss program (TUT Prop. 4, theory §5)";
  if (definite) return "linear program; Gauss program (INC Prop. 14, theory §5)";
  if (mfcq && x->k_0 == 0)
    return x->m_b ? "MFCQ, and no massless direction is free (TUT Prop. 7(vii), theory §5)"
                  : "MFCQ, and no massless direction is free (TUT Prop. 3(vi), theory §5)";
  return "two linear programs; Gauss program";
}

// The solution itself is the witness: its residual is recomputed from the data as given.
static dls_status accept_solution(dls_context *x)
{
  dls_status status = dls_context_solve(x);
  if (status != DLS_OK) return status;
  if (!x->solved) {
    dls_verdict_set(x, DLS_ACCELERATION_EXISTS, DLS_UNDECIDED, NAN,
                    "the linear programs say yes, but the Gauss program was not solved to the "
                    "tolerance",
                    "");
    return DLS_OK;
  }
  dls_verdict *v = dls_verdict_set(x, DLS_ACCELERATION_EXISTS, DLS_YES, NAN, exists_by(x),
                                   "M acceleration + F = G_b lambda_b + G_u lambda_u, G_b^T "
                                   "acceleration + b_b = 0, 0 <= lambda_u _|_ G_u^T acceleration + "
                                   "b_u >= 0");
  dls_witness_acceleration(x, v, "acceleration", x->z);
  dls_witness_multipliers(x, v, "lambda_b", x->lambda_b, "lambda_u", x->lambda_u);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  double residual = NAN;
  status = dls_problem_residual(&x->given, v->part[0].values, v->part[1].values, v->part[2].values,
                                &residual);
  if (status == DLS_OK && !(residual <= dls_margin_limit(x))) {
    x->solved = false;
    v->answer = DLS_UNDECIDED;
  }
  return status;
}

dls_status dls_certify_exists(dls_context *x)
{
  if (x->compatible == DLS_NO) {
    const dls_verdict *no = &x->check->verdict[DLS_CONSTRAINTS_COMPATIBLE];
    dls_verdict *v =
        dls_verdict_set(x, DLS_ACCELERATION_EXISTS, DLS_NO, no->margin,
                        "the bilateral constraints contradict each other (TUT Prop. 1, theory §5)",
                        "G_b lambda_b = 0, lambda_b^T b_b < 0: no acceleration fulfils "
                        "the constraints");
    v->part[v->parts++] = no->part[0];
    return DLS_OK;
  }
  if (x->compatible == DLS_UNDECIDED) {
    dls_verdict_set(x, DLS_ACCELERATION_EXISTS, DLS_UNDECIDED, NAN,
                    "the compatibility of the bilateral constraints is undecided", "");
    return DLS_OK;
  }
  dls_answer answer;
  dls_status status = constraints_allow(x, &answer);
  if (status != DLS_OK || answer != DLS_YES) return status;
  status = loads_allow(x, &answer);
  if (status != DLS_OK || answer != DLS_YES) return status;
  return accept_solution(x);
}
