// The solver on the dense problems of conic.h.
#ifndef TEST_CONIC_SOLVE_H
#define TEST_CONIC_SOLVE_H

#include "conic.h"
#include "convex/cone.h"
#include "numbers.h"

#include <stdlib.h>

typedef struct answer {
  double *x, *s, *y;
  dls_cone_report report;
} answer;

// NULL when memory runs out.
static inline dls_sparse *conic_sparse(int rows, int cols, const double *D)
{
  const size_t most = (size_t)rows * (size_t)cols + 1;
  int count = 0, *row = calloc(most, sizeof(int)), *col = calloc(most, sizeof(int));
  double *value = calloc(most, sizeof(double));
  dls_sparse *A = NULL;
  if (row && col && value) {
    for (int k = 0; k < rows * cols; k++)
      if (D[k] != 0) row[count] = k % rows, col[count] = k / rows, value[count++] = D[k];
    if (dls_sparse_from_triplets(rows, cols, count, row, col, value, &A) != DLS_OK) A = NULL;
  }
  free(row), free(col), free(value);
  return A;
}

static inline dls_status conic_setup(const conic *c, const dls_cone_options *options,
                                     dls_cone **cone)
{
  dls_sparse *P = conic_sparse(c->n, c->n, c->P), *A = conic_sparse(c->m, c->n, c->A);
  const dls_cone_problem problem = {.n = c->n,
                                    .m = c->m,
                                    .P = P,
                                    .A = A,
                                    .q = c->q,
                                    .b = c->b,
                                    .zero = c->zero,
                                    .nonneg = c->nonneg,
                                    .cones = c->cones,
                                    .cone_size = c->size};
  *cone = NULL;
  dls_status status = P && A ? dls_cone_setup(&problem, options, cone) : DLS_ERR_MEMORY;
  dls_sparse_free(P);
  dls_sparse_free(A);
  return status;
}

static inline answer conic_answer(const conic *c)
{
  return (answer){.x = vector(c->n), .s = vector(c->m), .y = vector(c->m)};
}

static inline void conic_drop(answer *a)
{
  free(a->x), free(a->s), free(a->y);
}

#endif
