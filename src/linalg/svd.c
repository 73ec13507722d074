// Singular values, one connected component of the pattern at a time: the gradients of a pile touch
// few coordinates each, and the rows of coordinates that no gradient touches are zero.
#include "linalg/dense.h"

#include "base/memory.h"
#include "linalg/dense_internal.h"
#include "base/union_find.h"

#include <stdlib.h>

// Below this size LAPACK takes less time than the search for components.
enum { SMALL = 64 };

typedef struct triple {
  double value;
  int block, column;  // the column of the block's own vectors
} triple;

// Nodes are the rows, then the columns; those of block b are node[start[b]...], in order.
typedef struct svd_blocks {
  int rows, cols, count;
  int *parent, *start, *node;
  int *height;  // rows of each block; the rest of its nodes are columns
  ptrdiff_t *U_at, *V_at;
  double *A, *U, *s, *V;  // A, s: of one block; U, V: of all blocks, one after another
  triple *triples;
  int found;
} svd_blocks;

static int width(const svd_blocks *w, int b)
{
  return w->start[b + 1] - w->start[b] - w->height[b];
}

static dls_status find_blocks(svd_blocks *w, const double *A)
{
  const ptrdiff_t nodes = (ptrdiff_t)w->rows + w->cols;
  int *block = dls_alloc(nodes, sizeof *block);
  w->parent = dls_alloc(nodes, sizeof(int)), w->start = dls_alloc(nodes + 1, sizeof(int));
  w->node = dls_alloc(nodes, sizeof(int)), w->height = dls_alloc(nodes, sizeof(int));
  if (!block || !w->parent || !w->start || !w->node || !w->height) {
    free(block);
    return DLS_ERR_MEMORY;
  }
  for (ptrdiff_t i = 0; i < nodes; i++) w->parent[i] = (int)i;
  for (int j = 0; j < w->cols; j++)
    for (int i = 0; i < w->rows; i++)
      if (A[i + (ptrdiff_t)w->rows * j] != 0) dls_unite(w->parent, i, w->rows + j);
  for (int i = 0; i < (int)nodes; i++) {
    const int r = dls_class_of(w->parent, i);
    block[i] = r == i ? w->count++ : block[r];
    w->start[block[i] + 1]++;
    w->height[block[i]] += i < w->rows;
  }
  for (int b = 0; b < w->count; b++) w->start[b + 1] += w->start[b];
  // parent has done its work; it now counts the filled places of each block
  for (int b = 0; b < w->count; b++) w->parent[b] = w->start[b];
  for (int i = 0; i < (int)nodes; i++) w->node[w->parent[block[i]]++] = i;
  free(block);
  return DLS_OK;
}

static dls_status allocate(svd_blocks *w, bool want_U, bool want_V)
{
  ptrdiff_t size_U = 0, size_V = 0, area = 0;
  const ptrdiff_t least = (w->rows < w->cols ? w->rows : w->cols);
  w->U_at = dls_alloc(w->count, sizeof(ptrdiff_t));
  w->V_at = dls_alloc(w->count, sizeof(ptrdiff_t));
  if (!w->U_at || !w->V_at) return DLS_ERR_MEMORY;
  for (int b = 0; b < w->count; b++) {
    const ptrdiff_t r = w->height[b], c = width(w, b);
    w->U_at[b] = size_U, w->V_at[b] = size_V;
    size_U += want_U ? r * r : 0, size_V += want_V ? c * c : 0;
    if (r * c > area) area = r * c;
  }
  w->A = dls_alloc(area, sizeof(double)), w->s = dls_alloc(least, sizeof(double));
  w->U = dls_alloc(size_U, sizeof(double)), w->V = dls_alloc(size_V, sizeof(double));
  w->triples = dls_alloc(least, sizeof(triple));
  return w->A && w->s && w->U && w->V && w->triples ? DLS_OK : DLS_ERR_MEMORY;
}

static dls_status solve_block(svd_blocks *w, int b, const double *A, bool want_U, bool want_V)
{
  const int rows = w->height[b], cols = width(w, b), least = rows < cols ? rows : cols;
  const int *row = w->node + w->start[b], *column = row + rows;
  for (int j = 0; j < cols; j++)
    for (int i = 0; i < rows; i++)
      w->A[i + (ptrdiff_t)rows * j] = A[row[i] + (ptrdiff_t)w->rows * (column[j] - w->rows)];
  const dls_status status = dls_svd_whole(rows, cols, w->A, want_U ? w->U + w->U_at[b] : NULL, w->s,
                                          want_V ? w->V + w->V_at[b] : NULL);
  if (status != DLS_OK) return status;
  for (int k = 0; k < least; k++) w->triples[w->found++] = (triple){w->s[k], b, k};
  return DLS_OK;
}

// Decreasing; ties by block, then by column, so that the order never depends on the sort.
static int compare(const void *left, const void *right)
{
  const triple *a = left, *b = right;
  if (a->value != b->value) return a->value > b->value ? -1 : 1;
  if (a->block != b->block) return a->block < b->block ? -1 : 1;
  return a->column < b->column ? -1 : 1;
}

// Column k of a block's own vectors, which are over count nodes, as a vector over all.
static void spread(const double *own, int count, int k, const int *node, int shift, double *out)
{
  for (int i = 0; i < count; i++) out[node[i] - shift] = own[i + (ptrdiff_t)count * k];
}

static void spread_left(const svd_blocks *w, int b, int k, double *out)
{
  spread(w->U + w->U_at[b], w->height[b], k, w->node + w->start[b], 0, out);
}

static void spread_right(const svd_blocks *w, int b, int k, double *out)
{
  const int *column = w->node + w->start[b] + w->height[b];
  spread(w->V + w->V_at[b], width(w, b), k, column, w->rows, out);
}

// The triples in order, then what the blocks leave over on each side, with the value zero.
static void merge(svd_blocks *w, double *U, double *s, double *V)
{
  const ptrdiff_t rows = w->rows, cols = w->cols;
  const int least = w->rows < w->cols ? w->rows : w->cols;
  qsort(w->triples, (size_t)w->found, sizeof *w->triples, compare);
  if (U) dls_clear(U, rows * rows);
  if (V) dls_clear(V, cols * cols);
  for (int k = 0; k < least; k++) s[k] = k < w->found ? w->triples[k].value : 0;
  for (int k = 0; k < w->found; k++) {
    const triple t = w->triples[k];
    if (U) spread_left(w, t.block, t.column, U + rows * k);
    if (V) spread_right(w, t.block, t.column, V + cols * k);
  }
  ptrdiff_t left = w->found, right = left;
  for (int b = 0; b < w->count; b++) {
    for (int k = width(w, b); U && k < w->height[b]; k++) spread_left(w, b, k, U + rows * left++);
    for (int k = w->height[b]; V && k < width(w, b); k++) spread_right(w, b, k, V + cols * right++);
  }
}

dls_status dls_svd(int rows, int cols, const double *A, double *U, double *s, double *V)
{
  if (rows <= SMALL && cols <= SMALL) return dls_svd_whole(rows, cols, A, U, s, V);
  dls_status status = dls_matrix_check(rows, cols, A);
  if (status != DLS_OK) return status;
  svd_blocks w = {.rows = rows, .cols = cols};
  status = find_blocks(&w, A);
  if (status == DLS_OK && w.count == 1) {
    status = dls_svd_whole(rows, cols, A, U, s, V);
  } else if (status == DLS_OK) {
    status = allocate(&w, U, V);
    for (int b = 0; b < w.count && status == DLS_OK; b++) status = solve_block(&w, b, A, U, V);
    if (status == DLS_OK) merge(&w, U, s, V);
  }
  free(w.parent), free(w.start), free(w.node), free(w.height);
  free(w.U_at), free(w.V_at), free(w.triples);
  free(w.A), free(w.U), free(w.s), free(w.V);
  return status;
}
