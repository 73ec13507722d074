// Exact derivatives: the gradient by a reverse pass, the total time derivative by a forward one.
//
// Both walk only the nodes below the expression that depend on the variables: the reverse pass in
// decreasing order from a heap, so that a node comes out once all its uses are known; the forward
// pass remembers its results, so that nodes shared by many expressions are done once.
#include "model/expression_graph_internal.h"
#include "base/memory.h"
#include <assert.h>
#include <stdlib.h>

#define ADD(x, y) dls_graph_two(graph, DLS_OP_ADD, x, y)
#define SUB(x, y) dls_graph_two(graph, DLS_OP_SUB, x, y)
#define MUL(x, y) dls_graph_two(graph, DLS_OP_MUL, x, y)
#define DIV(x, y) dls_graph_two(graph, DLS_OP_DIV, x, y)
#define NEG(x) dls_graph_one(graph, DLS_OP_NEG, x)
#define FUNCTION(op, x) dls_graph_one(graph, op, x)
#define NUMBER(x) dls_graph_constant(graph, x)

// seed * f'(a) for e = f(a).
static dls_expr function_slope(dls_graph *graph, dls_expr e, dls_op op, dls_expr a, dls_expr seed)
{
  const dls_expr one = graph->one;
  switch (op) {
  case DLS_OP_NEG: return NEG(seed);
  case DLS_OP_SIN: return MUL(seed, FUNCTION(DLS_OP_COS, a));
  case DLS_OP_COS: return NEG(MUL(seed, FUNCTION(DLS_OP_SIN, a)));
  case DLS_OP_TAN: return MUL(seed, ADD(one, MUL(e, e)));
  case DLS_OP_ASIN: return DIV(seed, FUNCTION(DLS_OP_SQRT, SUB(one, MUL(a, a))));
  case DLS_OP_ACOS: return NEG(DIV(seed, FUNCTION(DLS_OP_SQRT, SUB(one, MUL(a, a)))));
  case DLS_OP_ATAN: return DIV(seed, ADD(one, MUL(a, a)));
  case DLS_OP_SINH: return MUL(seed, FUNCTION(DLS_OP_COSH, a));
  case DLS_OP_COSH: return MUL(seed, FUNCTION(DLS_OP_SINH, a));
  case DLS_OP_TANH: return MUL(seed, SUB(one, MUL(e, e)));
  case DLS_OP_EXP: return MUL(seed, e);
  case DLS_OP_LOG: return DIV(seed, a);
  case DLS_OP_LOG2: return DIV(seed, MUL(NUMBER(0.69314718055994530942), a));
  case DLS_OP_SQRT: return MUL(NUMBER(0.5), DIV(seed, e));
  case DLS_OP_ABS: return MUL(seed, FUNCTION(DLS_OP_SIGN, a));
  default: return 0;  // sign, floor: constant between their jumps
  }
}

// seed * df/d(argument k) for the node e. The selections give the selected branch.
static dls_expr slope(dls_graph *graph, dls_expr e, int k, dls_expr seed)
{
  const dls_node node = graph->nodes[e];
  const dls_expr a = node.a, b = node.b, zero = 0;
  switch (node.op) {
  case DLS_OP_ADD: return seed;
  case DLS_OP_SUB: return k == 0 ? seed : NEG(seed);
  case DLS_OP_MUL: return MUL(seed, k == 0 ? b : a);
  case DLS_OP_DIV: return k == 0 ? DIV(seed, b) : NEG(DIV(MUL(seed, e), b));
  case DLS_OP_POW: {
    if (k == 1) return MUL(seed, MUL(e, FUNCTION(DLS_OP_LOG, a)));
    dls_expr lower = dls_graph_two(graph, DLS_OP_POW, a, SUB(b, graph->one));
    return MUL(seed, MUL(b, lower));
  }
  case DLS_OP_ATAN2: {
    dls_expr square = ADD(MUL(a, a), MUL(b, b));
    return k == 0 ? DIV(MUL(seed, b), square) : NEG(DIV(MUL(seed, a), square));
  }
  case DLS_OP_MIN:
  case DLS_OP_MAX: {
    bool least = node.op == DLS_OP_MIN;
    dls_expr first = dls_graph_two(graph, DLS_OP_LESS_EQUAL, least ? a : b, least ? b : a);
    return dls_graph_make(graph, DLS_OP_IF, first, k == 0 ? seed : zero, k == 0 ? zero : seed);
  }
  case DLS_OP_LESS:
  case DLS_OP_LESS_EQUAL:
  case DLS_OP_EQUAL:
  case DLS_OP_NOT_EQUAL: return zero;
  case DLS_OP_IF:
    if (k == 0) return zero;
    return dls_graph_make(graph, DLS_OP_IF, a, k == 1 ? seed : zero, k == 1 ? zero : seed);
  default: return function_slope(graph, e, node.op, a, seed);
  }
}

typedef struct partial {
  int index;
  dls_expr derivative;
} partial;

static int by_index(const void *x, const void *y)
{
  int i = ((const partial *)x)->index, j = ((const partial *)y)->index;
  return (i > j) - (i < j);
}

typedef struct partials {
  partial *list;
  ptrdiff_t count, capacity;
} partials;

// Hands the adjoint of node e on to those of its arguments that depend on the variables.
static int pass_on(dls_graph *graph, dls_heap *heap, dls_expr e, dls_expr adjoint, unsigned bit)
{
  const dls_expr argument[3] = {graph->nodes[e].a, graph->nodes[e].b, graph->nodes[e].c};
  for (int k = 0; k < 3 && argument[k] >= 0; k++) {
    if (!(graph->traits[argument[k]] & bit)) continue;
    dls_expr part = slope(graph, e, k, adjoint);
    if (graph->status != DLS_OK) return -1;
    if (part == 0) continue;
    if (dls_heap_push(heap, (uint64_t)argument[k] << 32 | (uint32_t)part)) return -1;
  }
  return 0;
}

// The nodes below e that depend on the variables and are not known yet, in decreasing order.
// known: per node, -1 where it is unknown; NULL when all are.
static int collect(const dls_graph *graph, dls_expr e, unsigned bits, const dls_expr *known,
                   dls_heap *order)
{
  dls_heap heap = {0};
  bool failed = dls_heap_push(&heap, (uint64_t)e) != 0;
  while (!failed && heap.count > 0) {
    dls_expr x = (dls_expr)dls_heap_pop(&heap);
    if (order->count > 0 && order->key[order->count - 1] == (uint64_t)x) continue;
    failed =
        dls_grow((void **)&order->key, &order->capacity, order->count + 1, sizeof *order->key) != 0;
    if (failed) break;
    order->key[order->count++] = (uint64_t)x;
    const dls_node *node = &graph->nodes[x];
    const dls_expr argument[3] = {node->a, node->b, node->c};
    for (int k = 0; k < 3 && argument[k] >= 0 && !failed; k++)
      if (graph->traits[argument[k]] & bits && !(known && known[argument[k]] >= 0))
        failed = dls_heap_push(&heap, (uint64_t)argument[k]) != 0;
  }
  dls_heap_free(&heap);
  return failed ? -1 : 0;
}

// Whether the nodes may still be met: many passes over large expressions need not make new nodes,
// and would never reach the limit of those.
static bool spend(dls_graph *graph, ptrdiff_t nodes)
{
  graph->effort += nodes;
  if (graph->effort > DLS_GRAPH_EFFORT_LIMIT) dls_graph_spoil(graph, DLS_ERR_LIMIT);
  return graph->status == DLS_OK;
}

// The derivative of a node along a direction, from those of its arguments.
static dls_expr along(dls_graph *graph, dls_expr e, const dls_expr rate[3])
{
  const dls_node node = graph->nodes[e];
  if (node.op == DLS_OP_SUB) return SUB(rate[0], rate[1]);
  if (node.op == DLS_OP_DIV && rate[1] != 0)  // (a' - e b') / b: one division
    return DIV(SUB(rate[0], MUL(e, rate[1])), node.b);
  if (node.op == DLS_OP_IF) return dls_graph_make(graph, DLS_OP_IF, node.a, rate[1], rate[2]);

  dls_expr sum = 0;
  if (rate[0] != 0) sum = slope(graph, e, 0, rate[0]);
  if (node.b >= 0 && rate[1] != 0) {
    dls_expr part = slope(graph, e, 1, rate[1]);
    sum = ADD(sum, part);
  }
  return sum;
}

// What is known of x: its entry in `rate`, next to a decreasing list; 0 when it is not listed.
static dls_expr listed(const dls_heap *order, const dls_expr *rate, dls_expr x)
{
  ptrdiff_t low = 0, high = order->count;
  while (low < high) {
    ptrdiff_t middle = low + (high - low) / 2;
    if (order->key[middle] == (uint64_t)x) return rate[middle];
    if (order->key[middle] > (uint64_t)x) low = middle + 1;
    else high = middle;
  }
  return 0;
}

// The derivative of order->key[0] by the leaf order->key[place]. What is listed behind the leaf
// does not depend on it: there `rate` is 0.
static dls_expr partial_of(dls_graph *graph, const dls_heap *order, ptrdiff_t place, dls_expr *rate)
{
  rate[place] = graph->one;
  for (ptrdiff_t k = place; k-- > 0;) {
    const dls_expr e = (dls_expr)order->key[k];
    const dls_expr argument[3] = {graph->nodes[e].a, graph->nodes[e].b, graph->nodes[e].c};
    dls_expr part[3] = {0, 0, 0};
    for (int i = 0; i < 3 && argument[i] >= 0; i++) part[i] = listed(order, rate, argument[i]);
    rate[k] = part[0] != 0 || part[1] != 0 || part[2] != 0 ? along(graph, e, part) : 0;
  }
  return rate[0];
}

static bool selects(dls_op op)
{
  return op == DLS_OP_IF || op == DLS_OP_MIN || op == DLS_OP_MAX;
}

// Hands the adjoint of a selection on to its variables, forward through both branches: handed on
// to the branches themselves it would be 0 in the one that is not selected, and 0 times the slope
// of sqrt(x) at x < 0 is not 0.
static int pass_selection(dls_graph *graph, dls_heap *heap, dls_expr e, dls_expr adjoint,
                          dls_op leaf, unsigned bit)
{
  dls_heap order = {0};
  dls_expr *rate = NULL;
  int failed = collect(graph, e, bit, NULL, &order);
  if (!failed) {
    rate = dls_alloc(order.count, sizeof *rate);
    failed = rate ? 0 : -1;
  }
  for (ptrdiff_t k = 0; k < order.count && !failed; k++) {
    const dls_expr x = (dls_expr)order.key[k];
    if (graph->nodes[x].op != leaf) continue;
    if (!spend(graph, k)) {
      failed = -1;
      break;
    }
    dls_expr part = partial_of(graph, &order, k, rate);
    part = MUL(adjoint, part);
    if (graph->status != DLS_OK) failed = -1;
    else if (part != 0) failed = dls_heap_push(heap, (uint64_t)x << 32 | (uint32_t)part);
  }
  free(rate);
  dls_heap_free(&order);
  return failed;
}

// The reverse pass. Returns -1 when memory runs out or the graph is spoilt.
static int reverse(dls_graph *graph, dls_expr e, dls_op leaf, dls_heap *heap, partials *found)
{
  unsigned bit = leaf == DLS_OP_COORDINATE ? DLS_ON_COORDINATES : DLS_ON_VELOCITIES;
  if (!(graph->traits[e] & bit)) return 0;
  if (dls_heap_push(heap, (uint64_t)e << 32 | (uint32_t)graph->one)) return -1;
  while (heap->count > 0) {
    // all contributions to one node follow each other
    uint64_t key = dls_heap_pop(heap);
    dls_expr node = (dls_expr)(key >> 32), adjoint = (dls_expr)(key & 0xffffffffu);
    while (heap->count > 0 && (dls_expr)(heap->key[0] >> 32) == node)
      adjoint = ADD(adjoint, (dls_expr)(dls_heap_pop(heap) & 0xffffffffu));
    if (!spend(graph, 1)) return -1;
    if (adjoint == 0) continue;
    if (graph->nodes[node].op != leaf) {
      int failed = selects(graph->nodes[node].op)
                       ? pass_selection(graph, heap, node, adjoint, leaf, bit)
                       : pass_on(graph, heap, node, adjoint, bit);
      if (failed) return -1;
      continue;
    }
    if (dls_grow((void **)&found->list, &found->capacity, found->count + 1, sizeof *found->list))
      return -1;
    found->list[found->count++] = (partial){graph->nodes[node].index, adjoint};
  }
  return 0;
}

int dls_graph_gradient(dls_graph *graph, dls_expr e, dls_op leaf, int count, int *index,
                       dls_expr *derivative)
{
  assert(e >= 0 && e < graph->count && count >= 0);
  assert(leaf == DLS_OP_COORDINATE || leaf == DLS_OP_VELOCITY);
  if (graph->status != DLS_OK) return 0;
  dls_heap heap = {0};
  partials found = {0};
  if (reverse(graph, e, leaf, &heap, &found)) {
    dls_graph_spoil(graph, DLS_ERR_MEMORY);
    found.count = 0;
  }
  if (found.count > 1) qsort(found.list, (size_t)found.count, sizeof *found.list, by_index);
  for (ptrdiff_t k = 0; k < found.count && k < count; k++) {
    index[k] = found.list[k].index;
    derivative[k] = found.list[k].derivative;
  }
  dls_heap_free(&heap);
  free(found.list);
  return (int)found.count;
}

// What D follows.
static unsigned moving(const dls_graph *graph)
{
  const unsigned still = DLS_ON_TIME | DLS_ON_COORDINATES;
  return graph->accelerated ? still | DLS_ON_VELOCITIES : still;
}

static bool moves(const dls_graph *graph, dls_expr e)
{
  return (graph->traits[e] & moving(graph)) != 0;
}

// D of one node, from the remembered D of its arguments.
static dls_expr differentiate(dls_graph *graph, dls_expr e)
{
  const dls_node node = graph->nodes[e];
  if (node.op == DLS_OP_TIME) return graph->one;
  if (node.op == DLS_OP_COORDINATE) return dls_graph_leaf(graph, DLS_OP_VELOCITY, node.index);
  if (node.op == DLS_OP_VELOCITY) return dls_graph_leaf(graph, DLS_OP_INPUT, node.index);
  const dls_expr argument[3] = {node.a, node.b, node.c};
  dls_expr rate[3] = {0, 0, 0};
  for (int k = 0; k < 3 && argument[k] >= 0; k++)
    if (moves(graph, argument[k])) rate[k] = graph->rate[argument[k]];
  return along(graph, e, rate);
}

// The memory of D for all nodes made so far.
static int reserve_rates(dls_graph *graph)
{
  ptrdiff_t needed = graph->count;
  if (dls_grow((void **)&graph->rate, &graph->rate_capacity, needed, sizeof *graph->rate))
    return -1;
  while (graph->rate_count < needed) graph->rate[graph->rate_count++] = -1;
  return 0;
}

dls_expr dls_graph_time_derivative(dls_graph *graph, dls_expr e)
{
  assert(e >= 0 && e < graph->count);
  if (graph->status != DLS_OK || !moves(graph, e)) return 0;
  dls_heap order = {0};
  dls_expr result = 0;
  if (reserve_rates(graph)) {
    dls_graph_spoil(graph, DLS_ERR_MEMORY);
  } else if (graph->rate[e] >= 0) {
    result = graph->rate[e];
  } else if (collect(graph, e, moving(graph), graph->rate, &order)) {
    dls_graph_spoil(graph, DLS_ERR_MEMORY);
  } else {
    for (ptrdiff_t k = order.count; k-- > 0;)
      graph->rate[order.key[k]] = differentiate(graph, (dls_expr)order.key[k]);
    result = graph->status == DLS_OK ? graph->rate[e] : 0;
  }
  dls_heap_free(&order);
  return result;
}

void dls_graph_accelerate(dls_graph *graph)
{
  graph->accelerated = true;
  graph->rate_count = 0;
}
