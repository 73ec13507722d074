// Systems of mechanisms: rates and biases are derivatives of gaps, forces do the work that energies
// tell, and joint coordinates and free bodies move alike.
#include "closed_forest.h"

#include "body/probe.h"
#include "differences.h"
#include "numbers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cases.h"

enum { MOST = 6 * FOREST_JOINTS };

static dls_system *made(const dls_mechanism *m, dls_coordinates_kind kind)
{
  dls_system *s = NULL;
  dls_message message = {""};
  if (dls_mechanism_system(m, kind, &s, &message) != DLS_OK) fail_msg("%s", message.text);
  if (dls_system_validate(s, &message) != DLS_OK) fail_msg("%s", message.text);
  return s;
}

static void enter(dls_system *s, const double *q, const double *v, double *x, double *x_dot)
{
  dls_message message = {""};
  if (s->chart->centre(s->self, q, &message) != DLS_OK) fail_msg("%s", message.text);
  assert_int_equal(s->chart->enter(s->self, q, v, x, x_dot), DLS_OK);
}

// A forest with at least one coordinate.
static void draw(closed_forest *c, const forest_options *o, int closures)
{
  do closed_forest_draw(c, o, closures);
  while (c->f.n == 0);
}

// ---- rows are derivatives of gaps ---------------------------------------------------------------

static const double weight1[] = {4. / 5, -1. / 5, 4. / 105, -1. / 280};
static const double weight2[] = {8. / 5, -1. / 5, 8. / 315, -1. / 560};
static const double centre2 = -205. / 72, width = 1. / 256;

static void rows_are_derivatives(void **state)
{
  (void)state;
  static closed_forest c;
  for (int seed = 0; seed < TRIED(60); seed++) {
    const dls_coordinates_kind kind = seed % 2 ? DLS_MAXIMAL : DLS_REDUCED;
    at_case("seed %d", seed);
    const forest_options o = forest_everything(2 + below(5));
    draw(&c, &o, 3);
    dls_system *s = made(&c.f.mechanism, kind);
    const int n = s->n, nq = s->chart->nq;
    double *q = vector(nq), *v = vector(n), *x = vector(n), *x_dot = vector(n), *y = vector(n);
    dls_mechanism_reference(s, q);
    for (int k = 0; k < n; k++) v[k] = uniform();
    enter(s, q, v, x, x_dot);
    for (int k = 0; k < n; k++) x[k] += 0.3 * uniform();
    dense_system d, e;
    dense_system_at(s, x, x_dot, &d);
    for (int way = -1; way < n; way++) {  // along the motion, then along each coordinate
      double *rate = vector(d.m), *bias = vector(d.m), *turn = vector(d.tangents);
      for (int i = 0; i < d.m; i++) bias[i] = centre2 * d.h[i];
      for (int at = -4; at <= 4; at++) {
        if (at == 0) continue;
        for (int k = 0; k < n; k++) y[k] = x[k] + at * width * (way < 0 ? x_dot[k] : k == way);
        dense_system_at(s, y, x_dot, &e);
        const double w = (at > 0 ? 1 : -1) * weight1[abs(at) - 1];
        for (int i = 0; i < d.m; i++) {
          rate[i] += w * e.h[i] / width;
          bias[i] += weight2[abs(at) - 1] * e.h[i];
        }
        for (int i = 0; i < d.tangents; i++) turn[i] += w * e.slip[i] / width;
        dense_system_free(&e);
      }
      for (int i = 0; i < d.m; i++) {
        const double size = 1 + fabs(d.h[i]) + fabs(d.h_dot[i]) + fabs(d.b_n[i]);
        if (way >= 0) close_to(d.G[way + n * i], rate[i], 2e-8 * size * size * size);
        else close_to(d.h_dot[i], rate[i], 2e-8 * size * size * size);
        if (way < 0) close_to(d.b_n[i], bias[i] / width / width, 2e-7 * size * size * size);
      }
      for (int i = 0; way < 0 && i < d.tangents; i++)
        close_to(d.b_t[i], turn[i], 1e-8 * (1 + fabs(d.b_t[i])));
      free(rate), free(bias), free(turn);
    }
    for (int i = 0; i < d.tangents; i++) {
      double slip = 0;
      for (int k = 0; k < n; k++) slip += d.H[k + n * i] * x_dot[k];
      close_to(slip, d.slip[i], 1e-13 * (1 + fabs(slip)));
    }
    dense_system_free(&d);
    free(q), free(v), free(x), free(x_dot), free(y);
    dls_system_free(s);
  }
}

// ---- work ---------------------------------------------------------------------------------------

// Without dampers and actuators M x'' + F is what energies change by along a motion.
static void forces_do_the_work_of_energies(void **state)
{
  (void)state;
  static closed_forest c;
  for (int seed = 0; seed < TRIED(60); seed++) {
    const dls_coordinates_kind kind = seed % 2 ? DLS_MAXIMAL : DLS_REDUCED;
    at_case("seed %d", seed);
    const forest_options o = forest_everything(2 + below(5));
    draw(&c, &o, 3);
    dls_mechanism *m = &c.f.mechanism;
    m->actuators = 0;
    for (int j = 0; j < m->joints; j++) c.f.joint[j].damping = 0;
    for (int k = 0; k < m->closures; k++) c.closure[k].damping = 0;
    for (int t = 0; t < m->tendons; t++) c.f.tendon[t].damping = 0;
    dls_system *s = made(m, kind);
    const int n = s->n;
    double *q = vector(s->chart->nq), *v = vector(n), *x = vector(n), *x_dot = vector(n);
    double *a = vector(n), *y = vector(n), *y_dot = vector(n), power = 0, growth = 0, size = 1;
    dls_mechanism_reference(s, q);
    for (int k = 0; k < n; k++) v[k] = uniform(), a[k] = uniform();
    enter(s, q, v, x, x_dot);
    for (int k = 0; k < n; k++) x[k] += 0.3 * uniform();
    dense_system d;
    dense_system_at(s, x, x_dot, &d);
    for (int i = 0; i < n; i++) {
      power += x_dot[i] * d.F[i], size += fabs(x_dot[i] * d.F[i]);
      for (int j = 0; j < n; j++) power += x_dot[i] * d.M[i + n * j] * a[j];
    }
    const double h = 1. / 1024;
    for (int at = -4; at <= 4; at++) {
      const double t = at * h;
      double T, V;
      for (int k = 0; k < n; k++)
        y[k] = x[k] + t * x_dot[k] + t * t / 2 * a[k], y_dot[k] = x_dot[k] + t * a[k];
      assert_int_equal(s->energy(s->self, 0, y, y_dot, &T, &V, NULL), DLS_OK);
      if (at) growth += (at > 0 ? 1 : -1) * weight1[abs(at) - 1] * (T + V) / h;
    }
    close_to(power, growth, 1e-8 * size);
    dense_system_free(&d);
    free(q), free(v), free(x), free(x_dot), free(a), free(y), free(y_dot);
    dls_system_free(s);
  }
}

// ---- joint coordinates and free bodies ----------------------------------------------------------

typedef struct both {
  dls_system *s[2];
  dense_system d[2];
  double q[2][2 * MOST], v[2][MOST], x[2][MOST], x_dot[2][MOST];
  int rows[2], row[2][MOST];  // closures
} both;

static void set_up(both *z, const closed_forest *c)
{
  for (int k = 0; k < 2; k++) z->s[k] = made(&c->f.mechanism, k ? DLS_MAXIMAL : DLS_REDUCED);
  closed_forest_draw_state(c, z->q[0], z->v[0]);
  assert_int_equal(dls_mechanism_in_maximal(z->s[0], z->q[0], z->v[0], z->s[1], z->q[1], z->v[1]),
                   DLS_OK);
  for (int k = 0; k < 2; k++) {
    enter(z->s[k], z->q[k], z->v[k], z->x[k], z->x_dot[k]);
    dense_system_at(z->s[k], z->x[k], z->x_dot[k], &z->d[k]);
    z->rows[k] = 0;
    for (int j = 0; j < z->d[k].m; j++)
      if (z->s[k]->contacts[j].kind == DLS_BILATERAL && !z->s[k]->contacts[j].dry)
        z->row[k][z->rows[k]++] = j;
  }
}

static void take_down(both *z)
{
  for (int k = 0; k < 2; k++) dense_system_free(&z->d[k]), dls_system_free(z->s[k]);
}

// The contact of that name, or -1.
static int named(const dls_system *s, const char *name)
{
  for (int j = 0; j < s->m; j++)
    if (strcmp(s->contacts[j].name, name) == 0) return j;
  return -1;
}

static void hold_joints(const both *z)
{
  const dense_system *d = &z->d[1];
  for (int j = 0; j < d->m; j++) {
    const char *name = z->s[1]->contacts[j].name;
    if (name[0] != 'j' || z->s[1]->contacts[j].kind != DLS_BILATERAL) continue;
    if (!(fabs(d->h[j]) < 1e-13) || !(fabs(d->h_dot[j]) < 1e-12))
      fail_msg("%s: %g, %g", name, d->h[j], d->h_dot[j]);
  }
}

// Gaps, rates and slips of what both have.
static void same_numbers(const both *z)
{
  for (int j = 0, slip = 0; j < z->d[0].m; slip += z->s[0]->contacts[j].tangents, j++) {
    const dls_contact_info *info = z->s[0]->contacts + j;
    const int k = named(z->s[1], info->name);
    if (k < 0) fail_msg("%s is missing", info->name);
    assert_int_equal(info->kind, z->s[1]->contacts[k].kind);
    const double size = 1 + fabs(z->d[0].h[j]);
    close_to(z->d[0].h[j], z->d[1].h[k], 1e-12 * size);
    close_to(z->d[0].h_dot[j], z->d[1].h_dot[k], 1e-11 * size * (1 + fabs(z->d[0].h_dot[j])));
    int other = 0;
    for (int i = 0; i < k; i++) other += z->s[1]->contacts[i].tangents;
    if (info->tangents) close_to(z->d[0].slip[slip], z->d[1].slip[other], 1e-12);
  }
}

static void minus(const double *F, int n, double *f)
{
  for (int i = 0; i < n; i++) f[i] = -F[i];
}

// Accelerations and forces of closures, and how ranges answer to forces.
static int same_motion(const both *z)
{
  static double f[2][MOST], a[2][MOST], lambda[2][MOST], got[2];
  for (int k = 0; k < 2; k++) {
    minus(z->d[k].F, z->d[k].n, f[k]);
    if (constrained_acceleration(&z->d[k], z->rows[k], z->row[k], f[k], z->d[k].b_n, a[k],
                                 lambda[k]) < 1e-7)
      return 0;  // near a singularity
  }
  double size = 1;
  for (int i = 0; i < z->d[0].n; i++) size = fmax(size, fabs(a[0][i]));
  const int closures = z->rows[1] - z->rows[0];
  for (int i = 0; i < z->rows[0]; i++) close_to(lambda[0][i], lambda[1][closures + i], 1e-7 * size);
  for (int j = 0; j < z->d[0].m; j++) {
    if (z->s[0]->contacts[j].dry) continue;
    const int k[2] = {j, named(z->s[1], z->s[0]->contacts[j].name)};
    for (int i = 0; i < 2; i++) {
      got[i] = z->d[i].b_n[k[i]];
      for (int c = 0; c < z->d[i].n; c++) got[i] += z->d[i].G[c + z->d[i].n * k[i]] * a[i][c];
    }
    close_to(got[0], got[1], 1e-7 * size);
  }
  // the constrained Delassus matrix of the ranges
  for (int j = 0; j < z->d[0].m; j++) {
    if (z->s[0]->contacts[j].kind != DLS_UNILATERAL) continue;
    static double answer[2][MOST], force[2][MOST];
    const int k[2] = {j, named(z->s[1], z->s[0]->contacts[j].name)};
    for (int i = 0; i < 2; i++)
      constrained_acceleration(&z->d[i], z->rows[i], z->row[i], z->d[i].G + z->d[i].n * k[i], NULL,
                               answer[i], force[i]);
    for (int l = 0; l < z->d[0].m; l++) {
      if (z->s[0]->contacts[l].kind != DLS_UNILATERAL) continue;
      const int to[2] = {l, named(z->s[1], z->s[0]->contacts[l].name)};
      double W[2] = {0};
      for (int i = 0; i < 2; i++)
        for (int c = 0; c < z->d[i].n; c++) W[i] += z->d[i].G[c + z->d[i].n * to[i]] * answer[i][c];
      close_to(W[0], W[1], 1e-8 * (1 + fabs(W[0])));
    }
  }
  return 1;
}

static void reduced_is_maximal(void **state)
{
  (void)state;
  static closed_forest c;
  static both z;
  int done = 0;
  for (int seed = 0; seed < TRIED(60); seed++) {
    at_case("seed %d", seed);
    forest_options o = forest_everything(1 + below(6));
    o.massless = false;
    draw(&c, &o, below(4));
    set_up(&z, &c);
    hold_joints(&z);
    same_numbers(&z);
    double T[2], V[2];
    for (int k = 0; k < 2; k++)
      assert_int_equal(z.s[k]->energy(z.s[k]->self, 0, z.x[k], z.x_dot[k], &T[k], &V[k], NULL),
                       DLS_OK);
    close_to(T[0], T[1], 1e-11 * (1 + T[0]));
    close_to(V[0], V[1], 1e-10 * (1 + fabs(V[0])));
    done += same_motion(&z);
    take_down(&z);
  }
  assert_true(done > TRIED(60) / 2);
}

// ---- derivatives --------------------------------------------------------------------------------

// Springs and actuators on one side of each end of their ranges, not at it.
static void avoid_kinks(closed_forest *c)
{
  const dls_mechanism *m = &c->f.mechanism;
  for (int i = 0; i < m->actuators; i++)
    c->f.actuator[i].range[0] = below(2) ? 50 : -50, c->f.actuator[i].range[1] = 60;
  for (int t = 0; t < m->tendons; t++) {
    double *rest = c->f.tendon[t].rest;
    rest[0] = below(3) ? 20 : -20, rest[1] = rest[0] > 0 ? 30 : below(2) ? -20 : 20;
  }
}

static void derivatives_are_exact(void **state)
{
  (void)state;
  static closed_forest c;
  for (int seed = 0; seed < TRIED(40); seed++) {
    at_case("seed %d", seed);
    const forest_options o = forest_everything(1 + below(5));
    draw(&c, &o, 3);
    avoid_kinks(&c);
    dls_system *s = made(&c.f.mechanism, seed % 2 ? DLS_MAXIMAL : DLS_REDUCED);
    const int n = s->n, count = equations_count(s);
    double *q = vector(s->chart->nq), *x = vector(n), *v = vector(n), *a = vector(n);
    double *lambda = vector(s->m), *tau = vector(s->tangents);
    dls_mechanism_reference(s, q);
    enter(s, q, v, x, v);
    for (int k = 0; k < n; k++) x[k] += 0.3 * uniform(), v[k] = uniform(), a[k] = uniform();
    for (int k = 0; k < s->m; k++) lambda[k] = uniform();
    for (int k = 0; k < s->tangents; k++) tau[k] = uniform();
    point at = {0, x, v, a, lambda, tau};
    dls_derivatives *d;
    dls_message message = {""};
    assert_int_equal(dls_derivatives_create(s, &d), DLS_OK);
    if (s->differentiate(s->self, 0, x, v, a, lambda, tau, d, &message))
      fail_msg("%s", message.text);
    double *by = vector(count), *exact = vector(count), *here = vector(count);
    equations_at(s, &at, here);
    double size = 1;
    for (int i = 0; i < count; i++) size = fmax(size, fabs(here[i]));
    for (int k = 0; k < 2 * n; k++) {
      equations_difference(s, &at, k / n, k % n, 0x1p-7, by);
      equations_exact(s, d, k / n, k % n, exact);
      const int rows = k < n ? count : n + s->m + s->tangents;
      for (int i = 0; i < rows; i++)
        if (!(fabs(exact[i] - by[i]) <= 1e-7 * size * size))
          fail_msg("row %d, column %d of %d: %.12g is not %.12g (size %g)", i, k, n, exact[i],
                   by[i], size);
    }
    dls_derivatives_free(d);
    free(q), free(x), free(v), free(a), free(lambda), free(tau), free(by), free(exact), free(here);
    dls_system_free(s);
  }
}

// ---- probes -------------------------------------------------------------------------------------

enum { PROBES = 6 };

typedef struct probed {
  double y[PROBES], y_dot[PROBES], bias[PROBES], *J;
} probed;

static void probe_at(dls_system *s, const double *x, const double *v, const dls_probe *probe,
                     probed *out)
{
  const dls_probe_values to = {out->y, out->y_dot, out->bias, out->J};
  assert_int_equal(dls_probes_evaluate(s, x, v, PROBES, probe, &to, NULL), DLS_OK);
}

static void draw_probes(const closed_forest *c, dls_probe *probe)
{
  for (int k = 0; k < PROBES; k++) {
    probe[k] = (dls_probe){.kind = (dls_probe_kind)(k % 3), .axis = below(3)};
    for (int i = 0; i < 3; i++) probe[k].at[i] = uniform();
    probe[k].of = below(c->f.mechanism.bodies);
    int j = probe[k].kind == DLS_PROBE_JOINT ? below(c->f.mechanism.joints) : 0;
    while (probe[k].kind == DLS_PROBE_JOINT && c->f.joint[j].kind < DLS_JOINT_HINGE)
      j = below(c->f.mechanism.joints);
    if (probe[k].kind == DLS_PROBE_JOINT) probe[k].of = j;
  }
}

static bool has_single(const closed_forest *c)
{
  for (int j = 0; j < c->f.mechanism.joints; j++)
    if (c->f.joint[j].kind >= DLS_JOINT_HINGE) return true;
  return false;
}

// y' = dy/dt, y'' = J a + bias, and their derivatives, against differences.
static void probes_are_exact(void **state)
{
  (void)state;
  static closed_forest c;
  for (int seed = 0; seed < TRIED(30); seed++) {
    at_case("seed %d", seed);
    const forest_options o = forest_everything(1 + below(5));
    do draw(&c, &o, 1);
    while (!has_single(&c));
    dls_system *s = made(&c.f.mechanism, seed % 2 ? DLS_MAXIMAL : DLS_REDUCED);
    const int n = s->n;
    dls_probe probe[PROBES];
    dls_pattern p;
    draw_probes(&c, probe);
    assert_int_equal(dls_probes_pattern(s, PROBES, probe, &p), DLS_OK);
    const int entries = p.p[PROBES];
    double *q = vector(s->chart->nq), *x = vector(n), *v = vector(n), *a = vector(n);
    double *y = vector(n), *f = vector(PROBES), *force_x = vector(n * n), *push = vector(n);
    dls_mechanism_reference(s, q);
    enter(s, q, v, x, v);
    for (int k = 0; k < n; k++) x[k] += 0.3 * uniform(), v[k] = uniform(), a[k] = uniform();
    for (int k = 0; k < PROBES; k++) f[k] = uniform();
    probed here = {.J = vector(entries)}, there = {.J = vector(entries)};
    probe_at(s, x, v, probe, &here);
    dls_probe_derivatives d = {vector(entries), vector(entries), vector(entries), force_x};
    assert_int_equal(dls_probes_differentiate(s, x, v, a, f, PROBES, probe, &d), DLS_OK);
    const double h = 1. / 256;
    for (int way = -1; way < 2 * n; way++) {
      double rate[PROBES] = {0}, of_rate[PROBES] = {0}, of_bias[PROBES] = {0};
      memset(push, 0, (size_t)n * sizeof *push);
      for (int at = -4; at <= 4; at++) {
        if (at == 0) continue;
        const double w = (at > 0 ? 1 : -1) * weight1[abs(at) - 1] / h;
        double *moved = y, *speed = vector(n);
        for (int k = 0; k < n; k++) {
          moved[k] = x[k] + at * h * (way < 0 ? v[k] : (double)(k == way));
          speed[k] = v[k] + at * h * (way >= n ? (double)(k == way - n) : 0);
        }
        probe_at(s, moved, speed, probe, &there);
        for (int k = 0; k < PROBES; k++) {
          double bend = there.bias[k];
          for (int e = p.p[k]; e < p.p[k + 1]; e++) {
            bend += there.J[e] * a[p.i[e]];
            push[p.i[e]] += w * f[k] * there.J[e];
          }
          rate[k] += w * there.y[k], of_rate[k] += w * there.y_dot[k], of_bias[k] += w * bend;
        }
        free(speed);
      }
      for (int k = 0; k < PROBES; k++) {
        if (way < 0 && probe[k].kind != DLS_PROBE_SPIN) close_to(here.y_dot[k], rate[k], 1e-8);
        if (way < 0) close_to(here.bias[k], of_rate[k], 1e-7 * (1 + fabs(here.bias[k])));
        for (int e = p.p[k]; way >= 0 && e < p.p[k + 1]; e++) {
          if (p.i[e] != way % n) continue;
          const double size = 1e-7 * (1 + fabs(of_bias[k]));
          close_to(way < n ? d.acceleration_x[e] : d.acceleration_v[e], of_bias[k], size);
          close_to(way < n ? d.rate_x[e] : here.J[e], of_rate[k], size);
          if (way < n && probe[k].kind != DLS_PROBE_SPIN) close_to(here.J[e], rate[k], 1e-8);
        }
      }
      for (int k = 0; way >= 0 && way < n && k < n; k++)
        close_to(force_x[k + n * way], push[k], 1e-7 * (1 + fabs(push[k])));
    }
    free(q), free(x), free(v), free(a), free(y), free(f), free(force_x), free(push);
    free(here.J), free(there.J), free(d.rate_x), free(d.acceleration_x), free(d.acceleration_v);
    free((int *)p.p), free((int *)p.i);
    dls_system_free(s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_derivatives), cmocka_unit_test(forces_do_the_work_of_energies),
      cmocka_unit_test(reduced_is_maximal),   cmocka_unit_test(derivatives_are_exact),
      cmocka_unit_test(probes_are_exact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
