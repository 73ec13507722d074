// The report of solving a discrete problem: one JSON object for programs, one screen of text for
// people. One solver, or several that are compared.
//
// Everything is only read. Texts belong to the caller afterwards. In delassus-io.
#ifndef DELASSUS_SOLVE_REPORT_H
#define DELASSUS_SOLVE_REPORT_H

#include <delassus/lcp_proof.h>
#include <delassus/report.h>
#include <delassus/solvable.h>
#include <delassus/solve.h>

#ifdef __cplusplus
extern "C" {
#endif

// One solver at work. Plain data; everything belongs to the caller.
typedef struct dls_solve_run {
  const char *asked;                 // the name that was called
  const dls_solve_report *friction;  // what it reported: one of these two, or neither when it
  const dls_lcp_report *lcp;         // could not run at all,
  const char *failure;               // and why
  const double *r, *u;               // friction: rows; NULL: not kept
  const double *z;                   // LCP: n; NULL: not kept
  int moments;
  const dls_solve_sample *history;
} dls_solve_run;

typedef struct dls_solve_summary {
  const char *file;                     // NULL: none
  const char *title;                    // NULL or "": none
  const dls_incremental *problem;       // one of these two
  const dls_mlcp *lcp;                  //
  double tolerance;                     // that was asked for
  const dls_incremental_error *stored;  // of the solution that came with the problem; NULL: none
  bool compare;                         // several solvers, as a table; else the first run counts
  int runs;
  const dls_solve_run *run;
  // whether a solution exists: of a friction problem, or of an LCP; NULL: not asked. A no beside a
  // run that converged is reported as undecided, with its proof: it holds for the exact data only
  const dls_solvable *solvable;
  const dls_lcp_existence *existence;
  const char *existence_missing;  // why that could not be asked; NULL: it was, or need not
} dls_solve_summary;

// "fc2d", "fc3d", "gfc2d", "gfc3d", "lcp" or "mlcp".
DLS_API const char *dls_solve_kind(const dls_solve_summary *summary);

// What the run says of itself; false and "" when it could not run.
DLS_API bool dls_solve_run_converged(const dls_solve_run *run);
DLS_API double dls_solve_run_error(const dls_solve_run *run);  // NaN when there is none
DLS_API const char *dls_solve_run_stopped(const dls_solve_run *run);

// How many contacts a point leaves open, sticking and sliding: where d r - u - mu |u_T| e_N, with
// the scale d of the contact, lies with respect to the friction cone, its polar cone (open), its
// inside (sticking), neither (sliding). Contacts without friction that press count as sliding. eq
// (inc.5)
typedef struct dls_mode_counts {
  int open, sticking, sliding;
  int strongest;   // the contact with the largest force; -1 without contacts
  double largest;  // its |r|
} dls_mode_counts;

DLS_API dls_mode_counts dls_incremental_modes(const dls_incremental *problem, const double *r,
                                              const double *u);

// The report as one JSON object, numbers with 17 significant digits, never NaN or infinity. *text
// ends in a newline and a zero byte; free it with dls_report_text_free.
DLS_API dls_status dls_solve_json(const dls_solve_summary *summary, char **text);

// The report for people: UTF-8, at most 100 columns, about one screen. options may be NULL.
DLS_API dls_status dls_solve_text(const dls_solve_summary *summary,
                                  const dls_report_options *options, char **text);

#ifdef __cplusplus
}
#endif
#endif
