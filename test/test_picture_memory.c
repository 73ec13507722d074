// Pictures when memory runs out: the k-th allocation fails, for every k.
#include "failing.h"
#include <delassus/picture.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "cases.h"

static void run(dls_picture_form form)
{
  const unsigned char cell[] = {0, 1, 1, 0};
  const double value[] = {1, NAN, INFINITY, 2}, x[] = {0, 1};
  const dls_category categories[] = {{"yes", 0xFF, false}, {"undecided", 0xFFFF, true}};
  const dls_regions regions = {
      .nx = 2, .ny = 2, .cell = cell, .categories = 2, .category = categories};
  const dls_field field = {.nx = 2, .ny = 2, .value = value, .label = "number"};
  const dls_curve curve = {.label = "curve", .count = 2, .x = x, .y = x, .marker = DLS_CIRCLE};
  const dls_plot plots[] = {
      {.x = {.label = "x", .high = 1}, .y = {.high = 1}, .regions = &regions},
      {.y = {.label = "y", .logarithmic = true}, .curves = 1, .curve = &curve},
      {.title = "field", .field = &field}};
  const dls_picture picture = {.title = "two words", .plots = 3, .plot = plots, .resolution = 0.3};
  for (long k = 0;; k++) {
    at_case("k %ld", k);
    char *data = NULL;
    size_t size = 0;
    failing_start(k);
    const dls_status status = dls_picture_draw(&picture, form, &data, &size, NULL);
    const bool survived = !failing_stop();
    assert_int_equal(status, survived ? DLS_OK : DLS_ERR_MEMORY);
    if (survived) assert_non_null(data);
    else assert_null(data);
    dls_picture_data_free(data);
    if (survived) {
      assert_true(k > 10);
      return;
    }
  }
}

static void svg(void **state)
{
  (void)state;
  run(DLS_SVG);
}

static void png(void **state)
{
  (void)state;
  run(DLS_PNG);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(svg), cmocka_unit_test(png)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
