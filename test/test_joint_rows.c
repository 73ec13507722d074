// Rows of two frames: values against their definitions in long doubles, rates and second
// derivatives against differences along motions, derivatives by poses and velocities against
// differences, bounds against numbers moved by as much.
#include "body/joint_row.h"
#include "linalg/vector3.h"

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
#include "numbers.h"

typedef long double wide;

static const struct {
  const char *name;
  dls_joint_row row;
} rows[] = {{"along x", {DLS_ROW_ALONG, 0}}, {"along z", {DLS_ROW_ALONG, 2}},
            {"turn x", {DLS_ROW_TURN, 0}},   {"turn y", {DLS_ROW_TURN, 1}},
            {"turn z", {DLS_ROW_TURN, 2}},   {"tilt x", {DLS_ROW_TILT, 0}},
            {"tilt y", {DLS_ROW_TILT, 1}},   {"skew", {DLS_ROW_SKEW, 0}},
            {"angle", {DLS_ROW_ANGLE, 2}}};
enum { ROWS = sizeof rows / sizeof *rows };

// ---- motions of two frames, and rows by their definitions ---------------------------------------

// exp of a rotation vector, by rows.
static void exponential(const wide *theta, wide *R)
{
  const wide s2 = theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2], s = sqrtl(s2);
  const wide a = s > 1e-9L ? sinl(s) / s : 1 - s2 / 6;
  const wide b = s > 1e-6L ? (1 - cosl(s)) / s2 : 0.5L - s2 / 24;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) R[3 * i + j] = (i == j ? 1 - b * s2 : 0) + b * theta[i] * theta[j];
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    R[3 * k + j] += a * theta[i], R[3 * j + k] -= a * theta[i];
  }
}

typedef struct pose {
  wide R[9], p[3];
} pose;

// Where a frame is after t, going on with its velocity and acceleration.
static pose after(const dls_solid_motion *m, wide t)
{
  wide theta[3], turn[9];
  pose r;
  for (int i = 0; i < 3; i++) {
    theta[i] = t * m->w[i] + t * t / 2 * m->alpha[i];
    r.p[i] = m->p[i] + t * m->v[i] + t * t / 2 * m->a[i];
  }
  exponential(theta, turn);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      r.R[3 * i + j] = 0;
      for (int k = 0; k < 3; k++) r.R[3 * i + j] += turn[3 * i + k] * m->R[3 * k + j];
    }
  return r;
}

static wide defined(dls_joint_row row, const pose *a, const pose *b)
{
  wide Q[9], d[3], along[3] = {0};
  for (int i = 0; i < 3; i++) d[i] = b->p[i] - a->p[i];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      Q[3 * i + j] = 0, along[i] += a->R[3 * j + i] * d[j];
      for (int k = 0; k < 3; k++) Q[3 * i + j] += a->R[3 * k + i] * b->R[3 * k + j];
    }
  const int i = row.axis, j = (i + 1) % 3, k = (i + 2) % 3;
  switch (row.kind) {
  case DLS_ROW_ALONG: return along[i];
  case DLS_ROW_SKEW: return -Q[1];
  case DLS_ROW_ANGLE: return atan2l(Q[3] - Q[1], Q[0] + Q[4]);
  case DLS_ROW_TILT: {  // about the axis z x z_B, by the angle between them
    const wide sine = hypotl(Q[2], Q[5]), angle = atan2l(sine, Q[8]);
    return sine > 0 ? 2 * tanl(angle / 2) * (i == 0 ? -Q[5] : Q[2]) / sine : 0;
  }
  default: {
    const wide twice[] = {Q[7] - Q[5], Q[2] - Q[6], Q[3] - Q[1]};
    const wide sine = sqrtl(twice[0] * twice[0] + twice[1] * twice[1] + twice[2] * twice[2]);
    const wide angle = atan2l(sine, Q[0] + Q[4] + Q[8] - 1);
    (void)j, (void)k;
    return sine > 0 ? 2 * tanl(angle / 2) * twice[i] / sine : 0;
  }
  }
}

static wide at_time(dls_joint_row row, const dls_solid_motion *a, const dls_solid_motion *b, wide t)
{
  const pose one = after(a, t), two = after(b, t);
  return defined(row, &one, &two);
}

static dls_solid_motion draw(double size)
{
  dls_solid_motion m;
  wide theta[3], R[9];
  for (int i = 0; i < 3; i++) {
    theta[i] = size * uniform();
    m.p[i] = uniform(), m.v[i] = uniform(), m.w[i] = uniform();
    m.a[i] = uniform(), m.alpha[i] = uniform();
  }
  exponential(theta, R);
  for (int i = 0; i < 9; i++) m.R[i] = (double)R[i];
  return m;
}

// ---- tests --------------------------------------------------------------------------------------

static void test_along_motions(void **state)
{
  (void)state;
  for (int trial = 0; trial < 200; trial++)
    for (int r = 0; r < ROWS; r++) {
      at_case("%s, trial %d", rows[r].name, trial);
      const dls_solid_motion a = draw(0.7), b = draw(0.7);
      dls_row_values x, e;
      assert_int_equal(dls_row_evaluate(rows[r].row, &a, NULL, &b, NULL, &x, &e), DLS_OK);
      const wide h = 2e-3L;
      wide y[9];
      for (int k = 0; k < 9; k++) y[k] = at_time(rows[r].row, &a, &b, (k - 4) * h);
      const wide rate = (4.L / 5 * (y[5] - y[3]) - 1.L / 5 * (y[6] - y[2]) +
                         4.L / 105 * (y[7] - y[1]) - 1.L / 280 * (y[8] - y[0])) /
                        h;
      const wide bias = (-205.L / 72 * y[4] + 8.L / 5 * (y[5] + y[3]) - 1.L / 5 * (y[6] + y[2]) +
                         8.L / 315 * (y[7] + y[1]) - 1.L / 560 * (y[8] + y[0])) /
                        (h * h);
      // the frames' axes have the rounding of doubles, which definitions and formulas see otherwise
      close_to(x.value, (double)y[4], 2e-15 * (1 + fabs(x.value)));
      assert_true(fabsl(x.value - y[4]) <= e.value + 4e-15 * (1 + fabs(x.value)));
      close_to(x.rate, (double)rate, 1e-13 * (1 + x.value * x.value));
      close_to(x.bias, (double)bias, 1e-11 * (1 + fabs(x.value * x.value * x.value)));
      double work = 0;
      for (int i = 0; i < 3; i++)
        work += x.wrench[i] * a.v[i] + x.wrench[3 + i] * a.w[i] + x.wrench[6 + i] * b.v[i] +
                x.wrench[9 + i] * b.w[i];
      close_to(work, x.rate, 1e-14 * (1 + x.value * x.value));
    }
}

// Perturbations as in dls_touch_derivative.
static void perturb(dls_solid_motion *a, dls_solid_motion *b, int k, double size)
{
  dls_solid_motion *m = k < 6 ? a : b;
  const int i = k % 3;
  if (k % 6 < 3) {
    m->p[i] += size;
    return;
  }
  wide theta[3] = {0}, turn[9];
  double R[9];
  theta[i] = size;
  exponential(theta, turn);
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++)
      R[3 * r + c] = (double)(turn[3 * r] * m->R[c] + turn[3 * r + 1] * m->R[3 + c] +
                              turn[3 * r + 2] * m->R[6 + c]);
  memcpy(m->R, R, sizeof R);
}

// rate, bias and wrench
static void numbers_at(dls_joint_row row, const dls_solid_motion *a, const dls_solid_motion *b,
                       double out[14])
{
  dls_row_values x;
  assert_int_equal(dls_row_evaluate(row, a, NULL, b, NULL, &x, NULL), DLS_OK);
  out[0] = x.rate, out[1] = x.bias;
  memcpy(out + 2, x.wrench, sizeof x.wrench);
}

static void difference(dls_joint_row row, dls_solid_motion a, dls_solid_motion b, int k,
                       bool velocity, double out[14])
{
  static const double weight[] = {4. / 5, -1. / 5, 4. / 105, -1. / 280};
  const double h = 1e-2;
  memset(out, 0, 14 * sizeof *out);
  for (int s = -4; s <= 4; s++) {
    if (s == 0) continue;
    dls_solid_motion one = a, two = b;
    double y[14];
    if (!velocity) perturb(&one, &two, k, s * h);
    else (k % 6 < 3 ? (k < 6 ? one.v : two.v) : k < 6 ? one.w : two.w)[k % 3] += s * h;
    numbers_at(row, &one, &two, y);
    for (int i = 0; i < 14; i++) out[i] += (s > 0 ? 1 : -1) * weight[abs(s) - 1] * y[i] / h;
  }
}

static void test_slopes(void **state)
{
  (void)state;
  for (int trial = 0; trial < 40; trial++)
    for (int r = 0; r < ROWS + 3; r++) {
      const dls_joint_row row = r < ROWS ? rows[r].row : (dls_joint_row){DLS_ROW_SPIN, r - ROWS};
      const dls_solid_motion a = draw(0.6), b = draw(0.6);
      dls_row_slope s;
      dls_row_values x;
      assert_int_equal(dls_row_differentiate(row, &a, &b, &s), DLS_OK);
      assert_int_equal(dls_row_evaluate(row, &a, NULL, &b, NULL, &x, NULL), DLS_OK);
      for (int k = 0; k < 12; k++) {
        at_case("row %d, trial %d, perturbation %d", r, trial, k);
        double y[14];
        difference(row, a, b, k, false, y);
        close_to(s.rate_pose[k], y[0], 1e-9), close_to(s.bias_pose[k], y[1], 1e-8);
        for (int i = 0; i < 12; i++) close_to(s.wrench_pose[i][k], y[2 + i], 1e-9);
        difference(row, a, b, k, true, y);
        close_to(x.wrench[k], y[0], 1e-11), close_to(s.bias_velocity[k], y[1], 1e-10);
      }
    }
}

// The relative angular velocity in the axes of B, by its definition.
static void test_spin(void **state)
{
  (void)state;
  for (int trial = 0; trial < 50; trial++) {
    at_case("trial %d", trial);
    const dls_solid_motion a = draw(2), b = draw(2);
    const double h = 1e-4;
    for (int axis = 0; axis < 3; axis++) {
      dls_row_values x;
      double rate[2], moved[2] = {0};
      const dls_joint_row row = {DLS_ROW_SPIN, axis};
      assert_int_equal(dls_row_evaluate(row, &a, NULL, &b, NULL, &x, NULL), DLS_OK);
      for (int s = 0; s < 2; s++) {
        const wide t = s ? h : -h;
        const pose two = after(&b, t);
        for (int i = 0; i < 3; i++)  // w of both goes on to first order
          moved[s] += (double)two.R[3 * i + axis] *
                      (b.w[i] - a.w[i] + (double)t * (b.alpha[i] - a.alpha[i]));
      }
      rate[0] = b.R[axis] * (b.w[0] - a.w[0]) + b.R[3 + axis] * (b.w[1] - a.w[1]);
      rate[0] += b.R[6 + axis] * (b.w[2] - a.w[2]);
      assert_true(x.value == 0);
      close_to(x.rate, rate[0], 1e-15), close_to(x.bias, (moved[1] - moved[0]) / (2 * h), 1e-6);
    }
  }
}

// Bounds cover what errors of that size in the motions do, and are not much larger.
static void shake(dls_solid_motion *m, dls_solid_motion_error *e, double size)
{
  double *x[] = {m->R, m->p, m->v, m->w, m->a, m->alpha};
  double *to[] = {e->R, e->p, e->v, e->w, e->a, e->alpha};
  for (int k = 0; k < 6; k++)
    for (int i = 0; i < (k == 0 ? 9 : 3); i++) to[k][i] = size, x[k][i] += size * uniform();
}

static void test_bounds(void **state)
{
  (void)state;
  double worst = 0;
  for (int trial = 0; trial < 300; trial++)
    for (int r = 0; r < ROWS + 3; r++) {
      at_case("row %d, trial %d", r, trial);
      const dls_joint_row row = r < ROWS ? rows[r].row : (dls_joint_row){DLS_ROW_SPIN, r - ROWS};
      const dls_solid_motion a = draw(0.6), b = draw(0.6);
      dls_solid_motion one = a, two = b;
      dls_solid_motion_error e_one, e_two;
      dls_row_values x, y, e, sharp;
      shake(&one, &e_one, 1e-7), shake(&two, &e_two, 1e-7);
      assert_int_equal(dls_row_evaluate(row, &a, NULL, &b, NULL, &x, &sharp), DLS_OK);
      assert_int_equal(dls_row_evaluate(row, &one, &e_one, &two, &e_two, &y, &e), DLS_OK);
      const double *p = &x.value, *q = &y.value, *bound = &e.value;
      for (int i = 0; i < 15; i++) {
        assert_true(fabs(p[i] - q[i]) <= bound[i] * (1 + 1e-5));
        assert_true(bound[i] <= 1e-4 && (&sharp.value)[i] <= 1e-13);
        if (bound[i] > 0) worst = fmax(worst, fabs(p[i] - q[i]) / bound[i]);
      }
    }
  assert_true(worst > 0.3);  // not much larger than they must be
}

// Turned by half a turn rows of rotations have no value; NaN is none either.
static void test_refused(void **state)
{
  (void)state;
  dls_solid_motion a = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}}, b = {.R = {1, 0, 0, 0, -1, 0, 0, 0, -1}};
  dls_row_values x;
  dls_row_slope s;
  for (int r = 2; r < 7; r++) {
    at_case("%s", rows[r].name);
    assert_int_equal(dls_row_evaluate(rows[r].row, &a, NULL, &b, NULL, &x, NULL), DLS_ERR_NUMBER);
    assert_int_equal(dls_row_differentiate(rows[r].row, &a, &b, &s), DLS_ERR_NUMBER);
  }
  for (int k = 0; k < 2; k++) {
    dls_solid_motion c = a;
    *(k ? &c.p[1] : &c.w[2]) = NAN;
    assert_int_equal(
        dls_row_evaluate((dls_joint_row){DLS_ROW_ALONG, 1}, &a, NULL, &c, NULL, &x, NULL),
        k ? DLS_ERR_NUMBER : DLS_OK);
    assert_int_equal(
        dls_row_evaluate((dls_joint_row){DLS_ROW_TURN, 2}, &a, NULL, &c, NULL, &x, NULL),
        k ? DLS_OK : DLS_ERR_NUMBER);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_along_motions),
                                     cmocka_unit_test(test_slopes), cmocka_unit_test(test_spin),
                                     cmocka_unit_test(test_bounds), cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
