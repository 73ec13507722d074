// An operator whose contacts change: W = G^T G of the subdomain, never formed. With M = 1 in
// eq (ops.1) a system P W x + Q x = b becomes
//
//   (1 + G Q^-1 P G^T) z = G Q^-1 b,   x = Q^-1 (b - P G^T z)
//
// on the bodies of the subdomain, which are fewer than the contacts.
#include "solve/subdomain.h"

#include "base/memory.h"
#include "linalg/block.h"
#include "solve/gauss_seidel.h"
#include "solve/newton.h"
#include "solve/proximal.h"
#include "solve/subdomain_lu.h"
#include "solve/tolerances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = DLS_BODY_SIZE, MOST = DLS_SUBDOMAIN_CONTACTS };
enum { STEPS = 15, ALL_STEPS = 120 };  // of Newton's method alone, and with proximal points

struct dls_subdomain {
  dls_operator op;
  const dls_bodies *b;
  dls_run run;
  void *newton, *proximal;
  int bodies, global[DLS_SUBDOMAIN_BODIES];  // the pile's numbers
  int *local;                                // of all bodies: number here + 1, or 0
  const int *places;
  int body[2 * MOST];  // numbers here; -1: none
  double mu[MOST], W[9 * MOST], q[3 * MOST];
  double inverse[9 * MOST], T[9 * MOST];  // Q^-1 and Q^-1 P
  double z[N * DLS_SUBDOMAIN_BODIES];
  dls_subdomain_lu *lu;
};

// ---- the operator ------------------------------------------------------------------------------

static const double *side_of(const dls_subdomain *g, int i, int side)
{
  return g->b->G + (ptrdiff_t)36 * g->places[i] + (ptrdiff_t)18 * side;
}

// z += G_i d
static void push(const dls_subdomain *g, int i, const double *d, double *z)
{
  for (int side = 0; side < 2 && g->body[2 * i + side] >= 0; side++) {
    const double *G = side_of(g, i, side);
    double *x = z + (ptrdiff_t)N * g->body[2 * i + side];
    for (int k = 0; k < N; k++) x[k] += G[k] * d[0] + G[N + k] * d[1] + G[2 * N + k] * d[2];
  }
}

// u = G_i^T z
static void relative(const dls_subdomain *g, int i, const double *z, double *u)
{
  u[0] = u[1] = u[2] = 0;
  for (int side = 0; side < 2 && g->body[2 * i + side] >= 0; side++) {
    const double *G = side_of(g, i, side), *x = z + (ptrdiff_t)N * g->body[2 * i + side];
    for (int k = 0; k < 3; k++)
      for (int l = 0; l < N; l++) u[k] += G[N * k + l] * x[l];
  }
}

static void rows_begin(dls_operator *op, const double *r)
{
  dls_subdomain *g = (dls_subdomain *)op;
  dls_clear(g->z, N * g->bodies);
  for (int i = 0; i < op->contacts; i++) push(g, i, r + (ptrdiff_t)3 * i, g->z);
}

static void row(const dls_operator *op, int block, const double *r, double *u)
{
  (void)r;
  const dls_subdomain *g = (const dls_subdomain *)op;
  relative(g, block, g->z, u);
  for (int k = 0; k < 3; k++) u[k] += g->q[3 * block + k];
}

static void row_changed(dls_operator *op, int block, const double *change)
{
  dls_subdomain *g = (dls_subdomain *)op;
  push(g, block, change, g->z);
}

static void multiply(dls_operator *op, const double *x, double *y)
{
  const dls_subdomain *g = (const dls_subdomain *)op;
  rows_begin(op, x);
  for (int i = 0; i < op->contacts; i++) relative(g, i, g->z, y + (ptrdiff_t)3 * i);
}

static void velocity(dls_operator *op, const double *r, double *v, double *u)
{
  (void)v;
  rows_begin(op, r);
  for (int i = 0; i < op->contacts; i++) row(op, i, r, u + (ptrdiff_t)3 * i);
}

static dls_status prepare(dls_operator *op, ptrdiff_t fill)
{
  (void)op, (void)fill;
  return DLS_OK;
}

// S += A^T T D, with T column-major and two sides A, D of G
static void add_coupling(const double *A, const double *T, const double *D, double *S)
{
  double TD[3][N] = {{0}};
  for (int k = 0; k < 3; k++)
    for (int l = 0; l < 3; l++)
      for (int c = 0; c < N; c++) TD[k][c] += T[k + 3 * l] * D[N * l + c];
  for (int i = 0; i < N; i++)
    for (int c = 0; c < N; c++)
      S[N * i + c] += A[i] * TD[0][c] + A[N + i] * TD[1][c] + A[2 * N + i] * TD[2][c];
}

// Systems W R + Q are not needed: Newton's method and proximal points have P.
static bool factor(dls_operator *op, const double *P, const double *R, const double *Q)
{
  dls_subdomain *g = (dls_subdomain *)op;
  if (!P || R) return false;
  dls_subdomain_lu_clear(g->lu);
  for (int k = 0; k < g->bodies; k++)
    for (int i = 0; i < N; i++) dls_subdomain_lu_at(g->lu, k, k)[(N + 1) * i] = 1;
  int side = 1;
  for (int i = 0; i < op->contacts; i++) {
    double *T = g->T + (ptrdiff_t)9 * i;
    if (!dls_block_invert(3, Q + (ptrdiff_t)9 * i, g->inverse + (ptrdiff_t)9 * i, &side))
      return false;
    dls_block_multiply(3, g->inverse + (ptrdiff_t)9 * i, P + (ptrdiff_t)9 * i, T);
    for (int s = 0; s < 2 && g->body[2 * i + s] >= 0; s++)
      for (int t = 0; t < 2 && g->body[2 * i + t] >= 0; t++)
        add_coupling(side_of(g, i, s), T, side_of(g, i, t),
                     dls_subdomain_lu_at(g->lu, g->body[2 * i + s], g->body[2 * i + t]));
  }
  return dls_subdomain_lu_factor(g->lu);
}

static int sign(const dls_operator *op)
{
  return dls_subdomain_lu_sign(((const dls_subdomain *)op)->lu);
}

static void solve(dls_operator *op, double *b)
{
  dls_subdomain *g = (dls_subdomain *)op;
  dls_clear(g->z, N * g->bodies);
  for (int i = 0; i < op->contacts; i++) {
    double d[3] = {0}, *own = b + (ptrdiff_t)3 * i;
    dls_block_add(3, 3, g->inverse + (ptrdiff_t)9 * i, own, d);
    memcpy(own, d, sizeof d);
    push(g, i, d, g->z);
  }
  dls_subdomain_lu_solve(g->lu, g->z);
  for (int i = 0; i < op->contacts; i++) {
    double u[3], d[3] = {0};
    relative(g, i, g->z, u);
    dls_block_add(3, 3, g->T + (ptrdiff_t)9 * i, u, d);
    for (int k = 0; k < 3; k++) b[3 * i + k] -= d[k];
  }
}

static const dls_operator_type type = {
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

// ---- create ------------------------------------------------------------------------------------

static void resize(dls_subdomain *g, int contacts)
{
  dls_run *run = &g->run;
  g->op.contacts = g->op.blocks = run->contacts = run->blocks = contacts;
  g->op.rows = g->op.padded = run->rows = run->padded = 3 * contacts;
}

dls_status dls_subdomain_create(const dls_bodies *b, dls_subdomain **out)
{
  *out = NULL;
  dls_subdomain *g = dls_alloc(1, sizeof *g);
  if (!g) return DLS_ERR_MEMORY;
  dls_run *run = &g->run;
  g->b = b;
  g->op = (dls_operator){.type = &type, .d = 3, .q = g->q, .diagonal = g->W, .has_rows = true};
  *run = (dls_run){
      .op = &g->op, .d = 3, .mu = g->mu, .norm_q = 1, .unit = 1, .velocity = 1, .name = "region"};
  run->options = (dls_solve_options){.max_iterations = ALL_STEPS};
  resize(g, MOST);
  run->arena = dls_arena_create();
  dls_status status = run->arena ? DLS_OK : DLS_ERR_MEMORY;
  if (status == DLS_OK) {
    run->r = dls_run_vector(run), run->u = dls_run_vector(run), run->best_r = dls_run_vector(run);
    g->local = dls_arena_alloc(run->arena, (ptrdiff_t)b->bodies + 1, sizeof(int));
    g->lu = dls_subdomain_lu_create();
    if (!run->r || !run->u || !run->best_r || !g->local || !g->lu) status = DLS_ERR_MEMORY;
  }
  if (status == DLS_OK) status = dls_method_newton.create(run, &g->newton);
  if (status == DLS_OK) status = dls_method_proximal.create(run, &g->proximal);
  if (status == DLS_OK) *out = g;
  else dls_subdomain_free(g);
  return status;
}

void dls_subdomain_free(dls_subdomain *g)
{
  if (!g) return;
  dls_subdomain_lu_free(g->lu);
  dls_arena_free(g->run.arena);
  free(g);
}

// ---- one subdomain ------------------------------------------------------------------------------

static int number(dls_subdomain *g, int body)
{
  if (body < 0) return -1;
  if (!g->local[body]) g->global[g->bodies++] = body, g->local[body] = g->bodies;
  return g->local[body] - 1;
}

// eq (bod.5): q = G^T (y - G r) + w, of the subdomain alone
static void gather(dls_subdomain *g, int count, const int *places, const double *r, const double *y)
{
  const dls_bodies *b = g->b;
  g->places = places, g->bodies = 0;
  resize(g, count);
  for (int i = 0; i < count; i++) {
    const ptrdiff_t at = places[i];
    for (int side = 0; side < 2; side++) g->body[2 * i + side] = number(g, b->body[2 * at + side]);
    dls_copy(g->W + (ptrdiff_t)9 * i, b->W + 9 * at, 9);
    dls_copy(g->run.r + (ptrdiff_t)3 * i, r + (ptrdiff_t)3 * b->row[at], 3);
    g->mu[i] = b->mu[at];
  }
  dls_subdomain_lu_begin(g->lu, g->bodies);
  for (int i = 0; i < count; i++)
    if (g->body[2 * i + 1] >= 0) dls_subdomain_lu_join(g->lu, g->body[2 * i], g->body[2 * i + 1]);
  dls_subdomain_lu_order(g->lu);
  rows_begin(&g->op, g->run.r);
  for (int k = 0; k < g->bodies; k++)
    for (int i = 0; i < N; i++)
      g->z[N * k + i] = y[(ptrdiff_t)N * g->global[k] + i] - g->z[N * k + i];
  for (int i = 0; i < count; i++) {
    relative(g, i, g->z, g->q + (ptrdiff_t)3 * i);
    for (ptrdiff_t k = 0; k < 3; k++) g->q[(3 * i) + k] += b->w[3 * (ptrdiff_t)places[i] + k];
  }
  for (int k = 0; k < g->bodies; k++) g->local[g->global[k]] = 0;
}

static void scatter(const dls_subdomain *g, double *r, double *y)
{
  for (int i = 0; i < g->op.contacts; i++) {
    double *own = r + (ptrdiff_t)3 * g->b->row[g->places[i]], d[3];
    const double *now = g->run.best_r + (ptrdiff_t)3 * i;
    for (int k = 0; k < 3; k++) d[k] = now[k] - own[k], own[k] = now[k];
    for (int side = 0; side < 2 && g->body[2 * i + side] >= 0; side++) {
      const double *G = side_of(g, i, side);
      double *x = y + (ptrdiff_t)N * g->global[g->body[2 * i + side]];
      for (int k = 0; k < N; k++) x[k] += G[k] * d[0] + G[N + k] * d[1] + G[2 * N + k] * d[2];
    }
  }
}

bool dls_subdomain_solve(dls_subdomain *g, int count, const int *places, double part, double least,
                         double *r, double *y)
{
  dls_run *run = &g->run;
  gather(g, count, places, r, y);
  run->best = INFINITY, run->iterations = 0, run->over = false, run->unit = g->b->unit;
  const double before = dls_run_measure(run);
  run->options.tolerance = fmax(least, part * before),
  run->goal = goal_of_tolerance * run->options.tolerance;
  if (!isfinite(before)) return false;
  if (!dls_run_next(run)) return false;
  if (dls_newton_iterate(run, g->newton, STEPS, STEPS / 2, 0)) {
    dls_run_return(run);
    dls_proximal_iterate(run, g->proximal, ALL_STEPS);
  }
  if (!(run->best < before)) return false;
  scatter(g, r, y);
  return true;
}
