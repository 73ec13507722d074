// A polyhedron, or a relaxation of many, as a linear program in (z, lambda, tau):
//
//   rows: balance M z - G lambda - H tau = -F; normal accelerations G^T z; slip accelerations H^T
//   z;
//         then, per contact with friction, the sides of its cone or the law of sliding.
//
// A Farkas ray of the first three kinds of rows is a proof of emptiness, eq (fri.4).
#include "certify/modes.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

enum { FACETS = 24 };  // of a polygon around a circle

typedef dls_polyhedron_rows builder;

static double *place(builder *b, int row, int col)
{
  return &b->A[row + (ptrdiff_t)b->rows * col];
}

static void narrow(double *low, double *high, double a, double z)
{
  *low = fmax(*low, a), *high = fmin(*high, z);
}

static int cone_rows(const dls_polyhedra *c, int j)
{
  if (c->touch[j] == DLS_TOUCH_FRICTIONLESS) return 0;
  return dls_polyhedra_tangents(c, j) == 2 ? FACETS : 2;
}

static int count_rows(const dls_polyhedra *c)
{
  int rows = c->n + c->m + c->tangents + 1;                    // the last one: a bound
  for (int j = 0; j < c->m; j++) rows += 2 * cone_rows(c, j);  // two modes at once
  return rows;
}

static void fill_equations(builder *b)
{
  const dls_polyhedra *c = b->c;
  const ptrdiff_t n = c->n;
  for (int i = 0; i < c->n; i++) {
    for (int j = 0; j < c->n; j++) *place(b, i, j) = c->M[i + n * j];
    for (int j = 0; j < c->m; j++) {
      const double g = c->G[i + n * j];
      *place(b, i, c->n + j) = -g, *place(b, c->n + j, i) = g;
    }
    for (int k = 0; k < c->tangents; k++) {
      const double h = c->H[i + n * k];
      *place(b, i, c->n + c->m + k) = -h, *place(b, c->n + c->m + k, i) = h;
    }
    b->row_low[i] = b->row_high[i] = -c->F[i];
  }
  for (int i = c->n; i < b->rows; i++) b->row_low[i] = -INFINITY, b->row_high[i] = INFINITY;
  for (int j = 0; j < b->cols; j++) b->col_low[j] = -INFINITY, b->col_high[j] = INFINITY;
}

// The sides of the cone sign mu lambda >= |tau|.
static void add_cone(builder *b, int j, double sign, double mu, int *row)
{
  const dls_polyhedra *c = b->c;
  const int lambda = c->n + j, tau = c->n + c->m + c->first[j];
  const int count = cone_rows(c, j);
  for (int k = 0; k < count; k++, (*row)++) {
    const double angle = 6.283185307179586 * k / count;
    *place(b, *row, lambda) = sign * mu;
    *place(b, *row, tau) = count == 2 ? 1 - 2 * k : cos(angle);
    if (count > 2) *place(b, *row, tau + 1) = sin(angle);
    b->row_low[*row] = 0;
  }
}

// tau = -sign mu e lambda
static void add_sliding(builder *b, int j, double sign, int kind, int *row)
{
  const dls_polyhedra *c = b->c;
  for (int k = c->first[j]; k < c->first[j + 1]; k++, (*row)++) {
    const double e = kind == DLS_MODE_SLIDE_PLUS ? 1 : kind == DLS_MODE_SLIDE_MINUS ? -1 : c->xi[k];
    *place(b, *row, c->n + c->m + k) = 1;
    *place(b, *row, c->n + j) = sign * c->mu[j] * e;
    b->row_low[*row] = b->row_high[*row] = 0;
  }
}

static void add_contact(builder *b, int j, int mode, int *row)
{
  const dls_polyhedra *c = b->c;
  const bool bilateral = dls_polyhedra_bilateral(c, j), pulling = mode & DLS_MODE_PULLING;
  const int a = c->n + j, lambda = c->n + j, kind = mode & ~DLS_MODE_PULLING;
  const bool rubs = c->touch[j] != DLS_TOUCH_FRICTIONLESS, known = c->touch[j] == DLS_TOUCH_SLIDING;
  const bool free_sign = bilateral && (kind == DLS_MODE_ANY || kind == DLS_MODE_CLOSED);
  const double sign = pulling ? -1 : 1;
  const bool opens = !bilateral && (kind == DLS_MODE_DETACH || kind == DLS_MODE_ANY);
  narrow(&b->row_low[a], &b->row_high[a], -c->b[j], opens ? INFINITY : -c->b[j]);
  if (kind == DLS_MODE_DETACH) narrow(&b->col_low[lambda], &b->col_high[lambda], 0, 0);
  else if (!free_sign)
    narrow(&b->col_low[lambda], &b->col_high[lambda], pulling ? -INFINITY : 0,
           pulling ? 0 : INFINITY);
  for (int k = c->first[j]; k < c->first[j + 1]; k++) {
    const int s = c->n + c->m + k, tau = s;
    if (!rubs || kind == DLS_MODE_DETACH) narrow(&b->col_low[tau], &b->col_high[tau], 0, 0);
    const bool down = kind == DLS_MODE_STICK || kind == DLS_MODE_SLIDE_PLUS;
    const bool up = kind == DLS_MODE_STICK || kind == DLS_MODE_SLIDE_MINUS;
    narrow(&b->row_low[s], &b->row_high[s], down ? -c->b_t[k] : -INFINITY,
           up ? -c->b_t[k] : INFINITY);
  }
  if (!rubs || kind == DLS_MODE_DETACH) return;
  const bool cone = kind == DLS_MODE_STICK || (kind == DLS_MODE_ANY && !known) ||
                    (kind == DLS_MODE_SLIDE && !known);
  // in space, where it starts to slide, the cone of that
  const double mu = kind == DLS_MODE_SLIDE ? c->mu[j] : c->mu_s[j];
  if (cone && !free_sign) add_cone(b, j, sign, mu, row);
  else if (!cone && !free_sign)
    add_sliding(b, j, sign, kind == DLS_MODE_ANY ? DLS_MODE_SLIDE : kind, row);
}

static void stay_near(builder *b, const dls_point *point, double radius)
{
  const dls_polyhedra *c = b->c;
  for (int j = 0; j < b->cols; j++) {
    const double at = j < c->n          ? point->z[j]
                      : j < c->n + c->m ? point->lambda[j - c->n]
                                        : point->tau[j - c->n - c->m];
    narrow(&b->col_low[j], &b->col_high[j], at - radius, at + radius);
  }
}

// Without the load only the homogeneous part is left.
static void keep_directions(builder *b)
{
  for (int i = 0; i < b->rows; i++) {
    if (isfinite(b->row_low[i])) b->row_low[i] = 0;
    if (isfinite(b->row_high[i])) b->row_high[i] = 0;
  }
  for (int j = 0; j < b->cols; j++) narrow(&b->col_low[j], &b->col_high[j], -1, 1);
}

static void bound(builder *b, const dls_polyhedron_region *part, int row)
{
  const int at = part->entry;
  if (!part->along) narrow(&b->col_low[at], &b->col_high[at], part->low, part->high);
  if (!part->along) return;
  for (int j = 0; j < b->cols; j++) *place(b, row, j) = part->along[j];
  b->row_low[row] = part->low, b->row_high[row] = part->high;
}

dls_status dls_polyhedron_rows_create(const dls_polyhedra *c, const unsigned char *mode,
                                      const dls_polyhedron_region *region, dls_polyhedron_rows *b)
{
  const dls_polyhedron_region whole = {0}, *part = region ? region : &whole;
  *b = (dls_polyhedron_rows){.c = c, .rows = count_rows(c), .cols = c->n + c->m + c->tangents};
  const ptrdiff_t rows = b->rows, cols = b->cols;
  b->A = dls_alloc(rows * cols + 2 * rows + 3 * cols, sizeof *b->A);
  if (!b->A) return DLS_ERR_MEMORY;
  b->row_low = b->A + rows * cols, b->row_high = b->row_low + rows;
  b->col_low = b->row_high + rows, b->col_high = b->col_low + cols, b->cost = b->col_high + cols;
  fill_equations(b);
  int row = c->n + c->m + c->tangents;
  for (int j = 0; j < c->m; j++) {
    add_contact(b, j, mode[j], &row);
    if (part->other) add_contact(b, j, part->other[j], &row);
  }
  if (part->near) stay_near(b, part->near, part->radius);
  if (part->directions) keep_directions(b);
  if (part->bounded) bound(b, part, row);
  return DLS_OK;
}

dls_status dls_polyhedron_program_create(const dls_polyhedra *c, const unsigned char *mode,
                                         const dls_polyhedron_region *region,
                                         dls_polyhedron_program *program)
{
  dls_polyhedron_rows b;
  dls_status status = dls_polyhedron_rows_create(c, mode, region, &b);
  *program = (dls_polyhedron_program){.rows = b.rows, .cols = b.cols};
  if (status != DLS_OK) return status;
  const dls_lp_data data = {b.rows,     b.cols,    b.A,        b.row_low,
                            b.row_high, b.col_low, b.col_high, b.cost};
  status = dls_lp_create(&data, &program->lp);
  free(b.A);
  return status;
}

void dls_polyhedron_program_free(dls_polyhedron_program *program)
{
  dls_lp_free(program->lp);
  program->lp = NULL;
}

double dls_polyhedron_program_most(const dls_polyhedron_program *program, int j, int side,
                                   double *cost, double *point)
{
  double value = NAN;
  dls_clear(cost, program->cols);
  cost[j] = -side;
  dls_lp_set_cost(program->lp, cost);
  const dls_lp_outcome outcome = dls_lp_solve(program->lp, point, NULL, &value);
  return outcome == DLS_LP_OPTIMAL ? -value : (double)NAN;
}

dls_status dls_polyhedron_relaxed(const dls_polyhedra *c, const unsigned char *mode,
                                  dls_proof *proof, double *margin)
{
  dls_polyhedron_program program;
  *margin = 0;
  dls_status status = dls_polyhedron_program_create(c, mode, NULL, &program);
  if (status != DLS_OK) return status;
  double *y = dls_alloc(program.rows, sizeof *y);
  if (!y) status = DLS_ERR_MEMORY;
  if (y && dls_lp_solve(program.lp, NULL, y, NULL) == DLS_LP_INFEASIBLE) {
    dls_copy(proof->d, y, c->n);
    dls_copy(proof->alpha, y + c->n, c->m);
    if (c->tangents) dls_copy(proof->sigma, y + c->n + c->m, c->tangents);
    *margin = dls_proof_check_far(c, mode, proof);
    status = dls_polyhedron_refute(c, mode, proof, margin);
  }
  if (status == DLS_OK) status = dls_lp_status(program.lp);
  free(y);
  dls_polyhedron_program_free(&program);
  return status;
}
