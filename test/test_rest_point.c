// A point mass on an inclined plane in space: it turns while it slides, and stops or does not.
// Thousands of random slopes, speeds and steps, by every scheme, against the closed form.
#include "numbers.h"
#include "reference_slide.h"
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

// The closed form by two ways: at rest, and anywhere before.
static void closed_form(void **state)
{
  (void)state;
  if (!tally_hunts("closed form")) return;
  rng r = rng_create(11);
  for (int k = 0; k < 200; k++) {
    at_case("k %d", k);
    slide s = {.g = k % 7 ? draw_log(&r, 0.1, 10) : 0, .speed = draw_log(&r, 1e-3, 100)};
    s.phi = draw_between(&r, 0, M_PI);
    s.f = s.g > 0 ? s.g * draw_between(&r, 0.2, 3) : 1;
    if (fabsl(s.f / s.g - 1) < 1e-3L || fabsl(2 * s.f / s.g - 1) < 1e-3L) continue;
    const slide_point a = slide_followed(s, 3 / (s.f + s.g));
    const slide_point b = slide_at(s, a.t);
    const real size = hypotl(a.down, a.across), speed = hypotl(a.v_down, a.v_across);
    if (!(hypotl(a.down - b.down, a.across - b.across) < 1e-13L * size) ||
        !(hypotl(a.v_down - b.v_down, a.v_across - b.v_across) < 1e-13L * (speed + s.speed)))
      fail_msg("%d: %Lg %Lg is not %Lg %Lg", k, a.down, a.across, b.down, b.across);
    if (!(s.f > 1.05L * s.g)) continue;
    const slide_point c = slide_followed(s, 40 / (s.f - s.g)), rest = slide_rest(s);
    if (!(hypotl(c.down - rest.down, c.across - rest.across) < 1e-13L * size) ||
        !(fabsl(c.t - rest.t) < 1e-13L * rest.t))
      fail_msg("%d: rests at %Lg %Lg, not %Lg %Lg", k, c.down, c.across, rest.down, rest.across);
  }
}

// ---- cases

typedef struct slope {
  slide s;
  bool stops;
  double scale, turn;  // length of the way; the time in which the direction turns
  double until;
  slide_point end;
  double axis[3][3];  // down, across, normal
  char text[TRIAL_TEXT];
} slope;

static double dot(const double *a, const double *b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void draw_axes(rng *r, double axis[3][3])
{
  for (int k = 0; k < 2; k++) {
    double size = 0;
    while (size < 0.1) {
      for (int i = 0; i < 3; i++) axis[k][i] = rng_real(r);
      const double along = k ? dot(axis[1], axis[0]) : 0;
      for (int i = 0; i < 3 && k; i++) axis[1][i] -= along * axis[0][i];
      size = sqrt(dot(axis[k], axis[k]));
    }
    for (int i = 0; i < 3; i++) axis[k][i] /= size;
  }
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    axis[2][i] = axis[0][j] * axis[1][k] - axis[0][k] * axis[1][j];
  }
}

// a x' + b y' + c z'
static void sum_of(const double *a, const char *mark, char *to, size_t size)
{
  snprintf(to, size, "(%.17g)*x%s + (%.17g)*y%s + (%.17g)*z%s", a[0], mark, a[1], mark, a[2], mark);
}

// The plane lies anywhere, its slip directions are turned by `turn`.
static void write_slope(slope *c, double mass, double normal, double mu, double turn)
{
  double one[3], two[3], v[3];
  char n[200], g[200], s1[200], s2[200];
  for (int i = 0; i < 3; i++) {
    one[i] = cos(turn) * c->axis[0][i] + sin(turn) * c->axis[1][i];
    two[i] = -sin(turn) * c->axis[0][i] + cos(turn) * c->axis[1][i];
    v[i] = (double)c->s.speed *
           (cos((double)c->s.phi) * c->axis[0][i] + sin((double)c->s.phi) * c->axis[1][i]);
  }
  sum_of(c->axis[2], "", n, sizeof n), sum_of(c->axis[0], "", g, sizeof g);
  sum_of(one, "'", s1, sizeof s1), sum_of(two, "'", s2, sizeof s2);
  snprintf(c->text, sizeof c->text,
           "coordinate x, y, z\nvelocity x = %.17g, y = %.17g, z = %.17g\n"
           "kinetic %.17g*(x'^2 + y'^2 + z'^2)\n"
           "potential %.17g*(%.17g*(%s) - %.17g*(%s))\n"
           "unilateral plane: %s >= 0 { slip %s, %s; friction %.17g }\n",
           v[0], v[1], v[2], mass / 2, mass, normal, n, (double)c->s.g, g, n, s1, s2, mu);
}

static void draw_slope(rng *r, slope *c)
{
  const double normal = draw_log(r, 1, 30), g = rng_chance(r, 0.1) ? 0 : draw_log(r, 0.3, 30);
  static const double directions[] = {0, M_PI, M_PI / 2, M_PI - 1e-3, 1e-3};
  const int kind = rng_int(r, 0, 9), where = rng_int(r, 0, 14);
  double k = draw_between(r, 1.05, 4);
  if (kind == 0) k = 1 + draw_log(r, 1e-4, 1e-1);
  if (kind == 1) k = 1 - draw_log(r, 1e-4, 1e-1);
  if (kind == 2) k = draw_between(r, 0.55, 0.95);
  if (g == 0) k = 1;
  const double mu = k * (g > 0 ? g : draw_log(r, 1, 10)) / normal;
  const double speed = draw_log(r, 1e-3, 100);
  c->s = (slide){.g = g, .f = mu * normal, .speed = speed};
  c->s.phi = where < 5 ? directions[where] : draw_between(r, 0, M_PI);
  // straight up or down and too weak to hold: it turns round, or never turns
  c->stops = mu * normal > g;
  if (!c->stops && c->s.phi > 3.14) c->s.phi = 2;
  c->turn = (double)(slide_slowest(c->s) / (c->s.f + c->s.g));
  if (c->stops) c->end = slide_rest(c->s), c->until = 1.3 * (double)c->end.t;
  else
    c->until = speed / (mu * normal + g) * draw_between(r, 2, 20),
    c->end = slide_at(c->s, (real)c->until);
  c->scale = fmax(hypot((double)c->end.down, (double)c->end.across), (double)c->s.speed * c->turn);
  draw_axes(r, c->axis);
  write_slope(c, draw_log(r, 1e-2, 1e2), normal, mu, draw_between(r, -3, 3));
}

// ---- what came of it, by its bound

static double error_of(const slope *c, const trial *run)
{
  const double down = dot(run->q, c->axis[0]) - (double)c->end.down;
  const double across = dot(run->q, c->axis[1]) - (double)c->end.across;
  return fmax(hypot(down, across), fabs(dot(run->q, c->axis[2])));
}

static double speed_error(const slope *c, const trial *run)
{
  const double down = dot(run->v, c->axis[0]) - (c->stops ? 0 : (double)c->end.v_down);
  const double across = dot(run->v, c->axis[1]) - (c->stops ? 0 : (double)c->end.v_across);
  return hypot(down, across);
}

// Errors relative to the way, and to the speed, are at most `bound`; friction gives no energy.
static void comparison(tally *t, const slope *c, const trial *run, double bound)
{
  const double speed = (double)c->s.speed;
  const double most = fmax(speed, hypot((double)c->end.v_down, (double)c->end.v_across));
  double ratio = error_of(c, run) / (bound * c->scale);
  const char *what = "place";
  const double velocity = speed_error(c, run) / (c->stops ? 1e-7 * speed : bound * most);
  if (velocity > ratio) ratio = velocity, what = "velocity";
  double heavy;  // the mass stands first in the kinetic energy
  sscanf(strstr(run->text, "kinetic") + 7, "%lf", &heavy);
  // where slope and friction nearly cancel their work is much more than the kinetic energy
  const double work = run->rtol * (double)c->s.f * c->scale;
  const double energy = run->energy_gain / (heavy * (fmin(bound, 0.1) * most * most + work));
  if (energy > ratio) ratio = energy, what = "energy";
  if (run->status[0] != (c->stops ? DLS_STICKING : DLS_SLIDING)) ratio = 1e9, what = "status";
  if (c->stops && dls_scheme_find(run->scheme)->events) {
    // where a place is known to rtol, the time at which it was reached is known to its root
    // and an error of the speed is one of the time by what slows it down, however little that is
    const double known = fmax(fmax(bound, 1e-5), 0.1 * sqrt(run->rtol)) * (double)c->end.t +
                         10 * run->rtol * speed / (double)(c->s.f - c->s.g);
    const double late = fabs(trial_last(run, DLS_EVENT_STICK) - (double)c->end.t) / known;
    if (!(late <= ratio)) ratio = late, what = "time of rest";
    if (run->rtol > 0 && trial_count(run, DLS_EVENT_STICK) != 1)
      ratio = 1e9, what = "number of stops";
  }
  tally_comparison(t, run, ratio, what);
}

static double fixed_bound(int order, double ratio)
{
  return fmin(0.5, 20 * pow(ratio, order)) + 1e-7;
}

static void try_schemes(tally *t, const slope *c)
{
  double ratio = rng_chance(&t->r, 0.15)   ? draw_between(&t->r, 1, 20)
                 : rng_chance(&t->r, 0.02) ? 1e-4
                                           : draw_log(&t->r, 2e-3, 0.3);
  const int digits = rng_int(&t->r, 6, 10);
  ratio = fmax(ratio, c->until / c->turn / 4000);
  for (int k = 0; k < dls_scheme_count(); k++) {
    const dls_scheme_info *info = dls_scheme_info_at(k);
    at_case("%s", info->name);
    if (!info->events || !tally_wants(info->name)) continue;
    static trial run;
    run =
        (trial){.text = c->text, .scheme = info->name, .step = ratio * c->turn, .until = c->until};
    trial_run(&run);
    comparison(t, c, &run, fixed_bound(info->order, ratio));
    run.step = fmin(run.step, c->until / 3);
    run.rtol = pow(10, -(info->order == 2 ? 6 : info->order == 3 ? fmin(digits, 8) : digits));
    run.atol = run.rtol * fmin(c->scale, (double)c->s.speed);
    trial_run(&run);
    comparison(t, c, &run, fmax(300 * run.rtol, 1e-7) * fmax(1, (double)c->s.speed / c->scale));
  }
}

// Moreau's scheme and its relatives: to first order. Not "lcp", whose cone has facets.
static void try_first_order(tally *t, const slope *c)
{
  const double ratio = draw_log(&t->r, 1e-3, 3e-2);
  if (c->until / (ratio * c->turn) > 4000) return;
  for (int k = 0; k < dls_scheme_count(); k++) {
    const dls_scheme_info *info = dls_scheme_info_at(k);
    at_case("%s", info->name);
    if (info->events || !tally_wants(info->name) || strcmp(info->name, "lcp") == 0) continue;
    static trial run;
    run =
        (trial){.text = c->text, .scheme = info->name, .step = ratio * c->turn, .until = c->until};
    run.max_steps = 20000;
    if (info->adaptive) run.rtol = 1e-3, run.atol = 1e-3 * fmin(c->scale, (double)c->s.speed);
    trial_run(&run);
    comparison(t, c, &run, info->adaptive ? 0.2 : 2 * ratio);
  }
}

static void slopes(void **state)
{
  (void)state;
  tally t = tally_begin("slopes", TRIED(80));
  static slope c;
  while (tally_next(&t)) {
    draw_slope(&t.r, &c);
    try_schemes(&t, &c);
    try_first_order(&t, &c);
  }
  tally_end(&t);
}

// Down a slope that is hardly less steep than friction holds: the direction joins that of the slope
// at once, and the way is long. Steps must neither leave that direction nor follow it closely.
static void driven(void **state)
{
  (void)state;
  static const char *const schemes[] = {"radau5", "lobatto6", "herk4", "herk5"};
  const slide s = {.g = 23.5L, .f = 23.51875L, .speed = 0.05L, .phi = 1e-3L};
  const slide_point end = slide_rest(s);
  static char text[TRIAL_TEXT];
  snprintf(text, sizeof text,
           "coordinate x, y, z\nvelocity x = %.17g, y = %.17g\nkinetic (x'^2 + y'^2 + z'^2)/2\n"
           "potential 10*z - 23.5*(0.8*x + 0.6*y)\n"
           "unilateral plane: z >= 0 { slip x', y'; friction 2.351875 }\n",
           0.05 * cos(atan2(0.6, 0.8) + 1e-3), 0.05 * sin(atan2(0.6, 0.8) + 1e-3));
  for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
    at_case("%s", schemes[k]);
    static trial run;
    run = (trial){.text = text, .scheme = schemes[k], .step = 0.004, .until = 4, .rtol = 1e-10};
    run.atol = 1e-12;
    trial_run(&run);
    const double across = 0.8 * run.q[1] - 0.6 * run.q[0] - (double)end.across;
    const double down = 0.8 * run.q[0] + 0.6 * run.q[1] - (double)end.down;
    const long steps = run.counts.steps + run.counts.rejected;
    if (run.wrong || !(fabs(across) < 1e-9) || !(fabs(down) < 1e-8) || steps > 600)
      fail_msg("%s: %s, %g across, %g down, %ld steps", schemes[k], run.wrong ? run.wrong : "there",
               across, down, steps);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closed_form),
      cmocka_unit_test(driven),
      cmocka_unit_test(slopes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
