// The check of the frictionless problem on problems with known answers: thousands made by
// construction, thousands decided by enumeration in exact arithmetic, and the same answers in
// other coordinates and units. One wrong answer fails the test.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

#include "comparison.h"
#include "problem_oracle.h"
#include "witness.h"

// How many problems of each kind. The whole file takes about half a minute.
#ifdef __SANITIZE_ADDRESS__  // memory errors show on fewer problems too
enum { MANY = 300, SOME = 80, FEW = 12 };
#else
enum { MANY = 1500, SOME = 400, FEW = 60 };
#endif

static maker made;

static void comparison_made(comparison *j)
{
  dls_check *check = comparison_run(j, &made);
  if (check != NULL) comparison_check(j, &made, check);
  dls_check_free(check);
}

// ---- direct sums of parts

static void each_part_alone(void **state)
{
  (void)state;
  comparison j = {.test = "parts"};
  for (int k = 0; k < maker_part_count(); k++) {
    at_case("k %d", k);
    maker_empty(&made);
    maker_add_part(&made, k);
    comparison_made(&j);
  }
  assert_int_equal(comparison_close(&j), 0);
}

static void pairs_of_parts(void **state)
{
  (void)state;
  comparison j = {.test = "pairs"};
  rng r = rng_create(1);
  for (int k = 0; k < maker_part_count(); k++) {
    for (int l = 0; l <= k; l++) {
      at_case("k %d, l %d", k, l);
      maker_empty(&made);
      maker_add_part(&made, k);
      maker_add_part(&made, l);
      maker_mix_exact(&made, &r);
      comparison_made(&j);
    }
  }
  assert_int_equal(comparison_close(&j), 0);
}

static void sums_of_parts(void **state)
{
  (void)state;
  comparison j = {.test = "sums, mixed exactly"};
  rng r = rng_create(2);
  for (int k = 0; k < MANY; k++) {
    at_case("k %d", k);
    maker_sum(&made, &r, rng_int(&r, 1, 7), rng_int(&r, 0, 3));
    maker_mix_exact(&made, &r);
    comparison_made(&j);
  }
  assert_int_equal(comparison_close(&j), 0);
}

static void sums_mixed_generically(void **state)
{
  (void)state;
  comparison j = {.test = "sums, mixed by reflections"};
  rng r = rng_create(3);
  for (int k = 0; k < MANY; k++) {
    at_case("k %d", k);
    maker_sum(&made, &r, rng_int(&r, 1, 7), rng_int(&r, 0, 3));
    maker_mix_generic(&made, &r);
    comparison_made(&j);
  }
  assert_int_equal(comparison_close(&j), 0);
}

// ---- random families

static void family(const char *name, uint64_t seed, int count, int largest, bool generic)
{
  comparison j = {.test = name};
  rng r = rng_create(seed);
  for (int k = 0; k < count; k++) {
    at_case("k %d", k);
    int n = rng_int(&r, 1, largest), m_b = rng_int(&r, 0, largest), m_u = rng_int(&r, 0, largest);
    int rank = rng_chance(&r, 0.4) ? n : rng_int(&r, 0, n);
    if (rng_chance(&r, 0.6)) m_b = rng_int(&r, 0, n / 2);
    switch (k % 4) {
    case 0: maker_feasible(&made, &r, n, m_b, m_u, rank); break;
    case 1: maker_contradiction(&made, &r, n, m_b, m_u + (m_b == 0), rank); break;
    case 2: maker_push(&made, &r, n, m_b, m_u); break;
    default: maker_mfcq(&made, &r, n, m_b, m_u); break;
    }
    if (generic) maker_mix_generic(&made, &r);
    else maker_mix_exact(&made, &r);
    comparison_made(&j);
  }
  assert_int_equal(comparison_close(&j), 0);
}

static void families_exact(void **state)
{
  (void)state;
  family("families, mixed exactly", 4, 2 * MANY, 12, false);
}

static void families_generic(void **state)
{
  (void)state;
  family("families, mixed by reflections", 5, 2 * MANY, 12, true);
}

static void families_large(void **state)
{
  (void)state;
  family("families, large", 6, FEW, 40, false);
}

static void real_problems(void **state)
{
  (void)state;
  comparison j = {.test = "real numbers"};
  rng r = rng_create(7);
  for (int k = 0; k < MANY; k++) {
    at_case("k %d", k);
    int n = rng_int(&r, 1, 12), m_b = rng_int(&r, 0, n), m_u = rng_int(&r, 0, 12);
    maker_real(&made, &r, n, m_b, m_u);
    comparison_made(&j);
  }
  assert_int_equal(comparison_close(&j), 0);
}

// ---- no construction at all: the truth by enumeration

static void small_integers_by_enumeration(void **state)
{
  (void)state;
  comparison j = {.test = "small integers"};
  rng r = rng_create(8);
  int given_up = 0;
  for (int k = 0; k < 2 * MANY; k++) {
    at_case("k %d", k);
    int n = rng_int(&r, 1, 5), m_b = rng_int(&r, 0, 3), m_u = rng_int(&r, 0, 6);
    int rank = rng_chance(&r, 0.3) ? n : rng_int(&r, 0, n);
    if (k % 2) maker_feasible(&made, &r, n, m_b, m_u, rank);
    else maker_random(&made, &r, n, m_b, m_u, rank);
    dls_check *check = comparison_run(&j, &made);
    if (check == NULL) continue;
    bool decided = oracle_without_solution(&made);
    const dls_solution *s = check->solution;
    if (decided && made.answer[DLS_ACCELERATION_EXISTS] == DLS_YES && s != NULL)
      decided = oracle_with_solution(&made, s->acceleration, s->lambda_u);
    given_up += !decided;
    comparison_check(&j, &made, check);
    dls_check_free(check);
  }
  printf("given up: %d\n", given_up);
  assert_in_range(given_up, 0, MANY / 20);
  assert_int_equal(comparison_close(&j), 0);
}

static void intervals_and_least_norm_by_vertices(void **state)
{
  (void)state;
  comparison j = {.test = "intervals by vertices"};
  rng r = rng_create(9);
  int checked = 0;
  for (int k = 0; k < MANY; k++) {
    at_case("k %d", k);
    int n = rng_int(&r, 1, 5), m_b = rng_int(&r, 0, 3), m_u = rng_int(&r, 1, 7);
    maker_feasible(&made, &r, n, m_b, m_u, rng_int(&r, 0, n));
    dls_check *check = comparison_run(&j, &made);
    bool least = true;
    if (check != NULL && check->solution != NULL &&
        oracle_intervals(&made, check->solution->lambda_b, check->solution->lambda_u, &least)) {
      checked++;
      if (!least) comparison_fault(&j, &made, "multipliers", "not of least norm");
    }
    if (check != NULL) comparison_check(&j, &made, check);
    dls_check_free(check);
  }
  printf("intervals of %d problems\n", checked);
  assert_in_range(checked, MANY * 9 / 10, MANY);
  assert_int_equal(comparison_close(&j), 0);
}

static void accelerations_by_active_sets(void **state)
{
  (void)state;
  comparison j = {.test = "active sets"};
  rng r = rng_create(10);
  int found = 0;
  for (int k = 0; k < MANY; k++) {
    at_case("k %d", k);
    int n = rng_int(&r, 1, 8), m_b = rng_int(&r, 0, n - 1), m_u = rng_int(&r, 1, 8);
    maker_real(&made, &r, n, m_b, m_u);
    // another load: the drawn solution is no longer one, and none may exist
    for (int i = 0; i < n; i++) made.F[i] = 3 * rng_real(&r);
    if (k % 2)
      for (int i = 0; i < m_u; i++) made.b_u[i] = 2 * rng_real(&r);
    made.has_solution = false;
    made.answer[DLS_FORCES_UNIQUE] = ANSWER_UNKNOWN;
    double z[MAKER_N];
    bool exists = brute_force(&made, z);
    made.answer[DLS_ACCELERATION_EXISTS] = exists ? DLS_YES : DLS_NO;
    made.answer[DLS_ACCELERATION_UNIQUE] = exists ? DLS_YES : DLS_NO;
    if (!exists) made.answer[DLS_FORCES_UNIQUE] = DLS_NO;
    dls_check *check = comparison_run(&j, &made);
    if (check != NULL) comparison_check(&j, &made, check);
    if (check != NULL && check->solution != NULL)
      comparison_acceleration(&j, &made, check, z, 1e-9);
    found += exists;
    dls_check_free(check);
  }
  printf("active sets: %d exist, %d do not\n", found, MANY - found);
  assert_in_range(found, MANY / 4, MANY - 1);
  assert_int_equal(comparison_close(&j), 0);
}

// ---- the same problem in other coordinates and units

typedef void change(maker *p, rng *r);

static void change_shear(maker *p, rng *r)
{
  maker_mix_generic(p, r);
}

static double power(rng *r, int most)
{
  return pow(10, rng_int(r, -most, most));
}

static void change_coordinate_units(maker *p, rng *r)
{
  for (int i = 0; i < p->n; i++) maker_scale_coordinate(p, i, power(r, 8));
}

static void change_constraint_units(maker *p, rng *r)
{
  for (int i = 0; i < p->m_b; i++)
    maker_scale_bilateral(p, i, power(r, 8) * (rng_chance(r, 0.5) ? -1 : 1));
  for (int i = 0; i < p->m_u; i++) maker_scale_unilateral(p, i, power(r, 8));
}

static void change_mass_unit(maker *p, rng *r)
{
  maker_mass_unit(p, power(r, 8));
}

static void change_time_unit(maker *p, rng *r)
{
  maker_time_unit(p, power(r, 8));
}

static void change_all_units(maker *p, rng *r)
{
  change_coordinate_units(p, r);
  change_constraint_units(p, r);
  change_mass_unit(p, r);
  change_time_unit(p, r);
}

// Takes over what the check found where nothing better is known, so that the change carries it
// along.
static void adopt(maker *p, const dls_check *check)
{
  const dls_solution *s = check->solution;
  for (int q = 0; q < MADE_QUESTIONS; q++) {
    dls_answer a = check->verdict[q].answer;
    if (p->answer[q] == ANSWER_UNKNOWN && (a == DLS_YES || a == DLS_NO)) p->answer[q] = (int)a;
  }
  if (s == NULL) return;
  if (!p->has_solution || p->answer[DLS_ACCELERATION_UNIQUE] != DLS_YES)
    memcpy(p->z, s->acceleration, (size_t)p->n * sizeof *p->z);
  p->has_solution = true;
  // the least norm depends on the units: the drawn multipliers say nothing any more
  for (int i = 0; i < p->m_b; i++) p->lambda_b[i] = INFINITY;
  for (int i = 0; i < p->m_u; i++) p->lambda_u[i] = INFINITY;
  if (p->has_intervals && p->has_intervals_b) return;
  p->has_intervals = p->has_intervals_b = true;
  memcpy(p->low_b, s->low_b, (size_t)p->m_b * sizeof *p->z);
  memcpy(p->high_b, s->high_b, (size_t)p->m_b * sizeof *p->z);
  memcpy(p->low_u, s->low_u, (size_t)p->m_u * sizeof *p->z);
  memcpy(p->high_u, s->high_u, (size_t)p->m_u * sizeof *p->z);
}

static void draw_any(rng *r, int k)
{
  int n = rng_int(r, 1, 8), m_b = rng_int(r, 0, n / 2), m_u = rng_int(r, 0, 8);
  switch (k % 5) {
  case 0: maker_feasible(&made, r, n, m_b, m_u, rng_int(r, 0, n)); break;
  case 1: maker_contradiction(&made, r, n, m_b, m_u + 1, rng_int(r, 0, n)); break;
  case 2: maker_push(&made, r, n, m_b, m_u); break;
  case 3: maker_real(&made, r, n, m_b, m_u); break;
  default: maker_sum(&made, r, rng_int(r, 1, 5), 2); break;
  }
}

static void invariance(const char *name, uint64_t seed, change *apply)
{
  comparison j = {.test = name};
  rng r = rng_create(seed);
  for (int k = 0; k < SOME; k++) {
    at_case("k %d", k);
    draw_any(&r, k);
    dls_check *check = comparison_run(&j, &made);
    if (check == NULL) continue;
    comparison_check(&j, &made, check);
    adopt(&made, check);
    dls_check_free(check);
    apply(&made, &r);
    comparison_made(&j);
  }
  assert_int_equal(comparison_close(&j), 0);
}

static void other_order(void **state)
{
  (void)state;
  invariance("permutations", 11, maker_permute);
}

static void other_coordinates(void **state)
{
  (void)state;
  invariance("other coordinates", 12, change_shear);
}

static void other_coordinate_units(void **state)
{
  (void)state;
  invariance("coordinate units", 13, change_coordinate_units);
}

static void other_constraint_units(void **state)
{
  (void)state;
  invariance("constraint units", 14, change_constraint_units);
}

static void other_mass_unit(void **state)
{
  (void)state;
  invariance("mass unit", 15, change_mass_unit);
}

static void other_time_unit(void **state)
{
  (void)state;
  invariance("time unit", 16, change_time_unit);
}

static void other_units(void **state)
{
  (void)state;
  invariance("all units", 17, change_all_units);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_part_alone),
      cmocka_unit_test(pairs_of_parts),
      cmocka_unit_test(sums_of_parts),
      cmocka_unit_test(sums_mixed_generically),
      cmocka_unit_test(families_exact),
      cmocka_unit_test(families_generic),
      cmocka_unit_test(families_large),
      cmocka_unit_test(real_problems),
      cmocka_unit_test(small_integers_by_enumeration),
      cmocka_unit_test(intervals_and_least_norm_by_vertices),
      cmocka_unit_test(accelerations_by_active_sets),
      cmocka_unit_test(other_order),
      cmocka_unit_test(other_coordinates),
      cmocka_unit_test(other_coordinate_units),
      cmocka_unit_test(other_constraint_units),
      cmocka_unit_test(other_mass_unit),
      cmocka_unit_test(other_time_unit),
      cmocka_unit_test(other_units),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
