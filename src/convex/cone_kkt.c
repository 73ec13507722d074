// The linear systems of the iteration, eq (cne.7):
//
//   | P   A^T  | | x |   | right_x |
//   | A  -W^2  | | y | = | right_y |
//
// Factored is this matrix with +delta on the diagonal of P and -delta on that of -W^2, which is
// quasidefinite whatever the ranks are; the answer is then refined against the matrix itself, with
// residuals in long double. Large second-order cones have two further columns, eq (cne.8), which
// only the factors see.
#include "convex/cone_internal.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REFINEMENTS = 12, ATTEMPTS = 4 };
static const double first_delta = 1e-8, relative_delta = 4e-16;

// ---- pattern -----------------------------------------------------------------------------------

static bool large(const cone_block *c)
{
  return c->type == &dls_cone_soc && c->size > CONE_DENSE;
}

static void put(cone_kkt *k, int row, int col)
{
  k->row[k->count] = row;
  k->col[k->count++] = col;
}

static void put_cone(cone_kkt *k, cone_block *c, int n)
{
  int first = n + c->start;
  c->off_places = k->count;
  if (c->type != &dls_cone_soc) return;
  if (large(c)) {
    for (int i = 0; i < c->size; i++) put(k, first + i, c->extra);
    for (int i = 1; i < c->size; i++) put(k, first + i, c->extra + 1);
    return;
  }
  for (int j = 1; j < c->size; j++)
    for (int i = 0; i < j; i++) put(k, first + i, first + j);
}

// The number of entries, and the additional columns; DLS_ERR_LIMIT when there are too many.
static dls_status count(dls_cone *c, size_t *total)
{
  cone_kkt *k = &c->kkt;
  size_t entries = (size_t)c->P->p[c->n] + (size_t)c->A->p[c->n];
  k->size = c->n + c->m;
  for (int t = 0; t < c->blocks; t++) {
    cone_block *block = &c->block[t];
    block->extra = large(block) ? k->size : -1;
    if (large(block)) k->size += 2;
    entries += 2 * (size_t)block->size;
    if (!large(block) && block->type == &dls_cone_soc) entries += CONE_DENSE * (size_t)block->size;
  }
  *total = entries + (size_t)k->size;
  return *total < INT_MAX / 4 ? DLS_OK : DLS_ERR_LIMIT;
}

static void put_all(dls_cone *c)
{
  cone_kkt *k = &c->kkt;
  k->count = 0;
  for (int j = 0; j < k->size; j++) {
    put(k, j, j);
    k->sign[j] = j < c->n ? 1 : -1;
  }
  k->off_P = k->count;
  for (int j = 0; j < c->n; j++)
    for (int e = c->P->p[j]; e < c->P->p[j + 1]; e++) {
      k->P_place[e] = c->P->i[e] == j ? j : k->count;
      if (c->P->i[e] != j) put(k, c->P->i[e], j);
    }
  k->off_A = k->count;
  for (int j = 0; j < c->n; j++)
    for (int e = c->A->p[j]; e < c->A->p[j + 1]; e++) put(k, j, c->n + c->A->i[e]);
  k->off_cones = k->count;
  for (int t = 0; t < c->blocks; t++) {
    put_cone(k, &c->block[t], c->n);
    if (c->block[t].extra >= 0) k->sign[c->block[t].extra] = 1;
  }
}

dls_status dls_cone_kkt_create(dls_cone *c)
{
  cone_kkt *k = &c->kkt;
  size_t entries, n = (size_t)c->n + 1, m = (size_t)c->m + 1;
  dls_status status = count(c, &entries);
  if (status != DLS_OK) return status;
  k->row = dls_arena_alloc(c->arena, entries, sizeof(int));
  k->col = dls_arena_alloc(c->arena, entries, sizeof(int));
  k->value = dls_arena_alloc(c->arena, entries, sizeof(double));
  k->sign = dls_arena_alloc(c->arena, (size_t)k->size + 1, 1);
  k->P_place = dls_arena_alloc(c->arena, (size_t)c->P->p[c->n] + 1, sizeof(int));
  k->rhs = dls_arena_alloc(c->arena, (size_t)k->size + 1, sizeof(double));
  k->residual_x = dls_arena_alloc(c->arena, n, sizeof(long double));
  k->residual_y = dls_arena_alloc(c->arena, m, sizeof(long double));
  k->next_x = dls_arena_alloc(c->arena, n, sizeof(double));
  k->next_y = dls_arena_alloc(c->arena, m, sizeof(double));
  k->Wy = dls_arena_alloc(c->arena, m, sizeof(double));
  if (!k->row || !k->col || !k->value || !k->sign || !k->P_place || !k->rhs || !k->residual_x ||
      !k->residual_y || !k->next_x || !k->next_y || !k->Wy)
    return DLS_ERR_MEMORY;
  put_all(c);
  return dls_cone_ldl_create(k->size, k->count, k->row, k->col, &k->ldl);
}

void dls_cone_kkt_free(dls_cone *c)
{
  dls_cone_ldl_free(c->kkt.ldl);
}

// ---- numbers -----------------------------------------------------------------------------------

static void fill_large(const cone_block *c, int first, double *diagonal, double *value)
{
  const cone_sparse_square f = dls_cone_soc_sparse(c);
  double eta2 = c->eta * c->eta;
  value += c->off_places;
  for (int i = 0; i < c->size; i++) {
    diagonal[first + i] = -eta2 * (i == 0 ? f.d : 1);
    *value++ = -eta2 * (i == 0 ? f.u0 : f.u1 * c->w[i]);
  }
  for (int i = 1; i < c->size; i++) *value++ = eta2 * f.v1 * c->w[i];
  diagonal[c->extra] = eta2;
  diagonal[c->extra + 1] = -eta2;
}

static void fill_cone(const cone_block *c, int n, double *value)
{
  double *diagonal = value, eta2 = c->eta * c->eta;
  int first = n + c->start;
  if (c->type == &dls_cone_zero) {
    for (int i = 0; i < c->size; i++) diagonal[first + i] = 0;
  } else if (c->type == &dls_cone_nonneg) {
    for (int i = 0; i < c->size; i++) diagonal[first + i] = -c->w[i] * c->w[i];
  } else if (large(c)) {
    fill_large(c, first, diagonal, value);
  } else {
    int place = c->off_places;
    for (int j = 0; j < c->size; j++) {
      for (int i = 0; i < j; i++) value[place++] = -2 * eta2 * c->w[i] * c->w[j];
      // 2 w_0^2 - 1 without the difference
      double square = c->w[j] * c->w[j];
      diagonal[first + j] = j > 0 ? -eta2 * (2 * square + 1) : -eta2 * (2 * square - 1);
    }
  }
}

bool dls_cone_kkt_factor(dls_cone *c)
{
  cone_kkt *k = &c->kkt;
  double largest = 0, added = 0;
  memset(k->value, 0, (size_t)c->n * sizeof(double));
  for (int e = 0; e < c->P->p[c->n]; e++) k->value[k->P_place[e]] = c->Ps->x[e];
  for (int e = 0; e < c->A->p[c->n]; e++) k->value[k->off_A + e] = c->As->x[e];
  for (int t = 0; t < c->blocks; t++) fill_cone(&c->block[t], c->n, k->value);
  for (int j = 0; j < k->size; j++) largest = fmax(largest, fabs(k->value[j]));
  double delta = first_delta + relative_delta * largest;
  for (int attempt = 0; attempt < ATTEMPTS; attempt++, delta *= 100) {
    for (int j = 0; j < c->n + c->m; j++) k->value[j] += k->sign[j] * (delta - added);
    added = delta;
    if (dls_cone_ldl_factor(k->ldl, k->value, k->sign)) return true;
  }
  return false;
}

// The residual of (x, y), and its largest entry.
static double residual(dls_cone *c, const double *right_x, const double *right_y, const double *x,
                       const double *y)
{
  cone_kkt *k = &c->kkt;
  const dls_sparse *P = c->Ps, *A = c->As;
  for (int t = 0; t < c->blocks; t++) c->block[t].type->square(&c->block[t], y, k->Wy);
  for (int i = 0; i < c->m; i++) k->residual_y[i] = (long double)right_y[i] + k->Wy[i];
  for (int j = 0; j < c->n; j++) k->residual_x[j] = right_x[j];
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
  }
  long double worst = 0;
  for (int j = 0; j < c->n; j++)
    if (!(fabsl(k->residual_x[j]) <= worst)) worst = fabsl(k->residual_x[j]);
  for (int i = 0; i < c->m; i++)
    if (!(fabsl(k->residual_y[i]) <= worst)) worst = fabsl(k->residual_y[i]);
  return (double)worst;
}

void dls_cone_kkt_solve(dls_cone *c, const double *right_x, const double *right_y, double *x,
                        double *y)
{
  cone_kkt *k = &c->kkt;
  double size = 0;
  for (int j = 0; j < c->n; j++) x[j] = 0, size = fmax(size, fabs(right_x[j]));
  for (int i = 0; i < c->m; i++) y[i] = 0, size = fmax(size, fabs(right_y[i]));
  double best = residual(c, right_x, right_y, x, y);
  for (int step = 0; step < REFINEMENTS && best > 1e-16 * size; step++) {
    memset(k->rhs, 0, (size_t)k->size * sizeof(double));
    for (int j = 0; j < c->n; j++) k->rhs[j] = (double)k->residual_x[j];
    for (int i = 0; i < c->m; i++) k->rhs[c->n + i] = (double)k->residual_y[i];
    dls_cone_ldl_solve(k->ldl, k->rhs);
    for (int j = 0; j < c->n; j++) k->next_x[j] = x[j] + k->rhs[j];
    for (int i = 0; i < c->m; i++) k->next_y[i] = y[i] + k->rhs[c->n + i];
    double now = residual(c, right_x, right_y, k->next_x, k->next_y);
    if (!(now < best) && step > 0) return;
    if (c->n > 0) memcpy(x, k->next_x, (size_t)c->n * sizeof(double));
    if (c->m > 0) memcpy(y, k->next_y, (size_t)c->m * sizeof(double));
    if (step > 0 && now > 0.5 * best) return;
    best = now;
  }
}
