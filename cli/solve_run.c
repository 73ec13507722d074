// The solvers at work: one after the other, each watched.
#define _POSIX_C_SOURCE 200809L
#include "solve.h"

#include "interrupt.h"
#include "message.h"
#include "progress.h"
#include "clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What looks on while a solver works: shows how far it is, keeps the history of an LCP, and stops
// it when an interrupt came.
typedef struct watcher {
  progress_bar bar;
  bool quiet;
  char what[80];
  double start;
  int capacity, moments;  // of the history; 0: the solver keeps its own
  int stride, skipped;
  dls_solve_sample *history;
  const char *solver;     // the method that was at work last,
  int before, iteration;  // the iterations of those before it, and its own
} watcher;

static void keep(watcher *w, int iteration, double error, const char *solver)
{
  if (w->moments == w->capacity) {
    for (int k = 0; 2 * k < w->moments; k++) w->history[k] = w->history[2 * k];
    w->moments = (w->moments + 1) / 2;
    w->stride *= 2;
  }
  w->history[w->moments++] = (dls_solve_sample){.iteration = iteration,
                                                .seconds = seconds_now() - w->start,
                                                .error = error,
                                                .solver = solver};
  w->skipped = 0;
}

// Every moment of a short history; every second, fourth … of a long one. Points that overflow have
// no error.
static void note(watcher *w, int iteration, double error, const char *solver)
{
  if (w->capacity == 0 || !isfinite(error)) return;
  if (w->moments == 0 || ++w->skipped >= w->stride) keep(w, iteration, error, solver);
}

static bool watch(void *self, int iteration, double error, const char *solver)
{
  watcher *w = self;
  // LCP methods count from zero each
  if (w->capacity > 0 && w->solver && strcmp(w->solver, solver) != 0) w->before += w->iteration;
  w->solver = solver;
  w->iteration = iteration;
  note(w, w->before + iteration, error, solver);
  if (!w->quiet)
    progress_say(&w->bar, "%s, iteration %d, error %.1e", solver, w->before + iteration, error);
  return interrupt_came();
}

// ---- one solver --------------------------------------------------------------------------------

static bool make_room(solve_record *r, const solve_problem *p, const solve_plan *plan)
{
  const size_t rows = (size_t)(p->friction ? dls_incremental_rows(p->friction) : 0) + 1;
  const size_t dof = (size_t)(p->friction && p->friction->global ? p->friction->dof : 0) + 1;
  const size_t n = (size_t)(p->lcp ? p->lcp->n : 0) + 1;
  r->r = calloc(rows, sizeof(double));
  r->u = calloc(rows, sizeof(double));
  r->v = calloc(dof, sizeof(double));
  r->z = calloc(n, sizeof(double));
  r->history = calloc((size_t)plan->history + 1, sizeof *r->history);
  if (!r->r || !r->u || !r->v || !r->z || !r->history) return false;
  memcpy(r->r, p->r, (rows - 1) * sizeof(double));
  memcpy(r->v, p->v, (dof - 1) * sizeof(double));
  memcpy(r->z, p->z, (n - 1) * sizeof(double));
  return true;
}

static dls_status solve_friction(const solve_problem *p, const solve_plan *plan, const char *name,
                                 watcher *w, solve_record *record, dls_solve_run *run)
{
  dls_solver *solver = NULL;
  const dls_solve_options how = {.solver = name,
                                 .tolerance = plan->tolerance,
                                 .max_iterations = plan->max_iterations,
                                 .time_limit = plan->time_limit,
                                 .threads = plan->threads,
                                 .facets = plan->facets,
                                 .history = plan->history,
                                 .watch = watch,
                                 .self = w};
  dls_status status = dls_solver_create(p->friction, &how, &solver, &record->failure);
  if (status == DLS_OK)
    status = dls_solver_solve(solver, record->r, record->v, record->u, &record->friction);
  if (status == DLS_OK) {
    run->moments = record->friction.moments;
    memcpy(record->history, record->friction.history,
           (size_t)run->moments * sizeof *record->history);
    record->friction.history = record->history;
    run->friction = &record->friction;
    run->r = record->r, run->u = record->u;
  }
  dls_solver_free(solver);
  return status;
}

static dls_status solve_lcp(const solve_problem *p, const solve_plan *plan, const char *name,
                            watcher *w, solve_record *record, dls_solve_run *run)
{
  dls_lcp_solver *solver = NULL;
  const dls_lcp_options how = {.solver = name,
                               .tolerance = plan->tolerance,
                               .max_iterations = plan->max_iterations,
                               .time_limit = plan->time_limit,
                               .watch = watch,
                               .self = w};
  w->capacity = plan->history;
  dls_status status = dls_lcp_solver_create(p->lcp, &how, &solver, &record->failure);
  if (status == DLS_OK) status = dls_lcp_solver_solve(solver, record->z, NULL, &record->lcp);
  if (status == DLS_OK) {
    keep(w, record->lcp.iterations, record->lcp.error, record->lcp.solver);
    run->moments = w->moments;
    run->lcp = &record->lcp;
    run->z = record->z;
  }
  dls_lcp_solver_free(solver);
  return status;
}

static dls_status run_one(const solve_problem *p, const solve_plan *plan, const char *name,
                          const char *what, solve_record *record, dls_solve_run *run)
{
  watcher w = {.quiet = plan->quiet, .start = seconds_now(), .stride = 1};
  if (!make_room(record, p, plan)) return DLS_ERR_MEMORY;
  w.history = record->history;
  run->history = record->history;
  snprintf(w.what, sizeof w.what, "%s", what);
  progress_begin(&w.bar, w.what);
  const dls_status status = p->friction ? solve_friction(p, plan, name, &w, record, run)
                                        : solve_lcp(p, plan, name, &w, record, run);
  progress_end(&w.bar);
  if (status != DLS_OK && !record->failure.text[0])
    snprintf(record->failure.text, sizeof record->failure.text, "%s", dls_status_text(status));
  run->failure = status == DLS_OK ? NULL : record->failure.text;
  return status;
}

// ---- all of them -------------------------------------------------------------------------------

static int table_size(const solve_problem *p)
{
  return p->friction ? dls_solver_count() : dls_lcp_solver_count();
}

// The solver at that place of the table; NULL when it does not take the problem.
static const char *name_at(const solve_problem *p, int index)
{
  if (!p->friction) return dls_lcp_solver_info_at(index)->name;
  const dls_solver_info *info = dls_solver_info_at(index);
  return (p->friction->global ? info->global : info->local) ? info->name : NULL;
}

static int run_each(const solve_problem *p, const solve_plan *plan, solve_runs *runs)
{
  const int size = table_size(p);
  for (int k = 0; k < size && !interrupt_came(); k++) {
    const char *name = name_at(p, k);
    if (!name) continue;
    char what[80];
    snprintf(what, sizeof what, "solver %d of %d: ", k + 1, size);
    dls_solve_run *run = &runs->run[runs->count];
    run->asked = name;
    const dls_status status = run_one(p, plan, name, what, &runs->record[runs->count++], run);
    if (status == DLS_ERR_MEMORY && !run->history) return complain("out of memory");
  }
  return 0;
}

int solve_run_all(const solve_problem *p, const solve_plan *plan, const char *solver,
                  solve_runs *runs)
{
  const size_t room = solver ? 1 : (size_t)table_size(p);
  *runs = (solve_runs){.run = calloc(room, sizeof *runs->run),
                       .record = calloc(room, sizeof *runs->record)};
  if (!runs->run || !runs->record) return complain("out of memory");
  int wrong = 0;
  interrupt_begin();
  if (solver) {
    runs->count = 1;
    runs->run[0].asked = solver;
    const dls_status status = run_one(p, plan, solver, "solving: ", runs->record, runs->run);
    if (status != DLS_OK)
      wrong = complain("%s: %s", p->shown,
                       status == DLS_ERR_MEMORY ? "out of memory" : runs->record->failure.text);
  } else {
    wrong = run_each(p, plan, runs);
  }
  interrupt_end();
  return wrong;
}

void solve_runs_free(solve_runs *runs)
{
  for (int k = 0; runs->record && k < runs->count; k++) {
    solve_record *r = &runs->record[k];
    free(r->r);
    free(r->u);
    free(r->v);
    free(r->z);
    free(r->history);
  }
  free(runs->run);
  free(runs->record);
  *runs = (solve_runs){0};
}
