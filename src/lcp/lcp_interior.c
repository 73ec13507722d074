// Interior points for monotone problems: predictor and corrector along z_i w_i = mu. eq (lcp.16)
#include "lcp/lcp_method.h"

#include "base/memory.h"
#include "lcp/tolerances.h"
#include "linalg/dense.h"
#include "linalg/lu.h"

#include <math.h>

enum { PATIENCE = 12 };
static const double to_boundary = 0.995;                // of the longest step
static const double progress = 0.9;                     // what is left, of the least so far
static const double shifts[] = {0, 1e-12, 1e-9, 1e-6};  // of the diagonal, until there are factors

typedef struct interior {
  const dls_mlcp *p;
  int k;
  double *K;  // n x n
  double *w, *r, *dz, *dw, *target, *lu_work;
  int *pivot;
} interior;

static ptrdiff_t reals(int n)
{
  return (ptrdiff_t)n * n + 9 * (ptrdiff_t)n;
}

static ptrdiff_t integers(int n)
{
  return 2 * (ptrdiff_t)n;
}

// Whether M + M^T is positive semidefinite, up to a shift that rounding needs.
static bool monotone(interior *s)
{
  const ptrdiff_t n = s->p->n;
  const double *M = s->p->M;
  bool definite = false;
  for (ptrdiff_t j = 0; j < n; j++) {
    for (ptrdiff_t i = 0; i < n; i++) s->K[i + n * j] = (M[i + n * j] + M[j + n * i]) / 2;
    s->K[j * (n + 1)] += monotone_shift * (double)(n + 1);
  }
  return dls_cholesky(s->p->n, s->K, s->K, &definite) == DLS_OK && definite;
}

// The factors of M + diag(w / z). Free rows without a diagonal may need a little of one.
static bool factor(interior *s, const double *z)
{
  const ptrdiff_t n = s->p->n;
  for (ptrdiff_t k = 0; k < dls_count_of(shifts); k++) {
    dls_copy(s->K, s->p->M, n * n);
    for (ptrdiff_t i = 0; i < n; i++)
      s->K[i * (n + 1)] += shifts[k] + (i < s->p->free ? 0 : s->w[i] / z[i]);
    if (dls_lu_factor(s->p->n, s->K, s->pivot, s->lu_work) > singular_interior) return true;
  }
  return false;
}

// M dz - dw = -share r,   w dz + z dw = target - z w
static void direction(interior *s, double share, const double *z)
{
  const int n = s->p->n, f = s->p->free;
  for (int i = 0; i < n; i++)
    s->dz[i] = -share * s->r[i] + (i < f ? 0 : s->target[i] / z[i] - s->w[i]);
  dls_lu_solve(n, 1, s->K, s->pivot, false, s->dz);
  for (int i = f; i < n; i++) s->dw[i] = s->target[i] / z[i] - s->w[i] - s->w[i] / z[i] * s->dz[i];
}

static double longest(const interior *s, const double *z)
{
  double t = INFINITY;
  for (int i = s->p->free; i < s->p->n; i++) {
    if (s->dz[i] < 0) t = fmin(t, -z[i] / s->dz[i]);
    if (s->dw[i] < 0) t = fmin(t, -s->w[i] / s->dw[i]);
  }
  return t;
}

static double mean_product(const interior *s, const double *z, double t)
{
  double sum = 0;
  for (int i = s->p->free; i < s->p->n; i++)
    sum += (z[i] + t * s->dz[i]) * (s->w[i] + t * s->dw[i]);
  return s->k > 0 ? sum / s->k : 0;
}

static void residual(interior *s, const double *z)
{
  const dls_mlcp *p = s->p;
  dls_copy(s->r, p->q, p->n);
  dls_gemv(false, p->n, p->n, 1, p->M, z, 1, s->r);
  for (int i = p->free; i < p->n; i++) s->r[i] -= s->w[i];
}

static bool step(interior *s, double *z)
{
  const int n = s->p->n, f = s->p->free;
  if (!factor(s, z)) return false;
  for (int i = 0; i < n; i++) s->target[i] = 0;
  direction(s, 1, z);
  const double now = mean_product(s, z, 0), then = mean_product(s, z, fmin(1, longest(s, z)));
  const double sigma = now > 0 ? pow(then / now, 3) : 0;
  for (int i = f; i < n; i++) s->target[i] = sigma * now - s->dz[i] * s->dw[i];
  direction(s, 1 - sigma, z);
  const double t = fmin(1, to_boundary * longest(s, z));
  for (int i = 0; i < n; i++) {
    z[i] += t * s->dz[i];
    if (i >= f) s->w[i] += t * s->dw[i];
    if (!isfinite(z[i]) || (i >= f && !(z[i] > 0 && s->w[i] > 0))) return false;
  }
  return true;
}

static void run(dls_lcp_run *r, double *z, double *work, int *index)
{
  const dls_mlcp *p = &r->scaled;
  const ptrdiff_t n = p->n;
  interior s = {.p = p, .k = p->n - p->free, .K = work, .pivot = index};
  s.w = s.K + n * n, s.r = s.w + n, s.dz = s.r + n, s.dw = s.dz + n, s.target = s.dw + n;
  s.lu_work = s.target + n;
  dls_lcp_limit(r, 200);
  r->stop = DLS_LCP_STOP_UNSUITED;
  if (!monotone(&s)) return;
  const double size = 1 + dls_norm_max(p->n, p->q);
  for (int i = 0; i < p->n; i++)
    z[i] = i < p->free ? 0 : size, s.w[i] = size, s.dz[i] = s.dw[i] = 0;
  double best = INFINITY;
  for (int since = 0; dls_lcp_next(r, z);) {
    residual(&s, z);
    const double left = mean_product(&s, z, 0) + dls_norm_max(p->n, s.r);
    if (left < progress * best) best = left, since = 0;
    if (++since > PATIENCE || !step(&s, z)) {
      r->stop = DLS_LCP_STOP_STALLED;
      return;
    }
    dls_clear(s.dz, n), dls_clear(s.dw, n);
  }
}

const dls_lcp_method dls_lcp_method_interior = {
    .info = {"interior-point", "predictor-corrector along the central path, monotone problems only",
             "positive semidefinite matrices with a strictly feasible point"},
    .reals = reals,
    .integers = integers,
    .run = run,
    .polish = true};
