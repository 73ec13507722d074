// Linear programs when memory runs out: in CLP, whose new throws, and in what stands around it. The
// outcome is the one with enough memory, or DLS_ERR_MEMORY; never another one, nor an exception.
#include "convex/lp.h"
#include "failing.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "cases.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#else
static void __lsan_disable(void)
{
}
static void __lsan_enable(void)
{
}
#endif

// ---- C++'s new and delete, for every library of the process -------------------------------------

#define REPLACES __attribute__((visibility("default")))

_Noreturn void _ZSt17__throw_bad_allocv(void);  // std::__throw_bad_alloc()
void *_Znwm(size_t size);
void *_Znam(size_t size);
void _ZdlPv(void *memory);
void _ZdaPv(void *memory);
void _ZdlPvm(void *memory, size_t size);
void _ZdaPvm(void *memory, size_t size);

static bool new_fails;  // or only C's functions, which the library itself calls

REPLACES void *_Znwm(size_t size)
{
  void *memory = new_fails && failing_now() ? NULL : __real_malloc(size ? size : 1);
  if (!memory) _ZSt17__throw_bad_allocv();
  return memory;
}

REPLACES void *_Znam(size_t size)
{
  return _Znwm(size);
}

REPLACES void _ZdlPv(void *memory)
{
  free(memory);
}

REPLACES void _ZdaPv(void *memory)
{
  free(memory);
}

REPLACES void _ZdlPvm(void *memory, size_t size)
{
  (void)size;
  free(memory);
}

REPLACES void _ZdaPvm(void *memory, size_t size)
{
  (void)size;
  free(memory);
}

// ---- programs -----------------------------------------------------------------------------------

enum { ROWS = 4, COLS = 6 };

// min c^T x  s.t.  low <= A x <= high, 0 <= x: by the sign of the cost and of the last row it has
// an optimum, none because nothing is feasible, or none because the cost falls for ever.
static dls_status solve(dls_lp_outcome wanted, double *value, dls_lp_outcome *outcome)
{
  double A[ROWS * COLS], cost[COLS], x[COLS];
  double row_low[ROWS], row_high[ROWS], col_low[COLS], col_high[COLS];
  for (int j = 0; j < COLS; j++) {
    for (int i = 0; i < ROWS; i++) A[j * ROWS + i] = 1 + (i * j) % 3;
    col_low[j] = 0, col_high[j] = INFINITY;
    cost[j] = wanted == DLS_LP_UNBOUNDED ? -1 - j : 1 + j % 4;
  }
  for (int i = 0; i < ROWS; i++) row_low[i] = 1 + i, row_high[i] = INFINITY;
  if (wanted == DLS_LP_INFEASIBLE) row_low[ROWS - 1] = -INFINITY, row_high[ROWS - 1] = -2;
  const dls_lp_data data = {ROWS, COLS, A, row_low, row_high, col_low, col_high, cost};
  return dls_lp_run(&data, x, NULL, value, outcome);
}

static void fail_everywhere(bool in_clp)
{
  static const dls_lp_outcome kinds[] = {DLS_LP_OPTIMAL, DLS_LP_INFEASIBLE, DLS_LP_UNBOUNDED};
  for (int kind = 0; kind < 3; kind++) {
    at_case("kind %d", kind);
    double good = NAN;
    dls_lp_outcome outcome = DLS_LP_FAILED;
    assert_int_equal(solve(kinds[kind], &good, &outcome), DLS_OK);
    assert_int_equal(outcome, kinds[kind]);
    bool failed = true;
    long k = 0, refused = 0;
    for (; failed; k++) {
      double value = NAN;
      outcome = DLS_LP_FAILED;
      __lsan_disable();  // a model that CLP did not finish is not touched again
      new_fails = in_clp;
      failing_start(k);
      const dls_status status = solve(kinds[kind], &value, &outcome);
      failed = failing_stop();
      new_fails = false;
      __lsan_enable();
      assert_true(status == DLS_OK || (failed && status == DLS_ERR_MEMORY));
      refused += status == DLS_ERR_MEMORY;
      if (status != DLS_OK) continue;
      assert_int_equal(outcome, kinds[kind]);
      if (isfinite(good)) assert_true(fabs(value - good) < 1e-12);
    }
    assert_true(refused > (in_clp ? 40 : 10) && k > 20);
  }
}

static void in_clp(void **state)
{
  (void)state;
  fail_everywhere(true);
}

static void around_it(void **state)
{
  (void)state;
  fail_everywhere(false);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(in_clp), cmocka_unit_test(around_it)};
  return cmocka_run_group_tests_name("linear programs without memory", tests, NULL, NULL);
}
