// More friction: answers that must not turn back when the coefficient grows, on random models of
// the kinds where small numbers mislead; and at each coefficient the report holds.
#include "problem_maker.h"
#include "verify_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

static const double coefficients[] = {0, 1e-12, 1e-3, 0.125, 0.25, 0.5, 0.75, 1, 1.5, 3, 16, 1e4};
enum { SWEPT = sizeof coefficients / sizeof *coefficients };

typedef struct seen {
  const char *stick, *exists, *step, *closure;
  double low, high;  // of the least coefficient; NaN: not told
} seen;

static const char *answer_of(const subject *s, const char *question)
{
  const json_t *verdict = json_object_get(json_object_get(s->report, "verdicts"), question);
  const char *answer = json_string_value(json_object_get(verdict, "answer"));
  return answer ? answer : "";
}

static bool is(const char *answer, const char *word)
{
  return strcmp(answer, word) == 0;
}

static double limit_of(const subject *s, const char *key)
{
  const json_t *limits = json_object_get(s->report, "friction");
  const json_t *value = json_object_get(json_object_get(limits, "least_for_sticking"), key);
  return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static void all_holds(const subject *s)
{
  dls_verification *v = verify(s);
  for (int k = 0; k < v->findings; k++)
    if (v->finding[k].found == DLS_FOUND_FAILS)
      fail_msg("%s.%s: %s", v->finding[k].group, v->finding[k].name, v->finding[k].why);
  dls_verification_free(v);
}

static seen look(const char *text, double mu)
{
  char set[40];
  snprintf(set, sizeof set, "mu=%.17g", mu);
  subject s = ask_about(text, set, NULL);
  static char words[4][20];
  static const char *const questions[] = {"can_all_stick", "acceleration_exists", "step_solvable",
                                          "force_closure"};
  for (int k = 0; k < 4; k++)
    snprintf(words[k], sizeof words[k], "%s", answer_of(&s, questions[k]));
  const seen result = {
      words[0], words[1], words[2], words[3], limit_of(&s, "low"), limit_of(&s, "high")};
  all_holds(&s);
  // forces that hold all contacts are a solution
  if (is(result.stick, "yes")) assert_true(is(result.exists, "yes"));
  close_subject(&s);
  return result;
}

static int told;  // answers that are not open

// signs: bilateral contacts rub, whose forces have either sign.
static void sweep(const char *text, bool signs)
{
  bool sticks = false, solvable = true, closed = false;
  double most_low = 0, least_high = INFINITY, first_yes = INFINITY, last_no = 0;
  for (int k = 0; k < SWEPT; k++) {
    const double mu = coefficients[k];
    const seen now = look(text, mu);
    if (sticks && is(now.stick, "no")) fail_msg("can_all_stick: no again at %g:\n%s", mu, text);
    if (closed && is(now.closure, "no")) fail_msg("force_closure: no again at %g:\n%s", mu, text);
    if (!solvable && !signs && is(now.step, "yes"))
      fail_msg("step_solvable: yes again at %g:\n%s", mu, text);
    sticks |= is(now.stick, "yes"), closed |= is(now.closure, "yes");
    solvable &= !is(now.step, "no");
    told += is(now.stick, "yes") || is(now.stick, "no");
    if (is(now.stick, "yes")) first_yes = fmin(first_yes, mu);
    if (is(now.stick, "no")) last_no = fmax(last_no, mu);
    if (isfinite(now.low)) most_low = fmax(most_low, now.low);
    if (isfinite(now.high)) least_high = fmin(least_high, now.high);
  }
  // the least coefficient is the same, whatever the coefficient is
  if (most_low > least_high * (1 + 1e-9))
    fail_msg("%g is not enough, %g is:\n%s", most_low, least_high, text);
  if (most_low > first_yes * (1 + 1e-9))
    fail_msg("%g is not enough, all stick with %g:\n%s", most_low, first_yes, text);
  if (least_high < last_no * (1 - 1e-9))
    fail_msg("%g is enough, not all stick with %g:\n%s", least_high, last_no, text);
}

// ---- kinds
// ---------------------------------------------------------------------------------------

typedef enum kind {
  PLAIN,
  PARALLEL,  // contacts that are parallel but for a little
  ROUNDED,   // slips that move with the normals by rounding only
  UNLOADED,  // no load, imposed slips
  SQUEEZED,  // walls that face each other: any friction, or none, is enough
  SMALL,     // loads between rounding and the tolerance
  SPATIAL,   // two slips each
  KINDS
} kind;

static double entry(rng *r)
{
  return rng_int(r, -4, 4) / 2.0;
}

static size_t add_slip(rng *r, kind what, int n, char *text, size_t size)
{
  size_t used = (size_t)snprintf(text, size, "%g*x0'", 1 + 0.5 * rng_int(r, 0, 3));
  for (int i = 1; i < n; i++)
    used += (size_t)snprintf(text + used, size - used, " + (%g)*x%d'", entry(r), i);
  if (what == ROUNDED)
    used += (size_t)snprintf(text + used, size - used, " + (0.1 + 0.2 - 0.3)*x%d'", n - 1);
  if (what == UNLOADED && rng_chance(r, 0.7))
    used += (size_t)snprintf(text + used, size - used, " + (%d)*t", rng_int(r, -2, 2));
  return used;
}

// Returns whether bilateral contacts rub.
static bool draw(rng *r, kind what, char *text, size_t size)
{
  const int n = rng_int(r, 2, 3), m = rng_int(r, 1, 3);
  bool signs = false;
  size_t used = (size_t)snprintf(text, size, "parameter mu = 0.5\ncoordinate x0");
  for (int i = 1; i < n; i++) used += (size_t)snprintf(text + used, size - used, ", x%d", i);
  used += (size_t)snprintf(text + used, size - used, "\nkinetic (x0'^2");
  for (int i = 1; i < n; i++)
    used += (size_t)snprintf(text + used, size - used, " + %d*x%d'^2", rng_int(r, 1, 3), i);
  used += (size_t)snprintf(text + used, size - used, " + %d*(x0' + x1')^2)/2\n", rng_int(r, 0, 1));
  for (int i = 0; i < n && what != UNLOADED; i++)
    used += (size_t)snprintf(text + used, size - used, "force x%d = %.17g\n", i,
                             rng_int(r, -3, 3) *
                                 (what == SMALL && i ? ldexp(1, -rng_int(r, 28, 46)) : 1));
  double normal[3] = {0}, before[3] = {0};
  for (int j = 0; j < m; j++) {
    const bool bilateral = rng_chance(r, 0.2);
    const bool follows = j > 0 && (what == PARALLEL || what == SQUEEZED);
    for (int i = 0; i < n; i++) {
      const double little = what == PARALLEL ? ldexp(rng_int(r, -1, 1), -rng_int(r, 16, 46)) : 0;
      normal[i] = follows ? (what == SQUEEZED ? -before[i] : before[i] + little) : entry(r);
    }
    if (!follows && normal[0] == 0) normal[0] = 1;
    memcpy(before, normal, sizeof before);
    signs |= bilateral;
    used += (size_t)snprintf(text + used, size - used,
                             "%s c%d: ", bilateral ? "bilateral" : "unilateral", j);
    for (int i = 0; i < n; i++)
      used +=
          (size_t)snprintf(text + used, size - used, "%s(%.17g)*x%d", i ? " + " : "", normal[i], i);
    if (rng_chance(r, 0.2))
      used += (size_t)snprintf(text + used, size - used, " + (%d)*t^2", rng_int(r, -1, 1));
    used += (size_t)snprintf(text + used, size - used, " %s 0 { slip ", bilateral ? "=" : ">=");
    used += add_slip(r, what, n, text + used, size - used);
    if (what == SPATIAL && !bilateral) {
      used += (size_t)snprintf(text + used, size - used, ", ");
      used += add_slip(r, what, n, text + used, size - used);
    }
    used += (size_t)snprintf(text + used, size - used, "; friction mu }\n");
  }
  snprintf(text + used, size - used, "object body: x0, x1\n");
  return signs;
}

static void sweep_kind(kind what)
{
  const char *seed = getenv("DLS_TEST_SEED"), *rounds = getenv("DLS_TEST_ROUNDS");
  rng r = rng_create((seed ? strtoull(seed, NULL, 10) : 51) + what);
  const int most = rounds ? (int)strtol(rounds, NULL, 10) : 4;
  told = 0;
  for (int k = 0; k < most; k++) {
    char text[4000];
    const bool signs = draw(&r, what, text, sizeof text);
    at_case("kind %d, k %d:\n%s", (int)what, k, text);
    sweep(text, signs);
  }
  assert_true(told > 0);
}

static void plain(void **unused)
{
  (void)unused, sweep_kind(PLAIN);
}
static void parallel(void **unused)
{
  (void)unused, sweep_kind(PARALLEL);
}
static void rounded(void **unused)
{
  (void)unused, sweep_kind(ROUNDED);
}
static void unloaded(void **unused)
{
  (void)unused, sweep_kind(UNLOADED);
}
static void squeezed(void **unused)
{
  (void)unused, sweep_kind(SQUEEZED);
}
static void small_loads(void **unused)
{
  (void)unused, sweep_kind(SMALL);
}
static void in_space(void **unused)
{
  (void)unused, sweep_kind(SPATIAL);
}

// Two parallel contacts that hardly rub, and nothing pushes them: forces of 1e-12 cones cannot
// cancel.
static void hardly_rubbing(void **unused)
{
  (void)unused;
  sweep("parameter mu = 0.5\ncoordinate x, y\nkinetic (x'^2 + 2*y'^2 + (x' + y')^2)/2\n"
        "unilateral a: 2*x + 2*y >= 0 { slip x' + 2*y'; friction mu }\n"
        "unilateral b: 1.5*x + 1.5*y >= 0 { slip 2.5*x' - 0.5*y'; friction mu }\n",
        false);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(plain),    cmocka_unit_test(parallel),
                                     cmocka_unit_test(rounded),  cmocka_unit_test(unloaded),
                                     cmocka_unit_test(squeezed), cmocka_unit_test(small_loads),
                                     cmocka_unit_test(in_space), cmocka_unit_test(hardly_rubbing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
