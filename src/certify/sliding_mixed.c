// With K = A_nb^-1 A_tb, R = (I - mu K)^-1 and the blocks of A_n and A_t                eq (sli.6)
//
//   M_ub^mu = W_0 - mu W_1 + U R V,   U = U_0 - mu U_1,   V = V_0 - mu V_1
//   W_0 = [-I 0; -2 C_0 D_0],  W_1 = [0 0; 0 D_1],  U_0 = [I; C_0],  U_1 = [0; C_1],
//   V_0 = [2 I  -A_nb^-1 B_0],  V_1 = [0  -A_nb^-1 B_1]
//
// where A_n = [A_nb B_0; C_0 D_0] and A_t = [A_tb B_1; C_1 D_1]. With Q = R K, for any step h
//
//   M^(mu+h) = M^mu + h X + E,   X = -W_1 + U Q R V - U_1 R V - U R V_1,
//   |E| <= h^2 (|U_1 R V_1| + |U_1 Q R V| + |U Q R V_1| + h |U_1 Q R V_1|
//               + (|U| + h |U_1|) |Q|^2 |R| (|V| + h |V_1|) / (1 - h |Q|))
//
// so that |M^(mu+h) - M^0| < 1/beta_2 is proven on whole steps: |P + h X| is convex in h. The steps
// end at the first crossing and never jump over one.
#include "certify/sliding_mixed.h"

#include "base/memory.h"
#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Relative width at which the search for the best split ends, and the step at which that for the
// coefficient does: any split and any smaller coefficient gives a bound.
static const double split_width = 1e-4, last_step = 1e-14;

// The largest split, of the one at which the bound is lost.
static const double largest_split = 0.9;

enum { LARGEST = DLS_SLIDING_MIXED_LARGEST, STEPS = 300 };

typedef double block[LARGEST * LARGEST];

typedef struct mixed {
  int b, u, m;
  block K, C_0, C_1, D_0, D_1, b_0, b_1;  // b_k = A_nb^-1 B_k
  block M_0;
  block R, U, V, UR, P, X, work, other;
  double q, r, u_norm, v_norm, u1_norm, v1_norm;  // norms of Q, R, U, V, U_1, V_1
  double second, third;                           // of the other terms of E
} mixed;

// ---- singular values of small matrices ---------------------------------------------------------

static dls_status extreme_singular(int n, const double *A, double *least, double *largest)
{
  double s[LARGEST];
  dls_status status = DLS_OK;
  if (n == 1) {
    s[0] = fabs(A[0]);
  } else if (n == 2) {
    const double scale = dls_norm_max(4, A);
    if (scale == 0) {
      s[0] = s[1] = 0;
    } else {
      const double a = A[0] / scale, b = A[1] / scale, c = A[2] / scale, d = A[3] / scale;
      // |.|_F^2 -+ 2 det are the squares of sigma_1 -+ sigma_2
      const double sum = hypot(a + d, b - c), difference = hypot(a - d, b + c);
      s[0] = scale * (sum + difference) / 2;
      s[1] = scale * fabs(sum - difference) / 2;
    }
  } else {
    status = dls_svd(n, n, A, NULL, s, NULL);
  }
  if (status == DLS_OK && least) *least = s[n - 1];
  if (status == DLS_OK && largest) *largest = s[0];
  return status;
}

// ---- beta_2 ------------------------------------------------------------------------------------

// The largest |M_aa^-1| over all sets a, from above.                                   eq (sli.5)
static dls_status beta(const mixed *w, double error, double *value)
{
  double largest = 0;
  block part;
  for (unsigned set = 1; set < 1u << w->m; set++) {
    int index[LARGEST], n = 0;
    double least;
    for (int j = 0; j < w->m; j++)
      if (set >> j & 1) index[n++] = j;
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) part[i + n * j] = w->M_0[index[i] + w->m * index[j]];
    const dls_status status = extreme_singular(n, part, &least, NULL);
    if (status != DLS_OK) return status;
    least -= error;
    if (!(least > 0)) {
      *value = INFINITY;
      return DLS_OK;
    }
    largest = fmax(largest, 1 / least);
  }
  *value = largest * (1 + 4 * DBL_EPSILON);
  return DLS_OK;
}

// ---- the matrices ------------------------------------------------------------------------------

static void copy_block(const double *A, int m, int row, int col, int rows, int cols, double *out)
{
  for (int j = 0; j < cols; j++)
    for (int i = 0; i < rows; i++) out[i + rows * j] = A[row + i + m * (col + j)];
}

static dls_status split(mixed *w, const dls_sliding *s, const double *A_t, double *rcond)
{
  const int b = w->b, u = w->u, m = w->m;
  block A, B;
  copy_block(s->A_n, m, 0, 0, b, b, A);
  copy_block(A_t, m, 0, 0, b, b, B);
  dls_status status = dls_solve(b, b, A, B, w->K, rcond);
  copy_block(s->A_n, m, 0, b, b, u, B);
  if (status == DLS_OK && *rcond > 0) status = dls_solve(b, u, A, B, w->b_0, rcond);
  copy_block(A_t, m, 0, b, b, u, B);
  if (status == DLS_OK && *rcond > 0) status = dls_solve(b, u, A, B, w->b_1, rcond);
  copy_block(s->A_n, m, b, 0, u, b, w->C_0), copy_block(A_t, m, b, 0, u, b, w->C_1);
  copy_block(s->A_n, m, b, b, u, u, w->D_0), copy_block(A_t, m, b, b, u, u, w->D_1);
  return status;
}

// U (m x b) and V (b x m) at mu; with the factors 0 and 1 also U_1 and V_1.
static void factors(const mixed *w, double zeroth, double first, double *U, double *V)
{
  const int b = w->b, u = w->u, m = w->m;
  for (int j = 0; j < b; j++) {
    for (int i = 0; i < b; i++) U[i + m * j] = i == j ? zeroth : 0;
    for (int i = 0; i < u; i++)
      U[b + i + m * j] = zeroth * w->C_0[i + u * j] + first * w->C_1[i + u * j];
    for (int i = 0; i < b; i++) V[i + b * j] = i == j ? 2 * zeroth : 0;
  }
  for (int j = 0; j < u; j++)
    for (int i = 0; i < b; i++)
      V[i + b * (b + j)] = -zeroth * w->b_0[i + b * j] - first * w->b_1[i + b * j];
}

static void product(int rows, int inner, int cols, double alpha, const double *A, const double *B,
                    double beta_, double *C)
{
  dls_gemm(false, false, rows, cols, inner, alpha, A, B, beta_, C);
}

// M_ub^mu into out, with R and the factors at mu.
static dls_status matrix_at(mixed *w, double mu, double *out)
{
  const int b = w->b, u = w->u, m = w->m;
  block A, I = {0};
  double rcond = 0;
  for (int j = 0; j < b; j++) {
    I[j * (b + 1)] = 1;
    for (int i = 0; i < b; i++) A[i + b * j] = (i == j) - mu * w->K[i + b * j];
  }
  const dls_status status = dls_solve(b, b, A, I, w->R, &rcond);
  if (status != DLS_OK) return status;
  if (!(rcond > 0)) return DLS_ERR_NUMBER;  // by rounding alone: steps have h |Q| < 1
  factors(w, 1, -mu, w->U, w->V);
  dls_clear(out, m * m);
  for (int j = 0; j < b; j++) {
    out[j * (m + 1)] = -1;
    for (int i = 0; i < u; i++) out[b + i + m * j] = -2 * w->C_0[i + u * j];
  }
  for (int j = 0; j < u; j++)
    for (int i = 0; i < u; i++)
      out[b + i + m * (b + j)] = w->D_0[i + u * j] - mu * w->D_1[i + u * j];
  product(m, b, b, 1, w->U, w->R, 0, w->UR);
  product(m, b, m, 1, w->UR, w->V, 1, out);
  return DLS_OK;
}

// P, X and the norms of E at mu.
static dls_status expand(mixed *w, double mu)
{
  const int b = w->b, u = w->u, m = w->m;
  const dls_status status = matrix_at(w, mu, w->P);
  if (status != DLS_OK) return status;
  for (int k = 0; k < m * m; k++) w->P[k] -= w->M_0[k];
  block U_1 = {0}, V_1 = {0}, Q, QR, RV, QRV, URK;
  factors(w, 0, 1, U_1, V_1);
  product(b, b, b, 1, w->R, w->K, 0, Q);
  product(b, b, b, 1, Q, w->R, 0, QR);
  product(b, b, m, 1, w->R, w->V, 0, RV);
  product(b, b, m, 1, QR, w->V, 0, QRV);
  memset(w->X, 0, sizeof w->X);
  for (int j = 0; j < u; j++)
    for (int i = 0; i < u; i++) w->X[b + i + m * (b + j)] = -w->D_1[i + u * j];
  product(m, b, m, 1, w->U, QRV, 1, w->X);
  product(m, b, m, -1, U_1, RV, 1, w->X);
  product(m, b, m, -1, w->UR, V_1, 1, w->X);

  product(m, b, b, 1, U_1, w->R, 0, w->other);
  product(m, b, m, 1, w->other, V_1, 0, w->work);
  w->second = dls_norm2(m * m, w->work);
  product(m, b, m, 1, U_1, QRV, 0, w->work);
  w->second += dls_norm2(m * m, w->work);
  product(m, b, b, 1, w->U, QR, 0, URK);
  product(m, b, m, 1, URK, V_1, 0, w->work);
  w->second += dls_norm2(m * m, w->work);
  product(m, b, b, 1, U_1, QR, 0, w->other);
  product(m, b, m, 1, w->other, V_1, 0, w->work);
  w->third = dls_norm2(m * m, w->work);
  w->q = dls_norm2(b * b, Q), w->r = dls_norm2(b * b, w->R);
  w->u_norm = dls_norm2(m * b, w->U), w->v_norm = dls_norm2(b * m, w->V);
  w->u1_norm = dls_norm2(m * b, U_1), w->v1_norm = dls_norm2(b * m, V_1);
  return DLS_OK;
}

// A bound of |M^(mu+h) - M^0|, for all steps up to h when it is below what is asked.
static dls_status bound(mixed *w, double h, double *value)
{
  for (int k = 0; k < w->m * w->m; k++) w->work[k] = w->P[k] + h * w->X[k];
  const dls_status status = extreme_singular(w->m, w->work, NULL, value);
  const double rest = w->second + h * w->third +
                      (w->u_norm + h * w->u1_norm) * w->q * w->q * w->r *
                          (w->v_norm + h * w->v1_norm) / (1 - h * w->q);
  *value += h * h * rest;
  return status;
}

// The largest step with a bound of at most c, up to a small part of it.
static dls_status step(mixed *w, double c, double room, double *out)
{
  double high = room, low = 0, value = 0;
  if (w->q > 0 && high > largest_split / w->q) high = largest_split / w->q;
  dls_status status = DLS_OK;
  if (isinf(high)) {
    // polynomial in mu, and not constant: some step is too long
    high = c / fmax(dls_norm2(w->m * w->m, w->X), DBL_MIN);
    for (int k = 0; k < 1000 && status == DLS_OK && value <= c && isfinite(high); k++) {
      status = bound(w, high, &value);
      if (value <= c) low = high, high *= 2;
    }
  } else {
    status = bound(w, high, &value);
    if (status == DLS_OK && value <= c) {
      *out = high;
      return DLS_OK;
    }
  }
  for (int k = 0; k < 60 && status == DLS_OK && high - low > split_width * high; k++) {
    const double middle = (low + high) / 2;
    status = bound(w, middle, &value);
    if (value <= c) low = middle;
    else high = middle;
    if (low == 0 && k > 50) break;
  }
  *out = low;
  return status;
}

// From 0 to the first crossing of |M^mu - M^0| = c, or to the limit.
static dls_status march(mixed *w, double c, double limit, double *value)
{
  double mu = 0;
  for (int k = 0; k < STEPS; k++) {
    double h = 0;
    dls_status status = expand(w, mu);
    if (status == DLS_ERR_NUMBER) break;
    if (status == DLS_OK) status = step(w, c, limit - mu, &h);
    if (status != DLS_OK) return status;
    if (!isfinite(mu + h)) {
      mu = INFINITY;
      break;
    }
    mu += h;
    if (!(h > last_step * mu)) break;
  }
  *value = mu * (1 - 4 * DBL_EPSILON);
  return DLS_OK;
}

static bool vanishes(const mixed *w, const double *A_t)
{
  return dls_norm_max(w->m * w->m, A_t) == 0;
}

dls_status dls_sliding_mixed(const dls_sliding *s, const double *A_t, double limit, double *beta_2,
                             double *value)
{
  mixed *w = dls_alloc(1, sizeof *w);
  if (!w) return DLS_ERR_MEMORY;
  w->b = s->m_b, w->u = s->m_u, w->m = s->m_b + s->m_u;
  *value = 0;
  double rcond = 0;
  dls_status status = split(w, s, A_t, &rcond);
  if (status == DLS_OK && rcond > 0) status = matrix_at(w, 0, w->M_0);
  if (status == DLS_OK && rcond > 0) {
    // what rounding may have done to M_ub^0, and to M_ub^mu on the way
    const double relative = 8 * (w->m + 1) * DBL_EPSILON / rcond;
    status = beta(w, relative * dls_norm2(w->m * w->m, w->M_0), beta_2);
    const double c = 1 / *beta_2 - relative * dls_norm2(w->m * w->m, w->M_0);
    if (status == DLS_OK && vanishes(w, A_t) && isfinite(*beta_2)) *value = INFINITY;
    else if (status == DLS_OK && c > 0) status = march(w, c, limit, value);
  }
  free(w);
  return status;
}
