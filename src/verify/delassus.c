// The constrained Delassus matrix, enclosed.                              eq (del.2), (chk.5)
//
// With the gradients G_B of independent bilateral contacts and the scaled data of eq (chk.1),
//
//   | M   -G_B | | Z |   | G_u |
//   | G_B^T  0 | | Y | = |  0  |,    A_c = G_u^T Z
//
// Its entries are compared as those of a nearby problem: when the data change by the tolerance,
// A_ij changes by at most the tolerance times u_i u_j, u_j = 1 + |Z_j|_1 + |Y_j|_1.
#include "verify/checks.h"
#include "verify/search.h"

#include <math.h>
#include <string.h>

typedef struct delassus {
  arb_mat_t A;   // m_u x m_u, scaled
  double *unit;  // m_u: u_j
} delassus;

int dls_independent_bilateral(dls_trial *x, int *contact)
{
  const dls_data *d = &x->data;
  const size_t n = (size_t)d->n;
  double *A = dls_trial_alloc(x, n * (size_t)d->m_b, sizeof *A);
  if (!A) return -1;
  for (int j = 0; j < d->m_b; j++)
    for (size_t i = 0; i < n; i++) A[i + n * (size_t)j] = d->D[i] * d->g[j][i] * d->C[j];
  return dls_independent_columns(x, d->n, A, d->m_b, contact);
}

// For M >= 0: definite where G_b^T vanishes if and only if M + G_b G_b^T is definite.
bool dls_prove_delassus_defined(dls_trial *x, dls_finding *f)
{
  const dls_data *d = &x->data;
  const slong n = d->n, bits = dls_ball_bits(d->n);
  arb_mat_t A, G, T;
  arb_mat_init(A, n, n), arb_mat_init(G, n, d->m_b), arb_mat_init(T, d->m_b, n);
  for (int j = 0; j < d->m_b; j++)
    for (slong i = 0; i < n; i++) arb_set_d(arb_mat_entry(G, i, j), d->D[i] * d->g[j][i] * d->C[j]);
  arb_mat_transpose(T, G);
  arb_mat_mul(A, G, T, bits);
  const dls_scaled M = dls_scaled_mass(d);
  arb_mat_t scaled;
  arb_mat_init(scaled, n, n);
  dls_ball_fill(scaled, &M);
  arb_mat_add(A, A, scaled, bits);
  const bool definite = dls_ball_definite(A, d->noise);
  arb_mat_clear(A), arb_mat_clear(G), arb_mat_clear(T), arb_mat_clear(scaled);
  if (definite) return true;
  return dls_fails(x, f,
                   "M is not definite, beyond rounding, where G_b^T vanishes: there is no A_c");
}

// The matrix [M -G_B; G_B^T 0] and the right-hand sides [G_u; 0], scaled.
static void fill_system(const dls_data *d, const int *contact, int count, arb_mat_t K, arb_mat_t R)
{
  const slong n = d->n;
  const dls_scaled M = dls_scaled_mass(d);
  arb_mat_t block;
  arb_mat_window_init(block, K, 0, 0, n, n);
  dls_ball_fill(block, &M);
  arb_mat_window_clear(block);
  for (slong i = 0; i < n; i++) {
    for (slong c = 0; c < count; c++) {
      const double g = d->D[i] * d->g[contact[c]][i] * d->C[contact[c]];
      arb_set_d(arb_mat_entry(K, n + c, i), g);
      arb_set_d(arb_mat_entry(K, i, n + c), -g);
    }
    for (slong j = d->m_b; j < d->m; j++)
      arb_set_d(arb_mat_entry(R, i, j - d->m_b), d->D[i] * d->g[j][i] * d->C[j]);
  }
}

static double column_size(const arb_mat_t X, slong j)
{
  double size = 1;
  for (slong i = 0; i < arb_mat_nrows(X); i++)
    size += fabs(arf_get_d(arb_midref(arb_mat_entry(X, i, j)), ARF_RND_NEAR));
  return size;
}

static bool solve(dls_trial *x, dls_finding *f, delassus *out)
{
  const dls_data *d = &x->data;
  const slong m_u = d->m - d->m_b;
  int *contact = dls_trial_alloc(x, (size_t)d->m_b, sizeof *contact);
  out->unit = dls_trial_alloc(x, (size_t)m_u, sizeof *out->unit);
  const int count = contact && out->unit ? dls_independent_bilateral(x, contact) : -1;
  if (count < 0) return false;
  const slong size = d->n + count, bits = dls_ball_bits((int)size);
  arb_mat_t K, R, X, T;
  arb_mat_init(K, size, size), arb_mat_init(R, size, m_u), arb_mat_init(X, size, m_u);
  arb_mat_init(T, m_u, size);
  fill_system(d, contact, count, K, R);
  const bool solved = dls_ball_solve(X, K, R, d->noise);
  if (solved) {
    arb_mat_transpose(T, R);
    arb_mat_mul(out->A, T, X, bits);
    for (slong j = 0; j < m_u; j++) out->unit[j] = column_size(X, j);
  }
  arb_mat_clear(K), arb_mat_clear(R), arb_mat_clear(X), arb_mat_clear(T);
  return solved || dls_fails(x, f, "the bilateral constraints leave a massless direction free");
}

// ---- pivots ------------------------------------------------------------------------------------

bool dls_check_pivots(dls_trial *x, dls_finding *f, const arb_mat_t A, const double *pivots,
                      const double *unit)
{
  const slong n = arb_mat_nrows(A), bits = DLS_BITS + 2 * n;
  arb_mat_t L, I, inverse;
  arb_mat_init(L, n, n), arb_mat_init(I, n, n), arb_mat_init(inverse, n, n);
  arb_mat_one(I);
  bool good = arb_mat_ldl(L, A, bits);
  if (!good) dls_fails(x, f, "elimination meets a pivot that is not positive");
  if (good) arb_mat_solve_tril(inverse, L, I, 1, bits);  // the diagonal, the pivots, is not read
  double residual = 0;
  for (slong i = 0; good && i < n; i++) {
    // a change of A by unit_j unit_k changes the pivot by at most (sum |L^-1_ij| unit_j)^2
    double size = 0;
    for (slong j = 0; j <= i; j++)
      size += fabs(arf_get_d(arb_midref(arb_mat_entry(inverse, i, j)), ARF_RND_NEAR)) * unit[j];
    const dls_interval pivot = dls_ball_interval(arb_mat_entry(L, i, i));
    const dls_interval error = dls_interval_sub(pivot, dls_exactly(pivots[i]));
    dls_raise(&residual, dls_over(dls_interval_abs(error).high, size * size));
    if (!(pivots[i] > 0)) good = dls_fails(x, f, "a pivot is not positive (%.3g)", pivots[i]);
  }
  arb_mat_clear(L), arb_mat_clear(I), arb_mat_clear(inverse);
  return good && dls_within(x, f, residual, "the pivots are not those of elimination");
}

bool dls_check_delassus_pivots(dls_trial *x, dls_finding *f, const json_t *witness)
{
  const dls_data *d = &x->data;
  const int m_u = d->m - d->m_b;
  const char *const *names = d->contact_name;
  double *pivots = dls_trial_alloc(x, (size_t)m_u, sizeof *pivots);
  if (!pivots || !dls_read_named(x, f, json_object_get(witness, "pivots"), "pivots", names + d->m_b,
                                 m_u, pivots))
    return false;
  for (int j = 0; j < m_u; j++) pivots[j] *= d->C[d->m_b + j] * d->C[d->m_b + j];
  delassus a = {.unit = NULL};
  arb_mat_init(a.A, m_u, m_u);
  const bool agree = solve(x, f, &a) && dls_check_pivots(x, f, a.A, pivots, a.unit);
  arb_mat_clear(a.A);
  return agree;
}

// ---- the matrix of the report ------------------------------------------------------------------

// The contacts in the report's order are those of the problem.
static bool check_names(dls_trial *x, dls_finding *f, const json_t *names)
{
  const dls_data *d = &x->data;
  const int m_u = d->m - d->m_b;
  bool same = json_is_array(names) && json_array_size(names) == (size_t)m_u;
  for (int j = 0; same && j < m_u; j++) {
    const char *name = json_string_value(json_array_get(names, (size_t)j));
    same = name && strcmp(name, d->contact_name[d->m_b + j]) == 0;
  }
  return same || dls_fails(x, f, "its names are not those of the closed unilateral contacts");
}

static bool compare(dls_trial *x, dls_finding *f, const delassus *a, const json_t *matrix)
{
  const dls_data *d = &x->data;
  const int m_u = d->m - d->m_b;
  double residual = 0;
  if (json_array_size(matrix) != (size_t)m_u)
    return dls_fails(x, f, "the matrix has %zu rows, not %d", json_array_size(matrix), m_u);
  for (int i = 0; i < m_u; i++) {
    const json_t *row = json_array_get(matrix, (size_t)i);
    for (int j = 0; j < m_u; j++) {
      const json_t *value = json_array_get(row, (size_t)j);
      if (!json_is_number(value) || json_array_size(row) != (size_t)m_u)
        return dls_fails(x, f, "row %d of the matrix does not hold %d numbers", i + 1, m_u);
      const dls_interval scaled = dls_interval_mul(
          dls_exactly(json_number_value(value)), dls_exactly(d->C[d->m_b + i] * d->C[d->m_b + j]));
      const dls_interval error =
          dls_interval_sub(scaled, dls_ball_interval(arb_mat_entry(a->A, i, j)));
      dls_raise(&residual, dls_over(dls_interval_abs(error).high, a->unit[i] * a->unit[j]));
    }
  }
  return dls_within(x, f, residual, "the matrix is not G_u^T M_c^-1 G_u");
}

void dls_check_delassus(dls_trial *x, dls_finding *f, const json_t *object)
{
  const int m_u = x->data.m - x->data.m_b;
  const json_t *matrix = json_object_get(object, "matrix");
  if (!check_names(x, f, json_object_get(object, "names"))) return;
  if (!json_is_array(matrix) || m_u == 0) {
    if (json_is_null(matrix) || m_u == 0) f->found = DLS_FOUND_NOTHING;
    else dls_fails(x, f, "there is no matrix");
    return;
  }
  if (!dls_prove_delassus_defined(x, f)) return;
  delassus a = {.unit = NULL};
  arb_mat_init(a.A, m_u, m_u);
  if (solve(x, f, &a) && compare(x, f, &a, matrix))
    dls_proves(x, f, "the matrix is G_u^T M_c^-1 G_u, %s in the data", dls_precision(x, f));
  arb_mat_clear(a.A);
}
