// Forces that jump where a velocity changes its sign: friction written as a force.
#include <delassus/model.h>

#include "base/memory.h"
#include "model/analysis.h"

#include <stdlib.h>

static bool jumps(dls_op op)
{
  return op == DLS_OP_SIGN || op == DLS_OP_FLOOR || op == DLS_OP_LESS || op == DLS_OP_LESS_EQUAL ||
         op == DLS_OP_EQUAL || op == DLS_OP_NOT_EQUAL;
}

// Marks what the forces are made of, from the last node down, until one jumps.
static bool find(const dls_graph *graph, bool *used)
{
  for (dls_expr e = dls_graph_size(graph) - 1; e >= 0; e--) {
    const dls_node *node = dls_graph_node(graph, e);
    if (!used[e]) continue;
    if (jumps(node->op) && dls_graph_depends(graph, e) & DLS_ON_VELOCITIES) return true;
    if (node->a >= 0) used[node->a] = true;
    if (node->b >= 0) used[node->b] = true;
    if (node->c >= 0) used[node->c] = true;
  }
  return false;
}

bool dls_model_force_jumps(const dls_model *model)
{
  const dls_graph *graph = model ? model->equations.graph : NULL;
  bool *used = graph ? dls_alloc(dls_graph_size(graph), sizeof *used) : NULL;
  if (!used) return false;
  const dls_lagrangian *l = &model->equations.lagrangian;
  for (int i = 0; i < l->n; i++) used[l->force[i]] = true;
  const bool found = find(graph, used);
  free(used);
  return found;
}
