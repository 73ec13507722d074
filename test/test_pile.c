// Spheres that fall into a bowl and settle: with friction such problems have points from which
// nothing near is better, and the default solver has to get past them. Contacts here are found as
// in examples/world.c; the residual is what the library recomputes.
#include <delassus/world.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

typedef struct pile {
  int spheres, steps;
  double friction, shift;
} pile;

static const double radius = 0.1, bowl = 1;

static void touch(dls_world *world, const pile *p, int i, int j)
{
  const double *x = dls_world_body(world, i)->position, zero[3] = {0};
  const double *y = j == DLS_GROUND ? zero : dls_world_body(world, j)->position;
  const double d[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
  const double apart = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
  dls_world_contact c = {
      .id = 1 + (uint64_t)(i * p->spheres + (j == DLS_GROUND ? i : j)),
      .a = i,
      .b = j,
      .gap = j == DLS_GROUND ? bowl - radius - apart : apart - 2 * radius,
      .friction = p->friction,
  };
  if (c.gap > 0.05) return;
  for (int k = 0; k < 3; k++) c.normal[k] = (j == DLS_GROUND ? -1 : 1) * d[k] / apart;
  for (int k = 0; k < 3; k++) c.point[k] = x[k] - radius * c.normal[k];
  assert_int_equal(dls_world_add_contact(world, &c, NULL), DLS_OK);
}

static void settle(const pile *p)
{
  dls_world_options options = dls_world_defaults();
  options.gravity[2] = -9.81;
  dls_world *world = NULL;
  assert_int_equal(dls_world_create(&options, &world, NULL), DLS_OK);
  for (int i = 0; i < p->spheres; i++) {
    const dls_body sphere = {
        .mass = 1,
        .inertia = {0.004, 0.004, 0.004},
        .quaternion = {1},
        .position = {0.3 * (i % 3) - 0.29 + p->shift, 0.3 * (i / 3 % 3) - 0.3, 0.21 * (i / 9)}};
    assert_int_equal(dls_world_add_body(world, &sphere, NULL, NULL), DLS_OK);
  }
  for (int step = 0; step < p->steps; step++) {
    dls_world_report report;
    dls_world_clear_contacts(world);
    for (int i = 0; i < p->spheres; i++)
      for (int j = DLS_GROUND; j < i; j++) touch(world, p, i, j);
    assert_int_equal(dls_world_step(world, 2.5e-3, &report, NULL), DLS_OK);
    if (!report.converged)
      fail_msg("%d spheres, friction %g, shift %g, step %d: residual %.1e", p->spheres, p->friction,
               p->shift, step, report.error.largest);
  }
  dls_world_free(world);
}

static void each_step_converges(void **state)
{
  (void)state;
  const pile all[] = {
      {24, 470, 0.5, 0}, {20, 400, 0.8, 0.01}, {20, 400, 0.3, 0.02}, {12, 400, 1.2, 0}};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) settle(&all[k]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_step_converges)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
