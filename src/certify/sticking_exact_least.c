// The least common coefficient of planar contacts: between one with forces and one with a proof,
// both without rounding, and whether it is attained.                        eq (stk.6), (stk.8)
#include "certify/sticking_internal.h"

#include "certify/tolerances.h"

#include <float.h>
#include <math.h>

// Coefficients that are no numbers any more, and their inverses; fractions with a larger product of
// numerator and denominator are not simple.
static const double beyond_numbers = 1e100, simple_fraction = 1e8;

typedef struct search {
  dls_stick *s;
  double low, high;  // not enough, enough
  bool ambiguous;
} search;

static dls_status probe(search *w, double numerator, double denominator, bool *yes)
{
  dls_stick *s = w->s;
  dls_stick_outcome outcome = DLS_STICK_AMBIGUOUS;
  const double mu = numerator / denominator;
  double serves = 0;
  const dls_status status = dls_stick_exact_fraction(s, numerator, denominator, &outcome, &serves);
  *yes = outcome == DLS_STICK_YES;
  w->ambiguous |= outcome == DLS_STICK_AMBIGUOUS;
  if (status != DLS_OK || w->ambiguous) return status;
  if (*yes) {  // the forces may do with less
    const double ratio = dls_stick_ratio(s, &s->point, 0) * (1 + 4 * DBL_EPSILON);
    w->high = fmin(w->high, ratio > 0 && ratio < mu ? ratio : mu);
  } else {
    const double up_to = serves * (1 - 4 * DBL_EPSILON);
    w->low = fmax(w->low, up_to > mu && isfinite(up_to) ? up_to : mu);
  }
  return DLS_OK;
}

static double next(const search *w)
{
  if (isinf(w->high)) return w->low > 0 ? 16 * w->low : 1;
  if (w->low == 0) return w->high / 16;
  if (w->high > 2 * w->low) return sqrt(w->low) * sqrt(w->high);
  return w->low + (w->high - w->low) / 2;
}

static dls_status close_in(search *w)
{
  enum { MOST = 400 };
  dls_status status = DLS_OK;
  bool yes;
  for (int k = 0; k < MOST && status == DLS_OK && !w->ambiguous; k++) {
    if (isfinite(w->high) && w->high - w->low <= least_width_exact * w->high) return DLS_OK;
    const double mu = next(w);
    if (!(mu < beyond_numbers) || !(mu > 1 / beyond_numbers)) break;
    status = probe(w, mu, 1, &yes);
  }
  w->ambiguous |= !(w->high - w->low <= least_width_exact * w->high);
  return status;
}

// The simplest fraction within the bracket, by its continued fraction; false: none is simple.
static bool simplest(double low, double high, double *p, double *q)
{
  double p0 = 0, q0 = 1, p1 = 1, q1 = 0, x = low + (high - low) / 2;
  for (int k = 0; k < 20; k++) {
    const double whole = floor(x);
    const double p2 = whole * p1 + p0, q2 = whole * q1 + q0;
    if (p2 * q2 > simple_fraction) return false;
    p0 = p1, q0 = q1, p1 = p2, q1 = q2;
    *p = p1, *q = q1;
    if (fabs(p1 / q1 - (low + (high - low) / 2)) <= near_fraction * high) return p1 > 0;
    if (x == whole) return false;
    x = 1 / (x - whole);
  }
  return false;
}

// Is the value attained? A simple fraction, which the value then is, can be asked; otherwise the
// forces just above it tell, unless they are large: then rounding of the data may have moved the
// fraction a little above a value that is only approached.
static dls_status attain(search *w, double *value, dls_answer *attained)
{
  double p = 0, q = 1;
  bool yes = false;
  *attained = DLS_UNDECIDED;
  if (!simplest(w->low, w->high, &p, &q)) p = 0;
  if (p > 0) {
    search at = {.s = w->s, .high = INFINITY};
    const dls_status status = probe(&at, p, q, &yes);
    if (status != DLS_OK || at.ambiguous) return status;
    const double size = yes ? dls_stick_size(w->s) : 0;
    if (yes) *value = p / q;
    if (yes && size > endless_forces) return DLS_OK;
    if (yes) *attained = DLS_YES;
    if (yes) w->high = fma(*value, q, -p) < 0 ? nextafter(*value, INFINITY) : *value;
    if (yes) return DLS_OK;
  }
  const dls_status status = probe(w, w->high, 1, &yes);
  if (status != DLS_OK || !yes) return status;
  const double size = dls_stick_size(w->s);
  if (size < attained_forces) *attained = DLS_YES;
  else if (p > 0 && size > endless_forces) *attained = DLS_NO, *value = p / q;
  return DLS_OK;
}

// --- the limit ----------------------------------------------------------------------------------

static dls_status between(search *w, dls_limit *limit)
{
  double value = NAN;
  dls_answer attained = DLS_UNDECIDED;
  dls_status status = close_in(w);
  if (status == DLS_OK && !w->ambiguous) status = attain(w, &value, &attained);
  if (status != DLS_OK || w->ambiguous) return status;
  if (isnan(value)) value = w->low + (w->high - w->low) / 2;
  *limit = (dls_limit){.asked = true,
                       .value = value,
                       .low = fmin(w->low, value * (1 - shown_below)),
                       .high = fmax(w->high, value * (attained == DLS_YES ? 1 : 1 + shown_above)),
                       .attained = attained};
  limit->by = attained == DLS_NO
                  ? "approached: forces that cancel each other have to be as large as it takes"
                  : "least coefficient in (stk.1), without rounding (STK (61), (65), theory §12)";
  return DLS_OK;
}

dls_status dls_stick_exact_least(dls_stick *s, dls_limit *limit, bool *known)
{
  static const char *const none =
      "no friction is enough: the accelerations contradict each other, a contact would have to "
      "pull, or one that carries no normal force needs a tangential one (STK Prop. 11, theory §12)";
  static const char *const any =
      "any friction is enough: forces that cancel each other may be as large as it takes";
  search w = {.s = s, .high = INFINITY};
  bool yes = false, every = false, some = false;
  s->keep_leaves = false;
  s->least_margin = least_margin_roundings * s->polyhedra->margin;
  dls_status status = probe(&w, 0, 1, &yes);
  *known = !w.ambiguous && (yes || s->margin > s->polyhedra->margin);
  if (status != DLS_OK || !*known) return status;
  *limit = (dls_limit){.asked = true, .attained = DLS_UNDECIDED};
  if (yes) {
    limit->attained = DLS_YES;
    limit->by = "contacts stick without friction (STK Prop. 11, mu = 0, theory §12)";
    return DLS_OK;
  }
  status = dls_stick_exact_range(s, &every, &some, known);
  if (status != DLS_OK || !*known) return status;
  if (every) limit->high = shown_above, limit->attained = DLS_NO, limit->by = any;
  else if (!some) limit->value = limit->low = limit->high = INFINITY, limit->by = none;
  else {
    w.low = 0, w.high = INFINITY;
    status = between(&w, limit);
    *known = !w.ambiguous;
  }
  return status;
}
