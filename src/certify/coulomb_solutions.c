// The solutions of the contact problem with friction as the report lists them: one for each
// component, in the user's units, and how far its forces extend.
#include "certify/coulomb.h"

#include "base/memory.h"
#include "certify/tolerances.h"
#include "linalg/dense.h"

#include <float.h>
#include <math.h>

// --- solutions in the user's units --------------------------------------------------------------

// The mode at the point of the set, which may leave its polyhedron where there are numbers between
// rounding and the tolerance: a contact that sticks in the polyhedron may start to slip.
static unsigned char mode_shown(const dls_polyhedra *c, int j, const dls_set *set)
{
  const unsigned char mode = set->mode[j], pulling = mode & DLS_MODE_PULLING;
  if (c->touch[j] != DLS_TOUCH_CANDIDATE || (mode & ~DLS_MODE_PULLING) != DLS_MODE_STICK)
    return mode;
  double speed = 0, terms = 0, s = 0;
  for (int k = c->first[j]; k < c->first[j + 1]; k++) {
    s = dls_dot(c->n, c->H + (ptrdiff_t)c->n * k, set->point.z) + c->b_t[k];
    speed = hypot(speed, s), terms = fmax(terms, fabs(c->b_t[k]));
  }
  if (!(speed > c->tolerance * dls_coulomb_size_at(&c->units, c->n, j, terms))) return mode;
  if (dls_polyhedra_tangents(c, j) == 2) return DLS_MODE_SLIDE | pulling;
  return (s > 0 ? DLS_MODE_SLIDE_PLUS : DLS_MODE_SLIDE_MINUS) | pulling;
}

static double *keep(dls_context *x, const double *from, int count)
{
  double *to = dls_context_keep(x, count);
  if (to && from && count) dls_copy(to, from, count);
  return to;
}

static dls_status fill_solution(dls_polyhedra *c, const dls_set *set, dls_solution *s)
{
  dls_context *x = c->x;
  const int m_u = c->m - c->m_b;
  const ptrdiff_t n = c->n;
  dls_point user = {0};
  dls_status status = dls_point_create(x, c, &user);
  if (status != DLS_OK) return status;
  s->residual = dls_point_residual(c, &set->point, &user);
  s->acceleration = keep(x, user.z, c->n);
  s->lambda_b = keep(x, user.lambda, c->m_b);
  s->lambda_u = keep(x, user.lambda + c->m_b, m_u);
  s->tau = keep(x, user.tau, c->tangents);
  s->a_u = dls_context_keep(x, m_u);
  s->mode = dls_arena_alloc(x->arena, c->m, 1);
  double **ends[] = {&s->low_b, &s->high_b, &s->low_u, &s->high_u, &s->low_t, &s->high_t};
  const double *values[] = {s->lambda_b, s->lambda_b, s->lambda_u, s->lambda_u, s->tau, s->tau};
  const int counts[] = {c->m_b, c->m_b, m_u, m_u, c->tangents, c->tangents};
  for (ptrdiff_t e = 0; e < 6 && !x->out_of_memory; e++) *ends[e] = keep(x, values[e], counts[e]);
  if (x->out_of_memory || !s->mode) return DLS_ERR_MEMORY;
  for (int j = 0; j < c->m; j++) s->mode[j] = mode_shown(c, j, set);
  for (int j = 0; j < m_u; j++) {
    const double *g = c->G + n * ((ptrdiff_t)c->m_b + j);
    const double a = dls_dot(c->n, g, set->point.z) + c->b[c->m_b + j];
    const double unit = c->units.S_n[c->m_b + j] / c->units.C_n[c->m_b + j];
    const double size = dls_coulomb_size_at(&c->units, c->n, c->m_b + j, fabs(c->b[c->m_b + j]));
    // a closed contact without force may open; next to the tolerance, other units tell so
    const bool free = s->lambda_u[j] == 0 && a > x->basic.noise * size;
    if (free && a > shown_opening * c->tolerance * size) s->mode[c->m_b + j] = DLS_MODE_DETACH;
    s->a_u[j] = free || s->mode[c->m_b + j] == DLS_MODE_DETACH ? unit * fmax(0, a) : 0;
  }
  return DLS_OK;
}

// --- intervals of the forces over the polyhedra of a component ----------------------------------

// What is known of an end whatever a linear program rounds: without load a polyhedron is a cone,
// and the force of a unilateral contact never pulls. In a box around a point of this size numbers
// up to its last digit are none.
static double clean_end(const dls_polyhedra *c, double size, int f, double end)
{
  if (!isfinite(end)) return end;
  if (c->load == 0 || fabs(end) <= DBL_EPSILON * near_ends * size) return 0;
  return f >= c->m_b && f < c->m ? fmax(end, 0) : end;
}

// The programs of a polyhedron: around a point of it, further around it, and its directions.
typedef struct reach {
  const dls_set *set;
  double size;                             // of the point
  dls_polyhedron_program near, far, away;  // the second one only when it is needed
  double *cost, *point;
  dls_status status;
} reach;

static dls_status open_reach(dls_polyhedra *c, const dls_set *set, reach *r)
{
  const ptrdiff_t unknowns = (ptrdiff_t)c->n + c->m + c->tangents;
  const double size = dls_point_size(c, &set->point);
  *r = (reach){.set = set, .size = size};
  r->cost = dls_context_work(c->x, unknowns), r->point = dls_context_work(c->x, unknowns);
  if (c->x->out_of_memory) return DLS_ERR_MEMORY;
  const dls_polyhedron_region around = {.near = &set->point, .radius = near_ends * size};
  const dls_polyhedron_region directions = {.directions = true};
  dls_status status = dls_polyhedron_program_create(c, set->mode, &around, &r->near);
  if (status == DLS_OK) status = dls_polyhedron_program_create(c, set->mode, &directions, &r->away);
  return status;
}

static dls_status close_reach(reach *r, dls_status status)
{
  dls_polyhedron_program *program[] = {&r->near, &r->far, &r->away};
  for (ptrdiff_t k = 0; k < 3; k++) {
    if (status == DLS_OK && program[k]->lp) status = dls_lp_status(program[k]->lp);
    dls_polyhedron_program_free(program[k]);
  }
  return status;
}

// Did the last program end at the border of its box?
static bool at_border(const dls_polyhedra *c, const reach *r)
{
  const dls_point *p = &r->set->point;
  double far = 0;
  for (int i = 0; i < c->n; i++) far = fmax(far, fabs(r->point[i] - p->z[i]));
  for (int j = 0; j < c->m; j++) far = fmax(far, fabs(r->point[c->n + j] - p->lambda[j]));
  for (int k = 0; k < c->tangents; k++)
    far = fmax(far, fabs(r->point[c->n + c->m + k] - p->tau[k]));
  return far > 0.5 * near_ends * r->size;
}

// One end of the interval of a force; NaN: not known. An end that only points far away have would
// be moved by rounding of the data: it is not told.
static double end_of(dls_polyhedra *c, reach *r, int f, int side)
{
  const double step = dls_polyhedron_program_most(&r->away, c->n + f, side, r->cost, NULL);
  if (isnan(step)) return NAN;
  if (step > c->tolerance) return (double)side * (double)INFINITY;
  if (step > c->x->basic.noise) return NAN;  // too small to trust, too large to be rounding
  const double end =
      side * dls_polyhedron_program_most(&r->near, c->n + f, side, r->cost, r->point);
  if (isnan(end) || !at_border(c, r)) return clean_end(c, r->size, f, end);
  const dls_polyhedron_region further = {.near = &r->set->point, .radius = far_ends * r->size};
  if (!r->far.lp) r->status = dls_polyhedron_program_create(c, r->set->mode, &further, &r->far);
  if (r->status != DLS_OK) return NAN;
  const double other =
      side * dls_polyhedron_program_most(&r->far, c->n + f, side, r->cost, r->point);
  return fabs(other - end) <= same_end * c->tolerance * r->size ? clean_end(c, r->size, f, end)
                                                                : (double)NAN;
}

// tau = factor lambda where a contact slides; NaN where it does not, or only a cone bounds tau.
static double sliding_factor(const dls_polyhedra *c, const dls_set *set, int j, int k)
{
  const int kind = set->mode[j] & ~DLS_MODE_PULLING;
  const double size = set->mode[j] & DLS_MODE_PULLING ? -c->mu[j] : c->mu[j];
  if (kind == DLS_MODE_SLIDE_PLUS) return -size;
  if (kind == DLS_MODE_SLIDE_MINUS) return size;
  const bool known = kind == DLS_MODE_SLIDE && c->touch[j] == DLS_TOUCH_SLIDING;
  return known ? -size * c->xi[k] : (double)NAN;
}

static void widen_one(double end, int side, double *low, double *high)
{
  double *at = side < 0 ? low : high;
  if (isnan(end) || isnan(*at)) *at = NAN;
  else if (side < 0 ? end < *at : end > *at) *at = end;
}

// The tangential forces of contact j, whose normal force lies between the ends.
static void widen_tangential(dls_polyhedra *c, reach *r, int j, const double end[2], double *low,
                             double *high)
{
  for (int k = c->first[j]; k < c->first[j + 1]; k++) {
    const double factor = sliding_factor(c, r->set, j, k);
    for (int side = -1; side <= 1; side += 2) {
      const double from = factor == 0 ? 0 : factor * end[side * factor > 0];
      const double value = isnan(factor) ? end_of(c, r, c->m + k, side) : from;
      widen_one(value, side, &low[c->m + k], &high[c->m + k]);
    }
  }
}

// Neither friction nor none at a contact that is closed: linear programs do not see such cones.
//                                                                                     eq (num.1)
static bool hardly_rubs(const dls_polyhedra *c, const dls_set *set)
{
  for (int j = 0; j < c->m; j++)
    for (int k = 0; k < 2 && set->mode[j] != DLS_MODE_DETACH; k++) {
      const double mu = k == 0 ? c->mu[j] : c->mu_s[j];
      if (mu > c->x->basic.noise && mu <= c->tolerance) return true;
    }
  return false;
}

// Widens the intervals by what the forces can be in a polyhedron.
static dls_status widen_by(dls_polyhedra *c, const dls_set *set, double *low, double *high)
{
  reach r;
  for (int f = 0; f < c->m + c->tangents && hardly_rubs(c, set); f++) low[f] = high[f] = NAN;
  if (hardly_rubs(c, set)) return DLS_OK;
  dls_status status = open_reach(c, set, &r);
  for (int j = 0; j < c->m && status == DLS_OK && r.status == DLS_OK; j++) {
    const double end[2] = {end_of(c, &r, j, -1), end_of(c, &r, j, 1)};
    for (int side = 0; side < 2; side++) widen_one(end[side], 2 * side - 1, &low[j], &high[j]);
    widen_tangential(c, &r, j, end, low, high);
  }
  return close_reach(&r, status == DLS_OK ? r.status : status);
}

static int contact_of(const dls_polyhedra *c, int force)
{
  int j = 0;
  if (force < c->m) return force;
  while (c->first[j + 1] <= force - c->m) j++;
  return j;
}

// The largest force in the part of the system that contact j belongs to.
static double force_around(const dls_polyhedra *c, const double *low, const double *high, int j)
{
  const int *part = c->units.scaling.part + c->n;
  double size = 0;
  for (int f = 0; f < c->m + c->tangents; f++) {
    if (part[contact_of(c, f)] != part[j]) continue;
    if (isfinite(low[f])) size = fmax(size, fabs(low[f]));
    if (isfinite(high[f])) size = fmax(size, fabs(high[f]));
  }
  return size;
}

static dls_status fill_intervals(dls_modes *m, int component, dls_solution *s)
{
  enum { MOST_FORCES = 60 };
  dls_polyhedra *c = m->polyhedra;
  const int forces = c->m + c->tangents;
  double *low = dls_context_work(c->x, forces), *high = dls_context_work(c->x, forces);
  if (c->x->out_of_memory) return DLS_ERR_MEMORY;
  // maps of a count need not pay for them; spatial cones are larger in a program than they are
  if (m->weak.holds) return DLS_OK;  // the intervals are one number each
  bool told = !dls_modes_open(m) && !dls_modes_spatial(c) && forces <= MOST_FORCES &&
              dls_context_asked(c->x, DLS_ASK(DLS_FORCES_UNIQUE));
  for (ptrdiff_t i = 0; i < m->sets; i++)
    told &= m->set[i].component != component || (m->set[i].certain && !m->set[i].tense);
  for (int f = 0; f < forces; f++) low[f] = INFINITY, high[f] = -INFINITY;
  dls_status status = DLS_OK;
  for (ptrdiff_t i = 0; i < m->sets && told && status == DLS_OK; i++) {
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
    const double unit =
        c->units.mass * (f < c->m ? c->units.C_n[f] * c->units.S_n[f]
                                  : c->units.C_t[f - c->m] * c->units.S_t[f - c->m]);
    const double size = force_around(c, low, high, contact_of(c, f));
    const bool narrow =
        isfinite(low[f]) && isfinite(high[f]) && high[f] - low[f] <= c->tolerance * size;
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

// A component is a continuum when a polyhedron of it is, or when two of its points differ.
static dls_continuum continuum_of(const dls_modes *m, int component)
{
  dls_continuum result = DLS_CONTINUUM_NONE;
  const double *z = NULL;
  for (ptrdiff_t i = 0; i < m->sets; i++) {
    const dls_set *set = &m->set[i];
    if (set->component != component) continue;
    if (!set->certain || set->tense) return DLS_CONTINUUM_UNKNOWN;
    if ((set->strains || set->moves) && hardly_rubs(m->polyhedra, set))
      return DLS_CONTINUUM_UNKNOWN;
    if (set->strains && result == DLS_CONTINUUM_NONE) result = DLS_CONTINUUM_FORCES;
    if (set->moves) result = DLS_CONTINUUM_ACCELERATION;
    double far = 0, size = m->polyhedra->load;
    for (int k = 0; z && k < m->polyhedra->n; k++)
      far = fmax(far, fabs(z[k] - set->point.z[k])), size = fmax(size, fabs(z[k]));
    if (far > m->polyhedra->tolerance * size) result = DLS_CONTINUUM_ACCELERATION;
    z = set->point.z;
  }
  return result;
}

// The polyhedron that represents a component: the largest, so that the point shown is inside.
static const dls_set *representative(const dls_modes *m, int component)
{
  const dls_set *best = NULL;
  for (ptrdiff_t i = 0; i < m->sets; i++)
    if (m->set[i].component == component && (!best || m->set[i].dimension > best->dimension))
      best = &m->set[i];
  return best;
}

dls_status dls_coulomb_solutions(dls_modes *m)
{
  enum { LISTED = 100 };
  dls_context *x = m->polyhedra->x;
  dls_check *check = x->check;
  const int listed = m->components < LISTED ? m->components : LISTED;
  check->solution_count = dls_modes_open(m) ? -1 : m->components;
  if (listed == 0) return DLS_OK;
  check->solution = dls_arena_alloc(x->arena, listed, sizeof *check->solution);
  if (!check->solution) return DLS_ERR_MEMORY;
  dls_status status = DLS_OK;
  for (ptrdiff_t i = 0; i < m->sets && check->solutions < listed && status == DLS_OK; i++) {
    if (m->set[i].component != (int)i) continue;
    dls_solution *s = &check->solution[check->solutions++];
    status = fill_solution(m->polyhedra, representative(m, (int)i), s);
    s->continuum = m->weak.holds       ? DLS_CONTINUUM_NONE
                   : dls_modes_open(m) ? DLS_CONTINUUM_UNKNOWN
                                       : continuum_of(m, (int)i);
    if (status == DLS_OK) status = fill_intervals(m, (int)i, s);
  }
  return status;
}
