// Sparse LU of any regular matrix: SuiteSparse's KLU.
#ifndef DLS_LINALG_SPARSE_LU_H
#define DLS_LINALG_SPARSE_LU_H

#include <delassus/status.h>
#include <stdbool.h>

typedef struct dls_sparse_lu dls_sparse_lu;

// n x n, by columns; the pattern must outlive it. Chooses pivots for the numbers x.
// DLS_ERR_NUMBER when the matrix is singular or not finite.
dls_status dls_sparse_lu_create(int n, const int *p, const int *i, const double *x,
                                dls_sparse_lu **out);
void dls_sparse_lu_free(dls_sparse_lu *f);  // NULL is fine

// Other numbers on the same pattern and pivots; false when these do not do. Allocates nothing.
bool dls_sparse_lu_factor(dls_sparse_lu *f, const double *x);
// Reciprocal pivot growth of the last factors: far below 1 when their pivots are too small.
double dls_sparse_lu_growth(dls_sparse_lu *f);
void dls_sparse_lu_solve(dls_sparse_lu *f, double *b);  // in place; allocates nothing

#endif
