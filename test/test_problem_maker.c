// The makers of test problems tell the truth: what they claim agrees with the enumeration in
// exact arithmetic, and their solutions fulfil the problem.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

#include "problem_maker.h"
#include "problem_oracle.h"
#include "witness.h"

static maker made, found;

static void compare(const char *what)
{
  for (int q = 0; q < MADE_QUESTIONS; q++) {
    if (made.answer[q] == ANSWER_UNKNOWN || made.answer[q] == found.answer[q]) continue;
    maker_print(&made);
    fail_msg("%s: %s is not %s", what, dls_question_name((dls_question)q),
             dls_answer_name((dls_answer)made.answer[q]));
  }
}

// Decides by enumeration all that depends on signs; integer data.
static void enumerate(void)
{
  found = made;
  assert_true(oracle_without_solution(&found));
  if (made.m_u == 0) found.answer[DLS_MFCQ] = made.answer[DLS_MFCQ];
  if (found.answer[DLS_ACCELERATION_EXISTS] == DLS_YES && made.has_solution)
    assert_true(oracle_with_solution(&found, made.z, made.lambda_u));
}

static void solution_holds(double tolerance)
{
  dls_problem p = maker_problem(&made);
  if (!made.has_solution) return;
  double error = solution_error(&p, made.z, made.lambda_b, made.lambda_u);
  if (error <= tolerance) return;
  maker_print(&made);
  fail_msg("error %g", error);
}

static void ends_equal(int m, const double *x, const double *y)
{
  for (int k = 0; k < m; k++) assert_true(x[k] == y[k]);
}

static void parts_are_what_they_claim(void **state)
{
  (void)state;
  rng r = rng_create(1);
  for (int k = 0; k < maker_part_count(); k++) {
    for (int l = -1; l <= k; l++) {
      at_case("k %d, l %d", k, l);
      maker_empty(&made);
      maker_add_part(&made, k);
      if (l >= 0) maker_add_part(&made, l);
      if (strstr(made.name, "nearly")) continue;
      // M itself has the kernel that is asked for
      made.mass_rows = made.n;
      memcpy(made.B, made.M, sizeof made.B);
      assert_int_equal(made.mass_rank, integer_rank(made.n, made.n, made.M));
      assert_int_equal(made.bilateral_rank, integer_rank(made.n, made.m_b, made.G_b));
      enumerate();
      compare("part");
      solution_holds(1e-15);
      // multipliers that are not integers are left out
      bool least;
      if (made.has_solution && strstr(made.name, "rank one") == NULL) {
        assert_true(oracle_intervals(&found, made.lambda_b, made.lambda_u, &least));
        ends_equal(made.m_b, made.low_b, found.low_b),
            ends_equal(made.m_b, made.high_b, found.high_b);
        ends_equal(made.m_u, made.low_u, found.low_u),
            ends_equal(made.m_u, made.high_u, found.high_u);
      }
      maker_mix_exact(&made, &r);
      solution_holds(1e-15);
      maker_mix_generic(&made, &r);
      solution_holds(1e-13);
      maker_mass_unit(&made, 1e8), maker_time_unit(&made, 1e-8);
      for (int i = 0; i < made.n; i++)
        maker_scale_coordinate(&made, i, pow(10, rng_int(&r, -8, 8)));
      solution_holds(1e-12);
    }
  }
}

static void families_are_what_they_claim(void **state)
{
  (void)state;
  rng r = rng_create(2);
  int decided[2] = {0};
  for (int k = 0; k < 2000; k++) {
    at_case("k %d", k);
    int n = rng_int(&r, 1, 5), m_b = rng_int(&r, 0, 3), m_u = rng_int(&r, 0, 5);
    switch (k % 4) {
    case 0: maker_feasible(&made, &r, n, m_b, m_u, rng_int(&r, 0, n)); break;
    case 1: maker_contradiction(&made, &r, n, m_b, m_u + (m_b == 0), rng_int(&r, 0, n)); break;
    case 2: maker_push(&made, &r, n, m_b, m_u); break;
    default: maker_mfcq(&made, &r, n, m_b, m_u); break;
    }
    enumerate();
    if (made.m_u == 0) found.answer[DLS_MFCQ] = made.answer[DLS_MFCQ];
    if (k % 4 == 3)
      found.answer[DLS_ACCELERATION_UNIQUE] = found.answer[DLS_FORCES_UNIQUE] =
          made.answer[DLS_ACCELERATION_UNIQUE],
      made.answer[DLS_FORCES_UNIQUE] = ANSWER_UNKNOWN;
    compare(made.name);
    solution_holds(1e-15);
    decided[found.answer[DLS_ACCELERATION_EXISTS] == DLS_YES]++;
    maker_mix_exact(&made, &r);
    solution_holds(1e-15);
    maker_real(&made, &r, n, m_b < n ? m_b : n, m_u);
    solution_holds(1e-13);
  }
  printf("exists %d, does not %d\n", decided[1], decided[0]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parts_are_what_they_claim),
      cmocka_unit_test(families_are_what_they_claim),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
