// Alternating directions with a spectral penalty: the first penalty is what the eigenvalues say,
// units do not matter, and the penalty does not change for ever.
#include "incremental_maker.h"
#include "numbers.h"
#include "solve/admm.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "cases.h"

enum { MOST = 40 };  // changes of the penalty

typedef struct counted {
  int iterations, factorizations;
  double rho, error;
  bool converged;
} counted;

static counted count(const dls_incremental *p, double tolerance, int most, int changes)
{
  dls_solve_options options = dls_solve_defaults();
  options.solver = "admm", options.tolerance = tolerance, options.max_iterations = most;
  dls_solver *solver;
  assert_int_equal(dls_solver_create(p, &options, &solver, NULL), DLS_OK);
  double *r = vector(dls_incremental_rows(p)), *v = vector(p->dof);
  double *u = vector(dls_incremental_rows(p)), norm;
  dls_solve_report report;
  dls_admm *a = dls_solver_self(solver);
  assert_int_equal(a->changes, MOST);
  a->changes = changes;
  assert_int_equal(dls_solver_solve(solver, r, v, NULL, &report), DLS_OK);
  const counted c = {report.iterations, a->factorizations, a->rho, report.error.q,
                     report.converged};
  // what converged is what the data say
  dls_incremental_error error;
  assert_int_equal(dls_incremental_scale(p, &norm), DLS_OK);
  assert_int_equal(dls_incremental_residual(p, norm, r, v, u, &error), DLS_OK);
  assert_int_equal(c.converged, error.largest <= tolerance);
  free(r), free(v), free(u);
  dls_solver_free(solver);
  return c;
}

// eq (adm.3): three steps see all of diag(a, b, c), and the mean is (a b c)^(1/3) / |W|.
static void first_penalty(void **state)
{
  (void)state;
  const int p[4] = {0, 1, 2, 3}, row[3] = {0, 1, 2};
  const double mu = 0.5;
  for (int turn = 0; turn < 20; turn++) {
    at_case("turn %d", turn);
    double W[3], q[3], product = 1, square = 0;
    for (int i = 0; i < 3; i++) {
      W[i] = 1.5 + uniform(), q[i] = (i == 0 ? -1 : 1) * (1.5 + uniform());
      product *= W[i], square += W[i] * W[i];
    }
    const dls_incremental problem = {
        .dimension = 3, .contacts = 1, .mu = &mu, .q = q, .W = {{3, 3, p, row}, W}};
    const counted c = count(&problem, 0, 2, MOST);
    assert_int_equal(c.factorizations, 1);
    close_to(c.rho, cbrt(product) / sqrt(square), 1e-9);
  }
}

// Powers of two as units of force and of velocity: the same passes, to the last bit.
static void units(void **state)
{
  (void)state;
  for (int turn = 0; turn < 10; turn++) {
    at_case("turn %d", turn);
    made_problem *m = made_create(&(made_shape){.dimension = 3, .contacts = 6, .dof = 12});
    const counted before = count(&m->problem, 1e-8, 0, MOST);
    for (int i = 0; i < m->problem.W.pattern.p[m->rows]; i++) m->values[0][i] *= 64;
    for (int i = 0; i < m->rows; i++) m->q[i] *= 8;
    const counted after = count(&m->problem, 1e-8, 0, MOST);
    assert_int_equal(before.iterations, after.iterations);
    assert_int_equal(before.factorizations, after.factorizations);
    assert_true(before.rho == after.rho);
    made_free(m);
  }
}

enum { D3 = 3, CONTACTS = 2, ROWS = D3 * CONTACTS };

// dg = a D dx and dy = -b D dz on the first three rows, a' and b' on the others.
static double drawn(const double a[2], const double b[2])
{
  double number[4][ROWS], before[4][ROWS], D[CONTACTS];
  for (int i = 0; i < CONTACTS; i++) D[i] = 1.5 + uniform();
  for (int i = 0; i < ROWS; i++) {
    const int c = i / D3;
    const double dx = 1 / sqrt(D[c]), dz = i % 2 ? dx : -dx;
    const double change[4] = {dx, a[c] * D[c] * dx, dz, -b[c] * D[c] * dz};
    for (int k = 0; k < 4; k++) before[k][i] = uniform(), number[k][i] = before[k][i] + change[k];
  }
  const double *now[4] = {number[0], number[1], number[2], number[3]};
  double *old[4] = {before[0], before[1], before[2], before[3]};
  static const dls_operator_type here = {0};
  const dls_operator op = {.type = &here, .d = D3, .contacts = CONTACTS};
  return dls_admm_spectral(&op, D, now, old);
}

// eq (adm.2) where the steps are known: a step of (c1, c2) with equal weights is
// (c1^2 + c2^2) / (c1 + c2), or (c1 + c2) / 2 where that is more than half of it.
static void spectral(void **state)
{
  (void)state;
  for (int turn = 0; turn < 20; turn++) {
    at_case("turn %d", turn);
    close_to(drawn((double[]){4, 4}, (double[]){9, 9}), 6, 1e-9);
    close_to(drawn((double[]){1, 3}, (double[]){2, 2}), 2, 1e-9);
    // no change of y against z: the other half alone; and the other way round
    close_to(drawn((double[]){4, 4}, (double[]){9, -9}), 4, 1e-9);
    close_to(drawn((double[]){4, 4}, (double[]){0, 0}), 4, 1e-9);
    close_to(drawn((double[]){4, -4}, (double[]){9, 9}), 9, 1e-9);
    // against the law of cones, which is monotone
    close_to(drawn((double[]){4, 4}, (double[]){-9, -9}), 4, 1e-9);
    assert_true(drawn((double[]){-1, -1}, (double[]){-1, -1}) == 0);
    assert_true(drawn((double[]){NAN, 1}, (double[]){NAN, 1}) == 0);
    // steps that disagree
    const double large = (0.36 + 73.96) / 8, small = 4;
    close_to(drawn((double[]){-0.6, 8.6}, (double[]){0, 0}), large - small / 2, 1e-9);
  }
}

// The penalty follows W: few passes are enough, and it does change.
static void passes(void **state)
{
  (void)state;
  int iterations = 0, converged = 0, changes = 0;
  enum { TURNS = 40 };
  for (int turn = 0; turn < TURNS; turn++) {
    at_case("turn %d", turn);
    made_problem *m = made_create(
        &(made_shape){.dimension = 3, .contacts = 8, .dof = 16, .global = turn % 2 == 1});
    const counted c = count(&m->problem, 1e-8, 2000, MOST);
    iterations += c.iterations, converged += c.converged, changes += c.factorizations - 1;
    made_free(m);
  }
  if (getenv("METHODS_TELL"))
    print_message("%d converged, %d passes, %d changes\n", converged, iterations, changes);
  assert_true(converged >= TURNS - 2 && iterations < 350 * TURNS && changes > TURNS);
}

// Nothing reaches the tolerance 0, so that only the bound ends the changes.
static void bounded(void **state)
{
  (void)state;
  int most = 0;
  for (int turn = 0; turn < 10; turn++) {
    at_case("turn %d", turn);
    made_problem *m = made_create(&(made_shape){.dimension = 3, .contacts = 4, .dof = 7});
    const counted c = count(&m->problem, 0, 20000, MOST);
    assert_true(c.factorizations <= 1 + MOST);
    if (c.factorizations > most) most = c.factorizations;
    for (int changes = 0; changes <= 3; changes++)
      assert_int_equal(count(&m->problem, 0, 20000, changes).factorizations,
                       changes < c.factorizations ? changes + 1 : c.factorizations);
    made_free(m);
  }
  assert_true(most > 5);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(first_penalty), cmocka_unit_test(units),   cmocka_unit_test(spectral),
      cmocka_unit_test(passes),        cmocka_unit_test(bounded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
