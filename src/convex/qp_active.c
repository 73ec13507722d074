// The strictly convex core: least distance to a polyhedron, by a primal active-set method on the
// dual (in the manner of Lawson and Hanson).
//
//   min 1/2 |B x - a|^2 + f^T x,  x >= 0;    u = B x - a,  gradient = slack = B^T u + f
//
// x > 0 on the passive set P, whose columns are kept independent by B_P = Q R. Between two
// entries x is the minimum over P, so that only the entering column has a nonzero gradient. Each
// step is a strict descent, as all of P is positive: no set P returns.
#include "convex/qp_internal.h"

#include "base/memory.h"
#include "convex/tolerances.h"
#include "linalg/dense.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>

dls_status dls_qp_active_create(int n, int m, qp_active **out)
{
  *out = NULL;
  qp_active *w = dls_alloc(1, sizeof *w);
  if (!w) return DLS_ERR_MEMORY;
  ptrdiff_t N = n, M = m;
  w->n = n;
  w->m = m;
  w->norm = dls_alloc(M, sizeof(double));
  w->passive = dls_alloc(N + 1, sizeof(int));
  w->place = dls_alloc(M, sizeof(int));
  w->x = dls_alloc(M, sizeof(double));
  w->u = dls_alloc(N, sizeof(double));
  w->slack = dls_alloc(M, sizeof(double));
  w->ignored = dls_alloc(M, sizeof(bool));
  w->Q = dls_alloc(N * N, sizeof(double));
  w->R = dls_alloc(N * N, sizeof(double));
  w->z = dls_alloc(N + 1, sizeof(double));
  w->t = dls_alloc(N + 1, sizeof(double));
  w->d = dls_alloc(N + 1, sizeof(double));
  for (ptrdiff_t i = 0; i < M && w->place; i++) w->place[i] = -1;
  if (w->norm && w->passive && w->place && w->x && w->u && w->slack && w->ignored && w->Q && w->R &&
      w->z && w->t && w->d) {
    *out = w;
    return DLS_OK;
  }
  dls_qp_active_free(w);
  return DLS_ERR_MEMORY;
}

void dls_qp_active_free(qp_active *w)
{
  if (!w) return;
  free(w->norm);
  free(w->passive);
  free(w->place);
  free(w->x);
  free(w->u);
  free(w->slack);
  free(w->ignored);
  free(w->Q);
  free(w->R);
  free(w->z);
  free(w->t);
  free(w->d);
  free(w);
}

static const double *column(const qp_active *w, int i)
{
  return w->B + (ptrdiff_t)i * w->n;
}

// ---- Q R of the passive columns -----------------------------------------------------------------

// Solves R z = b or R^T z = b in place.
static void triangle(const qp_active *w, bool transpose, double *b)
{
  if (w->count > 0)
    cblas_dtrsv(CblasColMajor, CblasUpper, transpose ? CblasTrans : CblasNoTrans, CblasNonUnit,
                w->count, w->R, w->n, b, 1);
}

// Orthogonalises column i twice against Q: t = Q^T b_i, and the rest in column `count` of Q (not
// normalised). Returns the length of the rest, 0 when b_i depends on the passive columns; d then
// holds R^-1 t, the coefficients.
static double project(qp_active *w, int i)
{
  ptrdiff_t n = w->n;
  int p = w->count;
  const double *b = column(w, i);
  dls_clear(w->t, p + 1);
  double *q = p < w->n ? w->Q + p * n : w->z;  // no room when P spans everything
  dls_copy(q, b, n);
  for (int pass = 0; pass < 2 && p > 0; pass++) {
    dls_gemv(true, w->n, p, 1, w->Q, q, 0, w->d);
    dls_gemv(false, w->n, p, -1, w->Q, w->d, 1, q);
    for (int k = 0; k < p; k++) w->t[k] += w->d[k];
  }
  double rest = dls_norm2(w->n, q), terms = w->norm[i];
  dls_copy(w->d, w->t, p);
  triangle(w, false, w->d);
  for (int k = 0; k < p; k++) terms += fabs(w->d[k]) * w->norm[w->passive[k]];
  // negated: NaN counts as dependent
  return p < w->n && rest > dependent_column * terms ? rest : 0;
}

// Appends column i, just projected with the given rest.
static void append(qp_active *w, int i, double rest)
{
  ptrdiff_t n = w->n;
  int p = w->count;
  double *q = w->Q + p * n, *r = w->R + p * n;
  for (ptrdiff_t k = 0; k < n; k++) q[k] /= rest;
  dls_copy(r, w->t, p);
  r[p] = rest;
  w->passive[p] = i;
  w->place[i] = p;
  w->count++;
}

// Removes the passive index at the given place: shifts the columns of R and restores the triangle
// by rotations, applied to Q as well.
static void drop(qp_active *w, int place)
{
  ptrdiff_t n = w->n;
  int p = w->count;
  w->place[w->passive[place]] = -1;
  for (int k = place; k + 1 < p; k++) {
    w->passive[k] = w->passive[k + 1];
    w->place[w->passive[k]] = k;
    dls_copy(w->R + (ptrdiff_t)k * n, w->R + (ptrdiff_t)(k + 1) * n, k + 2);
  }
  w->count = --p;
  for (int k = place; k < p; k++) {
    double *r = w->R + k * n, c, s;
    cblas_drotg(&r[k], &r[k + 1], &c, &s);
    r[k + 1] = 0;
    if (k + 1 < p)
      cblas_drot(p - k - 1, w->R + (k + 1) * n + k, w->n, w->R + (k + 1) * n + k + 1, w->n, c, s);
    cblas_drot(w->n, w->Q + k * n, 1, w->Q + (k + 1) * n, 1, c, s);
  }
}

// ---- steps --------------------------------------------------------------------------------------

// z: the minimum over the passive set, R z = Q^T a - R^-T f_P.
static void passive_minimum(qp_active *w)
{
  for (int k = 0; k < w->count; k++) w->z[k] = w->f[w->passive[k]];
  triangle(w, true, w->z);
  dls_gemv(true, w->n, w->count, 1, w->Q, w->a, -1, w->z);
  triangle(w, false, w->z);
}

// Moves x to z as far as x >= 0 allows and drops what blocks, until x is the minimum over P.
static void descend(qp_active *w)
{
  for (;;) {
    passive_minimum(w);
    double step = 1;
    int block = -1;
    for (int k = 0; k < w->count; k++) {
      double x = w->x[w->passive[k]];
      if (w->z[k] > 0) continue;
      double ratio = x > 0 ? x / (x - w->z[k]) : 0;
      if (block < 0 || ratio < step) step = ratio, block = k;
    }
    for (int k = 0; k < w->count; k++) {
      double *x = &w->x[w->passive[k]];
      *x = block < 0 ? w->z[k] : *x + step * (w->z[k] - *x);
    }
    if (block < 0) return;
    w->x[w->passive[block]] = 0;
    drop(w, block);
    w->iterations++;
  }
}

static void update_slack(qp_active *w)
{
  for (int k = 0; k < w->n; k++) w->u[k] = -w->a[k];
  for (int k = 0; k < w->count; k++)
    cblas_daxpy(w->n, w->x[w->passive[k]], column(w, w->passive[k]), 1, w->u, 1);
  if (w->m > 0) dls_copy(w->slack, w->f, w->m);
  dls_gemv(true, w->n, w->m, 1, w->B, w->u, 1, w->slack);
}

// The most violated row relative to its length, beyond what rounding explains; -1 when none.
static int entering(const qp_active *w)
{
  double size = dls_norm2(w->n, w->a), worst = 0;
  for (int k = 0; k < w->count; k++)
    size = fmax(size, w->x[w->passive[k]] * w->norm[w->passive[k]]);
  int best = -1;
  for (int i = 0; i < w->m; i++) {
    if (w->place[i] >= 0 || w->ignored[i] || !(w->norm[i] > 0)) continue;
    double noise = slack_rounding * (size * w->norm[i] + fabs(w->f[i]));
    double depth = w->slack[i] / w->norm[i];
    if (w->slack[i] < -noise && depth < worst) worst = depth, best = i;
  }
  return best;
}

// Column i depends on P: b_i = B_P d. Along (1 on i, -d on P) the columns cancel and the objective
// falls at the rate slack_i < 0, until some passive index reaches zero. Returns false when none
// does: the direction itself, left in x, proves infeasibility.
static bool exchange(qp_active *w, int i)
{
  double step = INFINITY;
  int block = -1;
  double largest = 0;
  for (int k = 0; k < w->count; k++) largest = fmax(largest, fabs(w->d[k]));
  for (int k = 0; k < w->count; k++) {
    double rate = w->d[k];
    if (!(rate > vanishing_rate * (1 + largest))) continue;
    double ratio = w->x[w->passive[k]] / rate;
    if (ratio < step) step = ratio, block = k;
  }
  if (block < 0) {
    dls_clear(w->x, w->m);
    for (int k = 0; k < w->count; k++) w->x[w->passive[k]] = w->d[k] < 0 ? -w->d[k] : 0;
    w->x[i] = 1;
    return false;
  }
  for (int k = 0; k < w->count; k++) {
    double *x = &w->x[w->passive[k]];
    *x -= step * w->d[k];
    if (*x < 0) *x = 0;
  }
  w->x[w->passive[block]] = 0;
  w->x[i] = step;
  drop(w, block);
  return true;
}

// Rebuilds P from the last one for new data: independent columns with a positive minimum.
static void restart(qp_active *w)
{
  int last = w->count, kept = 0;
  for (int k = 0; k < last; k++) w->place[w->passive[k]] = -1;
  w->count = 0;
  dls_clear(w->x, w->m);
  for (int k = 0; k < last; k++) {
    int i = w->passive[k];  // count <= k: not yet overwritten
    double rest = w->norm[i] > 0 ? project(w, i) : 0;
    if (rest > 0) append(w, i, rest);
  }
  while (w->count > 0 && kept < w->count) {
    passive_minimum(w);
    int worst = 0;
    for (int k = 1; k < w->count; k++)
      if (w->z[k] < w->z[worst]) worst = k;
    if (w->z[worst] > 0) kept = w->count;
    else drop(w, worst);
  }
  for (int k = 0; k < w->count; k++) w->x[w->passive[k]] = w->z[k];
}

qp_active_outcome dls_qp_active_solve(qp_active *w)
{
  for (int i = 0; i < w->m; i++) {
    w->norm[i] = dls_norm2(w->n, column(w, i));
    w->ignored[i] = false;
  }
  restart(w);
  w->iterations = 0;
  for (;;) {
    update_slack(w);
    int i = entering(w);
    if (i < 0) return QP_DONE;
    if (w->iterations++ >= w->limit) return QP_STUCK;
    double rest = project(w, i);
    if (rest == 0) {
      if (!exchange(w, i)) return QP_INFEASIBLE;
      rest = project(w, i);
      if (rest == 0) {  // still dependent: its multiplier is given up
        w->x[i] = 0;
        w->ignored[i] = true;
        descend(w);
        continue;
      }
    }
    append(w, i, rest);
    descend(w);
    // an index that left at once entered by rounding: leave it alone until something else moves
    if (w->place[i] < 0) w->ignored[i] = true;
    else
      for (int k = 0; k < w->m; k++) w->ignored[k] = false;
  }
}

void dls_qp_active_copy(qp_active *w, const qp_active *from)
{
  for (int k = 0; k < w->count; k++) w->place[w->passive[k]] = -1;
  w->count = 0;
  for (int k = 0; k < from->count; k++) {
    int i = from->passive[k];
    w->norm[i] = dls_norm2(w->n, column(w, i));
    double rest = w->norm[i] > 0 ? project(w, i) : 0;
    if (rest > 0) append(w, i, rest);
  }
}

void dls_qp_active_kkt(qp_active *w, const double *g, const double *h, double *z, double *u)
{
  // B_P^T (B_P z - g) = -h
  dls_copy(w->z, h, w->count);
  triangle(w, true, w->z);
  dls_gemv(true, w->n, w->count, 1, w->Q, g, -1, w->z);
  triangle(w, false, w->z);
  for (int k = 0; k < w->n; k++) u[k] = -g[k];
  for (int k = 0; k < w->count; k++) {
    z[k] = w->z[k];
    cblas_daxpy(w->n, z[k], column(w, w->passive[k]), 1, u, 1);
  }
}
