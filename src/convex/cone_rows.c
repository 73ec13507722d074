#include "convex/cone_rows.h"

#include "base/memory.h"
#include "convex/tolerances.h"

#include <assert.h>
#include <stdlib.h>

void dls_cone_rows_next(dls_cone_rows *r, double constant)
{
  if (dls_grow((void **)&r->constant, &r->constant_capacity, (ptrdiff_t)r->m + 1, sizeof(double))) {
    r->failed = true;
    return;
  }
  r->constant[r->m++] = constant;
}

void dls_cone_rows_equation(dls_cone_rows *r, double constant)
{
  assert(r->nonneg == 0 && r->cones == 0);
  r->zero++;
  dls_cone_rows_next(r, constant);
}

void dls_cone_rows_inequality(dls_cone_rows *r, double constant)
{
  assert(r->cones == 0);
  r->nonneg++;
  dls_cone_rows_next(r, constant);
}

void dls_cone_rows_cone(dls_cone_rows *r, int size)
{
  if (dls_grow((void **)&r->cone_size, &r->cone_capacity, (ptrdiff_t)r->cones + 1, sizeof(int))) {
    r->failed = true;
    return;
  }
  r->cone_size[r->cones++] = size;
}

void dls_cone_rows_entry(dls_cone_rows *r, int col, double value)
{
  dls_triplets_put(&r->A, r->m - 1, col, -value);
}

void dls_cone_rows_add(dls_cone_rows *r, double factor, int count, const double *entries)
{
  for (int i = 0; i < count; i++) dls_cone_rows_entry(r, i, factor * entries[i]);
}

void dls_cone_rows_quadratic(dls_cone_rows *r, const double *P)
{
  for (int j = 0; j < r->n; j++, P += r->n)
    for (int i = 0; i <= j; i++) dls_triplets_put(&r->P, i, j, P[i]);
}

dls_status dls_cone_rows_solve(dls_cone_rows *r, const double *cost, double *x, double *y,
                               dls_cone_report *report)
{
  if (r->failed) return DLS_ERR_MEMORY;
  dls_sparse *A = NULL, *P = NULL;
  dls_status status = dls_triplets_sparse(&r->A, r->m, r->n, &A);
  if (status == DLS_OK && r->P.count > 0) status = dls_triplets_sparse(&r->P, r->n, r->n, &P);
  const dls_cone_problem problem = {.n = r->n,
                                    .m = r->m,
                                    .P = P,
                                    .A = A,
                                    .q = cost,
                                    .b = r->constant,
                                    .zero = r->zero,
                                    .nonneg = r->nonneg,
                                    .cones = r->cones,
                                    .cone_size = r->cone_size};
  dls_cone_options options = dls_cone_defaults();
  options.tolerance = r->tolerance > 0 ? r->tolerance : cone_rows_optimum;
  if (r->tolerance > options.acceptable) options.acceptable = r->tolerance;
  if (status == DLS_OK) status = dls_cone_run(&problem, &options, x, NULL, y, report);
  dls_sparse_free(A), dls_sparse_free(P);
  return status;
}

void dls_cone_rows_free(dls_cone_rows *r)
{
  free(r->cone_size), free(r->constant);
  dls_triplets_free(&r->A), dls_triplets_free(&r->P);
}
