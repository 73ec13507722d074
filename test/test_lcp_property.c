// P-matrices, column representatives and solution sets of random integer problems, against exact
// arithmetic (FLINT).
#include "lcp/lemke.h"
#include "numbers.h"

#include <delassus/delassus.h>
#include <flint/fmpz_mat.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

enum { LARGEST = 8 };

// The sign of the determinant of the columns chosen from A and B, entries small integers.
static int sign_of(int n, const double *A, const double *B, unsigned choice)
{
  fmpz_mat_t m;
  fmpz_t det;
  fmpz_mat_init(m, n, n);
  fmpz_init(det);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      fmpz_set_d(fmpz_mat_entry(m, i, j), (choice >> j & 1 ? B : A)[i + n * j]);
  fmpz_mat_det(det, m);
  const int sign = fmpz_sgn(det);
  fmpz_clear(det);
  fmpz_mat_clear(m);
  return sign;
}

static void identity(int n, double *A)
{
  memset(A, 0, (size_t)(n * n) * sizeof *A);
  for (int i = 0; i < n; i++) A[i * (n + 1)] = 1;
}

static bool exact_one_sign(int n, const double *A, const double *B)
{
  const int first = sign_of(n, A, B, 0);
  for (unsigned c = 0; c < 1u << n; c++)
    if (sign_of(n, A, B, c) != first || first == 0) return false;
  return true;
}

static void draw(int n, int size, int diagonal, double *M)
{
  for (int k = 0; k < n * n; k++) M[k] = below(2 * size + 1) - size;
  for (int i = 0; i < n; i++) M[i * (n + 1)] += diagonal;
}

static void p_matrices(void **state)
{
  (void)state;
  int yes = 0, no = 0, zero = 0;
  double M[LARGEST * LARGEST], I[LARGEST * LARGEST], scaled[LARGEST * LARGEST];
  for (int t = 0; t < 4000; t++) {
    at_case("t %d", t);
    const int n = 1 + below(6), size = 1 + below(4);
    draw(n, size, t % 3 ? below(3 * size) : 0, M);
    identity(n, I);
    const bool oracle = exact_one_sign(n, I, M);
    dls_p_report report;
    int index[LARGEST];
    assert_int_equal(dls_p_matrix(n, M, index, &report), DLS_OK);
    assert_int_equal(report.answer, oracle ? DLS_YES : DLS_NO);
    oracle ? yes++ : no++;
    if (oracle) assert_true(report.margin > 0 && report.margin <= 1);
    if (!oracle) {
      unsigned set = 0;
      assert_true(report.count >= 1 && isnan(report.margin));
      for (int k = 0; k < report.count; k++) set |= 1u << index[k];
      assert_true(sign_of(n, I, M, set) <= 0);
      if (sign_of(n, I, M, set) == 0) {
        zero++;
        assert_true(report.minor == 0 && report.error == 0);
      }
    }
    // units and order do not matter
    int order[LARGEST], left[LARGEST], right[LARGEST];
    for (int i = 0; i < n; i++) order[i] = i, left[i] = below(60) - 30, right[i] = below(60) - 30;
    for (int i = n - 1; i > 0; i--) {
      const int j = below(i + 1), keep = order[i];
      order[i] = order[j], order[j] = keep;
    }
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        scaled[i + n * j] = ldexp(M[order[i] + n * order[j]], left[i] + right[j]);
    dls_p_report other;
    assert_int_equal(dls_p_matrix(n, scaled, index, &other), DLS_OK);
    assert_int_equal(other.answer, report.answer);
  }
  print_message("%d yes, %d no, %d of them by a minor that is zero\n", yes, no, zero);
  assert_true(yes > 300 && no > 300 && zero > 50);
}

// Not integers: the truth is that of the same matrix in units of 2^-52, as FLINT sees it.
static void p_matrices_of_doubles(void **state)
{
  (void)state;
  int yes = 0, undecided = 0;
  for (int t = 0; t < 1500; t++) {
    at_case("t %d", t);
    const int n = 2 + below(6);
    double M[LARGEST * LARGEST], large[LARGEST * LARGEST], I[LARGEST * LARGEST];
    for (int k = 0; k < n * n; k++) M[k] = ldexp(rint(ldexp(uniform(), 50)), -50);
    for (int i = 0; i < n; i++) M[i * (n + 1)] += t % 4 ? 1 + (t % 5) * 0.25 : 0;
    if (t % 3 == 0)  // nearly a singular minor
      for (int i = 0; i < n; i++) M[i + n * 1] = M[i] + ldexp(below(3) - 1, -49);
    for (int k = 0; k < n * n; k++) large[k] = ldexp(M[k], 50);
    identity(n, I);
    const bool oracle = exact_one_sign(n, I, large);
    dls_p_report report;
    int index[LARGEST];
    assert_int_equal(dls_p_matrix(n, M, index, &report), DLS_OK);
    if (report.answer == DLS_UNDECIDED) {
      undecided++;
      continue;
    }
    assert_int_equal(report.answer, oracle ? DLS_YES : DLS_NO);
    yes += oracle;
  }
  print_message("%d yes, %d undecided of 1500\n", yes, undecided);
  assert_true(yes > 200 && undecided < 50);
}

static void column_representatives(void **state)
{
  (void)state;
  int yes = 0, no = 0;
  double A[LARGEST * LARGEST], B[LARGEST * LARGEST];
  for (int t = 0; t < 3000; t++) {
    at_case("t %d", t);
    const int n = 1 + below(5), size = 1 + below(3);
    draw(n, size, 0, A);
    // near each other, so that yes happens
    for (int k = 0; k < n * n; k++) B[k] = A[k] + (below(4) ? 0 : below(3) - 1);
    if (t % 2)
      for (int i = 0; i < n; i++) A[i * (n + 1)] += 4 * size, B[i * (n + 1)] += 4 * size;
    const bool oracle = exact_one_sign(n, A, B);
    dls_hlcp_report report;
    bool first[LARGEST], second[LARGEST];
    assert_int_equal(dls_hlcp_unique(n, A, B, first, second, &report), DLS_OK);
    assert_int_equal(report.answer, oracle ? DLS_YES : DLS_NO);
    oracle ? yes++ : no++;
    if (oracle) continue;
    unsigned one = 0, two = 0;
    for (int j = 0; j < n; j++) one |= (unsigned)first[j] << j, two |= (unsigned)second[j] << j;
    const int a = sign_of(n, A, B, one), b = sign_of(n, A, B, two);
    assert_true(report.has_witness && (b == 0 || a * b < 0));
  }
  print_message("%d yes, %d no\n", yes, no);
  assert_true(yes > 300 && no > 300);
}

// ---- solution sets -----------------------------------------------------------------------------

// Solutions by exact arithmetic: the number of different points, or -1 when a singular basis has a
// consistent system and more than points may solve it.
typedef struct exact_solver {
  int n, free, count;
  unsigned zeros[256];  // which z and w vanish, of each point
  bool singular;
} exact_solver;

static void exact_basis(exact_solver *e, const double *M, const double *q, unsigned basis)
{
  const int n = e->n;
  int index[LARGEST], k = 0;
  for (int i = 0; i < n; i++)
    if (i < e->free || (basis >> i & 1)) index[k++] = i;
  fmpz_mat_t A, b, x, both;
  fmpz_t den, w;
  fmpz_mat_init(A, k, k), fmpz_mat_init(b, k, 1), fmpz_mat_init(x, k, 1);
  fmpz_mat_init(both, k, k + 1);
  fmpz_init(den), fmpz_init(w);
  for (int i = 0; i < k; i++) {
    for (int j = 0; j < k; j++) {
      fmpz_set_d(fmpz_mat_entry(A, i, j), M[index[i] + n * index[j]]);
      fmpz_set_d(fmpz_mat_entry(both, i, j), M[index[i] + n * index[j]]);
    }
    fmpz_set_d(fmpz_mat_entry(b, i, 0), -q[index[i]]);
    fmpz_set_d(fmpz_mat_entry(both, i, k), -q[index[i]]);
  }
  bool good = true;
  unsigned zeros = 0;
  if (k > 0 && !fmpz_mat_solve(x, den, A, b)) {
    if (fmpz_mat_rank(A) == fmpz_mat_rank(both)) e->singular = true;
    good = false;
  }
  if (k == 0) fmpz_one(den);
  for (int i = e->free; i < n && good; i++) {
    fmpz_mul_si(w, den, (slong)q[i]);
    for (int j = 0; j < k; j++) {
      fmpz_addmul_si(w, fmpz_mat_entry(x, j, 0), (slong)M[i + n * index[j]]);
      if (index[j] != i) continue;
      const int sign = fmpz_sgn(fmpz_mat_entry(x, j, 0)) * fmpz_sgn(den);
      if (sign < 0) good = false;
      if (sign == 0) zeros |= 1u << i;
    }
    if (!(basis >> i & 1)) zeros |= 1u << i;
    const int sign = fmpz_sgn(w) * fmpz_sgn(den);
    if (sign < 0) good = false;
    if (sign == 0) zeros |= 1u << (i + 16);
  }
  for (int c = 0; c < e->count && good; c++) good = e->zeros[c] != zeros;
  if (good) e->zeros[e->count++] = zeros;
  fmpz_mat_clear(A), fmpz_mat_clear(b), fmpz_mat_clear(x), fmpz_mat_clear(both);
  fmpz_clear(den), fmpz_clear(w);
}

static void solution_sets(void **state)
{
  (void)state;
  int counts[6] = {0}, skipped = 0, continua = 0;
  for (int t = 0; t < 6000; t++) {
    at_case("t %d", t);
    const int n = 1 + below(5), size = 1 + below(3), free = t % 3 ? 0 : below(n);
    double M[LARGEST * LARGEST], q[LARGEST];
    draw(n, size, t % 5 ? 0 : 2, M);
    for (int i = 0; i < n; i++) q[i] = below(7) - 3;
    exact_solver e = {.n = n, .free = free};
    for (unsigned a = 0; a < 1u << n; a++)
      if (!(a & ((1u << free) - 1))) exact_basis(&e, M, q, a);
    const dls_mlcp p = {n, free, M, q};
    dls_lcp_solutions *found;
    assert_int_equal(dls_mlcp_enumerate(&p, &found), DLS_OK);
    assert_true(found->complete && !found->ambiguous);
    for (int k = 0; k < found->count; k++) {
      const dls_lcp_solution *s = &found->item[k];
      dls_lcp_error error;
      assert_int_equal(dls_mlcp_residual(&p, s->z, &error), DLS_OK);
      assert_true(error.relative < 1e-9);
      continua += s->continuum;
      if (!s->continuum) continue;
      double other[LARGEST];
      for (int i = 0; i < n; i++) other[i] = s->z[i] + 1e-3 * s->direction[i];
      assert_int_equal(dls_mlcp_residual(&p, other, &error), DLS_OK);
      assert_true(error.relative < 1e-9);
    }
    if (e.singular) {
      skipped++;
      // isolated points are among those of the nonsingular bases, or are singular points
      assert_true(e.count == 0 || found->count > 0);
    } else {
      assert_int_equal(found->count, e.count);
      counts[e.count < 5 ? e.count : 5]++;
    }
    dls_lcp_solutions_free(found);
  }
  print_message("0, 1, 2, 3, 4, more solutions: %d %d %d %d %d %d; singular %d, continua %d\n",
                counts[0], counts[1], counts[2], counts[3], counts[4], counts[5], skipped,
                continua);
  assert_true(counts[0] > 100 && counts[1] > 500 && counts[2] > 100 && counts[3] > 50);
  assert_true(continua > 100 && skipped < 4000);
}

// Lemke ends at one of the solutions that enumeration lists; P-matrices always have exactly one.
static void lemke_and_enumeration(void **state)
{
  (void)state;
  int solved = 0, rays = 0, wrong = 0;
  for (int t = 0; t < 3000; t++) {
    at_case("t %d", t);
    const int n = 1 + below(7);
    double M[LARGEST * LARGEST], q[LARGEST], z[LARGEST];
    for (int k = 0; k < n * n; k++) M[k] = uniform();
    for (int i = 0; i < n; i++) q[i] = uniform(), M[i * (n + 1)] += t % 2 ? 1 : 0;
    const dls_lcp p = {n, M, q};
    dls_lemke_report report;
    dls_p_report unique;
    int index[LARGEST];
    assert_int_equal(dls_mlcp_lemke(&(dls_mlcp){p.n, 0, p.M, p.q}, NULL, z, &report), DLS_OK);
    assert_int_equal(dls_p_matrix(n, M, index, &unique), DLS_OK);
    dls_lcp_solutions *found;
    assert_int_equal(dls_lcp_enumerate(&p, &found), DLS_OK);
    assert_true(found->complete && !found->ambiguous);
    if (unique.answer == DLS_YES) {
      assert_int_equal(found->count, 1);
      assert_int_equal(report.outcome, DLS_LCP_SOLVED);
    }
    if (report.infeasible) assert_int_equal(found->count, 0);
    if (report.outcome == DLS_LCP_SOLVED) {
      double best = INFINITY;
      for (int k = 0; k < found->count; k++) {
        double distance = 0;
        for (int i = 0; i < n; i++) distance = fmax(distance, fabs(z[i] - found->item[k].z[i]));
        best = fmin(best, distance);
      }
      if (!(best < 1e-6)) wrong++;
      solved++;
    } else {
      assert_int_equal(report.outcome, DLS_LCP_RAY);
      rays++;
    }
    dls_lcp_solutions_free(found);
  }
  print_message("%d solved, %d rays\n", solved, rays);
  assert_int_equal(wrong, 0);
  assert_true(solved > 1500);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(p_matrices),
      cmocka_unit_test(p_matrices_of_doubles),
      cmocka_unit_test(column_representatives),
      cmocka_unit_test(solution_sets),
      cmocka_unit_test(lemke_and_enumeration),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
