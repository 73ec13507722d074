// What the check answers, the checker of reports proves: thousands of problems, made at random and
// degenerate on purpose, go through a report and back.
#include "numbers.h"
#include "constant_system.h"
#include "problem_maker.h"

#include <delassus/delassus.h>

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

typedef struct tally {
  int problems, yes, no, undecided;
  int held, failed;
} tally;

// A problem with its system, state, check and report.
typedef struct asked {
  dls_system *system;
  dls_contact_state *contacts;
  dls_check *check;
  char *text;
  dls_saved_report *saved;
} asked;

static asked ask(const dls_problem *p, const char *name)
{
  asked a = {.system = constant_system(p)};
  double zeros[MAKER_N] = {0};
  const dls_state state = {.q = zeros, .v = zeros};
  dls_message message = {0};
  assert_int_equal(dls_contact_state_create(a.system, &state, NULL, &a.contacts, &message), DLS_OK);
  if (dls_check_run(&a.contacts->problem, NULL, &a.check, &message) != DLS_OK)
    fail_msg("%s: %s", name, message.text);
  const dls_report report = {.system = a.system, .contact_state = a.contacts, .check = a.check};
  assert_int_equal(dls_report_json(&report, &a.text), DLS_OK);
  dls_diagnostic fault;
  if (dls_saved_report_read(a.text, strlen(a.text), &a.saved, &fault) != DLS_OK)
    fail_msg("%s: %s", name, fault.message);
  return a;
}

static void close(asked *a)
{
  dls_saved_report_free(a->saved);
  dls_report_text_free(a->text);
  dls_check_free(a->check);
  dls_contact_state_free(a->contacts);
  dls_system_free(a->system);
}

// The report of the problem holds; prints what does not.
static void verify_problem(const dls_problem *p, const char *name, tally *t)
{
  asked a = ask(p, name);
  dls_verification *v;
  assert_int_equal(dls_verify_run(a.saved, NULL, a.system, NULL, &v, NULL), DLS_OK);
  if (v->difference) fail_msg("%s: %s", name, v->difference);
  t->problems++;
  for (int k = 0; k < v->findings; k++) {
    const dls_finding *f = &v->finding[k];
    t->yes += strcmp(f->answer, "yes") == 0;
    t->no += strcmp(f->answer, "no") == 0;
    t->undecided += strcmp(f->answer, "undecided") == 0;
    t->held += f->found == DLS_FOUND_HOLDS;
    if (f->found != DLS_FOUND_FAILS) continue;
    if (t->failed++ < 10)
      print_message("%s: %s %s %s: %s\n", name, f->group, f->name, f->answer, f->why);
  }
  dls_verification_free(v);
  close(&a);
}

static void conclude(const tally *t)
{
  print_message("%d problems: %d yes, %d no, %d undecided; %d claims hold, %d fail\n", t->problems,
                t->yes, t->no, t->undecided, t->held, t->failed);
  assert_int_equal(t->failed, 0);
}

static void draw(maker *p, rng *r, int k)
{
  const int n = rng_int(r, 1, 7), m_b = rng_int(r, 0, 4), m_u = rng_int(r, 0, 5);
  const int rank = rng_int(r, 0, n);
  switch (k % 7) {
  case 0: maker_sum(p, r, rng_int(r, 1, 5), rng_int(r, 0, 2)); break;
  case 1: maker_random(p, r, n, m_b, m_u, rank); break;
  case 2: maker_feasible(p, r, n, m_b, m_u, rank); break;
  case 3: maker_contradiction(p, r, n, m_b, m_u + 1, rank); break;
  case 4: maker_push(p, r, n, m_b, m_u); break;
  case 5: maker_mfcq(p, r, n, m_b, m_u); break;
  default: maker_real(p, r, n, m_b, m_u); break;
  }
}

// Grams and tonnes, millimetres and kilometres.
static void change_units(maker *p, rng *r)
{
  maker_mass_unit(p, pow(10, rng_int(r, -6, 6)));
  maker_time_unit(p, pow(10, rng_int(r, -3, 3)));
  for (int i = 0; i < p->n; i++) maker_scale_coordinate(p, i, pow(10, rng_int(r, -4, 4)));
  for (int j = 0; j < p->m_u; j++) maker_scale_unilateral(p, j, pow(10, rng_int(r, -4, 4)));
  for (int j = 0; j < p->m_b; j++) maker_scale_bilateral(p, j, pow(10, rng_int(r, -4, 4)));
}

static void without_friction(void **unused)
{
  (void)unused;
  rng r = rng_create(11);
  tally t = {0};
  for (int k = 0; k < TRIED(500); k++) {
    at_case("k %d", k);
    maker p;
    draw(&p, &r, k);
    if (rng_chance(&r, 0.3)) maker_mix_exact(&p, &r);
    if (rng_chance(&r, 0.3)) maker_mix_generic(&p, &r);
    if (rng_chance(&r, 0.3)) change_units(&p, &r);
    const dls_problem problem = maker_problem(&p);
    char name[128];
    snprintf(name, sizeof name, "%d %s", k, p.name);
    verify_problem(&problem, name, &t);
  }
  conclude(&t);
}

// Friction at the contacts of a problem.
typedef struct rough {
  int first[2 * MAKER_M + 1];
  double H[MAKER_N * 4 * MAKER_M], b_t[4 * MAKER_M], xi[4 * MAKER_M], mu[2 * MAKER_M];
  double w_n[2 * MAKER_M], w_t[4 * MAKER_M];
  bool sliding[2 * MAKER_M];
  dls_friction friction;
} rough;

// Small integers; slips 0, 1 or 2; sliding along an axis or not.
static void roughen(const maker *p, rng *r, int max_tangents, rough *f)
{
  const int m = p->m_b + p->m_u;
  int tangents = 0;
  memset(f, 0, sizeof *f);
  for (int j = 0; j < m; j++) {
    const int count = rng_int(r, 0, max_tangents);
    f->first[j] = tangents;
    f->mu[j] = count ? rng_int(r, 0, 4) / 4.0 : 0;
    f->sliding[j] = count > 0 && rng_chance(r, 0.4);
    for (int k = 0; k < count; k++) {
      for (int i = 0; i < p->n; i++) f->H[i + p->n * (tangents + k)] = rng_int(r, -2, 2);
      f->b_t[tangents + k] = rng_chance(r, 0.3) ? rng_int(r, -2, 2) : 0;
    }
    if (f->sliding[j]) f->xi[tangents] = rng_chance(r, 0.5) ? 1 : -1;
    tangents += count;
  }
  f->first[m] = tangents;
  f->friction = (dls_friction){tangents, f->first, f->H,       f->b_t, f->mu,
                               NULL,     f->xi,    f->sliding, f->w_n, f->w_t};
}

static void with_friction(void **unused)
{
  (void)unused;
  rng r = rng_create(12);
  tally t = {0};
  for (int k = 0; k < TRIED(400); k++) {
    at_case("k %d", k);
    maker p;
    static rough f;
    const int n = rng_int(&r, 1, 4), m_b = rng_int(&r, 0, 1), m_u = rng_int(&r, 1, 2);
    if (k % 3 == 0) maker_random(&p, &r, n, m_b, m_u, n);
    else if (k % 3 == 1) maker_feasible(&p, &r, n, m_b, m_u, rng_int(&r, 0, n));
    else maker_real(&p, &r, n, m_b, m_u);
    if (rng_chance(&r, 0.2)) maker_mass_unit(&p, pow(10, rng_int(&r, -6, 6)));
    roughen(&p, &r, k % 10 == 0 ? 2 : 1, &f);
    dls_problem problem = maker_problem(&p);
    problem.friction = &f.friction;
    char name[128];
    snprintf(name, sizeof name, "%d %s", k, p.name);
    verify_problem(&problem, name, &t);
  }
  conclude(&t);
}

// ---- witnesses of other problems ----------------------------------------------------------------

// One change of the data; the sizes stay.
static void change(maker *p, rough *f, rng *r)
{
  const int n = p->n, i = rng_int(r, 0, n - 1);
  const int m = p->m_b + p->m_u, c = m ? rng_int(r, 0, m - 1) : 0;
  double *g = c < p->m_b ? p->G_b + n * c : p->G_u + n * (c - p->m_b);
  switch (rng_int(r, 0, 9)) {
  case 0:
    for (int k = 0; k < n; k++) p->F[k] = -p->F[k];
    break;
  case 1: p->F[i] += rng_int(r, -3, 3); break;
  case 2:  // a coordinate without mass
    for (int k = 0; k < n; k++) p->M[i + n * k] = p->M[k + n * i] = 0;
    break;
  case 3:  // more mass
    p->M[i + n * i] += 1;
    break;
  case 4:
    if (m) g[i] += rng_int(r, -2, 2);
    break;
  case 5:  // a contact twice
    if (p->m_u > 1) memcpy(p->G_u, p->G_u + n, (size_t)n * sizeof(double));
    else if (p->m_b > 1) memcpy(p->G_b, p->G_b + n, (size_t)n * sizeof(double));
    break;
  case 6:
    if (c < p->m_b) p->b_b[c] += rng_int(r, -1, 1);
    else if (m) p->b_u[c - p->m_b] += rng_int(r, -1, 1);
    break;
  case 7:  // tiny masses couple
    p->M[i + n * i] *= 1 + 1e-7;
    break;
  case 8:
    if (f->friction.tangents)
      f->H[i + n * rng_int(r, 0, f->friction.tangents - 1)] += rng_int(r, -2, 2);
    break;
  default:
    if (f->friction.tangents) f->b_t[rng_int(r, 0, f->friction.tangents - 1)] += rng_int(r, -2, 2);
    break;
  }
}

// A witness that holds for the changed problem, although it was made for another one, must not say
// the contrary of what the check says.
static void stale_witnesses(void **unused)
{
  (void)unused;
  rng r = rng_create(13);
  int held = 0, failed = 0, wrong = 0;
  for (int k = 0; k < TRIED(700); k++) {
    at_case("k %d", k);
    maker p;
    static rough f;
    draw(&p, &r, k);
    if (p.m_b + p.m_u > 4) continue;
    roughen(&p, &r, k % 2 ? 0 : 1, &f);
    dls_problem problem = maker_problem(&p);
    problem.friction = &f.friction;
    asked before = ask(&problem, p.name);
    change(&p, &f, &r);
    asked after = ask(&problem, p.name);
    dls_verification *v;
    assert_int_equal(dls_verify_run(before.saved, NULL, after.system, NULL, &v, NULL), DLS_OK);
    if (v->difference) fail_msg("%s: %s", p.name, v->difference);
    for (int i = 0; i < v->findings; i++) {
      const dls_finding *g = &v->finding[i];
      held += g->found == DLS_FOUND_HOLDS, failed += g->found == DLS_FOUND_FAILS;
      if (strcmp(g->group, "verdicts") != 0 || g->found != DLS_FOUND_HOLDS) continue;
      for (int q = 0; q < DLS_QUESTION_COUNT; q++) {
        if (strcmp(dls_question_name((dls_question)q), g->name) != 0) continue;
        const dls_answer now = after.check->verdict[q].answer;
        const dls_answer said = strcmp(g->answer, "yes") == 0 ? DLS_YES : DLS_NO;
        if ((now != DLS_YES && now != DLS_NO) || now == said) continue;
        if (wrong++ < 10)
          print_message("%d %s: %s was %s, holds (%s), but is %s\n", k, p.name, g->name, g->answer,
                        g->proves, dls_answer_name(now));
      }
    }
    dls_verification_free(v);
    close(&before), close(&after);
  }
  print_message("%d stale claims fail, %d still hold, %d of them wrongly\n", failed, held, wrong);
  assert_int_equal(wrong, 0);
  assert_true(failed > TRIED(800));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_friction),
      cmocka_unit_test(with_friction),
      cmocka_unit_test(stale_witnesses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
