// The impact in the report for people.
#include "io/report_page.h"
#include "io/report_parts.h"

#include <math.h>

// Why Newton's law does not give the motion; "" when it does.
static const char *newton_words(const dls_impact *impact)
{
  if (impact->law == DLS_LAW_NEWTON || impact->poisson) return "";
  if (impact->newton.answer == DLS_NO) return "; Newton's law cannot hold";
  if (impact->newton.answer != DLS_YES) return "; whether Newton's law can hold is undecided";
  if (!impact->separates) return "; Newton's law would send a contact through";
  return "; Newton's law would gain energy";
}

static void heading(dls_page *p)
{
  const dls_impact *impact = p->report->impact;
  dls_text title = {0};
  if (!impact->motion) {
    dls_text_add(&title, "Impact: %s",
                 impact->moreau.exists.answer == DLS_NO
                     ? "no velocities after it fulfil the laws of the contacts"
                     : "no velocities after it were found; whether there are any is undecided");
  } else {
    dls_text_add(&title, "Impact, by %s's law%s%s", dls_impact_law_name(impact->law),
                 impact->friction ? " with friction" : "", newton_words(impact));
  }
  if (title.failed) p->text.failed = true;
  dls_page_heading(p, title.data ? title.data : "");
  dls_text_free(&title);
}

// What the contact does: "-1 → 0.5", "sticks", "slides at 0.3".
static void contact_words(dls_text *words, const dls_page *p, int i)
{
  const dls_impact *impact = p->report->impact;
  const dls_impact_motion *m = impact->motion;
  const dls_friction *f = impact->moreau.problem.friction;
  const int mode = m->mode[i] & ~DLS_MODE_PULLING, first = f ? f->first[i] : 0;
  if (i >= impact->m_b)
    dls_text_add(words, "velocity %s → %s", dls_number(impact->normal_before[i - impact->m_b]).text,
                 dls_number(m->normal_after[i - impact->m_b]).text);
  if (!f || f->first[i + 1] == first || !(f->mu[i] > 0) || mode == DLS_MODE_DETACH) return;
  const double speed =
      hypot(m->slip_after[first], f->first[i + 1] - first == 2 ? m->slip_after[first + 1] : 0);
  const char *before = words->length ? ", " : "";
  if (mode == DLS_MODE_STICK) dls_text_add(words, "%ssticks", before);
  else dls_text_add(words, "%sslip %s", before, dls_number(speed).text);
}

static const dls_impact_problem *problem_of_law(const dls_impact *impact)
{
  return impact->law == DLS_LAW_NEWTON ? &impact->matrix : &impact->moreau;
}

// Whether the impulse is determined, and its range. The range is that of the solution shown: where
// there are others it does not tell whether the impulse is determined.
static void range_words(dls_text *words, const dls_page *p, int i)
{
  const dls_solution *s = dls_report_percussions(p->report);
  if (!s) return;
  const dls_report_force f = dls_report_force_at(p->report, s, i);
  const char *before = words->length ? "; " : "";
  const bool alone = problem_of_law(p->report->impact)->motions == 1;
  if (f.determined && alone) dls_text_add(words, "%sdetermined", before);
  if (!f.loose) return;
  dls_text_add(words, "%snot determined: ", before);
  dls_add_force_range(words, &f, "");
}

static void percussion_row(dls_page *p, int i, bool tangential)
{
  const dls_impact *impact = p->report->impact;
  const dls_impact_motion *m = impact->motion;
  const dls_friction *f = impact->moreau.problem.friction;
  dls_name_text made;
  dls_text_add(&p->text, "  ");
  dls_text_pad(&p->text, dls_report_closed(p->report, i, &made), p->name_columns);
  dls_text_add(&p->text, "  ");
  dls_text_pad(&p->text, dls_number(i < impact->m_b ? m->p_b[i] : m->p_u[i - impact->m_b]).text,
               DLS_PAGE_NUMBER);
  int column = 2 + p->name_columns + 2 + DLS_PAGE_NUMBER;
  dls_text words = {0}, along = {0};
  if (tangential) {
    for (int k = f->first[i]; k < f->first[i + 1]; k++)
      dls_text_add(&along, "%s%s", k > f->first[i] ? ", " : "", dls_number(m->p_t[k]).text);
    if (along.failed) p->text.failed = true;
    dls_text_add(&p->text, "  ");
    dls_text_pad(&p->text, along.data ? along.data : "", 2 * DLS_PAGE_NUMBER + 1);
    column += 2 + 2 * DLS_PAGE_NUMBER + 1;
    dls_text_free(&along);
  }
  contact_words(&words, p, i);
  range_words(&words, p, i);
  if (words.length) dls_text_add(&p->text, "  ");
  dls_page_wrapped(p, &words, column + 2, column + 2);
}

static void energy_row(dls_page *p)
{
  const dls_impact *impact = p->report->impact;
  const dls_impact_motion *m = impact->motion;
  static const char *const words[] = {"the contacts keep it", "the contacts take",
                                      "the contacts add", "not known"};
  dls_text line = {0};
  dls_text_add(&line, "%s → %s; %s", dls_number(impact->kinetic_before).text,
               dls_number(m->kinetic_after).text, words[m->balance]);
  if (m->balance == DLS_ENERGY_LOST || m->balance == DLS_ENERGY_GAINED)
    dls_text_add(&line, " %s", dls_number(fabs(m->work)).text);
  if (m->continuum == DLS_CONTINUUM_FORCES)
    dls_text_add(&line, "; the impulses are not determined, one choice is shown");
  if (m->continuum == DLS_CONTINUUM_ACCELERATION)
    dls_text_add(&line, "; the velocities are not determined, one choice is shown");
  const dls_impact_problem *law = problem_of_law(impact);
  if (law->motions > 1 && dls_report_percussions(p->report))
    dls_text_add(&line, "; the first of %d solutions is shown", law->motions);
  dls_text_add(&p->text, "  ");
  dls_text_pad(&p->text, "energy", 13);
  dls_page_wrapped(p, &line, 15, 15);
}

void dls_page_impact(dls_page *p)
{
  const dls_impact *impact = p->report->impact;
  if (!impact) return;
  heading(p);
  if (!impact->motion) return;
  const int m = impact->m_b + impact->m_u, shown = dls_page_rows(p, m);
  dls_page_values(p, "velocities", impact->motion->after,
                  dls_page_state_noise(p->report, p->report->contact_state->rest), "'");
  energy_row(p);
  dls_text_add(&p->text, "  ");
  dls_text_pad(&p->text, "impulse", p->name_columns);
  dls_text_add(&p->text, impact->friction ? "  normal         tangential\n" : "  normal\n");
  // impacting contacts are what the block is about: they come first when not all fit
  for (int row = 0; row < shown; row++)
    percussion_row(p, (row + impact->m_b) % m, impact->friction);
  if (shown < m) dls_text_add(&p->text, "  … and %d more impulses (all with --full)\n", m - shown);
}
