#include "step/snapshot.h"

#include <delassus/model.h>

#include "base/memory.h"
#include "contact/values.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>

dls_status dls_snapshot_create(const dls_system *system, dls_snapshot *point)
{
  *point = (dls_snapshot){.system = system, .checked = dls_system_model(system) != NULL};
  dls_status status = dls_values_create(system, &point->values);
  if (status == DLS_OK && system->derivative)
    status = dls_derivatives_create(system, &point->derivatives);
  point->first = dls_alloc((ptrdiff_t)system->m + 1, sizeof(int));
  point->spare = dls_alloc((ptrdiff_t)system->m + 1, sizeof(bool));
  point->absent = dls_alloc((ptrdiff_t)system->m + 1, sizeof(bool));
  if (status == DLS_OK && !(point->first && point->spare && point->absent)) status = DLS_ERR_MEMORY;
  if (status != DLS_OK) {
    dls_snapshot_free(point);
    return status;
  }
  for (int j = 0; j < system->m; j++) {
    point->first[j + 1] = point->first[j] + system->contacts[j].tangents;
    point->gapless |= system->contacts[j].rolling || system->contacts[j].dry;
    point->statics |= system->contacts[j].has_static;
  }
  return DLS_OK;
}

void dls_snapshot_free(dls_snapshot *point)
{
  dls_values_free(point->values);
  dls_derivatives_free(point->derivatives);
  free(point->first);
  free(point->spare);
  free(point->absent);
  *point = (dls_snapshot){0};
}

static bool laws_hold(const dls_snapshot *point)
{
  const dls_values *x = point->values;
  for (int j = 0; j < point->system->m; j++) {
    if (!(x->friction[j] >= 0 && x->friction_force[j] >= 0 && x->restitution[j] >= 0)) return false;
    if (point->system->contacts[j].has_static && !(x->static_friction[j] >= 0)) return false;
  }
  return true;
}

bool dls_snapshot_stopped(dls_snapshot *point)
{
  const dls_integrator_options *o = point->watched;
  if (o && point->trouble == DLS_OK && o->watch(o->self, point->begin))
    point->trouble = DLS_ERR_STOPPED;
  return point->trouble == DLS_ERR_STOPPED;
}

// Their features are not where the solids are nearest: what a formula says there means nothing.
static void clear_absent(const dls_snapshot *point)
{
  const dls_system *s = point->system;
  const dls_values *x = point->values;
  for (int j = 0; j < s->m; j++) {
    if (!point->absent[j]) continue;
    x->h[j] = DLS_FAR_APART, x->h_dot[j] = x->b_n[j] = 0;
    for (int e = s->normal.p[j]; e < s->normal.p[j + 1]; e++) x->G[e] = 0;
    for (int k = point->first[j]; k < point->first[j + 1]; k++) {
      x->slip[k] = x->b_t[k] = 0;
      for (int e = s->tangent.p[k]; e < s->tangent.p[k + 1]; e++) x->H[e] = 0;
    }
  }
}

// Scaled to 1, a gradient that is rounding would lead far away. Nothing changes what it misses.
static void clear_noise(const dls_snapshot *point)
{
  const dls_system *s = point->system;
  for (int j = 0; j < s->m && s->contacts[j].kind == DLS_BILATERAL; j++) {
    double *G = point->values->G + s->normal.p[j];
    const int entries = s->normal.p[j + 1] - s->normal.p[j];
    if (!(point->noise[j] > 0 && dls_norm_max(entries, G) <= point->noise[j])) continue;
    dls_clear(G, entries);
    point->values->h[j] = point->values->h_dot[j] = point->values->b_n[j] = 0;
  }
}

bool dls_snapshot_evaluate(dls_snapshot *point, double t, const double *q, const double *v,
                           dls_message *message)
{
  const dls_system *s = point->system;
  if (dls_snapshot_stopped(point)) return false;
  point->counts.rhs_evaluations++;
  if (s->evaluate(s->self, t, q, v, point->values, NULL, message) != DLS_OK) return false;
  if (s->find) clear_absent(point);
  if (point->noise) clear_noise(point);
  return (point->checked && laws_hold(point)) ||
         dls_values_check(s, point->values, message) == DLS_OK;
}

bool dls_snapshot_differentiate(dls_snapshot *point, double t, const double *q, const double *v,
                                const double *a, const double *lambda, const double *tau,
                                dls_message *message)
{
  const dls_system *s = point->system;
  point->counts.derivatives++;
  return s->differentiate(s->self, t, q, v, a, lambda, tau, point->derivatives, message) == DLS_OK;
}

void dls_snapshot_mass(const dls_snapshot *point, const double *x, double *y)
{
  const dls_pattern *pattern = &point->system->mass;
  dls_clear(y, pattern->cols);
  for (int j = 0; j < pattern->cols; j++)
    for (int e = pattern->p[j]; e < pattern->p[j + 1]; e++)
      y[pattern->i[e]] += point->values->M[e] * x[j];
}

void dls_snapshot_diagonal(const dls_snapshot *point, int *diagonal)
{
  const dls_pattern *M = &point->system->mass;
  for (int j = 0; j < M->cols; j++) {
    diagonal[j] = -1;
    for (int e = M->p[j]; e < M->p[j + 1]; e++)
      if (M->i[e] == j) diagonal[j] = e;
  }
}
