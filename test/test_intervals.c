// Matrices of intervals: whole numbers, whose ends are known exactly, and matrices with a known
// inverse.
#include "verify/definite.h"
#include "numbers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "cases.h"

enum { MOST = 7 };

static bool contains(mpfi_srcptr x, double value)
{
  return mpfr_cmp_d(&x->left, value) <= 0 && mpfr_cmp_d(&x->right, value) >= 0;
}

// Ends of every sign, zeros and single numbers among them.
static void draw_interval(mpfi_ptr x, double *low, double *high)
{
  *low = below(21) - 10, *high = *low + (below(3) ? below(12) : 0);
  mpfi_interv_d(x, *low, *high);
}

static void products_have_the_ends_of_their_corners(void **state)
{
  (void)state;
  mpfi_t x, a, b;
  mpfi_init2(x, DLS_BITS), mpfi_init2(a, DLS_BITS), mpfi_init2(b, 9 * DLS_BITS);
  for (int trial = 0; trial < 20000; trial++) {
    at_case("trial %d", trial);
    double x0, x1, a0, a1, b0, b1;
    draw_interval(a, &a0, &a1), draw_interval(b, &b0, &b1), draw_interval(x, &x0, &x1);
    const double p = fmin(fmin(a0 * b0, a0 * b1), fmin(a1 * b0, a1 * b1));
    const double q = fmax(fmax(a0 * b0, a0 * b1), fmax(a1 * b0, a1 * b1));
    const bool subtract = below(2);
    if (subtract) dls_subtract_product(x, a, b);
    else dls_add_product(x, a, b);
    assert_true(mpfr_cmp_d(&x->left, subtract ? x0 - q : x0 + p) == 0);
    assert_true(mpfr_cmp_d(&x->right, subtract ? x1 - p : x1 + q) == 0);
  }
  mpfi_clear(x), mpfi_clear(a), mpfi_clear(b);
}

// 1/3 is no binary number: it stays inside, and the interval does not grow wide.
static void rounding_is_outwards(void **state)
{
  (void)state;
  mpfi_t third, sum;
  dls_mpfi_init(third), dls_mpfi_init(sum);
  mpfi_set_si(third, 1), mpfi_div_si(third, third, 3);
  for (int k = 0; k < 900; k++) dls_add_product(sum, third, third);  // 100
  assert_true(contains(sum, 100) && mpfr_cmp(&sum->left, &sum->right) < 0);
  const dls_interval seen = dls_interval_of(sum);
  assert_true(seen.low < 100 && seen.high > 100 && seen.high - seen.low < 1e-12);
  mpfi_set_si(sum, 0), mpfi_div(sum, third, sum);
  assert_true(isinf(dls_interval_of(sum).low) && isinf(dls_interval_of(sum).high));
  mpfi_clear(third), mpfi_clear(sum);
}

static void draw_matrix(dls_intervals A)
{
  for (int i = 0; i < A->rows; i++)
    for (int j = 0; j < A->cols; j++) mpfi_set_si(dls_at(A, i, j), below(9) - 4);
}

// Of whole numbers, by expansion.
static double determinant(const dls_intervals A, int row, unsigned used)
{
  double sum = 0;
  int sign = 1;
  if (row == A->rows) return 1;
  for (int j = 0; j < A->cols; j++) {
    if (used >> j & 1) continue;
    const double entry = mpfi_get_d(dls_at(A, row, j));
    if (entry != 0) sum += sign * entry * determinant(A, row + 1, used | 1u << j);
    sign = -sign;
  }
  return sum;
}

static void elimination_encloses_solution_and_determinant(void **state)
{
  (void)state;
  for (int trial = 0; trial < 400; trial++) {
    at_case("trial %d", trial);
    const int n = 1 + below(MOST), bits = below(2) ? DLS_BITS : 5 * DLS_BITS;
    dls_intervals A, x, b;
    mpfi_t det;
    dls_mpfi_init(det);
    dls_intervals_init(A, n, n, bits), dls_intervals_init(x, n, 2, bits);
    dls_intervals_init(b, n, 2, bits);
    draw_matrix(A), draw_matrix(x);
    if (below(4) == 0 && n > 1)  // singular
      for (int j = 0; j < n; j++) mpfi_set(dls_at(A, n - 1, j), dls_at(A, 0, j));
    dls_intervals_multiply(b, A, x);
    const double exact = determinant(A, 0, 0);
    const bool solved = dls_intervals_eliminate(A, b, det);
    assert_true(!solved || contains(det, exact));
    assert_true(solved == (exact != 0));
    for (int i = 0; i < n && solved; i++)
      for (int j = 0; j < 2; j++) {
        assert_true(contains(dls_at(b, i, j), mpfi_get_d(dls_at(x, i, j))));
        const dls_interval seen = dls_interval_of(dls_at(b, i, j));
        assert_true(seen.high - seen.low < 1e-14);
      }
    dls_intervals_clear(A), dls_intervals_clear(x), dls_intervals_clear(b);
    mpfi_clear(det);
  }
}

// R R^T of a random R: its factors multiply to it, and definite is what has full rank.
static void factors_and_rank_of_gram_matrices(void **state)
{
  (void)state;
  for (int trial = 0; trial < 300; trial++) {
    at_case("trial %d", trial);
    const int n = 1 + below(MOST);
    dls_intervals R, T, A, L, D, x, b;
    dls_intervals *all[] = {&R, &T, &A, &L, &D};
    for (int k = 0; k < 5; k++) dls_intervals_init(*all[k], n, n, DLS_BITS);
    dls_intervals_init(x, n, 1, DLS_BITS), dls_intervals_init(b, n, 1, DLS_BITS);
    draw_matrix(R), draw_matrix(x);
    const bool regular = determinant(R, 0, 0) != 0;
    dls_intervals_transpose(T, R);
    dls_intervals_multiply(A, R, T);
    dls_intervals_set(L, A), dls_intervals_set(D, A);
    assert_true(dls_intervals_definite(A, 0) == regular);
    assert_true(dls_intervals_rank(R, 0) == regular);
    dls_intervals_multiply(b, A, x);
    if (regular) {
      assert_true(dls_intervals_cholesky(L) && dls_intervals_ldl(D));
      double product = 1, square = 1;
      for (int i = 0; i < n; i++)
        product *= mpfi_get_d(dls_at(D, i, i)), square *= mpfi_get_d(dls_at(L, i, i));
      const double det = determinant(A, 0, 0);
      assert_true(fabs(product - det) < 1e-9 * det && fabs(square * square - det) < 1e-9 * det);
      dls_intervals_forward(L, false, b), dls_intervals_backward(L, b);
      for (int i = 0; i < n; i++)
        assert_true(contains(dls_at(b, i, 0), mpfi_get_d(dls_at(x, i, 0))));
      assert_true(dls_intervals_solve(L, A, A, 1e-9));  // the unit matrix
      for (int i = 0; i < n * n; i++) assert_true(contains(L->entry[i], i % (n + 1) == 0));
    } else {
      assert_false(dls_intervals_cholesky(L));
      assert_false(dls_intervals_ldl(D));
      assert_false(dls_intervals_solve(T, A, A, 1e-9));
    }
    for (int k = 0; k < 5; k++) dls_intervals_clear(*all[k]);
    dls_intervals_clear(x), dls_intervals_clear(b);
  }
}

// diag(1, 2^-k): the margin lies where it is said to lie.
static void margins_are_where_they_are_said_to_be(void **state)
{
  (void)state;
  for (int k = 4; k < 70; k += 6) {
    at_case("k %d", k);
    const double A[4] = {1, 0, 0, ldexp(1, -k)}, row[2] = {1, 0.5}, col[2] = {1, 2};
    const dls_scaled scaled = {2, 2, A, row, col};
    assert_true(dls_is_definite(&scaled, ldexp(0.4, -k)));
    assert_false(dls_is_definite(&scaled, ldexp(1.0001, -k)));
    assert_true(dls_has_rank(&scaled, ldexp(0.6, -k)));
    assert_false(dls_has_rank(&scaled, ldexp(1.0001, -k)));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_have_the_ends_of_their_corners),
      cmocka_unit_test(rounding_is_outwards),
      cmocka_unit_test(elimination_encloses_solution_and_determinant),
      cmocka_unit_test(factors_and_rank_of_gram_matrices),
      cmocka_unit_test(margins_are_where_they_are_said_to_be),
  };
  return cmocka_run_group_tests_name("matrices of intervals", tests, NULL, NULL);
}
