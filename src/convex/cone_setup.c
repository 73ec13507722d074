// Everything that happens once: the data are checked, copied, scaled, ordered and analysed, and all
// memory that a solve needs is taken.
#include "convex/cone_internal.h"

#include "base/memory.h"
#include "convex/tolerances.h"
#include "linalg/dense_internal.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

dls_cone_options dls_cone_defaults(void)
{
  return (dls_cone_options){.tolerance = cone_optimum,
                            .acceptable = accepted_optimum,
                            .certificate = cone_certificate,
                            .largest_size = largest_solution,
                            .max_iterations = 100};
}

// ---- what is given -----------------------------------------------------------------------------

static bool fits(const dls_sparse *A, int rows, int cols)
{
  return !A || (A->rows == rows && A->cols == cols && (cols == 0 || A->p[cols] <= INT_MAX / 8));
}

static dls_status check(const dls_cone_problem *p, const dls_cone_options *o)
{
  if (!p || p->n < 0 || p->m < 0 || p->zero < 0 || p->nonneg < 0 || p->cones < 0)
    return DLS_ERR_ARGUMENT;
  if (o && (!(o->tolerance >= 0) || !(o->acceptable >= o->tolerance) || !(o->certificate > 0) ||
            !(o->certificate < 1) || !(o->largest_size > 0) || o->max_iterations < 0))
    return DLS_ERR_ARGUMENT;
  if (p->n > INT_MAX / 8 || p->m > INT_MAX / 8) return DLS_ERR_LIMIT;
  long long rows = (long long)p->zero + p->nonneg;
  for (int k = 0; k < p->cones; k++) {
    if (p->cone_size[k] < 1) return DLS_ERR_ARGUMENT;
    rows += p->cone_size[k];
  }
  if (rows != p->m || !fits(p->P, p->n, p->n) || !fits(p->A, p->m, p->n)) return DLS_ERR_ARGUMENT;
  bool finite = dls_finite(p->n, p->q) && dls_finite(p->m, p->b) &&
                (!p->A || p->n == 0 || dls_finite(p->A->p[p->n], p->A->x)) &&
                (!p->P || p->n == 0 || dls_finite(p->P->p[p->n], p->P->x));
  return finite ? DLS_OK : DLS_ERR_NUMBER;
}

// A copy of what is on and above the diagonal, or of everything.
static dls_status copy(const dls_sparse *A, int rows, int cols, bool upper, dls_sparse **out)
{
  int entries = A && cols > 0 ? A->p[cols] : 0, count = 0;
  int *row = dls_alloc(entries, sizeof(int)), *col = dls_alloc(entries, sizeof(int));
  double *value = dls_alloc(entries, sizeof(double));
  dls_status status = row && col && value ? DLS_OK : DLS_ERR_MEMORY;
  for (int j = 0; j < cols && A && status == DLS_OK; j++)
    for (int e = A->p[j]; e < A->p[j + 1]; e++) {
      if ((upper && A->i[e] > j) || A->x[e] == 0) continue;
      row[count] = A->i[e], col[count] = j, value[count] = A->x[e];
      count++;
    }
  if (status == DLS_OK) status = dls_sparse_from_triplets(rows, cols, count, row, col, value, out);
  free(row);
  free(col);
  free(value);
  return status;
}

// ---- P is semidefinite -------------------------------------------------------------------------

// Writes the entries of P with diagonal 1 + `indefinite` (where the whole row vanishes: 1), which
// has positive pivots when P is semidefinite up to rounding. False when a diagonal entry is
// negative, or zero in a row that is not.
static bool unit_diagonal(const dls_cone *c, int *row, int *col, double *value, double *root,
                          int *count)
{
  const dls_sparse *P = c->P;
  bool good = true;
  for (int j = 0; j < c->n; j++) root[j] = 0;
  for (int j = 0; j < c->n; j++)
    for (int e = P->p[j]; e < P->p[j + 1]; e++)
      if (P->i[e] == j) root[j] = sqrt(P->x[e]);  // NaN when negative
  *count = 0;
  for (int j = 0; j < c->n; j++) row[*count] = col[*count] = j, value[(*count)++] = 1 + indefinite;
  for (int j = 0; j < c->n; j++)
    for (int e = P->p[j]; e < P->p[j + 1]; e++) {
      int i = P->i[e];
      good = good && root[i] > 0 && root[j] > 0;
      if (i == j) continue;
      row[*count] = i, col[*count] = j;
      value[(*count)++] = P->x[e] / root[i] / root[j];
    }
  return good;
}

static dls_status check_semidefinite(const dls_cone *c)
{
  ptrdiff_t n = c->n, entries = n + c->P->p[n];
  int *row = dls_alloc(entries, sizeof(int)), *col = dls_alloc(entries, sizeof(int)), count;
  double *value = dls_alloc(entries, sizeof(double)), *root = dls_alloc(n, sizeof(double));
  signed char *sign = dls_alloc(n, 1);
  dls_ldl *ldl = NULL;
  dls_status status = row && col && value && root && sign ? DLS_OK : DLS_ERR_MEMORY;
  if (status == DLS_OK) {
    memset(sign, 1, (size_t)n);
    if (!unit_diagonal(c, row, col, value, root, &count)) status = DLS_ERR_ARGUMENT;
  }
  if (status == DLS_OK) status = dls_ldl_create(c->n, count, row, col, &ldl);
  if (status == DLS_OK && !dls_ldl_factor(ldl, value, sign)) status = DLS_ERR_ARGUMENT;
  dls_ldl_free(ldl);
  free(row);
  free(col);
  free(value);
  free(root);
  free(sign);
  return status;
}

// ---- memory ------------------------------------------------------------------------------------

static dls_status carve(dls_cone *c)
{
  ptrdiff_t n = (ptrdiff_t)c->n + 1, m = (ptrdiff_t)c->m + 1, both = n + m;
  double **per_variable[] = {&c->q,  &c->qs, &c->D,       &c->at.x,  &c->affine.x, &c->step.x,
                             &c->Px, &c->rx, &c->right_x, &c->try_x, &c->best_x};
  double **per_row[] = {&c->b,      &c->bs,       &c->E,        &c->at.y,   &c->at.s,   &c->step.y,
                        &c->step.s, &c->affine.y, &c->affine.s, &c->ry,     &c->lambda, &c->right_y,
                        &c->target, &c->try_s,    &c->try_y,    &c->best_s, &c->best_y};
  double **per_both[] = {&c->t1, &c->t2};
  bool good = true;
  for (ptrdiff_t k = 0; k < dls_count_of(per_variable); k++)
    good = (*per_variable[k] = dls_arena_alloc(c->arena, n, sizeof(double))) && good;
  for (ptrdiff_t k = 0; k < dls_count_of(per_row); k++)
    good = (*per_row[k] = dls_arena_alloc(c->arena, m, sizeof(double))) && good;
  for (ptrdiff_t k = 0; k < dls_count_of(per_both); k++)
    good = (*per_both[k] = dls_arena_alloc(c->arena, both, sizeof(double))) && good;
  good = (c->sum_x = dls_arena_alloc(c->arena, n, sizeof(long double))) && good;
  good = (c->terms_x = dls_arena_alloc(c->arena, n, sizeof(long double))) && good;
  good = (c->sum_y = dls_arena_alloc(c->arena, m, sizeof(long double))) && good;
  good = (c->terms_y = dls_arena_alloc(c->arena, m, sizeof(long double))) && good;
  return good ? DLS_OK : DLS_ERR_MEMORY;
}

static dls_status make_blocks(dls_cone *c, const dls_cone_problem *p)
{
  c->block = dls_arena_alloc(c->arena, (ptrdiff_t)p->cones + 2, sizeof *c->block);
  double *w = dls_arena_alloc(c->arena, (ptrdiff_t)c->m + 1, sizeof(double));
  if (!c->block || !w) return DLS_ERR_MEMORY;
  int start = 0;
  for (int t = 0; t < p->cones + 2; t++) {
    int size = t == 0 ? p->zero : t == 1 ? p->nonneg : p->cone_size[t - 2];
    if (size == 0) continue;
    cone_block *block = &c->block[c->blocks++];
    block->type = t == 0 ? &dls_cone_zero : t == 1 ? &dls_cone_nonneg : &dls_cone_soc;
    block->start = start;
    block->size = size;
    block->w = w + start;
    start += size;
    c->degree += block->type->degree(block);
  }
  return DLS_OK;
}

void dls_cone_free(dls_cone *c)
{
  if (!c) return;
  dls_cone_kkt_free(c);
  dls_sparse_free(c->P);
  dls_sparse_free(c->A);
  dls_sparse_free(c->Ps);
  dls_sparse_free(c->As);
  dls_arena_free(c->arena);
  free(c);
}

static dls_status build(dls_cone *c, const dls_cone_problem *p)
{
  dls_status status = carve(c);
  if (status == DLS_OK) status = make_blocks(c, p);
  if (status == DLS_OK) status = copy(p->P, c->n, c->n, true, &c->P);
  if (status == DLS_OK) status = copy(p->A, c->m, c->n, false, &c->A);
  if (status == DLS_OK) status = copy(c->P, c->n, c->n, true, &c->Ps);
  if (status == DLS_OK) status = copy(c->A, c->m, c->n, false, &c->As);
  if (status == DLS_OK) status = check_semidefinite(c);
  if (status != DLS_OK) return status;
  if (c->n > 0) dls_copy(c->q, p->q, c->n);
  if (c->m > 0) dls_copy(c->b, p->b, c->m);
  dls_cone_equilibrate(c);
  dls_cone_scale_data(c);
  if (!dls_cone_scaled_finite(c)) return DLS_ERR_NUMBER;
  return dls_cone_kkt_create(c);
}

dls_status dls_cone_setup(const dls_cone_problem *problem, const dls_cone_options *options,
                          dls_cone **out)
{
  *out = NULL;
  dls_status status = check(problem, options);
  if (status != DLS_OK) return status;
  dls_cone *c = dls_alloc(1, sizeof *c);
  if (!c) return DLS_ERR_MEMORY;
  c->n = problem->n;
  c->m = problem->m;
  c->zero = problem->zero;
  c->options = options ? *options : dls_cone_defaults();
  c->arena = dls_arena_create();
  status = c->arena ? build(c, problem) : DLS_ERR_MEMORY;
  if (status == DLS_OK) *out = c;
  else dls_cone_free(c);
  return status;
}

dls_status dls_cone_update_q(dls_cone *c, const double *q)
{
  if (!dls_finite(c->n, q)) return DLS_ERR_NUMBER;
  if (c->n > 0) dls_copy(c->q, q, c->n);
  return DLS_OK;
}

dls_status dls_cone_update_b(dls_cone *c, const double *b)
{
  if (!dls_finite(c->m, b)) return DLS_ERR_NUMBER;
  if (c->m > 0) dls_copy(c->b, b, c->m);
  return DLS_OK;
}
