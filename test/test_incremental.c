// The incremental problem: projection, natural map and the three scalings against values worked out
// by hand; the global form against the local one; what is refused.
#include "numbers.h"
#include <delassus/incremental.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

// ---- the projection on the cone ----------------------------------------------------------------

static void projects(int rows, double mu, const double *r, const double *expected)
{
  double x[3] = {7, 7, 7};
  dls_friction_cone_project(rows, mu, r, x);
  for (int k = 0; k < rows; k++) close_to(x[k], expected[k], 1e-15);
  for (int k = rows; k < 3; k++) assert_true(x[k] == 7);
}

static void projection(void **state)
{
  (void)state;
  // inside, on the axis, in the polar cone, at the apex
  projects(3, 0.5, (double[]){4, 1, -1}, (double[]){4, 1, -1});
  projects(3, 0.5, (double[]){1, 0, 0}, (double[]){1, 0, 0});
  projects(3, 0.5, (double[]){-2, 3, 2}, (double[]){0, 0, 0});
  projects(3, 0.5, (double[]){0, 0, 0}, (double[]){0, 0, 0});
  // beside: n = (1 + 0.75 * 5) / (1 + 0.75^2) = 3.04, the tangential part to 0.75 n
  projects(3, 0.75, (double[]){1, 3, -4}, (double[]){3.04, 1.368, -1.824});
  projects(2, 1, (double[]){0, -2}, (double[]){1, -1});
  projects(2, 1, (double[]){-3, -2}, (double[]){0, 0});
  // without friction the cone is a ray
  projects(3, 0, (double[]){2, 1, 1}, (double[]){2, 0, 0});
  projects(2, 0, (double[]){-1, 5}, (double[]){0, 0});
  projects(1, 0.3, (double[]){-1}, (double[]){0});
  projects(1, 0.3, (double[]){2}, (double[]){2});
}

// The nearest point of the cone is no farther than any other point of it.
static void projection_is_nearest(void **state)
{
  (void)state;
  for (int trial = 0; trial < 2000; trial++) {
    at_case("trial %d", trial);
    const double mu = fabs(uniform()) * 2, r[3] = {uniform(), uniform(), uniform()};
    double x[3];
    dls_friction_cone_project(3, mu, r, x);
    assert_true(hypot(x[1], x[2]) <= mu * x[0] * (1 + 1e-14) + 1e-300);
    const double n = fabs(uniform()), angle = 4 * uniform(), t = mu * n * fabs(uniform());
    const double y[3] = {n, t * cos(angle), t * sin(angle)};
    double to_x = 0, to_y = 0;
    for (int k = 0; k < 3; k++)
      to_x += (r[k] - x[k]) * (r[k] - x[k]), to_y += (r[k] - y[k]) * (r[k] - y[k]);
    assert_true(to_x <= to_y + 1e-15);
  }
}

// ---- residuals ---------------------------------------------------------------------------------

static const int diagonal_p[] = {0, 1, 2, 3, 4, 5, 6}, diagonal_i[] = {0, 1, 2, 3, 4, 5};
static const double ones[] = {1, 1, 1, 1, 1, 1};

// W = 1
static dls_incremental unit(int dimension, int contacts, int equations, const double *mu,
                            const double *q)
{
  const int rows = dimension * contacts + equations;
  return (dls_incremental){.dimension = dimension,
                           .contacts = contacts,
                           .equations = equations,
                           .mu = mu,
                           .W = {{rows, rows, diagonal_p, diagonal_i}, ones},
                           .q = q};
}

static dls_incremental_error residual(const dls_incremental *p, const double *r, const double *v)
{
  double norm_q;
  dls_incremental_error error;
  assert_int_equal(dls_incremental_validate(p, NULL), DLS_OK);
  assert_int_equal(dls_incremental_scale(p, &norm_q), DLS_OK);
  assert_int_equal(dls_incremental_residual(p, norm_q, r, v, NULL, &error), DLS_OK);
  return error;
}

static void one_contact(void **state)
{
  (void)state;
  const double mu[] = {0.5}, q[] = {-4, 0, 0};
  const dls_incremental p = unit(3, 1, 0, mu, q);
  // u = q + r = 0: sticks
  assert_true(residual(&p, (double[]){4, 0, 0}, NULL).natural == 0);
  // u = -3: F = 1 - P(1 + 3)
  dls_incremental_error e = residual(&p, (double[]){1, 0, 0}, NULL);
  close_to(e.natural, 3, 0), close_to(e.q, 0.75, 0), close_to(e.siconos, 0.75, 0);
  close_to(e.fclib, 1, 0), close_to(e.balance, 0, 0);
  // u = 6: F = 10 - P(10 - 6); |r| is the largest of the norms
  e = residual(&p, (double[]){10, 0, 0}, NULL);
  close_to(e.natural, 6, 0), close_to(e.q, 1.5, 0), close_to(e.siconos, 0.6, 1e-15);
  close_to(e.fclib, 2, 0);
}

static void sliding(void **state)
{
  (void)state;
  // planar, u = (0, 2), r = (2, -1) on the cone against u
  const double mu[] = {0.5}, none[] = {0}, q[] = {-2, 3};
  const dls_incremental p = unit(2, 1, 0, mu, q);
  double u[2];
  dls_incremental_error e;
  assert_int_equal(dls_incremental_residual(&p, 1, (double[]){2, -1}, NULL, u, &e), DLS_OK);
  close_to(e.natural, 0, 1e-15);
  close_to(u[0], 0, 0), close_to(u[1], 2, 0);
  // with u: (u, r) = ((0, 4), (2, 1)), r - u - 0.5 |u_T| = (0, -3) goes to (1.2, -0.6)
  e = residual(&p, (double[]){2, 1}, NULL);
  close_to(e.natural, hypot(0.8, 1.6), 1e-15);
  // without friction: u = (0, 3), r = (2, 0) solves; a tangential force does not
  const dls_incremental smooth = unit(2, 1, 0, none, q);
  assert_true(residual(&smooth, (double[]){2, 0}, NULL).natural == 0);
  close_to(residual(&smooth, (double[]){2, 0.25}, NULL).natural, 0.25, 0);
}

static void open_contact(void **state)
{
  (void)state;
  const double mu[] = {0.5, 0.5}, q[] = {1, 0, 3, -2, 0, 0};  // the first one leaves, slipping
  const dls_incremental p = unit(3, 2, 0, mu, q);
  assert_true(residual(&p, (double[]){0, 0, 0, 2, 0, 0}, NULL).natural == 0);
  // pulls with 1: u = 0 at it without slip, F = -1 - P(-1)
  const double still[] = {1, 0, 0, -2, 0, 0};
  const dls_incremental s = unit(3, 2, 0, mu, still);
  close_to(residual(&s, (double[]){-1, 0, 0, 2, 0, 0}, NULL).natural, 1, 0);
}

static void equations(void **state)
{
  (void)state;
  const double mu[] = {0.3}, q[] = {-1, 0, 0, 5, -7}, only[] = {3, 4};
  const dls_incremental p = unit(3, 1, 2, mu, q), none = unit(2, 0, 2, NULL, only);
  assert_true(residual(&p, (double[]){1, 0, 0, -5, 7}, NULL).natural == 0);
  close_to(residual(&p, (double[]){1, 0, 0, -2, 3}, NULL).natural, 5, 0);  // u = (3, -4)
  assert_true(residual(&none, (double[]){-3, -4}, NULL).natural == 0);
  const dls_incremental_error e = residual(&none, (double[]){0, 0}, NULL);
  close_to(e.natural, 5, 0), close_to(e.q, 1, 0);
}

static void zero_scale(void **state)
{
  (void)state;
  const double mu[] = {1}, q[] = {0, 0, 0};
  const dls_incremental p = unit(3, 1, 0, mu, q);
  const dls_incremental_error e = residual(&p, (double[]){0.5, 0, 0}, NULL);  // F = 0.5 - P(0)
  close_to(e.natural, 0.5, 0), close_to(e.q, 0.5, 0);
  close_to(e.siconos, 1, 0), close_to(e.fclib, 0.5, 0);
  const dls_incremental empty = unit(3, 0, 0, NULL, NULL);
  assert_true(residual(&empty, NULL, NULL).q == 0);
}

static void nan_stays(void **state)
{
  (void)state;
  const double mu[] = {0.5, 0}, q[] = {-1, 0, 0, -1, 0, 0};
  const dls_incremental p = unit(3, 2, 0, mu, q);
  for (int k = 0; k < 6; k++) {
    at_case("k %d", k);
    double r[] = {1, 0, 0, 1, 0, 0};
    r[k] = (double)NAN;
    const dls_incremental_error e = residual(&p, r, NULL);
    assert_true(isnan(e.natural) && isnan(e.q) && isnan(e.siconos) && isnan(e.fclib));
  }
  double x[3];
  for (int k = 0; k < 3; k++) {
    at_case("k %d", k);
    double r[] = {1, 2, 3};
    r[k] = (double)NAN;
    dls_friction_cone_project(3, 0.5, r, x);
    assert_true(isnan(x[0]));
  }
  const double s[] = {1, 2};
  const dls_incremental e = unit(2, 0, 2, NULL, s);
  assert_true(isnan(residual(&e, (double[]){(double)NAN, 0}, NULL).natural));
}

// ---- the global form against the local one -----------------------------------------------------

enum { DOF = 4, ROWS = 7 };  // two contacts in space and an equation

typedef struct pair {
  double M[DOF], H[DOF * ROWS], f[DOF], w[ROWS], mu[2], W[ROWS * ROWS], q[ROWS];
  int mass_p[DOF + 1], mass_i[DOF], H_p[ROWS + 1], H_i[DOF * ROWS], W_p[ROWS + 1];
  int W_i[ROWS * ROWS];
  dls_incremental local, global;
} pair;

static void fill(int rows, int cols, int *p, int *i, double *x)
{
  for (int j = 0; j <= cols; j++) p[j] = rows * j;
  for (int e = 0; e < rows * cols; e++) i[e] = e % rows;
  for (int e = 0; x && e < rows * cols; e++) x[e] = uniform();
}

// M diagonal, H full: W = H^T M^-1 H, q = H^T M^-1 f + w
static void make_pair(pair *s)
{
  fill(DOF, ROWS, s->H_p, s->H_i, s->H);
  fill(ROWS, ROWS, s->W_p, s->W_i, NULL);
  for (int k = 0; k < DOF; k++) {
    s->mass_p[k + 1] = k + 1, s->mass_i[k] = k;
    s->M[k] = 2 + uniform(), s->f[k] = uniform();
  }
  s->mass_p[0] = 0;
  s->mu[0] = 0.4, s->mu[1] = 1.2;
  for (int i = 0; i < ROWS; i++) {
    s->q[i] = s->w[i] = uniform();
    for (int k = 0; k < DOF; k++) s->q[i] += s->H[k + DOF * i] * s->f[k] / s->M[k];
    for (int j = 0; j < ROWS; j++) {
      double *x = &s->W[i + ROWS * j];
      *x = 0;
      for (int k = 0; k < DOF; k++) *x += s->H[k + DOF * i] * s->H[k + DOF * j] / s->M[k];
    }
  }
  s->local = (dls_incremental){.dimension = 3, .contacts = 2, .equations = 1, .mu = s->mu};
  s->global = s->local;
  s->local.W = (dls_matrix_view){{ROWS, ROWS, s->W_p, s->W_i}, s->W};
  s->local.q = s->q;
  s->global.global = true, s->global.dof = DOF;
  s->global.M = (dls_matrix_view){{DOF, DOF, s->mass_p, s->mass_i}, s->M};
  s->global.H = (dls_matrix_view){{DOF, ROWS, s->H_p, s->H_i}, s->H};
  s->global.f = s->f, s->global.w = s->w;
}

static void global_is_local(void **state)
{
  (void)state;
  for (int trial = 0; trial < 50; trial++) {
    at_case("trial %d", trial);
    pair s;
    make_pair(&s);
    double r[ROWS], v[DOF], norms[2];
    for (int i = 0; i < ROWS; i++) r[i] = uniform();
    for (int k = 0; k < DOF; k++) {
      v[k] = s.f[k];
      for (int i = 0; i < ROWS; i++) v[k] += s.H[k + DOF * i] * r[i];
      v[k] /= s.M[k];
    }
    assert_int_equal(dls_incremental_scale(&s.local, &norms[0]), DLS_OK);
    assert_int_equal(dls_incremental_scale(&s.global, &norms[1]), DLS_OK);
    close_to(norms[0], norms[1], 1e-13);
    const dls_incremental_error a = residual(&s.local, r, NULL), b = residual(&s.global, r, v);
    close_to(a.natural, b.natural, 1e-13), close_to(a.q, b.q, 1e-13);
    close_to(a.siconos, b.siconos, 1e-13), close_to(a.fclib, b.fclib, 1e-13);
    close_to(b.balance, 0, 1e-14);
    // v off by 1 in one place: off by M there, of what stands in that row
    v[2] += 1;
    double terms = fabs(s.f[2]) + fabs(s.M[2] * v[2]);
    for (int i = 0; i < ROWS; i++) terms += fabs(s.H[2 + DOF * i] * r[i]);
    close_to(residual(&s.global, r, v).balance, s.M[2] / terms, 1e-12);
    v[2] = (double)NAN;
    const dls_incremental_error lost = residual(&s.global, r, v);
    assert_true(isnan(lost.balance) && isnan(lost.q));
  }
}

static void no_load(void **state)
{
  (void)state;
  pair s;
  make_pair(&s);
  for (int k = 0; k < DOF; k++) s.f[k] = 0;
  double r[ROWS] = {0}, v[DOF] = {0};
  r[ROWS - 1] = 2;
  close_to(residual(&s.global, r, v).balance, 1, 1e-15);  // |H r| of |H r|
  s.M[1] = 0;                                             // singular
  double norm_q;
  assert_int_equal(dls_incremental_scale(&s.global, &norm_q), DLS_ERR_NUMBER);
}

// ---- what is refused ---------------------------------------------------------------------------

static void refused(const dls_incremental *p, dls_status expected, const char *text)
{
  dls_message message = {""};
  assert_int_equal(dls_incremental_validate(p, &message), expected);
  assert_string_equal(message.text, text);
  assert_int_equal(dls_incremental_validate(p, NULL), expected);
}

static void validation(void **state)
{
  (void)state;
  const double mu[] = {0.5}, q[] = {-4, 0, 0};
  const dls_incremental good = unit(3, 1, 0, mu, q);
  assert_int_equal(dls_incremental_validate(&good, NULL), DLS_OK);
  dls_incremental p = good;
  p.dimension = 4;
  refused(&p, DLS_ERR_ARGUMENT, "the dimension is 4, expected 2 or 3");
  p = good, p.equations = -1;
  refused(&p, DLS_ERR_ARGUMENT, "a size is negative");
  p = good, p.contacts = 2000000000;
  refused(&p, DLS_ERR_LIMIT, "more than 100000000 rows");
  p = good, p.mu = (double[]){-0.25};
  refused(&p, DLS_ERR_ARGUMENT, "mu[0] = -0.25 is negative");
  p = good, p.mu = (double[]){INFINITY};
  refused(&p, DLS_ERR_NUMBER, "mu[0] is not a finite number");
  p = good, p.mu = NULL;
  refused(&p, DLS_ERR_ARGUMENT, "mu is missing");
  p = good, p.q = (double[]){0, (double)NAN, 0};
  refused(&p, DLS_ERR_NUMBER, "q[1] is not a finite number");
  p = good, p.equations = 1;
  refused(&p, DLS_ERR_ARGUMENT, "W is 3 x 3, expected 4 x 4");
  p = good, p.W.x = (double[]){1, 1, (double)NAN};
  refused(&p, DLS_ERR_NUMBER, "W(2, 2) is not a finite number");
}

static void validation_of_patterns(void **state)
{
  (void)state;
  const double mu[] = {0.5}, q[] = {-4, 0, 0};
  dls_incremental p = unit(3, 1, 0, mu, q);
  p.W.pattern.p = NULL;
  refused(&p, DLS_ERR_ARGUMENT, "the columns of W do not begin at 0");
  p.W.pattern.p = (int[]){0, 2, 1, 3};
  p.W.pattern.i = (int[]){0, 1, 2};
  refused(&p, DLS_ERR_ARGUMENT, "column 1 of W has a negative length");
  p.W.pattern.p = (int[]){0, 2, 2, 3};
  p.W.pattern.i = (int[]){0, 3, 2};
  refused(&p, DLS_ERR_ARGUMENT, "column 0 of W has the row 3 of 3");
  p.W.pattern.i = (int[]){1, 1, 2};
  refused(&p, DLS_ERR_ARGUMENT, "the rows in column 0 of W do not increase");
  pair s;
  make_pair(&s);
  assert_int_equal(dls_incremental_validate(&s.global, NULL), DLS_OK);
  p = s.global, p.dof = 3;
  refused(&p, DLS_ERR_ARGUMENT, "M is 4 x 4, expected 3 x 3");
  p = s.global, p.H.pattern.cols = 6;
  refused(&p, DLS_ERR_ARGUMENT, "H is 4 x 6, expected 4 x 7");
  p = s.global, p.f = NULL;
  refused(&p, DLS_ERR_ARGUMENT, "f is missing");
  s.w[6] = INFINITY;
  refused(&s.global, DLS_ERR_NUMBER, "w[6] is not a finite number");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(projection),      cmocka_unit_test(projection_is_nearest),
      cmocka_unit_test(one_contact),     cmocka_unit_test(sliding),
      cmocka_unit_test(open_contact),    cmocka_unit_test(equations),
      cmocka_unit_test(zero_scale),      cmocka_unit_test(nan_stays),
      cmocka_unit_test(global_is_local), cmocka_unit_test(no_load),
      cmocka_unit_test(validation),      cmocka_unit_test(validation_of_patterns)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
