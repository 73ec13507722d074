// The expression graph against an oracle that knows nothing of it: random expression trees,
// evaluated and differentiated numerically in long double.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cases.h"

#include "model/expression_graph_internal.h"
#include "model/tape.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- random trees ----

enum { SIZE = 2048, VARIABLES = 3, LEAVES = 8 };

typedef struct formula {
  dls_op op[SIZE];
  int a[SIZE], b[SIZE], c[SIZE];
  int index[SIZE];
  double value[SIZE];
  int count;
  uint64_t seed;
} formula;

static unsigned draw(formula *tree, unsigned below)
{
  tree->seed = tree->seed * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(tree->seed >> 33) % below;
}

static double draw_real(formula *tree, double low, double high)
{
  return low + (high - low) * draw(tree, 1 << 30) / (1 << 30);
}

static int put(formula *tree, dls_op op, int a, int b, int c)
{
  assert_true(tree->count < SIZE);
  int k = tree->count++;
  tree->op[k] = op;
  tree->a[k] = a;
  tree->b[k] = b;
  tree->c[k] = c;
  return k;
}

static int put_value(formula *tree, double value)
{
  int k = put(tree, DLS_OP_CONSTANT, -1, -1, -1);
  tree->value[k] = value;
  return k;
}

static int put_leaf(formula *tree)
{
  static const double few[8] = {0, 1, -1, 2, 0.5, -3, 0.7, -0.1};
  unsigned kind = draw(tree, 10);
  if (kind < 2) return put_value(tree, few[draw(tree, 8)]);
  int k = put(tree,
              kind < 3   ? DLS_OP_PARAMETER
              : kind < 4 ? DLS_OP_TIME
              : kind < 7 ? DLS_OP_COORDINATE
                         : DLS_OP_VELOCITY,
              -1, -1, -1);
  tree->index[k] = tree->op[k] == DLS_OP_TIME ? 0 : (int)draw(tree, VARIABLES);
  return k;
}

// base + scale * f(x), to keep arguments inside the domains
static int squeeze(formula *tree, dls_op f, int x, double scale, double base)
{
  int y = put(tree, f, x, -1, -1);
  if (scale != 1) y = put(tree, DLS_OP_MUL, put_value(tree, scale), y, -1);
  return base != 0 ? put(tree, DLS_OP_ADD, y, put_value(tree, base), -1) : y;
}

static int put_function(formula *tree, int x)
{
  static const dls_op bounded[] = {DLS_OP_SIN, DLS_OP_COS, DLS_OP_TANH, DLS_OP_ATAN};
  dls_op op = (dls_op)(DLS_OP_SIN + (int)draw(tree, DLS_OP_SQRT - DLS_OP_SIN + 1));
  dls_op f = bounded[draw(tree, 3)];
  switch (op) {
  case DLS_OP_TAN:
  case DLS_OP_SINH:
  case DLS_OP_COSH:
  case DLS_OP_EXP: return put(tree, op, squeeze(tree, f, x, 1, 0), -1, -1);
  case DLS_OP_ASIN:
  case DLS_OP_ACOS: return put(tree, op, squeeze(tree, f, x, -0.75, 0), -1, -1);
  case DLS_OP_LOG:
  case DLS_OP_LOG2:
  case DLS_OP_SQRT: return put(tree, op, squeeze(tree, f, x, 1, 1.5), -1, -1);
  case DLS_OP_ATAN2: {
    int other = put_leaf(tree);
    return put(tree, op, x, squeeze(tree, f, other, 1, 1.5), -1);
  }
  default: return put(tree, op, x, -1, -1);
  }
}

// Combines two of the last trees into a new one until one is left.
static int grow(formula *tree, uint64_t seed, int leaves)
{
  int open[LEAVES];
  tree->seed = seed * 0x9e3779b97f4a7c15u + 1;
  tree->count = 0;
  for (int k = 0; k < leaves; k++) open[k] = put_leaf(tree);
  while (leaves > 1 || draw(tree, 3)) {
    int i = (int)draw(tree, (unsigned)leaves), j = (int)draw(tree, (unsigned)leaves), x = open[i];
    unsigned kind = draw(tree, 14);
    if (tree->count > SIZE - 40) kind = 0;
    if (kind < 3) x = put(tree, DLS_OP_ADD, x, open[j], -1);
    else if (kind < 5) x = put(tree, DLS_OP_SUB, x, open[j], -1);
    else if (kind < 8) x = put(tree, DLS_OP_MUL, x, open[j], -1);
    else if (kind < 9) x = put(tree, DLS_OP_DIV, x, squeeze(tree, DLS_OP_COS, open[j], 1, 2), -1);
    else if (kind < 10) x = put(tree, DLS_OP_NEG, x, -1, -1);
    else if (kind < 11) x = put(tree, DLS_OP_POW, x, put_value(tree, draw(tree, 5)), -1);
    else if (kind < 12)
      x = put(tree, DLS_OP_POW, squeeze(tree, DLS_OP_SIN, x, 1, 1.5),
              squeeze(tree, DLS_OP_COS, open[j], 1.5, -1), -1);
    else x = put_function(tree, x);
    open[i] = x;
    if (kind < 12 && kind != 9 && kind != 10 && leaves > 1 && i != j) open[j] = open[--leaves];
    else if (leaves > 1 && draw(tree, 3) == 0)
      open[0] = put(tree, DLS_OP_MUL, open[0], open[leaves - 1], -1), leaves--;
  }
  return open[0];
}

// ---- the oracle ----

typedef struct point {
  long double p[VARIABLES], t, q[VARIABLES], v[VARIABLES];
} point;

static long double apply_long(dls_op op, long double a, long double b)
{
  switch (op) {
  case DLS_OP_ADD: return a + b;
  case DLS_OP_SUB: return a - b;
  case DLS_OP_MUL: return a * b;
  case DLS_OP_DIV: return a / b;
  case DLS_OP_POW: return powl(a, b);
  case DLS_OP_NEG: return -a;
  case DLS_OP_SIN: return sinl(a);
  case DLS_OP_COS: return cosl(a);
  case DLS_OP_TAN: return tanl(a);
  case DLS_OP_ASIN: return asinl(a);
  case DLS_OP_ACOS: return acosl(a);
  case DLS_OP_ATAN: return atanl(a);
  case DLS_OP_ATAN2: return atan2l(a, b);
  case DLS_OP_SINH: return sinhl(a);
  case DLS_OP_COSH: return coshl(a);
  case DLS_OP_TANH: return tanhl(a);
  case DLS_OP_EXP: return expl(a);
  case DLS_OP_LOG: return logl(a);
  case DLS_OP_LOG2: return log2l(a);
  case DLS_OP_SQRT: return sqrtl(a);
  default: fail(); return 0;
  }
}

// largest: the largest intermediate value, to scale tolerances with
static long double oracle(const formula *tree, int e, const point *x, long double *largest)
{
  static long double value[SIZE];
  for (int k = 0; k <= e; k++) {
    switch (tree->op[k]) {
    case DLS_OP_CONSTANT: value[k] = tree->value[k]; break;
    case DLS_OP_PARAMETER: value[k] = x->p[tree->index[k]]; break;
    case DLS_OP_TIME: value[k] = x->t; break;
    case DLS_OP_COORDINATE: value[k] = x->q[tree->index[k]]; break;
    case DLS_OP_VELOCITY: value[k] = x->v[tree->index[k]]; break;
    default:
      value[k] =
          apply_long(tree->op[k], value[tree->a[k]], tree->b[k] >= 0 ? value[tree->b[k]] : 0);
    }
    if (largest && fabsl(value[k]) > *largest) *largest = fabsl(value[k]);
  }
  return value[e];
}

static dls_expr build(const formula *tree, int e, dls_graph *graph)
{
  static dls_expr node[SIZE];
  for (int k = 0; k <= e; k++) {
    dls_op op = tree->op[k];
    if (op == DLS_OP_CONSTANT) node[k] = dls_graph_constant(graph, tree->value[k]);
    else if (op <= DLS_OP_VELOCITY) node[k] = dls_graph_leaf(graph, op, tree->index[k]);
    else
      node[k] =
          dls_graph_make(graph, op, node[tree->a[k]], tree->b[k] >= 0 ? node[tree->b[k]] : -1, -1);
  }
  return node[e];
}

// Derivative of the oracle along a direction in (t, q, v): central differences, extrapolated twice.
static long double oracle_slope(const formula *tree, int e, const point *x, const point *along,
                                long double h)
{
  long double d[3];
  for (int k = 0; k < 3; k++, h /= 2) {
    point plus = *x, minus = *x;
    plus.t += h * along->t;
    minus.t -= h * along->t;
    for (int i = 0; i < VARIABLES; i++) {
      plus.q[i] += h * along->q[i];
      minus.q[i] -= h * along->q[i];
      plus.v[i] += h * along->v[i];
      minus.v[i] -= h * along->v[i];
    }
    d[k] = (oracle(tree, e, &plus, NULL) - oracle(tree, e, &minus, NULL)) / (2 * h);
  }
  long double e1 = (4 * d[1] - d[0]) / 3, e2 = (4 * d[2] - d[1]) / 3;
  return (16 * e2 - e1) / 15;
}

typedef struct sample {
  double p[VARIABLES], t, q[VARIABLES], v[VARIABLES];
  point exact;
} sample;

static sample draw_sample(formula *tree)
{
  sample s;
  s.exact.t = s.t = draw_real(tree, -1, 1);
  for (int i = 0; i < VARIABLES; i++) {
    s.exact.p[i] = s.p[i] = draw_real(tree, -1.5, 1.5);
    s.exact.q[i] = s.q[i] = draw_real(tree, -1.5, 1.5);
    s.exact.v[i] = s.v[i] = draw_real(tree, -1.5, 1.5);
  }
  return s;
}

static double at(const dls_graph *graph, dls_expr e, const sample *s)
{
  return dls_graph_evaluate(graph, e, s->p, s->t, s->q, s->v);
}

// ---- properties ----

enum { TREES = 4000 };

static void assert_near(double x, long double exact, long double tolerance)
{
  if (!(fabsl(x - exact) <= tolerance))
    fail_msg("%.17g, expected %.17Lg, tolerance %Lg", x, exact, tolerance);
}

static void test_values(void **state)
{
  (void)state;
  static formula tree;
  int compared = 0;
  for (uint64_t seed = 0; seed < TREES; seed++) {
    at_case("seed %d", (int)seed);
    dls_graph *graph;
    assert_int_equal(dls_graph_create(&graph), DLS_OK);
    int root = grow(&tree, seed, 2 + (int)seed % (LEAVES - 1));
    dls_expr e = build(&tree, root, graph);
    sample s = draw_sample(&tree);
    long double largest = 1, exact = oracle(&tree, root, &s.exact, &largest);
    if (largest < 1e4L) {
      assert_near(at(graph, e, &s), exact, 1e-11L * largest * largest);
      compared++;
    }
    dls_graph_free(graph);
  }
  assert_true(compared > TREES / 2);
}

static dls_expr partial_of(const int *index, const dls_expr *derivative, int count, int i)
{
  for (int k = 0; k < count; k++)
    if (index[k] == i) return derivative[k];
  return 0;
}

static void check_first(dls_graph *graph, const formula *tree, int root, dls_expr e,
                        const sample *s, long double scale)
{
  static const dls_op kinds[2] = {DLS_OP_COORDINATE, DLS_OP_VELOCITY};
  int index[VARIABLES];
  dls_expr derivative[VARIABLES];
  for (int kind = 0; kind < 2; kind++) {
    int count = dls_graph_gradient(graph, e, kinds[kind], VARIABLES, index, derivative);
    assert_true(count <= VARIABLES);
    for (int k = 1; k < count; k++) assert_true(index[k - 1] < index[k]);
    for (int i = 0; i < VARIABLES; i++) {
      point along = {0};
      (kind == 0 ? along.q : along.v)[i] = 1;
      long double exact = oracle_slope(tree, root, &s->exact, &along, 2e-3L);
      assert_near(at(graph, partial_of(index, derivative, count, i), s), exact, 1e-9L * scale);
    }
  }
}

static void test_derivatives(void **state)
{
  (void)state;
  static formula tree;
  int compared = 0;
  for (uint64_t seed = 0; seed < TREES; seed++) {
    at_case("seed %d", (int)seed);
    dls_graph *graph;
    assert_int_equal(dls_graph_create(&graph), DLS_OK);
    int root = grow(&tree, 77777 + seed, 2 + (int)seed % (LEAVES - 1));
    dls_expr e = build(&tree, root, graph);
    sample s = draw_sample(&tree);
    point along = {.t = 1};
    memcpy(along.q, s.exact.v, sizeof along.q);
    long double largest = 1;
    oracle(&tree, root, &s.exact, &largest);

    // steps of two sizes agree where the numerical derivative is good enough to judge by
    long double exact = oracle_slope(&tree, root, &s.exact, &along, 2e-3L);
    long double again = oracle_slope(&tree, root, &s.exact, &along, 5e-3L);
    if (largest < 30 && fabsl(exact - again) < 1e-10L) {
      dls_expr rate = dls_graph_time_derivative(graph, e);
      assert_near(at(graph, rate, &s), exact, 1e-9L * largest * largest);
      assert_int_equal(rate, dls_graph_time_derivative(graph, e));
      check_first(graph, &tree, root, e, &s, 100 * largest * largest);
      compared++;
    }
    assert_int_equal(dls_graph_status(graph), DLS_OK);
    dls_graph_free(graph);
  }
  assert_true(compared > TREES / 3);
}

// Second derivatives: symmetric, and D[e] = sum e_q v + e_t differentiates like the sum.
static void test_second_derivatives(void **state)
{
  (void)state;
  static formula tree;
  int compared = 0;
  for (uint64_t seed = 0; seed < TREES / 4; seed++) {
    at_case("seed %d", (int)seed);
    dls_graph *graph;
    assert_int_equal(dls_graph_create(&graph), DLS_OK);
    int root = grow(&tree, 555555 + seed, 2 + (int)seed % (LEAVES - 1));
    dls_expr e = build(&tree, root, graph);
    sample s = draw_sample(&tree);
    long double largest = 1;
    oracle(&tree, root, &s.exact, &largest);
    int index[VARIABLES], second[VARIABLES];
    dls_expr gradient[VARIABLES], row[VARIABLES];
    double hessian[VARIABLES][VARIABLES] = {{0}};
    int count = dls_graph_gradient(graph, e, DLS_OP_COORDINATE, VARIABLES, index, gradient);
    for (int k = 0; k < count; k++) {
      int entries =
          dls_graph_gradient(graph, gradient[k], DLS_OP_COORDINATE, VARIABLES, second, row);
      for (int j = 0; j < entries; j++) hessian[index[k]][second[j]] = at(graph, row[j], &s);
    }
    if (largest < 30) {
      // against differences of the exact gradient, in double
      for (int k = 0; k < count; k++)
        for (int j = 0; j < VARIABLES; j++) {
          sample plus = s, minus = s;
          plus.q[j] += 1e-5;
          minus.q[j] -= 1e-5;
          double slope = (at(graph, gradient[k], &plus) - at(graph, gradient[k], &minus)) / 2e-5;
          double size = 1 + fabs(hessian[index[k]][j]);
          for (int i = 0; i < VARIABLES; i++) size += fabs(hessian[i][j]);
          assert_near(hessian[index[k]][j], slope, 1e-4L * size * size);
          assert_near(hessian[index[k]][j], hessian[j][index[k]], 1e-10L * size * size);
        }
      compared++;
    }
    dls_graph_free(graph);
  }
  assert_true(compared > TREES / 16);
}

// The tape gives the numbers of direct evaluation, and bounds that hold and are not absurd.
static void test_tape(void **state)
{
  (void)state;
  static formula tree;
  int compared = 0, tight = 0;
  for (uint64_t seed = 0; seed < TREES; seed++) {
    at_case("seed %d", (int)seed);
    dls_graph *graph;
    assert_int_equal(dls_graph_create(&graph), DLS_OK);
    int root = grow(&tree, 3333 + seed, 2 + (int)seed % (LEAVES - 1));
    dls_expr out[3];
    out[0] = build(&tree, root, graph);
    out[1] = dls_graph_time_derivative(graph, out[0]);
    out[2] = out[0];
    sample s = draw_sample(&tree);
    dls_tape *tape;
    assert_int_equal(dls_tape_compile(graph, VARIABLES, VARIABLES, 0, out, 3, &tape), DLS_OK);
    size_t slots = (size_t)dls_tape_slots(tape);
    double *slot = calloc(slots, sizeof *slot), *error = calloc(slots, sizeof *error);
    double result[3], bound[3];
    dls_tape_start(tape, s.p, slot);
    assert_true(dls_tape_run(tape, s.t, s.q, s.v, slot));
    dls_tape_gather(tape, 0, 3, slot, result);
    for (int k = 0; k < 3; k++) {
      double direct = at(graph, out[k], &s);
      assert_near(result[k], direct, 4e-16L * fabs(direct));
      double single;
      assert_true(dls_tape_gather(tape, k, 1, slot, &single) && single == result[k]);
    }
    dls_tape_bound(tape, slot, error);
    dls_tape_gather(tape, 0, 3, error, bound);
    // the inputs are known to half a unit in the last place: the bound covers that too
    point *x = &s.exact;
    for (int i = 0; i < VARIABLES; i++) {
      x->p[i] *= 1 + (draw(&tree, 2) ? 1 : -1) * 1.11e-16L;
      x->q[i] *= 1 + (draw(&tree, 2) ? 1 : -1) * 1.11e-16L;
      x->v[i] *= 1 + (draw(&tree, 2) ? 1 : -1) * 1.11e-16L;
    }
    long double largest = 1, exact = oracle(&tree, root, x, &largest);
    if (largest < 1e3L) {
      assert_near(result[0], exact, 1.001L * bound[0] + 1e-18L * largest * largest);
      assert_true(bound[0] <= 1e-10L * largest * largest);
      if (bound[0] <= 1e3 * 1.1e-16 * (1 + fabs(result[0]))) tight++;
      compared++;
    }
    free(slot);
    free(error);
    dls_tape_free(tape);
    dls_graph_free(graph);
  }
  assert_true(compared > TREES / 2);
  assert_true(tight > compared / 2);
}

// Each rule of error propagation by itself: arguments moved by their errors move the result by the
// bound, within second order, and not by much less.
static void test_error_rules(void **state)
{
  (void)state;
  static formula tree;
  tree.seed = 4711;
  for (dls_op op = DLS_OP_ADD; op <= DLS_OP_SQRT; op++) {
    int arguments = dls_op_arguments(op);
    bool arc = op == DLS_OP_ASIN || op == DLS_OP_ACOS;
    for (int k = 0; k < 200; k++) {
      at_case("op %d, k %d", op, k);
      double x[3] = {draw_real(&tree, 0.3, arc ? 0.9 : 2), draw_real(&tree, 0.3, 2), 0};
      if (op == DLS_OP_TAN) x[0] *= 0.5;
      const double error[3] = {1e-7, arguments > 1 ? 3e-7 : 0, 0};
      double bound = dls_op_error(op, x, error, dls_op_apply(op, x[0], x[1], 0));
      long double most = 0, exact = apply_long(op, x[0], x[1]);
      for (int corner = 0; corner < 4; corner++) {
        long double a = x[0] + (corner & 1 ? 1 : -1) * (long double)error[0];
        long double b = x[1] + (corner & 2 ? 1 : -1) * (long double)error[1];
        long double move = fabsl(apply_long(op, a, b) - exact);
        if (move > most) most = move;
      }
      if (!(most <= 1.00001L * bound && bound <= 1.001L * most))
        fail_msg("op %d at %g, %g: moved %Lg, bound %g", (int)op, x[0], x[1], most, bound);
    }
  }
  // at the ends of the domains, and across jumps
  const double blur[3] = {1e-8, 0, 0};
  assert_true(dls_op_error(DLS_OP_SQRT, (const double[3]){0, 0, 0}, blur, 0) >= 1e-4);
  assert_true(dls_op_error(DLS_OP_ACOS, (const double[3]){1, 0, 0}, blur, 0) >= acos(1 - 1e-8));
  assert_true(dls_op_error(DLS_OP_FLOOR, (const double[3]){3, 0, 0}, blur, 3) >= 1);
  assert_true(dls_op_error(DLS_OP_SIGN, (const double[3]){0, 0, 0}, blur, 0) >= 1);
  assert_true(dls_op_error(DLS_OP_LESS, (const double[3]){2, 2, 0}, blur, 0) == 1);
  assert_true(dls_op_error(DLS_OP_LESS, (const double[3]){2, 3, 0}, blur, 1) == 0);
  assert_true(dls_op_error(DLS_OP_IF, (const double[3]){0, 2, 5}, blur, 5) >= 3);
  assert_true(dls_op_error(DLS_OP_MAX, (const double[3]){2, 1, 0}, blur, 2) == 1e-8);
}

// ---- single facts ----

typedef struct fixture {
  dls_graph *g;
  dls_expr x, y, v, p, t, zero, one;
} fixture;

static fixture setup(void)
{
  fixture f;
  assert_int_equal(dls_graph_create(&f.g), DLS_OK);
  f.x = dls_graph_leaf(f.g, DLS_OP_COORDINATE, 0);
  f.y = dls_graph_leaf(f.g, DLS_OP_COORDINATE, 1);
  f.v = dls_graph_leaf(f.g, DLS_OP_VELOCITY, 0);
  f.p = dls_graph_leaf(f.g, DLS_OP_PARAMETER, 0);
  f.t = dls_graph_leaf(f.g, DLS_OP_TIME, 0);
  f.zero = dls_graph_constant(f.g, 0);
  f.one = dls_graph_constant(f.g, 1);
  return f;
}

static void test_simplification(void **state)
{
  (void)state;
  fixture f = setup();
  dls_graph *g = f.g;
  dls_expr two = dls_graph_constant(g, 2), half = dls_graph_constant(g, 0.5);
#define MAKE(op, a, b) dls_graph_make(g, DLS_OP_##op, a, b, -1)
  assert_int_equal(MAKE(ADD, f.x, f.y), MAKE(ADD, f.y, f.x));
  assert_int_equal(MAKE(ADD, f.x, f.zero), f.x);
  assert_int_equal(MAKE(MUL, f.x, f.one), f.x);
  assert_int_equal(MAKE(MUL, f.x, f.zero), f.zero);
  assert_int_equal(MAKE(SUB, f.x, f.x), f.zero);
  assert_int_equal(MAKE(DIV, f.x, f.one), f.x);
  assert_int_equal(MAKE(POW, f.x, f.zero), f.one);
  assert_int_equal(MAKE(POW, f.x, f.one), f.x);
  assert_int_equal(MAKE(POW, f.x, two), MAKE(MUL, f.x, f.x));
  assert_int_equal(MAKE(NEG, MAKE(NEG, f.x, -1), -1), f.x);
  assert_int_equal(MAKE(MUL, dls_graph_constant(g, -1), f.x), MAKE(NEG, f.x, -1));
  assert_int_equal(MAKE(ADD, f.x, f.x), MAKE(MUL, two, f.x));
  assert_int_equal(MAKE(MUL, two, MAKE(MUL, half, f.x)), f.x);
  assert_int_equal(MAKE(ADD, f.x, MAKE(NEG, f.y, -1)), MAKE(SUB, f.x, f.y));
  assert_int_equal(MAKE(SUB, MAKE(MUL, f.p, f.x), MAKE(MUL, f.x, f.p)), f.zero);
  assert_int_equal(dls_graph_constant(g, -0.0), f.zero);
  // singular expressions stay
  double q[2] = {0, 0};
  assert_true(!isfinite(dls_graph_evaluate(g, MAKE(DIV, f.x, f.x), NULL, 0, q, NULL)));
  assert_true(!isfinite(dls_graph_evaluate(g, MAKE(DIV, f.zero, f.x), NULL, 0, q, NULL)));
  assert_true(!isfinite(dls_graph_evaluate(g, MAKE(DIV, f.one, f.zero), NULL, 0, q, NULL)));
  // what is not finite is not folded
  dls_expr huge = MAKE(EXP, dls_graph_constant(g, 1000), -1);
  assert_int_equal(dls_graph_node(g, huge)->op, DLS_OP_EXP);
  assert_true(!isfinite(dls_graph_evaluate(g, MAKE(ADD, huge, f.x), NULL, 0, q, NULL)));
  assert_true(!isfinite(dls_graph_evaluate(g, MAKE(LOG, f.zero, -1), NULL, 0, q, NULL)));
  // 0.1 is a rounded number, and what is made of it is not exact either: 10 * 0.1 is not the 1
  // that disappears
  dls_expr ten = dls_graph_constant(g, 10), tenth = dls_graph_constant(g, 0.1);
  assert_true(dls_graph_node(g, MAKE(MUL, ten, tenth))->error > 0);
  assert_true(dls_graph_node(g, MAKE(MUL, two, half))->error == 0);
  // p = d(m v^2 / 2)/dv is m v, its derivative m
  dls_expr kinetic = MAKE(MUL, MAKE(MUL, half, f.p), MAKE(POW, f.v, two)), derivative;
  int index;
  assert_int_equal(dls_graph_gradient(g, kinetic, DLS_OP_VELOCITY, 1, &index, &derivative), 1);
  assert_int_equal(derivative, MAKE(MUL, f.p, f.v));
  assert_int_equal(dls_graph_gradient(g, derivative, DLS_OP_VELOCITY, 1, &index, &derivative), 1);
  assert_int_equal(derivative, f.p);
  // whatever is mostly noise is not folded
  dls_expr cosine = MAKE(COS, dls_graph_constant(g, 1.5707963267948966), -1);
  assert_int_equal(dls_graph_node(g, cosine)->op, DLS_OP_COS);
  dls_graph_free(g);
}

static void test_queries(void **state)
{
  (void)state;
  fixture f = setup();
  dls_graph *g = f.g;
  assert_int_equal(dls_graph_depends(g, MAKE(ADD, f.x, MAKE(MUL, f.p, f.t))),
                   DLS_ON_COORDINATES | DLS_ON_PARAMETERS | DLS_ON_TIME);
  dls_expr square = MAKE(MUL, f.v, f.v);
  assert_int_equal(dls_graph_velocity_degree(g, f.x), 0);
  assert_int_equal(dls_graph_velocity_degree(g, MAKE(DIV, f.v, f.x)), 1);
  assert_int_equal(dls_graph_velocity_degree(g, MAKE(SUB, square, f.x)), 2);
  assert_int_equal(dls_graph_velocity_degree(g, MAKE(MUL, square, f.v)), 3);
  assert_int_equal(dls_graph_velocity_degree(g, MAKE(DIV, f.x, f.v)), 3);
  assert_int_equal(dls_graph_velocity_degree(g, MAKE(SIN, f.v, -1)), 3);

  dls_expr bend = MAKE(ABS, f.x, -1), smooth = MAKE(ABS, f.p, -1);
  assert_int_equal(dls_graph_nonsmooth(g, MAKE(SIN, MAKE(ADD, f.t, bend), -1)), bend);
  assert_int_equal(dls_graph_nonsmooth(g, MAKE(MUL, smooth, f.x)), -1);
  dls_expr chosen = dls_graph_make(g, DLS_OP_IF, MAKE(LESS, f.zero, f.p), f.x, f.y);
  assert_int_equal(dls_graph_nonsmooth(g, chosen), -1);
  dls_expr jump = MAKE(LESS, f.zero, f.x);
  assert_int_equal(dls_graph_nonsmooth(g, dls_graph_make(g, DLS_OP_IF, jump, f.x, f.y)), jump);
  dls_graph_free(g);
}

static void test_piecewise(void **state)
{
  (void)state;
  fixture f = setup();
  dls_graph *g = f.g;
  dls_expr least = MAKE(MIN, f.x, MAKE(MUL, f.y, f.y)), derivative[2];
  int index[2];
  double q[2] = {-2, 3};
  assert_int_equal(dls_graph_gradient(g, least, DLS_OP_COORDINATE, 2, index, derivative), 2);
  assert_true(dls_graph_evaluate(g, derivative[0], NULL, 0, q, NULL) == 1);
  assert_true(dls_graph_evaluate(g, derivative[1], NULL, 0, q, NULL) == 0);
  dls_expr size = MAKE(ABS, f.x, -1);
  assert_int_equal(dls_graph_gradient(g, size, DLS_OP_COORDINATE, 2, index, derivative), 1);
  assert_true(dls_graph_evaluate(g, derivative[0], NULL, 0, q, NULL) == -1);
  assert_int_equal(
      dls_graph_gradient(g, MAKE(FLOOR, f.x, -1), DLS_OP_COORDINATE, 2, index, derivative), 0);
  // NaN does not hide behind a comparison
  q[0] = NAN;
  assert_true(isnan(dls_graph_evaluate(g, MAKE(MIN, f.x, f.one), NULL, 0, q, NULL)) != 0);
  dls_expr choice = dls_graph_make(g, DLS_OP_IF, MAKE(LESS, f.x, f.zero), f.one, f.zero);
  assert_true(isnan(dls_graph_evaluate(g, choice, NULL, 0, q, NULL)) != 0);
  dls_graph_free(g);
}

// 10^5 terms, 10^5 nested functions: no recursion may hide anywhere.
static void test_long(void **state)
{
  (void)state;
  enum { LONG = 100000 };
  fixture f = setup();
  dls_graph *g = f.g;
  dls_expr sum = f.zero, deep = f.x;
  for (int k = 0; k < LONG; k++) {
    dls_expr term = MAKE(MUL, dls_graph_constant(g, k), dls_graph_leaf(g, DLS_OP_COORDINATE, k));
    sum = MAKE(ADD, sum, MAKE(SIN, term, -1));
    deep = MAKE(SIN, deep, -1);
  }
  int *index = calloc((size_t)LONG, sizeof *index);
  dls_expr *derivative = calloc((size_t)LONG, sizeof *derivative);
  double *q = calloc((size_t)LONG, sizeof *q);
  assert_int_equal(dls_graph_gradient(g, sum, DLS_OP_COORDINATE, LONG, index, derivative),
                   LONG - 1);
  assert_true(dls_graph_evaluate(g, derivative[LONG - 2], NULL, 0, q, NULL) == LONG - 1);
  assert_int_equal(dls_graph_gradient(g, deep, DLS_OP_COORDINATE, LONG, index, derivative), 1);
  assert_true(dls_graph_evaluate(g, derivative[0], NULL, 0, q, NULL) == 1);
  dls_graph_time_derivative(g, sum);
  dls_graph_time_derivative(g, deep);
  assert_int_equal(dls_graph_nonsmooth(g, deep), -1);
  assert_int_equal(dls_graph_status(g), DLS_OK);
  free(index);
  free(derivative);
  free(q);
  dls_graph_free(g);
}

static void test_limit(void **state)
{
  (void)state;
  fixture f = setup();
  assert_int_equal(f.g->limit, 10000000);
  f.g->limit = 1000;
  dls_expr e = f.x;
  for (int k = 0; k < 2000; k++) e = dls_graph_make(f.g, DLS_OP_SIN, e, -1, -1);
  assert_int_equal(e, 0);
  assert_int_equal(dls_graph_status(f.g), DLS_ERR_LIMIT);
  int index;
  dls_expr derivative;
  assert_int_equal(dls_graph_gradient(f.g, f.x, DLS_OP_COORDINATE, 1, &index, &derivative), 0);
  assert_int_equal(dls_graph_time_derivative(f.g, f.x), 0);
  assert_int_equal(dls_graph_constant(f.g, 0.123), 0);
  assert_int_equal(dls_graph_status(f.g), DLS_ERR_LIMIT);
  dls_graph_free(f.g);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_simplification), cmocka_unit_test(test_queries),
      cmocka_unit_test(test_piecewise),      cmocka_unit_test(test_values),
      cmocka_unit_test(test_derivatives),    cmocka_unit_test(test_second_derivatives),
      cmocka_unit_test(test_tape),           cmocka_unit_test(test_error_rules),
      cmocka_unit_test(test_long),           cmocka_unit_test(test_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
