// Reports of problems made by hand, as JSON: keys and their order, nulls, digits.
#include "report_case.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void keys_in_order(void **state)
{
  (void)state;
  static const char *const keys[] = {"model",
                                     "title",
                                     "state",
                                     "time",
                                     "tolerance",
                                     "tolerance_velocity",
                                     "tolerance_relative",
                                     "parameters",
                                     "coordinates",
                                     "velocities",
                                     "q",
                                     "v",
                                     "contacts",
                                     "mass",
                                     "constraints",
                                     "delassus",
                                     "kinetic_angles",
                                     "solution_count",
                                     "solutions",
                                     "force_ranges",
                                     "verdicts",
                                     "delassus_unconstrained",
                                     "gauss",
                                     "reduced",
                                     "residual",
                                     "notes",
                                     "proven",
                                     "unproven"};
  json_t *o = json_of();
  size_t k = 0;
  for (void *i = json_object_iter(o); i; i = json_object_iter_next(o, i))
    assert_string_equal(json_object_iter_key(i), keys[k++]);
  assert_int_equal(k, sizeof keys / sizeof keys[0]);

  k = 0;
  json_t *verdicts = at(o, "verdicts");
  for (void *i = json_object_iter(verdicts); i; i = json_object_iter_next(verdicts, i))
    assert_string_equal(json_object_iter_key(i), dls_question_name((dls_question)k++));
  assert_int_equal(k, DLS_QUESTION_COUNT);
  json_decref(o);
}

static void digits_and_nulls(void **state)
{
  (void)state;
  f->q[1] = -0.0;
  f->v[0] = 1.0 / 3;
  f->v[1] = NAN;
  f->check.mass_condition = INFINITY;
  char *text = json_text();
  contains(text, "\"q\": [0.10000000000000001, 0.0]");
  contains(text, "\"v\": [0.33333333333333331, null]");
  contains(text, "\"state\": null");
  contains(text, "\"condition\": null,");
  contains(text, "\"condition_reason\": \"infinite");
  lacks(text, "nan");
  lacks(text, "inf,");
  assert_int_equal(text[strlen(text) - 1], '\n');
  dls_report_text_free(text);
}

static void matrices_and_reasons(void **state)
{
  (void)state;
  f->A_c[1 + 3 * 2] = 7;  // row 1, column 2
  json_t *o = json_of();
  assert_true(json_real_value(at(o, "delassus/matrix/1/2")) == 7);
  assert_true(json_real_value(at(o, "delassus/matrix/2/1")) == 0);
  assert_string_equal(string_at(o, "delassus/names/0"), "left");
  assert_string_equal(string_at(o, "kinetic_angles/names/0"), "rail");
  assert_int_equal(json_array_size(at(o, "kinetic_angles/radians")), 4);
  assert_null(json_object_get(at(o, "delassus"), "reason"));
  json_decref(o);

  f->check.A_c = f->check.W = f->check.kinetic_angles = NULL;
  f->check.A_c_reason = "M is singular where it matters";
  o = json_of();
  assert_true(json_is_null(at(o, "delassus/matrix")));
  assert_string_equal(string_at(o, "delassus/reason"), f->check.A_c_reason);
  assert_true(json_is_null(at(o, "kinetic_angles/radians")));
  assert_string_equal(string_at(o, "kinetic_angles/reason"), "not computed");
  json_decref(o);
}

static void solution_and_ranges(void **state)
{
  (void)state;
  json_t *o = json_of();
  assert_int_equal(json_integer_value(at(o, "solution_count")), 1);
  assert_string_equal(string_at(o, "solutions/0/continuum"), "forces");
  assert_string_equal(string_at(o, "solutions/0/forces/left/mode"), "frictionless");
  assert_string_equal(string_at(o, "solutions/0/forces/right/mode"), "detach");
  assert_int_equal(json_array_size(at(o, "solutions/0/forces/rail/tangential")), 0);
  assert_int_equal(json_array_size(at(o, "solutions/0/forces/left/tangential")), 1);
  assert_int_equal(json_array_size(at(o, "solutions/0/forces/middle/tangential")), 2);
  assert_true(json_is_null(at(o, "force_ranges/rail/normal/0")));
  assert_true(json_is_null(at(o, "force_ranges/rail/normal/1")));
  assert_true(json_real_value(at(o, "force_ranges/left/normal/1")) == 9.81);
  assert_int_equal(json_array_size(at(o, "force_ranges/middle/tangential")), 2);
  json_decref(o);

  // neither solution nor ranges
  f->check.solution = NULL;
  f->check.solutions = f->check.solution_count = 0;
  o = json_of();
  assert_true(json_is_integer(at(o, "solution_count")));
  assert_int_equal(json_integer_value(at(o, "solution_count")), 0);
  assert_int_equal(json_array_size(at(o, "solutions")), 0);
  assert_int_equal(json_object_size(at(o, "force_ranges")), 0);
  json_decref(o);
  f->check.solution_count = -1;
  o = json_of();
  assert_true(json_is_null(at(o, "solution_count")));
  json_decref(o);

  // ranges that were not asked for are left out
  f->check.solution = f->solution;
  f->check.solutions = 1;
  f->solution[0].low_b = f->solution[0].high_b = f->solution[0].low_u = f->solution[0].high_u =
      NULL;
  o = json_of();
  assert_int_equal(json_object_size(at(o, "force_ranges")), 0);
  json_decref(o);
}

static void definite_is_true_false_or_null(void **state)
{
  (void)state;
  static const dls_answer answers[] = {DLS_YES, DLS_NO, DLS_UNDECIDED};
  for (int i = 0; i < 3; i++) {
    f->check.verdict[DLS_MASS_DEFINITE].answer = answers[i];
    json_t *o = json_of();
    json_t *definite = at(o, "mass/definite");
    assert_true(i == 0   ? json_is_true(definite)
                : i == 1 ? json_is_false(definite)
                         : json_is_null(definite));
    json_decref(o);
  }
}

static void witnesses(void **state)
{
  (void)state;
  json_t *o = json_of();
  json_t *w = at(o, "verdicts/constraints_independent/witness");
  assert_string_equal(string_at(w, "shows"), "G_b lambda_b + G_u lambda_u = 0");
  assert_true(json_real_value(at(w, "lambda_u/left")) == -2);
  assert_true(json_real_value(at(w, "lambda_u/right")) == 0);
  assert_string_equal(string_at(w, "pivots/1"), "y");
  assert_true(json_is_null(at(o, "verdicts/constraints_independent/margin")));
  assert_true(json_is_null(at(o, "verdicts/mfcq/witness")));
  json_decref(o);

  // long vectors keep their nonzero entries
  use_sizes(MANY, 0, 0);
  f->check.verdict[DLS_MASS_DEFINITE].parts = 1;
  f->check.verdict[DLS_MASS_DEFINITE].part[0] =
      (dls_witness_part){"direction", DLS_INDEX_COORDINATES, MANY, f->direction, NULL};
  o = json_of();
  json_t *direction = at(o, "verdicts/mass_definite/witness/direction");
  assert_int_equal(json_object_size(direction), 1);
  assert_true(json_real_value(at(direction, "y")) == 1);
  json_decref(o);
}

static void impact_leaves_questions_out(void **state)
{
  (void)state;
  f->state.impact = f->state.friction = true;
  f->contacts[1].friction = 0.3;
  f->contacts[2].status = DLS_IMPACTING;
  f->contacts[2].normal_velocity = -1.5;
  f->check.solution = NULL;
  json_t *o = json_of();
  assert_int_equal(json_object_size(at(o, "verdicts")), 8);
  for (int q = DLS_ACCELERATION_EXISTS; q <= DLS_CAN_ALL_STICK; q++)
    assert_false(has(at(o, "verdicts"), dls_question_name((dls_question)q)));
  contains(string_at(o, "notes/0"), "contact middle hits, so velocities jump");
  assert_int_equal(json_array_size(at(o, "notes")), 1);
  json_decref(o);
  char *text = text_of(false);
  contains(text, "impacting at 1.5");
  dls_report_text_free(text);
}

static void notes_and_projection(void **state)
{
  (void)state;
  const char *const own[] = {"one", "two"};
  const dls_projection projection = {.moved_q = 0.25, .moved_v = 0.5, .iterations = 3};
  f->report.notes = 2;
  f->report.note = own;
  f->report.projection = &projection;
  json_t *o = json_of();
  assert_string_equal(string_at(o, "notes/1"), "two");
  assert_int_equal(json_integer_value(at(o, "projection/iterations")), 3);
  json_decref(o);
  char *text = text_of(false);
  contains(text, "moved by up to 0.25, velocities by up to 0.5");
  contains(text, "Note: two");
  dls_report_text_free(text);
}

static void names_may_be_missing_or_wild(void **state)
{
  (void)state;
  f->state.problem.coordinates = NULL;
  f->state.problem.unilateral = NULL;
  f->report.model = "caf\xe9\033[31m.dls";  // Latin-1 and a terminal sequence
  f->report.title = "a\nb\tc";
  json_t *o = json_of();
  assert_string_equal(string_at(o, "coordinates/1"), "q2");
  assert_string_equal(string_at(o, "delassus/names/2"), "right");
  contains(string_at(o, "model"), "caf\xef\xbf\xbd");
  json_decref(o);
  char *text = text_of(false);
  lacks(text, "\033");
  lacks(text, "\xe9");
  contains(text, "a?b c\n");
  dls_report_text_free(text);
}

static void empty_problem(void **state)
{
  (void)state;
  use_sizes(1, 0, 0);
  f->check.A_c = f->check.W = f->check.kinetic_angles = NULL;
  json_t *o = json_of();
  assert_int_equal(json_array_size(at(o, "delassus/matrix")), 0);
  assert_int_equal(json_array_size(at(o, "contacts")), 0);
  json_decref(o);
  char *text = text_of(false);
  contains(text, "\n  no contacts\n");
  dls_report_text_free(text);

  char *none = text;
  f->report.check = NULL;
  assert_int_equal(dls_report_json(&f->report, &none), DLS_ERR_ARGUMENT);
  assert_null(none);
  assert_int_equal(dls_report_text(&f->report, NULL, &none), DLS_ERR_ARGUMENT);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(keys_in_order),
      TEST(digits_and_nulls),
      TEST(matrices_and_reasons),
      TEST(solution_and_ranges),
      TEST(definite_is_true_false_or_null),
      TEST(witnesses),
      TEST(impact_leaves_questions_out),
      TEST(notes_and_projection),
      TEST(names_may_be_missing_or_wild),
      TEST(empty_problem),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
