// Values that come with the call: --set NAME=VALUE and --at STATE. Their text is parsed against the
// names of the model, which stays as it is.
#include <delassus/model.h>

#include "base/message.h"
#include "model/instance_bodies.h"
#include "model/parser.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 1 << 20, STATES_LISTED = 12, NAME_SIZE = 420 };

// What a state gives to bodies, as numbers.
typedef struct given {
  DLS_LIST(dls_body_value) values;
  bool failed;
} given;

static void give(given *g, dls_body_value value)
{
  dls_body_value *items =
      dls_list_more(g->values.items, g->values.count, &g->values.capacity, sizeof *items);
  if (!items) {
    g->failed = true;
    return;
  }
  g->values.items = items;
  items[g->values.count++] = value;
}

// A short text that is parsed for one call.
typedef struct reading {
  dls_arena *arena;
  dls_diagnostics diagnostics;
  dls_error_list report;
  dls_parser parser;
  dls_scope scope;
  DLS_LIST(dls_assignment) assignments;
  dls_instance_bodies *bodies;  // NULL: there are none
  given given;
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
  free(r->given.values.items);
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

// With bodies these values may be refused; all stays as it was then.
static dls_status take_parameters(dls_instance *instance, const double *value, dls_message *message)
{
  const ptrdiff_t count = instance->model->source.parameters.count;
  double *before = dls_alloc(count, sizeof *before);
  if (!before) return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  dls_copy(before, instance->parameters, count);
  dls_copy(instance->parameters, value, count);
  const dls_status status =
      instance->bodies ? dls_instance_bodies_update(instance->bodies, message) : DLS_OK;
  if (status == DLS_OK) dls_instance_start(instance);
  else dls_copy(instance->parameters, before, count);
  free(before);
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
  if (status == DLS_OK) status = take_parameters(instance, e.value, message);
  if (status == DLS_OK) instance->set[index] = true;
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

// As it is written, without blanks and the quote: the name of a number of bodies?
static bool is_of_bodies(reading *r, const dls_assignment *a)
{
  char name[NAME_SIZE];
  unsigned length = 0;
  for (unsigned k = 0; k < a->length && length < sizeof name - 1; k++) {
    const char c = r->report.text[a->at + k];
    if (c != ' ' && c != '\t') name[length++] = c;
  }
  if (length > 0 && name[length - 1] == '\'') length--;
  name[length] = '\0';
  const dls_system *inner = r->bodies->inner;
  const char *const *names = a->velocity ? inner->coordinates : dls_configuration_names(inner);
  const int count = a->velocity ? inner->n : dls_system_nq(inner);
  for (int k = 0; k < count; k++) {
    if (strcmp(names[k], name) != 0) continue;
    give(&r->given, (dls_body_value){.name = names[k], .velocity = a->velocity});
    return true;
  }
  // in maximal coordinates a joint may still be told by its coordinate
  const dls_mechanism *m = &r->bodies->made.mechanism;
  for (int j = 0; j < m->joints; j++) {
    if (strcmp(m->joint[j].name, name) != 0 || m->joint[j].kind < DLS_JOINT_HINGE) continue;
    give(&r->given, (dls_body_value){.name = m->joint[j].name, .velocity = a->velocity});
    return true;
  }
  return false;
}

// The values of what is given to bodies, from numbers and parameters.
static dls_status evaluate_given(reading *r, const dls_instance *instance, dls_message *message)
{
  const dls_source *s = &instance->model->source;
  dls_evaluator e = {0};
  bool good = dls_evaluator_begin(&e, dls_definition_count(s), instance->model->definitions);
  for (int i = 0; good && i < s->parameters.count; i++)
    dls_evaluator_know(&e, i, instance->parameters[i]);
  int at = 0;
  dls_status status = DLS_OK;
  for (int k = 0; good && k < r->assignments.count && status == DLS_OK; k++) {
    const dls_assignment *a = &r->assignments.items[k];
    if (!a->of_bodies) continue;
    dls_body_value *value = &r->given.values.items[at++];
    for (int i = 0; i < a->value.count; i++) {
      const dls_instruction *code = &a->value.code[i];
      if (code->op == DLS_CODE_REFERENCE &&
          instance->model->depends[code->index] & ~(unsigned)DLS_ON_PARAMETERS)
        status = dls_fail(message, DLS_ERR_ARGUMENT,
                          "the value of `%s` may use numbers and parameters only", value->name);
    }
    good = dls_evaluator_formula(&e, &a->value, &value->value);
    if (good && status == DLS_OK && !isfinite(value->value))
      status = dls_fail(message, DLS_ERR_NUMBER, "the value of `%s` is not a finite number",
                        value->name);
  }
  dls_evaluator_free(&e);
  return good ? status : dls_fail(message, DLS_ERR_MEMORY, "out of memory");
}

// x = EXPR, x' = EXPR, t = EXPR
static void read_assignments(reading *r)
{
  dls_parser *p = &r->parser;
  do {
    dls_assignment a;
    if (!dls_parse_assignment(p, &a)) return;
    a.of_bodies = r->bodies && is_of_bodies(r, &a);
    if (a.of_bodies) dls_resolve_formula(&r->scope, &a.value);
    else dls_resolve_assignment(&r->scope, &a);
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
  for (int i = 0; i < model->keys && i < STATES_LISTED && used < sizeof list; i++) {
    const char *key = model->key[i].name;
    const int written = snprintf(list + used, sizeof list - used, "%s%s",
                                 i ? ", " : "states: ", dls_quote(key, (unsigned)strlen(key)).text);
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

// Those of a named state; -1: none.
static void take_entries(const dls_instance *instance, int state, given *g)
{
  const dls_source *s = &instance->model->source;
  for (int k = 0; k < s->entries.count; k++) {
    const dls_body_entry *e = &s->entries.items[k];
    if (e->state != state) continue;
    give(g, (dls_body_value){.field = e->field,
                             .body = e->body,
                             .part = e->part,
                             .name = instance->model->names.words[e->name].text,
                             .velocity = e->velocity,
                             .value = instance->bodies->made.number[e->value]});
  }
}

// Bodies first; what the text has of them is known then.
static dls_status know_bodies(const dls_instance *instance, dls_evaluator *e, const given *g,
                              dls_state *state, dls_message *message)
{
  dls_instance_bodies *b = instance->bodies;
  const dls_source *s = &instance->model->source;
  dls_status status =
      dls_instance_bodies_state(b, g->values.items, g->values.count, state->q, state->v, message);
  if (status != DLS_OK || s->coordinates.count == s->own) return status;
  for (int i = 0; i < b->own; i++) state->q[b->nq + i] = state->v[b->n + i] = 0;
  status = dls_instance_bodies_expand(b, state->q, state->v);
  if (status != DLS_OK) return dls_fail(message, status, "the state of the bodies is not finite");
  for (int i = s->own; i < s->coordinates.count; i++) {
    dls_evaluator_know(e, dls_definition_coordinate(s, i), b->z[i]);
    dls_evaluator_know(e, dls_definition_velocity(s, i), b->z_dot[i]);
  }
  return DLS_OK;
}

// Every coordinate, velocity and t with the assigned formulas in place of the initial ones.
static dls_status compute(const dls_instance *instance, const dls_assignment *assigned, int count,
                          const given *g, dls_state *state, dls_message *message)
{
  const dls_model *model = instance->model;
  const dls_source *s = &model->source;
  const dls_instance_bodies *b = instance->bodies;
  const int n = s->coordinates.count, first = dls_definition_coordinate(s, 0);
  circle_context circle = {.model = model, .message = message};
  dls_evaluator e = {0};
  dls_status status = DLS_OK;
  bool good = dls_evaluator_begin(&e, dls_definition_count(s), model->definitions);
  e.on_circle = note_circle;
  e.context = &circle;
  for (int i = 0; good && i < s->parameters.count; i++)
    dls_evaluator_know(&e, i, instance->parameters[i]);
  for (int k = 0; good && k < count; k++)
    if (!assigned[k].of_bodies) e.formula[assigned[k].definition] = &assigned[k].value;
  if (good && b) status = know_bodies(instance, &e, g, state, message);
  for (int i = first; good && status == DLS_OK && i < e.count; i++) good = dls_evaluator_run(&e, i);

  if (!good) status = DLS_ERR_MEMORY;
  if (good && circle.found) status = DLS_ERR_ARGUMENT;
  for (int i = first; i < e.count && status == DLS_OK; i++) {
    if (isfinite(e.value[i])) continue;
    status = dls_fail(message, DLS_ERR_NUMBER, "the value of `%s` is not a finite number",
                      dls_definition_name(s, &model->names, i).text);
  }
  if (status == DLS_OK) {
    dls_copy(state->q + (b ? b->nq : 0), e.value + first, s->own);
    dls_copy(state->v + (b ? b->n : 0), e.value + first + n, s->own);
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
    if (a->of_bodies) continue;
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
  r.bodies = instance->bodies;
  if (status == DLS_OK) {
    read_assignments(&r);
    if (!r.parser.status) refuse_repetitions(&r);
    status = outcome(&r, message);
  }
  if (status == DLS_OK && r.given.failed)
    status = dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  if (status == DLS_OK) status = evaluate_given(&r, instance, message);
  if (status == DLS_OK)
    status = compute(instance, r.assignments.items, r.assignments.count, &r.given, state, message);
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

// A keyframe of the file that the model is made of; -1.
static int find_key(const dls_model *model, const char *name, size_t length)
{
  for (int k = 0; k < model->keys; k++)
    if (strlen(model->key[k].name) == length && memcmp(model->key[k].name, name, length) == 0)
      return k;
  return -1;
}

static dls_status take_key(const dls_instance *instance, int key, dls_state *state,
                           dls_message *message)
{
  const dls_import_state *from = &instance->model->key[key];
  const dls_status status =
      dls_instance_bodies_take(instance->bodies, from->q, from->v, state->q, state->v, message);
  state->t = from->time;
  return status;
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
  given g = {.failed = false};
  if (strchr(at, '=')) {
    if (word >= 0 && at[strcspn(at, ",=")] == ',')
      return dls_fail(message, DLS_ERR_ARGUMENT,
                      "`%s` is a state; give a state or assignments, not both",
                      dls_quote(at, (unsigned)length).text);
    return compute_assigned(instance, at, state, message);
  }
  const size_t whole = trimmed(at, strlen(at));
  if (whole == 0) return compute(instance, NULL, 0, &g, state, message);
  if (find_key(instance->model, at, whole) >= 0)
    return take_key(instance, find_key(instance->model, at, whole), state, message);
  const dls_source *s = &instance->model->source;
  if (word < 0 || whole != length)
    return unknown_state(instance->model, at, whole < TEXT_MAX ? (unsigned)whole : TEXT_MAX,
                         message);
  const int number = instance->model->names.words[word].state;
  const dls_named_list *named = &s->states.items[number];
  if (instance->bodies) take_entries(instance, number, &g);
  const dls_status status = g.failed ? dls_fail(message, DLS_ERR_MEMORY, "out of memory")
                                     : compute(instance, s->assignments.items + named->first,
                                               named->count, &g, state, message);
  free(g.values.items);
  return status;
}
