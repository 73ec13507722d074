// Motions of bodies whose contacts come and go: closed forms, what rests stays, random scenes.
#include "fixture.h"

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

static const char *const families[] = {
    "moreau", "moreau-projected", "schatzman-paoli", "lcp", "radau5", "lobatto4", "herk5"};
enum { FAMILIES = sizeof families / sizeof families[0] };

static bool locates(const char *scheme)
{
  return dls_scheme_find(scheme)->events;
}

static double largest_speed(const fixture *r)
{
  double most = 0;
  for (int i = 0; i < r->system->n; i++) most = fmax(most, fabs(fixture_v(r, i)));
  return most;
}

static dls_step_counts counts(const fixture *r)
{
  return dls_integrator_counts(r->integrator);
}

// The status of the first contact whose name begins like that; -1: there is none.
static int status_of(const fixture *r, const char *name)
{
  const dls_sample m = dls_integrator_sample(r->integrator);
  for (int j = 0; j < m.m; j++)
    if (strncmp(r->system->contacts[j].name, name, strlen(name)) == 0) return m.status[j];
  return -1;
}

// ---- free motions -------------------------------------------------------------------------------

// Euler's equations of a body with two equal moments: its spin turns with (C - A)/A of that along
// the axis. The order of each scheme by its steps.
static void a_free_top_has_the_order_of_its_scheme(void **state)
{
  static const char text[] = "body top { mass 1; inertia 0.1, 0.1, 0.15; spin 1, 0, 4 }\n";
  static const struct {
    const char *scheme;
    double step, order, least;
  } cases[] = {
      {"moreau", 0.02, 2, 1e-12},          {"radau5", 0.2, 5, 1e-12}, {"lobatto4", 0.1, 4, 1e-12},
      {"herk2", 0.02, 2, 1e-12},           {"herk5", 0.1, 5, 1e-12},  {"radau3", 0.05, 3, 1e-12},
      {"moreau-projected", 0.02, 2, 1e-12}};
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    double error[2];
    at_case("%s", cases[k].scheme);
    for (int half = 0; half < 2; half++) {
      fixture *r = fixture_open(text, cases[k].scheme, cases[k].step / (1 + half), 0);
      fixture_to(r, 1);
      error[half] =
          hypot(hypot(fixture_v(r, 3) - cos(2), fixture_v(r, 4) - sin(2)), fixture_v(r, 5) - 4);
      fixture_close(r);
    }
    const double order = log2(error[0] / error[1]);
    if (error[0] > cases[k].least && !(fabs(order - cases[k].order) < 0.6))
      fail_msg("order %.2f: %g, %g", order, error[0], error[1]);
  }
}

// A heavy symmetric top on its tip: it goes round at the rate O when
// C s O - A O^2 cos(theta) = m g l, s its spin along the axis, A about the tip.
static void a_heavy_top_precesses(void **state)
{
  static const char text[] =
      "gravity 0, 0, -10\n"
      "body top { mass 1; inertia 0.1, 0.1, 0.15; position 0.5*sin(0.5), 0, 0.5*cos(0.5)\n"
      "           rotation 0, 0.5, 0 }\n"
      "joint pin: ball world, top { anchor 0, 0, 0 }\n";
  const double O = 2, theta = 0.5, A = 0.1 + 0.25, C = 0.15;
  const double s = (10 * 0.5 + A * O * O * cos(theta)) / (C * O);
  static const char *const schemes[] = {"moreau", "radau5", "herk5"};
  static const double tolerance[] = {1e-2, 1e-7, 1e-7};
  (void)state;
  for (int k = 0; k < 3; k++) {
    at_case("%s", schemes[k]);
    fixture *r = fixture_open(text, schemes[k], 0.01, 0);
    dls_sample start = dls_integrator_sample(r->integrator);
    assert_int_equal(start.n, 3);
    const double v[] = {-O * sin(theta), 0, s};
    start.v = v;
    assert_int_equal(dls_integrator_restart(r->integrator, &start, NULL), DLS_OK);
    fixture_to(r, 1);
    const double w = fixture_q(r, 0), x = fixture_q(r, 1), y = fixture_q(r, 2), z = fixture_q(r, 3);
    // q turns the body in its own axes, from where it begins
    const double own[] = {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)};
    const double along[] = {cos(theta) * own[0] + sin(theta) * own[2], own[1],
                            cos(theta) * own[2] - sin(theta) * own[0]};
    const double goal[] = {sin(theta) * cos(O), sin(theta) * sin(O), cos(theta)};
    for (int i = 0; i < 3; i++)
      if (!(fabs(along[i] - goal[i]) < tolerance[k])) fail_msg("%g, not %g", along[i], goal[i]);
    fixture_close(r);
  }
}

// ---- coming to rest -----------------------------------------------------------------------------

static const char box[] = "gravity 0, 0, -9.81\n"
                          "fixed ground { plane 0, 0, 1 }\n"
                          "body c { box 0.3, 0.3, 0.2; density 400; position 0, 0, 0.3; %s }\n"
                          "contact * * { friction 0.5; restitution 0.1 }\n";

// From flat, and on a corner: nothing adds energy, and the box lies still in the end.
static void a_box_comes_to_rest(void **state)
{
  static const char *const starts[] = {"velocity 0.3, 0, 0",
                                       "rotation 0.1, 0.2, 0.3; spin 1, 2, 3"};
  char text[500];
  (void)state;
  for (int how = 0; how < 2; how++)
    for (int k = 0; k < FAMILIES; k++) {
      const bool events = locates(families[k]);
      at_case("%s, %s", families[k], starts[how]);
      snprintf(text, sizeof text, box, starts[how]);
      fixture *r = fixture_open_lost(text, families[k], events ? 1e-2 : 2e-3);
      double energy = fixture_energy(r);
      const double first = energy;
      // F in the middle of a step, and a law for coordinates, leave some that is of first order
      const double more = events ? 1e-7 : strncmp(families[k], "schatz", 6) == 0 ? 2e-2 : 1e-3;
      for (int step = 1; step <= 10; step++) {
        fixture_to(r, 0.1 * step);
        const double now = fixture_energy(r);
        if (!(now <= energy + more * first)) fail_msg("energy %.9g, then %.9g", energy, now);
        energy = now;
      }
      const double deep = counts(r).max_penetration;
      if (!(deep < (events ? 1e-8 : 5e-3))) fail_msg("%g deep", deep);
      if (!(fabs(fixture_q(r, 2) - 0.1) < (events ? 1e-8 : 5e-3)))
        fail_msg("z = %g", fixture_q(r, 2));
      if (!(largest_speed(r) < (strcmp(families[k], "lcp") == 0 ? 1e-6 : 1e-12)))
        fail_msg("speed %g", largest_speed(r));
      fixture_close(r);
    }
}

// ---- what friction holds ------------------------------------------------------------------------

static void a_block_stays_on_a_slope_or_slides(void **state)
{
  static const char slope[] = "parameter a = 0.4, f = %g\n"
                              "gravity 9.81*sin(a), 0, -9.81*cos(a)\n"
                              "fixed ground { plane 0, 0, 1 }\n"
                              "body c { box 0.3, 0.2, 0.1; density 500; position 0, 0, 0.05 }\n"
                              "contact * * { friction f*tan(a) }\n";
  char text[500];
  (void)state;
  for (int k = 0; k < FAMILIES; k++) {
    if (strcmp(families[k], "lcp") == 0) continue;  // whose cone has edges
    at_case("%s", families[k]);
    snprintf(text, sizeof text, slope, 1.001);
    fixture *r = fixture_open_lost(text, families[k], 2e-3);
    fixture_to(r, 0.2);
    if (!(largest_speed(r) < 1e-12)) fail_msg("creeps with %g", largest_speed(r));
    fixture_close(r);
    snprintf(text, sizeof text, slope, 0.9);
    r = fixture_open_lost(text, families[k], 2e-3);
    fixture_to(r, 0.2);
    const double v = 0.2 * 9.81 * 0.1 * sin(0.4);  // g (sin - mu cos)
    const bool middle = strncmp(families[k], "schatz", 6) == 0;
    if (!(fabs(fixture_v(r, 0) - v) < (middle ? 1e-3 : 1e-9))) fail_msg("%.12g", fixture_v(r, 0));
    fixture_close(r);
  }
}

static void pinched_and_pressed_bodies_do_not_creep(void **state)
{
  static const char pinched[] =
      "gravity 0, 0, -9.81\n"
      "fixed left { plane 1, 0, 0; position -0.004, 0, 0 }\n"
      "body pad { box 0.01, 0.02, 0.05; mass 0.1; position 0.009, 0, 0 }\n"
      "body pill { capsule 0.004, 0.02; mass 0.045 }\n"
      "joint slider: slide world, pad { axis 1, 0, 0 }\n"
      "force slider = -12\n"
      "contact * * { friction 0.7 }\n";
  static const char pressed[] = "gravity 0, 0, -9.81\n"
                                "fixed wall { plane 1, 0, 0 }\n"
                                "body c { box 0.1, 0.1, 0.1; mass 1; position 0.05, 0, 0 }\n"
                                "force c = (-20, 0, 0)\n"
                                "contact * * { friction 1 }\n";
  static const char *const schemes[] = {"moreau", "moreau-projected", "herk4"};
  (void)state;
  for (int k = 0; k < 3; k++)
    for (int what = 0; what < 2; what++) {
      at_case("%s, %s", schemes[k], what ? "pressed" : "pinched");
      fixture *r = fixture_open_lost(what ? pressed : pinched, schemes[k], 1e-3);
      fixture_to(r, 0.2);
      if (!(largest_speed(r) < 1e-12)) fail_msg("creeps with %g", largest_speed(r));
      fixture_close(r);
    }
}

static void a_stack_stays(void **state)
{
  static const char stack[] =
      "gravity 0, 0, -9.81\n"
      "fixed ground { plane 0, 0, 1 }\n"
      "for i in 1..9 { body c[i] { box 0.2, 0.2, 0.2; mass 1; position 0, 0, 0.2*i - 0.1 } }\n"
      "body c[10] { box 0.2, 0.2, 0.2; mass %g; position 0, 0, 1.9 }\n"
      "contact * * { friction 0.5 }\n";
  char text[500];
  (void)state;
  for (int heavy = 0; heavy < 2; heavy++) {
    at_case("top of %s", heavy ? "1000" : "1");
    snprintf(text, sizeof text, stack, heavy ? 1e3 : 1.);
    fixture *r = fixture_open_lost(text, "moreau", 1e-3);
    fixture_to(r, heavy ? 0.05 : 1);
    if (!(largest_speed(r) < 2e-12)) fail_msg("creeps with %g", largest_speed(r));
    if (!(counts(r).max_penetration < 1e-12)) fail_msg("%g deep", counts(r).max_penetration);
    fixture_close(r);
  }
}

// Spheres in a row, apart by a little: only the last one moves on.
static void a_cradle_passes_the_blow_on(void **state)
{
  static const char text[] =
      "for i in 1..5 { body c[i] { sphere 0.05; mass 1; position 0.1001*i, 0, 0 } }\n"
      "body c[6] { sphere 0.05; mass 1; position 0, 0, 0; velocity 1, 0, 0 }\n"
      "contact * * { restitution 1 }\n";
  static const char *const schemes[] = {"radau5", "herk5", "moreau"};
  (void)state;
  for (int k = 0; k < 3; k++) {
    at_case("%s", schemes[k]);
    // a step of Moreau's is one blow at a time where the gaps are longer than the step's way
    fixture *r = fixture_open_lost(text, schemes[k], k < 2 ? 1e-2 : 2e-5);
    fixture_to(r, 0.02);
    for (int i = 0; i < 6; i++) {
      const double goal = i == 4 ? 1 : 0;
      if (!(fabs(fixture_v(r, 6 * i) - goal) < 1e-9)) fail_msg("%d: %g", i, fixture_v(r, 6 * i));
    }
    fixture_close(r);
  }
}

// ---- features -----------------------------------------------------------------------------------

// A box slides off its table: first on the face, then down. It must not go on beside it.
static void what_leaves_its_table_falls(void **state)
{
  static const char text[] =
      "gravity 0, 0, -9.81\n"
      "fixed table { box 1, 1, 0.2 }\n"
      "body c { box 0.1, 0.1, 0.1; mass 1; position 0.44, 0, 0.15; velocity 2, 0, 0 }\n"
      "contact * * { friction 0.1 }\n";
  (void)state;
  for (int k = 0; k < FAMILIES; k++) {
    at_case("%s", families[k]);
    fixture *r = fixture_open_lost(text, families[k], locates(families[k]) ? 1e-2 : 1e-3);
    fixture_to(r, 0.5);
    // the last of it leaves the edge after some 0.055 s
    if (!(fixture_q(r, 2) < -0.3)) fail_msg("z = %g", fixture_q(r, 2));
    if (!(fixture_q(r, 0) > 0.9)) fail_msg("x = %g", fixture_q(r, 0));
    fixture_close(r);
  }
}

// A ball rolls over the edge of a table and turns about it: from the face to the edge, to free
// flight. Energy is kept, since it does not slip.
static void a_ball_rolls_over_an_edge(void **state)
{
  static const char text[] =
      "gravity 0, 0, -9.81\n"
      "fixed table { box 1, 1, 0.2 }\n"
      "body c { sphere 0.1; mass 1; position 0.45, 0, 0.2; velocity 0.2, 0, 0; spin 0, 2, 0 }\n"
      "contact * * { friction 2 }\n";
  static const char *const schemes[] = {"radau5", "lobatto4", "herk5"};
  (void)state;
  for (int k = 0; k < 3; k++) {
    at_case("%s", schemes[k]);
    fixture *r = fixture_open_lost(text, schemes[k], 1e-2);
    const double energy = fixture_energy(r);
    fixture_to(r, 0.35);
    assert_true(status_of(r, "c/table.edge") == DLS_STICKING ||
                status_of(r, "table.edge") == DLS_STICKING);
    if (!(fabs(fixture_energy(r) - energy) < 1e-6 * fabs(energy)))
      fail_msg("%.9g, not %.9g", fixture_energy(r), energy);
    const double far = hypot(fixture_q(r, 0) - 0.5, fixture_q(r, 2) - 0.1);
    assert_true(fabs(far - 0.1) < 1e-9);  // from the edge
    fixture_close(r);
  }
}

// ---- scenes -------------------------------------------------------------------------------------

static unsigned seed;

static double any(double low, double high)
{
  seed = seed * 1664525u + 1013904223u;
  return low + (high - low) * (seed >> 8) / 16777216.;
}

// Without cylinders: rims on edges make pieces as short as there are any.
static void put_solid(bool cylinders, char *text, size_t size)
{
  const double a = any(0.05, 0.3), b = any(0.05, 0.3), c = any(0.05, 0.3);
  switch ((int)any(0, cylinders ? 5 : 4)) {
  case 0: snprintf(text, size, "box %g, %g, %g", 2 * a, 2 * b, 2 * c); return;
  case 1: snprintf(text, size, "sphere %g", a); return;
  case 2: snprintf(text, size, "capsule %g, %g", a / 2, 2 * b); return;
  case 3: snprintf(text, size, "ellipsoid %g, %g, %g", a, b, c); return;
  default: snprintf(text, size, "cylinder %g, %g", a, 2 * b); return;
  }
}

// Bodies of all shapes thrown at the floor, a wall, a table and one another.
static void make_scene(unsigned number, bool cylinders, char *text, size_t size)
{
  seed = number;
  char solid[100];
  size_t at = (size_t)snprintf(
      text, size, "gravity 0, 0, -9.81\nfixed ground { plane 0, 0, 1 }\n%s%s",
      any(0, 1) < 0.4 ? "fixed wall { plane -1, 0, 0; position 1.5, 0, 0 }\n" : "",
      any(0, 1) < 0.3 ? "fixed table { box 1, 1, 0.4; position 0, 0, 0.2 }\n" : "");
  const int bodies = 1 + (int)any(0, 4);
  for (int i = 0; i < bodies; i++) {
    put_solid(cylinders, solid, sizeof solid);
    at += (size_t)snprintf(text + at, size - at,
                           "body b%d { %s; density %g; position %g, %g, %g; rotation %g, %g, %g\n"
                           "  velocity %g, %g, %g; spin %g, %g, %g }\n",
                           i, solid, pow(10, any(2, 4)), any(-0.5, 0.5), any(-0.5, 0.5),
                           1 + 0.9 * i, any(-3, 3), any(-3, 3), any(-3, 3), any(-3, 3), any(-3, 3),
                           any(-6, 0), any(-10, 10), any(-10, 10), any(-10, 10));
  }
  snprintf(text + at, size - at, "contact * * { friction %g; restitution %g }\n",
           any(0, 1) < 0.3 ? 0 : any(0.2, 0.9), any(0, 1) < 0.5 ? 0 : any(0, 0.8));
}

// No scheme stops, none gains energy, nothing sinks in.
static void scenes_run(void **state)
{
  enum { SCENES = 5, STEPS = 10 };
  char text[4000];
  (void)state;
  for (unsigned number = 1; number <= SCENES; number++)
    for (int k = 0; k < FAMILIES; k++) {
      const bool events = locates(families[k]);
      make_scene(number, !events, text, sizeof text);
      at_case("%s, scene %u", families[k], number);
      if (getenv("DLS_TEST_TABLE")) print_message("%s\n%s", families[k], text);
      fixture *r = fixture_open_lost(text, families[k], events ? 1e-2 : 4e-3);
      double energy = fixture_energy(r);
      const double first = energy;
      const double more = events ? 1e-6 : strncmp(families[k], "schatz", 6) == 0 ? 5e-2 : 1e-2;
      for (int step = 1; step <= STEPS; step++) {
        fixture_to(r, 0.04 * step);
        const double now = fixture_energy(r);
        if (!(now <= energy + more * first))
          fail_msg("t = %g: energy %.9g, then %.9g", 0.04 * step, energy, now);
        energy = now;
      }
      if (!(counts(r).max_penetration < (events ? 1e-5 : 0.08)))
        fail_msg("%g deep", counts(r).max_penetration);
      fixture_close(r);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_free_top_has_the_order_of_its_scheme),
      cmocka_unit_test(a_heavy_top_precesses),
      cmocka_unit_test(a_box_comes_to_rest),
      cmocka_unit_test(a_block_stays_on_a_slope_or_slides),
      cmocka_unit_test(pinched_and_pressed_bodies_do_not_creep),
      cmocka_unit_test(a_stack_stays),
      cmocka_unit_test(a_cradle_passes_the_blow_on),
      cmocka_unit_test(what_leaves_its_table_falls),
      cmocka_unit_test(a_ball_rolls_over_an_edge),
      cmocka_unit_test(scenes_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
