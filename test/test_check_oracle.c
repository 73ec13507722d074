// The check of the frictionless problem against closed forms, on bad input, and where an answer
// is close to turning into the other one.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

#include "comparison.h"
#include "witness.h"

static const double PI = 3.14159265358979323846;
static maker made;

static void start(int n, int m_b, int m_u)
{
  made = (maker){.n = n, .m_b = m_b, .m_u = m_u};
  (void)snprintf(made.name, sizeof made.name, "by hand");
}

static dls_check *run(void)
{
  dls_problem problem = maker_problem(&made);
  dls_check *check = NULL;
  dls_message message = {""};
  assert_int_equal(dls_check_run(&problem, NULL, &check, &message), DLS_OK);
  assert_non_null(check);
  for (int q = 0; q < MADE_QUESTIONS; q++) {
    const char *fault = witness_fault(check, (dls_question)q);
    if (fault != NULL) fail_msg("%s: %s", dls_question_name((dls_question)q), fault);
  }
  const char *fault = solution_fault(check);
  if (fault != NULL) fail_msg("solution: %s", fault);
  return check;
}

// The check keeps the problem by reference: its arrays must outlive it, and `made` does.
static void answers(const dls_check *check, const char *letters)
{
  for (int q = 0; q < MADE_QUESTIONS; q++) {
    dls_answer a = check->verdict[q].answer;
    char given = a == DLS_YES ? 'y' : a == DLS_NO ? 'n' : a == DLS_UNDECIDED ? 'u' : '-';
    if (given != letters[q])
      fail_msg("%s: %c instead of %c", dls_question_name((dls_question)q), given, letters[q]);
  }
}

static void near(double x, double y)
{
  if (!(fabs(x - y) <= 1e-11 * (1 + fabs(y)))) fail_msg("%.17g instead of %.17g", x, y);
}

// ---- closed forms

static void block_on_aligned_points(void **state)
{
  (void)state;
  const double m = 3, g = 9.81;
  for (int N = 1; N <= 9; N++) {
    at_case("N %d", N);
    start(2, 0, N);
    made.M[0] = made.M[3] = m;
    made.F[1] = m * g;
    for (int k = 0; k < N; k++) made.G_u[1 + 2 * k] = 1;
    dls_check *check = run();
    answers(check, N == 1 ? "yy-yyyyy" : "yn-ynyyn");
    const dls_solution *s = check->solution;
    near(s->acceleration[0], 0);
    near(s->acceleration[1], 0);
    for (int k = 0; k < N; k++) {
      near(s->low_u[k], N == 1 ? m * g : 0);
      near(s->high_u[k], m * g);
      near(s->lambda_u[k], m * g / N);
      near(s->a_u[k], 0);
    }
    for (int k = 0; k < N * N; k++) {
      near(check->A_c[k], 1 / m);
      near(check->W[k], 1 / m);
      near(check->reduced.A_r[k], 1 / m);
      near(check->kinetic_angles[k], PI);
    }
    near(s->gauss_primal, 0);
    dls_check_free(check);
  }
}

// Rod of half-length l and mass m; one end in a guide along x, the other against a wall.
static void rod_with_guide_and_wall(void **state)
{
  (void)state;
  const double m = 2, l = 0.7;
  for (int k = 1; k < 60; k++) {
    at_case("k %d", k);
    double th = k * PI / 60, c = cos(th), s = sin(th);
    start(3, 1, 1);
    made.M[0] = made.M[4] = m;
    made.M[8] = m * l * l / 3;
    made.F[1] = m * 9.81;
    made.G_b[1] = 1, made.G_b[2] = -l * c;
    made.G_u[0] = 1, made.G_u[2] = l * s;
    dls_check *check = run();
    near(check->A_c[0], 1 / m + 3 * s * s / (m * (1 + 3 * c * c)));
    near(check->reduced.A_r[0], check->A_c[0]);
    near(check->W[0], (1 + 3 * c * c) / m);
    near(check->W[3], (1 + 3 * s * s) / m);
    near(check->W[1], -3 * s * c / m);
    double cosine = -3 * s * c / sqrt((1 + 3 * c * c) * (1 + 3 * s * s));
    near(check->kinetic_angles[1], PI - acos(cosine));
    near(check->kinetic_angles[2], PI - acos(cosine));
    answers(check, "yyyyyyyy");
    dls_check_free(check);
  }
}

// Particle in a slot alpha x + beta y + gamma = 0 that meets a wall x >= 0.
static void slot_and_wall(void **state)
{
  (void)state;
  const double alpha = 0.6, beta = -1.7, m = 1.3, push = 2.5, norm = alpha * alpha + beta * beta;
  start(2, 1, 1);
  made.M[0] = made.M[3] = m;
  // along the slot, into the wall
  made.F[0] = push * beta * beta, made.F[1] = -push * alpha * beta;
  made.G_b[0] = alpha, made.G_b[1] = beta;
  made.G_u[0] = 1;
  dls_check *check = run();
  answers(check, "yyyyyyyy");
  const dls_solution *s = check->solution;
  near(check->A_c[0], beta * beta / norm / m);
  near(s->lambda_u[0], push * norm);
  near(s->lambda_b[0], -alpha / norm * s->lambda_u[0]);
  near(s->acceleration[0], 0);
  near(s->acceleration[1], 0);
  dls_check_free(check);
}

static void squeezed_between_planes(void **state)
{
  (void)state;
  start(2, 0, 2);
  made.M[0] = made.M[3] = 1;
  made.F[1] = 5;
  made.G_u[1] = 1, made.G_u[3] = -1;
  dls_check *check = run();
  answers(check, "yn-nnyyn");
  const dls_solution *s = check->solution;
  near(s->low_u[0], 5), near(s->low_u[1], 0);
  assert_true(s->high_u[0] == INFINITY && s->high_u[1] == INFINITY);
  near(s->lambda_u[0], 5), near(s->lambda_u[1], 0);
  near(check->kinetic_angles[0], PI);
  near(check->kinetic_angles[1], 0);
  near(check->A_c[0], 1), near(check->A_c[1], -1);
  dls_check_free(check);
}

static void zero_gradient(void **state)
{
  (void)state;
  start(1, 0, 2);
  made.M[0] = 2;
  made.F[0] = 4;
  made.G_u[0] = 1, made.G_u[1] = 0;
  made.b_u[1] = 1;
  dls_check *check = run();
  answers(check, "yn-nnyyy");
  assert_true(isnan(check->kinetic_angles[1]) && isnan(check->kinetic_angles[3]));
  near(check->kinetic_angles[0], PI);
  near(check->A_c[0], 0.5), near(check->A_c[3], 0);
  dls_check_free(check);
}

// [M -G_b; G_b^T 0] is nonsingular exactly when G_b has full column rank and M is definite on
// the kernel of G_b^T; M itself may be singular.
static void singular_mass(void **state)
{
  (void)state;
  start(2, 1, 0);
  made.M[0] = 1;
  made.F[0] = 1, made.F[1] = 2;
  made.G_b[0] = made.G_b[1] = 1;
  dls_check *check = run();
  answers(check, "nyy--yyy");
  near(check->solution->acceleration[0], 1), near(check->solution->acceleration[1], -1);
  near(check->solution->lambda_b[0], 2);
  assert_true(check->reduced.applies && check->W == NULL && check->mass_rank == 1);
  assert_true(check->mass_condition == INFINITY);
  dls_check_free(check);

  made.G_b[1] = 0;  // the massless coordinate is free and pushed
  check = run();
  answers(check, "nyy--nnn");
  dls_check_free(check);

  made.F[1] = 0;  // free and not pushed
  check = run();
  answers(check, "nyy--yny");
  assert_false(check->reduced.applies);
  dls_check_free(check);

  // no mass at all, held by as many guides as coordinates, one guide twice
  start(2, 3, 0);
  made.F[0] = 1, made.F[1] = -1;
  made.G_b[0] = 1, made.G_b[3] = 1, made.G_b[4] = 1;
  made.b_b[0] = made.b_b[2] = 2;
  check = run();
  answers(check, "nny--yyn");
  near(check->solution->acceleration[0], -2), near(check->solution->acceleration[1], 0);
  near(check->solution->lambda_b[0], 0.5), near(check->solution->lambda_b[2], 0.5);
  near(check->solution->low_b[1], -1), near(check->solution->high_b[1], -1);
  assert_true(check->solution->low_b[0] == -INFINITY && check->solution->high_b[2] == INFINITY);
  dls_check_free(check);
}

static void no_constraints_and_no_load(void **state)
{
  (void)state;
  start(3, 0, 0);
  made.M[0] = made.M[4] = made.M[8] = 1;
  dls_check *check = run();
  for (int i = 0; i < 3; i++) assert_true(check->solution->acceleration[i] == 0);
  assert_int_equal(check->verdict[DLS_ACCELERATION_UNIQUE].answer, DLS_YES);
  assert_int_equal(check->verdict[DLS_CONSTRAINTS_INDEPENDENT].answer, DLS_NOT_ASKED);
  assert_int_equal(check->verdict[DLS_MFCQ].answer, DLS_NOT_ASKED);
  assert_int_equal(check->verdict[DLS_DELASSUS_DEFINITE].answer, DLS_NOT_ASKED);
  dls_check_free(check);

  start(2, 1, 2);
  made.M[0] = made.M[3] = 1;
  made.G_b[0] = 1;
  made.G_u[1] = made.G_u[3] = 1;
  check = run();
  answers(check, "ynyynyyy");
  for (int k = 0; k < 2; k++)
    assert_true(check->solution->low_u[k] == 0 && check->solution->high_u[k] == 0);
  dls_check_free(check);
}

static void acceleration_can_be_skipped(void **state)
{
  (void)state;
  start(1, 0, 2);
  made.M[0] = 1, made.F[0] = 1;
  made.G_u[0] = made.G_u[1] = 1;
  dls_problem problem = maker_problem(&made);
  dls_check_options options = dls_check_defaults();
  assert_true(options.tolerance == 1e-9 && !options.skip_acceleration);
  dls_check *check = NULL;
  options.skip_acceleration = true;
  assert_int_equal(dls_check_run(&problem, &options, &check, NULL), DLS_OK);
  answers(check, "yn-yn---");
  assert_null(check->solution);
  dls_check_free(check);
}

// ---- bad input

static dls_status status_of(const dls_check_options *options)
{
  dls_problem problem = maker_problem(&made);
  dls_check *check = NULL;
  dls_message message = {""};
  dls_status status = dls_check_run(&problem, options, &check, &message);
  if (status != DLS_OK) {
    assert_null(check);
    assert_true(message.text[0] != 0);
  }
  dls_check_free(check);
  return status;
}

static void start_plain(void)
{
  start(2, 1, 1);
  made.M[0] = made.M[3] = 2, made.M[1] = made.M[2] = 1;
  made.F[0] = 1;
  made.G_b[0] = 1, made.G_u[1] = 1;
}

static void numbers_that_are_not_finite(void **state)
{
  (void)state;
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int k = 0; k < 3; k++) {
    at_case("k %d", k);
    double *const place[] = {&made.M[0],   &made.M[3],   &made.F[0],   &made.F[1],   &made.G_b[0],
                             &made.G_b[1], &made.b_b[0], &made.G_u[0], &made.G_u[1], &made.b_u[0]};
    for (size_t i = 0; i < sizeof place / sizeof place[0]; i++) {
      start_plain();
      *place[i] = bad[k];
      assert_int_equal(status_of(NULL), DLS_ERR_NUMBER);
    }
    start_plain();
    made.M[1] = made.M[2] = bad[k];
    assert_int_equal(status_of(NULL), DLS_ERR_NUMBER);
  }
  start_plain();
  assert_int_equal(status_of(NULL), DLS_OK);
}

static void masses_that_are_none(void **state)
{
  (void)state;
  const double bad[][4] = {{2, 1, 1.001, 2}, {2, 1, -1, 2}, {1, 2, 2, 1},   {-1, 0, 0, 1},
                           {0, 1, 1, 0},     {0, 1, 1, 5},  {-1, 0, 0, -1}, {1, 0, 0, -1e-3}};
  for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
    at_case("k %zu", k);
    start_plain();
    memcpy(made.M, bad[k], sizeof bad[k]);
    assert_int_equal(status_of(NULL), DLS_ERR_ARGUMENT);
  }
}

static void options_and_sizes_that_are_wrong(void **state)
{
  (void)state;
  const double bad[] = {0, -1e-9, NAN, INFINITY, 1};
  start_plain();
  dls_check_options options = dls_check_defaults();
  assert_int_equal(status_of(&options), DLS_OK);
  for (int k = 0; k < 4; k++) {
    at_case("k %d", k);
    options.tolerance = bad[k];
    assert_int_equal(status_of(&options), DLS_ERR_ARGUMENT);
  }
  start_plain();
  made.n = 0;
  made.m_b = made.m_u = 0;
  assert_int_equal(status_of(NULL), DLS_ERR_ARGUMENT);
  start_plain();
  made.n = -1;
  assert_int_equal(status_of(NULL), DLS_ERR_ARGUMENT);
  start_plain();
  made.m_b = -1;
  assert_int_equal(status_of(NULL), DLS_ERR_ARGUMENT);
  start_plain();
  made.m_u = -1;
  assert_int_equal(status_of(NULL), DLS_ERR_ARGUMENT);
}

static void residual(void **state)
{
  (void)state;
  start_plain();
  made.b_b[0] = -1;  // z_1 = 1, then 2 z_2 + 1 = lambda_u, z_2 >= 0: z_2 = 0
  dls_problem p = maker_problem(&made);
  double z[] = {1, 0}, lambda_b[] = {3}, lambda_u[] = {1}, r = NAN;
  assert_int_equal(dls_problem_residual(&p, z, lambda_b, lambda_u, &r), DLS_OK);
  assert_true(r >= 0 && r < 1e-15);
  double *const place[] = {&z[0], &z[1], &lambda_b[0], &lambda_u[0]};
  for (int k = 0; k < 4; k++) {
    at_case("k %d", k);
    double keep = *place[k];
    for (int sign = -1; sign <= 1; sign += 2) {
      *place[k] = keep + sign * 1e-3;
      assert_int_equal(dls_problem_residual(&p, z, lambda_b, lambda_u, &r), DLS_OK);
      assert_true(r > 1e-5 && r < 1);
    }
    *place[k] = NAN;
    assert_int_equal(dls_problem_residual(&p, z, lambda_b, lambda_u, &r), DLS_OK);
    assert_true(isnan(r));
    *place[k] = keep;
  }
}

static void names(void **state)
{
  (void)state;
  assert_string_equal(dls_question_name(DLS_MASS_DEFINITE), "mass_definite");
  assert_string_equal(dls_question_name(DLS_FORCES_UNIQUE), "forces_unique");
  assert_string_equal(dls_answer_name(DLS_YES), "yes");
  assert_string_equal(dls_answer_name(DLS_NO), "no");
  assert_string_equal(dls_answer_name(DLS_UNDECIDED), "undecided");
  assert_string_equal(dls_answer_name(DLS_NOT_ASKED), "");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(block_on_aligned_points),
      cmocka_unit_test(rod_with_guide_and_wall),
      cmocka_unit_test(slot_and_wall),
      cmocka_unit_test(squeezed_between_planes),
      cmocka_unit_test(zero_gradient),
      cmocka_unit_test(singular_mass),
      cmocka_unit_test(no_constraints_and_no_load),
      cmocka_unit_test(acceleration_can_be_skipped),
      cmocka_unit_test(numbers_that_are_not_finite),
      cmocka_unit_test(masses_that_are_none),
      cmocka_unit_test(options_and_sizes_that_are_wrong),
      cmocka_unit_test(residual),
      cmocka_unit_test(names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
