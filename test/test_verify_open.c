// What the checker leaves open, and what it must not: claims at the edge of rounding, claims
// without proof, nearly parallel contacts, keys that nothing reads.
#include "verify_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char squeezed[] = "coordinate x, y, z\n"
                               "kinetic 0.375/2*x'^2 + y'^2/2 + z'^2/16\n"
                               "force y = 1, z = 3\n"
                               "unilateral c0: x + y/2 + 1.5*z >= 0 { slip 3*z'; friction 0 }\n"
                               "unilateral c1: -(1 - 2^-20)*x - y/2 - 1.5*z >= 0"
                               " { slip 3*z' - t/2; friction 3 }\n";
// A proof that there is no acceleration, up to forces of some million times the load. There is one,
// with 3145725 and 3145728 at the contacts, and c1 sticks.
static const char proof[] =
    "[{'modes':{'c0':'detach','c1':'detach'},'kind':'empty','direction':{'x':0.2222220102"
    "9459634,'y':0.041666666666666664,'z':1.0},'alpha':{'c0':0.0,'c1':0.08333333333333333"
    "}},{'modes':{'c0':'detach','c1':'stick'},'kind':'empty','direction':{'x':-1.0,'y':-0"
    ".18750017881410486,'z':0.10416658435549866},'alpha':{'c0':0.0,'c1':-0.37500035762820"
    "97},'sigma':{'c0':[0.0],'c1':[-0.19184045316225065]}},{'modes':{'c0':'detach','c1':'"
    "slide+'},'kind':'empty','direction':{'x':-2.4905263828610034e-06,'y':9.8634614166867"
    "96e-09,'z':2.367230740001538e-07},'alpha':{'c0':0.9999999802730772,'c1':1.0}},{'mode"
    "s':{'c0':'detach','c1':'slide-'},'kind':'empty','direction':{'x':0.22222201029459637"
    ",'y':0.04166666666666667,'z':1.0},'alpha':{'c0':0.0,'c1':0.08333333333333334}},{'mod"
    "es':{'c0':'closed','c1':'detach'},'kind':'empty','direction':{'x':0.2222222222222222"
    ",'y':0.041666666666666664,'z':1.0},'alpha':{'c0':-0.08333333333333333,'c1':0.0}},{'m"
    "odes':{'c0':'closed','c1':'stick'},'kind':'empty','direction':{'x':-2.17982798031534"
    "52e-07,'y':4.359653841700366e-07,'z':0.0},'alpha':{'c0':0.9999991280692331,'c1':1.0}"
    ",'sigma':{'c0':[0.0],'c1':[4.3596538381090073e-07]}},{'modes':{'c0':'closed','c1':'s"
    "lide+'},'kind':'empty','direction':{'x':-2.1798266921521928e-07,'y':4.35965407725262"
    "93e-07,'z':0.0},'alpha':{'c0':0.9999991280691845,'c1':1.0},'sigma':{'c0':[0.0],'c1':"
    "[4.3596540868769136e-07]}},{'modes':{'c0':'closed','c1':'slide-'},'kind':'empty','di"
    "rection':{'x':-2.218907572833698e-06,'y':6.079198829680184e-08,'z':1.459007719123531"
    "6e-06},'alpha':{'c0':0.9999998784160236,'c1':1.0}}]";

static const char twin[] = "coordinate x, y, z\n"
                           "kinetic x'^2 + y'^2/2 + 0.375/2*z'^2\n"
                           "force x = -1, y = 0.5, z = -1\n"
                           "bilateral c0: 2*y - z = 0 { slip -z'/2; friction 3 }\n"
                           "bilateral c1: -2*y + (1 + 2^-26)*z = 0 { slip -z'/2; friction 2 }\n"
                           "unilateral c2: -x - y + z/2 >= 0 { slip -z'/2; friction 0 }\n"
                           "unilateral c3: x + y - (0.5 - 2^-21)*z >= 0"
                           " { slip -z'/2 - 2*t; friction 3 }\n";
// Two accelerations 1e-8 apart, with residuals of 1e-15: one of them is none.
static const char two[] =
    "{'shows':'','acceleration':{'x':0.0,'y':0.0,'z':0.0},'lambda_b':{'c0':0.877777610537"
    "0816,'c1':1.6277776105370794},'lambda_u':{'c2':0.0,'c3':0.9999999999999989},'tau':{'"
    "c0':[-1.9666661649445774],'c1':[-2.5333328328695592],'c2':[0.0],'c3':[2.999999999999"
    "9964]},'other':{'x':0.0,'y':-7.971401427830926e-09,'z':-1.5942801745438828e-08},'oth"
    "er_b':{'c0':0.5999997956385363,'c1':1.3499997996242439},'other_u':{'c2':0.0,'c3':1.0"
    "00000000000015},'other_tau':{'c0':[-1.799999386915609],'c1':[-2.6999995992484878],'c"
    "2':[0.0],'c3':[3.0000000000000453]}}";

static const char many[] =
    "coordinate x, y, a\n"
    "kinetic x'^2 + y'^2 + 2*a'^2\n"
    "force y = -4\n"
    "bilateral c0: x + a = 0 { slip -y'; friction 2 }\n"
    "unilateral c1: y - 2*a >= 0 { slip x' - a'/2; friction 0.5 }\n"
    "unilateral c2: -x - a/2 >= 0 { slip y' + 2*a'; friction 2 }\n"
    "bilateral c3: 3*x + 4*y + 3*a = 0 { slip 4*x' - 3*y' + 4*a'; friction 0.5 }\n";
static const char nearly[] =
    "coordinate x, y, z\n"
    "kinetic 1.5*x'^2 + y'^2 + z'^2\n"
    "force z = 0.5\n"
    "bilateral c0: -x/2 + y + 1.5*z = 0\n"
    "bilateral c1: -x/2 + y + (1.5 + 2^-21)*z = 0 { slip -z'; friction 0.75 }\n"
    "unilateral c2: 2*y - z/2 >= 0\n";
static const char wall[] = "coordinate x, y\n"
                           "kinetic 3/16*x'^2 + y'^2/16\n"
                           "force x = 3, y = 0.5\n"
                           "bilateral c0: -3*y + t^2 = 0\n"
                           "unilateral c1: 3*y >= 0 { slip -3*x' + 2*y'; friction 2 }\n";

// What a proof excludes up to some size only is looked at.
static void large_forces(void **unused)
{
  (void)unused;
  subject s = ask_about(squeezed, NULL, NULL);
  put_value(s.report, "verdicts/acceleration_exists", "{}");
  put_value(s.report, "verdicts/acceleration_exists/answer", "\"no\"");
  put_value(s.report, "verdicts/acceleration_exists/witness", "{}");
  put_quoted(s.report, "verdicts/acceleration_exists/witness/leaves", proof);
  assert_int_equal(found_of(&s, "verdicts.acceleration_exists"), DLS_FOUND_FAILS);
  close_subject(&s);
}

static void small_differences(void **unused)
{
  (void)unused;
  subject s = ask_about(twin, NULL, NULL);
  put_value(s.report, "verdicts/acceleration_unique/answer", "\"no\"");
  put_quoted(s.report, "verdicts/acceleration_unique/witness", two);
  assert_int_equal(found_of(&s, "verdicts.acceleration_unique"), DLS_FOUND_FAILS);
  close_subject(&s);
}

// Hundreds of cases hold solutions, most of them twice or not at all.
static void many_cases(void **unused)
{
  (void)unused;
  subject s = ask_about(many, NULL, NULL);
  assert_int_equal(found_of(&s, "solution_count"), DLS_FOUND_HOLDS);
  put_value(s.report, "solution_count", "2");
  assert_int_equal(found_of(&s, "solution_count"), DLS_FOUND_FAILS);
  close_subject(&s);
}

// How far the forces of two nearly parallel joints may go is not proven.
static void open_end(void **unused)
{
  (void)unused;
  subject s = ask_about(nearly, NULL, NULL);
  dls_verification *v = verify(&s);
  assert_true(v->holds);
  assert_int_equal(find_claim(v, "force_ranges.c1")->found, DLS_FOUND_UNPROVEN);
  dls_verification_free(v);
  put_value(s.report, "force_ranges/c1/normal", "[1e30, null]");
  assert_int_equal(found_of(&s, "force_ranges.c1"), DLS_FOUND_FAILS);
  close_subject(&s);
}

// Enclosures next to the margin, and matrices of nearly dependent constraints.
static void nearly_dependent(void **unused)
{
  (void)unused;
  subject s = ask_about(nearly, NULL, NULL);
  assert_int_equal(found_of(&s, "verdicts.delassus_definite"), DLS_FOUND_HOLDS);
  assert_int_equal(found_of(&s, "delassus"), DLS_FOUND_HOLDS);
  close_subject(&s);
}

// A report cannot hide a number by saying that it has no proof.
static void without_proof(void **unused)
{
  (void)unused;
  subject s = ask_about(wall, NULL, NULL);
  dls_verification *v = verify(&s);
  const int proven = v->proven;
  assert_true(v->holds);
  dls_verification_free(v);
  put_value(s.report, "friction/least_for_sticking",
            "{\"value\": 0, \"low\": 0, \"high\": 1e-10, \"proven\": false}");
  assert_int_equal(found_of(&s, "friction.least_for_sticking"), DLS_FOUND_FAILS);
  put_value(s.report, "friction/least_for_sticking",
            "{\"value\": 5, \"low\": 5, \"high\": 5, \"proven\": false}");
  v = verify(&s);
  assert_int_equal(find_claim(v, "friction.least_for_sticking")->found, DLS_FOUND_UNPROVEN);
  assert_true(v->proven <= proven && v->unproven >= 3);
  dls_verification_free(v);
  close_subject(&s);
}

// Nor by leaving out the verdict that contradicts it.
static void without_verdict(void **unused)
{
  (void)unused;
  subject s = ask_about(regular, NULL, NULL);
  put_value(s.report, "verdicts/forces_unique", NULL);
  assert_int_equal(found_of(&s, "continuum.1"), DLS_FOUND_HOLDS);
  put_value(s.report, "solutions/0/continuum", "\"forces\"");
  assert_int_equal(found_of(&s, "continuum.1"), DLS_FOUND_FAILS);
  close_subject(&s);
}

// What no check reads is no proven number, wherever it stands.
static void foreign_keys(void **unused)
{
  (void)unused;
  const char *const paths[] = {"mass/determinant", "friction/critical_too",
                               "verdicts/mfcq/certainty", "solutions/0/forces/left/work"};
  subject s = ask_about(block, NULL, NULL);
  dls_verification *v = verify(&s);
  const int proven = v->proven, unproven = v->unproven;
  dls_verification_free(v);
  for (size_t k = 0; k < sizeof paths / sizeof *paths; k++) put_value(s.report, paths[k], "7.5");
  v = verify(&s);
  assert_int_equal(v->proven, proven);
  assert_int_equal(v->unproven, unproven + 4);
  int listed = 0;
  for (int k = 0; k < v->findings; k++)
    listed += strcmp(v->finding[k].group, "unproven") == 0 && strstr(v->finding[k].why, "know");
  assert_int_equal(listed, 4);
  char *text = NULL;
  assert_int_equal(dls_verification_json(v, NULL, NULL, &text), DLS_OK);
  assert_non_null(strstr(text, "mass.determinant"));
  dls_report_text_free(text);
  dls_verification_free(v);
  close_subject(&s);
}

// Two walls press with a hundred million times the load: rounding of that is no error of the
// balance.
static void squeezed_between_walls(void **unused)
{
  (void)unused;
  static const char walls[] = "coordinate x, y\n"
                              "kinetic (x'^2 + y'^2)/2\n"
                              "force y = -1\n"
                              "unilateral left:  x >= 0    { slip y'; friction 1e-8 }\n"
                              "unilateral right: -x/3 >= 0 { slip y'; friction 1e-8 }\n";
  subject s = ask_about(walls, NULL, NULL);
  put_quoted(s.report, "verdicts/can_all_stick",
             "{'answer': 'yes', 'witness': {'acceleration': {}, 'lambda_u': {'left': 100000000.1, "
             "'right': 300000000.3}, 'tau': {'left': [0.3], 'right': [0.7]}}}");
  assert_int_equal(found_of(&s, "verdicts.can_all_stick"), DLS_FOUND_HOLDS);
  put_value(s.report, "verdicts/can_all_stick/witness/lambda_u/left", "100000000.2");
  assert_int_equal(found_of(&s, "verdicts.can_all_stick"), DLS_FOUND_FAILS);
  close_subject(&s);
}

// What is left open is only what is: condition numbers are enclosed, from both sides.
static void condition_number(void **unused)
{
  (void)unused;
  static const char *const wrong[] = {"15.99999", "16.00001"};
  static const char masses[] = "coordinate x, y\nkinetic x'^2 + y'^2/16\n";
  subject s = ask_about(masses, NULL, NULL);
  assert_int_equal(found_of(&s, "mass"), DLS_FOUND_HOLDS);
  for (int k = 0; k < 2; k++) {
    put_value(s.report, "mass/condition", wrong[k]);
    assert_int_equal(found_of(&s, "mass"), DLS_FOUND_FAILS);
  }
  close_subject(&s);
}

// A leaf that is left out is named by its modes.
static void names_what_is_missing(void **unused)
{
  (void)unused;
  subject s = ask_about(block, NULL, NULL);
  json_t *witness = json_object_get(
      json_object_get(json_object_get(s.report, "verdicts"), "acceleration_unique"), "witness");
  json_t *leaves = json_object_get(witness, "leaves");
  assert_true(json_array_size(leaves) > 1);
  json_t *modes = json_object_get(json_array_get(leaves, json_array_size(leaves) - 1), "modes");
  const char *contact = json_object_iter_key(json_object_iter(modes));
  char text[80];
  snprintf(text, sizeof text, "%.40s %.20s", contact,
           json_string_value(json_object_get(modes, contact)));
  json_array_remove(leaves, json_array_size(leaves) - 1);
  dls_verification *v = verify(&s);
  assert_non_null(strstr(find_claim(v, "verdicts.acceleration_unique")->why, text));
  dls_verification_free(v);
  close_subject(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(large_forces),
                                     cmocka_unit_test(small_differences),
                                     cmocka_unit_test(many_cases),
                                     cmocka_unit_test(open_end),
                                     cmocka_unit_test(nearly_dependent),
                                     cmocka_unit_test(without_proof),
                                     cmocka_unit_test(without_verdict),
                                     cmocka_unit_test(foreign_keys),
                                     cmocka_unit_test(squeezed_between_walls),
                                     cmocka_unit_test(condition_number),
                                     cmocka_unit_test(names_what_is_missing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
