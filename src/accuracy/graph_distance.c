// The Hausdorff distance between filled-in graphs, eq (err.3), by covering.
//
// Along a segment of A the distance d_T(s) from a segment T of B is convex, and the distance from B
// is the least of them all. Let D be the largest distance found so far. T covers [s0, s1] when
// d_T <= D at both ends, because it is convex. Between T0, which covers s0, and T1, which covers
// s1, there is a point s where d_T0 = d_T1 = c, and no point between them is farther than max(D, c)
// away. Nothing is to be done if c <= D. Otherwise the tree is asked about s: either c is the
// distance, D becomes c and both parts are covered; or a third segment is nearer, and the
// two parts are treated alike. So every D is the distance of a point of A, and in the end all of A
// is covered.
#include "accuracy/graph.h"

#include "accuracy/tolerances.h"
#include "base/memory.h"
#include "linalg/tolerances.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum { SAMPLES = 256 };

// The point s of a segment of A is covered by a segment of B.
typedef struct cover {
  double s;
  ptrdiff_t segment;
} cover;

typedef struct directed {
  const dls_filled_graph *a;
  dls_graph_tree b;
  double distance;  // the largest so far
  double size;      // of the coordinates of the segment at hand: what rounding is measured by
  double *p;        // n + 1
  cover *right;     // ends of the parts to the right of the one at hand, the nearest one last
  ptrdiff_t capacity;
  dls_graph_work *work;
} directed;

// What counts as covered.
static double limit_of(const directed *d)
{
  return d->distance + cover_rounding * (d->distance + d->size);
}

static double distance_at(directed *d, ptrdiff_t i, double s, ptrdiff_t segment, double enough)
{
  dls_graph_point(d->a, i, s, d->p);
  return dls_graph_to_segment(d->b.graph, segment, d->p, enough);
}

static void measure(directed *d, ptrdiff_t i)
{
  d->size = 0;
  for (int end = 0; end < 2; end++) {
    dls_graph_point(d->a, i, end, d->p);
    for (int k = 0; k <= d->a->n; k++) d->size = fmax(d->size, fabs(d->p[k]));
  }
}

// A segment that covers the point s of segment i. The guess and its successor are tried before the
// tree. D grows when there is no such segment, and then it is the nearest one that covers.
static ptrdiff_t locate(directed *d, ptrdiff_t i, double s, ptrdiff_t guess)
{
  const double limit = limit_of(d);
  ptrdiff_t best = guess;
  double distance = distance_at(d, i, s, guess, limit);
  if (distance <= limit) return guess;
  if (guess + 1 < dls_graph_segments(d->b.graph)) {
    const double next = dls_graph_to_segment(d->b.graph, guess + 1, d->p, limit);
    if (next < distance) distance = next, best = guess + 1;
    if (distance <= limit) return best;
  }
  dls_graph_tree_nearest(&d->b, d->p, limit, &best, &distance, d->work);
  if (distance > limit) d->distance = distance;
  return best;
}

// Where a function that is negative at `low` and positive at `high` changes its sign.
typedef struct bracket {
  double low, high, at_low, at_high;
  int kept;  // the end that stayed in the last turn: 1 high, -1 low
} bracket;

// The next point to look at: regula falsi, every third turn bisection.
static double next_point(const bracket *b, int turn)
{
  const double middle = b->low + (b->high - b->low) / 2;
  const double s = b->low + (b->high - b->low) * (b->at_low / (b->at_low - b->at_high));
  return turn % 3 == 0 || !(s > b->low && s < b->high) ? middle : s;
}

// An end that stays twice counts half (the Illinois rule).
static void shrink(bracket *b, double s, double value)
{
  const int kept = value < 0 ? 1 : -1;
  if (value < 0) {
    if (b->kept == kept) b->at_high /= 2;
    b->low = s, b->at_low = value;
  } else {
    if (b->kept == kept) b->at_low /= 2;
    b->high = s, b->at_high = value;
  }
  b->kept = kept;
}

// Whether the points between two covered ones need no other segment. If not, *split is where d_T0
// and d_T1 cross.
static bool joined(directed *d, ptrdiff_t i, cover left, cover right, double *split)
{
  const double limit = limit_of(d), tolerance = equal_distances * d->size;
  double f1 = distance_at(d, i, left.s, right.segment, limit);
  if (f1 <= limit) return true;
  double f0 = distance_at(d, i, right.s, left.segment, limit);
  if (f0 <= limit) return true;
  bracket b = {.low = left.s, .high = right.s};
  b.at_low = distance_at(d, i, left.s, left.segment, -1) - f1;
  b.at_high = f0 - distance_at(d, i, right.s, right.segment, -1);
  *split = left.s + (right.s - left.s) / 2;
  for (int turn = 1; turn < 200; turn++) {
    const double s = next_point(&b, turn);
    if (!(s > b.low && s < b.high)) break;
    *split = s;
    f0 = distance_at(d, i, s, left.segment, -1);
    f1 = distance_at(d, i, s, right.segment, -1);
    if (f0 <= limit && f1 <= limit) return true;
    if (fabs(f0 - f1) <= tolerance) break;
    shrink(&b, s, f0 - f1);
  }
  return false;
}

// Segment i, whose ends are covered by `first` and `last`.
static dls_status cover_inside(directed *d, ptrdiff_t i, ptrdiff_t first, ptrdiff_t last)
{
  cover left = {0, first};
  ptrdiff_t count = 0;
  d->right[count++] = (cover){1, last};
  while (count > 0) {
    const cover right = d->right[count - 1];
    // d is Lipschitz along the segment, whose length is at most 2 size
    const bool same = left.segment == right.segment || right.s - left.s <= same_point;
    double split = 0;
    if (same || joined(d, i, left, right, &split)) {
      left = right;
      count--;
      continue;
    }
    if (dls_grow((void **)&d->right, &d->capacity, count + 1, sizeof *d->right))
      return DLS_ERR_MEMORY;
    d->work->splits++;
    const ptrdiff_t middle = locate(d, i, split, left.segment);
    d->right[count++] = (cover){split, middle};
  }
  return DLS_OK;
}

static dls_status run(directed *d)
{
  const ptrdiff_t segments = dls_graph_segments(d->a);
  // some points in advance: with a large D the others are covered cheaply
  ptrdiff_t guess = 0;
  for (ptrdiff_t k = 0; k < SAMPLES && segments > SAMPLES; k++) {
    const ptrdiff_t i = (segments / SAMPLES) * k;
    measure(d, i);
    guess = locate(d, i, 0, guess);
  }
  measure(d, 0);
  guess = locate(d, 0, 0, 0);
  for (ptrdiff_t i = 0; i < segments; i++) {
    measure(d, i);
    const ptrdiff_t next = locate(d, i, 1, guess);
    if (next != guess) {
      dls_status status = cover_inside(d, i, guess, next);
      if (status != DLS_OK) return status;
    }
    guess = next;
  }
  return DLS_OK;
}

// *distance = the larger of itself and of sup over A of the distance from B.
static dls_status grow_directed(const dls_filled_graph *a, const dls_filled_graph *b,
                                double *distance, dls_graph_work *work)
{
  directed d = {.a = a, .distance = *distance, .work = work};
  dls_status status = dls_graph_tree_make(&d.b, b);
  d.p = dls_alloc((ptrdiff_t)a->n + 1, sizeof *d.p);
  const bool room = dls_grow((void **)&d.right, &d.capacity, 1, sizeof *d.right) == 0;
  if (status == DLS_OK && (!d.p || !room)) status = DLS_ERR_MEMORY;
  if (status == DLS_OK) status = run(&d);
  if (status == DLS_OK) *distance = d.distance;
  free(d.right), free(d.p);
  dls_graph_tree_free(&d.b);
  return status;
}

static dls_status hausdorff(const dls_filled_graph *a, const dls_filled_graph *b, double *distance,
                            dls_graph_work *work)
{
  double largest = 0;
  dls_status status = grow_directed(a, b, &largest, work);
  if (status == DLS_OK) status = grow_directed(b, a, &largest, work);
  if (status == DLS_OK) *distance = largest;
  return status;
}

// ---- the calls ---------------------------------------------------------------------------------

// Differences of differences must stay finite.
static dls_status check_values(ptrdiff_t count, const double *x)
{
  for (ptrdiff_t i = 0; i < count; i++) {
    if (!isfinite(x[i])) return DLS_ERR_NUMBER;
    if (fabs(x[i]) > dls_largest_number) return DLS_ERR_LIMIT;
  }
  return DLS_OK;
}

static dls_status check_trajectory(const dls_trajectory *a)
{
  if (!a || a->count < 1 || a->n < 1 || !a->t || !a->x) return DLS_ERR_ARGUMENT;
  if (a->count > PTRDIFF_MAX / (ptrdiff_t)sizeof(double) / 8 / ((ptrdiff_t)a->n + 1))
    return DLS_ERR_LIMIT;
  dls_status status = check_values(a->count, a->t);
  if (status == DLS_OK) status = check_values(a->count * a->n, a->x);
  for (ptrdiff_t i = 1; i < a->count && status == DLS_OK; i++)
    if (a->t[i] < a->t[i - 1]) status = DLS_ERR_ARGUMENT;
  return status;
}

static dls_status check_pair(const dls_trajectory *a, const dls_trajectory *b,
                             const double *distance)
{
  if (!distance || !a || !b || a->n != b->n) return DLS_ERR_ARGUMENT;
  dls_status status = check_trajectory(a);
  return status == DLS_OK ? check_trajectory(b) : status;
}

static dls_filled_graph view(const dls_trajectory *a, int first, int n)
{
  return (dls_filled_graph){
      .count = a->count, .stride = (ptrdiff_t)a->n, .n = n, .t = a->t, .x = a->x + first};
}

dls_status dls_graph_distance_counted(const dls_trajectory *a, const dls_trajectory *b,
                                      double *distance, dls_graph_work *work)
{
  dls_status status = check_pair(a, b, distance);
  if (status != DLS_OK) return status;
  const dls_filled_graph graph_a = view(a, 0, a->n), graph_b = view(b, 0, b->n);
  *work = (dls_graph_work){0};
  return hausdorff(&graph_a, &graph_b, distance, work);
}

dls_status dls_graph_distance(const dls_trajectory *a, const dls_trajectory *b, double *distance)
{
  dls_graph_work work;
  return dls_graph_distance_counted(a, b, distance, &work);
}

dls_status dls_graph_distance_each(const dls_trajectory *a, const dls_trajectory *b,
                                   double *distance)
{
  dls_status status = check_pair(a, b, distance);
  double *found = status == DLS_OK ? dls_alloc(a->n, sizeof *found) : NULL;
  if (status == DLS_OK && !found) status = DLS_ERR_MEMORY;
  dls_graph_work work = {0};
  for (int k = 0; status == DLS_OK && k < a->n; k++) {
    const dls_filled_graph graph_a = view(a, k, 1), graph_b = view(b, k, 1);
    status = hausdorff(&graph_a, &graph_b, &found[k], &work);
  }
  for (int k = 0; status == DLS_OK && k < a->n; k++) distance[k] = found[k];
  free(found);
  return status;
}
