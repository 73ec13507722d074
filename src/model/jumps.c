// Forces that jump where a velocity changes its sign: friction written as a force.
#include <delassus/model.h>

#include "model/analysis.h"

bool dls_model_force_jumps(const dls_model *model)
{
  const dls_switching *switching = model ? model->equations.switching : NULL;
  for (int k = 0; switching && k < switching->count; k++) {
    const unsigned by = dls_graph_depends(model->equations.graph, switching->decides[k]);
    if (switching->jumps[k] && by & DLS_ON_VELOCITIES) return true;
  }
  return false;
}
