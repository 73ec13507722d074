// The examples with joints and rails: the numbers that their headers promise, against closed
// formulas.
#include "example_report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cases.h"

#include <math.h>

static const double g = 9.81;

// A_c = 1/m + 3 s^2/(m (1 + 3 c^2)); without the rail 1/m + 3 s^2/m; both contacts kept, the rod
// moves by theta'' = -3 g c/(4 l), and the wall force is m x'' as long as that is positive.
static void test_rod(void **unused)
{
  (void)unused;
  static const double angles[] = {0.1, 0.4, 0.7854, 1.2, 1.5};
  const double m = 2.5, l = 0.7;
  char at[PATH];
  for (size_t k = 0; k < 5; k++) {
    at_case("k %zu", k);
    const double s = sin(angles[k]), c = cos(angles[k]), w = -0.3;
    asked a = ask("constrained-rod",
                  print(at,
                        "theta=%.17g, theta'=%.17g, x'=-l*sin(theta)*theta', "
                        "y'=l*cos(theta)*theta'",
                        angles[k], w),
                  "m=2.5, l=0.7");
    const double turn = -3 * g * c / (4 * l), x = -l * s * turn - l * c * w * w;
    expect(&a, "delassus.matrix.0.0", 1 / m + 3 * s * s / (m * (1 + 3 * c * c)));
    expect(&a, "reduced.matrix.0.0", 1 / m + 3 * s * s / (m * (1 + 3 * c * c)));
    expect(&a, "delassus_unconstrained.matrix.1.1", 1 / m + 3 * s * s / m);
    expect(&a, ACCELERATION("theta"), turn);
    expect(&a, ACCELERATION("x"), x);
    expect(&a, FORCE("wall"), m * x);
    expect(&a, FORCE("rail"), m * (g + l * c * turn - l * s * w * w));
    done(&a);
  }
  asked fast = ask("constrained-rod", "fast", "");
  expect(&fast, FORCE("wall"), 0);
  expect(&fast, ACCELERATION("x"), 0);
  done(&fast);
}

// On the ellipse dq1/dq2 = -q2/(2 sqrt(1 - q2^2)), reduced mass 1 + (dq1/dq2)^2.
static void test_ellipse(void **unused)
{
  (void)unused;
  static const double places[] = {0.2, 0.6, 0.9};
  char at[PATH], sets[PATH];
  for (size_t k = 0; k < 3; k++) {
    at_case("k %zu", k);
    const double q2 = places[k], q1 = sqrt(1 - q2 * q2) / 2, slope = -q2 / (4 * q1);
    const double mass = 1 + q2 * q2 / (4 * (1 - q2 * q2));
    asked a = ask("elliptic-manipulator", print(at, "q2=%.17g", q2),
                  print(sets, "end=%.17g, f1=-0.3, f2=2", q1));
    expect(&a, "delassus.matrix.0.0", slope * slope / mass);
    expect(&a, "reduced.matrix.0.0", slope * slope / mass);
    expect(&a, FORCE("stop"), 0.3 - 2 / slope);
    expect(&a, ACCELERATION("q2"), 0);
    done(&a);

    // away from the stop, moving: mass q2'' + q2 q2'^2/(4 (1 - q2^2)^2) = f2 + f1 dq1/dq2
    asked free =
        ask("elliptic-manipulator", print(at, "q2=%.17g, q2'=0.7, q1'=%.17g", q2, 0.7 * slope),
            "end=-1, f1=-0.3, f2=2");
    const double curved = q2 * 0.49 / (4 * pow(1 - q2 * q2, 2));
    expect(&free, ACCELERATION("q2"), (2 - 0.3 * slope - curved) / mass);
    done(&free);
  }
}

// Straight, with the knee closed, the pendulum is a rigid one:
// th'' = -g sin(th) (m1 l1 + m2 L)/(m1 l1^2 + m2 L^2), L = l1 + l2.
static void test_pendulum(void **unused)
{
  (void)unused;
  static const double angles[] = {0.1, 0.4, 1.3, 2.5};
  const double m1 = 1.5, m2 = 0.6, l1 = 1.1, l2 = 0.3, L = l1 + l2;
  char at[PATH], sets[PATH];
  for (size_t k = 0; k < 4; k++) {
    at_case("k %zu", k);
    const double s = sin(angles[k]), c = cos(angles[k]), w = 0.5 * (double)k;
    const double turn = -g * s * (m1 * l1 + m2 * L) / (m1 * l1 * l1 + m2 * L * L);
    const double knee = -(m2 / l1) * (L * turn + g * s);
    const double A = (m2 * L * L + m1 * l1 * l1) / (m1 * m2);
    asked a =
        ask("double-pendulum", print(at, "th1=%.17g, th1'=%.17g, th2'=%.17g", angles[k], w, w),
            "m1=1.5, m2=0.6, l1=1.1, l2=0.3");
    expect(&a, ACCELERATION("th1"), turn);
    expect(&a, ACCELERATION("th2"), turn);
    expect(&a, FORCE("knee"), knee);
    expect(&a, "delassus.matrix.0.0", A);
    done(&a);

    asked b = ask("double-pendulum-absolute",
                  print(at, "x1'=%.17g, y1'=%.17g, x2'=%.17g, y2'=%.17g", l1 * c * w, l1 * s * w,
                        L * c * w, L * s * w),
                  print(sets, "m1=1.5, m2=0.6, l1=1.1, l2=0.3, th=%.17g", angles[k]));
    expect(&b, ACCELERATION("x1"), l1 * (c * turn - s * w * w));
    expect(&b, ACCELERATION("y1"), l1 * (s * turn + c * w * w));
    expect(&b, ACCELERATION("x2"), L * (c * turn - s * w * w));
    expect(&b, ACCELERATION("y2"), L * (s * turn + c * w * w));
    expect(&b, FORCE("knee"), knee);
    expect(&b, "delassus.matrix.0.0", A);
    done(&b);
  }
}

// Knee free to bend: the two models must agree, whatever the numbers are.
static void test_two_pendulums(void **unused)
{
  (void)unused;
  static const char *const sets[] = {"", "l1=0.4", "m1=5, m2=0.1, l2=2"};
  static const double l1s[] = {1, 0.4, 1}, l2s[] = {0.5, 0.5, 2};
  for (size_t k = 0; k < 3; k++) {
    at_case("%s", sets[k]);
    const double l1 = l1s[k], l2 = l2s[k], s = sin(0.4), c = cos(0.4);
    asked a = ask("double-pendulum", "bending", sets[k]);
    asked b = ask("double-pendulum-absolute", "bending", sets[k]);
    const double d1 = number(&a, ACCELERATION("th1")), d2 = number(&a, ACCELERATION("th2"));
    expect(&b, ACCELERATION("x1"), l1 * (c * d1 - s));
    expect(&b, ACCELERATION("y1"), l1 * (s * d1 + c));
    expect(&b, ACCELERATION("x2"), l1 * (c * d1 - s) + l2 * (c * d2 - s));
    expect(&b, ACCELERATION("y2"), l1 * (s * d1 + c) + l2 * (s * d2 + c));
    expect_text(&a, "contacts.0.status", "separating");
    expect_text(&b, "contacts.2.status", "separating");
    done(&a);
    done(&b);
  }
}

// The coupler moves like a point mass on a crank; its three cranks share the force.
static void test_four_bar(void **unused)
{
  (void)unused;
  char sets[PATH];
  for (int k = 1; k < 6; k++) {
    at_case("k %d", k);
    const double alpha = 0.5 * k, m = 1.7, l = 0.8, c = cos(alpha), s = sin(alpha);
    const double turn = -g * c / l;  // at `turning` alpha' = 1
    const double x = -l * (s * turn + c), y = l * (c * turn - s);
    asked a = ask("four-bar", "turning", print(sets, "m=1.7, l=0.8, alpha=%.17g", alpha));
    expect(&a, "constraints.rank", 2);
    expect(&a, "constraints.count", 3);
    expect(&a, ACCELERATION("x"), x);
    expect(&a, ACCELERATION("y"), y);
    expect(&a, ACCELERATION("phi"), 0);
    expect(&a, FORCE("left"), m * (x * c + (y + g) * s) / l / 3);
    expect(&a, FORCE("middle"), m * (x * c + (y + g) * s) / l / 3);
    expect_null(&a, HIGH("right"));
    expect_answer(&a, DLS_CONSTRAINTS_COMPATIBLE, "yes");
    expect_answer(&a, DLS_FORCES_UNIQUE, "no");
    done(&a);
  }
  asked flat = ask("four-bar", "flat", "");
  expect(&flat, "constraints.rank", 2);
  expect(&flat, FORCE("table"), g);
  done(&flat);

  // b_b = (a^2 + l a, 0, a^2 - l a) phi'^2, all gradients parallel: the witness must see it
  asked twisting = ask("four-bar", "twisting", "");
  const double left = number(&twisting, "verdicts.constraints_compatible.witness.lambda_b.left");
  const double middle =
      number(&twisting, "verdicts.constraints_compatible.witness.lambda_b.middle");
  const double right = number(&twisting, "verdicts.constraints_compatible.witness.lambda_b.right");
  assert_true(fabs(left + middle + right) <= 1e-12);
  assert_true(0.75 * left - 0.25 * right < -0.1);
  expect_answer(&twisting, DLS_CONSTRAINTS_COMPATIBLE, "no");
  expect_answer(&twisting, DLS_ACCELERATION_EXISTS, "no");
  expect_answer(&twisting, DLS_ACCELERATION_UNIQUE, "no");
  done(&twisting);
}

// A rod of inertia I = m l^2/12 on its end: N (1/m + l^2 c^2/(4 I)) = g + l c torque/(2 I).
static void test_natural(void **unused)
{
  (void)unused;
  const double m = 3, l = 2, I = m * l * l / 12, torque = 0.9;
  char at[PATH];
  for (int k = 1; k < 6; k++) {
    at_case("k %d", k);
    const double theta = 0.5 * k, c = cos(theta), s = sin(theta);
    const double N = (g + l * c * torque / (2 * I)) / (1 / m + l * l * c * c / (4 * I));
    const double turn = (torque - N * l / 2 * c) / I;
    asked a = ask("natural-coordinates", print(at, "theta=%.17g", theta), "torque=0.9");
    expect(&a, "mass.rank", 4);
    expect(&a, "delassus.matrix.0.0", (1 + 3 * c * c) / m);
    expect(&a, FORCE("floor1"), N);
    expect(&a, ACCELERATION("theta"), turn);
    expect(&a, ACCELERATION("y2"), l * c * turn);
    expect(&a, ACCELERATION("x1"), l / 2 * s * turn);
    expect_answer(&a, DLS_MASS_DEFINITE, "no");
    expect_answer(&a, DLS_ACCELERATION_UNIQUE, "yes");
    done(&a);
  }
  asked lying = ask("natural-coordinates", "lying", "");
  expect(&lying, "delassus.matrix.0.0", 4 / m);
  expect(&lying, "delassus.matrix.0.1", -2 / m);
  expect(&lying, FORCE("floor2"), m * g / 2);
  done(&lying);
}

// u' = a w^2, w' = -m a u w/J, and the ice pushes with m u w Jc/J; straight ahead nothing.
static void test_sleigh(void **unused)
{
  (void)unused;
  const double m = 1.3, Jc = 0.4, a = 0.25, W = 2, J = Jc + m * a * a;
  for (int k = 0; k < 2; k++) {
    at_case("%d", k);
    const double u = k == 0 ? 0 : 1.5;
    asked x = ask("chaplygin-sleigh", k == 0 ? "" : "gliding", "");
    expect(&x, ACCELERATION("x"), a * W * W);
    expect(&x, ACCELERATION("theta"), -m * a * u * W / J);
    expect(&x, ACCELERATION("y"), u * W);
    expect(&x, FORCE("blade"), m * u * W * Jc / J);
    expect_answer(&x, DLS_FORCES_UNIQUE, "yes");
    done(&x);
  }
}

// A circle, and the percussion (1 + e) (m + I/r^2) r s/cos(alpha) of the wall.
static void test_coin(void **unused)
{
  (void)unused;
  const double m = 0.02, r = 0.012, s = 30, w = 1.5, e = 0.4, inertia = 1.5 * m;
  asked x = ask("rolling-coin", "", "");
  expect(&x, ACCELERATION("x"), 0);
  expect(&x, ACCELERATION("y"), r * s * w);
  expect(&x, ACCELERATION("phi"), 0);
  expect(&x, FORCE("across"), m * r * s * w);
  expect(&x, FORCE("along"), 0);
  done(&x);
  static const double headings[] = {0, 0.5, -1.2};
  char sets[PATH];
  for (int k = 0; k < 3; k++) {
    at_case("%d", k);
    const double alpha = headings[k], P = (1 + e) * inertia * r * s / cos(alpha);
    asked hit = ask("rolling-coin", "hitting", print(sets, "alpha=%.17g", alpha));
    expect(&hit, "impact.velocities_after.phi", -e * s);
    expect(&hit, "impact.velocities_after.theta", 0);
    expect(&hit, "impact.velocities_after.y", -e * r * s * sin(alpha));
    expect(&hit, "impact.percussions.wall.normal", P);
    // along x the wall takes P, the floor gives the rest of the momentum back
    expect(&hit, "impact.percussions.along.normal", P - (1 + e) * m * r * s * cos(alpha));
    expect(&hit, "impact.percussions.across.normal", -(1 + e) * m * r * s * sin(alpha));
    done(&hit);
  }
}

#define FRICTION(name) "solutions.0.forces." name ".tangential.0"

// At rest friction is what holds, as far as it goes; beyond it is all of it, against the slip.
static void test_dry_oscillator(void **unused)
{
  (void)unused;
  const double k = 4, b = 1.2, m2 = 0.5, l = 0.6, c = 0.4;
  asked x = ask("dry-oscillator", "", "");
  expect(&x, ACCELERATION("x"), -(2 * k - b));
  expect(&x, FRICTION("rollers"), b);
  expect(&x, FRICTION("hinge"), m2 * g * l * sin(0.1));
  expect_answer(&x, DLS_CAN_ALL_STICK, "no");
  done(&x);
  x = ask("dry-oscillator", "stopped", "");
  expect(&x, ACCELERATION("x"), 0);
  expect(&x, FRICTION("rollers"), -0.2 * k);
  expect_answer(&x, DLS_CAN_ALL_STICK, "yes");
  done(&x);
  x = ask("dry-oscillator", "raised", "");
  expect(&x, ACCELERATION("phi"), (c - m2 * g * l * sin(0.9)) / (m2 * l * l));
  expect(&x, FRICTION("hinge"), c);
  done(&x);
  x = ask("dry-oscillator", "moving", "");
  expect(&x, ACCELERATION("x"), b - k);
  done(&x);
}

// Static friction above that of sliding: it holds, breaks away, or may do both.
static void test_stick_slip(void **unused)
{
  (void)unused;
  const double k = 100, N = 10, mu = 0.2;
  asked x = ask("stick-slip", "carried", "");
  expect(&x, ACCELERATION("x"), 0);
  expect(&x, FRICTION("belt"), 0.01 * k);
  expect_answer(&x, DLS_ACCELERATION_UNIQUE, "yes");
  done(&x);
  x = ask("stick-slip", "breaking", "");
  expect(&x, ACCELERATION("x"), mu * N - 0.041 * k);
  expect_answer(&x, DLS_CAN_ALL_STICK, "no");
  done(&x);
  x = ask("stick-slip", "between", "");
  expect(&x, "solution_count", 2);
  expect(&x, "solutions.0.acceleration.x", 0);
  expect(&x, "solutions.1.acceleration.x", mu * N - 0.03 * k);
  expect_answer(&x, DLS_CAN_ALL_STICK, "yes");
  expect_answer(&x, DLS_ACCELERATION_UNIQUE, "no");
  done(&x);
  x = ask("stick-slip", "sliding", "");
  expect(&x, ACCELERATION("x"), 0);
  expect(&x, FRICTION("belt"), mu * N);
  done(&x);
}

// The end that touches gives back what it has felt, and the other one is held.
static void test_dropped_rod(void **unused)
{
  (void)unused;
  asked x = ask("dropped-rod", "struck", "");
  expect(&x, "impact.normal_velocities.after.left", 0.5);
  expect(&x, "impact.normal_velocities.after.right", 0);
  expect(&x, "impact.percussions.left.normal", 1. / 3);
  expect(&x, "impact.percussions.right.normal", 5. / 12);
  expect(&x, "impact.kinetic_energy.before", 1. / 6);
  expect(&x, "impact.kinetic_energy.after", 1. / 24);
  expect(&x, "impact.compression.solutions.0.percussions.left.normal", 1. / 6);
  done(&x);
  x = ask("dropped-rod", "struck", "e_left=0.5, e_right=0.5");
  expect(&x, "impact.normal_velocities.after.left", 0);
  expect(&x, "impact.normal_velocities.after.right", 0.5);
  done(&x);
}

// The felt slides, holds, or slides on the belt that carries the block.
static void test_belt_brake(void **unused)
{
  (void)unused;
  const double m = 2, mu = 0.2, b = 3;
  static const char *const at[] = {"", "dragged"};
  for (int k = 0; k < 2; k++) {
    at_case("%d", k);
    asked x = ask("belt-brake", at[k], "");
    expect(&x, ACCELERATION("x"), mu * g - b / m);
    expect(&x, FRICTION("belt"), mu * m * g);
    expect(&x, FRICTION("felt"), -b);
    done(&x);
  }
  asked x = ask("belt-brake", "", "b=5");
  expect(&x, ACCELERATION("x"), 0);
  expect(&x, FRICTION("felt"), -mu * m * g);
  done(&x);
  x = ask("belt-brake", "carried", "");
  expect(&x, ACCELERATION("x"), 0);
  expect(&x, FRICTION("belt"), b);
  expect(&x, FRICTION("felt"), -b);
  done(&x);
  x = ask("belt-brake", "carried", "b=5");  // and breaks away
  expect(&x, ACCELERATION("x"), mu * g - 5 / m);
  done(&x);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rod),
      cmocka_unit_test(test_ellipse),
      cmocka_unit_test(test_pendulum),
      cmocka_unit_test(test_two_pendulums),
      cmocka_unit_test(test_four_bar),
      cmocka_unit_test(test_natural),
      cmocka_unit_test(test_sleigh),
      cmocka_unit_test(test_coin),
      cmocka_unit_test(test_dry_oscillator),
      cmocka_unit_test(test_stick_slip),
      cmocka_unit_test(test_dropped_rod),
      cmocka_unit_test(test_belt_brake),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
