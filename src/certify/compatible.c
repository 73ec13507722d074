// Are the bilateral constraints compatible: is b_b in the image of G_b^T?        eq (ver.3)
#include "base/memory.h"
#include "certify/witness.h"
#include "linalg/dense.h"

#include <math.h>

// The part of b_b outside the image of G_b^T, as a combination of constraints; its length.
static double outside(const dls_context *x, int rank, double *nu)
{
  const ptrdiff_t m = x->m_b;
  dls_clear(nu, m);
  for (ptrdiff_t j = rank; j < m; j++) {
    const double along = dls_dot(x->m_b, x->V_b + m * j, x->b_b);
    for (ptrdiff_t i = 0; i < m; i++) nu[i] -= along * x->V_b[i + m * j];
  }
  return dls_norm2(x->m_b, nu);
}

dls_status dls_certify_compatible(dls_context *x)
{
  x->compatible = DLS_YES;
  if (x->m_b == 0) return DLS_OK;
  double *nu = dls_context_work(x, x->m_b), *none = dls_context_work(x, x->m_u);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  const double length = dls_norm2(x->m_b, x->b_b);
  const double unit = length > 0 ? length : 1;
  // in doubt about the rank: a yes needs the smaller image, a no the larger one
  const double largest = outside(x, x->bilateral.certain, nu) / unit;
  const double least = outside(x, x->bilateral.possible, nu) / unit;
  const char *by = x->bilateral.certain == x->m_b
                       ? "G_b has full column rank (TUT Prop. 1, theory §5)"
                       : "b_b against the image of G_b^T (TUT Prop. 1, theory §5)";

  dls_verdict *v;
  if (dls_size_of(&x->kernel, largest) == DLS_SIZE_ZERO) {
    v = dls_verdict_set(x, DLS_CONSTRAINTS_COMPATIBLE, DLS_YES, NAN, by,
                        "G_b^T acceleration + b_b = 0");
    dls_witness_acceleration(x, v, "acceleration", x->z_0);
    if (x->out_of_memory) return DLS_ERR_MEMORY;
    if (!(dls_margin_bilateral(x, v->part[0].values, true) <= dls_margin_limit(x)))
      v->answer = DLS_UNDECIDED;
  } else if (dls_size_of(&x->kernel, least) == DLS_SIZE_POSITIVE) {
    v = dls_verdict_set(x, DLS_CONSTRAINTS_COMPATIBLE, DLS_NO, least, by,
                        "G_b lambda_b = 0, lambda_b^T b_b < 0");
    dls_keep_contradicting_part(x, nu, none);
    const dls_status status = dls_combination_refine(x, nu, none);
    if (status != DLS_OK) return status;
    dls_witness_combination(x, v, nu, none);
    v->parts--;  // only the bilateral part says something
    if (x->out_of_memory) return DLS_ERR_MEMORY;
    const double *lambda_b = v->part[0].values;
    if (!(dls_margin_combination(x, lambda_b, none, false) <= dls_margin_zero(x)) ||
        !(dls_margin_load(x, lambda_b, none) < 0))
      v->answer = DLS_UNDECIDED;
  } else {
    v = dls_verdict_set(x, DLS_CONSTRAINTS_COMPATIBLE, DLS_UNDECIDED, least, by, "");
  }
  x->compatible = v->answer;
  return DLS_OK;
}
