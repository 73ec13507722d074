// Extragradient: a projected step along û = u + mu |u_T| e_N looks ahead, and the velocities found
// there make the step,
//
//   r' = P_K(r - t rho û(r)),   r <- P_K(r - t rho û(r')),                             eq (xgr.1)
//
// with rho = 1 / |W_ii| per contact. Khobotov's rule keeps t below what the velocities' change
// allows,
//
//   t |û(r) - û(r')|_rho <= 0.9 |r - r'|_(1/rho),                                      eq (xgr.2)
//
// so that no matrix but W r is asked for. Slow, but for monotone problems it converges.
#include "solve/solver_run.h"

#include "base/memory.h"

#include <math.h>

enum { SHORTENINGS = 60 };
static const double most_ratio = 0.9, shortened = 0.8;    // eq (xgr.2), and of t where it fails
static const double small_ratio = 0.4, lengthened = 1.5;  // where it leaves room

typedef struct extragradient {
  double *rho;  // per block
  double *r, *u;
} extragradient;

static dls_status create(dls_run *run, void **self)
{
  extragradient *x = dls_arena_alloc(run->arena, 1, sizeof *x);
  if (!x) return DLS_ERR_MEMORY;
  x->rho = dls_run_vector(run), x->r = dls_run_vector(run), x->u = dls_run_vector(run);
  *self = x;
  return x->rho && x->r && x->u ? DLS_OK : DLS_ERR_MEMORY;
}

// û of the measured point in its u
static void de_saxce(dls_run *run)
{
  for (int i = 0; i < run->contacts; i++) {
    double *u = run->u + (ptrdiff_t)run->d * i;
    u[0] += run->mu[i] * (run->d == 3 ? hypot(u[1], u[2]) : fabs(u[1]));
  }
}

// run->r = P_K(r - t rho û)
static void project(dls_run *run, const extragradient *x, double t, const double *u)
{
  const int d = run->d;
  for (int i = 0; i < run->blocks; i++) {
    double trial[3], *r = run->r + (ptrdiff_t)d * i;
    for (int k = 0; k < d; k++) trial[k] = x->r[d * i + k] - t * x->rho[i] * u[d * i + k];
    if (i < run->contacts) dls_friction_cone_project(d, run->mu[i], trial, r);
    else dls_copy(r, trial, d);
  }
}

// The left side of eq (xgr.2) over |r - r'|
static double ratio(const dls_run *run, const extragradient *x, double t)
{
  double sum[2] = {0};
  for (int i = 0; i < run->rows; i++) {
    const double rho = x->rho[i / run->d], u = run->u[i] - x->u[i], r = run->r[i] - x->r[i];
    sum[0] += rho * u * u, sum[1] += r * r / rho;
  }
  dls_operator_sum(run->op, 2, sum);
  return sum[1] > 0 ? t * sqrt(sum[0] / sum[1]) : 0;
}

static void iterate(dls_run *run, void *self)
{
  extragradient *x = self;
  dls_operator_rho(run->op, x->rho);
  double t = 1;
  dls_run_measure(run);
  while (dls_run_next(run)) {
    de_saxce(run);
    dls_copy(x->r, run->r, run->padded);
    dls_copy(x->u, run->u, run->padded);
    double quick;
    for (int k = 0;; k++) {
      project(run, x, t, x->u);
      if (!(dls_run_measure(run) < INFINITY)) {
        dls_run_give_up(run, DLS_STOP_NUMERICS);
        return;
      }
      de_saxce(run);
      quick = ratio(run, x, t);
      if (quick <= most_ratio || k == SHORTENINGS) break;
      t *= shortened * (most_ratio / quick < 1 ? most_ratio / quick : 1);
    }
    // û of the step ahead, before run->u is measured anew
    project(run, x, t, run->u);
    dls_run_measure(run);
    if (quick < small_ratio) t *= lengthened;
  }
}

const dls_method dls_method_extragradient = {
    .info = {"extragradient", "extragradient with an adaptive step; matrix-free", true, true, true,
             DLS_LAWS_CONE},
    .max_iterations = 200000,
    .create = create,
    .iterate = iterate,
};
