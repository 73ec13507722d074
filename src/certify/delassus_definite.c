// The Delassus matrices, the kinetic angles, and: is the constrained Delassus matrix definite?
//                                                                                eq (ver.5)
#include "base/memory.h"
#include "certify/witness.h"
#include "linalg/dense.h"

#include <limits.h>
#include <math.h>

// A_c = E K^-1 E^T, back in the user's units.                                    eq (del.2)
static dls_status constrained_matrix(dls_context *x)
{
  const int m = x->m_u, k = x->k;
  const ptrdiff_t rows = m;
  if (x->k_0 > 0 || x->k_ambiguous) {
    x->check->A_c_reason = "the mass matrix is not definite on the directions that the bilateral "
                           "constraints leave free";
    return DLS_OK;
  }
  double *B = dls_context_work(x, rows * k), *A = dls_context_keep(x, rows * rows);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  for (ptrdiff_t j = 0; j < k; j++)
    for (ptrdiff_t i = 0; i < rows; i++) B[i + rows * j] = x->E[i + rows * j] / sqrt(x->w[j]);
  dls_gemm(false, true, m, m, k, 1, B, B, 0, A);
  for (ptrdiff_t j = 0; j < rows; j++)
    for (ptrdiff_t i = 0; i < rows; i++) A[i + rows * j] /= x->mass_unit * x->C_u[i] * x->C_u[j];
  x->check->A_c = A;
  return DLS_OK;
}

// A column of unit length, its nonzero entries only: gradients touch few bodies.
typedef struct unit_column {
  int count;  // -1: the column is zero
  const int *row;
  const double *value;
} unit_column;

static unit_column unit_column_of(int n, const double *a, int *row, double *value)
{
  const double length = dls_norm2(n, a);
  int count = 0;
  if (!(length > 0)) return (unit_column){-1, row, value};
  for (int i = 0; i < n; i++) {
    if (a[i] == 0) continue;
    row[count] = i;
    value[count++] = a[i] / length;
  }
  return (unit_column){count, row, value};
}

// pi - arccos of the cosine between two columns, accurate near 0 and pi.           eq (kin.1)
static double kinetic_angle(const unit_column *a, const unit_column *b)
{
  if (a->count < 0 || b->count < 0) return NAN;
  double minus = 0, plus = 0;
  for (int i = 0, j = 0; i < a->count || j < b->count;) {
    const int row_a = i < a->count ? a->row[i] : INT_MAX;
    const int row_b = j < b->count ? b->row[j] : INT_MAX;
    const double u = row_a <= row_b ? a->value[i++] : 0, v = row_b <= row_a ? b->value[j++] : 0;
    minus += (u - v) * (u - v);
    plus += (u + v) * (u + v);
  }
  return acos(-1) - 2 * atan2(sqrt(minus), sqrt(plus));
}

// The angles between all columns of B, which is n x m.
static dls_status all_angles(dls_context *x, int m, const double *B, double *angles)
{
  const ptrdiff_t rows = x->n, size = m;
  ptrdiff_t entries = 0, used = 0;
  for (ptrdiff_t k = 0; k < rows * size; k++) entries += B[k] != 0;
  unit_column *column = dls_arena_alloc(x->work, size, sizeof *column);
  int *row = dls_arena_alloc(x->work, entries, sizeof *row);
  double *value = dls_arena_alloc(x->work, entries, sizeof *value);
  if (!column || !row || !value) return DLS_ERR_MEMORY;
  for (ptrdiff_t j = 0; j < size; j++) {
    column[j] = unit_column_of(x->n, B + rows * j, row + used, value + used);
    if (column[j].count > 0) used += column[j].count;
    for (ptrdiff_t i = 0; i <= j; i++)
      angles[i + size * j] = angles[j + size * i] = kinetic_angle(column + i, column + j);
  }
  return DLS_OK;
}

// W = G^T M^-1 G of all constraints, bilateral first.                             eq (del.1)
static dls_status full_matrix(dls_context *x)
{
  const int n = x->n, m = x->m_b + x->m_u;
  const ptrdiff_t rows = n, size = m, m_b = x->m_b;
  bool definite = false;
  double *L = dls_context_work(x, rows * rows), *B = dls_context_work(x, rows * size);
  double *W = dls_context_keep(x, size * size), *angles = dls_context_keep(x, size * size);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  dls_status status = dls_cholesky(n, x->M, L, &definite);
  if (status != DLS_OK) return status;
  if (!definite || x->mass.certain < n) {
    x->check->W_reason = "the mass matrix is not definite";
    return DLS_OK;
  }
  dls_copy(B, x->G_b, rows * m_b);
  if (x->m_u) dls_copy(B + rows * m_b, x->G_u, rows * (ptrdiff_t)x->m_u);
  dls_lower_solve(n, m, L, false, B);
  dls_gemm(true, false, m, m, n, 1, B, B, 0, W);
  for (ptrdiff_t j = 0; j < size; j++) {
    const double c_j = j < m_b ? x->C_b[j] : x->C_u[j - m_b];
    for (ptrdiff_t i = 0; i < size; i++) {
      const double c_i = i < m_b ? x->C_b[i] : x->C_u[i - m_b];
      W[i + size * j] /= x->mass_unit * c_i * c_j;
    }
  }
  x->check->W = W;
  x->check->kinetic_angles = angles;
  return all_angles(x, m, B, angles);
}

dls_status dls_compute_delassus(dls_context *x)
{
  if (x->m_b + x->m_u == 0) return DLS_OK;
  dls_status status = constrained_matrix(x);
  if (status == DLS_OK) status = full_matrix(x);
  return status;
}

// The papers' criteria on kinetic angles, when they apply: both families orthogonal among
// themselves; then A_c > 0 iff I - [sum_i cos cos] > 0, and diagonal dominance suffices.
static const char *angle_criterion(const dls_context *x)
{
  const ptrdiff_t m_b = x->m_b, m = m_b + x->m_u;
  const double *angle = x->check->kinetic_angles;
  if (!angle || x->m_b == 0) return NULL;
  for (ptrdiff_t i = 0; i < m; i++)
    for (ptrdiff_t j = 0; j < i; j++)
      if ((i < m_b) == (j < m_b) && !(fabs(cos(angle[i + m * j])) <= x->basic.noise)) return NULL;
  for (ptrdiff_t j = m_b; j < m; j++) {
    double row = 0;
    for (ptrdiff_t k = m_b; k < m; k++) {
      double product = 0;
      for (ptrdiff_t i = 0; i < m_b; i++) product += cos(angle[i + m * j]) * cos(angle[i + m * k]);
      row += fabs(product);
    }
    if (!(row < 1 - x->basic.tolerance))
      return "(G_u G_b) has full column rank (TUT Prop. 7(i); INC Theorem 1, theory §5)";
  }
  return "(G_u G_b) has full column rank (TUT Prop. 7(i); INC Theorem 1 and Corollary 3, theory "
         "§5)";
}

static const char *definite_by(const dls_context *x)
{
  const char *by_angles = angle_criterion(x);
  if (by_angles) return by_angles;
  if (x->m_b == 0) return "the gradients are independent (TUT Prop. 3(i), theory §5)";
  return x->mass.certain == x->n
             ? "(G_u G_b) has full column rank (TUT Prop. 7(i), theory §5)"
             : "the gradients stay independent on the kernel of G_b^T, where M is definite";
}

// The unilateral multipliers, with the bilateral ones that balance them.
static dls_status refuse_by_combination(dls_context *x, double margin, double *lambda_u)
{
  double *r = dls_context_work(x, x->n), *lambda_b = dls_context_work(x, x->m_b);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  dls_verdict *v = dls_verdict_set(
      x, DLS_DELASSUS_DEFINITE, DLS_NO, margin,
      x->m_u > x->k ? "more constraints than free directions (INC Corollary 5, theory §5)"
                    : "(G_u G_b) has dependent columns (TUT Prop. 7(i), theory §5)",
      "G_u lambda_u + G_b lambda_b = 0, lambda_u not zero: A_c lambda_u = 0");
  dls_gemv(false, x->n, x->m_u, -1, x->G_u, lambda_u, 0, r);
  dls_context_bilateral_multipliers(x, r, lambda_b);
  const dls_status status = dls_combination_refine(x, lambda_b, lambda_u);
  if (status != DLS_OK) return status;
  dls_witness_combination(x, v, lambda_b, lambda_u);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  const double *b = v->part[0].values, *u = v->part[1].values;
  if (!(dls_margin_combination(x, b, u, true) <= dls_margin_zero(x))) v->answer = DLS_UNDECIDED;
  return DLS_OK;
}

dls_status dls_certify_delassus(dls_context *x)
{
  const int m = x->m_u, k = x->k, least = m < k ? m : k;
  const ptrdiff_t rows = m, cols = k;
  if (m == 0 || !x->check->A_c) return DLS_OK;
  double *transposed = dls_context_work(x, rows * cols), *s = dls_context_work(x, least);
  double *V = dls_context_work(x, rows * rows);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  for (ptrdiff_t i = 0; i < rows; i++)
    for (ptrdiff_t j = 0; j < cols; j++) transposed[j + cols * i] = x->E[i + rows * j];
  dls_status status = dls_svd(k, m, transposed, NULL, s, V);
  if (status != DLS_OK) return status;

  const double margin = least == m ? s[m - 1] : 0;
  dls_size size = dls_size_of(&x->kernel, margin);
  // on another kernel, or at another state within the tolerance, it may be zero       eq (num.3)
  const bool open = x->bilateral.certain != x->bilateral.possible || !(margin > x->G_change);
  if (size == DLS_SIZE_POSITIVE && open) size = DLS_SIZE_AMBIGUOUS;
  dls_verdict *v;
  if (size == DLS_SIZE_POSITIVE) {
    v = dls_verdict_set(x, DLS_DELASSUS_DEFINITE, DLS_YES, margin, definite_by(x),
                        "A_c = L diag(pivots) L^T with L unit lower triangular, every pivot > 0");
    if (!dls_witness_pivots(x, v, DLS_INDEX_UNILATERAL, m, x->check->A_c))
      v->answer = DLS_UNDECIDED;
  } else if (size == DLS_SIZE_ZERO) {
    double *null = V + rows * (rows - 1), *few = dls_context_work(x, rows);
    if (!few) return DLS_ERR_MEMORY;
    dls_copy(few, null, rows);
    int rank = 0;
    while (rank < least && dls_size_of(&x->kernel, s[rank]) != DLS_SIZE_ZERO) rank++;
    status = dls_sparse_kernel(x, k, m, transposed, rank, few);
    if (status != DLS_OK) return status;
    status = refuse_by_combination(x, margin, few);
    if (status == DLS_OK && x->check->verdict[DLS_DELASSUS_DEFINITE].answer != DLS_NO)
      status = refuse_by_combination(x, margin, null);
    return status;
  } else {
    dls_verdict_set(x, DLS_DELASSUS_DEFINITE, DLS_UNDECIDED, margin, "rank of (G_u G_b)", "");
  }
  return DLS_OK;
}
