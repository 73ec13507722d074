#include "io/report_parts.h"

#include "base/text.h"

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
  const dls_problem *p = &report->contact_state->problem;
  if (i >= p->n && p->weights) p = &p->weights->problem;
  const char *const *names = p->coordinates;
  if (!names && report->system) names = report->system->coordinates;
  return name_or(names, i, "q", made);
}

const char *dls_report_constraint(const dls_report *report, dls_index_set index_set, int i,
                                  dls_name_text *made)
{
  const dls_contact_state *s = report->contact_state;
  const bool b = index_set == DLS_INDEX_BILATERAL;
  const char *const *names = b ? s->problem.bilateral : s->problem.unilateral;
  const int *contact = b ? s->bilateral_contact : s->unilateral_contact;
  if (!b && i >= s->problem.m_u && s->problem.weights)
    return s->problem.weights->problem.unilateral[i];
  if (!names && contact && s->contacts && s->contacts[contact[i]].name)
    return s->contacts[contact[i]].name;
  return name_or(names, i, b ? "b" : "u", made);
}

const char *dls_report_closed(const dls_report *report, int i, dls_name_text *made)
{
  const int m_b = report->contact_state->problem.m_b;
  if (i < m_b) return dls_report_constraint(report, DLS_INDEX_BILATERAL, i, made);
  return dls_report_constraint(report, DLS_INDEX_UNILATERAL, i - m_b, made);
}

// The closed contact that has slip k.
static int contact_of_slip(const dls_problem *p, int k)
{
  int i = 0;
  while (p->friction && i < p->m_b + p->m_u - 1 && p->friction->first[i + 1] <= k) i++;
  return i;
}

const char *dls_report_over(const dls_report *report, dls_index_set index_set, int i,
                            dls_name_text *made)
{
  switch (index_set) {
  case DLS_INDEX_COORDINATES: return dls_report_coordinate(report, i, made);
  case DLS_INDEX_BILATERAL:
  case DLS_INDEX_UNILATERAL: return dls_report_constraint(report, index_set, i, made);
  case DLS_INDEX_CLOSED: return dls_report_closed(report, i, made);
  case DLS_INDEX_TANGENTS: break;
  }
  const dls_problem *p = &report->contact_state->problem;
  if (p->weights) p = &p->weights->problem;
  return dls_report_closed(report, contact_of_slip(p, i), made);
}

int dls_report_force_count(const dls_report *report)
{
  const dls_problem *p = &report->contact_state->problem;
  return p->m_b + p->m_u + (p->weights ? p->weights->dry : 0);
}

const char *dls_report_force_name(const dls_report *report, int i, dls_name_text *made)
{
  const dls_problem *p = &report->contact_state->problem;
  if (i < p->m_b + p->m_u) return dls_report_closed(report, i, made);
  return dls_report_contact(report, i)->name;
}

// The contact that the weight of friction i presses, among those of the problem with weights; -1.
static int pressed(const dls_report *report, int i)
{
  const dls_problem *p = &report->contact_state->problem;
  const int m = p->m_b + p->m_u;
  if (!p->weights || i >= m) return p->weights ? i : -1;
  for (int k = p->weights->dry; k < p->weights->count; k++)
    if (p->weights->contact[k] == i) return m + k;
  return -1;
}

const dls_contact *dls_report_contact(const dls_report *report, int i)
{
  const dls_contact_state *s = report->contact_state;
  const int m_b = s->problem.m_b, m = m_b + s->problem.m_u;
  if (i >= m && s->problem.weights) return &s->contacts[s->problem.weights->system[i - m]];
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

static double entry(const double *x, int i)
{
  return x ? x[i] : (double)NAN;
}

static void normal_force(const dls_report *report, const dls_solution *s, int i,
                         dls_report_force *f)
{
  const int m_b = report->contact_state->problem.m_b, k = i - m_b;
  const bool b = i < m_b;
  f->dry = k >= report->contact_state->problem.m_u;
  f->normal_known = f->dry;
  if (f->dry) return;
  f->normal = b ? entry(s->lambda_b, i) : entry(s->lambda_u, k);
  f->low = b ? entry(s->low_b, i) : entry(s->low_u, k);
  f->high = b ? entry(s->high_b, i) : entry(s->high_u, k);
  f->opening = b ? 0 : entry(s->a_u, k);
  f->normal_known = !isnan(f->low) && !isnan(f->high);
}

// H^T z + b_t for the slips of a contact.
void dls_report_slipping(const dls_report *report, const dls_solution *s, int i,
                         dls_report_force *f)
{
  const dls_problem *p = report->check->weighted;
  const int own = pressed(report, i);
  if (!p) p = &report->check->problem;
  const dls_friction *friction = p->friction;
  if (!friction) return;
  const int first = friction->first[own < 0 ? i : own];
  f->slipping_known = friction->H && friction->b_t && s->acceleration;
  for (int k = 0; f->slipping_known && k < f->tangents; k++) {
    const double *H = friction->H + (size_t)(first + k) * (size_t)p->n;
    f->slipping[k] = friction->b_t[first + k];
    for (int j = 0; j < p->n; j++) f->slipping[k] += H[j] * s->acceleration[j];
  }
}

// Without tangential forces in the solution they are zero, unless there is friction.
static void tangential_force(const dls_report *report, const dls_solution *s, int i,
                             dls_report_force *f)
{
  const dls_problem *p = &report->contact_state->problem;
  const dls_contact *c = dls_report_contact(report, i);
  const int own = pressed(report, i);
  if (p->weights) p = &p->weights->problem;
  if (own >= 0) i = own;
  const int first = p->friction ? p->friction->first[i] : 0;
  const int tangents = p->friction ? p->friction->first[i + 1] - first : c ? c->tangents : 0;
  f->tangents = tangents < 2 ? tangents : 2;
  f->rubs = f->tangents > 0 && (p->friction ? p->friction->mu[i] > 0 : c && c->friction > 0);
  f->tangential_known = true;
  const double none = f->rubs || isnan(f->low) || isnan(f->high) ? (double)NAN : 0;
  for (int k = 0; k < f->tangents; k++) {
    f->tangential[k] = s->tau ? s->tau[first + k] : f->rubs ? (double)NAN : 0;
    f->low_t[k] = s->low_t ? s->low_t[first + k] : none;
    f->high_t[k] = s->high_t ? s->high_t[first + k] : none;
    if (isnan(f->low_t[k]) || isnan(f->high_t[k])) f->tangential_known = false;
  }
}

// The check has decided with its tolerances: it tells the modes, makes the ends of the interval of
// a force that is determined equal, and a_u and lambda_u exactly zero where a contact stays closed
// or opens. So nothing here depends on units.
dls_report_force dls_report_force_at(const dls_report *report, const dls_solution *s, int i)
{
  dls_report_force f = {0};
  normal_force(report, s, i, &f);
  tangential_force(report, s, i, &f);
  if (f.dry) f.normal_known = f.tangential_known;
  f.loose = f.normal_known && f.low != f.high;
  for (int k = 0; f.tangential_known && k < f.tangents; k++)
    f.loose = f.loose || f.low_t[k] != f.high_t[k];
  f.determined = f.normal_known && f.tangential_known && !f.loose;
  const int own = pressed(report, i);
  const bool open = own >= 0 && !f.dry && s->mode && s->mode[i] == DLS_MODE_DETACH;
  if (s->mode) {
    const unsigned char mode = s->mode[own < 0 || open ? i : own];
    f.mode = mode & ~DLS_MODE_PULLING;
    f.pulls = (mode & DLS_MODE_PULLING) != 0;
  } else if (f.opening > 0 && f.normal == 0) {
    f.mode = DLS_MODE_DETACH;
  } else if (!f.rubs) {
    f.mode = DLS_MODE_CLOSED;
  }
  return f;
}

// Newton's law is the one with the matrix E where no contact separates faster. If velocities are
// unique there, all percussions of that law are Newton's.
const dls_solution *dls_report_percussions(const dls_report *report)
{
  const dls_impact *impact = report->impact;
  if (!impact || !impact->motion || impact->poisson) return NULL;
  const bool newton = impact->law == DLS_LAW_NEWTON;
  const dls_continuum kind = impact->motion->continuum;
  if (newton && kind != DLS_CONTINUUM_NONE && kind != DLS_CONTINUUM_FORCES) return NULL;
  const dls_impact_problem *law = newton ? &impact->matrix : &impact->moreau;
  for (int k = 0; law->check && law->check->solution && k < law->motions; k++)
    if (&law->motion[k] == impact->motion) return &law->check->solution[k];
  return NULL;
}

// "contact a hits, …", "contacts a, b, c and 3 more hit, …"
static void say_impact(const dls_contact_state *s, dls_message *message)
{
  enum { NAMED = 3 };
  char list[NAMED * 72] = "", more[32] = "";
  int used = 0, count = 0;
  for (int i = 0; i < s->m; i++) {
    if (s->contacts[i].status != DLS_IMPACTING || count++ >= NAMED) continue;
    used += snprintf(list + used, sizeof list - (size_t)used, "%s%.64s", count > 1 ? ", " : "",
                     s->contacts[i].name ? s->contacts[i].name : "?");
  }
  if (count > NAMED) snprintf(more, sizeof more, " and %d more", count - NAMED);
  snprintf(message->text, sizeof message->text,
           "contact%s %s%s hit%s, so velocities jump before accelerations are defined",
           count == 1 ? "" : "s", list, more, count == 1 ? "s" : "");
}

dls_verdict dls_report_verdict(const dls_report *report, dls_question question)
{
  const bool acceleration = question >= DLS_ACCELERATION_EXISTS && question <= DLS_CAN_ALL_STICK;
  if (acceleration && report->contact_state->impact)
    return (dls_verdict){.answer = DLS_NOT_ASKED, .margin = (double)NAN};
  return report->check->verdict[question];
}

bool dls_report_note(const dls_report *report, int index, dls_message *note)
{
  const dls_contact_state *s = report->contact_state;
  if (s->impact && index-- == 0) {
    say_impact(s, note);
    return true;
  }
  if (index < 0 || index >= report->notes) return false;
  snprintf(note->text, sizeof note->text, "%s", report->note[index]);
  return true;
}

dls_report_options dls_report_defaults(void)
{
  return (dls_report_options){.colour = false, .full = false};
}

void dls_report_text_free(char *text)
{
  free(text);
}
