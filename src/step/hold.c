#include "step/hold.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STEPS = 20 };

static dls_status take_memory(dls_hold *hold)
{
  const size_t size = (size_t)dls_balance_size(hold->balance);
  hold->d = dls_alloc(2 * size + 1, sizeof(double));
  hold->d_beside = hold->d ? hold->d + size : NULL;
  return hold->d ? DLS_OK : DLS_ERR_MEMORY;
}

dls_status dls_hold_create(dls_snapshot *point, double tolerance, dls_hold *hold)
{
  *hold = (dls_hold){.point = point, .tolerance = tolerance, .owner = true};
  const int m = point->system->m;
  bool *all = dls_alloc((size_t)m + 1, sizeof(bool));
  if (!all) return DLS_ERR_MEMORY;
  for (int j = 0; j < m; j++) all[j] = true;
  dls_status status = dls_balance_create(point, all, &hold->balance);
  free(all);
  if (status != DLS_OK) return status;
  return take_memory(hold);
}

dls_status dls_hold_with(dls_snapshot *point, double tolerance, dls_balance *balance,
                         dls_hold *hold)
{
  *hold = (dls_hold){.point = point, .tolerance = tolerance, .balance = balance};
  return take_memory(hold);
}

void dls_hold_free(dls_hold *hold)
{
  if (hold->owner) dls_balance_free(hold->balance);
  free(hold->d);
  *hold = (dls_hold){0};
}

static double largest(const dls_hold *hold, const bool *on, const double *h)
{
  double most = 0;
  for (int j = 0; j < hold->point->system->m; j++)
    if (on[j]) most = fmax(most, fabs(h[j]));
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
static bool reach(dls_hold *hold, const bool *on, const double *h, double tolerance, double t,
                  const double *q, const double *v, double *x, double *beside, bool *factored,
                  dls_message *message)
{
  double now = largest(hold, on, h);
  for (int k = 0; k < MAX_STEPS && now > tolerance; k++) {
    if (!*factored && !dls_balance_factor(hold->balance, 0, 0, 0, on)) return false;
    correct(hold, on, h, x, beside);
    if (!dls_snapshot_evaluate(hold->point, t, q, v, message)) return false;
    const double before = now;
    now = largest(hold, on, h);
    if (!(now < before)) return now <= 100 * tolerance;
    *factored = now <= 0.01 * before;
  }
  return now <= tolerance;
}

// h' is a difference of velocities: it cannot be held closer than these are known.
static double rate_tolerance(const dls_hold *hold, const double *v)
{
  double speed = 1;
  for (int i = 0; i < hold->point->system->n; i++) speed = fmax(speed, fabs(v[i]));
  return 10 * hold->tolerance * speed;
}

bool dls_hold_positions(dls_hold *hold, const bool *on, double t, double *q, const double *v,
                        dls_message *message)
{
  bool factored = false;
  return reach(hold, on, hold->point->values->h, hold->tolerance, t, q, v, q, NULL, &factored,
               message);
}

bool dls_hold_velocities(dls_hold *hold, const bool *on, double t, const double *q, double *v,
                         dls_message *message)
{
  bool factored = false;
  return reach(hold, on, hold->point->values->h_dot, rate_tolerance(hold, v), t, q, v, v, NULL,
               &factored, message);
}

bool dls_hold_state(dls_hold *hold, const bool *on, double t, double *q, double *v,
                    dls_message *message)
{
  bool factored = false;
  const dls_values *values = hold->point->values;
  return reach(hold, on, values->h, hold->tolerance, t, q, v, q, v, &factored, message) &&
         reach(hold, on, values->h_dot, rate_tolerance(hold, v), t, q, v, v, NULL, &factored,
               message);
}
