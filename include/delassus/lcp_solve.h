// Solvers of linear complementarity problems: one table of methods, one way to call them; and
// whether a solution exists at all, with a proof that anyone can repeat.
#ifndef DELASSUS_LCP_SOLVE_H
#define DELASSUS_LCP_SOLVE_H

#include <delassus/lcp.h>

#ifdef __cplusplus
extern "C" {
#endif

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

typedef struct dls_lcp_solve_options {
  const char *solver;  // a name of the table; default "auto"
  double tolerance;    // of error_in_units, see the report; default 1e-8
  int max_iterations;  // of each method that runs; 0: the method's own limit
  double time_limit;   // seconds; 0: none
  // Called between iterations; may be NULL. True stops the solver with its best point.
  bool (*watch)(void *self, int iteration, double error, const char *solver);
  void *self;
} dls_lcp_solve_options;

DLS_API dls_lcp_solve_options dls_lcp_solve_defaults(void);

// What a method did; auto runs several, one after the other.
typedef struct dls_lcp_attempt {
  const char *solver;
  dls_lcp_stop stop;
  int iterations;
  double error;  // in units, of its best point; infinite when it has none
} dls_lcp_attempt;

enum { DLS_LCP_ATTEMPTS = 8 };

typedef struct dls_lcp_solve_report {
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
} dls_lcp_solve_report;

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
DLS_API dls_status dls_lcp_solver_create(const dls_mlcp *problem,
                                         const dls_lcp_solve_options *options, dls_lcp_solver **out,
                                         dls_message *message);

// z: n; a start in (zeros will do; numbers that are not finite count as zero), the best point out.
// w: n, what belongs to it, out; may be NULL. Allocates nothing. The numbers of the problem may
// have changed since the creation, its size not. DLS_ERR_NUMBER when they are not finite; z is then
// left as it was.
DLS_API dls_status dls_lcp_solver_solve(dls_lcp_solver *solver, double *z, double *w,
                                        dls_lcp_solve_report *report);
// Another tolerance for the calls that follow; negative or NaN: left as it is.
DLS_API void dls_lcp_solver_set_tolerance(dls_lcp_solver *solver, double tolerance);
DLS_API void dls_lcp_solver_free(dls_lcp_solver *solver);

// |min(z, w)|_2 / |q|_2, recomputed with sums in long double, and error_in_units of the report (may
// be NULL); NaN in, NaN out.                                                        eq (lcp.10)
DLS_API dls_status dls_mlcp_natural_error(const dls_mlcp *mlcp, const double *z, double *error,
                                          double *error_in_units);

// ---- does a solution exist? --------------------------------------------------------------------

// A set of complementary choices without a solution. With the rows that are chosen,
//   choice[i] > 0: w_i = 0,   choice[i] < 0: z_i = 0,   choice[i] = 0: none (equations always),
// the vector y proves it:                                                           eq (lcp.14)
//   y_i >= 0        where w_i >= 0 is demanded (choice[i] <= 0, no equation)
//   (M^T y)_j <= 0  where z_j >= 0 may be positive (choice[j] >= 0, no equation)
//   (M^T y)_j = 0   where z_j is free
//   q^T y < 0
// since 0 <= w^T y = z^T M^T y + q^T y < 0 would follow. All of it holds exactly for the doubles.
// With equations it may instead hold for the one vector that differs from y only in the entries of
// the equations and fulfils the third line, whose distance from y is enclosed.
typedef struct dls_lcp_leaf {
  const signed char *choice;  // n
  const double *y;            // n
} dls_lcp_leaf;

typedef struct dls_lcp_existence {
  dls_answer answer;  // yes and no are proven for the numbers as given, rounding included
  const char *by;     // the theorem or procedure
  const char *shows;  // what the witness lets anyone check
  int n;
  const double *z;    // yes: a solution up to rounding; undecided: the best point known; no: NULL
  double error;       // of z, eq (lcp.10); NaN without z
  bool exact;         // z solves exactly as it stands: w recomputed without rounding
  const bool *basis;  // n; yes by enclosure: z_i > 0 in these rows, w_i > 0 in the others, and the
                      // block of these rows (and equations) is nonsingular; NULL otherwise
  int leaves;         // no: the choices of the leaves exclude each other and leave nothing out;
                      // 0 when bases were enumerated instead
  const dls_lcp_leaf *leaf;
  int nodes;  // of the tree that were visited
} dls_lcp_existence;

typedef struct dls_lcp_exists_options {
  int max_nodes;     // of the tree; default 4000
  bool enumerate;    // all bases, when the tree did not decide and it is small; default true
  const double *z0;  // n: a point to try first; may be NULL
} dls_lcp_exists_options;

DLS_API dls_lcp_exists_options dls_lcp_exists_defaults(void);

// options may be NULL. n at most 400, otherwise DLS_ERR_LIMIT.
DLS_API dls_status dls_mlcp_exists(const dls_mlcp *mlcp, const dls_lcp_exists_options *options,
                                   dls_lcp_existence **out);
DLS_API void dls_lcp_existence_free(dls_lcp_existence *existence);

// Checks the witness against the problem again, from the data alone: z, or the leaves with sums
// that are exact. *holds is false too when there is nothing to check (undecided, or by enumeration
// or by a theorem on the matrix).
DLS_API dls_status dls_lcp_existence_check(const dls_mlcp *mlcp, const dls_lcp_existence *existence,
                                           bool *holds);

#ifdef __cplusplus
}
#endif
#endif
