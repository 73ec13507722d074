// What is seen without a program: r = 0 solves, or v = 0 lies in the dual cones.
#include "certify/solvable.h"

#include "certify/tolerances.h"
#include "linalg/sparse_lu.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

// The velocities v with M v = f, in global form: u = H^T v + w, and how far each row may be off,
// |H_j| |M v - f| / c with M + M^T - 2 c I positive definite.
static dls_status velocities_without(const dls_solvable_data *s, double c, double *u, double *error)
{
  dls_sparse_lu *factor = NULL;
  double *v = dls_alloc((ptrdiff_t)s->dof + 1, sizeof *v);
  long double *off = dls_alloc((ptrdiff_t)s->dof + 1, sizeof *off), square = 0;
  dls_status status = v && off ? DLS_OK : DLS_ERR_MEMORY;
  if (status == DLS_OK) status = dls_sparse_lu_create(s->dof, s->M->p, s->M->i, s->M->x, &factor);
  if (status == DLS_OK) {
    for (int k = 0; k < s->dof; k++) v[k] = s->f[k], off[k] = -s->f[k];
    dls_sparse_lu_solve(factor, 1, v);
    long double size = 0;
    for (int j = 0; j < s->dof; j++)
      for (int e = s->M->p[j]; e < s->M->p[j + 1]; e++) {
        const long double term = (long double)s->M->x[e] * v[j];
        off[s->M->i[e]] += term, size += fabsl(term);
      }
    for (int k = 0; k < s->dof; k++) square += off[k] * off[k];
    const long double reach = (sqrtl(square) + (s->dof + 4) * LDBL_EPSILON * size) / c;
    for (int j = 0; j < s->rows; j++) {
      long double sum = s->q[j], length = 0, terms = fabsl(sum);
      for (int e = s->H->p[j]; e < s->H->p[j + 1]; e++) {
        const long double term = (long double)s->H->x[e] * v[s->H->i[e]];
        sum += term, terms += fabsl(term), length += (long double)s->H->x[e] * s->H->x[e];
      }
      u[j] = (double)sum;
      error[j] = (double)(rounded_up * sqrtl(length) * reach) + 2 * DBL_EPSILON * (double)terms;
    }
  }
  dls_sparse_lu_free(factor);
  free(v), free(off);
  return status;
}

// u_N >= error at every contact, u exactly 0 in the equations.
static bool opens(const dls_solvable_data *s, const double *u, const double *error, double *margin)
{
  *margin = INFINITY;
  for (int i = 0; i < s->contacts; i++) {
    const double slack = u[s->d * i] - error[s->d * i];
    if (!(slack >= *margin)) *margin = slack;
  }
  for (int j = s->d * s->contacts; j < s->rows; j++)
    if (u[j] != 0 || error[j] != 0) return false;
  return *margin >= 0;
}

// r = 0 solves. c: of the mass matrix.
static dls_status all_open(const dls_solvable_data *s, double c, bool *open, double *margin)
{
  double *error = dls_alloc(2 * (ptrdiff_t)s->rows + 1, sizeof *error);
  if (!error) return DLS_ERR_MEMORY;
  double *u = error + s->rows;
  bool still = true;
  for (int k = 0; k < s->dof; k++) still = still && s->f[k] == 0;
  for (int j = 0; j < s->rows; j++) u[j] = s->q[j];
  dls_status status = still ? DLS_OK : velocities_without(s, c, u, error);
  *open = status == DLS_OK && opens(s, u, error, margin);
  free(error);
  return status;
}

static bool in_dual(const dls_solvable_data *s)
{
  for (int i = 0; i < s->contacts; i++) {
    const double *q = s->q + (ptrdiff_t)s->d * i;
    const long double slip = hypotl(q[1], s->d == 3 ? q[2] : 0) * (1 + 8 * LDBL_EPSILON);
    if (!(q[0] >= s->mu[i] * slip * (1 + 8 * LDBL_EPSILON))) return false;
  }
  for (int j = s->d * s->contacts; j < s->rows; j++)
    if (s->q[j] != 0) return false;
  return true;
}

static bool exactly_symmetric(const dls_sparse *M, const dls_sparse *S)
{
  // S has the union of the patterns: where M lacks an entry, S must vanish
  for (int j = 0; j < S->cols; j++) {
    int m = M->p[j];
    for (int e = S->p[j]; e < S->p[j + 1]; e++) {
      while (m < M->p[j + 1] && M->i[m] < S->i[e]) m++;
      const double own = m < M->p[j + 1] && M->i[m] == S->i[e] ? M->x[m] : 0;
      if (own != S->x[e]) return false;
    }
  }
  return true;
}

static dls_status keep_zeros(const dls_solvable_data *s, int count, const double **kept)
{
  *kept = dls_arena_alloc(s->arena, (ptrdiff_t)count + 1, sizeof **kept);
  return *kept ? DLS_OK : DLS_ERR_MEMORY;
}

dls_status dls_solvable_at_rest(dls_solvable_data *s, bool *done)
{
  double margin = 0, mass = 0;
  bool open = false;
  dls_solvable *out = s->out;
  // global form: velocities belong to r = 0 only where M is regular
  dls_status status = s->global ? dls_solvable_mass(s, &mass) : DLS_OK;
  if (status != DLS_OK || (s->global && mass == 0)) return status;
  status = all_open(s, mass, &open, &margin);
  if (status != DLS_OK) return status;
  if (open) {
    status = keep_zeros(s, s->rows, &out->r);
    out->margin = s->contacts > 0 && s->size > 0 ? margin / s->size : 0;
    out->by = "nothing has to push: r = 0 is a solution";
    out->shows = s->global ? "M v = f, u = H^T v + w: u_N >= 0 at every contact, 0 in the equations"
                           : "q_N >= 0 at every contact, q = 0 in the equations";
  } else if (s->global && in_dual(s) && exactly_symmetric(s->M, s->S)) {
    status = keep_zeros(s, s->dof, &out->v);
    out->margin = 0;
    out->by = "the imposed velocities lie in the dual cones: v = 0 (CVX (4.4), Klarbring and Pang, "
              "theory §15)";
    out->shows = "w_N >= mu |w_T| at every contact, w = 0 in the equations";
  } else {
    return DLS_OK;
  }
  *done = true;
  out->answer = DLS_YES;
  if (s->global && in_dual(s)) out->criterion |= DLS_CRITERION_CLOSED | DLS_CRITERION_CLOSURE;
  return status;
}
