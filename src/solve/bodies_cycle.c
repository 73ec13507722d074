// Solving with the multigrid: cycles, and conjugate gradients around them.
#include "solve/multigrid_internal.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

// What the first step may leave of a residual, squared.
static const double second_step = 0.0625;

static double dot(ptrdiff_t n, const double *x, const double *y)
{
  double sum = 0;
  for (ptrdiff_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

static void add_block(const double *A, double sign, const double *x, double *y)
{
  for (int i = 0; i < N; i++) {
    double sum = 0;
    for (int j = 0; j < N; j++) sum += A[N * i + j] * x[j];
    y[i] += sign * sum;
  }
}

static void multiply(const level *l, const double *x, double *y)
{
  for (ptrdiff_t i = 0; i < l->n; i++) {
    double sum[N] = {0};
    add_block(l->diagonal + B * i, 1, x + N * i, sum);
    for (int e = l->p[i]; e < l->p[i + 1]; e++)
      add_block(l->value + (ptrdiff_t)B * e, 1, x + (ptrdiff_t)N * l->col[e], sum);
    memcpy(y + N * i, sum, sizeof sum);
  }
}

static void smooth(const level *l, bool backward, const double *b, double *x)
{
  for (int step = 0; step < l->n; step++) {
    const ptrdiff_t i = (backward ? l->n - 1 - step : step);
    double rest[N], now[N] = {0};
    memcpy(rest, b + N * i, sizeof rest);
    for (int e = l->p[i]; e < l->p[i + 1]; e++)
      add_block(l->value + (ptrdiff_t)B * e, -1, x + (ptrdiff_t)N * l->col[e], rest);
    add_block(l->inverse + B * i, 1, rest, now);
    memcpy(x + N * i, now, sizeof now);
  }
}

static void solve_coarsest(const dls_multigrid *g, const double *b, double *x)
{
  const ptrdiff_t size = (ptrdiff_t)N * g->at[g->levels - 1].n;
  dls_copy(x, b, size);
  for (ptrdiff_t i = 0; i < size; i++) {
    for (ptrdiff_t k = 0; k < i; k++) x[i] -= g->dense[size * i + k] * x[k];
    x[i] /= g->dense[size * i + i];
  }
  for (ptrdiff_t i = size - 1; i >= 0; i--) {
    x[i] /= g->dense[size * i + i];
    for (ptrdiff_t k = 0; k < i; k++) x[k] -= g->dense[size * i + k] * x[i];
  }
}

// b^T D^-1 b with the diagonal blocks D: on coarse levels b has forces and moments, and a sum of
// their squares would depend on the unit of length.
static double square_of(const level *l, const double *b)
{
  double sum = 0;
  for (ptrdiff_t i = 0; i < l->n; i++, b += N) {
    double y[N] = {0};
    add_block(l->inverse + B * i, 1, b, y);
    sum += dot(N, b, y);
  }
  return sum;
}

static void coarse_solve(dls_multigrid *g, int k);

// x = about A^-1 b on level k. Uses work[0] of this level; b and x of the next one are its work[1]
// and work[2].
static void cycle(dls_multigrid *g, int k, const double *b, double *x)
{
  level *l = g->at + k;
  if (k == g->levels - 1) {
    solve_coarsest(g, b, x);
    return;
  }
  level *c = l + 1;
  double *rest = l->work[0];
  dls_clear(x, N * (ptrdiff_t)l->n);
  smooth(l, false, b, x);
  multiply(l, x, rest);
  dls_clear(c->work[1], N * (ptrdiff_t)c->n);
  for (ptrdiff_t i = 0; i < l->n; i++) {
    double *to = c->work[1] + (ptrdiff_t)N * l->aggregate[i];
    for (ptrdiff_t a = 0; a < N; a++)
      for (ptrdiff_t j = 0; j < N; j++)
        to[a] += l->P[B * i + N * j + a] * (b[N * i + j] - rest[N * i + j]);
  }
  coarse_solve(g, k + 1);
  for (ptrdiff_t i = 0; i < l->n; i++)
    add_block(l->P + B * i, 1, c->work[2] + (ptrdiff_t)N * l->aggregate[i], x + N * i);
  smooth(l, true, b, x);
}

// work[2] = about A^-1 work[1]: one step of conjugate gradients, and a second one where the first
// left more than a quarter.
static void coarse_solve(dls_multigrid *g, int k)
{
  level *l = g->at + k;
  double *b = l->work[1], *x = l->work[2], *c = l->work[3], *Ac = l->work[4], *d = l->work[5];
  double *Ad = l->work[6];
  const ptrdiff_t n = N * (ptrdiff_t)l->n;
  if (k == g->levels - 1) {
    cycle(g, k, b, x);
    return;
  }
  cycle(g, k, b, c);
  multiply(l, c, Ac);
  const double cAc = dot(n, c, Ac), step = dot(n, c, b) / cAc, size = square_of(l, b);
  for (ptrdiff_t i = 0; i < n; i++) b[i] -= step * Ac[i], x[i] = step * c[i];
  if (!(square_of(l, b) > second_step * size)) return;
  cycle(g, k, b, d);
  multiply(l, d, Ad);
  const double mixed = dot(n, d, Ac), rest = dot(n, d, Ad) - mixed * mixed / cAc;
  if (!(rest > 0)) return;
  const double second = dot(n, d, b) / rest;
  for (ptrdiff_t i = 0; i < n; i++) x[i] += second * (d[i] - mixed / cAc * c[i]);
}

// The cycle is not linear: flexible conjugate gradients.
int dls_multigrid_solve(dls_multigrid *g, const double *b, double tolerance, int most, double *x)
{
  level *l = g->at;
  const ptrdiff_t n = N * (ptrdiff_t)l->n;
  double *r = l->work[1], *z = l->work[2], *p = l->work[3], *Ap = l->work[4], *old = l->work[5];
  const double goal = tolerance * sqrt(dot(n, b, b));
  double rz = 1;
  dls_clear(x, n);
  dls_copy(r, b, n);
  int k = 0;
  for (; k < most && sqrt(dot(n, r, r)) > goal; k++) {
    cycle(g, 0, r, z);
    const double now = dot(n, r, z), beta = k ? (now - dot(n, old, z)) / rz : 0;
    rz = now;
    dls_copy(old, r, n);
    for (ptrdiff_t i = 0; i < n; i++) p[i] = z[i] + (k ? beta * p[i] : 0);
    multiply(l, p, Ap);
    const double alpha = dot(n, r, p) / dot(n, p, Ap);
    if (!isfinite(alpha)) break;
    for (ptrdiff_t i = 0; i < n; i++) x[i] += alpha * p[i], r[i] -= alpha * Ap[i];
  }
  return k;
}
