// From an approximate solution of the Gauss program to one that is exact up to rounding.
//
// The approximation only says which contacts stay closed, C. Then x solves
//
//   E_C x + f_C = 0,   N_C^T (W x + c) = 0,   N_C = kernel of E_C,   W = diag(w)
//
// by orthogonal decompositions (free massless parts of x stay as they are), and the multipliers are
// a nonnegative combination E_C^T lambda = W x + c with the smallest sum, a vertex found by a
// linear program. Large forces that cancel each other cannot appear.
#include "certify/polish.h"

#include "base/memory.h"
#include "certify/tolerances.h"
#include "convex/lp.h"
#include "linalg/dense.h"

#include <math.h>

// Forces and slacks below one of these, of their size, are taken for zero, one after the other.
static const double limits[] = {1e-6, 1e-8, 1e-10, 1e-12};

typedef struct closed_rows {
  int m;               // how many
  int *contact;        // which
  double *E, *f;       // m x k, m
  double *transposed;  // k x m
} closed_rows;

static dls_status collect(dls_context *x, const double *a, double limit, closed_rows *rows)
{
  const ptrdiff_t m_u = x->m_u, k = x->k;
  rows->contact = dls_arena_alloc(x->work, m_u, sizeof(int));
  rows->E = dls_context_work(x, m_u * k), rows->f = dls_context_work(x, m_u);
  rows->transposed = dls_context_work(x, m_u * k);
  if (x->out_of_memory || !rows->contact) return DLS_ERR_MEMORY;
  rows->m = 0;
  for (int j = 0; j < x->m_u; j++)
    if (a[j] <= limit) rows->contact[rows->m++] = j;
  const ptrdiff_t m = rows->m;
  for (ptrdiff_t i = 0; i < m; i++) {
    const ptrdiff_t j = rows->contact[i];
    rows->f[i] = x->f[j];
    for (ptrdiff_t l = 0; l < k; l++)
      rows->E[i + m * l] = rows->transposed[l + k * i] = x->E[j + m_u * l];
  }
  return DLS_OK;
}

// x on the kernel of E_C, where W may be singular: y = -W_N^+ c_N, plus what the approximation has
// along the kernel of W_N.
static dls_status minimise_on_kernel(dls_context *x, const double *N, int d, const double *start,
                                     double *point)
{
  const int k = x->k;
  const ptrdiff_t rows = k, cols = d;
  double *WN = dls_context_work(x, rows * cols), *W_N = dls_context_work(x, cols * cols);
  double *values = dls_context_work(x, cols), *V = dls_context_work(x, cols * cols);
  double *c_N = dls_context_work(x, cols), *y = dls_context_work(x, cols);
  double *old = dls_context_work(x, cols), *load = dls_context_work(x, rows);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  for (ptrdiff_t j = 0; j < cols; j++)
    for (ptrdiff_t i = 0; i < rows; i++) WN[i + rows * j] = x->w[i] * N[i + rows * j];
  dls_gemm(true, false, d, d, k, 1, N, WN, 0, W_N);
  dls_status status = dls_eigen_symmetric(d, W_N, values, V);
  if (status != DLS_OK) return status;
  for (ptrdiff_t i = 0; i < rows; i++) load[i] = x->c[i] + x->w[i] * point[i];
  dls_gemv(true, k, d, 1, N, load, 0, c_N);
  dls_gemv(true, k, d, 1, N, start, 0, old);
  const double unit = x->mass_values[x->n - 1];
  for (ptrdiff_t j = 0; j < cols; j++) {
    const double *v = V + cols * j;
    const bool massless = unit <= 0 || values[j] / unit <= x->kernel.noise;
    const double along = massless ? dls_dot(d, v, old) : -dls_dot(d, v, c_N) / values[j];
    for (ptrdiff_t i = 0; i < cols; i++) y[i] += along * v[i];
  }
  dls_gemv(false, k, d, 1, N, y, 1, point);
  return DLS_OK;
}

static dls_status solve_closed(dls_context *x, const closed_rows *rows, const double *start,
                               double *point)
{
  const int k = x->k, m = rows->m, least = k < m ? k : m;
  const ptrdiff_t cols = k, size = m;
  double *Q = dls_context_work(x, cols * cols), *S = dls_context_work(x, least);
  double *P = dls_context_work(x, size * size);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  dls_status status = dls_svd(k, m, rows->transposed, Q, S, P);
  if (status != DLS_OK) return status;
  int rank = 0;
  while (rank < least && S[rank] > x->kernel.noise) rank++;
  dls_clear(point, cols);
  for (int j = 0; j < rank; j++) {
    const double along = -dls_dot(m, P + size * j, rows->f) / S[j];
    for (ptrdiff_t i = 0; i < cols; i++) point[i] += along * Q[i + cols * j];
  }
  return minimise_on_kernel(x, Q + cols * rank, k - rank, start, point);
}

// lambda >= 0 with A lambda = b and the smallest sum, on as many independent rows of A (rows x
// cols) as it has; the other rows follow when b is in the image.
static dls_status nonnegative_combination(dls_context *x, int rows, int cols, const double *A,
                                          const double *b, double *lambda, bool *found)
{
  const int least = rows < cols ? rows : cols;
  const ptrdiff_t n = rows, m = cols;
  double *transposed = dls_context_work(x, n * m), *r = dls_context_work(x, least);
  int *order = dls_arena_alloc(x->work, n, sizeof *order);
  if (x->out_of_memory || !order) return DLS_ERR_MEMORY;
  for (ptrdiff_t j = 0; j < m; j++)
    for (ptrdiff_t i = 0; i < n; i++) transposed[j + m * i] = A[i + n * j];
  dls_status status = dls_qr_pivots(cols, rows, transposed, order, r);
  if (status != DLS_OK) return status;
  ptrdiff_t rank = 0;
  while (rank < least && r[rank] > x->kernel.noise * r[0]) rank++;

  double *chosen = dls_context_work(x, rank * m), *right = dls_context_work(x, rank);
  double *low = dls_context_work(x, m), *high = dls_context_work(x, m);
  double *cost = dls_context_work(x, m), objective = NAN;
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  const double size = fmax(dls_norm_max(rows, b), x->f_load), unit = size > 0 ? size : 1;
  for (ptrdiff_t i = 0; i < rank; i++) right[i] = b[order[i]] / unit;
  for (ptrdiff_t j = 0; j < m; j++) {
    high[j] = INFINITY, cost[j] = 1;
    for (ptrdiff_t i = 0; i < rank; i++) {
      const double entry = A[order[i] + n * j];
      chosen[i + rank * j] = fabs(entry) <= x->kernel.noise ? 0 : entry;
    }
  }
  const dls_lp_data data = {(int)rank, cols, chosen, right, right, low, high, cost};
  dls_lp_outcome outcome;
  status = dls_lp_run(&data, lambda, NULL, &objective, &outcome);
  if (status != DLS_OK) return status;
  *found = outcome == DLS_LP_OPTIMAL;
  for (ptrdiff_t j = 0; j < m; j++) lambda[j] *= unit;
  return DLS_OK;
}

// Violation of the optimality conditions of eq (gau.3), relative to the loads.
static double violation(const dls_context *x, const double *point, const double *lambda, double *a)
{
  const ptrdiff_t m = x->m_u;
  const double a_unit = x->a_load > 0 ? x->a_load : 1, f_unit = x->f_load > 0 ? x->f_load : 1;
  double worst = 0;
  for (int j = 0; j < x->m_u; j++) a[j] = x->f[j];
  dls_gemv(false, x->m_u, x->k, 1, x->E, point, 1, a);
  for (int j = 0; j < x->m_u; j++) {
    worst = fmax(worst, -a[j] / a_unit);
    worst = fmax(worst, fmin(fabs(a[j]) / a_unit, lambda[j] / f_unit));
  }
  for (int i = 0; i < x->k; i++) {
    const double force = dls_dot(x->m_u, x->E + m * i, lambda);
    worst = fmax(worst, fabs(x->w[i] * point[i] + x->c[i] - force) / f_unit);
  }
  return worst;
}

// One attempt: the contacts with a <= limit stay closed; massless parts that are left free keep
// what they have in `start`.
static dls_status polish_once(dls_context *x, const double *a, double limit, const double *start,
                              double *point, double *forces, bool *found)
{
  const ptrdiff_t k = x->k, m = x->m_u;
  double *part = dls_context_work(x, m), *load = dls_context_work(x, k);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  closed_rows rows;
  dls_status status = collect(x, a, limit, &rows);
  if (status == DLS_OK) status = solve_closed(x, &rows, start, point);
  if (status != DLS_OK) return status;
  for (ptrdiff_t i = 0; i < k; i++) load[i] = x->w[i] * point[i] + x->c[i];
  dls_context_remove_noise(x, x->f_load, load, x->k);
  status = nonnegative_combination(x, x->k, rows.m, rows.transposed, load, part, found);
  dls_clear(forces, m);
  for (int i = 0; i < rows.m; i++) forces[rows.contact[i]] = fmax(0, part[i]);
  return status;
}

dls_status dls_context_polish(dls_context *x, double *y, double *lambda, double *error)
{
  const int attempts = (int)(sizeof limits / sizeof *limits);
  const ptrdiff_t k = x->k, m = x->m_u;
  double *point = dls_context_work(x, k), *start = dls_context_work(x, k);
  double *rest = dls_context_work(x, k), *a = dls_context_work(x, m);
  double *start_a = dls_context_work(x, m), *forces = dls_context_work(x, m);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  dls_copy(start, y, k);
  *error = violation(x, y, lambda, start_a);
  const double unit = fmax(x->a_load, dls_norm_max(x->k, y));
  // free massless parts at rest first, if that is a solution
  for (int i = x->k_0 > 0 ? 0 : attempts; i < 2 * attempts; i++) {
    bool found = false;
    dls_status status = polish_once(x, start_a, limits[i % attempts] * unit,
                                    i < attempts ? rest : start, point, forces, &found);
    if (status != DLS_OK) return status;
    if (!found) continue;
    const double reached = violation(x, point, forces, a);
    if (!(reached < *error) && !(reached <= entry_roundings * x->kernel.noise)) continue;
    *error = reached;
    dls_copy(y, point, k);
    dls_copy(lambda, forces, m);
    if (reached <= entry_roundings * x->kernel.noise) break;
  }
  return DLS_OK;
}
