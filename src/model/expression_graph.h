// Expressions as one shared graph: equal expressions are the same node (hash-consing), simplified
// as they are made. The arguments of a node always have smaller numbers, so that every pass over
// the graph is a loop, never a recursion.
#ifndef DLS_MODEL_EXPRESSION_GRAPH_H
#define DLS_MODEL_EXPRESSION_GRAPH_H

#include <delassus/status.h>
#include <stdbool.h>

typedef int dls_expr;  // a node of the graph

typedef enum dls_op {
  // leaves
  DLS_OP_CONSTANT,   // value
  DLS_OP_PARAMETER,  // index
  DLS_OP_TIME,
  DLS_OP_COORDINATE,  // index
  DLS_OP_VELOCITY,    // index
  DLS_OP_INPUT,       // index: a further variable, such as an acceleration or a force
  // arithmetic
  DLS_OP_ADD,
  DLS_OP_SUB,
  DLS_OP_MUL,
  DLS_OP_DIV,
  DLS_OP_POW,
  DLS_OP_NEG,
  // functions
  DLS_OP_SIN,
  DLS_OP_COS,
  DLS_OP_TAN,
  DLS_OP_ASIN,
  DLS_OP_ACOS,
  DLS_OP_ATAN,
  DLS_OP_ATAN2,
  DLS_OP_SINH,
  DLS_OP_COSH,
  DLS_OP_TANH,
  DLS_OP_EXP,
  DLS_OP_LOG,
  DLS_OP_LOG2,
  DLS_OP_SQRT,
  // without a derivative everywhere
  DLS_OP_ABS,
  DLS_OP_SIGN,
  DLS_OP_FLOOR,
  DLS_OP_MIN,
  DLS_OP_MAX,
  DLS_OP_LESS,  // a < b: 1 or 0
  DLS_OP_LESS_EQUAL,
  DLS_OP_EQUAL,
  DLS_OP_NOT_EQUAL,
  DLS_OP_IF,  // three arguments: a != 0 ? b : c
  DLS_OP_COUNT
} dls_op;

typedef struct dls_node {
  dls_op op;
  int index;         // of a parameter, coordinate, velocity or input
  dls_expr a, b, c;  // arguments, -1 where there is none
  float error;       // of a constant: relative, in units of 2^-53; 0 when it is exact
  double value;      // of a constant
} dls_node;

typedef struct dls_graph dls_graph;

// What an expression depends on, as bits.
enum {
  DLS_ON_PARAMETERS = 1,
  DLS_ON_TIME = 2,
  DLS_ON_COORDINATES = 4,
  DLS_ON_VELOCITIES = 8,
  DLS_ON_INPUTS = 16,
};

dls_status dls_graph_create(dls_graph **graph);
dls_status dls_graph_copy(const dls_graph *graph, dls_graph **copy);  // equal numbers of the nodes
void dls_graph_free(dls_graph *graph);

// Once memory or the node limit runs out the graph is spoilt: it stays so, and makers return node
// 0. Callers build on and ask once, at the end.
dls_status dls_graph_status(const dls_graph *graph);

int dls_graph_size(const dls_graph *graph);
const dls_node *dls_graph_node(const dls_graph *graph, dls_expr e);  // valid until the next maker

// Makers. dls_graph_make is for any op with arguments (pass -1 for those it has not).
// Simplification keeps the value up to rounding wherever it is finite; it may multiply in another
// order. Only x * 0, x - x, x ^ 0 and equal branches drop an expression, so that a model that
// divides by zero still fails when it is evaluated. Arguments out of range are asserted.
dls_expr dls_graph_constant(dls_graph *graph, double value);
dls_expr dls_graph_leaf(dls_graph *graph, dls_op op, int index);
dls_expr dls_graph_make(dls_graph *graph, dls_op op, dls_expr a, dls_expr b, dls_expr c);
int dls_op_arguments(dls_op op);

// The value of one operation. NaN in an argument that is used gives NaN, also through
// comparisons and selections.
double dls_op_apply(dls_op op, double a, double b, double c);

unsigned dls_graph_depends(const dls_graph *graph, dls_expr e);
bool dls_graph_is_zero(const dls_graph *graph, dls_expr e);

// Degree as a polynomial in the velocities: 0, 1, 2, or 3 for anything higher or not polynomial.
int dls_graph_velocity_degree(const dls_graph *graph, dls_expr e);

// A node below e (or e itself) whose op has no derivative although its arguments depend on time,
// coordinates or velocities; -1 if there is none. A DLS_OP_IF counts by its condition alone.
dls_expr dls_graph_nonsmooth(const dls_graph *graph, dls_expr e);

// Direct evaluation of one expression without inputs, for initial values, states and parameters;
// arrays may be NULL where the expression does not depend on them. NaN when memory runs out.
double dls_graph_evaluate(const dls_graph *graph, dls_expr e, const double *parameters, double t,
                          const double *q, const double *v);

// All nonzero derivatives of e with respect to the leaves of one kind (DLS_OP_COORDINATE or
// DLS_OP_VELOCITY), by one reverse pass. Writes at most count pairs in increasing index; returns
// how many there are.  index, derivative: count entries each. The derivative of a selection is that
// of the branch at hand, whatever the other branch is worth there; floor, sign and comparisons
// have none.
int dls_graph_gradient(dls_graph *graph, dls_expr e, dls_op leaf, int count, int *index,
                       dls_expr *derivative);

// The total time derivative with v' = 0:  D[e] = sum e_q v + e_t.  Remembered per node.
dls_expr dls_graph_time_derivative(dls_graph *graph, dls_expr e);

// From now on with v'_j = input j:  D[e] = sum e_q v + e_v v' + e_t.
void dls_graph_accelerate(dls_graph *graph);

#endif
