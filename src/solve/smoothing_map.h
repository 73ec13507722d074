// The smoothed problem whose solutions form the path of path.c.
//
// In the variables x = (mu r_N, r_T) and y = (û_N / mu, û_T) of eq (ipm.1), in units in which
// forces and velocities are around one, z of any sign stands for both: with the spectral values l =
// z_N -+ |z_T| of z and f = sqrt(l^2 + 4 tau^2),
//
//   x has the spectral values (f + l) / 2,  y has (f - l) / 2:  z = x - y,  x o y = tau^2 e.  eq
//   (pth.1)
//
//   Phi(z, log tau) = A x + b + delta (x - c) - G(y),   A x + b = u,                  eq (pth.2)
//   G(y) = (y_N - s, y_T),  s = sqrt(|y_T|^2 + eps^2) - eps
//
// where eps = smooth * tau rounds off De Saxce's term, and delta = max(1e-9, proximal * tau) holds
// forces that W does not determine near the centre c.
#ifndef DLS_SOLVE_SMOOTHING_MAP_H
#define DLS_SOLVE_SMOOTHING_MAP_H

#include "solve/solver_run.h"

typedef struct dls_smoothing_map {
  dls_run *run;
  double smooth, proximal;  // eps / tau and delta / tau
  double force, speed;      // units: r = force p^-1 x, u = speed p (...)
  double contacts;          // of all
  double stiffest;          // the largest diagonal block of W in these units
  double *centre;           // padded: c
  // of the last evaluation
  double tau, delta, eps;
  double *x, *y, *Phi;  // padded
  double *l, *f;        // two numbers per block
  double *slip;         // per block: sqrt(|y_T|^2 + eps^2)
  double norm;          // |Phi|
  double floor;         // what rounding leaves of it
  // of the last factorization
  double *R, *Q;         // blocks of W R + Q
  double *work, *right;  // padded
  int factorizations;
} dls_smoothing_map;

dls_status dls_smoothing_map_create(dls_run *run, dls_smoothing_map *map);
void dls_smoothing_map_start(dls_smoothing_map *map);  // units, from the numbers of the problem

// x, y, Phi and its norm at (z, log tau). The forces of x are measured in the run.
void dls_smoothing_map_evaluate(dls_smoothing_map *map, const double *z, double log_tau);

// The forces of the projection of z are measured too: near the end they are the better ones.
void dls_smoothing_map_try(dls_smoothing_map *map, const double *z);

// Factors the derivative at the last evaluation. False when it breaks down. eq (pth.3)
bool dls_smoothing_map_factor(dls_smoothing_map *map);
int dls_smoothing_map_sign(const dls_smoothing_map *map);  // of the determinant
// x <- (dPhi/dz)^-1 x with refinement. False when not finite.
bool dls_smoothing_map_solve(dls_smoothing_map *map, double *x);

// dPhi/dlog tau at the last evaluation.                                              eq (pth.4)
void dls_smoothing_map_slope(dls_smoothing_map *map, double *slope);

#endif
