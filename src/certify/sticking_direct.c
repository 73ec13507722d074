// Unique forces: where the all-sticking equations have a nonsingular matrix, the forces are known
// without any program and whatever the friction, and only the cones are left to look at.  eq
// (stk.2)
#include "certify/sticking_internal.h"

#include "base/memory.h"
#include "certify/tolerances.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>

enum { LARGEST = 400, LONGEST = 40 };  // systems, for a point and for a line

int dls_stick_tau(const dls_stick *s, int slip)
{
  return s->polyhedra->n + s->polyhedra->m + s->slip_row[slip];
}

// [M -B; C^T 0] (z, lambda, tau) = (-F, -c); B differs from C where a contact slides
static void fill(const dls_stick *s, double *K, double *r)
{
  const dls_polyhedra *c = s->polyhedra;
  const ptrdiff_t n = c->n, N = n + ((ptrdiff_t)c->m + s->held_tangents);
  for (ptrdiff_t j = 0; j < n; j++) {
    r[j] = -c->F[j];
    dls_copy(K + N * j, c->M + n * j, n);
  }
  for (int j = 0; j < c->m; j++) {
    const ptrdiff_t at = n + j;
    const bool slides = c->touch[j] == DLS_TOUCH_SLIDING;
    r[at] = -c->b[j];
    for (ptrdiff_t i = 0; i < n; i++) {
      const double g = c->G[i + n * j];
      K[at + N * i] = g, K[i + N * at] = -g;
      for (int k = c->first[j]; slides && k < c->first[j + 1]; k++)
        K[i + N * at] += c->mu_s[j] * c->xi[k] * c->H[i + n * k];
    }
  }
  for (int k = 0; k < c->tangents; k++) {
    if (s->slip_row[k] < 0) continue;
    const ptrdiff_t at = dls_stick_tau(s, k);
    r[at] = -c->b_t[k];
    for (ptrdiff_t i = 0; i < n; i++) {
      K[at + N * i] = c->H[i + n * k];
      K[i + N * at] = -K[at + N * i];
    }
  }
}

// Contacts along a line of forces: planar, and with the sign of the normal force known.
static bool may_be_line(const dls_stick *s)
{
  for (int j = 0; j < s->polyhedra->m; j++)
    if (s->held[j] &&
        (dls_polyhedra_bilateral(s->polyhedra, j) || dls_polyhedra_tangents(s->polyhedra, j) > 1))
      return false;
  return true;
}

// y <- y + K^+ (r - K y), twice, with residuals in long double: singular vectors are only as exact
// as the library that made them. r NULL: K y = 0.
void dls_stick_line_correct(const dls_stick_forces *f, const double *r, double *y)
{
  const ptrdiff_t N = f->size;
  for (int pass = 0; pass < 2; pass++) {
    for (ptrdiff_t i = 0; i < N; i++) {
      long double sum = r ? r[i] : 0;
      for (ptrdiff_t j = 0; j < N; j++) sum -= (long double)f->K[i + N * j] * y[j];
      f->rest[i] = (double)sum;
    }
    for (ptrdiff_t k = 0; k + 1 < N; k++) {
      const double along = dls_dot(f->size, f->U + N * k, f->rest) / f->S[k];
      for (ptrdiff_t j = 0; j < N; j++) y[j] += along * f->V[j + N * k];
    }
  }
}

static dls_status find_line(const dls_stick *s, dls_stick_forces *f, const double *r)
{
  dls_context *x = s->polyhedra->x;
  const ptrdiff_t N = f->size;
  f->U = dls_context_work(x, N * N), f->V = dls_context_work(x, N * N);
  f->S = dls_context_work(x, N), f->rest = dls_context_work(x, N);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  const dls_status status = dls_svd(f->size, f->size, f->K, f->U, f->S, f->V);
  if (status != DLS_OK || N < 2) return status;
  const double noise = line_roundings * x->basic.noise, size = dls_norm_max(f->size, r);
  const double off = fabs(dls_dot(f->size, f->U + N * (N - 1), r));
  if (f->S[N - 1] > noise * f->S[0] || !(f->S[N - 2] > s->polyhedra->tolerance * f->S[0]))
    return DLS_OK;
  if (off > noise * size) return DLS_OK;
  dls_clear(f->y, N);
  f->v = f->V + N * (N - 1), f->r = r;
  dls_stick_line_correct(f, r, f->y);
  dls_stick_line_correct(f, NULL, f->v);
  f->known = DLS_FORCES_LINE;
  return DLS_OK;
}

dls_status dls_stick_forces_create(dls_stick *s, dls_stick_forces *f)
{
  const dls_polyhedra *c = s->polyhedra;
  dls_context *x = c->x;
  *f = (dls_stick_forces){.size = c->n + c->m + s->held_tangents};
  if (f->size > LARGEST) return DLS_OK;
  for (int j = 0; j < c->m_b; j++)
    if (c->touch[j] == DLS_TOUCH_SLIDING) return DLS_OK;  // the matrix depends on its sign
  const ptrdiff_t N = f->size;
  f->K = dls_context_work(x, N * N), f->y = dls_context_work(x, N);
  double *r = dls_context_work(x, N), rcond = 0;
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  fill(s, f->K, r);
  dls_status status = dls_solve(f->size, 1, f->K, r, f->y, &rcond);
  if (status == DLS_OK && rcond > solved_roundings * x->basic.noise) f->known = DLS_FORCES_POINT;
  else if (status == DLS_OK && f->size <= LONGEST && may_be_line(s)) status = find_line(s, f, r);
  return status == DLS_ERR_NUMBER ? DLS_OK : status;
}

void dls_stick_forces_point(const dls_stick *s, const double *y, dls_point *point)
{
  const dls_polyhedra *c = s->polyhedra;
  dls_copy(point->z, y, c->n);
  for (int j = 0; j < c->m; j++) {
    point->lambda[j] = y[c->n + j];
    for (int k = c->first[j]; k < c->first[j + 1]; k++)
      point->tau[k] = s->slip_row[k] >= 0                ? y[dls_stick_tau(s, k)]
                      : c->touch[j] == DLS_TOUCH_SLIDING ? -c->mu_s[j] * c->xi[k] * point->lambda[j]
                                                         : 0;
  }
}

// K^T w = l: by LU, or by the singular vectors with one correction.
static dls_status solve_transposed(const dls_stick_forces *f, const double *l, double *w)
{
  const ptrdiff_t N = f->size;
  double *T = dls_alloc(N * N, sizeof *T), rcond = 0;
  if (!T) return DLS_ERR_MEMORY;
  dls_status status = DLS_OK;
  if (f->known == DLS_FORCES_POINT) {
    for (ptrdiff_t j = 0; j < N; j++)
      for (ptrdiff_t i = 0; i < N; i++) T[i + N * j] = f->K[j + N * i];
    status = dls_solve(f->size, 1, T, l, w, &rcond);
  } else {
    for (int pass = 0; pass < 2; pass++) {
      for (ptrdiff_t j = 0; j < N; j++) {
        long double sum = l[j];
        for (ptrdiff_t i = 0; i < N; i++) sum -= (long double)f->K[i + N * j] * w[i];
        T[j] = (double)sum;
      }
      for (ptrdiff_t k = 0; k + 1 < N; k++) {
        const double along = dls_dot(f->size, f->V + N * k, T) / f->S[k];
        for (ptrdiff_t i = 0; i < N; i++) w[i] += along * f->U[i + N * k];
      }
    }
  }
  free(T);
  return status;
}

// A combination l^T y that the modes make >= 0 and the equations negative.          eq (stk.2)
dls_status dls_stick_forces_prove(dls_stick *s, const dls_stick_forces *f, const double *l,
                                  const unsigned char *mode, double *margin)
{
  const dls_polyhedra *c = s->polyhedra;
  double *w = dls_alloc(f->size, sizeof *w);
  *margin = 0;
  if (!w) return DLS_ERR_MEMORY;
  dls_status status = solve_transposed(f, l, w);
  for (int i = 0; i < c->n; i++) s->proof.d[i] = -w[i];
  for (int j = 0; j < c->m; j++) s->proof.alpha[j] = -w[c->n + j];
  for (int k = 0; k < c->tangents; k++)
    s->proof.sigma[k] = s->slip_row[k] < 0 ? 0 : -w[dls_stick_tau(s, k)];
  free(w);
  if (status == DLS_OK) status = dls_stick_prove(s, mode, margin);
  return status == DLS_ERR_NUMBER ? DLS_OK : status;
}

// Contact j cannot carry its force: one leaf, or one for each sign of a bilateral force.
static dls_status prove_contact(dls_stick *s, const dls_stick_forces *f, int j, bool *proven)
{
  const dls_polyhedra *c = s->polyhedra;
  const bool both = dls_polyhedra_bilateral(c, j) && c->mu_s[j] > 0;
  double *l = dls_alloc(f->size, sizeof *l), size = 0, weakest = INFINITY;
  unsigned char *mode = dls_alloc(c->m, 1);
  dls_status status = l && mode ? DLS_OK : DLS_ERR_MEMORY;
  for (int i = 0; i < c->m && status == DLS_OK; i++) mode[i] = (unsigned char)dls_stick_mode(s, i);
  const int tangents = s->held[j] ? dls_polyhedra_tangents(c, j) : 0, first = c->first[j];
  const double lambda = f->y[c->n + j], unit = fmax(1, c->mu_s[j]);
  for (int k = 0; k < tangents; k++) size = hypot(size, f->y[dls_stick_tau(s, first + k)]);
  // a pushing contact that pulls needs no friction to be impossible; nothing else is, without bound
  const bool pulls =
      !dls_polyhedra_bilateral(c, j) &&
      (tangents == 0 || s->unlimited || lambda <= (c->mu_s[j] * lambda - size) / unit);
  s->leaves = 0;
  for (int k = 0; k < (both ? 2 : 1) && status == DLS_OK; k++) {
    double margin = 0;
    if (both) mode[j] = (unsigned char)(DLS_MODE_STICK | (k ? DLS_MODE_PULLING : 0));
    l[c->n + j] = pulls ? 1 : (k ? -1 : 1) * c->mu_s[j] / unit;
    for (int i = 0; i < tangents && !pulls; i++) {
      const int at = dls_stick_tau(s, first + i);
      l[at] = size > 0 ? -f->y[at] / size / unit : 0;
    }
    status = dls_stick_forces_prove(s, f, l, mode, &margin);
    weakest = fmin(weakest, margin);
  }
  free(l), free(mode);
  *proven = status == DLS_OK && weakest > s->least_margin;
  if (*proven) s->margin = weakest;
  return status;
}

dls_status dls_stick_direct(dls_stick *s, const dls_stick_forces *f, dls_stick_outcome *outcome)
{
  double slack = 0;
  int worst = -1;
  bool proven = false;
  *outcome = DLS_STICK_AMBIGUOUS;
  if (f->known == DLS_FORCES_LINE) return dls_stick_line(s, f, outcome);
  dls_stick_forces_point(s, f->y, &s->point);
  if (dls_stick_fault(s, NULL, &s->point, &slack, &worst) <= s->polyhedra->margin) {
    *outcome = DLS_STICK_YES;
    s->margin = fmax(slack, 0);
    return DLS_OK;
  }
  if (worst < 0) return DLS_OK;
  const dls_status status = prove_contact(s, f, worst, &proven);
  if (proven) *outcome = DLS_STICK_NO;
  return status;
}
