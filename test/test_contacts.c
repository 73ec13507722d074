// The set of contacts as data, and its views: the problem of accelerations, that of a step.
#include <delassus/check.h>
#include <delassus/contacts.h>
#include <delassus/solve.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cases.h"

static const int zero[] = {0}, one[] = {1}, both[] = {0, 1};
static const double unit[] = {1}, slope[] = {0.6, 0.8};

// A contact of a point in the plane: the normal along y, the slip along x.
static dls_contact_data plain(dls_law law, double mu)
{
  return (dls_contact_data){.law = law,
                            .id = 7,
                            .name = "floor",
                            .gap = 0.5,
                            .mu = mu,
                            .e = 0.25,
                            .rows = 2,
                            .row = {{1, one, unit, -1, 0, 0.5, 0}, {1, zero, unit, 2, 0.1, 3, 1}}};
}

static void test_growth(void **state)
{
  (void)state;
  dls_contacts *c = NULL;
  assert_int_equal(dls_contacts_create(0, &c), DLS_ERR_ARGUMENT);
  assert_int_equal(dls_contacts_create(2, &c), DLS_OK);
  for (int round = 0; round < 3; round++) {
    at_case("round %d", round);
    for (int k = 0; k < 1000; k++) {
      dls_contact_data d = plain(k % 3 ? DLS_LAW_CONE : DLS_LAW_EQUATION, 0.1 * (k % 7));
      d.id = (uint64_t)k + 1, d.rows = k % 3 ? 2 : 1;
      assert_int_equal(dls_contacts_add(c, &d, NULL), DLS_OK);
    }
    assert_int_equal(c->count, 1000);
    assert_int_equal(c->rows, 1666);
    assert_int_equal(c->J.pattern.cols, c->rows);
    assert_int_equal(c->J.pattern.p[c->rows], c->rows);
    for (int k = 0, row = 0; k < c->count; row = c->first[++k]) {
      assert_int_equal(c->first[k], row);
      assert_true(c->id[k] == (uint64_t)k + 1 && c->gap[k] == 0.5 && c->e[k] == 0.25);
      assert_true(c->rate[row] == -1 && c->b[row] == 0.5 && c->J.pattern.i[row] == 1);
      assert_int_equal(dls_contacts_bilateral(c, k), k % 3 == 0);
    }
    dls_contacts_clear(c, 2);
    assert_int_equal(c->count + c->rows + c->J.pattern.cols, 0);
  }
  dls_contacts_free(c);
  dls_contacts_free(NULL);
}

static void test_bad_contacts(void **state)
{
  (void)state;
  dls_contacts *c = NULL;
  assert_int_equal(dls_contacts_create(2, &c), DLS_OK);
  static const int outside[] = {2}, wrong_order[] = {1, 0};
  for (int k = 0; k < 12; k++) {
    at_case("k %d", k);
    dls_contact_data d = plain(DLS_LAW_CONE, 0.3);
    dls_message message = {""};
    if (k == 0) d.law = (dls_law)77;
    if (k == 1) d.rows = 0;
    if (k == 2) d.rows = 4;
    if (k == 3) d.mu = -1;
    if (k == 4) d.gap = NAN;
    if (k == 5) d.e = INFINITY;
    if (k == 6) d.row[0].i = outside;
    if (k == 7) d.row[0] = (dls_contact_row){.entries = 2, .i = wrong_order, .x = slope};
    if (k == 8) d.row[1].rate = NAN;
    if (k == 9) d.row[0].i = NULL;
    if (k == 10) d.row[0].entries = -1;
    if (k == 11) d.bound = -1;
    const dls_status status = dls_contacts_add(c, &d, &message);
    if (status != DLS_ERR_ARGUMENT && status != DLS_ERR_NUMBER) fail_msg("case %d", k);
    assert_true(message.text[0] != 0);
    assert_int_equal(c->count, 0);
  }
  dls_contacts_free(c);
}

static const int mass_p[] = {0, 1, 2}, mass_i[] = {0, 1};
static const double mass_x[] = {2, 2};
static const dls_matrix_view mass = {{2, 2, mass_p, mass_i}, mass_x};

// A block of mass 2 that slides on a floor with mu = 1/4 under gravity 10, and one that a slope
// holds: accelerations by hand.
static void test_accelerations(void **state)
{
  (void)state;
  dls_contacts *c = NULL;
  assert_int_equal(dls_contacts_create(2, &c), DLS_OK);
  dls_contact_data slides = plain(DLS_LAW_SLIDING, 0.25);
  slides.row[0].b = slides.row[1].b = 0;
  assert_int_equal(dls_contacts_add(c, &slides, NULL), DLS_OK);
  const double weight[] = {0, 20};
  dls_problem *p = NULL;
  assert_int_equal(dls_contacts_problem(c, &mass, weight, &p, NULL), DLS_OK);
  assert_int_equal(p->m_b, 0);
  assert_int_equal(p->m_u, 1);
  assert_true(p->friction->sliding[0] && p->friction->xi[0] == 1);
  const double z[] = {-2.5, 0}, lambda[] = {20}, tau[] = {-5}, none[1] = {0};
  double residual;
  assert_int_equal(dls_coulomb_residual(p, z, none, lambda, tau, &residual), DLS_OK);
  assert_true(residual < 1e-15);
  dls_contacts_problem_free(p);

  // behind a unilateral contact a bilateral one: it comes first in the problem
  dls_contact_data rail = {.law = DLS_LAW_EQUATION,
                           .name = "rail",
                           .rows = 1,
                           .row = {{.entries = 2, .i = both, .x = slope}}};
  assert_int_equal(dls_contacts_add(c, &rail, NULL), DLS_OK);
  assert_int_equal(dls_contacts_problem(c, &mass, weight, &p, NULL), DLS_OK);
  assert_int_equal(p->m_b, 1);
  assert_string_equal(p->bilateral[0], "rail");
  assert_string_equal(p->unilateral[0], "floor");
  assert_true(p->sparse->G_b.x[0] == 0.6 && p->sparse->G_u.x[0] == 1);
  dls_contacts_problem_free(p);
  dls_contact_data bounded = plain(DLS_LAW_BOUNDED, 0);
  assert_int_equal(dls_contacts_add(c, &bounded, NULL), DLS_OK);
  assert_int_equal(dls_contacts_problem(c, &mass, weight, &p, NULL), DLS_ERR_ARGUMENT);
  dls_contacts_free(c);
  dls_contacts_problem_free(NULL);
}

// One step of a block on a floor: Coulomb's law, and friction with a bound.
static void test_step(void **state)
{
  (void)state;
  for (int law = 0; law < 2; law++) {
    at_case("law %d", law);
    dls_contacts *c = NULL;
    assert_int_equal(dls_contacts_create(2, &c), DLS_OK);
    dls_contact_data d = plain(law ? DLS_LAW_BOUNDED : DLS_LAW_CONE, 0.25);
    d.bound = 0.3;
    assert_int_equal(dls_contacts_add(c, &d, NULL), DLS_OK);
    const double h = 0.1, f[] = {2 * 1, -20 * h}, w[] = {0, 0};  // v = (1, 0) before
    dls_incremental problem;
    assert_int_equal(dls_contacts_step(c, &mass, f, w, &problem, NULL), DLS_OK);
    dls_solver *solver = NULL;
    dls_solve_report report;
    double r[2] = {0}, v[2] = {0}, u[2];
    assert_int_equal(dls_solver_create(&problem, NULL, &solver, NULL), DLS_OK);
    assert_int_equal(dls_solver_solve(solver, r, v, u, &report), DLS_OK);
    assert_int_equal(report.stop, DLS_STOP_CONVERGED);
    const double friction = law ? 0.3 : 0.25 * 20 * h;
    assert_true(fabs(r[0] - 20 * h) < 1e-7 && fabs(r[1] + friction) < 1e-7);
    assert_true(fabs(v[0] - (1 - friction / 2)) < 1e-7);
    dls_solver_free(solver);
    dls_contact_data other = {.law = DLS_LAW_UNILATERAL, .rows = 1, .row = {d.row[0]}};
    assert_int_equal(dls_contacts_add(c, &other, NULL), DLS_OK);
    assert_int_equal(dls_contacts_step(c, &mass, f, w, &problem, NULL), DLS_ERR_ARGUMENT);
    dls_contacts_free(c);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_growth), cmocka_unit_test(test_bad_contacts),
      cmocka_unit_test(test_accelerations), cmocka_unit_test(test_step)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
