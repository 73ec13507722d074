// Numbers between rounding and the tolerance leave two readings of a model, eq (num.1). What is
// true in the data as they are holds, though it hangs on such a number; what is true in one of the
// readings does not fail; what is true in neither does.
#include "verify_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

// c1 is c0 but for 2^-29 z: with z'' > 0 it opens, by less than the tolerance, and carries nothing.
static const char opens[] = "coordinate x, y, z, w\n"
                            "kinetic x'^2 + 3*x'*y' + 9.375/2*y'^2 + z'^2/2 + 1.5*w'^2\n"
                            "force x = -1, z = 0.5\n"
                            "bilateral c0: -x + 3*y - 1.5*w = 0 { slip -z'/2; friction 0.25 }\n"
                            "unilateral c1: -x + 3*y + 2^-29*z - 1.5*w >= 0\n";
static const char opened[] =
    "{'shows':'','acceleration':{'x':-0.3042704626334521,'y':-0.014234875444839827,'z':0.0,"
    "'w':0.17437722419928825},'lambda_b':{'c0':-12.000000173617098},'lambda_u':{'c1':"
    "11.651245725218521},'tau':{'c0':[1.0000000434042746]},'other':{'x':-0.304270462633452,"
    "'y':-0.014234875444839857,'z':0.45640569395017794,'w':0.17437722419928825},'other_b':{'c0':"
    "-0.3487544483985765},'other_u':{'c1':0.0},'other_tau':{'c0':[0.08718861209964412]}}";

// Without 2^-27 x at c2 and c3, c1 presses with at least 1/5 or pulls with at least 1/3: two sets.
// With it they carry x, with forces of 1e8, and the sets are one.
static const char apart[] =
    "coordinate x, y\n"
    "kinetic x'^2/2 + 1.5*y'^2\n"
    "force x = 1, y = -0.5\n"
    "bilateral c0: 2*y = 0\n"
    "bilateral c1: -x + 1.5*y = 0 { slip -2*x'; friction 2 }\n"
    "unilateral c2: -2^-27*x - 2*y >= 0 { slip -y'/2; friction 0.25 }\n"
    "unilateral c3: 2^-27*x + (2 + 2^-35)*y >= 0 { slip -y'/2; friction 1.5 }\n";

static void opens_a_little(void **unused)
{
  (void)unused;
  subject s = ask_about(opens, NULL, NULL);
  put_quoted(s.report, "verdicts/acceleration_unique", "{'answer':'no'}");
  put_quoted(s.report, "verdicts/acceleration_unique/witness", opened);
  assert_int_equal(found_of(&s, "verdicts.acceleration_unique"), DLS_FOUND_HOLDS);
  // held by a force, however small, it is not open
  put_value(s.report, "verdicts/acceleration_unique/witness/other_u/c1", "1e-14");
  assert_int_equal(found_of(&s, "verdicts.acceleration_unique"), DLS_FOUND_FAILS);
  // nor does it close
  put_value(s.report, "verdicts/acceleration_unique/witness/other_u/c1", "0");
  put_value(s.report, "verdicts/acceleration_unique/witness/other/z", "-0.45640569395017794");
  assert_int_equal(found_of(&s, "verdicts.acceleration_unique"), DLS_FOUND_FAILS);
  close_subject(&s);
}

static void put_covering(json_t *report)
{
  static const char *const modes[] = {"stick",         "slide+",         "slide-",
                                      "stick pulling", "slide+ pulling", "slide- pulling"};
  json_t *leaves = json_array();
  for (int k = 0; k < 6; k++)
    json_array_append_new(leaves, json_pack("{s:{s:s, s:s}, s:s, s:{s:f, s:f}}", "modes", "c0",
                                            "closed", "c1", modes[k], "kind", "acceleration",
                                            "acceleration", "x", 0.0, "y", 0.0));
  json_object_set_new(report, "covering", leaves);
}

static void far_forces_join(void **unused)
{
  (void)unused;
  subject s = ask_about(apart, NULL, NULL);
  json_t *solutions = json_object_get(s.report, "solutions");
  assert_true(json_array_size(solutions) >= 1);
  while (json_array_size(solutions) > 1) json_array_remove(solutions, 1);
  put_covering(s.report);
  static const dls_found found[] = {DLS_FOUND_FAILS, DLS_FOUND_HOLDS, DLS_FOUND_UNPROVEN,
                                    DLS_FOUND_FAILS};
  static const char *const counts[] = {"0", "1", "2", "3"};
  for (int k = 0; k < 4; k++) {
    put_value(s.report, "solution_count", counts[k]);
    if (found_of(&s, "solution_count") != found[k]) fail_msg("%s solutions", counts[k]);
  }
  close_subject(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(opens_a_little),
                                     cmocka_unit_test(far_forces_join)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
