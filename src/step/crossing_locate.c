// Locating a crossing: the step is made again from its begin to times that a bracketing iteration
// chooses, so that the state is the scheme's own and the time as accurate as its states are.
#include "step/crossing.h"

#include "base/memory.h"

#include <float.h>
#include <math.h>

enum { MAX_PROBES = 80, MAX_PIECES = 1000 };

// The motion's state at time t of the step, by making it again; false when that fails.
static bool make_again(dls_crossings *c, double t, dls_sample *at)
{
  dls_failure failure = DLS_FAILURE_NONE;
  if (dls_integrator_restart(c->probe, &c->begin, NULL) != DLS_OK) return false;
  for (int k = 0; k < MAX_PIECES; k++) {
    *at = dls_integrator_sample(c->probe);
    if (at->t >= t) return true;
    if (dls_integrator_advance(c->probe, t, &failure, NULL) != DLS_OK ||
        failure != DLS_FAILURE_NONE)
      return false;
  }
  return false;
}

// The function at time t, and the state there in the probe.
static bool value_at(dls_crossings *c, int k, double t, dls_sample *at, double *g)
{
  if (!make_again(c, t, at)) return false;
  if (c->functions.evaluate(c->functions.self, at->t, at->q, at->v, c->g) != DLS_OK) return false;
  *g = c->g[k];
  return isfinite(*g);
}

typedef struct bracket {
  double a, ga, b, gb;  // times and values; ga is on the side that is left, gb is not
} bracket;

static bool has_left(double g, int side)
{
  return !(g * side > 0);
}

// From interpolated ends to ends where the motion has the signs; the piece's own otherwise.
static bool enclose(dls_crossings *c, int k, int side, double low, double high, bracket *x)
{
  dls_sample at;
  if (!value_at(c, k, x->a, &at, &x->ga)) return false;
  if (has_left(x->ga, side) && x->a > low) {
    x->a = low;
    if (!value_at(c, k, x->a, &at, &x->ga)) return false;
  }
  if (!value_at(c, k, x->b, &at, &x->gb)) return false;
  if (!has_left(x->gb, side) && x->b < high) {
    x->b = high;
    if (!value_at(c, k, x->b, &at, &x->gb)) return false;
  }
  return !has_left(x->ga, side) && has_left(x->gb, side);
}

// Regula falsi with the Illinois weights, and halving where it is slow.
static bool shrink(dls_crossings *c, int k, int side, double tolerance, bracket *x)
{
  double fa = x->ga, fb = x->gb, width = x->b - x->a;
  int kept = 0;
  for (int i = 0; i < MAX_PROBES && x->b - x->a > tolerance && x->gb != 0; i++) {
    dls_sample at;
    double g = 0, t = x->b - fb * (x->b - x->a) / (fb - fa);
    const bool slow = i % 3 == 2 && x->b - x->a > 0.5 * width;
    if (i % 3 == 2) width = x->b - x->a;
    if (slow || !(t > x->a && t < x->b)) t = x->a + 0.5 * (x->b - x->a);
    // not nearer to an end than the tolerance: the other end then follows in one step
    t = fmin(fmax(t, x->a + 0.5 * tolerance), x->b - 0.5 * tolerance);
    if (!(t > x->a && t < x->b)) break;
    if (!value_at(c, k, t, &at, &g)) return false;
    if (has_left(g, side)) {
      x->b = t, x->gb = fb = g;
      if (kept == 1) fa *= 0.5;
      kept = 1;
    } else {
      x->a = t, x->ga = fa = g;
      if (kept == -1) fb *= 0.5;
      kept = -1;
    }
  }
  return true;
}

bool dls_crossing_locate(dls_crossings *c, int k, double low, double high, double from, double to,
                         dls_crossing_found *found)
{
  const int side = -found->direction;
  const double tolerance = 4 * DBL_EPSILON * fmax(fabs(low), fabs(high));
  bracket x = {.a = from, .b = to};
  dls_sample at;
  if (!enclose(c, k, side, low, high, &x) || !shrink(c, k, side, tolerance, &x) ||
      !make_again(c, x.b, &at))
    return false;
  found->t = at.t;
  dls_copy(found->q, at.q, c->nq);
  dls_copy(found->v, at.v, c->n);
  dls_copy(found->impulse, at.impulse, c->impulses);
  return true;
}
