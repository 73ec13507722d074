#include "step/stage_internal.h"

#include "base/memory.h"
#include "linalg/dense_lu.h"
#include "step/tolerances.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

const double *dls_stage_matrix_scale(const dls_stage_matrix *w)
{
  return w->D;
}

double dls_stage_matrix_mass(const dls_stage_matrix *w)
{
  return w->mass;
}

const double *dls_stage_matrix_mobility(const dls_stage_matrix *w)
{
  return w->mobility;
}

int dls_stage_matrix_sign(const dls_stage_matrix *w)
{
  return w->sign;
}

double dls_stage_matrix_pivots(const dls_stage_matrix *w)
{
  return w->pivots;
}

const double *dls_stage_matrix_delassus(const dls_stage_matrix *w)
{
  return w->W;
}

void dls_stage_matrix_free(dls_stage_matrix *w)
{
  if (!w) return;
  dls_stage_matrix_put_away(w);
  free(w->D), free(w->W), free(w->scaled), free(w->bounded);
  free(w->member), free(w->full), free(w->R_q.list), free(w->R_v.list);
  free(w);
}

// --- entries ---

// Balances of forces are divided by the unit of mass, forces are measured in it.
static double row_scale(const dls_stage_matrix *w, int row)
{
  const int k = w->full[row % w->inner];
  return k < w->point->system->n ? w->D[k] / w->mass : w->D[k];
}

static double column_scale(const dls_stage_matrix *w, int col)
{
  const int k = w->full[col % w->inner];
  return k < w->point->system->n ? w->D[k] : w->D[k] * w->mass;
}

// One entry: counted, noted or added, in the same order each time.
static void put(dls_stage_matrix *w, int row, int col, double value)
{
  const ptrdiff_t e = w->next++;
  if (w->at) w->x[w->at[e]] += value * row_scale(w, row) * column_scale(w, col);
  else if (w->row) w->row[e] = row, w->col[e] = col;
}

static void put_square(dls_stage_matrix *w, const dls_pattern *a, const double *x, double by,
                       int row, int col)
{
  for (int j = 0; j < a->cols; j++)
    for (int e = a->p[j]; e < a->p[j + 1]; e++) put(w, row + a->i[e], col + j, by * x[e]);
}

static void put_chosen(dls_stage_matrix *w, const dls_stage_square *a, const double *x, double by,
                       int row, int col)
{
  for (int k = 0; k < a->count; k++)
    put(w, row + a->list[k].row, col + a->list[k].col, by * x[a->list[k].entry]);
}

// Column c of a pattern of gradients, as row `row` of the matrix.
static void put_gradient(dls_stage_matrix *w, const dls_pattern *a, const double *x, int c,
                         double by, int row, int col)
{
  for (int e = a->p[c]; e < a->p[c + 1]; e++) put(w, row, col + a->i[e], by * x[e]);
}

// What a block has of its own unknowns besides derivatives: M, G, H, the laws of the contacts.
static void put_diagonal(dls_stage_matrix *w, int at, const dls_contact_modes *modes, bool friction,
                         const double *xi)
{
  const dls_system *s = w->point->system;
  const dls_values *x = w->point->values;
  const int n = s->n, m = s->m;
  put_square(w, &s->mass, x->M, 1, at, at);
  for (int i = 0; i < n; i++) put(w, at + i, at + i, 0);  // a place for pivots
  for (int c = 0; c < w->members; c++) {
    const int j = w->member[c], normal = at + n + c;
    const bool closed = dls_mode_holds(w->point, modes, j);
    for (int e = s->normal.p[j]; e < s->normal.p[j + 1]; e++)
      put(w, at + s->normal.i[e], normal, -x->G[e]);
    put_gradient(w, &s->normal, x->G, j, closed, normal, at);
    put(w, normal, normal, closed ? stage_diagonal * w->W[j] : w->W[j]);

    const bool sticks = modes->kind[j] == DLS_STICKING;
    const bool slides = friction && modes->kind[j] == DLS_SLIDING;
    for (int k = w->point->first[j]; k < w->point->first[j + 1]; k++) {
      const int row = at + w->first[j] + k - w->point->first[j];
      for (int e = s->tangent.p[k]; e < s->tangent.p[k + 1]; e++)
        put(w, at + s->tangent.i[e], row, -x->H[e]);
      put_gradient(w, &s->tangent, x->H, k, sticks, row, at);
      put(w, row, row, sticks ? stage_diagonal * w->W[m + k] : w->W[m + k]);
      put(w, row, normal, slides ? w->W[m + k] * x->friction[j] * modes->side[j] * xi[k] : 0);
    }
  }
}

// How a block depends on the accelerations of another one, or of itself, through Q and V.
static void put_derivatives(dls_stage_matrix *w, int row, int col, const dls_contact_modes *modes,
                            bool friction, const double *turn, double by_v, double by_q)
{
  const dls_system *s = w->point->system;
  const dls_derivative_patterns *a = s->derivative;
  const dls_derivatives *d = w->point->derivatives;
  const int n = s->n, m = s->m;
  put_chosen(w, &w->R_v, d->R_v, by_v, row, col);
  put_chosen(w, &w->R_q, d->R_q, by_q, row, col);
  for (int c = 0; c < w->members; c++) {
    const int j = w->member[c];
    const bool closed = dls_mode_holds(w->point, modes, j), sticks = modes->kind[j] == DLS_STICKING;
    const bool slides = friction && turn && modes->kind[j] == DLS_SLIDING;
    put_gradient(w, &a->N_v, d->N_v, j, closed ? by_v : 0, row + n + c, col);
    put_gradient(w, &a->N_q, d->N_q, j, closed ? by_q : 0, row + n + c, col);
    const int first = w->point->first[j], end = w->point->first[j + 1];
    for (int k = first; k < end; k++) {
      const int own = row + w->first[j] + k - first;
      put_gradient(w, &a->T_v, d->T_v, k, sticks ? by_v : 0, own, col);
      put_gradient(w, &a->T_q, d->T_q, k, sticks ? by_q : 0, own, col);
      if (end - first < 2) continue;  // in a plane the direction does not turn
      for (int l = first; l < end; l++) {
        const double by = slides ? w->W[m + k] * turn[2 * k + l - first] : 0;
        put_gradient(w, &s->tangent, w->point->values->H, l, by * by_v, own, col);
        put_gradient(w, &a->S_q, d->S_q, l, by * by_q, own, col);
      }
    }
  }
}

void dls_stage_matrix_put(dls_stage_matrix *w, int row, const dls_contact_modes *modes,
                          bool friction, const double *xi, const double *turn, const double *by_v,
                          const double *by_q)
{
  put_diagonal(w, row * w->inner, modes, friction, xi);
  for (int j = 0; j < w->blocks && w->derivatives; j++)
    put_derivatives(w, row * w->inner, j * w->inner, modes, friction, turn, by_v[j], by_q[j]);
}

void dls_stage_matrix_fill(dls_stage_matrix *w, int row, const dls_contact_modes *modes,
                           bool friction, const double *xi, const double *turn, const double *by_v,
                           const double *by_q)
{
  if (row == 0) {
    if (dls_stage_matrix_choose(w, modes)) dls_clear(w->x, w->numbers);
    w->next = 0;
  }
  if (w->members >= 0) dls_stage_matrix_put(w, row, modes, friction, xi, turn, by_v, by_q);
}

// --- life ---

static bool set_up(dls_stage_matrix *w)
{
  const dls_system *s = w->point->system;
  const ptrdiff_t width = w->width;
  w->D = dls_alloc(width + 1, sizeof(double));
  w->W = dls_alloc(width + 2 * (ptrdiff_t)s->n + 1, sizeof(double));
  w->mobility = w->W ? w->W + s->m + s->tangents : NULL;
  w->most = w->W ? w->W + width : NULL;
  w->bounded = dls_alloc((ptrdiff_t)s->n + 1, sizeof(bool));
  const ptrdiff_t entries =
      (ptrdiff_t)s->mass.p[s->n] + s->normal.p[s->m] + s->tangent.p[s->tangents];
  w->scaled = dls_alloc(entries + 1, sizeof(double));
  return w->D && w->W && w->bounded && w->scaled && dls_stage_matrix_take_memory(w);
}

dls_status dls_stage_matrix_create(dls_snapshot *point, int blocks, bool derivatives,
                                   dls_stage_matrix **out)
{
  *out = NULL;
  dls_stage_matrix *w = dls_alloc(1, sizeof *w);
  if (!w) return DLS_ERR_MEMORY;
  const dls_system *s = point->system;
  w->point = point, w->blocks = blocks, w->derivatives = derivatives;
  dls_status status = s->m > INT_MAX / 4 - s->n - s->tangents ? DLS_ERR_LIMIT : DLS_OK;
  w->width = status == DLS_OK ? s->n + s->m + s->tangents : 0;
  if (status == DLS_OK && !set_up(w)) status = DLS_ERR_MEMORY;
  if (status == DLS_OK && dls_snapshot_takes_all(s->m, 0) && !dls_stage_matrix_choose(w, NULL))
    status = point->trouble;
  if (status == DLS_OK) *out = w;
  else dls_stage_matrix_free(w);
  return status;
}

// --- numbers ---

// By rows. The matrix is scaled: pivots are compared with its largest one.
static bool factor_dense(dls_stage_matrix *w)
{
  if (!dls_dense_lu_factor(w->size, w->x, w->pivot, &w->sign)) return false;
  double least = INFINITY, most = 0;
  for (int k = 0; k < w->size; k++) {
    const double pivot = fabs(w->x[(ptrdiff_t)k * w->size + k]);
    least = fmin(least, pivot), most = fmax(most, pivot);
  }
  w->pivots = least / most;
  if (!(least > stage_regular * most)) w->sign = 0;
  return least > stage_rounding * most;
}

bool dls_stage_matrix_factor(dls_stage_matrix *w)
{
  w->sign = 1, w->pivots = 1;
  if (w->members < 0) return false;
  if (w->size == 0) return true;
  if (!w->p) return factor_dense(w);
  if (!dls_sparse_lu_factor_any(w->lu, w->x)) return false;
  w->pivots = dls_sparse_lu_pivots(w->lu);
  w->sign = w->pivots > stage_regular ? dls_sparse_lu_sign(w->lu) : 0;
  return w->pivots > stage_rounding;
}

// Right-hand sides of the rows that the matrix has, or, back, their solution; the forces of other
// contacts have an equation of their own.
static void gather(dls_stage_matrix *w, const double *x)
{
  for (int b = 0, k = 0; b < w->blocks; b++, x += w->width)
    for (int l = 0; l < w->inner; l++, k++) w->y[k] = x[w->full[l]] * row_scale(w, l);
}

static void scatter(const dls_stage_matrix *w, double *x)
{
  const dls_system *s = w->point->system;
  for (int b = 0, k = 0; b < w->blocks; b++, x += w->width) {
    for (int j = 0; j < s->m && w->members < s->m; j++) {
      if (w->place[j] >= 0) continue;
      x[s->n + j] /= w->W[j];
      for (int l = w->point->first[j]; l < w->point->first[j + 1]; l++)
        x[s->n + s->m + l] /= w->W[s->m + l];
    }
    for (int l = 0; l < w->inner; l++, k++) x[w->full[l]] = w->y[k] * column_scale(w, l);
  }
}

void dls_stage_matrix_solve(dls_stage_matrix *w, double *x)
{
  gather(w, x);
  if (w->p) dls_sparse_lu_solve(w->lu, 1, w->y);
  else dls_dense_lu_solve(w->size, w->x, w->pivot, w->y);
  scatter(w, x);
}
