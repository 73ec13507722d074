// Events: impacts and their accumulation, take-off, stick and slip, by closed forms; the order of
// the schemes through them; a run that is taken up again.
#include "numbers.h"
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

static const struct {
  const char *name;
  int order;
} schemes[] = {{"radau3", 3}, {"radau5", 5}, {"lobatto2", 2}, {"lobatto4", 4}, {"lobatto6", 6},
               {"herk2", 2},  {"herk3", 3},  {"herk4", 4},    {"herk5", 5},    {"herk8", 8}};

enum { SCHEMES = sizeof schemes / sizeof *schemes };

static const char *const ball = "coordinate y = 1\n"
                                "kinetic    y'^2/2\n"
                                "potential  2*y\n"
                                "unilateral floor: y >= 0 { restitution 0.5 }\n";
static const char *const oscillator = "coordinate y = 1\n"
                                      "kinetic    y'^2/2\n"
                                      "potential  9*y^2/2\n"
                                      "unilateral floor: y >= 0 { restitution 0.5 }\n";

// HOT eq. (10): impacts at 1, 2, 2.5, 2.75, ..., at rest from 3 on.
static double ball_at(double t)
{
  if (t < 1) return 1 - t * t;
  double begin = 1, speed = 1;
  while (begin + speed < t && speed > 1e-18) begin += speed, speed /= 2;
  const double s = t - begin;
  return t >= 3 ? 0 : speed * s - s * s;
}

static double oscillator_at(double t)
{
  return pow(0.5, floor((3 * t + M_PI / 2) / M_PI)) * fabs(cos(3 * t));
}

// The largest error of the coordinate at the points of the grid.
static double error_of(const char *text, double (*exact)(double), const char *scheme, double step,
                       double end)
{
  fixture *r = fixture_open(text, scheme, step, 0);
  double most = 0;
  const int steps = (int)lround(end / step);
  for (int k = 1; k <= steps; k++) {
    fixture_to(r, k * step);
    most = fmax(most, fabs(fixture_q(r, 0) - exact(k * step)));
  }
  assert_int_equal(dls_integrator_counts(r->integrator).steps, steps);
  fixture_close(r);
  return most;
}

static void order_through_impacts(void **state)
{
  (void)state;
  for (int k = 0; k < SCHEMES; k++) {
    at_case("%s", schemes[k].name);
    const int p = schemes[k].order;
    const double coarse = p < 6 ? 1. / 16 : p == 6 ? 1. / 8 : 1. / 4, fine = coarse / 4;
    const double a = error_of(ball, ball_at, schemes[k].name, coarse, 4);
    const double b = error_of(ball, ball_at, schemes[k].name, fine, 4);
    if (!(log2(a / b) / 2 > p - 0.5) || !(a < 4 * pow(coarse, p + 1)))
      fail_msg("%s: order %g on the ball (%g, %g)", schemes[k].name, log2(a / b) / 2, a, b);
    const double c = error_of(oscillator, oscillator_at, schemes[k].name, coarse, 4);
    const double d = error_of(oscillator, oscillator_at, schemes[k].name, fine, 4);
    if (!(log2(c / d) / 2 > p - 0.5))
      fail_msg("%s: order %g on the oscillator (%g, %g)", schemes[k].name, log2(c / d) / 2, c, d);
  }
}

// The shorter the critical interval may be, eq (cap.3), the more of the flights 2^-k are told.
static void constant_of_the_interval(void **state)
{
  (void)state;
  long events[2];
  for (int k = 0; k < 2; k++) {
    fixture *r = fixture_open(ball, "lobatto2", 0.05, 0);
    dls_integrator_options o = dls_integrator_defaults();
    o.scheme = "lobatto2", o.step = 0.05, o.critical = k ? 0.01 : 0.2;
    double q = 1, v = 0;
    const dls_state start = {0, &q, &v};
    dls_integrator *g = NULL;
    assert_int_equal(dls_integrator_create(r->system, &start, &o, &g, NULL), DLS_OK);
    dls_failure failure;
    while (dls_integrator_sample(g).t < 4)
      assert_int_equal(dls_integrator_advance(g, 4, &failure, NULL), DLS_OK);
    events[k] = dls_integrator_counts(g).events;
    dls_integrator_free(g);
    fixture_close(r);
  }
  const double more = (double)(events[1] - events[0]) - log2(0.2 / 0.01);
  if (!(fabs(more) < 1.5)) fail_msg("%ld and %ld events", events[0], events[1]);
}

static void accumulation(void **state)
{
  (void)state;
  for (int k = 0; k < SCHEMES; k++)
    for (int chosen = 0; chosen < 2; chosen++) {
      at_case("%s, chosen %d", schemes[k].name, chosen);
      fixture *r = fixture_open(ball, schemes[k].name, 0.05, chosen ? 1e-6 : 0);
      fixture_to(r, 2.2);
      assert_int_equal(r->events, 2);
      close_to(r->time[0], 1, 2e-4), close_to(r->time[1], 2, 3e-4);
      fixture_to(r, 5);
      assert_true(r->events > 6 && r->events < 60);
      if (!chosen)  // flights 2^-k, down to the critical length, eq (cap.3) with T = 3
        assert_true(r->events < 4 + log2(100 / 0.05) + schemes[k].order * log2(3 / 0.05));
      assert_int_equal(fixture_count(r, DLS_EVENT_IMPACT) + fixture_count(r, DLS_EVENT_TOUCH),
                       r->events);
      assert_int_equal(dls_integrator_sample(r->integrator).status[0], DLS_STICKING);
      close_to(fixture_q(r, 0), 0, 1e-10), close_to(fixture_v(r, 0), 0, 1e-10);
      // the floor carries the weight from then on
      dls_sample m = dls_integrator_sample(r->integrator);
      assert_int_equal(dls_integrator_restart(r->integrator, &m, NULL), DLS_OK);
      fixture_to(r, 6);
      close_to(dls_integrator_sample(r->integrator).impulse[0], 2, 1e-10);
      fixture_close(r);
    }
}

static void adaptive_steps(void **state)
{
  (void)state;
  for (int k = 0; k < SCHEMES; k++) {
    at_case("%s", schemes[k].name);
    const double tolerance = schemes[k].order > 2 ? 1e-7 : 1e-5;
    fixture *r = fixture_open(oscillator, schemes[k].name, 0.01, tolerance);
    fixture_to(r, 4);
    close_to(fixture_q(r, 0), oscillator_at(4), 50 * tolerance);
    assert_int_equal(fixture_count(r, DLS_EVENT_IMPACT), 4);
    assert_true(dls_integrator_sample(r->integrator).next_step > 0);
    fixture_close(r);
  }
}

// A dip below the floor and out again within one step.
static void inside_a_step(void **state)
{
  (void)state;
  const char *const text = "coordinate y = 0.499\n"
                           "velocity   y = -1\n"
                           "kinetic    y'^2/2\n"
                           "force      y = 1\n"
                           "unilateral floor: y >= 0 { restitution 1 }\n";
  const double hit = 1 - sqrt(1 - 2 * 0.499);
  for (int k = 0; k < SCHEMES; k++) {
    at_case("%s", schemes[k].name);
    fixture *r = fixture_open(text, schemes[k].name, 2, 0);
    fixture_to(r, 2);
    assert_int_equal(r->events, 1);
    close_to(r->time[0], hit, 0.3);
    assert_true(fixture_v(r, 0) > 1);
    fixture_close(r);
  }
  fixture *r = fixture_open(text, "herk5", 0.125, 0);
  fixture_to(r, 2);
  close_to(r->time[0], hit, 1e-5);
  close_to(fixture_v(r, 0), (1 - hit) + (2 - hit), 1e-4);
  fixture_close(r);
}

static void impact_at_once(void **state)
{
  (void)state;
  fixture *r = fixture_open("coordinate y = 0\nvelocity y = -1\nkinetic y'^2/2\n"
                            "unilateral floor: y >= 0 { restitution 0.5 }\n",
                            "radau5", 0.1, 0);
  assert_int_equal(dls_integrator_sample(r->integrator).status[0], DLS_IMPACTING);
  fixture_to(r, 1);
  assert_int_equal(fixture_count(r, DLS_EVENT_IMPACT), 1);
  close_to(fixture_v(r, 0), 0.5, 1e-14), close_to(fixture_q(r, 0), 0.5, 1e-5);
  fixture_close(r);
}

// A mass on a table 0.2 sin(8 t) leaves it when 12.8 sin(8 t) = 10.
static void take_off(void **state)
{
  (void)state;
  const double leaves = asin(10 / 12.8) / 8, speed = 1.6 * cos(8 * leaves);
  for (int k = 0; k < SCHEMES; k++) {
    at_case("%s", schemes[k].name);
    fixture *r = fixture_open("coordinate y = 0\nvelocity y = 1.6\nkinetic y'^2/2\npotential 10*y\n"
                              "unilateral table: y >= 0.2*sin(8*t) { restitution 0.3 }\n",
                              schemes[k].name, 1. / 64, 0);
    fixture_to(r, 0.25);
    const double s = 0.25 - leaves;
    assert_int_equal(r->events, 1);
    // known up to the critical interval, eq (cap.3)
    const double critical = fmin(1e-4, 0.01 * pow(1 / (64 * leaves), schemes[k].order)) / 64;
    close_to(fixture_time(r, DLS_EVENT_TAKE_OFF), leaves, critical + 1e-9);
    close_to(fixture_q(r, 0), 0.2 * sin(8 * leaves) + speed * s - 5 * s * s,
             schemes[k].order == 2 ? 2e-4 : 1e-5);
    assert_int_equal(dls_integrator_sample(r->integrator).status[0], DLS_OPEN);
    fixture_to(r, 0.75);  // it lands, bounces, and is carried again
    assert_true(fixture_count(r, DLS_EVENT_IMPACT) > 3);
    assert_int_equal(dls_integrator_sample(r->integrator).status[0], DLS_STICKING);
    close_to(fixture_q(r, 0), 0.2 * sin(8 * 0.75), 1e-9);
    fixture_close(r);
  }
}

// Two blocks joined by a spring, of which the first is stuck: x'' = -x - 2 of the second until
// tan t = 1/2, where x = sqrt(5) - 2; the spring does not move it again. Its slip is not the first.
static void second_stops(void **state)
{
  (void)state;
  for (int k = 0; k < SCHEMES; k++) {
    at_case("%s", schemes[k].name);
    fixture *r = fixture_open("coordinate x1, y1, x2, y2\nvelocity x2 = 1\n"
                              "kinetic (x1'^2 + y1'^2 + x2'^2 + y2'^2)/2\n"
                              "potential 10*(y1 + y2) + (x2 - x1)^2/2\n"
                              "unilateral first: y1 >= 0 { slip x1'; friction 0.8 }\n"
                              "unilateral second: y2 >= 0 { slip x2'; friction 0.2 }\n",
                              schemes[k].name, 1. / 32, 0);
    fixture_to(r, 1);
    const double length = 4 * pow(1. / 32, schemes[k].order + 1) + 1e-9;
    if (r->events != 1 || r->kind[0] != DLS_EVENT_STICK || r->contact[0] != 1)
      fail_msg("%s: %d events", schemes[k].name, r->events);
    close_to(r->time[0], atan(0.5), length);
    close_to(fixture_q(r, 0), 0, 1e-9), close_to(fixture_q(r, 2), sqrt(5) - 2, length);
    close_to(fixture_v(r, 2), 0, 1e-9);
    fixture_close(r);
  }
}

// Down an incline with friction that wins: stops after v / (g (mu cos - sin)), and stays.
static void stops_on_an_incline(void **state)
{
  (void)state;
  const double a = 10 * (0.5 * cos(0.2) - sin(0.2)), stop = 2 / a, way = 2 / a;
  for (int k = 0; k < SCHEMES; k++)
    for (int chosen = 0; chosen < 2; chosen++) {
      at_case("%s, chosen %d", schemes[k].name, chosen);
      fixture *r = fixture_open("parameter al = 0.2\ncoordinate x, y\nvelocity x = 2\n"
                                "kinetic (x'^2 + y'^2)/2\npotential 10*(cos(al)*y - sin(al)*x)\n"
                                "unilateral floor: y >= 0 { slip x'; friction 0.5 }\n",
                                schemes[k].name, 1. / 32, chosen ? 1e-7 : 0);
      fixture_to(r, 0.5);
      assert_int_equal(dls_integrator_sample(r->integrator).status[0], DLS_SLIDING);
      fixture_to(r, 2);
      const double length = chosen ? 1e-3 : 2 * pow(1. / 32, schemes[k].order + 1) + 1e-9;
      assert_int_equal(r->events, 1);
      close_to(fixture_time(r, DLS_EVENT_STICK), stop, length);
      close_to(fixture_q(r, 0), way, length), close_to(fixture_v(r, 0), 0, 1e-10);
      assert_int_equal(dls_integrator_sample(r->integrator).status[0], DLS_STICKING);
      const double *impulse = dls_integrator_sample(r->integrator).impulse;
      close_to(impulse[0], 20 * cos(0.2), 1e-6);
      close_to(impulse[1], -2 - 20 * sin(0.2), 1e-3);
      fixture_close(r);
    }
}

// Pushed by a force t: slips from t = mu m g on, x = (t - 5)^3 / 6.
static void begins_to_slip(void **state)
{
  (void)state;
  for (int k = 0; k < SCHEMES; k++)
    for (int side = -1; side <= 1; side += 2) {
      at_case("%s, side %d", schemes[k].name, side);
      fixture *r =
          fixture_open(side < 0 ? "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 10*y\n"
                                  "force x = -t\n"
                                  "unilateral floor: y >= 0 { slip x'; friction 0.5 }\n"
                                : "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 10*y\n"
                                  "force x = t\n"
                                  "unilateral floor: y >= 0 { slip 2*x'; friction 0.25 }\n",
                       schemes[k].name, 0.03, 0);
      // with slip 2 x' the tangential force counts twice
      fixture_to(r, 6);
      assert_int_equal(r->events, 1);
      close_to(fixture_time(r, DLS_EVENT_SLIP), 5, 1e-4);
      close_to(fixture_q(r, 0), side / 6., schemes[k].order == 2 ? 2e-4 : 1e-6);
      close_to(fixture_v(r, 0), side / 2., 1e-4);
      fixture_close(r);
    }
}

// Sliding in space: straight to rest, and turned by a force meanwhile.
static void slides_in_space(void **state)
{
  (void)state;
  const char *const straight = "coordinate x, y, z\nvelocity x = 2, y = 1\n"
                               "kinetic (x'^2 + y'^2 + z'^2)/2\npotential 10*z\n"
                               "unilateral floor: z >= 0 { slip x', y'; friction 0.6 }\n";
  const char *const turned = "coordinate x, y, z\nvelocity x = 2, y = 1\n"
                             "kinetic (x'^2 + y'^2 + z'^2)/2\npotential 10*z\n"
                             "force x = 0.5, y = 3\n"
                             "unilateral floor: z >= 0 { slip x', y'; friction 0.6 }\n";
  for (int k = 0; k < SCHEMES; k++) {
    at_case("%s", schemes[k].name);
    fixture *r = fixture_open(straight, schemes[k].name, 1. / 16, 0);
    fixture_to(r, 1);
    const double way = 5 / 12., length = 4 * pow(1. / 16, schemes[k].order + 1);  // v^2 / (2 mu g)
    close_to(fixture_q(r, 0), way * 2 / sqrt(5), length);
    close_to(fixture_q(r, 1), way * 1 / sqrt(5), length);
    assert_int_equal(fixture_count(r, DLS_EVENT_STICK), 1);
    fixture_close(r);
    // the reference: steps of 1/3200, five schemes agree to 1e-11
    r = fixture_open(turned, schemes[k].name, 1. / 64, 0);
    fixture_to(r, 0.5);
    // Newton's iteration knows how the force turns: about three steps of it. Its end is near, and
    // its errors controlled: by low orders in many short pieces.
    const long work = dls_integrator_counts(r->integrator).rhs_evaluations;
    assert_true(work < (schemes[k].order == 2 ? 2600 : 800));
    fixture_to(r, 1);
    const double error = schemes[k].order == 2 ? 3e-4 : schemes[k].order == 3 ? 2e-6 : 1e-7;
    close_to(fixture_q(r, 0), 0.493825149418, error),
        close_to(fixture_q(r, 1), 0.445986347122, error);
    assert_int_equal(fixture_count(r, DLS_EVENT_STICK), 1);
    fixture_close(r);
  }
}

// Friction gives no energy. A force that grows slows a block down and speeds it up again before it
// stops: with the acceleration 6 c t/h - 3 c its slip is c h (3/4 + d - 3 u + 3 u^2) at t = u h,
// never below c h d. One step of Heun's method, whose stage at the end is that of Euler, has a slip
// of -c h (9/4 - d) there, with friction that drives it, and ends c h^2 too far back; neither its
// end nor its dense output shows that.
static void friction_gives_no_energy(void **state)
{
  (void)state;
  static const double steps[] = {0.01, 1, 30}, forces[] = {0.1, 1, 50}, above[] = {0.25, 0.5, 1};
  for (int i = 0; i < 27; i++) {
    at_case("i %d", i);
    const double h = steps[i % 3], c = forces[i / 3 % 3], d = above[i / 9];
    const double first = c * h * (0.75 + d);
    char text[400];
    snprintf(text, sizeof text,
             "coordinate x = 0, y = 0\nvelocity x = %.17g\nkinetic (x'^2 + y'^2)/2\n"
             "potential %.17g*y\nforce x = %.17g*t - %.17g\n"
             "unilateral floor: y >= 0 { slip x'; friction 0.5 }\n",
             first, 2 * c, 6 * c / h, 2 * c);
    fixture *r = fixture_open(text, "herk2", h, 0);
    fixture_to(r, h);
    const dls_step_counts counts = dls_integrator_counts(r->integrator);
    assert_int_equal(counts.steps, 1);
    if (counts.rejected < 1) fail_msg("h = %g, c = %g: no trial was rejected", h, c);
    close_to(fixture_v(r, 0), first, 1e-9 * first);
    close_to(fixture_q(r, 0), h * (first - c * h / 2), 0.5 * c * h * h);
    assert_int_equal(r->events, 0);
    fixture_close(r);
  }
}

// A bead on a ring with friction: bilateral, the force changes its side, no event is told for that.
static void bead_on_a_ring(void **state)
{
  (void)state;
  const char *const text =
      "coordinate x = 1, y = 0\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
      "bilateral ring: (x^2 + y^2)/2 = 1/2 { slip x*y' - y*x'; friction 0.2 }\n";
  // the same in the angle: th'' = -g cos th - mu |N| sign(th'), N = th'^2 + g sin(-th)
  const char *const angle = "coordinate th = 0\nkinetic th'^2/2\npotential 9.81*sin(th)\n"
                            "force th = -0.2*abs(th'^2 - 9.81*sin(th))*sign(th')\n";
  fixture *a = fixture_open(text, "radau5", 0.01, 0), *b = fixture_open(angle, "herk5", 1e-4, 0);
  fixture_to(a, 1), fixture_to(b, 1);
  close_to(atan2(fixture_q(a, 1), fixture_q(a, 0)), fixture_q(b, 0), 1e-7);
  fixture_to(a, 8);
  assert_true(fixture_count(a, DLS_EVENT_SLIP) >= 1);  // it turns round
  assert_int_equal(fixture_count(a, DLS_EVENT_STICK), 1);
  assert_int_equal(dls_integrator_sample(a->integrator).status[0], DLS_STICKING);
  assert_true(fabs(atan2(fixture_q(a, 0), -fixture_q(a, 1))) <= atan(0.2));  // inside the cone
  fixture_close(a), fixture_close(b);
}

// A block that rocks on two corners until it stands; a table of four legs that falls on them.
static void come_to_rest(void **state)
{
  (void)state;
  const char *const block =
      "parameter w = 0.4, h = 1\ncoordinate x, y = h/2, th\nvelocity th = 1\n"
      "kinetic (x'^2 + y'^2)/2 + th'^2/2*(w^2 + h^2)/12\npotential 9.81*y\n"
      "unilateral left: y - h/2*cos(th) - w/2*sin(th) >= 0 {\n"
      "  slip x' + (h/2*cos(th) + w/2*sin(th))*th'; friction 0.8; restitution 0 }\n"
      "unilateral right: y - h/2*cos(th) + w/2*sin(th) >= 0 {\n"
      "  slip x' + (h/2*cos(th) - w/2*sin(th))*th'; friction 0.8; restitution 0 }\n";
  const char *const legs =
      "coordinate x, y, z = 0.6, a = 0.1, b = 0.05, c\nvelocity x = 0.3, c = 0.2\n"
      "kinetic x'^2 + y'^2 + z'^2 + (a'^2 + b'^2)/20 + c'^2/10\npotential 19.62*z\n"
      "let top = z - 0.5*cos(a)*cos(b), s = 0.4*sin(b), u = 0.3*sin(a)*cos(b)\n"
      "unilateral one: top + s + u >= 0 { slip x' - 0.3*c' + 0.5*b', y' + 0.4*c' - 0.5*a'\n"
      "  friction 0.4; restitution 0.2 }\n"
      "unilateral two: top + s - u >= 0 { slip x' + 0.3*c' + 0.5*b', y' + 0.4*c' - 0.5*a'\n"
      "  friction 0.4; restitution 0.2 }\n"
      "unilateral three: top - s - u >= 0 { slip x' + 0.3*c' + 0.5*b', y' - 0.4*c' - 0.5*a'\n"
      "  friction 0.4; restitution 0.2 }\n"
      "unilateral four: top - s + u >= 0 { slip x' - 0.3*c' + 0.5*b', y' - 0.4*c' - 0.5*a'\n"
      "  friction 0.4; restitution 0.2 }\n";
  const char *const names[] = {"radau5", "herk4", "lobatto2"};
  for (int k = 0; k < 3; k++) {
    at_case("%s", names[k]);
    fixture *r = fixture_open(block, names[k], 0.02, 0);
    fixture_to(r, 1);
    close_to(fixture_q(r, 1), 0.5, 1e-9), close_to(fixture_q(r, 2), 0, 1e-9),
        close_to(fixture_v(r, 2), 0, 1e-9);
    fixture_close(r);
    r = fixture_open_lost(legs, names[k], 0.02);  // four legs share the load in many ways
    fixture_to(r, 1);
    assert_true(dls_integrator_uniqueness(r->integrator).lost);
    close_to(fixture_q(r, 2), 0.5, 1e-9);
    for (int i = 0; i < 6; i++) close_to(fixture_v(r, i), 0, 1e-9);
    for (int j = 0; j < 4; j++)
      assert_int_equal(dls_integrator_sample(r->integrator).status[j], DLS_STICKING);
    assert_true(dls_integrator_counts(r->integrator).max_penetration < 1e-9);
    fixture_close(r);
  }
}

static void *copied(const void *from, size_t size)
{
  void *to = malloc(size + 1);
  assert_non_null(to);
  memcpy(to, from, size);
  return to;
}

static dls_sample copy_of(dls_sample m)
{
  m.q = copied(m.q, (size_t)m.n * sizeof(double)), m.v = copied(m.v, (size_t)m.n * sizeof(double));
  m.impulse = copied(m.impulse, (size_t)m.impulses * sizeof(double));
  m.status = copied(m.status, (size_t)m.m);
  m.scheme_state = copied(m.scheme_state, (size_t)m.scheme_state_size * sizeof(double));
  return m;
}

static void free_copy(const dls_sample *m)
{
  free((void *)m->q), free((void *)m->v), free((void *)m->impulse);
  free((void *)m->status), free((void *)m->scheme_state);
}

// A run is the same through a recording that is taken up by another integrator, bit by bit.
static void taken_up(void **state)
{
  (void)state;
  const char *const text = "coordinate x, y = 0.3\nvelocity x = 2\n"
                           "kinetic (x'^2 + y'^2)/2\npotential 10*y\nforce x = 4*sin(9*t)\n"
                           "unilateral floor: y >= 0 { slip x'; friction 0.5; restitution 0.4 }\n";
  for (int k = 0; k < 2 * SCHEMES; k++) {
    at_case("k %d", k);
    const double rtol = k < SCHEMES ? 0 : 1e-6;
    fixture *a = fixture_open(text, schemes[k % SCHEMES].name, 0.03, rtol);
    fixture *b = fixture_open(text, schemes[k % SCHEMES].name, 0.03, rtol);
    const dls_sample first = copy_of(dls_integrator_sample(b->integrator));
    while (dls_integrator_sample(a->integrator).t < 2) {
      const dls_sample copy = copy_of(dls_integrator_sample(a->integrator));
      dls_failure failure;  // something else in between: nothing of it may stay
      assert_int_equal(dls_integrator_restart(b->integrator, &first, NULL), DLS_OK);
      assert_int_equal(dls_integrator_advance(b->integrator, 2, &failure, NULL), DLS_OK);
      assert_int_equal(dls_integrator_restart(b->integrator, &copy, NULL), DLS_OK);
      assert_int_equal(dls_integrator_advance(a->integrator, 2, &failure, NULL), DLS_OK);
      assert_int_equal(failure, DLS_FAILURE_NONE);
      assert_int_equal(dls_integrator_advance(b->integrator, 2, &failure, NULL), DLS_OK);
      const dls_sample now = dls_integrator_sample(a->integrator);
      const dls_sample other = dls_integrator_sample(b->integrator);
      assert_true(now.t == other.t && now.next_step == other.next_step);
      assert_memory_equal(now.q, other.q, 2 * sizeof(double));
      assert_memory_equal(now.v, other.v, 2 * sizeof(double));
      assert_memory_equal(now.status, other.status, 1);
      assert_memory_equal(now.scheme_state, other.scheme_state,
                          (size_t)now.scheme_state_size * sizeof(double));
      free_copy(&copy);
    }
    assert_true(a->events > 2);
    free_copy(&first);
    fixture_close(a), fixture_close(b);
  }
}

// Jaws that close on a block: nothing can move so, and it is said.
static void impossible(void **state)
{
  (void)state;
  const char *const text = "coordinate x\nkinetic x'^2/2\n"
                           "unilateral left: x >= t^2 - 1 { restitution 0 }\n"
                           "unilateral right: x <= 1 - t^2 { restitution 0 }\n";
  fixture *r = fixture_open(text, "radau5", 0.05, 0);
  assert_int_not_equal(fixture_until_failure(r, 2), DLS_FAILURE_NONE);
  assert_true(dls_integrator_sample(r->integrator).t <= 1.05);
  fixture_close(r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(order_through_impacts),
      cmocka_unit_test(accumulation),
      cmocka_unit_test(constant_of_the_interval),
      cmocka_unit_test(adaptive_steps),
      cmocka_unit_test(inside_a_step),
      cmocka_unit_test(impact_at_once),
      cmocka_unit_test(take_off),
      cmocka_unit_test(stops_on_an_incline),
      cmocka_unit_test(second_stops),
      cmocka_unit_test(begins_to_slip),
      cmocka_unit_test(slides_in_space),
      cmocka_unit_test(friction_gives_no_energy),
      cmocka_unit_test(bead_on_a_ring),
      cmocka_unit_test(come_to_rest),
      cmocka_unit_test(taken_up),
      cmocka_unit_test(impossible),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
