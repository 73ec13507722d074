#include "siconos_problem.h"

#include <NumericsMatrix.h>
#include <NumericsSparseMatrix.h>
#include <SparseBlockMatrix.h>
#include <cs.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BODY = 6 };  // velocities of a body in space

static void *need(void *memory)
{
  if (!memory) abort();
  return memory;
}

static double *copy(const double *x, int n)
{
  double *y = need(calloc((size_t)n + 1, sizeof *y));
  if (n > 0) memcpy(y, x, (size_t)n * sizeof *y);
  return y;
}

const char *storage_name(storage s)
{
  static const char *const names[STORAGES] = {"blocks", "columns", "dense"};
  return names[s];
}

bool storage_fits(const dls_incremental *problem, storage s)
{
  if (!problem->global || s != BLOCKS) return true;
  const dls_pattern *M = &problem->M.pattern;
  if (M->cols % BODY) return false;
  for (int j = 0; j < M->cols; j++)
    for (int k = M->p[j]; k < M->p[j + 1]; k++)
      if (M->i[k] / BODY != j / BODY) return false;
  return true;
}

static NumericsMatrix *dense(const dls_matrix_view *A)
{
  const dls_pattern *a = &A->pattern;
  NumericsMatrix *out = NM_create(NM_DENSE, a->rows, a->cols);
  const size_t rows = (size_t)a->rows;
  memset(out->matrix0, 0, rows * (size_t)a->cols * sizeof(double));
  for (int j = 0; j < a->cols; j++)
    for (int k = a->p[j]; k < a->p[j + 1]; k++)
      out->matrix0[(size_t)a->i[k] + rows * (size_t)j] = A->x[k];
  return out;
}

static NumericsMatrix *columns(const dls_matrix_view *A)
{
  const dls_pattern *a = &A->pattern;
  NumericsMatrix *out = NM_create(NM_SPARSE, a->rows, a->cols);
  NM_csc_alloc(out, a->p[a->cols]);
  out->matrix2->origin = NSM_CSC;
  CSparseMatrix *csc = out->matrix2->csc;
  for (int j = 0; j <= a->cols; j++) csc->p[j] = a->p[j];
  for (int k = 0; k < a->p[a->cols]; k++) csc->i[k] = a->i[k], csc->x[k] = A->x[k];
  return out;
}

static unsigned *ends(int blocks, int size)
{
  unsigned *end = need(calloc((size_t)blocks + 1, sizeof *end));
  for (int i = 0; i < blocks; i++) end[i] = (unsigned)(size * (i + 1));
  return end;
}

// Blocks of height x width, by rows of blocks; those on the diagonal are there even when they are
// zero, for solvers that look them up.
static NumericsMatrix *blocks(const dls_matrix_view *A, int height, int width)
{
  const dls_pattern *a = &A->pattern;
  const int rows = a->rows / height, cols = a->cols / width;
  double **at = need(calloc((size_t)rows * (size_t)cols + 1, sizeof *at));
  const size_t numbers = (size_t)height * (size_t)width;
  size_t count = 0;
  for (int j = 0; j < a->cols; j++)
    for (int k = a->p[j]; k < a->p[j + 1]; k++) {
      double **b = at + (a->i[k] / height) * cols + j / width;
      if (!*b) *b = need(calloc(numbers, sizeof **b)), count++;
      (*b)[a->i[k] % height + height * (j % width)] = A->x[k];
    }
  for (int i = 0; i < rows && i < cols; i++)
    if (height == width && !at[i * cols + i])
      at[i * cols + i] = need(calloc(numbers, sizeof(double))), count++;
  SparseBlockStructuredMatrix *s = SBM_new();
  s->nbblocks = (unsigned)count;
  s->blocknumber0 = (unsigned)rows, s->blocknumber1 = (unsigned)cols;
  s->blocksize0 = ends(rows, height), s->blocksize1 = ends(cols, width);
  s->filled1 = (size_t)rows + 1, s->filled2 = count;
  s->block = need(calloc(count + 1, sizeof *s->block));
  s->index1_data = need(calloc((size_t)rows + 1, sizeof *s->index1_data));
  s->index2_data = need(calloc(count + 1, sizeof *s->index2_data));
  size_t next = 0;
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < cols; j++)
      if (at[i * cols + j]) s->block[next] = at[i * cols + j], s->index2_data[next++] = (size_t)j;
    s->index1_data[i + 1] = next;
  }
  free(at);
  return NM_new_SBM(a->rows, a->cols, s);
}

static NumericsMatrix *matrix(const dls_matrix_view *A, storage s, int height, int width)
{
  switch (s) {
  case BLOCKS: return blocks(A, height, width);
  case DENSE: return dense(A);
  default: return columns(A);
  }
}

FrictionContactProblem *siconos_local(const dls_incremental *problem, storage s)
{
  const int d = problem->dimension;
  return frictionContactProblem_new_with_data(d, problem->contacts, matrix(&problem->W, s, d, d),
                                              copy(problem->q, d * problem->contacts),
                                              copy(problem->mu, problem->contacts));
}

GlobalFrictionContactProblem *siconos_global(const dls_incremental *problem, storage s)
{
  const int d = problem->dimension, rows = d * problem->contacts;
  GlobalFrictionContactProblem *out = globalFrictionContactProblem_new();
  out->dimension = d, out->numberOfContacts = problem->contacts;
  out->M = matrix(&problem->M, s, BODY, BODY);
  out->H = matrix(&problem->H, s, BODY, d);
  out->q = copy(problem->f, problem->dof);
  out->b = copy(problem->w, rows);
  out->mu = copy(problem->mu, problem->contacts);
  double q2 = 0, b2 = 0;
  for (int i = 0; i < problem->dof; i++) q2 += out->q[i] * out->q[i];
  for (int i = 0; i < rows; i++) b2 += out->b[i] * out->b[i];
  out->norm_q = sqrt(q2), out->norm_b = sqrt(b2);
  return out;
}
