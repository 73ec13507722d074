// The graph's storage: nodes, hash-consing, what is known of each node, evaluation.
#include "model/expression_graph_internal.h"
#include "base/memory.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

dls_status dls_graph_create(dls_graph **out)
{
  dls_graph *graph = dls_alloc(1, sizeof *graph);
  *out = NULL;
  if (!graph) return DLS_ERR_MEMORY;
  graph->limit = DLS_GRAPH_NODE_LIMIT;
  graph->table_size = 1024;
  graph->table = dls_alloc(graph->table_size, sizeof *graph->table);
  if (!graph->table) {
    dls_graph_free(graph);
    return DLS_ERR_MEMORY;
  }
  for (ptrdiff_t k = 0; k < graph->table_size; k++) graph->table[k] = -1;

  // node 0 is the constant 0: what makers of a spoilt graph return
  dls_graph_constant(graph, 0);
  graph->one = dls_graph_constant(graph, 1);
  graph->minus_one = dls_graph_constant(graph, -1);
  if (graph->status != DLS_OK) {
    dls_graph_free(graph);
    return DLS_ERR_MEMORY;
  }
  *out = graph;
  return DLS_OK;
}

dls_status dls_graph_copy(const dls_graph *graph, dls_graph **out)
{
  *out = NULL;
  if (graph->status != DLS_OK) return graph->status;
  dls_graph *copy = dls_alloc(1, sizeof *copy);
  if (!copy) return DLS_ERR_MEMORY;
  const ptrdiff_t count = graph->count;
  *copy = (dls_graph){.count = graph->count,
                      .limit = graph->limit,
                      .table_size = graph->table_size,
                      .one = graph->one,
                      .minus_one = graph->minus_one,
                      .accelerated = graph->accelerated};
  copy->table = dls_alloc(graph->table_size, sizeof *copy->table);
  if (!copy->table ||
      dls_grow((void **)&copy->nodes, &copy->node_capacity, count, sizeof *copy->nodes) ||
      dls_grow((void **)&copy->traits, &copy->trait_capacity, count, sizeof *copy->traits)) {
    dls_graph_free(copy);
    return DLS_ERR_MEMORY;
  }
  dls_copy(copy->table, graph->table, graph->table_size);
  dls_copy(copy->nodes, graph->nodes, count);
  dls_copy(copy->traits, graph->traits, count);
  *out = copy;
  return DLS_OK;
}

void dls_graph_free(dls_graph *graph)
{
  if (!graph) return;
  free(graph->nodes);
  free(graph->traits);
  free(graph->table);
  free(graph->rate);
  free(graph);
}

dls_status dls_graph_status(const dls_graph *graph)
{
  return graph->status;
}

dls_expr dls_graph_spoil(dls_graph *graph, dls_status status)
{
  if (graph->status == DLS_OK) graph->status = status;
  return 0;
}

int dls_graph_size(const dls_graph *graph)
{
  return graph->count;
}

const dls_node *dls_graph_node(const dls_graph *graph, dls_expr e)
{
  assert(e >= 0 && e < graph->count);
  return &graph->nodes[e];
}

unsigned dls_graph_depends(const dls_graph *graph, dls_expr e)
{
  assert(e >= 0 && e < graph->count);
  return graph->traits[e] & DLS_TRAIT_DEPENDS;
}

bool dls_graph_is_zero(const dls_graph *graph, dls_expr e)
{
  assert(e >= 0 && e < graph->count);
  return graph->nodes[e].op == DLS_OP_CONSTANT && graph->nodes[e].value == 0;
}

int dls_graph_velocity_degree(const dls_graph *graph, dls_expr e)
{
  assert(e >= 0 && e < graph->count);
  return (graph->traits[e] >> DLS_TRAIT_DEGREE_SHIFT) & 3;
}

dls_expr dls_graph_nonsmooth(const dls_graph *graph, dls_expr e)
{
  assert(e >= 0 && e < graph->count);
  if (!(graph->traits[e] & (DLS_TRAIT_NONSMOOTH | DLS_TRAIT_NONSMOOTH_BELOW))) return -1;
  // the deepest one: what the user wrote, not what is made of it
  while (graph->traits[e] & DLS_TRAIT_NONSMOOTH_BELOW) {
    const dls_node *node = &graph->nodes[e];
    const dls_expr argument[3] = {node->a, node->b, node->c};
    for (int k = 0; k < 3; k++) {
      dls_expr x = argument[k];
      if (x < 0 || !(graph->traits[x] & (DLS_TRAIT_NONSMOOTH | DLS_TRAIT_NONSMOOTH_BELOW)))
        continue;
      e = x;
      break;
    }
  }
  return e;
}

static int degree_of(const dls_graph *graph, const dls_node *node)
{
  const dls_expr argument[3] = {node->a, node->b, node->c};
  int degree[3] = {0, 0, 0}, most = 0;
  for (int k = 0; k < 3 && argument[k] >= 0; k++) {
    degree[k] = dls_graph_velocity_degree(graph, argument[k]);
    if (degree[k] > most) most = degree[k];
  }
  int result = most > 0 ? 3 : 0;
  switch (node->op) {
  case DLS_OP_VELOCITY: return 1;
  case DLS_OP_ADD:
  case DLS_OP_SUB:
  case DLS_OP_NEG: return most;
  case DLS_OP_MUL: result = degree[0] + degree[1]; break;
  case DLS_OP_DIV:
    if (degree[1] == 0) result = degree[0];
    break;
  case DLS_OP_POW: {
    const dls_node *exponent = &graph->nodes[node->b];
    if (exponent->op != DLS_OP_CONSTANT || degree[0] == 0) break;
    if (exponent->value == 2 || exponent->value == 3) result = degree[0] * (int)exponent->value;
    break;
  }
  case DLS_OP_IF:
    if (degree[0] == 0) result = most;
    break;
  default: break;
  }
  return result < 3 ? result : 3;
}

static unsigned traits_of(const dls_graph *graph, const dls_node *node)
{
  const dls_expr argument[3] = {node->a, node->b, node->c};
  unsigned depends = 0, below = 0;
  switch (node->op) {
  case DLS_OP_PARAMETER: depends = DLS_ON_PARAMETERS; break;
  case DLS_OP_TIME: depends = DLS_ON_TIME; break;
  case DLS_OP_COORDINATE: depends = DLS_ON_COORDINATES; break;
  case DLS_OP_VELOCITY: depends = DLS_ON_VELOCITIES; break;
  case DLS_OP_INPUT: depends = DLS_ON_INPUTS; break;
  default: break;
  }
  for (int k = 0; k < 3 && argument[k] >= 0; k++) {
    unsigned traits = graph->traits[argument[k]];
    depends |= traits & DLS_TRAIT_DEPENDS;
    below |= traits & (DLS_TRAIT_NONSMOOTH | DLS_TRAIT_NONSMOOTH_BELOW);
  }
  // a selection by parameters alone is one of its branches, and as smooth
  unsigned decides = node->op == DLS_OP_IF ? graph->traits[node->a] & DLS_TRAIT_DEPENDS : depends;
  bool nonsmooth = node->op >= DLS_OP_ABS && (decides & ~(unsigned)DLS_ON_PARAMETERS) != 0;
  unsigned degree = (unsigned)degree_of(graph, node);
  return depends | degree << DLS_TRAIT_DEGREE_SHIFT | (nonsmooth ? DLS_TRAIT_NONSMOOTH : 0) |
         (below ? DLS_TRAIT_NONSMOOTH_BELOW : 0);
}

static ptrdiff_t hash_of(const dls_node *node)
{
  uint64_t bits, h = 0x9e3779b97f4a7c15u;
  uint32_t error;
  memcpy(&bits, &node->value, sizeof bits);
  memcpy(&error, &node->error, sizeof error);
  const uint64_t word[4] = {(uint64_t)node->op << 32 | (uint32_t)node->index,
                            (uint64_t)(uint32_t)node->a << 32 | (uint32_t)node->b,
                            (uint64_t)error << 32 | (uint32_t)node->c, bits};
  for (int k = 0; k < 4; k++) {
    h = (h ^ word[k]) * 0xff51afd7ed558ccdu;
    h ^= h >> 32;
  }
  return (ptrdiff_t)h;
}

static bool same(const dls_node *x, const dls_node *y)
{
  return x->op == y->op && x->index == y->index && x->a == y->a && x->b == y->b && x->c == y->c &&
         memcmp(&x->error, &y->error, sizeof x->error) == 0 &&
         memcmp(&x->value, &y->value, sizeof x->value) == 0;
}

static int enlarge_table(dls_graph *graph)
{
  ptrdiff_t size = 2 * graph->table_size;
  int *table = dls_alloc(size, sizeof *table);
  if (!table) return -1;
  for (ptrdiff_t k = 0; k < size; k++) table[k] = -1;
  for (int e = 0; e < graph->count; e++) {
    ptrdiff_t slot = hash_of(&graph->nodes[e]) & (size - 1);
    while (table[slot] >= 0) slot = (slot + 1) & (size - 1);
    table[slot] = e;
  }
  free(graph->table);
  graph->table = table;
  graph->table_size = size;
  return 0;
}

dls_expr dls_graph_intern(dls_graph *graph, const dls_node *node)
{
  if (graph->status != DLS_OK) return 0;
  ptrdiff_t mask = graph->table_size - 1, slot = hash_of(node) & mask;
  for (; graph->table[slot] >= 0; slot = (slot + 1) & mask)
    if (same(&graph->nodes[graph->table[slot]], node)) return graph->table[slot];

  if (graph->count >= graph->limit) return dls_graph_spoil(graph, DLS_ERR_LIMIT);
  ptrdiff_t needed = (ptrdiff_t)graph->count + 1;
  if (dls_grow((void **)&graph->nodes, &graph->node_capacity, needed, sizeof *graph->nodes) ||
      dls_grow((void **)&graph->traits, &graph->trait_capacity, needed, sizeof *graph->traits))
    return dls_graph_spoil(graph, DLS_ERR_MEMORY);
  graph->nodes[graph->count] = *node;
  graph->traits[graph->count] = (uint16_t)traits_of(graph, node);
  graph->table[slot] = graph->count++;
  if (2 * needed > graph->table_size && enlarge_table(graph))
    return dls_graph_spoil(graph, DLS_ERR_MEMORY);
  return graph->count - 1;
}

dls_expr dls_graph_constant(dls_graph *graph, double value)
{
  // whole numbers and short binary fractions like 0.5 are meant as they are, 0.1 is rounded
  bool exact = (value == rint(value) && fabs(value) <= 9007199254740992.0) ||
               (fabs(value) < 1e30 && value == (double)(float)value);
  dls_node node = {.op = DLS_OP_CONSTANT, .error = exact ? 0 : 1, .a = -1, .b = -1, .c = -1};
  node.value = value == 0 ? 0 : value;  // one zero only
  return dls_graph_intern(graph, &node);
}

dls_expr dls_graph_leaf(dls_graph *graph, dls_op op, int index)
{
  assert(op > DLS_OP_CONSTANT && op <= DLS_OP_INPUT && index >= 0);
  dls_node node = {.op = op, .index = op == DLS_OP_TIME ? 0 : index, .a = -1, .b = -1, .c = -1};
  return dls_graph_intern(graph, &node);
}

int dls_heap_push(dls_heap *heap, uint64_t key)
{
  if (dls_grow((void **)&heap->key, &heap->capacity, heap->count + 1, sizeof *heap->key)) return -1;
  ptrdiff_t hole = heap->count++;
  while (hole > 0 && heap->key[(hole - 1) / 2] < key) {
    heap->key[hole] = heap->key[(hole - 1) / 2];
    hole = (hole - 1) / 2;
  }
  heap->key[hole] = key;
  return 0;
}

uint64_t dls_heap_pop(dls_heap *heap)
{
  assert(heap->count > 0);
  uint64_t top = heap->key[0], last = heap->key[--heap->count];
  ptrdiff_t hole = 0;
  for (;;) {
    ptrdiff_t child = 2 * hole + 1;
    if (child >= heap->count) break;
    if (child + 1 < heap->count && heap->key[child + 1] > heap->key[child]) child++;
    if (heap->key[child] <= last) break;
    heap->key[hole] = heap->key[child];
    hole = child;
  }
  heap->key[hole] = last;
  return top;
}

void dls_heap_free(dls_heap *heap)
{
  free(heap->key);
}

static double leaf_value(const dls_node *node, const double *parameters, double t, const double *q,
                         const double *v)
{
  switch (node->op) {
  case DLS_OP_CONSTANT: return node->value;
  case DLS_OP_PARAMETER: return parameters[node->index];
  case DLS_OP_TIME: return t;
  case DLS_OP_COORDINATE: return q[node->index];
  default: return v[node->index];
  }
}

// The nodes below e in decreasing order, ended by e's deepest leaf. Returns their number, 0 when
// memory runs out.
static ptrdiff_t collect(const dls_graph *graph, dls_expr e, dls_expr **list)
{
  dls_heap heap = {0};
  ptrdiff_t count = 0, capacity = 0;
  *list = NULL;
  bool failed = dls_heap_push(&heap, (uint64_t)e) != 0;
  while (!failed && heap.count > 0) {
    dls_expr x = (dls_expr)dls_heap_pop(&heap);
    if (count > 0 && (*list)[count - 1] == x) continue;
    if (dls_grow((void **)list, &capacity, count + 1, sizeof **list)) {
      failed = true;
      break;
    }
    (*list)[count++] = x;
    const dls_node *node = &graph->nodes[x];
    if (node->a >= 0) failed = failed || dls_heap_push(&heap, (uint64_t)node->a);
    if (node->b >= 0) failed = failed || dls_heap_push(&heap, (uint64_t)node->b);
    if (node->c >= 0) failed = failed || dls_heap_push(&heap, (uint64_t)node->c);
  }
  dls_heap_free(&heap);
  return failed ? 0 : count;
}

// The place of x in a decreasing list.
static ptrdiff_t place(const dls_expr *list, ptrdiff_t count, dls_expr x)
{
  ptrdiff_t low = 0, high = count - 1;
  while (low < high) {
    ptrdiff_t middle = (low + high) / 2;
    if (list[middle] > x) low = middle + 1;
    else high = middle;
  }
  return low;
}

double dls_graph_evaluate(const dls_graph *graph, dls_expr e, const double *parameters, double t,
                          const double *q, const double *v)
{
  assert(e >= 0 && e < graph->count);
  assert(!(graph->traits[e] & DLS_ON_INPUTS));
  if (graph->nodes[e].op <= DLS_OP_VELOCITY)
    return leaf_value(&graph->nodes[e], parameters, t, q, v);

  dls_expr *list;
  ptrdiff_t count = collect(graph, e, &list);
  double *value = count > 0 ? dls_alloc(count, sizeof *value) : NULL;
  double result = NAN;
  if (value) {
    for (ptrdiff_t k = count; k-- > 0;) {
      const dls_node *node = &graph->nodes[list[k]];
      if (node->op <= DLS_OP_VELOCITY) {
        value[k] = leaf_value(node, parameters, t, q, v);
        continue;
      }
      double a = value[place(list, count, node->a)];
      double b = node->b >= 0 ? value[place(list, count, node->b)] : 0;
      double c = node->c >= 0 ? value[place(list, count, node->c)] : 0;
      value[k] = dls_op_apply(node->op, a, b, c);
    }
    result = value[0];
  }
  free(value);
  free(list);
  return result;
}
