// Every complementary basis until one gives a solution: for small problems that resist.  eq (lcp.9)
#include "lcp/lcp_method.h"

#include "base/memory.h"
#include "lcp/tolerances.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdint.h>

enum { LARGEST = 16 };  // conditions: 65536 bases

static ptrdiff_t integers(int n)
{
  return 4 * (ptrdiff_t)n;
}

// The block of the basis eliminated with complete pivoting until the rest of it vanishes.
typedef struct elimination {
  ptrdiff_t m;
  double *B, *x;  // m x m, m
  int *column;    // the variables, in the order of the pivots
} elimination;

static void exchange(double *a, double *b)
{
  const double keep = *a;
  *a = *b, *b = keep;
}

static bool pivot(elimination *e, ptrdiff_t k)
{
  const ptrdiff_t m = e->m;
  ptrdiff_t row = k, col = k;
  for (ptrdiff_t a = k; a < m; a++)
    for (ptrdiff_t b = k; b < m; b++)
      if (fabs(e->B[b + m * a]) > fabs(e->B[row + m * col])) row = b, col = a;
  if (!(fabs(e->B[row + m * col]) > vanished_pivot)) return false;
  for (ptrdiff_t a = 0; a < m; a++) exchange(&e->B[k + m * a], &e->B[row + m * a]);
  for (ptrdiff_t b = 0; b < m; b++) exchange(&e->B[b + m * k], &e->B[b + m * col]);
  exchange(&e->x[k], &e->x[row]);
  const int name = e->column[k];
  e->column[k] = e->column[col], e->column[col] = name;
  for (ptrdiff_t b = 0; b < m; b++) {
    const double factor = b == k ? 0 : e->B[b + m * k] / e->B[k + m * k];
    if (factor == 0) continue;
    for (ptrdiff_t a = k; a < m; a++) e->B[b + m * a] -= factor * e->B[k + m * a];
    e->x[b] -= factor * e->x[k];
  }
  return true;
}

// The variables without a pivot stay zero. z may be no solution of the system at all: whoever
// measures it sees.
static void solve_singular(const dls_lcp_run *r, const int *in, double *z, double *work, int *index)
{
  const dls_mlcp *p = &r->scaled;
  const ptrdiff_t n = p->n;
  elimination e = {.B = work, .x = work + n * n, .column = index + n};
  for (int i = 0; i < p->n; i++)
    if (i < p->free || in[i]) index[e.m++] = i;
  for (ptrdiff_t a = 0; a < e.m; a++) {
    e.x[a] = -p->q[index[a]], e.column[a] = index[a];
    for (ptrdiff_t b = 0; b < e.m; b++) e.B[b + e.m * a] = p->M[index[b] + n * index[a]];
  }
  dls_clear(z, n);
  ptrdiff_t rank = 0;
  while (rank < e.m && pivot(&e, rank)) rank++;
  for (ptrdiff_t k = 0; k < rank; k++) z[e.column[k]] = e.x[k] / e.B[k + e.m * k];
}

static void run(dls_lcp_run *r, double *z, double *work, int *index)
{
  const dls_mlcp *p = &r->scaled;
  const int k = p->n - p->free;
  int *in = index + 3 * p->n;
  r->stop = DLS_LCP_STOP_UNSUITED;
  if (k > LARGEST) return;
  dls_lcp_limit(r, 1 << LARGEST);
  for (uint32_t basis = 0; basis < (uint32_t)1 << k; basis++) {
    for (int i = 0; i < p->n; i++) in[i] = i >= p->free && (basis >> (i - p->free) & 1);
    if (!dls_lcp_basis_solve(r, in, singular_enumerated, z, work, index))
      solve_singular(r, in, z, work, index);
    for (int i = p->free; i < p->n; i++)
      if (z[i] < 0 && z[i] > -vanished_z) z[i] = 0;
    if (!dls_lcp_next(r, z)) return;
  }
  r->stop = DLS_LCP_STOP_EXHAUSTED;
}

const dls_lcp_method dls_lcp_method_enumeration = {
    .info = {"enumeration", "every complementary basis, up to 16 conditions",
             "all matrices, when a solution belongs to a nonsingular basis"},
    .reals = dls_lcp_basis_reals,
    .integers = integers,
    .run = run};
