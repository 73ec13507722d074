// Entries of a sparse matrix as they come: put one after the other, then made a matrix.
#ifndef DLS_LINALG_TRIPLETS_H
#define DLS_LINALG_TRIPLETS_H

#include "linalg/sparse.h"

typedef struct dls_triplets {
  int *row, *col;
  double *value;
  ptrdiff_t count, capacity[3];
  bool failed;  // memory ran out: what was put since is lost
} dls_triplets;

void dls_triplets_put(dls_triplets *entries, int row, int col, double value);  // zeros are left out
dls_status dls_triplets_sparse(const dls_triplets *entries, int rows, int cols, dls_sparse **out);
void dls_triplets_free(dls_triplets *entries);

#endif
