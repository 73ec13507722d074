#include "step/hold.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STEPS = 20 };

// How well gaps and their velocities are known, relative to their terms; these are more than
// sum |G_i x_i| tells where a gap is not linear.
static const double GAP_KNOWN = 4e-15, RATE_KNOWN = 1e-11;
static const double GAP_HELD = 0.01;  // of what counts as closed

static dls_status take_memory(dls_hold *hold)
{
  const size_t size = (size_t)dls_balance_size(hold->balance);
  if (!hold->d || size > hold->room) {
    free(hold->d);
    hold->room = size + size / 2;
    hold->d = dls_alloc(2 * hold->room + 1, sizeof(double));
  }
  hold->d_beside = hold->d ? hold->d + size : NULL;
  return hold->d ? DLS_OK : DLS_ERR_MEMORY;
}

// A matrix for these contacts, from the numbers of the point.
static dls_status make_balance(dls_hold *hold, const bool *in)
{
  dls_balance_free(hold->balance);
  dls_status status = dls_balance_create(hold->point, in, &hold->balance);
  if (status == DLS_OK) status = take_memory(hold);
  if (status == DLS_OK) return status;
  dls_balance_free(hold->balance);
  hold->balance = NULL;
  return status;
}

// Makes the matrix anew where it is not that of the contacts that are on, or of all.
static dls_status choose(dls_hold *hold, const bool *on)
{
  const int m = hold->point->system->m;
  if (!hold->in) return DLS_OK;
  int wanted = 0, held = -1;
  for (int j = 0; j < m; j++) wanted += on[j];
  const bool all = dls_snapshot_takes_all(m, wanted);
  if (hold->balance) dls_balance_held(hold->balance, &held);
  if (all ? held == m : held == wanted && memcmp(hold->in, on, (size_t)m) == 0) return DLS_OK;
  for (int j = 0; j < m; j++) hold->in[j] = all || on[j];
  return make_balance(hold, hold->in);
}

dls_status dls_hold_create(dls_snapshot *point, const dls_integrator_options *options,
                           const bool *ever, dls_hold *hold)
{
  *hold = (dls_hold){.point = point,
                     .tolerance = GAP_HELD * options->closed,
                     .rate = 0.1 * options->rest,
                     .owner = true};
  if (ever) return make_balance(hold, ever);
  const int m = point->system->m;
  hold->in = dls_alloc((size_t)m + 1, sizeof(bool));
  if (!hold->in) return DLS_ERR_MEMORY;
  return dls_snapshot_takes_all(m, 0) ? choose(hold, hold->in) : DLS_OK;
}

dls_status dls_hold_with(dls_snapshot *point, const dls_integrator_options *options,
                         dls_balance *balance, dls_hold *hold)
{
  *hold = (dls_hold){.point = point,
                     .tolerance = GAP_HELD * options->closed,
                     .rate = 0.1 * options->rest,
                     .balance = balance};
  return take_memory(hold);
}

void dls_hold_free(dls_hold *hold)
{
  if (hold->owner) dls_balance_free(hold->balance);
  free(hold->in);
  free(hold->d);
  *hold = (dls_hold){0};
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

double dls_hold_gap_tolerance(const dls_snapshot *point, const dls_integrator_options *options,
                              int j, const double *q)
{
  return GAP_HELD * options->closed + GAP_KNOWN * terms(point, j, q);
}

// The largest |h| of those that are on, relative to what may stay: up to 1 they are held. x: q or
// v, what h is made of; known: relative to its size.
static double largest(const dls_hold *hold, const bool *on, const double *h, double tolerance,
                      double known, const double *x)
{
  double most = 0;
  for (int j = 0; j < hold->point->system->m; j++) {
    if (!on[j] || fabs(h[j]) <= most * tolerance) continue;
    most = fmax(most, fabs(h[j]) / (tolerance + known * terms(hold->point, j, x)));
  }
  return most;
}

static void set_rows(const dls_hold *hold, const bool *on, const double *h, double *d)
{
  const int n = hold->point->system->n;
  memset(d, 0, (size_t)n * sizeof(double));
  int held;
  const int *contact = dls_balance_held(hold->balance, &held);
  for (int k = 0; k < held; k++) d[n + k] = on[contact[k]] ? -h[contact[k]] : 0;
}

// The smallest changes, in the kinetic metric, that take the rows from h to zero, and those of
// velocities beside it, if there are any.
static void correct(dls_hold *hold, const bool *on, const double *h, double *x, double *beside)
{
  const int n = hold->point->system->n;
  set_rows(hold, on, h, hold->d);
  if (beside) {
    set_rows(hold, on, hold->point->values->h_dot, hold->d_beside);
    dls_balance_solve_both(hold->balance, hold->d, hold->d_beside);
    for (int i = 0; i < n; i++) beside[i] += hold->d_beside[i];
  } else {
    dls_balance_solve_once(hold->balance, hold->d);
  }
  for (int i = 0; i < n; i++) x[i] += hold->d[i];
}

// Steps towards h = 0 in x, which is q or v; the matrix is made anew where they become slow, and
// factored tells whether there is one near by. beside: velocities that take a step with each, or
// NULL.
static bool reach(dls_hold *hold, const bool *on, bool rates, double t, const double *q,
                  const double *v, double *x, double *beside, bool *factored, dls_message *message)
{
  const double *h = rates ? hold->point->values->h_dot : hold->point->values->h;
  const double tolerance = rates ? hold->rate : hold->tolerance;
  const double known = rates ? RATE_KNOWN : GAP_KNOWN;
  double now = largest(hold, on, h, tolerance, known, x);
  if (now > 1 && !*factored) {
    const dls_status status = choose(hold, on);
    if (status != DLS_OK) hold->point->trouble = status;
    if (status != DLS_OK) return false;
  }
  for (int k = 0; k < MAX_STEPS && now > 1; k++) {
    if (!*factored && !dls_balance_factor(hold->balance, 0, 0, 0, on)) return false;
    correct(hold, on, h, x, beside);
    if (!dls_snapshot_evaluate(hold->point, t, q, v, message)) return false;
    const double before = now;
    now = largest(hold, on, h, tolerance, known, x);
    if (!(now < before)) return now <= 100;
    *factored = now <= 0.01 * before;
  }
  return now <= 1;
}

bool dls_hold_positions(dls_hold *hold, const bool *on, double t, double *q, const double *v,
                        dls_message *message)
{
  bool factored = false;
  return reach(hold, on, false, t, q, v, q, NULL, &factored, message);
}

bool dls_hold_velocities(dls_hold *hold, const bool *on, double t, const double *q, double *v,
                         dls_message *message)
{
  bool factored = false;
  return reach(hold, on, true, t, q, v, v, NULL, &factored, message);
}

bool dls_hold_state(dls_hold *hold, const bool *on, double t, double *q, double *v,
                    dls_message *message)
{
  bool factored = false;
  return reach(hold, on, false, t, q, v, q, v, &factored, message) &&
         reach(hold, on, true, t, q, v, v, NULL, &factored, message);
}
