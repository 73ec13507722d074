// Moreau's scheme, then the coordinates back to where nothing penetrates:            eq (mor.2)
//
//   q1 <- q1 + A^-1 G tau,  0 <= g(q1) _|_ tau >= 0,  h_b(q1) = 0
//
// by linearizations of g, each of them a problem of contacts without friction. The velocities stay,
// but for bilateral constraints. Contacts that press and stay were closed all the time: what opened
// them a little is that normals turn within the step, and g = 0 there, where that can be.
//
// A body that comes to rest bounces lower and lower. What falls back within a step would be put
// back at its end, for ever: such contacts of bodies do not bounce.
//
// Contacts that are closed and not predicted to press may be driven down by the impulses of others
// within the step: at its end they approach, so fast that the gap lasted for a hundredth of the
// step at most. Then it is made again with them. Two feet of a body would else be put down and put
// back in turn, for ever.
#include "step/contact_set.h"

#include "base/memory.h"

#include <math.h>

enum { MAX_STEPS = 50 };

static const double NEAR = 10;      // times the deepest penetration: gaps that it may close
static const double DRIVEN = 0.01;  // of a step: gaps that the rate at its end closes

typedef struct projected {
  bool *closing, *resting;  // m
  double *q;                // n: before they were closed
  double *fall;             // m: how gaps accelerate without contacts, downwards
  bool *gaps;               // m: those that have gaps; NULL: all have
} projected;

// How far g is from 0 <= g _|_ tau >= 0, relative to what may stay: up to 1 it is there.
static double violation(const dls_integrator *g)
{
  const dls_step_problem *c = g->moreau->contacts;
  double most = 0;
  for (int j = 0; j < g->system->m; j++) {
    const double h = g->point.values->h[j];
    const int i = c->of[j];
    const bool pushed = i < 0 || g->moreau->bilateral[j] ||
                        (c->frictionless && c->active[i] && c->r[i * c->dimension] > 0);
    const double miss = pushed ? fabs(h) : -h;
    if (miss > 0)
      most = fmax(most, miss / dls_projector_gap_tolerance(&g->point, &g->options, j, g->q1));
  }
  return most;
}

// Contacts near by take part, and those that push already.
static void linearize(dls_integrator *g, bool again, double *w)
{
  dls_step_problem *c = g->moreau->contacts;
  double near = 0;
  for (int i = 0; i < c->count; i++) near = fmax(near, -NEAR * g->point.values->h[c->contact[i]]);
  c->frictionless = true;
  for (int i = 0; i < c->count; i++) {
    const int j = c->contact[i];
    const double h = g->point.values->h[j];
    if (!again)
      for (int k = 0; k < c->dimension; k++) c->r[i * c->dimension + k] = 0;
    c->active[i] = g->moreau->bilateral[j] || h <= near || c->r[i * c->dimension] > 0;
    dls_step_problem_set_law(c, i, false);
    for (int k = 0; k < c->dimension; k++) w[i * c->dimension + k] = 0;
    w[i * c->dimension] = h;
  }
}

// A = M + h theta dR/dv + (h theta)^2 dR/dq, without forces of contacts: coordinates that stiff
// springs hold together move together. M where that is of no use.
static bool factor(dls_integrator *g, double t, double h, bool stiff)
{
  const projected *w = g->self;
  dls_moreau *m = g->moreau;
  const double part = m->theta * h;
  m->factored = false;
  if (stiff && part > 0 && dls_step_kkt_differentiated(m->kkt)) {
    dls_clear(m->a, g->system->n);
    dls_clear(m->lambda, g->system->m);
    dls_clear(m->tau, g->system->tangents);
    if (dls_snapshot_differentiate(&g->point, t, g->q1, g->v1, m->a, m->lambda, m->tau, NULL) &&
        dls_step_kkt_factor(m->kkt, part, part * part, 0, w->gaps))
      return true;
  }
  return dls_step_kkt_factor(m->kkt, 0, 0, 0, w->gaps);
}

static dls_failure project(dls_integrator *g, double t, dls_message *message)
{
  dls_moreau *m = g->moreau;
  dls_step_problem *c = m->contacts;
  const int n = g->system->n;
  double now = violation(g);
  bool stiff = true;
  for (int step = 0; step < MAX_STEPS && now > 1; step++) {
    linearize(g, step > 0, m->w);
    if (!factor(g, t, t - g->t, stiff)) return DLS_FAILURE_SINGULAR;
    int held;
    const int *contact = dls_step_kkt_held(m->kkt, &held);
    dls_clear(m->x, n);
    for (int k = 0; k < held; k++) m->x[n + k] = -g->point.values->h[contact[k]];
    dls_step_kkt_solve(m->kkt, m->x);
    if (!dls_step_problem_correct(c, step > 0, false, m->w, m->x)) {
      if (!stiff) return DLS_FAILURE_CONSTRAINT;
      stiff = false;
      continue;
    }
    for (int i = 0; i < n; i++) g->q1[i] += m->x[i];
    if (!dls_snapshot_evaluate(&g->point, t, g->q1, g->v1, message)) return DLS_FAILURE_NUMBER;
    now = violation(g);
  }
  return now <= 1 ? DLS_FAILURE_NONE : DLS_FAILURE_CONSTRAINT;
}

// Contacts that pressed, and not because they bounce. False: there are none.
static bool find_resting(const dls_integrator *g, bool *resting)
{
  const dls_moreau *m = g->moreau;
  bool any = false;
  for (int j = 0; j < g->system->m; j++) {
    const bool pressed = g->impulse1[j + g->point.first[j]] > 0;
    const bool bounced = fabs(m->bounce[j]) > g->options.rest;
    resting[j] = m->bilateral[j] || (pressed && !bounced);
    any |= resting[j] && !m->bilateral[j] && g->point.values->h[j] > g->projector.tolerance;
  }
  return any;
}

// Back to g = 0 where contacts rest; where that cannot be, nothing changes.
static dls_failure close_resting(dls_integrator *g, double t, dls_message *message)
{
  const ptrdiff_t n = g->system->n;
  projected *w = g->self;
  if (!find_resting(g, w->resting)) return DLS_FAILURE_NONE;
  dls_copy(w->q, g->q1, n);
  if (dls_projector_positions(&g->projector, w->resting, t, g->q1, g->v1, message) &&
      violation(g) <= 1)
    return DLS_FAILURE_NONE;
  dls_copy(g->q1, w->q, n);
  return dls_snapshot_evaluate(&g->point, t, g->q1, g->v1, message) ? DLS_FAILURE_NONE
                                                                    : DLS_FAILURE_NUMBER;
}

static dls_status create(dls_integrator *g, dls_message *message)
{
  (void)message;
  projected *w = g->self = dls_arena_alloc(g->arena, 1, sizeof *w);
  bool *flags = dls_arena_alloc(g->arena, 3 * (ptrdiff_t)g->system->m + 1, sizeof(bool));
  if (!w || !flags) return DLS_ERR_MEMORY;
  w->closing = flags, w->resting = flags + g->system->m;
  if (g->point.gapless) w->gaps = w->resting + g->system->m;
  for (int j = 0; j < g->system->m && w->gaps; j++)
    w->gaps[j] = !g->system->contacts[j].rolling && !g->system->contacts[j].dry;
  w->q = dls_arena_alloc(g->arena, (ptrdiff_t)g->system->n + 1, sizeof(double));
  w->fall = dls_arena_alloc(g->arena, (ptrdiff_t)g->system->m + 1, sizeof(double));
  return w->q && w->fall ? dls_projector_create(&g->point, &g->options, NULL, &g->projector)
                         : DLS_ERR_MEMORY;
}

// Where the point stands.
static bool find_fall(dls_integrator *g)
{
  const projected *w = g->self;
  dls_moreau *m = g->moreau;
  const int n = g->system->n;
  int held;
  const int *contact = dls_step_kkt_held(m->kkt, &held);
  m->factored = false;
  if (!dls_step_kkt_factor(m->kkt, 0, 0, 0, NULL)) return false;
  for (int i = 0; i < n; i++) m->x[i] = -g->point.values->F[i];
  for (int k = 0; k < held; k++) m->x[n + k] = -g->point.values->b_n[contact[k]];
  dls_step_kkt_solve(m->kkt, m->x);
  for (int j = 0; j < g->system->m; j++)
    w->fall[j] = -dls_snapshot_Jt_times(&g->point, j, 0, m->x) - g->point.values->b_n[j];
  return true;
}

// Contacts that took no part, and should have. How many are new.
static int driven_down(const dls_integrator *g, double h, bool *closing)
{
  const dls_moreau *m = g->moreau;
  int found = 0;
  for (int i = 0; i < m->contacts->count; i++) {
    const int j = m->contacts->contact[i];
    const double rate = g->point.values->h_dot[j];
    if (m->contacts->active[i] || !(rate < 0)) continue;
    if (m->gap[j] > m->closed && m->gap[j] + DRIVEN * h * rate > 0) continue;
    closing[j] = true;
    found++;
  }
  return found;
}

static dls_failure advance(dls_integrator *g, double t1, double *end, dls_message *message)
{
  dls_moreau *m = g->moreau;
  projected *w = g->self;
  dls_failure failure = DLS_FAILURE_NONE;
  *end = t1;
  dls_clear(w->closing, g->system->m);
  m->fall = g->set && find_fall(g) ? w->fall : NULL;
  for (bool again = true; again && failure == DLS_FAILURE_NONE;) {
    dls_copy(g->impulse1, g->impulse, g->impulses);
    m->closing = w->closing;
    failure = dls_moreau_step(m, g->t, t1 - g->t, g->q, g->v, g->impulse1, g->q1, g->v1, message);
    m->closing = NULL;
    again = failure == DLS_FAILURE_NONE && driven_down(g, t1 - g->t, w->closing) > 0;
    if (again && !dls_snapshot_evaluate(&g->point, g->t, g->q, g->v, message))
      failure = DLS_FAILURE_NUMBER;
  }
  m->fall = NULL;
  if (failure == DLS_FAILURE_NONE && g->set &&
      dls_contact_set_drop_false(g, t1, g->q1, g->v1, message) != DLS_OK)
    failure = DLS_FAILURE_NUMBER;
  if (failure == DLS_FAILURE_NONE) failure = project(g, t1, message);
  if (failure == DLS_FAILURE_NONE) failure = close_resting(g, t1, message);
  if (failure != DLS_FAILURE_NONE) return failure;
  return dls_projector_velocities(&g->projector, m->bilateral, t1, g->q1, g->v1, message)
             ? DLS_FAILURE_NONE
             : DLS_FAILURE_CONSTRAINT;
}

const dls_scheme dls_scheme_moreau_projected = {
    {"moreau-projected", "Moreau's scheme without penetration at the end of a step", 1, false,
     false},
    create,
    NULL,
    advance,
    false,
    NULL};
