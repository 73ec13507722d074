// Complementarity problems when memory runs out: the k-th allocation fails, for every k.
#include "lcp/lemke.h"
#include "failing.h"

#include <delassus/delassus.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

// No basis of this one is singular: linear programs have tests of their own.
static const double M[] = {2, 1, 0, 0, 2, 1, 1, 0, 2}, q[] = {-1, 1, -2};

static dls_status run_lemke(void)
{
  double z[3];
  dls_lemke_report report;
  return dls_mlcp_lemke(&(dls_mlcp){3, 0, M, q}, NULL, z, &report);
}

static dls_status run_mixed(void)
{
  double z[3];
  dls_lemke_report report;
  return dls_mlcp_lemke(&(dls_mlcp){3, 1, M, q}, NULL, z, &report);
}

static dls_status run_enumerate(void)
{
  dls_lcp_solutions *found = NULL;
  const dls_status status = dls_lcp_enumerate(&(dls_lcp){3, M, q}, &found);
  assert_true((status == DLS_OK) == (found != NULL));
  dls_lcp_solutions_free(found);
  return status;
}

static dls_status run_p(void)
{
  int index[3];
  dls_p_report report;
  return dls_p_matrix(3, M, index, &report);
}

static dls_status run_no(void)
{
  const double N[] = {1, 2, 0, 2, 1, 0, 0, 0, 1};
  int index[3];
  dls_p_report report;
  return dls_p_matrix(3, N, index, &report);
}

static dls_status run_horizontal(void)
{
  const double N[] = {1, 2, 0, 2, 1, 0, 0, 0, 1};
  bool first[3], second[3];
  dls_hlcp_report report;
  return dls_hlcp_unique(3, M, N, first, second, &report);
}

static void every_allocation(void **state)
{
  (void)state;
  dls_status (*const calls[])(void) = {run_lemke, run_mixed, run_enumerate,
                                       run_p,     run_no,    run_horizontal};
  for (size_t c = 0; c < sizeof calls / sizeof *calls; c++)
    for (long k = 0;; k++) {
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
