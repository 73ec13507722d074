// Semismooth Newton, globalized by a line search on 1/2 |F|^2.                      eq (lcp.15)
//
//   F_i = f(z_i, w_i), w_i in equations;   J = diag(a) + diag(b) M
//
// Where J is singular, or its direction does not help, the direction is Levenberg-Marquardt's,
// -(J^T J + nu I)^-1 J^T F, with nu growing until the merit falls. When nothing helps the search
// starts again elsewhere. Where each full step is a basis (min) the merit is no guide from one to
// the next: full steps are taken first, until BOLD of them in a row were no better than the best.
#include "lcp/lcp_newton.h"

#include "base/memory.h"
#include "lcp/tolerances.h"
#include "linalg/dense.h"
#include "linalg/lu.h"

#include <math.h>

enum { BOLD = 8, MEMORY = 4, STARTS = 4, HALVINGS = 14, DAMPINGS = 9, SLOW = 40 };
static const double descent = 1e-4;  // part of the slope that a step must bring (Armijo)
static const double least_damping = 1e-8, damping_of_merit = 1e-2, more_damping = 30;

typedef struct newton {
  const dls_mlcp *p;
  dls_lcp_pair f;
  double *J, *A;  // n x n
  double *F, *a, *b, *w, *d, *g, *trial, *saved, *lu_work;
  int *pivot;
  double merit, recent[MEMORY];
  int bold;            // full steps that may still be taken
  double saved_merit;  // the best of them, at saved
} newton;

ptrdiff_t dls_lcp_newton_reals(int n)
{
  return 2 * (ptrdiff_t)n * n + 12 * (ptrdiff_t)n;
}

ptrdiff_t dls_lcp_newton_integers(int n)
{
  return 2 * (ptrdiff_t)n;
}

static void place(newton *s, double *work, int *index)
{
  const ptrdiff_t n = s->p->n;
  s->J = work, s->A = s->J + n * n, s->F = s->A + n * n;
  s->a = s->F + n, s->b = s->a + n, s->w = s->b + n, s->d = s->w + n, s->g = s->d + n;
  s->trial = s->g + n, s->saved = s->trial + n, s->lu_work = s->saved + n, s->pivot = index;
}

// F, a and b at z; returns the merit.
static double evaluate(newton *s, const double *z)
{
  const dls_mlcp *p = s->p;
  dls_copy(s->w, p->q, p->n);
  dls_gemv(false, p->n, p->n, 1, p->M, z, 1, s->w);
  double sum = 0;
  for (int i = 0; i < p->n; i++) {
    if (i < p->free) s->F[i] = s->w[i], s->a[i] = 0, s->b[i] = 1;
    else s->F[i] = s->f(z[i], s->w[i], &s->a[i], &s->b[i]);
    sum += s->F[i] * s->F[i];
  }
  return sum / 2;
}

// J, and g = J^T F.
static void differentiate(newton *s)
{
  const ptrdiff_t n = s->p->n;
  for (ptrdiff_t j = 0; j < n; j++) {
    double *column = s->J + n * j, sum = 0;
    for (ptrdiff_t i = 0; i < n; i++) column[i] = s->b[i] * s->p->M[i + n * j];
    column[j] += s->a[j];
    for (ptrdiff_t i = 0; i < n; i++) sum += column[i] * s->F[i];
    s->g[j] = sum;
  }
}

static bool newton_direction(newton *s)
{
  const int n = s->p->n;
  const ptrdiff_t N = n;
  dls_copy(s->A, s->J, N * N);
  if (!(dls_lu_factor(n, s->A, s->pivot, s->lu_work) > singular_jacobian)) return false;
  for (ptrdiff_t i = 0; i < N; i++) s->d[i] = -s->F[i];
  dls_lu_solve(n, 1, s->A, s->pivot, false, s->d);
  return isfinite(dls_norm_max(n, s->d));
}

static bool damped_direction(newton *s, double nu)
{
  const int n = s->p->n;
  const ptrdiff_t N = n;
  bool definite = false;
  dls_gemm(true, false, n, n, n, 1, s->J, s->J, 0, s->A);
  for (ptrdiff_t i = 0; i < N; i++) s->A[i * (N + 1)] += nu, s->d[i] = -s->g[i];
  if (dls_cholesky(n, s->A, s->A, &definite) != DLS_OK || !definite) return false;
  dls_lower_solve(n, 1, s->A, false, s->d);
  dls_lower_solve(n, 1, s->A, true, s->d);
  return isfinite(dls_norm_max(n, s->d));
}

// Moves z along d as far as the merit falls, compared with the largest of the last few.
static bool search(newton *s, double *z)
{
  const int n = s->p->n;
  const double slope = dls_dot(n, s->g, s->d);
  double reference = s->merit, t = 1;
  for (int k = 0; k < MEMORY; k++) reference = fmax(reference, s->recent[k]);
  if (!(slope < 0)) return false;
  for (int k = 0; k < HALVINGS; k++) {
    for (int i = 0; i < n; i++) s->trial[i] = z[i] + t * s->d[i];
    const double merit = evaluate(s, s->trial);
    if (merit <= reference + descent * t * slope) {
      dls_copy(z, s->trial, n);
      return true;
    }
    t /= 2;
  }
  return false;
}

// One full step; false, with the best point of all of them in z, when that is over.
static bool bold_step(newton *s, double *z)
{
  const ptrdiff_t bytes = s->p->n;
  if (s->merit < s->saved_merit) {
    s->saved_merit = s->merit, s->bold = BOLD;
    dls_copy(s->saved, z, bytes);
  }
  if (s->bold-- > 0 && newton_direction(s)) {
    for (int i = 0; i < s->p->n; i++) z[i] += s->d[i];
    return true;
  }
  s->bold = 0;
  dls_copy(z, s->saved, bytes);
  s->merit = evaluate(s, z);
  for (int k = 0; k < MEMORY; k++) s->recent[k] = s->merit;
  differentiate(s);
  return false;
}

static bool step(newton *s, double *z)
{
  differentiate(s);
  if (s->bold > 0 && bold_step(s, z)) return true;
  if (newton_direction(s) && search(s, z)) return true;
  // the line search has overwritten F, not J and g
  double nu = least_damping + damping_of_merit * fmin(1, s->merit);
  for (int k = 0; k < DAMPINGS; k++) {
    if (damped_direction(s, nu) && search(s, z)) return true;
    nu *= more_damping;
  }
  return false;
}

static void restart(newton *s, int number, double *z)
{
  const dls_mlcp *p = s->p;
  for (int i = 0; i < p->n; i++) {
    if (i < p->free) z[i] = 0;
    else if (number == 1) z[i] = 1;
    else if (number == 2) z[i] = fmax(-p->q[i], 0);
    else z[i] = 1 + (i * 7 % 11);
  }
  for (int k = 0; k < MEMORY; k++) s->recent[k] = 0;
}

void dls_lcp_newton(dls_lcp_run *r, dls_lcp_pair f, bool bold, double *z, double *work, int *index)
{
  newton s = {.p = &r->scaled, .f = f};
  place(&s, work, index);
  dls_lcp_limit(r, r->brief ? 80 : 400);
  for (int start = 0; start < STARTS; start++) {
    if (start > 0) restart(&s, start, z);
    double mark = INFINITY;
    s.bold = bold ? BOLD : 0, s.saved_merit = INFINITY;
    for (int k = 0;; k++) {
      if (!dls_lcp_next(r, z)) return;
      s.merit = evaluate(&s, z);
      s.recent[k % MEMORY] = s.merit;
      // slow: not halved in so many steps
      if (k % SLOW == 0 && k > 0 && !(s.merit < mark / 2)) break;
      if (k % SLOW == 0) mark = s.merit;
      if (!(s.merit > 0) || !step(&s, z)) break;
    }
  }
  r->stop = DLS_LCP_STOP_STALLED;
}
