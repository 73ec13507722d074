#include "linalg/kkt.h"

#include "base/memory.h"
#include "linalg/dense_internal.h"
#include "linalg/sparse.h"
#include "linalg/tolerances.h"

#include <klu.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

enum { REFINEMENTS = 4 };

struct dls_kkt {
  int n, m, size;
  dls_sparse *A;         // the scaled matrix
  int *from_M, *from_G;  // place in A of each entry of M, and of -G
  int *from_Gt;          // and of G^T
  int entries_M, entries_G;
  int *M_row, *M_col, *G_row, *G_col;  // row and column of each entry
  double *scale;                       // size
  double *x, *rhs, *d;                 // size
  long double *r, *terms;              // size
  klu_common common;
  klu_symbolic *symbolic;
  klu_numeric *numeric;
  bool usable;
};

void dls_kkt_free(dls_kkt *k)
{
  if (!k) return;
  if (k->numeric) klu_free_numeric(&k->numeric, &k->common);
  if (k->symbolic) klu_free_symbolic(&k->symbolic, &k->common);
  dls_sparse_free(k->A);
  free(k->from_M);
  free(k->from_G);
  free(k->from_Gt);
  free(k->M_row);
  free(k->M_col);
  free(k->G_row);
  free(k->G_col);
  free(k->scale);
  free(k->x);
  free(k->rhs);
  free(k->d);
  free(k->r);
  free(k->terms);
  free(k);
}

static dls_status allocate(dls_kkt *k)
{
  ptrdiff_t size = k->size, m = k->entries_M, g = k->entries_G;
  k->from_M = dls_alloc(m, sizeof(int));
  k->from_G = dls_alloc(g, sizeof(int));
  k->from_Gt = dls_alloc(g, sizeof(int));
  k->M_row = dls_alloc(m, sizeof(int));
  k->M_col = dls_alloc(m, sizeof(int));
  k->G_row = dls_alloc(g, sizeof(int));
  k->G_col = dls_alloc(g, sizeof(int));
  k->scale = dls_alloc(size, sizeof(double));
  k->x = dls_alloc(size, sizeof(double));
  k->rhs = dls_alloc(size, sizeof(double));
  k->d = dls_alloc(size, sizeof(double));
  k->r = dls_alloc(size, sizeof(long double));
  k->terms = dls_alloc(size, sizeof(long double));
  bool good = k->from_M && k->from_G && k->from_Gt && k->M_row && k->M_col && k->G_row &&
              k->G_col && k->scale && k->x && k->rhs && k->d && k->r && k->terms;
  return good ? DLS_OK : DLS_ERR_MEMORY;
}

static void unfold(const dls_pattern *pattern, int *row, int *col)
{
  for (int j = 0; j < pattern->cols; j++)
    for (int e = pattern->p[j]; e < pattern->p[j + 1]; e++) row[e] = pattern->i[e], col[e] = j;
}

// Place of (row, col) in A.
static int find(const dls_sparse *A, int row, int col)
{
  int low = A->p[col], high = A->p[col + 1] - 1;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (A->i[middle] < row) low = middle + 1;
    else high = middle;
  }
  return low;
}

static dls_status assemble_pattern(dls_kkt *k)
{
  int count = k->entries_M + 2 * k->entries_G, e = 0;
  int *row = dls_alloc(count, sizeof(int)), *col = dls_alloc(count, sizeof(int));
  double *zero = dls_alloc(count, sizeof(double));
  dls_status status = row && col && zero ? DLS_OK : DLS_ERR_MEMORY;
  if (status == DLS_OK) {
    for (int t = 0; t < k->entries_M; t++, e++) row[e] = k->M_row[t], col[e] = k->M_col[t];
    for (int t = 0; t < k->entries_G; t++, e++) row[e] = k->G_row[t], col[e] = k->n + k->G_col[t];
    for (int t = 0; t < k->entries_G; t++, e++) row[e] = k->n + k->G_col[t], col[e] = k->G_row[t];
    status = dls_sparse_from_triplets(k->size, k->size, count, row, col, zero, &k->A);
  }
  free(row);
  free(col);
  free(zero);
  if (status != DLS_OK) return status;
  for (int t = 0; t < k->entries_M; t++) k->from_M[t] = find(k->A, k->M_row[t], k->M_col[t]);
  for (int t = 0; t < k->entries_G; t++) {
    k->from_G[t] = find(k->A, k->G_row[t], k->n + k->G_col[t]);
    k->from_Gt[t] = find(k->A, k->n + k->G_col[t], k->G_row[t]);
  }
  return DLS_OK;
}

static bool valid(const dls_pattern *pattern)
{
  dls_sparse *copy = NULL;
  bool good = dls_sparse_from_pattern(pattern, NULL, &copy) != DLS_ERR_ARGUMENT;
  dls_sparse_free(copy);
  return good;
}

dls_status dls_kkt_create(const dls_pattern *mass, const dls_pattern *normal, dls_kkt **out)
{
  *out = NULL;
  if (!valid(mass) || !valid(normal)) return DLS_ERR_ARGUMENT;
  if (mass->rows != mass->cols || normal->rows != mass->rows) return DLS_ERR_ARGUMENT;
  int entries_M = mass->cols > 0 ? mass->p[mass->cols] : 0;
  int entries_G = normal->cols > 0 ? normal->p[normal->cols] : 0;
  if (entries_M > INT_MAX / 4 || entries_G > INT_MAX / 4 || mass->cols > INT_MAX / 4 ||
      normal->cols > INT_MAX / 4)
    return DLS_ERR_LIMIT;
  dls_kkt *k = dls_alloc(1, sizeof *k);
  if (!k) return DLS_ERR_MEMORY;
  k->n = mass->cols;
  k->m = normal->cols;
  k->size = k->n + k->m;
  k->entries_M = entries_M;
  k->entries_G = entries_G;
  klu_defaults(&k->common);
  k->common.scale = 0;  // the matrix is scaled already
  dls_status status = allocate(k);
  if (status == DLS_OK) {
    unfold(mass, k->M_row, k->M_col);
    unfold(normal, k->G_row, k->G_col);
    status = assemble_pattern(k);
  }
  if (status == DLS_OK && k->size > 0) {
    k->symbolic = klu_analyze(k->size, k->A->p, k->A->i, &k->common);
    if (!k->symbolic && k->common.status == KLU_OUT_OF_MEMORY) status = DLS_ERR_MEMORY;
    // a structurally singular pattern may have no analysis: dls_kkt_factor reports it
  }
  if (status == DLS_OK) *out = k;
  else dls_kkt_free(k);
  return status;
}

// ---- numbers -----------------------------------------------------------------------------------

static double inverse_power(double x)
{
  if (!(x > 0) || isinf(x)) return 1;
  int exponent;
  frexp(x, &exponent);
  return ldexp(1, 1 - exponent);
}

static void fill(dls_kkt *k, const double *M, const double *G)
{
  for (int j = 0; j < k->size; j++) k->scale[j] = 0;
  for (int e = 0; e < k->entries_M; e++)
    if (k->M_row[e] == k->M_col[e]) k->scale[k->M_col[e]] = fabs(M[e]);
  for (int j = 0; j < k->n; j++) k->scale[j] = inverse_power(sqrt(k->scale[j]));
  for (int e = 0; e < k->entries_G; e++) {
    double *largest = &k->scale[k->n + k->G_col[e]], g = fabs(G[e]) * k->scale[k->G_row[e]];
    if (g > *largest) *largest = g;
  }
  for (int c = k->n; c < k->size; c++) k->scale[c] = inverse_power(k->scale[c]);
  for (int e = 0; e < k->entries_M; e++)
    k->A->x[k->from_M[e]] = M[e] * k->scale[k->M_row[e]] * k->scale[k->M_col[e]];
  for (int e = 0; e < k->entries_G; e++) {
    double g = G[e] * k->scale[k->G_row[e]] * k->scale[k->n + k->G_col[e]];
    k->A->x[k->from_G[e]] = -g;
    k->A->x[k->from_Gt[e]] = g;
  }
}

// Old pivots when they serve, new ones otherwise. DLS_OK with k->numeric NULL when singular.
static dls_status factor(dls_kkt *k)
{
  dls_sparse *A = k->A;
  if (k->numeric) {
    bool good = klu_refactor(A->p, A->i, A->x, k->symbolic, k->numeric, &k->common) &&
                k->common.status == KLU_OK &&
                klu_rgrowth(A->p, A->i, A->x, k->symbolic, k->numeric, &k->common) &&
                k->common.rgrowth > worst_growth_kkt;
    if (good) return DLS_OK;
    klu_free_numeric(&k->numeric, &k->common);
  }
  if (!k->symbolic) return DLS_OK;
  k->numeric = klu_factor(A->p, A->i, A->x, k->symbolic, &k->common);
  if (!k->numeric && k->common.status == KLU_OUT_OF_MEMORY) return DLS_ERR_MEMORY;
  if (k->common.status != KLU_OK && k->numeric) klu_free_numeric(&k->numeric, &k->common);
  return DLS_OK;
}

dls_status dls_kkt_factor(dls_kkt *k, const double *M, const double *G, dls_kkt_report *report)
{
  *report = (dls_kkt_report){.singular = true, .residual = NAN};
  k->usable = false;
  if (!dls_finite(k->entries_M, M) || !dls_finite(k->entries_G, G)) return DLS_ERR_NUMBER;
  if (k->size == 0) {
    *report = (dls_kkt_report){.rcond = 1};
    k->usable = true;
    return DLS_OK;
  }
  fill(k, M, G);
  dls_status status = factor(k);
  if (status != DLS_OK || !k->numeric) return status;
  if (!klu_condest(k->A->p, k->A->x, k->symbolic, k->numeric, &k->common))
    return k->common.status == KLU_OUT_OF_MEMORY ? DLS_ERR_MEMORY : DLS_OK;
  report->rcond = k->common.condest > 0 ? 1 / k->common.condest : 0;
  // negated: NaN is singular
  report->singular = !(report->rcond > singular_kkt);
  k->usable = !report->singular;
  return DLS_OK;
}

// r = rhs - A x; returns the largest |r_i| relative to the terms of its row.
static double residual(dls_kkt *k)
{
  const dls_sparse *A = k->A;
  for (int i = 0; i < k->size; i++) {
    k->r[i] = k->rhs[i];
    k->terms[i] = fabs(k->rhs[i]);
  }
  for (int j = 0; j < k->size; j++)
    for (int e = A->p[j]; e < A->p[j + 1]; e++) {
      long double term = (long double)A->x[e] * k->x[j];
      k->r[A->i[e]] -= term;
      k->terms[A->i[e]] += fabsl(term);
    }
  double worst = 0;
  for (int i = 0; i < k->size; i++) {
    double ratio = k->r[i] == 0 ? 0 : (double)(fabsl(k->r[i]) / k->terms[i]);
    if (!(ratio <= worst)) worst = ratio;
  }
  return worst;
}

// x by the factors, then refined while the residual falls; the best x stays.
static dls_status refine(dls_kkt *k, double *best)
{
  ptrdiff_t bytes = k->size;
  dls_copy(k->x, k->rhs, bytes);
  if (!klu_solve(k->symbolic, k->numeric, k->size, 1, k->x, &k->common)) return DLS_ERR_SOLVER;
  *best = residual(k);
  for (int step = 0; step < REFINEMENTS && refined_kkt < *best; step++) {
    for (int i = 0; i < k->size; i++) k->d[i] = (double)k->r[i];
    if (!klu_solve(k->symbolic, k->numeric, k->size, 1, k->d, &k->common)) return DLS_ERR_SOLVER;
    for (int i = 0; i < k->size; i++) {
      double old = k->x[i];
      k->x[i] += k->d[i];
      k->d[i] = old;
    }
    double now = residual(k);
    if (!(now < *best)) {
      dls_copy(k->x, k->d, bytes);
      break;
    }
    *best = now;
  }
  return DLS_OK;
}

dls_status dls_kkt_solve(dls_kkt *k, const double *F, const double *b, double *a, double *lambda,
                         dls_kkt_report *report)
{
  report->residual = NAN;
  if (!k->usable) return DLS_ERR_ARGUMENT;
  if (!dls_finite(k->n, F) || !dls_finite(k->m, b)) return DLS_ERR_NUMBER;
  if (k->size == 0) {
    report->residual = 0;
    return DLS_OK;
  }
  for (int j = 0; j < k->n; j++) k->rhs[j] = -F[j] * k->scale[j];
  for (int c = 0; c < k->m; c++) k->rhs[k->n + c] = -b[c] * k->scale[k->n + c];
  dls_status status = refine(k, &report->residual);
  if (status != DLS_OK) return status;
  for (int j = 0; j < k->n; j++) a[j] = k->x[j] * k->scale[j];
  for (int c = 0; c < k->m; c++) lambda[c] = k->x[k->n + c] * k->scale[k->n + c];
  bool finite = dls_finite(k->n, a) && dls_finite(k->m, lambda);
  return finite ? DLS_OK : DLS_ERR_NUMBER;
}
