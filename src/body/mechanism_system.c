// A mechanism as a system.
#include "body/assembly.h"

#include "base/message.h"
#include "body/clique.h"

#include <stdlib.h>

// ---- the chart ----------------------------------------------------------------------------------

static dls_status centre(void *self, const double *q, dls_message *message)
{
  return dls_tree_centre(((dls_assembly *)self)->tree, q, message);
}

static dls_status enter(void *self, const double *q, const double *v, double *x, double *x_dot)
{
  return dls_tree_enter(((dls_assembly *)self)->tree, q, v, x, x_dot);
}

static void leave(void *self, const double *x, const double *x_dot, double *q, double *v)
{
  dls_tree_leave(((dls_assembly *)self)->tree, x, x_dot, q, v);
}

// ---- made and freed -----------------------------------------------------------------------------

static void destroy(dls_system *system)
{
  dls_assembly *a = system->self;
  dls_assembly_slopes_free(a);
  free(a->touch_bend), free(a->column), free(a->info), free(a->normal_p), free(a->normal_i);
  free(a->tangent_p), free(a->tangent_i), free(a->turn_p), free(a->turn_i);
  dls_touching_free(&a->touching);
  dls_tree_free(a->tree);
  dls_measures_free(&a->measures);
  free(a->row), free(a->element), free(a->drive);
  free((int *)a->own_mass.p), free((int *)a->own_mass.i);
  dls_arena_free(a->arena);
  free(a);
}

static bool allocate_work(dls_assembly *a)
{
  const ptrdiff_t n = a->system.n;
  a->column_work = dls_arena_alloc(a->arena, n, sizeof *a->column_work);
  a->work_velocity = dls_arena_alloc(a->arena, n, sizeof *a->work_velocity);
  a->work_side = dls_arena_alloc(a->arena, n, 1);
  a->work_slope = dls_arena_alloc(a->arena, 2 * n, sizeof *a->work_slope);
  a->work_rate = dls_arena_alloc(a->arena, n, sizeof *a->work_rate);
  return a->column_work && a->work_velocity && a->work_side && a->work_slope && a->work_rate;
}

// Where solids may touch contacts come and go; else all there are are ends of ranges.
static dls_status begin_set(dls_assembly *a, int limits, dls_message *message)
{
  if (dls_touching_any(&a->touching)) {
    a->system.find = dls_assembly_find, a->system.select = dls_assembly_select,
    a->system.pass_degenerate = dls_assembly_pass_degenerate;
    return dls_assembly_select(a, 0, NULL, message);
  }
  uint64_t *id = dls_alloc(limits, sizeof *id);
  if (!id) return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  for (int k = 0; k < limits; k++) id[k] = (uint64_t)k + 1;
  const dls_status status = dls_assembly_select(a, limits, id, message);
  free(id);
  return status;
}

static dls_status build(dls_assembly *a, const dls_mechanism *mechanism, dls_coordinates_kind kind,
                        dls_message *message)
{
  if (dls_expanded_create(mechanism, kind, a->arena, &a->expanded) != DLS_OK)
    return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  dls_status status = dls_tree_create(&a->expanded.mechanism, &a->tree, message);
  if (status != DLS_OK) return status;
  if (a->tree->n == 0)
    return dls_fail(message, DLS_ERR_MODEL, "nothing can move: no body has a joint");
  a->system.n = a->tree->n, a->system.coordinates = a->tree->velocities;
  a->chart = (dls_chart){a->tree->nq, a->tree->configurations, centre, enter, leave};
  status = dls_assembly_build(a, mechanism, message);
  if (status == DLS_OK) status = dls_assembly_read(a, mechanism, message);
  if (status == DLS_OK) status = dls_assembly_mass_pattern(a, message);
  if (status != DLS_OK) return status;
  const int limits = a->rows - a->bilateral;
  if (!allocate_work(a)) return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  status = dls_touching_create(&a->touching, mechanism, &a->expanded, a->tree, limits + 1, a->arena,
                               message);
  return status == DLS_OK ? begin_set(a, limits, message) : status;
}

dls_status dls_mechanism_system(const dls_mechanism *mechanism, dls_coordinates_kind kind,
                                dls_system **system, dls_message *message)
{
  *system = NULL;
  dls_status status = dls_mechanism_check(mechanism, message);
  if (status != DLS_OK) return status;
  dls_assembly *a = dls_alloc(1, sizeof *a);
  if (!a) return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  a->arena = dls_arena_create();
  a->system = (dls_system){.self = a,
                           .chart = &a->chart,
                           .evaluate = dls_assembly_evaluate,
                           .energy = dls_assembly_energy,
                           .destroy = destroy};
  status = a->arena ? build(a, mechanism, kind, message)
                    : dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  if (status == DLS_OK) *system = &a->system;
  else destroy(&a->system);
  return status;
}

dls_status dls_mechanism_update(dls_system *system, const dls_mechanism *mechanism,
                                dls_message *message)
{
  assert(system->evaluate == dls_assembly_evaluate);
  dls_assembly *a = system->self;
  dls_status status = dls_mechanism_check(mechanism, message);
  if (status == DLS_OK) status = dls_assembly_read(a, mechanism, message);
  if (status == DLS_OK) status = dls_touching_read(&a->touching, mechanism, message);
  if (status != DLS_OK) return status;
  dls_expanded_update(&a->expanded, mechanism);
  dls_tree_update(a->tree, &a->expanded.mechanism);
  // frames of joints stand on what has just been placed
  return dls_assembly_read(a, mechanism, message);
}

// ---- places -------------------------------------------------------------------------------------

void dls_mechanism_reference(const dls_system *system, double *q)
{
  assert(system->evaluate == dls_assembly_evaluate);
  const dls_assembly *a = system->self;
  dls_tree_reference(a->tree, q);
}
