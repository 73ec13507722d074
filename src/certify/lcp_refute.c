// Vectors that refute a set of complementary choices: found by linear programs, believed only when
// they hold exactly.                                                                eq (lcp.14)
#include "convex/lp.h"
#include "certify/lcp_proof.h"
#include "certify/lcp_tree.h"

#include <math.h>
#include <stdlib.h>

// Multipliers, of the largest: at least the first set the unit of simple numbers that are tried,
// and up to the second they are rounding. What is tried is checked.
static const double counting = 1e-9, rounded_multiplier = 1e-13;

// How much room the inequalities get, so that rounding does no harm: the same for all; as much as
// each can have; none but q^T y < 0.
typedef enum room { ROOM_COMMON, ROOM_EACH, ROOM_LOAD, ROOMS } room;

typedef struct program {
  int n, rows, cols;
  double *A, *row_low, *row_high, *col_low, *col_high, *cost, *x;
} program;

static bool create(program *g, int n)
{
  g->n = n, g->rows = n + 1, g->cols = 2 * n + 1;
  const ptrdiff_t rows = g->rows, cols = g->cols;
  g->A = dls_alloc(rows * cols + 2 * rows + 4 * cols, sizeof *g->A);
  if (!g->A) return false;
  g->row_low = g->A + rows * cols, g->row_high = g->row_low + rows;
  g->col_low = g->row_high + rows, g->col_high = g->col_low + cols;
  g->cost = g->col_high + cols, g->x = g->cost + cols;
  return true;
}

// Variables y, then slacks t_j, then t_q:  M^T y + t <= 0, q^T y + t_q <= 0, 0 <= t <= 1.
static void fill(const dls_lcp_tree *t, program *g)
{
  const ptrdiff_t n = g->n, rows = g->rows;
  for (ptrdiff_t i = 0; i < n; i++) {
    const bool equation = i < t->given->free;
    const signed char choice = t->choice[i];
    for (ptrdiff_t j = 0; j < n; j++) g->A[j + rows * i] = t->M[i + n * j];
    g->A[n + rows * i] = t->q[i];
    g->col_low[i] = equation || choice > 0 ? -1 : 0, g->col_high[i] = 1;
    g->row_low[i] = equation ? 0 : -INFINITY;
    g->row_high[i] = choice < 0 ? INFINITY : 0;
    g->A[i + rows * (n + i)] = 1;
  }
  g->A[n + rows * 2 * n] = 1;
  g->row_low[n] = -INFINITY, g->row_high[n] = 0;
}

static void set_room(const dls_lcp_tree *t, program *g, room kind)
{
  const ptrdiff_t n = g->n, rows = g->rows;
  for (ptrdiff_t j = 0; j <= n; j++) {
    const bool used = j == n || (j >= t->given->free && t->choice[j] >= 0);
    const bool own = j == n || kind == ROOM_EACH;
    g->col_low[n + j] = 0, g->col_high[n + j] = own && used ? 1 : 0;
    g->cost[n + j] = own && used ? (j == n ? -(double)(n + 1) : -1) : 0;
    // in ROOM_COMMON the last slack stands in every row
    g->A[j + rows * 2 * n] = j == n || (kind == ROOM_COMMON && used) ? 1 : 0;
  }
}

// y back to the units given: w^ = s R w, so y = R y^.
static bool holds(dls_lcp_tree *t, const double *scaled, double *y)
{
  for (int i = 0; i < t->given->n; i++) y[i] = scaled[i] * t->R[i];
  return dls_lcp_proves_none(t->given, t->choice, y);
}

// The numbers as they are, then with short mantissas, then as small multiples of the least of them:
// of data with few digits the vector often has few too, and inequalities without room then hold.
static bool tidy(dls_lcp_tree *t, const double *x, double *work, double *y)
{
  const int n = t->given->n;
  double largest = 0, least = INFINITY;
  for (int i = 0; i < n; i++) largest = fmax(largest, fabs(x[i]));
  if (!(largest > 0)) return false;
  for (int i = 0; i < n; i++)
    if (fabs(x[i]) > counting * largest) least = fmin(least, fabs(x[i]));
  for (int i = 0; i < n; i++) work[i] = fabs(x[i]) > rounded_multiplier * largest ? x[i] : 0;
  if (holds(t, work, y)) return true;
  for (int bits = 6; bits <= 36; bits += 6) {
    const double unit = ldexp(1, -bits) * largest;
    for (int i = 0; i < n; i++) work[i] = rint(x[i] / unit);
    if (holds(t, work, y)) return true;
  }
  for (int k = 1; k <= 60; k++) {
    for (int i = 0; i < n; i++) work[i] = rint(x[i] / least * k);
    if (holds(t, work, y)) return true;
  }
  return false;
}

dls_status dls_lcp_refute(dls_lcp_tree *t, const double **found)
{
  *found = NULL;
  program g;
  const ptrdiff_t n = t->given->n;
  double *y = dls_arena_alloc(t->arena, n, sizeof *y), *work = dls_alloc(n, sizeof *work);
  dls_status status = DLS_ERR_MEMORY;
  if (y && work && create(&g, t->given->n)) {
    status = DLS_OK;
    fill(t, &g);
    for (room kind = ROOM_COMMON; kind < ROOMS && status == DLS_OK && !*found; kind++) {
      set_room(t, &g, kind);
      const dls_lp_data data = {.rows = g.rows,
                                .cols = g.cols,
                                .A = g.A,
                                .row_low = g.row_low,
                                .row_high = g.row_high,
                                .col_low = g.col_low,
                                .col_high = g.col_high,
                                .cost = g.cost};
      dls_lp_outcome outcome = DLS_LP_FAILED;
      status = dls_lp_run(&data, g.x, NULL, NULL, &outcome);
      if (status == DLS_OK && outcome == DLS_LP_OPTIMAL && tidy(t, g.x, work, y)) *found = y;
    }
    free(g.A);
  }
  free(work);
  return status;
}
