// Each part is advanced to the end of the step on its own. Between steps the state of the whole is
// all there is: every step begins with a restart of the parts from it, so that a run that is taken
// up from a moment goes on as it would have.
#include "step/parts.h"

#include "base/memory.h"
#include "base/message.h"

#include <math.h>

// Where steps are chosen, the whole's is the longest of the parts', but never more than so many of
// the shortest: parts that move fast should be seen to.                              eq (par.2)
enum { MOST_SHORT_STEPS = 8 };

// --- life ---

static void destroy(dls_integrator *g)
{
  dls_parts *w = g->self;
  for (int k = 0; w && k < w->count; k++) {
    dls_integrator_free(w->part[k].integrator);
    dls_system_free(w->part[k].system);
  }
}

static void gather(int count, const int *place, const double *whole, double *x)
{
  for (int i = 0; i < count; i++) x[i] = whole[place[i]];
}

static void scatter(int count, const int *place, const double *x, double *whole)
{
  for (int i = 0; i < count; i++) whole[place[i]] = x[i];
}

// Which coordinates, contacts and impulses of the whole are those of each part.
static dls_status find_places(const dls_integrator *g, dls_parts *w)
{
  const dls_system *s = g->system;
  for (int i = 0; i < s->n; i++) w->part[s->coordinate_part[i]].n++;
  for (int j = 0; j < s->m; j++) {
    w->part[s->contact_part[j]].m++;
    w->part[s->contact_part[j]].impulses += 1 + s->contacts[j].tangents;
  }
  for (int k = 0; k < w->count; k++) {
    dls_part *p = &w->part[k];
    p->all = w, p->index = k;
    p->coordinate = dls_arena_alloc(g->arena, (ptrdiff_t)p->n + 1, sizeof(int));
    p->contact = dls_arena_alloc(g->arena, (ptrdiff_t)p->m + 1, sizeof(int));
    p->impulse = dls_arena_alloc(g->arena, (ptrdiff_t)p->impulses + 1, sizeof(int));
    if (!p->coordinate || !p->contact || !p->impulse) return DLS_ERR_MEMORY;
    p->n = p->m = p->impulses = 0;
  }
  for (int i = 0; i < s->n; i++) {
    dls_part *p = &w->part[s->coordinate_part[i]];
    p->coordinate[p->n++] = i;
  }
  for (int j = 0, place = 0; j < s->m; j++) {
    dls_part *p = &w->part[s->contact_part[j]];
    p->contact[p->m++] = j;
    for (int k = 0; k <= s->contacts[j].tangents; k++) p->impulse[p->impulses++] = place++;
  }
  return DLS_OK;
}

// The caller looks on at the whole, but not while it is told what happened.
static bool watch_part(void *self, double t)
{
  const dls_part *p = self;
  const dls_integrator_options *o = &p->all->whole->options;
  return !p->all->telling && o->watch(o->self, t);
}

static dls_status create_part(const dls_integrator *g, dls_part *p, dls_message *message)
{
  const dls_parts *w = p->all;
  const dls_state start = {g->t, w->q, w->v};
  dls_integrator_options options = g->options;
  options.event = options.event ? dls_parts_hear : NULL;
  options.watch = options.watch ? watch_part : NULL;
  options.self = p;
  dls_status status = g->system->part(g->system->self, p->index, &p->system, message);
  if (status != DLS_OK) return status;
  if (p->system->n != p->n || p->system->m != p->m ||
      p->system->m + p->system->tangents != p->impulses)
    return dls_fail(message, DLS_ERR_ARGUMENT, "part %d has other sizes than its system", p->index);
  gather(p->n, p->coordinate, g->q, w->q);
  gather(p->n, p->coordinate, g->v, w->v);
  status = dls_integrator_create(p->system, &start, &options, &p->integrator, message);
  if (status == DLS_OK) p->integrator->point.checked = g->point.checked;
  return status;
}

static bool take_memory(dls_integrator *g, dls_parts *w)
{
  const ptrdiff_t m = g->system->m;
  int n = 0, impulses = 0, scheme_state_size = 0;
  g->scheme_state_size = 0;
  for (int k = 0; k < w->count; k++) {
    dls_part *p = &w->part[k];
    p->scheme_state = g->scheme_state_size;
    g->scheme_state_size += 1 + p->integrator->scheme_state_size;
    if (p->integrator->scheme_state_size > scheme_state_size)
      scheme_state_size = p->integrator->scheme_state_size;
    if (p->n > n) n = p->n;
    if (p->impulses > impulses) impulses = p->impulses;
  }
  const ptrdiff_t all = 2 * (ptrdiff_t)g->scheme_state_size + scheme_state_size + impulses + 1;
  double *x = dls_arena_alloc(g->arena, all, sizeof(double));
  unsigned char *status = dls_arena_alloc(g->arena, 2 * m + 1, 1);
  w->problem_contact = dls_arena_alloc(g->arena, m + 1, sizeof(int));
  if (!x || !status || !w->problem_contact) return false;
  g->scheme_state = x, w->scheme_state1 = x + g->scheme_state_size;
  w->scheme_state = w->scheme_state1 + g->scheme_state_size,
  w->impulse = w->scheme_state + scheme_state_size;
  w->status1 = status, w->status = status + m;
  return !g->options.event || dls_parts_make_room(g, w);
}

// What the part has become, to where a step is prepared.
static void put(const dls_integrator *g, const dls_part *p, double *scheme_state,
                unsigned char *status)
{
  const dls_integrator *own = p->integrator;
  scheme_state[p->scheme_state] = own->step;
  if (own->scheme_state_size > 0)
    dls_copy(scheme_state + p->scheme_state + 1, own->scheme_state, own->scheme_state_size);
  for (int j = 0; j < p->m; j++) status[p->contact[j]] = own->status[j];
  scatter(p->m, p->contact, own->point.values->h, g->point.values->h);
  scatter(p->m, p->contact, own->point.values->h_dot, g->point.values->h_dot);
}

static dls_status create(dls_integrator *g, dls_message *message)
{
  dls_parts *w = dls_arena_alloc(g->arena, 1, sizeof *w);
  const ptrdiff_t count = g->system->parts, n = g->system->n;
  if (!w) return DLS_ERR_MEMORY;
  w->part = dls_arena_alloc(g->arena, count, sizeof *w->part);
  w->q = dls_arena_alloc(g->arena, 2 * n, sizeof(double));
  if (!w->part || !w->q) return DLS_ERR_MEMORY;
  w->v = w->q + n;
  w->count = g->system->parts, w->failed = -1;
  g->self = w;
  w->whole = g;
  dls_status status = find_places(g, w);
  for (int k = 0; k < w->count && status == DLS_OK; k++)
    status = create_part(g, &w->part[k], message);
  if (status != DLS_OK) return status;
  if (!take_memory(g, w)) return DLS_ERR_MEMORY;
  for (int k = 0; k < w->count; k++) {
    put(g, &w->part[k], g->scheme_state, g->status);
    dls_loss_merge(&g->loss, &w->part[k].integrator->loss, w->part[k].contact);
  }
  return DLS_OK;
}

// --- steps ---

dls_failure dls_part_run(const dls_integrator *g, dls_part *p, double t1, dls_message *message)
{
  const dls_parts *w = p->all;
  gather(p->n, p->coordinate, g->q, w->q);
  gather(p->n, p->coordinate, g->v, w->v);
  gather(p->impulses, p->impulse, g->impulse, w->impulse);
  for (int j = 0; j < p->m; j++) w->status[j] = g->status[p->contact[j]];
  const dls_sample moment = {.t = g->t,
                             .next_step = g->scheme_state[p->scheme_state],
                             .nq = p->n,
                             .n = p->n,
                             .m = p->m,
                             .q = w->q,
                             .v = w->v,
                             .impulses = p->impulses,
                             .impulse = w->impulse,
                             .status = w->status,
                             .scheme_state_size = p->integrator->scheme_state_size,
                             .scheme_state = g->scheme_state + p->scheme_state + 1};
  p->heard = 0;
  p->integrator->point.counts = (dls_step_counts){0};
  if (dls_integrator_restart(p->integrator, &moment, message) != DLS_OK) return DLS_FAILURE_NUMBER;
  return dls_part_go_on(p, t1, message);
}

dls_failure dls_part_go_on(const dls_part *p, double t1, dls_message *message)
{
  dls_failure failure = DLS_FAILURE_NONE;
  while (failure == DLS_FAILURE_NONE && p->integrator->t < t1)
    if (dls_integrator_advance(p->integrator, t1, &failure, message) != DLS_OK)
      return DLS_FAILURE_STEP;
  return failure;
}

static void add_counts(dls_step_counts *sum, const dls_step_counts *x)
{
  sum->rejected += x->rejected;
  sum->rhs_evaluations += x->rhs_evaluations;
  sum->derivatives += x->derivatives;
  sum->contact_problems += x->contact_problems;
  sum->events += x->events;
  sum->coarse += x->coarse;
  sum->worst_residual = fmax(sum->worst_residual, x->worst_residual);
  sum->steps_above += x->steps_above;
  sum->max_penetration = fmax(sum->max_penetration, x->max_penetration);
  sum->max_bilateral_gap = fmax(sum->max_bilateral_gap, x->max_bilateral_gap);
  sum->max_bilateral_velocity = fmax(sum->max_bilateral_velocity, x->max_bilateral_velocity);
}

// Which part it is, and its contact problem in numbers of the whole. Events of the step are not
// told, and do not count.
static void note_failure(dls_integrator *g, const dls_part *p, long events)
{
  dls_parts *w = g->self;
  const int *contact;
  g->point.counts.events = events;
  g->point.trouble = p->integrator->point.trouble;
  w->failed = p->index;
  w->problem = dls_integrator_problem(p->integrator, &contact);
  for (int k = 0; w->problem && k < w->problem->contacts; k++)
    w->problem_contact[k] = p->contact[contact[k]];
}

static double next_step(const dls_integrator *g, const dls_parts *w)
{
  double shortest = INFINITY, longest = 0;
  for (int k = 0; k < w->count; k++) {
    const double step = g->scheme_state[w->part[k].scheme_state];
    shortest = fmin(shortest, step), longest = fmax(longest, step);
  }
  return fmin(longest, MOST_SHORT_STEPS * shortest);
}

static dls_failure advance(dls_integrator *g, double t1, double *end, dls_message *message)
{
  dls_parts *w = g->self;
  const ptrdiff_t scheme_state_size = g->scheme_state_size;
  const long events = g->point.counts.events;
  w->failed = -1, w->problem = NULL;
  dls_parts_begin(w);
  for (int k = 0; k < w->count; k++) {
    dls_part *p = &w->part[k];
    const dls_failure failure = dls_part_run(g, p, t1, message);
    const dls_step_counts *counts = &p->integrator->point.counts;
    add_counts(&g->point.counts, counts);
    dls_loss_merge(&g->loss, &p->integrator->loss, p->contact);
    p->plain = counts->steps == 1 && counts->events == 0 && counts->contact_problems == 0;
    if (failure != DLS_FAILURE_NONE) {
      note_failure(g, p, events);
      return failure;
    }
    put(g, p, w->scheme_state1, w->status1);
    scatter(p->n, p->coordinate, p->integrator->q, g->q1);
    scatter(p->n, p->coordinate, p->integrator->v, g->v1);
    scatter(p->impulses, p->impulse, p->integrator->total, g->impulse1);
  }
  w->telling = true;
  if (g->options.event) dls_parts_tell(g, t1);
  w->telling = false;
  dls_copy(g->scheme_state, w->scheme_state1, scheme_state_size);
  dls_copy(g->status, w->status1, g->system->m);
  g->step = next_step(g, w);
  *end = t1;
  return DLS_FAILURE_NONE;
}

const char *dls_parts_failed(const dls_integrator *g)
{
  const dls_parts *w = g->self;
  return g->system->coordinates[w->part[w->failed].coordinate[0]];
}

const dls_incremental *dls_parts_problem(const dls_integrator *g, const int **contact)
{
  const dls_parts *w = g->self;
  if (contact) *contact = w->problem_contact;
  return w->problem;
}

const dls_scheme dls_scheme_parts = {
    {"parts", "each part of the system on its own", 0, true, false},
    create,
    destroy,
    advance,
    true,
    NULL};
