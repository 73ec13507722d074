// Linear complementarity problems: residuals, and one table of methods with one way to call them.
// What can be proven of a problem is in lcp_proof.h.
//
// A solver borrows the problem, which must outlive it, and belongs to one thread at a time; two
// threads may have two.
#ifndef DELASSUS_LCP_H
#define DELASSUS_LCP_H

#include <delassus/status.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// 0 <= z _|_ w = M z + q >= 0. M is n x n, column-major, without any symmetry.      eq (lcp.1)
typedef struct dls_lcp {
  int n;
  const double *M, *q;
} dls_lcp;

// Mixed: the first `free` rows are equations w_i = 0, and their z_i have any sign.
typedef struct dls_mlcp {
  int n, free;
  const double *M, *q;
} dls_mlcp;

// ---- residuals ---------------------------------------------------------------------------------

// Recomputed from the data, sums in long double; NaN in, NaN out.                   eq (lcp.2)
typedef struct dls_lcp_error {
  double absolute;  // largest |min(z_i, w_i)|, and |w_i| of equations: in the data's own units
  double relative;  // the same, each w_i relative to the terms of its row and each z_i to what it
                    // contributes to the rows: does not change when rows or columns are scaled
} dls_lcp_error;

DLS_API dls_status dls_lcp_residual(const dls_lcp *lcp, const double *z, dls_lcp_error *error);
DLS_API dls_status dls_mlcp_residual(const dls_mlcp *mlcp, const double *z, dls_lcp_error *error);

// ---- one solution ------------------------------------------------------------------------------

// Why a solver stopped, and the words for it. Only the first means that there is a solution.
#define DLS_LCP_STOP_LIST(X)                                                                 \
  X(DLS_LCP_STOP_CONVERGED, "converged")                                                     \
  X(DLS_LCP_STOP_ITERATIONS, "the iteration limit was reached")                              \
  X(DLS_LCP_STOP_TIME, "the time limit was reached")                                         \
  X(DLS_LCP_STOP_STALLED, "no progress any more")                                            \
  X(DLS_LCP_STOP_INTERRUPTED, "interrupted")                                                 \
  X(DLS_LCP_STOP_NUMERICS, "numbers overflowed or a factorization broke down")               \
  X(DLS_LCP_STOP_RAY, "every covering vector led to a secondary ray")                        \
  X(DLS_LCP_STOP_INFEASIBLE, "a ray shows, up to rounding, that no z >= 0 has M z + q >= 0") \
  X(DLS_LCP_STOP_UNSUITED, "the matrix is not of the kind that the method needs")            \
  X(DLS_LCP_STOP_EXHAUSTED, "no complementary basis that could be solved gives a solution")

typedef enum dls_lcp_stop {
#define DLS_LCP_STOP_CODE(code, text) code,
  DLS_LCP_STOP_LIST(DLS_LCP_STOP_CODE)
#undef DLS_LCP_STOP_CODE
} dls_lcp_stop;

DLS_API const char *dls_lcp_stop_text(dls_lcp_stop stop);

typedef struct dls_lcp_options {
  const char *solver;  // a name of the table; default "auto"
  double tolerance;    // of error_in_units, see the report; default 1e-8
  int max_iterations;  // of each method that runs; 0: the method's own limit
  double time_limit;   // seconds; 0: none
  // Called between iterations; may be NULL. True stops the solver with its best point.
  bool (*watch)(void *self, int iteration, double error, const char *solver);
  void *self;
} dls_lcp_options;

DLS_API dls_lcp_options dls_lcp_defaults(void);

// What a method did; auto runs several, one after the other.
typedef struct dls_lcp_attempt {
  const char *solver;
  dls_lcp_stop stop;
  int iterations;
  double error;  // in units, of its best point; infinite when it has none
} dls_lcp_attempt;

enum { DLS_LCP_ATTEMPTS = 8 };

typedef struct dls_lcp_report {
  bool converged;         // error_in_units <= tolerance; nothing else says so
  double error;           // |min(z, w)|_2 / |q|_2, w_i in place of the minimum in equations;
                          // recomputed from M and q at the z returned. |q| = 0 counts as 1
  double error_in_units;  // |min(z / C, R w)|_2 / |R q|_2, where R and C, powers of two, bring rows
                          // and columns to one size: it does not depend on units     eq (lcp.10)
  dls_lcp_error residual;  // of the same z, see lcp.h: does not depend on units
  dls_lcp_stop stop;
  const char *solver;  // that made the returned point; "start" when it was the one given
  int iterations;      // of all attempts: pivots, sweeps, Newton steps or bases
  double seconds;      // wall clock of this call
  int attempts;
  dls_lcp_attempt attempt[DLS_LCP_ATTEMPTS];
} dls_lcp_report;

// One row of the table. All methods take mixed problems.
typedef struct dls_lcp_solver_info {
  const char *name;
  const char *summary;  // one line
  const char *promise;  // for which matrices it must succeed, in exact arithmetic
} dls_lcp_solver_info;

DLS_API int dls_lcp_solver_count(void);
DLS_API const dls_lcp_solver_info *dls_lcp_solver_info_at(int index);
DLS_API const dls_lcp_solver_info *dls_lcp_solver_find(const char *name);  // NULL: no such solver

typedef struct dls_lcp_solver dls_lcp_solver;

// Copies nothing of the problem, which must outlive it; allocates. options may be NULL.
// DLS_ERR_ARGUMENT with a message for an unknown solver, DLS_ERR_LIMIT beyond n = 2000,
// DLS_ERR_NUMBER when the data are not finite.
DLS_API dls_status dls_lcp_solver_create(const dls_mlcp *problem, const dls_lcp_options *options,
                                         dls_lcp_solver **out, dls_message *message);

// z: n; a start in (zeros will do; numbers that are not finite count as zero), the best point out.
// w: n, what belongs to it, out; may be NULL. Allocates nothing. The numbers of the problem may
// have changed since the creation, its size not. DLS_ERR_NUMBER when they are not finite; z is then
// left as it was.
DLS_API dls_status dls_lcp_solver_solve(dls_lcp_solver *solver, double *z, double *w,
                                        dls_lcp_report *report);
// Another tolerance for the calls that follow; negative or NaN: left as it is.
DLS_API void dls_lcp_solver_set_tolerance(dls_lcp_solver *solver, double tolerance);
DLS_API void dls_lcp_solver_free(dls_lcp_solver *solver);

// |min(z, w)|_2 / |q|_2, recomputed with sums in long double, and error_in_units of the report (may
// be NULL); NaN in, NaN out.                                                        eq (lcp.10)
DLS_API dls_status dls_mlcp_natural_error(const dls_mlcp *mlcp, const double *z, double *error,
                                          double *error_in_units);

#ifdef __cplusplus
}
#endif
#endif
