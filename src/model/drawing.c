// The `draw` statements of a model as one tape, apart from the equations: what a mechanism looks
// like does not change how it moves, to the last bit.
#include "model/drawing.h"

#include "base/memory.h"
#include "base/message.h"
#include "model/nonfinite.h"

#include <math.h>
#include <stdlib.h>

static const double default_width = 1.5, most_width = 50;
static const double isometric[3] = {1, -1, 1};

const char *dls_shape_name(dls_shape_kind kind)
{
  static const char *const names[] = {"segment", "disc", "box", "spring", "path", "text", "force"};
  return kind < DLS_SHAPE_KINDS ? names[kind] : "";
}

void dls_drawing_free(dls_drawing *d)
{
  if (!d) return;
  dls_values_free(d->values);
  dls_tape_free(d->tape);
  free(d->places.items);
  free(d->entries.items);
  free(d->out.items);
  dls_arena_free(d->arena);
  free(d);
}

int dls_drawing_space(const dls_drawing *drawing)
{
  return drawing->space;
}

int dls_drawing_count(const dls_drawing *drawing)
{
  return drawing->count;
}

const dls_shape *dls_drawing_shapes(const dls_drawing *drawing)
{
  return drawing->shape;
}

const double *dls_drawing_view(const dls_drawing *drawing)
{
  return drawing->view;
}

// ---- expressions --------------------------------------------------------------------------------

#define ADD(list)                                                                             \
  (dls_grow((void **)&(list).items, &(list).capacity, (list).count + 1, sizeof *(list).items) \
       ? NULL                                                                                 \
       : &(list).items[(list).count++])

// e: -1 when memory ran out.
static bool put(dls_drawing *d, dls_expr e)
{
  dls_expr *place = e < 0 ? NULL : ADD(d->out);
  if (place) *place = e;
  return place;
}

static dls_expr build(dls_analysis *a, const dls_formula *f)
{
  return f->code ? dls_build_formula(a, f) : dls_graph_constant(a->graph, 0.0);
}

static bool build_lets(dls_analysis *a)
{
  const dls_source *s = &a->model->source;
  const dls_partition *p = &a->model->partition;
  a->let_expr = dls_alloc(s->lets.count, sizeof *a->let_expr);
  if (!a->let_expr) return false;
  for (int k = 0; k < p->lets; k++) {
    const int let = p->let_order[k];
    const dls_expr e = dls_build_formula(a, &s->lets.items[let].value);
    a->let_expr[let] = e < 0 ? 0 : e;
  }
  return a->status == DLS_OK;
}

// The formulas of a statement, in their order; the view has three of its own, before all others.
static bool put_formulas(dls_drawing *d, dls_analysis *a, const dls_draw *draw)
{
  const dls_formula *f = a->model->source.drawn.items + draw->first;
  bool good = true;
  for (int k = 0; k < draw->count && good; k++) good = put(d, build(a, &f[k]));
  return good;
}

static bool put_view(dls_drawing *d, dls_analysis *a)
{
  const dls_source *s = &a->model->source;
  for (int i = 0; i < s->draws.count; i++)
    if (s->draws.items[i].kind == DLS_SHAPE_KINDS) return put_formulas(d, a, &s->draws.items[i]);
  for (int k = 0; k < 3; k++)
    if (!put(d, dls_graph_constant(a->graph, isometric[k]))) return false;
  return true;
}

static void describe(dls_shape *shape, const dls_source *s, const dls_draw *draw)
{
  *shape = (dls_shape){.kind = (dls_shape_kind)draw->kind,
                       .text = draw->text,
                       .colour = draw->colour,
                       .fill = draw->fill,
                       .dashed = draw->dashed,
                       .width = default_width,
                       .contact = draw->contact,
                       .ground = draw->points == 1 && draw->normal == 0};
  if (draw->contact >= 0) shape->tangents = s->contacts.items[draw->contact].tangents;
}

static bool put_shapes(dls_drawing *d, dls_analysis *a)
{
  const dls_source *s = &a->model->source;
  for (int i = 0; i < s->draws.count; i++) {
    const dls_draw *draw = &s->draws.items[i];
    if (draw->kind == DLS_SHAPE_KINDS) continue;
    describe(&d->shape[d->count], s, draw);
    d->first_value[d->count] = d->out.count;
    if (!put_formulas(d, a, draw)) return false;
    if (draw->kind == DLS_SHAPE_FORCE) {
      dls_place *place = ADD(d->places);
      if (!place) return false;
      const int first = d->first_value[d->count];
      *place = (dls_place){.shape = d->count,
                           .normal = draw->normal > 0 ? first + draw->normal : -1,
                           .tangent = first + draw->tangent,
                           .given = draw->tangents};
    }
    d->count++;
  }
  return true;
}

// The parts of a place that move, and how.  eq (dra.2)
static bool put_place(dls_drawing *d, dls_analysis *a, dls_place *place, const dls_draw *draw,
                      int *index, dls_expr *derivative)
{
  const int n = d->system->n, at = d->first_value[place->shape];
  place->first = d->entries.count;
  if (place->normal >= 0) return true;
  for (int part = 0; part < d->space; part++) {
    dls_expr e = d->out.items[at + part];
    if (draw->points > 1)
      e = dls_graph_make(a->graph, DLS_OP_SUB, e, d->out.items[at + 3 + part], -1);
    const int found = dls_graph_gradient(a->graph, e, DLS_OP_COORDINATE, n, index, derivative);
    for (int k = 0; k < found; k++) {
      dls_place_entry *entry = ADD(d->entries);
      if (!entry || !put(d, derivative[k])) return false;
      *entry = (dls_place_entry){index[k], part};
      place->entries++;
    }
  }
  return true;
}

static bool put_places(dls_drawing *d, dls_analysis *a)
{
  const dls_source *s = &a->model->source;
  const ptrdiff_t n = d->system->n;
  int *index = dls_alloc(n, sizeof *index);
  dls_expr *derivative = dls_alloc(n, sizeof *derivative);
  bool good = index && derivative;
  int place = 0;
  for (int i = 0; i < s->draws.count && good; i++)
    if (s->draws.items[i].kind == DLS_SHAPE_FORCE)
      good = put_place(d, a, &d->places.items[place++], &s->draws.items[i], index, derivative);
  free(index);
  free(derivative);
  return good;
}

static dls_status compile(dls_drawing *d)
{
  // what is built reads the model, and reports nothing
  dls_analysis a = {.model = (dls_model *)d->model, .depends = d->model->depends};
  dls_status status = dls_graph_create(&a.graph);
  if (status == DLS_OK) {
    const bool good = build_lets(&a) && put_view(d, &a) && put_shapes(d, &a);
    d->outputs = d->out.count;
    if (!good || !put_places(d, &a)) status = DLS_ERR_MEMORY;
  }
  if (a.status != DLS_OK) status = a.status;
  if (a.graph && dls_graph_status(a.graph) != DLS_OK) status = dls_graph_status(a.graph);
  if (status == DLS_OK)
    status = dls_tape_compile(a.graph, d->system->n, d->model->source.parameters.count, 0,
                              d->out.items, d->out.count, &d->tape);
  dls_graph_free(a.graph);
  free(a.let_expr);
  return status;
}

// ---- making -------------------------------------------------------------------------------------

static dls_status make_room(dls_drawing *d)
{
  const ptrdiff_t n = d->system->n;
  d->slot = dls_arena_alloc(d->arena, (ptrdiff_t)dls_tape_slots(d->tape) + 1, sizeof *d->slot);
  d->value = dls_arena_alloc(d->arena, (ptrdiff_t)d->out.count + 1, sizeof *d->value);
  d->J = dls_arena_alloc(d->arena, 3 * n + 1, sizeof *d->J);
  d->rows = dls_arena_alloc(d->arena, n + 1, sizeof *d->rows);
  d->weight = dls_arena_alloc(d->arena, n + 1, sizeof *d->weight);
  if (!d->slot || !d->value || !d->J || !d->rows || !d->weight) return DLS_ERR_MEMORY;
  return d->places.count > 0 ? dls_values_create(d->system, &d->values) : DLS_OK;
}

static dls_status make(dls_drawing *d, const dls_instance *instance)
{
  d->arena = dls_arena_create();
  if (!d->arena) return DLS_ERR_MEMORY;
  const ptrdiff_t draws = instance ? instance->model->source.draws.count : 0;
  d->shape = dls_arena_alloc(d->arena, draws + 1, sizeof *d->shape);
  d->first_value = dls_arena_alloc(d->arena, draws + 1, sizeof *d->first_value);
  if (!d->shape || !d->first_value) return DLS_ERR_MEMORY;
  d->space = 2;
  dls_copy(d->view, isometric, 3);
  if (draws == 0) return DLS_OK;
  d->model = instance->model;
  d->space = d->model->source.space == 3 ? 3 : 2;
  dls_status status = compile(d);
  if (status == DLS_OK) status = make_room(d);
  if (status == DLS_OK) dls_tape_start(d->tape, instance->parameters, d->slot);
  return status;
}

dls_status dls_drawing_create(const dls_system *system, dls_drawing **drawing, dls_message *message)
{
  if (message) message->text[0] = '\0';
  if (!drawing) return DLS_ERR_ARGUMENT;
  *drawing = NULL;
  if (!system) return DLS_ERR_ARGUMENT;
  dls_drawing *d = dls_alloc(1, sizeof *d);
  if (!d) return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  d->system = system;
  const dls_status status = make(d, dls_instance_of(system));
  if (status == DLS_OK) *drawing = d;
  else dls_drawing_free(d);
  if (status == DLS_ERR_LIMIT)
    return dls_fail(message, status, "the expressions of the drawing are too large");
  return status == DLS_OK ? status : dls_fail(message, status, "out of memory");
}

// ---- evaluating ---------------------------------------------------------------------------------

static void place_shape(dls_drawing *d, int i, const dls_draw *draw)
{
  dls_shape *shape = &d->shape[i];
  const double *value = d->value + d->first_value[i];
  const int points = draw->points < 2 || draw->kind == DLS_SHAPE_FORCE ? 1 : 2;
  shape->visible = true;
  for (int p = 0; p < points; p++)
    for (int k = 0; k < 3; k++) {
      shape->point[p][k] = value[3 * p + k];
      shape->visible = shape->visible && isfinite(value[3 * p + k]);
    }
  for (int k = 0; k < draw->sizes; k++) {
    const double size = shape->size[k] = value[3 * draw->points + k];
    // the third one is an angle
    shape->visible = shape->visible && isfinite(size) && (k == 2 || size >= 0);
  }
  if (draw->width > 0) shape->width = value[draw->width];
  if (!(shape->width >= 0 && shape->width <= most_width)) shape->visible = false;
}

dls_status dls_drawing_evaluate(dls_drawing *d, const dls_state *state, dls_message *message)
{
  if (message) message->text[0] = '\0';
  if (!d || !state || !state->q || !state->v) return DLS_ERR_ARGUMENT;
  if (d->count == 0 && !d->tape) return DLS_OK;
  if (!dls_tape_run(d->tape, state->t, state->q, state->v, d->slot))
    return dls_nonfinite_state(d->system->coordinates, d->system->n, state->t, state->q, state->v,
                               message);
  dls_tape_gather(d->tape, 0, d->out.count, d->slot, d->value);
  const dls_source *s = &d->model->source;
  int shape = 0;
  for (int i = 0; i < s->draws.count; i++)
    if (s->draws.items[i].kind != DLS_SHAPE_KINDS) place_shape(d, shape++, &s->draws.items[i]);
  for (int k = 0; k < 3; k++) d->view[k] = d->value[k];
  const double length = hypot(hypot(d->view[0], d->view[1]), d->view[2]);
  if (!(length > 0 && isfinite(length))) dls_copy(d->view, isometric, 3);
  return DLS_OK;
}

dls_status dls_drawing_evaluate_forces(dls_drawing *d, const dls_state *state, dls_message *message)
{
  dls_status status = dls_drawing_evaluate(d, state, message);
  if (status != DLS_OK || d->places.count == 0) return status;
  status =
      d->system->evaluate(d->system->self, state->t, state->q, state->v, d->values, NULL, message);
  if (status == DLS_OK) dls_drawing_weigh(d);
  for (int i = 0; i < d->places.count && status == DLS_OK; i++)
    status = dls_drawing_direct(d, &d->places.items[i], message);
  return status;
}
