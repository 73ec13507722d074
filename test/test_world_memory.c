// A world without memory: every allocation fails once, nothing has moved then, and it goes on.
#include <delassus/world.h>

#include "failing.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

enum { BALLS = 20 };

static dls_status add_balls(dls_world *w)
{
  for (int k = dls_world_bodies(w); k < BALLS; k++) {
    const dls_body b = {
        .mass = 1, .inertia = {1, 1, 1}, .quaternion = {1}, .position = {3.0 * k, 0, 1}};
    const dls_status status = dls_world_add_body(w, &b, NULL, NULL);
    if (status != DLS_OK) return status;
  }
  return DLS_OK;
}

static dls_status add_contacts(dls_world *w)
{
  dls_world_clear_contacts(w);
  for (int k = 0; k < BALLS; k++) {
    const double *x = dls_world_body(w, k)->position;
    const dls_world_contact c = {.id = 1 + (uint64_t)k,
                                 .a = k,
                                 .b = DLS_GROUND,
                                 .point = {x[0], 0, x[2] - 1},
                                 .normal = {0, 0, 1},
                                 .gap = x[2] - 1,
                                 .friction = 0.5};
    const dls_status status = dls_world_add_contact(w, &c, NULL);
    if (status != DLS_OK) return status;
  }
  return DLS_OK;
}

// One attempt with `count` allocations; true when none failed.
static bool attempt(long count)
{
  dls_world_options o = dls_world_defaults();
  dls_world *w = NULL;
  o.gravity[0] = 1, o.gravity[2] = -10;
  failing_start(count);
  dls_status status = dls_world_create(&o, &w, NULL);
  if (status == DLS_OK) status = add_balls(w);
  if (status == DLS_OK) status = add_contacts(w);
  if (status == DLS_OK) status = dls_world_step(w, 0.1, NULL, NULL);
  const bool failed = failing_stop();
  if (status != DLS_OK) {
    assert_true(failed);
    assert_int_equal(status, DLS_ERR_MEMORY);
    for (int k = 0; w && k < dls_world_bodies(w); k++)
      assert_true(dls_world_body(w, k)->position[2] == 1 && dls_world_body(w, k)->velocity[0] == 0);
  }
  if (w && status != DLS_OK) {  // with memory it goes on
    assert_int_equal(add_balls(w), DLS_OK);
    assert_int_equal(add_contacts(w), DLS_OK);
    assert_int_equal(dls_world_step(w, 0.1, NULL, NULL), DLS_OK);
  }
  for (int k = 0; w && k < BALLS; k++) assert_true(fabs(dls_world_body(w, k)->velocity[2]) < 1e-6);
  dls_world_free(w);
  return !failed;
}

static void each_allocation(void **unused)
{
  (void)unused;
  long count = 0;
  while (!attempt(count)) count++;
  assert_true(count > 10);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_allocation)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
