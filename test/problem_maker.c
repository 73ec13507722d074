#include "problem_maker.h"
#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

// ---- random numbers: xorshift128+

rng rng_create(uint64_t seed)
{
  // other numbers than the usual ones, for longer hunts: DLS_TEST_SEED=7 build/release/test/...
  const char *other = getenv("DLS_TEST_SEED");
  if (other) seed += 1000 * strtoull(other, NULL, 10);
  rng r = {{seed * 0x9E3779B97F4A7C15u + 1, seed ^ 0xD1B54A32D192ED03u}};
  for (int i = 0; i < 20; i++) (void)rng_int(&r, 0, 1);
  return r;
}

static uint64_t rng_next(rng *r)
{
  uint64_t a = r->s[0], b = r->s[1];
  r->s[0] = b;
  a ^= a << 23;
  r->s[1] = a ^ b ^ (a >> 17) ^ (b >> 26);
  return r->s[1] + b;
}

int rng_int(rng *r, int low, int high)
{
  return low + (int)((rng_next(r) >> 11) % (uint64_t)(high - low + 1));
}

bool rng_chance(rng *r, double p)
{
  return (double)(rng_next(r) >> 11) * 0x1p-53 < p;
}

double rng_real(rng *r)
{
  return 2 * ((double)(rng_next(r) >> 11) + 0.5) * 0x1p-53 - 1;
}

// ---- the problem

dls_problem maker_problem(const maker *p)
{
  return (dls_problem){.n = p->n,
                       .m_b = p->m_b,
                       .m_u = p->m_u,
                       .M = p->M,
                       .F = p->F,
                       .G_b = p->G_b,
                       .b_b = p->b_b,
                       .G_u = p->G_u,
                       .b_u = p->b_u};
}

static void print_rows(const char *name, int rows, int cols, const double *A)
{
  printf("  %s =", name);
  for (int i = 0; i < rows; i++) {
    printf(i ? ";" : " [");
    for (int j = 0; j < cols; j++) printf(" %.17g", A[i + j * rows]);
  }
  printf(rows ? "]\n" : " []\n");
}

void maker_print(const maker *p)
{
  printf("problem %s: n %d, m_b %d, m_u %d\n", p->name, p->n, p->m_b, p->m_u);
  print_rows("M", p->n, p->n, p->M);
  print_rows("F^T", 1, p->n, p->F);
  print_rows("G_b", p->n, p->m_b, p->G_b);
  print_rows("b_b^T", 1, p->m_b, p->b_b);
  print_rows("G_u", p->n, p->m_u, p->G_u);
  print_rows("b_u^T", 1, p->m_u, p->b_u);
}

// ---- changes of coordinates and units

void maker_shear(maker *p, int i, int j, double a)
{
  int n = p->n;
  for (int k = 0; k < n; k++) p->M[j + k * n] += a * p->M[i + k * n];
  for (int k = 0; k < n; k++) p->M[k + j * n] += a * p->M[k + i * n];
  for (int k = 0; k < p->mass_rows; k++) p->B[j + k * n] += a * p->B[i + k * n];
  for (int k = 0; k < p->m_b; k++) p->G_b[j + k * n] += a * p->G_b[i + k * n];
  for (int k = 0; k < p->m_u; k++) p->G_u[j + k * n] += a * p->G_u[i + k * n];
  p->F[j] += a * p->F[i];
  p->z[i] -= a * p->z[j];
}

static void reflect_vector(int n, const double *v, double vv, double *x, int stride)
{
  double dot = 0;
  for (int i = 0; i < n; i++) dot += v[i] * x[i * stride];
  for (int i = 0; i < n; i++) x[i * stride] -= 2 * dot / vv * v[i];
}

void maker_reflect(maker *p, const double *v)
{
  int n = p->n;
  double vv = 0;
  for (int i = 0; i < n; i++) vv += v[i] * v[i];
  for (int k = 0; k < n; k++) reflect_vector(n, v, vv, p->M + k * n, 1);
  for (int k = 0; k < n; k++) reflect_vector(n, v, vv, p->M + k, n);
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < k; i++) {
      double mean = (p->M[i + k * n] + p->M[k + i * n]) / 2;
      p->M[i + k * n] = p->M[k + i * n] = mean;
    }
  }
  for (int k = 0; k < p->m_b; k++) reflect_vector(n, v, vv, p->G_b + k * n, 1);
  for (int k = 0; k < p->m_u; k++) reflect_vector(n, v, vv, p->G_u + k * n, 1);
  reflect_vector(n, v, vv, p->F, 1);
  reflect_vector(n, v, vv, p->z, 1);
  p->mass_rows = 0;
}

void maker_scale_coordinate(maker *p, int i, double s)
{
  int n = p->n;
  for (int k = 0; k < n; k++) p->M[i + k * n] *= s;
  for (int k = 0; k < n; k++) p->M[k + i * n] *= s;
  for (int k = 0; k < p->mass_rows; k++) p->B[i + k * n] *= s;
  for (int k = 0; k < p->m_b; k++) p->G_b[i + k * n] *= s;
  for (int k = 0; k < p->m_u; k++) p->G_u[i + k * n] *= s;
  p->F[i] *= s;
  p->z[i] /= s;
}

static void swap(double *x, double *y)
{
  double t = *x;
  *x = *y;
  *y = t;
}

void maker_swap_coordinates(maker *p, int i, int j)
{
  int n = p->n;
  for (int k = 0; k < n; k++) swap(&p->M[i + k * n], &p->M[j + k * n]);
  for (int k = 0; k < n; k++) swap(&p->M[k + i * n], &p->M[k + j * n]);
  for (int k = 0; k < p->mass_rows; k++) swap(&p->B[i + k * n], &p->B[j + k * n]);
  for (int k = 0; k < p->m_b; k++) swap(&p->G_b[i + k * n], &p->G_b[j + k * n]);
  for (int k = 0; k < p->m_u; k++) swap(&p->G_u[i + k * n], &p->G_u[j + k * n]);
  swap(&p->F[i], &p->F[j]);
  swap(&p->z[i], &p->z[j]);
}

void maker_scale_bilateral(maker *p, int j, double s)
{
  for (int i = 0; i < p->n; i++) p->G_b[i + j * p->n] *= s;
  p->b_b[j] *= s;
  p->lambda_b[j] /= s;
  p->low_b[j] /= s;
  p->high_b[j] /= s;
  if (s < 0) swap(&p->low_b[j], &p->high_b[j]);
}

void maker_scale_unilateral(maker *p, int j, double s)
{
  for (int i = 0; i < p->n; i++) p->G_u[i + j * p->n] *= s;
  p->b_u[j] *= s;
  p->lambda_u[j] /= s;
  p->low_u[j] /= s;
  p->high_u[j] /= s;
}

void maker_swap_bilateral(maker *p, int i, int j)
{
  for (int k = 0; k < p->n; k++) swap(&p->G_b[k + i * p->n], &p->G_b[k + j * p->n]);
  swap(&p->b_b[i], &p->b_b[j]);
  swap(&p->lambda_b[i], &p->lambda_b[j]);
  swap(&p->low_b[i], &p->low_b[j]);
  swap(&p->high_b[i], &p->high_b[j]);
}

void maker_swap_unilateral(maker *p, int i, int j)
{
  for (int k = 0; k < p->n; k++) swap(&p->G_u[k + i * p->n], &p->G_u[k + j * p->n]);
  swap(&p->b_u[i], &p->b_u[j]);
  swap(&p->lambda_u[i], &p->lambda_u[j]);
  swap(&p->low_u[i], &p->low_u[j]);
  swap(&p->high_u[i], &p->high_u[j]);
}

static void scale_forces(maker *p, double s)
{
  for (int j = 0; j < p->m_b; j++) p->lambda_b[j] *= s, p->low_b[j] *= s, p->high_b[j] *= s;
  for (int j = 0; j < p->m_u; j++) p->lambda_u[j] *= s, p->low_u[j] *= s, p->high_u[j] *= s;
}

void maker_mass_unit(maker *p, double s)
{
  for (int i = 0; i < p->n * p->n; i++) p->M[i] *= s;
  for (int i = 0; i < p->n; i++) p->F[i] *= s;
  scale_forces(p, s);
  p->mass_rows = 0;
}

void maker_time_unit(maker *p, double s)
{
  for (int i = 0; i < p->n; i++) p->F[i] *= s, p->z[i] *= s;
  for (int j = 0; j < p->m_b; j++) p->b_b[j] *= s;
  for (int j = 0; j < p->m_u; j++) p->b_u[j] *= s;
  scale_forces(p, s);
}

void maker_mix_bilateral(maker *p, int i, int j, double a)
{
  for (int k = 0; k < p->n; k++) p->G_b[k + i * p->n] += a * p->G_b[k + j * p->n];
  p->b_b[i] += a * p->b_b[j];
  p->lambda_b[j] -= a * p->lambda_b[i];
  p->has_intervals_b = false;
}

void maker_add_bilateral(maker *p, int u, int b, double a)
{
  for (int k = 0; k < p->n; k++) p->G_u[k + u * p->n] += a * p->G_b[k + b * p->n];
  p->b_u[u] += a * p->b_b[b];
  p->lambda_b[b] -= a * p->lambda_u[u];
  p->has_intervals_b = false;
}

void maker_permute(maker *p, rng *r)
{
  for (int i = p->n - 1; i > 0; i--) maker_swap_coordinates(p, i, rng_int(r, 0, i));
  for (int i = p->m_b - 1; i > 0; i--) maker_swap_bilateral(p, i, rng_int(r, 0, i));
  for (int i = p->m_u - 1; i > 0; i--) maker_swap_unilateral(p, i, rng_int(r, 0, i));
}

static double largest(const double *x, int count)
{
  double m = 0;
  for (int i = 0; i < count; i++) m = fabs(x[i]) > m ? fabs(x[i]) : m;
  return m;
}

// Keeps the numbers small enough for every later operation to be exact.
static bool may_grow(const maker *p)
{
  return largest(p->M, p->n * p->n) < 2000 && largest(p->G_b, p->n * p->m_b) < 40 &&
         largest(p->G_u, p->n * p->m_u) < 40;
}

void maker_mix_exact(maker *p, rng *r)
{
  int n = p->n;
  for (int k = rng_int(r, 0, n); k > 0 && n > 1 && may_grow(p); k--) {
    int i = rng_int(r, 0, n - 1), j = rng_int(r, 0, n - 2);
    maker_shear(p, i, j < i ? j : j + 1, rng_chance(r, 0.5) ? 1 : -1);
  }
  if (p->m_b > 0 && rng_chance(r, 0.5)) {
    for (int k = rng_int(r, 0, 2); k > 0 && p->m_b > 1 && may_grow(p); k--) {
      int i = rng_int(r, 0, p->m_b - 1), j = rng_int(r, 0, p->m_b - 2);
      maker_mix_bilateral(p, i, j < i ? j : j + 1, rng_chance(r, 0.5) ? 1 : -1);
    }
    for (int k = rng_int(r, 0, 2); k > 0 && p->m_u > 0 && may_grow(p); k--)
      maker_add_bilateral(p, rng_int(r, 0, p->m_u - 1), rng_int(r, 0, p->m_b - 1),
                          rng_chance(r, 0.5) ? 1 : -1);
  }
  for (int j = 0; j < p->m_b; j++) maker_scale_bilateral(p, j, ldexp(1, rng_int(r, -2, 2)));
  for (int j = 0; j < p->m_u; j++) maker_scale_unilateral(p, j, ldexp(1, rng_int(r, -2, 2)));
  for (int j = 0; j < p->m_b; j++)
    if (rng_chance(r, 0.3)) maker_scale_bilateral(p, j, -1);
  maker_permute(p, r);
}

// By accident a coordinate may come to lie nearly along the kernel of M: its mass is then small,
// and full of the rounding errors of the others.
static bool masses_comparable(const maker *p)
{
  double low = INFINITY, high = 0;
  for (int i = 0; i < p->n; i++) {
    double mass = fabs(p->M[i + i * p->n]);
    if (mass > 0) low = fmin(low, mass), high = fmax(high, mass);
  }
  return high == 0 || low > 1e-2 * high;
}

void maker_mix_generic(maker *p, rng *r)
{
  static maker before;
  maker_mix_exact(p, r);
  before = *p;
  for (int attempt = 0; attempt < 100; attempt++) {
    *p = before;
    for (int k = 0; k < 2; k++) {
      double v[MAKER_N];
      for (int i = 0; i < p->n; i++) v[i] = rng_real(r) + (i == 0 ? 1.5 : 0);
      maker_reflect(p, v);
    }
    if (masses_comparable(p)) break;
  }
  for (int i = 0; i < p->n; i++) maker_scale_coordinate(p, i, exp(0.7 * rng_real(r)));
  for (int j = 0; j < p->m_b; j++) maker_scale_bilateral(p, j, exp(rng_real(r)));
  for (int j = 0; j < p->m_u; j++) maker_scale_unilateral(p, j, exp(rng_real(r)));
}

// ---- rank modulo a prime

static uint64_t mod_mul(uint64_t a, uint64_t b, uint64_t q)
{
  return (uint64_t)((unsigned __int128)a * b % q);
}

int integer_rank(int rows, int cols, const double *A)
{
  static uint64_t W[(2 * MAKER_N) * (2 * MAKER_N + 2 * MAKER_M)];
  const uint64_t q = (1ull << 61) - 1;
  for (int i = 0; i < rows * cols; i++)
    W[i] = A[i] < 0 ? q - (uint64_t)(-A[i]) % q : (uint64_t)A[i] % q;
  int rank = 0;
  for (int j = 0; j < cols && rank < rows; j++) {
    int pivot = rank;
    while (pivot < rows && W[pivot + j * rows] == 0) pivot++;
    if (pivot == rows) continue;
    for (int k = j; k < cols; k++) {
      uint64_t t = W[pivot + k * rows];
      W[pivot + k * rows] = W[rank + k * rows];
      W[rank + k * rows] = t;
    }
    uint64_t inverse = 1, base = W[rank + j * rows];
    for (uint64_t e = q - 2; e > 0; e >>= 1, base = mod_mul(base, base, q))
      if (e & 1) inverse = mod_mul(inverse, base, q);
    for (int i = rank + 1; i < rows; i++) {
      uint64_t f = mod_mul(W[i + j * rows], inverse, q);
      if (f == 0) continue;
      for (int k = j; k < cols; k++)
        W[i + k * rows] = (W[i + k * rows] + q - mod_mul(f, W[rank + k * rows], q)) % q;
    }
    rank++;
  }
  return rank;
}
