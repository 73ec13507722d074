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

#include "cases.h"

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
    at_case("t %d", t);
    const int d = 2 + t % 2;
    const double mu = t % 10 == 0 ? 0 : t % 11 == 0 ? 10 * fabs(uniform()) : fabs(uniform());
    const double narrow = t % 3 == 0 ? 1e-6 : 0.1;
    double W[9], q[3], r[3] = {fabs(uniform()), uniform(), uniform()};
    draw(d, narrow, W, q);
    const double unit = pow(10, 8 * uniform()), speed = pow(10, 8 * uniform());
    for (int k = 0; k < d * d; k++) W[k] *= unit;
    for (int k = 0; k < d; k++) q[k] *= speed;
    const bool found = dls_one_contact(d, mu, W, q, r);
    const double error = found ? residual(d, mu, W, q, r, unit) : INFINITY;
    if (!(error < 1e-8))
      fail_msg("problem %d: %s, residual %g", t, found ? "found" : "none", error);
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
  const double zero[9] = {0}, space[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, plane[4] = {1, 0, 0, 1};
  const double q[3] = {-1, 0, 0}, bad[] = {NAN, INFINITY, -INFINITY};
  assert_false(dls_one_contact(3, 0.5, zero, q, r));
  for (int d = 2; d <= 3; d++)
    for (int at = 0; at < d; at++)
      for (int k = 0; k < 18; k++) {  // pressed, at rest or off, with friction or without
        double x[3] = {k / 3 % 3 - 1, 0.1, 0.2};
        x[at] = bad[k % 3];
        at_case("d %d, place %d, %g beside %g", d, at, x[at], x[0]);
        assert_false(dls_one_contact(d, k < 9 ? 0 : 0.5, d == 3 ? space : plane, x, r));
      }
  // no slip, whatever the friction is, within the cone: it is not determined
  const double flat[4] = {1, 1, 1, 1}, along[2] = {-1, -1};
  assert_false(dls_one_contact(2, 0.5, flat, along, r));
  assert_true(r[0] == 1 && r[1] == 2 && r[2] == 3);
}

// W = g g^T moves along g only: with u_N = 0 the slip is b = q_T - q_N g_T / g_N whatever the force
// is, and r_T = -mu r_N b / |b|. Where g_N - mu g_T b / |b| is negative such a force would have to
// pull: there is no solution, and none may be told.
static void jammed(void **state)
{
  (void)state;
  const double W[] = {1, -2, -2, 4}, q[] = {-1, 1};
  double planar[] = {7, 8};
  assert_false(dls_one_contact(2, 1, W, q, planar));
  assert_true(planar[0] == 7 && planar[1] == 8);
  assert_true(dls_one_contact(2, 0.25, W, q, planar));
  close_to(planar[0], 2, 1e-15), close_to(planar[1], 0.5, 1e-15);
  int none = 0, solved = 0;
  for (int t = 0; t < 4000; t++) {
    const int d = 2 + t % 2;
    const double mu = fabs(uniform()), along[] = {1, 3 * uniform(), d == 3 ? 3 * uniform() : 0};
    double V[9], r[3] = {0}, speed[] = {-fabs(uniform()), uniform(), d == 3 ? uniform() : 0};
    for (int i = 0; i < d; i++)
      for (int j = 0; j < d; j++) V[i + d * j] = along[i] * along[j];
    const double b1 = speed[1] - along[1] * speed[0], b2 = speed[2] - along[2] * speed[0];
    const double stiffness = 1 - mu * (along[1] * b1 + along[2] * b2) / hypot(b1, b2);
    if (fabs(stiffness) < 1e-3) continue;
    const bool found = dls_one_contact(d, mu, V, speed, r);
    const double force = -speed[0] / stiffness, friction = mu * force / hypot(b1, b2);
    if (found != (stiffness > 0))
      fail_msg("problem %d: stiffness %g, found %d", t, stiffness, found);
    const double wrong = hypot(r[0] - force, hypot(r[1] + friction * b1, r[2] + friction * b2));
    if (found && !(wrong <= 1e-9 * force)) fail_msg("problem %d: %g off %g", t, wrong, force);
    none += !found, solved += found;
  }
  assert_true(none > 200 && solved > 2000);
}

// Rolling, step after step, leaves slips that have no inverse any more.
static void vanishing(void **state)
{
  (void)state;
  for (int k = 1; k < 1080; k++) {
    at_case("2^-%d", k);
    const double W[] = {0.5, 0, 0, 0, 1.75, 0, 0, 0, 1.75};
    const double q[] = {-1.6, 0, ldexp(-3, -k)};
    double r[3] = {0};
    assert_true(dls_one_contact(3, 0.3, W, q, r));
    close_to(r[0], 3.2, 1e-15);
    close_to(r[2], fmin(fmax(-q[2] / 1.75, -0.96), 0.96), 1e-15);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(law),    cmocka_unit_test(sliding_block), cmocka_unit_test(refused),
      cmocka_unit_test(jammed), cmocka_unit_test(vanishing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
