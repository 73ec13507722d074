// What the text of a model adds to its bodies: masses, forces and constraints of coordinates that
// it has itself or reads off the bodies. These are as the evaluator of models has them.
#include "verify/seen_system_internal.h"

#include "base/message.h"
#include "verify/rebuild.h"

#include <float.h>
#include <math.h>

// All contacts that are there at the centre, those of the text among them.
static dls_status select_contacts(const dls_seen_text *t, dls_message *message)
{
  const dls_system *s = t->whole;
  int count = 0;
  const uint64_t *id = NULL;
  if (!s->find) return DLS_OK;
  const dls_status status = s->find(s->self, 0, t->x, t->x_dot, 0, 0, &count, &id, message);
  return status == DLS_OK ? s->select(s->self, count, id, message) : status;
}

dls_status dls_seen_text_create(const dls_seen_source *source, dls_arena *arena,
                                dls_seen_text **out, dls_message *message)
{
  dls_seen_text *t = dls_arena_alloc(arena, 1, sizeof *t);
  if (!t) return DLS_ERR_MEMORY;
  *t = (dls_seen_text){.whole = source->whole, .bodies = source->bodies};
  const ptrdiff_t n = source->n;
  t->x = dls_arena_alloc(arena, n, sizeof *t->x);
  t->x_dot = dls_arena_alloc(arena, n, sizeof *t->x_dot);
  t->moved = dls_arena_alloc(arena, n, sizeof *t->moved);
  if (!t->x || !t->x_dot || !t->moved) return DLS_ERR_MEMORY;
  const dls_chart *chart = t->whole->chart;
  void *self = t->whole->self;
  dls_status status = chart->centre(self, source->q, message);
  if (status == DLS_OK) status = chart->enter(self, source->q, source->v, t->x, t->x_dot);
  if (status == DLS_OK) status = select_contacts(t, message);
  if (status != DLS_OK) return status;
  if (!dls_values_carve(t->whole, arena, &t->value) ||
      !dls_values_carve(t->whole, arena, &t->error) ||
      !dls_values_carve(t->bodies, arena, &t->value_b) ||
      !dls_values_carve(t->bodies, arena, &t->error_b))
    return DLS_ERR_MEMORY;
  *out = t;
  return DLS_OK;
}

// a - b with its error, added.
static void add_difference(double a, double b, double error, double *to, double *bound)
{
  const double d = a - b;
  if (d == 0) return;
  *to += d;
  if (bound) *bound += error + DBL_EPSILON * (fabs(a) + fabs(*to));
}

static void add_forces(const dls_seen_system *s, const dls_values *to, const dls_values *bound)
{
  const dls_seen_text *t = s->text;
  const int inner = t->bodies->n;
  for (int k = 0; k < s->n; k++) {
    const double own = k < inner ? t->value_b.F[k] : 0, error = k < inner ? t->error_b.F[k] : 0;
    add_difference(t->value.F[k], own, bound ? t->error.F[k] + error : 0, &to->F[k],
                   bound ? &bound->F[k] : NULL);
  }
}

// Less the entries of the bodies: both patterns increase.
static void add_masses(const dls_seen_system *s, const dls_values *to, const dls_values *bound)
{
  const dls_seen_text *t = s->text;
  const dls_pattern *M = &t->whole->mass, *B = &t->bodies->mass;
  for (int j = 0; j < s->n; j++) {
    int e = j < B->cols ? B->p[j] : 0;
    const int end = j < B->cols ? B->p[j + 1] : 0;
    for (int k = M->p[j]; k < M->p[j + 1]; k++) {
      while (e < end && B->i[e] < M->i[k]) e++;
      const bool both = e < end && B->i[e] == M->i[k];
      const ptrdiff_t at = M->i[k] + (ptrdiff_t)s->n * j;  // M is dense here
      const double error = bound ? t->error.M[k] + (both ? t->error_b.M[e] : 0) : 0;
      add_difference(t->value.M[k], both ? t->value_b.M[e] : 0, error, &to->M[at],
                     bound ? &bound->M[at] : NULL);
    }
  }
}

static void copy_column(const dls_pattern *from, int column, const double *x,
                        const dls_pattern *pattern, int place, double *to)
{
  int e = from->p[column];
  for (int k = pattern->p[place]; k < pattern->p[place + 1]; k++) {
    while (e < from->p[column + 1] && from->i[e] < pattern->i[k]) e++;
    to[k] = e < from->p[column + 1] && from->i[e] == pattern->i[k] ? x[e] : 0;
  }
}

// A row of the text, values or bounds.
static void copy_contact(const dls_seen_system *s, int j, int slip, const dls_values *from,
                         const dls_values *to)
{
  const dls_system *whole = s->text->whole;
  const int own = s->entry[j].of_text;
  int own_slip = 0;
  for (int k = 0; k < own; k++) own_slip += whole->contacts[k].tangents;
  to->h[j] = from->h[own], to->h_dot[j] = from->h_dot[own], to->b_n[j] = from->b_n[own];
  copy_column(&whole->normal, own, from->G, &s->view.normal, j, to->G);
  to->friction[j] = from->friction[own], to->restitution[j] = from->restitution[own];
  to->friction_force[j] = from->friction_force[own];
  to->static_friction[j] = from->static_friction[own];
  for (int k = 0; k < s->info[j].tangents; k++) {
    to->slip[slip + k] = from->slip[own_slip + k], to->b_t[slip + k] = from->b_t[own_slip + k];
    copy_column(&whole->tangent, own_slip + k, from->H, &s->view.tangent, slip + k, to->H);
  }
}

dls_status dls_seen_text_add(const dls_seen_system *s, const double *x, const dls_values *to,
                             const dls_values *bound, dls_message *message)
{
  const dls_seen_text *t = s->text;
  if (!t) return DLS_OK;
  for (int k = 0; k < s->n; k++) t->moved[k] = t->x[k] + (x ? x[k] : 0);
  dls_status status = t->whole->evaluate(t->whole->self, s->t, t->moved, t->x_dot, &t->value,
                                         bound ? &t->error : NULL, message);
  if (status == DLS_OK)
    status = t->bodies->evaluate(t->bodies->self, s->t, t->moved, t->x_dot, &t->value_b,
                                 bound ? &t->error_b : NULL, message);
  if (status != DLS_OK) return status;
  add_masses(s, to, bound);
  add_forces(s, to, bound);
  for (int j = 0, slip = 0; j < s->view.m; j++) {
    if (s->entry[j].of_text >= 0) {
      copy_contact(s, j, slip, &t->value, to);
      if (bound) copy_contact(s, j, slip, &t->error, bound);
    }
    slip += s->info[j].tangents;
  }
  return DLS_OK;
}
