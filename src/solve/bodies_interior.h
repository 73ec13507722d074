// Interior points for piles: bodies and contacts with the slips s in De Saxce's correction given.
#ifndef DLS_SOLVE_BODIES_INTERIOR_H
#define DLS_SOLVE_BODIES_INTERIOR_H

#include "solve/bodies.h"

typedef struct dls_interior_report {
  double error;    // |F| / |q| of the convex problem, with s as given
  int iterations;  // of the interior points
  long linear;     // iterations of the linear solver, all together
} dls_interior_report;

typedef struct dls_bodies_interior dls_bodies_interior;

// b must outlive it. The places of the bodies for the multigrid are read off the problem.
dls_status dls_bodies_interior_create(const dls_bodies *b, const dls_incremental *problem,
                                      dls_bodies_interior **out);
void dls_bodies_interior_free(dls_bodies_interior *t);  // NULL is fine

// min |y - y0|^2 / 2 subject to u + mu s e_N in K*, eq (bod.3). slip: contacts, in the order of the
// problem; NULL: 0. Where all contacts stick at the solution, it solves Coulomb's law itself.
// Stops at the tolerance, after `most` iterations, when watch(self) answers true (it may be NULL),
// or where rounding errors end the progress. r: out, the best point; whatever it is worth is in the
// report. Allocates nothing.
void dls_bodies_interior_solve(dls_bodies_interior *t, const double *slip, double tolerance,
                               int most, bool (*watch)(void *self), void *self, double *r,
                               dls_interior_report *report);

#endif
