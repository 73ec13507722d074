// Up-looking by rows of L and columns of U at once: for k = 0 ... n-1 the k-th row of L and the
// k-th column of U solve triangular systems with what is there already. Both have the pattern of
// the row of the elimination tree of k, found as in SuiteSparse's LDL.
//
//   L_kj U_jj = A_kj - sum_{i<j} L_ki U_ij,     L_jj U_jk = ...: here L has unit diagonal blocks,
//   U_jk = A_jk - sum_{i<j} L_ji U_ik,          U_kk = A_kk - sum_j L_kj U_jk.
//
// L is kept by columns and U by rows, on the same pattern, so that one pass over column j of it
// serves both.
#include "linalg/block_lu.h"

#include "base/memory.h"
#include "linalg/block.h"

#include <amd.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

struct dls_block_lu {
  int size, n;
  dls_arena *arena;
  int *order, *inverse;  // block row k of the factors is block row order[k] of the matrix
  // the matrix: by column k of the new order, the blocks above the diagonal (upper) and those of
  // the row left of it (lower), and the diagonal
  int *Ap, *Ai;  // n + 1: the pattern above the diagonal, in the new order
  double *upper, *lower, *diagonal;
  double **place;  // where each block of the given pattern is gathered
  // the factors: column j of L and row j of U, rows i > j
  int *parent, *filled, *flag, *pattern;
  ptrdiff_t *Lp;
  int *Li;
  double *L, *U;
  double *inverted;      // n: the inverses of the diagonal blocks of U
  double *row, *column;  // n blocks each, zero between steps
  double *x;             // size * n
  double work;
  int sign;
};

void dls_block_lu_free(dls_block_lu *f)
{
  if (!f) return;
  dls_arena_free(f->arena);
  free(f);
}

ptrdiff_t dls_block_lu_fill(const dls_block_lu *f)
{
  return 2 * f->Lp[f->n] + f->n;
}

double dls_block_lu_work(const dls_block_lu *f)
{
  return f->work;
}

double *dls_block_lu_at(dls_block_lu *f, int e)
{
  return f->place[e];
}

// ---- setting up --------------------------------------------------------------------------------

static dls_status find_order(dls_block_lu *f, const int *p, const int *i)
{
  if (p[f->n] == (long long)f->n * f->n) {  // no order is better than another
    for (int k = 0; k < f->n; k++) f->order[k] = k;
  } else if (f->n > 0) {
    int result = amd_order(f->n, p, i, f->order, NULL, NULL);
    if (result == AMD_OUT_OF_MEMORY) return DLS_ERR_MEMORY;
    if (result != AMD_OK && result != AMD_OK_BUT_JUMBLED) return DLS_ERR_SOLVER;
  }
  for (int k = 0; k < f->n; k++) f->inverse[f->order[k]] = k;
  return DLS_OK;
}

// The blocks above the diagonal of the new order, by columns; place of every given block.
static dls_status gather(dls_block_lu *f, const int *p, const int *i)
{
  const int n = f->n, area = f->size * f->size;
  dls_clear(f->Ap, n + 1);
  for (int j = 0; j < n; j++)
    for (int e = p[j]; e < p[j + 1]; e++)
      if (f->inverse[i[e]] < f->inverse[j]) f->Ap[f->inverse[j] + 1]++;
  for (int k = 0; k < n; k++) f->Ap[k + 1] += f->Ap[k];
  const ptrdiff_t count = (ptrdiff_t)f->Ap[n] + 1;
  f->Ai = dls_arena_alloc(f->arena, count, sizeof(int));
  f->upper = dls_arena_alloc(f->arena, count * area, sizeof(double));
  f->lower = dls_arena_alloc(f->arena, count * area, sizeof(double));
  f->diagonal = dls_arena_alloc(f->arena, ((ptrdiff_t)n + 1) * area, sizeof(double));
  f->place = dls_arena_alloc(f->arena, (ptrdiff_t)p[n] + 1, sizeof(double *));
  if (!f->Ai || !f->upper || !f->lower || !f->diagonal || !f->place) return DLS_ERR_MEMORY;
  dls_copy(f->flag, f->Ap, n);
  for (int j = 0; j < n; j++)
    for (int e = p[j]; e < p[j + 1]; e++) {
      const int r = f->inverse[i[e]], c = f->inverse[j];
      if (r == c) f->place[e] = f->diagonal + (ptrdiff_t)area * r;
      if (r >= c) continue;
      f->Ai[f->flag[c]] = r;
      f->place[e] = f->upper + (ptrdiff_t)area * f->flag[c]++;
    }
  // the block (j, i) goes beside its mirror (i, j)
  for (int j = 0; j < n; j++)
    for (int e = p[j]; e < p[j + 1]; e++) {
      const int r = f->inverse[i[e]], c = f->inverse[j];
      if (r <= c) continue;
      int mirror = -1;
      for (int t = f->Ap[r]; t < f->Ap[r + 1]; t++)
        if (f->Ai[t] == c) mirror = t;
      if (mirror < 0) return DLS_ERR_ARGUMENT;
      f->place[e] = f->lower + (ptrdiff_t)area * mirror;
    }
  return DLS_OK;
}

// Elimination tree and column counts, as in LDL.
static dls_status analyse(dls_block_lu *f, ptrdiff_t most)
{
  ptrdiff_t counted = 0;
  for (int k = 0; k < f->n; k++) {
    if (most > 0 && 2 * counted > most) return DLS_ERR_LIMIT;
    f->parent[k] = -1, f->flag[k] = k, f->filled[k] = 0;
    for (int e = f->Ap[k]; e < f->Ap[k + 1]; e++)
      for (int i = f->Ai[e]; f->flag[i] != k; i = f->parent[i]) {
        if (f->parent[i] < 0) f->parent[i] = k;
        f->filled[i]++, counted++;
        f->flag[i] = k;
      }
  }
  ptrdiff_t total = 0;
  const double b = f->size;
  f->work = 0;
  for (int k = 0; k < f->n; k++) {
    f->Lp[k] = total;
    total += f->filled[k];
    f->work += 2 * b * b * b * (double)f->filled[k] * ((double)f->filled[k] + 1);
  }
  f->Lp[f->n] = total;
  if (most > 0 && 2 * total > most) return DLS_ERR_LIMIT;
  const ptrdiff_t area = (ptrdiff_t)f->size * f->size;
  if (total >= PTRDIFF_MAX / (ptrdiff_t)sizeof(double) / area - 1) return DLS_ERR_LIMIT;
  f->Li = dls_arena_alloc(f->arena, total + 1, sizeof(int));
  f->L = dls_arena_alloc(f->arena, (total + 1) * area, sizeof(double));
  f->U = dls_arena_alloc(f->arena, (total + 1) * area, sizeof(double));
  return f->Li && f->L && f->U ? DLS_OK : DLS_ERR_MEMORY;
}

static dls_status carve(dls_block_lu *f)
{
  const ptrdiff_t n = (ptrdiff_t)f->n + 1, area = (ptrdiff_t)f->size * f->size;
  int **whole[] = {&f->order, &f->inverse, &f->Ap, &f->parent, &f->filled, &f->flag, &f->pattern};
  double **real[] = {&f->inverted, &f->row, &f->column, &f->x};
  bool good = true;
  for (ptrdiff_t k = 0; k < dls_count_of(whole); k++)
    good = (*whole[k] = dls_arena_alloc(f->arena, n, sizeof(int))) && good;
  for (ptrdiff_t k = 0; k < dls_count_of(real); k++)
    good = (*real[k] = dls_arena_alloc(f->arena, n * area, sizeof(double))) && good;
  good = (f->Lp = dls_arena_alloc(f->arena, n, sizeof(ptrdiff_t))) && good;
  return good ? DLS_OK : DLS_ERR_MEMORY;
}

dls_status dls_block_lu_create(int size, int n, const int *p, const int *i, ptrdiff_t most,
                               dls_block_lu **out)
{
  *out = NULL;
  if ((size != 2 && size != 3) || n < 0) return DLS_ERR_ARGUMENT;
  dls_block_lu *f = dls_alloc(1, sizeof *f);
  if (!f) return DLS_ERR_MEMORY;
  f->size = size, f->n = n;
  f->arena = dls_arena_create();
  dls_status status = f->arena ? carve(f) : DLS_ERR_MEMORY;
  if (status == DLS_OK) status = find_order(f, p, i);
  if (status == DLS_OK) status = gather(f, p, i);
  if (status == DLS_OK) status = analyse(f, most);
  if (status == DLS_OK) *out = f;
  else dls_block_lu_free(f);
  return status;
}

// ---- small blocks, column-major ----------------------------------------------------------------

// The size is a constant where these are called, so that the loops unroll.
#define INLINE static inline __attribute__((always_inline))

// C -= A B
INLINE void subtract(int s, double *restrict C, const double *restrict A, const double *restrict B)
{
  for (int c = 0; c < s; c++)
    for (int k = 0; k < s; k++)
      for (int r = 0; r < s; r++) C[r + s * c] -= A[r + s * k] * B[k + s * c];
}

INLINE void multiply(int s, double *restrict C, const double *restrict A, const double *restrict B)
{
  for (int c = 0; c < s; c++)
    for (int r = 0; r < s; r++) {
      double sum = 0;
      for (int k = 0; k < s; k++) sum += A[r + s * k] * B[k + s * c];
      C[r + s * c] = sum;
    }
}

INLINE void subtract_product(int s, double *restrict y, const double *restrict A,
                             const double *restrict x)
{
  for (int k = 0; k < s; k++)
    for (int r = 0; r < s; r++) y[r] -= A[r + s * k] * x[k];
}

// ---- factors -----------------------------------------------------------------------------------

void dls_block_lu_clear(dls_block_lu *f)
{
  const ptrdiff_t area = (ptrdiff_t)f->size * f->size, count = f->Ap[f->n];
  dls_clear(f->upper, count * area);
  dls_clear(f->lower, count * area);
  dls_clear(f->diagonal, (ptrdiff_t)f->n * area);
}

// The rows of column k of U (and columns of row k of L), in an order in which they can be
// eliminated: pattern[top ... n-1]. Scatters the matrix into row and column.
INLINE int scatter(dls_block_lu *f, int s, int k, const bool *skip)
{
  const int area = s * s;
  int top = f->n;
  f->flag[k] = k, f->filled[k] = 0;
  for (int e = f->Ap[k]; e < f->Ap[k + 1]; e++) {
    const int i = f->Ai[e];
    if (skip && skip[f->order[i]]) continue;
    dls_copy(f->column + (ptrdiff_t)area * i, f->upper + (ptrdiff_t)area * e, area);
    dls_copy(f->row + (ptrdiff_t)area * i, f->lower + (ptrdiff_t)area * e, area);
    int length = 0;
    for (int j = i; f->flag[j] != k; j = f->parent[j]) f->pattern[length++] = j, f->flag[j] = k;
    while (length > 0) f->pattern[--top] = f->pattern[--length];
  }
  return top;
}

// A row that is left out has the identity's blocks.
INLINE void leave_out(dls_block_lu *f, int s, int k)
{
  double *inverted = f->inverted + (ptrdiff_t)(s * s) * k;
  f->filled[k] = 0;
  for (int e = 0; e < s * s; e++) inverted[e] = e % (s + 1) == 0;
}

INLINE bool both_zero(int area, const double *a, const double *b)
{
  for (int e = 0; e < area; e++)
    if (!(a[e] == 0 && b[e] == 0)) return false;
  return true;
}

INLINE bool factor(dls_block_lu *f, int s, const bool *skip)
{
  const int area = s * s;
  f->sign = 1;
  for (int k = 0; k < f->n; k++) f->flag[k] = -1;
  for (int k = 0; k < f->n; k++) {
    double *d = f->diagonal + (ptrdiff_t)area * k;
    if (skip && skip[f->order[k]]) {
      leave_out(f, s, k);
      continue;
    }
    for (int top = scatter(f, s, k, skip); top < f->n; top++) {
      const int j = f->pattern[top];
      double Ujk[9], Lkj[9], *column = f->column + (ptrdiff_t)area * j,
                             *row = f->row + (ptrdiff_t)area * j;
      if (skip && both_zero(area, row, column)) continue;  // it met j only through what is left out
      dls_copy(Ujk, column, area);
      multiply(s, Lkj, row, f->inverted + (ptrdiff_t)area * j);
      // what column j of L and row j of U take away from the rest of the column and the row
      const ptrdiff_t begin = f->Lp[j], end = begin + f->filled[j];
      for (ptrdiff_t e = begin; e < end; e++) {
        const int i = f->Li[e];
        subtract(s, f->column + (ptrdiff_t)area * i, f->L + area * e, Ujk);
        subtract(s, f->row + (ptrdiff_t)area * i, Lkj, f->U + area * e);
      }
      subtract(s, d, Lkj, Ujk);
      f->Li[end] = k;
      dls_copy(f->U + (ptrdiff_t)area * end, Ujk, area);
      dls_copy(f->L + (ptrdiff_t)area * end, Lkj, area);
      f->filled[j]++;
      dls_clear(column, area);
      dls_clear(row, area);
    }
    if (!dls_block_invert(s, d, f->inverted + (ptrdiff_t)area * k, &f->sign)) return false;
  }
  return true;
}

bool dls_block_lu_factor(dls_block_lu *f, const bool *skip)
{
  const ptrdiff_t area = (ptrdiff_t)f->size * f->size;
  const bool good = f->size == 3 ? factor(f, 3, skip) : factor(f, 2, skip);
  if (!good) {  // what an early end left
    dls_clear(f->row, (ptrdiff_t)f->n * area);
    dls_clear(f->column, (ptrdiff_t)f->n * area);
  }
  return good;
}

int dls_block_lu_sign(const dls_block_lu *f)
{
  return f->sign;
}

INLINE void solve(dls_block_lu *f, int s, double *b)
{
  const int area = s * s;
  double *x = f->x;
  for (int k = 0; k < f->n; k++)
    for (int c = 0; c < s; c++) x[s * k + c] = b[s * f->order[k] + c];
  for (int j = 0; j < f->n; j++)
    for (ptrdiff_t e = f->Lp[j], end = e + f->filled[j]; e < end; e++)
      subtract_product(s, x + (ptrdiff_t)s * f->Li[e], f->L + area * e, x + (ptrdiff_t)s * j);
  for (int j = f->n - 1; j >= 0; j--) {
    double *y = x + (ptrdiff_t)s * j, z[3] = {0};
    for (ptrdiff_t e = f->Lp[j], end = e + f->filled[j]; e < end; e++)
      subtract_product(s, y, f->U + area * e, x + (ptrdiff_t)s * f->Li[e]);
    subtract_product(s, z, f->inverted + (ptrdiff_t)area * j, y);
    for (int c = 0; c < s; c++) y[c] = -z[c];
  }
  for (int k = 0; k < f->n; k++)
    for (int c = 0; c < s; c++) b[s * f->order[k] + c] = x[s * k + c];
}

void dls_block_lu_solve(dls_block_lu *f, double *b)
{
  if (f->size == 3) solve(f, 3, b);
  else solve(f, 2, b);
}
