// The forest of a mechanism: motions, M and F against transformations in complex numbers and
// Lagrange's equations (forest.h), which share no code with it.
#include "forest.h"
#include "numbers.h"

#include "body/tree.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cases.h"

enum { MOST = 6 * FOREST_BODIES };

typedef struct fixture {
  forest f;
  dls_tree *tree;
  double q[2 * MOST], x[MOST], x_dot[MOST], a[MOST];
} fixture;

static void set_up_drawn(fixture *z);

static void set_up(fixture *z, const forest_options *o)
{
  forest_draw(&z->f, o);
  set_up_drawn(z);
}

static void set_up_drawn(fixture *z)
{
  dls_message message = {""};
  assert_int_equal(dls_tree_create(&z->f.mechanism, &z->tree, &message), DLS_OK);
  assert_int_equal(z->tree->n, z->f.n);
  assert_int_equal(z->tree->nq, z->f.nq);
  forest_draw_state(&z->f, z->q, z->x, z->x_dot);
  for (int k = 0; k < z->f.n; k++) z->a[k] = uniform();
  assert_int_equal(dls_tree_centre(z->tree, z->q, &message), DLS_OK);
}

// M as the library has it, dense.
static void dense_mass(const dls_tree *tree, const double *M, double *out)
{
  memset(out, 0, sizeof *out * (size_t)(tree->n * tree->n));
  for (int j = 0; j < tree->n; j++)
    for (int e = tree->mass.p[j]; e < tree->mass.p[j + 1]; e++)
      out[tree->mass.i[e] * tree->n + j] = M[e];
}

static void mass_and_forces_are_those_of_lagrange(void **state)
{
  (void)state;
  static fixture z;
  for (int seed = 0; seed < TRIED(40); seed++) {
    at_case("seed %d", seed);
    const forest_options o = forest_everything(1 + below(7));
    set_up(&z, &o);
    const int n = z.f.n;
    double *M = vector(z.tree->mass.p[n] + 1), *dense = vector(n * n + 1), *R = vector(n + 1);
    long double *true_M = calloc((size_t)(n * n) + 1, sizeof *true_M),
                *true_R = calloc((size_t)n + 1, sizeof *true_R), at[MOST];
    for (int k = 0; k < n; k++) at[k] = z.x[k];
    assert_int_equal(dls_tree_move(z.tree, z.x, z.x_dot, z.a, false), DLS_OK);
    dls_tree_mass(z.tree, M, NULL);
    dls_tree_forces(z.tree, R, NULL);
    dense_mass(z.tree, M, dense);
    forest_mass(&z.f, z.q, at, true_M);
    forest_forces(&z.f, z.q, z.x, z.x_dot, z.a, true_R);
    double size = 1e-3, kinetic = 0, potential = 0, T = 0;
    for (int k = 0; k < n * n; k++) size = fmax(size, fabs(dense[k]));
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        T += 0.5 * dense[i * n + j] * z.x_dot[i] * z.x_dot[j];
        close_to(dense[i * n + j], (double)true_M[i * n + j], 1e-13 * size);
      }
    for (int k = 0; k < n; k++) size = fmax(size, fabs(R[k]));
    for (int k = 0; k < n; k++) close_to(R[k], (double)true_R[k], 1e-10 * size);
    dls_tree_energy(z.tree, &kinetic, &potential);
    close_to(kinetic, T, 1e-12 * (1 + T));
    close_to(potential, (double)forest_potential(&z.f, z.q, at), 1e-11 * (1 + fabs(potential)));
    free(M), free(dense), free(R), free(true_M), free(true_R);
    dls_tree_free(z.tree);
  }
}

// -- derivatives ----------------------------------------------------------------------------------

static const double weights[] = {4. / 5, -1. / 5, 4. / 105, -1. / 280};
static const double width = 1. / 128;

typedef struct moved {
  double R[MOST];
  dls_solid_motion motion;
} moved;

// R less what wrenches do, and the motion of a point that is fixed in a body.
static void at_place(fixture *z, const double *x, const double *x_dot, const dls_wrench *wrench,
                     int b, const dls_pose *frame, moved *out)
{
  assert_int_equal(dls_tree_move(z->tree, x, x_dot, z->a, false), DLS_OK);
  dls_tree_forces(z->tree, out->R, NULL);
  const double none[3] = {0};
  for (int c = 0; c < z->f.mechanism.bodies; c++)
    for (int k = z->tree->last[c]; k >= 0; k = z->tree->above[k]) {
      dls_twist J;
      dls_tree_column(z->tree, k, c, none, &J);
      for (int i = 0; i < 3; i++)
        out->R[k] -= J.turn[i] * wrench[c].torque[i] + J.shift[i] * wrench[c].force[i];
    }
  dls_tree_motion(z->tree, b, frame, &out->motion, NULL);
}

static void add_scaled(double w, const moved *x, int n, double *R, double *motion)
{
  for (int k = 0; k < n; k++) R[k] += w * x->R[k];
  for (int k = 0; k < (int)(sizeof x->motion / sizeof(double)); k++)
    motion[k] += w * ((const double *)&x->motion)[k];
}

static double entry(const dls_pattern *A, const double *x, int i, int j)
{
  for (int e = A->p[j]; e < A->p[j + 1]; e++)
    if (A->i[e] == i) return x[e];
  return 0;
}

static void compare_motion(const dls_motion_slope *s, const double *d, int velocity, double size)
{
  const dls_solid_motion *m = (const dls_solid_motion *)d;
  for (int i = 0; i < 3; i++) {
    close_to(velocity ? s->x.turn[i] : s->rate_x.turn[i], m->w[i], 1e-9 * size);
    close_to(velocity ? s->x.shift[i] : s->rate_x.shift[i], m->v[i], 1e-9 * size);
    close_to(velocity ? s->acceleration_v.turn[i] : s->acceleration_x.turn[i], m->alpha[i],
             1e-8 * size);
    close_to(velocity ? s->acceleration_v.shift[i] : s->acceleration_x.shift[i], m->a[i],
             1e-8 * size);
    if (!velocity) close_to(s->x.shift[i], m->p[i], 1e-9 * size);
  }
}

// Springs and actuators on one side of each end of their ranges, not at it.
static void avoid_kinks(forest *f, forest_options *o)
{
  const dls_mechanism *m = &f->mechanism;
  forest_draw(f, o);
  for (int i = 0; i < m->actuators; i++)
    f->actuator[i].range[0] = below(2) ? 50 : -50, f->actuator[i].range[1] = 60;
  for (int t = 0; t < m->tendons; t++) {
    double *rest = f->tendon[t].rest;
    rest[0] = below(3) ? 20 : -20, rest[1] = rest[0] > 0 ? 30 : below(2) ? -20 : 20;
  }
}

static void slopes_are_differences(void **state)
{
  (void)state;
  static fixture z;
  for (int seed = 0; seed < TRIED(60); seed++) {
    at_case("seed %d", seed);
    forest_options o = forest_everything(1 + below(7));
    avoid_kinks(&z.f, &o);
    set_up_drawn(&z);
    const int n = z.f.n, entries = z.tree->slope.p[n];
    dls_wrench wrench[FOREST_BODIES];
    for (int k = 0; k < 6 * FOREST_BODIES; k++) ((double *)wrench)[k] = 3 * uniform();
    const int b = below(z.f.mechanism.bodies);
    const dls_pose frame = {{uniform(), uniform(), uniform()}, {1, 0, 0, 0}};
    double *R_q = vector(entries), *R_v = vector(entries), r[3];
    moved here;
    at_place(&z, z.x, z.x_dot, wrench, b, &frame, &here);
    dls_tree_begin_slopes(z.tree);
    dls_tree_differentiate(z.tree, wrench, R_q, R_v);
    dls_solid_motion own;
    dls_tree_motion(z.tree, b, NULL, &own, NULL);
    for (int i = 0; i < 3; i++) r[i] = here.motion.p[i] - own.p[i];
    dls_motion_slope *slope = calloc((size_t)n + 1, sizeof *slope);
    double size = 1;
    for (int k = z.tree->last[b]; k >= 0; k = z.tree->above[k])
      dls_tree_slope(z.tree, k, b, r, slope + k);
    for (int k = 0; k < n; k++) size = fmax(size, fabs(here.R[k]));
    for (int i = 0; i < 3; i++) size = fmax(size, fabs(here.motion.a[i]));
    for (int column = 0; column < 2 * n; column++) {
      const int k = column % n, velocity = column / n;
      double *by = vector(n), motion[sizeof(dls_solid_motion) / sizeof(double)] = {0};
      for (int at = -4; at <= 4; at++) {
        double x[MOST], x_dot[MOST];
        if (at == 0) continue;
        for (int i = 0; i < n; i++) x[i] = z.x[i], x_dot[i] = z.x_dot[i];
        (velocity ? x_dot : x)[k] += at * width;
        moved there;
        at_place(&z, x, x_dot, wrench, b, &frame, &there);
        add_scaled((at > 0 ? 1 : -1) * weights[abs(at) - 1] / width, &there, n, by, motion);
      }
      for (int i = 0; i < n; i++)
        close_to(entry(&z.tree->slope, velocity ? R_v : R_q, i, k), by[i], 1e-8 * size);
      compare_motion(slope + k, motion, velocity, size);
      free(by);
    }
    free(R_q), free(R_v), free(slope);
    dls_tree_free(z.tree);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slopes_are_differences),
      cmocka_unit_test(mass_and_forces_are_those_of_lagrange),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
