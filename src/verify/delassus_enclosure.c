// The constrained Delassus matrix, enclosed.                              eq (del.2), (chk.5)
//
// With the gradients G_B of independent bilateral contacts and the scaled data of eq (chk.1),
//
//   | M   -G_B | | Z |   | G_u |
//   | G_B^T  0 | | Y | = |  0  |,    A_c = G_u^T Z
//
// Its entries are compared as those of a nearby problem: when the data change by delta, A_ij
// changes by at most delta (|Z_i|_1 u_j + u_i |Z_j|_1) + delta^2 u_i u_j, u_j = 1 + |Z_j|_1 +
// |Y_j|_1.
#include "verify/checks.h"
#include "verify/search.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Elimination of nearly dependent constraints loses the digits that they have in common.
enum { NEARLY_DEPENDENT_BITS = 4 * DLS_BITS };

typedef struct delassus {
  int first, count;  // of the contacts; those before the first are constraints that are kept
  double zero;       // constraints that depend on others up to this are left out
  dls_intervals A;   // count x count, scaled
  double *unit;      // count: u_j
  double *motion;    // count: |Z_j|_1
  double *share;     // count: |Y_j| of constraints that are nearly dependent, else 0
  bool regular;      // no constraint is nearly dependent
} delassus;

// A_c of the unilateral contacts, or W of all of them.
static bool begin(dls_trial *x, bool constrained, double zero, delassus *a)
{
  a->zero = zero;
  a->first = constrained ? x->data.m_b : 0;
  a->count = x->data.m - a->first;
  a->unit = dls_trial_alloc(x, a->count, sizeof *a->unit);
  a->motion = dls_trial_alloc(x, a->count, sizeof *a->motion);
  a->share = dls_trial_alloc(x, a->count, sizeof *a->share);
  dls_intervals_init(a->A, a->count, a->count, DLS_BITS);
  return a->unit && a->motion && a->share;
}

static void end(delassus *a)
{
  dls_intervals_clear(a->A);
}

int dls_independent_bilateral(dls_trial *x, double zero, int *contact)
{
  const dls_data *d = &x->data;
  const ptrdiff_t n = d->n;
  double *A = dls_trial_alloc(x, n * d->m_b, sizeof *A);
  if (!A) return -1;
  for (int j = 0; j < d->m_b; j++)
    for (ptrdiff_t i = 0; i < n; i++) A[i + n * j] = d->D[i] * d->g[j][i] * d->C[j];
  return dls_independent_up_to(x, zero, d->n, A, d->m_b, contact);
}

// For M >= 0: definite where G_b^T vanishes if and only if no direction but 0 is in the kernel of
// both.
bool dls_prove_delassus_defined(dls_trial *x, dls_finding *f)
{
  int *contact = dls_trial_alloc(x, x->data.m_b, sizeof *contact);
  for (int j = 0; contact && j < x->data.m_b; j++) contact[j] = j;
  if (!contact) return false;
  if (dls_stack_rank(x, contact, x->data.m_b)) return true;
  return dls_fails(x, f,
                   "M is not definite, beyond rounding, where G_b^T vanishes: there is no A_c");
}

// G_B, scaled; or an orthonormal basis of its columns, G_B L^-T, enclosed: the same constraints,
// and no worse a system where they are nearly dependent. False when the columns are not
// independent.
static bool fill_constraints(const dls_data *d, const int *contact, int count, bool orthonormal,
                             dls_intervals B, dls_intervals L)
{
  const int n = d->n;
  for (int i = 0; i < n; i++)
    for (int c = 0; c < count; c++)
      mpfi_set_d(dls_at(B, i, c), d->D[i] * d->g[contact[c]][i] * d->C[contact[c]]);
  if (!orthonormal) return true;
  dls_intervals T;
  dls_intervals_init(T, count, n, NEARLY_DEPENDENT_BITS);
  dls_intervals_transpose(T, B);
  dls_intervals_multiply(L, T, B);
  const bool independent = dls_intervals_cholesky(L);  // L L^T = G_B^T G_B
  if (independent) {
    dls_intervals_forward(L, false, T);  // L^-1 G_B^T
    dls_intervals_transpose(B, T);
  }
  dls_intervals_clear(T);
  return independent;
}

// The matrix [M -B; B^T 0] and the right-hand sides [G_u; 0], scaled.
static void fill_system(const dls_data *d, const dls_intervals B, int first, dls_intervals K,
                        dls_intervals R)
{
  const int n = d->n;
  const dls_scaled M = dls_scaled_mass(d);
  dls_intervals_fill(K, &M);
  for (int i = 0; i < n; i++) {
    for (int c = 0; c < B->cols; c++) {
      mpfi_set(dls_at(K, n + c, i), dls_at(B, i, c));
      mpfi_neg(dls_at(K, i, n + c), dls_at(B, i, c));
    }
    for (int j = first; j < d->m; j++)
      mpfi_set_d(dls_at(R, i, j - first), d->D[i] * d->g[j][i] * d->C[j]);
  }
}

static double column_size(const dls_intervals X, int rows, int j)
{
  double size = 0;
  for (int i = 0; i < rows; i++) size += fabs(dls_middle(dls_at(X, i, j)));
  return size;
}

// What the constraints themselves carry: L^-T Y.
static void find_shares(const dls_intervals X, const dls_intervals L, double *share)
{
  const int count = L->rows, n = X->rows - count;
  dls_intervals Y;
  dls_intervals_init(Y, count, X->cols, NEARLY_DEPENDENT_BITS);
  for (int i = 0; i < count; i++)
    for (int j = 0; j < X->cols; j++) mpfi_set(dls_at(Y, i, j), dls_at(X, n + i, j));
  dls_intervals_backward(L, Y);
  for (int j = 0; j < X->cols; j++) share[j] = 1 + column_size(Y, Y->rows, j);
  dls_intervals_clear(Y);
}

static bool solve_with(const dls_data *d, const int *contact, int count, bool orthonormal,
                       delassus *out)
{
  const int columns = out->count, size = d->n + count;
  dls_intervals B, L, K, R, X, T;
  dls_intervals_init(B, d->n, count, NEARLY_DEPENDENT_BITS);
  dls_intervals_init(L, count, count, NEARLY_DEPENDENT_BITS);
  dls_intervals_init(K, size, size, DLS_BITS), dls_intervals_init(R, size, columns, DLS_BITS),
      dls_intervals_init(X, size, columns, DLS_BITS);
  dls_intervals_init(T, columns, size, DLS_BITS);
  bool solved = fill_constraints(d, contact, count, orthonormal, B, L);
  if (solved) {
    fill_system(d, B, out->first, K, R);
    // that it makes sense is proven: the second time any nonsingular matrix will do
    solved = dls_intervals_solve(X, K, R, orthonormal ? any_regular : d->noise);
  }
  if (solved) {
    dls_intervals_transpose(T, R);
    dls_intervals_multiply(out->A, T, X);
    for (int j = 0; j < columns; j++) {
      out->unit[j] = 1 + column_size(X, size, j);
      out->motion[j] = column_size(X, d->n, j);
    }
    if (orthonormal) find_shares(X, L, out->share);
  }
  dls_intervals_clear(B), dls_intervals_clear(L), dls_intervals_clear(K), dls_intervals_clear(R),
      dls_intervals_clear(X), dls_intervals_clear(T);
  return solved;
}

static bool solve(dls_trial *x, dls_finding *f, delassus *out)
{
  const dls_data *d = &x->data;
  int *contact = dls_trial_alloc(x, d->m_b, sizeof *contact);
  if (!contact) return false;
  const int count = out->first ? dls_independent_bilateral(x, out->zero, contact) : 0;
  if (count < 0) return false;
  int *far = dls_trial_alloc(x, d->m_b, sizeof *far);
  if (!far) return false;
  out->regular = !out->first || dls_independent_bilateral(x, 1.0 / DLS_SHARP, far) == count;
  const bool solved =
      solve_with(d, contact, count, false, out) || solve_with(d, contact, count, true, out);
  return solved || dls_fails(x, f, "the bilateral constraints leave a massless direction free");
}

// ---- pivots ------------------------------------------------------------------------------------

// A matrix of points in A: elimination would make what little A is wide grow with each row.
// False where that is not far below what the data may differ by.
static bool take_points(const dls_trial *x, const dls_intervals A, const double *unit,
                        dls_intervals L)
{
  bool narrow = true;
  for (int i = 0; i < A->rows; i++)
    for (int j = 0; j < A->cols; j++) {
      const dls_interval entry = dls_interval_of(dls_at(A, i, j));
      mpfi_mid(&dls_at(L, i, j)->left, dls_at(A, i, j));
      mpfr_set(&dls_at(L, i, j)->right, &dls_at(L, i, j)->left, MPFR_RNDN);
      narrow &= entry.high - entry.low <= x->tolerance / DLS_SHARP * unit[i] * unit[j] +
                                              comparison_rounding * DBL_EPSILON * fabs(entry.high);
    }
  return narrow;
}

bool dls_check_pivots(dls_trial *x, dls_finding *f, const dls_intervals A, const double *pivots,
                      const double *unit)
{
  const int n = A->rows, bits = dls_bits_for(n);
  dls_intervals L, inverse;
  dls_intervals_init(L, n, n, bits), dls_intervals_init(inverse, n, n, bits);
  for (int i = 0; i < n; i++) mpfi_set_si(dls_at(inverse, i, i), 1);
  bool good = take_points(x, A, unit, L) && dls_intervals_ldl(L);
  if (!good) dls_fails(x, f, "elimination meets a pivot that is not positive");
  if (good) dls_intervals_forward(L, true, inverse);  // the diagonal, the pivots, is not read
  double residual = 0;
  for (int i = 0; good && i < n; i++) {
    // a change of A by unit_j unit_k changes the pivot by at most (sum |L^-1_ij| unit_j)^2
    double size = 0;
    for (int j = 0; j <= i; j++) size += fabs(dls_middle(dls_at(inverse, i, j))) * unit[j];
    const dls_interval pivot = dls_interval_of(dls_at(L, i, i));
    const dls_interval error = dls_interval_sub(pivot, dls_exactly(pivots[i]));
    dls_raise(&residual, dls_quotient(dls_interval_abs(error).high, size * size));
    if (!(pivots[i] > 0)) good = dls_fails(x, f, "a pivot is not positive (%.3g)", pivots[i]);
  }
  dls_intervals_clear(L), dls_intervals_clear(inverse);
  return good && dls_within(x, f, residual, "the pivots are not those of elimination");
}

typedef bool comparison(dls_trial *x, dls_finding *f, const delassus *a, const void *claimed);

// Constraints may depend on others up to less than the tolerance and more than rounding: A_c
// without them and A_c with them are both right then.
static bool by_either(dls_trial *x, dls_finding *f, comparison *agrees, const void *claimed)
{
  const double zero[2] = {x->tolerance, x->data.noise};
  dls_finding first = *f;
  bool agree = false;
  for (int k = 0; k < 2 && !agree; k++) {
    dls_finding attempt = *f;
    delassus a;
    agree =
        begin(x, true, zero[k], &a) && solve(x, &attempt, &a) && agrees(x, &attempt, &a, claimed);
    end(&a);
    if (k == 0 || agree) first = attempt;
  }
  *f = first;
  return agree;
}

static bool compare_pivots(dls_trial *x, dls_finding *f, const delassus *a, const void *pivots)
{
  return dls_check_pivots(x, f, a->A, pivots, a->unit);
}

bool dls_check_delassus_pivots(dls_trial *x, dls_finding *f, const json_t *witness)
{
  const dls_data *d = &x->data;
  const int m_u = d->m - d->m_b;
  const char *const *names = d->contact_name;
  double *pivots = dls_trial_alloc(x, m_u, sizeof *pivots);
  if (!pivots || !dls_read_named(x, f, json_object_get(witness, "pivots"), "pivots", names + d->m_b,
                                 m_u, pivots))
    return false;
  for (int j = 0; j < m_u; j++) pivots[j] *= d->C[d->m_b + j] * d->C[d->m_b + j];
  return by_either(x, f, compare_pivots, pivots);
}

// ---- the matrix of the report ------------------------------------------------------------------

// The contacts in the report's order are those of the problem.
static bool check_names(dls_trial *x, dls_finding *f, const json_t *names, int first)
{
  const dls_data *d = &x->data;
  const int count = d->m - first;
  bool same = json_is_array(names) && dls_json_length(names) == count;
  for (int j = 0; same && j < count; j++) {
    const char *name = json_string_value(dls_json_item(names, j));
    same = name && strcmp(name, d->contact_name[first + j]) == 0;
  }
  return same || dls_fails(x, f, "its names are not those of the closed contacts");
}

// Entry (i, j) of a matrix by rows; NULL after dls_fails when its size is another.
static const json_t *entry_of(dls_trial *x, dls_finding *f, const json_t *matrix, int size, int i,
                              int j)
{
  const json_t *row = dls_json_item(matrix, i);
  if (dls_json_length(matrix) != size)
    dls_fails(x, f, "the matrix has %td rows, not %d", dls_json_length(matrix), size);
  else if (dls_json_length(row) != size)
    dls_fails(x, f, "row %d of the matrix does not hold %d numbers", i + 1, size);
  else return dls_json_item(row, j);
  return NULL;
}

// By how much an entry changes when the data do. Of regular data by a thousandth of the tolerance;
// rounding of nearly dependent constraints alone moves it by the second term.
static double change_of(const dls_trial *x, const delassus *a, int i, int j)
{
  const double noise = x->data.noise, *u = a->unit, *z = a->motion;
  const double least = fmax(x->tolerance / DLS_SHARP, least_tolerance * noise);
  if (a->regular) return least * (z[i] * u[j] + u[i] * z[j] + least * u[i] * u[j]);
  return x->tolerance * u[i] * u[j] + noise * (u[i] * a->share[j] + a->share[i] * u[j]);
}

static bool compare(dls_trial *x, dls_finding *f, const delassus *a, const json_t *matrix)
{
  const double *C = x->data.C + a->first;
  double residual = 0;
  for (int i = 0; i < a->count; i++)
    for (int j = 0; j < a->count; j++) {
      const json_t *value = entry_of(x, f, matrix, a->count, i, j);
      if (!value) return false;
      if (!json_is_number(value))
        return dls_fails(x, f, "row %d of the matrix does not hold %d numbers", i + 1, a->count);
      const dls_interval scaled =
          dls_interval_mul(dls_exactly(json_number_value(value)), dls_exactly(C[i] * C[j]));
      const dls_interval error = dls_interval_sub(scaled, dls_interval_of(dls_at(a->A, i, j)));
      const double size = change_of(x, a, i, j) / x->tolerance;
      dls_raise(&residual, dls_quotient(dls_interval_abs(error).high, size));
    }
  return dls_within(x, f, residual,
                    a->first ? "the matrix is not G_u^T M_c^-1 G_u"
                             : "the matrix is not G^T M^-1 G");
}

static bool compare_matrix(dls_trial *x, dls_finding *f, const delassus *a, const void *matrix)
{
  return compare(x, f, a, matrix);
}

bool dls_check_delassus_matrix(dls_trial *x, dls_finding *f, const json_t *matrix)
{
  return dls_prove_delassus_defined(x, f) && by_either(x, f, compare_matrix, matrix);
}

// A matrix that is left out claims nothing; true when there is one to check.
static bool has_matrix(dls_trial *x, dls_finding *f, const json_t *object, const char *key,
                       int first)
{
  const json_t *matrix = json_object_get(object, key);
  if (!check_names(x, f, json_object_get(object, "names"), first)) return false;
  if (x->data.m == first) return false;
  if (!json_is_array(matrix) && !json_is_null(matrix)) return dls_fails(x, f, "there is no matrix");
  return json_is_array(matrix);
}

void dls_check_delassus(dls_trial *x, dls_finding *f, const json_t *object)
{
  if (has_matrix(x, f, object, "matrix", x->data.m_b) &&
      dls_check_delassus_matrix(x, f, json_object_get(object, "matrix")))
    dls_proves(x, f, "the matrix is G_u^T M_c^-1 G_u, %s in the data", dls_precision(x, f));
}

void dls_check_unconstrained(dls_trial *x, dls_finding *f, const json_t *object)
{
  delassus a;
  if (!has_matrix(x, f, object, "matrix", 0)) return;
  if (begin(x, false, x->tolerance, &a) && dls_prove_mass(x, f) && solve(x, f, &a) &&
      compare(x, f, &a, json_object_get(object, "matrix")))
    dls_proves(x, f, "the matrix is G^T M^-1 G, %s in the data", dls_precision(x, f));
  end(&a);
}

// ---- kinetic angles ----------------------------------------------------------------------------

// pi - arccos(c): from what rounding of the data leaves open of c.                    eq (kin.1)
static dls_interval angle_of(dls_interval c, double open)
{
  const double pi = 3.141592653589793, low = fmax(-1, c.low - open), high = fmin(1, c.high + open);
  return (dls_interval){pi - acos(low), pi - acos(high)};
}

static bool check_angle(dls_trial *x, dls_finding *f, const delassus *a, int i, int j,
                        const json_t *value)
{
  mpfi_t c, size;
  dls_mpfi_init(c), dls_mpfi_init(size);
  mpfi_mul(size, dls_at(a->A, i, i), dls_at(a->A, j, j));
  mpfi_sqrt(size, size);
  mpfi_div(c, dls_at(a->A, i, j), size);
  const bool defined = mpfi_bounded_p(c);
  const double length = dls_middle(size);
  // a contact and itself: rounding changes nothing
  const double open =
      i == j ? 0 : x->data.noise / rounding_of_data * a->unit[i] * a->unit[j] / length;
  const dls_interval angle = angle_of(dls_interval_of(c), open);
  mpfi_clear(c), mpfi_clear(size);
  if (!defined) return json_is_null(value) || dls_fails(x, f, "a contact has no gradient");
  if (!json_is_number(value)) return dls_fails(x, f, "an angle is not a number");
  const double claimed = json_number_value(value), slack = x->tolerance;
  return (claimed >= angle.low - slack && claimed <= angle.high + slack) ||
         dls_fails(x, f, "the angle of %.60s and %.60s is %.9g, not %.9g", x->data.contact_name[i],
                   x->data.contact_name[j], angle.low / 2 + angle.high / 2, claimed);
}

void dls_check_angles(dls_trial *x, dls_finding *f, const json_t *object)
{
  const json_t *radians = json_object_get(object, "radians");
  delassus a;
  if (!has_matrix(x, f, object, "radians", 0)) return;
  bool good = begin(x, false, x->tolerance, &a) && dls_prove_mass(x, f) && solve(x, f, &a);
  for (int i = 0; good && i < a.count; i++)
    for (int j = 0; good && j < a.count; j++) {
      const json_t *value = entry_of(x, f, radians, a.count, i, j);
      good = value && check_angle(x, f, &a, i, j, value);
    }
  if (good) dls_proves(x, f, "the angles of the contacts in the kinetic metric");
  end(&a);
}
