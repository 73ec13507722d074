// Fails the k-th allocation of every reading of a file, for every k: each time the call must say
// DLS_ERR_MEMORY and leave nothing behind.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cases.h"

#include "failing.h"

#include <delassus/import.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char mjcf[] =
    "<mujoco><compiler autolimits='true' balanceinertia='true'/>"
    "<default><joint damping='1'/><default class='a'><geom density='3'/></default></default>"
    "<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 2 1 0 1 3 0 3 2 1 2 3'/>"
    "<mesh name='n' file='FOLDER.obj'/></asset>"
    "<worldbody><geom name='floor' type='plane' size='1 1 1' condim='1'/>"
    "<body name='b' euler='1 2 3'><joint name='j' ref='3' springdamper='1 1'/><site name='s'/>"
    "<geom name='g' fromto='0 0 0 1 0 0' size='.1' type='capsule'/><geom class='a' size='1'/>"
    "<body><joint name='k' type='slide' range='0 1'/>"
    "<inertial pos='0 0 1' mass='1' fullinertia='1 1 1 0 0 .1'/></body></body>"
    "<replicate count='2' offset='0 0 1'><body name='r'><freejoint/>"
    "<geom type='mesh' mesh='m' contype='0' conaffinity='0'/>"
    "<geom type='box' mesh='n' contype='0' conaffinity='0'/></body></replicate></worldbody>"
    "<contact><exclude body1='b' body2='r0'/><pair geom1='g' geom2='floor'/></contact>"
    "<equality><connect body1='b' body2='r1' anchor='0 0 0'/><weld body1='b' body2='r0'/>"
    "<joint joint1='j' joint2='k'/></equality>"
    "<tendon><fixed name='t'><joint joint='j' coef='1'/><joint joint='k' "
    "coef='2'/></fixed></tendon>"
    "<actuator><motor joint='j'/><position tendon='t' dampratio='1' kp='3'/>"
    "<motor site='s' gear='1 2 3'/></actuator>"
    "<keyframe><key name='home' qvel='1 2 0 0 0 0 0 0 0 0 0 0 0 0'/></keyframe></mujoco>";

static const char urdf[] =
    "<robot name='r'><link name='a'><inertial><mass value='1'/>"
    "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
    "<collision><geometry><box size='1 1 1'/></geometry></collision>"
    "<collision><geometry><sphere radius='1'/></geometry></collision></link><link name='b'/>"
    "<link name='c'/>"
    "<joint name='j' type='revolute'><parent link='a'/><child link='b'/><limit lower='0' upper='1' "
    "effort='3'/></joint>"
    "<joint name='k' type='planar'><parent link='b'/><child link='c'/><mimic joint='l'/></joint>"
    "<link name='d'/><joint name='l' type='continuous'><parent link='a'/><child link='d'/>"
    "<mimic joint='j' multiplier='2'/></joint></robot>";

static char folder[300], path[320], mesh_path[320];

static void put(const char *where, const char *text)
{
  FILE *file = fopen(where, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  fclose(file);
}

// Reads the file with ever later failures until none is met; returns the last status.
static dls_status read_failing(void)
{
  for (long k = 0;; k++) {
    dls_import *import = NULL;
    dls_message message = {""};
    failing_start(k);
    const dls_status status = dls_import_read(path, NULL, &import, &message);
    const bool failed = failing_stop();
    at_case("allocation %ld: %s", k, message.text);
    assert_true((status == DLS_OK) == (import != NULL));
    dls_import_free(import);
    if (!failed) {
      assert_true(k > 3);
      return status;
    }
    assert_int_equal(status, DLS_ERR_MEMORY);
    assert_string_equal(message.text, "out of memory");
  }
}

static void test_mjcf(void **unused)
{
  (void)unused;
  char text[4000];
  const char *mark = strstr(mjcf, "FOLDER");
  snprintf(text, sizeof text, "%.*smesh%s", (int)(mark - mjcf), mjcf, mark + strlen("FOLDER"));
  put(path, text);
  assert_int_equal(read_failing(), DLS_OK);
}

static void test_urdf(void **unused)
{
  (void)unused;
  put(path, urdf);
  // the mimic of a planar joint is wrong: the message is made of memory too
  assert_int_equal(read_failing(), DLS_ERR_MODEL);
}

static void test_points(void **unused)
{
  (void)unused;
  for (long k = 0;; k++) {
    int count = 0;
    double *point = NULL;
    dls_message message = {""};
    failing_start(k);
    const dls_status status = dls_import_points(mesh_path, &count, &point, &message);
    const bool failed = failing_stop();
    free(point);
    if (!failed) {
      assert_int_equal(status, DLS_OK);
      assert_int_equal(count, 4);
      break;
    }
    assert_int_equal(status, DLS_ERR_MEMORY);
    assert_null(point);
  }
}

static void test_files(void **unused)
{
  (void)unused;
  const dls_import_package package = {"p", "/tmp"};
  const dls_import_options options = {.packages = 1, .package = &package};
  for (long k = 0;; k++) {
    dls_model_files *files = NULL;
    dls_message message = {""};
    failing_start(k);
    const dls_status status = dls_model_files_create(path, &options, &files, &message);
    const bool failed = failing_stop();
    assert_true((status == DLS_OK) == (files != NULL));
    dls_model_files_free(files);
    if (!failed) {
      assert_int_equal(status, DLS_OK);
      break;
    }
    assert_int_equal(status, DLS_ERR_MEMORY);
  }
}

static int set_up(void **unused)
{
  (void)unused;
  const char *base = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%.250s/delassus-format-XXXXXX", base ? base : "/tmp");
  if (!mkdtemp(folder)) return -1;
  snprintf(path, sizeof path, "%s/model.xml", folder);
  snprintf(mesh_path, sizeof mesh_path, "%s/mesh.obj", folder);
  put(mesh_path, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  return 0;
}

static int tear_down(void **unused)
{
  (void)unused;
  unlink(path);
  unlink(mesh_path);
  return rmdir(folder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mjcf),
      cmocka_unit_test(test_urdf),
      cmocka_unit_test(test_points),
      cmocka_unit_test(test_files),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
