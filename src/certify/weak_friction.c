// Friction so weak that there is one solution at most, whatever the load and however many
// directions slipping may take.                                                   eq (fri.11)
//
//   H^T M_c^-1 H < 2 diag(k)   and   Phi < 2 diag(1/(mu^2 k)),   Phi = part of (B^T M^-1 B)^-1
//
// H: the slips of contacts with friction; M_c: frictionless bilateral contacts are kept; B: all
// gradients, and H. With k = gamma r, r the size of what tangential forces do, both hold for some
// gamma if and only if the product of the two norms is less than 4.
#include "certify/weak_friction.h"

#include "base/memory.h"
#include "certify/tolerances.h"
#include "linalg/dense.h"

#include <math.h>

// B's columns: gradients of frictionless bilateral contacts first, then slips, then the other
// gradients; each divided by its length in the kinetic metric.
typedef struct columns {
  const dls_polyhedra *c;
  int count, kept, slips;  // all of them, those that come first, and slips
  int *normal;             // m: column of a gradient
  int *tangent;            // tangents: column of a slip, or -1
  double *B, *length;
  double *L;  // of B^T M^-1 B, count x count
} columns;

static bool rubs(const dls_polyhedra *c, int j)
{
  return c->touch[j] != DLS_TOUCH_FRICTIONLESS && c->mu[j] > 0;
}

// Static friction that is larger than that of sliding: the law is not monotone.
static bool applies(const dls_polyhedra *c)
{
  enum { LARGEST = 300 };
  bool some = false;
  for (int j = 0; j < c->m; j++) {
    some |= rubs(c, j);
    if (c->mu_s[j] != c->mu[j]) return false;
  }
  return some && !c->x->state_open && c->n <= LARGEST && c->m + c->tangents <= LARGEST;
}

static void number_columns(columns *s)
{
  const dls_polyhedra *c = s->c;
  for (int j = 0; j < c->m_b; j++)
    if (!rubs(c, j)) s->normal[j] = s->count++;
  s->kept = s->count;
  for (int j = 0; j < c->m; j++)
    for (int k = c->first[j]; k < c->first[j + 1]; k++)
      s->tangent[k] = rubs(c, j) ? s->count++ : -1;
  s->slips = s->count - s->kept;
  for (int j = 0; j < c->m; j++)
    if (j >= c->m_b || rubs(c, j)) s->normal[j] = s->count++;
}

// Is the smallest eigenvalue of L L^T clearly positive?
static dls_status is_regular(const dls_polyhedra *c, int size, const double *L, bool *regular)
{
  double *s = dls_context_work(c->x, size);
  *regular = false;
  if (!s) return DLS_ERR_MEMORY;
  const dls_status status = dls_svd(size, size, L, NULL, s, NULL);
  *regular = status == DLS_OK && s[size - 1] * s[size - 1] > regular_gradients * s[0] * s[0];
  return status;
}

// The factor of M, and B in the metric of M, of unit length; *regular: and of B^T M^-1 B.
static dls_status factor(columns *s, bool *regular)
{
  const dls_polyhedra *c = s->c;
  const ptrdiff_t n = c->n, count = s->count;
  double *L = dls_context_work(c->x, n * n), *W = dls_context_work(c->x, count * count);
  s->B = dls_context_work(c->x, n * count), s->length = dls_context_work(c->x, count);
  s->L = dls_context_work(c->x, count * count);
  if (c->x->out_of_memory) return DLS_ERR_MEMORY;
  *regular = false;
  dls_status status = dls_cholesky(c->n, c->M, L, regular);
  if (status == DLS_OK && *regular) status = is_regular(c, c->n, L, regular);
  if (status != DLS_OK || !*regular) return status;
  for (int j = 0; j < c->m; j++) dls_copy(s->B + n * s->normal[j], c->G + n * j, n);
  for (int k = 0; k < c->tangents; k++)
    if (s->tangent[k] >= 0) dls_copy(s->B + n * s->tangent[k], c->H + n * k, n);
  dls_lower_solve(c->n, s->count, L, false, s->B);
  for (int i = 0; i < s->count; i++) {
    s->length[i] = dls_norm2(c->n, s->B + n * i);
    *regular &= s->length[i] > not_zero;
    for (ptrdiff_t k = 0; k < n && *regular; k++) s->B[k + n * i] /= s->length[i];
  }
  if (!*regular) return DLS_OK;
  dls_gemm(true, false, s->count, s->count, c->n, 1, s->B, s->B, 0, W);
  status = dls_cholesky(s->count, W, s->L, regular);
  return status == DLS_OK && *regular ? is_regular(c, s->count, s->L, regular) : status;
}

// r: what a tangential force of a contact does to its own slip, at most.
static double size_of_slip(const columns *s, int j)
{
  double size = 0;
  for (int k = s->c->first[j]; k < s->c->first[j + 1]; k++)
    if (s->tangent[k] >= 0) size = fmax(size, pow(s->length[s->tangent[k]], 2));
  return size;
}

static dls_status largest_square(dls_context *x, int rows, int cols, const double *A, double *value)
{
  const int least = rows < cols ? rows : cols;
  double *s = dls_context_work(x, least);
  if (!s) return DLS_ERR_MEMORY;
  const dls_status status = dls_svd(rows, cols, A, NULL, s, NULL);
  *value = s[0] * s[0];
  return status;
}

// The largest eigenvalue of what tangential forces do to slips: after elimination of what is kept
// it is the product of the next block of L with its transpose.
static dls_status slips_by_friction(const columns *s, const double *r, double *value)
{
  const dls_polyhedra *c = s->c;
  const ptrdiff_t size = s->slips, kept = s->kept, count = s->count;
  double *A = dls_context_work(c->x, size * size);
  if (!A) return DLS_ERR_MEMORY;
  for (int j = 0; j < c->m; j++)
    for (int k = c->first[j]; k < c->first[j + 1] && rubs(c, j); k++) {
      const ptrdiff_t row = s->tangent[k];
      for (ptrdiff_t i = kept; i <= row; i++)
        A[row - kept + size * (i - kept)] = s->L[row + count * i] * s->length[row] / sqrt(r[j]);
    }
  return largest_square(c->x, s->slips, s->slips, A, value);
}

// The same of mu^2 r Phi: |L^-1 e_j| is the root of an entry of the inverse.
static dls_status forces_by_motion(const columns *s, const double *r, double *value)
{
  const dls_polyhedra *c = s->c;
  const ptrdiff_t count = s->count;
  double *X = dls_context_work(c->x, count * c->m);
  int cols = 0;
  if (!X) return DLS_ERR_MEMORY;
  for (int j = 0; j < c->m; j++)
    if (rubs(c, j))
      X[s->normal[j] + count * cols++] = c->mu[j] * sqrt(r[j]) / s->length[s->normal[j]];
  dls_lower_solve(s->count, cols, s->L, false, X);
  return largest_square(c->x, s->count, cols, X, value);
}

dls_status dls_weak_friction(const dls_polyhedra *c, dls_weakness *w)
{
  const double *C = c->units.C_t;
  double *r = dls_context_work(c->x, c->m), slips = NAN, forces = NAN;
  columns s = {.c = c,
               .normal = dls_arena_alloc(c->x->work, c->m, sizeof(int)),
               .tangent = dls_arena_alloc(c->x->work, c->tangents, sizeof(int))};
  bool regular = false;
  *w = (dls_weakness){.weight = dls_context_work(c->x, c->m)};
  if (c->x->out_of_memory || !s.normal || !s.tangent) return DLS_ERR_MEMORY;
  if (!applies(c)) return DLS_OK;
  number_columns(&s);
  if (s.count > c->n) return DLS_OK;
  dls_status status = factor(&s, &regular);
  if (status != DLS_OK || !regular) return status;
  for (int j = 0; j < c->m; j++) r[j] = size_of_slip(&s, j);
  status = slips_by_friction(&s, r, &slips);
  if (status == DLS_OK) status = forces_by_motion(&s, r, &forces);
  w->margin = 1 - sqrt(slips * forces) / 2;
  w->holds = status == DLS_OK && w->margin > clearly_weak;
  for (int j = 0; j < c->m && w->holds; j++)
    if (rubs(c, j))
      w->weight[j] = sqrt(slips / forces) * r[j] / (c->units.mass * pow(C[c->first[j]], 2));
  return status;
}
