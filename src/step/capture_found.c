// Contacts that come and go inside a step. A piece has the contacts that were found where the step
// began. It ends where others touch, or where one that is closed leaves the features that it is
// between; so does the step, and the next one finds them.                             eq (cap.16)
#include "step/capture.h"
#include "step/contact_set.h"

#include <math.h>

// Are solids in touch, at a state, where no contact of the step knows of it?
static dls_failure look_for_others(dls_integrator *g, double t, const double *q, const double *v,
                                   bool *others, dls_message *message)
{
  const dls_status status = dls_contact_set_look(g, t, q, v, -g->options.closed, message);
  *others = status == DLS_OK && dls_contact_set_sees_others(g);
  if (status == DLS_ERR_MEMORY) g->point.trouble = status;
  return status == DLS_OK ? DLS_FAILURE_NONE : DLS_FAILURE_NUMBER;
}

dls_failure dls_capture_find_others(dls_integrator *g, double *part, dls_message *message)
{
  enum { LOOKS = 4 };
  dls_capture *w = g->self;
  const double h = w->t1 - w->t;
  *part = 1;
  bool others = false;
  for (int k = 1; k <= LOOKS && !others; k++) {
    const double x = (double)k / LOOKS;
    const double *q = w->q1, *v = w->v1;
    if (k < LOOKS) {
      dls_smooth_inside(w->smooth, x, h, w->q, w->v, w->z, w->q1, w->v1, w->z1, w->watch.q,
                        w->watch.v);
      q = w->watch.q, v = w->watch.v;
    }
    const dls_failure failure = look_for_others(g, w->t + x * h, q, v, &others, message);
    if (failure != DLS_FAILURE_NONE) return failure;
    *part = x;
  }
  if (!others) *part = INFINITY;
  return DLS_FAILURE_NONE;
}

// Has a closed contact left its features, at the trial's end?
static dls_failure look_for_leaving(dls_integrator *g, bool *leaves, dls_message *message)
{
  const dls_capture *w = g->self;
  bool any = false;
  *leaves = false;
  for (int j = 0; j < g->m; j++) any |= g->id[j] != 0 && dls_mode_closed(&w->modes, j);
  if (!any) return DLS_FAILURE_NONE;
  for (int j = 0; j < g->m; j++)  // no features of its own any more
    *leaves |= dls_mode_closed(&w->modes, j) && g->point.values->h[j] == DLS_FAR_APART;
  if (*leaves) return DLS_FAILURE_NONE;
  const dls_status status =
      dls_contact_set_look(g, w->t1, w->q1, w->v1, 2 * g->options.closed, message);
  if (status == DLS_ERR_MEMORY) g->point.trouble = status;
  if (status != DLS_OK) return DLS_FAILURE_NUMBER;
  for (int j = 0; j < g->m; j++)
    *leaves |= dls_mode_closed(&w->modes, j) && !dls_contact_set_sees(g, j);
  return DLS_FAILURE_NONE;
}

dls_failure dls_capture_leave(dls_integrator *g, dls_message *message)
{
  dls_capture *w = g->self;
  bool leaves = false;
  double left = w->t, right = w->t1;
  dls_failure failure = look_for_leaving(g, &leaves, message);
  if (failure != DLS_FAILURE_NONE || !leaves) return failure;
  w->cut = true;
  const double critical = dls_capture_critical(g);
  while (right - left > critical) {
    const double middle = left + (right - left) / 2;
    failure = dls_capture_look(g, middle, message);
    if (failure == DLS_FAILURE_NONE) failure = look_for_leaving(g, &leaves, message);
    if (failure != DLS_FAILURE_NONE) return failure;
    if (leaves) right = middle;
    else left = middle;
  }
  return w->t1 == right ? DLS_FAILURE_NONE : dls_capture_look(g, right, message);
}

// Has the gap of contact j come down faster than by its rates? Formulas of features that are
// nearest nowhere may jump: where lines become parallel, or a rim's nearest point is its other
// side.
static bool jumps(const dls_integrator *g, int j)
{
  enum { FASTER = 4 };
  const dls_capture *w = g->self;
  const double rate = fmax(fabs(w->rate_left[j]), fabs(w->rate_right[j]));
  const double way = fmax(w->margin_left[2 * j], 0) - w->margin_right[2 * j];
  return way > FASTER * rate * w->bracket + 16 * g->options.closed;
}

dls_failure dls_capture_drop_false(dls_integrator *g, bool *any, dls_message *message)
{
  dls_capture *w = g->self;
  const bool at_begin = w->t1 != w->left;  // else the trial is that of the left end
  const double *q = at_begin ? w->q : w->q1, *v = at_begin ? w->v : w->v1;
  const double *gap = at_begin ? w->gap : w->gap1;
  double reach = g->options.closed;
  *any = false;
  for (int j = 0; j < g->m; j++)
    if (w->closing[j]) reach = fmax(reach, 2 * gap[j] + g->options.closed);
  const dls_status status = dls_contact_set_look(g, w->left, q, v, reach, message);
  if (status == DLS_ERR_MEMORY) g->point.trouble = status;
  if (status != DLS_OK) return DLS_FAILURE_NUMBER;
  for (int j = 0; j < g->m; j++) {
    if (!w->closing[j] || g->id[j] == 0) continue;
    if (dls_contact_set_sees(g, j) && !jumps(g, j)) continue;
    g->point.absent[j] = *any = true;
  }
  return DLS_FAILURE_NONE;
}
