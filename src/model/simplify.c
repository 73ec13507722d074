// Simplification as nodes are made. Every rule looks at most two levels down and makes fewer or
// equally many nodes, so that the calls nest to a small fixed depth.
//
// Canonical forms that the rules keep:
//   - arguments of commutative operations in increasing order, a constant first
//   - a product holds its constant outermost, c * (x * y); a factor -1 is a NEG
//   - the factor of a product that varies fastest (velocities, then coordinates and time, then
//     parameters) stands outermost below that, so that D[a sin x] and its gradient share a sin x
//   - NEG never stands below ADD, SUB, MUL, DIV, NEG or an odd or even function
#include "model/expression_graph_internal.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

static dls_expr intern(dls_graph *graph, dls_op op, dls_expr a, dls_expr b, dls_expr c)
{
  dls_node node = {.op = op, .a = a, .b = b, .c = c};
  return dls_graph_intern(graph, &node);
}

static bool is_constant(const dls_graph *graph, dls_expr e)
{
  return graph->nodes[e].op == DLS_OP_CONSTANT;
}

static bool is_value(const dls_graph *graph, dls_expr e, double value)
{
  return is_constant(graph, e) && graph->nodes[e].value == value;
}

// The op with its commutative arguments in order.
static dls_expr intern_ordered(dls_graph *graph, dls_op op, dls_expr a, dls_expr b)
{
  bool swap = is_constant(graph, a) != is_constant(graph, b) ? is_constant(graph, b) : b < a;
  return swap ? intern(graph, op, b, a, -1) : intern(graph, op, a, b, -1);
}

// The value of an op on constants, or -1 when it must stay: a result that is not finite is
// reported when it is evaluated, and one that is mostly rounding error keeps its honest bound.
static dls_expr fold(dls_graph *graph, dls_op op, dls_expr a, dls_expr b, dls_expr c)
{
  const dls_expr argument[3] = {a, b, c};
  double x[3] = {0, 0, 0}, error[3] = {0, 0, 0};
  for (int k = 0; k < 3 && argument[k] >= 0; k++) {
    if (!is_constant(graph, argument[k])) return -1;
    x[k] = graph->nodes[argument[k]].value;
    error[k] = fabs(x[k]) * (double)graph->nodes[argument[k]].error * DLS_ROUNDOFF;
  }
  double value = dls_op_apply(op, x[0], x[1], x[2]);
  if (!isfinite(value)) return -1;
  double blur = dls_op_error(op, x, error, value);
  double relative = blur == 0 ? 0 : ceil(blur / (fabs(value) * DLS_ROUNDOFF));
  if (!(relative < 256)) return -1;
  dls_node node = {.op = DLS_OP_CONSTANT, .a = -1, .b = -1, .c = -1};
  node.value = value == 0 ? 0 : value;
  node.error = (float)relative;
  return dls_graph_intern(graph, &node);
}

// e = coefficient * base. Constants of extreme size stay inside: moved out of a product they
// could make it overflow.
static dls_expr split(const dls_graph *graph, dls_expr e, dls_expr *base)
{
  const dls_node *node = &graph->nodes[e];
  *base = e;
  if (node->op == DLS_OP_NEG) {
    *base = node->a;
    return graph->minus_one;
  }
  if (node->op == DLS_OP_MUL && is_constant(graph, node->a)) {
    double size = fabs(graph->nodes[node->a].value);
    if (size < 1e-20 || size > 1e20) return graph->one;
    *base = node->b;
    return node->a;
  }
  return graph->one;
}

static bool negative(const dls_graph *graph, dls_expr e)
{
  dls_expr base;
  if (is_constant(graph, e)) return graph->nodes[e].value < 0;
  return graph->nodes[split(graph, e, &base)].value < 0;
}

static dls_expr negate(dls_graph *graph, dls_expr a)
{
  const dls_node node = graph->nodes[a];
  if (node.op == DLS_OP_NEG) return node.a;
  if (node.op == DLS_OP_SUB) return dls_graph_two(graph, DLS_OP_SUB, node.b, node.a);
  if (node.op == DLS_OP_MUL && is_constant(graph, node.a)) {
    dls_expr c = fold(graph, DLS_OP_NEG, node.a, -1, -1);
    if (c >= 0) return dls_graph_two(graph, DLS_OP_MUL, c, node.b);
  }
  return intern(graph, DLS_OP_NEG, a, -1, -1);
}

// x + y and x - y when both are multiples of the same expression; -1 when they are not.
static dls_expr merge(dls_graph *graph, dls_op op, dls_expr a, dls_expr b)
{
  dls_expr base_a, base_b;
  dls_expr ca = split(graph, a, &base_a), cb = split(graph, b, &base_b);
  if (base_a != base_b) return -1;
  dls_expr c = fold(graph, op, ca, cb, -1);
  return c >= 0 ? dls_graph_two(graph, DLS_OP_MUL, c, base_a) : -1;
}

static dls_expr add(dls_graph *graph, dls_expr a, dls_expr b)
{
  if (is_value(graph, a, 0)) return b;
  if (is_value(graph, b, 0)) return a;
  dls_expr merged = merge(graph, DLS_OP_ADD, a, b);
  if (merged >= 0) return merged;
  if (!is_constant(graph, b) && negative(graph, b))
    return dls_graph_two(graph, DLS_OP_SUB, a, negate(graph, b));
  if (!is_constant(graph, a) && negative(graph, a))
    return dls_graph_two(graph, DLS_OP_SUB, b, negate(graph, a));

  // c1 + (c2 + x)
  if (is_constant(graph, b)) {
    dls_expr swap = a;
    a = b;
    b = swap;
  }
  const dls_node inner = graph->nodes[b];
  if (is_constant(graph, a) && inner.op == DLS_OP_ADD && is_constant(graph, inner.a)) {
    dls_expr c = fold(graph, DLS_OP_ADD, a, inner.a, -1);
    if (c >= 0) return add(graph, c, inner.b);
  }
  return intern_ordered(graph, DLS_OP_ADD, a, b);
}

static dls_expr subtract(dls_graph *graph, dls_expr a, dls_expr b)
{
  if (is_value(graph, b, 0)) return a;
  if (is_value(graph, a, 0)) return negate(graph, b);
  if (a == b) return 0;
  dls_expr merged = merge(graph, DLS_OP_SUB, a, b);
  if (merged >= 0) return merged;
  if (is_constant(graph, b)) {
    dls_expr c = fold(graph, DLS_OP_NEG, b, -1, -1);
    if (c >= 0) return add(graph, a, c);
  } else if (negative(graph, b)) return add(graph, a, negate(graph, b));
  if (graph->nodes[a].op == DLS_OP_NEG) return negate(graph, add(graph, graph->nodes[a].a, b));
  return intern(graph, DLS_OP_SUB, a, b, -1);
}

// How fast an expression varies: 3 with velocities and inputs, 2 with the configuration, 1 never.
static int pace(const dls_graph *graph, dls_expr e)
{
  unsigned depends = dls_graph_depends(graph, e);
  return depends & (DLS_ON_VELOCITIES | DLS_ON_INPUTS) ? 3
         : depends & ~(unsigned)DLS_ON_PARAMETERS      ? 2
                                                       : 1;
}

static bool is_product(const dls_graph *graph, dls_expr e)
{
  return graph->nodes[e].op == DLS_OP_MUL && !is_constant(graph, graph->nodes[e].a);
}

// x * y without constant factors. x * (u * w) -> (x * u) * w when w varies faster than x and u.
static dls_expr product(dls_graph *graph, dls_expr x, dls_expr y)
{
  for (int turn = 0; turn < 2; turn++) {
    const dls_node inner = graph->nodes[y];
    if (is_product(graph, y)) {
      bool swap = pace(graph, inner.a) > pace(graph, inner.b);
      dls_expr slow = swap ? inner.b : inner.a, fast = swap ? inner.a : inner.b;
      int limit = pace(graph, fast);
      if (limit > pace(graph, slow) && limit > pace(graph, x))
        return intern_ordered(graph, DLS_OP_MUL, product(graph, x, slow), fast);
    }
    dls_expr other = x;
    x = y;
    y = other;
  }
  return intern_ordered(graph, DLS_OP_MUL, x, y);
}

static dls_expr multiply(dls_graph *graph, dls_expr a, dls_expr b)
{
  if (a == 0 || b == 0) return 0;
  if (a == graph->one) return b;
  if (b == graph->one) return a;
  if (a == graph->minus_one) return negate(graph, b);
  if (b == graph->minus_one) return negate(graph, a);

  // all constants to the front
  dls_expr x, y;
  dls_expr ca = split(graph, a, &x), cb = split(graph, b, &y);
  if (is_constant(graph, a)) ca = a, x = -1;
  if (is_constant(graph, b)) cb = b, y = -1;
  if (x < 0 && y < 0) return intern_ordered(graph, DLS_OP_MUL, a, b);
  dls_expr c = fold(graph, DLS_OP_MUL, ca, cb, -1);
  if (c < 0 || fabs(graph->nodes[c].value) < 1e-290) return intern_ordered(graph, DLS_OP_MUL, a, b);
  dls_expr base = x < 0 ? y : y < 0 ? x : product(graph, x, y);
  if (c == graph->one) return base;
  if (c == graph->minus_one) return negate(graph, base);
  return intern(graph, DLS_OP_MUL, c, base, -1);
}

static dls_expr divide(dls_graph *graph, dls_expr a, dls_expr b)
{
  if (b == graph->one) return a;
  if (b == graph->minus_one) return negate(graph, a);
  if (is_constant(graph, b)) {
    double value = graph->nodes[b].value, inverse = 1 / value;
    int exponent;
    if (value != 0 && a == 0) return 0;
    // division by a power of two is exact as a product
    if (fabs(frexp(value, &exponent)) == 0.5 && abs(exponent) < 60)
      return multiply(graph, dls_graph_constant(graph, inverse), a);
  }
  dls_expr x, y;
  dls_expr ca = split(graph, a, &x), cb = split(graph, b, &y);
  if (cb == graph->minus_one) return negate(graph, dls_graph_two(graph, DLS_OP_DIV, a, y));
  if (ca != graph->one && ca != graph->minus_one && is_constant(graph, b)) {
    dls_expr c = fold(graph, DLS_OP_DIV, ca, b, -1);
    if (c >= 0) return multiply(graph, c, x);
  } else if (ca != graph->one) return multiply(graph, ca, dls_graph_two(graph, DLS_OP_DIV, x, b));
  return intern(graph, DLS_OP_DIV, a, b, -1);
}

static dls_expr power(dls_graph *graph, dls_expr a, dls_expr b)
{
  if (!is_constant(graph, b)) return intern(graph, DLS_OP_POW, a, b, -1);
  double exponent = graph->nodes[b].value;
  if (exponent == 0) return graph->one;
  if (exponent == 1) return a;
  if (exponent == 0.5) return dls_graph_one(graph, DLS_OP_SQRT, a);
  if (exponent < 0 && exponent >= -4 && exponent == rint(exponent))
    return divide(graph, graph->one, power(graph, a, dls_graph_constant(graph, -exponent)));
  dls_expr square = -1;
  if (exponent == 2 || exponent == 3 || exponent == 4) square = multiply(graph, a, a);
  if (exponent == 2) return square;
  if (exponent == 3) return multiply(graph, a, square);
  if (exponent == 4) return multiply(graph, square, square);
  return intern(graph, DLS_OP_POW, a, b, -1);
}

static dls_expr function(dls_graph *graph, dls_op op, dls_expr a)
{
  const dls_node node = graph->nodes[a];
  if (node.op == DLS_OP_NEG) switch (op) {
    case DLS_OP_COS:
    case DLS_OP_COSH:
    case DLS_OP_ABS: return intern(graph, op, node.a, -1, -1);
    case DLS_OP_SIN:
    case DLS_OP_TAN:
    case DLS_OP_ASIN:
    case DLS_OP_ATAN:
    case DLS_OP_SINH:
    case DLS_OP_TANH:
    case DLS_OP_SIGN: return negate(graph, intern(graph, op, node.a, -1, -1));
    default: break;
    }
  return intern(graph, op, a, -1, -1);
}

static dls_expr compare(dls_graph *graph, dls_op op, dls_expr a, dls_expr b)
{
  bool same = a == b;
  switch (op) {
  case DLS_OP_MIN:
  case DLS_OP_MAX: return same ? a : intern_ordered(graph, op, a, b);
  case DLS_OP_EQUAL: return same ? graph->one : intern_ordered(graph, op, a, b);
  case DLS_OP_NOT_EQUAL: return same ? 0 : intern_ordered(graph, op, a, b);
  case DLS_OP_LESS: return same ? 0 : intern(graph, op, a, b, -1);
  default: return same ? graph->one : intern(graph, op, a, b, -1);
  }
}

dls_expr dls_graph_make(dls_graph *graph, dls_op op, dls_expr a, dls_expr b, dls_expr c)
{
  if (graph->status != DLS_OK) return 0;
  int arguments = dls_op_arguments(op);
  assert(arguments > 0 && a >= 0 && a < graph->count);
  assert(arguments > 1 ? b >= 0 && b < graph->count : b == -1);
  assert(arguments > 2 ? c >= 0 && c < graph->count : c == -1);
  (void)arguments;

  dls_expr folded = fold(graph, op, a, b, c);
  if (folded >= 0) return folded;
  switch (op) {
  case DLS_OP_ADD: return add(graph, a, b);
  case DLS_OP_SUB: return subtract(graph, a, b);
  case DLS_OP_MUL: return multiply(graph, a, b);
  case DLS_OP_DIV: return divide(graph, a, b);
  case DLS_OP_NEG: return negate(graph, a);
  case DLS_OP_POW: return power(graph, a, b);
  case DLS_OP_ATAN2: return intern(graph, op, a, b, -1);
  case DLS_OP_MIN:
  case DLS_OP_MAX:
  case DLS_OP_LESS:
  case DLS_OP_LESS_EQUAL:
  case DLS_OP_EQUAL:
  case DLS_OP_NOT_EQUAL: return compare(graph, op, a, b);
  case DLS_OP_IF:
    if (is_constant(graph, a) && !isnan(graph->nodes[a].value))
      return graph->nodes[a].value != 0 ? b : c;
    return b == c ? b : intern(graph, op, a, b, c);
  default: return function(graph, op, a);
  }
}
