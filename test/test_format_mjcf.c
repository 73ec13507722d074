// What MJCF files say, one thing at a time, against values that a reader of this file can check.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cases.h"

#include "import_text.h"
#include "numbers.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

#define HEAD "<mujoco><compiler autolimits='true'/>"
#define WORLD(text) HEAD "<worldbody>" text "</worldbody></mujoco>"

static void vectors_close(const double *a, const double *b, int count)
{
  for (int k = 0; k < count; k++) close_to(a[k], b[k], 1e-14);
}

// A quarter turn about z, in all ways to write it.
static void rotations(void **unused)
{
  (void)unused;
  static const char *const ways[] = {
      "<mujoco><worldbody><body quat='1 0 0 1'/></worldbody></mujoco>",
      "<mujoco><worldbody><body axisangle='0 0 3 90'/></worldbody></mujoco>",
      "<mujoco><compiler angle='radian'/><worldbody><body axisangle='0 0 1 1.5707963267948966'/>"
      "</worldbody></mujoco>",
      "<mujoco><worldbody><body xyaxes='0 2 0 -1 5 0'/></worldbody></mujoco>",
      "<mujoco><worldbody><body euler='0 0 90'/></worldbody></mujoco>",
      "<mujoco><compiler eulerseq='zxy'/><worldbody><body euler='90 0 0'/></worldbody></mujoco>",
      "<mujoco><worldbody><frame euler='0 0 60'><body euler='0 0 30'/></frame></worldbody>"
      "</mujoco>",
  };
  const double quarter[4] = {sqrt(0.5), 0, 0, sqrt(0.5)};
  for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
    at_case("%s", ways[k]);
    dls_import *import = import_text(ways[k], NULL);
    vectors_close(import->mechanism.body[0].pose.quaternion, quarter, 4);
    dls_import_free(import);
  }
  // z along x; moving axes, then fixed ones: x by 90 degrees, then y by 90
  dls_import *import = import_text(WORLD("<body zaxis='2 0 0'/>"), NULL);
  vectors_close(import->mechanism.body[0].pose.quaternion,
                (const double[4]){sqrt(0.5), 0, sqrt(0.5), 0}, 4);
  dls_import_free(import);
  import = import_text(WORLD("<body euler='90 90 0'/>"), NULL);
  vectors_close(import->mechanism.body[0].pose.quaternion, (const double[4]){0.5, 0.5, 0.5, 0.5},
                4);
  dls_import_free(import);
  import = import_text("<mujoco><compiler eulerseq='XYZ'/><worldbody><body euler='90 90 0'/>"
                       "</worldbody></mujoco>",
                       NULL);
  vectors_close(import->mechanism.body[0].pose.quaternion, (const double[4]){0.5, 0.5, 0.5, -0.5},
                4);
  dls_import_free(import);
}

// Each class starts as the one around it; an element's own class beats that of the body.
static void classes(void **unused)
{
  (void)unused;
  dls_import *import = import_text(
      HEAD "<default><joint damping='1' armature='2'/><geom size='1 2 3'/>"
           "<default class='a'><joint damping='3'/><geom type='box'/>"
           "<default class='b'><joint stiffness='4'/></default></default>"
           "<default class='c'><joint damping='5'/></default></default>"
           "<worldbody><body><joint name='main'/><body childclass='b'><joint name='b'/>"
           "<joint name='c' class='c'/><joint name='own' damping='6'/><geom/>"
           "<body><joint name='below'/><geom size='4'/>"
           "<body childclass='c'><joint name='under c'/></body></body></body></body></worldbody>"
           "</mujoco>",
      NULL);
  static const struct {
    const char *name;
    double damping, stiffness;
  } wanted[] = {{"main", 1, 0}, {"b", 3, 4},     {"c", 5, 0},
                {"own", 6, 4},  {"below", 3, 4}, {"under c", 5, 0}};
  for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
    at_case("%s", wanted[k].name);
    const dls_joint *j = &import->mechanism.joint[import_joint(import, wanted[k].name)];
    close_to(j->damping, wanted[k].damping, 0);
    close_to(j->stiffness, wanted[k].stiffness, 0);
    close_to(j->armature, 2, 0);
  }
  // numbers that an element does not give stay: the second geom is a box of 8 x 4 x 6
  vectors_close(import->mechanism.solid[0].size, (const double[3]){2, 4, 6}, 3);
  vectors_close(import->mechanism.solid[1].size, (const double[3]){8, 4, 6}, 3);
  dls_import_free(import);
}

// Joints of a body stand together, whatever stands between them, and bodies depth first.
static void order(void **unused)
{
  (void)unused;
  dls_import *import = import_text(
      WORLD("<body name='a'><body name='b'><joint name='jb'/></body><joint name='ja'/>"
            "<frame pos='0 0 1'><joint name='ka' pos='1 0 0' axis='0 1 0'/><body name='c'/>"
            "</frame></body><body name='d'/>"),
      NULL);
  static const char *const bodies[] = {"a", "b", "c", "d"}, *const joints[] = {"ja", "ka", "jb"};
  for (int k = 0; k < 4; k++) assert_string_equal(import->mechanism.body[k].name, bodies[k]);
  for (int k = 0; k < 3; k++) assert_string_equal(import->mechanism.joint[k].name, joints[k]);
  vectors_close(import->mechanism.joint[1].anchor, (const double[3]){1, 0, 1}, 3);
  vectors_close(import->mechanism.body[2].pose.position, (const double[3]){0, 0, 1}, 3);
  dls_import_free(import);
}

static void copies(void **unused)
{
  (void)unused;
  dls_import *import =
      import_text(WORLD("<replicate count='4' offset='1 0 0' euler='0 0 90' sep='-'>"
                        "<body name='a' pos='1 0 0'/></replicate>"),
                  NULL);
  // the frames go around a square: each is moved along the x of the one before, then turned
  const double x[] = {1, 1, 0, 0}, y[] = {0, 1, 1, 0};
  assert_int_equal(import->mechanism.bodies, 4);
  for (int k = 0; k < 4; k++) {
    const dls_rigid_body *b = &import->mechanism.body[k];
    const char name[] = {'a', '-', (char)('0' + k), 0};
    assert_string_equal(b->name, name);
    close_to(b->pose.position[0], x[k], 1e-14);
    close_to(b->pose.position[1], y[k], 1e-14);
  }
  dls_import_free(import);
}

static void masses(void **unused)
{
  (void)unused;
  dls_import *import = import_text(
      WORLD("<body><geom type='box' size='1 2 3' density='2'/></body>"
            "<body><geom size='1' mass='3' pos='1 0 0'/><geom size='1' mass='1' pos='-3 0 0'/>"
            "</body>"
            "<body><inertial pos='1 2 3' mass='4' diaginertia='3 2 2' axisangle='0 0 1 90'/>"
            "<geom size='1'/></body>"
            "<body><geom size='1' mass='5' shellinertia='true'/></body>"),
      NULL);
  const dls_rigid_body *b = import->mechanism.body;
  close_to(b[0].mass, 96, 1e-12);
  vectors_close(b[0].inertia, (const double[6]){416, 320, 160, 0, 0, 0}, 6);
  close_to(b[1].mass, 4, 1e-14);
  vectors_close(b[1].centre, (const double[3]){0, 0, 0}, 3);
  vectors_close(b[1].inertia, (const double[6]){1.6, 13.6, 13.6, 0, 0, 0}, 6);
  close_to(b[2].mass, 4, 0);
  vectors_close(b[2].inertia, (const double[6]){2, 3, 2, 0, 0, 0}, 6);
  vectors_close(b[3].inertia, (const double[6]){10. / 3, 10. / 3, 10. / 3, 0, 0, 0}, 6);
  dls_import_free(import);
  import = import_text("<mujoco><compiler settotalmass='10' balanceinertia='true' boundmass='1'/>"
                       "<worldbody><body><inertial pos='0 0 0' mass='3' diaginertia='3 3 12'/>"
                       "</body><body/><body><inertial pos='0 0 0' mass='1' "
                       "diaginertia='1 1 1'/></body></worldbody></mujoco>",
                       NULL);
  close_to(import->mechanism.body[0].mass, 6, 1e-14);
  close_to(import->mechanism.body[1].mass, 2, 1e-14);
  vectors_close(import->mechanism.body[0].inertia, (const double[6]){12, 12, 12, 0, 0, 0}, 6);
  dls_import_free(import);
}

// The friction that MuJoCo gives a pair of geoms, as rules say it.
static double friction_of(const dls_mechanism *m, int a, int b)
{
  double friction = fmax(m->solid[a].friction, m->solid[b].friction);
  for (int k = 0; k < m->rules; k++) {
    const dls_contact_rule *r = &m->rule[k];
    const bool fits =
        (r->solid[0] == a && r->solid[1] == b) || (r->solid[0] == b && r->solid[1] == a);
    if (fits && r->friction >= 0) friction = r->friction;
  }
  return friction;
}

static void contacts(void **unused)
{
  (void)unused;
  dls_import *import = import_text(
      HEAD "<worldbody><geom name='floor' type='plane' size='1 1 1' friction='0.5'/>"
           "<body name='a'><geom name='ice' size='1' condim='1' friction='0.7'/></body>"
           "<body name='b'><geom name='first' size='1' priority='2' friction='0.2'/></body>"
           "<body name='c'><geom name='ghost' size='1' contype='0' conaffinity='0'/></body>"
           "<body name='d'><geom name='picture' size='1' contype='0' conaffinity='0'/></body>"
           "</worldbody><contact><exclude body1='a' body2='b'/>"
           "<pair geom1='ghost' geom2='floor' friction='0.9'/></contact></mujoco>",
      NULL);
  const dls_mechanism *m = &import->mechanism;
  assert_int_equal(m->solids, 4);  // the picture is none
  assert_int_equal(import_note(import, "geom that touches nothing"), 1);
  close_to(friction_of(m, 0, 1), 0.7, 0);  // the larger one, as one of them has friction
  close_to(friction_of(m, 0, 2), 0.2, 0);  // of higher priority
  close_to(friction_of(m, 0, 3), 0.9, 0);  // of the pair
  bool excluded = false, meets = false;
  for (int k = 0; k < m->rules; k++) {
    excluded |= m->rule[k].none && m->rule[k].body[0] == 0 && m->rule[k].body[1] == 1;
    meets |= m->rule[k].meet && m->rule[k].solid[0] == 3 && m->rule[k].solid[1] == 0;
  }
  assert_true(excluded && meets);
  dls_import_free(import);
}

static void keyframes(void **unused)
{
  (void)unused;
  dls_import *import =
      import_text(HEAD "<worldbody><body pos='1 2 3'><freejoint name='root'/><geom size='1'/>"
                       "<body><joint name='j' ref='90'/><geom size='1'/></body></body></worldbody>"
                       "<actuator><position joint='j' kp='2' ctrlrange='1 2'/>"
                       "<intvelocity joint='j' kp='1'/></actuator>"
                       "<keyframe><key name='home'/><key time='2' qpos='0 0 0 2 0 0 0 1' "
                       "qvel='1 2 3 4 5 6 7' ctrl='1.5 3' act='0.25'/></keyframe></mujoco>",
                  NULL);
  assert_int_equal(import->states, 2);
  const dls_import_state *home = &import->state[0], *other = &import->state[1];
  assert_string_equal(home->name, "home");
  vectors_close(home->q, (const double[8]){1, 2, 3, 1, 0, 0, 0, pi / 2}, 8);
  vectors_close(home->control, (const double[2]){1, 0}, 2);
  vectors_close(other->q, (const double[8]){0, 0, 0, 1, 0, 0, 0, 1}, 8);
  vectors_close(other->v, (const double[7]){1, 2, 3, 4, 5, 6, 7}, 7);
  vectors_close(other->control, (const double[2]){1.5, 0.25}, 2);
  close_to(other->time, 2, 0);
  dls_import_free(import);
}

// A spring of 0.1 s behind a mass of 2 and an armature of 1.
static void springs_by_time(void **unused)
{
  (void)unused;
  dls_import *import = import_text(
      WORLD("<body gravcomp='0.5'><joint type='slide' armature='1' springdamper='0.1 0.5'/>"
            "<geom size='1' mass='2'/></body>"),
      NULL);
  close_to(import->mechanism.joint[0].stiffness, 3 / (0.01 * 0.25), 1e-9);
  close_to(import->mechanism.joint[0].damping, 2 * 3 / 0.1, 1e-10);
  close_to(import->mechanism.body[0].carried, 0.5, 0);
  dls_import_free(import);
}

static void flags(void **unused)
{
  (void)unused;
  dls_import *import = import_text(
      "<mujoco><option gravity='0 0 -5'><flag gravity='disable' contact='disable' "
      "damper='disable' limit='disable' equality='disable'/></option><worldbody>"
      "<body name='a'><joint name='j' range='0 1' limited='true' damping='2' stiffness='3'/>"
      "<geom size='1'/></body></worldbody>"
      "<equality><joint joint1='j'/></equality></mujoco>",
      NULL);
  const dls_mechanism *m = &import->mechanism;
  vectors_close(m->gravity, (const double[3]){0, 0, 0}, 3);
  assert_int_equal(m->solids, 0);
  assert_int_equal(m->closures, 0);
  assert_false(m->joint[0].limited);
  close_to(m->joint[0].damping, 0, 0);
  close_to(m->joint[0].stiffness, 3, 0);
  dls_import_free(import);
}

// Nothing is dropped silently.
static void notes(void **unused)
{
  (void)unused;
  dls_import *import = import_text(
      HEAD "<option timestep='1e-3' viscosity='1'/><size/><visual><map znear='1'/></visual>"
           "<asset><material name='m'/></asset>"
           "<worldbody><light/><camera/><geom size='1' rgba='1 0 0 1' solref='0 1' condim='6'/>"
           "<geom size='1' solref='0 1' group='2' material='m'/>"
           "<body mocap='true'><site name='s'/><site name='t' pos='1 0 0'/></body></worldbody>"
           "<tendon><spatial name='rope'><site site='s'/><site site='t'/></spatial></tendon>"
           "<actuator><muscle tendon='rope'/></actuator><sensor><clock/></sensor></mujoco>",
      NULL);
  static const struct {
    const char *what;
    int count;
  } wanted[] = {{"option timestep", 1},
                {"option viscosity", 1},
                {"size", 1},
                {"visual", 1},
                {"asset material", 1},
                {"light", 1},
                {"camera", 1},
                {"geom solref", 2},
                {"looks and bookkeeping (rgba, material, user, ...)", 2},
                {"geom condim 6: friction torques", 1},
                {"body mocap", 1},
                {"spatial tendon", 1},
                {"muscle on a spatial tendon", 1},
                {"sensor", 1}};
  for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
    at_case("%s", wanted[k].what);
    assert_int_equal(import_note(import, wanted[k].what), wanted[k].count);
  }
  assert_int_equal(import->notes, (int)(sizeof wanted / sizeof *wanted));
  dls_import_free(import);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rotations), cmocka_unit_test(classes),         cmocka_unit_test(order),
      cmocka_unit_test(copies),    cmocka_unit_test(masses),          cmocka_unit_test(contacts),
      cmocka_unit_test(keyframes), cmocka_unit_test(springs_by_time), cmocka_unit_test(flags),
      cmocka_unit_test(notes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
