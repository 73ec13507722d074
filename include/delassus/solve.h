// Solvers of the incremental problem: one table of methods, one way to call them.
//
// A solver borrows the problem, which must outlive it, and belongs to one thread at a time; it may
// run threads of its own (options.threads). Two threads may have two solvers, of one problem too.
#ifndef DELASSUS_SOLVE_H
#define DELASSUS_SOLVE_H

#include <delassus/incremental.h>

#ifdef __cplusplus
extern "C" {
#endif

// Why a solver stopped, and the words for it.
#define DLS_STOP_LIST(X)                                                            \
  X(DLS_STOP_CONVERGED, "converged")                                                \
  X(DLS_STOP_ITERATIONS, "the iteration limit was reached")                         \
  X(DLS_STOP_TIME, "the time limit was reached")                                    \
  X(DLS_STOP_STALLED, "no progress any more")                                       \
  X(DLS_STOP_APPROXIMATE, "a pyramid stands in for the cone: solved, but for that") \
  X(DLS_STOP_INTERRUPTED, "interrupted")                                            \
  X(DLS_STOP_NUMERICS, "numbers overflowed or a factorization broke down")          \
  X(DLS_STOP_ROUNDING, "rounding in W r + q alone may exceed the tolerance")

typedef enum dls_stop {
#define DLS_STOP_CODE(code, text) code,
  DLS_STOP_LIST(DLS_STOP_CODE)
#undef DLS_STOP_CODE
} dls_stop;

DLS_API const char *dls_stop_text(dls_stop stop);

typedef struct dls_solve_options {
  const char *solver;  // a name of the table; default "auto"
  double tolerance;    // of error.largest, which has no units; default 1e-8
  int max_iterations;  // 0: the method's own limit
  double time_limit;   // seconds; 0: none
  int threads;         // at most so many; 0: as OpenMP says. The result does not depend on it
  int facets;          // of the pyramid, for "lemke-pyramid"; 0: 8
  int history;         // points of the history to keep; default 0
  // Called between iterations; may be NULL. True stops the solver with its best point.
  bool (*watch)(void *self, int iteration, double error, const char *solver);
  void *self;
} dls_solve_options;

DLS_API dls_solve_options dls_solve_defaults(void);

// A sample of the iteration. In auto, solver says which method was at work.
typedef struct dls_solve_sample {
  int iteration;
  double seconds;
  double error;
  const char *solver;
} dls_solve_sample;

typedef struct dls_solve_report {
  bool converged;               // error.largest, recomputed, is <= tolerance
  dls_incremental_error error;  // of what is returned
  dls_stop stop;
  const char *solver;  // that made the returned point
  int iterations;      // of all methods that ran
  double seconds;      // wall clock of this call
  int moments;
  const dls_solve_sample *history;  // owned by the solver, until its next call
} dls_solve_report;

// One row of the table.
typedef struct dls_solver_info {
  const char *name;
  const char *summary;  // one line
  bool local, global;   // the forms it takes; the global form is not turned into the local one
                        // unless rows are few or the summary says so
  bool comparison;      // auto never calls it: it is there to be compared with
  unsigned laws;        // of contacts that it takes, DLS_LAW_BIT; equations beside them, always
} dls_solver_info;

DLS_API int dls_solver_count(void);
DLS_API const dls_solver_info *dls_solver_info_at(int index);
DLS_API const dls_solver_info *dls_solver_find(const char *name);  // NULL: no such solver

typedef struct dls_solver dls_solver;

// Copies nothing of the problem, which must outlive it; orders, analyses and allocates.
// options may be NULL. DLS_ERR_ARGUMENT with a message for an unknown solver, or a form or law that
// it does not take.
DLS_API dls_status dls_solver_create(const dls_incremental *problem,
                                     const dls_solve_options *options, dls_solver **out,
                                     dls_message *message);

// r: rows, v: dof (NULL in local form); a start in (zeros will do), the best point out. u: rows,
// out, may be NULL. Allocates nothing. The numbers of the problem, laws too where there are any,
// may have changed since the creation, its patterns not. DLS_ERR_ARGUMENT for a law that the solver
// does not take.
DLS_API dls_status dls_solver_solve(dls_solver *solver, double *r, double *v, double *u,
                                    dls_solve_report *report);
// Another tolerance for the calls that follow; negative or NaN: left as it is.
DLS_API void dls_solver_set_tolerance(dls_solver *solver, double tolerance);
DLS_API void dls_solver_free(dls_solver *solver);

#ifdef __cplusplus
}
#endif
#endif
