#include "base/message.h"
#include "accuracy/series.h"

#include "base/memory.h"

#include <stdlib.h>

void dls_series_free(dls_series *s)
{
  free(s->t);
  free(s->q);
  free(s->v);
  free(s->kind);
  *s = (dls_series){0};
}

static int make_room(dls_series *s, ptrdiff_t count)
{
  const ptrdiff_t all = count * s->n;
  if (dls_grow((void **)&s->t, &s->capacity[0], count, sizeof *s->t)) return -1;
  if (dls_grow((void **)&s->q, &s->capacity[1], all, sizeof *s->q)) return -1;
  if (dls_grow((void **)&s->v, &s->capacity[2], all, sizeof *s->v)) return -1;
  return dls_grow((void **)&s->kind, &s->capacity[3], count, sizeof *s->kind);
}

static dls_status add(dls_series *s, double t, const double *q, const double *v,
                      dls_point_kind kind)
{
  const ptrdiff_t n = s->n;
  if (make_room(s, s->count + 1)) return DLS_ERR_MEMORY;
  s->t[s->count] = t;
  dls_copy(s->q + s->count * n, q, n);
  dls_copy(s->v + s->count * n, v, n);
  s->kind[s->count++] = (unsigned char)kind;
  return DLS_OK;
}

typedef struct listener {
  dls_series *series;
  dls_status status;
} listener;

// Events come in the order of time, before the end of the step that holds them.
static void hear(void *self, const dls_event *event)
{
  listener *l = self;
  if (l->status != DLS_OK) return;
  l->status = add(l->series, event->t, event->q, event->v_before, DLS_POINT_BEFORE);
  if (l->status == DLS_OK)
    l->status = add(l->series, event->t, event->q, event->v_after, DLS_POINT_AFTER);
}

static dls_status add_sample(dls_series *s, const dls_integrator *g)
{
  const dls_sample m = dls_integrator_sample(g);
  return add(s, m.t, m.q, m.v, DLS_POINT_GRID);
}

static dls_status go(dls_series *s, dls_integrator *g, const listener *events, double until,
                     const dls_watch *watch, dls_series_end *end, dls_message *message)
{
  dls_status status = add_sample(s, g);
  while (status == DLS_OK && dls_integrator_sample(g).t < until) {
    if (watch && watch->watch && watch->watch(watch->self, dls_integrator_sample(g).t)) {
      end->stopped = true;
      break;
    }
    status = dls_integrator_advance(g, until, &end->failure, message);
    if (status == DLS_OK) status = events->status;
    if (status != DLS_OK || end->failure != DLS_FAILURE_NONE) break;
    status = add_sample(s, g);
  }
  end->reached = dls_integrator_sample(g).t;
  end->counts = dls_integrator_counts(g);
  end->loss = dls_integrator_uniqueness(g);
  return status;
}

dls_status dls_series_run(dls_series *s, const dls_system *system, const dls_state *start,
                          const dls_integrator_options *options, double until,
                          const dls_watch *watch, dls_series_end *end, dls_message *message)
{
  listener events = {.series = s};
  dls_integrator_options own = *options;
  dls_integrator *g = NULL;
  own.event = hear;
  own.self = &events;
  if (system->chart)
    return dls_fail(message, DLS_ERR_ARGUMENT, "distances of configurations are not known");
  s->n = system->n;
  *end = (dls_series_end){.reached = start->t};
  dls_status status = dls_integrator_create(system, start, &own, &g, message);
  if (status != DLS_OK) return status;
  status = go(s, g, &events, until, watch, end, message);
  dls_integrator_free(g);
  return status;
}
