// Definitions: circles, order, what each depends on, and the rules that follow from it.
#include "model/analysis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  NAMES_IN_CIRCLE = 6,
  STATE_STEPS = 20000000,  // spent on looking for circles in states; running one looks again
};

static unsigned place_of(const dls_source *s, int definition)
{
  if (definition < s->parameters.count) return s->parameters.items[definition].at;
  if (definition < dls_definition_coordinate(s, 0))
    return s->lets.items[definition - dls_definition_let(s, 0)].at;
  if (definition < dls_definition_velocity(s, 0))
    return s->coordinates.items[definition - dls_definition_coordinate(s, 0)].at;
  if (definition < dls_definition_time(s))
    return s->coordinates.items[definition - dls_definition_velocity(s, 0)].velocity.at;
  return 0;
}

// "`a` needs `b`, which needs `a`" for waiting[first ...], beginning at waiting[start]
static void describe_circle(const dls_source *s, const dls_names *names, const dls_evaluator *e,
                            int first, int start, char *text, size_t size)
{
  const int count = e->waiting.count - first;
  size_t used = 0;
  for (int k = 0; k <= count && used < size; k++) {
    const int definition = e->waiting.items[first + (start - first + k) % count].definition;
    const char *link = k == 0 ? "" : k == 1 ? " needs " : ", which needs ";
    if (k == NAMES_IN_CIRCLE && count > NAMES_IN_CIRCLE) {
      snprintf(text + used, size - used, ", which needs ... and so on, %d in all", count);
      return;
    }
    const int written = snprintf(text + used, size - used, "%s`%s`", link,
                                 dls_definition_name(s, names, definition).text);
    used += written > 0 ? (size_t)written : 0;
  }
}

// Where to point: the first of the circle in the text.
static int first_of_circle(const dls_analysis *a, const dls_evaluator *e, int first)
{
  const dls_source *s = &a->model->source;
  int start = first;
  for (int i = first; i < e->waiting.count; i++) {
    if (place_of(s, e->waiting.items[i].definition) <
        place_of(s, e->waiting.items[start].definition))
      start = i;
  }
  return start;
}

// In a state: its first assignment that belongs to the circle, which is then moved to `start`.
static const dls_assignment *assignment_of_circle(const dls_analysis *a, const dls_evaluator *e,
                                                  int first, int *start)
{
  const dls_assignment *items = a->model->source.assignments.items + a->state->first;
  for (int k = 0; k < a->state->count; k++) {
    for (*start = first; *start < e->waiting.count; ++*start) {
      if (e->waiting.items[*start].definition == items[k].definition) return &items[k];
    }
  }
  *start = first;
  return items;
}

static void report_circle(void *context, const dls_evaluator *e, int first)
{
  const dls_analysis *a = context;
  const dls_source *s = &a->model->source;
  const dls_names *names = &a->model->names;
  int start = first;
  unsigned at, length;
  if (a->state) {
    const dls_assignment *assignment = assignment_of_circle(a, e, first, &start);
    at = assignment->at;
    length = assignment->length;
  } else {
    start = first_of_circle(a, e, first);
    const int definition = e->waiting.items[start].definition;
    at = place_of(s, definition);
    length = (unsigned)strlen(dls_definition_name(s, names, definition).text);
  }
  char circle[300];
  describe_circle(s, names, e, first, start, circle, sizeof circle);
  dls_error_list_add(a->report, at, length, "circular definition: %s", circle);
}

static unsigned depends_of(const dls_analysis *a, const dls_formula *formula)
{
  unsigned depends = formula->broken ? DLS_ON_ERRORS : 0;
  for (int i = 0; i < formula->count && !formula->broken; i++) {
    const dls_instruction *code = &formula->code[i];
    if (code->op == DLS_CODE_REFERENCE) depends |= a->depends[code->index];
  }
  return depends;
}

// Evaluates every definition once: this finds circles and the order of use.
static bool evaluate_all(dls_analysis *a, dls_evaluator *e)
{
  const dls_source *s = &a->model->source;
  e->on_circle = report_circle;
  e->context = a;
  for (int i = 0; i < e->count; i++) {
    if (!dls_evaluator_run(e, i)) return false;
  }
  for (int k = 0; k < e->known; k++) {
    const int i = a->order[k] = e->order[k];
    unsigned own = DLS_ON_TIME;
    if (i < s->parameters.count) own = DLS_ON_PARAMETERS;
    else if (i < dls_definition_coordinate(s, 0))
      own = depends_of(a, &s->lets.items[i - dls_definition_let(s, 0)].value);
    else if (i < dls_definition_velocity(s, 0)) own = DLS_ON_COORDINATES;
    else if (i < dls_definition_time(s)) own = DLS_ON_VELOCITIES;
    a->depends[i] = own | (e->cyclic[i] ? DLS_ON_ERRORS : 0);
  }
  a->ordered = e->known;
  return true;
}

// Reports the first reference to something of a kind that is not allowed.
static bool refuse(dls_analysis *a, const dls_formula *formula, unsigned kinds, const char *rule)
{
  const dls_source *s = &a->model->source;
  if (formula->broken) return false;
  for (int i = 0; i < formula->count; i++) {
    const dls_instruction *code = &formula->code[i];
    if (code->op != DLS_CODE_REFERENCE || !(a->depends[code->index] & kinds)) continue;
    const unsigned depends = a->depends[code->index] & kinds;
    const bool let =
        code->index >= dls_definition_let(s, 0) && code->index < dls_definition_coordinate(s, 0);
    const dls_quoted name = dls_definition_name(s, &a->model->names, code->index);
    const char *what = depends & DLS_ON_VELOCITIES    ? "velocities"
                       : depends & DLS_ON_COORDINATES ? "coordinates"
                                                      : "time";
    // a let that the text did not name
    if (name.text[0] == '(') {
      dls_error_list_add(a->report, formula->at, formula->length, "%s, but this depends on %s",
                         rule, what);
      return false;
    }
    dls_diagnostic *d =
        let ? dls_error_list_add(a->report, code->at, code->length, "%s, but `%s` depends on %s",
                                 rule, name.text, what)
            : dls_error_list_add(a->report, code->at, code->length, "%s, not `%s`", rule,
                                 name.text);
    if (let)
      dls_error_list_hint(d, "`%s` is defined at line %d", name.text,
                          dls_error_list_line(a->report, place_of(s, code->index)));
    return false;
  }
  return true;
}

static void check_parameter(dls_analysis *a, int i, double number)
{
  const dls_source *s = &a->model->source;
  const dls_formula *value = &s->parameters.items[i].value;
  const unsigned moving = DLS_ON_TIME | DLS_ON_COORDINATES | DLS_ON_VELOCITIES;
  // what follows from a mistake is not one more mistake
  a->depends[i] |= depends_of(a, value) & DLS_ON_ERRORS;
  if (!refuse(a, value, moving, "a parameter may use numbers and other parameters")) {
    a->depends[i] |= DLS_ON_ERRORS;
  } else if (!isfinite(number) && !(a->depends[i] & DLS_ON_ERRORS)) {
    dls_error_list_add(a->report, value->at, value->length,
                       "the value of `%s` is not a finite number",
                       dls_definition_name(s, &a->model->names, i).text);
    a->depends[i] |= DLS_ON_ERRORS;
  }
}

static void check_rules(dls_analysis *a, const dls_evaluator *e)
{
  const dls_source *s = &a->model->source;
  // in the order of use, so that mistakes are known before what follows from them
  for (int k = 0; k < a->ordered; k++) {
    const int i = a->order[k];
    if (i < s->parameters.count) check_parameter(a, i, e->value[i]);
    else if (i < dls_definition_coordinate(s, 0))
      a->depends[i] |= depends_of(a, e->formula[i]) & DLS_ON_ERRORS;
  }
  for (int i = 0; i < s->numbers.count; i++)
    refuse(a, &s->numbers.items[i], DLS_ON_TIME | DLS_ON_COORDINATES | DLS_ON_VELOCITIES,
           "the numbers of bodies and of their states may use numbers and parameters");
  for (int i = 0; i < s->coordinates.count; i++) {
    const dls_coordinate *c = &s->coordinates.items[i];
    refuse(a, &c->initial, DLS_ON_VELOCITIES,
           "the initial value of a coordinate may use parameters and other coordinates");
    for (int k = 0; k < 2; k++)
      refuse(a, &c->exact[k], DLS_ON_COORDINATES | DLS_ON_VELOCITIES,
             "an exact solution is a function of t and the parameters");
  }
}

// In a state the assigned values replace the initial ones, which may close a circle.
static bool check_states(dls_analysis *a, dls_evaluator *e)
{
  const dls_source *s = &a->model->source;
  dls_evaluator_forget(e, 0);
  e->circles = 0;
  for (int k = 0; k < a->ordered; k++) {
    const int i = a->order[k];
    if (!(a->depends[i] & ~(unsigned)(DLS_ON_PARAMETERS | DLS_ON_ERRORS)))
      dls_evaluator_know(e, i, 0.0);
  }
  const int base = e->known;
  long steps = 0;
  for (int j = 0; j < s->states.count && steps < STATE_STEPS; j++) {
    a->state = &s->states.items[j];
    const dls_assignment *first = s->assignments.items + a->state->first;
    const int count = a->state->count;
    for (int k = 0; k < count; k++) {
      if (first[k].definition >= 0) e->formula[first[k].definition] = &first[k].value;
    }
    for (int k = 0; k < count; k++) {
      if (first[k].definition >= 0 && !dls_evaluator_run(e, first[k].definition)) return false;
    }
    for (int k = 0; k < count; k++) {
      const int i = first[k].definition;
      if (i >= 0) e->formula[i] = a->model->definitions[i];
    }
    for (int k = base; k < e->known; k++) {
      const dls_formula *f = e->formula[e->order[k]];
      steps += 1 + (f ? f->count : 0);
    }
    dls_evaluator_forget(e, base);
  }
  a->state = NULL;
  return true;
}

static bool collect_definitions(dls_analysis *a)
{
  dls_model *model = a->model;
  const dls_source *s = &model->source;
  const int count = dls_definition_count(s);
  model->definitions = dls_arena_alloc(model->arena, count, sizeof *model->definitions);
  model->parameters =
      dls_arena_alloc(model->arena, s->parameters.count + 1, sizeof *model->parameters);
  a->depends = model->depends = dls_arena_alloc(model->arena, count, sizeof *model->depends);
  a->order = dls_alloc(count, sizeof *a->order);
  if (!model->definitions || !model->parameters || !a->depends || !a->order) return false;
  const dls_formula **place = model->definitions;
  for (int i = 0; i < s->parameters.count; i++) *place++ = &s->parameters.items[i].value;
  for (int i = 0; i < s->lets.count; i++) *place++ = &s->lets.items[i].value;
  for (int i = 0; i < s->coordinates.count; i++, place++) {
    const dls_formula *initial = &s->coordinates.items[i].initial;
    if (initial->code || initial->broken) *place = initial;
  }
  for (int i = 0; i < s->coordinates.count; i++, place++) {
    const dls_formula *velocity = &s->coordinates.items[i].velocity;
    if (velocity->code || velocity->broken) *place = velocity;
  }
  return true;
}

bool dls_analyse_definitions(dls_analysis *a)
{
  dls_evaluator e = {0};
  bool good =
      collect_definitions(a) &&
      dls_evaluator_begin(&e, dls_definition_count(&a->model->source), a->model->definitions) &&
      evaluate_all(a, &e);
  if (good) {
    check_rules(a, &e);
    memcpy(a->model->parameters, e.value,
           (size_t)a->model->source.parameters.count * sizeof(double));
    good = check_states(a, &e);
  }
  dls_evaluator_free(&e);
  if (!good) a->status = DLS_ERR_MEMORY;
  return good;
}
