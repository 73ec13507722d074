// Events of several parts, told in the order of time. The earliest ones wait; where there is no
// room for all of a step, the parts are run once more for the next ones.
#include "step/parts.h"

#include "base/memory.h"

#include <math.h>

enum { ROOM = 64, ROOM_PER_PART = 4 };

static bool allocate_events(const dls_integrator *g, dls_parts *w)
{
  ptrdiff_t size = 0;
  for (int k = 0; k < w->count; k++) {
    const ptrdiff_t own = 3 * (ptrdiff_t)w->part[k].n + 2 * (ptrdiff_t)w->part[k].impulses;
    if (own > size) size = own;
  }
  const ptrdiff_t capacity = w->capacity;
  w->event = dls_arena_alloc(g->arena, capacity, sizeof(dls_part_event *));
  dls_part_event *event = dls_arena_alloc(g->arena, capacity, sizeof *event);
  double *x = dls_arena_alloc(g->arena, capacity, dls_bytes(size, sizeof(double)));
  if (!w->event || !event || !x) return false;
  for (ptrdiff_t k = 0; k < capacity; k++) {
    w->event[k] = &event[k];
    event[k].q = x + k * size;  // where the others begin depends on the part
  }
  return true;
}

bool dls_parts_make_room(const dls_integrator *g, dls_parts *w)
{
  const ptrdiff_t n = g->system->n, impulses = g->impulses;
  w->capacity = ROOM + ROOM_PER_PART * w->count;
  w->own = dls_arena_alloc(g->arena, w->count, sizeof(bool));
  double *x =
      dls_arena_alloc(g->arena, (3 + 2 * DLS_PART_SAMPLES) * n + 2 * impulses + 1, sizeof(double));
  if (!w->own || !x || !allocate_events(g, w)) return false;
  w->event_q = x, w->event_v_before = x + n, w->event_v_after = x + 2 * n;
  w->sample_q = x + 3 * n, w->sample_v = w->sample_q + DLS_PART_SAMPLES * n;
  w->event_impulse = w->sample_v + DLS_PART_SAMPLES * n;
  w->event_since = w->event_impulse + impulses;
  return true;
}

static bool before(const dls_part_event *a, const dls_part_event *b)
{
  if (a->t != b->t) return a->t < b->t;
  return a->part != b->part ? a->part < b->part : a->number < b->number;
}

static void fill(dls_part_event *x, const dls_part *p, const dls_event *event, int number)
{
  const ptrdiff_t n = p->n, impulses = p->impulses;
  x->t = event->t;
  x->part = p->index, x->number = number;
  x->contact = event->contact < 0 ? -1 : p->contact[event->contact];
  x->kind = event->kind;
  x->v_before = x->q + n, x->v_after = x->q + 2 * n, x->impulse = x->q + 3 * n;
  x->since = x->impulse + impulses;
  dls_copy(x->q, event->q, n);
  dls_copy(x->v_before, event->v_before, n);
  dls_copy(x->v_after, event->v_after, n);
  dls_copy(x->impulse, event->impulse, impulses);
  dls_copy(x->since, event->since, impulses);
}

void dls_parts_hear(void *self, const dls_event *event)
{
  dls_part *p = self;
  dls_parts *w = p->all;
  const int number = p->heard++;
  const dls_part_event key = {.t = event->t, .part = p->index, .number = number};
  if (w->deaf || !before(&w->last, &key)) return;
  if (w->waiting == w->capacity) {
    w->more = true;
    if (!before(&key, w->event[w->waiting - 1])) return;
    w->waiting--;
  }
  dls_part_event *x = w->event[w->waiting];
  fill(x, p, event, number);
  int k = w->waiting++;
  for (; k > 0 && before(x, w->event[k - 1]); k--) w->event[k] = w->event[k - 1];
  w->event[k] = x;
}

void dls_parts_begin(dls_parts *w)
{
  w->waiting = 0;
  w->more = w->deaf = false;
  w->last = (dls_part_event){.t = -INFINITY};
}

// --- where the other parts are ---

static void set_state(dls_parts *w, const dls_part *p, const double *q, const double *v)
{
  for (int i = 0; i < p->n; i++) {
    const int at = p->coordinate[i];
    w->event_q[at] = q[i];
    w->event_v_before[at] = w->event_v_after[at] = v[i];
  }
}

static void count_work(dls_integrator *g, const dls_part *p)
{
  const dls_step_counts *counts = &p->integrator->point.counts;
  g->point.counts.rhs_evaluations += counts->rhs_evaluations;
  g->point.counts.derivatives += counts->derivatives;
  g->point.counts.contact_problems += counts->contact_problems;
}

// The states after a quarter, half and three quarters of the step; of a part that cannot be run
// there, by the cubic between the ends.
static void sample(dls_integrator *g, dls_part *p, double t1)
{
  dls_parts *w = p->all;
  dls_message unused;
  const double h = t1 - g->t;
  bool reached = true;
  for (int k = 0; k < DLS_PART_SAMPLES; k++) {
    const double s = (k + 1.0) / (DLS_PART_SAMPLES + 1), r = 1 - s, t = g->t + s * h;
    double *q = w->sample_q + k * g->system->n, *v = w->sample_v + k * g->system->n;
    reached = reached && (k == 0 ? dls_part_run(g, p, t, &unused)
                                 : dls_part_go_on(p, t, &unused)) == DLS_FAILURE_NONE;
    for (int i = 0; i < p->n; i++) {
      const int at = p->coordinate[i];
      const double way = g->q1[at] - g->q[at], v0 = g->v[at], v1 = g->v1[at];
      q[at] = reached ? p->integrator->q[i]
                      : g->q[at] + s * s * (3 - 2 * s) * way + h * r * s * (r * v0 - s * v1);
      v[at] = reached ? p->integrator->v[i]
                      : 6 * r * s * way / h + r * (r - 2 * s) * v0 + s * (s - 2 * r) * v1;
    }
  }
  count_work(g, p);
  p->sampled = true;
}

// The quartic through the samples and both ends.                                     eq (par.3)
static void interpolate(const dls_integrator *g, dls_parts *w, const dls_part *p, double t,
                        double t1)
{
  enum { NODES = DLS_PART_SAMPLES + 2 };
  const double x = (NODES - 1) * (t - g->t) / (t1 - g->t);
  double weight[NODES];
  for (int k = 0; k < NODES; k++) {
    weight[k] = 1;
    for (int j = 0; j < NODES; j++)
      if (j != k) weight[k] *= (x - j) / (k - j);
  }
  for (int i = 0; i < p->n; i++) {
    const int at = p->coordinate[i];
    double q = weight[0] * g->q[at] + weight[NODES - 1] * g->q1[at];
    double v = weight[0] * g->v[at] + weight[NODES - 1] * g->v1[at];
    for (int k = 0; k < DLS_PART_SAMPLES; k++) {
      q += weight[k + 1] * w->sample_q[k * g->system->n + at];
      v += weight[k + 1] * w->sample_v[k * g->system->n + at];
    }
    w->event_q[at] = q;
    w->event_v_before[at] = w->event_v_after[at] = v;
  }
}

// By a step to that time, from where the part stands; by samples where that becomes dearer and the
// part made the step in one piece.
static void stand_at(dls_integrator *g, dls_part *p, double t, double t1)
{
  dls_parts *w = p->all;
  dls_message unused;
  if (!(p->plain && w->many)) {
    p->integrator->point.counts = (dls_step_counts){0};
    const dls_failure failure =
        p->stands ? dls_part_go_on(p, t, &unused) : dls_part_run(g, p, t, &unused);
    count_work(g, p);
    p->stands = failure == DLS_FAILURE_NONE;
    if (p->stands) {
      set_state(w, p, p->integrator->q, p->integrator->v);
      return;
    }
  }
  if (!p->sampled) sample(g, p, t1);
  interpolate(g, w, p, t, t1);
}

// The impulses of a part without events of its own grow evenly with time.
static void set_since(const dls_integrator *g, const dls_part *p, double t, double t1)
{
  const double passed = (t - g->t) / (t1 - g->t);
  for (int i = 0; i < p->impulses && p->plain; i++) {
    const int at = p->impulse[i];
    p->all->event_since[at] = g->total[at] + passed * g->impulse1[at];
  }
}

// All parts at the time of waiting event k: those that have one there just before it.
static void stand_all(dls_integrator *g, int k, double t1)
{
  dls_parts *w = g->self;
  const double t = w->event[k]->t;
  dls_clear(w->own, w->count);
  for (; k < w->waiting && w->event[k]->t == t; k++) {
    const dls_part_event *x = w->event[k];
    if (!w->own[x->part]) set_state(w, &w->part[x->part], x->q, x->v_before);
    w->own[x->part] = true;
  }
  w->deaf = true;
  for (int i = 0; i < w->count; i++) {
    if (w->own[i]) continue;
    stand_at(g, &w->part[i], t, t1);
    set_since(g, &w->part[i], t, t1);
  }
  w->deaf = false;
}

// --- telling ---

static void tell(const dls_integrator *g, const dls_part_event *x)
{
  const dls_parts *w = g->self;
  const dls_part *p = &w->part[x->part];
  for (int i = 0; i < p->n; i++) {
    const int at = p->coordinate[i];
    w->event_q[at] = x->q[i];
    w->event_v_before[at] = x->v_before[i];
    w->event_v_after[at] = x->v_after[i];
  }
  for (int i = 0; i < p->impulses; i++) {
    const int at = p->impulse[i];
    w->event_impulse[at] = x->impulse[i];
    w->event_since[at] = g->total[at] + x->since[i];  // a part begins anew with each step
  }
  const dls_event event = {.kind = x->kind,
                           .contact = x->contact,
                           .t = x->t,
                           .q = w->event_q,
                           .v_before = w->event_v_before,
                           .v_after = w->event_v_after,
                           .impulse = w->event_impulse,
                           .since = w->event_since};
  g->options.event(g->options.self, &event);
  for (int i = 0; i < p->n; i++) w->event_v_before[p->coordinate[i]] = x->v_after[i];
  for (int i = 0; i < p->impulses; i++) {
    const int at = p->impulse[i];
    w->event_since[at] += w->event_impulse[at];
    w->event_impulse[at] = 0;
  }
}

void dls_parts_tell(dls_integrator *g, double t1)
{
  dls_parts *w = g->self;
  int times = 0;
  for (int k = 0; k < w->waiting; k++) times += k == 0 || w->event[k]->t != w->event[k - 1]->t;
  w->many = times > DLS_PART_SAMPLES;
  dls_copy(w->event_since, g->total, g->impulses);
  for (int i = 0; i < w->count; i++) w->part[i].sampled = false;
  for (;;) {
    for (int i = 0; i < w->count; i++) w->part[i].stands = false;
    for (int k = 0; k < w->waiting; k++) {
      if (k == 0 || w->event[k]->t != w->event[k - 1]->t) stand_all(g, k, t1);
      tell(g, w->event[k]);
    }
    if (!w->more) return;
    dls_message unused;
    w->last = *w->event[w->waiting - 1];
    w->waiting = 0, w->more = false;
    for (int i = 0; i < w->count; i++) {
      (void)dls_part_run(g, &w->part[i], t1, &unused);  // which it did before
      count_work(g, &w->part[i]);
    }
  }
}
