// Existence and uniqueness.                                               eq (ver.6), (ver.7),
// (ver.8)
#include "verify/checks.h"
#include "verify/claim_modes.h"

#include <math.h>

// ---- acceleration_exists -----------------------------------------------------------------------

// A direction without inertia that the contacts leave open and the load pushes along.
static void check_pushed(dls_trial *x, dls_finding *f, const json_t *witness)
{
  const dls_data *d = &x->data;
  const double *direction = dls_read_coordinates(x, f, witness, "direction");
  const double *zero = dls_trial_alloc(x, ((ptrdiff_t)d->m + d->tangents), sizeof *zero);
  dls_modes *mode = dls_trial_alloc(x, d->m, sizeof *mode);
  if (!direction || !zero || !mode) return;
  for (int j = 0; j < d->m; j++) mode[j] = dls_possible_modes(d, j, DLS_SCOPE_ALL);
  const dls_leaf_claim leaf = {mode, direction, zero, zero};
  if (dls_check_empty(x, f, &leaf, "the direction does not show that none exists"))
    dls_proves(x, f, "no solution: M direction = 0 %s, nothing resists, F^T direction < 0",
               dls_precision(x, f));
}

static void check_none(dls_trial *x, dls_finding *f, const json_t *witness)
{
  if (dls_has(witness, "leaves")) {
    if (dls_check_leaves(x, f, witness, DLS_SCOPE_ALL, NULL, false))
      dls_proves(x, f, "no solution: every combination of modes is empty, %s", dls_precision(x, f));
  } else if (dls_has(witness, "direction")) {
    check_pushed(x, f, witness);
  } else {
    dls_check_farkas(x, f, witness, false);
  }
}

void dls_check_exists(dls_trial *x, dls_finding *f, const json_t *witness, bool yes)
{
  if (!yes) {
    check_none(x, f, witness);
    x->none = f->found == DLS_FOUND_HOLDS;
    return;
  }
  dls_trial_point point;
  if (!dls_read_point(x, f, witness, dls_point_keys, &point)) return;
  if (!dls_check_solves(x, f, &point, false, "the witness")) return;
  dls_proves_solution(x, f, &point, "the witness solves the contact problem");
  x->solved = true;  // to the tolerance
  x->solution = point;
}

// ---- two solutions -----------------------------------------------------------------------------

static double *minus(dls_trial *x, const double *a, const double *b, int count)
{
  double *difference = dls_trial_alloc(x, count, sizeof *difference);
  for (int i = 0; difference && i < count; i++) difference[i] = a[i] - b[i];
  return difference;
}

typedef struct two_points {
  double *z, *lambda, *tau;  // of the two
  double *size;              // by part: largest entry that counts, scaled
  double *relative;          // by part: over the size of the solutions
} two_points;

// Coordinates that nothing moves or holds: there is no size to compare with, in any unit.
static bool is_idle(const dls_data *d, int part)
{
  for (int j = 0; j < d->m; j++)
    if (d->contact_part[j] == part) return false;
  return !d->massive[part];
}

static bool measure_difference(dls_trial *x, const dls_trial_point *a, const dls_trial_point *b,
                               bool forces, two_points *out)
{
  const dls_data *d = &x->data;
  dls_sizes first, second;
  out->z = minus(x, a->z, b->z, d->n);
  out->lambda = minus(x, a->lambda, b->lambda, d->m);
  out->tau = minus(x, a->tau, b->tau, d->tangents);
  out->size = dls_trial_alloc(x, d->parts, sizeof(double));
  out->relative = dls_trial_alloc(x, d->parts, sizeof(double));
  if (!dls_measure_point(x, a, &first) || !dls_measure_point(x, b, &second) || x->out_of_memory)
    return false;
  for (int i = 0; i < d->n && !forces; i++) {
    const int p = d->coordinate_part[i];
    dls_raise(&out->size[p], fabs(out->z[i]) / d->D[i]);
    dls_raise(&first.acceleration[p], fmax(fabs(a->z[i]), fabs(b->z[i])) / d->D[i]);
  }
  for (int j = 0; j < d->m && forces; j++) {
    double *size = &out->size[d->contact_part[j]];
    dls_raise(size, fabs(out->lambda[j]) / d->C[j]);
    for (int k = d->first[j]; k < d->first[j + 1]; k++)
      dls_raise(size, fabs(out->tau[k]) / d->C[j]);
  }
  for (int p = 0; p < d->parts; p++) {
    const double one = forces ? first.force[p] : first.acceleration[p];
    const double other = forces ? second.force[p] : second.acceleration[p];
    out->relative[p] = out->size[p] > 0 ? out->size[p] / dls_larger(one, other) : 0;
    if (out->size[p] > 0 && is_idle(d, p)) out->relative[p] = 1;
  }
  return true;
}

// The difference is itself free: M dz = G dlambda + H dtau, relative to the difference, in a part
// where the two differ. Without friction this makes a line of solutions; two that solve only up to
// their tolerance do not.
static bool differs_freely(dls_trial *x, dls_finding *f, const two_points *difference)
{
  const dls_data *d = &x->data;
  double *error = dls_trial_alloc(x, d->parts, sizeof *error), best = INFINITY;
  if (!error) return false;
  for (int i = 0; i < d->n; i++) {
    const dls_enclosed_row row =
        dls_step_kkt_row(x, i, 0, difference->z, -1, difference->lambda, difference->tau);
    dls_raise(&error[d->coordinate_part[i]], dls_magnitude(row.value, d->D[i]));
  }
  for (int j = 0; j < d->m_b; j++)
    dls_raise(&error[d->contact_part[j]],
              dls_magnitude(dls_column_times(x, 0, d->g[j], difference->z, NULL), d->C[j]));
  for (int p = 0; p < d->parts; p++)
    if (difference->relative[p] > x->tolerance)
      best = fmin(best, dls_quotient(error[p], difference->size[p]));
  return dls_within(x, f, best, "the difference of the two is not free");
}

// The contact opens beyond rounding and carries nothing: its law holds without a tolerance.
static bool is_open(dls_trial *x, const dls_trial_point *point, dls_sizes *size, int contact)
{
  const dls_data *d = &x->data;
  bool idle = point->lambda[contact] == 0;
  for (int k = d->first[contact]; k < d->first[contact + 1]; k++) idle &= point->tau[k] == 0;
  const double zero = idle ? edge_of_opening * d->noise : x->tolerance;
  return dls_opens_by(x, point, size, contact) > zero;
}

// What is closed in both solutions is closed for their difference, too, relative to it: along
// nearly parallel gradients errors far below the tolerance make differences that are above it.
static bool keeps_closed(dls_trial *x, dls_finding *f, const dls_trial_point *a,
                         const dls_trial_point *b, const two_points *difference)
{
  const dls_data *d = &x->data;
  dls_sizes first, second;
  double *error = dls_trial_alloc(x, d->parts, sizeof *error), best = INFINITY;
  if (!error || !dls_measure_point(x, a, &first) || !dls_measure_point(x, b, &second)) return false;
  for (int j = 0; j < d->m; j++) {
    if (is_open(x, a, &first, j) || is_open(x, b, &second, j)) continue;
    const dls_interval moved = dls_column_times(x, 0, d->g[j], difference->z, NULL);
    dls_raise(&error[d->contact_part[j]], dls_magnitude(moved, d->C[j]));
  }
  for (int p = 0; p < d->parts; p++)
    if (difference->relative[p] > x->tolerance)
      best = fmin(best, dls_quotient(error[p], difference->size[p]));
  return best <= x->tolerance ||
         dls_fails(x, f,
                   "the difference of the two opens what is closed in both (%.3g, limit %.3g)",
                   best, x->tolerance);
}

// Is what the row gives at both points nothing to the tolerance of `size`, but not rounding beside
// dz, of which `apart` is the largest entry?
static bool moves(dls_trial *x, const double *row, double constant, double unit,
                  const dls_trial_point *a, const dls_trial_point *b, const two_points *difference,
                  double size, double apart)
{
  const dls_data *d = &x->data;
  const dls_interval at_a = dls_column_times(x, constant, row, a->z, NULL);
  const dls_interval at_b = dls_column_times(x, constant, row, b->z, NULL);
  const double larger = dls_larger(dls_interval_abs(at_a).high, dls_interval_abs(at_b).high);
  if (dls_mul_up(larger, unit) > x->tolerance * size) return false;
  const dls_interval moved = dls_column_times(x, 0, row, difference->z, NULL);
  double entry = 0;
  for (int i = 0; i < d->n; i++) dls_raise(&entry, fabs(row[i]) * d->D[i]);
  return dls_interval_abs(moved).low > edge_of_rounding * d->noise * entry * apart;
}

// Accelerations differ beyond rounding, while what rests in both moves in between: each is a
// solution of other data within rounding.                                             eq (num.1)
static bool of_other_data(dls_trial *x, const dls_trial_point *a, const dls_trial_point *b,
                          const two_points *difference)
{
  const dls_data *d = &x->data;
  dls_sizes first, second;
  double *apart = dls_trial_alloc(x, d->parts, sizeof *apart);
  if (!apart || !dls_measure_point(x, a, &first) || !dls_measure_point(x, b, &second)) return false;
  for (int i = 0; i < d->n; i++)
    dls_raise(&apart[d->coordinate_part[i]], fabs(difference->z[i]) / d->D[i]);
  for (int j = 0; j < d->m; j++) {
    const int p = d->contact_part[j];
    const double size = dls_larger(first.acceleration[p], second.acceleration[p]);
    const double whole = dls_larger(size, dls_larger(first.force[p], second.force[p]));
    if (!(apart[p] > edge_of_rounding * d->noise * whole)) continue;
    if (is_open(x, a, &first, j) || is_open(x, b, &second, j)) continue;
    if (moves(x, d->g[j], d->b[j], d->C[j], a, b, difference, size, apart[p])) return true;
    for (int k = d->first[j]; dls_has_friction(d, j) && !d->sliding[j] && k < d->first[j + 1]; k++)
      if (moves(x, dls_slip_column(d, k), d->b_t[k], d->C[j], a, b, difference, size, apart[p]))
        return true;
  }
  return false;
}

// With friction the two lie in different modes: either both are near exact solutions, or they
// differ by far more than they fail to solve.
static bool differs_clearly(dls_trial *x, dls_finding *f, const dls_trial_point *a,
                            const dls_trial_point *b, const two_points *difference, double relative)
{
  const double near_a = dls_exact_solution(x, a), near_b = dls_exact_solution(x, b);
  if (near_a + near_b < relative / 2) return true;
  if (!(relative > DLS_DECISIVE * f->residual))
    return dls_fails(x, f,
                     "the two differ by no more than their errors allow (%.3g, residual %.3g)",
                     relative, f->residual);
  return !of_other_data(x, a, b, difference) ||
         dls_leaves_open(x, f, "what rests in both moves between the two, beyond rounding");
}

static void check_two(dls_trial *x, dls_finding *f, const dls_trial_point *a,
                      const dls_trial_point *b, bool forces)
{
  two_points difference;
  double relative = 0;
  if (!dls_check_solves(x, f, a, false, "the first solution") ||
      !dls_check_solves(x, f, b, false, "the other solution") ||
      !measure_difference(x, a, b, forces, &difference))
    return;
  for (int p = 0; p < x->data.parts; p++) relative = fmax(relative, difference.relative[p]);
  if (relative > edge_of_rounding * x->data.noise && !(relative > x->tolerance)) {
    dls_leaves_open(x, f, "the two solutions differ by less than the tolerance (%.3g)", relative);
    return;
  }
  if (!(relative > x->tolerance)) {
    dls_fails(x, f, "the two solutions are the same (they differ by %.3g, limit %.3g)", relative,
              x->tolerance);
    return;
  }
  if (x->data.rubs && !forces && !keeps_closed(x, f, a, b, &difference)) return;
  if (x->data.rubs ? differs_clearly(x, f, a, b, &difference, relative)
                   : differs_freely(x, f, &difference))
    dls_proves(x, f, "two %s, both %s, differ by %.2g of their size",
               forces ? "sets of forces" : "accelerations", dls_precision(x, f), relative);
}

// The parts of a second solution; those that are absent are the first one's.
static bool read_other(dls_trial *x, dls_finding *f, const json_t *witness,
                       const dls_trial_point *first, dls_trial_point *other)
{
  *other = *first;
  if (dls_has(witness, "other")) other->z = dls_read_coordinates(x, f, witness, "other");
  if (dls_has(witness, "other_b") || dls_has(witness, "other_u"))
    other->lambda = dls_read_contacts(x, f, witness, "other_b", "other_u");
  if (dls_has(witness, "other_tau")) other->tau = dls_read_tangents(x, f, witness, "other_tau");
  return other->z && other->lambda && other->tau;
}

// ---- acceleration_unique -----------------------------------------------------------------------

// The solution that uniqueness is about: the witness's own, or that of acceleration_exists.
static bool find_solution(dls_trial *x, dls_finding *f, const json_t *witness,
                          dls_trial_point *point)
{
  if (dls_has(witness, "acceleration"))
    return dls_read_point(x, f, witness, dls_point_keys, point) &&
           dls_check_solves(x, f, point, false, "the witness");
  *point = x->solution;
  return x->solved || dls_fails(x, f, "no solution is proven to exist");
}

static void check_one_leaf(dls_trial *x, dls_finding *f, const json_t *witness, bool forces)
{
  dls_trial_point point;
  if (find_solution(x, f, witness, &point) &&
      dls_check_leaves(x, f, witness, DLS_SCOPE_ALL, &point, forces) &&
      (!forces || dls_all_stay_independent(x, f)))
    dls_proves(x, f, "every combination of modes is empty or holds only %s, %s",
               forces ? "these forces" : "this acceleration", dls_precision(x, f));
}

// Rows of M and of G_b^T that form a nonsingular matrix; scaled.
static bool check_rows(dls_trial *x, dls_finding *f, const json_t *witness)
{
  const dls_data *d = &x->data;
  const ptrdiff_t n = d->n;
  int *row = dls_trial_alloc(x, n, sizeof *row);
  int *contact = dls_trial_alloc(x, d->m_b, sizeof *contact);
  double *A = dls_trial_alloc(x, n * n, sizeof *A), *unit = dls_trial_alloc(x, n, sizeof *unit);
  if (!row || !contact || !A || !unit) return false;
  const int rows = dls_read_set(x, f, witness, "coordinates", d->coordinate_name, d->n, row);
  const char *const *names = d->contact_name;
  const int contacts =
      rows < 0 ? -1 : dls_read_set(x, f, witness, "bilateral", names, d->m_b, contact);
  if (contacts < 0) return false;
  if (rows + contacts != d->n)
    return dls_fails(x, f, "%d rows are named, %d are needed", rows + contacts, d->n);
  for (ptrdiff_t i = 0; i < n; i++) {
    const bool of_mass = (int)i < rows;
    const int from = of_mass ? row[i] : contact[(int)i - rows];
    unit[i] = of_mass ? d->D[from] : d->C[from];
    for (ptrdiff_t j = 0; j < n; j++) A[i + n * j] = of_mass ? d->M[from + n * j] : d->g[from][j];
  }
  const dls_scaled B = {d->n, d->n, A, unit, d->D};
  if (dls_has_rank(&B, 0)) return true;
  return dls_fails(x, f, "the rows named do not form a nonsingular matrix");
}

// [M; G^T of some contacts] has full column rank, beyond rounding.
bool dls_stack_rank(dls_trial *x, const int *contact, int count)
{
  const dls_data *d = &x->data;
  const ptrdiff_t n = d->n, rows = n + count;
  double *A = dls_trial_alloc(x, rows * n, sizeof *A), *unit = dls_trial_alloc(x, rows, sizeof *A);
  if (!A || !unit) return false;
  for (ptrdiff_t i = 0; i < rows; i++) {
    const int c = i < n ? 0 : contact[i - n];
    unit[i] = i < n ? d->D[i] : d->C[c];
    for (ptrdiff_t j = 0; j < n; j++) A[i + rows * j] = i < n ? d->M[i + n * j] : d->g[c][j];
  }
  const dls_scaled B = {(int)rows, d->n, A, unit, d->D};
  return dls_has_rank(&B, d->noise);
}

static bool prove_stack(dls_trial *x, dls_finding *f, const int *contact, int count)
{
  return dls_stack_rank(x, contact, count) ||
         dls_fails(x, f, "a massless direction is left free, up to rounding");
}

static bool check_kernel(dls_trial *x, dls_finding *f, const json_t *witness)
{
  int *contact = dls_trial_alloc(x, x->data.m_b, sizeof *contact);
  for (int j = 0; contact && j < x->data.m_b; j++) contact[j] = j;
  return contact && check_rows(x, f, witness) && prove_stack(x, f, contact, x->data.m_b) &&
         dls_proves(x, f, "ker M and ker G_b^T meet only in 0: elimination in intervals");
}

// Forces that balance the load with some acceleration and press on every closed contact.
static bool check_pressing(dls_trial *x, dls_finding *f, const json_t *witness, int *contact,
                           int *count)
{
  const dls_data *d = &x->data;
  dls_trial_point point;
  dls_sizes at, size;
  bool *closed = dls_trial_alloc(x, d->m, sizeof *closed);
  if (!closed || !dls_read_point(x, f, witness, dls_point_keys, &point)) return false;
  const char *const *names = d->contact_name;
  const int m_u = d->m - d->m_b,
            found = dls_read_set(x, f, witness, "closed", names + d->m_b, m_u, contact + d->m_b);
  if (found < 0 || !dls_check_balance(x, f, &point, "the witness") ||
      !dls_measure_point(x, &x->solution, &at) || !dls_measure_point(x, &point, &size))
    return false;
  for (int k = 0; k < d->m_b; k++) contact[k] = k;
  for (int k = 0; k < found; k++) {
    const int j = contact[d->m_b + k] += d->m_b, p = d->contact_part[j];
    closed[j] = true;
    if (dls_opens(x, &x->solution, &at, j))
      return dls_fails(x, f, "contact %.60s opens in the solution", d->contact_name[j]);
    if (!(point.lambda[j] / d->C[j] > fmax(d->noise, DLS_DECISIVE * f->residual) * size.force[p]))
      return dls_fails(x, f, "lambda_u is not positive at contact %.60s (%.3g)", d->contact_name[j],
                       point.lambda[j]);
  }
  for (int j = d->m_b; j < d->m; j++)
    if (!closed[j] && point.lambda[j] != 0)
      return dls_fails(x, f, "lambda_u is not 0 at contact %.60s, which is not among the closed",
                       d->contact_name[j]);
  *count = d->m_b + found;
  return true;
}

static void check_cone(dls_trial *x, dls_finding *f, const json_t *witness)
{
  int *contact = dls_trial_alloc(x, x->data.m, sizeof *contact), count = 0;
  if (contact && check_pressing(x, f, witness, contact, &count) &&
      prove_stack(x, f, contact, count))
    dls_proves(x, f,
               "every massless direction is held by contacts that press: balance %s, "
               "rank by elimination in intervals",
               dls_precision(x, f));
}

// All friction is that of weights.
static bool has_given_bounds(const dls_trial *x)
{
  bool given = x->state->weights > 0;
  for (int j = 0; j < x->data.m - x->state->weights; j++) given &= !dls_has_friction(&x->data, j);
  for (int j = 0; j < x->data.m; j++) given &= x->data.mu_s[j] == x->data.mu[j];  // eq (stf.2)
  return given;
}

// A convex function is least at every solution, and it is strictly convex.            eq (dry.3)
static void check_convex(dls_trial *x, dls_finding *f)
{
  int *contact = dls_trial_alloc(x, x->data.m_b, sizeof *contact);
  for (int j = 0; contact && j < x->data.m_b; j++) contact[j] = j;
  if (contact && prove_stack(x, f, contact, x->data.m_b))
    dls_proves(x, f, "all friction has given bounds: a convex problem, strictly so");
}

static void check_unique_yes(dls_trial *x, dls_finding *f, const json_t *witness)
{
  if (dls_has(witness, "leaves")) {
    check_one_leaf(x, f, witness, false);
  } else if (dls_has(witness, "weight_u")) {
    dls_check_weak(x, f, witness, false);
  } else if (has_given_bounds(x) && x->solved) {
    check_convex(x, f);
  } else if (x->data.rubs) {
    dls_fails(x, f, "this witness says nothing where friction acts");
  } else if (!x->solved) {
    dls_fails(x, f, "no solution is proven to exist");
  } else if (dls_has(witness, "pivots")) {
    if (dls_prove_mass(x, f) && dls_check_mass_pivots(x, f, witness))
      dls_proves(x, f, "M is positive definite: elimination in intervals");
  } else if (dls_has(witness, "closed")) {
    check_cone(x, f, witness);
  } else {
    check_kernel(x, f, witness);
  }
}

void dls_check_unique(dls_trial *x, dls_finding *f, const json_t *witness, bool yes)
{
  dls_trial_point first, other;
  if (yes) {
    check_unique_yes(x, f, witness);
    x->one_acceleration = f->found == DLS_FOUND_HOLDS;
    x->unique_open |= f->found == DLS_FOUND_UNPROVEN;
  } else if (!dls_has(witness, "other")) {
    check_none(x, f, witness);
  } else if (dls_read_point(x, f, witness, dls_point_keys, &first) &&
             read_other(x, f, witness, &first, &other)) {
    check_two(x, f, &first, &other, false);
    x->many_accelerations = f->found == DLS_FOUND_HOLDS;
  }
}

// ---- forces_unique -----------------------------------------------------------------------------

// Contacts that carry a force or may: all but those that open. loaded: only those that do carry
// one.
static int closed_contacts(dls_trial *x, const dls_trial_point *point, bool loaded, double zero,
                           int *contact)
{
  const dls_data *d = &x->data;
  dls_sizes size;
  int count = 0;
  if (!dls_measure_point(x, point, &size)) return -1;
  for (int j = 0; j < d->m; j++) {
    const double force = point->lambda[j] / d->C[j];
    if (dls_opens_by(x, point, &size, j) > zero) continue;
    if (loaded && j >= d->m_b && !(force > x->tolerance * size.force[d->contact_part[j]])) continue;
    contact[count++] = j;
  }
  return count;
}

// A direction that keeps the loaded contacts and opens the idle ones.
static bool check_strict(dls_trial *x, dls_finding *f, const json_t *witness,
                         const dls_trial_point *point, const int *loaded, int count)
{
  const dls_data *d = &x->data;
  const double *direction = dls_read_coordinates(x, f, witness, "direction");
  bool *bears = dls_trial_alloc(x, d->m, sizeof *bears);
  double *error = dls_trial_alloc(x, d->parts, sizeof *error), residual = 0;
  double *length = dls_trial_alloc(x, d->parts, sizeof *length);
  dls_sizes size;
  if (!direction || !bears || !error || !length || !dls_measure_point(x, point, &size))
    return false;
  for (int i = 0; i < d->n; i++)
    dls_raise(&length[d->coordinate_part[i]], fabs(direction[i]) / d->D[i]);
  for (int k = 0; k < count; k++) {
    const int j = loaded[k];
    bears[j] = true;
    dls_raise(&error[d->contact_part[j]],
              dls_magnitude(dls_column_times(x, 0, d->g[j], direction, NULL), d->C[j]));
  }
  // parts without idle contacts need no direction
  for (int j = 0; j < d->m; j++) {
    const int p = d->contact_part[j];
    if (bears[j] || dls_opens(x, point, &size, j)) continue;
    dls_raise(&residual, dls_quotient(error[p], length[p]));
    const double speed = d->C[j] * dls_column_times(x, 0, d->g[j], direction, NULL).low;
    if (!(speed > fmax(DLS_DECISIVE * error[p], d->noise * length[p])))
      return dls_fails(x, f, "the direction does not open contact %.60s (%.3g)", d->contact_name[j],
                       speed);
  }
  return dls_within(x, f, residual, "the direction does not keep the loaded contacts");
}

static void check_determined(dls_trial *x, dls_finding *f, const json_t *witness)
{
  int *contact = dls_trial_alloc(x, x->data.m, sizeof *contact);
  dls_trial_point point = x->solution;
  const bool strict = dls_has(witness, "direction");
  if (!contact) return;
  if (!x->solved) {
    dls_fails(x, f, "no solution is proven to exist");
    return;
  }
  if (strict) {
    point.lambda = dls_read_contacts(x, f, witness, "lambda_b", "lambda_u");
    if (!point.lambda || !dls_check_solves(x, f, &point, false, "the witness")) return;
  }
  // a contact may open by less than the tolerance and more than rounding: either is right then
  const int named = (int)dls_json_length(json_object_get(witness, "coordinates"));
  int count = closed_contacts(x, &point, strict, x->tolerance, contact);
  if (!strict && count >= 0 && count != named)
    count = closed_contacts(x, &point, false, edge_of_opening * x->data.noise, contact);
  if (count < 0 || !dls_check_minor(x, f, witness, contact, count) ||
      !dls_prove_independent(x, f, contact, count) ||
      (!strict && !dls_stay_independent(x, f, contact, count)))
    return;
  if (!strict)
    dls_proves(x, f,
               "the gradients of the contacts that stay closed are independent: "
               "elimination in intervals");
  else if (check_strict(x, f, witness, &point, contact, count))
    dls_proves(x, f,
               "strict MFCQ: a direction keeps the loaded contacts %s and opens the "
               "idle ones; rank by elimination in intervals",
               dls_precision(x, f));
}

static void check_forces_yes(dls_trial *x, dls_finding *f, const json_t *witness)
{
  if (dls_has(witness, "leaves")) check_one_leaf(x, f, witness, true);
  else if (dls_has(witness, "weight_u")) dls_check_weak(x, f, witness, true);
  else if (x->data.rubs) dls_fails(x, f, "this witness says nothing where friction acts");
  else check_determined(x, f, witness);
  x->one_force = f->found == DLS_FOUND_HOLDS;
  x->unique_open |= f->found == DLS_FOUND_UNPROVEN;
}

void dls_check_forces(dls_trial *x, dls_finding *f, const json_t *witness, bool yes)
{
  if (yes) {
    check_forces_yes(x, f, witness);
    return;
  }
  if (!dls_has(witness, "other_b") && !dls_has(witness, "other_u")) {
    check_none(x, f, witness);
    return;
  }
  dls_trial_point first = x->solution, other;
  if (dls_has(witness, "acceleration")) {
    first.z = dls_read_coordinates(x, f, witness, "acceleration");
  } else if (!x->solved) {
    dls_fails(x, f, "no solution is proven to exist");
    return;
  }
  first.lambda = dls_read_contacts(x, f, witness, "lambda_b", "lambda_u");
  first.tau = dls_read_tangents(x, f, witness, "tau");
  if (first.z && first.lambda && first.tau && read_other(x, f, witness, &first, &other))
    check_two(x, f, &first, &other, true);
  x->many_forces = f->found == DLS_FOUND_HOLDS;
}
