// Errors of runs when memory runs out: the k-th allocation fails, for every k.
#include <delassus/delassus.h>

#include "failing.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

static const char text[] = "coordinate q = 1\nkinetic q'^2/2\npotential q^2/2\nunilateral stop: q "
                           ">= 0 { restitution 0.8 }\n"
                           "let j = floor(t/pi + 1/2)\n"
                           "exact q = 0.8^j*abs(cos(t)), q' = -0.8^j*sin(t)*sign(cos(t))\n";

typedef struct bench {
  dls_system *system;
  dls_state start;
  dls_integrator_options how;
} bench;

static dls_status with_formulas(const bench *b)
{
  dls_reference *r = NULL;
  dls_accuracy a;
  dls_message m;
  dls_status status = dls_reference_exact(b->system, &b->start, 2, 0.1, &r, &m);
  assert_true((status == DLS_OK) == (r != NULL));
  if (status == DLS_OK)
    status = dls_accuracy_measure(b->system, &b->start, &b->how, 2, r, NULL, &a, &m);
  assert_true(status != DLS_OK || isfinite(a.q[0]));
  dls_reference_free(r);
  return status;
}

static dls_status with_a_run(const bench *b)
{
  dls_reference *r = NULL;
  dls_accuracy a;
  dls_message m;
  dls_status status = dls_reference_run(b->system, &b->start, &b->how, 2, NULL, &r, &m);
  assert_true((status == DLS_OK) == (r != NULL));
  if (status == DLS_OK)
    status = dls_accuracy_measure(b->system, &b->start, &b->how, 2, r, NULL, &a, &m);
  assert_true(status != DLS_OK || a.q[0] == 0);
  dls_reference_free(r);
  return status;
}

static dls_status with_noise(const bench *b)
{
  dls_accuracy a;
  dls_message m;
  const dls_status status = dls_accuracy_noise(b->system, &b->start, &b->how, 2, NULL, &a, &m);
  assert_true(status != DLS_OK || (isfinite(a.q[0]) && isfinite(a.v[0])));
  return status;
}

static void fail_some(dls_status (*run)(const bench *), const char *scheme, long least)
{
  dls_model *model;
  dls_diagnostics diagnostics;
  dls_message m;
  double q, v;
  bench b = {.start = {.q = &q, .v = &v}, .how = dls_integrator_defaults()};
  b.how.scheme = scheme;
  b.how.step = 0.25;
  assert_int_equal(dls_model_parse(text, strlen(text), &model, &diagnostics), DLS_OK);
  assert_int_equal(dls_model_system(model, &b.system), DLS_OK);
  assert_int_equal(dls_model_differentiate(b.system, &m), DLS_OK);
  assert_int_equal(dls_model_state(b.system, NULL, &b.start, &m), DLS_OK);
  // formulas allocate at each time: all failures at first, then fewer and fewer
  long k = 0;
  for (;; k += 1 + k / 64) {
    at_case("k %ld", k);
    failing_start(k);
    const dls_status status = run(&b);
    if (!failing_stop()) {
      assert_int_equal(status, DLS_OK);
      break;
    }
    assert_int_equal(status, DLS_ERR_MEMORY);
  }
  assert_true(k >= least);
  dls_system_free(b.system);
  dls_model_free(model);
}

static void test_formulas(void **state)
{
  (void)state;
  fail_some(with_formulas, "moreau", 1000);
}

static void test_run(void **state)
{
  (void)state;
  fail_some(with_a_run, "radau5", 50);
  fail_some(with_noise, "radau5", 50);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_formulas),
      cmocka_unit_test(test_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
