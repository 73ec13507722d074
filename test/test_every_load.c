// Unique for every load, against determinants in rational arithmetic: masses that are singular in
// random ways, and the limits of friction, which must lie on the right sides of the truth.
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

#include <flint/flint.h>

#include "coulomb_oracle.h"

#ifdef __SANITIZE_ADDRESS__
enum { MANY = 60 };
#else
enum { MANY = 600 };
#endif

static coulomb drawn;
static coulomb_oracle oracle;

static dls_answer truth(void)
{
  memset(oracle.answer, 0, sizeof oracle.answer);
  coulomb_oracle_others(&drawn, &oracle);
  return oracle.answer[DLS_UNIQUE_FOR_EVERY_LOAD];
}

static dls_check *ask(coulomb *p)
{
  const dls_problem problem = coulomb_problem(p);
  dls_check_options options = dls_check_defaults();
  dls_check *check = NULL;
  dls_message message;
  options.ask = DLS_ASK(DLS_UNIQUE_FOR_EVERY_LOAD) | DLS_ASK_LIMIT(DLS_LIMIT_SUFFICIENT) |
                DLS_ASK_LIMIT(DLS_LIMIT_CRITICAL);
  assert_int_equal(dls_check_run(&problem, &options, &check, &message), DLS_OK);
  return check;
}

static void draw_contacts(rng *r)
{
  void (*const families[])(coulomb *, rng *) = {
      coulomb_body,     coulomb_integers,    coulomb_redundant, coulomb_contradiction,
      coulomb_massless, coulomb_all_sliding, coulomb_rod,       coulomb_klein};
  families[rng_int(r, 0, 7)](&drawn, r);
}

// M = B B^T with fewer columns than rows.
static void draw_mass(rng *r)
{
  const int n = drawn.n, rank = rng_int(r, 0, n - 1);
  double B[COULOMB_N * COULOMB_N];
  for (int i = 0; i < n * rank; i++) B[i] = rng_int(r, -2, 2);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      drawn.M[i + n * j] = 0;
      for (int k = 0; k < rank; k++) drawn.M[i + n * j] += B[i + n * k] * B[j + n * k];
    }
}

// A motion that nothing holds and that has no inertia makes the determinant zero when all contacts
// are open; rounding must not make inertia of it.
static void singular_masses(void **state)
{
  (void)state;
  int count[4] = {0};
  rng r = rng_create(2);
  for (int k = 0; k < MANY; k++) {
    at_case("problem %d", k);
    draw_contacts(&r);
    draw_mass(&r);
    const dls_answer right = truth();
    dls_check *check = ask(&drawn);
    const dls_answer answer = check->verdict[DLS_UNIQUE_FOR_EVERY_LOAD].answer;
    dls_check_free(check);
    if (right == DLS_NOT_ASKED) continue;
    if (answer != DLS_UNDECIDED) assert_int_equal(answer, right);
    count[answer]++;
  }
  printf("singular masses: %d yes, %d no, %d undecided\n", count[DLS_YES], count[DLS_NO],
         count[DLS_UNDECIDED]);
  assert_in_range(count[DLS_YES], MANY / 60, MANY);
  assert_in_range(count[DLS_NO], MANY / 6, MANY);
  assert_in_range(count[DLS_UNDECIDED], 0, MANY / 100);
}

static void no_inertia_left(void **state)
{
  (void)state;
  coulomb_start(&drawn, "no inertia left", 2);
  for (int i = 0; i < 4; i++) drawn.M[i] = 4;
  coulomb_add(&drawn, DLS_BILATERAL, 0, 0);
  coulomb_add(&drawn, DLS_UNILATERAL, 1, 0.5);
  for (int i = 0; i < 2; i++) coulomb_normal(&drawn, 0)[i] = -2, coulomb_normal(&drawn, 1)[i] = 2;
  coulomb_tangent(&drawn, 1, 0)[0] = 2, coulomb_tangent(&drawn, 1, 0)[1] = 1;
  drawn.sliding[1] = true, drawn.xi[0] = 1;
  dls_check *check = ask(&drawn);
  assert_int_equal(check->verdict[DLS_UNIQUE_FOR_EVERY_LOAD].answer, DLS_NO);
  assert_true(check->limit[DLS_LIMIT_SUFFICIENT].value == 0);
  assert_true(check->limit[DLS_LIMIT_CRITICAL].value == 0);
  dls_check_free(check);
}

static dls_answer truth_at(double mu)
{
  for (int j = 0; j < drawn.m_b + drawn.m_u; j++) drawn.mu[j] = drawn.sliding[j] ? mu : 0;
  return truth();
}

// Below the bound, and at the lower end of the critical coefficient, each load has one solution; at
// the upper end not.
static void limits(void **state)
{
  (void)state;
  int bounds = 0, brackets = 0;
  rng r = rng_create(5);
  for (int k = 0; k < MANY; k++) {
    at_case("problem %d", k);
    coulomb_all_sliding(&drawn, &r);
    dls_check *check = ask(&drawn);
    const double enough = check->limit[DLS_LIMIT_SUFFICIENT].value;
    const dls_limit critical = check->limit[DLS_LIMIT_CRITICAL];
    dls_check_free(check);
    if (enough > 0) {
      bounds++;
      if (!isnan(critical.value)) assert_true(enough <= critical.value);
      assert_int_equal(truth_at(isinf(enough) ? 1000 : 0.999999 * enough), DLS_YES);
    }
    if (!(critical.low > 0) || !isfinite(critical.high)) continue;
    brackets++;
    assert_true(critical.low <= critical.value && critical.value <= critical.high);
    assert_true(critical.high - critical.low <= 1e-6 * critical.value);
    assert_int_equal(truth_at(critical.low), DLS_YES);
    for (int part = 1; part < 8; part++)  // nothing is lost earlier, and won back
      assert_int_equal(truth_at(critical.low * part / 8), DLS_YES);
    assert_int_equal(truth_at(critical.high), DLS_NO);
  }
  printf("limits: %d bounds, %d brackets\n", bounds, brackets);
  assert_in_range(bounds, MANY / 4, MANY);
  assert_in_range(brackets, MANY / 10, MANY);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(singular_masses),
                                     cmocka_unit_test(no_inertia_left), cmocka_unit_test(limits)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  flint_cleanup();
  return failed;
}
