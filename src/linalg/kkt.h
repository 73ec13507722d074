// The bilateral problem, sparse: accelerations and forces of a system whose contacts stay closed.
//
//   [ M   -G ] [ a      ]   [ -F ]
//   [ G^T  0 ] [ lambda ] = [ -b ]
//
// M a + F = G lambda,  G^T a + b = 0. The pattern is analysed once (KLU: block triangular form and
// fill-reducing ordering), then factored for new numbers. Rows and columns are scaled by powers of
// two to M_jj around 1 and columns of G around 1, so that units do not decide what is singular.
#ifndef DLS_LINALG_KKT_H
#define DLS_LINALG_KKT_H

#include <delassus/status.h>
#include <delassus/system.h>
#include <stdbool.h>

typedef struct dls_kkt dls_kkt;

typedef struct dls_kkt_report {
  bool singular;    // no solution is claimed: rcond is at most singular_kkt, or a pivot vanished
  double rcond;     // estimated reciprocal condition number (1-norm) of the scaled matrix
  double residual;  // of the last solve: largest row residual relative to the row's terms
} dls_kkt_report;

// mass: n x n (both triangles), normal: n x m.
dls_status dls_kkt_create(const dls_pattern *mass, const dls_pattern *normal, dls_kkt **kkt);
void dls_kkt_free(dls_kkt *kkt);  // NULL is fine

// New numbers on the patterns. DLS_ERR_NUMBER when they are not finite. A singular matrix is
// DLS_OK with report->singular.
dls_status dls_kkt_factor(dls_kkt *kkt, const double *M, const double *G, dls_kkt_report *report);

// Solves with the last factors, with refinement by residuals in long double. F, a: n; b, lambda:
// m. DLS_ERR_ARGUMENT when there are no factors or the matrix was singular; DLS_ERR_NUMBER when
// F, b or the solution are not finite.
dls_status dls_kkt_solve(dls_kkt *kkt, const double *F, const double *b, double *a, double *lambda,
                         dls_kkt_report *report);

#endif
