#include "step/sharing_program.h"

#include "base/memory.h"
#include "step/rows.h"
#include "step/tolerances.h"

#include <math.h>

enum { PATIENCE = 20 };  // times the rows: steps of a program

// --- null vectors ---

static void swap(double *a, double *b)
{
  const double kept = *a;
  *a = *b, *b = kept;
}

// The largest entry in the rows and columns from `at` on becomes the pivot there. False: all of
// them count as zero.
static bool pivot(int size, double *K, int *column, int at)
{
  int row = at, col = at;
  for (int i = at; i < size; i++)
    for (int j = at; j < size; j++)
      if (fabs(K[i * size + j]) > fabs(K[row * size + col])) row = i, col = j;
  if (!(fabs(K[row * size + col]) > sharing_pivot)) return false;
  for (int j = 0; j < size; j++) swap(&K[at * size + j], &K[row * size + j]);
  for (int i = 0; i < size; i++) swap(&K[i * size + at], &K[i * size + col]);
  const int kept = column[at];
  column[at] = column[col], column[col] = kept;
  return true;
}

int dls_sharing_null_vectors(int size, double *K, int *column, double *vector)
{
  int rank = 0;
  for (int i = 0; i < size; i++) column[i] = i;
  for (; rank < size && pivot(size, K, column, rank); rank++)
    for (int i = 0; i < size; i++) {
      const double by = K[i * size + rank] / K[rank * size + rank];
      if (i == rank || by == 0) continue;
      for (int j = rank; j < size; j++) K[i * size + j] -= by * K[rank * size + j];
    }
  for (int k = rank; k < size; k++) {
    double *x = vector + (ptrdiff_t)(k - rank) * size;
    dls_clear(x, size);
    x[column[k]] = 1;
    for (int i = 0; i < rank; i++) x[column[i]] = -K[i * size + k] / K[i * size + i];
  }
  return size - rank;
}

// --- linear programs ---

// Row i joins the active ones, `count` so far: the next column of Q and R.
static void join(dls_sharing_program *w, int count, int i)
{
  double *q = w->Q + (ptrdiff_t)count * w->k, *r = w->R + (ptrdiff_t)count * w->k;
  dls_copy(q, w->P + (ptrdiff_t)i * (ptrdiff_t)w->k, w->k);
  dls_clear(r, w->k);
  for (int twice = 0; twice < 2; twice++)
    for (int l = 0; l < count; l++) {
      const double *other = w->Q + (ptrdiff_t)l * w->k, by = dls_row_dot(w->k, other, q);
      r[l] += by;
      for (int e = 0; e < w->k; e++) q[e] -= by * other[e];
    }
  r[count] = dls_row_length(w->k, q);
  for (int e = 0; e < w->k; e++) q[e] /= r[count];
  w->active[count] = i;
}

// d = o without what the active rows forbid; its length.
static double direct(dls_sharing_program *w, int count, const double *o)
{
  dls_copy(w->d, o, w->k);
  for (int twice = 0; twice < 2; twice++)
    for (int l = 0; l < count; l++) {
      const double *q = w->Q + (ptrdiff_t)l * w->k, by = dls_row_dot(w->k, q, w->d);
      for (int e = 0; e < w->k; e++) w->d[e] -= by * q[e];
    }
  return dls_row_length(w->k, w->d);
}

// The row that stops the way along d, and how far it is; -1: none does.
static int blocking(const dls_sharing_program *w, int count, double *way)
{
  const double size = dls_row_length(w->k, w->d);
  int first = -1;
  *way = INFINITY;
  for (int i = 0; i < w->count; i++) {
    const double *p = w->P + (ptrdiff_t)i * w->k, falls = -dls_row_dot(w->k, p, w->d);
    bool active = false;
    for (int l = 0; l < count; l++) active |= w->active[l] == i;
    if (active || !(falls > sharing_slope * size * dls_row_length(w->k, p))) continue;
    const double room = fmax(w->s[i] + dls_row_dot(w->k, p, w->y), 0) / falls;
    if (room < *way) *way = room, first = i;
  }
  return first;
}

// Of the active rows one that is better left, the first by its number (Bland); -1: none.
static int leaving(dls_sharing_program *w, int count, const double *o)
{
  double *c = w->d;  // o = sum c p
  int first = -1;
  for (int l = 0; l < count; l++) c[l] = dls_row_dot(w->k, w->Q + (ptrdiff_t)l * w->k, o);
  for (int l = count - 1; l >= 0; l--) {
    const double *r = w->R + (ptrdiff_t)l * w->k;
    c[l] /= r[l];
    for (int e = 0; e < l; e++) c[e] -= c[l] * r[e];
  }
  const double size = dls_row_length(w->k, o);
  for (int l = 0; l < count; l++) {
    const double *p = w->P + (ptrdiff_t)w->active[l] * w->k;
    if (!(c[l] * dls_row_length(w->k, p) > sharing_left * size)) continue;
    if (first < 0 || w->active[l] < w->active[first]) first = l;
  }
  return first;
}

double dls_sharing_maximize(dls_sharing_program *w, const double *o)
{
  const double size = dls_row_length(w->k, o);
  int count = 0;
  dls_clear(w->y, w->k);
  for (int tries = 0; tries < PATIENCE * (w->count + w->k); tries++) {
    if (count < w->k && direct(w, count, o) > sharing_left * size) {
      double way;
      const int next = blocking(w, count, &way);
      if (next < 0) return INFINITY;
      for (int e = 0; e < w->k; e++) w->y[e] += way * w->d[e];
      join(w, count++, next);
      continue;
    }
    const int out = leaving(w, count, o);
    if (out < 0) break;
    const int before = count;
    count = 0;
    for (int l = 0; l < before; l++)
      if (l != out) join(w, count++, w->active[l]);
  }
  return dls_row_dot(w->k, o, w->y);
}
