// The inside of the expression graph, shared by the files of the graph and by nobody else.
#ifndef DLS_MODEL_EXPRESSION_GRAPH_INTERNAL_H
#define DLS_MODEL_EXPRESSION_GRAPH_INTERNAL_H

#include "model/expression_graph.h"
#include <stddef.h>
#include <stdint.h>

#define DLS_GRAPH_NODE_LIMIT 10000000
#define DLS_GRAPH_EFFORT_LIMIT 40000000  // nodes met while differentiating

// What is known of a node from its arguments, computed once when it is made.
enum {
  DLS_TRAIT_DEPENDS = 31,      // the bits of dls_graph_depends
  DLS_TRAIT_DEGREE_SHIFT = 5,  // two bits: velocity degree
  DLS_TRAIT_NONSMOOTH = 128,   // this node has no derivative
  DLS_TRAIT_NONSMOOTH_BELOW = 256,
};

struct dls_graph {
  dls_node *nodes;
  uint16_t *traits;
  ptrdiff_t node_capacity, trait_capacity;
  int count;
  int limit;   // DLS_GRAPH_NODE_LIMIT, smaller in tests
  int *table;  // open addressing, -1 is empty; a power of two, at most half full
  ptrdiff_t table_size;
  dls_expr *rate;  // total time derivative per node, -1 unknown
  ptrdiff_t rate_capacity, rate_count;
  ptrdiff_t effort;  // nodes met while differentiating
  bool accelerated;  // its D has v'_j = input j, not 0
  dls_expr one, minus_one;
  dls_status status;
};

// The node with these fields, made when it does not exist: no simplification.
dls_expr dls_graph_intern(dls_graph *graph, const dls_node *node);

// Marks the graph as spoilt; returns node 0.
dls_expr dls_graph_spoil(dls_graph *graph, dls_status status);

static inline dls_expr dls_graph_two(dls_graph *graph, dls_op op, dls_expr a, dls_expr b)
{
  return dls_graph_make(graph, op, a, b, -1);
}

static inline dls_expr dls_graph_one(dls_graph *graph, dls_op op, dls_expr a)
{
  return dls_graph_make(graph, op, a, -1, -1);
}

// Depends on more than parameters.
static inline bool dls_graph_varies(const dls_graph *graph, dls_expr e)
{
  return (graph->traits[e] & DLS_TRAIT_DEPENDS & ~DLS_ON_PARAMETERS) != 0;
}

// A heap that gives the largest key first. Keys begin with a node number, so that nodes come out
// after everything that uses them, and equal nodes one after the other.
typedef struct dls_heap {
  uint64_t *key;
  ptrdiff_t count, capacity;
} dls_heap;

int dls_heap_push(dls_heap *heap, uint64_t key);  // 0, or -1 when memory runs out
uint64_t dls_heap_pop(dls_heap *heap);
void dls_heap_free(dls_heap *heap);

// First-order bound of the absolute error of r = op(x[0], x[1], x[2]) computed in double, when the
// arguments carry the absolute errors error[].
double dls_op_error(dls_op op, const double x[3], const double error[3], double r);

// 2^-53, the unit roundoff.
#define DLS_ROUNDOFF 1.1102230246251565e-16

#endif
