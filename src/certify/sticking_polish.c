// Solutions of conic programs, good to eight digits or so, corrected to rounding: Newton's method
// with steps of least norm on the equations and on the cones' boundaries that the solution is known
// to lie on.
#include "certify/sticking_internal.h"

#include "base/memory.h"
#include "certify/tolerances.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>

enum { PASSES = 6 };

static int kind_of(int mode)
{
  return mode & ~(DLS_MODE_PULLING | DLS_MODE_EITHER);
}

static double sign_of(int mode)
{
  return mode & DLS_MODE_PULLING ? -1 : 1;
}

// --- points -------------------------------------------------------------------------------------

// The equations of the program, and their residuals in r.
static dls_status add_equations(const dls_stick_program *p, const double *x, dls_triplets *J,
                                double *r)
{
  const dls_sparse *A = p->A;
  long double *sum = dls_alloc(p->zero, sizeof *sum);
  if (!sum) return DLS_ERR_MEMORY;
  for (int i = 0; i < p->zero; i++) sum[i] = p->b[i];
  for (int j = 0; j < A->cols; j++)
    for (int e = A->p[j]; e < A->p[j + 1] && A->i[e] < p->zero; e++) {
      dls_triplets_put(J, A->i[e], j, A->x[e]);
      sum[A->i[e]] -= (long double)A->x[e] * x[j];
    }
  for (int i = 0; i < p->zero; i++) r[i] = (double)sum[i];
  free(sum);
  return DLS_OK;
}

// lambda = 0 and tau = 0, or mu lambda = |tau|, linear at x
static void add_active(const dls_stick *s, const unsigned char *mode, const dls_stick_program *p,
                       const dls_stick_block *block, int place, const double *x, dls_triplets *J,
                       double *r, int *row)
{
  const dls_polyhedra *c = s->polyhedra;
  const int j = block->contact, lambda = c->n + j, first = c->first[j];
  const bool rubs = block->size > 1 && p->turn_at[j] < 0;
  double size = 0;
  for (int k = 0; rubs && k < block->size - 1; k++) size = hypot(size, x[p->tau_at[first + k]]);
  if (place == DLS_APEX || !rubs || size == 0) {
    dls_triplets_put(J, *row, lambda, 1);
    r[(*row)++] = -x[lambda];
    for (int k = 0; rubs && k < block->size - 1; k++) {
      const int at = p->tau_at[first + k];
      dls_triplets_put(J, *row, at, 1);
      r[(*row)++] = -x[at];
    }
    return;
  }
  const double slope = c->mu_s[j] * sign_of(mode[j]), unit = fmax(1, c->mu_s[j]);
  dls_triplets_put(J, *row, lambda, slope / unit);
  for (int k = 0; k < block->size - 1; k++) {
    const int at = p->tau_at[first + k];
    dls_triplets_put(J, *row, at, -x[at] / size / unit);
  }
  r[(*row)++] = -(slope * x[lambda] - size) / unit;
}

dls_status dls_stick_polish_point(dls_stick *s, const unsigned char *mode,
                                  const dls_stick_program *p, unsigned char *place, double *x,
                                  bool *good)
{
  double *block = dls_alloc((ptrdiff_t)p->cols + p->rows, sizeof *block);
  if (!block) return DLS_ERR_MEMORY;
  double *step = block, *r = step + p->cols;
  dls_status status = DLS_OK;
  *good = false;
  for (int pass = 0; pass < PASSES && status == DLS_OK && !*good; pass++) {
    dls_triplets J = {0};
    int row = p->zero, worst = -1;
    status = add_equations(p, x, &J, r);
    for (int k = 0; k < p->blocks && status == DLS_OK; k++)
      if (place[p->block[k].contact] != DLS_INSIDE)
        add_active(s, mode, p, &p->block[k], place[p->block[k].contact], x, &J, r, &row);
    if (status == DLS_OK) status = dls_least_norm(row, p->cols, &J, r, step);
    dls_triplets_free(&J);
    if (status != DLS_OK) break;
    for (int j = 0; j < p->cols; j++) x[j] += step[j];
    dls_stick_program_point(s, mode, p, x, &s->point);
    *good = dls_stick_fault(s, mode, &s->point, NULL, &worst) <= s->polyhedra->margin;
    if (*good || worst < 0 || pass == 0) continue;
    if (place[worst] != DLS_APEX) place[worst]++;
  }
  free(block);
  return status;
}

// --- proofs -------------------------------------------------------------------------------------

typedef struct proving {
  const dls_stick *s;
  const dls_polyhedra *c;
  dls_triplets J;
  double *r;
  int row;
} proving;

static double along(const dls_polyhedra *c, const double *column, const double *d)
{
  long double sum = 0;
  for (int i = 0; i < c->n; i++) sum += (long double)column[i] * d[i];
  return (double)sum;
}

// w_n p + w_t^T t = 0
static void add_row(proving *v, int j, double w_n, const double *w_t)
{
  const dls_polyhedra *c = v->c;
  const ptrdiff_t n = c->n;
  const double *g = c->G + n * j, *h = c->H + n * c->first[j];
  const int tangents = dls_polyhedra_tangents(c, j);
  long double sum = 0;
  for (ptrdiff_t i = 0; i < n; i++) {
    double entry = w_n * g[i];
    for (int k = 0; w_t && k < tangents; k++) entry += w_t[k] * h[i + n * k];
    dls_triplets_put(&v->J, v->row, (int)i, entry);
    sum += (long double)entry * v->s->proof.d[i];
  }
  v->r[v->row++] = (double)-sum;
}

static void add_tangential(proving *v, int j)
{
  for (int k = 0; k < dls_polyhedra_tangents(v->c, j); k++)
    add_row(v, j, 0, (const double[]){k == 0, k == 1});
}

// What the modes and the place in the dual cone say about p and t.
static void add_contact(proving *v, int j, int mode, int place)
{
  const dls_polyhedra *c = v->c;
  const ptrdiff_t n = c->n;
  const double mu = c->mu_s[j], sign = sign_of(mode), *d = v->s->proof.d;
  const bool bilateral = dls_polyhedra_bilateral(c, j), either = mode & DLS_MODE_EITHER;
  const bool rubs = c->touch[j] == DLS_TOUCH_CANDIDATE && kind_of(mode) == DLS_MODE_STICK;
  double w[2] = {0};
  if (kind_of(mode) == DLS_MODE_SLIDE) {
    for (int k = 0; k < dls_polyhedra_tangents(c, j); k++) w[k] = -mu * c->xi[c->first[j] + k];
    if (place == DLS_INSIDE) return;
    if (either && place == DLS_APEX) add_row(v, j, 1, NULL), add_row(v, j, 0, w);
    else if (either) add_row(v, j, along(c, c->G + n * j, d) > 0 ? -1 : 1, w);
    else add_row(v, j, sign, w);
    return;
  }
  if (!rubs) {
    if (bilateral || place != DLS_INSIDE) add_row(v, j, 1, NULL);
    return;
  }
  if (either || v->s->unlimited) {
    if (either || place != DLS_INSIDE) add_row(v, j, 1, NULL);
    add_tangential(v, j);
    return;
  }
  if (place == DLS_INSIDE) return;
  double t[2] = {0};
  for (int k = 0; k < dls_polyhedra_tangents(c, j); k++)
    t[k] = along(c, c->H + n * ((ptrdiff_t)c->first[j] + k), d);
  const double size = hypot(t[0], t[1]), unit = fmax(1, mu);
  if (place == DLS_APEX || size == 0) {
    add_row(v, j, 1, NULL);
    add_tangential(v, j);
    return;
  }
  for (int k = 0; k < 2; k++) w[k] = -mu / unit * t[k] / size;
  add_row(v, j, sign / unit, w);
}

// M d + G alpha + H sigma = 0
static dls_status add_balance(proving *v)
{
  const dls_polyhedra *c = v->c;
  const ptrdiff_t n = c->n;
  const dls_proof *proof = &v->s->proof;
  long double *sum = dls_alloc(n, sizeof *sum);
  if (!sum) return DLS_ERR_MEMORY;
  for (int j = 0; j < c->n + c->m + c->tangents; j++) {
    const int k = j - c->n - c->m;
    const double *column = j < c->n ? c->M + n * j : k < 0 ? c->G + n * (j - c->n) : c->H + n * k;
    const double at = j < c->n ? proof->d[j] : k < 0 ? proof->alpha[j - c->n] : proof->sigma[k];
    if (k >= 0 && v->s->slip_row[k] < 0) continue;
    const int place = k < 0 ? j : c->n + c->m + v->s->slip_row[k];
    for (int i = 0; i < c->n; i++) {
      dls_triplets_put(&v->J, i, place, column[i]);
      sum[i] -= (long double)column[i] * at;
    }
  }
  for (ptrdiff_t i = 0; i < n; i++) v->r[i] = (double)sum[i];
  v->row = c->n;
  free(sum);
  return DLS_OK;
}

static void move(const dls_stick *s, const double *step)
{
  const dls_polyhedra *c = s->polyhedra;
  for (int i = 0; i < c->n; i++) s->proof.d[i] += step[i];
  for (int j = 0; j < c->m; j++) s->proof.alpha[j] += step[c->n + j];
  for (int k = 0; k < c->tangents; k++)
    if (s->slip_row[k] >= 0) s->proof.sigma[k] += step[c->n + c->m + s->slip_row[k]];
}

// The contact whose terms may become most negative; its place is to be looked at again.
static int worst_contact(const dls_stick *s, const unsigned char *mode, double *most)
{
  const dls_polyhedra *c = s->polyhedra;
  const double size =
      fmax(dls_norm_max(c->n, s->proof.d),
           fmax(dls_norm_max(c->m, s->proof.alpha), dls_norm_max(c->tangents, s->proof.sigma)));
  int worst = -1;
  *most = c->margin / 2 * size;
  for (int j = 0; j < c->m; j++) {
    const double fault = dls_proof_fault(c, mode[j], j, &s->proof);
    if (fault > *most) *most = fault, worst = j;
  }
  return worst;
}

// Would the proof hold as it is? The check normalises what it is given.
static bool holds(const dls_stick *s, const unsigned char *mode, const dls_proof *copy)
{
  const dls_polyhedra *c = s->polyhedra;
  dls_copy(copy->d, s->proof.d, c->n);
  dls_copy(copy->alpha, s->proof.alpha, c->m);
  dls_copy(copy->sigma, s->proof.sigma, c->tangents);
  dls_proof tried = *copy;
  return dls_proof_check(c, mode, &tried) > 0;
}

// Newton's step on the conditions that the places name. inward: instead, a direction that goes
// into all dual cones, p = 1 and t = 0 as far as that is possible.
static dls_status find_step(const dls_stick *s, const unsigned char *mode,
                            const unsigned char *place, bool inward, double *r, double *step)
{
  const dls_polyhedra *c = s->polyhedra;
  proving v = {.s = s, .c = c, .r = r};
  dls_status status = add_balance(&v);
  for (int i = 0; i < c->n && inward; i++) v.r[i] = 0;
  for (int j = 0; j < c->m && status == DLS_OK; j++) {
    const int row = v.row, kind = kind_of(mode[j]);
    const bool either = mode[j] & DLS_MODE_EITHER, bilateral = dls_polyhedra_bilateral(c, j);
    const bool one_sided = kind == DLS_MODE_SLIDE || c->touch[j] == DLS_TOUCH_CANDIDATE;
    add_contact(&v, j, mode[j], inward ? DLS_APEX : place[j]);
    for (int k = row; k < v.row && inward; k++) v.r[k] = 0;
    if (inward && !either && (one_sided || !bilateral)) v.r[row] = sign_of(mode[j]);
  }
  if (status == DLS_OK)
    status = dls_least_norm(v.row, c->n + c->m + s->held_tangents, &v.J, r, step);
  dls_triplets_free(&v.J);
  return status;
}

dls_status dls_stick_polish_proof(dls_stick *s, const unsigned char *mode, unsigned char *place)
{
  const dls_polyhedra *c = s->polyhedra;
  const int cols = c->n + c->m + s->held_tangents;
  const ptrdiff_t m = c->m, tangents = c->tangents, rows = c->n + 2 * m + tangents;
  double *block = dls_alloc(cols + rows + c->n + m + tangents, sizeof *block);
  if (!block) return DLS_ERR_MEMORY;
  double *r = block + cols, *d = r + rows;
  const dls_proof copy = {.d = d, .alpha = d + c->n, .sigma = d + c->n + m};
  dls_status status = DLS_OK;
  bool shifted = false;
  for (int pass = 0; pass < PASSES && status == DLS_OK; pass++) {
    status = find_step(s, mode, place, false, r, block);
    if (status != DLS_OK) break;
    move(s, block);
    if (pass > 0 && holds(s, mode, &copy)) break;
    double most = 0;
    const int worst = worst_contact(s, mode, &most);
    if (pass == 0 || worst < 0) continue;
    if (!shifted &&
        most <= curved_violation) {  // a curved cone, met only to the root of the rounding error
      shifted = true;
      status = find_step(s, mode, place, true, r, block);
      for (int k = 0; k < cols; k++) block[k] *= 4 * most;
      if (status == DLS_OK) move(s, block);
      if (status == DLS_OK && holds(s, mode, &copy)) break;
    } else if (place[worst] != DLS_APEX) place[worst]++;
  }
  free(block);
  return status;
}
