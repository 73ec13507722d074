#include "io/report_reason.h"

#include "base/memory.h"
#include "io/explain.h"
#include "io/report_parts.h"
#include "io/report_sum.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *dls_question_words(dls_question question)
{
  return question < DLS_QUESTION_COUNT ? dls_question_topics[question].line : "";
}

static bool add_forces(dls_text *text, const dls_report *report, const dls_verdict *v, bool turn)
{
  return dls_add_sum(text, report, dls_part_vector(v, DLS_INDEX_BILATERAL),
                     dls_part_vector(v, DLS_INDEX_UNILATERAL), turn);
}

// The motion by which two accelerations differ: other - acceleration.
static bool add_difference(dls_text *text, const dls_report *report, const dls_verdict *v)
{
  const dls_witness_part *from = dls_part_named(v, "acceleration"),
                         *to = dls_part_named(v, "other");
  if (!from || !to || from->count != to->count) return false;
  double *difference = dls_alloc(to->count, sizeof *difference);
  if (!difference) text->failed = true;
  for (int i = 0; difference && i < to->count; i++) {
    const double a = from->values[i], b = to->values[i];
    const bool rounding = fabs(b - a) <= 4 * DBL_EPSILON * fmax(fabs(a), fabs(b));
    difference[i] = rounding ? 0 : b - a;
  }
  const dls_witness_part motion = {
      .name = "", .index_set = DLS_INDEX_COORDINATES, .count = to->count, .values = difference};
  const bool any = difference && dls_add_sum(text, report, &motion, NULL, false);
  free(difference);
  return any;
}

static void mass_reason(dls_text *text, const dls_report *report, const dls_verdict *v)
{
  const dls_check *c = report->check;
  dls_text_add(text, "mass matrix of rank %d of %d", c->mass_rank, report->contact_state->n);
  if (v->answer == DLS_YES) {
    dls_text_add(text, ", condition %s", dls_number(c->mass_condition).text);
    return;
  }
  dls_text motion = {0};
  if (dls_add_motion(&motion, report, v, true)) {
    const bool one = report->contact_state->n - c->mass_rank == 1;
    dls_text_add(text, ": %s %s %s no kinetic energy", one ? "the motion" : "motions such as",
                 motion.data ? motion.data : "", one ? "costs" : "cost");
  }
  if (motion.failed) text->failed = true;
  dls_text_free(&motion);
}

// A gradient that is zero cancels alone.
static bool one_force(const dls_verdict *v)
{
  return dls_part_terms(dls_part_vector(v, DLS_INDEX_BILATERAL)) +
             dls_part_terms(dls_part_vector(v, DLS_INDEX_UNILATERAL)) ==
         1;
}

// A row of a joint: "door.rx"; how much of the name is the joint's, or 0.
static size_t joint_length(const char *name)
{
  static const char *const rows[] = {"x", "y", "z", "rx", "ry", "rz"};
  const char *dot = strrchr(name, '.');
  for (size_t k = 0; dot && k < sizeof rows / sizeof *rows; k++)
    if (strcmp(dot + 1, rows[k]) == 0) return (size_t)(dot - name);
  return 0;
}

enum { MOST_NAMED = 8, MOST_COLUMNS = 100 };  // names of contacts of bodies are long

typedef struct redundant {
  const dls_report *report;
  dls_text *text;
  size_t begin;  // of the names
  int named;
} redundant;

static bool takes_part(const redundant *r, int contact)
{
  const dls_check *c = r->report->check;
  const dls_problem *p = &r->report->contact_state->problem;
  const ptrdiff_t m = (ptrdiff_t)p->m_b + p->m_u;
  for (int k = 0; k < c->dependencies; k++)
    if (c->dependency[contact + m * k] != 0) return true;
  return false;
}

// Another row of the same joint before it takes part, too.
static bool joint_named_before(const redundant *r, int contact, const char *name, size_t length)
{
  dls_name_text made;
  for (int j = 0; j < contact && length > 0; j++) {
    const char *other = dls_report_closed(r->report, j, &made);
    if (joint_length(other) == length && strncmp(other, name, length) == 0 && takes_part(r, j))
      return true;
  }
  return false;
}

static void add_name(redundant *r, int contact)
{
  enum { COLUMNS = 40 };
  dls_name_text made;
  const char *name = dls_report_closed(r->report, contact, &made);
  const size_t length = joint_length(name);
  char joint[128];
  if (joint_named_before(r, contact, name, length)) return;
  if (r->named == MOST_NAMED || (r->named > 1 && r->text->length - r->begin > MOST_COLUMNS)) {
    dls_text_add(r->text, ", …");
    r->named = MOST_NAMED + 1;
    return;
  }
  r->named++;
  snprintf(joint, sizeof joint, "%.*s", length ? (int)length : (int)sizeof joint - 1, name);
  dls_text_add(r->text, r->named > 1 ? ", " : " ");
  dls_text_clean(r->text, joint, COLUMNS);
}

// How many constraints are too many, and which: each of them that some dependency holds may be left
// out, joints by their names.
static void add_redundant(dls_text *text, const dls_report *report)
{
  const dls_check *c = report->check;
  const dls_problem *p = &report->contact_state->problem;
  const int m = p->m_b + p->m_u, spare = m - c->constraint_rank;
  if (c->dependencies != spare || spare < 2) return;
  dls_text_add(text, "; %d too many among", spare);
  redundant r = {.report = report, .text = text, .begin = text->length};
  for (int j = 0; j < m && r.named <= MOST_NAMED; j++)
    if (takes_part(&r, j)) add_name(&r, j);
}

static void independent_reason(dls_text *text, const dls_report *report, const dls_verdict *v)
{
  const dls_problem *p = &report->contact_state->problem;
  const int rank = report->check->constraint_rank, left = p->n - rank;
  dls_text_add(text, "rank %d of %d", rank, p->m_b + p->m_u);
  if (report->system && report->system->chart && p->m_u == 0)
    dls_text_add(text, ", %d freedom%s left", left, left == 1 ? "" : "s");
  if (v->answer != DLS_NO) return;
  const size_t before = text->length;
  dls_text_add(text, ": ");
  if (one_force(v)) {
    add_forces(text, report, v, true);
    dls_text_add(text, " has no gradient here: its force does nothing");
  } else if (add_forces(text, report, v, true)) {
    dls_text_add(text, " = 0 (these forces cancel)");
  } else if (!text->failed) {
    text->length = before;
    text->data[before] = 0;
  }
  add_redundant(text, report);
}

// One constraint of the answer "no", in words that follow the sum of constraints or motions.
static void no_reason(dls_text *text, const dls_report *report, dls_question q,
                      const dls_verdict *v)
{
  switch (q) {
  case DLS_CONSTRAINTS_COMPATIBLE:
    if (add_forces(text, report, v, true))
      dls_text_add(text, ": together they ask for contradictory accelerations");
    break;
  case DLS_MFCQ:
    if (add_forces(text, report, v, false))
      dls_text_add(text, one_force(v)
                             ? ": this force does nothing, so nothing limits it (MFCQ fails)"
                             : " = 0: these forces cancel, so nothing limits them (MFCQ fails)");
    break;
  case DLS_DELASSUS_DEFINITE:
    if (add_forces(text, report, v, true))
      dls_text_add(text,
                   one_force(v) ? ": this force moves nothing" : ": these forces move nothing");
    break;
  case DLS_ACCELERATION_EXISTS:
    if (add_forces(text, report, v, false))
      dls_text_add(text, ": together they ask for contradictory accelerations");
    else if (dls_add_motion(text, report, v, false))
      dls_text_add(text, ": the load drives this motion, and neither mass nor contact resists");
    break;
  case DLS_ACCELERATION_UNIQUE:
    if (report->contact_state->friction) break;  // inertia alone does not decide then
    if (report->check->verdict[DLS_ACCELERATION_EXISTS].answer == DLS_NO)
      dls_text_add(text, "no acceleration exists");
    else if (add_difference(text, report, v))
      dls_text_add(text, ": this acceleration can be added, as the motion has no inertia");
    break;
  default: break;
  }
}

static void forces_reason(dls_text *text, const dls_report *report)
{
  const int m = dls_report_force_count(report);
  int open = 0;
  for (int i = 0; report->check->solution && i < m; i++) {
    open += dls_report_force_at(report, report->check->solution, i).loose;
  }
  if (open) dls_text_add(text, "%d of %d not determined: hyperstatic", open, m);
}

static void yes_reason(dls_text *text, const dls_report *report, dls_question q,
                       const dls_verdict *v)
{
  switch (q) {
  case DLS_CONSTRAINTS_COMPATIBLE: dls_text_add(text, "they can all hold at once"); break;
  case DLS_MFCQ: dls_text_add(text, "one motion opens them all (MFCQ)"); break;
  case DLS_DELASSUS_DEFINITE: dls_text_add(text, "no contact forces are without effect"); break;
  case DLS_ACCELERATION_EXISTS:
    if (!report->check->solution) break;
    if (report->check->solution->residual <= 1e-14)
      dls_text_add(text, "found, and it fulfils the equations to rounding");
    else
      dls_text_add(text, "found; relative residual %s",
                   dls_number(report->check->solution->residual).text);
    break;
  case DLS_ACCELERATION_UNIQUE:
    if (report->contact_state->friction) break;
    if (report->check->verdict[DLS_MASS_DEFINITE].answer == DLS_YES)
      dls_text_add(text, "every motion has inertia");
    else if (dls_part_named(v, "acceleration"))
      dls_text_add(text, "the load presses motions without inertia onto the contacts");
    else dls_text_add(text, "motions without inertia are held by the bilateral constraints");
    break;
  case DLS_FORCES_UNIQUE: dls_text_add(text, "each force is determined"); break;
  default: break;
  }
}

// What several questions in a row share is said once.
static void undecided_reason(dls_text *text, const dls_report *report, dls_question q,
                             const dls_verdict *v)
{
  dls_text_add(text, "not decided");
  if (!v->by) return;
  const dls_verdict before =
      q > 0 ? dls_report_verdict(report, (dls_question)(q - 1)) : (dls_verdict){0};
  if (before.answer == DLS_UNDECIDED && before.by && strcmp(before.by, v->by) == 0) {
    dls_text_add(text, ", for the same reason");
    return;
  }
  dls_text_add(text, ": ");
  dls_text_clean(text, v->by, 240);
}

void dls_report_reason(dls_text *text, const dls_report *report, dls_question question,
                       const dls_verdict *verdict)
{
  const size_t before = text->length;
  if (verdict->answer == DLS_UNDECIDED) {
    undecided_reason(text, report, question, verdict);
  } else if (dls_reason_friction(text, report, question, verdict)) {
    return;
  } else if (question == DLS_MASS_DEFINITE) {
    mass_reason(text, report, verdict);
  } else if (question == DLS_CONSTRAINTS_INDEPENDENT) {
    independent_reason(text, report, verdict);
  } else if (question == DLS_FORCES_UNIQUE && verdict->answer == DLS_NO) {
    forces_reason(text, report);
  } else if (verdict->answer == DLS_NO) {
    no_reason(text, report, question, verdict);
  } else {
    yes_reason(text, report, question, verdict);
  }
  if (text->length == before && verdict->by) dls_text_clean(text, verdict->by, 120);
}
