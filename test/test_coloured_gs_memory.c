// The solver of piles and memory: solving allocates nothing, also where regions are solved by
// themselves, and every allocation of the creation may fail.
#include "../bench/packing.h"
#include "failing.h"

#include <delassus/solve.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

static void solving(void **state)
{
  (void)state;
  packing_options o = packing_defaults();
  o.contacts = 3000, o.mu = 0.5;
  packing p;
  packing_create(&o, &p);
  dls_solve_options options = dls_solve_defaults();
  options.solver = "pile", options.tolerance = 1e-6, options.threads = 1;
  double *r = calloc(3 * (size_t)o.contacts, sizeof *r);
  double *v = calloc((size_t)p.problem.dof, sizeof *v);
  dls_solver *solver = NULL;
  dls_solve_report report;
  assert_int_equal(dls_solver_create(&p.problem, &options, &solver, NULL), DLS_OK);
  const long before = allocations_made();
  assert_int_equal(dls_solver_solve(solver, r, v, NULL, &report), DLS_OK);
  assert_true(allocations_made() == before);
  assert_true(report.converged && report.iterations > 60);  // so that regions took part
  dls_solver_free(solver);
  free(r), free(v);
  packing_free(&p);
}

static void every_allocation(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    packing_options o = packing_defaults();
    o.contacts = 60, o.mass_ratio = k == 0 ? 1 : 1e3;
    packing p;
    packing_create(&o, &p);
    dls_solve_options options = dls_solve_defaults();
    options.solver = "pile", options.threads = 2;
    for (long count = 0;; count++) {
      at_case("k %d, count %ld", k, count);
      dls_solver *solver = NULL;
      failing_start(count);
      const dls_status status = dls_solver_create(&p.problem, &options, &solver, NULL);
      const bool failed = failing_stop();
      assert_true((status == DLS_OK) == (solver != NULL));
      dls_solver_free(solver);
      if (!failed) {
        assert_int_equal(status, DLS_OK);
        assert_true(count > 20);
        break;
      }
      assert_int_equal(status, DLS_ERR_MEMORY);
    }
    packing_free(&p);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(solving), cmocka_unit_test(every_allocation)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
