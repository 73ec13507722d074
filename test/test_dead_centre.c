// Mechanisms near singular positions. Independence is claimed where no state within the tolerance
// is singular, and a no where the state itself is: random models at distances of 1e-14 to 1e-2.
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
enum { MANY = 60 };
#else
enum { MANY = 600 };
#endif

static const double tolerance = 1e-9;  // the default

// A model at the distance e of a singular state.
typedef struct near {
  char text[800];
  const char *witness;  // coordinates at which the gradients form a nonsingular matrix
  double reach;         // the largest e at which the singular state is within the tolerance
  double far;           // an e at which none is within a hundred times the tolerance
} near;

// Both rods and the slider move by at most what moves the gap, whose gradient has this length in
// the kinetic metric, by the tolerance.
static near slider_crank(rng *r, double e)
{
  near k = {.witness = "[\"th\", \"x\"]"};
  const double l = ldexp(1, rng_int(r, -3, 3)), a = ldexp(1, rng_int(r, -4, 4));
  const double b = (1.25 + 0.75 * rng_real(r)), c = ldexp(1, rng_int(r, -3, 3));
  const double length = sqrt(l * l / a + l * l / b + 1 / c);
  k.reach = tolerance / length * fmin(fmin(1 / sqrt(a), 1 / sqrt(b)), 1 / (2 * l * sqrt(c)));
  k.far = 100 * tolerance / length * fmax(1 / sqrt(a), 1 / sqrt(b));
  snprintf(k.text, sizeof k.text,
           "coordinate th = pi/2 - %.17g, ph = -pi/2 + %.17g, x = %.17g*(cos(th) + cos(ph))\n"
           "kinetic (%.17g*th'^2 + %.17g*ph'^2 + %.17g*x'^2)/2\npotential 9.81*x\n"
           "bilateral hx: %.17g*(cos(th) + cos(ph)) = x\n"
           "bilateral hy: %.17g*(sin(th) + sin(ph)) = 0\n",
           e, e, l, a, b, c, l, l);
  return k;
}

// A parallelogram next to the position in which all bars lie on one line.
static near parallelogram(rng *r, double e)
{
  near k = {.witness = "[\"a\", \"b\"]"};
  const double l = ldexp(1, rng_int(r, -2, 2)), m = (1.25 + 0.75 * rng_real(r));
  const double length = l * sqrt(2 / m + 1);
  k.reach = tolerance / (length * sqrt(m));
  k.far = 100 * k.reach;
  snprintf(k.text, sizeof k.text,
           "coordinate a = %.17g, b = 0, c = %.17g\n"
           "kinetic (%.17g*a'^2 + b'^2 + %.17g*c'^2)/2\nforce a = 1\n"
           "bilateral hx: %.17g*(cos(a) + cos(b) - cos(c) - 1) = 0\n"
           "bilateral hy: %.17g*(sin(a) + sin(b) - sin(c)) = 0\n",
           e, e, m, m, l, l);
  return k;
}

// A pin in a slot that turns: the gap does not see the turning at all.
static near slot(rng *r, double e)
{
  near k = {.witness = "[\"x\"]"};
  const double a = ldexp(1, rng_int(r, -4, 4)), b = (1.25 + 0.75 * rng_real(r));
  k.reach = sqrt(tolerance * sqrt(a / b));
  k.far = 100 * k.reach;
  snprintf(k.text, sizeof k.text,
           "coordinate x = 0, phi = %.17g\nkinetic (%.17g*x'^2 + %.17g*phi'^2)/2\nforce x = -1\n"
           "unilateral c: x*sin(phi) >= 0\n",
           e, a, b);
  return k;
}

// The highest point of a circle.
static near top(rng *r, double e)
{
  near k = {.witness = "[\"th\"]"};
  const double l = ldexp(1, rng_int(r, -4, 4)), a = (1.25 + 0.75 * rng_real(r));
  k.reach = sqrt(tolerance / l);
  k.far = 100 * k.reach;
  snprintf(k.text, sizeof k.text,
           "coordinate th = %.17g\nkinetic %.17g*th'^2/2\nforce th = -1\n"
           "unilateral c: %.17g*(1 - cos(th)) >= 0\n",
           e, a, l);
  return k;
}

static const char *answer_of(const subject *s)
{
  const json_t *verdicts = json_object_get(s->report, "verdicts");
  const json_t *v = json_object_get(verdicts, "constraints_independent");
  return v ? json_string_value(json_object_get(v, "answer")) : "absent";
}

static void comparison(const near *k, double e)
{
  subject s = ask_about(k->text, NULL, NULL);
  const char *answer = answer_of(&s);
  const bool yes = strcmp(answer, "yes") == 0, no = strcmp(answer, "no") == 0;
  if ((yes && e <= k->reach) || (no && e > 0) || (!no && e == 0) || (!yes && e > k->far))
    if (strcmp(answer, "absent") != 0)
      fail_msg("%s at the distance %g, a singular state is within %g:\n%s", answer, e, k->reach,
               k->text);
  dls_verification *v = verify(&s);
  if (!v->holds) fail_msg("does not hold at %g:\n%s", e, k->text);
  dls_verification_free(v);
  if (strcmp(answer, "undecided") == 0 && e <= k->reach / 4) {
    put_value(s.report, "verdicts/constraints_independent/answer", "\"yes\"");
    put_value(s.report, WITNESS("constraints_independent"), "{}");
    put_value(s.report, WITNESS("constraints_independent") "/coordinates", k->witness);
    v = verify(&s);
    if (v->holds) fail_msg("a false yes holds at %g, within %g:\n%s", e, k->reach, k->text);
    dls_verification_free(v);
  }
  close_subject(&s);
}

static void run(near (*draw)(rng *r, double e), uint64_t seed)
{
  rng r = rng_create(seed);
  for (int k = 0; k < MANY; k++) {
    at_case("k %d", k);
    const double e = k % 20 == 0 ? 0 : pow(10, -8 + 6 * rng_real(&r));
    const near model = draw(&r, e);
    comparison(&model, e);
  }
}

static void slider_cranks(void **unused)
{
  (void)unused;
  run(slider_crank, 1);
}

static void parallelograms(void **unused)
{
  (void)unused;
  run(parallelogram, 2);
}

static void slots(void **unused)
{
  (void)unused;
  run(slot, 3);
}

static void tops(void **unused)
{
  (void)unused;
  run(top, 4);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(slider_cranks),
                                     cmocka_unit_test(parallelograms), cmocka_unit_test(slots),
                                     cmocka_unit_test(tops)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
