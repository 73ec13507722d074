// Multigrid for (1 + G D G^T) x = b over bodies: aggregates of bodies that move as rigid bodies.
#ifndef DLS_SOLVE_MULTIGRID_H
#define DLS_SOLVE_MULTIGRID_H

#include "solve/bodies.h"

typedef struct dls_multigrid dls_multigrid;

// Places of the bodies are read off the levers in H, where it has any; they shape the coarse
// motions only, so that a wrong place costs iterations and not accuracy.
dls_status dls_multigrid_create(const dls_bodies *b, const dls_incremental *problem,
                                dls_multigrid **out);
void dls_multigrid_free(dls_multigrid *g);  // NULL is fine

// D: contacts x 9, symmetric and positive semidefinite, in the order of colours; kept by the
// caller. False when a block is not definite, or not finite. Allocates nothing.
bool dls_multigrid_fill(dls_multigrid *g, const double *D);

// Preconditioned conjugate gradients until |b - A x| <= tolerance |b|; x: out. Returns the
// iterations made. One thread.
int dls_multigrid_solve(dls_multigrid *g, const double *b, double tolerance, int most, double *x);

#endif
