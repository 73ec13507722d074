// Bodies at rest in space that growing forces set in motion, or do not: point masses, and plates on
// feet, whose forces are not unique. Against closed forms. What moves has three feet: of more, the
// normal forces are not unique either, and then neither is the way.
#include "numbers.h"
#include "trial.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

typedef enum load { PULL, TURN, HOLD } load;

typedef struct start {
  load load;
  int feet;  // 0: a point mass
  double mass, inertia, arm, mu, weight, rate, angle;
  double begin, until;
  double place[3];  // x, y, angle at the end
  double scale;
  char text[TRIAL_TEXT];
} start;

static size_t write_body(const start *c)
{
  const double pull = c->load == TURN ? 0 : 1;
  const char *grows = c->load == HOLD ? "" : "*t";
  int size =
      snprintf((char *)c->text, sizeof c->text,
               "coordinate x, y, z%s\nkinetic %.17g*(x'^2 + y'^2 + z'^2)%s\npotential %.17g*z\n"
               "force x = %.17g%s, y = %.17g%s\n",
               c->feet ? ", th, p, r" : "", c->mass / 2, "", c->weight,
               pull * c->rate * cos(c->angle), grows, pull * c->rate * sin(c->angle), grows);
  return (size_t)size;
}

static void write_start(start *c)
{
  size_t at = write_body(c);
  char *text = c->text;
  if (c->feet == 0) {
    snprintf(text + at, sizeof c->text - at,
             "unilateral floor: z >= 0 { slip x', y'; friction %.17g }\n", c->mu);
    return;
  }
  at += (size_t)snprintf(text + at, sizeof c->text - at,
                         "kinetic %.17g*th'^2 + %.17g*(p'^2 + r'^2)\n", c->inertia / 2,
                         c->inertia / 3);
  if (c->load == TURN)
    at += (size_t)snprintf(text + at, sizeof c->text - at, "force th = %.17g*t\n", c->rate);
  for (int i = 0; i < c->feet; i++) {
    const double a = c->angle / 3 + 2 * M_PI * i / c->feet, R = c->arm;
    at += (size_t)snprintf(text + at, sizeof c->text - at,
                           "unilateral f%d: z + (%.17g)*p + (%.17g)*r >= 0 {\n"
                           "  slip x' - %.17g*sin(th + %.17g)*th', y' + %.17g*cos(th + %.17g)*th'; "
                           "friction %.17g }\n",
                           i, R * cos(a), R * sin(a), R, a, R, a, c->mu);
  }
  assert_true(at < sizeof c->text);
}

// The force mu N is reached at `begin`; from then on the rest of the load, which grows with the
// time since, moves the body: rate s^3 / 6 m.
static void draw_start(rng *r, load l, bool plate, start *c)
{
  *c = (start){.load = l, .feet = !plate ? 0 : l == HOLD ? rng_int(r, 3, 6) : 3};
  c->mass = draw_log(r, 0.1, 10), c->arm = draw_log(r, 0.1, 3);
  c->inertia = c->mass * c->arm * c->arm * draw_between(r, 0.3, 1);
  c->weight = c->mass * draw_log(r, 3, 20), c->mu = draw_between(r, 0.1, 0.9);
  c->angle = draw_between(r, -3, 3);
  const double bears = c->mu * c->weight * (l == TURN ? c->arm : 1);
  c->begin = draw_log(r, 0.1, 3);
  c->rate = l == HOLD ? bears * draw_between(r, 0.5, 0.995) : bears / c->begin;
  c->until = c->begin * draw_between(r, 1.3, 2);
  const double s = c->until - c->begin, way = l == HOLD ? 0 : c->rate * s * s * s / 6;
  if (l == TURN) c->place[2] = way / c->inertia, c->scale = c->arm * c->place[2];
  else {
    c->place[0] = way / c->mass * cos(c->angle), c->place[1] = way / c->mass * sin(c->angle);
    c->scale = l == HOLD ? bears / c->mass * c->until * c->until : way / c->mass;
  }
  write_start(c);
}

static void comparison(tally *t, const start *c, const trial *run, double bound)
{
  const double x = run->q[0] - c->place[0], y = run->q[1] - c->place[1];
  const double turned = c->feet ? c->arm * (run->q[3] - c->place[2]) : 0;
  double ratio = fmax(hypot(x, y), fabs(turned)) / (bound * c->scale);
  const char *what = "place";
  for (int j = 0; j < run->m; j++)
    if (run->status[j] != (c->load == HOLD ? DLS_STICKING : DLS_SLIDING))
      ratio = 1e9, what = "status";
  if (c->load == HOLD && run->events > 0) ratio = 1e9, what = "events";
  tally_comparison(t, run, ratio, what);
}

static void try_schemes(tally *t, const start *c)
{
  const double ratio = draw_log(&t->r, 3e-3, 0.1);
  // when a plate breaks loose is known to what its forces, which are not unique, are known to
  const double known = c->feet && c->load == PULL ? 3e-6 : 1e-7;
  const int digits = rng_int(&t->r, 6, 9);
  for (int k = 0; k < dls_scheme_count(); k++) {
    const dls_scheme_info *info = dls_scheme_info_at(k);
    if (!info->events || !tally_wants(info->name)) continue;
    static trial run;
    run =
        (trial){.text = c->text, .scheme = info->name, .step = ratio * c->until, .until = c->until};
    if (rng_chance(&t->r, 0.5)) {
      trial_run(&run);
      comparison(t, c, &run, fmin(0.5, 20 * pow(ratio, info->order)) + known);
    } else {
      run.rtol = pow(10, -(info->order == 2 ? 5 : digits));
      run.atol = run.rtol * fmin(c->scale, c->scale / c->until);
      trial_run(&run);
      comparison(t, c, &run, fmax(300 * run.rtol, known));
    }
  }
}

static void family(const char *name, load l, bool plate, int cases)
{
  static start c;
  for (tally t = tally_begin(name, cases);;) {
    if (!tally_next(&t)) {
      tally_end(&t);
      return;
    }
    draw_start(&t.r, l, plate, &c);
    try_schemes(&t, &c);
  }
}

static void points(void **state)
{
  (void)state;
  family("points that break loose", PULL, false, TRIED(30));
}

static void pulled(void **state)
{
  (void)state;
  family("plates that are pulled", PULL, true, TRIED(12));
}

static void turned(void **state)
{
  (void)state;
  family("plates that are turned", TURN, true, TRIED(12));
}

static void held(void **state)
{
  (void)state;
  family("plates that stay", HOLD, true, TRIED(20));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points),
      cmocka_unit_test(pulled),
      cmocka_unit_test(turned),
      cmocka_unit_test(held),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
