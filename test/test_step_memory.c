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
#include <stdio.h>
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

// Constraints of velocities, one of which a joint implies, and contacts.
static const char *const rolling =
    "coordinate x = 1, y, th = 0.3, z = 0.02\nvelocity y = 0.5, th = 0.5*cos(0.3) - 0.5\n"
    "kinetic x'^2 + y'^2 + th'^2/2 + z'^2\npotential 19.62*y + 10*z\n"
    "bilateral rod: x^2 + y^2 = 1\nrolling same: x*x' + y*y' = 0\n"
    "rolling turn: th' = cos(th)*y' - 0.5 + t*x'\n"
    "unilateral floor: z >= 0 { slip x'; friction 0.3; restitution 0.5 }\n"
    "unilateral wall: y >= -0.4 { slip x'; friction force 0.2; restitution 0.4 }\n"
    "friction rub: th' - z' { force 0.1 }\n";

// Feet that hit the floor one after the other, slide and come to rest: several contacts at once, of
// which two are enough.
static const char *const plate =
    "coordinate x, y = 0.05, th = 0.02\nvelocity x = 2\n"
    "kinetic (x'^2 + y'^2)/2 + th'^2/20\npotential 10*y\n"
    "unilateral left: y - 0.5*sin(th) >= 0 { slip x'; friction 0.3; restitution 0.3 }\n"
    "unilateral right: y + 0.5*sin(th) >= 0 { slip x'; friction 0.3; restitution 0.3 }\n"
    "unilateral middle: y + 0.1*sin(th) >= 0 { slip x'; friction 0.2 }\n";

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
  options.scheme = dls_scheme_info_at(k)->name, options.step = 0.02;
  return dls_integrator_create(dls, &start, &options, out, NULL);
}

// From where it is to the time t, and none is allocated on the way.
static void go_without(dls_integrator *g, const char *scheme, double t)
{
  const long before = allocations_made();
  dls_failure failure = DLS_FAILURE_NONE;
  while (failure == DLS_FAILURE_NONE && dls_integrator_sample(g).t < t)
    assert_int_equal(dls_integrator_advance(g, t, &failure, NULL), DLS_OK);
  assert_int_equal(failure, DLS_FAILURE_NONE);
  if (allocations_made() != before) fail_msg("%s allocates", scheme);
}

static void stepping(void **state)
{
  (void)state;
  for (int k = 0; k < dls_scheme_count(); k++) {
    const dls_scheme_info *scheme = dls_scheme_info_at(k);
    at_case("%s", scheme->name);
    dls_integrator *integrator;
    assert_int_equal(create(k, &integrator), DLS_OK);
    go_without(integrator, scheme->name, 1);
    assert_true(!scheme->events || dls_integrator_counts(integrator).events > 3);
    dls_integrator_free(integrator);
    for (int adaptive = 0; adaptive <= scheme->events; adaptive++) {
      fixture *r = adaptive ? fixture_open(plate, scheme->name, 0.01, 1e-5)
                            : fixture_open_lost(plate, scheme->name, 0.01);
      go_without(r->integrator, scheme->name, 0.8);
      assert_true(!scheme->events || r->events > 3);
      fixture_close(r);
    }
  }
}

// More contacts than matrices are made for in advance, but most of them are closed: once all are
// there, none is made when contacts close and open.
static void stepping_many(void **state)
{
  (void)state;
  enum { BODIES = 70 };
  static char text_of_row[40000];
  const char *const list[] = {"moreau", "schatzman-paoli", "moreau-adaptive", "lcp", "herk3"};
  size_t used = 0;
  for (int i = 0; i < BODIES; i++) {
    used += (size_t)snprintf(text_of_row + used, sizeof text_of_row - used,
                             "coordinate x%d = %d, y%d = %g\nvelocity x%d = 0.3\n"
                             "kinetic (x%d'^2 + y%d'^2)/2\npotential 10*y%d\n"
                             "unilateral f%d: y%d >= 0 { slip x%d'; friction 0.2 }\n",
                             i, i, i, i % 2 ? 0 : 1e-3 * (i + 1), i, i, i, i, i, i, i);
    if (i > 0)
      used += (size_t)snprintf(text_of_row + used, sizeof text_of_row - used,
                               "potential 50*(x%d - x%d - 1)^2\n", i, i - 1);
  }
  for (int k = 0; k < 5; k++) {
    at_case("%s", list[k]);
    fixture *r = fixture_open(text_of_row, list[k], 0.01, 0);
    fixture_to(r, 0.03);
    int closed = 0;
    for (int j = 0; j < BODIES; j++) closed -= dls_integrator_sample(r->integrator).status[j] >= 3;
    go_without(r->integrator, list[k], 0.09);
    for (int j = 0; j < BODIES; j++) closed += dls_integrator_sample(r->integrator).status[j] >= 3;
    assert_true(closed > 5);
    fixture_close(r);
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
    go_without(r->integrator, list[k], 1);
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
    if (status != DLS_ERR_MEMORY)
      fail_msg("%s: %s", dls_scheme_info_at(k)->name, dls_status_text(status));
  }
}

static void stepping_rolling(void **state)
{
  (void)state;
  for (int k = 0; k < dls_scheme_count(); k++) {
    const dls_scheme_info *scheme = dls_scheme_info_at(k);
    at_case("%s", scheme->name);
    fixture *r =
        fixture_open(rolling, scheme->name, 0.01, scheme->adaptive && !scheme->events ? 1e-4 : 0);
    go_without(r->integrator, scheme->name, 0.6);
    fixture_close(r);
  }
}

static void every_allocation_of_rolling(void **state)
{
  (void)state;
  close_system(NULL);
  assert_int_equal(open_text(rolling), 0);
  for (int k = 0; k < dls_scheme_count(); k++) {
    at_case("k %d", k);
    fail_each(k);
  }
}

static void every_allocation(void **state)
{
  (void)state;
  for (int k = 0; k < dls_scheme_count(); k++) {
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
  for (int k = 0; k < dls_scheme_count(); k++) {
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
  const struct CMUnitTest tests[] = {cmocka_unit_test(stepping),
                                     cmocka_unit_test(stepping_chain),
                                     cmocka_unit_test(stepping_many),
                                     cmocka_unit_test(every_allocation),
                                     cmocka_unit_test(every_allocation_of_a_chain),
                                     cmocka_unit_test(stepping_rolling),
                                     cmocka_unit_test(every_allocation_of_rolling)};
  return cmocka_run_group_tests(tests, open_system, close_system);
}
