// Closure of an object, and the solvability of a time step.     eq (clo.1) to (clo.3), (stp.1)
#include "verify/checks.h"
#include "verify/signs.h"

#include <math.h>
#include <string.h>

// The trial looks at the object alone while its closure is checked.
typedef struct closure {
  dls_data whole;
  int *row;      // n of the object: coordinates of the whole
  int *contact;  // m of the object: contacts of the whole
} closure;

// The object that the report names, or the first one of the model.
static int find_object(dls_trial *x, dls_finding *f)
{
  const char *name = json_string_value(json_object_get(x->saved->root, "object"));
  const int count = x->model ? dls_model_object_count(x->model) : 0;
  for (int i = 0; i < count; i++)
    if (!name || strcmp(name, dls_model_object_name(x->model, i)) == 0) return i;
  if (name) dls_fails(x, f, "the model has no object %.60s", name);
  else dls_fails(x, f, "the model has no object");
  return -1;
}

static bool begin(dls_trial *x, dls_finding *f, closure *c)
{
  const int *coordinates, object = find_object(x, f);
  if (object < 0) return false;
  const int count = dls_model_object_coordinates(x->model, object, &coordinates);
  c->whole = x->data;
  c->row = dls_trial_alloc(x, count, sizeof *c->row);
  if (!c->row) return false;
  for (int i = 0; i < count; i++) c->row[i] = coordinates[i];
  dls_data part;
  if (dls_data_object(&c->whole, c->row, count, x->arena, &part, &c->contact) != DLS_OK) {
    x->out_of_memory = true;
    return false;
  }
  x->data = part;
  return true;
}

static void end(dls_trial *x, const closure *c)
{
  x->data = c->whole;
}

// A vector of the whole on the object's coordinates, contacts, slips.
static double *on_rows(dls_trial *x, const closure *c, const double *whole)
{
  double *part = whole ? dls_trial_alloc(x, x->data.n, sizeof *part) : NULL;
  for (int i = 0; part && i < x->data.n; i++) part[i] = whole[c->row[i]];
  return part;
}

static double *on_contacts(dls_trial *x, const closure *c, const double *whole)
{
  double *part = whole ? dls_trial_alloc(x, x->data.m, sizeof *part) : NULL;
  for (int j = 0; part && j < x->data.m; j++) part[j] = whole[c->contact[j]];
  return part;
}

static double *on_tangents(dls_trial *x, const closure *c, const double *whole)
{
  const dls_data *d = &x->data;
  double *part = whole ? dls_trial_alloc(x, d->tangents, sizeof *part) : NULL;
  for (int j = 0; part && j < d->m; j++)
    for (int k = 0; k < dls_tangents_of(d, j); k++)
      part[d->first[j] + k] = whole[c->whole.first[c->contact[j]] + k];
  return part;
}

// ---- what the two closures share ---------------------------------------------------------------

// Forces that cancel: G lambda + H tau = 0 in every part, relative to their size there.
static bool check_cancel(dls_trial *x, dls_finding *f, const double *lambda, const double *tau,
                         double *size)
{
  const dls_data *d = &x->data;
  double *error = dls_trial_alloc(x, d->parts, sizeof *error), residual = 0;
  if (!error) return false;
  for (int j = 0; j < d->m; j++) {
    dls_raise(&size[d->contact_part[j]], fabs(lambda[j]) / d->C[j]);
    for (int k = d->first[j]; tau && k < d->first[j + 1]; k++)
      dls_raise(&size[d->contact_part[j]], fabs(tau[k]) / d->C[j]);
  }
  for (int i = 0; i < d->n; i++) {
    const dls_enclosed_row row = dls_step_kkt_row(x, i, 0, NULL, 1, lambda, tau);
    dls_raise(&error[d->coordinate_part[i]], dls_magnitude(row.value, d->D[i]));
  }
  for (int p = 0; p < d->parts; p++) dls_raise(&residual, dls_quotient(error[p], size[p]));
  return dls_within(x, f, residual, "the forces do not cancel");
}

// A number that must be positive: beyond rounding, and beyond what the residual leaves open.
static bool is_clear(const dls_trial *x, const dls_finding *f, double low, double size)
{
  return low > fmax(x->data.noise, DLS_DECISIVE * f->residual) * size;
}

dls_interval dls_slip_length(dls_trial *x, int j, const double *v, bool imposed)
{
  const dls_data *d = &x->data;
  dls_interval t[2] = {{0, 0}, {0, 0}};
  for (int k = 0; k < dls_tangents_of(d, j); k++) {
    const int slip = d->first[j] + k;
    t[k] = dls_column_times(x, imposed ? d->w_t[slip] : 0, dls_slip_column(d, slip), v, NULL);
  }
  return dls_interval_length(t[0], t[1]);
}

// How far forces are from their cone, |tau| <= mu lambda, and velocities from the dual one,
// mu |slip| <= normal: both numbers give way.
static double outside(dls_interval normal, dls_interval tangential, double mu)
{
  const dls_interval room = dls_interval_sub(dls_interval_mul(dls_exactly(mu), normal), tangential);
  return dls_larger(dls_interval_below(normal), dls_quotient(dls_interval_below(room), 1 + mu));
}

static double outside_dual(dls_interval normal, dls_interval slip, double mu)
{
  const dls_interval room = dls_interval_sub(normal, dls_interval_mul(dls_exactly(mu), slip));
  return dls_larger(dls_interval_below(normal), dls_quotient(dls_interval_below(room), 1 + mu));
}

// A motion that no force resists: g^T v >= mu |H^T v| at unilateral contacts, 0 at bilateral ones.
static bool check_escape(dls_trial *x, dls_finding *f, const double *v, bool friction)
{
  const dls_data *d = &x->data;
  double *error = dls_trial_alloc(x, d->parts, sizeof *error);
  double *size = dls_trial_alloc(x, d->parts, sizeof *size);
  if (!error || !size || !v) return false;
  for (int i = 0; i < d->n; i++) dls_raise(&size[d->coordinate_part[i]], fabs(v[i]) / d->D[i]);
  for (int j = 0; j < d->m; j++) {
    double *worst = &error[d->contact_part[j]];
    const dls_interval normal = dls_column_times(x, 0, d->g[j], v, NULL);
    const dls_interval slip =
        friction && d->mu_s[j] > 0 ? dls_slip_length(x, j, v, false) : dls_exactly(0);
    if (dls_is_bilateral(d, j)) {
      dls_raise(worst, dls_magnitude(normal, d->C[j]));
      dls_raise(worst, dls_magnitude(slip, d->C[j]));
      continue;
    }
    dls_raise(worst, dls_mul_up(outside_dual(normal, slip, d->mu_s[j]), d->C[j]));
  }
  return dls_within(x, f, dls_best_part(d, error, size), "the contacts resist the direction");
}

// ---- form_closure ------------------------------------------------------------------------------

static bool check_form(dls_trial *x, dls_finding *f, const closure *c, const json_t *witness)
{
  const dls_data *d = &x->data, object = x->data;
  x->data = c->whole;  // the names are those of the whole
  const double *all = dls_read_contacts(x, f, witness, "lambda_b", "lambda_u");
  int *closed = dls_trial_alloc(x, c->whole.m, sizeof *closed), count = -1;
  const char *const *names = c->whole.contact_name;
  if (all && closed) count = dls_read_set(x, f, witness, "closed", names, c->whole.m, closed);
  x->data = object;
  const double *lambda = on_contacts(x, c, all);
  double *size = dls_trial_alloc(x, d->parts, sizeof *size);
  if (count < 0 || !lambda || !size || !check_cancel(x, f, lambda, NULL, size)) return false;
  if (count != d->n)
    return dls_fails(x, f, "%d contacts are named, the object has %d coordinates", count, d->n);
  for (int k = 0; k < count; k++) {
    int j = 0;
    while (j < d->m && c->contact[j] != closed[k]) j++;
    if (j == d->m)
      return dls_fails(x, f, "contact %.60s does not touch the object", names[closed[k]]);
    closed[k] = j;
    if (!dls_is_bilateral(d, j) && !is_clear(x, f, lambda[j] / d->C[j], size[d->contact_part[j]]))
      return dls_fails(x, f, "lambda_u is not positive at contact %.60s (%.3g)", d->contact_name[j],
                       lambda[j]);
  }
  for (int j = d->m_b; j < d->m; j++)
    if (lambda[j] < 0)
      return dls_fails(x, f, "lambda_u is negative at contact %.60s (%.3g)", d->contact_name[j],
                       lambda[j]);
  return dls_prove_independent(x, f, closed, count);
}

void dls_check_form_closure(dls_trial *x, dls_finding *f, const json_t *witness, bool yes)
{
  closure c;
  const double *direction = yes ? NULL : dls_read_coordinates(x, f, witness, "direction");
  if ((!yes && !direction) || !begin(x, f, &c)) return;
  if (yes && check_form(x, f, &c, witness))
    dls_proves(x, f, "positive forces cancel %s on independent contacts: elimination in intervals",
               dls_precision(x, f));
  else if (!yes && check_escape(x, f, on_rows(x, &c, direction), false))
    dls_proves(x, f, "the direction leaves the contacts, %s", dls_precision(x, f));
  end(x, &c);
}

// ---- force_closure -----------------------------------------------------------------------------

// All columns of contacts, G and H where friction takes part, as rows: full column rank then means
// that they span the object's motions.
static bool prove_span(dls_trial *x, dls_finding *f, const bool *rubs)
{
  const dls_data *d = &x->data;
  const ptrdiff_t n = d->n, most = ((ptrdiff_t)d->m + d->tangents);
  double *A = dls_trial_alloc(x, most * n, sizeof *A), *unit = dls_trial_alloc(x, most, sizeof *A);
  const double **row = dls_trial_alloc(x, most, sizeof *row);
  ptrdiff_t rows = 0;
  if (!A || !unit || !row) return false;
  for (int j = 0; j < d->m; j++) {
    unit[rows] = d->C[j], row[rows++] = d->g[j];
    for (int k = d->first[j]; rubs[j] && k < d->first[j + 1]; k++)
      unit[rows] = d->C[j], row[rows++] = dls_slip_column(d, k);
  }
  for (ptrdiff_t r = 0; r < rows; r++)
    for (ptrdiff_t i = 0; i < n; i++) A[r + rows * i] = row[r][i];
  const dls_scaled B = {(int)rows, d->n, A, unit, d->D};
  if (dls_has_rank(&B, d->noise)) return true;
  return dls_fails(x, f, "the contacts do not span the object's motions, beyond rounding");
}

// Strictly inside the cone, of the sign that it has; or, at a bilateral contact, without friction,
// which then takes no part, and of either sign.                                    eq (clo.3)
static bool check_inside(dls_trial *x, dls_finding *f, int j, const double *lambda,
                         const double *tau, double size, bool *rubs)
{
  const dls_data *d = &x->data;
  double t[2] = {0, 0};
  for (int k = 0; k < dls_tangents_of(d, j); k++) t[k] = tau[d->first[j] + k] / d->C[j];
  const double normal = lambda[j] / d->C[j];
  const dls_interval length = dls_interval_length(dls_exactly(t[0]), dls_exactly(t[1]));
  const bool bilateral = dls_is_bilateral(d, j);
  bool inside = length.high == 0;
  *rubs = false;
  if (d->mu_s[j] > 0) {
    const dls_interval room = dls_interval_sub(
        dls_interval_mul(dls_exactly(d->mu_s[j]), dls_exactly(bilateral ? fabs(normal) : normal)),
        length);
    *rubs = is_clear(x, f, room.low, size * d->mu_s[j]);
    inside = *rubs || (bilateral && length.high == 0);
  }
  if (!bilateral) inside &= is_clear(x, f, normal, size);
  return inside || dls_fails(x, f,
                             "the force of contact %.60s is not strictly inside its cone "
                             "(normal %.3g)",
                             d->contact_name[j], lambda[j]);
}

static bool check_grasp(dls_trial *x, dls_finding *f, const closure *c, const json_t *witness)
{
  const dls_data object = x->data, *d = &x->data;
  x->data = c->whole;
  const double *all = dls_read_contacts(x, f, witness, "lambda_b", "lambda_u");
  const double *tangents = all ? dls_read_tangents(x, f, witness, "tau") : NULL;
  x->data = object;
  const double *lambda = on_contacts(x, c, all), *tau = on_tangents(x, c, tangents);
  double *size = dls_trial_alloc(x, d->parts, sizeof *size);
  bool *rubs = dls_trial_alloc(x, d->m, sizeof *rubs);
  if (!lambda || !tau || !size || !rubs || !check_cancel(x, f, lambda, tau, size)) return false;
  for (int j = 0; j < d->m; j++)
    if (!check_inside(x, f, j, lambda, tau, size[d->contact_part[j]], &rubs[j])) return false;
  return prove_span(x, f, rubs);
}

// The direction of a leaf is in the dual cones, with the signs that it chooses, and the load goes
// along it.
static bool check_apart(dls_trial *x, dls_finding *f, const double *load, const double *v,
                        const double *sign)
{
  const dls_data *d = &x->data;
  double size = 0, pull = 0, error = 0;
  for (int i = 0; i < d->n; i++) {
    dls_raise(&size, fabs(v[i]) / d->D[i]);
    pull = dls_add_up(pull, fabs(load[i] * v[i]));
  }
  for (int j = 0; j < d->m; j++) {
    const dls_interval normal = dls_column_times(x, 0, d->g[j], v, NULL);
    const dls_interval slip = d->mu_s[j] > 0 ? dls_slip_length(x, j, v, false) : dls_exactly(0);
    if (sign[j] == 0 || (dls_is_bilateral(d, j) && d->mu_s[j] == 0)) {
      dls_raise(&error, dls_magnitude(normal, d->C[j]));
      dls_raise(&error, dls_magnitude(slip, d->C[j]));
    } else {
      const dls_interval pressed = dls_interval_mul(dls_exactly(sign[j]), normal);
      dls_raise(&error, dls_mul_up(outside_dual(pressed, slip, d->mu_s[j]), d->C[j]));
    }
  }
  if (!dls_within(x, f, dls_quotient(error, size), "a contact resists the direction of a leaf"))
    return false;
  dls_sum_start(&x->sum, 0);
  dls_sum_dot(&x->sum, d->n, load, 1, v);
  return is_clear(x, f, dls_sum_value(&x->sum).low, pull) ||
         dls_fails(x, f, "the load does not go along the direction of a leaf");
}

// A load outside the cones of all choices of signs.                                  eq (clo.3)
static void check_unbalanced(dls_trial *x, dls_finding *f, const json_t *witness)
{
  const json_t *leaves = json_object_get(witness, "leaves");
  const ptrdiff_t count = dls_json_length(leaves);
  const double *load = dls_read_coordinates(x, f, witness, "load");
  const double **v = dls_trial_alloc(x, count + 1, sizeof *v);
  dls_signs s;
  closure c;
  for (ptrdiff_t k = 0; load && v && k < count; k++) {
    v[k] = dls_read_coordinates(x, f, dls_json_item(leaves, k), "direction");
    if (!v[k]) return;
  }
  if (!load || !v || !begin(x, f, &c)) return;
  load = on_rows(x, &c, load);
  bool good = load && dls_signs_create(x, &s);
  for (ptrdiff_t k = 0; good && k < count; k++) {
    v[k] = on_rows(x, &c, v[k]);
    good = v[k] && dls_signs_read(x, f, dls_json_item(leaves, k), &s) &&
           check_apart(x, f, load, v[k], s.sign);
    if (good) dls_signs_cover(&x->data, &s);
  }
  if (good && !dls_signs_all(&s))
    dls_fails(x, f, "the leaves are not one for each choice of signs");
  else if (good)
    dls_proves(x, f, "no forces balance the load, whatever the signs of bilateral ones, %s",
               dls_precision(x, f));
  end(x, &c);
}

void dls_check_force_closure(dls_trial *x, dls_finding *f, const json_t *witness, bool yes)
{
  if (!yes && dls_has(witness, "load")) {
    check_unbalanced(x, f, witness);
    return;
  }
  closure c;
  const double *direction = yes ? NULL : dls_read_coordinates(x, f, witness, "direction");
  if ((!yes && !direction) || !begin(x, f, &c)) return;
  if (yes && check_grasp(x, f, &c, witness))
    dls_proves(x, f,
               "forces strictly inside the cones cancel %s; the contacts span all "
               "motions: elimination in intervals",
               dls_precision(x, f));
  else if (!yes && check_escape(x, f, on_rows(x, &c, direction), true))
    dls_proves(x, f, "no contact force resists the direction, %s", dls_precision(x, f));
  end(x, &c);
}

// ---- step_solvable -----------------------------------------------------------------------------

static void check_velocity(dls_trial *x, dls_finding *f, const json_t *witness)
{
  const dls_data *d = &x->data;
  const double *v = dls_read_coordinates(x, f, witness, "velocity");
  double *error = dls_trial_alloc(x, d->parts, sizeof *error), residual = 0;
  double *size = dls_trial_alloc(x, d->parts, sizeof *size), terms;
  bool strict = true;
  if (!v || !error || !size) return;
  for (int i = 0; i < d->n; i++) dls_raise(&size[d->coordinate_part[i]], fabs(v[i]) / d->D[i]);
  for (int j = 0; j < d->m; j++) {
    const int p = d->contact_part[j];
    const dls_interval normal = dls_column_times(x, d->w_n[j], d->g[j], v, &terms);
    dls_raise(&size[p], d->C[j] * terms);
    if (dls_is_bilateral(d, j)) {
      dls_raise(&error[p], dls_magnitude(normal, d->C[j]));
      continue;
    }
    const dls_interval slip = dls_slip_length(x, j, v, true);
    dls_raise(&error[p], dls_mul_up(outside_dual(normal, slip, d->mu[j]), d->C[j]));
    strict &= normal.low > dls_mul_up(d->mu[j], slip.high);
  }
  for (int p = 0; p < d->parts; p++) dls_raise(&residual, dls_quotient(error[p], size[p]));
  if (dls_within(x, f, residual, "the velocity is not in the dual cones"))
    dls_proves(x, f, "the velocity is %sin the dual cones, %s", strict ? "strictly " : "",
               dls_precision(x, f));
}

// How far the force of a contact is outside its cone; scaled.
static double outside_cone(const dls_data *d, int j, const double *lambda, const double *tau)
{
  double t[2] = {0, 0};
  for (int k = 0; k < dls_tangents_of(d, j); k++) t[k] = tau[d->first[j] + k] / d->C[j];
  const dls_interval length = dls_interval_length(dls_exactly(t[0]), dls_exactly(t[1]));
  const bool bilateral = dls_is_bilateral(d, j);
  if (bilateral && !dls_has_friction(d, j))
    return length.high;  // the dual asks nothing of its slip
  const double pressing = bilateral ? fabs(lambda[j]) : lambda[j];
  return outside(dls_exactly(pressing / d->C[j]), length, d->mu[j]);
}

typedef struct step_sum {
  double size, error, total, imposed;
  mpfi_t work;
} step_sum;

static void sum_up(dls_trial *x, const double *lambda, const double *tau, step_sum *sum)
{
  const dls_data *d = &x->data;
  for (int i = 0; i < d->n; i++) {
    step_sum *s = &sum[d->coordinate_part[i]];
    const dls_enclosed_row row = dls_step_kkt_row(x, i, 0, NULL, 1, lambda, tau);
    const double error = dls_magnitude(row.value, d->D[i]);
    dls_raise(&s->error, error);
    s->total = dls_add_up(s->total, error);
  }
  for (int j = 0; j < d->m; j++) {
    step_sum *s = &sum[d->contact_part[j]];
    const double error = outside_cone(d, j, lambda, tau);
    dls_raise(&s->error, error);
    s->total = dls_add_up(s->total, error);
    dls_raise(&s->size, fabs(lambda[j]) / d->C[j]);
    dls_raise(&s->imposed, fabs(d->w_n[j]) * d->C[j]);
    dls_sum_start(&x->sum, 0);
    dls_sum_add(&x->sum, lambda[j], d->w_n[j]);
    for (int k = d->first[j]; k < d->first[j + 1]; k++) {
      dls_raise(&s->size, fabs(tau[k]) / d->C[j]);
      dls_raise(&s->imposed, fabs(d->w_t[k]) * d->C[j]);
      dls_sum_add(&x->sum, tau[k], d->w_t[k]);
    }
    mpfi_add(s->work, s->work, x->sum.value);
  }
}

// Forces in the cones that cancel and on which the imposed velocities do negative work.
static void check_blocked(dls_trial *x, dls_finding *f, const json_t *witness)
{
  const dls_data *d = &x->data;
  const double *lambda = dls_read_contacts(x, f, witness, "lambda_b", "lambda_u");
  const double *tau = lambda ? dls_read_tangents(x, f, witness, "tau") : NULL;
  step_sum *sum = dls_trial_alloc(x, d->parts, sizeof *sum);
  double best = INFINITY, all = 0, largest = 0;
  bool works = false;
  if (!tau || !sum) return;
  for (int p = 0; p < d->parts; p++) dls_mpfi_init(sum[p].work);
  sum_up(x, lambda, tau, sum);
  for (int p = 0; p < d->parts; p++) {
    const step_sum *s = &sum[p];
    dls_raise(&all, s->size), dls_raise(&largest, s->error);
    const double work = -dls_interval_of(s->work).high;
    const double residual = s->size > 0 ? dls_quotient(s->error, s->size) : INFINITY;
    const bool clear =
        work > d->noise * s->size * s->imposed && work >= DLS_DECISIVE * s->total * s->imposed;
    if (clear >= works && residual < best) best = residual, works = clear;
    else if (clear && !works) best = residual, works = true;
  }
  for (int p = 0; p < d->parts; p++) mpfi_clear(sum[p].work);
  if (!dls_within(x, f, dls_larger(best, dls_quotient(largest, all)),
                  "the forces do not cancel inside their cones"))
    return;
  if (works)
    dls_proves(x, f,
               "no velocity suffices: forces in the cones cancel %s, and w^T r "
               "< 0",
               dls_precision(x, f));
  else dls_fails(x, f, "w^T r is not negative beyond rounding");
}

void dls_check_step(dls_trial *x, dls_finding *f, const json_t *witness, bool yes)
{
  const double *mu_s = x->data.mu_s;
  bool signs = false;
  x->data.mu_s = x->data.mu;  // what solves it with sliding friction does so with static friction
  for (int j = 0; j < x->data.m_b; j++) signs |= dls_has_friction(&x->data, j);
  if (yes && signs) dls_check_step_signs(x, f, json_object_get(witness, "leaves"));
  else if (yes) check_velocity(x, f, witness);
  else check_blocked(x, f, witness);
  x->data.mu_s = mu_s;
}
