#include "step/step_kkt_internal.h"

#include "base/memory.h"
#include "linalg/dense_lu.h"
#include "step/tolerances.h"

#include <math.h>
#include <stdlib.h>

enum { REFINEMENTS = 6 };

int dls_step_kkt_size(const dls_step_kkt *b)
{
  return b->size;
}

const int *dls_step_kkt_held(const dls_step_kkt *b, int *count)
{
  *count = b->held;
  return b->contact;
}

double dls_step_kkt_stiffness(const dls_step_kkt *b, int contact)
{
  return b->rho[contact];
}

int dls_step_kkt_component(const dls_step_kkt *b, int row)
{
  return b->of[row];
}

void dls_step_kkt_free(dls_step_kkt *b)
{
  if (!b) return;
  for (int c = 0; c < b->components; c++) dls_sparse_lu_free(b->component[c].lu);
  dls_arena_free(b->arena);
  free(b);
}

static dls_status choose_pivots(dls_step_kkt *b);

dls_status dls_step_kkt_create(const dls_snapshot *point, const bool *projector, dls_step_kkt **out)
{
  *out = NULL;
  dls_step_kkt *b = dls_alloc(1, sizeof *b);
  if (!b) return DLS_ERR_MEMORY;
  b->point = point;
  b->arena = dls_arena_create();
  dls_status status = b->arena ? dls_step_kkt_place(b, projector) : DLS_ERR_MEMORY;
  if (status == DLS_OK) status = choose_pivots(b);
  if (status == DLS_OK) *out = b;
  else dls_step_kkt_free(b);
  return status;
}

static void gather_constraints(dls_step_kkt *b)
{
  const dls_pattern *normal = &b->point->system->normal;
  const double *restrict G = b->point->values->G;
  double *restrict x = b->x;
  const ptrdiff_t *at_G = b->at_G, *at_T = b->at_T;
  b->constrained = false;
  for (int k = 0; k < b->held; k++) {
    const int j = b->contact[k], begin = normal->p[j], count = normal->p[j + 1] - begin;
    const bool on = dls_step_kkt_on(b, k);
    b->constrained |= on;
    for (int e = 0; e < count && on; e++) {
      x[at_G[e]] -= G[begin + e];
      x[at_T[e]] += G[begin + e];
    }
    at_G += count, at_T += count;
  }
}

// The rows of held constraints turn with the coordinates.
static void add_turning(dls_step_kkt *b, const double *D_q)
{
  const dls_pattern *D = &b->point->system->derivative->D_q;
  const ptrdiff_t *at = b->at_B;
  for (int k = 0; k < b->held; k++)
    for (int e = D->p[b->contact[k]]; e < D->p[b->contact[k] + 1]; e++, at++)
      if (dls_step_kkt_on(b, k)) b->x[*at] += b->gamma * D_q[e];
}

// Pivots far below the numbers of their column are rounding; the factors have 1 / pivot.
static bool factor_dense(dls_step_kkt *b, const dls_step_kkt_part *part, double least)
{
  double *A = b->x + part->at;
  const int size = part->size;
  if (size == 1) return fabs(A[0]) > 0 && isfinite(A[0]);
  for (int j = 0; j < size; j++) {
    double most = 0;
    for (int i = 0; i < size; i++) most = fmax(most, fabs(A[i * size + j]));
    b->y[j] = most;
  }
  int sign;
  if (!dls_dense_lu_factor(size, A, b->pivot + part->first, &sign)) return false;
  for (int j = 0; j < size; j++)
    if (!(least * b->y[j] * fabs(A[j * size + j]) < 1)) return false;
  return true;
}

static bool factor_sparse(dls_step_kkt *b, dls_step_kkt_part *part, bool exact)
{
  const double *x = b->x + part->at;
  if (exact)
    return part->lu && dls_sparse_lu_factor(part->lu, x) &&
           dls_sparse_lu_pivots(part->lu) > kkt_regular;
  if (part->lu) return dls_sparse_lu_factor_any(part->lu, x);
  return dls_sparse_lu_create(part->size, part->p, part->i, x, &part->lu) == DLS_OK;
}

static void add_derivative(dls_step_kkt *b, const dls_pattern *pattern, const unsigned char *mark,
                           const ptrdiff_t *at, double by, const double *value)
{
  for (int e = 0; e < pattern->p[pattern->cols]; e++)
    if (!mark || mark[e]) b->x[*at++] += by * value[e];
}

static void gather(dls_step_kkt *b, double alpha, double beta, double gamma, const bool *on)
{
  const dls_system *s = b->point->system;
  const dls_derivatives *d = b->point->derivatives;
  dls_clear(b->x, b->count);
  b->alpha = d ? alpha : 0, b->beta = d ? beta : 0, b->gamma = d ? gamma : 0, b->on = on;
  for (int e = 0; e < s->mass.p[s->n]; e++) b->x[b->at_M[e]] += b->point->values->M[e];
  if (d && b->alpha != 0)
    add_derivative(b, &s->derivative->R_v, s->derivative->free_v, b->at_v, alpha, d->R_v);
  if (d && b->beta != 0)
    add_derivative(b, &s->derivative->R_q, s->derivative->free_q, b->at_q, beta, d->R_q);
  if (b->stiffened > 0) dls_step_kkt_stiffen(b);
  gather_constraints(b);
  if (d && b->gamma != 0) add_turning(b, d->D_q);
}

// The diagonal does for pivots, coordinates first, wherever every motion has inertia. Elsewhere
// pivots are chosen for the numbers of the state at hand, with a third added to or taken from each
// gradient, by its place: those that happen to vanish here must not decide.
static void perturb(dls_step_kkt *b)
{
  const dls_system *s = b->point->system;
  ptrdiff_t at = 0;
  for (int k = 0; k < b->held; k++) {
    const int begin = s->normal.p[b->contact[k]], end = s->normal.p[b->contact[k] + 1];
    double most = 0;
    for (int e = begin; e < end; e++) most = fmax(most, fabs(b->point->values->G[e]));
    for (int e = begin; e < end; e++, at++) {
      const double more = most * (1 + (double)(e % 7)) / 21 * (e % 2 ? 1 : -1);
      b->x[b->at_G[at]] -= more;
      b->x[b->at_T[at]] += more;
    }
  }
}

// Pivots on the diagonal, where they do.
static dls_status try_diagonal(dls_step_kkt *b, dls_step_kkt_part *part, bool *held)
{
  for (int i = 0; i < part->size; i++) held[i] = b->rows[part->first + i] >= b->n;
  const dls_status status =
      dls_sparse_lu_create_diagonal(part->size, part->p, part->i, held, &part->lu);
  if (status == DLS_ERR_MEMORY || status == DLS_ERR_LIMIT) return status;
  if (status == DLS_OK && dls_sparse_lu_factor_well(part->lu, b->x + part->at)) return DLS_OK;
  dls_sparse_lu_free(part->lu);
  part->lu = NULL;
  return DLS_OK;
}

static dls_status choose_pivots(dls_step_kkt *b)
{
  bool *held = dls_alloc((ptrdiff_t)b->size + 1, sizeof(bool)), all = true;
  if (!held) return DLS_ERR_MEMORY;
  gather(b, 0, 0, 0, NULL);
  dls_step_kkt_equilibrate(b, kkt_diagonal);
  dls_status status = DLS_OK;
  for (int c = 0; c < b->components && status == DLS_OK; c++) {
    dls_step_kkt_part *part = &b->component[c];
    if (part->p) status = try_diagonal(b, part, held);
    all &= !part->p || part->lu;
  }
  free(held);
  if (status != DLS_OK || all) return status;
  gather(b, 0, 0, 0, NULL);
  perturb(b);
  dls_step_kkt_equilibrate(b, kkt_diagonal);
  for (int c = 0; c < b->components && status != DLS_ERR_MEMORY && status != DLS_ERR_LIMIT; c++) {
    dls_step_kkt_part *part = &b->component[c];
    if (part->p && !part->lu)  // singular here: the first matrix chooses
      status = dls_sparse_lu_create(part->size, part->p, part->i, b->x + part->at, &part->lu);
  }
  return status == DLS_ERR_MEMORY || status == DLS_ERR_LIMIT ? status : DLS_OK;
}

static bool factor_all(dls_step_kkt *b, bool exact)
{
  for (int c = 0; c < b->components; c++) {
    dls_step_kkt_part *part = &b->component[c];
    if (part->p ? !factor_sparse(b, part, exact)
                : !factor_dense(b, part, exact && b->constrained ? kkt_regular : kkt_rounding))
      return false;
  }
  return true;
}

// With the zero block as it is, unless constraints are redundant or nearly so: a diagonal there
// would count where constraints hold motions that have hardly any inertia.
bool dls_step_kkt_factor(dls_step_kkt *b, double alpha, double beta, double gamma, const bool *on)
{
  gather(b, alpha, beta, gamma, on);
  dls_step_kkt_equilibrate(b, 0);
  if (factor_all(b, true)) return true;
  gather(b, alpha, beta, gamma, on);
  dls_step_kkt_equilibrate(b, kkt_diagonal);
  return factor_all(b, false);
}

bool dls_step_kkt_differentiated(const dls_step_kkt *b)
{
  return b->at_G > b->at_v || b->at_D > b->at_B;
}

bool dls_step_kkt_constrained(const dls_step_kkt *b)
{
  return b->constrained;
}

void dls_step_kkt_solve_component(dls_step_kkt *b, int c, double *x)
{
  const dls_step_kkt_part *part = &b->component[c];
  const int *rows = b->rows + part->first;
  if (part->size == 1) {
    x[rows[0]] /= b->x[part->at];  // its scale is 1
    return;
  }
  for (int i = 0; i < part->size; i++) b->y[i] = x[rows[i]] * b->row_scale[rows[i]];
  if (part->p) dls_sparse_lu_solve(part->lu, 1, b->y);
  else dls_dense_lu_solve(part->size, b->x + part->at, b->pivot + part->first, b->y);
  for (int i = 0; i < part->size; i++) x[rows[i]] = b->y[i] * b->scale[rows[i]];
}

void dls_step_kkt_solve_columns(dls_step_kkt *b, int c, int count, double *const *x)
{
  const dls_step_kkt_part *part = &b->component[c];
  const int *rows = b->rows + part->first, size = part->size;
  if (!part->p) {
    for (int k = 0; k < count; k++) dls_step_kkt_solve_component(b, c, x[k]);
    return;
  }
  for (int k = 0; k < count; k++)
    for (int i = 0; i < size; i++) b->y[k * size + i] = x[k][rows[i]] * b->row_scale[rows[i]];
  dls_sparse_lu_solve(part->lu, count, b->y);
  for (int k = 0; k < count; k++)
    for (int i = 0; i < size; i++) x[k][rows[i]] = b->y[k * size + i] * b->scale[rows[i]];
}

void dls_step_kkt_clear_component(const dls_step_kkt *b, int c, double *x)
{
  const dls_step_kkt_part *part = &b->component[c];
  for (int i = 0; i < part->size; i++) x[b->rows[part->first + i]] = 0;
}

static void add_square(const dls_pattern *pattern, const unsigned char *mark, const double *value,
                       double by, const double *x, double *y)
{
  for (int j = 0; j < pattern->cols; j++)
    for (int e = pattern->p[j]; e < pattern->p[j + 1]; e++)
      if (!mark || mark[e]) y[pattern->i[e]] += by * value[e] * x[j];
}

// r = b - K x with the zero block as it should be; returns the largest row relative to its terms.
static double residual(dls_step_kkt *b, const double *x)
{
  const dls_system *s = b->point->system;
  const dls_derivatives *d = b->point->derivatives;
  dls_copy(b->r, b->b, b->size);
  add_square(&s->mass, NULL, b->point->values->M, -1, x, b->r);
  if (d && b->alpha != 0)
    add_square(&s->derivative->R_v, s->derivative->free_v, d->R_v, -b->alpha, x, b->r);
  if (d && b->beta != 0)
    add_square(&s->derivative->R_q, s->derivative->free_q, d->R_q, -b->beta, x, b->r);
  for (int k = 0; k < b->stiffened; k++) {
    const int j = b->stiff[k];
    const double p = -b->rho[j] * dls_snapshot_Jt_times(b->point, j, 0, x);
    dls_snapshot_add_J(b->point, j, 0, p, b->r);
  }
  double most = 0;
  for (int k = 0; k < b->held; k++) {
    double *r = &b->r[b->n + k];
    if (!dls_step_kkt_on(b, k)) {
      *r = 0;
      continue;
    }
    double terms = fabs(*r);
    const int j = b->contact[k];
    for (int e = s->normal.p[j]; e < s->normal.p[j + 1]; e++) {
      const double G = b->point->values->G[e], p = x[b->n + k];
      b->r[s->normal.i[e]] += G * p;
      *r -= G * x[s->normal.i[e]];
      terms += fabs(G * x[s->normal.i[e]]);
    }
    if (d && b->gamma != 0) {
      const dls_pattern *D = &s->derivative->D_q;
      for (int e = D->p[j]; e < D->p[j + 1]; e++) *r -= b->gamma * d->D_q[e] * x[D->i[e]];
    }
    if (terms > 0) most = fmax(most, fabs(*r) / terms);
  }
  return most;
}

void dls_step_kkt_solve_once(dls_step_kkt *b, double *x)
{
  for (int c = 0; c < b->components; c++) dls_step_kkt_solve_component(b, c, x);
}

void dls_step_kkt_solve_both(dls_step_kkt *b, double *x, double *y)
{
  double *const both[] = {x, y};
  for (int c = 0; c < b->components; c++) dls_step_kkt_solve_columns(b, c, 2, both);
}

void dls_step_kkt_solve(dls_step_kkt *b, double *x)
{
  if (b->constrained) dls_copy(b->b, x, b->size);
  dls_step_kkt_solve_once(b, x);
  if (!b->constrained) return;
  double before = INFINITY;
  for (int k = 0; k < REFINEMENTS; k++) {
    const double now = residual(b, x);
    if (!(now < before) || now <= kkt_refined) return;
    dls_step_kkt_solve_once(b, b->r);
    for (int i = 0; i < b->size; i++) x[i] += b->r[i];
    before = now;
  }
}
