#include "problem_oracle.h"
#include "cone.h"
#include <math.h>
#include <string.h>

static cone_rays rays;

// x = (lambda_b free, lambda_u >= 0): G x = 0. `use` picks the unilateral ones, `pressed` those
// without a sign; NULL: all, none.
static cone multiplier_cone(const maker *p, const bool *use, const bool *pressed)
{
  cone c = {.rows = p->n};
  for (int j = 0; j < p->m_b; j++, c.cols++)
    for (int i = 0; i < p->n; i++) c.A[i][c.cols] = p->G_b[i + j * p->n];
  for (int j = 0; j < p->m_u; j++) {
    if (use != NULL && !use[j]) continue;
    for (int i = 0; i < p->n; i++) c.A[i][c.cols] = p->G_u[i + j * p->n];
    c.nonnegative[c.cols++] = pressed == NULL || !pressed[j];
  }
  return c;
}

// x = (d, s): B d = 0, G_b^T d = 0, G_u^T d = s >= 0 for the constraints in use; F^T d = 0 when
// asked.
static cone massless_cone(const maker *p, const bool *use, bool balanced)
{
  cone c = {.cols = p->n};
  for (int k = 0; k < p->mass_rows; k++, c.rows++)
    for (int i = 0; i < p->n; i++) c.A[c.rows][i] = p->B[i + k * p->n];
  for (int j = 0; j < p->m_b; j++, c.rows++)
    for (int i = 0; i < p->n; i++) c.A[c.rows][i] = p->G_b[i + j * p->n];
  for (int j = 0; j < p->m_u; j++) {
    if (use != NULL && !use[j]) continue;
    for (int i = 0; i < p->n; i++) c.A[c.rows][i] = p->G_u[i + j * p->n];
    c.nonnegative[c.cols] = true;
    c.A[c.rows++][c.cols++] = -1;
  }
  if (balanced) {
    for (int i = 0; i < p->n; i++) c.A[c.rows][i] = p->F[i];
    c.rows++;
  }
  return c;
}

bool oracle_without_solution(maker *p)
{
  cone c = multiplier_cone(p, NULL, NULL);
  double cost[CONE_COLS] = {0};
  if (!cone_enumerate(&c, &rays)) return false;
  memcpy(cost, p->b_b, (size_t)p->m_b * sizeof *cost);
  memcpy(cost + p->m_b, p->b_u, (size_t)p->m_u * sizeof *cost);
  bool contradiction = cone_descends(&rays, c.cols, cost);
  p->answer[DLS_MFCQ] = rays.rays == 0 ? DLS_YES : DLS_NO;

  c = massless_cone(p, NULL, false);
  if (!cone_enumerate(&c, &rays)) return false;
  memset(cost, 0, sizeof cost);
  memcpy(cost, p->F, (size_t)p->n * sizeof *cost);
  bool pushed = cone_descends(&rays, c.cols, cost);
  bool exists = !contradiction && !pushed;
  p->answer[DLS_ACCELERATION_EXISTS] = exists ? DLS_YES : DLS_NO;
  if (!exists) p->answer[DLS_ACCELERATION_UNIQUE] = p->answer[DLS_FORCES_UNIQUE] = DLS_NO;
  return true;
}

// Sorts the contacts at a solution; false when a number is neither clearly zero nor clearly not.
static bool sort_contacts(const maker *p, const double *z, const double *lambda_u, bool *active,
                          bool *loaded)
{
  for (int j = 0; j < p->m_u; j++) {
    double a = p->b_u[j];
    for (int i = 0; i < p->n; i++) a += p->G_u[i + j * p->n] * z[i];
    if (fabs(a) > 1e-8 && fabs(a) < 1e-5) return false;
    if (fabs(lambda_u[j]) > 1e-8 && fabs(lambda_u[j]) < 1e-5) return false;
    active[j] = fabs(a) <= 1e-8;
    loaded[j] = lambda_u[j] > 1e-5;
  }
  return true;
}

bool oracle_with_solution(maker *p, const double *z, const double *lambda_u)
{
  bool active[MAKER_M], loaded[MAKER_M];
  if (!sort_contacts(p, z, lambda_u, active, loaded)) return false;
  cone c = massless_cone(p, active, true);
  if (!cone_enumerate(&c, &rays)) return false;
  p->answer[DLS_ACCELERATION_UNIQUE] = rays.lines + rays.rays == 0 ? DLS_YES : DLS_NO;
  c = multiplier_cone(p, active, loaded);
  if (!cone_enumerate(&c, &rays)) return false;
  p->answer[DLS_FORCES_UNIQUE] = rays.lines + rays.rays == 0 ? DLS_YES : DLS_NO;
  return true;
}

// Optimality of lambda in the polyhedron spanned by lines, rays (t = 0) and vertices (t > 0):
// lambda^T line = 0, lambda^T ray >= 0, lambda^T (vertex - lambda) >= 0.
static bool is_least(int m, int t, const double *lambda)
{
  double norm = 0;
  for (int j = 0; j < m; j++) norm += lambda[j] * lambda[j];
  for (int k = 0; k < rays.lines; k++) {
    double dot = 0, size = 0;
    for (int j = 0; j < m; j++) dot += lambda[j] * rays.line[k][j];
    for (int j = 0; j < m; j++) size += fabs(rays.line[k][j]);
    if (!(fabs(dot) <= 1e-9 * size * sqrt(norm))) return false;
  }
  for (int k = 0; k < rays.rays; k++) {
    double dot = 0, size = 0, w = rays.ray[k][t] > 0 ? rays.ray[k][t] : 1;
    for (int j = 0; j < m; j++) dot += lambda[j] * rays.ray[k][j] / w;
    for (int j = 0; j < m; j++) size += fabs(rays.ray[k][j]) / w;
    if (rays.ray[k][t] > 0) dot -= norm;
    if (!(dot >= -1e-9 * (size * sqrt(norm) + norm))) return false;
  }
  return true;
}

bool oracle_intervals(maker *p, const double *lambda_b, const double *lambda_u, bool *least)
{
  bool active[MAKER_M], loaded[MAKER_M];
  if (!sort_contacts(p, p->z, p->lambda_u, active, loaded)) return false;
  cone c = multiplier_cone(p, active, NULL);
  int t = c.cols++;
  c.nonnegative[t] = true;
  for (int i = 0; i < p->n; i++) {
    for (int j = 0; j < p->m_b; j++) c.A[i][t] -= p->G_b[i + j * p->n] * p->lambda_b[j];
    for (int j = 0; j < p->m_u; j++) c.A[i][t] -= p->G_u[i + j * p->n] * p->lambda_u[j];
  }
  if (!cone_enumerate(&c, &rays)) return false;
  double low[CONE_COLS], high[CONE_COLS], lambda[CONE_COLS];
  for (int j = 0; j < c.cols; j++) low[j] = INFINITY, high[j] = -INFINITY;
  for (int j = 0; j < t; j++) {
    for (int k = 0; k < rays.rays; k++) {
      double w = rays.ray[k][t], x = rays.ray[k][j];
      if (w > 0) low[j] = fmin(low[j], x / w), high[j] = fmax(high[j], x / w);
      if (w == 0 && x > 0) high[j] = INFINITY;
      if (w == 0 && x < 0) low[j] = -INFINITY;
    }
    for (int k = 0; k < rays.lines; k++)
      if (rays.line[k][j] != 0) low[j] = -INFINITY, high[j] = INFINITY;
  }
  int at = p->m_b;
  for (int j = 0; j < p->m_b; j++)
    p->low_b[j] = low[j], p->high_b[j] = high[j], lambda[j] = lambda_b[j];
  for (int j = 0; j < p->m_u; j++) {
    p->low_u[j] = p->high_u[j] = 0;
    if (!active[j]) continue;
    p->low_u[j] = low[at], p->high_u[j] = high[at], lambda[at++] = lambda_u[j];
  }
  p->has_intervals = p->has_intervals_b = true;
  *least = is_least(t, t, lambda);
  return true;
}

// ---- active sets one by one

enum { BRUTE = 32 };

static bool solve(int n, long double A[BRUTE][BRUTE + 1])
{
  for (int t = 0; t < n; t++) {
    int p = t;
    for (int i = t; i < n; i++)
      if (fabsl(A[i][t]) > fabsl(A[p][t])) p = i;
    if (fabsl(A[p][t]) < 1e-12L) return false;
    for (int k = 0; k <= n; k++) {
      long double x = A[t][k];
      A[t][k] = A[p][k], A[p][k] = x;
    }
    for (int i = 0; i < n; i++) {
      long double f = i == t ? 0 : A[i][t] / A[t][t];
      for (int k = t; k <= n && f != 0; k++) A[i][k] -= f * A[t][k];
    }
  }
  for (int i = 0; i < n; i++) A[i][n] /= A[i][i];
  return true;
}

static bool try_set(const maker *p, unsigned set, double *z)
{
  static long double A[BRUTE][BRUTE + 1];
  int n = p->n, size = n;
  memset(A, 0, sizeof A);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) A[i][j] = p->M[i + j * n];
  for (int j = 0; j < p->m_b + p->m_u; j++) {
    bool bilateral = j < p->m_b;
    if (!bilateral && !(set >> (j - p->m_b) & 1)) continue;
    const double *g = bilateral ? p->G_b + j * n : p->G_u + (j - p->m_b) * n;
    for (int i = 0; i < n; i++) A[size][i] = g[i], A[i][size] = -g[i];
    size++;
  }
  // the right-hand side goes behind the last unknown
  int at = n;
  for (int i = 0; i < n; i++) A[i][size] = -p->F[i];
  for (int j = 0; j < p->m_b; j++) A[at++][size] = -p->b_b[j];
  for (int j = 0; j < p->m_u; j++)
    if (set >> j & 1) A[at++][size] = -p->b_u[j];
  if (!solve(size, A)) return false;
  for (int k = n + p->m_b; k < size; k++)
    if (A[k][size] < -1e-11L) return false;
  for (int j = 0; j < p->m_u; j++) {
    long double a = p->b_u[j];
    for (int i = 0; i < n; i++) a += p->G_u[i + j * n] * A[i][size];
    if (a < -1e-11L) return false;
  }
  for (int i = 0; i < n; i++) z[i] = (double)A[i][size];
  return true;
}

bool brute_force(const maker *p, double *z)
{
  for (unsigned set = 0; set < 1u << p->m_u; set++)
    if (__builtin_popcount(set) + p->m_b <= p->n && try_set(p, set, z)) return true;
  return false;
}
