#include "certify/context.h"

#include "base/memory.h"
#include "base/message.h"
#include "certify/tolerances.h"
#include "linalg/dense.h"

#include <float.h>
#include <math.h>

dls_size dls_size_of(const dls_threshold *threshold, double value)
{
  if (value <= threshold->noise) return DLS_SIZE_ZERO;
  return value > threshold->tolerance ? DLS_SIZE_POSITIVE : DLS_SIZE_AMBIGUOUS;  // NaN is ambiguous
}

bool dls_context_asked(const dls_context *x, unsigned bits)
{
  return x->options->ask == 0 || (x->options->ask & bits);
}

dls_status dls_context_go_on(const dls_context *x)
{
  const dls_check_options *o = x->options;
  return o->watch && o->watch(o->self, x->done) ? DLS_ERR_STOPPED : DLS_OK;
}

dls_status dls_context_progress(dls_context *x, double done)
{
  x->done = done;
  return dls_context_go_on(x);
}

static double *take(dls_context *x, dls_arena *arena, ptrdiff_t count)
{
  double *memory = dls_arena_alloc(arena, count, sizeof(double));
  if (!memory) x->out_of_memory = true;
  return memory;
}

double *dls_context_work(dls_context *x, ptrdiff_t count)
{
  return take(x, x->work, count);
}

double *dls_context_keep(dls_context *x, ptrdiff_t count)
{
  return take(x, x->arena, count);
}

static dls_rank rank_of(const dls_threshold *threshold, const double *values, int count,
                        double unit)
{
  dls_rank rank = {0};
  for (int i = 0; i < count; i++) {
    const dls_size size = unit > 0 ? dls_size_of(threshold, values[i] / unit) : DLS_SIZE_ZERO;
    rank.certain += size == DLS_SIZE_POSITIVE;
    rank.possible += size != DLS_SIZE_ZERO;
  }
  return rank;
}

// G^ = D G C
static void scale_columns(const dls_context *x, const double *G, const double *C, int m,
                          double *out)
{
  const ptrdiff_t n = x->n;
  for (ptrdiff_t j = 0; j < m; j++)
    for (ptrdiff_t i = 0; i < n; i++) out[i + n * j] = x->D[i] * G[i + n * j] * C[j];
}

// Sum of squares of D |change| C: what the tolerance of the state leaves open.      eq (num.3)
static double change_of(const dls_context *x, const double *change, const double *C, int m)
{
  const ptrdiff_t n = x->n;
  double sum = 0;
  for (ptrdiff_t j = 0; change && j < m; j++)
    for (ptrdiff_t i = 0; i < n; i++) {
      const double entry = x->D[i] * change[i + n * j] * C[j];
      sum += entry * entry;
    }
  return sum;
}

static dls_status scale(dls_context *x)
{
  const dls_problem *p = &x->given;
  const ptrdiff_t n = p->n, m_b = p->m_b, m_u = p->m_u;
  x->M = dls_context_work(x, n * n), x->F = dls_context_work(x, n);
  x->G_b = dls_context_work(x, n * m_b), x->b_b = dls_context_work(x, m_b);
  x->G_u = dls_context_work(x, n * m_u), x->b_u = dls_context_work(x, m_u);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  dls_status status = dls_scaling_create(p, &x->scaling);
  if (status != DLS_OK) return status;
  x->D = x->scaling.D, x->C_b = x->scaling.C_b, x->C_u = x->scaling.C_u;
  x->S = x->scaling.S, x->S_b = x->scaling.S_b, x->S_u = x->scaling.S_u;
  x->mass_unit = x->scaling.mass;

  for (ptrdiff_t j = 0; j < n; j++)
    for (ptrdiff_t i = 0; i < n; i++)
      x->M[i + n * j] =
          x->D[i] / x->mass_unit * (0.5 * p->M[i + n * j] + 0.5 * p->M[j + n * i]) * x->D[j];
  for (ptrdiff_t i = 0; i < n; i++) x->F[i] = x->D[i] / (x->mass_unit * x->S[i]) * p->F[i];
  scale_columns(x, p->G_b, x->C_b, p->m_b, x->G_b);
  scale_columns(x, p->G_u, x->C_u, p->m_u, x->G_u);
  const double squares = change_of(x, p->G_b_change, x->C_b, p->m_b);
  x->G_b_change = sqrt(squares);
  x->G_change = sqrt(squares + change_of(x, p->G_u_change, x->C_u, p->m_u));
  for (ptrdiff_t j = 0; j < m_b; j++) x->b_b[j] = x->C_b[j] / x->S_b[j] * p->b_b[j];
  for (ptrdiff_t j = 0; j < m_u; j++) x->b_u[j] = x->C_u[j] / x->S_u[j] * p->b_u[j];

  const double F_size = dls_norm_max(x->n, x->F);
  const double b_size = fmax(dls_norm_max(x->m_b, x->b_b), dls_norm_max(x->m_u, x->b_u));
  x->F_size = F_size > 0 ? F_size : 1;
  x->b_size = b_size > 0 ? b_size : 1;
  return DLS_OK;
}

// The mass matrix must be positive semidefinite: the kinetic energy of a motion is never negative.
static dls_status decompose_mass(dls_context *x)
{
  const int n = x->n;
  const ptrdiff_t size = n;
  x->mass_values = dls_context_keep(x, size);
  x->mass_vectors = dls_context_work(x, size * size);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  for (ptrdiff_t i = 0; i < size; i++) {
    bool coupled = false;
    for (ptrdiff_t j = 0; j < size; j++) coupled |= j != i && x->M[i + size * j] != 0;
    const double diagonal = x->given.M[i * (size + 1)];
    if (diagonal < 0 || (diagonal == 0 && coupled))
      return dls_fail(x->message, DLS_ERR_ARGUMENT,
                      "the mass matrix is not positive semidefinite: its diagonal entry %td%s%s%s "
                      "is %g; kinetic energy must not be negative",
                      i + 1, x->given.coordinates ? " (" : "",
                      x->given.coordinates ? x->given.coordinates[i] : "",
                      x->given.coordinates ? ")" : "", diagonal);
  }
  dls_status status = dls_eigen_symmetric(n, x->M, x->mass_values, x->mass_vectors);
  if (status != DLS_OK) return status;
  const double largest = x->mass_values[n - 1];
  if (x->mass_values[0] < -x->basic.tolerance * largest)
    return dls_fail(x->message, DLS_ERR_ARGUMENT,
                    "the mass matrix is not positive semidefinite: scaled to a unit diagonal it "
                    "has the eigenvalue %g; kinetic energy must not be negative",
                    x->mass_values[0]);
  x->mass = rank_of(&x->basic, x->mass_values, n, largest);
  return DLS_OK;
}

void dls_context_bilateral_multipliers(const dls_context *x, const double *r, double *lambda_b)
{
  const ptrdiff_t n = x->n, m = x->m_b;
  dls_clear(lambda_b, m);
  for (int j = 0; j < x->bilateral.possible; j++) {
    const double along = dls_dot(x->n, x->U + n * j, r) / x->sigma[j];
    for (ptrdiff_t i = 0; i < m; i++) lambda_b[i] += along * x->V_b[i + m * j];
  }
}

static dls_status decompose_bilateral(dls_context *x)
{
  const int n = x->n, m = x->m_b, least = n < m ? n : m;
  const ptrdiff_t rows = n, cols = m;
  x->U = dls_context_work(x, rows * rows);
  x->sigma = dls_context_work(x, least);
  x->V_b = dls_context_work(x, cols * cols);
  x->z_0 = dls_context_work(x, rows);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  dls_status status = dls_svd(n, m, x->G_b, x->U, x->sigma, x->V_b);
  if (status != DLS_OK) return status;
  x->bilateral = rank_of(&x->basic, x->sigma, least, least ? x->sigma[0] : 0);
  while (x->bilateral.certain > 0 && !(x->sigma[x->bilateral.certain - 1] > x->G_b_change))
    x->bilateral.certain--;

  // the kernel is known up to the rounding error over the smallest singular value kept
  x->kernel = x->basic;
  if (x->bilateral.possible) x->kernel.noise *= x->sigma[0] / x->sigma[x->bilateral.possible - 1];
  x->kernel.tolerance = fmax(x->basic.tolerance, tolerance_roundings * x->kernel.noise);

  // z_0 = -G^_b^{+T} b^_b
  for (int j = 0; j < x->bilateral.possible; j++) {
    const double along = -dls_dot(m, x->V_b + cols * j, x->b_b) / x->sigma[j];
    for (ptrdiff_t i = 0; i < rows; i++) x->z_0[i] += along * x->U[i + rows * j];
  }
  const double size = dls_norm_max(n, x->z_0);
  for (ptrdiff_t i = 0; i < rows; i++)
    if (fabs(x->z_0[i]) <= x->kernel.noise * size) x->z_0[i] = 0;
  return DLS_OK;
}

static double noise_of(const dls_context *x, ptrdiff_t direction)
{
  return direction < x->k_0 ? x->massless.noise : x->kernel.noise;
}

// Eigenvectors V and eigenvalues w of K = N^T M N, increasing, from the singular values of M^1/2 N:
// a direction that is massless up to eps then shows as eps and not as its square.
static dls_status decompose_inertia(dls_context *x, const double *N, double *V)
{
  const int n = x->n, k = x->k;
  const ptrdiff_t rows = n, cols = k;
  double *B = dls_context_work(x, rows * cols), *s = dls_context_work(x, cols);
  double *right = dls_context_work(x, cols * cols);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  const double unit = x->mass_values[n - 1];
  dls_threshold inertia =
      x->kernel;  // massless coordinates are known up to rounding over the least mass
  for (int i = n - 1; i >= 0 && unit > 0 && x->mass_values[i] / unit > x->basic.noise; i--)
    inertia.noise = x->kernel.noise / sqrt(x->mass_values[i] / unit);
  inertia.tolerance = fmax(x->kernel.tolerance, tolerance_roundings * inertia.noise);
  dls_gemm(true, false, n, k, n, 1, x->mass_vectors, N, 0, B);
  for (ptrdiff_t i = 0; i < rows; i++) {
    const bool zero = unit <= 0 || x->mass_values[i] / unit <= x->basic.noise;
    const double root = zero ? 0 : sqrt(x->mass_values[i] / unit);
    for (ptrdiff_t j = 0; j < cols; j++) B[i + rows * j] *= root;
  }
  dls_status status = dls_svd(n, k, B, NULL, s, right);
  if (status != DLS_OK) return status;
  for (ptrdiff_t j = 0; j < cols; j++) {
    const ptrdiff_t from = cols - 1 - j;  // singular values decrease
    const dls_size size = x->mass.certain == n ? DLS_SIZE_POSITIVE : dls_size_of(&inertia, s[from]);
    if (size == DLS_SIZE_ZERO) s[from] = 0, x->k_0++;
    x->k_ambiguous |= size == DLS_SIZE_AMBIGUOUS;
    x->w[j] = unit * s[from] * s[from];
    dls_copy(V + cols * j, right + cols * from, cols);
    if (s[from] > 0 && x->massless.noise == 0)
      x->massless.noise = x->kernel.noise / fmin(1, s[from]);
  }
  x->massless.noise = fmax(x->massless.noise, x->kernel.noise);
  x->massless.tolerance = fmax(x->kernel.tolerance, tolerance_roundings * x->massless.noise);
  return DLS_OK;
}

// Everything of eq (gau.3), in the eigenvectors of K: a direction is massless or it is not.
static dls_status reduce(dls_context *x)
{
  const int n = x->n, r = x->bilateral.possible, k = n - r, m_u = x->m_u;
  const ptrdiff_t rows = n, cols = k;
  const double *N = x->U + rows * r;
  x->k = k;
  x->basis = dls_context_work(x, rows * cols);
  x->w = dls_context_work(x, cols);
  x->E = dls_context_work(x, m_u * cols);
  x->f = dls_context_work(x, m_u);
  x->c = dls_context_work(x, cols);
  double *V = dls_context_work(x, cols * cols), *load = dls_context_work(x, rows);
  if (x->out_of_memory) return DLS_ERR_MEMORY;

  dls_status status = decompose_inertia(x, N, V);
  if (status != DLS_OK) return status;
  dls_gemm(false, false, n, k, k, 1, N, V, 0, x->basis);

  dls_gemm(true, false, m_u, k, n, 1, x->G_u, x->basis, 0, x->E);
  for (ptrdiff_t j = 0; j < cols; j++)
    for (ptrdiff_t i = 0; i < m_u; i++)
      if (fabs(x->E[i + m_u * j]) <= noise_of(x, j)) x->E[i + m_u * j] = 0;
  for (ptrdiff_t j = 0; j < m_u; j++) {  // f, without what is only rounding
    double sum = x->b_u[j], terms = fabs(x->b_u[j]);
    for (ptrdiff_t i = 0; i < rows; i++) {
      const double term = x->G_u[i + rows * j] * x->z_0[i];
      sum += term, terms += fabs(term);
    }
    x->f[j] = fabs(sum) <= x->kernel.noise * terms ? 0 : sum;
  }
  dls_copy(load, x->F, rows);
  dls_gemv(false, n, n, 1, x->M, x->z_0, 1, load);
  dls_gemv(true, n, k, 1, x->basis, load, 0, x->c);
  const double size = dls_norm_max(n, load);
  for (int i = 0; i < k; i++)
    if (fabs(x->c[i]) <= noise_of(x, i) * size) x->c[i] = 0;

  const double b_size = fmax(dls_norm_max(x->m_b, x->b_b), dls_norm_max(m_u, x->b_u));
  x->a_load = b_size;
  for (int i = x->k_0; i < k; i++) x->a_load = fmax(x->a_load, fabs(x->c[i]) / x->w[i]);
  for (ptrdiff_t i = 0; i < rows; i++)
    if (x->M[i * (rows + 1)] > 0) x->a_load = fmax(x->a_load, fabs(x->F[i]));
  x->f_load = fmax(dls_norm_max(n, x->F), fmax(x->mass_values[n - 1], 0) * b_size);
  return DLS_OK;
}

void dls_context_thresholds(dls_context *x)
{
  x->n = x->given.n, x->m_b = x->given.m_b, x->m_u = x->given.m_u;
  const int size = x->n + x->m_b + x->m_u;
  x->basic.noise = noise_roundings * size * DBL_EPSILON;
  x->basic.tolerance = fmax(x->check->tolerance, tolerance_roundings * x->basic.noise);
  x->check->rank_tolerance = x->basic.tolerance;
  x->check->rank_noise = x->basic.noise;
}

dls_status dls_context_prepare(dls_context *x)
{
  dls_context_thresholds(x);
  dls_status status = scale(x);
  if (status == DLS_OK) status = decompose_mass(x);
  if (status == DLS_OK) status = decompose_bilateral(x);
  if (status == DLS_OK) status = reduce(x);
  return status;
}

void dls_context_remove_noise(const dls_context *x, double load, double *values, int count)
{
  for (int i = 0; i < count; i++)
    if (load == 0 || fabs(values[i]) <= x->basic.noise * load) values[i] = 0;
}
