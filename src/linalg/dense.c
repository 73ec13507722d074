#include "linalg/dense.h"

#include "base/memory.h"
#include "linalg/dense_internal.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

static int leading(int rows)
{
  return rows > 1 ? rows : 1;
}

static void scale(size_t count, double beta, double *x)
{
  for (size_t k = 0; k < count; k++) x[k] = beta == 0 ? 0 : beta * x[k];
}

void dls_gemm(bool ta, bool tb, int rows, int cols, int inner, double alpha, const double *A,
              const double *B, double beta, double *C)
{
  if (rows <= 0 || cols <= 0) return;
  if (inner <= 0) {
    scale((size_t)rows * (size_t)cols, beta, C);
    return;
  }
  cblas_dgemm(CblasColMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans, rows,
              cols, inner, alpha, A, leading(ta ? inner : rows), B, leading(tb ? cols : inner),
              beta, C, leading(rows));
}

void dls_gemv(bool ta, int rows, int cols, double alpha, const double *A, const double *x,
              double beta, double *y)
{
  int out = ta ? cols : rows, in = ta ? rows : cols;
  if (out <= 0) return;
  if (in <= 0) {
    scale((size_t)out, beta, y);
    return;
  }
  cblas_dgemv(CblasColMajor, ta ? CblasTrans : CblasNoTrans, rows, cols, alpha, A, leading(rows), x,
              1, beta, y, 1);
}

double dls_dot(int n, const double *x, const double *y)
{
  return n > 0 ? cblas_ddot(n, x, 1, y, 1) : 0;
}

double dls_norm_max(int n, const double *x)
{
  double largest = 0;
  for (int k = 0; k < n; k++) {
    double a = fabs(x[k]);
    if (isnan(a)) return a;
    if (a > largest) largest = a;
  }
  return largest;
}

double dls_norm2(int n, const double *x)
{
  double largest = dls_norm_max(n, x), sum = 0;
  if (!(largest > 0) || isinf(largest)) return largest;
  for (int k = 0; k < n; k++) {
    double t = x[k] / largest;
    sum += t * t;
  }
  return largest * sqrt(sum);
}

bool dls_finite(size_t count, const double *x)
{
  for (size_t k = 0; k < count; k++)
    if (!isfinite(x[k])) return false;
  return true;
}

int dls_exponent(size_t count, const double *x)
{
  double largest = 0;
  for (size_t k = 0; k < count; k++)
    if (fabs(x[k]) > largest) largest = fabs(x[k]);
  int exponent = 0;
  if (largest > 0) frexp(largest, &exponent);
  return exponent;
}

void dls_shift(size_t count, const double *x, int exponent, double *y)
{
  if (exponent == 0) {
    if (x != y && count > 0) memcpy(y, x, count * sizeof *y);
    return;
  }
  for (size_t k = 0; k < count; k++) y[k] = ldexp(x[k], exponent);
}

void dls_lower_solve(int n, int cols, const double *L, bool transpose, double *B)
{
  if (n <= 0 || cols <= 0) return;
  cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, transpose ? CblasTrans : CblasNoTrans,
              CblasNonUnit, n, cols, 1.0, L, leading(n), B, leading(n));
}
