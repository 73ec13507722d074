// Determinants with error bounds, against exact arithmetic (FLINT): the bound always holds, and
// where no rounding is claimed there is none.
#include "linalg/minors.h"
#include "numbers.h"

#include <flint/fmpz_mat.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

enum { LARGEST = 8, SHIFT = 4000 };  // everything is compared in units of 2^-4000

// 2^(SHIFT + exponent) x, of which nothing may be lost.
static void set(fmpz_t out, long double x, int exponent)
{
  int binary;
  const long double whole = ldexpl(frexpl(x, &binary), 64);
  const long double high = truncl(ldexpl(whole, -32)), low = whole - ldexpl(high, 32);
  fmpz_t part;
  fmpz_init(part);
  fmpz_set_d(out, (double)high);
  fmpz_mul_2exp(out, out, 32);
  fmpz_set_d(part, (double)low);
  fmpz_add(out, out, part);
  if (x != 0) fmpz_mul_2exp(out, out, (ulong)(SHIFT + exponent + binary - 64));
  fmpz_clear(part);
}

static void exact_determinant(int n, const double *A, int unit, fmpz_t det)
{
  fmpz_mat_t m;
  fmpz_mat_init(m, n, n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) fmpz_set_d(fmpz_mat_entry(m, i, j), ldexp(A[i + n * j], unit));
  fmpz_mat_det(det, m);
  fmpz_mat_clear(m);
}

// Whether |det(truth) - computed| <= its bound, where `data` may differ from the truth by its
// bounds.
static bool within(int n, const double *oracle, int unit, const dls_tracked *data, bool *exact)
{
  dls_minors w;
  int row[LARGEST], col[LARGEST], sum = 0;
  assert_int_equal(dls_minors_create(n, n, &w), DLS_OK);
  memcpy(w.T, data, (size_t)(n * n) * sizeof *data);
  assert_int_equal(dls_minors_scale(n, n, w.T, row, col, &w.unit), DLS_OK);
  for (int i = 0; i < n; i++) sum += row[i] + col[i];
  w.order = n;
  const dls_tracked det = dls_minors_determinant(&w);
  *exact = w.unit == 0;
  if (*exact) assert_true(det.e == 0);
  dls_minors_free(&w);
  fmpz_t a, b, e;
  fmpz_init(a), fmpz_init(b), fmpz_init(e);
  exact_determinant(n, oracle, unit, a);
  fmpz_mul_2exp(a, a, (ulong)(SHIFT + sum - n * unit));
  set(b, det.x, 0), set(e, det.e, 0);
  fmpz_sub(a, a, b);
  fmpz_abs(a, a);
  const bool good = fmpz_cmp(a, e) <= 0;
  fmpz_clear(a), fmpz_clear(b), fmpz_clear(e);
  return good;
}

static void plain(int n, const double *A, dls_tracked *out)
{
  for (int k = 0; k < n * n; k++) out[k] = (dls_tracked){.x = A[k]};
}

// Doubles of 50 bits, well and badly conditioned.
static void bounds_hold(void **state)
{
  (void)state;
  for (int t = 0; t < 6000; t++) {
    at_case("t %d", t);
    const int n = 2 + below(LARGEST - 1);
    double A[LARGEST * LARGEST];
    dls_tracked data[LARGEST * LARGEST];
    bool exact;
    for (int k = 0; k < n * n; k++) A[k] = ldexp(rint(ldexp(uniform(), 50)), -50);
    if (t % 2)  // the last column nearly depends on the others
      for (int i = 0; i < n; i++)
        A[i + n * (n - 1)] = rint(ldexp(A[i] / 2 - A[i + n] / 4, 50)) / ldexp(1, 50) +
                             ldexp(below(5) - 2, -50 + below(30));
    plain(n, A, data);
    assert_true(within(n, A, 80, data, &exact));
    // the same when the data are known to 1e-12 only, and lie at the end of what is known
    for (int k = 0; k < n * n; k++) {
      const double error = ldexp(1, -40);
      data[k] = (dls_tracked){.x = A[k] + (below(2) ? error : -error), .e = error};
    }
    assert_true(within(n, A, 80, data, &exact));
    assert_false(exact);
  }
}

// Integers of all sizes, around the size at which rounding begins.
static void integers_are_exact(void **state)
{
  (void)state;
  int exact_count = 0, rounded = 0;
  for (int t = 0; t < 6000; t++) {
    at_case("t %d", t);
    const int n = 2 + below(5), bits = 1 + below(24);
    double A[LARGEST * LARGEST];
    dls_tracked data[LARGEST * LARGEST];
    bool exact;
    for (int k = 0; k < n * n; k++) A[k] = rint(ldexp(uniform(), bits));
    // the largest determinants of their size
    if (t % 3 == 0)
      for (int k = 0; k < n * n; k++) A[k] = ldexp(below(2) ? 1 : -1, bits) - 1;
    plain(n, A, data);
    assert_true(within(n, A, 0, data, &exact));
    exact ? exact_count++ : rounded++;
  }
  print_message("%d exact, %d rounded\n", exact_count, rounded);
  assert_true(exact_count > 1000 && rounded > 1000);
}

// Solutions by the same elimination: C x = b.
static void solves(void **state)
{
  (void)state;
  for (int t = 0; t < 500; t++) {
    at_case("t %d", t);
    const int n = 1 + below(LARGEST);
    dls_minors w;
    long double x[LARGEST];
    assert_int_equal(dls_minors_create(n + 1, n + 1, &w), DLS_OK);
    // row n: a^T x + Schur complement
    for (int j = 0; j < n; j++) x[j] = below(9) - 4;
    for (int i = 0; i <= n; i++) {
      w.T[i + (n + 1) * n].x = 0;
      for (int j = 0; j < n; j++) {
        w.T[i + (n + 1) * j].x = below(9) - 4 + (i == j ? 10 : 0);
        w.T[i + (n + 1) * n].x += w.T[i + (n + 1) * j].x * x[j];
      }
    }
    w.T[n + (n + 1) * n].x += 7;
    w.order = n, w.unit = ldexpl(1, -64);
    dls_minors_solve(&w);
    if (w.rank == n) {
      for (int k = 0; k < n; k++) {
        const dls_tracked r = w.T[w.pivot_row[k] + (n + 1) * n];
        assert_true(fabsl(r.x / w.last.x - x[w.pivot_col[k]]) < 1e-12L);
      }
      assert_true(fabsl(w.T[n + (n + 1) * n].x / w.last.x - 7) < 1e-12L);
    }
    dls_minors_free(&w);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bounds_hold),
      cmocka_unit_test(integers_are_exact),
      cmocka_unit_test(solves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
