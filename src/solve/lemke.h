// Lemke's method on a scaled problem.
#ifndef DLS_SOLVE_LEMKE_H
#define DLS_SOLVE_LEMKE_H

#include <delassus/lcp.h>

typedef enum dls_lemke_end {
  DLS_LEMKE_SOLVED,   // basic: which z_i are; z: their values as the tableau has them
  DLS_LEMKE_RAY,      // z: the direction of the ray, largest entry 1
  DLS_LEMKE_STOPPED,  // too many pivots
  DLS_LEMKE_LOST,     // the basis became singular within rounding
} dls_lemke_end;

// M n x n and q with entries around 1, cover > 0. z, basic: n. Nothing is claimed: whoever calls
// recomputes.
dls_status dls_lemke_run(int n, const double *M, const double *q, const double *cover,
                         int max_pivots, double *z, bool *basic, int *pivots, dls_lemke_end *end);

#endif
