// One call of a solver, as its method sees it.
#include "base/memory.h"
#include "solve/solver_run.h"
#include "solve/tolerances.h"

#include "contact/incremental.h"
#include "contact/law.h"
#include "base/clock.h"

#include <math.h>
#include <time.h>

enum { FEW = 12 };                                       // blocks
static const double SPEED = 3e8;                         // operations per second, on a slow machine
static const ptrdiff_t MOST_BYTES = (ptrdiff_t)4 << 30;  // of factors

double dls_run_seconds(const dls_run *run)
{
  return dls_clock() - run->start;
}

double *dls_run_vector(dls_run *run)
{
  return dls_arena_alloc(run->arena, (ptrdiff_t)run->padded + 1, sizeof(double));
}

double *dls_run_blocks(dls_run *run)
{
  return dls_arena_alloc(run->arena, (ptrdiff_t)run->blocks + 1,
                         dls_bytes(run->d * run->d, sizeof(double)));
}

static void keep(dls_run *run)
{
  run->best = run->error;
  run->best_name = run->name;
  dls_copy(run->best_r, run->r, run->padded);
}

// |F|^2 of contact i, of whatever law.
static double square_of_law(const dls_run *run, int i, const double *r, const double *u)
{
  const dls_one_law law = dls_law_at(run->problem, i);
  const ptrdiff_t at = (ptrdiff_t)run->d * i;
  return dls_law_square(run->d, &law, run->unit, r + at, u + at);
}

// |F|^2 where W is formed; u on the way. The velocity alone where there are laws.
static inline double square_formed(dls_run *run, int d, bool laws)
{
  double square = 0;
  for (int i = 0; i < run->blocks; i++) {
    double *u = run->u + (ptrdiff_t)d * i;
    dls_operator_product(run->op, d, i, run->r, u);
    for (int k = 0; k < d; k++) u[k] += run->op->q[d * i + k];
    if (i < run->contacts && !laws)
      square += dls_natural_square(d, run->mu[i], run->unit, run->r + (ptrdiff_t)d * i, u);
  }
  return square;
}

static double square_of_contacts(const dls_run *run, const double *r, const double *u)
{
  const int d = run->d;
  double square = 0;
  for (int i = 0; run->law && i < run->contacts; i++) square += square_of_law(run, i, r, u);
  for (int i = 0; !run->law && i < run->contacts; i++)
    square +=
        dls_natural_square(d, run->mu[i], run->unit, r + (ptrdiff_t)d * i, u + (ptrdiff_t)d * i);
  return square;
}

static double assess(const dls_run *run, double square, const double *u)
{
  for (int i = run->d * run->contacts; i < run->rows; i++) square += u[i] * u[i];
  dls_operator_sum(run->op, 1, &square);
  return run->norm_q > 0 ? sqrt(square) / run->norm_q : sqrt(square);
}

double dls_run_measure(dls_run *run)
{
  double square;
  if (!run->op->W) {
    dls_operator_velocity(run->op, run->r, NULL, run->u);
    square = square_of_contacts(run, run->r, run->u);
  } else if (run->law) {
    if (run->d == 3) square_formed(run, 3, true);
    else square_formed(run, 2, true);
    square = square_of_contacts(run, run->r, run->u);
  } else {
    square = run->d == 3 ? square_formed(run, 3, false) : square_formed(run, 2, false);
  }
  run->error = assess(run, square, run->u);
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
  dls_copy(run->r, run->best_r, run->padded);
  dls_run_measure(run);
  run->best = run->error;  // of a point that was offered it is only known now
}

void dls_run_give_up(dls_run *run, dls_stop why)
{
  if (run->over) return;
  run->stop = why;
}

static void keep_sample(dls_run *run)
{
  if (run->moments == run->options.history) {
    for (int k = 0; 2 * k < run->moments; k++) run->history[k] = run->history[2 * k];
    run->moments = (run->moments + 1) / 2;
    run->stride *= 2;
  }
  run->history[run->moments++] =
      (dls_solve_sample){run->iterations, dls_run_seconds(run), run->error, run->name};
  run->skipped = 0;
}

// Every point of a short history; every second, fourth ... of a long one, and the last.
static void record(dls_run *run)
{
  if (run->options.history <= 0) return;
  if (run->moments == 0 || ++run->skipped >= run->stride) keep_sample(run);
}

static void finish(dls_run *run, dls_stop why)
{
  run->over = true;
  run->stop = why;
  if (run->skipped > 0) keep_sample(run);
}

// The clock costs as much as a sweep over a contact: it is not read at the start, and of a few
// blocks at every fourth iteration.
static bool out_of_time(const dls_run *run)
{
  const int pause = run->blocks > FEW ? 1 : 4;
  return run->options.time_limit > 0 && run->iterations > 0 && run->iterations % pause == 0 &&
         dls_run_seconds(run) > run->options.time_limit;
}

// What the run measures is a part of what counts: where the rest is not small enough yet, it goes
// on to a lower goal.
static bool good_enough(dls_run *run)
{
  if (!(run->best <= run->goal)) return false;
  const dls_stop why = run->accept ? run->accept(run) : DLS_STOP_CONVERGED;
  if (why == DLS_STOP_STALLED) {
    run->rejections++;
    return false;
  }
  finish(run, why);
  return true;
}

bool dls_run_next(dls_run *run)
{
  const dls_solve_options *o = &run->options;
  record(run);
  if (good_enough(run)) return false;
  if (o->watch && o->watch(o->self, run->iterations, run->best, run->name))
    finish(run, DLS_STOP_INTERRUPTED);
  else if (run->iterations >= o->max_iterations) finish(run, DLS_STOP_ITERATIONS);
  else if (out_of_time(run)) finish(run, DLS_STOP_TIME);
  if (!run->over) run->iterations++;
  return !run->over;
}

// Zero, where u = q, is the first best point. run->r may be anywhere.
void dls_run_measure_zero(dls_run *run)
{
  const ptrdiff_t bytes = run->padded;
  dls_clear(run->best_r, bytes);
  dls_copy(run->u, run->op->q, bytes);
  run->error = assess(run, square_of_contacts(run, run->best_r, run->op->q), run->op->q);
  run->best = run->error < INFINITY ? run->error : INFINITY, run->best_name = run->name;
}

void dls_run_begin(dls_run *run)
{
  run->iterations = run->moments = run->skipped = run->rejections = 0;
  run->stride = 1;
  run->over = run->begun = false, run->stop = DLS_STOP_STALLED;
  run->goal = goal_of_tolerance * run->options.tolerance;
  run->start = dls_clock();
}

bool dls_run_prepare(dls_run *run)
{
  if (!run->prepared) {
    run->prepared = true;
    run->preparing = dls_operator_prepare(run->op, MOST_BYTES);
    // a factorization cannot be interrupted: it must fit into the time that there is
    if (run->preparing == DLS_OK && run->options.time_limit > 0 &&
        run->op->work > SPEED * run->options.time_limit)
      run->preparing = DLS_ERR_LIMIT;
  }
  const bool long_one = run->preparing == DLS_ERR_LIMIT && run->options.time_limit > 0;
  if (run->preparing != DLS_OK) dls_run_give_up(run, long_one ? DLS_STOP_TIME : DLS_STOP_NUMERICS);
  return run->preparing == DLS_OK;
}

dls_status dls_run_plan(dls_run *run)
{
  dls_run_prepare(run);
  return run->preparing == DLS_ERR_MEMORY ? DLS_ERR_MEMORY : DLS_OK;
}
