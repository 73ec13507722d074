// How far the gradients of contacts change within the tolerance of the state.     eq (num.3)
//
// Each coordinate is moved by as much as the tolerance lets it, and the gradients are evaluated
// again. Coordinates that no contact has in common are moved at once.
#include "contact/gradient_change.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

typedef struct moves {
  const dls_system *system;
  const dls_state *state;
  const dls_matrix_view *M;
  const dls_matrix_view *G[2];  // bilateral, unilateral
  const int *contact;
  int m;         // columns of both
  int *first;    // n + 1: into place
  int *place;    // the columns that depend on a coordinate
  double *D;     // n: unit of a coordinate
  double *C;     // m: 1 / length of a gradient in these units, 0 where it vanishes
  double *step;  // n: how far a coordinate is moved, 0 where that changes nothing
  double *q;     // n
  bool *done;    // n
  bool *busy;    // m: a coordinate of the contact is being moved
  dls_values *values;
  double *change;  // one for each entry
} moves;

// The coordinates on which a gradient depends: where the system does not say, all in its gap.
static const dls_pattern *dependence(const dls_system *s)
{
  return s->derivative ? &s->derivative->D_q : &s->normal;
}

// first and place: the transposed pattern. How many entries it has.
static ptrdiff_t count_entries(const moves *x)
{
  const dls_pattern *P = dependence(x->system);
  ptrdiff_t count = 0;
  for (int j = 0; j < x->m; j++) {
    const int column = x->contact[j];
    for (int e = P->p[column]; e < P->p[column + 1]; e++) x->first[P->i[e] + 1]++, count++;
  }
  for (int i = 0; i < x->system->n; i++) x->first[i + 1] += x->first[i];
  return count;
}

static void list_places(const moves *x, int *next)
{
  const dls_pattern *P = dependence(x->system);
  dls_copy(next, x->first, x->system->n);
  for (int j = 0; j < x->m; j++) {
    const int column = x->contact[j];
    for (int e = P->p[column]; e < P->p[column + 1]; e++) x->place[next[P->i[e]]++] = j;
  }
}

// ---- units ------------------------------------------------------------------------------------

// The entries of column j: of which matrix, and from where to where.
static const dls_matrix_view *column(const moves *x, int j, int *begin, int *end)
{
  const int m_b = x->G[0]->pattern.cols;
  const dls_matrix_view *G = x->G[j >= m_b];
  const int k = j < m_b ? j : j - m_b;
  *begin = G->pattern.p[k], *end = G->pattern.p[k + 1];
  return G;
}

// Gradients with a coordinate of known unit get a length, and give one to those without: by these a
// massless coordinate is measured. True: something was found.
static bool spread_units(const moves *x)
{
  bool found = false;
  for (int j = 0; j < x->m; j++) {
    int begin, end;
    const dls_matrix_view *G = column(x, j, &begin, &end);
    double largest = 0;
    for (int e = begin; e < end; e++)
      largest = fmax(largest, x->D[G->pattern.i[e]] * fabs(G->x[e]));
    if (!(largest > 0) || !isfinite(1 / largest)) continue;
    for (int e = begin; e < end; e++) {
      double *D = &x->D[G->pattern.i[e]];
      const double unit = largest / fabs(G->x[e]);
      if (*D == 0 && isfinite(unit)) *D = unit, found = true;
    }
  }
  return found;
}

// Kinetic units: coordinates of which each has mass 1. What nothing is known of keeps its own.
static void find_units(const moves *x)
{
  const int n = x->system->n;
  for (int j = 0; j < n; j++)
    for (int e = x->M->pattern.p[j]; e < x->M->pattern.p[j + 1]; e++)
      if (x->M->pattern.i[e] == j && x->M->x[e] > 0) x->D[j] = 1 / sqrt(x->M->x[e]);
  for (int i = 0; i <= n; i++) {
    while (spread_units(x)) {
    }
    while (i < n && x->D[i] > 0) i++;
    if (i < n) x->D[i] = 1;
  }
  for (int j = 0; j < x->m; j++) {
    int begin, end;
    const dls_matrix_view *G = column(x, j, &begin, &end);
    double length = 0;
    for (int e = begin; e < end; e++) length = hypot(length, x->D[G->pattern.i[e]] * G->x[e]);
    x->C[j] = length > 0 ? 1 / length : 0;
  }
}

// As far as moves the gap of one of its contacts by the tolerance.
static void find_steps(const moves *x, double tolerance)
{
  find_units(x);
  for (int i = 0; i < x->system->n; i++) {
    double unit = INFINITY;
    for (int e = x->first[i]; e < x->first[i + 1]; e++)
      if (x->C[x->place[e]] > 0) unit = fmin(unit, x->C[x->place[e]]);
    const double step = 2 * tolerance * x->D[i] * unit;
    x->step[i] = isfinite(step) ? step : 0;
  }
}

// ---- moves ------------------------------------------------------------------------------------

// Moves coordinates that have no contact in common, until all have been; false: none is left.
static bool move_some(const moves *x)
{
  bool some = false;
  dls_copy(x->q, x->state->q, x->system->n);
  dls_clear(x->busy, x->m);
  for (int i = 0; i < x->system->n; i++) {
    bool free = !x->done[i] && x->step[i] > 0;
    for (int e = x->first[i]; free && e < x->first[i + 1]; e++) free = !x->busy[x->place[e]];
    if (!free) continue;
    for (int e = x->first[i]; e < x->first[i + 1]; e++) x->busy[x->place[e]] = true;
    x->q[i] += x->step[i];
    x->done[i] = some = true;
  }
  return some;
}

// Where the model has no values on one side, those on the other count; on neither: none.
static bool evaluate(const moves *x)
{
  const dls_system *s = x->system;
  const dls_state *at = x->state;
  if (s->evaluate(s->self, at->t, x->q, at->v, x->values, NULL, NULL) == DLS_OK) return true;
  for (int i = 0; i < s->n; i++) x->q[i] = at->q[i] - (x->q[i] - at->q[i]);
  return s->evaluate(s->self, at->t, x->q, at->v, x->values, NULL, NULL) == DLS_OK;
}

static void add_changes(const moves *x)
{
  const dls_pattern *normal = &x->system->normal;
  double *change = x->change;
  for (int j = 0; j < x->m; j++) {
    int begin, end;
    const dls_matrix_view *G = column(x, j, &begin, &end);
    const double *moved = x->values->G + normal->p[x->contact[j]];
    for (int e = begin; x->busy[j] && e < end; e++) {
      const double difference = fabs(moved[e - begin] - G->x[e]);
      if (isfinite(difference)) change[e - begin] += difference;
    }
    change += end - begin;
  }
}

static dls_status find_changes(moves *x, double tolerance, dls_arena *work)
{
  const ptrdiff_t n = x->system->n;
  x->first = dls_arena_alloc(work, n + 1, sizeof *x->first);
  int *next = dls_arena_alloc(work, n, sizeof *next);
  x->step = dls_arena_alloc(work, n, sizeof *x->step);
  x->D = dls_arena_alloc(work, n, sizeof *x->D);
  x->C = dls_arena_alloc(work, x->m, sizeof *x->C);
  x->q = dls_arena_alloc(work, n, sizeof *x->q);
  x->done = dls_arena_alloc(work, n, sizeof *x->done);
  x->busy = dls_arena_alloc(work, x->m, sizeof *x->busy);
  if (!x->first || !next || !x->step || !x->D || !x->C || !x->q || !x->done || !x->busy)
    return DLS_ERR_MEMORY;
  x->place = dls_arena_alloc(work, count_entries(x), sizeof *x->place);
  if (!x->place) return DLS_ERR_MEMORY;
  list_places(x, next);
  find_steps(x, tolerance);
  const dls_status status = dls_values_create(x->system, &x->values);
  while (status == DLS_OK && move_some(x))
    if (evaluate(x)) add_changes(x);
  dls_values_free(x->values);
  return status;
}

dls_status dls_gradient_change(const dls_system *system, const dls_state *state,
                               const dls_problem_matrices *matrices, const int *contact,
                               double tolerance, dls_arena *arena, double **change)
{
  const dls_pattern *P = dependence(system), *bilateral = &matrices->G_b.pattern,
                    *unilateral = &matrices->G_u.pattern;
  moves x = {.system = system,
             .state = state,
             .M = &matrices->M,
             .G = {&matrices->G_b, &matrices->G_u},
             .contact = contact,
             .m = bilateral->cols + unilateral->cols};
  *change = NULL;
  int entries = 0;
  for (int j = 0; j < x.m; j++) entries += P->p[contact[j] + 1] - P->p[contact[j]];
  if (entries == 0) return DLS_OK;
  const int numbers = bilateral->p[bilateral->cols] + unilateral->p[unilateral->cols];
  dls_arena *work = dls_arena_create();
  x.change = dls_arena_alloc(arena, numbers, sizeof *x.change);
  const dls_status status = work && x.change ? find_changes(&x, tolerance, work) : DLS_ERR_MEMORY;
  dls_arena_free(work);
  if (status == DLS_OK) *change = x.change;
  return status;
}
