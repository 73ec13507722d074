// Compiling equations when memory runs out: the k-th allocation fails, for every k.
#include "language.h"

#include "cases.h"
#include "failing.h"
#include "native_case.h"

#include <delassus/native.h>

static const char text[] =
    "parameter m = 2\ncoordinate x = 0.4, y\nkinetic m*x'^2*cos(y) + y'^2\npotential x*y/3\n"
    "unilateral wall: x + sin(y) >= 0\n";

// With the result there, and without.
static void test_each(void **state)
{
  const dls_native_options how = {.directory = *state};
  int failed = 0;
  for (long k = 0;; k++) {
    at_case("k %ld", k);
    running r = run(text);
    assert_int_equal(dls_model_differentiate(r.system, NULL), DLS_OK);
    failing_start(k);
    const dls_status status = dls_model_compile(r.system, &how, &r.message);
    const bool missed = failing_stop();
    failed += missed;
    if (status != DLS_OK) assert_true(r.message.text[0]);
    if (!missed) assert_int_equal(status, DLS_OK);
    go_to(&r, NULL);
    dls_values *values;
    assert_int_equal(dls_values_create(r.system, &values), DLS_OK);
    assert_int_equal(
        r.system->evaluate(r.system->self, 0, r.state.q, r.state.v, values, NULL, NULL), DLS_OK);
    assert_near(values->M[0], 4);
    dls_values_free(values);
    stop(&r);
    if (!missed) break;
  }
  assert_true(failed > 10);
}

int main(void)
{
  static char directory[100];
  snprintf(directory, sizeof directory, "%s", native_directory());
  const struct CMUnitTest tests[] = {{"each", test_each, NULL, NULL, directory},
                                     {"again", test_each, NULL, NULL, directory}};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
