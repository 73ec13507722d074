// Problems of a few contacts, where `auto` takes its short way: the first sweep, judged at once.
#include "numbers.h"

#include <delassus/delassus.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

enum { MOST = 9 };  // rows

// Dense, or with blocks on the diagonal only.
typedef struct small {
  dls_incremental problem;
  double W[MOST * MOST], q[MOST], mu[3];
  int p[MOST + 1], i[MOST * MOST];
} small;

// W = A^T A of `rank` rows of A, and r = made by the law that u obeys.
static void draw(small *s, int d, int contacts, bool apart, int rank)
{
  const int n = d * contacts;
  double A[MOST + 1][MOST];
  int count = 0;
  *s = (small){0};
  for (int k = 0; k < rank; k++)
    for (int j = 0; j < n; j++) A[k][j] = uniform();
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++) {
      if (apart && i / d != j / d) continue;
      double sum = 0;
      for (int k = 0; k < rank; k++) sum += A[k][i] * A[k][j];
      s->i[count] = i, s->W[count++] = sum;
    }
    s->p[j + 1] = count;
  }
  // q = u - W r, with u and r by the law
  double r[MOST] = {0}, u[MOST] = {0};
  for (int c = 0; c < contacts; c++) {
    double *a = r + d * c, *b = u + d * c;
    const double angle = 3 * uniform(), mu = s->mu[c] = 0.2 + 0.5 * fabs(uniform());
    const int kind = below(3);
    if (kind == 0) b[0] = 0.1 + fabs(uniform()), b[1] = uniform();
    if (kind > 0) a[0] = 0.5 + fabs(uniform());
    const double length = kind == 1 ? 0.7 * mu * a[0] : mu * a[0];
    const double t[2] = {d == 3 ? cos(angle) : angle > 0 ? 1 : -1, sin(angle)};
    for (int k = 1; k < d; k++) {
      a[k] = length * t[k - 1];
      if (kind == 2) b[k] = -0.3 * t[k - 1];
    }
  }
  for (int i = 0; i < n; i++) s->q[i] = u[i];
  for (int j = 0; j < n; j++)
    for (int e = s->p[j]; e < s->p[j + 1]; e++) s->q[s->i[e]] -= s->W[e] * r[j];
  s->problem = (dls_incremental){.dimension = d, .contacts = contacts, .mu = s->mu, .q = s->q};
  s->problem.W = (dls_matrix_view){{n, n, s->p, s->i}, s->W};
}

static dls_solve_report solve(const small *s, const dls_solve_options *o, double *r)
{
  dls_solver *solver;
  dls_solve_report report;
  assert_int_equal(dls_solver_create(&s->problem, o, &solver, NULL), DLS_OK);
  assert_int_equal(dls_solver_solve(solver, r, NULL, NULL, &report), DLS_OK);
  report.history = NULL;
  dls_solver_free(solver);
  return report;
}

// Of r, by what is public.
static double error_of(const small *s, const double *r)
{
  double norm_q;
  dls_incremental_error error;
  assert_int_equal(dls_incremental_scale(&s->problem, &norm_q), DLS_OK);
  assert_int_equal(dls_incremental_residual(&s->problem, norm_q, r, NULL, NULL, &error), DLS_OK);
  return error.largest;
}

// In all units; contacts apart need one sweep.
static void scales(void **state)
{
  (void)state;
  small s;
  int all = 0, once = 0;
  for (int t = 0; t < 1200; t++) {
    at_case("t %d", t);
    const int d = 2 + t % 2, contacts = 1 + t % 3;
    const bool apart = t % 4 < 2;
    draw(&s, d, contacts, apart, d * contacts + 1);
    if (contacts == 1 && t % 10 == 0) s.mu[0] = 0;
    const double force = pow(10, -8 + t % 17), speed = pow(10, -8 + t / 17 % 17);
    for (int e = 0; e < s.p[d * contacts]; e++) s.W[e] *= speed / force;
    for (int i = 0; i < d * contacts; i++) s.q[i] *= speed;
    double r[MOST] = {0};
    const dls_solve_report report = solve(&s, NULL, r);
    assert_true(report.converged == (error_of(&s, r) <= 1e-8));
    assert_true(report.error.largest == error_of(&s, r));
    assert_true(report.converged && report.stop == DLS_STOP_CONVERGED);
    if (apart || contacts == 1) all++, once += report.iterations <= 1;
  }
  assert_true(all > 300 && once > all - all / 20);  // friction may jam a contact
}

// The same point whether somebody looks at the way or not.
static bool look(void *self, int iteration, double error, const char *solver)
{
  (void)iteration, (void)error, (void)solver;
  ++*(int *)self;
  return false;
}

static void watched(void **state)
{
  (void)state;
  small s;
  for (int t = 0; t < 300; t++) {
    at_case("t %d", t);
    draw(&s, 2 + t % 2, 1 + t % 3, t % 2, 10);
    double plain[MOST] = {0}, kept[MOST] = {0}, seen[MOST] = {0};
    dls_solve_options o = dls_solve_defaults();
    const dls_solve_report a = solve(&s, &o, plain);
    o.history = 20;
    const dls_solve_report b = solve(&s, &o, kept);
    int times = 0;
    o.history = 0, o.watch = look, o.self = &times;
    const dls_solve_report c = solve(&s, &o, seen);
    assert_memory_equal(plain, kept, sizeof plain);
    assert_memory_equal(plain, seen, sizeof plain);
    assert_int_equal(a.iterations, b.iterations);
    assert_int_equal(a.iterations, c.iterations);
    assert_string_equal(a.solver, b.solver);
    assert_int_equal(a.moments, 0);
    assert_int_equal(b.moments, b.iterations + 1);
    assert_int_equal(times, c.iterations);  // not once more at the end
  }
}

static bool stop_now(void *self, int iteration, double error, const char *solver)
{
  (void)self, (void)iteration, (void)error, (void)solver;
  return true;
}

static void limits(void **state)
{
  (void)state;
  small s;
  do draw(&s, 3, 3, false, 10);
  while (error_of(&s, (double[MOST]){0}) < 1e-3);
  dls_solve_options o = dls_solve_defaults();
  double r[MOST] = {0};
  o.watch = stop_now;
  dls_solve_report report = solve(&s, &o, r);
  assert_int_equal(report.stop, DLS_STOP_INTERRUPTED);
  assert_int_equal(report.iterations, 0);
  // a tolerance that no numbers meet: limits hold
  o = dls_solve_defaults(), o.tolerance = 0, o.max_iterations = 3;
  memset(r, 0, sizeof r);
  report = solve(&s, &o, r);
  assert_false(report.converged);
  assert_int_equal(report.stop, DLS_STOP_ITERATIONS);
  assert_int_equal(report.iterations, 3);
  o.max_iterations = 0, o.time_limit = 1e-9;
  memset(r, 0, sizeof r);
  report = solve(&s, &o, r);
  assert_int_equal(report.stop, DLS_STOP_TIME);
  assert_true(report.iterations <= 4);
}

// W that determines no force; W that is indefinite, or zero; numbers that are none.
static void bad_blocks(void **state)
{
  (void)state;
  small s;
  for (int t = 0; t < 300; t++) {
    at_case("t %d", t);
    const int d = 2 + t % 2;
    draw(&s, d, 1 + t % 3, t % 2, 1 + t % 2);
    double r[MOST] = {0};
    const dls_solve_report report = solve(&s, NULL, r);
    assert_true(report.converged == (error_of(&s, r) <= 1e-8));
    assert_true(report.converged);
  }
  for (int d = 2; d <= 3; d++)
    for (int way = 0; way < 3; way++) {
      at_case("d %d, way %d", d, way);
      draw(&s, d, 1, false, 4);
      s.q[0] = -1, s.q[1] = 2;
      for (int e = 0; e < d * d; e++) s.W[e] = way == 1 ? 0 : -s.W[e];
      dls_solver *solver;
      dls_solve_report report;
      double r[MOST] = {0};
      assert_int_equal(dls_solver_create(&s.problem, NULL, &solver, NULL), DLS_OK);
      if (way == 2) s.W[0] = NAN;  // later than validation sees it
      assert_int_equal(dls_solver_solve(solver, r, NULL, NULL, &report), DLS_OK);
      assert_false(report.converged);
      assert_true(report.stop != DLS_STOP_CONVERGED);
      dls_solver_free(solver);
    }
}

// A start that is not zero is measured first, and one that solves costs nothing.
static void starts(void **state)
{
  (void)state;
  small s;
  for (int t = 0; t < 100; t++) {
    at_case("t %d", t);
    draw(&s, 2 + t % 2, 1 + t % 3, t % 2, 10);
    double r[MOST] = {0}, again[MOST];
    solve(&s, NULL, r);
    memcpy(again, r, sizeof r);
    const dls_solve_report report = solve(&s, NULL, again);
    assert_true(report.converged);
    bool zero = true;
    for (int i = 0; i < MOST; i++) zero = zero && r[i] == 0;
    if (!zero && error_of(&s, r) < 9e-9) assert_int_equal(report.iterations, 0);
    again[0] = NAN;
    assert_true(solve(&s, NULL, again).converged);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scales),     cmocka_unit_test(watched), cmocka_unit_test(limits),
      cmocka_unit_test(bad_blocks), cmocka_unit_test(starts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
