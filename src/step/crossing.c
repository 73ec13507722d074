// Crossings of zero in the steps of an integrator. A step is looked at as smooth pieces between the
// events of contacts, each at its ends and at eight points of the cubic that has its ends' states;
// a function that has left its sign there is located.                               eq (cro.1)
#include "step/crossing.h"

#include "base/memory.h"
#include "base/message.h"

#include <delassus/output.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { INSIDE = 8 };
// Of the largest number that a function had: below, it is at zero. Some roundings.
static const double at_zero = 64 * DBL_EPSILON;
// Of the step: what crosses so soon after the run's start was zero there.
static const double at_start = 1e-9;

// ---- life ---------------------------------------------------------------------------------------

static dls_status evaluate_model(void *self, double t, const double *q, const double *v, double *g)
{
  return dls_model_events(self, t, q, v, g);
}

void dls_crossings_free(dls_crossings *c)
{
  if (!c) return;
  dls_integrator_free(c->probe);
  free(c->scale);
  free(c->side);
  free(c->numbers);
  free(c->status);
  free(c->event);
  free(c->event_numbers);
  free(c->found);
  free(c->found_numbers);
  free(c->node);
  free(c->g);
  free(c);
}

static bool make_room(dls_crossings *c, const dls_sample *like)
{
  const ptrdiff_t count = c->functions.count;
  c->nq = like->nq, c->n = like->n, c->impulses = like->impulses;
  c->scale = dls_alloc(count, sizeof *c->scale);
  c->side = dls_alloc(count, sizeof *c->side);
  c->g = dls_alloc(count, sizeof *c->g);
  c->node = dls_alloc(2 * ((ptrdiff_t)c->nq + c->n + count), sizeof *c->node);
  c->numbers = dls_alloc((ptrdiff_t)c->nq + c->n + c->impulses + like->scheme_state_size + 1,
                         sizeof *c->numbers);
  c->status = dls_alloc((ptrdiff_t)like->m + 1, 1);
  return c->scale && c->side && c->g && c->node && c->numbers && c->status;
}

dls_status dls_crossings_create(const dls_system *system, const dls_state *start,
                                const dls_integrator_options *options,
                                const dls_crossing_functions *functions, dls_crossings **out,
                                dls_message *message)
{
  *out = NULL;
  if (message) message->text[0] = '\0';
  if (system->find)
    return dls_fail(message, DLS_ERR_ARGUMENT,
                    "crossings are not looked for where contacts come and go");
  dls_crossings *c = dls_alloc(1, sizeof *c);
  if (!c) return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  c->system = system, c->start = start->t;
  if (functions) c->functions = *functions;
  else
    c->functions =
        (dls_crossing_functions){.count = dls_model_event_count(dls_system_model(system)),
                                 .evaluate = evaluate_model,
                                 .self = (void *)system};
  dls_integrator_options quiet = *options;
  quiet.event = NULL, quiet.watch = NULL;
  quiet.on_loss = DLS_ON_LOSS_CONTINUE;  // where the run ends it does so by itself
  dls_status status = dls_integrator_create(system, start, &quiet, &c->probe, message);
  if (status == DLS_OK) {
    const dls_sample like = dls_integrator_sample(c->probe);
    if (!make_room(c, &like)) status = dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  }
  if (status == DLS_OK && !dls_scheme_find(options->scheme)->events) {
    dls_integrator_free(c->probe);
    c->probe = NULL;
  }
  if (status == DLS_OK) *out = c;
  else dls_crossings_free(c);
  return status;
}

long dls_crossings_evaluations(const dls_crossings *c)
{
  return c->probe ? dls_integrator_counts(c->probe).rhs_evaluations : 0;
}

// ---- signs --------------------------------------------------------------------------------------

static bool evaluate(const dls_crossings *c, double t, const double *q, const double *v, double *g)
{
  return c->functions.evaluate(c->functions.self, t, q, v, g) == DLS_OK;
}

// The new sign of function k; whether it has left the one before.
static bool step_side(dls_crossings *c, int k, double g)
{
  if (!isfinite(g)) return false;
  c->scale[k] = fmax(c->scale[k], fabs(g));
  const double zero = at_zero * c->scale[k];
  const int before = c->side[k];
  c->side[k] = g > zero ? 1 : g < -zero ? -1 : 0;
  return before != 0 && c->side[k] != before;
}

void dls_crossings_pass(dls_crossings *c, const dls_sample *x)
{
  if (!evaluate(c, x->t, x->q, x->v, c->g)) return;
  for (int k = 0; k < c->functions.count; k++) (void)step_side(c, k, c->g[k]);
  c->passed = true;
}

// ---- a step -------------------------------------------------------------------------------------

void dls_crossings_before(dls_crossings *c, const dls_sample *x)
{
  double *q = c->numbers, *v = q + c->nq, *impulse = v + c->n, *state = impulse + c->impulses;
  if (!c->passed) dls_crossings_pass(c, x);
  c->begin = *x;
  dls_copy(q, x->q, c->nq);
  dls_copy(v, x->v, c->n);
  dls_copy(impulse, x->impulse, c->impulses);
  if (x->scheme_state_size > 0) dls_copy(state, x->scheme_state, x->scheme_state_size);
  if (x->m > 0) dls_copy(c->status, x->status, x->m);
  c->begin.q = q, c->begin.v = v, c->begin.impulse = impulse, c->begin.scheme_state = state;
  c->begin.status = c->status;
  c->events = c->count = c->next_event = c->next_found = 0;
}

// Copies point into one block, which may move: they are set again for all.
static void place_events(dls_crossings *c)
{
  const ptrdiff_t size = c->nq + 2 * (ptrdiff_t)c->n + 2 * (ptrdiff_t)c->impulses;
  for (ptrdiff_t i = 0; i < c->events; i++) {
    double *q = c->event_numbers + i * size;
    dls_event *e = &c->event[i];
    e->q = q, e->v_before = q + c->nq, e->v_after = e->v_before + c->n;
    e->impulse = e->v_after + c->n, e->since = e->impulse + c->impulses;
  }
}

dls_status dls_crossings_tell(dls_crossings *c, const dls_event *e)
{
  const ptrdiff_t size = c->nq + 2 * (ptrdiff_t)c->n + 2 * (ptrdiff_t)c->impulses;
  void *event = c->event, *numbers = c->event_numbers;
  const bool failed =
      dls_grow(&event, &c->event_room, c->events + 1, sizeof *c->event) ||
      dls_grow(&numbers, &c->event_number_room, (c->events + 1) * size, sizeof(double));
  c->event = event, c->event_numbers = numbers;
  if (failed) return DLS_ERR_MEMORY;
  double *x = c->event_numbers + c->events * size;
  c->event[c->events++] = *e;
  dls_copy(x, e->q, c->nq);
  dls_copy(x + c->nq, e->v_before, c->n);
  dls_copy(x + c->nq + c->n, e->v_after, c->n);
  dls_copy(x + c->nq + 2 * (ptrdiff_t)c->n, e->impulse, c->impulses);
  dls_copy(x + c->nq + 2 * (ptrdiff_t)c->n + c->impulses, e->since, c->impulses);
  place_events(c);
  return DLS_OK;
}

static void place_found(dls_crossings *c)
{
  const ptrdiff_t size = (ptrdiff_t)c->nq + c->n + c->impulses;
  for (ptrdiff_t i = 0; i < c->count; i++) {
    dls_crossing_found *f = &c->found[i];
    f->q = c->found_numbers + f->order * size, f->v = f->q + c->nq, f->impulse = f->v + c->n;
  }
}

// Room for one more, whose place is returned; NULL when memory runs out.
static dls_crossing_found *add_found(dls_crossings *c, int function, int direction)
{
  const ptrdiff_t size = (ptrdiff_t)c->nq + c->n + c->impulses;
  void *found = c->found, *numbers = c->found_numbers;
  const bool failed =
      dls_grow(&found, &c->found_room, c->count + 1, sizeof *c->found) ||
      dls_grow(&numbers, &c->found_number_room, (c->count + 1) * size + 1, sizeof(double));
  c->found = found, c->found_numbers = numbers;
  if (failed) return NULL;
  c->found[c->count] =
      (dls_crossing_found){.function = function, .direction = direction, .order = (int)c->count};
  c->count++;
  place_found(c);
  return &c->found[c->count - 1];
}

// ---- smooth pieces ------------------------------------------------------------------------------

typedef struct piece {
  double t0, t1;
  const double *q0, *v0, *q1, *v1;
} piece;

// The cubic through both ends with their velocities, at the part s of the piece.   eq (cro.1)
static void cubic(const dls_crossings *c, const piece *p, double s, double *q, double *v)
{
  const double h = p->t1 - p->t0, r = 1 - s;
  for (int i = 0; i < c->n; i++) {
    const double d = p->q1[i] - p->q0[i];
    q[i] = p->q0[i] + s * s * (3 - 2 * s) * d + h * s * r * (r * p->v0[i] - s * p->v1[i]);
    v[i] = 6 * s * r * (d / h) + r * (1 - 3 * s) * p->v0[i] + s * (3 * s - 2) * p->v1[i];
  }
}

static void linear(const dls_crossings *c, const piece *p, double s, double *q, double *v)
{
  for (int i = 0; i < c->nq; i++) q[i] = p->q0[i] + s * (p->q1[i] - p->q0[i]);
  for (int i = 0; i < c->n; i++) v[i] = p->v0[i] + s * (p->v1[i] - p->v0[i]);
}

// Where the scheme does not say: on the line between two values, and a state between two states.
static void interpolate(const dls_crossings *c, const piece *p, double from, double to, double g0,
                        double g1, dls_crossing_found *f)
{
  double part = g0 / (g0 - g1);
  if (!(part >= 0 && part <= 1)) part = 1;
  f->t = from + part * (to - from);
  const double s = p->t1 > p->t0 ? (f->t - p->t0) / (p->t1 - p->t0) : 1;
  linear(c, p, s, f->q, f->v);
  for (int k = 0; k < c->impulses; k++) f->impulse[k] = 0;
}

static bool is_start(const dls_crossings *c, double t, double h)
{
  return t - c->start <= at_start * h;
}

// Function k has left its side between two points of a piece.
static dls_status add_crossing(dls_crossings *c, int k, int direction, const piece *p, double from,
                               double to, double g0, double g1)
{
  const ptrdiff_t before = c->count;
  dls_crossing_found *f = add_found(c, k, direction);
  if (!f) return DLS_ERR_MEMORY;
  f->located = c->probe && dls_crossing_locate(c, k, p->t0, p->t1, from, to, f);
  if (!f->located) {
    interpolate(c, p, from, to, g0, g1, f);
    f->located = c->probe && f->t == p->t1;  // at zero where the piece ends
  }
  bool again = is_start(c, f->t, p->t1 - p->t0);
  for (ptrdiff_t i = 0; i < before; i++)
    again = again || (c->found[i].function == k && c->found[i].direction == direction &&
                      fabs(c->found[i].t - f->t) <= 8 * DBL_EPSILON * fabs(f->t));
  if (again) c->count--;
  return DLS_OK;
}

static dls_status look_at_piece(dls_crossings *c, const piece *p)
{
  const int count = c->functions.count;
  double *q = c->node, *v = q + c->nq, *old = v + c->n, *now = old + count;
  const int inside = c->probe && !c->system->chart ? INSIDE : 0;
  double t = p->t0;
  if (!(p->t1 > p->t0)) return DLS_OK;
  if (!evaluate(c, p->t0, p->q0, p->v0, old)) return DLS_OK;
  for (int i = 1; i <= inside + 1; i++) {
    const bool last = i == inside + 1;
    const double s = (double)i / (inside + 1), t1 = last ? p->t1 : p->t0 + s * (p->t1 - p->t0);
    if (!last) cubic(c, p, s, q, v);
    if (!evaluate(c, t1, last ? p->q1 : q, last ? p->v1 : v, now)) continue;
    for (int k = 0; k < count; k++) {
      const int side = c->side[k];
      if (!step_side(c, k, now[k])) continue;
      const dls_status status = add_crossing(c, k, -side, p, t, t1, old[k], now[k]);
      if (status != DLS_OK) return status;
    }
    t = t1;
    dls_copy(old, now, count);
  }
  return DLS_OK;
}

// Behind an event: what the jump of the velocities has changed, at its time.
static dls_status look_at_jump(dls_crossings *c, const dls_event *e)
{
  double *g = c->node + c->nq + c->n;
  if (!evaluate(c, e->t, e->q, e->v_after, g)) return DLS_OK;
  for (int k = 0; k < c->functions.count; k++) {
    const int side = c->side[k];
    if (!step_side(c, k, g[k])) continue;
    dls_crossing_found *f = add_found(c, k, -side);
    if (!f) return DLS_ERR_MEMORY;
    f->t = e->t, f->located = f->jumps = true;
    dls_copy(f->q, e->q, c->nq);
    dls_copy(f->v, e->v_after, c->n);
    for (int i = 0; i < c->impulses; i++)
      f->impulse[i] = e->since[i] - c->begin.impulse[i] + e->impulse[i];
  }
  return DLS_OK;
}

static int by_time(const void *a, const void *b)
{
  const dls_crossing_found *x = a, *y = b;
  if (x->t != y->t) return x->t < y->t ? -1 : 1;
  return x->order - y->order;
}

dls_status dls_crossings_after(dls_crossings *c, const dls_sample *end, dls_message *message)
{
  piece p = {.t0 = c->begin.t, .q0 = c->begin.q, .v0 = c->begin.v};
  dls_status status = DLS_OK;
  if (message) message->text[0] = '\0';
  for (ptrdiff_t i = 0; i <= c->events && status == DLS_OK; i++) {
    const dls_event *e = i < c->events ? &c->event[i] : NULL;
    p.t1 = e ? e->t : end->t, p.q1 = e ? e->q : end->q, p.v1 = e ? e->v_before : end->v;
    status = look_at_piece(c, &p);
    if (status == DLS_OK && e) status = look_at_jump(c, e);
    if (e) p.t0 = e->t, p.q0 = e->q, p.v0 = e->v_after;
  }
  if (status != DLS_OK) return dls_fail(message, status, "out of memory");
  if (c->count > 1) qsort(c->found, (size_t)c->count, sizeof *c->found, by_time);
  return DLS_OK;
}

bool dls_crossings_next(dls_crossings *c, dls_happening *x)
{
  const dls_event *e = c->next_event < c->events ? &c->event[c->next_event] : NULL;
  const dls_crossing_found *f = c->next_found < c->count ? &c->found[c->next_found] : NULL;
  *x = (dls_happening){.function = -1};
  if (!e && !f) return false;
  // an event before a crossing at its time: that is behind its jump
  if (e && (!f || e->t <= f->t)) {
    x->event = e;
    c->next_event++;
    return true;
  }
  c->next_found++;
  x->function = f->function, x->direction = f->direction;
  x->located = f->located, x->jumps = f->jumps;
  x->sample = c->begin;
  x->sample.t = f->t, x->sample.next_step = 0;
  x->sample.q = f->q, x->sample.v = f->v, x->sample.impulse = f->impulse;
  return true;
}
