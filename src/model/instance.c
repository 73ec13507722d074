// Systems made from a model, and what is evaluated at their parameter values.
#include <delassus/model.h>

#include "base/message.h"
#include "model/analysis.h"
#include "model/nonfinite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static dls_status evaluate(void *self, double t, const double *q, const double *v,
                           const dls_values *values, const dls_values *bound, dls_message *message)
{
  dls_instance *instance = self;
  return dls_mechanics_evaluate(instance->work, t, q, v, values, bound, message);
}

static dls_status energy(void *self, double t, const double *q, const double *v, double *kinetic,
                         double *potential, dls_message *message)
{
  const dls_instance *instance = self;
  const dls_tape *tape = instance->model->energy;
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
  return dls_mechanics_derivative_evaluate(instance->derivative, t, q, v, a, lambda, tau, out,
                                           message);
}

static void destroy(dls_system *system)
{
  dls_instance *instance = system->self;
  dls_mechanics_derivative_free(instance->derivative);
  free(instance->energy);
  dls_mechanics_work_free(instance->work);
  free(instance->parameters);
  free(instance->set);
  free(instance);
}

dls_instance *dls_instance_of(const dls_system *system)
{
  return system && system->destroy == destroy ? system->self : NULL;
}

void dls_instance_start(dls_instance *instance)
{
  dls_mechanics_set_parameters(instance->work, instance->parameters);
  dls_tape_start(instance->model->energy, instance->parameters, instance->energy);
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

dls_status dls_model_system(const dls_model *model, dls_system **system)
{
  if (!system) return DLS_ERR_ARGUMENT;
  *system = NULL;
  if (!model) return DLS_ERR_ARGUMENT;
  dls_instance *instance = dls_alloc(1, sizeof *instance);
  if (!instance) return DLS_ERR_MEMORY;
  const size_t count = (size_t)model->source.parameters.count;
  instance->model = model;
  instance->parameters = dls_alloc(count, sizeof *instance->parameters);
  instance->set = dls_alloc(count, sizeof *instance->set);
  instance->energy = dls_alloc((size_t)dls_tape_slots(model->energy), sizeof *instance->energy);
  dls_status status = DLS_ERR_MEMORY;
  if (instance->parameters && instance->set && instance->energy)
    status = dls_mechanics_work_create(model->mechanics, &instance->work);
  instance->system.self = instance;
  if (status != DLS_OK) {
    destroy(&instance->system);
    return status;
  }
  memcpy(instance->parameters, model->parameters, count * sizeof(double));
  dls_instance_start(instance);
  dls_mechanics_describe(model->mechanics, &instance->system);
  instance->system.evaluate = evaluate;
  instance->system.energy = energy;
  instance->system.destroy = destroy;
  *system = &instance->system;
  return DLS_OK;
}

dls_status dls_model_differentiate(dls_system *system, dls_message *message)
{
  dls_instance *instance = dls_instance_of(system);
  if (message) message->text[0] = '\0';
  if (!instance) return dls_fail(message, DLS_ERR_ARGUMENT, "the system was not made from a model");
  if (instance->derivative) return DLS_OK;
  dls_graph *graph;
  dls_status status = dls_graph_copy(instance->model->graph, &graph);
  if (status == DLS_OK)
    status = dls_mechanics_derivative_compile(graph, &instance->model->lagrangian,
                                              &instance->derivative);
  dls_graph_free(graph);
  if (status == DLS_ERR_LIMIT)
    return dls_fail(message, status, "the derivatives of the equations of motion are too large");
  if (status != DLS_OK) return dls_fail(message, status, "out of memory");
  dls_mechanics_derivative_start(instance->derivative, instance->parameters);
  system->derivative = dls_mechanics_derivative_patterns(instance->derivative);
  system->differentiate = differentiate;
  return DLS_OK;
}

// An evaluator that knows the parameters, t, q and v (those that are not NULL).
static bool begin_at(dls_evaluator *e, const dls_instance *instance, double t, const double *q,
                     const double *v)
{
  const dls_model *model = instance->model;
  const dls_source *s = &model->source;
  if (!dls_evaluator_begin(e, dls_definition_count(s), model->definitions)) return false;
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
  for (int i = 0; i < s->coordinates.count && status == DLS_OK; i++) {
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
