#include "verify/data.h"

#include "verify/tolerances.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

double dls_data_unit(double x)
{
  if (!(x > 0) || !isfinite(x)) return 1;
  const int exponent = ilogb(x);
  return exponent > -1000 && exponent < 1000 ? ldexp(1, exponent) : 1;
}

// ---- units -------------------------------------------------------------------------------------

// Largest entries of the contact's gradient and of its slips over the coordinates whose unit is
// known.
static double largest_normal(const dls_data *d, int j)
{
  double largest = 0;
  for (int i = 0; i < d->n; i++) largest = fmax(largest, d->D[i] * fabs(d->g[j][i]));
  return largest;
}

static double largest_slip(const dls_data *d, int j)
{
  double largest = 0;
  for (int k = d->first[j]; k < d->first[j + 1]; k++)
    for (int i = 0; i < d->n; i++)
      largest = fmax(largest, d->D[i] * fabs(dls_slip_column(d, k)[i]));
  return largest;
}

// Largest entry of a coordinate in the contacts whose unit is known.
static double largest_in_contacts(const dls_data *d, int i, bool slips)
{
  double largest = 0;
  for (int j = 0; j < d->m; j++) {
    if (!slips) largest = fmax(largest, d->C[j] * fabs(d->g[j][i]));
    for (int k = d->first[j]; slips && k < d->first[j + 1]; k++)
      largest = fmax(largest, d->C[j] * fabs(dls_slip_column(d, k)[i]));
  }
  return largest;
}

// Units spread from what has one to contacts, and from contacts to coordinates without mass, which
// take the unit in which their largest entry is about 1. False: nothing was found.
static bool spread_units(dls_data *d, bool slips)
{
  bool found = false;
  for (int j = 0; j < d->m; j++) {
    const double largest = d->C[j] > 0 ? 0 : slips ? largest_slip(d, j) : largest_normal(d, j);
    if (largest > 0) d->C[j] = dls_data_unit(1 / largest), found = true;
  }
  for (int i = 0; i < d->n; i++) {
    const double largest = d->D[i] > 0 ? 0 : largest_in_contacts(d, i, slips);
    if (largest > 0) d->D[i] = dls_data_unit(1 / largest), found = true;
  }
  return found;
}

// A coordinate that is coupled to nothing that has a unit: that in which its first contact has the
// unit of the others, as gaps are lengths everywhere; without any the user's.
static double foreign_unit(const dls_data *d, int i)
{
  double known = 0, largest = 0;
  for (int j = 0; j < d->m; j++) known = fmax(known, d->C[j]);
  for (int j = 0; j < d->m && largest == 0; j++) {
    largest = fabs(d->g[j][i]);
    for (int k = d->first[j]; k < d->first[j + 1]; k++)
      largest = fmax(largest, fabs(dls_slip_column(d, k)[i]));
  }
  return known > 0 && largest > 0 ? dls_data_unit(1 / (known * largest)) : 1;
}

static void find_units(dls_data *d)
{
  const ptrdiff_t n = d->n;
  for (ptrdiff_t i = 0; i < n; i++) {
    const double mass = d->M[i * (n + 1)];
    d->D[i] = mass > 0 ? dls_data_unit(1 / sqrt(mass)) : 0;
  }
  // along gradients as far as they go, then along slips
  for (int i = 0; i < d->n;) {
    while (spread_units(d, false) || spread_units(d, true)) {
    }
    while (i < d->n && d->D[i] > 0) i++;
    if (i < d->n) d->D[i] = foreign_unit(d, i);
  }
  spread_units(d, false);
}

// In units of its own where it is not of the length of the gradient.
static double slip_unit(const dls_data *d, int j)
{
  const double normal = largest_normal(d, j), slip = largest_slip(d, j);
  const bool alike = slip <= alike_lengths * normal && normal <= alike_lengths * slip;
  return alike || !(normal > 0) || !(slip > 0) ? 1 : dls_data_unit(normal / slip);
}

// False when memory runs out.
static bool rescale_slips(dls_data *d, dls_arena *arena)
{
  const ptrdiff_t n = d->n, tangents = d->tangents;
  bool same = true;
  for (int j = 0; j < d->m; j++) same &= (d->S[j] = slip_unit(d, j)) == 1;
  if (same) return true;
  double *H = dls_arena_alloc(arena, n * tangents, sizeof *H);
  double *b_t = dls_arena_alloc(arena, tangents, sizeof *b_t);
  double *w_t = dls_arena_alloc(arena, tangents, sizeof *w_t);
  double *mu = dls_arena_alloc(arena, d->m, sizeof *mu);
  double *mu_s = dls_arena_alloc(arena, d->m, sizeof *mu_s);
  if (!H || !b_t || !w_t || !mu || !mu_s) return false;
  for (int j = 0; j < d->m; j++) {
    mu[j] = d->mu[j] / d->S[j], mu_s[j] = d->mu_s[j] / d->S[j];
    for (int k = d->first[j]; k < d->first[j + 1]; k++) {
      b_t[k] = d->S[j] * d->b_t[k], w_t[k] = d->S[j] * d->w_t[k];
      for (ptrdiff_t i = 0; i < n; i++) H[i + n * k] = d->S[j] * dls_slip_column(d, k)[i];
    }
  }
  d->H = H, d->b_t = b_t, d->w_t = w_t, d->mu = mu, d->mu_s = mu_s;
  return true;
}

static void find_contact_units(dls_data *d)
{
  for (int j = 0; j < d->m; j++) {
    const double largest = fmax(largest_normal(d, j), largest_slip(d, j));
    d->C[j] = largest > 0 ? dls_data_unit(1 / largest) : 1;
  }
}

// ---- parts -------------------------------------------------------------------------------------

static int root_of(int *parent, int i)
{
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

static void couple(int *parent, int i, int j)
{
  parent[root_of(parent, i)] = root_of(parent, j);
}

static bool touches(const dls_data *d, int contact, int coordinate)
{
  if (d->g[contact][coordinate] != 0) return true;
  for (int k = d->first[contact]; k < d->first[contact + 1]; k++)
    if (dls_slip_column(d, k)[coordinate] != 0) return true;
  return false;
}

// parent: n + m nodes, coordinates first.
static void find_parts(dls_data *d, int *parent, int *number)
{
  const ptrdiff_t n = d->n;
  for (int i = 0; i < d->n + d->m; i++) parent[i] = i, number[i] = -1;
  for (ptrdiff_t j = 0; j < n; j++)
    for (ptrdiff_t i = 0; i < n; i++)
      if (d->M[i + n * j] != 0) couple(parent, (int)i, (int)j);
  for (int j = 0; j < d->m; j++)
    for (int i = 0; i < d->n; i++)
      if (touches(d, j, i)) couple(parent, d->n + j, i);
  for (int i = 0; i < d->n + d->m; i++) {
    const int root = root_of(parent, i);
    if (number[root] < 0) number[root] = d->parts++;
    *(i < d->n ? &d->coordinate_part[i] : &d->contact_part[i - d->n]) = number[root];
  }
  for (ptrdiff_t i = 0; i < n; i++)
    if (d->M[i * (n + 1)] > 0) d->massive[d->coordinate_part[i]] = true;
}

static double largest_of(const double *x, int count)
{
  double largest = 0;
  for (int i = 0; i < count; i++) largest = fmax(largest, x[i]);
  return largest;
}

static void find_loads(dls_data *d)
{
  double *force = d->force_load, *acceleration = d->acceleration_load;
  for (int i = 0; i < d->n; i++) {
    double *load = &force[d->coordinate_part[i]];
    *load = fmax(*load, d->D[i] * fabs(d->F[i]));
    double *pull = &acceleration[d->coordinate_part[i]];
    if (dls_has_mass(d, i)) *pull = fmax(*pull, d->D[i] * fabs(d->F[i]));
    d->pushed[d->coordinate_part[i]] |= d->F[i] != 0;
  }
  for (int j = 0; j < d->m; j++) {
    double *load = &acceleration[d->contact_part[j]];
    *load = fmax(*load, d->C[j] * fabs(d->b[j]));
    for (int k = d->first[j]; k < d->first[j + 1] && dls_slip_counts(d, j); k++)
      *load = fmax(*load, d->C[j] * fabs(d->b_t[k]));
  }
  // where there is mass, forces and accelerations have the same unit; but forces on what has none
  // may be far larger than all accelerations
  for (int p = 0; p < d->parts; p++) {
    if (!d->massive[p]) continue;
    force[p] = fmax(force[p], acceleration[p]);
    if (acceleration[p] == 0) acceleration[p] = force[p];
  }
  const double max_force = largest_of(force, d->parts);
  const double max_acceleration = largest_of(acceleration, d->parts);
  for (int p = 0; p < d->parts; p++) {
    d->force_floor[p] = force[p] > 0 ? force[p] : max_force;
    d->acceleration_floor[p] = acceleration[p] > 0 ? acceleration[p] : max_acceleration;
  }
}

// whole: slips are in the model's units so far.
static dls_status measure(dls_data *d, bool whole, dls_arena *arena)
{
  const ptrdiff_t n = d->n, m = d->m;
  int *parent = dls_alloc(2 * (n + m), sizeof *parent);
  d->D = dls_arena_alloc(arena, n, sizeof(double));
  d->C = dls_arena_alloc(arena, m, sizeof(double));
  d->S = dls_arena_alloc(arena, m, sizeof(double));
  d->coordinate_part = dls_arena_alloc(arena, n, sizeof(int));
  d->contact_part = dls_arena_alloc(arena, m, sizeof(int));
  d->massive = dls_arena_alloc(arena, n + m, sizeof(bool));
  d->force_load = dls_arena_alloc(arena, 4 * (n + m), sizeof(double));
  d->pushed = dls_arena_alloc(arena, n + m, sizeof(bool));
  bool good = d->force_load && d->pushed && parent && d->D && d->C && d->S && d->coordinate_part &&
              d->contact_part && d->massive;
  if (good) {
    d->acceleration_load = d->force_load + n + m;
    d->force_floor = d->acceleration_load + n + m;
    d->acceleration_floor = d->force_floor + n + m;
    find_units(d);
    for (int j = 0; j < d->m; j++) d->S[j] = 1;
    good = !whole || rescale_slips(d, arena);
    find_contact_units(d);
    find_parts(d, parent, parent + n + m);
    find_loads(d);
  }
  free(parent);
  d->noise = rounding_of_data * DBL_EPSILON * (double)(d->n + d->m + d->tangents);
  for (int j = 0; j < d->m; j++) d->rubs |= dls_has_friction(d, j);
  return good ? DLS_OK : DLS_ERR_MEMORY;
}

// ---- from a problem ----------------------------------------------------------------------------

// A problem without friction data has no slips, and nothing moves on its own.
static bool take_friction(const dls_friction *f, dls_arena *arena, dls_data *d)
{
  const ptrdiff_t m = d->m;
  if (f) {
    double *mu_s = dls_arena_alloc(arena, m, sizeof *mu_s);
    for (ptrdiff_t j = 0; mu_s && j < m; j++)
      mu_s[j] = f->mu_s && !f->sliding[j] ? f->mu_s[j] : f->mu[j];
    d->mu_s = mu_s;
    d->tangents = f->tangents;
    d->first = f->first, d->H = f->H, d->b_t = f->b_t, d->xi = f->xi, d->mu = f->mu;
    d->sliding = f->sliding, d->w_n = f->w_n, d->w_t = f->w_t;
    return mu_s != NULL;
  }
  d->first = dls_arena_alloc(arena, m + 1, sizeof(int));
  const double *zeros = dls_arena_alloc(arena, m, sizeof(double));
  d->sliding = dls_arena_alloc(arena, m, sizeof(bool));
  d->H = d->b_t = d->xi = d->mu = d->mu_s = d->w_n = d->w_t = zeros;
  return d->first && zeros && d->sliding;
}

dls_status dls_data_create(const dls_problem *p, dls_arena *arena, dls_data *d)
{
  const ptrdiff_t n = p->n, m = ((ptrdiff_t)p->m_b + p->m_u);
  *d = (dls_data){.n = p->n, .m_b = p->m_b, .m = p->m_b + p->m_u, .M = p->M, .F = p->F};
  d->coordinate_name = p->coordinates;
  d->g = dls_arena_alloc(arena, m, sizeof *d->g);
  d->contact_name = dls_arena_alloc(arena, m, sizeof *d->contact_name);
  double *b = dls_arena_alloc(arena, m, sizeof *b);
  d->b = b;
  if (!d->g || !d->contact_name || !b || !take_friction(p->friction, arena, d))
    return DLS_ERR_MEMORY;
  for (ptrdiff_t j = 0; j < m; j++) {
    const bool bilateral = j < p->m_b;
    const ptrdiff_t u = bilateral ? j : j - p->m_b;
    d->g[j] = (bilateral ? p->G_b : p->G_u) + n * u;
    b[j] = (bilateral ? p->b_b : p->b_u)[u];
    d->contact_name[j] = (bilateral ? p->bilateral : p->unilateral)[u];
  }
  return measure(d, true, arena);
}

// ---- an object ---------------------------------------------------------------------------------

typedef struct object_arrays {
  double *M, *F, *b, *H, *b_t, *xi, *mu, *mu_s, *w_n, *w_t;
  int *first;
  bool *sliding;
  const char **names;
} object_arrays;

static bool allocate_object(dls_arena *arena, ptrdiff_t n, ptrdiff_t m, ptrdiff_t tangents,
                            object_arrays *a)
{
  a->M = dls_arena_alloc(arena, n * n, sizeof(double));
  a->F = dls_arena_alloc(arena, n, sizeof(double));
  a->b = dls_arena_alloc(arena, m, sizeof(double));
  a->H = dls_arena_alloc(arena, n * tangents, sizeof(double));
  a->b_t = dls_arena_alloc(arena, tangents, sizeof(double));
  a->xi = dls_arena_alloc(arena, tangents, sizeof(double));
  a->mu = dls_arena_alloc(arena, m, sizeof(double));
  a->mu_s = dls_arena_alloc(arena, m, sizeof(double));
  a->w_n = dls_arena_alloc(arena, m, sizeof(double));
  a->w_t = dls_arena_alloc(arena, tangents, sizeof(double));
  a->first = dls_arena_alloc(arena, m + 1, sizeof(int));
  a->sliding = dls_arena_alloc(arena, m, sizeof(bool));
  a->names = dls_arena_alloc(arena, n, sizeof *a->names);
  return a->M && a->F && a->b && a->H && a->b_t && a->xi && a->mu && a->mu_s && a->w_n && a->w_t &&
         a->first && a->sliding && a->names;
}

// Copies the entries of one contact; false when memory runs out.
static bool copy_contact(const dls_data *whole, int j, const int *rows, dls_arena *arena,
                         object_arrays *a, dls_data *o)
{
  const ptrdiff_t n = o->n;
  double *g = dls_arena_alloc(arena, n, sizeof *g);
  if (!g) return false;
  for (ptrdiff_t i = 0; i < n; i++) g[i] = whole->g[j][rows[i]];
  o->g[o->m] = g;
  o->contact_name[o->m] = whole->contact_name[j];
  a->b[o->m] = whole->b[j], a->mu[o->m] = whole->mu[j], a->mu_s[o->m] = whole->mu_s[j],
  a->w_n[o->m] = whole->w_n[j];
  a->sliding[o->m] = whole->sliding[j];
  for (int k = whole->first[j]; k < whole->first[j + 1]; k++, o->tangents++) {
    for (ptrdiff_t i = 0; i < n; i++)
      a->H[i + n * o->tangents] = dls_slip_column(whole, k)[rows[i]];
    a->b_t[o->tangents] = whole->b_t[k], a->xi[o->tangents] = whole->xi[k];
    a->w_t[o->tangents] = whole->w_t[k];
  }
  o->m++;
  o->m_b += dls_is_bilateral(whole, j);
  a->first[o->m] = o->tangents;
  return true;
}

dls_status dls_data_object(const dls_data *whole, const int *rows, int count, dls_arena *arena,
                           dls_data *o, int **contact)
{
  const ptrdiff_t n = count, m = whole->m, all = whole->n;
  object_arrays a = {0};
  *o = (dls_data){.n = count};
  o->g = dls_arena_alloc(arena, m, sizeof *o->g);
  o->contact_name = dls_arena_alloc(arena, m, sizeof *o->contact_name);
  *contact = dls_arena_alloc(arena, m, sizeof **contact);
  if (!allocate_object(arena, n, m, whole->tangents, &a) || !o->g || !o->contact_name || !*contact)
    return DLS_ERR_MEMORY;
  for (ptrdiff_t j = 0; j < n; j++) {
    a.F[j] = whole->F[rows[j]];
    a.names[j] = whole->coordinate_name[rows[j]];
    for (ptrdiff_t i = 0; i < n; i++) a.M[i + n * j] = whole->M[rows[i] + all * rows[j]];
  }
  for (int j = 0; j < whole->m; j++) {
    bool belongs = false;
    for (int i = 0; i < count; i++) belongs |= touches(whole, j, rows[i]);
    if (!belongs) continue;
    (*contact)[o->m] = j;
    if (!copy_contact(whole, j, rows, arena, &a, o)) return DLS_ERR_MEMORY;
  }
  o->M = a.M, o->F = a.F, o->b = a.b, o->H = a.H, o->b_t = a.b_t, o->xi = a.xi, o->mu = a.mu,
  o->mu_s = a.mu_s;
  o->w_n = a.w_n, o->w_t = a.w_t, o->first = a.first, o->sliding = a.sliding;
  o->coordinate_name = a.names;
  return measure(o, false, arena);
}
