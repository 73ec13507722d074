// A solver as its users see it: create, solve, free. Methods see the problem in units of their own,
// units.h; whatever they believe, what is reported is recomputed from the problem's data, as they
// were given, at the returned point.
#include "base/memory.h"
#include "base/message.h"
#include "contact/incremental.h"
#include "contact/law.h"
#include "solve/gauss_seidel.h"
#include "solve/solver_run.h"
#include "solve/tolerances.h"
#include "solve/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SWEPT = 100000 };  // blocks

struct dls_solver {
  const dls_incremental *given;
  const dls_incremental *problem;  // the same, or `plain`, where all laws are the cone's
  dls_incremental plain;
  dls_units units;
  dls_scales scales;
  dls_run run;
  const dls_method *method;
  void *self;
  // what was judged last, in the units given
  double *r, *u, *v;
  void *sweeps;   // NULL: there are none to polish with
  double *trial;  // padded
  dls_incremental_error error;
  bool judged;    // the run's best point, and it will do
  int forgotten;  // best points with forces that are too large
  dls_residual_work work;
};

dls_solve_options dls_solve_defaults(void)
{
  return (dls_solve_options){.solver = "auto", .tolerance = solve_tolerance};
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

// ---- create and free ---------------------------------------------------------------------------

void *dls_solver_self(dls_solver *solver)
{
  return solver->self;
}

void dls_solver_set_tolerance(dls_solver *solver, double tolerance)
{
  if (tolerance >= 0) solver->run.options.tolerance = tolerance;
}

void dls_solver_free(dls_solver *s)
{
  if (!s) return;
  if (s->method && s->method->destroy) s->method->destroy(s->self);
  dls_operator_free(s->run.op);
  dls_scales_free(&s->scales);
  dls_arena_free(s->run.arena);
  free(s);
}

static dls_stop accept(dls_run *run);

static dls_status reserve(dls_solver *s)
{
  dls_run *run = &s->run;
  const ptrdiff_t dof = (ptrdiff_t)run->dof + 1;
  run->r = dls_run_vector(run), run->u = dls_run_vector(run), run->best_r = dls_run_vector(run);
  s->r = dls_run_vector(run), s->u = dls_run_vector(run), s->trial = dls_run_vector(run);
  s->v = dls_arena_alloc(run->arena, dof, sizeof(double));
  const ptrdiff_t history = run->options.history > 0 ? (ptrdiff_t)run->options.history : 0;
  run->history = dls_arena_alloc(run->arena, history + 1, sizeof *run->history);
  const bool good =
      run->r && run->u && run->best_r && s->r && s->u && s->trial && s->v && run->history;
  const dls_status status =
      good ? dls_residual_work_create(s->given, run->arena, &s->work) : DLS_ERR_MEMORY;
  return status == DLS_OK ? dls_scales_create(s->given, &s->scales) : status;
}

// False: some law is none, or not one of the method's.
static bool take_laws(dls_solver *s)
{
  dls_run *run = &s->run;
  run->laws = dls_incremental_laws(s->given);
  run->law = run->laws & ~DLS_LAWS_CONE ? s->units.problem.law : NULL;
  s->problem = s->given;
  if (s->given->law && run->laws == DLS_LAW_BIT(DLS_LAW_CONE)) {
    s->plain = *s->given, s->plain.law = NULL;
    s->problem = &s->plain;
  }
  return run->laws && dls_method_takes(s->method, run);
}

static dls_status set_up(dls_solver *s)
{
  dls_run *run = &s->run;
  run->arena = dls_arena_create();
  dls_status status =
      run->arena ? dls_units_create(s->given, run->arena, &s->units) : DLS_ERR_MEMORY;
  if (status != DLS_OK) return status;
  const dls_incremental *p = run->problem = &s->units.problem;
  if (p->global) dls_units_refresh(&s->units);
  status = dls_operator_create(p, &run->op);
  if (status != DLS_OK) return status;
  run->d = run->op->d, run->contacts = run->op->contacts, run->blocks = run->op->blocks;
  run->rows = run->op->rows, run->padded = run->op->padded, run->mu = p->mu;
  run->dof = p->global ? p->dof : 0;
  take_laws(s);
  run->accept = accept, run->solver = s, run->unit = run->velocity = 1;
  status = reserve(s);
  if (status == DLS_OK && dls_operator_has_rows(run->op) && run->blocks <= MOST_SWEPT)
    status = dls_method_gauss_seidel.create(run, &s->sweeps);
  // whether M is regular; otherwise numbers are read when they are needed
  if (status == DLS_OK && p->global) status = dls_operator_refresh(run->op);
  return status == DLS_OK ? s->method->create(run, &s->self) : status;
}

// The first contact with a law that the method does not take.
static dls_status refuse_law(const dls_incremental *p, const dls_method *method,
                             dls_message *message)
{
  int i = 0;
  while (i < p->contacts - 1 && DLS_LAW_BIT(p->law[i]) & method->info.laws) i++;
  return dls_fail(message, DLS_ERR_ARGUMENT,
                  "the solver '%s' does not take the law '%s' of contact %d; '%s' does",
                  method->info.name, dls_law_name(p->law[i]), i, dls_method_newton.info.name);
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
  if (dls_incremental_laws(problem) & ~method->info.laws)
    return refuse_law(problem, method, message);
  dls_solver *s = dls_alloc(1, sizeof *s);
  if (!s) return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  s->method = method;
  s->given = problem, s->run.options = o;
  if (o.max_iterations <= 0) s->run.options.max_iterations = method->max_iterations;
  status = set_up(s);
  if (status == DLS_OK) *out = s;
  else dls_solver_free(s);
  if (status == DLS_ERR_NUMBER) return dls_fail(message, status, "the mass matrix M is singular");
  return status == DLS_OK ? status : dls_fail(message, status, "%s", dls_status_text(status));
}

// ---- solve -------------------------------------------------------------------------------------

// W_jj of contact i as the mean of its rows, and of equations, in the units of the data. d is
// run->d, a constant.
static inline void set_diagonal(dls_solver *s, int d)
{
  const dls_run *run = &s->run;
  const dls_units *n = &s->units;
  const double scale = n->velocity / n->impulse, *D = run->op->diagonal;
  const int end = d * run->contacts;
  for (int i = 0; i < run->contacts; i++, D += (ptrdiff_t)d * d) {
    double own = fabs(D[0]) + fabs(D[d + 1]);
    if (d == 3) own += fabs(D[8]);
    s->scales.d[i] = own / d * scale;
  }
  for (int j = end; j < run->rows; j++) {
    const int k = (j - end) % d;
    const double scale_j = dls_units_velocity(n, j) / dls_units_impulse(n, j);
    const double own = D[(ptrdiff_t)d * (j - end - k) + (ptrdiff_t)(d + 1) * k];
    s->scales.d[run->contacts + j - end] = fabs(own) * scale_j;
  }
}

// W r, in the units of the data.
static void multiply(void *self, const double *r, double *u)
{
  dls_solver *s = self;
  const dls_run *run = &s->run;
  for (int j = 0; j < run->padded; j++)
    s->trial[j] = j < run->rows ? r[j] / dls_units_impulse(&s->units, j) : 0;
  dls_operator_multiply(run->op, s->trial, s->r);
  for (int j = 0; j < run->rows; j++) u[j] = s->r[j] * dls_units_velocity(&s->units, j);
}

// The scales of eq (inc.6), in the units of the data.
static void set_scales(dls_solver *s)
{
  dls_run *run = &s->run;
  const dls_units *n = &s->units;
  if (s->given->global)
    for (int j = 0; j < run->rows; j++) s->scales.q[j] = run->op->q[j] * dls_units_velocity(n, j);
  else if (run->rows > 0) dls_copy(s->scales.q, s->given->q, run->rows);
  for (int k = 0; k < run->dof; k++) s->scales.free[k] = run->op->free[k] * n->velocity;
  if (run->d == 3) set_diagonal(s, 3);
  else set_diagonal(s, 2);
  dls_scales_set(s->problem, &s->scales, multiply, s);
  run->velocity = n->velocity;
  run->norm_q = s->given->equations == 0 ? s->scales.norm_q / n->velocity
                                         : dls_length_of(run->rows, run->op->q);
  run->unit = s->scales.mean > 0 ? s->scales.mean * (n->impulse / n->velocity) : 1;
}

// From the given start, when it is finite; zero is remembered when that is better.
static void start(dls_solver *s, const double *r, bool zero)
{
  dls_run *run = &s->run;
  dls_run_measure_zero(run);
  if (zero) return;
  for (int j = 0; j < run->rows; j++) run->r[j] = r[j] / dls_units_impulse(&s->units, j);
  for (int j = run->rows; j < run->padded; j++) run->r[j] = 0;
  if (!(dls_run_measure(run) < INFINITY)) dls_run_return(run);
}

// What is recomputed from the problem's data at r, which is in the units of the run.
static bool assess(dls_solver *s, const double *r)
{
  dls_run *run = &s->run;
  const dls_units *n = &s->units;
  if (s->given->global) dls_operator_velocity(run->op, r, s->v, s->u);
  for (int k = 0; k < run->dof; k++) s->v[k] *= n->velocity;
  const int end = run->d * run->contacts;
  for (int j = 0; j < end; j++) s->r[j] = r[j] * n->impulse;
  for (int j = end; j < run->rows; j++) s->r[j] = r[j] * dls_units_impulse(n, j);
  dls_incremental_measure(s->problem, &s->scales, s->r, s->v, s->u, &s->work, &s->error);
  return s->error.largest <= run->options.tolerance;
}

static __attribute__((noinline)) double project_laws(dls_solver *s)
{
  const dls_run *run = &s->run;
  const int d = run->d;
  double square = 0;
  for (int i = 0; i < run->contacts; i++) {
    const dls_one_law law = dls_law_at(run->problem, i);
    const double *r = run->best_r + (ptrdiff_t)d * i;
    double *to = s->trial + (ptrdiff_t)d * i;
    dls_law_project(d, &law, r, to);
    double own = 0;
    for (int k = 0; k < d; k++) own += (to[k] - r[k]) * (to[k] - r[k]);
    if (own == 0) continue;
    const double share = dls_scales_share(s->given, &s->scales, i);
    square += own / share / share;
  }
  return sqrt(square);
}

// The nearest forces inside the cones, in place of the run's best point. Returns how far they are,
// each beside the share of its contact.
static double project(dls_solver *s)
{
  const dls_run *run = &s->run;
  const int d = run->d;
  const double *r = run->best_r;
  double *to = s->trial, square = 0;
  dls_copy(to, r, run->padded);
  if (run->law) return project_laws(s);
  for (int i = 0; i < run->contacts; i++, r += d, to += d) {
    dls_friction_cone_project(d, run->mu[i], r, to);
    double own = 0;
    for (int k = 0; k < d; k++) own += (to[k] - r[k]) * (to[k] - r[k]);
    if (!(own > 0)) continue;
    const double share = dls_scales_share(s->given, &s->scales, i);
    square += own / share / share;
  }
  return sqrt(square);
}

// A point that is good as a whole may have forces a little outside their cones: then the nearest
// ones inside are looked at, and at once where the distance alone is too much, as F_g of eq (inc.9)
// is not less than it. Not where they are so near that nothing else would change. *least: of the
// errors that were met.
static bool assess_best(dls_solver *s, double *least)
{
  const dls_run *run = &s->run;
  const double distance = project(s);
  const double finer = dls_finer_impulses * run->unit * distance * run->velocity;
  const double tolerance = run->options.tolerance;
  const double allowed = tolerance * sqrt(s->scales.load_q) * s->scales.unit;
  bool good = false, near = !(distance > 0);
  if (!(finer > far_outside * allowed)) {
    good = assess(s, run->best_r);
    *least = s->error.largest;
    near = near || (finer < hardly_outside * allowed && s->error.cone <= tolerance);
  }
  if (good || near) return good;
  good = assess(s, s->trial);
  *least = fmin(*least, s->error.largest);
  if (good) dls_copy(run->best_r, s->trial, run->padded);
  return good;
}

// Contacts may not be good in their own scale: some sweeps, each contact solved exactly, end that
// where they can; more where they were about to. The method's own point stays as it is. before: its
// error. Returns the least one; s->judged when it will do.
static double polish(dls_solver *s, double before)
{
  enum { ROUNDS = 2, SWEEPS = 2 };
  dls_run *run = &s->run;
  double *const own = run->r, least = before;
  run->r = s->trial;
  dls_gauss_seidel_start(run, s->sweeps);
  for (int k = 0; k < ROUNDS; k++) {
    for (int i = 0; i < SWEEPS; i++) dls_gauss_seidel_sweep(run, s->sweeps, i % 2);
    s->judged = assess(s, run->r);
    const double rate = s->error.largest / least;
    least = fmin(least, s->error.largest);
    if (s->judged || !(rate * least <= run->options.tolerance)) break;
  }
  if (s->judged) dls_copy(run->best_r, run->r, run->padded);
  run->r = own;
  return least;
}

// The run's best point. Where it does not do the goal is lowered, in proportion to what is missing.
// Forces so large that rounding hides the velocities are forgotten some times: where W does not
// determine them there may be others.
static dls_stop accept(dls_run *run)
{
  enum { TIMES = 8 };
  dls_solver *s = run->solver;
  const double tolerance = run->options.tolerance;
  double least = INFINITY;
  s->judged = assess_best(s, &least);
  if (!s->judged && s->error.rounding > tolerance) {
    if (s->forgotten++ == TIMES) return DLS_STOP_ROUNDING;
    run->best = INFINITY;
  } else if (!s->judged) {
    if (s->sweeps) least = polish(s, least);
    const double share = sqrt(goal_of_missing * tolerance / least);
    run->goal = run->best * (share > least_goal ? share : least_goal);
  }
  return s->judged ? DLS_STOP_CONVERGED : DLS_STOP_STALLED;
}

// From zero, when nobody looks at the way: the method's first iteration goes ahead of all
// measurements, and is judged at once where it may well have solved the problem.
static bool may_strike(const dls_solver *s)
{
  const dls_solve_options *o = &s->run.options;
  return s->method->first && !s->run.problem->global && !o->watch && o->history == 0;
}

static bool first_strike(dls_solver *s)
{
  dls_run *run = &s->run;
  if (!s->method->first(run, s->self) || !assess(s, run->r)) return false;
  // zero again: the start was the solution
  for (int i = 0; i < run->rows && run->iterations == 0; i++) run->iterations = run->r[i] != 0;
  run->best_name = run->iterations == 0 ? s->method->info.name : run->name;
  run->stop = DLS_STOP_CONVERGED;
  return true;
}

static void iterate(dls_solver *s, const double *r, bool zero)
{
  dls_run *run = &s->run;
  s->judged = false, s->forgotten = 0;
  start(s, r, zero);
  s->method->iterate(run, s->self);
  if (!s->judged) assess(s, run->best_r);
}

static void fill_report(const dls_solver *s, dls_solve_report *report)
{
  const dls_run *run = &s->run;
  const double tolerance = run->options.tolerance;
  report->error = s->error;
  dls_incremental_measure_classically(s->problem, s->scales.norm_q, s->r, s->u, &report->error);
  report->converged = s->error.largest <= tolerance;
  report->stop = run->stop;
  if (report->converged) report->stop = DLS_STOP_CONVERGED;
  else if (report->stop == DLS_STOP_STALLED && s->error.rounding > tolerance)
    report->stop = DLS_STOP_ROUNDING;
  else if (report->stop == DLS_STOP_CONVERGED) report->stop = DLS_STOP_NUMERICS;
  report->solver = run->best_name;
  report->iterations = run->iterations;
  report->seconds = dls_run_seconds(run);
  report->moments = run->moments;
  report->history = run->history;
}

dls_status dls_solver_solve(dls_solver *s, double *r, double *v, double *u,
                            dls_solve_report *report)
{
  dls_run *run = &s->run;
  const ptrdiff_t bytes = run->rows;
  *report = (dls_solve_report){.solver = s->method->info.name};
  run->name = s->method->info.name;
  if (s->given->law && !take_laws(s)) return DLS_ERR_ARGUMENT;
  dls_units_refresh(&s->units);
  dls_status status = dls_operator_refresh(run->op);
  if (status != DLS_OK) return status;
  dls_run_begin(run);
  set_scales(s);
  bool zero = true;
  for (int i = 0; i < run->rows && zero; i++) zero = r[i] == 0;
  if (zero) dls_clear(run->r, run->padded);
  const bool strike = zero && may_strike(s);
  if (!strike || !first_strike(s)) iterate(s, r, zero);
  if (bytes > 0) dls_copy(r, s->r, bytes);
  if (u && bytes > 0) dls_copy(u, s->u, bytes);
  if (run->dof > 0) dls_copy(v, s->v, run->dof);
  fill_report(s, report);
  return DLS_OK;
}
