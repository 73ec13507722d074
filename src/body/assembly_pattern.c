// Patterns of a system of bodies, and what its contacts are.
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

// ---- the set of contacts ------------------------------------------------------------------------

static dls_contact_info info_of(const dls_body_row *row, int index)
{
  const bool dry = row->kind == DLS_BODY_ROW_DRY, closure = row->kind == DLS_BODY_ROW_CLOSURE;
  return (dls_contact_info){.name = row->name,
                            .kind = dry || closure ? DLS_BILATERAL : DLS_UNILATERAL,
                            .tangents = dry,
                            .bounded = dry,
                            .dry = dry,
                            .id = dry || closure ? 0 : (uint64_t)index + 1};
}

// One column of a pattern more.
static void put_column(const dls_assembly *a, int measure, int *p, int *i, int *columns)
{
  const dls_measure *m = a->measures.measure + measure;
  const int *velocity = dls_measure_velocities(&a->measures, measure);
  const int begin = p[*columns];
  dls_copy(i + begin, velocity, m->count);
  p[++*columns] = begin + m->count;
}

dls_status dls_assembly_rows(dls_assembly *a, dls_message *message)
{
  dls_system *s = &a->system;
  ptrdiff_t entries = 1;
  for (int k = 0; k < a->rows; k++) entries += a->measures.measure[a->row[k].measure].count;
  if (entries > INT32_MAX) return dls_fail(message, DLS_ERR_LIMIT, "too many rows of joints");
  const ptrdiff_t rows = (ptrdiff_t)a->rows + 1;
  a->info = dls_arena_alloc(a->arena, rows, sizeof *a->info);
  a->normal_p = dls_arena_alloc(a->arena, rows, sizeof(int));
  a->tangent_p = dls_arena_alloc(a->arena, rows, sizeof(int));
  a->normal_i = dls_arena_alloc(a->arena, entries, sizeof(int));
  a->tangent_i = dls_arena_alloc(a->arena, entries, sizeof(int));
  if (!a->info || !a->normal_p || !a->tangent_p || !a->normal_i || !a->tangent_i)
    return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  s->m = s->tangents = 0;
  for (int k = 0; k < a->rows; k++) {
    const dls_body_row *row = a->row + k;
    a->info[k] = info_of(row, k);
    if (row->kind == DLS_BODY_ROW_DRY) {
      a->normal_p[s->m + 1] = a->normal_p[s->m], s->m++;
      put_column(a, row->measure, a->tangent_p, a->tangent_i, &s->tangents);
    } else {
      put_column(a, row->measure, a->normal_p, a->normal_i, &s->m);
    }
  }
  s->contacts = a->info;
  s->normal = (dls_pattern){s->n, s->m, a->normal_p, a->normal_i};
  s->tangent = (dls_pattern){s->n, s->tangents, a->tangent_p, a->tangent_i};
  return DLS_OK;
}
