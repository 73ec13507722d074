// Smooth pieces of the event-capturing schemes: trials, margins, errors.
#include "step/capture.h"

#include "linalg/length.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double FORCE = 2e-10;  // relative forces up to this have no sign

double dls_capture_floor(const dls_integrator *g)
{
  const dls_capture *w = g->self;
  return 16 * DBL_EPSILON * fmax(fabs(w->t), g->options.step);
}

double dls_capture_critical(const dls_integrator *g)
{
  const dls_capture *w = g->self;
  const dls_integrator_options *o = &g->options;
  double length = o->step;
  if (w->adaptive) {
    for (int k = 0; k < g->system->n; k++)  // way within the interval
      if (w->v[k] != 0)
        length = fmin(length, 1e-3 * (o->atol + o->rtol * fabs(w->q[k])) / fabs(w->v[k]));
  } else {
    length = o->critical * pow(o->step, w->smooth->tableau.order + 1);
  }
  return fmax(fmin(length, o->step / 8), dls_capture_floor(g));
}

void dls_capture_note(dls_integrator *g)
{
  dls_capture *w = g->self;
  const dls_values *x = g->point.values;
  dls_modes_margins(w->smooth, &w->modes, w->z, w->margin);
  for (int j = 0; j < g->system->m; j++) {
    w->gap[j] = x->h[j], w->rate[j] = x->h_dot[j];
    for (int k = g->point.first[j]; k < g->point.first[j + 1]; k++) {
      w->slip[k] = x->slip[k];
      w->slip_rate[k] =
          dls_snapshot_pull(&g->point, j, 1 + k - g->point.first[j], w->z) + x->b_t[k];
    }
  }
}

dls_failure dls_capture_begin(dls_integrator *g)
{
  dls_capture *w = g->self;
  if (!dls_smooth_forces(w->smooth, &w->modes, w->z)) return DLS_FAILURE_SINGULAR;
  dls_capture_note(g);
  return DLS_FAILURE_NONE;
}

dls_failure dls_capture_try(dls_integrator *g, double t1, dls_message *message)
{
  dls_capture *w = g->self;
  const size_t m = (size_t)g->system->m * sizeof(double);
  dls_failure failure = dls_smooth_step(w->smooth, &w->modes, w->adaptive, w->t, t1 - w->t, w->q,
                                        w->v, w->z, w->q1, w->v1, message);
  if (failure != DLS_FAILURE_NONE) return failure;
  w->t1 = t1;
  if (!dls_snapshot_evaluate(&g->point, t1, w->q1, w->v1, message)) return DLS_FAILURE_NUMBER;
  for (int j = 0; j < g->system->m; j++) w->on[j] = dls_mode_closed(&w->modes, j);
  if (!dls_hold_positions(&g->hold, w->on, t1, w->q1, w->v1, message))
    return DLS_FAILURE_CONSTRAINT;
  failure = dls_smooth_hold_velocities(w->smooth, &w->modes, g->hold.tolerance, t1, w->q1, w->v1,
                                       message);
  if (failure != DLS_FAILURE_NONE) return failure;
  if (!dls_smooth_forces(w->smooth, &w->modes, w->z1)) return DLS_FAILURE_SINGULAR;
  dls_modes_margins(w->smooth, &w->modes, w->z1, w->margin1);
  memcpy(w->gap1, g->point.values->h, m);
  memcpy(w->rate1, g->point.values->h_dot, m);
  return DLS_FAILURE_NONE;
}

void dls_capture_accept(dls_integrator *g)
{
  dls_capture *w = g->self;
  const size_t n = (size_t)g->system->n * sizeof(double);
  dls_smooth_add_impulse(w->smooth, w->t1 - w->t, w->impulse);
  w->t = w->t1;
  memcpy(w->q, w->q1, n);
  memcpy(w->v, w->v1, n);
  memcpy(w->z, w->z1, (size_t)w->smooth->width * sizeof(double));
  dls_capture_note(g);
}

// --- events ---

// What counts as negative. Gaps at once: contacts that fell a little too far before they bounce,
// and are put back, would gain energy. They must be closing, though: after a bounce rounding
// decides.
static double tolerance(const dls_integrator *g, int k)
{
  const dls_capture *w = g->self;
  if (!dls_mode_closed(&w->modes, k / 2)) return 0;
  const bool slip = k % 2 == 1 && w->modes.kind[k / 2] == DLS_SLIDING;
  return slip ? 1e-3 * g->options.rest : FORCE;
}

bool dls_capture_violated(const dls_integrator *g, int k)
{
  const dls_capture *w = g->self;
  if (k % 2 == 0 && !dls_mode_closed(&w->modes, k / 2) && !(w->rate1[k / 2] < 0)) return false;
  return w->margin1[k] < -tolerance(g, k) && w->margin1[k] < w->margin[k];
}

bool dls_capture_violated_any(const dls_integrator *g)
{
  for (int k = 0; k < 2 * g->system->m; k++)
    if (dls_capture_violated(g, k)) return true;
  return false;
}

// The cubic through gaps and their velocities at both ends, as a polynomial of the part x of the
// step: a time while it is negative and falls; 1 when it does not dive below zero inside.
static double dive(double h, double g0, double r0, double g1, double r1)
{
  if (!(r0 < 0 && r1 > 0 && g0 >= 0)) return 1;  // a minimum inside needs both, at an open contact
  const double c3 = 2 * (g0 - g1) + h * (r0 + r1), c2 = 3 * (g1 - g0) - h * (2 * r0 + r1);
  const double c1 = h * r0, root = c2 * c2 - 3 * c3 * c1;
  if (!(root >= 0)) return 1;
  const double x = -c1 / (c2 + sqrt(root));  // where it is smallest
  if (!(x > 0 && x < 1) || !(g0 + x * (c1 + x * (c2 + x * c3)) < 0)) return 1;
  double low = 0, high = x;  // it falls in between
  for (int k = 0; k < 20; k++) {
    const double y = (low + high) / 2;
    if (g0 + y * (c1 + y * (c2 + y * c3)) < 0) high = y;
    else low = y;
  }
  return (high + x) / 2;
}

static double suspect_gap(const dls_integrator *g, double first)
{
  const dls_capture *w = g->self;
  const double h = w->t1 - w->t;
  for (int j = 0; j < g->system->m; j++) {
    if (dls_mode_closed(&w->modes, j)) continue;
    const double x = dive(h, w->gap[j], w->rate[j], w->gap1[j], w->rate1[j]);
    if (x < 1) first = fmin(first, w->t + x * h);
  }
  return first;
}

// Stages of implicit methods lie on the solution, though less accurately.
static bool stage_violates(const dls_integrator *g, int i)
{
  const dls_capture *w = g->self;
  const dls_smooth *s = w->smooth;
  const double *lambda = s->z + (ptrdiff_t)i * s->width + s->n, *tau = lambda + s->m;
  for (int j = 0; j < s->m; j++) {
    const int first = g->point.first[j], end = g->point.first[j + 1];
    const double mu = g->point.values->friction[j];
    if (!dls_mode_closed(&w->modes, j)) {
      const double gap = s->gap[(ptrdiff_t)i * s->m + j];
      if (gap < -tolerance(g, 2 * j) && gap < w->gap[j]) return true;
      continue;
    }
    const bool bilateral = g->system->contacts[j].kind == DLS_BILATERAL;
    if (!bilateral && lambda[j] < 0 && w->margin[2 * j] > 0 && w->margin1[2 * j] > 0) return true;
    double along = 0, force = 0;
    for (int k = first; k < end; k++) {
      along += s->slip[(ptrdiff_t)i * s->slips + k] * w->modes.xi[k];
      force = hypot(force, tau[k]);
    }
    if (end == first || mu == 0) continue;
    if (w->modes.kind[j] == DLS_SLIDING ? along < -tolerance(g, 2 * j + 1)
                                        : force > (1 + 1e-6) * mu * fabs(lambda[j]))
      return true;
  }
  return false;
}

double dls_capture_suspect(const dls_integrator *g)
{
  const dls_capture *w = g->self;
  const dls_tableau *t = &w->smooth->tableau;
  double first = suspect_gap(g, w->t1);
  for (int i = t->starts; i < t->stages - t->ends && t->implicit; i++)
    if (stage_violates(g, i)) first = fmin(first, w->t + t->c[i] * (w->t1 - w->t));
  return first;
}

// Near the end of sliding its direction turns the faster the nearer the end is, and beyond there is
// no motion to extrapolate to: pieces that are a part of the time that is left, then a critical
// interval.
double dls_capture_before_rest(const dls_integrator *g, double t1, int *contact)
{
  const dls_capture *w = g->self;
  const double critical = dls_capture_critical(g);
  *contact = -1;
  for (int j = 0; j < g->system->m; j++) {
    const int k = g->point.first[j];
    if (w->modes.kind[j] != DLS_SLIDING || g->point.first[j + 1] - k < 2) continue;
    const double *x = w->slip + k, *a = w->slip_rate + k, speed = dls_length(x[0], x[1]);
    const double along = (a[0] * x[0] + a[1] * x[1]) / speed;
    const double across = (a[1] * x[0] - a[0] * x[1]) / speed;
    if (!(speed > g->options.rest) || !(along < 0) || fabs(across) < 1e-9 * fabs(along)) continue;
    const double left = -speed / along;
    if (left < critical) *contact = j;
    t1 = fmin(t1, w->t + (left < critical ? critical : left / 4));
  }
  return t1;
}

// --- steps that are chosen ---

double dls_capture_error(const dls_integrator *g)
{
  const dls_capture *w = g->self;
  const dls_integrator_options *o = &g->options;
  double most = 0;
  for (int k = 0; k < g->system->n; k++) {
    const double q = o->atol + o->rtol * fmax(fabs(w->q[k]), fabs(w->q1[k]));
    const double v = o->atol_velocity + o->rtol * fmax(fabs(w->v[k]), fabs(w->v1[k]));
    if (w->smooth->error_q[k] != 0) most = fmax(most, fabs(w->smooth->error_q[k]) / q);
    if (w->smooth->error_v[k] != 0) most = fmax(most, fabs(w->smooth->error_v[k]) / v);
  }
  return most;
}
