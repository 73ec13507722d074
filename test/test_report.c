// Reports of problems made by hand: keys and their order, nulls, digits, and one screen of text.
#include <delassus/report.h>

#include "io/text.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MANY = 60 };

// A block on three legs and a joint, with room for every other case.
typedef struct fixture {
  double q[MANY], v[MANY], z[MANY], eigenvalues[MANY];
  const char *coordinates[MANY], *bilateral[MANY], *unilateral[MANY];
  dls_contact contacts[MANY];
  int bilateral_contact[MANY], unilateral_contact[MANY];
  double lambda_b[MANY], lambda_u[MANY], a_u[MANY];
  double low_b[MANY], high_b[MANY], low_u[MANY], high_u[MANY];
  double singular[MANY], A_c[MANY * MANY], W[MANY * MANY], angles[MANY * MANY];
  double cancel_b[MANY], cancel_u[MANY], direction[MANY];
  int pivots[2];
  char names[MANY][16];
  dls_solution solution;
  dls_contact_state state;
  dls_check check;
  dls_report report;
} fixture;

static void use_sizes(fixture *f, int n, int m_b, int m_u)
{
  f->state.n = f->check.mass_rank = n;
  f->state.m = m_b + m_u;
  f->state.problem = (dls_problem){.n = n,
                                   .m_b = m_b,
                                   .m_u = m_u,
                                   .coordinates = f->coordinates,
                                   .bilateral = f->bilateral,
                                   .unilateral = f->unilateral};
  f->check.problem = f->state.problem;
  f->check.constraint_rank = m_b + 1;
  f->check.constraint_singular_count = n < m_b + m_u ? n : m_b + m_u;
}

static void fill(fixture *f)
{
  *f = (fixture){0};
  for (int i = 0; i < MANY; i++) {
    snprintf(f->names[i], sizeof f->names[i], "c%d", i);
    f->coordinates[i] = f->names[i];
    f->bilateral[i] = f->unilateral[i] = f->names[i];
    f->contacts[i] =
        (dls_contact){.name = f->names[i], .kind = DLS_UNILATERAL, .status = DLS_STICKING};
    f->unilateral_contact[i] = i + 1;
    f->high_u[i] = 9.81;
    f->eigenvalues[i] = 1;
  }
  f->coordinates[0] = "x", f->coordinates[1] = "y";
  f->bilateral[0] = f->contacts[0].name = "rail";
  f->contacts[0].kind = DLS_BILATERAL;
  f->unilateral[0] = f->contacts[1].name = "left";
  f->unilateral[1] = f->contacts[2].name = "middle";
  f->unilateral[2] = f->contacts[3].name = "right";
  f->contacts[1].slips = 1;
  f->contacts[2].slips = 2;
  f->q[0] = 0.1;
  f->lambda_u[0] = f->lambda_u[1] = 4.905;
  f->a_u[2] = 2;
  f->low_b[0] = -INFINITY, f->high_b[0] = INFINITY;
  f->high_u[2] = 0;
  f->cancel_u[0] = -2, f->cancel_u[1] = 2;
  f->direction[1] = 1;
  f->pivots[1] = 1;
  f->solution = (dls_solution){.acceleration = f->z,
                               .lambda_b = f->lambda_b,
                               .lambda_u = f->lambda_u,
                               .a_u = f->a_u,
                               .low_b = f->low_b,
                               .high_b = f->high_b,
                               .low_u = f->low_u,
                               .high_u = f->high_u,
                               .residual = 1e-16,
                               .gauss_primal = -1,
                               .gauss_dual = 1};
  f->state.q = f->q, f->state.v = f->v, f->state.contacts = f->contacts;
  f->state.bilateral_contact = f->bilateral_contact;
  f->state.unilateral_contact = f->unilateral_contact;
  f->state.tolerance = f->check.tolerance = 1e-9;
  f->check.mass_condition = 1;
  f->check.mass_eigenvalues = f->eigenvalues;
  f->check.constraint_singular = f->singular;
  f->check.A_c = f->A_c, f->check.W = f->W, f->check.kinetic_angles = f->angles;
  f->check.solution = &f->solution;
  for (int q = 0; q < DLS_QUESTION_COUNT; q++)
    f->check.verdict[q] = (dls_verdict){.answer = DLS_YES, .margin = 0.5, .by = "a theorem"};
  f->check.verdict[DLS_CONSTRAINTS_INDEPENDENT] =
      (dls_verdict){.answer = DLS_NO,
                    .margin = NAN,
                    .by = "singular values",
                    .shows = "G_b lambda_b + G_u lambda_u = 0",
                    .parts = 3,
                    .part = {{"lambda_b", DLS_OVER_BILATERAL, 1, f->cancel_b, NULL},
                             {"lambda_u", DLS_OVER_UNILATERAL, 3, f->cancel_u, NULL},
                             {"pivots", DLS_OVER_COORDINATES, 2, NULL, f->pivots}}};
  f->check.verdict[DLS_FORCES_UNIQUE].answer = DLS_NO;
  f->report = (dls_report){.model = "legs.dls",
                           .title = "Block on three legs",
                           .contact_state = &f->state,
                           .check = &f->check};
  use_sizes(f, 2, 1, 3);
}

static fixture *f;

static int set_up(void **state)
{
  (void)state;
  f = calloc(1, sizeof *f);
  if (f) fill(f);
  return f ? 0 : -1;
}

static int tear_down(void **state)
{
  (void)state;
  free(f);
  return 0;
}

static char *text_of(bool colour)
{
  char *text;
  const dls_report_options options = {.colour = colour};
  assert_int_equal(dls_report_text(&f->report, &options, &text), DLS_OK);
  return text;
}

static char *json_text(void)
{
  char *text;
  assert_int_equal(dls_report_json(&f->report, &text), DLS_OK);
  return text;
}

static json_t *json_of(void)
{
  char *text = json_text();
  json_t *value = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
  assert_non_null(value);
  dls_report_text_free(text);
  return value;
}

// The value at a path such as "solutions/0/forces"; fails when there is none.
static json_t *at(json_t *value, const char *path)
{
  char copy[200], *rest = copy;
  snprintf(copy, sizeof copy, "%s", path);
  for (char *key; value && (key = strtok_r(rest, "/", &rest));)
    value = json_is_array(value) ? json_array_get(value, (size_t)atoi(key))
                                 : json_object_get(value, key);
  if (!value) fail_msg("no %s", path);
  return value;
}

static const char *string_at(json_t *value, const char *path)
{
  const char *string = json_string_value(at(value, path));
  if (!string) fail_msg("%s is no string", path);
  return string;
}

static void contains(const char *text, const char *part)
{
  if (!strstr(text, part)) fail_msg("no \"%s\" in:\n%s", part, text);
}

static void lacks(const char *text, const char *part)
{
  if (strstr(text, part)) fail_msg("\"%s\" in:\n%s", part, text);
}

// At most 100 characters wide; returns the number of lines.
static int measure(const char *text)
{
  int lines = 0;
  for (const char *line = text; *line; lines++) {
    const size_t length = strcspn(line, "\n");
    char copy[2000];
    assert_true(length < sizeof copy);
    memcpy(copy, line, length);
    copy[length] = 0;
    if (dls_text_width(copy) > 100) fail_msg("%d columns: %s", dls_text_width(copy), copy);
    line += length + 1;
  }
  return lines;
}

// ---- JSON --------------------------------------------------------------------------------------

static void keys_in_order(void **state)
{
  (void)state;
  static const char *const keys[] = {"model",
                                     "title",
                                     "state",
                                     "time",
                                     "tolerance",
                                     "coordinates",
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
                                     "notes"};
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
  contains(text, "\"condition\": null, \"condition_reason\": \"infinite");
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
  f->check.verdict[DLS_ACCELERATION_EXISTS].answer = DLS_NO;
  o = json_of();
  assert_true(json_is_integer(at(o, "solution_count")));
  assert_int_equal(json_integer_value(at(o, "solution_count")), 0);
  assert_int_equal(json_array_size(at(o, "solutions")), 0);
  assert_int_equal(json_object_size(at(o, "force_ranges")), 0);
  json_decref(o);
  f->check.verdict[DLS_ACCELERATION_EXISTS].answer = DLS_UNDECIDED;
  o = json_of();
  assert_true(json_is_null(at(o, "solution_count")));
  json_decref(o);

  // ranges that were not asked for are left out
  f->check.solution = &f->solution;
  f->solution.low_b = f->solution.high_b = f->solution.low_u = f->solution.high_u = NULL;
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
  use_sizes(f, MANY, 0, 0);
  f->check.verdict[DLS_MASS_DEFINITE].parts = 1;
  f->check.verdict[DLS_MASS_DEFINITE].part[0] =
      (dls_witness_part){"direction", DLS_OVER_COORDINATES, MANY, f->direction, NULL};
  o = json_of();
  json_t *direction = at(o, "verdicts/mass_definite/witness/direction");
  assert_int_equal(json_object_size(direction), 1);
  assert_true(json_real_value(at(direction, "y")) == 1);
  json_decref(o);
}

static void friction_is_undecided(void **state)
{
  (void)state;
  f->state.friction = true;
  f->contacts[1].friction = 0.3;
  f->check.solution = NULL;
  for (int q = DLS_ACCELERATION_EXISTS; q <= DLS_FORCES_UNIQUE; q++)
    f->check.verdict[q] = (dls_verdict){.answer = DLS_NOT_ASKED};
  json_t *o = json_of();
  assert_string_equal(string_at(o, "verdicts/forces_unique/answer"), "undecided");
  contains(string_at(o, "verdicts/acceleration_exists/by"), "contact left has friction");
  contains(string_at(o, "notes/0"), "contact left has friction");
  assert_true(json_is_null(at(o, "solution_count")));
  json_decref(o);
  char *text = text_of(false);
  contains(text, "friction 0.3");
  contains(text, "?    not decided with friction");
  dls_report_text_free(text);
}

static void impact_leaves_questions_out(void **state)
{
  (void)state;
  f->state.impact = f->state.friction = true;
  f->contacts[1].friction = 0.3;
  f->contacts[2].status = DLS_IMPACTING;
  f->contacts[2].normal_velocity = -1.5;
  f->check.solution = NULL;
  for (int q = DLS_ACCELERATION_EXISTS; q <= DLS_FORCES_UNIQUE; q++)
    f->check.verdict[q] = (dls_verdict){.answer = DLS_NOT_ASKED};
  json_t *o = json_of();
  assert_int_equal(json_object_size(at(o, "verdicts")), 5);
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
  use_sizes(f, 1, 0, 0);
  f->check.A_c = f->check.W = f->check.kinetic_angles = NULL;
  json_t *o = json_of();
  assert_int_equal(json_array_size(at(o, "delassus/matrix")), 0);
  assert_int_equal(json_array_size(at(o, "contacts")), 0);
  json_decref(o);
  char *text = text_of(false);
  contains(text, "Contacts\n  none\n");
  dls_report_text_free(text);

  char *none = text;
  f->report.check = NULL;
  assert_int_equal(dls_report_json(&f->report, &none), DLS_ERR_ARGUMENT);
  assert_null(none);
  assert_int_equal(dls_report_text(&f->report, NULL, &none), DLS_ERR_ARGUMENT);
}

// ---- text --------------------------------------------------------------------------------------

static void says_it_in_words(void **state)
{
  (void)state;
  f->contacts[3].status = DLS_OPEN;
  f->contacts[3].gap = 0.12;
  char *text = text_of(false);
  contains(text, "rank 2 of 4: left − middle = 0 (these forces cancel)");
  contains(text, "0 … 9.81 (not determined; shown: least norm)");
  contains(text, "-∞ … ∞");
  contains(text, "lifts off, normal acceleration 2");
  contains(text, "open, gap 0.12");
  contains(text, "3 of 4 not determined");
  lacks(text, "\033");
  assert_true(measure(text) <= 40);
  dls_report_text_free(text);

  text = text_of(true);
  contains(text, "\033[32myes\033[0m");
  contains(text, "\033[31mno \033[0m");
  dls_report_text_free(text);
}

// Units must not matter: what the check decided is taken as it is.
static void small_numbers_count(void **state)
{
  (void)state;
  for (int i = 0; i < 3; i++) f->high_u[i] *= 1e-20, f->lambda_u[i] *= 1e-20, f->a_u[i] *= 1e-20;
  char *text = text_of(false);
  contains(text, "0 … 9.81e-20 (not determined; shown: least norm)");
  contains(text, "lifts off, normal acceleration 2e-20");
  contains(text, "3 of 4 not determined");
  dls_report_text_free(text);
  json_t *o = json_of();
  assert_string_equal(string_at(o, "solutions/0/forces/right/mode"), "detach");
  assert_string_equal(string_at(o, "solutions/0/forces/left/mode"), "frictionless");
  json_decref(o);

  // nor must large ones hide a difference
  f->low_u[0] = 1e20, f->high_u[0] = 1e20 * (1 + 1e-12);
  text = text_of(false);
  contains(text, "1e+20 … 1e+20 (not determined");
  dls_report_text_free(text);
}

static void sums_of_forces(void **state)
{
  (void)state;
  // small coefficients are as real as others
  f->cancel_u[1] = 1e-12;
  char *text = text_of(false);
  contains(text, "rank 2 of 4: left − 5e-13 middle = 0 (these forces cancel)");
  dls_report_text_free(text);

  f->cancel_u[1] = 0;
  text = text_of(false);
  contains(text, "rank 2 of 4: left has no gradient here: its force does");
  dls_report_text_free(text);

  use_sizes(f, 2, 1, 20);
  for (int i = 0; i < 20; i++) f->cancel_u[i] = i - 10;
  f->check.verdict[DLS_CONSTRAINTS_INDEPENDENT].part[1].count = 20;
  text = text_of(false);
  contains(text, "rank 2 of 21: a combination of 19 (in --json) = 0");
  dls_report_text_free(text);
}

static void order_of_forces(void **state)
{
  (void)state;
  f->bilateral_contact[0] = 1;  // left, rail, middle, right
  f->unilateral_contact[0] = 0;
  char *text = text_of(false);
  contains(text,
           "\n  left     4.905          0 … 9.81 (not determined; shown: least norm)\n  rail ");
  contains(text, "-∞ … ∞ (not determined; shown: least norm)\n  middle ");
  dls_report_text_free(text);
}

static void undecided_answers(void **state)
{
  (void)state;
  f->check.verdict[DLS_MASS_DEFINITE] =
      (dls_verdict){.answer = DLS_UNDECIDED, .margin = 1e-10, .by = "eigenvalues of M"};
  f->check.verdict[DLS_ACCELERATION_UNIQUE] =
      (dls_verdict){.answer = DLS_UNDECIDED, .margin = NAN, .by = "existence is undecided"};
  char *text = text_of(false);
  contains(text, "?    not decided: eigenvalues of M\n");
  contains(text, "?    not decided: existence is undecided\n");
  dls_report_text_free(text);
}

// A state may hold numbers of very different size, in different units.
static void small_values_are_shown(void **state)
{
  (void)state;
  f->q[0] = 1e8, f->q[1] = 1e-8;
  f->z[0] = 1e8, f->z[1] = 1e-8;
  f->A_c[0] = 1e10, f->A_c[4] = 1e-10, f->A_c[3] = f->A_c[1] = 0.5;
  char *text = text_of(false);
  contains(text, "x = 1e+08, y = 1e-08");
  contains(text, "x'' = 1e+08, y'' = 1e-08");
  contains(text, "0.5        1e-10");
  dls_report_text_free(text);
}

static void massless_motions(void **state)
{
  (void)state;
  f->check.mass_rank = 0;
  f->check.verdict[DLS_MASS_DEFINITE] =
      (dls_verdict){.answer = DLS_NO,
                    .parts = 1,
                    .part = {{"direction", DLS_OVER_COORDINATES, 2, f->direction, NULL}}};
  char *text = text_of(false);
  contains(text, "rank 0 of 2: motions such as y cost no");
  contains(text, "motions without inertia are held by");
  dls_report_text_free(text);

  f->check.mass_rank = 1;
  f->check.verdict[DLS_ACCELERATION_UNIQUE].parts = 1;
  f->check.verdict[DLS_ACCELERATION_UNIQUE].part[0] =
      (dls_witness_part){"acceleration", DLS_OVER_COORDINATES, 2, f->direction, NULL};
  text = text_of(false);
  contains(text, "rank 1 of 2: the motion y costs no");
  contains(text, "the load presses motions without inertia");
  dls_report_text_free(text);
}

static void undecided_forces(void **state)
{
  (void)state;
  f->check.verdict[DLS_FORCES_UNIQUE].answer = DLS_UNDECIDED;
  f->low_u[1] = f->high_u[1] = 4.905;
  char *text = text_of(false);
  contains(text, "0 … 9.81 (undecided; shown: least norm)");
  contains(text, "  4.905          undecided whether it is determined\n");
  lacks(text, "  determined\n");
  dls_report_text_free(text);
}

static void names_the_free_acceleration(void **state)
{
  (void)state;
  double from[] = {0, -9.81}, to[] = {2, -9.81};
  f->check.verdict[DLS_ACCELERATION_UNIQUE] =
      (dls_verdict){.answer = DLS_NO,
                    .parts = 2,
                    .part = {{"acceleration", DLS_OVER_COORDINATES, 2, from, NULL},
                             {"other", DLS_OVER_COORDINATES, 2, to, NULL}}};
  char *text = text_of(false);
  contains(text, "no   x: this acceleration can be added");
  dls_report_text_free(text);
  to[0] = -2, to[1] = -10.81;
  text = text_of(false);
  contains(text, "no   −x − 0.5 y: this acceleration can be added");
  dls_report_text_free(text);
}

static void continuum_without_contacts(void **state)
{
  (void)state;
  use_sizes(f, 2, 0, 0);
  f->check.verdict[DLS_FORCES_UNIQUE].answer = DLS_NOT_ASKED;
  static const dls_answer answers[] = {DLS_YES, DLS_NO, DLS_UNDECIDED};
  static const char *const expected[] = {"none", "acceleration", NULL};
  for (int i = 0; i < 3; i++) {
    f->check.verdict[DLS_ACCELERATION_UNIQUE].answer = answers[i];
    json_t *o = json_of();
    const char *got = json_string_value(at(o, "solutions/0/continuum"));
    if (expected[i]) assert_string_equal(got, expected[i]);
    else assert_null(got);
    json_decref(o);
  }
}

static void time_is_said_once(void **state)
{
  (void)state;
  static const struct {
    const char *at, *expected;
  } cases[] = {{"t=2", "at t=2; below"},
               {"x = 1,t = 2", "at x = 1,t = 2; below"},
               {"x = t, t' = 2", "at x = t, t' = 2, t = 7; below"},
               {"x = max(1, t == 2)", "at x = max(1, t == 2), t = 7; below"},
               {"t = 14/2, x = 1", "at t = 14/2, x = 1, t = 7; below"},
               {"t = ", "at t = , t = 7; below"},
               {"top", "at top, t = 7; below"},
               {"t", "at t, t = 7; below"}};
  f->state.t = 7;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    f->report.at = cases[i].at;
    char *text = text_of(false);
    contains(text, cases[i].expected);
    dls_report_text_free(text);
  }
}

static void fits_a_screen(void **state)
{
  (void)state;
  for (int m_u = 0; m_u <= 7; m_u++) {
    use_sizes(f, 6, 1, m_u);
    char *text = text_of(false);
    if (measure(text) > 40) fail_msg("%d lines:\n%s", measure(text), text);
    dls_report_text_free(text);
  }
  // long lists and long names are cut, with what was cut counted
  use_sizes(f, MANY, 1, MANY - 2);
  f->contacts[50].status = DLS_OPEN;
  f->contacts[1].name = f->unilateral[0] =
      "a name much longer than any table can take in one column";
  f->report.title = "A title that goes on and on and on and on and on and on and on and on and on "
                    "and on and on and on";
  f->report.at = "c0 = 1, c1 = 2, c3 = 4, c5 = 6, c7 = 8, c9 = 10, c11 = 12, c13 = 14, c15 = 16";
  for (int i = 0; i < MANY; i++) f->q[i] = -1.23456789e-105, f->cancel_u[i] = -1.23456789e-105 * i;
  f->check.verdict[DLS_CONSTRAINTS_INDEPENDENT].part[1].count = MANY - 2;
  char *text = text_of(false);
  contains(text, "… and 52 more contacts, 51 closed and 1 open (all in --json)");
  contains(text, "… and 52 more forces (all in --json)");
  contains(text, "… and 48 more (all in --json)");
  assert_true(measure(text) <= 45);
  dls_report_text_free(text);
}

static void never_prints_nan(void **state)
{
  (void)state;
  // every number of the report
  double *const arrays[] = {f->q,        f->v,        f->z,        f->eigenvalues, f->lambda_b,
                            f->lambda_u, f->a_u,      f->low_b,    f->high_b,      f->low_u,
                            f->high_u,   f->singular, f->cancel_u, f->cancel_b};
  for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++)
    for (int i = 0; i < MANY; i++) arrays[k][i] = NAN;
  for (int i = 0; i < MANY * MANY; i++) f->A_c[i] = f->W[i] = f->angles[i] = NAN;
  for (int i = 0; i < 4; i++) {
    dls_contact *c = &f->contacts[i];
    c->gap = c->normal_velocity = c->slip[0] = c->slip[1] = c->friction = c->restitution = NAN;
    c->status = (dls_contact_status)i;
  }
  f->state.t = f->check.tolerance = f->check.mass_condition = f->check.rank_noise = NAN;
  f->solution.residual = f->solution.gauss_primal = f->solution.gauss_dual = NAN;
  char *text = text_of(false);
  lacks(text, "nan");
  measure(text);
  dls_report_text_free(text);
  text = json_text();
  lacks(text, "nan");
  dls_report_text_free(text);
  json_decref(json_of());
}

static void numbers_and_wrapping(void **state)
{
  (void)state;
  assert_string_equal(dls_number(-0.0).text, "0");
  assert_string_equal(dls_number(1.0 / 3).text, "0.333333");
  assert_string_equal(dls_number(-1.5e-300).text, "-1.5e-300");
  assert_string_equal(dls_number(NAN).text, "unknown");
  assert_int_equal(dls_text_width("θ̈ = 1"), 5);
  assert_int_equal(dls_text_width("高さ"), 4);
  assert_int_equal(dls_text_width("\xff…ß"), 3);
  assert_int_equal(dls_text_character("\xed\xa0\x80"), 0);  // a surrogate
  assert_int_equal(dls_text_character("\xc0\x80"), 0);      // overlong

  dls_text text = {0};
  dls_text_wrap(&text, "one two  three abcdefghijklmnop\u00a0q", 0, 2, 10);
  assert_string_equal(text.data, "one two\n  three\n  abcdefg…");
  dls_text_free(&text);
  dls_text_pad(&text, "高さ", 6);
  dls_text_pad(&text, "高さ高さ", 6);
  dls_text_pad(&text, "a高さ高さ", 7);
  assert_string_equal(text.data, "高さ  高さ… a高さ… ");
  dls_text_free(&text);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(keys_in_order),
      TEST(digits_and_nulls),
      TEST(matrices_and_reasons),
      TEST(solution_and_ranges),
      TEST(definite_is_true_false_or_null),
      TEST(witnesses),
      TEST(friction_is_undecided),
      TEST(impact_leaves_questions_out),
      TEST(notes_and_projection),
      TEST(names_may_be_missing_or_wild),
      TEST(empty_problem),
      TEST(says_it_in_words),
      TEST(small_numbers_count),
      TEST(sums_of_forces),
      TEST(order_of_forces),
      TEST(undecided_answers),
      TEST(small_values_are_shown),
      TEST(massless_motions),
      TEST(undecided_forces),
      TEST(names_the_free_acceleration),
      TEST(continuum_without_contacts),
      TEST(time_is_said_once),
      TEST(fits_a_screen),
      TEST(never_prints_nan),
      TEST(numbers_and_wrapping),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
