// Schemes and memory: stepping allocates nothing, and every allocation of the
// creation may fail.
#include "failing.h"
#include "fixture.h"

#include <SuiteSparse_config.h>
#include <delassus/delassus.h>
#include <delassus/integrator.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

static const char *const text =
    "coordinate x, y = 0.3, z = 0.4, th = 1\nvelocity x = 2\n"
    "kinetic (x'^2 + y'^2 + z'^2)/2 + th'^2/2\npotential 10*y + cos(th)\n"
    "bilateral same: z = 0.4\n"
    "unilateral floor: y >= 0 { slip x', z' + 0.1*th'\n"
    "  friction 0.5; restitution 0.4 }\n"
    "unilateral roof: y <= 0.31 { restitution 0.1 }\n";

static const char *const schemes[] = {
    "moreau", "moreau-projected", "schatzman-paoli", "moreau-adaptive", "lcp",
    "radau3", "radau5",           "lobatto4",        "herk2",           "herk5"};

enum { SCHEMES = sizeof schemes / sizeof *schemes };

static dls_model *model;
static dls_system *dls;
static double q[40], v[40];

static int open_text(const char *what)
{
  dls_diagnostics diagnostics;
  dls_state start = {0, q, v};
  return dls_model_parse(what, strlen(what), &model, &diagnostics) != DLS_OK ||
         dls_model_system(model, &dls) != DLS_OK || dls_model_differentiate(dls, NULL) != DLS_OK ||
         dls_model_state(dls, NULL, &start, NULL) != DLS_OK;
}

static int open_system(void **state)
{
  (void)state;
  return open_text(text);
}

static int close_system(void **state)
{
  (void)state;
  dls_system_free(dls);
  dls_model_free(model);
  return 0;
}

static dls_status create(int k, dls_integrator **out)
{
  const dls_state start = {0, q, v};
  dls_integrator_options options = dls_integrator_defaults();
  options.scheme = schemes[k], options.step = 0.02;
  return dls_integrator_create(dls, &start, &options, out, NULL);
}

static void stepping(void **state)
{
  (void)state;
  for (int k = 0; k < SCHEMES; k++) {
    at_case("%s", schemes[k]);
    dls_integrator *integrator;
    assert_int_equal(create(k, &integrator), DLS_OK);
    const long before = allocations_made();
    dls_failure failure = DLS_FAILURE_NONE;
    while (failure == DLS_FAILURE_NONE && dls_integrator_sample(integrator).t < 1)
      assert_int_equal(dls_integrator_advance(integrator, 1, &failure, NULL), DLS_OK);
    assert_int_equal(failure, DLS_FAILURE_NONE);
    if (allocations_made() != before) fail_msg("%s allocates", schemes[k]);
    const bool events = dls_scheme_find(schemes[k])->events;
    assert_true(!events || dls_integrator_counts(integrator).events > 3);
    dls_integrator_free(integrator);
  }
}

// The same for a chain, whose matrices are sparse.
static void stepping_chain(void **state)
{
  (void)state;
  static char chain[10000];
  fixture_chain(20, chain, sizeof chain);
  const char *const list[] = {"moreau", "moreau-projected", "schatzman-paoli", "radau5", "herk4"};
  for (int k = 0; k < 5; k++) {
    at_case("%s", list[k]);
    fixture *r = fixture_open(chain, list[k], 5e-3, 0);
    const long before = allocations_made();
    fixture_to(r, 1);
    if (allocations_made() != before) fail_msg("%s allocates", list[k]);
    fixture_close(r);
  }
}

static void fail_each(int k)
{
  for (long count = 0;; count++) {
    dls_integrator *integrator = NULL;
    failing_start(count);
    const dls_status status = create(k, &integrator);
    const bool failed = failing_stop();
    assert_true((status == DLS_OK) == (integrator != NULL));
    dls_integrator_free(integrator);
    if (!failed) {
      assert_int_equal(status, DLS_OK);
      assert_true(count > 10);
      break;
    }
    if (status != DLS_ERR_MEMORY) fail_msg("%s: %s", schemes[k], dls_status_text(status));
  }
}

static void every_allocation(void **state)
{
  (void)state;
  for (int k = 0; k < SCHEMES; k++) {
    at_case("k %d", k);
    fail_each(k);
  }
}

// With those of KLU, which factors the matrices of a chain.
static void every_allocation_of_a_chain(void **state)
{
  (void)state;
  static char chain[10000];
  fixture_chain(20, chain, sizeof chain);
  close_system(NULL);
  assert_int_equal(open_text(chain), 0);
  for (int k = 0; k < SCHEMES; k++) {
    at_case("k %d", k);
    fail_each(k);
  }
}

// Those of SuiteSparse count, and fail, like our own; it only reallocates to return what it did not
// need.
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
  const struct CMUnitTest tests[] = {cmocka_unit_test(stepping), cmocka_unit_test(stepping_chain),
                                     cmocka_unit_test(every_allocation),
                                     cmocka_unit_test(every_allocation_of_a_chain)};
  return cmocka_run_group_tests(tests, open_system, close_system);
}
