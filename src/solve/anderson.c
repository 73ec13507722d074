// The least-squares problem has a handful of columns. It is solved by Gram-Schmidt with a second
// pass; a column that depends on newer ones is left out.
#include "solve/anderson.h"

#include <math.h>
#include <string.h>

struct dls_anderson {
  int n, most, memory, count, newest;
  bool started;
  double *f, *g;    // of the last point: residual, weighted, and G(x)
  double *dF, *dG;  // most columns of n: differences of f and of G
  double *Q, *rest;
};

dls_anderson *dls_anderson_create(dls_arena *arena, int n, int memory)
{
  dls_anderson *a = dls_arena_alloc(arena, 1, sizeof *a);
  if (!a) return NULL;
  const size_t length = (size_t)n + 1,
               columns = (size_t)(memory < DLS_ANDERSON_MOST ? memory : DLS_ANDERSON_MOST);
  a->n = n, a->most = a->memory = (int)columns;
  a->f = dls_arena_alloc(arena, length, sizeof(double));
  a->g = dls_arena_alloc(arena, length, sizeof(double));
  a->rest = dls_arena_alloc(arena, length, sizeof(double));
  a->dF = dls_arena_alloc(arena, length, (columns + 1) * sizeof(double));
  a->dG = dls_arena_alloc(arena, length, (columns + 1) * sizeof(double));
  a->Q = dls_arena_alloc(arena, length, (columns + 1) * sizeof(double));
  return a->f && a->g && a->rest && a->dF && a->dG && a->Q ? a : NULL;
}

void dls_anderson_restart(dls_anderson *a, int memory)
{
  a->memory = memory < 0 ? 0 : memory < a->most ? memory : a->most;
  a->count = 0, a->newest = -1, a->started = false;
}

static double dot(int n, const double *x, const double *y)
{
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

static void add(int n, double factor, const double *x, double *y)
{
  for (int i = 0; i < n; i++) y[i] += factor * x[i];
}

// The residual, weighted, in rest; the differences to the last point as the newest columns.
static void remember(dls_anderson *a, const double *weight, const double *x, const double *g)
{
  const int n = a->n;
  for (int i = 0; i < n; i++) a->rest[i] = (g[i] - x[i]) * (weight ? sqrt(weight[i]) : 1);
  if (a->started && a->memory > 0) {
    a->newest = (a->newest + 1) % a->memory;
    if (a->count < a->memory) a->count++;
    double *dF = a->dF + (ptrdiff_t)n * a->newest, *dG = a->dG + (ptrdiff_t)n * a->newest;
    for (int i = 0; i < n; i++) dF[i] = a->rest[i] - a->f[i], dG[i] = g[i] - a->g[i];
  }
  a->started = true;
  memcpy(a->f, a->rest, (size_t)n * sizeof(double));
  memmove(a->g, g, (size_t)n * sizeof(double));
}

// next = g - dG gamma with the least |f - dF gamma|, eq (and.1)
bool dls_anderson_step(dls_anderson *a, const double *weight, const double *x, const double *g,
                       double *next)
{
  const int n = a->n;
  remember(a, weight, x, g);
  double R[DLS_ANDERSON_MOST][DLS_ANDERSON_MOST], gamma[DLS_ANDERSON_MOST];
  int column[DLS_ANDERSON_MOST], rank = 0;
  for (int k = 0; k < a->count; k++) {
    const int c = (a->newest - k + a->memory) % a->memory;
    double *q = a->Q + (ptrdiff_t)n * rank;
    memcpy(q, a->dF + (ptrdiff_t)n * c, (size_t)n * sizeof(double));
    const double whole = sqrt(dot(n, q, q));
    for (int j = 0; j < rank; j++) R[j][rank] = 0;
    for (int pass = 0; pass < 2; pass++)
      for (int j = 0; j < rank; j++) {
        const double *p = a->Q + (ptrdiff_t)n * j, part = dot(n, p, q);
        R[j][rank] += part;
        add(n, -part, p, q);
      }
    const double left = sqrt(dot(n, q, q));
    if (!(left > 1e-8 * whole) || !isfinite(left)) continue;
    for (int i = 0; i < n; i++) q[i] /= left;
    R[rank][rank] = left;
    gamma[rank] = dot(n, q, a->rest);
    add(n, -gamma[rank], q, a->rest);
    column[rank++] = c;
  }
  for (int k = rank - 1; k >= 0; k--) {
    for (int j = k + 1; j < rank; j++) gamma[k] -= R[k][j] * gamma[j];
    gamma[k] /= R[k][k];
  }
  memcpy(next, a->g, (size_t)n * sizeof(double));
  for (int k = 0; k < rank; k++) add(n, -gamma[k], a->dG + (ptrdiff_t)n * column[k], next);
  bool good = rank > 0;
  for (int i = 0; i < n && good; i++) good = isfinite(next[i]);
  if (!good) memcpy(next, a->g, (size_t)n * sizeof(double));
  return good;
}
