// Coulomb's law as convex problems around a fixed point: for slips s >= 0 the convex problem
// eq (cvx.1) has velocities u(s), and where
//
//   F(s) = |u_T(s)| = s                                                                 eq (cvx.2)
//
// its solution is that of the incremental problem. The methods cvx-interior and cvx-apgd; their
// `self` is a dls_fixed_point, which a program that measures them may set and read.
#ifndef DLS_SOLVE_FIXED_POINT_H
#define DLS_SOLVE_FIXED_POINT_H

#include "solve/anderson.h"
#include "solve/convex_part.h"

enum { DLS_FIXED_POINT_HISTORY = 256 };

typedef struct dls_fixed_point {
  // settings, of the creation; they may be changed before a solve
  int memory;        // of Anderson's acceleration, at most 8; 0: successive approximations
  int most;          // convex problems
  double tolerance;  // of |F(s) - s| / (n (|s| + 1)), in the units of the data: ends the loop;
                     // 0: the run's own
  double inner_tolerance;  // of the convex problems; 0: a tenth of what the outer loop has
  bool polish;             // Newton steps when the error is small
  const double *start;     // contacts: slips to begin with, in the units of the data; NULL: those
                           // of the start

  // what the last solve did
  int problems;                             // convex problems solved
  int inner;                                // their iterations
  double history[DLS_FIXED_POINT_HISTORY];  // |F(s) - s| / (n (|s| + 1)) of each problem

  // its own
  bool gradient;  // how convex problems are solved
  void *solver, *newton, *sweeps;
  dls_anderson *anderson;
  double *s, *image, *kept;  // per contact
  double *rho, *forces;
} dls_fixed_point;

#endif
