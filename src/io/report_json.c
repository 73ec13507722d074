// The report as JSON.
#include <delassus/output.h>
#include <delassus/report.h>

#include "io/json_print.h"
#include "base/memory.h"
#include "io/report_build.h"
#include "io/report_outputs.h"
#include "io/report_parts.h"
#include "io/report_touch.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>

// With these values the report can be checked again without being told.
static json_t *parameters(dls_build *b)
{
  const dls_model *model = dls_system_model(b->report->system);
  json_t *o = json_object();
  for (int i = 0; model && i < dls_model_parameter_count(model); i++)
    dls_build_put_named(b, o, dls_model_parameter_name(model, i),
                        dls_build_number(dls_system_parameter(b->report->system, i)));
  return o;
}

static void put_outputs(dls_build *b, json_t *o)
{
  const int count = dls_report_output_count(b->report);
  if (count == 0) return;
  double *value = dls_alloc(count, sizeof *value);
  json_t *outputs = json_object();
  if (!value || !dls_report_outputs(b->report, value)) b->failed = true;
  for (int i = 0; i < count && !b->failed; i++)
    dls_build_put_named(b, outputs, dls_model_output_name(dls_system_model(b->report->system), i),
                        dls_build_number(value[i]));
  dls_build_put(b, o, "outputs", outputs);
  free(value);
}

static const char *kind_of(const dls_contact *c)
{
  return c->dry ? "friction" : c->kind == DLS_BILATERAL ? "bilateral" : "unilateral";
}

static json_t *contacts(dls_build *b)
{
  const dls_contact_state *s = b->report->contact_state;
  json_t *array = json_array();
  for (int i = 0; i < s->m; i++) {
    const dls_contact *c = &s->contacts[i];
    json_t *o = json_object();
    dls_build_put(b, o, "name", dls_build_string(b, c->name));
    dls_build_put(b, o, "kind", json_string(kind_of(c)));
    if (c->rolling) dls_build_put(b, o, "rolling", json_true());
    dls_build_put(b, o, "status", dls_build_string(b, dls_contact_status_name(c->status)));
    dls_build_put(b, o, "gap", dls_build_number(c->gap));
    dls_build_put(b, o, "normal_velocity", dls_build_number(c->normal_velocity));
    dls_build_put(b, o, "slip", dls_build_numbers(b, c->slip, c->tangents));
    dls_build_put(b, o, "friction", dls_build_number(c->friction));
    if (c->bounded) dls_build_put(b, o, "friction_force", dls_build_number(c->friction_force));
    if (c->has_static) dls_build_put(b, o, "static_friction", dls_build_number(c->static_friction));
    dls_build_put(b, o, "restitution", dls_build_number(c->restitution));
    dls_build_touch(b, o, i);
    dls_build_append(b, array, o);
  }
  return array;
}

static json_t *mass(dls_build *b)
{
  const dls_check *c = b->report->check;
  const dls_answer definite = c->verdict[DLS_MASS_DEFINITE].answer;
  json_t *o = json_object();
  dls_build_put(b, o, "rank", json_integer(c->mass_rank));
  dls_build_put(b, o, "definite",
                definite == DLS_YES  ? json_true()
                : definite == DLS_NO ? json_false()
                                     : json_null());
  dls_build_put(b, o, "condition", dls_build_number(c->mass_condition));
  if (isinf(c->mass_condition))
    dls_build_put(b, o, "condition_reason", json_string("infinite: the mass matrix is singular"));
  dls_build_put(b, o, "eigenvalues",
                dls_build_numbers(b, c->mass_eigenvalues, b->report->contact_state->n));
  return o;
}

static json_t *constraints(dls_build *b)
{
  const dls_check *c = b->report->check;
  const dls_problem *p = &b->report->contact_state->problem;
  json_t *o = json_object();
  dls_build_put(b, o, "rank", json_integer(c->constraint_rank));
  dls_build_put(b, o, "count", json_integer(p->m_b + p->m_u));
  dls_build_put(b, o, "bilateral", json_integer(p->m_b));
  dls_build_put(b, o, "unilateral", json_integer(p->m_u));
  json_t *dependencies = c->dependencies > 0 ? json_array() : NULL;
  const ptrdiff_t m = (ptrdiff_t)p->m_b + p->m_u;
  for (int k = 0; k < c->dependencies; k++)
    dls_build_append(b, dependencies,
                     dls_build_vector(b, DLS_INDEX_CLOSED, c->dependency + m * k, (int)m, true));
  if (dependencies) dls_build_put(b, o, "dependencies", dependencies);
  dls_build_put(b, o, "singular_values",
                dls_build_numbers(b, c->constraint_singular, c->constraint_singular_count));
  dls_build_put(b, o, "nonzero_above", dls_build_number(c->rank_tolerance));
  dls_build_put(b, o, "zero_below", dls_build_number(c->rank_noise));
  return o;
}

// {"names", KEY: matrix}, and the reason when there is no matrix.
static json_t *named_matrix(dls_build *b, json_t *row_names, const char *key, const double *a,
                            int size, const char *reason)
{
  enum { LARGEST = 300 };  // a million numbers are no report
  if (a && size > LARGEST) a = NULL, reason = "more than 300 contacts: left out";
  json_t *o = json_object();
  dls_build_put(b, o, "names", row_names);
  dls_build_put(b, o, key, dls_build_matrix(b, a, size));
  if (!a && size)
    dls_build_put(b, o, "reason", dls_build_string(b, reason ? reason : "not computed"));
  return o;
}

static json_t *reduced(dls_build *b)
{
  const dls_reduced *r = &b->report->check->reduced;
  const dls_contact_state *s = b->report->contact_state;
  json_t *o = json_object();
  dls_build_put(b, o, "applies", json_boolean(r->applies));
  if (!r->applies) return o;
  json_t *dependent = json_array(), *independent = json_array();
  dls_name_text made;
  for (int i = 0; r->coordinate && i < s->n; i++)
    dls_build_append(
        b, i < r->dependent ? dependent : independent,
        dls_build_string(b, dls_report_coordinate(b->report, r->coordinate[i], &made)));
  dls_build_put(b, o, "dependent", dependent);
  dls_build_put(b, o, "independent", independent);
  dls_build_put(b, o, "matrix", dls_build_matrix(b, r->A_r, s->problem.m_u));
  dls_build_put(b, o, "delassus_difference", dls_build_number(r->delassus_difference));
  dls_build_put(b, o, "acceleration_difference", dls_build_number(r->acceleration_difference));
  dls_build_put(b, o, "multiplier_difference", dls_build_number(r->multiplier_difference));
  dls_build_put(b, o, "dual_difference", dls_build_number(r->dual_difference));
  return o;
}

// What a limit that is no number means.
static const char *limit_reason(dls_limit_name limit, double value)
{
  if (isnan(value)) return "not known";
  return limit == DLS_LIMIT_LEAST ? "infinite: no friction is enough"
                                  : "infinite: no friction is too much";
}

static json_t *witness_of(dls_build *b, const dls_verdict *v)
{
  json_t *verdict = dls_build_verdict(b, v), *witness = json_object_get(verdict, "witness");
  json_incref(witness);
  json_object_del(witness, "shows");
  json_decref(verdict);
  return witness;
}

// Forces at the upper end of the bracket, leaves at the lower one.
static void least_witnesses(dls_build *b, json_t *o, const dls_limit *l)
{
  if (isfinite(l->value))
    dls_build_put(b, o, "attained",
                  l->attained == DLS_UNDECIDED ? json_null()
                                               : json_boolean(l->attained == DLS_YES));
  if (l->above) dls_build_put(b, o, "high_witness", witness_of(b, l->above));
  if (l->below) dls_build_put(b, o, "low_witness", witness_of(b, l->below));
  const bool upper = isfinite(l->high), lower = l->low > 0;
  const bool all = (l->above || !upper) && (l->below || !lower);
  if (!all) dls_build_put(b, o, "proven", json_false());
}

static json_t *limit(dls_build *b, dls_limit_name name)
{
  const dls_limit *l = &b->report->check->limit[name];
  json_t *o = json_object();
  dls_build_put(b, o, "value", dls_build_number(l->value));
  if (!isfinite(l->value)) dls_build_put(b, o, "reason", json_string(limit_reason(name, l->value)));
  dls_build_put(b, o, "by", dls_build_string(b, l->by));
  if (isfinite(l->low)) dls_build_put(b, o, "low", dls_build_number(l->low));
  if (isfinite(l->high)) dls_build_put(b, o, "high", dls_build_number(l->high));
  if (name == DLS_LIMIT_LEAST) least_witnesses(b, o, l);
  return o;
}

// The limits of friction that make sense here, and what sticking would take.
static void friction(dls_build *b, json_t *o)
{
  const dls_check *c = b->report->check;
  json_t *limits = NULL;
  for (int i = 0; i < DLS_LIMIT_COUNT; i++) {
    if (!c->limit[i].asked) continue;
    if (!limits) limits = json_object();
    dls_build_put(b, limits, dls_limit_text((dls_limit_name)i), limit(b, (dls_limit_name)i));
  }
  if (limits) dls_build_put(b, o, "friction", limits);
  if (!c->extra_force) return;
  json_t *sticking = json_object();
  dls_build_put(b, sticking, "extra_force",
                dls_build_vector(b, DLS_INDEX_COORDINATES, c->extra_force,
                                 b->report->contact_state->n, false));
  dls_build_put(b, sticking, "extra_force_size", dls_build_number(c->extra_force_size));
  dls_build_put(b, o, "sticking", sticking);
}

// What goes beyond the documented keys.
static void extras(dls_build *b, json_t *o)
{
  const dls_check *c = b->report->check;
  const int m = b->report->contact_state->problem.m_b + b->report->contact_state->problem.m_u;
  dls_build_put(
      b, o, "delassus_unconstrained",
      named_matrix(b, dls_build_names(b, DLS_INDEX_CLOSED, m), "matrix", c->W, m, c->W_reason));
  // Gauss' principle and the reduced coordinates are without friction
  if (c->solution && !b->report->contact_state->friction) {
    json_t *gauss = json_object();
    dls_build_put(b, gauss, "primal", dls_build_number(c->solution->gauss_primal));
    dls_build_put(b, gauss, "dual", dls_build_number(c->solution->gauss_dual));
    dls_build_put(b, o, "gauss", gauss);
    dls_build_put(b, o, "reduced", reduced(b));
  }
  if (c->solution) dls_build_put(b, o, "residual", dls_build_number(c->solution->residual));
  if (b->report->projection) {
    json_t *projection = json_object();
    dls_build_put(b, projection, "moved_q", dls_build_number(b->report->projection->moved_q));
    dls_build_put(b, projection, "moved_v", dls_build_number(b->report->projection->moved_v));
    dls_build_put(b, projection, "iterations", json_integer(b->report->projection->iterations));
    dls_build_put(b, o, "projection", projection);
  }
  json_t *notes = json_array();
  dls_message note = {0};
  for (int i = 0; dls_report_note(b->report, i, &note); i++)
    dls_build_append(b, notes, dls_build_string(b, note.text));
  dls_build_put(b, o, "notes", notes);
}

// What q and v belong to: where configurations are vectors, the same names, with a prime for v.
static void put_motion_names(dls_build *b, json_t *o)
{
  const dls_contact_state *s = b->report->contact_state;
  const dls_system *system = b->report->system;
  json_t *q = json_array(), *v = json_array();
  dls_name_text made;
  for (int i = 0; i < s->nq; i++) {
    const char *name = system && system->chart
                           ? dls_configuration_names(system)[i]
                           : dls_report_over(b->report, DLS_INDEX_COORDINATES, i, &made);
    dls_build_append(b, q, dls_build_string(b, name));
  }
  for (int i = 0; i < s->n; i++) {
    dls_text name = {0};
    dls_text_add(&name, "%s'", dls_report_over(b->report, DLS_INDEX_COORDINATES, i, &made));
    if (name.failed) b->failed = true;
    else dls_build_append(b, v, dls_build_string(b, name.data));
    dls_text_free(&name);
  }
  dls_build_put(b, o, "coordinates", q);
  dls_build_put(b, o, "velocities", v);
}

static json_t *whole(dls_build *b)
{
  const dls_report *r = b->report;
  const dls_contact_state *s = r->contact_state;
  const dls_check *c = r->check;
  const int m = s->problem.m_b + s->problem.m_u;
  json_t *o = json_object();
  dls_build_put(b, o, "model", dls_build_string(b, r->model));
  dls_build_put(b, o, "title", dls_build_string(b, r->title ? r->title : ""));
  dls_build_put(b, o, "state", dls_build_string(b, r->at));
  dls_build_put(b, o, "time", dls_build_number(s->t));
  dls_build_put(b, o, "tolerance", dls_build_number(s->tolerance));
  dls_build_put(b, o, "tolerance_velocity", dls_build_number(s->rest));
  dls_build_put(b, o, "tolerance_relative", dls_build_number(c->tolerance));
  dls_build_put(b, o, "parameters", parameters(b));
  put_motion_names(b, o);
  dls_build_put(b, o, "q", dls_build_numbers(b, s->q, s->nq));
  dls_build_put(b, o, "v", dls_build_numbers(b, s->v, s->n));
  dls_build_put(b, o, "contacts", contacts(b));
  put_outputs(b, o);
  dls_build_put(b, o, "mass", mass(b));
  dls_build_put(b, o, "constraints", constraints(b));
  dls_build_put(b, o, "delassus",
                named_matrix(b, dls_build_names(b, DLS_INDEX_UNILATERAL, s->problem.m_u), "matrix",
                             c->A_c, s->problem.m_u, c->A_c_reason));
  dls_build_put(b, o, "kinetic_angles",
                named_matrix(b, dls_build_names(b, DLS_INDEX_CLOSED, m), "radians",
                             c->kinetic_angles, m, c->W_reason));
  dls_build_put(b, o, "solution_count",
                c->solution_count < 0 ? json_null() : json_integer(c->solution_count));
  b->moves = true;
  if (c->leaves) dls_build_put(b, o, "covering", dls_build_leaves(b, c->leaf, c->leaves));
  b->moves = false;
  dls_build_put(b, o, "solutions", dls_build_solutions(b));
  dls_build_put(b, o, "force_ranges", dls_build_ranges(b, c->solutions ? c->solution : NULL));
  if (r->object) dls_build_put(b, o, "object", dls_build_string(b, r->object));
  dls_build_put(b, o, "verdicts", dls_build_verdicts(b));
  friction(b, o);
  if (r->impact) dls_build_put(b, o, "impact", dls_build_impact(b));
  extras(b, o);
  dls_build_unproven(b, o);
  if (r->matrices) dls_build_put(b, o, "matrices", dls_build_matrices(b));
  return o;
}

dls_status dls_report_json(const dls_report *report, char **text)
{
  *text = NULL;
  if (!report || !report->contact_state || !report->check) return DLS_ERR_ARGUMENT;
  dls_build b = {.report = report};
  json_t *o = whole(&b);
  return dls_json_text(o, !b.failed, text);
}
