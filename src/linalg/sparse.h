// Sparse matrices in compressed columns: the row indices of column j are i[p[j]] ... i[p[j+1]-1],
// strictly increasing, their values stand in x. A matrix owns its arrays.
#ifndef DLS_LINALG_SPARSE_H
#define DLS_LINALG_SPARSE_H

#include <delassus/status.h>
#include <delassus/system.h>
#include <stdbool.h>

typedef struct dls_sparse {
  int rows, cols;
  int *p;     // cols + 1
  int *i;     // p[cols]
  double *x;  // p[cols]
} dls_sparse;

// From count triplets in any order; values on the same place are added, zeros are kept.
// DLS_ERR_ARGUMENT when an index is out of range.
dls_status dls_sparse_from_triplets(int rows, int cols, int count, const int *row, const int *col,
                                    const double *value, dls_sparse **out);

// A copy of the pattern with its values; values may be NULL (zeros). DLS_ERR_ARGUMENT when the
// pattern is not in order.
dls_status dls_sparse_from_pattern(const dls_pattern *pattern, const double *values,
                                   dls_sparse **out);

dls_status dls_sparse_transpose(const dls_sparse *A, dls_sparse **out);
void dls_sparse_free(dls_sparse *A);  // NULL is fine

// y = alpha op(A) x + beta y; with beta = 0 the old y is not read. Allocates nothing.
void dls_sparse_multiply(bool transpose, double alpha, const dls_sparse *A, const double *x,
                         double beta, double *y);

// D: rows x cols, column-major.
void dls_pattern_to_dense(const dls_pattern *pattern, const double *values, double *D);

#endif
