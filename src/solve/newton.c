// Semismooth Newton on the formulation of Alart and Curnier. With the trial force X = r - rho u and
// the disc of radius mu max(0, X_N),
//
//   F = r - (max(0, X_N), P_disc(X_T)) = 0,    F' = (I - B) + rho B W,                 eq (new.1)
//
// where B is a derivative of the projection; other laws have their trial force, eq (law.1), in its
// place. W may be singular: the system is solved with
// W + eps / rho in its place, and eps falls with F, so that steps stay bounded on forces that W
// does not determine, and convergence stays fast.                                    eq (new.2)
#include "solve/newton.h"

#include "linalg/length.h"
#include "solve/gauss_seidel.h"
#include "solve/newton_dense.h"
#include "solve/newton_law.h"
#include "solve/tolerances.h"

#include <math.h>

// times the goal a point is nearly good; times its error a step has left it
static const double nearly_good = 100;
static const double old_factors = 0.1;  // of the goal, at which they are expected to arrive
static const double more_regularization = 10;
enum { FEW_BLOCKS = 3 };

typedef struct newton {
  double *rho;  // per block
  double *P, *Q;
  double *F;                // also the step
  double *y;                // rho u
  dls_newton_dense *dense;  // or NULL
  bool few;                 // unknowns, by `dense`: not of bounded friction
  void *sweeps;             // Gauss-Seidel's own, or NULL
  // the proximal point method: alpha / rho (r - center) is added to u
  const double *center;
  double alpha;
} newton;

static dls_status create(dls_run *run, void **self)
{
  newton *n = dls_arena_alloc(run->arena, 1, sizeof *n);
  if (!n) return DLS_ERR_MEMORY;
  n->rho = dls_run_vector(run), n->F = dls_run_vector(run), n->y = dls_run_vector(run);
  n->P = dls_run_blocks(run), n->Q = dls_run_blocks(run);
  if (!n->rho || !n->F || !n->y || !n->P || !n->Q) return DLS_ERR_MEMORY;
  *self = n;
  dls_status status = dls_run_plan(run);
  if (status == DLS_OK) status = dls_newton_dense_create(run, &n->dense);
  if (status != DLS_OK || !dls_operator_has_rows(run->op)) return status;
  return dls_method_gauss_seidel.create(run, &n->sweeps);
}

// The projection of X and its derivative B: rows by columns, column-major. d is a constant, here
// and below.
static inline void project(int d, double mu, const double *X, double *projected, double *B)
{
  for (int k = 0; k < d * d; k++) B[k] = 0;
  const double t = d == 3 ? dls_length(X[1], X[2]) : fabs(X[1]);
  const double N = X[0] > 0 ? X[0] : 0, radius = mu * N;
  projected[0] = N;
  if (X[0] > 0) B[0] = 1;
  for (int k = 1; k < d; k++) projected[k] = 0;
  if (t <= radius && t < INFINITY) {
    for (int k = 1; k < d; k++) projected[k] = X[k], B[k + d * k] = 1;
  } else if (X[0] > 0) {
    for (int k = 1; k < d; k++) {
      projected[k] = radius * X[k] / t;
      B[k] = mu * X[k] / t;
      for (int l = 1; l < d; l++) B[k + d * l] = radius / t * ((k == l) - X[k] / t * (X[l] / t));
    }
  }
}

static inline void trial(const dls_run *run, newton *n, int d)
{
  for (int i = 0; i < run->blocks; i++)
    for (int k = d * i; k < d * (i + 1); k++) {
      n->y[k] = n->rho[i] * run->u[k];
      if (n->center) n->y[k] += n->alpha * (run->r[k] - n->center[k]);
    }
}

// F at the measured point, B in P; returns |F| / |r|.
static inline double maps(const dls_run *run, newton *n, int d)
{
  double sum[2] = {0};  // of F and of r
  for (int i = 0; i < run->blocks; i++) {
    const double *r = run->r + (ptrdiff_t)d * i, *y = n->y + (ptrdiff_t)d * i;
    double *F = n->F + (ptrdiff_t)d * i, *B = n->P + (ptrdiff_t)(d * d) * i, X[3] = {0},
           projected[3];
    if (i < run->contacts) {
      for (int k = 0; k < d; k++) X[k] = r[k] - y[k];
      if (run->law && run->law[i] != DLS_LAW_CONE) dls_newton_law(run, i, X, projected, B);
      else project(d, run->mu[i], X, projected, B);
      for (int k = 0; k < d; k++) F[k] = r[k] - projected[k];
    } else {
      for (int k = 0; k < d * d; k++) B[k] = k % (d + 1) == 0;
      for (int k = 0; k < d; k++) F[k] = y[k];
    }
    for (int k = 0; k < d; k++) sum[0] += F[k] * F[k], sum[1] += r[k] * r[k];
  }
  dls_operator_sum(run->op, 2, sum);
  return sum[1] > 0 ? sqrt(sum[0] / sum[1]) : 1;
}

static double residual(const dls_run *run, newton *n)
{
  if (run->d == 3) trial(run, n, 3);
  else trial(run, n, 2);
  n->few = n->dense && !(run->laws & DLS_LAWS_BOUNDED);
  if (n->few) return dls_newton_dense_residual(n->dense, n->rho, n->y);
  return run->d == 3 ? maps(run, n, 3) : maps(run, n, 2);
}

// P and Q of eq (new.1), with eps.
static inline void fill(const dls_run *run, newton *n, int d, double eps)
{
  double *B = n->P, *Q = n->Q;
  for (int i = 0; i < run->blocks; i++, B += d * d, Q += d * d)
    for (int k = 0; k < d * d; k++) {
      Q[k] = (k % (d + 1) == 0) - (1 - eps) * B[k];
      B[k] *= n->rho[i];
    }
}

static bool step(dls_run *run, newton *n, double eps)
{
  if (n->few) return dls_newton_dense_step(n->dense, eps);
  if (run->d == 3) fill(run, n, 3, eps);
  else fill(run, n, 2, eps);
  if (!dls_operator_factor(run->op, n->P, n->Q)) return false;
  dls_operator_solve(run->op, n->F);
  bool finite = true;
  for (int i = 0; i < run->rows; i++) finite = finite && isfinite(n->F[i]);
  if (!dls_operator_all(run->op, finite)) return false;
  for (int i = 0; i < run->rows; i++) run->r[i] -= n->F[i];
  return true;
}

static double clamp(double low, double x, double high)
{
  return x < low ? low : x > high ? high : x;
}

static void smooth(dls_run *run, const newton *n, int count)
{
  for (int s = 0; n->sweeps && s < count; s++) dls_gauss_seidel_sweep(run, n->sweeps, s % 2);
  if (count > 0) dls_run_measure(run);
}

// Newton steps are not asked to improve each time: many problems are solved by way of worse points.
// After four without progress two sweeps, without which steps may go round in a circle. When the
// best point is old, steps begin again at it after more sweeps, with more regularization; after
// several such attempts the method gives up.
bool dls_newton_iterate(dls_run *run, void *self, int most, int patience, int attempts)
{
  newton *n = self;
  dls_operator_rho(run->op, n->rho);
  // the law of a few contacts in the plane is linear by pieces: a step ends it
  const bool few = run->d == 2 && dls_operator_count(run->op, run->blocks) <= FEW_BLOCKS;
  double coarse = few ? most_regularization_few : most_regularization;
  double best = run->error, before = 0;
  int since = 0;
  bool nearly = false;  // a point was nearly good, and a step left it
  for (int k = 0; k < most; k++) {
    const double size = residual(run, n), error = run->error;
    // a point that was good as a whole only has contacts that are hardly determined: steps that
    // keep near to it end that, others let these contacts open and close in turn
    const double finest = run->rejections > 0 || nearly ? fmin(least_regularization_near, coarse)
                                                        : least_regularization;
    // old factors converge at about twice the rate of the last step, error / before
    const bool old = n->few && 2 * error * error < old_factors * run->goal * before;
    before = error;
    if (!(old && dls_newton_dense_again(n->dense)) &&
        !step(run, n, clamp(finest, regularization * size, coarse)))
      since = patience;
    else dls_run_measure(run);
    if (!dls_run_next(run)) return false;
    if (!nearly && best < nearly_good * run->goal && !(run->error < nearly_good * best)) {
      nearly = true, since = 0;
      dls_run_return(run);
      continue;
    }
    since = run->error < progress * best ? 0 : since + 1;
    if (run->error < best) best = run->error;
    if (since < patience) {
      if (since % 4 == 3 && n->sweeps) smooth(run, n, 2);
      continue;
    }
    if (attempts-- == 0) return true;
    dls_run_return(run);
    coarse *= more_regularization, since = 0;
    smooth(run, n, 10);
  }
  return true;
}

bool dls_newton_proximal(dls_run *run, void *self, const double *center, double alpha,
                         double *before)
{
  newton *n = self;
  dls_operator_rho(run->op, n->rho);
  n->center = center, n->alpha = alpha;
  *before = residual(run, n);
  n->center = NULL;
  const double most = most_regularization > alpha ? most_regularization : alpha;
  return step(run, n, clamp(alpha, regularization * *before, most));
}

static void iterate(dls_run *run, void *self)
{
  newton *n = self;
  if (!dls_run_prepare(run)) return;
  if (!dls_run_next(run)) return;
  if (n->sweeps) {
    dls_gauss_seidel_start(run, n->sweeps);
    for (int s = 0; s < 10; s++) dls_gauss_seidel_sweep(run, n->sweeps, s % 2);
    dls_run_measure(run);
    if (!dls_run_next(run)) return;
  }
  if (dls_newton_iterate(run, self, 1000, 20, 3)) dls_run_give_up(run, DLS_STOP_STALLED);
}

const dls_method dls_method_newton = {
    .info = {"newton-ac",
             "semismooth Newton (Alart-Curnier), regularized, after Gauss-Seidel sweeps", true,
             true, false, DLS_LAWS_ALL},
    .max_iterations = 1000,
    .create = create,
    .iterate = iterate,
};
