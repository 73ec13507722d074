// Linear inequalities and determinants without rounding: against rational arithmetic.
#include "convex/lp_exact.h"
#include "numbers.h"
#include "rational.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "cases.h"

enum { COLS = 6, ROWS = 14 };

// Small whole numbers, thirds rounded to doubles, or numbers of very different size.
static double draw(int kind)
{
  const double whole = below(3) ? below(7) - 3 : 0;
  if (kind == 0) return whole;
  if (kind == 1) return whole / 3;
  return ldexp(whole, below(60) - 30) + (below(4) ? 0 : uniform());
}

static void make(double *a, bool *equation, linear *s, int rows, int cols, int kind)
{
  linear_init(s, cols);
  for (int i = 0; i < rows; i++) {
    equation[i] = below(4) == 0;
    // some rows depend on others
    const int other = i > 1 && below(5) == 0 ? below(i) : -1;
    fmpq *row = linear_add(s, equation[i]);
    for (int j = 0; j <= cols; j++) {
      const double x =
          other >= 0 && (j < cols || below(2)) ? -a[other * (cols + 1) + j] : draw(kind);
      a[i * (cols + 1) + j] = x;
      rational_set(row + j, x);
    }
  }
}

static void check_point(const double *a, const bool *equation, int rows, int cols, const double *x)
{
  for (int i = 0; i < rows; i++) {
    const double *row = a + i * (cols + 1);
    long double sum = row[cols], terms = fabs(row[cols]);
    for (int j = 0; j < cols; j++) sum += (long double)row[j] * x[j], terms += fabs(row[j] * x[j]);
    assert_true(sum >= -1e-15L * terms);
    if (equation[i]) assert_true(sum <= 1e-15L * terms);
  }
}

static void check_proof(const double *a, const bool *equation, int rows, int cols, const double *y)
{
  for (int i = 0; i < rows; i++) assert_true(equation[i] || y[i] >= 0);
  for (int j = 0; j <= cols; j++) {
    long double sum = 0, terms = 0;
    for (int i = 0; i < rows; i++) {
      const long double term = (long double)a[i * (cols + 1) + j] * y[i];
      sum += term, terms += fabsl(term);
    }
    if (j < cols) assert_true(fabsl(sum) <= 1e-15L * terms);
    else assert_true(terms > 0);
  }
}

static void same_as_rationals(void **state)
{
  (void)state;
  int points = 0, empty = 0;
  for (int round = 0; round < TRIED(400); round++) {
    at_case("round %d", round);
    const int rows = 1 + below(ROWS), cols = 1 + below(COLS), kind = below(3);
    double a[ROWS * (COLS + 1)], x[COLS], y[ROWS];
    bool equation[ROWS];
    linear s;
    int rank = 0, freedom = 0;
    make(a, equation, &s, rows, cols, kind);
    dls_exact_outcome outcome;
    const dls_exact_rows data = {rows, cols, a, equation};
    assert_int_equal(dls_exact_solve(&data, x, y, &rank, &outcome), DLS_OK);
    const bool feasible = linear_feasible(&s, NULL, &freedom);
    assert_int_equal(outcome, feasible ? DLS_EXACT_POINT : DLS_EXACT_EMPTY);
    if (feasible) assert_int_equal(cols - rank, freedom);
    if (feasible) check_point(a, equation, rows, cols, x), points++;
    else check_proof(a, equation, rows, cols, y), empty++;
    linear_clear(&s);
  }
  print_message("%d with a point, %d empty\n", points, empty);
  assert_true(points > TRIED(100) && empty > TRIED(100));
}

static void determinants(void **state)
{
  (void)state;
  int zero = 0;
  for (int round = 0; round < TRIED(300); round++) {
    at_case("round %d", round);
    const int n = 1 + below(7), kind = below(3), copied = below(3) == 0 && n > 2;
    double a[49];
    fmpq_mat_t A;
    fmpq_t det;
    fmpq_mat_init(A, n, n), fmpq_init(det);
    for (int k = 0; k < n * n; k++) a[k] = draw(kind);
    for (int i = 0; i < n && copied; i++) a[i + n * (n - 1)] = 2 * a[i] - a[i + n];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) rational_set(fmpq_mat_entry(A, i, j), a[i + n * j]);
    fmpq_mat_det(det, A);
    int sign;
    double inverse[49];
    assert_int_equal(dls_exact_determinant(n, a, &sign, inverse), DLS_OK);
    assert_int_equal(sign, fmpq_sgn(det));
    zero += sign == 0;
    if (sign) fmpq_mat_inv(A, A);
    for (int k = 0; sign && k < n * n; k++)
      assert_true(fabs(inverse[k] - fmpq_get_d(fmpq_mat_entry(A, k % n, k / n))) <=
                  4 * DBL_EPSILON * fabs(inverse[k]));
    fmpq_mat_clear(A), fmpq_clear(det);
  }
  assert_true(zero > TRIED(30));
}

// What cannot be done is said, not tried for hours.
static void too_large(void **state)
{
  (void)state;
  enum { N = 120 };
  double *a = calloc(N * (N + 1), sizeof *a);
  bool equation[N] = {false};
  for (int k = 0; k < N * (N + 1); k++) a[k] = uniform();
  const dls_exact_rows data = {N, N, a, equation};
  dls_exact_outcome outcome;
  assert_int_equal(dls_exact_solve(&data, NULL, NULL, NULL, &outcome), DLS_OK);
  assert_int_equal(outcome, DLS_EXACT_LARGE);
  const double far[] = {1e300, 1e-300, 1, 0};
  const dls_exact_rows apart = {1, 3, far, equation};
  assert_int_equal(dls_exact_solve(&apart, NULL, NULL, NULL, &outcome), DLS_OK);
  assert_int_equal(outcome, DLS_EXACT_LARGE);
  free(a);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_as_rationals),
      cmocka_unit_test(determinants),
      cmocka_unit_test(too_large),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
