// The system of a model with bodies.
#include "model/instance_bodies.h"

#include "base/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- numbers ------------------------------------------------------------------------------------

// The numbers of the statements at these parameters.
static dls_status evaluate_numbers(const dls_model *model, const double *parameters, double *number)
{
  const dls_source *s = &model->source;
  dls_evaluator e = {0};
  bool good = dls_evaluator_begin(&e, dls_definition_count(s), model->definitions);
  for (int i = 0; good && i < s->parameters.count; i++) dls_evaluator_know(&e, i, parameters[i]);
  for (int i = 0; good && i < s->numbers.count; i++)
    if (s->numbers.items[i].code)
      good = dls_evaluator_formula(&e, &s->numbers.items[i], &number[i]);
  dls_evaluator_free(&e);
  return good ? DLS_OK : DLS_ERR_MEMORY;
}

dls_status dls_model_bodies_at(const dls_model *model, const double *parameters, dls_arena *arena,
                               dls_made *made, dls_body_fault *fault)
{
  double *number =
      dls_arena_alloc(arena, (ptrdiff_t)model->source.numbers.count + 1, sizeof *number);
  if (!number) return DLS_ERR_MEMORY;
  dls_status status = evaluate_numbers(model, parameters, number);
  if (status == DLS_OK)
    status = dls_model_bodies_make(model, number, parameters, arena, made, fault);
  if (status == DLS_OK) status = dls_mechanism_check(&made->mechanism, &fault->message);
  made->number = number;
  return status;
}

// ---- functions of the system --------------------------------------------------------------------

static dls_instance_bodies *bodies_of(void *self)
{
  const dls_instance *instance = self;
  return instance->bodies;
}

static dls_status evaluate(void *self, double t, const double *x, const double *x_dot,
                           const dls_values *values, const dls_values *bound, dls_message *message)
{
  const dls_instance_bodies *b = bodies_of(self);
  if (b->pullback) return dls_pullback_evaluate(b->pullback, t, x, x_dot, values, bound, message);
  return b->inner->evaluate(b->inner->self, t, x, x_dot, values, bound, message);
}

static dls_status differentiate(void *self, double t, const double *x, const double *x_dot,
                                const double *a, const double *lambda, const double *tau,
                                const dls_derivatives *out, dls_message *message)
{
  const dls_instance_bodies *b = bodies_of(self);
  return b->inner->differentiate(b->inner->self, t, x, x_dot, a, lambda, tau, out, message);
}

static dls_status energy(void *self, double t, const double *x, const double *x_dot,
                         double *kinetic, double *potential, dls_message *message)
{
  dls_instance_bodies *b = bodies_of(self);
  dls_status status = b->inner->energy(b->inner->self, t, x, x_dot, kinetic, potential, message);
  if (status != DLS_OK || !b->pullback) return status;
  double both[2];
  const dls_tape *tape = b->instance->equations->energy;
  status = dls_instance_bodies_expand_local(b, x, x_dot);
  if (status != DLS_OK) return dls_fail(message, status, "the state is not finite");
  const bool good = dls_tape_run(tape, t, b->z, b->z_dot, b->instance->energy) &&
                    dls_tape_gather(tape, 0, 2, b->instance->energy, both);
  if (!good) return dls_fail(message, DLS_ERR_NUMBER, "the energy is not a finite number");
  *kinetic += both[0];
  *potential += both[1];
  return DLS_OK;
}

static dls_status centre(void *self, const double *q, dls_message *message)
{
  const dls_instance_bodies *b = bodies_of(self);
  dls_status status = b->inner->chart->centre(b->inner->self, q, message);
  if (status == DLS_OK && b->here) status = dls_tree_centre(b->here->tree, q, message);
  return status;
}

static dls_status enter(void *self, const double *q, const double *v, double *x, double *x_dot)
{
  const dls_instance_bodies *b = bodies_of(self);
  for (int i = 0; i < b->own; i++) x[b->n + i] = q[b->nq + i], x_dot[b->n + i] = v[b->n + i];
  return b->inner->chart->enter(b->inner->self, q, v, x, x_dot);
}

static void leave(void *self, const double *x, const double *x_dot, double *q, double *v)
{
  const dls_instance_bodies *b = bodies_of(self);
  for (int i = 0; i < b->own; i++) q[b->nq + i] = x[b->n + i], v[b->n + i] = x_dot[b->n + i];
  b->inner->chart->leave(b->inner->self, x, x_dot, q, v);
}

// ---- contacts that come and go ------------------------------------------------------------------

// Those of the text have the last identities that there are.
static uint64_t text_id(const dls_instance_bodies *b, int contact)
{
  return UINT64_MAX - (uint64_t)b->instance->equations->lagrangian.m + (uint64_t)contact;
}

static dls_status find(void *self, double t, const double *x, const double *x_dot, double reach,
                       double horizon, int *count, const uint64_t **id, dls_message *message)
{
  dls_instance_bodies *b = bodies_of(self);
  dls_status status =
      b->inner->find(b->inner->self, t, x, x_dot, reach, horizon, count, id, message);
  const dls_lagrangian *l = &b->instance->equations->lagrangian;
  if (status != DLS_OK || !b->pullback || l->m == 0) return status;
  void *found = b->found;
  if (dls_grow(&found, &b->found_room, (ptrdiff_t)*count + l->m, sizeof *b->found))
    return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  b->found = found;
  if (*count > 0) dls_copy(b->found, *id, *count);
  if (*count > 0 && b->found[*count - 1] >= text_id(b, 0))
    return dls_fail(message, DLS_ERR_LIMIT, "there are too many contacts");
  for (int j = 0; j < l->m; j++)
    if (l->contacts[j].info.kind == DLS_UNILATERAL) b->found[(*count)++] = text_id(b, j);
  *id = b->found;
  return DLS_OK;
}

static void copy_shape(dls_instance_bodies *b)
{
  dls_system *s = &b->instance->system;
  const dls_system *inner = b->inner;
  s->m = inner->m, s->tangents = inner->tangents, s->contacts = inner->contacts;
  s->mass = inner->mass, s->normal = inner->normal, s->tangent = inner->tangent;
  s->derivative = inner->derivative;
  s->differentiate = inner->derivative ? differentiate : NULL;
}

static dls_status select_contacts(void *self, int count, const uint64_t *id, dls_message *message)
{
  dls_instance_bodies *b = bodies_of(self);
  int inner = count;
  while (b->pullback && inner > 0 && id[inner - 1] >= text_id(b, 0)) inner--;
  dls_status status =
      b->inner->select ? b->inner->select(b->inner->self, inner, id, message) : DLS_OK;
  if (status != DLS_OK) return status;
  if (!b->pullback) {
    copy_shape(b);
    return DLS_OK;
  }
  int chosen = count - inner;
  const dls_lagrangian *l = &b->instance->equations->lagrangian;
  if (!b->inner->find) {
    chosen = 0;
    for (int j = 0; j < l->m; j++)
      if (l->contacts[j].info.kind == DLS_UNILATERAL) b->chosen[chosen++] = j;
  }
  for (int k = inner; k < count; k++) {
    const uint64_t j = id[k] - text_id(b, 0);
    if (j >= (uint64_t)l->m)
      return dls_fail(message, DLS_ERR_ARGUMENT, "an identity is not that of a contact");
    b->chosen[k - inner] = (int)j;
  }
  status = dls_pullback_select(b->pullback, chosen, b->chosen, &b->instance->system);
  if (status == DLS_OK) dls_pullback_name(b->pullback, text_id(b, 0));
  return status == DLS_OK ? status : dls_fail(message, status, "out of memory");
}

static void pass_degenerate(void *self, bool passes)
{
  const dls_instance_bodies *b = bodies_of(self);
  b->inner->pass_degenerate(b->inner->self, passes);
}

// ---- life ---------------------------------------------------------------------------------------

static bool acts(const dls_source *s)
{
  return s->own > 0 || s->terms.count > 0 || s->contacts.count > 0;
}

static bool join_names(dls_instance_bodies *b)
{
  dls_instance *i = b->instance;
  const char **velocity = dls_arena_alloc(b->names, (ptrdiff_t)b->n + b->own + 1, sizeof *velocity);
  const char **place = dls_arena_alloc(b->names, (ptrdiff_t)b->nq + b->own + 1, sizeof *place);
  if (!velocity || !place) return false;
  const char *const *inner = dls_configuration_names(b->inner);
  for (int k = 0; k < b->n; k++) velocity[k] = b->inner->coordinates[k];
  for (int k = 0; k < b->nq; k++) place[k] = inner[k];
  for (int k = 0; k < b->own; k++)
    velocity[b->n + k] = place[b->nq + k] = b->model->coordinate_names[k];
  i->system.coordinates = b->velocity_names = velocity;
  b->chart = (dls_chart){
      .nq = b->nq + b->own, .names = place, .centre = centre, .enter = enter, .leave = leave};
  return true;
}

static dls_status make_markers(dls_instance_bodies *b, dls_message *message)
{
  const dls_source *s = &b->model->source;
  if (s->coordinates.count == 0) return DLS_OK;
  dls_status status =
      dls_body_markers_create(b->model, &b->made, b->made.number, b->kind, &b->anywhere, message);
  if (status == DLS_OK && acts(s)) {
    status =
        dls_body_markers_create(b->model, &b->made, b->made.number, b->kind, &b->here, message);
    if (status == DLS_OK)
      status = dls_pullback_create(b->instance, b->inner, b->here, &b->pullback);
  }
  return status;
}

static void describe(dls_instance_bodies *b)
{
  dls_system *s = &b->instance->system;
  s->n = b->n + b->own;
  s->chart = &b->chart;
  s->parts = 0, s->coordinate_part = s->contact_part = NULL, s->part = NULL;
  s->couplings = 0, s->coupling = NULL;
  s->evaluate = evaluate, s->energy = energy;
  s->derivative = NULL, s->differentiate = NULL;
  if (!b->inner->find) return;
  s->find = find, s->select = select_contacts;
  if (b->inner->pass_degenerate) s->pass_degenerate = pass_degenerate;
}

static dls_status build(dls_instance_bodies *b, dls_message *message)
{
  dls_body_fault fault = {.length = 0};
  const dls_source *s = &b->model->source;
  b->arena = dls_arena_create(), b->names = dls_arena_create();
  if (!b->arena || !b->names) return DLS_ERR_MEMORY;
  dls_status status =
      dls_model_bodies_at(b->model, b->instance->parameters, b->arena, &b->made, &fault);
  if (status != DLS_OK) return dls_fail(message, status, "%s", fault.message.text);
  status = dls_mechanism_system(&b->made.mechanism, b->kind, &b->inner, message);
  if (status != DLS_OK) return status;
  b->n = b->inner->n, b->nq = dls_system_nq(b->inner), b->own = s->own;
  const ptrdiff_t z = (ptrdiff_t)s->coordinates.count + 1;
  b->z = dls_alloc(2 * z + 2 * ((ptrdiff_t)b->n + b->own) + 1, sizeof *b->z);
  b->chosen = dls_alloc((ptrdiff_t)s->contacts.count + 1, sizeof *b->chosen);
  if (!b->z || !b->chosen || !join_names(b)) return DLS_ERR_MEMORY;
  b->z_dot = b->z + z, b->x = b->z_dot + z;
  status = make_markers(b, message);
  if (status != DLS_OK) return status;
  describe(b);
  return select_contacts(b->instance, 0, NULL, message);
}

dls_status dls_instance_bodies_create(dls_instance *instance, dls_message *message)
{
  dls_instance_bodies *b = dls_alloc(1, sizeof *b);
  if (!b) return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  instance->bodies = b;
  b->instance = instance, b->model = instance->model, b->kind = instance->model->coordinates;
  const dls_status status = build(b, message);
  return status == DLS_ERR_MEMORY ? dls_fail(message, status, "out of memory") : status;
}

void dls_instance_bodies_free(dls_instance_bodies *b)
{
  if (!b) return;
  dls_pullback_free(b->pullback);
  dls_body_markers_free(b->here);
  dls_body_markers_free(b->anywhere);
  dls_system_free(b->reduced);
  dls_system_free(b->inner);
  free(b->z);
  free(b->chosen);
  free(b->found);
  dls_arena_free(b->arena);
  dls_arena_free(b->names);
  free(b);
}

// Where friction, ranges and the like come or go the system is another one.
static dls_status begin_anew(dls_instance_bodies *b, dls_message *message)
{
  dls_instance *instance = b->instance;
  const dls_status status = dls_instance_bodies_create(instance, message);
  if (status == DLS_OK) {
    dls_instance_bodies_free(b);
    return status;
  }
  dls_instance_bodies_free(instance->bodies);
  instance->bodies = b;
  describe(b);
  instance->system.coordinates = b->velocity_names;
  (void)select_contacts(instance, 0, NULL, NULL);
  return status;
}

dls_status dls_instance_bodies_update(dls_instance_bodies *b, dls_message *message)
{
  dls_body_fault fault = {.length = 0};
  dls_arena *arena = dls_arena_create();
  dls_made made;
  dls_status status = arena ? DLS_OK : DLS_ERR_MEMORY;
  if (status == DLS_OK) {
    status = dls_model_bodies_at(b->model, b->instance->parameters, arena, &made, &fault);
    if (status != DLS_OK) dls_fail(message, status, "%s", fault.message.text);
  }
  bool other = false;
  if (status == DLS_OK) {
    status = dls_mechanism_update(b->inner, &made.mechanism, message);
    other = status == DLS_ERR_MODEL;
  }
  if (status != DLS_OK) {
    dls_arena_free(arena);
    return other ? begin_anew(b, message) : status;
  }
  dls_arena_free(b->arena);
  b->arena = arena, b->made = made;
  if (b->here) dls_body_markers_update(b->here, b->model, &made, made.number);
  if (b->anywhere) dls_body_markers_update(b->anywhere, b->model, &made, made.number);
  return b->reduced ? dls_mechanism_update(b->reduced, &made.mechanism, message) : DLS_OK;
}

// ---- coordinates of the text --------------------------------------------------------------------

static void take(dls_instance_bodies *b, const dls_body_markers *m)
{
  dls_copy(b->z, m->z, m->count);
  dls_copy(b->z_dot, m->z_dot, m->count);
}

dls_status dls_instance_bodies_expand(dls_instance_bodies *b, const double *q, const double *v)
{
  dls_body_markers *m = b->anywhere;
  const ptrdiff_t n = (ptrdiff_t)b->n + b->own;
  if (!m) return DLS_OK;
  for (int i = 0; i < b->own; i++) b->x[b->n + i] = q[b->nq + i], b->x[n + b->n + i] = v[b->n + i];
  dls_status status = dls_tree_centre(m->tree, q, NULL);
  if (status == DLS_OK) status = dls_tree_enter(m->tree, q, v, b->x, b->x + n);
  if (status == DLS_OK) status = dls_body_markers_evaluate(m, b->x, b->x + n, false);
  if (status == DLS_OK) take(b, m);
  return status;
}

dls_status dls_instance_bodies_expand_local(dls_instance_bodies *b, const double *x,
                                            const double *x_dot)
{
  dls_body_markers *m = b->here;
  if (!m) return DLS_OK;
  const dls_status status = dls_body_markers_evaluate(m, x, x_dot, false);
  if (status == DLS_OK) take(b, m);
  return status;
}

const dls_mechanism *dls_model_mechanism(const dls_system *system)
{
  const dls_instance *instance = dls_instance_of(system);
  return instance && instance->bodies ? &instance->bodies->made.mechanism : NULL;
}

const dls_system *dls_model_bodies(const dls_system *system)
{
  const dls_instance *instance = dls_instance_of(system);
  return instance && instance->bodies ? instance->bodies->inner : NULL;
}

void dls_model_set_coordinates(dls_model *model, dls_coordinates_kind kind)
{
  model->coordinates = kind;
}
