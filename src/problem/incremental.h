// Parts of the incremental problem that solvers need too.
#ifndef DLS_PROBLEM_INCREMENTAL_H
#define DLS_PROBLEM_INCREMENTAL_H

#include <delassus/incremental.h>

enum { DLS_INCREMENTAL_LARGEST = 100000000 };  // rows

// F = r - P_K(r - u - mu |u_T| e_N) of one contact; returns |F|^2.                   eq (inc.4)
double dls_natural_map(int rows, double mu, const double *r, const double *u, double *F);

// dls_incremental_residual without allocating. u: rows, out. sum: work of as many numbers as rows,
// and as dof.
void dls_incremental_measure(const dls_incremental *problem, double norm_q, const double *r,
                             const double *v, double *u, long double *sum,
                             dls_incremental_error *error);

#endif
