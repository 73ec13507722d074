// The default: sweeps of Gauss-Seidel, which end many problems and give the others a start; Newton;
// when that finds no progress the interior-point method, and Newton again from where it ended; at
// last the path, stage by stage, with Newton after each.
#include "solve/gauss_seidel.h"
#include "solve/interior.h"
#include "solve/newton.h"
#include "solve/path.h"

#include <math.h>

enum { SMALL = 12, MEDIUM = 40, MOST_SWEEPS = 200 };  // blocks, sweeps

typedef struct automatic {
  void *sweeps, *newton, *interior, *path;
} automatic;

static dls_status create(dls_run *run, void **self)
{
  automatic *a = dls_arena_alloc(run->arena, 1, sizeof *a);
  if (!a) return DLS_ERR_MEMORY;
  *self = a;
  dls_status status = DLS_OK;
  if (dls_operator_has_rows(run->op)) status = dls_method_gauss_seidel.create(run, &a->sweeps);
  if (status == DLS_OK) status = dls_method_newton.create(run, &a->newton);
  if (status == DLS_OK) status = dls_method_interior.create(run, &a->interior);
  if (status == DLS_OK) status = dls_method_path.create(run, &a->path);
  return status;
}

// Operations of a sweep and a measurement, and of a few steps of Newton's method, roughly; open
// contacts take no part in its systems.
static double work_of_sweep(const dls_run *run)
{
  const double places = run->op->W ? run->op->row_p[run->blocks] : 4.0 * run->blocks;
  return 6 * run->d * run->d * places + 250.0 * run->blocks;
}

static double work_of_newton(const dls_run *run)
{
  int closed = run->blocks - run->contacts;
  for (int i = 0; i < run->contacts; i++) closed += run->r[run->d * i] > 0;
  const double part = run->blocks > 0 ? (double)closed / run->blocks : 0;
  return 4 * (run->op->work * part * part + work_of_sweep(run));
}

// A few sweeps, and more as long as the rate at which they converge promises an end sooner than
// Newton's method would.
static bool sweeps(dls_run *run, automatic *a)
{
  if (!a->sweeps) return true;
  run->name = dls_method_gauss_seidel.info.name;
  dls_gauss_seidel_start(run, a->sweeps);
  const bool large = run->blocks > MEDIUM;
  const int least = large ? 10 : run->blocks > SMALL ? 3 : 2;
  const double sweep = work_of_sweep(run);
  for (int k = 0; k < MOST_SWEEPS; k++) {
    const double before = run->error;
    dls_gauss_seidel_sweep(run, a->sweeps, large && k % 2);
    if (large && k > 1 && k < 10 && k % 4 != 1) continue;
    dls_run_measure(run);
    if (!dls_run_next(run)) return false;
    if (k + 1 < least) continue;
    const double rate = run->error / before;
    if (!(rate < 0.9)) break;
    const double left = log(run->options.tolerance / run->error) / log(rate);
    if (!(left * sweep <= work_of_newton(run))) break;
  }
  return true;
}

static bool newton(dls_run *run, automatic *a, int most, int patience, int attempts)
{
  run->name = dls_method_newton.info.name;
  return dls_newton_iterate(run, a->newton, most, patience, attempts);
}

static void iterate(dls_run *run, void *self)
{
  automatic *a = self;
  if (!dls_run_next(run)) return;
  if (!sweeps(run, a)) return;
  if (dls_run_prepare(run)) {
    if (!newton(run, a, 40, 12, 0)) return;
    run->name = dls_method_interior.info.name;
    if (!dls_interior_iterate(run, a->interior, 200)) return;
    dls_run_return(run);
    if (!newton(run, a, 60, 15, 2)) return;
    for (int k = 0; k < dls_path_stages; k++) {
      run->name = dls_method_path.info.name;
      if (!dls_path_stage(a->path, k)) return;
      dls_run_return(run);
      if (!newton(run, a, 40, 12, 0)) return;
    }
  }
  dls_run_give_up(run, DLS_STOP_STALLED);
}

const dls_method dls_method_auto = {
    .info = {"auto", "sweeps, Newton, interior point: what the progress asks for", true, true},
    .most_iterations = 1000000,
    .create = create,
    .iterate = iterate,
};
