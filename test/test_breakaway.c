// Contacts that cease to stick, or to press, under a force that grows with time: closed forms.
// Steps that are chosen must find the instant, wherever it lies in a step.
#include "trial.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

typedef struct sample {
  bool lifts;             // off the floor, or along it
  double m, N, mu, c, t;  // mass, weight, friction, the force c t, when it breaks away
  double until, rtol;
} sample;

static sample draw(rng *r)
{
  sample c = {.lifts = rng_chance(r, 0.5)};
  c.m = draw_log(r, 0.1, 10), c.N = draw_log(r, 0.1, 10), c.mu = draw_between(r, 0.1, 1);
  c.t = draw_log(r, 0.1, 10), c.until = c.t * draw_between(r, 1.5, 4);
  c.c = (c.lifts ? c.N : c.mu * c.N) / c.t;
  c.rtol = draw_log(r, 1e-9, 1e-5);
  return c;
}

static void write_model(const sample *c, char *text, size_t size)
{
  snprintf(text, size,
           "coordinate x, y\nkinetic %.17g*(x'^2 + y'^2)/2\npotential %.17g*y\n"
           "force %s = %.17g*t\nunilateral f: y >= 0 { slip x'; friction %.17g }\n",
           c->m, c->N, c->lifts ? "y" : "x", c->c, c->mu);
}

static void under_a_force_that_grows(void **state)
{
  (void)state;
  static const char *const schemes[] = {"moreau-adaptive", "moreau-variable-order", "radau5",
                                        "herk3", "lobatto4"};
  char text[600];
  tally t = tally_begin("breakaway", 200);
  while (tally_next(&t)) {
    const sample c = draw(&t.r);
    write_model(&c, text, sizeof text);
    const double after = c.until - c.t, way = c.c * after * after * after / (6 * c.m);
    for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
      const double size = fmax(way, 3 * way / after);
      trial x = {.text = text, .scheme = schemes[k], .step = c.until / 100, .until = c.until};
      x.rtol = c.rtol, x.atol = c.rtol * size;
      if (!tally_wants(schemes[k])) continue;
      trial_run(&x);
      // each step is wrong by about as much, and what it does to the velocity goes on
      const double error = fabs(x.q[c.lifts] - way);
      const double allowed = 4 * c.rtol * (way + size * after + size);
      tally_comparison(&t, &x, error / (allowed * (double)x.counts.steps), "place");
    }
  }
  tally_end(&t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(under_a_force_that_grows)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
