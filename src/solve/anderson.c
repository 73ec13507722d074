// The least-squares problem has a handful of columns. Their products with each other are kept, so
// that a step reads each column twice; it is solved by elimination, newest column first, and a
// column that depends on newer ones is left out. That squares the condition of the columns, which
// costs an accelerated step some of its digits and no more: G(x) itself is never wrong.
#include "solve/anderson.h"

#include "base/memory.h"
#include "solve/tolerances.h"

#include <math.h>

enum { MOST = DLS_ANDERSON_MOST, CHUNK = 512 };  // what stays in the cache

struct dls_anderson {
  const dls_operator *op;
  int n, most, memory, count, newest;
  bool started;
  double *f, *g;    // of the last point: residual, weighted, and G(x)
  double *dF, *dG;  // most columns of n: differences of f and of G
  double product[MOST][MOST];
};

dls_anderson *dls_anderson_create(const dls_operator *op, dls_arena *arena, int n, int memory)
{
  dls_anderson *a = dls_arena_alloc(arena, 1, sizeof *a);
  if (!a) return NULL;
  const ptrdiff_t length = (ptrdiff_t)n + 1, columns = (memory < MOST ? memory : MOST);
  a->op = op, a->n = n, a->most = a->memory = (int)columns;
  a->f = dls_arena_alloc(arena, length, sizeof(double));
  a->g = dls_arena_alloc(arena, length, sizeof(double));
  a->dF = dls_arena_alloc(arena, length, dls_bytes((columns + 1), sizeof(double)));
  a->dG = dls_arena_alloc(arena, length, dls_bytes((columns + 1), sizeof(double)));
  return a->f && a->g && a->dF && a->dG ? a : NULL;
}

void dls_anderson_restart(dls_anderson *a, int memory)
{
  a->memory = memory < 0 ? 0 : memory < a->most ? memory : a->most;
  a->count = 0, a->newest = -1, a->started = false;
}

static double dot(int n, const double *x, const double *y)
{
  double even = 0, odd = 0;
  int i = 0;
  for (; i + 1 < n; i += 2) even += x[i] * y[i], odd += x[i + 1] * y[i + 1];
  if (i < n) even += x[i] * y[i];
  return even + odd;
}

// The residual of the new point in f; the differences to the last one as the newest columns; the
// products of these with all columns, and of f with them (right).
static void remember(dls_anderson *a, const double *weight, const double *x, const double *g,
                     double *right)
{
  const bool column = a->started && a->memory > 0;
  if (column) {
    a->newest = (a->newest + 1) % a->memory;
    if (a->count < a->memory) a->count++;
  }
  double sum[2 * MOST] = {0}, *own = sum + a->count;
  for (int first = 0; first < a->n; first += CHUNK) {
    const int size = a->n - first < CHUNK ? a->n - first : CHUNK;
    double *f = a->f + first, *old = a->g + first;
    const ptrdiff_t at = (ptrdiff_t)a->n * a->newest + first;
    for (int i = 0; i < size; i++) {
      const double scale = weight ? sqrt(weight[first + i]) : 1;
      const double now = (g[first + i] - x[first + i]) * scale;
      if (column) a->dF[at + i] = now - f[i], a->dG[at + i] = g[first + i] - old[i];
      f[i] = now, old[i] = g[first + i];
    }
    for (int k = 0; k < a->count; k++) {
      const double *other = a->dF + (ptrdiff_t)a->n * k + first;
      if (column) own[k] += dot(size, a->dF + at, other);
      sum[k] += dot(size, f, other);
    }
  }
  if (a->op) dls_operator_sum(a->op, 2 * a->count, sum);
  for (int k = 0; k < a->count; k++) right[k] = sum[k];
  for (int k = 0; column && k < a->count; k++)
    a->product[a->newest][k] = a->product[k][a->newest] = own[k];
  a->started = true;
}

// gamma with the least |f - dF gamma|; 0 for the columns that are left out. Returns how many stay.
static int least_squares(const dls_anderson *a, const double *right, double *gamma)
{
  double L[MOST][MOST], y[MOST];
  int column[MOST], rank = 0;
  for (int k = 0; k < a->count; k++) {
    const int c = (a->newest - k + a->memory) % a->memory;
    double rest = a->product[c][c], value = right[c];
    gamma[c] = 0;
    for (int j = 0; j < rank; j++) {
      double t = a->product[c][column[j]];
      for (int i = 0; i < j; i++) t -= L[rank][i] * L[j][i];
      L[rank][j] = t / L[j][j];
      rest -= L[rank][j] * L[rank][j], value -= L[rank][j] * y[j];
    }
    if (!(rest > dependent_change * a->product[c][c]) || !isfinite(rest)) continue;
    L[rank][rank] = sqrt(rest), y[rank] = value / L[rank][rank], column[rank++] = c;
  }
  for (int k = rank - 1; k >= 0; k--) {
    for (int j = k + 1; j < rank; j++) y[k] -= L[j][k] * y[j];
    y[k] /= L[k][k], gamma[column[k]] = y[k];
  }
  return rank;
}

// next = g - dG gamma with the least |f - dF gamma|, eq (and.1)
bool dls_anderson_step(dls_anderson *a, const double *weight, const double *x, const double *g,
                       double *next)
{
  double right[MOST] = {0}, gamma[MOST] = {0}, size = 0;
  remember(a, weight, x, g, right);
  const int rank = least_squares(a, right, gamma);
  for (int first = 0; first < a->n; first += CHUNK) {
    const int end = a->n - first < CHUNK ? a->n : first + CHUNK;
    for (int i = first; i < end; i++) next[i] = a->g[i];
    for (int k = 0; k < a->count; k++) {
      const double *dG = a->dG + (ptrdiff_t)a->n * k;
      for (int i = first; gamma[k] != 0 && i < end; i++) next[i] -= gamma[k] * dG[i];
    }
    for (int i = first; i < end; i++) size += fabs(next[i]);
  }
  if (a->op) dls_operator_sum(a->op, 1, &size);
  const bool good = rank > 0 && isfinite(size);
  if (!good) dls_copy(next, a->g, a->n);
  return good;
}
