// A gap that is the smallest of several smooth ones, min(a, b) >= 0 or 1 - max(x, y) >= 0, is as
// many contacts: one for each, with the same block.                                   eq (swi.3)
//
//   min(a, b) >= 0  <=>  a >= 0 and b >= 0,   abs(x) = max(x, -x)
//
// The largest of several gaps is not: there the obstacle's corner sticks out.
#include "model/analysis.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>

enum { SIDES_MAX = 100, CODE_MAX = 100000 };
enum { VARIES = DLS_ON_TIME | DLS_ON_COORDINATES | DLS_ON_VELOCITIES };

typedef struct splitter {
  dls_analysis *a;
  int *parent;  // of each instruction; -1: the last
  int *begin;   // where its operands begin
  int *stack;
  ptrdiff_t parents, begins, stacks;
  bool *rough;  // per let: has min or max of what varies, itself or by another one
} splitter;

static bool chooses(const dls_instruction *code)
{
  return code->op == DLS_OP_MIN || code->op == DLS_OP_MAX || code->op == DLS_OP_ABS;
}

static int let_of(const splitter *w, const dls_instruction *code)
{
  const dls_source *s = &w->a->model->source;
  if (code->op != DLS_CODE_REFERENCE) return -1;
  const int let = code->index - dls_definition_let(s, 0);
  return let >= 0 && let < s->lets.count ? let : -1;
}

static bool varies(const splitter *w, const dls_formula *f, int begin, int end)
{
  for (int i = begin; i < end; i++) {
    if (f->code[i].op == DLS_CODE_REFERENCE && w->a->depends[f->code[i].index] & VARIES)
      return true;
  }
  return false;
}

// Parents and the places where operands begin. False when memory runs out.
static bool outline(splitter *w, const dls_formula *f)
{
  if (dls_grow((void **)&w->parent, &w->parents, f->count, sizeof *w->parent) ||
      dls_grow((void **)&w->begin, &w->begins, f->count, sizeof *w->begin) ||
      dls_grow((void **)&w->stack, &w->stacks, (ptrdiff_t)f->stack + 1, sizeof *w->stack)) {
    w->a->status = DLS_ERR_MEMORY;
    return false;
  }
  int used = 0;
  for (int i = 0; i < f->count; i++) {
    const int arguments = dls_code_arguments(&f->code[i]);
    used -= arguments;
    for (int k = 0; k < arguments; k++) w->parent[w->stack[used + k]] = i;
    w->begin[i] = arguments > 0 ? w->begin[w->stack[used]] : i;
    w->parent[i] = -1;
    w->stack[used++] = i;
  }
  return true;
}

// +1 where the formula grows with its instruction i, -1 where it falls, 0 where that is not known.
static int sense(const splitter *w, const dls_formula *f, int i)
{
  int sign = 1;
  for (int p = w->parent[i]; p >= 0; i = p, p = w->parent[p]) {
    const bool last = i == p - 1;
    const int op = f->code[p].op, other = last ? w->begin[i] - 1 : p - 1;
    const bool scales = op == DLS_OP_MUL || (op == DLS_OP_DIV && !last);
    if (op == DLS_OP_NEG || (op == DLS_OP_SUB && last)) sign = -sign;
    else if (op != DLS_OP_ADD && op != DLS_OP_SUB &&
             !(scales && f->code[other].op == DLS_OP_CONSTANT && f->code[other].value > 0))
      return 0;
  }
  return sign;
}

// The outermost min or max in the formula, of what varies, by which the gap is the smallest; -1.
static int find(splitter *w, const dls_formula *f, int sign)
{
  if (f->broken || !f->code || !outline(w, f)) return -1;
  for (int i = f->count - 1; i >= 0; i--) {
    if (!chooses(&f->code[i]) || !varies(w, f, w->begin[i], i)) continue;
    const int grows = sign * sense(w, f, i);
    return grows == (f->code[i].op == DLS_OP_MIN ? 1 : -1) ? i : -1;
  }
  return -1;
}

// The formula with instructions first ... end - 1 replaced by others.
static bool replace(splitter *w, dls_formula *f, int first, int end, const dls_instruction *code,
                    int count)
{
  const int rest = f->count - end;
  dls_instruction *made =
      dls_arena_alloc(w->a->model->arena, (ptrdiff_t)first + count + rest + 1, sizeof *made);
  if (!made) {
    w->a->status = DLS_ERR_MEMORY;
    return false;
  }
  dls_copy(made, f->code, first);
  if (count > 0) dls_copy(made + first, code, count);
  dls_copy(made + first + count, f->code + end, rest);
  f->code = made;
  f->count = first + count + rest;
  return true;
}

// Puts lets with min or max in their places.
static bool inline_lets(splitter *w, dls_formula *f)
{
  for (int i = 0; i < f->count && f->code && !f->broken;) {
    const int let = let_of(w, &f->code[i]);
    const dls_formula *value =
        let >= 0 && w->rough[let] ? &w->a->model->source.lets.items[let].value : NULL;
    if (!value || value->broken || f->count + value->count > CODE_MAX) {
      i++;
      continue;
    }
    if (!replace(w, f, i, i + 1, value->code, value->count)) return false;
    f->stack += value->stack;
  }
  return true;
}

// The contact with the first or the second operand in place of the min or max at i; those of abs
// are its operand and the negative of that.
static bool choose(splitter *w, dls_formula *f, int i, bool second)
{
  if (f->code[i].op == DLS_OP_ABS && second) {
    const dls_instruction negative = {DLS_OP_NEG, 0, f->code[i].at, f->code[i].length, 0};
    return replace(w, f, i, i + 1, &negative, 1);
  }
  if (f->code[i].op == DLS_OP_ABS) return replace(w, f, i, i + 1, NULL, 0);
  const int middle = w->begin[i - 1];
  const int from = second ? middle : w->begin[i], to = second ? i : middle;
  return replace(w, f, w->begin[i], i + 1, f->code + from, to - from);
}

// Splits the contact at its outermost min or max: the first operand stays, the second goes to
// *other. False when there is none.
static bool split(splitter *w, dls_constraint *c, dls_constraint *other)
{
  const int sign = c->reversed ? -1 : 1;
  *other = *c;
  int i = find(w, &c->left, sign);
  if (i >= 0) return choose(w, &other->left, i, true) && choose(w, &c->left, i, false);
  i = find(w, &c->right, -sign);
  if (i >= 0) return choose(w, &other->right, i, true) && choose(w, &c->right, i, false);
  return false;
}

static bool name_side(const splitter *w, dls_constraint *c, int contact, int side, int name)
{
  dls_names *names = &w->a->model->names;
  char text[300];
  const int length = snprintf(text, sizeof text, "%.*s.side%d", 280, names->words[name].text, side);
  const int word = dls_names_enter(names, text, (unsigned)length);
  if (word < 0) {
    w->a->status = DLS_ERR_MEMORY;
    return false;
  }
  if (names->words[word].contact >= 0 && names->words[word].contact != contact)
    dls_error_list_add(w->a->report, c->at, names->words[name].length,
                       "the gap is the smallest of several, and another contact has the name `%s` "
                       "of one of them",
                       text);
  names->words[word].contact = contact;
  c->name = word;
  return true;
}

// A coefficient of restitution outside of the block would be that of one side.
static void refuse_restitution(const splitter *w, int contact)
{
  const dls_source *s = &w->a->model->source;
  for (int k = 0; k < s->restitutions.count; k++) {
    const dls_restitution *r = &s->restitutions.items[k];
    for (int i = 0; i < 2; i++) {
      if (r->contact[i] != contact) continue;
      dls_error_list_hint(dls_error_list_add(w->a->report, r->at[i], 1,
                                             "the gap of this contact is the smallest of several"),
                          "write `restitution` in its block");
      return;
    }
  }
}

static bool split_all(splitter *w, int contact)
{
  dls_source *s = &w->a->model->source;
  const int first = s->contacts.count, name = s->contacts.items[contact].name;
  if (!inline_lets(w, &s->contacts.items[contact].left) ||
      !inline_lets(w, &s->contacts.items[contact].right))
    return false;
  // each side that was made may be split again
  for (int k = contact; k < s->contacts.count; k = k == contact ? first : k + 1) {
    dls_constraint other;
    while (split(w, &s->contacts.items[k], &other)) {
      if (s->contacts.count - first >= SIDES_MAX) {
        dls_error_list_add(w->a->report, other.at, w->a->model->names.words[name].length,
                           "the gap is the smallest of more than %d", SIDES_MAX);
        return true;
      }
      void *items = dls_list_more(s->contacts.items, s->contacts.count, &s->contacts.capacity,
                                  sizeof *s->contacts.items);
      if (!items) {
        w->a->status = DLS_ERR_MEMORY;
        return false;
      }
      s->contacts.items = items;
      s->contacts.items[s->contacts.count++] = other;
    }
    if (w->a->status) return false;
  }
  if (s->contacts.count == first) return true;
  refuse_restitution(w, contact);
  if (!name_side(w, &s->contacts.items[contact], contact, 1, name)) return false;
  for (int k = first; k < s->contacts.count; k++)
    if (!name_side(w, &s->contacts.items[k], k, k - first + 2, name)) return false;
  return true;
}

static void mark_lets(const splitter *w)
{
  const dls_source *s = &w->a->model->source;
  for (int k = 0; k < w->a->ordered; k++) {
    const int let = w->a->order[k] - dls_definition_let(s, 0);
    if (let < 0 || let >= s->lets.count) continue;
    const dls_formula *f = &s->lets.items[let].value;
    for (int i = 0; i < f->count && f->code && !w->rough[let]; i++) {
      const int inner = let_of(w, &f->code[i]);
      w->rough[let] = chooses(&f->code[i]) || (inner >= 0 && w->rough[inner]);
    }
    w->rough[let] = w->rough[let] && w->a->depends[dls_definition_let(s, let)] & VARIES;
  }
}

bool dls_split_gaps(dls_analysis *a)
{
  const dls_source *s = &a->model->source;
  splitter w = {.a = a, .rough = dls_alloc(s->lets.count, sizeof *w.rough)};
  const int count = s->contacts.count;
  if (!w.rough) a->status = DLS_ERR_MEMORY;
  else mark_lets(&w);
  for (int k = 0; k < count && !a->status; k++)
    if (s->contacts.items[k].kind == DLS_UNILATERAL) split_all(&w, k);
  free(w.parent);
  free(w.begin);
  free(w.stack);
  free(w.rough);
  return !a->status;
}
