// One contact solved exactly: the law holds, for all modes, units and directions.
#include "numbers.h"
#include "solve/one_contact.h"

#include <delassus/incremental.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

// |F| relative to |q|, in units in which W is around one, recomputed here.
static double residual(int d, double mu, const double *W, const double *q, const double *r,
                       double stiffness)
{
  double x[3], p[3], slip = 0, square = 0, size = 0;
  for (int k = 0; k < d; k++) {
    double u = q[k];
    for (int l = 0; l < d; l++) u += W[k + d * l] * r[l];
    if (k > 0) slip += u * u;
    x[k] = r[k] - u / stiffness;
    size += q[k] * q[k] / (stiffness * stiffness);
  }
  x[0] -= mu * sqrt(slip) / stiffness;
  dls_friction_cone_project(d, mu, x, p);
  for (int k = 0; k < d; k++) square += (r[k] - p[k]) * (r[k] - p[k]);
  return size > 0 ? sqrt(square / size) : sqrt(square);
}

static void draw(int d, double narrow, double *W, double *q)
{
  double B[9];
  for (int k = 0; k < 9; k++) B[k] = uniform();
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++) {
      W[i + d * j] = i == j ? narrow : 0;
      for (int k = 0; k < d; k++) W[i + d * j] += B[i + 3 * k] * B[j + 3 * k];
    }
  for (int k = 0; k < d; k++) q[k] = uniform();
}

static void law(void **state)
{
  (void)state;
  int modes[3] = {0};
  for (int t = 0; t < 20000; t++) {
    const int d = 2 + t % 2;
    const double mu = t % 10 == 0 ? 0 : t % 11 == 0 ? 10 * fabs(uniform()) : fabs(uniform());
    const double narrow = t % 3 == 0 ? 1e-6 : 0.1;
    double W[9], q[3], r[3] = {fabs(uniform()), uniform(), uniform()};
    draw(d, narrow, W, q);
    const double unit = pow(10, 8 * uniform()), speed = pow(10, 8 * uniform());
    for (int k = 0; k < d * d; k++) W[k] *= unit;
    for (int k = 0; k < d; k++) q[k] *= speed;
    assert_true(dls_one_contact(d, mu, W, q, r));
    assert_true(residual(d, mu, W, q, r, unit) < 1e-8);
    const double slip = hypot(r[1], d == 3 ? r[2] : 0);
    modes[r[0] == 0 ? 0 : slip < 0.999999 * mu * r[0] ? 1 : 2]++;
  }
  assert_true(modes[0] > 5000 && modes[1] > 500 && modes[2] > 2000);
}

// A block pushed along the floor: r_N = 1, the friction force opposes the push.
static void sliding_block(void **state)
{
  (void)state;
  const double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, q[3] = {-1, 3, 4};
  double r[3] = {0, 0, 0};
  assert_true(dls_one_contact(3, 0.5, W, q, r));
  close_to(r[0], 1, 1e-15);
  close_to(r[1], -0.3, 1e-14);
  close_to(r[2], -0.4, 1e-14);
  const double slow[3] = {-1, 0.3, -0.4};
  assert_true(dls_one_contact(3, 0.5, W, slow, r));  // on the border of the cone: sticks
  close_to(r[1], -0.3, 1e-15);
  close_to(r[2], 0.4, 1e-15);
}

static void refused(void **state)
{
  (void)state;
  double r[3] = {1, 2, 3};
  const double zero[9] = {0}, W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const double q[3] = {-1, 0, 0}, nan[3] = {NAN, 0, 0}, side[3] = {-1, NAN, 0};
  assert_false(dls_one_contact(3, 0.5, zero, q, r));
  assert_false(dls_one_contact(3, 0.5, W, nan, r));
  assert_false(dls_one_contact(3, 0.5, W, side, r));
  assert_true(r[0] == 1 && r[1] == 2 && r[2] == 3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(law),
      cmocka_unit_test(sliding_block),
      cmocka_unit_test(refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
