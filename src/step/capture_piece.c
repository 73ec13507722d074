// Smooth pieces of the event-capturing schemes: trials, margins, errors.
#include "step/capture.h"

#include "base/memory.h"
#include "linalg/length.h"
#include "step/instability.h"
#include "step/spare.h"
#include "step/tolerances.h"

#include <math.h>

static const double FREE = 0.5;  // of the tolerance: errors of dense output that costs nothing
static const double EARLY = 16;  // steps: of a run that has just begun

double dls_capture_floor(const dls_integrator *g)
{
  const dls_capture *w = g->self;
  return time_rounding * fmax(fabs(w->t), g->options.step);
}

// (h/T)^exponent, at most `most`. T: the time since the start; but what happens in the first step
// stays for the whole run.
double dls_capture_small(const dls_integrator *g, double exponent, double most)
{
  const dls_capture *w = g->self;
  const double step = g->options.step, since = w->t - w->start;
  return fmin(most, pow(step / (since > step ? since : EARLY * step), exponent));
}

double dls_capture_critical(const dls_integrator *g)
{
  const dls_capture *w = g->self;
  const dls_integrator_options *o = &g->options;
  double length = critical_of_step * o->step;
  if (w->adaptive) {
    for (int k = 0; k < g->system->n; k++)  // way within the interval
      if (w->v[k] != 0)
        length =
            fmin(length, critical_of_error * (o->atol + o->rtol * fabs(w->q[k])) / fabs(w->v[k]));
  } else {
    length = o->step * fmin(critical_of_step,
                            o->critical * dls_capture_small(g, w->smooth->tableau.order, 1));
  }
  return fmax(length, dls_capture_floor(g));
}

// Slip velocities and their derivatives at the begin.
static void note_rates(dls_integrator *g)
{
  dls_capture *w = g->self;
  const dls_values *x = g->point.values;
  for (int j = 0; j < g->system->m; j++)
    for (int k = g->point.first[j]; k < g->point.first[j + 1]; k++) {
      w->slip[k] = x->slip[k];
      w->slip_rate[k] =
          dls_snapshot_Jt_times(&g->point, j, 1 + k - g->point.first[j], w->z) + x->b_t[k];
    }
}

void dls_capture_note(dls_integrator *g)
{
  dls_capture *w = g->self;
  const ptrdiff_t m = g->system->m;
  dls_modes_margins(w->smooth, &w->modes, w->z, w->margin);
  dls_capture_branch_margins(g, w->t, w->q, w->v, w->margin, NULL);
  dls_copy(w->gap, g->point.values->h, m);
  dls_copy(w->rate, g->point.values->h_dot, m);
  note_rates(g);
}

// Do contacts that are left out have to press, for others pull without them?
static bool needs_spare(dls_integrator *g)
{
  const dls_capture *w = g->self;
  if (g->point.spares == 0) return false;
  for (int j = 0; j < g->system->m; j++)
    if (dls_mode_closed(&w->modes, j) && w->margin[2 * j] < -no_sign_event)
      return dls_spare_restore(g);
  return false;
}

static dls_failure begin(dls_integrator *g)
{
  dls_capture *w = g->self;
  dls_smooth_start_anew(w->smooth);
  if (!dls_smooth_accelerations(w->smooth, &w->modes, w->z)) return DLS_FAILURE_SINGULAR;
  dls_modes_margins(w->smooth, &w->modes, w->z, w->margin);
  if (dls_modes_forced(w->smooth, &w->modes, w->margin) &&
      dls_modes_distribute(g->moreau, w->smooth, &w->modes) &&
      !dls_smooth_forces(w->smooth, &w->modes, w->z))
    return DLS_FAILURE_SINGULAR;
  w->sign = dls_smooth_sign(w->smooth);
  dls_capture_note(g);
  return DLS_FAILURE_NONE;
}

dls_failure dls_capture_begin(dls_integrator *g)
{
  const dls_failure failure = begin(g);
  return failure == DLS_FAILURE_NONE && needs_spare(g) ? begin(g) : failure;
}

// Everything at t1, where q1 and v1 are what came out.
static dls_failure arrive(dls_integrator *g, double t1, dls_message *message)
{
  dls_capture *w = g->self;
  const ptrdiff_t m = g->system->m;
  w->t1 = t1;
  if (!dls_snapshot_evaluate(&g->point, t1, w->q1, w->v1, message)) return DLS_FAILURE_NUMBER;
  for (int j = 0; j < g->system->m; j++)
    w->on[j] = dls_mode_closed(&w->modes, j) && g->point.values->h[j] < DLS_FAR_APART;
  if (!dls_projector_positions(&g->projector, w->on, t1, w->q1, w->v1, message))
    return DLS_FAILURE_CONSTRAINT;
  const dls_failure failure = dls_smooth_project_velocities(
      w->smooth, &w->modes, smooth_of_rate * g->projector.rate, t1, w->q1, w->v1, message);
  if (failure != DLS_FAILURE_NONE) return failure;
  w->smooth->beyond = false;
  if (!dls_smooth_accelerations(w->smooth, &w->modes, w->z1)) return DLS_FAILURE_SINGULAR;
  if (w->smooth->beyond) return DLS_FAILURE_STEP;
  w->sign1 = dls_capture_sign(g, w->sign > 0);
  dls_modes_margins(w->smooth, &w->modes, w->z1, w->margin1);
  dls_copy(w->slip1, g->point.values->slip, g->system->tangents);
  dls_copy(w->gap1, g->point.values->h, m);
  dls_copy(w->rate1, g->point.values->h_dot, m);
  return dls_capture_note_switches(g, message) ? DLS_FAILURE_NONE : DLS_FAILURE_NUMBER;
}

dls_failure dls_capture_try(dls_integrator *g, double t1, dls_message *message)
{
  dls_capture *w = g->self;
  const bool estimate = w->adaptive || w->slide.graded;
  const ptrdiff_t n = g->system->n;
  dls_capture_watch_stages(g);
  dls_failure failure = dls_smooth_step(w->smooth, &w->modes, estimate, w->t, t1 - w->t, w->q, w->v,
                                        w->z, w->q1, w->v1, message);
  if (failure == DLS_FAILURE_NONE) failure = arrive(g, t1, message);
  if (failure != DLS_FAILURE_NONE) return failure;
  dls_smooth_finish(w->smooth, estimate, t1 - w->t, w->v, w->z, w->v1, w->z1);
  w->whole = t1, w->looked = false;
  dls_copy(w->q_whole, w->q1, n);
  dls_copy(w->v_whole, w->v1, n);
  return DLS_FAILURE_NONE;
}

void dls_capture_accept(dls_integrator *g)
{
  dls_capture *w = g->self;
  const ptrdiff_t n = g->system->n;
  const ptrdiff_t m = g->system->m;
  dls_smooth_add_impulse(w->smooth, w->impulse);
  if (g->instability && w->t1 == w->whole) {
    dls_smooth_rough_error(w->smooth, w->t1 - w->t, w->watch.v);
    dls_instability_note_piece(g, w->t1 - w->t, w->v, w->v1, w->watch.v);
  }
  w->t = w->t1;
  dls_copy(w->q, w->q1, n);
  dls_copy(w->v, w->v1, n);
  dls_copy(w->z, w->z1, w->smooth->width);
  w->sign = w->sign1;
  note_rates(g);
  dls_copy(w->margin, w->margin1, w->channels);
  bool changed;  // where that makes no difference
  dls_capture_hold(g, w->t, w->q, w->v, &changed, NULL);
  if (changed) dls_capture_branch_margins(g, w->t, w->q, w->v, w->margin, NULL);
  dls_copy(w->gap, w->gap1, m);
  dls_copy(w->rate, w->rate1, m);
}

// --- events ---

// What counts as negative. Gaps at once: contacts that fell a little too far before they bounce,
// and are put back, would gain energy. They must be closing, though: after a bounce rounding
// decides.
double dls_capture_tolerance(const dls_integrator *g, int k, bool inside)
{
  const dls_capture *w = g->self;
  if (k >= 2 * g->system->m) return 0;
  if (!dls_mode_closed(&w->modes, k / 2)) return inside ? dip * g->options.closed : 0;
  const bool slip = k % 2 == 1 && w->modes.kind[k / 2] == DLS_SLIDING;
  return slip ? dip * g->options.rest : no_sign_event;
}

bool dls_capture_violated(const dls_integrator *g, int k)
{
  const dls_capture *w = g->self;
  if (k >= 2 * g->system->m)
    return w->switches.matters[k - 2 * g->system->m] && w->margin1[k] < w->margin[k];
  if (k % 2 == 0 && !dls_mode_closed(&w->modes, k / 2)) {
    const double rate = w->rate1[k / 2];
    const bool still = rate >= -dip * g->options.rest && w->margin1[k] >= -dip * g->options.closed;
    if (!(rate < 0) || still) return false;  // what another contact holds dips by rounding
  }
  return w->margin1[k] < -dls_capture_tolerance(g, k, false) && w->margin1[k] < w->margin[k];
}

bool dls_capture_lost(const dls_integrator *g)
{
  const dls_capture *w = g->self;
  return w->sign >= 0 && w->sign1 < 0;
}

bool dls_capture_violated_any(const dls_integrator *g)
{
  const dls_capture *w = g->self;
  for (int k = 0; k < w->channels; k++)
    if (dls_capture_violated(g, k)) return true;
  return dls_capture_lost(g);
}

// --- steps that are chosen ---

// The absolute values of the forces on each coordinate at the trial's end, added up.
static const double *force_sizes(const dls_integrator *g)
{
  const dls_capture *w = g->self;
  const double *lambda = w->z1 + g->system->n, *tau = lambda + g->system->m;
  double *size = w->watch.z;
  for (int k = 0; k < g->system->n; k++) size[k] = fabs(g->point.values->F[k]);
  for (int j = 0; j < g->system->m; j++) {
    const int first = g->point.first[j];
    dls_snapshot_add_J_size(&g->point, j, 0, lambda[j], size);
    for (int k = first; k < g->point.first[j + 1]; k++)
      dls_snapshot_add_J_size(&g->point, j, 1 + k - first, tau[k], size);
  }
  return size;
}

// Relative errors are those of what is there, or of what each force alone would do in a step as
// long as the first one: so that a start at rest in the origin has a scale, and what stands still
// because forces cancel too.
static void set_allowed(const dls_integrator *g)
{
  const dls_capture *w = g->self;
  const dls_integrator_options *o = &g->options;
  const double h = fmax(o->step, w->t1 - w->t), *force = force_sizes(g);
  const double *mobility = dls_stage_matrix_mobility(w->smooth->single);
  double *q = w->watch.q, *v = w->watch.v;
  for (int k = 0; k < g->system->n; k++) {
    const double gain = h * force[k] * mobility[k];
    const double speed = fmax(gain, fmax(fabs(w->v[k]), fabs(w->v1[k])));
    const double way = fmax(h * speed, fmax(fabs(w->q[k]), fabs(w->q1[k])));
    q[k] = o->atol + o->rtol * way, v[k] = o->atol_velocity + o->rtol * speed;
  }
}

double dls_capture_error(const dls_integrator *g)
{
  const dls_capture *w = g->self;
  set_allowed(g);
  return dls_smooth_error(w->smooth, w->watch.q, w->watch.v);
}

// --- inside a trial ---

// Forces may have poles between the ends of a step, gaps have not.
bool dls_capture_is_dense(const dls_integrator *g)
{
  const dls_capture *w = g->self;
  return w->watch.gaps_only && w->smooth->tableau.dense.rows > 0;
}

dls_failure dls_capture_look(dls_integrator *g, double t1, dls_message *message)
{
  dls_capture *w = g->self;
  const ptrdiff_t n = g->system->n;
  if (!dls_capture_is_dense(g) || t1 > w->whole) return dls_capture_try(g, t1, message);
  const double h = w->whole - w->t, x = t1 == w->whole ? 1 : (t1 - w->t) / h;
  if (!w->looked) {
    if (w->adaptive) set_allowed(g);
    w->free = w->adaptive && dls_smooth_free_error(w->smooth, x, h, w->watch.q, w->watch.v) <= FREE;
    w->looked = true;
  }
  const dls_failure failure = dls_smooth_dense(w->smooth, &w->modes, w->free, x, w->t, h, w->q,
                                               w->v, w->q1, w->v1, message);
  if (failure != DLS_FAILURE_NONE) return failure;
  if (t1 == w->whole) dls_copy(w->q1, w->q_whole, n), dls_copy(w->v1, w->v_whole, n);
  return arrive(g, t1, message);
}
