// Numbers that a report prints beside its verdicts: ranks, the condition number, Gauss' principle,
// reduced coordinates.
#include "base/memory.h"
#include "verify/checks.h"
#include "verify/search.h"

#include "base/format.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---- ranks -------------------------------------------------------------------------------------

// The rank is r: r columns are independent beyond rounding, and each of the others is a combination
// of them up to the tolerance. A: rows x cols, by columns, scaled.
static bool check_rank(dls_trial *x, dls_finding *f, int rows, int cols, const double *A, int r)
{
  int *chosen = dls_trial_alloc(x, cols, sizeof *chosen);
  double *part = dls_trial_alloc(x, (ptrdiff_t)rows * cols, sizeof *part);
  double *kernel = dls_trial_alloc(x, (ptrdiff_t)cols * cols, sizeof *kernel);
  if (!chosen || !part || !kernel) return false;
  if (r > rows || r > cols || !dls_search_kernel(x, rows, cols, A, r, chosen, kernel))
    return x->out_of_memory ? false : dls_fails(x, f, "the rank is less than %d", r);
  for (int c = 0; c < r; c++)
    dls_copy(part + (ptrdiff_t)rows * (ptrdiff_t)c, A + (ptrdiff_t)rows * (ptrdiff_t)chosen[c],
             rows);
  const dls_scaled B = {rows, r, part, NULL, NULL};
  if (r > 0 && !dls_has_rank(&B, x->data.noise)) {
    // what rounding is depends on units, which differ by small powers of two
    if (dls_has_rank(&B, x->data.noise / edge_of_units))
      return dls_leaves_open(x, f, "whether the rank is %d or less is at the edge of rounding", r);
    return dls_fails(x, f, "the rank is less than %d, up to rounding", r);
  }
  double residual = 0;
  for (int k = 0; k < cols - r; k++) {
    const double *v = kernel + (ptrdiff_t)cols * k;
    double size = 0;
    for (int j = 0; j < cols; j++) size = fmax(size, fabs(v[j]));
    for (int i = 0; i < rows; i++) {
      dls_sum_start(&x->sum, 0);
      dls_sum_dot(&x->sum, cols, A + i, rows, v);
      dls_raise(&residual, dls_quotient(dls_interval_abs(dls_sum_value(&x->sum)).high, size));
    }
  }
  char what[60];
  dls_format(what, sizeof what, "the rank is more than %d", r);
  return dls_within(x, f, residual, what);
}

static bool read_count(dls_trial *x, dls_finding *f, const json_t *object, const char *key, int *n)
{
  enum { MOST = 1 << 20 };  // more than any model has
  const json_t *value = json_object_get(object, key);
  const double number = json_is_number(value) ? json_number_value(value) : -1;
  const bool counts = number >= 0 && number <= MOST && number == floor(number);
  *n = counts ? (int)number : 0;
  return counts || dls_fails(x, f, "%s is not a count", key);
}

// ---- the condition number ----------------------------------------------------------------------

// Eigenvalues of a symmetric matrix by Jacobi's rotations, in long double: where to look. V: the
// vectors.
static void rotate(ptrdiff_t n, long double *A, long double *V, ptrdiff_t p, ptrdiff_t q)
{
  const long double apq = A[p + n * q];
  if (apq == 0) return;
  const long double theta = (A[q + n * q] - A[p + n * p]) / (2 * apq);
  const long double t = (theta < 0 ? -1 : 1) / (fabsl(theta) + sqrtl(theta * theta + 1));
  const long double c = 1 / sqrtl(t * t + 1), s = t * c;
  for (ptrdiff_t i = 0; i < n; i++) {
    const long double a = A[i + n * p], b = A[i + n * q];
    A[i + n * p] = c * a - s * b, A[i + n * q] = s * a + c * b;
    const long double v = V[i + n * p], w = V[i + n * q];
    V[i + n * p] = c * v - s * w, V[i + n * q] = s * v + c * w;
  }
  for (ptrdiff_t i = 0; i < n; i++) {
    const long double a = A[p + n * i], b = A[q + n * i];
    A[p + n * i] = c * a - s * b, A[q + n * i] = s * a + c * b;
  }
}

static void diagonalize(ptrdiff_t n, long double *A, long double *V)
{
  enum { SWEEPS = 12 };
  for (int sweep = 0; sweep < SWEEPS; sweep++)
    for (ptrdiff_t p = 0; p < n; p++)
      for (ptrdiff_t q = p + 1; q < n; q++)
        if (fabsl(A[p + n * q]) > rotated * sqrtl(fabsl(A[p + n * p] * A[q + n * q])))
          rotate(n, A, V, p, q);
}

// v^T M v / v^T v, enclosed.
static void rayleigh(const dls_intervals M, const long double *v, mpfi_t value)
{
  const int n = M->rows;
  dls_intervals x, y;
  mpfi_t size;
  dls_intervals_init(x, n, 1, DLS_BITS), dls_intervals_init(y, n, 1, DLS_BITS), dls_mpfi_init(size);
  for (int i = 0; i < n; i++) mpfi_set_d(dls_at(x, i, 0), (double)v[i]);
  dls_intervals_multiply(y, M, x);
  mpfi_set_si(value, 0);
  for (int i = 0; i < n; i++) {
    dls_add_product(value, dls_at(x, i, 0), dls_at(y, i, 0));
    dls_add_product(size, dls_at(x, i, 0), dls_at(x, i, 0));
  }
  mpfi_div(value, value, size);
  dls_intervals_clear(x), dls_intervals_clear(y), mpfi_clear(size);
}

// sign (M - (1 + part) value I) is positive definite; M has entries of about 1.
static bool bounds(const dls_intervals M, mpfi_srcptr value, double part, int sign)
{
  const int n = M->rows;
  dls_intervals A;
  mpfi_t shift;
  dls_intervals_init(A, n, n, DLS_BITS), dls_mpfi_init(shift);
  mpfi_set_d(shift, 1 + part);
  mpfi_mul(shift, shift, value);
  mpfi_mid(&shift->left, shift);
  mpfr_set(&shift->right, &shift->left, MPFR_RNDN);
  dls_intervals_set(A, M);
  for (int i = 0; i < n; i++) mpfi_sub(dls_at(A, i, i), dls_at(A, i, i), shift);
  for (int i = 0; i < n && sign < 0; i++)
    for (int j = 0; j < n; j++) mpfi_neg(dls_at(A, i, j), dls_at(A, i, j));
  const bool definite = dls_intervals_definite(A, 0);
  dls_intervals_clear(A), mpfi_clear(shift);
  return definite;
}

// The ratio of the largest and the smallest eigenvalue of M as given; NaN when it is not proven.
static double condition_of(dls_trial *x, double part)
{
  const dls_data *d = &x->data;
  const ptrdiff_t n = d->n;
  long double *A = dls_trial_alloc(x, n * n, sizeof *A), *V = dls_trial_alloc(x, n * n, sizeof *V);
  if (!A || !V) return (double)NAN;
  double largest = 0;
  for (ptrdiff_t i = 0; i < n; i++) largest = fmax(largest, d->M[i * (n + 1)]);
  const double unit = ldexp(1, -ilogb(largest > 0 ? largest : 1));
  ptrdiff_t low = 0, high = 0;
  for (ptrdiff_t k = 0; k < n * n; k++) A[k] = (long double)unit * d->M[k];
  for (ptrdiff_t i = 0; i < n; i++) V[i * (n + 1)] = 1;
  diagonalize(n, A, V);
  for (ptrdiff_t i = 0; i < n; i++) {
    if (A[i * (n + 1)] < A[low * (n + 1)]) low = i;
    if (A[i * (n + 1)] > A[high * (n + 1)]) high = i;
  }
  dls_intervals M;
  mpfi_t least, most;
  dls_intervals_init(M, d->n, d->n, DLS_BITS), dls_mpfi_init(least), dls_mpfi_init(most);
  const dls_scaled scaled = {d->n, d->n, d->M, NULL, NULL};
  dls_intervals_fill(M, &scaled);
  for (int i = 0; i < M->rows; i++)
    for (int j = 0; j < M->cols; j++) mpfi_mul_2si(dls_at(M, i, j), dls_at(M, i, j), ilogb(unit));
  rayleigh(M, V + n * low, least), rayleigh(M, V + n * high, most);
  double ratio = (double)NAN;
  if (bounds(M, least, -part, 1) && bounds(M, most, part, -1)) {
    mpfi_div(most, most, least);
    ratio = dls_middle(most);
  }
  dls_intervals_clear(M), mpfi_clear(least), mpfi_clear(most);
  return ratio;
}

static bool check_condition(dls_trial *x, dls_finding *f, const json_t *mass, int rank)
{
  enum { LARGEST = 60 };
  const json_t *claimed = json_object_get(mass, "condition");
  const double value = json_number_value(claimed);
  if (rank < x->data.n)
    return json_is_null(claimed) || dls_fails(x, f, "the mass matrix is singular: no condition");
  if (!json_is_number(claimed)) return dls_fails(x, f, "there is no condition number");
  if (x->data.n > LARGEST)
    return dls_leaves_open(x, f, "the condition number of more than %d coordinates is not checked",
                           (int)LARGEST);
  // rounding of the data alone changes the smallest eigenvalue by so much
  const double part = part_of_condition * fmax(x->tolerance, x->data.noise * value);
  const double found = part < condition_told ? condition_of(x, part) : (double)NAN;
  if (x->out_of_memory) return false;
  if (isnan(found)) return dls_leaves_open(x, f, "the condition number could not be enclosed");
  return fabs(value - found) <= part / part_of_condition * found ||
         dls_fails(x, f, "the condition number is %.9g", found);
}

// ---- mass, constraints -------------------------------------------------------------------------

void dls_check_mass_numbers(dls_trial *x, dls_finding *f, const json_t *mass, const char *definite)
{
  const dls_data *d = &x->data;
  const ptrdiff_t n = d->n;
  const json_t *claimed = json_object_get(mass, "definite");
  double *A = dls_trial_alloc(x, n * n, sizeof *A);
  int rank = 0;
  if (!A || !read_count(x, f, mass, "rank", &rank)) return;
  for (ptrdiff_t j = 0; j < n; j++)
    for (ptrdiff_t i = 0; i < n; i++) A[i + n * j] = d->D[i] * d->M[i + n * j] * d->D[j];
  const bool same = strcmp(definite, "yes") == 0  ? json_is_true(claimed)
                    : strcmp(definite, "no") == 0 ? json_is_false(claimed)
                                                  : json_is_null(claimed);
  if (!same) {
    dls_fails(x, f, "`definite` is not what the verdict says");
    return;
  }
  if (check_rank(x, f, d->n, d->n, A, rank) && check_condition(x, f, mass, rank))
    dls_proves(x, f, "rank %d: a minor beyond rounding, a kernel %s; the condition number", rank,
               dls_precision(x, f));
}

void dls_check_constraint_numbers(dls_trial *x, dls_finding *f, const json_t *constraints)
{
  const dls_data *d = &x->data;
  const ptrdiff_t n = d->n;
  double *A = dls_trial_alloc(x, n * d->m, sizeof *A);
  int rank = 0, count = 0, bilateral = 0, unilateral = 0;
  if (!A || !read_count(x, f, constraints, "rank", &rank) ||
      !read_count(x, f, constraints, "count", &count) ||
      !read_count(x, f, constraints, "bilateral", &bilateral) ||
      !read_count(x, f, constraints, "unilateral", &unilateral))
    return;
  if (count != d->m || bilateral != d->m_b || unilateral != d->m - d->m_b) {
    dls_fails(x, f, "%d contacts are closed, %d of them bilateral", d->m, d->m_b);
    return;
  }
  for (int j = 0; j < d->m; j++)
    for (ptrdiff_t i = 0; i < n; i++) A[i + n * j] = d->D[i] * d->g[j][i] * d->C[j];
  if (check_rank(x, f, d->n, d->m, A, rank) &&
      dls_check_dependencies(x, f, json_object_get(constraints, "dependencies"), d->m - rank))
    dls_proves(x, f, "rank %d: a minor beyond rounding, a kernel %s", rank, dls_precision(x, f));
}

// ---- Gauss' principle --------------------------------------------------------------------------

// 1/2 z^T M z + F^T z at the solution shown, and minus the value of the dual program.
void dls_check_gauss(dls_trial *x, dls_finding *f, const json_t *gauss)
{
  const dls_data *d = &x->data;
  if (x->shown == 0 || d->rubs) {
    dls_fails(x, f, "there is no solution without friction that it could be compared with");
    return;
  }
  const dls_trial_point *p = &x->shown_point[0];
  dls_interval half = dls_exactly(0), primal = dls_exactly(0), dual = dls_exactly(0);
  double size = 0;
  dls_sizes of;
  if (!dls_measure_point(x, p, &of)) return;
  for (int part = 0; part < d->parts; part++) size += of.force[part] * of.acceleration[part];
  for (int i = 0; i < d->n; i++) {
    double terms;
    const dls_interval row = dls_column_times(x, 0, d->M + (ptrdiff_t)d->n * i, p->z, &terms);
    half = dls_interval_add(half, dls_interval_mul(dls_exactly(p->z[i] / 2), row));
    const dls_interval work = dls_interval_mul(dls_exactly(d->F[i]), dls_exactly(p->z[i]));
    primal = dls_interval_add(primal, work);
    size += fabs(p->z[i]) / 2 * terms + fabs(d->F[i] * p->z[i]);
  }
  primal = dls_interval_add(primal, half);
  for (int j = 0; j < d->m; j++) {
    dual =
        dls_interval_sub(dual, dls_interval_mul(dls_exactly(d->b[j]), dls_exactly(p->lambda[j])));
    size += fabs(d->b[j] * p->lambda[j]);
  }
  dual = dls_interval_sub(dual, half);
  if (dls_check_number(x, f, json_object_get(gauss, "primal"), primal, size,
                       "primal is another number") &&
      dls_check_number(x, f, json_object_get(gauss, "dual"), dual, size, "dual is another number"))
    dls_proves(x, f, "the values at the solution shown, %s", dls_precision(x, f));
}

bool dls_check_number(dls_trial *x, dls_finding *f, const json_t *claimed, dls_interval found,
                      double size, const char *what)
{
  if (!json_is_number(claimed)) return dls_fails(x, f, "%s: it is not a number", what);
  const dls_interval error = dls_interval_sub(dls_exactly(json_number_value(claimed)), found);
  return dls_within(x, f, dls_quotient(dls_interval_abs(error).high, size), what);
}

// ---- reduced coordinates -----------------------------------------------------------------------

// The bilateral gradients at the dependent coordinates have full row rank, and as many as there are
// independent ones; dependent and independent coordinates are all.
static bool check_split(dls_trial *x, dls_finding *f, const json_t *reduced)
{
  const dls_data *d = &x->data;
  const ptrdiff_t n = d->n;
  int *index = dls_trial_alloc(x, 2 * n, sizeof *index);
  int *contact = dls_trial_alloc(x, d->m_b, sizeof *contact);
  bool *used = dls_trial_alloc(x, n, sizeof *used);
  if (!index || !contact || !used) return false;
  const int first = dls_read_set(x, f, reduced, "dependent", d->coordinate_name, d->n, index);
  if (first < 0) return false;
  const int rest = dls_read_set(x, f, reduced, "independent", d->coordinate_name, d->n, index + n);
  if (rest < 0) return false;
  for (int i = 0; i < first; i++) used[index[i]] = true;
  bool good = first + rest == d->n;
  for (ptrdiff_t i = 0; good && i < rest; i++) good = !used[index[n + i]];
  const int rank = dls_independent_bilateral(x, x->tolerance, contact);
  if (rank < 0) return false;
  if (!good || rank != first)
    return dls_fails(x, f, "%d coordinates depend on the others, and all have to be named", rank);
  double *block = dls_trial_alloc(x, (ptrdiff_t)rank * rank, sizeof *block);
  if (!block) return false;
  for (int c = 0; c < rank; c++)
    for (int i = 0; i < rank; i++)
      block[i + (ptrdiff_t)rank * c] =
          d->D[index[i]] * d->g[contact[c]][index[i]] * d->C[contact[c]];
  const dls_scaled B = {rank, rank, block, NULL, NULL};
  return rank == 0 || dls_has_rank(&B, 0) ||
         dls_fails(x, f, "the dependent coordinates do not follow from the others");
}

void dls_check_reduced(dls_trial *x, dls_finding *f, const json_t *reduced)
{
  const json_t *applies = json_object_get(reduced, "applies");
  if (!json_is_boolean(applies)) {
    dls_fails(x, f, "applies: expected true or false");
    return;
  }
  if (json_is_false(applies)) {
    if (dls_json_size(reduced) == 1) dls_leaves_open(x, f, "that they do not apply");
    else dls_fails(x, f, "they do not apply, but there are numbers");
    return;
  }
  if (check_split(x, f, reduced) &&
      dls_check_delassus_matrix(x, f, json_object_get(reduced, "matrix")))
    dls_proves(x, f, "the split of the coordinates; the matrix is A_c, %s", dls_precision(x, f));
}
