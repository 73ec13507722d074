// The least common coefficient of friction with which all contacts can stick, between a coefficient
// with a proof that it is too small and one with forces that do.                    eq (stk.6)
#include "certify/sticking_internal.h"

#include "certify/tolerances.h"
#include "linalg/dense.h"

#include <math.h>

enum { LARGE = 1000 };  // unknowns from which on a probe costs much

// What comes out of a division rounds up.
static const double next_up = 1 + 1e-15;

typedef struct bracket {
  dls_stick *s;
  const dls_stick_forces *f;
  double low, high;        // proven too small, proven enough
  double mu[2], slack[2];  // the last two coefficients with the most room there
  double narrow;           // relative width that is enough
  int probes;
} bracket;

double dls_stick_ratio(const dls_stick *s, const dls_point *point, double zero)
{
  const dls_polyhedra *c = s->polyhedra;
  double most = 0;
  for (int j = 0; j < c->m; j++) {
    if (!s->held[j]) continue;
    double tau = 0;
    const double lambda = fabs(point->lambda[j]);
    for (int k = c->first[j]; k < c->first[j + 1]; k++) tau = hypot(tau, point->tau[k]);
    if (tau <= zero) continue;
    if (lambda <= zero) return tau > c->tolerance * c->load ? INFINITY : NAN;
    const double ratio = tau / lambda * (c->units.C_t[c->first[j]] / c->units.C_n[j]);
    if (!(ratio <= most)) most = ratio;
  }
  return most;
}

void dls_stick_set_friction(dls_stick *s, double mu)
{
  dls_polyhedra *c = s->polyhedra;
  for (int j = 0; j < c->m; j++) {
    if (!s->held[j]) continue;
    c->mu_s[j] = mu * (c->units.C_n[j] / c->units.C_t[c->first[j]]);
    c->touch[j] = c->mu_s[j] > 0 ? DLS_TOUCH_CANDIDATE : DLS_TOUCH_FRICTIONLESS;
  }
}

static dls_status probe(bracket *b, double mu, dls_stick_outcome *outcome)
{
  dls_stick *s = b->s;
  b->probes++;
  dls_stick_set_friction(s, mu);
  s->slack = NAN;
  bool objects = false;
  dls_status status = b->f->known != DLS_FORCES_MANY ? dls_stick_direct(s, b->f, outcome)
                                                     : dls_stick_search(s, outcome);
  if (status == DLS_OK && *outcome != DLS_STICK_AMBIGUOUS && !s->unlimited)
    status = dls_stick_exact_objects(s, *outcome, &objects);
  if (objects) *outcome = DLS_STICK_AMBIGUOUS;
  return status;
}

// Is every coefficient enough, or none, for the data as they are, too?               eq (num.1)
static dls_status confirm(dls_stick *s, bool every, bool *confirmed)
{
  bool all = every, some = every, known = true;
  dls_status status = DLS_OK;
  if (s->objector) {
    s->exact = s->objector;
    status = dls_stick_exact_range(s, &all, &some, &known);
    s->exact = NULL;
  }
  *confirmed = known && (every ? all : !some);
  return status;
}

// Do the forces that were found do with this coefficient?
static dls_status serves(dls_stick *s, double mu, bool *good)
{
  bool objects = false;
  dls_stick_set_friction(s, mu);
  *good = dls_stick_fault(s, NULL, &s->point, NULL, NULL) <= s->polyhedra->margin;
  const dls_status status = *good ? dls_stick_exact_objects(s, DLS_STICK_YES, &objects) : DLS_OK;
  *good &= !objects;
  return status;
}

// The forces found with one coefficient may do with less.
static dls_status enough(bracket *b, double mu)
{
  dls_stick *s = b->s;
  const double ratio = dls_stick_ratio(s, &s->point, 0) * next_up;
  bool less = false;
  dls_status status = DLS_OK;
  if (ratio < mu && s->margin != 0) status = serves(s, ratio, &less);
  b->high = less ? ratio : mu;
  return status;
}

static dls_status step(bracket *b, double mu, dls_stick_outcome *outcome)
{
  const dls_status status = probe(b, mu, outcome);
  if (status != DLS_OK) return status;
  if (fabs(b->s->slack) < 0.99 && mu != b->mu[1]) {
    b->mu[0] = b->mu[1], b->slack[0] = b->slack[1];
    b->mu[1] = mu, b->slack[1] = b->s->slack;
  }
  if (*outcome == DLS_STICK_NO && mu > b->low) b->low = mu;
  return *outcome == DLS_STICK_YES && mu < b->high ? enough(b, mu) : DLS_OK;
}

// Proofs on both sides of a coefficient that is about the least one, as close as they get.
static dls_status squeeze(bracket *b, double mu)
{
  dls_status status = DLS_OK;
  dls_stick_outcome outcome = DLS_STICK_AMBIGUOUS;
  if (b->high > mu) status = step(b, mu, &outcome);
  double above = b->narrow / 4, below = b->narrow / 2;
  while (above < 0.1 && status == DLS_OK && b->high > mu * (1 + above)) {
    status = step(b, mu * (1 + above), &outcome);
    above *= 16;
  }
  while (below < 0.1 && status == DLS_OK && b->low < mu * (1 - below)) {
    status = step(b, mu * (1 - below), &outcome);
    below *= 16;
  }
  for (int k = 0; k < 16 && status == DLS_OK && b->high - b->low > b->narrow * b->high; k++) {
    status = step(b, 0.5 * (b->low + b->high), &outcome);
    if (outcome == DLS_STICK_AMBIGUOUS) break;
  }
  return status;
}

// The root of the room as a function of the coefficient, by its last two values; NaN.
static double secant(const bracket *b)
{
  const double slope = (b->slack[1] - b->slack[0]) / (b->mu[1] - b->mu[0]);
  return slope > 0 ? b->mu[1] - b->slack[1] / slope : NAN;
}

static double guess(const bracket *b)
{
  const double root = secant(b);
  if (!isfinite(b->high))
    return root > b->low && root < 16 * b->low ? root : b->low > 0 ? 4 * b->low : 1;
  if (root > b->low && root < b->high) return root;
  return b->low > 0 ? sqrt(b->low) * sqrt(b->high) : b->high / 2;
}

static dls_status close_in(bracket *b, double *value)
{
  enum { MOST_PROBES = 60, PATIENCE = 3 };
  dls_stick_outcome outcome = DLS_STICK_AMBIGUOUS;
  dls_status status = DLS_OK;
  double width = INFINITY;
  int waited = 0;
  while (status == DLS_OK && b->probes < MOST_PROBES) {
    status = dls_context_go_on(b->s->polyhedra->x);
    if (status != DLS_OK) break;
    if (b->low > least_most || b->high < least_none) break;
    if (isfinite(b->high) && b->high - b->low <= b->narrow * b->high) break;
    // secants that close in from one side only give way to halving
    waited = b->high - b->low <= 0.5 * width ? 0 : waited + 1;
    if (waited == 0) width = b->high - b->low;
    const bool halve = waited > PATIENCE && isfinite(b->high);
    const double mu = halve ? 0.5 * (b->low + b->high) : guess(b);
    if (halve) waited = 0, width = b->high - b->low;
    status = step(b, mu, &outcome);
    const double root = secant(b);
    if (status != DLS_OK) break;
    const bool there = fabs(root - mu) <= b->narrow / 4 * mu;
    const bool lost = outcome == DLS_STICK_AMBIGUOUS && !(root > b->low && root < b->high);
    if (there || lost) return squeeze(b, *value = there ? root : mu);
  }
  return status;
}

// Even without a bound on friction: *never, with a proof that serves every coefficient.
static dls_status without_bound(bracket *b, bool *never, double *value)
{
  dls_stick_outcome outcome = DLS_STICK_AMBIGUOUS;
  dls_stick *s = b->s;
  s->unlimited = true;
  const dls_status status = probe(b, 1, &outcome);
  s->unlimited = false;
  *never = outcome == DLS_STICK_NO;
  if (status != DLS_OK || outcome != DLS_STICK_YES) return status;
  const dls_polyhedra *c = s->polyhedra;
  const double size = fmax(c->load, dls_norm_max(c->m, s->point.lambda));
  const double ratio = dls_stick_ratio(s, &s->point, c->margin * size);
  if (b->f->known == DLS_FORCES_POINT) *value = ratio;
  else if (b->f->known == DLS_FORCES_LINE) return dls_stick_line_least(s, b->f, value);
  else if (isfinite(ratio) && ratio > 0) {
    bool good = false;
    const dls_status told = serves(s, ratio * next_up, &good);
    if (good) b->high = ratio * next_up;
    return told;
  }
  return DLS_OK;
}

// Forces along the line that cancel each other and are inside the cones with every larger
// coefficient: made large enough they carry any load. NaN: there are none.
static double squeezing(const bracket *b)
{
  const dls_stick *s = b->s;
  const dls_polyhedra *c = s->polyhedra;
  const double zero = solved_roundings * c->x->basic.noise, *v = b->f->v;
  double sum = 0;
  if (b->f->known != DLS_FORCES_LINE) return NAN;
  for (int j = c->m_b; j < c->m; j++) sum += v[c->n + j];
  for (int j = c->m_b; j < c->m; j++) {
    const double lambda = sum < 0 ? -v[c->n + j] : v[c->n + j];
    const bool pulled = s->held[j] && fabs(v[dls_stick_tau(s, c->first[j])]) > zero;
    if (lambda < -zero || (pulled && lambda <= zero)) return NAN;
  }
  dls_stick_forces_point(s, v, &b->s->point);
  const double ratio = dls_stick_ratio(s, &s->point, zero);
  return ratio > 0 ? ratio : NAN;
}

static const char too_small[] = "gradients are parallel but for numbers too small to trust";

static void set_limit(dls_limit *limit, double value, double low, double high, const char *by)
{
  limit->value = value, limit->low = low, limit->high = high, limit->by = by;
}

static const char *none_is_enough(bool never)
{
  return never ? "no friction is enough: the accelerations contradict each other, or a contact "
                 "would have to pull (STK Prop. 11, theory §12)"
               : "no friction is enough: a contact needs a tangential force and carries no normal "
                 "one";
}

// known: the value is as good as it is told.
static const char *least_by(bool squeezed, bool known, bool formula, double low)
{
  if (squeezed) return "approached: forces that cancel each other have to be as large as it takes";
  if (!known && low == 0)
    return "an upper bound only: with less friction, forces that cancel each other would have to "
           "be too large to be checked";
  if (!known) return "a bracket only: numbers too small to trust";
  return formula ? "least over all forces of the largest |tau_i| / |lambda_i|, in closed form"
                 : "least coefficient in (stk.1), by conic programs (STK (61), (65), theory §12)";
}

static dls_status find_least(dls_stick *s, const dls_stick_forces *f, dls_limit *limit)
{
  bracket b = {.s = s,
               .f = f,
               .high = INFINITY,
               .narrow = f->size > LARGE ? least_width_large : least_width,
               .mu = {NAN, NAN},
               .slack = {NAN, NAN}};
  dls_stick_outcome outcome = DLS_STICK_AMBIGUOUS;
  bool never = false;
  double value = NAN;
  s->keep_leaves = false;
  s->least_margin = least_margin_roundings * s->polyhedra->margin;
  dls_status status = probe(&b, 0, &outcome);
  if (status != DLS_OK) return status;
  if (outcome == DLS_STICK_YES) {
    limit->attained = DLS_YES;
    set_limit(limit, 0, 0, 0, "contacts stick without friction (STK Prop. 11, mu = 0, theory §12)");
    return DLS_OK;
  }
  status = without_bound(&b, &never, &value);
  if (status != DLS_OK) return status;
  bool confirmed = true;
  if (never || value == (double)INFINITY) {
    status = confirm(s, false, &confirmed);
    if (status != DLS_OK || !confirmed) {
      set_limit(limit, NAN, NAN, NAN, too_small);
      return status;
    }
    set_limit(limit, INFINITY, INFINITY, INFINITY, none_is_enough(never));
    return DLS_OK;
  }
  const bool formula = isfinite(value);
  if (formula) status = squeeze(&b, value);
  const double limit_of_squeezing = formula ? squeezing(&b) : NAN;
  const bool squeezed = fabs(limit_of_squeezing - value) <= least_agrees * value;
  if (squeezed) value = b.high = fmin(b.high, limit_of_squeezing);
  else if (f->known != DLS_FORCES_POINT) status = close_in(&b, &value);
  if (b.high < least_none && b.low == 0) {
    if (status == DLS_OK) status = confirm(s, true, &confirmed);
    if (s->nearly || !confirmed) {
      set_limit(limit, NAN, NAN, NAN, too_small);
      return status;
    }
    limit->attained = DLS_NO;
    set_limit(limit, 0, 0, b.high,
              "any friction is enough: forces that cancel each other may be as large as it takes");
    return status;
  }
  if (squeezed) limit->attained = DLS_NO;
  if (!(value >= b.low && value <= b.high)) value = 0.5 * (b.low + b.high);
  const bool known = isfinite(b.high) && b.high - b.low <= least_told * b.high;
  set_limit(limit, known ? value : NAN, b.low, b.high, least_by(squeezed, known, formula, b.low));
  return status;
}

// Whole numbers that did not find the least coefficient may object to what other methods find.
dls_status dls_stick_least(dls_stick *s, const dls_stick_forces *f, dls_limit *limit)
{
  struct dls_stick_exact *exact = s->exact, *objector = s->objector;
  s->exact = NULL;
  if (exact) s->objector = exact;
  const dls_status status = find_least(s, f, limit);
  s->exact = exact, s->objector = objector;
  return status;
}
