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

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(springs_and_dampers),
                                     cmocka_unit_test(undamped),
                                     cmocka_unit_test(motions_that_grow)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
