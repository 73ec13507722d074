// Fixed steps that are too long for a spring or a damper: the run says so, or it stays where energy
// allows it to be.                                                                  eq (int.8)
#include "cases.h"
#include "fixture.h"
#include "trial.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum { STEPS = 200 };

typedef struct drawn {
  double m, k, slow, damping, h, stiff;  // stiff: h omega
} drawn;

static drawn draw(rng *r)
{
  drawn d = {.m = draw_log(r, 1e-3, 1e3), .h = draw_log(r, 1e-6, 1e2)};
  d.stiff = draw_log(r, 0.05, 50);
  const double omega = d.stiff / d.h;
  d.k = d.m * omega * omega;
  d.slow = d.k * draw_log(r, 1e-6, 1e-2);
  d.damping = rng_chance(r, 0.5) ? 0 : 2 * draw_log(r, 1e-3, 3) * d.m * omega;
  return d;
}

static void write_model(const drawn *d, char *text, size_t size)
{
  snprintf(text, size,
           "coordinate x = 1, z = 0.5\nkinetic %.17g*(x'^2 + z'^2)/2\n"
           "potential %.17g*x^2/2 + %.17g*(z - x)^2/2\n"
           "force x = -%.17g*(x' - z')\nforce z = %.17g*(x' - z')\n",
           d->m, d->slow, d->k, d->damping, d->damping);
}

// energy: no more than at the start. A failure is that of the step, and only where it is long.
static void comparison(const drawn *d, const char *scheme, bool implicit, int *refused)
{
  char text[600];
  write_model(d, text, sizeof text);
  fixture *r = fixture_open(text, scheme, d->h, 0);
  const double start = fixture_energy(r);
  const dls_failure failure = fixture_until_failure(r, STEPS * d->h);
  if (failure == DLS_FAILURE_NONE) {
    // what the slowest growth that is seen leaves after 30 steps, and what it may do unseen
    const double unseen = implicit ? 1 : pow(2, 2 * STEPS / 8.0);
    assert_true(fixture_energy(r) <= 10 * unseen * start);
  } else {
    // numbers that overflow first are said too
    assert_true(failure == DLS_FAILURE_UNSTABLE || failure == DLS_FAILURE_NUMBER);
    assert_false(implicit);
    const double far = 2 * d->damping * d->h / d->m;
    assert_true(sqrt(2) * d->stiff > 1 || far > 1);
    ++*refused;
  }
  fixture_close(r);
}

static void springs_and_dampers(void **state)
{
  (void)state;
  static const char *const explicits[] = {"lcp",   "schatzman-paoli", "herk3",
                                          "herk4", "herk5",           "herk8"};
  static const char *const implicits[] = {"moreau", "radau3", "radau5", "lobatto4"};
  rng r = rng_create(5);
  int refused = 0;
  for (int k = 0; k < 40; k++) {
    const drawn d = draw(&r);
    for (size_t s = 0; s < sizeof explicits / sizeof *explicits; s++) {
      at_case("%s, model %d, h omega %g", explicits[s], k, d.stiff);
      comparison(&d, explicits[s], false, &refused);
    }
    for (size_t s = 0; s < sizeof implicits / sizeof *implicits; s++) {
      at_case("%s, model %d, h omega %g", implicits[s], k, d.stiff);
      comparison(&d, implicits[s], true, &refused);
    }
  }
  print_message("%d of 240 runs were refused\n", refused);
  assert_true(refused > 50);
}

// Undamped, h omega > 2: blows up by a factor of its own in each step, and is always seen.
static void undamped(void **state)
{
  (void)state;
  static const char *const schemes[] = {"lcp", "schatzman-paoli"};
  for (double stiff = 2.2; stiff < 50; stiff *= 1.3)
    for (int s = 0; s < 2; s++) {
      at_case("%s, h omega %g", schemes[s], stiff);
      char text[200];
      snprintf(text, sizeof text, "coordinate x = 1\nkinetic x'^2/2\npotential %.17g*x^2/2\n",
               stiff * stiff);
      fixture *r = fixture_open(text, schemes[s], 1, 0);
      assert_int_equal(fixture_until_failure(r, STEPS), DLS_FAILURE_UNSTABLE);
      assert_true(fixture_energy(r) < 1e300);
      fixture_close(r);
    }
}

// What grows and turns without being unstable: a spring under a load that grows at six steps to
// each turn would be; a ball that is thrown ever higher, a pendulum of ten steps are not.
static void motions_that_grow(void **state)
{
  (void)state;
  static const char *const texts[] = {
      "coordinate y = 1\nkinetic y'^2/2\npotential 10*y\nunilateral f: y >= 0 { restitution 1.3 "
      "}\n",
      "coordinate x = 1e-6\nkinetic x'^2/2\npotential -50*x^2\n",
      "coordinate x = 1e-6\nkinetic x'^2/2\npotential 10*x^2/2\nforce x = x'\n",
  };
  static const char *const schemes[] = {"moreau", "lcp", "schatzman-paoli", "herk4", "radau5"};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
    for (size_t s = 0; s < sizeof schemes / sizeof *schemes; s++) {
      at_case("%s, model %zu", schemes[s], k);
      fixture *r = fixture_open(texts[k], schemes[s], 0.01, 0);
      assert_int_equal(fixture_until_failure(r, 3), DLS_FAILURE_NONE);
      fixture_close(r);
    }
}

// Point masses in a plane, with stiff springs between them, above a floor. Springs turn, so that
// what blows up does not grow from step to step for ever: herk5 went on with 1e36 J.
static void write_chain(int masses, double k, double c, char *text)
{
  int used = sprintf(text, "coordinate x0 = 0, y0 = 0.3\nkinetic (x0'^2 + y0'^2)/2\n"
                           "potential 9.81*y0\nunilateral f0: y0 >= 0 { restitution 0.3 }\n");
  for (int i = 1; i < masses; i++) {
    const int j = i - 1;
    used += sprintf(text + used,
                    "coordinate x%d = %g, y%d = %g\nkinetic (x%d'^2 + y%d'^2)/2\n"
                    "let d%d = sqrt((x%d - x%d)^2 + (y%d - y%d)^2)\n"
                    "potential 9.81*y%d + %.17g/2*(d%d - 0.3)^2\n"
                    "dissipation %.17g/2*(((x%d - x%d)*(x%d' - x%d') + (y%d - y%d)*(y%d' - "
                    "y%d'))/d%d)^2\n"
                    "unilateral f%d: y%d >= 0 { slip x%d'; friction 0.3; restitution 0.3 }\n",
                    i, 0.24 * i, i, 0.3 + 0.18 * i, i, i, i, i, j, i, j, i, k, i, c, i, j, i, j, i,
                    j, i, j, i, i, i, i);
  }
}

static void springs_that_turn(void **state)
{
  (void)state;
  static const char *const schemes[] = {"herk2", "herk3", "herk4", "herk5", "herk8"};
  static char text[4000];
  int refused = 0, done = 0;
  rng r = rng_create(11);
  for (int k = 0; k < 12; k++) {
    const double h = draw_log(&r, 1e-3, 1e-2), stiff = draw_log(&r, 0.3, 40);
    const double damping = rng_chance(&r, 0.5) ? 0 : draw_log(&r, 1e-3, 1);
    write_chain(2 + k % 5, stiff * stiff / h / h, damping * stiff / h, text);
    for (size_t s = 0; s < sizeof schemes / sizeof *schemes; s++) {
      at_case("%s, chain %d, step %g, h omega %g, damping %g", schemes[s], k, h, stiff, damping);
      fixture *f = fixture_open(text, schemes[s], h, 0);
      const double start = fixture_energy(f);
      const dls_failure failure = fixture_until_failure(f, 200 * h);
      if (failure == DLS_FAILURE_NONE) {
        // velocities that doubled four times, and some growth that goes unseen
        if (!(fixture_energy(f) <= 1e5 * start)) fail_msg("%g J, of %g", fixture_energy(f), start);
        done++;
      } else {
        assert_true(failure == DLS_FAILURE_UNSTABLE || failure == DLS_FAILURE_NUMBER);
        assert_true(stiff > (s == 0 ? 0.25 : 0.7));
        refused++;
      }
      fixture_close(f);
    }
  }
  print_message("%d runs were refused, %d were not\n", refused, done);
  assert_true(refused > 15 && done > 15);
}

// Steps that are coarse, at rest, around a turn of the motion, or from rest: no alarm.
static void coarse_steps(void **state)
{
  (void)state;
  static const char *const texts[] = {
      "coordinate y\nkinetic y'^2/2\npotential 9.81*y\nunilateral f: y >= 0\n",
      "coordinate th = 1\nkinetic th'^2/2\npotential -9.81*cos(th)\n",
      "coordinate x = 1\nkinetic x'^2/2\npotential 9*x^2/2\ndissipation x'^2\n",
      "coordinate x\nkinetic x'^2/2\nforce x = sin(10*t) - 4*x'\n",
      "coordinate x = 1, y\nvelocity y = 1\nkinetic (x'^2 + y'^2)/2\n"
      "potential -1/sqrt(x^2 + y^2)\n",
  };
  static const char *const schemes[] = {"herk2", "herk3", "herk4", "herk5", "herk8"};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
    for (size_t s = 0; s < sizeof schemes / sizeof *schemes; s++)
      for (double h = 0.15; h > 0.01; h /= 2) {
        at_case("%s, model %zu, step %g", schemes[s], k, h);
        fixture *f = fixture_open(texts[k], schemes[s], h, 0);
        assert_int_equal(fixture_until_failure(f, 100 * h), DLS_FAILURE_NONE);
        fixture_close(f);
      }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(springs_and_dampers), cmocka_unit_test(undamped),
      cmocka_unit_test(motions_that_grow), cmocka_unit_test(springs_that_turn),
      cmocka_unit_test(coarse_steps)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
