// Is the least coefficient of friction enough itself, or only what is larger?       eq (chk.14)
#include "verify/checks.h"
#include "verify/sticks.h"

#include <math.h>

typedef struct question {
  dls_trial *x;
  double value, high;
  mpq_t simple, mu;  // the simple fraction next to the value, and another coefficient
  bool has_simple;
} question;

// The first convergent of the value that is as near as rounding of a few operations.
static bool find_simple(double value, mpq_t simple)
{
  enum { MOST_DENOMINATOR = 10000, STEPS = 20 };
  double rest = value, p[2] = {0, 1}, q[2] = {1, 0};
  for (int k = 0; k < STEPS && isfinite(rest); k++) {
    const double whole = floor(rest), next_p = whole * p[1] + p[0], next_q = whole * q[1] + q[0];
    if (!(next_q <= MOST_DENOMINATOR) || !(next_p < largest_numerator)) return false;
    p[0] = p[1], p[1] = next_p, q[0] = q[1], q[1] = next_q;
    if (fabs(next_p / next_q - value) <= next_to_fraction * value) {
      mpq_set_ui(simple, (unsigned long)next_p, (unsigned long)next_q);
      mpq_canonicalize(simple);
      return true;
    }
    rest = 1 / (rest - whole);
  }
  return false;
}

// The fraction times 1 + side 2^-80, or 2^-80 where it is 0.
static dls_exact sticks_beside(question *q, int side)
{
  if (mpq_sgn(q->simple) == 0) {
    mpq_set_d(q->mu, beside_least);
  } else {
    mpq_set_d(q->mu, side * beside_least);
    mpq_mul(q->mu, q->mu, q->simple);
    mpq_add(q->mu, q->mu, q->simple);
  }
  return dls_sticks(q->x, q->mu, INFINITY);
}

// Forces that cannot cancel each other stay bounded, and the sets of those that hold the contacts
// shrink with the coefficient: they meet.
static bool is_compact(question *q)
{
  mpq_set_d(q->mu, q->high);
  return dls_squeezes(q->x, q->mu) == DLS_EXACT_NO;
}

// That has been proven by then.
static bool holds_without_friction(const question *q)
{
  return q->value == 0 && q->high == 0;
}

static void check_yes(question *q, dls_finding *f)
{
  if (holds_without_friction(q)) {
    dls_proves(q->x, f, "forces without friction are shown");
    return;
  }
  if (is_compact(q)) {
    dls_proves(q->x, f, "no forces cancel each other: the least coefficient is enough itself");
    return;
  }
  const dls_exact at = q->has_simple ? dls_sticks(q->x, q->simple, INFINITY) : DLS_EXACT_UNKNOWN;
  const bool lowest =
      at == DLS_EXACT_YES && (mpq_sgn(q->simple) == 0 || sticks_beside(q, -1) == DLS_EXACT_NO);
  if (lowest) dls_proves(q->x, f, "forces in the cones at the value itself, without rounding");
  else if (at == DLS_EXACT_NO && sticks_beside(q, 1) == DLS_EXACT_YES)
    dls_fails(q->x, f, "the value itself is not enough, what is larger by 1e-24 is");
  else dls_leaves_open(q->x, f, "whether the value itself is enough is at the edge of rounding");
}

// Forces that grow without end are large next to the value.
static bool is_moderate(question *q)
{
  if (!(q->value > 0) || q->high > q->value * (1 + next_to_least)) return false;
  mpq_set_d(q->mu, q->high);
  return dls_sticks(q->x, q->mu, moderate_forces) == DLS_EXACT_YES;
}

static void check_no(question *q, dls_finding *f)
{
  if (holds_without_friction(q)) {
    dls_fails(q->x, f, "forces without friction are shown");
    return;
  }
  const dls_exact at = q->has_simple ? dls_sticks(q->x, q->simple, INFINITY) : DLS_EXACT_UNKNOWN;
  if (at == DLS_EXACT_NO && sticks_beside(q, 1) == DLS_EXACT_YES)
    dls_proves(q->x, f, "no forces at the value itself, but when it is larger by 1e-24");
  else if (at == DLS_EXACT_YES && (mpq_sgn(q->simple) == 0 || sticks_beside(q, -1) == DLS_EXACT_NO))
    dls_fails(q->x, f, "the value itself is enough");
  else if (is_compact(q))
    dls_fails(q->x, f, "no forces cancel each other: the value itself is enough");
  else if (is_moderate(q))
    dls_fails(q->x, f, "forces of the size of the loads hold the contacts next to the value");
  else dls_leaves_open(q->x, f, "whether the value itself is enough is at the edge of rounding");
}

void dls_check_attained(dls_trial *x, dls_finding *f, const json_t *limit)
{
  const json_t *attained = json_object_get(limit, "attained");
  question q = {.x = x,
                .value = json_number_value(json_object_get(limit, "value")),
                .high = json_number_value(json_object_get(limit, "high"))};
  if (json_is_null(attained)) return;
  if (!json_is_boolean(attained)) {
    dls_fails(x, f, "it is neither true nor false");
    return;
  }
  if (!x->least_proven || !isfinite(q.value) || !isfinite(q.high)) {
    dls_leaves_open(x, f, "the least coefficient is not proven");
    return;
  }
  mpq_inits(q.simple, q.mu, NULL);
  q.has_simple = find_simple(q.value, q.simple);
  if (json_is_true(attained)) check_yes(&q, f);
  else check_no(&q, f);
  mpq_clears(q.simple, q.mu, NULL);
}
