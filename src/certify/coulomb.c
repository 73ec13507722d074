#include "certify/coulomb.h"

#include "certify/witness.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

bool dls_coulomb_applies(const dls_problem *p)
{
  for (int j = 0; p->friction && j < p->m_b + p->m_u; j++)
    if (p->friction->first[j + 1] > p->friction->first[j] && p->friction->mu[j] > 0) return true;
  return false;
}

// --- solutions in the user's units --------------------------------------------------------------

static double *keep(dls_context *x, const double *from, int count)
{
  double *to = dls_context_keep(x, (size_t)count);
  if (to && count) memcpy(to, from, (size_t)count * sizeof *to);
  return to;
}

static bool noise_only(const dls_cells *c, double value, double size)
{
  return fabs(value) <= c->x->basic.noise * size;
}

// Which mode a solution is in, whatever cell it was found in: by its accelerations and forces.
static int mode_of(const dls_cells *c, int j, const dls_point *point, int found_in)
{
  const size_t n = (size_t)c->n;
  const int kind = found_in & ~DLS_MODE_PULLING;
  if (kind != DLS_MODE_DETACH) return found_in;
  const double a = dls_dot(c->n, c->G + n * (size_t)j, point->z) + c->b[j];
  const double size = fmax(c->load, dls_norm_max(c->n, point->z));
  if (!noise_only(c, a, 64 * size)) return DLS_MODE_DETACH;
  return c->touch[j] == DLS_TOUCH_FRICTIONLESS ? DLS_MODE_CLOSED
         : c->touch[j] == DLS_TOUCH_SLIDING    ? DLS_MODE_SLIDE
                                               : DLS_MODE_DETACH;
}

static dls_status fill_solution(dls_cells *c, const dls_set *set, dls_solution *s)
{
  dls_context *x = c->x;
  const int m_u = c->m - c->m_b;
  const size_t n = (size_t)c->n;
  dls_point user = {0};
  dls_status status = dls_point_create(x, c, &user);
  if (status != DLS_OK) return status;
  s->residual = dls_point_residual(c, &set->point, &user);
  s->acceleration = keep(x, user.z, c->n);
  s->lambda_b = keep(x, user.lambda, c->m_b);
  s->lambda_u = keep(x, user.lambda + c->m_b, m_u);
  s->tau = keep(x, user.tau, c->slips);
  s->a_u = dls_context_keep(x, (size_t)m_u);
  s->mode = dls_arena_alloc(x->arena, (size_t)c->m, 1);
  double **ends[] = {&s->low_b, &s->high_b, &s->low_u, &s->high_u, &s->low_t, &s->high_t};
  const double *values[] = {s->lambda_b, s->lambda_b, s->lambda_u, s->lambda_u, s->tau, s->tau};
  const int counts[] = {c->m_b, c->m_b, m_u, m_u, c->slips, c->slips};
  for (size_t e = 0; e < 6 && !x->out_of_memory; e++) *ends[e] = keep(x, values[e], counts[e]);
  if (x->out_of_memory || !s->mode) return DLS_ERR_MEMORY;
  for (int j = 0; j < c->m; j++)
    s->mode[j] = (unsigned char)mode_of(c, j, &set->point, set->mode[j]);
  for (int j = 0; j < m_u; j++) {
    const double *g = c->G + n * (size_t)(c->m_b + j);
    const double a = dls_dot(c->n, g, set->point.z) + c->b[c->m_b + j];
    const double unit = c->units.S_n[c->m_b + j] / c->units.C_n[c->m_b + j];
    s->a_u[j] = s->mode[c->m_b + j] == DLS_MODE_DETACH ? unit * fmax(0, a) : 0;
  }
  return DLS_OK;
}

// --- intervals of the forces over the cells of a component ---------------------------------------

static dls_status widen_by(dls_cells *c, const dls_set *set, double *low, double *high)
{
  dls_cell_program program;
  const int forces = c->m + c->slips;
  dls_status status = dls_cell_program_create(c, set->mode, NULL, &program);
  if (status != DLS_OK) return status;
  double *cost = dls_context_work(c->x, (size_t)program.cols);
  for (int f = 0; f < forces && cost; f++)
    for (int side = -1; side <= 1; side += 2) {
      double value = NAN;
      memset(cost, 0, (size_t)program.cols * sizeof *cost);
      cost[c->n + f] = -side;
      dls_lp_set_cost(program.lp, cost);
      const dls_lp_outcome outcome = dls_lp_solve(program.lp, NULL, NULL, &value);
      const double end = outcome == DLS_LP_OPTIMAL     ? -side * value
                         : outcome == DLS_LP_UNBOUNDED ? (double)side * (double)INFINITY
                                                       : NAN;
      double *at = side < 0 ? &low[f] : &high[f];
      if (isnan(end) || isnan(*at)) *at = NAN;
      else if (side < 0 ? end < *at : end > *at) *at = end;
    }
  dls_cell_program_free(&program);
  return cost ? DLS_OK : DLS_ERR_MEMORY;
}

// Spatial cones are larger in the program than they are: their intervals are not told.
static bool has_spatial(const dls_cells *c)
{
  for (int j = 0; j < c->m; j++)
    if (c->touch[j] == DLS_TOUCH_CANDIDATE && dls_cells_slips(c, j) == 2) return true;
  return false;
}

static dls_status fill_intervals(dls_modes *m, int component, dls_solution *s)
{
  enum { MOST_FORCES = 60 };
  dls_cells *c = m->cells;
  const int forces = c->m + c->slips;
  double *low = dls_context_work(c->x, (size_t)forces),
         *high = dls_context_work(c->x, (size_t)forces);
  if (c->x->out_of_memory) return DLS_ERR_MEMORY;
  const bool told = !m->doubt && !m->given_up && !has_spatial(c) && forces <= MOST_FORCES;
  for (int f = 0; f < forces; f++) low[f] = INFINITY, high[f] = -INFINITY;
  dls_status status = DLS_OK;
  for (size_t i = 0; i < m->sets && told && status == DLS_OK; i++) {
    if (m->set[i].component != component) continue;
    if (m->set[i].dimension > 0) {
      status = widen_by(c, &m->set[i], low, high);
      continue;
    }
    for (int f = 0; f < forces; f++) {
      const dls_point *p = &m->set[i].point;
      const double value = f < c->m ? p->lambda[f] : p->tau[f - c->m];
      if (value < low[f]) low[f] = value;
      if (value > high[f]) high[f] = value;
    }
  }
  for (int f = 0; f < forces; f++) {
    const double unit = f < c->m ? c->units.C_n[f] * c->units.S_n[f]
                                 : c->units.C_t[f - c->m] * c->units.S_t[f - c->m];
    const bool narrow = high[f] - low[f] <= c->tolerance * fmax(c->load, fabs(low[f]));
    double *a = f < c->m_b ? &s->low_b[f] : f < c->m ? &s->low_u[f - c->m_b] : &s->low_t[f - c->m];
    double *z = f < c->m_b ? &s->high_b[f]
                : f < c->m ? &s->high_u[f - c->m_b]
                           : &s->high_t[f - c->m];
    if (!told) *a = *z = NAN;
    else if (!narrow) *a = unit * low[f], *z = unit * high[f];
  }
  return status;
}

// --- the solutions ------------------------------------------------------------------------------

// A component is a continuum when a cell of it is, or when two of its points differ.
static dls_continuum continuum_of(const dls_modes *m, int component)
{
  dls_continuum result = DLS_CONTINUUM_NONE;
  const double *z = NULL;
  for (size_t i = 0; i < m->sets; i++) {
    const dls_set *set = &m->set[i];
    if (set->component != component) continue;
    if (!set->certain) return DLS_CONTINUUM_UNKNOWN;
    if (set->dimension > 0 && result == DLS_CONTINUUM_NONE) result = DLS_CONTINUUM_FORCES;
    if (set->moves) result = DLS_CONTINUUM_ACCELERATION;
    double far = 0, size = m->cells->load;
    for (int k = 0; z && k < m->cells->n; k++)
      far = fmax(far, fabs(z[k] - set->point.z[k])), size = fmax(size, fabs(z[k]));
    if (far > m->cells->tolerance * size) result = DLS_CONTINUUM_ACCELERATION;
    z = set->point.z;
  }
  return result;
}

// The cell that represents a component: the largest, so that the point shown is inside.
static const dls_set *representative(const dls_modes *m, int component)
{
  const dls_set *best = NULL;
  for (size_t i = 0; i < m->sets; i++)
    if (m->set[i].component == component && (!best || m->set[i].dimension > best->dimension))
      best = &m->set[i];
  return best;
}

static dls_status list_solutions(dls_modes *m)
{
  enum { LISTED = 100 };
  dls_context *x = m->cells->x;
  dls_check *check = x->check;
  const int listed = m->components < LISTED ? m->components : LISTED;
  check->solution_count = m->doubt || m->given_up ? -1 : m->components;
  if (listed == 0) return DLS_OK;
  check->solution = dls_arena_alloc(x->arena, (size_t)listed, sizeof *check->solution);
  if (!check->solution) return DLS_ERR_MEMORY;
  dls_status status = DLS_OK;
  for (size_t i = 0; i < m->sets && check->solutions < listed && status == DLS_OK; i++) {
    if (m->set[i].component != (int)i) continue;
    dls_solution *s = &check->solution[check->solutions++];
    status = fill_solution(m->cells, representative(m, (int)i), s);
    s->continuum = m->doubt || m->given_up ? DLS_CONTINUUM_UNKNOWN : continuum_of(m, (int)i);
    if (status == DLS_OK) status = fill_intervals(m, (int)i, s);
  }
  return status;
}

// --- verdicts -----------------------------------------------------------------------------------

static dls_status add_leaves(const dls_modes *m, dls_verdict *v)
{
  dls_leaf *leaf = dls_arena_alloc(m->cells->x->arena, m->leaves, sizeof *leaf);
  if (!leaf) return DLS_ERR_MEMORY;
  if (m->leaves) memcpy(leaf, m->leaf, m->leaves * sizeof *leaf);
  v->leaf = leaf, v->leaves = (int)m->leaves;
  return DLS_OK;
}

static const char *const tree_empty =
    "every leaf of the tree of modes has d = direction, alpha, sigma with M d + G alpha + H sigma "
    "= "
    "0 and alpha^T b + sigma^T b_t + d^T F < 0, although its modes make alpha a + sigma s + lambda "
    "g^T d + tau h^T d >= 0 for each contact";

static const char *why_undecided(const dls_modes *m)
{
  return m->given_up ? "too many combinations of modes"
                     : "a combination of modes that could not be settled (a number within the "
                       "tolerance, or a spatial contact that starts to slide)";
}

static dls_status answer_exists(dls_modes *m)
{
  dls_context *x = m->cells->x;
  if (m->sets) {
    dls_verdict *v = dls_verdict_set(
        x, DLS_ACCELERATION_EXISTS, DLS_YES, NAN, "solution found (fri.2)",
        "M acceleration + F = G_b lambda_b + G_u lambda_u + H tau, and every contact obeys "
        "Coulomb's law");
    dls_witness_point(m->cells, v, &m->set[0].point, false);
    return DLS_OK;
  }
  if (m->doubt || m->given_up) {
    dls_verdict_set(x, DLS_ACCELERATION_EXISTS, DLS_UNDECIDED, NAN, why_undecided(m), NULL);
    return DLS_OK;
  }
  for (int q = DLS_ACCELERATION_EXISTS; q <= DLS_FORCES_UNIQUE; q++) {
    dls_verdict *v = dls_verdict_set(x, (dls_question)q, DLS_NO, m->margin,
                                     "no combination of modes has a solution", tree_empty);
    const dls_status status = add_leaves(m, v);
    if (status != DLS_OK) return status;
  }
  return DLS_OK;
}

static double difference(const double *a, const double *b, int count, double unit)
{
  double far = 0, size = unit;
  for (int i = 0; i < count; i++)
    far = fmax(far, fabs(a[i] - b[i])), size = fmax(size, fmax(fabs(a[i]), fabs(b[i])));
  return far == 0 ? 0 : far / size;
}

// Two solutions that differ in the accelerations (or the forces), as far as possible.
static double find_pair(const dls_modes *m, bool forces, const dls_point **a, const dls_point **b)
{
  const dls_cells *c = m->cells;
  double most = 0;
  for (size_t i = 0; i < m->sets; i++)
    for (size_t k = 0; k < i; k++) {
      const dls_point *p = &m->set[i].point, *q = &m->set[k].point;
      double far = forces ? fmax(difference(p->lambda, q->lambda, c->m, c->load),
                                 difference(p->tau, q->tau, c->slips, c->load))
                          : difference(p->z, q->z, c->n, c->load);
      if (far > most) most = far, *a = q, *b = p;
    }
  return most;
}

// A second point of a cell that is more than a point: as far as a linear program gets in some
// force (or acceleration), halved in towards the first so that it stays inside.
static dls_status second_point(dls_modes *m, const dls_set *set, bool forces, dls_point *other,
                               double *far)
{
  dls_cells *c = m->cells;
  dls_cell_program program;
  dls_point user = {0}, tried = {0};
  dls_status status = dls_cell_program_create(c, set->mode, NULL, &program);
  if (status != DLS_OK) return status;
  double *cost = dls_context_work(c->x, (size_t)program.cols);
  double *point = dls_context_work(c->x, (size_t)program.cols), value = NAN;
  status = dls_point_create(c->x, c, &user);
  if (status == DLS_OK) status = dls_point_create(c->x, c, &tried);
  *far = 0;
  const int from = forces ? c->n : 0, to = forces ? program.cols : c->n;
  for (int j = from; j < to && status == DLS_OK; j++)
    for (int side = -1; side <= 1; side += 2) {
      memset(cost, 0, (size_t)program.cols * sizeof *cost);
      cost[j] = side;
      dls_lp_set_cost(program.lp, cost);
      const dls_lp_outcome outcome = dls_lp_solve(program.lp, point, NULL, &value);
      const bool ray = outcome == DLS_LP_UNBOUNDED;
      if (outcome != DLS_LP_OPTIMAL && !ray) continue;
      const double step = ray ? c->load / fmax(dls_norm_max(program.cols, point), 1e-300) : 0.5;
      for (int i = 0; i < program.cols; i++) {
        const double *base = i < c->n          ? &set->point.z[i]
                             : i < c->n + c->m ? &set->point.lambda[i - c->n]
                                               : &set->point.tau[i - c->n - c->m];
        double *at = i < c->n          ? &tried.z[i]
                     : i < c->n + c->m ? &tried.lambda[i - c->n]
                                       : &tried.tau[i - c->n - c->m];
        *at = *base + step * (ray ? point[i] : point[i] - *base);
      }
      if (!(dls_point_residual(c, &tried, &user) <= c->gate)) continue;
      const double away = forces ? fmax(difference(tried.lambda, set->point.lambda, c->m, c->load),
                                        difference(tried.tau, set->point.tau, c->slips, c->load))
                                 : difference(tried.z, set->point.z, c->n, c->load);
      if (away > *far) *far = away, dls_point_copy(c, &tried, other);
    }
  dls_cell_program_free(&program);
  return status;
}

// yes: every leaf is empty or holds one point, and the points agree; no: two that differ.
static dls_status answer_unique(dls_modes *m, dls_question question, bool forces)
{
  dls_cells *c = m->cells;
  dls_context *x = c->x;
  const dls_point *a = NULL, *b = NULL;
  double far = find_pair(m, forces, &a, &b);
  bool many = false, certain = true;
  dls_point other = {0};
  dls_status status = dls_point_create(x, c, &other);
  for (size_t i = 0; i < m->sets && status == DLS_OK; i++) {
    const dls_set *set = &m->set[i];
    certain &= set->certain;
    if (set->dimension == 0 || (!forces && !set->moves)) continue;
    many = true;
    double away = 0;
    if (far > c->tolerance) continue;
    status = second_point(m, set, forces, &other, &away);
    if (away > far) far = away, a = &set->point, b = &other;
  }
  if (status != DLS_OK) return status;
  if (far > c->tolerance) {
    dls_verdict *v = dls_verdict_set(x, question, DLS_NO, far, "two solutions",
                                     "both solve the contact problem with Coulomb's law");
    dls_witness_point(c, v, a, false);
    dls_witness_point(c, v, b, true);
    return DLS_OK;
  }
  if (m->doubt || m->given_up || many || !certain) {
    dls_verdict_set(x, question, DLS_UNDECIDED, NAN,
                    m->doubt || m->given_up ? why_undecided(m)
                                            : "a set of solutions that may be one point",
                    NULL);
    return DLS_OK;
  }
  dls_verdict *v = dls_verdict_set(
      x, question, DLS_YES, m->margin, "all combinations of modes",
      "every leaf of the tree of modes is empty (see acceleration_exists) or holds this solution "
      "alone");
  dls_witness_point(c, v, &m->set[0].point, false);
  return add_leaves(m, v);
}

// One solution where the tree did not settle everything and found none.
static dls_status look_further(dls_modes *m)
{
  bool found = false;
  dls_set set = {0};
  if (m->sets || !(m->doubt || m->given_up)) return DLS_OK;
  dls_status status = dls_coulomb_find(m->cells, &set, &found);
  if (status != DLS_OK || !found) return status;
  if (dls_grow((void **)&m->set, &m->set_capacity, 1, sizeof *m->set)) return DLS_ERR_MEMORY;
  m->set[m->sets++] = set;
  m->components = 1;
  return DLS_OK;
}

static bool asked(const dls_context *x, unsigned bits)
{
  return x->options->ask == 0 || (x->options->ask & bits);
}

dls_status dls_certify_coulomb(dls_context *x)
{
  dls_cells *cells = NULL;
  dls_modes modes = {0};
  const unsigned three = DLS_ASK(DLS_ACCELERATION_EXISTS) | DLS_ASK(DLS_ACCELERATION_UNIQUE) |
                         DLS_ASK(DLS_FORCES_UNIQUE);
  if (!asked(x, three | DLS_ASK_SOLUTIONS)) return DLS_OK;
  dls_status status = dls_cells_create(x, &cells);
  if (status == DLS_OK)
    status = dls_modes_enumerate(cells, x->options->most_modes, asked(x, three), &modes);
  if (status == DLS_OK) status = look_further(&modes);
  if (status == DLS_OK) status = list_solutions(&modes);
  if (status == DLS_OK && asked(x, three)) {
    status = answer_exists(&modes);
    const bool exists = x->check->verdict[DLS_ACCELERATION_EXISTS].answer == DLS_YES;
    const bool no = x->check->verdict[DLS_ACCELERATION_EXISTS].answer == DLS_NO;
    if (status == DLS_OK && exists) status = answer_unique(&modes, DLS_ACCELERATION_UNIQUE, false);
    if (status == DLS_OK && exists) status = answer_unique(&modes, DLS_FORCES_UNIQUE, true);
    for (int q = DLS_ACCELERATION_UNIQUE; !exists && !no && q <= DLS_FORCES_UNIQUE; q++)
      dls_verdict_set(x, (dls_question)q, DLS_UNDECIDED, NAN, why_undecided(&modes), NULL);
  }
  dls_modes_free(&modes);
  dls_cells_free(cells);
  return x->out_of_memory ? DLS_ERR_MEMORY : status;
}
