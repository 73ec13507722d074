// Parts and memory: every allocation may fail while parts and their integrators are made, and
// stepping allocates nothing, also where a step has more events than there is room for.
#include "failing.h"

#include <delassus/delassus.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

static const char *const text =
    "parameter m = 1.5\ncoordinate x, y = 1, z = 0.4, w = 0.5\nvelocity x = 1\n"
    "let s = x'^2 + y'^2\n"
    "kinetic m/2*(s + z'^2) + w'^2/2\npotential 10*(y + z) - cos(w)\nforce w = sin(t)\n"
    "unilateral floor: y >= 0 { slip x'; friction 0.4; restitution 0.5 }\n"
    "unilateral ground: z >= 0 { restitution 0.9 }\nbilateral rest: x + y = 1 + x\n";

static dls_model *model;
static dls_system *dls;
static double q[4], v[4];

static int open_system(void **state)
{
  (void)state;
  dls_diagnostics diagnostics;
  dls_state start = {0, q, v};
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

static void making_parts(void **state)
{
  (void)state;
  assert_true(dls->parts > 2);
  for (int part = 0; part < dls->parts; part++)
    for (long count = 0;; count++) {
      dls_system *made = NULL;
      failing_start(count);
      const dls_status status = dls->part(dls->self, part, &made, NULL);
      const bool failed = failing_stop();
      assert_true((status == DLS_OK) == (made != NULL));
      dls_system_free(made);
      assert_int_equal(status, failed ? DLS_ERR_MEMORY : DLS_OK);
      if (failed) continue;
      assert_true(count > 30);
      break;
    }
}

static void count_event(void *self, const dls_event *event)
{
  (void)event;
  ++*(int *)self;
}

static dls_status create(const char *scheme, double step, int *events, dls_integrator **out)
{
  const dls_state start = {0, q, v};
  dls_integrator_options options = dls_integrator_defaults();
  options.scheme = scheme, options.step = step;
  options.event = count_event, options.self = events;
  return dls_integrator_create(dls, &start, &options, out, NULL);
}

static const char *const schemes[] = {"radau5", "herk4"};

static void making_integrators(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++)
    for (long count = 0;; count++) {
      at_case("%s, count %ld", schemes[k], count);
      int events = 0;
      dls_integrator *integrator = NULL;
      failing_start(count);
      const dls_status status = create(schemes[k], 0.01, &events, &integrator);
      const bool failed = failing_stop();
      assert_true((status == DLS_OK) == (integrator != NULL));
      dls_integrator_free(integrator);
      assert_int_equal(status, failed ? DLS_ERR_MEMORY : DLS_OK);
      if (failed) continue;
      assert_true(count > 100);
      break;
    }
}

static void stepping(void **state)
{
  (void)state;
  const double steps[] = {0.01, 0.3};
  for (int k = 0; k < 4; k++) {
    at_case("k %d", k);
    int events = 0;
    dls_integrator *integrator;
    assert_int_equal(create(schemes[k % 2], steps[k / 2], &events, &integrator), DLS_OK);
    const long before = allocations_made();
    dls_failure failure = DLS_FAILURE_NONE;
    while (failure == DLS_FAILURE_NONE && dls_integrator_sample(integrator).t < 3)
      assert_int_equal(dls_integrator_advance(integrator, 3, &failure, NULL), DLS_OK);
    assert_int_equal(failure, DLS_FAILURE_NONE);
    assert_int_equal(allocations_made(), before);
    assert_true(events > 5);
    dls_integrator_free(integrator);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(making_parts),
                                     cmocka_unit_test(making_integrators),
                                     cmocka_unit_test(stepping)};
  return cmocka_run_group_tests(tests, open_system, close_system);
}
