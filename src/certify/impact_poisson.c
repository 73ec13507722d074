// An impact by Poisson's law: two contact problems in jumps of the velocities, one after the other.
//
//   compression:  Moreau's law with e = 0                                              eq (poi.1)
//   restitution:  percussions e p_c push, and more where a contact would close again   eq (poi.2)
//
// All solutions of the first are looked for and proven, as of Moreau's law; the second starts from
// the one that is shown.
#include "certify/impact.h"

#include "base/memory.h"
#include "certify/tolerances.h"

#include <math.h>

typedef struct phase {
  dls_impact_work *x;
  const dls_impact_motion *first;
  double *percussion;  // m_u: e p_c
  int *weighed, weights;
  dls_problem problem;
  const dls_solution *solution;
} phase;

static dls_status begin(phase *r)
{
  dls_impact_work *x = r->x;
  const dls_impact *o = x->out;
  const ptrdiff_t m_u = o->m_u;
  double *percussion = dls_arena_alloc(x->arena, m_u, sizeof *percussion);
  double *normal = dls_arena_alloc(x->arena, m_u, sizeof *normal);
  double *slip = dls_arena_alloc(x->arena, o->tangents, sizeof *slip);
  r->weighed = dls_arena_alloc(x->arena, m_u, sizeof *r->weighed);
  if (!percussion || !normal || !slip || !r->weighed) return DLS_ERR_MEMORY;
  for (ptrdiff_t j = 0; j < m_u; j++) {
    percussion[j] = o->E[j * (m_u + 1)] * r->first->p_u[j];
    normal[j] = r->first->normal_after[j];
  }
  if (o->tangents) dls_copy(slip, r->first->slip_after, o->tangents);
  r->percussion = percussion;
  const dls_impact_velocities before = {normal, slip};
  return dls_restitution_problem_create(&x->problem, &before, percussion, x->arena, &r->problem,
                                        r->weighed, &r->weights);
}

// Of contact j in the second phase: by p' where there is some, else by its weight.
static int mode_of(const phase *r, int j)
{
  const dls_problem *p = &r->x->problem;
  const dls_solution *s = r->solution;
  const int own = s->mode ? s->mode[j] & ~DLS_MODE_PULLING : DLS_MODE_CLOSED;
  if (j < p->m_b || own != DLS_MODE_DETACH) return own;
  for (int k = 0; k < r->weights; k++)
    if (r->weighed[k] == j - p->m_b) return s->mode[p->m_b + p->m_u + k];
  return r->first->p_u[j - p->m_b] > 0 ? DLS_MODE_CLOSED : DLS_MODE_DETACH;
}

// Both phases together.
static dls_status add_up(phase *r, dls_impact_motion *total)
{
  dls_impact_work *x = r->x;
  const dls_problem *p = &x->problem;
  const dls_solution *s = r->solution;
  const int closed = p->m_b + p->m_u, tangents = x->out->tangents;
  double *jump = dls_arena_alloc(x->arena, p->n, sizeof *jump);
  double *p_b = dls_arena_alloc(x->arena, p->m_b, sizeof *p_b);
  double *p_u = dls_arena_alloc(x->arena, p->m_u, sizeof *p_u);
  double *p_t = dls_arena_alloc(x->arena, tangents, sizeof *p_t);
  double *above = dls_arena_alloc(x->arena, p->m_u, sizeof *above);
  unsigned char *mode = dls_arena_alloc(x->arena, closed, 1);
  if (!jump || !p_b || !p_u || !p_t || !above || !mode) return DLS_ERR_MEMORY;
  for (int i = 0; i < p->n; i++) jump[i] = r->first->jump[i] + s->acceleration[i];
  for (int j = 0; j < p->m_b; j++) p_b[j] = r->first->p_b[j] + s->lambda_b[j];
  for (int j = 0; j < p->m_u; j++) {
    p_u[j] = r->first->p_u[j] + r->percussion[j] + s->lambda_u[j];
    above[j] = s->a_u[j];
  }
  for (int k = 0; k < tangents; k++) p_t[k] = r->first->p_t[k] + s->tau[k];
  int slip = tangents;
  for (int k = 0; k < r->weights; k++) {
    const int j = p->m_b + r->weighed[k];
    for (int l = p->friction->first[j]; l < p->friction->first[j + 1]; l++)
      p_t[l] += s->tau[slip++];
  }
  for (int j = 0; j < closed; j++) mode[j] = (unsigned char)mode_of(r, j);
  const dls_impact_point point = {jump, p_b, p_u, p_t, above, mode};
  return dls_impact_move(x, &x->out->moreau.problem, &point, total);
}

static dls_continuum worse(dls_continuum a, dls_continuum b)
{
  if (a == DLS_CONTINUUM_UNKNOWN || b == DLS_CONTINUUM_UNKNOWN) return DLS_CONTINUUM_UNKNOWN;
  return a == DLS_CONTINUUM_NONE ? b : a;
}

static dls_status take_second(phase *r, const dls_check *check)
{
  dls_impact_work *x = r->x;
  dls_impact *o = x->out;
  o->second_count = check->solution_count;
  const int count = check->solution ? check->solutions : 0;
  if (count == 0) return DLS_OK;
  r->solution = &check->solution[0];
  dls_impact_motion *total = dls_arena_alloc(x->arena, 1, sizeof *total);
  if (!total) return DLS_ERR_MEMORY;
  dls_status status = add_up(r, total);
  if (status != DLS_OK) return status;
  double residual;
  const dls_solution *s = r->solution;
  status = dls_coulomb_residual(&r->problem, s->acceleration, s->lambda_b, s->lambda_u, s->tau,
                                &residual);
  total->residual = residual >= r->first->residual ? residual : r->first->residual;
  total->continuum = worse(r->first->continuum, s->mode ? s->continuum : DLS_CONTINUUM_UNKNOWN);
  o->compression = r->first;
  o->law = DLS_LAW_POISSON, o->motion = total;
  return status;
}

dls_status dls_impact_poisson(dls_impact_work *x, const dls_impact_options *options,
                              dls_check **check, dls_message *message)
{
  dls_impact *o = x->out;
  phase r = {.x = x};
  o->poisson = true, o->second_count = -1;
  if (o->moreau.motions == 0) return DLS_OK;
  r.first = o->moreau.motion;
  dls_status status = begin(&r);
  if (status != DLS_OK) return status;
  dls_check_options how = dls_check_defaults();
  how.tolerance = options->tolerance, how.max_modes = options->max_modes;
  how.watch = options->watch, how.self = options->self;
  how.ask = (DLS_ASK(DLS_FORCES_UNIQUE + 1) - 1) | DLS_ASK_SOLUTIONS;
  status = dls_check_run(&r.problem, &how, check, message);
  return status == DLS_OK ? take_second(&r, *check) : status;
}
