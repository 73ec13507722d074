// Are the constraints independent: has (G_b G_u) full column rank?               eq (ver.2)
#include "base/memory.h"
#include "certify/witness.h"
#include "linalg/dense.h"

#include <math.h>

static void add_combination(dls_context *x, dls_verdict *v, const double *lambda)
{
  dls_witness_combination(x, v, lambda, lambda + x->m_b);
  if (x->out_of_memory) return;
  const double *b = v->part[0].values, *u = v->part[1].values;
  if (!(dls_margin_combination(x, b, u, false) <= dls_margin_zero(x))) v->answer = DLS_UNDECIDED;
}

// The first number that is not zero is positive: a combination has no sign of its own.
static void fix_sign(double *combination, ptrdiff_t count)
{
  ptrdiff_t first = 0;
  while (first < count && combination[first] == 0) first++;
  if (first == count || combination[first] > 0) return;
  for (ptrdiff_t i = first; i < count; i++)
    if (combination[i] != 0) combination[i] = -combination[i];
}

// All of them: each constraint beside a largest independent set as a combination of these. Those
// that cancel to rounding are kept, in the user's variables.
static dls_status keep_dependencies(dls_context *x, const double *G, int rank)
{
  const ptrdiff_t m = (ptrdiff_t)x->m_b + x->m_u;
  dls_check *c = x->check;
  double *vectors = dls_context_work(x, m * (m - rank));
  double *kept = dls_context_keep(x, m * (m - rank));
  int count = 0;
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  const dls_status status = dls_sparse_kernels(x, x->n, (int)m, G, rank, &count, vectors);
  for (int k = 0; k < count; k++) {
    dls_verdict v = {.answer = DLS_NO};
    add_combination(x, &v, vectors + m * k);
    if (x->out_of_memory) return DLS_ERR_MEMORY;
    if (v.answer != DLS_NO) continue;
    double *to = kept + m * c->dependencies++;
    dls_copy(to, v.part[0].values, x->m_b);
    dls_copy(to + x->m_b, v.part[1].values, x->m_u);
    fix_sign(to, m);
  }
  c->dependency = kept;
  return status;
}

dls_status dls_certify_independent(dls_context *x)
{
  const int n = x->n, m = x->m_b + x->m_u, least = n < m ? n : m;
  if (m == 0) return DLS_OK;
  const ptrdiff_t rows = n, cols = m;
  double *G = dls_context_work(x, rows * cols), *V = dls_context_work(x, cols * cols);
  double *s = dls_context_keep(x, least);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  dls_copy(G, x->G_b, rows * (ptrdiff_t)x->m_b);
  if (x->m_u) dls_copy(G + rows * (ptrdiff_t)x->m_b, x->G_u, rows * (ptrdiff_t)x->m_u);
  dls_status status = dls_svd(n, m, G, NULL, s, V);
  if (status != DLS_OK) return status;

  int certain = 0, possible = 0;
  for (int i = 0; i < least; i++) {
    const dls_size size = s[0] > 0 ? dls_size_of(&x->basic, s[i] / s[0]) : DLS_SIZE_ZERO;
    certain += size == DLS_SIZE_POSITIVE && s[i] > x->G_change;
    possible += size != DLS_SIZE_ZERO;
  }
  x->check->constraint_rank = possible;
  x->check->constraint_singular = s;
  x->check->constraint_singular_count = least;

  x->state_open = m <= n && possible == m && s[m - 1] <= x->G_change;
  const double margin = m <= n && s[0] > 0 ? s[m - 1] / s[0] : 0;
  const char *by = "singular values of (G_b G_u), gradients scaled to unit length";
  if (certain == m) {
    dls_verdict *v = dls_verdict_set(
        x, DLS_CONSTRAINTS_INDEPENDENT, DLS_YES, margin, by,
        "the rows of (G_b G_u) at these coordinates form a nonsingular square matrix");
    return dls_witness_rows(x, v, G, m);
  }
  if (possible < m) {
    dls_verdict *v = dls_verdict_set(x, DLS_CONSTRAINTS_INDEPENDENT, DLS_NO, margin,
                                     m > n ? "more constraints than coordinates" : by,
                                     "G_b lambda_b + G_u lambda_u = 0, not all of lambda zero");
    double *null = V + cols * (cols - 1), *few = dls_context_work(x, cols);
    if (!few) return DLS_ERR_MEMORY;
    dls_copy(few, null, cols);
    status = dls_sparse_kernel(x, n, m, G, possible, few);
    if (status != DLS_OK) return status;
    add_combination(x, v, few);
    if (v->answer != DLS_NO) {  // all of them, then
      v->answer = DLS_NO, v->parts = 0;
      add_combination(x, v, null);
    }
    if (x->out_of_memory) return DLS_ERR_MEMORY;
    return keep_dependencies(x, G, possible);
  }
  const bool open = s[m - 1] <= x->G_change;  // another state within the tolerance may differ
  dls_verdict_set(x, DLS_CONSTRAINTS_INDEPENDENT, DLS_UNDECIDED, open ? NAN : margin,
                  open ? "within the tolerance of the state the gradients change by more than "
                         "keeps them independent (theory §6)"
                       : by,
                  "");
  return DLS_OK;
}
