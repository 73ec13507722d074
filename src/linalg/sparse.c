#include "linalg/sparse.h"

#include "base/memory.h"

#include <limits.h>
#include <stdlib.h>

static dls_sparse *allocate(int rows, int cols, int entries)
{
  dls_sparse *A = dls_alloc(1, sizeof *A);
  if (!A) return NULL;
  A->rows = rows;
  A->cols = cols;
  A->p = dls_alloc((ptrdiff_t)cols + 1, sizeof(int));
  A->i = dls_alloc(entries, sizeof(int));
  A->x = dls_alloc(entries, sizeof(double));
  if (A->p && A->i && A->x) return A;
  dls_sparse_free(A);
  return NULL;
}

void dls_sparse_free(dls_sparse *A)
{
  if (!A) return;
  free(A->p);
  free(A->i);
  free(A->x);
  free(A);
}

dls_status dls_sparse_transpose(const dls_sparse *A, dls_sparse **out)
{
  dls_sparse *T = *out = allocate(A->cols, A->rows, A->p[A->cols]);
  int *next = dls_alloc((ptrdiff_t)A->rows + 1, sizeof(int));
  if (!T || !next) {
    free(next);
    dls_sparse_free(T);
    *out = NULL;
    return DLS_ERR_MEMORY;
  }
  for (int e = 0; e < A->p[A->cols]; e++) T->p[A->i[e] + 1]++;
  for (int r = 0; r < A->rows; r++) T->p[r + 1] += T->p[r];
  dls_copy(next, T->p, A->rows + 1);
  for (int j = 0; j < A->cols; j++)
    for (int e = A->p[j]; e < A->p[j + 1]; e++) {
      int place = next[A->i[e]]++;
      T->i[place] = j;
      T->x[place] = A->x[e];
    }
  free(next);
  return DLS_OK;
}

// Adds up neighbours on the same place; the rows of each column are in order.
static void merge(dls_sparse *A)
{
  int write = 0;
  for (int j = 0, e = 0; j < A->cols; j++) {
    int first = write, end = A->p[j + 1];
    for (; e < end; e++) {
      if (write > first && A->i[write - 1] == A->i[e]) {
        A->x[write - 1] += A->x[e];
        continue;
      }
      A->i[write] = A->i[e];
      A->x[write++] = A->x[e];
    }
    A->p[j + 1] = write;
  }
}

dls_status dls_sparse_from_triplets(int rows, int cols, int count, const int *row, const int *col,
                                    const double *value, dls_sparse **out)
{
  *out = NULL;
  if (rows < 0 || cols < 0 || count < 0 || rows == INT_MAX || cols == INT_MAX)
    return DLS_ERR_ARGUMENT;
  for (int k = 0; k < count; k++)
    if (row[k] < 0 || row[k] >= rows || col[k] < 0 || col[k] >= cols) return DLS_ERR_ARGUMENT;

  // sorted by row first: the transpose of that has its rows in order
  dls_sparse *T = allocate(cols, rows, count);
  int *next = dls_alloc((ptrdiff_t)rows + 1, sizeof(int));
  dls_status status = T && next ? DLS_OK : DLS_ERR_MEMORY;
  if (status == DLS_OK) {
    for (int k = 0; k < count; k++) T->p[row[k] + 1]++;
    for (int r = 0; r < rows; r++) T->p[r + 1] += T->p[r];
    dls_copy(next, T->p, rows + 1);
    for (int k = 0; k < count; k++) {
      int place = next[row[k]]++;
      T->i[place] = col[k];
      T->x[place] = value[k];
    }
    status = dls_sparse_transpose(T, out);
  }
  if (status == DLS_OK) merge(*out);
  free(next);
  dls_sparse_free(T);
  return status;
}

static bool in_order(const dls_pattern *a)
{
  if (a->rows < 0 || a->cols < 0 || a->cols == INT_MAX) return false;
  if (a->cols > 0 && a->p[0] != 0) return false;
  for (int j = 0; j < a->cols; j++) {
    if (a->p[j + 1] < a->p[j]) return false;
    for (int e = a->p[j]; e < a->p[j + 1]; e++)
      if (a->i[e] < 0 || a->i[e] >= a->rows || (e > a->p[j] && a->i[e] <= a->i[e - 1]))
        return false;
  }
  return true;
}

dls_status dls_sparse_from_pattern(const dls_pattern *a, const double *values, dls_sparse **out)
{
  *out = NULL;
  if (!in_order(a)) return DLS_ERR_ARGUMENT;
  int entries = a->cols > 0 ? a->p[a->cols] : 0;
  dls_sparse *A = allocate(a->rows, a->cols, entries);
  if (!A) return DLS_ERR_MEMORY;
  if (a->cols > 0) dls_copy(A->p, a->p, a->cols + 1);
  if (entries > 0) dls_copy(A->i, a->i, entries);
  if (entries > 0 && values) dls_copy(A->x, values, entries);
  *out = A;
  return DLS_OK;
}

void dls_sparse_multiply(bool transpose, double alpha, const dls_sparse *A, const double *x,
                         double beta, double *y)
{
  int length = transpose ? A->cols : A->rows;
  for (int k = 0; k < length; k++) y[k] = beta == 0 ? 0 : beta * y[k];
  for (int j = 0; j < A->cols; j++) {
    double sum = 0;
    for (int e = A->p[j]; e < A->p[j + 1]; e++) {
      if (transpose) sum += A->x[e] * x[A->i[e]];
      else y[A->i[e]] += alpha * A->x[e] * x[j];
    }
    if (transpose) y[j] += alpha * sum;
  }
}

void dls_pattern_to_dense(const dls_pattern *a, const double *values, double *D)
{
  ptrdiff_t rows = a->rows;
  for (ptrdiff_t k = 0; k < rows * a->cols; k++) D[k] = 0;
  for (int j = 0; j < a->cols; j++)
    for (int e = a->p[j]; e < a->p[j + 1]; e++) D[j * rows + a->i[e]] = values[e];
}
