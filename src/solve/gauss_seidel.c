// Nonlinear Gauss-Seidel: contact after contact, each solved exactly while the others wait. Rows of
// equations are solved block by block.
#include "solve/gauss_seidel.h"

#include "linalg/block.h"
#include "solve/one_contact.h"
#include "solve/one_law.h"
#include "solve/tolerances.h"

#include <math.h>

typedef struct gauss_seidel {
  double *inverse;  // of the diagonal blocks of equations
  double alone;     // how near, of contacts that meet no other
} gauss_seidel;

// One for all methods that sweep: what `start` finds serves them all.
static dls_status create(dls_run *run, void **self)
{
  gauss_seidel *g = run->sweeps;
  if (!g) {
    g = dls_arena_alloc(run->arena, 1, sizeof *g);
    if (!g || !(g->inverse = dls_run_blocks(run))) return DLS_ERR_MEMORY;
    g->alone = run->options.tolerance >= demanding ? near_alone : near_exact;
  }
  *self = run->sweeps = g;
  return DLS_OK;
}

// Of another law than the cone's; apart, so that the others pay nothing.
static __attribute__((noinline)) bool solve_law(const dls_run *run, int i, const double *W,
                                                const double *q, double near, double *r)
{
  const dls_one_law law = dls_law_at(run->problem, i);
  return dls_one_law_near(run->d, &law, W, q, near, r);
}

// The solution of one block, whose u is q for r = 0.
static bool solve_block(const dls_run *run, const gauss_seidel *g, int d, int i, double near,
                        double *q, double *r)
{
  const ptrdiff_t at = (ptrdiff_t)(d * d) * i;
  if (i < run->contacts) {
    const double *W = run->op->diagonal + at;
    if (run->law) return solve_law(run, i, W, q, near, r);
    return dls_one_contact_near(d, run->mu[i], W, q, near, r);
  }
  for (int k = 0; k < d; k++) q[k] = -q[k], r[k] = 0;
  dls_block_add(d, d, g->inverse + at, q, r);
  return true;
}

// Where W is formed.
static inline void visit_formed(dls_run *run, const gauss_seidel *g, int d, int i)
{
  double *r = run->r + (ptrdiff_t)d * i, q[3], old[3];
  const double *own = run->op->q + (ptrdiff_t)d * i;
  // one that meets no other: nothing is added, and nearly exactly, as nothing else matters
  if (run->op->row_p[i + 1] - run->op->row_p[i] == 1) {
    for (int k = 0; k < d; k++) q[k] = own[k];
    solve_block(run, g, d, i, g->alone, q, r);
    return;
  }
  for (int k = 0; k < d; k++) old[k] = r[k], r[k] = 0;
  dls_operator_product(run->op, d, i, run->r, q);
  for (int k = 0; k < d; k++) q[k] += own[k], r[k] = old[k];
  solve_block(run, g, d, i, near_in_sweep, q, r);
}

static void visit(dls_run *run, const gauss_seidel *g, int i)
{
  dls_operator *op = run->op;
  const int d = run->d;
  const double *W = op->diagonal + (ptrdiff_t)(d * d) * i;
  double *r = run->r + (ptrdiff_t)d * i, rest[3], old[3];
  dls_operator_row(op, i, run->r, rest);
  for (int k = 0; k < d; k++) old[k] = r[k];
  for (int k = 0; k < d; k++)
    for (int l = 0; l < d; l++) rest[k] -= W[k + d * l] * r[l];
  if (!solve_block(run, g, d, i, near_in_sweep, rest, r)) return;
  for (int k = 0; k < d; k++) old[k] = r[k] - old[k];
  dls_operator_row_changed(op, i, old);
}

void dls_gauss_seidel_sweep(dls_run *run, void *self, bool backwards)
{
  const int n = run->blocks;
  if (!run->op->W) {
    dls_operator_rows_begin(run->op, run->r);
    for (int k = 0; k < n; k++) visit(run, self, backwards ? n - 1 - k : k);
  } else if (run->d == 3) {
    for (int k = 0; k < n; k++) visit_formed(run, self, 3, backwards ? n - 1 - k : k);
  } else {
    for (int k = 0; k < n; k++) visit_formed(run, self, 2, backwards ? n - 1 - k : k);
  }
}

void dls_gauss_seidel_start(dls_run *run, void *self)
{
  gauss_seidel *g = self;
  const int area = run->d * run->d;
  int sign = 1;
  for (int i = run->contacts; i < run->blocks; i++)
    if (!dls_block_invert(run->d, run->op->diagonal + (ptrdiff_t)area * i,
                          g->inverse + (ptrdiff_t)area * i, &sign))
      for (int k = 0; k < area; k++) g->inverse[(ptrdiff_t)area * i + k] = 0;
}

static void iterate(dls_run *run, void *self)
{
  if (!dls_operator_has_rows(run->op)) {
    dls_run_give_up(run, DLS_STOP_NUMERICS);
    return;
  }
  dls_gauss_seidel_start(run, self);
  while (dls_run_next(run)) {
    dls_gauss_seidel_sweep(run, self, false);
    dls_run_measure(run);
  }
}

const dls_method dls_method_gauss_seidel = {
    .info = {"nsgs", "nonlinear Gauss-Seidel with exact one-contact solutions", true, true, false,
             DLS_LAWS_ALL},
    .max_iterations = 100000,
    .create = create,
    .iterate = iterate,
};
