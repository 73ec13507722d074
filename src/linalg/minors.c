#include "linalg/minors.h"

#include "base/memory.h"
#include "linalg/tolerances.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

dls_sign dls_tracked_sign(dls_tracked a)
{
  if (a.x > a.e) return DLS_POSITIVE;
  if (a.x < -a.e) return DLS_NEGATIVE;
  return a.x == 0 && a.e == 0 ? DLS_ZERO : DLS_UNSURE;
}

dls_tracked dls_tracked_update(dls_tracked p, dls_tracked s, dls_tracked a, dls_tracked b,
                               dls_tracked q, long double unit)
{
  const long double ps = p.x * s.x, ab = a.x * b.x, difference = ps - ab;
  dls_tracked out = {.x = difference / q.x};
  if (unit == 0 && p.e == 0 && s.e == 0 && a.e == 0 && b.e == 0 && q.e == 0) return out;
  const long double data = fabsl(p.x) * s.e + fabsl(s.x) * p.e + p.e * s.e + fabsl(a.x) * b.e +
                           fabsl(b.x) * a.e + a.e * b.e;
  const long double rounding = unit * (fabsl(ps) + fabsl(ab) + fabsl(difference));
  out.e = (data + rounding + fabsl(out.x) * q.e) / (fabsl(q.x) - q.e) + unit * fabsl(out.x);
  out.e *= 1 + bound_rounding;  // the bound is computed with rounding too
  return out;
}

// ---- scaling -----------------------------------------------------------------------------------

enum { NONE = INT32_MIN };

static int exponent_of(long double x)
{
  int exponent = NONE;
  if (x != 0) frexpl(x, &exponent);
  return exponent;
}

// The exponent of the lowest bit that is set.
static int low_bit_of(long double x)
{
  if (x == 0) return NONE;
  int exponent;
  long double mantissa = frexpl(fabsl(x), &exponent);
  while (mantissa != floorl(mantissa)) {
    // eight bits at a time, then singly
    const long double wide = ldexpl(mantissa, 8);
    const bool jump = wide != floorl(wide);
    mantissa = jump ? wide : 2 * mantissa;
    exponent -= jump ? 8 : 1;
  }
  return exponent;
}

// One pass over the rows, or over the columns: adds to each one's exponent so that the mean, the
// least or the largest of measure + row + col over its entries becomes 0.
typedef enum level_to { TO_MEAN, TO_LEAST, TO_LARGEST } level_to;

static void level_pass(int rows, int cols, const int *measure, bool by_row, level_to to, int *row,
                       int *col)
{
  for (int k = 0; k < (by_row ? rows : cols); k++) {
    int count = 0, least = 0, largest = 0;
    long sum = 0;
    for (int l = 0; l < (by_row ? cols : rows); l++) {
      const int i = by_row ? k : l, j = by_row ? l : k;
      int value = measure[i + (ptrdiff_t)rows * j];
      if (value == NONE) continue;
      value += row[i] + col[j];
      if (count == 0 || value < least) least = value;
      if (count == 0 || value > largest) largest = value;
      sum += value, count++;
    }
    if (count == 0) continue;
    const int by = to == TO_MEAN    ? (int)lrint((double)sum / count)
                   : to == TO_LEAST ? least
                                    : largest;
    if (by_row) row[k] -= by;
    else col[k] -= by;
  }
}

// Means first: they undo any scaling of rows and columns, whatever entries are zero.
static void level(int rows, int cols, const int *measure, level_to to, int *row, int *col)
{
  dls_clear(row, rows);
  dls_clear(col, cols);
  for (int pass = 0; pass < 20; pass++)
    level_pass(rows, cols, measure, pass % 2 == 0, TO_MEAN, row, col);
  level_pass(rows, cols, measure, true, to, row, col);
  level_pass(rows, cols, measure, false, to, row, col);
}

static void apply(int rows, int cols, dls_tracked *A, const int *row, const int *col)
{
  for (int j = 0; j < cols; j++)
    for (int i = 0; i < rows; i++) {
      dls_tracked *a = &A[i + (ptrdiff_t)rows * j];
      a->x = ldexpl(a->x, row[i] + col[j]);
      a->e = ldexpl(a->e, row[i] + col[j]);
    }
}

// Whether all minors of the integer matrix, and twice the products of two, fit into a long double:
// by Hadamard's inequality.
static bool exact(int rows, int cols, const dls_tracked *A, const int *row, const int *col)
{
  long double bits = 0;
  for (int i = 0; i < rows; i++) {
    long double sum = 0;
    for (int j = 0; j < cols; j++) {
      const dls_tracked a = A[i + (ptrdiff_t)rows * j];
      const long double x = ldexpl(a.x, row[i] + col[j]);
      if (a.e != 0) return false;
      sum += x * x;
    }
    if (sum > 1) bits += 0.5L * log2l(sum);
  }
  return 2 * bits + 1.5L <= LDBL_MANT_DIG;
}

dls_status dls_minors_scale(int rows, int cols, dls_tracked *A, int *row, int *col,
                            long double *unit)
{
  const ptrdiff_t count = (ptrdiff_t)rows * cols;
  int *measure = dls_alloc(count, sizeof *measure);
  if (!measure) return DLS_ERR_MEMORY;
  for (ptrdiff_t k = 0; k < count; k++) measure[k] = low_bit_of(A[k].x);
  level(rows, cols, measure, TO_LEAST, row, col);
  *unit = 0;
  if (!exact(rows, cols, A, row, col)) {
    for (ptrdiff_t k = 0; k < count; k++) measure[k] = exponent_of(A[k].x);
    level(rows, cols, measure, TO_LARGEST, row, col);
    *unit = LDBL_EPSILON / 2;
  }
  apply(rows, cols, A, row, col);
  free(measure);
  return DLS_OK;
}

// ---- elimination -------------------------------------------------------------------------------

dls_status dls_minors_create(int rows, int cols, dls_minors *w)
{
  *w = (dls_minors){.rows = rows, .cols = cols};
  w->T = dls_alloc((ptrdiff_t)rows * cols, sizeof *w->T);
  w->pivot_row = dls_alloc(rows, sizeof(int));
  w->pivot_col = dls_alloc(rows, sizeof(int));
  w->row_used = dls_alloc(rows, sizeof(bool));
  w->col_used = dls_alloc(cols, sizeof(bool));
  if (w->T && w->pivot_row && w->pivot_col && w->row_used && w->col_used) return DLS_OK;
  dls_minors_free(w);
  return DLS_ERR_MEMORY;
}

void dls_minors_free(dls_minors *w)
{
  free(w->T), free(w->pivot_row), free(w->pivot_col), free(w->row_used), free(w->col_used);
  *w = (dls_minors){0};
}

// The largest entry of what is left of the block; false when none is certainly not zero.
static bool find_pivot(const dls_minors *w, int *row, int *col)
{
  long double best = 0;
  for (int j = 0; j < w->order; j++) {
    if (w->col_used[j]) continue;
    for (int i = 0; i < w->order; i++) {
      const dls_tracked t = w->T[i + (ptrdiff_t)w->rows * j];
      const long double size = fabsl(t.x) - t.e;
      if (!w->row_used[i] && size > best) best = size, *row = i, *col = j;
    }
  }
  return best > 0;
}

static void eliminate(dls_minors *w, bool jordan)
{
  dls_clear(w->row_used, w->rows);
  dls_clear(w->col_used, w->cols);
  w->last = (dls_tracked){.x = 1};
  int r = 0, c = 0;
  for (w->rank = 0; w->rank < w->order && find_pivot(w, &r, &c); w->rank++) {
    const dls_tracked p = w->T[r + (ptrdiff_t)w->rows * c];
    w->pivot_row[w->rank] = r, w->pivot_col[w->rank] = c;
    w->row_used[r] = w->col_used[c] = true;
    for (int j = 0; j < w->cols; j++) {
      if (w->col_used[j]) continue;
      dls_tracked *column = w->T + (ptrdiff_t)w->rows * j;
      for (int i = 0; i < w->rows; i++)
        if (i != r && (jordan || !w->row_used[i]))
          column[i] = dls_tracked_update(p, column[i], w->T[i + (ptrdiff_t)w->rows * c], column[r],
                                         w->last, w->unit);
    }
    w->last = p;
  }
}

void dls_minors_solve(dls_minors *w)
{
  eliminate(w, true);
}

// Whether the permutation row -> column of the pivots is odd.
static bool odd(const dls_minors *w)
{
  bool is_odd = false;
  for (int a = 0; a < w->rank; a++)
    for (int b = a + 1; b < w->rank; b++)
      is_odd ^= (w->pivot_row[a] < w->pivot_row[b]) != (w->pivot_col[a] < w->pivot_col[b]);
  return is_odd;
}

// What is left of a singular block bounds the determinant: each step takes the largest entry.
static dls_tracked vanishing(const dls_minors *w)
{
  long double largest = 0;
  for (int j = 0; j < w->order; j++)
    for (int i = 0; i < w->order; i++) {
      const dls_tracked t = w->T[i + (ptrdiff_t)w->rows * j];
      if (!w->row_used[i] && !w->col_used[j]) largest = fmaxl(largest, fabsl(t.x) + t.e);
    }
  // det = last^(1-k) det(rest), k the size of the rest, whose determinant Hadamard bounds
  const int k = w->order - w->rank;
  long double bound = fabsl(w->last.x) + w->last.e;
  const long double low = fabsl(w->last.x) - w->last.e;
  for (int i = 0; i < k; i++) bound *= largest * sqrtl(k) / low;
  return (dls_tracked){.x = 0, .e = bound * (1 + bound_rounding_product)};
}

dls_tracked dls_minors_determinant(dls_minors *w)
{
  eliminate(w, false);
  if (w->rank < w->order) return vanishing(w);
  return (dls_tracked){.x = odd(w) ? -w->last.x : w->last.x, .e = w->last.e};
}
