#include "solve/mass.h"

#include "base/memory.h"
#include "linalg/ldl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct dls_mass {
  dls_matrix_view M;
  int n, count;
  bool small;
  dls_arena *arena;
  int *part, *position, *first, *index;
  size_t *square;
  double *inverse, *factor, *work;  // work: n
  // otherwise: the upper triangle as triplets
  int entries, *row, *col, *from;  // from: the number of M, or -1
  double *value;
  dls_ldl *ldl;
};

void dls_mass_free(dls_mass *m)
{
  if (!m) return;
  dls_ldl_free(m->ldl);
  dls_arena_free(m->arena);
  free(m);
}

static int root(int *parent, int i)
{
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

// Numbers the parts in the order of their first coordinates.
static void find_parts(dls_mass *m)
{
  int *parent = m->position;  // until it is needed
  for (int i = 0; i < m->n; i++) parent[i] = i;
  for (int j = 0; j < m->n; j++)
    for (int e = m->M.pattern.p[j]; e < m->M.pattern.p[j + 1]; e++) {
      const int a = root(parent, m->M.pattern.i[e]), b = root(parent, j);
      if (a < b) parent[b] = a;
      else parent[a] = b;
    }
  m->count = 0;
  for (int i = 0; i < m->n; i++) {
    const int top = root(parent, i);  // the smallest index of the part
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
  m->square = dls_arena_alloc(m->arena, (size_t)m->count + 1, sizeof(size_t));
  if (!m->square) return DLS_ERR_MEMORY;
  for (int k = 0; k < m->count; k++) {
    const size_t size = (size_t)(m->first[k + 1] - m->first[k]);
    m->square[k + 1] = m->square[k] + size * size;
  }
  m->inverse = dls_arena_alloc(m->arena, m->square[m->count] + 1, sizeof(double));
  m->factor = dls_arena_alloc(m->arena, DLS_MASS_SMALL * DLS_MASS_SMALL, sizeof(double));
  return m->inverse && m->factor ? DLS_OK : DLS_ERR_MEMORY;
}

static dls_status set_up_sparse(dls_mass *m)
{
  const dls_pattern *s = &m->M.pattern;
  const size_t most = (size_t)s->p[m->n] + (size_t)m->n + 1;
  m->row = dls_arena_alloc(m->arena, most, sizeof(int));
  m->col = dls_arena_alloc(m->arena, most, sizeof(int));
  m->from = dls_arena_alloc(m->arena, most, sizeof(int));
  m->value = dls_arena_alloc(m->arena, most, sizeof(double));
  if (!m->row || !m->col || !m->from || !m->value) return DLS_ERR_MEMORY;
  for (int j = 0; j < m->n; j++) {
    const int diagonal = m->entries;
    m->row[diagonal] = m->col[diagonal] = j, m->from[diagonal] = -1;
    m->entries++;
    for (int e = s->p[j]; e < s->p[j + 1]; e++) {
      if (s->i[e] == j) m->from[diagonal] = e;
      if (s->i[e] >= j) continue;
      m->row[m->entries] = s->i[e], m->col[m->entries] = j, m->from[m->entries++] = e;
    }
  }
  return dls_ldl_create(m->n, m->entries, m->row, m->col, &m->ldl);
}

dls_status dls_mass_create(const dls_matrix_view *M, dls_mass **out)
{
  *out = NULL;
  dls_mass *m = dls_alloc(1, sizeof *m);
  if (!m) return DLS_ERR_MEMORY;
  m->M = *M, m->n = M->pattern.cols;
  m->arena = dls_arena_create();
  const size_t n = (size_t)m->n + 2;
  bool good = m->arena;
  int **whole[] = {&m->part, &m->position, &m->first, &m->index};
  for (size_t k = 0; good && k < sizeof whole / sizeof *whole; k++)
    good = (*whole[k] = dls_arena_alloc(m->arena, n, sizeof(int)));
  good = good && (m->work = dls_arena_alloc(m->arena, n, sizeof(double)));
  dls_status status = good ? DLS_OK : DLS_ERR_MEMORY;
  if (good) {
    find_parts(m);
    m->small = true;
    for (int k = 0; k < m->count; k++)
      if (m->first[k + 1] - m->first[k] > DLS_MASS_SMALL) m->small = false;
    status = m->small ? set_up_small(m) : set_up_sparse(m);
  }
  if (status == DLS_OK) *out = m;
  else dls_mass_free(m);
  return status;
}

// A <- A^-1 by Cholesky, symmetric, size x size; L: as many numbers. False when not definite.
static bool invert_definite(int size, double *A, double *L)
{
  for (int j = 0; j < size; j++)
    for (int i = j; i < size; i++) {
      double sum = A[i + size * j];
      for (int k = 0; k < j; k++) sum -= L[i + size * k] * L[j + size * k];
      if (i == j && !(sum > 0 && isfinite(sum))) return false;
      L[i + size * j] = i == j ? sqrt(sum) : sum / L[j + size * j];
    }
  for (int c = 0; c < size; c++) {
    double *x = A + (ptrdiff_t)size * c;
    for (int i = 0; i < size; i++) {
      double sum = i == c;
      for (int k = 0; k < i; k++) sum -= L[i + size * k] * x[k];
      x[i] = sum / L[i + size * i];
    }
    for (int i = size - 1; i >= 0; i--) {
      for (int k = i + 1; k < size; k++) x[i] -= L[k + size * i] * x[k];
      x[i] /= L[i + size * i];
    }
  }
  return true;
}

dls_status dls_mass_refresh(dls_mass *m)
{
  const dls_pattern *s = &m->M.pattern;
  if (!m->small) {
    for (int e = 0; e < m->entries; e++) m->value[e] = m->from[e] < 0 ? 0 : m->M.x[m->from[e]];
    return dls_ldl_factor(m->ldl, m->value, NULL) ? DLS_OK : DLS_ERR_NUMBER;
  }
  memset(m->inverse, 0, m->square[m->count] * sizeof(double));
  for (int j = 0; j < m->n; j++)
    for (int e = s->p[j]; e < s->p[j + 1]; e++) {
      const int k = m->part[j], size = m->first[k + 1] - m->first[k];
      m->inverse[m->square[k] + (size_t)(m->position[s->i[e]] + size * m->position[j])] = m->M.x[e];
    }
  for (int k = 0; k < m->count; k++)
    if (!invert_definite(m->first[k + 1] - m->first[k], m->inverse + m->square[k], m->factor))
      return DLS_ERR_NUMBER;
  return DLS_OK;
}

void dls_mass_solve(dls_mass *m, double *x)
{
  if (!m->small) {
    dls_ldl_solve(m->ldl, x);
    return;
  }
  double in[DLS_MASS_SMALL];
  for (int k = 0; k < m->count; k++) {
    const int size = m->first[k + 1] - m->first[k], *index = m->index + m->first[k];
    const double *A = m->inverse + m->square[k];
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
