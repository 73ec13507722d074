// Belts: slip against an imposed motion, springs, directions that turn round; in a line by closed
// forms, in a plane against stretched time.
#include "numbers.h"
#include "reference_belt.h"
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

typedef struct fixture_on {
  char text[TRIAL_TEXT];
  double until, rate;  // rate: the fastest of the motion's frequencies
  double size, speed;  // of the motion
  double x[2], v[2];   // at the end
  double turning;      // the fastest rate at which the direction of slip turns
  int changes;
  bool plane;
} fixture_on;

static void draw_spring(rng *r, fixture_on *c)
{
  const double w = draw_log(r, 0.5, 20), m = draw_log(r, 0.1, 10), mu = draw_between(r, 0.1, 0.9);
  const double g = draw_between(r, 2, 12), reach = mu * g / (w * w);  // F/k
  const spring_belt b = {m, m * w * w, mu * m * g,
                         rng_chance(r, 0.2) ? 0 : reach * w * draw_log(r, 0.05, 4) * draw_sign(r)};
  const belt_state start = {0, reach * draw_between(r, -6, 6), reach * w * draw_between(r, -4, 4)};
  c->until = draw_between(r, 2, 14) / w;
  const belt_state end = spring_belt_at(&b, start, c->until, &c->changes);
  c->x[0] = (double)end.x, c->v[0] = (double)end.v;
  c->rate = w, c->size = fmax(fabs((double)start.x), reach) + fabs((double)start.v) / w;
  c->size += fabs((double)b.u) / w, c->speed = c->size * w;
  snprintf(c->text, sizeof c->text,
           "coordinate x = %.17Lg, y\nvelocity x = %.17Lg\nkinetic %.17g*(x'^2 + y'^2)\n"
           "potential %.17Lg*x^2 + %.17g*y\n"
           "unilateral belt: y >= 0 { slip x' - (%.17Lg); friction %.17g }\n",
           start.x, start.v, m / 2, b.k / 2, m * g, b.u, mu);
}

static void draw_shaken(rng *r, fixture_on *c)
{
  const double w = draw_log(r, 0.5, 30), m = draw_log(r, 0.1, 10), mu = draw_between(r, 0.1, 0.9);
  const double g = draw_between(r, 2, 12), F = mu * m * g;
  const shaken_belt b = {m, rng_chance(r, 0.5) ? F * draw_between(r, -0.8, 0.8) : 0, F,
                         mu * g / w * draw_log(r, 0.3, 8), w};
  const belt_state start = {0, 0, (double)b.U * draw_between(r, -2, 2)};
  c->until = draw_between(r, 3, 25) / w;
  const belt_state end = shaken_belt_at(&b, start, c->until, &c->changes);
  c->x[0] = (double)end.x, c->v[0] = (double)end.v;
  c->rate = w, c->speed = (double)fmaxl(fabsl(start.v), b.U) + mu * g / w;
  c->size = c->speed / w + fabs(c->x[0]);
  snprintf(c->text, sizeof c->text,
           "coordinate x, y\nvelocity x = %.17Lg\nkinetic %.17g*(x'^2 + y'^2)\npotential %.17g*y\n"
           "force x = %.17Lg\n"
           "unilateral belt: y >= 0 { slip x' - %.17Lg*sin(%.17g*t); friction %.17g }\n",
           start.v, m / 2, m * g, b.P, b.U, w, mu);
}

static void draw_plane(rng *r, fixture_on *c)
{
  plane_state start, end;
  real slowest;
  plane_belt b;
  double w, m, mu, g, reach;
  do {
    w = draw_log(r, 0.5, 20), m = draw_log(r, 0.1, 10), mu = draw_between(r, 0.1, 0.9);
    g = draw_between(r, 2, 12), reach = mu * g / (w * w);
    b = (plane_belt){m, mu * m * g, reach * w * draw_log(r, 0.1, 3),
                     rng_chance(r, 0.4) ? 0 : m * w * w * draw_between(r, 0.2, 1), m * w * w};
    start = (plane_state){0,
                          {reach * draw_between(r, -2, 2), reach * draw_between(r, -3, 3)},
                          {reach * w * draw_between(r, -3, 3), reach * w * draw_between(r, -3, 3)}};
    c->until = draw_between(r, 2, 12) / w;
  } while (!plane_belt_at(&b, start, c->until, &end, &c->changes, &slowest));
  for (int i = 0; i < 2; i++) c->x[i] = (double)end.r[i], c->v[i] = (double)end.v[i];
  c->rate = w,
  c->size = (double)(hypotl(start.r[0], start.r[1]) + hypotl(start.v[0], start.v[1]) / w);
  c->size += reach + (double)b.u * c->until, c->speed = c->size * w, c->plane = true;
  const double turn = draw_between(r, -3, 3), a = cos(turn), d = sin(turn);
  snprintf(c->text, sizeof c->text,
           "coordinate x = %.17Lg, y = %.17Lg, z\nvelocity x = %.17Lg, y = %.17Lg\n"
           "kinetic %.17g*(x'^2 + y'^2 + z'^2)\npotential %.17Lg*x^2 + %.17Lg*y^2 + %.17g*z\n"
           "let sx = x' - (%.17Lg)\nunilateral belt: z >= 0 {\n"
           "  slip (%.17g)*sx + (%.17g)*y', (%.17g)*sx + (%.17g)*y'; friction %.17g }\n",
           start.r[0], start.r[1], start.v[0], start.v[1], m / 2, b.kx / 2, b.ky / 2, m * g, b.u, a,
           d, -d, a, mu);
}

static void comparison(tally *t, const fixture_on *c, const trial *run, double bound)
{
  double place = 0, velocity = 0;
  for (int i = 0; i < 1 + c->plane; i++) {
    place = hypot(place, run->q[i] - c->x[i]), velocity = hypot(velocity, run->v[i] - c->v[i]);
  }
  place /= bound * c->size, velocity /= bound * c->speed;
  tally_comparison(t, run, fmax(place, velocity), place > velocity ? "place" : "velocity");
}

static void try_schemes(tally *t, const fixture_on *c)
{
  const double ratio = draw_log(&t->r, 5e-3, 0.7);
  const int digits = rng_int(&t->r, 6, 10);
  for (int k = 0; k < dls_scheme_count(); k++) {
    const dls_scheme_info *info = dls_scheme_info_at(k);
    at_case("%s", info->name);
    if (!tally_wants(info->name) || (c->plane && strcmp(info->name, "lcp") == 0)) continue;
    static trial run;
    run =
        (trial){.text = c->text, .scheme = info->name, .step = ratio / c->rate, .until = c->until};
    run.max_steps = 40000;
    if (!info->events) {
      run.step = fmin(ratio, 0.02) / c->rate;
      if (info->adaptive) run.rtol = 1e-3, run.atol = 1e-3 * fmin(c->size, c->speed);
      trial_run(&run);
      // errors of steps that hold jumps add up: a tolerance of 1e-3 is no error of 1e-3
      comparison(t, c, &run, run.rtol > 0 ? 0.1 : 5 * run.step * c->rate);
      continue;
    }
    trial_run(&run);
    // in a plane friction is stiff where slip begins
    const double quick = ratio * fmax(1, c->turning / c->rate);
    const int order = c->plane && c->changes > 1 ? 2 : info->order;
    comparison(t, c, &run, fmin(0.5, 10 * (1 + c->changes) * pow(quick, order)) + 2e-8);
    run.rtol = pow(10, -(info->order == 2 ? 6 : info->order == 3 ? fmin(digits, 8) : digits));
    run.atol = run.rtol * fmin(c->size, c->speed);
    trial_run(&run);
    comparison(t, c, &run,
               (c->plane ? 500 : 100) * run.rtol * (1 + c->changes) *
                   fmax(1, fmax(c->rate, 1 / c->rate)));
  }
}

static void family(const char *name, void (*draw)(rng *, fixture_on *), int cases)
{
  tally t = tally_begin(name, cases);
  static fixture_on c;
  while (tally_next(&t)) {
    memset(&c, 0, sizeof c);
    draw(&t.r, &c);
    assert_true(isfinite(c.x[0]) && isfinite(c.v[0]));
    try_schemes(&t, &c);
  }
  tally_end(&t);
}

static void springs(void **state)
{
  (void)state;
  family("springs", draw_spring, TRIED(100));
}

static void shaken(void **state)
{
  (void)state;
  family("shaken belts", draw_shaken, TRIED(60));
}

static void planes(void **state)
{
  (void)state;
  family("belts in a plane", draw_plane, TRIED(40));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(springs),
      cmocka_unit_test(shaken),
      cmocka_unit_test(planes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
