#include "comparison.h"
#include "witness.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PRINTED = 3 };  // problems printed in full per test; DLS_TEST_VERBOSE prints more

void comparison_fault(comparison *j, const maker *p, const char *what, const char *detail)
{
  long most = getenv("DLS_TEST_VERBOSE") ? 1000 : PRINTED;
  j->faults++;
  if (j->faults > most) return;
  printf("FAULT in %s: %s: %s\n", j->test, what, detail);
  maker_print(p);
}

dls_check *comparison_run(comparison *j, const maker *p)
{
  dls_problem problem = maker_problem(p);
  dls_check *check = NULL;
  dls_message message = {""};
  dls_status status = dls_check_run(&problem, NULL, &check, &message);
  j->problems++;
  if (status == DLS_OK && check != NULL) return check;
  comparison_fault(j, p, dls_status_text(status), message.text);
  return NULL;
}

static bool is_asked(const maker *p, dls_question q)
{
  switch (q) {
  case DLS_CONSTRAINTS_INDEPENDENT: return p->m_b + p->m_u > 0;
  case DLS_CONSTRAINTS_COMPATIBLE: return p->m_b > 0;
  case DLS_MFCQ: return p->m_u > 0;
  case DLS_DELASSUS_DEFINITE: return p->m_u > 0 && p->kernel_definite;
  default: return true;
  }
}

static void comparison_answer(comparison *j, const maker *p, const dls_check *check, dls_question q)
{
  const char *name = dls_question_name(q);
  dls_answer given = check->verdict[q].answer;
  if ((int)given < 0 || given > DLS_UNDECIDED) {
    comparison_fault(j, p, name, "no such answer");
    return;
  }
  j->answers[q][given]++;
  if (!is_asked(p, q)) {
    if (given != DLS_NOT_ASKED) comparison_fault(j, p, name, "answered though it makes no sense");
    return;
  }
  // without constraints there are no forces to be unique
  if (q == DLS_FORCES_UNIQUE && p->m_b + p->m_u == 0 && given == DLS_NOT_ASKED) return;
  if (given == DLS_NOT_ASKED) {
    comparison_fault(j, p, name, "not answered");
    return;
  }
  if (given == DLS_UNDECIDED) {
    j->undecided++;
    return;
  }
  if (p->answer[q] != ANSWER_UNKNOWN && p->answer[q] != (int)given)
    comparison_fault(j, p, name,
                     given == DLS_YES ? "WRONG: yes, true is no" : "WRONG: no, true is yes");
  const char *fault = witness_fault(check, q);
  if (fault != NULL) {
    char text[160];
    (void)snprintf(text, sizeof text, "witness of %s: %s", dls_answer_name(given), fault);
    comparison_fault(j, p, name, text);
  }
}

static void comparison_ranks(comparison *j, const maker *p, const dls_check *c)
{
  char text[96];
  (void)snprintf(text, sizeof text, "mass %d (%d), constraints %d (%d), bilateral %d (%d)",
                 c->mass_rank, p->mass_rank, c->constraint_rank, p->constraint_rank,
                 c->reduced.dependent, p->bilateral_rank);
  if (c->mass_rank != p->mass_rank || c->constraint_rank != p->constraint_rank ||
      (c->reduced.applies && c->reduced.dependent != p->bilateral_rank))
    comparison_fault(j, p, "ranks", text);
  if (c->reduced.applies != (p->kernel_definite && c->solution != NULL))
    comparison_fault(j, p, "reduced.applies", "wrong");
  if ((c->mass_condition < INFINITY) != (p->mass_rank == p->n))
    comparison_fault(j, p, "mass_condition", "wrong");
  if ((c->W != NULL) != (p->mass_rank == p->n && p->m_b + p->m_u > 0) && p->m_b + p->m_u > 0)
    comparison_fault(j, p, "W", "there without a reason, or missing");
  if ((c->A_c != NULL) != p->kernel_definite && p->m_u > 0)
    comparison_fault(j, p, "A_c", "there without a reason, or missing");
}

void comparison_check(comparison *j, const maker *p, const dls_check *check)
{
  for (int q = 0; q < MADE_QUESTIONS; q++) comparison_answer(j, p, check, (dls_question)q);
  comparison_ranks(j, p, check);
  const char *fault = solution_fault(check);
  if (fault != NULL) comparison_fault(j, p, "solution", fault);
  const dls_solution *s = check->solution;
  if (s == NULL) return;
  j->solutions++;
  const dls_reduced *r = &check->reduced;
  j->unsolved += r->applies && (isnan(r->acceleration_difference) || isnan(r->dual_difference));
  if (!p->has_solution) return;
  if (p->answer[DLS_ACCELERATION_UNIQUE] == DLS_YES)
    comparison_acceleration(j, p, check, p->z, 1e-7);
  // the least norm is not above the one of the drawn multipliers
  double drawn = 0, found = 0;
  for (int i = 0; i < p->m_b; i++) drawn = hypot(drawn, p->lambda_b[i]);
  for (int i = 0; i < p->m_u; i++) drawn = hypot(drawn, p->lambda_u[i]);
  for (int i = 0; i < p->m_b; i++) found = hypot(found, s->lambda_b[i]);
  for (int i = 0; i < p->m_u; i++) found = hypot(found, s->lambda_u[i]);
  double size = 0;
  for (int i = 0; i < p->n; i++) size = fmax(size, fabs(p->F[i]));
  if (!(found <= drawn + 1e-6 * (drawn + size)))
    comparison_fault(j, p, "multipliers", "not of least norm");
  if (p->has_intervals) comparison_intervals(j, p, check, 1e-7);
}

void comparison_acceleration(comparison *j, const maker *p, const dls_check *check, const double *z,
                             double tolerance)
{
  double size = 0, error = 0;
  for (int i = 0; i < p->n; i++) {
    double unit = sqrt(p->M[i + i * p->n]);
    for (int k = 0; unit == 0 && k < p->m_b; k++) unit = fabs(p->G_b[i + k * p->n]);
    for (int k = 0; unit == 0 && k < p->m_u; k++) unit = fabs(p->G_u[i + k * p->n]);
    size = fmax(size, unit * fabs(z[i]));
    error = fmax(error, unit * fabs(z[i] - check->solution->acceleration[i]));
    if (isnan(check->solution->acceleration[i])) error = INFINITY;
  }
  double force = 0;
  for (int i = 0; i < p->n; i++)
    if (p->M[i + i * p->n] > 0) force = fmax(force, fabs(p->F[i]) / sqrt(p->M[i + i * p->n]));
  char text[96];
  (void)snprintf(text, sizeof text, "off by %g, size %g", error, size);
  if (!(error <= tolerance * fmax(size, force)) && !(error <= 1e-12 && p->F[0] == 0))
    comparison_fault(j, p, "acceleration", text);
}

static bool ends_agree(double known, double given, double size, double tolerance)
{
  if (isinf(known) || isinf(given)) return known == given;
  return fabs(known - given) <= tolerance * size;
}

static void intervals(comparison *j, const maker *p, int m, const double *low, const double *high,
                      const double *given_low, const double *given_high, const double *units,
                      double size, double tolerance, const char *kind)
{
  for (int k = 0; k < m; k++) {
    double s = size / units[k];
    if (ends_agree(low[k], given_low[k], s, tolerance) &&
        ends_agree(high[k], given_high[k], s, tolerance))
      continue;
    char text[160];
    (void)snprintf(text, sizeof text, "%s %d is [%.12g, %.12g], given as [%.12g, %.12g]", kind, k,
                   low[k], high[k], given_low[k], given_high[k]);
    comparison_fault(j, p, "interval", text);
    return;
  }
}

// Size of a column in coordinates of unit mass, and the largest force in these units.
static double column_unit(const maker *p, const double *g)
{
  double unit = 0;
  for (int i = 0; i < p->n; i++) {
    double mass = p->M[i + i * p->n];
    unit = fmax(unit, fabs(g[i]) / (mass > 0 ? sqrt(mass) : 1));
  }
  return unit > 0 ? unit : 1;
}

static double finite_size(int m, const double *x, const double *units)
{
  double size = 0;
  for (int k = 0; k < m; k++)
    if (!isinf(x[k])) size = fmax(size, fabs(x[k]) * units[k]);
  return size;
}

void comparison_intervals(comparison *j, const maker *p, const dls_check *check, double tolerance)
{
  const dls_solution *s = check->solution;
  double unit_b[MAKER_M], unit_u[MAKER_M], size = 0;
  for (int k = 0; k < p->m_b; k++) unit_b[k] = column_unit(p, p->G_b + k * p->n);
  for (int k = 0; k < p->m_u; k++) unit_u[k] = column_unit(p, p->G_u + k * p->n);
  for (int i = 0; i < p->n; i++) {
    double mass = p->M[i + i * p->n];
    size = fmax(size, fabs(p->F[i]) / (mass > 0 ? sqrt(mass) : 1));
  }
  size = fmax(size, finite_size(p->m_b, s->lambda_b, unit_b));
  size = fmax(size, finite_size(p->m_u, s->lambda_u, unit_u));
  size = fmax(size, finite_size(p->m_u, p->high_u, unit_u));
  if (p->has_intervals_b)
    intervals(j, p, p->m_b, p->low_b, p->high_b, s->low_b, s->high_b, unit_b, size, tolerance,
              "bilateral");
  intervals(j, p, p->m_u, p->low_u, p->high_u, s->low_u, s->high_u, unit_u, size, tolerance,
            "unilateral");
}

long comparison_close(const comparison *j)
{
  printf("%s: %ld problems, %ld solutions (%ld not compared), %ld undecided, %ld faults\n", j->test,
         j->problems, j->solutions, j->unsolved, j->undecided, j->faults);
  for (int q = 0; q < MADE_QUESTIONS; q++)
    printf("  %-24s yes %6ld  no %6ld  undecided %4ld\n", dls_question_name((dls_question)q),
           j->answers[q][DLS_YES], j->answers[q][DLS_NO], j->answers[q][DLS_UNDECIDED]);
  (void)fflush(stdout);
  const bool unsure = !j->allow_undecided && j->undecided > 3 + 3 * j->problems / 1000;
  if (unsure) printf("too many undecided\n");
  return j->faults + unsure + (j->unsolved > 1 && 100 * j->unsolved > j->solutions);
}
