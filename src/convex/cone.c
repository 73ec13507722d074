// The iteration: a primal-dual interior-point method on the homogeneous embedding of the conic
// program, eqs (cne.2) to (cne.10). Every iterate is measured in the units of the data; what is
// returned has passed cone_check.c.
#include "convex/cone_internal.h"

#include "base/memory.h"

#include "linalg/dense.h"
#include "linalg/dense_internal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE = 12 };  // iterations without a better point before giving up
static const double to_boundary = 0.99, shortest_step = 1e-9, shortened = 0.8;
static const double most_of_tau = 0.9;  // that a step may take where x^T P x / tau is not linear
static const double better = 0.5;       // of a certificate: progress
enum { STRAIGHTENINGS = 40 };

void dls_cone_symmetric(const dls_sparse *P, const double *x, double *y)
{
  for (int j = 0; j < P->cols; j++) y[j] = 0;
  for (int j = 0; j < P->cols; j++)
    for (int e = P->p[j]; e < P->p[j + 1]; e++) {
      y[P->i[e]] += P->x[e] * x[j];
      if (P->i[e] != j) y[j] += P->x[e] * x[P->i[e]];
    }
}

// ---- one iteration -----------------------------------------------------------------------------

static void start(dls_cone *c)
{
  for (int j = 0; j < c->n; j++) c->at.x[j] = 0;
  for (int t = 0; t < c->blocks; t++) {
    cone_block *block = &c->block[t];
    block->type->unit(block, c->at.s);
    block->type->unit(block, c->at.y);
  }
  c->at.tau = c->at.kappa = 1;
  dls_clear(c->best_x, c->n);
  dls_clear(c->best_s, c->m);
  dls_clear(c->best_y, c->m);
  c->best = (dls_cone_residuals){NAN, NAN, NAN, NAN, INFINITY, NAN};
  c->best_certificate = INFINITY;
  c->since_best = 0;
}

// eq (cne.3)
static void residuals(dls_cone *c)
{
  const cone_point *p = &c->at;
  dls_cone_symmetric(c->Ps, p->x, c->Px);
  for (int j = 0; j < c->n; j++) c->rx[j] = c->Px[j] + c->qs[j] * p->tau;
  dls_sparse_multiply(true, 1, c->As, p->y, 1, c->rx);
  for (int i = 0; i < c->m; i++) c->ry[i] = p->s[i] - c->bs[i] * p->tau;
  dls_sparse_multiply(false, 1, c->As, p->x, 1, c->ry);
  c->rtau = p->kappa + dls_dot(c->n, c->qs, p->x) + dls_dot(c->m, c->bs, p->y) +
            dls_dot(c->n, c->Px, p->x) / p->tau;
  c->mu = (dls_dot(c->m, p->s, p->y) + p->tau * p->kappa) / (c->degree + 1);
}

// The direction that changes the residuals by -rho times themselves and the complementarity
// products by what target = W (lambda \ g) and kappa_target = g_kappa say.  eq (cne.7)
static void direction(dls_cone *c, double rho, double kappa_target, cone_point *d)
{
  const cone_point *p = &c->at;
  for (int j = 0; j < c->n; j++) c->right_x[j] = -rho * c->rx[j];
  for (int i = 0; i < c->m; i++) c->right_y[i] = -rho * c->ry[i] - c->target[i];
  double right_tau = rho * c->rtau + kappa_target / p->tau;
  dls_cone_kkt_solve(c, c->right_x, c->right_y, right_tau, d->x, d->y, &d->tau);
  d->kappa = (kappa_target - p->kappa * d->tau) / p->tau;
  // from the rows, not from W^2 dy: so what the solve leaves over hurts the centring only
  for (int i = 0; i < c->m; i++) d->s[i] = c->bs[i] * d->tau - rho * c->ry[i];
  dls_sparse_multiply(false, -1, c->As, d->x, 1, d->s);
  for (int i = 0; i < c->zero; i++) d->s[i] = 0;
}

static double step_length(const dls_cone *c, const cone_point *d)
{
  const cone_point *p = &c->at;
  double a = 1 / to_boundary;
  // no step may come close to the pole
  if (d->tau < 0 && c->P->p[c->n] > 0) a = fmin(a, -most_of_tau * p->tau / d->tau);
  if (d->tau < 0) a = fmin(a, -p->tau / d->tau);
  if (d->kappa < 0) a = fmin(a, -p->kappa / d->kappa);
  for (int t = 0; t < c->blocks; t++) {
    cone_block *block = &c->block[t];
    a = fmin(a, block->type->step(block, p->s, d->s));
    a = fmin(a, block->type->step(block, p->y, d->y));
  }
  return a;
}

// Mehrotra's predictor: no centring, the products go to zero.
static void predict(dls_cone *c)
{
  for (int i = 0; i < c->m; i++) c->target[i] = -c->at.s[i];
  direction(c, 1, -c->at.tau * c->at.kappa, &c->affine);
}

// The corrector: products to sigma mu, less what the predictor would have left.
static void correct(dls_cone *c, double sigma)
{
  double *left = c->t1, *right = c->t2;
  for (int t = 0; t < c->blocks; t++) {
    cone_block *block = &c->block[t];
    block->type->divide(block, c->affine.s, left);
    block->type->multiply(block, c->affine.y, right);
    block->type->product(block, left, right, c->target);
    block->type->product(block, c->lambda, c->lambda, left);
    block->type->unit(block, right);
    for (int i = block->start; i < block->start + block->size; i++)
      c->target[i] = sigma * c->mu * right[i] - left[i] - c->target[i];
    block->type->quotient(block, c->lambda, c->target, left);
    block->type->multiply(block, left, c->target);
  }
  double kappa = sigma * c->mu - c->at.tau * c->at.kappa - c->affine.tau * c->affine.kappa;
  direction(c, 1 - sigma, kappa, &c->step);
}

// Goes as far as a, or less when rounding would leave the cone. False when nothing is left.
static bool advance(dls_cone *c, double a)
{
  cone_point *p = &c->at;
  bool inside = false;
  while (!inside && a > shortest_step) {
    inside = p->tau + a * c->step.tau > 0 && p->kappa + a * c->step.kappa > 0;
    for (int i = 0; i < c->m; i++) {
      c->t1[i] = p->s[i] + a * c->step.s[i];
      c->t2[i] = p->y[i] + a * c->step.y[i];
    }
    for (int t = 0; t < c->blocks && inside; t++) {
      const cone_block *block = &c->block[t];
      inside = block->type->inside(block, c->t1) && block->type->inside(block, c->t2);
    }
    if (!inside) a *= shortened;
  }
  if (!inside) return false;
  for (int j = 0; j < c->n; j++) p->x[j] += a * c->step.x[j];
  for (int i = 0; i < c->m; i++) p->s[i] = c->t1[i], p->y[i] = c->t2[i];
  p->tau += a * c->step.tau;
  p->kappa += a * c->step.kappa;
  return dls_finite(c->n, p->x);
}

// Mehrotra's sigma = (mu after the predictor / mu)^3. Where the products of a cone go to zero more
// slowly than the step promises, this keeps the others from running ahead.
static double centring(const dls_cone *c, double a)
{
  const cone_point *p = &c->at, *d = &c->affine;
  double sum = (p->tau + a * d->tau) * (p->kappa + a * d->kappa);
  for (int i = 0; i < c->m; i++) sum += (p->s[i] + a * d->s[i]) * (p->y[i] + a * d->y[i]);
  double ratio = fmax(1 - a, sum / ((c->degree + 1) * c->mu));
  return ratio < 1 ? ratio * ratio * ratio : 1;
}

static bool iterate(dls_cone *c)
{
  for (int t = 0; t < c->blocks; t++)
    if (!c->block[t].type->scale(&c->block[t], c->at.s, c->at.y, c->lambda)) return false;
  if (!dls_cone_kkt_factor(c)) return false;
  predict(c);
  double a = fmin(1, step_length(c, &c->affine));
  correct(c, centring(c, a));
  return advance(c, to_boundary * step_length(c, &c->step));
}

// ---- what has been reached ---------------------------------------------------------------------

// Without q and P nothing gives y a size, without b and P nothing x: zero is then the exact answer.
static void to_data(dls_cone *c)
{
  const cone_sizes z = dls_cone_sizes(c);
  const cone_point *p = &c->at;
  double fx = z.primal > 0 ? c->length / p->tau : 0;
  double fy = z.dual > 0 ? c->length / c->cost / p->tau : 0;
  for (int j = 0; j < c->n; j++) c->try_x[j] = p->x[j] * c->D[j] * fx;
  for (int i = 0; i < c->m; i++) {
    c->try_s[i] = p->s[i] / c->E[i] * fx;
    c->try_y[i] = p->y[i] * c->E[i] * fy;
  }
}

static void copy_point(const dls_cone *c, const double *const from[3], double *const to[3])
{
  if (c->n > 0) dls_copy(to[0], from[0], c->n);
  for (int k = 1; k < 3 && c->m > 0; k++) dls_copy(to[k], from[k], c->m);
}

// Whether the point is the best so far.
static bool measure(dls_cone *c)
{
  to_data(c);
  const dls_cone_residuals r = dls_cone_measure(c, c->try_x, c->try_s, c->try_y);
  if (!(r.size <= c->options.largest_size && r.largest < c->best.largest)) return false;
  c->best = r;
  copy_point(c, (const double *[]){c->try_x, c->try_s, c->try_y},
             (double *[]){c->best_x, c->best_s, c->best_y});
  return true;
}

// A certificate that gets better is progress too.
static void note(dls_cone *c, double certificate)
{
  if (!(certificate < better * c->best_certificate)) return;
  c->best_certificate = certificate;
  c->since_best = 0;
}

// |P x|
static double bend(dls_cone *c, const double *x)
{
  dls_cone_symmetric(c->P, x, c->t1);
  double worst = 0;
  for (int j = 0; j < c->n; j++) worst = fmax(worst, fabs(c->t1[j] * c->D[j]));
  return worst;
}

// On the central path x^T P x falls with tau and P x only with its root. The factors of the last
// iteration take the rest of P x away as far as the cones allow it.
static void straighten(dls_cone *c, dls_cone_report *report)
{
  double last = bend(c, c->try_x);
  for (int k = 0; k < STRAIGHTENINGS && last > 0; k++) {
    for (int j = 0; j < c->n; j++) c->step.x[j] = c->try_x[j] / c->D[j];
    dls_cone_kkt_flatten(c, c->step.x);
    for (int j = 0; j < c->n; j++) c->step.x[j] *= c->D[j];
    double certificate = dls_cone_ray(c, c->step.x, c->step.s), now = bend(c, c->step.x);
    if (!(certificate <= c->options.certificate && now < last)) return;
    report->certificate = certificate;
    last = now;
    dls_copy(c->try_x, c->step.x, c->n);
    dls_copy(c->try_s, c->step.s, c->m);
  }
}

// eqs (cne.11), (cne.12); the certificate is left in try_x, try_s, try_y.
static bool certified(dls_cone *c, dls_cone_report *report)
{
  dls_clear(c->try_x, c->n);
  dls_clear(c->try_s, c->m);
  for (int i = 0; i < c->m; i++) c->try_y[i] = c->at.y[i] * c->E[i];
  report->certificate = dls_cone_farkas(c, c->try_y);
  note(c, report->certificate);
  report->outcome = DLS_CONE_PRIMAL_INFEASIBLE;
  report->objective = INFINITY;
  if (report->certificate <= c->options.certificate) return true;
  dls_clear(c->try_y, c->m);
  for (int j = 0; j < c->n; j++) c->try_x[j] = c->at.x[j] * c->D[j];
  report->certificate = dls_cone_ray(c, c->try_x, c->try_s);
  note(c, report->certificate);
  report->outcome = DLS_CONE_DUAL_INFEASIBLE;
  report->objective = -INFINITY;
  if (!(report->certificate <= c->options.certificate)) return false;
  if (report->iterations > 0) straighten(c, report);
  return true;
}

static double objective(dls_cone *c, const double *x)
{
  dls_cone_symmetric(c->P, x, c->t1);
  return 0.5 * dls_dot(c->n, c->t1, x) + dls_dot(c->n, c->q, x);
}

// The best point met, and what may be claimed of it.
static void finish(dls_cone *c, double *x, double *s, double *y, dls_cone_report *report)
{
  bool solved = c->best.largest <= c->options.acceptable;
  report->outcome = solved ? DLS_CONE_SOLVED : DLS_CONE_FAILED;
  report->residuals = c->best;
  report->certificate = NAN;
  report->objective = objective(c, c->best_x);
  copy_point(c, (const double *[]){c->best_x, c->best_s, c->best_y}, (double *[]){x, s, y});
}

dls_status dls_cone_solve(dls_cone *c, double *x, double *s, double *y, dls_cone_report *report)
{
  *report = (dls_cone_report){.outcome = DLS_CONE_FAILED, .objective = NAN, .certificate = NAN};
  report->residuals = (dls_cone_residuals){NAN, NAN, NAN, NAN, NAN, NAN};
  dls_cone_scale_data(c);
  if (!dls_cone_scaled_finite(c)) return DLS_ERR_NUMBER;
  start(c);
  for (;; report->iterations++) {
    residuals(c);
    c->since_best = measure(c) ? 0 : c->since_best + 1;
    if (c->best.largest <= c->options.tolerance) break;
    if (c->best.largest > c->options.acceptable && certified(c, report)) {
      copy_point(c, (const double *[]){c->try_x, c->try_s, c->try_y}, (double *[]){x, s, y});
      return DLS_OK;
    }
    if (report->iterations == c->options.max_iterations || c->since_best > PATIENCE) break;
    if (!iterate(c)) break;
  }
  finish(c, x, s, y, report);
  return DLS_OK;
}

dls_status dls_cone_run(const dls_cone_problem *problem, const dls_cone_options *options, double *x,
                        double *s, double *y, dls_cone_report *report)
{
  dls_cone *cone = NULL;
  double *spare = dls_alloc(2 * (ptrdiff_t)problem->m, sizeof *spare);
  dls_status status = spare ? dls_cone_setup(problem, options, &cone) : DLS_ERR_MEMORY;
  if (status == DLS_OK)
    status = dls_cone_solve(cone, x, s ? s : spare, y ? y : spare + problem->m, report);
  dls_cone_free(cone);
  free(spare);
  return status;
}
