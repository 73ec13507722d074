// From the model and the state of a report to the contact problem.        eq (num.2), (sta.1)
//
// Nothing here is shared with the code that made the report, but the evaluation of the model: it
// gives each number with a bound of its rounding error, and a number stands for the ball around it.
#include "verify/rebuild.h"

#include "base/memory.h"
#include "verify/sum.h"
#include "verify/tolerances.h"

#include "base/message.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct builder {
  const dls_system *system;
  const dls_saved_report *saved;
  const double *q;
  dls_arena *arena;
  dls_values value, error;
  dls_seen_state *out;
  dls_message *message;
} builder;

const char *dls_seen_status_name(dls_contact_status status)
{
  switch (status) {
  case DLS_OPEN: return "open";
  case DLS_SEPARATING: return "separating";
  case DLS_IMPACTING: return "impacting";
  case DLS_SLIDING: return "sliding";
  case DLS_STICKING: return "sticking";
  }
  return "";
}

// ---- evaluation --------------------------------------------------------------------------------

bool dls_values_carve(const dls_system *s, dls_arena *arena, dls_values *x)
{
  const ptrdiff_t n = s->n, m = s->m, tangents = s->tangents;
  const struct {
    double **array;
    ptrdiff_t count;
  } parts[] = {{&x->M, (ptrdiff_t)s->mass.p[n]},
               {&x->F, n},
               {&x->h, m},
               {&x->h_dot, m},
               {&x->G, (ptrdiff_t)s->normal.p[m]},
               {&x->b_n, m},
               {&x->slip, tangents},
               {&x->H, (ptrdiff_t)s->tangent.p[tangents]},
               {&x->b_t, tangents},
               {&x->friction, m},
               {&x->restitution, m},
               {&x->coupling, (ptrdiff_t)s->couplings},
               {&x->friction_force, m},
               {&x->static_friction, m}};
  for (ptrdiff_t k = 0; k < dls_count_of(parts); k++) {
    *parts[k].array = dls_arena_alloc(arena, parts[k].count, sizeof(double));
    if (!*parts[k].array) return false;
  }
  return true;
}

// Finite numbers only; what is zero up to rounding becomes zero.
static bool settle(double *x, const double *error, ptrdiff_t count)
{
  bool finite = true;
  for (ptrdiff_t i = 0; i < count; i++) {
    finite &= isfinite(x[i]) != 0;
    if (fabs(x[i]) <= ball_width * error[i]) x[i] = 0;
  }
  return finite;
}

static bool are_finite(const double *x, ptrdiff_t count)
{
  bool finite = true;
  for (ptrdiff_t i = 0; i < count; i++) finite &= isfinite(x[i]) != 0;
  return finite;
}

static bool are_coefficients(const double *x, ptrdiff_t count)
{
  bool good = true;
  for (ptrdiff_t i = 0; i < count; i++) good &= x[i] >= 0 && isfinite(x[i]);
  return good;
}

static bool has_energy(const builder *b)
{
  const dls_system *s = b->system;
  double kinetic = 0, potential = 0;
  return !s->energy || (s->energy(s->self, b->saved->time, b->q, b->saved->v, &kinetic, &potential,
                                  NULL) == DLS_OK &&
                        isfinite(kinetic) && isfinite(potential));
}

static dls_status evaluate(builder *b)
{
  const dls_system *s = b->system;
  const dls_values *x = &b->value, *e = &b->error;
  const ptrdiff_t n = s->n, m = s->m, tangents = s->tangents;
  if (!dls_values_carve(s, b->arena, &b->value) || !dls_values_carve(s, b->arena, &b->error))
    return DLS_ERR_MEMORY;
  const dls_status status =
      s->evaluate(s->self, b->saved->time, b->q, b->saved->v, x, e, b->message);
  if (status != DLS_OK) return status;
  bool good = settle(x->M, e->M, s->mass.p[n]);
  good &= settle(x->F, e->F, n);
  good &= settle(x->G, e->G, s->normal.p[m]);
  good &= settle(x->b_n, e->b_n, m);
  good &= settle(x->H, e->H, s->tangent.p[tangents]);
  good &= settle(x->b_t, e->b_t, tangents);
  good &= are_finite(x->h, m) && are_finite(x->h_dot, m) && are_finite(x->slip, tangents);
  good &= are_coefficients(x->friction, m) && are_coefficients(x->friction_force, m);
  good &= are_coefficients(x->restitution, m) && has_energy(b);
  return good ? DLS_OK
              : dls_fail(b->message, DLS_ERR_NUMBER, "a number of the model is not finite there");
}

// ---- which contacts take part ------------------------------------------------------------------

// Is x > limit? Where rounding leaves it open, as the report says.
static bool exceeds(dls_rounded x, double limit, bool claimed)
{
  const double open =
      same_state * x.error + comparison_rounding * DBL_EPSILON * (fabs(x.value) + limit);
  if (x.value > limit + open) return true;
  return x.value > limit - open && claimed;
}

static dls_rounded minus(dls_rounded x)
{
  return (dls_rounded){-x.value, x.error};
}

static dls_rounded speed_of(const dls_seen_contact *c)
{
  return (dls_rounded){hypot(c->slip[0].value, c->slip[1].value),
                       c->slip[0].error + c->slip[1].error};
}

static dls_status misfit(const builder *b, const dls_seen_contact *c, const char *what,
                         double value)
{
  return dls_fail(b->message, DLS_ERR_STATE, "%s of constraint `%.60s` is %.6g (tolerance %g)",
                  what, c->info->name, value, b->saved->tolerance);
}

// claimed: the status in the report.
static dls_status sort_contact(const builder *b, dls_seen_contact *c, const char *claimed)
{
  const double zero = b->saved->tolerance, rest = b->saved->rest;
  const bool open = strcmp(claimed, "open") == 0, separating = strcmp(claimed, "separating") == 0;
  const bool impacting = strcmp(claimed, "impacting") == 0,
             sliding = strcmp(claimed, "sliding") == 0;
  const dls_rounded g = c->gap, u = c->normal_velocity;
  if (exceeds(minus(g), zero, false)) return misfit(b, c, "the value", g.value);
  c->status = exceeds(speed_of(c), rest, sliding) ? DLS_SLIDING : DLS_STICKING;
  if (c->info->kind == DLS_BILATERAL) {
    if (exceeds(g, zero, false)) return misfit(b, c, "the value", g.value);
    if (exceeds(u, rest, false) || exceeds(minus(u), rest, false))
      return misfit(b, c, "the rate of change", u.value);
    return DLS_OK;
  }
  if (exceeds(g, zero, open)) c->status = DLS_OPEN;
  else if (exceeds(u, rest, separating)) c->status = DLS_SEPARATING;
  else if (exceeds(minus(u), rest, impacting)) c->status = DLS_IMPACTING;
  return DLS_OK;
}

static dls_status sort_contacts(builder *b)
{
  const dls_system *s = b->system;
  const dls_values *x = &b->value, *e = &b->error;
  b->out->contacts = dls_arena_alloc(b->arena, s->m, sizeof *b->out->contacts);
  if (!b->out->contacts) return DLS_ERR_MEMORY;
  for (int j = 0, slip = 0; j < s->m; j++) {
    dls_seen_contact *c = &b->out->contacts[j];
    *c = (dls_seen_contact){.info = &s->contacts[j],
                            .gap = {x->h[j], e->h[j]},
                            .normal_velocity = {x->h_dot[j], e->h_dot[j]},
                            .friction = x->friction[j],
                            .force = x->friction_force[j],
                            .given_most = s->contacts[j].has_static ? x->static_friction[j] : 0,
                            .restitution = x->restitution[j]};
    for (int k = 0; k < c->info->tangents; k++, slip++)
      c->slip[k] = (dls_rounded){x->slip[slip], e->slip[slip]};
    const dls_status status = sort_contact(b, c, b->saved->contacts[j].status);
    if (status != DLS_OK) return status;
    b->out->impact |= c->status == DLS_IMPACTING;
    c->most = c->info->bounded ? c->force : c->friction;
    const bool hits = c->status == DLS_IMPACTING && speed_of(c).value <= b->out->rest;
    if (c->info->has_static && (c->status == DLS_STICKING || hits))  // eq (stf.3)
      c->most = fmax(c->most, c->given_most);
  }
  return DLS_OK;
}

// ---- the problem of the closed ones ------------------------------------------------------------

static bool is_closed(const dls_seen_contact *c)
{
  return c->status == DLS_SLIDING || c->status == DLS_STICKING || c->status == DLS_IMPACTING;
}

static void scatter(const dls_pattern *A, const double *x, int column, double *dense)
{
  for (int k = A->p[column]; k < A->p[column + 1]; k++) dense[A->i[k]] = x[k];
}

// rate - a^T v, the part of a velocity that is imposed; 0 where its ball holds 0.
static double imposed(const builder *b, const dls_pattern *A, const double *x, int column,
                      dls_rounded rate)
{
  dls_sum sum;
  dls_sum_init(&sum);
  dls_sum_start(&sum, rate.value);
  for (int k = A->p[column]; k < A->p[column + 1]; k++)
    dls_sum_add(&sum, -x[k], b->saved->v[A->i[k]]);
  const dls_interval value = dls_sum_value(&sum);
  const double error = ball_width * (rate.error + comparison_rounding * DBL_EPSILON * sum.size);
  dls_sum_clear(&sum);
  return value.low <= error && value.high >= -error ? 0 : value.low / 2 + value.high / 2;
}

static bool weighs(const builder *b, int j)
{
  const dls_seen_contact *c = &b->out->contacts[j];
  return is_closed(c) && c->info->bounded && c->most > 0 && !b->out->impact;
}

typedef struct assembly {
  ptrdiff_t n;
  double *M, *G, *b, *H, *b_t, *mu, *mu_s, *xi, *w_n, *w_t;
  const char **names;
  int *first;
  bool *sliding;
  dls_friction *friction;
} assembly;

static bool allocate(builder *b, ptrdiff_t m, ptrdiff_t tangents, assembly *a)
{
  const ptrdiff_t n = a->n;
  dls_arena *arena = b->arena;
  a->M = dls_arena_alloc(arena, n * n, sizeof(double));
  a->G = dls_arena_alloc(arena, n * m, sizeof(double));
  a->H = dls_arena_alloc(arena, n * tangents, sizeof(double));
  double **of_contacts[] = {&a->b, &a->mu, &a->mu_s, &a->w_n},
         **of_tangents[] = {&a->b_t, &a->xi, &a->w_t};
  bool good = a->M && a->G && a->H;
  for (ptrdiff_t k = 0; k < dls_count_of(of_contacts); k++)
    good &= (*of_contacts[k] = dls_arena_alloc(arena, m, sizeof(double))) != NULL;
  for (ptrdiff_t k = 0; k < dls_count_of(of_tangents); k++)
    good &= (*of_tangents[k] = dls_arena_alloc(arena, tangents, sizeof(double))) != NULL;
  a->names = dls_arena_alloc(arena, m, sizeof *a->names);
  a->first = dls_arena_alloc(arena, m + 1, sizeof *a->first);
  a->sliding = dls_arena_alloc(arena, m, sizeof *a->sliding);
  a->friction = dls_arena_alloc(arena, 1, sizeof *a->friction);
  return good && a->names && a->first && a->sliding && a->friction;
}

// Its slips, the first of which is `slip` in the system.
static void add_slips(const builder *b, int place, int j, int slip, assembly *a)
{
  const dls_system *s = b->system;
  const ptrdiff_t n = a->n;
  const dls_seen_contact *c = &b->out->contacts[j];
  const double speed = hypot(c->slip[0].value, c->slip[1].value);
  a->sliding[place] = c->status == DLS_SLIDING;
  int to = a->first[place];
  for (int k = 0; k < c->info->tangents; k++, to++) {
    scatter(&s->tangent, b->value.H, slip + k, a->H + n * to);
    a->b_t[to] = b->value.b_t[slip + k];
    a->xi[to] = a->sliding[place] ? c->slip[k].value / speed : 0;
    a->w_t[to] = imposed(b, &s->tangent, b->value.H, slip + k, c->slip[k]);
  }
  a->first[place + 1] = to;
}

// slip: the first of the contact's slips in the system.
static void add_contact(const builder *b, int place, int slip, assembly *a)
{
  const dls_system *s = b->system;
  const int j = b->out->closed[place];
  const dls_seen_contact *c = &b->out->contacts[j];
  scatter(&s->normal, b->value.G, j, a->G + a->n * place);
  a->b[place] = b->value.b_n[j];
  a->names[place] = c->info->name;
  a->w_n[place] = imposed(b, &s->normal, b->value.G, j, c->normal_velocity);
  a->first[place + 1] = a->first[place];
  if (weighs(b, j)) a->sliding[place] = c->status == DLS_SLIDING;
  else {
    a->mu[place] = c->info->tangents ? c->friction : 0;
    a->mu_s[place] = c->info->tangents && !c->info->bounded ? c->most : a->mu[place];
    add_slips(b, place, j, slip, a);
  }
}

// The closed contacts of one kind, after those that are there.
static int list_closed(const builder *b, dls_contact_kind kind, int count)
{
  for (int j = 0; j < b->system->m; j++)
    if (b->system->contacts[j].kind == kind && !b->system->contacts[j].dry &&
        is_closed(&b->out->contacts[j]))
      b->out->closed[count++] = j;
  return count;
}

// Contacts whose friction weights press, friction alone first; NULL: no memory.
static const int *list_weights(const builder *b)
{
  int *list = dls_arena_alloc(b->arena, (ptrdiff_t)b->system->m + 1, sizeof *list);
  for (int dry = 1; dry >= 0 && list; dry--)
    for (int j = 0; j < b->system->m; j++)
      if (weighs(b, j) && b->system->contacts[j].dry == dry) list[b->out->weights++] = j;
  return list;
}

// The mass of a weight: in powers of two the least that it may hold, by the square of the slip.
static double weight_mass(const builder *b, int slip, int tangents)
{
  const dls_pattern *H = &b->system->tangent, *M = &b->system->mass;
  bool any = false;
  int least = 0;
  for (int e = H->p[slip]; e < H->p[slip + tangents]; e++) {
    const double entry = fabs(b->value.H[e]);
    for (int k = M->p[H->i[e]]; k < M->p[H->i[e] + 1]; k++) {
      if (M->i[k] != H->i[e] || !(b->value.M[k] > 0) || !(entry > 0)) continue;
      const int exponent = ilogb(b->value.M[k]) - 2 * ilogb(entry);
      if (!any || exponent < least) least = exponent;
      any = true;
    }
  }
  return any && least >= -1000 && least <= 1000 ? ldexp(1, least) : 1;
}

static const char *name_of(const builder *b, const char *what, const char *name)
{
  const size_t size = strlen(what) + strlen(name) + 1;
  char *text = dls_arena_alloc(b->arena, (ptrdiff_t)size, 1);
  if (text) snprintf(text, size, "%s%s", what, name);
  return text;
}

// Weight k, behind n coordinates and m contacts.
static bool add_weight(const builder *b, int k, int m, const int *slip, assembly *a, double *F,
                       const char **names)
{
  const int j = b->out->weighed[k], place = m + k;
  const ptrdiff_t at = (ptrdiff_t)b->system->n + k;
  const dls_contact_info *info = &b->system->contacts[j];
  a->M[at * (a->n + 1)] = weight_mass(b, slip[j], info->tangents);
  a->G[at + a->n * place] = 1;
  const dls_seen_contact *c = &b->out->contacts[j];
  a->mu[place] = c->force / c->most, a->mu_s[place] = 1;
  F[at] = c->most;
  names[at] = name_of(b, "weight of ", info->name);
  a->names[place] = name_of(b, "friction of ", info->name);
  add_slips(b, place, j, slip[j], a);
  return names[at] && a->names[place];
}

static dls_status assemble_one(builder *b, const int *slip, int m_b, int m, int weights,
                               dls_problem *out)
{
  const dls_system *s = b->system;
  assembly a = {.n = (ptrdiff_t)s->n + weights};
  double *F = dls_arena_alloc(b->arena, a.n, sizeof *F);
  const char **names = dls_arena_alloc(b->arena, a.n, sizeof *names);
  if (!F || !names || !allocate(b, (ptrdiff_t)m + weights, s->tangents, &a)) return DLS_ERR_MEMORY;
  dls_copy(F, b->value.F, s->n);
  for (int i = 0; i < s->n; i++) {
    names[i] = s->coordinates[i];
    scatter(&s->mass, b->value.M, i, a.M + a.n * i);
  }
  for (int place = 0; place < m; place++) add_contact(b, place, slip[b->out->closed[place]], &a);
  for (int k = 0; k < weights; k++)
    if (!add_weight(b, k, m, slip, &a, F, names)) return DLS_ERR_MEMORY;
  *a.friction = (dls_friction){.tangents = a.first[m + weights],
                               .first = a.first,
                               .H = a.H,
                               .b_t = a.b_t,
                               .mu = a.mu,
                               .mu_s = a.mu_s,
                               .xi = a.xi,
                               .sliding = a.sliding,
                               .w_n = a.w_n,
                               .w_t = a.w_t};
  *out = (dls_problem){.n = (int)a.n,
                       .m_b = m_b,
                       .m_u = m - m_b + weights,
                       .M = a.M,
                       .F = F,
                       .G_b = a.G,
                       .b_b = a.b,
                       .G_u = a.G + a.n * m_b,
                       .b_u = a.b + m_b,
                       .coordinates = names,
                       .bilateral = a.names,
                       .unilateral = a.names + m_b,
                       .friction = a.friction};
  return DLS_OK;
}

static dls_status assemble(builder *b)
{
  const dls_system *s = b->system;
  dls_seen_state *out = b->out;
  int *slip = dls_arena_alloc(b->arena, (ptrdiff_t)s->m + 1, sizeof *slip);
  out->closed = dls_arena_alloc(b->arena, s->m, sizeof *out->closed);
  if (!slip || !out->closed) return DLS_ERR_MEMORY;
  for (int j = 0; j < s->m; j++) slip[j + 1] = slip[j] + s->contacts[j].tangents;
  const int m_b = list_closed(b, DLS_BILATERAL, 0), m = list_closed(b, DLS_UNILATERAL, m_b);
  out->weighed = list_weights(b);
  if (!out->weighed) return DLS_ERR_MEMORY;
  dls_status status = assemble_one(b, slip, m_b, m, 0, &out->problem);
  if (status == DLS_OK && out->weights > 0)
    status = assemble_one(b, slip, m_b, m, out->weights, &out->weighted);
  return status;
}

dls_status dls_seen_state_create(const dls_system *system, const dls_saved_report *saved,
                                 const double *q, dls_arena *arena, dls_seen_state *state,
                                 dls_message *message)
{
  enum { MOST = 15000 };  // dense matrices of 1.8 GB
  builder b = {
      .system = system, .saved = saved, .q = q, .arena = arena, .out = state, .message = message};
  dls_status status = dls_system_validate(system, message);
  if (status != DLS_OK) return status;
  if (system->n > MOST || system->m > MOST)
    return dls_fail(message, DLS_ERR_LIMIT,
                    "%d coordinates and %d contacts: dense matrices go up to %d of each", system->n,
                    system->m, (int)MOST);
  *state = (dls_seen_state){
      .n = system->n, .m = system->m, .q = q, .v = saved->v, .t = saved->time, .rest = saved->rest};
  status = evaluate(&b);
  if (status == DLS_OK) status = sort_contacts(&b);
  return status == DLS_OK ? assemble(&b) : status;
}

// ---- impacts -----------------------------------------------------------------------------------

bool dls_before_create(const dls_seen_state *s, dls_arena *arena, dls_before *before)
{
  const dls_problem *p = &s->problem;
  const dls_friction *f = p->friction;
  before->normal = dls_arena_alloc(arena, p->m_u, sizeof(double));
  before->slip = dls_arena_alloc(arena, f->tangents, sizeof(double));
  if (!before->normal || !before->slip) return false;
  for (int place = 0; place < p->m_b + p->m_u; place++) {
    const dls_seen_contact *c = &s->contacts[s->closed[place]];
    if (c->status == DLS_IMPACTING) before->normal[place - p->m_b] = c->normal_velocity.value;
    for (int k = f->first[place]; speed_of(c).value > s->rest && k < f->first[place + 1]; k++)
      before->slip[k] = c->slip[k - f->first[place]].value;
  }
  return true;
}

// Where a contact of the model stands among the closed unilateral ones; m_u: nowhere.
static int place_of(const dls_seen_state *s, int contact)
{
  int j = 0;
  while (j < s->problem.m_u && s->closed[s->problem.m_b + j] != contact) j++;
  return j;
}

dls_status dls_seen_restitution(const dls_seen_state *s, const dls_system *system, dls_arena *arena,
                                double *E)
{
  const int m_u = s->problem.m_u;
  const ptrdiff_t size = m_u, n = s->n;
  const dls_model *model = dls_system_model(system);
  double *q = dls_arena_alloc(arena, n, sizeof *q), *v = dls_arena_alloc(arena, n, sizeof *v);
  if (!q || !v) return DLS_ERR_MEMORY;
  dls_copy(q, s->q, n), dls_copy(v, s->v, n);
  const dls_state at = {.t = s->t, .q = q, .v = v};
  for (int j = 0; j < m_u; j++)
    E[j * (size + 1)] = s->contacts[s->closed[s->problem.m_b + j]].restitution;
  for (int k = 0; model && k < dls_model_restitution_count(model); k++) {
    int row = 0, column = 0;
    double value = 0;
    const dls_status status = dls_model_restitution(system, k, &at, &row, &column, &value);
    if (status != DLS_OK) return status;
    const int i = place_of(s, row), j = place_of(s, column);
    if (i < m_u && j < m_u) E[i + size * j] = value;
  }
  return DLS_OK;
}

// The slips before take the place of b_t, and no contact slides in a known direction: the impact
// may turn it, or end it.
bool dls_jump_problem(const dls_seen_state *s, const dls_before *before, const double *E,
                      dls_arena *arena, dls_problem *problem)
{
  const dls_problem *p = &s->problem;
  const ptrdiff_t m = (ptrdiff_t)p->m_b + p->m_u, m_u = p->m_u;
  dls_friction *f = dls_arena_alloc(arena, 1, sizeof *f);
  bool *sliding = dls_arena_alloc(arena, m, sizeof *sliding);
  double *xi = dls_arena_alloc(arena, p->friction->tangents, sizeof *xi);
  double *F = dls_arena_alloc(arena, p->n, sizeof *F);
  double *b = dls_arena_alloc(arena, m, sizeof *b);
  if (!f || !sliding || !xi || !F || !b) return false;
  dls_sum sum;
  dls_sum_init(&sum);
  for (ptrdiff_t i = 0; i < m_u; i++) {
    dls_sum_start(&sum, before->normal[i]);
    for (ptrdiff_t j = 0; j < m_u; j++) dls_sum_add(&sum, E[i + m_u * j], before->normal[j]);
    const dls_interval value = dls_sum_value(&sum);
    b[p->m_b + i] = value.low / 2 + value.high / 2;
  }
  dls_sum_clear(&sum);
  *f = *p->friction;
  f->b_t = before->slip, f->xi = xi, f->sliding = sliding;
  *problem = *p;
  problem->F = F, problem->b_b = b, problem->b_u = b + p->m_b, problem->friction = f;
  return true;
}
