// Existence of solutions: the verdicts against exact arithmetic (FLINT), the witnesses checked by
// rational numbers alone.
#include "lcp_problem.h"
#include "numbers.h"
#include "rational.h"
#include "certify/lcp_proof.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

// ---- the truth ---------------------------------------------------------------------------------

// Is there a z with the basis: w_i = 0 for its bits, z_i = 0 for the others?
static bool basis_feasible(const dls_mlcp *p, unsigned basis)
{
  linear s;
  linear_init(&s, p->n);
  for (int i = 0; i < p->n; i++) {
    const bool equation = i < p->free, in = equation || (basis >> (i - p->free) & 1);
    fmpq *row = linear_add(&s, in);
    for (int j = 0; j < p->n; j++) rational_set(row + j, p->M[i + p->n * j]);
    rational_set(row + p->n, p->q[i]);
    if (!equation) fmpq_one(linear_add(&s, !in) + i);
  }
  const bool feasible = linear_feasible(&s, NULL, NULL);
  linear_clear(&s);
  return feasible;
}

static bool solvable(const dls_mlcp *p)
{
  for (unsigned basis = 0; basis < 1u << (p->n - p->free); basis++)
    if (basis_feasible(p, basis)) return true;
  return false;
}

// ---- the witnesses -----------------------------------------------------------------------------

// The sign of extra + a^T b, strides given.
static int exact_sign(int n, const double *a, int stride, const double *b, double extra)
{
  fmpq_t sum, x, y;
  fmpq_init(sum), fmpq_init(x), fmpq_init(y);
  rational_set(sum, extra);
  for (int k = 0; k < n; k++) {
    rational_set(x, a[k * stride]), rational_set(y, b[k]);
    fmpq_addmul(sum, x, y);
  }
  const int sign = fmpq_sgn(sum);
  fmpq_clear(sum), fmpq_clear(x), fmpq_clear(y);
  return sign;
}

// sum += a^T y
static void add_product(int n, const double *a, const fmpq_mat_t y, fmpq_t sum)
{
  fmpq_t x;
  fmpq_init(x);
  for (int i = 0; i < n; i++) {
    rational_set(x, a[i]);
    fmpq_addmul(sum, x, fmpq_mat_entry(y, i, 0));
  }
  fmpq_clear(x);
}

// With free variables the entries of y in equations are those that make (M^T y)_F = 0.
static void complete(const dls_mlcp *p, fmpq_mat_t y)
{
  const int f = p->free;
  fmpq_mat_t A, b, x;
  fmpq_mat_init(A, f, f), fmpq_mat_init(b, f, 1), fmpq_mat_init(x, f, 1);
  for (int j = 0; j < f; j++) {
    add_product(p->n, p->M + p->n * j, y, fmpq_mat_entry(b, j, 0));
    for (int i = 0; i < f; i++) rational_set(fmpq_mat_entry(A, j, i), p->M[i + p->n * j]);
  }
  if (!fmpq_mat_is_zero(b)) assert_true(fmpq_mat_solve(x, A, b));
  for (int i = 0; i < f; i++)
    fmpq_sub(fmpq_mat_entry(y, i, 0), fmpq_mat_entry(y, i, 0), fmpq_mat_entry(x, i, 0));
  fmpq_mat_clear(A), fmpq_mat_clear(b), fmpq_mat_clear(x);
}

static void check_leaf(const dls_mlcp *p, const dls_lcp_leaf *leaf)
{
  const int n = p->n;
  fmpq_mat_t y;
  fmpq_t sum;
  fmpq_mat_init(y, n, 1), fmpq_init(sum);
  for (int i = 0; i < n; i++) rational_set(fmpq_mat_entry(y, i, 0), leaf->y[i]);
  complete(p, y);
  for (int i = 0; i < n; i++) {
    const bool equation = i < p->free;
    if (equation) assert_int_equal(leaf->choice[i], 0);
    if (!equation && leaf->choice[i] <= 0) assert_true(leaf->y[i] >= 0);
    fmpq_zero(sum);
    add_product(n, p->M + n * i, y, sum);
    if (equation) assert_true(fmpq_is_zero(sum));
    else if (leaf->choice[i] >= 0) assert_true(fmpq_sgn(sum) <= 0);
  }
  fmpq_zero(sum);
  add_product(n, p->q, y, sum);
  assert_true(fmpq_sgn(sum) < 0);
  fmpq_mat_clear(y), fmpq_clear(sum);
}

// Every complementary choice is in a leaf.
static void check_cover(const dls_mlcp *p, const dls_lcp_existence *e)
{
  const int k = p->n - p->free;
  assert_true(k <= 20);
  for (unsigned basis = 0; basis < 1u << k; basis++) {
    bool covered = false;
    for (int l = 0; l < e->leaves && !covered; l++) {
      covered = true;
      for (int i = 0; i < k; i++) {
        const int side = basis >> i & 1 ? 1 : -1;
        if (e->leaf[l].choice[p->free + i] == -side) covered = false;
      }
    }
    assert_true(covered);
  }
}

static void check_point(const dls_mlcp *p, const double *z)
{
  for (int i = 0; i < p->n; i++) {
    const int w = exact_sign(p->n, p->M + i, p->n, z, p->q[i]);
    if (i < p->free) assert_int_equal(w, 0);
    else assert_true(w >= 0 && z[i] >= 0 && (w == 0 || z[i] == 0));
  }
}

static dls_answer ask(const dls_mlcp *p, const char **by, int *leaves)
{
  dls_lcp_existence *e = NULL;
  bool holds = false;
  assert_int_equal(dls_mlcp_exists(p, NULL, &e), DLS_OK);
  assert_int_equal(dls_lcp_existence_check(p, e, &holds), DLS_OK);
  if (e->answer == DLS_NO) {
    assert_null(e->z);
    if (e->leaves > 0) {
      assert_true(holds);
      check_cover(p, e);
      for (int l = 0; l < e->leaves; l++) check_leaf(p, &e->leaf[l]);
    }
  }
  if (e->answer == DLS_YES) {
    assert_true(e->error < 1e-9);
    if (e->exact) check_point(p, e->z);
    if (e->basis && p->n <= 8) {
      unsigned basis = 0;
      for (int i = p->free; i < p->n; i++)
        if (e->basis[i]) basis |= 1u << (i - p->free);
      assert_true(basis_feasible(p, basis));
    }
    if (e->exact || e->basis) assert_true(holds);
  }
  if (by) *by = e->by;
  if (leaves) *leaves = e->leaves;
  const dls_answer answer = e->answer;
  dls_lcp_existence_free(e);
  return answer;
}

// ---- tests -------------------------------------------------------------------------------------

static void draw(lcp_problem *p, int t, int size)
{
  const int n = p->lcp.n;
  for (int k = 0; k < n * n; k++) p->M[k] = below(2 * size + 1) - size;
  for (int i = 0; i < n; i++) p->q[i] = below(2 * size + 1) - size - t % 2;
  if (t % 3 == 0)  // digits that no short number has
    for (int k = 0; k < n * n; k++) p->M[k] += uniform() * (p->M[k] != 0);
  if (t % 3 == 0)
    for (int i = 0; i < n; i++) p->q[i] += uniform() * 1e-3;
}

static void against_exact_arithmetic(void **state)
{
  (void)state;
  int count[2][4] = {{0}}, trees = 0, largest = 0;
  for (int t = 0; t < 400; t++) {
    at_case("t %d", t);
    const int n = 1 + below(4), free_rows = t % 5 == 4 ? below(2) : 0;
    lcp_problem p = lcp_draw(LCP_ANY, n, free_rows < n ? free_rows : 0, 1, false);
    draw(&p, t, 1 + below(3));
    const bool oracle = solvable(&p.lcp);
    int leaves = 0;
    const dls_answer answer = ask(&p.lcp, NULL, &leaves);
    assert_true(answer == DLS_UNDECIDED || answer == (oracle ? DLS_YES : DLS_NO));
    count[oracle][answer]++;
    trees += leaves > 1;
    if (leaves > largest) largest = leaves;
    lcp_drop(&p);
  }
  print_message("yes %d, no %d, undecided %d + %d; %d trees, up to %d leaves\n", count[1][DLS_YES],
                count[0][DLS_NO], count[1][DLS_UNDECIDED], count[0][DLS_UNDECIDED], trees, largest);
  assert_true(count[1][DLS_YES] > 80 && count[0][DLS_NO] > 80 && trees > 20);
  assert_true(count[1][DLS_UNDECIDED] + count[0][DLS_UNDECIDED] <= 8);
}

// A problem without solution that is feasible, hidden among rows that have solutions of their own.
static void hidden(void **state)
{
  (void)state;
  for (int t = 0; t < 6; t++) {
    at_case("t %d", t);
    const int n = 8 + 2 * t;
    lcp_problem p = lcp_draw(LCP_DEFINITE, n, 0, 1, false);
    // w_a = -1 + z_b >= 0 asks for z_b > 0, and then w_b = 0.5 + z_a + z_b is not zero
    const int a = 3, b = n - 2;
    for (int j = 0; j < n; j++) p.M[a + n * j] = p.M[b + n * j] = 0;
    p.M[a + n * b] = 1, p.q[a] = -1;
    p.M[b + n * a] = 1, p.M[b + n * b] = 1, p.q[b] = 0.5;
    const double small[] = {0, 1, 1, 1}, load[] = {-1, 0.5};
    assert_false(solvable(&(dls_mlcp){2, 0, small, load}));
    const char *by = NULL;
    int leaves = 0;
    const dls_answer answer = ask(&p.lcp, &by, &leaves);
    print_message("n = %d: %s, %d leaves\n", n, dls_answer_name(answer), leaves);
    assert_int_equal(answer, DLS_NO);
    assert_true(leaves > 1);
    lcp_drop(&p);
  }
}

// The same with equations, whose coefficients no short number fulfils.
static void hidden_with_equations(void **state)
{
  (void)state;
  for (int t = 0; t < 6; t++) {
    at_case("t %d", t);
    const int n = 20, f = 1 + t;
    lcp_problem p = lcp_draw(LCP_DEFINITE, n, f, 1, false);
    const int a = f, b = n - 1;
    for (int j = f; j < n; j++) p.M[a + n * j] = p.M[b + n * j] = 0;
    p.M[a + n * b] = 1, p.q[a] = -1;
    p.M[b + n * a] = 1, p.M[b + n * b] = 1, p.q[b] = 0.5;
    // the free variables enter these rows, and take part of the others out again
    for (int j = 0; j < f; j++) {
      for (int i = f; i < n; i++) p.M[j + n * i] = 0;
      p.q[j] = 0.01 * uniform();
      p.M[a + n * j] *= 0.01, p.M[b + n * j] *= 0.01;
    }
    int leaves = 0;
    const dls_answer answer = ask(&p.lcp, NULL, &leaves);
    print_message("%d equations: %s, %d leaves\n", f, dls_answer_name(answer), leaves);
    assert_int_equal(answer, DLS_NO);
    assert_true(leaves > 1);
    lcp_drop(&p);
  }
}

// The isolated solution of Pang's example is gone after the smallest change of one number.
static void isolated(void **state)
{
  (void)state;
  const double M[] = {0, 1, -1, -1, 0, 0, -1, 0, 0};
  const double change[] = {0, 1e-4, 1e-9, 1e-16, 1e-200, -1e-4};
  for (size_t k = 0; k < sizeof change / sizeof *change; k++) {
    at_case("k %zu", k);
    const double q[] = {-change[k], -1, 1};
    const dls_mlcp p = {3, 0, M, q};
    assert_true(solvable(&p) == (change[k] <= 0));
    const char *by = NULL;
    const dls_answer answer = ask(&p, &by, NULL);
    print_message("q_0 = %g: %s by %s\n", q[0], dls_answer_name(answer), by);
    assert_int_equal(answer, change[k] <= 0 ? DLS_YES : DLS_NO);
  }
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
    const char *by = NULL;
    const dls_answer answer = ask(&p.lcp, &by, NULL);
    print_message("%-32s %s by %s\n", lcp_real_name[t], dls_answer_name(answer), by);
    assert_int_equal(answer, strstr(lcp_real_name[t], "perturbed") ? DLS_NO : DLS_YES);
    if (p.lcp.n <= 6) assert_true(solvable(&p.lcp) == (answer == DLS_YES));
    lcp_drop(&p);
  }
}

static void forged_witnesses(void **state)
{
  (void)state;
  const double M[] = {0, 1, -1, -1, 0, 0, -1, 0, 0}, q[] = {-1e-4, -1, 1};
  const dls_mlcp p = {3, 0, M, q};
  signed char none[3] = {0}, one[3] = {1, 0, 0}, other[3] = {-1, 0, 0};
  double y[3] = {1, 0, 0};
  bool holds;
  dls_lcp_leaf leaf[2] = {{none, y}, {none, y}};
  dls_lcp_existence e = {.answer = DLS_NO, .n = 3, .leaves = 1, .leaf = leaf};
  assert_int_equal(dls_lcp_existence_check(&p, &e, &holds), DLS_OK);
  assert_true(holds);
  e.leaves = 2;  // twice the same: they do not exclude each other
  assert_int_equal(dls_lcp_existence_check(&p, &e, &holds), DLS_OK);
  assert_false(holds);
  leaf[0].choice = one, leaf[1].choice = other;
  assert_int_equal(dls_lcp_existence_check(&p, &e, &holds), DLS_OK);
  assert_true(holds);
  e.leaves = 1;  // half of the tree
  assert_int_equal(dls_lcp_existence_check(&p, &e, &holds), DLS_OK);
  assert_false(holds);
  leaf[0].choice = none;
  const double wrong[][3] = {{1, 1e-300, 0}, {1, -1e-300, 0}, {0, 0, 1},
                             {2, -1, -1},    {NAN, 0, 0},     {0, 0, 0}};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    at_case("k %zu", k);
    memcpy(y, wrong[k], sizeof y);
    assert_int_equal(dls_lcp_existence_check(&p, &e, &holds), DLS_OK);
    assert_false(holds);
  }
  // a point that solves but for the last digit
  const double I[] = {1}, load[] = {-1 / 3.0}, z = 1 / 3.0, off = nextafter(1 / 3.0, 1);
  dls_lcp_existence yes = {.answer = DLS_YES, .n = 1, .exact = true, .z = &z};
  assert_int_equal(dls_lcp_existence_check(&(dls_mlcp){1, 0, I, load}, &yes, &holds), DLS_OK);
  assert_true(holds);
  yes.z = &off;
  assert_int_equal(dls_lcp_existence_check(&(dls_mlcp){1, 0, I, load}, &yes, &holds), DLS_OK);
  assert_false(holds);
  yes.exact = false, yes.basis = &(bool){false};
  assert_int_equal(dls_lcp_existence_check(&(dls_mlcp){1, 0, I, load}, &yes, &holds), DLS_OK);
  assert_false(holds);
  yes.basis = &(bool){true};
  assert_int_equal(dls_lcp_existence_check(&(dls_mlcp){1, 0, I, load}, &yes, &holds), DLS_OK);
  assert_true(holds);
}

// The exact solution of M x = -q; false when M is singular.
static bool exact_solution(int n, const double *M, const double *q, int *sign)
{
  fmpq_mat_t A, b, x;
  fmpq_mat_init(A, n, n), fmpq_mat_init(b, n, 1), fmpq_mat_init(x, n, 1);
  for (int i = 0; i < n; i++) {
    rational_set(fmpq_mat_entry(b, i, 0), -q[i]);
    for (int j = 0; j < n; j++) rational_set(fmpq_mat_entry(A, i, j), M[i + n * j]);
  }
  const bool regular = fmpq_mat_solve(x, A, b);
  for (int i = 0; i < n; i++) sign[i] = regular ? fmpq_sgn(fmpq_mat_entry(x, i, 0)) : 0;
  fmpq_mat_clear(A), fmpq_mat_clear(b), fmpq_mat_clear(x);
  return regular;
}

// A number of the solution that is zero but for rounding, or a matrix that is singular but for
// rounding: nothing may be proven that exact arithmetic denies.
static void enclosures(void **state)
{
  (void)state;
  int proven_count = 0, denied = 0, singular = 0;
  for (int t = 0; t < 3000; t++) {
    at_case("t %d", t);
    double M[9], q[3] = {0}, x[3], z[3];
    const bool in[3] = {true, true, true};
    for (int k = 0; k < 9; k++) M[k] = ldexp(rint(ldexp(uniform(), 40)), -40);
    if (t % 3 == 2)
      for (int i = 0; i < 3; i++) M[6 + i] = M[i] + M[3 + i];
    for (int k = 0; k < 3; k++) x[k] = 0.1 + fabs(uniform());
    if (t % 3 == 1) x[below(3)] = below(3) * 1e-17;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) q[i] -= M[i + 3 * j] * x[j];
    bool proven = false;
    int sign[3];
    assert_int_equal(dls_lcp_proves_basis(&(dls_mlcp){3, 0, M, q}, in, z, &proven), DLS_OK);
    const bool regular = exact_solution(3, M, q, sign);
    const bool positive = regular && sign[0] > 0 && sign[1] > 0 && sign[2] > 0;
    if (proven) assert_true(positive);
    proven_count += proven, denied += !positive, singular += !regular;
  }
  print_message("%d proven, %d not so, %d of these singular\n", proven_count, denied, singular);
  assert_true(proven_count > 900 && denied > 1200 && singular > 900);
}

static void bad_input(void **state)
{
  (void)state;
  dls_lcp_existence *e;
  assert_int_equal(dls_mlcp_exists(&(dls_mlcp){1, 0, &(double){NAN}, &(double){0}}, NULL, &e),
                   DLS_ERR_NUMBER);
  assert_null(e);
  assert_int_equal(dls_mlcp_exists(NULL, NULL, &e), DLS_ERR_ARGUMENT);
  assert_int_equal(ask(&(dls_mlcp){0, 0, NULL, NULL}, NULL, NULL), DLS_YES);
  // the end of the nodes is no proof
  const double M[] = {0, 1, 1, 1}, q[] = {-1, 0.5};
  dls_lcp_exists_options o = dls_lcp_exists_defaults();
  o.max_nodes = 1, o.enumerate = false;
  assert_int_equal(dls_mlcp_exists(&(dls_mlcp){2, 0, M, q}, &o, &e), DLS_OK);
  assert_int_equal(e->answer, DLS_UNDECIDED);
  dls_lcp_existence_free(e);
  o.enumerate = true;
  assert_int_equal(dls_mlcp_exists(&(dls_mlcp){2, 0, M, q}, &o, &e), DLS_OK);
  assert_int_equal(e->answer, DLS_NO);
  assert_int_equal(e->leaves, 0);
  dls_lcp_existence_free(e);
  dls_lcp_existence_free(NULL);
}

static bool stop_at(void *self, double done)
{
  int *calls = self;
  assert_true(done >= 0 && done <= 1);
  return --*calls == 0;
}

// The tree of nodes can be stopped at each of them.
static void can_be_stopped(void **state)
{
  (void)state;
  const double M[] = {0, 1, 1, 1}, q[] = {-1, 0.5};
  dls_lcp_existence *e = NULL;
  dls_status status = DLS_ERR_STOPPED;
  int at = 0;
  while (status == DLS_ERR_STOPPED) {
    int calls = ++at;
    dls_lcp_exists_options o = dls_lcp_exists_defaults();
    o.watch = stop_at, o.self = &calls;
    status = dls_mlcp_exists(&(dls_mlcp){2, 0, M, q}, &o, &e);
    assert_true((status == DLS_OK) == (e != NULL));
  }
  assert_int_equal(status, DLS_OK);
  assert_true(at > 1);
  assert_int_equal(e->answer, DLS_NO);
  dls_lcp_existence_free(e);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(can_be_stopped),   cmocka_unit_test(against_exact_arithmetic),
      cmocka_unit_test(hidden),           cmocka_unit_test(hidden_with_equations),
      cmocka_unit_test(isolated),         cmocka_unit_test(real_problems),
      cmocka_unit_test(forged_witnesses), cmocka_unit_test(enclosures),
      cmocka_unit_test(bad_input),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
