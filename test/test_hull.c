// Convex hulls: known ones, random ones against their definition, what has none.
#include <delassus/hull.h>

#include "shape/form.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "numbers.h"
#include "solid_features.h"

static dls_hull *hull_of(int points, const double *point)
{
  dls_hull *hull = NULL;
  dls_message message = {{0}};
  const dls_status status = dls_hull_create(points, point, &hull, &message);
  if (status) fail_msg("%s: %s", dls_status_text(status), message.text);
  return hull;
}

// It is a solid, its corners are points, and all points are in it but for a part of its size.
static void check(const dls_hull *hull, int points, const double *point, double part)
{
  const dls_solid solid = {.name = "hull",
                           .kind = DLS_SOLID_HULL,
                           .vertices = hull->vertices,
                           .faces = hull->faces,
                           .vertex = hull->vertex,
                           .first = hull->first,
                           .face = hull->face};
  dls_form *form = NULL;
  dls_message message = {{0}};
  if (dls_form_create(&solid, &form, &message)) fail_msg("%s", message.text);
  for (int v = 0; v < hull->vertices; v++) {
    bool found = false;
    for (int k = 0; k < points && !found; k++)
      found = memcmp(&point[3 * k], &hull->vertex[3 * v], 3 * sizeof *point) == 0;
    assert_true(found);
  }
  double centre[3];
  const double allowed = part * dls_form_radius(form, centre);
  for (int f = 0; f < hull->faces; f++)
    for (int k = 0; k < points; k++) {
      double above = 0;
      for (int i = 0; i < 3; i++)
        above += form->mesh.normal[3 * f + i] * (point[3 * k + i] - form->mesh.middle[3 * f + i]);
      assert_true(above <= allowed);
    }
  dls_form_free(form);
}

static void cubes(void **state)
{
  (void)state;
  // a cube of 5 x 5 x 5 points, some of them twice, turned, scaled, in single precision
  for (int k = 0; k < 40; k++) {
    double point[3 * 130], R[9];
    const double scale = pow(10, 8 * uniform()), far = k % 2 ? 3 * scale : 0;
    random_rotation(R);
    if (k % 5 == 0)
      for (int i = 0; i < 9; i++) R[i] = i % 4 == 0;
    for (int j = 0; j < 130; j++) {
      const double x[3] = {j % 5 - 2, j / 5 % 5 - 2, j / 25 % 5 - 2};
      for (int i = 0; i < 3; i++) {
        point[3 * j + i] =
            far + scale * (R[3 * i] * x[0] + R[3 * i + 1] * x[1] + R[3 * i + 2] * x[2]);
        if (k % 3 == 0) point[3 * j + i] = (float)point[3 * j + i];
      }
    }
    dls_hull *hull = hull_of(130, point);
    assert_int_equal(hull->faces, 6);
    assert_int_equal(hull->vertices, 8);
    check(hull, 130, point, 1e-5);
    dls_hull_free(hull);
  }
}

static void random_points(void **state)
{
  (void)state;
  for (int k = 0; k < TRIED(80); k++) {
    enum { MOST = 400 };
    double point[3 * MOST];
    const int n = 4 + below(MOST - 4), kind = below(3);
    for (int j = 0; j < n; j++) {
      random_unit(&point[3 * j]);
      for (int i = 0; i < 3; i++) point[3 * j + i] *= kind == 0 ? 1 : kind == 1 ? uniform() : 1 + i;
      if (kind == 2 && j > 5 && below(3) == 0)  // in a plane with others
        for (int i = 0; i < 3; i++)
          point[3 * j + i] = point[i] / 4 + point[3 + i] / 4 + point[6 + i] / 2;
    }
    dls_hull *hull = hull_of(n, point);
    if (kind == 0) assert_int_equal(hull->vertices, n);
    check(hull, n, point, 1e-5);
    dls_hull_free(hull);
  }
}

static void large(void **state)
{
  (void)state;
  const int n = 200000;
  double *point = vector(3 * n);
  for (int j = 0; j < n; j++) {
    random_unit(&point[3 * j]);
    if (j > 5000)
      for (int i = 0; i < 3; i++) point[3 * j + i] *= 0.5 * uniform();
  }
  dls_hull *hull = hull_of(n, point);
  assert_in_range(hull->vertices, 4990, 5001);  // those nearly in a plane with others may be merged
  dls_hull_free(hull);
  free(point);
}

static void refused(int points, const double *point, dls_status expected)
{
  dls_hull *hull = NULL;
  dls_message message = {{0}};
  assert_int_equal(dls_hull_create(points, point, &hull, &message), expected);
  assert_null(hull);
  assert_true(strlen(message.text) > 0);
}

static void no_hulls(void **state)
{
  (void)state;
  double point[300];
  for (int k = 0; k < 300; k++) point[k] = uniform();
  refused(3, point, DLS_ERR_ARGUMENT);
  refused(0, NULL, DLS_ERR_ARGUMENT);
  point[77] = NAN, refused(100, point, DLS_ERR_NUMBER);
  point[77] = -INFINITY, refused(100, point, DLS_ERR_NUMBER);
  for (int k = 0; k < 100; k++) point[3 * k + 2] = 0.5;
  refused(100, point, DLS_ERR_ARGUMENT);
  for (int k = 0; k < 100; k++) point[3 * k + 2] = point[3 * k] - 2 * point[3 * k + 1] + 1;
  refused(100, point, DLS_ERR_ARGUMENT);
  for (int k = 0; k < 100; k++) point[3 * k + 1] = point[3 * k + 2] = 1;
  refused(100, point, DLS_ERR_ARGUMENT);
  for (int k = 0; k < 300; k++) point[k] = 1;
  refused(100, point, DLS_ERR_ARGUMENT);
  for (int k = 0; k < 300; k++) point[k] = 1e-320 * (k % 7);
  refused(100, point, DLS_ERR_ARGUMENT);
  dls_hull_free(NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(cubes), cmocka_unit_test(random_points),
                                     cmocka_unit_test(large), cmocka_unit_test(no_hulls)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
