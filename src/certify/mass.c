// Is the mass matrix definite?                                                   eq (ver.1)
#include "certify/witness.h"
#include "linalg/dense.h"

#include <math.h>

// Condition number of M as given; infinite when singular.
static dls_status condition(dls_context *x)
{
  const int n = x->n;
  double *values = dls_context_work(x, (size_t)n);
  if (!values) return DLS_ERR_MEMORY;
  dls_status status = dls_eigen_symmetric(n, x->given.M, values, NULL);
  if (status != DLS_OK) return status;
  const bool singular = x->mass.possible < n || values[0] <= 0;
  x->check->mass_condition = singular ? INFINITY : values[n - 1] / values[0];
  return DLS_OK;
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
    if (!dls_witness_pivots(x, v, DLS_OVER_COORDINATES, n, x->given.M)) v->answer = DLS_UNDECIDED;
  } else if (x->mass.possible < n) {
    v = dls_verdict_set(x, DLS_MASS_DEFINITE, DLS_NO, margin, by, "M direction = 0");
    dls_witness_direction(x, v, "direction", x->mass_vectors);
    if (x->out_of_memory) return DLS_ERR_MEMORY;
    if (!(dls_gate_null_mass(x, v->part[0].values) <= dls_gate_limit(x))) v->answer = DLS_UNDECIDED;
  } else {
    dls_verdict_set(x, DLS_MASS_DEFINITE, DLS_UNDECIDED, margin, by, "");
  }
  return x->out_of_memory ? DLS_ERR_MEMORY : DLS_OK;
}
