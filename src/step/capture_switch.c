// Forces that switch: their branches are held over a piece, so that it is smooth, and where one
// ends is an event as that of a contact is.                                       eq (swi.1),
// (swi.2)
#include "step/capture.h"

#include "base/memory.h"
#include "base/message.h"
#include "step/tolerances.h"

#include <math.h>

// Events within so many critical intervals are near each other; after so many of them none goes on.
enum { NEAR = 8, MOST_NEAR = 100 };

bool dls_capture_hold(dls_integrator *g, double t, const double *q, const double *v, bool *changed,
                      dls_message *message)
{
  const dls_system *s = g->system;
  const dls_switch_watch *w = &((dls_capture *)g->self)->switches;
  if (changed) *changed = false;
  if (s->switches == 0) return true;
  if (s->branches(s->self, t, q, v, w->there, message) != DLS_OK) return false;
  for (int k = 0; k < s->switches && changed; k++) *changed |= w->there[k] != w->held[k];
  dls_copy(w->held, w->there, s->switches);
  s->hold(s->self, w->held);
  return true;
}

void dls_capture_release(const dls_integrator *g)
{
  if (g->system->switches > 0) g->system->hold(g->system->self, NULL);
}

bool dls_capture_branch_margins(const dls_integrator *g, double t, const double *q, const double *v,
                                double *margin, dls_message *message)
{
  const dls_system *s = g->system;
  const dls_capture *w = g->self;
  if (s->switches == 0) return true;
  return s->branch_margins(s->self, t, q, v, w->switches.held, margin + 2 * (ptrdiff_t)s->m,
                           message) == DLS_OK;
}

// Do the forces at the trial's end differ from those with branch k as it is there, by what would be
// seen in a velocity? Kinks are passed by bodies that rest, too, where rounding has the sign.
static bool differs(dls_integrator *g, int k, dls_message *message)
{
  dls_capture *w = g->self;
  const dls_system *s = g->system;
  const double *mobility = dls_stage_matrix_mobility(w->smooth->single);
  const double held = w->switches.held[k], *F = g->point.values->F;
  dls_values *here = g->point.values;
  bool differs = false;
  w->switches.held[k] = w->switches.there[k];
  s->hold(s->self, w->switches.held);
  g->point.values = w->watch.values;
  const bool known = dls_snapshot_evaluate(&g->point, w->t1, w->q1, w->v1, message);
  for (int i = 0; i < s->n && known && !differs; i++) {
    const double change = fabs(g->point.values->F[i] - F[i]) * mobility[i] * (w->t1 - w->t);
    differs = !(change <= dip * g->options.rest);
  }
  g->point.values = here;
  w->switches.held[k] = held;
  s->hold(s->self, w->switches.held);
  return differs || !known;
}

bool dls_capture_note_switches(dls_integrator *g, dls_message *message)
{
  dls_capture *w = g->self;
  const dls_system *s = g->system;
  const double *margin = w->margin1 + 2 * (ptrdiff_t)s->m;
  if (s->switches == 0) return true;
  if (!dls_capture_branch_margins(g, w->t1, w->q1, w->v1, w->margin1, message)) return false;
  dls_clear(w->switches.matters, s->switches);
  bool any = false;
  for (int k = 0; k < s->switches; k++) any |= margin[k] <= 0;
  if (!any) return true;
  if (s->branches(s->self, w->t1, w->q1, w->v1, w->switches.there, message) != DLS_OK) return false;
  for (int k = 0; k < s->switches; k++)
    w->switches.matters[k] = margin[k] <= 0 && differs(g, k, message);
  return true;
}

void dls_capture_note_beyond(const dls_integrator *g)
{
  dls_switch_watch *w = &((dls_capture *)g->self)->switches;
  dls_copy(w->beyond, w->there, g->system->switches);
}

void dls_capture_go_beyond(dls_integrator *g, int k)
{
  dls_switch_watch *w = &((dls_capture *)g->self)->switches;
  w->held[k] = w->beyond[k];
  g->system->hold(g->system->self, w->held);
}

bool dls_capture_switched(dls_integrator *g, double t, dls_message *message)
{
  dls_capture *w = g->self;
  const bool near = t - w->switches.last <= NEAR * dls_capture_critical(g);
  w->switches.near = near ? w->switches.near + 1 : 0;
  w->switches.last = t;
  if (w->switches.near < MOST_NEAR) return true;
  dls_fail(message, DLS_OK,
           "the forces switch back and forth at %.9g: each of their branches leads to the other. "
           "Dry friction, which holds there, is a contact's",
           t);
  return false;
}
