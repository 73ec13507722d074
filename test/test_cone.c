// Conic programs with answers known by construction. Over all of them no claim may be wrong; how
// many end without a claim is counted and printed.
#include "numbers.h"
#include "conic_solve.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

typedef struct tally {
  int total, failed, loose, iterations, max_iterations;
  double worst;
} tally;

static answer solve(const conic *c)
{
  answer a = conic_answer(c);
  dls_cone *cone;
  assert_int_equal(conic_setup(c, NULL, &cone), DLS_OK);
  assert_int_equal(dls_cone_solve(cone, a.x, a.s, a.y, &a.report), DLS_OK);
  if (a.report.outcome == DLS_CONE_SOLVED || a.report.outcome == DLS_CONE_FAILED) {
    dls_cone_residuals again = dls_cone_measure(cone, a.x, a.s, a.y);
    assert_true(again.largest == a.report.residuals.largest);
    assert_true((a.report.outcome == DLS_CONE_SOLVED) == (again.largest <= 1e-8));
  }
  dls_cone_free(cone);
  return a;
}

static void count(tally *t, const answer *a, double error)
{
  t->total++;
  t->failed += a->report.outcome == DLS_CONE_FAILED;
  t->loose += a->report.outcome == DLS_CONE_SOLVED && a->report.residuals.largest > 1e-10;
  t->iterations += a->report.iterations;
  if (a->report.iterations > t->max_iterations) t->max_iterations = a->report.iterations;
  if (error > t->worst) t->worst = error;
}

static void tell(const char *name, const tally *t)
{
  print_message("%s: %d problems, %d without a claim, %d above 1e-10, %.1f iterations, at most %d, "
                "largest error %.1e\n",
                name, t->total, t->failed, t->loose, (double)t->iterations / t->total,
                t->max_iterations, t->worst);
}

// ---- by hand -----------------------------------------------------------------------------------

static void distance(void **state)
{
  (void)state;
  // min t with |(3, 4) - (u, v)| <= t and u = v = 0
  const int size[] = {3};
  conic c = conic_make(3, 2, 0, 1, size);
  c.A[0 + 1 * 5] = c.A[1 + 2 * 5] = 1;
  for (int k = 0; k < 3; k++) c.A[2 + k + k * 5] = -1;
  c.b[3] = -3, c.b[4] = -4, c.q[0] = 1;
  answer a = solve(&c);
  assert_int_equal(a.report.outcome, DLS_CONE_SOLVED);
  close_to(a.report.objective, 5, 1e-9), close_to(a.x[0], 5, 1e-9);
  close_to(a.y[0], 0.6, 1e-8), close_to(a.y[1], 0.8, 1e-8);
  close_to(a.y[2], 1, 1e-9), close_to(a.y[3], a.y[0], 1e-9);
  conic_drop(&a), conic_free(&c);
}

static void projection(void **state)
{
  (void)state;
  // min 1/2 |x - v|^2 with x in Q^d: apex, boundary and inside
  const int sizes[] = {1, 2, 3, 10, 200};
  for (int t = 0; t < 5; t++)
    for (int kind = 0; kind < 3; kind++) {
      at_case("t %d, kind %d", t, kind);
      int d = sizes[t];
      conic c = conic_make(d, 0, 0, 1, &d);
      double *rest = vector(d);
      for (int j = 0; j < d; j++) c.P[j + j * d] = 1, c.A[j + j * d] = -1, c.x[j] = uniform();
      c.x[0] = (kind - 1) * 1.5 * sqrt(d) + 0.1;
      for (int j = 0; j < d; j++) c.q[j] = -c.x[j];
      conic_project(&c, c.x, rest);
      answer a = solve(&c);
      assert_int_equal(a.report.outcome, DLS_CONE_SOLVED);
      for (int j = 0; j < d; j++) close_to(a.x[j], c.x[j], 1e-8), close_to(a.y[j], rest[j], 1e-8);
      conic_drop(&a), conic_free(&c), free(rest);
    }
}

static void empty(void **state)
{
  (void)state;
  for (int kind = 0; kind < 6; kind++) {
    at_case("kind %d", kind);
    // nothing; no rows with P, with a ray, without; no variables, feasible and not
    const int size[] = {2}, n[] = {0, 2, 2, 2, 0, 0};
    conic c = conic_make(n[kind], 0, kind > 3 ? 1 : 0, kind > 3 ? 1 : 0, size);
    if (kind == 1) c.P[0] = 2, c.P[3] = 1, c.q[0] = 2, c.q[1] = -3;
    if (kind == 2) c.P[0] = 1, c.q[0] = 5, c.q[1] = 1;
    if (kind > 3) c.b[0] = 1, c.b[1] = kind == 4 ? 3 : 1, c.b[2] = 2;
    answer a = solve(&c);
    const dls_cone_outcome outcome = kind == 2   ? DLS_CONE_DUAL_INFEASIBLE
                                     : kind == 5 ? DLS_CONE_PRIMAL_INFEASIBLE
                                                 : DLS_CONE_SOLVED;
    assert_int_equal(a.report.outcome, outcome);
    if (kind == 1) close_to(a.x[0], -1, 1e-9), close_to(a.x[1], 3, 1e-9);
    if (kind == 2) close_to(a.x[0], 0, 1e-9), close_to(a.x[1], -1, 1e-9);
    if (kind == 4) close_to(a.s[1], 3, 1e-9);
    if (kind == 5) assert_true(conic_farkas_error(&c, a.y) == 0);
    conic_drop(&a), conic_free(&c);
  }
}

static void homogeneous(void **state)
{
  (void)state;
  // without b, or without q, the zero vector is exact
  for (int t = 0; t < TRIED(200); t++) {
    at_case("t %d", t);
    conic c = conic_draw_shape(10, 4);
    conic_draw_matrices(&c, 0, 1);
    conic_solvable(&c);
    const bool no_q = t % 2;
    memset(no_q ? c.q : c.b, 0, (size_t)(no_q ? c.n : c.m) * sizeof(double));
    answer a = solve(&c);
    if (no_q) {
      assert_int_equal(a.report.outcome, DLS_CONE_SOLVED);
      for (int i = 0; i < c.m; i++) close_to(a.y[i], 0, 0);
    } else if (a.report.outcome == DLS_CONE_SOLVED) {
      for (int j = 0; j < c.n; j++) close_to(a.x[j], 0, 0);
    }
    assert_true(a.report.outcome != DLS_CONE_PRIMAL_INFEASIBLE);
    assert_true(a.report.outcome != DLS_CONE_FAILED);
    conic_drop(&a), conic_free(&c);
  }
}

static void weakly_infeasible(void **state)
{
  (void)state;
  // t = u and v = 1 in (t, u, v) of Q^3: feasible to any accuracy, for t large enough, but not
  // feasible. Whatever is claimed must be true to the accuracy that cone.h states.
  const int size[] = {3};
  conic c = conic_make(3, 2, 0, 1, size);
  c.A[0 + 0 * 5] = 1, c.A[0 + 1 * 5] = -1, c.A[1 + 2 * 5] = 1, c.b[1] = 1;
  for (int k = 0; k < 3; k++) c.A[2 + k + k * 5] = -1;
  answer a = solve(&c);
  if (a.report.outcome == DLS_CONE_PRIMAL_INFEASIBLE)
    assert_true(conic_farkas_error(&c, a.y) < 1e-8);
  else assert_int_equal(a.report.outcome, DLS_CONE_FAILED);
  conic_drop(&a), conic_free(&c);
}

static void far_away(void **state)
{
  (void)state;
  for (int k = 1; k <= 8; k++) {
    at_case("k %d", k);
    // x - z >= 1 and x <= (1 - 10^-k) z: feasible from z = -10^k on
    const double eps = pow(10, -k);
    conic c = conic_make(2, 0, 2, 0, NULL);
    c.A[0] = -1, c.A[2] = 1, c.b[0] = -1;
    c.A[1] = 1, c.A[3] = -(1 - eps);
    c.q[1] = -1;  // the largest z
    answer a = solve(&c);
    if (k < 5) assert_int_equal(a.report.outcome, DLS_CONE_SOLVED);
    if (a.report.outcome == DLS_CONE_SOLVED) close_to(a.x[1] * eps, -1, 1e-7);
    assert_int_not_equal(a.report.outcome, DLS_CONE_PRIMAL_INFEASIBLE);
    assert_int_not_equal(a.report.outcome, DLS_CONE_DUAL_INFEASIBLE);
    conic_drop(&a), conic_free(&c);

    // min 1/2 eps^2 x^2 + x with x <= 1: the minimum is at -eps^-2
    c = conic_make(1, 0, 1, 0, NULL);
    c.P[0] = eps * eps, c.q[0] = 1, c.A[0] = 1, c.b[0] = 1;
    a = solve(&c);
    assert_int_not_equal(a.report.outcome, DLS_CONE_DUAL_INFEASIBLE);
    if (a.report.outcome == DLS_CONE_SOLVED) close_to(a.x[0] * eps * eps, -1, 1e-6);
    conic_drop(&a), conic_free(&c);
  }
}

// ---- by construction ---------------------------------------------------------------------------

// What the point says about the value: sum of the sizes of its terms.
static double size_of_value(const conic *c, const double *x)
{
  double size = 1;
  for (int j = 0; j < c->n; j++) {
    size += fabs(c->q[j] * x[j]) + fabs(c->q[j] * c->x[j]);
    for (int i = 0; i < c->n; i++) size += fabs(x[i] * c->P[i + j * c->n] * x[j]);
  }
  for (int i = 0; i < c->m; i++) size += fabs(c->b[i] * c->y[i]);
  return size;
}

static void assert_solves(const conic *c, const answer *a, double tolerance, tally *t)
{
  if (a->report.outcome != DLS_CONE_FAILED) {
    assert_int_equal(a->report.outcome, DLS_CONE_SOLVED);
    double value = conic_value(c, c->x), size = size_of_value(c, a->x);
    close_to(a->report.objective, value, tolerance * size);
    close_to(a->report.objective, conic_value(c, a->x), 1e-13 * size);
  }
  count(t, a, a->report.outcome == DLS_CONE_SOLVED ? conic_error(c, a->x, a->s, a->y) : 0);
}

static void manufactured(void **state)
{
  (void)state;
  const char *const name[] = {"linear objective", "definite", "semidefinite", "sparse"};
  for (int kind = 0; kind < 4; kind++) {
    at_case("%s", name[kind]);
    tally t = {0};
    for (int k = 0; k < TRIED(500); k++) {
      conic c = conic_draw_shape(25, 8);
      int rank = kind == 0 ? 0 : kind == 1 ? c.n : below(c.n + 1);
      conic_draw_matrices(&c, rank, kind == 3 ? 0.3 : 1);
      conic_solvable(&c);
      answer a = solve(&c);
      assert_solves(&c, &a, 1e-8, &t);
      conic_drop(&a), conic_free(&c);
    }
    tell(name[kind], &t);
    assert_int_equal(t.failed, 0);
    assert_true(t.loose <= 7 && t.worst < 1e-9);
  }
}

static void unique(void **state)
{
  (void)state;
  // P >= I: x is the one that was drawn
  double worst = 0;
  for (int k = 0; k < TRIED(300); k++) {
    at_case("k %d", k);
    conic c = conic_draw_shape(20, 8);
    conic_draw_matrices(&c, c.n, 1);
    for (int j = 0; j < c.n; j++) c.P[j + j * c.n] += 1;
    conic_solvable(&c);
    answer a = solve(&c);
    assert_int_equal(a.report.outcome, DLS_CONE_SOLVED);
    double error = 0;
    for (int j = 0; j < c.n; j++) error = fmax(error, fabs(a.x[j] - c.x[j]));
    // 1/2 |x - x*|^2 is at most the gap
    assert_true(error < sqrt(2e-10 * size_of_value(&c, a.x)));
    worst = fmax(worst, error);
    conic_drop(&a), conic_free(&c);
  }
  print_message("unique: x to %.1e\n", worst);
}

static void degenerate(void **state)
{
  (void)state;
  tally t = {0};
  for (int k = 0; k < TRIED(1000); k++) {
    at_case("k %d", k);
    conic c = conic_draw_shape(20, 8);
    conic_draw_matrices(&c, k % 2 ? below(c.n + 1) : 0, k % 3 ? 1 : 0.4);
    conic_degenerate(&c);
    answer a = solve(&c);
    assert_solves(&c, &a, 1e-5, &t);
    conic_drop(&a), conic_free(&c);
  }
  tell("degenerate", &t);
  assert_true(t.failed <= 5);
}

static void other_units(void **state)
{
  (void)state;
  // rows, cones and variables in units from 1e-8 to 1e8
  tally t = {0};
  for (int k = 0; k < TRIED(600); k++) {
    at_case("k %d", k);
    conic c = conic_draw_shape(20, 6);
    conic_draw_matrices(&c, k % 2 ? below(c.n + 1) : 0, 1);
    conic_solvable(&c);
    double value = conic_value(&c, c.x), size = size_of_value(&c, c.x);
    conic_change_units(&c, 26);
    close_to(conic_value(&c, c.x), value, 1e-11 * size);
    answer a = solve(&c);
    count(&t, &a, 0);
    if (a.report.outcome != DLS_CONE_FAILED) {
      assert_int_equal(a.report.outcome, DLS_CONE_SOLVED);
      close_to(a.report.objective, value, 1e-7 * size);
    }
    conic_drop(&a), conic_free(&c);
  }
  tell("other units", &t);
  assert_true(t.failed <= 6);
}

static void infeasible(void **state)
{
  (void)state;
  for (int kind = 0; kind < 3; kind++) {  // linear objective, quadratic, other units
    at_case("kind %d", kind);
    tally t = {0};
    for (int k = 0; k < TRIED(500); k++) {
      conic c = conic_draw_shape(25, 8);
      conic_draw_matrices(&c, kind == 1 ? below(c.n) : 0, 1);
      if (c.m > 1) {
        conic_infeasible(&c);
        if (kind == 2) conic_change_units(&c, 20);
        answer a = solve(&c);
        double error = 0;
        if (a.report.outcome == DLS_CONE_PRIMAL_INFEASIBLE) {
          error = kind == 2 ? 0 : conic_farkas_error(&c, a.y);
          assert_true(isinf(a.report.objective) && a.report.objective > 0);
          assert_true(a.report.certificate <= 1e-9);
        } else if (a.report.outcome == DLS_CONE_DUAL_INFEASIBLE) {  // it may be both
          error = kind == 2 ? 0 : conic_ray_error(&c, a.x, a.s);
        }
        assert_true(a.report.outcome != DLS_CONE_SOLVED);
        count(&t, &a, error);
        conic_drop(&a);
      }
      conic_free(&c);
    }
    tell("infeasible", &t);
    assert_true(t.failed <= 3 && t.worst < (kind == 1 ? 1e-3 : 1e-8));
  }
}

static void unbounded(void **state)
{
  (void)state;
  for (int kind = 0; kind < 3; kind++) {
    at_case("kind %d", kind);
    tally t = {0};
    for (int k = 0; k < TRIED(500); k++) {
      conic c = conic_draw_shape(25, 8);
      conic_draw_matrices(&c, kind == 1 ? below(c.n) : 0, 1);
      conic_unbounded(&c);
      if (kind == 2) conic_change_units(&c, 20);
      answer a = solve(&c);
      if (a.report.outcome != DLS_CONE_FAILED) {
        assert_int_equal(a.report.outcome, DLS_CONE_DUAL_INFEASIBLE);
        assert_true(isinf(a.report.objective) && a.report.objective < 0);
        assert_true(a.report.certificate <= 1e-9);
      }
      bool judged = kind < 2 && a.report.outcome != DLS_CONE_FAILED;
      count(&t, &a, judged ? conic_ray_error(&c, a.x, a.s) : 0);
      conic_drop(&a), conic_free(&c);
    }
    tell("unbounded", &t);
    assert_true(t.failed <= 3 && t.worst < (kind == 1 ? 1e-3 : 1e-8));
  }
}

// ---- calls -------------------------------------------------------------------------------------

static void updates(void **state)
{
  (void)state;
  for (int k = 0; k < TRIED(100); k++) {
    at_case("k %d", k);
    conic c = conic_draw_shape(15, 6);
    conic_draw_matrices(&c, k % 2 ? c.n : 0, 1);
    conic_solvable(&c);
    answer a = conic_answer(&c);
    dls_cone *cone;
    assert_int_equal(conic_setup(&c, NULL, &cone), DLS_OK);
    for (int round = 0; round < 3; round++) {
      assert_int_equal(dls_cone_solve(cone, a.x, a.s, a.y, &a.report), DLS_OK);
      answer fresh = solve(&c);
      assert_int_equal(a.report.outcome, fresh.report.outcome);
      assert_int_equal(a.report.iterations, fresh.report.iterations);
      assert_memory_equal(a.x, fresh.x, (size_t)c.n * sizeof(double));
      assert_memory_equal(a.y, fresh.y, (size_t)c.m * sizeof(double));
      conic_drop(&fresh);
      if (round == 0) conic_solvable(&c);
      if (round == 1)
        for (int i = 0; i < c.m; i++) c.b[i] *= 1e5;
      assert_int_equal(dls_cone_update_q(cone, c.q), DLS_OK);
      assert_int_equal(dls_cone_update_b(cone, c.b), DLS_OK);
    }
    c.q[0] = NAN;
    assert_int_equal(dls_cone_update_q(cone, c.q), DLS_ERR_NUMBER);
    if (c.m > 0) {
      c.b[0] = INFINITY;
      assert_int_equal(dls_cone_update_b(cone, c.b), DLS_ERR_NUMBER);
    }
    assert_int_equal(dls_cone_solve(cone, a.x, a.s, a.y, &a.report), DLS_OK);
    dls_cone_free(cone);
    conic_drop(&a), conic_free(&c);
  }
}

static void bad_input(void **state)
{
  (void)state;
  const int size[] = {3};
  conic c = conic_make(3, 1, 1, 1, size);
  conic_draw_matrices(&c, 3, 1);
  conic_solvable(&c);
  dls_cone *cone;
  double *const places[] = {c.P, c.A, c.q, c.b};
  for (int k = 0; k < 8; k++) {
    at_case("k %d", k);
    double kept = places[k % 4][0];
    places[k % 4][0] = k < 4 ? NAN : INFINITY;
    assert_int_equal(conic_setup(&c, NULL, &cone), DLS_ERR_NUMBER);
    assert_null(cone);
    places[k % 4][0] = kept;
  }
  conic wrong = c;
  wrong.size[0] = 2;  // the sizes do not add up
  assert_int_equal(conic_setup(&wrong, NULL, &cone), DLS_ERR_ARGUMENT);
  wrong.size[0] = 0;
  assert_int_equal(conic_setup(&wrong, NULL, &cone), DLS_ERR_ARGUMENT);
  wrong = c, wrong.zero = -1;
  assert_int_equal(conic_setup(&wrong, NULL, &cone), DLS_ERR_ARGUMENT);
  dls_cone_options options = dls_cone_defaults();
  options.tolerance = NAN;
  assert_int_equal(conic_setup(&c, &options, &cone), DLS_ERR_ARGUMENT);

  // P indefinite: a negative diagonal, a pivot that is, a zero diagonal in a row that is not zero
  const double P[3][9] = {
      {1, 0, 0, 0, -1, 0, 0, 0, 1}, {1, 2, 0, 2, 1, 0, 0, 0, 1}, {1, 0, 1, 0, 1, 0, 1, 0, 0}};
  for (int k = 0; k < 3; k++) {
    at_case("k %d", k);
    memcpy(c.P, P[k], sizeof P[k]);
    assert_int_equal(conic_setup(&c, NULL, &cone), DLS_ERR_ARGUMENT);
  }
  dls_cone_free(NULL);
  conic_free(&c);
}

static void limits(void **state)
{
  (void)state;
  // stopped early: no claim, and the true residuals of what is returned
  conic c = conic_draw_shape(20, 8);
  conic_draw_matrices(&c, 0, 1);
  conic_solvable(&c);
  dls_cone_options options = dls_cone_defaults();
  for (options.max_iterations = 0; options.max_iterations < 4; options.max_iterations++) {
    answer a = conic_answer(&c);
    dls_cone *cone;
    assert_int_equal(conic_setup(&c, &options, &cone), DLS_OK);
    assert_int_equal(dls_cone_solve(cone, a.x, a.s, a.y, &a.report), DLS_OK);
    assert_int_equal(a.report.outcome, DLS_CONE_FAILED);
    assert_int_equal(a.report.iterations, options.max_iterations);
    assert_true(a.report.residuals.largest > 1e-8);
    assert_true(a.report.residuals.largest == dls_cone_measure(cone, a.x, a.s, a.y).largest);
    a.x[0] = NAN;
    assert_true(isnan(dls_cone_measure(cone, a.x, a.s, a.y).largest));
    dls_cone_free(cone);
    conic_drop(&a);
  }
  conic_free(&c);
}

// The measure sees each kind of fault.
static void measures(void **state)
{
  (void)state;
  const int size[] = {3, 2};
  conic c = conic_make(5, 1, 2, 2, size);
  conic_draw_matrices(&c, 5, 1);
  conic_solvable(&c);
  dls_cone *cone;
  assert_int_equal(conic_setup(&c, NULL, &cone), DLS_OK);
  assert_true(dls_cone_measure(cone, c.x, c.s, c.y).largest < 1e-14);
  for (int i = 0; i < c.m; i++) {
    double kept = c.s[i];
    c.s[i] += 1e-3;
    dls_cone_residuals r = dls_cone_measure(cone, c.x, c.s, c.y);
    assert_true(r.primal > 1e-5 && r.dual < 1e-14);
    if (i == 0) assert_true(r.cone > 1e-5);
    c.s[i] = kept, kept = c.y[i], c.y[i] -= 1e-3;
    r = dls_cone_measure(cone, c.x, c.s, c.y);
    assert_true(r.primal < 1e-14 && r.dual > 1e-5);
    c.y[i] = kept;
  }
  // feasible for both, but not complementary
  for (int j = 0; j < c.n; j++) c.q[j] = 0;
  c.s[1] = c.y[1] = 1;
  double *b = vector(c.m), *q = vector(c.n);
  for (int j = 0; j < c.n; j++)
    for (int i = 0; i < c.m; i++)
      b[i] += c.A[i + j * c.m] * c.x[j], q[j] -= c.A[i + j * c.m] * c.y[i];
  for (int j = 0; j < c.n; j++)
    for (int i = 0; i < c.n; i++) q[i] -= c.P[i + j * c.n] * c.x[j];
  for (int i = 0; i < c.m; i++) b[i] += c.s[i];
  dls_cone_update_q(cone, q), dls_cone_update_b(cone, b);
  dls_cone_residuals r = dls_cone_measure(cone, c.x, c.s, c.y);
  assert_true(r.primal < 1e-14 && r.dual < 1e-14 && r.cone < 1e-14 && r.gap > 1e-3);
  dls_cone_free(cone);
  conic_free(&c), free(b), free(q);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(distance),
      cmocka_unit_test(projection),
      cmocka_unit_test(empty),
      cmocka_unit_test(homogeneous),
      cmocka_unit_test(weakly_infeasible),
      cmocka_unit_test(far_away),
      cmocka_unit_test(manufactured),
      cmocka_unit_test(unique),
      cmocka_unit_test(degenerate),
      cmocka_unit_test(other_units),
      cmocka_unit_test(infeasible),
      cmocka_unit_test(unbounded),
      cmocka_unit_test(updates),
      cmocka_unit_test(bad_input),
      cmocka_unit_test(limits),
      cmocka_unit_test(measures),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
