// Outputs and events of a model, compiled, and their values at a state.
#include <delassus/output.h>

#include "base/memory.h"
#include "base/message.h"
#include "model/instance_bodies.h"
#include "model/output.h"
#include "model/quantity.h"

#include <math.h>
#include <stdlib.h>

// ---- names --------------------------------------------------------------------------------------

// A recording has a column of that name already.
static void check_output_name(const dls_scope *scope, const dls_output *o)
{
  const dls_word *w = &scope->names->words[o->name];
  const bool step = w->length == 4 && w->text[0] == 's' && w->text[1] == 't' && w->text[2] == 'e' &&
                    w->text[3] == 'p';
  if (w->meaning != DLS_MEANS_COORDINATE && w->meaning != DLS_MEANS_TIME && !step) return;
  const dls_quoted name = dls_quote(w->text, w->length);
  dls_error_list_hint(dls_error_list_add(scope->report, o->at, w->length,
                                         "`%s` is %s, which is recorded under that name", name.text,
                                         w->meaning == DLS_MEANS_TIME ? "time"
                                         : step                       ? "the time step"
                                                                      : "a coordinate"),
                      "choose another name for the output");
}

bool dls_analyse_output_names(dls_analysis *a)
{
  dls_source *s = &a->model->source;
  const dls_scope in = {.source = s, .names = &a->model->names, .report = a->report};
  const dls_scope *scope = &in;
  for (int i = 0; i < s->outputs.count; i++) {
    check_output_name(scope, &s->outputs.items[i]);
    dls_resolve_quantities(scope, &s->outputs.items[i].value, true);
  }
  for (int i = 0; i < s->events.count; i++) {
    dls_resolve_quantities(scope, &s->events.items[i].left, false);
    dls_resolve_quantities(scope, &s->events.items[i].right, false);
  }
  return true;
}

// ---- expressions --------------------------------------------------------------------------------

static dls_expr event_expression(dls_analysis *a, const dls_event_statement *s)
{
  const dls_formula *side[2] = {&s->left, &s->right};
  dls_expr e[2];
  for (int k = 0; k < 2; k++) {
    e[k] = dls_build_formula(a, side[k]);
    if (e[k] < 0 || !dls_check_smooth(a, side[k], e[k], "an event")) return -1;
  }
  const dls_expr g = dls_graph_make(a->graph, DLS_OP_SUB, e[0], e[1], -1);
  const unsigned moving = DLS_ON_COORDINATES | DLS_ON_VELOCITIES | DLS_ON_TIME;
  if (dls_graph_status(a->graph) == DLS_OK && !(dls_graph_depends(a->graph, g) & moving))
    dls_error_list_add(a->report, s->left.at, s->right.at + s->right.length - s->left.at,
                       "this event depends on nothing that changes");
  return g;
}

static bool build(dls_analysis *a, dls_expr *out)
{
  const dls_source *s = &a->model->source;
  bool good = true;
  for (int i = 0; i < s->outputs.count; i++)
    good = (out[i] = dls_build_formula(a, &s->outputs.items[i].value)) >= 0 && good;
  for (int i = 0; i < s->events.count; i++)
    good = (out[s->outputs.count + i] = event_expression(a, &s->events.items[i])) >= 0 && good;
  return good;
}

dls_status dls_outputs_compile(dls_analysis *a)
{
  dls_model *model = a->model;
  const dls_source *s = &model->source;
  const dls_lagrangian *l = &model->equations.lagrangian;
  const int outputs = s->outputs.count, events = s->events.count;
  if (outputs + events == 0) return DLS_OK;
  int impulses = l->m;
  for (int j = 0; j < l->m; j++) impulses += l->contacts[j].info.tangents;
  dls_expr *e = dls_alloc((ptrdiff_t)outputs + events, sizeof *e);
  if (!e) return DLS_ERR_MEMORY;
  const bool built = build(a, e);
  dls_status status = a->status != DLS_OK ? a->status : dls_graph_status(a->graph);
  if (status == DLS_OK && (!built || a->report->diagnostics->total > 0)) status = DLS_ERR_MODEL;
  if (status == DLS_OK && outputs > 0)
    status = dls_tape_compile(a->graph, l->n, l->parameters, impulses, e, outputs, &model->outputs);
  if (status == DLS_OK && events > 0)
    status =
        dls_tape_compile(a->graph, l->n, l->parameters, 0, e + outputs, events, &model->events);
  free(e);
  model->impulses = impulses;
  return status;
}

// ---- work memory of an instance -----------------------------------------------------------------

bool dls_outputs_create(dls_instance *instance)
{
  const dls_model *model = instance->model;
  if (model->outputs) {
    instance->outputs = dls_alloc(dls_tape_slots(model->outputs), sizeof *instance->outputs);
    instance->unknown = dls_alloc((ptrdiff_t)model->impulses + 1, sizeof *instance->unknown);
    if (!instance->outputs || !instance->unknown) return false;
    for (int k = 0; k < model->impulses; k++) instance->unknown[k] = (double)NAN;
  }
  if (model->events) {
    instance->events = dls_alloc(dls_tape_slots(model->events), sizeof *instance->events);
    if (!instance->events) return false;
  }
  return true;
}

void dls_outputs_free(const dls_instance *instance)
{
  free(instance->outputs);
  free(instance->unknown);
  free(instance->events);
}

void dls_outputs_start(const dls_instance *instance)
{
  const dls_model *model = instance->model;
  if (instance->outputs) dls_tape_start(model->outputs, instance->parameters, instance->outputs);
  if (instance->events) dls_tape_start(model->events, instance->parameters, instance->events);
}

// ---- the public interface -----------------------------------------------------------------------

int dls_model_output_count(const dls_model *model)
{
  return model ? model->source.outputs.count : 0;
}

const char *dls_model_output_name(const dls_model *model, int index)
{
  if (!model || index < 0 || index >= model->source.outputs.count) return NULL;
  return model->names.words[model->source.outputs.items[index].name].text;
}

dls_status dls_model_outputs(const dls_system *system, double t, const double *q, const double *v,
                             const double *force, double *out)
{
  const dls_instance *instance = dls_instance_of(system);
  if (!instance || !q || !v || !out) return DLS_ERR_ARGUMENT;
  const dls_tape *tape = instance->model->outputs;
  const int count = instance->model->source.outputs.count;
  if (!tape) return DLS_OK;
  bool known = true;
  if (instance->bodies) {
    known = dls_instance_bodies_expand(instance->bodies, q, v) == DLS_OK;
    q = instance->bodies->z, v = instance->bodies->z_dot;
    force = NULL;
  }
  (void)dls_tape_input(tape, 0, instance->model->impulses, force ? force : instance->unknown,
                       instance->outputs);
  const bool run = known && dls_tape_run(tape, t, q, v, instance->outputs);
  if (run) (void)dls_tape_gather(tape, 0, count, instance->outputs, out);
  for (int i = 0; i < count; i++)
    if (!run || !isfinite(out[i])) out[i] = (double)NAN;
  return DLS_OK;
}

int dls_model_event_count(const dls_model *model)
{
  return model ? model->source.events.count : 0;
}

dls_model_event dls_model_event_at(const dls_model *model, int index)
{
  if (!model || index < 0 || index >= model->source.events.count) return (dls_model_event){0};
  const dls_event_statement *e = &model->source.events.items[index];
  return (dls_model_event){
      .name = model->names.words[e->name].text, .direction = e->direction, .stop = e->stop};
}

dls_status dls_model_events(const dls_system *system, double t, const double *q, const double *v,
                            double *g)
{
  const dls_instance *instance = dls_instance_of(system);
  if (!instance || !q || !v || !g) return DLS_ERR_ARGUMENT;
  const dls_tape *tape = instance->model->events;
  if (!tape) return DLS_OK;
  const int count = instance->model->source.events.count;
  bool known = true;
  if (instance->bodies) {
    known = dls_instance_bodies_expand_local(instance->bodies, q, v) == DLS_OK;
    q = instance->bodies->z, v = instance->bodies->z_dot;
  }
  const bool run = known && dls_tape_run(tape, t, q, v, instance->events);
  if (run) (void)dls_tape_gather(tape, 0, count, instance->events, g);
  for (int i = 0; i < count; i++)
    if (!run || !isfinite(g[i])) g[i] = (double)NAN;
  return DLS_OK;
}
