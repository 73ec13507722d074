// Sliding in space. The direction of friction turns with the slip velocity s, the faster the slower
// it is: within a time of the order of |s| / |s'| it may be any other one. At the end of sliding it
// turns without bound, and there is no motion beyond to extrapolate to.
//
//   straight:  s' stays along s up to rounding. Friction keeps its direction, as in a plane.
//   turning:   pieces are at most |s| / 4 |s'|, and where that is less than some steps their errors
//              are held to what a step may have; then a critical interval.              eq (cap.5)
//
// Sliding that begins at rest is straight for as long as a critical interval, and turning from
// there.
#include "step/capture.h"

#include "base/memory.h"
#include "linalg/length.h"
#include "step/tolerances.h"

#include <math.h>

static const double APART = 4;      // pieces in the time in which the direction may change
static const double QUIET = 0.1;    // of friction: what is left where sliding begins
static const double OVER = 1.01;    // of the time to rest
static const double PEAK = 16;      // times the forces at the ends of a trial
static const double NEAR = 16;      // steps in that time from which on errors are not controlled
static const double LONGEST = 0.1;  // of a step: critical intervals where errors are controlled
static const double SHORTEST = 4;   // times what can be told: pieces
static const double SAFETY = 0.8, HALF = 0.5;  // of pieces that went too far across

static bool slides_in_space(const dls_integrator *g, int j)
{
  const dls_capture *w = g->self;
  return w->modes.kind[j] == DLS_SLIDING && g->point.first[j + 1] - g->point.first[j] == 2 &&
         dls_snapshot_rubs(&g->point, j);
}

// How long the interval around the end of sliding may be: what is moved in it counts twice its
// length.
static double critical(const dls_integrator *g)
{
  const dls_capture *w = g->self;
  const dls_integrator_options *o = &g->options;
  double length = o->step * dls_capture_small(g, (w->smooth->tableau.order - 1) / 2., most_slide);
  if (w->adaptive) {
    length = LONGEST * fmax(o->step, g->step);
    for (int k = 0; k < g->system->n; k++)
      if (w->z[k] != 0)
        length = fmin(length,
                      sqrt(slide_of_error * (o->atol + o->rtol * fabs(w->q[k])) / fabs(w->z[k])));
  }
  return fmax(length, SHORTEST * dls_capture_floor(g));
}

// What friction alone would change the slip velocity by.
static double friction_rate(const dls_integrator *g, int j)
{
  const dls_capture *w = g->self;
  const double *W = dls_stage_matrix_delassus(w->smooth->single) + g->system->m;
  return dls_snapshot_friction(&g->point, j, w->z[g->system->n + j]) * W[g->point.first[j]];
}

// How long sliding that begins may go straight: friction turns it at once, and what it does to the
// coordinates counts, while they do not move yet.
static double start_length(const dls_integrator *g, int j)
{
  const dls_capture *w = g->self;
  const dls_integrator_options *o = &g->options;
  const dls_pattern *H = &g->system->tangent;
  const double power = (w->smooth->tableau.order - 2) / 2.;  // a run has few starts
  if (!w->adaptive)
    return fmax(o->step * dls_capture_small(g, power, most_slide), SHORTEST * dls_capture_floor(g));
  const double *mobility = dls_stage_matrix_mobility(w->smooth->single);
  const double force = dls_snapshot_friction(&g->point, j, w->z[g->system->n + j]);
  double length = LONGEST * fmax(o->step, g->step);
  for (int k = g->point.first[j]; k < g->point.first[j + 1]; k++)
    for (int e = H->p[k]; e < H->p[k + 1]; e++) {
      const int i = H->i[e];
      const double gain = mobility[i] * fabs(g->point.values->H[e]) * force;
      const double allowed = slide_of_error * (o->atol + o->rtol * fabs(w->q[i]));
      if (gain > 0) length = fmin(length, sqrt(allowed / gain));
    }
  return fmax(length, SHORTEST * dls_capture_floor(g));
}

// The acceleration without friction: where the other forces drive a contact. Friction is against
// the direction of the piece where that was straight, or the slip too slow to have one.
static double drive(const dls_integrator *g, int j, double driven[2])
{
  const dls_capture *w = g->self;
  const int k = g->point.first[j];
  const double *s = w->slip + k, speed = dls_length(s[0], s[1]), by = friction_rate(g, j);
  const bool kept = w->modes.straight[j] || !(speed > g->options.rest);
  for (int i = 0; i < 2; i++)
    driven[i] = w->slip_rate[k + i] + by * (kept ? w->modes.xi[k + i] : s[i] / speed);
  return dls_length(driven[0], driven[1]);
}

// Does contact j begin to slide? It is at rest, or so slow that friction turns its slip against the
// other forces within a critical interval, and faster from now on.
static bool begins(const dls_integrator *g, int j)
{
  const dls_capture *w = g->self;
  const int k = g->point.first[j];
  const double *s = w->slip + k, *a = w->slip_rate + k, by = friction_rate(g, j);
  const double speed = dls_length(s[0], s[1]);
  double driven[2];
  if (!(speed > g->options.rest)) return true;
  if (speed > by * start_length(g, j) || dls_length(a[0], a[1]) > QUIET * by) return false;
  const double size = drive(g, j, driven);
  return a[0] * s[0] + a[1] * s[1] > 0 &&
         s[0] * driven[0] + s[1] * driven[1] > (1 - QUIET * QUIET) * speed * size;
}

// Sliding that has just begun goes where the other forces drive it, and these may turn meanwhile:
// friction is against them, and what is left is along it.
static bool lead(dls_integrator *g, int j)
{
  dls_capture *w = g->self;
  const int k = g->point.first[j];
  double *xi = w->modes.xi + k, driven[2];
  const double *a = w->slip_rate + k, size = drive(g, j, driven);
  const double across = fabs(a[1] * xi[0] - a[0] * xi[1]);
  if (!begins(g, j) || !(driven[0] * xi[0] + driven[1] * xi[1] > 0)) return false;
  if (across <= straight * (dls_length(a[0], a[1]) + friction_rate(g, j))) return false;
  xi[0] = driven[0] / size, xi[1] = driven[1] / size;
  return true;
}

// Forces follow from the new directions, and contacts that stick may not bear them: all feet of a
// plate break loose at once.
static dls_failure begin_led(dls_integrator *g)
{
  dls_capture *w = g->self;
  const dls_failure failure = dls_capture_begin(g);
  bool breaks = false;
  for (int j = 0; j < g->system->m && failure == DLS_FAILURE_NONE; j++)
    breaks |= w->modes.kind[j] == DLS_STICKING &&
              w->margin[2 * j + 1] < -dls_capture_tolerance(g, 2 * j + 1, false);
  if (!breaks) return failure;
  dls_copy(w->candidate, w->modes.kind, g->system->m);
  if (dls_modes_settle(g->moreau, w->smooth, &w->modes, w->candidate, w->margin, w->z) !=
      DLS_FAILURE_NONE) {
    dls_copy(w->modes.kind, w->candidate, g->system->m);
    return dls_capture_begin(g);
  }
  w->sign = dls_smooth_sign(w->smooth);
  dls_capture_note(g);
  return DLS_FAILURE_NONE;
}

dls_failure dls_capture_slide_begin(dls_integrator *g)
{
  dls_capture *w = g->self;
  bool any = false;
  dls_clear(w->slide.turned, g->system->m);
  for (int j = 0; j < g->system->m; j++) {
    if (!slides_in_space(g, j) || !lead(g, j)) continue;
    w->modes.straight[j] = any = true;
  }
  return any ? begin_led(g) : DLS_FAILURE_NONE;
}

// The direction at the begin of the piece, and whether it is going to turn. Straight sliding that
// is driven on follows what drives it: motions near by join it, while a step along its own
// direction would leave it by what the drive has across, the more the longer it is. Returns whether
// it does.
static bool set_direction(dls_integrator *g, int j, double speed)
{
  dls_capture *w = g->self;
  const int k = g->point.first[j];
  double *xi = w->modes.xi + k, driven[2];
  const double drives = drive(g, j, driven), by = friction_rate(g, j);
  w->slide.leaving[j] = begins(g, j);
  if (!w->slide.leaving[j]) xi[0] = w->slip[k] / speed, xi[1] = w->slip[k + 1] / speed;
  const double across = fabs(driven[1] * xi[0] - driven[0] * xi[1]);
  const double size = dls_length(driven[0] - by * xi[0], driven[1] - by * xi[1]);
  const bool along = across <= straight * (size + by) && !w->slide.turned[j];
  w->modes.straight[j] = w->slide.leaving[j] || along;
  if (!w->modes.straight[j] || w->slide.leaving[j] || across == 0) return false;
  if (!(driven[0] * xi[0] + driven[1] * xi[1] > 0) || across > along_drive * drives) return false;
  xi[0] = driven[0] / drives, xi[1] = driven[1] / drives;
  return true;
}

// Directions of all contacts, and the forces that follow from them.
static void set_directions(dls_integrator *g)
{
  dls_capture *w = g->self;
  bool led = false;
  for (int j = 0; j < g->system->m; j++) {
    w->modes.straight[j] &= slides_in_space(g, j);
    if (!slides_in_space(g, j)) continue;
    const double *s = w->slip + g->point.first[j];
    led |= set_direction(g, j, dls_length(s[0], s[1]));
  }
  dls_message message;  // neither fails: both were done before, with directions near by
  if (led && dls_snapshot_evaluate(&g->point, w->t, w->q, w->v, &message)) dls_capture_begin(g);
}

// The time to rest, and a little more, so that what is left sticks.
static double until_rest(const dls_integrator *g, double speed, double slows)
{
  return fmin(critical(g), fmax(OVER * speed / slows, SHORTEST * dls_capture_floor(g)));
}

double dls_capture_slide_limit(dls_integrator *g, double t1, int *stops)
{
  dls_capture *w = g->self;
  const double least = critical(g);
  // explicit methods are not stable in pieces that are longer than what friction turns the slip in
  const double shortest = w->smooth->tableau.implicit ? least / APART : dls_capture_floor(g);
  *stops = -1;
  w->slide.graded = false;
  set_directions(g);
  for (int j = 0; j < g->system->m; j++) {
    if (!slides_in_space(g, j)) continue;
    const int k = g->point.first[j];
    const double *xi = w->modes.xi + k, *a = w->slip_rate + k;
    const double speed = dls_length(w->slip[k], w->slip[k + 1]);
    // explicit methods also need to follow the force that turns the slip
    const double size =
        dls_length(a[0], a[1]) + (w->smooth->tableau.implicit ? 0 : friction_rate(g, j));
    w->margin[2 * j + 1] = w->modes.straight[j] ? w->slip[k] * xi[0] + w->slip[k + 1] * xi[1] : 1;
    const double along = a[0] * xi[0] + a[1] * xi[1];
    if (w->slide.leaving[j] && along < -straight * friction_rate(g, j))
      *stops = j, t1 = fmin(t1, w->t + start_length(g, j));
    if (w->slide.leaving[j] && w->slide.turned[j]) t1 = fmin(t1, w->t + w->slide.start);
    if (w->modes.straight[j]) continue;
    w->slide.graded |= speed < NEAR * g->options.step * size;
    if (-along * least >= speed) *stops = j, t1 = fmin(t1, w->t + until_rest(g, speed, -along));
    else if (size > 0) t1 = fmin(t1, w->t + fmax(speed / (APART * size), shortest));
  }
  if (!w->slide.graded || w->adaptive) w->slide.next = 0;
  return w->slide.next > 0 ? fmin(t1, w->t + w->slide.next) : t1;
}

// What rounding makes of the slip velocity of contact j at the trial's end.
static double rounding_of_slip(const dls_integrator *g, int j)
{
  const dls_capture *w = g->self;
  const dls_pattern *H = &g->system->tangent;
  double sum = 0;
  for (int k = g->point.first[j]; k < g->point.first[j + 1]; k++)
    for (int e = H->p[k]; e < H->p[k + 1]; e++) sum += fabs(g->point.values->H[e] * w->v1[H->i[e]]);
  return slip_rounding * sum;
}

double dls_capture_slide_error(const dls_integrator *g)
{
  const dls_capture *w = g->self;
  const double step = g->options.step;
  // rounding is a part of accelerations, too
  const double part =
      fmax(dls_capture_small(g, w->smooth->tableau.order - 1, most_slide), least_slide);
  double most = 0;
  for (int j = 0; j < g->system->m; j++) {
    if (!slides_in_space(g, j) || w->modes.straight[j]) continue;
    const int k = g->point.first[j];
    const double size = dls_length(w->slip_rate[k], w->slip_rate[k + 1]) + friction_rate(g, j);
    const double error = dls_length(dls_snapshot_Jt_times(&g->point, j, 1, w->smooth->error_v),
                                    dls_snapshot_Jt_times(&g->point, j, 2, w->smooth->error_v));
    if (error > 0) most = fmax(most, error / (size * step * part + rounding_of_slip(g, j)));
  }
  return most;
}

// Sliding that begins follows what drives it from piece to piece. Within one, what it goes across
// by the end may be as much as in the first critical interval; it grows with the third power of the
// length.
static bool leaves_straight(dls_integrator *g, int j, double across)
{
  dls_capture *w = g->self;
  const double h = w->t1 - w->t, start = start_length(g, j);
  const double allowed = friction_rate(g, j) * start * start + rounding_of_slip(g, j) * h;
  if (h <= 2 * start || across * h <= allowed) return true;
  const double part = SAFETY * cbrt(allowed / (across * h));
  w->slide.start = fmin(w->slide.start, fmax(start, fmin(part, HALF) * h));
  return false;
}

bool dls_capture_slide_turned(dls_integrator *g)
{
  dls_capture *w = g->self;
  bool any = false;
  w->slide.start = w->t1 - w->t;
  for (int j = 0; j < g->system->m; j++) {
    if (!slides_in_space(g, j) || !w->modes.straight[j]) continue;
    const int k = g->point.first[j];
    const double *xi = w->modes.xi + k, *s = w->slip1 + k;
    const double across = fabs(s[1] * xi[0] - s[0] * xi[1]);
    const double speed = fmax(dls_length(s[0], s[1]), dls_length(w->slip[k], w->slip[k + 1]));
    if (across <= straight_after * straight * speed + straight_of_rest * g->options.rest) continue;
    if (w->slide.leaving[j] && leaves_straight(g, j, across)) continue;
    w->slide.turned[j] = any = true;
  }
  return any;
}

// Forces that are rounding, where nothing presses, are of either sign.
static double no_force(const dls_integrator *g, int j)
{
  const dls_capture *w = g->self;
  return force_rounding * dls_modes_normal_scale(w->smooth, j);
}

// What the rounding of forces works on the way.
static double no_work(const dls_integrator *g, int j)
{
  const dls_capture *w = g->self;
  double speed = 0;
  for (int k = g->point.first[j]; k < g->point.first[j + 1]; k++)
    speed += fmax(fabs(w->slip[k]), fabs(w->slip1[k]));
  const dls_values *x = g->point.values;
  const double force = x->friction[j] * no_force(g, j) + force_rounding * x->friction_force[j];
  return force * speed * (w->t1 - w->t);
}

// Friction takes energy at every instant of sliding: a trial in which it gives some is wrong.
bool dls_capture_friction_drives(const dls_integrator *g)
{
  const dls_capture *w = g->self;
  for (int j = 0; j < g->system->m; j++) {
    if (w->modes.kind[j] != DLS_SLIDING) continue;
    double size;
    const double work =
        dls_smooth_friction_work(w->smooth, j, w->t1 - w->t, g->options.rest, &size);
    if (work > work_rounding * size && work > no_work(g, j)) return true;
  }
  return false;
}

// Forces at both ends push, and those at the stages may be anything where the effect of a force
// vanishes on the way: with weights of both signs the contact pulls.
bool dls_capture_pulls(const dls_integrator *g)
{
  const dls_capture *w = g->self;
  for (int j = 0; j < g->system->m; j++) {
    double most;
    if (!dls_mode_closed(&w->modes, j) || g->system->contacts[j].kind == DLS_BILATERAL) continue;
    const double force = dls_smooth_mean_force(w->smooth, j, &most);
    if (force < -mean_rounding * most && force < -no_force(g, j)) return true;
  }
  return false;
}

bool dls_capture_peaks(const dls_integrator *g)
{
  const dls_capture *w = g->self;
  const int n = g->system->n;
  for (int j = 0; j < g->system->m; j++) {
    double most;
    if (w->modes.kind[j] != DLS_SLIDING || !(g->point.values->friction[j] > 0)) continue;
    const double ends = fmax(fabs(w->z[n + j]), fabs(w->z1[n + j]));
    dls_smooth_mean_force(w->smooth, j, &most);
    if (most > PEAK * (ends + dls_modes_normal_scale(w->smooth, j))) return true;
  }
  return false;
}
