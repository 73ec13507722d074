// Distances between filled-in graphs against an oracle that decides "at most D" by clipping
// polygons, against dense samples, and what the search costs.
#include "accuracy/graph.h"

#include "motion.h"
#include "numbers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "cases.h"

// ---- the oracle --------------------------------------------------------------------------------

typedef struct polygon {
  int count;
  double s[64], u[64];
} polygon;

// Keeps a s + b u <= c.
static void clip(polygon *p, double a, double b, double c)
{
  polygon kept = {0};
  for (int i = 0; i < p->count; i++) {
    const int j = (i + 1) % p->count;
    const double from = a * p->s[i] + b * p->u[i] - c, to = a * p->s[j] + b * p->u[j] - c;
    if (from <= 0) kept.s[kept.count] = p->s[i], kept.u[kept.count++] = p->u[i];
    if ((from < 0 && to > 0) || (from > 0 && to < 0)) {
      const double w = from / (from - to);
      kept.s[kept.count] = p->s[i] + w * (p->s[j] - p->s[i]);
      kept.u[kept.count++] = p->u[i] + w * (p->u[j] - p->u[i]);
    }
  }
  *p = kept;
}

static double value_at(const dls_trajectory *a, ptrdiff_t i, int k)
{
  if (i >= a->count) i = a->count - 1;
  return k == 0 ? a->t[i] : a->x[i * (ptrdiff_t)a->n + (ptrdiff_t)(k - 1)];
}

// The part [low, high] of segment i of a within D of segment j of b; false if there is none.
static bool reached(const dls_trajectory *a, ptrdiff_t i, const dls_trajectory *b, ptrdiff_t j,
                    double D, double *low, double *high)
{
  polygon p = {4, {0, 1, 1, 0}, {0, 0, 1, 1}};
  for (int k = 0; k <= a->n && p.count > 0; k++) {
    const double c = value_at(a, i, k) - value_at(b, j, k);
    const double s = value_at(a, i + 1, k) - value_at(a, i, k);
    const double u = value_at(b, j, k) - value_at(b, j + 1, k);
    clip(&p, s, u, D - c);
    clip(&p, -s, -u, D + c);
  }
  *low = 2, *high = -1;
  for (int v = 0; v < p.count; v++) *low = fmin(*low, p.s[v]), *high = fmax(*high, p.s[v]);
  return p.count > 0;
}

static bool covered(const dls_trajectory *a, const dls_trajectory *b, double D)
{
  for (ptrdiff_t i = 0; i == 0 || i + 1 < a->count; i++) {
    double until = 0;
    for (bool grows = true; grows && until < 1 - 1e-13;) {
      grows = false;
      for (ptrdiff_t j = 0; j == 0 || j + 1 < b->count; j++) {
        double low, high;
        if (!reached(a, i, b, j, D, &low, &high)) continue;
        if (low <= until + 1e-13 && high > until + 1e-13) until = high, grows = true;
      }
    }
    if (until < 1 - 1e-13) return false;
  }
  return true;
}

// The least D for which both graphs are covered, by bisection.
static double oracle(motion a, motion b)
{
  double low = 0, high = 16;
  for (int turn = 0; turn < 45; turn++) {
    const double D = (low + high) / 2;
    if (covered(&a.view, &b.view, D) && covered(&b.view, &a.view, D)) high = D;
    else low = D;
  }
  return high;
}

// The same with the corners in place of the graphs on one side: what a computation at points gives.
static double from_corners(motion a, motion b)
{
  double largest = 0;
  const dls_trajectory *pair[2] = {&a.view, &b.view};
  for (int side = 0; side < 2; side++) {
    const dls_trajectory *from = pair[side], *to = pair[1 - side];
    const dls_filled_graph g = {to->count, (ptrdiff_t)to->n, to->n, to->t, to->x};
    for (ptrdiff_t i = 0; i < from->count; i++) {
      double p[8], least = INFINITY;
      for (int k = 0; k <= from->n; k++) p[k] = value_at(from, i, k);
      for (ptrdiff_t j = 0; j < dls_graph_segments(&g); j++)
        least = fmin(least, dls_graph_to_segment(&g, j, p, -1));
      largest = fmax(largest, least);
    }
  }
  return largest;
}

static void test_oracle(void **state)
{
  (void)state;
  int inside = 0;
  for (int trial = 0; trial < 600; trial++) {
    at_case("trial %d", trial);
    const int n = 1 + trial % 3;
    motion a = motion_draw(1 + below(9), n, trial % 2), b = motion_draw(1 + below(9), n, trial % 2);
    const double d = motion_distance(a, b), truth = oracle(a, b);
    close_to(d, truth, 1e-10);
    inside += from_corners(a, b) < truth - 1e-6;
    motion_drop(a), motion_drop(b);
  }
  assert_true(inside > 10);  // distances that no corner attains
}

// Points of both graphs, densely: never more than the distance by more than their spacing.
static void test_samples(void **state)
{
  (void)state;
  enum { DENSE = 60 };
  for (int trial = 0; trial < 12; trial++) {
    at_case("trial %d", trial);
    motion a = motion_draw(8, 2, false), b = motion_draw(8, 2, false), *pair[2] = {&a, &b};
    double spacing = 0, largest = 0;
    double points[2][7 * (DENSE + 1)][3];
    for (int side = 0; side < 2; side++)
      for (int i = 0; i < 7 * (DENSE + 1); i++)
        for (int k = 0; k < 3; k++) {
          const ptrdiff_t j = (ptrdiff_t)(i / (DENSE + 1));
          const double from = value_at(&pair[side]->view, j, k);
          const double to = value_at(&pair[side]->view, j + 1, k);
          points[side][i][k] = from + (to - from) * (i % (DENSE + 1)) / DENSE;
          spacing = fmax(spacing, fabs(to - from) / DENSE);
        }
    for (int side = 0; side < 2; side++)
      for (int i = 0; i < 7 * (DENSE + 1); i++) {
        double least = INFINITY;
        for (int j = 0; j < 7 * (DENSE + 1); j++) {
          double d = 0;
          for (int k = 0; k < 3; k++)
            d = fmax(d, fabs(points[side][i][k] - points[1 - side][j][k]));
          least = fmin(least, d);
        }
        largest = fmax(largest, least);
      }
    close_to(motion_distance(a, b), largest, spacing);
    motion_drop(a), motion_drop(b);
  }
}

// ---- cost --------------------------------------------------------------------------------------

// At most two searches and two cuts for each point, and a search looks at few boxes of each level.
static void cheap(motion a, motion b, double expected, double tolerance)
{
  double d;
  dls_graph_work work;
  assert_int_equal(dls_graph_distance_counted(&a.view, &b.view, &d, &work), DLS_OK);
  close_to(d, expected, tolerance);
  const double points = (double)(a.view.count + b.view.count);
  const double levels = 2 + log2(points);
  if ((double)work.searches > 2 * points + 1000 || (double)work.splits > 2 * points ||
      (double)work.nodes > 2 * levels * ((double)work.searches + 10))
    fail_msg("%g points: %zu searches, %zu boxes, %zu cuts", points, work.searches, work.nodes,
             work.splits);
  motion_drop(a), motion_drop(b);
}

// offset + amplitude sin(3 t + phase) + noise on [0, 10]
static motion wave(int count, double amplitude, double phase, double offset, double noise)
{
  motion m = motion_make(count, 1);
  for (int i = 0; i < count; i++) {
    m.t[i] = 10.0 * i / (count - 1);
    m.x[i] = amplitude * sin(3 * m.t[i] + phase) + offset + noise * uniform();
  }
  return m;
}

// Jumps between +1 and -1, `shift` later.
static motion square(int count, double shift)
{
  motion m = motion_make(count, 1);
  for (int i = 0; i < count; i++) {
    m.t[i] = 20.0 * ((i + 1) / 2) / count + shift;
    m.x[i] = i / 2 % 2 ? -1 : 1;
  }
  return m;
}

// Velocity of a ball that comes to rest after infinitely many jumps, nearly all of them at the end;
// and `late` is added to all times.
static motion ball(int count, double late)
{
  motion m = motion_make(count, 1);
  double t = 0, v = 1;
  for (int i = 0; i + 1 < count; i += 2, v *= 0.999) {
    m.t[i] = t + late, m.x[i] = v;
    m.t[i + 1] = (t += 2 * v) + late, m.x[i + 1] = -v;
  }
  return m;
}

static void test_cost(void **state)
{
  (void)state;
  enum { N = 30000, M = 40001 };
  const double h = 10.0 / (N - 1);
  // the same motion on two grids: the chords of one are h^2/8 |x''| from the arc
  cheap(wave(N, 1, 0, 0, 0), wave(M, 1, 0, 0, 0), 0, 9 * h * h / 8);
  cheap(wave(30, 1, 0, 0, 0), wave(M, 1, 0, 0, 0), 0.1, 0.1);
  // far apart: the window of times holds everything
  cheap(wave(N, 0, 0, 0, 0), wave(M, 0, 0, 100, 0), 100, 0);
  cheap(wave(N, 1, 0, 0, 0), wave(M, 0, 0, 100, 0), 101, 1e-6);
  cheap(wave(N, 1, 0, 0, 0), wave(2, 0, 0, 100, 0), 101, 1e-6);
  cheap(wave(N, 0, 0, 0, 1), wave(M, 0, 0, 100, 1), 100, 0.01);
  // out of phase: the last point of the second is the farthest, as far in time as in space
  double apart = 0.4;
  for (int turn = 0; turn < 60; turn++)
    apart -= (apart - sin(31.5) + sin(30 - 3 * apart)) / (1 - 3 * cos(30 - 3 * apart));
  cheap(wave(N, 1, 0, 0, 0), wave(M, 1, 1.5, 0, 0), apart, 1e-6);
  cheap(wave(2, 0, 0, 1, 0), wave(M, 0, 0, 1, 0), 0, 1e-15);
  cheap(wave(2, 0, 0, 1, 0), wave(M, 0, 0, 1, 1e-6), 1e-6, 1e-9);
  cheap(square(N, 0), square(N, 7.25 / N), 7.25 / N, 1e-13);
  cheap(square(N, 0), wave(2, 0, 0, 0, 0), 1, 1e-12);
  cheap(ball(N, 0), ball(N, 1e-3), 1e-3, 1e-12);
  cheap(ball(N, 0), ball(N - 10000, 0), 0, 0.1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_oracle),
      cmocka_unit_test(test_samples),
      cmocka_unit_test(test_cost),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
