// How it moves, and which forces are certain.
#include "io/report_headline.h"

#include "io/report_parts.h"

#include <math.h>
#include <string.h>

enum { NAMED = 3, SEVERAL = 3 };

static bool is_at(const dls_report *r, const dls_solution *s, dls_chooser *chosen, int i,
                  int *count)
{
  return chosen(r, s, i) && ++*count;
}

int dls_add_chosen(dls_text *text, const dls_report *r, const dls_solution *s, dls_chooser *chosen)
{
  const int m = dls_report_force_count(r);
  int total = 0, count = 0;
  for (int i = 0; i < m; i++) is_at(r, s, chosen, i, &total);
  const int named = total > NAMED + 1 ? NAMED : total;
  for (int i = 0; i < m && count < named; i++) {
    dls_name_text made;
    if (!is_at(r, s, chosen, i, &count)) continue;
    dls_text_add(text, count == 1 ? "" : count == total ? " and " : ", ");
    dls_text_clean(text, dls_report_force_name(r, i, &made), DLS_PAGE_NAME);
  }
  if (named < total) dls_text_add(text, " and %d more", total - named);
  return total;
}

// ---- what the contacts do ----------------------------------------------------------------------

static bool slides_now(const dls_report *r, int i)
{
  const dls_contact *c = dls_report_contact(r, i);
  return !c || c->status != DLS_STICKING;
}

static bool slides_at_all(const dls_report *r, const dls_solution *s, int i)
{
  const int mode = dls_report_force_at(r, s, i).mode;
  return mode == DLS_MODE_SLIDE || mode == DLS_MODE_SLIDE_PLUS || mode == DLS_MODE_SLIDE_MINUS;
}

static bool slides(const dls_report *r, const dls_solution *s, int i)
{
  return slides_at_all(r, s, i) && slides_now(r, i);
}

static bool starts(const dls_report *r, const dls_solution *s, int i)
{
  return slides_at_all(r, s, i) && !slides_now(r, i);
}

static bool sticks(const dls_report *r, const dls_solution *s, int i)
{
  return dls_report_force_at(r, s, i).mode == DLS_MODE_STICK;
}

static bool opens(const dls_report *r, const dls_solution *s, int i)
{
  return dls_report_force_at(r, s, i).mode == DLS_MODE_DETACH;
}

// Joints without friction are kept anyway.
static bool stays(const dls_report *r, const dls_solution *s, int i)
{
  return i >= r->contact_state->problem.m_b && dls_report_force_at(r, s, i).mode == DLS_MODE_CLOSED;
}

static bool exists(const dls_report *r, const dls_solution *s, dls_chooser *chosen)
{
  const int m = dls_report_force_count(r);
  for (int i = 0; i < m; i++)
    if (chosen(r, s, i)) return true;
  return false;
}

// "slides at floor, sticks at a and b and lifts off at wall"; false without any.
static bool add_modes(dls_text *text, const dls_report *r, const dls_solution *s)
{
  const struct {
    const char *words;
    dls_chooser *chosen;
  } all[] = {{"slides at ", slides},
             {"starts to slide at ", starts},
             {"sticks at ", sticks},
             {"lifts off at ", opens},
             {"keeps contact at ", stays}};
  enum { MODES = sizeof all / sizeof *all };
  int last = -1, added = 0;
  for (int k = 0; k < MODES; k++)
    if (exists(r, s, all[k].chosen)) last = k;
  for (int k = 0; k <= last; k++) {
    if (!exists(r, s, all[k].chosen)) continue;
    dls_text_add(text, "%s%s", added++ == 0 ? "" : k == last ? ", and " : ", ", all[k].words);
    dls_add_chosen(text, r, s, all[k].chosen);
  }
  return added > 0;
}

// ---- at rest? ----------------------------------------------------------------------------------

// Largest |D x| with D = diag(M)^-1/2 on forces or ^1/2 on accelerations: the same in all units.
static double scaled_size(const dls_problem *p, const double *x, bool force)
{
  double largest = 0;
  for (int i = 0; i < p->n; i++) {
    const double unit = sqrt(p->M[(size_t)i * ((size_t)p->n + 1)]);
    const double size = force ? fabs(x[i]) / unit : fabs(x[i]) * unit;
    if (!(size <= largest)) largest = size;
  }
  return largest;
}

static bool is_zero(const double *x, int count)
{
  for (int i = 0; i < count; i++)
    if (!(x[i] == 0)) return false;
  return true;
}

bool dls_report_is_at_rest(const dls_report *r, const dls_solution *s)
{
  const double rounding = 1e-12;
  const dls_problem *p = &r->check->problem;
  if (is_zero(s->acceleration, p->n)) return true;
  if (!p->M || !p->F || r->check->verdict[DLS_MASS_DEFINITE].answer != DLS_YES) return false;
  return scaled_size(p, s->acceleration, false) <= rounding * scaled_size(p, p->F, true);
}

static bool is_free(const dls_report *r)
{
  return dls_report_force_count(r) == 0;
}

// What "it" does, without a full stop.
static void add_motion(dls_text *text, const dls_report *r, const dls_solution *s)
{
  const dls_contact_state *c = r->contact_state;
  const bool still = is_zero(c->v, c->n);
  dls_text modes = {0};
  if (still && dls_report_is_at_rest(r, s)) {
    dls_text_add(text, " is at rest, and nothing accelerates it");
    // what it touches may move
    if ((exists(r, s, opens) || exists(r, s, slides_at_all)) && add_modes(&modes, r, s))
      dls_text_add(text, "; it %s", modes.data ? modes.data : "");
  } else if (add_modes(&modes, r, s)) {
    dls_text_add(text, " %s", modes.data ? modes.data : "");
  } else if (is_free(r)) {
    dls_text_add(text, " moves freely: no contact is closed");
  } else {
    dls_text_add(text, still ? " starts to move" : " moves as its joints let it");
  }
  if (modes.failed) text->failed = true;
  dls_text_free(&modes);
}

// ---- several motions ---------------------------------------------------------------------------

static const char *number_word(int count)
{
  static const char *const words[] = {"",     "",    "Two",   "Three", "Four",
                                      "Five", "Six", "Seven", "Eight", "Nine"};
  return count < (int)(sizeof words / sizeof *words) ? words[count] : "Many";
}

static bool differ(const dls_problem *p, const double *a, const double *b)
{
  double largest = fmax(scaled_size(p, a, false), scaled_size(p, b, false)), difference = 0;
  for (int i = 0; i < p->n; i++)
    difference = fmax(difference, fabs(a[i] - b[i]) * sqrt(p->M[(size_t)i * ((size_t)p->n + 1)]));
  return difference > 1e-6 * largest;
}

// How many of the solutions have accelerations of their own; 0 when that is not known.
static int count_motions(const dls_report *r)
{
  const dls_check *c = r->check;
  const dls_problem *p = &r->check->problem;
  int count = 0;
  for (int k = 0; p->M && c->solutions == c->solution_count && k < c->solutions; k++) {
    bool fresh = true;
    for (int l = 0; fresh && l < k; l++)
      fresh = differ(p, c->solution[k].acceleration, c->solution[l].acceleration);
    count += fresh;
  }
  return count;
}

// ": 1 slides at floor, 2 lifts off at floor", when the modes tell them apart.
static void add_each(dls_text *text, const dls_report *r)
{
  const int count = r->check->solutions;
  dls_text each[SEVERAL] = {0};
  bool apart = count <= SEVERAL;
  for (int k = 0; apart && k < count; k++) {
    apart = add_modes(&each[k], r, &r->check->solution[k]) && each[k].data;
    for (int l = 0; apart && l < k; l++) apart = strcmp(each[k].data, each[l].data) != 0;
  }
  for (int k = 0; apart && k < count; k++)
    dls_text_add(text, "%s(%d) it %s", k ? "; " : ": ", k + 1, each[k].data);
  for (int k = 0; k < SEVERAL; k++) {
    if (each[k].failed) text->failed = true;
    dls_text_free(&each[k]);
  }
}

static void add_several(dls_text *text, const dls_report *r)
{
  const dls_check *c = r->check;
  if (c->solution_count > 1) {
    const int motions = count_motions(r);
    dls_text_add(text, "%s %s are possible", number_word(c->solution_count),
                 motions == c->solution_count ? "motions" : "solutions");
    if (motions > 1 && motions < c->solution_count)
      dls_text_add(text, ", with %d different accelerations", motions);
    add_each(text, r);
    dls_text_add(text, ".");
  } else if (c->solutions > 1) {
    dls_text_add(text, "At least %d solutions are possible.", c->solutions);
  } else {
    dls_text_add(text, "Many motions are possible. One of them: it");
    add_motion(text, r, c->solution);
    dls_text_add(text, ".");
  }
}

// ---- no motion ---------------------------------------------------------------------------------

// With inertia and independent constraints there is an acceleration without friction.
static bool is_painleve(const dls_report *r)
{
  const dls_verdict *v = r->check->verdict;
  return r->contact_state->friction && v[DLS_MASS_DEFINITE].answer == DLS_YES &&
         v[DLS_CONSTRAINTS_INDEPENDENT].answer == DLS_YES;
}

static void add_none(dls_text *text, const dls_report *r)
{
  dls_text_add(text, "It cannot go on: no acceleration exists");
  if (r->check->verdict[DLS_CONSTRAINTS_COMPATIBLE].answer == DLS_NO)
    dls_text_add(text, ", the joints contradict each other");
  else if (is_painleve(r))
    dls_text_add(text, "; without friction there is one (Painlevé's paradox)");
  dls_text_add(text, ".");
}

void dls_add_motion_line(dls_text *text, const dls_report *r)
{
  const dls_check *c = r->check;
  const dls_answer there = c->verdict[DLS_ACCELERATION_EXISTS].answer;
  const dls_answer unique = c->verdict[DLS_ACCELERATION_UNIQUE].answer;
  if (there == DLS_NO) {
    add_none(text, r);
  } else if (there == DLS_UNDECIDED) {
    dls_text_add(text, "Whether an acceleration exists is not decided.");
  } else if (there == DLS_YES && c->solution && c->solutions > 0) {
    if (unique == DLS_NO) {
      add_several(text, r);
      return;
    }
    dls_text_add(text, "It");
    add_motion(text, r, c->solution);
    if (unique == DLS_YES && !is_free(r)) dls_text_add(text, ". No other motion is possible.");
    else if (unique == DLS_UNDECIDED)
      dls_text_add(text, ". That is possible; whether it is the only motion is not decided.");
    else dls_text_add(text, ".");
  } else if (there == DLS_YES) {
    dls_text_add(text, "An acceleration exists; none was found.");
  }
}

// ---- forces ------------------------------------------------------------------------------------

static bool is_loose(const dls_report *r, const dls_solution *s, int i)
{
  return dls_report_force_at(r, s, i).loose;
}

static bool is_determined(const dls_report *r, const dls_solution *s, int i)
{
  return dls_report_force_at(r, s, i).determined;
}

static void add_ranges(dls_text *text, const dls_report *r, const dls_solution *s, bool one_motion)
{
  dls_text_add(text, "Not determined: ");
  dls_add_chosen(text, r, s, is_loose);
  dls_text_add(text, one_motion ? " (hyperstatic; ranges below)." : " (ranges below).");
  if (!exists(r, s, is_determined)) return;
  dls_text_add(text, " Certain: ");
  dls_add_chosen(text, r, s, is_determined);
  dls_text_add(text, ".");
}

typedef struct certainty {
  const char *noun;
  dls_answer unique, motion;  // of forces, of accelerations
  bool several;               // more than one solution
  const dls_solution *solution;
} certainty;

static void add_certainty(dls_text *text, const dls_report *r, const certainty *c)
{
  const int m = dls_report_force_count(r);
  if (m == 0) return;
  if (c->unique == DLS_YES && m == 1) dls_text_add(text, "The %s is determined.", c->noun);
  else if (c->unique == DLS_YES && m == 2) dls_text_add(text, "Both %ss are determined.", c->noun);
  else if (c->unique == DLS_YES) dls_text_add(text, "All %d %ss are determined.", m, c->noun);
  else if (c->unique == DLS_UNDECIDED)
    dls_text_add(text, "Whether the %ss are determined is not decided.", c->noun);
  else if (c->unique == DLS_NO && c->several)
    dls_text_add(text, "The %ss differ from one solution to the other.", c->noun);
  else if (c->unique == DLS_NO && c->solution && exists(r, c->solution, is_loose))
    add_ranges(text, r, c->solution, c->motion == DLS_YES);
  else if (c->unique == DLS_NO)
    dls_text_add(text, "Not all %ss are determined; which ones was not found out.", c->noun);
}

void dls_add_forces_line(dls_text *text, const dls_report *r)
{
  const dls_check *c = r->check;
  const dls_impact *impact = r->impact;
  if (impact && impact->motion) {
    const dls_impact_problem *law =
        impact->law == DLS_LAW_NEWTON ? &impact->matrix : &impact->moreau;
    add_certainty(
        text, r,
        &(certainty){.noun = "impulse",
                     .unique = impact->poisson ? DLS_UNDECIDED : law->percussions_unique.answer,
                     .motion = law->unique.answer,
                     .several = law->motions > 1,
                     .solution = dls_report_percussions(r)});
  } else if (!r->contact_state->impact && c->verdict[DLS_ACCELERATION_EXISTS].answer != DLS_NO) {
    add_certainty(text, r,
                  &(certainty){.noun = "contact force",
                               .unique = c->verdict[DLS_FORCES_UNIQUE].answer,
                               .motion = c->verdict[DLS_ACCELERATION_UNIQUE].answer,
                               .several = c->solution_count > 1 || c->solutions > 1,
                               .solution = c->solutions ? c->solution : NULL});
  }
}
