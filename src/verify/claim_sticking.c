// All contacts stick, or do not; and the least common coefficient of friction with which they do.
#include "verify/checks.h"
#include "verify/claim_modes.h"
#include "verify/sticks.h"

#include <math.h>

// Contact forces that cancel each other may be many times the load: what rounding leaves of them
// errs more, relative to it.
static bool check_yes(dls_trial *x, dls_finding *f, const json_t *witness)
{
  dls_trial_point point;
  x->squeezed = true;
  const bool good = dls_read_point(x, f, witness, dls_point_keys, &point) &&
                    dls_check_solves(x, f, &point, true, "the witness");
  x->squeezed = false;
  return good;
}

static bool check_no(dls_trial *x, dls_finding *f, const json_t *witness, double times)
{
  x->decisive = times;
  const bool good = dls_check_leaves(x, f, witness, DLS_SCOPE_STICK, NULL, false);
  x->decisive = 0;
  return good;
}

void dls_check_all_stick(dls_trial *x, dls_finding *f, const json_t *witness, bool yes)
{
  if (yes && check_yes(x, f, witness))
    x->all_stick =
        dls_proves(x, f, "forces in the cones hold all contacts, %s", dls_precision(x, f));
  else if (!yes && check_no(x, f, witness, decisive_for_sticking))
    x->not_all_stick =
        dls_proves(x, f, "no forces hold all contacts: every combination of signs is empty, %s",
                   dls_precision(x, f));
}

// ---- the least coefficient ---------------------------------------------------------------------

typedef struct claim {
  double value, low, high;
  bool infinite;
} claim;

static bool read_claim(dls_trial *x, dls_finding *f, const json_t *limit, claim *c)
{
  c->infinite = dls_is_infinite(limit);
  if (!dls_read_limit(x, f, limit, "value", &c->value) ||
      !dls_read_limit(x, f, limit, "low", &c->low) ||
      !dls_read_limit(x, f, limit, "high", &c->high))
    return false;
  if (c->infinite && !isnan(c->value)) return dls_fails(x, f, "a number cannot be infinite");
  if (c->infinite && !isnan(c->low) && c->low != infinite_friction)
    return dls_fails(x, f, "what is infinite is shown at %.9g, not at %.9g", infinite_friction,
                     c->low);
  if (c->infinite || isnan(c->value)) return true;
  if (!(c->low <= c->value && c->value <= c->high))
    return dls_fails(x, f, "the value %.9g is not between low and high", c->value);
  if (c->value > 0 ? c->high - c->low > bracket_width * c->high : c->high > bracket_width)
    return dls_fails(x, f, "low and high are too far apart to tell the value %.9g", c->value);
  return true;
}

// More friction never hurts: what is proven with the coefficients of the model limits the least
// one.
static bool contradicts(dls_trial *x, dls_finding *f, const claim *c)
{
  const dls_data *d = &x->data;
  const double enough = isnan(c->high) ? c->value : c->high;
  const double little = isnan(c->low) ? c->value : c->low;
  double least = INFINITY, most = 0;
  for (int j = 0; j < d->m; j++) {
    if (dls_tangents_of(d, j) == 0 || d->sliding[j]) continue;
    least = fmin(least, dls_static_friction_of(d, j));
    most = fmax(most, dls_static_friction_of(d, j));
  }
  if (!(most >= least)) return false;
  if (x->not_all_stick && enough * (1 + half_bracket) < least)
    return !dls_fails(x, f, "%.9g cannot be enough: not all contacts stick with %.9g", enough,
                      least);
  if (x->all_stick && (c->infinite || little > most * (1 + half_bracket)))
    return !dls_fails(x, f, "all contacts stick with %.9g", most);
  return false;
}

// The witness, with one coefficient in the place of those of the contacts that do not slide.
static bool check_at(dls_trial *x, dls_finding *f, const json_t *witness, double mu, bool yes)
{
  const dls_data *d = &x->data;
  const double *given = d->mu, *given_s = d->mu_s;
  const bool rubs = d->rubs;
  double *common = dls_trial_alloc(x, d->m, sizeof *common);
  if (!common) return false;
  for (int j = 0; j < d->m; j++)
    common[j] = dls_tangents_of(d, j) > 0 && !d->sliding[j] ? mu / d->S[j] : given[j];
  x->data.mu = x->data.mu_s = common;
  x->data.rubs = false;
  for (int j = 0; j < d->m; j++) x->data.rubs |= dls_has_friction(d, j);
  const bool good = yes ? check_yes(x, f, witness) : check_no(x, f, witness, (double)DLS_DECISIVE);
  x->data.mu = given, x->data.mu_s = given_s, x->data.rubs = rubs;
  return good;
}

// Without rounding, with forces of up to so many times the loads.                  eq (chk.14)
static dls_exact sticks_at(dls_trial *x, double coefficient, double most)
{
  mpq_t mu;
  if (!isfinite(coefficient)) return DLS_EXACT_UNKNOWN;
  mpq_init(mu);
  mpq_set_d(mu, coefficient);
  const dls_exact sticks = dls_sticks(x, mu, most);
  mpq_clear(mu);
  return sticks;
}

// What leaves exclude up to some size is looked at without rounding: there are forces that are no
// larger than those of regular problems.
static bool holds_below(dls_trial *x, dls_finding *f, const claim *c)
{
  if (isnan(c->low) || sticks_at(x, c->low, beyond_regular) != DLS_EXACT_YES) return false;
  return !dls_fails(x, f, "%.9g is enough: exact forces hold all contacts", c->low);
}

// A bracket that the report has no proof of.
static void check_alone(dls_trial *x, dls_finding *f, const claim *c, bool lower, bool upper)
{
  const double low = c->infinite ? infinite_friction : c->low;
  const bool proven = (!upper || sticks_at(x, c->high, INFINITY) == DLS_EXACT_YES) &&
                      (!lower || sticks_at(x, low, INFINITY) == DLS_EXACT_NO);
  if (!proven) dls_leaves_open(x, f, "the report says itself that it has no proof");
  else if (!lower) dls_proves(x, f, "%.12g is enough, without rounding", c->high);
  else if (!upper) dls_proves(x, f, "%.12g is not enough, without rounding", low);
  else dls_proves(x, f, "%.12g is not enough, %.12g is, without rounding", low, c->high);
}

void dls_check_least(dls_trial *x, dls_finding *f, const json_t *limit)
{
  const json_t *above = json_object_get(limit, "high_witness");
  const json_t *below = json_object_get(limit, "low_witness");
  const bool claimed = !json_is_false(json_object_get(limit, "proven"));
  claim c;
  if (!read_claim(x, f, limit, &c) || contradicts(x, f, &c)) return;
  const bool known = !isnan(c.value), lower = c.low > 0 || (known && c.value > 0) || c.infinite;
  const bool upper = !isnan(c.high) || known;
  if (lower && holds_below(x, f, &c)) return;
  if (!lower && !upper) return;
  if (!claimed) check_alone(x, f, &c, lower, upper);
  else if (upper && (!above || !check_at(x, f, above, c.high, true)))
    dls_fails(x, f, "no forces are shown for %.9g", c.high);
  else if (lower && (!below || isnan(c.low) || !check_at(x, f, below, c.low, false)))
    dls_fails(x, f, "it is not shown that %.9g is not enough", c.low);
  else if (!upper) dls_proves(x, f, "%.12g is not enough, %s", c.low, dls_precision(x, f));
  else if (!lower) dls_proves(x, f, "%.3g is enough, %s", c.high, dls_precision(x, f));
  else dls_proves(x, f, "%.12g is not enough, %.12g is, %s", c.low, c.high, dls_precision(x, f));
  x->least_proven = known && f->found == DLS_FOUND_HOLDS;
}
