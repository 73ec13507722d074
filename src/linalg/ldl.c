// Sparse L D L^T without pivoting, in the order that AMD finds: SuiteSparse's LDL. A quasidefinite
// matrix has such factors for every order.
#include "linalg/ldl.h"

#include "base/memory.h"
#include <amd.h>
#include <ldl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

struct dls_ldl {
  int size, count;
  dls_arena *arena;
  int *order, *inverse;  // row k of the factors is row order[k] of the matrix
  int *Ap, *Ai, *place;  // the upper triangle in the new order; place of each entry there
  double *Ax;
  int *Lp, *Li, *parent, *filled, *flag, *pattern;
  double *Lx, *D, *y, *b;
};

void dls_ldl_free(dls_ldl *f)
{
  if (!f) return;
  dls_arena_free(f->arena);
  free(f);
}

// The pattern by columns; entry e goes to place[e]. next: size ints.
static void sort_columns(int size, int count, const int *row, const int *col, int *p, int *i,
                         int *place, int *next)
{
  dls_clear(p, size + 1);
  for (int e = 0; e < count; e++) p[col[e] + 1]++;
  for (int j = 0; j < size; j++) p[j + 1] += p[j];
  dls_copy(next, p, size);
  for (int e = 0; e < count; e++) {
    place[e] = next[col[e]]++;
    i[place[e]] = row[e];
  }
}

static dls_status find_order(dls_ldl *f, const int *row, const int *col)
{
  // the places of the entries in their old order are not needed again
  sort_columns(f->size, f->count, row, col, f->Ap, f->Ai, f->place, f->flag);
  if (f->size > 0) {
    int result = amd_order(f->size, f->Ap, f->Ai, f->order, NULL, NULL);
    if (result == AMD_OUT_OF_MEMORY) return DLS_ERR_MEMORY;
    if (result != AMD_OK && result != AMD_OK_BUT_JUMBLED) return DLS_ERR_SOLVER;
  }
  for (int k = 0; k < f->size; k++) f->inverse[f->order[k]] = k;
  return DLS_OK;
}

static dls_status permute(dls_ldl *f, const int *row, const int *col)
{
  int *new_row = dls_alloc(f->count, sizeof(int));
  int *new_col = dls_alloc(f->count, sizeof(int));
  dls_status status = new_row && new_col ? DLS_OK : DLS_ERR_MEMORY;
  if (status == DLS_OK) {
    for (int e = 0; e < f->count; e++) {
      int r = f->inverse[row[e]], c = f->inverse[col[e]];
      new_row[e] = r < c ? r : c;
      new_col[e] = r < c ? c : r;
    }
    sort_columns(f->size, f->count, new_row, new_col, f->Ap, f->Ai, f->place, f->flag);
  }
  free(new_row);
  free(new_col);
  return status;
}

static dls_status analyse(dls_ldl *f)
{
  ldl_symbolic(f->size, f->Ap, f->Ai, f->Lp, f->parent, f->filled, f->flag, NULL, NULL);
  long long total = 0;
  for (int k = 0; k < f->size; k++) total += f->filled[k];
  if (total > INT_MAX) return DLS_ERR_LIMIT;
  f->Li = dls_arena_alloc(f->arena, (ptrdiff_t)total + 1, sizeof(int));
  f->Lx = dls_arena_alloc(f->arena, (ptrdiff_t)total + 1, sizeof(double));
  return f->Li && f->Lx ? DLS_OK : DLS_ERR_MEMORY;
}

static dls_status carve(dls_ldl *f)
{
  ptrdiff_t size = (ptrdiff_t)f->size + 1, count = (ptrdiff_t)f->count + 1;
  int **by_size[] = {&f->order,  &f->inverse, &f->Ap,   &f->Lp,
                     &f->parent, &f->filled,  &f->flag, &f->pattern};
  double **real[] = {&f->D, &f->y, &f->b};
  bool good = true;
  for (ptrdiff_t k = 0; k < dls_count_of(by_size); k++)
    good = (*by_size[k] = dls_arena_alloc(f->arena, size, sizeof(int))) && good;
  for (ptrdiff_t k = 0; k < dls_count_of(real); k++)
    good = (*real[k] = dls_arena_alloc(f->arena, size, sizeof(double))) && good;
  good = (f->Ai = dls_arena_alloc(f->arena, count, sizeof(int))) && good;
  good = (f->place = dls_arena_alloc(f->arena, count, sizeof(int))) && good;
  good = (f->Ax = dls_arena_alloc(f->arena, count, sizeof(double))) && good;
  return good ? DLS_OK : DLS_ERR_MEMORY;
}

dls_status dls_ldl_create(int size, int count, const int *row, const int *col, dls_ldl **out)
{
  *out = NULL;
  dls_ldl *f = dls_alloc(1, sizeof *f);
  if (!f) return DLS_ERR_MEMORY;
  f->size = size;
  f->count = count;
  f->arena = dls_arena_create();
  dls_status status = f->arena ? carve(f) : DLS_ERR_MEMORY;
  if (status == DLS_OK) status = find_order(f, row, col);
  if (status == DLS_OK) status = permute(f, row, col);
  if (status == DLS_OK) status = analyse(f);
  if (status == DLS_OK) *out = f;
  else dls_ldl_free(f);
  return status;
}

bool dls_ldl_factor(dls_ldl *f, const double *value, const signed char *sign)
{
  for (int e = 0; e < f->count; e++) f->Ax[f->place[e]] = value[e];
  int done = ldl_numeric(f->size, f->Ap, f->Ai, f->Ax, f->Lp, f->parent, f->filled, f->Li, f->Lx,
                         f->D, f->y, f->pattern, f->flag, NULL, NULL);
  if (done != f->size) return false;
  for (int k = 0; k < f->size; k++)
    if (!isfinite(f->D[k]) || !((sign ? f->D[k] * sign[f->order[k]] : f->D[k]) > 0)) return false;
  return true;
}

void dls_ldl_solve(dls_ldl *f, double *b)
{
  for (int k = 0; k < f->size; k++) f->b[k] = b[f->order[k]];
  ldl_lsolve(f->size, f->b, f->Lp, f->Li, f->Lx);
  ldl_dsolve(f->size, f->b, f->D);
  ldl_ltsolve(f->size, f->b, f->Lp, f->Li, f->Lx);
  for (int k = 0; k < f->size; k++) b[f->order[k]] = f->b[k];
}
