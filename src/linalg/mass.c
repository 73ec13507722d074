#include "linalg/mass.h"

#include "base/memory.h"
#include "linalg/sparse_lu.h"
#include "base/union_find.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct dls_mass {
  dls_matrix_view M;
  int n, count;
  bool small;
  dls_arena *arena;
  int *part, *position, *first, *index;
  ptrdiff_t *square;
  double *inverse;    // of the small parts
  dls_sparse_lu *lu;  // otherwise
  bool known;         // what was factored has the numbers x
  double *x;
  double *unit, *scaled;  // per coordinate; the numbers in these units, for lu
};

void dls_mass_free(dls_mass *m)
{
  if (!m) return;
  dls_sparse_lu_free(m->lu);
  dls_arena_free(m->arena);
  free(m);
}

// Numbers the parts in the order of their first coordinates.
static void find_parts(dls_mass *m)
{
  int *parent = m->position;  // until it is needed
  for (int i = 0; i < m->n; i++) parent[i] = i;
  for (int j = 0; j < m->n; j++)
    for (int e = m->M.pattern.p[j]; e < m->M.pattern.p[j + 1]; e++) {
      dls_unite(parent, m->M.pattern.i[e], j);
    }
  m->count = 0;
  for (int i = 0; i < m->n; i++) {
    const int top = dls_class_of(parent, i);  // the smallest index of the part
    m->part[i] = top == i ? m->count++ : m->part[top];
  }
  for (int i = 0; i < m->n; i++) m->first[m->part[i] + 1]++;
  for (int k = 0; k < m->count; k++) m->first[k + 1] += m->first[k];
  for (int i = 0; i < m->n; i++) m->position[i] = 0;
  int *next = m->index;  // n >= count
  for (int k = 0; k < m->count; k++) next[k] = 0;
  for (int i = 0; i < m->n; i++) m->position[i] = next[m->part[i]]++;
  for (int i = 0; i < m->n; i++) m->index[m->first[m->part[i]] + m->position[i]] = i;
}

static dls_status set_up_small(dls_mass *m)
{
  m->square = dls_arena_alloc(m->arena, (ptrdiff_t)m->count + 1, sizeof(ptrdiff_t));
  if (!m->square) return DLS_ERR_MEMORY;
  for (int k = 0; k < m->count; k++) {
    const ptrdiff_t size = (m->first[k + 1] - m->first[k]);
    m->square[k + 1] = m->square[k] + size * size;
  }
  m->inverse = dls_arena_alloc(m->arena, m->square[m->count] + 1, sizeof(double));
  return m->inverse ? DLS_OK : DLS_ERR_MEMORY;
}

// Pivots must not depend on whether a length is in metres: coordinates are measured in powers of
// two that make the diagonal as large as its first number, up to a factor of two.
static void choose_units(dls_mass *m)
{
  const dls_pattern *s = &m->M.pattern;
  int first = 0;
  for (int j = 0; j < m->n; j++) {
    double own = 0, largest = 0;
    int e = 0;
    for (int k = s->p[j]; k < s->p[j + 1]; k++) {
      if (s->i[k] == j) own = fabs(m->M.x[k]);
      largest = fmax(largest, fabs(m->M.x[k]));
    }
    frexp(own > 0 ? own : largest, &e);
    if (j == 0) first = e;
    m->unit[j] = ldexp(1, -(e - first - ((e - first) & 1)) / 2);
  }
}

static void scale(dls_mass *m)
{
  const dls_pattern *s = &m->M.pattern;
  choose_units(m);
  for (int j = 0; m->scaled && j < m->n; j++)
    for (int e = s->p[j]; e < s->p[j + 1]; e++)
      m->scaled[e] = m->unit[s->i[e]] * m->M.x[e] * m->unit[j];
}

static dls_status set_up_large(dls_mass *m)
{
  const dls_pattern *s = &m->M.pattern;
  m->scaled = dls_arena_alloc(m->arena, (ptrdiff_t)s->p[m->n] + 1, sizeof(double));
  if (!m->scaled) return DLS_ERR_MEMORY;
  scale(m);
  return dls_sparse_lu_create(m->n, s->p, s->i, m->scaled, &m->lu);
}

dls_status dls_mass_create(const dls_matrix_view *M, dls_mass **out)
{
  *out = NULL;
  dls_mass *m = dls_alloc(1, sizeof *m);
  if (!m) return DLS_ERR_MEMORY;
  m->M = *M, m->n = M->pattern.cols;
  m->arena = dls_arena_create();
  const ptrdiff_t n = (ptrdiff_t)m->n + 2;
  bool good = m->arena;
  int **whole[] = {&m->part, &m->position, &m->first, &m->index};
  for (ptrdiff_t k = 0; good && k < dls_count_of(whole); k++)
    good = (*whole[k] = dls_arena_alloc(m->arena, n, sizeof(int)));
  const ptrdiff_t count = (ptrdiff_t)M->pattern.p[m->n] + 1;
  good = good && (m->x = dls_arena_alloc(m->arena, count, sizeof(double)));
  good = good && (m->unit = dls_arena_alloc(m->arena, n, sizeof(double)));
  dls_status status = good ? DLS_OK : DLS_ERR_MEMORY;
  if (good) {
    find_parts(m);
    m->small = true;
    for (int k = 0; k < m->count; k++)
      if (m->first[k + 1] - m->first[k] > DLS_MASS_SMALL) m->small = false;
    status = m->small ? set_up_small(m) : set_up_large(m);
  }
  if (status == DLS_OK) *out = m;
  else dls_mass_free(m);
  return status;
}

static void eliminate(int size, double factor, const double *restrict from, double *restrict row)
{
  for (int c = 0; c < size; c++) row[c] -= factor * from[c];
}

// A <- A^-1 in place by Gauss-Jordan with pivoting, on the vectors of the storage: what holds of
// the transpose holds of the matrix. False when singular.
static bool invert(int size, double *A)
{
  int from[DLS_MASS_SMALL] = {0};
  assert(size > 0 && size <= DLS_MASS_SMALL);
  for (int k = 0; k < size; k++) {
    int best = k;
    for (int i = k + 1; i < size; i++)
      if (fabs(A[i * size + k]) > fabs(A[best * size + k])) best = i;
    double *top = A + (ptrdiff_t)size * k, *other = A + (ptrdiff_t)size * best;
    const double pivot = other[k], over = 1 / pivot;
    if (!(fabs(pivot) > 0) || !isfinite(pivot)) return false;
    from[k] = best;
    for (int c = 0; c < size; c++) {
      const double swap = other[c];
      other[c] = top[c], top[c] = swap * over;
    }
    top[k] = over;
    for (int i = 0; i < size; i++) {
      double *row = A + (ptrdiff_t)size * i;
      const double factor = row[k];
      if (i == k || factor == 0) continue;
      row[k] = 0;
      eliminate(size, factor, top, row);
    }
  }
  for (int k = size - 1; k >= 0; k--)
    for (int i = 0; from[k] != k && i < size; i++) {
      double *row = A + (ptrdiff_t)size * i, swap = row[k];
      row[k] = row[from[k]], row[from[k]] = swap;
    }
  return true;
}

dls_status dls_mass_refresh(dls_mass *m)
{
  const dls_pattern *s = &m->M.pattern;
  // masses are often constant: comparing costs less than factoring
  const ptrdiff_t bytes = s->p[m->n];
  if (m->known && memcmp(m->x, m->M.x, dls_bytes(bytes, sizeof *m->x)) == 0) return DLS_OK;
  m->known = false;
  if (bytes > 0) dls_copy(m->x, m->M.x, bytes);
  scale(m);
  if (!m->small) {
    m->known = dls_sparse_lu_factor(m->lu, m->scaled);
    return m->known ? DLS_OK : DLS_ERR_NUMBER;
  }
  dls_clear(m->inverse, m->square[m->count]);
  for (int j = 0; j < m->n; j++)
    for (int e = s->p[j]; e < s->p[j + 1]; e++) {
      const int k = m->part[j], size = m->first[k + 1] - m->first[k];
      m->inverse[m->square[k] + (m->position[s->i[e]] + size * m->position[j])] =
          m->unit[s->i[e]] * m->M.x[e] * m->unit[j];
    }
  for (int k = 0; k < m->count; k++) {
    const int size = m->first[k + 1] - m->first[k], *index = m->index + m->first[k];
    double *A = m->inverse + m->square[k];
    if (!invert(size, A)) return DLS_ERR_NUMBER;
    for (int c = 0; c < size; c++)
      for (int i = 0; i < size; i++) A[i + size * c] *= m->unit[index[i]] * m->unit[index[c]];
  }
  m->known = true;
  return DLS_OK;
}

// One part, column by column: those that meet a zero, as most do with a column of H, take no time.
static void solve_sparse(int size, const double *A, const int *index, double *x)
{
  double sum[DLS_MASS_SMALL] = {0};
  for (int c = 0; c < size; c++, A += size) {
    const double own = x[index[c]];
    for (int i = 0; own != 0 && i < size; i++) sum[i] += A[i] * own;
  }
  for (int i = 0; i < size; i++) x[index[i]] = sum[i];
}

void dls_mass_solve(dls_mass *m, double *x)
{
  enum { FEW = 6 };  // coordinates, as those of a body
  if (!m->small) {
    for (int k = 0; k < m->n; k++) x[k] *= m->unit[k];
    dls_sparse_lu_solve(m->lu, 1, x);
    for (int k = 0; k < m->n; k++) x[k] *= m->unit[k];
    return;
  }
  double in[DLS_MASS_SMALL];
  for (int k = 0; k < m->count; k++) {
    const int size = m->first[k + 1] - m->first[k], *index = m->index + m->first[k];
    const double *A = m->inverse + m->square[k];
    if (size > FEW) {
      solve_sparse(size, A, index, x);
      continue;
    }
    for (int i = 0; i < size; i++) in[i] = x[index[i]];
    for (int i = 0; i < size; i++) {
      double sum = 0;
      for (int c = 0; c < size; c++) sum += A[i + size * c] * in[c];
      x[index[i]] = sum;
    }
  }
}

bool dls_mass_small(const dls_mass *m, dls_mass_parts *parts)
{
  if (m->small)
    *parts =
        (dls_mass_parts){m->count, m->first, m->index, m->part, m->position, m->square, m->inverse};
  return m->small;
}

const double *dls_mass_units(const dls_mass *m)
{
  return m->unit;
}
