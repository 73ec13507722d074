// Schatzman and Paoli's scheme: the coordinates themselves are kept from penetrating. eq (mor.3)
//
//   M (w1 - w0) + h F = G P + H P_T,   w1 = (q1 - q0) / h,  w0 = (q0 - q_before) / h
//   0 <= g(s, x) _|_ P >= 0,  x = (q1 + e q_before) / (1 + e),  G at x,  s the same mean of times
//   v1 = (q1 - q_before) / 2 h
//   A w1 + a = 0 of rolling constraints, with A and a at t + h / 2 and (q0 + q1) / 2
//
// M, F and H are taken at t, q0 and (w0 + w1) / 2, which makes the scheme the central difference
// while nothing touches. In friction's law the slip is H^T w1. The nonlinear complementarity
// problem is solved by linearizations of g; per contact (1 + e) g(x) / h = 0 stands in for a normal
// velocity. What the scheme remembers is w1, and the restitution of contacts that began to
// press, while they approach: an impact takes a few steps, with velocities that are none of before.
#include "step/scheme.h"

#include "base/memory.h"
#include "base/message.h"
#include "step/tolerances.h"

#include <float.h>
#include <math.h>

enum { MAX_STEPS = 60 };

static const double ROUNDINGS = 4;  // of coordinates over h, where those of velocities count

typedef struct paoli {
  double *w0, *w1;     // n
  double *before, *x;  // n: q_before, and the point of a contact
  double *middle;      // n: (w0 + w1) / 2
  double *a, *lambda, *tau;
  double *gap;  // m: g(x)
  double *e;    // m: restitution, at the begin
  double *G;    // entries of the normals at x
  bool *done;   // m
  bool heavy;   // every free motion has a mass
  bool hit;     // an impact by Poisson's law was before the step
} paoli;

static dls_status create(dls_integrator *g, dls_message *message)
{
  if (g->system->couplings > 0)
    return dls_fail(
        message, DLS_ERR_ARGUMENT,
        "the scheme schatzman-paoli has a restitution coefficient for each contact; the "
        "model has a restitution matrix, which all other schemes take");
  const ptrdiff_t n = g->system->n, m = g->system->m;
  const ptrdiff_t entries = g->system->normal.p[g->system->m];
  paoli *w = dls_arena_alloc(g->arena, 1, sizeof *w);
  double *memory =
      dls_arena_alloc(g->arena, 6 * n + 3 * m + g->system->tangents + entries + 1, sizeof(double));
  if (!w || !memory) return DLS_ERR_MEMORY;
  w->w0 = memory, w->w1 = w->w0 + n, w->before = w->w1 + n, w->x = w->before + n;
  w->middle = w->x + n, w->a = w->middle + n, w->lambda = w->a + n, w->gap = w->lambda + m;
  w->e = w->gap + m, w->tau = w->e + m, w->G = w->tau + g->system->tangents;
  w->done = dls_arena_alloc(g->arena, m + 1, sizeof(bool));
  dls_remember(g, DLS_MEMORY_WHOLE, g->system->n);
  dls_remember(g, DLS_MEMORY_CONTACT, 1);
  g->scheme_state = dls_arena_alloc(g->arena, n + m + 1, sizeof(double));
  if (!w->done || !g->scheme_state) return DLS_ERR_MEMORY;
  dls_copy(g->scheme_state, g->v, n);
  for (ptrdiff_t j = 0; j < m; j++) g->scheme_state[n + j] = -1;
  g->self = w;
  return dls_projector_create(&g->point, &g->options, g->moreau->bilateral, &g->projector);
}

// Gaps and normals of all contacts, each at its own point x: contacts of one restitution share it.
// So do their times: a contact that moves along with a body stays closed, and bounces as one at
// rest.
static bool evaluate_constraints(dls_integrator *g, double h, const double *q1,
                                 dls_message *message)
{
  paoli *w = g->self;
  const dls_system *s = g->system;
  dls_clear(w->done, s->m);
  for (int j = 0; j < s->m; j++) {
    if (w->done[j]) continue;
    const double e = w->e[j];
    for (int i = 0; i < s->n; i++) w->x[i] = (q1[i] + e * w->before[i]) / (1 + e);
    const double mean = g->t + h * (1 - e) / (1 + e);  // of t + h and t - h
    if (!dls_snapshot_evaluate(&g->point, mean, w->x, w->w1, message)) return false;
    for (int k = j; k < s->m; k++) {
      if (w->e[k] != e) continue;
      w->done[k] = true;
      w->gap[k] = g->point.values->h[k];
      for (int f = s->normal.p[k]; f < s->normal.p[k + 1]; f++) w->G[f] = g->point.values->G[f];
    }
  }
  return true;
}

// Rolling constraints in the middle of the step, where w1 is the velocity; h (A w1 + a) stands in
// for a gap.
static bool evaluate_rolling(dls_integrator *g, double h, const double *q1, dls_message *message)
{
  paoli *w = g->self;
  const dls_system *s = g->system;
  if (!g->point.gapless) return true;
  for (int i = 0; i < s->n; i++) w->x[i] = (g->q[i] + q1[i]) / 2;
  if (!dls_snapshot_evaluate(&g->point, g->t + h / 2, w->x, w->w1, message)) return false;
  for (int k = 0; k < s->m; k++) {
    if (!s->contacts[k].rolling) continue;
    w->gap[k] = h * g->point.values->h_dot[k];
    for (int f = s->normal.p[k]; f < s->normal.p[k + 1]; f++) w->G[f] = g->point.values->G[f];
  }
  return true;
}

// M, F, H at the step's begin with the middle velocity; normals from the points x.
static bool evaluate_balance(dls_integrator *g, double h, dls_message *message)
{
  paoli *w = g->self;
  const dls_system *s = g->system;
  for (int i = 0; i < s->n; i++) {
    w->middle[i] = (w->w0[i] + w->w1[i]) / 2;
    w->a[i] = (w->w1[i] - w->w0[i]) / h;
  }
  dls_copy(g->moreau->q_theta, g->q, s->n);
  dls_copy(g->moreau->v_theta, w->middle, s->n);
  if (!dls_snapshot_evaluate(&g->point, g->t, g->q, w->middle, message)) return false;
  if (g->point.derivatives && !dls_snapshot_differentiate(&g->point, g->t, g->q, w->middle, w->a,
                                                          w->lambda, w->tau, message))
    return false;
  dls_copy(g->point.values->G, w->G, (ptrdiff_t)s->normal.p[s->m]);
  return true;
}

// u without further impulses: (1 + e) g / h and the slips at w1; contacts that close take part.
static void set_laws(dls_integrator *g, double h)
{
  paoli *w = g->self;
  dls_moreau *m = g->moreau;
  dls_step_problem *c = m->contacts;
  const dls_snapshot *p = &g->point;
  for (int i = 0; i < c->count; i++) {
    const int j = c->contact[i];
    double *out = m->w + i * c->dimension;
    out[0] = (1 + w->e[j]) * w->gap[j] / h;
    for (int k = 1; k <= dls_step_problem_tangents(c, i); k++)
      out[k] = p->values->slip[p->first[j] + k - 1] - dls_snapshot_Jt_times(p, j, k, w->middle) +
               dls_snapshot_Jt_times(p, j, k, w->w1);
    const bool held = dls_moreau_holds(m, j);
    c->mu[i] = dls_snapshot_mu(p, j, held);
    c->bound[i] = h * dls_snapshot_given(p, j, held);
  }
}

// The step of Newton's method in w1.
static dls_failure iterate(dls_integrator *g, double h)
{
  paoli *w = g->self;
  dls_moreau *m = g->moreau;
  dls_step_problem *c = m->contacts;
  const int n = g->system->n;
  m->factored = false;
  if (!dls_step_kkt_factor(m->kkt, h / 2, 0, 0, NULL)) return DLS_FAILURE_SINGULAR;
  int held;
  const int *contact = dls_step_kkt_held(m->kkt, &held);
  for (int k = 0; k < held; k++)
    m->x[n + k] = g->point.spare[contact[k]] ? 0 : -w->gap[contact[k]] / h;
  dls_step_kkt_solve(m->kkt, m->x);
  for (int i = 0; i < c->count; i++) {  // those that the free motion would close, and keep them
    const double u =
        m->w[i * c->dimension] + dls_snapshot_Jt_times(&g->point, c->contact[i], 0, m->x);
    c->active[i] = c->active[i] || u <= 0 || w->gap[c->contact[i]] <= g->options.closed;
  }
  if (!dls_step_problem_meet(c, m->w, m->x)) return DLS_FAILURE_CONTACT;
  for (int i = 0; i < n; i++) w->w1[i] += m->x[i];
  for (int k = 0; k < held; k++) m->P_b[k] = m->x[n + k];
  return DLS_FAILURE_NONE;
}

// Constraints are met, what takes no part does not penetrate, and friction is that which the law
// was met with.
static bool is_solution(const dls_integrator *g, double h)
{
  const paoli *w = g->self;
  const dls_step_problem *c = g->moreau->contacts;
  const dls_pattern *G = &g->system->normal;
  for (int j = 0; j < g->system->m; j++) {
    const int i = c->of[j];
    const bool held = dls_moreau_holds(g->moreau, j);
    const double mu = dls_snapshot_mu(&g->point, j, held);
    if (i >= 0 && c->active[i]) {
      const double bound = h * dls_snapshot_given(&g->point, j, held);
      if (!(fabs(mu - c->mu[i]) <= velocity_missed * (1 + mu))) return false;
      if (!(fabs(bound - c->bound[i]) <= velocity_missed * bound)) return false;
      continue;
    }
    double speed = 0;
    for (int k = G->p[j]; k < G->p[j + 1]; k++) speed += fabs(w->G[k] * w->w1[G->i[k]]);
    const double near = g->projector.tolerance + g->options.tolerance * h * speed;
    if (w->gap[j] < -near || (i < 0 && w->gap[j] > near)) return false;
  }
  return true;
}

// The laws at w1, which set_laws left: gaps are coordinates over h, and round like them.
static bool laws_hold(dls_integrator *g, double h)
{
  const paoli *w = g->self;
  dls_moreau *m = g->moreau;
  const double rounding = way_rounding / (h * m->tolerance);
  for (int i = 0; i < g->system->n; i++) m->speed[i] = fabs(w->w1[i]) + rounding * fabs(g->q1[i]);
  return dls_moreau_laws_hold(m);
}

// By Poisson's law what is going to close within the step collides before it, with w0, and has no
// restitution then.                                                                   eq (poi.1)
static dls_failure collide(dls_integrator *g, double h, dls_message *message)
{
  paoli *w = g->self;
  dls_moreau *m = g->moreau;
  const double gamma = m->gamma;
  dls_copy(w->w0, g->scheme_state, g->system->n);
  if (!dls_snapshot_evaluate(&g->point, g->t, g->q, w->w0, message)) return DLS_FAILURE_NUMBER;
  m->gamma = 1;
  const bool chosen = dls_moreau_choose_contacts(m, h);
  m->gamma = gamma;
  if (!chosen) return DLS_FAILURE_CONTACT;
  const dls_failure failure = dls_moreau_collide(m, g->t, g->q, w->w0, &w->hit, message);
  if (failure != DLS_FAILURE_NONE) return failure;
  if (w->hit) dls_copy(g->scheme_state, dls_moreau_poisson_velocities(m), g->system->n);
  return dls_snapshot_evaluate(&g->point, g->t, g->q, g->v, message) ? DLS_FAILURE_NONE
                                                                     : DLS_FAILURE_NUMBER;
}

static void begin(dls_integrator *g, double h)
{
  paoli *w = g->self;
  dls_step_problem *c = g->moreau->contacts;
  for (int i = 0; i < g->system->n; i++) {
    w->w0[i] = w->w1[i] = g->scheme_state[i];
    w->before[i] = g->q[i] - h * w->w0[i];
  }
  for (int j = 0; j < g->system->m; j++) {
    const double kept = g->scheme_state[g->system->n + j];
    const double own = g->system->poisson ? 0 : g->point.values->restitution[j];
    w->e[j] = g->moreau->bilateral[j] ? 0 : kept >= 0 ? kept : own;
  }
  dls_moreau_begin_grips(g->moreau);
  for (int j = 0; j < g->system->m && g->moreau->grips; j++)  // slips of w0
    for (int k = g->point.first[j]; k < g->point.first[j + 1]; k++)
      g->moreau->grips->slip[k] +=
          dls_snapshot_Jt_times(&g->point, j, 1 + k - g->point.first[j], w->w0) -
          dls_snapshot_Jt_times(&g->point, j, 1 + k - g->point.first[j], g->v);
  dls_step_problem_gather(c, g->impulse1);
  for (int i = 0; i < c->count; i++) {
    c->active[i] = g->moreau->bilateral[c->contact[i]];
    dls_step_problem_set_law(c, i, false);
  }
  c->frictionless = false;
  dls_clear(w->lambda, g->system->m);
  dls_clear(w->tau, g->system->tangents);
}

static dls_failure finish(dls_integrator *g, double t1, double h, dls_message *message)
{
  paoli *w = g->self;
  for (int i = 0; i < g->system->n; i++) {
    g->v1[i] = (g->q1[i] - w->before[i]) / (2 * h);
    g->scheme_state[i] = w->w1[i];
  }
  dls_moreau_scatter(g->moreau, g->impulse1);
  if (w->hit) dls_moreau_poisson_add(g->moreau, g->impulse1);
  if (!dls_snapshot_evaluate(&g->point, t1, g->q1, g->v1, message)) return DLS_FAILURE_NUMBER;
  for (int j = 0; j < g->system->m; j++) {
    const bool pressed = g->impulse1[j + g->point.first[j]] != 0;
    const bool approaches = g->point.values->h_dot[j] < -g->options.rest;
    g->scheme_state[g->system->n + j] = pressed && approaches ? w->e[j] : -1;
  }
  return dls_projector_velocities(&g->projector, g->moreau->bilateral, t1, g->q1, g->v1, message)
             ? DLS_FAILURE_NONE
             : DLS_FAILURE_CONSTRAINT;
}

// Without a mass F at (w0 + w1) / 2 is all there is: w alternates about its mean, and where
// contacts open and close it grows without bound, however short the steps are.
static bool is_heavy(const dls_integrator *g)
{
  paoli *w = g->self;
  g->moreau->factored = false;
  return w->heavy || (w->heavy = dls_step_kkt_factor(g->moreau->kkt, 0, 0, 0, NULL));
}

static dls_failure advance(dls_integrator *g, double t1, double *end, dls_message *message)
{
  paoli *w = g->self;
  const double h = t1 - g->t;
  *end = t1;
  if (!is_heavy(g)) return DLS_FAILURE_SINGULAR;
  w->hit = false;
  if (g->system->poisson) {
    const dls_failure failure = collide(g, h, message);
    if (failure != DLS_FAILURE_NONE) return failure;
  }
  begin(g, h);
  for (int k = 0; k < MAX_STEPS; k++) {
    for (int i = 0; i < g->system->n; i++) g->q1[i] = g->q[i] + h * w->w1[i];
    if (!evaluate_constraints(g, h, g->q1, message)) return DLS_FAILURE_NUMBER;
    if (!evaluate_rolling(g, h, g->q1, message)) return DLS_FAILURE_NUMBER;
    if (!evaluate_balance(g, h, message)) return DLS_FAILURE_NUMBER;
    const bool solved = k > 0 && is_solution(g, h);
    set_laws(g, h);
    if (solved && laws_hold(g, h)) {
      for (int i = 0; i < g->system->n; i++)  // constraints round in coordinates, w1 is over h
        w->x[i] = fabs(w->w1[i]) + ROUNDINGS * fabs(g->q1[i]) / h;
      dls_moreau_residual(g->moreau, h, w->a, w->x);
      if (dls_moreau_imbalance(g->moreau, h) <= 1 && !dls_moreau_change_grips(g->moreau))
        return finish(g, t1, h, message);
    }
    dls_moreau_residual(g->moreau, h, w->a, w->w1);
    const dls_failure failure = iterate(g, h);
    if (failure != DLS_FAILURE_NONE) return failure;
  }
  return DLS_FAILURE_NEWTON;
}

static void recentre(dls_integrator *g, const double *before, double h)
{
  for (int i = 0; i < g->system->n; i++) g->scheme_state[i] = (g->q[i] - before[i]) / h;
}

const dls_scheme dls_scheme_schatzman_paoli = {
    {"schatzman-paoli",
     "Schatzman-Paoli: the law is on the coordinates, which do not penetrate but by restitution", 1,
     false, false},
    create,
    NULL,
    advance,
    false,
    recentre};
