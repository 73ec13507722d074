// Distances between filled-in graphs: closed forms, properties of a distance, bad input. Norms on a
// grid. What needs an oracle is in test_graph.c.
#include <delassus/trajectory.h>

#include "motion.h"
#include "numbers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "cases.h"

#define SCALAR(name, ...)                               \
  static const double name##_data[][2] = {__VA_ARGS__}; \
  motion name = from_pairs(sizeof name##_data / sizeof *name##_data, name##_data)

static motion from_pairs(size_t count, const double (*pairs)[2])
{
  motion m = motion_make((int)count, 1);
  for (size_t i = 0; i < count; i++) m.t[i] = pairs[i][0], m.x[i] = pairs[i][1];
  return m;
}

// Both orders, both dropped.
static void check_distance(motion a, motion b, double expected, double tolerance)
{
  close_to(motion_distance(a, b), expected, tolerance);
  close_to(motion_distance(b, a), expected, tolerance);
  motion_drop(a), motion_drop(b);
}

// ---- closed forms ------------------------------------------------------------------------------

// A step of height h at time 1, from 0 to 4.
static motion step(double h, double at)
{
  const double pairs[][2] = {{0, 0}, {at, 0}, {at, h}, {4, h}};
  return from_pairs(4, pairs);
}

// A jump at another time: all of it can be reached by going along time, or along space.
static void test_shifted_step(void **state)
{
  (void)state;
  for (int trial = 0; trial < 200; trial++) {
    at_case("trial %d", trial);
    const double h = 1 + uniform(), shift = 1 + uniform();
    check_distance(step(h, 1), step(h, 1 + shift), fmin(h, shift), 1e-14);
  }
  check_distance(step(1, 1), step(1, 1.25), 0.25, 0);
  check_distance(step(0.125, 1), step(0.125, 1.25), 0.125, 0);
}

// A jump against a ramp of width w: w h / (w + h), attained inside the ramp.
static void test_ramp(void **state)
{
  (void)state;
  for (int trial = 0; trial < 200; trial++) {
    at_case("trial %d", trial);
    const double h = 2 * uniform(), w = 1 + uniform();
    const double pairs[][2] = {{0, 0}, {1, 0}, {1 + w, h}, {4, h}};
    check_distance(step(h, 1), from_pairs(4, pairs), w * fabs(h) / (w + fabs(h)), 1e-14);
  }
}

static void test_small_graphs(void **state)
{
  (void)state;
  {
    SCALAR(a, {1, 2});
    SCALAR(b, {1.5, -1});
    check_distance(a, b, 3, 0);
  }
  {
    SCALAR(a, {1, 2});
    SCALAR(b, {0, 2}, {4, 2});
    check_distance(a, b, 3, 0);
  }
  {
    SCALAR(a, {1, 0}, {1, 1});
    SCALAR(b, {1.25, 0.5}, {1.25, 3});
    check_distance(a, b, 2, 0);
  }
  {
    SCALAR(a, {1, 0}, {1, 1});
    SCALAR(b, {3, 0.25}, {3, 1});
    check_distance(a, b, 2, 0);
  }
  {
    SCALAR(a, {0, 5}, {10, 5});
    SCALAR(b, {0, -2}, {10, -2});
    check_distance(a, b, 7, 0);
  }
  {  // far below any grid, far above rounding
    SCALAR(a, {0, 0}, {1, 0});
    SCALAR(b, {0, 1e-13}, {1, 1e-13});
    check_distance(a, b, 1e-13, 0);
  }
  {  // a tent of height 3 above the line, reached from its top
    SCALAR(a, {0, 0}, {2, 0});
    SCALAR(b, {0, 0}, {1, 3}, {2, 0});
    check_distance(a, b, 3, 0);
  }
  {  // a jump up and down again: the filled-in graph has the spike, the function has not
    SCALAR(a, {0, 0}, {2, 0});
    SCALAR(b, {0, 0}, {1, 0}, {1, 0.5}, {1, 0}, {2, 0});
    check_distance(a, b, 0.5, 0);
  }
  {  // points of length zero everywhere
    SCALAR(a, {0, 0}, {0, 0}, {1, 1}, {1, 1}, {1, 1}, {2, 0}, {2, 0});
    SCALAR(b, {0, 0}, {1, 1}, {2, 0});
    check_distance(a, b, 0, 0);
  }
}

// The helix (t, cos, sin) and its axis, where the largest component counts.
static void test_vector(void **state)
{
  (void)state;
  motion axis = motion_make(2, 2), helix = motion_make(4001, 2);
  axis.t[1] = 10;
  for (int i = 0; i <= 4000; i++) {
    helix.t[i] = 10.0 * i / 4000;
    helix.x[2 * i] = cos(helix.t[i] * 20 * acos(-1));
    helix.x[2 * i + 1] = sin(helix.t[i] * 20 * acos(-1));
  }
  double each[2] = {NAN, NAN};
  assert_int_equal(dls_graph_distance_each(&axis.view, &helix.view, each), DLS_OK);
  close_to(each[0], 1, 1e-13);
  close_to(each[1], 1, 1e-13);
  check_distance(axis, helix, 1, 1e-13);

  // a diagonal jump: the segment between both values, not the box
  motion jump = motion_make(2, 2), corner = motion_make(3, 2);
  jump.x[2] = jump.x[3] = 1;
  corner.x[2] = corner.x[4] = corner.x[5] = 1;
  assert_int_equal(dls_graph_distance_each(&jump.view, &corner.view, each), DLS_OK);
  assert_true(each[0] == 0 && each[1] == 0);
  check_distance(jump, corner, 0.5, 1e-15);
}

// b leaves the line for a detour; a goes along the whole line and back along the detour. Only the
// short part of the line that b leaves out is away from b, most in its middle.
static void test_gap_inside(void **state)
{
  (void)state;
  static const double first[][2] = {{0, 0}, {1000, 0}, {500.5, 0}, {500.5, 1}, {500, 1}, {500, 0}};
  static const double second[][2] = {{0, 0}, {500, 0}, {500, 1}, {500.5, 1}, {500.5, 0}, {1000, 0}};
  motion a = motion_make(6, 2), b = motion_make(6, 2);
  for (int i = 0; i < 12; i++) a.x[i] = first[i / 2][i % 2], b.x[i] = second[i / 2][i % 2];
  check_distance(a, b, 0.25, 1e-12);
}

// ---- properties --------------------------------------------------------------------------------

// A finer sampling of the same graph.
static motion refine(motion a, int parts, bool even)
{
  const int n = a.view.n, segments = (int)a.view.count - 1;
  motion fine = motion_make(segments * parts + 1, n);
  for (int i = 0; i <= segments * parts; i++) {
    const int j = i < segments * parts ? i / parts : segments - 1;
    const double s = i == segments * parts ? 1 : (double)(i % parts) / parts;
    const double w = even ? s : s * s;
    fine.t[i] = a.t[j] + w * (a.t[j + 1] - a.t[j]);
    for (int k = 0; k < n; k++)
      fine.x[i * n + k] = a.x[j * n + k] + w * (a.x[(j + 1) * n + k] - a.x[j * n + k]);
  }
  return fine;
}

static void test_same_graph(void **state)
{
  (void)state;
  for (int trial = 0; trial < 40; trial++) {
    at_case("trial %d", trial);
    motion a = motion_draw(12, 1 + trial % 3, false), exact = motion_draw(12, 1 + trial % 3, true);
    assert_true(motion_distance(a, a) == 0);
    motion fine = refine(a, 7, true), other = refine(a, 5, false), halves = refine(exact, 8, true);
    assert_true(motion_distance(exact, halves) == 0);
    close_to(motion_distance(a, fine), 0, 1e-14);
    close_to(motion_distance(fine, other), 0, 1e-14);
    motion_drop(a), motion_drop(exact), motion_drop(fine), motion_drop(other), motion_drop(halves);
  }
}

static void test_metric(void **state)
{
  (void)state;
  for (int trial = 0; trial < 300; trial++) {
    at_case("trial %d", trial);
    const int n = 1 + trial % 3;
    motion a = motion_draw(1 + below(30), n, false), b = motion_draw(1 + below(30), n, false);
    motion c = motion_draw(1 + below(30), n, false);
    const double ab = motion_distance(a, b), bc = motion_distance(b, c), ac = motion_distance(a, c);
    close_to(motion_distance(b, a), ab, 1e-14);
    assert_true(ab > 0 && ac <= ab + bc + 1e-13);
    double each[3];
    assert_int_equal(dls_graph_distance_each(&a.view, &b.view, each), DLS_OK);
    for (int k = 0; k < n; k++) assert_true(each[k] <= ab + 1e-14);
    if (n == 1) assert_true(each[0] == ab);
    motion_drop(a), motion_drop(b), motion_drop(c);
  }
}

static void stretch(motion m, double factor, double later, double higher)
{
  for (ptrdiff_t i = 0; i < m.view.count; i++) m.t[i] = factor * m.t[i] + later;
  for (ptrdiff_t i = 0; i < m.view.count * m.view.n; i++) m.x[i] = factor * m.x[i] + higher;
}

static void test_scaling(void **state)
{
  (void)state;
  for (int trial = 0; trial < 60; trial++) {
    at_case("trial %d", trial);
    motion a = motion_draw(20, 1 + trial % 3, false), b = motion_draw(20, 1 + trial % 3, false);
    const double before = motion_distance(a, b);
    stretch(a, 0x1p-900, 0, 0), stretch(b, 0x1p-900, 0, 0);
    assert_true(motion_distance(a, b) == before * 0x1p-900);
    stretch(a, 0x1p+950, 0, 0), stretch(b, 0x1p+950, 0, 0);
    stretch(a, 0x1p+940, 0, 0), stretch(b, 0x1p+940, 0, 0);
    assert_true(motion_distance(a, b) == before * 0x1p+990);
    stretch(a, -0x1p-990, 3, -5), stretch(b, -0x1p-990, 3, -5);
    // time runs backwards now: turn it round
    for (int side = 0; side < 2; side++) {
      motion m = side ? b : a;
      const int n = m.view.n, last = (int)m.view.count - 1;
      for (int i = 0; i < last - i; i++) {
        const double t = m.t[i];
        m.t[i] = m.t[last - i], m.t[last - i] = t;
        for (int k = 0; k < n; k++) {
          const double x = m.x[i * n + k];
          m.x[i * n + k] = m.x[(last - i) * n + k], m.x[(last - i) * n + k] = x;
        }
      }
    }
    close_to(motion_distance(a, b), before, 1e-14);
    motion_drop(a), motion_drop(b);
  }
}

// Each component by itself, against trajectories of that component only.
static void test_each(void **state)
{
  (void)state;
  motion a = motion_draw(40, 3, false), b = motion_draw(50, 3, false);
  double each[3];
  assert_int_equal(dls_graph_distance_each(&a.view, &b.view, each), DLS_OK);
  for (int k = 0; k < 3; k++) {
    at_case("k %d", k);
    motion p = motion_make(40, 1), q = motion_make(50, 1);
    for (int i = 0; i < 40; i++) p.t[i] = a.t[i], p.x[i] = a.x[3 * i + k];
    for (int i = 0; i < 50; i++) q.t[i] = b.t[i], q.x[i] = b.x[3 * i + k];
    check_distance(p, q, each[k], 1e-14);
  }
  motion_drop(a), motion_drop(b);
}

// ---- bad input ---------------------------------------------------------------------------------

static void refuses(const dls_trajectory *a, const dls_trajectory *b, dls_status expected)
{
  double d = -7, each[2] = {-7, -7};
  assert_int_equal(dls_graph_distance(a, b, &d), expected);
  assert_int_equal(dls_graph_distance(b, a, &d), expected);
  assert_int_equal(dls_graph_distance_each(a, b, each), expected);
  assert_true(d == -7 && each[0] == -7 && each[1] == -7);
}

static void test_bad_input(void **state)
{
  (void)state;
  motion a = motion_draw(5, 2, false), b = motion_draw(4, 2, false), c = motion_draw(4, 1, false);
  double d;
  refuses(&a.view, &c.view, DLS_ERR_ARGUMENT);
  refuses(&a.view, NULL, DLS_ERR_ARGUMENT);
  assert_int_equal(dls_graph_distance(&a.view, &b.view, NULL), DLS_ERR_ARGUMENT);
  dls_trajectory bad = b.view;
  bad.count = 0;
  refuses(&a.view, &bad, DLS_ERR_ARGUMENT);
  bad = b.view, bad.t = NULL;
  refuses(&a.view, &bad, DLS_ERR_ARGUMENT);
  bad = b.view, bad.x = NULL;
  refuses(&a.view, &bad, DLS_ERR_ARGUMENT);
  bad = b.view, bad.n = 0;
  dls_trajectory none = a.view;
  none.n = 0;
  refuses(&none, &bad, DLS_ERR_ARGUMENT);
  bad = b.view, bad.count = SIZE_MAX / 4;
  refuses(&a.view, &bad, DLS_ERR_LIMIT);
  const double wrong[] = {NAN, INFINITY, -INFINITY};
  for (int k = 0; k < 3; k++) {
    at_case("k %d", k);
    for (int i = 0; i < 8; i++) {
      const double kept = b.x[i];
      b.x[i] = wrong[k];
      refuses(&a.view, &b.view, DLS_ERR_NUMBER);
      b.x[i] = kept;
    }
    for (int i = 0; i < 4; i++) {
      const double kept = b.t[i];
      b.t[i] = wrong[k];
      refuses(&a.view, &b.view, DLS_ERR_NUMBER);
      b.t[i] = kept;
    }
  }
  b.x[3] = 2e300;
  refuses(&a.view, &b.view, DLS_ERR_LIMIT);
  b.x[3] = -1e300;
  assert_int_equal(dls_graph_distance(&a.view, &b.view, &d), DLS_OK);
  close_to(d / 1e300, 1, 1e-14);
  b.t[2] = nextafter(b.t[1], -1);
  refuses(&a.view, &b.view, DLS_ERR_ARGUMENT);
  motion_drop(a), motion_drop(b), motion_drop(c);
}

// ---- norms on a grid ---------------------------------------------------------------------------

static void test_grid_error(void **state)
{
  (void)state;
  const double t[] = {0, 0.5, 1, 2}, x[] = {1, 2, 3, 4}, y[] = {2, 2, 1, 7};
  dls_grid_norms norms;
  // errors 1, 0, 2, 3 with weights 1/2, 1/2, 1/2, 1
  assert_int_equal(dls_grid_error(4, 1, t, x, y, &norms), DLS_OK);
  close_to(norms.l1, 4.5, 1e-15);
  close_to(norms.l2, sqrt(11.5), 1e-15);
  assert_true(norms.uniform == 3);
  // two components: errors 1 and 3, the larger of each pair
  const double two[] = {0, 2};
  assert_int_equal(dls_grid_error(2, 2, two, x, y, &norms), DLS_OK);
  close_to(norms.l1, 8, 1e-14);
  close_to(norms.l2, sqrt(20), 1e-14);
  assert_true(norms.uniform == 3);
  assert_int_equal(dls_grid_error(4, 1, t, x, x, &norms), DLS_OK);
  assert_true(norms.l1 == 0 && norms.l2 == 0 && norms.uniform == 0);

  // (h sum |e_i|^p)^(1/p) on a uniform grid
  enum { COUNT = 1001 };
  double *grid = vector(COUNT), *e = vector(COUNT), *zero = vector(COUNT);
  double sum = 0, squares = 0;
  for (int i = 0; i < COUNT; i++) {
    grid[i] = i * 0.01, e[i] = uniform();
    sum += fabs(e[i]), squares += e[i] * e[i];
  }
  assert_int_equal(dls_grid_error(COUNT, 1, grid, zero, e, &norms), DLS_OK);
  close_to(norms.l1, 0.01 * sum, 1e-12);
  close_to(norms.l2, sqrt(0.01 * squares), 1e-12);
  // neither square overflows nor underflows
  const dls_grid_norms before = norms;
  for (int sign = -1; sign < 2; sign += 2) {
    at_case("sign %d", sign);
    for (int i = 0; i < COUNT; i++) zero[i] = ldexp(e[i], sign * 900);
    double *none = vector(COUNT);
    assert_int_equal(dls_grid_error(COUNT, 1, grid, none, zero, &norms), DLS_OK);
    assert_true(norms.l1 == ldexp(before.l1, sign * 900));
    assert_true(norms.l2 == ldexp(before.l2, sign * 900));
    assert_true(norms.uniform == ldexp(before.uniform, sign * 900));
    free(none);
  }
  free(grid), free(e), free(zero);
}

static void test_grid_bad_input(void **state)
{
  (void)state;
  double t[] = {0, 1, 2}, x[] = {1, 2, 3, 4, 5, 6}, y[] = {0, 0, 0, 0, 0, 0};
  dls_grid_norms norms = {-7, -7, -7};
  assert_int_equal(dls_grid_error(1, 2, t, x, y, &norms), DLS_ERR_ARGUMENT);
  assert_int_equal(dls_grid_error(3, 0, t, x, y, &norms), DLS_ERR_ARGUMENT);
  assert_int_equal(dls_grid_error(3, 2, t, NULL, y, &norms), DLS_ERR_ARGUMENT);
  assert_int_equal(dls_grid_error(3, 2, t, x, y, NULL), DLS_ERR_ARGUMENT);
  t[1] = 3;
  assert_int_equal(dls_grid_error(3, 2, t, x, y, &norms), DLS_ERR_ARGUMENT);
  t[1] = NAN;
  assert_int_equal(dls_grid_error(3, 2, t, x, y, &norms), DLS_ERR_NUMBER);
  assert_true(norms.l1 == -7 && norms.l2 == -7 && norms.uniform == -7);
  t[1] = 1;
  for (int i = 0; i < 6; i++) {  // a NaN anywhere reaches all three
    at_case("i %d", i);
    const double kept = x[i];
    x[i] = NAN;
    assert_int_equal(dls_grid_error(3, 2, t, x, y, &norms), DLS_OK);
    assert_true(isnan(norms.l1) && isnan(norms.l2) && isnan(norms.uniform));
    x[i] = -INFINITY;
    assert_int_equal(dls_grid_error(3, 2, t, x, y, &norms), DLS_OK);
    assert_true(norms.l1 == INFINITY && norms.l2 == INFINITY && norms.uniform == INFINITY);
    x[i] = kept;
  }
  x[0] = INFINITY, x[5] = NAN;
  assert_int_equal(dls_grid_error(3, 2, t, x, y, &norms), DLS_OK);
  assert_true(isnan(norms.l1) && isnan(norms.l2) && isnan(norms.uniform));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shifted_step), cmocka_unit_test(test_ramp),
      cmocka_unit_test(test_small_graphs), cmocka_unit_test(test_vector),
      cmocka_unit_test(test_gap_inside),   cmocka_unit_test(test_same_graph),
      cmocka_unit_test(test_metric),       cmocka_unit_test(test_scaling),
      cmocka_unit_test(test_each),         cmocka_unit_test(test_bad_input),
      cmocka_unit_test(test_grid_error),   cmocka_unit_test(test_grid_bad_input),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
