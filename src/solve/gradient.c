// Accelerated projected gradients for the convex problem of a given slip, eq (cvx.1): with
// rho = 1 / |W_ii| per contact,
//
//   r+ = P_K(y - t rho (W y + q + E s)),   y = r+ + beta (r+ - r),                     eq (apg.1)
//
// beta by Nesterov's sequence, begun anew when the step turns against the move (O'Donoghue and
// Candes). t is lowered until
//
//   (r+ - y)^T W (r+ - y) <= |r+ - y|^2_(1/rho) / t                                    eq (apg.2)
//
// and raised a little after each step. W y follows from W r, so that an iteration takes one
// product.
#include "base/memory.h"
#include "solve/convex_part.h"
#include "solve/tolerances.h"

#include <math.h>

enum { SHORTENINGS = 60, PATIENCE = 2000 };
static const double most_shortened = 0.5, shortened = 0.95;  // of t; of the t that would do
static const double lengthened = 1.05;

typedef struct gradient {
  double *rho;          // per block
  double *y, *y_u;      // the extrapolated point and its velocities
  double *old, *old_u;  // the last point
  double t;             // kept from problem to problem
} gradient;

void *dls_gradient_create(dls_run *run)
{
  gradient *g = dls_arena_alloc(run->arena, 1, sizeof *g);
  if (!g) return NULL;
  g->rho = dls_run_vector(run), g->y = dls_run_vector(run), g->y_u = dls_run_vector(run);
  g->old = dls_run_vector(run), g->old_u = dls_run_vector(run);
  g->t = 1;
  return g->rho && g->y && g->y_u && g->old && g->old_u ? g : NULL;
}

double dls_convex_error(const dls_run *run, const double *rho, const double *slip)
{
  const int d = run->d;
  double square = 0;
  for (int i = 0; i < run->contacts; i++) {
    const double *r = run->r + (ptrdiff_t)d * i, *u = run->u + (ptrdiff_t)d * i;
    double x[3] = {0}, projected[3];
    for (int k = 0; k < d; k++) x[k] = r[k] / rho[i] - u[k];
    x[0] -= run->mu[i] * slip[i];
    dls_friction_cone_project(d, run->mu[i], x, projected);
    for (int k = 0; k < d; k++) {
      const double F = r[k] / rho[i] - projected[k];
      square += F * F;
    }
  }
  for (int i = d * run->contacts; i < run->rows; i++) square += run->u[i] * run->u[i];
  dls_operator_sum(run->op, 1, &square);
  return run->norm_q > 0 ? sqrt(square) / run->norm_q : sqrt(square);
}

// run->r = P_K(y - t rho (u(y) + E s))
static void project(dls_run *run, const gradient *g, const double *slip)
{
  const int d = run->d;
  for (int i = 0; i < run->blocks; i++) {
    double trial[3] = {0}, *r = run->r + (ptrdiff_t)d * i;
    for (int k = 0; k < d; k++) trial[k] = g->y[d * i + k] - g->t * g->rho[i] * g->y_u[d * i + k];
    if (i < run->contacts) {
      trial[0] -= g->t * g->rho[i] * run->mu[i] * slip[i];
      dls_friction_cone_project(d, run->mu[i], trial, r);
    } else dls_copy(r, trial, d);
  }
}

// One step from y; t is lowered as eq (apg.2) asks for. Whether it turns against the last move.
static bool step(dls_run *run, gradient *g, const double *slip, bool *turns)
{
  for (int tries = 0; tries < SHORTENINGS; tries++) {
    project(run, g, slip);
    if (!(dls_run_measure(run) < INFINITY)) return false;
    double sum[3] = {0};
    for (int i = 0; i < run->rows; i++) {
      const double change = run->r[i] - g->y[i], rho = g->rho[i / run->d];
      sum[0] += change * (run->u[i] - g->y_u[i]), sum[1] += change * change / rho;
      sum[2] += change * (run->r[i] - g->old[i]) / rho;
    }
    dls_operator_sum(run->op, 3, sum);
    const double curve = sum[0], length = sum[1];
    *turns = sum[2] < 0;
    // where rounding decides, the test says nothing
    if (curve <= length / g->t * (1 + descent_rounding) || !(length > 0)) return true;
    const double enough = shortened * length / (g->t * curve);
    g->t *= most_shortened > enough ? most_shortened : enough;
  }
  return true;
}

dls_convex_end dls_gradient_convex(dls_run *run, void *work, const double *slip, double tolerance,
                                   int most, int *iterations)
{
  gradient *g = work;
  const ptrdiff_t size = run->padded;
  dls_operator_rho(run->op, g->rho);
  dls_run_measure(run);
  dls_copy(g->y, run->r, size), dls_copy(g->y_u, run->u, size);
  dls_copy(g->old, run->r, size), dls_copy(g->old_u, run->u, size);
  double theta = 1, best = INFINITY;
  for (int k = 0, since = 0; k < most && since < PATIENCE; k++) {
    bool turns;
    if (!step(run, g, slip, &turns)) return DLS_CONVEX_STUCK;
    ++*iterations;
    if (!dls_run_next(run)) return DLS_CONVEX_OVER;
    const double error = dls_convex_error(run, g->rho, slip);
    if (error <= tolerance) return DLS_CONVEX_SOLVED;
    since = error < progress * best ? 0 : since + 1;
    if (error < best) best = error;
    const double next = 0.5 * (1 + sqrt(1 + 4 * theta * theta));
    const double beta = turns ? 0 : (theta - 1) / next;
    theta = turns ? 1 : next;
    for (int i = 0; i < run->padded; i++) {
      g->y[i] = run->r[i] + beta * (run->r[i] - g->old[i]);
      g->y_u[i] = run->u[i] + beta * (run->u[i] - g->old_u[i]);
    }
    dls_copy(g->old, run->r, size), dls_copy(g->old_u, run->u, size);
    g->t *= lengthened;
  }
  return DLS_CONVEX_STUCK;
}
