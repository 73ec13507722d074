// A tableau of whole numbers over one common denominator. What stands in its rows is expressed by
// what stands in its columns,
//   (row i) = sum_j T_ij (column j) / D + T_in / D,
// and an exchange divides without remainder, because every entry is a minor of the data (Edmonds,
// Bareiss). Equations leave first, then the free x enter the rows; what is left are inequalities
// expressed by inequalities, and the dual simplex method with least indices (Bland) ends.
#include "convex/lp_exact.h"

#include "base/memory.h"
#include "exact/integer.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

// Products of digits, over all exchanges: a fraction of a second.
static const double max_work = 5e8;
enum { WIDEST = 2000 };  // binary digits of the data

typedef struct tableau {
  int rows, cols;        // cols without the constants
  int *in_row, *in_col;  // who stands there: x_j is j, row i is cols + i
  const bool *equation;
  int *shift;  // row i has been multiplied by 2^shift
  dls_integers T;
  ptrdiff_t D, scratch;
  double work;
  bool ready;
} tableau;

static ptrdiff_t entry(const tableau *t, int i, int j)
{
  return i * ((ptrdiff_t)t->cols + 1) + j;
}

static int exponent_of(double x)
{
  int e = 0;
  (void)frexp(x, &e);
  return e;
}

// The place of the lowest bit of a double that is not zero.
static int lowest_bit(double x)
{
  int e = 0;
  const double part = ldexp(frexp(fabs(x), &e), 53);
  uint64_t whole = (uint64_t)part;
  e -= 53;
  for (; !(whole & 1); whole >>= 1) e++;
  return e;
}

// How many bits entries may take: a minor is at most the product of the lengths of its rows.
static bool find_bits(tableau *t, const double *a, int *bits)
{
  int *wide = dls_alloc(t->rows, sizeof *wide);
  if (!wide) return false;
  const ptrdiff_t n = (ptrdiff_t)t->cols + 1;
  *bits = 0;
  for (int i = 0; i < t->rows; i++) {
    int high = -5000, low = 5000;
    for (ptrdiff_t j = 0; j < n; j++) {
      const double x = a[i * n + j];
      if (x == 0) continue;
      const int top = exponent_of(x), bottom = lowest_bit(x);
      high = top > high ? top : high, low = bottom < low ? bottom : low;
    }
    t->shift[i] = high < low ? 0 : -low;
    wide[i] = high < low ? 0 : high - low + (int)ceil(0.5 * log2((double)n));
    if (wide[i] > WIDEST) *bits = -1;
  }
  for (int k = 0; *bits >= 0 && k < t->cols + 1 && k < t->rows; k++) {
    int widest = 0;
    for (int i = 1; i < t->rows; i++)
      if (wide[i] > wide[widest]) widest = i;
    *bits += wide[widest];
    wide[widest] = 0;
  }
  free(wide);
  return true;
}

static dls_status open_tableau(const dls_exact_rows *r, tableau *t)
{
  const ptrdiff_t rows = r->rows, cols = r->cols;
  int bits = 0;
  *t = (tableau){.rows = r->rows, .cols = r->cols, .equation = r->equation};
  t->in_row = dls_alloc(2 * rows + cols, sizeof *t->in_row);
  if (!t->in_row) return DLS_ERR_MEMORY;
  t->shift = t->in_row + rows, t->in_col = t->shift + rows;
  if (!find_bits(t, r->a, &bits)) return DLS_ERR_MEMORY;
  const double digits = bits / 32.0 + 1;
  t->work = (double)rows * (double)(cols + 1) * digits * digits * 2;
  if (bits < 0 || t->work * (double)cols > max_work) return DLS_OK;
  dls_status status = dls_integers_create(rows * (cols + 1) + 2, bits, &t->T);
  if (status != DLS_OK) return status;
  t->D = rows * (cols + 1), t->scratch = t->D + 1;
  dls_integer_set(&t->T, t->D, 1, 0);
  for (int i = 0; i < t->rows; i++)
    for (int j = 0; j <= t->cols; j++)
      dls_integer_set(&t->T, entry(t, i, j), r->a[entry(t, i, j)], t->shift[i]);
  for (int i = 0; i < t->rows; i++) t->in_row[i] = t->cols + i;
  for (int j = 0; j < t->cols; j++) t->in_col[j] = j;
  t->ready = true;
  return DLS_OK;
}

static void close_tableau(tableau *t)
{
  dls_integers_free(&t->T);
  free(t->in_row);
}

static bool is_free(const tableau *t, int who)
{
  return who < t->cols;
}

static bool is_equation(const tableau *t, int who)
{
  return who >= t->cols && t->equation[who - t->cols];
}

// Row r and column c change places: c = (D r - sum of the others) / T_rc.
static void exchange(tableau *t, int r, int c)
{
  dls_integers *T = &t->T;
  const ptrdiff_t p = entry(t, r, c);
  for (int i = 0; i < t->rows; i++) {
    const ptrdiff_t left = entry(t, i, c);
    if (i == r) continue;
    for (int j = 0; j <= t->cols; j++)
      if (j != c) dls_integer_pivot(T, entry(t, i, j), p, left, entry(t, r, j), t->D);
  }
  for (int j = 0; j <= t->cols; j++)
    if (j != c) dls_integer_negate(T, entry(t, r, j));
  dls_integer_copy(T, t->scratch, t->D);
  dls_integer_copy(T, t->D, p);
  dls_integer_copy(T, p, t->scratch);
  const int who = t->in_row[r];
  t->in_row[r] = t->in_col[c], t->in_col[c] = who;
  if (dls_integer_sign(T, t->D) > 0) return;
  for (ptrdiff_t k = 0; k <= t->D; k++) dls_integer_negate(T, k);
}

// The shortest entry that is not zero makes the shortest numbers.
static int best_free_column(const tableau *t, int i)
{
  int best = -1;
  for (int j = 0; j < t->cols; j++) {
    const ptrdiff_t at = entry(t, i, j);
    if (!is_free(t, t->in_col[j]) || dls_integer_sign(&t->T, at) == 0) continue;
    if (best < 0 || dls_integer_bits(&t->T, at) < dls_integer_bits(&t->T, entry(t, i, best)))
      best = j;
  }
  return best;
}

// The row says (row i) = combination of what is zero or not negative, plus a negative number.
static void read_multipliers(const tableau *t, int i, int sign, double *y)
{
  double largest = 0;
  for (int k = 0; k < t->rows; k++) y[k] = 0;
  y[t->in_row[i] - t->cols] = sign;
  for (int j = 0; j < t->cols; j++)
    if (!is_free(t, t->in_col[j]))
      y[t->in_col[j] - t->cols] = -sign * dls_integer_ratio(&t->T, entry(t, i, j), t->D);
  for (int k = 0; k < t->rows; k++) {
    y[k] = ldexp(y[k], t->shift[k]);
    largest = fmax(largest, fabs(y[k]));
  }
  for (int k = 0; k < t->rows; k++) y[k] /= largest;
}

static void read_point(const tableau *t, double *x)
{
  for (int j = 0; j < t->cols; j++) x[j] = 0;
  for (int i = 0; i < t->rows; i++)
    if (is_free(t, t->in_row[i]))
      x[t->in_row[i]] = dls_integer_ratio(&t->T, entry(t, i, t->cols), t->D);
}

// Equations leave the rows. *contradiction: one that says 0 = c, or -1.
static int remove_equations(tableau *t, int *contradiction)
{
  int rank = 0;
  *contradiction = -1;
  for (int i = 0; i < t->rows; i++) {
    if (!is_equation(t, t->in_row[i])) continue;
    const int c = best_free_column(t, i);
    if (c >= 0) exchange(t, i, c), rank++;
    else if (*contradiction < 0 && dls_integer_sign(&t->T, entry(t, i, t->cols)) != 0)
      *contradiction = i;
  }
  return rank;
}

static void enter_free(tableau *t)
{
  for (int i = 0; i < t->rows; i++) {
    if (is_free(t, t->in_row[i]) || is_equation(t, t->in_row[i])) continue;
    const int c = best_free_column(t, i);
    if (c >= 0) exchange(t, i, c);
  }
}

// The row of an inequality that is negative, by least index; -1 when there is none.
static int leaving(const tableau *t)
{
  int best = -1;
  for (int i = 0; i < t->rows; i++) {
    const int who = t->in_row[i];
    if (is_free(t, who) || is_equation(t, who)) continue;
    if (dls_integer_sign(&t->T, entry(t, i, t->cols)) < 0 && (best < 0 || who < t->in_row[best]))
      best = i;
  }
  return best;
}

static int entering(const tableau *t, int i)
{
  int best = -1;
  for (int j = 0; j < t->cols; j++) {
    const int who = t->in_col[j];
    if (is_free(t, who) || is_equation(t, who)) continue;
    if (dls_integer_sign(&t->T, entry(t, i, j)) > 0 && (best < 0 || who < t->in_col[best]))
      best = j;
  }
  return best;
}

static void settle(tableau *t, double *x, double *y, dls_exact_outcome *outcome)
{
  double spent = 0;
  for (;;) {
    const int i = leaving(t), j = i >= 0 ? entering(t, i) : -1;
    if (i < 0 && x) read_point(t, x);
    if (i >= 0 && j < 0 && y) read_multipliers(t, i, 1, y);
    if (i < 0 || j < 0) {
      *outcome = i < 0 ? DLS_EXACT_POINT : DLS_EXACT_EMPTY;
      return;
    }
    spent += t->work;
    if (spent > max_work) return;
    exchange(t, i, j);
  }
}

dls_status dls_exact_solve(const dls_exact_rows *rows, double *x, double *y, int *rank,
                           dls_exact_outcome *outcome)
{
  tableau t;
  int contradiction = -1;
  *outcome = DLS_EXACT_LARGE;
  const dls_status status = open_tableau(rows, &t);
  if (status == DLS_OK && t.ready) {
    const int found = remove_equations(&t, &contradiction);
    if (rank) *rank = found;
    if (contradiction >= 0) {
      const int sign = dls_integer_sign(&t.T, entry(&t, contradiction, t.cols));
      if (y) read_multipliers(&t, contradiction, -sign, y);
      *outcome = DLS_EXACT_EMPTY;
    } else {
      enter_free(&t);
      settle(&t, x, y, outcome);
    }
  }
  close_tableau(&t);
  return status;
}

// All columns are exchanged for rows: the last denominator is the determinant, up to the signs of
// the order and of the pivots.
// All rows have left: what stands in the rows are the unknowns.
static void read_inverse(const tableau *t, double *inverse)
{
  for (int i = 0; i < t->rows; i++)
    for (int j = 0; j < t->cols; j++) {
      const int row = t->in_col[j] - t->cols;
      inverse[t->in_row[i] + t->rows * row] =
          ldexp(dls_integer_ratio(&t->T, entry(t, i, j), t->D), t->shift[row]);
    }
}

dls_status dls_exact_determinant(int n, const double *a, int *sign, double *inverse)
{
  bool *equation = dls_alloc((ptrdiff_t)n + 1, sizeof *equation);
  double *rows = dls_alloc(n * ((ptrdiff_t)n + 1), sizeof *rows);
  tableau t = {0};
  dls_status status = equation && rows ? DLS_OK : DLS_ERR_MEMORY;
  for (int i = 0; i < n && status == DLS_OK; i++) {
    equation[i] = true;
    for (int j = 0; j < n; j++) rows[i * (n + 1) + j] = a[i + n * j];
  }
  const dls_exact_rows data = {n, n, rows, equation};
  if (status == DLS_OK) status = open_tableau(&data, &t);
  *sign = 2;
  if (status == DLS_OK && t.ready) {
    *sign = 1;
    for (int i = 0; i < n && *sign; i++) {
      const int c = best_free_column(&t, i);
      *sign = c < 0 ? 0 : *sign * dls_integer_sign(&t.T, entry(&t, i, c));
      if (c >= 0) exchange(&t, i, c);
    }
    // in_row is the permutation
    for (int i = 0; i < n && *sign; i++)
      for (int k = i + 1; k < n; k++)
        if (t.in_row[k] < t.in_row[i]) *sign = -*sign;
    if (*sign && inverse) read_inverse(&t, inverse);
  }
  close_tableau(&t);
  free(equation), free(rows);
  return status;
}
