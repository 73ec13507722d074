// A model: parsed, checked, compiled; then constant.
#include <delassus/model.h>

#include "model/analysis.h"
#include "model/body_model.h"
#include "model/output.h"
#include "model/parser.h"
#include "model/vectors.h"

#include <stdlib.h>
#include <string.h>

enum {
  TEXT_MAX = 16 << 20,
  HUNTS = 200,
};

void dls_model_free(dls_model *model)
{
  if (!model) return;
  dls_equations_free(&model->equations);
  dls_tape_free(model->outputs);
  dls_tape_free(model->events);
  dls_source_free(&model->source);
  dls_names_free(&model->names);
  dls_arena_free(model->arena);
  free(model);
}

// The first line if it is a comment, without what surrounds it.
static const char *copy_title(dls_arena *arena, const char *text, size_t length)
{
  size_t at = length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
  if (at >= length || text[at] != '#') return dls_arena_copy(arena, "", 0);
  while (at < length && (text[at] == '#' || text[at] == ' ' || text[at] == '\t')) at++;
  size_t end = at;
  while (end < length && text[end] != '\n') end++;
  while (end > at && (text[end - 1] == ' ' || text[end - 1] == '\t' || text[end - 1] == '\r'))
    end--;
  return dls_arena_copy(arena, text + at, end - at);
}

static void check_contents(const dls_source *s, dls_error_list *report)
{
  if (report->diagnostics->total > 0 || s->coordinates.count > 0 || dls_has_bodies(s)) return;
  const bool empty = s->parameters.count + s->lets.count + s->terms.count + s->contacts.count +
                         s->states.count + s->objects.count ==
                     0;
  dls_error_list_hint(
      dls_error_list_add(report, 0, 1,
                         empty ? "the model is empty" : "the model has no coordinate"),
      "a model needs at least `coordinate x` and `kinetic x'^2/2`");
}

static bool copy_members(dls_model *model)
{
  const dls_source *s = &model->source;
  model->members =
      dls_arena_alloc(model->arena, (ptrdiff_t)s->members.count + 1, sizeof *model->members);
  if (!model->members) return false;
  for (int i = 0; i < s->members.count; i++) model->members[i] = s->members.items[i].coordinate;
  return true;
}

static dls_status read_statements(dls_model *model, const dls_model_files *files,
                                  dls_error_list *report)
{
  dls_parser parser =
      dls_parser_begin(report->text, report->length, &model->names, false, model->arena, report);
  dls_parse_model(&parser, &model->source);
  dls_parser_free(&parser);
  model->source.vectors = parser.vectors;
  if (parser.status) return parser.status;
  const dls_status status = dls_bind_bodies(model, files, report);
  if (status != DLS_OK) return status;
  return dls_lower_vectors(&model->source, &model->names, model->arena, report);
}

void dls_equations_free(dls_equations *equations)
{
  dls_switching_free(equations->switching);
  dls_mechanics_free(equations->mechanics);
  dls_tape_free(equations->energy);
  dls_graph_free(equations->graph);
  *equations = (dls_equations){0};
}

// The expressions as they are, kept for derivatives that may be asked for, and what is compiled.
dls_status dls_equations_compile(dls_equations *equations, dls_graph *graph)
{
  const dls_lagrangian *l = &equations->held;
  dls_status status = dls_switching_build(graph, &equations->lagrangian, &equations->switching);
  const dls_switching *switching = equations->switching;
  equations->held = equations->lagrangian;
  if (switching) {
    equations->held.force = switching->force;
    equations->held.switches = switching->count;
    equations->held.decides = switching->decides;
  }
  const dls_expr energy[2] = {l->kinetic, l->potential};
  if (status == DLS_OK) status = dls_graph_copy(graph, &equations->graph);
  if (status == DLS_OK)
    status = dls_tape_compile(graph, l->n, l->parameters, 0, energy, 2, &equations->energy);
  return status == DLS_OK ? dls_mechanics_compile(graph, l, &equations->mechanics) : status;
}

static dls_status compile(dls_analysis *a)
{
  dls_model *model = a->model;
  if (!copy_members(model)) return DLS_ERR_MEMORY;
  dls_status status = dls_equations_compile(&model->equations, a->graph);
  if (status == DLS_OK) status = dls_outputs_compile(a);
  if (status == DLS_OK && !dls_find_angles(model)) status = DLS_ERR_MEMORY;
  if (status != DLS_OK) return status;
  return dls_analyse_parts(a, &model->equations.lagrangian) ? DLS_OK : DLS_ERR_MEMORY;
}

dls_status dls_model_analyse(dls_model *model, dls_error_list *report)
{
  dls_analysis a = {.model = model, .report = report, .hunts = HUNTS};
  if (dls_analyse_names(&a) && dls_analyse_definitions(&a) && dls_split_gaps(&a) &&
      dls_analyse_output_names(&a) && dls_analyse_equations(&a, &model->equations.lagrangian)) {
    check_contents(&model->source, report);
    if (report->diagnostics->total == 0) a.status = dls_model_bodies_check(model, report);
    if (a.status != DLS_OK) {
    } else if (report->diagnostics->total > 0) a.status = DLS_ERR_MODEL;
    else a.status = compile(&a);
  }
  if (a.status == DLS_ERR_LIMIT)
    dls_error_list_hint(dls_error_list_add(report, 0, 1, "the model's expressions are too large"),
                        "about ten million nodes are accepted, derivatives included");
  dls_graph_free(a.graph);
  free(a.order);
  free(a.let_expr);
  return a.status;
}

static dls_status parse_into(dls_model *model, const char *text, size_t length,
                             const dls_model_files *files, dls_diagnostics *diagnostics)
{
  dls_error_list report;
  dls_status status = DLS_ERR_MEMORY;
  model->arena = dls_arena_create();
  const bool ready = dls_error_list_begin(&report, text, length, diagnostics) && model->arena &&
                     dls_names_begin(&model->names, model->arena);
  if (ready) model->title = copy_title(model->arena, text, length);
  if (ready && model->title) status = read_statements(model, files, &report);
  if (ready && status == DLS_OK) status = dls_model_analyse(model, &report);
  dls_error_list_free(&report);
  return status;
}

dls_status dls_model_parse(const char *text, size_t length, dls_model **model,
                           dls_diagnostics *diagnostics)
{
  return dls_model_parse_with(text, length, NULL, model, diagnostics);
}

dls_status dls_model_parse_with(const char *text, size_t length, const dls_model_files *files,
                                dls_model **model, dls_diagnostics *diagnostics)
{
  dls_diagnostics own;
  if (!diagnostics) diagnostics = &own;
  diagnostics->count = diagnostics->total = 0;
  if (!model) return DLS_ERR_ARGUMENT;
  *model = NULL;
  if (!text && length > 0) return DLS_ERR_ARGUMENT;
  if (!text) text = "";
  if (length > TEXT_MAX) {
    diagnostics->count = diagnostics->total = 1;
    diagnostics->item[0] = (dls_diagnostic){
        .line = 1, .column = 1, .length = 1, .message = "the text is longer than 16 MiB"};
    return DLS_ERR_LIMIT;
  }
  dls_model *made = dls_alloc(1, sizeof *made);
  if (!made) return DLS_ERR_MEMORY;
  const dls_status status = parse_into(made, text, length, files, diagnostics);
  if (status == DLS_OK) *model = made;
  else dls_model_free(made);
  return status;
}

int dls_model_parameter_count(const dls_model *model)
{
  return model->source.parameters.count;
}

const char *dls_model_parameter_name(const dls_model *model, int index)
{
  if (index < 0 || index >= model->source.parameters.count) return NULL;
  return model->names.words[model->source.parameters.items[index].name].text;
}

int dls_model_state_count(const dls_model *model)
{
  return model->source.states.count + model->keys;
}

const char *dls_model_state_name(const dls_model *model, int index)
{
  const int keys = index - model->source.states.count;
  if (index < 0 || keys >= model->keys) return NULL;
  if (keys >= 0) return model->key[keys].name;
  return model->names.words[model->source.states.items[index].name].text;
}

int dls_model_object_count(const dls_model *model)
{
  return model->source.objects.count;
}

const char *dls_model_object_name(const dls_model *model, int index)
{
  if (index < 0 || index >= model->source.objects.count) return NULL;
  return model->names.words[model->source.objects.items[index].name].text;
}

int dls_model_object_coordinates(const dls_model *model, int index, const int **coordinates)
{
  *coordinates = NULL;
  if (index < 0 || index >= model->source.objects.count) return 0;
  if (model->source.objects.items[index].body > 0) {
    *coordinates = model->body_object[model->source.objects.items[index].body - 1];
    return 6;
  }
  *coordinates = model->members + model->source.objects.items[index].first;
  return model->source.objects.items[index].count;
}

const char *dls_model_title(const dls_model *model)
{
  return model->title;
}
