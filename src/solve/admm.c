// Alternating directions: forces x that obey the dynamics, forces z in the cones, and the
// velocities y that hold them together. With the penalty rho D, D = |W_ii| per contact,
//
//   (W + rho D) x = rho D z + y - q - E s,    z = P_K(x' - y / (rho D)),
//   y <- y - rho D (x' - z),   x' = omega x + (1 - omega) z_old,                       eq (adm.1)
//
// where E s = mu s e_N is De Saxce's term with the newest slip s = |y_T|. One factorization serves
// until rho changes. rho keeps the two residuals in balance, half way between their own sizes and
// those relative to what they are made of (|a|_D = |D^(1/2) a|, |a|* = |D^(-1/2) a|):
//
//   rho <- rho (|x - z|_D / (rho |z - z_old|_D) (|y|* / max(|x|_D, |z|_D))^(1/2))^(1/2) eq (adm.2)
#include "solve/run.h"

#include <math.h>
#include <string.h>

typedef struct admm {
  double *D;  // per block
  double *Q;
  double *x, *y, *z, *old;
} admm;

static dls_status create(dls_run *run, void **self)
{
  admm *a = dls_arena_alloc(run->arena, 1, sizeof *a);
  if (!a) return DLS_ERR_MEMORY;
  a->D = dls_run_vector(run), a->Q = dls_run_blocks(run), a->x = dls_run_vector(run);
  a->y = dls_run_vector(run), a->z = dls_run_vector(run), a->old = dls_run_vector(run);
  *self = a;
  const bool good = a->D && a->Q && a->x && a->y && a->z && a->old;
  return good ? dls_run_plan(run) : DLS_ERR_MEMORY;
}

// That of equations is small and constant: nothing but W's own singularity asks for one.
static double penalty(const dls_run *run, const admm *a, double rho, int block)
{
  return (block < run->contacts ? rho : 1e-4) * a->D[block];
}

static bool factor(dls_run *run, admm *a, double rho)
{
  const int d = run->d, area = d * d;
  for (int i = 0; i < run->blocks; i++)
    for (int k = 0; k < area; k++)
      a->Q[(ptrdiff_t)area * i + k] = k % (d + 1) == 0 ? penalty(run, a, rho, i) : 0;
  return dls_operator_factor(run->op, NULL, a->Q);
}

static void scale(dls_run *run, admm *a)
{
  dls_operator_rho(run->op, a->D);
  for (int i = 0; i < run->blocks; i++) a->D[i] = 1 / a->D[i];
}

static double slip(const dls_run *run, const double *y, int i)
{
  const double *u = y + (ptrdiff_t)run->d * i;
  return run->d == 3 ? hypot(u[1], u[2]) : fabs(u[1]);
}

// One pass of eq (adm.1) from the measured z = run->r.
static bool pass(dls_run *run, admm *a, double rho)
{
  const int d = run->d;
  for (int i = 0; i < run->padded; i++)
    a->x[i] = penalty(run, a, rho, i / d) * a->z[i] + a->y[i] - run->op->q[i];
  for (int i = 0; i < run->contacts; i++) a->x[d * i] -= run->mu[i] * slip(run, a->y, i);
  dls_operator_solve(run->op, a->x);
  memcpy(a->old, a->z, (size_t)run->padded * sizeof(double));
  for (int i = 0; i < run->blocks; i++) {
    double trial[3], mixed[3], *z = a->z + (ptrdiff_t)d * i;
    const double stiff = penalty(run, a, rho, i), omega = i < run->contacts ? 1.6 : 1;
    for (int k = 0; k < d; k++) {
      mixed[k] = omega * a->x[d * i + k] + (1 - omega) * z[k];
      trial[k] = mixed[k] - a->y[d * i + k] / stiff;
      if (!isfinite(trial[k])) return false;
    }
    if (i < run->contacts) dls_friction_cone_project(d, run->mu[i], trial, z);
    else memcpy(z, trial, (size_t)d * sizeof *z);
    for (int k = 0; k < d; k++) a->y[d * i + k] -= stiff * (mixed[k] - z[k]);
  }
  memcpy(run->r, a->z, (size_t)run->padded * sizeof(double));
  return true;
}

// The factor of eq (adm.2), 1 when it is not known.
static double imbalance(const dls_run *run, const admm *a, double rho)
{
  double primal = 0, x = 0, z = 0, dual = 0, y = 0;
  for (int i = 0; i < run->d * run->contacts; i++) {
    const double D = a->D[i / run->d], gap = a->x[i] - a->z[i], move = a->z[i] - a->old[i];
    primal += D * gap * gap, x += D * a->x[i] * a->x[i], z += D * a->z[i] * a->z[i];
    dual += rho * rho * D * move * move, y += a->y[i] * a->y[i] / D;
  }
  const double size = x > z ? x : z;
  if (!(primal > 0 && dual > 0 && size > 0 && y > 0)) return 1;
  const double ratio = sqrt(sqrt(primal / dual * sqrt(y / size)));
  return isfinite(ratio) ? ratio : 1;
}

static void iterate(dls_run *run, void *self)
{
  admm *a = self;
  if (!dls_run_prepare(run)) return;
  scale(run, a);
  double rho = 0.1;
  memcpy(a->z, run->r, (size_t)run->padded * sizeof(double));
  dls_run_measure(run);
  if (!dls_run_next(run)) return;
  // the velocities of the start, De Saxce's term included
  memcpy(a->y, run->u, (size_t)run->padded * sizeof(double));
  for (int i = 0; i < run->contacts; i++) a->y[run->d * i] += run->mu[i] * slip(run, run->u, i);
  for (int i = run->d * run->contacts; i < run->padded; i++) a->y[i] = 0;
  if (!factor(run, a, rho)) {
    dls_run_give_up(run, DLS_STOP_NUMERICS);
    return;
  }
  for (int since = 0, wait = 10;; since++) {
    if (since >= wait) {
      double change = imbalance(run, a, rho);
      change = change > 10 ? 10 : change < 0.1 ? 0.1 : change;
      if ((change > 2 && rho < 1e6) || (change < 0.5 && rho > 1e-6)) {
        rho *= change, since = 0;
        if (wait < 1000) wait += wait / 2;
        if (!factor(run, a, rho)) break;
      }
    }
    if (!pass(run, a, rho)) break;
    dls_run_measure(run);
    if (!dls_run_next(run)) return;
  }
  dls_run_give_up(run, DLS_STOP_NUMERICS);
}

const dls_method dls_method_admm = {
    .info = {"admm", "alternating directions with an adaptive penalty and over-relaxation", true,
             true},
    .most_iterations = 20000,
    .create = create,
    .iterate = iterate,
};
