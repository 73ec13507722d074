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

#include "linalg/length.h"

#include <math.h>
#include <string.h>

static const double STRAIGHT = 1e-10;  // of s' across s that is rounding
static const double APART = 4;         // pieces in the time in which the direction may change
static const double QUIET = 0.1;       // of friction: what is left where sliding begins
static const double MOST = 1e-4;       // of a step: critical intervals, and errors
static const double NEAR = 16;         // steps in that time from which on errors are not controlled

static bool slides_in_space(const dls_integrator *g, int j)
{
  const dls_capture *w = g->self;
  return w->modes.kind[j] == DLS_SLIDING && g->point.first[j + 1] - g->point.first[j] == 2 &&
         g->point.values->friction[j] > 0;
}

// How long the interval around the end of sliding may be: what is moved in it counts twice its
// length.
static double critical(const dls_integrator *g)
{
  const dls_capture *w = g->self;
  const dls_integrator_options *o = &g->options;
  double length = o->step * dls_capture_small(g, (w->smooth->tableau.order - 1) / 2., MOST);
  if (w->adaptive) {
    length = 0.1 * fmax(o->step, g->step);
    for (int k = 0; k < g->system->n; k++)
      if (w->z[k] != 0)
        length = fmin(length, sqrt(1e-2 * (o->atol + o->rtol * fabs(w->q[k])) / fabs(w->z[k])));
  }
  return fmax(length, 4 * dls_capture_floor(g));
}

// What friction alone would change the slip velocity by.
static double friction_rate(const dls_integrator *g, int j)
{
  const dls_capture *w = g->self;
  const double *W = dls_stage_matrix_delassus(w->smooth->single) + g->system->m;
  return g->point.values->friction[j] * fabs(w->z[g->system->n + j]) * W[g->point.first[j]];
}

// The acceleration without friction: where the other forces drive a contact.
static double drive(const dls_integrator *g, int j, double driven[2])
{
  const dls_capture *w = g->self;
  const int k = g->point.first[j];
  const double by = friction_rate(g, j);
  for (int i = 0; i < 2; i++) driven[i] = w->slip_rate[k + i] + by * w->modes.xi[k + i];
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
  if (speed > by * critical(g) || dls_length(a[0], a[1]) > QUIET * by) return false;
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
  if (across <= STRAIGHT * (dls_length(a[0], a[1]) + friction_rate(g, j))) return false;
  xi[0] = driven[0] / size, xi[1] = driven[1] / size;
  return true;
}

dls_failure dls_capture_slide_begin(dls_integrator *g)
{
  dls_capture *w = g->self;
  bool any = false;
  memset(w->slide.turned, 0, (size_t)g->system->m * sizeof(bool));
  for (int j = 0; j < g->system->m; j++) {
    if (!slides_in_space(g, j) || !lead(g, j)) continue;
    w->modes.straight[j] = any = true;
  }
  return any ? dls_capture_begin(g) : DLS_FAILURE_NONE;
}

// The direction at the begin of the piece, and whether it is going to turn.
static void set_direction(dls_integrator *g, int j, double speed)
{
  dls_capture *w = g->self;
  const int k = g->point.first[j];
  double *xi = w->modes.xi + k;
  const double *a = w->slip_rate + k, size = dls_length(a[0], a[1]);
  w->slide.leaving[j] = begins(g, j);
  if (!w->slide.leaving[j]) xi[0] = w->slip[k] / speed, xi[1] = w->slip[k + 1] / speed;
  const double across = fabs(a[1] * xi[0] - a[0] * xi[1]);
  w->modes.straight[j] = w->slide.leaving[j] ||
                         (across <= STRAIGHT * (size + friction_rate(g, j)) && !w->slide.turned[j]);
}

double dls_capture_slide_limit(dls_integrator *g, double t1, int *stops)
{
  dls_capture *w = g->self;
  const double least = critical(g);
  *stops = -1;
  w->slide.graded = false;
  for (int j = 0; j < g->system->m; j++) {
    w->modes.straight[j] = false;
    if (!slides_in_space(g, j)) continue;
    const int k = g->point.first[j];
    const double *xi = w->modes.xi + k, *a = w->slip_rate + k;
    const double speed = dls_length(w->slip[k], w->slip[k + 1]);
    // explicit methods also need to follow the force that turns the slip
    const double size =
        dls_length(a[0], a[1]) + (w->smooth->tableau.implicit ? 0 : friction_rate(g, j));
    set_direction(g, j, speed);
    w->margin[2 * j + 1] = w->modes.straight[j] ? w->slip[k] * xi[0] + w->slip[k + 1] * xi[1] : 1;
    const double along = a[0] * xi[0] + a[1] * xi[1];
    if (w->slide.leaving[j] && along < -STRAIGHT * friction_rate(g, j))
      *stops = j, t1 = fmin(t1, w->t + least);
    if (w->slide.leaving[j] && w->slide.turned[j]) t1 = fmin(t1, w->t + least);
    if (w->modes.straight[j]) continue;
    w->slide.graded |= speed < NEAR * g->options.step * size;
    if (-along * least >= speed) *stops = j, t1 = fmin(t1, w->t + least);
    else if (size > 0) t1 = fmin(t1, w->t + fmax(speed / (APART * size), least / APART));
  }
  if (!w->slide.graded || w->adaptive) w->slide.next = 0;
  return w->slide.next > 0 ? fmin(t1, w->t + w->slide.next) : t1;
}

double dls_capture_slide_error(const dls_integrator *g)
{
  const dls_capture *w = g->self;
  const double step = g->options.step;
  const double part = dls_capture_small(g, w->smooth->tableau.order - 1, MOST);
  double most = 0;
  for (int j = 0; j < g->system->m; j++) {
    if (!slides_in_space(g, j) || w->modes.straight[j]) continue;
    const int k = g->point.first[j];
    const double size = dls_length(w->slip_rate[k], w->slip_rate[k + 1]);
    const double error = dls_length(dls_snapshot_pull(&g->point, j, 1, w->smooth->error_v),
                                    dls_snapshot_pull(&g->point, j, 2, w->smooth->error_v));
    if (error > 0) most = fmax(most, error / (size * step * part));
  }
  return most;
}

bool dls_capture_slide_turned(dls_integrator *g)
{
  dls_capture *w = g->self;
  const double least = critical(g);
  bool any = false;
  for (int j = 0; j < g->system->m; j++) {
    if (!slides_in_space(g, j) || !w->modes.straight[j]) continue;
    const int k = g->point.first[j];
    const double *xi = w->modes.xi + k, *s = w->slip1 + k;
    const double across = fabs(s[1] * xi[0] - s[0] * xi[1]);
    const double speed = fmax(dls_length(s[0], s[1]), dls_length(w->slip[k], w->slip[k + 1])) +
                         (w->t1 - w->t) * friction_rate(g, j);
    if (across <= 10 * STRAIGHT * speed + 1e-3 * g->options.rest) continue;
    if (w->slide.leaving[j] && w->t1 - w->t <= 2 * least) continue;
    w->slide.turned[j] = any = true;
  }
  return any;
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
    if (work > 1e-9 * size) return true;
  }
  return false;
}
