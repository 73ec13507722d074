// The solutions of a singular basis are a polyhedron: empty, a point, or a continuum of solutions.
// Linear programs find out which, and which polyhedra touch each other.
#include "certify/lcp_enumerate.h"

#include "base/memory.h"
#include "certify/tolerances.h"
#include "convex/lp.h"

#include <math.h>
#include <stdlib.h>

typedef struct polyhedron {
  int n;
  double *row_low, *row_high, *col_low, *col_high, *cost;
  double *low, *high;  // n: points where a variable is least and largest
} polyhedron;

static bool create(polyhedron *p, int n)
{
  const ptrdiff_t N = n;
  double *block = dls_alloc(7 * N, sizeof *block);
  if (!block) return false;
  *p = (polyhedron){n,
                    block,
                    block + N,
                    block + 2 * N,
                    block + 3 * N,
                    block + 4 * N,
                    block + 5 * N,
                    block + 6 * N};
  return true;
}

// z with z_j = 0 outside of `support`, w_i = 0 in `closed`, everything else nonnegative.
static void describe(const dls_lcp_search *s, uint32_t support, uint32_t closed, polyhedron *p)
{
  const double *load = s->plain + (ptrdiff_t)s->n * s->n;
  for (int i = 0; i < s->n; i++) {
    const int k = i - s->free;
    const bool equation = k < 0 || (closed >> k & 1);
    p->row_low[i] = load[i];
    p->row_high[i] = equation ? load[i] : INFINITY;
    p->col_low[i] = k < 0 ? -INFINITY : 0;
    p->col_high[i] = k < 0 || (support >> k & 1) ? INFINITY : 0;
    p->cost[i] = 0;
  }
}

static dls_status open_program(const dls_lcp_search *s, const polyhedron *p, dls_lp **lp)
{
  const dls_lp_data data = {.rows = s->n,
                            .cols = s->n,
                            .A = s->plain,
                            .row_low = p->row_low,
                            .row_high = p->row_high,
                            .col_low = p->col_low,
                            .col_high = p->col_high,
                            .cost = p->cost};
  return dls_lp_create(&data, lp);
}

// How far z_j can move: *moves when at all; then z is a point with room in `direction`.
static bool range_of(dls_lp *lp, polyhedron *p, int j, double *z, double *direction, bool *moves,
                     bool *ambiguous)
{
  const dls_lp_outcome wanted = DLS_LP_OPTIMAL;
  dls_lp_outcome outcome[2];
  double *at[2] = {p->low, p->high}, value[2];
  for (int side = 0; side < 2; side++) {
    p->cost[j] = side == 0 ? 1 : -1;
    dls_lp_set_cost(lp, p->cost);
    outcome[side] = dls_lp_solve(lp, at[side], NULL, &value[side]);
    p->cost[j] = 0;
    if (outcome[side] == DLS_LP_UNBOUNDED) {
      dls_copy(direction, at[side], p->n);
      *moves = true;
      return true;
    }
    if (outcome[side] != wanted) return false;
  }
  const double width = p->high[j] - p->low[j];
  const double size = 1 + fmax(fabs(p->low[j]), fabs(p->high[j]));
  if (width > wide_face * size) {
    for (int i = 0; i < p->n; i++) {
      z[i] = (p->low[i] + p->high[i]) / 2;
      direction[i] = p->high[i] - p->low[i];
    }
    *moves = true;
  } else if (width > narrow_face * size) {
    *ambiguous = true;
  }
  return true;
}

static bool touch(dls_lcp_search *s, polyhedron *p, uint32_t a, uint32_t b, dls_status *status)
{
  dls_lp *lp = NULL;
  describe(s, a & b, a | b, p);
  *status = open_program(s, p, &lp);
  if (*status != DLS_OK) return false;
  const dls_lp_outcome outcome = dls_lp_solve(lp, NULL, NULL, NULL);
  *status = dls_lp_status(lp);
  dls_lp_free(lp);
  if (outcome == DLS_LP_FAILED) s->ambiguous = true;
  return outcome == DLS_LP_OPTIMAL;
}

static dls_status add_continuum(dls_lcp_search *s, polyhedron *p, uint32_t basis, const double *z,
                                const double *direction)
{
  const ptrdiff_t bytes = s->n;
  dls_lcp_face *face = &s->face[s->faces];
  *face = (dls_lcp_face){.basis = basis, .component = s->faces};
  face->z = dls_alloc(s->n, sizeof(double));
  face->direction = dls_alloc(s->n, sizeof(double));
  s->faces++;
  if (!face->z || !face->direction) return DLS_ERR_MEMORY;
  dls_copy(face->z, z, bytes), dls_copy(face->direction, direction, bytes);
  for (int f = 0; f < s->faces - 1; f++) {
    const int other = s->face[f].component, own = face->component;
    dls_status status = DLS_OK;
    if (other == own || !touch(s, p, basis, s->face[f].basis, &status)) {
      if (status != DLS_OK) return status;
      continue;
    }
    const int first = other < own ? other : own, second = other < own ? own : other;
    for (int g = 0; g < s->faces; g++)
      if (s->face[g].component == second) s->face[g].component = first;
  }
  return DLS_OK;
}

static dls_status add_single(dls_lcp_search *s, double *z)
{
  const double *load = s->plain + (ptrdiff_t)s->n * s->n;
  uint32_t z_zero = 0, w_zero = 0;
  for (int k = 0; k < s->k; k++) {
    const int i = s->free + k;
    double w = -load[i], terms = fabs(load[i]), size = 1;
    for (int j = 0; j < s->n; j++) {
      const double x = s->plain[i + (ptrdiff_t)s->n * j] * z[j];
      w += x, terms += fabs(x), size = fmax(size, fabs(z[j]));
    }
    if (z[i] <= end_zero * size) z_zero |= (uint32_t)1 << k, z[i] = 0;
    if (w <= end_zero * terms) w_zero |= (uint32_t)1 << k;
  }
  return dls_lcp_add_point(s, z_zero, w_zero, false, z);
}

static dls_status examine(dls_lcp_search *s, polyhedron *p, uint32_t basis, double *z,
                          double *direction)
{
  dls_lp *lp = NULL;
  describe(s, basis, basis, p);
  dls_status status = open_program(s, p, &lp);
  if (status != DLS_OK) return status;
  bool moves = false, solved = true;
  const dls_lp_outcome outcome = dls_lp_solve(lp, z, NULL, NULL);
  for (int j = 0; j < s->n && outcome == DLS_LP_OPTIMAL && solved && !moves; j++)
    if (p->col_high[j] > 0) solved = range_of(lp, p, j, z, direction, &moves, &s->ambiguous);
  status = dls_lp_status(lp);
  dls_lp_free(lp);
  if (status != DLS_OK) return status;
  if (outcome == DLS_LP_INFEASIBLE) return DLS_OK;
  if (outcome != DLS_LP_OPTIMAL || !solved) {
    s->ambiguous = true;
    return DLS_OK;
  }
  return moves ? add_continuum(s, p, basis, z, direction) : add_single(s, z);
}

dls_status dls_lcp_add_face(dls_lcp_search *s, uint32_t basis)
{
  if (s->faces == DLS_LCP_FACES) {
    s->complete = false;
    return DLS_OK;
  }
  polyhedron p;
  double *z = dls_alloc(2 * (ptrdiff_t)s->n, sizeof *z);
  if (!z || !create(&p, s->n)) {
    free(z);
    return DLS_ERR_MEMORY;
  }
  const dls_status status = examine(s, &p, basis, z, z + s->n);
  free(p.row_low), free(z);
  return status;
}
