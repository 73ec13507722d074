// Every solver of the table, on incremental problems with known solutions and on bad input. What a
// solver reports is recomputed here from the problem's data.
#include "incremental_maker.h"
#include "numbers.h"
#include <delassus/delassus.h>

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

typedef struct outcome {
  dls_solve_report report;
  double *r, *v;
} outcome;

static void outcome_free(outcome *o)
{
  free(o->r), free(o->v);
}

// Whether a method takes a problem. The pyramid is only near to what is asked for here, and `pile`
// is for bodies (test_bodies.c).
static bool takes(int method, const dls_incremental *p)
{
  const dls_solver_info *info = dls_solver_info_at(method);
  if (strcmp(info->name, "lemke-pyramid") == 0 && p->dimension == 3) return false;
  if (strcmp(info->name, "pile") == 0) return false;
  return p->global ? info->global : info->local;
}

// Solves from the start r (NULL: zero) and checks the report against the data.
static outcome solve(const dls_incremental *p, dls_solve_options options, const double *start)
{
  const int rows = dls_incremental_rows(p);
  outcome o = {.r = vector(rows), .v = vector(p->dof)};
  dls_solver *solver = NULL;
  dls_message message;
  assert_int_equal(dls_solver_create(p, &options, &solver, &message), DLS_OK);
  if (start) memcpy(o.r, start, (size_t)rows * sizeof(double));
  double *u = vector(rows), *again = vector(rows), norm;
  assert_int_equal(dls_solver_solve(solver, o.r, o.v, u, &o.report), DLS_OK);
  dls_incremental_error error;
  assert_int_equal(dls_incremental_scale(p, &norm), DLS_OK);
  assert_int_equal(dls_incremental_residual(p, norm, o.r, o.v, again, &error), DLS_OK);
  close_to(error.q, o.report.error.q, 1e-12 + 1e-6 * error.q);
  close_to(error.largest, o.report.error.largest, 1e-12 + 1e-6 * error.largest);
  for (int i = 0; i < rows; i++) close_to(u[i], again[i], 1e-9 * (norm + fabs(u[i])));
  const bool good = error.largest <= options.tolerance;
  assert_int_equal(o.report.converged, good);
  assert_int_equal(o.report.stop == DLS_STOP_CONVERGED, good);
  int last = -1;
  for (int k = 0; k < o.report.moments; k++) {
    const dls_solve_sample *m = &o.report.history[k];
    assert_true(m->iteration > last && m->iteration <= o.report.iterations);
    assert_non_null(dls_solver_find(m->solver));
    last = m->iteration;
  }
  if (options.history > 0) assert_true(o.report.moments > 0);
  free(u), free(again);
  dls_solver_free(solver);
  return o;
}

static dls_solve_options options_of(int method)
{
  dls_solve_options o = dls_solve_defaults();
  o.solver = dls_solver_info_at(method)->name;
  o.history = 40;
  return o;
}

// ---- known solutions ---------------------------------------------------------------------------

static const made_shape shapes[] = {
    {.dimension = 3, .contacts = 6, .dof = 40},
    {.dimension = 3, .contacts = 6, .dof = 9},  // half the rank
    {.dimension = 3, .contacts = 5, .equations = 4, .dof = 40, .frictionless = true},
    {.dimension = 3, .contacts = 5, .dof = 30, .skew = 1e-3},
    {.dimension = 2, .contacts = 7, .equations = 3, .dof = 30, .frictionless = true},
    {.dimension = 2, .contacts = 8, .dof = 8},
    {.dimension = 3, .contacts = 6, .dof = 30, .global = true},
    {.dimension = 3,
     .contacts = 6,
     .equations = 2,
     .dof = 12,
     .global = true,
     .frictionless = true},
    {.dimension = 2, .contacts = 6, .equations = 1, .dof = 20, .global = true},
    {.dimension = 3, .contacts = 1, .dof = 6},
    {.dimension = 3, .contacts = 1, .dof = 6, .global = true},
};
enum { SHAPES = (int)(sizeof shapes / sizeof *shapes), TURNS = 5 };

// Methods may fail, honestly, now and then; not often on problems of this size.
static void known_solutions(void **state)
{
  (void)state;
  int solved[64] = {0}, drawn[64] = {0};
  assert_true(dls_solver_count() <= 64);
  for (int turn = 0; turn < TURNS; turn++)
    for (int s = 0; s < SHAPES; s++) {
      at_case("turn %d, s %d", turn, s);
      made_problem *m = made_create(&shapes[s]);
      for (int k = 0; k < dls_solver_count(); k++) {
        if (!takes(k, &m->problem)) continue;
        outcome o = solve(&m->problem, options_of(k), NULL);
        solved[k] += o.report.converged, drawn[k]++;
        if (getenv("METHODS_TELL") && !o.report.converged)
          print_message("shape %d turn %d %s: %.1e after %d, %s\n", s, turn,
                        dls_solver_info_at(k)->name, o.report.error.q, o.report.iterations,
                        dls_stop_text(o.report.stop));
        outcome_free(&o);
      }
      made_free(m);
    }
  for (int k = 0; k < dls_solver_count(); k++)
    if (10 * solved[k] < 9 * drawn[k])
      fail_msg("%s solves %d of %d", dls_solver_info_at(k)->name, solved[k], drawn[k]);
}

// Right derivatives make few steps, whatever else saves a method with wrong ones.
static void quick(void **state)
{
  (void)state;
  const struct {
    const char *name;
    double most;  // iterations, on average
  } limits[] = {{"newton-ac", 7}, {"newton-fb", 7}, {"proximal", 9}, {"interior", 17.2}};
  enum { PROBLEMS = 40 };
  for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) {
    at_case("%s", limits[k].name);
    int total = 0, solved = 0;
    for (int turn = 0; turn < PROBLEMS; turn++) {
      made_problem *m = made_create(
          &(made_shape){.dimension = 3, .contacts = 12, .dof = 60, .global = turn % 2 == 1});
      dls_solve_options options = dls_solve_defaults();
      options.solver = limits[k].name, options.tolerance = 1e-11;
      outcome o = solve(&m->problem, options, NULL);
      total += o.report.iterations, solved += o.report.converged;
      outcome_free(&o);
      made_free(m);
    }
    if (getenv("METHODS_TELL"))
      print_message("%s: %g, %d\n", limits[k].name, (double)total / PROBLEMS, solved);
    assert_true(10 * solved >= 9 * PROBLEMS);
    if (total > limits[k].most * PROBLEMS)
      fail_msg("%s takes %g iterations", limits[k].name, (double)total / PROBLEMS);
  }
}

// The maker itself: its solution has no residual, and a wrong one has.
static void maker(void **state)
{
  (void)state;
  for (int s = 0; s < SHAPES; s++) {
    at_case("s %d", s);
    made_problem *m = made_create(&shapes[s]);
    dls_incremental_error error;
    double norm;
    assert_int_equal(dls_incremental_validate(&m->problem, NULL), DLS_OK);
    assert_int_equal(dls_incremental_scale(&m->problem, &norm), DLS_OK);
    assert_int_equal(dls_incremental_residual(&m->problem, norm, m->r, m->v, NULL, &error), DLS_OK);
    assert_true(error.q < 1e-13 && error.largest < 1e-11);
    for (int i = 0; i < m->rows; i++) m->r[i] += 0.1;
    assert_int_equal(dls_incremental_residual(&m->problem, norm, m->r, m->v, NULL, &error), DLS_OK);
    assert_true(error.q > 1e-6);
    made_free(m);
  }
}

static void warm_start(void **state)
{
  (void)state;
  for (int s = 0; s < SHAPES; s++) {
    at_case("s %d", s);
    made_problem *m = made_create(&shapes[s]);
    for (int k = 0; k < dls_solver_count(); k++) {
      if (!takes(k, &m->problem)) continue;
      outcome o = solve(&m->problem, options_of(k), m->r);
      assert_true(o.report.converged && o.report.iterations <= 1);
      outcome_free(&o);
    }
    made_free(m);
  }
}

// Units of force and velocity change nothing but, where forces are huge, the rounding.
static void scales(void **state)
{
  (void)state;
  const double size[] = {1e-8, 1, 1e8};
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++)
      for (int global = 0; global < 2; global++) {
        at_case("a %d, b %d, global %d", a, b, global);
        made_problem *m = made_create(&(made_shape){.dimension = 3,
                                                    .contacts = 4,
                                                    .dof = 24,
                                                    .global = global,
                                                    .W = size[a],
                                                    .q = size[b]});
        for (int k = 0; k < dls_solver_count(); k++) {
          if (!takes(k, &m->problem)) continue;
          dls_solve_options options = options_of(k);
          options.tolerance = 1e-6;
          outcome o = solve(&m->problem, options, NULL);
          if (!o.report.converged)
            fail_msg("%s at scales %g, %g: %g", options.solver, size[a], size[b], o.report.error.q);
          outcome_free(&o);
        }
        made_free(m);
      }
}

// ---- edges -------------------------------------------------------------------------------------

static void nothing(void **state)
{
  (void)state;
  for (int global = 0; global < 2; global++) {
    at_case("global %d", global);
    made_problem *none = made_create(&(made_shape){.dimension = 3, .dof = 4, .global = global});
    made_problem *bilateral =
        made_create(&(made_shape){.dimension = 3, .equations = 4, .dof = 9, .global = global});
    for (int k = 0; k < dls_solver_count(); k++) {
      if (!takes(k, &none->problem)) continue;
      outcome o = solve(&none->problem, options_of(k), NULL);
      assert_true(o.report.converged && o.report.iterations == 0);
      outcome_free(&o);
      o = solve(&bilateral->problem, options_of(k), NULL);
      if (!o.report.converged) fail_msg("%s: equations alone", dls_solver_info_at(k)->name);
      outcome_free(&o);
    }
    made_free(none), made_free(bilateral);
  }
}

static void not_a_number(void **state)
{
  (void)state;
  made_problem *m = made_create(&shapes[0]);
  for (int k = 0; k < dls_solver_count(); k++) {
    at_case("k %d", k);
    if (!takes(k, &m->problem)) continue;
    const dls_solve_options options = options_of(k);
    dls_solver *solver = NULL;
    dls_message message;
    const double q = m->q[2];
    m->q[2] = NAN;
    assert_int_equal(dls_solver_create(&m->problem, &options, &solver, &message), DLS_ERR_NUMBER);
    assert_null(solver);
    // numbers may change after the creation: no answer then, but no claim either
    m->q[2] = q;
    assert_int_equal(dls_solver_create(&m->problem, &options, &solver, &message), DLS_OK);
    m->q[2] = NAN;
    double *r = vector(m->rows);
    dls_solve_report report;
    assert_int_equal(dls_solver_solve(solver, r, NULL, NULL, &report), DLS_OK);
    assert_false(report.converged);
    assert_int_not_equal(report.stop, DLS_STOP_CONVERGED);
    // and the solver has not been spoilt
    m->q[2] = q;
    memset(r, 0, (size_t)m->rows * sizeof(double));
    assert_int_equal(dls_solver_solve(solver, r, NULL, NULL, &report), DLS_OK);
    if (!report.converged) fail_msg("%s after a NaN", options.solver);
    free(r);
    dls_solver_free(solver);
  }
  made_free(m);
}

static bool third(void *self, int iteration, double error, const char *solver)
{
  assert_true(iteration >= 0 && error >= 0 && dls_solver_find(solver));
  return ++*(int *)self == 3;
}

static void limits(void **state)
{
  (void)state;
  made_problem *m = made_create(&shapes[0]);
  for (int k = 0; k < dls_solver_count(); k++) {
    at_case("k %d", k);
    if (!takes(k, &m->problem)) continue;
    dls_solve_options options = options_of(k);
    int calls = 0;
    options.tolerance = 0;  // out of reach
    options.watch = third, options.self = &calls;
    outcome o = solve(&m->problem, options, NULL);
    assert_int_equal(o.report.stop, DLS_STOP_INTERRUPTED);
    assert_int_equal(calls, 3);
    outcome_free(&o);
    options.watch = NULL, options.max_iterations = 2;
    o = solve(&m->problem, options, NULL);
    assert_int_equal(o.report.stop, DLS_STOP_ITERATIONS);
    assert_int_equal(o.report.iterations, 2);
    outcome_free(&o);
  }
  made_free(m);
}

// No force can hold two equations that contradict each other: nobody may claim that one does.
static void without_solution(void **state)
{
  (void)state;
  const int p[] = {0, 2, 4}, i[] = {0, 1, 0, 1};
  const double W[] = {1, 1, 1, 1}, q[] = {1, -1};
  const dls_incremental problem = {.dimension = 3, .equations = 2, .W = {{2, 2, p, i}, W}, .q = q};
  for (int k = 0; k < dls_solver_count(); k++) {
    at_case("k %d", k);
    if (!takes(k, &problem)) continue;
    dls_solve_options options = options_of(k);
    options.max_iterations = 200;
    outcome o = solve(&problem, options, NULL);
    assert_false(o.report.converged);
    assert_true(o.report.error.q > 0.5);
    outcome_free(&o);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(maker),
      cmocka_unit_test(known_solutions),
      cmocka_unit_test(quick),
      cmocka_unit_test(warm_start),
      cmocka_unit_test(scales),
      cmocka_unit_test(nothing),
      cmocka_unit_test(not_a_number),
      cmocka_unit_test(limits),
      cmocka_unit_test(without_solution),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
