// Semismooth Newton on the Fischer-Burmeister function of the second-order cone. In De Saxce's
// variables x = p r and y = rho (p^-1 u + |u_T| e), p = diag(mu, 1, 1), Coulomb's law is
//
//   phi(x, y) = x + y - (x o x + y o y)^(1/2) = 0,                                     eq (nfb.1)
//
// o the Jordan product. With z = (x o x + y o y)^(1/2), L_z the matrix of the product by z and A
// the derivative of p^-1 u + |u_T| e,
//
//   phi' = (I - L_z^-1 L_x) p + rho (I - L_z^-1 L_y) A W.                              eq (nfb.2)
//
// Steps are shortened until |phi| falls below the largest of its last values; W is regularized as
// in eq (new.2). Contacts without friction have the half-line as their cone.
#include "base/memory.h"
#include "solve/gauss_seidel.h"
#include "solve/tolerances.h"

#include <assert.h>
#include <math.h>

enum { LAST = 5 };  // values of |phi| that a step is compared with
enum { HALVINGS = 8, PATIENCE = 30, FAILED = 4, ATTEMPTS = 4, SWEEPS = 10, MORE_SWEEPS = 20 };
static const double descent = 1e-4;  // part of |phi| that a step must bring (Armijo)
static const double more_regularization = 10;

typedef struct newton_fb {
  double *rho;  // per block
  double *P, *Q;
  double *phi, *step, *from;
  void *sweeps;  // Gauss-Seidel's own, or NULL
  double last[LAST];
} newton_fb;

static dls_status create(dls_run *run, void **self)
{
  newton_fb *n = dls_arena_alloc(run->arena, 1, sizeof *n);
  if (!n) return DLS_ERR_MEMORY;
  n->rho = dls_run_vector(run), n->phi = dls_run_vector(run);
  n->step = dls_run_vector(run), n->from = dls_run_vector(run);
  n->P = dls_run_blocks(run), n->Q = dls_run_blocks(run);
  if (!n->rho || !n->phi || !n->step || !n->from || !n->P || !n->Q) return DLS_ERR_MEMORY;
  *self = n;
  const dls_status status = dls_run_plan(run);
  if (status != DLS_OK || !dls_operator_has_rows(run->op)) return status;
  return dls_method_gauss_seidel.create(run, &n->sweeps);
}

// ---- one contact -------------------------------------------------------------------------------

// (x0 - x1 . c)^2 + what x1 has across c: an eigenvalue of x o x without cancellation
static double along(int k, const double *x, const double *c)
{
  const double dot = x[1] * c[0] + (k > 2 ? x[2] * c[1] : 0);
  const double across = k > 2 ? x[2] * c[0] - x[1] * c[1] : 0;
  return (x[0] - dot) * (x[0] - dot) + across * across;
}

// z of (nfb.1) by its eigenvalues low <= high and the direction c of its tail
static void root(int k, const double *x, const double *y, double *low, double *high, double *c)
{
  assert(k == 2 || k == 3);
  double w[2] = {0};
  for (int j = 1; j < k; j++) w[j - 1] = 2 * (x[0] * x[j] + y[0] * y[j]);
  const double size = hypot(w[0], w[1]);
  c[0] = size > 0 ? w[0] / size : 1, c[1] = size > 0 ? w[1] / size : 0;
  const double opposite[2] = {-c[0], -c[1]};
  *low = sqrt(along(k, x, c) + along(k, y, c));
  *high = sqrt(along(k, x, opposite) + along(k, y, opposite));
}

// out = I - L_z^-1 L_a, d x d column-major
static void derivative(int d, const double *z, double det, const double *a, double *out)
{
  assert(d == 2 || d == 3);
  for (int j = 0; j < d; j++) {
    double column[3] = {0}, dot = 0;  // of L_a
    column[0] = a[j];
    if (j == 0)
      for (int i = 1; i < d; i++) column[i] = a[i];
    else column[j] = a[0];
    for (int i = 1; i < d; i++) dot += z[i] * column[i];
    out[d * j] = (j == 0) - (z[0] * column[0] - dot) / det;
    for (int i = 1; i < d; i++)
      out[i + d * j] = (i == j) - (-z[i] * column[0] + (det * column[i] + z[i] * dot) / z[0]) / det;
  }
}

static void variables(int d, double mu, double rho, const double *r, const double *u, double *x,
                      double *y, double *slip)
{
  assert(d == 2 || d == 3);
  for (int k = 0; k < d; k++) x[k] = r[k], y[k] = rho * u[k];
  *slip = d == 3 ? hypot(u[1], u[2]) : fabs(u[1]);
  x[0] *= mu, y[0] = rho * (u[0] / mu + *slip);
}

static void friction_phi(int d, const double *x, const double *y, double *phi)
{
  double low, high, c[2];
  root(d, x, y, &low, &high, c);
  phi[0] = x[0] + y[0] - 0.5 * (high + low);
  for (int k = 1; k < d; k++) phi[k] = x[k] + y[k] - 0.5 * (high - low) * c[k - 1];
}

// P = rho (I - L_z^-1 L_y) A and Q = (I - L_z^-1 L_x) p + eps P / rho
static void friction_blocks(int d, double mu, double rho, double eps, const double *r,
                            const double *u, double *P, double *Q)
{
  assert(d == 2 || d == 3);
  double x[3], y[3], slip, low, high, c[2], Y[9];
  variables(d, mu, rho, r, u, x, y, &slip);
  root(d, x, y, &low, &high, c);
  if (high > 0) {
    // a singular z has many derivatives: that of a z a little inside the cone is one of them
    if (low < inside_cone * high) low = inside_cone * high;
    const double z[3] = {0.5 * (high + low), 0.5 * (high - low) * c[0], 0.5 * (high - low) * c[1]};
    derivative(d, z, low * high, x, Q);
    derivative(d, z, low * high, y, Y);
  } else
    for (int k = 0; k < d * d; k++) Q[k] = Y[k] = k % (d + 1) == 0 ? 1 - sqrt(0.5) : 0;
  for (int i = 0; i < d; i++) Q[i] *= mu;
  for (int j = d - 1; j >= 0; j--)  // Y A, A = [1 / mu, u_T^T / |u_T|; 0, I]
    for (int i = 0; i < d; i++)
      P[i + d * j] = j == 0 ? Y[i] / mu : Y[i + d * j] + (slip > 0 ? Y[i] * u[j] / slip : 0);
  for (int k = 0; k < d * d; k++) Q[k] += eps * P[k], P[k] *= rho;
}

static void frictionless(int d, double rho, double eps, const double *r, const double *u, double *P,
                         double *Q)
{
  const double y = rho * u[0], z = hypot(r[0], y);
  dls_clear(P, d * d);
  dls_clear(Q, d * d);
  for (int k = 1; k < d; k++) Q[k * (d + 1)] = 1;
  P[0] = 1 - (z > 0 ? y / z : sqrt(0.5));
  Q[0] = 1 - (z > 0 ? r[0] / z : sqrt(0.5)) + eps * P[0];
  P[0] *= rho;
}

// ---- all contacts ------------------------------------------------------------------------------

// phi at the measured point; returns its norm
static double residual(dls_run *run, newton_fb *n)
{
  const int d = run->d;
  double square = 0;
  for (int i = 0; i < run->blocks; i++) {
    const double *r = run->r + (ptrdiff_t)d * i, *u = run->u + (ptrdiff_t)d * i, rho = n->rho[i];
    double *phi = n->phi + (ptrdiff_t)d * i, x[3], y[3], slip;
    if (i >= run->contacts)
      for (int k = 0; k < d; k++) phi[k] = rho * u[k];
    else if (run->mu[i] > 0) {
      variables(d, run->mu[i], rho, r, u, x, y, &slip);
      friction_phi(d, x, y, phi);
    } else {
      for (int k = 1; k < d; k++) phi[k] = r[k];
      phi[0] = r[0] + rho * u[0] - hypot(r[0], rho * u[0]);
    }
    for (int k = 0; k < d; k++) square += phi[k] * phi[k];
  }
  dls_operator_sum(run->op, 1, &square);
  return sqrt(square);
}

static bool direction(dls_run *run, newton_fb *n, double eps)
{
  const int d = run->d, area = d * d;
  for (int i = 0; i < run->blocks; i++) {
    const double *r = run->r + (ptrdiff_t)d * i, *u = run->u + (ptrdiff_t)d * i, rho = n->rho[i];
    double *P = n->P + (ptrdiff_t)area * i, *Q = n->Q + (ptrdiff_t)area * i;
    if (i >= run->contacts)
      for (int k = 0; k < area; k++)
        P[k] = k % (d + 1) == 0 ? rho : 0, Q[k] = k % (d + 1) == 0 ? eps : 0;
    else if (run->mu[i] > 0) friction_blocks(d, run->mu[i], rho, eps, r, u, P, Q);
    else frictionless(d, rho, eps, r, u, P, Q);
  }
  dls_copy(n->step, n->phi, run->padded);
  if (!dls_operator_factor(run->op, n->P, n->Q)) return false;
  dls_operator_solve(run->op, n->step);
  bool finite = true;
  for (int i = 0; i < run->rows; i++) finite = finite && isfinite(n->step[i]);
  return dls_operator_all(run->op, finite);
}

static double largest(const newton_fb *n)
{
  double most = 0;
  for (int k = 0; k < LAST; k++)
    if (n->last[k] > most) most = n->last[k];
  return most;
}

// |phi| after a part of the step
static double try(dls_run *run, newton_fb *n, double part)
{
  for (int i = 0; i < run->rows; i++) run->r[i] = n->from[i] - part * n->step[i];
  dls_run_measure(run);
  return residual(run, n);
}

// Half the step until |phi| falls. False when it never does: the whole step is then taken all the
// same, since the regularization may have turned the direction.
static bool search(dls_run *run, newton_fb *n, double *norm)
{
  const double limit = largest(n);
  dls_copy(n->from, run->r, run->padded);
  for (int k = 0; k < HALVINGS; k++) {
    const double a = ldexp(1, -k);
    *norm = try(run, n, a);
    if (*norm <= (1 - descent * a) * limit || run->error <= run->goal) return true;
  }
  *norm = try(run, n, 1);
  return false;
}

static double restart(dls_run *run, newton_fb *n, int sweeps)
{
  for (int s = 0; n->sweeps && s < sweeps; s++) dls_gauss_seidel_sweep(run, n->sweeps, s % 2);
  dls_run_measure(run);
  const double norm = residual(run, n);
  for (int k = 0; k < LAST; k++) n->last[k] = norm;
  return norm;
}

static double size(const dls_run *run)
{
  double square = 0;
  for (int i = 0; i < run->rows; i++) square += run->r[i] * run->r[i];
  dls_operator_sum(run->op, 1, &square);
  return square > 0 ? sqrt(square) : 1;
}

static void iterate(dls_run *run, void *self)
{
  newton_fb *n = self;
  if (!dls_run_prepare(run)) return;
  dls_run_measure(run);
  if (!dls_run_next(run)) return;
  dls_operator_rho(run->op, n->rho);
  if (n->sweeps) dls_gauss_seidel_start(run, n->sweeps);
  double norm = restart(run, n, SWEEPS), best = run->error, coarse = most_regularization;
  if (!dls_run_next(run)) return;
  for (int since = 0, attempts = ATTEMPTS;;) {
    double eps = regularization * norm / size(run);
    eps = eps < least_regularization ? least_regularization : eps > coarse ? coarse : eps;
    const bool good = direction(run, n, eps);
    if (good && !search(run, n, &norm)) since += FAILED;
    if (!dls_run_next(run)) return;
    dls_move(n->last, n->last + 1, LAST - 1);
    n->last[LAST - 1] = norm;
    since = run->error < progress * best ? 0 : since + 1;
    if (run->error < best) best = run->error;
    if (good && since < PATIENCE) continue;
    if (attempts-- == 0) break;
    dls_run_return(run);
    coarse *= more_regularization, since = 0;
    norm = restart(run, n, MORE_SWEEPS);
  }
  dls_run_give_up(run, DLS_STOP_STALLED);
}

const dls_method dls_method_newton_fb = {
    .info = {"newton-fb",
             "semismooth Newton (Fischer-Burmeister) with a line search, after Gauss-Seidel sweeps",
             true, true, true, DLS_LAWS_CONE},
    .max_iterations = 1000,
    .create = create,
    .iterate = iterate,
};
