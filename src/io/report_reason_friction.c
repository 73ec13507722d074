// Why the answers with friction are what they are.
#include "io/report_parts.h"
#include "io/report_reason.h"
#include "io/report_sum.h"

#include <math.h>

// The contacts that a witness is about: a set of them, or those with an entry in a vector.
static bool add_contacts(dls_text *text, const dls_report *report, const dls_verdict *v,
                         const char *one, const char *several)
{
  const dls_witness_part *first = dls_part_set(v, NULL), *second = NULL;
  if (!first) first = dls_part_vector(v, DLS_INDEX_CLOSED);
  if (!first) {
    first = dls_part_vector(v, DLS_INDEX_BILATERAL);
    second = dls_part_vector(v, DLS_INDEX_UNILATERAL);
  }
  const int count = dls_add_members(text, report, first, second);
  if (count) dls_text_add(text, "%s", count == 1 ? one : several);
  return count > 0;
}

// ---- existence and uniqueness ------------------------------------------------------------------

static bool several(const dls_check *c)
{
  return c->solution_count > 1 || c->solutions > 1;
}

static void add_count(dls_text *text, const dls_check *c)
{
  if (c->solution_count >= 0) dls_text_add(text, "%d solutions", c->solution_count);
  else dls_text_add(text, "at least %d solutions", c->solutions);
}

static bool exists_reason(dls_text *text, const dls_verdict *v)
{
  if (v->answer != DLS_NO || v->leaves == 0) return false;
  dls_text_add(text, "stick, slide or open: none of %d cases works", v->leaves);
  return true;
}

static bool unique_reason(dls_text *text, const dls_report *report, const dls_verdict *v)
{
  const dls_check *c = report->check;
  if (v->answer == DLS_YES) {
    if (v->leaves < 2) return false;
    dls_text_add(text, "stick, slide or open: %d cases, one solution", v->leaves);
  } else if (c->verdict[DLS_ACCELERATION_EXISTS].answer == DLS_NO) {
    dls_text_add(text, "no acceleration exists");
  } else if (several(c)) {
    add_count(text, c);
  } else if (c->solution && c->solution->mode &&
             c->solution->continuum == DLS_CONTINUUM_ACCELERATION) {
    dls_text_add(text, "a continuum of solutions; one of them is shown");
  } else {
    return false;
  }
  return true;
}

static bool forces_reason(dls_text *text, const dls_report *report, const dls_verdict *v)
{
  const dls_check *c = report->check;
  if (v->answer != DLS_NO) return false;
  if (c->verdict[DLS_ACCELERATION_EXISTS].answer == DLS_NO)
    dls_text_add(text, "no acceleration exists");
  else if (several(c)) add_count(text, c);
  else return false;
  return true;
}

// ---- loads, sticking, closure, steps -----------------------------------------------------------

static bool every_load_reason(dls_text *text, const dls_report *report, const dls_verdict *v)
{
  const char *words = ": some load has no solution, or several";
  return v->answer == DLS_NO && add_contacts(text, report, v, words, words);
}

// "the extra force x: 1.5, y: -2"
static void add_extra_force(dls_text *text, const dls_report *report)
{
  enum { ENTRIES = 3, NAME_COLUMNS = 24 };
  const double *force = report->check->extra_force;
  const dls_witness_part part = {.name = "",
                                 .index_set = DLS_INDEX_COORDINATES,
                                 .count = report->contact_state->n,
                                 .values = force};
  const int count = dls_part_terms(&part);
  if (count > ENTRIES) {
    dls_text_add(text, "an extra force of size %s (in --json)",
                 dls_number(report->check->extra_force_size).text);
    return;
  }
  dls_text_add(text, "the extra force");
  for (int i = 0, shown = 0; i < part.count; i++) {
    dls_name_text made;
    if (!isfinite(force[i]) || force[i] == 0) continue;
    dls_text_add(text, shown++ ? ", " : " ");
    dls_text_clean(text, dls_report_coordinate(report, i, &made), NAME_COLUMNS);
    dls_text_add(text, ":\u00a0%s", dls_number(force[i]).text);
  }
}

// "left lifts off; they would with friction 0.25, or the extra force x: 1.5"
static bool stick_reason(dls_text *text, const dls_report *report, const dls_verdict *v)
{
  const size_t before = text->length;
  const dls_check *c = report->check;
  const dls_limit *least = &c->limit[DLS_LIMIT_LEAST];
  if (v->answer != DLS_NO) return false;
  const int lifting = dls_add_members(text, report, dls_part_set(v, "detach"), NULL);
  if (lifting) dls_text_add(text, lifting == 1 ? " lifts off" : " lift off");
  const bool friction = least->asked && isfinite(least->value);
  const bool force = c->extra_force && dls_largest(c->extra_force, report->contact_state->n) > 0;
  if (least->asked && isinf(least->value))
    dls_text_add(text, "%sno friction is enough", lifting ? "; " : "");
  if (friction || force)
    dls_text_add(text, "%sthey would with ", text->length > before ? "; " : "");
  if (friction)
    dls_text_add(text, "friction %s%s", dls_number(least->value).text, force ? ", or " : "");
  if (force) add_extra_force(text, report);
  return text->length > before;
}

static bool closure_reason(dls_text *text, const dls_report *report, dls_question q,
                           const dls_verdict *v)
{
  const bool form = q == DLS_FORM_CLOSURE;
  if (v->answer == DLS_YES) {
    dls_text_add(text, form
                           ? "form closure: no motion gets past the contacts, whatever the friction"
                           : "force closure: if the fingers press hard enough, they can balance "
                             "every load; whether they press is another question");
    return true;
  }
  if (!dls_add_motion(text, report, v, false)) return false;
  dls_text_add(
      text, form ? ": by this motion it escapes, as far as geometry goes"
            : dls_part_named(v, "load")
                ? ": no forces of the contacts balance a load along this, however hard they press"
                : ": no force resists this motion, however hard the fingers press");
  return true;
}

static bool step_reason(dls_text *text, const dls_report *report, const dls_verdict *v)
{
  return v->answer == DLS_NO &&
         add_contacts(text, report, v, ": no velocity follows what it imposes",
                      ": no velocity follows what they impose");
}

bool dls_reason_friction(dls_text *text, const dls_report *report, dls_question q,
                         const dls_verdict *v)
{
  const bool friction = report->contact_state->friction;
  switch (q) {
  case DLS_ACCELERATION_EXISTS: return friction && exists_reason(text, v);
  case DLS_ACCELERATION_UNIQUE: return friction && unique_reason(text, report, v);
  case DLS_FORCES_UNIQUE: return friction && forces_reason(text, report, v);
  case DLS_UNIQUE_FOR_EVERY_LOAD: return every_load_reason(text, report, v);
  case DLS_CAN_ALL_STICK: return stick_reason(text, report, v);
  case DLS_FORM_CLOSURE:
  case DLS_FORCE_CLOSURE: return closure_reason(text, report, q, v);
  case DLS_STEP_SOLVABLE: return step_reason(text, report, v);
  default: return false;
  }
}
