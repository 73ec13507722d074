#include "contact/impact_problem.h"

#include <math.h>

dls_status dls_impact_velocities_create(const dls_contact_state *s, dls_arena *arena,
                                        dls_impact_velocities *before)
{
  const dls_problem *p = &s->problem;
  const dls_friction *f = p->friction;
  *before = (dls_impact_velocities){
      .normal = dls_arena_alloc(arena, p->m_u, sizeof(double)),
      .slip = dls_arena_alloc(arena, f ? (ptrdiff_t)f->tangents : 0, sizeof(double))};
  if (!before->normal || !before->slip) return DLS_ERR_MEMORY;
  for (int j = 0; j < p->m_u; j++) {
    const dls_contact *c = &s->contacts[s->unilateral_contact[j]];
    if (c->status == DLS_IMPACTING) before->normal[j] = c->normal_velocity;
  }
  for (int j = 0; f && j < p->m_b + p->m_u; j++) {
    const int at = j < p->m_b ? s->bilateral_contact[j] : s->unilateral_contact[j - p->m_b];
    const dls_contact *c = &s->contacts[at];
    if (hypot(c->slip[0], c->slip[1]) <= s->rest) continue;
    for (int k = f->first[j]; k < f->first[j + 1]; k++) before->slip[k] = c->slip[k - f->first[j]];
  }
  return DLS_OK;
}

// No contact slides in a known direction: the impact may turn it, or end it.
static dls_status impact_friction(const dls_problem *p, const dls_impact_velocities *before,
                                  dls_arena *arena, dls_problem *out)
{
  const dls_friction *given = p->friction;
  const ptrdiff_t m = (ptrdiff_t)p->m_b + p->m_u;
  if (!given) return DLS_OK;
  dls_friction *f = dls_arena_alloc(arena, 1, sizeof *f);
  bool *sliding = dls_arena_alloc(arena, m, sizeof *sliding);
  double *xi = dls_arena_alloc(arena, given->tangents, sizeof *xi);
  if (!f || !sliding || !xi) return DLS_ERR_MEMORY;
  *f = *given;
  f->b_t = before->slip, f->xi = xi, f->sliding = sliding;
  out->friction = f;
  return DLS_OK;
}

dls_status dls_impact_problem_create(const dls_problem *p, const dls_impact_velocities *before,
                                     const double *E, dls_arena *arena, dls_problem *problem)
{
  const ptrdiff_t m_u = p->m_u;
  double *F = dls_arena_alloc(arena, p->n, sizeof *F);
  double *b_b = dls_arena_alloc(arena, p->m_b, sizeof *b_b);
  double *b_u = dls_arena_alloc(arena, m_u, sizeof *b_u);
  if (!F || !b_b || !b_u) return DLS_ERR_MEMORY;
  for (ptrdiff_t i = 0; i < m_u; i++) {
    long double sum = before->normal[i];
    for (ptrdiff_t j = 0; j < m_u; j++) sum += (long double)E[i + m_u * j] * before->normal[j];
    b_u[i] = (double)sum;
  }
  *problem = *p;
  problem->F = F, problem->b_b = b_b, problem->b_u = b_u;
  return impact_friction(p, before, arena, problem);
}
