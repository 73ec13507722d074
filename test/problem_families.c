// Random problems around a drawn solution, contradiction, push or direction.
#include "problem_maker.h"
#include <stdio.h>
#include <string.h>

static void draw(rng *r, double *A, int count, int size, double density)
{
  for (int i = 0; i < count; i++) A[i] = rng_chance(r, density) ? rng_int(r, -size, size) : 0;
}

// Copies, opposites and sums among the columns: redundancy that is exact.
static void draw_gradients(rng *r, double *G, int n, int m)
{
  draw(r, G, n * m, 2, 0.3 + 0.7 * (n < 6));
  for (int j = 1; j < m; j++) {
    int kind = rng_int(r, 0, 9), k = rng_int(r, 0, j - 1), l = rng_int(r, 0, j - 1);
    for (int i = 0; i < n; i++) {
      double *x = G + i + j * n;
      if (kind == 0) *x = G[i + k * n];
      if (kind == 1) *x = -G[i + k * n];
      if (kind == 2) *x = G[i + k * n] + G[i + l * n];
    }
  }
}

// Rank of some of the matrices side by side; the bits of `which` are B, G_b, G_u; `use` picks
// columns of G_u (NULL: all).
static int rank_of(const maker *p, int which, const bool *use)
{
  static double A[MAKER_N * (MAKER_N + 2 * MAKER_M)];
  int n = p->n, cols = 0;
  size_t column = (size_t)n * sizeof *A;
  for (int k = 0; which & 1 && k < p->mass_rows; k++) memcpy(A + n * cols++, p->B + k * n, column);
  for (int k = 0; which & 2 && k < p->m_b; k++) memcpy(A + n * cols++, p->G_b + k * n, column);
  for (int k = 0; which & 4 && k < p->m_u; k++)
    if (use == NULL || use[k]) memcpy(A + n * cols++, p->G_u + k * n, column);
  return integer_rank(n, cols, A);
}

static dls_answer yes_if(bool x)
{
  return x ? DLS_YES : DLS_NO;
}

static void know_ranks(maker *p)
{
  static double A[(MAKER_N + 1) * MAKER_M];
  int n = p->n;
  for (int q = 0; q < MADE_QUESTIONS; q++) p->answer[q] = ANSWER_UNKNOWN;
  p->mass_rank = rank_of(p, 1, NULL);
  p->bilateral_rank = rank_of(p, 2, NULL);
  p->constraint_rank = rank_of(p, 6, NULL);
  p->kernel_definite = rank_of(p, 3, NULL) == n;
  for (int j = 0; j < p->m_b; j++) {
    for (int i = 0; i < n; i++) A[i + j * (n + 1)] = p->G_b[i + j * n];
    A[n + j * (n + 1)] = p->b_b[j];
  }
  p->answer[DLS_MASS_DEFINITE] = yes_if(p->mass_rank == n);
  p->answer[DLS_CONSTRAINTS_INDEPENDENT] = yes_if(p->constraint_rank == p->m_b + p->m_u);
  p->answer[DLS_CONSTRAINTS_COMPATIBLE] =
      yes_if(integer_rank(n + 1, p->m_b, A) == p->bilateral_rank);
  p->answer[DLS_DELASSUS_DEFINITE] = yes_if(p->constraint_rank == p->bilateral_rank + p->m_u);
  if (p->answer[DLS_DELASSUS_DEFINITE] == DLS_YES) p->answer[DLS_MFCQ] = DLS_YES;
}

static void set_mass(maker *p)
{
  int n = p->n;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < p->mass_rows; k++) sum += p->B[i + k * n] * p->B[j + k * n];
      p->M[i + j * n] = sum;
    }
  }
}

static void start(maker *p, rng *r, int n, int m_b, int m_u, int rank, const char *name)
{
  *p = (maker){.n = n, .m_b = m_b, .m_u = m_u, .mass_rows = rank};
  (void)snprintf(p->name, sizeof p->name, "%s", name);
  draw(r, p->B, n * rank, 1, 0.7);
  // on the diagonal 2 or 3, so that the rank is often what is asked for
  for (int k = 0; k < rank; k++) p->B[k % n + k * n] = rng_int(r, 2, 3);
  draw_gradients(r, p->G_b, n, m_b);
  draw_gradients(r, p->G_u, n, m_u);
}

static double column_dot(const double *G, int n, int j, const double *z)
{
  double sum = 0;
  for (int i = 0; i < n; i++) sum += G[i + j * n] * z[i];
  return sum;
}

// Draws z and multipliers, with a share of contacts that are closed without force, and builds b;
// F too when asked.
static void draw_solution(maker *p, rng *r, bool force, bool *active, bool *loaded)
{
  int n = p->n;
  draw(r, p->z, n, 2, 0.8);
  draw(r, p->lambda_b, p->m_b, 2, 0.8);
  double slack_share = 0.5 * (1 + rng_real(r)), zero_share = rng_chance(r, 0.5) ? 0.4 : 0;
  for (int j = 0; j < p->m_u; j++) {
    active[j] = !rng_chance(r, slack_share);
    loaded[j] = active[j] && !rng_chance(r, zero_share);
    p->lambda_u[j] = loaded[j] ? rng_int(r, 1, 3) : 0;
    p->b_u[j] = -column_dot(p->G_u, n, j, p->z) + (active[j] ? 0 : rng_int(r, 1, 3));
  }
  for (int j = 0; j < p->m_b; j++) p->b_b[j] = -column_dot(p->G_b, n, j, p->z);
  if (!force) return;
  for (int i = 0; i < n; i++) {
    double f = 0;
    for (int k = 0; k < n; k++) f -= p->M[i + k * n] * p->z[k];
    for (int j = 0; j < p->m_b; j++) f += p->G_b[i + j * n] * p->lambda_b[j];
    for (int j = 0; j < p->m_u; j++) f += p->G_u[i + j * n] * p->lambda_u[j];
    p->F[i] = f;
  }
  p->has_solution = true;
}

void maker_random(maker *p, rng *r, int n, int m_b, int m_u, int rank)
{
  start(p, r, n, m_b, m_u, rank, "random");
  set_mass(p);
  draw(r, p->F, n, 2, 0.7);
  draw(r, p->b_b, m_b, 1, 0.3);
  draw(r, p->b_u, m_u, 1, 0.6);
  know_ranks(p);
}

static int count(const bool *x, int m)
{
  int sum = 0;
  for (int j = 0; j < m; j++) sum += x[j];
  return sum;
}

void maker_feasible(maker *p, rng *r, int n, int m_b, int m_u, int rank)
{
  bool active[MAKER_M], loaded[MAKER_M];
  start(p, r, n, m_b, m_u, rank, "feasible");
  set_mass(p);
  draw_solution(p, r, true, active, loaded);
  know_ranks(p);
  p->answer[DLS_ACCELERATION_EXISTS] = DLS_YES;
  // what the contacts closed without force decide stays unknown
  int *unique = &p->answer[DLS_ACCELERATION_UNIQUE], *forces = &p->answer[DLS_FORCES_UNIQUE];
  if (rank_of(p, 7, loaded) == n) *unique = DLS_YES;
  if (rank_of(p, 7, active) < n) *unique = DLS_NO;
  if (rank_of(p, 6, active) == m_b + count(active, m_u)) *forces = DLS_YES;
  if (rank_of(p, 6, loaded) < m_b + count(loaded, m_u)) *forces = DLS_NO;
}

static void no_acceleration(maker *p)
{
  p->has_solution = false;
  p->answer[DLS_ACCELERATION_EXISTS] = DLS_NO;
  p->answer[DLS_ACCELERATION_UNIQUE] = DLS_NO;
  p->answer[DLS_FORCES_UNIQUE] = DLS_NO;
}

// Draws lambda >= 0, nu and gives the last column and number so that G_u lambda + G_b nu = 0 and
// lambda^T b_u + nu^T b_b < 0.
void maker_contradiction(maker *p, rng *r, int n, int m_b, int m_u, int rank)
{
  start(p, r, n, m_b, m_u, rank, "contradiction");
  set_mass(p);
  draw(r, p->F, n, 3, 0.8);
  draw(r, p->b_b, m_b, 2, 0.7);
  draw(r, p->b_u, m_u, 2, 0.7);
  bool by_u = m_u > 0;
  double *last = by_u ? p->G_u + (m_u - 1) * n : p->G_b + (m_b - 1) * n;
  double *b = by_u ? p->b_u + m_u - 1 : p->b_b + m_b - 1;
  memset(last, 0, (size_t)n * sizeof *last);
  *b = -rng_int(r, 1, 3);
  for (int j = 0; j < m_b - !by_u; j++) {
    int nu = rng_chance(r, 0.5) ? rng_int(r, -1, 1) : 0;
    for (int i = 0; i < n; i++) last[i] -= nu * p->G_b[i + j * n];
    *b -= nu * p->b_b[j];
  }
  for (int j = 0; j < m_u - 1; j++) {
    int lambda = rng_chance(r, 0.5) ? rng_int(r, 0, 2) : 0;
    for (int i = 0; i < n; i++) last[i] -= lambda * p->G_u[i + j * n];
    *b -= lambda * p->b_u[j];
  }
  know_ranks(p);
  no_acceleration(p);
  if (by_u) p->answer[DLS_MFCQ] = DLS_NO;
}

// The first coordinate is massless and free to grow, and is pushed that way.
void maker_push(maker *p, rng *r, int n, int m_b, int m_u)
{
  bool active[MAKER_M], loaded[MAKER_M];
  start(p, r, n, m_b, m_u, rng_int(r, 0, n - 1), "push");
  for (int k = 0; k < p->mass_rows; k++) p->B[k * n] = 0;
  for (int j = 0; j < m_b; j++) p->G_b[j * n] = 0;
  for (int j = 0; j < m_u; j++) p->G_u[j * n] = rng_chance(r, 0.5) ? rng_int(r, 0, 2) : 0;
  set_mass(p);
  draw_solution(p, r, false, active, loaded);
  draw(r, p->F, n, 3, 0.8);
  p->F[0] = -rng_int(r, 1, 3);
  know_ranks(p);
  no_acceleration(p);
}

void maker_mfcq(maker *p, rng *r, int n, int m_b, int m_u)
{
  bool active[MAKER_M], loaded[MAKER_M];
  start(p, r, n, m_b, m_u, n, "mfcq");
  for (int i = 0; i < n; i++) p->B[i + i * n] = 3;
  for (int i = 0; i < n; i++)
    for (int k = i + 1; k < n; k++) p->B[k + i * n] = 0;
  for (int j = 0; j < m_b; j++) p->G_b[j * n] = 0;
  for (int j = 0; j < m_u; j++) p->G_u[j * n] = rng_int(r, 1, 2);
  set_mass(p);
  draw_solution(p, r, false, active, loaded);
  draw(r, p->F, n, 3, 0.8);
  draw(r, p->b_u, m_u, 3, 0.8);
  know_ranks(p);
  p->answer[DLS_MFCQ] = DLS_YES;
  p->answer[DLS_ACCELERATION_EXISTS] = DLS_YES;
  p->answer[DLS_ACCELERATION_UNIQUE] = DLS_YES;
  if (p->answer[DLS_CONSTRAINTS_INDEPENDENT] == DLS_YES) p->answer[DLS_FORCES_UNIQUE] = DLS_YES;
}

// Generic real numbers: any n columns are independent. m_b <= n.
void maker_real(maker *p, rng *r, int n, int m_b, int m_u)
{
  bool active[MAKER_M], loaded[MAKER_M];
  start(p, r, n, m_b, m_u, n, "real");
  for (int i = 0; i < n * n; i++) p->B[i] = rng_real(r);
  set_mass(p);
  for (int i = 0; i < n; i++) p->M[i + i * n] += 0.5;
  for (int i = 0; i < n * m_b; i++) p->G_b[i] = rng_real(r);
  for (int i = 0; i < n * m_u; i++) p->G_u[i] = rng_real(r);
  draw_solution(p, r, true, active, loaded);
  p->mass_rows = 0;
  for (int q = 0; q < MADE_QUESTIONS; q++) p->answer[q] = ANSWER_UNKNOWN;
  int m = m_b + m_u, closed = m_b + count(active, m_u), pressed = m_b + count(loaded, m_u);
  p->mass_rank = n;
  p->bilateral_rank = m_b;
  p->constraint_rank = m < n ? m : n;
  p->kernel_definite = true;
  p->answer[DLS_MASS_DEFINITE] = DLS_YES;
  p->answer[DLS_CONSTRAINTS_INDEPENDENT] = yes_if(m <= n);
  p->answer[DLS_CONSTRAINTS_COMPATIBLE] = DLS_YES;
  p->answer[DLS_DELASSUS_DEFINITE] = yes_if(m <= n);
  if (m <= n) p->answer[DLS_MFCQ] = DLS_YES;
  p->answer[DLS_ACCELERATION_EXISTS] = p->answer[DLS_ACCELERATION_UNIQUE] = DLS_YES;
  if (closed <= n) p->answer[DLS_FORCES_UNIQUE] = DLS_YES;
  if (pressed > n) p->answer[DLS_FORCES_UNIQUE] = DLS_NO;
}
