// The k-th allocation fails, for every k: no crash, no leak, DLS_ERR_MEMORY; and updates, solves
// and measures allocate nothing.
#include "conic_solve.h"
#include "failing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cases.h"

static conic draw(void)
{
  const int size[] = {3, 1, 12};
  conic c = conic_make(10, 3, 4, 3, size);
  conic_draw_matrices(&c, 4, 0.5);
  conic_solvable(&c);
  return c;
}

static void setup_fails(void **state)
{
  (void)state;
  conic c = draw();
  for (long k = 0;; k++) {
    at_case("k %ld", k);
    dls_cone *cone = NULL;
    failing_start(k);
    const dls_status status = conic_setup(&c, NULL, &cone);
    const bool survived = !failing_stop();
    assert_int_equal(status, survived ? DLS_OK : DLS_ERR_MEMORY);
    assert_true(survived == (cone != NULL));
    dls_cone_free(cone);
    if (!survived) continue;
    assert_true(k > 20);
    break;
  }
  conic_free(&c);
}

static void solve_allocates_nothing(void **state)
{
  (void)state;
  conic c = draw(), none = draw();
  conic_infeasible(&none);
  for (int kind = 0; kind < 2; kind++) {
    at_case("kind %d", kind);
    const conic *p = kind ? &none : &c;
    answer a = conic_answer(p);
    dls_cone *cone;
    assert_int_equal(conic_setup(p, NULL, &cone), DLS_OK);
    const long before = allocations_made();
    assert_int_equal(dls_cone_update_q(cone, p->q), DLS_OK);
    assert_int_equal(dls_cone_update_b(cone, p->b), DLS_OK);
    assert_int_equal(dls_cone_solve(cone, a.x, a.s, a.y, &a.report), DLS_OK);
    dls_cone_measure(cone, a.x, a.s, a.y);
    assert_int_equal(allocations_made(), before);
    assert_int_equal(a.report.outcome, kind ? DLS_CONE_PRIMAL_INFEASIBLE : DLS_CONE_SOLVED);
    dls_cone_free(cone);
    conic_drop(&a);
  }
  conic_free(&c), conic_free(&none);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(setup_fails),
                                     cmocka_unit_test(solve_allocates_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
