// Quadratic programs: solutions known by construction for every rank of K, certificates,
// duplicates, scalings and permutations, and brute force over all active sets.
#include "convex/qp.h"
#include "linalg/dense.h"
#include "numbers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "cases.h"

static const double tolerance = 1e-11;
typedef struct problem {
  dls_qp_data data;
  double *K, *c, *E, *f;
} problem;

static problem make(int n, int m)
{
  problem p = {.K = vector(n * n), .c = vector(n), .E = vector(m * n), .f = vector(m)};
  p.data = (dls_qp_data){n, m, p.K, p.c, p.E, p.f};
  return p;
}

static void drop(problem *p)
{
  free(p->K), free(p->c), free(p->E), free(p->f);
}

// K = X X^T of the given rank; E of rank at most rank_E.
static void fill(problem *p, int rank, int rank_E)
{
  int n = p->data.n, m = p->data.m;
  double *X = vector(n * rank), *Y = vector(m * rank_E), *Z = vector(rank_E * n);
  for (int k = 0; k < n * rank; k++) X[k] = uniform();
  for (int k = 0; k < m * rank_E; k++) Y[k] = uniform();
  for (int k = 0; k < n * rank_E; k++) Z[k] = uniform();
  dls_gemm(false, true, n, n, rank, 1, X, X, 0, p->K);
  dls_gemm(false, false, m, n, rank_E, 1, Y, Z, 0, p->E);
  free(X), free(Y), free(Z);
}

// Chooses c and f so that (y, lambda) is a solution; a third of the rows is active with force, a
// third active without, a third inactive.
static void manufacture(problem *p, double *y, double *lambda)
{
  int n = p->data.n, m = p->data.m;
  for (int j = 0; j < n; j++) y[j] = uniform();
  for (int i = 0; i < m; i++) {
    int kind = below(3);
    double v = 0;
    for (int j = 0; j < n; j++) v += p->E[i + j * m] * y[j];
    lambda[i] = kind == 0 ? fabs(uniform()) : 0;
    p->f[i] = -v + (kind == 2 ? fabs(uniform()) : 0);
  }
  dls_gemv(false, n, n, -1, p->K, y, 0, p->c);
  dls_gemv(true, m, n, 1, p->E, lambda, 1, p->c);
}

static double value(const problem *p, const double *y)
{
  int n = p->data.n;
  double *t = vector(n);
  memcpy(t, p->c, (size_t)n * sizeof *t);
  dls_gemv(false, n, n, 0.5, p->K, y, 1, t);
  double result = dls_dot(n, t, y);
  free(t);
  return result;
}

static dls_qp_report solve(const problem *p, double *y, double *lambda)
{
  dls_qp_report report;
  assert_int_equal(dls_qp_solve(&p->data, tolerance, y, lambda, &report), DLS_OK);
  if (report.outcome == DLS_QP_SOLVED) {
    assert_true(report.residual <= tolerance);
    assert_true(dls_qp_residual(&p->data, y, lambda) == report.residual);
  }
  return report;
}

static void manufactured(void **state)
{
  (void)state;
  int worst_iterations = 0, failures = 0, total = 0;
  double worst = 0;
  for (int t = 0; t < 3000; t++) {
    at_case("t %d", t);
    int n = 1 + below(20), m = 1 + below(40), rank = t % 3 ? below(n + 1) : n;
    int rank_E = t % 2 ? n : 1 + below(n);
    problem p = make(n, m);
    double *y = vector(n), *lambda = vector(m), *z = vector(n), *mu = vector(m);
    fill(&p, rank, rank_E);
    for (int i = 1; i < m; i++)  // some rows repeat others, some are zero
      if (below(5) == 0) {
        int other = below(i), zero = below(4) == 0;
        for (int j = 0; j < n; j++) p.E[i + j * m] = zero ? 0 : p.E[other + j * m] * (1 + below(3));
      }
    manufacture(&p, y, lambda);
    dls_qp_report report = solve(&p, z, mu);
    total++;
    if (report.outcome != DLS_QP_SOLVED) {
      failures++;
      print_message("t %d: n %d m %d rank %d rank_E %d: outcome %d residual %g\n", t, n, m, rank,
                    rank_E, (int)report.outcome, report.residual);
    } else {
      double size = 1 + dls_norm2(n, z) * (dls_norm2(n, p.c) + dls_norm2(n * n, p.K));
      close_to(value(&p, z), value(&p, y), 1e-8 * size);
      if (report.residual > worst) worst = report.residual;
      if (report.iterations > worst_iterations) worst_iterations = report.iterations;
    }
    drop(&p), free(y), free(lambda), free(z), free(mu);
  }
  print_message("%d of %d failed, largest residual %g, most iterations %d\n", failures, total,
                worst, worst_iterations);
  assert_int_equal(failures, 0);
}

static void assert_farkas(const problem *p, const double *lambda)
{
  int n = p->data.n, m = p->data.m;
  double *t = vector(n), *size = vector(n);
  for (int i = 0; i < m; i++) {
    assert_true(lambda[i] >= 0);
    for (int j = 0; j < n; j++) {
      t[j] += p->E[i + j * m] * lambda[i];
      size[j] += fabs(p->E[i + j * m] * lambda[i]);
    }
  }
  for (int j = 0; j < n; j++) close_to(t[j], 0, 1e-11 * size[j]);
  double terms = 0;
  for (int i = 0; i < m; i++) terms += fabs(p->f[i] * lambda[i]);
  close_to(dls_dot(m, p->f, lambda), -1, 1e-13 * terms);
  free(t), free(size);
}

static void infeasible(void **state)
{
  (void)state;
  int failures = 0;
  for (int t = 0; t < 1000; t++) {
    at_case("t %d", t);
    // lambda >= 0 on the first k rows with E^T lambda = 0 and f^T lambda = -1
    int n = 1 + below(15), m = 2 + below(30), k = 2 + below(m - 1);
    problem p = make(n, m);
    double *y = vector(n), *lambda = vector(m), rest = 1;
    fill(&p, below(n + 1), n);
    for (int i = 0; i < m; i++) p.f[i] = uniform();
    for (int i = 0; i < k; i++) lambda[i] = 0.1 + fabs(uniform());
    for (int i = 0; i < k - 1; i++) rest += lambda[i] * p.f[i];
    p.f[k - 1] = -rest / lambda[k - 1];
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int i = 0; i < k - 1; i++) sum += lambda[i] * p.E[i + j * m];
      p.E[k - 1 + j * m] = -sum / lambda[k - 1];
      p.c[j] = uniform();
    }
    dls_qp_report report = solve(&p, y, lambda);
    if (report.outcome == DLS_QP_INFEASIBLE) assert_farkas(&p, lambda);
    else failures++;
    assert_true(report.outcome == DLS_QP_INFEASIBLE || report.outcome == DLS_QP_LIMIT);
    drop(&p), free(y), free(lambda);
  }
  print_message("%d of 1000 without answer\n", failures);
  assert_int_equal(failures, 0);
}

static void unbounded(void **state)
{
  (void)state;
  int failures = 0;
  for (int t = 0; t < 500; t++) {
    at_case("t %d", t);
    // a ray d with K d = 0, E d >= 0, c^T d < 0, and the feasible point 0
    int n = 2 + below(15), m = below(30), rank = below(n);
    problem p = make(n, m);
    double *d = vector(n), *y = vector(n), *lambda = vector(m), *P = vector(n * n),
           *T = vector(n * n);
    fill(&p, rank, n);
    for (int j = 0; j < n; j++) d[j] = uniform();
    double norm = dls_norm2(n, d);
    for (int j = 0; j < n; j++) d[j] /= norm;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) P[i + j * n] = (i == j) - d[i] * d[j];
    dls_gemm(false, false, n, n, n, 1, P, p.K, 0, T);
    dls_gemm(false, false, n, n, n, 1, T, P, 0, p.K);
    for (int i = 0; i < m; i++) {
      double rise = 0;
      for (int j = 0; j < n; j++) rise += p.E[i + j * m] * d[j];
      double factor = rise < 0 ? -1 : 1;
      // some rows are parallel to the ray
      for (int j = 0; j < n; j++)
        p.E[i + j * m] = factor * (p.E[i + j * m] - (i % 3 ? 0 : rise * d[j]));
      p.f[i] = fabs(uniform());
    }
    for (int j = 0; j < n; j++) p.c[j] = uniform();
    double along = dls_dot(n, p.c, d);
    for (int j = 0; j < n; j++) p.c[j] -= (along + 0.1 + fabs(uniform())) * d[j];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < i; j++) p.K[i + j * n] = p.K[j + i * n];
    dls_qp_report report = solve(&p, y, lambda);
    assert_true(report.outcome == DLS_QP_UNBOUNDED || report.outcome == DLS_QP_LIMIT);
    if (report.outcome == DLS_QP_UNBOUNDED) {
      double *v = vector(n > m ? n : m), size = dls_norm2(n, y);
      dls_gemv(false, n, n, 1, p.K, y, 0, v);
      close_to(dls_norm_max(n, v), 0, 1e-11 * size * n);
      dls_gemv(false, m, n, 1, p.E, y, 0, v);
      for (int i = 0; i < m; i++) assert_true(v[i] >= -1e-11 * size * n);
      close_to(dls_dot(n, p.c, y), -1, 1e-12 * size * n);
      free(v);
    } else failures++;
    drop(&p), free(d), free(y), free(lambda), free(P), free(T);
  }
  // two rows that are parallel to the ray up to rounding may leave no ray: no answer is right then
  print_message("%d of 500 without answer\n", failures);
  assert_true(failures <= 10);
}

// ---- brute force --------------------------------------------------------------------------------

// The solution of a strictly convex problem by trying all active sets; false when none fits.
static int brute(const problem *p, double *y)
{
  int n = p->data.n, m = p->data.m;
  double S[64], b[8], x[8], rcond;
  for (int set = 0; set < 1 << m; set++) {
    int rows[8], k = 0;
    for (int i = 0; i < m; i++)
      if (set >> i & 1) rows[k++] = i;
    if (k > n) continue;
    int N = n + k;
    memset(S, 0, sizeof S);
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) S[i + j * N] = p->K[i + j * n];
      b[i] = -p->c[i];
    }
    for (int r = 0; r < k; r++) {
      for (int j = 0; j < n; j++) {
        S[n + r + j * N] = p->E[rows[r] + j * m];
        S[j + (n + r) * N] = -p->E[rows[r] + j * m];
      }
      b[n + r] = -p->f[rows[r]];
    }
    if (dls_solve(N, 1, S, b, x, &rcond) != DLS_OK || rcond < 1e-12) continue;
    int good = 1;
    for (int r = 0; r < k; r++) good = good && x[n + r] >= -1e-9;
    for (int i = 0; i < m && good; i++) {
      double v = p->f[i];
      for (int j = 0; j < n; j++) v += p->E[i + j * m] * x[j];
      good = v >= -1e-9;
    }
    if (!good) continue;
    memcpy(y, x, (size_t)n * sizeof *y);
    return 1;
  }
  return 0;
}

static void brute_force(void **state)
{
  (void)state;
  int solved = 0, none = 0;
  for (int t = 0; t < 4000; t++) {
    at_case("t %d", t);
    int n = 1 + below(3), m = below(6);
    problem p = make(n, m);
    double y[3], z[3], lambda[6];
    // small integers: degenerate and infeasible cases are frequent and exact
    for (int i = 0; i < m; i++) {
      for (int j = 0; j < n; j++) p.E[i + j * m] = below(5) - 2;
      p.f[i] = below(7) - 3;
    }
    double X[9];
    for (int k = 0; k < n * n; k++) X[k] = below(5) - 2;
    dls_gemm(false, true, n, n, n, 1, X, X, 0, p.K);
    for (int j = 0; j < n; j++) p.K[j + j * n] += 1, p.c[j] = below(9) - 4;
    dls_qp_report report = solve(&p, z, lambda);
    if (brute(&p, y)) {
      assert_int_equal(report.outcome, DLS_QP_SOLVED);
      for (int j = 0; j < n; j++) close_to(z[j], y[j], 1e-11);
      solved++;
    } else {
      assert_int_equal(report.outcome, DLS_QP_INFEASIBLE);
      assert_farkas(&p, lambda);
      none++;
    }
    drop(&p);
  }
  assert_true(solved > 1000 && none > 100);
}

// ---- symmetries ---------------------------------------------------------------------------------

static void scaled_and_permuted(void **state)
{
  (void)state;
  for (int t = 0; t < 400; t++) {
    at_case("t %d", t);
    int n = 2 + below(15), m = 1 + below(25);
    problem p = make(n, m), q = make(n, m);
    double *y = vector(n), *lambda = vector(m), *z = vector(n), *mu = vector(m), *s = vector(n);
    fill(&p, n, n);
    for (int j = 0; j < n; j++) p.K[j + j * n] += 0.5;
    manufacture(&p, y, lambda);
    assert_int_equal(solve(&p, y, lambda).outcome, DLS_QP_SOLVED);
    // variables and rows in other units and in reverse order, the whole objective rescaled
    double alpha = pow(10, 4 * uniform());
    for (int j = 0; j < n; j++) s[j] = pow(10, 4 * uniform());
    for (int j = 0; j < n; j++) {
      int J = n - 1 - j;
      q.c[J] = alpha * s[j] * p.c[j];
      for (int k = 0; k < n; k++) q.K[J + (n - 1 - k) * n] = alpha * s[j] * s[k] * p.K[j + k * n];
    }
    for (int i = 0; i < m; i++) {
      double r = pow(10, 8 * uniform());
      for (int j = 0; j < n; j++) q.E[m - 1 - i + (n - 1 - j) * m] = r * s[j] * p.E[i + j * m];
      q.f[m - 1 - i] = r * p.f[i];
    }
    assert_int_equal(solve(&q, z, mu).outcome, DLS_QP_SOLVED);
    for (int j = 0; j < n; j++) close_to(z[n - 1 - j] * s[j], y[j], 1e-9 * (1 + fabs(y[j])));
    drop(&p), drop(&q), free(y), free(lambda), free(z), free(mu), free(s);
  }
}

// Singular K with variables and rows in all units, and K whose spectrum fades into rounding: what
// is called solved must have the value of the drawn solution; only the fading one may give up.
static void singular_in_units(void **state)
{
  (void)state;
  int limits = 0;
  for (int t = 0; t < 400; t++) {
    at_case("t %d", t);
    int n = 2 + below(30), m = 1 + below(60), fading = t % 2, rank = fading ? n : below(n);
    problem p = make(n, m);
    double *y = vector(n), *lambda = vector(m), *z = vector(n), *mu = vector(m), *X = vector(n * n);
    fill(&p, 0, n);
    for (int j = 0; j < rank; j++)
      for (int i = 0; i < n; i++) X[i + j * n] = uniform() * (fading ? pow(10, -7.0 * j / n) : 1);
    dls_gemm(false, true, n, n, n, 1, X, X, 0, p.K);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < i; j++) p.K[i + j * n] = p.K[j + i * n];
    manufacture(&p, y, lambda);
    double expected = value(&p, y), size = 1 + fabs(expected) + dls_norm2(n, p.c);
    for (int j = 0; j < n; j++) {
      double s = pow(10, 4 * uniform());
      p.c[j] *= s;
      for (int k = 0; k < n; k++) p.K[j + k * n] *= s, p.K[k + j * n] *= s;
      for (int i = 0; i < m; i++) p.E[i + j * m] *= s;
    }
    for (int i = 0; i < m; i++) {
      double r = pow(10, 6 * uniform());
      p.f[i] *= r;
      for (int j = 0; j < n; j++) p.E[i + j * m] *= r;
    }
    dls_qp_report report = solve(&p, z, mu);
    assert_true(report.outcome == DLS_QP_SOLVED || (fading && report.outcome == DLS_QP_LIMIT));
    if (report.outcome == DLS_QP_SOLVED) close_to(value(&p, z), expected, 1e-6 * size);
    limits += report.outcome == DLS_QP_LIMIT;
    drop(&p), free(y), free(lambda), free(z), free(mu), free(X);
  }
  print_message("%d of 200 fading problems without answer\n", limits);
  assert_true(limits < 20);
}

// A block on 500 aligned contacts: 500 times the same row, slightly rotated in the second half.
static void many_contacts(void **state)
{
  (void)state;
  enum { m = 500 };
  for (int rank = 3; rank >= 0; rank--) {
    at_case("rank %d", rank);
    problem p = make(3, m);
    double y[3], *lambda = vector(m);
    for (int j = 0; j < rank; j++) p.K[j + 3 * j] = 1;
    p.c[1] = 1;
    for (int i = 0; i < m; i++) {
      p.E[i + m] = 1;  // the height at x = i/m - 1/2
      p.E[i + 2 * m] = (double)i / (m - 1) - 0.5;
    }
    dls_qp_report report = solve(&p, y, lambda);
    assert_int_equal(report.outcome, DLS_QP_SOLVED);
    close_to(y[1], 0, 1e-12), close_to(y[2], 0, 1e-12);
    double sum = 0, moment = 0;
    for (int i = 0; i < m; i++) sum += lambda[i], moment += lambda[i] * p.E[i + 2 * m];
    close_to(sum, 1, 1e-12), close_to(moment, 0, 1e-12);
    for (int i = 0; i < m; i++) p.E[i + 2 * m] = 0;  // all the same
    assert_int_equal(solve(&p, y, lambda).outcome, DLS_QP_SOLVED);
    drop(&p), free(lambda);
  }
}

static void empty(void **state)
{
  (void)state;
  double f[2] = {1, 0}, lambda[2] = {5, 5}, K[4] = {2, 0, 0, 4}, c[2] = {2, 4}, y[2];
  dls_qp_report report;
  dls_qp_data nothing = {0};
  assert_int_equal(dls_qp_solve(&nothing, tolerance, NULL, NULL, &report), DLS_OK);
  assert_int_equal(report.outcome, DLS_QP_SOLVED);
  dls_qp_data rows = {.m = 2, .f = f};
  assert_int_equal(dls_qp_solve(&rows, tolerance, NULL, lambda, &report), DLS_OK);
  assert_int_equal(report.outcome, DLS_QP_SOLVED);
  close_to(lambda[0] + lambda[1], 0, 0);
  f[1] = -0.5;
  assert_int_equal(dls_qp_solve(&rows, tolerance, NULL, lambda, &report), DLS_OK);
  assert_int_equal(report.outcome, DLS_QP_INFEASIBLE);
  close_to(lambda[1], 2, 0);
  dls_qp_data free_problem = {.n = 2, .K = K, .c = c};
  assert_int_equal(dls_qp_solve(&free_problem, tolerance, y, NULL, &report), DLS_OK);
  assert_int_equal(report.outcome, DLS_QP_SOLVED);
  close_to(y[0], -1, 1e-15), close_to(y[1], -1, 1e-15);
  K[3] = 0;
  assert_int_equal(dls_qp_solve(&free_problem, tolerance, y, NULL, &report), DLS_OK);
  assert_int_equal(report.outcome, DLS_QP_UNBOUNDED);
  close_to(y[0], 0, 1e-15), close_to(y[1], -0.25, 1e-15);
  c[1] = 0;
  assert_int_equal(dls_qp_solve(&free_problem, tolerance, y, NULL, &report), DLS_OK);
  assert_int_equal(report.outcome, DLS_QP_SOLVED);
  close_to(y[0], -1, 1e-15);
}

static void bad_input(void **state)
{
  (void)state;
  problem p = make(2, 2);
  double y[2], lambda[2];
  dls_qp_report report;
  double *const places[] = {p.K, p.c, p.E, p.f};
  for (int k = 0; k < 4; k++) {
    at_case("k %d", k);
    places[k][1] = k % 2 ? NAN : INFINITY;
    assert_int_equal(dls_qp_solve(&p.data, tolerance, y, lambda, &report), DLS_ERR_NUMBER);
    assert_int_equal(report.outcome, DLS_QP_LIMIT);
    places[k][1] = 0;
  }
  p.K[0] = 1, p.K[3] = -1;
  assert_int_equal(dls_qp_solve(&p.data, tolerance, y, lambda, &report), DLS_ERR_ARGUMENT);
  p.K[1] = p.K[2] = 2, p.K[3] = 1;
  assert_int_equal(dls_qp_solve(&p.data, tolerance, y, lambda, &report), DLS_ERR_ARGUMENT);
  p.K[1] = p.K[2] = 0;
  y[0] = NAN, y[1] = 0, lambda[0] = lambda[1] = 0;
  assert_true(isnan(dls_qp_residual(&p.data, y, lambda)));
  y[0] = 0, lambda[1] = NAN;
  assert_true(isnan(dls_qp_residual(&p.data, y, lambda)));
  drop(&p);
}

// The residual sees each condition by itself.
static void residual_sees(void **state)
{
  (void)state;
  problem p = make(1, 1);
  p.K[0] = 1, p.c[0] = 1, p.E[0] = 1;  // y >= 0, y + 1 = lambda: y = 0, lambda = 1
  double y = 0, lambda = 1;
  close_to(dls_qp_residual(&p.data, &y, &lambda), 0, 0);
  y = 1, lambda = 2;  // not complementary
  assert_true(dls_qp_residual(&p.data, &y, &lambda) > 0.1);
  y = -1, lambda = 0;  // not feasible
  assert_true(dls_qp_residual(&p.data, &y, &lambda) > 0.1);
  y = 0, lambda = 0.5;  // not stationary
  assert_true(dls_qp_residual(&p.data, &y, &lambda) > 0.1);
  p.c[0] = -1, lambda = -1;  // wrong sign
  assert_true(dls_qp_residual(&p.data, &y, &lambda) > 0.1);
  drop(&p);
}

static double seconds(void)
{
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void large(void **state)
{
  (void)state;
  const int sizes[][3] = {
      {200, 200, 200}, {200, 200, 100}, {200, 200, 0}, {500, 500, 500}, {500, 500, 250}};
  int count = getenv("DLS_TEST_LONG") ? 5 : 3;
  for (int k = 0; k < count; k++) {
    at_case("k %d", k);
    int n = sizes[k][0], m = sizes[k][1], rank = sizes[k][2];
    problem p = make(n, m);
    double *y = vector(n), *lambda = vector(m);
    fill(&p, rank, n);
    manufacture(&p, y, lambda);
    double start = seconds();
    dls_qp_report report = solve(&p, y, lambda);
    print_message("n %d m %d rank %d: outcome %d, %d iterations, residual %.1e, %.2f s\n", n, m,
                  rank, (int)report.outcome, report.iterations, report.residual, seconds() - start);
    assert_int_equal(report.outcome, DLS_QP_SOLVED);
    drop(&p), free(y), free(lambda);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(residual_sees),
      cmocka_unit_test(empty),
      cmocka_unit_test(bad_input),
      cmocka_unit_test(brute_force),
      cmocka_unit_test(manufactured),
      cmocka_unit_test(infeasible),
      cmocka_unit_test(unbounded),
      cmocka_unit_test(scaled_and_permuted),
      cmocka_unit_test(singular_in_units),
      cmocka_unit_test(many_contacts),
      cmocka_unit_test(large),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
