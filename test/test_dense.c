// Dense kernels: known factorisations, properties on random matrices, extreme scales, empty sizes
// and numbers that are not finite.
#include "linalg/dense.h"
#include "numbers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

static double *matrix(int rows, int cols, double scale)
{
  double *A = calloc((size_t)rows * (size_t)cols + 1, sizeof *A);
  assert_non_null(A);
  for (int k = 0; k < rows * cols; k++) A[k] = scale * uniform();
  return A;
}

// largest entry of U^T U - I
static double orthogonality(int n, const double *U)
{
  double *P = matrix(n, n, 0), worst = 0;
  dls_gemm(true, false, n, n, n, 1, U, U, 0, P);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) worst = fmax(worst, fabs(P[i + j * n] - (i == j)));
  free(P);
  return worst;
}

static void products(void **state)
{
  (void)state;
  double A[6] = {1, 2, 3, 4, 5, 6}, B[6] = {1, 0, 2, -1, 1, 3};  // 3x2 and 2x3
  double C[9] = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
  dls_gemm(false, false, 3, 3, 2, 1, A, B, 0, C);
  const double expected[9] = {1, 2, 3, -2, -1, 0, 13, 17, 21};
  for (int k = 0; k < 9; k++) close_to(C[k], expected[k], 0);
  // (A^T A)_{12} through both flags
  double D[4];
  dls_gemm(true, false, 2, 2, 3, 2, A, A, 0, D);
  close_to(D[2], 64, 0);
  dls_gemm(true, true, 2, 2, 3, 1, A, B, 0, D);  // B as 2x3, transposed
  close_to(D[0], 1 * 1 + 2 * 2 + 3 * 1, 0);
  double x[2] = {1, -1}, y[3] = {1, 1, 1};
  dls_gemv(false, 3, 2, 1, A, x, 2, y);
  close_to(y[1], -1, 0);
  double z[2] = {NAN, 1};
  dls_gemv(true, 3, 2, 1, A, y, 0, z);
  close_to(z[0], -6, 0);
  close_to(dls_dot(2, x, x), 2, 0);
}

static void products_of_nothing(void **state)
{
  (void)state;
  double C[4] = {1, NAN, 3, 4}, y[2] = {5, 6};
  dls_gemm(false, false, 2, 2, 0, 1, NULL, NULL, 0, C);
  for (int k = 0; k < 4; k++) close_to(C[k], 0, 0);
  dls_gemm(false, false, 0, 2, 3, 1, NULL, NULL, 0, NULL);
  dls_gemv(false, 2, 0, 1, NULL, NULL, 1, y);
  close_to(y[1], 6, 0);
  dls_gemv(true, 0, 2, 1, NULL, NULL, 0, y);
  close_to(y[0], 0, 0);
  close_to(dls_dot(0, NULL, NULL) + dls_norm2(0, NULL) + dls_norm_max(0, NULL), 0, 0);
  double rcond, w;
  bool definite;
  double U[4], V[4];
  assert_int_equal(dls_svd(2, 0, NULL, U, &w, NULL), DLS_OK);
  close_to(orthogonality(2, U), 0, 0);
  assert_int_equal(dls_svd(0, 2, NULL, NULL, &w, V), DLS_OK);
  close_to(orthogonality(2, V), 0, 0);
  assert_int_equal(dls_svd(0, 0, NULL, NULL, NULL, NULL), DLS_OK);
  assert_int_equal(dls_eigen_symmetric(0, NULL, NULL, NULL), DLS_OK);
  assert_int_equal(dls_cholesky(0, NULL, NULL, &definite), DLS_OK);
  assert_true(definite);
  dls_lower_solve(0, 3, NULL, false, NULL);
  assert_int_equal(dls_solve(0, 2, NULL, NULL, NULL, &rcond), DLS_OK);
  close_to(rcond, 1, 0);
  double one = 4, b[1];
  assert_int_equal(dls_solve(1, 0, &one, NULL, NULL, &rcond), DLS_OK);
  close_to(rcond, 1, 1e-15);
  assert_int_equal(dls_qr_pivots(0, 3, NULL, NULL, NULL), DLS_OK);
  assert_int_equal(dls_qr_pivots(3, 0, b, NULL, NULL), DLS_OK);
}

static void norms(void **state)
{
  (void)state;
  double big[2] = {3e200, -4e200}, small[2] = {3e-200, 4e-200}, tiny[2] = {3e-320, 4e-320};
  close_to(dls_norm2(2, big) / 5e200, 1, 1e-15);
  close_to(dls_norm2(2, small) / 5e-200, 1, 1e-15);
  close_to(dls_norm2(2, tiny) / 5e-320, 1, 1e-3);
  close_to(dls_norm_max(2, big), 4e200, 0);
  double bad[3] = {1, NAN, 2}, infinite[2] = {1, -INFINITY};
  assert_true(isnan(dls_norm2(3, bad)));
  assert_true(isnan(dls_norm_max(3, bad)));
  assert_true(isinf(dls_norm2(2, infinite)));
}

static void svd_reconstructs(void **state)
{
  (void)state;
  const int sizes[][2] = {{1, 1}, {3, 7}, {7, 3}, {5, 5}, {40, 2}, {2, 40}, {60, 60}};
  const double scales[] = {1, 1e150, 1e-150, 1e-300, 1e300};
  for (size_t t = 0; t < sizeof sizes / sizeof *sizes; t++)
    for (size_t q = 0; q < 5; q++) {
      at_case("t %zu, q %zu", t, q);
      int m = sizes[t][0], n = sizes[t][1], k = m < n ? m : n;
      double *A = matrix(m, n, scales[q]), *U = matrix(m, m, 0), *V = matrix(n, n, 0);
      double *s = matrix(k, 1, 0), *s2 = matrix(k, 1, 0), *V2 = matrix(n, n, 0);
      assert_int_equal(dls_svd(m, n, A, U, s, V), DLS_OK);
      close_to(orthogonality(m, U), 0, 1e-13);
      close_to(orthogonality(n, V), 0, 1e-13);
      for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
          double sum = 0;
          for (int l = 0; l < k; l++) sum += U[i + l * m] * (s[l] / s[0]) * V[j + l * n];
          close_to(sum, A[i + j * m] / s[0], 1e-13);
        }
      assert_int_equal(dls_svd(m, n, A, NULL, s2, NULL), DLS_OK);
      for (int l = 0; l < k; l++) close_to(s2[l] / s[0], s[l] / s[0], 1e-13);
      for (int l = 1; l < k; l++) assert_true(s[l - 1] >= s[l]);
      // asking for one side only must not change it
      assert_int_equal(dls_svd(m, n, A, NULL, s2, V2), DLS_OK);
      close_to(orthogonality(n, V2), 0, 1e-13);
      double *AV = matrix(m, n, 0), *B = matrix(m, n, 0);
      for (int l = 0; l < m * n; l++) B[l] = A[l] / s[0];
      dls_gemm(false, false, m, n, n, 1, B, V2, 0, AV);
      for (int l = 0; l < n; l++)
        close_to(dls_norm2(m, AV + l * m), l < k ? s[l] / s[0] : 0, 1e-13);
      assert_int_equal(dls_svd(m, n, A, U, s2, NULL), DLS_OK);
      close_to(orthogonality(m, U), 0, 1e-13);
      free(A), free(U), free(V), free(s), free(s2), free(V2), free(AV), free(B);
    }
}

// A large product with few entries on the right must be the product; with NaN on the left, NaN.
static void products_with_zeros(void **state)
{
  (void)state;
  const int rows = 110, cols = 120, inner = 130;
  for (int flags = 0; flags < 4; flags++) {
    at_case("flags %d", flags);
    const bool ta = flags & 1, tb = flags & 2;
    double *A = matrix(rows, inner, 1), *B = matrix(inner, cols, 0), *C = matrix(rows, cols, 1);
    double *old = matrix(rows, cols, 0);
    memcpy(old, C, (size_t)rows * (size_t)cols * sizeof *C);
    for (int k = 0; k < inner * cols; k += 37) B[k] = uniform();
    for (int k = 0; k < inner; k++) B[tb ? 3 + cols * k : k + inner * 3] = uniform();  // full
    dls_gemm(ta, tb, rows, cols, inner, 2, A, B, 0.5, C);
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < cols; j++) {
        double sum = 0.5 * old[i + rows * j];
        for (int k = 0; k < inner; k++)
          sum += 2 * A[ta ? k + inner * i : i + rows * k] * B[tb ? j + cols * k : k + inner * j];
        close_to(C[i + rows * j], sum, 1e-12);
      }
    A[ta ? 5 * inner : 5] = NAN;  // row 5, k = 0
    dls_gemm(ta, tb, rows, cols, inner, 1, A, B, 0, C);
    for (int j = 0; j < cols; j++) assert_true(isnan(C[5 + rows * j]));
    free(A), free(B), free(C), free(old);
  }
}

// Blocks of all shapes, zero rows and zero columns, their places shuffled.
static void svd_blocks(void **state)
{
  (void)state;
  const int shapes[][2] = {{30, 12}, {5, 40}, {9, 9}, {1, 1}, {1, 3}, {4, 1}, {7, 0}, {0, 6}};
  for (int tall = 0; tall < 2; tall++) {
    at_case("tall %d", tall);
    const int m = 57 + 40 * tall, n = 72, k = m < n ? m : n;
    double *A = matrix(m, n, 0), *U = matrix(m, m, 0), *V = matrix(n, n, 0), *V2 = matrix(n, n, 0);
    double *s = matrix(k, 1, 0), *s2 = matrix(k, 1, 0), *U2 = matrix(m, m, 0);
    for (int t = 0, row = 0, column = 0; t < 8; row += shapes[t][0], column += shapes[t++][1])
      for (int i = row; i < row + shapes[t][0]; i++)
        for (int j = column; j < column + shapes[t][1]; j++)
          A[11 * i % m + 7 * j % n * m] = (t == 2 ? 1e-3 : 1) * uniform();
    assert_int_equal(dls_svd(m, n, A, U, s, V), DLS_OK);
    close_to(orthogonality(m, U), 0, 1e-13);
    close_to(orthogonality(n, V), 0, 1e-13);
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int l = 0; l < k; l++) sum += U[i + l * m] * s[l] * V[j + l * n];
        close_to(sum, A[i + j * m], 1e-13);
      }
    for (int l = 1; l < k; l++) assert_true(s[l - 1] >= s[l]);
    close_to(s[29], 0, 0);  // the rank is 12 + 5 + 9 + 1 + 1 + 1
    assert_true(s[28] > 1e-9);
    assert_int_equal(dls_svd(m, n, A, NULL, s2, NULL), DLS_OK);
    for (int l = 0; l < k; l++) close_to(s2[l], s[l], 1e-13);
    assert_int_equal(dls_svd(m, n, A, NULL, s2, V2), DLS_OK);
    assert_int_equal(dls_svd(m, n, A, U2, s2, NULL), DLS_OK);
    close_to(orthogonality(m, U2), 0, 1e-13);
    close_to(orthogonality(n, V2), 0, 1e-13);
    A[0] = NAN;
    assert_int_equal(dls_svd(m, n, A, U, s, V), DLS_ERR_NUMBER);
    free(A), free(U), free(V), free(s), free(s2), free(V2), free(U2);
  }
}

static void svd_rank(void **state)
{
  (void)state;
  // rank 1 with exactly known singular value: ones(4,3)
  double A[12], s[3];
  for (int k = 0; k < 12; k++) A[k] = 1;
  assert_int_equal(dls_svd(4, 3, A, NULL, s, NULL), DLS_OK);
  close_to(s[0], sqrt(12), 1e-14);
  close_to(s[1], 0, 1e-14);
  double zero[4] = {0};
  assert_int_equal(dls_svd(2, 2, zero, NULL, s, NULL), DLS_OK);
  close_to(s[0], 0, 0);
}

static void eigen_known(void **state)
{
  (void)state;
  // the chain tridiag(-1, 2, -1): 2 - 2 cos(k pi/(n+1))
  enum { n = 50 };
  double *A = matrix(n, n, 0), w[n], *V = matrix(n, n, 0);
  for (int k = 0; k < n; k++) {
    A[k + k * n] = 2;
    if (k + 1 < n) A[k + 1 + k * n] = -1;  // the upper triangle is not read
    if (k + 1 < n) A[k + (k + 1) * n] = 99;
  }
  assert_int_equal(dls_eigen_symmetric(n, A, w, V), DLS_OK);
  for (int k = 0; k < n; k++) close_to(w[k], 2 - 2 * cos((k + 1) * acos(-1) / (n + 1)), 1e-13);
  close_to(orthogonality(n, V), 0, 1e-13);
  free(A), free(V);
}

static void eigen_blocks(void **state)
{
  (void)state;
  // three interleaved blocks of very different scale: index i belongs to block i % 3
  enum { n = 30 };
  const double scale[3] = {1e-100, 1, 1e100};
  double *A = matrix(n, n, 0), w[n], w2[n], *V = matrix(n, n, 0);
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++)
      if (i % 3 == j % 3) A[i + j * n] = A[j + i * n] = scale[i % 3] * (uniform() + 12 * (i == j));
  assert_int_equal(dls_eigen_symmetric(n, A, w, V), DLS_OK);
  assert_int_equal(dls_eigen_symmetric(n, A, w2, NULL), DLS_OK);
  close_to(orthogonality(n, V), 0, 1e-13);
  for (int k = 0; k < n; k++) {
    at_case("k %d", k);
    assert_true(k == 0 || w[k - 1] <= w[k]);
    close_to(w2[k] / w[k], 1, 1e-13);
    int block = k / 10;
    for (int i = 0; i < n; i++) {
      if (i % 3 != block) assert_true(V[i + k * n] == 0);
      double sum = 0;
      for (int j = 0; j < n; j++) sum += A[i + j * n] / scale[block] * V[j + k * n];
      if (i % 3 == block) close_to(sum, w[k] / scale[block] * V[i + k * n], 1e-12);
    }
  }
  free(A), free(V);
}

static void cholesky_and_solves(void **state)
{
  (void)state;
  for (int n = 1; n < 80; n += 13) {
    at_case("n %d", n);
    double *B = matrix(n, n, 1), *A = matrix(n, n, 0), *L = matrix(n, n, 1), *P = matrix(n, n, 0);
    dls_gemm(false, true, n, n, n, 1, B, B, 0, A);
    for (int k = 0; k < n; k++) A[k + k * n] += 1;
    bool definite;
    assert_int_equal(dls_cholesky(n, A, L, &definite), DLS_OK);
    assert_true(definite);
    dls_gemm(false, true, n, n, n, 1, L, L, 0, P);
    for (int k = 0; k < n * n; k++) close_to(P[k], A[k], 1e-12 * n);
    for (int j = 1; j < n; j++) assert_true(L[j * n] == 0);
    double *x = matrix(n, 2, 1), *b = matrix(n, 2, 0);
    dls_gemm(false, false, n, 2, n, 1, A, x, 0, b);
    dls_lower_solve(n, 2, L, false, b);
    dls_lower_solve(n, 2, L, true, b);
    for (int k = 0; k < 2 * n; k++) close_to(b[k], x[k], 1e-10);
    free(B), free(A), free(L), free(P), free(x), free(b);
  }
  double bad[4] = {1, 2, 2, 1}, L[4];
  bool definite = true;
  assert_int_equal(dls_cholesky(2, bad, L, &definite), DLS_OK);
  assert_false(definite);
  double zero = 0;
  assert_int_equal(dls_cholesky(1, &zero, L, &definite), DLS_OK);
  assert_false(definite);
}

static void lu(void **state)
{
  (void)state;
  const double scales[] = {1, 1e-150, 1e150, 1e300};
  for (int n = 1; n < 120; n += 17)
    for (int q = 0; q < 4; q++) {
      at_case("n %d, q %d", n, q);
      double *A = matrix(n, n, scales[q]), *x = matrix(n, 3, 1), *b = matrix(n, 3, 0), rcond;
      for (int k = 0; k < n; k++) A[k + k * n] += 2 * scales[q] * (k % 2 ? 1 : -1);
      for (int k = 0; k < 3 * n; k++) x[k] *= scales[q] > 1e200 ? 1e-10 : 1;
      dls_gemm(false, false, n, 3, n, 1, A, x, 0, b);
      double *y = matrix(n, 3, 0);
      assert_int_equal(dls_solve(n, 3, A, b, y, &rcond), DLS_OK);
      assert_true(rcond > 1e-6 && rcond <= 1.0000001);
      for (int k = 0; k < 3 * n; k++) close_to(y[k], x[k], 1e-11 * dls_norm_max(3 * n, x) / rcond);
      double *c = matrix(n, 1, 1), *z = matrix(n, 1, 0), *back = matrix(n, 1, 0);
      assert_int_equal(dls_solve_pair(n, A, b, z, c, back, &rcond), DLS_OK);
      for (int k = 0; k < n; k++) close_to(z[k], y[k], 1e-15 * dls_norm_max(n, y));
      dls_gemv(true, n, n, 1, A, back, 0, z);
      for (int k = 0; k < n; k++) close_to(z[k], c[k], 1e-12);
      free(A), free(x), free(b), free(y), free(c), free(z), free(back);
    }
  // exactly representable data with an integer solution: refinement makes Hilbert(8) exact to 1e-9
  enum { n = 8 };
  double H[n * n], b[n], x[n], rcond;
  for (int i = 0; i < n; i++) {
    b[i] = 0;
    for (int j = 0; j < n; j++) {
      H[i + j * n] = 360360.0 / (i + j + 1);
      b[i] += H[i + j * n];
    }
  }
  assert_int_equal(dls_solve(n, 1, H, b, x, &rcond), DLS_OK);
  assert_true(rcond > 1e-12 && rcond < 1e-9);
  for (int i = 0; i < n; i++) close_to(x[i], 1, 1e-9);
  double singular[4] = {1, 2, 2, 4}, zero[4] = {0};
  assert_int_equal(dls_solve(2, 1, singular, b, x, &rcond), DLS_OK);
  assert_true(rcond < 1e-15);
  assert_int_equal(dls_solve(2, 1, zero, b, x, &rcond), DLS_OK);
  assert_true(rcond == 0);
}

static void qr(void **state)
{
  (void)state;
  // columns of sizes 1, 100, 10 and one that repeats the largest
  double A[16] = {0, 1, 0, 0, 100, 0, 0, 0, 0, 0, 10, 0, 100, 0, 0, 0}, r[4];
  int order[4];
  assert_int_equal(dls_qr_pivots(4, 4, A, order, r), DLS_OK);
  assert_true(order[0] == 1 || order[0] == 3);
  assert_int_equal(order[1], 2);
  assert_int_equal(order[2], 0);
  close_to(r[0], 100, 1e-12);
  close_to(r[1], 10, 1e-12);
  close_to(r[2], 1, 1e-12);
  close_to(r[3], 0, 1e-12);
}

static void not_finite(void **state)
{
  (void)state;
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int q = 0; q < 3; q++) {
    at_case("q %d", q);
    double A[9] = {4, 1, 0, 1, 4, 1, 0, 1, 4}, U[9], V[9], s[3], b[3] = {1, 1, 1}, rcond;
    int order[3];
    bool definite;
    A[5] = bad[q];  // row 2, column 1: below the diagonal
    assert_int_equal(dls_svd(3, 3, A, U, s, V), DLS_ERR_NUMBER);
    assert_int_equal(dls_eigen_symmetric(3, A, s, V), DLS_ERR_NUMBER);
    assert_int_equal(dls_cholesky(3, A, U, &definite), DLS_ERR_NUMBER);
    assert_int_equal(dls_solve(3, 1, A, b, s, &rcond), DLS_ERR_NUMBER);
    assert_int_equal(dls_qr_pivots(3, 3, A, order, s), DLS_ERR_NUMBER);
    A[5] = 1;
    b[1] = bad[q];
    assert_int_equal(dls_solve(3, 1, A, b, s, &rcond), DLS_ERR_NUMBER);
  }
  assert_int_equal(dls_svd(-1, 2, NULL, NULL, NULL, NULL), DLS_ERR_ARGUMENT);
  assert_int_equal(dls_svd(20000, 2, NULL, NULL, NULL, NULL), DLS_ERR_LIMIT);
}

// A rotation by 90 degrees times 2 next to the triangle [3 5; 0 -1], at any scale.
static void eigen_general(void **state)
{
  (void)state;
  for (int scale = -300; scale <= 300; scale += 150) {
    at_case("scale %d", scale);
    const double unit = ldexp(1, 3 * scale);
    double A[16] = {0}, re[4], im[4];
    A[1] = 2 * unit, A[4] = -2 * unit, A[10] = 3 * unit, A[14] = 5 * unit, A[15] = -unit;
    assert_int_equal(dls_eigen_general(4, A, re, im), DLS_OK);
    double product = 1, sum = 0, turn = 0;
    for (int k = 0; k < 4; k++) {
      product *= hypot(re[k], im[k]) / unit, sum += re[k] / unit;
      turn = fmax(turn, im[k] / unit);
    }
    close_to(product, 12, 1e-13);
    close_to(sum, 2, 1e-14);
    close_to(turn, 2, 1e-14);
  }
  double bad = NAN, re, im;
  assert_int_equal(dls_eigen_general(1, &bad, &re, &im), DLS_ERR_NUMBER);
  assert_int_equal(dls_eigen_general(-1, NULL, NULL, NULL), DLS_ERR_ARGUMENT);
  assert_int_equal(dls_eigen_general(0, NULL, NULL, NULL), DLS_OK);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products),     cmocka_unit_test(products_of_nothing),
      cmocka_unit_test(norms),        cmocka_unit_test(svd_reconstructs),
      cmocka_unit_test(svd_blocks),   cmocka_unit_test(products_with_zeros),
      cmocka_unit_test(svd_rank),     cmocka_unit_test(eigen_known),
      cmocka_unit_test(eigen_blocks), cmocka_unit_test(cholesky_and_solves),
      cmocka_unit_test(lu),           cmocka_unit_test(qr),
      cmocka_unit_test(not_finite),   cmocka_unit_test(eigen_general),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
