// Pictures of mechanisms: complete, the same each time, and no number makes a broken one.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cases.h"

#include <delassus/scene.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const dls_shape shapes[] = {
    {.kind = DLS_SHAPE_SEGMENT, .visible = true, .point = {{0, 0}, {1, 2}}, .width = 2},
    {.kind = DLS_SHAPE_DISC,
     .visible = true,
     .point = {{1, 2}},
     .size = {0.3},
     .fill = true,
     .width = 1},
    {.kind = DLS_SHAPE_BOX,
     .visible = true,
     .size = {1, 2, 0.5},
     .colour = 9,
     .width = 1,
     .dashed = true},
    {.kind = DLS_SHAPE_SPRING, .visible = true, .point = {{0, 0}, {0, 1}}, .width = 1},
    {.kind = DLS_SHAPE_TEXT, .visible = true, .text = "<a & \"b\">", .width = 1},
    {.kind = DLS_SHAPE_FORCE,
     .visible = true,
     .normal = {0, 1},
     .tangent = {{1, 0}},
     .tangents = 1,
     .width = 1},
    {.kind = DLS_SHAPE_PATH, .visible = true, .width = 1},
    {.kind = DLS_SHAPE_DISC, .visible = false, .point = {{NAN, INFINITY}}, .size = {NAN}},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static dls_scene scene_of(const dls_shape *shape, int count)
{
  return (dls_scene){.title = "title",
                     .subtitle = "below",
                     .space = 2,
                     .view = {1, -1, 1},
                     .instants = 1,
                     .count = count,
                     .shape = shape,
                     .force_label = "force"};
}

// Cairo counts its surfaces.
static void forget_number(char *svg)
{
  char *id = strstr(svg, "id=\"surface");
  if (!id) return;
  id += strlen("id=\"surface");
  const size_t digits = strspn(id, "0123456789");
  memmove(id, id + digits, strlen(id + digits) + 1);
}

// Draws twice: the same bytes, a whole document. Returns the SVG.
static char *draw(const dls_scene *scene)
{
  char *svg[2], *png;
  size_t size[2], png_size;
  for (int k = 0; k < 2; k++)
    assert_int_equal(dls_scene_draw(scene, DLS_SVG, &svg[k], &size[k], NULL), DLS_OK);
  for (int k = 0; k < 2; k++) forget_number(svg[k]);
  assert_string_equal(svg[0], svg[1]);
  assert_non_null(strstr(svg[0], "<svg"));
  assert_non_null(strstr(svg[0] + strlen(svg[0]) - 8, "</svg>"));
  assert_null(strstr(svg[0], "nan"));
  assert_null(strstr(svg[0], "inf\""));
  free(svg[1]);
  assert_int_equal(dls_scene_draw(scene, DLS_PNG, &png, &png_size, NULL), DLS_OK);
  assert_memory_equal(png, "\x89PNG", 4);
  free(png);
  return svg[0];
}

static int count_of(const char *text, const char *word)
{
  int count = 0;
  while ((text = strstr(text, word))) count++, text++;
  return count;
}

static void test_plain(void **unused)
{
  (void)unused;
  for (int space = 2; space <= 3; space++) {
    dls_scene scene = scene_of(shapes, SHAPES);
    scene.space = space;
    free(draw(&scene));
    scene.view[0] = scene.view[1] = 0;  // from above, and from below
    free(draw(&scene));
    scene.view[2] = -1;
    free(draw(&scene));
  }
  const dls_scene none = scene_of(shapes, 0);
  free(draw(&none));
}

// A force that is known has one arrow, one that is not has a bar, zero has none; the legend says
// so.
static void test_forces(void **unused)
{
  (void)unused;
  static const double low[][2] = {{NAN, NAN}, {1, -1}, {-INFINITY, 0}, {0, 0}};
  static const double high[][2] = {{NAN, NAN}, {3, 1}, {INFINITY, 0}, {0, 0}};
  size_t length[4];
  for (int k = 0; k < 4; k++) {
    at_case("force %d", k);
    dls_scene_force force = {.name = "floor",
                             .shape = &shapes[5],
                             .value = {k == 3 ? 0 : 2, 0},
                             .friction = 0.5,
                             .unilateral = true,
                             .ground = true};
    for (int c = 0; c < 2; c++) force.low[c] = low[k][c], force.high[c] = high[k][c];
    force.low[2] = force.high[2] = NAN;
    dls_scene scene = scene_of(shapes, SHAPES);
    scene.forces = 1, scene.force = &force;
    char *svg = draw(&scene);
    length[k] = strlen(svg);
    free(svg);
  }
  assert_true(length[3] < length[0]);
  assert_true(length[0] < length[1]);
}

// What stands still is drawn once, what moves at each instant.
static void test_instants(void **unused)
{
  (void)unused;
  dls_shape moving[6] = {{0}};
  for (int k = 0; k < 6; k++) {
    moving[k] = shapes[k % 2 ? 1 : 0];
    if (k % 2) moving[k].point[0][0] = k;
  }
  dls_scene scene = scene_of(moving, 2);
  scene.title = scene.subtitle = NULL;
  scene.instants = 3;
  char *three = draw(&scene);
  // one segment, three discs
  assert_int_equal(count_of(three, "<path"), 1 + 3);
  free(three);
  double point[] = {0, 0, 0, 1, 1, 0, NAN, 0, 0, 2, 1, 0, 3, 1, 0};
  const dls_scene_path path = {.points = 5, .point = point, .shape = &shapes[6]};
  scene.paths = 1, scene.path = &path;
  free(draw(&scene));
}

static void test_hostile(void **unused)
{
  (void)unused;
  static const double far[] = {0, 5e-324, 1e-300, 1e-12, 1e12, 1e150, 1e300, 1.7e308};
  for (size_t k = 0; k < sizeof far / sizeof far[0]; k++)
    for (int sides = 1; sides <= 2; sides++) {
      at_case("far %g, sides %d", far[k], sides);
      dls_shape s[2] = {shapes[0], shapes[1]};
      s[0].point[1][0] = far[k];
      s[0].point[0][0] = sides == 2 ? -far[k] : far[k] / 3;
      s[0].point[1][1] = s[0].point[0][1] = 0;
      s[1].point[0][0] = s[1].point[0][1] = 0, s[1].size[0] = far[k] / 7;
      const dls_shape *force = &shapes[5];
      const dls_scene_force f = {.name = "f",
                                 .shape = force,
                                 .value = {far[k], -far[k]},
                                 .low = {NAN, NAN, NAN},
                                 .high = {NAN, NAN, NAN}};
      dls_scene scene = scene_of(s, 2);
      scene.forces = 1, scene.force = &f;
      char *data = NULL;
      size_t size = 0;
      const dls_status status = dls_scene_draw(&scene, DLS_SVG, &data, &size, NULL);
      assert_true(status == DLS_OK || status == DLS_ERR_NUMBER);
      if (far[k] >= 1e-12 && far[k] <= 1e12) assert_int_equal(status, DLS_OK);
      if (status == DLS_OK) free(draw(&scene));
      free(data);
    }
}

static void test_arguments(void **unused)
{
  (void)unused;
  char *data;
  size_t size;
  dls_scene scene = scene_of(shapes, SHAPES);
  scene.instants = 0;
  assert_int_equal(dls_scene_draw(&scene, DLS_SVG, &data, &size, NULL), DLS_ERR_ARGUMENT);
  scene.instants = 100000;
  assert_int_equal(dls_scene_draw(&scene, DLS_SVG, &data, &size, NULL), DLS_ERR_LIMIT);
  scene = scene_of(shapes, SHAPES), scene.space = 4;
  assert_int_equal(dls_scene_draw(&scene, DLS_SVG, &data, &size, NULL), DLS_ERR_ARGUMENT);
  scene.space = 3, scene.view[0] = NAN;
  assert_int_equal(dls_scene_draw(&scene, DLS_SVG, &data, &size, NULL), DLS_ERR_ARGUMENT);
  scene = scene_of(NULL, 3);
  assert_int_equal(dls_scene_draw(&scene, DLS_SVG, &data, &size, NULL), DLS_ERR_ARGUMENT);
  assert_int_equal(dls_scene_draw(NULL, DLS_SVG, &data, &size, NULL), DLS_ERR_ARGUMENT);
  assert_int_equal(dls_scene_draw(&scene, DLS_SVG, NULL, &size, NULL), DLS_ERR_ARGUMENT);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_plain), cmocka_unit_test(test_forces), cmocka_unit_test(test_instants),
      cmocka_unit_test(test_hostile), cmocka_unit_test(test_arguments)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
