// Distances between graphs when memory runs out: the k-th allocation fails, for every k.
#include "failing.h"
#include "motion.h"
#include "numbers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cases.h"

// A line, and on it a rough motion whose corners accumulate at the start: many parts of the line
// wait to be covered at the same time.
static void make_pair(motion *a, motion *b)
{
  enum { COUNT = 3000 };
  *a = motion_make(2, 2);
  *b = motion_make(COUNT, 2);
  a->t[1] = 1;
  for (int i = 0; i < COUNT; i++) {
    b->t[i] = i > 0 ? pow(0.99, COUNT - 1 - i) : 0;
    b->x[2 * i] = 1e-9 * uniform() * b->t[i];
    b->x[2 * i + 1] = 1e-9 * uniform() * b->t[i];
  }
}

static dls_status run_vector(const motion *a, const motion *b)
{
  double distance = -7;
  const dls_status status = dls_graph_distance(&a->view, &b->view, &distance);
  assert_true(status == DLS_OK ? distance > 0 && distance <= 1e-9 : distance == -7);
  return status;
}

static dls_status run_each(const motion *a, const motion *b)
{
  double each[2] = {-7, -7};
  const dls_status status = dls_graph_distance_each(&a->view, &b->view, each);
  for (int k = 0; k < 2; k++)
    assert_true(status == DLS_OK ? each[k] > 0 && each[k] <= 1e-9 : each[k] == -7);
  return status;
}

static void fail_each_allocation(dls_status (*run)(const motion *, const motion *), long least)
{
  motion a, b;
  make_pair(&a, &b);
  long k = 0;
  for (;; k++) {
    at_case("k %ld", k);
    failing_start(k);
    const dls_status status = run(&a, &b);
    if (!failing_stop()) {
      assert_int_equal(status, DLS_OK);
      break;
    }
    assert_int_equal(status, DLS_ERR_MEMORY);
  }
  assert_true(k >= least);
  motion_drop(a), motion_drop(b);
}

static void test_vector(void **state)
{
  (void)state;
  fail_each_allocation(run_vector, 7);  // three for each direction, and one to grow
}

static void test_each(void **state)
{
  (void)state;
  fail_each_allocation(run_each, 13);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_vector),
      cmocka_unit_test(test_each),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
