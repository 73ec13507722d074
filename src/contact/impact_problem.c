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

// ---- Poisson's law ------------------------------------------------------------------------------

typedef struct restitution {
  const dls_problem *from;
  const dls_friction *f;
  const dls_impact_velocities *before;
  const double *percussion;
  dls_problem *to;
  dls_friction *friction;
  const int *weighed;
  int weights, tangents;
  double *M, *F, *G_b, *G_u, *b_b, *b_u, *H, *b_t, *mu, *mu_s, *zeros;
  int *first;
  bool *sliding;
} restitution;

static int tangents_at(const dls_friction *f, int contact)
{
  return f ? f->first[contact + 1] - f->first[contact] : 0;
}

static double most_friction(const dls_friction *f, int contact)
{
  return f->mu_s ? f->mu_s[contact] : f->mu[contact];
}

static bool take_restitution(restitution *r, dls_arena *arena)
{
  const dls_problem *p = r->from;
  const ptrdiff_t n = (ptrdiff_t)p->n + r->weights, m_u = (ptrdiff_t)p->m_u + r->weights;
  const ptrdiff_t m = p->m_b + m_u, tangents = r->tangents;
  double *x = dls_arena_alloc(
      arena, n * (n + 1 + m + tangents) + 3 * m + 2 * tangents + m + tangents + 1, sizeof *x);
  r->first = dls_arena_alloc(arena, m + 1, sizeof(int));
  r->sliding = dls_arena_alloc(arena, m + 1, sizeof(bool));
  r->friction = dls_arena_alloc(arena, 1, sizeof *r->friction);
  if (!x || !r->first || !r->sliding || !r->friction) return false;
  r->M = x, r->F = r->M + n * n, r->G_b = r->F + n, r->G_u = r->G_b + n * p->m_b;
  r->H = r->G_u + n * m_u, r->b_b = r->H + n * tangents, r->b_u = r->b_b + p->m_b;
  r->mu = r->b_u + m_u, r->mu_s = r->mu + m, r->b_t = r->mu_s + m;
  r->zeros = r->b_t + tangents;
  return true;
}

static void put_column(const restitution *r, const double *from, double *to)
{
  dls_copy(to, from, r->from->n);
}

// In powers of two the least mass over the square of a slip's entry, as for bounded friction.
static double weight_mass(const restitution *r, int contact)
{
  const ptrdiff_t n = r->from->n;
  bool any = false;
  int least = 0;
  for (int k = r->f->first[contact]; k < r->f->first[contact + 1]; k++)
    for (ptrdiff_t i = 0; i < n; i++) {
      const double mass = r->from->M[i * (n + 1)], entry = fabs(r->f->H[i + n * k]);
      if (!(mass > 0) || !(entry > 0)) continue;
      const int exponent = ilogb(mass) - 2 * ilogb(entry);
      if (!any || exponent < least) least = exponent;
      any = true;
    }
  return any && least >= -1000 && least <= 1000 ? ldexp(1, least) : 1;
}

// What is there already; the given percussions push.
static void fill_given(const restitution *r)
{
  const dls_problem *p = r->from;
  const ptrdiff_t n = p->n, all = n + r->weights;
  for (ptrdiff_t j = 0; j < n; j++) put_column(r, p->M + n * j, r->M + all * j);
  for (ptrdiff_t j = 0; j < p->m_b; j++) put_column(r, p->G_b + n * j, r->G_b + all * j);
  for (ptrdiff_t j = 0; j < p->m_u; j++) {
    put_column(r, p->G_u + n * j, r->G_u + all * j);
    r->b_u[j] = r->before->normal[j];
    for (ptrdiff_t i = 0; i < n; i++) r->F[i] -= p->G_u[i + n * j] * r->percussion[j];
  }
  for (int j = 0; j < p->m_b + p->m_u; j++) {
    r->first[j + 1] = r->first[j] + tangents_at(r->f, j);
    r->mu[j] = r->f->mu[j], r->mu_s[j] = most_friction(r->f, j);
  }
  for (ptrdiff_t k = 0; k < r->f->tangents; k++) {
    put_column(r, r->f->H + n * k, r->H + all * k);
    r->b_t[k] = r->before->slip[k];
  }
}

static void fill_weights(const restitution *r)
{
  const dls_problem *p = r->from;
  const ptrdiff_t n = p->n, all = n + r->weights;
  int slip = r->f->tangents;
  for (int k = 0; k < r->weights; k++) {
    const int u = r->weighed[k], j = p->m_b + u, to = p->m_b + p->m_u + k;
    const double most = most_friction(r->f, j);
    const ptrdiff_t at = n + k;
    r->M[at * (all + 1)] = weight_mass(r, j);
    r->F[at] = most * r->percussion[u];
    r->G_u[at + all * (ptrdiff_t)(p->m_u + k)] = 1;
    r->mu[to] = r->f->mu[j] / most, r->mu_s[to] = 1;
    for (int l = r->f->first[j]; l < r->f->first[j + 1]; l++, slip++) {
      put_column(r, r->f->H + n * l, r->H + all * slip);
      r->b_t[slip] = r->before->slip[l];
    }
    r->first[to + 1] = slip;
  }
}

static void set_restitution(const restitution *r)
{
  const dls_problem *p = r->from;
  *r->friction = (dls_friction){.tangents = r->tangents,
                                .first = r->first,
                                .H = r->H,
                                .b_t = r->b_t,
                                .mu = r->mu,
                                .mu_s = r->mu_s,
                                .xi = r->zeros,
                                .sliding = r->sliding,
                                .w_n = r->zeros,
                                .w_t = r->zeros};
  *r->to = (dls_problem){.n = p->n + r->weights,
                         .m_b = p->m_b,
                         .m_u = p->m_u + r->weights,
                         .M = r->M,
                         .F = r->F,
                         .G_b = r->G_b,
                         .b_b = r->b_b,
                         .G_u = r->G_u,
                         .b_u = r->b_u,
                         .friction = r->friction};
}

dls_status dls_restitution_problem_create(const dls_problem *given,
                                          const dls_impact_velocities *before,
                                          const double *percussion, dls_arena *arena,
                                          dls_problem *problem, int *weighed, int *weights)
{
  static const int none[1] = {0};
  dls_friction nothing = {.first = none};
  restitution r = {.from = given,
                   .f = given->friction ? given->friction : &nothing,
                   .before = before,
                   .percussion = percussion,
                   .to = problem,
                   .weighed = weighed};
  if (!given->friction) {
    int *first = dls_arena_alloc(arena, (ptrdiff_t)given->m_b + given->m_u + 1, sizeof *first);
    double *mu = dls_arena_alloc(arena, (ptrdiff_t)given->m_b + given->m_u + 1, sizeof *mu);
    if (!first || !mu) return DLS_ERR_MEMORY;
    nothing.first = first, nothing.mu = mu;
  }
  r.tangents = r.f->tangents;
  for (int u = 0; u < given->m_u; u++) {
    const int tangents = tangents_at(r.f, given->m_b + u);
    if (!(percussion[u] > 0) || tangents == 0 || !(most_friction(r.f, given->m_b + u) > 0))
      continue;
    weighed[r.weights++] = u, r.tangents += tangents;
  }
  *weights = r.weights;
  if (!take_restitution(&r, arena)) return DLS_ERR_MEMORY;
  fill_given(&r);
  fill_weights(&r);
  set_restitution(&r);
  return DLS_OK;
}
