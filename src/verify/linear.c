// The questions about masses and gradients: products and signs, ranks by elimination in intervals.
#include "verify/checks.h"
#include "verify/claim_modes.h"

#include <math.h>

dls_scaled dls_scaled_mass(const dls_data *d)
{
  return (dls_scaled){d->n, d->n, d->M, d->D, d->D};
}

// Numbers by part.
static double *by_part(dls_trial *x)
{
  return dls_trial_alloc(x, x->data.parts, sizeof(double));
}

// ---- mass_definite -----------------------------------------------------------------------------

bool dls_prove_mass(dls_trial *x, dls_finding *f)
{
  const dls_scaled M = dls_scaled_mass(&x->data);
  if (dls_is_definite(&M, x->data.noise)) return true;
  return dls_fails(x, f, "M is not positive definite beyond rounding");
}

bool dls_check_mass_pivots(dls_trial *x, dls_finding *f, const json_t *witness)
{
  const dls_data *d = &x->data;
  double *pivots = dls_read_coordinates(x, f, witness, "pivots");
  double *one = dls_trial_alloc(x, d->n, sizeof *one);
  if (!pivots || !one) return false;
  for (int i = 0; i < d->n; i++) pivots[i] *= d->D[i] * d->D[i], one[i] = 1;
  const dls_scaled M = dls_scaled_mass(d);
  dls_intervals A;
  dls_intervals_init(A, d->n, d->n, DLS_BITS);
  dls_intervals_fill(A, &M);
  const bool agree = dls_check_pivots(x, f, A, pivots, one);
  dls_intervals_clear(A);
  return agree;
}

static void check_massless(dls_trial *x, dls_finding *f, const json_t *witness)
{
  const dls_data *d = &x->data;
  const double *direction = dls_read_coordinates(x, f, witness, "direction");
  double *error = by_part(x), *size = by_part(x);
  if (!direction || !error || !size) return;
  for (int i = 0; i < d->n; i++) {
    const int p = d->coordinate_part[i];
    const dls_enclosed_row row = dls_step_kkt_row(x, i, 0, direction, 1, NULL, NULL);
    dls_raise(&error[p], dls_magnitude(row.value, d->D[i]));
    dls_raise(&size[p], fabs(direction[i]) / d->D[i]);
  }
  if (dls_within(x, f, dls_best_part(d, error, size), "M direction is not 0"))
    dls_proves(x, f, "M direction = 0 %s: a motion without inertia", dls_precision(x, f));
}

void dls_check_mass(dls_trial *x, dls_finding *f, const json_t *witness, bool yes)
{
  if (!yes) {
    check_massless(x, f, witness);
  } else if (dls_prove_mass(x, f) && dls_check_mass_pivots(x, f, witness)) {
    dls_proves(x, f, "M is positive definite: elimination in intervals");
  }
}

// ---- constraints_independent -------------------------------------------------------------------

// Columns of gradients as one matrix, and their units.
static double *gradients(dls_trial *x, const int *contact, int count, double **unit)
{
  const dls_data *d = &x->data;
  const ptrdiff_t n = d->n;
  double *A = dls_trial_alloc(x, n * count, sizeof *A);
  *unit = dls_trial_alloc(x, count, sizeof **unit);
  for (int c = 0; A && *unit && c < count; c++) {
    (*unit)[c] = d->C[contact[c]];
    for (ptrdiff_t i = 0; i < n; i++) A[i + n * c] = d->g[contact[c]][i];
  }
  return *unit ? A : NULL;
}

static bool have_rank(dls_trial *x, const int *contact, int count, double margin)
{
  double *unit, *A = gradients(x, contact, count, &unit);
  if (!A) return false;
  const dls_scaled G = {x->data.n, count, A, x->data.D, unit};
  return dls_has_rank(&G, margin);
}

bool dls_prove_independent(dls_trial *x, dls_finding *f, const int *contact, int count)
{
  if (have_rank(x, contact, count, x->data.noise)) return true;
  return dls_fails(x, f, "the gradients are not independent beyond rounding");
}

bool dls_stay_independent(dls_trial *x, dls_finding *f, const int *contact, int count)
{
  const double ambiguous = part_of_ambiguity * dls_gradient_ambiguity(x);
  if (!(ambiguous > x->data.noise) || have_rank(x, contact, count, ambiguous) ||
      !have_rank(x, contact, count, x->data.noise))
    return true;
  return dls_fails(x, f, "another state within the tolerance may make gradients dependent");
}

bool dls_all_stay_independent(dls_trial *x, dls_finding *f)
{
  int *all = dls_trial_alloc(x, x->data.m, sizeof *all);
  for (int j = 0; all && j < x->data.m; j++) all[j] = j;
  return all && dls_stay_independent(x, f, all, x->data.m);
}

bool dls_check_minor(dls_trial *x, dls_finding *f, const json_t *witness, const int *contact,
                     int count)
{
  const dls_data *d = &x->data;
  int *row = dls_trial_alloc(x, d->n, sizeof *row);
  double *unit, *A = gradients(x, contact, count, &unit);
  double *block = dls_trial_alloc(x, (ptrdiff_t)count * count, sizeof *block);
  double *row_unit = dls_trial_alloc(x, count, sizeof *row_unit);
  if (!row || !A || !block || !row_unit) return false;
  const int rows = dls_read_set(x, f, witness, "coordinates", d->coordinate_name, d->n, row);
  if (rows < 0) return false;
  if (rows != count)
    return dls_fails(x, f, "%d coordinates are named for %d independent contacts", rows, count);
  const ptrdiff_t n = d->n, m = count;
  for (ptrdiff_t i = 0; i < m; i++) {
    row_unit[i] = d->D[row[i]];
    for (ptrdiff_t j = 0; j < m; j++) block[i + m * j] = A[row[i] + n * j];
  }
  const dls_scaled B = {count, count, block, row_unit, unit};
  if (dls_has_rank(&B, 0)) return true;
  return dls_fails(x, f, "the rows at these coordinates do not form a nonsingular matrix");
}

// G lambda = 0, lambda not zero; over: the contacts that must not vanish.
static bool cancels(dls_trial *x, dls_finding *f, const double *lambda, bool over_unilateral)
{
  const dls_data *d = &x->data;
  double *error = by_part(x), *size = by_part(x);
  if (!error || !size) return false;
  for (int j = 0; j < d->m; j++)
    if (!over_unilateral || !dls_is_bilateral(d, j))
      dls_raise(&size[d->contact_part[j]], fabs(lambda[j]) / d->C[j]);
  for (int i = 0; i < d->n; i++) {
    const dls_enclosed_row row = dls_step_kkt_row(x, i, 0, NULL, 1, lambda, NULL);
    dls_raise(&error[d->coordinate_part[i]], dls_magnitude(row.value, d->D[i]));
  }
  return dls_within(x, f, dls_best_part(d, error, size), "G_b lambda_b + G_u lambda_u is not 0");
}

// (lambda_b, lambda_u) of a witness, that of unilateral contacts >= 0 where signs are asked for.
static bool check_combination(dls_trial *x, dls_finding *f, const json_t *witness,
                              bool over_unilateral, bool signs)
{
  const dls_data *d = &x->data;
  const double *lambda = dls_read_contacts(x, f, witness, "lambda_b", "lambda_u");
  if (!lambda) return false;
  for (int j = d->m_b; j < d->m && signs; j++)
    if (lambda[j] < 0)
      return dls_fails(x, f, "lambda_u is negative at contact %.60s (%.3g)", d->contact_name[j],
                       lambda[j]);
  return cancels(x, f, lambda, over_unilateral);
}

// Each has a constraint that no other has: they are independent.
static bool each_has_its_own(const dls_data *d, const double *lambda, int count)
{
  for (int k = 0; k < count; k++) {
    bool own = false;
    for (ptrdiff_t j = 0; j < d->m && !own; j++) {
      own = lambda[j + (ptrdiff_t)d->m * k] != 0;
      for (int other = 0; other < count && own; other++)
        own = other == k || lambda[j + (ptrdiff_t)d->m * other] == 0;
    }
    if (!own) return false;
  }
  return true;
}

bool dls_check_dependencies(dls_trial *x, dls_finding *f, const json_t *array, int most)
{
  const dls_data *d = &x->data;
  const ptrdiff_t count = dls_json_length(array);
  if (!array) return true;
  if (!json_is_array(array) || count > most)
    return dls_fails(x, f, "there are %d dependencies of constraints at most", most);
  double *lambda = dls_trial_alloc(x, d->m * count, sizeof *lambda);
  if (!lambda) return false;
  for (ptrdiff_t k = 0; k < count; k++) {
    double *own = lambda + d->m * k;
    if (!dls_read_named(x, f, dls_json_item(array, k), "dependencies", d->contact_name, d->m,
                        own) ||
        !cancels(x, f, own, false))
      return false;
  }
  return each_has_its_own(d, lambda, (int)count) ||
         dls_fails(x, f, "dependencies of constraints are not independent of each other");
}

void dls_check_independent(dls_trial *x, dls_finding *f, const json_t *witness, bool yes)
{
  const int m = x->data.m;
  int *all = dls_trial_alloc(x, m, sizeof *all);
  if (!all) return;
  for (int j = 0; j < m; j++) all[j] = j;
  if (!yes) {
    if (check_combination(x, f, witness, false, false))
      dls_proves(x, f, "G_b lambda_b + G_u lambda_u = 0 %s", dls_precision(x, f));
  } else if (dls_check_minor(x, f, witness, all, m) && dls_prove_independent(x, f, all, m) &&
             dls_stay_independent(x, f, all, m)) {
    dls_proves(x, f, "the gradients are independent: elimination in intervals");
  }
}

// ---- constraints_compatible --------------------------------------------------------------------

static void check_acceleration(dls_trial *x, dls_finding *f, const json_t *witness)
{
  const dls_data *d = &x->data;
  const double *z = dls_read_coordinates(x, f, witness, "acceleration");
  double *error = by_part(x), *size = by_part(x), residual = 0;
  if (!z || !error || !size) return;
  for (int i = 0; i < d->n; i++) dls_raise(&size[d->coordinate_part[i]], fabs(z[i]) / d->D[i]);
  for (int j = 0; j < d->m_b; j++) {
    double terms;
    const dls_interval a = dls_column_times(x, d->b[j], d->g[j], z, &terms);
    dls_raise(&error[d->contact_part[j]], dls_magnitude(a, d->C[j]));
    dls_raise(&size[d->contact_part[j]], d->C[j] * terms);
  }
  for (int p = 0; p < d->parts; p++)
    dls_raise(&residual, dls_relative(x, error[p], size[p], d->acceleration_load[p]));
  if (dls_within(x, f, residual, "G_b^T acceleration + b_b is not 0"))
    dls_proves(x, f, "G_b^T acceleration + b_b = 0 %s", dls_precision(x, f));
}

void dls_check_compatible(dls_trial *x, dls_finding *f, const json_t *witness, bool yes)
{
  if (yes) check_acceleration(x, f, witness);
  else dls_check_farkas(x, f, witness, true);
}

// ---- mfcq --------------------------------------------------------------------------------------

static void check_opening(dls_trial *x, dls_finding *f, const json_t *witness)
{
  const dls_data *d = &x->data;
  const double *direction = dls_read_coordinates(x, f, witness, "direction");
  double *error = by_part(x), *size = by_part(x), residual = 0;
  bool *opens = dls_trial_alloc(x, d->parts, sizeof *opens);
  if (!direction || !error || !size || !opens) return;
  for (int j = d->m_b; j < d->m; j++) opens[d->contact_part[j]] = true;
  for (int i = 0; i < d->n; i++)
    dls_raise(&size[d->coordinate_part[i]], fabs(direction[i]) / d->D[i]);
  for (int j = 0; j < d->m_b; j++)
    dls_raise(&error[d->contact_part[j]],
              dls_magnitude(dls_column_times(x, 0, d->g[j], direction, NULL), d->C[j]));
  for (int p = 0; p < d->parts; p++)
    if (opens[p]) dls_raise(&residual, dls_quotient(error[p], size[p]));
  if (!dls_within(x, f, residual, "G_b^T direction is not 0")) return;
  double least = INFINITY;
  for (int j = d->m_b; j < d->m; j++) {
    const int p = d->contact_part[j];
    const double speed = d->C[j] * dls_column_times(x, 0, d->g[j], direction, NULL).low;
    if (!(speed > DLS_DECISIVE * error[p]) || !(speed > d->noise * size[p])) {
      dls_fails(x, f, "the direction does not open contact %.60s (%.3g of its size %.3g)",
                d->contact_name[j], speed, size[p]);
      return;
    }
    least = fmin(least, speed / size[p]);
  }
  if (least <= part_of_ambiguity * dls_gradient_ambiguity(x)) {
    dls_leaves_open(x, f, "at another state within the tolerance the direction may not open");
    return;
  }
  dls_proves(x, f, "G_u^T direction >= %.2g, G_b^T direction = 0 %s", least, dls_precision(x, f));
}

void dls_check_mfcq(dls_trial *x, dls_finding *f, const json_t *witness, bool yes)
{
  if (yes) check_opening(x, f, witness);
  else if (check_combination(x, f, witness, true, true))
    dls_proves(x, f, "G_u lambda_u + G_b lambda_b = 0 %s with lambda_u >= 0, not 0",
               dls_precision(x, f));
}

// ---- delassus_definite -------------------------------------------------------------------------

void dls_check_delassus_definite(dls_trial *x, dls_finding *f, const json_t *witness, bool yes)
{
  const dls_data *d = &x->data;
  if (!dls_prove_delassus_defined(x, f)) return;
  if (!yes) {
    if (check_combination(x, f, witness, true, false))
      dls_proves(x, f, "G_u lambda_u + G_b lambda_b = 0 %s: A_c lambda_u = 0", dls_precision(x, f));
    return;
  }
  int *contact = dls_trial_alloc(x, d->m, sizeof *contact);
  if (!contact) return;
  int count = dls_independent_bilateral(x, x->tolerance, contact);
  for (int j = d->m_b; j < d->m && count >= 0; j++) contact[count++] = j;
  if (count >= 0 && dls_prove_independent(x, f, contact, count) &&
      dls_stay_independent(x, f, contact, count) && dls_check_delassus_pivots(x, f, witness))
    dls_proves(x, f,
               "A_c is positive definite: M is where G_b^T vanishes, and (G_b G_u) has full "
               "rank; elimination in intervals");
}
