// The table of solvers for complementarity problems: problems with a known solution, problems of
// other people, and what must never be claimed.
#include "lcp_problem.h"
#include "numbers.h"

#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

// The exponent of a row's (or column's) mean or largest entry, in the units 2^R, 2^C.
static int size_of(const dls_mlcp *p, bool mean, bool column, int a, const int *R, const int *C)
{
  int sum = 0, count = 0, most = INT_MIN;
  for (int b = 0; b < p->n; b++) {
    const int i = column ? b : a, j = column ? a : b;
    int e = 0;
    if (p->M[i + p->n * j] == 0) continue;
    frexp(p->M[i + p->n * j], &e);
    e += R[i] + C[j], sum += e, count++, most = e > most ? e : most;
  }
  return count == 0 ? 0 : mean ? (int)floor((double)sum / count + 0.5) : most;
}

// |min(z, w)| / |q| once more, written apart from the library; and its larger value in units.
static double oracle(const dls_mlcp *p, const double *z, double *in_units)
{
  const int n = p->n;
  long double sum = 0, load = 0, sum_units = 0, load_units = 0;
  int *R = calloc((size_t)n + 1, sizeof *R), *C = calloc((size_t)n + 1, sizeof *C);
  for (int pass = 0; pass < 12; pass++)
    for (int a = 0; a < n; a++) (pass % 2 ? C : R)[a] -= size_of(p, pass < 8, pass % 2, a, R, C);
  for (int i = 0; i < n; i++) {
    long double w = p->q[i];
    for (int j = 0; j < n; j++) w += (long double)p->M[i + n * j] * z[j];
    const long double x = i < p->free || w < z[i] ? w : z[i], size = ldexpl(z[i], -C[i]);
    const long double own = ldexpl(w, R[i]), y = i < p->free || own < size ? own : size;
    sum += x * x, load += (long double)p->q[i] * p->q[i];
    sum_units += y * y, load_units += powl(ldexpl(p->q[i], R[i]), 2);
  }
  free(R), free(C);
  const double plain = (double)(sqrtl(sum) / (load > 0 ? sqrtl(load) : 1));
  *in_units = (double)(sqrtl(sum_units) / (load > 0 ? sqrtl(load_units) : 1));
  return plain;
}

static dls_lcp_report solve(const dls_mlcp *p, const char *name, double tolerance, double *z)
{
  dls_lcp_options options = dls_lcp_defaults();
  options.solver = name, options.tolerance = tolerance;
  dls_lcp_solver *solver = NULL;
  dls_lcp_report report;
  assert_int_equal(dls_lcp_solver_create(p, &options, &solver, NULL), DLS_OK);
  assert_int_equal(dls_lcp_solver_solve(solver, z, NULL, &report), DLS_OK);
  dls_lcp_solver_free(solver);
  // nothing is claimed that is not so
  double in_units;
  const double error = oracle(p, z, &in_units);
  assert_true(fabs(report.error - error) <= 1e-6 * error + 1e-18);
  assert_true(fabs(report.error_in_units - in_units) <= 1e-6 * in_units + 1e-18);
  if (fabs(in_units - tolerance) > 1e-5 * tolerance)
    assert_true(report.converged == (in_units <= tolerance));
  assert_true((report.stop == DLS_LCP_STOP_CONVERGED) == report.converged);
  double again, again_in_units;
  assert_int_equal(dls_mlcp_natural_error(p, z, &again, &again_in_units), DLS_OK);
  assert_true(again == report.error && again_in_units == report.error_in_units);
  return report;
}

static void the_table(void **state)
{
  (void)state;
  const char *const names[] = {"auto",       "lemke",     "pivoting",       "psor",
                               "newton-min", "newton-fb", "interior-point", "enumeration"};
  assert_int_equal(dls_lcp_solver_count(), 8);
  for (int k = 0; k < 8; k++) {
    const dls_lcp_solver_info *info = dls_lcp_solver_info_at(k);
    at_case("%s", info->name);
    assert_string_equal(info->name, names[k]);
    assert_true(strlen(info->summary) > 10 && strlen(info->promise) > 10);
    assert_ptr_equal(dls_lcp_solver_find(names[k]), info);
  }
  assert_null(dls_lcp_solver_info_at(-1));
  assert_null(dls_lcp_solver_info_at(8));
  assert_null(dls_lcp_solver_find("simplex"));
  assert_null(dls_lcp_solver_find(NULL));
  assert_string_equal(dls_lcp_stop_text(DLS_LCP_STOP_CONVERGED), "converged");
}

static void bad_input(void **state)
{
  (void)state;
  double M[] = {1, 0, 0, 1}, q[] = {-1, 1}, z[2] = {0};
  const dls_mlcp p = {2, 0, M, q};
  dls_lcp_solver *solver;
  dls_message message = {{0}};
  dls_lcp_options o = dls_lcp_defaults();
  o.solver = "simplex";
  assert_int_equal(dls_lcp_solver_create(&p, &o, &solver, &message), DLS_ERR_ARGUMENT);
  assert_null(solver);
  assert_non_null(strstr(message.text, "simplex"));
  o = dls_lcp_defaults(), o.tolerance = NAN;
  assert_int_equal(dls_lcp_solver_create(&p, &o, &solver, NULL), DLS_ERR_ARGUMENT);
  o = dls_lcp_defaults(), o.time_limit = -1;
  assert_int_equal(dls_lcp_solver_create(&p, &o, &solver, NULL), DLS_ERR_ARGUMENT);
  assert_int_equal(dls_lcp_solver_create(&(dls_mlcp){2, 3, M, q}, NULL, &solver, NULL),
                   DLS_ERR_ARGUMENT);
  assert_int_equal(dls_lcp_solver_create(NULL, NULL, &solver, NULL), DLS_ERR_ARGUMENT);
  assert_int_equal(dls_lcp_solver_create(&(dls_mlcp){3000, 0, NULL, NULL}, NULL, &solver, NULL),
                   DLS_ERR_ARGUMENT);
  // numbers that turn bad after the creation
  dls_lcp_report report;
  assert_int_equal(dls_lcp_solver_create(&p, NULL, &solver, NULL), DLS_OK);
  M[1] = NAN, z[0] = 5;
  assert_int_equal(dls_lcp_solver_solve(solver, z, NULL, &report), DLS_ERR_NUMBER);
  assert_true(z[0] == 5 && !report.converged && isnan(report.error));
  M[1] = 0;
  // a start that is not a number counts as none
  double w[2];
  z[0] = NAN, z[1] = INFINITY;
  assert_int_equal(dls_lcp_solver_solve(solver, z, w, &report), DLS_OK);
  assert_true(report.converged && z[0] == 1 && z[1] == 0 && w[0] == 0 && w[1] == 1);
  dls_lcp_solver_free(solver);
  dls_lcp_solver_free(NULL);
  q[0] = INFINITY;
  assert_int_equal(dls_lcp_solver_create(&p, NULL, &solver, NULL), DLS_ERR_NUMBER);
}

static void tiny(void **state)
{
  (void)state;
  for (int k = 0; k < dls_lcp_solver_count(); k++) {
    const char *name = dls_lcp_solver_info_at(k)->name;
    at_case("%s", name);
    double z[1] = {0};
    dls_lcp_report r = solve(&(dls_mlcp){0, 0, NULL, NULL}, name, 1e-8, z);
    assert_true(r.converged && r.error == 0 && r.attempts == 0);
    // 0 <= z _|_ 2 z - 3, and with q > 0, and one equation
    r = solve(&(dls_mlcp){1, 0, &(double){2}, &(double){-3}}, name, 1e-12, z);
    assert_true(r.converged);
    close_to(z[0], 1.5, 1e-11);
    z[0] = 0;
    r = solve(&(dls_mlcp){1, 0, &(double){-2}, &(double){3}}, name, 1e-12, z);
    assert_true(r.converged && z[0] == 0);
    r = solve(&(dls_mlcp){1, 1, &(double){2}, &(double){3}}, name, 1e-12, z);
    assert_true(r.converged);
    close_to(z[0], -1.5, 1e-11);
    // no solution: w = -1 - z
    z[0] = 0;
    r = solve(&(dls_mlcp){1, 0, &(double){-1}, &(double){-1}}, name, 1e-8, z);
    assert_true(!r.converged);
    // w = 0 z + 0: everything solves, |q| = 0
    r = solve(&(dls_mlcp){1, 0, &(double){0}, &(double){0}}, name, 1e-8, z);
    assert_true(r.converged);
  }
}

// ---- problems with a known solution ------------------------------------------------------------

// For which families a method must succeed on every draw.
static bool promised(const char *name, lcp_family f, int free_rows, bool degenerate)
{
  if (strcmp(name, "auto") == 0) return f != LCP_ANY;
  if (strcmp(name, "lemke") == 0) return f != LCP_ANY && free_rows == 0;
  if (strcmp(name, "pivoting") == 0) return f == LCP_DEFINITE || (f == LCP_P && free_rows == 0);
  if (strcmp(name, "psor") == 0) return false;
  if (strcmp(name, "newton-min") == 0) return f == LCP_DEFINITE && !degenerate;
  if (strcmp(name, "newton-fb") == 0) return f == LCP_DEFINITE;
  if (strcmp(name, "interior-point") == 0) return f == LCP_DEFINITE;
  return f == LCP_DEFINITE || f == LCP_P;
}

static void manufactured(void **state)
{
  (void)state;
  const double sizes[] = {1, 1e-8, 1e8};
  int solved[8][LCP_FAMILIES] = {{0}}, drawn[LCP_FAMILIES] = {0};
  for (int t = 0; t < 720; t++) {
    at_case("t %d", t);
    const lcp_family f = (lcp_family)(t % LCP_FAMILIES);
    const int n = 1 + below(t % 5 == 0 ? 30 : 10), free_rows = t % 4 == 3 ? below(n + 1) / 2 : 0;
    const bool degenerate = t % 3 == 1;
    lcp_problem p = lcp_draw(f, n, free_rows, sizes[t / 6 % 3], degenerate);
    double in_units;
    assert_true(oracle(&p.lcp, p.z, &in_units) < 1e-13 && in_units < 1e-13);
    drawn[f]++;
    for (int k = 0; k < dls_lcp_solver_count(); k++) {
      const char *name = dls_lcp_solver_info_at(k)->name;
      if (strcmp(name, "enumeration") == 0 && n - free_rows > 10) continue;
      double *z = vector(n);
      const dls_lcp_report r = solve(&p.lcp, name, 1e-8, z);
      solved[k][f] += r.converged;
      if (!r.converged && promised(name, f, free_rows, degenerate))
        fail_msg("%s, %s, n = %d, free = %d, draw %d: %s, error %g", name, lcp_family_name[f], n,
                 free_rows, t, dls_lcp_stop_text(r.stop), r.error);
      // the symmetric part of a definite matrix leaves one solution: the one that was drawn
      for (int i = 0; i < n && r.converged && f == LCP_DEFINITE; i++) close_to(z[i], p.z[i], 1e-5);
      free(z);
    }
    lcp_drop(&p);
  }
  for (int k = 0; k < 8; k++) {
    print_message("%-15s", dls_lcp_solver_info_at(k)->name);
    for (int f = 0; f < LCP_FAMILIES; f++)
      print_message(" %s %d/%d", lcp_family_name[f], solved[k][f], drawn[f]);
    print_message("\n");
  }
  assert_true(solved[0][LCP_ANY] >= drawn[LCP_ANY] * 9 / 10);
}

// All bad rows at once would go round in a circle of four sets here: the safeguard must act.
static void circle(void **state)
{
  (void)state;
  const double M[] = {1, -3, -2, 3, 3, 1, 0, 3, 2}, q[] = {-3, 1, 2};
  double z[3] = {0};
  const dls_lcp_report r = solve(&(dls_mlcp){3, 0, M, q}, "pivoting", 1e-12, z);
  assert_true(r.converged && r.iterations > 4 && r.iterations < 30);
}

// Near a solution Newton's method converges fast, or its derivative is wrong.
static void newton_is_fast(void **state)
{
  (void)state;
  const char *const names[] = {"newton-min", "newton-fb"};
  for (int k = 0; k < 2; k++) {
    at_case("%s", names[k]);
    int sum = 0, most = 0;
    for (int t = 0; t < 40; t++) {
      lcp_problem p = lcp_draw(t % 2 ? LCP_DEFINITE : LCP_P, 20, t % 4 ? 0 : 5, 1, false);
      double *z = vector(20);
      const dls_lcp_report r = solve(&p.lcp, names[k], 1e-11, z);
      assert_true(r.converged);
      sum += r.iterations;
      if (r.iterations > most) most = r.iterations;
      lcp_drop(&p);
      free(z);
    }
    print_message("%s: %.1f steps on average, at most %d\n", names[k], sum / 40.0, most);
    assert_true(sum / 40.0 < 12 && most < 40);
  }
}

// Other units for rows and columns: the same problem.
static void units(void **state)
{
  (void)state;
  for (int t = 0; t < 60; t++) {
    at_case("t %d", t);
    const int n = 2 + below(12);
    lcp_problem p = lcp_draw(t % 2 ? LCP_DEFINITE : LCP_P, n, 0, 1, false);
    double *z = vector(n), *column = vector(n);
    for (int i = 0; i < n; i++) {
      const double row = ldexp(1, below(54) - 27);
      column[i] = ldexp(1, below(54) - 27);
      p.q[i] *= row;
      for (int j = 0; j < n; j++) p.M[i + n * j] *= row;
    }
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) p.M[i + n * j] *= column[j];
    const dls_lcp_report r = solve(&p.lcp, "auto", 1e-13, z);
    assert_true(r.converged && r.residual.relative < 1e-12);
    lcp_drop(&p);
    free(z), free(column);
  }
}

static void larger(void **state)
{
  (void)state;
  for (int f = 0; f < LCP_ANY; f++) {
    at_case("f %d", f);
    lcp_problem p = lcp_draw((lcp_family)f, 130, 0, 1, false);
    double *z = vector(130);
    const dls_lcp_report r = solve(&p.lcp, "auto", 1e-8, z);
    print_message("%s, n = 130: %s after %d attempts, error %.1e\n", lcp_family_name[f], r.solver,
                  r.attempts, r.error);
    assert_true(r.converged);
    // from its own answer there is nothing to do
    const dls_lcp_report again = solve(&p.lcp, "auto", 1e-8, z);
    assert_true(again.converged && again.iterations == 0);
    assert_string_equal(again.solver, "start");
    lcp_drop(&p);
    free(z);
  }
}

// ---- limits ------------------------------------------------------------------------------------

static bool enough(void *self, int iteration, double error, const char *solver)
{
  int *calls = self;
  (void)iteration, (void)error;
  assert_non_null(dls_lcp_solver_find(solver));
  return ++*calls == 2;
}

static void limits(void **state)
{
  (void)state;
  for (int k = 0; k < dls_lcp_solver_count(); k++) {
    const char *name = dls_lcp_solver_info_at(k)->name;
    at_case("%s", name);
    lcp_problem p = lcp_draw(LCP_DEFINITE, 14, 0, 1, false);
    int calls = 0;
    dls_lcp_options o = dls_lcp_defaults();
    o.solver = name, o.tolerance = 0, o.watch = enough, o.self = &calls;
    double *z = vector(14);
    dls_lcp_solver *solver;
    dls_lcp_report r;
    assert_int_equal(dls_lcp_solver_create(&p.lcp, &o, &solver, NULL), DLS_OK);
    assert_int_equal(dls_lcp_solver_solve(solver, z, NULL, &r), DLS_OK);
    dls_lcp_solver_free(solver);
    assert_true(calls <= 2 && r.iterations <= 2);
    if (calls == 2) assert_int_equal(r.stop, DLS_LCP_STOP_INTERRUPTED);
    o.watch = NULL, o.max_iterations = 1, memset(z, 0, 14 * sizeof *z);
    assert_int_equal(dls_lcp_solver_create(&p.lcp, &o, &solver, NULL), DLS_OK);
    assert_int_equal(dls_lcp_solver_solve(solver, z, NULL, &r), DLS_OK);
    dls_lcp_solver_free(solver);
    for (int a = 0; a < r.attempts; a++) assert_true(r.attempt[a].iterations <= 1);
    lcp_drop(&p);
    free(z);
  }
}

// ---- problems of other people ------------------------------------------------------------------

static bool solves(const char *solver, const char *problem)
{
  // what each method cannot do here, and why, is in the theory's table
  static const char *const misses[][2] = {{"lemke", "CPS_3"},
                                          {"pivoting", "CPS_1"},
                                          {"pivoting", "CPS_2"},
                                          {"pivoting", "CPS_4"},
                                          {"pivoting", "isolated_sol"},
                                          {"pivoting", "tobenna"},
                                          {"psor", "CPS_2"},
                                          {"psor", "CPS_3"},
                                          {"psor", "CPS_4"},
                                          {"psor", "isolated_sol"},
                                          {"psor", "tobenna"},
                                          {"newton-fb", "tobenna"},
                                          {"newton-min", "tobenna"},
                                          {"interior-point", "CPS_2"},
                                          {"interior-point", "CPS_3"},
                                          {"interior-point", "isolated_sol"},
                                          {"interior-point", "tobenna"},
                                          {"enumeration", "mmc"},
                                          {"enumeration", "tobenna"}};
  for (size_t k = 0; k < sizeof misses / sizeof *misses; k++)
    if (strcmp(misses[k][0], solver) == 0 && strstr(problem, misses[k][1])) return false;
  return strstr(problem, "perturbed") == NULL;
}

static void real_problems(void **state)
{
  (void)state;
  for (int t = 0; t < LCP_REAL; t++) {
    at_case("t %d", t);
    lcp_problem p = lcp_read(lcp_real_name[t]);
    if (p.lcp.n < 0) {
      print_message("%s is not there: skipped\n", lcp_real_name[t]);
      continue;
    }
    print_message("%-32s", lcp_real_name[t]);
    for (int k = 0; k < dls_lcp_solver_count(); k++) {
      const char *name = dls_lcp_solver_info_at(k)->name;
      double *z = vector(p.lcp.n);
      const dls_lcp_report r = solve(&p.lcp, name, 1e-8, z);
      print_message(" %s %d", name, r.converged ? r.iterations : -1);
      if (solves(name, lcp_real_name[t])) assert_true(r.converged);
      if (strstr(lcp_real_name[t], "perturbed")) assert_false(r.converged);
      free(z);
    }
    print_message("\n");
    lcp_drop(&p);
  }
}

typedef struct seen {
  int calls;
  double error[64];
} seen;

static bool look(void *self, int iteration, double error, const char *solver)
{
  seen *s = self;
  assert_int_equal(iteration, s->calls);
  assert_non_null(solver);
  assert_true(s->calls < 64);
  s->error[s->calls++] = error;
  return false;
}

// Whoever watches Lemke's method sees the error of each basis. M = 1, q = (-1, -2): z_0 = 2 with
// z = 0, then z = (0, 1) with z_0 = 1, then the solution.
static void pivots_are_seen(void **state)
{
  (void)state;
  const double M[] = {1, 0, 0, 1}, q[] = {-1, -2};
  const dls_mlcp two = {.n = 2, .M = M, .q = q};
  seen s = {0};
  dls_lcp_options o = dls_lcp_defaults();
  o.solver = "lemke", o.watch = look, o.self = &s;
  dls_lcp_solver *solver;
  assert_int_equal(dls_lcp_solver_create(&two, &o, &solver, NULL), DLS_OK);
  double z[3] = {0};
  dls_lcp_report report;
  assert_int_equal(dls_lcp_solver_solve(solver, z, NULL, &report), DLS_OK);
  dls_lcp_solver_free(solver);
  assert_true(report.converged && z[0] == 1 && z[1] == 2);
  assert_int_equal(s.calls, 2);
  close_to(s.error[0], 1, 1e-14);
  close_to(s.error[1], sqrt(0.4), 1e-14);
  // mixed: an equation 4 z_0 + z_1 + z_2 = 8 comes first, so that z_0 is free and goes along
  const double mixed[] = {4, 0, 0, 1, 1, 0, 1, 0, 1}, load[] = {-8, -1, -2};
  const dls_mlcp three = {.n = 3, .free = 1, .M = mixed, .q = load};
  s = (seen){0}, z[0] = z[1] = z[2] = 0;
  assert_int_equal(dls_lcp_solver_create(&three, &o, &solver, NULL), DLS_OK);
  assert_int_equal(dls_lcp_solver_solve(solver, z, NULL, &report), DLS_OK);
  dls_lcp_solver_free(solver);
  assert_true(report.converged);
  assert_int_equal(s.calls, 2);
  // (2, 0, 0) and (1.75, 0, 1): the equation holds, the other rows are as above
  const double points[2][3] = {{2, 0, 0}, {1.75, 0, 1}};
  for (int k = 0; k < 2; k++) {
    at_case("k %d", k);
    double error, in_units;
    assert_int_equal(dls_mlcp_natural_error(&three, points[k], &error, &in_units), DLS_OK);
    close_to(s.error[k], in_units, 1e-14);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_table),       cmocka_unit_test(bad_input),     cmocka_unit_test(tiny),
      cmocka_unit_test(manufactured),    cmocka_unit_test(units),         cmocka_unit_test(circle),
      cmocka_unit_test(newton_is_fast),  cmocka_unit_test(larger),        cmocka_unit_test(limits),
      cmocka_unit_test(pivots_are_seen), cmocka_unit_test(real_problems),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
