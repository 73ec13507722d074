// Solids as features: numbers, names, places; what is no solid is refused.
#include "shape/form.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "numbers.h"

static dls_form *form_of(const dls_solid *solid)
{
  dls_form *form = NULL;
  dls_message message = {{0}};
  const dls_status status = dls_form_create(solid, &form, &message);
  if (status) fail_msg("%s", message.text);
  return form;
}

static void names(const dls_form *form, int feature, const char *expected)
{
  char name[40];
  dls_form_feature_name(form, feature, name, sizeof name);
  assert_string_equal(name, expected);
}

static void boxes(void **state)
{
  (void)state;
  const dls_solid solid = {.name = "box", .kind = DLS_SOLID_BOX, .size = {2, 4, 6}};
  dls_form *form = form_of(&solid);
  assert_int_equal(dls_form_features(form), 27);
  names(form, 26, "corner+++"), names(form, 0, "corner---"), names(form, 2, "corner+--");
  names(form, 14, "face+00"), names(form, 22, "face00+"), names(form, 23, "edge+0+");
  int kinds[6] = {0};
  for (int f = 0; f < 27; f++) {
    const dls_feature a = dls_form_feature(form, f);
    kinds[a.kind]++;
    if (a.kind == DLS_FEATURE_LINE)
      for (int k = 0; k < 2; k++) {
        double along = 0, out = 0;
        for (int i = 0; i < 3; i++)
          along += a.axis[i] * a.side[k][i], out += a.at[i] * a.side[k][i];
        close_to(along, 0, 0), assert_true(out > 0);
      }
  }
  assert_int_equal(kinds[DLS_FEATURE_NONE], 1), assert_int_equal(kinds[DLS_FEATURE_POINT], 8);
  assert_int_equal(kinds[DLS_FEATURE_LINE], 12), assert_int_equal(kinds[DLS_FEATURE_FACE], 6);
  for (int k = 0; k < 8; k++)
    assert_int_equal(dls_form_feature(form, dls_form_of_vertex(form, k)).kind, DLS_FEATURE_POINT);
  for (int k = 0; k < 12; k++)
    assert_int_equal(dls_form_feature(form, dls_form_of_edge(form, k)).kind, DLS_FEATURE_LINE);
  for (int k = 0; k < 6; k++) {
    const dls_feature a = dls_form_feature(form, dls_form_of_face(form, k));
    for (int i = 0; i < 3; i++) close_to(a.axis[i], form->mesh.normal[3 * k + i], 0);
    for (int i = 0; i < 3; i++) close_to(a.at[i], form->mesh.middle[3 * k + i], 0);
  }
  double centre[3];
  close_to(dls_form_radius(form, centre), sqrt(14), 1e-15);
  dls_form_free(form);
}

static void cylinders(void **state)
{
  (void)state;
  const dls_solid solid = {.name = "can", .kind = DLS_SOLID_CYLINDER, .size = {2, 6}};
  dls_form *form = form_of(&solid);
  assert_int_equal(dls_form_features(form), 53);
  names(form, 0, "side"), names(form, 1, "rim-"), names(form, 4, "cap+"), names(form, 5, "rim-0");
  names(form, 28, "rim+11"), names(form, 29, "chord-0"), names(form, 52, "chord+11");
  for (int k = 0; k < 12; k++) {
    const double pi = acos(-1), t = pi * k / 6;
    const dls_feature x = dls_form_feature(form, DLS_CYLINDER_POINT + 12 + k);
    close_to(x.at[0], 2 * cos(t), 1e-14), close_to(x.at[1], 2 * sin(t), 1e-14);
    close_to(x.at[2], 3, 0);
    const dls_feature c = dls_form_feature(form, DLS_CYLINDER_CHORD + 12 + k);
    const double d = 2 * cos(pi / 12), h = t + pi / 12;
    close_to(c.at[0], d * cos(h), 1e-14), close_to(c.at[1], d * sin(h), 1e-14);
    close_to(c.axis[0], -sin(h), 1e-14), close_to(c.axis[1], cos(h), 1e-14);
    close_to(c.side[1][0], cos(h), 1e-14), close_to(c.side[1][1], sin(h), 1e-14);
    close_to(c.half_length, 2 * sin(pi / 12), 1e-14);
  }
  dls_form_free(form);
}

// A pyramid over a square.
static const double corner[15] = {1, 1, 0, -1, 1, 0, -1, -1, 0, 1, -1, 0, 0, 0, 1};
static const int first[6] = {0, 4, 7, 10, 13, 16};
static const int face[16] = {3, 2, 1, 0, 0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4};

static dls_solid pyramid(void)
{
  return (dls_solid){.name = "pyramid",
                     .kind = DLS_SOLID_HULL,
                     .vertices = 5,
                     .faces = 5,
                     .vertex = corner,
                     .first = first,
                     .face = face};
}

static void hulls(void **state)
{
  (void)state;
  const dls_solid solid = pyramid();
  dls_form *form = form_of(&solid);
  assert_int_equal(dls_form_features(form), 5 + 8 + 5);
  names(form, 4, "vertex4"), names(form, 5, "edge0-1"), names(form, 6, "edge0-3");
  names(form, 7, "edge0-4"), names(form, 13, "face0"), names(form, 17, "face4");
  const dls_feature f = dls_form_feature(form, 14);
  close_to(f.axis[1], sqrt(0.5), 1e-15), close_to(f.axis[2], sqrt(0.5), 1e-15);
  dls_form_free(form);
}

static void refused(const dls_solid *solid)
{
  dls_form *form = NULL;
  dls_message message = {{0}};
  assert_int_equal(dls_form_create(solid, &form, &message), DLS_ERR_MODEL);
  assert_null(form);
  assert_true(strlen(message.text) > 0);
}

static void no_solids(void **state)
{
  (void)state;
  dls_solid solid = {.name = "s", .kind = DLS_SOLID_SPHERE, .size = {0}};
  refused(&solid);
  solid.size[0] = NAN, refused(&solid);
  solid.size[0] = INFINITY, refused(&solid);
  solid = pyramid();
  int other[16];
  const int spoiled[][2] = {{0, 1}, {0, 7}, {0, -1}, {5, 2}};
  for (int k = 0; k < 4; k++) {
    memcpy(other, face, sizeof face);
    other[spoiled[k][0]] = spoiled[k][1];
    solid.face = other;
    refused(&solid);
  }
  for (int k = 0; k < 16; k++) other[k] = face[k];
  for (int f = 0; f < 5; f++)  // inside out
    for (int k = first[f]; k < first[f + 1]; k++) other[k] = face[first[f] + first[f + 1] - 1 - k];
  refused(&solid);
  solid = pyramid();
  double moved[15];
  memcpy(moved, corner, sizeof corner);
  moved[14] = -1, solid.vertex = moved;
  refused(&solid);
  moved[14] = NAN, refused(&solid);
  moved[14] = 0, refused(&solid);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(boxes), cmocka_unit_test(cylinders),
                                     cmocka_unit_test(hulls), cmocka_unit_test(no_solids)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
