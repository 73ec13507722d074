// Systems made from a model, and what is evaluated at their parameter values.
#include <delassus/model.h>
#include <delassus/native.h>

#include "base/memory.h"
#include "base/message.h"
#include "model/instance_bodies.h"
#include "model/nonfinite.h"
#include "model/output.h"

#include <math.h>
#include <stdlib.h>

dls_status dls_instance_choose_branches(const dls_instance *instance, double t, const double *q,
                                        const double *v, dls_message *message)
{
  dls_branches *b = instance->branches;
  if (!b) return DLS_OK;
  const dls_status status = b->held ? DLS_OK : dls_branches_at(b, t, q, v, b->branch, message);
  if (status != DLS_OK) return status;
  dls_mechanics_set_branches(instance->work, b->branch);
  if (instance->derivative) dls_mechanics_derivative_set_branches(instance->derivative, b->branch);
  return DLS_OK;
}

static dls_status evaluate(void *self, double t, const double *q, const double *v,
                           const dls_values *values, const dls_values *bound, dls_message *message)
{
  dls_instance *instance = self;
  const dls_status status = dls_instance_choose_branches(instance, t, q, v, message);
  if (status != DLS_OK) return status;
  return dls_mechanics_evaluate(instance->work, t, q, v, values, bound, message);
}

static dls_status energy(void *self, double t, const double *q, const double *v, double *kinetic,
                         double *potential, dls_message *message)
{
  const dls_instance *instance = self;
  const dls_tape *tape = instance->equations->energy;
  double both[2];
  if (!dls_tape_run(tape, t, q, v, instance->energy))
    return dls_nonfinite_state(instance->system.coordinates, instance->system.n, t, q, v, message);
  dls_tape_gather(tape, 0, 2, instance->energy, both);
  *kinetic = both[0];
  *potential = both[1];
  const int k = dls_nonfinite_find(both, 2);
  if (k < 0) return DLS_OK;
  return dls_fail(message, DLS_ERR_NUMBER, "the %s energy is %s", k == 0 ? "kinetic" : "potential",
                  dls_nonfinite_word(both[k]));
}

static dls_status differentiate(void *self, double t, const double *q, const double *v,
                                const double *a, const double *lambda, const double *tau,
                                const dls_derivatives *out, dls_message *message)
{
  const dls_instance *instance = self;
  const dls_status status = dls_instance_choose_branches(instance, t, q, v, message);
  if (status != DLS_OK) return status;
  return dls_mechanics_derivative_evaluate(instance->derivative, t, q, v, a, lambda, tau, out,
                                           message);
}

// To coordinates of the text, where there are bodies.
static dls_status expand(const dls_instance *instance, const double **q, const double **v,
                         dls_message *message)
{
  dls_instance_bodies *b = instance->bodies;
  if (!b) return DLS_OK;
  const dls_status status = dls_instance_bodies_expand_local(b, *q, *v);
  if (status != DLS_OK) return dls_fail(message, status, "the state is not finite");
  *q = b->z, *v = b->z_dot;
  return DLS_OK;
}

static dls_status branches(void *self, double t, const double *q, const double *v, double *branch,
                           dls_message *message)
{
  const dls_instance *instance = self;
  const dls_status status = expand(instance, &q, &v, message);
  if (status != DLS_OK) return status;
  return dls_branches_at(instance->branches, t, q, v, branch, message);
}

static dls_status branch_margins(void *self, double t, const double *q, const double *v,
                                 const double *branch, double *margin, dls_message *message)
{
  const dls_instance *instance = self;
  const dls_status status = expand(instance, &q, &v, message);
  if (status != DLS_OK) return status;
  return dls_branches_margins(instance->branches, t, q, v, branch, margin, message);
}

static void hold(void *self, const double *branch)
{
  const dls_instance *instance = self;
  dls_branches *b = instance->branches;
  b->held = branch != NULL;
  if (branch) dls_copy(b->branch, branch, b->switching->count);
}

static void clear(const dls_instance *instance)
{
  dls_instance_bodies_free(instance->bodies);
  dls_mechanics_derivative_free(instance->derivative);
  dls_branches_free(instance->branches);
  free(instance->energy);
  dls_outputs_free(instance);
  dls_mechanics_work_free(instance->work);
  free(instance->parameters);
  free(instance->set);
  dls_native_cache_free(instance->cache);
}

static void destroy(dls_system *system)
{
  dls_instance *instance = system->self;
  clear(instance);
  free(instance);
}

dls_instance *dls_instance_of(const dls_system *system)
{
  return system && system->destroy == destroy ? system->self : NULL;
}

void dls_instance_start(dls_instance *instance)
{
  dls_mechanics_set_parameters(instance->work, instance->parameters);
  dls_tape_start(instance->equations->energy, instance->parameters, instance->energy);
  if (instance->branches) dls_branches_start(instance->branches, instance->parameters);
  dls_outputs_start(instance);
  if (instance->derivative)
    dls_mechanics_derivative_start(instance->derivative, instance->parameters);
}

const dls_model *dls_system_model(const dls_system *system)
{
  const dls_instance *instance = dls_instance_of(system);
  return instance ? instance->model : NULL;
}

double dls_system_parameter(const dls_system *system, int index)
{
  const dls_instance *instance = dls_instance_of(system);
  if (!instance || index < 0 || index >= instance->model->source.parameters.count)
    return (double)NAN;
  return instance->parameters[index];
}

static dls_status add_derivatives(dls_instance *instance)
{
  if (instance->bodies) return DLS_OK;
  dls_graph *graph;
  dls_status status = dls_graph_copy(instance->equations->graph, &graph);
  if (status == DLS_OK)
    status =
        dls_mechanics_derivative_compile(graph, &instance->equations->held, &instance->derivative);
  dls_graph_free(graph);
  if (status != DLS_OK) return status;
  // where that is not possible any more the tape is as good
  if (instance->native)
    (void)dls_mechanics_derivative_native(instance->derivative, instance->native, NULL);
  dls_mechanics_derivative_start(instance->derivative, instance->parameters);
  instance->system.derivative = dls_mechanics_derivative_patterns(instance->derivative);
  instance->system.differentiate = differentiate;
  return DLS_OK;
}

// Work memory and functions of an instance whose model and equations are set.
static dls_status set_up(dls_instance *instance, const double *parameters)
{
  const dls_equations *equations = instance->equations;
  const ptrdiff_t count = instance->model->source.parameters.count;
  instance->parameters = dls_alloc(count, sizeof *instance->parameters);
  instance->set = dls_alloc(count, sizeof *instance->set);
  instance->energy = dls_alloc(dls_tape_slots(equations->energy), sizeof *instance->energy);
  if (!instance->parameters || !instance->set || !instance->energy) return DLS_ERR_MEMORY;
  dls_status status = dls_mechanics_work_create(equations->mechanics, &instance->work);
  if (status == DLS_OK)
    status = dls_branches_create(equations->switching, &equations->lagrangian, &instance->branches);
  if (status != DLS_OK) return status;
  dls_copy(instance->parameters, parameters, count);
  dls_instance_start(instance);
  dls_mechanics_describe(equations->mechanics, &instance->system);
  instance->system.evaluate = evaluate;
  instance->system.energy = energy;
  if (!instance->branches) return DLS_OK;
  instance->system.switches = equations->switching->count;
  instance->system.branches = branches;
  instance->system.branch_margins = branch_margins;
  instance->system.hold = hold;
  return DLS_OK;
}

// --- parts ---

typedef struct part_instance {
  dls_instance instance;  // first, as the system is first in it
  dls_arena *arena;
  dls_equations equations;
} part_instance;

// Not an instance for the functions of models: those speak of all coordinates.
static void destroy_part(dls_system *system)
{
  part_instance *p = system->self;
  clear(&p->instance);
  dls_equations_free(&p->equations);
  dls_arena_free(p->arena);
  free(p);
}

static dls_status make_part(void *self, int part, dls_system **out, dls_message *message)
{
  const dls_instance *whole = self;
  *out = NULL;
  if (part < 0 || part >= whole->model->partition.parts)
    return dls_fail(message, DLS_ERR_ARGUMENT, "the system has no part %d", part);
  part_instance *p = dls_alloc(1, sizeof *p);
  if (!p) return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  p->instance.model = whole->model;
  p->instance.equations = &p->equations;
  p->instance.system.self = p;
  p->instance.system.destroy = destroy_part;
  p->arena = dls_arena_create();
  dls_status status =
      p->arena ? dls_part_build(whole->model, part, p->arena, &p->equations) : DLS_ERR_MEMORY;
  if (status == DLS_OK) status = set_up(&p->instance, whole->parameters);
  if (status == DLS_OK && whole->native) {
    p->instance.native = whole->native;
    (void)dls_mechanics_work_compile(p->instance.work, whole->native, NULL);
    dls_instance_start(&p->instance);
  }
  if (status == DLS_OK && whole->derivative) status = add_derivatives(&p->instance);
  if (status == DLS_OK) *out = &p->instance.system;
  else destroy_part(&p->instance.system);
  if (status != DLS_OK) dls_fail(message, status, "part %d: %s", part, dls_status_text(status));
  return status;
}

dls_status dls_model_system(const dls_model *model, dls_system **system)
{
  return dls_model_system_with(model, system, NULL);
}

dls_status dls_model_system_with(const dls_model *model, dls_system **system, dls_message *message)
{
  if (message) message->text[0] = '\0';
  if (!system) return DLS_ERR_ARGUMENT;
  *system = NULL;
  if (!model) return DLS_ERR_ARGUMENT;
  dls_instance *instance = dls_alloc(1, sizeof *instance);
  if (!instance) return DLS_ERR_MEMORY;
  instance->model = model;
  instance->equations = &model->equations;
  instance->system.self = instance;
  instance->system.destroy = destroy;
  dls_status status = dls_outputs_create(instance) ? DLS_OK : DLS_ERR_MEMORY;
  if (status == DLS_OK) status = set_up(instance, model->parameters);
  if (status != DLS_OK) {
    destroy(&instance->system);
    return status;
  }
  if (dls_has_bodies(&model->source)) {
    status = dls_instance_bodies_create(instance, message);
    if (status != DLS_OK) {
      destroy(&instance->system);
      return status;
    }
    *system = &instance->system;
    return DLS_OK;
  }
  instance->system.parts = model->partition.parts;
  instance->system.coordinate_part = model->partition.coordinate_part;
  instance->system.contact_part = model->partition.contact_part;
  instance->system.part = make_part;
  *system = &instance->system;
  return DLS_OK;
}

dls_status dls_model_differentiate(dls_system *system, dls_message *message)
{
  dls_instance *instance = dls_instance_of(system);
  if (message) message->text[0] = '\0';
  if (!instance) return dls_fail(message, DLS_ERR_ARGUMENT, "the system was not made from a model");
  if (instance->derivative) return DLS_OK;
  const dls_status status = add_derivatives(instance);
  if (status == DLS_ERR_LIMIT)
    return dls_fail(message, status, "the derivatives of the equations of motion are too large");
  return status == DLS_OK ? DLS_OK : dls_fail(message, status, "out of memory");
}

dls_status dls_model_compile(dls_system *system, const dls_native_options *options,
                             dls_message *message)
{
  dls_instance *instance = dls_instance_of(system);
  if (message) message->text[0] = '\0';
  if (!instance) return dls_fail(message, DLS_ERR_ARGUMENT, "the system was not made from a model");
  if (instance->native) return DLS_OK;
  dls_native_cache *cache;
  dls_status status = dls_native_cache_create(options, &cache, message);
  if (status == DLS_OK) status = dls_mechanics_work_compile(instance->work, cache, message);
  if (status != DLS_OK) {
    dls_native_cache_free(cache);
    return status;
  }
  instance->native = instance->cache = cache;
  if (instance->derivative)
    status = dls_mechanics_derivative_native(instance->derivative, cache, message);
  dls_instance_start(instance);
  return status;
}

bool dls_system_is_native(const dls_system *system)
{
  const dls_instance *instance = dls_instance_of(system);
  return instance && instance->native;
}

// An evaluator that knows the parameters, t, q and v (those that are not NULL).
static bool begin_at(dls_evaluator *e, const dls_instance *instance, double t, const double *q,
                     const double *v)
{
  const dls_model *model = instance->model;
  const dls_source *s = &model->source;
  if (!dls_evaluator_begin(e, dls_definition_count(s), model->definitions)) return false;
  if (instance->bodies && q && v) {
    if (dls_instance_bodies_expand(instance->bodies, q, v) != DLS_OK) return false;
    q = instance->bodies->z, v = instance->bodies->z_dot;
  }
  for (int i = 0; i < s->parameters.count; i++) dls_evaluator_know(e, i, instance->parameters[i]);
  for (int i = 0; i < s->coordinates.count; i++) {
    if (q) dls_evaluator_know(e, dls_definition_coordinate(s, i), q[i]);
    if (v) dls_evaluator_know(e, dls_definition_velocity(s, i), v[i]);
  }
  dls_evaluator_know(e, dls_definition_time(s), t);
  return true;
}

dls_status dls_model_exact(const dls_system *system, double t, double *q, double *v,
                           unsigned char *known)
{
  const dls_instance *instance = dls_instance_of(system);
  if (!instance || !q || !v || !known) return DLS_ERR_ARGUMENT;
  const dls_source *s = &instance->model->source;
  dls_evaluator e = {0};
  dls_status status = begin_at(&e, instance, t, NULL, NULL) ? DLS_OK : DLS_ERR_MEMORY;
  for (int i = 0; i < s->own && status == DLS_OK; i++) {
    double *place[2] = {&q[i], &v[i]};
    known[i] = 0;
    for (int k = 0; k < 2 && status == DLS_OK; k++) {
      const dls_formula *formula = &s->coordinates.items[i].exact[k];
      if (!formula->code) continue;
      if (!dls_evaluator_formula(&e, formula, place[k])) status = DLS_ERR_MEMORY;
      else if (!isfinite(*place[k])) status = DLS_ERR_NUMBER;
      known[i] = (unsigned char)(known[i] | 1 << k);
    }
  }
  dls_evaluator_free(&e);
  return status;
}

int dls_model_restitution_count(const dls_model *model)
{
  return model->source.restitutions.count;
}

dls_status dls_model_restitution(const dls_system *system, int index, const dls_state *state,
                                 int *row, int *column, double *value)
{
  const dls_instance *instance = dls_instance_of(system);
  if (!instance || !state || index < 0) return DLS_ERR_ARGUMENT;
  const dls_source *s = &instance->model->source;
  if (index >= s->restitutions.count) return DLS_ERR_ARGUMENT;
  const dls_restitution *r = &s->restitutions.items[index];
  *row = r->contact[0];
  *column = r->contact[1];
  dls_evaluator e = {0};
  dls_status status = DLS_ERR_MEMORY;
  if (begin_at(&e, instance, state->t, state->q, state->v) &&
      dls_evaluator_formula(&e, &r->value, value))
    status = isfinite(*value) ? DLS_OK : DLS_ERR_NUMBER;
  dls_evaluator_free(&e);
  return status;
}
