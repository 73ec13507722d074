// From a system and a state to the contact problem: evaluate, sort the contacts by the
// lexicographic rule, assemble the closed ones.                                  eq (sta.1)
#include <delassus/contact.h>

#include "base/memory.h"
#include "base/message.h"
#include "contact/chart.h"
#include "contact/classify.h"
#include "contact/contacts.h"
#include "contact/gradient_change.h"
#include "contact/tolerances.h"
#include "contact/values.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct builder {
  const dls_system *system;
  dls_state state;  // in local coordinates
  dls_arena *arena;
  dls_values *values, *bound;
  dls_contact *contacts;
  dls_contacts *closed;
  dls_contact_state *out;
} builder;

// The state is the first thing in its own arena, so that freeing needs only the state.
typedef struct owned_state {
  dls_contact_state state;
  dls_contacts *closed;
  dls_arena *arena;
} owned_state;

const char *dls_contact_status_name(dls_contact_status status)
{
  static const char *const names[] = {"open", "separating", "impacting", "sliding", "sticking"};
  return names[status];
}

dls_contact_options dls_contact_defaults(void)
{
  return (dls_contact_options){.tolerance = closed_gap, .rest = resting_speed};
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

static void remove_noise(double *x, const double *bound, ptrdiff_t count)
{
  for (ptrdiff_t i = 0; i < count; i++)
    if (fabs(x[i]) <= noise_factor * bound[i]) x[i] = 0;
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
  remove_noise(x->M, e->M, s->mass.p[s->n]);
  remove_noise(x->F, e->F, s->n);
  remove_noise(x->G, e->G, s->normal.p[s->m]);
  remove_noise(x->b_n, e->b_n, s->m);
  remove_noise(x->H, e->H, s->tangent.p[s->tangents]);
  remove_noise(x->b_t, e->b_t, s->tangents);
  return DLS_OK;
}

// Where it is asked for: at contacts that touch, or hit, and do not slip.      eq (stf.1), (stf.3)
static bool counts_static(const dls_contact *c, double rest)
{
  return c->has_static && (c->status == DLS_STICKING ||
                           (c->status == DLS_IMPACTING && hypot(c->slip[0], c->slip[1]) <= rest));
}

static dls_status check_static(const dls_contact *c, double rest, dls_message *message)
{
  const double sliding = c->bounded ? c->friction_force : c->friction;
  if (!counts_static(c, rest) || c->static_friction >= sliding) return DLS_OK;
  return dls_fail(message, DLS_ERR_NUMBER,
                  "the static friction of contact `%s` is %g, less than that of sliding, %g",
                  c->name, c->static_friction, sliding);
}

// The largest friction that the contact may have at the state, and what is static of it.
static double most_friction(const builder *b, const dls_contact *c, double sliding)
{
  return counts_static(c, b->out->rest) ? fmax(sliding, c->static_friction) : sliding;
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
                     .rolling = info->rolling,
                     .gap = x->h[j],
                     .normal_velocity = x->h_dot[j],
                     .tangents = info->tangents,
                     .friction = x->friction[j],
                     .friction_force = x->friction_force[j],
                     .bounded = info->bounded,
                     .dry = info->dry,
                     .has_static = info->has_static,
                     .static_friction = info->has_static ? x->static_friction[j] : 0,
                     .restitution = x->restitution[j]};
  for (int k = 0; k < info->tangents; k++) c->slip[k] = x->slip[slip + k];
  const dls_status status =
      dls_contact_classify(info, x, b->bound, j, slip, zero, &c->status, message);
  return status == DLS_OK ? check_static(c, zero->rest, message) : status;
}

static bool closed(const dls_contact *c)
{
  return c->status != DLS_OPEN && c->status != DLS_SEPARATING;
}

static double *copy(dls_arena *arena, const double *x, ptrdiff_t count)
{
  double *y = dls_arena_alloc(arena, count, sizeof *y);
  if (y && count) dls_copy(y, x, count);
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
  return fabs(sum) <= noise_factor * (rate_error + velocity_rounding * terms) ? 0 : sum;
}

// Does a weight press the friction of the contact? Bounded forces have no part in impacts.
static bool weighs(const builder *b, const dls_contact *c)
{
  return closed(c) && c->bounded && most_friction(b, c, c->friction_force) > 0 && !b->out->impact;
}

// The law of a closed contact among accelerations.
static dls_law law_of(const dls_contact *c, int tangents)
{
  const bool slides = c->status == DLS_SLIDING;
  if (c->kind == DLS_BILATERAL)
    return tangents == 0 ? DLS_LAW_EQUATION
           : slides      ? DLS_LAW_BILATERAL_SLIDING
                         : DLS_LAW_BILATERAL_CONE;
  return tangents == 0 ? DLS_LAW_UNILATERAL : slides ? DLS_LAW_SLIDING : DLS_LAW_CONE;
}

static dls_contact_row row_of(const dls_pattern *A, const double *x, int column, double rate,
                              double w, double b)
{
  const int begin = A->p[column], entries = A->p[column + 1] - begin;
  // a pattern without entries may have no array either
  return (dls_contact_row){.entries = entries,
                           .i = entries > 0 ? A->i + begin : NULL,
                           .x = entries > 0 ? x + begin : NULL,
                           .rate = rate,
                           .w = w,
                           .b = b};
}

static void set_slips(const builder *b, int j, int slip, dls_contact_data *data)
{
  const dls_system *s = b->system;
  const dls_values *x = b->values, *e = b->bound;
  const dls_contact *c = &b->contacts[j];
  const double speed = hypot(c->slip[0], c->slip[1]);
  for (int k = 0; k < c->tangents; k++) {
    const int at = slip + k;
    data->row[1 + k] =
        row_of(&s->tangent, x->H, at, x->slip[at],
               imposed(b, &s->tangent, x->H, at, x->slip[at], e->slip[at]), x->b_t[at]);
    if (c->status == DLS_SLIDING) data->row[1 + k].direction = c->slip[k] / speed;
  }
}

// Contact j, whose slip velocities begin at `slip`, to the set of those that are closed.
static dls_status add_closed(builder *b, int j, int slip)
{
  const dls_system *s = b->system;
  const dls_values *x = b->values, *e = b->bound;
  const dls_contact *c = &b->contacts[j];
  const int tangents = weighs(b, c) ? 0 : c->tangents;
  dls_contact_data data = {.law = law_of(c, tangents),
                           .id = c->id,
                           .name = c->name,
                           .gap = c->gap,
                           .mu = tangents ? c->friction : 0,
                           .mu_s = tangents && !c->bounded ? most_friction(b, c, c->friction) : 0,
                           .e = c->restitution,
                           .rows = 1 + tangents};
  data.row[0] = row_of(&s->normal, x->G, j, x->h_dot[j],
                       imposed(b, &s->normal, x->G, j, x->h_dot[j], e->h_dot[j]), x->b_n[j]);
  if (tangents) set_slips(b, j, slip, &data);
  return dls_contacts_add(b->closed, &data, NULL);
}

// The closed contacts of one kind; where they are in the system.
static dls_status gather(builder *b, dls_contact_kind kind, const int **place)
{
  const dls_system *s = b->system;
  int *contact = dls_arena_alloc(b->arena, s->m, sizeof *contact), count = 0, slip = 0;
  if (!contact) return DLS_ERR_MEMORY;
  *place = contact;
  dls_status status = DLS_OK;
  for (int j = 0; j < s->m && status == DLS_OK; slip += s->contacts[j].tangents, j++) {
    if (b->contacts[j].kind != kind || b->contacts[j].dry || !closed(&b->contacts[j])) continue;
    contact[count++] = j;
    status = add_closed(b, j, slip);
  }
  return status;
}

static dls_status assemble(builder *b)
{
  const dls_system *s = b->system;
  dls_contact_state *out = b->out;
  dls_status status = dls_contacts_create(s->n, &b->closed);
  out->closed = b->closed;
  if (status == DLS_OK) status = gather(b, DLS_BILATERAL, &out->bilateral_contact);
  if (status == DLS_OK) status = gather(b, DLS_UNILATERAL, &out->unilateral_contact);
  if (status != DLS_OK) return status;
  double *M_x = copy(b->arena, b->values->M, s->mass.p[s->n]);
  double *F = copy(b->arena, b->values->F, s->n);
  if (!M_x || !F) return DLS_ERR_MEMORY;
  const dls_matrix_view M = {.pattern = s->mass, .x = M_x};
  status = dls_contacts_view(b->closed, &M, F, b->arena, &out->matrices, &out->problem);
  out->problem.coordinates = s->coordinates;
  return status;
}

// ---- weights ------------------------------------------------------------------------------------

// In powers of two the least mass over the square of a slip's entry: with it the scales of weights
// are about those of what they hold, in any units.
static double weight_mass(const builder *b, int slip, int tangents)
{
  const dls_system *s = b->system;
  int least = INT_MAX;
  for (int k = slip; k < slip + tangents; k++)
    for (int e = s->tangent.p[k]; e < s->tangent.p[k + 1]; e++) {
      const int i = s->tangent.i[e];
      double mass = 0;
      for (int f = s->mass.p[i]; f < s->mass.p[i + 1]; f++)
        if (s->mass.i[f] == i) mass = b->values->M[f];
      const double H = fabs(b->values->H[e]);
      if (!(mass > 0) || !(H > 0) || !isfinite(mass) || !isfinite(H)) continue;
      const int exponent = ilogb(mass) - 2 * ilogb(H);
      if (exponent < least) least = exponent;
    }
  return least == INT_MAX || abs(least) > 1000 ? 1 : ldexp(1, least);
}

typedef struct weighing {
  dls_weights *out;
  dls_problem_matrices *matrices;
  dls_contacts *set;
  int *contact, *system, *slip;
  int *p, *i;  // of M with the weights
  double *M, *F;
  const char **names;
} weighing;

static const char *name_of(builder *b, const char *what, const char *name)
{
  const size_t size = strlen(what) + strlen(name) + 1;
  char *text = dls_arena_alloc(b->arena, (ptrdiff_t)size, 1);
  if (text) snprintf(text, size, "%s%s", what, name);
  return text;
}

// Whose friction: friction alone first.
static void list_weights(builder *b, weighing *w)
{
  const dls_system *s = b->system;
  dls_weights *out = w->out;
  for (int dry = 1; dry >= 0; dry--)
    for (int j = 0, slip = 0; j < s->m; slip += s->contacts[j].tangents, j++) {
      if (!weighs(b, &b->contacts[j]) || b->contacts[j].dry != dry) continue;
      out->dry += dry;
      w->contact[out->count] = -1;
      for (int k = 0; k < b->out->problem.m_b && !dry; k++)
        if (b->out->bilateral_contact[k] == j) w->contact[out->count] = k;
      for (int k = 0; k < b->out->problem.m_u && !dry; k++)
        if (b->out->unilateral_contact[k] == j) w->contact[out->count] = b->out->problem.m_b + k;
      w->slip[out->count] = slip, w->system[out->count++] = j;
    }
}

static bool take_weights(builder *b, weighing *w)
{
  const dls_system *s = b->system;
  const ptrdiff_t m = s->m, n = s->n + m, entries = s->mass.p[s->n] + m;
  w->out = dls_arena_alloc(b->arena, 1, sizeof *w->out);
  w->matrices = dls_arena_alloc(b->arena, 1, sizeof *w->matrices);
  w->contact = dls_arena_alloc(b->arena, 3 * m, sizeof(int));
  w->p = dls_arena_alloc(b->arena, n + 1, sizeof(int));
  w->i = dls_arena_alloc(b->arena, entries, sizeof(int));
  w->M = dls_arena_alloc(b->arena, entries + n, sizeof(double));
  w->names = dls_arena_alloc(b->arena, n, sizeof *w->names);
  if (!w->out || !w->matrices || !w->contact || !w->p || !w->i || !w->M || !w->names) return false;
  w->system = w->contact + m, w->slip = w->system + m, w->F = w->M + entries;
  list_weights(b, w);
  w->out->contact = w->contact, w->out->system = w->system;
  return true;
}

// The mass, the force and the contact of weight k.
static dls_status add_weight(builder *b, weighing *w, int k)
{
  const dls_system *s = b->system;
  const int j = w->system[k], at = s->n + k;
  const dls_contact *c = &b->contacts[j];
  const double one = 1;
  const int end = w->p[at];
  w->M[end] = weight_mass(b, w->slip[k], c->tangents), w->i[end] = at, w->p[at + 1] = end + 1;
  const double most = most_friction(b, c, c->friction_force);
  w->F[at] = most;
  w->names[at] = name_of(b, "weight of ", c->name);
  const char *name = name_of(b, "friction of ", c->name);
  if (!w->names[at] || !name) return DLS_ERR_MEMORY;
  dls_contact_data data = {.law = c->status == DLS_SLIDING ? DLS_LAW_SLIDING : DLS_LAW_CONE,
                           .id = c->id,
                           .name = name,
                           .mu = c->friction_force / most,
                           .mu_s = 1,
                           .rows = 1 + c->tangents,
                           .row[0] = {.entries = 1, .i = &at, .x = &one}};
  set_slips(b, j, w->slip[k], &data);
  return dls_contacts_add(w->set, &data, NULL);
}

// The closed contacts as they are, and behind them what the weights press.
static dls_status add_weights(builder *b, weighing *w)
{
  const dls_system *s = b->system;
  dls_contacts *const plain = b->closed;
  b->closed = w->set;
  const int *unused;
  dls_status status = gather(b, DLS_BILATERAL, &unused);
  if (status == DLS_OK) status = gather(b, DLS_UNILATERAL, &unused);
  b->closed = plain;
  dls_copy(w->p, s->mass.p, (ptrdiff_t)s->n + 1);
  dls_copy(w->i, s->mass.i, (ptrdiff_t)s->mass.p[s->n]);
  dls_copy(w->M, b->values->M, (ptrdiff_t)s->mass.p[s->n]);
  dls_copy(w->F, b->values->F, s->n);
  for (int i = 0; i < s->n; i++) w->names[i] = s->coordinates[i];
  for (int k = 0; k < w->out->count && status == DLS_OK; k++) status = add_weight(b, w, k);
  return status;
}

// The problem with weights, where friction has a given bound.                         eq (dry.1)
static dls_status weigh(builder *b)
{
  weighing w = {0};
  bool any = false;
  for (int j = 0; j < b->system->m; j++) any |= weighs(b, &b->contacts[j]);
  if (!any) return DLS_OK;
  if (!take_weights(b, &w)) return DLS_ERR_MEMORY;
  const int n = b->system->n + w.out->count;
  dls_status status = dls_contacts_create(n, &w.set);
  if (status == DLS_OK) status = add_weights(b, &w);
  const dls_matrix_view M = {.pattern = {n, n, w.p, w.i}, .x = w.M};
  if (status == DLS_OK)
    status = dls_contacts_view(w.set, &M, w.F, b->arena, w.matrices, &w.out->problem);
  dls_contacts_free(w.set);
  w.out->problem.coordinates = w.names;
  b->out->problem.weights = w.out;
  return status;
}

// What the tolerance of the state leaves open of the gradients.                  eq (num.3)
static dls_status note_ambiguous_gradients(builder *b, double tolerance)
{
  dls_contact_state *out = b->out;
  dls_problem_matrices *x = &out->matrices;
  const ptrdiff_t m_b = out->problem.m_b, m_u = out->problem.m_u;
  int *contact = dls_arena_alloc(b->arena, m_b + m_u, sizeof *contact);
  if (!contact) return DLS_ERR_MEMORY;
  for (ptrdiff_t j = 0; j < m_b; j++) contact[j] = out->bilateral_contact[j];
  for (ptrdiff_t j = 0; j < m_u; j++) contact[m_b + j] = out->unilateral_contact[j];
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
  out->q = copy(b->arena, given->q, out->nq);
  out->v = copy(b->arena, given->v, s->n);
  double *x = dls_arena_alloc(b->arena, 2 * (ptrdiff_t)s->n, sizeof *x);
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

  out->rest = zero->rest;
  b->contacts = dls_arena_alloc(b->arena, s->m, sizeof(dls_contact));
  if (!b->contacts) return DLS_ERR_MEMORY;
  int slip = 0;
  for (int j = 0; j < s->m; j++) {
    status = sort_contact(b, j, slip, zero, message);
    if (status != DLS_OK) return status;
    const dls_contact *c = &b->contacts[j];
    out->impact |= c->status == DLS_IMPACTING;
    out->friction |= closed(c) && c->tangents > 0 &&
                     (c->friction > 0 || c->friction_force > 0 || most_friction(b, c, 0) > 0);
    slip += c->tangents;
  }
  out->tolerance = zero->tolerance;
  out->m = s->m;
  out->contacts = b->contacts;
  out->poisson = s->poisson;
  status = assemble(b);
  if (status == DLS_OK) status = note_ambiguous_gradients(b, zero->tolerance);
  return status == DLS_OK ? weigh(b) : status;
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
  owner->closed = b.closed;
  if (status == DLS_OK) *out = &owner->state;
  else dls_contact_state_free(&owner->state);
  return status;
}

void dls_contact_state_free(dls_contact_state *contact_state)
{
  if (!contact_state) return;
  owned_state *owner = (owned_state *)contact_state;
  dls_contacts_free(owner->closed);
  dls_arena_free(owner->arena);
  free(owner);
}
