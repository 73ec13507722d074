// Force closure where bilateral contacts have friction: their forces |tau| <= mu |lambda| have
// either sign, and what the contacts can apply is the union of the cones K_sigma, one for each
// choice of signs. Every load is balanced if one of them, or of those with forces of either sign
// but without friction at some of these contacts, is the whole space; and some load w is not, if
// for each choice
//
//   w^T d > 0,   sigma_i g_i^T d >= mu_i |H_i^T d|                                   eq (clo.3)
//
// has a solution d. Cones that cover all loads only together are left undecided.
#include "certify/closure_internal.h"

#include "base/memory.h"
#include "certify/witness.h"
#include "convex/lp.h"
#include "linalg/dense.h"

#include <math.h>

enum { MOST_SIGNS = 5, MOST_ROUNDS = 6 };  // contacts; searches for a load from one start

typedef struct search {
  dls_grasp *g;
  int count, *contact;  // bilateral contacts with friction
  int patterns;         // choices of signs
  double *direction;    // patterns x k: in the dual cones
  double *load, *best;  // k
  double margin;        // least w^T d of the best load
  double *kept;         // patterns x k: its directions
} search;

static void set_signs(search *s, int pattern)
{
  for (int i = 0; i < s->count; i++) s->g->sign[s->contact[i]] = pattern >> i & 1 ? -1 : 1;
}

// --- programs, whose work is given back after each ----------------------------------------------

static dls_status borrow(dls_context *x, dls_arena **kept)
{
  dls_arena *own = dls_arena_create();
  *kept = x->work;
  if (!own) return DLS_ERR_MEMORY;
  x->work = own;
  return dls_context_go_on(x);
}

static void give_back(dls_context *x, dls_arena *kept)
{
  if (x->work == kept) return;
  dls_arena_free(x->work);
  x->work = kept;
}

static dls_status hold(dls_grasp *g, double *slack)
{
  dls_arena *kept;
  dls_status status = borrow(g->x, &kept);
  if (status == DLS_OK) status = dls_grasp_hold(g, slack);
  give_back(g->x, kept);
  return status;
}

static dls_status dual(dls_grasp *g, const double *load, double *value)
{
  dls_arena *kept;
  dls_status status = borrow(g->x, &kept);
  if (status == DLS_OK)
    status = dls_grasp_planar(g) ? dls_grasp_edge(g, load, value)
                                 : dls_grasp_escape(g, false, load, value);
  give_back(g->x, kept);
  return status;
}

// --- one cone is the whole space ----------------------------------------------------------------

static dls_status find_whole(search *s, bool *found)
{
  dls_grasp *g = s->g;
  int choices = 1;
  for (int i = 0; i < s->count; i++) choices *= 3;
  *found = false;
  for (int choice = 0; choice < choices; choice++) {
    double slack = NAN;
    int rest = choice;
    for (int i = 0; i < s->count; i++, rest /= 3) g->sign[s->contact[i]] = 1 - rest % 3;
    const dls_status status = hold(g, &slack);
    if (status != DLS_OK) return status;
    *found = !isnan(slack);
    if (*found) return dls_grasp_accept(g, DLS_FORCE_CLOSURE, slack);
  }
  return DLS_OK;
}

// --- a load that none balances ------------------------------------------------------------------

// For each choice of signs the direction in the dual cone along which the load goes most; *least of
// them, NaN where one is not found. Without a load the ones that contacts let go most.
static dls_status separate(search *s, const double *load, double *least)
{
  dls_grasp *g = s->g;
  *least = INFINITY;
  for (int p = 0; p < s->patterns; p++) {
    double value = NAN;
    set_signs(s, p);
    const dls_status status = dual(g, load, &value);
    if (status != DLS_OK) return status;
    dls_grasp_clean(g);
    const double size = dls_norm_max(g->c->n, g->d);
    double *d = s->direction + (ptrdiff_t)p * g->k, along = 0;
    for (int r = 0; r < g->k; r++) {
      d[r] = size > 0 ? g->d[g->object[r]] / size : 0;
      along += load ? load[r] * d[r] : 0;
    }
    if (!(value > g->c->tolerance) || !(dls_grasp_resistance(g) <= g->c->margin)) along = NAN;
    if (!(along >= *least)) *least = along;
    if (isnan(*least) && load) return DLS_OK;
  }
  return DLS_OK;
}

// max t: d_p^T w >= t for the directions at hand, |w_i| <= 1.
static dls_status improve(search *s)
{
  const ptrdiff_t rows = s->patterns, k = s->g->k;
  double *A = dls_context_work(s->g->x, rows * (k + 1)), *low = dls_context_work(s->g->x, rows);
  double *high = dls_context_work(s->g->x, rows), *box = dls_context_work(s->g->x, 3 * (k + 1));
  double *y = dls_context_work(s->g->x, k + 1), value;
  if (s->g->x->out_of_memory) return DLS_ERR_MEMORY;
  double *cost = box, *col_low = box + k + 1, *col_high = box + 2 * (k + 1);
  for (ptrdiff_t p = 0; p < rows; p++) {
    for (ptrdiff_t r = 0; r < k; r++) A[p + rows * r] = s->direction[p * k + r];
    A[p + rows * k] = -1, high[p] = INFINITY;
  }
  for (ptrdiff_t r = 0; r <= k; r++) col_low[r] = -1, col_high[r] = 1;
  cost[k] = -1;
  const dls_lp_data data = {(int)rows, (int)k + 1, A, low, high, col_low, col_high, cost};
  dls_lp_outcome outcome = DLS_LP_FAILED;
  const dls_status status = dls_lp_run(&data, y, NULL, &value, &outcome);
  if (status == DLS_OK && outcome == DLS_LP_OPTIMAL) dls_copy(s->load, y, k);
  return status;
}

static void keep_better(search *s, double least)
{
  if (!(least > s->margin)) return;
  s->margin = least;
  dls_copy(s->best, s->load, s->g->k);
  dls_copy(s->kept, s->direction, (ptrdiff_t)s->patterns * s->g->k);
}

// From the load at hand: its directions, the load that goes most along these, and so on.
static dls_status climb(search *s)
{
  for (int round = 0; round < MOST_ROUNDS && !(s->margin > s->g->c->tolerance); round++) {
    double least = NAN;
    dls_status status = separate(s, s->load, &least);
    if (status != DLS_OK || isnan(least)) return status;
    keep_better(s, least);
    status = improve(s);
    if (status != DLS_OK) return status;
  }
  return DLS_OK;
}

// The load that goes along the directions that contacts let go most; then those of one coordinate,
// and those directions themselves.
static dls_status find_load(search *s)
{
  const int k = s->g->k;
  double least = NAN;
  dls_status status = separate(s, NULL, &least);
  double *first = dls_context_work(s->g->x, (ptrdiff_t)s->patterns * k);
  if (!first) return DLS_ERR_MEMORY;
  dls_copy(first, s->direction, (ptrdiff_t)s->patterns * k);
  if (status == DLS_OK) status = improve(s);
  for (int start = 0; start <= 2 * k + s->patterns; start++) {
    if (status == DLS_OK) status = climb(s);
    if (status != DLS_OK || s->margin > s->g->c->tolerance) return status;
    dls_clear(s->load, k);
    if (start < 2 * k) s->load[start / 2] = start % 2 ? -1 : 1;
    else if (start < 2 * k + s->patterns)
      dls_copy(s->load, first + (ptrdiff_t)(start - 2 * k) * k, k);
  }
  return DLS_OK;
}

// --- the witness of a no ------------------------------------------------------------------------

static dls_status keep_leaf(search *s, int pattern, dls_leaf *leaf)
{
  const dls_polyhedra *c = s->g->c;
  unsigned char *mode = dls_arena_alloc(s->g->x->arena, c->m, 1);
  double *d = dls_context_keep(s->g->x, c->n);
  if (!mode || !d) return DLS_ERR_MEMORY;
  dls_clear(mode, c->m);
  for (int i = 0; i < s->count; i++)
    mode[s->contact[i]] = DLS_MODE_STICK | (pattern >> i & 1 ? DLS_MODE_PULLING : 0);
  for (int r = 0; r < s->g->k; r++) {
    const int i = s->g->object[r];
    d[i] = c->units.D[i] * s->kept[(ptrdiff_t)pattern * s->g->k + r];
  }
  *leaf = (dls_leaf){.mode = mode, .kind = DLS_LEAF_EMPTY, .direction = d};
  return DLS_OK;
}

static dls_status refuse(search *s)
{
  const dls_polyhedra *c = s->g->c;
  dls_context *x = s->g->x;
  dls_leaf *leaf = dls_arena_alloc(x->arena, s->patterns, sizeof *leaf);
  double *load = dls_context_keep(x, c->n);
  if (!leaf || !load) return DLS_ERR_MEMORY;
  for (int p = 0; p < s->patterns; p++) {
    const dls_status status = keep_leaf(s, p, &leaf[p]);
    if (status != DLS_OK) return status;
  }
  for (int r = 0; r < s->g->k; r++) {
    const int i = s->g->object[r];
    load[i] = s->best[r] / c->units.D[i];
  }
  dls_verdict *v = dls_verdict_set(
      x, DLS_FORCE_CLOSURE, DLS_NO, s->margin,
      "a load that no admissible forces balance, whatever the signs of bilateral ones (clo.3)",
      "for all signs of the bilateral forces with friction, in one leaf each: load^T direction > "
      "0, "
      "and g_i^T direction >= mu_i |H_i^T direction| at every contact with the sign of its force, "
      "G_b^T direction = 0 at bilateral ones without friction");
  v->part[v->parts++] = (dls_witness_part){
      .name = "load", .index_set = DLS_INDEX_COORDINATES, .count = c->n, .values = load};
  v->leaf = leaf, v->leaves = s->patterns;
  return DLS_OK;
}

// ------------------------------------------------------------------------------------------------

static dls_status start(search *s)
{
  dls_grasp *g = s->g;
  dls_context *x = g->x;
  g->sign = dls_arena_alloc(x->work, g->c->m, sizeof *g->sign);
  s->contact = dls_arena_alloc(x->work, g->c->m, sizeof *s->contact);
  if (!g->sign || !s->contact) return DLS_ERR_MEMORY;
  for (int j = 0; j < g->c->m; j++) g->sign[j] = 1;
  int *sign = g->sign;
  g->sign = NULL;
  for (int i = 0; i < g->m; i++) {
    const int j = g->contact[i];
    if (dls_polyhedra_bilateral(g->c, j) && dls_grasp_rubs(g, j)) s->contact[s->count++] = j;
  }
  g->sign = sign;
  if (s->count > MOST_SIGNS) return DLS_OK;
  s->patterns = 1 << s->count;
  s->direction = dls_context_work(x, (ptrdiff_t)s->patterns * g->k);
  s->kept = dls_context_work(x, (ptrdiff_t)s->patterns * g->k);
  s->load = dls_context_work(x, g->k), s->best = dls_context_work(x, g->k);
  return x->out_of_memory ? DLS_ERR_MEMORY : DLS_OK;
}

dls_status dls_grasp_decide_signs(dls_grasp *g)
{
  search s = {.g = g};
  bool found = false;
  dls_status status = start(&s);
  dls_verdict_set(g->x, DLS_FORCE_CLOSURE, DLS_UNDECIDED, NAN,
                  s.count > MOST_SIGNS ? "too many bilateral contacts with friction"
                                       : "no choice of the signs of bilateral forces balances all "
                                         "loads, and no load was found that none balances",
                  NULL);
  if (status == DLS_OK && s.count <= MOST_SIGNS) status = find_whole(&s, &found);
  if (status == DLS_OK && s.count <= MOST_SIGNS && !found) status = find_load(&s);
  if (status == DLS_OK && s.margin > g->c->tolerance) status = refuse(&s);
  g->sign = NULL;
  return status;
}
