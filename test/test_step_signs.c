// Time steps with friction at bilateral contacts, against rational arithmetic: for each choice of
// signs, are there velocities in the dual cones, eq (stp.3)? And what the answer is about: does the
// step with random masses and loads have a solution, by all combinations of modes?
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

#include <flint/flint.h>

#include "coulomb_oracle.h"
#include "rational.h"

#ifdef __SANITIZE_ADDRESS__
enum { MANY = 30 };
#else
enum { MANY = 300 };
#endif

static coulomb drawn;
static coulomb_oracle oracle;

static bool rubs(const coulomb *p, int j)
{
  return p->first[j + 1] > p->first[j] && p->mu[j] > 0;
}

static dls_check *ask(coulomb *p)
{
  dls_problem problem = coulomb_problem(p);
  dls_friction friction = *problem.friction;
  dls_check_options options = dls_check_defaults();
  dls_check *check = NULL;
  dls_message message;
  friction.w_n = p->b, friction.w_t = p->b_t;
  problem.friction = &friction;
  options.ask = DLS_ASK(DLS_STEP_SOLVABLE);
  assert_int_equal(dls_check_run(&problem, &options, &check, &message), DLS_OK);
  return check;
}

// factor (g^T v + w_n) + side (h^T v + w_t) = 0 or >= 0; slip -1: without it.
static void add_row(linear *s, const coulomb *p, int j, double factor, int slip, double side,
                    bool equation)
{
  fmpq *row = linear_add(s, equation);
  fmpq_t a, b;
  fmpq_init(a), fmpq_init(b);
  for (int i = 0; i <= p->n; i++) {
    rational_set(a, i < p->n ? p->G[i + p->n * j] : p->b[j]);
    rational_set(b, factor);
    fmpq_mul(row + i, a, b);
    if (slip < 0) continue;
    rational_set(a, i < p->n ? p->H[i + p->n * slip] : p->b_t[slip]);
    rational_set(b, side);
    fmpq_addmul(row + i, a, b);
  }
  fmpq_clear(a), fmpq_clear(b);
}

// The signs of the bilateral contacts with friction are bits; smooth: no friction at all.
static bool has_velocity(const coulomb *p, int pattern, bool smooth)
{
  linear s;
  linear_init(&s, p->n);
  for (int j = 0; j < p->m_b + p->m_u; j++) {
    const bool bilateral = j < p->m_b;
    if (smooth || !rubs(p, j)) {
      add_row(&s, p, j, 1, -1, 0, bilateral);
      continue;
    }
    const double sign = bilateral && pattern & 1 ? -1 : 1;
    if (bilateral) pattern >>= 1;
    for (int side = -1; side <= 1; side += 2)
      add_row(&s, p, j, sign, p->first[j], side * p->mu[j], false);
  }
  const bool feasible = linear_feasible(&s, NULL, NULL);
  linear_clear(&s);
  return feasible;
}

static int count_signs(const coulomb *p)
{
  int count = 0;
  for (int j = 0; j < p->m_b; j++) count += rubs(p, j);
  return count;
}

// A planar problem with friction at a bilateral contact, M > 0, and small imposed velocities.
static void draw_problem(rng *r)
{
  do {
    switch (rng_int(r, 0, 3)) {
    case 0: coulomb_body(&drawn, r); break;
    case 1: coulomb_integers(&drawn, r); break;
    case 2: coulomb_redundant(&drawn, r); break;
    default: coulomb_contradiction(&drawn, r);
    }
  } while (count_signs(&drawn) == 0);
  const int kind = rng_int(r, 0, 2);  // nothing moves; something slips; anything
  for (int j = 0; j < drawn.m_b + drawn.m_u; j++) {
    drawn.sliding[j] = false;
    drawn.b[j] = kind == 2 && rng_chance(r, 0.5) ? rng_int(r, -2, 2) : 0;
  }
  for (int k = 0; k < drawn.tangents; k++)
    drawn.b_t[k] = kind > 0 && rng_chance(r, 0.5) ? rng_int(r, -2, 2) : 0;
}

static void draw_load(rng *r)
{
  double L[COULOMB_N * COULOMB_N] = {0};
  const int n = drawn.n;
  for (int i = 0; i < n; i++) {
    drawn.F[i] = rng_int(r, -8, 8);
    for (int j = 0; j <= i; j++) L[i + n * j] = i == j ? rng_int(r, 1, 3) : rng_int(r, -2, 2);
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      drawn.M[i + n * j] = 0;
      for (int k = 0; k < n; k++) drawn.M[i + n * j] += L[i + n * k] * L[j + n * k];
    }
}

static dls_answer step_exists(void)
{
  memset(oracle.answer, 0, sizeof oracle.answer);
  coulomb_oracle_solutions(&drawn, &oracle);
  return oracle.answer[DLS_ACCELERATION_EXISTS];
}

static void check_loads(rng *r, dls_answer answer, bool impossible)
{
  for (int load = 0; load < 4; load++) {
    at_case("load %d", load);
    draw_load(r);
    if (answer == DLS_YES) assert_int_equal(step_exists(), DLS_YES);
    if (impossible) assert_int_equal(step_exists(), DLS_NO);
  }
}

static void every_sign(void **state)
{
  (void)state;
  int count[4] = {0}, impossible = 0, wide = 0;
  rng r = rng_create(11);
  for (int k = 0; k < MANY; k++) {
    at_case("problem %d", k);
    draw_problem(&r);
    draw_load(&r);
    dls_check *check = ask(&drawn);
    const dls_verdict *v = &check->verdict[DLS_STEP_SOLVABLE];
    const dls_answer answer = v->answer;
    const bool never = answer == DLS_NO && strstr(v->by, "no step has a solution");
    const bool any = answer == DLS_YES && v->leaf[0].direction;
    bool all = true;
    for (int pattern = 0; pattern < 1 << count_signs(&drawn); pattern++)
      all &= has_velocity(&drawn, pattern, false);
    assert_int_equal(answer, all ? DLS_YES : DLS_NO);
    assert_int_equal(never, !has_velocity(&drawn, 0, true));
    count[answer]++, impossible += never, wide += any;
    dls_check_free(check);
    check_loads(&r, answer, never);
    // whatever moves at the contacts                                                 eq (stp.2)
    for (int j = 0; any && j < drawn.m_b + drawn.m_u; j++) drawn.b[j] = rng_int(&r, -2, 2);
    for (int i = 0; any && i < drawn.tangents; i++) drawn.b_t[i] = rng_int(&r, -2, 2);
    if (any) check_loads(&r, answer, false);
  }
  printf("steps: %d yes (%d whatever moves), %d no (%d for every load)\n", count[DLS_YES], wide,
         count[DLS_NO], impossible);
  assert_in_range(wide, MANY / 20, MANY);
  assert_in_range(count[DLS_YES] - wide, MANY / 20, MANY);
  assert_in_range(impossible, MANY / 20, MANY);
  assert_in_range(count[DLS_NO] - impossible, MANY / 20, MANY);
}

// Twelve joints with friction on one slide, at rest: one velocity serves all signs.
static void many_joints(void **state)
{
  (void)state;
  for (int moving = 0; moving < 2; moving++) {
    coulomb_start(&drawn, "joints", 2);
    drawn.M[0] = drawn.M[3] = 1;
    for (int j = 0; j < COULOMB_M; j++) {
      coulomb_add(&drawn, DLS_BILATERAL, 1, 2);
      coulomb_normal(&drawn, j)[1] = 1;
      coulomb_tangent(&drawn, j, 0)[0] = 1;
      drawn.b_t[j] = moving;  // all alike: v = (-1, 0) rests at all of them
    }
    dls_check *check = ask(&drawn);
    const dls_verdict *v = &check->verdict[DLS_STEP_SOLVABLE];
    assert_int_equal(v->answer, DLS_YES);
    assert_int_equal(v->leaves, 1);
    assert_non_null(strstr(v->by, moving ? "velocities in the dual cones" : "nothing moves"));
    assert_true(fabs(v->leaf[0].velocity[0] + moving) < 1e-9 &&
                fabs(v->leaf[0].velocity[1]) < 1e-9);
    dls_check_free(check);
  }
}

// Two guides of one slider: the second one slips with it at mu = 1, which the jam needs. With
// normals y and y + x they press against each other without end when mu is at least
// tan(pi/8).
static void crossed_guides(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    const double limit = sqrt(2) - 1, mu = limit + (k == 0 ? -0.01 : 0.01);
    coulomb_start(&drawn, "guides", 2);
    drawn.M[0] = drawn.M[3] = 1;
    for (int j = 0; j < 2; j++) {
      coulomb_add(&drawn, DLS_BILATERAL, 1, mu);
      const double angle = j * atan(1);
      coulomb_normal(&drawn, j)[0] = sin(angle), coulomb_normal(&drawn, j)[1] = cos(angle);
      coulomb_tangent(&drawn, j, 0)[0] = cos(angle), coulomb_tangent(&drawn, j, 0)[1] = -sin(angle);
    }
    drawn.b_t[0] = 1, drawn.b_t[1] = -1;
    dls_check *check = ask(&drawn);
    assert_int_equal(check->verdict[DLS_STEP_SOLVABLE].answer, k == 0 ? DLS_YES : DLS_NO);
    dls_check_free(check);
  }
}

// In space the cones are round, and where forces cancel without velocities strictly inside nothing
// is known.
static void space(void **state)
{
  (void)state;
  const dls_answer expected[] = {DLS_YES, DLS_UNDECIDED, DLS_NO};
  for (int k = 0; k < 3; k++) {
    coulomb_start(&drawn, "space", 3);
    for (int i = 0; i < 3; i++) drawn.M[4 * i] = 1;
    for (int j = 0; j < 2; j++) {
      coulomb_add(&drawn, DLS_BILATERAL, 2, k == 0 ? 0.25 : 2);
      coulomb_normal(&drawn, j)[j] = 1;
      coulomb_tangent(&drawn, j, 0)[1 - j] = 1, coulomb_tangent(&drawn, j, 1)[2] = 1;
    }
    if (k == 2) drawn.b_t[1] = 1;
    dls_check *check = ask(&drawn);
    assert_int_equal(check->verdict[DLS_STEP_SOLVABLE].answer, expected[k]);
    dls_check_free(check);
  }
}

static bool stop_at(void *self, double done)
{
  (void)done;
  return (*(int *)self)-- == 0;
}

// Each time that it is asked, also between signs, the question can be stopped: crossed guides that
// jam, so that no velocity serves all signs at once.
static void stopped(void **state)
{
  (void)state;
  coulomb_start(&drawn, "guides", 2);
  drawn.M[0] = drawn.M[3] = 1;
  for (int j = 0; j < 2; j++) {
    coulomb_add(&drawn, DLS_BILATERAL, 1, 0.5);
    const double angle = j * atan(1);
    coulomb_normal(&drawn, j)[0] = sin(angle), coulomb_normal(&drawn, j)[1] = cos(angle);
    coulomb_tangent(&drawn, j, 0)[0] = cos(angle), coulomb_tangent(&drawn, j, 0)[1] = -sin(angle);
  }
  drawn.b_t[0] = 1, drawn.b_t[1] = -1;
  dls_check_options options = dls_check_defaults();
  options.ask = DLS_ASK(DLS_STEP_SOLVABLE);
  options.watch = stop_at;
  dls_problem problem = coulomb_problem(&drawn);
  dls_friction friction = *problem.friction;
  friction.w_n = drawn.b, friction.w_t = drawn.b_t;
  problem.friction = &friction;
  int calls = 0;
  for (dls_status status = DLS_ERR_STOPPED; status != DLS_OK; calls++) {
    at_case("call %d", calls);
    dls_check *check = NULL;
    int left = calls;
    options.self = &left;
    status = dls_check_run(&problem, &options, &check, NULL);
    assert_int_equal(status, left < 0 ? DLS_ERR_STOPPED : DLS_OK);
    dls_check_free(check);
  }
  assert_true(calls > 4);  // one for each node of the tree
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_sign), cmocka_unit_test(many_joints),
                                     cmocka_unit_test(crossed_guides), cmocka_unit_test(space),
                                     cmocka_unit_test(stopped)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  flint_cleanup();
  return failed;
}
