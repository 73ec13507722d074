// Values that come with the call: --set NAME=VALUE and --at STATE. Their text is parsed against the
// names of the model, which stays as it is.
#include <delassus/model.h>

#include "base/message.h"
#include "model/analysis.h"
#include "model/parser.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 1 << 20, STATES_LISTED = 12 };

// A short text that is parsed for one call.
typedef struct reading {
  dls_arena *arena;
  dls_diagnostics diagnostics;
  dls_error_list report;
  dls_parser parser;
  dls_scope scope;
  DLS_LIST(dls_assignment) assignments;
} reading;

static dls_status begin_reading(reading *r, const dls_model *model, const char *text)
{
  *r = (reading){0};
  const size_t length = strlen(text);
  if (length > TEXT_MAX) return DLS_ERR_LIMIT;
  // a frozen parser and scope only look up names
  dls_names *names = (dls_names *)&model->names;
  r->arena = dls_arena_create();
  if (!r->arena || !dls_error_list_begin(&r->report, text, length, &r->diagnostics))
    return DLS_ERR_MEMORY;
  r->parser = dls_parser_begin(text, length, names, true, r->arena, &r->report);
  r->scope =
      (dls_scope){.source = &model->source, .names = names, .frozen = true, .report = &r->report};
  return DLS_OK;
}

static void end_reading(reading *r)
{
  dls_parser_free(&r->parser);
  dls_error_list_free(&r->report);
  dls_arena_free(r->arena);
  free(r->assignments.items);
}

// What the reading came to: its first error as a message.
static dls_status outcome(const reading *r, dls_message *message)
{
  if (r->parser.status) return dls_fail(message, r->parser.status, "out of memory");
  if (r->diagnostics.total == 0) return DLS_OK;
  if (!message) return DLS_ERR_ARGUMENT;
  dls_diagnostic_format(&r->diagnostics.item[0], r->report.text, r->report.length, message->text,
                        sizeof message->text);
  const size_t length = strlen(message->text);
  if (length > 0 && message->text[length - 1] == '\n') message->text[length - 1] = '\0';
  return DLS_ERR_ARGUMENT;
}

static bool expect_end(dls_parser *p, const char *expected)
{
  while (dls_parser_take(p, DLS_TOKEN_NEWLINE)) {
  }
  return p->token.kind == DLS_TOKEN_END || dls_parser_unexpected(p, expected);
}

static dls_status unknown_parameter(const dls_model *model, const char *name, dls_message *message)
{
  const dls_names *names = &model->names;
  const size_t size = strlen(name);
  const unsigned length = size < TEXT_MAX ? (unsigned)size : TEXT_MAX;
  const dls_quoted quoted = dls_quote(name, length);
  const int word = dls_names_find(names, name, length);
  const dls_meaning meaning = word < 0 ? DLS_MEANS_NOTHING : names->words[word].meaning;
  if (meaning == DLS_MEANS_COORDINATE)
    return dls_fail(message, DLS_ERR_ARGUMENT,
                    "`%s` is a coordinate, not a parameter; use --at \"%s = ...\"", quoted.text,
                    quoted.text);
  if (meaning == DLS_MEANS_LET)
    return dls_fail(message, DLS_ERR_ARGUMENT,
                    "`%s` is a `let` expression; set the parameters that it is made of",
                    quoted.text);
  const int near = dls_names_nearest(names, name, length, DLS_NEAR_PARAMETER);
  if (near >= 0)
    return dls_fail(message, DLS_ERR_ARGUMENT, "unknown parameter `%s`; did you mean `%s`?",
                    quoted.text, names->words[near].text);
  return dls_fail(message, DLS_ERR_ARGUMENT, "unknown parameter `%s`%s", quoted.text,
                  model->source.parameters.count ? "" : "; the model has no parameters");
}

// The value of the text at the parameters of the instance.
static dls_status read_value(const dls_instance *instance, const char *text, double *value,
                             dls_message *message)
{
  const dls_model *model = instance->model;
  const dls_source *s = &model->source;
  reading r;
  dls_formula formula = {0};
  dls_evaluator e = {0};
  dls_status status = begin_reading(&r, model, text);
  if (status == DLS_OK) {
    if (dls_parse_expression(&r.parser, &formula))
      expect_end(&r.parser, "an operator or the end of the value");
    dls_resolve_formula(&r.scope, &formula);
    for (int i = 0; i < formula.count && !formula.broken; i++) {
      const dls_instruction *code = &formula.code[i];
      if (code->op != DLS_CODE_REFERENCE) continue;
      if (!(model->depends[code->index] & ~(unsigned)DLS_ON_PARAMETERS)) continue;
      dls_error_list_add(&r.report, code->at, code->length,
                         "the value of a parameter may use numbers and parameters only");
      break;
    }
    status = outcome(&r, message);
  }
  if (status == DLS_OK) {
    bool good = dls_evaluator_begin(&e, dls_definition_count(s), model->definitions);
    for (int i = 0; good && i < s->parameters.count; i++)
      dls_evaluator_know(&e, i, instance->parameters[i]);
    if (!good || !dls_evaluator_formula(&e, &formula, value)) status = DLS_ERR_MEMORY;
  }
  dls_evaluator_free(&e);
  end_reading(&r);
  return status;
}

// All parameters anew, with `index` at `value` and the others that were set as they are.
static dls_status follow(dls_instance *instance, int index, double value, dls_message *message)
{
  const dls_model *model = instance->model;
  const int count = model->source.parameters.count;
  dls_evaluator e = {0};
  bool good = dls_evaluator_begin(&e, dls_definition_count(&model->source), model->definitions);
  for (int i = 0; good && i < count; i++) {
    if (i == index) dls_evaluator_know(&e, i, value);
    else if (instance->set[i]) dls_evaluator_know(&e, i, instance->parameters[i]);
  }
  for (int i = 0; good && i < count; i++) good = dls_evaluator_run(&e, i);
  dls_status status = good ? DLS_OK : DLS_ERR_MEMORY;
  for (int i = 0; status == DLS_OK && i < count; i++) {
    if (isfinite(e.value[i])) continue;
    status = dls_fail(message, DLS_ERR_NUMBER, "the parameter `%s` would not be a finite number",
                      dls_definition_name(&model->source, &model->names, i).text);
  }
  if (status == DLS_OK) {
    memcpy(instance->parameters, e.value, (size_t)count * sizeof(double));
    instance->set[index] = true;
    dls_instance_start(instance);
  }
  dls_evaluator_free(&e);
  return status;
}

dls_status dls_model_set(dls_system *system, const char *name, const char *value,
                         dls_message *message)
{
  dls_instance *instance = dls_instance_of(system);
  if (message) message->text[0] = '\0';
  if (!instance) return dls_fail(message, DLS_ERR_ARGUMENT, "the system was not made from a model");
  if (!name || !value) return dls_fail(message, DLS_ERR_ARGUMENT, "a name and a value are needed");
  const dls_model *model = instance->model;
  const size_t length = strlen(name);
  const int word = length < TEXT_MAX ? dls_names_find(&model->names, name, (unsigned)length) : -1;
  if (word < 0 || model->names.words[word].meaning != DLS_MEANS_PARAMETER)
    return unknown_parameter(model, name, message);
  double number;
  const dls_status status = read_value(instance, value, &number, message);
  return status == DLS_OK ? follow(instance, model->names.words[word].index, number, message)
                          : status;
}

// x = EXPR, x' = EXPR, t = EXPR
static void read_assignments(reading *r)
{
  dls_parser *p = &r->parser;
  do {
    dls_assignment a;
    if (!dls_parse_assignment(p, &a)) return;
    dls_resolve_assignment(&r->scope, &a);
    if (r->diagnostics.total > 0) return;
    dls_assignment *items = dls_list_more(r->assignments.items, r->assignments.count,
                                          &r->assignments.capacity, sizeof *items);
    if (!items) {
      p->status = DLS_ERR_MEMORY;
      return;
    }
    r->assignments.items = items;
    items[r->assignments.count++] = a;
  } while (dls_parser_take(p, DLS_TOKEN_COMMA));
  expect_end(p, "an operator, `,` or the end of the assignments");
}

static dls_status unknown_state(const dls_model *model, const char *name, unsigned length,
                                dls_message *message)
{
  const dls_names *names = &model->names;
  const dls_source *s = &model->source;
  char list[600] = "the model names no state; write assignments such as \"x = 1, x' = 0\"";
  size_t used = 0;
  for (int i = 0; i < s->states.count && i < STATES_LISTED && used < sizeof list; i++) {
    const dls_word *w = &names->words[s->states.items[i].name];
    const int written = snprintf(list + used, sizeof list - used, "%s%s",
                                 i ? ", " : "states: ", dls_quote(w->text, w->length).text);
    used += written > 0 ? (size_t)written : 0;
  }
  if (s->states.count > STATES_LISTED && used < sizeof list)
    snprintf(list + used, sizeof list - used, " and %d more", s->states.count - STATES_LISTED);
  const int near = dls_names_nearest(names, name, length, DLS_NEAR_STATE);
  return dls_fail(message, DLS_ERR_ARGUMENT, "unknown state `%s`%s%s%s\n  %s",
                  dls_quote(name, length).text, near >= 0 ? "; did you mean `" : "",
                  near >= 0 ? dls_quote(names->words[near].text, names->words[near].length).text
                            : "",
                  near >= 0 ? "`?" : "", list);
}

typedef struct circle_context {
  const dls_model *model;
  dls_message *message;
  bool found;
} circle_context;

static void note_circle(void *context, const dls_evaluator *e, int first)
{
  circle_context *c = context;
  const dls_source *s = &c->model->source;
  const dls_names *names = &c->model->names;
  const int a = e->waiting.items[first].definition;
  const int b = e->waiting.items[first + 1 < e->waiting.count ? first + 1 : first].definition;
  if (!c->found)
    dls_fail(c->message, DLS_ERR_ARGUMENT,
             "the state is circular: `%s` needs `%s`, which needs `%s` again",
             dls_definition_name(s, names, a).text, dls_definition_name(s, names, b).text,
             dls_definition_name(s, names, a).text);
  c->found = true;
}

// Every coordinate, velocity and t with the assigned formulas in place of the initial ones.
static dls_status compute(const dls_instance *instance, const dls_assignment *assigned, int count,
                          dls_state *state, dls_message *message)
{
  const dls_model *model = instance->model;
  const dls_source *s = &model->source;
  const int n = s->coordinates.count, first = dls_definition_coordinate(s, 0);
  circle_context circle = {.model = model, .message = message};
  dls_evaluator e = {0};
  bool good = dls_evaluator_begin(&e, dls_definition_count(s), model->definitions);
  e.on_circle = note_circle;
  e.context = &circle;
  for (int i = 0; good && i < s->parameters.count; i++)
    dls_evaluator_know(&e, i, instance->parameters[i]);
  for (int k = 0; good && k < count; k++) e.formula[assigned[k].definition] = &assigned[k].value;
  for (int i = first; good && i < e.count; i++) good = dls_evaluator_run(&e, i);

  dls_status status = good ? DLS_OK : DLS_ERR_MEMORY;
  if (good && circle.found) status = DLS_ERR_ARGUMENT;
  for (int i = first; i < e.count && status == DLS_OK; i++) {
    if (isfinite(e.value[i])) continue;
    status = dls_fail(message, DLS_ERR_NUMBER, "the value of `%s` is not a finite number",
                      dls_definition_name(s, &model->names, i).text);
  }
  if (status == DLS_OK) {
    memcpy(state->q, e.value + first, (size_t)n * sizeof(double));
    memcpy(state->v, e.value + first + n, (size_t)n * sizeof(double));
    state->t = e.value[dls_definition_time(s)];
  }
  dls_evaluator_free(&e);
  return status;
}

// Each name at most once.
static void refuse_repetitions(reading *r)
{
  bool *seen = dls_alloc(dls_definition_count(r->scope.source), sizeof *seen);
  if (!seen) r->parser.status = DLS_ERR_MEMORY;
  for (int i = 0; seen && i < r->assignments.count; i++) {
    const dls_assignment *a = &r->assignments.items[i];
    if (seen[a->definition])
      dls_error_list_add(&r->report, a->at, a->length, "this is given twice");
    seen[a->definition] = true;
  }
  free(seen);
}

static dls_status compute_assigned(const dls_instance *instance, const char *at, dls_state *state,
                                   dls_message *message)
{
  reading r;
  dls_status status = begin_reading(&r, instance->model, at);
  if (status == DLS_OK) {
    read_assignments(&r);
    if (!r.parser.status) refuse_repetitions(&r);
    status = outcome(&r, message);
  }
  if (status == DLS_OK)
    status = compute(instance, r.assignments.items, r.assignments.count, state, message);
  end_reading(&r);
  return status;
}

static size_t trimmed(const char *text, size_t length)
{
  while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\t')) length--;
  return length;
}

// The word that names a state, -1 when none does.
static int find_state(const dls_model *model, const char *name, size_t length)
{
  const int word = length < TEXT_MAX ? dls_names_find(&model->names, name, (unsigned)length) : -1;
  return word >= 0 && model->names.words[word].state >= 0 ? word : -1;
}

dls_status dls_model_state(const dls_system *system, const char *at, dls_state *state,
                           dls_message *message)
{
  const dls_instance *instance = dls_instance_of(system);
  if (message) message->text[0] = '\0';
  if (!instance) return dls_fail(message, DLS_ERR_ARGUMENT, "the system was not made from a model");
  if (!state || !state->q || !state->v)
    return dls_fail(message, DLS_ERR_ARGUMENT, "the state has no room for its numbers");
  if (!at) at = "";
  while (*at == ' ' || *at == '\t') at++;
  const size_t length = trimmed(at, strcspn(at, ",="));
  const int word = find_state(instance->model, at, length);
  if (strchr(at, '=')) {
    if (word >= 0 && at[strcspn(at, ",=")] == ',')
      return dls_fail(message, DLS_ERR_ARGUMENT,
                      "`%s` is a state; give a state or assignments, not both",
                      dls_quote(at, (unsigned)length).text);
    return compute_assigned(instance, at, state, message);
  }
  const size_t whole = trimmed(at, strlen(at));
  if (whole == 0) return compute(instance, NULL, 0, state, message);
  const dls_source *s = &instance->model->source;
  if (word < 0 || whole != length)
    return unknown_state(instance->model, at, whole < TEXT_MAX ? (unsigned)whole : TEXT_MAX,
                         message);
  const dls_named_list *named = &s->states.items[instance->model->names.words[word].state];
  return compute(instance, s->assignments.items + named->first, named->count, state, message);
}
