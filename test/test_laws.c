// The laws of contacts in the incremental problem: points that are known to obey them, all
// solutions in the plane by enumeration, every solver that takes them, other units, another order.
#include "discrete.h"
#include "law_oracle.h"
#include "numbers.h"

#include <delassus/solve.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { ROWS = 24 };
static const unsigned char all_laws[] = {
    DLS_LAW_CONE,    DLS_LAW_EQUATION,          DLS_LAW_UNILATERAL, DLS_LAW_BILATERAL_CONE,
    DLS_LAW_SLIDING, DLS_LAW_BILATERAL_SLIDING, DLS_LAW_BOUNDED};

// Problem t: of one law, of each in turn, or of all mixed.
static discrete draw(int t, int d, int contacts, int equations)
{
  const int bodies = 1 + (d * contacts + equations) / 4;
  discrete p = discrete_draw(d, contacts, equations, bodies, 6, 0, 0);
  const int one = t % (DLS_LAW_COUNT + 3);
  if (one < DLS_LAW_COUNT) discrete_laws(&p, 1, &all_laws[one]);
  else discrete_laws(&p, DLS_LAW_COUNT, all_laws);
  return p;
}

static dls_incremental_error error_of(const dls_incremental *p, const double *r, const double *v)
{
  double norm_q;
  dls_incremental_error error;
  assert_int_equal(dls_incremental_scale(p, &norm_q), DLS_OK);
  assert_int_equal(dls_incremental_residual(p, norm_q, r, v, NULL, &error), DLS_OK);
  return error;
}

static dls_solve_report solve(const dls_incremental *p, const char *name, double *r, double *v,
                              double *u)
{
  dls_solve_options options = dls_solve_defaults();
  dls_solver *solver = NULL;
  dls_message message = {{0}};
  dls_solve_report report;
  options.solver = name, options.tolerance = 1e-9;
  options.max_iterations = strncmp(name, "nsgs", 4) == 0 ? 5000 : 0;
  assert_int_equal(dls_solver_create(p, &options, &solver, &message), DLS_OK);
  assert_int_equal(dls_solver_solve(solver, r, v, u, &report), DLS_OK);
  dls_solver_free(solver);
  report.history = NULL;
  return report;
}

// ---- points that are known ---------------------------------------------------------------------

// The measured error of a solution is rounding; of a force that is changed it is as large as the
// oracle says.
static void residuals(void **state)
{
  (void)state;
  int seen = 0;
  for (int t = 0; t < TRIED(600); t++) {
    discrete p = draw(t, 2 + t % 2, 1 + below(5), below(3));
    double r[ROWS], v[ROWS * 4];
    discrete_solvable(&p, r, v);
    assert_true(law_miss(&p.local, p.W, r) < 1e-12);
    assert_true(error_of(&p.local, r, NULL).largest < 1e-9);
    assert_true(error_of(&p.global, r, v).largest < 1e-9);
    for (int j = 0; j < p.rows; j++) {
      const double kept = r[j];
      r[j] += (t % 4 < 2 ? 1 : -1) * ldexp(1, -5 * (t % 3));
      const double miss = law_miss(&p.local, p.W, r);
      const dls_incremental_error e = error_of(&p.local, r, NULL);
      if (miss > 1e-6) assert_true(e.scaled > 0.02 * miss && e.natural > 0), seen++;
      if (miss < 1e-13) assert_true(e.scaled < 1e-9);
      r[j] = kept;
    }
  }
  assert_true(seen > TRIED(600));
}

static bool takes(const dls_solver_info *info, const dls_incremental *p)
{
  return (p->global ? info->global : info->local) && !(dls_incremental_laws(p) & ~info->laws);
}

// Every solver that takes the laws, in both forms. What converged is a solution, by the oracle;
// auto, newton-ac and proximal solve all.
static void solvers(void **state)
{
  (void)state;
  int tried[32] = {0}, solved[32] = {0};
  for (int t = 0; t < TRIED(600); t++) {
    discrete p = draw(t, 2 + t % 2, 1 + below(6), below(3));
    double r[ROWS], x[ROWS], u[ROWS], v[ROWS * 4];
    discrete_solvable(&p, r, v);
    const dls_incremental *q = t % 5 == 4 ? &p.global : &p.local;
    for (int k = 0; k < dls_solver_count(); k++) {
      const dls_solver_info *info = dls_solver_info_at(k);
      if (!takes(info, q) || strcmp(info->name, "lemke-pyramid") == 0) continue;
      if (strcmp(info->name, "pile") == 0) continue;  // wants other bodies
      memset(x, 0, sizeof x), memset(v, 0, sizeof v);
      const dls_solve_report report = solve(q, info->name, x, v, u);
      const double miss = law_miss(&p.local, p.W, x);
      tried[k]++, solved[k] += report.converged;
      if (report.converged && !(miss < 1e-7))
        print_error("problem %d, %s: converged, but the law is missed by %g\n", t, info->name,
                    miss);
      assert_true(!report.converged || miss < 1e-7);
      if (!report.converged && k == 0) print_error("problem %d: auto did not converge\n", t);
    }
    discrete_free(&p);
  }
  for (int k = 0; k < dls_solver_count(); k++) {
    const char *name = dls_solver_info_at(k)->name;
    if (getenv("DLS_TEST_TABLE")) printf("%-15s %d of %d\n", name, solved[k], tried[k]);
  }
  assert_int_equal(solved[0], tried[0]);
}

// ---- all solutions -----------------------------------------------------------------------------

static double distance(int rows, const double *a, const double *b)
{
  double most = 0, size = 1e-3;
  for (int j = 0; j < rows; j++)
    most = fmax(most, fabs(a[j] - b[j])), size = fmax(size, fabs(b[j]));
  return most / size;
}

// Drawn q: there may be no solution, or several. What converged is one of those that enumeration
// finds; where there is one auto finds one.
static void enumeration(void **state)
{
  (void)state;
  enum { MOST = 200 };
  static double found[MOST * ROWS];
  int with = 0, without = 0, several = 0, missed = 0;
  for (int t = 0; t < TRIED(400); t++) {
    discrete p = draw(t, 2, 1 + below(3), below(2));
    for (int i = 0; i < p.local.contacts && t % 2; i++) p.mu[i] *= 4;
    double r[ROWS] = {0}, u[ROWS];
    const int count = law_enumerate(&p.local, p.W, MOST, found);
    const dls_solve_report report = solve(&p.local, "auto", r, NULL, u);
    double nearest = INFINITY, farthest = 0;
    for (int k = 0; k < count; k++) {
      nearest = fmin(nearest, distance(p.rows, r, found + (ptrdiff_t)p.rows * k));
      farthest = fmax(farthest, distance(p.rows, found, found + (ptrdiff_t)p.rows * k));
    }
    with += count > 0, without += count == 0, several += farthest > 1e-3;
    if (report.converged && !(nearest < 1e-5))
      print_error("problem %d: %d solutions, none of them found; %g\n", t, count, nearest);
    assert_true(!report.converged || nearest < 1e-5);
    if (count > 0 && !report.converged) {
      print_error("problem %d: %d solutions, auto did not converge\n", t, count);
      missed++;
    }
    discrete_free(&p);
  }
  if (getenv("DLS_TEST_TABLE"))
    printf("with a solution %d (several %d), without %d; missed %d\n", with, several, without,
           missed);
  assert_true(with > TRIED(300));
  assert_int_equal(missed, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(residuals), cmocka_unit_test(solvers),
                                     cmocka_unit_test(enumeration)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
