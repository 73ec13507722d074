// Alternating directions: forces x that obey the dynamics, forces z in the cones, and the
// velocities y that hold them together. With the penalty rho D, D = |W_ii| per contact,
//
//   (W + rho D) x = rho D z + y - q - E s,    z = P_K(x' - y / (rho D)),
//   y <- y - rho D (x' - z),   x' = omega x + (1 - omega) z_old,                       eq (adm.1)
//
// where E s = mu s e_N is De Saxce's term with the newest slip s = |y_T|. One factorization serves
// until rho changes. The penalty is spectral (Xu, Figueiredo, Goldstein 2017): steps of Barzilai
// and Borwein for both halves of the dual problem, from what changed since some passes ago,
//
//   g = W x + q + E s:  alpha from (dx, dg),   beta from (-dz, dy),   rho <- (alpha beta)^(1/2),
//                                                                                      eq (adm.2)
// each believed only where the two changes are correlated.
#include "solve/admm.h"

#include "base/memory.h"
#include "solve/tolerances.h"

#include <math.h>

static const double CORRELATED = 0.1;              // the least that is believed
static const double WORTH = 2, MOST_AT_ONCE = 10;  // factors of rho
static const double SMALLEST = 1e-6, LARGEST = 1e6;
static const double OVER_RELAXED = 1.6;  // omega of contacts
static const double SOLVED = 1e-20;      // square of a residual, of the first: no more steps
enum { STEPS = 5, CHANGES = 40 };        // of conjugate gradients; of rho

static dls_status create(dls_run *run, void **self)
{
  dls_admm *a = dls_arena_alloc(run->arena, 1, sizeof *a);
  if (!a) return DLS_ERR_MEMORY;
  a->D = dls_run_vector(run), a->Q = dls_run_blocks(run), a->x = dls_run_vector(run);
  a->y = dls_run_vector(run), a->z = dls_run_vector(run), a->old = dls_run_vector(run);
  a->gradient = dls_run_vector(run);
  bool good = a->D && a->Q && a->x && a->y && a->z && a->old && a->gradient;
  for (int k = 0; k < 4; k++) good = (a->reference[k] = dls_run_vector(run)) && good;
  a->changes = CHANGES;
  *self = a;
  return good ? dls_run_plan(run) : DLS_ERR_MEMORY;
}

// That of equations is small and constant: nothing but W's own singularity asks for one.
static double penalty(const dls_run *run, const dls_admm *a, int block)
{
  return (block < run->contacts ? a->rho : equation_penalty) * a->D[block];
}

static bool factor(dls_run *run, dls_admm *a)
{
  const int d = run->d, area = d * d;
  for (int i = 0; i < run->blocks; i++)
    for (int k = 0; k < area; k++)
      a->Q[(ptrdiff_t)area * i + k] = k % (d + 1) == 0 ? penalty(run, a, i) : 0;
  a->factorizations++;
  return dls_operator_factor(run->op, NULL, a->Q);
}

static void scale(dls_run *run, dls_admm *a)
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
static bool pass(dls_run *run, dls_admm *a)
{
  const int d = run->d;
  for (int i = 0; i < run->padded; i++)
    a->x[i] = penalty(run, a, i / d) * a->z[i] + a->y[i] - run->op->q[i];
  for (int i = 0; i < run->contacts; i++) a->x[d * i] -= run->mu[i] * slip(run, a->y, i);
  dls_operator_solve(run->op, a->x);
  dls_copy(a->old, a->z, run->padded);
  for (int i = 0; i < run->padded; i++)
    a->gradient[i] = a->y[i] + penalty(run, a, i / d) * (a->z[i] - a->x[i]);
  bool finite = true;
  for (int i = 0; i < run->blocks; i++) {
    double trial[3], mixed[3], *z = a->z + (ptrdiff_t)d * i;
    const double stiff = penalty(run, a, i), omega = i < run->contacts ? OVER_RELAXED : 1;
    for (int k = 0; k < d; k++) {
      mixed[k] = omega * a->x[d * i + k] + (1 - omega) * z[k];
      trial[k] = mixed[k] - a->y[d * i + k] / stiff;
      finite = finite && isfinite(trial[k]);
    }
    if (i < run->contacts) dls_friction_cone_project(d, run->mu[i], trial, z);
    else dls_copy(z, trial, d);
    for (int k = 0; k < d; k++) a->y[d * i + k] -= stiff * (mixed[k] - z[k]);
  }
  dls_copy(run->r, a->z, run->padded);
  return dls_operator_all(run->op, finite);
}

// ---- the penalty --------------------------------------------------------------------------------

// The geometric mean of what W / D multiplies by, as some steps of conjugate gradients for W x = q
// see it: that of their inverse lengths, eq (adm.3). Uses the references as room.
static double first_penalty(dls_run *run, dls_admm *a)
{
  const int rows = run->d * run->contacts;
  double *residual = a->reference[0], *p = a->reference[1], *Wp = a->reference[2];
  double square = 0, product = 1;
  int steps = 0;
  dls_clear(p, run->padded);
  for (int i = 0; i < rows; i++) {
    residual[i] = run->op->q[i], p[i] = residual[i] / a->D[i / run->d];
    square += residual[i] * p[i];
  }
  dls_operator_sum(run->op, 1, &square);
  for (const double start = square; steps < STEPS && square > SOLVED * start; steps++) {
    double pWp = 0, next = 0;
    dls_operator_multiply(run->op, p, Wp);
    for (int i = 0; i < rows; i++) pWp += p[i] * Wp[i];
    dls_operator_sum(run->op, 1, &pWp);
    if (!(pWp > 0) || !isfinite(pWp / square)) break;
    for (int i = 0; i < rows; i++) {
      residual[i] -= square / pWp * Wp[i];
      next += residual[i] * residual[i] / a->D[i / run->d];
    }
    dls_operator_sum(run->op, 1, &next);
    product *= pWp / square;
    for (int i = 0; i < rows; i++) p[i] = residual[i] / a->D[i / run->d] + next / square * p[i];
    square = next;
  }
  const double rho = steps > 0 ? pow(product, 1.0 / steps) : 1;
  return rho >= SMALLEST && rho <= LARGEST ? rho : 1;
}

// The step of Barzilai and Borwein for changes of forces, times `sign`, and of velocities: the
// smaller one where the two agree, else the larger one less half the smaller. 0: not known.
static double curvature(const dls_operator *op, const double *D, double sign, const double *force,
                        const double *force0, const double *velocity, const double *velocity0)
{
  const int d = op->d;
  double sum[3] = {0};
  for (int i = 0; i < d * op->contacts; i++) {
    const double df = sign * (force[i] - force0[i]), dv = velocity[i] - velocity0[i];
    sum[0] += D[i / d] * df * df, sum[1] += df * dv, sum[2] += dv * dv / D[i / d];
  }
  dls_operator_sum(op, 3, sum);
  const double ff = sum[0], fv = sum[1], vv = sum[2];
  if (!(fv > CORRELATED * sqrt(ff) * sqrt(vv))) return 0;
  const double large = vv / fv, small = fv / ff;
  return 2 * small > large ? small : large - small / 2;
}

double dls_admm_spectral(const dls_operator *op, const double *D, const double *const now[4],
                         double *const old[4])
{
  const double alpha = curvature(op, D, 1, now[0], old[0], now[1], old[1]);
  const double beta = curvature(op, D, -1, now[2], old[2], now[3], old[3]);
  return alpha > 0 && beta > 0 ? sqrt(alpha) * sqrt(beta) : alpha > 0 ? alpha : beta;
}

// The factor that rho is to be multiplied by; 1 as long as nothing is known.
static double spectral_change(const dls_run *run, const dls_admm *a)
{
  const double *const now[4] = {a->x, a->gradient, a->z, a->y};
  const double rho = dls_admm_spectral(run->op, a->D, now, a->reference);
  const double change = rho / a->rho;
  if (!(rho > 0) || !isfinite(change)) return 1;
  if (change > MOST_AT_ONCE) return MOST_AT_ONCE;
  return change < 1 / MOST_AT_ONCE ? 1 / MOST_AT_ONCE : change;
}

// False when the new penalty cannot be factored.
static bool adapt(dls_run *run, dls_admm *a, bool *changed)
{
  const double change = spectral_change(run, a);
  *changed = (change > WORTH && a->rho < LARGEST) || (change < 1 / WORTH && a->rho > SMALLEST);
  if (!*changed) return true;
  a->rho *= change;
  return factor(run, a);
}

static void remember(const dls_run *run, dls_admm *a)
{
  const double *const now[4] = {a->x, a->gradient, a->z, a->y};
  for (int k = 0; k < 4; k++) dls_copy(a->reference[k], now[k], run->padded);
}

// ---- the method ---------------------------------------------------------------------------------

// z and y from the start. False when the run is over.
static bool begin(dls_run *run, dls_admm *a)
{
  a->factorizations = 0;
  scale(run, a);
  dls_copy(a->z, run->r, run->padded);
  dls_run_measure(run);
  if (!dls_run_next(run)) return false;
  // the velocities of the start, De Saxce's term included
  dls_copy(a->y, run->u, run->padded);
  for (int i = 0; i < run->contacts; i++) a->y[run->d * i] += run->mu[i] * slip(run, run->u, i);
  for (int i = run->d * run->contacts; i < run->padded; i++) a->y[i] = 0;
  a->rho = first_penalty(run, a);
  return true;
}

static void iterate(dls_run *run, void *self)
{
  dls_admm *a = self;
  if (!dls_run_prepare(run) || !begin(run, a)) return;
  bool good = factor(run, a);
  // the penalty is looked at after `wait` passes, more after each change: they become rare, and
  // after the last one the passes are those of a constant penalty
  for (int since = 0, wait = 2, compared = 0; good; since++) {
    if (since == wait && a->factorizations <= a->changes) {
      bool changed = false;
      if (compared++ > 0 && !adapt(run, a, &changed)) break;
      if (changed && wait < 1000) wait += 1 + wait / 5;
      remember(run, a);
      since = 0;
    }
    if (!pass(run, a)) break;
    dls_run_measure(run);
    if (!dls_run_next(run)) return;
  }
  dls_run_give_up(run, DLS_STOP_NUMERICS);
}

const dls_method dls_method_admm = {
    .info = {"admm", "alternating directions with a spectral penalty and over-relaxation", true,
             true, true, DLS_LAWS_CONE},
    .max_iterations = 20000,
    .create = create,
    .iterate = iterate,
};
