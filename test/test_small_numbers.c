// Numbers between the rounding of the data and the tolerance: what hangs on them is undecided, or
// answered rightly for the data as they are.                                        eq (num.1)
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

#include <flint/flint.h>

#include "coulomb_oracle.h"
#include "coulomb_witness.h"

#ifdef __SANITIZE_ADDRESS__
enum { MANY = 20 };
#else
enum { MANY = 300 };
#endif

static coulomb p;
static coulomb_oracle oracle;
static int faults, definite;

static void fault(const char *what)
{
  printf("FAULT: %s\n", what);
  if (faults++ < 3) coulomb_print(&p);
  (void)fflush(stdout);
}

static void start(void)
{
  faults = definite = 0;
}

static dls_check *run(void)
{
  const dls_problem problem = coulomb_problem(&p);
  const dls_check_options options = dls_check_defaults();
  dls_check *check = NULL;
  dls_message message = {""};
  assert_int_equal(dls_check_run(&problem, &options, &check, &message), DLS_OK);
  return check;
}

static void find_oracle(void)
{
  memset(oracle.answer, 0, sizeof oracle.answer);
  coulomb_oracle_solutions(&p, &oracle);
  coulomb_oracle_others(&p, &oracle);
}

static void answers_are_true(const dls_check *check)
{
  static const dls_question asked[] = {DLS_ACCELERATION_EXISTS, DLS_ACCELERATION_UNIQUE,
                                       DLS_FORCES_UNIQUE, DLS_CAN_ALL_STICK};
  for (int k = 0; k < 4; k++) {
    const dls_answer given = check->verdict[asked[k]].answer, true_one = oracle.answer[asked[k]];
    if (given != DLS_YES && given != DLS_NO) continue;
    definite++;
    if (true_one != DLS_NOT_ASKED && given != true_one) fault(dls_question_name(asked[k]));
  }
  if (check->solution_count >= 0 && check->solution_count != oracle.count) fault("solution_count");
}

static double force_of(const dls_solution *s, int f, int side)
{
  const int m = p.m_b + p.m_u;
  const double *b = side < 0 ? s->low_b : s->high_b, *u = side < 0 ? s->low_u : s->high_u;
  const double *t = side < 0 ? s->low_t : s->high_t;
  return f < p.m_b ? b[f] : f < m ? u[f - p.m_b] : t[f - m];
}

// The ends of an interval are those of the component, relative to its largest finite end; an end of
// a force that varies by less than the tolerance is not asked for.
static void interval_is_true(const dls_solution *s, int component, int f)
{
  const double low = force_of(s, f, -1), high = force_of(s, f, 1);
  const double size = fmax(isfinite(low) ? fabs(low) : 0, isfinite(high) ? fabs(high) : 0);
  for (int side = -1; side <= 1; side += 2) {
    const double end = side < 0 ? low : high, reach = 1e-6 * size + 1e-8;
    if (isnan(end)) continue;
    const double beyond = isinf(end) ? side * 1e9 : end + side * reach;
    const bool reaches = coulomb_oracle_reaches(&p, &oracle, component, f, side, beyond);
    if (reaches != (bool)isinf(end)) fault("interval");
  }
}

static void solutions_are_true(const dls_check *check)
{
  const coulomb_units same = coulomb_same_units();
  for (int i = 0; i < check->solutions; i++) {
    const dls_solution *s = &check->solution[i];
    double z[COULOMB_N], lambda[COULOMB_M], tau[COULOMB_S];
    coulomb_plain(&p, &same, s, z, lambda, tau);
    const int component = coulomb_oracle_place(&p, &oracle, z, lambda, tau, 1e-6);
    if (component < 0) fault("solution");
    if (component < 0) continue;
    if (s->continuum != DLS_CONTINUUM_UNKNOWN && s->continuum != oracle.continuum[component])
      fault("continuum");
    for (int f = 0; f < p.m_b + p.m_u + p.tangents; f++) interval_is_true(s, component, f);
  }
}

static double small(rng *r, int least, int most)
{
  return ldexp(rng_chance(r, 0.5) ? 1 : 3, -rng_int(r, least, most));
}

static int nonzero(rng *r, int most)
{
  return rng_chance(r, 0.5) ? rng_int(r, 1, most) : -rng_int(r, 1, most);
}

// A bilateral contact that hardly rubs, one that starts to slide and one that may open, or two that
// squeeze the body against the first. Cones of 1e-13 are nothing that linear programs see.
static void draw_small_friction(rng *r)
{
  coulomb_start(&p, "small friction", 2);
  p.M[0] = rng_int(r, 1, 4), p.M[3] = rng_int(r, 2, 6);
  p.F[0] = rng_int(r, -3, 3), p.F[1] = rng_int(r, -4, 4);
  const bool squeezed = rng_chance(r, 0.5);
  const double first = squeezed ? 0.5 * rng_int(r, 1, 4) : small(r, 34, 42);
  coulomb_add(&p, DLS_BILATERAL, 1, first);
  coulomb_add(&p, DLS_UNILATERAL, 1, small(r, 34, 42));
  coulomb_add(&p, DLS_UNILATERAL, 1, 0.125 * rng_int(r, 1, 8));
  coulomb_normal(&p, 0)[squeezed ? 0 : 1] = nonzero(r, 3);
  coulomb_normal(&p, 1)[1] = squeezed ? -1 : rng_int(r, 1, 3);
  coulomb_normal(&p, 2)[0] = nonzero(r, 3), coulomb_normal(&p, 2)[1] = rng_int(r, 1, 3);
  for (int k = 0; k < 3; k++) {
    coulomb_tangent(&p, k, 0)[0] = nonzero(r, 3);
    coulomb_tangent(&p, k, 0)[1] = rng_int(r, -3, 3);
  }
  if (!squeezed) p.b[1] = 1;
  p.b_t[squeezed ? 1 : 2] = nonzero(r, 2);
}

static void small_friction(void **state)
{
  (void)state;
  rng r = rng_create(31);
  start();
  for (int k = 0; k < 2 * MANY; k++) {
    at_case("k %d", k);
    draw_small_friction(&r);
    find_oracle();
    dls_check *check = run();
    answers_are_true(check);
    solutions_are_true(check);
    dls_check_free(check);
  }
  assert_int_equal(faults, 0);
  assert_in_range(definite, 3 * MANY, 8 * MANY);
}

// One bilateral contact that slides, with a slip that is parallel to its gradient but for a little:
// it may press or pull, and the accelerations of the two differ by that little.
static void two_solutions_hardly_apart(void **state)
{
  (void)state;
  rng r = rng_create(32);
  int two = 0;
  start();
  for (int k = 0; k < MANY; k++) {
    at_case("k %d", k);
    coulomb_start(&p, "hardly apart", 2);
    p.M[0] = rng_int(&r, 2, 4), p.M[3] = rng_int(&r, 2, 6), p.M[1] = p.M[2] = rng_int(&r, -1, 1);
    p.F[0] = rng_int(&r, -3, 3), p.F[1] = rng_int(&r, -3, 3);
    const int i = coulomb_add(&p, DLS_BILATERAL, 1, rng_int(&r, 1, 3));
    coulomb_normal(&p, i)[0] = 1;
    coulomb_tangent(&p, i, 0)[0] = rng_int(&r, -3, 3);
    coulomb_tangent(&p, i, 0)[1] = small(&r, 24, 38);
    p.sliding[i] = true, p.xi[0] = rng_chance(&r, 0.5) ? 1 : -1;
    find_oracle();
    two += oracle.count == 2;
    dls_check *check = run();
    answers_are_true(check);
    dls_check_free(check);
  }
  assert_int_equal(faults, 0);
  assert_in_range(two, MANY / 10, MANY);
}

// A body that is pushed, and another one on two contacts whose slip acceleration, 1e7 in the units
// of its tangent, is by far its largest load: its friction is not rounding of the first one's
// force.
static void forces_of_a_part(void **state)
{
  (void)state;
  rng r = rng_create(33);
  start();
  for (int k = 0; k < MANY / 3; k++) {
    at_case("k %d", k);
    coulomb_start(&p, "parts", 2);
    p.M[0] = 1, p.M[3] = rng_int(&r, 1, 4);
    p.F[0] = rng_int(&r, -2, 2), p.F[1] = rng_int(&r, 1, 5);
    for (int j = 0; j < 2; j++) {
      const int i = coulomb_add(&p, DLS_UNILATERAL, 1 - j, j ? 0 : 0.25 * rng_int(&r, 1, 4));
      coulomb_normal(&p, i)[1] = rng_int(&r, 1, 3);
    }
    coulomb_tangent(&p, 0, 0)[1] = small(&r, 20, 26);
    p.b_t[0] = rng_chance(&r, 0.5) ? 2 : -2;
    find_oracle();
    dls_check *check = run();
    answers_are_true(check);
    solutions_are_true(check);
    dls_check_free(check);
  }
  assert_int_equal(faults, 0);
}

// -c lambda + a tau_1 + b tau_2 = 0 with |tau| <= mu lambda and mu = c/|(a, b)|: a ray on the
// boundary of the cone, so that forces are not unique, and no polygon inside of it holds the ray.
static void ray_on_a_cone(void **state)
{
  (void)state;
  static const double triple[][3] = {{1, 0, 1}, {0, 2, 2}, {3, 4, 5}, {-5, 12, 13}, {8, -15, 17}};
  start();
  for (int k = 0; k < 5; k++) {
    at_case("k %d", k);
    coulomb_start(&p, "ray", 3);
    p.M[0] = 1, p.M[4] = 2, p.M[8] = 1, p.F[2] = 1;
    const int i = coulomb_add(&p, DLS_UNILATERAL, 2, 0.5);
    coulomb_normal(&p, i)[0] = -triple[k][2];
    coulomb_tangent(&p, i, 0)[0] = 2 * triple[k][0];
    coulomb_tangent(&p, i, 1)[0] = 2 * triple[k][1];
    dls_check *check = run();
    if (check->verdict[DLS_FORCES_UNIQUE].answer == DLS_YES) fault("forces_unique");
    if (check->solutions > 0 && check->solution[0].continuum == DLS_CONTINUUM_NONE)
      fault("continuum");
    dls_check_free(check);
  }
  assert_int_equal(faults, 0);
}

static int forget(void **state)
{
  (void)state;
  flint_cleanup();
  return 0;
}

// One contact pushes with g and rubs along h: sticking takes |tau| = g / h lambda and more, however
// far apart the lengths of g and h are.
static void lengths_far_apart(void **state)
{
  (void)state;
  rng r = rng_create(77);
  for (int k = 0; k < MANY; k++) {
    double M = 1, F = -3, b = 0, b_t = 0, xi = 0, mu = 0.5, w = 0;
    double g = ldexp(rng_int(&r, 1, 7), rng_int(&r, -60, 60));
    double h = ldexp(rng_int(&r, 1, 7), rng_int(&r, -30, 30));
    const int first[] = {0, 1};
    const bool sliding[] = {false};
    const dls_friction friction = {.tangents = 1,
                                   .first = first,
                                   .H = &h,
                                   .b_t = &b_t,
                                   .xi = &xi,
                                   .mu = &mu,
                                   .sliding = sliding,
                                   .w_n = &w,
                                   .w_t = &w};
    const dls_problem problem = {
        .n = 1, .m_u = 1, .M = &M, .F = &F, .G_u = &g, .b_u = &b, .friction = &friction};
    const dls_check_options options = dls_check_defaults();
    dls_check *check = NULL;
    dls_message message = {""};
    at_case("g = %g, h = %g", g, h);
    assert_int_equal(dls_check_run(&problem, &options, &check, &message), DLS_OK);
    const dls_limit *least = &check->limit[DLS_LIMIT_LEAST];
    if (!isnan(least->value)) assert_true(fabs(least->value - g / h) <= 1e-6 * g / h);
    definite += !isnan(least->value);
    dls_check_free(check);
  }
  assert_true(definite > 0);
}

// Two contacts oppose each other with coefficients that differ from 1 by less than the tolerance
// and more than rounding: a step is solvable, by velocities of 1 / that, and no is not the answer.
static void hardly_cancel(void **state)
{
  (void)state;
  rng r = rng_create(78);
  for (int k = 0; k < MANY; k++) {
    const double little = ldexp(1, rng_int(&r, -38, -31));
    double M[] = {5}, F[] = {0}, G[] = {-2, -0.5}, b[] = {0, 0}, H[] = {1, 0.5}, b_t[] = {0, 1};
    double xi[] = {0, -1}, mu[] = {0.75, 1 - little}, w_n[] = {0, 0}, w_t[] = {0, -2};
    const int first[] = {0, 1, 2};
    const bool sliding[] = {false, true};
    const dls_friction friction = {.tangents = 2,
                                   .first = first,
                                   .H = H,
                                   .b_t = b_t,
                                   .xi = xi,
                                   .mu = mu,
                                   .sliding = sliding,
                                   .w_n = w_n,
                                   .w_t = w_t};
    const dls_problem problem = {
        .n = 1, .m_u = 2, .M = M, .F = F, .G_u = G, .b_u = b, .friction = &friction};
    const dls_check_options options = dls_check_defaults();
    dls_check *check = NULL;
    dls_message message = {""};
    at_case("1 - mu = %g", little);
    assert_int_equal(dls_check_run(&problem, &options, &check, &message), DLS_OK);
    assert_int_not_equal(check->verdict[DLS_STEP_SOLVABLE].answer, DLS_NO);
    dls_check_free(check);
  }
}

// ---- a body that is squeezed, and pushed a little
// -------------------------------------------------

// What is squeezed may carry the push by friction or not, as far as the slip goes: accelerations
// differ by that push, whose square is nothing.
static void pushed_a_little(void **state)
{
  (void)state;
  rng r = rng_create(37);
  start();
  for (int k = 0; k < 2 * MANY; k++) {
    at_case("k %d", k);
    coulomb_start(&p, "pushed a little", 2);
    p.M[0] = ldexp(1, -rng_int(&r, 0, 3)), p.M[3] = rng_int(&r, 1, 3);
    p.F[0] = nonzero(&r, 1) * small(&r, 20, 40), p.F[1] = nonzero(&r, 5);
    coulomb_add(&p, rng_chance(&r, 0.7) ? DLS_BILATERAL : DLS_UNILATERAL, 0, 0);
    coulomb_add(&p, DLS_UNILATERAL, 1, 0.125 * rng_int(&r, 1, 8));
    coulomb_normal(&p, 0)[1] = nonzero(&r, 3), coulomb_normal(&p, 1)[1] = 0.5 * nonzero(&r, 3);
    coulomb_tangent(&p, 1, 0)[0] = 0.5 * nonzero(&r, 4);
    coulomb_tangent(&p, 1, 0)[1] = 0.5 * rng_int(&r, -3, 3);
    if (rng_chance(&r, 0.5)) p.b_t[0] = nonzero(&r, 1) * small(&r, 20, 40);
    find_oracle();
    dls_check *check = run();
    answers_are_true(check);
    solutions_are_true(check);
    dls_check_free(check);
  }
  assert_int_equal(faults, 0);
  assert_true(definite > 3 * MANY);
}

// ---- a coordinate without mass, which gradients and a slip connect
// --------------------------------

// The slip hardly moves with the mass: no unit of length for what has none.
static void unit_by_a_slip(void **state)
{
  (void)state;
  rng r = rng_create(38);
  start();
  for (int k = 0; k < 2 * MANY; k++) {
    at_case("k %d", k);
    coulomb_start(&p, "unit by a slip", 2);
    p.M[0] = rng_int(&r, 1, 3);
    p.F[0] = nonzero(&r, 3), p.F[1] = nonzero(&r, 3);
    coulomb_add(&p, DLS_UNILATERAL, 1, 0);
    coulomb_add(&p, DLS_UNILATERAL, 1, 0.5 * rng_int(&r, 1, 6));
    for (int j = 0; j < 2; j++) {
      coulomb_normal(&p, j)[0] = 3, coulomb_normal(&p, j)[1] = -1;
      coulomb_tangent(&p, j, 0)[1] = nonzero(&r, 2);
    }
    coulomb_normal(&p, 1)[0] += small(&r, 16, 24);
    coulomb_tangent(&p, 0, 0)[0] = small(&r, 30, 44);
    p.b_t[1] = nonzero(&r, 2);
    find_oracle();
    dls_check *check = run();
    answers_are_true(check);
    solutions_are_true(check);
    dls_check_free(check);
  }
  assert_int_equal(faults, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_friction),    cmocka_unit_test(two_solutions_hardly_apart),
      cmocka_unit_test(forces_of_a_part),  cmocka_unit_test(ray_on_a_cone),
      cmocka_unit_test(lengths_far_apart), cmocka_unit_test(hardly_cancel),
      cmocka_unit_test(pushed_a_little),   cmocka_unit_test(unit_by_a_slip),
  };
  return cmocka_run_group_tests(tests, NULL, forget);
}
