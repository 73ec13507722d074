// Derivatives of a motion through an event: the time of the event, eq (sen.3), and what jumps
// there, eq (sen.4).
#include "step/sensitivity_internal.h"

#include "base/memory.h"
#include "step/tolerances.h"

#include <math.h>

// How the time of the event changes with each column: dt = -dg / g', g the gap or the slip that
// vanishes. False where g' is too small.                                             eq (sen.3)
static bool event_times(const dls_sensitivity *s, const dls_kept_event *e, double *dt)
{
  const dls_variation *w = s->variation;
  const dls_system *x = &s->extended->system;
  const int j = e->contact;
  const bool gap = e->kind == DLS_EVENT_IMPACT || e->kind == DLS_EVENT_TOUCH;
  const int slip = w->first[j];
  double rate = gap ? w->values->h_dot[j] : w->values->b_t[slip], size = 0;
  const dls_pattern *p = gap ? &x->normal : &x->tangent;
  const double *A = gap ? w->values->G : w->values->H;
  const int column = gap ? j : slip;
  const double *by = gap ? s->v : w->a;
  for (int k = p->p[column]; k < p->p[column + 1]; k++) size += fabs(A[k] * by[p->i[k]]);
  for (int k = p->p[column]; k < p->p[column + 1] && !gap; k++) rate += A[k] * w->a[p->i[k]];
  if (!(fabs(rate) > grazing_rate * size)) return false;
  for (ptrdiff_t c = 0; c < s->columns; c++) {
    const double *dq = s->dq + c * s->all, *dv = s->dv + c * s->all;
    double change = 0;
    for (int k = p->p[column]; k < p->p[column + 1]; k++) change += A[k] * (gap ? dq : dv)[p->i[k]];
    const dls_pattern *S = &x->derivative->S_q;
    for (int k = gap ? 0 : S->p[slip]; k < (gap ? 0 : S->p[slip + 1]); k++)
      change += w->derivatives->S_q[k] * dq[S->i[k]];
    dt[c] = -change / rate;
  }
  return true;
}

// dx += sign (v, a) dt, and time: to the time of the event, or back to a fixed one.
static void shift(const dls_sensitivity *s, const double *v, const double *a, const double *dt,
                  double sign)
{
  for (ptrdiff_t c = 0; c < s->columns; c++) {
    double *dq = s->dq + c * s->all, *dv = s->dv + c * s->all;
    for (int i = 0; i < s->n; i++) dq[i] += sign * v[i] * dt[c], dv[i] += sign * a[i] * dt[c];
    dq[s->all - 1] += sign * dt[c];
  }
}

static bool simultaneous(const dls_sensitivity *s, const dls_kept_event *e)
{
  const dls_variation *w = s->variation;
  for (int j = 0; j < s->m; j++) {
    const bool presses = e->impulse[j + w->first[j]] > 0;
    if (j != e->contact && presses && !dls_sensitivity_closed(s, j)) return true;
  }
  return false;
}

// Modes after an event.
static void change_modes(dls_sensitivity *s, const dls_kept_event *e)
{
  const dls_variation *w = s->variation;
  const bool impact = e->kind == DLS_EVENT_IMPACT || e->kind == DLS_EVENT_TOUCH;
  for (int j = 0; j < s->m && impact; j++) {
    if (!dls_sensitivity_closed(s, j) && j != e->contact) continue;
    const double speed = dls_variation_slip(w, j);
    const bool open =
        s->system->contacts[j].kind == DLS_UNILATERAL && w->values->h_dot[j] > w->rest;
    s->mode[j] = open ? DLS_OPEN : speed > w->rest ? DLS_SLIDING : DLS_STICKING;
  }
  if (e->kind == DLS_EVENT_TAKE_OFF) s->mode[e->contact] = DLS_OPEN;
  if (e->kind == DLS_EVENT_STICK) s->mode[e->contact] = DLS_STICKING;
  if (e->kind == DLS_EVENT_SLIP) s->mode[e->contact] = DLS_SLIDING;
}

// A jump of the velocities at the end of the piece, where the state stands with those before.
static dls_status pass_impact(dls_sensitivity *s, const dls_kept_event *e, const double *a_before,
                              double *dt)
{
  dls_variation *w = s->variation;
  double *after = s->work + 9 * (ptrdiff_t)s->all, miss = 0;
  dls_copy(after, s->v, s->all);
  dls_copy(after, e->after, s->n);
  if (simultaneous(s, e)) {
    dls_sensitivity_lose(
        s, e->t, "contacts close at once, with `%s`: what comes first depends on the change",
        e->contact);
    return DLS_OK;
  }
  if (!event_times(s, e, dt)) {
    dls_sensitivity_lose(s, e->t, "contact `%s` closes so slowly that it might pass by: it grazes",
                         e->contact);
    return DLS_OK;
  }
  shift(s, s->v, a_before, dt, 1);
  dls_copy(w->mode, s->mode, s->m);
  const dls_status status =
      dls_variation_impact(w, s->q, s->v, after, e->impulse, s->dq, s->dv, s->stage, &miss);
  if (status != DLS_OK) return status;
  if (!(miss <= impact_missed))
    dls_sensitivity_lose(s, e->t,
                         "the impact at contact `%s` is not Newton's with the contacts that press",
                         e->contact);
  for (ptrdiff_t c = 0; c < s->columns; c++)
    dls_copy(s->dv + c * s->all, s->stage + c * s->n, s->n);
  dls_copy(s->v, after, s->all);
  return DLS_OK;
}

// The branch that changes at the state: -1 none, -2 several.
static int branch_that_ends(const dls_sensitivity *s, const dls_kept_event *e)
{
  dls_branches *b = s->extended->branches;
  int found = -1;
  if (!b || e->kind != DLS_EVENT_SWITCH) return -1;
  dls_copy(s->branch, b->branch, b->switching->count);
  if (dls_extended_hold(s->extended, s->q, s->v) != DLS_OK) return -2;
  for (int k = 0; k < b->switching->count; k++)
    if (b->branch[k] != s->branch[k]) found = found == -1 ? k : -2;
  return found;
}

// When the branch ends, as for contacts.                                             eq (sen.3)
static bool switch_times(const dls_sensitivity *s, int k, const double *a, double *dt)
{
  if (dls_extended_laws(s->extended, s->q, s->v) != DLS_OK) return false;
  const double rate = dls_extended_switch_change(s->extended, k, s->v, a);
  for (ptrdiff_t c = 0; c < s->columns; c++)
    dt[c] =
        -dls_extended_switch_change(s->extended, k, s->dq + c * s->all, s->dv + c * s->all) / rate;
  return fabs(rate) > 0;
}

static bool jumps(const dls_sensitivity *s, const double *a, const double *b)
{
  double most = 0;
  for (int i = 0; i < s->n; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most > same_acceleration * s->scale;
}

dls_status dls_sensitivity_pass(dls_sensitivity *s, const dls_kept_event *e, double *dt)
{
  dls_variation *w = s->variation;
  const ptrdiff_t all = s->all;
  double *before = s->work + 8 * all, *ahead = s->work + 10 * all;
  const bool impact = e->kind == DLS_EVENT_IMPACT || e->kind == DLS_EVENT_TOUCH;
  dls_status status = dls_variation_forces(w, s->q, s->v);
  if (status == DLS_OK)
    status = dls_extended_differentiate(s->extended, s->q, s->v, w->a, w->lambda, w->tau,
                                        w->derivatives);
  if (status != DLS_OK) return status;
  dls_copy(before, w->a, all);
  dls_clear(dt, s->columns);
  const int j = e->contact;
  const bool stops = j >= 0 && !impact && s->mode[j] == DLS_SLIDING &&
                     (e->kind == DLS_EVENT_STICK || e->kind == DLS_EVENT_SLIP);
  if (impact) status = pass_impact(s, e, before, dt);
  else if (stops && w->first[j + 1] - w->first[j] > 1)
    dls_sensitivity_lose(
        s, e->t, "contact `%s` comes to rest in space, where its slip turns without end", j);
  else if (stops && !event_times(s, e, dt))
    dls_sensitivity_lose(s, e->t, "contact `%s` comes to rest so slowly that it might not", j);
  const int branch = branch_that_ends(s, e);
  if (branch >= 0 && !switch_times(s, branch, before, dt)) dls_clear(dt, s->columns);
  if (!impact && s->exists) shift(s, s->v, before, dt, 1);
  if (status != DLS_OK || !s->exists) return status;
  status = dls_extended_evaluate(s->extended, s->q, s->v, w->values);
  change_modes(s, e);
  // the forces behind it
  const double turned = stops ? -w->xi[w->first[j]] : 0;
  if (status == DLS_OK) status = dls_sensitivity_prepare(s, s->q, s->v);
  if (stops && e->kind == DLS_EVENT_SLIP) w->xi[w->first[j]] = turned;  // it slides back
  dls_copy(ahead, before, all);
  if (status == DLS_OK) status = dls_variation_forces(w, s->q, s->v);
  if (status == DLS_OK) dls_copy(ahead, w->a, all);
  if (e->kind == DLS_EVENT_SWITCH && branch < 0 && jumps(s, before, ahead))
    dls_sensitivity_lose(s, e->t, "forces switch at once: what comes first depends on the change%s",
                         -1);
  shift(s, s->v, ahead, dt, -1);
  return status;
}
