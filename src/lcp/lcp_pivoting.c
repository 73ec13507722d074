// Block principal pivoting with Murty's rule as the safeguard.                      eq (lcp.12)
//
// A set F of rows has z_F = -M_FF^-1 q_F, w_F = 0, the others z = 0. Rows whose z (in F) or w
// (outside) is negative change sides: all of them as long as that makes their number smaller than
// ever before, or for PATIENCE steps more; then only the last of them, until it does. For
// P-matrices the second rule alone ends at the solution from every F (Murty), and the first rule is
// used at most n (PATIENCE + 1) times: finite. A singular block says that the matrix is not P.
#include "lcp/lcp_method.h"

#include "base/memory.h"
#include "lcp/tolerances.h"
#include "linalg/dense.h"

#include <math.h>

enum { PATIENCE = 6 };

static ptrdiff_t reals(int n)
{
  return dls_lcp_basis_reals(n) + n;
}

static ptrdiff_t integers(int n)
{
  return 5 * (ptrdiff_t)n;
}

// The rows with a negative number, into bad; their number.
static int infeasible(const dls_lcp_run *r, const int *in, const double *z, const double *w,
                      int *bad)
{
  const dls_mlcp *p = &r->scaled;
  const double size = 1 + dls_norm_max(p->n, z);
  int count = 0;
  for (int i = p->free; i < p->n; i++) {
    const double value = in[i] ? z[i] : w[i];
    if (value < -negative_row * size) bad[count++] = i;
  }
  return count;
}

static void run(dls_lcp_run *r, double *z, double *work, int *index)
{
  const dls_mlcp *p = &r->scaled;
  const ptrdiff_t n = p->n;
  int *in = index + 3 * n, *bad = in + n, least = p->n + 1, patience = PATIENCE;
  double *w = work + dls_lcp_basis_reals(p->n);
  dls_lcp_limit(r, r->brief ? 60 : 100 + 20 * p->n);
  for (ptrdiff_t i = 0; i < n; i++) in[i] = z[i] > 0;
  r->stop = DLS_LCP_STOP_UNSUITED;
  while (dls_lcp_basis_solve(r, in, singular_basis, z, work, index)) {
    dls_copy(w, p->q, n);
    dls_gemv(false, p->n, p->n, 1, p->M, z, 1, w);
    const int count = infeasible(r, in, z, w, bad);
    if (!dls_lcp_next(r, z)) return;
    if (count == 0) {
      r->stop = DLS_LCP_STOP_NUMERICS;
      return;
    }
    if (count < least) least = count, patience = PATIENCE;
    else patience--;
    for (int k = patience >= 0 ? 0 : count - 1; k < count; k++) in[bad[k]] = !in[bad[k]];
    r->stop = DLS_LCP_STOP_UNSUITED;
  }
}

const dls_lcp_method dls_lcp_method_pivoting = {
    .info = {"pivoting", "block principal pivoting, safeguarded by Murty's rule",
             "P-matrices, from every start"},
    .reals = reals,
    .integers = integers,
    .run = run};
