// A problem in other units is the same problem: every solver of the table makes the same steps, and
// its answer is the same, bit for bit, when mass, length and time are scaled by powers of two, and
// with them equations and coordinates that are no lengths.
#include "../bench/packing.h"
#include "incremental_maker.h"
#include "lcp_problem.h"
#include "numbers.h"
#include <delassus/delassus.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

// ---- other units -------------------------------------------------------------------------------

// Powers of two: u and r of contacts, u of each equation and v of each coordinate. The product of a
// velocity and its force is the same energy everywhere.
enum { EQUATIONS = 8, COORDINATES = 9000 };

typedef struct units {
  double u, r, equation[EQUATIONS], v[COORDINATES];
} units;

static double power(int most)
{
  return ldexp(1, below(2 * most + 1) - most);
}

static units draw_units(void)
{
  const double mass = power(40), length = power(40), time = power(40);
  units s = {.u = length / time, .r = mass * length / time};
  for (int k = 0; k < EQUATIONS; k++) s.equation[k] = s.u * power(20);
  for (int k = 0; k < COORDINATES; k++) s.v[k] = below(2) ? s.u : s.u * power(20);
  return s;
}

// Bodies in space: three velocities and three rates of turning each, which are no lengths.
static units draw_units_of_bodies(void)
{
  const double mass = power(40), length = power(40), time = power(40);
  units s = {.u = length / time, .r = mass * length / time};
  for (int k = 0; k < COORDINATES; k++) s.v[k] = k % 6 < 3 ? s.u : 1 / time;
  return s;
}

static units inverse(const units *s)
{
  units back = {.u = 1 / s->u, .r = 1 / s->r};
  for (int j = 0; j < EQUATIONS; j++) back.equation[j] = 1 / s->equation[j];
  for (int j = 0; j < COORDINATES; j++) back.v[j] = 1 / s->v[j];
  return back;
}

static double of_u(const units *s, const dls_incremental *p, int row)
{
  const int end = p->dimension * p->contacts;
  return row < end ? s->u : s->equation[row - end];
}

static double of_r(const units *s, const dls_incremental *p, int row)
{
  return s->u * s->r / of_u(s, p, row);
}

// The same problem in other units; its numbers belong to the test.
static void change_units(const dls_incremental *p, const units *s)
{
  const int rows = dls_incremental_rows(p);
  const double energy = s->u * s->r;
  double *W = (double *)p->W.x, *q = (double *)p->q, *M = (double *)p->M.x, *f = (double *)p->f;
  double *H = (double *)p->H.x, *w = (double *)p->w;
  for (int j = 0; !p->global && j < rows; j++) {
    q[j] *= of_u(s, p, j);
    for (int e = p->W.pattern.p[j]; e < p->W.pattern.p[j + 1]; e++)
      W[e] *= of_u(s, p, p->W.pattern.i[e]) / of_r(s, p, j);
  }
  if (!p->global) return;
  for (int k = 0; k < p->dof; k++) {
    f[k] *= energy / s->v[k];
    for (int e = p->M.pattern.p[k]; e < p->M.pattern.p[k + 1]; e++)
      M[e] *= energy / s->v[p->M.pattern.i[e]] / s->v[k];
  }
  for (int j = 0; j < rows; j++) {
    w[j] *= of_u(s, p, j);
    for (int e = p->H.pattern.p[j]; e < p->H.pattern.p[j + 1]; e++)
      H[e] *= of_u(s, p, j) / s->v[p->H.pattern.i[e]];
  }
}

// ---- one solver, twice -------------------------------------------------------------------------

typedef struct answer {
  double *r, *u, *v;
  dls_solve_report report;
} answer;

static answer solve(const dls_incremental *p, const dls_solve_options *options)
{
  const int rows = dls_incremental_rows(p);
  answer a = {vector(rows), vector(rows), vector(p->dof), {0}};
  dls_solver *solver = NULL;
  dls_message message = {""};
  if (dls_solver_create(p, options, &solver, &message) != DLS_OK) fail_msg("%s", message.text);
  assert_int_equal(dls_solver_solve(solver, a.r, a.v, a.u, &a.report), DLS_OK);
  dls_solver_free(solver);
  return a;
}

static void same_number(const char *solver, const char *what, double a, double b)
{
  if (!(a == b) && !(isnan(a) && isnan(b)))
    fail_msg("%s: %s is %.17g in the first units, %.17g in the others", solver, what, a, b);
}

static void same_answer(const dls_incremental *p, const units *s, const char *name, const answer *a,
                        const answer *b)
{
  same_number(name, "iterations", a->report.iterations, b->report.iterations);
  same_number(name, "stop", a->report.stop, b->report.stop);
  same_number(name, "converged", a->report.converged, b->report.converged);
  same_number(name, "scaled", a->report.error.scaled, b->report.error.scaled);
  same_number(name, "common", a->report.error.common, b->report.error.common);
  same_number(name, "rounding", a->report.error.rounding, b->report.error.rounding);
  same_number(name, "balance", a->report.error.balance, b->report.error.balance);
  for (int j = 0; j < dls_incremental_rows(p); j++) {
    same_number(name, "r", a->r[j], b->r[j] / of_r(s, p, j));
    same_number(name, "u", a->u[j], b->u[j] / of_u(s, p, j));
  }
  for (int k = 0; p->global && k < p->dof; k++) same_number(name, "v", a->v[k], b->v[k] / s->v[k]);
}

static void answer_free(answer *a)
{
  free(a->r), free(a->u), free(a->v);
}

// Leaves the problem as it was. Whether the solver converged.
static bool solve_twice(const dls_incremental *p, const units *s, const dls_solve_options *options)
{
  answer a = solve(p, options);
  change_units(p, s);
  answer b = solve(p, options);
  same_answer(p, s, options->solver, &a, &b);
  const units back = inverse(s);
  change_units(p, &back);
  const bool converged = a.report.converged;
  answer_free(&a), answer_free(&b);
  return converged;
}

static const made_shape shapes[] = {
    {.dimension = 3, .contacts = 5, .dof = 30},
    {.dimension = 3, .contacts = 6, .dof = 9},  // half the rank
    {.dimension = 3, .contacts = 4, .equations = 5, .dof = 30, .frictionless = true},
    {.dimension = 2, .contacts = 6, .equations = 3, .dof = 30},
    {.dimension = 2, .contacts = 7, .dof = 8, .skew = 1e-3},
    {.dimension = 3, .contacts = 5, .dof = 20, .global = true},
    {.dimension = 3, .contacts = 2, .dof = 40, .global = true},  // W is formed
    {.dimension = 3, .contacts = 6, .equations = 3, .dof = 16, .global = true},
    {.dimension = 2, .contacts = 6, .equations = 1, .dof = 20, .global = true},
    {.dimension = 3, .contacts = 13, .dof = 60, .W = 1e-14},
    {.dimension = 3, .contacts = 9, .dof = 24, .W = 1e8, .q = 1e-6, .global = true},
    {.dimension = 2, .contacts = 9, .dof = 24, .W = 1e25},
};
enum { SHAPES = (int)(sizeof shapes / sizeof *shapes) };

// M whole: coordinates hang together, and pivots have a choice.
static void couple_masses(made_problem *m)
{
  const int n = m->problem.dof;
  double *M = vector(n * n);
  int *p = calloc((size_t)n + 1, sizeof *p), *i = calloc((size_t)(n * n) + 1, sizeof *i);
  for (int c = 0; c < n; c++) {
    p[c + 1] = n * (c + 1);
    for (int k = 0; k < n; k++) {
      i[n * c + k] = k;
      M[n * c + k] = k == c ? m->values[1][c] : 0.3 * uniform() / n;
    }
  }
  for (int c = 0; c < n; c++)
    for (int k = 0; k < c; k++) M[n * c + k] = M[n * k + c] *= m->values[1][0];
  free(m->values[1]), free(m->pattern[2]), free(m->pattern[3]);
  m->values[1] = M, m->pattern[2] = p, m->pattern[3] = i;
  m->problem.M = (dls_matrix_view){{n, n, p, i}, M};
}

static bool takes(int method, const dls_incremental *p)
{
  const dls_solver_info *info = dls_solver_info_at(method);
  if (strcmp(info->name, "pile") == 0) return false;  // takes bodies: every_pile
  return p->global ? info->global : info->local;
}

static void every_solver(void **state)
{
  (void)state;
  int converged = 0, tried = 0;
  for (int turn = 0; turn < TRIED(8); turn++)
    for (int k = 0; k < SHAPES; k++) {
      at_case("turn %d, k %d", turn, k);
      made_problem *m = made_create(&shapes[k]);
      if (m->problem.global && turn % 2) couple_masses(m);
      const units s = draw_units();
      for (int method = 0; method < dls_solver_count(); method++) {
        if (!takes(method, &m->problem)) continue;
        dls_solve_options options = dls_solve_defaults();
        options.solver = dls_solver_info_at(method)->name, options.max_iterations = 3000;
        converged += solve_twice(&m->problem, &s, &options), tried++;
      }
      made_free(m);
    }
  assert_true(10 * converged > 8 * tried);
}

// Sweeps alone, regions by themselves, and interior points where masses differ: on one grid, with a
// coarser one, and, the first steps only, with two.
static void every_pile(void **state)
{
  (void)state;
  const struct {
    int contacts;
    double ratio, mu;
    packing_order order;
    int most;
  } kind[] = {
      {120, 1, 0.5, PACKING_MIXED, 3000},   {900, 1, 0.3, PACKING_MIXED, 3000},
      {100, 1e3, 0.5, PACKING_MIXED, 3000}, {120, 1e6, 0.5, PACKING_TOP_HEAVY, 3000},
      {400, 1e3, 0.5, PACKING_MIXED, 3000}, {600, 1e6, 0.5, PACKING_TOP_HEAVY, 45},
      {500, 1e3, 0, PACKING_MIXED, 3000},   {6800, 1e3, 0.5, PACKING_MIXED, 36},
  };
  enum { KINDS = (int)(sizeof kind / sizeof *kind) };
  int converged = 0;
  for (int k = 0; k < KINDS; k++) {
    at_case("k %d", k);
    packing_options o = packing_defaults();
    o.contacts = kind[k].contacts, o.mass_ratio = kind[k].ratio, o.order = kind[k].order;
    o.mu = kind[k].mu;
    packing p;
    packing_create(&o, &p);
    assert_true(p.problem.dof <= COORDINATES);
    const units s = draw_units_of_bodies();
    for (int j = 0; j < 2; j++) {
      dls_solve_options options = dls_solve_defaults();
      options.solver = j ? "auto" : "pile", options.tolerance = 1e-6;
      options.max_iterations = kind[k].most;
      converged += solve_twice(&p.problem, &s, &options);
    }
    packing_free(&p);
  }
  assert_true(converged > KINDS);
}

// ---- complementarity problems ------------------------------------------------------------------

static dls_lcp_report solve_lcp(const dls_mlcp *p, const char *name, double *z)
{
  dls_lcp_options o = dls_lcp_defaults();
  o.solver = name;
  dls_lcp_solver *solver = NULL;
  dls_lcp_report report;
  assert_int_equal(dls_lcp_solver_create(p, &o, &solver, NULL), DLS_OK);
  assert_int_equal(dls_lcp_solver_solve(solver, z, NULL, &report), DLS_OK);
  dls_lcp_solver_free(solver);
  return report;
}

// Another unit for all z and another one for all w: the same bits.
static void every_lcp_solver(void **state)
{
  (void)state;
  int converged = 0, tried = 0;
  for (int turn = 0; turn < TRIED(120); turn++)
    for (int family = 0; family < LCP_FAMILIES; family++) {
      at_case("turn %d, family %d", turn, family);
      const int n = 3 + below(8);
      lcp_problem p = lcp_draw(family, n, turn % 3 ? 0 : below(3), 1, turn % 5 == 0);
      const double of_z = power(40), of_w = power(40);
      lcp_problem other = {.lcp = p.lcp, .M = vector(n * n), .q = vector(n)};
      other.lcp.M = other.M, other.lcp.q = other.q;
      for (int k = 0; k < n * n; k++) other.M[k] = p.M[k] * of_w / of_z;
      for (int k = 0; k < n; k++) other.q[k] = p.q[k] * of_w;
      for (int k = 0; k < dls_lcp_solver_count(); k++) {
        const char *name = dls_lcp_solver_info_at(k)->name;
        double z[2][16] = {{0}};
        const dls_lcp_report a = solve_lcp(&p.lcp, name, z[0]);
        const dls_lcp_report b = solve_lcp(&other.lcp, name, z[1]);
        same_number(name, "iterations", a.iterations, b.iterations);
        same_number(name, "stop", a.stop, b.stop);
        same_number(name, "error", a.error_in_units, b.error_in_units);
        for (int i = 0; i < n; i++) same_number(name, "z", z[0][i], z[1][i] / of_z);
        converged += a.converged, tried++;
      }
      lcp_drop(&p);
      free(other.M), free(other.q);
    }
  assert_true(2 * converged > tried);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_solver), cmocka_unit_test(every_pile),
                                     cmocka_unit_test(every_lcp_solver)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
