// The interior-point method as a part of others.
#ifndef DLS_SOLVE_INTERIOR_H
#define DLS_SOLVE_INTERIOR_H

#include "solve/convex_part.h"

// self: of dls_method_interior.create, after dls_run_prepare. It has its own start. False when the
// run is over, true when it cannot go on.
bool dls_interior_iterate(dls_run *run, void *self, int most);

// The convex problem of a given slip, eq (cvx.1), from the solution of the last one when `change`,
// the largest change of the slips, is small. Counts its iterations.
dls_convex_end dls_interior_convex(dls_run *run, void *self, const double *rho, const double *slip,
                                   double tolerance, double change, int *iterations);
void dls_interior_forget(void *self);  // the last solution

#endif
