// Friction that depends on the slip velocity, by Stribeck's curve: a mass on a belt, held by a
// spring. Where it breaks away and where it is caught again, against an integration of its own.
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

typedef struct belt {
  double m, N, k, v, mu_s, mu, v_s;  // v_s: the speed over which friction falls from mu_s to mu
} belt;

enum { SLIDES = 3 };

static double mu_at(const belt *b, double slip)
{
  return b->mu + (b->mu_s - b->mu) * exp(-fabs(slip) / b->v_s);
}

static double acceleration(const belt *b, double x, double speed)
{
  return (-b->k * x + b->N * mu_at(b, b->v - speed)) / b->m;
}

// One step of Kutta's method of order four; the mass slides back against the belt.
static void slide(const belt *b, double h, double *x, double *u)
{
  const double k1 = acceleration(b, *x, *u);
  const double k2 = acceleration(b, *x + h / 2 * *u, *u + h / 2 * k1);
  const double k3 = acceleration(b, *x + h / 2 * *u + h * h / 4 * k1, *u + h / 2 * k2);
  const double k4 = acceleration(b, *x + h * *u + h * h / 2 * k2, *u + h * k3);
  *x += h * *u + h * h / 6 * (k1 + k2 + k3);
  *u += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
}

// It sticks to the belt at x and is carried until friction does not hold it any more; then it
// slides until it has the belt's speed again, at *x. Both times.
static void one_round(const belt *b, double *x, double *stuck, double *slid)
{
  const double end = b->mu_s * b->N / b->k, h = 2e-5;
  *stuck = (end - *x) / b->v;
  double at = end, u = b->v, before_x, before_u;
  long steps = 0;
  do {
    before_x = at, before_u = u;
    slide(b, h, &at, &u);
    steps++;
  } while (u < b->v || steps < 10);
  double low = 0, high = h;
  for (int i = 0; i < 60; i++) {
    const double part = (low + high) / 2;
    double y = before_x, w = before_u;
    slide(b, part, &y, &w);
    if (w < b->v) low = part;
    else high = part;
    at = y;
  }
  *slid = (double)(steps - 1) * h + low;
  *x = at;
}

static void write_model(const belt *b, bool bilateral, char *text, size_t size)
{
  snprintf(text, size,
           "parameter m = %.17g, N = %.17g, k = %.17g, v = %.17g, mu_s = %.17g, mu = %.17g, v_s = "
           "%.17g\ncoordinate x, y\nvelocity x = v\nkinetic m/2*(x'^2 + y'^2)\n"
           "potential N*y + k/2*x^2\n%s belt: y %s 0 {\n"
           "  slip x' - v; friction mu + (mu_s - mu)*exp(-abs(x' - v)/v_s)\n}\n",
           b->m, b->N, b->k, b->v, b->mu_s, b->mu, b->v_s, bilateral ? "bilateral" : "unilateral",
           bilateral ? "=" : ">=");
}

static const struct {
  const char *scheme;
  double step, rtol, wrong;  // of the times, in units of the time of a slide
} RUNS[] = {
    {"radau5", 1e-3, 1e-9, 2e-6}, {"herk5", 1e-3, 1e-9, 2e-6}, {"herk8", 1e-3, 1e-9, 2e-6},
    {"radau5", 1e-3, 0, 2e-5},    {"herk4", 1e-3, 0, 2e-5},    {"lobatto4", 1e-3, 0, 2e-5},
};

static const belt BELTS[] = {
    {1, 10, 100, 0.1, 0.4, 0.25, 0.2},
    {0.5, 20, 300, 0.05, 0.5, 0.2, 0.3},
    {2, 5, 40, 0.2, 0.3, 0.25, 0.05},
    {1e-6, 1e-5, 1e-4, 0.1, 0.4, 0.25, 0.2},  // other units of mass
    {1e6, 1e13, 1e8, 1e5, 0.4, 0.25, 2e5},    // and of mass and length
};

static void times(void **state)
{
  (void)state;
  for (size_t b = 0; b < sizeof BELTS / sizeof *BELTS; b++) {
    double slip[SLIDES], stick[SLIDES], x = 0, t = 0, stuck, slid = 0;
    for (int i = 0; i < SLIDES; i++) {
      one_round(&BELTS[b], &x, &stuck, &slid);
      slip[i] = t += stuck;
      stick[i] = t += slid;
    }
    for (size_t r = 0; r < 2 * sizeof RUNS / sizeof *RUNS; r++) {
      char text[600];
      const size_t s = r / 2;
      write_model(&BELTS[b], r % 2 == 1, text, sizeof text);
      at_case("belt %zu, %s, rtol %g, %s", b, RUNS[s].scheme, RUNS[s].rtol,
              r % 2 ? "bilateral" : "");
      trial run = {.text = text,
                   .scheme = RUNS[s].scheme,
                   .step = RUNS[s].step,
                   .until = t + fmin(stuck, slid) / 9};
      run.rtol = RUNS[s].rtol, run.atol = RUNS[s].rtol * BELTS[b].v * slid;
      trial_run(&run);
      if (run.wrong) fail_msg("%s: %s", run.wrong, run.message);
      int slips = 0, sticks = 0;
      for (int i = 0; i < run.events; i++) {
        const bool slipped = run.kind[i] == DLS_EVENT_SLIP;
        if (!slipped && run.kind[i] != DLS_EVENT_STICK) continue;
        const int k = slipped ? slips++ : sticks++;
        if (k >= SLIDES) fail_msg("an event more at %g", run.time[i]);
        const double wrong = fabs(run.time[i] - (slipped ? slip : stick)[k]) / slid;
        if (!(wrong <= RUNS[s].wrong))
          fail_msg("%s %d at %.12g, not %.12g: %g", slipped ? "slip" : "stick", k, run.time[i],
                   (slipped ? slip : stick)[k], wrong);
      }
      assert_int_equal(slips, SLIDES);
      assert_int_equal(sticks, SLIDES);
    }
  }
}

// Schemes on a grid: of order one.
static void grid(void **state)
{
  (void)state;
  static const char *const schemes[] = {"moreau", "moreau-projected", "moreau-adaptive", "lcp"};
  const belt *b = &BELTS[0];
  double x = 0, stuck, slid, t = 0;
  for (int i = 0; i < 2; i++) {
    one_round(b, &x, &stuck, &slid);
    t += stuck + slid;
  }
  const double until = t + stuck / 3, end = x + b->v * stuck / 3;  // it sticks then
  char text[600];
  write_model(b, false, text, sizeof text);
  for (size_t s = 0; s < sizeof schemes / sizeof *schemes; s++) {
    at_case("%s", schemes[s]);
    trial run = {.text = text, .scheme = schemes[s], .step = 2e-4, .until = until};
    if (strstr(schemes[s], "adaptive")) run.rtol = 1e-6, run.atol = 1e-7;
    trial_run(&run);
    if (run.wrong) fail_msg("%s: %s", run.wrong, run.message);
    if (!(fabs(run.q[0] - end) < 1e-3)) fail_msg("x %.9g, not %.9g", run.q[0], end);
    assert_true(fabs(run.v[0] - b->v) < 1e-9);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(times), cmocka_unit_test(grid)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
