// The report as JSON. Every value goes through put() or append(), which note that memory ran out,
// so that the code below reads like the report.
#include <delassus/report.h>

#include "io/json_print.h"
#include "io/report_parts.h"
#include "io/text.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

enum { WITNESS_FULL = 50 };  // longer vectors show their nonzero entries only

typedef struct builder {
  const dls_report *report;
  bool failed;
} builder;

// jansson takes over `value` and accepts NULL, with an error.
static void append(builder *b, json_t *array, json_t *value)
{
  if (json_array_append_new(array, value)) b->failed = true;
}

// A string from outside may hold bytes that are not UTF-8, which JSON cannot.
static json_t *string(builder *b, const char *s)
{
  if (!s) return json_null();
  const char *end = s;
  for (int length; (length = dls_text_character(end)) > 0;) end += length;
  dls_text clean = {0};
  if (*end) dls_text_clean(&clean, s, dls_text_width(s));
  json_t *value = clean.failed ? NULL : json_string(*end ? clean.data : s);
  dls_text_free(&clean);
  if (!value) b->failed = true;
  return value;
}

static void put(builder *b, json_t *object, const char *key, json_t *value)
{
  if (!json_object_set_new(object, key, value)) return;
  b->failed = true;
}

// The same with a name as the key.
static void put_named(builder *b, json_t *object, const char *name, json_t *value)
{
  json_t *key = string(b, name);
  if (key) {
    put(b, object, json_string_value(key), value);
  } else {
    json_decref(value);
  }
  json_decref(key);
}

static json_t *number(double x)
{
  return isfinite(x) ? json_real(x + 0.0) : json_null();  // -0 becomes 0
}

static json_t *numbers(builder *b, const double *x, int count)
{
  json_t *array = json_array();
  for (int i = 0; x && i < count; i++) append(b, array, number(x[i]));
  return array;
}

// Column-major in, rows out; null without data.
static json_t *matrix(builder *b, const double *a, int size)
{
  if (!a && size) return json_null();
  json_t *rows = json_array();
  for (int i = 0; i < size; i++) {
    json_t *row = json_array();
    for (int j = 0; j < size; j++) {
      append(b, row, number(a[(size_t)j * (size_t)size + (size_t)i]));
    }
    append(b, rows, row);
  }
  return rows;
}

static json_t *names(builder *b, dls_over over, int count)
{
  json_t *array = json_array();
  dls_name_text made;
  for (int i = 0; i < count; i++)
    append(b, array, string(b, dls_report_over(b->report, over, i, &made)));
  return array;
}

// Bilateral constraints first, then unilateral ones.
static json_t *closed_names(builder *b)
{
  const dls_problem *p = &b->report->contact_state->problem;
  json_t *array = json_array();
  dls_name_text made;
  for (int i = 0; i < p->m_b + p->m_u; i++)
    append(b, array, string(b, dls_report_closed(b->report, i, &made)));
  return array;
}

static json_t *contacts(builder *b)
{
  const dls_contact_state *s = b->report->contact_state;
  json_t *array = json_array();
  for (int i = 0; i < s->m; i++) {
    const dls_contact *c = &s->contacts[i];
    json_t *o = json_object();
    put(b, o, "name", string(b, c->name));
    put(b, o, "kind", json_string(c->kind == DLS_BILATERAL ? "bilateral" : "unilateral"));
    put(b, o, "status", string(b, dls_contact_status_name(c->status)));
    put(b, o, "gap", number(c->gap));
    put(b, o, "normal_velocity", number(c->normal_velocity));
    put(b, o, "slip", numbers(b, c->slip, c->slips));
    put(b, o, "friction", number(c->friction));
    put(b, o, "restitution", number(c->restitution));
    append(b, array, o);
  }
  return array;
}

static json_t *mass(builder *b)
{
  const dls_check *c = b->report->check;
  const dls_answer definite = c->verdict[DLS_MASS_DEFINITE].answer;
  json_t *o = json_object();
  put(b, o, "rank", json_integer(c->mass_rank));
  put(b, o, "definite",
      definite == DLS_YES  ? json_true()
      : definite == DLS_NO ? json_false()
                           : json_null());
  put(b, o, "condition", number(c->mass_condition));
  if (isinf(c->mass_condition))
    put(b, o, "condition_reason", json_string("infinite: the mass matrix is singular"));
  put(b, o, "eigenvalues", numbers(b, c->mass_eigenvalues, b->report->contact_state->n));
  return o;
}

static json_t *constraints(builder *b)
{
  const dls_check *c = b->report->check;
  const dls_problem *p = &b->report->contact_state->problem;
  json_t *o = json_object();
  put(b, o, "rank", json_integer(c->constraint_rank));
  put(b, o, "count", json_integer(p->m_b + p->m_u));
  put(b, o, "bilateral", json_integer(p->m_b));
  put(b, o, "unilateral", json_integer(p->m_u));
  put(b, o, "singular_values", numbers(b, c->constraint_singular, c->constraint_singular_count));
  put(b, o, "nonzero_above", number(c->rank_tolerance));
  put(b, o, "zero_below", number(c->rank_noise));
  return o;
}

// {"names", KEY: matrix}, and the reason when there is no matrix.
static json_t *named_matrix(builder *b, json_t *row_names, const char *key, const double *a,
                            int size, const char *reason)
{
  json_t *o = json_object();
  put(b, o, "names", row_names);
  put(b, o, key, matrix(b, a, size));
  if (!a && size) put(b, o, "reason", string(b, reason ? reason : "not computed"));
  return o;
}

static json_t *by_coordinate(builder *b, const double *x)
{
  json_t *o = json_object();
  dls_name_text made;
  for (int i = 0; x && i < b->report->contact_state->n; i++)
    put_named(b, o, dls_report_coordinate(b->report, i, &made), number(x[i]));
  return o;
}

// What is not one point but many: nothing, the forces, or the acceleration (and forces).
static json_t *continuum(const dls_check *c)
{
  const dls_answer acceleration = c->verdict[DLS_ACCELERATION_UNIQUE].answer;
  const dls_answer forces = c->verdict[DLS_FORCES_UNIQUE].answer;
  if (acceleration == DLS_NO) return json_string("acceleration");
  if (forces == DLS_NO) return json_string("forces");
  // without closed contacts nothing is asked about forces
  if (acceleration == DLS_YES && (forces == DLS_YES || forces == DLS_NOT_ASKED))
    return json_string("none");
  return json_null();
}

static json_t *forces(builder *b)
{
  const dls_problem *p = &b->report->contact_state->problem;
  json_t *o = json_object();
  dls_name_text made;
  for (int i = 0; i < p->m_b + p->m_u; i++) {
    const dls_report_force f = dls_report_force_at(b->report, i);
    const dls_contact *c = dls_report_contact(b->report, i);
    const double zeros[2] = {0, 0};
    json_t *force = json_object();
    put(b, force, "normal", number(f.normal));
    put(b, force, "tangential", numbers(b, zeros, c ? c->slips : 0));
    put(b, force, "mode", json_string(f.detaches ? "detach" : "frictionless"));
    if (i >= p->m_b) put(b, force, "normal_acceleration", number(f.acceleration));
    put_named(b, o, dls_report_closed(b->report, i, &made), force);
  }
  return o;
}

static json_t *solutions(builder *b)
{
  const dls_check *c = b->report->check;
  json_t *array = json_array();
  if (!c->solution) return array;
  json_t *o = json_object();
  put(b, o, "acceleration", by_coordinate(b, c->solution->acceleration));
  put(b, o, "forces", forces(b));
  put(b, o, "continuum", continuum(c));
  put(b, o, "residual", number(c->solution->residual));
  append(b, array, o);
  return array;
}

static json_t *force_ranges(builder *b)
{
  const dls_problem *p = &b->report->contact_state->problem;
  json_t *o = json_object();
  dls_name_text made;
  for (int i = 0; b->report->check->solution && i < p->m_b + p->m_u; i++) {
    const dls_report_force f = dls_report_force_at(b->report, i);
    const dls_contact *c = dls_report_contact(b->report, i);
    if (isnan(f.low) || isnan(f.high)) continue;
    const double normal[2] = {f.low, f.high}, zeros[2] = {0, 0};
    json_t *tangential = json_array();
    for (int k = 0; c && k < c->slips; k++) append(b, tangential, numbers(b, zeros, 2));
    json_t *range = json_object();
    put(b, range, "normal", numbers(b, normal, 2));
    put(b, range, "tangential", tangential);
    put_named(b, o, dls_report_closed(b->report, i, &made), range);
  }
  return o;
}

static json_t *solution_count(const dls_check *c)
{
  const dls_answer exists = c->verdict[DLS_ACCELERATION_EXISTS].answer;
  if (exists == DLS_NO) return json_integer(0);
  return exists == DLS_YES ? json_integer(1) : json_null();
}

static json_t *witness_part(builder *b, const dls_witness_part *part)
{
  dls_name_text made;
  json_t *value = part->values ? json_object() : json_array();
  for (int i = 0; i < part->count; i++) {
    if (!part->values) {
      append(b, value, string(b, dls_report_over(b->report, part->over, part->index[i], &made)));
    } else if (part->count <= WITNESS_FULL || part->values[i] != 0) {
      put_named(b, value, dls_report_over(b->report, part->over, i, &made),
                number(part->values[i]));
    }
  }
  return value;
}

static json_t *verdict(builder *b, const dls_verdict *v)
{
  json_t *o = json_object();
  put(b, o, "answer", json_string(dls_answer_name(v->answer)));
  put(b, o, "by", string(b, v->by));
  put(b, o, "margin", number(v->margin));
  const bool shows = v->shows && v->shows[0];
  if (v->parts == 0 && !shows) {
    put(b, o, "witness", json_null());
    return o;
  }
  json_t *witness = json_object();
  put(b, witness, "shows", string(b, shows ? v->shows : NULL));
  for (int i = 0; i < v->parts; i++)
    put_named(b, witness, v->part[i].name, witness_part(b, &v->part[i]));
  put(b, o, "witness", witness);
  return o;
}

static json_t *verdicts(builder *b)
{
  json_t *o = json_object();
  for (int q = 0; q < DLS_QUESTION_COUNT; q++) {
    dls_message by = {0};
    const dls_verdict v = dls_report_verdict(b->report, (dls_question)q, &by);
    if (v.answer != DLS_NOT_ASKED) put(b, o, dls_question_name((dls_question)q), verdict(b, &v));
  }
  return o;
}

static json_t *reduced(builder *b)
{
  const dls_reduced *r = &b->report->check->reduced;
  const dls_contact_state *s = b->report->contact_state;
  json_t *o = json_object();
  put(b, o, "applies", json_boolean(r->applies));
  if (!r->applies) return o;
  json_t *dependent = json_array(), *independent = json_array();
  dls_name_text made;
  for (int i = 0; r->coordinate && i < s->n; i++)
    append(b, i < r->dependent ? dependent : independent,
           string(b, dls_report_coordinate(b->report, r->coordinate[i], &made)));
  put(b, o, "dependent", dependent);
  put(b, o, "independent", independent);
  put(b, o, "matrix", matrix(b, r->A_r, s->problem.m_u));
  put(b, o, "delassus_difference", number(r->delassus_difference));
  put(b, o, "acceleration_difference", number(r->acceleration_difference));
  put(b, o, "multiplier_difference", number(r->multiplier_difference));
  put(b, o, "dual_difference", number(r->dual_difference));
  return o;
}

// What goes beyond the documented keys.
static void extras(builder *b, json_t *o)
{
  const dls_check *c = b->report->check;
  const dls_problem *p = &b->report->contact_state->problem;
  put(b, o, "delassus_unconstrained",
      named_matrix(b, closed_names(b), "matrix", c->W, p->m_b + p->m_u, c->W_reason));
  if (c->solution) {
    json_t *gauss = json_object();
    put(b, gauss, "primal", number(c->solution->gauss_primal));
    put(b, gauss, "dual", number(c->solution->gauss_dual));
    put(b, o, "gauss", gauss);
    put(b, o, "reduced", reduced(b));
    put(b, o, "residual", number(c->solution->residual));
  }
  if (b->report->projection) {
    json_t *projection = json_object();
    put(b, projection, "moved_q", number(b->report->projection->moved_q));
    put(b, projection, "moved_v", number(b->report->projection->moved_v));
    put(b, projection, "iterations", json_integer(b->report->projection->iterations));
    put(b, o, "projection", projection);
  }
  json_t *notes = json_array();
  dls_message note = {0};
  for (int i = 0; dls_report_note(b->report, i, &note); i++) append(b, notes, string(b, note.text));
  put(b, o, "notes", notes);
}

static json_t *whole(builder *b)
{
  const dls_report *r = b->report;
  const dls_contact_state *s = r->contact_state;
  const dls_check *c = r->check;
  const int m = s->problem.m_b + s->problem.m_u;
  json_t *o = json_object();
  put(b, o, "model", string(b, r->model));
  put(b, o, "title", string(b, r->title ? r->title : ""));
  put(b, o, "state", string(b, r->at));
  put(b, o, "time", number(s->t));
  put(b, o, "tolerance", number(c->tolerance));
  put(b, o, "coordinates", names(b, DLS_OVER_COORDINATES, s->n));
  put(b, o, "q", numbers(b, s->q, s->n));
  put(b, o, "v", numbers(b, s->v, s->n));
  put(b, o, "contacts", contacts(b));
  put(b, o, "mass", mass(b));
  put(b, o, "constraints", constraints(b));
  put(b, o, "delassus",
      named_matrix(b, names(b, DLS_OVER_UNILATERAL, s->problem.m_u), "matrix", c->A_c,
                   s->problem.m_u, c->A_c_reason));
  put(b, o, "kinetic_angles",
      named_matrix(b, closed_names(b), "radians", c->kinetic_angles, m, c->W_reason));
  put(b, o, "solution_count", solution_count(c));
  put(b, o, "solutions", solutions(b));
  put(b, o, "force_ranges", force_ranges(b));
  put(b, o, "verdicts", verdicts(b));
  extras(b, o);
  return o;
}

dls_status dls_report_json(const dls_report *report, char **text)
{
  *text = NULL;
  if (!report || !report->contact_state || !report->check) return DLS_ERR_ARGUMENT;
  builder b = {.report = report};
  json_t *o = whole(&b);
  dls_text out = {0};
  if (!b.failed) dls_json_print(&out, o);
  json_decref(o);
  if (b.failed || out.failed) {
    dls_text_free(&out);
    return DLS_ERR_MEMORY;
  }
  *text = out.data;
  return DLS_OK;
}
