#include "cone.h"
#include <stdint.h>
#include <string.h>

typedef struct echelon {
  int rows, cols, rank;
  int64_t A[CONE_ROWS][CONE_COLS];
  int pivot[CONE_ROWS];      // column of the pivot of each row
  bool is_pivot[CONE_COLS];  //
  bool overflow;
} echelon;

static int64_t gcd(int64_t a, int64_t b)
{
  if (a < 0) a = -a;
  if (b < 0) b = -b;
  while (b != 0) {
    int64_t t = a % b;
    a = b;
    b = t;
  }
  return a;
}

static void reduce_row(echelon *e, int i)
{
  int64_t g = 0;
  for (int j = 0; j < e->cols && g != 1; j++) g = gcd(g, e->A[i][j]);
  for (int j = 0; g > 1 && j < e->cols; j++) e->A[i][j] /= g;
  for (int j = 0; j < e->cols; j++)
    if (e->A[i][j] > (1ll << 30) || e->A[i][j] < -(1ll << 30)) e->overflow = true;
}

// Reduced row echelon form over the integers: each pivot is alone in its column.
static void eliminate(echelon *e)
{
  e->rank = 0;
  memset(e->is_pivot, 0, sizeof e->is_pivot);
  for (int j = 0; j < e->cols && e->rank < e->rows; j++) {
    int p = e->rank;
    while (p < e->rows && e->A[p][j] == 0) p++;
    if (p == e->rows) continue;
    for (int k = 0; k < e->cols; k++) {
      int64_t t = e->A[p][k];
      e->A[p][k] = e->A[e->rank][k];
      e->A[e->rank][k] = t;
    }
    for (int i = 0; i < e->rows; i++) {
      if (i == e->rank || e->A[i][j] == 0) continue;
      int64_t g = gcd(e->A[i][j], e->A[e->rank][j]);
      int64_t f = e->A[e->rank][j] / g, h = e->A[i][j] / g;
      for (int k = 0; k < e->cols; k++) e->A[i][k] = f * e->A[i][k] - h * e->A[e->rank][k];
      reduce_row(e, i);
    }
    e->pivot[e->rank++] = j;
    e->is_pivot[j] = true;
  }
}

// The kernel vector whose only free entry that is not zero is `free`.
static void kernel_vector(const echelon *e, int free, double *x)
{
  int64_t scale = 1;
  for (int i = 0; i < e->rank; i++) {
    int64_t p = e->A[i][e->pivot[i]], a = e->A[i][free];
    if (a == 0) continue;
    int64_t need = (p < 0 ? -p : p) / gcd(p, a);
    scale = scale / gcd(scale, need) * need;
    if (scale > (1ll << 50)) scale = 1ll << 50;
  }
  for (int j = 0; j < e->cols; j++) x[j] = 0;
  x[free] = (double)scale;
  for (int i = 0; i < e->rank; i++)
    x[e->pivot[i]] = -(double)scale * (double)e->A[i][free] / (double)e->A[i][e->pivot[i]];
}

// The echelon form of some columns: the free ones and those in mask, in that order.
static void select_columns(const cone *c, unsigned mask, echelon *e, int *column)
{
  *e = (echelon){.rows = c->rows};
  for (int pass = 0; pass < 2; pass++) {
    for (int j = 0, bit = 0; j < c->cols; j++) {
      bool use = pass == 0 ? !c->nonnegative[j] : c->nonnegative[j] && (mask >> bit & 1);
      bit += c->nonnegative[j];
      if (!use) continue;
      for (int i = 0; i < c->rows; i++) e->A[i][e->cols] = (int64_t)c->A[i][j];
      column[e->cols++] = j;
    }
  }
  eliminate(e);
}

// The ray with exactly this support, when there is one.
static bool find_ray(const cone *c, unsigned mask, int lines, double *x, bool *overflow)
{
  echelon e;
  int column[CONE_COLS], free = -1, frees = 0;
  select_columns(c, mask, &e, column);
  *overflow |= e.overflow;
  if (e.cols - e.rank != lines + 1) return false;
  for (int j = 0; j < e.cols; j++)
    if (c->nonnegative[column[j]] && !e.is_pivot[j]) free = j, frees++;
  if (frees != 1) return false;
  double y[CONE_COLS];
  kernel_vector(&e, free, y);
  for (int j = 0; j < e.cols; j++)
    if (c->nonnegative[column[j]] && !(y[j] > 0)) return false;
  memset(x, 0, (size_t)c->cols * sizeof *x);
  for (int j = 0; j < e.cols; j++) x[column[j]] = y[j];
  return true;
}

bool cone_enumerate(const cone *c, cone_rays *rays)
{
  static unsigned support[CONE_RAYS];
  echelon e;
  int column[CONE_COLS], bits = 0;
  bool overflow = false;
  for (int j = 0; j < c->cols; j++) bits += c->nonnegative[j];
  rays->lines = rays->rays = 0;
  select_columns(c, 0, &e, column);
  for (int j = 0; j < e.cols; j++) {
    if (e.is_pivot[j]) continue;
    double y[CONE_COLS], *x = rays->line[rays->lines++];
    kernel_vector(&e, j, y);
    memset(x, 0, (size_t)c->cols * sizeof *x);
    for (int k = 0; k < e.cols; k++) x[column[k]] = y[k];
  }
  int base = e.rank;
  for (int size = 1; size <= bits && size <= c->rows - base + 1; size++) {
    for (unsigned mask = 1; mask < 1u << bits; mask++) {
      if (__builtin_popcount(mask) != size) continue;
      bool minimal = true;
      for (int k = 0; k < rays->rays && minimal; k++) minimal = (support[k] & ~mask) != 0;
      if (!minimal) continue;
      if (!find_ray(c, mask, rays->lines, rays->ray[rays->rays], &overflow)) continue;
      support[rays->rays++] = mask;
      if (rays->rays == CONE_RAYS) return false;
    }
  }
  return !overflow && !e.overflow;
}

bool cone_descends(const cone_rays *rays, int cols, const double *c)
{
  for (int k = 0; k < rays->lines; k++) {
    double sum = 0;
    for (int j = 0; j < cols; j++) sum += c[j] * rays->line[k][j];
    if (sum != 0) return true;
  }
  for (int k = 0; k < rays->rays; k++) {
    double sum = 0;
    for (int j = 0; j < cols; j++) sum += c[j] * rays->ray[k][j];
    if (sum < 0) return true;
  }
  return false;
}
