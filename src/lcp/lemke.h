// Lemke's method on a scaled problem.
#ifndef DLS_LCP_LEMKE_H
#define DLS_LCP_LEMKE_H

#include <delassus/lcp.h>

typedef enum dls_lemke_end {
  DLS_LEMKE_SOLVED,   // basic: which z_i are; z: their values as the tableau has them
  DLS_LEMKE_RAY,      // z: the direction of the ray, largest entry 1
  DLS_LEMKE_STOPPED,  // too many pivots
  DLS_LEMKE_LOST,     // the basis became singular within rounding
} dls_lemke_end;

// M n x n and q with entries around 1, cover > 0. z, basic: n. Nothing is claimed: whoever calls
// recomputes. reals: dls_lemke_reals(n), integers: 3 n. stop is asked before each pivot but the
// first, with z as the basis has it then, the artificial variable left out; may be NULL. Allocates
// nothing.
typedef struct dls_lemke_space {
  double *reals;
  int *integers;
  bool (*stop)(void *self, int pivots);
  void *self;
  bool halted;  // out: stop said so
} dls_lemke_space;

ptrdiff_t dls_lemke_reals(int n);
dls_lemke_end dls_lemke_run(int n, const double *M, const double *q, const double *cover,
                            int max_pivots, double *z, bool *basic, int *pivots,
                            dls_lemke_space *space);

// Pivots that are too many for n unknowns. Chosen.
static inline int dls_lemke_pivots(int n)
{
  return 100 + 50 * n;
}

// ---- the whole of it, for mixed problems too ---------------------------------------------------

typedef enum dls_lemke_outcome {
  DLS_LCP_SOLVED,    // the relative residual, recomputed, is at most the tolerance
  DLS_LCP_RAY,       // ended on a secondary ray: this method finds no solution
  DLS_LCP_SINGULAR,  // mixed: the block of the free variables is singular and cannot be eliminated
  DLS_LCP_STOPPED,   // too many pivots
  DLS_LCP_INEXACT,   // it ended, but the residual is above the tolerance
} dls_lemke_outcome;

typedef struct dls_lemke_options {
  double tolerance;  // of the relative residual; default lemke_residual
  int max_pivots;    // for one covering vector; default 0: dls_lemke_pivots(n)
  int tries;         // covering vectors that are tried while they end on rays; default 4
} dls_lemke_options;

typedef struct dls_lemke_report {
  dls_lemke_outcome outcome;
  int pivots;           // of all tries
  dls_lcp_error error;  // of z; NaN unless solved or inexact
  bool infeasible;      // with a ray y: y >= 0, M^T y <= 0, q^T y < 0 were checked: no z >= 0 has
                        // M z + q >= 0, so there is no solution at all (not for mixed problems)
} dls_lemke_report;

// Lexicographic: it does not cycle. options may be NULL. z: n; on a ray it is the ray's direction
// in z, of largest entry 1, with z >= 0 and z_i (M z + d z_0)_i = 0, M z + d z_0 >= 0 for the
// covering vector d > 0 and some z_0 >= 0; for mixed problems its first entries are 0. Not written
// when the outcome is singular or stopped. n at most 2000, otherwise DLS_ERR_LIMIT.
dls_status dls_mlcp_lemke(const dls_mlcp *mlcp, const dls_lemke_options *options, double *z,
                          dls_lemke_report *report);

// The same for problems of one size, with its memory apart.
typedef struct dls_lemke dls_lemke;
dls_status dls_lemke_create(int n, int free, dls_lemke **out);
void dls_lemke_free(dls_lemke *lemke);  // NULL is fine
// Allocates nothing. The numbers must be finite. stop: as above, and it may ask for the point.
void dls_lemke_solve(dls_lemke *lemke, const dls_mlcp *mlcp, const dls_lemke_options *options,
                     bool (*stop)(void *self, int pivots), void *self, double *z,
                     dls_lemke_report *report);
// Inside stop: z of the basis, n, in the units given, with the free variables that belong to it.
void dls_lemke_point(const dls_lemke *lemke, double *z);

#endif
