// Eigenvalues: of a symmetric matrix, one connected component of its pattern at a time, and of any.
#include "linalg/dense.h"

#include "base/memory.h"
#include "linalg/dense_internal.h"
#include "base/union_find.h"

#include <lapacke.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

typedef struct pair {
  double value;
  int block, column;  // the column of the block's own vectors
} pair;

typedef struct eigen_work {
  int n, blocks;
  int *component;  // of each index
  int *start;      // blocks + 1: the members of block b are members[start[b]...]
  int *members;
  pair *pairs;
  double *vectors;    // all blocks' vectors, one after another
  ptrdiff_t *offset;  // of each block in vectors
  double *work;
  int *iwork;
  int length, ilength;
} eigen_work;

// Union-find over the nonzeros of the lower triangle, then members sorted by block.
static dls_status find_blocks(eigen_work *w, const double *A)
{
  ptrdiff_t n = w->n;
  w->component = dls_alloc(n, sizeof(int));
  w->start = dls_alloc(n + 1, sizeof(int));
  w->members = dls_alloc(n, sizeof(int));
  int *parent = dls_alloc(n, sizeof(int));
  if (!w->component || !w->start || !w->members || !parent) {
    free(parent);
    return DLS_ERR_MEMORY;
  }
  for (int i = 0; i < w->n; i++) parent[i] = i;
  for (int j = 0; j < w->n; j++)
    for (int i = j + 1; i < w->n; i++)
      if (A[j * n + i] != 0) dls_unite(parent, i, j);
  for (int i = 0; i < w->n; i++) {
    int r = dls_class_of(parent, i);
    w->component[i] = r == i ? w->blocks++ : w->component[r];
    w->start[w->component[i] + 1]++;
  }
  for (int b = 0; b < w->blocks; b++) w->start[b + 1] += w->start[b];
  // parent has done its work; it now counts the filled places of each block
  for (int b = 0; b < w->blocks; b++) parent[b] = w->start[b];
  for (int i = 0; i < w->n; i++) w->members[parent[w->component[i]]++] = i;
  free(parent);
  return DLS_OK;
}

static dls_status allocate(eigen_work *w, char job)
{
  ptrdiff_t total = 0;
  int largest = 0;
  w->offset = dls_alloc(w->blocks, sizeof *w->offset);
  if (!w->offset) return DLS_ERR_MEMORY;
  for (int b = 0; b < w->blocks; b++) {
    int size = w->start[b + 1] - w->start[b];
    w->offset[b] = total;
    total += (ptrdiff_t)size * size;
    if (size > largest) largest = size;
  }
  double answer = 0, dummy = 0;
  int ianswer = 0;
  if (LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, job, 'L', largest, &dummy, largest, &dummy, &answer, -1,
                          &ianswer, -1) != 0)
    return DLS_ERR_SOLVER;
  w->length = answer < INT_MAX - 16 ? (int)ceil(answer) + 8 : INT_MAX;
  w->ilength = ianswer;
  w->work = dls_alloc(w->length, sizeof(double));
  w->iwork = dls_alloc(w->ilength, sizeof(int));
  w->vectors = dls_alloc(total, sizeof(double));
  w->pairs = dls_alloc(w->n, sizeof(pair));
  return w->work && w->iwork && w->vectors && w->pairs ? DLS_OK : DLS_ERR_MEMORY;
}

// Block b of A, its eigenvalues in value, its vectors over the block itself.
static dls_status solve_block(eigen_work *w, int b, const double *A, char job, double *value)
{
  const int *member = w->members + w->start[b];
  int size = w->start[b + 1] - w->start[b];
  double *B = w->vectors + w->offset[b];
  ptrdiff_t S = size, n = w->n;
  for (ptrdiff_t j = 0; j < S; j++)
    for (ptrdiff_t i = j; i < S; i++) B[j * S + i] = A[member[j] * n + member[i]];
  if (size == 1) {
    value[0] = B[0];
    B[0] = 1;
  } else {
    int exponent = dls_exponent_of_largest(S * S, B);
    dls_shift(S * S, B, -exponent, B);
    if (LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, job, 'L', size, B, size, value, w->work, w->length,
                            w->iwork, w->ilength) != 0)
      return DLS_ERR_SOLVER;
    dls_shift(S, value, exponent, value);
    if (!dls_finite(S, value)) return DLS_ERR_NUMBER;
    if (job == 'V' && !dls_finite(S * S, B)) return DLS_ERR_SOLVER;
  }
  for (int k = 0; k < size; k++)
    w->pairs[w->start[b] + k] = (pair){.value = value[k], .block = b, .column = k};
  return DLS_OK;
}

// By value; ties by block, then by column, so that the order never depends on the sort.
static int compare(const void *left, const void *right)
{
  const pair *a = left, *b = right;
  if (a->value != b->value) return a->value < b->value ? -1 : 1;
  if (a->block != b->block) return a->block < b->block ? -1 : 1;
  return a->column < b->column ? -1 : 1;
}

static void merge(eigen_work *w, double *value, double *V)
{
  ptrdiff_t n = w->n;
  qsort(w->pairs, (size_t)n, sizeof *w->pairs, compare);
  if (V) dls_clear(V, n * n);
  for (ptrdiff_t k = 0; k < n; k++) {
    pair p = w->pairs[k];
    value[k] = p.value;
    if (!V) continue;
    ptrdiff_t size = (w->start[p.block + 1] - w->start[p.block]);
    const double *u = w->vectors + w->offset[p.block] + p.column * size;
    for (ptrdiff_t i = 0; i < size; i++) V[k * n + w->members[w->start[p.block] + i]] = u[i];
  }
}

dls_status dls_eigen_symmetric(int n, const double *A, double *w, double *V)
{
  if (n < 0) return DLS_ERR_ARGUMENT;
  if (n > 15000) return DLS_ERR_LIMIT;
  if (n == 0) return DLS_OK;
  ptrdiff_t N = n;
  for (ptrdiff_t j = 0; j < N; j++)
    if (!dls_finite(N - j, A + j * N + j)) return DLS_ERR_NUMBER;

  eigen_work work = {.n = n};
  char job = V ? 'V' : 'N';
  dls_status status = find_blocks(&work, A);
  if (status == DLS_OK) status = allocate(&work, job);
  for (int b = 0; b < work.blocks && status == DLS_OK; b++)
    status = solve_block(&work, b, A, job, w + work.start[b]);
  if (status == DLS_OK) merge(&work, w, V);
  free(work.component);
  free(work.start);
  free(work.members);
  free(work.pairs);
  free(work.vectors);
  free(work.offset);
  free(work.work);
  free(work.iwork);
  return status;
}

dls_status dls_eigen_general(int n, const double *A, double *re, double *im)
{
  if (n < 0) return DLS_ERR_ARGUMENT;
  if (n > 15000) return DLS_ERR_LIMIT;
  if (n == 0) return DLS_OK;
  const ptrdiff_t N = n;
  if (!dls_finite(N * N, A)) return DLS_ERR_NUMBER;
  double answer = 0, none = 0;
  if (LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'N', n, &none, n, re, im, &none, 1, &none, 1,
                         &answer, -1) != 0)
    return DLS_ERR_SOLVER;
  const int length = answer < INT_MAX - 16 ? (int)ceil(answer) + 8 : INT_MAX;
  double *copy = dls_alloc(N * N, sizeof *copy), *work = dls_alloc(length, sizeof *work);
  dls_status status = DLS_ERR_MEMORY;
  if (copy && work) {
    const int exponent = dls_exponent_of_largest(N * N, A);
    dls_shift(N * N, A, -exponent, copy);
    const int info = LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'N', n, copy, n, re, im, &none, 1,
                                        &none, 1, work, length);
    dls_shift(N, re, exponent, re), dls_shift(N, im, exponent, im);
    status = info == 0 ? DLS_OK : DLS_ERR_SOLVER;
    if (info == 0 && !(dls_finite(N, re) && dls_finite(N, im))) status = DLS_ERR_NUMBER;
  }
  free(copy), free(work);
  return status;
}
