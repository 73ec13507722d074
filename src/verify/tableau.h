// The simplex method on the dual of a linear program, in long double: a search, whose results are
// proven elsewhere.
#ifndef DLS_VERIFY_TABLEAU_H
#define DLS_VERIFY_TABLEAU_H

#include "verify/trial.h"

// min g^T kappa with A kappa = b, kappa >= 0; artificial columns after the others show B^-1.
typedef struct dls_simplex {
  ptrdiff_t rows, cols, width;  // width: cols + rows artificial + 1 right-hand side
  long double *T, *cost;        // cost: g
  ptrdiff_t *basis;
  long double *price;  // rows: pi
  long double *sign;   // rows: of the right-hand side
  long double least;   // what gains and the entries of pivots must exceed
  ptrdiff_t idle;      // steps in which nothing was gained: many of them may be a circle
  bool disturbed;      // the right-hand sides are
} dls_simplex;

typedef enum dls_outcome {
  DLS_OPTIMAL,
  DLS_INFEASIBLE,
  DLS_UNBOUNDED,
  DLS_FAILED,
} dls_outcome;

// Room for rows and cols; false when memory runs out.
bool dls_tableau_create(dls_trial *x, ptrdiff_t rows, ptrdiff_t cols, dls_simplex *s);
// Right-hand sides that are 0 let the search go in circles: none is, then.
void dls_tableau_disturb(dls_simplex *s);
// From the artificial basis to the best one.
dls_outcome dls_tableau_run(dls_simplex *s);

#endif
