// The impact in the JSON report.
#include "io/report_build.h"
#include "io/report_parts.h"

#include <math.h>

static json_t *by_coordinate(dls_build *b, const double *x)
{
  return dls_build_vector(b, DLS_INDEX_COORDINATES, x, b->report->impact->n, false);
}

static json_t *before_and_after(dls_build *b, dls_index_set index_set, int count,
                                const double *before, const double *after)
{
  json_t *o = json_object();
  dls_build_put(b, o, "before", dls_build_vector(b, index_set, before, count, false));
  if (after) dls_build_put(b, o, "after", dls_build_vector(b, index_set, after, count, false));
  return o;
}

static json_t *energy(dls_build *b, const dls_impact_motion *m)
{
  json_t *o = json_object();
  dls_build_put(b, o, "before", dls_build_number(b->report->impact->kinetic_before));
  dls_build_put(b, o, "after", dls_build_number(m ? m->kinetic_after : (double)NAN));
  if (!m) return o;
  dls_build_put(b, o, "change", dls_build_number(m->kinetic_change));
  dls_build_put(b, o, "contact_work", dls_build_number(m->work));
  dls_build_put(b, o, "balance", json_string(dls_energy_balance_name(m->balance)));
  return o;
}

static json_t *percussions(dls_build *b, const dls_impact_motion *m)
{
  const dls_impact *impact = b->report->impact;
  const dls_friction *f = impact->moreau.problem.friction;
  json_t *o = json_object();
  dls_name_text made;
  for (int i = 0; i < impact->m_b + impact->m_u; i++) {
    json_t *one = json_object();
    const double normal = i < impact->m_b ? m->p_b[i] : m->p_u[i - impact->m_b];
    dls_build_put(b, one, "normal", dls_build_number(normal));
    dls_build_put(b, one, "tangential",
                  f ? dls_build_numbers(b, m->p_t + f->first[i], f->first[i + 1] - f->first[i])
                    : json_array());
    dls_build_put(b, one, "mode", dls_build_mode(m->mode[i] & ~DLS_MODE_PULLING));
    dls_build_put_named(b, o, dls_report_closed(b->report, i, &made), one);
  }
  return o;
}

static json_t *continuum(dls_continuum kind)
{
  static const char *const names[] = {"none", "percussions", "velocities"};
  return kind == DLS_CONTINUUM_UNKNOWN ? json_null() : json_string(names[kind]);
}

// The motion, its keys put into an object.
static void put_motion(dls_build *b, json_t *o, const dls_impact_motion *m)
{
  const dls_impact *impact = b->report->impact;
  dls_build_put(b, o, "velocities_after", by_coordinate(b, m->after));
  dls_build_put(b, o, "jump", by_coordinate(b, m->jump));
  dls_build_put(b, o, "percussions", percussions(b, m));
  dls_build_put(b, o, "normal_velocities",
                before_and_after(b, DLS_INDEX_UNILATERAL, impact->m_u, impact->normal_before,
                                 m->normal_after));
  if (impact->tangents)
    dls_build_put(b, o, "slip_velocities",
                  before_and_after(b, DLS_INDEX_TANGENTS, impact->tangents, impact->slip_before,
                                   m->slip_after));
  dls_build_put(b, o, "kinetic_energy", energy(b, m));
  dls_build_put(b, o, "continuum", continuum(m->continuum));
  dls_build_put(b, o, "residual", dls_build_number(m->residual));
}

static json_t *newton(dls_build *b)
{
  const dls_impact *impact = b->report->impact;
  json_t *o = json_object();
  dls_build_put(b, o, "feasible", dls_build_verdict(b, &impact->newton));
  dls_build_put(b, o, "separates", json_boolean(impact->separates));
  if (impact->by_newton) {
    dls_build_put(b, o, "velocities_after", by_coordinate(b, impact->by_newton->after));
    dls_build_put(b, o, "kinetic_energy", energy(b, impact->by_newton));
  }
  return o;
}

static json_t *law(dls_build *b, const dls_impact_problem *law)
{
  const dls_check *c = law->check;
  json_t *o = json_object(), *solutions = json_array();
  dls_build_put(b, o, "exists", dls_build_verdict(b, &law->exists));
  if (law->unique.answer != DLS_NOT_ASKED)
    dls_build_put(b, o, "unique", dls_build_verdict(b, &law->unique));
  if (law->percussions_unique.answer != DLS_NOT_ASKED)
    dls_build_put(b, o, "percussions_unique", dls_build_verdict(b, &law->percussions_unique));
  dls_build_put(b, o, "solution_count",
                c->solution_count < 0 ? json_null() : json_integer(c->solution_count));
  if (c->leaves) dls_build_put(b, o, "covering", dls_build_leaves(b, c->leaf, c->leaves));
  for (int k = 0; k < law->motions; k++) {
    json_t *one = json_object();
    put_motion(b, one, &law->motion[k]);
    dls_build_append(b, solutions, one);
  }
  dls_build_put(b, o, "solutions", solutions);
  return o;
}

static json_t *incremental(dls_build *b)
{
  const dls_impact *impact = b->report->impact;
  json_t *o = json_object();
  dls_build_put(b, o, "converged", json_boolean(impact->incremental_converged));
  dls_build_put(b, o, "residual", dls_build_number(impact->incremental_residual));
  dls_build_put(b, o, "velocity_difference", dls_build_number(impact->incremental_difference));
  return o;
}

static json_t *matrix(dls_build *b, json_t *names, const char *key, const double *a, int size)
{
  enum { LARGEST = 300 };
  json_t *o = json_object();
  dls_build_put(b, o, "names", names);
  dls_build_put(b, o, key, dls_build_matrix(b, size > LARGEST ? NULL : a, size));
  return o;
}

// The compression, as Moreau's law with e = 0, and how many ways lead on from the one shown.
static void put_poisson(dls_build *b, json_t *o)
{
  const dls_impact *impact = b->report->impact;
  dls_build_put(b, o, "compression", law(b, &impact->moreau));
  if (!impact->compression) return;
  json_t *second = json_object();
  dls_build_put(b, second, "solution_count",
                impact->second_count < 0 ? json_null() : json_integer(impact->second_count));
  dls_build_put(b, o, "restitution_phase", second);
}

json_t *dls_build_impact(dls_build *b)
{
  const dls_impact *impact = b->report->impact;
  const int m = impact->m_b + impact->m_u;
  json_t *o = json_object();
  dls_build_put(b, o, "law",
                impact->motion ? json_string(dls_impact_law_name(impact->law)) : json_null());
  if (impact->motion) {
    put_motion(b, o, impact->motion);
    if (!impact->poisson)
      dls_build_put(b, o, "percussion_ranges",
                    dls_build_ranges(b, dls_report_percussions(b->report)));
  } else {
    dls_build_put(b, o, "velocities_after", json_null());
    dls_build_put(b, o, "percussions", json_null());
    dls_build_put(b, o, "kinetic_energy", energy(b, NULL));
    dls_build_put(b, o, "reason",
                  json_string(impact->moreau.exists.answer == DLS_NO
                                  ? "no velocities after the impact fulfil the laws"
                                  : "none were found, and that there are none is not decided"));
  }
  dls_build_put(b, o, "restitution",
                matrix(b, dls_build_names(b, DLS_INDEX_UNILATERAL, impact->m_u), "matrix",
                       impact->E, impact->m_u));
  if (impact->poisson) {
    put_poisson(b, o);
  } else {
    dls_build_put(b, o, "newton", newton(b));
    dls_build_put(b, o, "moreau", law(b, &impact->moreau));
  }
  if (impact->coupled) dls_build_put(b, o, "moreau_matrix", law(b, &impact->matrix));
  if (!impact->friction)
    dls_build_put(b, o, "projection_difference", dls_build_number(impact->projection_difference));
  if (impact->incremental_ran) dls_build_put(b, o, "incremental", incremental(b));
  dls_build_put(b, o, "kinetic_angles",
                matrix(b, dls_build_names(b, DLS_INDEX_CLOSED, m), "radians",
                       impact->moreau.check->kinetic_angles, m));
  return o;
}
