// The outer loop: s <- F(s), accelerated. A combination is kept while |F(s) - s| stays below twice
// its least value; otherwise the image of the best s comes back, eq (and.2). Newton steps end what
// the loop has brought near.
#include "solve/fixed_point.h"

#include "base/memory.h"
#include "solve/gauss_seidel.h"
#include "solve/interior.h"
#include "solve/newton.h"

#include <math.h>

enum { MEMORY = 8, KEPT = 5, PROBLEMS = 500, PATIENCE = 50, STUCK = 5, GRADIENTS = 5000 };
static const double first_error = 1e-2, inner_error = 0.1;  // of the loop; of convex problems in it
static const double stuck_error = 1e-4;  // of a convex problem: less is rounding, not failure
static const double first_polish = 1e-3, next_polish = 0.03;  // errors at which Newton is tried
static const double loop_progress = 0.95;                     // of the least |F(s) - s| so far

static dls_status create(dls_run *run, void **self, bool gradient)
{
  dls_fixed_point *f = dls_arena_alloc(run->arena, 1, sizeof *f);
  if (!f) return DLS_ERR_MEMORY;
  *self = f;
  f->gradient = gradient, f->memory = KEPT, f->most = PROBLEMS, f->polish = true;
  const ptrdiff_t count = (ptrdiff_t)run->contacts + 1;
  f->s = dls_arena_alloc(run->arena, count, sizeof(double));
  f->image = dls_arena_alloc(run->arena, count, sizeof(double));
  f->kept = dls_arena_alloc(run->arena, count, sizeof(double));
  f->forces = dls_run_vector(run), f->rho = dls_run_vector(run);
  f->anderson = dls_anderson_create(run->op, run->arena, run->contacts, MEMORY);
  if (!f->s || !f->image || !f->kept || !f->forces || !f->rho || !f->anderson)
    return DLS_ERR_MEMORY;
  dls_status status = dls_method_newton.create(run, &f->newton);
  if (status == DLS_OK && dls_operator_has_rows(run->op))
    status = dls_method_gauss_seidel.create(run, &f->sweeps);
  if (status != DLS_OK) return status;
  if (gradient) return (f->solver = dls_gradient_create(run)) ? DLS_OK : DLS_ERR_MEMORY;
  return dls_method_interior.create(run, &f->solver);
}

static dls_status create_interior(dls_run *run, void **self)
{
  return create(run, self, false);
}

static dls_status create_gradient(dls_run *run, void **self)
{
  return create(run, self, true);
}

// |u_T| of the measured point
static void tangents(const dls_run *run, double *s)
{
  for (int i = 0; i < run->contacts; i++) {
    const double *u = run->u + (ptrdiff_t)run->d * i;
    s[i] = run->d == 3 ? hypot(u[1], u[2]) : fabs(u[1]);
  }
}

static dls_convex_end inner(dls_run *run, dls_fixed_point *f, double tolerance, double change)
{
  f->problems++;
  if (f->gradient)
    return dls_gradient_convex(run, f->solver, f->s, tolerance, GRADIENTS, &f->inner);
  return dls_interior_convex(run, f->solver, f->rho, f->s, tolerance, change, &f->inner);
}

// |F(s) - s|, and *relative as in the tolerance
static double distance(const dls_run *run, const dls_fixed_point *f, double *relative)
{
  double sum[2] = {0};
  const double contacts = dls_operator_count(run->op, run->contacts);
  for (int i = 0; i < run->contacts; i++) {
    if (!(run->mu[i] > 0)) continue;  // its slip has no effect
    sum[0] += (f->image[i] - f->s[i]) * (f->image[i] - f->s[i]), sum[1] += f->s[i] * f->s[i];
  }
  dls_operator_sum(run->op, 2, sum);
  const double square = sum[0], size = sum[1];
  *relative = contacts > 0 ? sqrt(square) / (contacts * (sqrt(size) + 1 / run->velocity)) : 0;
  return sqrt(square);
}

// s <- next, not negative; the largest change
static double advance(const dls_run *run, dls_fixed_point *f, const double *next)
{
  double most = 0;
  for (int i = 0; i < run->contacts; i++) {
    const double s = next[i] > 0 ? next[i] : 0, change = fabs(s - f->s[i]);
    if (change > most && run->mu[i] > 0) most = change;
    f->s[i] = s;
  }
  return dls_operator_largest(run->op, most);
}

// Newton steps from the solution of the convex problem, which comes back when they fail. False
// when the run is over.
static bool polish(dls_run *run, dls_fixed_point *f)
{
  if (!dls_run_prepare(run)) return true;
  dls_copy(f->forces, run->r, run->padded);
  if (!dls_newton_iterate(run, f->newton, 10, 5, 0)) return false;
  dls_copy(run->r, f->forces, run->padded);
  dls_run_measure(run);
  return true;
}

// False when the run is over.
static bool loop(dls_run *run, dls_fixed_point *f)
{
  double least = INFINITY, change = INFINITY, near = first_polish, outer = first_error, relative;
  bool combined = false;
  int stuck = 0;
  for (int since = 0; f->problems < f->most && since < PATIENCE;) {
    double tolerance = f->inner_tolerance;
    if (!(tolerance > 0)) tolerance = fmax(inner_error * outer, inner_error * run->goal);
    const dls_convex_end end = inner(run, f, tolerance, change);
    if (end == DLS_CONVEX_OVER) return false;
    // rounding keeps interior points from the last digits: that is no failure
    const bool far =
        end == DLS_CONVEX_STUCK && !(dls_convex_error(run, f->rho, f->s) <= stuck_error);
    stuck = far ? stuck + 1 : 0;
    if (stuck > STUCK) return true;
    tangents(run, f->image);
    const double now = distance(run, f, &relative);
    f->history[f->problems <= DLS_FIXED_POINT_HISTORY ? f->problems - 1
                                                      : DLS_FIXED_POINT_HISTORY - 1] = relative;
    if (f->tolerance > 0 && relative <= f->tolerance) return true;
    const double error = fmin(run->error, run->norm_q > 0 ? now / run->norm_q : now);
    outer = fmin(outer, error);
    if (f->polish && error <= near) {
      near = next_polish * error;
      if (!polish(run, f)) return false;
    }
    since = now < loop_progress * least ? 0 : since + 1;
    const bool refused = combined && !(now <= dls_anderson_worse * least);
    if (now <= least) least = now, dls_copy(f->kept, f->image, run->contacts);
    if (refused) {
      dls_anderson_restart(f->anderson, f->memory);
      combined = false, least = INFINITY;
      change = advance(run, f, f->kept);
      continue;
    }
    combined = dls_anderson_step(f->anderson, NULL, f->s, f->image, f->image);
    change = advance(run, f, f->image);
  }
  return true;
}

static void iterate(dls_run *run, void *self)
{
  dls_fixed_point *f = self;
  f->problems = f->inner = 0;
  if (!f->gradient && !dls_run_prepare(run)) return;
  dls_run_measure(run);
  if (!dls_run_next(run)) return;
  if (f->sweeps) dls_gauss_seidel_start(run, f->sweeps);
  if (!f->gradient) dls_interior_forget(f->solver);
  dls_anderson_restart(f->anderson, f->memory);
  dls_operator_rho(run->op, f->rho);
  tangents(run, f->s);
  for (int i = 0; f->start && i < run->contacts; i++) f->image[i] = f->start[i] / run->velocity;
  if (f->start) advance(run, f, f->image);
  if (loop(run, f)) dls_run_give_up(run, DLS_STOP_STALLED);
}

const dls_method dls_method_cvx_interior = {
    .info = {"cvx-interior", "convex problems by interior points around a fixed point of slips",
             true, true, true, DLS_LAWS_CONE},
    .max_iterations = 20000,
    .create = create_interior,
    .iterate = iterate,
};

const dls_method dls_method_cvx_apgd = {
    .info = {"cvx-apgd",
             "convex problems by accelerated projected gradients around a fixed point of slips",
             true, true, true, DLS_LAWS_CONE},
    .max_iterations = 200000,
    .create = create_gradient,
    .iterate = iterate,
};
