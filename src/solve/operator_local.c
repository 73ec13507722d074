// The local form: W by rows of blocks, on its symmetrized block pattern.
#include "base/memory.h"
#include "linalg/block_lu.h"
#include "solve/operator.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct local {
  dls_operator op;
  dls_arena *arena;
  int *p, *col;   // the blocks of row i stand at p[i] ... p[i+1]-1, columns increasing
  int *mirror;    // the place of the transposed block
  int *diagonal;  // the place of the diagonal block of each row
  double *W;      // the blocks
  size_t *place;  // where each number of the given matrix goes in W
  dls_block_lu *lu;
} local;

static void destroy(dls_operator *op)
{
  local *l = (local *)op;
  dls_block_lu_free(l->lu);
  dls_arena_free(l->arena);
  free(l);
}

// ---- structure ---------------------------------------------------------------------------------

// Rows of blocks of W and W^T together and the diagonal, each once and sorted: a counting sort by
// columns, then by rows, of all pairs.
static dls_status block_pattern(local *l)
{
  const dls_pattern *s = &l->op.problem->W.pattern;
  const int n = l->op.blocks, d = l->op.d;
  const long long most = 2LL * s->p[s->cols] + n;
  if (most > INT_MAX) return DLS_ERR_LIMIT;
  int *count = dls_alloc((size_t)n + 2, sizeof(int)), *seen = dls_alloc((size_t)n + 1, sizeof(int));
  int *first = dls_alloc((size_t)most + 1, sizeof(int));
  dls_status status = count && seen && first ? DLS_OK : DLS_ERR_MEMORY;
  int total = 0;
  if (status == DLS_OK) {
    // all columns that each row of blocks meets, with repetitions
    for (int j = 0; j < s->cols; j++)
      for (int e = s->p[j]; e < s->p[j + 1]; e++) count[s->i[e] / d + 1]++, count[j / d + 1]++;
    for (int i = 0; i < n; i++) count[i + 1] += count[i];
    for (int j = 0; j < s->cols; j++)
      for (int e = s->p[j]; e < s->p[j + 1]; e++) {
        first[count[s->i[e] / d]++] = j / d;
        first[count[j / d]++] = s->i[e] / d;
      }
    for (int i = n; i > 0; i--) count[i] = count[i - 1];
    count[0] = 0;
    // without repetitions, and the diagonal
    l->p = dls_arena_alloc(l->arena, (size_t)n + 1, sizeof(int));
    for (int i = 0; i < n; i++) seen[i] = -1;
    for (int i = 0; i < n; i++) {
      seen[i] = i, total++;
      for (int e = count[i]; e < count[i + 1]; e++)
        if (seen[first[e]] != i) seen[first[e]] = i, total++;
    }
    l->col = dls_arena_alloc(l->arena, (size_t)total + 1, sizeof(int));
    l->mirror = dls_arena_alloc(l->arena, (size_t)total + 1, sizeof(int));
    if (!l->p || !l->col || !l->mirror) status = DLS_ERR_MEMORY;
  }
  if (status == DLS_OK) {
    // the pattern is symmetric: walking the rows and writing down, for each column met, the row
    // gives the columns of each row in increasing order
    int *length = seen;
    for (int i = 0; i < n; i++) seen[i] = -1;
    for (int i = 0; i < n; i++) {
      seen[i] = i, l->p[i + 1]++;
      for (int e = count[i]; e < count[i + 1]; e++)
        if (seen[first[e]] != i) seen[first[e]] = i, l->p[i + 1]++;
    }
    for (int i = 0; i < n; i++) l->p[i + 1] += l->p[i];
    int *marked = l->mirror;  // not needed yet, and long enough: total >= n
    for (int i = 0; i < n; i++) marked[i] = -1, length[i] = 0;
    for (int i = 0; i < n; i++) {
      marked[i] = i, l->col[l->p[i] + length[i]++] = i;
      for (int e = count[i]; e < count[i + 1]; e++) {
        const int j = first[e];
        if (marked[j] == i) continue;
        marked[j] = i, l->col[l->p[j] + length[j]++] = i;
      }
    }
    for (int i = 0; i < n; i++) length[i] = 0;
    for (int i = 0; i < n; i++)
      for (int e = l->p[i]; e < l->p[i + 1]; e++)
        l->mirror[e] = l->p[l->col[e]] + length[l->col[e]]++;
  }
  free(count), free(seen), free(first);
  return status;
}

static dls_status places(local *l)
{
  const dls_pattern *s = &l->op.problem->W.pattern;
  const int n = l->op.blocks, d = l->op.d;
  const size_t area = (size_t)(d * d);
  l->W = dls_arena_alloc(l->arena, (size_t)l->p[n] + 1, area * sizeof(double));
  l->place = dls_arena_alloc(l->arena, (size_t)s->p[s->cols] + 1, sizeof(size_t));
  l->diagonal = dls_arena_alloc(l->arena, (size_t)n + 1, sizeof(int));
  int *at = dls_alloc((size_t)n + 1, sizeof(int));
  const bool good = l->W && l->place && l->diagonal && at;
  for (int J = 0; good && J < n; J++) {
    // the blocks (I, J) are the mirrors of the blocks (J, I) of row J
    for (int e = l->p[J]; e < l->p[J + 1]; e++) at[l->col[e]] = l->mirror[e];
    l->diagonal[J] = at[J];
    for (int j = d * J; j < d * (J + 1) && j < s->cols; j++)
      for (int e = s->p[j]; e < s->p[j + 1]; e++)
        l->place[e] = area * (size_t)at[s->i[e] / d] + (size_t)(s->i[e] % d + d * (j % d));
  }
  free(at);
  return good ? DLS_OK : DLS_ERR_MEMORY;
}

static dls_status create(const dls_incremental *problem, dls_operator **out)
{
  *out = NULL;
  local *l = dls_alloc(1, sizeof *l);
  if (!l) return DLS_ERR_MEMORY;
  dls_operator *op = &l->op;
  op->type = &dls_operator_local, op->problem = problem;
  op->d = problem->dimension, op->contacts = problem->contacts;
  op->rows = dls_incremental_rows(problem);
  op->blocks = op->contacts + (problem->equations + op->d - 1) / op->d;
  op->padded = op->d * op->blocks;
  op->has_rows = true;
  l->arena = dls_arena_create();
  dls_status status = l->arena ? block_pattern(l) : DLS_ERR_MEMORY;
  if (status == DLS_OK) status = places(l);
  if (status == DLS_OK) {
    op->q = dls_arena_alloc(l->arena, (size_t)op->padded + 1, sizeof(double));
    op->diagonal =
        dls_arena_alloc(l->arena, (size_t)op->blocks + 1, (size_t)(op->d * op->d) * sizeof(double));
    if (!op->q || !op->diagonal) status = DLS_ERR_MEMORY;
  }
  op->row_p = l->p, op->row_col = l->col, op->W = l->W;
  if (status == DLS_OK) *out = op;
  else destroy(op);
  return status;
}

// ---- numbers -----------------------------------------------------------------------------------

static dls_status refresh(dls_operator *op)
{
  local *l = (local *)op;
  const dls_incremental *p = op->problem;
  const size_t area = (size_t)(op->d * op->d);
  memset(l->W, 0, (size_t)l->p[op->blocks] * area * sizeof(double));
  for (int e = 0; e < p->W.pattern.p[op->rows]; e++) l->W[l->place[e]] += p->W.x[e];
  if (op->rows > 0) memcpy(op->q, p->q, (size_t)op->rows * sizeof(double));
  for (int i = 0; i < op->blocks; i++)
    memcpy(op->diagonal + area * (size_t)i, l->W + area * (size_t)l->diagonal[i],
           area * sizeof(double));
  for (int i = op->rows; i < op->padded; i++)
    op->diagonal[area * (size_t)(op->blocks - 1) + (size_t)((i % op->d) * (op->d + 1))] = 1;
  return DLS_OK;
}

static void multiply(dls_operator *op, const double *x, double *y)
{
  if (op->d == 3)
    for (int i = 0; i < op->blocks; i++) dls_operator_product(op, 3, i, x, y + (ptrdiff_t)3 * i);
  else
    for (int i = 0; i < op->blocks; i++) dls_operator_product(op, 2, i, x, y + (ptrdiff_t)2 * i);
}

static void velocity(dls_operator *op, const double *r, double *v, double *u)
{
  (void)v;
  multiply(op, r, u);
  for (int i = 0; i < op->rows; i++) u[i] += op->q[i];
}

static void rows_begin(dls_operator *op, const double *r)
{
  (void)op, (void)r;
}

static void row(const dls_operator *op, int block, const double *r, double *u)
{
  dls_operator_product(op, op->d, block, r, u);
  for (int k = 0; k < op->d; k++) u[k] += op->q[op->d * block + k];
}

static void row_changed(dls_operator *op, int block, const double *change)
{
  (void)op, (void)block, (void)change;
}

// ---- systems -----------------------------------------------------------------------------------

static dls_status prepare(dls_operator *op, size_t fill)
{
  local *l = (local *)op;
  const size_t area = (size_t)(op->d * op->d);
  dls_status status =
      dls_block_lu_create(op->d, op->blocks, l->p, l->col, fill / (area * sizeof(double)), &l->lu);
  if (status == DLS_OK) op->work = dls_block_lu_work(l->lu);
  return status;
}

static bool factor(dls_operator *op, const double *P, const double *R, const double *Q)
{
  local *l = (local *)op;
  const int d = op->d, area = d * d;
  for (int i = 0; i < op->blocks; i++)
    for (int e = l->p[i]; e < l->p[i + 1]; e++) {
      double *K = dls_block_lu_at(l->lu, l->mirror[e]);
      const double *W = l->W + (ptrdiff_t)area * e;
      if (P) dls_block_multiply(d, P + (ptrdiff_t)area * i, W, K);
      else if (R) dls_block_multiply(d, W, R + (ptrdiff_t)area * l->col[e], K);
      else memcpy(K, W, (size_t)area * sizeof(double));
      if (l->col[e] != i) continue;
      for (int k = 0; k < area; k++) K[k] += Q[(ptrdiff_t)area * i + k];
    }
  for (int i = op->rows; i < op->padded; i++)
    dls_block_lu_at(l->lu, l->diagonal[op->blocks - 1])[(i % d) * (d + 1)] += 1;
  return dls_block_lu_factor(l->lu);
}

static int sign(const dls_operator *op)
{
  return dls_block_lu_sign(((const local *)op)->lu);
}

static void solve(dls_operator *op, double *b)
{
  dls_block_lu_solve(((local *)op)->lu, b);
}

const dls_operator_type dls_operator_local = {create,   destroy,    refresh, velocity,
                                              multiply, prepare,    factor,  sign,
                                              solve,    rows_begin, row,     row_changed};
