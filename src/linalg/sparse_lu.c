#include "linalg/sparse_lu.h"

#include "base/memory.h"
#include "linalg/dense_internal.h"
#include "linalg/tolerances.h"

#include <amd.h>
#include <klu.h>
#include <stdlib.h>

static const double max_entries = 1e8, max_products = 2e11;  // of factors, and to form them

struct dls_sparse_lu {
  int n;
  int *p, *i;  // KLU's functions take pointers that are not constant
  double *x;
  klu_common common;
  int scale;  // of rows, in factors with the pivots of the creation
  klu_symbolic *symbolic;
  klu_numeric *numeric;  // with the pivots of the creation
  klu_numeric *other;    // the last factors, when they have pivots of their own; else NULL
  bool *seen;            // n: work for the sign
};

void dls_sparse_lu_free(dls_sparse_lu *f)
{
  if (!f) return;
  if (f->numeric) klu_free_numeric(&f->numeric, &f->common);
  if (f->other) klu_free_numeric(&f->other, &f->common);
  if (f->symbolic) klu_free_symbolic(&f->symbolic, &f->common);
  free(f->p), free(f->i), free(f->x), free(f->seen);
  free(f);
}

static dls_sparse_lu *copy(int n, const int *p, const int *i, const double *x)
{
  const ptrdiff_t count = p[n];
  dls_sparse_lu *f = dls_alloc(1, sizeof *f);
  if (!f) return NULL;
  f->n = n;
  f->p = dls_alloc((ptrdiff_t)n + 1, sizeof(int)), f->i = dls_alloc(count + 1, sizeof(int));
  f->x = dls_alloc(count + 1, sizeof(double));
  f->seen = dls_alloc((ptrdiff_t)n + 1, sizeof(bool));
  if (!f->p || !f->i || !f->x || !f->seen || !klu_defaults(&f->common)) {
    dls_sparse_lu_free(f);
    return NULL;
  }
  f->scale = f->common.scale;
  dls_copy(f->p, p, n + 1);
  if (count > 0) dls_copy(f->i, i, count);
  if (count > 0 && x) dls_copy(f->x, x, count);
  return f;
}

// Pivots for x, after the analysis.
static dls_status choose(dls_sparse_lu *f)
{
  if (f->symbolic) f->numeric = klu_factor(f->p, f->i, f->x, f->symbolic, &f->common);
  if (f->common.status == KLU_OUT_OF_MEMORY) return DLS_ERR_MEMORY;
  return f->numeric && f->common.status == KLU_OK ? DLS_OK : DLS_ERR_NUMBER;
}

// Pivots of about one size are told at once; others may only be much smaller than their columns.
static bool well_scaled(dls_sparse_lu *f)
{
  if (klu_rcond(f->symbolic, f->numeric, &f->common) && f->common.rcond * pivots_alike > 1)
    return true;
  return klu_rgrowth(f->p, f->i, f->x, f->symbolic, f->numeric, &f->common) &&
         f->common.rgrowth * largest_growth > 1;
}

dls_status dls_sparse_lu_create(int n, const int *p, const int *i, const double *x,
                                dls_sparse_lu **out)
{
  *out = NULL;
  if (!dls_finite(p[n], x)) return DLS_ERR_NUMBER;
  dls_sparse_lu *f = copy(n, p, i, x);
  if (!f) return DLS_ERR_MEMORY;
  dls_status status = DLS_OK;
  if (n > 0) {
    f->symbolic = klu_analyze(n, f->p, f->i, &f->common);
    status = choose(f);
  }
  if (status == DLS_OK) *out = f;
  else dls_sparse_lu_free(f);
  return status;
}

typedef struct turn {
  int when, row;
  bool late;
} turn;

static int by_turn(const void *left, const void *right)
{
  const turn *a = left, *b = right;
  if (a->when != b->when) return a->when < b->when ? -1 : 1;
  if (a->late != b->late) return a->late ? 1 : -1;
  return (a->row > b->row) - (a->row < b->row);
}

// AMD's order, with the marked rows moved behind all others of their column.
static void delay(const dls_sparse_lu *f, const bool *late, int *order, int *place, turn *list)
{
  for (int k = 0; k < f->n; k++) place[order[k]] = k;
  for (int j = 0; j < f->n; j++) {
    list[j] = (turn){place[j], j, late[j]};
    for (int e = f->p[j]; e < f->p[j + 1] && late[j]; e++)
      if (!late[f->i[e]] && place[f->i[e]] > list[j].when) list[j].when = place[f->i[e]];
  }
  qsort(list, (size_t)f->n, sizeof *list, by_turn);
  for (int k = 0; k < f->n; k++) order[k] = list[k].row;
}

// Whether the factors in that order have an affordable number of entries and multiplications,
// counted along the elimination tree and no longer than that. parent, mark and count are work
// memory of n each.
static bool affordable(const dls_sparse_lu *f, const int *order, const int *place, int *parent,
                       int *mark, int *count)
{
  double entries = 0, products = 0;
  for (int k = 0; k < f->n && entries <= max_entries; k++) {
    parent[k] = -1, mark[k] = k, count[k] = 0;
    const int j = order[k];
    for (int e = f->p[j]; e < f->p[j + 1]; e++)
      for (int i = place[f->i[e]]; i < k && mark[i] != k; i = parent[i]) {
        if (parent[i] < 0) parent[i] = k;
        mark[i] = k, count[i]++, entries++;
      }
  }
  for (int k = 0; k < f->n && entries <= max_entries; k++)
    products += (double)count[k] * (double)count[k];
  return entries <= max_entries && products <= max_products;
}

static dls_status analyze_diagonal(dls_sparse_lu *f, const bool *late)
{
  const ptrdiff_t n = f->n;
  int *order = dls_alloc(5 * n, sizeof(int));
  turn *list = dls_alloc(n, sizeof *list);
  dls_status status = DLS_ERR_MEMORY;
  if (order && list) {
    const int ordered = amd_order(f->n, f->p, f->i, order, NULL, NULL);
    if (ordered != AMD_OUT_OF_MEMORY) status = ordered == AMD_INVALID ? DLS_ERR_NUMBER : DLS_OK;
  }
  if (status == DLS_OK) {
    delay(f, late, order, order + n, list);
    for (ptrdiff_t k = 0; k < n; k++) order[n + order[k]] = (int)k;
    if (!affordable(f, order, order + n, order + 2 * n, order + 3 * n, order + 4 * n))
      status = DLS_ERR_LIMIT;
  }
  if (status == DLS_OK) {
    f->common.btf = 0;
    f->symbolic = klu_analyze_given(f->n, f->p, f->i, order, order, &f->common);
  }
  free(order), free(list);
  return status;
}

dls_status dls_sparse_lu_create_diagonal(int n, const int *p, const int *i, const bool *late,
                                         dls_sparse_lu **out)
{
  *out = NULL;
  dls_sparse_lu *f = copy(n, p, i, NULL);
  if (!f) return DLS_ERR_MEMORY;
  f->common.scale = f->scale = -1;  // rows as they are
  f->common.tol = 0;                // the diagonal, whatever its size
  for (int j = 0; j < n; j++)       // any numbers that do
    for (int e = p[j]; e < p[j + 1]; e++) f->x[e] = i[e] == j;
  dls_status status = DLS_OK;
  if (n > 0) {
    status = analyze_diagonal(f, late);
    if (status == DLS_OK) status = choose(f);
  }
  if (status == DLS_OK) *out = f;
  else dls_sparse_lu_free(f);
  return status;
}

static bool take(dls_sparse_lu *f, const double *x)
{
  if (f->other) klu_free_numeric(&f->other, &f->common);
  dls_copy(f->x, x, (ptrdiff_t)f->p[f->n]);
  return dls_finite(f->p[f->n], f->x);
}

bool dls_sparse_lu_factor(dls_sparse_lu *f, const double *x)
{
  if (f->n == 0) return true;
  f->common.scale = f->scale;
  return take(f, x) && klu_refactor(f->p, f->i, f->x, f->symbolic, f->numeric, &f->common) &&
         f->common.status == KLU_OK;
}

bool dls_sparse_lu_factor_well(dls_sparse_lu *f, const double *x)
{
  return f->n == 0 || (dls_sparse_lu_factor(f, x) && well_scaled(f));
}

bool dls_sparse_lu_factor_any(dls_sparse_lu *f, const double *x)
{
  if (dls_sparse_lu_factor_well(f, x)) return true;
  if (!take(f, x)) return false;
  f->common.scale = 2, f->common.tol = diagonal_pivot;  // rows by their largest entry
  f->other = klu_factor(f->p, f->i, f->x, f->symbolic, &f->common);
  return f->other && f->common.status == KLU_OK;
}

double dls_sparse_lu_pivots(dls_sparse_lu *f)
{
  if (f->n == 0) return 1;
  return klu_rcond(f->symbolic, f->other ? f->other : f->numeric, &f->common) ? f->common.rcond : 0;
}

// +1 for an even permutation, -1 for an odd one: each cycle of even length changes the sign.
static int parity(const dls_sparse_lu *f, const int *order)
{
  int sign = 1;
  dls_clear(f->seen, f->n);
  for (int k = 0; k < f->n; k++) {
    int length = 0;
    for (int i = k; !f->seen[i]; i = order[i]) f->seen[i] = true, length++;
    if (length > 0 && length % 2 == 0) sign = -sign;
  }
  return sign;
}

int dls_sparse_lu_sign(dls_sparse_lu *f)
{
  if (f->n == 0) return 1;
  const klu_numeric *factors = f->other ? f->other : f->numeric;
  const double *pivot = factors->Udiag;
  int sign = parity(f, factors->Pnum) * parity(f, f->symbolic->Q);
  for (int k = 0; k < f->n && sign; k++) sign = pivot[k] > 0 ? sign : pivot[k] < 0 ? -sign : 0;
  return sign;
}

void dls_sparse_lu_solve(dls_sparse_lu *f, int count, double *b)
{
  if (f->n > 0)
    klu_solve(f->symbolic, f->other ? f->other : f->numeric, f->n, count, b, &f->common);
}
