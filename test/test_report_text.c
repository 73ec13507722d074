// Reports of problems made by hand, as text: words, and one screen.
#include "report_case.h"

#include "base/text.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

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
  assert_true(measure(text) <= 45);
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

  use_sizes(2, 1, 20);
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
           "\n  left         4.905          0 … 9.81 (not determined; shown: least norm)\n  rail ");
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
  f->check.verdict[DLS_FORCES_UNIQUE] = f->check.verdict[DLS_ACCELERATION_UNIQUE];
  char *text = text_of(false);
  contains(text, "?    not decided: eigenvalues of M\n");
  contains(text, "?    not decided: existence is undecided\n");
  contains(text, "?    not decided, for the same reason\n");
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
                    .part = {{"direction", DLS_INDEX_COORDINATES, 2, f->direction, NULL}}};
  char *text = text_of(false);
  contains(text, "rank 0 of 2: motions such as y cost no");
  contains(text, "motions without inertia are held by");
  dls_report_text_free(text);

  f->check.mass_rank = 1;
  f->check.verdict[DLS_ACCELERATION_UNIQUE].parts = 1;
  f->check.verdict[DLS_ACCELERATION_UNIQUE].part[0] =
      (dls_witness_part){"acceleration", DLS_INDEX_COORDINATES, 2, f->direction, NULL};
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
                    .part = {{"acceleration", DLS_INDEX_COORDINATES, 2, from, NULL},
                             {"other", DLS_INDEX_COORDINATES, 2, to, NULL}}};
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
  use_sizes(2, 0, 0);
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
    use_sizes(6, 1, m_u);
    char *text = text_of(false);
    if (measure(text) > 45) fail_msg("%d lines:\n%s", measure(text), text);
    dls_report_text_free(text);
  }
  // long lists and long names are cut, with what was cut counted
  use_sizes(MANY, 1, MANY - 2);
  f->contacts[50].status = DLS_OPEN;
  f->contacts[1].name = f->unilateral[0] =
      "a name much longer than any table can take in one column";
  f->report.title = "A title that goes on and on and on and on and on and on and on and on and on "
                    "and on and on and on";
  f->report.at = "c0 = 1, c1 = 2, c3 = 4, c5 = 6, c7 = 8, c9 = 10, c11 = 12, c13 = 14, c15 = 16";
  for (int i = 0; i < MANY; i++) f->q[i] = -1.23456789e-105, f->cancel_u[i] = -1.23456789e-105 * i;
  f->check.verdict[DLS_CONSTRAINTS_INDEPENDENT].part[1].count = MANY - 2;
  char *text = text_of(false);
  contains(text, "… and 56 more contacts, 55 closed and 1 open (all with --full)");
  contains(text, "… and 56 more forces (all with --full)");
  contains(text, "… and 48 more (all with --full)");
  assert_true(measure(text) <= 48);
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
  f->solution[0].residual = f->solution[0].gauss_primal = f->solution[0].gauss_dual = NAN;
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

int main(void)
{
  const struct CMUnitTest tests[] = {
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
