// Complementarity problems: known answers, Lemke's method, solution sets, sizes, bad input.
#include "base/memory.h"
#include "lcp/lemke.h"
#include "numbers.h"

#include <delassus/delassus.h>
#include <float.h>
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

static dls_lemke_report lemke(int n, const double *M, const double *q, double *z)
{
  const dls_lcp p = {n, M, q};
  dls_lemke_report report;
  assert_int_equal(dls_mlcp_lemke(&(dls_mlcp){n, 0, M, q}, NULL, z, &report), DLS_OK);
  if (report.outcome == DLS_LCP_SOLVED) {
    dls_lcp_error error;
    assert_int_equal(dls_lcp_residual(&p, z, &error), DLS_OK);
    assert_true(error.relative == report.error.relative && error.relative <= 1e-11);
  }
  return report;
}

static dls_lcp_solutions *all(int n, int free, const double *M, const double *q)
{
  const dls_mlcp p = {n, free, M, q};
  dls_lcp_solutions *found;
  assert_int_equal(dls_mlcp_enumerate(&p, &found), DLS_OK);
  assert_true(found->complete);
  return found;
}

static int count(int n, const double *M, const double *q, bool *ambiguous)
{
  dls_lcp_solutions *found = all(n, 0, M, q);
  const int number = found->count;
  *ambiguous = found->ambiguous;
  dls_lcp_solutions_free(found);
  return number;
}

// Residuals of hand-made vectors, and that NaN passes.
static void residuals(void **state)
{
  (void)state;
  const double M[] = {2, 0, 0, 4}, q[] = {-2, 8}, exact[] = {1, 0}, off[] = {1.5, 0},
               negative[] = {1, -0.25};
  const dls_lcp p = {2, M, q};
  dls_lcp_error error;
  assert_int_equal(dls_lcp_residual(&p, exact, &error), DLS_OK);
  assert_true(error.absolute == 0 && error.relative == 0);
  assert_int_equal(dls_lcp_residual(&p, off, &error), DLS_OK);
  close_to(error.absolute, 1, 0);        // min(1.5, 1)
  close_to(error.relative, 0.2, 1e-15);  // w = 1 of terms 5
  assert_int_equal(dls_lcp_residual(&p, negative, &error), DLS_OK);
  close_to(error.absolute, 0.25, 0);
  close_to(error.relative, 1.0 / 9, 1e-15);  // 1 of 8 + 1
  const double bad[] = {1, NAN};
  assert_int_equal(dls_lcp_residual(&p, bad, &error), DLS_OK);
  assert_true(isnan(error.absolute) && isnan(error.relative));
  const double bad_q[] = {-2, NAN};
  assert_int_equal(dls_lcp_residual(&(dls_lcp){2, M, bad_q}, exact, &error), DLS_OK);
  assert_true(isnan(error.absolute) && isnan(error.relative));
  // an equation: the sign of z does not count, that w vanishes does
  const double free_z[] = {-1, 0}, free_q[] = {2, 8};
  assert_int_equal(dls_mlcp_residual(&(dls_mlcp){2, 1, M, free_q}, free_z, &error), DLS_OK);
  assert_true(error.absolute == 0);
  assert_int_equal(dls_lcp_residual(&(dls_lcp){2, M, free_q}, free_z, &error), DLS_OK);
  close_to(error.absolute, 1, 0);
}

// Murty's example, on which the method takes the most pivots (2^n for the unit covering vector in
// some orders): M lower triangular with ones and twos, q = -1. Solution z = (0, ..., 0, 1) up to
// order.
static void murty(void **state)
{
  (void)state;
  enum { N = 12 };
  double M[N * N] = {0}, q[N], z[N];
  for (int j = 0; j < N; j++)
    for (int i = j; i < N; i++) M[i + N * j] = i == j ? 1 : 2;
  for (int i = 0; i < N; i++) q[i] = -1;
  assert_int_equal(lemke(N, M, q, z).outcome, DLS_LCP_SOLVED);
  for (int i = 0; i < N; i++) close_to(z[i], i == 0, 0);
  bool ambiguous;
  assert_int_equal(count(N, M, q, &ambiguous), 1);
  assert_false(ambiguous);
}

// Ties everywhere: without the lexicographic rule these could cycle.
static void degenerate(void **state)
{
  (void)state;
  // Kostreva's example, on which Lemke's method cycles without it
  const double M[] = {1, 0, 2, 2, 1, 0, 0, 2, 1}, q[] = {-1, -1, -1};
  double z[3];
  assert_int_equal(lemke(3, M, q, z).outcome, DLS_LCP_SOLVED);
  for (int i = 0; i < 3; i++) close_to(z[i], 1.0 / 3, 1e-15);
  int solved = 0;
  for (int t = 0; t < 2000; t++) {
    at_case("t %d", t);
    enum { LARGEST = 10 };
    const int n = 2 + below(LARGEST - 1);
    double G[LARGEST * LARGEST] = {0}, W[LARGEST * LARGEST] = {0}, load[LARGEST], x[LARGEST];
    const int rank = 1 + below(n);
    for (int k = 0; k < n * rank; k++) G[k] = below(3) - 1;
    for (int i = 0; i < n; i++)  // W = G^T G, redundant; loads in its range: solvable
      for (int j = 0; j < n; j++)
        for (int k = 0; k < rank; k++) W[i + n * j] += G[k + rank * i] * G[k + rank * j];
    double f[LARGEST];
    for (int k = 0; k < rank; k++) f[k] = below(5) - 2;
    for (int i = 0; i < n; i++) {
      load[i] = 0;
      for (int k = 0; k < rank; k++) load[i] += G[k + rank * i] * f[k];
    }
    // G^T x + load >= 0 for x = -f: feasible, so that a solution exists
    const dls_lemke_report report = lemke(n, W, load, x);
    if (report.outcome != DLS_LCP_SOLVED)
      fail_msg("problem %d of size %d, rank %d: outcome %d", t, n, rank, (int)report.outcome);
    solved++;
  }
  assert_int_equal(solved, 2000);
}

// Lemke's method alone, with the unit covering vector.
static dls_lemke_end alone(int n, const double *M, const double *q, double *z)
{
  enum { LARGEST = 8 };
  double reals[2 * LARGEST * LARGEST + 6 * LARGEST], cover[LARGEST];
  int integers[3 * LARGEST], pivots;
  bool basic[LARGEST];
  assert_true(n <= LARGEST && dls_lemke_reals(n) <= dls_count_of(reals));
  for (int i = 0; i < n; i++) cover[i] = 1;
  dls_lemke_space space = {.reals = reals, .integers = integers};
  return dls_lemke_run(n, M, q, cover, 1000, z, basic, &pivots, &space);
}

// No entry is negative and the diagonal is positive: strictly copositive, so that there is no ray
// and only a basis that comes twice could keep the method from its solution. Small integers tie in
// nearly every ratio test: with another rule for ties, one in forty of these cycles.
static void ties(void **state)
{
  (void)state;
  for (int t = 0; t < 4000; t++) {
    at_case("t %d", t);
    enum { LARGEST = 8 };
    const int n = 3 + below(LARGEST - 2);
    double M[LARGEST * LARGEST], q[LARGEST], z[LARGEST];
    for (int k = 0; k < n * n; k++) M[k] = k % (n + 1) == 0 ? 1 + below(3) : below(4);
    for (int i = 0; i < n; i++) q[i] = -below(2);
    const dls_lemke_end end = alone(n, M, q, z);
    dls_lcp_error error;
    assert_int_equal(dls_lcp_residual(&(dls_lcp){n, M, q}, z, &error), DLS_OK);
    if (end != DLS_LEMKE_SOLVED || !(error.relative <= 1e-11))
      fail_msg("problem %d of size %d: ends with %d, residual %g", t, n, (int)end, error.relative);
  }
}

// w = (-2 z_2 - z_3, 2 z_1 + z_2 + 2 z_3 - 1, -z_2 - 2 z_3): z = (1/2, 0, 0) solves it.
// On the way z_0 ties with others and has to leave: the method would end on a ray.
static void artificial_leaves(void **state)
{
  (void)state;
  const double M[] = {0, 2, 0, -2, 1, -1, -1, 2, -2}, q[] = {0, -1, 0};
  double z[3];
  assert_int_equal(alone(3, M, q, z), DLS_LEMKE_SOLVED);
  close_to(z[0], 0.5, 0), close_to(z[1], 0, 0), close_to(z[2], 0, 0);
}

static void rays(void **state)
{
  (void)state;
  double z[2];
  // w1 = -1 whatever z is: infeasible, and the ray proves it
  const double zero[] = {0, 0, 0, 1}, q[] = {-1, 1};
  dls_lemke_report report = lemke(2, zero, q, z);
  assert_int_equal(report.outcome, DLS_LCP_RAY);
  assert_true(report.infeasible && isnan(report.error.absolute));
  assert_true(z[0] == 1 && z[1] == 0);
  // skew: no solution
  const double skew[] = {0, -1, 1, 0}, load[] = {1, -1};
  report = lemke(2, skew, load, z);
  assert_true(report.outcome == DLS_LCP_RAY && report.infeasible);
  // w = -z - 1 < 0: infeasible
  const double minus[] = {-1}, one[] = {-1};
  report = lemke(1, minus, one, z);
  assert_int_equal(report.outcome, DLS_LCP_RAY);
  // feasible (z large) but without a solution: nothing is proven
  const double bad[] = {0, 0, 1, -1}, bad_q[] = {-1, 1};
  report = lemke(2, bad, bad_q, z);
  bool ambiguous;
  if (count(2, bad, bad_q, &ambiguous) == 0) assert_false(report.outcome == DLS_LCP_SOLVED);
}

// Frictionless contact in KKT form, M v + F = G lambda, 0 <= lambda _|_ G^T v + b >= 0, as a mixed
// problem with v free, against the same in forces.
static void mixed(void **state)
{
  (void)state;
  for (int t = 0; t < 300; t++) {
    at_case("t %d", t);
    enum { F = 3, L = 2, N = F + L };
    double G[F * L], mass[F], load[F], b[L], M[N * N] = {0}, q[N], W[L * L], w[L], z[N], lambda[L];
    for (int k = 0; k < F * L; k++) G[k] = uniform();
    for (int i = 0; i < F; i++) mass[i] = 1 + fabs(uniform()), load[i] = uniform();
    for (int i = 0; i < L; i++) b[i] = uniform();
    for (int i = 0; i < F; i++) {
      M[i * (N + 1)] = mass[i], q[i] = load[i];
      for (int j = 0; j < L; j++)
        M[i + N * (F + j)] = -G[i + F * j], M[F + j + N * i] = G[i + F * j];
    }
    for (int i = 0; i < L; i++) {
      q[F + i] = w[i] = b[i];
      for (int k = 0; k < F; k++) w[i] -= G[k + F * i] * load[k] / mass[k];
      for (int j = 0; j < L; j++) {
        W[i + L * j] = 0;
        for (int k = 0; k < F; k++) W[i + L * j] += G[k + F * i] * G[k + F * j] / mass[k];
      }
    }
    const dls_mlcp p = {N, F, M, q};
    dls_lemke_report report;
    assert_int_equal(dls_mlcp_lemke(&p, NULL, z, &report), DLS_OK);
    assert_int_equal(report.outcome, DLS_LCP_SOLVED);
    assert_int_equal(lemke(L, W, w, lambda).outcome, DLS_LCP_SOLVED);
    for (int i = 0; i < L; i++) close_to(z[F + i], lambda[i], 1e-8 * (1 + fabs(lambda[i])));
    dls_lcp_solutions *found = all(N, F, M, q);
    assert_int_equal(found->count, 1);
    for (int i = 0; i < N; i++) close_to(found->item[0].z[i], z[i], 1e-8 * (1 + fabs(z[i])));
    dls_lcp_solutions_free(found);
  }
  // two equal equations: the free block is singular
  const double M[] = {1, 1, 0, 1, 1, 0, 0, 0, 1}, q[] = {-1, -1, -1};
  double z[3];
  dls_lemke_report report;
  assert_int_equal(dls_mlcp_lemke(&(dls_mlcp){3, 2, M, q}, NULL, z, &report), DLS_OK);
  assert_int_equal(report.outcome, DLS_LCP_SINGULAR);
  // which enumeration sees as a line of solutions
  dls_lcp_solutions *found = all(3, 2, M, q);
  assert_true(found->count == 1 && found->item[0].continuum && !found->ambiguous);
  close_to(fabs(found->item[0].direction[0] + found->item[0].direction[1]), 0, 1e-9);
  dls_lcp_solutions_free(found);
}

// Solution sets that are known.
static void sets(void **state)
{
  (void)state;
  bool ambiguous;
  const double minus = -1, plus = 1, zero = 0;
  // w = q - z: two, one (degenerate), none
  assert_int_equal(count(1, &minus, &plus, &ambiguous), 2);
  assert_int_equal(count(1, &minus, &zero, &ambiguous), 1);
  assert_false(ambiguous);
  assert_int_equal(count(1, &minus, &minus, &ambiguous), 0);
  // w = 0: every z >= 0; w = 1: z = 0 only
  dls_lcp_solutions *found = all(1, 0, &zero, &zero);
  assert_true(found->count == 1 && found->item[0].continuum && found->item[0].direction[0] == 1);
  dls_lcp_solutions_free(found);
  assert_int_equal(count(1, &zero, &plus, &ambiguous), 1);
  assert_false(ambiguous);

  // three aligned feet: sum of forces 1, one triangle of solutions
  const double ones[] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, load[] = {-1, -1, -1};
  found = all(3, 0, ones, load);
  assert_true(found->count == 1 && found->item[0].continuum && !found->ambiguous);
  const double *z = found->item[0].z;
  close_to(z[0] + z[1] + z[2], 1, 1e-9);
  dls_lcp_solutions_free(found);
  // two such, independent, of which one is reversed: two separate sets
  // w = z1 + z2 - 1 (twice), and w3 = 1 - z3: z3 = 0 or 1
  const double two[] = {1, 1, 0, 1, 1, 0, 0, 0, -1}, two_q[] = {-1, -1, 1};
  found = all(3, 0, two, two_q);
  assert_true(found->count == 2 && found->item[0].continuum && found->item[1].continuum);
  assert_false(found->ambiguous);
  dls_lcp_solutions_free(found);
  // 2^n solutions
  enum { N = 8 };
  double reversed[N * N] = {0}, q[N];
  for (int i = 0; i < N; i++) reversed[i * (N + 1)] = -1, q[i] = 1 + i;
  assert_int_equal(count(N, reversed, q, &ambiguous), 1 << N);
  assert_false(ambiguous);
}

// A sign that rounding decides must not pass for a count: q = 0.1 + 0.2 - 0.3 is not 0 but 5.6e-17,
// exactly so; but a determinant of inexact products is in doubt.
static void ambiguous(void **state)
{
  (void)state;
  bool unsure;
  const double minus = -1, tiny = 0.1 + 0.2 - 0.3;
  assert_int_equal(count(1, &minus, &tiny, &unsure), 2);
  assert_false(unsure);
  const double third = 1.0 / 3, M[] = {third, 0.1, third, 0.1}, q[] = {-third, -0.1};
  count(2, M, q, &unsure);
  assert_true(unsure);
  // z = (2, 0), and w_2 = 0 within rounding: one solution if it is zero, as here
  const double tight[] = {0.1, 0.3, 0.7, 5}, load[] = {-0.2, -0.6};
  assert_int_equal(count(2, tight, load, &unsure), 1);
  assert_true(unsure);
  dls_p_report report;
  int index[2];
  assert_int_equal(dls_p_matrix(2, M, index, &report), DLS_OK);
  assert_int_equal(report.answer, DLS_UNDECIDED);
  assert_true(report.count == 2 && index[0] == 0 && index[1] == 1);
}

static double seconds(void)
{
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// The largest exact test, and what is known beyond.
static void p_matrix_sizes(void **state)
{
  (void)state;
  enum { N = 30 };
  double *M = vector(N * N);
  int index[N];
  dls_p_report report;
  for (int n = 20; n <= N; n += 10) {
    at_case("n %d", n);
    // strictly triangular plus 1: a P-matrix, whose symmetric part is indefinite
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) M[i + n * j] = i == j ? 1 : i > j ? 2 * uniform() : 0;
    const double start = seconds();
    assert_int_equal(dls_p_matrix(n, M, index, &report), DLS_OK);
    print_message("n = %d: %.2f s, margin %g by %s\n", n, seconds() - start, report.margin,
                  report.by);
    assert_int_equal(report.answer, DLS_YES);
    if (n == 20) close_to(report.margin, 1, 1e-2);
    // one pair spoils it
    M[3 + n * 17] = 2 / M[17 + n * 3] + (M[17 + n * 3] > 0 ? 1 : -1) * 1e-3;
    assert_int_equal(dls_p_matrix(n, M, index, &report), DLS_OK);
    assert_int_equal(report.answer, DLS_NO);
    if (n > 20) assert_true(report.count == 2 && index[0] == 3 && index[1] == 17);
    assert_true(report.minor + report.error <= 0);
    // definite, not dominant; the same in other units
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++)
        M[i + n * j] = 1 + (i == j ? 0.1 : 0) + (i > j ? 0.9 : i < j ? -0.9 : 0);
    for (int pass = 0; pass < 2; pass++) {
      assert_int_equal(dls_p_matrix(n, M, index, &report), DLS_OK);
      assert_int_equal(report.answer, DLS_YES);
      for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) M[i + n * j] = ldexp(M[i + n * j], (7 * i) % 13 + (7 * j) % 13);
    }
  }
  // the circulant P-matrix [1 0 a; a 1 0; 0 a 1] with a = 5: neither definite nor dominant
  const double circulant[] = {1, 5, 0, 0, 1, 5, 5, 0, 1};
  assert_int_equal(dls_p_matrix(3, circulant, index, &report), DLS_OK);
  assert_int_equal(report.answer, DLS_YES);
  const double turned[] = {1, -5, 0, 0, 1, -5, -5, 0, 1};
  assert_int_equal(dls_p_matrix(3, turned, index, &report), DLS_OK);
  assert_true(report.answer == DLS_NO && report.count == 3);
  assert_int_equal(dls_p_matrix(0, NULL, NULL, &report), DLS_OK);
  assert_int_equal(report.answer, DLS_YES);
  free(M);
}

// Large and small problems of all sizes: manufactured solutions of definite problems.
static void manufactured(void **state)
{
  (void)state;
  double worst = 0;
  int most = 0;
  for (int t = 0; t < 60; t++) {
    at_case("t %d", t);
    const int n = 1 + below(t < 50 ? 40 : 200);
    double *X = vector(n * n), *M = vector(n * n), *q = vector(n), *z = vector(n), *x = vector(n);
    for (int k = 0; k < n * n; k++) X[k] = uniform();
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        double sum = (i == j ? 1 : 0) + (i > j ? 1 : -1) * X[i > j ? i + n * j : j + n * i];
        for (int k = 0; k < n; k++) sum += X[i + n * k] * X[j + n * k];
        M[i + n * j] = sum;
      }
    for (int i = 0; i < n; i++) x[i] = below(2) ? fabs(uniform()) : 0;
    for (int i = 0; i < n; i++) {
      q[i] = x[i] > 0 ? 0 : fabs(uniform());
      for (int j = 0; j < n; j++) q[i] -= M[i + n * j] * x[j];
    }
    for (int j = 0; j < n; j++)  // other units
      for (int i = 0; i < n; i++) M[i + n * j] = ldexp(M[i + n * j], i % 31 - j % 37);
    for (int i = 0; i < n; i++) q[i] = ldexp(q[i], i % 31), x[i] = ldexp(x[i], i % 37);
    const dls_lemke_report report = lemke(n, M, q, z);
    assert_int_equal(report.outcome, DLS_LCP_SOLVED);
    for (int i = 0; i < n; i++) close_to(z[i], x[i], 1e-7 * ldexp(1, i % 37));
    worst = fmax(worst, report.error.relative);
    if (report.pivots > most) most = report.pivots;
    free(X), free(M), free(q), free(z), free(x);
  }
  print_message("largest residual %g, most pivots %d\n", worst, most);
}

static void bad_input(void **state)
{
  (void)state;
  double M[4] = {1, 0, 0, 1}, q[2] = {-1, NAN}, z[2];
  bool choice[2];
  int index[2];
  dls_lemke_report report;
  dls_lcp_solutions *found;
  dls_p_report p;
  dls_hlcp_report h;
  const dls_lcp lcp = {2, M, q};
  assert_int_equal(dls_mlcp_lemke(&(dls_mlcp){lcp.n, 0, lcp.M, lcp.q}, NULL, z, &report),
                   DLS_ERR_NUMBER);
  assert_int_equal(dls_lcp_enumerate(&lcp, &found), DLS_ERR_NUMBER);
  assert_null(found);
  q[1] = 1, M[2] = INFINITY;
  assert_int_equal(dls_mlcp_lemke(&(dls_mlcp){lcp.n, 0, lcp.M, lcp.q}, NULL, z, &report),
                   DLS_ERR_NUMBER);
  assert_int_equal(dls_p_matrix(2, M, index, &p), DLS_ERR_NUMBER);
  assert_int_equal(dls_hlcp_unique(2, M, M, choice, choice, &h), DLS_ERR_NUMBER);
  assert_int_equal(dls_mlcp_lemke(&(dls_mlcp){-1, 0, M, q}, NULL, z, &report), DLS_ERR_ARGUMENT);
  assert_int_equal(dls_mlcp_lemke(&(dls_mlcp){2, 3, M, q}, NULL, z, &report), DLS_ERR_ARGUMENT);
  assert_int_equal(dls_lcp_enumerate(&(dls_lcp){2, NULL, q}, &found), DLS_ERR_ARGUMENT);
  // no rows at all
  assert_int_equal(dls_mlcp_lemke(&(dls_mlcp){0, 0, NULL, NULL}, NULL, NULL, &report), DLS_OK);
  assert_int_equal(report.outcome, DLS_LCP_SOLVED);
  assert_int_equal(dls_lcp_enumerate(&(dls_lcp){0, NULL, NULL}, &found), DLS_OK);
  assert_true(found->count == 1 && !found->ambiguous);
  dls_lcp_solutions_free(found);
  assert_int_equal(dls_hlcp_unique(0, NULL, NULL, NULL, NULL, &h), DLS_OK);
  assert_int_equal(h.answer, DLS_YES);
  double *large = vector(17 * 17), *load = vector(17);
  assert_int_equal(dls_lcp_enumerate(&(dls_lcp){17, large, load}, &found), DLS_ERR_LIMIT);
  free(large), free(load);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(residuals),    cmocka_unit_test(murty),
      cmocka_unit_test(degenerate),   cmocka_unit_test(rays),
      cmocka_unit_test(mixed),        cmocka_unit_test(sets),
      cmocka_unit_test(ambiguous),    cmocka_unit_test(p_matrix_sizes),
      cmocka_unit_test(manufactured), cmocka_unit_test(bad_input),
      cmocka_unit_test(ties),         cmocka_unit_test(artificial_leaves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
