// The second-order cone |x_T| <= x_N of a contact; without friction it is the half-line.
#ifndef DLS_SOLVE_SECOND_ORDER_CONE_H
#define DLS_SOLVE_SECOND_ORDER_CONE_H

#include "solve/solver_run.h"

#include <math.h>

// Rows of a contact that have a cone: all, or the normal one without friction.
static inline int dls_friction_cone_rows(const dls_run *run, int i)
{
  return run->mu[i] > 0 ? run->d : 1;
}

// |x_T|
static inline double dls_friction_cone_tail(int k, const double *x)
{
  return k == 3 ? hypot(x[1], x[2]) : k == 2 ? fabs(x[1]) : 0;
}

#endif
