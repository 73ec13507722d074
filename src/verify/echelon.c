#include "verify/echelon.h"

#include <math.h>

bool dls_echelon_create(dls_trial *x, ptrdiff_t rows, ptrdiff_t cols, ptrdiff_t constants,
                        const double *given, dls_echelon *s)
{
  const ptrdiff_t taken = cols + constants;
  *s = (dls_echelon){.rows = rows, .cols = cols, .weights = taken, .width = taken + rows};
  s->A = dls_trial_alloc(x, rows * s->width, sizeof *s->A);
  s->row = dls_trial_alloc(x, rows + cols, sizeof *s->row);
  s->row_used = dls_trial_alloc(x, rows + cols, sizeof *s->row_used);
  if (!s->A || !s->row || !s->row_used) return false;
  s->col = s->row + rows, s->col_used = s->row_used + rows;
  for (ptrdiff_t i = 0; i < rows; i++) {
    for (ptrdiff_t j = 0; j < taken; j++) s->A[s->width * i + j] = given[taken * i + j];
    s->A[s->width * i + taken + i] = 1;
  }
  return true;
}

static bool find_pivot(const dls_echelon *s, long double least, ptrdiff_t *row, ptrdiff_t *col)
{
  long double largest = least;
  for (ptrdiff_t i = 0; i < s->rows; i++)
    for (ptrdiff_t j = 0; j < s->cols && !s->row_used[i]; j++)
      if (!s->col_used[j] && fabsl(s->A[s->width * i + j]) > largest)
        largest = fabsl(s->A[s->width * i + j]), *row = i, *col = j;
  return largest > least;
}

void dls_pivot_rows(long double *A, ptrdiff_t rows, ptrdiff_t width, ptrdiff_t row, ptrdiff_t col)
{
  long double *top = A + width * row;
  const long double pivot = top[col];
  for (ptrdiff_t j = 0; j < width; j++) top[j] /= pivot;
  for (ptrdiff_t i = 0; i < rows; i++) {
    long double *other = A + width * i;
    const long double factor = i == row ? 0 : other[col];
    for (ptrdiff_t j = 0; j < width && factor != 0; j++) {
      const long double term = factor * top[j];
      other[j] -= term;
      if (fabsl(other[j]) <= cancelled * fabsl(term)) other[j] = 0;
    }
  }
}

void dls_echelon_eliminate(dls_echelon *s, long double least, ptrdiff_t most)
{
  for (ptrdiff_t row = 0, col = 0; s->rank < most && find_pivot(s, least, &row, &col); s->rank++) {
    s->row[s->rank] = row, s->col[s->rank] = col;
    s->row_used[row] = s->col_used[col] = true;
    dls_pivot_rows(s->A, s->rows, s->width, row, col);
  }
}

void dls_echelon_add_weights(const dls_echelon *s, const double *row, long double factor,
                             long double *w)
{
  for (ptrdiff_t p = 0; p < s->rank; p++)
    for (ptrdiff_t i = 0; i < s->rows; i++)
      w[i] += factor * row[s->col[p]] * s->A[s->width * s->row[p] + s->weights + i];
}
