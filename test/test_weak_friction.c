// Friction so weak that there is one solution only, eq (fri.11): by enumeration of all modes, by
// the closed form of a ball on a plane; and everything at rest in space, however many contacts
// there are.
#include "verify_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

#include <flint/flint.h>

#include "coulomb_oracle.h"

static const char *answer_of(const subject *s, const char *question)
{
  const json_t *verdict = json_object_get(json_object_get(s->report, "verdicts"), question);
  return json_string_value(json_object_get(verdict, "answer"));
}

static bool is_weak(const subject *s, const char *question)
{
  const json_t *verdict = json_object_get(json_object_get(s->report, "verdicts"), question);
  const json_t *witness = json_object_get(verdict, "witness");
  return strcmp(answer_of(s, question), "yes") == 0 && json_object_get(witness, "weight_u");
}

static void holds(const subject *s, const char *claim)
{
  const dls_found found = found_of(s, claim);
  if (found != DLS_FOUND_HOLDS) fail_msg("%s does not hold", claim);
}

// ---- against all combinations of modes
// -----------------------------------------------------------

static coulomb drawn;
static coulomb_oracle oracle;

// The tree of modes may have one node: what is decided is decided by the strength of friction.
static bool says_one(void)
{
  const dls_problem problem = coulomb_problem(&drawn);
  dls_check_options options = dls_check_defaults();
  options.max_modes = 1;
  dls_check *check = NULL;
  assert_int_equal(dls_check_run(&problem, &options, &check, NULL), DLS_OK);
  const dls_verdict *unique = &check->verdict[DLS_ACCELERATION_UNIQUE];
  const bool one = unique->answer == DLS_YES && unique->by && strstr(unique->by, "weak");
  if (one) {
    assert_int_equal(check->verdict[DLS_FORCES_UNIQUE].answer, DLS_YES);
    assert_int_equal(check->solution_count, 1);
  }
  dls_check_free(check);
  return one;
}

static void by_enumeration(void **unused)
{
  (void)unused;
  void (*const family[])(coulomb *, rng *) = {
      coulomb_integers, coulomb_body,      coulomb_rod,      coulomb_klein,
      coulomb_known,    coulomb_redundant, coulomb_massless, coulomb_all_sliding};
  rng r = rng_create(41);
  int ones = 0, others = 0;
  for (int k = 0; k < 1200; k++) {
    at_case("k %d", k);
    family[k % (int)(sizeof family / sizeof *family)](&drawn, &r);
    // weaker friction than the families have, to be told weak at times
    for (int j = 0; j < drawn.m_b + drawn.m_u; j++) drawn.mu[j] *= ldexp(1, -rng_int(&r, 0, 4));
    if (!says_one()) {
      others++;
      continue;
    }
    memset(oracle.answer, 0, sizeof oracle.answer);
    coulomb_oracle_solutions(&drawn, &oracle);
    assert_int_equal(oracle.count, 1);
    assert_int_equal(oracle.answer[DLS_ACCELERATION_UNIQUE], DLS_YES);
    assert_int_equal(oracle.answer[DLS_FORCES_UNIQUE], DLS_YES);
    ones++;
  }
  assert_true(ones > 100 && others > 100);
}

// ---- a ball on a plane that is pushed
// ------------------------------------------------------------

// W_nn = 1/m and W_tt = 7/(2m) have nothing to do with each other: weak is mu^2 7/2 < 4.
static void ball(void **unused)
{
  (void)unused;
  static const char text[] = "parameter mu = 0.5\ngravity 3, 1, -9.81\n"
                             "fixed ground { plane 0, 0, 1 }\n"
                             "body ball { sphere 0.1; mass 2; position 0, 0, 0.1 }\n"
                             "contact * * { friction mu }\n";
  const double least = sqrt(8.0 / 7);
  static const double part[] = {0.01, 0.5, 0.999, 1.001, 2};
  for (int k = 0; k < 5; k++) {
    char set[40];
    snprintf(set, sizeof set, "mu=%.17g", part[k] * least);
    at_case("%s", set);
    subject s = ask_about(text, set, NULL);
    assert_true(is_weak(&s, "acceleration_unique") == (part[k] < 1));
    assert_true(is_weak(&s, "forces_unique") == (part[k] < 1));
    if (part[k] < 1) {
      holds(&s, "verdicts.acceleration_unique"), holds(&s, "verdicts.forces_unique");
      holds(&s, "solution_count"), holds(&s, "continuum.1");
    } else {
      assert_string_equal(answer_of(&s, "acceleration_unique"), "undecided");
    }
    close_subject(&s);
  }
}

// Weights that show nothing, and a claim without weakness.
static void forged(void **unused)
{
  (void)unused;
  static const char text[] = "parameter mu = 0.5\ncoordinate x, y, z\n"
                             "kinetic (x'^2 + y'^2 + z'^2)/2\nforce x = 3, y = 1, z = -2\n"
                             "unilateral c: z >= 0 { slip x', y'; friction mu }\n";
  static const char *const weights[] = {"0", "-4", "0.49", "8.1", "1e300"};
  subject s = ask_about(text, NULL, NULL);
  assert_true(is_weak(&s, "acceleration_unique"));
  for (int k = 0; k < 5; k++) {
    at_case("weight %s", weights[k]);
    put_value(s.report, WITNESS("acceleration_unique") "/weight_u/c", weights[k]);
    assert_int_equal(found_of(&s, "verdicts.acceleration_unique"), DLS_FOUND_FAILS);
  }
  put_value(s.report, WITNESS("acceleration_unique") "/weight_u/c", "0.51");  // 1/2 < k < 8
  assert_int_equal(found_of(&s, "verdicts.acceleration_unique"), DLS_FOUND_HOLDS);
  put_value(s.report, WITNESS("acceleration_unique") "/weight_u/c", "7.9");
  assert_int_equal(found_of(&s, "verdicts.acceleration_unique"), DLS_FOUND_HOLDS);
  close_subject(&s);
}

// Static friction above that of sliding: what sticks may as well slide, and this proves nothing.
static void not_static(void **unused)
{
  (void)unused;
  static const char text[] = "coordinate x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\n"
                             "force x = 0.8, z = -2\n"
                             "unilateral c: z >= 0 { slip x', y'; friction 0.3; static 0.5 }\n";
  subject s = ask_about(text, NULL, NULL);
  assert_string_not_equal(answer_of(&s, "acceleration_unique"), "yes");
  close_subject(&s);
}

// ---- stacks of boxes at rest
// ---------------------------------------------------------------------

static void stack_of_boxes(void **unused)
{
  (void)unused;
  for (int boxes = 1; boxes <= 4; boxes++) {
    char text[2000], *end = text;
    at_case("boxes %d", boxes);
    end += sprintf(end, "gravity 0, 0, -9.81\nfixed ground { plane 0, 0, 1 }\n");
    for (int i = 0; i < boxes; i++)
      end += sprintf(end, "body b%d { box 0.4, 0.3, 0.2; mass %d; position 0, 0, %g }\n", i, 1 + i,
                     0.1 + 0.2 * i);
    sprintf(end, "contact * * { friction 0.5 }\n");
    subject s = ask_about(text, NULL, NULL);
    assert_string_equal(answer_of(&s, "acceleration_unique"), "yes");
    assert_string_equal(answer_of(&s, "forces_unique"), "no");
    holds(&s, "verdicts.acceleration_unique"), holds(&s, "verdicts.forces_unique");
    holds(&s, "solution_count"), holds(&s, "continuum.1");
    close_subject(&s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(by_enumeration), cmocka_unit_test(ball),
                                     cmocka_unit_test(forged), cmocka_unit_test(not_static),
                                     cmocka_unit_test(stack_of_boxes)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  flint_cleanup_master();
  return failed;
}
