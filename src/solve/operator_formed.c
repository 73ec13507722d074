// The global form with few rows and many coordinates: W = H^T M^-1 H is formed, which costs one
// solution with M per row, and is kept as a problem in local form.
#include "base/memory.h"
#include "linalg/mass.h"
#include "solve/operator.h"

#include <stdlib.h>

enum { FEW = 8 };  // blocks of rows

typedef struct formed {
  dls_operator op;
  dls_arena *arena;
  dls_mass *mass;
  dls_operator *local;
  dls_incremental problem;  // of it
  int *p, *i;               // W whole, by columns
  double *W, *x;            // x: dof, work
} formed;

bool dls_operator_few(const dls_incremental *problem)
{
  const int rows = dls_incremental_rows(problem);
  return rows <= FEW * problem->dimension && 4 * rows <= problem->dof;
}

static void destroy(dls_operator *op)
{
  formed *f = (formed *)op;
  dls_operator_free(f->local);
  dls_mass_free(f->mass);
  dls_arena_free(f->arena);
  free(f);
}

static dls_status set_up(formed *f)
{
  const dls_operator *op = &f->op;
  const ptrdiff_t n = op->rows;
  f->p = dls_arena_alloc(f->arena, n + 1, sizeof(int));
  f->i = dls_arena_alloc(f->arena, n * n + 1, sizeof(int));
  f->W = dls_arena_alloc(f->arena, n * n + 1, sizeof(double));
  f->x = dls_arena_alloc(f->arena, (ptrdiff_t)op->problem->dof + 1, sizeof(double));
  f->op.q = dls_arena_alloc(f->arena, (ptrdiff_t)op->padded + 1, sizeof(double));
  if (!f->p || !f->i || !f->W || !f->x || !op->q) return DLS_ERR_MEMORY;
  for (int j = 0; j < op->rows; j++) {
    f->p[j + 1] = op->rows * (j + 1);
    for (int i = 0; i < op->rows; i++) f->i[op->rows * j + i] = i;
  }
  f->problem = *op->problem;
  f->problem.global = false, f->problem.q = op->q;
  f->problem.W = (dls_matrix_view){{op->rows, op->rows, f->p, f->i}, f->W};
  return dls_operator_local.create(&f->problem, &f->local);
}

static dls_status create(const dls_incremental *problem, dls_operator **out)
{
  *out = NULL;
  formed *f = dls_alloc(1, sizeof *f);
  if (!f) return DLS_ERR_MEMORY;
  dls_operator *op = &f->op;
  dls_operator_shape(&dls_operator_formed, problem, op);
  f->arena = dls_arena_create();
  dls_status status = f->arena ? dls_mass_create(&problem->M, &f->mass) : DLS_ERR_MEMORY;
  if (status == DLS_OK) status = set_up(f);
  if (status != DLS_OK) {
    destroy(op);
    return status;
  }
  op->row_p = f->local->row_p, op->row_col = f->local->row_col, op->W = f->local->W;
  op->diagonal = f->local->diagonal;
  op->has_rows = true;
  *out = op;
  return DLS_OK;
}

// H^T v, each number with what `rest` has (or NULL).
static void relative(const dls_operator *op, const double *v, const double *rest, double *u)
{
  const dls_matrix_view *H = &op->problem->H;
  for (int j = 0; j < op->rows; j++) {
    double sum = 0;
    for (int e = H->pattern.p[j]; e < H->pattern.p[j + 1]; e++) sum += H->x[e] * v[H->pattern.i[e]];
    u[j] = rest ? sum + rest[j] : sum;
  }
}

static dls_status refresh(dls_operator *op)
{
  formed *f = (formed *)op;
  const dls_incremental *p = op->problem;
  const ptrdiff_t bytes = p->dof;
  dls_status status = dls_mass_refresh(f->mass);
  if (status != DLS_OK) return status;
  for (int j = 0; j < op->rows; j++) {
    dls_clear(f->x, bytes);
    for (int e = p->H.pattern.p[j]; e < p->H.pattern.p[j + 1]; e++)
      f->x[p->H.pattern.i[e]] = p->H.x[e];
    dls_mass_solve(f->mass, f->x);
    relative(op, f->x, NULL, f->W + (ptrdiff_t)op->rows * j);
  }
  if (bytes > 0) dls_copy(f->x, p->f, bytes);
  dls_mass_solve(f->mass, f->x);
  relative(op, f->x, p->w, op->q);
  op->free = f->x;
  return dls_operator_refresh(f->local);
}

static void velocity(dls_operator *op, const double *r, double *v, double *u)
{
  formed *f = (formed *)op;
  const dls_incremental *p = op->problem;
  if (!v) {
    dls_operator_velocity(f->local, r, NULL, u);
    return;
  }
  if (p->dof > 0) dls_copy(v, p->f, p->dof);
  for (int j = 0; j < op->rows; j++)
    for (int e = p->H.pattern.p[j]; e < p->H.pattern.p[j + 1]; e++)
      v[p->H.pattern.i[e]] += p->H.x[e] * r[j];
  dls_mass_solve(f->mass, v);
  relative(op, v, p->w, u);
  for (int i = op->rows; i < op->padded; i++) u[i] = 0;
}

static void multiply(dls_operator *op, const double *x, double *y)
{
  dls_operator_multiply(((formed *)op)->local, x, y);
}

static dls_status prepare(dls_operator *op, ptrdiff_t fill)
{
  formed *f = (formed *)op;
  const dls_status status = dls_operator_prepare(f->local, fill);
  op->work = f->local->work;
  return status;
}

static bool factor(dls_operator *op, const double *P, const double *R, const double *Q)
{
  return dls_operator_local.factor(((formed *)op)->local, P, R, Q);
}

static int sign(const dls_operator *op)
{
  return dls_operator_sign(((const formed *)op)->local);
}

static void solve(dls_operator *op, double *b)
{
  dls_operator_solve(((formed *)op)->local, b);
}

static void rows_begin(dls_operator *op, const double *r)
{
  (void)op, (void)r;
}

static void row(const dls_operator *op, int block, const double *r, double *u)
{
  dls_operator_row(((const formed *)op)->local, block, r, u);
}

static void row_changed(dls_operator *op, int block, const double *change)
{
  (void)op, (void)block, (void)change;
}

const dls_operator_type dls_operator_formed = {
    .create = create,
    .destroy = destroy,
    .refresh = refresh,
    .velocity = velocity,
    .multiply = multiply,
    .prepare = prepare,
    .factor = factor,
    .sign = sign,
    .solve = solve,
    .rows_begin = rows_begin,
    .row = row,
    .row_changed = row_changed,
};
