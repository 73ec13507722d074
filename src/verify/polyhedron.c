// The solutions of one combination of modes as a polytope, in scaled units.       eq (chk.11)
#include "verify/mode_equations.h"
#include "verify/program.h"

#include <math.h>

enum { FACETS = 32 };  // of the polygon that stands for a circle

static double *add_row(dls_rows *rows, int size, double constant)
{
  double *row = rows->row + ((ptrdiff_t)size + 1) * rows->count++;
  row[size] = constant;
  return row;
}

static void number_unknowns(const dls_data *d, dls_polytope *p)
{
  for (int i = 0; i < d->n; i++)
    p->coordinate[i] = d->coordinate_part[i] == p->part ? p->size++ : -1;
  for (int j = 0; j < d->m; j++) {
    const bool here = d->contact_part[j] == p->part;
    p->normal[j] = here ? p->size++ : -1;
    for (int k = d->first[j]; k < d->first[j + 1]; k++) p->tangential[k] = here ? p->size++ : -1;
  }
}

static void add_balance(const dls_data *d, dls_polytope *p)
{
  const ptrdiff_t n = d->n;
  for (int i = 0; i < d->n; i++) {
    if (p->coordinate[i] < 0) continue;
    double *row = add_row(&p->equation, p->size, d->D[i] * d->F[i] / p->measure.force);
    for (int k = 0; k < d->n; k++)
      if (p->coordinate[k] >= 0) row[p->coordinate[k]] = d->D[i] * d->M[i + n * k] * d->D[k];
    for (int j = 0; j < d->m; j++) {
      if (p->normal[j] < 0) continue;
      row[p->normal[j]] = -d->D[i] * d->g[j][i] * d->C[j];
      for (int k = d->first[j]; k < d->first[j + 1]; k++)
        row[p->tangential[k]] = -d->D[i] * dls_slip_column(d, k)[i] * d->C[j];
    }
  }
}

bool dls_polytope_create(dls_trial *x, int part, dls_part_measures measure, int polyhedra,
                         dls_polytope *p)
{
  const dls_data *d = &x->data;
  const ptrdiff_t n = d->n, m = d->m, tangents = d->tangents;
  *p = (dls_polytope){.part = part, .measure = measure};
  p->coordinate = dls_trial_alloc(x, n, sizeof(int));
  p->normal = dls_trial_alloc(x, m, sizeof(int));
  p->tangential = dls_trial_alloc(x, tangents, sizeof(int));
  if (!p->coordinate || !p->normal || !p->tangential) return false;
  number_unknowns(d, p);
  const ptrdiff_t width = (ptrdiff_t)p->size + 1, most = polyhedra;
  ptrdiff_t contacts = 0, sides = 0;
  for (int j = 0; j < d->m; j++) {
    contacts += p->normal[j] >= 0 ? 1 + (ptrdiff_t)dls_tangents_of(d, j) : 0;
    sides += p->normal[j] >= 0 ? 4 + (dls_tangents_of(d, j) == 2 ? (ptrdiff_t)FACETS : 0) : 0;
  }
  p->equation.row = dls_trial_alloc(x, (n + most * contacts) * width, sizeof(double));
  p->inequality.row = dls_trial_alloc(x, most * sides * width, sizeof(double));
  if (!p->equation.row || !p->inequality.row) return false;
  add_balance(d, p);
  return true;
}

// sign (column^T z + b), scaled.
static void add_acceleration(const dls_data *d, dls_polytope *p, dls_rows *rows, int contact,
                             int slip, double sign)
{
  const double *column = slip < 0 ? d->g[contact] : dls_slip_column(d, slip);
  const double unit = sign * d->C[contact];
  const double b = slip < 0 ? d->b[contact] : d->b_t[slip];
  double *row = add_row(rows, p->size, unit * b / p->measure.z);
  for (int i = 0; i < d->n; i++)
    if (p->coordinate[i] >= 0) row[p->coordinate[i]] = unit * d->D[i] * column[i];
}

// Rows of numbers about 1.
static double friction_unit(double mu)
{
  return dls_data_unit(1 / fmax(1, mu));
}

static void add_cone(const dls_data *d, dls_polytope *p, int j, int sign, bool outer)
{
  const bool planar = dls_tangents_of(d, j) == 1;
  const int facets = planar ? 2 : FACETS;
  const double turn = 6.283185307179586 / facets;
  const double unit = friction_unit(d->mu_s[j]);
  // a direction that is a little too short lets more through, never less
  const double length = outer ? a_little_shorter : 1 / cos(turn / 2);
  for (int k = 0; k < facets; k++) {
    double *row = add_row(&p->inequality, p->size, 0);
    row[p->normal[j]] = unit * sign * d->mu_s[j];
    row[p->tangential[d->first[j]]] = unit * (planar ? 1 - 2 * k : length * cos(turn * k));
    if (!planar) row[p->tangential[d->first[j] + 1]] = unit * length * sin(turn * k);
  }
}

// tau = -sign mu u lambda.
static void add_friction(const dls_data *d, dls_polytope *p, int j, int sign, dls_modes only)
{
  const double unit = friction_unit(d->mu[j]);
  for (int k = d->first[j]; k < d->first[j + 1]; k++) {
    const double u = only == DLS_PLUS ? 1 : only == DLS_MINUS ? -1 : d->xi[k];
    double *row = add_row(&p->equation, p->size, 0);
    row[p->tangential[k]] = unit;
    row[p->normal[j]] = unit * sign * d->mu[j] * u;
  }
}

static void add_contact(const dls_data *d, dls_polytope *p, int j, dls_modes mode, bool outer)
{
  const dls_modes only = dls_mode_only(mode);
  const int sign = dls_mode_sign(mode), first = d->first[j], end = d->first[j + 1];
  const bool rubs = only != DLS_DETACH && only != DLS_CLOSED;
  for (int k = first; !rubs && k < end; k++)
    add_row(&p->equation, p->size, 0)[p->tangential[k]] = 1;
  if (only == DLS_DETACH) {
    add_row(&p->equation, p->size, 0)[p->normal[j]] = 1;
    add_acceleration(d, p, &p->inequality, j, -1, 1);
    return;
  }
  add_acceleration(d, p, &p->equation, j, -1, 1);
  if (rubs || !dls_is_bilateral(d, j)) add_row(&p->inequality, p->size, 0)[p->normal[j]] = sign;
  if (only == DLS_STICK) {
    for (int k = first; k < end; k++) add_acceleration(d, p, &p->equation, j, k, 1);
    add_cone(d, p, j, sign, outer);
  } else if (rubs) {
    add_friction(d, p, j, sign, only);
    if (only != DLS_SLIDE)
      add_acceleration(d, p, &p->inequality, j, first, only == DLS_PLUS ? 1 : -1);
  }
}

bool dls_polytope_add(dls_trial *x, dls_polytope *p, const dls_modes *mode, bool outer)
{
  const dls_data *d = &x->data;
  for (int j = 0; j < d->m; j++)
    if (p->normal[j] >= 0 && dls_mode_only(mode[j]) == DLS_SLIDE && !d->sliding[j]) return false;
  for (int j = 0; j < d->m; j++)
    if (p->normal[j] >= 0) add_contact(d, p, j, mode[j], outer);
  return true;
}

// A contact that may do several things: what they have in common. False for a force of either sign.
static bool add_open(const dls_data *d, dls_polytope *p, int j, dls_modes mode)
{
  const bool bilateral = dls_is_bilateral(d, j), rubs = dls_has_friction(d, j);
  const dls_modes push = (1u << DLS_PULL_SHIFT) - 1;
  const int sign = mode & push ? 1 : -1;
  if (bilateral && rubs && (mode & push) && (mode & ~push)) return false;
  add_acceleration(d, p, mode & DLS_DETACH ? &p->inequality : &p->equation, j, -1, 1);
  if (rubs || !bilateral) add_row(&p->inequality, p->size, 0)[p->normal[j]] = sign;
  for (int k = d->first[j]; !rubs && k < d->first[j + 1]; k++)
    add_row(&p->equation, p->size, 0)[p->tangential[k]] = 1;
  if (rubs && d->sliding[j]) add_friction(d, p, j, sign, DLS_SLIDE);
  else if (rubs) add_cone(d, p, j, sign, true);
  return true;
}

bool dls_polytope_relax(dls_trial *x, dls_polytope *p, const dls_modes *mode)
{
  const dls_data *d = &x->data;
  for (int j = 0; j < d->m; j++) {
    if (p->normal[j] < 0) continue;
    const bool told = !(mode[j] & (mode[j] - 1));
    const bool turns = dls_mode_only(mode[j]) == DLS_SLIDE && !d->sliding[j];
    if (told && !turns) add_contact(d, p, j, mode[j], true);
    else if (!add_open(d, p, j, mode[j])) return false;
  }
  return true;
}

void dls_polytope_point(const dls_trial *x, const dls_polytope *p, const dls_trial_point *point,
                        double *y)
{
  const dls_data *d = &x->data;
  for (int i = 0; i < d->n; i++)
    if (p->coordinate[i] >= 0) y[p->coordinate[i]] = point->z[i] / d->D[i] / p->measure.z;
  for (int j = 0; j < d->m; j++) {
    if (p->normal[j] < 0) continue;
    y[p->normal[j]] = point->lambda[j] / d->C[j] / p->measure.force;
    for (int k = d->first[j]; k < d->first[j + 1]; k++)
      y[p->tangential[k]] = point->tau[k] / d->C[j] / p->measure.force;
  }
}
