// Gauss-Seidel sweeps as a fixed point r = G(r), accelerated. A combination is kept while the
// sweep from it moves no farther than twice the least move so far; otherwise the best swept point
// comes back, the memory is emptied, and some plain sweeps follow.                     eq (and.2)
#include "solve/nsgs_anderson.h"

#include "base/memory.h"
#include "solve/anderson.h"
#include "solve/gauss_seidel.h"

#include <limits.h>
#include <math.h>

enum { MEMORY = 10, PLAIN = 5 };

typedef struct accelerated {
  void *sweeps;
  dls_anderson *anderson;
  double *weight;    // 1 / rho per row
  double *x, *kept;  // the point before the sweep; the best one after a sweep
} accelerated;

static dls_status create(dls_run *run, void **self)
{
  accelerated *a = dls_arena_alloc(run->arena, 1, sizeof *a);
  if (!a) return DLS_ERR_MEMORY;
  *self = a;
  a->weight = dls_run_vector(run), a->x = dls_run_vector(run), a->kept = dls_run_vector(run);
  a->anderson = dls_anderson_create(run->op, run->arena, run->padded, MEMORY);
  if (!a->weight || !a->x || !a->kept || !a->anderson) return DLS_ERR_MEMORY;
  return dls_method_gauss_seidel.create(run, &a->sweeps);
}

static void weigh(dls_run *run, accelerated *a)
{
  dls_operator_rho(run->op, a->x);
  for (int i = 0; i < run->padded; i++) a->weight[i] = 1 / a->x[i / run->d];
}

static double move(const dls_run *run, const accelerated *a)
{
  double sum = 0;
  for (int i = 0; i < run->rows; i++)
    sum += a->weight[i] * (run->r[i] - a->x[i]) * (run->r[i] - a->x[i]);
  dls_operator_sum(run->op, 1, &sum);
  return sqrt(sum);
}

bool dls_nsgs_anderson_iterate(dls_run *run, void *self, int most)
{
  accelerated *a = self;
  const ptrdiff_t size = run->padded;
  weigh(run, a);
  dls_gauss_seidel_start(run, a->sweeps);
  dls_anderson_restart(a->anderson, MEMORY);
  double least = INFINITY;
  bool combined = false;
  int plain = 0;  // sweeps to come
  for (int k = 0; k < most; k++) {
    dls_copy(a->x, run->r, size);
    dls_gauss_seidel_sweep(run, a->sweeps, false);
    dls_run_measure(run);
    if (!dls_run_next(run)) return false;
    const double now = move(run, a);
    if (combined && !(now <= dls_anderson_worse * least)) {
      dls_copy(run->r, a->kept, size);
      dls_anderson_restart(a->anderson, MEMORY);
      combined = false, plain = PLAIN;
      least = INFINITY;  // of the sweeps that follow, or the same point would come back for ever
      continue;
    }
    if (now <= least) least = now, dls_copy(a->kept, run->r, size);
    combined = dls_anderson_step(a->anderson, a->weight, a->x, run->r, a->x) && plain-- <= 0;
    if (combined) dls_copy(run->r, a->x, size);
  }
  return true;
}

static void iterate(dls_run *run, void *self)
{
  if (!dls_operator_has_rows(run->op)) {
    dls_run_give_up(run, DLS_STOP_NUMERICS);
    return;
  }
  dls_run_measure(run);
  if (!dls_run_next(run)) return;
  if (dls_nsgs_anderson_iterate(run, self, INT_MAX)) dls_run_give_up(run, DLS_STOP_STALLED);
}

const dls_method dls_method_nsgs_anderson = {
    .info = {"nsgs-anderson", "nonlinear Gauss-Seidel with Anderson acceleration", true, true,
             false, DLS_LAWS_ALL},
    .max_iterations = 100000,
    .create = create,
    .iterate = iterate,
};
