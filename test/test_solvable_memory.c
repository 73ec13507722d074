// Whether a solution exists, with memory that runs out: every allocation fails once.
#include <delassus/delassus.h>

#include "failing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <cmocka.h>

#include "cases.h"

// A ball between two plates and an equation; the second plate comes with the speed -w.
static void try_all(double w)
{
  static const int Mp[] = {0, 1, 2, 3}, Mi[] = {0, 1, 2};
  static const double M[] = {2, 1, 1};
  static const int Hp[] = {0, 1, 2, 3, 4, 5}, Hi[] = {0, 1, 0, 1, 2};
  static const double H[] = {1, 1, -1, 1, 1}, mu[] = {0.3, 0.5}, f[] = {-1, 0.1, 0};
  const double imposed[] = {0, 0, w, 0, 0.2};
  const dls_incremental p = {.dimension = 2,
                             .contacts = 2,
                             .equations = 1,
                             .mu = mu,
                             .global = true,
                             .dof = 3,
                             .M = {{3, 3, Mp, Mi}, M},
                             .H = {{3, 5, Hp, Hi}, H},
                             .f = f,
                             .w = imposed};
  for (long k = 0;; k++) {
    at_case("k %ld", k);
    dls_solvable *s = NULL;
    char *text = NULL;
    failing_start(k);
    dls_status status = dls_incremental_solvable(&p, NULL, &s, NULL);
    if (status == DLS_OK) status = dls_solvable_json(s, &text);
    const bool failed = failing_stop();
    if (!failed) {
      assert_int_equal(status, DLS_OK);
      assert_int_equal(s->answer, w < 0 ? DLS_NO : DLS_YES);
    } else if (status != DLS_OK) {
      assert_int_equal(status, DLS_ERR_MEMORY);
    }
    dls_report_text_free(text);
    dls_solvable_free(s);
    if (!failed) break;
  }
}

static void test_memory(void **state)
{
  (void)state;
  try_all(-0.5);
  try_all(0.5);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
