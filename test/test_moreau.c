// The schemes with fixed contact laws per step: Moreau and his relatives, by closed forms and by
// what must never happen.
#include "numbers.h"
#include "fixture.h"

#include <float.h>
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

static const char *const all[] = {"moreau",          "moreau-projected",      "schatzman-paoli",
                                  "moreau-adaptive", "moreau-variable-order", "lcp"};
enum { ALL = sizeof all / sizeof *all };

// Gravity 2, restitution 1/2: impacts at 1, 2, 2.5, ..., at rest from 3 on.
static void ball(void **state)
{
  (void)state;
  for (int k = 0; k < ALL; k++) {
    at_case("%s", all[k]);
    fixture *r = fixture_open("coordinate y = 1\nkinetic y'^2/2\npotential 2*y\n"
                              "unilateral floor: y >= 0 { restitution 0.5 }\n",
                              all[k], 1e-3, 0);
    double energy = fixture_energy(r);
    fixture_to(r, 0.5);
    close_to(fixture_q(r, 0), 0.75, 2e-3);
    fixture_to(r, 1.5);
    close_to(fixture_q(r, 0), 0.25, 5e-3);
    while (dls_integrator_sample(r->integrator).t < 5) {
      dls_failure failure;
      assert_int_equal(dls_integrator_advance(r->integrator, 5, &failure, NULL), DLS_OK);
      assert_int_equal(failure, DLS_FAILURE_NONE);
      if (strcmp(all[k], "moreau") == 0) {  // theta = 1/2: gains nothing but by the step's order
        assert_true(fixture_energy(r) <= energy + 4e-6);
        energy = fixture_energy(r);
      }
    }
    close_to(fixture_q(r, 0), 0, 2e-3);
    close_to(fixture_v(r, 0), 0, 3e-3);
    fixture_close(r);
  }
}

// Newton's law holds in the step of the impact: v1 = -e v0, whatever the height.
static void restitution(void **state)
{
  (void)state;
  fixture *r = fixture_open("coordinate y = 0.0012\nvelocity y' = -3\nkinetic 5*y'^2/2\n"
                            "unilateral floor: y >= 0 { restitution 0.7 }\n",
                            "moreau", 1e-3, 0);
  fixture_to(r, 1e-3);
  close_to(fixture_v(r, 0), 2.1, 1e-14);
  close_to(dls_integrator_sample(r->integrator).impulse[0], 5 * 5.1, 1e-13);
  fixture_close(r);
}

// What a contact did is told after each step. Inside the floor by less than what counts as closed,
// thrown up so that it slows down by 0.4 in each step, 0.6, 0.2, -0.2: it separates as long as it
// rises, then it hits, and rests. Without weight it separates until the gap is open.
static void told_status(void **state)
{
  (void)state;
  const char *const schemes[] = {"moreau", "lcp"};
  const double step = ldexp(1, -34);
  const unsigned char expected[] = {DLS_SEPARATING, DLS_SEPARATING, DLS_SEPARATING, DLS_IMPACTING,
                                    DLS_STICKING};
  for (int k = 0; k < 2; k++) {
    at_case("%s", schemes[k]);
    char text[160];
    snprintf(text, sizeof text,
             "coordinate y = -5e-10\nvelocity y' = 1\nkinetic y'^2/2\npotential %.17g*y\n"
             "unilateral floor: y >= 0\n",
             0.4 / step);
    fixture *r = fixture_open(text, schemes[k], step, 0);
    for (int i = 0; i < 5; i++) {
      if (i > 0) fixture_to(r, i * step);
      const int status = dls_integrator_sample(r->integrator).status[0];
      if (status != expected[i])
        fail_msg("%s, step %d: status %d, not %d", schemes[k], i, status, expected[i]);
    }
    close_to(fixture_v(r, 0), 0, k == 0 ? 1e-12 : 1e-8);  // lcp: what its stabilization adds
    fixture_close(r);
    r = fixture_open("coordinate y = 0\nkinetic y'^2/2\nunilateral floor: y >= 0\n", schemes[k],
                     step, 0);
    fixture_to(r, step);  // touches, without a force
    assert_int_equal(dls_integrator_sample(r->integrator).status[0], DLS_STICKING);
    fixture_close(r);
    r = fixture_open(
        "coordinate y = 0\nvelocity y' = 1\nkinetic y'^2/2\nunilateral floor: y >= 0\n", schemes[k],
        step, 0);
    for (int i = 1; i < 40; i++) {
      fixture_to(r, i * step);
      const int status = dls_integrator_sample(r->integrator).status[0];
      const int right = i * step > 1e-9 ? DLS_OPEN : DLS_SEPARATING;
      if (status != right) fail_msg("%s, step %d: status %d, not %d", schemes[k], i, status, right);
    }
    fixture_close(r);
  }
}

// A tower of blocks that slide on each other much faster than their weight moves them in a step:
// the normal velocities stay zero, as far as the contact problem can be solved at all (1e-13 of the
// slips), and not only to the tolerance, which relative to the slips is as large as the weight.
static void fast_tower(void **state)
{
  (void)state;
  for (int k = 0; k < 8; k++) {
    at_case("k %d", k);
    const int blocks = k % 2 ? 12 : 4;
    const int decade = 2 + k / 2;
    const double speed = pow(10, decade);
    char text[8000] = "",
         part[5][1500] = {"coordinate", "velocity", "kinetic 0", "potential 0", ""};
    double fastest = 0;
    for (int i = 0; i < blocks; i++) {
      const char *comma = i ? "," : "";
      const double v = speed * (i + 1) * (1 + 0.3 * (i % 3));
      size_t at[5];
      for (int l = 0; l < 5; l++) at[l] = strlen(part[l]);
      fastest = fmax(fastest, v);
      snprintf(part[0] + at[0], sizeof part[0] - at[0], "%s x%d = 0, y%d = 0", comma, i, i);
      snprintf(part[1] + at[1], sizeof part[1] - at[1], "%s x%d' = %.17g", comma, i, v);
      snprintf(part[2] + at[2], sizeof part[2] - at[2], " + (x%d'^2 + y%d'^2)/2", i, i);
      snprintf(part[3] + at[3], sizeof part[3] - at[3], " + 9.81*y%d", i);
      if (i == 0)
        snprintf(part[4], sizeof part[4],
                 "unilateral c0: y0 >= 0 { slip x0' + 0.3*y0'; friction 0.3 }\n");
      else
        snprintf(part[4] + at[4], sizeof part[4] - at[4],
                 "unilateral c%d: y%d - y%d >= 0 { slip x%d' - x%d' + 0.3*(y%d' - y%d'); friction "
                 "0.3 }\n",
                 i, i, i - 1, i, i - 1, i, i - 1);
    }
    snprintf(text, sizeof text, "%s\n%s\n%s\n%s\n%s", part[0], part[1], part[2], part[3], part[4]);
    fixture *r = fixture_open(text, "moreau", 1e-3, 0);
    fixture_to(r, 0.02);
    for (int i = 0; i < blocks; i++)
      if (!(fabs(fixture_v(r, 2 * i + 1)) <= 1e-12 * fastest))
        fail_msg("%d blocks at %g: y%d' = %g", blocks, speed, i, fixture_v(r, 2 * i + 1));
    fixture_close(r);
  }
}

static const char *const pendulum = "coordinate x = 1, y = 0\nkinetic (x'^2 + y'^2)/2\n"
                                    "potential 9.81*y\nbilateral rod: x^2 + y^2 = 1\n";

// Both levels of a bilateral constraint hold in long runs, with every scheme.
static void drift(void **state)
{
  (void)state;
  for (int k = 0; k < ALL; k++) {
    at_case("%s", all[k]);
    fixture *r = fixture_open(pendulum, all[k], 5e-3, 0);
    fixture_to(r, 50);
    const dls_step_counts counts = dls_integrator_counts(r->integrator);
    assert_true(counts.steps > 100);
    assert_true(counts.max_bilateral_gap <= 1e-10);
    assert_true(counts.max_bilateral_velocity <= 1e-10 * sqrt(2 * 9.81));  // of the speed
    close_to(hypot(fixture_q(r, 0), fixture_q(r, 1)), 1, 1e-10);
    assert_true(fixture_energy(r) < 0.2);  // it started at 0 and is not driven
    fixture_close(r);
  }
}

// The same rod twice, and a third time with another factor: redundant, and the same motion.
static void redundant(void **state)
{
  (void)state;
  fixture *one = fixture_open(pendulum, "moreau", 1e-2, 0);
  fixture *many =
      fixture_open("coordinate x = 1, y = 0\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
                   "bilateral rod: x^2 + y^2 = 1\nbilateral again: x^2 + y^2 = 1\n"
                   "bilateral thrice: 7*(x^2 + y^2 - 1) = 0\n",
                   "moreau", 1e-2, 0);
  for (int k = 1; k <= 300; k++) {
    at_case("k %d", k);
    fixture_to(one, 0.01 * k), fixture_to(many, 0.01 * k);
    close_to(fixture_q(many, 0), fixture_q(one, 0), 1e-8);
    close_to(fixture_v(many, 1), fixture_v(one, 1), 1e-7);
  }
  fixture_close(one), fixture_close(many);
}

// A coordinate without mass that a constraint carries along.
static void massless(void **state)
{
  (void)state;
  for (int k = 0; k < ALL; k++) {
    at_case("%s", all[k]);
    fixture *r = fixture_open("coordinate x = 0, s = 0\nvelocity x' = 1, s' = 2\nkinetic x'^2/2\n"
                              "bilateral link: s = 2*x\nforce s = -1\n",
                              all[k], 1e-3, 0);
    fixture_to(r, 0.25);  // x'' = -2
    close_to(fixture_q(r, 0), 0.25 - 0.0625, 1e-3);
    close_to(fixture_q(r, 1), 2 * fixture_q(r, 0), 1e-10);
    fixture_close(r);
  }
}

// A block that slides to rest on a rough guide: pressed down, or held up by it.
static void rough_guide(void **state)
{
  (void)state;
  for (int k = 0; k < ALL; k++)
    for (int up = 0; up < 2; up++) {
      at_case("%s, up %d", all[k], up);
      char text[300];
      snprintf(text, sizeof text,
               "coordinate x = 0, y = 0\nvelocity x' = 1\nkinetic (x'^2 + y'^2)/2\n"
               "potential %d*y\nbilateral guide: y = 0 { slip x'; friction 0.25 }\n",
               up ? -10 : 10);
      fixture *r = fixture_open(text, all[k], 1e-3, 0);
      fixture_to(r, 0.2);
      close_to(fixture_v(r, 0), 0.5, 5e-3);
      fixture_to(r, 1);
      close_to(fixture_q(r, 0), 0.2, 2e-3);
      close_to(fixture_v(r, 0), 0, 1e-9);
      const double normal = dls_integrator_sample(r->integrator).impulse[0];
      assert_true(up ? normal < 0 : normal > 0);
      fixture_close(r);
    }
}

// Sliding in space keeps its direction with the round cone; the pyramid turns it.
static void direction(void **state)
{
  (void)state;
  const char *text = "coordinate x = 0, y = 0, z = 0\nvelocity x' = 0.92387953251128674, "
                     "y' = 0.38268343236508977\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential 10*z\n"
                     "unilateral floor: z >= 0 { slip x', y'; friction 0.3 }\n";
  for (int k = 0; k < ALL; k++) {
    at_case("%s", all[k]);
    fixture *r = fixture_open(text, all[k], 1e-3, 0);
    fixture_to(r, 1);
    const double turn = atan2(fixture_q(r, 1), fixture_q(r, 0)) - M_PI / 8;
    if (strcmp(all[k], "lcp") == 0) {
      assert_true(fabs(turn) < M_PI / 8);
    } else {
      close_to(turn, 0, 1e-9);
      close_to(hypot(fixture_q(r, 0), fixture_q(r, 1)), 1 / (2 * 0.3 * 10), 2e-3);
    }
    close_to(hypot(fixture_v(r, 0), fixture_v(r, 1)), 0, 1e-8);
    fixture_close(r);
  }
}

// On an incline below the friction angle nothing moves, above it slides with the known rate.
static void incline(void **state)
{
  (void)state;
  for (int k = 0; k < ALL; k++)
    for (int slides = 0; slides < 2; slides++) {
      at_case("%s, slides %d", all[k], slides);
      char text[300];
      snprintf(text, sizeof text,
               "coordinate s = 0, d = 0\nkinetic (s'^2 + d'^2)/2\npotential 10*(0.8*d - 0.6*s)\n"
               "unilateral plane: d >= 0 { slip s'; friction %g }\n",
               slides ? 0.5 : 0.76);
      fixture *r = fixture_open(text, all[k], 1e-3, 0);
      fixture_to(r, 1);
      close_to(fixture_v(r, 0), slides ? 2 : 0, slides ? 3e-3 : 1e-9);
      fixture_close(r);
    }
}

// Where the theory allows none, nothing penetrates: projected coordinates, and Schatzman-Paoli
// without restitution. A pendulum against a wall, whose gap is not linear.
static void no_penetration(void **state)
{
  (void)state;
  const char *text = "coordinate a = 1\nkinetic a'^2/2\npotential -10*cos(a)\n"
                     "unilateral wall: sin(a) >= -0.2 {}\n";
  const char *const schemes[] = {"moreau-projected", "schatzman-paoli"};
  for (int k = 0; k < 2; k++) {
    at_case("%s", schemes[k]);
    fixture *r = fixture_open(text, schemes[k], 4e-3, 0);
    fixture_to(r, 4);
    assert_true(dls_integrator_counts(r->integrator).max_penetration <= 1e-10);
    assert_true(fabs(fixture_q(r, 0)) <= asin(0.2) + 0.02);  // what the first impact leaves
    fixture_close(r);
    r = fixture_open(text, "moreau", 4e-3, 0);
    fixture_to(r, 4);
    assert_true(dls_integrator_counts(r->integrator).max_penetration > 1e-6);
    fixture_close(r);
  }
}

// A joint and a wall at once: neither gives way to the other.
static void joint_and_wall(void **state)
{
  (void)state;
  fixture *r =
      fixture_open("coordinate x = 0.8, y = -0.6\nkinetic (x'^2 + y'^2)/2\npotential 10*y\n"
                   "bilateral rod: x^2 + y^2 = 1\nunilateral wall: x + y^2/8 >= -0.1 {}\n",
                   "moreau-projected", 4e-3, 0);
  fixture_to(r, 3);
  const dls_step_counts counts = dls_integrator_counts(r->integrator);
  assert_true(counts.max_penetration <= 1e-10);
  assert_true(counts.max_bilateral_gap <= 1e-10);
  assert_true(counts.max_bilateral_velocity <= 1e-10);
  fixture_close(r);
}

// Tolerances are met, roughly, and work grows as they shrink.
static void tolerances(void **state)
{
  (void)state;
  for (int k = 3; k < 5; k++) {
    double before = 1;
    long work = 0;
    for (int e = 3; e <= 6; e++) {
      at_case("%s, e %d", all[k], e);
      fixture *r = fixture_open("coordinate y = 1\nkinetic y'^2/2\npotential 5*y^2\n"
                                "unilateral floor: y >= 0 { restitution 0.8 }\n",
                                all[k], 1e-2, pow(10, -e));
      fixture_to(r, 2);
      const double w = sqrt(10), exact = 0.64 * fabs(cos(2 * w));
      const double error = fabs(fixture_q(r, 0) - exact);
      assert_true(error < before || error < 1e-6);  // where steps fall beside impacts is chance
      assert_true(error < 300 * pow(10, -e));
      assert_true(dls_integrator_counts(r->integrator).rhs_evaluations > work);
      work = dls_integrator_counts(r->integrator).rhs_evaluations;
      before = error;
      fixture_close(r);
    }
  }
}

// The order of contacts does not matter, nor does a frame that moves along.
static void invariance(void **state)
{
  (void)state;
  const char *const floor_first =
      "unilateral a: y >= 0 { slip x'; friction 0.4; restitution 0.3 }\n"
      "unilateral b: x + y >= -1 { restitution 0.6 }\n";
  const char *const wall_first =
      "unilateral b: x + y >= -1 { restitution 0.6 }\n"
      "unilateral a: y >= 0 { slip x'; friction 0.4; restitution 0.3 }\n";
  const char *const body = "coordinate x = 0, y = 0.4\nvelocity x' = -2\n"
                           "kinetic (x'^2 + y'^2)/2\npotential 10*y\n";
  char text[2][600], moving[600];
  snprintf(text[0], sizeof text[0], "%s%s", body, floor_first);
  snprintf(text[1], sizeof text[1], "%s%s", body, wall_first);
  snprintf(moving, sizeof moving,
           "coordinate x = 0, y = 0.4\nvelocity x' = 1\nkinetic ((x' - 3)^2 + y'^2)/2\n"
           "potential 10*y\n"
           "unilateral a: y >= 0 { slip x' - 3; friction 0.4; restitution 0.3 }\n"
           "unilateral b: x - 3*t + y >= -1 { restitution 0.6 }\n");
  const char *const schemes[] = {"moreau", "moreau-projected", "schatzman-paoli"};
  for (int k = 0; k < 3; k++) {
    at_case("%s", schemes[k]);
    fixture *r[3] = {fixture_open(text[0], schemes[k], 1e-2, 0),
                     fixture_open(text[1], schemes[k], 1e-2, 0),
                     fixture_open(moving, schemes[k], 1e-2, 0)};
    for (int i = 0; i < 3; i++) fixture_to(r[i], 1);
    for (int i = 0; i < 2; i++) close_to(fixture_v(r[1], i), fixture_v(r[0], i), 1e-11);
    close_to(fixture_q(r[2], 0) - 3, fixture_q(r[0], 0), 1e-9);
    close_to(fixture_v(r[2], 1), fixture_v(r[0], 1), 1e-8);
    for (int i = 0; i < 3; i++) fixture_close(r[i]);
  }
}

static const char *const tumbling =
    "coordinate x = 0, y = 0.8, a = 0.3\nvelocity x' = 1\n"
    "kinetic (x'^2 + y'^2)/2 + a'^2/12\npotential 9.81*y\n"
    "unilateral l: y - 0.5*cos(a) - 0.5*sin(a) >= 0 { slip x' + (0.5*cos(a) + 0.5*sin(a))*a'; "
    "friction 0.4; restitution 0.3 }\n"
    "unilateral r: y - 0.5*cos(a) + 0.5*sin(a) >= 0 { slip x' + (0.5*cos(a) - 0.5*sin(a))*a'; "
    "friction 0.4; restitution 0.3 }\n";

// Two integrators, the second taken up from the first after `half` steps: the same bits.
static void same_bits(const char *text, const char *scheme, double step, int half, int steps)
{
  fixture *whole = fixture_open(text, scheme, step, 0),
          *other = fixture_open(text, scheme, step, 0);
  const size_t n = (size_t)whole->system->n * sizeof(double), m = (size_t)whole->system->m;
  dls_message message;
  for (int k = 0; k < steps; k++) {
    dls_failure failure;
    assert_int_equal(dls_integrator_advance(whole->integrator, 9, &failure, &message), DLS_OK);
    if (failure != DLS_FAILURE_NONE) fail_msg("%s: %s", scheme, message.text);
    dls_sample a = dls_integrator_sample(whole->integrator);
    if (k == half - 1) assert_int_equal(dls_integrator_restart(other->integrator, &a, &message), 0);
    assert_int_equal(dls_integrator_restart(whole->integrator, &a, &message), DLS_OK);
    if (k < half) continue;
    assert_int_equal(dls_integrator_advance(other->integrator, 9, &failure, &message), DLS_OK);
    a = dls_integrator_sample(whole->integrator);
    const dls_sample b = dls_integrator_sample(other->integrator);
    assert_true(b.t == a.t && b.next_step == a.next_step);
    assert_memory_equal(b.q, a.q, n);
    assert_memory_equal(b.v, a.v, n);
    assert_memory_equal(b.status, a.status, m);
    assert_int_equal(dls_integrator_restart(other->integrator, &b, &message), DLS_OK);
  }
  fixture_close(whole), fixture_close(other);
}

// For every scheme of the table.
static void restart(void **state)
{
  (void)state;
  for (int k = 0; k < dls_scheme_count(); k++) {
    at_case("k %d", k);
    same_bits(tumbling, dls_scheme_info_at(k)->name, 1e-2, 30, 60);
  }
}

// A matrix that is factored sparsely: its pivots must not remember the way.
static void restart_sparse(void **state)
{
  (void)state;
  static char text[10000];
  fixture_chain(20, text, sizeof text);
  const char *const schemes[] = {"moreau", "moreau-projected", "schatzman-paoli", "radau3",
                                 "herk4"};
  for (int k = 0; k < 5; k++) {
    at_case("%s", schemes[k]);
    same_bits(text, schemes[k], 2e-3, 150, 200);
  }
}

// A moment of another system, or with numbers that are none, is refused.
static void bad_moments(void **state)
{
  (void)state;
  fixture *r = fixture_open(pendulum, "moreau", 1e-2, 0);
  dls_message message;
  const dls_sample m = dls_integrator_sample(r->integrator);
  dls_sample bad = m;
  bad.n = 3;
  assert_int_equal(dls_integrator_restart(r->integrator, &bad, &message), DLS_ERR_ARGUMENT);
  bad = m, bad.scheme_state_size = 1;
  assert_int_equal(dls_integrator_restart(r->integrator, &bad, &message), DLS_ERR_ARGUMENT);
  bad = m, bad.next_step = 0;
  assert_int_equal(dls_integrator_restart(r->integrator, &bad, &message), DLS_ERR_ARGUMENT);
  bad = m, bad.t = NAN;
  assert_int_equal(dls_integrator_restart(r->integrator, &bad, &message), DLS_ERR_NUMBER);
  const double q[2] = {1, NAN};
  bad = m, bad.q = q;
  assert_int_equal(dls_integrator_restart(r->integrator, &bad, &message), DLS_ERR_NUMBER);
  fixture_close(r);
}

// Two massive numbers apart: units do not decide.
static void scales(void **state)
{
  (void)state;
  for (int e = -8; e <= 8; e += 4) {
    at_case("e %d", e);
    char text[300];
    const double m = pow(10, e);
    snprintf(text, sizeof text,
             "coordinate y = %.17g, z = 1\nkinetic %.17g*y'^2/2 + z'^2/2\n"
             "potential 2*%.17g*y + 2*z\nunilateral a: y >= 0 { restitution 0.5 }\n"
             "unilateral b: z >= 0 { restitution 0.5 }\n",
             1., m, m);
    fixture *r = fixture_open(text, "moreau", 1e-3, 0);
    for (int k = 1; k <= 50; k++) {
      fixture_to(r, 0.1 * k);
      close_to(fixture_q(r, 0), fixture_q(r, 1), 1e-9);
    }
    fixture_close(r);
  }
}

// A rod falls flat on three supports, each of which sends it back at half the speed of its
// neighbour, (imp.2). The stabilization of the pyramid lets it sink in at the first, which lifts it
// off the last, as far as that may be: Newton's law is kept all the same.
static void law_and_stabilization(void **state)
{
  (void)state;
  static const double stabilize[] = {1e-12, 1e-8, 1e-5};
  for (int k = 0; k < 3; k++) {
    at_case("stabilize %g", stabilize[k]);
    fixture *r = fixture_open("coordinate y, a\nvelocity y = -1\nkinetic y'^2/2 + 0.05*a'^2\n"
                              "unilateral one: y - 0.01*a >= 0\n"
                              "unilateral two: y + 0.99*a >= 0\n"
                              "unilateral three: y + 1.99*a >= 0\n"
                              "restitution one two = 0.5\nrestitution two one = 0.5\n"
                              "restitution three two = 0.5\n",
                              "lcp", 1e-2, 0);
    dls_integrator_options o = dls_integrator_defaults();
    o.scheme = "lcp", o.step = 1e-2, o.stabilize = stabilize[k];
    double q[2] = {0, 0}, v[2] = {-1, 0};
    const dls_state start = {0, q, v};
    dls_integrator *g = NULL;
    dls_failure failure;
    assert_int_equal(dls_integrator_create(r->system, &start, &o, &g, NULL), DLS_OK);
    assert_int_equal(dls_integrator_advance(g, 0.01, &failure, NULL), DLS_OK);
    const dls_sample x = dls_integrator_sample(g);
    close_to(x.v[0], 0.5, 10 * stabilize[k] + 1e-9);
    close_to(x.v[1], 0, 10 * stabilize[k] + 1e-9);
    dls_integrator_free(g);
    fixture_close(r);
  }
}

// Where the step has no solution the run stops, says where, and keeps its state.
static void no_solution(void **state)
{
  (void)state;
  const char *text =
      "coordinate a = pi/4\nkinetic ((1 + cos(a)*a')^2 + (sin(a)*a')^2)/2\npotential -cos(a)\n"
      "unilateral ground: cos(pi/4) - cos(a) >= 0 { slip 1 + cos(a)*a'; friction 2 }\n";
  for (int k = 0; k < ALL; k++) {
    at_case("%s", all[k]);
    fixture *r = fixture_open(text, all[k], 1e-2, 0);
    dls_failure failure = DLS_FAILURE_NONE;
    dls_message message = {""};
    for (int step = 0; step < 500 && failure == DLS_FAILURE_NONE; step++)
      assert_int_equal(dls_integrator_advance(r->integrator, 5, &failure, &message), DLS_OK);
    if (failure != DLS_FAILURE_CONTACT) fail_msg("%s: %s", all[k], message.text);
    if (!strstr(message.text, "between t = 0 and") || !strstr(message.text, "`ground`"))
      fail_msg("%s: %s", all[k], message.text);
    assert_true(dls_integrator_sample(r->integrator).t == 0);
    assert_true(fixture_q(r, 0) == M_PI / 4);
    const int *contact;
    const dls_incremental *problem = dls_integrator_problem(r->integrator, &contact);
    assert_non_null(problem);
    assert_int_equal(problem->contacts, 1);
    assert_int_equal(contact[0], 0);
    fixture_close(r);
  }
}

// The same beside a mass that lies on the floor: what a solver of several contacts does not reach
// is no answer either.
static void no_solution_beside(void **state)
{
  (void)state;
  const char *text =
      "coordinate a = pi/4, y = 0\n"
      "kinetic ((1 + cos(a)*a')^2 + (sin(a)*a')^2)/2 + y'^2/2\npotential -cos(a) + y\n"
      "unilateral ground: cos(pi/4) - cos(a) >= 0 { slip 1 + cos(a)*a'; friction 2 }\n"
      "unilateral floor: y >= 0\n";
  const char *const schemes[] = {"moreau", "moreau-projected", "schatzman-paoli"};
  for (int k = 0; k < 3; k++) {
    at_case("%s", schemes[k]);
    fixture *r = fixture_open(text, schemes[k], 1e-2, 0);
    assert_int_equal(fixture_until_failure(r, 1), DLS_FAILURE_CONTACT);
    assert_true(dls_integrator_sample(r->integrator).t == 0);
    const dls_incremental *problem = dls_integrator_problem(r->integrator, NULL);
    assert_non_null(problem);
    assert_int_equal(problem->contacts, 2);
    fixture_close(r);
  }
}

static dls_status try(const char *text, const char *scheme, double step, dls_message *message)
{
  dls_model *model;
  dls_system *system;
  dls_integrator *integrator;
  dls_diagnostics diagnostics;
  double q[4] = {0}, v[4] = {0};
  dls_state start = {0, q, v};
  assert_int_equal(dls_model_parse(text, strlen(text), &model, &diagnostics), DLS_OK);
  assert_int_equal(dls_model_system(model, &system), DLS_OK);
  assert_int_equal(dls_model_state(system, NULL, &start, message), DLS_OK);
  dls_integrator_options options = dls_integrator_defaults();
  options.scheme = scheme, options.step = step;
  const dls_status status = dls_integrator_create(system, &start, &options, &integrator, message);
  dls_integrator_free(integrator);
  dls_system_free(system), dls_model_free(model);
  return status;
}

static void bad_input(void **state)
{
  (void)state;
  dls_message message;
  const double steps[] = {0, -1, NAN, INFINITY};
  for (int k = 0; k < 4; k++) {
    at_case("k %d", k);
    assert_int_equal(try(pendulum, "moreau", steps[k], &message), DLS_ERR_ARGUMENT);
    assert_non_null(strstr(message.text, "step"));
  }
  assert_int_equal(try(pendulum, "moro", 1, &message), DLS_ERR_ARGUMENT);
  assert_non_null(strstr(message.text, "`moro`"));
  assert_int_equal(
      try("coordinate x = 1.5\nkinetic x'^2\nbilateral rod: x = 1\n", "moreau", 1, &message),
      DLS_ERR_STATE);
  assert_non_null(
      strstr(message.text, "violates the bilateral constraint `rod`: its value is 0.5"));
  assert_int_equal(try("coordinate x = 1\nvelocity x' = 2\nkinetic x'^2\nbilateral rod: x = 1\n",
                       "moreau", 1, &message),
                   DLS_ERR_STATE);
  assert_non_null(strstr(message.text, "`rod`: its rate of change is 2"));
  assert_int_equal(
      try("coordinate x = -3\nkinetic x'^2\nunilateral wall: x >= 0\n", "moreau", 1, &message),
      DLS_ERR_STATE);
  assert_non_null(strstr(message.text, "penetrates the unilateral constraint `wall` by 3"));
  assert_int_equal(try("coordinate x = 0\nkinetic x'^2\nforce x = 1/x\n", "moreau", 1, &message),
                   DLS_ERR_NUMBER);
  for (int k = 0; dls_scheme_info_at(k); k++) {
    at_case("k %d", k);
    assert_int_equal(try("coordinate x = 0\nkinetic x'^2/2\npotential log(x - 1)\n",
                         dls_scheme_info_at(k)->name, 0.1, &message),
                     DLS_ERR_NUMBER);
    assert_string_equal(message.text,
                        "the potential energy is not a number at t = 0, x = 0, x' = 0");
  }
}

// A force that grows without bound, and a mass that vanishes: failures, not answers.
static void failures(void **state)
{
  (void)state;
  for (int k = 0; k < ALL; k++) {
    at_case("%s", all[k]);
    fixture *r = fixture_open(
        "coordinate x = 1\nvelocity x' = -1\nkinetic x'^2/2\nforce x = log(x)\n", all[k], 1e-2, 0);
    assert_int_equal(fixture_until_failure(r, 5), DLS_FAILURE_NUMBER);
    assert_true(fixture_q(r, 0) > 0);
    fixture_close(r);
    r = fixture_open("coordinate x = 0, s = 0\nkinetic x'^2/2\nforce s = 1\n", all[k], 1e-2, 0);
    assert_int_equal(fixture_until_failure(r, 1), DLS_FAILURE_SINGULAR);
    fixture_close(r);
  }
}

// No contact, no coordinate that moves: nothing happens, and nothing breaks.
static void nothing(void **state)
{
  (void)state;
  for (int k = 0; k < dls_scheme_count(); k++) {
    at_case("k %d", k);
    fixture *r =
        fixture_open("coordinate x = 2\nkinetic x'^2/2\n", dls_scheme_info_at(k)->name, 0.1, 0);
    fixture_to(r, 1);
    assert_true(fixture_q(r, 0) == 2 && fixture_v(r, 0) == 0);
    fixture_close(r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(ball),
                                     cmocka_unit_test(told_status),
                                     cmocka_unit_test(fast_tower),
                                     cmocka_unit_test(restitution),
                                     cmocka_unit_test(drift),
                                     cmocka_unit_test(redundant),
                                     cmocka_unit_test(massless),
                                     cmocka_unit_test(rough_guide),
                                     cmocka_unit_test(direction),
                                     cmocka_unit_test(incline),
                                     cmocka_unit_test(no_penetration),
                                     cmocka_unit_test(joint_and_wall),
                                     cmocka_unit_test(tolerances),
                                     cmocka_unit_test(invariance),
                                     cmocka_unit_test(restart),
                                     cmocka_unit_test(restart_sparse),
                                     cmocka_unit_test(bad_moments),
                                     cmocka_unit_test(scales),
                                     cmocka_unit_test(law_and_stabilization),
                                     cmocka_unit_test(no_solution),
                                     cmocka_unit_test(no_solution_beside),
                                     cmocka_unit_test(bad_input),
                                     cmocka_unit_test(failures),
                                     cmocka_unit_test(nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
