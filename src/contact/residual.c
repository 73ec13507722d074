// The residual of the contact problem, recomputed from its data and sharing nothing with any solver
// but the units.
#include "base/memory.h"
#include "contact/coulomb_residual.h"
#include "base/larger.h"

#include <math.h>
#include <stdlib.h>

// ---- the rows of both residuals ----------------------------------------------------------------

dls_balance dls_problem_balance(const dls_problem *p, int i, const double *z,
                                const double *lambda_b, const double *lambda_u, const double *tau)
{
  const ptrdiff_t n = p->n;
  const struct {
    const double *A, *x;
    int count;
  } forces[] = {{p->G_b, lambda_b, p->m_b},
                {p->G_u, lambda_u, p->m_u},
                {p->friction ? p->friction->H : NULL, tau, tau ? p->friction->tangents : 0}};
  long double sum = p->F[i], terms = fabs(p->F[i]), contact = 0;
  for (ptrdiff_t j = 0; j < n; j++) {
    const long double x = (long double)p->M[i + n * j] * z[j];
    sum += x, terms += fabsl(x);
  }
  for (ptrdiff_t f = 0; f < dls_count_of(forces); f++)
    for (ptrdiff_t j = 0; j < forces[f].count; j++) {
      const long double x = (long double)forces[f].A[i + n * j] * forces[f].x[j];
      sum -= x, contact += fabsl(x);
    }
  return (dls_balance){(double)sum, (double)terms, (double)contact};
}

double dls_problem_acceleration(const dls_problem *p, const double *g, double b, const double *z,
                                double *size)
{
  long double sum = b, terms = fabs(b);
  for (int i = 0; i < p->n; i++) {
    const long double x = (long double)g[i] * z[i];
    sum += x, terms += fabsl(x);
  }
  *size = (double)terms;
  return (double)sum;
}

// ---- without friction --------------------------------------------------------------------------

// What forces and accelerations are measured by. In coordinates scaled to unit masses the terms of
// the balance have the size of both; where there is no mass they say nothing of accelerations.
typedef struct size_of_load {
  double force, acceleration;
} size_of_load;

// Balance of forces, in scaled coordinates: largest |M z + F - G lambda|, and the largest of |M||z|
// + |F|. Contact forces do not count in the size, as large ones that cancel must not hide an error,
// unless there is nothing else.
static double balance(const dls_problem *p, const dls_scaling *k, const double *z,
                      const double *lambda_b, const double *lambda_u, size_of_load *load)
{
  const ptrdiff_t n = p->n;
  double error = 0, size = 0, contact_size = 0;
  for (ptrdiff_t i = 0; i < n; i++) {
    const dls_balance row = dls_problem_balance(p, (int)i, z, lambda_b, lambda_u, NULL);
    const double weight = k->D[i] / k->S[i];
    error = dls_larger(error, weight * fabs(row.sum));
    size = dls_larger(size, weight * row.terms);
    contact_size = dls_larger(contact_size, weight * row.contact);
    if (p->M[i * (n + 1)] > 0)
      load->acceleration = dls_larger(load->acceleration, weight / k->mass * row.terms);
  }
  load->force = size > 0 ? size : contact_size;
  return error;
}

static dls_status find_residual(const dls_problem *p, const double *z, const double *lambda_b,
                                const double *lambda_u, double *residual)
{
  const ptrdiff_t n = p->n, m_b = p->m_b, m_u = p->m_u;
  dls_scaling k;
  dls_status status = dls_scaling_create(p, &k);
  if (status != DLS_OK) return status;
  double *a = dls_alloc(2 * m_u, sizeof(double)), *force = a ? a + m_u : NULL;
  if (!a) {
    status = DLS_ERR_MEMORY;
    goto done;
  }

  // One small term among large ones is only as exact as they are: accelerations and forces are
  // measured against the largest terms over all constraints and in the balance.
  size_of_load load = {0};
  const double balance_error = balance(p, &k, z, lambda_b, lambda_u, &load);
  double a_size = load.acceleration, force_size = load.force, a_error = 0, force_error = 0, size;
  for (ptrdiff_t j = 0; j < m_b; j++) {
    const double weight = k.C_b[j] / k.S_b[j];
    const double a_b = weight * dls_problem_acceleration(p, p->G_b + n * j, p->b_b[j], z, &size);
    a_size = dls_larger(a_size, weight * size);
    a_error = dls_larger(a_error, fabs(a_b));
  }
  for (ptrdiff_t j = 0; j < m_u; j++) {
    const double weight = k.C_u[j] / k.S_u[j];
    a[j] = weight * dls_problem_acceleration(p, p->G_u + n * j, p->b_u[j], z, &size);
    force[j] = lambda_u[j] / (k.C_u[j] * k.S_u[j]);
    a_size = dls_larger(a_size, weight * size);
    a_error = dls_larger(a_error, dls_negative_part(a[j]));
    force_size = dls_larger(force_size, fabs(force[j]));
    force_error = dls_larger(force_error, dls_negative_part(force[j]));
  }

  // complementarity: of each pair one vanishes, measured in its own scale
  double pair_error = 0;
  for (ptrdiff_t j = 0; j < m_u; j++) {
    const double x = dls_by_size(fabs(a[j]), a_size), y = dls_by_size(fabs(force[j]), force_size);
    pair_error = dls_larger(pair_error, isnan(x) || isnan(y) ? NAN : fmin(x, y));
  }
  *residual = dls_by_size(balance_error, load.force);
  *residual = dls_larger(*residual, dls_by_size(a_error, a_size));
  *residual = dls_larger(*residual, dls_by_size(force_error, force_size));
  *residual = dls_larger(*residual, pair_error);
done:
  free(a);
  dls_scaling_free(&k);
  return status;
}

dls_status dls_problem_residual(const dls_problem *problem, const double *z, const double *lambda_b,
                                const double *lambda_u, double *residual)
{
  dls_problem *dense;
  dls_status status = dls_problem_dense(problem, &dense, NULL);
  if (status == DLS_OK) status = find_residual(dense, z, lambda_b, lambda_u, residual);
  dls_problem_dense_free(dense);
  return status;
}
