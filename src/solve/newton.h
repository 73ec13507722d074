// Newton's method as a part of others.
#ifndef DLS_SOLVE_NEWTON_H
#define DLS_SOLVE_NEWTON_H

#include "solve/solver_run.h"

// From the measured point run->r, at most `most` steps. self: of dls_method_newton.create, after
// dls_run_prepare, and dls_gauss_seidel_start where the operator has rows. False when the run is
// over; true when there is no progress: `patience` steps without any, `attempts` times again.
bool dls_newton_iterate(dls_run *run, void *self, int most, int patience, int attempts);

// One Newton step of the problem with W + alpha / rho in the place of W and alpha / rho center
// taken from q, from the measured point; run->r is then to be measured. before: |F| / |r| of that
// problem before the step. False when the system cannot be solved; run->r is then unchanged.
bool dls_newton_proximal(dls_run *run, void *self, const double *center, double alpha,
                         double *before);

#endif
