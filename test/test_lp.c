// Linear programs: optima known by construction, certificates, degenerate vertices, warm starts
// against cold ones, and brute force over all vertices.
#include "convex/lp.h"
#include "linalg/dense.h"
#include "numbers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "cases.h"

typedef struct problem {
  dls_lp_data data;
  double *A, *row_low, *row_high, *col_low, *col_high, *cost;
} problem;

static problem make(int rows, int cols)
{
  problem p = {.A = vector(rows * cols),
               .row_low = vector(rows),
               .row_high = vector(rows),
               .col_low = vector(cols),
               .col_high = vector(cols),
               .cost = vector(cols)};
  for (int i = 0; i < rows; i++) p.row_low[i] = -INFINITY, p.row_high[i] = INFINITY;
  for (int j = 0; j < cols; j++) p.col_high[j] = INFINITY;
  p.data = (dls_lp_data){rows, cols, p.A, p.row_low, p.row_high, p.col_low, p.col_high, p.cost};
  return p;
}

static void drop(problem *p)
{
  free(p->A), free(p->row_low), free(p->row_high);
  free(p->col_low), free(p->col_high), free(p->cost);
}

static dls_lp_outcome solve(const problem *p, double *x, double *y, double *objective)
{
  dls_lp *lp = NULL;
  assert_int_equal(dls_lp_create(&p->data, &lp), DLS_OK);
  dls_lp_outcome outcome = dls_lp_solve(lp, x, y, objective);
  dls_lp_free(lp);
  return outcome;
}

// A random program with a known optimal pair; returns its optimal value. scale: entries of A are
// multiplied by 10^(+-scale).
static double manufacture(problem *p, double scale, double *x, double *y)
{
  int m = p->data.rows, n = p->data.cols;
  for (int k = 0; k < m * n; k++)
    p->A[k] = below(3) == 0 ? 0 : uniform() * pow(10, scale * uniform());
  for (int j = 0; j < n; j++) {
    double d = 0;
    x[j] = uniform();
    switch (below(6)) {
    case 0: p->col_low[j] = p->col_high[j] = x[j], d = uniform(); break;
    case 1: p->col_low[j] = x[j], d = uniform() + 1; break;
    case 2: p->col_high[j] = x[j], p->col_low[j] = -INFINITY, d = uniform() - 1; break;
    case 3: p->col_low[j] = -INFINITY; break;
    case 4: p->col_low[j] = x[j]; break;  // degenerate: at the bound without multiplier
    default: p->col_low[j] = x[j] - 1, p->col_high[j] = x[j] + 2;
    }
    p->cost[j] = d;
  }
  for (int i = 0; i < m; i++) {
    double v = 0;
    for (int j = 0; j < n; j++) v += p->A[i + j * m] * x[j];
    y[i] = 0;
    switch (below(5)) {
    case 0: p->row_low[i] = p->row_high[i] = v, y[i] = uniform(); break;
    case 1: p->row_low[i] = v, y[i] = uniform() + 1; break;
    case 2: p->row_high[i] = v, y[i] = uniform() - 1; break;
    case 3: p->row_low[i] = v - 1, p->row_high[i] = v + 1; break;
    default: p->row_low[i] = v, p->row_high[i] = INFINITY;  // degenerate
    }
  }
  double value = 0;
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < m; i++) p->cost[j] += p->A[i + j * m] * y[i];
    value += p->cost[j] * x[j];
  }
  return value;
}

static void manufactured(void **state)
{
  (void)state;
  for (int t = 0; t < 600; t++) {
    at_case("t %d", t);
    int m = 1 + below(30), n = 1 + below(30);
    double scale = t % 3 == 0 ? 4 : t % 3 == 1 ? 1 : 0, objective, size = 1;
    problem p = make(m, n);
    double *x = vector(n), *y = vector(m);
    double value = manufacture(&p, scale, x, y);
    for (int j = 0; j < n; j++) size += fabs(p.cost[j] * x[j]);
    if (t % 2)  // the cost's own scale does not matter
      for (int j = 0; j < n; j++) p.cost[j] *= 1e-9;
    assert_int_equal(solve(&p, x, y, &objective), DLS_LP_OPTIMAL);
    // optimal vertices may lie far from the drawn point: their rounding counts as well
    double unit = t % 2 ? 1e9 : 1;
    for (int j = 0; j < n; j++) size += unit * fabs(p.cost[j] * x[j]);
    close_to(objective * unit, value, 1e-11 * size);
    drop(&p), free(x), free(y);
  }
}

static void hand_made(void **state)
{
  (void)state;
  // max 3a + 5b, a <= 4, 2b <= 12, 3a + 2b <= 18: a = 2, b = 6, y = (0, 3/2, 1)
  problem p = make(3, 2);
  const double A[6] = {1, 0, 3, 0, 2, 2};
  memcpy(p.A, A, sizeof A);
  p.row_high[0] = 4, p.row_high[1] = 12, p.row_high[2] = 18;
  p.cost[0] = -3, p.cost[1] = -5;
  double x[2], y[3], objective;
  assert_int_equal(solve(&p, x, y, &objective), DLS_LP_OPTIMAL);
  close_to(x[0], 2, 1e-14), close_to(x[1], 6, 1e-14), close_to(objective, -36, 1e-13);
  close_to(y[0], 0, 0), close_to(y[1], -1.5, 1e-14), close_to(y[2], -1, 1e-14);
  assert_int_equal(solve(&p, NULL, NULL, NULL), DLS_LP_OPTIMAL);
  drop(&p);
}

// Checks the Farkas inequality of lp.h for y.
static void assert_farkas(const problem *p, const double *y)
{
  int m = p->data.rows, n = p->data.cols;
  double least = 0;
  for (int i = 0; i < m; i++)
    if (y[i] != 0) least += y[i] * (y[i] > 0 ? p->row_low[i] : p->row_high[i]);
  for (int j = 0; j < n; j++) {
    double z = 0;
    for (int i = 0; i < m; i++) z -= p->A[i + j * m] * y[i];
    if (fabs(z) > 1e-9) least += z * (z > 0 ? p->col_low[j] : p->col_high[j]);
  }
  assert_true(isfinite(least) && least > 1e-6);
}

static void infeasible(void **state)
{
  (void)state;
  for (int t = 0; t < 200; t++) {
    at_case("t %d", t);
    // draw lambda >= 0 on the first k rows; the last of them makes A^T lambda = 0, and the right
    // side lambda^T b = 1 contradicts A x >= b
    int n = 1 + below(15), m = 2 + below(25), k = 2 + below(m - 1);
    problem p = make(m, n);
    double *lambda = vector(m), *y = vector(m), rhs = 1;
    for (int i = 0; i < k; i++) lambda[i] = 0.1 + fabs(uniform());
    for (int i = 0; i < m; i++) p.row_low[i] = uniform();
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int i = 0; i < m; i++) p.A[i + j * m] = uniform();
      for (int i = 0; i < k - 1; i++) sum += lambda[i] * p.A[i + j * m];
      p.A[k - 1 + j * m] = -sum / lambda[k - 1];
      p.col_low[j] = -INFINITY;
      p.cost[j] = uniform();
    }
    for (int i = 0; i < k - 1; i++) rhs -= lambda[i] * p.row_low[i];
    p.row_low[k - 1] = rhs / lambda[k - 1];
    double objective;
    assert_int_equal(solve(&p, NULL, y, &objective), DLS_LP_INFEASIBLE);
    assert_true(isinf(objective) && objective > 0);
    assert_farkas(&p, y);
    drop(&p), free(lambda), free(y);
  }
}

static void unbounded(void **state)
{
  (void)state;
  for (int t = 0; t < 200; t++) {
    at_case("t %d", t);
    // a feasible point x0 and a ray d >= 0 with A d >= 0 and c^T d = -1
    int n = 2 + below(15), m = 1 + below(25);
    problem p = make(m, n);
    double *d = vector(n), *x = vector(n), fall = 0, objective;
    for (int j = 0; j < n; j++) d[j] = fabs(uniform());
    for (int i = 0; i < m; i++) {
      double rise = 0;
      for (int j = 0; j < n; j++) rise += d[j] * (p.A[i + j * m] = uniform());
      if (rise < 0)
        for (int j = 0; j < n; j++) p.A[i + j * m] *= -1;
      p.row_low[i] = -fabs(uniform());
    }
    for (int j = 0; j < n; j++) fall += d[j] * (p.cost[j] = uniform());
    p.cost[0] -= (fall + 1) / (d[0] + 1e-3);
    fall = dls_dot(n, p.cost, d);
    if (fall < 0) {
      assert_int_equal(solve(&p, x, NULL, &objective), DLS_LP_UNBOUNDED);
      assert_true(dls_dot(n, p.cost, x) < 0 && isinf(objective) && objective < 0);
      for (int j = 0; j < n; j++) assert_true(x[j] >= 0);
      for (int i = 0; i < m; i++) {
        double v = 0;
        for (int j = 0; j < n; j++) v += p.A[i + j * m] * x[j];
        assert_true(v >= -1e-12);
      }
    }
    drop(&p), free(d), free(x);
  }
}

static void empty_and_trivial(void **state)
{
  (void)state;
  double x[3], y[3], objective;
  problem p = make(0, 0);
  assert_int_equal(solve(&p, NULL, NULL, &objective), DLS_LP_OPTIMAL);
  close_to(objective, 0, 0);
  drop(&p);
  p = make(2, 0);
  p.row_low[1] = -1;
  assert_int_equal(solve(&p, NULL, y, NULL), DLS_LP_OPTIMAL);
  p.row_low[1] = 1;
  assert_int_equal(solve(&p, NULL, y, NULL), DLS_LP_INFEASIBLE);
  close_to(y[1], 1, 0);
  drop(&p);
  p = make(0, 3);
  p.cost[0] = 1, p.cost[1] = -1, p.col_low[0] = -2, p.col_high[1] = 5, p.col_low[2] = -INFINITY;
  assert_int_equal(solve(&p, x, NULL, &objective), DLS_LP_OPTIMAL);
  close_to(objective, -7, 0);
  p.col_high[1] = INFINITY;
  assert_int_equal(solve(&p, x, NULL, &objective), DLS_LP_UNBOUNDED);
  close_to(x[1], 1, 0), close_to(x[0], 0, 0);
  p.col_high[1] = -1;
  assert_int_equal(solve(&p, x, NULL, &objective), DLS_LP_INFEASIBLE);
  drop(&p);
  // a matrix of zeros, with rows that are fulfilled or not
  p = make(2, 2);
  p.cost[0] = 1;
  p.row_high[0] = 3;
  assert_int_equal(solve(&p, x, y, &objective), DLS_LP_OPTIMAL);
  p.row_low[1] = 1;
  assert_int_equal(solve(&p, x, y, &objective), DLS_LP_INFEASIBLE);
  assert_true(y[1] > 0);
  p.row_low[1] = 1e-15;
  assert_int_equal(solve(&p, x, y, &objective), DLS_LP_OPTIMAL);
  close_to(objective, 0, 0), close_to(y[1], 0, 0);
  p.row_low[1] = 0, p.cost[1] = -1;
  assert_int_equal(solve(&p, x, y, &objective), DLS_LP_UNBOUNDED);
  p.row_low[1] = 2, p.row_high[1] = 1;
  assert_int_equal(solve(&p, x, y, &objective), DLS_LP_INFEASIBLE);
  drop(&p);
}

static void bad_input(void **state)
{
  (void)state;
  problem p = make(2, 2);
  double *const places[] = {p.A, p.row_low, p.row_high, p.col_low, p.col_high, p.cost};
  dls_lp *lp = NULL;
  for (size_t k = 0; k < 6; k++) {
    at_case("k %zu", k);
    double kept = places[k][1];
    places[k][1] = NAN;
    assert_int_equal(dls_lp_create(&p.data, &lp), DLS_ERR_NUMBER);
    assert_null(lp);
    places[k][1] = kept;
  }
  p.A[3] = INFINITY;
  assert_int_equal(dls_lp_create(&p.data, &lp), DLS_ERR_NUMBER);
  p.A[3] = 0, p.row_low[0] = INFINITY;
  assert_int_equal(dls_lp_create(&p.data, &lp), DLS_ERR_ARGUMENT);
  p.row_low[0] = 0, p.data.rows = -1;
  assert_int_equal(dls_lp_create(&p.data, &lp), DLS_ERR_ARGUMENT);
  p.data.rows = 2;
  assert_int_equal(dls_lp_create(&p.data, &lp), DLS_OK);
  const double nan_cost[2] = {0, NAN}, cost[2] = {1, 1};
  double objective;
  dls_lp_set_cost(lp, nan_cost);
  assert_int_equal(dls_lp_solve(lp, NULL, NULL, &objective), DLS_LP_FAILED);
  assert_true(isnan(objective));
  dls_lp_set_cost(lp, cost);
  assert_int_equal(dls_lp_solve(lp, NULL, NULL, &objective), DLS_LP_OPTIMAL);
  dls_lp_free(lp);
  dls_lp_free(NULL);
  drop(&p);
}

static void degenerate(void **state)
{
  (void)state;
  // the transport polytope of doubly stochastic matrices: highly degenerate, redundant equality
  // rows; the optimum of an assignment with cost (i - j)^2 and a unique zero diagonal
  for (int n = 2; n < 13; n++) {
    at_case("n %d", n);
    problem p = make(2 * n, n * n);
    double *x = vector(n * n), objective;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        int col = i + j * n;
        p.A[i + col * 2 * n] = p.A[n + j + col * 2 * n] = 1;
        p.cost[col] = (i - j) * (i - j) - 3;
      }
    for (int i = 0; i < 2 * n; i++) p.row_low[i] = p.row_high[i] = 1;
    assert_int_equal(solve(&p, x, NULL, &objective), DLS_LP_OPTIMAL);
    close_to(objective, -3 * n, 1e-10);
    for (int i = 0; i < n; i++) close_to(x[i + i * n], 1, 1e-12);
    drop(&p), free(x);
  }
  // 400 rows through one vertex
  problem p = make(400, 5);
  double x[5], objective;
  for (int j = 0; j < 5; j++) p.col_low[j] = -INFINITY, p.cost[j] = 0;
  for (int i = 0; i < 400; i++) {
    for (int j = 0; j < 5; j++) {
      double a = i % 10 ? uniform() : j == i / 10 % 5;
      p.A[i + j * 400] = a;
      p.cost[j] += a;
      p.row_low[i] = (j ? p.row_low[i] : 0) + a * (j + 1);
    }
  }
  assert_int_equal(solve(&p, x, NULL, &objective), DLS_LP_OPTIMAL);
  for (int j = 0; j < 5; j++) close_to(x[j], j + 1, 1e-11);
  drop(&p);
}

// ---- brute force --------------------------------------------------------------------------------

// All bounds as g^T x >= h; enumerates the vertices.
static int vertices(const problem *p, double *best)
{
  int m = p->data.rows, n = p->data.cols, count = 0, found = 0;
  double g[64][4], h[64], B[16], b[4], x[4], rcond;
  for (int i = 0; i < m; i++)
    for (int s = -1; s <= 1; s += 2) {
      double bound = s > 0 ? p->row_low[i] : -p->row_high[i];
      if (isinf(bound)) continue;
      for (int j = 0; j < n; j++) g[count][j] = s * p->A[i + j * m];
      h[count++] = bound;
    }
  for (int j = 0; j < n; j++)
    for (int s = -1; s <= 1; s += 2) {
      for (int k = 0; k < n; k++) g[count][k] = s * (k == j);
      h[count++] = s > 0 ? p->col_low[j] : -p->col_high[j];
    }
  int total = 1;
  for (int j = 0; j < n; j++) total *= count;
  *best = INFINITY;
  for (int code = 0; code < total; code++) {
    int pick[4], c = code, increasing = 1;
    for (int j = 0; j < n; j++, c /= count) {
      pick[j] = c % count;
      if (j > 0 && pick[j] <= pick[j - 1]) increasing = 0;
    }
    if (!increasing) continue;
    for (int r = 0; r < n; r++) {
      b[r] = h[pick[r]];
      for (int j = 0; j < n; j++) B[r + j * n] = g[pick[r]][j];
    }
    if (dls_solve(n, 1, B, b, x, &rcond) != DLS_OK || rcond < 1e-12) continue;
    int feasible = 1;
    for (int k = 0; k < count; k++)
      if (dls_dot(n, g[k], x) < h[k] - 1e-9) feasible = 0;
    if (!feasible) continue;
    found++;
    *best = fmin(*best, dls_dot(n, p->cost, x));
  }
  return found;
}

static void brute_force(void **state)
{
  (void)state;
  int optimal = 0, none = 0;
  for (int t = 0; t < 1500; t++) {
    at_case("t %d", t);
    int n = 1 + below(3), m = 1 + below(6);
    problem p = make(m, n);
    // integers, so that many vertices coincide and equalities are exact
    for (int k = 0; k < m * n; k++) p.A[k] = below(7) - 3;
    for (int j = 0; j < n; j++) {
      p.col_low[j] = -1 - below(3), p.col_high[j] = below(4);
      p.cost[j] = below(9) - 4;
    }
    for (int i = 0; i < m; i++) {
      int kind = below(4), b = below(7) - 3;
      if (kind != 1) p.row_low[i] = b;
      if (kind != 0) p.row_high[i] = kind == 2 ? b : b + 2;
    }
    dls_lp *lp;
    assert_int_equal(dls_lp_create(&p.data, &lp), DLS_OK);
    for (int sign = 0; sign < 2; sign++) {
      double best, objective;
      int found = vertices(&p, &best);
      dls_lp_outcome outcome = dls_lp_solve(lp, NULL, NULL, &objective);
      assert_int_equal(outcome, found ? DLS_LP_OPTIMAL : DLS_LP_INFEASIBLE);
      if (found) close_to(objective, best, 1e-10);
      optimal += found > 0, none += found == 0;
      for (int j = 0; j < n; j++) p.cost[j] *= -1;
      dls_lp_set_cost(lp, p.cost);
    }
    dls_lp_free(lp);
    drop(&p);
  }
  assert_true(optimal > 300 && none > 300);
}

// ---- cost sweeps --------------------------------------------------------------------------------

static double seconds(void)
{
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// {x >= 0, A x = b} bounded by a row of ones: the range of each variable.
static problem polytope(int m, int n)
{
  problem p = make(m, n);
  double *x = vector(n);
  for (int j = 0; j < n; j++) x[j] = below(3) ? fabs(uniform()) : 0;
  for (int i = 0; i < m; i++) {
    double v = 0;
    for (int j = 0; j < n; j++) {
      p.A[i + j * m] = i == 0 ? 1 : below(5) ? 0 : uniform();
      v += p.A[i + j * m] * x[j];
    }
    p.row_low[i] = p.row_high[i] = v;
  }
  free(x);
  return p;
}

static void warm_sweep(void **state)
{
  (void)state;
  problem p = polytope(30, 50);
  double *x = vector(50), warm, cold;
  dls_lp *lp;
  assert_int_equal(dls_lp_create(&p.data, &lp), DLS_OK);
  for (int k = 0; k < 100; k++) {
    at_case("k %d", k);
    for (int j = 0; j < 50; j++) p.cost[j] = j == k / 2 ? (k % 2 ? -1 : 1) : 0;
    dls_lp_set_cost(lp, p.cost);
    assert_int_equal(dls_lp_solve(lp, x, NULL, &warm), DLS_LP_OPTIMAL);
    assert_int_equal(solve(&p, NULL, NULL, &cold), DLS_LP_OPTIMAL);
    close_to(warm, cold, 1e-10);
    close_to(x[k / 2], fabs(warm), 1e-12);
  }
  dls_lp_free(lp);
  drop(&p), free(x);
}

static void large_sweep(void **state)
{
  (void)state;
  int m = 300, n = 500, steps = getenv("DLS_TEST_LONG") ? 1000 : 60;
  problem p = polytope(m, n);
  dls_lp *lp;
  double low = 0, start = seconds();
  assert_int_equal(dls_lp_create(&p.data, &lp), DLS_OK);
  assert_int_equal(dls_lp_solve(lp, NULL, NULL, NULL), DLS_LP_OPTIMAL);
  double first = seconds();
  for (int k = 0; k < steps; k++) {
    at_case("k %d", k);
    double value;
    for (int j = 0; j < n; j++) p.cost[j] = j == k / 2 ? (k % 2 ? -1 : 1) : 0;
    dls_lp_set_cost(lp, p.cost);
    assert_int_equal(dls_lp_solve(lp, NULL, NULL, &value), DLS_LP_OPTIMAL);
    if (k % 2) assert_true(-value >= low - 1e-9);
    low = value;
    assert_true(k % 2 || low >= -1e-9);
  }
  print_message("300 x 500: first %.3f s, then %.4f s per cost\n", first - start,
                (seconds() - first) / steps);
  dls_lp_free(lp);
  drop(&p);
}

static void run_once(void **state)
{
  (void)state;
  // max x + y below x + 2 y <= 4 and 3 x + y <= 6: both rows hold as equations
  double x[2] = {7, 7}, y[2] = {7, 7}, value = 7;
  dls_lp_outcome outcome = DLS_LP_FAILED;
  problem p = make(2, 2);
  p.A[0] = 1, p.A[1] = 3, p.A[2] = 2, p.A[3] = 1;
  p.row_high[0] = 4, p.row_high[1] = 6;
  p.cost[0] = p.cost[1] = -1;
  assert_int_equal(dls_lp_run(&p.data, x, y, &value, &outcome), DLS_OK);
  assert_int_equal(outcome, DLS_LP_OPTIMAL);
  close_to(x[0], 1.6, 1e-12), close_to(x[1], 1.2, 1e-12);
  close_to(y[0], -0.4, 1e-12), close_to(y[1], -0.2, 1e-12);
  close_to(value, -2.8, 1e-12);

  p.col_low[0] = 3;
  assert_int_equal(dls_lp_run(&p.data, NULL, NULL, NULL, &outcome), DLS_OK);
  assert_int_equal(outcome, DLS_LP_INFEASIBLE);

  p.cost[0] = NAN;
  outcome = DLS_LP_UNBOUNDED;
  assert_int_equal(dls_lp_run(&p.data, x, y, &value, &outcome), DLS_ERR_NUMBER);
  assert_int_equal(outcome, DLS_LP_UNBOUNDED);
  close_to(x[0], 1.6, 1e-12), close_to(value, -2.8, 1e-12);
  drop(&p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hand_made),         cmocka_unit_test(manufactured),
      cmocka_unit_test(infeasible),        cmocka_unit_test(unbounded),
      cmocka_unit_test(empty_and_trivial), cmocka_unit_test(bad_input),
      cmocka_unit_test(degenerate),        cmocka_unit_test(brute_force),
      cmocka_unit_test(warm_sweep),        cmocka_unit_test(large_sweep),
      cmocka_unit_test(run_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
