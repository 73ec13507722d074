// What URDF files say, one thing at a time; random ones against MuJoCo.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cases.h"

#include "import_text.h"
#include "mujoco.h"
#include "numbers.h"
#include "robot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INERTIAL                                                                          \
  "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>" \
  "</inertial>"
#define JOINT(name, type, parent, child, more)                                            \
  "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child \
  "'/>" more "</joint>"

// Depth first, children in the order of the joints.
static void order(void **unused)
{
  (void)unused;
  dls_import *import = import_text(
      "<robot name='r'><link name='d'/><link name='c'/><link name='b'/><link name='a'/>"
      "<link name='e'/>" JOINT("j1", "fixed", "a", "b", "") JOINT("j2", "continuous", "b", "c", "")
          JOINT("j3", "prismatic", "a", "d", "") JOINT("j4", "fixed", "b", "e", "") "</robot>",
      NULL);
  static const char *const names[] = {"a", "b", "c", "e", "d"};
  static const int parents[] = {-1, 0, 1, 1, 0};
  assert_int_equal(import->mechanism.bodies, 5);
  for (int k = 0; k < 5; k++) {
    assert_string_equal(import->mechanism.body[k].name, names[k]);
    assert_int_equal(import->mechanism.body[k].parent, parents[k]);
  }
  assert_int_equal(import->mechanism.joints, 2);
  assert_string_equal(import->mechanism.joint[0].name, "j2");
  assert_int_equal(import->mechanism.joint[1].kind, DLS_JOINT_SLIDE);
  dls_import_free(import);
}

static void first_links(void **unused)
{
  (void)unused;
  static const struct {
    const char *text;
    dls_import_base base;
    int bodies, joints;
  } wanted[] = {
      {"<robot><link name='a'>" INERTIAL "</link></robot>", DLS_BASE_BY_MASS, 1, 1},
      {"<robot><link name='a'>" INERTIAL "</link></robot>", DLS_BASE_FREE, 1, 1},
      {"<robot><link name='a'>" INERTIAL "</link></robot>", DLS_BASE_FIXED, 1, 0},
      {"<robot><link name='a'/></robot>", DLS_BASE_BY_MASS, 1, 0},
      {"<robot><link name='a'/></robot>", DLS_BASE_FREE, 1, 1},
      {"<robot><link name='world'/></robot>", DLS_BASE_BY_MASS, 0, 0},
      {"<robot><link name='world'>" INERTIAL "</link></robot>", DLS_BASE_FIXED, 0, 0},
      {"<robot><link name='world'>" INERTIAL "</link></robot>", DLS_BASE_FREE, 1, 1},
  };
  for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
    at_case("%s, base %d", wanted[k].text, (int)wanted[k].base);
    const dls_import_options options = {.base = wanted[k].base};
    dls_import *import = import_text(wanted[k].text, &options);
    assert_int_equal(import->mechanism.bodies, wanted[k].bodies);
    assert_int_equal(import->mechanism.joints, wanted[k].joints);
    dls_import_free(import);
  }
}

static void joints(void **unused)
{
  (void)unused;
  dls_import *import = import_text(
      "<robot name='r'><link name='world'/><link name='a'/><link name='b'/><link name='c'/>"
      "<link name='d'/><link name='e'/>" JOINT(
          "hip", "revolute", "world", "a",
          "<origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/><axis xyz='0 0 2'/>"
          "<limit lower='-1' upper='2' effort='5' velocity='3'/>"
          "<dynamics damping='4' friction='5'/>")
          JOINT("plane", "planar", "a", "b", "<axis xyz='0 0 1'/>")
              JOINT("float", "floating", "world", "c", "")
                  JOINT("wheel", "continuous", "b", "d",
                        "<limit lower='-1' upper='1'/><mimic joint='hip' multiplier='2' "
                        "offset='0.5'/>") JOINT("hang", "floating", "d", "e", "") "</robot>",
      NULL);
  const dls_mechanism *m = &import->mechanism;
  const dls_joint *hip = &m->joint[import_joint(import, "hip")];
  close_to(m->body[0].pose.position[1], 2, 0);
  close_to(m->body[0].pose.quaternion[3], sqrt(0.5), 1e-15);
  close_to(hip->axis[2], 1, 0);
  close_to(hip->damping, 4, 0);
  close_to(hip->friction, 5, 0);
  assert_true(hip->limited);
  close_to(hip->range[1], 2, 0);
  assert_int_equal(import_note(import, "limit effort"), 1);
  assert_int_equal(import_note(import, "limit velocity"), 1);
  const int plane = import_joint(import, "plane_TX");
  assert_int_equal(m->joint[plane].kind, DLS_JOINT_SLIDE);
  close_to(m->joint[plane].axis[0], 1, 1e-15);
  assert_string_equal(m->joint[plane + 2].name, "plane_RZ");
  assert_int_equal(m->joint[plane + 2].kind, DLS_JOINT_HINGE);
  assert_int_equal(m->joint[import_joint(import, "float")].kind, DLS_JOINT_FREE);
  assert_int_equal(m->joint[import_joint(import, "hang_R")].kind, DLS_JOINT_BALL);
  const int wheel = import_joint(import, "wheel");
  assert_false(m->joint[wheel].limited);
  assert_int_equal(m->closures, 1);
  assert_int_equal(m->closure[0].joint[0], wheel);
  assert_int_equal(m->closure[0].joint[1], import_joint(import, "hip"));
  close_to(m->closure[0].polynomial[0], 0.5, 0);
  close_to(m->closure[0].polynomial[1], 2, 0);
  dls_import_free(import);
}

static void links(void **unused)
{
  (void)unused;
  dls_import *import = import_text(
      "<robot name='r'><material name='m'/><link name='a'><inertial>"
      "<origin xyz='1 0 0' rpy='0 0 1.5707963267948966'/><mass value='2'/>"
      "<inertia ixx='1' iyy='2' izz='3' ixy='0' ixz='0' iyz='0'/></inertial>"
      "<visual><geometry><mesh filename='none.dae'/></geometry></visual>"
      "<collision><origin xyz='0 0 1'/><geometry><box size='1 2 3'/></geometry></collision>"
      "<collision name='ball'><geometry><sphere radius='2'/></geometry></collision>"
      "<collision><geometry><cylinder radius='1' length='4'/></geometry></collision>"
      "</link><gazebo reference='a'><mu1>1</mu1></gazebo></robot>",
      NULL);
  const dls_mechanism *m = &import->mechanism;
  close_to(m->body[0].mass, 2, 0);
  close_to(m->body[0].centre[0], 1, 0);
  const double inertia[6] = {2, 1, 3, 0, 0, 0};
  for (int k = 0; k < 6; k++) close_to(m->body[0].inertia[k], inertia[k], 1e-15);
  assert_int_equal(m->solids, 3);
  assert_int_equal(m->solid[0].kind, DLS_SOLID_BOX);
  close_to(m->solid[0].size[2], 3, 0);
  close_to(m->solid[0].pose.position[2], 1, 0);
  assert_string_equal(m->solid[1].name, "ball");
  assert_int_equal(m->solid[2].kind, DLS_SOLID_CYLINDER);
  close_to(m->solid[2].size[1], 4, 0);
  assert_true(m->solid[0].name[0] && strcmp(m->solid[0].name, m->solid[2].name) != 0);
  assert_int_equal(import_note(import, "link visual"), 1);
  assert_int_equal(import_note(import, "robot gazebo"), 1);
  assert_int_equal(import_note(import, "robot material"), 1);
  dls_import_free(import);
}

// ---- against MuJoCo
// ------------------------------------------------------------------------------

static void write_vector(FILE *out, const char *name, double scale)
{
  fprintf(out, " %s='%.9g %.9g %.9g'", name, scale * uniform(), scale * uniform(),
          scale * uniform());
}

static void write_link(FILE *out, int number)
{
  const double a = 1 + uniform() / 4, b = 1 + uniform() / 4, c = 1 + uniform() / 4;
  fprintf(out, "<link name='l%d'><inertial><origin", number);
  write_vector(out, "xyz", 0.3);
  write_vector(out, "rpy", 3);
  fprintf(out,
          "/><mass value='%.9g'/><inertia ixx='%.9g' iyy='%.9g' izz='%.9g' ixy='%.9g' "
          "ixz='%.9g' iyz='%.9g'/></inertial></link>\n",
          1 + uniform() / 2, a, b, c, uniform() / 10, uniform() / 10, uniform() / 10);
}

static void write_robot(FILE *out, int count)
{
  static const char *const kinds[] = {"revolute", "continuous", "prismatic", "planar"};
  fprintf(out, "<robot name='r'><link name='base'/>\n");
  for (int k = 0; k < count; k++) write_link(out, k);
  for (int k = 0; k < count; k++) {
    fprintf(out, "<joint name='j%d' type='%s'><child link='l%d'/><parent link='", k,
            kinds[below(4)], k);
    if (k == 0) fprintf(out, "base'/><origin");
    else fprintf(out, "l%d'/><origin", below(k));
    write_vector(out, "xyz", 1);
    write_vector(out, "rpy", 3);
    fprintf(out, "/><axis");
    write_vector(out, "xyz", 1);
    fprintf(out, "/><dynamics damping='%.9g'/></joint>\n", 1 + uniform());
  }
  fprintf(out, "</robot>\n");
}

static void compare(const char *name, const double *mine, const double *theirs, int count)
{
  // as of inertias that MuJoCo has to diagonalize, see test_format_mujoco
  const double close_enough = 2e-6;
  double size = 1e-3;
  for (int k = 0; k < count; k++) size = fmax(size, fabs(theirs[k]));
  for (int k = 0; k < count; k++) {
    if (!(fabs(mine[k] - theirs[k]) <= close_enough * size))
      print_message("%s[%d]: %.17g, MuJoCo has %.17g\n", name, k, mine[k], theirs[k]);
    assert_true(fabs(mine[k] - theirs[k]) <= close_enough * size);
  }
}

static void compare_robot(const char *path)
{
  char error[1000];
  dls_import *import = NULL;
  dls_message message = {""};
  mujoco *theirs = mujoco_load(path, error, sizeof error);
  if (!theirs) print_message("%s\n", error);
  assert_non_null(theirs);
  if (dls_import_read(path, NULL, &import, &message)) print_message("%s\n", message.text);
  assert_non_null(import);
  robot r;
  robot_make(&r, import);
  double *q = vector(r.nq + 1), *v = vector(r.nv + 1);
  for (int k = 0; k < r.nv; k++) {
    q[k] = uniform();
    v[k] = uniform();
  }
  const mujoco_numbers *n = mujoco_at(theirs, q, v, NULL);
  assert_int_equal(r.nv, n->nv);
  assert_true(robot_at(&r, q, v, NULL));
  compare("M", r.M, n->M, r.nv * r.nv);
  compare("bias", r.bias, n->bias, r.nv);
  compare("passive", r.passive, n->passive, r.nv);
  // MuJoCo makes the base part of the world
  for (int b = 1; b < import->mechanism.bodies; b++)
    compare("position", r.p[b], n->position + 3 * (b - 1), 3);
  free(q), free(v);
  robot_free(&r);
  dls_import_free(import);
  mujoco_free(theirs);
}

static void random_robots(void **unused)
{
  (void)unused;
  if (!mujoco_is_there()) {
    print_message("MuJoCo is not installed: skipped\n");
    skip();
  }
  const char *folder = getenv("TMPDIR");
  char path[400];
  snprintf(path, sizeof path, "%.300s/delassus-urdf-%ld.urdf", folder ? folder : "/tmp",
           (long)getpid());
  for (int seed = 0; seed < TRIED(100); seed++) {
    at_case("robot %d, kept in %s", seed, path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    write_robot(file, 1 + below(8));
    fclose(file);
    compare_robot(path);
  }
  unlink(path);
}

// Links that overlap where all joints are at zero never touch; those that only touch there may.
static void overlaps(void **unused)
{
  (void)unused;
  static const double gaps[] = {-0.01, 0, 0.01};
  for (int k = 0; k < 3; k++) {
    char text[3000];
    at_case("gap %g", gaps[k]);
#define BOX(x) \
  "<collision><origin xyz='" x " 0 0'/><geometry><box size='1 1 1'/></geometry></collision>"
    snprintf(text, sizeof text,
             "<robot name='r'><link name='a'>" INERTIAL BOX(
                 "0") "</link><link name='b'>" INERTIAL
                      "</link><link name='c'>" INERTIAL BOX("%g") "</link>" JOINT(
                          "j1", "continuous", "a", "b", "<axis xyz='0 0 1'/>")
                          JOINT("j2", "continuous", "b", "c", "<axis xyz='0 0 1'/>") "</robot>",
             1 + gaps[k]);
    dls_import *import = import_text(text, NULL);
    assert_int_equal(import->mechanism.solids, 2);
    assert_int_equal(import->mechanism.rules, gaps[k] < 0);
    if (gaps[k] < 0) {
      assert_true(import->mechanism.rule[0].none);
      assert_int_equal(import->mechanism.rule[0].body[0] + import->mechanism.rule[0].body[1], 2);
    }
    bool noted = false;
    for (int i = 0; i < import->notes; i++)
      noted |= strstr(import->note[i].what, "overlap") != NULL;
    assert_int_equal(noted, gaps[k] < 0);
    dls_import_free(import);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(order), cmocka_unit_test(first_links), cmocka_unit_test(joints),
      cmocka_unit_test(links), cmocka_unit_test(overlaps),    cmocka_unit_test(random_robots),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
