#include "linalg/dense.h"

#include "base/memory.h"
#include "linalg/dense_internal.h"

#include <cblas.h>
#include <math.h>

static const double worth_counting = 1e6;  // multiplications, from which on zeros are counted
enum { SPARSE = 16 };                      // entries for one that is not zero

static int leading(int rows)
{
  return rows > 1 ? rows : 1;
}

static void scale(ptrdiff_t count, double beta, double *x)
{
  for (ptrdiff_t k = 0; k < count; k++) x[k] = beta == 0 ? 0 : beta * x[k];
}

// A large product with a mostly zero right factor: bases and gradients of systems of many bodies.
// What is skipped is 0 times an entry of A, which must therefore be finite.
static bool is_sparse(int rows, int cols, int inner, const double *A, const double *B)
{
  const ptrdiff_t size_A = (ptrdiff_t)rows * inner, size_B = (ptrdiff_t)inner * cols;
  if ((double)rows * (double)size_B < worth_counting) return false;
  ptrdiff_t entries = 0;
  for (ptrdiff_t k = 0; k < size_B; k++) entries += B[k] != 0;
  return entries < size_B / SPARSE && dls_finite(size_A, A);
}

typedef struct few {
  int count;
  ptrdiff_t index[64];
  double value[64];
} few;

// c += op(A) times the vector of these entries
static void add_few(bool ta, ptrdiff_t rows, ptrdiff_t inner, const double *A, const few *b,
                    double *c)
{
  if (!ta) {
    for (int e = 0; e < b->count; e++)
      for (ptrdiff_t i = 0; i < rows; i++) c[i] += A[i + rows * b->index[e]] * b->value[e];
    return;
  }
  for (ptrdiff_t i = 0; i < rows; i++) {
    double sum = 0;
    for (int e = 0; e < b->count; e++) sum += A[b->index[e] + inner * i] * b->value[e];
    c[i] += sum;
  }
}

static void sparse_product(bool ta, bool tb, ptrdiff_t rows, ptrdiff_t cols, ptrdiff_t inner,
                           double alpha, const double *A, const double *B, double *C)
{
  for (ptrdiff_t j = 0; j < cols; j++) {
    few b = {.count = 0};
    for (ptrdiff_t k = 0; k < inner; k++) {
      const double value = tb ? B[j + cols * k] : B[k + inner * j];
      if (value == 0) continue;
      b.index[b.count] = k, b.value[b.count++] = alpha * value;
      if (b.count < 64) continue;
      add_few(ta, rows, inner, A, &b, C + rows * j);
      b.count = 0;
    }
    add_few(ta, rows, inner, A, &b, C + rows * j);
  }
}

void dls_gemm(bool ta, bool tb, int rows, int cols, int inner, double alpha, const double *A,
              const double *B, double beta, double *C)
{
  if (rows <= 0 || cols <= 0) return;
  if (inner <= 0) {
    scale((ptrdiff_t)rows * cols, beta, C);
    return;
  }
  if (is_sparse(rows, cols, inner, A, B)) {
    scale((ptrdiff_t)rows * cols, beta, C);
    sparse_product(ta, tb, rows, cols, inner, alpha, A, B, C);
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
    scale(out, beta, y);
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

bool dls_finite(ptrdiff_t count, const double *x)
{
  for (ptrdiff_t k = 0; k < count; k++)
    if (!isfinite(x[k])) return false;
  return true;
}

int dls_exponent_of_largest(ptrdiff_t count, const double *x)
{
  double largest = 0;
  for (ptrdiff_t k = 0; k < count; k++)
    if (fabs(x[k]) > largest) largest = fabs(x[k]);
  int exponent = 0;
  if (largest > 0) frexp(largest, &exponent);
  return exponent;
}

void dls_shift(ptrdiff_t count, const double *x, int exponent, double *y)
{
  if (exponent == 0) {
    if (x != y && count > 0) dls_copy(y, x, count);
    return;
  }
  for (ptrdiff_t k = 0; k < count; k++) y[k] = ldexp(x[k], exponent);
}

void dls_lower_solve(int n, int cols, const double *L, bool transpose, double *B)
{
  if (n <= 0 || cols <= 0) return;
  cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, transpose ? CblasTrans : CblasNoTrans,
              CblasNonUnit, n, cols, 1.0, L, leading(n), B, leading(n));
}
