// The nearest consistent state, in the kinetic metric of the state given.        eq (prj.1)
//
//   min (q - q_0)^T M (q - q_0)  s.t.  h_b(q) = 0, h_u(q) >= 0
//   min (v - v_0)^T M (v - v_0)  s.t.  h_b'(q, v) = 0
//
// rolling constraints among the second ones only.
//
// The first by sequential linearization: each step is the same program with h replaced by
// h + G^T d. Bilateral rows are met in the least-squares sense, so that redundant ones do no harm.
// Linear rows know nothing of the curvature of h: where steps along the constraints overshoot, the
// weight of d^T M d grows.
//
// A gradient that is noise is none: scaled to 1 it would lead far away.
#include <delassus/contact.h>

#include "base/memory.h"
#include "base/message.h"
#include "certify/tolerances.h"
#include "contact/chart.h"
#include "contact/scaling.h"
#include "contact/tolerances.h"
#include "contact/values.h"
#include "convex/qp.h"
#include "linalg/dense.h"
#include "linalg/sparse.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

// Massless directions stay put: so much inertia of their own, of the largest. The program's
// tolerance; the largest weight of a damped step; what must be nearer to count as nearer.
static const double stay_put = 1e-10, program_tolerance = 1e-9, most_weight = 1e6, nearer = 0.999;

// Residuals of a projected state, in tolerances: not those of the border.
static const double well_inside = 0.5;

enum { MAX_STEPS = 200, MAX_ROUNDS = 10, MAX_HALVINGS = 40 };

typedef struct projection_work {
  const dls_system *system;
  dls_arena *arena;
  dls_values *values, *bound;
  int n, m_b, m_u;
  int *bilateral, *unilateral;            // contacts of each kind, rolling constraints last
  int with_gaps;                          // bilateral ones that are not rolling
  double *M, *G_b, *G_u, *F, *b_b, *b_u;  // of the linearized problem
  dls_scaling scaling;
  double *q, *v;
  double weight;  // of d^T M d, at least 1
  bool damped;    // while the residual is large
  double first;   // residual of the first step, which others are compared with
  bool out_of_memory;
} projection_work;

static double *take(projection_work *p, ptrdiff_t count)
{
  double *memory = dls_arena_alloc(p->arena, count, sizeof(double));
  if (!memory) p->out_of_memory = true;
  return memory;
}

static void gather(const projection_work *p, const int *contact, int count, double *G)
{
  const dls_pattern *pattern = &p->system->normal;
  dls_clear(G, (ptrdiff_t)p->n * (ptrdiff_t)count);
  for (int j = 0; j < count; j++)
    for (int k = pattern->p[contact[j]]; k < pattern->p[contact[j] + 1]; k++)
      if (fabs(p->values->G[k]) > noise_factor * p->bound->G[k])
        G[pattern->i[k] + (ptrdiff_t)p->n * j] = p->values->G[k];
}

static dls_status evaluate(projection_work *p, double t, dls_message *message)
{
  const dls_system *s = p->system;
  dls_status status = s->evaluate(s->self, t, p->q, p->v, p->values, p->bound, message);
  if (status == DLS_OK) status = dls_values_check(s, p->values, message);
  if (status != DLS_OK) return status;
  gather(p, p->bilateral, p->m_b, p->G_b);
  gather(p, p->unilateral, p->m_u, p->G_u);
  return DLS_OK;
}

// The program in scaled variables d = D d^ on the kernel of G^_b^T; memory is reused by the caller
// through a fresh arena for each step.
typedef struct step_data {
  double *G_b, *G_u, *M, *residual_b, *residual_u, *offset;  // offset: D^-1 (q - q_0)
} step_data;

static dls_status solve_step(projection_work *p, const step_data *s, double *d, bool *solved)
{
  const int n = p->n, m_b = p->m_b, least = n < m_b ? n : m_b;
  const ptrdiff_t rows = n;
  double *U = take(p, rows * rows), *S = take(p, least);
  double *V = take(p, (ptrdiff_t)m_b * m_b), *z = take(p, rows), *Mz = take(p, rows);
  if (p->out_of_memory) return DLS_ERR_MEMORY;
  dls_status status = dls_svd(n, m_b, s->G_b, U, S, V);
  if (status != DLS_OK) return status;
  int rank = 0;
  while (rank < least && S[rank] > projection_rank * S[0]) rank++;
  // Redundant constraints are independent away from the states that fulfil them, by little: steps
  // along such directions are damped as long as the residual, compared with the first one, is not
  // small (Levenberg, Marquardt).
  const double left = dls_norm2(m_b, s->residual_b);
  if (p->first == 0) p->first = left;
  const double damping = rank && p->damped && left > 0 ? S[0] * fmin(1, left / p->first) : 0;
  for (int j = 0; j < rank; j++) {
    const double weight = S[j] / (S[j] * S[j] + damping * damping);
    const double along = -weight * dls_dot(m_b, V + (ptrdiff_t)m_b * j, s->residual_b);
    for (ptrdiff_t i = 0; i < rows; i++) z[i] += along * U[i + rows * j];
  }

  const int k = n - rank;
  const ptrdiff_t cols = k, m_u = p->m_u;
  const double *N = U + rows * rank;
  double *MN = take(p, rows * cols), *K = take(p, cols * cols), *c = take(p, cols);
  double *E = take(p, m_u * cols), *f = take(p, m_u), *y = take(p, cols), *mu = take(p, m_u);
  if (p->out_of_memory) return DLS_ERR_MEMORY;
  dls_gemm(false, false, n, k, n, 1, s->M, N, 0, MN);
  dls_gemm(true, false, k, k, n, p->weight, N, MN, 0, K);
  for (ptrdiff_t i = 0; i < cols; i++) K[i * (cols + 1)] += stay_put;
  for (ptrdiff_t i = 0; i < rows; i++) s->offset[i] += p->weight * z[i];
  dls_gemv(false, n, n, 1, s->M, s->offset, 0, Mz);
  for (ptrdiff_t i = 0; i < rows; i++) Mz[i] += stay_put * s->offset[i];
  dls_gemv(true, n, k, 1, N, Mz, 0, c);
  dls_gemm(true, false, p->m_u, k, n, 1, s->G_u, N, 0, E);
  dls_copy(f, s->residual_u, m_u);
  dls_gemv(true, n, p->m_u, 1, s->G_u, z, 1, f);
  const dls_qp_data qp = {.n = k, .m = p->m_u, .K = K, .c = c, .E = E, .f = f};
  dls_qp_report report;
  status = dls_qp_solve(&qp, program_tolerance, y, mu, &report);
  *solved = status == DLS_OK && report.outcome == DLS_QP_SOLVED;
  dls_copy(d, z, rows);
  dls_gemv(false, n, k, 1, N, y, 1, d);
  return status;
}

// One linearized program: the change d of the user's variables that takes residuals to zero
// (unilateral: to >= 0) and stays nearest to -offset.
static dls_status linear_step(projection_work *p, const double *residual_b,
                              const double *residual_u, const double *offset, double *change,
                              bool *solved)
{
  const ptrdiff_t n = p->n, m_b = p->m_b;
  const ptrdiff_t m_u = residual_u ? (ptrdiff_t)p->m_u : 0;
  dls_arena *outer = p->arena;
  p->arena = dls_arena_create();
  if (!p->arena) {
    p->arena = outer;
    return DLS_ERR_MEMORY;
  }
  step_data s = {take(p, n * m_b), take(p, n * m_u), take(p, n * n),
                 take(p, m_b),     take(p, m_u),     take(p, n)};
  dls_status status = p->out_of_memory ? DLS_ERR_MEMORY : DLS_OK;
  if (status == DLS_OK) {
    for (ptrdiff_t j = 0; j < n; j++)
      for (ptrdiff_t i = 0; i < n; i++)
        s.M[i + n * j] = p->scaling.D[i] / p->scaling.mass * p->M[i + n * j] * p->scaling.D[j];
    for (ptrdiff_t j = 0; j < m_b; j++) {
      s.residual_b[j] = p->scaling.C_b[j] * residual_b[j];
      for (ptrdiff_t i = 0; i < n; i++)
        s.G_b[i + n * j] = p->scaling.D[i] * p->G_b[i + n * j] * p->scaling.C_b[j];
    }
    for (ptrdiff_t j = 0; j < m_u; j++) {
      s.residual_u[j] = p->scaling.C_u[j] * residual_u[j];
      for (ptrdiff_t i = 0; i < n; i++)
        s.G_u[i + n * j] = p->scaling.D[i] * p->G_u[i + n * j] * p->scaling.C_u[j];
    }
    for (ptrdiff_t i = 0; i < n; i++) s.offset[i] = offset[i] / p->scaling.D[i];
    status = solve_step(p, &s, change, solved);
    for (ptrdiff_t i = 0; i < n; i++) change[i] *= p->scaling.D[i];
  }
  dls_arena_free(p->arena);
  p->arena = outer;
  return status;
}

static dls_status find_scaling(projection_work *p)
{
  const dls_problem problem = {.n = p->n,
                               .m_b = p->m_b,
                               .m_u = p->m_u,
                               .M = p->M,
                               .F = p->F,
                               .G_b = p->G_b,
                               .b_b = p->b_b,
                               .G_u = p->G_u,
                               .b_u = p->b_u};
  dls_scaling_free(&p->scaling);
  return dls_scaling_create(&problem, &p->scaling);
}

// The largest violation of a constraint; which one, when `contact` is not NULL.
static double violation(const projection_work *p, int *contact)
{
  double worst = 0;
  for (int j = 0; j < p->m_b + p->m_u; j++) {
    const int c = j < p->m_b ? p->bilateral[j] : p->unilateral[j - p->m_b];
    const double h = p->values->h[c], amount = j < p->m_b ? fabs(h) : -h;
    if (!(amount > worst)) continue;
    worst = amount;
    if (contact) *contact = c;
  }
  return worst;
}

// True when the last step did not move any coordinate by more than rounding.
static bool still(const projection_work *p, const double *change, const double *q_0)
{
  for (int i = 0; i < p->n; i++)
    if (fabs(change[i]) > 8 * DBL_EPSILON * fmax(fabs(p->q[i]), fabs(q_0[i])) + DBL_MIN)
      return false;
  return true;
}

// A step that goes the fraction -r of the last one back: (1 - r) times the weight would have
// stopped at the turning point. The other way round the weight falls again.
static double next_weight(const projection_work *p, const double *last, const double *change)
{
  double along = 0, size = 0;
  for (ptrdiff_t j = 0; j < p->n; j++)
    for (ptrdiff_t i = 0; i < p->n; i++) {
      const double x = last[i] * p->M[i + p->n * j];
      along += x * change[j], size += x * last[j];
    }
  const double ratio = size > 0 ? along / size : 0;
  return fmin(fmax(1, (1 - ratio) * p->weight), most_weight);
}

// Along the change, or the part of it that stays where the system has values. change: what it is.
static dls_status go(projection_work *p, double t, double *change, dls_message *message)
{
  dls_status status = DLS_ERR_NUMBER;
  for (int i = 0; i < p->n; i++) p->q[i] += change[i];
  for (int k = 0; k <= MAX_HALVINGS; k++) {
    status = evaluate(p, t, message);
    if (status != DLS_ERR_NUMBER) break;
    for (int i = 0; i < p->n; i++) change[i] /= 2, p->q[i] -= change[i];
  }
  return status;
}

static dls_status project_coordinates(projection_work *p, const dls_state *state, double tolerance,
                                      int *iterations, dls_message *message)
{
  const ptrdiff_t n = p->n;
  double *change = take(p, n), *offset = take(p, n), *r_b = take(p, p->m_b);
  double *r_u = take(p, p->m_u), *last = take(p, n);
  if (p->out_of_memory) return DLS_ERR_MEMORY;
  dls_status status = evaluate(p, state->t, message);
  if (status != DLS_OK) return status;
  dls_pattern_to_dense(&p->system->mass, p->values->M, p->M);
  status = find_scaling(p);
  if (status != DLS_OK) return status;
  if (violation(p, NULL) == 0) return DLS_OK;

  for (*iterations = 0; *iterations < MAX_STEPS; ++*iterations) {
    for (ptrdiff_t i = 0; i < n; i++) offset[i] = p->q[i] - state->q[i];
    for (int j = 0; j < p->m_b; j++) r_b[j] = p->values->h[p->bilateral[j]];
    for (int j = 0; j < p->m_u; j++) r_u[j] = p->values->h[p->unilateral[j]];
    bool solved = false;
    status = linear_step(p, r_b, r_u, offset, change, &solved);
    if (status != DLS_OK) return status;
    if (!solved) break;
    p->weight = next_weight(p, last, change);
    dls_copy(last, change, n);
    status = go(p, state->t, change, message);
    if (status != DLS_OK) return status;
    if (still(p, change, state->q)) break;
  }
  int contact = 0;
  const double left = violation(p, &contact);
  if (!(left <= well_inside * tolerance))
    return dls_fail(
        message, DLS_ERR_STATE,
        "no consistent state was found near the one given: after %d steps `%s` is still "
        "violated by %.3g",
        *iterations, p->system->contacts[contact].name, left);
  return DLS_OK;
}

// Square of the distance from the state given, in the kinetic metric there.
static double distance(const projection_work *p, const double *q, const dls_state *state)
{
  const ptrdiff_t n = p->n;
  double sum = 0;
  for (ptrdiff_t j = 0; j < n; j++)
    for (ptrdiff_t i = 0; i < n; i++)
      sum += (q[i] - state->q[i]) * p->M[i + n * j] * (q[j] - state->q[j]);
  return sum;
}

// Full steps and damped ones may end at different states: the nearer one counts.
static dls_status project_both_ways(projection_work *p, const dls_state *state, double tolerance,
                                    int *iterations, dls_message *message)
{
  const ptrdiff_t bytes = p->n;
  double *full = take(p, p->n);
  if (p->out_of_memory) return DLS_ERR_MEMORY;
  const dls_status by_full = project_coordinates(p, state, tolerance, iterations, message);
  if (by_full != DLS_OK && by_full != DLS_ERR_STATE && by_full != DLS_ERR_NUMBER) return by_full;
  if (by_full == DLS_OK && *iterations == 0) return by_full;  // nothing to do
  dls_copy(full, p->q, bytes);

  int damped_iterations = 0;
  dls_copy(p->q, state->q, bytes);
  p->weight = 1, p->damped = true, p->first = 0;
  const dls_status by_damped = project_coordinates(p, state, tolerance, &damped_iterations, NULL);
  const bool damped_is_nearer =
      by_damped == DLS_OK &&
      (by_full != DLS_OK || distance(p, p->q, state) < nearer * distance(p, full, state));
  if (damped_is_nearer) {
    *iterations = damped_iterations;
    if (message) message->text[0] = 0;
    return DLS_OK;
  }
  dls_copy(p->q, full, bytes);
  return by_full;
}

static dls_status project_velocities(projection_work *p, const dls_state *state, double tolerance,
                                     dls_message *message)
{
  const ptrdiff_t n = p->n;
  double *change = take(p, n), *offset = take(p, n), *r_b = take(p, p->m_b);
  if (p->out_of_memory) return DLS_ERR_MEMORY;
  dls_status status = evaluate(p, state->t, message);
  if (status != DLS_OK) return status;
  dls_pattern_to_dense(&p->system->mass, p->values->M, p->M);
  const int m_u = p->m_u;
  p->weight = 1;
  p->damped = false;
  p->m_u = 0;  // an approaching contact is an impact, not an error
  status = find_scaling(p);
  double worst = 0;
  for (int pass = 0; status == DLS_OK && pass < 2; pass++) {  // the second removes rounding
    bool solved = false;
    for (int j = 0; j < p->m_b; j++) r_b[j] = p->values->h_dot[p->bilateral[j]];
    for (ptrdiff_t i = 0; i < n; i++) offset[i] = p->v[i] - state->v[i];
    if (dls_norm_max(p->m_b, r_b) == 0) break;
    status = linear_step(p, r_b, NULL, offset, change, &solved);
    for (ptrdiff_t i = 0; i < n; i++) p->v[i] += change[i];
    if (status == DLS_OK) status = evaluate(p, state->t, message);
  }
  p->m_u = m_u;
  for (int j = 0; j < p->m_b; j++) worst = fmax(worst, fabs(p->values->h_dot[p->bilateral[j]]));
  if (status == DLS_OK && !(worst <= well_inside * tolerance))
    return dls_fail(message, DLS_ERR_STATE,
                    "no velocities fulfil the bilateral constraints: the best ones still violate "
                    "them by %.3g",
                    worst);
  return status;
}

static dls_status set_up(projection_work *p, const dls_state *state)
{
  const dls_system *s = p->system;
  p->n = s->n;
  p->bilateral = dls_arena_alloc(p->arena, s->m, sizeof(int));
  p->unilateral = dls_arena_alloc(p->arena, s->m, sizeof(int));
  if (!p->bilateral || !p->unilateral) return DLS_ERR_MEMORY;
  for (int j = 0; j < s->m; j++) {
    if (s->contacts[j].kind == DLS_UNILATERAL) p->unilateral[p->m_u++] = j;
    else if (!s->contacts[j].rolling && !s->contacts[j].dry) p->bilateral[p->m_b++] = j;
  }
  p->with_gaps = p->m_b;
  for (int j = 0; j < s->m; j++)
    if (s->contacts[j].rolling) p->bilateral[p->m_b++] = j;
  const ptrdiff_t n = p->n, m_b = p->m_b, m_u = p->m_u;
  p->M = take(p, n * n), p->F = take(p, n);
  p->G_b = take(p, n * m_b), p->G_u = take(p, n * m_u);
  p->b_b = take(p, m_b), p->b_u = take(p, m_u);
  p->q = take(p, n), p->v = take(p, n);
  if (p->out_of_memory) return DLS_ERR_MEMORY;
  dls_copy(p->q, state->q, n);
  dls_copy(p->v, state->v, n);
  const dls_status status = dls_values_create(s, &p->values);
  return status == DLS_OK ? dls_values_create(s, &p->bound) : status;
}

// The projection among the contacts that the system has now. x: the state in local coordinates.
static dls_status project(const dls_system *system, dls_state *x, const dls_contact_options *zero,
                          dls_projection *projection, dls_message *message)
{
  projection_work p = {.system = system, .arena = dls_arena_create(), .weight = 1};
  *projection = (dls_projection){0};
  dls_status status = p.arena ? set_up(&p, x) : DLS_ERR_MEMORY;
  const int m_b = p.m_b;
  p.m_b = p.with_gaps;
  if (status == DLS_OK)
    status = project_both_ways(&p, x, zero->tolerance, &projection->iterations, message);
  p.m_b = m_b;
  if (status == DLS_OK) status = project_velocities(&p, x, zero->rest, message);
  if (status == DLS_OK) {
    for (int i = 0; i < p.n; i++) {
      projection->moved_q = fmax(projection->moved_q, fabs(p.q[i] - x->q[i]));
      projection->moved_v = fmax(projection->moved_v, fabs(p.v[i] - x->v[i]));
      x->q[i] = p.q[i], x->v[i] = p.v[i];
    }
  }
  dls_values_free(p.values);
  dls_values_free(p.bound);
  dls_arena_free(p.arena);
  dls_scaling_free(&p.scaling);
  return status;
}

// Where contacts come and go: those that are near at the state given, then those that are near at
// its projection, until no other one is violated there. found: out.
static dls_status project_found(const dls_system *s, const dls_state *x, dls_state *found,
                                const dls_contact_options *zero, dls_projection *projection,
                                dls_message *message)
{
  const ptrdiff_t bytes = s->n;
  dls_status status = dls_system_select_near(s, x, zero->tolerance, message);
  for (int round = 0; status == DLS_OK; round++) {
    dls_copy(found->q, x->q, bytes);
    dls_copy(found->v, x->v, bytes);
    status = project(s, found, zero, projection, message);
    if (status != DLS_OK || !s->find) return status;
    const int before = s->m;
    int count = 0;
    const uint64_t *id = NULL;
    status = s->find(s->self, x->t, found->q, found->v, -zero->tolerance, 0, &count, &id, message);
    if (status != DLS_OK || count == 0) return status;
    if (round == MAX_ROUNDS)
      return dls_fail(message, DLS_ERR_STATE,
                      "no consistent state was found near the one given: each time other ones of "
                      "%d contacts and more are penetrated",
                      before);
    status = dls_system_select_near(s, found, zero->tolerance, message);
  }
  return status;
}

dls_status dls_state_project(const dls_system *system, dls_state *state,
                             const dls_contact_options *options, dls_projection *projection,
                             dls_message *message)
{
  if (message) message->text[0] = 0;
  dls_contact_options zero;
  *projection = (dls_projection){0};
  dls_status status = dls_contact_options_take(options, &zero, message);
  if (status == DLS_OK) status = dls_system_validate(system, message);
  if (status == DLS_OK) status = dls_state_check(system, state, message);
  if (status != DLS_OK) return status;
  const ptrdiff_t n = system->n;
  double *memory = dls_alloc(4 * n, sizeof *memory);
  if (!memory) return DLS_ERR_MEMORY;
  dls_state x = {.t = state->t, .q = memory, .v = memory + n};
  dls_state found = {.t = state->t, .q = memory + 2 * n, .v = memory + 3 * n};
  status = dls_chart_begin(system, state, x.q, x.v, message);
  if (status == DLS_OK) status = project_found(system, &x, &found, &zero, projection, message);
  if (status == DLS_OK) dls_chart_leave(system, found.q, found.v, state->q, state->v);
  free(memory);
  return status;
}
