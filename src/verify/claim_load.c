// Sliding friction: is the solution unique for every load, and up to which coefficient?  eq (chk.8)
#include "verify/determinants.h"

#include <math.h>
#include <string.h>

// ---- unique_for_every_load ---------------------------------------------------------------------

// The choice that a witness names: a sign per bilateral contact, the unilateral ones that are
// closed.
static bool read_choice(const dls_determinants *s, dls_finding *f, const json_t *witness,
                        const char *sign_key, const char *closed_key, bool *second)
{
  dls_trial *x = s->x;
  const dls_data *d = &x->data;
  double *sign = dls_trial_alloc(x, d->m, sizeof *sign);
  int *closed = dls_trial_alloc(x, d->m, sizeof *closed), count = 0;
  const char *const *names = d->contact_name;
  const json_t *signs = json_object_get(witness, sign_key);
  if (!sign || !closed) return false;
  for (int j = 0; j < d->m; j++) sign[j] = 1;
  if (signs && !dls_read_named(x, f, signs, sign_key, names, d->m_b, sign)) return false;
  if (dls_has(witness, closed_key))
    count = dls_read_set(x, f, witness, closed_key, names + d->m_b, d->m - d->m_b, closed);
  if (!signs && !dls_has(witness, closed_key))
    return dls_fails(x, f, "the witness is incomplete: neither %s nor %s", sign_key, closed_key);
  for (int c = 0; c < s->contacts && count >= 0; c++) {
    const int j = s->contact[c];
    if (dls_is_bilateral(d, j) && fabs(sign[j]) != 1)
      return dls_fails(x, f, "%s.%.60s is neither 1 nor -1", sign_key, d->contact_name[j]);
    second[c] = dls_is_bilateral(d, j) && sign[j] < 0;
    for (int k = 0; k < count; k++) second[c] |= closed[k] + d->m_b == j;
  }
  return count >= 0;
}

static void check_lost(const dls_determinants *s, dls_finding *f, const json_t *witness)
{
  dls_trial *x = s->x;
  bool *first = dls_trial_alloc(x, s->contacts, sizeof *first);
  bool *other = dls_trial_alloc(x, s->contacts, sizeof *other);
  if (!first || !other || !read_choice(s, f, witness, "signs", "closed", first) ||
      !read_choice(s, f, witness, "other_signs", "other_closed", other))
    return;
  const int a = dls_determinants_sign(s, first, x->tolerance);
  const int b = dls_determinants_sign(s, other, x->tolerance);
  if (a == 0 || b == 0) dls_proves(x, f, "a determinant is zero, up to the tolerance");
  else if (a != b) dls_proves(x, f, "the two determinants have opposite signs");
  else dls_fails(x, f, "the two determinants have the same sign");
}

void dls_check_every_load(dls_trial *x, dls_finding *f, const json_t *witness, bool yes)
{
  dls_determinants s;
  if (!dls_determinants_create(x, f, false, &s)) return;
  if (!yes) {
    check_lost(&s, f, witness);
    return;
  }
  if (!dls_determinants_few(&s, f)) return;
  switch (dls_determinants_beyond(&s)) {
  case DLS_DETERMINANTS_POSITIVE:
    if (dls_all_stay_independent(x, f))
      dls_proves(x, f, "all 2^%d determinants have one sign: recursion in intervals", s.contacts);
    break;
  case DLS_DETERMINANTS_NOT: dls_fails(x, f, "determinants of both signs exist"); break;
  case DLS_DETERMINANTS_UNKNOWN: dls_fails(x, f, "a determinant is zero, up to rounding"); break;
  }
}

// ---- limits ------------------------------------------------------------------------------------

// The property for every coefficient from low to high: the interval as it is, halved where that
// is too coarse. budget: how many more tests.
static bool holds_between(dls_determinants *s, double low, double high, long *budget)
{
  if (--*budget < 0) return false;
  mpfi_interv_d(s->mu, low, high);
  if (dls_determinants_quick(s) == DLS_DETERMINANTS_POSITIVE) return true;
  const double middle = low + (high - low) / 2;
  if (!(low < middle && middle < high)) return false;
  return holds_between(s, low, middle, budget) && holds_between(s, middle, high, budget);
}

static dls_determinant_signs test_at(dls_determinants *s, double mu)
{
  mpfi_set_d(s->mu, mu);
  return dls_determinants_test(s);
}

// The number of that key; NaN when it is null or absent, false after dls_fails when it is no
// number.
bool dls_read_limit(dls_trial *x, dls_finding *f, const json_t *limit, const char *key,
                    double *value)
{
  const json_t *number = json_object_get(limit, key);
  *value = (double)NAN;
  if (!number || json_is_null(number)) return true;
  if (!json_is_number(number) || !(json_number_value(number) >= 0))
    return dls_fails(x, f, "%s is not a number >= 0", key);
  *value = json_number_value(number);
  return true;
}

static void prove_below(dls_determinants *s, dls_finding *f, double mu, double lost_at)
{
  // a test takes 2^contacts steps
  long budget = s->contacts < 5 ? 8192 : 262144L >> s->contacts;
  const dls_determinant_signs at = test_at(s, mu);
  if (at != DLS_DETERMINANTS_POSITIVE && dls_determinants_lost(s)) {
    dls_fails(s->x, f, "the determinants do not have one sign at %.9g", mu);
    return;
  }
  if (at != DLS_DETERMINANTS_POSITIVE) {
    dls_leaves_open(s->x, f, "a determinant is zero, up to rounding, at %.9g", mu);
    return;
  }
  const bool all = holds_between(s, 0, mu, &budget);
  if (isnan(lost_at))
    dls_proves(s->x, f, "unique for every load %s %.12g", all ? "up to" : "at", mu);
  else
    dls_proves(s->x, f, "unique for every load %s %.12g, not at %.12g", all ? "up to" : "at", mu,
               lost_at);
}

// With all contacts closed.
static bool depends_when_closed(const dls_determinants *s)
{
  bool *second = dls_trial_alloc(s->x, s->contacts, sizeof *second);
  for (int k = 0; second && k < s->contacts; k++)
    second[k] = !dls_is_bilateral(&s->x->data, s->contact[k]);
  return second && dls_determinants_sign(s, second, s->x->tolerance) == 0;
}

// Lost without friction: a determinant is zero or of the other sign where the coefficient is 0.
static void check_lost_at_once(dls_determinants *s, dls_finding *f)
{
  s->noise = s->x->data.noise;
  mpfi_set_si(s->mu, 0);
  switch (dls_determinants_test(s)) {
  case DLS_DETERMINANTS_NOT:
    dls_proves(s->x, f, "not unique for every load without friction");
    break;
  case DLS_DETERMINANTS_UNKNOWN:
    dls_proves(s->x, f, "a determinant is zero, up to rounding, without friction");
    break;
  case DLS_DETERMINANTS_POSITIVE:
    if (depends_when_closed(s))
      dls_proves(s->x, f, "a determinant is zero, up to the tolerance, without friction");
    else dls_fails(s->x, f, "unique for every load without friction");
    break;
  }
}

// Those that are given, where the value is not.
static void check_bounds(dls_determinants *s, dls_finding *f, double low, double high)
{
  const dls_determinant_signs above = isnan(high) ? DLS_DETERMINANTS_NOT : test_at(s, high);
  if (above == DLS_DETERMINANTS_POSITIVE && dls_determinants_nonzero(s))
    dls_fails(s->x, f, "determinants of both signs are not found at %.9g", high);
  else if (above != DLS_DETERMINANTS_NOT && !dls_determinants_lost(s))
    dls_leaves_open(s->x, f, "a determinant is zero, up to rounding, at %.9g", high);
  else if (!isnan(low)) prove_below(s, f, low, high);
  else dls_proves(s->x, f, "not unique for every load at %.12g", high);
}

static void check_bracket(dls_determinants *s, dls_finding *f, double value, double low,
                          double high)
{
  if (isnan(low) || isnan(high))
    low = value * (1 - half_bracket), high = value * (1 + half_bracket);
  if (!(low <= value && value <= high)) {
    dls_fails(s->x, f, "the value %.9g is not between %.9g and %.9g", value, low, high);
    return;
  }
  if (value == 0) check_lost_at_once(s, f);
  else check_bounds(s, f, low, high);
  if (f->found == DLS_FOUND_HOLDS && high - low > bracket_width * high)
    dls_leaves_open(s->x, f, "the value lies between %.9g and %.9g, no more is shown", low, high);
}

bool dls_is_infinite(const json_t *limit)
{
  const char *reason = json_string_value(json_object_get(limit, "reason"));
  return reason && strncmp(reason, "infinite", 8) == 0;
}

void dls_check_critical(dls_trial *x, dls_finding *f, const json_t *limit)
{
  double value, low, high;
  dls_determinants s;
  if (!dls_read_limit(x, f, limit, "value", &value) || !dls_read_limit(x, f, limit, "low", &low) ||
      !dls_read_limit(x, f, limit, "high", &high))
    return;
  const bool infinite = dls_is_infinite(limit), bounded = !isnan(low) || !isnan(high);
  if (infinite && (!isnan(value) || bounded)) {
    dls_fails(x, f, "what is infinite has no value and no bounds");
    return;
  }
  if ((isnan(value) && !infinite && !bounded) || !dls_determinants_create(x, f, true, &s)) return;
  if (value == 0 && !bounded && dls_determinants_redundant(&s, NULL)) {
    dls_proves(x, f, "more contacts than coordinates: not unique without friction");
    return;
  }
  if (!dls_determinants_few(&s, f)) return;
  dls_mpfi_init(s.mu);
  if (infinite) prove_below(&s, f, infinite_friction, (double)NAN);
  else if (isnan(value)) check_bounds(&s, f, low, high);
  else check_bracket(&s, f, value, low, high);
  mpfi_clear(s.mu);
}

void dls_check_sufficient(dls_trial *x, dls_finding *f, const json_t *limit)
{
  double value;
  dls_determinants s;
  if (!dls_read_limit(x, f, limit, "value", &value)) return;
  const bool infinite = isnan(value) && dls_is_infinite(limit);
  if ((isnan(value) && !infinite) || value == 0) return;
  if (!dls_determinants_create(x, f, true, &s) || !dls_determinants_few(&s, f)) return;
  dls_mpfi_init(s.mu);
  // the bound itself is open
  prove_below(&s, f, infinite ? infinite_friction : (1 - half_bracket) * value, (double)NAN);
  mpfi_clear(s.mu);
}
