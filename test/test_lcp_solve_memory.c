// Solvers of complementarity problems: solving allocates nothing, and every allocation may fail.
#include "failing.h"
#include "lcp_problem.h"
#include "numbers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "cases.h"

static void solve_allocates_nothing(void **state)
{
  (void)state;
  for (int f = 0; f < LCP_FAMILIES; f++)
    for (int k = 0; k < dls_lcp_solver_count(); k++) {
      at_case("f %d, k %d", f, k);
      lcp_problem p = lcp_draw((lcp_family)f, 12, f % 3, 1, true);
      dls_lcp_options o = dls_lcp_defaults();
      // nothing is good enough: auto runs them all
      o.solver = dls_lcp_solver_info_at(k)->name, o.tolerance = 0;
      dls_lcp_solver *solver;
      dls_lcp_report report;
      double z[12] = {0}, w[12];
      assert_int_equal(dls_lcp_solver_create(&p.lcp, &o, &solver, NULL), DLS_OK);
      const long before = allocations_made();
      assert_int_equal(dls_lcp_solver_solve(solver, z, w, &report), DLS_OK);
      assert_int_equal(allocations_made(), before);
      dls_lcp_solver_free(solver);
      lcp_drop(&p);
    }
}

// ---- a block on the ground ---------------------------------------------------------------------

static const double W[] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, q[] = {-1, 3, 1}, mu[] = {0.5};
static const int start[] = {0, 3, 6, 9}, row[] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
static const dls_incremental block = {
    .dimension = 3, .contacts = 1, .mu = mu, .W = {{3, 3, start, row}, W}, .q = q};

static void pyramid_allocates_nothing(void **state)
{
  (void)state;
  dls_polyhedral *pyramid;
  dls_lcp_report report;
  double r[3];
  assert_int_equal(dls_polyhedral_create(&block, NULL, &pyramid, NULL), DLS_OK);
  const long before = allocations_made();
  assert_int_equal(dls_polyhedral_solve(pyramid, r, &report), DLS_OK);
  assert_int_equal(allocations_made(), before);
  assert_true(report.converged);
  dls_polyhedral_free(pyramid);
}

// ---- every allocation --------------------------------------------------------------------------

static dls_status run_solver(void)
{
  const double M[] = {2, 1, 0, 0, 2, 1, 1, 0, 2}, load[] = {-1, 1, -2};
  const dls_mlcp p = {3, 0, M, load};
  dls_lcp_solver *solver = NULL;
  dls_lcp_report report;
  double z[3] = {0};
  dls_status status = dls_lcp_solver_create(&p, NULL, &solver, NULL);
  assert_true((status == DLS_OK) == (solver != NULL));
  if (status == DLS_OK) status = dls_lcp_solver_solve(solver, z, NULL, &report);
  dls_lcp_solver_free(solver);
  return status;
}

static dls_status run_pyramid(void)
{
  dls_lcp_report report;
  double r[3];
  return dls_polyhedral_run(&block, NULL, r, &report, NULL);
}

static dls_status exists(int n, const double *M, const double *load)
{
  dls_lcp_existence *e = NULL;
  const dls_status status = dls_mlcp_exists(&(dls_mlcp){n, 0, M, load}, NULL, &e);
  assert_true((status == DLS_OK) == (e != NULL));
  dls_lcp_existence_free(e);
  return status;
}

static dls_status run_yes(void)
{
  return exists(3, (const double[]){2, 1, 0, 0, 2, 1, 1, 0, 2}, (const double[]){-1, 1, -2});
}

static dls_status run_check(void)
{
  const dls_lcp_existence e = {.answer = DLS_YES, .n = 1, .basis = &(bool){true}};
  bool holds = false;
  const dls_status status =
      dls_lcp_existence_check(&(dls_mlcp){1, 0, &(double){1}, &(double){-1}}, &e, &holds);
  assert_true(holds == (status == DLS_OK));
  return status;
}

static void every_allocation(void **state)
{
  (void)state;
  dls_status (*const calls[])(void) = {run_solver, run_pyramid, run_yes, run_check};
  for (size_t c = 0; c < sizeof calls / sizeof *calls; c++)
    for (long k = 0;; k++) {
      failing_start(k);
      const dls_status status = calls[c]();
      if (!failing_stop()) {
        assert_int_equal(status, DLS_OK);
        assert_true(k > 2);
        break;
      }
      assert_int_equal(status, DLS_ERR_MEMORY);
    }
}

// Linear programs may lose memory inside and still end well: then the answer is the right one, or
// none.
static void tree(void **state)
{
  (void)state;
  const double M[] = {0, 1, 1, 1}, load[] = {-1, 0.5};
  const dls_mlcp p = {2, 0, M, load};
  for (long k = 0;; k++) {
    at_case("k %ld", k);
    dls_lcp_existence *e = NULL;
    failing_start(k);
    const dls_status status = dls_mlcp_exists(&p, NULL, &e);
    const bool failed = failing_stop();
    assert_true(status == DLS_OK || (failed && status == DLS_ERR_MEMORY));
    if (status == DLS_OK)
      assert_true(e->answer == DLS_NO || (failed && e->answer == DLS_UNDECIDED));
    dls_lcp_existence_free(e);
    if (!failed) break;
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solve_allocates_nothing),
      cmocka_unit_test(pyramid_allocates_nothing),
      cmocka_unit_test(every_allocation),
      cmocka_unit_test(tree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
