// The k-th allocation fails, for every k: no crash, no leak, DLS_ERR_MEMORY; and an evaluation
// allocates nothing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cases.h"

#include "failing.h"
#include "model/mechanics.h"
#include <stdlib.h>

#define MAKE(op, a, b) dls_graph_make(g, DLS_OP_##op, a, b, -1)

// A pendulum with a moving pivot, a gap, a slip, and enough nodes to make every table grow.
static dls_status build(dls_graph *g, dls_mechanics **mechanics, dls_mechanics_work **work)
{
  static const char *const names[2] = {"x", "theta"};
  dls_expr x = dls_graph_leaf(g, DLS_OP_COORDINATE, 0), v = dls_graph_leaf(g, DLS_OP_VELOCITY, 0);
  dls_expr angle = dls_graph_leaf(g, DLS_OP_COORDINATE, 1), t = dls_graph_leaf(g, DLS_OP_TIME, 0);
  dls_expr p = dls_graph_leaf(g, DLS_OP_PARAMETER, 0);
  dls_expr end = MAKE(ADD, MAKE(ADD, x, MAKE(SIN, t, -1)), MAKE(MUL, p, MAKE(SIN, angle, -1)));
  dls_expr height = MAKE(MUL, p, MAKE(COS, angle, -1));
  dls_expr u = dls_graph_time_derivative(g, end), w = dls_graph_time_derivative(g, height);
  dls_expr kinetic = MAKE(ADD, MAKE(MUL, v, v), MAKE(ADD, MAKE(MUL, u, u), MAKE(MUL, w, w)));
  dls_expr wave = 0;
  for (int k = 1; k < 300; k++)
    wave = MAKE(ADD, wave, MAKE(SIN, MAKE(MUL, dls_graph_constant(g, k), x), -1));
  const dls_expr force[2] = {0, t};
  const dls_lagrangian_contact contact = {{.name = "floor", .kind = DLS_UNILATERAL, .tangents = 1},
                                          MAKE(ADD, wave, height),
                                          {u, 0},
                                          p,
                                          -1,
                                          0};
  const dls_lagrangian_coupling coupling = {{0, 0}, p};
  const dls_lagrangian lagrangian = {.n = 2,
                                     .coordinates = names,
                                     .parameters = 1,
                                     .kinetic = kinetic,
                                     .potential = height,
                                     .dissipation = MAKE(MUL, v, v),
                                     .force = force,
                                     .m = 1,
                                     .contacts = &contact,
                                     .couplings = 1,
                                     .coupling = &coupling};
  dls_status status = dls_mechanics_compile(g, &lagrangian, mechanics);
  return status == DLS_OK ? dls_mechanics_work_create(*mechanics, work) : status;
}

static void test_allocation_failure(void **state)
{
  (void)state;
  long k = 0;
  for (;; k++) {
    at_case("k %ld", k);
    dls_graph *g = NULL;
    dls_mechanics *mechanics = NULL;
    dls_mechanics_work *work = NULL;
    failing_start(k);
    dls_status status = dls_graph_create(&g);
    if (status == DLS_OK) status = build(g, &mechanics, &work);
    const bool failed = failing_stop();
    if (status == DLS_OK) {
      const double p[1] = {0.5}, q[2] = {0.1, 0.2}, v[2] = {0.3, 0.4};
      double store[2][14][16];
      dls_values values[2];
      for (int i = 0; i < 2; i++) {
        double(*s)[16] = store[i];
        values[i] = (dls_values){s[0], s[1], s[2], s[3],  s[4],  s[5],  s[6],
                                 s[7], s[8], s[9], s[10], s[11], s[12], s[13]};
      }
      const long before = allocations_made();
      dls_mechanics_set_parameters(work, p);
      assert_int_equal(dls_mechanics_evaluate(work, 0, q, v, &values[0], &values[1], NULL), DLS_OK);
      assert_int_equal(allocations_made(), before);
    } else {
      assert_int_equal(status, DLS_ERR_MEMORY);
      assert_null(work);
    }
    dls_mechanics_work_free(work);
    dls_mechanics_free(mechanics);
    dls_graph_free(g);
    assert_true(failed == (status == DLS_ERR_MEMORY));
    if (!failed) break;
  }
  assert_true(k > 20);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_allocation_failure)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
