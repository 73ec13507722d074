// The checker on time steps with friction at bilateral contacts: what check says of them holds, and
// no longer does once a leaf, a sign or a number is changed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"
#include "verify_case.h"

// A guide and a belt that runs: velocities for each sign of the guide.
static const char running[] = "coordinate x, y\n"
                              "kinetic (x'^2 + y'^2)/2\n"
                              "bilateral guide: y = 0 { slip x'; friction 1.5 }\n"
                              "unilateral stop: 3*x >= 0 { slip 2*x' - 2; friction 1.5 }\n";
// Two guides across each other, one of which runs: they jam from mu = sqrt(2) - 1 on.
static const char crossed[] = "parameter mu = 0.5\n"
                              "coordinate x, y\n"
                              "kinetic (x'^2 + y'^2)/2\n"
                              "bilateral one: y = 0 { slip x'; friction mu }\n"
                              "bilateral two: x + y = 0 { slip x' - y' + 1; friction mu }\n";
static const char resting[] = "coordinate x, y\n"
                              "kinetic (x'^2 + y'^2)/2\n"
                              "bilateral one: y = 0 { slip x'; friction 2 }\n"
                              "bilateral two: x + y = 0 { slip x' - y'; friction 2 }\n";

static const struct {
  const char *model, *sets, *answer, *finding;
} cases[] = {
    {running, NULL, "yes", "velocities in the dual cones"},
    {resting, NULL, "yes", "velocities in the dual cones"},
    {crossed, NULL, "no", "no velocity suffices"},
    {crossed, "mu=0.25", "yes", "no forces in the cones cancel"},
};

static void answers_hold(void **unused)
{
  (void)unused;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    at_case("k %zu", k);
    subject s = ask_about(cases[k].model, cases[k].sets, NULL);
    const json_t *verdict = json_object_get(json_object_get(s.report, "verdicts"), "step_solvable");
    assert_string_equal(json_string_value(json_object_get(verdict, "answer")), cases[k].answer);
    dls_verification *v = verify(&s);
    const dls_finding *f = find_claim(v, "verdicts.step_solvable");
    assert_non_null(f);
    assert_int_equal(f->found, DLS_FOUND_HOLDS);
    assert_non_null(strstr(f->proves, cases[k].finding));
    dls_verification_free(v);
    close_subject(&s);
  }
}

static const struct {
  const char *model, *sets, *path, *value, *finding;
} spoils[] = {
    {running, NULL, WITNESS("step_solvable") "/leaves/1", NULL, "one for each choice"},
    {running, NULL, WITNESS("step_solvable") "/leaves/0/velocity/x", "0", "not in the dual cones"},
    {running, NULL, WITNESS("step_solvable") "/leaves/0/velocity/y", "0", "not in the dual cones"},
    {running, NULL, WITNESS("step_solvable") "/leaves/0/modes", "{}", "not in the dual cones"},
    {running, NULL, WITNESS("step_solvable") "/leaves/0/modes/guide", "\"slide\"", "the sign"},
    {running, NULL, WITNESS("step_solvable") "/leaves/0/modes/guide", "\"stick pulling\"",
     "not in the dual cones"},
    {resting, NULL, WITNESS("step_solvable") "/leaves/0/velocity/x", "1", "not in the dual cones"},
    {resting, NULL, WITNESS("step_solvable") "/leaves", "[]", "one for each choice"},
    {crossed, "mu=0.25", WITNESS("step_solvable") "/leaves/3", NULL, "one for each choice"},
    {crossed, "mu=0.25", WITNESS("step_solvable") "/leaves/0/modes", "{}", "the sign"},
    {crossed, "mu=0.25", WITNESS("step_solvable") "/leaves/0/direction", "{\"x\": 1}", "strictly"},
    {crossed, NULL, WITNESS("step_solvable") "/tau/one", "[0]", "do not cancel"},
    {crossed, NULL, WITNESS("step_solvable") "/lambda_b", "{\"one\": 0, \"two\": 0}",
     "do not cancel"},
};

static void spoiled_claims_fail(void **unused)
{
  (void)unused;
  for (size_t k = 0; k < sizeof spoils / sizeof *spoils; k++) {
    at_case("k %zu", k);
    subject s = ask_about(spoils[k].model, spoils[k].sets, NULL);
    put_value(s.report, spoils[k].path, spoils[k].value);
    dls_verification *v = verify(&s);
    const dls_finding *f = find_claim(v, "verdicts.step_solvable");
    assert_non_null(f);
    if (f->found != DLS_FOUND_FAILS || !strstr(f->why, spoils[k].finding)) printf("%s\n", f->why);
    assert_int_equal(f->found, DLS_FOUND_FAILS);
    assert_non_null(strstr(f->why, spoils[k].finding));
    dls_verification_free(v);
    close_subject(&s);
  }
}

// All signs of forces that cancel turned round work with the motion, not against it.
static void the_other_sign_fails(void **unused)
{
  (void)unused;
  subject s = ask_about(crossed, NULL, NULL);
  json_t *witness = json_object_get(
      json_object_get(json_object_get(s.report, "verdicts"), "step_solvable"), "witness");
  json_t *lambda = json_object_get(witness, "lambda_b"), *tau = json_object_get(witness, "tau");
  const char *const names[] = {"one", "two"};
  for (size_t i = 0; i < 2; i++) {
    json_t *t = json_array_get(json_object_get(tau, names[i]), 0);
    json_real_set(json_object_get(lambda, names[i]),
                  -json_number_value(json_object_get(lambda, names[i])));
    json_real_set(t, -json_number_value(t));
  }
  assert_int_equal(found_of(&s, "verdicts.step_solvable"), DLS_FOUND_FAILS);
  close_subject(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(answers_hold),
                                     cmocka_unit_test(spoiled_claims_fail),
                                     cmocka_unit_test(the_other_sign_fails)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
