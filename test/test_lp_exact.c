// Linear programs in small integers, with free variables, equations and degenerate vertices: the
// outcome and the optimal value against the same program solved over the rational numbers.
#include "convex/lp.h"
#include "numbers.h"
#include "rational.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

enum { COLS = 5, ROWS = 10 };

typedef struct program {
  int rows, cols;
  double A[ROWS * COLS], row_low[ROWS], row_high[ROWS], col_low[COLS], col_high[COLS], cost[COLS];
} program;

static dls_lp_data data_of(const program *p)
{
  return (dls_lp_data){p->rows,     p->cols,    p->A,        p->row_low,
                       p->row_high, p->col_low, p->col_high, p->cost};
}

// ---- the exact answer: a point x, multipliers u of all bounds g_k^T x >= h_k, and no gap

// g^T x >= low, -g^T x >= -high, or one equation.
static void add_bounds(linear *s, const double *g, int stride, double low, double high)
{
  for (int sign = 1; sign >= -1; sign -= 2) {
    const double bound = sign > 0 ? low : -high;
    if (isinf(bound) || (sign < 0 && low == high)) continue;
    fmpq *row = linear_add(s, low == high);
    for (int j = 0; j < s->n; j++) fmpq_set_si(row + j, (slong)(sign * g[j * stride]), 1);
    fmpq_set_si(row + s->n, (slong)-bound, 1);
  }
}

static void primal_system(const program *p, linear *s)
{
  linear_init(s, p->cols);
  for (int i = 0; i < p->rows; i++) add_bounds(s, p->A + i, p->rows, p->row_low[i], p->row_high[i]);
  for (int j = 0; j < p->cols; j++) {
    double unit[COLS] = {0};
    unit[j] = 1;
    add_bounds(s, unit, 1, p->col_low[j], p->col_high[j]);
  }
}

// x and u together: G x >= h, G^T u = c, u >= 0 but on equations, c^T x = h^T u.
static void optimal_system(const program *p, const linear *primal, linear *s)
{
  const int n = p->cols, k = primal->rows;
  linear_init(s, n + k);
  for (int i = 0; i < k; i++) {
    fmpq *row = linear_add(s, primal->equation[i]);
    for (int j = 0; j < n; j++) fmpq_set(row + j, primal->a->rows[i] + j);
    fmpq_set(row + n + k, primal->a->rows[i] + n);
  }
  for (int i = 0; i < k; i++)
    if (!primal->equation[i]) fmpq_one(linear_add(s, false) + n + i);
  for (int j = 0; j < n; j++) {
    fmpq *row = linear_add(s, true);
    for (int i = 0; i < k; i++) fmpq_set(row + n + i, primal->a->rows[i] + j);
    fmpq_set_si(row + n + k, (slong)-p->cost[j], 1);
  }
  fmpq *row = linear_add(s, true);
  for (int j = 0; j < n; j++) fmpq_set_si(row + j, (slong)p->cost[j], 1);
  for (int i = 0; i < k; i++) fmpq_set(row + n + i, primal->a->rows[i] + n);
}

static dls_lp_outcome exact(const program *p, double *value)
{
  linear primal, both;
  primal_system(p, &primal);
  optimal_system(p, &primal, &both);
  fmpq *x = _fmpq_vec_init(both.n);
  dls_lp_outcome outcome = DLS_LP_OPTIMAL;
  if (!linear_feasible(&both, x, NULL))
    outcome = linear_feasible(&primal, NULL, NULL) ? DLS_LP_UNBOUNDED : DLS_LP_INFEASIBLE;
  fmpq_t sum, term;
  fmpq_init(sum), fmpq_init(term);
  for (int j = 0; j < p->cols; j++) {
    fmpq_mul_si(term, x + j, (slong)p->cost[j]);
    fmpq_add(sum, sum, term);
  }
  *value = outcome == DLS_LP_OPTIMAL ? fmpq_get_d(sum) : 0;
  fmpq_clear(sum), fmpq_clear(term);
  _fmpq_vec_clear(x, both.n);
  linear_clear(&primal), linear_clear(&both);
  return outcome;
}

// ---- drawn programs

static void draw_bounds(int kind, double at, double *low, double *high)
{
  *low = kind == 0 || kind == 1 || kind == 3 ? at : -INFINITY;
  *high = kind == 0 ? at : kind == 1 ? at + below(3) : kind == 2 ? at : INFINITY;
}

// Degenerate ones have an integer point where most bounds hold as equations.
static void draw(program *p)
{
  const int degenerate = below(2), equations = below(4), some = below(3);
  int x[COLS];
  *p = (program){.rows = 1 + below(ROWS), .cols = 1 + below(COLS)};
  const int m = p->rows, n = p->cols;
  for (int j = 0; j < n; j++) {
    x[j] = below(5) - 2;
    draw_bounds(some > 0 ? 4 : 1 + below(5), degenerate ? x[j] : below(5) - 3, p->col_low + j,
                p->col_high + j);
  }
  for (int i = 0; i < m; i++) {
    int sum = 0, copied = i > 0 && below(8) == 0, from = copied ? below(i) : 0;
    for (int j = 0; j < n; j++) {
      p->A[i + j * m] = copied ? -p->A[from + j * m] : below(5) - 2;
      sum += (int)p->A[i + j * m] * x[j];
    }
    const int at = degenerate ? sum + (below(6) == 0) : below(8) - 3;
    draw_bounds(i < equations ? 0 : 2 + (below(4) == 0), at, p->row_low + i, p->row_high + i);
  }
}

// Any cost, or one that some multipliers of the rows explain.
static void draw_cost(program *p)
{
  const int m = p->rows, n = p->cols, explained = below(3) > 0;
  for (int j = 0; j < n; j++) p->cost[j] = explained ? 0 : below(5) - 2;
  for (int i = 0; i < m && explained; i++) {
    const int y = isinf(p->row_low[i])    ? -below(2)
                  : isinf(p->row_high[i]) ? below(2)
                                          : below(3) - 1;
    for (int j = 0; j < n; j++) p->cost[j] += y * p->A[i + j * m];
  }
}

// ---- comparison

static double row_value(const program *p, int i, const double *x)
{
  double sum = 0;
  for (int j = 0; j < p->cols; j++) sum += p->A[i + j * p->rows] * x[j];
  return sum;
}

static void assert_inside(double value, double low, double high)
{
  assert_true(value >= low - 1e-9 && value <= high + 1e-9);
}

static void assert_point(const program *p, const double *x)
{
  for (int j = 0; j < p->cols; j++) assert_inside(x[j], p->col_low[j], p->col_high[j]);
  for (int i = 0; i < p->rows; i++)
    assert_inside(row_value(p, i, x), p->row_low[i], p->row_high[i]);
}

// The value is that of the dual program too.
static void assert_dual_value(const program *p, const double *y, double value)
{
  double sum = 0;
  for (int i = 0; i < p->rows; i++)
    if (fabs(y[i]) > 1e-10) sum += y[i] * (y[i] > 0 ? p->row_low[i] : p->row_high[i]);
  for (int j = 0; j < p->cols; j++) {
    double d = p->cost[j];
    for (int i = 0; i < p->rows; i++) d -= p->A[i + j * p->rows] * y[i];
    if (fabs(d) > 1e-10) sum += d * (d > 0 ? p->col_low[j] : p->col_high[j]);
  }
  close_to(sum, value, 1e-9 * (1 + fabs(value)));
}

static void compare(const program *p, dls_lp *lp, int *count)
{
  double x[COLS], y[ROWS], objective, value;
  const dls_lp_outcome oracle = exact(p, &value), outcome = dls_lp_solve(lp, x, y, &objective);
  assert_int_equal(outcome, oracle);
  count[outcome]++;
  if (outcome != DLS_LP_OPTIMAL) return;
  close_to(objective, value, 1e-9 * (1 + fabs(value)));
  assert_point(p, x);
  assert_dual_value(p, y, value);
}

static void random_programs(void **state)
{
  (void)state;
  int count[4] = {0};
  for (int t = 0; t < 4000; t++) {
    at_case("t %d", t);
    program p;
    draw(&p);
    draw_cost(&p);
    const dls_lp_data data = data_of(&p);
    dls_lp *lp = NULL;
    assert_int_equal(dls_lp_create(&data, &lp), DLS_OK);
    compare(&p, lp, count);
    for (int k = t % 2; k < 1; k++) {  // from the last basis on
      draw_cost(&p);
      dls_lp_set_cost(lp, p.cost);
      compare(&p, lp, count);
    }
    dls_lp_free(lp);
  }
  print_message("%d optimal, %d infeasible, %d unbounded\n", count[DLS_LP_OPTIMAL],
                count[DLS_LP_INFEASIBLE], count[DLS_LP_UNBOUNDED]);
  for (int k = DLS_LP_OPTIMAL; k <= DLS_LP_UNBOUNDED; k++) assert_true(count[k] > 500);
}

// An optimal face with a direction in it: the free variable that is not basic may rest anywhere on
// a ray, and the dual method stops 1e11 away, where -31/3 became -10.33332.
static void rests_far_away(void **state)
{
  (void)state;
  static const int rows[8][COLS + 1] = {
      {2, -2, -2, -2, -2, 4}, {0, -1, 2, 2, 1, 4}, {2, 1, -1, -2, 2, 4},  {1, -1, 1, -2, 1, -1},
      {2, -2, -1, 2, 1, 2},   {0, -2, 1, 2, 2, 3}, {1, 2, -1, -1, -1, 1}, {2, 2, -1, -1, 0, 1}};
  program p = {.rows = 8, .cols = COLS, .cost = {-2, -1, -2, -2, 0}};
  for (int i = 0; i < 8; i++) {
    for (int j = 0; j < COLS; j++) p.A[i + j * 8] = rows[i][j];
    p.row_high[i] = rows[i][COLS];
    p.row_low[i] = i < 2 ? p.row_high[i] : -INFINITY;
  }
  for (int j = 0; j < COLS; j++) p.col_low[j] = -INFINITY, p.col_high[j] = INFINITY;
  const dls_lp_data data = data_of(&p);
  double x[COLS], y[8], value;
  dls_lp_outcome outcome;
  assert_int_equal(dls_lp_run(&data, x, y, &value, &outcome), DLS_OK);
  assert_int_equal(outcome, DLS_LP_OPTIMAL);
  close_to(value, -31.0 / 3, 1e-13);
  assert_point(&p, x);
  assert_dual_value(&p, y, -31.0 / 3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rests_far_away),
      cmocka_unit_test(random_programs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
