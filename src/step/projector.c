#include "step/projector.h"

#include "base/memory.h"
#include "step/tolerances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STEPS = 20 };

static const double FAST = 0.01;  // contraction up to which the matrix is kept

static dls_status take_memory(dls_projector *projector)
{
  const ptrdiff_t size = dls_step_kkt_size(projector->kkt);
  if (!projector->d || size > projector->room) {
    free(projector->d);
    projector->room = size + size / 2;
    projector->d = dls_alloc(2 * projector->room + 1, sizeof(double));
  }
  projector->d_beside = projector->d ? projector->d + size : NULL;
  return projector->d ? DLS_OK : DLS_ERR_MEMORY;
}

// A matrix for these contacts, from the numbers of the point.
static dls_status make_kkt(dls_projector *projector, const bool *in)
{
  dls_step_kkt_free(projector->kkt);
  dls_status status = dls_step_kkt_create(projector->point, in, &projector->kkt);
  if (status == DLS_OK) status = take_memory(projector);
  if (status == DLS_OK) return status;
  dls_step_kkt_free(projector->kkt);
  projector->kkt = NULL;
  return status;
}

// Makes the matrix anew where it is not that of the contacts that are on, or of all.
static dls_status choose(dls_projector *projector, const bool *on)
{
  const int m = projector->point->system->m;
  if (!projector->in) return DLS_OK;
  int wanted = 0, held = -1;
  for (int j = 0; j < m; j++) wanted += on[j];
  const bool all = dls_snapshot_takes_all(m, wanted);
  if (projector->kkt) dls_step_kkt_held(projector->kkt, &held);
  if (all ? held == m : held == wanted && memcmp(projector->in, on, (size_t)m) == 0) return DLS_OK;
  for (int j = 0; j < m; j++) projector->in[j] = all || on[j];
  return make_kkt(projector, projector->in);
}

// The contacts that coordinates are moved for: rolling constraints and friction alone have no gap.
static const bool *with_gaps(const dls_projector *projector, const bool *on)
{
  const dls_system *s = projector->point->system;
  if (!projector->gaps) return on;
  for (int j = 0; j < s->m; j++)
    projector->gaps[j] = on[j] && !s->contacts[j].rolling && !s->contacts[j].dry;
  return projector->gaps;
}

static dls_status make_gaps(dls_projector *projector)
{
  if (!projector->point->gapless) return DLS_OK;
  projector->gaps = dls_alloc((ptrdiff_t)projector->point->system->m + 1, sizeof(bool));
  return projector->gaps ? DLS_OK : DLS_ERR_MEMORY;
}

dls_status dls_projector_create(dls_snapshot *point, const dls_integrator_options *options,
                                const bool *ever, dls_projector *projector)
{
  *projector = (dls_projector){.point = point,
                               .tolerance = gap_held * options->closed,
                               .rate = rate_held * options->rest,
                               .owner = true};
  const dls_status status = make_gaps(projector);
  if (status != DLS_OK) return status;
  if (ever) return make_kkt(projector, ever);
  const int m = point->system->m;
  projector->in = dls_alloc((ptrdiff_t)m + 1, sizeof(bool));
  if (!projector->in) return DLS_ERR_MEMORY;
  return dls_snapshot_takes_all(m, 0) ? choose(projector, projector->in) : DLS_OK;
}

dls_status dls_projector_with(dls_snapshot *point, const dls_integrator_options *options,
                              dls_step_kkt *kkt, dls_projector *projector)
{
  *projector = (dls_projector){.point = point,
                               .tolerance = gap_held * options->closed,
                               .rate = rate_held * options->rest,
                               .kkt = kkt};
  const dls_status status = make_gaps(projector);
  return status == DLS_OK ? take_memory(projector) : status;
}

void dls_projector_free(dls_projector *projector)
{
  if (projector->owner) dls_step_kkt_free(projector->kkt);
  free(projector->in);
  free(projector->gaps);
  free(projector->d);
  *projector = (dls_projector){0};
}

// h and h' are sums of terms, sum |G_i x_i| at least: they cannot be held closer than these are
// known.
static double terms(const dls_snapshot *point, int j, const double *x)
{
  const dls_pattern *G = &point->system->normal;
  double sum = 0;
  for (int e = G->p[j]; e < G->p[j + 1]; e++) sum += fabs(point->values->G[e] * x[G->i[e]]);
  return sum;
}

double dls_projector_gap_tolerance(const dls_snapshot *point, const dls_integrator_options *options,
                                   int j, const double *q)
{
  return gap_held * options->closed + gap_known * terms(point, j, q);
}

// The largest |h| of those that are on, relative to what may stay: up to 1 they are held. x: q or
// v, what h is made of; known: relative to its size.
static double largest(const dls_projector *projector, const bool *on, const double *h,
                      double tolerance, double known, const double *x)
{
  double most = 0;
  for (int j = 0; j < projector->point->system->m; j++) {
    if (!on[j] || fabs(h[j]) <= most * tolerance) continue;
    most = fmax(most, fabs(h[j]) / (tolerance + known * terms(projector->point, j, x)));
  }
  return most;
}

static void set_rows(const dls_projector *projector, const bool *on, const double *h, double *d)
{
  const int n = projector->point->system->n;
  dls_clear(d, n);
  int held;
  const int *contact = dls_step_kkt_held(projector->kkt, &held);
  for (int k = 0; k < held; k++) d[n + k] = on[contact[k]] ? -h[contact[k]] : 0;
}

// The smallest changes, in the kinetic metric, that take the rows from h to zero, and those of
// velocities beside it, if there are any.
static void correct(dls_projector *projector, const bool *on, const double *h, double *x,
                    double *beside)
{
  const int n = projector->point->system->n;
  set_rows(projector, on, h, projector->d);
  if (beside) {
    set_rows(projector, on, projector->point->values->h_dot, projector->d_beside);
    dls_step_kkt_solve_both(projector->kkt, projector->d, projector->d_beside);
    for (int i = 0; i < n; i++) beside[i] += projector->d_beside[i];
  } else {
    dls_step_kkt_solve_once(projector->kkt, projector->d);
  }
  for (int i = 0; i < n; i++) x[i] += projector->d[i];
}

// Steps towards h = 0 in x, which is q or v; the matrix is made anew where they become slow, and
// factored tells whether there is one near by. beside: velocities that take a step with each, or
// NULL.
static bool reach(dls_projector *projector, const bool *on, bool rates, double t, const double *q,
                  const double *v, double *x, double *beside, bool *factored, dls_message *message)
{
  const double *h = rates ? projector->point->values->h_dot : projector->point->values->h;
  const double tolerance = rates ? projector->rate : projector->tolerance;
  const double known = rates ? rate_known : gap_known;
  double now = largest(projector, on, h, tolerance, known, x);
  if (now > 1 && !*factored) {
    const dls_status status = choose(projector, on);
    if (status != DLS_OK) projector->point->trouble = status;
    if (status != DLS_OK) return false;
  }
  for (int k = 0; k < MAX_STEPS && now > 1; k++) {
    if (!*factored && !dls_step_kkt_factor(projector->kkt, 0, 0, 0, on)) return false;
    correct(projector, on, h, x, beside);
    if (!dls_snapshot_evaluate(projector->point, t, q, v, message)) return false;
    const double before = now;
    now = largest(projector, on, h, tolerance, known, x);
    if (!(now < before)) return now <= held_at_rounding;
    *factored = now <= FAST * before;
  }
  return now <= 1;
}

bool dls_projector_positions(dls_projector *projector, const bool *on, double t, double *q,
                             const double *v, dls_message *message)
{
  bool factored = false;
  return reach(projector, with_gaps(projector, on), false, t, q, v, q, NULL, &factored, message);
}

bool dls_projector_velocities(dls_projector *projector, const bool *on, double t, const double *q,
                              double *v, dls_message *message)
{
  bool factored = false;
  return reach(projector, on, true, t, q, v, v, NULL, &factored, message);
}

bool dls_projector_state(dls_projector *projector, const bool *on, double t, double *q, double *v,
                         dls_message *message)
{
  bool factored = false;
  if (projector->gaps)  // coordinates and velocities have different constraints
    return dls_projector_positions(projector, on, t, q, v, message) &&
           dls_projector_velocities(projector, on, t, q, v, message);
  return reach(projector, on, false, t, q, v, q, v, &factored, message) &&
         reach(projector, on, true, t, q, v, v, NULL, &factored, message);
}
