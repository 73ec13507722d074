// The local form: W by rows of blocks, on its symmetrized block pattern.
#include "base/memory.h"
#include "linalg/block_lu.h"
#include "linalg/dense_lu.h"
#include "solve/operator.h"

#include <limits.h>
#include <stdlib.h>

typedef struct local {
  dls_operator op;
  dls_arena *arena;
  int *p, *col;      // the blocks of row i stand at p[i] ... p[i+1]-1, columns increasing
  int *mirror;       // the place of the transposed block
  int *diagonal;     // the place of the diagonal block of each row
  double *W;         // the blocks
  ptrdiff_t *place;  // where each number of the given matrix goes in W; NULL where it is dense
  bool full;         // the given pattern fills all blocks
  dls_block_lu *lu;
  // systems: blocks that are those of the identity stay out
  bool *out;
  const double *P;  // of the last factorization
  // the rest when it is dense, by rows
  bool dense;
  int count, *active, *pivot;  // active: the other blocks
  int sign;
  double *K, *x;
} local;

enum { DENSE = 40 };  // blocks of a system that may be kept dense

static void destroy(dls_operator *op)
{
  local *l = (local *)op;
  dls_block_lu_free(l->lu);
  dls_arena_free(l->arena);
  free(l);
}

// ---- structure ---------------------------------------------------------------------------------

static inline int block_of(int d, int row)
{
  return d == 3 ? row / 3 : row / 2;
}

static bool is_dense(const dls_operator *op)
{
  const dls_pattern *s = &op->problem->W.pattern;
  return op->rows == op->padded &&
         (long long)s->p[s->cols] == (long long)op->rows * (long long)op->rows;
}

// What the next two functions find, where all numbers are there.
static dls_status dense_pattern(local *l)
{
  const int n = l->op.blocks;
  const ptrdiff_t count = (ptrdiff_t)n * n + 1, area = (ptrdiff_t)l->op.d * l->op.d;
  l->p = dls_arena_alloc(l->arena, (ptrdiff_t)n + 1, sizeof(int));
  l->col = dls_arena_alloc(l->arena, count, sizeof(int));
  l->mirror = dls_arena_alloc(l->arena, count, sizeof(int));
  l->W = dls_arena_alloc(l->arena, count, dls_bytes(area, sizeof(double)));
  l->diagonal = dls_arena_alloc(l->arena, (ptrdiff_t)n + 1, sizeof(int));
  if (!l->p || !l->col || !l->mirror || !l->W || !l->diagonal) return DLS_ERR_MEMORY;
  for (int i = 0; i < n; i++) {
    l->p[i + 1] = n * (i + 1), l->diagonal[i] = (n + 1) * i;
    for (int j = 0; j < n; j++) l->col[n * i + j] = j, l->mirror[n * i + j] = n * j + i;
  }
  return DLS_OK;
}

// All columns of blocks that each row of blocks of W and W^T meets, with repetitions but for those
// in one column: those of row i begin at count[i].
static void list_pairs(const dls_pattern *s, int d, int n, int *count, int *list)
{
  for (int j = 0; j < s->cols; j++)
    for (int e = s->p[j], last = -1; e < s->p[j + 1]; e++) {
      const int I = block_of(d, s->i[e]);
      if (I == last) continue;
      last = I, count[I + 1]++, count[block_of(d, j) + 1]++;
    }
  for (int i = 0; i < n; i++) count[i + 1] += count[i];
  for (int j = 0; j < s->cols; j++)
    for (int e = s->p[j], last = -1; e < s->p[j + 1]; e++) {
      const int I = block_of(d, s->i[e]), J = block_of(d, j);
      if (I == last) continue;
      last = I, list[count[I]++] = J, list[count[J]++] = I;
    }
  for (int i = n; i > 0; i--) count[i] = count[i - 1];
  count[0] = 0;
}

// How many columns each row has without repetitions, with the diagonal: p[i + 1]; seen: n, work.
static void count_columns(int n, const int *count, const int *list, int *seen, int *p)
{
  for (int i = 0; i < n; i++) seen[i] = -1;
  for (int i = 0; i < n; i++) {
    seen[i] = i, p[i + 1] = 1;
    for (int e = count[i]; e < count[i + 1]; e++)
      if (seen[list[e]] != i) seen[list[e]] = i, p[i + 1]++;
  }
  for (int i = 0; i < n; i++) p[i + 1] += p[i];
}

// The pattern is symmetric: walking the rows and writing down, for each column met, the row gives
// the columns of each row in increasing order. length: n, work.
static void sort_columns(local *l, int n, const int *count, const int *list, int *length)
{
  int *marked = l->mirror;  // not needed yet, and long enough: it has the diagonal
  for (int i = 0; i < n; i++) marked[i] = -1, length[i] = 0;
  for (int i = 0; i < n; i++) {
    marked[i] = i, l->col[l->p[i] + length[i]++] = i;
    for (int e = count[i]; e < count[i + 1]; e++) {
      const int j = list[e];
      if (marked[j] == i) continue;
      marked[j] = i, l->col[l->p[j] + length[j]++] = i;
    }
  }
  for (int i = 0; i < n; i++) length[i] = 0;
  for (int i = 0; i < n; i++)
    for (int e = l->p[i]; e < l->p[i + 1]; e++)
      l->mirror[e] = l->p[l->col[e]] + length[l->col[e]]++;
}

// Rows of blocks of W and W^T together and the diagonal, each once and sorted: a counting sort by
// columns, then by rows, of all pairs.
static dls_status block_pattern(local *l)
{
  const dls_pattern *s = &l->op.problem->W.pattern;
  const int n = l->op.blocks;
  const long long most = 2LL * s->p[s->cols] + n;
  if (most > INT_MAX) return DLS_ERR_LIMIT;
  int *count = dls_alloc((ptrdiff_t)n + 2, sizeof(int));
  int *work = dls_alloc((ptrdiff_t)n + 1, sizeof(int));
  int *list = dls_alloc((ptrdiff_t)most + 1, sizeof(int));
  l->p = dls_arena_alloc(l->arena, (ptrdiff_t)n + 1, sizeof(int));
  dls_status status = count && work && list && l->p ? DLS_OK : DLS_ERR_MEMORY;
  if (status == DLS_OK) {
    list_pairs(s, l->op.d, n, count, list);
    count_columns(n, count, list, work, l->p);
    l->col = dls_arena_alloc(l->arena, (ptrdiff_t)l->p[n] + 1, sizeof(int));
    l->mirror = dls_arena_alloc(l->arena, (ptrdiff_t)l->p[n] + 1, sizeof(int));
    if (!l->col || !l->mirror) status = DLS_ERR_MEMORY;
  }
  if (status == DLS_OK) sort_columns(l, n, count, list, work);
  free(count), free(work), free(list);
  return status;
}

static dls_status places(local *l)
{
  const dls_pattern *s = &l->op.problem->W.pattern;
  const int n = l->op.blocks, d = l->op.d;
  const ptrdiff_t area = (ptrdiff_t)d * d;
  l->W = dls_arena_alloc(l->arena, (ptrdiff_t)l->p[n] + 1, dls_bytes(area, sizeof(double)));
  l->place = dls_arena_alloc(l->arena, (ptrdiff_t)s->p[s->cols] + 1, sizeof(ptrdiff_t));
  l->diagonal = dls_arena_alloc(l->arena, (ptrdiff_t)n + 1, sizeof(int));
  int *at = dls_alloc((ptrdiff_t)n + 1, sizeof(int));
  const bool good = l->W && l->place && l->diagonal && at;
  for (int J = 0; good && J < n; J++) {
    // the blocks (I, J) are the mirrors of the blocks (J, I) of row J
    for (int e = l->p[J]; e < l->p[J + 1]; e++) at[l->col[e]] = l->mirror[e];
    l->diagonal[J] = at[J];
    for (int j = d * J; j < d * (J + 1) && j < s->cols; j++)
      for (int e = s->p[j]; e < s->p[j + 1]; e++) {
        const int I = block_of(d, s->i[e]);
        l->place[e] = area * at[I] + (s->i[e] - d * I + d * (j - d * J));
      }
  }
  // rows increase in each column: no place is met twice
  l->full = good && s->p[s->cols] == area * l->p[n];
  free(at);
  return good ? DLS_OK : DLS_ERR_MEMORY;
}

static dls_status create(const dls_incremental *problem, dls_operator **out)
{
  *out = NULL;
  local *l = dls_alloc(1, sizeof *l);
  if (!l) return DLS_ERR_MEMORY;
  dls_operator *op = &l->op;
  dls_operator_shape(&dls_operator_local, problem, op);
  op->has_rows = true;
  l->arena = dls_arena_create();
  const bool dense = is_dense(op);
  dls_status status = !l->arena ? DLS_ERR_MEMORY : dense ? dense_pattern(l) : block_pattern(l);
  if (status == DLS_OK && !dense) status = places(l);
  if (status == DLS_OK) {
    op->q = dls_arena_alloc(l->arena, (ptrdiff_t)op->padded + 1, sizeof(double));
    op->diagonal = dls_arena_alloc(l->arena, (ptrdiff_t)op->blocks + 1,
                                   dls_bytes((op->d * op->d), sizeof(double)));
    if (!op->q || !op->diagonal) status = DLS_ERR_MEMORY;
  }
  op->row_p = l->p, op->row_col = l->col, op->W = l->W;
  if (status == DLS_OK) *out = op;
  else destroy(op);
  return status;
}

// ---- numbers -----------------------------------------------------------------------------------

// The given matrix has all numbers, and columns of d per block.
static inline void copy_dense(int d, int n, const double *restrict from, double *restrict W)
{
  for (int J = 0; J < n; J++)
    for (int c = 0; c < d; c++)
      for (int I = 0; I < n; I++, from += d) {
        double *to = W + (ptrdiff_t)(d * d) * (n * I + J) + d * c;
        for (int k = 0; k < d; k++) to[k] = from[k];
      }
}

static inline void copy_diagonal(const local *l, int d)
{
  for (int i = 0; i < l->op.blocks; i++)
    dls_copy(l->op.diagonal + (ptrdiff_t)(d * d) * i, l->W + (ptrdiff_t)(d * d) * l->diagonal[i],
             d * d);
}

static dls_status refresh(dls_operator *op)
{
  local *l = (local *)op;
  const dls_incremental *p = op->problem;
  const int n = op->blocks, area = op->d * op->d, count = p->W.pattern.p[op->rows];
  const ptrdiff_t *place = l->place;
  const double *from = p->W.x;
  double *W = l->W;
  if (!l->place) {
    if (op->d == 3) copy_dense(3, n, from, W);
    else copy_dense(2, n, from, W);
  } else {
    if (!l->full) dls_clear(W, (ptrdiff_t)l->p[n] * (ptrdiff_t)area);
    for (int e = 0; e < count; e++) W[place[e]] = from[e];
  }
  for (int i = 0; i < op->rows; i++) op->q[i] = p->q[i];
  if (op->d == 3) copy_diagonal(l, 3);
  else copy_diagonal(l, 2);
  for (int i = op->rows; i < op->padded; i++)
    op->diagonal[area * (op->blocks - 1) + (i % op->d) * (op->d + 1)] = 1;
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

static dls_status prepare(dls_operator *op, ptrdiff_t fill)
{
  local *l = (local *)op;
  const ptrdiff_t area = (ptrdiff_t)op->d * op->d, n = op->blocks, rows = op->padded;
  dls_status status = dls_block_lu_create(op->d, op->blocks, l->p, l->col,
                                          fill / (area * (ptrdiff_t)sizeof(double)), &l->lu);
  if (status != DLS_OK) return status;
  op->work = dls_block_lu_work(l->lu);
  l->dense = op->blocks <= DENSE && 2 * dls_block_lu_fill(l->lu) >= n * n;
  l->out = dls_arena_alloc(l->arena, n + 1, sizeof(bool));
  l->x = dls_arena_alloc(l->arena, rows + 1, sizeof(double));
  if (!l->out || !l->x) return DLS_ERR_MEMORY;
  if (!l->dense) return DLS_OK;
  l->active = dls_arena_alloc(l->arena, n + 1, sizeof(int));
  l->pivot = dls_arena_alloc(l->arena, rows + 1, sizeof(int));
  l->K = dls_arena_alloc(l->arena, rows * rows + 1, sizeof(double));
  return l->active && l->pivot && l->K ? DLS_OK : DLS_ERR_MEMORY;
}

// Blocks whose rows are those of the identity: P = 0 and Q = 1, contacts without force for
// instance.
static void find_out(local *l, const double *P, const double *Q)
{
  const int d = l->op.d, area = d * d;
  l->P = P, l->count = 0;
  for (int i = 0; i < l->op.blocks; i++) {
    const double *own = P ? P + (ptrdiff_t)area * i : NULL, *other = Q + (ptrdiff_t)area * i;
    bool out = P && own[0] == 0 && other[0] == 1;
    for (int k = 0; out && k < area; k++) out = own[k] == 0 && other[k] == (k % (d + 1) == 0);
    l->out[i] = out;
    if (!out && l->dense) l->active[l->count++] = i;
  }
}

// K = P W R + Q of the active blocks.
static inline bool factor_dense(local *l, int d, const double *R, const double *Q)
{
  const int n = d * l->count, area = d * d;
  int *at = l->pivot;  // where the blocks went, until the pivots are known
  for (int a = 0; a < l->count; a++) at[l->active[a]] = d * a;
  for (int a = 0; a < l->count; a++) {
    const int i = l->active[a];
    double *K = l->K + (ptrdiff_t)n * d * a;
    dls_clear(K, n * d);
    for (int e = l->p[i]; e < l->p[i + 1]; e++) {
      const int j = l->col[e];
      if (l->out[j]) continue;
      const double *W = l->W + (ptrdiff_t)area * e;
      double B[9];
      if (l->P) dls_block_multiply(d, l->P + (ptrdiff_t)area * i, W, B);
      else if (R) dls_block_multiply(d, W, R + (ptrdiff_t)area * j, B);
      const double *from = l->P || R ? B : W, *own = Q + (ptrdiff_t)area * i;
      for (int k = 0; k < d; k++)
        for (int c = 0; c < d; c++)
          K[n * k + at[j] + c] = from[k + d * c] + (i == j ? own[k + d * c] : 0);
    }
  }
  for (int i = l->op.rows; i < l->op.padded; i++) {
    const int row = n - d + i % d;  // the last block is active
    l->K[(ptrdiff_t)(n + 1) * row] += 1;
  }
  return dls_dense_lu_factor(n, l->K, l->pivot, &l->sign);
}

// The same for the sparse factors.
static inline void fill_sparse(local *l, int d, const double *R, const double *Q)
{
  const int area = d * d;
  for (int i = 0; i < l->op.blocks; i++)
    for (int e = l->p[i]; !l->out[i] && e < l->p[i + 1]; e++) {
      if (l->out[l->col[e]]) continue;
      double *K = dls_block_lu_at(l->lu, l->mirror[e]);
      const double *W = l->W + (ptrdiff_t)area * e;
      if (l->P) dls_block_multiply(d, l->P + (ptrdiff_t)area * i, W, K);
      else if (R) dls_block_multiply(d, W, R + (ptrdiff_t)area * l->col[e], K);
      else dls_copy(K, W, area);
      if (l->col[e] != i) continue;
      for (int k = 0; k < area; k++) K[k] += Q[(ptrdiff_t)area * i + k];
    }
}

static bool factor(dls_operator *op, const double *P, const double *R, const double *Q)
{
  local *l = (local *)op;
  const int d = op->d;
  find_out(l, P, Q);
  if (op->padded > op->rows && l->out[op->blocks - 1]) return false;
  if (l->dense) return d == 3 ? factor_dense(l, 3, R, Q) : factor_dense(l, 2, R, Q);
  if (d == 3) fill_sparse(l, 3, R, Q);
  else fill_sparse(l, 2, R, Q);
  for (int i = op->rows; i < op->padded; i++)
    dls_block_lu_at(l->lu, l->diagonal[op->blocks - 1])[(i % d) * (d + 1)] += 1;
  return dls_block_lu_factor(l->lu, P ? l->out : NULL);
}

static int sign(const dls_operator *op)
{
  const local *l = (const local *)op;
  return l->dense ? l->sign : dls_block_lu_sign(l->lu);
}

// b - P W x of the blocks that are in, with x = b of those that are out.
static void move_known(local *l, double *b)
{
  const int d = l->op.d;
  bool any = false;
  dls_clear(l->x, l->op.padded);
  for (int i = 0; i < l->op.blocks; i++)
    for (int k = 0; l->out[i] && k < d; k++)
      if (b[d * i + k] != 0) l->x[d * i + k] = -b[d * i + k], any = true;
  for (int i = 0; any && i < l->op.blocks; i++) {
    double y[3];
    if (l->out[i]) continue;
    dls_operator_product(&l->op, d, i, l->x, y);
    dls_block_add(d, d, l->P + (ptrdiff_t)(d * d) * i, y, b + (ptrdiff_t)d * i);
  }
}

static void solve(dls_operator *op, double *b)
{
  local *l = (local *)op;
  const ptrdiff_t d = op->d, bytes = d;
  if (l->P) move_known(l, b);
  if (!l->dense) {
    dls_block_lu_solve(l->lu, b);
    return;
  }
  for (ptrdiff_t a = 0; a < l->count; a++)
    dls_copy(l->x + d * a, b + d * (ptrdiff_t)l->active[a], bytes);
  dls_dense_lu_solve(op->d * l->count, l->K, l->pivot, l->x);
  for (ptrdiff_t a = 0; a < l->count; a++)
    dls_copy(b + d * (ptrdiff_t)l->active[a], l->x + d * a, bytes);
}

const dls_operator_type dls_operator_local = {
    .create = create,
    .destroy = destroy,
    .refresh = refresh,
    .velocity = velocity,
    .multiply = multiply,
    .prepare = prepare,
    .factor = factor,
    .sign = sign,
    .solve = solve,
    .rows_begin = rows_begin,
    .row = row,
    .row_changed = row_changed,
};
