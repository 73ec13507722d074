// The linear systems of the iteration, eq (cne.7):
//
//   |      P            A^T    q    | | x   |   | right_x   |
//   |      A           -W^2   -b    | | y   | = | right_y   |
//   | -(q + 2 Px/tau)^T -b^T   beta | | tau |   | right_tau |
//
// Factored is the upper left part with +delta on the diagonal of P and -delta on that of -W^2,
// which is quasidefinite whatever the ranks are; tau is eliminated with one more solve. The answer
// is then refined against the matrix itself, with residuals in long double. Second-order cones have
// two further rows, eq (cne.8), in which the largest and the smallest eigenvalue of W^2 stand
// apart: a dense W^2 would lose the smallest to rounding.
#include "convex/cone_internal.h"

#include "base/memory.h"
#include "convex/tolerances.h"
#include "linalg/dense.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

enum { STEPS = 20, SLOW_STEPS = 3, ATTEMPTS = 4 };
static const double slow_rate = 0.9;  // of residuals

// ---- pattern -----------------------------------------------------------------------------------

static void put(cone_kkt *k, int row, int col)
{
  k->row[k->count] = row;
  k->col[k->count++] = col;
}

// The number of entries at most, and the additional rows.
static dls_status measure(dls_cone *c, ptrdiff_t *entries)
{
  cone_kkt *k = &c->kkt;
  k->size = c->n + c->m;
  for (int t = 0; t < c->blocks; t++) {
    cone_block *block = &c->block[t];
    bool split = block->type == &dls_cone_soc && block->size > 1;
    block->extra = split ? k->size : -1;
    if (split) k->size += 2;
  }
  *entries = (ptrdiff_t)k->size + c->m + c->P->p[c->n] + 2 * (ptrdiff_t)c->A->p[c->n];
  return *entries < INT_MAX / 4 ? DLS_OK : DLS_ERR_LIMIT;
}

static void put_diagonal(dls_cone *c)
{
  cone_kkt *k = &c->kkt;
  for (int j = 0; j < k->size; j++) {
    put(k, j, j);
    k->sign[j] = j < c->n ? 1 : -1;
  }
  for (int i = 0; i < c->m; i++) k->cone_of[i] = -1;
  for (int t = 0; t < c->blocks; t++) {
    const cone_block *block = &c->block[t];
    if (block->extra < 0) continue;
    k->sign[block->extra] = 1;
    for (int i = 0; i < block->size; i++) k->cone_of[block->start + i] = t;
  }
}

static void put_matrices(dls_cone *c)
{
  cone_kkt *k = &c->kkt;
  for (int j = 0; j < c->n; j++)
    for (int e = c->P->p[j]; e < c->P->p[j + 1]; e++) {
      k->P_place[e] = c->P->i[e] == j ? j : k->count;
      if (c->P->i[e] != j) put(k, c->P->i[e], j);
    }
  k->off_A = k->count;
  for (int j = 0; j < c->n; j++)
    for (int e = c->A->p[j]; e < c->A->p[j + 1]; e++) put(k, j, c->n + c->A->i[e]);
}

static void put_cones(dls_cone *c)
{
  cone_kkt *k = &c->kkt;
  for (int t = 0; t < c->blocks; t++) {
    cone_block *block = &c->block[t];
    block->g_places = k->count;
    for (int i = 0; i < block->size && block->extra >= 0; i++)
      put(k, c->n + block->start + i, block->extra);
  }
  // the rows of a cone stand together in each column of A
  for (int j = 0; j < c->n; j++)
    for (int e = c->A->p[j], last = -1; e < c->A->p[j + 1]; e++) {
      int t = k->cone_of[c->A->i[e]];
      if (t >= 0 && t != last) put(k, j, c->block[t].extra + 1);
      k->h_place[e] = t >= 0 ? k->count - 1 : -1;
      last = t;
    }
}

static dls_status carve(dls_cone *c, ptrdiff_t entries)
{
  cone_kkt *k = &c->kkt;
  ptrdiff_t n = (ptrdiff_t)c->n + 1, m = (ptrdiff_t)c->m + 1, size = (ptrdiff_t)k->size + 1;
  const struct {
    void **place;
    ptrdiff_t count;
    size_t size;
  } parts[] = {
      {(void **)&k->row, entries, sizeof(int)},
      {(void **)&k->col, entries, sizeof(int)},
      {(void **)&k->value, entries, sizeof(double)},
      {(void **)&k->sign, size, 1},
      {(void **)&k->P_place, (ptrdiff_t)c->P->p[c->n] + 1, sizeof(int)},
      {(void **)&k->h_place, (ptrdiff_t)c->A->p[c->n] + 1, sizeof(int)},
      {(void **)&k->cone_of, m, sizeof(int)},
      {(void **)&k->rhs, size, sizeof(double)},
      {(void **)&k->x1, n, sizeof(double)},
      {(void **)&k->y1, m, sizeof(double)},
      {(void **)&k->x2, n, sizeof(double)},
      {(void **)&k->y2, m, sizeof(double)},
      {(void **)&k->z, n + m, sizeof(double)},
      {(void **)&k->r, n + m, sizeof(double)},
      {(void **)&k->trial, n + m, sizeof(double)},
      {(void **)&k->next_r, n + m, sizeof(double)},
      {(void **)&k->h, m, sizeof(double)},
      {(void **)&k->Wy, m, sizeof(double)},
      {(void **)&k->residual_x, n, sizeof(long double)},
      {(void **)&k->residual_y, m, sizeof(long double)},
  };
  for (ptrdiff_t t = 0; t < dls_count_of(parts); t++)
    if (!(*parts[t].place = dls_arena_alloc(c->arena, parts[t].count, parts[t].size)))
      return DLS_ERR_MEMORY;
  for (int d = 0; d < DIRECTIONS; d++)
    if (!(k->direction[d] = dls_arena_alloc(c->arena, n + m, sizeof(double))) ||
        !(k->image[d] = dls_arena_alloc(c->arena, n + m, sizeof(double))))
      return DLS_ERR_MEMORY;
  return DLS_OK;
}

dls_status dls_cone_kkt_create(dls_cone *c)
{
  cone_kkt *k = &c->kkt;
  ptrdiff_t entries;
  dls_status status = measure(c, &entries);
  if (status == DLS_OK) status = carve(c, entries);
  if (status != DLS_OK) return status;
  put_diagonal(c);
  put_matrices(c);
  put_cones(c);
  return dls_ldl_create(k->size, k->count, k->row, k->col, &k->ldl);
}

void dls_cone_kkt_free(dls_cone *c)
{
  dls_ldl_free(c->kkt.ldl);
}

// ---- factors -----------------------------------------------------------------------------------

static double h_entry(const cone_block *c, const cone_split *f, int i)
{
  return (i == 0 ? f->a : -f->r * c->w[i]) / c->eta;
}

static void fill_cone(dls_cone *c, const cone_block *block)
{
  double *value = c->kkt.value, *diagonal = value + c->n + block->start;
  bool second_order = block->type == &dls_cone_soc;
  for (int i = 0; i < block->size; i++)
    diagonal[i] = second_order                    ? -block->eta * block->eta
                  : block->type == &dls_cone_zero ? 0
                                                  : -block->w[i] * block->w[i];
  if (block->extra < 0) return;
  const cone_split f = dls_cone_soc_split(block);
  for (int i = 0; i < block->size; i++)
    value[block->g_places + i] = -block->eta * (i == 0 ? f.a : f.r * block->w[i]);
  value[block->extra] = 1;
  value[block->extra + 1] = -1;
  for (int i = 0; i < block->size; i++) c->kkt.h[block->start + i] = h_entry(block, &f, i);
}

static void fill(dls_cone *c)
{
  cone_kkt *k = &c->kkt;
  const dls_sparse *A = c->As;
  dls_clear(k->value, k->count);
  for (int e = 0; e < c->P->p[c->n]; e++) k->value[k->P_place[e]] = c->Ps->x[e];
  for (int t = 0; t < c->blocks; t++) fill_cone(c, &c->block[t]);
  for (int e = 0; e < A->p[c->n]; e++) {
    k->value[k->off_A + e] = A->x[e];
    if (k->h_place[e] >= 0) k->value[k->h_place[e]] += k->h[A->i[e]] * A->x[e];
  }
}

// x and y that the factors give. rhs then holds x, y without its parts along h, and the parts.
static void solve_factors(dls_cone *c, const long double *right_x, const long double *right_y,
                          double *x, double *y)
{
  cone_kkt *k = &c->kkt;
  dls_clear(k->rhs, k->size);
  for (int j = 0; j < c->n; j++) k->rhs[j] = (double)right_x[j];
  for (int i = 0; i < c->m; i++) {
    k->rhs[c->n + i] = (double)right_y[i];
    if (k->cone_of[i] < 0) continue;
    const cone_block *block = &c->block[k->cone_of[i]];
    k->rhs[block->extra + 1] += (double)(k->h[i] * right_y[i]);
  }
  dls_ldl_solve(k->ldl, k->rhs);
  if (c->n > 0) dls_copy(x, k->rhs, c->n);
  for (int i = 0; i < c->m; i++) {
    y[i] = k->rhs[c->n + i];
    if (k->cone_of[i] >= 0) y[i] += k->h[i] * k->rhs[c->block[k->cone_of[i]].extra + 1];
  }
}

// The column of tau, eq (cne.9): x2, y2, and the pivot that is left for tau. It is a sum of
// squares, kappa / tau + |x2 - x / tau|_P^2 + delta |x2|^2 + y2^T (W^2 + delta) y2.
static void eliminate_tau(dls_cone *c)
{
  cone_kkt *k = &c->kkt;
  const cone_point *p = &c->at;
  for (int j = 0; j < c->n; j++) k->residual_x[j] = -c->qs[j];
  for (int i = 0; i < c->m; i++) k->residual_y[i] = c->bs[i];
  solve_factors(c, k->residual_x, k->residual_y, k->x2, k->y2);
  k->pivot = p->kappa / p->tau + k->delta * dls_dot(c->n, k->x2, k->x2);
  for (int i = c->n; i < k->size; i++) k->pivot += fabs(k->value[i]) * k->rhs[i] * k->rhs[i];
  for (int j = 0; j < c->n; j++) k->x1[j] = k->x2[j] - p->x[j] / p->tau;
  dls_cone_symmetric(c->Ps, k->x1, k->trial);
  k->pivot += dls_dot(c->n, k->x1, k->trial);
}

bool dls_cone_kkt_factor(dls_cone *c)
{
  cone_kkt *k = &c->kkt;
  double delta = first_delta;
  fill(c);
  k->delta = 0;
  for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
    for (int j = 0; j < c->n + c->m; j++) k->value[j] += k->sign[j] * (delta - k->delta);
    k->delta = delta;
    if (dls_ldl_factor(k->ldl, k->value, k->sign)) {
      eliminate_tau(c);
      return isfinite(k->pivot) && k->pivot > 0;
    }
    delta *= more_delta;
  }
  return false;
}

// ---- solves ------------------------------------------------------------------------------------

typedef struct right_side {
  const double *x, *y;
  double tau;
} right_side;

// The residuals of eq (cne.7) at (x, y, tau).
static void residual(dls_cone *c, const right_side *b, const double *x, const double *y, double tau)
{
  cone_kkt *k = &c->kkt;
  const dls_sparse *P = c->Ps, *A = c->As;
  const double f = 1 / c->at.tau;
  long double row = b->tau, curve = 0;
  for (int t = 0; t < c->blocks; t++) c->block[t].type->square(&c->block[t], y, k->Wy);
  for (int i = 0; i < c->m; i++) {
    k->residual_y[i] = (long double)b->y[i] + k->Wy[i] + (long double)c->bs[i] * tau;
    row += (long double)c->bs[i] * y[i];
  }
  for (int j = 0; j < c->n; j++) k->residual_x[j] = b->x[j] - (long double)c->qs[j] * tau;
  for (int j = 0; j < c->n; j++) {
    long double sum = 0;
    for (int e = A->p[j]; e < A->p[j + 1]; e++) {
      k->residual_y[A->i[e]] -= (long double)A->x[e] * x[j];
      sum += (long double)A->x[e] * y[A->i[e]];
    }
    for (int e = P->p[j]; e < P->p[j + 1]; e++) {
      sum += (long double)P->x[e] * x[P->i[e]];
      if (P->i[e] != j) k->residual_x[P->i[e]] -= (long double)P->x[e] * x[j];
    }
    k->residual_x[j] -= sum;
    row += (c->qs[j] + 2 * (long double)c->Px[j] * f) * x[j];
    curve += (long double)c->Px[j] * c->at.x[j];
  }
  k->residual_tau = row - (c->at.kappa * f + curve * f * f) * tau;
}

// out = z + a d
static void combine(int size, const double *z, double a, const double *d, double *out)
{
  for (int k = 0; k < size; k++) out[k] = z[k] + a * d[k];
}

// The d that the factors give for the residuals.  eq (cne.9)
static void correction(dls_cone *c, double *d)
{
  cone_kkt *k = &c->kkt;
  long double up = k->residual_tau;
  double *dx = d, *dy = d + c->n;
  solve_factors(c, k->residual_x, k->residual_y, dx, dy);
  for (int j = 0; j < c->n; j++) up += (c->qs[j] + 2 * c->Px[j] / c->at.tau) * (long double)dx[j];
  for (int i = 0; i < c->m; i++) up += (long double)c->bs[i] * dy[i];
  double dtau = (double)(up / k->pivot);
  combine(c->n, dx, dtau, k->x2, dx);
  combine(c->m, dy, dtau, k->y2, dy);
  d[c->n + c->m] = dtau;
}

// The residual at z, and into v what it does to the iteration: the rows of cones enter the centring
// as W^-1 times themselves. Returns the length of v.
static double evaluate(dls_cone *c, const right_side *b, const double *z, double *v)
{
  const cone_kkt *k = &c->kkt;
  double *y = v + c->n;
  residual(c, b, z, z + c->n, z[c->n + c->m]);
  for (int j = 0; j < c->n; j++) v[j] = (double)k->residual_x[j];
  for (int i = 0; i < c->m; i++) y[i] = (double)k->residual_y[i];
  for (int t = 0; t < c->blocks; t++)
    if (c->block[t].type != &dls_cone_zero) c->block[t].type->divide(&c->block[t], y, y);
  v[c->n + c->m] = (double)k->residual_tau;
  return sqrt(dls_dot(c->n + c->m + 1, v, v));
}

// Makes the image v of d orthogonal to those of the earlier directions, and of length 1. False when
// nothing is left of it.
static bool orthogonalise(const cone_kkt *k, int size, int count, double *d, double *v)
{
  double before = sqrt(dls_dot(size, v, v));
  for (int i = 0; i < count; i++) {
    double along = dls_dot(size, v, k->image[i]);
    combine(size, v, -along, k->image[i], v);
    combine(size, d, -along, k->direction[i], d);
  }
  double length = sqrt(dls_dot(size, v, v));
  if (!(length > orthogonal_rest * before)) return false;
  for (int j = 0; j < size; j++) v[j] /= length, d[j] /= length;
  return true;
}

// One step: the next direction, and z moved along it as far as is best. Returns the length of the
// residual, or the old one with z as it was.
static double next_step(dls_cone *c, const right_side *b, int count, double length)
{
  cone_kkt *k = &c->kkt;
  const int size = c->n + c->m + 1;
  double *d = k->direction[count], *v = k->image[count];
  correction(c, d);
  combine(size, k->z, 1, d, k->trial);
  evaluate(c, b, k->trial, v);
  for (int j = 0; j < size; j++) v[j] = k->r[j] - v[j];
  if (!orthogonalise(k, size, count, d, v)) return length;
  combine(size, k->z, dls_dot(size, k->r, v), d, k->trial);
  double next = evaluate(c, b, k->trial, k->next_r);
  if (!(next < length)) return length;
  dls_copy(k->z, k->trial, size);
  dls_copy(k->r, k->next_r, size);
  return next;
}

// Generalised conjugate residuals with the factors as preconditioner: refinement that also copes
// with the few directions in which the regularisation is not small.
void dls_cone_kkt_solve(dls_cone *c, const double *right_x, const double *right_y, double right_tau,
                        double *x, double *y, double *tau)
{
  cone_kkt *k = &c->kkt;
  const right_side b = {right_x, right_y, right_tau};
  const int size = c->n + c->m + 1;
  dls_clear(k->z, size);
  double length = evaluate(c, &b, k->z, k->r), first = length;
  int slow = 0, count = 0;
  for (int step = 0; step < STEPS && slow < SLOW_STEPS && length > refined_cone_kkt * first;
       step++) {
    double next = next_step(c, &b, count, length);
    if (!(next < length)) break;
    if (next > slow_rate * length) slow++;
    length = next;
    count = (count + 1) % DIRECTIONS;
  }
  dls_copy(x, k->z, c->n);
  dls_copy(y, k->z + c->n, c->m);
  *tau = k->z[size - 1];
}

// x + dx with dx from | P A^T; A -W^2 | | dx; dy | = | -P x; 0 |
void dls_cone_kkt_flatten(dls_cone *c, double *x)
{
  cone_kkt *k = &c->kkt;
  dls_cone_symmetric(c->Ps, x, k->trial);
  for (int j = 0; j < c->n; j++) k->residual_x[j] = -k->trial[j];
  for (int i = 0; i < c->m; i++) k->residual_y[i] = 0;
  solve_factors(c, k->residual_x, k->residual_y, k->x1, k->y1);
  for (int j = 0; j < c->n; j++) x[j] += k->x1[j];
}
