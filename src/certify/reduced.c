// A second and a third way to the same numbers.
//
// Reduced coordinates, eq (red.1): r = rank G_b independent constraints and r coordinates z_1 are
// chosen by pivoting; the constraints give z_1 = J_1^-1 (-b - J_2 z_2), so z = z_p + T z_2, and
//
//   A_r = E_r (T^T M T)^-1 E_r^T,  E_r = G_u^T T                                   eq (red.2)
//
// The contact problem is then 0 <= lambda _|_ A_r lambda + w_r >= 0, as a program in lambda alone.
// The dual of the Gauss program is the same kind of program with A_c in the place of A_r. eq
// (gau.2)
#include "base/memory.h"
#include "certify/context.h"
#include "certify/tolerances.h"
#include "convex/qp.h"
#include "linalg/dense.h"

#include <math.h>

// The residual of the programs; slack that opens what rounding closed, of the load, and the price
// of forces, of 1, alone and beside the slack. Chosen: well below the tolerance.
static const double program_tolerance = 1e-10;
static const double open_slack = 1e-11, force_price = 1e-11, force_price_open = 1e-10;

// min 1/2 lambda^T A lambda + w^T lambda, lambda >= 0; false when it was not solved.
static dls_status solve_multipliers(dls_context *x, const double *A, const double *w,
                                    double *lambda, bool *solved)
{
  const ptrdiff_t m = x->m_u;
  double *unit = dls_context_work(x, m * m), *K = dls_context_work(x, m * m);
  double *zero = dls_context_work(x, m);
  double *scaled = dls_context_work(x, m), *slack = dls_context_work(x, m);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  double size = dls_norm_max(x->m_u, w);
  if (!(size > 0)) size = 1;
  for (ptrdiff_t i = 0; i < m; i++) unit[i * (m + 1)] = 1;
  // where the constraints leave room only on their boundary, rounding closes it: open it by as
  // much, and at last bound the forces a little
  const struct {
    double slack, price;
  } plan[] = {{0, 0},
              {2 * x->kernel.noise, 0},
              {open_slack, 0},
              {0, force_price},
              {open_slack, force_price_open}};
  const dls_qp_data qp = {.n = x->m_u, .m = x->m_u, .K = K, .c = scaled, .E = unit, .f = zero};
  dls_qp_report report;
  dls_status status = DLS_OK;
  *solved = false;
  for (ptrdiff_t p = 0; p < dls_count_of(plan) && status == DLS_OK && !*solved; p++) {
    dls_copy(K, A, m * m);
    for (ptrdiff_t i = 0; i < m; i++) {
      K[i * (m + 1)] += plan[p].price;
      scaled[i] = w[i] / size + plan[p].slack;
    }
    status = dls_qp_solve(&qp, program_tolerance, lambda, slack, &report);
    *solved = status == DLS_OK && report.outcome == DLS_QP_SOLVED;
  }
  for (ptrdiff_t i = 0; i < m; i++) lambda[i] = fmax(0, size * lambda[i]);
  return status;
}

// Relative to the larger vector, or to the load, which is as exact as an acceleration can be.
static double largest_difference(int n, const double *a, const double *b, double load)
{
  double difference = 0, size = load;
  for (int i = 0; i < n; i++) {
    difference = fmax(difference, fabs(a[i] - b[i]));
    size = fmax(size, fmax(fabs(a[i]), fabs(b[i])));
  }
  return size > 0 ? difference / size : 0;
}

// In the user's units, up to that of mass: both factors carry S.
static double weighted_dot(int n, const double *S, const double *a, const double *b)
{
  double sum = 0;
  for (int i = 0; i < n; i++) sum += S[i] * S[i] * a[i] * b[i];
  return sum;
}

// Accelerations by the dual program with A_c, and its optimal value in the user's units.
static dls_status by_dual(dls_context *x)
{
  const int n = x->n, m = x->m_u, k = x->k;
  const ptrdiff_t rows = m, cols = k;
  double *A = dls_context_work(x, rows * rows), *B = dls_context_work(x, rows * cols);
  double *w = dls_context_work(x, rows), *lambda = dls_context_work(x, rows);
  double *y = dls_context_work(x, cols), *z = dls_context_work(x, n);
  double *r = dls_context_work(x, n), *lambda_b = dls_context_work(x, x->m_b);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  for (ptrdiff_t j = 0; j < cols; j++) {
    y[j] = x->c[j] / x->w[j];
    for (ptrdiff_t i = 0; i < rows; i++) B[i + rows * j] = x->E[i + rows * j] / sqrt(x->w[j]);
  }
  dls_gemm(false, true, m, m, k, 1, B, B, 0, A);
  dls_copy(w, x->f, rows);
  dls_gemv(false, m, k, -1, x->E, y, 1, w);
  bool solved = false;
  dls_status status = solve_multipliers(x, A, w, lambda, &solved);
  x->check->reduced.dual_difference = NAN;
  if (status != DLS_OK || !solved) return status;

  // y = K^-1 (E^T lambda - c), z = z_0 + basis y
  for (ptrdiff_t j = 0; j < cols; j++)
    y[j] = (dls_dot(m, x->E + rows * j, lambda) - x->c[j]) / x->w[j];
  dls_copy(z, x->z_0, n);
  dls_gemv(false, n, k, 1, x->basis, y, 1, z);
  dls_context_remove_noise(x, x->a_load, z, n);
  dls_context_remove_noise(x, x->f_load, lambda, m);
  x->check->reduced.dual_difference = largest_difference(n, z, x->z, x->a_load);
  // A_c of nearly parallel contacts is rounding: that is no optimum
  if (!(x->check->reduced.dual_difference <= x->basic.tolerance)) return DLS_OK;

  dls_copy(r, x->F, n);
  dls_gemv(false, n, n, 1, x->M, z, 1, r);
  dls_gemv(false, n, m, -1, x->G_u, lambda, 1, r);
  dls_context_bilateral_multipliers(x, r, lambda_b);
  dls_context_remove_noise(x, x->f_load, lambda_b, x->m_b);
  dls_gemv(false, n, n, 1, x->M, z, 0, r);
  x->check->solution->gauss_dual = x->mass_unit * (-0.5 * weighted_dot(n, x->S, z, r) -
                                                   weighted_dot(x->m_b, x->S_b, x->b_b, lambda_b) -
                                                   weighted_dot(m, x->S_u, x->b_u, lambda));
  return DLS_OK;
}

typedef struct reduction {
  int r, k;         // dependent and independent coordinates
  int *coordinate;  // n: dependent first
  double *z_p;      // n: particular solution, zero at the independent coordinates
  double *T;        // n x k
  int *constraint;  // the r independent constraints
  double *J_1;      // r x r: their derivatives by the dependent coordinates
} reduction;

// Chooses r independent constraints, then r coordinates in which they are independent.
static dls_status choose(dls_context *x, reduction *d, int *constraint)
{
  const ptrdiff_t n = x->n, m = x->m_b, r = d->r;
  double *diagonal = dls_context_work(x, n > m ? n : m), *rows = dls_context_work(x, r * n);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  dls_status status = dls_qr_pivots(x->n, x->m_b, x->G_b, constraint, diagonal);
  if (status != DLS_OK) return status;
  for (ptrdiff_t j = 0; j < r; j++)
    for (ptrdiff_t i = 0; i < n; i++) rows[j + r * i] = x->G_b[i + n * constraint[j]];
  status = dls_qr_pivots(d->r, x->n, rows, d->coordinate, diagonal);
  if (status != DLS_OK) return status;

  // the pivots come first; the others follow in their own order
  int next = d->r;
  for (int i = 0; i < x->n; i++) {
    bool dependent = false;
    for (int j = 0; j < d->r; j++) dependent |= d->coordinate[j] == i;
    if (!dependent) d->coordinate[next++] = i;
  }
  return DLS_OK;
}

static dls_status eliminate(dls_context *x, reduction *d)
{
  const ptrdiff_t n = x->n, r = d->r, k = d->k;
  int *constraint = dls_arena_alloc(x->work, (ptrdiff_t)x->m_b + 1, sizeof *constraint);
  d->constraint = constraint;
  double *J_1 = d->J_1 = dls_context_work(x, r * r), *right = dls_context_work(x, r * (k + 1));
  double *solved = dls_context_work(x, r * (k + 1)), rcond = 1;
  d->z_p = dls_context_work(x, n), d->T = dls_context_work(x, n * k);
  if (x->out_of_memory || !constraint) return DLS_ERR_MEMORY;
  dls_status status = choose(x, d, constraint);
  if (status != DLS_OK) return status;

  for (ptrdiff_t i = 0; i < r; i++) {
    const double *g = x->G_b + n * constraint[i];
    for (ptrdiff_t j = 0; j < r; j++) J_1[i + r * j] = g[d->coordinate[j]];
    for (ptrdiff_t j = 0; j < k; j++) right[i + r * j] = -g[d->coordinate[r + j]];
    right[i + r * k] = -x->b_b[constraint[i]];
  }
  status = dls_solve(d->r, d->k + 1, J_1, right, solved, &rcond);
  if (status != DLS_OK) return status;
  for (ptrdiff_t i = 0; i < r; i++) {
    const ptrdiff_t at = d->coordinate[i];
    d->z_p[at] = solved[i + r * k];
    for (ptrdiff_t j = 0; j < k; j++) d->T[at + n * j] = solved[i + r * j];
  }
  for (ptrdiff_t j = 0; j < k; j++) d->T[d->coordinate[r + j] + n * j] = 1;
  return DLS_OK;
}

// A_r against A_c in scaled variables, where a single contact has an entry of about 1.
static void compare_delassus(dls_context *x, const double *A)
{
  const ptrdiff_t m = x->m_u;
  double difference = 0, size = 1;
  for (ptrdiff_t j = 0; j < m; j++)
    for (ptrdiff_t i = 0; i < m; i++) {
      const double other = x->mass_unit * x->check->A_c[i + m * j] * x->C_u[i] * x->C_u[j];
      difference = fmax(difference, fabs(A[i + m * j] - other));
      size = fmax(size, fabs(other));
    }
  x->check->reduced.delassus_difference = difference / size;
}

// The bilateral multipliers from the rows of the dependent coordinates, J_1^T lambda_b = (M z + F -
// G_u lambda_u)_1, against those of the main way, when they are unique.           eq (red.1)
static dls_status compare_multipliers(dls_context *x, const reduction *d, const double *z,
                                      const double *lambda_u)
{
  const ptrdiff_t n = x->n, r = d->r;
  if (x->check->verdict[DLS_FORCES_UNIQUE].answer != DLS_YES || d->r != x->m_b) return DLS_OK;
  double *balance = dls_context_work(x, n), *rows = dls_context_work(x, r), rcond = 1;
  double *transposed = dls_context_work(x, r * r), *lambda_b = dls_context_work(x, r);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  dls_copy(balance, x->F, n);
  dls_gemv(false, x->n, x->n, 1, x->M, z, 1, balance);
  dls_gemv(false, x->n, x->m_u, -1, x->G_u, lambda_u, 1, balance);
  for (ptrdiff_t i = 0; i < r; i++) {
    rows[i] = balance[d->coordinate[i]];
    for (ptrdiff_t j = 0; j < r; j++) transposed[j + r * i] = d->J_1[i + r * j];
  }
  dls_status status = dls_solve(d->r, 1, transposed, rows, lambda_b, &rcond);
  if (status != DLS_OK) return status;
  double largest = largest_difference(x->m_u, lambda_u, x->lambda_u, x->f_load);
  for (ptrdiff_t i = 0; i < r; i++)
    largest = fmax(largest, largest_difference(1, &lambda_b[i], &x->lambda_b[d->constraint[i]],
                                               fmax(x->f_load, dls_norm_max(x->m_b, x->lambda_b))));
  x->check->reduced.multiplier_difference = largest;
  return DLS_OK;
}

static dls_status by_reduction(dls_context *x, const reduction *d)
{
  const int n = x->n, m = x->m_u, k = d->k;
  const ptrdiff_t rows = n, size = m, cols = k;
  double *MT = dls_context_work(x, rows * cols), *K = dls_context_work(x, cols * cols);
  double *L = dls_context_work(x, cols * cols), *B = dls_context_work(x, cols * size);
  double *c = dls_context_work(x, cols), *w = dls_context_work(x, size);
  double *A = dls_context_work(x, size * size), *lambda = dls_context_work(x, size);
  double *load = dls_context_work(x, rows), *z = dls_context_work(x, rows);
  double *A_r = dls_context_keep(x, size * size);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  bool definite = false, solved = false;
  dls_gemm(false, false, n, k, n, 1, x->M, d->T, 0, MT);
  dls_gemm(true, false, k, k, n, 1, d->T, MT, 0, K);
  dls_status status = dls_cholesky(k, K, L, &definite);
  if (status != DLS_OK || !definite) return status;

  // B = L^-1 E_r^T,  c = L^-1 T^T (F + M z_p),  A = B^T B,  w = b_u + G_u^T z_p - B^T c
  dls_gemm(true, false, k, m, n, 1, d->T, x->G_u, 0, B);
  for (ptrdiff_t i = 0; i < cols * size; i++)
    if (fabs(B[i]) <= entry_roundings * x->kernel.noise) B[i] = 0;
  dls_lower_solve(k, m, L, false, B);
  dls_copy(load, x->F, rows);
  dls_gemv(false, n, n, 1, x->M, d->z_p, 1, load);
  dls_gemv(true, n, k, 1, d->T, load, 0, c);
  dls_lower_solve(k, 1, L, false, c);
  dls_gemm(true, false, m, m, k, 1, B, B, 0, A);
  dls_copy(w, x->b_u, size);
  dls_gemv(true, n, m, 1, x->G_u, d->z_p, 1, w);
  dls_gemv(true, k, m, -1, B, c, 1, w);
  dls_context_remove_noise(x, 4 * fmax(x->a_load, dls_norm_max(k, c)), w, m);
  for (ptrdiff_t j = 0; j < size; j++)
    for (ptrdiff_t i = 0; i < size; i++)
      A_r[i + size * j] = A[i + size * j] / (x->mass_unit * x->C_u[i] * x->C_u[j]);
  x->check->reduced.A_r = A_r;
  x->check->reduced.applies = true;
  compare_delassus(x, A);

  status = solve_multipliers(x, A, w, lambda, &solved);
  x->check->reduced.acceleration_difference = NAN;
  if (status != DLS_OK || !solved) return status;
  // z = z_p + T L^-T (B lambda - c)
  for (ptrdiff_t i = 0; i < cols; i++) c[i] = -c[i];
  dls_gemv(false, k, m, 1, B, lambda, 1, c);
  dls_lower_solve(k, 1, L, true, c);
  dls_copy(z, d->z_p, rows);
  dls_gemv(false, n, k, 1, d->T, c, 1, z);
  x->check->reduced.acceleration_difference = largest_difference(n, z, x->z, x->a_load);
  return compare_multipliers(x, d, z, lambda);
}

dls_status dls_compute_reduced(dls_context *x)
{
  enum { MOST_CONTACTS = 400 };  // the programs of the comparison are dense in them
  dls_reduced *out = &x->check->reduced;
  out->acceleration_difference = out->multiplier_difference = out->dual_difference = NAN;
  if (x->m_u > MOST_CONTACTS) return DLS_OK;
  if (!x->solved || x->k_0 > 0 || x->k_ambiguous || x->bilateral.certain != x->bilateral.possible)
    return DLS_OK;
  out->coordinate = dls_arena_alloc(x->arena, x->n, sizeof(int));
  if (!out->coordinate) return DLS_ERR_MEMORY;
  out->dependent = x->bilateral.possible;
  reduction d = {.r = x->bilateral.possible, .k = x->k, .coordinate = out->coordinate};
  dls_status status = eliminate(x, &d);
  if (status == DLS_OK) status = by_reduction(x, &d);
  if (status == DLS_OK) status = by_dual(x);
  return status;
}
