// Small dense matrices, row after row.
#ifndef DLS_STEP_ROWS_H
#define DLS_STEP_ROWS_H

#include <math.h>
#include <stddef.h>

static inline double *dls_row_of(double *rows, int r, int length)
{
  return rows + (ptrdiff_t)r * length;
}

static inline double dls_row_dot(int count, const double *a, const double *b)
{
  double sum = 0;
  for (int k = 0; k < count; k++) sum += a[k] * b[k];
  return sum;
}

static inline double dls_row_length(int count, const double *x)
{
  return sqrt(dls_row_dot(count, x, x));
}

#endif
