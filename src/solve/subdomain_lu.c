// Sets of bodies are bits in two words; blocks stand in a square array, of which only those of the
// factors are touched.
#include "solve/subdomain_lu.h"

#include "base/memory.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { N = 6, B = 36, MOST = DLS_SUBDOMAIN_BODIES, WORDS = MOST / 64 };

typedef struct set {
  uint64_t word[WORDS];
} set;

struct dls_subdomain_lu {
  int n, sign;
  set near[MOST];         // of the matrix, then with what elimination adds
  int order[MOST];        // the body that is eliminated at each step
  int place[MOST];        // the step at which each body is
  int first[MOST + 1];    // the later neighbours of step k: list[first[k]] ...
  int list[MOST * MOST];  // as steps, increasing
  double *block;          // MOST x MOST x 36, by steps
  double x[N * MOST];
};

// Most blocks are never touched, and cost address space only: not from an arena, which would set
// them to zero.
dls_subdomain_lu *dls_subdomain_lu_create(void)
{
  dls_subdomain_lu *f = dls_alloc(1, sizeof *f);
  if (f) f->block = dls_alloc((ptrdiff_t)MOST * MOST, B * sizeof(double));
  if (f && f->block) return f;
  dls_subdomain_lu_free(f);
  return NULL;
}

void dls_subdomain_lu_free(dls_subdomain_lu *f)
{
  if (!f) return;
  free(f->block);
  free(f);
}

// ---- pattern -----------------------------------------------------------------------------------

static void insert(set *s, int i)
{
  s->word[i / 64] |= (uint64_t)1 << (i % 64);
}

static bool has(const set *s, int i)
{
  return s->word[i / 64] >> (i % 64) & 1;
}

static int size_of(const set *s)
{
  int count = 0;
  for (int w = 0; w < WORDS; w++)
    for (uint64_t rest = s->word[w]; rest; rest &= rest - 1) count++;
  return count;
}

void dls_subdomain_lu_begin(dls_subdomain_lu *f, int n)
{
  f->n = n;
  memset(f->near, 0, sizeof f->near);
}

void dls_subdomain_lu_join(dls_subdomain_lu *f, int a, int b)
{
  insert(&f->near[a], b), insert(&f->near[b], a);
}

static int least_degree(const dls_subdomain_lu *f, const int *degree)
{
  int best = -1;
  for (int i = 0; i < f->n; i++)
    if (f->place[i] < 0 && (best < 0 || degree[i] < degree[best])) best = i;
  return best;
}

// The body of least degree first; its neighbours then meet each other.
void dls_subdomain_lu_order(dls_subdomain_lu *f)
{
  int degree[MOST];
  set left = {0};
  for (int i = 0; i < f->n; i++) {
    insert(&left, i);
    f->place[i] = -1, degree[i] = size_of(&f->near[i]);
  }
  for (int k = 0; k < f->n; k++) {
    const int body = least_degree(f, degree);
    set *own = &f->near[body];
    f->order[k] = body, f->place[body] = k;
    left.word[body / 64] &= ~((uint64_t)1 << (body % 64));
    for (int w = 0; w < WORDS; w++) own->word[w] &= left.word[w];
    for (int j = 0; j < f->n; j++) {
      if (!has(own, j)) continue;
      set *other = &f->near[j];
      for (int w = 0; w < WORDS; w++)
        other->word[w] = (other->word[w] | own->word[w]) & left.word[w];
      other->word[j / 64] &= ~((uint64_t)1 << (j % 64));
      degree[j] = size_of(other);
    }
  }
  f->first[0] = 0;
  for (int k = 0; k < f->n; k++) {
    int at = f->first[k];
    for (int j = k + 1; j < f->n; j++)
      if (has(&f->near[f->order[k]], f->order[j])) f->list[at++] = j;
    f->first[k + 1] = at;
  }
}

// ---- numbers -----------------------------------------------------------------------------------

static double *block(const dls_subdomain_lu *f, int i, int j)
{
  return f->block + ((ptrdiff_t)MOST * i + j) * B;
}

void dls_subdomain_lu_clear(dls_subdomain_lu *f)
{
  for (int k = 0; k < f->n; k++) {
    dls_clear(block(f, k, k), B);
    for (int e = f->first[k]; e < f->first[k + 1]; e++) {
      dls_clear(block(f, k, f->list[e]), B);
      dls_clear(block(f, f->list[e], k), B);
    }
  }
}

double *dls_subdomain_lu_at(dls_subdomain_lu *f, int a, int b)
{
  return block(f, f->place[a], f->place[b]);
}

// Gauss-Jordan with row pivoting, in place.
static bool invert(double *A, int *sign)
{
  double T[N][2 * N];
  for (int i = 0; i < N; i++)
    for (int c = 0; c < N; c++) T[i][c] = A[N * i + c], T[i][N + c] = i == c;
  for (int k = 0; k < N; k++) {
    int best = k;
    for (int i = k + 1; i < N; i++)
      if (fabs(T[i][k]) > fabs(T[best][k])) best = i;
    const double pivot = T[best][k];
    if (!(fabs(pivot) > 0) || !isfinite(pivot)) return false;
    if ((pivot < 0) != (best != k)) *sign = -*sign;
    for (int c = 0; c < 2 * N; c++) {
      const double swap = T[best][c];
      T[best][c] = T[k][c], T[k][c] = swap / pivot;
    }
    for (int i = 0; i < N; i++) {
      const double factor = T[i][k];
      for (int c = k; i != k && c < 2 * N; c++) T[i][c] -= factor * T[k][c];
    }
  }
  for (int i = 0; i < N; i++)
    for (int c = 0; c < N; c++) A[N * i + c] = T[i][N + c];
  return true;
}

// C = A D, in place of A
static void multiply(double *restrict A, const double *restrict D)
{
  for (int i = 0; i < N; i++) {
    double row[N] = {0};
    for (int k = 0; k < N; k++)
      for (int c = 0; c < N; c++) row[c] += A[N * i + k] * D[N * k + c];
    memcpy(A + (ptrdiff_t)N * i, row, sizeof row);
  }
}

// C -= A D
static void subtract(double *restrict C, const double *restrict A, const double *restrict D)
{
  for (int i = 0; i < N; i++) {
    double *row = C + (ptrdiff_t)N * i;
    double c0 = row[0], c1 = row[1], c2 = row[2], c3 = row[3], c4 = row[4], c5 = row[5];
    for (int k = 0; k < N; k++) {
      const double a = A[N * i + k], *d = D + (ptrdiff_t)N * k;
      c0 -= a * d[0], c1 -= a * d[1], c2 -= a * d[2];
      c3 -= a * d[3], c4 -= a * d[4], c5 -= a * d[5];
    }
    row[0] = c0, row[1] = c1, row[2] = c2, row[3] = c3, row[4] = c4, row[5] = c5;
  }
}

bool dls_subdomain_lu_factor(dls_subdomain_lu *f)
{
  f->sign = 1;
  for (int k = 0; k < f->n; k++) {
    double *own = block(f, k, k);
    if (!invert(own, &f->sign)) return false;
    for (int e = f->first[k]; e < f->first[k + 1]; e++) {
      double *L = block(f, f->list[e], k);
      multiply(L, own);
      for (int g = f->first[k]; g < f->first[k + 1]; g++)
        subtract(block(f, f->list[e], f->list[g]), L, block(f, k, f->list[g]));
    }
  }
  return true;
}

int dls_subdomain_lu_sign(const dls_subdomain_lu *f)
{
  return f->sign;
}

static void subtract_product(const double *A, const double *x, double *y)
{
  for (int i = 0; i < N; i++) {
    double sum = 0;
    for (int k = 0; k < N; k++) sum += A[N * i + k] * x[k];
    y[i] -= sum;
  }
}

void dls_subdomain_lu_solve(dls_subdomain_lu *f, double *b)
{
  const ptrdiff_t bytes = N;
  double *x = f->x;
  for (int k = 0; k < f->n; k++)
    dls_copy(x + (ptrdiff_t)N * k, b + (ptrdiff_t)N * f->order[k], bytes);
  for (int k = 0; k < f->n; k++)
    for (int e = f->first[k]; e < f->first[k + 1]; e++)
      subtract_product(block(f, f->list[e], k), x + (ptrdiff_t)N * k,
                       x + (ptrdiff_t)N * f->list[e]);
  for (int k = f->n - 1; k >= 0; k--) {
    double *own = x + (ptrdiff_t)N * k, now[N] = {0};
    for (int e = f->first[k]; e < f->first[k + 1]; e++)
      subtract_product(block(f, k, f->list[e]), x + (ptrdiff_t)N * f->list[e], own);
    subtract_product(block(f, k, k), own, now);
    for (int i = 0; i < N; i++) own[i] = -now[i];
  }
  for (int k = 0; k < f->n; k++)
    dls_copy(b + (ptrdiff_t)N * f->order[k], x + (ptrdiff_t)N * k, bytes);
}
