#include "step/hold.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STEPS = 20 };

dls_status dls_hold_create(dls_snapshot *point, double tolerance, dls_hold *hold)
{
  *hold = (dls_hold){.point = point, .tolerance = tolerance};
  const int m = point->system->m;
  bool *all = dls_alloc((size_t)m + 1, sizeof(bool));
  if (!all) return DLS_ERR_MEMORY;
  for (int j = 0; j < m; j++) all[j] = true;
  dls_status status = dls_balance_create(point, all, &hold->balance);
  free(all);
  if (status != DLS_OK) return status;
  hold->d = dls_alloc((size_t)dls_balance_size(hold->balance) + 1, sizeof(double));
  return hold->d ? DLS_OK : DLS_ERR_MEMORY;
}

void dls_hold_free(dls_hold *hold)
{
  dls_balance_free(hold->balance);
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

// The smallest change, in the kinetic metric, that takes the rows from h to zero.
static void correct(dls_hold *hold, const bool *on, const double *h, double *x)
{
  const int n = hold->point->system->n;
  memset(hold->d, 0, (size_t)dls_balance_size(hold->balance) * sizeof(double));
  int held;
  const int *contact = dls_balance_held(hold->balance, &held);
  for (int k = 0; k < held; k++)
    if (on[contact[k]]) hold->d[n + k] = -h[contact[k]];
  dls_balance_solve(hold->balance, hold->d);
  for (int i = 0; i < n; i++) x[i] += hold->d[i];
}

// Steps towards h = 0 in x, which is q or v; the matrix is made anew where they become slow.
static bool reach(dls_hold *hold, const bool *on, const double *h, double t, const double *q,
                  const double *v, double *x, dls_message *message)
{
  double now = largest(hold, on, h);
  bool anew = true;
  for (int k = 0; k < MAX_STEPS && now > hold->tolerance; k++) {
    if (anew && !dls_balance_factor(hold->balance, 0, 0, 0, on)) return false;
    correct(hold, on, h, x);
    if (!dls_snapshot_evaluate(hold->point, t, q, v, message)) return false;
    const double before = now;
    now = largest(hold, on, h);
    if (!(now < before)) return now <= 100 * hold->tolerance;
    anew = now > 0.01 * before;
  }
  return now <= hold->tolerance;
}

bool dls_hold_positions(dls_hold *hold, const bool *on, double t, double *q, const double *v,
                        dls_message *message)
{
  return reach(hold, on, hold->point->values->h, t, q, v, q, message);
}

bool dls_hold_velocities(dls_hold *hold, const bool *on, double t, const double *q, double *v,
                         dls_message *message)
{
  return reach(hold, on, hold->point->values->h_dot, t, q, v, v, message);
}
