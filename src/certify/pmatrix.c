// Is M a P-matrix? Is the horizontal problem of (A, B) uniquely solvable for every q?
#include "certify/representatives.h"

#include "base/memory.h"
#include "certify/pmatrix.h"
#include "linalg/dense.h"
#include "linalg/dense_internal.h"

#include <delassus/lcp_proof.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

// ---- beyond 2^n: tests for any size ------------------------------------------------------------

// Scales to a diagonal of about 1, rows and columns alike, or, when `balance`, so that rows and
// columns have entries of the same size: by powers of two, and none of it changes whether M is a
// P-matrix. *error, of each entry, becomes that of the entries of S. false: an element of the
// diagonal is not positive.
static bool normalize(int n, const double *M, bool balance, double *S, int *row, int *col,
                      double *error)
{
  const ptrdiff_t N = n;
  for (ptrdiff_t i = 0; i < N; i++) {
    const double d = M[i * (N + 1)];
    int exponent;
    if (!(d > 0)) return false;
    frexp(d, &exponent);
    row[i] = col[i] = -(exponent / 2);
  }
  for (int pass = 0; pass < 6 && balance; pass++)
    for (ptrdiff_t i = 0; i < N; i++) {
      double across = 0, down = 0;
      for (ptrdiff_t j = 0; j < N; j++) {
        if (j == i) continue;
        across = fmax(across, fabs(ldexp(M[i + N * j], row[i] + col[j])));
        down = fmax(down, fabs(ldexp(M[j + N * i], row[j] + col[i])));
      }
      if (!(across > 0) || !(down > 0)) continue;
      const int exponent = (int)lrint((log2(across) - log2(down)) / 2);
      row[i] -= exponent, col[i] += exponent;
    }
  double largest = 0;
  for (ptrdiff_t j = 0; j < N; j++)
    for (ptrdiff_t i = 0; i < N; i++) {
      S[i + N * j] = ldexp(M[i + N * j], row[i] + col[j]);
      largest = fmax(largest, ldexp(*error, row[i] + col[j]));
    }
  *error = largest;
  return dls_finite(N * N, S) && isfinite(largest);
}

// Positive definite, proven: Cholesky of H - c I runs through with c above its rounding errors and
// those of the data. Returns the largest such c tried, or 0.
static dls_status definite(int n, const double *S, double error, double *work, double *margin)
{
  const ptrdiff_t N = n;
  double *H = work, *L = work + N * N, trace = 0;
  *margin = 0;
  for (ptrdiff_t i = 0; i < N; i++) trace += fabs(S[i * (N + 1)]);
  const double rounding = (2 * n + 8) * DBL_EPSILON * trace + n * error;
  for (int k = 1; k < 46; k += 2) {
    const double c = ldexp(1, -k);
    bool good = false;
    for (ptrdiff_t j = 0; j < N; j++)
      for (ptrdiff_t i = 0; i < N; i++)
        H[i + N * j] = S[i + N * j] / 2 + S[j + N * i] / 2 - (i == j ? c + 2 * rounding : 0);
    const dls_status status = dls_cholesky(n, H, L, &good);
    if (status != DLS_OK) return status;
    if (!good) continue;
    *margin = c;
    return DLS_OK;
  }
  return DLS_OK;
}

// Generalized diagonal dominance: x > 0 with S_ii x_i > sum |S_ij| x_j, found as the solution of
// the system with the comparison matrix. Such matrices and their principal blocks have positive
// determinants. *margin: the least relative excess, or 0.
static dls_status dominance(int n, const double *S, double error, double *work, double *margin)
{
  const ptrdiff_t N = n;
  double *C = work, *one = work + N * N, *x = one + N, rcond = 0;
  *margin = 0;
  for (ptrdiff_t j = 0; j < N; j++) {
    one[j] = 1;
    for (ptrdiff_t i = 0; i < N; i++) C[i + N * j] = i == j ? S[i + N * j] : -fabs(S[i + N * j]);
  }
  const dls_status status = dls_solve(n, 1, C, one, x, &rcond);
  if (status == DLS_ERR_NUMBER) return DLS_OK;
  if (status != DLS_OK || !(rcond > 0)) return status;
  long double all = 0, least = 1;
  for (ptrdiff_t j = 0; j < N; j++) {
    if (!(x[j] > 0)) return DLS_OK;
    all += x[j];
  }
  for (ptrdiff_t i = 0; i < N; i++) {
    long double sum = 0;
    for (ptrdiff_t j = 0; j < N; j++)
      if (j != i) sum += (long double)fabs(S[i + N * j]) * x[j];
    const long double own = (long double)S[i * (N + 1)] * x[i];
    const long double slack = error * all + (n + 4) * LDBL_EPSILON * (own + sum);
    least = fminl(least, (own - sum - slack) / own);
  }
  *margin = least > 0 ? (double)least : 0;
  return DLS_OK;
}

dls_status dls_p_matrix_sufficient(int n, const double *M, double error, double *margin,
                                   const char **by)
{
  const ptrdiff_t N = n;
  double *S = dls_alloc(3 * N * N + 2 * N, sizeof *S), *work = S ? S + N * N : NULL;
  int *exponents = dls_alloc(2 * N, sizeof *exponents);
  dls_status status = S && exponents ? DLS_OK : DLS_ERR_MEMORY;
  *margin = 0, *by = "";
  for (int balance = 0; balance < 2 && status == DLS_OK && *margin == 0; balance++) {
    double scaled_error = error;
    if (!normalize(n, M, balance, S, exponents, exponents + N, &scaled_error)) continue;
    status = definite(n, S, scaled_error, work, margin);
    if (*margin > 0) *by = "symmetric part positive definite";
    if (status != DLS_OK || *margin > 0) continue;
    status = dominance(n, S, scaled_error, work, margin);
    if (*margin > 0) *by = "generalized diagonal dominance";
  }
  free(S), free(exponents);
  return status;
}

// ---- a minor and its sign ----------------------------------------------------------------------

static dls_status minor_sign(int n, const double *M, int count, const int *index, dls_sign *sign,
                             double *size, double *error)
{
  const ptrdiff_t N = n, k = count;
  dls_tracked *block = dls_alloc(k * k, sizeof *block);
  bool *choice = dls_alloc(k, sizeof *choice);
  dls_status status = DLS_ERR_MEMORY;
  if (block && choice) {
    for (ptrdiff_t j = 0; j < k; j++)
      for (ptrdiff_t i = 0; i < k; i++) block[i + k * j].x = M[index[i] + N * index[j]];
    status = dls_representative_sign(count, block, block, choice, sign, size, error);
  }
  free(block), free(choice);
  return status;
}

// Writes the set and its minor; the answer is no when the minor is certainly not positive.
static dls_status set_witness(int n, const double *M, int count, const int *set, int *index,
                              dls_p_report *report)
{
  dls_sign sign;
  double size, error;
  const dls_status status = minor_sign(n, M, count, set, &sign, &size, &error);
  if (status != DLS_OK || sign == DLS_POSITIVE) return status;
  for (int k = 0; k < count; k++) index[k] = set[k];
  report->count = count, report->minor = size, report->error = error;
  report->answer = sign == DLS_UNSURE ? DLS_UNDECIDED : DLS_NO;
  return DLS_OK;
}

// Minors of size one and two.
static dls_status find_small_minor(int n, const double *M, int *index, dls_p_report *report)
{
  const ptrdiff_t N = n;
  for (int i = 0; i < n; i++)
    if (!(M[i * (N + 1)] > 0)) return set_witness(n, M, 1, &i, index, report);
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++) {
      const ptrdiff_t a = i, b = j;
      const long double own = (long double)M[a * (N + 1)] * M[b * (N + 1)];
      const long double cross = (long double)M[a + N * b] * M[b + N * a];
      if (own - cross > 4 * LDBL_EPSILON * (own + fabsl(cross))) continue;
      const int set[2] = {i, j};
      const dls_status status = set_witness(n, M, 2, set, index, report);
      if (status != DLS_OK || report->answer == DLS_NO) return status;
    }
  return DLS_OK;
}

// ---- the exact test ----------------------------------------------------------------------------

static dls_status exact(int n, const double *M, int *index, dls_p_report *report)
{
  const ptrdiff_t N = n;
  dls_tracked *A = dls_alloc(2 * N * N, sizeof *A), *B = A ? A + N * N : NULL;
  if (!A) return DLS_ERR_MEMORY;
  for (ptrdiff_t i = 0; i < N; i++) A[i * (N + 1)].x = 1;
  for (ptrdiff_t k = 0; k < N * N; k++) B[k].x = M[k];
  dls_representatives r;
  dls_status status = dls_representatives_test(n, A, B, 0, &r);
  free(A);
  if (status != DLS_OK) return status;
  report->by = "all principal minors, with error bounds";
  report->answer = r.answer, report->margin = r.margin;
  if (r.answer == DLS_YES) return DLS_OK;
  int set[DLS_REPRESENTATIVES_LARGEST], count = 0;
  for (int j = 0; j < n; j++)
    if (r.second >> j & 1) set[count++] = j;
  report->answer = DLS_UNDECIDED;
  return set_witness(n, M, count, set, index, report);
}

dls_status dls_p_matrix(int n, const double *M, int *index, dls_p_report *report)
{
  *report =
      (dls_p_report){.answer = DLS_UNDECIDED, .margin = NAN, .by = "", .minor = NAN, .error = NAN};
  if (n < 0 || (n > 0 && (!M || !index))) return DLS_ERR_ARGUMENT;
  if (n > DLS_P_MATRIX_LARGEST) return DLS_ERR_LIMIT;
  if (!dls_finite((ptrdiff_t)n * n, M)) return DLS_ERR_NUMBER;
  if (n <= DLS_REPRESENTATIVES_LARGEST) return exact(n, M, index, report);

  double margin;
  const char *by;
  dls_status status = dls_p_matrix_sufficient(n, M, 0, &margin, &by);
  if (status != DLS_OK) return status;
  if (margin > 0) {
    report->answer = DLS_YES, report->margin = margin, report->by = by;
    return DLS_OK;
  }
  report->by = "minors of size one and two";
  return find_small_minor(n, M, index, report);
}
