// What the methods for complementarity problems share: the scaled problem, the best point so far,
// and when to stop. Methods claim nothing; the error of each point that they offer is recomputed
// from the data as given, and the best one is kept.
#ifndef DLS_LCP_LCP_METHOD_H
#define DLS_LCP_LCP_METHOD_H

#include "lcp/lemke.h"

#include <delassus/lcp.h>

// M^ = row M col, q^ = s row q, z = col z^ / s, w = w^ / (s row): the same problem, with entries
// around 1. It stays P when it was, and monotone when row = col.                     eq (lcp.11)
typedef struct dls_lcp_run {
  dls_mlcp given, scaled;
  double *M, *q;  // of the scaled problem
  double *row, *col, s;
  double *R, *C;  // of eq (lcp.10)
  dls_lcp_options options;
  double began;               // seconds
  double *best;               // n, as given
  double best_error;          // of it, in units
  const char *best_solver;    // that made it
  double *point, *w, *terms;  // n
  // the method that runs
  const char *solver;
  bool brief;  // auto: others wait for their turn
  int limit, iterations;
  double own_error;  // the best of its own points
  dls_lcp_stop stop;
  dls_lemke *lemke;  // NULL unless it takes part
} dls_lcp_run;

typedef struct dls_lcp_method {
  dls_lcp_solver_info info;
  ptrdiff_t (*reals)(int n);
  ptrdiff_t (*integers)(int n);
  // z: n, scaled, a start. Leaves the reason in run->stop. NULL: auto
  void (*run)(dls_lcp_run *run, double *z, double *work, int *index);
  bool polish;  // its points are not those of a basis: one step by the basis that they suggest
} dls_lcp_method;

extern const dls_lcp_method dls_lcp_method_lemke, dls_lcp_method_pivoting, dls_lcp_method_psor,
    dls_lcp_method_newton_min, dls_lcp_method_newton_fb, dls_lcp_method_interior,
    dls_lcp_method_enumeration;

// Measures z (scaled) and keeps it when it is the best. Returns its error.
double dls_lcp_offer(dls_lcp_run *run, const double *z);

// The error of run->point, in the units given, as dls_lcp_offer measures it; infinite when it is
// no number. Nothing is kept.
double dls_lcp_measure_point(dls_lcp_run *run);

// Offers z and counts one iteration. False, with run->stop filled, when it is time to stop.
bool dls_lcp_next(dls_lcp_run *run, const double *z);
// The same without a new point.
bool dls_lcp_continue(dls_lcp_run *run, double error);

// The method's own iteration limit unless the user gave one.
void dls_lcp_limit(dls_lcp_run *run, int own);

// z of the basis: z_i for the free rows and those with in[i] != 0 from M_BB z_B = -q_B, zero
// elsewhere, in the scaled problem. False when the block is singular: its reciprocal condition
// number is not above `least`. work: n^2 + 6 n, index: 3 n.
bool dls_lcp_basis_solve(const dls_lcp_run *run, const int *in, double least, double *z,
                         double *work, int *index);
ptrdiff_t dls_lcp_basis_reals(int n);

#endif
