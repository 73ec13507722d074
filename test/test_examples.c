// The examples with unilateral contacts only: the numbers that their headers promise, against
// closed formulas, and exact solutions.
#include "example.h"
#include "example_report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cases.h"

#include <math.h>

static const double g = 9.81;

// A = ones/m; at rest each force in [0, m g - lift], the sum m g - lift, least norm a third each.
static void test_block(void **unused)
{
  (void)unused;
  static const double masses[] = {0.001, 2, 3, 1e4};
  char sets[PATH], path[PATH];
  for (size_t k = 0; k < 4; k++) {
    at_case("k %zu", k);
    const double m = masses[k], lift = k % 2 ? 0 : 0.4 * m * g, load = m * g - lift;
    asked a = ask("three-point-block", "resting", print(sets, "m=%.17g, lift=%.17g", m, lift));
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) expect(&a, print(path, "delassus.matrix.%d.%d", i, j), 1 / m);
    static const char *const names[] = {"left", "middle", "right"};
    double sum = 0;
    for (int i = 0; i < 3; i++) {
      expect(&a, print(path, "force_ranges.%s.normal.0", names[i]), 0);
      expect(&a, print(path, "force_ranges.%s.normal.1", names[i]), load);
      expect(&a, print(path, "solutions.0.forces.%s.normal", names[i]), load / 3);
      sum += number(&a, path);
    }
    assert_true(fabs(sum - load) <= 1e-9 * load);
    expect(&a, ACCELERATION("y"), 0);
    expect_answer(&a, DLS_ACCELERATION_UNIQUE, "yes");
    expect_answer(&a, DLS_FORCES_UNIQUE, "no");
    done(&a);

    asked up = ask("three-point-block", "", print(sets, "m=%.17g, lift=%.17g", m, 3 * m * g));
    expect(&up, ACCELERATION("y"), 2 * g);
    expect(&up, HIGH("middle"), 0);
    expect_text(&up, "solutions.0.forces.left.mode", "detach");
    expect_answer(&up, DLS_FORCES_UNIQUE, "yes");
    done(&up);
  }
}

// left + middle + right = S, right - left = T: the intervals of a rigid beam on three supports.
// With the box far out it turns on the right bracket alone.
static void test_shelf(void **unused)
{
  (void)unused;
  const double m = 4, M = 6, L = 1.2, S = (m + M) * g;
  char sets[PATH];
  for (int k = 0; k < 6; k++) {
    at_case("k %d", k);
    const double d = 0.19 * k, T = 2 * M * g * d / L;
    asked a = ask("shelf", "", print(sets, "d=%.17g", d));
    expect(&a, LOW("left"), 0);
    expect(&a, HIGH("left"), (S - T) / 2);
    expect(&a, LOW("middle"), 0);
    expect(&a, HIGH("middle"), S - T);
    expect(&a, LOW("right"), T);
    expect(&a, HIGH("right"), (S + T) / 2);
    expect(&a, FORCE("left"), fmax(0, S / 3 - T / 2));  // least norm
    expect(&a, FORCE("middle"), fmin(S / 3, S - T));
    expect_answer(&a, DLS_FORCES_UNIQUE, "no");
    done(&a);
  }
  const double d = 1.2, inertia = m * L * L / 12 + m * L * L / 4 + M * (d - L / 2) * (d - L / 2);
  const double turn = -(M * g * (d - L / 2) - m * g * L / 2) / inertia;
  asked tipping = ask("shelf", "", "d=1.2");
  expect(&tipping, ACCELERATION("theta"), turn);
  expect(&tipping, ACCELERATION("y"), -L / 2 * turn);
  expect(&tipping, FORCE("right"), S + m * -L / 2 * turn + M * (d - L / 2) * turn);
  expect_answer(&tipping, DLS_FORCES_UNIQUE, "yes");
  done(&tipping);
}

static void test_jaws(void **unused)
{
  (void)unused;
  asked closing = ask("closing-jaws", "", "");
  expect_answer(&closing, DLS_ACCELERATION_EXISTS, "no");
  expect(&closing, "solution_count", 0);
  expect(&closing, "verdicts.acceleration_exists.witness.lambda_u.left", 1);
  expect(&closing, "verdicts.acceleration_exists.witness.lambda_u.right", 1);
  done(&closing);
  asked still = ask("closing-jaws", "", "close=0, push=5");
  expect(&still, ACCELERATION("x"), 0);
  expect(&still, LOW("left"), 0);
  expect(&still, LOW("right"), 5);
  expect_null(&still, HIGH("left"));
  expect_null(&still, HIGH("right"));
  done(&still);
  asked opening = ask("closing-jaws", "", "close=-1, push=0.25");
  expect(&opening, ACCELERATION("x"), 0.25);
  expect(&opening, "solutions.0.forces.left.normal_acceleration", 1.25);
  expect_answer(&opening, DLS_FORCES_UNIQUE, "yes");
  done(&opening);
}

static void test_tray(void **unused)
{
  (void)unused;
  asked standing = ask("massless-tray", "standing", "m=3");
  expect_answer(&standing, DLS_ACCELERATION_UNIQUE, "yes");
  expect(&standing, FORCE("tray"), 3 * g);
  expect(&standing, FORCE("floor"), 3 * g);
  done(&standing);
  static const char *const states[] = {"lifted", "floating"};
  for (int k = 0; k < 2; k++) {
    at_case("%s", states[k]);
    asked a = ask("massless-tray", states[k], "");
    expect_answer(&a, DLS_ACCELERATION_UNIQUE, "no");
    expect(&a, ACCELERATION("y"), -g);
    expect(&a, "verdicts.acceleration_unique.witness.acceleration.y", -g);
    expect(&a, "verdicts.acceleration_unique.witness.other.y", -g);
    const double one = number(&a, "verdicts.acceleration_unique.witness.acceleration.s");
    const double other = number(&a, "verdicts.acceleration_unique.witness.other.s");
    assert_true(fabs(one - other) > 0.1);
    done(&a);
  }
  asked pulled = ask("massless-tray", "floating", "pull=1");
  expect_answer(&pulled, DLS_ACCELERATION_EXISTS, "no");
  expect(&pulled, "verdicts.acceleration_exists.witness.direction.s", 1);
  expect(&pulled, "verdicts.acceleration_exists.witness.direction.y", 0);
  done(&pulled);
}

// The rope carries m (g + p'')/l, or nothing.
static void test_rope(void **unused)
{
  (void)unused;
  char sets[PATH];
  for (int k = 1; k < 6; k++) {
    at_case("k %d", k);
    const double w = 4 * k, m = 1, l = 1.5, a = 0.1;
    asked top = ask("shaken-rope", "top", print(sets, "w=%.17g", w));
    asked bottom = ask("shaken-rope", "bottom", sets);
    expect(&top, FORCE("rope"), fmax(0, m * (g - a * w * w) / l));
    expect(&top, ACCELERATION("y"), fmax(-g, -a * w * w));
    expect(&bottom, FORCE("rope"), m * (g + a * w * w) / l);
    expect(&bottom, ACCELERATION("y"), a * w * w);
    expect(&bottom, "delassus.matrix.0.0", l * l / m);
    done(&top);
    done(&bottom);
  }
}

// Exact solutions, at times at which they are known by hand.
static void compare_exact(const char *name, double t, double q, double v)
{
  example e = example_open(name, NULL, "%s", "");
  double q_found = NAN, v_found = NAN;
  unsigned char known = 0;
  assert_int_equal(dls_model_exact(e.system, t, &q_found, &v_found, &known), DLS_OK);
  assert_int_equal(known, 3);
  if (!(fabs(q_found - q) <= 1e-14 && fabs(v_found - v) <= 1e-14))
    fail_msg("%s at t = %g: %.17g, %.17g", name, t, q_found, v_found);
  example_close(&e);
}

static void test_exact(void **unused)
{
  (void)unused;
  // tops and half ways of the flights, the times of impacts, and rest
  compare_exact("bouncing-ball", 0, 1, 0);
  compare_exact("bouncing-ball", 0.5, 0.75, -1);
  compare_exact("bouncing-ball", 1, 0, 1);
  compare_exact("bouncing-ball", 1.5, 0.25, 0);
  compare_exact("bouncing-ball", 1.75, 3.0 / 16, -0.5);
  compare_exact("bouncing-ball", 2, 0, 0.5);
  compare_exact("bouncing-ball", 2.25, 1.0 / 16, 0);
  compare_exact("bouncing-ball", 2.625, 1.0 / 64, 0);
  compare_exact("bouncing-ball", 3, 0, 0);
  compare_exact("bouncing-ball", 7, 0, 0);
  const double pi = acos(-1), s = sqrt(0.5);
  compare_exact("impact-oscillator", 0, 1, 0);
  compare_exact("impact-oscillator", pi / 4, s, -s);
  compare_exact("impact-oscillator", pi, 0.8, 0);
  compare_exact("impact-oscillator", 3 * pi / 4, 0.8 * s, 0.8 * s);
  compare_exact("impact-oscillator", 9 * pi / 4, 0.64 * s, -0.64 * s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_block), cmocka_unit_test(test_shelf), cmocka_unit_test(test_jaws),
      cmocka_unit_test(test_tray),  cmocka_unit_test(test_rope),  cmocka_unit_test(test_exact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
