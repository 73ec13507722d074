// What holds at the state as it is given, and need not at another one within its tolerance, is left
// open.                                                                              eq (num.3)
#include "verify_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

// The two contacts face each other at x = 0, and both open along x where c > 0.
static const char lens[] = "parameter c = 1e-3\n"
                           "coordinate x = c, y\n"
                           "kinetic (x'^2 + y'^2)/2\n"
                           "unilateral low:  y + x^2 - c^2 >= 0\n"
                           "unilateral high: -y + x^2 - c^2 >= 0\n";
static const char sliding[] = "parameter c = 1e-3\n"
                              "coordinate x = c, y, z\n"
                              "kinetic (x'^2 + y'^2 + z'^2)/2\n"
                              "force y = -1\n"
                              "unilateral low:  y + x^2 - c^2 >= 0 { slip z'; friction 0.25 }\n"
                              "unilateral high: -y + x^2 - c^2 >= 0 { slip z'; friction 0.25 }\n"
                              "state moving: z' = 1\n";
static const char sticking[] = "parameter c = 1e-3\n"
                               "coordinate x = c, y, z\n"
                               "kinetic (x'^2 + y'^2 + z'^2)/2\n"
                               "force x = -1, y = -1\n"
                               "unilateral low:  y + x^2 - c^2 >= 0 { slip z'; friction 0.25 }\n"
                               "unilateral high: -y + x^2 - c^2 >= 0\n";

// The witnesses are those of check. With a tolerance of 1e-2 x may be 0, and nothing else changes:
// what hangs on the rank of the gradients is not proven then.
static void hang_on_state(const char *model, const char *at, const char *const *claims, int count)
{
  subject s = ask_about(model, NULL, at);
  for (int k = 0; k < count; k++) {
    at_case("%s", claims[k]);
    put_value(s.report, "tolerance", "1e-9");
    assert_int_equal(found_of(&s, claims[k]), DLS_FOUND_HOLDS);
    put_value(s.report, "tolerance", "1e-2");
    assert_int_not_equal(found_of(&s, claims[k]), DLS_FOUND_HOLDS);
  }
  close_subject(&s);
}

static void without_friction(void **unused)
{
  (void)unused;
  static const char *const claims[] = {"verdicts.constraints_independent", "verdicts.mfcq",
                                       "verdicts.delassus_definite", "verdicts.forces_unique"};
  hang_on_state(lens, NULL, claims, 4);
}

static void with_friction(void **unused)
{
  (void)unused;
  static const char *const claims[] = {"verdicts.forces_unique", "verdicts.unique_for_every_load"};
  hang_on_state(sticking, NULL, claims, 1);
  hang_on_state(sliding, "moving", claims, 2);
}

// Gradients that do depend on each other do so at every state: nothing is open.
static void always_dependent(void **unused)
{
  (void)unused;
  subject s = ask_about(shelf, NULL, NULL);
  put_value(s.report, "tolerance", "1e-2");
  dls_verification *v = verify(&s);
  assert_true(v->holds);
  for (int k = 0; k < v->findings; k++)
    assert_true(v->finding[k].found != DLS_FOUND_UNPROVEN ||
                strcmp(v->finding[k].group, "unproven") == 0);
  dls_verification_free(v);
  close_subject(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(without_friction),
                                     cmocka_unit_test(with_friction),
                                     cmocka_unit_test(always_dependent)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
