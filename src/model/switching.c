#include "model/switching.h"

#include "base/memory.h"
#include "base/message.h"
#include "model/nonfinite.h"

#include <math.h>
#include <stdlib.h>

enum { VARIES = DLS_ON_TIME | DLS_ON_COORDINATES | DLS_ON_VELOCITIES };

typedef struct builder {
  dls_graph *graph;
  dls_switching *made;
  int first;       // number of the first branch among the inputs
  int size;        // nodes of the graph before it grew
  bool *used;      // size: the forces are made of it
  dls_expr *now;   // size: what stands for it
  int *branch[2];  // per node s: its branch by sign and by floor, plus 1
  ptrdiff_t capacity[2];
  ptrdiff_t decides, floors, jumps;  // capacities
  bool failed;
} builder;

static bool switches(dls_op op)
{
  return op >= DLS_OP_ABS && op <= DLS_OP_NOT_EQUAL;
}

static bool jumps(dls_op op)
{
  return op == DLS_OP_SIGN || op == DLS_OP_FLOOR || op >= DLS_OP_LESS;
}

// Grows the table to the nodes that there are; false when memory runs out.
static bool reach(builder *b, int kind)
{
  const ptrdiff_t old = b->capacity[kind];
  if (dls_grow((void **)&b->branch[kind], &b->capacity[kind], dls_graph_size(b->graph),
               sizeof **b->branch))
    return false;
  dls_clear(b->branch[kind] + old, b->capacity[kind] - old);
  return true;
}

// The branch that s decides, as an input.
static dls_expr branch_of(builder *b, dls_expr s, dls_op op)
{
  dls_switching *made = b->made;
  const int kind = op == DLS_OP_FLOOR, next = made->count;
  if (!reach(b, kind)) {
    b->failed = true;
    return 0;
  }
  int *number = &b->branch[kind][s];
  if (*number == 0) {
    if (dls_grow((void **)&made->decides, &b->decides, next + 1, sizeof *made->decides) ||
        dls_grow((void **)&made->floors, &b->floors, next + 1, 1) ||
        dls_grow((void **)&made->jumps, &b->jumps, next + 1, 1)) {
      b->failed = true;
      return 0;
    }
    made->decides[next] = s;
    made->floors[next] = kind == 1;
    made->jumps[next] = 0;
    *number = ++made->count;
  }
  made->jumps[*number - 1] |= jumps(op);
  return dls_graph_leaf(b->graph, DLS_OP_INPUT, b->first + *number - 1);
}

// What stands for a function that switches; x, y: what stands for its arguments.    eq (swi.1)
static dls_expr hold(builder *b, const dls_node *node, dls_expr x, dls_expr y)
{
  dls_graph *graph = b->graph;
  const bool one = node->b < 0;
  const dls_expr s = one ? node->a : dls_graph_make(graph, DLS_OP_SUB, node->b, node->a, -1);
  const dls_expr branch = branch_of(b, s, node->op), zero = dls_graph_constant(graph, 0);
  switch (node->op) {
  case DLS_OP_ABS: return dls_graph_make(graph, DLS_OP_MUL, branch, x, -1);
  case DLS_OP_LESS:
  case DLS_OP_LESS_EQUAL:
  case DLS_OP_EQUAL:
  case DLS_OP_NOT_EQUAL: return dls_graph_make(graph, node->op, zero, branch, -1);
  case DLS_OP_MIN:
  case DLS_OP_MAX: {
    const dls_expr rising = dls_graph_make(graph, DLS_OP_LESS_EQUAL, zero, branch, -1);
    const bool smaller = node->op == DLS_OP_MIN;
    return dls_graph_make(graph, DLS_OP_IF, rising, smaller ? x : y, smaller ? y : x);
  }
  default: return branch;
  }
}

static dls_expr now_of(const builder *b, dls_expr e)
{
  return e < 0 ? -1 : b->now[e];
}

static void replace(builder *b, dls_expr e)
{
  const dls_node node = *dls_graph_node(b->graph, e);
  const dls_expr x = now_of(b, node.a), y = now_of(b, node.b), z = now_of(b, node.c);
  b->now[e] = e;
  if (switches(node.op) && dls_graph_depends(b->graph, e) & VARIES)
    b->now[e] = hold(b, &node, x, y);
  else if (x != node.a || y != node.b || z != node.c)
    b->now[e] = dls_graph_make(b->graph, node.op, x, y, z);
}

static void replace_all(builder *b, const dls_lagrangian *l)
{
  for (int i = 0; i < l->n; i++) b->used[l->force[i]] = true;
  for (dls_expr e = b->size - 1; e >= 0; e--) {
    const dls_node *node = dls_graph_node(b->graph, e);
    if (!b->used[e]) continue;
    if (node->a >= 0) b->used[node->a] = true;
    if (node->b >= 0) b->used[node->b] = true;
    if (node->c >= 0) b->used[node->c] = true;
  }
  for (dls_expr e = 0; e < b->size && !b->failed; e++)
    if (b->used[e]) replace(b, e);
  for (int i = 0; i < l->n; i++) b->made->force[i] = b->now[l->force[i]];
}

static bool any_switches(const dls_graph *graph, const dls_lagrangian *l)
{
  for (int i = 0; i < l->n; i++)
    if (dls_graph_nonsmooth(graph, l->force[i]) >= 0) return true;
  return false;
}

static dls_status build(builder *b, const dls_lagrangian *l)
{
  b->made->force = dls_alloc(l->n, sizeof *b->made->force);
  b->used = dls_alloc(b->size, sizeof *b->used);
  b->now = dls_alloc(b->size, sizeof *b->now);
  if (!b->made->force || !b->used || !b->now) return DLS_ERR_MEMORY;
  replace_all(b, l);
  if (b->failed) return DLS_ERR_MEMORY;
  if (dls_graph_status(b->graph) != DLS_OK) return dls_graph_status(b->graph);
  return dls_tape_compile(b->graph, l->n, l->parameters, 0, b->made->decides, b->made->count,
                          &b->made->tape);
}

dls_status dls_switching_build(dls_graph *graph, const dls_lagrangian *l, dls_switching **out)
{
  *out = NULL;
  if (!any_switches(graph, l)) return DLS_OK;
  builder b = {.graph = graph, .size = dls_graph_size(graph), .made = dls_alloc(1, sizeof *b.made)};
  if (!b.made) return DLS_ERR_MEMORY;
  b.first = l->n + l->m;
  for (int k = 0; k < l->m; k++) b.first += l->contacts[k].info.tangents;
  const dls_status status = build(&b, l);
  free(b.used);
  free(b.now);
  free(b.branch[0]);
  free(b.branch[1]);
  if (status == DLS_OK) *out = b.made;
  else dls_switching_free(b.made);
  return status;
}

void dls_switching_free(dls_switching *switching)
{
  if (!switching) return;
  free(switching->decides);
  free(switching->floors);
  free(switching->jumps);
  free(switching->force);
  dls_tape_free(switching->tape);
  free(switching);
}

// --- at a point ---

dls_status dls_branches_create(const dls_switching *switching, const dls_lagrangian *lagrangian,
                               dls_branches **out)
{
  *out = NULL;
  if (!switching) return DLS_OK;
  dls_branches *made = dls_alloc(1, sizeof *made);
  if (!made) return DLS_ERR_MEMORY;
  *made = (dls_branches){.switching = switching,
                         .coordinates = lagrangian->coordinates,
                         .n = lagrangian->n,
                         .branch = dls_alloc(switching->count, sizeof *made->branch),
                         .slot = dls_alloc(dls_tape_slots(switching->tape), sizeof *made->slot)};
  if (!made->branch || !made->slot) {
    dls_branches_free(made);
    return DLS_ERR_MEMORY;
  }
  *out = made;
  return DLS_OK;
}

void dls_branches_free(dls_branches *branches)
{
  if (!branches) return;
  free(branches->branch);
  free(branches->slot);
  free(branches);
}

void dls_branches_start(dls_branches *branches, const double *parameters)
{
  dls_tape_start(branches->switching->tape, parameters, branches->slot);
}

// s at (t, q, v)
static dls_status decide(dls_branches *b, double t, const double *q, const double *v, double *s,
                         dls_message *message)
{
  const dls_switching *switching = b->switching;
  if (!dls_tape_run(switching->tape, t, q, v, b->slot))
    return dls_nonfinite_state(b->coordinates, b->n, t, q, v, message);
  if (dls_tape_gather(switching->tape, 0, switching->count, b->slot, s)) return DLS_OK;
  const int k = dls_nonfinite_find(s, switching->count);
  return dls_fail(message, DLS_ERR_NUMBER,
                  "what a force decides by (sign, abs, floor, min, max, a comparison) is %s",
                  dls_nonfinite_word(s[k]));
}

dls_status dls_branches_at(dls_branches *b, double t, const double *q, const double *v,
                           double *branch, dls_message *message)
{
  const dls_status status = decide(b, t, q, v, branch, message);
  for (int k = 0; k < b->switching->count && status == DLS_OK; k++)
    branch[k] = b->switching->floors[k] ? floor(branch[k]) : (branch[k] > 0) - (branch[k] < 0);
  return status;
}

dls_status dls_branches_margins(dls_branches *b, double t, const double *q, const double *v,
                                const double *branch, double *margin, dls_message *message)
{
  const dls_status status = decide(b, t, q, v, margin, message);
  for (int k = 0; k < b->switching->count && status == DLS_OK; k++) {
    const double s = margin[k];
    margin[k] = b->switching->floors[k] ? (s - branch[k]) * (branch[k] + 1 - s)
                : branch[k] != 0        ? branch[k] * s
                                        : -fabs(s);
  }
  return status;
}
