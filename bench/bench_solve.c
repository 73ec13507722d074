// The solvers of the incremental problem on FCLIB files, from r = 0. Writes comma-separated values:
//
//   file,contacts,solver,reported,iterations,seconds,error,error_siconos,tolerance,storage,wall,again
//
// the columns that bench/peers writes of other people's solvers, and one more. reported: 0 when the
// solver says that it converged. seconds: of dls_solver_create and dls_solver_solve together,
// processor or wall clock, whichever is less, the least of several runs; wall: its own least;
// again: of dls_solver_solve alone, as in every time step but the first. error: |F| / |q| of what
// it returned, recomputed here (in global form also |M v - H r - f|, relative).
//
// usage: bench_solve [--limit SECONDS] [--solver NAME|all] [FILE...]
#define _POSIX_C_SOURCE 199309L
#include "common.h"
#include "timing.h"

#include <delassus/fclib.h>
#include <delassus/solve.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ENOUGH 0.2  // seconds of repeated runs
enum { RUNS = 1000 };

typedef struct task {
  const char *file, *solver;
  const dls_incremental *problem;
  double norm_q, limit;
} task;

static double *zeros(int n)
{
  return take((size_t)n, sizeof(double));
}

static double largest(double a, double b)  // NaN stays one
{
  return b > a || isnan(b) ? b : a;
}

typedef struct cost {
  double seconds, wall, again;
} cost;

// Lowers the cost to that of one run. False when the solver does not take the problem.
static bool run_once(const task *t, const dls_solve_options *options, double *r, double *v,
                     dls_solve_report *report, cost *least)
{
  const dls_incremental *p = t->problem;
  dls_solver *solver = NULL;
  dls_message message = {{0}};
  memset(r, 0, (size_t)dls_incremental_rows(p) * sizeof *r);
  memset(v, 0, (size_t)p->dof * sizeof *v);
  const double before = processor_time(), begin = dls_clock();
  dls_status status = dls_solver_create(p, options, &solver, &message);
  const double between = processor_time(), created = dls_clock();
  if (status == DLS_OK) status = dls_solver_solve(solver, r, p->global ? v : NULL, NULL, report);
  const double end = dls_clock(), after = processor_time();
  least->wall = fmin(least->wall, end - begin);
  least->seconds = fmin(least->seconds, fmin(end - begin, after - before));
  least->again = fmin(least->again, fmin(end - created, after - between));
  if (status == DLS_OK) report->history = NULL;  // it belongs to the solver
  else
    fprintf(stderr, "bench_solve: %s: %s: %s\n", t->file, t->solver,
            message.text[0] ? message.text : dls_status_text(status));
  dls_solver_free(solver);
  return status == DLS_OK;
}

static void bench_solver(const task *t)
{
  const dls_incremental *p = t->problem;
  dls_solve_options options = dls_solve_defaults();
  options.solver = t->solver, options.time_limit = t->limit, options.threads = 1;
  double *r = zeros(dls_incremental_rows(p)), *v = zeros(p->dof);
  dls_solve_report report = {0};
  cost least = {INFINITY, INFINITY, INFINITY};
  bool ran = false;
  const double begin = processor_time();
  for (int k = 0; k < RUNS && processor_time() - begin < ENOUGH; k++) {
    ran = run_once(t, &options, r, v, &report, &least);
    if (!ran || !report.converged) break;
  }
  dls_incremental_error error;
  if (ran &&
      dls_incremental_residual(p, t->norm_q, r, p->global ? v : NULL, NULL, &error) == DLS_OK) {
    const char *slash = strrchr(t->file, '/');
    printf("%s,%d,%s,%d,%d,%.4g,%.3g,%.3g,%g,columns,%.4g,%.4g\n", slash ? slash + 1 : t->file,
           p->contacts, t->solver, !report.converged, report.iterations, least.seconds,
           largest(error.q, error.balance), error.siconos, options.tolerance, least.wall,
           least.again);
    fflush(stdout);
  }
  free(r), free(v);
}

static int bench_file(const char *file, double limit, const char *solver)
{
  dls_fclib *fclib = NULL;
  dls_message message = {{0}};
  if (dls_fclib_read(file, &fclib, &message) != DLS_OK) {
    fprintf(stderr, "bench_solve: %s\n", message.text);
    return 1;
  }
  task t = {.file = file, .solver = solver, .problem = &fclib->problem, .limit = limit};
  const bool scaled = dls_incremental_scale(t.problem, &t.norm_q) == DLS_OK;
  if (!scaled) {
    fprintf(stderr, "bench_solve: %s: the mass matrix is not positive definite\n", file);
  } else if (strcmp(solver, "all") != 0) {
    bench_solver(&t);
  } else {
    for (int k = 0; k < dls_solver_count(); k++) {
      const dls_solver_info *info = dls_solver_info_at(k);
      t.solver = info->name;
      if (t.problem->global ? info->global : info->local) bench_solver(&t);
    }
  }
  dls_fclib_free(fclib);
  return !scaled;
}

int main(int argc, char **argv)
{
  double limit = 20;
  const char *solver = "auto";
  int first = 1;
  for (; first + 1 < argc && strncmp(argv[first], "--", 2) == 0; first += 2) {
    if (strcmp(argv[first], "--limit") == 0) limit = strtod(argv[first + 1], NULL);
    else if (strcmp(argv[first], "--solver") == 0) solver = argv[first + 1];
    else break;
  }
  if ((first < argc && strncmp(argv[first], "--", 2) == 0) || !(limit > 0)) {
    fprintf(stderr, "usage: bench_solve [--limit SECONDS] [--solver NAME|all] [FILE...]\n");
    return 2;
  }
  if (first == argc) {
    fprintf(stderr, "bench_solve: no FCLIB files given; see bench/peers/README.md\n");
    return 0;
  }
  puts("file,contacts,solver,reported,iterations,seconds,error,error_siconos,tolerance,storage,"
       "wall,again");
  int failures = 0;
  for (int k = first; k < argc; k++) failures += bench_file(argv[k], limit, solver);
  return failures > 0;
}
