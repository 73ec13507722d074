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

#include "linalg/dense.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REFINEMENTS = 12, ATTEMPTS = 4 };
static const double first_delta = 1e-8;

// ---- pattern -----------------------------------------------------------------------------------

static void put(cone_kkt *k, int row, int col)
{
  k->row[k->count] = row;
  k->col[k->count++] = col;
}

// The number of entries at most, and the additional rows.
static dls_status measure(dls_cone *c, size_t *entries)
{
  cone_kkt *k = &c->kkt;
  k->size = c->n + c->m;
  for (int t = 0; t < c->blocks; t++) {
    cone_block *block = &c->block[t];
    bool split = block->type == &dls_cone_soc && block->size > 1;
    block->extra = split ? k->size : -1;
    if (split) k->size += 2;
  }
  *entries = (size_t)k->size + (size_t)c->m + (size_t)c->P->p[c->n] + 2 * (size_t)c->A->p[c->n];
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

static dls_status carve(dls_cone *c, size_t entries)
{
  cone_kkt *k = &c->kkt;
  size_t n = (size_t)c->n + 1, m = (size_t)c->m + 1, size = (size_t)k->size + 1;
  const struct {
    void **place;
    size_t count, size;
  } parts[] = {
      {(void **)&k->row, entries, sizeof(int)},
      {(void **)&k->col, entries, sizeof(int)},
      {(void **)&k->value, entries, sizeof(double)},
      {(void **)&k->sign, size, 1},
      {(void **)&k->P_place, (size_t)c->P->p[c->n] + 1, sizeof(int)},
      {(void **)&k->h_place, (size_t)c->A->p[c->n] + 1, sizeof(int)},
      {(void **)&k->cone_of, m, sizeof(int)},
      {(void **)&k->rhs, size, sizeof(double)},
      {(void **)&k->x1, n, sizeof(double)},
      {(void **)&k->y1, m, sizeof(double)},
      {(void **)&k->x2, n, sizeof(double)},
      {(void **)&k->y2, m, sizeof(double)},
      {(void **)&k->next_x, n, sizeof(double)},
      {(void **)&k->next_y, m, sizeof(double)},
      {(void **)&k->h, m, sizeof(double)},
      {(void **)&k->Wy, m, sizeof(double)},
      {(void **)&k->residual_x, n, sizeof(long double)},
      {(void **)&k->residual_y, m, sizeof(long double)},
  };
  for (size_t t = 0; t < sizeof parts / sizeof *parts; t++)
    if (!(*parts[t].place = dls_arena_alloc(c->arena, parts[t].count, parts[t].size)))
      return DLS_ERR_MEMORY;
  return DLS_OK;
}

dls_status dls_cone_kkt_create(dls_cone *c)
{
  cone_kkt *k = &c->kkt;
  size_t entries;
  dls_status status = measure(c, &entries);
  if (status == DLS_OK) status = carve(c, entries);
  if (status != DLS_OK) return status;
  put_diagonal(c);
  put_matrices(c);
  put_cones(c);
  return dls_cone_ldl_create(k->size, k->count, k->row, k->col, &k->ldl);
}

void dls_cone_kkt_free(dls_cone *c)
{
  dls_cone_ldl_free(c->kkt.ldl);
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
  memset(k->value, 0, (size_t)k->count * sizeof(double));
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
  memset(k->rhs, 0, (size_t)k->size * sizeof(double));
  for (int j = 0; j < c->n; j++) k->rhs[j] = (double)right_x[j];
  for (int i = 0; i < c->m; i++) {
    k->rhs[c->n + i] = (double)right_y[i];
    if (k->cone_of[i] < 0) continue;
    const cone_block *block = &c->block[k->cone_of[i]];
    k->rhs[block->extra + 1] += (double)(k->h[i] * right_y[i]);
  }
  dls_cone_ldl_solve(k->ldl, k->rhs);
  if (c->n > 0) memcpy(x, k->rhs, (size_t)c->n * sizeof(double));
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
  dls_cone_symmetric(c->Ps, k->x1, k->next_x);
  k->pivot += dls_dot(c->n, k->x1, k->next_x);
}

bool dls_cone_kkt_factor(dls_cone *c)
{
  cone_kkt *k = &c->kkt;
  double delta = first_delta;
  fill(c);
  k->delta = 0;
  for (int attempt = 0; attempt < ATTEMPTS; attempt++, delta *= 100) {
    for (int j = 0; j < c->n + c->m; j++) k->value[j] += k->sign[j] * (delta - k->delta);
    k->delta = delta;
    if (!dls_cone_ldl_factor(k->ldl, k->value, k->sign)) continue;
    eliminate_tau(c);
    return isfinite(k->pivot) && k->pivot > 0;
  }
  return false;
}

// ---- solves ------------------------------------------------------------------------------------

// The sizes of three kinds of residuals.
typedef struct parts {
  double x, zero, cones;  // of P x + ..., of rows with W = 0, of W^-1 times the other rows
} parts;

static double worse(double a, double b)
{
  return a <= b ? b : a;
}

static parts sizes(dls_cone *c)
{
  cone_kkt *k = &c->kkt;
  parts r = {.x = (double)fabsl(k->residual_tau)};
  for (int j = 0; j < c->n; j++) r.x = worse((double)fabsl(k->residual_x[j]), r.x);
  for (int i = 0; i < c->m; i++) k->y1[i] = (double)k->residual_y[i];
  for (int t = 0; t < c->blocks; t++) {
    const cone_block *block = &c->block[t];
    bool zero = block->type == &dls_cone_zero;
    if (!zero) block->type->divide(block, k->y1, k->y1);
    double *size = zero ? &r.zero : &r.cones;
    for (int i = 0; i < block->size; i++) *size = worse(fabs(k->y1[block->start + i]), *size);
  }
  return r;
}

// The residuals of eq (cne.7) at (x, y, tau).
static parts residual(dls_cone *c, const double *right_x, const double *right_y, double right_tau,
                      const double *x, const double *y, double tau)
{
  cone_kkt *k = &c->kkt;
  const dls_sparse *P = c->Ps, *A = c->As;
  const double f = 1 / c->at.tau;
  long double row = right_tau, curve = 0;
  for (int t = 0; t < c->blocks; t++) c->block[t].type->square(&c->block[t], y, k->Wy);
  for (int i = 0; i < c->m; i++) {
    k->residual_y[i] = (long double)right_y[i] + k->Wy[i] + (long double)c->bs[i] * tau;
    row += (long double)c->bs[i] * y[i];
  }
  for (int j = 0; j < c->n; j++) k->residual_x[j] = right_x[j] - (long double)c->qs[j] * tau;
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
  return sizes(c);
}

// x1, y1 and the change of tau that the factors give for the residuals.  eq (cne.9)
static double correction(dls_cone *c)
{
  cone_kkt *k = &c->kkt;
  long double up = k->residual_tau;
  solve_factors(c, k->residual_x, k->residual_y, k->x1, k->y1);
  for (int j = 0; j < c->n; j++)
    up += (c->qs[j] + 2 * c->Px[j] / c->at.tau) * (long double)k->x1[j];
  for (int i = 0; i < c->m; i++) up += (long double)c->bs[i] * k->y1[i];
  return (double)(up / k->pivot);
}

// The largest of the three, each compared with its size at first.
static double relative(const parts *r, const parts *first)
{
  double most = fmax(first->x, fmax(first->zero, first->cones)), floor = 1e-10 * most;
  if (most == 0) return 0;
  double worst = r->x / fmax(first->x, floor);
  worst = worse(r->zero / fmax(first->zero, floor), worst);
  return worse(r->cones / fmax(first->cones, floor), worst);
}

void dls_cone_kkt_solve(dls_cone *c, const double *right_x, const double *right_y, double right_tau,
                        double *x, double *y, double *tau)
{
  cone_kkt *k = &c->kkt;
  for (int j = 0; j < c->n; j++) x[j] = 0;
  for (int i = 0; i < c->m; i++) y[i] = 0;
  *tau = 0;
  const parts first = residual(c, right_x, right_y, right_tau, x, y, 0);
  double best = relative(&first, &first);
  for (int step = 0; step < REFINEMENTS && best > 1e-15; step++) {
    double change = correction(c), next = *tau + change;
    for (int j = 0; j < c->n; j++) k->next_x[j] = x[j] + (k->x1[j] + change * k->x2[j]);
    for (int i = 0; i < c->m; i++) k->next_y[i] = y[i] + (k->y1[i] + change * k->y2[i]);
    const parts r = residual(c, right_x, right_y, right_tau, k->next_x, k->next_y, next);
    double now = relative(&r, &first);
    if (getenv("DBG"))
      fprintf(stderr, "      refine %d: %8.1e %8.1e %8.1e of %8.1e %8.1e %8.1e\n", step, r.x,
              r.zero, r.cones, first.x, first.zero, first.cones);
    if (!(now < best) && step > 0) return;
    if (c->n > 0) memcpy(x, k->next_x, (size_t)c->n * sizeof(double));
    if (c->m > 0) memcpy(y, k->next_y, (size_t)c->m * sizeof(double));
    *tau = next;
    if (step > 0 && now > 0.5 * best) return;
    best = now;
  }
}
