#include "linalg/sparse_lu.h"

#include "base/memory.h"

#include <klu.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct dls_sparse_lu {
  int n;
  int *p, *i;  // KLU's functions take pointers that are not constant
  double *x;
  klu_common common;
  klu_symbolic *symbolic;
  klu_numeric *numeric;  // with the pivots of the creation
  klu_numeric *other;    // the last factors, when they have pivots of their own; else NULL
};

void dls_sparse_lu_free(dls_sparse_lu *f)
{
  if (!f) return;
  if (f->numeric) klu_free_numeric(&f->numeric, &f->common);
  if (f->other) klu_free_numeric(&f->other, &f->common);
  if (f->symbolic) klu_free_symbolic(&f->symbolic, &f->common);
  free(f->p), free(f->i), free(f->x);
  free(f);
}

static bool all_finite(size_t count, const double *x)
{
  for (size_t e = 0; e < count; e++)
    if (!isfinite(x[e])) return false;
  return true;
}

dls_status dls_sparse_lu_create(int n, const int *p, const int *i, const double *x,
                                dls_sparse_lu **out)
{
  *out = NULL;
  const size_t count = (size_t)p[n];
  if (!all_finite(count, x)) return DLS_ERR_NUMBER;
  dls_sparse_lu *f = dls_alloc(1, sizeof *f);
  if (!f) return DLS_ERR_MEMORY;
  f->n = n;
  f->p = dls_alloc((size_t)n + 1, sizeof(int)), f->i = dls_alloc(count + 1, sizeof(int));
  f->x = dls_alloc(count + 1, sizeof(double));
  dls_status status = f->p && f->i && f->x && klu_defaults(&f->common) ? DLS_OK : DLS_ERR_MEMORY;
  if (status == DLS_OK && n > 0) {
    memcpy(f->p, p, ((size_t)n + 1) * sizeof(int));
    memcpy(f->i, i, count * sizeof(int));
    memcpy(f->x, x, count * sizeof(double));
    f->symbolic = klu_analyze(n, f->p, f->i, &f->common);
    if (f->symbolic) f->numeric = klu_factor(f->p, f->i, f->x, f->symbolic, &f->common);
    if (f->common.status == KLU_OUT_OF_MEMORY) status = DLS_ERR_MEMORY;
    else if (!f->numeric || f->common.status != KLU_OK) status = DLS_ERR_NUMBER;
  }
  if (status == DLS_OK) *out = f;
  else dls_sparse_lu_free(f);
  return status;
}

static bool take(dls_sparse_lu *f, const double *x)
{
  if (f->other) klu_free_numeric(&f->other, &f->common);
  memcpy(f->x, x, (size_t)f->p[f->n] * sizeof(double));
  return all_finite((size_t)f->p[f->n], f->x);
}

bool dls_sparse_lu_factor(dls_sparse_lu *f, const double *x)
{
  if (f->n == 0) return true;
  return take(f, x) && klu_refactor(f->p, f->i, f->x, f->symbolic, f->numeric, &f->common) &&
         f->common.status == KLU_OK;
}

bool dls_sparse_lu_factor_anew(dls_sparse_lu *f, const double *x)
{
  if (f->n == 0) return true;
  if (!take(f, x)) return false;
  f->other = klu_factor(f->p, f->i, f->x, f->symbolic, &f->common);
  return f->other && f->common.status == KLU_OK;
}

bool dls_sparse_lu_factor_any(dls_sparse_lu *f, const double *x)
{
  enum { GROWTH = 100000000 };  // pivots so much smaller than their columns are too small
  if (f->n == 0) return true;
  if (dls_sparse_lu_factor(f, x) &&
      klu_rgrowth(f->p, f->i, f->x, f->symbolic, f->numeric, &f->common) &&
      f->common.rgrowth * GROWTH > 1)
    return true;
  return dls_sparse_lu_factor_anew(f, x);
}

void dls_sparse_lu_solve(dls_sparse_lu *f, double *b)
{
  if (f->n > 0) klu_solve(f->symbolic, f->other ? f->other : f->numeric, f->n, 1, b, &f->common);
}
