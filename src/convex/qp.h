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
  const double *K;  // n x n
  const double *c;  // n
  const double *E;  // m x n, column-major
  const double *f;  // m
} dls_qp_data;

typedef struct dls_qp_report {
  dls_qp_outcome outcome;
  int iterations;
  double
      residual;  // largest violation of the KKT conditions, each relative to the size of its terms
} dls_qp_report;

// tolerance: what the recomputed KKT residual must reach for DLS_QP_SOLVED, such as 1e-11.
// y: n, lambda: m.
dls_status dls_qp_solve(const dls_qp_data *data, double tolerance, double *y, double *lambda,
                        dls_qp_report *report);

// The recomputed KKT residual of any pair (y, lambda), relative as above; NaN stays NaN.
double dls_qp_residual(const dls_qp_data *data, const double *y, const double *lambda);

#endif
