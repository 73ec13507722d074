// Dense linear algebra over LAPACK, all matrices column-major without padding (leading dimension
// = rows). Sizes may be zero. Functions that factor take their own copy of the matrix, and answer
// DLS_ERR_NUMBER when it holds NaN or infinity or when a result overflows, DLS_ERR_LIMIT beyond
// 15000 rows or columns, DLS_ERR_SOLVER when LAPACK does not converge. Symmetric matrices are
// read from their lower triangle. Factorisations scale by powers of two: entries around 1e+-150
// and beyond are fine.
#ifndef DLS_LINALG_DENSE_H
#define DLS_LINALG_DENSE_H

#include <delassus/status.h>
#include <stdbool.h>

// C (rows x cols) = alpha op(A) op(B) + beta C, op by transpose flags; inner is the contracted
// size. With beta = 0 the old content of C (or y) is not read.
void dls_gemm(bool ta, bool tb, int rows, int cols, int inner, double alpha, const double *A,
              const double *B, double beta, double *C);
// y = alpha op(A) x + beta y, A is rows x cols.
void dls_gemv(bool ta, int rows, int cols, double alpha, const double *A, const double *x,
              double beta, double *y);
double dls_dot(int n, const double *x, const double *y);
double dls_norm2(int n, const double *x);     // without overflow; NaN stays NaN
double dls_norm_max(int n, const double *x);  // largest |x_i|; NaN stays NaN

// Full singular value decomposition A = U diag(s) V^T: U rows x rows, V cols x cols (columns are
// the vectors), s of length min(rows, cols), decreasing. U or V may be NULL. Blocks that the
// pattern of a large A decouples are treated apart. A is kept.
dls_status dls_svd(int rows, int cols, const double *A, double *U, double *s, double *V);

// Eigenvalues in increasing order and orthonormal vectors (columns of V; V may be NULL) of a
// symmetric matrix. Blocks that the pattern of A decouples are treated apart, so that a block
// diagonal mass matrix costs what its blocks cost. A is kept.
dls_status dls_eigen_symmetric(int n, const double *A, double *w, double *V);

// Eigenvalues re + i im of any square matrix, in no particular order; conjugate pairs stand
// together. A is kept.
dls_status dls_eigen_general(int n, const double *A, double *re, double *im);

// Lower Cholesky factor of A in L (strict upper part zeroed). *definite is false when a pivot is
// not positive; L is then unspecified.
dls_status dls_cholesky(int n, const double *A, double *L, bool *definite);
// B <- L^-1 B, or L^-T B when transpose; B is n x cols, L has a nonzero diagonal.
void dls_lower_solve(int n, int cols, const double *L, bool transpose, double *B);

// Solves the square system A X = B by LU and one or two steps of iterative refinement with
// residuals in long double. *rcond: estimated reciprocal condition number of A in the 1-norm; 0
// when a pivot vanishes or X overflows: X is then unspecified.
dls_status dls_solve(int n, int cols, const double *A, const double *B, double *X, double *rcond);

// A x = b and A^T y = c with one factorisation, otherwise like dls_solve.
dls_status dls_solve_pair(int n, const double *A, const double *b, double *x, const double *c,
                          double *y, double *rcond);

// Column-pivoted QR: order[0..min(rows,cols)-1] are the columns in the order of the pivoting,
// r the absolute values of the diagonal of R (decreasing up to rounding). For choosing independent
// columns.
dls_status dls_qr_pivots(int rows, int cols, const double *A, int *order, double *r);

#endif
