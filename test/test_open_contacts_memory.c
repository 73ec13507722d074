// Systems with many contacts take memory when some close: such allocations may fail, and the step
// is not taken then. Steps in which no contact closes or opens take none.
#include "failing.h"
#include "towers.h"

#include <SuiteSparse_config.h>
#include <delassus/delassus.h>
#include <delassus/integrator.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

enum { TOWERS = 6, N = 4 * TOWERS };

static char text[60000];
static dls_model *model;
static dls_system *dls;
static double q[N], v[N];

static int open_system(void **state)
{
  (void)state;
  dls_diagnostics diagnostics;
  dls_state start = {0, q, v};
  towers_text(TOWERS, true, text, sizeof text);
  return dls_model_parse(text, strlen(text), &model, &diagnostics) != DLS_OK ||
         dls_model_system(model, &dls) != DLS_OK || dls_model_differentiate(dls, NULL) != DLS_OK ||
         dls_model_state(dls, NULL, &start, NULL) != DLS_OK;
}

static int close_system(void **state)
{
  (void)state;
  dls_system_free(dls);
  dls_model_free(model);
  return 0;
}

static dls_status create(const char *scheme, dls_integrator **out)
{
  const dls_state start = {0, q, v};
  dls_integrator_options options = dls_integrator_defaults();
  options.scheme = scheme, options.step = 0.01;
  return dls_integrator_create(dls, &start, &options, out, NULL);
}

static void step(dls_integrator *g, double until)
{
  dls_message message = {""};
  dls_failure failure;
  assert_int_equal(dls_integrator_advance(g, until, &failure, &message), DLS_OK);
  if (failure != DLS_FAILURE_NONE) fail_msg("%s", message.text);
}

// One step in which allocations fail in turn, until none is left: the first ones each, then some of
// those of its many events. How many there were.
static long fail_each(dls_integrator *g, const char *scheme, double until)
{
  for (long count = 0;; count += 1 + count / 10) {
    const dls_sample before = dls_integrator_sample(g);
    const double t = before.t;
    double q0[N], v0[N], memory[1000];
    assert_true(before.scheme_state_size <= 1000);
    memcpy(q0, before.q, sizeof q0), memcpy(v0, before.v, sizeof v0);
    if (before.scheme_state_size > 0)
      memcpy(memory, before.scheme_state, (size_t)before.scheme_state_size * sizeof(double));
    unsigned char status[200];
    memcpy(status, before.status, (size_t)before.m);
    dls_failure failure;
    failing_start(count);
    const dls_status result = dls_integrator_advance(g, until, &failure, NULL);
    const bool failed = failing_stop();
    if (!failed) {
      assert_int_equal(result, DLS_OK);
      assert_int_equal(failure, DLS_FAILURE_NONE);
      return count;
    }
    if (result != DLS_ERR_MEMORY) fail_msg("%s, allocation %ld: %d", scheme, count, (int)result);
    const dls_sample after = dls_integrator_sample(g);
    assert_true(after.t == t && memcmp(after.q, q0, sizeof q0) == 0);
    dls_sample again = before;
    again.v = v0, again.status = status, again.scheme_state = memory;
    assert_int_equal(dls_integrator_restart(g, &again, NULL), DLS_OK);
  }
}

static void every_allocation(void **state)
{
  (void)state;
  const char *const schemes[] = {
      "moreau", "moreau-projected", "schatzman-paoli", "moreau-adaptive", "lcp", "radau5", "herk4"};
  for (int k = 0; k < 7; k++) {
    at_case("%s", schemes[k]);
    dls_integrator *hurt, *whole;
    long allocations = 0;
    assert_int_equal(create(schemes[k], &hurt), DLS_OK);
    assert_int_equal(create(schemes[k], &whole), DLS_OK);
    while (dls_integrator_sample(hurt).t < 0.14) allocations += fail_each(hurt, schemes[k], 0.14);
    while (dls_integrator_sample(whole).t < 0.14) step(whole, 0.14);
    assert_true(allocations > 10);
    const dls_sample a = dls_integrator_sample(hurt), b = dls_integrator_sample(whole);
    for (int i = 0; i < N; i++)
      if (!(fabs(a.q[i] - b.q[i]) <= 1e-9))
        fail_msg("%s: coordinate %d is %.12g, not %.12g", schemes[k], i, a.q[i], b.q[i]);
    dls_integrator_free(hurt), dls_integrator_free(whole);
  }
}

// No step allocates while no contact closes or opens.
static void same_contacts(void **state)
{
  (void)state;
  const char *const schemes[] = {"moreau", "radau5", "herk4"};
  for (int k = 0; k < 3; k++) {
    at_case("%s", schemes[k]);
    dls_integrator *g;
    assert_int_equal(create(schemes[k], &g), DLS_OK);
    step(g, 0.01);
    const long before = allocations_made();
    while (dls_integrator_sample(g).t < 0.05) step(g, 0.05);
    if (allocations_made() != before) fail_msg("%s allocates", schemes[k]);
    dls_integrator_free(g);
  }
}

static void *counted_malloc(size_t size)
{
  return malloc(size);
}

static void *counted_calloc(size_t count, size_t size)
{
  return calloc(count, size);
}

int main(void)
{
  SuiteSparse_config.malloc_func = counted_malloc;
  SuiteSparse_config.calloc_func = counted_calloc;
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation),
                                     cmocka_unit_test(same_contacts)};
  return cmocka_run_group_tests(tests, open_system, close_system);
}
