// Fails the k-th allocation of every call on a model, for every k: each time the call must say
// DLS_ERR_MEMORY and leave nothing behind.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cases.h"

#include "failing.h"
#include <delassus/model.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char good[] =
    "# every kind of statement\n"
    "parameter m = 1, L = 2*m, mu = 0.3\n"
    "let l = L/2\n"
    "coordinate x = l*sin(theta), y = l*cos(theta), theta = pi/4\n"
    "velocity theta = 1\n"
    "kinetic m/2*(x'^2 + y'^2) + m*L^2/24*theta'^2\n"
    "potential m*9.81*y\n"
    "dissipation x'^2\n"
    "force x = -abs(x) + max(y, floor(t))\n"
    "bilateral wall: x - l*sin(theta) = 0 { slip y' - l*sin(theta)*theta'; friction mu }\n"
    "unilateral floor: y - l*cos(theta) >= 0 { slip x'; friction mu; restitution 0 }\n"
    "unilateral top: y <= 10\n"
    "let nearest = min(y, x + 50)\n"
    "unilateral sides: nearest >= abs(theta) - 90\n"
    "restitution floor top = 0.5\n"
    "state falling: theta = 1, x' = theta'\n"
    "object rod: x, y, theta\n"
    "exact x = sin(t)\n"
    "let p = (x, y, 1), p2 = cross(p, (y, x, 2))*norm(p)\n"
    "for i in 1..2 { force theta = p2.x*dot(p, (x, i, y))\nlet q[i] = (p - p2).z/i }\n"
    "output E = energy, load = floor.force_n*floor.gap, part = norm(p)\n"
    "event over: x = y { stop; rising }\n";

static const char bad[] = "parameter a = 1 +, b = c\ncoordinate x = y, z = z\nkinetic x'^3 + qq\n"
                          "potental x\nunilateral c: abs(x) >= 0 { slip x'^2; friction -1 }\n"
                          "restitution c d = 1\nstate s: x = s\nparamter k = 2\n"
                          "output x = 2, o = c.slip2 + d.gap\nevent e: abs(x) = 1 { stp }\n";

// Runs the call with ever later failures until none is met.
#define FOR_EACH_FAILURE(call)                            \
  for (long k = 0;; k++) {                                \
    failing_start(k);                                     \
    const dls_status status = (call);                     \
    const bool failed = failing_stop();                   \
    if (failed) assert_int_equal(status, DLS_ERR_MEMORY); \
    AFTER                                                 \
    if (!failed) {                                        \
      assert_int_equal(status, expected);                 \
      assert_true(k > 0);                                 \
      break;                                              \
    }                                                     \
  }

static void test_parse(void **unused)
{
  (void)unused;
  dls_model *model;
  dls_diagnostics d;
  dls_status expected = DLS_OK;
#define AFTER                     \
  if (failed) assert_null(model); \
  dls_model_free(model);
  FOR_EACH_FAILURE(dls_model_parse(good, strlen(good), &model, &d))
  expected = DLS_ERR_MODEL;
  FOR_EACH_FAILURE(dls_model_parse(bad, strlen(bad), &model, &d))
#undef AFTER
}

static void test_system(void **unused)
{
  (void)unused;
  dls_model *model;
  assert_int_equal(dls_model_parse(good, strlen(good), &model, NULL), DLS_OK);
  dls_system *system;
  const dls_status expected = DLS_OK;
#define AFTER                      \
  if (failed) assert_null(system); \
  dls_system_free(system);
  FOR_EACH_FAILURE(dls_model_system(model, &system))
#undef AFTER
  dls_model_free(model);
}

static void test_calls(void **unused)
{
  (void)unused;
  dls_model *model;
  dls_system *system;
  dls_message message;
  double q[3] = {-7, -7, -7}, v[3];
  dls_state state = {.q = q, .v = v};
  assert_int_equal(dls_model_parse(good, strlen(good), &model, NULL), DLS_OK);
  assert_int_equal(dls_model_system(model, &system), DLS_OK);
  const dls_status expected = DLS_OK;
#define AFTER                          \
  if (failed) assert_true(q[0] == -7); \
  q[0] = -7;
  FOR_EACH_FAILURE(dls_model_state(system, "falling", &state, &message))
  FOR_EACH_FAILURE(dls_model_state(system, "theta = 0.5, x' = 2*theta", &state, &message))
#undef AFTER
  unsigned char known[3];
  int row, column;
  double value;
#define AFTER
  FOR_EACH_FAILURE(dls_model_exact(system, 1, q, v, known))
  FOR_EACH_FAILURE(dls_model_restitution(system, 0, &state, &row, &column, &value))
#undef AFTER

  // a set that fails leaves L = 2 m as it was
#define AFTER                                                                      \
  assert_int_equal(dls_model_state(system, "theta = pi/2", &state, NULL), DLS_OK); \
  assert_true(fabs(q[0] - (failed ? 1 : 3)) < 1e-12);
  FOR_EACH_FAILURE(dls_model_set(system, "m", "1 + 2", &message))
#undef AFTER
  dls_system_free(system);
  dls_model_free(model);
}

// Evaluation, new parameter values aside, never touches the heap.
static void test_evaluate(void **unused)
{
  (void)unused;
  dls_model *model;
  dls_system *system;
  dls_values *values, *bound;
  dls_message message;
  double q[3], v[3];
  dls_state state = {.q = q, .v = v};
  assert_int_equal(dls_model_parse(good, strlen(good), &model, NULL), DLS_OK);
  assert_int_equal(dls_model_system(model, &system), DLS_OK);
  assert_int_equal(dls_model_state(system, NULL, &state, NULL), DLS_OK);
  assert_int_equal(dls_values_create(system, &values), DLS_OK);
  assert_int_equal(dls_values_create(system, &bound), DLS_OK);
  const long before = allocations_made();
  for (int k = 0; k < 10; k++) {
    at_case("k %d", k);
    q[0] += 0.25;
    assert_int_equal(
        system->evaluate(system->self, k, q, v, values, k % 2 ? bound : NULL, &message), DLS_OK);
  }
  q[0] = NAN;
  assert_int_equal(system->evaluate(system->self, 0, q, v, values, bound, &message),
                   DLS_ERR_NUMBER);
  assert_int_equal(allocations_made(), before);
  dls_values_free(values);
  dls_values_free(bound);
  dls_system_free(system);
  dls_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_parse),
      cmocka_unit_test(test_system),
      cmocka_unit_test(test_calls),
      cmocka_unit_test(test_evaluate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
