// What the solvers of the convex problem of a given slip share. It is the incremental problem with
// the constant s_i in the place of |u_T|,
//
//   min 1/2 r^T W r + (q + E s)^T r over K,   E s = mu_i s_i in the normal rows.       eq (cvx.1)
#ifndef DLS_SOLVE_CONVEX_PART_H
#define DLS_SOLVE_CONVEX_PART_H

#include "solve/solver_run.h"

typedef enum dls_convex_end {
  DLS_CONVEX_SOLVED,
  DLS_CONVEX_STUCK,  // as good as it gets, or out of patience
  DLS_CONVEX_OVER    // the run is over
} dls_convex_end;

// How far the measured point is from solving it: r - P_K(r - rho (u + E s)) in units of velocity,
// relative to |q|. rho: of dls_operator_rho.
double dls_convex_error(const dls_run *run, const double *rho, const double *slip);

// Accelerated projected gradients from run->r. work: of dls_gradient_create.
void *dls_gradient_create(dls_run *run);  // NULL: out of memory
dls_convex_end dls_gradient_convex(dls_run *run, void *work, const double *slip, double tolerance,
                                   int most, int *iterations);

#endif
