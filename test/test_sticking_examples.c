// The examples in which contacts stick, against closed formulas derived in the comments: can all
// stick, the least friction for it, the forces, and closure.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cases.h"

#include "numbers.h"
#include "example.h"

#include <math.h>

static const double g = 9.81;

static dls_answer yes_if(bool yes)
{
  return yes ? DLS_YES : DLS_NO;
}

static void expect_sticking(const example *e, bool sticks, double least)
{
  example_answer(e, DLS_CAN_ALL_STICK, yes_if(sticks));
  example_limit(e, DLS_LIMIT_LEAST, least);
}

// ---- blocks ------------------------------------------------------------------------------------

// Two corners with normal forces N1, N2 share the friction T: the interval of the share of 1.
static void expect_share(const example *e, const char *one, double T, double mu, double N1,
                         double N2)
{
  example_number(e, "least share", example_tangential_end(e, 0, one, -1),
                 fmax(-mu * N1, T - mu * N2));
  example_number(e, "largest share", example_tangential_end(e, 0, one, 1),
                 fmin(mu * N1, T + mu * N2));
}

typedef struct pushed {
  double x, theta, left, right;  // accelerations, normal forces
} pushed;

// Sticks, slides, or turns about its right corner, which sticks or slides; X > 0.
static pushed pushed_block(double m, double L, double l, double X, double mu)
{
  const double D = l * l + L * L, inertia = m * D / 12, weight = m * g;
  if (X <= mu * weight && X * l <= weight * L)
    return (pushed){0, 0, weight / 2 - X * l / (2 * L), weight / 2 + X * l / (2 * L)};
  const double slow = mu * weight;
  if (X > slow && mu * l <= L)
    return (pushed){X / m - mu * g, 0, weight / 2 - slow * l / (2 * L),
                    weight / 2 + slow * l / (2 * L)};
  const double turn = 3 * (weight * L - X * l) / (2 * m * D);
  const double N = weight - m * L / 2 * turn, T = -m * l / 2 * turn - X;
  if (turn < 0 && fabs(T) <= mu * N) return (pushed){-l / 2 * turn, turn, 0, N};
  const double sliding = weight / (1 + m * L * (L - mu * l) / (4 * inertia));
  return (pushed){(X - mu * sliding) / m, sliding * (L - mu * l) / (2 * inertia), 0, sliding};
}

static void expect_pushed(const example *e, pushed p)
{
  example_count(e, 1);
  example_number(e, "x''", example_acceleration(e, 0, "x"), p.x);
  example_number(e, "theta''", example_acceleration(e, 0, "theta"), p.theta);
  example_number(e, "left", example_normal(e, 0, "left"), p.left);
  example_number(e, "right", example_normal(e, 0, "right"), p.right);
}

static void test_pushed_block(void **unused)
{
  (void)unused;
  int seen[4] = {0};
  const double m = 2, L = 1;
  for (int i = 0; i < TRIED(200); i++) {
    at_case("i %d", i);
    const double l = i % 3 ? 1.5 : 3, X = 1.1 * (i % 37), mu = 0.13 * (i % 9 + 1);
    const pushed p = pushed_block(m, L, l, X, mu);
    const bool sticks = X <= mu * m * g && X * l <= m * g * L, tips = X * l > m * g * L;
    example e = example_open("pushed-block", "resting", "l=%.17g, X=%.17g, mu=%.17g", l, X, mu);
    expect_pushed(&e, p);
    example_answer(&e, DLS_ACCELERATION_UNIQUE, DLS_YES);
    if (sticks) expect_share(&e, "left", -X, mu, p.left, p.right);
    seen[p.theta < 0 ? (p.x + l / 2 * p.theta > 1e-9 ? 3 : 2) : !sticks]++;
    expect_sticking(&e, sticks, tips ? INFINITY : X / (m * g));
    example_close(&e);
  }
  for (int k = 0; k < 4; k++) assert_true(seen[k] > 0);
}

// Two contacts slide: A = [1+q+p, 1-q+p; 1-q-p, 1+q-p]/m has the determinant 4 q/m^2 and loses the
// P-property at p = 1 + q; q = 3 L^2/D, p = 3 mu L l/D.
static void test_pushed_block_sliding(void **unused)
{
  (void)unused;
  const double m = 2, L = 1;
  for (int i = 0; i < TRIED(60); i++) {
    at_case("i %d", i);
    const double l = 0.4 + 0.2 * (i % 9), X = 2.3 * (i % 7), mu = 0.17 * (i % 11 + 1);
    const double D = l * l + L * L, critical = (l * l + 4 * L * L) / (3 * L * l);
    example e = example_open("pushed-block", "sliding", "l=%.17g, X=%.17g, mu=%.17g", l, X, mu);
    if (mu * l <= L) {
      example_count(&e, 1);
      example_number(&e, "x''", example_acceleration(&e, 0, "x"), X / m - mu * g);
      example_number(&e, "left", example_normal(&e, 0, "left"), m * g / 2 * (1 - mu * l / L));
    }
    example_answer(&e, DLS_UNIQUE_FOR_EVERY_LOAD, yes_if(mu < critical));
    example_limit(&e, DLS_LIMIT_CRITICAL, critical);
    example_limit(&e, DLS_LIMIT_SUFFICIENT, fmin(D, 3 * L * L) / (3 * L * l));
    example_close(&e);
  }
}

// Tilted: it turns about A2, with r the way from there to the centre.
static void test_rocking_block(void **unused)
{
  (void)unused;
  const double m = 1.3, L = 1, l = 2, D = l * l + L * L;
  for (int i = 0; i < TRIED(60); i++) {
    at_case("i %d", i);
    const double tilt = 0.1 + 0.11 * (i % 6), push = 1.1 * (i % 7) - 3, mu = 0.09 * (i % 10 + 1);
    const double spin = i % 2 ? 0.8 : 0, c = cos(tilt), s = sin(tilt);
    const double rx = (L * c - l * s) / 2, ry = (l * c + L * s) / 2;
    const double turn = -3 * (m * g * rx + push * ry) / (m * D);
    const double x = -ry * turn - rx * spin * spin, y = rx * turn - ry * spin * spin;
    const double N = m * (g + y), T = m * x - push;
    if (N <= 0) continue;
    example e = example_open("rocking-block", i % 2 ? "rocking" : "tilted",
                             "tilt=%.17g, push=%.17g, mu=%.17g, m=%.17g, spin=%.17g", tilt, push,
                             mu, m, spin);
    if (fabs(T) <= mu * N) {
      example_count(&e, 1);
      example_number(&e, "theta''", example_acceleration(&e, 0, "theta"), turn);
      example_number(&e, "N", example_normal(&e, 0, "A2"), N);
      example_number(&e, "T", example_tangential(&e, 0, "A2", 0), T);
    }
    expect_sticking(&e, fabs(T) <= mu * N, fabs(T) / N);
    example_close(&e);
  }
}

static void test_upright_block(void **unused)
{
  (void)unused;
  for (int i = 0; i < TRIED(30); i++) {
    at_case("i %d", i);
    const double push = 0.9 * (i % 10) - 4, mu = 0.1 * (i % 7 + 1) + 0.003, l = 2, L = 1;
    const bool tips = fabs(push) * l > g * L;
    const double N1 = g / 2 + push * l / (2 * L), N2 = g / 2 - push * l / (2 * L);
    example e =
        example_open("rocking-block", i % 2 ? "upright" : NULL, "push=%.17g, mu=%.17g", push, mu);
    const bool sticks = fabs(push) <= mu * g && !tips;
    if (sticks) {
      example_count(&e, 1);
      example_number(&e, "A1", example_normal(&e, 0, "A1"), N1);
      example_number(&e, "A2", example_normal(&e, 0, "A2"), N2);
      expect_share(&e, "A1", -push, mu, N1, N2);
    }
    expect_sticking(&e, sticks, tips ? INFINITY : fabs(push) / g);
    example_close(&e);
  }
}

// While the block stands the bar turns about its lower end; (px, py) is what its centre does.
static void test_block_with_pendulum(void **unused)
{
  (void)unused;
  const double m = 4, mp = 1, L = 1, l = 1, a = 1.5;
  for (int i = 0; i < TRIED(80); i++) {
    at_case("i %d", i);
    const double alpha = 0.05 + 0.3 * (i % 10), w = i % 2 ? 2.5 : 0, mu = 0.017 * (i % 13 + 1);
    const double torque = 3.7 * (i % 3), c = cos(alpha), s = sin(alpha);
    const double turn = -3 * g / (2 * a) * c + 3 * torque / (mp * a * a);
    const double px = -a / 2 * (s * turn + c * w * w), py = a / 2 * (c * turn - s * w * w);
    const double T = mp * px, N = m * g + mp * (g + py);
    const double N1 = N / 2 - (l * T - torque) / L, N2 = N - N1;
    const bool stands = N1 >= 0 && N2 >= 0, sticks = stands && fabs(T) <= mu * N;
    example e =
        example_open("block-with-pendulum", i % 2 ? "swinging" : "still",
                     "alpha0=%.17g, swing=%.17g, mu=%.17g, torque=%.17g", alpha, w, mu, torque);
    if (sticks) {
      example_count(&e, 1);
      example_number(&e, "alpha''", example_acceleration(&e, 0, "alpha"), turn);
      example_number(&e, "A1", example_normal(&e, 0, "A1"), N1);
      example_number(&e, "A2", example_normal(&e, 0, "A2"), N2);
      expect_share(&e, "A1", T, mu, N1, N2);
    }
    expect_sticking(&e, sticks, stands ? fabs(T) / N : INFINITY);
    example_close(&e);
  }
}

// ---- fingers -----------------------------------------------------------------------------------

static void test_two_fingers(void **unused)
{
  (void)unused;
  for (int i = 0; i < TRIED(60); i++) {
    at_case("i %d", i);
    const double F1 = -4.0 * (i % 7 + 1), F2 = 3.0 * (i % 11 + 1);
    const double mu1 = 0.11 * (i % 5 + 1), mu2 = 0.07 * (i % 8 + 1), most = -mu1 * F1 + mu2 * F2;
    example e = example_open("two-finger", i % 2 ? "holding" : NULL,
                             "F1=%.17g, F2=%.17g, mu1=%.17g, mu2=%.17g", F1, F2, mu1, mu2);
    example_count(&e, 1);
    example_number(&e, "guide", example_normal(&e, 0, "guide"), F1 + F2);
    example_number(&e, "left", example_normal(&e, 0, "left"), -F1);
    example_number(&e, "right", example_normal(&e, 0, "right"), F2);
    example_number(&e, "y''", example_acceleration(&e, 0, "y"), fmin(0, most - g));
    if (most >= g) {
      example_number(&e, "least", example_tangential_end(&e, 0, "left", -1),
                     fmax(mu1 * F1, g - mu2 * F2));
      example_number(&e, "most", example_tangential_end(&e, 0, "left", 1),
                     fmin(-mu1 * F1, g + mu2 * F2));
    }
    expect_sticking(&e, most >= g, g / (F2 - F1));
    example_close(&e);
    example slipping = example_open("two-finger", "slipping",
                                    "F1=%.17g, F2=%.17g, mu1=%.17g, mu2=%.17g", F1, F2, mu1, mu2);
    example_count(&slipping, 1);
    example_number(&slipping, "y''", example_acceleration(&slipping, 0, "y"), most - g);
    example_close(&slipping);
  }
  example leaving = example_open("two-finger", "holding", "%s", "F1=5, F2=-5");
  example_count(&leaving, 1);
  example_number(&leaving, "y''", example_acceleration(&leaving, 0, "y"), -g);
  example_answer(&leaving, DLS_CAN_ALL_STICK, DLS_NO);
  example_close(&leaving);
}

// All masses 1: y'' = -(g + F1y + F2y)/3, and each friction force -Fiy - y''.
static void test_lifting_fingers(void **unused)
{
  (void)unused;
  for (int i = 0; i < TRIED(60); i++) {
    at_case("i %d", i);
    const double F1x = -5.0 * (i % 7 + 1), F2x = 4.0 * (i % 9 + 1), F1y = 4.0 * (i % 11) - 30;
    const double F2y = i % 2 ? F1y : F1y + 2.5, mu = 0.09 * (i % 8 + 1);
    const double y = -(g + F1y + F2y) / 3, T1 = -F1y - y, T2 = -F2y - y;
    if (i % 2) assert_true(fabs(T1 - (g - F1y) / 3) < 1e-12);  // the paper's
    const double least = fmax(fabs(T1) / -F1x, fabs(T2) / F2x);
    example e = example_open("two-finger-lift", i % 3 ? "holding" : "lifting",
                             "F1x=%.17g, F2x=%.17g, F1y=%.17g, F2y=%.17g, mu=%.17g", F1x, F2x, F1y,
                             F2y, mu);
    example_count(&e, 1);
    example_answer(&e, DLS_FORCES_UNIQUE, DLS_YES);
    if (mu > least) {
      example_number(&e, "y''", example_acceleration(&e, 0, "y"), y);
      example_number(&e, "T1", example_tangential(&e, 0, "left", 0), T1);
      example_number(&e, "T2", example_tangential(&e, 0, "right", 0), T2);
    }
    expect_sticking(&e, mu > least, least);
    example_close(&e);
  }
}

// Three contacts in the plane: horizontal, vertical, moment.
static void test_three_fingers(void **unused)
{
  (void)unused;
  const double m = 1, L = 0.4, l = 0.3;
  for (int i = 0; i < TRIED(60); i++) {
    at_case("i %d", i);
    const double P1 = 12 + 3.0 * (i % 5), P3 = P1 + 0.7 * (i % 4) - 1, P2 = 4 + 2.5 * (i % 3);
    const double y1 = 0.02 * (i % 7) - 0.06, y3 = 0.03 * (i % 3) - 0.03, x2 = 0.02 * (i % 5) - 0.03;
    const double mu = 0.08 * (i % 9 + 1), t2 = P3 - P1, sum = m * g + P2;
    const double difference = 2 / L * (y1 * P1 - y3 * P3 + x2 * P2 + t2 * l / 2);
    const double t1 = (sum - difference) / 2, t3 = (sum + difference) / 2;
    const double least = fmax(fmax(fabs(t1) / P1, fabs(t2) / P2), fabs(t3) / P3);
    example e = example_open("three-finger", "holding",
                             "P1=%.17g, P2=%.17g, P3=%.17g, y1=%.17g, x2=%.17g, y3=%.17g, mu=%.17g",
                             P1, P2, P3, y1, x2, y3, mu);
    if (mu > least) {
      example_number(&e, "one", example_normal(&e, 0, "one"), P1);
      example_number(&e, "t1", example_tangential(&e, 0, "one", 0), t1);
      example_number(&e, "t2", example_tangential(&e, 0, "two", 0), t2);
      example_number(&e, "t3", example_tangential(&e, 0, "three", 0), t3);
      example_number(&e, "theta''", example_acceleration(&e, 0, "theta"), 0);
    }
    expect_sticking(&e, mu > least, least);
    example_close(&e);
  }
}

static void test_hand(void **unused)
{
  (void)unused;
  for (int i = 0; i < TRIED(24); i++) {
    at_case("i %d", i);
    const double P = 5.0 * (i % 6 + 1), mu = 0.1 * (i % 8 + 1), h = 0.35 + 0.1 * (i % 4);
    const double least = g / (2 * P);
    example e = example_open("hand", "holding", "P=%.17g, mu=%.17g, h=%.17g", P, mu, h);
    if (mu > least) {
      example_number(&e, "left", example_normal(&e, 0, "left"), P);
      example_number(&e, "right", example_normal(&e, 0, "right"), P);
      example_number(&e, "T left", example_tangential(&e, 0, "left", 0), -g / 2);
      example_number(&e, "T right", example_tangential(&e, 0, "right", 0), g / 2);
    }
    expect_sticking(&e, mu > least, least);
    example_close(&e);
  }
}

// ---- in space ----------------------------------------------------------------------------------

static void test_incline(void **unused)
{
  (void)unused;
  const double m = 1, Lx = 0.4;
  for (int i = 0; i < TRIED(40); i++) {
    at_case("i %d", i);
    const double slope = 0.1 + 0.1 * (i % 9), mu = 0.13 * (i % 8 + 1), H = 0.15 + 0.2 * (i % 3);
    const bool tips = tan(slope) * H > Lx, sticks = tan(slope) <= mu && !tips;
    example e =
        example_open("incline-block", "resting", "slope=%.17g, mu=%.17g, H=%.17g", slope, mu, H);
    if (sticks) example_answer(&e, DLS_ACCELERATION_EXISTS, DLS_YES);
    expect_sticking(&e, sticks, tips ? INFINITY : tan(slope));
    example_close(&e);
    if (mu * H >= Lx) continue;

    const double weight = m * g * cos(slope), front = weight / 2 * (1 + mu * H / Lx);
    const double back = weight - front;
    example s =
        example_open("incline-block", "sliding", "slope=%.17g, mu=%.17g, H=%.17g", slope, mu, H);
    example_count(&s, 1);
    example_answer(&s, DLS_FORCES_UNIQUE, DLS_NO);
    example_number(&s, "x''", example_acceleration(&s, 0, "x"), g * (sin(slope) - mu * cos(slope)));
    example_number(&s, "front and back", example_normal_end(&s, 0, "front_left", -1),
                   (front - back) / 2);
    example_number(&s, "most", example_normal_end(&s, 0, "front_right", 1), (front + back) / 2);
    example_number(&s, "least", example_normal_end(&s, 0, "back_left", -1), 0);
    example_number(&s, "back", example_normal_end(&s, 0, "back_right", 1), back);
    example_close(&s);
  }
}

static void test_grasp_in_space(void **unused)
{
  (void)unused;
  static const char *const fingers[] = {"one", "two", "three"};
  for (int i = 0; i < TRIED(40); i++) {
    at_case("i %d", i);
    const double P = 4.0 * (i % 5 + 1), beta = 0.15 * (i % 7) - 0.3, mu = 0.11 * (i % 8 + 1);
    const double T = (g / 3 - P * sin(beta)) / cos(beta), least = fabs(T) / P;
    example e = example_open("grasp-3d", "holding", "P=%.17g, beta=%.17g, mu=%.17g", P, beta, mu);
    for (int k = 0; k < 3 && mu > least && e.check->solutions; k++) {
      example_number(&e, "N", example_normal(&e, 0, fingers[k]), P);
      example_number(&e, "along the parallel", example_tangential(&e, 0, fingers[k], 0), 0);
      example_number(&e, "along the meridian", example_tangential(&e, 0, fingers[k], 1), T);
    }
    if (mu > least) example_answer(&e, DLS_ACCELERATION_EXISTS, DLS_YES);
    expect_sticking(&e, mu > least, least);
    example_close(&e);
  }
}

// ---- closure -----------------------------------------------------------------------------------

static void test_closure_plane(void **unused)
{
  (void)unused;
  for (int i = 0; i < TRIED(25); i++) {
    at_case("i %d", i);
    const double e = 0.05 * (i % 5) - 0.1, d = 0.04 * (i / 5) - 0.08;
    example four = example_open("form-closure", NULL, "e=%.17g, d=%.17g", e, d);
    example_answer(&four, DLS_FORM_CLOSURE, yes_if(i % 5 != 2 && i / 5 != 2 && e * d > 0));
    example_close(&four);
  }
  for (int i = 0; i < TRIED(30); i++) {
    at_case("i %d", i);
    const double e = 0.02 * (i % 5) - 0.03, a = 0.2, mu = 0.043 * (i % 6 + 1);
    example two = example_open("grasp-2d", NULL, "e=%.17g, mu=%.17g", e, mu);
    example_answer(&two, DLS_FORM_CLOSURE, DLS_NO);
    example_answer(&two, DLS_FORCE_CLOSURE, yes_if(mu > fabs(e) / a));
    example_answer(&two, DLS_CAN_ALL_STICK, yes_if(mu > fabs(e) / a));
    example_close(&two);
  }
}

// Points that do not give way, on the line through both at the angle of e/a: with N at each of them
// the friction is m g/2 +- N e/a. The rectangle may stick with every N from some force on; and it
// may fall, since nothing makes the points press. With e = 0 it may also slide down slowly.
static void test_wedged_rectangle(void **unused)
{
  (void)unused;
  const double a = 0.2;
  for (int i = 0; i < TRIED(20); i++) {
    at_case("i %d", i);
    const double e = 0.02 * (i % 5 + 1), mu = 0.063 * (i % 6 + 1), room = mu - e / a;
    example two = example_open("grasp-2d", NULL, "e=%.17g, mu=%.17g", e, mu);
    example_count(&two, room > 0 ? 2 : 1);
    for (int k = 0; k < two.check->solutions; k++) {
      const bool falls = example_acceleration(&two, k, "y") < -1;
      example_number(&two, "y''", example_acceleration(&two, k, "y"), falls ? -g : 0);
      example_number(&two, "least N", example_normal_end(&two, k, "left", -1),
                     falls ? 0 : g / (2 * room));
      example_number(&two, "most N", example_normal_end(&two, k, "right", 1), falls ? 0 : INFINITY);
    }
    example_close(&two);
  }
  example opposite = example_open("grasp-2d", NULL, "%s", "e=0, mu=0.3");
  example_answer(&opposite, DLS_ACCELERATION_EXISTS, DLS_YES);
  example_answer(&opposite, DLS_ACCELERATION_UNIQUE, DLS_NO);
  example_close(&opposite);
}

static void test_closure_fingers(void **unused)
{
  (void)unused;
  example three = example_open("three-finger", "holding", "%s", "mu=0.1");
  example_answer(&three, DLS_FORM_CLOSURE, DLS_NO);
  example_answer(&three, DLS_FORCE_CLOSURE, DLS_YES);
  example_close(&three);
  example disc = example_open("hand", "holding", "%s", "mu=0.05");
  example_answer(&disc, DLS_FORM_CLOSURE, DLS_NO);
  example_answer(&disc, DLS_FORCE_CLOSURE, DLS_YES);
  example_close(&disc);
}

static void test_closure_space(void **unused)
{
  (void)unused;
  for (int i = 0; i < TRIED(40); i++) {
    at_case("i %d", i);
    const double beta = 0.15 * (i % 7) - 0.3, mu = 0.11 * (i % 8 + 1);
    example e = example_open("grasp-3d", "holding", "beta=%.17g, mu=%.17g", beta, mu);
    example_answer(&e, DLS_FORM_CLOSURE, DLS_NO);
    example_answer(&e, DLS_FORCE_CLOSURE, yes_if(mu > tan(fabs(beta))));
    example_close(&e);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pushed_block),
      cmocka_unit_test(test_pushed_block_sliding),
      cmocka_unit_test(test_rocking_block),
      cmocka_unit_test(test_upright_block),
      cmocka_unit_test(test_block_with_pendulum),
      cmocka_unit_test(test_two_fingers),
      cmocka_unit_test(test_lifting_fingers),
      cmocka_unit_test(test_three_fingers),
      cmocka_unit_test(test_hand),
      cmocka_unit_test(test_incline),
      cmocka_unit_test(test_grasp_in_space),
      cmocka_unit_test(test_closure_plane),
      cmocka_unit_test(test_wedged_rectangle),
      cmocka_unit_test(test_closure_fingers),
      cmocka_unit_test(test_closure_space),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
