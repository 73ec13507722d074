// The checker of reports: the claims of check hold, also with other parameters, and what it prints.
#include "verify_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

// ---- all that check claims holds ---------------------------------------------------------------

static void holds_as_made(void **unused)
{
  (void)unused;
  const struct {
    const char *model, *sets, *at, *question, *answer, *proves;
  } cases[] = {
      {regular, NULL, NULL, "mass_definite", "yes", "positive definite"},
      {regular, NULL, NULL, "constraints_independent", "yes", "independent"},
      {regular, NULL, NULL, "constraints_compatible", "yes", "= 0"},
      {regular, NULL, NULL, "mfcq", "yes", ">="},
      {regular, NULL, NULL, "delassus_definite", "yes", "positive definite"},
      {regular, NULL, NULL, "acceleration_exists", "yes", "exact solution lies within"},
      {regular, NULL, NULL, "acceleration_unique", "yes", "positive definite"},
      {regular, NULL, NULL, "forces_unique", "yes", "independent"},
      {pushed, NULL, NULL, "mass_definite", "no", "without inertia"},
      {shelf, NULL, NULL, "constraints_independent", "no", "= 0"},
      {clash, NULL, NULL, "constraints_compatible", "no", "contradict"},
      {clash, NULL, NULL, "acceleration_exists", "no", "contradict"},
      {jaws, NULL, NULL, "mfcq", "no", "lambda_u >= 0"},
      {jaws, NULL, NULL, "acceleration_exists", "no", "contradict"},
      {jaws, NULL, NULL, "acceleration_unique", "no", "contradict"},
      {jaws, NULL, NULL, "forces_unique", "no", "contradict"},
      {shelf, NULL, NULL, "delassus_definite", "no", "A_c lambda_u = 0"},
      {pushed, NULL, NULL, "acceleration_exists", "no", "F^T direction < 0"},
      {pushed, NULL, NULL, "acceleration_unique", "no", "F^T direction < 0"},
      {linked, NULL, NULL, "acceleration_unique", "yes", "meet only in 0"},
      {pressed, NULL, NULL, "acceleration_unique", "yes", "held by contacts that press"},
      {adrift, NULL, NULL, "acceleration_unique", "no", "two accelerations"},
      {shelf, NULL, NULL, "forces_unique", "no", "two sets of forces"},
      {idle, NULL, NULL, "forces_unique", "yes", "strict MFCQ"},
      {ladder, NULL, "falling", "acceleration_exists", "yes", "exact solution"},
      {ladder, NULL, "falling", "acceleration_unique", "yes", "every combination of modes"},
      {ladder, NULL, "falling", "forces_unique", "yes", "every combination of modes"},
      {ladder, NULL, "falling", "unique_for_every_load", "yes", "2^2 determinants"},
      {ladder, "mu=1.5", "falling", "unique_for_every_load", "no", "opposite signs"},
      {ladder, NULL, NULL, "can_all_stick", "no", "every combination of signs"},
      {rod, "mu=2, g=-1", "left", "acceleration_unique", "no", "two accelerations"},
      {rod, "mu=2", "left", "acceleration_exists", "no", "every combination of modes"},
      {rod, "mu=2", "left", "unique_for_every_load", "no", "opposite signs"},
      {block, NULL, NULL, "can_all_stick", "yes", "hold all contacts"},
      {block, "X=6", NULL, "can_all_stick", "no", "every combination of signs"},
      {block, NULL, NULL, "forces_unique", "no", "two sets of forces"},
      {grasp, NULL, NULL, "form_closure", "no", "leaves the contacts"},
      {grasp, NULL, NULL, "force_closure", "yes", "strictly inside the cones"},
      {touch, NULL, NULL, "force_closure", "no", "resists"},
      {corner, NULL, NULL, "form_closure", "yes", "positive forces cancel"},
      {block, NULL, NULL, "step_solvable", "yes", "in the dual cones"},
      {belt, NULL, NULL, "step_solvable", "no", "no velocity suffices"},
      {spatial, "X=6", NULL, "acceleration_exists", "yes", "solves"},
      {spatial, NULL, NULL, "can_all_stick", "yes", "hold all contacts"},
      {spatial, "X=6", NULL, "can_all_stick", "no", "empty"},
      {spatial, NULL, "sliding", "acceleration_unique", "yes", "every combination"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    at_case("%s", cases[k].model);
    subject s = ask_about(cases[k].model, cases[k].sets, cases[k].at);
    dls_verification *v = verify(&s);
    char name[80];
    snprintf(name, sizeof name, "verdicts.%s", cases[k].question);
    const dls_finding *f = find_claim(v, name);
    if (!f) fail_msg("%zu: no %s", k, name);
    if (strcmp(f->answer, cases[k].answer) != 0) fail_msg("%zu: %s is %s", k, name, f->answer);
    if (f->found != DLS_FOUND_HOLDS || !strstr(f->proves, cases[k].proves))
      fail_msg("%zu: %s: %s%s", k, name, f->proves, f->why);
    for (int i = 0; i < v->findings; i++)
      if (v->finding[i].found == DLS_FOUND_FAILS)
        fail_msg("%zu: %s %s: %s", k, v->finding[i].group, v->finding[i].name, v->finding[i].why);
    assert_true(v->holds && !v->difference);
    dls_verification_free(v);
    close_subject(&s);
  }
}

static void impacts_come_first(void **unused)
{
  (void)unused;
  subject s = ask_about(shelf, NULL, "y' = -1");
  dls_verification *v = verify(&s);
  assert_true(v->holds && find_claim(v, "verdicts.mfcq") &&
              !find_claim(v, "verdicts.acceleration_exists"));
  dls_verification_free(v);
  subject rest = ask_about(shelf, NULL, NULL);
  json_t *verdicts = json_object_get(s.report, "verdicts");
  const char *const forged[] = {"acceleration_exists", "acceleration_unique", "forces_unique"};
  for (size_t k = 0; k < 3; k++)
    json_object_set(verdicts, forged[k],
                    json_object_get(json_object_get(rest.report, "verdicts"), forged[k]));
  json_object_set(s.report, "solutions", json_object_get(rest.report, "solutions"));
  v = verify(&s);
  for (size_t k = 0; k < 3; k++) {
    at_case("%s", forged[k]);
    char name[60];
    snprintf(name, sizeof name, "verdicts.%s", forged[k]);
    assert_non_null(strstr(find_claim(v, name)->why, "impacting"));
  }
  assert_non_null(strstr(find_claim(v, "solutions.1")->why, "impacting"));
  dls_verification_free(v);
  close_subject(&rest);
  close_subject(&s);
}

// ---- parameters --------------------------------------------------------------------------------

static void parameters_come_with_the_report(void **unused)
{
  (void)unused;
  subject s = ask_about(ladder, "mu=0.9", "falling");
  subject plain = open_model(ladder, NULL);
  plain.report = json_incref(s.report);
  dls_verification *v = verify(&plain);
  assert_non_null(v->difference);  // nobody told
  dls_verification_free(v);

  dls_saved_report *saved = save_report(s.report);
  dls_message message = {0};
  assert_string_equal(dls_saved_report_model(saved), "m.dls");
  assert_int_equal(dls_saved_report_set(saved, plain.system, &message), DLS_OK);
  assert_true(dls_system_parameter(plain.system, 0) == 0.9);
  assert_int_equal(dls_verify_run(saved, plain.model, plain.system, NULL, &v, &message), DLS_OK);
  assert_true(v->holds && v->parameters == 1);
  assert_string_equal(v->parameter[0].name, "mu");
  assert_true(v->parameter[0].value == 0.9 && v->parameter[0].of_model == 0.3);
  dls_verification_free(v);
  dls_saved_report_free(saved);
  close_subject(&plain);
  close_subject(&s);
}

// Parameters that follow others go on following when one is set afterwards.
static void parameters_follow(void **unused)
{
  (void)unused;
  const char text[] = "parameter a = 1, b = 2*a\ncoordinate x\nkinetic b*x'^2/2\n";
  subject s = ask_about(text, "a=3", NULL), plain = open_model(text, NULL);
  dls_saved_report *saved = save_report(s.report);
  assert_int_equal(dls_saved_report_set(saved, plain.system, NULL), DLS_OK);
  assert_true(dls_system_parameter(plain.system, 1) == 6);
  assert_int_equal(dls_model_set(plain.system, "a", "5", NULL), DLS_OK);
  assert_true(dls_system_parameter(plain.system, 1) == 10);
  assert_true(isnan(dls_system_parameter(plain.system, 2)));
  assert_true(isnan(dls_system_parameter(plain.system, -1)));
  assert_ptr_equal(dls_system_model(plain.system), plain.model);
  assert_null(dls_system_model(NULL));
  dls_saved_report_free(saved);
  close_subject(&plain);
  close_subject(&s);
}

// ---- what is printed ---------------------------------------------------------------------------

static void prints(void **unused)
{
  (void)unused;
  subject s = ask_about(ladder, "mu=0.9", "falling");
  put_value(s.report, WITNESS("mfcq") "/direction/x", "5");
  dls_verification *v = verify(&s);
  char *text;
  assert_int_equal(dls_verification_text(v, "r.json", "m.dls", false, &text), DLS_OK);
  assert_non_null(
      strstr(text, "Claims of r.json about m.dls\n  with mu = 0.9 (the model says 0.3)"));
  assert_non_null(strstr(text, "  mfcq                      yes        FAILS  G_b^T direction"));
  assert_non_null(strstr(text, "solution 1"));
  assert_non_null(strstr(text, ", 1 fail, "));
  dls_report_text_free(text);
  assert_int_equal(dls_verification_text(v, NULL, NULL, true, &text), DLS_OK);
  assert_non_null(strstr(text, "\033[31mFAILS\033[0m"));
  dls_report_text_free(text);

  assert_int_equal(dls_verification_json(v, "r.json", "m.dls", &text), DLS_OK);
  json_t *o = json_loads(text, 0, NULL);
  assert_non_null(o);
  assert_true(json_is_false(json_object_get(o, "holds")));
  assert_true(json_is_null(json_object_get(o, "difference")));
  assert_string_equal(json_string_value(json_object_get(o, "report")), "r.json");
  const json_t *verdicts = json_object_get(o, "verdicts");
  const json_t *mfcq = json_object_get(verdicts, "mfcq");
  assert_true(json_is_false(json_object_get(mfcq, "holds")));
  assert_true(json_number_value(json_object_get(mfcq, "residual")) > 1e-3);
  assert_true(json_number_value(json_object_get(mfcq, "limit")) == 1e-9);
  assert_non_null(strstr(json_string_value(json_object_get(mfcq, "why")), "limit 1e-09"));
  assert_true(
      json_is_true(json_object_get(json_object_get(verdicts, "acceleration_exists"), "holds")));
  assert_true(json_is_true(json_object_get(json_object_get(verdicts, "step_solvable"), "holds")));
  assert_int_equal(json_array_size(json_object_get(o, "solutions")), 1);
  assert_true(json_number_value(json_object_get(json_object_get(o, "parameters"), "mu")) == 0.9);
  json_decref(o);
  dls_report_text_free(text);
  dls_verification_free(v);
  close_subject(&s);
}

static void bad_calls(void **unused)
{
  (void)unused;
  dls_verification *v = (dls_verification *)1;
  dls_message message;
  char *text;
  assert_int_equal(dls_verify_run(NULL, NULL, NULL, NULL, &v, &message), DLS_ERR_ARGUMENT);
  assert_null(v);
  assert_int_equal(dls_verify_run(NULL, NULL, NULL, NULL, NULL, NULL), DLS_ERR_ARGUMENT);
  assert_int_equal(dls_verification_json(NULL, NULL, NULL, &text), DLS_ERR_ARGUMENT);
  assert_int_equal(dls_verification_text(NULL, NULL, NULL, false, &text), DLS_ERR_ARGUMENT);
  assert_int_equal(dls_saved_report_set(NULL, NULL, &message), DLS_ERR_ARGUMENT);
  dls_verification_free(NULL);
  dls_saved_report_free(NULL);
  assert_string_equal(dls_found_name(DLS_FOUND_NOTHING), "nothing to check");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(holds_as_made),
      cmocka_unit_test(impacts_come_first),
      cmocka_unit_test(parameters_come_with_the_report),
      cmocka_unit_test(parameters_follow),
      cmocka_unit_test(prints),
      cmocka_unit_test(bad_calls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
