// A step of Newton's method where W is formed and blocks are few: only the unknowns that the law
// leaves.
#ifndef DLS_SOLVE_NEWTON_DENSE_H
#define DLS_SOLVE_NEWTON_DENSE_H

#include "solve/solver_run.h"

typedef struct dls_newton_dense dls_newton_dense;

// *out stays NULL where another way is better.
dls_status dls_newton_dense_create(dls_run *run, dls_newton_dense **out);

// What the measured point is: rho per block, y = rho u (padded). Returns |F| / |r|, eq (new.1).
double dls_newton_dense_residual(dls_newton_dense *n, const double *rho, const double *y);
// The step with the regularization eps, eq (new.2), subtracted from run->r. False when the system
// is singular or numbers are not finite; run->r is then unchanged.
bool dls_newton_dense_step(dls_newton_dense *n, double eps);
// The same with the factors of the last step, which is cheap. False also when the state of some
// contact differs, or there are no factors.
bool dls_newton_dense_again(dls_newton_dense *n);

#endif
