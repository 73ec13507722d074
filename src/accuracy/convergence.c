// The error of a run against a reference, and orders as slopes.
//
// Both motions become polygons over the same times: the points of the run and the jumps of the
// reference, eq (err.6). What the straight lines between them leave out is left out in both, so
// that the distance between their graphs is that of the points and of the jumps.
#include <delassus/convergence.h>

#include "base/memory.h"
#include "base/message.h"
#include "accuracy/reference.h"
#include "accuracy/tolerances.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

const char *dls_norm_name(dls_norm norm)
{
#define TEXT(code, name) name,
  static const char *const names[] = {DLS_NORM_LIST(TEXT)};
#undef TEXT
  return names[norm];
}

typedef struct comparison {
  const dls_series *run;
  const dls_reference *reference;
  unsigned char *known;  // n
  double *q, *v;         // count * n: the reference at the points of the run

  // of one quantity, for the entries that are known
  int entries;
  int *entry;
  dls_trajectory found, true_one;
  double *found_t, *found_x, *true_t, *true_x;  // of the polygons
  double *grid_t, *grid_x, *grid_true;
} comparison;

static void free_comparison(comparison *c)
{
  free(c->known);
  free(c->q);
  free(c->v);
  free(c->entry);
  free(c->found_t);
  free(c->found_x);
  free(c->true_t);
  free(c->true_x);
  free(c->grid_t);
  free(c->grid_x);
  free(c->grid_true);
}

static dls_status take_memory(comparison *c)
{
  const ptrdiff_t n = c->run->n, points = c->run->count;
  const ptrdiff_t all = points + 2 * c->reference->jumps;
  if (n > 0 && all > PTRDIFF_MAX / n) return DLS_ERR_MEMORY;
  c->known = dls_alloc(n, 1);
  c->entry = dls_alloc(n, sizeof(int));
  c->q = dls_alloc(points * n, sizeof(double));
  c->v = dls_alloc(points * n, sizeof(double));
  c->found_t = dls_alloc(points, sizeof(double));
  c->found_x = dls_alloc(points * n, sizeof(double));
  c->true_t = dls_alloc(all, sizeof(double));
  c->true_x = dls_alloc(all * n, sizeof(double));
  c->grid_t = dls_alloc(points, sizeof(double));
  c->grid_x = dls_alloc(points * n, sizeof(double));
  c->grid_true = dls_alloc(points * n, sizeof(double));
  const bool complete = c->known && c->entry && c->q && c->v && c->found_t && c->found_x &&
                        c->true_t && c->true_x && c->grid_t && c->grid_x && c->grid_true;
  return complete ? DLS_OK : DLS_ERR_MEMORY;
}

static dls_status evaluate_reference(comparison *c, dls_message *message)
{
  const dls_series *s = c->run;
  const ptrdiff_t n = s->n;
  for (ptrdiff_t i = 0; i < s->count; i++) {
    double *q = c->q + i * n, *v = c->v + i * n;
    if (i > 0 && s->t[i] == s->t[i - 1]) {
      dls_copy(q, q - n, n);
      dls_copy(v, v - n, n);
      continue;
    }
    const dls_status status = dls_reference_at(c->reference, s->t[i], q, v, c->known);
    if (status == DLS_ERR_NUMBER)
      return dls_fail(message, status, "the exact solution is not finite at t = %.9g", s->t[i]);
    if (status != DLS_OK) return status;
  }
  return DLS_OK;
}

static void pick(const comparison *c, const double *from, double *to)
{
  for (int k = 0; k < c->entries; k++) to[k] = from[c->entry[k]];
}

static void add_true(comparison *c, double t, const double *x)
{
  dls_trajectory *g = &c->true_one;
  c->true_t[g->count] = t;
  pick(c, x, c->true_x + g->count * c->entries);
  g->count++;
}

// On a jump, up to the rounding of its time and its blur, all values of the filled-in graph are
// exact.
static void fill_in(const comparison *c, ptrdiff_t first, double t, const double *x, double *exact)
{
  const dls_reference *r = c->reference;
  const double near = fmax(jump_time_rounding * fmax(fabs(t), fabs(r->until)), r->blur);
  for (ptrdiff_t j = first > 0 ? first - 1 : 0; j < r->jumps && r->t[j] <= t + near; j++) {
    if (!(fabs(r->t[j] - t) <= near)) continue;
    for (int k = 0; k < c->entries; k++) {
      const ptrdiff_t at = j * r->n + c->entry[k];
      const double low = fmin(r->before[at], r->after[at]),
                   high = fmax(r->before[at], r->after[at]);
      exact[k] = fmin(high, fmax(low, x[k]));
    }
    return;
  }
}

// The polygons of coordinates or velocities, and what lies on the grid.
static ptrdiff_t fill(comparison *c, bool velocities)
{
  const dls_series *s = c->run;
  const dls_reference *r = c->reference;
  const ptrdiff_t n = s->n, entries = c->entries;
  ptrdiff_t on_grid = 0, jump = 0;
  c->true_one = (dls_trajectory){.n = c->entries, .t = c->true_t, .x = c->true_x};
  c->found = (dls_trajectory){.n = c->entries, .t = c->found_t, .x = c->found_x};
  for (ptrdiff_t i = 0; i < s->count; i++) {
    const double *x = (velocities ? s->v : s->q) + i * n;
    const double *exact = (velocities ? c->v : c->q) + i * n;
    for (; jump < r->jumps && r->t[jump] <= s->t[i]; jump++) {
      add_true(c, r->t[jump], (velocities ? r->before : r->q) + jump * n);
      add_true(c, r->t[jump], (velocities ? r->after : r->q) + jump * n);
    }
    if (i == 0 || s->t[i] != s->t[i - 1]) add_true(c, s->t[i], exact);
    c->found_t[i] = s->t[i];
    pick(c, x, c->found_x + i * entries);
    if (s->kind[i] != DLS_POINT_GRID) continue;
    c->grid_t[on_grid] = s->t[i];
    pick(c, x, c->grid_x + on_grid * entries);
    pick(c, exact, c->grid_true + on_grid * entries);
    if (velocities)
      fill_in(c, jump, s->t[i], c->grid_x + on_grid * entries, c->grid_true + on_grid * entries);
    on_grid++;
  }
  c->found.count = s->count;
  return on_grid;
}

// The largest coordinate of the run, by the time that it lasts.
static double slowest(const comparison *c)
{
  double size = 0;
  const ptrdiff_t count = c->run->count * c->run->n;
  for (ptrdiff_t i = 0; i < count; i++) size = fmax(size, fabs(c->run->q[i]));
  return size / (c->reference->until - c->reference->from);
}

// eq (err.7): roundings of the numbers themselves, once in each step at random; velocities that
// move coordinates by their roundings within the run are none.
static double floor_of(const comparison *c, bool velocities, ptrdiff_t steps)
{
  double size = velocities ? slowest(c) : 0;
  const ptrdiff_t count = c->true_one.count * c->entries;
  for (ptrdiff_t i = 0; i < count; i++) size = fmax(size, fabs(c->true_x[i]));
  const double both = (double)(steps + c->reference->run.count);
  return step_rounding * size * sqrt(both) + c->reference->unseen;
}

static dls_status compare(comparison *c, bool velocities, double *error, double *floor)
{
  dls_grid_norms norms;
  c->entries = 0;
  for (int i = 0; i < c->run->n; i++)
    if (c->known[i] & (velocities ? 2 : 1)) c->entry[c->entries++] = i;
  if (c->entries == 0) return DLS_OK;
  const ptrdiff_t on_grid = fill(c, velocities);
  dls_status status =
      dls_grid_error(on_grid, c->entries, c->grid_t, c->grid_x, c->grid_true, &norms);
  if (status == DLS_OK)
    status = dls_graph_distance(&c->found, &c->true_one, &error[DLS_NORM_HAUSDORFF]);
  if (status != DLS_OK) return status;
  error[DLS_NORM_L1] = norms.l1;
  error[DLS_NORM_L2] = norms.l2;
  error[DLS_NORM_UNIFORM] = norms.uniform;
  *floor = floor_of(c, velocities, on_grid);
  return DLS_OK;
}

static dls_status compare_all(const dls_series *run, const dls_reference *reference,
                              dls_accuracy *a, dls_message *message)
{
  comparison c = {.run = run, .reference = reference};
  dls_status status = take_memory(&c);
  if (status == DLS_OK) status = evaluate_reference(&c, message);
  if (status == DLS_OK) status = compare(&c, false, a->q, &a->floor_q);
  if (status == DLS_OK) status = compare(&c, true, a->v, &a->floor_v);
  free_comparison(&c);
  return status;
}

dls_status dls_accuracy_measure(const dls_system *system, const dls_state *start,
                                const dls_integrator_options *options, double until,
                                const dls_reference *reference, const dls_watch *watch,
                                dls_accuracy *a, dls_message *message)
{
  dls_series run = {0};
  dls_series_end end;
  *a = (dls_accuracy){.reached = NAN, .mean_step = NAN, .floor_q = NAN, .floor_v = NAN};
  for (int k = 0; k < DLS_NORM_COUNT; k++) a->q[k] = a->v[k] = NAN;
  if (message) message->text[0] = '\0';
  if (reference->n != system->n || start->t != reference->from || until != reference->until)
    return dls_fail(message, DLS_ERR_ARGUMENT, "the reference is of another system or time");
  dls_status status = dls_series_run(&run, system, start, options, until, watch, &end, &a->why);
  if (status != DLS_OK && message) *message = a->why;
  if (status == DLS_OK) {
    a->counts = end.counts, a->failure = end.failure, a->stopped = end.stopped;
    a->reached = end.reached, a->loss = end.loss;
    if (end.counts.steps > 0) a->mean_step = (end.reached - start->t) / (double)end.counts.steps;
    if (end.failure == DLS_FAILURE_NONE && !end.stopped)
      status = compare_all(&run, reference, a, message);
  }
  dls_series_free(&run);
  return status;
}

// eq (err.9)
static dls_integrator_options disturbed(const dls_integrator_options *options)
{
  dls_integrator_options how = *options;
  how.closed *= disturbed_tolerance, how.rest *= disturbed_tolerance;
  how.tolerance = fmin(disturbed_tolerance * how.tolerance, sqrt(how.tolerance));  // stays below 1
  how.step *= 1 + disturbed_step;
  return how;
}

dls_status dls_accuracy_noise(const dls_system *system, const dls_state *start,
                              const dls_integrator_options *options, double until,
                              const dls_watch *watch, dls_accuracy *noise, dls_message *message)
{
  dls_reference *run;
  dls_message why = {""};
  const dls_integrator_options how = disturbed(options);
  *noise = (dls_accuracy){.reached = NAN, .mean_step = NAN, .floor_q = NAN, .floor_v = NAN};
  for (int k = 0; k < DLS_NORM_COUNT; k++) noise->q[k] = noise->v[k] = NAN;
  dls_status status = dls_reference_run(system, start, options, until, watch, &run, &why);
  if (status == DLS_ERR_NUMBER) {  // it failed, or was stopped: no noise is known
    noise->why = why;
    return DLS_OK;
  }
  if (status == DLS_OK) {
    run->blur = options->critical * options->step;  // the longest critical interval
    status = dls_accuracy_measure(system, start, &how, until, run, watch, noise, &why);
  }
  if (status != DLS_OK && message) *message = why;
  dls_reference_free(run);
  return status;
}
