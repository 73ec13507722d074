// Dense convex quadratic programs by an active-set method, exact on degenerate and singular data.
//
//   min 1/2 y^T K y + c^T y   s.t.  E y + f >= 0,   K symmetric positive semidefinite
//
// KKT:  K y + c = E^T lambda,  0 <= lambda _|_ E y + f >= 0.
#ifndef DLS_CONVEX_QP_H
#define DLS_CONVEX_QP_H

#include <delassus/status.h>

typedef enum dls_qp_outcome {
  DLS_QP_SOLVED,      // y, lambda fulfil the KKT conditions to the tolerance
  DLS_QP_INFEASIBLE,  // lambda >= 0, E^T lambda = 0, f^T lambda = -1
  DLS_QP_UNBOUNDED,   // y: K y = 0, E y >= 0, c^T y = -1
  DLS_QP_LIMIT,       // iterations ran out, or the check at the end failed: no claim
} dls_qp_outcome;

typedef struct dls_qp_data {
  int n, m;
  const double *K;  // n x n, symmetric
  const double *c;  // n
  const double *E;  // m x n, column-major
  const double *f;  // m
} dls_qp_data;

typedef struct dls_qp_report {
  dls_qp_outcome outcome;
  int iterations;   // changes of the active set
  double residual;  // dls_qp_residual of (y, lambda); NaN with a certificate
} dls_qp_report;

// tolerance: what the recomputed KKT residual must reach for DLS_QP_SOLVED, such as 1e-11.
// y: n, lambda: m, never negative. With DLS_QP_LIMIT they are the best pair found, with
// DLS_QP_INFEASIBLE y = 0, with DLS_QP_UNBOUNDED lambda = 0 and a feasible point was found.
// Both triangles of K are read. DLS_ERR_NUMBER: the data are not finite (or overflow in other
// units); DLS_ERR_ARGUMENT: K has a negative diagonal entry or eigenvalue beyond rounding (1e-10).
//
// Certificates are checked from the data. What must vanish is at most 1e-12 of the size of its
// terms, what must be -1 is more than 1e-9 of the size of its terms. A problem that rounding
// decides (a ray that rows forbid by their last bits only) may end with DLS_QP_LIMIT.
dls_status dls_qp_solve(const dls_qp_data *data, double tolerance, double *y, double *lambda,
                        dls_qp_report *report);

// The recomputed KKT residual of any pair (y, lambda); NaN stays NaN. Sums run in long double.
// Variables and rows are first scaled, by the data alone, to K_jj around 1 and to rows of E with
// largest entry around 1, so that units do not matter. It is the largest of
//   |K y + c - E^T lambda|_j     / (|c_j| + sum |E_ij lambda_i| + sum |K_jk y_k|)
//   -(E y + f)_i                 / (|f_i| + sum |E_ij y_j|)
//   -lambda_i                    / (largest |lambda|)
//   min(lambda_i, (E y + f)_i)   each relative as above
// To each denominator 1e-3 of the largest one of its kind is added (for rows also 1e-3 of the
// largest |c_j| with K_jj > 0, for lambda of the largest force): entries whose own terms all vanish
// are measured by the rest. The terms K_jk y_k count up to ten times the largest force c, E^T
// lambda: a huge y along a direction that K barely resists is no solution.
double dls_qp_residual(const dls_qp_data *data, const double *y, const double *lambda);

#endif
