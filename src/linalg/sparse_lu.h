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
// For matrices whose diagonal does for pivots when the rows that are marked come behind the others
// of their column: the order comes from the pattern, and numbers later. The diagonal must be in the
// pattern. DLS_ERR_LIMIT when the factors would be too large.
dls_status dls_sparse_lu_create_diagonal(int n, const int *p, const int *i, const bool *late,
                                         dls_sparse_lu **out);
void dls_sparse_lu_free(dls_sparse_lu *f);  // NULL is fine

// Other numbers on the same pattern and pivots; false when one of these is zero. Allocates nothing.
bool dls_sparse_lu_factor(dls_sparse_lu *f, const double *x);
// The same; false also when the pivots do badly.
bool dls_sparse_lu_factor_well(dls_sparse_lu *f, const double *x);
// The same, with pivots of its own where those of the creation do badly: what comes out depends on
// x alone, not on what was factored before. Allocates only then. False when the matrix is singular.
bool dls_sparse_lu_factor_any(dls_sparse_lu *f, const double *x);
// The smallest pivot of the last factors over the largest.
double dls_sparse_lu_pivots(dls_sparse_lu *f);
// The sign of the determinant of the last factors; 0 when a pivot is zero.
int dls_sparse_lu_sign(dls_sparse_lu *f);
// b: count columns of n, in place. Allocates nothing.
void dls_sparse_lu_solve(dls_sparse_lu *f, int count, double *b);

#endif
