#include "step/spare.h"

#include "base/memory.h"
#include "base/union_find.h"
#include "step/mobility.h"
#include "step/rows.h"
#include "step/tolerances.h"

#include <math.h>
#include <string.h>

enum {
  FEW = 48,   // rows that are compared in each step, whatever they were at the start
  MOST = 400  // of more, only those of the same coordinates are compared with each other
};

typedef struct dls_spare {
  int clusters, *first, *contact;  // clusters + 1; contacts, cluster after cluster
  bool *linear;                    // m: the gradient never changes
  int rows, *use;                  // contacts of a cluster that are closed
  const unsigned char *kind;       // m: what they do
  bool used, off;                  // some were left out in the step; none is to be
  int *diagonal;                   // n: entries of M, or -1
  int count, *local, *coordinate;  // n: numbers of the coordinates of a cluster, and back
  double *mobility, *most;         // n, 2 n
  bool *bounded;                   // n
  double *scale;                   // n: powers of two about 1 / sqrt(M_ii)
  double *row, *other;             // rows x count: what is left of gradients, here and near by
  double *size, *left;             // rows: of the gradient, of what is left of it
  bool *kept;                      // rows: the others are taken relative to it
  double *q;                       // n: near by
  bool *apart;                     // clusters: many rows, and none of them was redundant
  double step, *scheme_state;      // of the integrator, before
} dls_spare;

// --- which constraints may depend on each other ---

static bool same_coordinates(const dls_pattern *G, int a, int b)
{
  const int count = G->p[a + 1] - G->p[a];
  if (count != G->p[b + 1] - G->p[b]) return false;
  return memcmp(G->i + G->p[a], G->i + G->p[b], dls_bytes(count, sizeof(int))) == 0;
}

// In the order in which they are kept: bilateral contacts with a law, bilateral constraints whose
// gradient never changes, other ones, those of velocities only, which hold no gap, unilateral
// contacts.
typedef enum rank { LAWFUL, LINEAR, CURVED, ROLLING, UNILATERAL } rank;

static rank rank_of(const dls_integrator *g, int j)
{
  if (g->system->contacts[j].kind == DLS_UNILATERAL) return UNILATERAL;
  if (g->point.first[j + 1] > g->point.first[j]) return LAWFUL;
  if (g->system->contacts[j].rolling) return ROLLING;
  return g->spare->linear[j] ? LINEAR : CURVED;
}

// Sets of: the first of those that are compared with contact j; -1: it is never left out, nor are
// others for it. Schemes without events put unilateral contacts back by their laws alone.
static void join(const dls_integrator *g, int *of, int *by)
{
  const dls_pattern *G = &g->system->normal;
  for (int j = 0; j < g->system->m; j++) of[j] = -1;
  for (int i = 0; i < g->system->n; i++) by[i] = -1;
  for (int j = 0; j < g->system->m; j++) {
    if (rank_of(g, j) == UNILATERAL && !g->scheme->info.events) continue;
    of[j] = j;
    for (int e = G->p[j]; e < G->p[j + 1]; e++) {
      int *last = &by[G->i[e]];
      if (*last >= 0) dls_unite(of, j, *last);
      *last = j;
    }
  }
}

// Large sets are cut into those of the same coordinates, next to each other in the list.
static void cut(const dls_integrator *g, int *of, int *members)
{
  const dls_pattern *G = &g->system->normal;
  const int m = g->system->m;
  for (int j = 0; j < m; j++) members[j] = 0;
  for (int j = 0; j < m; j++)
    if (of[j] >= 0) members[dls_class_of(of, j)]++;
  for (int j = 0; j < m; j++) of[j] = of[j] >= 0 ? dls_class_of(of, j) : -1;
  int last = -1;
  for (int j = 0; j < m; j++) {
    if (of[j] < 0 || members[of[j]] <= MOST) continue;
    const bool joined = last >= 0 && j - of[last] < MOST && same_coordinates(G, last, j);
    of[j] = joined ? of[last] : j;
    last = j;
  }
}

static int max_rows(const dls_spare *w)
{
  int most = 0;
  for (int c = 0; c < w->clusters; c++) {
    const int rows = w->first[c + 1] - w->first[c];
    if (rows > most) most = rows;
  }
  return most;
}

// Sets with a gradient that changes, or a law, and another row, by their first contacts.
static bool find_clusters(dls_integrator *g, int *of, int *work)
{
  dls_spare *w = g->spare;
  const int m = g->system->m;
  join(g, of, w->local);
  cut(g, of, work);
  for (int j = 0; j < m; j++) work[j] = 0;
  for (int j = 0; j < m; j++) {  // twice the members, odd where a gradient changes
    if (of[j] < 0) continue;
    const bool counts = !w->linear[j] || rank_of(g, j) == LAWFUL;
    work[of[j]] += work[of[j]] % 2 == 0 && counts ? 3 : 2;
  }
  for (int top = 0; top < m; top++) {
    const int at = w->first[w->clusters], members = work[top] / 2;
    work[top] = work[top] % 2 == 1 && members > 1 ? at : -1;
    if (work[top] >= 0) w->first[++w->clusters] = at + members;
  }
  for (int j = 0; j < m; j++)
    if (of[j] >= 0 && work[of[j]] >= 0) w->contact[work[of[j]]++] = j;
  for (int i = 0; i < g->system->n; i++) w->local[i] = -1;
  return w->clusters > 0;
}

// Room for the largest cluster.
static bool take_rows(dls_integrator *g)
{
  dls_spare *w = g->spare;
  const ptrdiff_t rows = max_rows(w), n = g->system->n;
  double *memory = dls_arena_alloc(g->arena, 2 * rows * n + 2 * rows + 5 * n + 1, sizeof(double));
  w->scheme_state = dls_arena_alloc(g->arena, (ptrdiff_t)g->scheme_state_size + 1, sizeof(double));
  w->kept = dls_arena_alloc(g->arena, rows + n + 1, sizeof(bool));
  w->use = dls_arena_alloc(g->arena, rows + 1, sizeof(int));
  w->apart = dls_arena_alloc(g->arena, (ptrdiff_t)w->clusters + 1, sizeof(bool));
  if (!memory || !w->scheme_state || !w->kept || !w->use || !w->apart) return false;
  w->row = memory, w->other = w->row + rows * n, w->size = w->other + rows * n;
  w->left = w->size + rows, w->scale = w->left + rows, w->q = w->scale + n;
  w->mobility = w->q + n, w->most = w->mobility + n, w->bounded = w->kept + rows;
  return true;
}

// --- gradients ---

static bool is_closed(unsigned char kind)
{
  return kind == DLS_SLIDING || kind == DLS_STICKING;
}

// Contacts of a cluster that are closed, and their coordinates, numbered.
static void number(dls_integrator *g, int c)
{
  dls_spare *w = g->spare;
  const dls_pattern *G = &g->system->normal;
  w->rows = 0;
  for (int r = w->first[c]; r < w->first[c + 1]; r++) {
    const int j = w->contact[r];
    if (rank_of(g, j) != UNILATERAL || is_closed(w->kind[j])) w->use[w->rows++] = j;
  }
  for (int k = 0; k < w->count; k++) w->local[w->coordinate[k]] = -1;
  w->count = 0;
  for (int r = 0; r < w->rows; r++)
    for (int e = G->p[w->use[r]]; e < G->p[w->use[r] + 1]; e++) {
      int *local = &w->local[G->i[e]];
      if (*local >= 0) continue;
      *local = w->count;
      w->coordinate[w->count++] = G->i[e];
    }
}

static void gather(dls_integrator *g, double *rows)
{
  dls_spare *w = g->spare;
  const dls_pattern *G = &g->system->normal;
  for (int r = 0; r < w->rows; r++) {
    const int j = w->use[r];
    double *x = dls_row_of(rows, r, w->count);
    dls_clear(x, w->count);
    for (int e = G->p[j]; e < G->p[j + 1]; e++) {
      const int k = w->local[G->i[e]];
      x[k] = g->point.values->G[e] * w->scale[k];
    }
  }
}

static void subtract(int count, const double *unit, double *x)
{
  const double dot = dls_row_dot(count, unit, x);
  for (int k = 0; k < count; k++) x[k] -= dot * unit[k];
}

// Row r is one that the others are taken relative to.
static void keep(dls_spare *w, int r)
{
  double *unit = dls_row_of(w->row, r, w->count);
  w->kept[r] = true;
  for (int k = 0; k < w->count; k++) unit[k] /= w->left[r];
  for (int s = 0; s < w->rows; s++) {
    double *x = dls_row_of(w->row, s, w->count);
    if (w->kept[s] || w->left[s] == 0) continue;
    subtract(w->count, unit, x);
    w->left[s] = dls_row_length(w->count, x);
  }
}

// --- what depends on what ---

// The row of that rank with the most left; -1: nothing is left of any.
static int largest(const dls_integrator *g, rank of)
{
  const dls_spare *w = g->spare;
  int best = -1;
  for (int r = 0; r < w->rows; r++) {
    if (w->kept[r] || rank_of(g, w->use[r]) != of) continue;
    if (!(w->left[r] > dependent * w->size[r])) continue;
    if (best < 0 || w->left[r] > w->left[best]) best = r;
  }
  return best;
}

// Coordinates that are wrong by what gaps may be.
static void go_wrong(const dls_integrator *g, const double *q)
{
  dls_spare *w = g->spare;
  dls_copy(w->q, q, g->system->n);
  for (int r = 0; r < w->rows; r++) {
    if (!w->kept[r]) continue;
    const double *unit = dls_row_of(w->row, r, w->count);
    const double way =
        wrong_gaps * dls_projector_gap_tolerance(&g->point, &g->options, w->use[r], q) / w->left[r];
    for (int k = 0; k < w->count; k++)
      w->q[w->coordinate[k]] += (r % 2 ? -way : way) * w->scale[k] * unit[k];
  }
}

// Does what is left of row r stay, at coordinates that are wrong?
static bool stays(dls_spare *w, int r)
{
  const double *here = dls_row_of(w->row, r, w->count);
  double *there = dls_row_of(w->other, r, w->count), change = 0;
  for (int s = 0; s < w->rows; s++)
    if (w->kept[s]) subtract(w->count, dls_row_of(w->row, s, w->count), there);
  for (int k = 0; k < w->count; k++) change = hypot(change, there[k] - here[k]);
  return change <= known_left * w->left[r];
}

// Rows of which little is left, or which are small: those that are known are kept, the largest
// first.
static bool probe(dls_integrator *g, rank of, const dls_state *at, dls_message *message)
{
  dls_spare *w = g->spare;
  go_wrong(g, at->q);
  if (!dls_snapshot_evaluate(&g->point, at->t, w->q, at->v, message)) return false;
  gather(g, w->other);
  for (int r = largest(g, of); r >= 0; r = largest(g, of)) {
    if (stays(w, r)) keep(w, r);
    else w->left[r] = 0;
  }
  return dls_snapshot_evaluate(&g->point, at->t, at->q, at->v, message);
}

static bool is_clear(const dls_spare *w, int r, double top)
{
  return w->left[r] > weak * w->size[r] && w->left[r] > faint * top;
}

// May contact j be left out? lawful: there is a law in its cluster, which wants forces of its own.
// Slips of contacts that stick have equations too.
static bool may_be_spare(const dls_integrator *g, int j, bool lawful)
{
  const rank of = rank_of(g, j);
  if (of != UNILATERAL) return of == CURVED || of == ROLLING || (of == LINEAR && lawful);
  const bool free = g->point.first[j + 1] == g->point.first[j] || !dls_snapshot_rubs(&g->point, j);
  return !g->spare->linear[j] && (free || g->spare->kind[j] == DLS_SLIDING);
}

static bool choose(dls_integrator *g, const dls_state *at, dls_message *message)
{
  dls_spare *w = g->spare;
  double top = 0;
  bool lawful = false;
  if (w->rows < 2) return true;
  dls_mobility_scales(&g->point, w->mobility, w->count, w->coordinate, w->rows, w->use, w->local,
                      w->scale);
  gather(g, w->row);
  for (int r = 0; r < w->rows; r++) {
    w->size[r] = w->left[r] = dls_row_length(w->count, dls_row_of(w->row, r, w->count));
    w->kept[r] = false;
    top = fmax(top, w->size[r]);
    lawful |= rank_of(g, w->use[r]) == LAWFUL;
  }
  for (rank of = LAWFUL; of <= UNILATERAL; of++) {
    int r = largest(g, of);
    for (; r >= 0 && (of < CURVED || is_clear(w, r, top)); r = largest(g, of)) keep(w, r);
    if (r >= 0 && !probe(g, of, at, message)) return false;
  }
  for (int k = 0; k < w->rows; k++) {
    const int j = w->use[k];
    const bool spare = !w->kept[k] && may_be_spare(g, j, lawful);
    g->point.spare[j] = spare;
    g->point.spares += spare;
  }
  return true;
}

// Nothing is left out.
static void forget(dls_integrator *g)
{
  dls_clear(g->point.spare, g->system->m);
  g->point.spares = 0;
}

// Rows of large clusters are compared once: what is redundant is so everywhere, but for single
// places, and comparing takes as long as a step or longer.
static dls_status find_apart(dls_integrator *g, dls_message *message)
{
  dls_spare *w = g->spare;
  const dls_state at = {g->t, g->q, g->v};
  w->kind = g->status;
  dls_mobility_set(&g->point, w->diagonal, w->mobility, w->most, w->bounded);
  for (int c = 0; c < w->clusters; c++) {
    const int before = g->point.spares;
    number(g, c);
    if (w->rows <= FEW) continue;
    if (!choose(g, &at, message)) return DLS_ERR_NUMBER;
    w->apart[c] = g->point.spares == before;
  }
  forget(g);
  return DLS_OK;
}

dls_status dls_spare_create(dls_integrator *g, dls_message *message)
{
  const ptrdiff_t n = g->system->n, m = g->system->m;
  dls_spare *w = dls_arena_alloc(g->arena, 1, sizeof *w);
  int *memory = dls_arena_alloc(g->arena, 3 * n + 4 * m + 2, sizeof(int));
  bool *linear = dls_arena_alloc(g->arena, m + 1, sizeof(bool));
  if (!w || !memory || !linear) return DLS_ERR_MEMORY;
  w->diagonal = memory, w->local = w->diagonal + n, w->coordinate = w->local + n;
  w->contact = w->coordinate + n, w->first = w->contact + m, w->linear = linear;
  int *of = w->first + m + 1;
  const dls_derivative_patterns *d = g->system->derivative;
  for (ptrdiff_t j = 0; j < m; j++) linear[j] = d && d->D_q.p[j] == d->D_q.p[j + 1];
  dls_snapshot_diagonal(&g->point, w->diagonal);
  g->spare = w;
  if (!find_clusters(g, of, of + m)) {
    g->spare = NULL;
    return DLS_OK;
  }
  return take_rows(g) ? find_apart(g, message) : DLS_ERR_MEMORY;
}

bool dls_spare_choose(dls_integrator *g, dls_message *message)
{
  dls_spare *w = g->spare;
  if (!w) return true;
  const dls_state at = {g->t, g->q, g->v};
  w->step = g->step;
  w->used = w->off = false;
  if (g->scheme_state_size > 0) dls_copy(w->scheme_state, g->scheme_state, g->scheme_state_size);
  return dls_spare_again(g, g->status, &at, message);
}

bool dls_spare_again(dls_integrator *g, const unsigned char *kind, const dls_state *at,
                     dls_message *message)
{
  dls_spare *w = g->spare;
  if (!w || w->off) return true;
  forget(g);
  w->kind = kind;
  dls_mobility_set(&g->point, w->diagonal, w->mobility, w->most, w->bounded);
  for (int c = 0; c < w->clusters; c++) {
    number(g, c);
    if (w->apart[c] && w->rows > FEW) continue;
    if (!choose(g, at, message)) return false;
  }
  w->used |= g->point.spares > 0;
  return true;
}

bool dls_spare_restore(dls_integrator *g)
{
  bool any = false;
  for (int j = 0; j < g->system->m && g->point.spares > 0; j++) {
    if (!g->point.spare[j] || rank_of(g, j) != UNILATERAL) continue;
    g->point.spare[j] = false, g->point.spares--;
    any = true;
  }
  return any;
}

bool dls_spare_none(dls_integrator *g)
{
  if (!g->spare || !g->spare->used) return true;
  forget(g);
  g->spare->off = true;
  g->step = g->spare->step;
  if (g->scheme_state_size > 0)
    dls_copy(g->scheme_state, g->spare->scheme_state, g->scheme_state_size);
  return false;
}
