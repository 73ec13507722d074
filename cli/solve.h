// Solving a discrete problem: what is read, how it is to be solved, and what each solver made of
// it. One file reads, one runs, the others write the results.
#ifndef CLI_SOLVE_H
#define CLI_SOLVE_H

#include "buffer.h"
#include "options.h"

#include <delassus/fclib.h>
#include <delassus/picture.h>
#include <delassus/solve_report.h>

// ---- solve_problem.c: the file -----------------------------------------------------------------

typedef struct solve_problem {
  const char *path;    // as given
  const char *shown;   // in messages and reports
  const char *vector;  // of --vector
  int free;            // of --free; -1: not given
  dls_fclib *fclib;
  dls_lcp_file *lcp_file;
  const dls_incremental *friction;  // one of these two
  const dls_mlcp *lcp;
  bool has_stored;  // the file has a solution, with these errors
  dls_incremental_error stored;
  double *r, *v, *z;  // where solvers start
} solve_problem;

// Each returns 0, or says what is wrong on standard error and returns an exit status. Free the
// problem in either case.
int solve_problem_call(solve_problem *problem, const options *given);
int solve_problem_read(solve_problem *problem);
// Zeros, or with --guess the best point that the file has.
int solve_problem_start(solve_problem *problem, bool guess);
void solve_problem_free(solve_problem *problem);

// The problem with the point that a solver returned: as its solution when it converged, else as one
// more guess.
int solve_problem_write(const solve_problem *problem, const char *path, bool converged,
                        const dls_fclib_point *point);

// ---- solve_run.c: the solvers ------------------------------------------------------------------

typedef struct solve_plan {
  double tolerance, time_limit;  // seconds; 0: none
  int max_iterations;            // 0: the solver's own
  int facets;                    // of a pyramid; 0: the default
  int threads;                   // 0: all
  int history;                   // points that are kept
  bool quiet;
} solve_plan;

// What one solver made, and its memory.
typedef struct solve_record {
  dls_solve_report friction;
  dls_lcp_report lcp;
  dls_message failure;
  double *r, *v, *u, *z;
  dls_solve_sample *history;
} solve_record;

typedef struct solve_runs {
  int count;
  dls_solve_run *run;  // as the reports take them; they point into the records
  solve_record *record;
} solve_runs;

// Runs the solver of that name, or with NULL each that takes the problem; an interrupt ends it with
// what there is. A solver that cannot run is an error, unless it is one of many.
int solve_run_all(const solve_problem *problem, const solve_plan *plan, const char *solver,
                  solve_runs *runs);
void solve_runs_free(solve_runs *runs);

// ---- solve_list.c: the tables of solvers -------------------------------------------------------

// Before a file is opened: whether any solver has that name.
int solve_check_name(const char *name);
// Whether this one takes the problem.
int solve_check_applies(const solve_problem *problem, const char *name);
int solve_print_list(bool json);

// ---- solve_curves.c: how the error fell --------------------------------------------------------

void solve_write_csv(buffer *out, const dls_solve_summary *summary);
dls_status solve_draw(const dls_solve_summary *summary, dls_picture_form form, char **data,
                      size_t *size, dls_message *message);

#endif
