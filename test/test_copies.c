// A curved gap that is written in several ways, as unilateral contacts that are closed together:
// the motion is that with one of them, and the errors are of its size.
#include "fixture.h"
#include "trial.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

static const char *const schemes[] = {"radau3", "radau5", "lobatto2", "lobatto4", "lobatto6",
                                      "herk2",  "herk3",  "herk4",    "herk5",    "herk8"};
static const char *const ways[] = {"%s",          "(%s)*(2 + x)",      "sinh(%s)",
                                   "exp(%s) - 1", "(%s)*(3 + sin(y))", "log(1 + %s)"};

// The lengths of their gradients on the curve, relative to that of the first.
static const char *const lengths[] = {"1", "(2 + x)", "1", "1", "(3 + sin(y))", "1"};

enum { SCHEMES = sizeof schemes / sizeof *schemes, WAYS = sizeof ways / sizeof *ways };

// A bead in a bowl that stays there, or that comes over a hill and takes off.
typedef struct sample {
  bool hill;
  double bend, speed, mu;
  int count, way[3];
} sample;

static sample draw(rng *r)
{
  sample c = {.hill = rng_chance(r, 0.3), .count = rng_int(r, 2, 3)};
  c.bend = draw_between(r, 0.3, 0.6), c.mu = rng_chance(r, 0.4) ? draw_between(r, 0.05, 0.2) : 0;
  c.speed = c.hill ? sqrt(9.81 / c.bend) * draw_between(r, 0.6, 0.8) : draw_between(r, 0, 1);
  for (int k = 0; k < c.count; k++) c.way[k] = rng_int(r, 0, WAYS - 1);
  return c;
}

static void write_model(const sample *c, bool copies, char *text, size_t size)
{
  char gap[80], form[160];
  snprintf(gap, sizeof gap, "y %c %.17g*x^2/2", c->hill ? '+' : '-', c->bend);
  int at = snprintf(text, size,
                    "coordinate x = %s, y = %.17g*x^2/2\nvelocity x = %.17g, y = %.17g*x*x'\n"
                    "kinetic (x'^2 + y'^2)/2\npotential 9.81*y\n",
                    c->hill ? "0.1" : "-0.6", c->hill ? -c->bend : c->bend, c->speed,
                    c->hill ? -c->bend : c->bend);
  for (int k = 0; k < (copies ? c->count : 1); k++) {
    snprintf(form, sizeof form, ways[copies ? c->way[k] : 0], gap);
    at += snprintf(text + at, size - (size_t)at, "unilateral c%d: %s >= 0", k, form);
    // along the curve, of unit length; the friction of the force, not of the multiplier
    if (c->mu > 0)
      at += snprintf(text + at, size - (size_t)at,
                     " { slip (x' %c %.17g*x*y')/sqrt(1 + (%.17g*x)^2); friction "
                     "%.17g*%s*sqrt(1 + (%.17g*x)^2) }",
                     c->hill ? '-' : '+', c->bend, c->bend, c->mu, lengths[copies ? c->way[k] : 0],
                     c->bend);
    at += snprintf(text + at, size - (size_t)at, "\n");
  }
}

static double distance(const fixture *a, const fixture *b)
{
  double most = 0;
  for (int i = 0; i < 2; i++) most = fmax(most, fabs(fixture_q(a, i) - fixture_q(b, i)));
  return most;
}

static void copies(void **state)
{
  (void)state;
  char text[2][2000];
  for (tally t = tally_begin("copies", 12); tally_next(&t);) {
    const sample c = draw(&t.r);
    for (int k = 0; k < 2; k++) write_model(&c, k == 1, text[k], sizeof text[k]);
    fixture *reference = fixture_open(text[0], "lobatto6", 1e-3, 0);
    fixture_to(reference, 0.8);
    for (int k = 0; k < SCHEMES; k++) {
      if (!tally_wants(schemes[k])) continue;
      fixture *one = fixture_open(text[0], schemes[k], 0.01, 0);
      fixture *more = fixture_open(text[1], schemes[k], 0.01, 0);
      fixture_to(one, 0.8);
      if (fixture_until_failure(more, 0.8) != DLS_FAILURE_NONE)
        fail_msg("case %d, %s: did not get there\n%s", t.number, schemes[k], text[1]);
      const double alone = distance(one, reference), error = distance(more, reference);
      if (!(error <= 20 * alone + 1e-9))
        fail_msg("case %d, %s: %g, and with one gap %g\n%s", t.number, schemes[k], error, alone,
                 text[1]);
      fixture_close(one), fixture_close(more);
    }
    fixture_close(reference);
  }
}

// Adaptive steps of Moreau's family on a curve, with one gap and with two: of the order two, so
// that ten times the accuracy takes less than five times the steps.
static void adaptive_steps(void **state)
{
  (void)state;
  static const char *const names[] = {"moreau-adaptive", "moreau-variable-order"};
  const sample c = {.bend = 1, .speed = 0.3, .count = 2, .way = {0, 1}};
  char text[2000];
  write_model(&c, false, text, sizeof text);
  fixture *reference = fixture_open(text, "lobatto6", 1e-3, 0);
  fixture_to(reference, 1);
  for (int k = 0; k < 4; k++) {
    at_case("k %d", k);
    long before = 0;
    write_model(&c, k / 2, text, sizeof text);
    for (int digits = 4; digits <= 6; digits++) {
      const double rtol = pow(10, -digits);
      fixture *r = fixture_open(text, names[k % 2], 1e-3, rtol);
      fixture_to(r, 1);
      const long steps = dls_integrator_counts(r->integrator).steps;
      assert_true(distance(r, reference) < 50 * rtol + 100 * rtol * (k % 2 == 0));
      if (before > 0) assert_true(steps < 5 * before);
      assert_true(steps < 2000);
      before = steps;
      fixture_close(r);
    }
  }
  fixture_close(reference);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(copies), cmocka_unit_test(adaptive_steps)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
