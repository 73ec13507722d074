#include "certify/lcp_tree.h"

#include "base/memory.h"
#include "certify/lcp_proof.h"
#include "convex/lp.h"
#include "lcp/lcp.h"
#include "lcp/lcp_scale.h"

#include <math.h>
#include <stdlib.h>

// What a relaxation leaves of complementarity, in its unit, that is worth a decision.
static const double worth_deciding = 1e-9;

enum { PROBES = 10 };

// ---- memory and scales -------------------------------------------------------------------------

static dls_status allocate(dls_lcp_tree *t)
{
  const ptrdiff_t n = t->given->n;
  double **vectors[] = {&t->z, &t->best, &t->R, &t->C, &t->q};
  bool good = true;
  for (ptrdiff_t k = 0; k < dls_count_of(vectors); k++)
    good &= (*vectors[k] = dls_arena_alloc(t->arena, n, sizeof(double))) != NULL;
  t->M = dls_arena_alloc(t->arena, n * n, sizeof(double));
  t->in = dls_arena_alloc(t->arena, n, sizeof *t->in);
  t->choice = dls_arena_alloc(t->arena, n, sizeof *t->choice);
  t->path = dls_arena_alloc(t->arena, n, sizeof *t->path);
  return good && t->M && t->in && t->choice && t->path ? DLS_OK : DLS_ERR_MEMORY;
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
  const double error = dls_mlcp_natural(t->given, t->R, t->C, z, w).in_units;
  if (!(error < t->best_error)) return;
  t->best_error = error;
  dls_copy(t->best, z, t->given->n);
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
  const ptrdiff_t n = p->n;
  double *w = dls_alloc(3 * n, sizeof *w);
  bool *in = dls_alloc(n, sizeof *in), proven = false;
  dls_status status = w && in ? DLS_OK : DLS_ERR_MEMORY;
  if (status == DLS_OK) {
    dls_mlcp_rows(p, z, w, w + n);
    note(t, z, w);
    for (int i = p->free; i < p->n; i++) in[i] = z[i] / t->C[i] * t->s > w[i] * t->R[i] * t->s;
    status = dls_lcp_proves_basis(&t->scaled, in, t->z, &proven);
    for (ptrdiff_t i = 0; i < n && proven; i++) t->in[i] = in[i], t->z[i] *= t->C[i] / t->s;
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
  const ptrdiff_t n = t->given->n;
  for (ptrdiff_t i = 0; i < n; i++) {
    const bool equation = i < t->given->free;
    x->row_low[i] = -t->q[i];
    x->row_high[i] = equation || t->choice[i] > 0 ? -t->q[i] : INFINITY;
    x->col_low[i] = equation ? -INFINITY : 0;
    x->col_high[i] = t->choice[i] < 0 ? 0 : INFINITY;
    x->cost[i] = !equation && t->choice[i] == 0 ? 1 : 0;
    for (ptrdiff_t k = t->given->free; k < n; k++)
      if (t->choice[k] == 0) x->cost[i] += t->M[k + n * i];
  }
}

// Into x->w: min(z_i, w_i) of the rows that are not chosen, negative when z_i is the smaller one;
// NaN for the others. Returns the largest.
static double gaps(const dls_lcp_tree *t, relaxation *x)
{
  const ptrdiff_t n = t->given->n;
  double largest = 0;
  for (ptrdiff_t i = 0; i < n; i++) {
    x->w[i] = NAN;
    if (i < t->given->free || t->choice[i] != 0) continue;
    double w = t->q[i];
    for (ptrdiff_t j = 0; j < n; j++) w += t->M[i + n * j] * x->z[j];
    const double gap = fmax(fmin(x->z[i], w), 0);
    largest = fmax(largest, gap);
    x->w[i] = w < x->z[i] ? gap : -gap;
  }
  return largest;
}

static int first_open(const dls_lcp_tree *t)
{
  for (int i = t->given->free; i < t->given->n; i++)
    if (t->choice[i] == 0) return i;
  return -1;
}

static dls_status add_leaf(dls_lcp_tree *t, const double *y)
{
  const ptrdiff_t n = t->given->n;
  signed char *choice = dls_arena_alloc(t->arena, n, sizeof *choice);
  const ptrdiff_t count = (ptrdiff_t)t->leaves + 1;
  if (!choice || dls_grow((void **)&t->leaf, &t->capacity, count, sizeof *t->leaf) ||
      dls_grow((void **)&t->choices, &t->choices_capacity, count, sizeof *t->choices))
    return DLS_ERR_MEMORY;
  dls_copy(choice, t->choice, n);
  t->choices[t->leaves] = choice;
  t->leaf[t->leaves++] = (dls_lcp_leaf){choice, y};
  return DLS_OK;
}

// A leaf whose y needs as few choices as suffice: each is left out in turn, and stays out when the
// rest can be refuted without it.
static dls_status add_least_leaf(dls_lcp_tree *t, const double *y)
{
  const ptrdiff_t n = t->given->n;
  dls_status status = DLS_OK;
  dls_copy(t->path, t->choice, n);
  for (ptrdiff_t i = 0; i < n && status == DLS_OK; i++) {
    if (t->path[i] == 0) continue;
    const double *other = NULL;
    t->choice[i] = 0;
    if (!dls_lcp_proves_none(t->given, t->choice, y)) {
      status = dls_lcp_refute(t, &other);
      if (other) y = other;
      else t->choice[i] = t->path[i];
    }
  }
  // the leaf keeps its place in the tree: needless() takes choices out, for all leaves below
  dls_copy(t->choice, t->path, n);
  return status == DLS_OK ? add_leaf(t, y) : status;
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

// The row to choose next: of those with the largest gaps the first that is infeasible both ways, or
// else one way. Rows that have nothing to do with the contradiction would double the tree.
static dls_status probe(dls_lcp_tree *t, relaxation *x, int *row, bool *w_first)
{
  int best = -1;
  dls_status status = DLS_OK;
  for (int tried = 0; tried < PROBES && best < 2 && status == DLS_OK; tried++) {
    int next = -1, dead = 0;
    for (int i = 0; i < t->given->n; i++)
      if (fabs(x->w[i]) > worth_deciding && (next < 0 || fabs(x->w[i]) > fabs(x->w[next])))
        next = i;
    if (next < 0) break;
    const bool first = x->w[next] > 0;
    for (int side = -1; side <= 1 && status == DLS_OK; side += 2) {
      bool feasible = false;
      t->choice[next] = (signed char)side;
      status = relax(t, x, &feasible);
      dead += !feasible;
    }
    t->choice[next] = 0, x->w[next] = NAN;
    if (dead > best) best = dead, *row = next, *w_first = first;
  }
  return status;
}

static dls_status visit(dls_lcp_tree *t, relaxation *x);

// Whether the leaves from `first` on hold without the choice in this row too: then they refute what
// is above it, and the choice is taken out of them.
static bool needless(dls_lcp_tree *t, int first, int row)
{
  bool holds = true;
  int tried = first;
  for (; tried < t->leaves && holds; tried++) {
    signed char *choice = t->choices[tried], kept = choice[row];
    choice[row] = 0;
    holds = dls_lcp_proves_none(t->given, choice, t->leaf[tried].y);
    choice[row] = kept;
  }
  for (int k = first; k < t->leaves && holds; k++) t->choices[k][row] = 0;
  return holds;
}

// NOLINTNEXTLINE(misc-no-recursion)
static dls_status descend(dls_lcp_tree *t, relaxation *x, int row, bool w_first)
{
  dls_status status = DLS_OK;
  const int first = t->leaves;
  for (int side = 0; side < 2 && status == DLS_OK && !t->found; side++) {
    t->choice[row] = (side == 0) == w_first ? 1 : -1;
    status = visit(t, x);
    // not when something below is open: there is no proof yet
    if (side == 0 && status == DLS_OK && !t->open && !t->found && needless(t, first, row)) break;
  }
  t->choice[row] = 0;
  return status;
}

// Depth is bounded by the number of rows, the number of visits by max_nodes.
// NOLINTNEXTLINE(misc-no-recursion)
static dls_status visit(dls_lcp_tree *t, relaxation *x)
{
  bool feasible = false, w_first = false;
  int row = first_open(t);
  const double *y = NULL;
  if (++t->nodes > t->max_nodes) {
    t->open = true;
    return DLS_OK;
  }
  if (t->watch && t->watch(t->self, (double)t->nodes / t->max_nodes)) return DLS_ERR_STOPPED;
  dls_status status = relax(t, x, &feasible);
  if (status != DLS_OK) return status;
  if (feasible && gaps(t, x) > worth_deciding) {
    status = probe(t, x, &row, &w_first);
    return status == DLS_OK ? descend(t, x, row, w_first) : status;
  }
  if (feasible) {
    for (int i = 0; i < t->given->n; i++) x->w[i] = x->z[i] * t->C[i] / t->s;
    status = dls_lcp_tree_try(t, x->w);
  }
  if (status != DLS_OK || t->found) return status;
  status = dls_lcp_refute(t, &y);
  if (status != DLS_OK) return status;
  if (y) return add_least_leaf(t, y);
  if (row >= 0) return descend(t, x, row, w_first);
  t->open = true;
  return DLS_OK;
}

dls_status dls_lcp_tree_grow(dls_lcp_tree *t)
{
  const ptrdiff_t n = t->given->n;
  double *room = dls_alloc(7 * n, sizeof *room);
  if (!room) return DLS_ERR_MEMORY;
  relaxation x = {room,         room + n,     room + 2 * n, room + 3 * n,
                  room + 4 * n, room + 5 * n, room + 6 * n};
  const dls_status status = visit(t, &x);
  free(room);
  return status;
}
