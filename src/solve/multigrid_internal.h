// What the parts of the multigrid share.
#ifndef DLS_SOLVE_MULTIGRID_INTERNAL_H
#define DLS_SOLVE_MULTIGRID_INTERNAL_H

#include "solve/multigrid.h"

enum { N = DLS_BODY_SIZE, B = N * N, LEVELS = 12, COARSEST = 100, WORK = 8 };

typedef struct level {
  int n, coarse;         // blocks here, and on the next level
  int *p, *col;          // rows of blocks, without the diagonal
  int *aggregate, *map;  // n; block -> block of the next level, -1: its diagonal
  double *value, *diagonal, *inverse;
  double *P, *place;   // n x 36, n x 3
  double *work[WORK];  // n x 6 each
} level;

struct dls_multigrid {
  const dls_bodies *b;
  const double *D;
  int levels;
  level at[LEVELS];
  int *slot;      // contacts x 2: block (own side, other side)
  double *dense;  // factor of the coarsest matrix
  size_t bytes;
};

#endif
