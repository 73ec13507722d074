// Whether an incremental problem has a solution does not depend on units.
#include "numbers.h"
#include "solvable_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

// ---- units -------------------------------------------------------------------------------------

static void scale_contact(dense *t, int rows, int first, int count, double factor)
{
  for (int k = first; k < first + count; k++) {
    for (int j = 0; j < rows; j++) t->W[k + j * rows] *= factor, t->W[j + k * rows] *= factor;
    t->q[k] *= factor;
  }
}

static void test_units(void **state)
{
  (void)state;
  static const double factors[] = {1e-8, 1e-4, 3, 1e4, 1e8};
  dense t;
  for (int kind = 0; kind < 2; kind++)
    for (int d = 2; d <= 3; d++)
      for (int k = 0; k < 5; k++) {
        at_case("kind %d, d %d, k %d", kind, d, k);
        const dls_answer expected = kind ? DLS_YES : DLS_NO;
        const double speed = kind ? -0.5 : 0.5;
        const dls_incremental *p = dense_jam(&t, false, d, 0.3, speed);
        scale_contact(&t, 2 * d, d, d, factors[k]);
        assert_int_equal(solvable_answer(p), expected);
        p = dense_jam(&t, false, d, 0.3, speed);  // masses and velocities
        for (int e = 0; e < 4 * d * d; e++) t.W[e] *= factors[k];
        for (int j = 0; j < 2 * d; j++) t.q[j] *= factors[4 - k];
        assert_int_equal(solvable_answer(p), expected);
        p = dense_jam(&t, true, d, 0.3, speed);
        for (int j = 0; j < d; j++) t.M[j + j * d] *= factors[k], t.f[j] *= factors[k];
        assert_int_equal(solvable_answer(p), expected);
        p = dense_jam(&t, true, d, 0.3, speed);  // one coordinate
        for (int j = 0; j < 2 * d; j++) t.H[j * d] *= factors[k];
        t.M[0] *= factors[k] * factors[k], t.f[0] *= factors[k];
        assert_int_equal(solvable_answer(p), expected);
      }
}

static void same_verdict(dls_solvable *a, dls_solvable *b)
{
  assert_int_equal(a->answer, b->answer);
  assert_true(a->margin == b->margin || (isnan(a->margin) && isnan(b->margin)));
  assert_true(a->bound == b->bound || (isnan(a->bound) && isnan(b->bound)));
  assert_true(a->shift == b->shift);
  dls_solvable_free(a), dls_solvable_free(b);
}

// W of any rank, with rows that nothing moves, and any q.
static void draw_data(dense *t, int rows, int dof)
{
  dense_identity(t, dof);
  for (int k = 0; k < dof; k++) t->M[k * (dof + 1)] = ldexp(1 + fabs(uniform()), below(9) - 4);
  for (int k = 0; k < rows * dof; k++) t->H[k] = below(4) ? uniform() : 0;
  if (below(3) == 0) memset(t->H, 0, (size_t)(2 * dof) * sizeof *t->H);
  for (int j = 0; j < rows; j++) t->q[j] = uniform();
  for (int k = 0; k < dof; k++) t->f[k] = uniform();
}

// Mass, length and time by powers of two, odd ones too.
static void test_units_of_all(void **state)
{
  (void)state;
  static dense t;
  int answers[4] = {0};
  for (int turn = 0; turn < TRIED(300); turn++) {
    at_case("turn %d", turn);
    const int n = 1 + below(3), m = below(2), rows = 2 * n + m, dof = 1 + below(5);
    const bool as_global = turn % 2;
    for (int i = 0; i < n; i++) t.mu[i] = below(3) ? fabs(uniform()) * 3 : 0;
    draw_data(&t, rows, dof);
    const double speed = ldexp(1, below(81) - 40), mass = ldexp(1, below(81) - 40);
    memset(t.W, 0, sizeof t.W);
    const dls_incremental *p = dense_global(&t, 2, n, m, dof);
    if (!as_global) dense_reduce(&t, rows, dof), p = dense_local(&t, 2, n, m);
    dls_solvable *a = solvable_ask(p);
    answers[a->answer]++;
    for (int k = 0; k < rows * rows; k++) t.W[k] /= mass;
    for (int k = 0; k < dof * dof; k++) t.M[k] *= mass;
    for (int j = 0; j < rows; j++) t.q[j] *= speed;
    for (int k = 0; k < dof; k++) t.f[k] *= mass * speed;
    same_verdict(a, solvable_ask(p));
  }
  assert_true(answers[DLS_YES] > TRIED(30) && answers[DLS_NO] > TRIED(10));
}

// A contact that gives way to its normal force far less than to friction has large impulses, and
// they are in the data: no rounding.
static void test_stiff_normal(void **state)
{
  (void)state;
  static dense t;
  for (int e = -60; e <= 0; e += 4)
    for (int turn = 0; turn < TRIED(40); turn++) {
      at_case("e %d, turn %d", e, turn);
      const int d = 2 + turn % 2, n = 1 + turn % 3, rows = d * n;
      double r[LARGEST] = {0};
      memset(t.W, 0, sizeof t.W);
      for (int i = 0; i < n; i++) t.mu[i] = ldexp(1, -below(20));
      for (int j = 0; j < rows; j++) {
        t.W[j * (rows + 1)] = j % d ? 1 + fabs(uniform()) : ldexp(1 + fabs(uniform()), e);
        t.q[j] = 0;
      }
      for (int i = 0; i < n; i++)
        r[d * i] = ldexp(1, -e), t.q[d * i] = -t.W[d * i * (rows + 1)] * r[d * i];
      if (n > 1 && turn % 2)
        t.W[d] = t.W[d * rows] = ldexp(0.1, e), t.q[0] -= t.W[d] * r[d], t.q[d] -= t.W[d] * r[0];
      assert_int_not_equal(solvable_answer(dense_local(&t, d, n, 0)), DLS_NO);
    }
}

// Powers of two change nothing at all.
static void test_exact_units(void **state)
{
  (void)state;
  dense t;
  for (int kind = 0; kind < 2; kind++) {
    at_case("kind %d", kind);
    dls_solvable *a = solvable_ask(dense_jam(&t, false, 3, 0.3, kind ? -0.5 : 0.5));
    const dls_incremental *p = dense_jam(&t, false, 3, 0.3, kind ? -0.5 : 0.5);
    scale_contact(&t, 6, 3, 3, ldexp(1, 30));
    dls_solvable *b = solvable_ask(p);
    assert_true(a->margin == b->margin && a->shift == b->shift);
    assert_true(a->bound == b->bound || kind);
    dls_solvable_free(a), dls_solvable_free(b);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_units),
      cmocka_unit_test(test_units_of_all),
      cmocka_unit_test(test_stiff_normal),
      cmocka_unit_test(test_exact_units),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
