// Interior points for piles: bodies and contacts with the slips s in De Saxce's correction given.
#ifndef DLS_SOLVE_BODIES_INTERIOR_H
#define DLS_SOLVE_BODIES_INTERIOR_H

#include "solve/bodies.h"

typedef struct dls_interior_report {
  double error;    // |F| / |q| of the convex problem, with s as given
  int iterations;  // of the interior points
  long linear;     // iterations of the linear solver, all together
  size_t bytes;    // that it held at most, besides the bodies
} dls_interior_report;

// min |y - y0|^2 / 2 subject to u + mu s e_N in K*, eq (bod.3). slip: contacts, in the order of the
// problem; NULL: 0. Where all contacts stick at the solution, it solves Coulomb's law itself.
// Stops at the tolerance, after `most` iterations, or where rounding errors end the progress;
// r, y: out, the best point; whatever it is worth is in the report.
dls_status dls_bodies_interior(const dls_bodies *b, const dls_incremental *problem,
                               const double *slip, double tolerance, int most, double *r, double *y,
                               dls_interior_report *report);

#endif
