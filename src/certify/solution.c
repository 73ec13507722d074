// The solution in the user's units, and the optimal value of the Gauss program.  eq (gau.1)
#include "base/memory.h"
#include "certify/witness.h"
#include "linalg/dense.h"

#include <math.h>

static void unscale(double unit, const double *C, const double *S, const double *from, int count,
                    double *to)
{
  for (int i = 0; i < count; i++) to[i] = unit * C[i] * S[i] * from[i];
}

// 1/2 z^T M z + F^T z
static double gauss_value(const dls_problem *p, const double *z)
{
  const ptrdiff_t n = p->n;
  long double value = 0;
  for (ptrdiff_t i = 0; i < n; i++) {
    long double row = p->F[i];
    for (ptrdiff_t j = 0; j < n; j++) row += 0.5L * p->M[i + n * j] * z[j];
    value += row * z[i];
  }
  return (double)value;
}

// -1/2 z^T M z - b^T lambda: the dual's value at the multipliers found.           eq (gau.2)
static double dual_value(const dls_problem *p, const dls_solution *s)
{
  long double value = -gauss_value(p, s->acceleration);
  for (int i = 0; i < p->n; i++) value += (long double)p->F[i] * s->acceleration[i];
  for (int j = 0; j < p->m_b; j++) value -= (long double)p->b_b[j] * s->lambda_b[j];
  for (int j = 0; j < p->m_u; j++) value -= (long double)p->b_u[j] * s->lambda_u[j];
  return (double)value;
}

dls_status dls_compute_solution(dls_context *x)
{
  if (!x->solved) return DLS_OK;
  const ptrdiff_t n = x->n, m_b = x->m_b, m_u = x->m_u;
  dls_solution *s = dls_arena_alloc(x->arena, 1, sizeof *s);
  if (!s) return DLS_ERR_MEMORY;
  s->acceleration = dls_context_keep(x, n);
  s->lambda_b = dls_context_keep(x, m_b), s->lambda_u = dls_context_keep(x, m_u);
  s->a_u = dls_context_keep(x, m_u);
  s->low_b = dls_context_keep(x, m_b), s->high_b = dls_context_keep(x, m_b);
  s->low_u = dls_context_keep(x, m_u), s->high_u = dls_context_keep(x, m_u);
  if (x->out_of_memory) return DLS_ERR_MEMORY;

  unscale(1, x->D, x->S, x->z, x->n, s->acceleration);
  unscale(x->mass_unit, x->C_b, x->S_b, x->lambda_b, x->m_b, s->lambda_b);
  unscale(x->mass_unit, x->C_u, x->S_u, x->lambda_u, x->m_u, s->lambda_u);
  for (ptrdiff_t i = 0; i < m_u; i++)
    s->a_u[i] = x->opening[i] == DLS_SIZE_ZERO ? 0 : x->S_u[i] * x->a[i] / x->C_u[i];
  if (m_b + m_u) {
    unscale(x->mass_unit, x->C_b, x->S_b, x->low, x->m_b, s->low_b);
    unscale(x->mass_unit, x->C_b, x->S_b, x->high, x->m_b, s->high_b);
    unscale(x->mass_unit, x->C_u, x->S_u, x->low + m_b, x->m_u, s->low_u);
    unscale(x->mass_unit, x->C_u, x->S_u, x->high + m_b, x->m_u, s->high_u);
  }
  s->gauss_primal = gauss_value(&x->given, s->acceleration);
  s->gauss_dual = dual_value(&x->given, s);
  x->check->solution = s;
  x->check->solutions = 1;
  dls_status status =
      dls_problem_residual(&x->given, s->acceleration, s->lambda_b, s->lambda_u, &s->residual);
  if (status != DLS_OK || s->residual <= dls_margin_limit(x)) return status;

  // what followed the verdict lost accuracy: show the solution that passed its check
  const dls_witness_part *part = x->check->verdict[DLS_ACCELERATION_EXISTS].part;
  dls_copy(s->acceleration, part[0].values, n);
  dls_copy(s->lambda_b, part[1].values, m_b);
  dls_copy(s->lambda_u, part[2].values, m_u);
  return dls_problem_residual(&x->given, s->acceleration, s->lambda_b, s->lambda_u, &s->residual);
}
