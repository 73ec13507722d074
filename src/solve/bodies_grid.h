// Multigrid for (1 + G D G^T) x = b over bodies: aggregates of bodies that move as rigid bodies.
#ifndef DLS_SOLVE_BODIES_GRID_H
#define DLS_SOLVE_BODIES_GRID_H

#include "solve/bodies.h"

typedef struct dls_grid dls_grid;

// Places of the bodies are read off the levers in H, where it has any; they shape the coarse
// motions only, so that a wrong place costs iterations and not accuracy.
dls_status dls_grid_create(const dls_bodies *b, const dls_incremental *problem, dls_grid **out);
void dls_grid_free(dls_grid *g);  // NULL is fine
size_t dls_grid_bytes(const dls_grid *g);

// D: contacts x 9, symmetric and positive semidefinite, in the order of colours; kept by the
// caller. False when a block is not definite, or not finite. Allocates nothing.
bool dls_grid_fill(dls_grid *g, const double *D);

// Preconditioned conjugate gradients until |b - A x| <= tolerance |b|; x: out. Returns the
// iterations made. One thread.
int dls_grid_solve(dls_grid *g, const double *b, double tolerance, int most, double *x);

#endif
