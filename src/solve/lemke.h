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

size_t dls_lemke_reals(int n);
dls_lemke_end dls_lemke_run(int n, const double *M, const double *q, const double *cover,
                            int max_pivots, double *z, bool *basic, int *pivots,
                            dls_lemke_space *space);

// The whole of it for problems of one size, mixed ones too: dls_mlcp_lemke with its memory apart.
typedef struct dls_lemke dls_lemke;
dls_status dls_lemke_create(int n, int free, dls_lemke **out);
void dls_lemke_free(dls_lemke *lemke);  // NULL is fine
// Allocates nothing. The numbers must be finite. stop: as above, and it may ask for the point.
void dls_lemke_solve(dls_lemke *lemke, const dls_mlcp *mlcp, const dls_lcp_options *options,
                     bool (*stop)(void *self, int pivots), void *self, double *z,
                     dls_lcp_report *report);
// Inside stop: z of the basis, n, in the units given, with the free variables that belong to it.
void dls_lemke_point(const dls_lemke *lemke, double *z);

#endif
