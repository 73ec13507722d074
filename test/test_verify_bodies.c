// What verify makes of a mechanism: poses, M and F against point masses whose places are
// differentiated numerically, in long doubles.                                       eq (enc.3)
#include "particle_tree.h"

#include "numbers.h"
#include "verify/body_motion.h"
#include "verify/intervals.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "cases.h"

typedef struct rebuilt {
  dls_arena *arena;
  dls_pool pool;
  dls_posture_plan plan;
  dls_posture posture;
  mpfi_ptr *M, *F;
} rebuilt;

static void rebuild(const particle_tree *t, rebuilt *r)
{
  r->arena = dls_arena_create();
  assert_int_equal(dls_posture_plan_create(&t->mechanism, DLS_REDUCED, r->arena, &r->plan, NULL),
                   DLS_OK);
  assert_int_equal(r->plan.n, t->n);
  assert_int_equal(r->plan.nq, t->nq);
  dls_pool_init(&r->pool, dls_posture_bits(&r->plan));
  assert_true(dls_posture_create(&r->plan, t->q, NULL, t->v, &r->pool, r->arena, &r->posture));
  const ptrdiff_t n = t->n;
  r->M = dls_arena_alloc(r->arena, n * n, sizeof *r->M);
  r->F = dls_arena_alloc(r->arena, n, sizeof *r->F);
  assert_true(dls_body_mass_and_forces(&r->posture, r->arena, r->M, r->F));
  assert_true(dls_body_applied(&r->posture, r->arena, r->F));
}

static void forget(rebuilt *r)
{
  dls_pool_clear(&r->pool);
  dls_arena_free(r->arena);
}

// The enclosure is narrow, and its middle is x.
static void encloses(mpfi_srcptr a, long double x, double tolerance)
{
  const dls_interval found = dls_interval_of(a);
  assert_true(found.high - found.low <= 5e-16 * fmax(fabs(found.low), 1e-30));
  close_to((double)x, found.low, tolerance * fmax(1, fabs((double)x)));
}

// ---- against particles -------------------------------------------------------------------------

typedef struct motion {
  const particle_tree *tree;
  const double *v;
} motion;

static void places(const void *self, long double t, long double *y)
{
  const motion *m = self;
  long_pose pose[TREE_BODIES];
  move_tree(m->tree, m->tree->q, m->v, t, pose);
  for (int b = 0; b < m->tree->mechanism.bodies; b++)
    for (int k = 0; k < TREE_PARTICLES; k++, y += 3) point_of(&pose[b], m->tree->particle[b][k], y);
}

enum { PLACES = 3 * TREE_PARTICLES * TREE_BODIES };
static const long double step = 0.02L;

// sum m a b over the particles.
static long double weighted(const particle_tree *t, const long double *a, const long double *b)
{
  long double sum = 0;
  for (int i = 0; i < 3 * TREE_PARTICLES * t->mechanism.bodies; i++)
    sum += t->mass[i / 3 / TREE_PARTICLES][i / 3 % TREE_PARTICLES] * a[i] * b[i];
  return sum;
}

static void poses(void **unused)
{
  (void)unused;
  for (int seed = 0; seed < TRIED(60); seed++) {
    at_case("tree %d", seed);
    particle_tree t;
    rebuilt r;
    draw_tree(&t, 1 + below(TREE_BODIES), false);
    rebuild(&t, &r);
    long_pose pose[TREE_BODIES];
    move_tree(&t, t.q, t.v, 0, pose);
    for (int b = 0; b < t.mechanism.bodies; b++)
      for (int i = 0; i < 3; i++) {
        encloses(r.posture.frame[b].p.x[i].d[0], pose[b].p[i], 1e-15);
        for (int k = 0; k < 3; k++)
          encloses(r.posture.frame[b].R.column[k].x[i].d[0], pose[b].R[3 * i + k], 1e-15);
      }
    forget(&r);
  }
}

static void masses_and_forces(void **unused)
{
  (void)unused;
  static long double J[TREE_MOST][PLACES];
  for (int seed = 0; seed < TRIED(60); seed++) {
    at_case("tree %d", seed);
    particle_tree t;
    rebuilt r;
    draw_tree(&t, 1 + below(TREE_BODIES), false);
    rebuild(&t, &r);
    const int count = 3 * TREE_PARTICLES * t.mechanism.bodies;
    long double a[PLACES];
    differentiate(places, &(motion){&t, t.v}, count, step, 2, a);
    for (int i = 0; i < count; i++) a[i] -= t.mechanism.gravity[i % 3];
    for (int k = 0; k < t.n; k++) {
      double unit[TREE_MOST] = {0};
      unit[k] = 1;
      differentiate(places, &(motion){&t, unit}, count, step, 1, J[k]);
    }
    for (int i = 0; i < t.n; i++) {
      encloses(r.F[i], weighted(&t, J[i], a), 1e-9);
      for (int j = 0; j < t.n; j++) encloses(r.M[i + j * t.n], weighted(&t, J[i], J[j]), 1e-11);
    }
    forget(&r);
  }
}

// ---- forces ------------------------------------------------------------------------------------

// The coordinate of a hinge or slide, and its place in v.
static double coordinate_of(const particle_tree *t, int joint, int *k)
{
  static const int nq[] = {7, 4, 1, 1}, nv[] = {6, 3, 1, 1};
  int q = 0;
  *k = 0;
  for (int j = 0; j < joint; j++) q += nq[t->joint[j].kind], *k += nv[t->joint[j].kind];
  return t->q[q];
}

static double clamped(const dls_actuator *a, double length, double rate)
{
  const double f = a->gain * a->control + a->bias[0] + a->bias[1] * length + a->bias[2] * rate;
  return a->limited ? fmin(fmax(f, a->range[0]), a->range[1]) : f;
}

// The power of the forces at velocities u, by what each of them is.
static double joint_power(const particle_tree *t, const double *u)
{
  double power = 0;
  for (int j = 0; j < t->mechanism.joints; j++) {
    static const int nv[] = {6, 3, 1, 1};
    const dls_joint *joint = &t->joint[j];
    int k;
    const double q = coordinate_of(t, j, &k);
    for (int i = k; i < k + nv[joint->kind]; i++) power -= joint->damping * t->v[i] * u[i];
    if (nv[joint->kind] == 1) power -= joint->stiffness * (q - joint->rest) * u[k];
  }
  return power;
}

static void tendon_state(const particle_tree *t, int index, const double *u, double out[3])
{
  const dls_tendon *tendon = &t->tendon[index];
  out[0] = out[1] = out[2] = 0;
  for (int i = 0; i < tendon->terms; i++) {
    int k;
    out[0] += tendon->gear[i] * coordinate_of(t, tendon->joint[i], &k);
    out[1] += tendon->gear[i] * t->v[k], out[2] += tendon->gear[i] * u[k];
  }
}

static double tendon_power(const particle_tree *t, const double *u)
{
  double power = 0;
  for (int k = 0; k < t->mechanism.tendons; k++) {
    const dls_tendon *tendon = &t->tendon[k];
    double s[3];
    tendon_state(t, k, u, s);
    const double over = fmax(s[0] - tendon->rest[1], 0) + fmin(s[0] - tendon->rest[0], 0);
    power -= (tendon->damping * s[1] + tendon->stiffness * over) * s[2];
  }
  return power;
}

// Of a frame, by where it and two points on its axes go.
static double frame_power(const particle_tree *t, const dls_actuator *a, const double *u)
{
  double power = 0;
  const long double h = 1e-6L;
  long_pose pose[2][TREE_BODIES];
  for (int side = 0; side < 2; side++) move_tree(t, t->q, u, side ? h : -h, pose[side]);
  const double *q = a->frame.quaternion;
  for (int axis = 0; axis < 3; axis++) {
    // the axis of the frame, in the body: q e q*
    double e[3] = {0}, c[3], cc[3];
    e[axis] = 1;
    for (int i = 0; i < 3; i++)
      c[i] = 2 * (q[1 + (i + 1) % 3] * e[(i + 2) % 3] - q[1 + (i + 2) % 3] * e[(i + 1) % 3]);
    for (int i = 0; i < 3; i++)
      cc[i] = q[1 + (i + 1) % 3] * c[(i + 2) % 3] - q[1 + (i + 2) % 3] * c[(i + 1) % 3];
    double inside[3], far[2][3];
    for (int i = 0; i < 3; i++) inside[i] = e[i] + q[0] * c[i] + cc[i];
    long double x[2][3], end[2][2][3], w[3];
    for (int side = 0; side < 2; side++) point_of(&pose[side][a->of], a->frame.position, x[side]);
    long_pose now[TREE_BODIES];
    move_tree(t, t->q, u, 0, now);
    for (int i = 0; i < 3; i++) {
      w[i] = 0;
      for (int k = 0; k < 3; k++) w[i] += now[a->of].R[3 * i + k] * inside[k];
      power += (double)(a->gear[axis] * w[i] * (x[1][i] - x[0][i]) / (2 * h));
    }
    // two points at a distance of 1 from the frame, normal to the axis and to each other
    double one[3], length = 0;
    const int least = fabs(inside[0]) < 0.6 ? 0 : 1;
    for (int i = 0; i < 3; i++) one[i] = (i == least) - inside[least] * inside[i];
    for (int i = 0; i < 3; i++) length += one[i] * one[i];
    for (int i = 0; i < 3; i++) far[0][i] = one[i] /= sqrt(length);
    for (int i = 0; i < 3; i++)
      far[1][i] = inside[(i + 1) % 3] * one[(i + 2) % 3] - inside[(i + 2) % 3] * one[(i + 1) % 3];
    for (int k = 0; k < 2; k++)
      for (int side = 0; side < 2; side++) {
        double at[3];
        for (int i = 0; i < 3; i++) at[i] = a->frame.position[i] + far[k][i];
        point_of(&pose[side][a->of], at, end[side][k]);
      }
    // how fast the first turns towards the second
    long double rate = 0;
    for (int i = 0; i < 3; i++) {
      long double towards = 0;
      for (int k = 0; k < 3; k++) towards += now[a->of].R[3 * i + k] * far[1][k];
      rate += towards * ((end[1][0][i] - x[1][i]) - (end[0][0][i] - x[0][i])) / (2 * h);
    }
    power += (double)(a->gear[3 + axis] * rate);
  }
  return power;
}

static double actuator_power(const particle_tree *t, const double *u)
{
  double power = 0;
  for (int n = 0; n < t->mechanism.actuators; n++) {
    const dls_actuator *a = &t->actuator[n];
    double s[3] = {0};
    if (a->kind == DLS_ACTUATOR_FRAME) {
      power += clamped(a, 0, 0) * frame_power(t, a, u);
    } else if (a->kind == DLS_ACTUATOR_TENDON) {
      tendon_state(t, a->of, u, s);
      power += clamped(a, a->gear[0] * s[0], a->gear[0] * s[1]) * a->gear[0] * s[2];
    } else {
      static const int nv[] = {6, 3, 1, 1};
      int k;
      const double q = coordinate_of(t, a->of, &k);
      const int count = nv[t->joint[a->of].kind];
      const double f =
          count > 1 ? clamped(a, 0, 0) : clamped(a, a->gear[0] * q, a->gear[0] * t->v[k]);
      for (int i = 0; i < count; i++) power += f * a->gear[i] * u[k + i];
    }
  }
  return power;
}

// F with the forces less F without them, and M likewise.
static void forces_of_joints(void **unused)
{
  (void)unused;
  for (int seed = 0; seed < TRIED(100); seed++) {
    at_case("tree %d", seed);
    particle_tree t;
    rebuilt with, without;
    draw_tree(&t, 1 + below(TREE_BODIES), true);
    rebuild(&t, &with);
    particle_tree bare = t;
    bare.mechanism.body = bare.body, bare.mechanism.joint = bare.joint;
    bare.mechanism.tendons = bare.mechanism.actuators = 0;
    for (int j = 0; j < t.mechanism.joints; j++)
      bare.joint[j].armature = bare.joint[j].damping = bare.joint[j].stiffness = 0;
    rebuild(&bare, &without);
    for (int k = 0, j = 0, left = 0; k < t.n; k++) {
      double u[TREE_MOST] = {0};
      u[k] = 1;
      const double power = joint_power(&t, u) + tendon_power(&t, u) + actuator_power(&t, u);
      const double change = dls_interval_of(with.F[k]).low - dls_interval_of(without.F[k]).low;
      close_to(change, -power, 1e-9 * fmax(1, fabs(power)));
      static const int nv[] = {6, 3, 1, 1};
      if (left == 0) left = nv[t.joint[j].kind];
      const double own = dls_interval_of(with.M[k * (t.n + 1)]).low -
                         dls_interval_of(without.M[k * (t.n + 1)]).low;
      close_to(own, t.joint[j].armature, 1e-13 * (1 + fabs(own)) + 1e-12);
      if (--left == 0) j++;
    }
    forget(&with), forget(&without);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(poses), cmocka_unit_test(masses_and_forces),
                                     cmocka_unit_test(forces_of_joints)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
