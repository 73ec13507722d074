#include "certify/polyhedra.h"

#include "base/memory.h"
#include "certify/tolerances.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>

bool dls_polyhedra_bilateral(const dls_polyhedra *c, int contact)
{
  return contact < c->m_b;
}

int dls_polyhedra_tangents(const dls_polyhedra *c, int contact)
{
  return c->first[contact + 1] - c->first[contact];
}

static void scale_data(dls_polyhedra *c)
{
  const dls_problem *p = c->given;
  const dls_friction *f = p->friction;
  const dls_coulomb_units *u = &c->units;
  const ptrdiff_t n = c->n;
  for (ptrdiff_t j = 0; j < n; j++)
    for (ptrdiff_t i = 0; i < n; i++)
      c->M[i + n * j] =
          u->D[i] / u->mass * (0.5 * p->M[i + n * j] + 0.5 * p->M[j + n * i]) * u->D[j];
  for (ptrdiff_t i = 0; i < n; i++) c->F[i] = u->D[i] / (u->mass * u->S[i]) * p->F[i];
  for (int j = 0; j < c->m; j++) {
    const bool bilateral = dls_polyhedra_bilateral(c, j);
    const ptrdiff_t at = (bilateral ? j : j - c->m_b);
    const double *g = (bilateral ? p->G_b : p->G_u) + n * at;
    for (ptrdiff_t i = 0; i < n; i++) c->G[i + n * j] = u->D[i] * g[i] * u->C_n[j];
    c->b[j] = u->C_n[j] / u->S_n[j] * (bilateral ? p->b_b : p->b_u)[at];
    const int tangents = dls_polyhedra_tangents(c, j);
    const double unit = tangents ? u->C_n[j] / u->C_t[c->first[j]] : 0;
    const double most = tangents ? dls_static_friction(f, j) : 0;
    c->mu[j] = tangents ? f->mu[j] * unit : 0;
    c->mu_s[j] = most * unit;
    c->touch[j] = most == 0       ? DLS_TOUCH_FRICTIONLESS
                  : f->sliding[j] ? DLS_TOUCH_SLIDING
                                  : DLS_TOUCH_CANDIDATE;
  }
  for (int k = 0; k < c->tangents; k++) {
    for (ptrdiff_t i = 0; i < n; i++) c->H[i + n * k] = u->D[i] * f->H[i + n * k] * u->C_t[k];
    c->b_t[k] = u->C_t[k] / u->S_t[k] * f->b_t[k];
    c->xi[k] = f->xi[k];
  }
  c->load = fmax(dls_norm_max(c->n, c->F), fmax(dls_norm_max(c->m, c->b), 0));
  // the slip acceleration of a contact matters while it may stick
  for (int j = 0; j < c->m; j++)
    for (int k = c->first[j]; c->touch[j] == DLS_TOUCH_CANDIDATE && k < c->first[j + 1]; k++)
      c->load = fmax(c->load, fabs(c->b_t[k]));
}

dls_status dls_polyhedra_create(dls_context *x, dls_polyhedra **out)
{
  const dls_problem *p = &x->given;
  dls_polyhedra *c = dls_arena_alloc(x->work, 1, sizeof *c);
  *out = c;
  if (!c) return DLS_ERR_MEMORY;
  const dls_friction *f = p->friction;
  const int *none = dls_arena_alloc(x->work, ((ptrdiff_t)p->m_b + p->m_u) + 1, sizeof *none);
  if (!none) return DLS_ERR_MEMORY;
  *c = (dls_polyhedra){.x = x,
                       .given = p,
                       .n = p->n,
                       .m_b = p->m_b,
                       .m = p->m_b + p->m_u,
                       .tangents = f ? f->tangents : 0,
                       .first = f ? f->first : none};
  const ptrdiff_t n = c->n, m = c->m, tangents = c->tangents;
  c->M = dls_context_work(x, n * n), c->F = dls_context_work(x, n);
  c->G = dls_context_work(x, n * m), c->b = dls_context_work(x, m);
  c->H = dls_context_work(x, n * tangents), c->b_t = dls_context_work(x, tangents);
  c->xi = dls_context_work(x, tangents), c->mu = dls_context_work(x, m);
  c->mu_s = dls_context_work(x, m);
  c->touch = dls_arena_alloc(x->work, m, sizeof *c->touch);
  if (x->out_of_memory || !c->touch) return DLS_ERR_MEMORY;
  dls_status status = dls_coulomb_units_create(p, &c->units);
  if (status != DLS_OK) return status;
  scale_data(c);
  c->tolerance = x->basic.tolerance;
  c->margin = x->basic.noise;
  c->loose = fmin(residual_roundings * x->basic.noise, c->tolerance);
  return DLS_OK;
}

void dls_polyhedra_free(dls_polyhedra *c)
{
  if (c) dls_coulomb_units_free(&c->units);
}

int dls_polyhedra_modes(const dls_polyhedra *c, int j, unsigned char *mode)
{
  const bool bilateral = dls_polyhedra_bilateral(c, j);
  const bool planar = dls_polyhedra_tangents(c, j) < 2;
  int count = 0;
  if (!bilateral) mode[count++] = DLS_MODE_DETACH;
  switch (c->touch[j]) {
  case DLS_TOUCH_FRICTIONLESS: mode[count++] = DLS_MODE_CLOSED; return count;
  case DLS_TOUCH_SLIDING: mode[count++] = DLS_MODE_SLIDE; break;
  case DLS_TOUCH_CANDIDATE:
    mode[count++] = DLS_MODE_STICK;
    if (planar) mode[count++] = DLS_MODE_SLIDE_PLUS, mode[count++] = DLS_MODE_SLIDE_MINUS;
    else mode[count++] = DLS_MODE_SLIDE;
    break;
  }
  for (int k = 0, pushing = count; bilateral && k < pushing; k++)
    mode[count++] = (unsigned char)(mode[k] | DLS_MODE_PULLING);
  return count;
}

// --- one polyhedron ------------------------------------------------------------------------------

dls_status dls_polyhedron_create(dls_polyhedra *c, dls_polyhedron *polyhedron)
{
  dls_context *x = c->x;
  const ptrdiff_t size = ((ptrdiff_t)c->n + c->m + c->tangents),
                  rows = 2 * ((ptrdiff_t)c->m + c->tangents);
  polyhedron->K = dls_context_work(x, size * size), polyhedron->r = dls_context_work(x, size);
  polyhedron->L = dls_context_work(x, rows * size), polyhedron->e = dls_context_work(x, rows);
  polyhedron->tau_norm = dls_arena_alloc(x->work, rows, sizeof(int));
  polyhedron->owner = dls_arena_alloc(x->work, rows, sizeof(int));
  polyhedron->kind = dls_arena_alloc(x->work, rows, sizeof(signed char));
  polyhedron->force_at = dls_arena_alloc(x->work, c->m, sizeof(int));
  polyhedron->columns = dls_arena_alloc(x->work, c->m, sizeof(int));
  const bool good = polyhedron->tau_norm && polyhedron->owner && polyhedron->kind &&
                    polyhedron->force_at && polyhedron->columns;
  return x->out_of_memory || !good ? DLS_ERR_MEMORY : DLS_OK;
}

// Direction in which a contact slides in this mode: +-1 times the slip, or xi.
static void sliding_direction(const dls_polyhedra *c, int j, int kind, double *e)
{
  const int first = c->first[j];
  for (int k = 0; k < dls_polyhedra_tangents(c, j); k++)
    e[k] = kind == DLS_MODE_SLIDE ? c->xi[first + k] : kind == DLS_MODE_SLIDE_PLUS ? 1 : -1;
}

// Adds a force column g and a vanishing row a to the polyhedron's matrix at place `at`.
static void add_pair(const dls_polyhedra *c, dls_polyhedron *polyhedron, int stride, int at,
                     const double *column, const double *row, double constant)
{
  const ptrdiff_t N = stride, p = at;
  for (ptrdiff_t i = 0; i < c->n; i++) {
    polyhedron->K[i + N * p] = -column[i];
    polyhedron->K[p + N * i] = row[i];
  }
  polyhedron->r[p] = -constant;
}

static double *add_inequality(dls_polyhedron *polyhedron, int contact, int kind, double constant)
{
  const int k = polyhedron->inequalities++;
  double *row = polyhedron->L + (ptrdiff_t)k * polyhedron->size;
  dls_clear(row, polyhedron->size);
  polyhedron->e[k] = constant, polyhedron->owner[k] = contact,
  polyhedron->kind[k] = (signed char)kind;
  polyhedron->tau_norm[k] = -1;
  return row;
}

static int columns_of(const dls_polyhedra *c, int j, int kind)
{
  if (kind == DLS_MODE_DETACH) return 0;
  return kind == DLS_MODE_STICK ? 1 + dls_polyhedra_tangents(c, j) : 1;
}

static int count_columns(const dls_polyhedra *c, const unsigned char *mode)
{
  int count = 0;
  for (int j = 0; j < c->m; j++) count += columns_of(c, j, mode[j] & ~DLS_MODE_PULLING);
  return count;
}

static void set_columns(const dls_polyhedra *c, const unsigned char *mode,
                        dls_polyhedron *polyhedron, double *column)
{
  const ptrdiff_t n = c->n;
  int at = c->n;
  for (int j = 0; j < c->m; j++) {
    const int kind = mode[j] & ~DLS_MODE_PULLING, first = c->first[j];
    const double sign = mode[j] & DLS_MODE_PULLING ? -1 : 1, *g = c->G + n * j;
    polyhedron->force_at[j] = kind == DLS_MODE_DETACH ? -1 : at;
    polyhedron->columns[j] = columns_of(c, j, kind);
    if (kind == DLS_MODE_DETACH) continue;
    dls_copy(column, g, n);
    if (kind >= DLS_MODE_SLIDE) {
      double e[2] = {0};
      sliding_direction(c, j, kind, e);
      for (int k = 0; k < dls_polyhedra_tangents(c, j); k++)
        for (ptrdiff_t i = 0; i < n; i++)
          column[i] -= sign * c->mu[j] * e[k] * c->H[i + n * ((ptrdiff_t)first + k)];
    }
    add_pair(c, polyhedron, polyhedron->size, at++, column, g, c->b[j]);
    for (int k = first; kind == DLS_MODE_STICK && k < c->first[j + 1]; k++) {
      const double *h = c->H + n * k;
      add_pair(c, polyhedron, polyhedron->size, at++, h, h, c->b_t[k]);
    }
  }
}

static void set_inequalities(const dls_polyhedra *c, const unsigned char *mode,
                             dls_polyhedron *polyhedron)
{
  const ptrdiff_t n = c->n;
  polyhedron->inequalities = 0;
  for (int j = 0; j < c->m; j++) {
    const int kind = mode[j] & ~DLS_MODE_PULLING, at = polyhedron->force_at[j];
    const double sign = mode[j] & DLS_MODE_PULLING ? -1 : 1;
    if (kind == DLS_MODE_DETACH) {
      dls_copy(add_inequality(polyhedron, j, 1, c->b[j]), c->G + n * (ptrdiff_t)j, n);
    } else if (kind == DLS_MODE_CLOSED) {
      if (!dls_polyhedra_bilateral(c, j)) add_inequality(polyhedron, j, 0, 0)[at] = 1;
    } else if (kind == DLS_MODE_STICK && dls_polyhedra_tangents(c, j) == 1) {
      for (int side = -1; side <= 1; side += 2) {
        double *row = add_inequality(polyhedron, j, 0, 0);
        row[at] = sign * c->mu_s[j], row[at + 1] = side;
      }
    } else if (kind == DLS_MODE_STICK) {  // the row is set for the point at hand
      add_inequality(polyhedron, j, 0, 0)[at] = sign * c->mu_s[j];
      polyhedron->tau_norm[polyhedron->inequalities - 1] = j;
    } else {
      add_inequality(polyhedron, j, 0, 0)[at] = sign;
      if (kind == DLS_MODE_SLIDE) continue;
      const double e = kind == DLS_MODE_SLIDE_PLUS ? 1 : -1;
      const int k = c->first[j];
      double *row = add_inequality(polyhedron, j, e > 0 ? 2 : -2, e * c->b_t[k]);
      for (ptrdiff_t i = 0; i < n; i++) row[i] = e * c->H[i + n * k];
    }
  }
}

bool dls_polyhedron_set(const dls_polyhedra *c, const unsigned char *mode,
                        dls_polyhedron *polyhedron)
{
  for (int j = 0; j < c->m; j++)
    if ((mode[j] & ~DLS_MODE_PULLING) == DLS_MODE_SLIDE && c->touch[j] == DLS_TOUCH_CANDIDATE)
      return false;
  const ptrdiff_t n = c->n;
  polyhedron->size = c->n + count_columns(c, mode);
  const ptrdiff_t N = polyhedron->size;
  dls_clear(polyhedron->K, N * N);
  for (ptrdiff_t j = 0; j < n; j++) {
    dls_copy(polyhedron->K + N * j, c->M + n * j, n);
    polyhedron->r[j] = -c->F[j];
  }
  // the first row of L serves as work memory for a column
  set_columns(c, mode, polyhedron, polyhedron->L);
  set_inequalities(c, mode, polyhedron);
  return true;
}

// --- points -------------------------------------------------------------------------------------

dls_status dls_point_create(dls_context *x, const dls_polyhedra *c, dls_point *point)
{
  point->z = dls_context_work(x, c->n);
  point->lambda = dls_context_work(x, c->m);
  point->tau = dls_context_work(x, c->tangents);
  return x->out_of_memory ? DLS_ERR_MEMORY : DLS_OK;
}

static void copy(double *to, const double *from, int count)
{
  if (count) dls_copy(to, from, count);
}

void dls_point_copy(const dls_polyhedra *c, const dls_point *from, dls_point *to)
{
  copy(to->z, from->z, c->n);
  copy(to->lambda, from->lambda, c->m);
  copy(to->tau, from->tau, c->tangents);
}

void dls_polyhedron_expand(const dls_polyhedra *c, const unsigned char *mode,
                           const dls_polyhedron *polyhedron, const double *y, dls_point *point)
{
  copy(point->z, y, c->n);
  for (int j = 0; j < c->m; j++) {
    const int kind = mode[j] & ~DLS_MODE_PULLING, at = polyhedron->force_at[j], first = c->first[j];
    const double sign = mode[j] & DLS_MODE_PULLING ? -1 : 1;
    double e[2] = {0};
    if (kind >= DLS_MODE_SLIDE) sliding_direction(c, j, kind, e);
    point->lambda[j] = at < 0 ? 0 : y[at];
    for (int k = 0; k < dls_polyhedra_tangents(c, j); k++)
      point->tau[first + k] = kind == DLS_MODE_STICK   ? y[at + 1 + k]
                              : kind >= DLS_MODE_SLIDE ? -sign * c->mu[j] * e[k] * y[at]
                                                       : 0;
  }
}

void dls_point_unscale(const dls_polyhedra *c, const dls_point *point, dls_point *user)
{
  const dls_coulomb_units *u = &c->units;
  for (int i = 0; i < c->n; i++) user->z[i] = u->D[i] * u->S[i] * point->z[i];
  for (int j = 0; j < c->m; j++)
    user->lambda[j] = u->mass * u->C_n[j] * u->S_n[j] * point->lambda[j];
  for (int k = 0; k < c->tangents; k++)
    user->tau[k] = u->mass * u->C_t[k] * u->S_t[k] * point->tau[k];
}

double dls_point_residual(const dls_polyhedra *c, const dls_point *point, dls_point *user)
{
  dls_point_unscale(c, point, user);
  return dls_coulomb_residual_in(c->given, &c->units, user->z, user->lambda, user->lambda + c->m_b,
                                 user->tau);
}

// --- proofs of emptiness ------------------------------------------------------------------------

dls_status dls_proof_create(dls_context *x, const dls_polyhedra *c, dls_proof *proof)
{
  proof->d = dls_context_work(x, c->n);
  proof->alpha = dls_context_work(x, c->m);
  proof->sigma = dls_context_work(x, c->tangents);
  return x->out_of_memory ? DLS_ERR_MEMORY : DLS_OK;
}

static double product(int n, const double *a, const double *b)
{
  long double sum = 0;
  for (int i = 0; i < n; i++) sum += (long double)a[i] * b[i];
  return (double)sum;
}

static double below(double x)
{
  return x < 0 ? -x : x - x;
}

// What multiplies forces, and what multiplies accelerations.
typedef struct faults {
  double force, acceleration;
} faults;

static faults faults_of(const dls_polyhedra *c, int mode, int j, const dls_proof *proof)
{
  const ptrdiff_t n = c->n;
  const int kind = mode & ~DLS_MODE_PULLING, first = c->first[j],
            tangents = dls_polyhedra_tangents(c, j);
  const bool bilateral = dls_polyhedra_bilateral(c, j), pulling = mode & DLS_MODE_PULLING;
  const double p = product(c->n, c->G + n * j, proof->d), alpha = proof->alpha[j];
  // a contact in space that starts to slide is anywhere in the cone of that
  const double mu = c->mu[j], sign = pulling ? -1 : 1;
  const double mu_s = kind == DLS_MODE_SLIDE ? mu : c->mu_s[j];
  double t[2] = {0}, along = 0, sigma = 0, e[2] = {0};
  if (kind >= DLS_MODE_SLIDE_PLUS || (c->touch[j] == DLS_TOUCH_SLIDING))
    sliding_direction(c, j, kind == DLS_MODE_ANY ? DLS_MODE_SLIDE : kind, e);
  for (int k = 0; k < tangents; k++) {
    t[k] = product(c->n, c->H + n * ((ptrdiff_t)first + k), proof->d);
    along += e[k] * t[k];
    sigma = fmax(sigma, fabs(proof->sigma[first + k]));
  }
  const double size = hypot(t[0], t[1]);
  const double cone = below(sign * p - mu_s * size) / fmax(1, mu_s);
  const double sliding = below(sign * p - mu * along) / fmax(1, mu);
  switch (kind) {
  case DLS_MODE_DETACH: return (faults){0, fmax(below(alpha), sigma)};
  case DLS_MODE_CLOSED: return (faults){bilateral ? fabs(p) : below(p), sigma};
  case DLS_MODE_STICK:  // a bilateral one without friction: a normal force of any sign
    return (faults){bilateral && mu_s == 0 ? fabs(p) : cone, 0};
  case DLS_MODE_SLIDE: return (faults){c->touch[j] == DLS_TOUCH_CANDIDATE ? cone : sliding, sigma};
  case DLS_MODE_SLIDE_PLUS:
  case DLS_MODE_SLIDE_MINUS: return (faults){sliding, below(e[0] * proof->sigma[first])};
  default: break;  // anything
  }
  if (bilateral)
    return (faults){c->touch[j] == DLS_TOUCH_FRICTIONLESS ? fabs(p) : fmax(fabs(p), size), sigma};
  return (faults){c->touch[j] == DLS_TOUCH_SLIDING ? sliding : cone, fmax(below(alpha), sigma)};
}

static faults worst_faults(const dls_polyhedra *c, int mode, int j, const dls_proof *proof)
{
  if (!(mode & DLS_MODE_EITHER)) return faults_of(c, mode, j, proof);
  const int sure = mode & ~DLS_MODE_EITHER;
  const faults a = faults_of(c, sure, j, proof),
               b = faults_of(c, sure | DLS_MODE_PULLING, j, proof);
  return (faults){fmax(a.force, b.force), fmax(a.acceleration, b.acceleration)};
}

double dls_proof_fault(const dls_polyhedra *c, int mode, int j, const dls_proof *proof)
{
  const faults f = worst_faults(c, mode, j, proof);
  return fmax(f.force, f.acceleration);
}

// tangential parts of d count as far as they are needed
static double proof_size(const dls_polyhedra *c, const dls_proof *proof)
{
  double size = dls_norm_max(c->n, proof->d);
  size = fmax(size, dls_norm_max(c->m, proof->alpha));
  return fmax(size, dls_norm_max(c->tangents, proof->sigma));
}

static void divide(double *x, int count, double by)
{
  for (int i = 0; i < count; i++) x[i] /= by;
}

// |M d + G alpha + H sigma|, by columns: in the order of memory. +infinity without memory.
static double balance_fault(const dls_polyhedra *c, const dls_proof *proof)
{
  const ptrdiff_t n = c->n;
  const struct {
    const double *columns, *x;
    int count;
  } parts[] = {
      {c->M, proof->d, c->n}, {c->G, proof->alpha, c->m}, {c->H, proof->sigma, c->tangents}};
  long double *sum = dls_alloc(n, sizeof *sum);
  double fault = sum ? 0 : INFINITY;
  if (!sum) c->x->out_of_memory = true;
  for (ptrdiff_t part = 0; sum && part < 3; part++)
    for (ptrdiff_t j = 0; j < parts[part].count; j++) {
      const double x = parts[part].x[j], *column = parts[part].columns + n * j;
      for (ptrdiff_t i = 0; i < n && x != 0; i++) sum[i] += (long double)column[i] * x;
    }
  for (ptrdiff_t i = 0; sum && i < n; i++) fault = fmax(fault, fabs((double)sum[i]));
  free(sum);
  return fault;
}

double dls_proof_worst(const dls_polyhedra *c, const unsigned char *mode, const dls_proof *proof)
{
  double fault = balance_fault(c, proof);
  for (int j = 0; j < c->m; j++) fault = fmax(fault, dls_proof_fault(c, mode[j], j, proof));
  return fault;
}

// Forces are multiplied by what d makes of the gradients: where d is small beside alpha and sigma,
// because gradients are nearly dependent, so must that be. Else forces so large that they tell the
// gradients apart would be excluded by rounding.
static bool excludes_forces(const dls_polyhedra *c, const unsigned char *mode, dls_proof *proof)
{
  const double size = dls_norm_max(c->n, proof->d);
  double fault = 0;
  if (size <= c->margin) dls_clear(proof->d, c->n);
  for (int j = 0; j < c->m && size > c->margin; j++)
    fault = fmax(fault, worst_faults(c, mode[j], j, proof).force);
  return fault <= c->margin * size;
}

double dls_proof_check(const dls_polyhedra *c, const unsigned char *mode, dls_proof *proof)
{
  const double size = proof_size(c, proof);
  if (!(size > 0) || !isfinite(size) || !(c->load > 0)) return 0;
  divide(proof->d, c->n, size);
  divide(proof->alpha, c->m, size);
  divide(proof->sigma, c->tangents, size);

  const double fault = dls_proof_worst(c, mode, proof);
  const long double value = (long double)product(c->n, proof->d, c->F) +
                            product(c->m, proof->alpha, c->b) +
                            product(c->tangents, proof->sigma, c->b_t);
  const double margin = (double)-value / c->load;
  return fault <= c->margin && margin > 0 ? margin : 0;
}

// What is left open by rounding must not make up for the margin at solutions of so many loads
// either.
double dls_proof_check_far(const dls_polyhedra *c, const unsigned char *mode, dls_proof *proof)
{
  const double margin = dls_proof_check(c, mode, proof);
  if (!(margin > 0) || !excludes_forces(c, mode, proof)) return 0;
  return margin > far_solutions * dls_proof_worst(c, mode, proof) ? margin : 0;
}

// The certificate in the user's units: d = D / (m S) d^, alpha = C_n / S_n alpha^, ... so that
// alpha^T b + sigma^T b_t + d^T F keeps its terms; with its largest entry 1.
dls_status dls_proof_leaf(const dls_polyhedra *c, const unsigned char *mode, const dls_proof *proof,
                          double noise, dls_leaf *leaf)
{
  dls_context *x = c->x;
  const dls_coulomb_units *u = &c->units;
  unsigned char *modes = dls_arena_alloc(x->arena, c->m, 1);
  double *d = dls_context_keep(x, c->n), *alpha = dls_context_keep(x, c->m);
  double *sigma = dls_context_keep(x, c->tangents), largest = 0;
  if (x->out_of_memory || !modes) return DLS_ERR_MEMORY;
  dls_copy(modes, mode, c->m);
  // entries that are only rounding would be magnified by units
  for (int i = 0; i < c->n; i++)
    d[i] = fabs(proof->d[i]) <= noise ? 0 : u->D[i] / (u->mass * u->S[i]) * proof->d[i];
  for (int j = 0; j < c->m; j++)
    alpha[j] = fabs(proof->alpha[j]) <= noise ? 0 : u->C_n[j] / u->S_n[j] * proof->alpha[j];
  for (int k = 0; k < c->tangents; k++)
    sigma[k] = fabs(proof->sigma[k]) <= noise ? 0 : u->C_t[k] / u->S_t[k] * proof->sigma[k];
  largest = fmax(dls_norm_max(c->n, d), dls_norm_max(c->m, alpha));
  largest = fmax(largest, dls_norm_max(c->tangents, sigma));
  if (largest > 0) divide(d, c->n, largest), divide(alpha, c->m, largest);
  if (largest > 0) divide(sigma, c->tangents, largest);
  *leaf = (dls_leaf){.mode = modes, .direction = d, .alpha = alpha, .sigma = sigma};
  return DLS_OK;
}
