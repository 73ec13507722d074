// Restitution that depends on the velocity before the impact; Painleve's rod, which slides into the
// point where its motion ceases to be determined, or does not.
#include "numbers.h"
#include "reference_rod.h"
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

// ---- restitution

typedef struct drop {
  double g, y, v, e0, c, floor;  // the floor moves at this speed
  double until, at, speed, size;
  int impacts;
  char text[TRIAL_TEXT];
} drop;

static void draw_drop(rng *r, drop *d)
{
  d->g = draw_log(r, 1, 20), d->y = draw_log(r, 0.1, 10), d->v = rng_real(r) * sqrt(d->g * d->y);
  d->e0 = draw_between(r, 0.4, 1), d->c = sqrt(d->g * d->y) * draw_log(r, 0.3, 10);
  d->floor = rng_chance(r, 0.5) ? 0 : rng_real(r) * 0.3 * sqrt(d->g * d->y);
  // in the frame of the floor
  double v = d->v - d->floor, fast = sqrt(v * v + 2 * d->g * d->y), t = (v + fast) / d->g;
  d->impacts = rng_int(r, 1, 4);
  for (int k = 1;; k++) {
    const double after = fast * d->e0 / (1 + fast / d->c), flight = 2 * after / d->g;
    const double part = flight * draw_between(r, 0.2, 0.8);
    if (k == d->impacts) {
      d->until = t + part;
      d->at = after * part - d->g * part * part / 2 + d->floor * d->until;
      d->speed = after - d->g * part + d->floor;
      break;
    }
    t += flight, fast = after;
  }
  d->size = d->y + d->v * d->v / d->g;
  snprintf(
      d->text, sizeof d->text,
      "coordinate y = %.17g\nvelocity y = %.17g\nkinetic y'^2\npotential %.17g*y\n"
      "unilateral floor: y - (%.17g)*t >= 0 { restitution %.17g/(1 + abs(y' - (%.17g))/%.17g) }\n",
      d->y, d->v, 2 * d->g, d->floor, d->e0, d->floor, d->c);
}

static void drops(void **state)
{
  (void)state;
  tally t = tally_begin("drops", TRIED(24));
  while (tally_next(&t)) {
    static drop d;
    static trial run;
    draw_drop(&t.r, &d);
    for (int k = 0; k < dls_scheme_count(); k++) {
      const dls_scheme_info *info = dls_scheme_info_at(k);
      if (!tally_wants(info->name)) continue;
      for (int chosen = 0; chosen < 2; chosen++) {
        at_case("%s, chosen %d", info->name, chosen);
        if (info->events ? 0 : chosen != info->adaptive) continue;
        run = (trial){.text = d.text, .scheme = info->name, .until = d.until};
        run.step = d.until / (info->events ? 200 : 4000);
        if (chosen) run.rtol = info->events ? 1e-6 : 1e-4, run.atol = run.rtol * fmin(1, d.size);
        trial_run(&run);
        const double fast = sqrt(d.g * d.size), bound = info->events ? 1e-3 : 0.03;
        const double place = fabs(run.q[0] - d.at) / (bound * d.size);
        tally_comparison(&t, &run, fmax(place, fabs(run.v[0] - d.speed) / (bound * fast)),
                         "rebound");
      }
    }
  }
  tally_end(&t);
}

// ---- the rod

static void known_point(void **state)
{
  (void)state;
  const rod_end end = rod_follow((rod){1, 1, 9.81L, 1.6L, 0.78L, 3, -20});
  assert_int_equal(end.fate, ROD_LOST);
  close_to((double)end.t, 0.01241, 1e-5), close_to((double)end.w, 3.6617, 1e-4);
  // there, by hand: tan^2 - 3 mu tan + 4 = 0, l sin(th) w^2 = g
  const double tangent = (4.8 - sqrt(4.8 * 4.8 - 16)) / 2, th = atan(tangent);
  close_to((double)end.th, th, 1e-9), close_to((double)end.w, sqrt(9.81 / sin(th)), 1e-6);
  // two ways agree before it
  rod_end plain;
  assert_true(rod_at((rod){1, 1, 9.81L, 1.6L, 0.78L, 3, -20}, 0.012L, &plain));
  assert_true(plain.th < end.th && plain.w < end.w && plain.th > 0.81);
}

static void write_rod(const rod *r, char *text, size_t size)
{
  snprintf(text, size,
           "parameter m = %.17Lg, l = %.17Lg, g = %.17Lg\nlet I = m*l^2/3\n"
           "coordinate th = %.17Lg, x, y = l*sin(th)\n"
           "velocity th = %.17Lg, x = %.17Lg, y = l*cos(th)*th'\n"
           "kinetic m/2*(x'^2 + y'^2) + I/2*th'^2\npotential m*g*y\n"
           "unilateral floor: y - l*sin(th) >= 0 {\n"
           "  slip x' + l*sin(th)*th'; friction %.17Lg; restitution 0 }\n",
           r->m, r->l, r->g, r->th, r->w, r->v, r->mu);
}

static rod draw_rod(rng *r)
{
  rod s = {.l = draw_log(r, 0.1, 3), .m = draw_log(r, 0.1, 10), .g = draw_between(r, 2, 12)};
  s.mu = draw_between(r, 1.35, 2.5);
  const real low = atanl((3 * s.mu - sqrtl(9 * s.mu * s.mu - 16)) / 2);  // A vanishes first here
  s.th = low - draw_log(r, 0.01, 0.3);
  s.w = sqrtl(s.g / (s.l * sinl(low))) * draw_between(r, 0.2, 1.1);
  if (rng_chance(r, 0.5)) {  // from farther away, nearer to the end of its normal force
    s.th = low - draw_between(r, 0.1, 0.6);
    s.w = sqrtl(s.g / (s.l * sinl(s.th)) * draw_between(r, 0.3, 0.97));
  }
  s.v = -sqrtl(s.g * s.l) * draw_log(r, 3, 30);
  return s;
}

// A loss lies ahead: the run has to end there, and to say why. One that ends well is wrong; one
// that fails in another way gave up.
static void comparison_loss(tally *t, trial *run, double ratio)
{
  const bool told = run->wrong && strcmp(run->wrong, dls_failure_text(DLS_FAILURE_UNIQUENESS)) == 0;
  const bool passed = !run->wrong;
  if (told) run->wrong = NULL;
  tally_comparison(t, run, passed ? INFINITY : ratio,
                   passed ? "the loss was not noticed" : "time of the loss");
}

// Moreau's family, with the same cases: where a loss lies ahead it is told, not much later than
// there; and not where the rod takes off long before.
static void try_rod_on_grid(tally *t, const rod *r, rod_end fate, const char *text)
{
  const double tau = sqrt((double)(r->l / r->g)), end = (double)fate.t;
  const double step = fmin(end / 20, tau * draw_log(&t->r, 1e-4, 1e-2));
  for (int k = 0; k < dls_scheme_count(); k++) {
    const dls_scheme_info *info = dls_scheme_info_at(k);
    at_case("%s", info->name);
    if (info->events || !tally_wants(info->name)) continue;
    static trial run;
    run = (trial){.text = text, .scheme = info->name, .step = step, .until = 1.5 * end};
    if (info->adaptive) run.rtol = 1e-5, run.atol = 1e-5 * fmin(1, (double)r->l);
    if (fate.fate == ROD_TAKES_OFF) run.until = 1.02 * end;
    trial_run(&run);
    const double room = fmax(fmax(3 * step, 0.05 * end), 0.3 * sqrt(step * tau));
    if (fate.fate == ROD_LOST) {
      comparison_loss(t, &run, fabs(run.t - end) / room);
    } else {
      tally_comparison(t, &run, 0, "takes off");
    }
  }
}

static void try_rod(tally *t, const rod *r, rod_end fate, const char *text)
{
  const double tau = sqrt((double)(r->l / r->g)), end = (double)fate.t;
  const double step = fmin(end / 20, tau * draw_log(&t->r, 1e-3, 3e-2));
  for (int k = 0; k < dls_scheme_count(); k++) {
    const dls_scheme_info *info = dls_scheme_info_at(k);
    if (!info->events || !tally_wants(info->name)) continue;
    for (int chosen = 0; chosen < 2; chosen++) {
      at_case("%s, chosen %d", info->name, chosen);
      static trial run;
      run = (trial){.text = text, .scheme = info->name, .step = step, .until = 1.3 * end};
      run.max_steps = 20000;
      if (chosen) run.rtol = 1e-6, run.atol = 1e-6 * fmin(1, (double)r->l);
      if (fate.fate == ROD_TAKES_OFF) run.until = 1.02 * end;
      trial_run(&run);
      const double late =
          fabs((fate.fate == ROD_LOST ? run.t : trial_last(&run, DLS_EVENT_TAKE_OFF)) - end);
      const double bound = chosen ? 0.01 * end : fmax(2 * step, 0.01 * end);
      if (fate.fate == ROD_LOST) {
        comparison_loss(t, &run, late / bound);
      } else {
        tally_comparison(t, &run, late / bound, "time of take-off");
      }
    }
  }
}

static void rods(void **state)
{
  (void)state;
  int lost = 0, off = 0;
  tally t = tally_begin("rods", TRIED(40));
  while (tally_next(&t)) {
    char text[TRIAL_TEXT];
    rod r = draw_rod(&t.r);
    rod_end fate = rod_follow(r);
    if (fate.fate != ROD_LOST && fate.fate != ROD_TAKES_OFF) continue;
    lost += fate.fate == ROD_LOST, off += fate.fate == ROD_TAKES_OFF;
    write_rod(&r, text, sizeof text);
    try_rod(&t, &r, fate, text);
    try_rod_on_grid(&t, &r, fate, text);
  }
  assert_true(t.cases < 10 || (lost > 0 && off > 0));
  tally_end(&t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(drops),
      cmocka_unit_test(known_point),
      cmocka_unit_test(rods),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
