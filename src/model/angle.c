// Which coordinates are angles: there are no units, but what stands in a sine has none.
#include "base/memory.h"
#include "model/analysis.h"

#include <stdlib.h>

static bool is_constant(const dls_graph *graph, dls_expr e)
{
  return dls_graph_node(graph, e)->op == DLS_OP_CONSTANT;
}

// The operands whose unit is that of a node: of sums all, of multiples by a number the other one. A
// multiple by a parameter may have another.
static void pass_on(const dls_graph *graph, const dls_node *x, bool *dimensionless)
{
  switch (x->op) {
  case DLS_OP_ADD:
  case DLS_OP_SUB: dimensionless[x->a] = dimensionless[x->b] = true; break;
  case DLS_OP_NEG: dimensionless[x->a] = true; break;
  case DLS_OP_MUL:
    if (is_constant(graph, x->a)) dimensionless[x->b] = true;
    if (is_constant(graph, x->b)) dimensionless[x->a] = true;
    break;
  case DLS_OP_DIV:
    if (is_constant(graph, x->b)) dimensionless[x->a] = true;
    break;
  default: break;
  }
}

bool dls_find_angles(dls_model *model)
{
  const dls_graph *graph = model->equations.graph;
  const int nodes = dls_graph_size(graph);
  bool *dimensionless = dls_alloc(nodes, sizeof *dimensionless);
  model->angle = dls_arena_alloc(model->arena, (ptrdiff_t)model->source.coordinates.count + 1,
                                 sizeof *model->angle);
  if (!dimensionless || !model->angle) {
    free(dimensionless);
    return false;
  }
  // operands come before what is made of them
  for (dls_expr e = nodes - 1; e >= 0; e--) {
    const dls_node *x = dls_graph_node(graph, e);
    if (x->op == DLS_OP_SIN || x->op == DLS_OP_COS || x->op == DLS_OP_TAN)
      dimensionless[x->a] = true;
    if (!dimensionless[e]) continue;
    if (x->op == DLS_OP_COORDINATE) model->angle[x->index] = true;
    pass_on(graph, x, dimensionless);
  }
  free(dimensionless);
  return true;
}

bool dls_model_is_angle(const dls_model *model, int coordinate)
{
  return coordinate >= 0 && coordinate < model->source.coordinates.count &&
         model->angle[coordinate];
}
