// Answers of the simplex method, recomputed and checked from the stored data. With
//   d = c - A^T y,   v = A x
// (x, y) is optimal when  low <= x <= high, row_low <= v <= row_high, and
//   d_j > 0 only where x_j = low_j,      d_j < 0 only where x_j = high_j,
//   y_i > 0 only where v_i = row_low_i,  y_i < 0 only where v_i = row_high_i.
// Sums run in long double, so that what is compared with a tolerance is not the sum's own error.
#include "convex/lp_internal.h"

#include "base/memory.h"
#include "convex/tolerances.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_BASIS = 1500 };

typedef struct sum {
  long double value, size;  // size: the sum of the absolute values of the terms
} sum;

static void add(sum *s, double a, double b)
{
  long double term = (long double)a * (long double)b;
  s->value += term;
  s->size += fabsl(term);
}

// v = A x for all rows.
static void row_sums(const dls_lp *lp, const double *x, sum *v)
{
  for (int i = 0; i < lp->rows; i++) v[i] = (sum){0, 0};
  for (int j = 0; j < lp->cols; j++)
    for (int k = lp->p[j]; k < lp->p[j + 1]; k++) add(&v[lp->i[k]], lp->a[k], x[j]);
}

// c_j - (A^T y)_j
static sum reduced_cost(const dls_lp *lp, int j, double c, const double *y)
{
  sum d = {c, fabs(c)};
  for (int k = lp->p[j]; k < lp->p[j + 1]; k++) add(&d, -lp->a[k], y[lp->i[k]]);
  return d;
}

// ---- from the basis to the solution ------------------------------------------------------------

typedef struct basis_system {
  int size;
  int *col, *row;  // the basic columns, the nonbasic rows
  int *place;      // of each row in the system, -1 for basic rows
  double *B, *b, *c, *x, *y;
  sum *v;
} basis_system;

static bool gather(dls_lp *lp, basis_system *s)
{
  ptrdiff_t m = lp->rows, n = lp->cols;
  s->col = dls_alloc(n, sizeof(int));
  s->row = dls_alloc(m, sizeof(int));
  s->place = dls_alloc(m, sizeof(int));
  s->v = dls_alloc(m, sizeof(sum));
  lp->exhausted = lp->exhausted || !s->col || !s->row || !s->place || !s->v;
  if (lp->exhausted) return false;
  int cols = 0, rows = 0;
  for (int j = 0; j < lp->cols; j++)
    if (lp->basis.basic_col[j]) s->col[cols++] = j;
  for (int i = 0; i < lp->rows; i++) {
    s->place[i] = lp->basis.basic_row[i] ? -1 : rows;
    if (!lp->basis.basic_row[i]) s->row[rows++] = i;
  }
  if (cols != rows || cols > LARGEST_BASIS) return false;
  s->size = cols;
  ptrdiff_t k = cols;
  s->B = dls_alloc(k * k, sizeof(double));
  s->b = dls_alloc(k, sizeof(double));
  s->c = dls_alloc(k, sizeof(double));
  s->x = dls_alloc(k, sizeof(double));
  s->y = dls_alloc(k, sizeof(double));
  lp->exhausted = !s->B || !s->b || !s->c || !s->x || !s->y;
  return !lp->exhausted;
}

static void fill(const dls_lp *lp, basis_system *s)
{
  ptrdiff_t k = s->size;
  for (ptrdiff_t c = 0; c < k; c++) {
    int j = s->col[c];
    s->c[c] = lp->cost[j];
    for (int e = lp->p[j]; e < lp->p[j + 1]; e++) {
      int r = s->place[lp->i[e]];
      if (r >= 0) s->B[c * k + r] = lp->a[e];
    }
  }
  // rhs - N x_N: x is zero on the basic columns while the sums run
  for (ptrdiff_t c = 0; c < k; c++) lp->x[s->col[c]] = 0;
  row_sums(lp, lp->x, s->v);
  for (ptrdiff_t r = 0; r < k; r++)
    s->b[r] = (double)((long double)lp->basis.activity[s->row[r]] - s->v[s->row[r]].value);
}

bool dls_lp_recompute(dls_lp *lp)
{
  basis_system s = {0};
  bool good = gather(lp, &s);
  if (good) {
    double rcond = 0;
    dls_copy(lp->x, lp->basis.x, lp->cols);
    dls_clear(lp->y, lp->rows);
    fill(lp, &s);
    const dls_status status = dls_solve_pair(s.size, s.B, s.b, s.x, s.c, s.y, &rcond);
    lp->exhausted = status == DLS_ERR_MEMORY;
    good = status == DLS_OK && rcond > 0;
    for (int k = 0; k < s.size && good; k++) {
      lp->x[s.col[k]] = s.x[k];
      lp->y[s.row[k]] = s.y[k];
    }
  }
  free(s.col);
  free(s.row);
  free(s.place);
  free(s.v);
  free(s.B);
  free(s.b);
  free(s.c);
  free(s.x);
  free(s.y);
  return good;
}

// ---- optimality --------------------------------------------------------------------------------

// How far value is outside [low, high], or else from the bound that the multiplier's sign demands;
// everything relative to the given sizes. NaN comes out as NaN.
static double strays(double value, double low, double high, double size, double dual,
                     double dual_size)
{
  double off = value < low ? (low - value) / size : value > high ? (value - high) / size : 0;
  double room = fabs(dual > 0 ? value - low : high - value) / size;
  double push = dual == 0 ? 0 : fabs(dual) / dual_size;
  double slack = push < room ? push : room;
  if (isnan(value) || isnan(dual)) return NAN;
  return off > slack ? off : slack;
}

static double finite_size(double low, double high)
{
  double size = isfinite(low) ? fabs(low) : 0;
  return isfinite(high) && fabs(high) > size ? fabs(high) : size;
}

// The multiplier times the bound that it leans on, which is none when that is infinite.
static void add_leant(sum *s, double dual, double low, double high)
{
  double w = dual > 0 ? low : high;
  if (dual != 0 && isfinite(w)) add(s, dual, w);
}

// c^T x against the value of the dual program,
//   sum of y_i row_low_i or row_high_i  +  sum of d_j col_low_j or col_high_j.
// It is measured by the terms of the latter: those of c^T x may be large and cancel, and small
// multipliers may meet large distances from the bounds.
static double relative_gap(sum primal, sum dual, double cost)
{
  double gap = (double)fabsl(primal.value - dual.value);
  return gap > 0 ? gap / ((double)dual.size + cost) : gap;
}

double dls_lp_violation(dls_lp *lp)
{
  sum *v = dls_alloc(lp->rows, sizeof *v), primal = {0, 0}, dual = {0, 0};
  lp->exhausted = lp->exhausted || !v;
  if (!v) return NAN;
  double cost = dls_norm_max(lp->cols, lp->cost), price = dls_norm_max(lp->rows, lp->y);
  double worst = 0;
  for (int j = 0; j < lp->cols && worst >= 0; j++) {
    sum d = reduced_cost(lp, j, lp->cost[j], lp->y);
    double low = lp->col_low[j], high = lp->col_high[j], x = lp->x[j];
    double size = 1 + fmin(fabs(x), finite_size(low, high));
    double s = strays(x, low, high, size, (double)d.value, (double)d.size + cost);
    add(&primal, lp->cost[j], x);
    add_leant(&dual, (double)d.value, low, high);
    if (!(s <= worst)) worst = s;
  }
  if (worst >= 0) row_sums(lp, lp->x, v);
  for (int i = 0; i < lp->rows && worst >= 0; i++) {
    double s = strays((double)v[i].value, lp->row_low[i], lp->row_high[i], 1 + (double)v[i].size,
                      lp->y[i], price);
    add_leant(&dual, lp->y[i], lp->row_low[i], lp->row_high[i]);
    if (!(s <= worst)) worst = s;
  }
  free(v);
  if (!(worst >= 0)) return worst;
  double gap = 10 * relative_gap(primal, dual, cost);
  return gap <= worst ? worst : gap;
}

// ---- certificates ------------------------------------------------------------------------------

// The least value of a w over low <= w <= high, added to s; false when it is -infinity.
static bool add_least(sum *s, double a, double low, double high)
{
  double w = a > 0 ? low : high;
  if (a == 0) return true;
  if (isinf(w)) return false;
  add(s, a, w);
  return true;
}

// With z = -A^T y, y^T v + z^T x = 0 for all x with v = A x. When the least value of the left
// side over all bounds is positive, no x exists.
bool dls_lp_farkas(const dls_lp *lp, const double *y)
{
  double size = dls_norm_max(lp->rows, y);
  sum least = {0, 0};
  if (!(size > 0) || isinf(size)) return false;
  for (int i = 0; i < lp->rows; i++)
    if (!add_least(&least, y[i], lp->row_low[i], lp->row_high[i])) return false;
  for (int j = 0; j < lp->cols; j++) {
    sum d = reduced_cost(lp, j, 0, y);
    bool rounding = fabsl(d.value) <= certificate_zero_lp * d.size;
    double z = (double)d.value;
    // rounding in z_j is harmless when x_j is bounded, and taken as zero when it is not
    if (!add_least(&least, z, lp->col_low[j], lp->col_high[j]) && !rounding) return false;
  }
  return least.value > certificate_margin * least.size && least.value > certificate_margin * size;
}

bool dls_lp_ray(dls_lp *lp, const double *d)
{
  sum *v = dls_alloc(lp->rows, sizeof *v), fall = {0, 0};
  double size = dls_norm_max(lp->cols, d);
  bool good = v && size > 0 && !isinf(size);
  lp->exhausted = lp->exhausted || !v;
  for (int j = 0; j < lp->cols && good; j++) {
    add(&fall, lp->cost[j], d[j]);
    good = !(isfinite(lp->col_low[j]) && d[j] < 0) && !(isfinite(lp->col_high[j]) && d[j] > 0);
  }
  if (good) row_sums(lp, d, v);
  for (int i = 0; i < lp->rows && good; i++) {
    long double slack = certificate_zero_lp * v[i].size;
    good = !(isfinite(lp->row_low[i]) && v[i].value < -slack) &&
           !(isfinite(lp->row_high[i]) && v[i].value > slack);
  }
  free(v);
  return good && fall.value < -certificate_margin * fall.size;
}
