// Runs the solvers of Siconos on FCLIB files, each from r = 0, in a process of its own that may
// crash, print and hang. Writes comma-separated values:
//
//   file,contacts,solver,reported,iterations,seconds,error,error_siconos,tolerance,storage,wall
//
// reported: what the solver returned (0: success), or "time", "signal", "exit".
// seconds: of the call of its driver, processor or wall clock, whichever is less, the least of
// several: for one thread, what the wall clock would show if nothing else ran. wall: its own least.
// error: |F| / |q| of what it returned, recomputed here from the data (in global form also
// |M v - H r - f|, relative); error_siconos: |F| / max(|q|, |r|, |u|), which Siconos goes by.
//
// usage: siconos_friction [--limit SECONDS] [--solver NAME] FILE...
#define _DEFAULT_SOURCE
#include "siconos_methods.h"

#include <delassus/fclib.h>

#include <NonSmoothDrivers.h>
#include <NumericsVerbose.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WANTED 1e-8     // error that counts as solved
#define ENOUGH 0.2      // seconds of repeated calls
enum { CALLS = 1000 };  // at most

// Its own criterion is looser than ours, or an estimate: a solver that is content too early is
// asked for more.
static const double tolerances[] = {1e-8, 1e-9, 1e-10, 1e-11, 1e-12};
enum { TOLERANCES = sizeof tolerances / sizeof *tolerances };

typedef struct outcome {
  bool returned;
  int info, iterations;
  double seconds, wall;
  dls_incremental_error error;
} outcome;

typedef struct task {
  const char *file;
  const dls_incremental *problem;
  double norm_q;
  double limit;
} task;

static double read_clock(clockid_t id)
{
  struct timespec t;
  clock_gettime(id, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Of the only thread: the clock of the process becomes coarse while a timer on it runs.
static double processor(void)
{
  return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

static double wall(void)
{
  return read_clock(CLOCK_MONOTONIC);
}

static double *zeros(int n)
{
  double *x = calloc((size_t)n + 1, sizeof *x);
  if (!x) abort();
  return x;
}

static double true_error(const dls_incremental_error *e)
{
  return e->balance > e->q || isnan(e->balance) ? e->balance : e->q;
}

// ---- in the process of one run ------------------------------------------------------------------

static dls_incremental_error error_of(const task *t, const double *r, const double *v)
{
  dls_incremental_error error;
  if (dls_incremental_residual(t->problem, t->norm_q, r, v, NULL, &error) != DLS_OK) abort();
  return error;
}

// Of (r, v); in global form also of r with the velocities that belong to it, and the better counts:
// some solvers return forces that are right with velocities that are not.
static dls_incremental_error best_error(const task *t, double *r, const double *v)
{
  const dls_incremental_error error = error_of(t, r, v);
  if (!t->problem->global) return error;
  double *fresh = zeros(t->problem->dof);
  globalFrictionContact_computeGlobalVelocity(siconos_global(t->problem, COLUMNS), r, fresh);
  const dls_incremental_error other = error_of(t, r, fresh);
  free(fresh);
  return true_error(&error) <= true_error(&other) ? error : other;
}

// One call, on a fresh copy of the problem: making it does not count, what the solver converts
// does.
static void call(const task *t, const method *m, storage s, double tolerance, outcome *o)
{
  const int rows = dls_incremental_rows(t->problem);
  double *r = zeros(rows), *u = zeros(rows), *v = zeros(t->problem->dof);
  SolverOptions *options = method_options(m, tolerance);
  FrictionContactProblem *local = NULL;
  GlobalFrictionContactProblem *global = NULL;
  if (m->form == GLOBAL_SPATIAL) global = siconos_global(t->problem, s);
  else local = siconos_local(t->problem, s);
  int info;
  const double before = processor(), begin = wall();
  switch (m->form) {
  case GLOBAL_SPATIAL: info = gfc3d_driver(global, r, u, v, options); break;
  case LOCAL_PLANAR: info = fc2d_driver(local, r, u, options); break;
  default: info = fc3d_driver(local, r, u, options);
  }
  const double waited = wall() - begin, worked = processor() - before;
  if (!o->returned) {
    o->info = info, o->iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
    o->seconds = o->wall = waited;
    o->error = best_error(t, r, v);
    o->returned = true;
  }
  o->wall = fmin(o->wall, waited);
  o->seconds = fmin(o->seconds, fmin(waited, worked));
  free(r), free(u), free(v);
}

static void run_child(const task *t, const method *m, storage s, double tolerance, outcome *o)
{
  const int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, STDOUT_FILENO), dup2(nowhere, STDERR_FILENO);
  numerics_set_verbose(0);
  // processor time, so that a busy machine takes nothing away; the signal ends the process
  const struct itimerval timer = {
      .it_value = {.tv_sec = (time_t)t->limit, .tv_usec = (suseconds_t)(1e6 * fmod(t->limit, 1))}};
  setitimer(ITIMER_PROF, &timer, NULL);
  alarm((unsigned)(10 * t->limit) + 10);  // should it only wait
  const double begin = processor();
  for (int k = 0; k < CALLS && processor() - begin < ENOUGH; k++) {
    call(t, m, s, tolerance, o);
    if (!(true_error(&o->error) <= WANTED)) break;  // nobody asks how fast
  }
  _exit(0);
}

// ---- in the process that lives ------------------------------------------------------------------

static bool timed_out(int status)
{
  return WIFSIGNALED(status) && (WTERMSIG(status) == SIGPROF || WTERMSIG(status) == SIGALRM);
}

static void print_row(const task *t, const method *m, storage s, double tolerance, int status,
                      const outcome *o)
{
  const char *slash = strrchr(t->file, '/');
  printf("%s,%d,%s,", slash ? slash + 1 : t->file, t->problem->contacts, m->name);
  if (o->returned)
    printf("%d,%d,%.4g,%.3g,%.3g", o->info, o->iterations, o->seconds, true_error(&o->error),
           o->error.siconos);
  else printf("%s,,,,", timed_out(status) ? "time" : WIFSIGNALED(status) ? "signal" : "exit");
  printf(",%g,%s,", tolerance, storage_name(s));
  if (o->returned) printf("%.4g", o->wall);
  putchar('\n');
  fflush(stdout);
}

// False: the time is over, and other ways to ask this solver will hardly be fast.
static bool run_storage(const task *t, const method *m, storage s, outcome *o)
{
  for (int k = 0; k < TOLERANCES; k++) {
    memset(o, 0, sizeof *o);
    const pid_t child = fork();
    if (child < 0) abort();
    if (child == 0) run_child(t, m, s, tolerances[k], o);
    int status = 0;
    waitpid(child, &status, 0);
    print_row(t, m, s, tolerances[k], status, o);
    if (!o->returned) return !timed_out(status);
    const bool false_success = o->info == 0 && !(true_error(&o->error) <= WANTED);
    if (!false_success) break;
  }
  return true;
}

static void run_file(task *t, const char *solver, outcome *o)
{
  const dls_incremental *p = t->problem;
  const form f = p->global ? GLOBAL_SPATIAL : p->dimension == 2 ? LOCAL_PLANAR : LOCAL_SPATIAL;
  for (int k = 0; k < siconos_method_count; k++) {
    const method *m = siconos_methods + k;
    if (m->form != f || (solver && strcmp(solver, m->name) != 0)) continue;
    if (strcmp(m->name, "QUARTIC") == 0 && p->contacts > 1) continue;
    bool more = !storage_fits(p, m->first) || run_storage(t, m, m->first, o);
    for (storage s = 0; s < STORAGES && more; s++)
      if (s != m->first && storage_fits(p, s)) more = run_storage(t, m, s, o);
  }
}

static int read_and_run(const char *file, double limit, const char *solver, outcome *o)
{
  dls_fclib *fclib = NULL;
  dls_message message = {{0}};
  if (dls_fclib_read(file, &fclib, &message) != DLS_OK) {
    fprintf(stderr, "siconos_friction: %s: %s\n", file, message.text);
    return 1;
  }
  const dls_incremental *p = &fclib->problem;
  task t = {.file = file, .problem = p, .limit = limit};
  if (p->equations > 0 || (p->global && p->dimension != 3))
    fprintf(stderr, "siconos_friction: %s: Siconos has no solver for this form; left out\n", file);
  else if (dls_incremental_scale(p, &t.norm_q) != DLS_OK)
    fprintf(stderr, "siconos_friction: %s: the mass matrix is not positive definite\n", file);
  else run_file(&t, solver, o);
  dls_fclib_free(fclib);
  return 0;
}

int main(int argc, char **argv)
{
  double limit = 20;
  const char *solver = NULL;
  int first = 1;
  for (; first + 1 < argc && strncmp(argv[first], "--", 2) == 0; first += 2) {
    if (strcmp(argv[first], "--limit") == 0) limit = strtod(argv[first + 1], NULL);
    else if (strcmp(argv[first], "--solver") == 0) solver = argv[first + 1];
    else break;
  }
  if (first >= argc || strncmp(argv[first], "--", 2) == 0 || !(limit > 0)) {
    fprintf(stderr, "usage: siconos_friction [--limit SECONDS] [--solver NAME] FILE...\n"
                    "Set OPENBLAS_NUM_THREADS=1: threads make these problems slower.\n");
    return 2;
  }
  outcome *shared =
      mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) abort();
  puts("file,contacts,solver,reported,iterations,seconds,error,error_siconos,tolerance,storage,"
       "wall");
  int failures = 0;
  for (int k = first; k < argc; k++) failures += read_and_run(argv[k], limit, solver, shared);
  return failures > 0;
}
