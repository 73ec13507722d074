// Nonlinear Gauss-Seidel for the laws of contacts on a dense Delassus matrix: u = W r + q, and
// (u_i, r_i) obeys the law of contact i. r = (lambda, tau): the normal forces first, then the
// tangential ones, of as many slips as each contact has.
#ifndef DLS_SOLVE_COULOMB_GS_H
#define DLS_SOLVE_COULOMB_GS_H

#include "contact/law.h"

typedef struct dls_coulomb_dense {
  int m, tangents;
  const int *first;        // m + 1: slips of each contact
  const double *W;         // (m + tangents)^2, symmetric
  const double *q;         // m + tangents
  const dls_one_law *law;  // m; equations and unilateral contacts: the normal alone
} dls_coulomb_dense;

// r: start in, last sweep out. Stops when a sweep changes no force by more than `tolerance` of the
// largest. Returns how many sweeps it made; no claim about the result: recompute the residual.
// Allocates nothing.
int dls_coulomb_gs(const dls_coulomb_dense *problem, double tolerance, int max_sweeps, double *r);

#endif
