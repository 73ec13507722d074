// The solutions in the JSON report, and the intervals of the forces.
#include "io/report_build.h"
#include "io/report_parts.h"

// What is not one point but many, by the verdicts: without friction they tell.
static dls_continuum continuum_of_verdicts(const dls_check *c)
{
  const dls_answer acceleration = c->verdict[DLS_ACCELERATION_UNIQUE].answer;
  const dls_answer forces = c->verdict[DLS_FORCES_UNIQUE].answer;
  if (acceleration == DLS_NO) return DLS_CONTINUUM_ACCELERATION;
  if (acceleration == DLS_YES && forces == DLS_NO) return DLS_CONTINUUM_FORCES;
  // without closed contacts nothing is asked about forces
  if (acceleration == DLS_YES && (forces == DLS_YES || forces == DLS_NOT_ASKED))
    return DLS_CONTINUUM_NONE;
  return DLS_CONTINUUM_UNKNOWN;
}

static json_t *continuum(const dls_check *c, const dls_solution *s)
{
  switch (s->mode ? s->continuum : continuum_of_verdicts(c)) {
  case DLS_CONTINUUM_NONE: return json_string("none");
  case DLS_CONTINUUM_FORCES: return json_string("forces");
  case DLS_CONTINUUM_ACCELERATION: return json_string("acceleration");
  case DLS_CONTINUUM_UNKNOWN: break;
  }
  return json_null();
}

json_t *dls_build_mode(int mode)
{
  switch (mode) {
  case DLS_MODE_DETACH: return json_string("detach");
  case DLS_MODE_CLOSED: return json_string("frictionless");
  case DLS_MODE_STICK: return json_string("stick");
  case DLS_MODE_SLIDE:
  case DLS_MODE_SLIDE_PLUS:
  case DLS_MODE_SLIDE_MINUS: return json_string("slide");
  default: return json_null();
  }
}

static json_t *forces(dls_build *b, const dls_solution *s)
{
  const dls_problem *p = &b->report->contact_state->problem;
  json_t *o = json_object();
  dls_name_text made;
  for (int i = 0; i < dls_report_force_count(b->report); i++) {
    dls_report_force f = dls_report_force_at(b->report, s, i);
    dls_report_slipping(b->report, s, i, &f);
    json_t *force = json_object();
    dls_build_put(b, force, "normal", dls_build_number(f.normal));
    dls_build_put(b, force, "tangential", dls_build_numbers(b, f.tangential, f.tangents));
    dls_build_put(b, force, "mode", dls_build_mode(f.mode));
    if (i >= p->m_b && !f.dry)
      dls_build_put(b, force, "normal_acceleration", dls_build_number(f.opening));
    if (f.tangents && f.slipping_known)
      dls_build_put(b, force, "slip_acceleration", dls_build_numbers(b, f.slipping, f.tangents));
    dls_build_put_named(b, o, dls_report_force_name(b->report, i, &made), force);
  }
  return o;
}

json_t *dls_build_solutions(dls_build *b)
{
  const dls_check *c = b->report->check;
  json_t *array = json_array();
  for (int k = 0; c->solution && k < c->solutions; k++) {
    const dls_solution *s = &c->solution[k];
    json_t *o = json_object();
    dls_build_put(b, o, "acceleration",
                  dls_build_vector(b, DLS_INDEX_COORDINATES, s->acceleration,
                                   b->report->contact_state->n, false));
    dls_build_put(b, o, "forces", forces(b, s));
    dls_build_put(b, o, "continuum", continuum(c, s));
    dls_build_put(b, o, "residual", dls_build_number(s->residual));
    dls_build_append(b, array, o);
  }
  return array;
}

static json_t *interval(dls_build *b, double low, double high)
{
  const double ends[2] = {low, high};
  return dls_build_numbers(b, ends, 2);
}

// An interval that is not known is left out, not shown as unbounded.
static json_t *ranges(dls_build *b, const dls_report_force *f)
{
  json_t *o = json_object();
  if (f->normal_known) dls_build_put(b, o, "normal", interval(b, f->low, f->high));
  if (!f->tangential_known) return o;
  json_t *tangential = json_array();
  for (int k = 0; k < f->tangents; k++)
    dls_build_append(b, tangential, interval(b, f->low_t[k], f->high_t[k]));
  dls_build_put(b, o, "tangential", tangential);
  return o;
}

json_t *dls_build_ranges(dls_build *b, const dls_solution *solution)
{
  json_t *o = json_object();
  dls_name_text made;
  for (int i = 0; solution && i < dls_report_force_count(b->report); i++) {
    const dls_report_force f = dls_report_force_at(b->report, solution, i);
    if (f.normal_known || (f.tangential_known && f.tangents))
      dls_build_put_named(b, o, dls_report_force_name(b->report, i, &made), ranges(b, &f));
  }
  return o;
}
