// Projected Gauss-Seidel, with relaxation that is taken back when it diverges.      eq (lcp.13)
#include "lcp/lcp_method.h"

#include "base/memory.h"
#include "linalg/dense.h"

#include <math.h>

enum { CHECK = 10, PATIENCE = 60 };
static const double diverged = 1e6;          // of 1 + the first error
static const double least_relaxation = 0.1;  // that is halved once more
static const double progress = 0.99;         // the error, of the least so far

static ptrdiff_t reals(int n)
{
  return 2 * (ptrdiff_t)n;
}

static ptrdiff_t integers(int n)
{
  return n;
}

static bool suited(const dls_mlcp *p)
{
  const ptrdiff_t n = p->n;
  for (ptrdiff_t i = 0; i < n; i++) {
    const double diagonal = p->M[i * (n + 1)];
    if (i < p->free ? diagonal == 0 : !(diagonal > 0)) return false;
  }
  return true;
}

// w is kept up by the columns of M, which lie together in memory.
static void sweep(const dls_mlcp *p, double omega, double *z, double *w)
{
  const ptrdiff_t n = p->n;
  for (ptrdiff_t i = 0; i < n; i++) {
    const double *column = p->M + n * i;
    double next = z[i] - omega * w[i] / column[i];
    if (i >= p->free && !(next > 0)) next = 0;
    const double change = next - z[i];
    if (change == 0) continue;
    z[i] = next;
    for (ptrdiff_t k = 0; k < n; k++) w[k] += column[k] * change;
  }
}

static void rows(const dls_mlcp *p, const double *z, double *w)
{
  if (p->n > 0) dls_copy(w, p->q, p->n);
  dls_gemv(false, p->n, p->n, 1, p->M, z, 1, w);
}

static void run(dls_lcp_run *r, double *z, double *work, int *index)
{
  (void)index;
  const dls_mlcp *p = &r->scaled;
  const ptrdiff_t bytes = p->n;
  double *w = work, *start = work + p->n, omega = 1, best = INFINITY, first = -1;
  int since = 0;
  dls_lcp_limit(r, 20000);
  r->stop = DLS_LCP_STOP_UNSUITED;
  if (!suited(p)) return;
  dls_copy(start, z, bytes);
  for (;;) {
    rows(p, z, w);
    const double error = dls_lcp_offer(r, z);
    if (first < 0) first = error;
    if (!(error <= diverged * (1 + first)) && omega > least_relaxation) {
      omega /= 2, since = 0, best = INFINITY;
      dls_copy(z, start, bytes);
      rows(p, z, w);
    } else if (error < progress * best) {
      best = error, since = 0;
    } else if (++since == PATIENCE) {
      r->stop = DLS_LCP_STOP_STALLED;
      return;
    }
    for (int k = 0; k < CHECK; k++) {
      if (!dls_lcp_continue(r, error)) return;
      sweep(p, omega, z, w);
    }
  }
}

const dls_lcp_method dls_lcp_method_psor = {
    .info = {"psor", "projected Gauss-Seidel with relaxation, then the basis that it suggests",
             "symmetric positive definite matrices, and H-matrices with a positive diagonal"},
    .reals = reals,
    .integers = integers,
    .run = run,
    .polish = true};
