// Events inside of steps: gaps, normal forces and friction that dip and return. Against motions in
// closed form whose events are found by steps that provably miss none.
#include "numbers.h"
#include "reference_flights.h"
#include "trial.h"

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

typedef struct story {
  char text[TRIAL_TEXT];
  double until, rate, size;
  double x, v;    // at the end
  double growth;  // how much an error has grown by then
  int events, kind;
  double last;  // time of the last of them
  rattle walls;
  bool points;  // the gap is looked at between the steps
} story;

static void write_waves(const waves *f, char *to, size_t size)
{
  char *end = to + size;
  to += snprintf(to, size, "%.17Lg", f->a);
  for (int i = 0; i < f->count; i++)
    to += snprintf(to, (size_t)(end - to), " + (%.17Lg)*sin(%.17Lg*t + (%.17Lg))", f->A[i], f->w[i],
                   f->phi[i]);
  assert_true(to < end);
}

static waves draw_waves(rng *r, double size, double rate)
{
  waves f = {.count = rng_int(r, 1, 3)};
  for (int i = 0; i < f.count; i++) {
    f.A[i] = size * draw_between(r, 0.3, 1) / f.count, f.w[i] = rate * draw_log(r, 0.4, 1);
    f.phi[i] = draw_between(r, -3, 3);
  }
  return f;
}

// ---- rattling between flanks

static void write_rattle(const rattle *w, double x, double v, double m, story *c)
{
  char wall[400], upper[500] = "";
  write_waves(&w->wall, wall, sizeof wall);
  if (isfinite(w->b))
    snprintf(upper, sizeof upper,
             "unilateral back: wall + %.17Lg - x >= 0 { restitution %.17Lg }\n", w->b, w->e);
  snprintf(c->text, sizeof c->text,
           "coordinate x = %.17g\nvelocity x = %.17g\nkinetic %.17g*x'^2\nforce x = %.17Lg\n"
           "let wall = %s\nunilateral front: x - wall + %.17Lg >= 0 { restitution %.17Lg }\n%s",
           x, v, m / 2, w->acceleration * m, wall, isfinite(w->b) ? w->b : 0, w->e, upper);
  c->walls = *w, c->points = true, c->kind = DLS_EVENT_IMPACT;
}

// How much an error of x or v grows: the motion from a start a little aside.
static double growth_of(const rattle *w, double x, double v, double end, double size, double rate)
{
  const flight_end a = rattle_at(w, x, v, end);
  double most = 1;
  for (int k = 0; k < 2; k++) {
    const real d = 1e-9L * size, dx = k ? 0 : d, dv = k ? d * rate : 0;
    const flight_end b = rattle_at(w, x + dx, v + dv, end);
    most = fmax(most, (double)(fabsl(a.x - b.x) + fabsl(a.v - b.v) / rate) / (double)d);
  }
  return most;
}

static void draw_rattle(rng *r, story *c)
{
  for (;;) {
    const double size = draw_log(r, 0.01, 1), rate = draw_log(r, 1, 30);
    rattle w = {.wall = draw_waves(r, size, rate), .e = draw_between(r, 0.2, 0.95)};
    w.b = rng_chance(r, 0.6) ? size * draw_log(r, 0.2, 2) : INFINITY;
    w.acceleration = -size * rate * rate * draw_log(r, 1e-2, 1);
    const double first = (double)waves_at(&w.wall, 0, 0);
    const double x = first + size * (isfinite(w.b) ? 0 : draw_between(r, 0.1, 2));
    const double v = size * rate * draw_between(r, -0.5, 0.5), end = draw_between(r, 1, 30) / rate;
    const flight_end f = rattle_at(&w, x, v, end);
    if (!f.fit || f.shortest * rate < 0.02L || f.closest < 0.01L * size || f.impacts == 0) continue;
    c->growth = growth_of(&w, x, v, end, size, rate);
    if (!(c->growth < 1e3) || end - (double)f.last < 0.05 / rate) continue;
    c->until = end, c->rate = rate, c->size = size;
    c->x = (double)f.x, c->v = (double)f.v, c->events = f.impacts, c->last = (double)f.last;
    write_rattle(&w, x, v, draw_log(r, 0.1, 10), c);
    return;
  }
}

// ---- a bump that comes by once in a while, and reaches the point hardly, or hardly not

static void draw_bump(rng *r, story *c)
{
  const double size = draw_log(r, 0.1, 1), rate = draw_log(r, 1, 30);
  const double margin = draw_log(r, 1e-7, 1e-2) * draw_sign(r);
  rattle w = {.b = INFINITY, .e = draw_between(r, 0, 1)};
  w.wall = (waves){.count = 1, .A = {size}, .w = {rate}, .phi = {draw_between(r, -3, 1)}};
  const double x = size * (1 + margin), end = draw_between(r, 8, 40) / rate;
  const flight_end f = rattle_at(&w, x, 0, end);
  c->until = end, c->rate = rate, c->size = size, c->growth = 1 / sqrt(fabs(margin));
  c->x = (double)f.x, c->v = (double)f.v, c->events = f.impacts, c->last = (double)f.last;
  write_rattle(&w, x, 0, draw_log(r, 0.1, 10), c);
}

// ---- a table that shakes a mass off for a short part of each period; no restitution

static void draw_table(rng *r, story *c)
{
  const double rate = draw_log(r, 1, 30), g = draw_between(r, 2, 12), excess = draw_log(r, 1e-3, 1);
  const double size = g / (rate * rate) * (1 + excess), leaves = asin(1 / (1 + excess));
  rattle w = {.b = INFINITY, .acceleration = -g};
  w.wall = (waves){.count = 1, .A = {size}, .w = {rate}};
  // one flight is every flight; it begins like t^3
  const real begin = leaves / rate, quick = (M_PI / 2 - leaves) / 2 / rate;
  const real x = waves_at(&w.wall, 0, begin), v = waves_at(&w.wall, 1, begin);
  w.wall.phi[0] = rate * (begin + quick);
  const flight_end f =
      rattle_at(&w, x + v * quick - g * quick * quick / 2, v - g * quick, 6 / rate);
  const double landing = leaves + rate * (double)(f.last + quick);
  w.wall.phi[0] = 0;
  const int periods = rng_int(r, 1, 5);
  const double phase = draw_between(r, 0.05, 0.95);
  // at rest, between a landing and the next take-off
  const double end = landing + phase * (leaves + 2 * M_PI - landing) + 2 * M_PI * (periods - 1);
  c->until = end / rate, c->rate = rate, c->size = size, c->growth = 1;
  c->x = size * sin(end), c->v = size * rate * cos(end);
  c->events = f.impacts == 0 || sin(landing) * (1 + excess) > 1 ? -1 : periods;
  c->last = (leaves + 2 * M_PI * (periods - 1)) / rate;
  write_rattle(&w, 0, size * rate, draw_log(r, 0.1, 10), c);
  c->kind = DLS_EVENT_TAKE_OFF;
  c->points = false;  // while it is carried a cubic is not its motion
}

// ---- a block that a force moves for a part of the time

static void draw_shaker(rng *r, bool one, story *c)
{
  shaker s = {.m = draw_log(r, 0.1, 10)};
  const double rate = draw_log(r, 1, 50), mu = draw_between(r, 0.1, 0.9),
               g = draw_between(r, 2, 12);
  const double excess = draw_log(r, 1e-3, one ? 0.5 : 3);
  s.F = mu * s.m * g;
  for (;;) {
    s.force = draw_waves(r, 1, rate);
    if (one) s.force.count = 1;
    if (rng_chance(r, 0.5)) s.force.a = draw_between(r, -0.5, 0.5);
    real most = 0;
    for (int k = 0; k < 4000; k++)
      most = fmaxl(most, fabsl(waves_at(&s.force, 0, 40 / rate * k / 4000)));
    const real factor = s.F * (1 + excess) / most;
    s.force.a *= factor;
    for (int i = 0; i < s.force.count; i++) s.force.A[i] *= factor;
    c->until = draw_between(r, 3, 40) / rate;
    const shaker_end e = shaker_at(&s, c->until);
    if (fabsl(waves_at(&s.force, 0, 0)) >= s.F || e.tangents == 0) continue;
    if (c->until - (double)e.last < 0.02 / rate) continue;
    c->x = (double)e.x, c->v = (double)e.v, c->last = (double)e.last;
    c->events = one && e.shortest * rate > 0.02L && e.sticks >= e.tangents - 1 ? e.tangents : -1;
    break;
  }
  char force[400];
  write_waves(&s.force, force, sizeof force);
  c->rate = rate, c->size = (double)s.F / (double)s.m / (rate * rate), c->growth = 1 / sqrt(excess);
  c->kind = DLS_EVENT_SLIP;
  snprintf(c->text, sizeof c->text,
           "coordinate x, y\nkinetic %.17Lg*(x'^2 + y'^2)\npotential %.17Lg*y\nforce x = %s\n"
           "unilateral floor: y >= 0 { slip x'; friction %.17g }\n",
           s.m / 2, s.m * g, force, mu);
}

static void draw_one(rng *r, story *c)
{
  draw_shaker(r, true, c);
}

static void draw_mixed(rng *r, story *c)
{
  draw_shaker(r, false, c);
}

// ---- what came of it

static double gap_of(const void *self, double t, const double *q)
{
  const rattle *w = self;
  double wall = (double)w->wall.a;
  for (int i = 0; i < w->wall.count; i++)
    wall += (double)w->wall.A[i] * sin((double)w->wall.w[i] * t + (double)w->wall.phi[i]);
  const double b = isfinite(w->b) ? (double)w->b : 0;
  return isfinite(w->b) ? fmin(q[0] - wall + b, wall + b - q[0]) : q[0] - wall;
}

static void comparison(tally *t, const story *c, const trial *run, double bound)
{
  const double place = fabs(run->q[0] - c->x) / (bound * c->size);
  const double velocity = fabs(run->v[0] - c->v) / (bound * c->size * c->rate);
  double ratio = fmax(place, velocity);
  const char *what = place > velocity ? "place" : "velocity";
  if (c->events >= 0) {
    // where slip or a flight begins nothing moves at first: its place tells little about the time
    const double slow = c->kind == DLS_EVENT_IMPACT ? 1e-5 : fmax(1e-5, cbrt(run->rtol));
    const double late = fabs(trial_last(run, (dls_event_kind)c->kind) - c->last) * c->rate;
    const double known = fmax(10 * bound, slow);
    if (trial_count(run, (dls_event_kind)c->kind) != c->events)
      ratio = 1e9, what = "number of events";
    else if (c->events > 0 && !(late / known <= ratio))
      ratio = late / known, what = "time of the last event";
  }
  if (c->points) {
    const double deep = -trial_least_gap(run, gap_of, &c->walls) / (bound * c->size + 2e-9);
    if (!(deep <= ratio)) ratio = deep, what = "penetration";
  }
  tally_comparison(t, run, ratio, what);
}

static void try_schemes(tally *t, const story *c, bool fixed_too)
{
  enum { POINTS = 8000 };
  static trial_point points[POINTS];
  const int digits = rng_int(&t->r, 6, 9);
  const double first = draw_log(&t->r, 1e-3, 3), ratio = draw_log(&t->r, 3e-3, 0.05);
  for (int k = 0; k < dls_scheme_count(); k++) {
    const dls_scheme_info *info = dls_scheme_info_at(k);
    at_case("%s", info->name);
    if (!info->events || !tally_wants(info->name)) continue;
    static trial run;
    run = (trial){.text = c->text, .scheme = info->name, .until = c->until, .max_steps = 40000};
    run.points = points, run.points_room = POINTS;
    run.rtol = pow(10, -(info->order == 2 ? 6 : info->order == 3 ? fmin(digits, 8) : digits));
    run.atol = run.rtol * c->size * fmin(1, c->rate), run.step = first / c->rate;
    trial_run(&run);
    const double grown = c->growth * (1 + abs(c->events)) * fmax(1, c->rate * c->until);
    comparison(t, c, &run, fmin(0.05, 3 * run.rtol * grown));
    if (!fixed_too) continue;
    run.rtol = run.atol = 0, run.step = fmax(ratio / c->rate, c->until / 4000);
    trial_run(&run);
    comparison(t, c, &run, fmin(0.2, grown * pow(run.step * c->rate, info->order)) + 1e-8);
  }
}

static void family(const char *name, void (*draw)(rng *, story *), int cases, bool fixed_too)
{
  tally t = tally_begin(name, cases);
  static story c;
  while (tally_next(&t)) {
    memset(&c, 0, sizeof c);
    draw(&t.r, &c);
    try_schemes(&t, &c, fixed_too);
  }
  tally_end(&t);
}

static void rattles(void **state)
{
  (void)state;
  family("rattles", draw_rattle, TRIED(60), true);
}

static void bumps(void **state)
{
  (void)state;
  family("bumps", draw_bump, TRIED(60), false);
}

static void tables(void **state)
{
  (void)state;
  family("tables", draw_table, TRIED(40), true);
}

static void shakers(void **state)
{
  (void)state;
  family("shakers", draw_one, TRIED(60), true);
}

static void mixtures(void **state)
{
  (void)state;
  family("mixtures", draw_mixed, TRIED(40), false);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rattles), cmocka_unit_test(bumps),    cmocka_unit_test(tables),
      cmocka_unit_test(shakers), cmocka_unit_test(mixtures),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
