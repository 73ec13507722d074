// The sparse matrices of FCLIB files, put together to the ones of the incremental problem.
#ifndef DLS_IO_FCLIB_MATRIX_H
#define DLS_IO_FCLIB_MATRIX_H

#include "io/hdf5_file.h"

#include <delassus/incremental.h>

// As the file declares it; the entries follow when the sizes are known to fit.
typedef struct dls_fclib_matrix {
  char place[40];  // of its group
  int m, n;
  int nz;     // number of triplets, -1: compressed columns, -2: compressed rows
  int nzmax;  // entries at most
  int count;  // entries
  const int *row, *col;
  const double *x;
} dls_fclib_matrix;

// m, n, nz and nzmax.
bool dls_fclib_matrix_sizes(dls_hdf5 *h, const char *place, dls_fclib_matrix *A);
// Fails unless the matrix is m x n.
bool dls_fclib_matrix_expect(dls_hdf5 *h, const dls_fclib_matrix *A, int m, int n);
// The entries, with indices in range.
bool dls_fclib_matrix_entries(dls_hdf5 *h, dls_fclib_matrix *A);

// A matrix in its place in a larger one.
typedef struct dls_fclib_block {
  const dls_fclib_matrix *A;
  int row, col;    // where its first entry goes
  bool transpose;  // A^T goes there
} dls_fclib_block;

// Compressed columns with increasing rows; entries of one place are added. keep: gets the result.
bool dls_fclib_assemble(dls_hdf5 *h, dls_arena *keep, int rows, int cols, int blocks,
                        const dls_fclib_block *block, dls_matrix_view *out);

#endif
