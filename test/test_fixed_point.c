// Anderson's acceleration on linear fixed points, and the fixed point of slips: what it counts.
#include "incremental_maker.h"
#include "numbers.h"
#include "solve/fixed_point.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

enum { N = 4 };

// g = A x + b, A with rows that sum to less than 1
static void apply(const double *A, const double *b, const double *x, double *g)
{
  for (int i = 0; i < N; i++) {
    g[i] = b[i];
    for (int j = 0; j < N; j++) g[i] += A[i + N * j] * x[j];
  }
}

static double steps_to(dls_anderson *a, const double *weight, const double *A, const double *b,
                       int steps)
{
  double x[N] = {0}, g[N], worst = 0;
  for (int k = 0; k < steps; k++) {
    apply(A, b, x, g);
    dls_anderson_step(a, weight, x, g, x);
  }
  apply(A, b, x, g);
  for (int i = 0; i < N; i++) worst = fmax(worst, fabs(g[i] - x[i]));
  return worst;
}

// N differences determine a linear map: the step after them is exact.
static void linear(void **state)
{
  (void)state;
  for (int turn = 0; turn < 50; turn++) {
    at_case("turn %d", turn);
    dls_arena *arena = dls_arena_create();
    dls_anderson *a = dls_anderson_create(NULL, arena, N, 6);
    assert_non_null(a);
    double A[N * N], b[N], weight[N];
    for (int k = 0; k < N * N; k++) A[k] = 0.24 * uniform();
    for (int i = 0; i < N; i++) b[i] = uniform(), weight[i] = 1.5 + uniform();
    dls_anderson_restart(a, 6);
    assert_true(steps_to(a, turn % 2 ? weight : NULL, A, b, N + 1) < 1e-7);
    dls_anderson_restart(a, 0);  // no memory: x <- G(x)
    double x[N] = {0}, g[N];
    apply(A, b, x, g);
    assert_false(dls_anderson_step(a, NULL, x, g, x));
    for (int i = 0; i < N; i++) assert_true(x[i] == g[i]);
    dls_arena_free(arena);
  }
}

static void not_finite(void **state)
{
  (void)state;
  dls_arena *arena = dls_arena_create();
  dls_anderson *a = dls_anderson_create(NULL, arena, N, 3);
  assert_non_null(a);
  dls_anderson_restart(a, 3);
  double x[N] = {0}, g[N] = {1, 2, 3, 4}, next[N];
  assert_false(dls_anderson_step(a, NULL, x, g, next));
  assert_false(dls_anderson_step(a, NULL, x, g, next));  // nothing has changed: nothing to combine
  for (int i = 0; i < N; i++) assert_true(next[i] == g[i]);
  g[1] = NAN;
  assert_false(dls_anderson_step(a, NULL, x, g, next));
  assert_true(isnan(next[1]) && next[0] == 1);
  dls_arena_free(arena);
}

typedef struct counted {
  int problems, inner;
  double first, last, error;
} counted;

static counted count(const dls_incremental *p, const char *name, int memory, double tolerance)
{
  dls_solve_options options = dls_solve_defaults();
  options.solver = name, options.tolerance = 0, options.max_iterations = 1000000;
  dls_solver *solver;
  assert_int_equal(dls_solver_create(p, &options, &solver, NULL), DLS_OK);
  dls_fixed_point *f = dls_solver_self(solver);
  f->memory = memory, f->tolerance = tolerance, f->polish = false, f->inner_tolerance = 1e-9;
  f->most = 100;
  double *r = vector(dls_incremental_rows(p));
  dls_solve_report report;
  assert_int_equal(dls_solver_solve(solver, r, NULL, NULL, &report), DLS_OK);
  assert_true(f->problems >= 1 && f->problems <= 100 && f->inner >= f->problems);
  const counted c = {f->problems, f->inner, f->history[0], f->history[f->problems - 1],
                     report.error.q};
  free(r);
  dls_solver_free(solver);
  return c;
}

// Both solvers of the convex problems see the same loop, and its end solves the whole problem.
static void tangents(void **state)
{
  (void)state;
  int plain = 0, accelerated = 0;
  for (int turn = 0; turn < 10; turn++) {
    at_case("turn %d", turn);
    made_problem *m = made_create(&(made_shape){.dimension = 3, .contacts = 5, .dof = 40});
    const counted g = count(&m->problem, "cvx-apgd", 0, 1e-6);
    const counted i = count(&m->problem, "cvx-interior", 0, 1e-6);
    const counted a = count(&m->problem, "cvx-apgd", 5, 1e-6);
    close_to(g.first, i.first, 1e-6);
    assert_in_range(g.problems - i.problems + 1, 0, 2);
    assert_true(g.last <= 1e-6 && i.last <= 1e-6 && a.last <= 1e-6);
    assert_true(g.error < 1e-4 && i.error < 1e-4 && a.error < 1e-4);
    plain += g.problems, accelerated += a.problems;
    made_free(m);
  }
  assert_true(plain > 20 && accelerated < plain);
}

// Without friction there is nothing to find: one problem.
static void frictionless(void **state)
{
  (void)state;
  made_problem *m = made_create(&(made_shape){.dimension = 3, .contacts = 4, .dof = 40});
  for (int i = 0; i < 4; i++) m->mu[i] = 0;
  assert_int_equal(count(&m->problem, "cvx-apgd", 5, 1e-6).problems, 1);
  assert_int_equal(count(&m->problem, "cvx-interior", 5, 1e-6).problems, 1);
  made_free(m);
}

// From the slips of the solution one convex problem is enough; from others it is not.
static void warm_start(void **state)
{
  (void)state;
  for (int turn = 0; turn < 5; turn++) {
    at_case("turn %d", turn);
    made_problem *m = made_create(&(made_shape){.dimension = 3, .contacts = 5, .dof = 40});
    double slip[5], other[5];
    for (int c = 0; c < 5; c++)
      slip[c] = hypot(m->u[3 * c + 1], m->u[3 * c + 2]), other[c] = slip[c] + 1;
    const double *starts[] = {slip, other};
    for (int k = 0; k < 2; k++) {
      dls_solve_options options = dls_solve_defaults();
      options.solver = "cvx-apgd", options.tolerance = 0, options.max_iterations = 1000000;
      dls_solver *solver;
      assert_int_equal(dls_solver_create(&m->problem, &options, &solver, NULL), DLS_OK);
      dls_fixed_point *f = dls_solver_self(solver);
      f->memory = 0, f->tolerance = 1e-6, f->polish = false, f->inner_tolerance = 1e-9;
      f->start = starts[k], f->most = 100;
      double *r = vector(m->rows);
      dls_solve_report report;
      assert_int_equal(dls_solver_solve(solver, r, NULL, NULL, &report), DLS_OK);
      assert_true(k == 0 ? f->problems == 1 : f->problems > 1);
      free(r);
      dls_solver_free(solver);
    }
    made_free(m);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(linear), cmocka_unit_test(not_finite),
                                     cmocka_unit_test(tangents), cmocka_unit_test(warm_start),
                                     cmocka_unit_test(frictionless)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
