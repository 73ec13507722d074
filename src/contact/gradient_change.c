// How far the gradients of contacts change within the tolerance of the state.     eq (num.3)
//
// Each coordinate is moved by as much as the tolerance lets it, and the gradients are evaluated
// again. Coordinates that no contact has in common are moved at once.
#include "contact/gradient_change.h"

#include "contact/scaling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct moves {
  const dls_system *system;
  const dls_state *state;
  const dls_problem *problem;
  const int *contact;
  int m;         // contacts of the problem
  int *first;    // n + 1: into place
  int *place;    // the contacts of the problem whose gradients depend on a coordinate
  double *step;  // n: how far a coordinate is moved, 0 where that changes nothing
  double *q;     // n
  bool *done;    // n
  bool *busy;    // m: a coordinate of the contact is being moved
  dls_values *values;
  double *change;  // n x m
} moves;

// The coordinates on which a gradient depends: where the system does not say, all in its gap.
static const dls_pattern *dependence(const dls_system *s)
{
  return s->derivative ? &s->derivative->D_q : &s->normal;
}

// first and place: the transposed pattern. How many entries it has.
static size_t count_entries(const moves *x)
{
  const dls_pattern *P = dependence(x->system);
  size_t count = 0;
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
  memcpy(next, x->first, (size_t)x->system->n * sizeof *next);
  for (int j = 0; j < x->m; j++) {
    const int column = x->contact[j];
    for (int e = P->p[column]; e < P->p[column + 1]; e++) x->place[next[P->i[e]]++] = j;
  }
}

// 1 / length of the gradient in scaled coordinates; 0 for a gradient that vanishes.
static double unit_of(const moves *x, const dls_scaling *scaling, int j)
{
  const dls_problem *p = x->problem;
  const bool bilateral = j < p->m_b;
  const int k = bilateral ? j : j - p->m_b;
  const double *g = (bilateral ? p->G_b : p->G_u) + (size_t)p->n * (size_t)k;
  for (int i = 0; i < p->n; i++)
    if (g[i] != 0) return bilateral ? scaling->C_b[k] : scaling->C_u[k];
  return 0;
}

// As far as moves the gap of one of its contacts by the tolerance.
static dls_status find_steps(const moves *x, double tolerance)
{
  dls_scaling scaling;
  const dls_status status = dls_scaling_create(x->problem, &scaling);
  if (status != DLS_OK) return status;
  for (int i = 0; i < x->system->n; i++) {
    double unit = INFINITY;
    for (int e = x->first[i]; e < x->first[i + 1]; e++) {
      const double C = unit_of(x, &scaling, x->place[e]);
      if (C > 0) unit = fmin(unit, C);
    }
    const double step = 2 * tolerance * scaling.D[i] * unit;  // D and C are rounded
    x->step[i] = isfinite(step) ? step : 0;
  }
  dls_scaling_free(&scaling);
  return DLS_OK;
}

// Moves coordinates that have no contact in common, until all have been; false: none is left.
static bool move_some(const moves *x)
{
  bool some = false;
  memcpy(x->q, x->state->q, (size_t)x->system->n * sizeof *x->q);
  memset(x->busy, 0, (size_t)x->m * sizeof *x->busy);
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
  const dls_pattern *G = &x->system->normal;
  const dls_problem *p = x->problem;
  const size_t n = (size_t)p->n;
  for (int j = 0; j < x->m; j++) {
    if (!x->busy[j]) continue;
    const double *g = j < p->m_b ? p->G_b + n * (size_t)j : p->G_u + n * (size_t)(j - p->m_b);
    for (int e = G->p[x->contact[j]]; e < G->p[x->contact[j] + 1]; e++) {
      const double difference = fabs(x->values->G[e] - g[G->i[e]]);
      if (isfinite(difference)) x->change[(size_t)G->i[e] + n * (size_t)j] += difference;
    }
  }
}

static dls_status find_changes(moves *x, double tolerance, dls_arena *work)
{
  const size_t n = (size_t)x->system->n;
  x->first = dls_arena_alloc(work, n + 1, sizeof *x->first);
  int *next = dls_arena_alloc(work, n, sizeof *next);
  x->step = dls_arena_alloc(work, n, sizeof *x->step);
  x->q = dls_arena_alloc(work, n, sizeof *x->q);
  x->done = dls_arena_alloc(work, n, sizeof *x->done);
  x->busy = dls_arena_alloc(work, (size_t)x->m, sizeof *x->busy);
  if (!x->first || !next || !x->step || !x->q || !x->done || !x->busy) return DLS_ERR_MEMORY;
  x->place = dls_arena_alloc(work, count_entries(x), sizeof *x->place);
  if (!x->place) return DLS_ERR_MEMORY;
  list_places(x, next);
  dls_status status = find_steps(x, tolerance);
  if (status == DLS_OK) status = dls_values_create(x->system, &x->values);
  while (status == DLS_OK && move_some(x))
    if (evaluate(x)) add_changes(x);
  dls_values_free(x->values);
  return status;
}

dls_status dls_gradient_change(const dls_system *system, const dls_state *state,
                               const dls_problem *problem, const int *contact, double tolerance,
                               dls_arena *arena, double **change)
{
  const dls_pattern *P = dependence(system);
  moves x = {.system = system,
             .state = state,
             .problem = problem,
             .contact = contact,
             .m = problem->m_b + problem->m_u};
  *change = NULL;
  int entries = 0;
  for (int j = 0; j < x.m; j++) entries += P->p[contact[j] + 1] - P->p[contact[j]];
  if (entries == 0) return DLS_OK;
  dls_arena *work = dls_arena_create();
  x.change = dls_arena_alloc(arena, (size_t)problem->n * (size_t)x.m, sizeof *x.change);
  const dls_status status = work && x.change ? find_changes(&x, tolerance, work) : DLS_ERR_MEMORY;
  dls_arena_free(work);
  if (status == DLS_OK) *change = x.change;
  return status;
}
