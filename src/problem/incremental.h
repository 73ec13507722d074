// Parts of the incremental problem that solvers need too.
#ifndef DLS_PROBLEM_INCREMENTAL_H
#define DLS_PROBLEM_INCREMENTAL_H

#include "linalg/length.h"

#include <delassus/incremental.h>

enum { DLS_INCREMENTAL_LARGEST = 100000000 };  // rows

// F = r - P_K(r - u - mu |u_T| e_N) of one contact; returns |F|^2.                   eq (inc.4)
double dls_natural_map(int rows, double mu, const double *r, const double *u, double *F);

// |F|^2 alone.
static inline double dls_natural_square(int rows, double mu, const double *r, const double *u)
{
  const double u1 = u[1], u2 = rows == 3 ? u[2] : 0, r1 = r[1], r2 = rows == 3 ? r[2] : 0;
  if (r[0] == 0 && r1 == 0 && r2 == 0 && u[0] >= 0 && u1 - u1 == 0 && u2 - u2 == 0) return 0;
  const double x0 = r[0] - u[0] - mu * (rows == 3 ? dls_length(u1, u2) : fabs(u1));
  const double x1 = r1 - u1, x2 = r2 - u2, t = rows == 3 ? dls_length(x1, x2) : fabs(x1);
  double f0 = r[0], f1 = r1, f2 = r2;
  if (!(mu * t <= -x0)) {  // NaN comes here, and stays
    const bool inside = t <= mu * x0;
    const double n = inside ? x0 : (x0 + mu * t) / (1 + mu * mu), scale = inside ? 1 : mu * n / t;
    f0 -= n, f1 -= scale * x1, f2 -= scale * x2;
  }
  return f0 * f0 + f1 * f1 + f2 * f2;
}

// dls_incremental_residual without allocating. u: rows, out. sum: work of as many numbers as rows,
// and as dof.
void dls_incremental_measure(const dls_incremental *problem, double norm_q, const double *r,
                             const double *v, double *u, long double *sum,
                             dls_incremental_error *error);

#endif
