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

static bool hits(const dls_contact *c)
{
  return c->status == DLS_IMPACTING;
}

typedef struct contact_names {
  char text[320];  // "contact a", "contacts a, b and 3 more"
  int count;
} contact_names;

static contact_names name_contacts(const dls_contact_state *s, bool (*belongs)(const dls_contact *))
{
  enum { NAMED = 3 };
  contact_names names = {.text = ""};
  char list[NAMED * 72] = "", more[32] = "";
  int used = 0;
  for (int i = 0; i < s->m; i++) {
    if (!belongs(&s->contacts[i]) || names.count++ >= NAMED) continue;
    used += snprintf(list + used, sizeof list - (size_t)used, "%s%.64s",
                     names.count > 1 ? ", " : "", s->contacts[i].name ? s->contacts[i].name : "?");
  }
  if (names.count > NAMED) snprintf(more, sizeof more, " and %d more", names.count - NAMED);
  snprintf(names.text, sizeof names.text, "contact%s %s%s", names.count == 1 ? "" : "s", list,
           more);
  return names;
}

// "contact a has friction, END", "contacts a, b and 3 more have friction, END"
static void say_friction(const dls_report *report, const char *end, dls_message *message)
{
  const contact_names names = name_contacts(report->contact_state, rubs);
  snprintf(message->text, sizeof message->text, "%s ha%s friction, %s", names.text,
           names.count == 1 ? "s" : "ve", end);
}

static void say_impact(const dls_report *report, dls_message *message)
{
  const contact_names names = name_contacts(report->contact_state, hits);
  snprintf(message->text, sizeof message->text,
           "%s hit%s, so velocities jump before accelerations are defined", names.text,
           names.count == 1 ? "s" : "");
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
  if (s->impact && index-- == 0) {
    say_impact(report, note);
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
