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

#include "cases.h"

enum { ROWS = 24 };
static const unsigned char all_laws[] = {
    DLS_LAW_CONE,    DLS_LAW_EQUATION,          DLS_LAW_UNILATERAL, DLS_LAW_BILATERAL_CONE,
    DLS_LAW_SLIDING, DLS_LAW_BILATERAL_SLIDING, DLS_LAW_BOUNDED,    DLS_LAW_BILATERAL_BOUNDED};

// DLS_TEST_CASES=10: ten times as many.
static int cases(int n)
{
  const char *times = getenv("DLS_TEST_CASES");
  return TRIED(n) * (times ? (int)strtol(times, NULL, 10) : 1);
}

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
  for (int t = 0; t < cases(600); t++) {
    at_case("t %d", t);
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
    discrete_free(&p);
  }
  assert_true(seen > cases(600));
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
  for (int t = 0; t < cases(600); t++) {
    at_case("t %d", t);
    discrete p = draw(t, 2 + t % 2, 1 + below(6), below(3));
    double r[ROWS], x[ROWS], u[ROWS], v[ROWS * 4];
    discrete_solvable(&p, r, v);
    const dls_incremental *q = t % 5 == 4 ? &p.global : &p.local;
    for (int k = 0; k < dls_solver_count(); k++) {
      const dls_solver_info *info = dls_solver_info_at(k);
      if (!takes(info, q) || strcmp(info->name, "pile") == 0) continue;  // which wants other bodies
      if (t % 2 == 1 && strcmp(info->name, "lemke-pyramid") == 0) continue;  // exact in the plane
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

// Drawn q, and much friction: there may be no solution, or several. What converged is one of those
// that enumeration finds; where there is one auto finds one, of a thousand problems but one.
static void enumeration(void **state)
{
  (void)state;
  enum { MOST = 200 };
  static double found[MOST * ROWS];
  int with = 0, without = 0, several = 0, missed = 0;
  for (int t = 0; t < cases(400); t++) {
    at_case("t %d", t);
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
  assert_true(with > cases(300));
  assert_true(1000 * missed <= with);
}

// ---- other units, another order ----------------------------------------------------------------

// The same bits, of every solver that takes the laws.
static void units(void **state)
{
  (void)state;
  for (int t = 0; t < cases(300); t++) {
    at_case("t %d", t);
    discrete p = draw(t, 2 + t % 2, 1 + below(5), 0);
    double r[ROWS], first[ROWS], again[ROWS], u[ROWS], v[ROWS * 4] = {0};
    const double force = ldexp(1, below(81) - 40), speed = ldexp(1, below(81) - 40);
    discrete_solvable(&p, r, NULL);
    const dls_incremental *q = t % 5 == 4 ? &p.global : &p.local;
    static const char *const names[] = {"auto", "nsgs", "nsgs-anderson", "newton-ac", "proximal"};
    const char *name = names[t / 10 % 5];
    memset(first, 0, sizeof first), memset(again, 0, sizeof again);
    const dls_solve_report a = solve(q, name, first, v, u);
    discrete_scale(&p, force, speed);
    memset(v, 0, sizeof v);
    const dls_solve_report b = solve(q, name, again, v, u);
    assert_int_equal(a.converged, b.converged);
    assert_int_equal(a.iterations, b.iterations);
    for (int j = 0; j < p.rows; j++) assert_true(again[j] == force * first[j]);
    discrete_free(&p);
  }
}

// Contacts in another order: as good a solution.
static void order(void **state)
{
  (void)state;
  for (int t = 0; t < cases(200); t++) {
    at_case("t %d", t);
    const int d = 2 + t % 2, n = 2 + below(4);
    discrete p = draw(t, d, n, 0);
    double r[ROWS], x[ROWS] = {0}, back[ROWS], u[ROWS], q[ROWS], W[ROWS * ROWS];
    double mu[ROWS], bound[ROWS], direction[ROWS];
    unsigned char law[ROWS];
    int start[ROWS + 1], index[ROWS * ROWS];
    discrete_solvable(&p, r, NULL);
    const dls_incremental *a = &p.local;
    for (int i = 0; i < n; i++) {
      const int from = n - 1 - i;
      law[i] = a->law[from], mu[i] = a->mu[from], bound[i] = a->bound[from];
      for (int k = 0; k < d - 1; k++) direction[(d - 1) * i + k] = a->direction[(d - 1) * from + k];
    }
    for (int j = 0; j < p.rows; j++) {
      const int col = d * (n - 1 - j / d) + j % d;
      start[j] = p.rows * j, q[j] = a->q[col];
      for (int i = 0; i < p.rows; i++) {
        index[i + p.rows * j] = i;
        W[i + p.rows * j] = p.W[d * (n - 1 - i / d) + i % d + p.rows * col];
      }
    }
    start[p.rows] = p.rows * p.rows;
    const dls_incremental other = {.dimension = d,
                                   .contacts = n,
                                   .mu = mu,
                                   .W = {{p.rows, p.rows, start, index}, W},
                                   .q = q,
                                   .law = law,
                                   .direction = direction,
                                   .bound = bound};
    assert_true(solve(&other, "auto", x, NULL, u).converged);
    for (int j = 0; j < p.rows; j++) back[d * (n - 1 - j / d) + j % d] = x[j];
    assert_true(law_miss(a, p.W, back) < 1e-7);
    discrete_free(&p);
  }
}

// ---- what is refused ---------------------------------------------------------------------------

static void refused(void **state)
{
  (void)state;
  discrete p = discrete_draw(3, 3, 0, 2, 6, 0, 0);
  unsigned char one = DLS_LAW_SLIDING;
  discrete_laws(&p, 1, &one);
  dls_incremental x = p.local;
  double direction[] = {1, 0, 0, 1, 0.6, 0.7}, bound[] = {1, -1, 1};
  unsigned char law[] = {DLS_LAW_CONE, DLS_LAW_CONE, DLS_LAW_SLIDING};
  dls_message message;
  dls_solver *solver;
  x.law = law, x.direction = direction, x.bound = bound;
  assert_int_equal(dls_incremental_validate(&x, &message), DLS_ERR_ARGUMENT);
  assert_non_null(strstr(message.text, "direction of contact 2"));
  direction[5] = 0.8;
  assert_int_equal(dls_incremental_validate(&x, &message), DLS_OK);
  direction[5] = 0.8001;
  assert_int_equal(dls_incremental_validate(&x, &message), DLS_ERR_ARGUMENT);
  direction[4] = 1, direction[5] = NAN;
  assert_int_equal(dls_incremental_validate(&x, &message), DLS_ERR_NUMBER);
  direction[4] = NAN, direction[5] = 1;
  assert_int_equal(dls_incremental_validate(&x, &message), DLS_ERR_NUMBER);
  x.direction = NULL;
  assert_int_equal(dls_incremental_validate(&x, &message), DLS_ERR_ARGUMENT);
  law[2] = DLS_LAW_CONE;
  assert_int_equal(dls_incremental_validate(&x, &message), DLS_OK);
  law[1] = DLS_LAW_BOUNDED;
  assert_int_equal(dls_incremental_validate(&x, &message), DLS_ERR_ARGUMENT);
  assert_non_null(strstr(message.text, "bound[1]"));
  bound[1] = 0;
  assert_int_equal(dls_incremental_validate(&x, &message), DLS_OK);
  bound[1] = INFINITY;
  assert_int_equal(dls_incremental_validate(&x, &message), DLS_ERR_NUMBER);
  x.bound = NULL;
  assert_int_equal(dls_incremental_validate(&x, &message), DLS_ERR_ARGUMENT);
  law[1] = DLS_LAW_COUNT;
  assert_int_equal(dls_incremental_validate(&x, &message), DLS_ERR_ARGUMENT);
  assert_int_equal(dls_incremental_laws(&x), 0);
  law[1] = DLS_LAW_BILATERAL_CONE;
  dls_solve_options options = dls_solve_defaults();
  options.solver = "admm";
  assert_int_equal(dls_solver_create(&x, &options, &solver, &message), DLS_ERR_ARGUMENT);
  assert_null(solver);
  assert_non_null(strstr(message.text, "'bilateral cone' of contact 1"));
  assert_non_null(strstr(message.text, "newton-ac"));
  // laws that come later
  law[1] = DLS_LAW_UNILATERAL;
  assert_int_equal(dls_solver_create(&x, &options, &solver, &message), DLS_OK);
  double r[9] = {0};
  dls_solve_report report;
  assert_int_equal(dls_solver_solve(solver, r, NULL, NULL, &report), DLS_OK);
  law[1] = DLS_LAW_BILATERAL_CONE;
  assert_int_equal(dls_solver_solve(solver, r, NULL, NULL, &report), DLS_ERR_ARGUMENT);
  dls_solver_free(solver);
  discrete_free(&p);
  for (int k = 0; k < DLS_LAW_COUNT; k++) assert_true(strlen(dls_law_name(k)) > 0);
  assert_null(dls_law_name(-1));
  assert_null(dls_law_name(DLS_LAW_COUNT));
}

// Laws change between two calls of one solver: as if it had been made for them.
static void changing(void **state)
{
  (void)state;
  for (int t = 0; t < cases(100); t++) {
    at_case("t %d", t);
    discrete p = discrete_draw(2 + t % 2, 1 + below(4), 0, 3, 6, 0, 0);
    double r[ROWS] = {0}, x[ROWS] = {0}, known[ROWS];
    const unsigned char cone = DLS_LAW_CONE;
    dls_solver *solver;
    dls_solve_report report;
    dls_solve_options options = dls_solve_defaults();
    options.tolerance = 1e-9;
    discrete_laws(&p, 1, &cone);
    assert_int_equal(dls_solver_create(&p.local, &options, &solver, NULL), DLS_OK);
    assert_int_equal(dls_solver_solve(solver, x, NULL, NULL, &report), DLS_OK);
    // a cone by name is a cone without one
    dls_incremental plain = p.local;
    plain.law = NULL;
    solve(&plain, "auto", r, NULL, known);
    for (int j = 0; j < p.rows; j++) assert_true(r[j] == x[j]);
    for (int i = 0; i < p.local.contacts; i++) p.law[i] = all_laws[below(DLS_LAW_COUNT)];
    memset(x, 0, sizeof x), memset(r, 0, sizeof r);
    assert_int_equal(dls_solver_solve(solver, x, NULL, NULL, &report), DLS_OK);
    const dls_solve_report fresh = solve(&p.local, "auto", r, NULL, known);
    assert_int_equal(fresh.converged, report.converged);
    for (int j = 0; j < p.rows; j++) assert_true(r[j] == x[j]);
    dls_solver_free(solver);
    discrete_free(&p);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(residuals),   cmocka_unit_test(solvers),
                                     cmocka_unit_test(enumeration), cmocka_unit_test(units),
                                     cmocka_unit_test(order),       cmocka_unit_test(refused),
                                     cmocka_unit_test(changing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
