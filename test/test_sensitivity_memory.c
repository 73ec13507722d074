// Each allocation of derivatives of a motion fails once.
#include "language.h"
#include "failing.h"

#include <delassus/sensitivity.h>

static void memory_runs_out(void **state)
{
  (void)state;
  static const char *const names[] = {"a", "x"};
  running r = run("parameter a = 2, b = 3*a\ncoordinate x = 1, y\nkinetic (a*x'^2 + y'^2)/2\n"
                  "force x = -b*abs(x)\nbilateral c: y = x/9\n"
                  "unilateral f: x >= 0 { slip y'; friction b/9; restitution a/4 }\n");
  for (long k = 0;; k++) {
    dls_sensitivity *s;
    failing_start(k);
    const dls_status status = dls_sensitivity_create(r.system, 2, names, &s, NULL);
    const bool failed = failing_stop();
    assert_int_equal(status, failed ? DLS_ERR_MEMORY : DLS_OK);
    if (failed) assert_null(s);
    dls_sensitivity_free(s);
    if (!failed) break;
  }
  stop(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(memory_runs_out)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
