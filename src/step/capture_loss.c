// Where the motion of an event-capturing scheme ceases to be determined.             eq (cap.8)
#include "step/capture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double TOGETHER = 2e-3;  // of the effect of a force without friction

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
    memset(x, 0, (size_t)w->smooth->width * sizeof(double));
    dls_snapshot_push(&g->point, j, 0, 1, x);
    for (int l = g->point.first[j]; l < g->point.first[j + 1] && k == 0; l++)
      dls_snapshot_push(&g->point, j, 1 + l - g->point.first[j],
                        -g->point.values->friction[j] * w->modes.xi[l], x);
    dls_stage_matrix_solve(w->smooth->single, x);
    effect[k] = 0;
    for (int e = g->system->normal.p[j]; e < g->system->normal.p[j + 1]; e++)
      effect[k] += g->point.values->G[e] * x[g->system->normal.i[e]];
  }
  return solved ? effect[0] / effect[1] : NAN;
}

// The sliding contact whose force acts least against its gap.
static int most_doubtful(dls_integrator *g)
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
  if (fabs(own_effect(g, j)) < TOGETHER) dls_note_loss(g, w->t, j, DLS_PAINLEVE);
}

int dls_capture_sign(dls_integrator *g, bool look)
{
  const dls_capture *w = g->self;
  const int sign = dls_smooth_sign(w->smooth);
  return sign == 0 && look && dls_uniqueness_spent(w->smooth, &w->modes) ? -1 : sign;
}

void dls_capture_check_uniqueness(dls_integrator *g, bool modes_changed)
{
  dls_capture *w = g->self;
  if (g->loss.lost || w->undecided) return;
  if (w->sign < 0) {
    dls_note_loss(g, w->t, most_doubtful(g), DLS_PAINLEVE);
    return;
  }
  int contact;
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
  const int contact = g->loss.lost ? -1 : dls_uniqueness_jump(&jump);
  if (contact >= 0) dls_note_loss(g, w->t, contact, DLS_INCONSISTENT);
}

bool dls_capture_stops(const dls_integrator *g)
{
  return g->loss.lost && g->options.on_loss == DLS_ON_LOSS_STOP;
}
