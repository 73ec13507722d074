// A solver as its users see it: create, solve, free. Whatever a method believes, what is reported
// is recomputed from the problem's data at the returned point.
#include "solve/run.h"

#include "base/message.h"
#include "problem/incremental.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FEW = 12 };  // blocks

struct dls_solver {
  dls_run run;
  const dls_method *method;
  void *self;
  long double *sum;  // for the residual
};

// ---- words -------------------------------------------------------------------------------------

static const char *const stop_text[] = {
#define DLS_STOP_WORDS(code, text) text,
    DLS_STOP_LIST(DLS_STOP_WORDS)
#undef DLS_STOP_WORDS
};

const char *dls_stop_text(dls_stop stop)
{
  const int index = (int)stop, count = (int)(sizeof stop_text / sizeof *stop_text);
  return index >= 0 && index < count ? stop_text[index] : "";
}

dls_solve_options dls_solve_defaults(void)
{
  return (dls_solve_options){.solver = "auto", .tolerance = 1e-8};
}

int dls_solver_count(void)
{
  return dls_method_count;
}

const dls_solver_info *dls_solver_info_at(int index)
{
  return index >= 0 && index < dls_method_count ? &dls_methods[index]->info : NULL;
}

static const dls_method *find(const char *name)
{
  for (int k = 0; k < dls_method_count; k++)
    if (strcmp(dls_methods[k]->info.name, name) == 0) return dls_methods[k];
  return NULL;
}

const dls_solver_info *dls_solver_find(const char *name)
{
  const dls_method *method = name ? find(name) : NULL;
  return method ? &method->info : NULL;
}

// ---- what methods call -------------------------------------------------------------------------

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double dls_run_seconds(const dls_run *run)
{
  return now() - run->start;
}

double *dls_run_vector(dls_run *run)
{
  return dls_arena_alloc(run->arena, (size_t)run->padded + 1, sizeof(double));
}

double *dls_run_blocks(dls_run *run)
{
  return dls_arena_alloc(run->arena, (size_t)run->blocks + 1,
                         (size_t)(run->d * run->d) * sizeof(double));
}

static void keep(dls_run *run)
{
  run->best = run->error;
  run->best_name = run->name;
  memcpy(run->best_r, run->r, (size_t)run->padded * sizeof(double));
}

// |F|^2 where W is formed; u on the way.
static inline double square_formed(dls_run *run, int d)
{
  double square = 0;
  for (int i = 0; i < run->blocks; i++) {
    double *u = run->u + (ptrdiff_t)d * i;
    dls_operator_product(run->op, d, i, run->r, u);
    for (int k = 0; k < d; k++) u[k] += run->op->q[d * i + k];
    if (i < run->contacts)
      square += dls_natural_square(d, run->mu[i], run->r + (ptrdiff_t)d * i, u);
  }
  return square;
}

static double square_of_contacts(const dls_run *run, const double *r, const double *u)
{
  const int d = run->d;
  double square = 0;
  for (int i = 0; i < run->contacts; i++)
    square += dls_natural_square(d, run->mu[i], r + (ptrdiff_t)d * i, u + (ptrdiff_t)d * i);
  return square;
}

static double judge(const dls_run *run, double square, const double *u)
{
  for (int i = run->d * run->contacts; i < run->rows; i++) square += u[i] * u[i];
  return run->norm_q > 0 ? sqrt(square) / run->norm_q : sqrt(square);
}

double dls_run_measure(dls_run *run)
{
  double square;
  if (!run->op->W) {
    dls_operator_velocity(run->op, run->r, NULL, run->u);
    square = square_of_contacts(run, run->r, run->u);
  } else {
    square = run->d == 3 ? square_formed(run, 3) : square_formed(run, 2);
  }
  run->error = judge(run, square, run->u);
  if (run->error < run->best) keep(run);
  return run->error;
}

void dls_run_offer(dls_run *run, double error)
{
  run->error = error;
  if (error < run->best) keep(run);
}

void dls_run_return(dls_run *run)
{
  memcpy(run->r, run->best_r, (size_t)run->padded * sizeof(double));
  dls_run_measure(run);
  run->best = run->error;  // of a point that was offered it is only known now
}

void dls_run_give_up(dls_run *run, dls_stop why)
{
  if (run->over) return;
  run->stop = why;
}

static void keep_moment(dls_run *run)
{
  if (run->moments == run->options.history) {
    for (int k = 0; 2 * k < run->moments; k++) run->history[k] = run->history[2 * k];
    run->moments = (run->moments + 1) / 2;
    run->stride *= 2;
  }
  run->history[run->moments++] =
      (dls_solve_moment){run->iterations, dls_run_seconds(run), run->error, run->name};
  run->skipped = 0;
}

// Every point of a short history; every second, fourth ... of a long one, and the last.
static void record(dls_run *run)
{
  if (run->options.history <= 0) return;
  if (run->moments == 0 || ++run->skipped >= run->stride) keep_moment(run);
}

static void finish(dls_run *run, dls_stop why)
{
  run->over = true;
  run->stop = why;
  if (run->skipped > 0) keep_moment(run);
}

// The clock costs as much as a sweep over a contact: it is not read at the start, and of a few
// blocks at every fourth iteration.
static bool out_of_time(const dls_run *run)
{
  const int pause = run->blocks > FEW ? 1 : 4;
  return run->options.time_limit > 0 && run->iterations > 0 && run->iterations % pause == 0 &&
         dls_run_seconds(run) > run->options.time_limit;
}

bool dls_run_next(dls_run *run)
{
  const dls_solve_options *o = &run->options;
  record(run);
  if (run->best <= 0.99 * o->tolerance) finish(run, DLS_STOP_CONVERGED);
  else if (o->watch && o->watch(o->self, run->iterations, run->best, run->name))
    finish(run, DLS_STOP_INTERRUPTED);
  else if (run->iterations >= o->max_iterations) finish(run, DLS_STOP_ITERATIONS);
  else if (out_of_time(run)) finish(run, DLS_STOP_TIME);
  if (!run->over) run->iterations++;
  return !run->over;
}

void *dls_solver_self(dls_solver *solver)
{
  return solver->self;
}

// ---- create and free ---------------------------------------------------------------------------

void dls_solver_set_tolerance(dls_solver *solver, double tolerance)
{
  if (tolerance >= 0) solver->run.options.tolerance = tolerance;
}

void dls_solver_free(dls_solver *s)
{
  if (!s) return;
  if (s->method && s->method->destroy) s->method->destroy(s->self);
  dls_operator_free(s->run.op);
  dls_arena_free(s->run.arena);
  free(s);
}

static dls_status set_up(dls_solver *s)
{
  dls_run *run = &s->run;
  const dls_incremental *p = run->problem;
  run->arena = dls_arena_create();
  dls_status status = run->arena ? dls_operator_create(p, &run->op) : DLS_ERR_MEMORY;
  if (status != DLS_OK) return status;
  run->d = run->op->d, run->contacts = run->op->contacts, run->blocks = run->op->blocks;
  run->rows = run->op->rows, run->padded = run->op->padded, run->mu = p->mu;
  run->dof = p->global ? p->dof : 0;
  const size_t longest = (size_t)(run->dof > run->rows ? run->dof : run->rows) + 1;
  run->r = dls_run_vector(run), run->u = dls_run_vector(run), run->best_r = dls_run_vector(run);
  s->sum = dls_arena_alloc(run->arena, longest, sizeof(long double));
  const size_t history = run->options.history > 0 ? (size_t)run->options.history : 0;
  run->history = dls_arena_alloc(run->arena, history + 1, sizeof *run->history);
  if (!run->r || !run->u || !run->best_r || !s->sum || !run->history) return DLS_ERR_MEMORY;
  status = dls_operator_refresh(run->op);
  return status == DLS_OK ? s->method->create(run, &s->self) : status;
}

dls_status dls_solver_create(const dls_incremental *problem, const dls_solve_options *options,
                             dls_solver **out, dls_message *message)
{
  *out = NULL;
  const dls_solve_options o = options ? *options : dls_solve_defaults();
  const dls_method *method = find(o.solver ? o.solver : "auto");
  if (!method) return dls_fail(message, DLS_ERR_ARGUMENT, "there is no solver '%s'", o.solver);
  if (problem->global ? !method->info.global : !method->info.local)
    return dls_fail(message, DLS_ERR_ARGUMENT, "the solver '%s' does not take the %s form",
                    method->info.name, problem->global ? "global" : "local");
  if (!(o.tolerance >= 0) || o.history == 1)
    return dls_fail(message, DLS_ERR_ARGUMENT,
                    "the tolerance or the length of the history is wrong");
  dls_status status = dls_incremental_validate(problem, message);
  if (status != DLS_OK) return status;
  dls_solver *s = dls_alloc(1, sizeof *s);
  if (!s) return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  s->method = method;
  s->run.problem = problem, s->run.options = o;
  if (o.max_iterations <= 0) s->run.options.max_iterations = method->most_iterations;
  status = set_up(s);
  if (status == DLS_OK) *out = s;
  else dls_solver_free(s);
  if (status == DLS_ERR_NUMBER) return dls_fail(message, status, "the mass matrix M is singular");
  return status == DLS_OK ? status : dls_fail(message, status, "%s", dls_status_text(status));
}

bool dls_run_prepare(dls_run *run)
{
  if (!run->prepared) {
    run->prepared = true;
    run->preparing = dls_operator_prepare(run->op, (size_t)4 << 30);
  }
  if (run->preparing != DLS_OK) dls_run_give_up(run, DLS_STOP_NUMERICS);
  return run->preparing == DLS_OK;
}

dls_status dls_run_plan(dls_run *run)
{
  dls_run_prepare(run);
  return run->preparing == DLS_ERR_MEMORY ? DLS_ERR_MEMORY : DLS_OK;
}

// ---- solve -------------------------------------------------------------------------------------

// |q|; in long double only where squares leave the range.
static double norm(int count, const double *x)
{
  double sum = 0;
  for (int i = 0; i < count; i++) sum += x[i] * x[i];
  if (sum > 1e-260 && sum < 1e260) return sqrt(sum);
  long double wide = 0;
  for (int i = 0; i < count; i++) wide += (long double)x[i] * x[i];
  return (double)sqrtl(wide);
}

// Zero, where u = q, is the first best point. run->r may be anywhere.
static void measure_zero(dls_run *run)
{
  const size_t bytes = (size_t)run->padded * sizeof(double);
  memset(run->best_r, 0, bytes);
  memcpy(run->u, run->op->q, bytes);
  run->error = judge(run, square_of_contacts(run, run->best_r, run->op->q), run->op->q);
  run->best = run->error < INFINITY ? run->error : INFINITY, run->best_name = run->name;
}

static void begin(dls_run *run)
{
  run->iterations = run->moments = run->skipped = 0;
  run->stride = 1;
  run->over = run->begun = false, run->stop = DLS_STOP_STALLED;
  run->start = now();
}

// From the given start, when it is finite; zero is remembered when that is better.
static void start(dls_run *run, const double *r, bool zero)
{
  measure_zero(run);
  if (zero) return;
  memcpy(run->r, r, (size_t)run->rows * sizeof(double));
  for (int i = run->rows; i < run->padded; i++) run->r[i] = 0;
  if (!(dls_run_measure(run) < INFINITY)) dls_run_return(run);
}

// What is recomputed from the problem's data at r.
static bool judge_exactly(dls_solver *s, const double *r, const double *v, dls_solve_report *report)
{
  dls_run *run = &s->run;
  dls_incremental_measure(run->problem, run->norm_q, r, v, run->u, s->sum, &report->error);
  report->converged =
      report->error.q <= run->options.tolerance && report->error.balance <= run->options.tolerance;
  return report->converged;
}

// From zero, when nobody looks at the way: the method's first iteration goes ahead of all
// measurements, and is judged at once where it may well have solved the problem.
static bool first_strike(dls_solver *s, dls_solve_report *report)
{
  dls_run *run = &s->run;
  const dls_solve_options *o = &run->options;
  if (!s->method->first || run->problem->global || o->watch || o->history > 0) return false;
  if (!s->method->first(run, s->self) || !judge_exactly(s, run->r, NULL, report)) return false;
  // zero again: the start was the solution
  for (int i = 0; i < run->rows && run->iterations == 0; i++) run->iterations = run->r[i] != 0;
  run->best_name = run->iterations == 0 ? s->method->info.name : run->name;
  return true;
}

static void iterate(dls_solver *s, double *r, double *v, bool zero, dls_solve_report *report)
{
  dls_run *run = &s->run;
  start(run, r, zero);
  s->method->iterate(run, s->self);
  if (run->rows > 0) memcpy(r, run->best_r, (size_t)run->rows * sizeof(double));
  if (run->problem->global) dls_operator_velocity(run->op, run->best_r, v, run->u);
  judge_exactly(s, r, v, report);
}

dls_status dls_solver_solve(dls_solver *s, double *r, double *v, double *u,
                            dls_solve_report *report)
{
  dls_run *run = &s->run;
  const size_t bytes = (size_t)run->rows * sizeof(double);
  *report = (dls_solve_report){.solver = s->method->info.name};
  run->name = s->method->info.name;
  dls_status status = dls_operator_refresh(run->op);
  if (status != DLS_OK) return status;
  run->norm_q = norm(run->rows, run->op->q);
  begin(run);
  bool zero = true;
  for (int i = 0; i < run->rows && zero; i++) zero = r[i] == 0;
  if (zero) memset(run->r, 0, (size_t)run->padded * sizeof(double));
  if (zero && first_strike(s, report)) memcpy(r, run->r, bytes);
  else iterate(s, r, v, zero, report);

  if (u && run->rows > 0) memcpy(u, run->u, bytes);
  report->stop = run->stop;
  if (report->converged) report->stop = DLS_STOP_CONVERGED;
  else if (report->stop == DLS_STOP_CONVERGED) report->stop = DLS_STOP_NUMERICS;
  report->solver = run->best_name;
  report->iterations = run->iterations;
  report->seconds = dls_run_seconds(run);
  report->moments = run->moments;
  report->history = run->history;
  return DLS_OK;
}
