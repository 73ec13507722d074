// Sparse LU: manufactured solutions, pivots that do and do not, and what comes out does not depend
// on what went before.
#include "linalg/sparse_lu.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

enum { MOST = 400, ENTRIES = 8000 };

typedef struct matrix {
  int n, p[MOST + 1], i[ENTRIES];
  double x[ENTRIES];
  bool late[MOST];
} matrix;

static uint32_t seed = 1;

static double number(void)  // in (-1, 1)
{
  seed = seed * 1664525u + 1013904223u;
  return (double)(seed >> 8) / (1 << 23) - 1;
}

// Bodies on a line, each tied to the next by two constraints: [M -G; G^T eps].
static void tie(matrix *a, int bodies, double eps)
{
  const int n = 3 * bodies, held = 2 * (bodies - 1);
  double G[MOST][6];
  for (int k = 0; k < held; k++)
    for (int e = 0; e < 6; e++) G[k][e] = number();
  a->n = n + held;
  int used = 0;
  for (int j = 0; j < n; j++) {
    a->late[j] = false;
    a->i[used] = j, a->x[used++] = 1 + fabs(number());
    for (int k = 0; k < held; k++) {
      const int first = 3 * (k / 2);
      if (j >= first && j < first + 6) a->i[used] = n + k, a->x[used++] = G[k][j - first];
    }
    a->p[j + 1] = used;
  }
  for (int k = 0; k < held; k++) {
    a->late[n + k] = true;
    for (int e = 0; e < 6; e++) a->i[used] = 3 * (k / 2) + e, a->x[used++] = -G[k][e];
    a->i[used] = n + k, a->x[used++] = eps;
    a->p[n + k + 1] = used;
  }
  assert_true(used <= ENTRIES);
}

static void multiply(const matrix *a, const double *x, double *y)
{
  memset(y, 0, (size_t)a->n * sizeof(double));
  for (int j = 0; j < a->n; j++)
    for (int e = a->p[j]; e < a->p[j + 1]; e++) y[a->i[e]] += a->x[e] * x[j];
}

// Solves for `count` known columns at once.
static void solve_known(const matrix *a, dls_sparse_lu *f, int count, double tolerance)
{
  static double x[5 * MOST], b[5 * MOST];
  assert_true(count <= 5);
  for (int k = 0; k < count * a->n; k++) x[k] = number();
  for (int k = 0; k < count; k++) multiply(a, x + k * a->n, b + k * a->n);
  dls_sparse_lu_solve(f, count, b);
  for (int k = 0; k < count * a->n; k++)
    if (!(fabs(b[k] - x[k]) <= tolerance)) fail_msg("%d: %g, not %g", k, b[k], x[k]);
}

static void known_solutions(void **state)
{
  (void)state;
  static matrix a;
  for (int bodies = 1; bodies <= 40; bodies += 13) {
    at_case("bodies %d", bodies);
    dls_sparse_lu *by_numbers, *by_pattern;
    tie(&a, bodies, 0);
    assert_int_equal(dls_sparse_lu_create(a.n, a.p, a.i, a.x, &by_numbers), DLS_OK);
    assert_int_equal(dls_sparse_lu_create_diagonal(a.n, a.p, a.i, a.late, &by_pattern), DLS_OK);
    for (int k = 1; k <= 5; k++) {
      tie(&a, bodies, 0);
      assert_true(dls_sparse_lu_factor_any(by_numbers, a.x));
      solve_known(&a, by_numbers, k, 1e-9);
      assert_true(dls_sparse_lu_factor_well(by_pattern, a.x));
      solve_known(&a, by_pattern, k, 1e-9);
    }
    dls_sparse_lu_free(by_numbers);
    dls_sparse_lu_free(by_pattern);
  }
}

// A body without mass: the diagonal is no pivot, and others are found.
static void other_pivots(void **state)
{
  (void)state;
  static matrix a;
  static double before[MOST], after[MOST];
  dls_sparse_lu *f;
  tie(&a, 10, 0);
  assert_int_equal(dls_sparse_lu_create_diagonal(a.n, a.p, a.i, a.late, &f), DLS_OK);
  assert_true(dls_sparse_lu_factor_any(f, a.x));
  for (int k = 0; k < a.n; k++) before[k] = after[k] = sin(k);
  dls_sparse_lu_solve(f, 1, before);

  matrix *massless = malloc(sizeof *massless);
  assert_non_null(massless);
  *massless = a;
  massless->x[massless->p[6]] = massless->x[massless->p[7]] = 0;
  assert_false(dls_sparse_lu_factor_well(f, massless->x));
  assert_true(dls_sparse_lu_factor_any(f, massless->x));
  solve_known(massless, f, 2, 1e-9);
  massless->x[massless->p[6]] = 1e-13;  // not zero, and as bad
  assert_false(dls_sparse_lu_factor_well(f, massless->x));
  assert_true(dls_sparse_lu_factor_any(f, massless->x));
  solve_known(massless, f, 2, 1e-9);
  free(massless);

  assert_true(dls_sparse_lu_factor_any(f, a.x));  // and back, to the same bits
  dls_sparse_lu_solve(f, 1, after);
  assert_memory_equal(before, after, (size_t)a.n * sizeof(double));
  dls_sparse_lu_free(f);
}

static void refused(void **state)
{
  (void)state;
  static matrix a;
  dls_sparse_lu *f;
  tie(&a, 5, 0);
  assert_int_equal(dls_sparse_lu_create_diagonal(a.n, a.p, a.i, a.late, &f), DLS_OK);
  const double kept = a.x[3];
  for (int k = 0; k < 2; k++) {
    at_case("k %d", k);
    a.x[3] = k == 0 ? NAN : INFINITY;
    assert_false(dls_sparse_lu_factor(f, a.x));
    assert_false(dls_sparse_lu_factor_any(f, a.x));
    dls_sparse_lu *none;
    assert_int_equal(dls_sparse_lu_create(a.n, a.p, a.i, a.x, &none), DLS_ERR_NUMBER);
    assert_null(none);
  }
  a.x[3] = kept;
  assert_true(dls_sparse_lu_factor_any(f, a.x) && dls_sparse_lu_pivots(f) > 1e-6);
  for (int e = a.p[4]; e < a.p[5]; e++) a.x[e] *= 1e-18;  // nearly singular: it shows
  assert_true(!dls_sparse_lu_factor_any(f, a.x) || dls_sparse_lu_pivots(f) < 1e-15);
  for (int e = a.p[4]; e < a.p[5]; e++) a.x[e] = 0;  // a column of zeros
  assert_false(dls_sparse_lu_factor_any(f, a.x));
  tie(&a, 5, 0);
  assert_true(dls_sparse_lu_factor_any(f, a.x));  // and it still works
  solve_known(&a, f, 1, 1e-9);
  dls_sparse_lu_free(f);

  const int p[] = {0, 1, 2}, i[] = {1, 0};  // no diagonal
  const bool late[] = {false, false};
  assert_int_equal(dls_sparse_lu_create_diagonal(2, p, i, late, &f), DLS_ERR_NUMBER);
  assert_null(f);
}

// One coordinate and rows that hang on it: in this order the factors have K^2 / 2 entries.
static void too_large(void **state)
{
  (void)state;
  enum { LARGE = 30000, SMALL = 300 };
  static int p[LARGE + 2], i[3 * LARGE + 1];
  static bool late[LARGE + 1];
  for (int k = 0; k < 2; k++) {
    at_case("k %d", k);
    const int rows = k == 0 ? LARGE : SMALL;
    int count = 0;
    for (int r = 0; r <= rows; r++) i[count++] = r;
    p[1] = count;
    for (int r = 1; r <= rows; r++) {
      i[count++] = 0, i[count++] = r, late[r] = true;
      p[r + 1] = count;
    }
    dls_sparse_lu *f;
    assert_int_equal(dls_sparse_lu_create_diagonal(rows + 1, p, i, late, &f),
                     k == 0 ? DLS_ERR_LIMIT : DLS_OK);
    assert_true(!f == (k == 0));
    dls_sparse_lu_free(f);
  }
}

static void empty(void **state)
{
  (void)state;
  const int p[] = {0};
  double none = 7;
  for (int k = 0; k < 2; k++) {
    at_case("k %d", k);
    dls_sparse_lu *f;
    assert_int_equal(k == 0 ? dls_sparse_lu_create(0, p, NULL, NULL, &f)
                            : dls_sparse_lu_create_diagonal(0, p, NULL, NULL, &f),
                     DLS_OK);
    assert_true(dls_sparse_lu_factor(f, NULL) && dls_sparse_lu_factor_any(f, NULL));
    dls_sparse_lu_solve(f, 1, &none);
    assert_true(none == 7);
    dls_sparse_lu_free(f);
  }
  dls_sparse_lu_free(NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(known_solutions),
                                     cmocka_unit_test(other_pivots), cmocka_unit_test(refused),
                                     cmocka_unit_test(too_large), cmocka_unit_test(empty)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
