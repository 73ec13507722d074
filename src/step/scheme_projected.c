// Moreau's scheme, then the coordinates back to where nothing penetrates:            eq (mor.2)
//
//   q1 <- q1 + M^-1 G tau,  0 <= g(q1) _|_ tau >= 0,  h_b(q1) = 0
//
// by linearizations of g, each of them a problem of contacts without friction. The velocities stay,
// but for bilateral constraints.
#include "step/scheme.h"

#include <math.h>
#include <string.h>

enum { MAX_STEPS = 50 };

static double penetration(const dls_integrator *g)
{
  double most = 0;
  for (int j = 0; j < g->system->m; j++) {
    const double h = g->point.values->h[j];
    const bool unilateral = g->system->contacts[j].kind == DLS_UNILATERAL;
    most = fmax(most, unilateral ? -h : fabs(h));
  }
  return most;
}

static void linearize(dls_integrator *g, double near, double *w)
{
  dls_contact_step *c = g->moreau->contacts;
  c->frictionless = true;
  for (int i = 0; i < c->count; i++) {
    const int j = c->contact[i];
    const double h = g->point.values->h[j];
    c->active[i] = g->moreau->bilateral[j] || h <= near;
    c->sliding[i] = false;
    for (int k = 0; k < c->dimension; k++) w[i * c->dimension + k] = 0;
    w[i * c->dimension] = h;
    for (int k = 0; k < c->dimension; k++) c->r[i * c->dimension + k] = 0;
  }
}

static dls_failure project(dls_integrator *g, double t, dls_message *message)
{
  dls_moreau *m = g->moreau;
  dls_contact_step *c = m->contacts;
  const int n = g->system->n;
  double now = penetration(g);
  for (int step = 0; step < MAX_STEPS && now > g->hold.tolerance; step++) {
    linearize(g, 10 * now, m->w);
    m->factored = false;
    if (!dls_balance_factor(m->balance, 0, 0, 0, NULL)) return DLS_FAILURE_SINGULAR;
    int held;
    const int *contact = dls_balance_held(m->balance, &held);
    memset(m->x, 0, (size_t)n * sizeof(double));
    for (int k = 0; k < held; k++) m->x[n + k] = -g->point.values->h[contact[k]];
    dls_balance_solve(m->balance, m->x);
    if (!dls_contact_step_meet(c, m->w, m->x)) return DLS_FAILURE_CONSTRAINT;
    for (int i = 0; i < n; i++) g->q1[i] += m->x[i];
    if (!dls_snapshot_evaluate(&g->point, t, g->q1, g->v1, message)) return DLS_FAILURE_NUMBER;
    now = penetration(g);
  }
  if (!(now <= g->hold.tolerance)) return DLS_FAILURE_CONSTRAINT;
  return dls_hold_velocities(&g->hold, m->bilateral, t, g->q1, g->v1, message)
             ? DLS_FAILURE_NONE
             : DLS_FAILURE_CONSTRAINT;
}

static dls_failure advance(dls_integrator *g, double t1, double *end, dls_message *message)
{
  *end = t1;
  const dls_failure failure =
      dls_moreau_step(g->moreau, g->t, t1 - g->t, g->q, g->v, g->impulse1, g->q1, g->v1, message);
  return failure == DLS_FAILURE_NONE ? project(g, t1, message) : failure;
}

const dls_scheme dls_scheme_moreau_projected = {
    {"moreau-projected", "Moreau's scheme without penetration at the end of a step", 1, false,
     false},
    NULL,
    NULL,
    advance,
    false};
