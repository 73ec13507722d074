// Names -> definitions.
#include "model/analysis.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const char *kind_of(dls_meaning meaning)
{
  switch (meaning) {
  case DLS_MEANS_PARAMETER: return "a parameter";
  case DLS_MEANS_LET: return "a `let` expression";
  case DLS_MEANS_COORDINATE: return "a coordinate";
  case DLS_MEANS_TIME: return "time";
  case DLS_MEANS_PI: return "a constant";
  case DLS_MEANS_FUNCTION: return "a function";
  default: return "unknown";
  }
}

dls_quoted dls_definition_name(const dls_source *s, const dls_names *names, int definition)
{
  if (definition == dls_definition_time(s)) return (dls_quoted){"t"};
  int name;
  bool velocity = false;
  if (definition < s->parameters.count) {
    name = s->parameters.items[definition].name;
  } else if (definition < dls_definition_coordinate(s, 0)) {
    name = s->lets.items[definition - dls_definition_let(s, 0)].name;
  } else {
    velocity = definition >= dls_definition_velocity(s, 0);
    name =
        s->coordinates.items[(definition - dls_definition_coordinate(s, 0)) % s->coordinates.count]
            .name;
  }
  dls_quoted q = dls_quote(names->words[name].text, names->words[name].length);
  const size_t length = strlen(q.text);
  if (velocity && length + 1 < sizeof q.text) memcpy(q.text + length, "'", 2);
  return q;
}

static bool already_reported(const dls_scope *scope, int word)
{
  if (word < 0 || scope->frozen) return false;
  assert(scope->names->words);
  dls_word *w = &scope->names->words[word];
  const bool reported = w->reported || w->meaning == DLS_MEANS_SUSPECT;
  w->reported = true;
  return reported;
}

static void report_unknown(const dls_scope *scope, const dls_instruction *code)
{
  const char *text = scope->report->text + code->at;
  const bool velocity = code->op == DLS_CODE_VELOCITY_NAME;
  const unsigned length = code->length - velocity;
  if (already_reported(scope, code->index)) return;
  dls_diagnostic *d = dls_error_list_add(scope->report, code->at, length, "unknown name `%s`",
                                         dls_quote(text, length).text);
  if (code->index >= 0 && scope->names->words[code->index].contact >= 0)
    dls_error_list_hint(d, "a contact has that name, but no value");
  dls_error_list_suggest(scope->report, d, scope->names, text, length,
                         velocity ? DLS_NEAR_COORDINATE : DLS_NEAR_VALUE);
}

static void report_call(const dls_scope *scope, const dls_instruction *code)
{
  const char *text = scope->report->text + code->at;
  const dls_quoted name = dls_quote(text, code->length);
  const dls_meaning meaning =
      code->index < 0 ? DLS_MEANS_NOTHING : scope->names->words[code->index].meaning;
  if (meaning != DLS_MEANS_NOTHING && meaning != DLS_MEANS_SUSPECT) {
    dls_error_list_hint(dls_error_list_add(scope->report, code->at, code->length,
                                           "`%s` is %s, not a function", name.text,
                                           kind_of(meaning)),
                        "a product needs its `*`: write `%s*(...)`", name.text);
    return;
  }
  if (already_reported(scope, code->index)) return;
  dls_diagnostic *d =
      dls_error_list_add(scope->report, code->at, code->length, "unknown function `%s`", name.text);
  dls_error_list_hint(
      d, "functions: sin cos tan asin acos atan atan2 sinh cosh tanh exp log log2 sqrt "
         "abs sign floor min max if dot cross norm");
  dls_error_list_suggest(scope->report, d, scope->names, text, code->length, DLS_NEAR_FUNCTION);
}

// The definition that a name means; -1 after an error.
static int find_definition(const dls_scope *scope, const dls_instruction *code)
{
  const dls_source *s = scope->source;
  const bool velocity = code->op == DLS_CODE_VELOCITY_NAME;
  const dls_word *w = code->index < 0 ? NULL : &scope->names->words[code->index];
  if (!w || w->meaning == DLS_MEANS_NOTHING || w->meaning == DLS_MEANS_SUSPECT) {
    report_unknown(scope, code);
    return -1;
  }
  if (w->meaning == DLS_MEANS_COORDINATE)
    return velocity ? dls_definition_velocity(s, w->index) : dls_definition_coordinate(s, w->index);
  if (velocity) {
    dls_error_list_add(scope->report, code->at, code->length,
                       "`%s` is %s; only coordinates have a velocity",
                       dls_quote(w->text, w->length).text, kind_of(w->meaning));
    return -1;
  }
  switch (w->meaning) {
  case DLS_MEANS_PARAMETER: return w->index;
  case DLS_MEANS_LET:
    if (s->lets.items[w->index].size < 2) return dls_definition_let(s, w->index);
    dls_error_list_hint(dls_error_list_add(scope->report, code->at, code->length,
                                           "`%s` is a vector, and a number is needed here",
                                           dls_quote(w->text, w->length).text),
                        "its parts are `%s.x` and so on", dls_quote(w->text, w->length).text);
    return -1;
  default: return dls_definition_time(s);
  }
}

void dls_resolve_formula(const dls_scope *scope, dls_formula *formula)
{
  for (int i = 0; i < formula->count; i++) {
    dls_instruction *code = &formula->code[i];
    if (code->op == DLS_CODE_UNKNOWN_CALL) {
      report_call(scope, code);
      formula->broken = true;
    } else if (code->op >= DLS_CODE_VECTOR && !formula->broken) {
      dls_error_list_hint(dls_error_list_add(scope->report, code->at, code->length,
                                             "vectors belong in the text of a model"),
                          "here numbers are given: p.x where p is a vector of the model");
      formula->broken = true;
    } else if (code->op == DLS_CODE_NAME || code->op == DLS_CODE_VELOCITY_NAME) {
      const int definition = find_definition(scope, code);
      formula->broken = formula->broken || definition < 0;
      code->op = DLS_CODE_REFERENCE;
      code->index = definition;
    }
  }
}

// The coordinate that a statement is about; -1 after an error.
static int find_coordinate(const dls_scope *scope, int word, unsigned at, const char *statement)
{
  const dls_word *w = &scope->names->words[word];
  const bool acts = strcmp(statement, "force") == 0;
  if (w->meaning == DLS_MEANS_COORDINATE && !acts && w->index >= scope->source->own) {
    dls_error_list_hint(dls_error_list_add(scope->report, at, w->length,
                                           "`%s` belongs to bodies; `%s` needs a coordinate of the "
                                           "text",
                                           dls_quote(w->text, w->length).text, statement),
                        "bodies and joints have `velocity` in their blocks");
    return -1;
  }
  if (w->meaning == DLS_MEANS_COORDINATE) return w->index;
  const dls_quoted name = dls_quote(w->text, w->length);
  if (w->meaning == DLS_MEANS_NOTHING || w->meaning == DLS_MEANS_SUSPECT) {
    if (already_reported(scope, word)) return -1;
    dls_diagnostic *d =
        dls_error_list_add(scope->report, at, w->length, "unknown coordinate `%s`", name.text);
    dls_error_list_suggest(scope->report, d, scope->names, w->text, w->length, DLS_NEAR_COORDINATE);
    return -1;
  }
  dls_error_list_add(scope->report, at, w->length, "`%s` is %s; `%s` needs a coordinate", name.text,
                     kind_of(w->meaning), statement);
  return -1;
}

void dls_resolve_assignment(const dls_scope *scope, dls_assignment *a)
{
  dls_resolve_formula(scope, &a->value);
  const dls_word *w = a->name < 0 ? NULL : &scope->names->words[a->name];
  if (w && w->meaning == DLS_MEANS_TIME && !a->velocity) {
    a->definition = dls_definition_time(scope->source);
    return;
  }
  const dls_instruction code = {.op = a->velocity ? DLS_CODE_VELOCITY_NAME : DLS_CODE_NAME,
                                .index = a->name,
                                .at = a->at,
                                .length = a->length};
  const int definition = find_definition(scope, &code);
  if (definition < 0) return;
  assert(w);  // only a known name has a definition
  if (definition >= dls_definition_coordinate(scope->source, 0)) {
    a->definition = definition;
    return;
  }
  const bool parameter = definition < scope->source->parameters.count;
  dls_error_list_hint(
      dls_error_list_add(scope->report, a->at, a->length,
                         "`%s` is %s; a state assigns coordinates, velocities and t",
                         dls_quote(w->text, w->length).text, kind_of(w->meaning)),
      "%s", parameter ? "parameters are changed with --set" : "");
}

static void report_again(const dls_scope *scope, const dls_assignment *a, unsigned first)
{
  dls_error_list_hint(dls_error_list_add(scope->report, a->at, a->length, "`%s` is given twice",
                                         dls_quote(scope->report->text + a->at, a->length).text),
                      "first given at line %d", dls_error_list_line(scope->report, first));
}

// velocity x = EXPR and exact x = EXPR move to their coordinate.
static void place_assignments(const dls_scope *scope, dls_source *s)
{
  for (int i = 0; i < s->velocities.count; i++) {
    dls_assignment *a = &s->velocities.items[i];
    dls_resolve_formula(scope, &a->value);
    const int index = find_coordinate(scope, a->name, a->at, "velocity");
    if (index < 0) continue;
    dls_formula *place = &s->coordinates.items[index].velocity;
    if (place->code) report_again(scope, a, place->at);
    else *place = a->value;
  }
  for (int i = 0; i < s->exacts.count; i++) {
    dls_assignment *a = &s->exacts.items[i];
    dls_resolve_formula(scope, &a->value);
    const int index = find_coordinate(scope, a->name, a->at, "exact");
    if (index < 0) continue;
    dls_formula *place = &s->coordinates.items[index].exact[a->velocity];
    if (place->code) report_again(scope, a, place->at);
    else *place = a->value;
  }
}

static void resolve_contact(const dls_scope *scope, dls_constraint *c)
{
  dls_resolve_formula(scope, &c->left);
  dls_resolve_formula(scope, &c->right);
  for (int k = 0; k < c->tangents; k++) dls_resolve_formula(scope, &c->slip[k]);
  dls_resolve_formula(scope, &c->friction);
  dls_resolve_formula(scope, &c->static_friction);
  dls_resolve_formula(scope, &c->restitution);
  if (c->friction.code && c->tangents == 0 && !c->block_broken)
    dls_error_list_hint(dls_error_list_add(scope->report, c->friction.at, c->friction.length,
                                           "friction needs a slip direction"),
                        "add `slip ...`, the tangential velocity at the contact");
  if (c->static_friction.code && !c->friction.code && !c->block_broken)
    dls_error_list_hint(dls_error_list_add(scope->report, c->static_friction.at,
                                           c->static_friction.length,
                                           "static friction needs a friction of sliding"),
                        c->dry ? "add `force ...`" : "add `friction ...`");
}

// Each name of a state at most once. seen: per definition, the last assignment of it, from 1.
static void resolve_state(const dls_scope *scope, dls_source *s, int number, int *seen)
{
  const dls_named_list *state = &s->states.items[number];
  for (int i = state->first; i < state->first + state->count; i++) {
    dls_assignment *a = &s->assignments.items[i];
    if (a->of_bodies) continue;
    dls_resolve_assignment(scope, a);
    if (a->definition < 0) continue;
    const int before = seen[a->definition] - 1;
    if (before >= state->first) report_again(scope, a, s->assignments.items[before].at);
    else seen[a->definition] = i + 1;
  }
}

// The same for the members of an object; seen: per coordinate.
static void resolve_object(const dls_scope *scope, dls_source *s, int number, int *seen)
{
  const dls_named_list *object = &s->objects.items[number];
  for (int i = object->first; i < object->first + object->count; i++) {
    dls_member *member = &s->members.items[i];
    member->coordinate = find_coordinate(scope, member->name, member->at, "object");
    if (member->coordinate < 0) continue;
    if (seen[member->coordinate] > object->first) {
      const dls_word *w = &scope->names->words[member->name];
      dls_error_list_add(scope->report, member->at, w->length, "the object has `%s` twice",
                         dls_quote(w->text, w->length).text);
    }
    seen[member->coordinate] = i + 1;
  }
}

// -1 after an error.
static int find_contact(const dls_scope *scope, int word, unsigned at)
{
  const dls_word *w = &scope->names->words[word];
  const dls_quoted name = dls_quote(w->text, w->length);
  if (w->contact < 0) {
    if (already_reported(scope, word)) return -1;
    dls_diagnostic *d =
        dls_error_list_add(scope->report, at, w->length, "unknown contact `%s`", name.text);
    dls_error_list_suggest(scope->report, d, scope->names, w->text, w->length, DLS_NEAR_CONTACT);
    return -1;
  }
  return w->contact;
}

// The contact that a restitution names; -1 after an error.
static int find_unilateral(const dls_scope *scope, int word, unsigned at)
{
  const int contact = find_contact(scope, word, at);
  if (contact < 0 || scope->source->contacts.items[contact].kind == DLS_UNILATERAL) return contact;
  const dls_word *w = &scope->names->words[word];
  const dls_quoted name = dls_quote(w->text, w->length);
  dls_error_list_add(scope->report, at, w->length,
                     "`%s` is a bilateral contact; restitution needs a unilateral one", name.text);
  return -1;
}

static int compare_restitutions(const void *left, const void *right)
{
  const dls_restitution *a = *(dls_restitution *const *)left, *b = *(dls_restitution *const *)right;
  for (int k = 0; k < 2; k++) {
    if (a->contact[k] != b->contact[k]) return a->contact[k] < b->contact[k] ? -1 : 1;
  }
  return a->at[0] < b->at[0] ? -1 : a->at[0] > b->at[0];
}

static void report_restitution(const dls_scope *scope, const dls_restitution *r, unsigned first)
{
  dls_error_list_hint(dls_error_list_add(scope->report, r->value.at, r->value.length,
                                         "the restitution of these contacts is given twice"),
                      "first given at line %d", dls_error_list_line(scope->report, first));
}

// Entries of the restitution matrix. Those on its diagonal are the contact's own.
static bool resolve_restitutions(const dls_scope *scope, dls_source *s)
{
  const int count = s->restitutions.count;
  dls_restitution **sorted = dls_alloc(count, sizeof(dls_restitution *));
  if (!sorted) return false;
  for (int i = 0; i < count; i++) {
    dls_restitution *r = sorted[i] = &s->restitutions.items[i];
    dls_resolve_formula(scope, &r->value);
    r->contact[0] = find_unilateral(scope, r->name[0], r->at[0]);
    r->contact[1] =
        r->name[1] == r->name[0] ? r->contact[0] : find_unilateral(scope, r->name[1], r->at[1]);
  }
  qsort(sorted, (size_t)count, sizeof(dls_restitution *), compare_restitutions);
  for (int i = 0; i < count; i++) {
    const dls_restitution *r = sorted[i];
    if (r->contact[0] < 0 || r->contact[1] < 0) continue;
    const dls_restitution *before = i ? sorted[i - 1] : NULL;
    const bool diagonal = r->contact[0] == r->contact[1];
    dls_formula *own = &s->contacts.items[r->contact[0]].restitution;
    if (before && before->contact[0] == r->contact[0] && before->contact[1] == r->contact[1])
      report_restitution(scope, r, before->value.at);
    else if (diagonal && own->length) report_restitution(scope, r, own->at);
    else if (diagonal) *own = r->value;
  }
  free(sorted);
  return true;
}

static void resolve_drawing(const dls_scope *scope, dls_source *s)
{
  for (int i = 0; i < s->drawn.count; i++) dls_resolve_formula(scope, &s->drawn.items[i]);
  for (int i = 0; i < s->draws.count; i++) {
    dls_draw *d = &s->draws.items[i];
    const char *planar = d->kind == DLS_SHAPE_BOX     ? "a box lies in the plane"
                         : d->kind == DLS_SHAPE_KINDS ? "a view is for points in space"
                                                      : NULL;
    const int space = d->kind == DLS_SHAPE_BOX ? 2 : 3;
    if (planar && s->space > 0 && s->space != space)
      dls_error_list_hint(dls_error_list_add(scope->report, d->at, d->length, "%s", planar),
                          space == 2 ? "in space, draw its edges as segments"
                                     : "the points of this model have two parts");
    if (d->kind == DLS_SHAPE_FORCE) d->contact = find_contact(scope, d->name, d->name_at);
    const int tangents = d->contact < 0 ? 2 : s->contacts.items[d->contact].tangents;
    if (d->tangents > 0 && d->normal == 0)
      dls_error_list_add(scope->report, d->name_at, scope->names->words[d->name].length,
                         "tangents need a normal beside them");
    else if (d->tangents > tangents)
      dls_error_list_add(scope->report, d->name_at, scope->names->words[d->name].length,
                         "this contact has %s", tangents ? "one slip velocity" : "no `slip`");
  }
}

bool dls_analyse_names(dls_analysis *analysis)
{
  dls_model *model = analysis->model;
  dls_source *s = &model->source;
  const dls_scope scope = {.source = s, .names = &model->names, .report = analysis->report};
  for (int i = 0; i < s->parameters.count; i++)
    dls_resolve_formula(&scope, &s->parameters.items[i].value);
  for (int i = 0; i < s->lets.count; i++) dls_resolve_formula(&scope, &s->lets.items[i].value);
  for (int i = 0; i < s->coordinates.count; i++)
    dls_resolve_formula(&scope, &s->coordinates.items[i].initial);
  place_assignments(&scope, s);
  for (int i = 0; i < s->terms.count; i++) {
    dls_term *term = &s->terms.items[i];
    dls_resolve_formula(&scope, &term->value);
    if (term->kind == DLS_WORD_FORCE)
      term->target = find_coordinate(&scope, term->name, term->at, "force");
  }
  for (int i = 0; i < s->numbers.count; i++) dls_resolve_formula(&scope, &s->numbers.items[i]);
  for (int i = 0; i < s->contacts.count; i++) resolve_contact(&scope, &s->contacts.items[i]);
  resolve_drawing(&scope, s);

  int *seen = dls_alloc(dls_definition_count(s), sizeof *seen);
  const bool good = seen && resolve_restitutions(&scope, s);
  if (good) {
    for (int i = 0; i < s->states.count; i++) resolve_state(&scope, s, i, seen);
    memset(seen, 0, (size_t)dls_definition_count(s) * sizeof *seen);
    for (int i = 0; i < s->objects.count; i++) resolve_object(&scope, s, i, seen);
  } else {
    analysis->status = DLS_ERR_MEMORY;
  }
  free(seen);
  return good;
}
