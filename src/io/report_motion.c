// The solutions in the report for people.
#include "io/report_page.h"
#include "io/report_parts.h"

#include <limits.h>
#include <math.h>

enum { SOLUTIONS = 4, SHORT_VALUES = 6, SHORT_FORCES = 5 };

static bool bilateral_is_next(const dls_report *r, int b, int u)
{
  const dls_contact_state *s = r->contact_state;
  if (b == s->problem.m_b || u >= s->problem.m_u) return b < s->problem.m_b;
  if (!s->bilateral_contact || !s->unilateral_contact) return true;
  return s->bilateral_contact[b] < s->unilateral_contact[u];
}

// The forces in the order of the contacts, of which b bilateral and u unilateral ones are done;
// then those of friction alone.
static int next_force(const dls_report *r, int *b, int *u)
{
  const dls_problem *p = &r->contact_state->problem;
  if (bilateral_is_next(r, *b, *u)) return (*b)++;
  return p->m_b + (*u)++;
}

// What the contact does, in a word or two.
static const char *mode_words(const dls_report *r, int i, const dls_report_force *f)
{
  const dls_contact *c = dls_report_contact(r, i);
  switch (f->mode) {
  case DLS_MODE_DETACH: return "lifts off";
  case DLS_MODE_CLOSED: return "stays closed";
  case DLS_MODE_STICK: return "sticks";
  case DLS_MODE_SLIDE:
  case DLS_MODE_SLIDE_PLUS:
  case DLS_MODE_SLIDE_MINUS: return c && c->status == DLS_STICKING ? "starts to slide" : "slides";
  default: return "";
  }
}

// "1.5" or "1.5, -2"; "" without slips.
static void add_tangential(dls_text *text, const dls_report_force *f, double noise)
{
  for (int k = 0; k < f->tangents; k++)
    dls_text_add(text, "%s%s", k ? ", " : "", dls_page_number(f->tangential[k], noise).text);
}

// ---- without friction --------------------------------------------------------------------------

static void range_words(dls_text *words, const dls_page *p, const dls_report_force *f)
{
  const bool decided = p->report->check->verdict[DLS_FORCES_UNIQUE].answer != DLS_UNDECIDED;
  if (f->mode == DLS_MODE_DETACH) {
    dls_text_add(words, "lifts off, normal acceleration %s", dls_number(f->opening).text);
  } else if (!f->normal_known) {
    dls_text_add(words, "range not computed");
  } else if (!f->determined) {
    dls_text_add(words, "%s … %s (%s; shown: least norm)", dls_number(f->low).text,
                 dls_number(f->high).text, decided ? "not determined" : "undecided");
  } else {
    dls_text_add(words, decided ? "determined" : "undecided whether it is determined");
  }
}

// ---- with friction -----------------------------------------------------------------------------

void dls_add_force_range(dls_text *words, const dls_report_force *f, const char *before)
{
  if (f->normal_known && f->low != f->high) {
    dls_text_add(words, "%snormal\u00a0%s\u00a0…\u00a0%s", before, dls_number(f->low).text,
                 dls_number(f->high).text);
    before = ", ";
  }
  for (int k = 0; f->tangential_known && k < f->tangents; k++) {
    if (f->low_t[k] == f->high_t[k]) continue;
    dls_text_add(words, "%stangential\u00a0%s\u00a0…\u00a0%s", before, dls_number(f->low_t[k]).text,
                 dls_number(f->high_t[k]).text);
    before = ", ";
  }
}

// "sticks, pulls; normal 0 … 9.81, tangential -1 … 1"
static void friction_words(dls_text *words, const dls_page *p, int i, const dls_report_force *f)
{
  dls_text_add(words, "%s", mode_words(p->report, i, f));
  if (f->mode == DLS_MODE_DETACH)
    dls_text_add(words, ", normal acceleration %s", dls_number(f->opening).text);
  if (f->pulls) dls_text_add(words, ", pulls");
  dls_add_force_range(words, f, words->length ? "; " : "");
}

// Columns of the tangential forces: 0 without friction.
static int tangential_columns(const dls_report *r)
{
  int tangents = 0;
  for (int i = 0; r->contact_state->friction && i < dls_report_force_count(r); i++) {
    const int count = dls_report_force_at(r, r->check->solution, i).tangents;
    if (count > tangents) tangents = count;
  }
  return tangents == 2 ? 2 * DLS_PAGE_NUMBER + 1 : tangents == 1 ? DLS_PAGE_NUMBER : 0;
}

// ---- one solution ------------------------------------------------------------------------------

static void force_row(dls_page *p, int i, int tangential, double noise)
{
  const dls_report_force f = dls_report_force_at(p->report, p->report->check->solution, i);
  dls_name_text made;
  dls_text_add(&p->text, "  ");
  dls_text_pad(&p->text, dls_report_force_name(p->report, i, &made), p->name_columns);
  dls_text_add(&p->text, "  ");
  dls_text_pad(&p->text, f.dry ? "" : dls_page_number(f.normal, noise).text, DLS_PAGE_NUMBER);
  dls_text_add(&p->text, "  ");
  int column = 2 + p->name_columns + 2 + DLS_PAGE_NUMBER + 2;
  dls_text words = {0};
  if (tangential) {
    dls_text along = {0};
    add_tangential(&along, &f, noise);
    if (along.failed) p->text.failed = true;
    dls_text_pad(&p->text, along.data ? along.data : "", tangential);
    dls_text_add(&p->text, "  ");
    dls_text_free(&along);
    column += tangential + 2;
    friction_words(&words, p, i, &f);
  } else {
    range_words(&words, p, &f);
  }
  dls_page_wrapped(p, &words, column, column);
}

// The index of the force of a contact; -1: none.
static int force_of(const dls_report *r, int contact)
{
  const int m = dls_report_force_count(r);
  for (int i = 0; i < m; i++)
    if (dls_report_contact(r, i) == &r->contact_state->contacts[contact]) return i;
  return -1;
}

static void force_groups(dls_page *p, int tangential)
{
  const double noise = dls_page_force_noise(p->report, p->report->check->solution);
  int closed = 0, row = 0;
  for (int k = 0; k < p->groups.count; k++) closed += p->groups.group[k].closed > 0;
  const int shown = dls_page_rows(p, closed);
  for (int k = 0; k < p->groups.count && row < shown; k++) {
    const dls_report_group *g = &p->groups.group[k];
    dls_text name = {0};
    if (g->closed == 0) continue;
    row++;
    if (g->contacts == 1) {
      force_row(p, force_of(p->report, g->first), tangential, noise);
      continue;
    }
    dls_report_group_name(p->report, g, &name);
    if (name.failed) p->text.failed = true;
    dls_text_add(&p->text, "  ");
    dls_text_pad(&p->text, name.data ? name.data : "", p->name_columns);
    dls_text_add(&p->text, "  ");
    dls_text_pad(&p->text, dls_page_number(g->force, noise).text, DLS_PAGE_NUMBER);
    dls_text_add(&p->text, "  normal forces of %d contacts, their sum%s\n", g->closed,
                 g->loose ? "; not determined one by one" : "");
    dls_text_free(&name);
  }
  if (shown < closed)
    dls_text_add(&p->text, "  … and %d more pairs of bodies (all with --full)\n", closed - shown);
}

static void one_solution(dls_page *p)
{
  const int m = dls_report_force_count(p->report), shown = dls_page_rows(p, m);
  const int tangential = tangential_columns(p->report);
  const dls_solution *s = p->report->check->solution;
  dls_page_values(p, "acceleration", s->acceleration, dls_page_acceleration_noise(p->report, s),
                  "''");
  if (tangential) {
    dls_text_add(&p->text, "  ");
    dls_text_pad(&p->text, "force", p->name_columns);
    dls_text_add(&p->text, "  normal         tangential\n");
  }
  if (p->grouped) {
    force_groups(p, tangential);
    return;
  }
  const double noise = dls_page_force_noise(p->report, s);
  for (int row = 0, b = 0, u = 0; row < shown; row++)
    force_row(p, next_force(p->report, &b, &u), tangential, noise);
  if (shown < m) dls_text_add(&p->text, "  … and %d more forces (all with --full)\n", m - shown);
}

// ---- several solutions -------------------------------------------------------------------------

// "wall slides (normal 3.2, tangential 0.96)"
static void add_force(dls_text *text, const dls_report *r, const dls_solution *s, int i)
{
  const double noise = dls_page_force_noise(r, s);
  const dls_report_force f = dls_report_force_at(r, s, i);
  dls_name_text made;
  dls_text_clean(text, dls_report_force_name(r, i, &made), DLS_PAGE_NAME);
  const char *words = mode_words(r, i, &f);
  dls_text_add(text, "%s%s%s", words[0] ? " " : "", words, f.pulls ? ", pulls" : "");
  if (f.mode == DLS_MODE_DETACH) return;
  dls_text_add(text, " (");
  if (!f.dry) dls_text_add(text, "normal\u00a0%s", dls_page_number(f.normal, noise).text);
  if (f.tangents) dls_text_add(text, f.dry ? "" : ", tangential\u00a0");
  add_tangential(text, &f, noise);
  dls_text_add(text, ")");
}

static void short_solution(dls_page *p, int k)
{
  const dls_report *r = p->report;
  const dls_solution *s = &r->check->solution[k];
  const int m = dls_report_force_count(r);
  dls_text line = {0};
  dls_add_values(&line, r, s->acceleration, dls_page_acceleration_noise(r, s),
                 p->full ? INT_MAX : SHORT_VALUES, "''");
  const int most = p->full ? m : SHORT_FORCES;
  for (int row = 0, b = 0, u = 0; row < m && row < most; row++) {
    dls_text_add(&line, "; ");
    add_force(&line, r, s, next_force(r, &b, &u));
  }
  if (m > most) dls_text_add(&line, "; … and %d more forces", m - most);
  if (s->continuum == DLS_CONTINUUM_FORCES) dls_text_add(&line, "; one of many forces");
  if (s->continuum == DLS_CONTINUUM_ACCELERATION) dls_text_add(&line, "; one of a continuum");
  dls_text_add(&p->text, "  %d  ", k + 1);
  dls_page_wrapped(p, &line, 5, 5);
}

// Whether more than what is listed may be there.
static bool is_open_ended(const dls_check *c)
{
  return c->solution_count < 0 && c->verdict[DLS_ACCELERATION_UNIQUE].answer != DLS_YES;
}

void dls_page_motion(dls_page *p)
{
  const dls_check *c = p->report->check;
  if (!c->solution || c->solutions == 0) return;
  const char *end = is_open_ended(c) ? "; there may be more" : "";
  dls_text title = {0};
  dls_text_add(&title, c->solutions > 1 ? "Accelerations and forces" : "Acceleration and forces");
  if (c->solution_count > c->solutions)
    dls_text_add(&title, ": %d of %d solutions", c->solutions, c->solution_count);
  else if (c->solutions > 1 || end[0])
    dls_text_add(&title, ": %d solution%s%s", c->solutions, c->solutions > 1 ? "s" : "", end);
  if (title.failed) p->text.failed = true;
  dls_page_heading(p, title.data ? title.data : "");
  dls_text_free(&title);

  if (c->solutions == 1) {
    one_solution(p);
    return;
  }
  const int shown = p->full || c->solutions <= SOLUTIONS ? c->solutions : SOLUTIONS - 1;
  for (int k = 0; k < shown; k++) short_solution(p, k);
  if (shown < c->solutions)
    dls_text_add(&p->text, "  … and %d more solutions (all with --full)\n", c->solutions - shown);
}
