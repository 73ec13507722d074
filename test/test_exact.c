// Signs of sums of products: against rational numbers, where rounding would lie.
#include "exact/elimination.h"
#include "numbers.h"
#include "rational.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cases.h"

static int oracle(int n, const double *a, const double *b, double extra)
{
  fmpq_t sum, x, y;
  fmpq_init(sum), fmpq_init(x), fmpq_init(y);
  rational_set(sum, extra);
  for (int k = 0; k < n; k++) {
    rational_set(x, a[k]), rational_set(y, b[k]);
    fmpq_addmul(sum, x, y);
  }
  const int sign = fmpq_sgn(sum);
  fmpq_clear(sum), fmpq_clear(x), fmpq_clear(y);
  return sign;
}

// Sums that cancel but for the last digits of the products, in any order, over a wide range.
static void cancelling(void **state)
{
  (void)state;
  int seen[3] = {0};
  for (int t = 0; t < 4000; t++) {
    at_case("t %d", t);
    double a[24], b[24];
    const int half = 1 + below(12), spread = below(3) * 60;
    for (int k = 0; k < half; k++) {
      a[k] = ldexp(uniform(), spread ? below(spread) - spread / 2 : 0);
      b[k] = ldexp(uniform(), spread ? below(spread) - spread / 2 : 0);
      a[half + k] = -a[k], b[half + k] = b[k];
    }
    if (t % 3 == 1) a[below(2 * half)] *= 1 + ldexp(1, -52);
    if (t % 3 == 2) b[below(2 * half)] *= 1 - ldexp(1, -52), a[half] *= 1 + ldexp(1, -52);
    for (int k = 2 * half - 1; k > 0; k--) {
      const int j = below(k + 1);
      const double x = a[k], y = b[k];
      a[k] = a[j], b[k] = b[j], a[j] = x, b[j] = y;
    }
    const int sign = oracle(2 * half, a, b, 0);
    assert_int_equal(dls_exact_sign(2 * half, a, b, 0), sign);
    seen[sign + 1]++;
  }
  assert_true(seen[0] > 500 && seen[1] > 500 && seen[2] > 500);
}

static void cases(void **state)
{
  (void)state;
  const double e = ldexp(1, -52), a[] = {1 + e}, b[] = {1 - e};
  assert_int_equal(dls_exact_sign(1, a, b, -1), DLS_NEGATIVE);
  assert_int_equal(dls_exact_sign(1, a, b, nextafter(-1, 0)), DLS_POSITIVE);
  assert_int_equal(dls_exact_sign(0, NULL, NULL, 0), DLS_ZERO);
  assert_int_equal(dls_exact_sign(0, NULL, NULL, -1e-320), DLS_NEGATIVE);
  // what cannot be split is not claimed
  const double tiny = 1e-160, huge = 1e200, bad = NAN, none = 0, inf = INFINITY;
  assert_int_equal(dls_exact_sign(1, &tiny, &tiny, 0), DLS_UNSURE);
  assert_int_equal(dls_exact_sign(1, &huge, &huge, 0), DLS_UNSURE);
  assert_int_equal(dls_exact_sign(1, &bad, &none, 0), DLS_UNSURE);
  assert_int_equal(dls_exact_sign(1, &none, &inf, 0), DLS_UNSURE);
  assert_int_equal(dls_exact_sign(0, NULL, NULL, bad), DLS_UNSURE);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(cancelling), cmocka_unit_test(cases)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
