// What an impact does, and what is near a limit or not decided.
#include "io/report_headline.h"

#include "io/report_parts.h"

#include <math.h>

// ---- impact ------------------------------------------------------------------------------------

static bool hits(const dls_report *r, const dls_solution *s, int i)
{
  (void)s;
  const dls_contact *c = dls_report_contact(r, i);
  return c && c->status == DLS_IMPACTING;
}

// After the impact.
static bool leaves(const dls_report *r, const dls_solution *s, int i)
{
  (void)s;
  const int u = i - r->impact->m_b;
  return u >= 0 && r->impact->motion->normal_after[u] > r->contact_state->rest;
}

static bool remains(const dls_report *r, const dls_solution *s, int i)
{
  return i >= r->impact->m_b && !leaves(r, s, i);
}

static void add_jump(dls_text *text, const dls_report *r)
{
  const dls_impact *impact = r->impact;
  const bool newton = impact->law == DLS_LAW_NEWTON;
  const dls_answer unique = impact->poisson ? DLS_NOT_ASKED
                            : newton        ? impact->matrix.unique.answer
                                            : impact->moreau.unique.answer;
  dls_text away = {0}, closed = {0};
  const int left = dls_add_chosen(&away, r, NULL, leaves);
  const int kept = dls_add_chosen(&closed, r, NULL, remains);
  dls_text_add(text, ": velocities jump. By %s's law it ", dls_impact_law_name(impact->law));
  if (left) dls_text_add(text, "separates at %s", away.data ? away.data : "");
  if (kept)
    dls_text_add(text, "%skeeps contact at %s", left ? ", and " : "",
                 closed.data ? closed.data : "");
  dls_text_add(text, ".");
  if (unique == DLS_YES) dls_text_add(text, " No other jump is possible.");
  else if (unique == DLS_UNDECIDED)
    dls_text_add(text, " Whether that is the only jump is not decided.");
  else if (unique == DLS_NO && !newton) dls_text_add(text, " Other jumps are possible, too.");
  text->failed |= away.failed || closed.failed;
  dls_text_free(&away), dls_text_free(&closed);
}

void dls_add_impact_line(dls_text *text, const dls_report *r)
{
  const dls_impact *impact = r->impact;
  const int count = dls_add_chosen(text, r, NULL, hits);
  if (count == 0) return;
  dls_text_add(text, count == 1 ? " hits" : " hit");
  if (impact && impact->motion) add_jump(text, r);
  else if (!impact) dls_text_add(text, ": velocities jump before there are accelerations.");
  else if (impact->moreau.exists.answer == DLS_NO)
    dls_text_add(text, ", and it cannot go on: no velocities after it fulfil the contacts' laws.");
  else
    dls_text_add(text, ": no velocities after it were found; whether there are any is undecided.");
}

// ---- friction ----------------------------------------------------------------------------------

// The coefficient that the closed contacts with slip velocities have in common, of those that slide
// or of those that do not; NaN when they differ, or there are none.
static double common_friction(const dls_report *r, bool sliding)
{
  const dls_problem *p = &r->contact_state->problem;
  double mu = (double)NAN;
  for (int i = 0; i < p->m_b + p->m_u; i++) {
    const dls_contact *c = dls_report_contact(r, i);
    if (!c || c->tangents == 0 || c->bounded || (c->status == DLS_SLIDING) != sliding) continue;
    const double own = c->has_static && !sliding ? c->static_friction : c->friction;
    if (!isnan(mu) && own != mu) return (double)NAN;
    mu = own;
  }
  return mu;
}

// Rounded down, but not by rounding errors.
static double percent(double part)
{
  return floor(100 * part + 1e-9);
}

static void space(dls_text *text)
{
  if (text->length) dls_text_add(text, " ");
}

// How far friction is from where some load has no solution, or several.
static void add_critical(dls_text *text, const dls_report *r)
{
  const dls_answer answer = dls_report_verdict(r, DLS_UNIQUE_FOR_EVERY_LOAD).answer;
  const dls_limit *l = &r->check->limit[DLS_LIMIT_CRITICAL];
  const double mu = common_friction(r, true), critical = l->asked ? l->value : (double)NAN;
  const dls_number_text limit = dls_number(critical), is = dls_number(mu);
  if (answer == DLS_YES && critical > 0 && isfinite(critical)) {
    space(text);
    if (mu < critical)
      dls_text_add(text, "Friction %s is %.0f %% of the critical %s (Painlevé).", is.text,
                   percent(mu / critical), limit.text);
    else dls_text_add(text, "With one coefficient at all contacts %s is critical.", limit.text);
  } else if (answer == DLS_NO) {
    space(text);
    if (mu >= critical && critical > 0)
      dls_text_add(text,
                   "Friction %s is not below the critical %s: some loads have no motion, or "
                   "several.",
                   is.text, limit.text);
    else if (critical == 0)
      dls_text_add(text, "Some loads have no solution, or several, even without friction.");
    else dls_text_add(text, "Some loads have no motion, or several.");
  }
}

// How near to slipping, or what would keep it from slipping.
static void add_sticking(dls_text *text, const dls_report *r)
{
  const dls_answer answer = dls_report_verdict(r, DLS_CAN_ALL_STICK).answer;
  const dls_limit *l = &r->check->limit[DLS_LIMIT_LEAST];
  const double mu = common_friction(r, false);
  if (!l->asked || isnan(l->value) || (answer != DLS_YES && answer != DLS_NO)) return;
  const dls_number_text least = dls_number(l->value), is = dls_number(mu);
  const char *more = l->attained == DLS_NO ? "more than " : "";
  if (answer == DLS_NO && isinf(l->value)) {
    space(text);
    dls_text_add(text, "No friction lets all contacts stick.");
  } else if (answer == DLS_NO) {
    space(text);
    dls_text_add(text, "Sticking would take friction %s%s", more, least.text);
    if (!isnan(mu)) dls_text_add(text, "; there is %s", is.text);
    dls_text_add(text, ".");
  } else if (l->value > 0 && mu > 0) {
    space(text);
    dls_text_add(text, "Sticking takes friction %s%s of the %s there is: %.0f %% in reserve.", more,
                 least.text, is.text, percent(fmax(0, 1 - l->value / mu)));
  } else if (l->value > 0) {
    space(text);
    dls_text_add(text, "Sticking takes friction %s%s if all contacts have the same.", more,
                 least.text);
  }
}

// ---- constraints, contacts, open questions -----------------------------------------------------

static void add_dependence(dls_text *text, const dls_report *r)
{
  const double near = 1e-3;
  const dls_check *c = r->check;
  const dls_answer answer = dls_report_verdict(r, DLS_CONSTRAINTS_INDEPENDENT).answer;
  const int m = r->contact_state->problem.m_b + r->contact_state->problem.m_u;
  const int count = c->constraint_singular_count;
  if (answer == DLS_NO) {
    space(text);
    dls_text_add(text, "Constraints depend on each other: rank %d of %d.", c->constraint_rank, m);
  } else if (answer == DLS_YES && c->constraint_singular && count == m && m > 0) {
    const double ratio = c->constraint_singular[m - 1] / c->constraint_singular[0];
    if (!(ratio < near)) return;
    space(text);
    dls_text_add(text,
                 "Constraints are nearly dependent: singular values down to %s of the "
                 "largest.",
                 dls_number(ratio).text);
  }
}

// A contact that stays, and whose force is or may be zero.
static bool may_be_idle(const dls_report *r, const dls_solution *s, int i)
{
  const dls_report_force f = dls_report_force_at(r, s, i);
  return i >= r->contact_state->problem.m_b && !f.dry && f.mode != DLS_MODE_DETACH &&
         f.normal_known && f.low <= 0 && f.high > 0;
}

static bool is_idle(const dls_report *r, const dls_solution *s, int i)
{
  const dls_report_force f = dls_report_force_at(r, s, i);
  return i >= r->contact_state->problem.m_b && !f.dry && f.mode != DLS_MODE_DETACH &&
         f.normal_known && f.low == 0 && f.high == 0;
}

static void add_idle(dls_text *text, const dls_report *r)
{
  const dls_check *c = r->check;
  if (r->contact_state->impact || !c->solution || c->solutions != 1) return;
  dls_text without = {0}, maybe = {0};
  const int none = dls_add_chosen(&without, r, c->solution, is_idle);
  const int some = dls_add_chosen(&maybe, r, c->solution, may_be_idle);
  if (none) {
    space(text);
    dls_text_add(text, "%s %s without force.", without.data ? without.data : "",
                 none == 1 ? "touches" : "touch");
  }
  if (some) {
    space(text);
    dls_text_add(text, "%s may touch without force.", maybe.data ? maybe.data : "");
  }
  text->failed |= without.failed || maybe.failed;
  dls_text_free(&without), dls_text_free(&maybe);
}

static void add_energy(dls_text *text, const dls_report *r)
{
  const dls_impact_motion *m = r->impact ? r->impact->motion : NULL;
  if (!m || m->balance != DLS_ENERGY_GAINED) return;
  space(text);
  dls_text_add(text, "The impact adds energy: %s.", dls_number(m->work).text);
}

static void add_undecided(dls_text *text, const dls_report *r)
{
  int count = 0;
  for (int q = 0; q < DLS_QUESTION_COUNT; q++) {
    if (dls_report_verdict(r, (dls_question)q).answer != DLS_UNDECIDED) continue;
    if (count == 0) space(text);
    dls_text_add(text, "%s%s",
                 count++ ? ", " : "Not\u00a0decided: ", dls_question_name((dls_question)q));
  }
  if (count) dls_text_add(text, ".");
}

void dls_add_watch_line(dls_text *text, const dls_report *r)
{
  add_critical(text, r);
  add_sticking(text, r);
  add_energy(text, r);
  add_dependence(text, r);
  add_idle(text, r);
  add_undecided(text, r);
}
