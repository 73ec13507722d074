// The report for people.
#include <delassus/report.h>

#include "base/memory.h"
#include "io/report_headline.h"
#include "io/report_outputs.h"
#include "io/report_parts.h"
#include "io/report_reason.h"
#include "base/text.h"

#include <delassus/output.h>

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 8, MATRIX = 5 };

// "x = 1, t = 2" says the time already; "t = pi/2" does not.
static bool sets_time(const char *at)
{
  for (const char *s = at; s && *s; s += strcspn(s, ","), s += *s == ',') {
    s += strspn(s, " \t");
    const char *after = *s == 't' ? s + 1 + strspn(s + 1, " \t") : "";
    if (*after != '=') continue;
    const char *number = after + 1 + strspn(after + 1, " \t");
    const char *end = number + strspn(number, "-.0123456789eE");
    end += strspn(end, " \t");
    if (end > number && (*end == ',' || !*end)) return true;
  }
  return false;
}

static void header(dls_page *p)
{
  const dls_report *r = p->report;
  const dls_contact_state *s = r->contact_state;
  dls_page_style(p, "1");
  dls_text_clean(&p->text, r->title && r->title[0] ? r->title : "Contact problem", DLS_PAGE_WIDTH);
  dls_page_style(p, "0");
  dls_text_add(&p->text, "\n");

  dls_text line = {0};
  dls_text_clean(&line, r->model ? r->model : "(no file)", 80);
  if (r->at && r->at[0]) {
    dls_text_add(&line, ", at ");
    dls_text_clean(&line, r->at, 80);
  } else {
    dls_text_add(&line, ", at the initial values");
  }
  if (!sets_time(r->at)) dls_text_add(&line, ", t = %s", dls_number(s->t).text);
  if (s->tolerance == s->rest)
    dls_text_add(&line, "; below %s counts as zero", dls_number(s->tolerance).text);
  else
    dls_text_add(&line, "; gaps below %s and velocities below %s count as zero",
                 dls_number(s->tolerance).text, dls_number(s->rest).text);
  if (r->object) {
    dls_text_add(&line, "; object ");
    dls_text_clean(&line, r->object, DLS_PAGE_NAME);
  }
  dls_page_wrapped(p, &line, 0, 2);
}

// One of the lines that answer first.
static void answer(dls_page *p, const char *label, void (*add)(dls_text *, const dls_report *))
{
  enum { COLUMN = 8 };
  dls_text words = {0};
  add(&words, p->report);
  if (words.failed) p->text.failed = true;
  if (words.length == 0) return;
  dls_page_style(p, "1");
  dls_text_pad(&p->text, label, COLUMN);
  dls_page_style(p, "0");
  dls_page_wrapped(p, &words, COLUMN, COLUMN);
}

static void headline(dls_page *p)
{
  const size_t before = p->text.length;
  dls_text_add(&p->text, "\n");
  const size_t empty = p->text.length;
  answer(p, "Motion", p->report->contact_state->impact ? dls_add_impact_line : dls_add_motion_line);
  answer(p, "Forces", dls_add_forces_line);
  answer(p, "Watch", dls_add_watch_line);
  if (p->text.length == empty && !p->text.failed) p->text.data[p->text.length = before] = 0;
}

static void state(dls_page *p)
{
  const dls_report *r = p->report;
  dls_page_heading(p, "State and contacts");
  dls_page_configuration(p, r->contact_state->q);
  dls_page_values(p, "velocities", r->contact_state->v,
                  dls_page_state_noise(r, r->contact_state->rest), "'");
  if (r->projection) {
    dls_text_add(&p->text, "  projected    coordinates moved by up to %s, velocities by up to %s\n",
                 dls_number(r->projection->moved_q).text, dls_number(r->projection->moved_v).text);
  }
}

static int lines_of(const dls_page *p)
{
  int lines = 0;
  for (size_t i = 0; i < p->text.length; i++) lines += p->text.data[i] == '\n';
  return lines;
}

static void status_words(dls_text *line, const dls_contact *c)
{
  const double slip = c->tangents == 2   ? hypot(c->slip[0], c->slip[1])
                      : c->tangents == 1 ? fabs(c->slip[0])
                                         : 0;
  switch (c->status) {
  case DLS_OPEN: dls_text_add(line, "open, gap %s", dls_number(c->gap).text); return;
  case DLS_SEPARATING:
    dls_text_add(line, "separating at %s", dls_number(c->normal_velocity).text);
    return;
  case DLS_IMPACTING:
    dls_text_add(line, "impacting at %s", dls_number(-c->normal_velocity).text);
    break;
  case DLS_SLIDING: dls_text_add(line, "closed, slipping at %s", dls_number(slip).text); break;
  case DLS_STICKING: dls_text_add(line, c->tangents ? "closed, not slipping" : "closed"); break;
  }
  if (c->tangents && c->friction > 0)
    dls_text_add(line, ", friction %s", dls_number(c->friction).text);
  if (c->bounded) dls_text_add(line, ", friction force %s", dls_number(c->friction_force).text);
  if (c->has_static) dls_text_add(line, ", static %s", dls_number(c->static_friction).text);
}

// Width of the name column: the longest name that is shown.
static int name_columns(const dls_page *p)
{
  const dls_report *r = p->report;
  int columns = 11;  // as "coordinates" has
  for (int k = 0; p->grouped && k < p->groups.count; k++) {
    dls_text name = {0};
    dls_report_group_name(r, &p->groups.group[k], &name);
    const int width = name.data ? dls_text_width(name.data) : 0;
    if (width > columns) columns = width;
    dls_text_free(&name);
  }
  const bool all = !p->grouped || r->impact;  // impulses are listed one by one
  for (int i = 0; all && i < r->contact_state->m; i++) {
    const char *name = r->contact_state->contacts[i].name;
    const int width = name ? dls_text_width(name) : 0;
    if (width > columns) columns = width;
  }
  return columns < DLS_PAGE_NAME ? columns : DLS_PAGE_NAME;
}

static void contact_row(dls_page *p, const char *name, const dls_contact *c, dls_text *words)
{
  dls_text_add(&p->text, "  ");
  dls_text_pad(&p->text, name ? name : "", p->name_columns);
  dls_text_add(&p->text, "  %-10s  ",
               c->rolling                 ? "rolling"
               : c->dry                   ? "friction"
               : c->kind == DLS_BILATERAL ? "bilateral"
                                          : "unilateral");
  dls_page_wrapped(p, words, p->name_columns + 16, p->name_columns + 16);
}

static void contact_groups(dls_page *p)
{
  const dls_contact_state *s = p->report->contact_state;
  const int shown = dls_page_rows(p, p->groups.count);
  for (int k = 0; k < shown; k++) {
    const dls_report_group *g = &p->groups.group[k];
    dls_text words = {0}, name = {0};
    if (g->contacts == 1) status_words(&words, &s->contacts[g->first]);
    else dls_report_group_words(g, &words);
    dls_report_group_name(p->report, g, &name);
    if (name.failed) p->text.failed = true;
    contact_row(p, name.data, &s->contacts[g->first], &words);
    dls_text_free(&name);
  }
  if (shown == p->groups.count) return;
  dls_text_add(&p->text, "  … and %d more pairs of bodies (all with --full)\n",
               p->groups.count - shown);
}

static void contacts(dls_page *p)
{
  const dls_contact_state *s = p->report->contact_state;
  if (s->m == 0) dls_text_add(&p->text, "  no contacts\n");
  if (p->grouped) {
    contact_groups(p);
    return;
  }
  const int shown = dls_page_rows(p, s->m);
  for (int i = 0; i < shown; i++) {
    dls_text words = {0};
    status_words(&words, &s->contacts[i]);
    contact_row(p, s->contacts[i].name, &s->contacts[i], &words);
  }
  if (shown == s->m) return;
  int open = 0;
  for (int i = shown; i < s->m; i++)
    open += s->contacts[i].status == DLS_OPEN || s->contacts[i].status == DLS_SEPARATING;
  dls_text_add(&p->text, "  … and %d more contacts, %d closed and %d open (all with --full)\n",
               s->m - shown, s->m - shown - open, open);
}

static void verdicts(dls_page *p)
{
  static const char *const colours[] = {[DLS_YES] = "32", [DLS_NO] = "31", [DLS_UNDECIDED] = "33"};
  static const char *const marks[] = {[DLS_YES] = "yes", [DLS_NO] = "no", [DLS_UNDECIDED] = "?"};
  dls_page_heading(p, "Is the problem well posed?  (delassus explain QUESTION: what a line means)");
  for (int q = 0; q < DLS_QUESTION_COUNT; q++) {
    const dls_verdict v = dls_report_verdict(p->report, (dls_question)q);
    if (v.answer == DLS_NOT_ASKED) continue;
    dls_text reason = {0};
    dls_report_reason(&reason, p->report, (dls_question)q, &v);
    dls_text_add(&p->text, "  %-32s  ", dls_question_words((dls_question)q));
    dls_page_style(p, colours[v.answer]);
    dls_text_add(&p->text, "%-3s", marks[v.answer]);
    dls_page_style(p, "0");
    dls_text_add(&p->text, reason.length ? "  " : "");
    dls_page_wrapped(p, &reason, 41, 41);
  }
}

static void delassus(dls_page *p)
{
  const dls_check *c = p->report->check;
  const int m = p->report->contact_state->problem.m_u;
  if (m == 0 || (c->A_c && m > MATRIX)) return;
  if (c->A_c && lines_of(p) + 2 + m > DLS_PAGE_LINES) return;  // no room
  if (!c->A_c) {
    dls_text words = {0};
    dls_text_add(&words, "not defined: ");
    dls_text_clean(&words, c->A_c_reason ? c->A_c_reason : "not computed", 200);
    dls_page_heading(p, "Delassus matrix");
    dls_text_add(&p->text, "  ");
    dls_page_wrapped(p, &words, 2, 2);
    return;
  }
  dls_page_heading(
      p, p->report->contact_state->problem.m_b
             ? "Delassus matrix with the bilateral constraints kept: accelerations per unit force"
             : "Delassus matrix: accelerations per unit force");
  const int name = p->name_columns < 18 ? p->name_columns : 18;
  for (int i = 0; i < m; i++) {
    dls_name_text made;
    dls_text_add(&p->text, "  ");
    dls_text_pad(&p->text, dls_report_constraint(p->report, DLS_INDEX_UNILATERAL, i, &made), name);
    for (int j = 0; j < m; j++) {
      const double x = c->A_c[j * m + i];
      const double size = sqrt(c->A_c[i * m + i]) * sqrt(c->A_c[j * m + j]);
      dls_text_add(&p->text, "%*s", DLS_PAGE_NUMBER,
                   dls_number(fabs(x) <= 1e-14 * size ? 0 : x).text);
    }
    dls_text_add(&p->text, "\n");
  }
}

static void outputs(dls_page *p)
{
  const dls_report *r = p->report;
  const int count = dls_report_output_count(r);
  if (count == 0) return;
  double *value = dls_alloc(count, sizeof *value);
  if (!value || !dls_report_outputs(r, value)) {
    p->text.failed = true;
    free(value);
    return;
  }
  dls_page_heading(p, "Outputs");
  for (int i = 0; i < count && i < p->rows && !p->text.failed; i++) {
    dls_text_add(&p->text, "  ");
    dls_text_pad(&p->text, dls_model_output_name(dls_system_model(r->system), i), p->name_columns);
    dls_text_add(&p->text, " %s\n", isfinite(value[i]) ? dls_number(value[i]).text : "no value");
  }
  if (count > p->rows)
    dls_text_add(&p->text, "  … and %d more (all with --full)\n", count - p->rows);
  free(value);
}

static void notes(dls_page *p)
{
  dls_message note = {0};
  for (int i = 0; dls_report_note(p->report, i, &note); i++) {
    dls_text words = {0};
    if (i == 0) dls_text_add(&p->text, "\n");
    if (i == ROWS - 1 && dls_report_note(p->report, i + 1, &note)) {
      dls_text_add(&p->text, "… and more notes (all with --full)\n");
      return;
    }
    dls_text_add(&words, "Note: ");
    dls_text_clean(&words, note.text, (int)sizeof note.text);
    dls_page_wrapped(p, &words, 0, 6);
  }
}

static void write_page(dls_page *p)
{
  header(p);
  headline(p);
  state(p);
  contacts(p);
  verdicts(p);
  dls_page_motion(p);
  dls_page_impact(p);
  dls_page_limits(p);
  delassus(p);
  outputs(p);
  notes(p);
}

// Contacts stand in two lists, so their length decides whether the page fits a screen.
static dls_status fit_screen(dls_page *p)
{
  enum { FEWEST = 4 };
  bool some = false;
  const bool many = p->report->contact_state->m > p->rows;
  const dls_status status = many ? dls_report_groups_make(p->report, &p->groups, &some) : DLS_OK;
  if (status != DLS_OK) return status;
  p->grouped = some;
  p->name_columns = name_columns(p);
  write_page(p);
  while (!p->text.failed && !p->full && lines_of(p) > DLS_PAGE_LINES && p->rows > FEWEST) {
    dls_text_free(&p->text);
    p->rows--;
    write_page(p);
  }
  return DLS_OK;
}

dls_status dls_report_text(const dls_report *report, const dls_report_options *options, char **text)
{
  *text = NULL;
  if (!report || !report->contact_state || !report->check) return DLS_ERR_ARGUMENT;
  dls_page p = {
      .report = report, .colour = options && options->colour, .full = options && options->full};
  p.rows = p.full ? INT_MAX : ROWS;
  dls_status status = fit_screen(&p);
  dls_report_groups_free(&p.groups);
  if (status == DLS_OK && p.text.failed) status = DLS_ERR_MEMORY;
  if (status == DLS_OK) *text = p.text.data;
  else dls_text_free(&p.text);
  return status;
}
