// Forged proofs, each false by a single step that is easily left out of a check: sums of small
// violations, brackets that are too wide, bounds without a proof, what is infinite or attained.
#include "verify_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

// Two contacts hold a load of 1 with forces of 50. z has no mass and no load; a slip velocity
// without friction ties it to the others.
static const char toggle[] = "coordinate x, y, z, w\n"
                             "kinetic w'^2\n"
                             "force y = -1\n"
                             "unilateral a: x + 0.01*y >= 0 { slip z'; friction 0 }\n"
                             "unilateral b: -x + 0.01*y >= 0\n";

// What is imposed on a and b takes y'' = 100, and c opens. Two equal joints allow multipliers of
// any size; a slip velocity without friction ties them to the others.
static const char lever[] = "coordinate x, y, z\n"
                            "kinetic x'^2/2 + y'^2/2 + z'^2/2\n"
                            "bilateral a: x + 0.01*y - t^2/2 = 0\n"
                            "bilateral b: -x + 0.01*y - t^2/2 = 0\n"
                            "bilateral e: z = 0\n"
                            "bilateral f: z = 0\n"
                            "unilateral c: y >= 0 { slip z'; friction 0 }\n";

// Unique for every load up to friction 2.
static const char slide[] = "coordinate x, y, a\n"
                            "kinetic (x'^2 + y'^2)/2 + a'^2/6\n"
                            "force y = -1\n"
                            "unilateral tip: y - x >= 0 { slip x' + 2*a'; friction 0.1 }\n"
                            "state moving: x' = -1, y' = -1\n";

// Sticks without friction; with a third of its normal force; with any friction, between walls that
// press as much as it takes.
static const char vise[] = "coordinate x, y\n"
                           "kinetic (x'^2 + y'^2)/2\n"
                           "force y = -1\n"
                           "unilateral left: x + y/2 >= 0 { slip y'; friction 1 }\n"
                           "unilateral right: -x + y/2 >= 0 { slip y'; friction 1 }\n";
static const char hill[] = "coordinate x, y\n"
                           "kinetic (x'^2 + y'^2)/2\n"
                           "force x = 1, y = -3\n"
                           "unilateral floor: y >= 0 { slip x'; friction 1 }\n";
// The hill, and walls that may press as much as they like.
static const char pinched[] = "coordinate x, y, z\n"
                              "kinetic (x'^2 + y'^2 + z'^2)/2\n"
                              "force x = 1, y = -3\n"
                              "unilateral floor: y >= 0 { slip x'; friction 1 }\n"
                              "unilateral left: z >= 0\nunilateral right: -z >= 0\n";
static const char wedge[] = "coordinate x, y\n"
                            "kinetic (x'^2 + y'^2)/2\n"
                            "force y = -1\n"
                            "unilateral left: x >= 0 { slip y'; friction 1 }\n"
                            "unilateral right: -x >= 0 { slip y'; friction 1 }\n";

// a and b hold x and y, with nearly parallel gradients; only c has friction.
static const char nearly[] = "coordinate x, y, w, s\n"
                             "kinetic (x'^2 + y'^2 + w'^2 + s'^2)/2\n"
                             "force x = -1, w = -1\n"
                             "bilateral a: x = 0\n"
                             "bilateral b: x + y/10000 = 0\n"
                             "unilateral c: w >= 0 { slip s'; friction 0.5 }\n";

// What holds it pulls it down; z belongs to nothing.
static const char rail[] = "coordinate x, y, z\n"
                           "kinetic (x'^2 + y'^2 + z'^2)/2\n"
                           "bilateral rail: y = 0\n"
                           "unilateral left: x + y >= 0\n"
                           "unilateral right: y - x >= 0\n"
                           "object body: x, y\n";

// Between walls that come nearer to each other by rounding alone.
static const char walls[] =
    "coordinate x, y\n"
    "velocity x = 0.3, y = 1\n"
    "kinetic (x'^2 + y'^2)/2\n"
    "unilateral a: x - 0.30000000000000004*t >= 0 { slip y'; friction 0.1 }\n"
    "unilateral b: -x + 0.3*t >= 0\n";

static const dls_finding *claim(const subject *s, const char *name, dls_verification **v)
{
  *v = verify(s);
  const dls_finding *f = find_claim(*v, name);
  if (!f) fail_msg("nothing is called %s", name);
  return f;
}

static void expect(const subject *s, const char *name, dls_found found)
{
  dls_verification *v;
  const dls_finding *f = claim(s, name, &v);
  if (f->found != found)
    fail_msg("%s: %s (%s%s), expected: %s", name, dls_found_name(f->found), f->proves, f->why,
             dls_found_name(found));
  dls_verification_free(v);
}

// Each violation is below the tolerance; forces of 50 times the load make up for it all the same.
static void sums_of_violations(void **unused)
{
  (void)unused;
  subject s = ask_about(toggle, NULL, NULL);
  expect(&s, "verdicts.acceleration_exists", DLS_FOUND_HOLDS);
  put_value(s.report, "verdicts/acceleration_exists/answer", "\"no\"");
  put_value(s.report, "verdicts/acceleration_exists/witness",
            "{\"direction\": {\"y\": -5e-8, \"z\": 1}}");
  expect(&s, "verdicts.acceleration_exists", DLS_FOUND_FAILS);
  close_subject(&s);
}

// Likewise accelerations of 100 times what is imposed: at a contact that opens, and in equations.
static void sums_of_errors(void **unused)
{
  (void)unused;
  static const char *const forged[] = {
      "{\"lambda_b\": {\"a\": 2.5e-8, \"b\": 2.5e-8, \"e\": 1, \"f\": -1}, "
      "\"lambda_u\": {\"c\": -5e-10}}",
      "{\"lambda_b\": {\"a\": 2.5e-8, \"b\": 2.5e-8, \"e\": 1, \"f\": -1}, \"lambda_u\": {}}",
      "{\"lambda_b\": {\"a\": 1, \"b\": 1}, \"lambda_u\": {}}"};
  subject s = ask_about(lever, NULL, NULL);
  expect(&s, "verdicts.acceleration_exists", DLS_FOUND_HOLDS);
  put_value(s.report, "verdicts/acceleration_exists/answer", "\"no\"");
  for (size_t k = 0; k < sizeof forged / sizeof *forged; k++) {
    put_value(s.report, "verdicts/acceleration_exists/witness", forged[k]);
    expect(&s, "verdicts.acceleration_exists", DLS_FOUND_FAILS);
  }
  close_subject(&s);
}

// A second acceleration that moves what both contacts hold: by 1e-4 of itself, by less than the
// tolerance of all.
static void moves_what_is_held(void **unused)
{
  (void)unused;
  subject s = ask_about(nearly, NULL, NULL);
  expect(&s, "verdicts.acceleration_unique", DLS_FOUND_HOLDS);
  put_value(s.report, "verdicts/acceleration_unique/answer", "\"no\"");
  put_value(
      s.report, "verdicts/acceleration_unique/witness",
      "{\"acceleration\": {}, \"lambda_b\": {\"a\": 1}, \"lambda_u\": {\"c\": 1}, \"tau\": {}, "
      "\"other\": {\"y\": 1e-6}, \"other_b\": {\"a\": 0.99, \"b\": 0.01}, "
      "\"other_u\": {\"c\": 1}}");
  expect(&s, "verdicts.acceleration_unique", DLS_FOUND_FAILS);
  close_subject(&s);
}

// The forces cancel exactly, and their work is negative, but rounding beside what is imposed.
static void work_by_rounding(void **unused)
{
  (void)unused;
  subject s = ask_about(walls, NULL, NULL);
  put_value(s.report, "verdicts/step_solvable/answer", "\"no\"");
  put_value(s.report, "verdicts/step_solvable/witness",
            "{\"lambda_b\": {}, \"lambda_u\": {\"a\": 1, \"b\": 1}, \"tau\": {}}");
  expect(&s, "verdicts.step_solvable", DLS_FOUND_FAILS);
  close_subject(&s);
}

// A value anywhere between two bounds that are far apart.
static void wide_bracket(void **unused)
{
  (void)unused;
  subject s = ask_about(slide, NULL, "moving");
  json_t *critical = json_object_get(json_object_get(s.report, "friction"), "critical");
  assert_non_null(critical);
  const double value = json_number_value(json_object_get(critical, "value"));
  assert_true(value > 0.01);
  expect(&s, "friction.critical", DLS_FOUND_HOLDS);
  char text[40];
  snprintf(text, sizeof text, "%.17g", value / 2);
  put_value(s.report, "friction/critical/low", text);
  expect(&s, "friction.critical", DLS_FOUND_UNPROVEN);
  // bounds alone
  put_value(s.report, "friction/critical/value", "null");
  expect(&s, "friction.critical", DLS_FOUND_HOLDS);
  snprintf(text, sizeof text, "%.17g", value * 2);
  put_value(s.report, "friction/critical/low", text);
  expect(&s, "friction.critical", DLS_FOUND_FAILS);
  put_value(s.report, "friction/critical/low", NULL);
  expect(&s, "friction.critical", DLS_FOUND_HOLDS);
  snprintf(text, sizeof text, "%.17g", value * 0.9);
  put_value(s.report, "friction/critical/high", text);
  expect(&s, "friction.critical", DLS_FOUND_FAILS);
  // no limit at all
  put_value(s.report, "friction/critical/high", NULL);
  put_value(s.report, "friction/critical/reason", "\"infinite: no friction is too much\"");
  expect(&s, "friction.critical", DLS_FOUND_FAILS);
  put_value(s.report, "friction/sufficient/value", "null");
  put_value(s.report, "friction/sufficient/reason", "\"infinite: no friction is too much\"");
  expect(&s, "friction.sufficient", DLS_FOUND_FAILS);
  close_subject(&s);
}

#define LEAST "friction/least_for_sticking/"

// The value itself is enough or not: forces, or their absence, at a fraction.
static void attained(void **unused)
{
  (void)unused;
  static const struct {
    const char *model, *holds, *forged;
    double value;
  } cases[] = {{hill, "true", "false", 1.0 / 3},
               {pinched, "true", "false", 1.0 / 3},
               {vise, "true", "false", 0},
               {wedge, "false", "true", 0}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    subject s = ask_about(cases[k].model, NULL, NULL);
    const json_t *least =
        json_object_get(json_object_get(s.report, "friction"), "least_for_sticking");
    const double value = json_number_value(json_object_get(least, "value"));
    if (!(value >= cases[k].value - 1e-12 && value <= cases[k].value + 1e-12))
      fail_msg("case %zu: %.17g", k, value);
    expect(&s, "friction.least_for_sticking", DLS_FOUND_HOLDS);
    put_value(s.report, LEAST "attained", cases[k].holds);
    expect(&s, "friction.least_for_sticking.attained", DLS_FOUND_HOLDS);
    put_value(s.report, LEAST "attained", cases[k].forged);
    expect(&s, "friction.least_for_sticking.attained", DLS_FOUND_FAILS);
    put_value(s.report, LEAST "attained", "1");
    expect(&s, "friction.least_for_sticking.attained", DLS_FOUND_FAILS);
    put_value(s.report, LEAST "attained", "null");
    expect(&s, "friction.least_for_sticking.attained", DLS_FOUND_NOTHING);
    close_subject(&s);
  }
}

// Nothing is said of a value that is not shown to be the least.
static void attained_of_another(void **unused)
{
  (void)unused;
  subject s = ask_about(hill, NULL, NULL);
  put_value(s.report, LEAST "high_witness", NULL);
  expect(&s, "friction.least_for_sticking", DLS_FOUND_FAILS);
  expect(&s, "friction.least_for_sticking.attained", DLS_FOUND_UNPROVEN);
  close_subject(&s);
}

// An object's bilateral contacts pull, its unilateral ones do not.
static void held_by_a_rail(void **unused)
{
  (void)unused;
  subject s = ask_about(rail, NULL, NULL);
  expect(&s, "verdicts.form_closure", DLS_FOUND_HOLDS);
  put_value(s.report, "verdicts/form_closure/witness/lambda_b", "{\"rail\": 1}");
  put_value(s.report, "verdicts/form_closure/witness/lambda_u",
            "{\"left\": -0.5, \"right\": -0.5}");
  expect(&s, "verdicts.form_closure", DLS_FOUND_FAILS);
  close_subject(&s);
}

// Bounds without a value are claims; what has no proof says so, and may still be wrong.
static void bounds(void **unused)
{
  (void)unused;
  subject s = ask_about(hill, NULL, NULL);
  put_value(s.report, LEAST "value", "null");
  put_value(s.report, LEAST "reason", "\"not known\"");
  put_value(s.report, LEAST "attained", NULL);
  expect(&s, "friction.least_for_sticking", DLS_FOUND_HOLDS);
  put_value(s.report, LEAST "low", "0.34");
  expect(&s, "friction.least_for_sticking", DLS_FOUND_FAILS);
  put_value(s.report, LEAST "proven", "false");
  expect(&s, "friction.least_for_sticking", DLS_FOUND_FAILS);
  put_value(s.report, LEAST "low", "0.3");
  put_value(s.report, LEAST "low_witness", NULL);
  put_value(s.report, LEAST "high_witness", NULL);
  expect(&s, "friction.least_for_sticking", DLS_FOUND_HOLDS);
  put_value(s.report, LEAST "high", "0.32");
  expect(&s, "friction.least_for_sticking", DLS_FOUND_UNPROVEN);
  put_value(s.report, LEAST "proven", NULL);
  expect(&s, "friction.least_for_sticking", DLS_FOUND_FAILS);
  close_subject(&s);
}

// A rank that counts one row less: whichever it is.
static void ranks(void **unused)
{
  (void)unused;
  subject s = ask_about("coordinate x, y, z\nkinetic x'^2\nunilateral a: y >= 0\n", NULL, NULL);
  expect(&s, "mass", DLS_FOUND_HOLDS);
  put_value(s.report, "mass/rank", "0");
  expect(&s, "mass", DLS_FOUND_FAILS);
  put_value(s.report, "mass/rank", "2");
  expect(&s, "mass", DLS_FOUND_FAILS);
  close_subject(&s);
}

// A verdict that lacks a part.
static void incomplete(void **unused)
{
  (void)unused;
  static const char drop[] = "coordinate x, y\nkinetic (x'^2 + y'^2)/2\n"
                             "unilateral floor: y >= 0 { restitution 0.5 }\n"
                             "state falling: y' = -1\n";
  static const char *const parts[] = {"impact/newton/separates", "impact/newton/feasible/answer"};
  for (int k = 0; k < 2; k++) {
    subject s = ask_about(drop, NULL, "falling");
    expect(&s, "impact.newton", DLS_FOUND_HOLDS);
    put_value(s.report, parts[k], NULL);
    expect(&s, "impact.newton", DLS_FOUND_FAILS);
    close_subject(&s);
  }
}

// Contacts that are not the ones of the model, in a proof that has bilateral ones as well.
static void strangers(void **unused)
{
  (void)unused;
  static const char held[] = "coordinate x, y, z\nkinetic x'^2/2\nforce y = -1\n"
                             "bilateral rail: x = 0\nbilateral slot: z = 0\n"
                             "unilateral floor: y >= 0\n";
  subject s = ask_about(held, NULL, NULL);
  expect(&s, "verdicts.acceleration_unique", DLS_FOUND_HOLDS);
  const json_t *closed = json_object_get(
      json_object_get(json_object_get(json_object_get(s.report, "verdicts"), "acceleration_unique"),
                      "witness"),
      "closed");
  assert_int_equal(json_array_size(closed), 1);
  put_value(s.report, WITNESS("acceleration_unique") "/closed/0", "\"ceiling\"");
  expect(&s, "verdicts.acceleration_unique", DLS_FOUND_FAILS);
  close_subject(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(sums_of_violations),
                                     cmocka_unit_test(sums_of_errors),
                                     cmocka_unit_test(moves_what_is_held),
                                     cmocka_unit_test(work_by_rounding),
                                     cmocka_unit_test(wide_bracket),
                                     cmocka_unit_test(attained),
                                     cmocka_unit_test(attained_of_another),
                                     cmocka_unit_test(held_by_a_rail),
                                     cmocka_unit_test(bounds),
                                     cmocka_unit_test(ranks),
                                     cmocka_unit_test(incomplete),
                                     cmocka_unit_test(strangers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
