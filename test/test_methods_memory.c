// Solvers of incremental problems and memory: solving allocates nothing, and every allocation of
// the creation may fail.
#include "failing.h"
#include "incremental_maker.h"
#include "numbers.h"

#include <delassus/delassus.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

static const unsigned char laws[] = {DLS_LAW_BILATERAL_CONE, DLS_LAW_CONE, DLS_LAW_BOUNDED,
                                     DLS_LAW_SLIDING};
static const double bound[] = {1, 1, 0.1, 1}, direction[] = {1, 0, 1, 0, 1, 0, 0, 1};

// Of both forms, with cones and with other laws.
static made_problem *draw(int which)
{
  made_problem *m = made_create(&(made_shape){
      .dimension = 3, .contacts = 4, .equations = 2, .dof = 24, .global = which % 2 == 1});
  if (which >= 2) m->problem.law = laws, m->problem.bound = bound, m->problem.direction = direction;
  return m;
}

static bool takes(const dls_solver_info *info, const dls_incremental *p)
{
  return (p->global ? info->global : info->local) && !(dls_incremental_laws(p) & ~info->laws) &&
         strcmp(info->name, "pile") != 0;
}

static void solving(void **state)
{
  (void)state;
  for (int which = 0; which < 4; which++) {
    at_case("which %d", which);
    made_problem *m = draw(which);
    double *r = vector(m->rows), *v = vector(24);
    for (int k = 0; k < dls_solver_count(); k++) {
      const dls_solver_info *info = dls_solver_info_at(k);
      if (!takes(info, &m->problem)) continue;
      dls_solve_options options = dls_solve_defaults();
      options.solver = dls_solver_info_at(k)->name, options.history = 10;
      dls_solver *solver;
      dls_solve_report report;
      assert_int_equal(dls_solver_create(&m->problem, &options, &solver, NULL), DLS_OK);
      for (int turn = 0; turn < 2; turn++) {
        memset(r, 0, (size_t)m->rows * sizeof(double));
        const long before = allocations_made();
        assert_int_equal(dls_solver_solve(solver, r, v, NULL, &report), DLS_OK);
        if (allocations_made() != before) fail_msg("%s allocates", options.solver);
        assert_true(report.iterations > 0);
      }
      dls_solver_free(solver);
    }
    free(r), free(v);
    made_free(m);
  }
}

static void every_allocation(void **state)
{
  (void)state;
  for (int which = 0; which < 4; which++) {
    at_case("which %d", which);
    made_problem *m = draw(which);
    for (int k = 0; k < dls_solver_count(); k++) {
      const dls_solver_info *info = dls_solver_info_at(k);
      if (!takes(info, &m->problem)) continue;
      dls_solve_options options = dls_solve_defaults();
      options.solver = dls_solver_info_at(k)->name;
      for (long count = 0;; count++) {
        dls_solver *solver = NULL;
        failing_start(count);
        const dls_status status = dls_solver_create(&m->problem, &options, &solver, NULL);
        const bool failed = failing_stop();
        assert_true((status == DLS_OK) == (solver != NULL));
        dls_solver_free(solver);
        if (!failed) {
          assert_int_equal(status, DLS_OK);
          assert_true(count > 3);
          break;
        }
        if (status != DLS_ERR_MEMORY) fail_msg("%s: %s", options.solver, dls_status_text(status));
      }
    }
    made_free(m);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(solving), cmocka_unit_test(every_allocation)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
