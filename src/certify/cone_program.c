#include "certify/cone_program.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

void dls_cone_rows_next(dls_cone_rows *r, double constant)
{
  if (dls_grow((void **)&r->constant, &r->constant_capacity, (size_t)r->m + 1, sizeof(double))) {
    r->out_of_memory = true;
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
  if (dls_grow((void **)&r->cone_size, &r->cone_capacity, (size_t)r->cones + 1, sizeof(int))) {
    r->out_of_memory = true;
    return;
  }
  r->cone_size[r->cones++] = size;
}

void dls_cone_rows_entry(dls_cone_rows *r, int col, double value)
{
  if (value == 0 || r->out_of_memory) return;
  const size_t need = r->entries + 1;
  if (dls_grow((void **)&r->row, &r->row_capacity, need, sizeof(int)) ||
      dls_grow((void **)&r->col, &r->col_capacity, need, sizeof(int)) ||
      dls_grow((void **)&r->value, &r->value_capacity, need, sizeof(double))) {
    r->out_of_memory = true;
    return;
  }
  r->row[r->entries] = r->m - 1, r->col[r->entries] = col, r->value[r->entries++] = -value;
}

dls_status dls_cone_rows_solve(dls_cone_rows *r, const double *cost, double *x, double *y,
                               dls_cone_report *report)
{
  if (r->out_of_memory) return DLS_ERR_MEMORY;
  dls_sparse *A = NULL;
  dls_cone *cone = NULL;
  double *s = dls_alloc(2 * (size_t)r->m, sizeof *s), *dual = s ? s + r->m : NULL;
  dls_status status = s ? DLS_OK : DLS_ERR_MEMORY;
  if (status == DLS_OK)
    status = dls_sparse_from_triplets(r->m, r->n, (int)r->entries, r->row, r->col, r->value, &A);
  const dls_cone_problem problem = {.n = r->n,
                                    .m = r->m,
                                    .A = A,
                                    .q = cost,
                                    .b = r->constant,
                                    .zero = r->zero,
                                    .nonneg = r->nonneg,
                                    .cones = r->cones,
                                    .cone_size = r->cone_size};
  dls_cone_options options = dls_cone_defaults();
  options.tolerance = r->tolerance > 0 ? r->tolerance : 1e-12;
  if (r->tolerance > options.acceptable) options.acceptable = r->tolerance;
  if (status == DLS_OK) status = dls_cone_setup(&problem, &options, &cone);
  if (status == DLS_OK) status = dls_cone_solve(cone, x, s, y ? y : dual, report);
  dls_cone_free(cone);
  dls_sparse_free(A);
  free(s);
  return status;
}

void dls_cone_rows_free(dls_cone_rows *r)
{
  free(r->cone_size), free(r->row), free(r->col), free(r->value), free(r->constant);
}
