// The matrices of the contact problem in the report: M, F, and G, b_n, H, b_t of closed contacts.
#include "io/report_build.h"
#include "base/memory.h"

#include <stdlib.h>

typedef struct state {
  const dls_system *system;
  dls_values *values;
  double *x;  // in local coordinates: q, then v
  double *row;
} state;

static bool evaluate(const dls_build *b, state *s)
{
  const dls_contact_state *at = b->report->contact_state;
  const dls_system *system = s->system = b->report->system;
  if (!system || system->m != at->m || system->n != at->n) return false;
  const ptrdiff_t n = system->n;
  s->x = dls_alloc(2 * n + 1, sizeof *s->x);
  s->row = dls_alloc(n + system->tangents + 1, sizeof *s->row);
  if (!s->x || !s->row || dls_values_create(system, &s->values) != DLS_OK) return false;
  const double *q = at->q, *v = at->v;
  if (system->chart) {
    if (system->chart->centre(system->self, q, NULL) != DLS_OK ||
        system->chart->enter(system->self, q, v, s->x, s->x + n) != DLS_OK)
      return false;
    q = s->x, v = s->x + n;
  }
  return system->evaluate(system->self, at->t, q, v, s->values, NULL, NULL) == DLS_OK;
}

static bool takes_part(const dls_contact *c)
{
  return c->kind == DLS_BILATERAL || c->status == DLS_SLIDING || c->status == DLS_STICKING ||
         c->status == DLS_IMPACTING;
}

// Row i of a sparse matrix, its columns those of closed contacts: `tangents` columns each, or one.
static json_t *row_of(dls_build *b, const dls_pattern *p, const double *x, bool tangents, int i)
{
  const dls_contact_state *at = b->report->contact_state;
  json_t *row = json_array();
  int column = 0;
  for (int j = 0; j < at->m; j++) {
    const int columns = tangents ? at->contacts[j].tangents : 1;
    for (int d = 0; d < columns; d++, column++) {
      double value = 0;
      if (!takes_part(&at->contacts[j])) continue;
      for (int k = p->p[column]; k < p->p[column + 1]; k++)
        if (p->i[k] == i) value = x[k];
      dls_build_append(b, row, dls_build_number(value));
    }
  }
  return row;
}

static json_t *columns(dls_build *b, const dls_pattern *p, const double *x, bool tangents)
{
  json_t *rows = json_array();
  for (int i = 0; i < p->rows; i++) dls_build_append(b, rows, row_of(b, p, x, tangents, i));
  return rows;
}

static json_t *biases(dls_build *b, const double *x, bool tangents)
{
  const dls_contact_state *at = b->report->contact_state;
  json_t *numbers = json_array();
  int column = 0;
  for (int j = 0; j < at->m; j++) {
    const int count = tangents ? at->contacts[j].tangents : 1;
    for (int d = 0; d < count; d++, column++)
      if (takes_part(&at->contacts[j])) dls_build_append(b, numbers, dls_build_number(x[column]));
  }
  return numbers;
}

static json_t *mass_rows(dls_build *b, const state *s)
{
  const dls_pattern *M = &s->system->mass;
  json_t *rows = json_array();
  for (int i = 0; i < M->cols; i++) {
    dls_clear(s->row, M->rows);
    // M is symmetric: its columns are its rows
    for (int k = M->p[i]; k < M->p[i + 1]; k++) s->row[M->i[k]] = s->values->M[k];
    dls_build_append(b, rows, dls_build_numbers(b, s->row, M->rows));
  }
  return rows;
}

json_t *dls_build_matrices(dls_build *b)
{
  state s = {0};
  json_t *o = json_object();
  if (!evaluate(b, &s)) {
    b->failed = true;
  } else {
    const dls_values *v = s.values;
    dls_build_put(b, o, "M", mass_rows(b, &s));
    dls_build_put(b, o, "F", dls_build_numbers(b, v->F, s.system->n));
    dls_build_put(b, o, "G", columns(b, &s.system->normal, v->G, false));
    dls_build_put(b, o, "b_n", biases(b, v->b_n, false));
    dls_build_put(b, o, "H", columns(b, &s.system->tangent, v->H, true));
    dls_build_put(b, o, "b_t", biases(b, v->b_t, true));
  }
  dls_values_free(s.values);
  free(s.x);
  free(s.row);
  return o;
}
