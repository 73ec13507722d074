// What the tolerance of the state leaves open of the gradients.                   eq (num.3)
//
// One coordinate after the other goes as far to both sides as moves a gap by the tolerance; the
// larger change of the gradients counts.
#include "verify/checks.h"

#include "base/memory.h"

#include <math.h>

typedef struct shift {
  dls_trial *x;
  const dls_system *system;
  dls_values value;
  double *q;  // n
} shift;

// Does the gradient of some closed contact change with the coordinate?
static bool matters(const dls_pattern *P, int contact, int coordinate)
{
  for (int e = P->p[contact]; e < P->p[contact + 1]; e++)
    if (P->i[e] == coordinate) return true;
  return false;
}

// Contacts of the model: what weights press has gradients that never change.
static int contacts_of(const dls_trial *x)
{
  return x->state->problem.m_b + x->state->problem.m_u;
}

// How far the coordinate goes: its contact that feels it most moves by the tolerance.
static double step_of(const shift *s, int coordinate)
{
  const dls_data *d = &s->x->data;
  const dls_pattern *P = s->system->derivative ? &s->system->derivative->D_q : &s->system->normal;
  double unit = INFINITY;
  for (int j = 0; j < contacts_of(s->x); j++) {
    if (!matters(P, s->x->state->closed[j], coordinate)) continue;
    double length = 0;
    for (int i = 0; i < d->n; i++) length = hypot(length, d->D[i] * d->g[j][i]);
    if (length > 0) unit = fmin(unit, 1 / length);
  }
  const double step = s->x->saved->tolerance * d->D[coordinate] * unit;
  return isfinite(step) ? step : 0;
}

// Sum of squares of the scaled changes after a step.
static double squares_after(const shift *s, int coordinate, double step)
{
  const dls_data *d = &s->x->data;
  const dls_seen_state *at = s->x->state;
  const dls_pattern *G = &s->system->normal;
  double sum = 0;
  dls_copy(s->q, at->q, at->n);
  s->q[coordinate] += step;
  if (s->system->evaluate(s->system->self, at->t, s->q, at->v, &s->value, NULL, NULL) != DLS_OK)
    return 0;
  for (int j = 0; j < contacts_of(s->x); j++) {
    const int contact = at->closed[j];
    for (int e = G->p[contact]; e < G->p[contact + 1]; e++) {
      const double change = d->D[G->i[e]] * d->C[j] * (s->value.G[e] - d->g[j][G->i[e]]);
      if (isfinite(change)) sum += change * change;
    }
  }
  return sum;
}

double dls_gradient_ambiguity(dls_trial *x)
{
  shift s = {.x = x, .system = x->system};
  s.q = dls_trial_alloc(x, x->data.n, sizeof *s.q);
  if (!s.q || !dls_values_carve(x->system, x->arena, &s.value)) {
    x->out_of_memory = true;
    return 0;
  }
  double sum = 0;
  for (int i = 0; i < x->state->n; i++) {
    const double step = step_of(&s, i);
    if (step > 0) sum += fmax(squares_after(&s, i, step), squares_after(&s, i, -step));
  }
  return sqrt(sum);
}
