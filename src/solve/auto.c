// The default: sweeps of Gauss-Seidel, which end many problems and give the others a start; Newton;
// when that finds no progress, proximal points around Newton, from there and from elsewhere:
// friction leaves points from which nothing near is better, and another start seldom meets the same
// one. Then interior points, and at last the path, stage by stage, each with proximal points from
// where it ended. These two know cones only: with other laws Newton's method is tried from other
// sides of bilateral contacts instead. Large problems begin with accelerated sweeps, and have
// nothing else where a factorization does not fit into memory.
#include "solve/gauss_seidel.h"
#include "solve/interior.h"
#include "solve/newton.h"
#include "solve/nsgs_anderson.h"
#include "solve/smoothing.h"
#include "solve/coloured_gs.h"
#include "solve/proximal.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>

enum {
  TINY = 3,
  SMALL = 12,
  MEDIUM = 40,
  PILE = 300,
  MOST_SWEEPS = 200,
  MOST_SIDES = 6,
  STARTS = 16
};  // blocks, contacts, sweeps, bilateral contacts whose sides are tried: 2^6, other starts

enum { NEWTON_STEPS = 40, NEWTON_STEPS_SIDE = 20, NEWTON_PATIENCE = 12, INTERIOR_STEPS = 200 };
enum { PROXIMAL_PATIENCE = 60, PROXIMAL_PATIENCE_LATER = 30, ACCELERATED_SWEEPS = 500 };
enum { SWEEPS_FROM_START = 10 };
static const double widest_start = 4;    // a force of a start beside a typical one, or its inverse
static const double large_work = 3e7;    // operations of a factorization
static const double worth_sweeps = 0.9;  // rate of convergence

typedef struct automatic {
  void *sweeps, *newton, *proximal, *interior, *path;  // NULL where they cannot be had
  void *pile, *accelerated;
  bool large;  // a factorization is costly, or impossible
} automatic;

// What needs no factorization: for large problems, and for piles whose masses differ.
static dls_status create_sweepers(dls_run *run, automatic *a)
{
  dls_status status = DLS_ERR_ARGUMENT;
  if (run->problem->global && run->contacts >= PILE && !run->problem->law)
    status = dls_method_coloured_gs.create(run, &a->pile);
  if (status != DLS_OK && a->pile) {
    dls_method_coloured_gs.destroy(a->pile);
    a->pile = NULL;
  }
  if (status != DLS_ERR_ARGUMENT) return status;
  const bool needed = a->large && a->sweeps;  // not a pile
  return needed ? dls_method_nsgs_anderson.create(run, &a->accelerated) : DLS_OK;
}

static dls_status create(dls_run *run, void **self)
{
  automatic *a = dls_arena_alloc(run->arena, 1, sizeof *a);
  if (!a) return DLS_ERR_MEMORY;
  *self = a;
  dls_status status = dls_run_plan(run);
  if (status == DLS_OK && dls_operator_has_rows(run->op))
    status = dls_method_gauss_seidel.create(run, &a->sweeps);
  a->large = run->preparing != DLS_OK || run->op->work > large_work;
  if (status == DLS_OK) status = create_sweepers(run, a);
  if (status != DLS_OK || run->preparing != DLS_OK) return status;
  status = dls_method_newton.create(run, &a->newton);
  if (status == DLS_OK) status = dls_method_proximal.create(run, &a->proximal);
  if (status == DLS_OK) status = dls_method_interior.create(run, &a->interior);
  if (status == DLS_OK) status = dls_method_smoothing.create(run, &a->path);
  return status;
}

static void destroy(void *self)
{
  automatic *a = self;
  if (a && a->pile) dls_method_coloured_gs.destroy(a->pile);
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
  for (int i = 0; i < run->contacts; i++)
    closed += run->law ? run->r[run->d * i] != 0 : run->r[run->d * i] > 0;
  const double part = run->blocks > 0 ? (double)closed / run->blocks : 0;
  return 4 * (run->op->work * part * part + work_of_sweep(run));
}

// One sweep. It solves the problem where contacts do not meet each other, and as a rule where no
// more than one of those that do is closed.
static bool first(dls_run *run, void *self)
{
  automatic *a = self;
  const dls_operator *op = run->op;
  if (a->large || !a->sweeps || !op->W || run->blocks == 0) return false;
  run->name = dls_method_gauss_seidel.info.name;
  dls_gauss_seidel_start(run, a->sweeps);
  dls_gauss_seidel_sweep(run, a->sweeps, false);
  run->begun = true;
  int together = 0;
  for (int i = 0; i < run->blocks && together < 2; i++)
    together += run->r[run->d * i] != 0 && op->row_p[i + 1] - op->row_p[i] > 1;
  return together < 2;
}

// A few sweeps, and more as long as the rate at which they converge promises an end sooner than
// Newton's method would.
static bool sweeps(dls_run *run, automatic *a)
{
  if (!a->sweeps) return true;
  run->name = dls_method_gauss_seidel.info.name;
  if (!run->begun) dls_gauss_seidel_start(run, a->sweeps);
  const bool large = run->blocks > MEDIUM;
  const int least = large ? 10 : run->blocks > SMALL ? 3 : run->blocks > TINY ? 2 : 1;
  const double sweep = work_of_sweep(run);
  for (int k = 0; k < MOST_SWEEPS; k++) {
    const double before = run->error;
    if (k > 0 || !run->begun) dls_gauss_seidel_sweep(run, a->sweeps, large && k % 2);
    if (large && k > 1 && k < 10 && k % 4 != 1) continue;
    dls_run_measure(run);
    if (!dls_run_next(run)) return false;
    if (k + 1 < least) continue;
    const double rate = run->error / before;
    if (!(rate < worth_sweeps)) break;
    const double left = log(run->goal / run->error) / log(rate);
    if (!(left * sweep <= work_of_newton(run))) break;
  }
  return true;
}

// Few accelerated sweeps when a factorization can take over.
static bool accelerated(dls_run *run, automatic *a)
{
  const int most = a->newton ? ACCELERATED_SWEEPS : INT_MAX;
  bool going = true;
  if (a->pile) {
    run->name = dls_method_coloured_gs.info.name;
    going = dls_coloured_gs_iterate(run, a->pile, most);
    dls_run_return(run);
  } else if (a->accelerated) {
    run->name = dls_method_nsgs_anderson.info.name;
    going = dls_nsgs_anderson_iterate(run, a->accelerated, most);
  }
  return going;
}

static bool newton(dls_run *run, automatic *a)
{
  run->name = dls_method_newton.info.name;
  return dls_newton_iterate(run, a->newton, NEWTON_STEPS, NEWTON_PATIENCE, 0);
}

// From the best point.
static bool proximal(dls_run *run, automatic *a, int patience)
{
  run->name = dls_method_proximal.info.name;
  dls_run_return(run);
  return dls_proximal_iterate(run, a->proximal, patience);
}

// Between 0 and 1, by the generator of Vigna (xorshift64*): the same numbers in each call.
static double next_random(uint64_t *state)
{
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return (double)((*state * 2685821657736338717u) >> 11) * 0x1p-53;
}

static double typical_force(const dls_run *run)
{
  double sum = 0;
  int pressing = 0;
  for (int i = 0; i < run->contacts; i++) {
    const double normal = fabs(run->best_r[run->d * i]);
    sum += normal, pressing += normal > 0;
  }
  return pressing > 0 ? sum / pressing : 0;
}

// Forces at random within the cones; equations keep theirs.
static void scatter(dls_run *run, double size, uint64_t *state)
{
  dls_copy(run->r, run->best_r, run->padded);
  for (int i = 0; i < run->contacts; i++) {
    double *r = &run->r[run->d * i], length = 0;
    r[0] = fmax(r[0], 0.01 * size) * pow(widest_start, 2 * next_random(state) - 1);
    for (int k = 1; k < run->d; k++) {
      r[k] = 2 * next_random(state) - 1;
      length += r[k] * r[k];
    }
    const double part = run->mu[i] * r[0] * next_random(state) / fmax(sqrt(length), DBL_MIN);
    for (int k = 1; k < run->d; k++) r[k] *= part;
  }
}

// Proximal points from zero, and from forces at random.
static bool other_starts(dls_run *run, automatic *a)
{
  uint64_t state = 1;
  const double size = typical_force(run);
  for (int s = 0; s < STARTS; s++) {
    if (s == 0) dls_clear(run->r, run->padded);
    else scatter(run, size, &state);
    run->name = dls_method_proximal.info.name;
    for (int k = 0; a->sweeps && k < SWEEPS_FROM_START; k++)
      dls_gauss_seidel_sweep(run, a->sweeps, k % 2);
    dls_run_measure(run);
    if (!dls_run_next(run) || !dls_proximal_iterate(run, a->proximal, PROXIMAL_PATIENCE_LATER))
      return false;
  }
  return true;
}

static bool interior(dls_run *run, automatic *a)
{
  run->name = dls_method_interior.info.name;
  return dls_interior_iterate(run, a->interior, INTERIOR_STEPS);
}

static bool path(dls_run *run, automatic *a, int stage)
{
  run->name = dls_method_smoothing.info.name;
  return dls_smoothing_stage(a->path, stage);
}

// Newton's method from forces of bilateral contacts that press from other sides: all of a few.
static bool other_sides(dls_run *run, automatic *a)
{
  int list[MOST_SIDES], count = 0;
  for (int i = 0; run->law && i < run->contacts && count < MOST_SIDES; i++)
    if (run->law[i] == DLS_LAW_BILATERAL_CONE || run->law[i] == DLS_LAW_BILATERAL_SLIDING)
      list[count++] = i;
  run->name = dls_method_newton.info.name;
  for (int mask = 0; count > 0 && mask < 1 << count; mask++) {
    dls_run_return(run);
    for (int k = 0; k < count; k++) {
      double *normal = &run->r[run->d * list[k]];
      const double size = *normal == 0 ? 1 : fabs(*normal);
      *normal = mask >> k & 1 ? -size : size;
    }
    dls_run_measure(run);
    if (!dls_newton_iterate(run, a->newton, NEWTON_STEPS_SIDE, NEWTON_PATIENCE, 0)) return false;
  }
  return true;
}

static bool last_resorts(dls_run *run, automatic *a)
{
  if (!dls_method_takes(&dls_method_interior, run)) return other_sides(run, a);

  if (!interior(run, a) || !proximal(run, a, PROXIMAL_PATIENCE_LATER)) return false;
  for (int k = 0; k < dls_smoothing_stages; k++)
    if (!path(run, a, k) || !proximal(run, a, PROXIMAL_PATIENCE_LATER)) return false;
  return true;
}

static void iterate(dls_run *run, void *self)
{
  automatic *a = self;
  if (!dls_run_next(run)) return;
  if (!(a->large ? accelerated(run, a) : sweeps(run, a))) return;
  if (a->newton) {
    if (!newton(run, a) || !proximal(run, a, PROXIMAL_PATIENCE)) return;
    if (!a->large && (!accelerated(run, a) || !proximal(run, a, PROXIMAL_PATIENCE_LATER))) return;
    if (!other_starts(run, a) || !last_resorts(run, a)) return;
  }
  dls_run_give_up(run, DLS_STOP_STALLED);
}

const dls_method dls_method_auto = {
    .info = {"auto", "sweeps, Newton, proximal points and more: what the progress asks for", true,
             true, false, DLS_LAWS_ALL},
    .max_iterations = 1000000,
    .create = create,
    .iterate = iterate,
    .first = first,
    .destroy = destroy,
};
