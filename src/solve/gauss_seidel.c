// Nonlinear Gauss-Seidel: contact after contact, each solved exactly while the others wait. Rows of
// equations are solved block by block.
#include "solve/gauss_seidel.h"

#include "solve/one_contact.h"

#include <math.h>

typedef struct gauss_seidel {
  double *inverse;  // of the diagonal blocks of equations
} gauss_seidel;

static dls_status create(dls_run *run, void **self)
{
  gauss_seidel *g = dls_arena_alloc(run->arena, 1, sizeof *g);
  if (!g || !(g->inverse = dls_run_blocks(run))) return DLS_ERR_MEMORY;
  *self = g;
  return DLS_OK;
}

static void visit(dls_run *run, const gauss_seidel *g, int i)
{
  dls_operator *op = run->op;
  const int d = run->d;
  const double *W = op->diagonal + (ptrdiff_t)(d * d) * i;
  double *r = run->r + (ptrdiff_t)d * i, rest[3], old[3];
  dls_operator_row(op, i, run->r, rest);
  for (int k = 0; k < d; k++) old[k] = r[k];
  if (i >= run->contacts) {  // r -= W_ii^-1 u
    for (int k = 0; k < d; k++) rest[k] = -rest[k];
    dls_block_add(d, d, g->inverse + (ptrdiff_t)(d * d) * i, rest, r);
  } else {
    for (int k = 0; k < d; k++)
      for (int l = 0; l < d; l++) rest[k] -= W[k + d * l] * r[l];
    if (!dls_one_contact(d, run->mu[i], W, rest, r)) return;
  }
  for (int k = 0; k < d; k++) old[k] = r[k] - old[k];
  dls_operator_row_changed(op, i, old);
}

void dls_gauss_seidel_sweep(dls_run *run, void *self, bool backwards)
{
  dls_operator_rows_begin(run->op, run->r);
  if (!backwards)
    for (int i = 0; i < run->blocks; i++) visit(run, self, i);
  else
    for (int i = run->blocks - 1; i >= 0; i--) visit(run, self, i);
}

void dls_gauss_seidel_start(dls_run *run, void *self)
{
  gauss_seidel *g = self;
  const int area = run->d * run->d;
  for (int i = run->contacts; i < run->blocks; i++)
    if (!dls_block_invert(run->d, run->op->diagonal + (ptrdiff_t)area * i,
                          g->inverse + (ptrdiff_t)area * i))
      for (int k = 0; k < area; k++) g->inverse[(ptrdiff_t)area * i + k] = 0;
}

static void iterate(dls_run *run, void *self)
{
  if (!dls_operator_has_rows(run->op)) {
    dls_run_give_up(run, DLS_STOP_NUMERICS);
    return;
  }
  dls_gauss_seidel_start(run, self);
  dls_run_measure(run);
  while (dls_run_next(run)) {
    dls_gauss_seidel_sweep(run, self, false);
    dls_run_measure(run);
  }
}

const dls_method dls_method_gauss_seidel = {
    .info = {"nsgs", "nonlinear Gauss-Seidel with exact one-contact solutions", true, true},
    .most_iterations = 100000,
    .create = create,
    .iterate = iterate,
};
