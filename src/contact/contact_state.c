// From a system and a state to the contact problem: evaluate, sort the contacts by the
// lexicographic rule, assemble the closed ones.                                  eq (sta.1)
#include <delassus/contact.h>

#include "base/memory.h"
#include "base/message.h"
#include "contact/chart.h"
#include "contact/classify.h"
#include "contact/gradient_change.h"
#include "contact/values.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct builder {
  const dls_system *system;
  dls_state state;  // in local coordinates
  dls_arena *arena;
  dls_values *values, *bound;
  dls_contact *contacts;
  dls_contact_state *out;
} builder;

// The state is the first thing in its own arena, so that freeing needs only the state.
typedef struct owned_state {
  dls_contact_state state;
  dls_arena *arena;
} owned_state;

const char *dls_contact_status_name(dls_contact_status status)
{
  static const char *const names[] = {"open", "separating", "impacting", "sliding", "sticking"};
  return names[status];
}

dls_contact_options dls_contact_defaults(void)
{
  return (dls_contact_options){.tolerance = 1e-9, .rest = 1e-9};
}

dls_status dls_contact_options_take(const dls_contact_options *given, dls_contact_options *out,
                                    dls_message *message)
{
  *out = given ? *given : dls_contact_defaults();
  if (out->rest == 0) out->rest = out->tolerance;
  if (!(out->tolerance > 0) || !isfinite(out->tolerance) || !(out->rest > 0) ||
      !isfinite(out->rest))
    return dls_fail(message, DLS_ERR_ARGUMENT, "the tolerance must be a positive number");
  return DLS_OK;
}

static void remove_noise(double *x, const double *bound, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (fabs(x[i]) <= DLS_NOISE_FACTOR * bound[i]) x[i] = 0;
}

static dls_status evaluate(builder *b, dls_message *message)
{
  const dls_system *s = b->system;
  dls_status status = dls_values_create(s, &b->values);
  if (status == DLS_OK) status = dls_values_create(s, &b->bound);
  if (status != DLS_OK) return status;
  status = s->evaluate(s->self, b->state.t, b->state.q, b->state.v, b->values, b->bound, message);
  if (status == DLS_OK) status = dls_values_check(s, b->values, message);
  if (status == DLS_OK) status = dls_energy_check(s, &b->state, message);
  if (status != DLS_OK) return status;

  const dls_values *x = b->values, *e = b->bound;
  remove_noise(x->M, e->M, (size_t)s->mass.p[s->n]);
  remove_noise(x->F, e->F, (size_t)s->n);
  remove_noise(x->G, e->G, (size_t)s->normal.p[s->m]);
  remove_noise(x->b_n, e->b_n, (size_t)s->m);
  remove_noise(x->H, e->H, (size_t)s->tangent.p[s->slips]);
  remove_noise(x->b_t, e->b_t, (size_t)s->slips);
  return DLS_OK;
}

static dls_status sort_contact(builder *b, int j, int slip, const dls_contact_options *zero,
                               dls_message *message)
{
  const dls_contact_info *info = &b->system->contacts[j];
  const dls_values *x = b->values;
  dls_contact *c = &b->contacts[j];
  *c = (dls_contact){.name = info->name,
                     .id = info->id,
                     .kind = info->kind,
                     .gap = x->h[j],
                     .normal_velocity = x->h_dot[j],
                     .slips = info->slips,
                     .friction = x->friction[j],
                     .restitution = x->restitution[j]};
  for (int k = 0; k < info->slips; k++) c->slip[k] = x->slip[slip + k];
  return dls_contact_classify(info, x, b->bound, j, slip, zero, &c->status, message);
}

static bool closed(const dls_contact *c)
{
  return c->status != DLS_OPEN && c->status != DLS_SEPARATING;
}

// The columns of the closed contacts of one kind: names, b and indices.
typedef struct selection {
  int count;
  int *contact;
  const char **names;
  double *b;
  dls_matrix_view sparse;
} selection;

static dls_status select_contacts(builder *b, dls_contact_kind kind, selection *out)
{
  const dls_system *s = b->system;
  const dls_pattern *G = &s->normal;
  int count = 0, entries = 0;
  for (int j = 0; j < s->m; j++) {
    if (b->contacts[j].kind != kind || !closed(&b->contacts[j])) continue;
    count++;
    entries += G->p[j + 1] - G->p[j];
  }
  int *p = dls_arena_alloc(b->arena, (size_t)count + 1, sizeof *p);
  int *i = dls_arena_alloc(b->arena, (size_t)entries, sizeof *i);
  double *x = dls_arena_alloc(b->arena, (size_t)entries, sizeof *x);
  out->contact = dls_arena_alloc(b->arena, (size_t)count, sizeof(int));
  out->names = dls_arena_alloc(b->arena, (size_t)count, sizeof(char *));
  out->b = dls_arena_alloc(b->arena, (size_t)count, sizeof(double));
  if (!p || !i || !x || !out->contact || !out->names || !out->b) return DLS_ERR_MEMORY;

  int used = 0;
  for (int j = 0; j < s->m; j++) {
    if (b->contacts[j].kind != kind || !closed(&b->contacts[j])) continue;
    const int c = out->count++, length = G->p[j + 1] - G->p[j];
    out->contact[c] = j;
    out->names[c] = b->contacts[j].name;
    out->b[c] = b->values->b_n[j];
    if (length > 0) {  // a pattern without entries may have no array either
      memcpy(i + used, G->i + G->p[j], (size_t)length * sizeof *i);
      memcpy(x + used, b->values->G + G->p[j], (size_t)length * sizeof *x);
    }
    used += length;
    p[c + 1] = used;
  }
  out->sparse = (dls_matrix_view){.pattern = {.rows = s->n, .cols = count, .p = p, .i = i}, .x = x};
  return DLS_OK;
}

static double *copy(dls_arena *arena, const double *x, size_t count)
{
  double *y = dls_arena_alloc(arena, count, sizeof *y);
  if (y && count) memcpy(y, x, count * sizeof *y);
  return y;
}

// Part of a velocity that is imposed: rate - g^T v, or zero where that is only rounding.
static double imposed(const builder *b, const dls_pattern *A, const double *x, int column,
                      double rate, double rate_error)
{
  double sum = rate, terms = fabs(rate);
  for (int k = A->p[column]; k < A->p[column + 1]; k++) {
    const double term = x[k] * b->state.v[A->i[k]];
    sum -= term, terms += fabs(term);
  }
  return fabs(sum) <= DLS_NOISE_FACTOR * (rate_error + 4 * DBL_EPSILON * terms) ? 0 : sum;
}

// The friction data as they are filled.
typedef struct friction_data {
  dls_friction friction;
  int *first, *column;  // column: of the system's tangent, per slip
  double *b_t, *mu, *xi, *w_n, *w_t;
  bool *sliding;
} friction_data;

static void fill_friction(const builder *b, const int *slip_start, const int *contact, int count,
                          int at, friction_data *f)
{
  const dls_system *s = b->system;
  for (int k = 0; k < count; k++) {
    const int j = contact[k], i = at + k;
    const dls_contact *c = &b->contacts[j];
    const double speed = hypot(c->slip[0], c->slip[1]);
    f->mu[i] = c->slips ? c->friction : 0;
    f->sliding[i] = c->status == DLS_SLIDING;
    f->w_n[i] = imposed(b, &s->normal, b->values->G, j, b->values->h_dot[j], b->bound->h_dot[j]);
    f->first[i] = f->friction.slips;
    for (int d = 0; d < c->slips; d++) {
      const int from = slip_start[j] + d, to = f->friction.slips++;
      f->column[to] = from;
      f->b_t[to] = b->values->b_t[from];
      f->xi[to] = f->sliding[i] ? c->slip[d] / speed : 0;
      f->w_t[to] =
          imposed(b, &s->tangent, b->values->H, from, b->values->slip[from], b->bound->slip[from]);
    }
  }
  f->first[at + count] = f->friction.slips;
}

// The columns of H that belong to closed contacts, bilateral ones first.
static dls_status select_slips(builder *b, const friction_data *f, dls_matrix_view *out)
{
  const dls_system *s = b->system;
  const dls_pattern *H = &s->tangent;
  int entries = 0;
  for (int k = 0; k < f->friction.slips; k++)
    entries += H->p[f->column[k] + 1] - H->p[f->column[k]];
  int *p = dls_arena_alloc(b->arena, (size_t)f->friction.slips + 1, sizeof *p);
  int *i = dls_arena_alloc(b->arena, (size_t)entries, sizeof *i);
  double *x = dls_arena_alloc(b->arena, (size_t)entries, sizeof *x);
  if (!p || !i || !x) return DLS_ERR_MEMORY;
  int used = 0;
  for (int k = 0; k < f->friction.slips; k++) {
    for (int e = H->p[f->column[k]]; e < H->p[f->column[k] + 1]; e++)
      i[used] = H->i[e], x[used++] = b->values->H[e];
    p[k + 1] = used;
  }
  *out = (dls_matrix_view){.pattern = {.rows = s->n, .cols = f->friction.slips, .p = p, .i = i},
                           .x = x};
  return DLS_OK;
}

static dls_status assemble_friction(builder *b, const selection *bilateral,
                                    const selection *unilateral)
{
  const dls_system *s = b->system;
  const size_t m = ((size_t)bilateral->count + (size_t)unilateral->count), slips = (size_t)s->slips;
  friction_data f = {.first = dls_arena_alloc(b->arena, m + 1, sizeof(int)),
                     .column = dls_arena_alloc(b->arena, slips, sizeof(int)),
                     .b_t = dls_arena_alloc(b->arena, slips, sizeof(double)),
                     .mu = dls_arena_alloc(b->arena, m, sizeof(double)),
                     .xi = dls_arena_alloc(b->arena, slips, sizeof(double)),
                     .w_n = dls_arena_alloc(b->arena, m, sizeof(double)),
                     .w_t = dls_arena_alloc(b->arena, slips, sizeof(double)),
                     .sliding = dls_arena_alloc(b->arena, m, sizeof(bool))};
  int *slip_start = dls_arena_alloc(b->arena, (size_t)s->m + 1, sizeof *slip_start);
  dls_friction *friction = dls_arena_alloc(b->arena, 1, sizeof *friction);
  if (!f.first || !f.column || !f.b_t || !f.mu || !f.xi || !f.w_n || !f.w_t || !f.sliding ||
      !slip_start || !friction)
    return DLS_ERR_MEMORY;
  for (int j = 0; j < s->m; j++) slip_start[j + 1] = slip_start[j] + s->contacts[j].slips;
  fill_friction(b, slip_start, bilateral->contact, bilateral->count, 0, &f);
  fill_friction(b, slip_start, unilateral->contact, unilateral->count, bilateral->count, &f);
  dls_status status = select_slips(b, &f, &b->out->matrices.H);
  if (status != DLS_OK) return status;
  *friction = (dls_friction){.slips = f.friction.slips,
                             .first = f.first,
                             .b_t = f.b_t,
                             .mu = f.mu,
                             .xi = f.xi,
                             .sliding = f.sliding,
                             .w_n = f.w_n,
                             .w_t = f.w_t};
  b->out->problem.friction = friction;
  return DLS_OK;
}

static dls_status assemble(builder *b)
{
  const dls_system *s = b->system;
  dls_contact_state *out = b->out;
  selection bilateral = {0}, unilateral = {0};
  dls_status status = select_contacts(b, DLS_BILATERAL, &bilateral);
  if (status == DLS_OK) status = select_contacts(b, DLS_UNILATERAL, &unilateral);
  if (status != DLS_OK) return status;

  double *M_x = copy(b->arena, b->values->M, (size_t)s->mass.p[s->n]);
  double *F = copy(b->arena, b->values->F, (size_t)s->n);
  if (!M_x || !F) return DLS_ERR_MEMORY;
  out->matrices.M = (dls_matrix_view){.pattern = s->mass, .x = M_x};
  out->matrices.G_b = bilateral.sparse;
  out->matrices.G_u = unilateral.sparse;
  out->bilateral_contact = bilateral.contact;
  out->unilateral_contact = unilateral.contact;
  out->problem = (dls_problem){.n = s->n,
                               .m_b = bilateral.count,
                               .m_u = unilateral.count,
                               .F = F,
                               .b_b = bilateral.b,
                               .b_u = unilateral.b,
                               .coordinates = s->coordinates,
                               .bilateral = bilateral.names,
                               .unilateral = unilateral.names,
                               .sparse = &out->matrices};
  return assemble_friction(b, &bilateral, &unilateral);
}

// What the tolerance of the state leaves open of the gradients.                  eq (num.3)
static dls_status doubt_gradients(builder *b, double tolerance)
{
  dls_contact_state *out = b->out;
  dls_problem_matrices *x = &out->matrices;
  const size_t m_b = (size_t)out->problem.m_b, m_u = (size_t)out->problem.m_u;
  int *contact = dls_arena_alloc(b->arena, m_b + m_u, sizeof *contact);
  if (!contact) return DLS_ERR_MEMORY;
  for (size_t j = 0; j < m_b; j++) contact[j] = out->bilateral_contact[j];
  for (size_t j = 0; j < m_u; j++) contact[m_b + j] = out->unilateral_contact[j];
  double *change = NULL;
  const dls_status status =
      dls_gradient_change(b->system, &b->state, x, contact, tolerance, b->arena, &change);
  x->G_b_change = change;
  x->G_u_change = change ? change + x->G_b.pattern.p[m_b] : NULL;
  return status;
}

// The state in local coordinates, and the contacts that are near there.
static dls_status enter(builder *b, const dls_state *given, double reach, dls_message *message)
{
  const dls_system *s = b->system;
  dls_contact_state *out = b->out;
  dls_status status = dls_state_check(s, given, message);
  if (status != DLS_OK) return status;
  out->t = given->t;
  out->nq = dls_system_nq(s);
  out->n = s->n;
  out->q = copy(b->arena, given->q, (size_t)out->nq);
  out->v = copy(b->arena, given->v, (size_t)s->n);
  double *x = dls_arena_alloc(b->arena, 2 * (size_t)s->n, sizeof *x);
  if (!out->q || !out->v || !x) return DLS_ERR_MEMORY;
  b->state = (dls_state){.t = given->t, .q = x, .v = x + s->n};
  status = dls_chart_begin(s, given, b->state.q, b->state.v, message);
  if (status != DLS_OK) return status;
  return dls_system_select_near(s, &b->state, reach, message);
}

static dls_status build(builder *b, const dls_state *given, const dls_contact_options *zero,
                        dls_message *message)
{
  const dls_system *s = b->system;
  dls_contact_state *out = b->out;
  dls_status status = enter(b, given, zero->tolerance, message);
  if (status == DLS_OK) status = evaluate(b, message);
  if (status != DLS_OK) return status;

  b->contacts = dls_arena_alloc(b->arena, (size_t)s->m, sizeof(dls_contact));
  if (!b->contacts) return DLS_ERR_MEMORY;
  int slip = 0;
  for (int j = 0; j < s->m; j++) {
    status = sort_contact(b, j, slip, zero, message);
    if (status != DLS_OK) return status;
    const dls_contact *c = &b->contacts[j];
    out->impact |= c->status == DLS_IMPACTING;
    out->friction |= closed(c) && c->slips > 0 && c->friction > 0;
    slip += c->slips;
  }
  out->tolerance = zero->tolerance;
  out->rest = zero->rest;
  out->m = s->m;
  out->contacts = b->contacts;
  status = assemble(b);
  return status == DLS_OK ? doubt_gradients(b, zero->tolerance) : status;
}

dls_status dls_contact_state_create(const dls_system *system, const dls_state *state,
                                    const dls_contact_options *options, dls_contact_state **out,
                                    dls_message *message)
{
  *out = NULL;
  if (message) message->text[0] = 0;
  dls_contact_options chosen;
  const dls_status wrong = dls_contact_options_take(options, &chosen, message);
  if (wrong != DLS_OK) return wrong;
  dls_status status = dls_system_validate(system, message);
  if (status != DLS_OK) return status;

  owned_state *owner = dls_alloc(1, sizeof *owner);
  if (!owner) return DLS_ERR_MEMORY;
  owner->arena = dls_arena_create();
  builder b = {.system = system, .arena = owner->arena, .out = &owner->state};
  status = owner->arena ? build(&b, state, &chosen, message) : DLS_ERR_MEMORY;
  dls_values_free(b.values);
  dls_values_free(b.bound);
  if (status == DLS_OK) *out = &owner->state;
  else dls_contact_state_free(&owner->state);
  return status;
}

void dls_contact_state_free(dls_contact_state *contact_state)
{
  if (!contact_state) return;
  owned_state *owner = (owned_state *)contact_state;
  dls_arena_free(owner->arena);
  free(owner);
}
