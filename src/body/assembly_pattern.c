// The pattern of M of a system of bodies.
#include "body/assembly.h"

#include "base/message.h"
#include "body/clique.h"

#include <stdlib.h>

// ---- M ------------------------------------------------------------------------------------------

// Armature along a measure couples all velocities that it depends on.
dls_status dls_assembly_mass_pattern(dls_assembly *a, dls_message *message)
{
  dls_cliques cliques = {0};
  const dls_pattern *base = &a->tree->mass;
  bool any = false, good = true;
  for (int k = 0; k < a->elements && good; k++) {
    if (!a->element[k].inert) continue;
    const dls_measure *m = a->measures.measure + a->element[k].measure;
    any = true;
    good = dls_cliques_add(&cliques, m->count,
                           dls_measure_velocities(&a->measures, a->element[k].measure));
  }
  a->system.mass = *base;
  dls_status status = good ? DLS_OK : dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  if (any && good) {
    status = dls_cliques_pattern(&cliques, base, &a->own_mass, message);
    if (status == DLS_OK) a->system.mass = a->own_mass;
  }
  dls_cliques_free(&cliques);
  if (!any || status != DLS_OK) return status;
  const ptrdiff_t entries = base->p[base->cols];
  a->mass_place = dls_arena_alloc(a->arena, entries + 1, sizeof(int));
  a->tree_M = dls_arena_alloc(a->arena, entries + 1, sizeof(double));
  a->tree_M_bound = dls_arena_alloc(a->arena, entries + 1, sizeof(double));
  if (!a->mass_place || !a->tree_M || !a->tree_M_bound)
    return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  for (int k = 0; k < base->cols; k++)
    for (int e = base->p[k], to = a->system.mass.p[k]; e < base->p[k + 1]; e++) {
      while (a->system.mass.i[to] != base->i[e]) to++;
      a->mass_place[e] = to;
    }
  return DLS_OK;
}
