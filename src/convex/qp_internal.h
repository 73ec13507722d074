// Pieces of the quadratic program solver: scaling and residual (qp_scale.c), the strictly convex
// active-set method (qp_active.c), certificates (qp_certificate.c), the outer iteration (qp.c).
#ifndef DLS_CONVEX_QP_INTERNAL_H
#define DLS_CONVEX_QP_INTERNAL_H

#include "convex/qp.h"

#include <stdbool.h>

// Powers of two s (variables) and r (rows of E) such that s K s has diagonal entries around 1 or
// 0 and r E s has rows with largest entry around 1; r_i = 0 for rows of zeros.
// s: n, r: m. Allocates nothing.
void dls_qp_scales(const dls_qp_data *data, double *s, double *r);
// dls_qp_residual, that says when memory ran out.
dls_status dls_qp_measure(const dls_qp_data *data, const double *y, const double *lambda,
                          double *residual);

// min 1/2 |u + a|^2  s.t.  B^T u + f >= 0, by its dual: min 1/2 |B x - a|^2 + f^T x, x >= 0,
// u = B x - a. Columns of B that are zero are ignored.
typedef struct qp_active {
  int n, m;
  const double *B;    // n x m
  const double *a;    // n
  const double *f;    // m
  double *norm;       // m: |b_i|
  int count;          // passive indices, x > 0
  int *passive;       // at most n of them
  int *place;         // m: position in passive, or -1
  double *x;          // m
  double *u;          // n
  double *slack;      // m: B^T u + f
  bool *ignored;      // m: entered without effect since the last progress
  double *Q, *R;      // n x n each: B_P = Q R, columns in the order of passive
  double *z, *t, *d;  // n + 1 each: work
  int iterations, limit;
} qp_active;

typedef enum qp_active_outcome { QP_DONE, QP_INFEASIBLE, QP_STUCK } qp_active_outcome;

dls_status dls_qp_active_create(int n, int m, qp_active **active);
void dls_qp_active_free(qp_active *active);

// Solves for the current B, a, f, starting from the passive set of the last call. QP_DONE: x and u
// are the solution up to rounding. QP_INFEASIBLE: x >= 0 with B x = 0, f^T x < 0. QP_STUCK: the
// iterations ran out.
qp_active_outcome dls_qp_active_solve(qp_active *active);

// Gives `active` the passive set of another, leaving out dependent columns; x is not touched.
void dls_qp_active_copy(qp_active *active, const qp_active *from);

// Solves the equality problem of the passive set for new right-hand sides:
//   u - B_P z = -g,  B_P^T u = -h   (g: n, h: count, in the order of passive)
// z: count, u: n.
void dls_qp_active_kkt(qp_active *active, const double *g, const double *h, double *z, double *u);

// The state of one solution.
typedef struct qp_work {
  const dls_qp_data *data;
  int n, m;
  double *s, *r;  // scales
  dls_qp_data scaled;
  double *K, *c, *E, *f;  // of the scaled problem
  bool cholesky;
  double *L;                           // Cholesky factor, or the eigenvectors V
  double *w, *h;                       // eigenvalues of K, and of H as set last
  double *half;                        // n x m: L^-1 E^T, or V^T E^T
  double *B, *B_fine;                  // n x m, of the core and of the polishing
  qp_active *core, *fine;              // the same one when K is definite
  double *y, *lambda;                  // scaled iterate
  double *best_y, *best_lambda, best;  // in the units of the data
  double *g, *a, *u, *fk, *try_y, *try_lambda;
  double *z, *hk, *polish_y, *polish_lambda;
  bool feasible;   // some iterate fulfilled the constraints
  bool exhausted;  // memory ran out: nothing is claimed
} qp_work;

// Zeroed numbers; NULL, and *good becomes false, when memory runs out.
double *dls_qp_reals(ptrdiff_t count, bool *good);

// lambda in the units of the data from the scaled w->lambda, normalised. Whether it has passed the
// check: lambda >= 0, E^T lambda = 0, f^T lambda = -1.
bool dls_qp_farkas(qp_work *work, double *lambda);
// The same with a ray from a linear program, when the one of the active-set method was too rough.
bool dls_qp_farkas_by_lp(qp_work *work, double *lambda);
// Looks for y with K y = 0, E y >= 0, c^T y = -1 by a linear program; whether it has passed the
// check.
bool dls_qp_unbounded(qp_work *work, double *y);

#endif
