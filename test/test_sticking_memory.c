// The k-th allocation fails, for every k, while the all-sticking question is answered: the check
// says DLS_ERR_MEMORY or leaves an answer open, and never changes one.
#include "failing.h"
#include "sticking.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cases.h"

static void check_fails(const dls_problem *problem, dls_answer expected, double least)
{
  dls_check_options options = dls_check_defaults();
  options.ask = DLS_ASK(DLS_CAN_ALL_STICK) | DLS_ASK_LIMIT(DLS_LIMIT_LEAST);
  bool failed = true;
  long refused = 0, open = 0;
  for (long k = 0; failed; k++) {
    at_case("k %ld", k);
    dls_check *check;
    failing_start(k);
    const dls_status status = dls_check_run(problem, &options, &check, NULL);
    failed = failing_stop();
    assert_true(status == DLS_OK || (failed && status == DLS_ERR_MEMORY));
    refused += status != DLS_OK;
    if (status != DLS_OK) continue;
    const dls_answer answer = check->verdict[DLS_CAN_ALL_STICK].answer;
    const dls_limit *limit = &check->limit[DLS_LIMIT_LEAST];
    assert_true(answer == expected || (failed && answer == DLS_UNDECIDED));
    assert_true(fabs(limit->value - least) <= 1e-9 || (failed && isnan(limit->value)));
    assert_true(isnan(limit->low) || (limit->low <= least && least <= limit->high + 1e-11));
    open += failed;
    dls_check_free(check);
  }
  print_message("%ld failures refused, %ld survived\n", refused, open);
  assert_true(refused > 30);
}

// A block on `points` points in a row, pushed: forces along a line, or many.
static void check_block(int points, double mu)
{
  sticking *p = sticking_create(3, 0, points, (const int[]){1, 1, 1});
  p->F[0] = -1, p->F[1] = 4;
  for (int j = 0; j < points; j++) {
    sticking_normal(p, j)[1] = 1, sticking_normal(p, j)[2] = -1 + 2.0 * j / (points - 1);
    sticking_tangent(p, j, 0)[0] = 1, sticking_tangent(p, j, 0)[2] = 0.5;
    p->mu[j] = mu;
  }
  check_fails(&p->problem, mu > 0.25 ? DLS_YES : DLS_NO, 0.25);
  sticking_free(p);
}

static void two_points(void **state)
{
  (void)state;
  check_block(2, 0.3);
  check_block(2, 0.2);
}

static void three_points(void **state)
{
  (void)state;
  check_block(3, 0.3);
  check_block(3, 0.2);
}

// The block of two points turned by an angle and on an accelerated floor: the contacts agree on one
// acceleration up to rounding only, which is not for whole numbers.
static void turned(void **state)
{
  (void)state;
  const double angle = 0.6, c = cos(angle), s = sin(angle);
  for (int k = 0; k < 2; k++) {
    sticking *p = sticking_create(3, 0, 2, (const int[]){1, 1});
    for (int j = 0; j < 2; j++) {
      const double x = 2 * j - 1, y = -0.5, at[] = {c * x - s * y, s * x + c * y};
      double *g = sticking_normal(p, j), *h = sticking_tangent(p, j, 0);
      g[0] = -s, g[1] = c, g[2] = at[0] * g[1] - at[1] * g[0];
      h[0] = c, h[1] = s, h[2] = at[0] * h[1] - at[1] * h[0];
      p->mu[j] = k ? 0.2 : 0.3;
    }
    sticking_load(p, (const double[]){0.3, -0.2, 0.1}, (const double[]){2, 2},
                  (const double[]){0.7, 0.3});
    check_fails(&p->problem, k ? DLS_NO : DLS_YES, 0.25);
    sticking_free(p);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(two_points), cmocka_unit_test(three_points),
                                     cmocka_unit_test(turned)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
