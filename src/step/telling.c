#include "step/telling.h"

#include "base/memory.h"
#include "contact/chart.h"

// Where a step has more of them than that, they are told at once.
enum { MAX_WAITING = 32 };

struct dls_telling {
  int waiting;
  bool at_once;
  dls_event event[MAX_WAITING];
  double *numbers;  // of each: q, v before, v after, impulses, impulses since the sample before
};

dls_status dls_telling_create(dls_integrator *g)
{
  const ptrdiff_t nq = dls_system_nq(g->system), n = g->system->n;
  const ptrdiff_t size = nq + 2 * n + 2 * (ptrdiff_t)g->impulses;
  g->telling = NULL;
  if (!g->options.event || g->scheme == &dls_scheme_parts) return DLS_OK;  // parts tell theirs
  struct dls_telling *w = dls_arena_alloc(g->arena, 1, sizeof *w);
  double *x = dls_arena_alloc(g->arena, MAX_WAITING, dls_bytes(size, sizeof(double)));
  if (!w || !x) return DLS_ERR_MEMORY;
  w->numbers = x;
  g->telling = w;
  return DLS_OK;
}

void dls_telling_forget(dls_integrator *g)
{
  if (g->telling) g->telling->waiting = 0, g->telling->at_once = false;
}

void dls_telling_tell(dls_integrator *g)
{
  struct dls_telling *w = g->telling;
  for (int k = 0; w && k < w->waiting; k++) g->options.event(g->options.self, &w->event[k]);
  if (w) w->waiting = 0;
}

// A copy of the event, in its place.
static void keep(const dls_integrator *g, const dls_event *event)
{
  struct dls_telling *w = g->telling;
  const ptrdiff_t nq = dls_system_nq(g->system), n = g->system->n;
  const ptrdiff_t impulses = g->impulses;
  double *x = w->numbers + w->waiting * (nq + 2 * n + 2 * impulses);
  dls_copy(x, event->q, nq);
  dls_copy(x + nq, event->v_before, n);
  dls_copy(x + nq + n, event->v_after, n);
  dls_copy(x + nq + 2 * n, event->impulse, impulses);
  dls_copy(x + nq + 2 * n + impulses, event->since, impulses);
  w->event[w->waiting++] = (dls_event){.kind = event->kind,
                                       .contact = event->contact,
                                       .t = event->t,
                                       .q = x,
                                       .v_before = x + nq,
                                       .v_after = x + nq + n,
                                       .impulse = x + nq + 2 * n,
                                       .since = x + nq + 2 * n + impulses};
}

void dls_integrator_tell(dls_integrator *g, const dls_event *event)
{
  dls_event told = *event;
  if (!g->telling) return;
  if (g->system->chart) {
    double *q = g->told, *before = q + g->system->chart->nq, *after = before + g->system->n;
    dls_chart_leave(g->system, event->q, event->v_before, q, before);
    dls_chart_leave(g->system, event->q, event->v_after, q, after);
    told.q = q, told.v_before = before, told.v_after = after;
  }
  if (!g->telling->at_once && g->telling->waiting < MAX_WAITING) {
    keep(g, &told);
    return;
  }
  dls_telling_tell(g);
  g->telling->at_once = true;
  g->options.event(g->options.self, &told);
}
