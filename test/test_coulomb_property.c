// The check of problems with Coulomb friction against the exact truth: thousands of small planar
// problems decided by all combinations of modes in rational arithmetic, the same problems in other
// units and orders, and spatial ones around a known solution. One wrong answer fails the test.
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
#include "coulomb_witness.h"

// How many problems of each family.
#ifdef __SANITIZE_ADDRESS__  // memory errors show on fewer problems too
enum { MANY = 20, SOME = 4, CROWDS = 3 };
#else
enum { MANY = 150, SOME = 30, CROWDS = 40 };
#endif

enum { PRINTED = 3 };  // problems printed in full per test; DLS_TEST_VERBOSE prints more

static const dls_question QUESTIONS[] = {
    DLS_ACCELERATION_EXISTS, DLS_ACCELERATION_UNIQUE, DLS_FORCES_UNIQUE, DLS_UNIQUE_FOR_EVERY_LOAD,
    DLS_CAN_ALL_STICK,       DLS_FORM_CLOSURE,        DLS_FORCE_CLOSURE};
enum { ASKED = sizeof QUESTIONS / sizeof *QUESTIONS };

typedef struct tally {
  const char *test;
  bool rewritten;  // the problem that was checked is `written`, not `drawn`
  long problems, faults;
  long answers[DLS_QUESTION_COUNT][4];
  long missing[DLS_QUESTION_COUNT];  // not answered though it makes sense
  long uncounted, unknown;           // solution_count -1; continua not known
  long unsure;                       // problems with an undecided answer
  long count[5];                     // truth: 0, 1, 2, 3, more solutions
  long continua[3];                  // truth: components of each kind
} tally;

static coulomb drawn, written;
static coulomb_oracle oracle;

static void fault(tally *t, const char *what, const char *detail)
{
  const long most = getenv("DLS_TEST_VERBOSE") ? 1000 : PRINTED;
  if (++t->faults > most) return;
  printf("FAULT in %s: %s: %s\n", t->test, what, detail);
  coulomb_print(&drawn);
  if (t->rewritten) {
    printf("written as ");
    coulomb_print(&written);
  }
}

static bool has_friction(const coulomb *p)
{
  for (int i = 0; i < p->m_b + p->m_u; i++)
    if (p->mu[i] > 0) return true;
  return false;
}

static void find_oracle(tally *t)
{
  memset(oracle.answer, 0, sizeof oracle.answer);
  coulomb_oracle_solutions(&drawn, &oracle);
  coulomb_oracle_others(&drawn, &oracle);
  t->count[oracle.count < 4 ? oracle.count : 4]++;
  for (int c = 0; c < oracle.count; c++) t->continua[oracle.continuum[c]]++;
}

static dls_check *run(tally *t, coulomb *p)
{
  const dls_problem problem = coulomb_problem(p);
  dls_check_options options = dls_check_defaults();
  options.object_size = p->objects, options.object = p->object;
  dls_check *check = NULL;
  dls_message message = {""};
  const dls_status status = dls_check_run(&problem, &options, &check, &message);
  t->problems++;
  if (status == DLS_OK && check) return check;
  fault(t, dls_status_text(status), message.text);
  return NULL;
}

// ---- the answers

// Must be answered here; elsewhere it may be.
static bool makes_sense(dls_question q)
{
  bool sticking = false;
  for (int i = 0; i < drawn.m_b + drawn.m_u; i++) sticking |= drawn.mu[i] > 0 && !drawn.sliding[i];
  if (q <= DLS_FORCES_UNIQUE) return true;
  if (!has_friction(&drawn)) return false;
  if (q == DLS_UNIQUE_FOR_EVERY_LOAD) return !sticking;
  if (q == DLS_CAN_ALL_STICK) return sticking;
  // closure: of an object that something touches, with friction where that is asked about
  for (int i = 0; i < drawn.m_b + drawn.m_u; i++)
    for (int o = 0; o < drawn.objects; o++)
      if (drawn.G[drawn.object[o] + drawn.n * i] != 0 && (q == DLS_FORM_CLOSURE || drawn.mu[i] > 0))
        return true;
  return false;
}

static bool definite(const coulomb *p)
{
  double A[COULOMB_N * COULOMB_N];
  memcpy(A, p->M, sizeof A);
  for (int k = 0; k < p->n; k++) {
    if (!(A[k + p->n * k] > 1e-9)) return false;
    for (int i = k + 1; i < p->n; i++) {
      const double factor = A[i + p->n * k] / A[k + p->n * k];
      for (int j = k; j < p->n; j++) A[i + p->n * j] -= factor * A[k + p->n * j];
    }
  }
  return true;
}

// Where undecided is expected: forces of bilateral contacts with friction are no convex cone, and
// sliding is decided on a definite mass matrix and frictionless contacts that are not redundant.
static bool may_be_open(dls_question q)
{
  int frictionless = 0;
  for (int i = 0; i < drawn.m_b; i++) frictionless += !drawn.sliding[i] || drawn.mu[i] == 0;
  if (q == DLS_FORCE_CLOSURE) return drawn.m_b > 0;
  return q == DLS_UNIQUE_FOR_EVERY_LOAD && (frictionless > 1 || !definite(&drawn));
}

static bool comparison_answers(tally *t, const dls_check *check)
{
  bool unsure = false;
  for (int k = 0; k < ASKED; k++) {
    const dls_question q = QUESTIONS[k];
    const dls_answer given = check->verdict[q].answer, true_one = oracle.answer[q];
    t->answers[q][given]++;
    unsure |= given == DLS_UNDECIDED && !may_be_open(q);
    if (given == DLS_NOT_ASKED || given == DLS_UNDECIDED || true_one == DLS_NOT_ASKED) continue;
    if (given != true_one)
      fault(t, dls_question_name(q),
            given == DLS_YES ? "WRONG: yes, true is no" : "WRONG: no, true is yes");
  }
  for (int k = 0; k < ASKED; k++)
    if (check->verdict[QUESTIONS[k]].answer == DLS_NOT_ASKED && makes_sense(QUESTIONS[k]))
      t->missing[QUESTIONS[k]]++;
  return unsure;
}

static void comparison_witnesses(tally *t, const coulomb_units *u, const dls_check *check)
{
  char text[200];
  for (int k = 0; k < ASKED && has_friction(&drawn); k++) {
    const dls_question q = QUESTIONS[k];
    const dls_verdict *v = &check->verdict[q];
    const char *why = q <= DLS_FORCES_UNIQUE  ? coulomb_witness_fault(&drawn, u, v, q)
                      : q >= DLS_FORM_CLOSURE ? coulomb_closure_fault(&drawn, u, v, q)
                                              : NULL;
    if (why == NULL) continue;
    (void)snprintf(text, sizeof text, "witness of %s: %s",
                   dls_answer_name(check->verdict[q].answer), why);
    fault(t, dls_question_name(q), text);
  }
}

// ---- the solutions

// The ends of the intervals are those of the component, to within rounding.
static void comparison_intervals(tally *t, const coulomb_units *u, const dls_solution *s,
                                 int component)
{
  const int m = drawn.m_b + drawn.m_u;
  char text[120];
  for (int f = 0; f < m + drawn.tangents; f++) {
    const double *ends[2] = {f < drawn.m_b ? s->low_b + f
                             : f < m       ? s->low_u + (f - drawn.m_b)
                                           : s->low_t + (f - m),
                             f < drawn.m_b ? s->high_b + f
                             : f < m       ? s->high_u + (f - drawn.m_b)
                                           : s->high_t + (f - m)};
    const double unit = (f < m ? u->normal[f] : u->tangent[f - m]) / (u->mass * u->time);
    const double at = unit * (f < drawn.m_b ? s->lambda_b[f]
                              : f < m       ? s->lambda_u[f - drawn.m_b]
                                            : s->tau[f - m]);
    for (int e = 0; e < 2; e++) {
      const int side = e ? 1 : -1;
      const double end = *ends[e] * unit, reach = 1e-6 * (1 + fabs(end));
      if (isnan(end)) continue;
      bool far = !(fabs(end - at) <= reach);
      if (isinf(end))
        far = !coulomb_oracle_reaches(&drawn, &oracle, component, f, side, side * 1e9);
      else if (oracle.continuum[component] != DLS_CONTINUUM_NONE)
        far = coulomb_oracle_reaches(&drawn, &oracle, component, f, side, end + side * reach) ||
              !coulomb_oracle_reaches(&drawn, &oracle, component, f, side, end - side * reach);
      (void)snprintf(text, sizeof text, "%s of force %d is not %.17g", e ? "high" : "low", f, end);
      if (far) fault(t, "interval", text);
    }
  }
}

static void comparison_solutions(tally *t, const coulomb_units *u, const dls_check *check)
{
  bool seen[ORACLE_COMPONENTS] = {0};
  const bool planar = oracle.answer[DLS_ACCELERATION_EXISTS] != DLS_NOT_ASKED;
  for (int i = 0; i < check->solutions; i++) {
    const dls_solution *s = &check->solution[i];
    const char *why = coulomb_solution_fault(&drawn, u, s);
    if (why) fault(t, "solution", why);
    if (!planar || !has_friction(&drawn)) continue;
    double z[COULOMB_N], lambda[COULOMB_M], tau[COULOMB_S];
    coulomb_plain(&drawn, u, s, z, lambda, tau);
    const int component = coulomb_oracle_place(&drawn, &oracle, z, lambda, tau, 1e-6);
    if (component < 0) {
      fault(t, "solution", "near no true one");
      continue;
    }
    // while the count is not known, what joins two solutions may not be known either
    if (seen[component] && check->solution_count >= 0) fault(t, "solution", "two of one component");
    seen[component] = true;
    t->unknown += s->continuum == DLS_CONTINUUM_UNKNOWN;
    if (s->continuum != DLS_CONTINUUM_UNKNOWN && s->continuum != oracle.continuum[component])
      fault(t, "continuum", "of the wrong kind");
    comparison_intervals(t, u, s, component);
  }
}

static void comparison_count(tally *t, const dls_check *check)
{
  char text[80];
  t->uncounted += check->solution_count < 0;
  // without friction the set of solutions is convex: one or none
  (void)snprintf(text, sizeof text, "%d, true is %d", check->solution_count, oracle.count);
  if (check->solution_count >= 0 && check->solution_count != oracle.count)
    fault(t, "solution_count", text);
  if (check->solution_count >= 0 && check->solutions > check->solution_count)
    fault(t, "solution_count", "more listed than counted");
}

static void comparison_all(tally *t, const coulomb_units *u, coulomb *p)
{
  dls_check *check = run(t, p);
  if (check == NULL) return;
  const bool unsure = comparison_answers(t, check);
  t->unsure += unsure || check->solution_count < 0;
  if ((unsure || check->solution_count < 0) && getenv("DLS_TEST_VERBOSE")) {
    printf("UNSURE in %s: %d solutions counted, true is %d\n", t->test, check->solution_count,
           oracle.count);
    coulomb_print(p);
  }
  comparison_count(t, check);
  comparison_witnesses(t, u, check);
  comparison_solutions(t, u, check);
  dls_check_free(check);
}

// Prints the counts; returns the faults. More than `percent` undecided problems is a fault.
static long close_tally(const tally *t, double percent)
{
  printf("%s: %ld problems, %ld faults, %ld unsure, %ld not counted, %ld continua not known\n",
         t->test, t->problems, t->faults, t->unsure, t->uncounted, t->unknown);
  printf("  truth: solutions 0: %ld, 1: %ld, 2: %ld, 3: %ld, more: %ld; points %ld, forces vary "
         "%ld, accelerations vary %ld\n",
         t->count[0], t->count[1], t->count[2], t->count[3], t->count[4], t->continua[0],
         t->continua[1], t->continua[2]);
  for (int k = 0; k < ASKED; k++)
    printf("  %-24s yes %6ld  no %6ld  undecided %4ld  not asked %6ld  missing %6ld\n",
           dls_question_name(QUESTIONS[k]), t->answers[QUESTIONS[k]][DLS_YES],
           t->answers[QUESTIONS[k]][DLS_NO], t->answers[QUESTIONS[k]][DLS_UNDECIDED],
           t->answers[QUESTIONS[k]][DLS_NOT_ASKED], t->missing[QUESTIONS[k]]);
  long missing = 0;
  for (int k = 0; k < ASKED; k++) missing += t->missing[QUESTIONS[k]];
  const bool many = 100.0 * (double)t->unsure > percent * (double)t->problems + 100;
  if (many) printf("too many undecided\n");
  (void)fflush(stdout);
  return t->faults + many + missing;
}

// ---- the families

typedef void family(coulomb *p, rng *r);

static family *const FAMILIES[] = {coulomb_integers,      coulomb_body,     coulomb_rod,
                                   coulomb_klein,         coulomb_known,    coulomb_redundant,
                                   coulomb_contradiction, coulomb_massless, coulomb_all_sliding};
enum { KINDS = sizeof FAMILIES / sizeof *FAMILIES };

static tally overall = {.test = "overall"};

static void add_up(const tally *t)
{
  for (int i = 0; i < 5; i++) overall.count[i] += t->count[i];
  for (int i = 0; i < 3; i++) overall.continua[i] += t->continua[i];
  overall.problems += t->problems, overall.faults += t->faults, overall.unsure += t->unsure;
  overall.uncounted += t->uncounted, overall.unknown += t->unknown;
  for (int q = 0; q < DLS_QUESTION_COUNT; q++)
    for (int a = 0; a < 4; a++) overall.answers[q][a] += t->answers[q][a];
  for (int q = 0; q < DLS_QUESTION_COUNT; q++) overall.missing[q] += t->missing[q];
}

static void answers_by_enumeration(void **state)
{
  (void)state;
  const coulomb_units same = coulomb_same_units();
  for (int kind = 0; kind < KINDS; kind++) {
    tally t = {0};
    rng r = rng_create(100 + (uint64_t)kind);
    for (int k = 0; k < MANY; k++) {
      at_case("kind %d, k %d", kind, k);
      FAMILIES[kind](&drawn, &r);
      t.test = drawn.name;
      find_oracle(&t);
      comparison_all(&t, &same, &drawn);
    }
    (void)close_tally(&t, 100);
    add_up(&t);
  }
  // the problems must ask for every kind of answer
  const long all = overall.problems;
  for (int i = 0; i < 3; i++) assert_in_range(overall.count[i], all / 40, all);
  assert_in_range(overall.count[3], all / 150, all);
  for (int i = 0; i < 3; i++) assert_in_range(overall.continua[i], all / 40, all);
  assert_int_equal(close_tally(&overall, 2), 0);
}

// A body with four or five contacts at rest: hundreds of polyhedra hold solutions, most of them
// faces of one another.
static void crowded(void **state)
{
  (void)state;
  const coulomb_units same = coulomb_same_units();
  tally t = {.test = "crowded"};
  rng r = rng_create(1);
  for (int k = 0; k < CROWDS; k++) {
    at_case("k %d", k);
    coulomb_crowded(&drawn, &r);
    find_oracle(&t);
    comparison_all(&t, &same, &drawn);
  }
  assert_int_equal(close_tally(&t, 0), 0);
}

// Gradients that differ by 2^-8 ... 2^-16: accelerations of up to 1e5 loads, forces of up to their
// square. Some of it stays undecided; nothing that is said is wrong.
static void parallel(const char *name, uint64_t seed, int least, int most, int unsure)
{
  tally t = {.test = name};
  rng r = rng_create(seed);
  for (int k = 0; k < 2 * MANY; k++) {
    at_case("k %d", k);
    coulomb_nearly(&drawn, &r, least, most);
    find_oracle(&t);
    dls_check *check = run(&t, &drawn);
    if (!check) continue;
    t.unsure += comparison_answers(&t, check) || check->solution_count < 0;
    comparison_count(&t, check);
    dls_check_free(check);
  }
  assert_int_equal(close_tally(&t, unsure), 0);
}

static void nearly_parallel(void **state)
{
  (void)state;
  parallel("nearly parallel", 2, 8, 16, 40);
}

// The same with 2^-17 ... 2^-40, down to where rounding begins: between its bound and the tolerance
// nothing is said that is not true of the data as they are.                         eq (num.1)
static void parallel_but_for_a_little(void **state)
{
  (void)state;
  parallel("parallel but for a little", 11, 17, 40, 90);
  parallel("parallel but for less", 12, 27, 40, 90);
  parallel("hardly apart", 13, 36, 40, 90);
}

// ---- the same problem, written otherwise

static bool vanishes(const double *column, int n)
{
  for (int j = 0; j < n; j++)
    if (column[j] != 0) return false;
  return true;
}

// A contact without gradient or slip direction has a force without effect, and without a unit.
static bool all_act(const coulomb *p)
{
  for (int i = 0; i < p->m_b + p->m_u; i++)
    if (vanishes(p->G + p->n * i, p->n)) return false;
  for (int k = 0; k < p->tangents; k++)
    if (vanishes(p->H + p->n * k, p->n)) return false;
  return true;
}

// percent: of the problems that may be undecided. Units that are no powers of two round the data,
// and what lay on a border before may then lie on either side of it.
static void other_units(const char *name, uint64_t seed, double base, int most, double percent)
{
  tally t = {.test = name, .rewritten = true};
  rng r = rng_create(seed);
  for (int k = 0; k < SOME * KINDS; k++) {
    at_case("k %d", k);
    coulomb_units u;
    FAMILIES[k % KINDS](&drawn, &r);
    if (most > 4 && !all_act(&drawn)) continue;
    find_oracle(&t);
    coulomb_draw_units(&drawn, &r, base, most, &u);
    coulomb_rescale(&drawn, &u, &written);
    comparison_all(&t, &u, &written);
  }
  assert_int_equal(close_tally(&t, percent), 0);
}

static void powers_of_two(void **state)
{
  (void)state;
  other_units("powers of two", 200, 2, 12, 4);
}

static void powers_of_ten(void **state)
{
  (void)state;
  other_units("powers of ten", 201, 10, 4, 8);
}

static void far_units(void **state)
{
  (void)state;
  other_units("powers of ten, far", 202, 10, 8, 8);
}

static void other_order(void **state)
{
  (void)state;
  tally t = {.test = "permutations"};
  const coulomb_units same = coulomb_same_units();
  rng r = rng_create(203);
  for (int k = 0; k < SOME * KINDS; k++) {
    at_case("k %d", k);
    FAMILIES[k % KINDS](&drawn, &r);
    find_oracle(&t);
    const dls_answer exists = oracle.answer[DLS_ACCELERATION_EXISTS];
    const int count = oracle.count;
    coulomb_permute(&drawn, &r, &written);
    drawn = written;
    find_oracle(&t);
    assert_int_equal(oracle.count, count);
    assert_int_equal(oracle.answer[DLS_ACCELERATION_EXISTS], exists);
    comparison_all(&t, &same, &drawn);
  }
  assert_int_equal(close_tally(&t, 2), 0);
}

// ---- spatial: a solution is known, so none of them may be denied

static void spatial_with_a_solution(void **state)
{
  (void)state;
  tally t = {.test = "spatial"};
  const coulomb_units same = coulomb_same_units();
  rng r = rng_create(300);
  for (int k = 0; k < MANY; k++) {
    at_case("k %d", k);
    coulomb_spatial(&drawn, &r);
    memset(&oracle, 0, sizeof oracle);
    dls_check *check = run(&t, &drawn);
    if (check == NULL) continue;
    t.unsure += comparison_answers(&t, check);
    comparison_witnesses(&t, &same, check);
    comparison_solutions(&t, &same, check);
    if (check->verdict[DLS_ACCELERATION_EXISTS].answer == DLS_NO || check->solution_count == 0)
      fault(&t, "acceleration_exists", "WRONG: no, a solution was drawn");
    dls_check_free(check);
  }
  assert_int_equal(close_tally(&t, 100), 0);
}

static int clean_up(void **state)
{
  (void)state;
  flint_cleanup();
  return 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(answers_by_enumeration),
      cmocka_unit_test(crowded),
      cmocka_unit_test(parallel_but_for_a_little),
      cmocka_unit_test(nearly_parallel),
      cmocka_unit_test(powers_of_two),
      cmocka_unit_test(powers_of_ten),
      cmocka_unit_test(far_units),
      cmocka_unit_test(other_order),
      cmocka_unit_test(spatial_with_a_solution),
  };
  return cmocka_run_group_tests(tests, NULL, clean_up);
}
