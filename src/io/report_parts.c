#include "io/report_parts.h"

#include "io/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *name_or(const char *const *names, int i, const char *prefix, dls_name_text *made)
{
  if (names && names[i]) return names[i];
  snprintf(made->text, sizeof made->text, "%s%d", prefix, i + 1);
  return made->text;
}

const char *dls_report_coordinate(const dls_report *report, int i, dls_name_text *made)
{
  const char *const *names = report->contact_state->problem.coordinates;
  if (!names && report->system) names = report->system->coordinates;
  return name_or(names, i, "q", made);
}

const char *dls_report_constraint(const dls_report *report, dls_over over, int i,
                                  dls_name_text *made)
{
  const dls_contact_state *s = report->contact_state;
  const bool b = over == DLS_OVER_BILATERAL;
  const char *const *names = b ? s->problem.bilateral : s->problem.unilateral;
  const int *contact = b ? s->bilateral_contact : s->unilateral_contact;
  if (!names && contact && s->contacts && s->contacts[contact[i]].name)
    return s->contacts[contact[i]].name;
  return name_or(names, i, b ? "b" : "u", made);
}

const char *dls_report_closed(const dls_report *report, int i, dls_name_text *made)
{
  const int m_b = report->contact_state->problem.m_b;
  if (i < m_b) return dls_report_constraint(report, DLS_OVER_BILATERAL, i, made);
  return dls_report_constraint(report, DLS_OVER_UNILATERAL, i - m_b, made);
}

const char *dls_report_over(const dls_report *report, dls_over over, int i, dls_name_text *made)
{
  return over == DLS_OVER_COORDINATES ? dls_report_coordinate(report, i, made)
                                      : dls_report_constraint(report, over, i, made);
}

const dls_contact *dls_report_contact(const dls_report *report, int i)
{
  const dls_contact_state *s = report->contact_state;
  const int m_b = s->problem.m_b;
  const int *contact = i < m_b ? s->bilateral_contact : s->unilateral_contact;
  if (!contact || !s->contacts) return NULL;
  return &s->contacts[contact[i < m_b ? i : i - m_b]];
}

double dls_largest(const double *x, int count)
{
  double largest = 0;
  for (int i = 0; x && i < count; i++)
    if (isfinite(x[i]) && fabs(x[i]) > largest) largest = fabs(x[i]);
  return largest;
}

// The check has decided with its tolerances: it makes the ends of the interval of a force that is
// determined equal, and a_u and lambda_u exactly zero where a contact stays closed or opens. So
// nothing here depends on units.
dls_report_force dls_report_force_at(const dls_report *report, int i)
{
  const dls_solution *s = report->check->solution;
  const int m_b = report->contact_state->problem.m_b, k = i - m_b;
  dls_report_force force;
  if (i < m_b) {
    force = (dls_report_force){.normal = s->lambda_b[i],
                               .low = s->low_b ? s->low_b[i] : (double)NAN,
                               .high = s->high_b ? s->high_b[i] : (double)NAN};
  } else {
    force = (dls_report_force){.normal = s->lambda_u[k],
                               .low = s->low_u ? s->low_u[k] : (double)NAN,
                               .high = s->high_u ? s->high_u[k] : (double)NAN,
                               .acceleration = s->a_u ? s->a_u[k] : (double)NAN};
    force.detaches = force.acceleration > 0 && force.normal == 0;
  }
  force.determined = force.low == force.high;
  return force;
}

static bool rubs(const dls_contact *c)
{
  return (c->status == DLS_SLIDING || c->status == DLS_STICKING) && c->slips > 0 && c->friction > 0;
}

// "contact a has friction, END", "contacts a, b and 3 more have friction, END"
static void say_friction(const dls_report *report, const char *end, dls_message *message)
{
  enum { NAMED = 3 };
  const dls_contact_state *s = report->contact_state;
  char names[3 * NAMED * 32] = "";
  int count = 0, used = 0;
  for (int i = 0; i < s->m; i++) {
    if (!rubs(&s->contacts[i]) || count++ >= NAMED) continue;
    used += snprintf(names + used, sizeof names - (size_t)used, "%s%.64s", count > 1 ? ", " : "",
                     s->contacts[i].name ? s->contacts[i].name : "?");
  }
  char more[32] = "";
  if (count > NAMED) snprintf(more, sizeof more, " and %d more", count - NAMED);
  snprintf(message->text, sizeof message->text, "contact%s %s%s ha%s friction, %s",
           count == 1 ? "" : "s", names, more, count == 1 ? "s" : "ve", end);
}

dls_verdict dls_report_verdict(const dls_report *report, dls_question question, dls_message *by)
{
  dls_verdict verdict = report->check->verdict[question];
  const bool acceleration = question == DLS_ACCELERATION_EXISTS ||
                            question == DLS_ACCELERATION_UNIQUE || question == DLS_FORCES_UNIQUE;
  const dls_contact_state *s = report->contact_state;
  if (!acceleration || verdict.answer != DLS_NOT_ASKED || s->impact || !s->friction) return verdict;

  say_friction(report, "which this version does not decide", by);
  return (dls_verdict){.answer = DLS_UNDECIDED, .margin = (double)NAN, .by = by->text};
}

bool dls_report_note(const dls_report *report, int index, dls_message *note)
{
  const dls_contact_state *s = report->contact_state;
  for (int i = 0; s->impact && i < s->m; i++) {
    if (s->contacts[i].status != DLS_IMPACTING || index-- > 0) continue;
    snprintf(note->text, sizeof note->text,
             "contact %.200s hits with normal velocity %s, so velocities jump before "
             "accelerations are defined",
             s->contacts[i].name ? s->contacts[i].name : "",
             dls_number(s->contacts[i].normal_velocity).text);
    return true;
  }
  if (s->friction && !s->impact && index-- == 0) {
    say_friction(report, "which this version does not decide; the other answers are without it",
                 note);
    return true;
  }
  if (index < 0 || index >= report->notes) return false;
  snprintf(note->text, sizeof note->text, "%s", report->note[index]);
  return true;
}

dls_report_options dls_report_defaults(void)
{
  return (dls_report_options){.colour = false};
}

void dls_report_text_free(char *text)
{
  free(text);
}
