// Drawings and their pictures when memory runs out: the k-th allocation fails, for every k.
#include "language.h"

#include "cases.h"
#include "failing.h"

#include <delassus/scene.h>

static const char text[] =
    "parameter l = 1\ncoordinate x, y = 1\nkinetic x'^2 + y'^2\nlet p = (x, y)\n"
    "unilateral floor: y >= 1 { slip x'; friction 0.3 }\n"
    "draw segment (0, 0), p*l { dashed; colour 2 }\ndraw disc p, l { fill; width 2 }\n"
    "draw box p + (1, 1), l, l, x\ndraw spring p, (0, l)\ndraw path p\ndraw text p, \"p\"\n"
    "for i in 1..2 { draw force floor at (x, y), (i, 0) { normal (0, i); tangent (1, 0) } }\n"
    "draw force floor at p\n";

static void test_parse(void **unused)
{
  (void)unused;
  for (long k = 0;; k++) {
    dls_model *model;
    failing_start(k);
    const dls_status status = dls_model_parse(text, strlen(text), &model, NULL);
    const bool failed = failing_stop();
    assert_int_equal(status, failed ? DLS_ERR_MEMORY : DLS_OK);
    dls_model_free(model);
    if (!failed) break;
  }
}

static void test_create(void **unused)
{
  (void)unused;
  running r = run(text);
  for (long k = 0;; k++) {
    dls_drawing *drawing;
    failing_start(k);
    const dls_status status = dls_drawing_create(r.system, &drawing, &r.message);
    const bool failed = failing_stop();
    assert_int_equal(status, failed ? DLS_ERR_MEMORY : DLS_OK);
    if (failed) assert_null(drawing);
    dls_drawing_free(drawing);
    if (failed) continue;
    assert_true(k > 10);
    break;
  }
  stop(&r);
}

// Evaluating allocates nothing.
static void test_evaluate(void **unused)
{
  (void)unused;
  running r = run(text);
  dls_drawing *drawing;
  assert_int_equal(dls_drawing_create(r.system, &drawing, &r.message), DLS_OK);
  go_to(&r, "");
  failing_start(0);
  const dls_status status = dls_drawing_evaluate_forces(drawing, &r.state, &r.message);
  assert_false(failing_stop());
  assert_int_equal(status, DLS_OK);
  dls_drawing_free(drawing);
  stop(&r);
}

static void test_scene(void **unused)
{
  (void)unused;
  running r = run(text);
  dls_drawing *drawing;
  assert_int_equal(dls_drawing_create(r.system, &drawing, &r.message), DLS_OK);
  go_to(&r, "");
  assert_int_equal(dls_drawing_evaluate_forces(drawing, &r.state, &r.message), DLS_OK);
  const int count = dls_drawing_count(drawing);
  const dls_shape *shape = dls_drawing_shapes(drawing);
  const dls_scene_force force = {.name = "floor",
                                 .shape = &shape[count - 1],
                                 .value = {1, 0.1},
                                 .low = {0.5, NAN},
                                 .high = {INFINITY, NAN},
                                 .friction = 0.3,
                                 .unilateral = true,
                                 .ground = true};
  const dls_scene scene = {.title = "two words",
                           .subtitle = "below",
                           .space = 2,
                           .instants = 1,
                           .count = count,
                           .shape = shape,
                           .forces = 1,
                           .force = &force,
                           .force_label = "force",
                           .resolution = 0.3};
  for (int form = 0; form < 2; form++)
    for (long k = 0;; k++) {
      char *data = NULL;
      size_t size = 0;
      at_case("k %ld", k);
      failing_start(k);
      const dls_status status =
          dls_scene_draw(&scene, form ? DLS_PNG : DLS_SVG, &data, &size, &r.message);
      const bool failed = failing_stop();
      assert_int_equal(status, failed ? DLS_ERR_MEMORY : DLS_OK);
      if (failed) assert_null(data);
      dls_picture_data_free(data);
      if (!failed) break;
    }
  dls_drawing_free(drawing);
  stop(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_parse), cmocka_unit_test(test_create),
                                     cmocka_unit_test(test_evaluate), cmocka_unit_test(test_scene)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
