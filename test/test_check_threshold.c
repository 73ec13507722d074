// Problems at a distance eps from the other answer: while eps falls from 1e-3 to 1e-15 the answer
// may go from the true one to undecided, and to the other one only at the level of rounding.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "cases.h"

#include "numbers.h"
#include "comparison.h"
#include "witness.h"

// From CLEAR up the true answer must be given, from ROUNDING up the other one must not.
static const double CLEAR = 1e-6, ROUNDING = 1e-12;

static maker made;

typedef struct sweep {
  const char *name;
  void (*build)(double eps);
  dls_question question;
  dls_answer oracle;  // for eps > 0
  bool other_at_zero;
  double clear;  // CLEAR where 0: the margin may be eps^2
} sweep;

static void start(int n, int m_b, int m_u)
{
  made = (maker){.n = n, .m_b = m_b, .m_u = m_u};
  for (int i = 0; i < n; i++) made.M[i + i * n] = 1;
}

static void nearly_parallel(double eps)
{
  start(2, 0, 2);
  made.F[0] = 1;
  made.G_u[0] = made.G_u[2] = 1, made.G_u[3] = eps;
}

static void nearly_parallel_bilateral(double eps)
{
  start(3, 2, 1);
  made.F[0] = 1;
  made.G_b[0] = made.G_b[3] = 1, made.G_b[4] = eps;
  made.G_u[2] = 1;
}

static void nearly_dependent_three(double eps)
{
  start(3, 1, 2);
  made.F[2] = 1;
  made.G_b[0] = 1;
  made.G_u[1] = 1;
  made.G_u[3] = made.G_u[4] = 1, made.G_u[5] = eps;
}

static void nearly_singular_mass(double eps)
{
  start(2, 0, 0);
  made.F[0] = made.F[1] = 1;
  made.M[1] = made.M[2] = 1 - eps;
}

static void nearly_opposite(double eps)
{
  start(2, 0, 2);
  made.G_u[0] = 1, made.G_u[1] = eps;
  made.G_u[2] = -1, made.G_u[3] = eps;
}

// 1, 1, eps are multipliers that cancel
static void nearly_open_cage(double eps)
{
  start(2, 0, 3);
  made.G_u[0] = 1;
  made.G_u[2] = -1, made.G_u[3] = eps;
  made.G_u[5] = -1;
}

// 1 <= z <= 1 - eps
static void nearly_compatible_planes(double eps)
{
  start(1, 0, 2);
  made.G_u[0] = 1, made.G_u[1] = -1;
  made.b_u[0] = -1, made.b_u[1] = 1 - eps;
}

// 1 <= z <= 1 + eps, pressed against the first
static void narrow_gap(double eps)
{
  start(1, 0, 2);
  made.F[0] = 1;
  made.G_u[0] = 1, made.G_u[1] = -1;
  made.b_u[0] = -1, made.b_u[1] = 1 + eps;
}

static void nearly_compatible_guides(double eps)
{
  start(2, 2, 0);
  made.G_b[0] = made.G_b[2] = 1;
  made.b_b[0] = 1, made.b_b[1] = 1 + eps;
}

static void nearly_balanced_massless(double eps)
{
  start(2, 0, 0);
  made.M[1] = made.M[2] = 1;
  made.F[0] = 1, made.F[1] = 1 + eps;
}

static void hardly_pushed_massless(double eps)
{
  start(2, 0, 1);
  made.M[3] = 0;
  made.F[0] = 1, made.F[1] = -eps;
  made.G_u[1] = 1;
}

static void hardly_held_massless(double eps)
{
  start(2, 1, 0);
  made.M[1] = made.M[2] = 1;
  made.F[0] = 1, made.F[1] = 1 - eps;
  made.G_b[0] = 1, made.G_b[1] = 1 - eps;  // nearly blind for the massless direction (1, -1)
}

// two equal contacts, one of them open by eps
static void hardly_open(double eps)
{
  start(1, 0, 2);
  made.F[0] = 1;
  made.G_u[0] = made.G_u[1] = 1;
  made.b_u[0] = -1, made.b_u[1] = -1 + eps;
}

static const sweep sweeps[] = {
    {"parallel", nearly_parallel, DLS_CONSTRAINTS_INDEPENDENT, DLS_YES, true, 0},
    {"parallel", nearly_parallel, DLS_DELASSUS_DEFINITE, DLS_YES, true, 0},
    {"parallel", nearly_parallel, DLS_FORCES_UNIQUE, DLS_YES, true, 0},
    {"parallel", nearly_parallel, DLS_MFCQ, DLS_YES, false, 0},
    {"parallel", nearly_parallel, DLS_ACCELERATION_UNIQUE, DLS_YES, false, 0},
    {"bilateral", nearly_parallel_bilateral, DLS_CONSTRAINTS_INDEPENDENT, DLS_YES, true, 0},
    {"bilateral", nearly_parallel_bilateral, DLS_FORCES_UNIQUE, DLS_YES, true, 0},
    {"bilateral", nearly_parallel_bilateral, DLS_CONSTRAINTS_COMPATIBLE, DLS_YES, false, 0},
    {"bilateral", nearly_parallel_bilateral, DLS_DELASSUS_DEFINITE, DLS_YES, false, 0},
    {"three", nearly_dependent_three, DLS_CONSTRAINTS_INDEPENDENT, DLS_YES, true, 0},
    {"three", nearly_dependent_three, DLS_DELASSUS_DEFINITE, DLS_YES, true, 0},
    {"mass", nearly_singular_mass, DLS_MASS_DEFINITE, DLS_YES, true, 0},
    {"mass", nearly_singular_mass, DLS_ACCELERATION_EXISTS, DLS_YES, false, 0},
    {"mass", nearly_singular_mass, DLS_ACCELERATION_UNIQUE, DLS_YES, true, 0},
    {"opposite", nearly_opposite, DLS_MFCQ, DLS_YES, true, 0},
    {"cage", nearly_open_cage, DLS_MFCQ, DLS_NO, false, 0},
    {"planes", nearly_compatible_planes, DLS_ACCELERATION_EXISTS, DLS_NO, true, 0},
    {"gap", narrow_gap, DLS_ACCELERATION_EXISTS, DLS_YES, false, 0},
    {"gap", narrow_gap, DLS_FORCES_UNIQUE, DLS_YES, true, 0},
    {"guides", nearly_compatible_guides, DLS_CONSTRAINTS_COMPATIBLE, DLS_NO, true, 0},
    {"guides", nearly_compatible_guides, DLS_ACCELERATION_EXISTS, DLS_NO, true, 0},
    {"balanced", nearly_balanced_massless, DLS_ACCELERATION_EXISTS, DLS_NO, true, 0},
    {"pushed", hardly_pushed_massless, DLS_ACCELERATION_EXISTS, DLS_NO, true, 0},
    {"held", hardly_held_massless, DLS_ACCELERATION_UNIQUE, DLS_YES, true, 1e-4},
    {"open", hardly_open, DLS_FORCES_UNIQUE, DLS_YES, true, 0},
};

static int stage(dls_answer given, dls_answer oracle)
{
  return given == oracle ? 0 : given == DLS_UNDECIDED ? 1 : 2;
}

// In the coordinates as they are (turn 0) or after a mix.
static dls_check *check_at(const sweep *s, double eps, int turn, comparison *j)
{
  s->build(eps);
  rng r = rng_create((uint64_t)turn);
  if (turn % 2) maker_permute(&made, &r);
  if (turn > 1) maker_mix_generic(&made, &r);
  (void)snprintf(made.name, sizeof made.name, "%s, eps %g, turn %d", s->name, eps, turn);
  return comparison_run(j, &made);
}

static void answer_turns_in_order(void **state)
{
  (void)state;
  comparison j = {.test = "thresholds", .allow_undecided = true};
  long stages[3] = {0};
  for (size_t k = 0; k < sizeof sweeps / sizeof sweeps[0]; k++) {
    const sweep *s = &sweeps[k];
    const char *name = dls_question_name(s->question);
    for (int turn = 0; turn < TRIED(12); turn++) {
      int last = 0;
      for (int e = 6; e <= 31; e++) {
        at_case("%s, turn %d, e %d", name, turn, e);
        double eps = e == 31 ? 0 : pow(10, -e / 2.0);
        dls_check *check = check_at(s, eps, turn, &j);
        if (check == NULL) continue;
        dls_answer given = check->verdict[s->question].answer;
        int now = stage(given, s->oracle);
        const char *fault = witness_fault(check, s->question);
        j.answers[s->question][given]++;
        stages[now]++;
        if (fault) comparison_fault(&j, &made, name, fault);
        if (given == DLS_NOT_ASKED) {
          comparison_fault(&j, &made, name, "not answered");
          now = 1;
        }
        if (eps >= (s->clear > 0 ? s->clear : CLEAR) && now != 0)
          comparison_fault(&j, &made, name, "not the true answer");
        if (eps >= ROUNDING && now == 2) comparison_fault(&j, &made, name, "WRONG");
        // back to the true answer is fine: a rank may be clear again on the far side of doubt
        if (turn == 0 && eps > 0 && now == 1 && last == 2)
          comparison_fault(&j, &made, name, "turns back");
        if (eps == 0 && turn == 0 && (now == 2) != s->other_at_zero)
          comparison_fault(&j, &made, name, "wrong at eps = 0");
        last = now;
        dls_check_free(check);
      }
    }
  }
  printf("true %ld, undecided %ld, other %ld\n", stages[0], stages[1], stages[2]);
  assert_int_equal(comparison_close(&j), 0);
}

// Small numbers that only units make small are no reason for doubt.
static void units_are_no_threshold(void **state)
{
  (void)state;
  comparison j = {.test = "units"};
  for (int e = 0; e <= 16; e++) {
    at_case("e %d", e);
    double tiny = pow(10, -e);
    start(2, 0, 2);
    made.M[3] = tiny;
    made.F[0] = 1, made.F[1] = tiny;
    made.G_u[0] = tiny, made.G_u[3] = 1;
    for (int q = 0; q < MADE_QUESTIONS; q++) made.answer[q] = DLS_YES;
    made.mass_rank = made.constraint_rank = 2;
    made.kernel_definite = true;
    (void)snprintf(made.name, sizeof made.name, "units 1e-%d", e);
    dls_check *check = comparison_run(&j, &made);
    if (check != NULL) comparison_check(&j, &made, check);
    dls_check_free(check);
  }
  assert_int_equal(comparison_close(&j), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(answer_turns_in_order),
      cmocka_unit_test(units_are_no_threshold),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
