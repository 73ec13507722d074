#include "verify/claim_modes.h"

#include "base/memory.h"
#include "verify/checks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- what contacts can do ----------------------------------------------------------------------

dls_modes dls_friction_modes(const dls_data *d, int j, dls_mode_scope scope)
{
  const bool planar = dls_tangents_of(d, j) == 1, stick = scope == DLS_SCOPE_STICK;
  dls_modes closed = DLS_STICK | (planar ? DLS_PLUS | DLS_MINUS : DLS_SLIDE);
  if (d->sliding[j]) closed = DLS_SLIDE;
  else if (stick) closed = DLS_STICK;
  if (dls_is_bilateral(d, j)) return closed | closed << DLS_PULL_SHIFT;
  return stick ? closed : closed | DLS_DETACH;
}

static dls_modes modes_without_friction(const dls_data *d, int j, dls_mode_scope scope)
{
  return dls_is_bilateral(d, j) || scope == DLS_SCOPE_STICK ? DLS_CLOSED : DLS_CLOSED | DLS_DETACH;
}

// A contact with slips whose coefficient is 0 is frictionless, but sticking is more than that.
dls_modes dls_possible_modes(const dls_data *d, int j, dls_mode_scope scope)
{
  const bool held = scope == DLS_SCOPE_STICK && dls_tangents_of(d, j) > 0 && !d->sliding[j];
  return dls_has_friction(d, j) || held ? dls_friction_modes(d, j, scope)
                                        : modes_without_friction(d, j, scope);
}

dls_modes dls_mode_of_name(const char *name)
{
  static const struct {
    const char *name;
    dls_modes mode;
  } known[] = {{"detach", DLS_DETACH}, {"closed", DLS_CLOSED}, {"stick", DLS_STICK},
               {"slide", DLS_SLIDE},   {"slide+", DLS_PLUS},   {"slide-", DLS_MINUS}};
  for (ptrdiff_t k = 0; k < dls_count_of(known); k++) {
    const size_t length = strlen(known[k].name);
    const dls_modes pulling = known[k].mode << DLS_PULL_SHIFT;
    if (strncmp(name, known[k].name, length) != 0) continue;
    if (!name[length]) return known[k].mode;
    if (strcmp(name + length, " pulling") == 0) return pulling;
    if (strcmp(name + length, " either") == 0) return known[k].mode | pulling;
  }
  return 0;
}

// ---- an empty leaf -----------------------------------------------------------------------------

// The multipliers of one contact: alpha_i a + sigma_i s + lambda p + tau t >= 0 is asked for.
typedef struct duals {
  dls_interval p, t[2];
  double alpha, sigma[2];
  double mu, mu_s, xi[2];
  int tangents;
  bool bilateral, sliding;
} duals;

typedef struct violation {
  double force, acceleration;  // what multiplies forces, and accelerations
} violation;

// p - mu |t|, p - mu xi t ...: what a force of unit size contributes at least. pulling: the force
// is negative.
static dls_interval contribution(const duals *c, dls_modes mode, bool pulling)
{
  const dls_interval mu = dls_exactly(mode == DLS_STICK ? c->mu_s : c->mu);
  const dls_interval sign = dls_exactly(pulling ? -1 : 1);
  const dls_interval p = dls_interval_mul(sign, c->p);
  dls_interval along = dls_interval_length(c->t[0], c->t[1]);  // the worst direction
  if (mode == DLS_CLOSED) return p;
  if (mode == DLS_PLUS) along = c->t[0];
  if (mode == DLS_MINUS) along = dls_interval_mul(dls_exactly(-1), c->t[0]);
  if (mode == DLS_SLIDE && c->sliding)
    along = dls_interval_add(dls_interval_mul(dls_exactly(c->xi[0]), c->t[0]),
                             dls_interval_mul(dls_exactly(c->xi[1]), c->t[1]));
  return dls_interval_sub(p, dls_interval_mul(mu, along));
}

// How much the worst of what one mode allows falls short of >= 0.              eq (fri.4)
static violation mode_violation(const duals *c, dls_modes bit)
{
  const bool pulling = bit >= 1u << DLS_PULL_SHIFT;
  const dls_modes mode = pulling ? bit >> DLS_PULL_SHIFT : bit;
  const double sigma = fmax(fabs(c->sigma[0]), fabs(c->sigma[1]));
  violation v = {0};
  if (mode == DLS_DETACH) {
    v.acceleration = fmax(fmax(0, -c->alpha), sigma);
    return v;
  }
  if (mode == DLS_PLUS) v.acceleration = fmax(0, -c->sigma[0]);
  else if (mode == DLS_MINUS) v.acceleration = fmax(0, c->sigma[0]);
  else if (mode != DLS_STICK) v.acceleration = sigma;
  if (mode == DLS_CLOSED && c->bilateral) {
    v.force = dls_interval_abs(c->p).high;
    return v;
  }
  v.force = dls_interval_below(contribution(c, mode, pulling));
  // where p and t both give way, lambda and tau count up to the same size
  double way = dls_quotient(v.force, 1 + (mode == DLS_STICK ? c->mu_s : c->mu));
  if (mode == DLS_STICK || (mode == DLS_SLIDE && !c->sliding))
    way = dls_larger(way, dls_interval_below(contribution(c, DLS_CLOSED, pulling)));
  if (mode != DLS_CLOSED && 2 * way < v.force) v.force = 2 * way;
  return v;
}

static violation worst_violation(const duals *c, dls_modes modes)
{
  violation worst = {0};
  for (dls_modes bit = 1; bit && bit <= modes; bit <<= 1) {
    if (!(modes & bit)) continue;
    const violation v = mode_violation(c, bit);
    dls_raise(&worst.force, v.force);
    dls_raise(&worst.acceleration, v.acceleration);
  }
  return worst;
}

static duals duals_of(dls_trial *x, int j, const dls_leaf_claim *leaf)
{
  const dls_data *d = &x->data;
  const dls_interval unit = dls_exactly(d->C[j]);
  duals c = {.alpha = leaf->alpha[j] / d->C[j],
             .mu = d->mu[j],
             .mu_s = d->mu_s[j],
             .tangents = dls_tangents_of(d, j),
             .bilateral = dls_is_bilateral(d, j),
             .sliding = d->sliding[j]};
  c.p = dls_interval_mul(unit, dls_column_times(x, 0, d->g[j], leaf->d, NULL));
  for (int k = 0; k < c.tangents; k++) {
    const int s = d->first[j] + k;
    c.t[k] = dls_interval_mul(unit, dls_column_times(x, 0, dls_slip_column(d, s), leaf->d, NULL));
    c.sigma[k] = leaf->sigma[s] / d->C[j];
    c.xi[k] = d->xi[s];
  }
  return c;
}

// What is summed up over a part.
typedef struct part_sum {
  double size_d, size_a;       // largest of d and of (alpha, sigma), scaled
  double force, acceleration;  // loads: largest of F and b, scaled
  double largest;              // violation
  double of_forces, of_accelerations;
  mpfi_t value;
} part_sum;

static void add_coordinates(dls_trial *x, const dls_leaf_claim *leaf, part_sum *sum)
{
  const dls_data *d = &x->data;
  for (int i = 0; i < d->n; i++) {
    part_sum *s = &sum[d->coordinate_part[i]];
    const dls_enclosed_row row = dls_step_kkt_row(x, i, 0, leaf->d, 1, leaf->alpha, leaf->sigma);
    const double error = dls_magnitude(row.value, d->D[i]);
    dls_raise(&s->largest, error);
    s->of_accelerations = dls_add_up(s->of_accelerations, error);
    dls_raise(&s->size_d, fabs(leaf->d[i]) / d->D[i]);
    dls_raise(&s->force, fabs(d->F[i]) * d->D[i]);
    dls_sum_start(&x->sum, 0);
    dls_sum_add(&x->sum, leaf->d[i], d->F[i]);
    mpfi_add(s->value, s->value, x->sum.value);
  }
}

static void add_contacts(dls_trial *x, const dls_leaf_claim *leaf, part_sum *sum)
{
  const dls_data *d = &x->data;
  for (int j = 0; j < d->m; j++) {
    part_sum *s = &sum[d->contact_part[j]];
    const duals c = duals_of(x, j, leaf);
    const violation v = worst_violation(&c, leaf->mode[j]);
    dls_raise(&s->largest, dls_larger(v.force, v.acceleration));
    s->of_forces = dls_add_up(s->of_forces, v.force);
    s->of_accelerations = dls_add_up(s->of_accelerations, v.acceleration);
    dls_raise(&s->size_a, fabs(c.alpha));
    dls_raise(&s->acceleration, fabs(d->b[j]) * d->C[j]);
    dls_sum_start(&x->sum, 0);
    dls_sum_add(&x->sum, leaf->alpha[j], d->b[j]);
    for (int k = d->first[j]; k < d->first[j + 1]; k++) {
      dls_raise(&s->size_a, fabs(leaf->sigma[k]) / d->C[j]);
      if (dls_slip_counts(d, j)) dls_raise(&s->acceleration, fabs(d->b_t[k]) * d->C[j]);
      dls_sum_add(&x->sum, leaf->sigma[k], d->b_t[k]);
    }
    mpfi_add(s->value, s->value, x->sum.value);
  }
}

// How many times the loads a solution would have to be, at least; 0 when the part shows nothing.
static double excluded(const dls_data *d, int p, const part_sum *s, double tolerance)
{
  const double size = dls_larger(s->size_d, s->size_a);
  const double residual = size > 0 ? dls_quotient(s->largest, size) : INFINITY;
  if (!(residual <= tolerance)) return 0;
  // where there is mass, forces and accelerations have the same unit
  const double load = dls_larger(s->force, s->acceleration);
  const double force = d->massive[p] ? load : s->force;
  const double acceleration = d->massive[p] ? load : s->acceleration;
  const double value = -dls_interval_of(s->value).high;
  if (!(value > d->noise * (s->size_d * force + s->size_a * acceleration))) return 0;
  return value / (s->of_forces * force + s->of_accelerations * acceleration);
}

bool dls_check_empty(dls_trial *x, dls_finding *f, const dls_leaf_claim *leaf, const char *what)
{
  const dls_data *d = &x->data;
  part_sum *sum = dls_trial_alloc(x, d->parts, sizeof *sum);
  if (!sum) return false;
  for (int p = 0; p < d->parts; p++) dls_mpfi_init(sum[p].value);
  add_coordinates(x, leaf, sum);
  add_contacts(x, leaf, sum);
  double best = 0, residual = INFINITY, largest = 0, all = 0;
  for (int p = 0; p < d->parts; p++) {
    const part_sum *s = &sum[p];
    const double z = excluded(d, p, s, x->tolerance), size = dls_larger(s->size_d, s->size_a);
    const double violated = size > 0 ? dls_quotient(s->largest, size) : INFINITY;
    dls_raise(&largest, s->largest), dls_raise(&all, size);
    if (z > best || (best == 0 && violated < residual)) residual = violated;
    if (z > best) best = z;
  }
  for (int p = 0; p < d->parts; p++) mpfi_clear(sum[p].value);
  // the other parts may hold rounding, but nothing else
  residual = dls_larger(residual, dls_quotient(largest, all));
  const double decisive = x->decisive > 0 ? x->decisive : DLS_DECISIVE;
  x->excluded = best;
  if (residual <= x->tolerance && best >= decisive) {
    f->residual = isnan(f->residual) ? residual : dls_larger(f->residual, residual);
    f->limit = x->tolerance;
    return true;
  }
  if (!(residual <= x->tolerance)) return dls_within(x, f, residual, what);
  if (best >= (x->others ? 1 : nearly_decisive * decisive))
    return dls_leaves_open(x, f, "a proof excludes solutions of up to %.2g times the loads only",
                           best);
  return dls_fails(x, f,
                   "%s: the strict inequality does not hold beyond rounding (%.3g times the "
                   "loads, limit %g)",
                   what, best, decisive);
}

void dls_check_farkas(dls_trial *x, dls_finding *f, const json_t *witness, bool bilateral)
{
  const dls_data *d = &x->data;
  const double *lambda = dls_read_contacts(x, f, witness, "lambda_b", "lambda_u");
  const double *zero = dls_trial_alloc(x, ((ptrdiff_t)d->n + d->tangents), sizeof *zero);
  dls_modes *mode = dls_trial_alloc(x, d->m, sizeof *mode);
  if (!lambda || !zero || !mode) return;
  for (int j = 0; j < d->m; j++) {
    mode[j] = dls_possible_modes(d, j, DLS_SCOPE_ALL);
    if (bilateral && !dls_is_bilateral(d, j) && lambda[j] != 0) {
      dls_fails(x, f, "lambda_u has no place in this witness");
      return;
    }
  }
  const dls_leaf_claim leaf = {mode, zero, lambda, zero};
  if (dls_check_empty(x, f, &leaf, "the combination does not contradict"))
    dls_proves(x, f, "the constraints contradict each other: G lambda = 0 %s, b^T lambda < 0",
               dls_precision(x, f));
}
