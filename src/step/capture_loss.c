// Where the motion of an event-capturing scheme ceases to be determined.             eq (cap.8)
#include "step/capture.h"

#include "base/memory.h"
#include "step/tolerances.h"

#include <math.h>
#include <stdio.h>

// What the force of a sliding contact does to its gap, relative to what it would do without
// friction; all others as they are. NaN when that cannot be told. The point stands at (t, q, v).
static double own_effect(dls_integrator *g, int j)
{
  dls_capture *w = g->self;
  double effect[2], *x = w->watch.z;
  const unsigned char kind = w->modes.kind[j];
  w->modes.kind[j] = DLS_SEPARATING;
  const bool solved = dls_smooth_forces(w->smooth, &w->modes, x);
  w->modes.kind[j] = kind;
  for (int k = 0; k < 2 && solved; k++) {
    dls_clear(x, w->smooth->width);
    dls_snapshot_add_J(&g->point, j, 0, 1, x);
    for (int l = g->point.first[j]; l < g->point.first[j + 1] && k == 0; l++)
      dls_snapshot_add_J(&g->point, j, 1 + l - g->point.first[j],
                         -g->point.values->friction[j] * w->modes.xi[l], x);
    dls_stage_matrix_solve(w->smooth->single, x);
    effect[k] = 0;
    for (int e = g->system->normal.p[j]; e < g->system->normal.p[j + 1]; e++)
      effect[k] += g->point.values->G[e] * x[g->system->normal.i[e]];
  }
  return solved ? effect[0] / effect[1] : NAN;
}

// The sliding contact whose force acts least against its gap.
static int max_doubtful(dls_integrator *g)
{
  const dls_capture *w = g->self;
  int worst = -1;
  double least = INFINITY;
  for (int j = 0; j < g->system->m; j++) {
    if (w->modes.kind[j] != DLS_SLIDING || !(g->point.values->friction[j] > 0)) continue;
    const double effect = own_effect(g, j);
    if (worst < 0 || effect < least) worst = j, least = effect;
  }
  return worst;
}

// Force and effect vanish together (Genot and Brogliato).
void dls_capture_check_take_off(dls_integrator *g, int channel)
{
  const dls_capture *w = g->self;
  const int j = channel / 2;
  if (channel < 0 || channel % 2 == 1 || w->kind_before[j] != DLS_SLIDING) return;
  if (dls_mode_closed(&w->modes, j) || !(g->point.values->friction[j] > 0)) return;
  if (fabs(own_effect(g, j)) < no_effect) dls_note_loss(g, w->t, j, DLS_PAINLEVE);
}

int dls_capture_sign(dls_integrator *g, bool look)
{
  const dls_capture *w = g->self;
  const int sign = dls_smooth_sign(w->smooth);
  return sign == 0 && look && dls_uniqueness_spent(w->smooth, &w->modes) ? -1 : sign;
}

// Contact j is open, and nothing would tell it from a closed one without a force.
static bool idle(const dls_integrator *g, int j)
{
  const dls_capture *w = g->self;
  const dls_values *x = g->point.values;
  if (dls_mode_closed(&w->modes, j) || x->h[j] > g->options.closed) return false;
  if (fabs(x->h_dot[j]) > g->options.rest) return false;
  const double a = dls_snapshot_Jt_times(&g->point, j, 0, w->z) + x->b_n[j];
  const double load =
      dls_modes_normal_scale(w->smooth, j) * dls_stage_matrix_delassus(w->smooth->single)[j];
  return fabs(a) <= idle_acceleration * load;
}

// What contact j does, to the search for other forces. Returns whether it is idle.
static bool take_contact(const dls_integrator *g, int j)
{
  const dls_capture *w = g->self;
  const int first = g->point.first[j], end = g->point.first[j + 1];
  const bool free = idle(g, j);
  double slip = 0;
  for (int k = first; k < end; k++) slip = hypot(slip, g->point.values->slip[k]);
  const bool slides = slip > g->options.rest;
  w->sharing->kind[j] = free ? slides ? DLS_SLIDING : DLS_STICKING : w->modes.kind[j];
  if (w->modes.kind[j] == DLS_SLIDING && !slides) w->sharing->kind[j] = DLS_STICKING;
  for (int k = first; k < end; k++)
    w->sharing->xi[k] = !free ? w->modes.xi[k] : slides ? g->point.values->slip[k] / slip : 0;
  return free;
}

// Redundant contacts: does the motion depend on how they share the load?
static int shared(dls_integrator *g, bool *bounded)
{
  const dls_capture *w = g->self;
  const ptrdiff_t m = g->system->m, tangents = g->system->tangents;
  bool may_be = w->sign == 0 || g->point.spares > 0;
  if (!w->sharing) return -1;
  for (int j = 0; j < g->system->m; j++) may_be |= take_contact(g, j);
  if (!may_be) return -1;
  dls_copy(w->sharing->lambda, w->z + g->system->n, m);
  dls_copy(w->sharing->tau, w->z + g->system->n + m, tangents);
  return dls_sharing_open(w->sharing, &g->point, bounded);
}

void dls_capture_check_uniqueness(dls_integrator *g, bool modes_changed)
{
  dls_capture *w = g->self;
  if (dls_loss_ends(g) || w->undecided) return;
  if (w->sign < 0) {
    dls_note_loss(g, w->t, max_doubtful(g), DLS_PAINLEVE);
    return;
  }
  bool bounded = false;
  int contact = shared(g, &bounded);
  if (contact >= 0) dls_note_sharing(g, w->t, contact, bounded);
  if (dls_loss_ends(g)) return;
  dls_contact_status kind;
  if (!modes_changed || !dls_uniqueness_other(w->smooth, &w->modes, w->candidate, w->z,
                                              &w->alternatives, &contact, &kind))
    return;
  char why[120];
  snprintf(why, sizeof why, "may be %s, or %s: both motions fulfil all laws",
           dls_contact_status_name((dls_contact_status)w->modes.kind[contact]),
           dls_contact_status_name(kind));
  dls_note_loss(g, w->t, contact, why);
}

void dls_capture_check_jump(dls_integrator *g, double h)
{
  const dls_capture *w = g->self;
  const dls_jump jump = {.point = &g->point,
                         .mobility = dls_stage_matrix_mobility(w->smooth->single),
                         .v0 = w->v,
                         .v1 = w->v1,
                         .impulse = w->part,
                         .rate = w->rate,
                         .slip = w->slip,
                         .h = h,
                         .rest = g->options.rest};
  const int contact = dls_loss_ends(g) ? -1 : dls_uniqueness_jump(&jump);
  if (contact >= 0) dls_note_loss(g, w->t, contact, DLS_INCONSISTENT);
}

bool dls_capture_stops(const dls_integrator *g)
{
  return dls_loss_ends(g) && g->options.on_loss == DLS_ON_LOSS_STOP;
}
