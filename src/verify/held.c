// Modes that leave only one acceleration.                                        eq (chk.12)
//
// Where contacts may do several things at once, forces anywhere in the cones and accelerations that
// do not close stand for all of them: a polytope that has more points than the solutions. If they
// all have one acceleration, so have the solutions. Where nothing slides yet, and z_0 opens and
// slips nowhere, forces show the same that balance M z_0 + F, lambda_0 >= 0 and without friction
// but where contacts cannot slip.                                                       eq (fri.10)
#include "base/memory.h"
#include "verify/checks.h"
#include "verify/mode_equations.h"
#include "verify/program.h"
#include "verify/sets.h"

#include <math.h>

typedef struct part_view {
  dls_trial *x;
  dls_polytope p;
  dls_program *program;
  double *cost, *z;  // size + 1; size: the point whose acceleration is claimed
  double size;       // of its accelerations
} part_view;

static bool view_part(dls_trial *x, int part, const dls_modes *mode, const dls_trial_point *point,
                      const dls_sizes *size, part_view *v)
{
  const dls_data *d = &x->data;
  const dls_part_measures measure =
      dls_measures_of(d, part, dls_larger(d->acceleration_floor[part], size->acceleration[part]),
                      dls_larger(d->force_floor[part], size->balance[part]));
  *v = (part_view){.x = x, .size = 1};
  if (!dls_polytope_create(x, part, measure, 1, &v->p) || !dls_polytope_relax(x, &v->p, mode))
    return false;
  v->program = dls_program_create(x, &v->p);
  v->cost = dls_trial_alloc(x, (ptrdiff_t)v->p.size + 1, sizeof *v->cost);
  v->z = dls_trial_alloc(x, (ptrdiff_t)v->p.size + 1, sizeof *v->z);
  if (!v->program || !v->cost || !v->z) return false;
  dls_polytope_point(x, &v->p, point, v->z);
  for (int i = 0; i < d->n; i++)
    if (v->p.coordinate[i] >= 0) dls_raise(&v->size, fabs(v->z[v->p.coordinate[i]]));
  return true;
}

static bool slides(const dls_data *d, const dls_polytope *p)
{
  for (int j = 0; j < d->m; j++)
    if (p->normal[j] >= 0 && d->sliding[j] && dls_has_friction(d, j)) return true;
  return false;
}

// At z_0 no contact opens or slips, beyond rounding beside all accelerations.
static bool is_at_rest(const part_view *v)
{
  const dls_data *d = &v->x->data;
  const dls_polytope *p = &v->p;
  const double zero = edge_of_rounding * d->noise * v->size;
  for (int j = 0; j < d->m; j++)
    for (int k = d->first[j] - 1; p->normal[j] >= 0 && k < d->first[j + 1]; k++) {
      const bool slip = k >= d->first[j];
      const double *column = slip ? dls_slip_column(d, k) : d->g[j];
      double a = d->C[j] * (slip ? d->b_t[k] : d->b[j]) / p->measure.z;
      if (slip && !dls_has_friction(d, j)) continue;
      for (int i = 0; i < d->n; i++)
        if (p->coordinate[i] >= 0) a += d->C[j] * column[i] * d->D[i] * v->z[p->coordinate[i]];
      if (!(fabs(a) <= zero)) return false;
    }
  return true;
}

// Tangential forces only where the contact cannot slip.
static bool only_sticks(dls_modes mode)
{
  const dls_modes sticks = DLS_STICK | DLS_STICK << DLS_PULL_SHIFT;
  return (mode & ~sticks) == 0;
}

// The balance of forces at z_0, of forces that show that it is the only acceleration.
static bool create_forces(const part_view *v, const dls_modes *mode, dls_polytope *p)
{
  const dls_data *d = &v->x->data;
  if (!dls_polytope_create(v->x, v->p.part, v->p.measure, 1, p)) return false;
  const ptrdiff_t width = (ptrdiff_t)p->size + 1;
  for (int e = 0; e < p->equation.count; e++) {
    double *row = p->equation.row + width * e;
    for (int i = 0; i < d->n; i++) {
      if (p->coordinate[i] < 0) continue;
      row[p->size] += row[p->coordinate[i]] * v->z[p->coordinate[i]];
      row[p->coordinate[i]] = 0;
    }
    for (int j = 0; j < d->m; j++)
      for (int k = d->first[j]; k < d->first[j + 1] && p->normal[j] >= 0; k++)
        if (!dls_has_friction(d, j) || !only_sticks(mode[j])) row[p->tangential[k]] = 0;
  }
  for (int j = d->m_b; j < d->m; j++)
    if (p->normal[j] >= 0) p->inequality.row[width * p->inequality.count++ + p->normal[j]] = 1;
  return true;
}

static bool rests(const part_view *v, const dls_modes *mode)
{
  const dls_data *d = &v->x->data;
  const dls_scaled M = dls_scaled_mass(d);
  dls_polytope forces;
  if (slides(d, &v->p) || !d->massive[v->p.part] || !dls_is_definite(&M, d->noise)) return false;
  if (!is_at_rest(v) || !create_forces(v, mode, &forces)) return false;
  dls_program *program = dls_program_create(v->x, &forces);
  double *point = dls_trial_alloc(v->x, (ptrdiff_t)forces.size + 1, sizeof *point);
  return program && point && dls_program_find(program, 1, point) == DLS_REACH_END;
}

// Each of some unknowns goes from its value to its value.
static bool is_narrow(const part_view *v, const int *unknown, int count, double size)
{
  const double slack = v->x->tolerance * size;
  for (int i = 0; i < count; i++) {
    const int at = unknown[i];
    for (int side = -1; side <= 1 && at >= 0; side += 2) {
      v->cost[at] = side;
      const bool held = dls_program_bounds(v->program, v->cost, side * v->z[at] + slack);
      v->cost[at] = 0;
      if (!held) return false;
    }
  }
  return true;
}

static bool is_empty(const part_view *v)
{
  return dls_program_find(v->program, 2, v->z) == DLS_REACH_EMPTY;
}

bool dls_holds_acceleration(dls_trial *x, const dls_modes *mode, const dls_trial_point *point)
{
  bool held = dls_trial_borrow(x);
  if (!held) return false;
  dls_sizes size;
  held = dls_measure_point(x, point, &size);
  for (int part = 0; held && part < x->data.parts; part++) {
    part_view v;
    held = view_part(x, part, mode, point, &size, &v) &&
           (rests(&v, mode) || is_narrow(&v, v.p.coordinate, x->data.n, v.size) || is_empty(&v));
  }
  dls_trial_return(x);
  return held && !x->out_of_memory;
}

bool dls_holds_forces(dls_trial *x, const dls_modes *mode, const dls_trial_point *point)
{
  bool held = dls_trial_borrow(x);
  if (!held) return false;
  dls_sizes size;
  held = dls_measure_point(x, point, &size);
  for (int part = 0; held && part < x->data.parts; part++) {
    part_view v;
    held = view_part(x, part, mode, point, &size, &v) &&
           ((is_narrow(&v, v.p.normal, x->data.m, 1) &&
             is_narrow(&v, v.p.tangential, x->data.tangents, 1)) ||
            is_empty(&v));
  }
  dls_trial_return(x);
  return held && !x->out_of_memory;
}

bool dls_modes_by_acceleration(dls_trial *x, const dls_modes *mode, const dls_trial_point *point,
                               dls_modes *whole)
{
  const dls_data *d = &x->data;
  const dls_modes pull = ~((1u << DLS_PULL_SHIFT) - 1);
  if (!dls_modes_of_point(x, point, whole)) return false;
  for (int j = 0; j < d->m; j++) {
    if (!dls_is_bilateral(d, j) || !dls_has_friction(d, j)) continue;
    if ((mode[j] & pull) && (mode[j] & ~pull)) return false;
    whole[j] = dls_mode_only(whole[j]);
    if (mode[j] & pull) whole[j] <<= DLS_PULL_SHIFT;
  }
  return true;
}
