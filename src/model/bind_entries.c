// States of bodies: ball.velocity = (1, 0, 0), door = 0.3, door' = 1, ball.qw = 1.
#include "model/body_model.h"

#include <stdio.h>
#include <string.h>

typedef struct binding {
  dls_source *s;
  dls_names *names;
  dls_arena *arena;
  dls_error_list *report;
  dls_status status;
} binding;

static bool ends_in(const dls_word *w, const char *field, unsigned *rest)
{
  const unsigned letters = (unsigned)strlen(field);
  if (w->length <= letters || memcmp(w->text + w->length - letters, field, letters) != 0)
    return false;
  *rest = w->length - letters;
  return true;
}

// The vector that a word means: of a free body; DLS_ENTRY_NUMBER when it means none.
static dls_entry_field vector_of(const binding *b, const dls_word *w, int *body)
{
  static const char *const fields[] = {"", ".position", ".velocity", ".spin", ".rotation"};
  unsigned length;
  for (int k = DLS_ENTRY_POSITION; k <= DLS_ENTRY_ROTATION; k++) {
    if (!ends_in(w, fields[k], &length)) continue;
    const int word = dls_names_find(b->names, w->text, length);
    *body = word < 0 ? -1 : b->names->words[word].body;
    if (*body >= 0 || w->meaning == DLS_MEANS_NOTHING) return (dls_entry_field)k;
  }
  return DLS_ENTRY_NUMBER;
}

// A number of a joint, or of a body that has no joint of that name: ball.qw.
static bool is_number(const binding *b, const dls_word *w)
{
  static const char *const parts[] = {".x",  ".y",  ".z",  ".qw", ".qx", ".qy",   ".qz",
                                      ".rx", ".ry", ".rz", ".1",  ".2",  ".turn", ".slide"};
  unsigned length;
  if (w->joint >= 0) return true;
  if (w->meaning != DLS_MEANS_NOTHING && w->meaning != DLS_MEANS_COORDINATE) return false;
  for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
    if (!ends_in(w, parts[k], &length)) continue;
    const int word = dls_names_find(b->names, w->text, length);
    if (word >= 0 && (b->names->words[word].joint >= 0 || b->names->words[word].body >= 0))
      return true;
  }
  return false;
}

static dls_formula *add_number(binding *b, int *index)
{
  dls_source *s = b->s;
  dls_formula *items =
      dls_list_more(s->numbers.items, s->numbers.count, &s->numbers.capacity, sizeof *items);
  if (!items) return b->status = DLS_ERR_MEMORY, NULL;
  s->numbers.items = items;
  *index = s->numbers.count++;
  items[*index] = (dls_formula){0};
  return &items[*index];
}

static bool add_entry(binding *b, dls_body_entry entry)
{
  dls_source *s = b->s;
  dls_body_entry *items =
      dls_list_more(s->entries.items, s->entries.count, &s->entries.capacity, sizeof *items);
  if (!items) return b->status = DLS_ERR_MEMORY, false;
  s->entries.items = items;
  items[s->entries.count++] = entry;
  return true;
}

// A let of three parts for the vector; its word.
static int name_vector(binding *b, const dls_assignment *a)
{
  dls_source *s = b->s;
  char text[24];
  const int length = snprintf(text, sizeof text, "(s%d)", s->lets.count);
  const int word = dls_names_enter(b->names, text, (unsigned)length);
  dls_definition *items =
      dls_list_more(s->lets.items, s->lets.count, &s->lets.capacity, sizeof *items);
  if (word < 0 || !items) return b->status = DLS_ERR_MEMORY, -1;
  s->lets.items = items;
  items[s->lets.count] =
      (dls_definition){.name = word, .at = a->at, .triple = true, .value = a->value};
  dls_word *w = &b->names->words[word];
  w->meaning = DLS_MEANS_LET, w->index = s->lets.count++, w->at = a->at;
  s->vectors = true;
  return word;
}

static void add_vector(binding *b, const dls_assignment *a, dls_body_entry entry)
{
  static const char suffix[3][3] = {".x", ".y", ".z"};
  const int whole = name_vector(b, a);
  for (int k = 0; k < 3 && !b->status; k++) {
    char text[32];
    const int length = snprintf(text, sizeof text, "%s%s", b->names->words[whole].text, suffix[k]);
    const int word = dls_names_enter(b->names, text, (unsigned)length);
    dls_instruction *code = dls_arena_alloc(b->arena, 1, sizeof *code);
    dls_formula *value = add_number(b, &entry.value);
    if (word < 0 || !code || !value) {
      b->status = DLS_ERR_MEMORY;
      return;
    }
    *code = (dls_instruction){
        .op = DLS_CODE_NAME, .index = word, .at = a->value.at, .length = a->value.length};
    *value = (dls_formula){
        .code = code, .count = 1, .stack = 1, .at = a->value.at, .length = a->value.length};
    entry.part = k;
    add_entry(b, entry);
  }
}

static void bind(binding *b, int state, dls_assignment *a)
{
  const dls_word w = b->names->words[a->name];
  dls_body_entry entry = {
      .state = state, .name = a->name, .at = a->at, .length = a->length, .velocity = a->velocity};
  const bool own = w.meaning == DLS_MEANS_COORDINATE && w.index < b->s->own;
  if (own || w.meaning == DLS_MEANS_TIME) return;
  entry.field = vector_of(b, &w, &entry.body);
  if (entry.field == DLS_ENTRY_NUMBER && !is_number(b, &w)) return;
  a->of_bodies = true;
  if (entry.field != DLS_ENTRY_NUMBER && a->velocity) {
    dls_error_list_add(b->report, a->at, a->length, "a state gives `%s` without `'`",
                       dls_quote(w.text, w.length).text);
    return;
  }
  if (a->value.broken) return;
  if (entry.field != DLS_ENTRY_NUMBER && entry.body < 0) {
    const unsigned length = (unsigned)(strrchr(w.text, '.') - w.text);
    dls_diagnostic *d = dls_error_list_add(b->report, a->at, a->length, "unknown body `%s`",
                                           dls_quote(w.text, length).text);
    dls_error_list_suggest(b->report, d, b->names, w.text, length, DLS_NEAR_BODY);
    return;
  }
  if (entry.field != DLS_ENTRY_NUMBER) {
    add_vector(b, a, entry);
    return;
  }
  dls_formula *value = add_number(b, &entry.value);
  if (!value) return;
  *value = a->value;
  add_entry(b, entry);
}

dls_status dls_bind_entries(dls_model *model, dls_error_list *report)
{
  binding b = {
      .s = &model->source, .names = &model->names, .arena = model->arena, .report = report};
  dls_source *s = b.s;
  if (!dls_has_bodies(s)) return DLS_OK;
  for (int i = 0; i < s->states.count; i++)
    for (int k = 0; k < s->states.items[i].count && !b.status; k++)
      bind(&b, i, &s->assignments.items[s->states.items[i].first + k]);
  return b.status;
}

// ---- lists of numbers ---------------------------------------------------------------------------

typedef struct visitor {
  void (*visit)(void *self, dls_number_list *list);
  void *self;
} visitor;

static void visit(const visitor *v, dls_number_list *list)
{
  if (list->count > 0) v->visit(v->self, list);
}

static void visit_place(const visitor *v, dls_placement_statement *place)
{
  visit(v, &place->position);
  visit(v, &place->rotation);
}

void dls_each_number_list(dls_source *s, void (*function)(void *self, dls_number_list *list),
                          void *self)
{
  const visitor v = {function, self};
  visit(&v, &s->gravity);
  for (int i = 0; i < s->bodies.count; i++) {
    dls_body_statement *b = &s->bodies.items[i];
    dls_number_list *lists[] = {&b->mass,   &b->density,  &b->inertia,
                                &b->centre, &b->velocity, &b->spin};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) visit(&v, lists[k]);
    visit_place(&v, &b->place);
  }
  for (int i = 0; i < s->solids.count; i++) {
    dls_solid_statement *solid = &s->solids.items[i];
    visit(&v, &solid->size), visit(&v, &solid->through);
    visit(&v, &solid->friction), visit(&v, &solid->restitution);
    visit_place(&v, &solid->place);
  }
  for (int i = 0; i < s->joints.count; i++)
    for (int k = 0; k < DLS_JOINT_NUMBERS; k++) visit(&v, &s->joints.items[i].number[k]);
  for (int i = 0; i < s->rules.count; i++)
    visit(&v, &s->rules.items[i].friction), visit(&v, &s->rules.items[i].restitution);
  for (int i = 0; i < s->imports.count; i++) visit_place(&v, &s->imports.items[i].place);
  for (int i = 0; i < s->points.count; i++) visit(&v, &s->points.items[i].place);
}
