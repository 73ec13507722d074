#include "verify/search.h"

#include "verify/echelon.h"

#include <math.h>

// Gaussian elimination with complete pivoting.
int dls_independent_up_to(dls_trial *x, double zero, int rows, const double *given, int columns,
                          int *chosen)
{
  const ptrdiff_t n = rows, m = columns;
  long double *A = dls_trial_alloc(x, n * m, sizeof *A);
  bool *used = dls_trial_alloc(x, n + m, sizeof *used), *row_used = used ? used + m : NULL;
  if (!A || !used) return -1;
  for (ptrdiff_t k = 0; k < n * m; k++) A[k] = given[k];
  int count = 0;
  for (ptrdiff_t step = 0; step < n && step < m; step++) {
    ptrdiff_t row = 0, col = 0;
    long double largest = 0;
    for (ptrdiff_t j = 0; j < m; j++)
      for (ptrdiff_t i = 0; i < n && !used[j]; i++)
        if (!row_used[i] && fabsl(A[i + n * j]) > largest)
          largest = fabsl(A[i + n * j]), row = i, col = j;
    if (!(largest > zero)) break;
    used[col] = row_used[row] = true;
    chosen[count++] = (int)col;
    for (ptrdiff_t j = 0; j < m; j++) {
      if (used[j]) continue;
      const long double factor = A[row + n * j] / A[row + n * col];
      for (ptrdiff_t i = 0; i < n; i++)
        if (!row_used[i]) A[i + n * j] -= factor * A[i + n * col];
    }
  }
  return count;
}

int dls_independent_columns(dls_trial *x, int rows, const double *A, int count, int *chosen)
{
  return dls_independent_up_to(x, x->tolerance, rows, A, count, chosen);
}

// ---- the row space of a matrix -----------------------------------------------------------------

bool dls_search_kernel(dls_trial *x, int rows, int cols, const double *A, int rank, int *chosen,
                       double *kernel)
{
  double *by_rows = dls_trial_alloc(x, (ptrdiff_t)rows * cols, sizeof *by_rows);
  dls_echelon s;
  if (!by_rows) return false;
  for (ptrdiff_t i = 0; i < rows; i++)
    for (ptrdiff_t j = 0; j < cols; j++) by_rows[cols * i + j] = A[i + rows * j];
  if (!dls_echelon_create(x, rows, cols, 0, by_rows, &s)) return false;
  dls_echelon_eliminate(&s, 0, rank);
  if (s.rank < rank) return false;
  for (ptrdiff_t p = 0; p < s.rank; p++) chosen[p] = (int)s.col[p];
  for (ptrdiff_t j = 0, k = 0; j < s.cols; j++) {
    if (s.col_used[j]) continue;
    double *v = kernel + s.cols * k++;
    for (ptrdiff_t i = 0; i < s.cols; i++) v[i] = 0;
    v[j] = 1;
    for (ptrdiff_t p = 0; p < s.rank; p++) v[s.col[p]] = (double)-s.A[s.width * s.row[p] + j];
  }
  return true;
}

// What is left of a row when the pivot rows are taken off, on the columns without pivot.
static void take_remainder(const dls_echelon *s, const double *row, double noise,
                           long double *remainder)
{
  ptrdiff_t at = 0;
  for (ptrdiff_t j = 0; j < s->cols; j++) {
    if (s->col_used[j]) continue;
    long double left = row[j];
    for (ptrdiff_t p = 0; p < s->rank; p++) left -= row[s->col[p]] * s->A[s->width * s->row[p] + j];
    remainder[at++] = fabsl(left) <= noise ? 0 : left;
  }
}

// ---- the simplex method, phase one -------------------------------------------------------------

typedef struct simplex {
  ptrdiff_t t, k;  // columns, rows
  long double *T;  // k x (t + 1)
  int *basis;      // k: columns; -1 for an artificial one
  long double zero;
} simplex;

static void pivot(simplex *s, ptrdiff_t row, ptrdiff_t col)
{
  dls_pivot_rows(s->T, s->k, s->t + 1, row, col);
  s->basis[row] = (int)col;
}

// Bland's rule; false when no column makes the artificial ones smaller.
static bool improve(simplex *s)
{
  const ptrdiff_t width = s->t + 1;
  ptrdiff_t enter = s->t, leave = s->k;
  for (ptrdiff_t j = 0; j < s->t && enter == s->t; j++) {
    long double gain = 0;
    for (ptrdiff_t i = 0; i < s->k; i++) gain += s->basis[i] < 0 ? s->T[width * i + j] : 0;
    if (gain > s->zero) enter = j;
  }
  if (enter == s->t) return false;
  long double ratio = INFINITY;
  for (ptrdiff_t i = 0; i < s->k; i++) {
    if (!(s->T[width * i + enter] > s->zero)) continue;
    const long double r = s->T[width * i + s->t] / s->T[width * i + enter];
    if (r < ratio || (r == ratio && s->basis[i] < s->basis[leave])) ratio = r, leave = i;
  }
  if (leave == s->k) return false;
  pivot(s, leave, enter);
  return true;
}

// Adds to kappa a combination >= 0 with E^T kappa = 0 and kappa_one = 1, if there is one.
static void add_combination(simplex *s, const long double *E, ptrdiff_t one, double *kappa)
{
  const ptrdiff_t width = s->t + 1;
  for (ptrdiff_t i = 0; i < s->k; i++) {
    const long double right = -E[one * s->k + i], sign = right < 0 ? -1 : 1;
    for (ptrdiff_t j = 0; j < s->t; j++)
      s->T[width * i + j] = j == one ? 0 : sign * E[j * s->k + i];
    s->T[width * i + s->t] = sign * right;
    s->basis[i] = -1;
  }
  for (ptrdiff_t step = 0; step < 50 * (s->t + s->k) && improve(s); step++) {
  }
  for (ptrdiff_t i = 0; i < s->k; i++)
    if (s->basis[i] < 0 && s->T[width * i + s->t] > s->zero) return;
  kappa[one] += 1;
  for (ptrdiff_t i = 0; i < s->k; i++)
    if (s->basis[i] >= 0) kappa[s->basis[i]] += (double)fmaxl(0, s->T[width * i + s->t]);
}

bool dls_search_combination(dls_trial *x, int rows, int cols, const double *K, int count,
                            const double *L, double *kappa, double *w)
{
  const ptrdiff_t n = cols, t = count;
  dls_echelon space;
  if (!dls_echelon_create(x, rows, n, 0, K, &space)) return false;
  dls_echelon_eliminate(&space, x->tolerance, space.rows);
  simplex s = {.t = t, .k = n - space.rank, .zero = combination_gain};
  long double *E = dls_trial_alloc(x, t * s.k, sizeof *E);
  long double *weight = dls_trial_alloc(x, space.rows, sizeof *weight);
  s.T = dls_trial_alloc(x, s.k * (t + 1), sizeof *s.T);
  s.basis = dls_trial_alloc(x, s.k + 1, sizeof *s.basis);
  if (!E || !weight || !s.T || !s.basis) return false;
  for (ptrdiff_t j = 0; j < t; j++) {
    take_remainder(&space, L + n * j, remainder_rounding, E + s.k * j);
    kappa[j] = 0;
  }
  for (ptrdiff_t j = 0; j < t; j++)
    if (kappa[j] < 1) add_combination(&s, E, j, kappa);
  for (ptrdiff_t j = 0; j < t; j++) dls_echelon_add_weights(&space, L + n * j, kappa[j], weight);
  for (ptrdiff_t i = 0; i < space.rows; i++) w[i] = (double)weight[i];
  return true;
}
