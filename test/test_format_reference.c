// Robots of public collections against numbers from MuJoCo, where the data are there.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cases.h"

#include "numbers.h"
#include "robot.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// How far numbers may be apart, relative to the largest of their kind.
static const double close_enough = 1e-9;

typedef struct reference {
  const char *file, *numbers;  // under data/robots
  dls_import_base base;
} reference;

static const reference references[] = {
    {"agility_cassie/cassie.xml", "agility_cassie-cassie", DLS_BASE_BY_MASS},
    {"dm_control/finger.xml", "dm_control-finger", DLS_BASE_BY_MASS},
    {"gym/ant.xml", "gym-ant", DLS_BASE_BY_MASS},
    {"gym/half_cheetah.xml", "gym-half_cheetah", DLS_BASE_BY_MASS},
    {"gym/inverted_double_pendulum.xml", "gym-inverted_double_pendulum", DLS_BASE_BY_MASS},
    {"humanoid/humanoid.xml", "humanoid-humanoid", DLS_BASE_BY_MASS},
    {"robotiq_2f85/2f85.xml", "robotiq_2f85-2f85", DLS_BASE_BY_MASS},
    {"shadow_hand/right_hand.xml", "shadow_hand-right_hand", DLS_BASE_BY_MASS},
    {"wonik_allegro/left_hand.xml", "wonik_allegro-left_hand", DLS_BASE_BY_MASS},
    {"example-robot-data/robots/double_pendulum_description/urdf/double_pendulum.urdf",
     "urdf-double_pendulum", DLS_BASE_FIXED},
    {"example-robot-data/robots/solo_description/robots/solo12.urdf", "urdf-solo12",
     DLS_BASE_FIXED},
};

static double *numbers_of(const json_t *state, const char *name, int *count)
{
  const json_t *array = json_object_get(state, name);
  *count = (int)json_array_size(array);
  double *out = calloc((size_t)*count + 1, sizeof *out);
  for (int k = 0; k < *count; k++) {
    const json_t *item = json_array_get(array, (size_t)k);
    assert_false(json_is_array(item));
    out[k] = json_number_value(item);
  }
  return out;
}

// The rows of a matrix one after another, whether they are arrays of their own or not.
static double *flat(const json_t *state, const char *name, int *count)
{
  const json_t *array = json_object_get(state, name);
  if (!json_is_array(json_array_get(array, 0))) return numbers_of(state, name, count);
  const int rows = (int)json_array_size(array);
  const int columns = (int)json_array_size(json_array_get(array, 0));
  *count = rows * columns;
  double *out = calloc((size_t)*count + 1, sizeof *out);
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < columns; j++)
      out[i * columns + j] =
          json_number_value(json_array_get(json_array_get(array, (size_t)i), (size_t)j));
  }
  return out;
}

static void compare(const json_t *state, const char *name, const double *mine, int count)
{
  int wanted = 0;
  double *truth = flat(state, name, &wanted), size = 1e-6;
  at_case("%s", name);
  assert_int_equal(count, wanted);
  for (int k = 0; k < count; k++) size = fmax(size, fabs(truth[k]));
  for (int k = 0; k < count; k++) {
    if (!(fabs(mine[k] - truth[k]) <= close_enough * size))
      print_message("%s[%d]: %.17g, not %.17g\n", name, k, mine[k], truth[k]);
    assert_true(fabs(mine[k] - truth[k]) <= close_enough * size);
  }
  free(truth);
}

// The first row of positions is the world's.
static void compare_poses(const json_t *state, const robot *r)
{
  const int bodies = r->import->mechanism.bodies;
  int count = 0;
  double *p = flat(state, "xpos", &count), *q = flat(state, "xquat", &count);
  assert_int_equal(count, 4 * (bodies + 1));
  for (int b = 0; b < bodies; b++) {
    const double *at = p + 3 * (b + 1), *t = q + 4 * (b + 1);
    for (int k = 0; k < 3; k++) close_to(r->p[b][k], at[k], close_enough);
    // the first column of the rotation, and the last
    const double x[3] = {t[0] * t[0] + t[1] * t[1] - t[2] * t[2] - t[3] * t[3],
                         2 * (t[1] * t[2] + t[0] * t[3]), 2 * (t[1] * t[3] - t[0] * t[2])};
    const double z[3] = {2 * (t[1] * t[3] + t[0] * t[2]), 2 * (t[2] * t[3] - t[0] * t[1]),
                         t[0] * t[0] - t[1] * t[1] - t[2] * t[2] + t[3] * t[3]};
    for (int k = 0; k < 3; k++) {
      close_to(r->R[b][3 * k], x[k], close_enough);
      close_to(r->R[b][3 * k + 2], z[k], close_enough);
    }
  }
  free(p), free(q);
}

static void check_state(robot *r, const json_t *state)
{
  int nq = 0, nv = 0;
  double *q = numbers_of(state, "qpos", &nq), *v = numbers_of(state, "qvel", &nv);
  assert_int_equal(nq, r->nq);
  assert_int_equal(nv, r->nv);
  assert_true(robot_at(r, q, v, NULL));
  compare_poses(state, r);
  compare(state, "M", r->M, r->nv * r->nv);
  compare(state, "qfrc_bias", r->bias, r->nv);
  compare(state, "qfrc_passive", r->passive, r->nv);
  free(q), free(v);
}

static void check(const char *folder, const reference *of)
{
  char path[600];
  snprintf(path, sizeof path, "%s/reference/%s.json", folder, of->numbers);
  json_t *numbers = json_load_file(path, 0, NULL);
  assert_non_null(numbers);
  snprintf(path, sizeof path, "%s/%s", folder, of->file);
  const dls_import_options options = {.base = of->base};
  dls_import *import = NULL;
  dls_message message = {""};
  const dls_status status = dls_import_read(path, &options, &import, &message);
  if (status) print_message("%s\n", message.text);
  assert_int_equal(status, DLS_OK);
  robot r;
  assert_true(robot_make(&r, import));
  const json_t *states = json_object_get(numbers, "states");
  assert_true(json_array_size(states) > 0);
  for (size_t k = 0; k < json_array_size(states); k++) check_state(&r, json_array_get(states, k));
  robot_free(&r);
  dls_import_free(import);
  json_decref(numbers);
}

static void robots_move_as_in_mujoco(void **unused)
{
  (void)unused;
  const char *source = getenv("DELASSUS_SOURCE");
  char folder[400];
  snprintf(folder, sizeof folder, "%.300s/../shared/data/robots", source ? source : ".");
  const char *other = getenv("DLS_TEST_ROBOTS");
  if (other) snprintf(folder, sizeof folder, "%.390s", other);
  char probe[500];
  snprintf(probe, sizeof probe, "%s/README.md", folder);
  FILE *file = fopen(probe, "rb");
  if (!file) {
    print_message("there are no robots in %s: skipped\n", folder);
    skip();
  }
  fclose(file);
  for (size_t k = 0; k < sizeof references / sizeof *references; k++) {
    at_case("%s", references[k].file);
    print_message("%s\n", references[k].file);
    check(folder, &references[k]);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(robots_move_as_in_mujoco)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
