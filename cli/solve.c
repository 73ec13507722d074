// delassus solve: problem file -> solver, or all of them -> residual recomputed -> report.
#define _POSIX_C_SOURCE 200809L
#include "solve.h"

#include "commands.h"
#include "files.h"
#include "interrupt.h"
#include "message.h"
#include "results.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const option solve_options[] = {
    {"--solver", "NAME", false, "which solver (default: auto); --list lists them"},
    {"--tol", "X", false, "the error, which has no units, that is to be reached (default: 1e-8)"},
    {"--time-limit", "S", false,
     "stop after S seconds with the best point (default: 60; with --all 10\n"
     "for each solver)"},
    {"--max-iterations", "N", false, "stop after N iterations (default: the solver's own limit)"},
    {"--facets", "N", false, "facets of the pyramid, for --solver lemke-pyramid (default: 8)"},
    {"--guess", NULL, false,
     "start from the best of the guesses and the solution that an FCLIB file\n"
     "has (default: from zero)"},
    {"--exists", NULL, false,
     "also ask whether a solution exists; without it that is asked when the\n"
     "solver did not converge"},
    {"--all", NULL, false, "run every solver that takes the problem, and compare them"},
    {"--list", NULL, false, "list the solvers, and do nothing else"},
    {"--vector", "FILE", false, "the vector q of an LCP whose matrix is a MatrixMarket file"},
    {"--free", "K", false,
     "with --vector: the first K rows are equations, and their z has any sign"},
    {"-o", "FILE", true,
     "write the problem with its solution (.hdf5, .h5), the report (.json, .txt),\n"
     "or how the error fell, as the iterations measure it: as a picture (.svg,\n"
     ".png) or as numbers (.csv); may be repeated"},
    {"--json", NULL, false, "print one JSON object instead of the report"},
    {"--quiet", NULL, false, "print no report or progress; the exit status tells"},
    {"--threads", "N", false, "work on at most N cores (default: all); the result is the same"},
    {"--help", NULL, false, "this text (also -h)"},
    {"-h", NULL, false, ""},
};
const int solve_option_count = sizeof solve_options / sizeof solve_options[0];

enum {
  THREADS_MAX = 256,
  HISTORY = 200,
  HISTORY_DRAWN = 2000,
  UNASKED_LCP = 60,
  UNASKED_ROWS = 500
};
static const double seconds_alone = 60, seconds_each = 10;  // of one solver, and among many

// Everything that solving makes, so that there is one place to free it.
typedef struct work {
  const options *options;
  solve_problem problem;
  solve_plan plan;
  const char *solver;  // NULL: all
  solve_runs runs;
  dls_lcp_existence *existence;
  dls_solvable *solvable;
  dls_message no_existence;
  dls_solve_summary summary;
} work;

static void free_work(work *w)
{
  dls_lcp_existence_free(w->existence);
  dls_solvable_free(w->solvable);
  solve_runs_free(&w->runs);
  solve_problem_free(&w->problem);
}

static int failed(const work *w, dls_status status, const dls_message *message)
{
  const bool said = message && message->text[0];
  return complain("%s: %s", w->problem.shown, said ? message->text : dls_status_text(status));
}

// ---- the call ----------------------------------------------------------------------------------

static const char hdf5_endings[] = ".hdf5 .h5";

static int read_out(const options *o)
{
  const char *out = out_ending(o, hdf5_endings);
  if (out && options_has(o, "--all"))
    return complain("-o %s: a solution is one solver's; name it with --solver, without --all", out);
  return check_out(o, ".hdf5, .h5, .json, .txt, .csv, .svg or .png");
}

static int check_numbers(work *w)
{
  static const double least = 5e-324;  // above 0
  const options *o = w->options;
  solve_plan *plan = &w->plan;
  long iterations = 0, facets = 0, threads = 0;
  plan->tolerance = dls_solve_defaults().tolerance;
  plan->time_limit = w->solver ? seconds_alone : seconds_each;
  int wrong =
      options_number(o, "--tol", least, 1, "a number above 0 and at most 1", &plan->tolerance);
  if (!wrong)
    wrong = options_number(o, "--time-limit", least, 1e9, "a number of seconds above 0",
                           &plan->time_limit);
  if (!wrong) wrong = options_count(o, "--max-iterations", 1, INT_MAX, &iterations);
  if (!wrong) wrong = options_count(o, "--facets", 3, 1000, &facets);
  if (!wrong) wrong = options_count(o, "--threads", 1, THREADS_MAX, &threads);
  plan->max_iterations = (int)iterations;
  plan->facets = (int)facets;
  plan->threads = (int)threads;
  return wrong;
}

// Everything about the call that can be wrong before a file is opened.
static int check_call(work *w)
{
  const options *o = w->options;
  int wrong = solve_problem_call(&w->problem, o);
  if (wrong) return wrong;
  const char *name = options_value(o, "--solver", 0);
  if (name && options_has(o, "--all"))
    return complain("--all runs every solver, --solver %s one: only one of them is possible", name);
  w->solver = options_has(o, "--all") ? NULL : name ? name : "auto";
  const bool drawn = out_ending(o, ".svg .png .csv");
  w->plan.history = drawn ? HISTORY_DRAWN : HISTORY;
  w->plan.quiet = options_has(o, "--quiet");
  if (options_has(o, "--facets") && w->solver && strcmp(w->solver, "lemke-pyramid") != 0)
    return complain("--facets means nothing to %s: it is for --solver lemke-pyramid", w->solver);
  if (name) wrong = solve_check_name(name);
  if (!wrong) wrong = check_numbers(w);
  return wrong ? wrong : read_out(o);
}

static int load(work *w)
{
  const char *out = out_ending(w->options, hdf5_endings);
  int wrong = solve_problem_read(&w->problem);
  if (!wrong && w->solver) wrong = solve_check_applies(&w->problem, w->solver);
  if (!wrong && out && !w->problem.friction)
    wrong = complain("-o %s: FCLIB files have no place for LCPs; expected .json, .txt, .csv, .svg "
                     "or .png",
                     out);
  return wrong ? wrong : solve_problem_start(&w->problem, options_has(w->options, "--guess"));
}

// ---- the answer --------------------------------------------------------------------------------

static bool any_converged(const work *w)
{
  for (int k = 0; k < w->runs.count; k++)
    if (dls_solve_run_converged(&w->runs.run[k])) return true;
  return false;
}

// The point to begin with: that of the run that came closest.
static const double *best_z(const work *w)
{
  const dls_solve_run *best = NULL;
  for (int k = 0; k < w->runs.count; k++) {
    const dls_solve_run *run = &w->runs.run[k];
    if (run->z && (!best || dls_solve_run_error(run) < dls_solve_run_error(best))) best = run;
  }
  return best ? best->z : NULL;
}

// What may take long is not asked unless it is wished for.
static bool is_large(const solve_problem *p)
{
  if (p->lcp) return p->lcp->n > UNASKED_LCP;
  const int rows = dls_incremental_rows(p->friction);
  return rows > UNASKED_ROWS || (p->friction->global && p->friction->dof > UNASKED_ROWS);
}

static bool interrupted(void *self, double done)
{
  (void)self, (void)done;
  return interrupt_came();
}

static int ask_existence(work *w)
{
  const bool asked = options_has(w->options, "--exists");
  if (interrupt_came() || (!asked && any_converged(w))) return 0;
  if (!asked && is_large(&w->problem)) {
    snprintf(w->no_existence.text, sizeof w->no_existence.text,
             "not asked, as it may take long here: --exists asks");
    return 0;
  }
  dls_status status = DLS_OK;
  dls_message message = {0};
  if (w->problem.lcp) {
    dls_lcp_exists_options how = dls_lcp_exists_defaults();
    how.z0 = best_z(w), how.watch = interrupted;
    status = dls_mlcp_exists(w->problem.lcp, &how, &w->existence);
  } else {
    dls_solvable_options how = dls_solvable_defaults();
    how.watch = interrupted;
    status = dls_incremental_solvable(w->problem.friction, &how, &w->solvable, &message);
  }
  if (status == DLS_ERR_MEMORY) return failed(w, status, NULL);
  if (status != DLS_OK)
    snprintf(w->no_existence.text, sizeof w->no_existence.text, "not decided: %.900s",
             message.text[0] ? message.text : dls_status_text(status));
  return 0;
}

static int compute(work *w)
{
  const solve_problem *p = &w->problem;
  int wrong = solve_run_all(p, &w->plan, w->solver, &w->runs);
  if (!wrong) wrong = ask_existence(w);
  w->summary = (dls_solve_summary){.file = p->shown,
                                   .title = p->fclib ? p->fclib->title : NULL,
                                   .problem = p->friction,
                                   .lcp = p->lcp,
                                   .tolerance = w->plan.tolerance,
                                   .stored = p->has_stored ? &p->stored : NULL,
                                   .compare = !w->solver,
                                   .runs = w->runs.count,
                                   .run = w->runs.run,
                                   .existence = w->existence,
                                   .solvable = w->solvable,
                                   .existence_missing =
                                       w->no_existence.text[0] ? w->no_existence.text : NULL};
  return wrong;
}

// ---- the results -------------------------------------------------------------------------------

static int make_json(const void *of, product *out)
{
  const work *w = of;
  const dls_status status = dls_solve_json(&w->summary, &out->report);
  return status == DLS_OK ? 0 : failed(w, status, NULL);
}

static int make_text(const void *of, bool colour, product *out)
{
  const work *w = of;
  const dls_report_options look = {.colour = colour};
  const dls_status status = dls_solve_text(&w->summary, &look, &out->report);
  return status == DLS_OK ? 0 : failed(w, status, NULL);
}

static int make_csv(const void *of, product *out)
{
  const work *w = of;
  solve_write_csv(&out->grown, &w->summary);
  return 0;
}

static int make_picture(const void *of, dls_picture_form form, product *out)
{
  const work *w = of;
  dls_message message = {0};
  const dls_status status =
      solve_draw(&w->summary, form, &out->picture, &out->picture_size, &message);
  return status == DLS_OK ? 0 : failed(w, status, &message);
}

static int write_solution(const void *of, const char *path, const char *shown)
{
  const work *w = of;
  const solve_record *record = &w->runs.record[0];
  const bool converged = record->friction.converged;
  const dls_fclib_point point = {
      .u = record->u, .r = record->r, .v = w->problem.friction->global ? record->v : NULL};
  const int wrong = solve_problem_write(&w->problem, path, converged, &point);
  if (!wrong && !converged && !w->plan.quiet)
    complain("%s: the best point stands there as a guess, as it is no solution", shown);
  return wrong;
}

static const result_forms forms = {.json = make_json,
                                   .text = make_text,
                                   .csv = make_csv,
                                   .picture = make_picture,
                                   .hdf5 = write_solution};

// Standard error says it too, unless the report with all of it is on the same screen.
static int judge(const work *w)
{
  if (any_converged(w)) return EXIT_DONE;
  const bool printed =
      !options_has(w->options, "-o") && !options_has(w->options, "--json") && !w->plan.quiet;
  if (printed && isatty(STDOUT_FILENO)) return EXIT_BAD_ANSWER;
  if (w->runs.count == 1 && w->solver) {
    const dls_solve_run *run = &w->runs.run[0];
    complain("%s: %s did not converge: %s; error %.3g, expected at most %.3g", w->problem.shown,
             run->asked, dls_solve_run_stopped(run), dls_solve_run_error(run), w->plan.tolerance);
  } else {
    complain("%s: none of %d solvers converged", w->problem.shown, w->runs.count);
  }
  return EXIT_BAD_ANSWER;
}

static int do_solve(work *w)
{
  if (options_has(w->options, "--list")) {
    if (w->options->word_count > 0)
      return complain("--list takes no problem: delassus solve --list");
    return solve_print_list(options_has(w->options, "--json"));
  }
  int status = check_call(w);
  if (!status) status = load(w);
  if (!status) status = compute(w);
  if (!status) status = write_results(w->options, &forms, w);
  return status ? status : judge(w);
}

int run_solve(const options *given)
{
  work w = {.options = given};
  const int status = do_solve(&w);
  free_work(&w);
  return status;
}
