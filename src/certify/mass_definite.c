// Is the mass matrix definite?                                                   eq (ver.1)
#include "certify/witness.h"
#include "linalg/dense.h"

#include <math.h>

// Condition number of M as given, infinite when singular: the largest eigenvalue of M times the
// largest of M^-1 = D M^^-1 D / m, both of which survive units that differ by many orders.
static dls_status condition(dls_context *x)
{
  const int n = x->n;
  const ptrdiff_t size = n;
  x->check->mass_condition = INFINITY;
  if (x->mass.possible < n) return DLS_OK;
  double *values = dls_context_work(x, size), *B = dls_context_work(x, size * size);
  double *inverse = dls_context_work(x, size * size);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  for (ptrdiff_t j = 0; j < size; j++)
    for (ptrdiff_t i = 0; i < size; i++)
      B[i + size * j] = x->D[i] * x->mass_vectors[i + size * j] / sqrt(x->mass_values[j]);
  dls_gemm(false, true, n, n, n, 1, B, B, 0, inverse);
  dls_status status = dls_eigen_symmetric(n, inverse, values, NULL);
  const double largest_inverse = values[n - 1];
  if (status == DLS_OK) status = dls_eigen_symmetric(n, x->given.M, values, NULL);
  if (status == DLS_OK) x->check->mass_condition = values[n - 1] / x->mass_unit * largest_inverse;
  return status;
}

dls_status dls_certify_mass(dls_context *x)
{
  const int n = x->n;
  const double largest = x->mass_values[n - 1];
  const double margin = largest > 0 ? fmax(0, x->mass_values[0] / largest) : 0;
  const char *by = "eigenvalues of M, scaled to a unit diagonal";
  x->check->mass_rank = x->mass.possible;
  x->check->mass_eigenvalues = x->mass_values;
  dls_status status = condition(x);
  if (status != DLS_OK) return status;

  dls_verdict *v;
  if (x->mass.certain == n) {
    v = dls_verdict_set(x, DLS_MASS_DEFINITE, DLS_YES, margin, by,
                        "M = L diag(pivots) L^T with L unit lower triangular, every pivot > 0");
    if (!dls_witness_pivots(x, v, DLS_INDEX_COORDINATES, n, x->given.M)) v->answer = DLS_UNDECIDED;
  } else if (x->mass.possible < n) {
    v = dls_verdict_set(x, DLS_MASS_DEFINITE, DLS_NO, margin, by, "M direction = 0");
    dls_witness_direction(x, v, "direction", x->mass_vectors, false);
    if (x->out_of_memory) return DLS_ERR_MEMORY;
    if (!(dls_margin_null_mass(x, v->part[0].values) <= dls_margin_limit(x)))
      v->answer = DLS_UNDECIDED;
  } else {
    dls_verdict_set(x, DLS_MASS_DEFINITE, DLS_UNDECIDED, margin, by, "");
  }
  return x->out_of_memory ? DLS_ERR_MEMORY : DLS_OK;
}
