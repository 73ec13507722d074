// Where a motion ceases to be determined, the run says so: Painleve's rod, by closed conditions.
#include "reference_rod.h"
#include "fixture.h"

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

enum { SCHEMES = sizeof schemes / sizeof *schemes };

// A rod of half length 1 that slides with its lower end; the effect of the normal force on the gap
// is 1 + 3 cos^2 - 3 mu sin cos: positive for mu = 1, whatever the angle is.
static void write_rod(char *text, size_t size, double mu, double angle, double spin, double speed)
{
  snprintf(text, size,
           "coordinate th = %.17g, x, y = sin(th)\n"
           "velocity th = %.17g, x = %.17g, y = cos(th)*th'\n"
           "kinetic (x'^2 + y'^2)/2 + th'^2/6\npotential 9.81*y\n"
           "unilateral floor: y - sin(th) >= 0 { slip x' + sin(th)*th'; friction %.17g }\n",
           angle, spin, speed, mu);
}

static dls_integrator *start_with(fixture *r, const char *text, const char *scheme,
                                  dls_on_loss on_loss, double step)
{
  dls_diagnostics diagnostics;
  double q[16], v[16];
  dls_state from = {0, q, v};
  dls_message message = {""};
  dls_integrator_options how = dls_integrator_defaults();
  how.scheme = scheme, how.step = step, how.on_loss = on_loss;
  assert_int_equal(dls_model_parse(text, strlen(text), &r->model, &diagnostics), DLS_OK);
  assert_int_equal(dls_model_system(r->model, &r->system), DLS_OK);
  assert_int_equal(dls_model_differentiate(r->system, &message), DLS_OK);
  assert_int_equal(dls_model_state(r->system, NULL, &from, &message), DLS_OK);
  assert_int_equal(dls_integrator_create(r->system, &from, &how, &r->integrator, &message), DLS_OK);
  return r->integrator;
}

static dls_integrator *start(fixture *r, const char *text, const char *scheme, dls_on_loss on_loss)
{
  return start_with(r, text, scheme, on_loss, 1e-3);
}

static void end(fixture *r)
{
  dls_integrator_free(r->integrator);
  dls_system_free(r->system);
  dls_model_free(r->model);
}

static dls_failure go_to(dls_integrator *g, double t)
{
  dls_failure failure = DLS_FAILURE_NONE;
  dls_message message = {""};
  while (failure == DLS_FAILURE_NONE && dls_integrator_sample(g).t < t)
    assert_int_equal(dls_integrator_advance(g, t, &failure, &message), DLS_OK);
  return failure;
}

// The point where force and effect vanish at once: tan = that of the critical friction, found by an
// independent integration to 12 digits.
static void force_and_effect_vanish(void **state)
{
  (void)state;
  char text[600];
  write_rod(text, sizeof text, 1.6, 0.78, 3, -20);
  for (int k = 0; k < SCHEMES; k++) {
    at_case("%s", schemes[k]);
    fixture r = {0};
    dls_integrator *g = start(&r, text, schemes[k], DLS_ON_LOSS_STOP);
    assert_int_equal(go_to(g, 0.1), DLS_FAILURE_UNIQUENESS);
    const dls_uniqueness_loss loss = dls_integrator_uniqueness(g);
    const double th = dls_integrator_sample(g).q[0];
    assert_true(loss.lost);
    assert_int_equal(loss.contact, 0);
    assert_non_null(strstr(loss.why, "floor"));
    if (!(fabs(loss.t - 0.01241) < 3e-5))
      fail_msg("%s: lost at %.9g, not at 0.01241", schemes[k], loss.t);
    assert_true(fabs(dls_integrator_sample(g).t - loss.t) < 1e-12);
    // the effect of the force vanishes there
    assert_true(fabs(1 + 3 * cos(th) * cos(th) - 4.8 * sin(th) * cos(th)) < 2e-3);
    end(&r);
    // on request it goes on, and remembers
    g = start(&r, text, schemes[k], DLS_ON_LOSS_CONTINUE);
    assert_int_equal(go_to(g, 0.02), DLS_FAILURE_NONE);
    assert_true(dls_integrator_uniqueness(g).lost);
    end(&r);
  }
}

// Steps that end where friction has taken all effect from the force: nothing passes.
static void steps_of_any_length(void **state)
{
  (void)state;
  char text[600];
  write_rod(text, sizeof text, 1.6, 0.78, 3, -20);
  const rod_end oracle = rod_follow((rod){1, 1, 9.81L, 1.6L, 0.78L, 3, -20});
  assert_int_equal(oracle.fate, ROD_LOST);
  for (int k = 0; k < SCHEMES; k++)
    for (int count = 2; count < 60; count++) {
      at_case("%s, count %d", schemes[k], count);
      fixture r = {0};
      const double there = (double)oracle.t, step = there / count;
      dls_integrator *g = start_with(&r, text, schemes[k], DLS_ON_LOSS_STOP, step);
      const dls_failure failure = go_to(g, 2 * there);
      const dls_uniqueness_loss loss = dls_integrator_uniqueness(g);
      if (failure != DLS_FAILURE_UNIQUENESS || !(fabs(loss.t - there) < fmax(step, 3e-5)))
        fail_msg("%s, %d steps: lost at %.9g, not at %.9g", schemes[k], count, loss.t, there);
      // nothing was passed: where it jams the rod turns at more than 10
      const double spin = dls_integrator_sample(g).v[0];
      if (!(fabs(spin - (double)oracle.w) < 1))
        fail_msg("%s, %d steps: turns at %.9g, not at %.9g", schemes[k], count, spin,
                 (double)oracle.w);
      end(&r);
    }
}

// The same by Moreau's family, whose contacts chatter there, with fixed steps of any size.
static void lost_on_the_grid(void **state)
{
  (void)state;
  static const char *const grid[] = {"moreau", "moreau-projected", "schatzman-paoli", "lcp"};
  static const double step[] = {3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5};
  char text[600];
  write_rod(text, sizeof text, 1.6, 0.78, 3, -20);
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < 6; i++) {
      at_case("%s, i %d", grid[k], i);
      fixture r = {0};
      dls_integrator *g = start_with(&r, text, grid[k], DLS_ON_LOSS_STOP, step[i]);
      assert_int_equal(go_to(g, 0.1), DLS_FAILURE_UNIQUENESS);
      const dls_uniqueness_loss loss = dls_integrator_uniqueness(g);
      assert_true(loss.lost && loss.contact == 0);
      if (!(fabs(loss.t - 0.01241) < 1.01 * step[i]))
        fail_msg("%s, step %g: lost at %.9g, not at 0.01241", grid[k], step[i], loss.t);
      end(&r);
    }
}

// Beyond the critical friction there are two solutions where the rod would take off without a
// force.
static void lost_from_the_start(void **state)
{
  (void)state;
  char text[600];
  write_rod(text, sizeof text, 1.6, 1.1, 4, -20);
  for (int k = 0; k < SCHEMES; k++) {
    at_case("%s", schemes[k]);
    fixture r = {0};
    dls_integrator *g = start(&r, text, schemes[k], DLS_ON_LOSS_STOP);
    go_to(g, 0.01);
    const dls_uniqueness_loss loss = dls_integrator_uniqueness(g);
    assert_true(loss.lost);
    assert_true(loss.t < 1e-3);
    end(&r);
  }
}

// The rod, and four blocks on a floor without friction, each on a weak spring to it.
static void write_crowd(char *text, size_t size)
{
  size_t end = 0;
  write_rod(text, size, 1.6, 1.1, 0, -20);
  while (strncmp(text + end, "kinetic", 7) != 0) end++;
  snprintf(
      text + end, size - end,
      "coordinate a, b, c, d, e, f, h, k\n"
      "kinetic (x'^2 + y'^2 + a'^2 + b'^2 + c'^2 + d'^2 + e'^2 + f'^2 + h'^2 + k'^2)/2 + th'^2/6\n"
      "potential 9.81*(y + a + c + e + h) + ((b - x)^2 + (d - x)^2 + (f - x)^2 + (k - x)^2)/100\n"
      "unilateral floor: y - sin(th) >= 0 { slip x' + sin(th)*th'; friction 1.6 }\n"
      "unilateral one: a >= 0\nunilateral two: c >= 0\n"
      "unilateral three: e >= 0\nunilateral four: h >= 0\n");
}

// Beyond the critical friction, where the load presses the rod down, there is no acceleration at
// all: velocities must jump, and that is told before they do. Many contacts make no difference.
static void no_acceleration(void **state)
{
  (void)state;
  for (int k = 0; k < 2 * SCHEMES; k++) {
    at_case("k %d", k);
    char text[2000];
    write_rod(text, sizeof text, 1.6, 1.1, 0, -20);
    if (k >= SCHEMES) write_crowd(text, sizeof text);
    fixture r = {0};
    dls_integrator *g = start(&r, text, schemes[k % SCHEMES], DLS_ON_LOSS_STOP);
    assert_int_equal(go_to(g, 0.01), DLS_FAILURE_UNIQUENESS);
    const dls_uniqueness_loss loss = dls_integrator_uniqueness(g);
    assert_true(loss.lost && loss.contact == 0 && loss.t == 0);
    assert_non_null(strstr(loss.why, "no acceleration"));
    assert_true(dls_integrator_sample(g).v[1] == -20);
    end(&r);
    g = start(&r, text, schemes[k % SCHEMES], DLS_ON_LOSS_CONTINUE);
    assert_int_equal(go_to(g, 0.01), DLS_FAILURE_NONE);
    assert_true(dls_integrator_uniqueness(g).lost);
    // jammed for an instant: the slip ends, by a percussion of momenta that the rod has
    const double *q = dls_integrator_sample(g).q, *v = dls_integrator_sample(g).v;
    assert_true(v[0] > 10 && fabs(v[1] + sin(q[0]) * v[0]) < 1);
    end(&r);
  }
}

// Below 4/3 nothing is lost, whatever the angle is.
static void never_lost(void **state)
{
  (void)state;
  for (int k = 0; k < SCHEMES; k++)
    for (int a = 0; a < 5; a++) {
      at_case("%s, a %d", schemes[k], a);
      char text[600];
      write_rod(text, sizeof text, 1.3, 0.3 + 0.25 * a, 0.5, -20);
      fixture r = {0};
      dls_integrator *g = start(&r, text, schemes[k], DLS_ON_LOSS_STOP);
      assert_int_equal(go_to(g, 0.02), DLS_FAILURE_NONE);
      assert_false(dls_integrator_uniqueness(g).lost);
      end(&r);
    }
}

// A table that spins on its four feet shares its load in many ways from the start, within bounds,
// and the rod beside it loses more later: both are told, the run ends where the rod does, and one
// that is taken up from a sample knows of both.
static void first_and_ending(void **state)
{
  (void)state;
  const char *const list[] = {"moreau", "moreau-projected", "lcp", "radau5", "herk4"};
  char first[600], text[1600];
  write_rod(first, sizeof first, 1.6, 0.78, 3, -20);
  snprintf(text, sizeof text,
           "%scoordinate u, w, z, psi, phi, chi\nvelocity u = 1, w = 0.5, psi = 3\n"
           "kinetic 5*(u'^2 + w'^2 + z'^2) + (psi'^2 + phi'^2 + chi'^2)/2\npotential 98.1*z\n"
           "unilateral one: z + 0.4*phi - 0.5*chi >= 0 { slip u' - 0.4*psi', w' + 0.5*psi'\n"
           "  friction 0.3 }\n"
           "unilateral two: z + 0.4*phi + 0.5*chi >= 0 { slip u' - 0.4*psi', w' - 0.5*psi'\n"
           "  friction 0.3 }\n"
           "unilateral three: z - 0.4*phi + 0.5*chi >= 0 { slip u' + 0.4*psi', w' - 0.5*psi'\n"
           "  friction 0.3 }\n"
           "unilateral four: z - 0.4*phi - 0.5*chi >= 0 { slip u' + 0.4*psi', w' + 0.5*psi'\n"
           "  friction 0.3 }\n",
           first);
  for (int k = 0; k < 5; k++) {
    at_case("%s", list[k]);
    fixture r = {0}, again = {0};
    dls_integrator *g = start(&r, text, list[k], DLS_ON_LOSS_STOP);
    assert_int_equal(go_to(g, 0.03), DLS_FAILURE_UNIQUENESS);
    dls_uniqueness_loss loss = dls_integrator_uniqueness(g);
    assert_true(loss.lost && loss.bounded && loss.t <= 2e-3 && loss.contact >= 1);
    assert_true(loss.ends && fabs(loss.end_t - 0.01241) < 2e-3 && loss.end_contact == 0);
    assert_non_null(strstr(loss.why, "redundant"));
    assert_non_null(strstr(loss.end_why, "floor"));
    end(&r);
    g = start(&r, text, list[k], DLS_ON_LOSS_CONTINUE);
    for (double t = 0.005; t < 0.03; t += 0.015) {  // before the rod is lost, and after
      assert_int_equal(go_to(g, t), DLS_FAILURE_NONE);
      loss = dls_integrator_uniqueness(g);
      assert_true(loss.lost && loss.bounded && loss.ends == (t > 0.015));
      dls_integrator *other = start(&again, text, list[k], DLS_ON_LOSS_CONTINUE);
      const dls_sample sample = dls_integrator_sample(g);
      assert_int_equal(dls_integrator_restart(other, &sample, NULL), DLS_OK);
      assert_int_equal(go_to(other, t + 1e-3), DLS_FAILURE_NONE);
      const dls_uniqueness_loss kept = dls_integrator_uniqueness(other);
      assert_true(kept.lost && kept.bounded && kept.t == loss.t && kept.contact == loss.contact);
      assert_true(kept.ends == loss.ends);
      if (kept.ends) assert_true(kept.end_t == loss.end_t && kept.end_contact == loss.end_contact);
      end(&again);
    }
    end(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(force_and_effect_vanish), cmocka_unit_test(steps_of_any_length),
      cmocka_unit_test(lost_on_the_grid),        cmocka_unit_test(lost_from_the_start),
      cmocka_unit_test(no_acceleration),         cmocka_unit_test(never_lost),
      cmocka_unit_test(first_and_ending),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
