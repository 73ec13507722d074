// Factorisations by LAPACK. The "work" interfaces of LAPACKE are used throughout: the others
// allocate behind our back and print when memory runs out.
#include "linalg/dense.h"

#include "base/memory.h"
#include "linalg/dense_internal.h"
#include "linalg/tolerances.h"

#include <lapacke.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

// LAPACK's work lengths are ints: about 8 n^2 must fit.
enum { LARGEST = 15000 };

static ptrdiff_t area(int rows, int cols)
{
  return (ptrdiff_t)rows * cols;
}

dls_status dls_matrix_check(int rows, int cols, const double *A)
{
  if (rows < 0 || cols < 0) return DLS_ERR_ARGUMENT;
  if (rows > LARGEST || cols > LARGEST) return DLS_ERR_LIMIT;
  return dls_finite(area(rows, cols), A) ? DLS_OK : DLS_ERR_NUMBER;
}

static void identity(int n, double *A)
{
  if (!A || n <= 0) return;
  dls_clear(A, area(n, n));
  for (int k = 0; k < n; k++) A[area(k, n) + k] = 1;
}

// The length that a work query answered; a little more, as the answer is a rounded double.
static int work_length(double answer)
{
  double length = ceil(answer) + 8;
  return length < INT_MAX ? (int)length : INT_MAX;
}

// ---- singular values ---------------------------------------------------------------------------

typedef struct svd_work {
  char job;
  int rows, cols, rank;   // rank = min(rows, cols)
  int cols_U, rows_V;     // shapes of U and V^T for the job
  double *A, *s, *U, *V;  // V holds V^T
  double *work;
  int *iwork;
} svd_work;

static int svd_call(svd_work *w, bool divide, double *work, int length)
{
  int ldv = w->rows_V > 1 ? w->rows_V : 1;
  if (divide)
    return LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, w->job, w->rows, w->cols, w->A, w->rows, w->s,
                               w->U, w->rows, w->V, ldv, work, length, w->iwork);
  return LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, w->job, w->job, w->rows, w->cols, w->A, w->rows,
                             w->s, w->U, w->rows, w->V, ldv, work, length);
}

// One attempt by divide and conquer (or by QR); DLS_ERR_SOLVER when LAPACK did not converge.
static dls_status svd_attempt(svd_work *w, bool divide, const double *A, int exponent)
{
  double answer = 0;
  if (svd_call(w, divide, &answer, -1) != 0) return DLS_ERR_SOLVER;
  int length = work_length(answer);
  free(w->work);
  w->work = dls_alloc(length, sizeof *w->work);
  if (!w->work) return DLS_ERR_MEMORY;
  dls_shift(area(w->rows, w->cols), A, -exponent, w->A);
  if (svd_call(w, divide, w->work, length) != 0) return DLS_ERR_SOLVER;
  if (!dls_finite(w->rank, w->s)) return DLS_ERR_SOLVER;
  if (w->job != 'N' &&
      (!dls_finite(area(w->rows, w->cols_U), w->U) || !dls_finite(area(w->rows_V, w->cols), w->V)))
    return DLS_ERR_SOLVER;
  return DLS_OK;
}

static void svd_shape(svd_work *w, int rows, int cols, bool want_U, bool want_V)
{
  w->rows = rows;
  w->cols = cols;
  w->rank = rows < cols ? rows : cols;
  // the square factor that nobody asked for is left thin
  if (!want_U && !want_V) w->job = 'N';
  else if (want_U && want_V) w->job = 'A';
  else if (want_U) w->job = cols >= rows ? 'S' : 'A';
  else w->job = rows >= cols ? 'S' : 'A';
  w->cols_U = w->job == 'N' ? 0 : w->job == 'A' ? rows : w->rank;
  w->rows_V = w->job == 'N' ? 0 : w->job == 'A' ? cols : w->rank;
}

static dls_status svd_run(svd_work *w, const double *A, double *U, double *s, double *V)
{
  ptrdiff_t rank = w->rank;
  w->A = dls_alloc(area(w->rows, w->cols), sizeof(double));
  w->s = dls_alloc(rank, sizeof(double));
  w->U = dls_alloc(area(w->rows, w->cols_U), sizeof(double));
  w->V = dls_alloc(area(w->rows_V, w->cols), sizeof(double));
  w->iwork = dls_alloc(8 * rank, sizeof(int));
  if (!w->A || !w->s || !w->U || !w->V || !w->iwork) return DLS_ERR_MEMORY;

  int exponent = dls_exponent_of_largest(area(w->rows, w->cols), A);
  dls_status status = svd_attempt(w, true, A, exponent);
  if (status == DLS_ERR_SOLVER) status = svd_attempt(w, false, A, exponent);
  if (status != DLS_OK) return status;

  dls_shift(rank, w->s, exponent, s);
  if (!dls_finite(rank, s)) return DLS_ERR_NUMBER;
  if (U) dls_copy(U, w->U, area(w->rows, w->rows));
  if (V)
    for (int i = 0; i < w->cols; i++)
      for (int j = 0; j < w->cols; j++) V[area(j, w->cols) + i] = w->V[area(i, w->rows_V) + j];
  return DLS_OK;
}

dls_status dls_svd_whole(int rows, int cols, const double *A, double *U, double *s, double *V)
{
  dls_status status = dls_matrix_check(rows, cols, A);
  if (status != DLS_OK) return status;
  if (rows == 0 || cols == 0) {
    identity(rows, U);
    identity(cols, V);
    return DLS_OK;
  }
  svd_work w = {0};
  svd_shape(&w, rows, cols, U, V);
  status = svd_run(&w, A, U, s, V);
  free(w.A);
  free(w.s);
  free(w.U);
  free(w.V);
  free(w.work);
  free(w.iwork);
  return status;
}

// ---- Cholesky ----------------------------------------------------------------------------------

dls_status dls_cholesky(int n, const double *A, double *L, bool *definite)
{
  *definite = false;
  if (n < 0) return DLS_ERR_ARGUMENT;
  if (n > LARGEST) return DLS_ERR_LIMIT;
  ptrdiff_t N = n;
  for (ptrdiff_t j = 0; j < N; j++)
    if (!dls_finite(N - j, A + j * N + j)) return DLS_ERR_NUMBER;
  for (ptrdiff_t j = 0; j < N; j++) {
    dls_clear(L + j * N, j);
    dls_copy(L + j * N + j, A + j * N + j, N - j);
  }
  if (n == 0) {
    *definite = true;
    return DLS_OK;
  }
  int info = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, L, n);
  if (info < 0) return DLS_ERR_SOLVER;
  // a pivot that rounds to NaN or infinity is not positive either
  *definite = info == 0;
  for (ptrdiff_t j = 0; j < N && *definite; j++)
    *definite = L[j * N + j] > 0 && isfinite(L[j * N + j]);
  return DLS_OK;
}

// ---- LU ----------------------------------------------------------------------------------------

typedef struct lu_work {
  int exponent;  // A holds 2^-exponent of the matrix
  double *A, *LU, *D, *scaled, *work;
  long double *r;
  int *pivot, *iwork;
} lu_work;

static dls_status lu_allocate(lu_work *w, int n, int cols)
{
  ptrdiff_t nn = area(n, n), nk = area(n, cols);
  w->A = dls_alloc(nn, sizeof(double));
  w->LU = dls_alloc(nn, sizeof(double));
  w->D = dls_alloc(nk, sizeof(double));
  w->scaled = dls_alloc(nk, sizeof(double));
  w->work = dls_alloc(4 * (ptrdiff_t)n, sizeof(double));
  w->r = dls_alloc(n, sizeof(long double));
  w->pivot = dls_alloc(n, sizeof(int));
  w->iwork = dls_alloc(n, sizeof(int));
  bool good = w->A && w->LU && w->D && w->scaled && w->work && w->r && w->pivot && w->iwork;
  return good ? DLS_OK : DLS_ERR_MEMORY;
}

static void lu_free(lu_work *w)
{
  free(w->A);
  free(w->LU);
  free(w->D);
  free(w->scaled);
  free(w->work);
  free(w->r);
  free(w->pivot);
  free(w->iwork);
}

// *rcond stays 0 when a pivot vanishes.
static dls_status lu_factor(lu_work *w, int n, const double *A, double *rcond)
{
  ptrdiff_t nn = area(n, n);
  w->exponent = dls_exponent_of_largest(nn, A);
  dls_shift(nn, A, -w->exponent, w->A);
  dls_copy(w->LU, w->A, nn);
  double norm = LAPACKE_dlange_work(LAPACK_COL_MAJOR, '1', n, n, w->A, n, w->work), r = 0;
  int info = LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, w->LU, n, w->pivot);
  if (info < 0) return DLS_ERR_SOLVER;
  if (info > 0) return DLS_OK;
  if (LAPACKE_dgecon_work(LAPACK_COL_MAJOR, '1', n, w->LU, n, norm, &r, w->work, w->iwork) != 0)
    return DLS_ERR_SOLVER;
  if (r > 0) *rcond = r;
  return DLS_OK;
}

// r = b - A x, or b - A^T x, in long double.
static void lu_residual(lu_work *w, int n, bool transpose, const double *b, const double *x)
{
  ptrdiff_t N = n;
  for (ptrdiff_t i = 0; i < N; i++) w->r[i] = b[i];
  for (ptrdiff_t j = 0; j < N; j++) {
    const double *a = w->A + j * N;
    if (transpose)
      for (ptrdiff_t i = 0; i < N; i++) w->r[j] -= (long double)a[i] * x[i];
    else if (x[j] != 0)
      for (ptrdiff_t i = 0; i < N; i++) w->r[i] -= (long double)a[i] * x[j];
  }
}

// X <- X + A^-1 (B - A X). Returns the size of the correction relative to X: what the next step
// could still change.
static double refine(lu_work *w, int n, int cols, bool transpose, const double *B, double *X)
{
  ptrdiff_t N = n;
  for (ptrdiff_t k = 0; k < cols; k++) {
    lu_residual(w, n, transpose, B + k * N, X + k * N);
    for (ptrdiff_t i = 0; i < N; i++) w->D[k * N + i] = (double)w->r[i];
  }
  LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, transpose ? 'T' : 'N', n, cols, w->LU, n, w->pivot, w->D,
                      n);
  double largest = 0;
  for (ptrdiff_t k = 0; k < cols; k++) {
    double change = dls_norm_max(n, w->D + k * N), size = dls_norm_max(n, X + k * N);
    if (!isfinite(change)) return 0;  // refinement cannot help: keep the plain solution
    if (change > largest * size) largest = size > 0 ? change / size : 1;
  }
  if (largest > refine_never) return 0;
  for (ptrdiff_t k = 0; k < N * cols; k++) X[k] += w->D[k];
  return largest;
}

// A X = B, or A^T X = B, by the factors; false when X overflows.
static bool lu_solve(lu_work *w, int n, int cols, bool transpose, const double *B, double *X)
{
  ptrdiff_t nk = area(n, cols);
  if (nk == 0) return true;
  int exponent = dls_exponent_of_largest(nk, B);
  dls_shift(nk, B, -exponent, w->scaled);
  dls_copy(X, w->scaled, nk);
  LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, transpose ? 'T' : 'N', n, cols, w->LU, n, w->pivot, X, n);
  if (!dls_finite(nk, X)) return false;
  if (refine(w, n, cols, transpose, w->scaled, X) > refine_again)
    refine(w, n, cols, transpose, w->scaled, X);
  dls_shift(nk, X, exponent - w->exponent, X);
  return dls_finite(nk, X);
}

dls_status dls_solve(int n, int cols, const double *A, const double *B, double *X, double *rcond)
{
  *rcond = 0;
  dls_status status = dls_matrix_check(n, n, A);
  if (status == DLS_OK) status = dls_matrix_check(n, cols, B);
  if (status != DLS_OK) return status;
  if (n == 0) {
    *rcond = 1;
    return DLS_OK;
  }
  lu_work w = {0};
  status = lu_allocate(&w, n, cols);
  if (status == DLS_OK) status = lu_factor(&w, n, A, rcond);
  if (status == DLS_OK && *rcond > 0 && !lu_solve(&w, n, cols, false, B, X)) *rcond = 0;
  lu_free(&w);
  return status;
}

dls_status dls_solve_pair(int n, const double *A, const double *b, double *x, const double *c,
                          double *y, double *rcond)
{
  *rcond = 0;
  dls_status status = dls_matrix_check(n, n, A);
  if (status == DLS_OK) status = dls_matrix_check(n, 1, b);
  if (status == DLS_OK) status = dls_matrix_check(n, 1, c);
  if (status != DLS_OK) return status;
  if (n == 0) {
    *rcond = 1;
    return DLS_OK;
  }
  lu_work w = {0};
  status = lu_allocate(&w, n, 1);
  if (status == DLS_OK) status = lu_factor(&w, n, A, rcond);
  if (status == DLS_OK && *rcond > 0 &&
      !(lu_solve(&w, n, 1, false, b, x) && lu_solve(&w, n, 1, true, c, y)))
    *rcond = 0;
  lu_free(&w);
  return status;
}

// ---- QR ----------------------------------------------------------------------------------------

static dls_status qr_run(int rows, int cols, double *A, double *tau, int *pivot, double **work)
{
  double answer = 0;
  if (LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, rows, cols, A, rows, pivot, tau, &answer, -1) != 0)
    return DLS_ERR_SOLVER;
  int length = work_length(answer);
  *work = dls_alloc(length, sizeof **work);
  if (!*work) return DLS_ERR_MEMORY;
  int info = LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, rows, cols, A, rows, pivot, tau, *work, length);
  return info == 0 ? DLS_OK : DLS_ERR_SOLVER;
}

dls_status dls_qr_pivots(int rows, int cols, const double *A, int *order, double *r)
{
  dls_status status = dls_matrix_check(rows, cols, A);
  if (status != DLS_OK || rows == 0 || cols == 0) return status;
  int rank = rows < cols ? rows : cols;
  double *copy = dls_alloc(area(rows, cols), sizeof *copy), *work = NULL;
  double *tau = dls_alloc(rank, sizeof *tau);
  int *pivot = dls_alloc(cols, sizeof *pivot);  // zero: every column is free to move
  status = DLS_ERR_MEMORY;
  if (copy && tau && pivot) {
    int exponent = dls_exponent_of_largest(area(rows, cols), A);
    dls_shift(area(rows, cols), A, -exponent, copy);
    status = qr_run(rows, cols, copy, tau, pivot, &work);
    for (int k = 0; k < rank && status == DLS_OK; k++) {
      order[k] = pivot[k] - 1;
      r[k] = ldexp(fabs(copy[area(k, rows) + k]), exponent);
      if (!isfinite(r[k])) status = DLS_ERR_NUMBER;
    }
  }
  free(copy);
  free(tau);
  free(pivot);
  free(work);
  return status;
}
