// Vectors become numbers, one per part, before names are looked up: (a, b, c), dot, cross, norm and
// arithmetic. `let p = (x, y)` makes p.x and p.y. What is used more than once gets a `let` of its
// own, without a name, so that formulas grow no faster than the text; expressions are shared later.
//
// On the stack of a formula a number is a run of instructions, the last ones of the output; a
// vector is one instruction per part, and nothing in the output.
#include "model/vectors.h"
#include "model/body_model.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS_MAX = 3, NAME_MAX = 420 };

typedef enum shape { UNSEEN, ACTIVE, NUMBER, PLANE, SPACE } shape;  // of a let

typedef struct value {
  int size;                         // 1: a number; 2, 3
  int begin;                        // of a number: where its instructions begin
  dls_instruction part[PARTS_MAX];  // of a vector
} value;

typedef struct lowering {
  dls_source *s;
  dls_names *names;
  dls_arena *arena;
  dls_error_list *report;
  dls_status status;
  unsigned char *shape;  // of the lets of the text
  int *part;             // of these: the words of their parts
  int lets;              // how many these are
  int unnamed;           // lets that were added without a name
  bool circle;           // the formula at hand uses the let that it defines
  DLS_LIST(dls_instruction) out;
  DLS_LIST(value) stack;
} lowering;

// ---- lets --------------------------------------------------------------------------------------

// The let of the text that an instruction names, by itself or by its part: p, p.x; -1.
static int let_of(const lowering *w, const dls_instruction *code)
{
  if (code->op != DLS_CODE_NAME || code->index < 0) return -1;
  const dls_word *word = &w->names->words[code->index];
  if (word->meaning == DLS_MEANS_LET) return word->index < w->lets ? word->index : -1;
  if (word->meaning != DLS_MEANS_NOTHING || word->length < 3) return -1;
  if (word->text[word->length - 2] != '.') return -1;
  const int whole = dls_names_find(w->names, word->text, word->length - 2);
  if (whole < 0 || w->names->words[whole].meaning != DLS_MEANS_LET) return -1;
  const int let = w->names->words[whole].index;
  return let < w->lets ? let : -1;
}

static int stack_of(const dls_instruction *code, int count)
{
  int depth = 0, most = 0;
  for (int i = 0; i < count; i++) {
    depth += 1 - dls_code_arguments(&code[i]);
    if (depth > most) most = depth;
  }
  return most;
}

static bool set_formula(lowering *w, dls_formula *f, const dls_instruction *code, int count)
{
  f->code = dls_arena_alloc(w->arena, count, sizeof *f->code);
  if (!f->code) return w->status = DLS_ERR_MEMORY, false;
  dls_copy(f->code, code, count);
  f->count = count;
  f->stack = stack_of(code, count);
  return true;
}

static bool add_let(lowering *w, int word, unsigned at, const dls_instruction *code, int count)
{
  dls_definition d = {.name = word, .at = at, .value = {.at = at, .length = 1}};
  if (word < 0) w->status = DLS_ERR_MEMORY;
  if (w->status || !set_formula(w, &d.value, code, count)) return false;
  if (count == 1) d.value.at = code->at, d.value.length = code->length;
  dls_definition *items =
      dls_list_more(w->s->lets.items, w->s->lets.count, &w->s->lets.capacity, sizeof *items);
  if (!items) return w->status = DLS_ERR_MEMORY, false;
  w->s->lets.items = items;
  w->names->words[word].meaning = DLS_MEANS_LET;
  w->names->words[word].index = w->s->lets.count;
  w->names->words[word].at = at;
  items[w->s->lets.count++] = d;
  return true;
}

// Instructions that leave a number, as one: itself, or the name of a let.
static bool name_code(lowering *w, const dls_instruction *code, int count, dls_instruction *name)
{
  char text[16];
  *name = *code;
  if (count == 1) return true;
  const int length = snprintf(text, sizeof text, "(%d)", ++w->unnamed);
  const int word = dls_names_enter(w->names, text, (unsigned)length);
  *name = (dls_instruction){.op = DLS_CODE_NAME,
                            .index = word,
                            .at = code[count - 1].at,
                            .length = code[count - 1].length};
  return add_let(w, word, name->at, code, count);
}

// ---- the stack ---------------------------------------------------------------------------------

static bool put(lowering *w, dls_instruction code)
{
  dls_instruction *items =
      dls_list_more(w->out.items, w->out.count, &w->out.capacity, sizeof *items);
  if (!items) return w->status = DLS_ERR_MEMORY, false;
  w->out.items = items;
  items[w->out.count++] = code;
  return true;
}

static bool push(lowering *w, value v)
{
  value *items = dls_list_more(w->stack.items, w->stack.count, &w->stack.capacity, sizeof *items);
  if (!items) return w->status = DLS_ERR_MEMORY, false;
  w->stack.items = items;
  items[w->stack.count++] = v;
  return true;
}

// The number on top of the output as one instruction, taken away from there.
static bool take_number(lowering *w, const value *v, dls_instruction *name)
{
  const int count = w->out.count - v->begin;
  const bool named = name_code(w, w->out.items + v->begin, count, name);
  w->out.count = v->begin;
  return named;
}

static bool refuse(lowering *w, const dls_instruction *code, const char *message, const char *hint)
{
  const char *circle = "circular definition: this `let` needs itself";
  dls_diagnostic *d =
      dls_error_list_add(w->report, code->at, code->length, "%s", w->circle ? circle : message);
  if (hint && !w->circle) dls_error_list_hint(d, "%s", hint);
  return false;
}

// ---- operations --------------------------------------------------------------------------------

static dls_instruction operation(int op, const dls_instruction *like)
{
  return (dls_instruction){.op = op, .at = like->at, .length = like->length};
}

static bool part_of(lowering *w, const dls_instruction *code, int count, value *result)
{
  return name_code(w, code, count, &result->part[result->size++]);
}

// Part by part: a op b, -a, c ? a : b; an argument that is a number is the same for all parts.
static bool by_parts(lowering *w, const dls_instruction *code, int count, value *v, int size)
{
  dls_instruction number[PARTS_MAX] = {0};
  value result = {.size = 0};
  for (int k = count - 1; k >= 0; k--)
    if (v[k].size == 1 && !take_number(w, &v[k], &number[k])) return false;
  for (int i = 0; i < size; i++) {
    dls_instruction run[PARTS_MAX + 1];
    for (int k = 0; k < count; k++) run[k] = v[k].size == 1 ? number[k] : v[k].part[i];
    run[count] = *code;
    if (!part_of(w, run, count + 1, &result)) return false;
  }
  return push(w, result);
}

static bool make_vector(lowering *w, value *v, int count)
{
  value result = {.size = count};
  for (int k = count - 1; k >= 0; k--)
    if (!take_number(w, &v[k], &result.part[k])) return false;
  return push(w, result);
}

// a_x b_x + a_y b_y + ...
static bool dot(lowering *w, const dls_instruction *code, const value *a, const value *b)
{
  const value number = {.size = 1, .begin = w->out.count};
  for (int k = 0; k < a->size; k++) {
    if (!put(w, a->part[k]) || !put(w, b->part[k]) || !put(w, operation(DLS_OP_MUL, code)))
      return false;
    if (k > 0 && !put(w, operation(DLS_OP_ADD, code))) return false;
  }
  if (code->op == DLS_CODE_NORM && !put(w, operation(DLS_OP_SQRT, code))) return false;
  return push(w, number);
}

// a_i b_j - a_j b_i; in a plane that is all there is
static bool cross(lowering *w, const dls_instruction *code, const value *a, const value *b)
{
  const dls_instruction times = operation(DLS_OP_MUL, code), minus = operation(DLS_OP_SUB, code);
  value result = {.size = 0};
  for (int k = 0; k < PARTS_MAX; k++) {
    const int i = a->size == 2 ? 0 : (k + 1) % 3, j = a->size == 2 ? 1 : (k + 2) % 3;
    const dls_instruction run[] = {a->part[i], b->part[j], times, a->part[j],
                                   b->part[i], times,      minus};
    if (a->size == 3 && !part_of(w, run, 7, &result)) return false;
    if (a->size == 3) continue;
    const value number = {.size = 1, .begin = w->out.count};
    for (int n = 0; n < 7; n++)
      if (!put(w, run[n])) return false;
    return push(w, number);
  }
  return push(w, result);
}

static bool component(lowering *w, const dls_instruction *code, const value *v)
{
  if (v->size == 1)
    return refuse(w, code, "only vectors have parts", "a vector is (x, y) or (x, y, z)");
  if (code->index >= v->size)
    return refuse(w, code, "a vector in a plane has the parts .x and .y", NULL);
  const value number = {.size = 1, .begin = w->out.count};
  return put(w, v->part[code->index]) && push(w, number);
}

static bool product(lowering *w, const dls_instruction *code, value *v)
{
  if (v[0].size > 1 && v[1].size > 1)
    return refuse(w, code, "two vectors have no product of this kind",
                  "write dot(a, b) or cross(a, b)");
  if (code->op == DLS_OP_DIV && v[1].size > 1)
    return refuse(w, code, "nothing can be divided by a vector", NULL);
  return by_parts(w, code, 2, v, v[0].size > 1 ? v[0].size : v[1].size);
}

static bool same_size(lowering *w, const dls_instruction *code, const value *a, const value *b)
{
  if (a->size > 1 && a->size == b->size) return true;
  if (a->size == 1 || b->size == 1)
    return refuse(w, code, "this needs two vectors, and one of them is a number",
                  "a vector is (x, y) or (x, y, z)");
  return refuse(w, code, "one vector has two parts, the other three", NULL);
}

static bool operate_on_vectors(lowering *w, const dls_instruction *code, value *v, int count)
{
  switch (code->op) {
  case DLS_OP_NEG: return by_parts(w, code, 1, v, v->size);
  case DLS_OP_ADD:
  case DLS_OP_SUB: return same_size(w, code, &v[0], &v[1]) && by_parts(w, code, 2, v, v->size);
  case DLS_OP_MUL:
  case DLS_OP_DIV: return product(w, code, v);
  case DLS_OP_IF:
    if (v[0].size > 1) return refuse(w, code, "the condition of `if` is a number", NULL);
    return same_size(w, code, &v[1], &v[2]) && by_parts(w, code, 3, v, v[1].size);
  case DLS_CODE_DOT: return same_size(w, code, &v[0], &v[1]) && dot(w, code, &v[0], &v[1]);
  case DLS_CODE_CROSS: return same_size(w, code, &v[0], &v[1]) && cross(w, code, &v[0], &v[1]);
  case DLS_CODE_NORM:
    if (v->size == 1) return refuse(w, code, "`norm` needs a vector", "of a number: abs(x)");
    return dot(w, code, v, v);
  case DLS_CODE_PART: return component(w, code, v);
  case DLS_CODE_VECTOR:
    for (int k = 0; k < count; k++)
      if (v[k].size > 1) return refuse(w, code, "the parts of a vector are numbers", NULL);
    return make_vector(w, v, count);
  default:
    return refuse(w, code, "this needs numbers, and one of them is a vector",
                  "dot(a, b), norm(a) and a.x are numbers");
  }
}

static bool is_vector_code(int op)
{
  return op >= DLS_CODE_VECTOR && op <= DLS_CODE_PART;
}

static bool push_let(lowering *w, const dls_instruction *code, int let)
{
  value v = {.size = w->shape[let] == PLANE ? 2 : 3};
  for (int k = 0; k < v.size; k++) {
    v.part[k] = *code;
    v.part[k].index = w->part[let * PARTS_MAX + k];
  }
  return push(w, v);
}

// An unknown function is reported when names are looked up, whatever its arguments are.
static bool operate(lowering *w, const dls_instruction *code)
{
  const int count = dls_code_arguments(code), let = let_of(w, code);
  if (let >= 0 && w->shape[let] >= PLANE && w->names->words[code->index].meaning == DLS_MEANS_LET)
    return push_let(w, code, let);
  assert(w->stack.count >= count && (count == 0 || w->stack.items));
  w->stack.count -= count;
  bool vectors = is_vector_code(code->op);
  int begin = w->out.count;
  for (int k = count - 1; k >= 0; k--) {
    const value *argument = &w->stack.items[w->stack.count + k];
    if (argument->size == 1) begin = argument->begin;
    else vectors = true;
  }
  if (vectors && code->op != DLS_CODE_UNKNOWN_CALL) {
    value v[PARTS_MAX];
    for (int k = 0; k < count; k++) v[k] = w->stack.items[w->stack.count + k];
    return operate_on_vectors(w, code, v, count);
  }
  return put(w, *code) && push(w, (value){.size = 1, .begin = begin});
}

// ---- formulas ----------------------------------------------------------------------------------

static bool has_vectors(const lowering *w, const dls_formula *f)
{
  for (int i = 0; i < f->count; i++) {
    const int let = let_of(w, &f->code[i]);
    if (is_vector_code(f->code[i].op) || (let >= 0 && w->shape[let] >= PLANE)) return true;
  }
  return false;
}

// Leaves the value on the stack. False after an error.
static bool run(lowering *w, const dls_formula *f)
{
  w->out.count = w->stack.count = 0;
  for (int i = 0; i < f->count; i++)
    if (!operate(w, &f->code[i])) return false;
  return true;
}

static void lower_formula(lowering *w, dls_formula *f)
{
  w->circle = false;
  if (w->status || f->broken || !has_vectors(w, f)) return;
  const bool good = run(w, f);
  if (good && w->stack.items->size == 1) {
    f->broken = !set_formula(w, f, w->out.items, w->out.count);
    return;
  }
  f->broken = true, f->count = 0;
  if (good)
    dls_error_list_hint(
        dls_error_list_add(w->report, f->at, f->length, "a number is needed here, not a vector"),
        "dot(a, b), norm(a) and a.x are numbers");
}

// p.x, p.y, p.z
static bool name_parts(lowering *w, int let, const value *v)
{
  static const char suffix[PARTS_MAX][2] = {".x", ".y", ".z"};
  const dls_definition d = w->s->lets.items[let];
  for (int k = 0; k < v->size; k++) {
    const dls_word *whole = &w->names->words[d.name];
    char *text = dls_arena_alloc(w->arena, (ptrdiff_t)whole->length + 3, 1);
    if (!text) return w->status = DLS_ERR_MEMORY, false;
    memcpy(text, whole->text, whole->length);
    memcpy(text + whole->length, suffix[k], 2);
    const int word = dls_names_enter(w->names, text, whole->length + 2);
    if (word < 0) return w->status = DLS_ERR_MEMORY, false;
    const dls_meaning meaning = w->names->words[word].meaning;
    if (meaning != DLS_MEANS_NOTHING && meaning != DLS_MEANS_SUSPECT) {
      dls_error_list_add(w->report, d.at, w->names->words[d.name].length,
                         "a part of this vector, `%s`, is declared elsewhere", text);
      return false;
    }
    if (!add_let(w, word, d.at, &v->part[k], 1)) return false;
    w->part[let * PARTS_MAX + k] = word;
  }
  return true;
}

// A point of a body: its parts are coordinates that are there already.
static void take_point(lowering *w, int let)
{
  const dls_definition *d = &w->s->lets.items[let];
  const dls_word *whole = &w->names->words[d->name];
  char text[NAME_MAX];
  if (whole->length + 3 > sizeof text) return;
  memcpy(text, whole->text, whole->length);
  for (int k = 0; k < PARTS_MAX; k++) {
    text[whole->length] = '.', text[whole->length + 1] = (char)('x' + k);
    w->part[let * PARTS_MAX + k] = dls_names_find(w->names, text, whole->length + 2);
    if (w->part[let * PARTS_MAX + k] < 0) return;
  }
  w->s->lets.items[let].size = PARTS_MAX;
  w->shape[let] = SPACE;
}

// What acts on a body, or moves it, has three parts.
static void refuse_number(lowering *w, dls_definition *d)
{
  if (!d->triple || w->status) return;
  d->value.broken = true;
  // its parts are used: that they are missing has been reported here
  for (int k = 0; k < PARTS_MAX; k++) {
    char text[NAME_MAX];
    const dls_word *whole = &w->names->words[d->name];
    const int length = snprintf(text, sizeof text, "%s.%c", whole->text, 'x' + k);
    const int word = dls_names_find(w->names, text, (unsigned)length);
    if (word >= 0 && w->names->words[word].meaning == DLS_MEANS_NOTHING)
      w->names->words[word].meaning = DLS_MEANS_SUSPECT;
  }
  dls_error_list_hint(dls_error_list_add(w->report, d->value.at, d->value.length,
                                         "a vector with three parts is needed here"),
                      "such as (0, 0, 3)");
}

// A let whose own lets are done. A vector has the value 0 from then on; nobody asks for it.
static void lower_let(lowering *w, int let)
{
  dls_definition *d = &w->s->lets.items[let];
  const dls_formula f = d->value;
  w->shape[let] = NUMBER;
  if (d->point > 0) {
    take_point(w, let);
    return;
  }
  if (!f.broken && !has_vectors(w, &f)) refuse_number(w, d);
  if (f.broken || !has_vectors(w, &f)) return;
  d->value.broken = true, d->value.count = 0;
  if (!run(w, &f)) return;
  value v = *w->stack.items;
  const dls_instruction zero = {.op = DLS_OP_CONSTANT, .at = f.at, .length = f.length};
  if (v.size > 1 && !name_parts(w, let, &v)) return;
  dls_definition *place = &w->s->lets.items[let];
  const bool set = v.size > 1 ? set_formula(w, &place->value, &zero, 1)
                              : set_formula(w, &place->value, w->out.items, w->out.count);
  place->value.broken = !set;
  place->size = v.size;
  if (v.size != PARTS_MAX) refuse_number(w, place);
  if (v.size > 1) w->shape[let] = v.size == 2 ? PLANE : SPACE;
}

typedef struct visit {
  int let, next;
} visit;

// Each let after those that it uses.
static void lower_lets(lowering *w)
{
  visit *path = dls_alloc(w->lets, sizeof *path);
  if (!path) w->status = DLS_ERR_MEMORY;
  for (int first = 0; first < w->lets && !w->status; first++) {
    int depth = 0;
    if (w->shape[first] == UNSEEN) path[depth++] = (visit){first, 0}, w->shape[first] = ACTIVE;
    w->circle = false;
    while (depth > 0 && !w->status) {
      visit *at = &path[depth - 1];
      const dls_formula *f = &w->s->lets.items[at->let].value;
      const int let = at->next < f->count ? let_of(w, &f->code[at->next]) : -1;
      if (at->next == f->count) {
        lower_let(w, at->let);
        depth--;
      } else if (at->next++, let >= 0 && w->shape[let] == UNSEEN) {
        path[depth++] = (visit){let, 0};
        w->shape[let] = ACTIVE;
      } else if (let >= 0 && w->shape[let] == ACTIVE) {
        w->circle = true;
      }
    }
  }
  free(path);
}

// Three numbers, or one vector in their place.
static void lower_numbers(void *self, dls_number_list *list)
{
  lowering *w = self;
  dls_formula *f = w->s->numbers.items + list->first;
  if (!list->triple) {
    for (int k = 0; k < list->count; k++) lower_formula(w, &f[k]);
    return;
  }
  w->circle = false;
  list->count = PARTS_MAX;
  const bool vector = !w->status && !f->broken && has_vectors(w, f);
  const dls_formula whole = *f;
  const bool good = vector && run(w, f);
  const value v = good ? *w->stack.items : (value){.size = 1};
  for (int k = 0; k < PARTS_MAX; k++) {
    f[k] = whole;
    f[k].broken = v.size != PARTS_MAX || !set_formula(w, &f[k], &v.part[k], 1);
    if (f[k].broken) f[k].count = 0;
  }
  if (w->status || whole.broken || v.size == PARTS_MAX || (vector && !good)) return;
  dls_error_list_hint(dls_error_list_add(w->report, whole.at, whole.length,
                                         "three numbers are needed here, or one vector"),
                      "such as 0, 0, 1");
}

static void lower_statements(lowering *w)
{
  dls_source *s = w->s;
  for (int i = 0; i < s->parameters.count; i++) lower_formula(w, &s->parameters.items[i].value);
  for (int i = 0; i < s->coordinates.count; i++) lower_formula(w, &s->coordinates.items[i].initial);
  for (int i = 0; i < s->velocities.count; i++) lower_formula(w, &s->velocities.items[i].value);
  for (int i = 0; i < s->exacts.count; i++) lower_formula(w, &s->exacts.items[i].value);
  for (int i = 0; i < s->assignments.count; i++)
    if (!s->assignments.items[i].of_bodies) lower_formula(w, &s->assignments.items[i].value);
  for (int i = 0; i < s->terms.count; i++) lower_formula(w, &s->terms.items[i].value);
  for (int i = 0; i < s->restitutions.count; i++) lower_formula(w, &s->restitutions.items[i].value);
  for (int i = 0; i < s->outputs.count; i++) lower_formula(w, &s->outputs.items[i].value);
  for (int i = 0; i < s->events.count; i++)
    lower_formula(w, &s->events.items[i].left), lower_formula(w, &s->events.items[i].right);
  dls_each_number_list(s, lower_numbers, w);
  for (int i = 0; i < s->entries.count; i++)
    lower_formula(w, &s->numbers.items[s->entries.items[i].value]);
  for (int i = 0; i < s->contacts.count; i++) {
    dls_constraint *c = &s->contacts.items[i];
    lower_formula(w, &c->left), lower_formula(w, &c->right);
    for (int k = 0; k < c->tangents; k++) lower_formula(w, &c->slip[k]);
    lower_formula(w, &c->friction), lower_formula(w, &c->static_friction);
    lower_formula(w, &c->restitution);
  }
}

// A point of a drawing: one formula for each part.
static void lower_point(lowering *w, dls_formula *f, int size)
{
  w->circle = false;
  if (w->status || f->broken) return;
  const bool good = has_vectors(w, f) && run(w, f);
  const value v = good ? *w->stack.items : (value){.size = 1};
  const dls_formula whole = *f;
  bool fits = good && v.size > 1 && (size == 0 || v.size == size);
  if (fits && w->s->space == 0) w->s->space = v.size;
  if (fits && v.size != w->s->space && size == 0) fits = false;
  for (int k = 0; fits && k < v.size; k++) {
    f[k] = whole;
    f[k].broken = !set_formula(w, &f[k], &v.part[k], 1);
  }
  if (fits) return;
  f->broken = true, f->count = 0;
  if (w->status || (!good && has_vectors(w, &whole))) return;
  dls_diagnostic *d = dls_error_list_add(
      w->report, whole.at, whole.length,
      v.size == 1 ? "a point is needed here, not a number"
      : size == 3 ? "a view has three parts: where one looks from"
                  : "a drawing is in the plane or in space: all its points have as many parts");
  if (v.size == 1) dls_error_list_hint(d, "a point is (x, y), or (x, y, z) in space");
}

// What only drawings use comes last, so that the equations do not depend on it.
static void lower_drawing(lowering *w)
{
  dls_source *s = w->s;
  s->drawn_lets = s->lets.count;
  for (int i = 0; i < s->draws.count; i++) {
    const dls_draw *d = &s->draws.items[i];
    dls_formula *f = s->drawn.items + d->first;
    for (int k = 0; k < d->points; k++)
      lower_point(w, f + (ptrdiff_t)3 * k, d->kind == DLS_SHAPE_KINDS ? 3 : 0);
    for (int k = 0; k < d->sizes; k++) lower_formula(w, f + (ptrdiff_t)3 * d->points + k);
    if (d->width > 0) lower_formula(w, f + d->width);
    if (d->normal > 0) lower_point(w, f + d->normal, 0);
    for (int k = 0; k < d->tangents; k++) lower_point(w, f + d->tangent + (ptrdiff_t)3 * k, 0);
  }
}

dls_status dls_lower_vectors(dls_source *source, dls_names *names, dls_arena *arena,
                             dls_error_list *report)
{
  source->drawn_lets = source->lets.count;
  const bool triples = dls_has_bodies(source);
  if (!source->vectors && source->draws.count == 0 && !triples) return DLS_OK;
  lowering w = {.s = source, .names = names, .arena = arena, .report = report};
  w.lets = source->lets.count;
  w.shape = dls_alloc(w.lets, 1);
  w.part = dls_alloc((ptrdiff_t)w.lets * PARTS_MAX, sizeof *w.part);
  if (!w.shape || !w.part) w.status = DLS_ERR_MEMORY;
  if (!w.status) lower_lets(&w);
  if (!w.status) lower_statements(&w);
  if (!w.status) lower_drawing(&w);
  free(w.shape);
  free(w.part);
  free(w.out.items);
  free(w.stack.items);
  return w.status;
}
