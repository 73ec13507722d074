// Proximal points: r_{k+1} solves the problem with W + alpha / rho and q - alpha / rho r_k,
//
//   u + alpha / rho (r_{k+1} - r_k) and r_{k+1} by Coulomb's law,                      eq (prx.1)
//
// by Newton steps from r_k. These problems have regular matrices, and near starts; a fixed r_k
// solves the problem itself. alpha falls while Newton's method is quick, and rises when it fails.
#include "solve/proximal.h"

#include "base/memory.h"
#include "solve/gauss_seidel.h"
#include "solve/newton.h"
#include "solve/tolerances.h"

#include <math.h>

enum { STEPS = 12, FIRST_STEPS = 5 };  // of Newton per point; before growth is a failure
enum { SWEEPS = 10, PATIENCE = 100, RETURN = 25 };
static const double solved_part = 0.01, failed_growth = 10;  // of the first residual
static const double first_alpha = 1e-3, least_alpha = 1e-12, most_alpha = 1e2;
static const double lower = 0.2, raise = 4, raise_much = 10;  // alpha
static const double forgive = 0.5, above_failed = 1.5;        // the alpha that has failed

typedef struct proximal {
  void *newton, *sweeps;
  double *center;
} proximal;

static dls_status create(dls_run *run, void **self)
{
  proximal *p = dls_arena_alloc(run->arena, 1, sizeof *p);
  if (!p || !(p->center = dls_run_vector(run))) return DLS_ERR_MEMORY;
  *self = p;
  dls_status status = dls_method_newton.create(run, &p->newton);
  if (status == DLS_OK && dls_operator_has_rows(run->op))
    status = dls_method_gauss_seidel.create(run, &p->sweeps);
  return status;
}

static void sweep(dls_run *run, const proximal *p)
{
  for (int s = 0; p->sweeps && s < SWEEPS; s++) dls_gauss_seidel_sweep(run, p->sweeps, s % 2);
  dls_run_measure(run);
}

typedef enum outcome { OVER, FAILED, SOLVED } outcome;

// Newton steps until the problem of the center is solved to a tenth of what it was, or better.
static outcome solve(dls_run *run, proximal *p, double alpha, int *steps)
{
  double first = 0, before = 0;
  dls_copy(p->center, run->r, run->padded);
  for (*steps = 0; *steps < STEPS; ++*steps) {
    const bool good = dls_newton_proximal(run, p->newton, p->center, alpha, &before);
    if (*steps == 0) first = before;
    if (!good || !isfinite(before) || (*steps >= FIRST_STEPS && before > failed_growth * first))
      return FAILED;
    dls_run_measure(run);
    if (!dls_run_next(run)) return OVER;
    // `before` is that of the last point but one: the step that follows a small one is taken along
    if (*steps > 0 && (before <= solved_part * first || before <= proximal_rounding)) return SOLVED;
  }
  return before < first ? SOLVED : FAILED;
}

bool dls_proximal_iterate(dls_run *run, void *self, int patience)
{
  proximal *p = self;
  double alpha = first_alpha, failed = 0, best = run->error;
  for (int since = 0; since < patience;) {
    int steps;
    const outcome end = solve(run, p, alpha, &steps);
    if (end == OVER) return false;
    since = run->error < progress * best ? 0 : since + 1;
    if (run->error < best) best = run->error;
    if (since % RETURN == RETURN - 1) {  // from the best point, and carefully
      dls_run_return(run);
      failed = 0, alpha = fmin(most_alpha, raise_much * alpha);
    } else if (end == FAILED) {
      dls_copy(run->r, p->center, run->padded);
      dls_run_measure(run);
      failed = alpha, alpha = fmin(most_alpha, raise * alpha);
    } else {
      failed *= forgive;  // what has failed is not tried again at once
      if (steps <= STEPS / 2 && alpha > least_alpha)
        alpha = fmax(lower * alpha, above_failed * failed);
    }
  }
  return true;
}

static void iterate(dls_run *run, void *self)
{
  proximal *p = self;
  if (!dls_run_prepare(run)) return;
  dls_run_measure(run);
  if (!dls_run_next(run)) return;
  if (p->sweeps) dls_gauss_seidel_start(run, p->sweeps);
  sweep(run, p);
  if (!dls_run_next(run)) return;
  if (dls_proximal_iterate(run, p, PATIENCE)) dls_run_give_up(run, DLS_STOP_STALLED);
}

const dls_method dls_method_proximal = {
    .info = {"proximal", "proximal points, each by Newton steps (Alart-Curnier)", true, true, false,
             DLS_LAWS_ALL},
    .max_iterations = 2000,
    .create = create,
    .iterate = iterate,
};
