// Gauss-Jordan elimination with complete pivoting, in long double: a search, whose results are
// proven elsewhere.
#ifndef DLS_VERIFY_ECHELON_H
#define DLS_VERIFY_ECHELON_H

#include "verify/trial.h"

// [A | constants | I] by rows: the pivot rows span the rows of A, and the last columns, the
// weights, tell how they are made of them.
typedef struct dls_echelon {
  ptrdiff_t rows, cols, weights, width;  // weights: where they begin
  long double *A;                        // rows x width
  ptrdiff_t rank, *row, *col;            // pivots
  bool *row_used, *col_used;
} dls_echelon;

// given: rows x (cols + constants), by rows. False when memory runs out.
bool dls_echelon_create(dls_trial *x, ptrdiff_t rows, ptrdiff_t cols, ptrdiff_t constants,
                        const double *given, dls_echelon *echelon);
// Up to `most` pivots that are larger than `least`.
void dls_echelon_eliminate(dls_echelon *echelon, long double least, ptrdiff_t most);
// Divides the row by its entry in the column, and takes the column out of all other rows.
void dls_pivot_rows(long double *A, ptrdiff_t rows, ptrdiff_t width, ptrdiff_t row, ptrdiff_t col);
// w += factor times the weights of what the pivot rows take off a row of numbers.
void dls_echelon_add_weights(const dls_echelon *echelon, const double *row, long double factor,
                             long double *w);

#endif
