// The report for people. A screen is 40 lines of 100 columns: lists longer than a screen can take
// are cut, with what was left out counted.
#include <delassus/report.h>

#include "io/report_parts.h"
#include "io/report_reason.h"
#include "io/text.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 100, ROWS = 8, MATRIX = 5, VALUES = 12, NAME_MAX_COLUMNS = 24, NUMBER = 13 };

typedef struct page {
  dls_text text;
  const dls_report *report;
  bool colour;
  int name_columns;  // of the contacts' table
} page;

static void style(page *p, const char *code)
{
  if (p->colour) dls_text_add(&p->text, "\033[%sm", code);
}

static void heading(page *p, const char *words)
{
  dls_text_add(&p->text, "\n");
  style(p, "1");
  dls_text_add(&p->text, "%s", words);
  style(p, "0");
  dls_text_add(&p->text, "\n");
}

// Adds `words` after `column` characters of the line and ends it.
static void wrapped(page *p, dls_text *words, int column, int indent)
{
  if (words->failed) p->text.failed = true;
  if (words->data) dls_text_wrap(&p->text, words->data, column, indent, WIDTH);
  dls_text_add(&p->text, "\n");
  dls_text_free(words);
}

// "x = 1, y = 0.5, … and 12 more"; marks follow each name.
static void values(page *p, const char *label, const double *x, int count, const char *marks)
{
  dls_text line = {0};
  for (int i = 0; i < count && i < VALUES; i++) {
    dls_name_text made;
    if (i) dls_text_add(&line, ", ");
    dls_text_clean(&line, dls_report_coordinate(p->report, i, &made), NAME_MAX_COLUMNS);
    dls_text_add(&line, "%s\u00a0=\u00a0%s", marks, dls_number(x[i]).text);
  }
  if (count > VALUES) dls_text_add(&line, ", … and %d more (all in --json)", count - VALUES);
  dls_text_add(&p->text, "  ");
  dls_text_pad(&p->text, label, 13);
  wrapped(p, &line, 15, 15);
}

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

static void header(page *p)
{
  const dls_report *r = p->report;
  const dls_contact_state *s = r->contact_state;
  style(p, "1");
  dls_text_clean(&p->text, r->title && r->title[0] ? r->title : "Contact problem", WIDTH);
  style(p, "0");
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
  dls_text_add(&line, "; below %s counts as zero", dls_number(r->check->tolerance).text);
  wrapped(p, &line, 0, 2);
  values(p, "coordinates", s->q, s->n, "");
  values(p, "velocities", s->v, s->n, "'");
  if (r->projection) {
    dls_text_add(&p->text, "  projected    coordinates moved by up to %s, velocities by up to %s\n",
                 dls_number(r->projection->moved_q).text, dls_number(r->projection->moved_v).text);
  }
}

static void status_words(dls_text *line, const dls_contact *c)
{
  const double slip = c->slips == 2   ? hypot(c->slip[0], c->slip[1])
                      : c->slips == 1 ? fabs(c->slip[0])
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
  case DLS_STICKING: dls_text_add(line, c->slips ? "closed, not slipping" : "closed"); break;
  }
  if (c->slips && c->friction > 0)
    dls_text_add(line, ", friction %s", dls_number(c->friction).text);
}

// Width of the name column: the longest name that is shown.
static int name_columns(const dls_report *r)
{
  int columns = 7;
  for (int i = 0; i < r->contact_state->m; i++) {
    const char *name = r->contact_state->contacts[i].name;
    const int width = name ? dls_text_width(name) : 0;
    if (width > columns) columns = width;
  }
  return columns < NAME_MAX_COLUMNS ? columns : NAME_MAX_COLUMNS;
}

// One line is kept for what is left out.
static int rows_shown(int count)
{
  return count <= ROWS ? count : ROWS - 1;
}

static void contacts(page *p)
{
  const dls_contact_state *s = p->report->contact_state;
  heading(p, "Contacts");
  if (s->m == 0) dls_text_add(&p->text, "  none\n");
  const int shown = rows_shown(s->m);
  for (int i = 0; i < shown; i++) {
    const dls_contact *c = &s->contacts[i];
    dls_text words = {0};
    status_words(&words, c);
    dls_text_add(&p->text, "  ");
    dls_text_pad(&p->text, c->name ? c->name : "", p->name_columns);
    dls_text_add(&p->text, "  %-10s  ", c->kind == DLS_BILATERAL ? "bilateral" : "unilateral");
    wrapped(p, &words, p->name_columns + 16, p->name_columns + 16);
  }
  if (shown == s->m) return;
  int open = 0;
  for (int i = shown; i < s->m; i++)
    open += s->contacts[i].status == DLS_OPEN || s->contacts[i].status == DLS_SEPARATING;
  dls_text_add(&p->text, "  … and %d more contacts, %d closed and %d open (all in --json)\n",
               s->m - shown, s->m - shown - open, open);
}

static void verdicts(page *p)
{
  static const char *const colours[] = {[DLS_YES] = "32", [DLS_NO] = "31", [DLS_UNDECIDED] = "33"};
  static const char *const marks[] = {[DLS_YES] = "yes", [DLS_NO] = "no", [DLS_UNDECIDED] = "?"};
  heading(p, "Is the problem well posed?");
  for (int q = 0; q < DLS_QUESTION_COUNT; q++) {
    dls_message by = {0};
    const dls_verdict v = dls_report_verdict(p->report, (dls_question)q, &by);
    if (v.answer == DLS_NOT_ASKED) continue;
    dls_text reason = {0};
    dls_report_reason(&reason, p->report, (dls_question)q, &v);
    dls_text_add(&p->text, "  %-32s  ", dls_question_words((dls_question)q));
    style(p, colours[v.answer]);
    dls_text_add(&p->text, "%-3s", marks[v.answer]);
    style(p, "0");
    dls_text_add(&p->text, reason.length ? "  " : "");
    wrapped(p, &reason, 41, 41);
  }
}

static void range_words(page *p, const dls_report_force *f)
{
  const bool decided = p->report->check->verdict[DLS_FORCES_UNIQUE].answer != DLS_UNDECIDED;
  if (f->detaches) {
    dls_text_add(&p->text, "lifts off, normal acceleration %s", dls_number(f->acceleration).text);
  } else if (isnan(f->low) || isnan(f->high)) {
    dls_text_add(&p->text, "range not computed");
  } else if (!f->determined) {
    dls_text_add(&p->text, "%s … %s (%s; shown: least norm)", dls_number(f->low).text,
                 dls_number(f->high).text, decided ? "not determined" : "undecided");
  } else {
    dls_text_add(&p->text, decided ? "determined" : "undecided whether it is determined");
  }
}

// The forces in the order of the contacts, of which b bilateral and u unilateral ones are done.
static bool bilateral_is_next(const dls_report *r, int b, int u)
{
  const dls_contact_state *s = r->contact_state;
  if (b == s->problem.m_b || u == s->problem.m_u) return b < s->problem.m_b;
  if (!s->bilateral_contact || !s->unilateral_contact) return true;
  return s->bilateral_contact[b] < s->unilateral_contact[u];
}

static void motion(page *p)
{
  const dls_check *c = p->report->check;
  const dls_problem *problem = &p->report->contact_state->problem;
  if (!c->solution) return;
  heading(p, "Acceleration and forces");
  values(p, "acceleration", c->solution->acceleration, p->report->contact_state->n, "''");

  const int m = problem->m_b + problem->m_u, shown = rows_shown(m);
  for (int row = 0, b = 0, u = 0; row < shown; row++) {
    dls_name_text made;
    const int i = bilateral_is_next(p->report, b, u) ? b++ : problem->m_b + u++;
    const dls_report_force f = dls_report_force_at(p->report, i);
    dls_text_add(&p->text, "  ");
    dls_text_pad(&p->text, dls_report_closed(p->report, i, &made), p->name_columns);
    dls_text_add(&p->text, "  ");
    dls_text_pad(&p->text, dls_number(f.normal).text, NUMBER);
    dls_text_add(&p->text, "  ");
    range_words(p, &f);
    dls_text_add(&p->text, "\n");
  }
  if (shown < m) dls_text_add(&p->text, "  … and %d more forces (all in --json)\n", m - shown);
}

static void delassus(page *p)
{
  const dls_check *c = p->report->check;
  const int m = p->report->contact_state->problem.m_u;
  if (m == 0 || (c->A_c && m > MATRIX)) return;
  if (!c->A_c) {
    dls_text words = {0};
    dls_text_add(&words, "not defined: ");
    dls_text_clean(&words, c->A_c_reason ? c->A_c_reason : "not computed", 200);
    heading(p, "Delassus matrix");
    dls_text_add(&p->text, "  ");
    wrapped(p, &words, 2, 2);
    return;
  }
  heading(p,
          p->report->contact_state->problem.m_b
              ? "Delassus matrix with the bilateral constraints kept: accelerations per unit force"
              : "Delassus matrix: accelerations per unit force");
  const int name = p->name_columns < 18 ? p->name_columns : 18;
  for (int i = 0; i < m; i++) {
    dls_name_text made;
    dls_text_add(&p->text, "  ");
    dls_text_pad(&p->text, dls_report_constraint(p->report, DLS_OVER_UNILATERAL, i, &made), name);
    for (int j = 0; j < m; j++) {
      const double x = c->A_c[j * m + i];
      const double size = sqrt(c->A_c[i * m + i]) * sqrt(c->A_c[j * m + j]);
      dls_text_add(&p->text, "%*s", NUMBER, dls_number(fabs(x) <= 1e-14 * size ? 0 : x).text);
    }
    dls_text_add(&p->text, "\n");
  }
}

static void notes(page *p)
{
  dls_message note = {0};
  for (int i = 0; dls_report_note(p->report, i, &note); i++) {
    dls_text words = {0};
    if (i == 0) dls_text_add(&p->text, "\n");
    if (i == ROWS - 1 && dls_report_note(p->report, i + 1, &note)) {
      dls_text_add(&p->text, "… and more notes (all in --json)\n");
      return;
    }
    dls_text_add(&words, "Note: ");
    dls_text_clean(&words, note.text, (int)sizeof note.text);
    wrapped(p, &words, 0, 6);
  }
}

dls_status dls_report_text(const dls_report *report, const dls_report_options *options, char **text)
{
  *text = NULL;
  if (!report || !report->contact_state || !report->check) return DLS_ERR_ARGUMENT;
  page p = {
      .report = report, .colour = options && options->colour, .name_columns = name_columns(report)};
  header(&p);
  contacts(&p);
  verdicts(&p);
  motion(&p);
  delassus(&p);
  notes(&p);
  if (p.text.failed) {
    dls_text_free(&p.text);
    return DLS_ERR_MEMORY;
  }
  *text = p.text.data;
  return DLS_OK;
}
