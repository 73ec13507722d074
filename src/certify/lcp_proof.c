#include "certify/lcp_proof.h"

#include "base/memory.h"
#include "exact/elimination.h"
#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

bool dls_lcp_proves_point(const dls_mlcp *p, const double *z, double *work)
{
  const ptrdiff_t n = p->n;
  for (ptrdiff_t i = 0; i < n; i++) {
    for (ptrdiff_t j = 0; j < n; j++) work[j] = p->M[i + n * j];
    const dls_sign w = dls_exact_sign(p->n, work, z, p->q[i]);
    const bool equation = i < p->free;
    if (w == DLS_UNSURE || w == DLS_NEGATIVE) return false;
    if (!equation && !(z[i] >= 0)) return false;
    if (w == DLS_POSITIVE && (equation || z[i] > 0)) return false;
  }
  return true;
}

static bool refutes_exactly(const dls_mlcp *p, const signed char *choice, const double *y)
{
  const ptrdiff_t n = p->n;
  for (ptrdiff_t i = 0; i < n; i++) {
    const bool equation = i < p->free;
    if (equation && choice[i] != 0) return false;
    if (!equation && choice[i] <= 0 && !(y[i] >= 0)) return false;
    if (!equation && choice[i] < 0) continue;
    const dls_sign sign = dls_exact_sign(p->n, p->M + n * i, y, 0);
    if (sign == DLS_UNSURE || sign == DLS_POSITIVE) return false;
    if (equation && sign != DLS_ZERO) return false;
  }
  return dls_exact_sign(p->n, p->q, y, 0) == DLS_NEGATIVE;
}

// Each pair of leaves differs in a choice, and their shares 2^-depth add up to 1: the sum is exact
// as long as no leaf is deeper than the mantissa is long.
bool dls_lcp_covers(int n, int free_rows, int leaves, const dls_lcp_leaf *leaf)
{
  long double share = 0;
  for (int a = 0; a < leaves; a++) {
    int depth = 0;
    for (int i = 0; i < n; i++) {
      if (i < free_rows && leaf[a].choice[i] != 0) return false;
      depth += leaf[a].choice[i] != 0;
    }
    if (depth >= LDBL_MANT_DIG - 1) return false;
    share += ldexpl(1, -depth);
    for (int b = 0; b < a; b++) {
      bool apart = false;
      for (int i = 0; i < n && !apart; i++) apart = leaf[a].choice[i] * leaf[b].choice[i] < 0;
      if (!apart) return false;
    }
  }
  return share == 1;
}

// ---- a solution near a point -------------------------------------------------------------------

// A x = b of the basis, R near A^-1. With |I - R A| <= a by rows and |a|_max < 1, A is not
// singular, and the solution x* of the system is near x:                                      eq
// (lcp.17)
//   |x* - x|_i <= (|R| |b - A x|)_i + a_i delta,   delta = max (|R| |b - A x|) / (1 - max a)
typedef struct basis_system {
  int m;
  int *index;
  double *A, *R, *identity, *x, *b;
  long double *error;  // m: bounds of |x* - x|
} basis_system;

static void release(basis_system *s)
{
  free(s->index), free(s->A), free(s->R), free(s->identity), free(s->x), free(s->b), free(s->error);
}

static dls_status gather(const dls_mlcp *p, const bool *in, basis_system *s)
{
  const ptrdiff_t n = p->n;
  s->index = dls_alloc(n, sizeof *s->index);
  s->A = dls_alloc(n * n, sizeof(double)), s->R = dls_alloc(n * n, sizeof(double));
  s->identity = dls_alloc(n * n, sizeof(double));
  s->x = dls_alloc(n, sizeof(double)), s->b = dls_alloc(n, sizeof(double));
  s->error = dls_alloc(n, sizeof(long double));
  if (!s->index || !s->A || !s->R || !s->identity || !s->x || !s->b || !s->error)
    return DLS_ERR_MEMORY;
  for (int i = 0; i < p->n; i++)
    if (i < p->free || in[i]) s->index[s->m++] = i;
  const ptrdiff_t m = s->m;
  for (ptrdiff_t a = 0; a < m; a++) {
    s->b[a] = -p->q[s->index[a]], s->identity[a * (m + 1)] = 1;
    for (ptrdiff_t b = 0; b < m; b++) s->A[b + m * a] = p->M[s->index[b] + n * s->index[a]];
  }
  return DLS_OK;
}

// Sums of m products in long double are within this share of their terms.
static long double rounding(int m)
{
  return 2 * (m + 4) * LDBL_EPSILON;
}

// a: the rows of |I - R A|. False unless they are small.
static bool contracts(const basis_system *s, long double *a, long double *worst)
{
  const ptrdiff_t m = s->m;
  const long double u = rounding(s->m);
  *worst = 0;
  for (ptrdiff_t i = 0; i < m; i++) {
    a[i] = 0;
    for (ptrdiff_t j = 0; j < m; j++) {
      long double sum = i == j ? -1 : 0, terms = i == j;
      for (ptrdiff_t k = 0; k < m; k++) {
        const long double x = (long double)s->R[i + m * k] * s->A[k + m * j];
        sum += x, terms += fabsl(x);
      }
      a[i] += fabsl(sum) + u * terms;
    }
    a[i] *= 1 + u;
    if (!(a[i] <= *worst)) *worst = a[i];
  }
  return *worst < 0.5L;
}

// residual: bounds of |b - A x|. False when that says nothing.
static bool enclose(basis_system *s, long double *a, const long double *residual)
{
  const ptrdiff_t m = s->m;
  const long double u = rounding(s->m);
  long double worst = 0, delta = 0;
  if (!contracts(s, a, &worst)) return false;
  for (ptrdiff_t i = 0; i < m; i++) {
    s->error[i] = 0;
    for (ptrdiff_t k = 0; k < m; k++) s->error[i] += fabs(s->R[i + m * k]) * residual[k] * (1 + u);
    s->error[i] *= 1 + u;
    if (!(s->error[i] <= delta)) delta = s->error[i];
  }
  delta = delta / (1 - worst) * (1 + u);
  for (ptrdiff_t i = 0; i < m; i++) s->error[i] = (s->error[i] + a[i] * delta) * (1 + u);
  return isfinite(delta);
}

static void bound_residual(const basis_system *s, long double *residual)
{
  const ptrdiff_t m = s->m;
  for (ptrdiff_t k = 0; k < m; k++) {
    long double sum = s->b[k], terms = fabs(s->b[k]);
    for (ptrdiff_t j = 0; j < m; j++) {
      const long double x = (long double)s->A[k + m * j] * s->x[j];
      sum -= x, terms += fabsl(x);
    }
    residual[k] = fabsl(sum) + rounding(s->m) * terms;
  }
}

static bool signs_hold(const dls_mlcp *p, const bool *in, const basis_system *s)
{
  const ptrdiff_t n = p->n;
  for (int k = 0; k < s->m; k++)
    if (s->index[k] >= p->free && !(s->x[k] > s->error[k])) return false;
  for (int i = p->free; i < p->n; i++) {
    if (in[i]) continue;
    long double sum = p->q[i], terms = fabs(p->q[i]), error = 0;
    for (int k = 0; k < s->m; k++) {
      const long double c = p->M[i + n * s->index[k]];
      sum += c * s->x[k], terms += fabsl(c * s->x[k]), error += fabsl(c) * s->error[k];
    }
    if (!(sum > (error + rounding(s->m) * terms) * (1 + rounding(s->m)))) return false;
  }
  return true;
}

dls_status dls_lcp_proves_basis(const dls_mlcp *p, const bool *in, double *z, bool *proven)
{
  basis_system s = {0};
  *proven = false;
  dls_status status = gather(p, in, &s);
  long double *a = dls_alloc(2 * (ptrdiff_t)p->n, sizeof *a);
  if (!a) status = DLS_ERR_MEMORY;
  double rcond = 0, other = 0;
  if (status == DLS_OK) status = dls_solve(s.m, 1, s.A, s.b, s.x, &rcond);
  if (status == DLS_OK && rcond > 0) status = dls_solve(s.m, s.m, s.A, s.identity, s.R, &other);
  const bool solved = status == DLS_OK && rcond > 0 && other > 0;
  if (solved) bound_residual(&s, a + p->n);
  if (solved && enclose(&s, a, a + p->n) && signs_hold(p, in, &s)) {
    *proven = true;
    for (int i = 0; i < p->n; i++) z[i] = 0;
    for (int k = 0; k < s.m; k++) z[s.index[k]] = s.x[k];
  }
  release(&s);
  free(a);
  return status == DLS_ERR_NUMBER || status == DLS_ERR_SOLVER ? DLS_OK : status;
}

// ---- free variables ----------------------------------------------------------------------------

// The sign of a^T y + |a_F| error, the second rounded up; a and y: n, error: of y_F.
static dls_sign upper_sign(const dls_mlcp *p, const double *a, const double *y,
                           const long double *error)
{
  long double sum = 0;
  for (int i = 0; i < p->free; i++) sum += fabsl(a[i] * error[i]);
  const double extra = (double)(sum * (1 + rounding(p->n)));
  return dls_exact_sign(p->n, a, y, sum > 0 ? nextafter(extra, INFINITY) : 0);
}

static bool refutes_nearly(const dls_mlcp *p, const signed char *choice, const double *y,
                           const long double *error)
{
  const ptrdiff_t n = p->n;
  for (ptrdiff_t i = 0; i < n; i++) {
    if (i < p->free && choice[i] != 0) return false;
    if (i < p->free) continue;
    if (choice[i] <= 0 && !(y[i] >= 0)) return false;
    if (choice[i] < 0) continue;
    const dls_sign sign = upper_sign(p, p->M + n * i, y, error);
    if (sign != DLS_NEGATIVE && sign != DLS_ZERO) return false;
  }
  return upper_sign(p, p->q, y, error) == DLS_NEGATIVE;
}

// M_FF^T y_F = -M_LF^T y_L has one solution y_F, within bounds of the one given. The other
// inequalities hold for all of these.
static bool refutes_enclosed(const dls_mlcp *p, const signed char *choice, const double *y)
{
  const ptrdiff_t n = p->n, f = p->free;
  basis_system s = {0};
  bool *none = dls_alloc(n, sizeof *none), holds = false;
  long double *a = dls_alloc(2 * n, sizeof *a);
  double rcond = 0;
  if (a && none && gather(p, none, &s) == DLS_OK) {
    for (ptrdiff_t j = 0; j < f; j++)
      for (ptrdiff_t i = 0; i < f; i++) s.A[j + f * i] = p->M[i + n * j];
    for (ptrdiff_t j = 0; j < f; j++) {
      long double sum = 0, terms = 0;
      for (ptrdiff_t i = 0; i < n; i++) {
        const long double x = (long double)p->M[i + n * j] * y[i];
        sum += x, terms += fabsl(x);
      }
      a[n + j] = fabsl(sum) + rounding(p->n) * terms;
    }
    holds = dls_solve(p->free, p->free, s.A, s.identity, s.R, &rcond) == DLS_OK && rcond > 0 &&
            enclose(&s, a, a + n) && refutes_nearly(p, choice, y, s.error);
  }
  release(&s);
  free(none), free(a);
  return holds;
}

bool dls_lcp_proves_none(const dls_mlcp *p, const signed char *choice, const double *y)
{
  if (refutes_exactly(p, choice, y)) return true;
  return p->free > 0 && refutes_enclosed(p, choice, y);
}
