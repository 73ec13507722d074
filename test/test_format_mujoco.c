// Random MJCF files, read by us and by MuJoCo: the same bodies, the same forces.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cases.h"

#include "mjcf_maker.h"
#include "mujoco.h"
#include "numbers.h"
#include "robot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Relative to the largest number of a kind: both round, in another order. Where inertias have to be
// diagonalized MuJoCo 2.2.2 stops at rotations with a cosine of 1 - 1e-12, an angle of 1.4e-6.
static const double rounded = 1e-9, diagonalized = 2e-6;
static double close_enough;

static void compare(const char *name, const double *mine, const double *theirs, int count)
{
  double size = 1e-3;
  for (int k = 0; k < count; k++) size = fmax(size, fabs(theirs[k]));
  for (int k = 0; k < count; k++) {
    if (!(fabs(mine[k] - theirs[k]) <= close_enough * size))
      print_message("%s[%d]: %.17g, MuJoCo has %.17g\n", name, k, mine[k], theirs[k]);
    assert_true(fabs(mine[k] - theirs[k]) <= close_enough * size);
  }
}

// Around the reference; quaternions anywhere.
static void draw_state(const dls_mechanism *m, const double *reference, double *q)
{
  for (int j = 0; j < m->joints; j++) {
    const dls_joint_kind kind = m->joint[j].kind;
    if (kind == DLS_JOINT_FREE) {
      for (int k = 0; k < 3; k++) *q++ = *reference++ + uniform();
    }
    if (kind == DLS_JOINT_FREE || kind == DLS_JOINT_BALL) {
      double length = 0;
      for (int k = 0; k < 4; k++) {
        q[k] = uniform();
        length += q[k] * q[k];
      }
      for (int k = 0; k < 4; k++) q[k] /= sqrt(length);
      q += 4, reference += 4;
    } else {
      *q++ = *reference++ + uniform();
    }
  }
}

// Where a closure's end is in the world.
static void end_of(const robot *r, const dls_closure *c, int end, double out[3])
{
  const double *x = c->frame[end].position;
  for (int k = 0; k < 3; k++) {
    const int b = c->body[end];
    if (b == DLS_WORLD) out[k] = x[k];
    else
      out[k] = r->p[b][k] + r->R[b][3 * k] * x[0] + r->R[b][3 * k + 1] * x[1] +
               r->R[b][3 * k + 2] * x[2];
  }
}

static int coordinate(const dls_mechanism *m, int joint)
{
  int at = 0;
  for (int k = 0; k < joint; k++)
    at += m->joint[k].kind == DLS_JOINT_FREE ? 7 : m->joint[k].kind == DLS_JOINT_BALL ? 4 : 1;
  return at;
}

// The body with joints that carries it, or the world. MuJoCo leaves constraints out between bodies
// of which it is the same, unless rounding lets it think that they move.
static int carrier(const dls_mechanism *m, int body)
{
  for (; body != DLS_WORLD; body = m->body[body].parent) {
    for (int j = 0; j < m->joints; j++) {
      if (m->joint[j].body == body) return body;
    }
  }
  return DLS_WORLD;
}

// What MuJoCo's constraints are short of, in its order.
static void compare_equalities(const robot *r, const double *q, const mujoco_numbers *theirs)
{
  const dls_mechanism *m = &r->import->mechanism;
  double mine[100];
  int count = 0;
  for (int k = 0; k < m->closures; k++) {
    const dls_closure *c = &m->closure[k];
    if (c->kind == DLS_CLOSURE_BALL) {
      const int root = carrier(m, c->body[0]);
      if (root == carrier(m, c->body[1])) {
        if (root != DLS_WORLD) return;
        continue;
      }
      double a[3], b[3];
      end_of(r, c, 0, a);
      end_of(r, c, 1, b);
      for (int i = 0; i < 3; i++) mine[count++] = a[i] - b[i];
    } else {
      assert_int_equal(c->kind, DLS_CLOSURE_JOINTS);
      const int i = c->joint[0], j = c->joint[1];
      const double x = q[coordinate(m, j)] - m->joint[j].reference, *p = c->polynomial;
      mine[count++] = q[coordinate(m, i)] - m->joint[i].reference - p[0] -
                      x * (p[1] + x * (p[2] + x * (p[3] + x * p[4])));
    }
  }
  assert_int_equal(count, theirs->equalities);
  compare("equality", mine, theirs->equality, count);
}

static void compare_at(robot *r, mujoco *theirs, const double *q, const double *v,
                       const double *control)
{
  const mujoco_numbers *n = mujoco_at(theirs, q, v, control);
  assert_true(robot_at(r, q, v, control));
  const dls_mechanism *m = &r->import->mechanism;
  for (int b = 0; b < m->bodies; b++) {
    compare("position", r->p[b], n->position + 3 * b, 3);
    compare("axes", r->R[b], n->axes + 9 * b, 9);
    close_to(m->body[b].mass, n->mass[b], close_enough * (1 + n->mass[b]));
  }
  compare("M", r->M, n->M, r->nv * r->nv);
  compare("bias", r->bias, n->bias, r->nv);
  compare("passive", r->passive, n->passive, r->nv);
  compare("actuator", r->actuator, n->actuator, r->nv);
  compare_equalities(r, q, n);
}

static void compare_model(const char *path)
{
  char error[1000];
  mujoco *theirs = mujoco_load(path, error, sizeof error);
  if (!theirs) print_message("%s\n", error);
  assert_non_null(theirs);
  dls_import *import = NULL;
  dls_message message = {""};
  if (dls_import_read(path, NULL, &import, &message)) print_message("%s\n", message.text);
  assert_non_null(import);
  robot r;
  robot_make(&r, import);
  const mujoco_numbers *n = mujoco_at(theirs, NULL, NULL, NULL);
  assert_int_equal(r.nq, n->nq);
  assert_int_equal(r.nv, n->nv);
  assert_int_equal(import->mechanism.bodies, n->bodies);
  assert_int_equal(import->mechanism.actuators, n->nu);
  double *reference = vector(r.nq + 1), *q = vector(r.nq + 1), *v = vector(r.nv + 1),
         *control = vector(n->nu + 1);
  memcpy(reference, n->reference, (size_t)r.nq * sizeof *q);
  for (int k = 0; k < 3; k++) {
    draw_state(&import->mechanism, reference, q);
    for (int i = 0; i < r.nv; i++) v[i] = uniform();
    // within the ranges of controls, which are symmetric enough
    for (int i = 0; i < n->nu; i++) control[i] = 0.05 * uniform();
    compare_at(&r, theirs, q, v, control);
  }
  free(reference), free(q), free(v), free(control);
  robot_free(&r);
  dls_import_free(import);
  mujoco_free(theirs);
}

static void random_models_move_as_in_mujoco(void **unused)
{
  (void)unused;
  if (!mujoco_is_there()) {
    print_message("MuJoCo is not installed: skipped\n");
    skip();
  }
  const char *folder = getenv("TMPDIR");
  char path[400];
  snprintf(path, sizeof path, "%.300s/delassus-mjcf-%ld.xml", folder ? folder : "/tmp",
           (long)getpid());
  for (int seed = 0; seed < TRIED(300); seed++) {
    const bool simple = seed % 2 == 0;
    close_enough = simple ? rounded : diagonalized;
    at_case("model %d, kept in %s", seed, path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    mjcf_make(file, simple);
    fclose(file);
    compare_model(path);
  }
  unlink(path);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_models_move_as_in_mujoco)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
