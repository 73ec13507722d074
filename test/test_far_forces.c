// Nearly parallel contacts, where forces are millions of times the loads: they excuse no error of
// an acceleration, and an end of a force that only far points have is told rightly or not at all.
// The truth is derived below, or that of exact enumeration.
#include "problem_maker.h"
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

#ifdef __SANITIZE_ADDRESS__
enum { MANY = 20 };
#else
enum { MANY = 150 };
#endif

static bool answers(const subject *s, const char *question, const char *answer)
{
  const json_t *verdicts = json_object_get(s->report, "verdicts");
  const char *given =
      json_string_value(json_object_get(json_object_get(verdicts, question), "answer"));
  return given && strcmp(given, answer) == 0;
}

static void must_hold(const subject *s, const char *text)
{
  dls_verification *v = verify(s);
  for (int k = 0; k < v->findings; k++)
    if (v->finding[k].found == DLS_FOUND_FAILS)
      fail_msg("%s.%s fails: %s\n%s", v->finding[k].group, v->finding[k].name, v->finding[k].why,
               text);
  dls_verification_free(v);
}

// z has no mass and is held by the small slope e only: forces 1/(2 e). All stick would mean x'' =
// -1/6, y'' = 1/18, z'' = 0, but then c has the acceleration d/18. The one solution is a sticking,
// b open, c closed, with z'' = d/(18 e).
static void held_by_a_slope(void **unused)
{
  (void)unused;
  rng r = rng_create(1);
  for (int k = 0; k < MANY; k++) {
    at_case("k %d", k);
    const double d = ldexp(1, -rng_int(&r, 3, 26)), e = ldexp(1, -rng_int(&r, 3, 26));
    char text[800];
    snprintf(text, sizeof text,
             "coordinate x, y, z, w\nkinetic (3*x'^2 + 0.375*w'^2)/2\n"
             "force x = 0.5, z = 0.5, w = 2\n"
             "unilateral a: 3*x + 0.25*t^2 >= 0 { slip x' + 3*y'; friction 2 }\n"
             "unilateral b: 3*x + %.17g*z + 0.25*t^2 >= 0 { slip x' + 3*y'; friction 1.5 }\n"
             "unilateral c: -3*x + %.17g*y - %.17g*z - 0.25*t^2 >= 0\n",
             e, d, e);
    subject s = ask_about(text, NULL, NULL);
    const json_t *solution = json_array_get(json_object_get(s.report, "solutions"), 0);
    const json_t *z = json_object_get(json_object_get(solution, "acceleration"), "z");
    if (answers(&s, "can_all_stick", "yes") || answers(&s, "forces_unique", "no") ||
        answers(&s, "acceleration_unique", "no") || answers(&s, "acceleration_exists", "no") ||
        (z && fabs(json_number_value(z) - d / (18 * e)) > 1e-6 * d / (18 * e)))
      fail_msg("wrong at d = %g, e = %g:\n%s", d, e, text);
    must_hold(&s, text);
    close_subject(&s);
  }
}

// The force of c may be 0, with 3/e at b and what a takes; it has no upper end.
static void far_end(void **unused)
{
  (void)unused;
  rng r = rng_create(2);
  for (int k = 0; k < MANY; k++) {
    at_case("k %d", k);
    const double d = ldexp(1, -rng_int(&r, 3, 26)), e = ldexp(1, -rng_int(&r, 3, 26));
    char text[800];
    snprintf(text, sizeof text,
             "coordinate x, y\nkinetic (x'^2 + 3*y'^2)/2\nforce x = 1.5, y = -3\n"
             "bilateral a: 2*x = 0\nbilateral b: -2*x + %.17g*y = 0\n"
             "unilateral c: -(2 - %.17g)*x >= 0 { slip -0.5*x' + 1.5*y'; friction 3 }\n"
             "unilateral d: 2*x >= 0\n",
             e, d);
    subject s = ask_about(text, NULL, NULL);
    const json_t *range = json_object_get(json_object_get(s.report, "force_ranges"), "c");
    const json_t *normal = json_object_get(range, "normal");
    const json_t *low = json_array_get(normal, 0), *high = json_array_get(normal, 1);
    if (normal &&
        (!json_is_number(low) || fabs(json_number_value(low)) > 1e-9 || !json_is_null(high)))
      fail_msg("the range of c is wrong at d = %g, e = %g:\n%s", d, e, text);
    must_hold(&s, text);
    close_subject(&s);
  }
}

// a and b contradict each other but for x'' = 1.6e12; the slope of c is rounding.
static void contradiction(void **unused)
{
  (void)unused;
  static const char text[] =
      "coordinate x, y\nkinetic x'^2 + y'^2/2\n"
      "unilateral a: -0.5*x - 1.5*y - t^2 >= 0 { slip 0.5*y' - t; friction 0.75 }\n"
      "unilateral b: (0.5 + 2^-40)*x + 1.5*y + 0.25*t^2 >= 0 { slip -0.5*x' + 1.5*t; friction 1.5 "
      "}\n"
      "unilateral c: 2^-40*x + t^2 >= 0 { slip 0.5*y'; friction 0.75 }\n";
  subject s = ask_about(text, NULL, NULL);
  assert_false(answers(&s, "acceleration_exists", "yes"));
  must_hold(&s, text);
  close_subject(&s);
}

// Two sets of solutions that nearly touch: with forces of 5.7e-7 of the load at a between them.
static void nearly_touching(void **unused)
{
  (void)unused;
  static const char text[] =
      "coordinate x, y, z\nkinetic (4.375*x'^2 - 4*x'*y' + 3*y'^2 + 3*z'^2)/2\n"
      "force x = 0.5, y = 1, z = 1\n"
      "bilateral a: -1.5*x + 3*y + 3*z = 0 { slip -3*z' + 2*t; friction 1.5 }\n"
      "bilateral b: 1.5*x - (3 - 2^-18)*y - 3*z = 0 { slip -2*x' - 1.5*t; friction 0.25 }\n"
      "unilateral c: 0.5*y - 3*z >= 0 { slip -2*x' - 3*y'; friction 0.75 }\n"
      "unilateral d: -2*x - z >= 0 { slip -1.5*x' + z'; friction 1 }\n";
  subject s = ask_about(text, NULL, NULL);
  const json_t *count = json_object_get(s.report, "solution_count");
  assert_true(json_is_null(count) || json_integer_value(count) == 2);
  must_hold(&s, text);
  close_subject(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(held_by_a_slope), cmocka_unit_test(far_end),
                                     cmocka_unit_test(contradiction),
                                     cmocka_unit_test(nearly_touching)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
