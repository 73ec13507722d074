// Stances, grasps and linkages with known answers.
#include "stance.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "numbers.h"

static const double g = 9.81;

// ---- stances ------------------------------------------------------------------------------------

static const char table[] =
    "parameter legs = 4\ngravity 0, 0, -10\nfixed ground { plane 0, 0, 1 }\n"
    "body top {\n  box 1, 1, 0.1 { position 0, 0, 1 }\n"
    "  sphere 0.05 { position 0.4, 0.4, 0.05 }\n"
    "  sphere 0.05 { position -0.4, 0.4, 0.05 }\n"
    "  sphere 0.05 { position -0.4, -0.4, 0.05 }\n"
    "  %s  mass 12\n  centre 0.1, 0, 0.9\n  inertia 1, 1, 1\n}\n";

// Balance of three legs is three equations; of the fourth any part can be taken.
static void tables(void **state)
{
  (void)state;
  char text[800];
  // legs a, b, c, d at (x, x), (-x, x), (-x, -x), (x, -x), x = 0.4; the weight 120 at (0.1, 0)
  snprintf(text, sizeof text, table, "sphere 0.05 { position 0.4, -0.4, 0.05 }\n");
  stance s = stance_of(text, NULL, NULL, "");
  assert_true(stance_still(&s));
  stance_answers(&s, DLS_ACCELERATION_UNIQUE, DLS_YES),
      stance_answers(&s, DLS_FORCES_UNIQUE, DLS_NO);
  // a + d = 75, b + c = 45, a + b = 60, c + d = 60
  stance_range(&s, "top.sphere1/ground", 15, 60), stance_range(&s, "top.sphere2/ground", 0, 45);
  stance_range(&s, "top.sphere3/ground", 0, 45), stance_range(&s, "top.sphere4/ground", 15, 60);
  stance_leave(&s);
  snprintf(text, sizeof text, table, "sphere 0.05 { position 0.4, -0.1, 0.05 }\n");
  s = stance_of(text, NULL, NULL, "");
  // a + b + c + d = 120, a + d = 75, 0.4 (a + b - c) = 0.1 d: one number is free
  stance_answers(&s, DLS_FORCES_UNIQUE, DLS_NO);
  stance_leave(&s);
}

static void a_table_of_three_legs(void **state)
{
  (void)state;
  const char three[] = "gravity 0, 0, -10\nfixed ground { plane 0, 0, 1 }\n"
                       "body top {\n  sphere 0.05 { position 0.6, 0, 0.05 }\n"
                       "  sphere 0.05 { position -0.3, 0.5, 0.05 }\n"
                       "  sphere 0.05 { position -0.3, -0.5, 0.05 }\n"
                       "  mass 12; centre 0, 0, 0.9; inertia 1, 1, 1\n}\n";
  stance s = stance_of(three, NULL, NULL, "");
  stance_answers(&s, DLS_FORCES_UNIQUE, DLS_YES);
  stance_range(&s, "top.sphere1/ground", 40, 40), stance_range(&s, "top.sphere2/ground", 40, 40);
  stance_leave(&s);
}

// Between two plates: how hard they press is nobody's business, and friction carries any weight.
static void a_cube_between_plates(void **state)
{
  (void)state;
  const char text[] = "gravity 0, 0, -9.81\nfixed left { box 0.1, 2, 2; position -0.55, 0, 0 }\n"
                      "fixed right { box 0.1, 2, 2; position 0.55, 0, 0 }\n"
                      "body cube { box 1, 1, 1; mass 2 }\ncontact * * { friction 0.5 }\n"
                      "object cube\n";
  stance s = stance_of(text, NULL, NULL, "");
  double left, right;
  assert_int_equal(stance_closed(&s, "cube", NULL), 8);
  stance_closed(&s, "cube.corner-", &left), stance_closed(&s, "cube.corner+", &right);
  close_to(left, right, 1e-6);
  stance_answers(&s, DLS_CAN_ALL_STICK, DLS_YES);
  assert_int_not_equal(s.check->verdict[DLS_FORCES_UNIQUE].answer, DLS_YES);
  stance_answers(&s, DLS_FORCE_CLOSURE, DLS_YES), stance_answers(&s, DLS_FORM_CLOSURE, DLS_NO);
  stance_leave(&s);
}

// A ball between two walls at 45 degrees.
static void a_ball_in_a_groove(void **state)
{
  (void)state;
  const char text[] = "gravity 0, 0, -9.81\nfixed groove {\n  plane 1, 0, 1\n  plane -1, 0, 1\n}\n"
                      "body ball { sphere 0.1; mass 2; position 0, 0, 0.1*sqrt(2) }\n";
  stance s = stance_of(text, NULL, NULL, "");
  stance_range(&s, "ball/groove.plane1", 2 * g / sqrt(2), 2 * g / sqrt(2));
  stance_range(&s, "ball/groove.plane2", 2 * g / sqrt(2), 2 * g / sqrt(2));
  stance_answers(&s, DLS_FORCES_UNIQUE, DLS_YES);
  stance_leave(&s);
}

// ---- of papers ----------------------------------------------------------------------------------

// CVX Figure 7, a rectangle on two discs, one fixed and one that is moved: no forces in the cones
// cancel, so that a time step has a solution, but they are not unique.
static void a_rectangle_on_two_discs(void **state)
{
  (void)state;
  const char text[] =
      "parameter w = 2\ngravity 0, 0, -9.81\n"
      "fixed left { cylinder 0.2, 1; position -0.5, 0, 0; rotation pi/2, 0, 0 }\n"
      "body right { cylinder 0.2, 1; mass 1; position 0.5, 0, -0.01; rotation pi/2, 0, 0 }\n"
      "joint drive: slide world, right { axis 0, 0, 1 }\n"
      "bilateral motion: drive = 0.01*sin(w*t)\n"
      "body box { box 2, 0.6, 0.1; mass 3; position 0, 0, 0.25 }\n"
      "contact * * { friction 0.3 }\n"
      "state highest: t = pi/2/w, drive = 0.01, drive' = 0\n";
  stance s = stance_of(text, NULL, "highest", "");  // both discs at one height
  assert_int_equal(stance_closed(&s, "", NULL), 4);
  stance_answers(&s, DLS_STEP_SOLVABLE, DLS_YES);
  assert_int_not_equal(s.check->verdict[DLS_FORCES_UNIQUE].answer, DLS_YES);
  stance_leave(&s);
}

// STK Example 7 in space: three fingers of three joints hold a ball. Their torques are those of a
// force
// (-N, V) at each place of contact, which is then the contact force: all stick from mu = V/N on.
static void fingers_of_three_joints(void **state)
{
  (void)state;
  const char text[] =
      "parameter N = 5, m = 0.6, g = 9.81, mu = 0.8, R = 0.05, r = 0.01\n"
      "let x0 = 0.12, z0 = 0.1, x1 = 0.13, z1 = 0.02, x2 = R + r, V = m*g/3\n"
      "gravity 0, 0, -g\nfixed palm\nbody ball { sphere R; mass m }\n"
      "for i in 1..3 {\n"
      "  body root[i] { mass 1e-3; inertia 1e-6, 1e-6, 1e-6; position x0*cos(2*pi/3*i), "
      "x0*sin(2*pi/3*i), z0; centre 0, 0, 0 }\n"
      "  body upper[i] { mass 1e-3; inertia 1e-6, 1e-6, 1e-6; position x0*cos(2*pi/3*i), "
      "x0*sin(2*pi/3*i), z0 }\n"
      "  body lower[i] { sphere r; mass 1e-3; position x2*cos(2*pi/3*i), x2*sin(2*pi/3*i), 0 }\n"
      "  joint yaw[i]: hinge palm, root[i] { axis 0, 0, 1 }\n"
      "  joint hip[i]: hinge root[i], upper[i] { axis -sin(2*pi/3*i), cos(2*pi/3*i), 0 }\n"
      "  joint knuckle[i]: hinge upper[i], lower[i] { anchor x1*cos(2*pi/3*i), x1*sin(2*pi/3*i), "
      "z1; "
      "axis -sin(2*pi/3*i), cos(2*pi/3*i), 0 }\n"
      "  force hip[i] = N*z0 + V*(x0 - R) + 1e-3*g*(x0 - x2)\n"
      "  force knuckle[i] = N*z1 + V*(x1 - R) + 1e-3*g*(x1 - x2)\n}\n"
      "contact * * { friction mu }\nobject ball\n";
  const double V = 0.6 * g / 3;
  stance s = stance_of(text, NULL, NULL, "");
  double force;
  assert_true(stance_still(&s));
  stance_closed(&s, "ball/lower[2]", &force), close_to(force, 5, 1e-8);
  stance_answers(&s, DLS_CAN_ALL_STICK, DLS_YES);
  close_to(s.check->limit[DLS_LIMIT_LEAST].value, V / 5, 1e-7);
  stance_answers(&s, DLS_FORCE_CLOSURE, DLS_YES), stance_answers(&s, DLS_FORM_CLOSURE, DLS_NO);
  stance_leave(&s);
  s = stance_of(text, NULL, NULL, "mu=0.35");  // < V/5 = 0.3924
  stance_answers(&s, DLS_CAN_ALL_STICK, DLS_NO);
  stance_leave(&s);
}

// ---- linkages -----------------------------------------------------------------------------------

// IFToMM A02: N four-bars in a row, in the plane by their hinges alone. One freedom; flat, N + 1.
static void four_bars(void **state)
{
  (void)state;
  for (int N = 2; N <= 40; N += 38) {
    char text[1200];
    snprintf(
        text, sizeof text,
        "parameter theta = pi/3\ngravity 0, -9.81, 0\nfixed ground\n"
        "let c = cos(theta), s = sin(theta)\n"
        "for i in 0..%d {\n"
        "  body v[i] { mass 1; inertia 1e-3, 1/12, 1/12; position i + c/2, s/2, 0; rotation 0, 0, "
        "theta }\n"
        "  joint A[i]: hinge ground, v[i] { anchor i, 0, 0; axis 0, 0, 1 }\n}\n"
        "for i in 1..%d {\n"
        "  body h[i] { mass 1; inertia 1e-3, 1/12, 1/12; position i - 1/2 + c, s, 0 }\n"
        "  joint B[i]: hinge v[i-1], h[i] { anchor i - 1 + c, s, 0; axis 0, 0, 1 }\n"
        "  joint C[i]: hinge h[i], v[i] { anchor i + c, s, 0; axis 0, 0, 1 }\n}\n",
        N, N);
    stance s = stance_of(text, NULL, NULL, "");
    assert_int_equal(s.system->n, 2 * N + 1);
    assert_int_equal(s.contacts->problem.m_b, 5 * N);
    assert_int_equal(s.system->n - s.check->constraint_rank, 1);
    // (N + 1)/3 of the rods that turn, N of those that do not, and their weights
    const double I = (N + 1) / 3.0 + N,
                 Q = -g * cos(3.14159265358979323846 / 3) * ((N + 1) / 2.0 + N);
    close_to(stance_acceleration(&s, "A[0]"), Q / I, 1e-8);
    stance_leave(&s);
    s = stance_of(text, NULL, NULL, "theta=0");
    assert_int_equal(s.system->n - s.check->constraint_rank, N + 1);
    stance_leave(&s);
  }
}

// IFToMM A04, Bricard: five rods along the edges of a cube. Gruebler counts no freedom, it has one.
static void bricard(void **state)
{
  (void)state;
  static const double P[6][3] = {{0, 0, 0},  {1, 0, 0},  {1, -1, 0},
                                 {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
  static const char *const axis[6] = {"0, 1, 0", "0, 0, 1", "1, 0, 0",
                                      "0, 1, 0", "0, 0, 1", "1, 0, 0"};
  char text[2000];
  int used = snprintf(text, sizeof text, "gravity 0, -9.81, 0\nfixed b0\n");
  for (int k = 1; k <= 5; k++) {
    const double *x = P[k - 1], *y = P[k];
    used += snprintf(text + used, sizeof text - (size_t)used,
                     "body b%d { mass 1; position %g, %g, %g; inertia %g, %g, %g }\n", k,
                     (x[0] + y[0]) / 2, (x[1] + y[1]) / 2, (x[2] + y[2]) / 2,
                     x[0] != y[0] ? 1e-9 : 1 / 12.0, x[1] != y[1] ? 1e-9 : 1 / 12.0,
                     x[2] != y[2] ? 1e-9 : 1 / 12.0);
  }
  for (int k = 0; k < 6; k++)
    used += snprintf(text + used, sizeof text - (size_t)used,
                     "joint j%d: hinge b%d, b%d { anchor %g, %g, %g; axis %s }\n", k, k,
                     (k + 1) % 6, P[k][0], P[k][1], P[k][2], axis[k]);
  stance s = stance_of(text, NULL, NULL, "");
  assert_int_equal(s.system->n, 5), assert_int_equal(s.contacts->problem.m_b, 5);
  assert_int_equal(s.check->constraint_rank, 4);
  stance_answers(&s, DLS_CONSTRAINTS_INDEPENDENT, DLS_NO),
      stance_answers(&s, DLS_FORCES_UNIQUE, DLS_NO);
  stance_answers(&s, DLS_ACCELERATION_UNIQUE, DLS_YES);
  stance_leave(&s);
}

// Axes and middles that meet have no normal, or one that is nothing but rounding: no state is fine.
static void solids_in_one_place(void **state)
{
  (void)state;
  static const char *const solid[] = {
      "sphere 0.1",        "capsule 0.1, 0.3",        "cylinder 0.1, 0.3",
      "box 0.1, 0.2, 0.3", "ellipsoid 0.1, 0.2, 0.3", "ellipsoid 0.1, 0.1, 0.1"};
  for (int k = 0; k < 36; k++) {
    char text[200];
    stance s = {0};
    dls_message message = {0};
    snprintf(text, sizeof text, "body a { %s; density 1 }\nbody b { %s; density 1 }\n",
             solid[k / 6], solid[k % 6]);
    assert_int_equal(dls_model_parse(text, strlen(text), &s.model, NULL), DLS_OK);
    assert_int_equal(dls_model_system(s.model, &s.system), DLS_OK);
    s.state.q = calloc(14, sizeof(double)), s.state.v = calloc(12, sizeof(double));
    assert_int_equal(dls_model_state(s.system, NULL, &s.state, &message), DLS_OK);
    if (dls_contact_state_create(s.system, &s.state, NULL, &s.contacts, &message) == DLS_OK)
      fail_msg("%s in %s", solid[k / 6], solid[k % 6]);
    stance_leave(&s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(tables),
                                     cmocka_unit_test(a_table_of_three_legs),
                                     cmocka_unit_test(a_cube_between_plates),
                                     cmocka_unit_test(a_ball_in_a_groove),
                                     cmocka_unit_test(a_rectangle_on_two_discs),
                                     cmocka_unit_test(fingers_of_three_joints),
                                     cmocka_unit_test(four_bars),
                                     cmocka_unit_test(bricard),
                                     cmocka_unit_test(solids_in_one_place)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
