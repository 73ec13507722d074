// The all-sticking problem as a conic program, eq (stk.3), and corrections of least norm.
#include "certify/sticking_internal.h"

#include "base/memory.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>

// The square of a gradient, of the first one, at which conjugate gradients end.
static const double solved_square = 1e-24;

static double square(int count, const double *x)
{
  return dls_dot(count, x, x);
}

// Conjugate gradients on J^T J x = J^T r, from x = 0: what dependent rows contradict each other by
// (the rounding errors of r, which may be all that is left of it) does no harm.
dls_status dls_least_norm(int rows, int cols, const dls_triplets *J, const double *r, double *x)
{
  enum { MOST = 4000, PATIENCE = 200 };  // steps; those after the best one so far
  dls_sparse *A = NULL;
  double *block = dls_alloc(2 * (ptrdiff_t)rows + 2 * (ptrdiff_t)cols, sizeof *block);
  double *left = block, *image = left + rows, *gradient = image + rows, *step = gradient + cols;
  dls_clear(x, cols);
  const dls_status status = block ? dls_triplets_sparse(J, rows, cols, &A) : DLS_ERR_MEMORY;
  if (status == DLS_OK) {
    dls_copy(left, r, rows);
    dls_sparse_multiply(true, 1, A, left, 0, gradient);
    dls_copy(step, gradient, cols);
    double now = square(cols, gradient), best = now;
    const double enough = solved_square * now;
    int since = 0;
    const int most = 4 * (rows + cols) < MOST ? 4 * (rows + cols) : MOST;
    for (int k = 0; k < most && now > enough && since < PATIENCE; k++) {
      dls_sparse_multiply(false, 1, A, step, 0, image);
      const double length = now / square(rows, image), before = now;
      if (!isfinite(length)) break;
      for (int j = 0; j < cols; j++) x[j] += length * step[j];
      for (int i = 0; i < rows; i++) left[i] -= length * image[i];
      dls_sparse_multiply(true, 1, A, left, 0, gradient);
      now = square(cols, gradient);
      since = now < best ? 0 : since + 1;
      best = fmin(best, now);
      for (int j = 0; j < cols; j++) step[j] = gradient[j] + now / before * step[j];
    }
    if (!(square(rows, left) <= square(rows, r))) dls_clear(x, cols);
  }
  dls_sparse_free(A);
  free(block);
  return status;
}

// --- the program --------------------------------------------------------------------------------

typedef struct builder {
  const dls_stick *s;
  const dls_polyhedra *c;
  const unsigned char *mode;
  dls_stick_goal goal;
  const double *w;
  dls_stick_program *p;
  dls_triplets A, P;
} builder;

static int kind_of(const builder *b, int j)
{
  return b->mode[j] & ~(DLS_MODE_PULLING | DLS_MODE_EITHER);
}

static double sign_of(const builder *b, int j)
{
  return b->mode[j] & DLS_MODE_PULLING ? -1 : 1;
}

// Rows of the cone of a contact: none for a bilateral contact without friction, or of either sign
// and held; one for the sign of a force; three (planar: two) for friction.
static int cone_rows(const builder *b, int j)
{
  const bool bilateral = dls_polyhedra_bilateral(b->c, j), either = b->mode[j] & DLS_MODE_EITHER;
  const bool rubs = b->c->touch[j] == DLS_TOUCH_CANDIDATE && kind_of(b, j) == DLS_MODE_STICK;
  if (kind_of(b, j) == DLS_MODE_SLIDE) return either ? 2 : 1;
  if (either || (bilateral && !rubs)) return 0;
  return rubs && !b->s->unlimited ? 1 + dls_polyhedra_tangents(b->c, j) : 1;
}

static void place_columns(builder *b)
{
  const dls_polyhedra *c = b->c;
  dls_stick_program *p = b->p;
  p->cols = c->n + c->m;
  for (int j = 0; j < c->m; j++) {
    const bool rubs = c->touch[j] == DLS_TOUCH_CANDIDATE && kind_of(b, j) == DLS_MODE_STICK;
    const bool turns = kind_of(b, j) == DLS_MODE_SLIDE && (b->mode[j] & DLS_MODE_EITHER);
    for (int k = c->first[j]; k < c->first[j + 1]; k++) p->tau_at[k] = rubs ? p->cols++ : -1;
    p->turn_at[j] = turns ? p->cols++ : -1;
  }
  p->goal = p->cols;
  p->cols += b->goal == DLS_STICK_ROOM ? 1 : c->n;
  p->zero = p->rows = c->n + c->m + b->s->held_tangents;
  p->nonneg = b->goal == DLS_STICK_ROOM;
  p->rows += p->nonneg;
  for (int single = 1; single >= 0; single--)
    for (int j = 0; j < c->m; j++) {
      const int rows = cone_rows(b, j);
      if (rows == 0 || (rows == 1) != single) continue;
      p->block[p->blocks++] = (dls_stick_block){j, p->rows, rows};
      p->rows += rows;
      if (single) p->nonneg++;
      else p->cone_size[p->cones++] = rows;
    }
}

static void fill_equations(builder *b)
{
  const dls_polyhedra *c = b->c;
  const dls_stick_program *p = b->p;
  const ptrdiff_t n = c->n;
  for (int i = 0; i < c->n; i++) p->b[i] = b->w ? -b->w[i] : -c->F[i];
  for (int j = 0; j < c->n && !b->w; j++)
    for (int i = 0; i < c->n; i++) dls_triplets_put(&b->A, i, j, c->M[i + n * j]);
  for (int j = 0; j < c->m; j++) {
    const double *g = c->G + n * j, sign = sign_of(b, j);
    const bool slides = kind_of(b, j) == DLS_MODE_SLIDE;
    if (!b->w) p->b[c->n + j] = -c->b[j];
    for (int i = 0; i < c->n; i++) {
      double force = g[i], turn = 0;
      for (int k = c->first[j]; slides && k < c->first[j + 1]; k++)
        turn += c->mu_s[j] * c->xi[k] * c->H[i + n * k];
      // either sign: -mu xi |lambda| has a column of its own
      if (p->turn_at[j] >= 0) dls_triplets_put(&b->A, i, p->turn_at[j], turn);
      else force -= sign * turn;
      dls_triplets_put(&b->A, i, c->n + j, -force);
      if (!b->w) dls_triplets_put(&b->A, c->n + j, i, g[i]);
    }
  }
  for (int k = 0; k < c->tangents; k++) {
    const double *h = c->H + n * k;
    const int row = b->s->slip_row[k] < 0 || b->w ? -1 : c->n + c->m + b->s->slip_row[k];
    if (row >= 0) p->b[row] = -c->b_t[k];
    for (int i = 0; i < c->n; i++) {
      if (p->tau_at[k] >= 0) dls_triplets_put(&b->A, i, p->tau_at[k], -h[i]);
      if (row >= 0) dls_triplets_put(&b->A, row, i, h[i]);
    }
  }
}

// s = (mu lambda - t, tau) / max(1, mu), or s = lambda - t
static void fill_cone(builder *b, const dls_stick_block *block)
{
  const dls_polyhedra *c = b->c;
  const int j = block->contact, lambda = c->n + j;
  if (b->p->turn_at[j] >= 0) {
    dls_triplets_put(&b->A, block->at, b->p->turn_at[j], -1);
    dls_triplets_put(&b->A, block->at + 1, lambda, -1);
    return;
  }
  const bool rubs = block->size > 1;
  const double unit = rubs ? fmax(1, c->mu_s[j]) : 1, slope = rubs ? c->mu_s[j] / unit : 1;
  dls_triplets_put(&b->A, block->at, lambda, -slope * sign_of(b, j));
  if (b->goal == DLS_STICK_ROOM) dls_triplets_put(&b->A, block->at, b->p->goal, 1);
  for (int k = 0; k < block->size - 1; k++)
    dls_triplets_put(&b->A, block->at + 1 + k, b->p->tau_at[c->first[j] + k], -1 / unit);
}

static void fill_goal(builder *b)
{
  const dls_polyhedra *c = b->c;
  const dls_stick_program *p = b->p;
  const ptrdiff_t n = c->n;
  if (b->goal == DLS_STICK_ROOM) {  // max t <= 1
    dls_triplets_put(&b->A, p->zero, p->goal, 1);
    p->b[p->zero] = 1, p->q[p->goal] = -1;
    return;
  }
  const bool kinetic = b->goal == DLS_STICK_FORCE_KINETIC;
  for (int j = 0; j < c->n; j++)
    for (int i = 0; i < c->n; i++) {
      const double entry = kinetic ? c->M[i + n * j] : i == j;
      dls_triplets_put(&b->A, i, p->goal + j, -entry);
      if (i <= j) dls_triplets_put(&b->P, p->goal + i, p->goal + j, entry);
    }
}

dls_status dls_stick_program_create(const dls_stick *s, const unsigned char *mode,
                                    dls_stick_goal goal, const double *w, dls_stick_program *p)
{
  const dls_polyhedra *c = s->polyhedra;
  const ptrdiff_t m = c->m, tangents = c->tangents;
  builder b = {.s = s, .c = c, .mode = mode, .goal = goal, .w = w, .p = p};
  *p = (dls_stick_program){.tau_at = dls_alloc(tangents + 2 * m, sizeof(int)),
                           .block = dls_alloc(m, sizeof(dls_stick_block))};
  if (!p->tau_at || !p->block) return DLS_ERR_MEMORY;
  p->turn_at = p->tau_at + tangents, p->cone_size = p->turn_at + m;
  place_columns(&b);
  p->b = dls_alloc((ptrdiff_t)p->rows + p->cols, sizeof *p->b);
  if (!p->b) return DLS_ERR_MEMORY;
  p->q = p->b + p->rows;
  fill_equations(&b);
  for (int k = 0; k < p->blocks; k++) fill_cone(&b, &p->block[k]);
  fill_goal(&b);
  dls_status status = dls_triplets_sparse(&b.A, p->rows, p->cols, &p->A);
  if (status == DLS_OK && goal != DLS_STICK_ROOM)
    status = dls_triplets_sparse(&b.P, p->cols, p->cols, &p->P);
  dls_triplets_free(&b.A), dls_triplets_free(&b.P);
  return status;
}

dls_status dls_stick_program_solve(const dls_stick_program *p, double *x, double *s, double *y,
                                   dls_cone_report *report)
{
  const dls_cone_problem problem = {.n = p->cols,
                                    .m = p->rows,
                                    .P = p->P,
                                    .A = p->A,
                                    .q = p->q,
                                    .b = p->b,
                                    .zero = p->zero,
                                    .nonneg = p->nonneg,
                                    .cones = p->cones,
                                    .cone_size = p->cone_size};
  return dls_cone_run(&problem, NULL, x, s, y, report);
}

void dls_stick_program_free(dls_stick_program *p)
{
  free(p->tau_at), free(p->block), free(p->b);
  dls_sparse_free(p->A), dls_sparse_free(p->P);
  *p = (dls_stick_program){0};
}

void dls_stick_program_point(const dls_stick *s, const unsigned char *mode,
                             const dls_stick_program *p, const double *x, dls_point *point)
{
  const dls_polyhedra *c = s->polyhedra;
  for (int i = 0; i < c->n; i++) point->z[i] = x[i];
  for (int j = 0; j < c->m; j++) {
    const double lambda = point->lambda[j] = x[c->n + j];
    const double size = p->turn_at[j] >= 0           ? x[p->turn_at[j]]
                        : mode[j] & DLS_MODE_PULLING ? -lambda
                                                     : lambda;
    const bool slides = (mode[j] & ~(DLS_MODE_PULLING | DLS_MODE_EITHER)) == DLS_MODE_SLIDE;
    for (int k = c->first[j]; k < c->first[j + 1]; k++)
      point->tau[k] = p->tau_at[k] >= 0 ? x[p->tau_at[k]]
                      : slides          ? -c->mu_s[j] * c->xi[k] * size
                                        : 0;
  }
}
