// Alternating directions: what a program that measures them may set and read. The `self` of the
// method admm is a dls_admm.
#ifndef DLS_SOLVE_ADMM_H
#define DLS_SOLVE_ADMM_H

#include "solve/solver_run.h"

typedef struct dls_admm {
  // a setting, of the creation; it may be changed before a solve
  int changes;  // of the penalty in one solve, at most; default 40

  // what the last solve did
  int factorizations;  // at most 1 + changes
  double rho;          // the last penalty

  // its own; all vectors are padded
  double *D;             // per block
  double *Q;             // the penalty as blocks
  double *x, *y, *z;     // of eq (adm.1)
  double *old;           // z of the pass before
  double *gradient;      // W x + q + E s
  double *reference[4];  // x, gradient, z and y, some passes ago
} dls_admm;

// The spectral penalty, eq (adm.2), of x, W x + q + E s, z and y now and some passes ago, D per
// contact of the operator: 0 where neither half has changed in a way that tells anything.
double dls_admm_spectral(const dls_operator *op, const double *D, const double *const now[4],
                         double *const old[4]);

#endif
