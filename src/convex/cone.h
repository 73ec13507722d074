// Sparse convex quadratic programs over linear and second-order cones, by an interior-point method.
//
//   min 1/2 x^T P x + q^T x   s.t.  A x + s = b,  s in K
//   dual:  P x + A^T y + q = 0,  y in K*
//
//   K  = {0}^zero x R+^nonneg x Q^{d_1} x ... x Q^{d_k},   Q^d = {(t, u) : |u|_2 <= t}
//   K* = R^zero x R+^nonneg x Q^{d_1} x ... x Q^{d_k}
//
// The rows of A are in this order; the first entry of a second-order cone is t, and Q^1 is R+.
// P is symmetric and positive semidefinite; only its upper triangle is read. Rows of A may depend
// on each other, columns may vanish, there may be no rows, no variables, no P.
//
// Primary:    dls_cone_setup, dls_cone_solve, dls_cone_free; dls_cone_run is all three
// Secondary:  dls_cone_update_q, dls_cone_update_b: the same matrices, another right side
// Tertiary:   dls_cone_measure: how good any point is
#ifndef DLS_CONVEX_CONE_H
#define DLS_CONVEX_CONE_H

#include "linalg/sparse.h"
#include <delassus/status.h>
#include <stdbool.h>

typedef struct dls_cone_problem {
  int n, m;              // variables, rows
  const dls_sparse *P;   // n x n, or NULL for zero; what is below the diagonal is ignored
  const dls_sparse *A;   // m x n, or NULL for zero
  const double *q, *b;   // n, m
  int zero, nonneg;      // rows with s = 0, then rows with s >= 0
  int cones;             // then the second-order cones:
  const int *cone_size;  // d_k >= 1, cones of them; m = zero + nonneg + the sum of d_k
} dls_cone_problem;

typedef struct dls_cone_options {
  double tolerance;     // the iteration goes on until the measure of the point is at most this
  double acceptable;    // when it cannot go on: what is enough to claim DLS_CONE_SOLVED
  double certificate;   // how exact a certificate must be, see below
  double largest_size;  // points whose residuals.size is larger are not taken for solutions
  int max_iterations;
} dls_cone_options;

// 1e-10, 1e-8, 1e-9, 1e6, 100. Set acceptable = tolerance to claim nothing looser.
dls_cone_options dls_cone_defaults(void);

typedef enum dls_cone_outcome {
  DLS_CONE_SOLVED,             // residuals.largest is at most options.acceptable
  DLS_CONE_PRIMAL_INFEASIBLE,  // y: A^T y = 0, y in K*, b^T y = -1; x = 0, s = 0
  DLS_CONE_DUAL_INFEASIBLE,    // x, s: P x = 0, A x + s = 0, s in K, q^T x = -1; y = 0
  DLS_CONE_FAILED,             // no claim; the point of smallest residuals.largest that was met
} dls_cone_outcome;

// How far (x, s, y) is from optimal. Each is relative, and none depends on the units in which rows
// (cones as a whole) and variables are written: E and D below are the powers of two that bring the
// largest entry of each row of A, and of each column of P and A, to about 1. With xh = D^-1 x,
// yh = E^-1 y, r = A x + s - b, g = P x + A^T y + q, all sums in long double,
//   primal  max |r_i| E_i / ((|b_i| + sum |A_ij x_j|) E_i + |xh| + 1e-3 |E b|)
//   dual    max |g_j| D_j / ((|q_j| + sum |P_jk x_k| + sum |A_ij y_i|) D_j + |yh| + 1e-3 |D q|)
//   gap     |x^T P x + q^T x + b^T y| over
//           x^T P x + sum |q_j x_j| + sum |b_i y_i| + 1e-3 |E b| |D q|
//   cone    how far s is outside K, times E, over |xh| + |E b|; y outside K*, over E |yh|
// where |v| is the largest entry. Where b = 0 the size |D q| / |D P D| takes the place of |E b|,
// where q = 0 it is |D P D| |E b| that takes the place of |D q|. The natural size of xh is the
// larger of |E b| and |D q| / |D P D|, that of yh the larger of |D q| and |D P D| |E b|. Terms with
// x or y count up to ten times the natural size, and
//   size    the larger of |xh| and |yh|, each over its natural size
// must be moderate: far out, feasible and nearly feasible cannot be told apart (t = u, v = 1 is
// infeasible in Q^3, and t = 1e6 looks feasible to six digits). 0 / 0 is 0. NaN stays NaN.
typedef struct dls_cone_residuals {
  double primal, dual, gap, cone;
  double largest;  // of the four
  double size;
} dls_cone_residuals;

typedef struct dls_cone_report {
  dls_cone_outcome outcome;
  int iterations;
  double objective;              // 1/2 x^T P x + q^T x; +-INFINITY with a certificate
  dls_cone_residuals residuals;  // dls_cone_measure of the point; NaN with a certificate
  double certificate;            // what was checked of the certificate; NaN without one
} dls_cone_report;

// Certificates are checked against the data as given, with all sums in long double. With
// eps = options.certificate, |.| the largest entry and D, E as above, what is claimed fulfils
//   primal infeasible  y in K* (to 1e-15 of its size),  b^T y = -1,  sum |b_i y_i| <= 1 / eps,
//                      |E b| |D A^T y| <= eps,  |D A^T y| <= eps |yh|
//   dual infeasible    s in K (to 1e-15 of its size),  q^T x = -1,  sum |q_j x_j| <= 1 / eps,
//                      |D q| |E (A x + s)| <= eps,  |E (A x + s)| <= eps |xh|,
//                      |E b| x^T P x <= eps |xh|,  x^T P x <= eps |D P D| |xh|^2
// and report.certificate is the largest of the left sides, each over what stands beside eps. The
// first means that a feasible x would have to be 1 / eps times larger than b, the second that the
// objective falls along x for 1 / eps times the size of b. P x itself is as small as the cones
// allow, at least as small as x^T P x implies. Where a point passes as solved, no certificate is
// looked for.

typedef struct dls_cone dls_cone;

// Copies the data, scales, orders and analyses. DLS_ERR_NUMBER: the data are not finite (or
// overflow in other units); DLS_ERR_ARGUMENT: sizes that do not fit, or P has a negative diagonal
// entry or pivot beyond rounding (1e-10). options may be NULL: the defaults.
dls_status dls_cone_setup(const dls_cone_problem *problem, const dls_cone_options *options,
                          dls_cone **cone);
void dls_cone_free(dls_cone *cone);  // NULL is fine

// DLS_ERR_NUMBER when not finite; the old values then stay. Allocate nothing.
dls_status dls_cone_update_q(dls_cone *cone, const double *q);
dls_status dls_cone_update_b(dls_cone *cone, const double *b);

// x: n, s and y: m. Allocates nothing, and depends on nothing but the data: not on earlier solves.
dls_status dls_cone_solve(dls_cone *cone, double *x, double *s, double *y, dls_cone_report *report);

// Setup, solve and free. s and y may be NULL.
dls_status dls_cone_run(const dls_cone_problem *problem, const dls_cone_options *options, double *x,
                        double *s, double *y, dls_cone_report *report);

// The measure of any point with the data as given; allocates nothing.
dls_cone_residuals dls_cone_measure(dls_cone *cone, const double *x, const double *s,
                                    const double *y);

#endif
