// The residual of the contact problem with Coulomb friction, recomputed from its data and sharing
// nothing with any solver but the units.                               eq (con.3), (fri.2)
#include "contact/coulomb_residual.h"

#include "base/memory.h"
#include "base/larger.h"
#include "contact/tolerances.h"

#include <math.h>
#include <stdlib.h>

void dls_coulomb_units_free(dls_coulomb_units *units)
{
  dls_scaling_free(&units->scaling);
  free(units->C), free(units->size), free(units->moved);
  *units = (dls_coulomb_units){0};
}

// Normals and slips are scaled like constraints. The slips of one contact share their factor, or
// the cone would become an ellipse.
static void spread_contact(const dls_problem *p, dls_coulomb_units *units, int j)
{
  const dls_friction *f = p->friction;
  const int m = p->m_b + p->m_u;
  const double *C = units->scaling.C_b, *S = units->scaling.S_b;
  double least = INFINITY;
  units->C_n[j] = C[j], units->S_n[j] = S[j];
  for (int k = f ? f->first[j] : 0; f && k < f->first[j + 1]; k++) least = fmin(least, C[m + k]);
  for (int k = f ? f->first[j] : 0; f && k < f->first[j + 1]; k++)
    units->C_t[k] = least, units->S_t[k] = S[m + k];
}

static void spread_units(const dls_problem *p, dls_coulomb_units *units)
{
  const dls_friction *f = p->friction;
  const ptrdiff_t m = ((ptrdiff_t)p->m_b + p->m_u), tangents = f ? (ptrdiff_t)f->tangents : 0;
  units->D = units->scaling.D, units->S = units->scaling.S;
  units->C_n = units->C, units->S_n = units->C + m;
  units->C_t = units->S_n + m, units->S_t = units->C_t + tangents;
  units->mass = units->scaling.mass;
  for (int j = 0; j < p->m_b + p->m_u; j++) spread_contact(p, units, j);
}

// Parts in which something else than forces on what has no mass makes accelerations: all is the
// problem with the slips as constraints.
static void find_moved(const dls_problem *all, dls_coulomb_units *units)
{
  const int *part = units->scaling.part;
  const ptrdiff_t n = all->n;
  for (ptrdiff_t i = 0; i < n; i++)
    if (all->F[i] != 0 && all->M[i * (n + 1)] > 0) units->moved[part[i]] = true;
  for (ptrdiff_t j = 0; j < all->m_b; j++)
    if (all->b_b[j] != 0 && part[n + j] >= 0) units->moved[part[n + j]] = true;
}

dls_status dls_coulomb_units_create(const dls_problem *p, dls_coulomb_units *units)
{
  const dls_friction *f = p->friction;
  const ptrdiff_t n = p->n, m_b = p->m_b, m = m_b + p->m_u;
  const ptrdiff_t tangents = f ? (ptrdiff_t)f->tangents : 0, columns = m + tangents;
  *units = (dls_coulomb_units){.C = dls_alloc(2 * columns, sizeof(double)),
                               .size = dls_alloc(2 * (n + 1), sizeof(double)),
                               .moved = dls_alloc(n, sizeof(bool))};
  double *G = dls_alloc(n * columns, sizeof *G), *b = dls_alloc(columns, sizeof *b);
  int *group = dls_alloc(columns, sizeof *group);
  const bool room = units->C && units->size && units->moved && G && b && group;
  dls_status status = room ? DLS_OK : DLS_ERR_MEMORY;
  if (status == DLS_OK) {
    for (ptrdiff_t j = 0; j < m; j++) {
      const double *g = j < m_b ? p->G_b + n * j : p->G_u + n * (j - m_b);
      dls_copy(G + n * j, g, n);
      b[j] = j < m_b ? p->b_b[j] : p->b_u[j - m_b];
      group[j] = (int)j;
      for (int k = f ? f->first[j] : 0; f && k < f->first[j + 1]; k++) group[m + k] = (int)j;
    }
    if (tangents) dls_copy(G + n * m, f->H, n * tangents);
    // the slip acceleration of a contact matters while it may stick
    for (ptrdiff_t j = 0; f && j < m; j++)
      for (int k = f->first[j];
           !f->sliding[j] && dls_static_friction(f, (int)j) > 0 && k < f->first[j + 1]; k++)
        b[m + k] = f->b_t[k];
    const dls_problem all = {
        .n = p->n, .m_b = (int)columns, .M = p->M, .F = p->F, .G_b = G, .b_b = b};
    status = dls_scaling_create_grouped(&all, group, &units->scaling);
    if (status == DLS_OK) find_moved(&all, units);
  }
  if (status == DLS_OK) spread_units(p, units);
  free(G), free(b), free(group);
  if (status != DLS_OK) dls_coulomb_units_free(units);
  return status;
}

// --- what accelerations are measured by ---------------------------------------------------------

void dls_coulomb_size_reset(const dls_coulomb_units *units, int n)
{
  dls_clear(units->size, n + 1);
}

void dls_coulomb_size_raise(const dls_coulomb_units *units, int n, int coordinate, double size)
{
  const int part = units->scaling.part[coordinate];
  units->size[n] = dls_larger(units->size[n], size);
  units->size[part] = dls_larger(units->size[part], size);
}

double dls_coulomb_size_at(const dls_coulomb_units *units, int n, int contact, double own)
{
  const int part = units->scaling.part[n + contact];
  return dls_larger(own, units->size[part >= 0 && units->moved[part] ? part : n]);
}

// --- the law, one contact at a time -----------------------------------------------------------

typedef struct law {
  const dls_problem *p;
  const dls_coulomb_units *units;
  const double *z, *lambda_b, *lambda_u, *tau;
  double *f_size;           // n + 1, by part and of all: largest term of forces, scaled
  double a_error, f_error;  // largest violations, relative
  double pair_error;        // of complementarity and direction, relative
} law;

// Parts are scaled by their own loads, and forces may be much smaller than these: those of one part
// do not excuse what is wrong in another one.
static void raise_force(law *l, int part, double size)
{
  const int n = l->p->n;
  if (part >= 0) l->f_size[part] = dls_larger(l->f_size[part], size);
  l->f_size[n] = dls_larger(l->f_size[n], size);
}

static double force_at(const law *l, int contact)
{
  const int n = l->p->n, part = l->units->scaling.part[n + contact];
  return l->f_size[part >= 0 ? part : n];
}

// One row of the balance, scaled.
static dls_balance balance_row(const law *l, int i)
{
  const dls_balance row = dls_problem_balance(l->p, i, l->z, l->lambda_b, l->lambda_u, l->tau);
  const double weight = l->units->D[i] / l->units->S[i];
  return (dls_balance){weight * fabs(row.sum), weight * row.terms, weight * row.contact};
}

static bool has_mass(const dls_problem *p, int i)
{
  return p->M[i * ((ptrdiff_t)p->n + 1)] > 0;
}

// Contact forces that cancel each other do not count as size where there are other terms. What has
// no mass may have got a unit, from a gradient in which masses hardly count, in which all that acts
// on it is small: its row must hold beside its own terms, too.
static double balance(law *l)
{
  const dls_problem *p = l->p;
  const int *part = l->units->scaling.part;
  double error = 0;
  for (int i = 0; i < p->n; i++) {
    const dls_balance row = balance_row(l, i);
    raise_force(l, part[i], row.terms);
    if (has_mass(p, i)) dls_coulomb_size_raise(l->units, p->n, i, row.terms / l->units->mass);
    dls_coulomb_size_raise(l->units, p->n, i, fabs(l->z[i]) / (l->units->D[i] * l->units->S[i]));
  }
  for (int i = 0; i < p->n; i++) {
    const dls_balance row = balance_row(l, i);
    const double size = l->f_size[part[i]];
    error = dls_larger(error, dls_by_size(row.sum, size > 0 ? size : row.contact));
    const double terms = row.terms + row.contact, own = dls_by_size(row.sum, terms);
    // what acts on a mass alone is not excused by forces on what has none
    const bool alone = has_mass(p, i) && row.contact == 0 && p->F[i] != 0;
    if ((alone || !has_mass(p, i)) && own > unbalanced_massless) error = dls_larger(error, own);
  }
  return error;
}

typedef struct contact_values {
  double a, force;    // normal, scaled
  double unit;        // of accelerations
  double f_size;      // of forces, in the part
  double s[2], t[2];  // tangential acceleration and force, scaled
  double xi[2];
  double mu, mu_s;  // in scaled forces
  int tangents;
  bool bilateral, sliding;
} contact_values;

static contact_values contact(law *l, int j)
{
  const dls_problem *p = l->p;
  const dls_friction *f = p->friction;
  const dls_coulomb_units *k = l->units;
  const ptrdiff_t n = p->n;
  const bool bilateral = j < p->m_b;
  const int u = j - p->m_b;
  const double *g = bilateral ? p->G_b + n * j : p->G_u + n * u;
  contact_values c = {.bilateral = bilateral};
  double size = 0;
  const double weight = k->C_n[j] / k->S_n[j];
  c.a = weight * dls_problem_acceleration(p, g, bilateral ? p->b_b[j] : p->b_u[u], l->z, &size);
  double own = weight * size;
  c.force = (bilateral ? l->lambda_b[j] : l->lambda_u[u]) / (k->C_n[j] * k->S_n[j]);
  const int part = k->scaling.part[p->n + j];
  raise_force(l, part, fabs(c.force));
  c.unit = dls_coulomb_size_at(k, p->n, j, own);
  if (!f) return c;
  c.tangents = f->first[j + 1] - f->first[j];
  c.sliding = f->sliding[j];
  for (int d = 0; d < c.tangents; d++) {
    const int s = f->first[j] + d;
    const double tangential = k->C_t[s] / k->S_t[s];
    c.s[d] = tangential * dls_problem_acceleration(p, f->H + n * s, f->b_t[s], l->z, &size);
    if (!c.sliding && dls_static_friction(f, j) > 0) own = dls_larger(own, tangential * size);
    c.t[d] = l->tau[s] / (k->C_t[s] * k->S_t[s]);
    raise_force(l, part, fabs(c.t[d]));
    c.xi[d] = f->xi[s];
    c.mu = f->mu[j] * (k->C_n[j] / k->C_t[s]);  // S is the same
    c.mu_s = dls_static_friction(f, j) * (k->C_n[j] / k->C_t[s]);
  }
  c.unit = dls_coulomb_size_at(k, p->n, j, own);
  return c;
}

static void force_error(law *l, const contact_values *c, double error)
{
  l->f_error = dls_larger(l->f_error, dls_by_size(error, c->f_size));
}

// A tangential force that is wrong by `error`, relative. Steep cones ask for little normal force;
// but where its gradient hardly moves anything it is not rounding: the law must hold beside its own
// terms, too.
static double tangential_error(const contact_values *c, double error)
{
  const double terms = hypot(c->t[0], c->t[1]) + c->mu * fabs(c->force);
  const double relative = dls_by_size(error / dls_larger(1, c->mu), c->f_size);
  const double own = dls_by_size(error, terms);
  const bool steep = c->mu * unlawful_friction > 1;
  return steep && own > unlawful_friction ? dls_larger(relative, own) : relative;
}

// Friction alone: the cone, and that the force opposes the motion with all that the cone gives.
static void assess_friction(law *l, const contact_values *c)
{
  const double bound = c->mu * fabs(c->force);
  if (c->sliding) {
    for (int d = 0; d < c->tangents; d++)
      l->f_error = dls_larger(l->f_error, tangential_error(c, fabs(c->t[d] + bound * c->xi[d])));
    return;
  }
  const double size = hypot(c->t[0], c->t[1]), speed = hypot(c->s[0], c->s[1]);
  const double most = c->mu_s * fabs(c->force);
  l->f_error = dls_larger(l->f_error, tangential_error(c, dls_negative_part(most - size)));
  if (bound == 0 && size == 0) return;  // no force, no law for the slip
  // slipping and not opposing: the smaller of the slip and of |bound s + |s| t| / |s|
  double miss = 0;
  for (int d = 0; d < c->tangents && speed > 0; d++)
    miss = dls_larger(miss, fabs(bound * (c->s[d] / speed) + c->t[d]));
  const double x = dls_by_size(speed, c->unit), y = tangential_error(c, miss);
  l->pair_error = dls_larger(l->pair_error, isnan(x) || isnan(y) ? NAN : fmin(x, y));
}

static void assess_contact(law *l, const contact_values *c)
{
  if (c->bilateral) {
    l->a_error = dls_larger(l->a_error, dls_by_size(fabs(c->a), c->unit));
  } else {
    l->a_error = dls_larger(l->a_error, dls_by_size(dls_negative_part(c->a), c->unit));
    force_error(l, c, dls_negative_part(c->force));
    const double x = dls_by_size(fabs(c->a), c->unit), y = dls_by_size(fabs(c->force), c->f_size);
    l->pair_error = dls_larger(l->pair_error, isnan(x) || isnan(y) ? NAN : fmin(x, y));
  }
  if (c->tangents) assess_friction(l, c);
}

double dls_coulomb_residual_in(const dls_problem *p, const dls_coulomb_units *units,
                               const double *z, const double *lambda_b, const double *lambda_u,
                               const double *tau)
{
  law l = {.p = p, .units = units, .z = z, .lambda_b = lambda_b, .lambda_u = lambda_u, .tau = tau};
  l.f_size = units->size + p->n + 1;
  dls_clear(l.f_size, (ptrdiff_t)p->n + 1);
  dls_coulomb_size_reset(units, p->n);
  const double balance_error = balance(&l);
  const int m = p->m_b + p->m_u;
  for (int j = 0; j < m; j++) contact(&l, j);  // the sizes first
  for (int j = 0; j < m; j++) {
    contact_values c = contact(&l, j);
    c.f_size = force_at(&l, j);
    assess_contact(&l, &c);
  }
  double residual = dls_larger(balance_error, l.a_error);
  residual = dls_larger(residual, l.f_error);
  return dls_larger(residual, l.pair_error);
}

dls_status dls_coulomb_residual(const dls_problem *problem, const double *z, const double *lambda_b,
                                const double *lambda_u, const double *tau, double *residual)
{
  dls_problem *dense;
  dls_coulomb_units units;
  dls_status status = dls_problem_dense(problem, &dense, NULL);
  if (status == DLS_OK) status = dls_coulomb_units_create(dense, &units);
  if (status == DLS_OK) {
    *residual = dls_coulomb_residual_in(dense, &units, z, lambda_b, lambda_u, tau);
    dls_coulomb_units_free(&units);
  }
  dls_problem_dense_free(dense);
  return status;
}
