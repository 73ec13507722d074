#include "solve/lcp_tree.h"

#include "convex/lp.h"
#include "problem/lcp.h"
#include "solve/lcp_proof.h"
#include "solve/lcp_scale.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- memory and scales -------------------------------------------------------------------------

static dls_status allocate(dls_lcp_tree *t)
{
  const size_t n = (size_t)t->given->n;
  double **vectors[] = {&t->z, &t->best, &t->R, &t->C, &t->q};
  bool good = true;
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
    good &= (*vectors[k] = dls_arena_alloc(t->arena, n, sizeof(double))) != NULL;
  t->M = dls_arena_alloc(t->arena, n * n, sizeof(double));
  t->in = dls_arena_alloc(t->arena, n, sizeof *t->in);
  t->choice = dls_arena_alloc(t->arena, n, sizeof *t->choice);
  return good && t->M && t->in && t->choice ? DLS_OK : DLS_ERR_MEMORY;
}

dls_status dls_lcp_tree_start(dls_lcp_tree *t)
{
  const dls_status status = allocate(t);
  if (status != DLS_OK) return status;
  // proofs in scaled numbers are proofs only while scaling is exact
  dls_lcp_scale(t->given, DLS_LCP_UNITS_MEAN, t->R, t->C, &t->s);
  if (!dls_lcp_apply_scale(t->given, t->R, t->C, t->s, t->M, t->q)) {
    for (int i = 0; i < t->given->n; i++) t->R[i] = t->C[i] = 1;
    t->s = 1;
    dls_lcp_apply_scale(t->given, t->R, t->C, t->s, t->M, t->q);
  }
  t->scaled = (dls_mlcp){.n = t->given->n, .free = t->given->free, .M = t->M, .q = t->q};
  t->best_error = INFINITY;
  return DLS_OK;
}

// ---- points ------------------------------------------------------------------------------------

static void note(dls_lcp_tree *t, const double *z, const double *w)
{
  const double error = dls_mlcp_natural(t->given, t->R, t->C, z, w).larger;
  if (!(error < t->best_error)) return;
  t->best_error = error;
  memcpy(t->best, z, (size_t)t->given->n * sizeof *z);
}

// z with short mantissas, zero where the basis says so: does it solve exactly?
static bool try_exact(dls_lcp_tree *t, const double *z, const bool *in, double *work)
{
  const int n = t->given->n;
  double largest = 0;
  for (int i = 0; i < n; i++) largest = fmax(largest, fabs(z[i]));
  for (int bits = 0; bits <= 48; bits += 6) {
    int exponent = 0;
    frexp(largest, &exponent);
    const double unit = ldexp(1, exponent - 12 - bits);
    for (int i = 0; i < n; i++)
      t->z[i] = i >= t->given->free && !in[i] ? 0 : bits == 48 ? z[i] : rint(z[i] / unit) * unit;
    if (dls_lcp_proves_point(t->given, t->z, work)) return true;
  }
  return false;
}

dls_status dls_lcp_tree_try(dls_lcp_tree *t, const double *z)
{
  const dls_mlcp *p = t->given;
  const size_t n = (size_t)p->n;
  double *w = dls_alloc(3 * n, sizeof *w);
  bool *in = dls_alloc(n, sizeof *in), proven = false;
  dls_status status = w && in ? DLS_OK : DLS_ERR_MEMORY;
  if (status == DLS_OK) {
    dls_mlcp_rows(p, z, w, w + n);
    note(t, z, w);
    for (int i = p->free; i < p->n; i++) in[i] = z[i] / t->C[i] * t->s > w[i] * t->R[i] * t->s;
    status = dls_lcp_proves_basis(&t->scaled, in, t->z, &proven);
    for (size_t i = 0; i < n && proven; i++) t->in[i] = in[i], t->z[i] *= t->C[i] / t->s;
    if (status == DLS_OK && !proven) t->exact = proven = try_exact(t, z, in, w + 2 * n);
    if (proven) t->found = true;
  }
  free(w), free(in);
  return status;
}

// ---- nodes -------------------------------------------------------------------------------------

typedef struct relaxation {
  double *row_low, *row_high, *col_low, *col_high, *cost, *z, *w;
} relaxation;

// Everything but the complementarity that is not yet chosen; the sum of z_i + w_i over these rows
// is the cost, as small numbers there are more likely to be zeros.
static void describe(const dls_lcp_tree *t, relaxation *x)
{
  const size_t n = (size_t)t->given->n;
  for (size_t i = 0; i < n; i++) {
    const bool equation = i < (size_t)t->given->free;
    x->row_low[i] = -t->q[i];
    x->row_high[i] = equation || t->choice[i] > 0 ? -t->q[i] : INFINITY;
    x->col_low[i] = equation ? -INFINITY : 0;
    x->col_high[i] = t->choice[i] < 0 ? 0 : INFINITY;
    x->cost[i] = !equation && t->choice[i] == 0 ? 1 : 0;
    for (size_t k = (size_t)t->given->free; k < n; k++)
      if (t->choice[k] == 0) x->cost[i] += t->M[k + n * i];
  }
}

// The row to choose next, and whether w_i = 0 comes first; -1 when all are chosen.
static int branch(const dls_lcp_tree *t, const relaxation *x, bool feasible, double *largest,
                  bool *w_first)
{
  const size_t n = (size_t)t->given->n;
  int row = -1;
  *largest = 0;
  for (size_t i = (size_t)t->given->free; i < n; i++) {
    if (t->choice[i] != 0) continue;
    double w = t->q[i];
    for (size_t j = 0; j < n && feasible; j++) w += t->M[i + n * j] * x->z[j];
    const double gap = feasible ? fmin(x->z[i], w) : 0;
    if (row >= 0 && !(gap > *largest)) continue;
    row = (int)i, *largest = fmax(gap, 0), *w_first = feasible && w < x->z[i];
  }
  return row;
}

static dls_status add_leaf(dls_lcp_tree *t, const double *y)
{
  const size_t n = (size_t)t->given->n;
  signed char *choice = dls_arena_alloc(t->arena, n, sizeof *choice);
  if (!choice || dls_grow((void **)&t->leaf, &t->capacity, (size_t)t->leaves + 1, sizeof *t->leaf))
    return DLS_ERR_MEMORY;
  memcpy(choice, t->choice, n * sizeof *choice);
  t->leaf[t->leaves++] = (dls_lcp_leaf){choice, y};
  return DLS_OK;
}

static dls_status relax(dls_lcp_tree *t, relaxation *x, bool *feasible)
{
  describe(t, x);
  const dls_lp_data data = {.rows = t->given->n,
                            .cols = t->given->n,
                            .A = t->M,
                            .row_low = x->row_low,
                            .row_high = x->row_high,
                            .col_low = x->col_low,
                            .col_high = x->col_high,
                            .cost = x->cost};
  dls_lp_outcome outcome = DLS_LP_FAILED;
  const dls_status status = dls_lp_run(&data, x->z, NULL, NULL, &outcome);
  *feasible = status == DLS_OK && outcome == DLS_LP_OPTIMAL;
  return status;
}

static dls_status visit(dls_lcp_tree *t, relaxation *x);

// NOLINTNEXTLINE(misc-no-recursion)
static dls_status descend(dls_lcp_tree *t, relaxation *x, int row, bool w_first)
{
  dls_status status = DLS_OK;
  for (int side = 0; side < 2 && status == DLS_OK && !t->found; side++) {
    t->choice[row] = (side == 0) == w_first ? 1 : -1;
    status = visit(t, x);
  }
  t->choice[row] = 0;
  return status;
}

// Depth is bounded by the number of rows, the number of visits by max_nodes.
// NOLINTNEXTLINE(misc-no-recursion)
static dls_status visit(dls_lcp_tree *t, relaxation *x)
{
  bool feasible = false, w_first = false;
  double gap = 0;
  const double *y = NULL;
  if (++t->nodes > t->max_nodes) {
    t->open = true;
    return DLS_OK;
  }
  dls_status status = relax(t, x, &feasible);
  const int row = branch(t, x, feasible, &gap, &w_first);
  if (status == DLS_OK && feasible && gap <= 1e-9) {
    for (int i = 0; i < t->given->n; i++) x->w[i] = x->z[i] * t->C[i] / t->s;
    status = dls_lcp_tree_try(t, x->w);
  }
  if (status != DLS_OK || t->found) return status;
  if (!feasible || gap <= 1e-9) status = dls_lcp_refute(t, &y);
  if (status != DLS_OK) return status;
  if (y) return add_leaf(t, y);
  if (row >= 0) return descend(t, x, row, w_first);
  t->open = true;
  return DLS_OK;
}

dls_status dls_lcp_tree_grow(dls_lcp_tree *t)
{
  const size_t n = (size_t)t->given->n;
  double *room = dls_alloc(7 * n, sizeof *room);
  if (!room) return DLS_ERR_MEMORY;
  relaxation x = {room,         room + n,     room + 2 * n, room + 3 * n,
                  room + 4 * n, room + 5 * n, room + 6 * n};
  const dls_status status = visit(t, &x);
  free(room);
  return status;
}
