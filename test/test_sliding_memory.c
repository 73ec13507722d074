// Sliding friction when memory runs out: the k-th allocation fails, for every k.
#include "certify/sliding.h"
#include "failing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const double A_n[] = {3, 1, 0, 1, 3, 1, 0, 1, 3}, A_t[] = {1, -1, 1, 1, 2, 0, -1, 1, 1};
static const double small[] = {0.1, 0.1, 0.1}, large[] = {9, 9, 9};
static const bool frictional[] = {true, true, true};
static dls_sliding sliding = {0, 0, A_n, A_t, small, frictional, false, 0, 0};

static dls_status run_yes(void)
{
  int first[3], second[3];
  dls_sliding_verdict verdict;
  return dls_sliding_unique(&sliding, NULL, first, second, &verdict);
}

static dls_status run_no(void)
{
  int first[3], second[3];
  dls_sliding_verdict verdict;
  return dls_sliding_unique(&sliding, large, first, second, &verdict);
}

static dls_status run_bounds(void)
{
  dls_sliding_bounds bounds;
  return dls_sliding_sufficient(&sliding, &bounds);
}

static dls_status run_limit(void)
{
  dls_sliding_limit limit;
  return dls_sliding_critical(&sliding, &limit);
}

static void every_allocation(void **state)
{
  (void)state;
  dls_status (*const calls[])(void) = {run_yes, run_no, run_bounds, run_limit};
  for (size_t c = 0; c < sizeof calls / sizeof *calls; c++)
    for (int m_b = 0; m_b <= 3; m_b++)
      for (long k = 0;; k++) {
        sliding.m_b = m_b, sliding.m_u = 3 - m_b;
        failing_start(k);
        const dls_status status = calls[c]();
        if (!failing_stop()) {
          assert_int_equal(status, DLS_OK);
          assert_true(k > 2);
          break;
        }
        assert_int_equal(status, DLS_ERR_MEMORY);
      }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
