// Sparse matrices and the bilateral problem against their dense counterparts.
#include "linalg/dense.h"
#include "linalg/kkt.h"
#include "linalg/sparse.h"
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

static void to_dense(const dls_sparse *A, double *D)
{
  const dls_pattern pattern = {.rows = A->rows, .cols = A->cols, .p = A->p, .i = A->i};
  dls_pattern_to_dense(&pattern, A->x, D);
}

static void triplets(void **state)
{
  (void)state;
  for (int t = 0; t < 300; t++) {
    at_case("t %d", t);
    int m = 1 + below(12), n = 1 + below(12), count = below(60);
    int *row = calloc((size_t)count + 1, sizeof(int)),
        *col = calloc((size_t)count + 1, sizeof(int));
    double *value = vector(count), *D = vector(m * n), *S = vector(m * n);
    for (int k = 0; k < count; k++) {
      row[k] = below(m), col[k] = below(n), value[k] = uniform();
      D[row[k] + col[k] * m] += value[k];
    }
    dls_sparse *A, *T;
    assert_int_equal(dls_sparse_from_triplets(m, n, count, row, col, value, &A), DLS_OK);
    to_dense(A, S);
    for (int k = 0; k < m * n; k++) close_to(S[k], D[k], 1e-14);
    for (int j = 0; j < n; j++)
      for (int e = A->p[j] + 1; e < A->p[j + 1]; e++) assert_true(A->i[e] > A->i[e - 1]);
    assert_int_equal(dls_sparse_transpose(A, &T), DLS_OK);
    to_dense(T, S);
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++) close_to(S[j + i * n], D[i + j * m], 1e-14);
    double x[12], y[12], z[12];
    for (int k = 0; k < 12; k++) x[k] = uniform(), y[k] = z[k] = uniform();
    dls_sparse_multiply(false, 2, A, x, -1, y);
    dls_gemv(false, m, n, 2, D, x, -1, z);
    for (int i = 0; i < m; i++) close_to(y[i], z[i], 1e-13);
    for (int k = 0; k < 12; k++) y[k] = z[k] = NAN;
    dls_sparse_multiply(true, 2, A, x, 0, y);
    dls_gemv(true, m, n, 2, D, x, 0, z);
    for (int j = 0; j < n; j++) close_to(y[j], z[j], 1e-13);
    dls_sparse_free(A), dls_sparse_free(T);
    free(row), free(col), free(value), free(D), free(S);
  }
  dls_sparse *A;
  int bad = 3, zero = 0;
  double one = 1;
  assert_int_equal(dls_sparse_from_triplets(3, 3, 1, &bad, &zero, &one, &A), DLS_ERR_ARGUMENT);
  assert_int_equal(dls_sparse_from_triplets(0, 0, 0, NULL, NULL, NULL, &A), DLS_OK);
  dls_sparse_free(A);
  dls_sparse_free(NULL);
  int p[3] = {0, 2, 2}, i[2] = {1, 0};
  dls_pattern unsorted = {2, 2, p, i};
  assert_int_equal(dls_sparse_from_pattern(&unsorted, NULL, &A), DLS_ERR_ARGUMENT);
}

// A pattern and its values from a dense matrix; the nonzeros.
typedef struct matrix {
  dls_pattern pattern;
  int *p, *i;
  double *x;
} matrix;

static matrix compress(int rows, int cols, const double *D)
{
  matrix A = {.p = calloc((size_t)cols + 1, sizeof(int)),
              .i = calloc((size_t)(rows * cols) + 1, sizeof(int)),
              .x = vector(rows * cols)};
  for (int j = 0, e = 0; j < cols; j++) {
    for (int i = 0; i < rows; i++)
      if (D[i + j * rows] != 0) A.i[e] = i, A.x[e++] = D[i + j * rows];
    A.p[j + 1] = e;
  }
  A.pattern = (dls_pattern){rows, cols, A.p, A.i};
  return A;
}

static void drop(matrix *A)
{
  free(A->p), free(A->i), free(A->x);
}

// The same problem dense.
static void dense_kkt(int n, int m, const double *M, const double *G, const double *F,
                      const double *b, double *x, double *rcond)
{
  int N = n + m;
  double *A = vector(N * N), *rhs = vector(N);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) A[i + j * N] = M[i + j * n];
    for (int k = 0; k < m; k++) A[i + (n + k) * N] = -G[i + k * n], A[n + k + i * N] = G[i + k * n];
    rhs[i] = -F[i];
  }
  for (int k = 0; k < m; k++) rhs[n + k] = -b[k];
  assert_int_equal(dls_solve(N, 1, A, rhs, x, rcond), DLS_OK);
  free(A), free(rhs);
}

static void random_systems(void **state)
{
  (void)state;
  for (int t = 0; t < 200; t++) {
    at_case("t %d", t);
    int n = 1 + below(30), m = below(n + 1);
    double *M = vector(n * n), *G = vector(n * m), *F = vector(n), *b = vector(m);
    double *a = vector(n), *lambda = vector(m), *x = vector(n + m), rcond;
    for (int j = 0; j < n; j++) {
      M[j + j * n] = 4 + uniform();
      for (int i = 0; i < j; i++)
        if (below(4) == 0) M[i + j * n] = M[j + i * n] = 0.3 * uniform() / n;
    }
    for (int k = 0; k < m; k++) G[k + k * n] = 2;
    for (int k = 0; k < n * m; k++)
      if (below(4) == 0) G[k] += uniform() / n;
    matrix Ms = compress(n, n, M), Gs = compress(n, m, G);
    dls_kkt *kkt;
    assert_int_equal(dls_kkt_create(&Ms.pattern, &Gs.pattern, &kkt), DLS_OK);
    for (int round = 0; round < 4; round++) {  // analysed once, factored for new numbers
      double unit = round == 3 ? 1e6 : 1;
      dls_kkt_report report;
      for (int k = 0; k < n; k++) F[k] = uniform();
      for (int k = 0; k < m; k++) b[k] = uniform();
      if (round > 0) {
        for (int k = 0; k < n * n; k++) M[k] *= 1.5 * unit;
        for (int k = 0; k < n * m; k++) G[k] *= 0.5 / unit;
        for (int k = 0; k < Ms.p[n]; k++) Ms.x[k] *= 1.5 * unit;
        for (int k = 0; k < Gs.p[m]; k++) Gs.x[k] *= 0.5 / unit;
      }
      assert_int_equal(dls_kkt_factor(kkt, Ms.x, Gs.x, &report), DLS_OK);
      assert_false(report.singular);
      assert_int_equal(dls_kkt_solve(kkt, F, b, a, lambda, &report), DLS_OK);
      assert_true(report.residual < 1e-15);
      dense_kkt(n, m, M, G, F, b, x, &rcond);
      double size_a = dls_norm_max(n, x), size_l = dls_norm_max(m, x + n);
      for (int k = 0; k < n; k++) close_to(a[k], x[k], 1e-9 * size_a);
      for (int k = 0; k < m; k++) close_to(lambda[k], x[n + k], 1e-9 * size_l);
    }
    dls_kkt_free(kkt);
    drop(&Ms), drop(&Gs);
    free(M), free(G), free(F), free(b), free(a), free(lambda), free(x);
  }
}

// A hanging chain of n unit masses in the plane whose links keep their lengths: the top link
// carries the whole weight.
static void chain(void **state)
{
  (void)state;
  enum { links = 2000, n = 2 * links };
  int *p = calloc(n + 1, sizeof(int)), *i = calloc(n, sizeof(int));
  int *gp = calloc(links + 1, sizeof(int)), *gi = calloc(2 * links, sizeof(int));
  double *M = vector(n), *G = vector(2 * links), *F = vector(n), *b = vector(links);
  double *a = vector(n), *lambda = vector(links);
  for (int j = 0; j < n; j++) p[j + 1] = j + 1, i[j] = j, M[j] = 1, F[j] = j % 2 ? 9.81 : 0;
  int e = 0;
  for (int k = 0; k < links; k++) {
    // the length of link k changes with the height of mass k (down) and of mass k-1 (up)
    if (k > 0) gi[e] = 2 * k - 1, G[e++] = -1;
    gi[e] = 2 * k + 1, G[e++] = 1;
    gp[k + 1] = e;
  }
  dls_pattern mass = {n, n, p, i}, normal = {n, links, gp, gi};
  dls_kkt *kkt;
  dls_kkt_report report;
  assert_int_equal(dls_kkt_create(&mass, &normal, &kkt), DLS_OK);
  assert_int_equal(dls_kkt_factor(kkt, M, G, &report), DLS_OK);
  assert_false(report.singular);
  assert_int_equal(dls_kkt_solve(kkt, F, b, a, lambda, &report), DLS_OK);
  for (int k = 0; k < links; k++) close_to(lambda[k], 9.81 * (links - k), 1e-7);
  close_to(dls_norm_max(n, a), 0, 1e-8);
  // a NaN is refused and leaves no factors behind
  M[3] = NAN;
  assert_int_equal(dls_kkt_factor(kkt, M, G, &report), DLS_ERR_NUMBER);
  assert_true(report.singular);
  assert_int_equal(dls_kkt_solve(kkt, F, b, a, lambda, &report), DLS_ERR_ARGUMENT);
  dls_kkt_free(kkt);
  free(p), free(i), free(gp), free(gi), free(M), free(G), free(F), free(b), free(a), free(lambda);
}

// Redundant constraints: repeated, dependent up to rounding, zero, more than coordinates; a mass
// matrix that is singular on the constraint's null space.
static void singular(void **state)
{
  (void)state;
  const double base[5][3] = {{1, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0.1, 0.7, 0}, {0, 0, 0}};
  const int sets[][4] = {{0, 2, -1}, {0, 1, 3, -1}, {4, -1}, {0, 1, 2, 3}};
  for (int s = 0; s < 4; s++) {
    at_case("s %d", s);
    double M[9] = {2, 0, 0, 0, 3, 0, 0, 0, 4}, G[12];
    int m = 0;
    for (int k = 0; k < 4 && sets[s][k] >= 0; k++, m++)
      memcpy(G + 3 * m, base[sets[s][k]], 3 * sizeof(double));
    matrix Ms = compress(3, 3, M), Gs = compress(3, m, G);
    dls_kkt *kkt;
    dls_kkt_report report;
    double F[3] = {1, 2, 3}, b[4] = {0}, a[3], lambda[4];
    assert_int_equal(dls_kkt_create(&Ms.pattern, &Gs.pattern, &kkt), DLS_OK);
    assert_int_equal(dls_kkt_factor(kkt, Ms.x, Gs.x, &report), DLS_OK);
    assert_true(report.singular);
    assert_int_equal(dls_kkt_solve(kkt, F, b, a, lambda, &report), DLS_ERR_ARGUMENT);
    dls_kkt_free(kkt);
    drop(&Ms), drop(&Gs);
  }
  // regular, then redundant, then regular again on one analysis
  double M[4] = {1, 0, 0, 1}, G[4] = {1, 0.5, 0.5, 1}, F[2] = {1, 1}, b[2] = {0, 0}, a[2], l[2];
  matrix Ms = compress(2, 2, M), Gs = compress(2, 2, G);
  dls_kkt *kkt;
  dls_kkt_report report;
  assert_int_equal(dls_kkt_create(&Ms.pattern, &Gs.pattern, &kkt), DLS_OK);
  for (int round = 0; round < 3; round++) {
    at_case("round %d", round);
    Gs.x[3] = round == 1 ? 0.25 : 1;
    assert_int_equal(dls_kkt_factor(kkt, Ms.x, Gs.x, &report), DLS_OK);
    assert_true(report.singular == (round == 1));
    if (round == 1) continue;
    assert_int_equal(dls_kkt_solve(kkt, F, b, a, l, &report), DLS_OK);
    close_to(a[0], 0, 1e-15), close_to(l[0], 2.0 / 3, 1e-15);
  }
  dls_kkt_free(kkt);
  drop(&Ms), drop(&Gs);
}

static void empty(void **state)
{
  (void)state;
  int p[2] = {0, 1}, i[1] = {0};
  double M = 2, F = 4, a;
  dls_pattern none = {0, 0, p, i}, mass = {1, 1, p, i}, no_contact = {1, 0, p, i};
  dls_kkt *kkt;
  dls_kkt_report report;
  assert_int_equal(dls_kkt_create(&none, &none, &kkt), DLS_OK);
  assert_int_equal(dls_kkt_factor(kkt, NULL, NULL, &report), DLS_OK);
  assert_false(report.singular);
  assert_int_equal(dls_kkt_solve(kkt, NULL, NULL, NULL, NULL, &report), DLS_OK);
  dls_kkt_free(kkt);
  assert_int_equal(dls_kkt_create(&mass, &no_contact, &kkt), DLS_OK);
  assert_int_equal(dls_kkt_factor(kkt, &M, NULL, &report), DLS_OK);
  assert_int_equal(dls_kkt_solve(kkt, &F, NULL, &a, NULL, &report), DLS_OK);
  close_to(a, -2, 0);
  dls_kkt_free(kkt);
  dls_kkt_free(NULL);
  assert_int_equal(dls_kkt_create(&no_contact, &mass, &kkt), DLS_ERR_ARGUMENT);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(triplets), cmocka_unit_test(random_systems), cmocka_unit_test(chain),
      cmocka_unit_test(singular), cmocka_unit_test(empty),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
