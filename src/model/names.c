#include "model/names.h"
#include "base/word_distance.h"
#include "model/source.h"

#include <stdlib.h>
#include <string.h>

typedef struct builtin {
  const char *text;
  dls_keyword keyword;
  dls_meaning meaning;
  int op;
} builtin;

static const builtin builtins[] = {
    {"parameter", DLS_WORD_PARAMETER, DLS_MEANS_NOTHING, 0},
    {"let", DLS_WORD_LET, DLS_MEANS_NOTHING, 0},
    {"coordinate", DLS_WORD_COORDINATE, DLS_MEANS_NOTHING, 0},
    {"velocity", DLS_WORD_VELOCITY, DLS_MEANS_NOTHING, 0},
    {"kinetic", DLS_WORD_KINETIC, DLS_MEANS_NOTHING, 0},
    {"potential", DLS_WORD_POTENTIAL, DLS_MEANS_NOTHING, 0},
    {"dissipation", DLS_WORD_DISSIPATION, DLS_MEANS_NOTHING, 0},
    {"force", DLS_WORD_FORCE, DLS_MEANS_NOTHING, 0},
    {"bilateral", DLS_WORD_BILATERAL, DLS_MEANS_NOTHING, 0},
    {"rolling", DLS_WORD_ROLLING, DLS_MEANS_NOTHING, 0},
    {"unilateral", DLS_WORD_UNILATERAL, DLS_MEANS_NOTHING, 0},
    {"restitution", DLS_WORD_RESTITUTION, DLS_MEANS_NOTHING, 0},
    {"state", DLS_WORD_STATE, DLS_MEANS_NOTHING, 0},
    {"object", DLS_WORD_OBJECT, DLS_MEANS_NOTHING, 0},
    {"exact", DLS_WORD_EXACT, DLS_MEANS_NOTHING, 0},
    {"for", DLS_WORD_FOR, DLS_MEANS_NOTHING, 0},
    {"draw", DLS_WORD_DRAW, DLS_MEANS_NOTHING, 0},
    {"output", DLS_WORD_OUTPUT, DLS_MEANS_NOTHING, 0},
    {"event", DLS_WORD_EVENT, DLS_MEANS_NOTHING, 0},
    {"gravity", DLS_WORD_GRAVITY, DLS_MEANS_NOTHING, 0},
    {"body", DLS_WORD_BODY, DLS_MEANS_NOTHING, 0},
    {"fixed", DLS_WORD_FIXED, DLS_MEANS_NOTHING, 0},
    {"joint", DLS_WORD_JOINT, DLS_MEANS_NOTHING, 0},
    {"contact", DLS_WORD_CONTACT, DLS_MEANS_NOTHING, 0},
    {"import", DLS_WORD_IMPORT, DLS_MEANS_NOTHING, 0},
    {"torque", DLS_WORD_TORQUE, DLS_MEANS_NOTHING, 0},
    {"slip", DLS_WORD_SLIP, DLS_MEANS_NOTHING, 0},
    {"friction", DLS_WORD_FRICTION, DLS_MEANS_NOTHING, 0},
    {"static", DLS_WORD_STATIC, DLS_MEANS_NOTHING, 0},
    {"t", DLS_NO_KEYWORD, DLS_MEANS_TIME, 0},
    {"pi", DLS_NO_KEYWORD, DLS_MEANS_PI, 0},
    {"sin", DLS_NO_KEYWORD, DLS_MEANS_FUNCTION, DLS_OP_SIN},
    {"cos", DLS_NO_KEYWORD, DLS_MEANS_FUNCTION, DLS_OP_COS},
    {"tan", DLS_NO_KEYWORD, DLS_MEANS_FUNCTION, DLS_OP_TAN},
    {"asin", DLS_NO_KEYWORD, DLS_MEANS_FUNCTION, DLS_OP_ASIN},
    {"acos", DLS_NO_KEYWORD, DLS_MEANS_FUNCTION, DLS_OP_ACOS},
    {"atan", DLS_NO_KEYWORD, DLS_MEANS_FUNCTION, DLS_OP_ATAN},
    {"atan2", DLS_NO_KEYWORD, DLS_MEANS_FUNCTION, DLS_OP_ATAN2},
    {"sinh", DLS_NO_KEYWORD, DLS_MEANS_FUNCTION, DLS_OP_SINH},
    {"cosh", DLS_NO_KEYWORD, DLS_MEANS_FUNCTION, DLS_OP_COSH},
    {"tanh", DLS_NO_KEYWORD, DLS_MEANS_FUNCTION, DLS_OP_TANH},
    {"exp", DLS_NO_KEYWORD, DLS_MEANS_FUNCTION, DLS_OP_EXP},
    {"log", DLS_NO_KEYWORD, DLS_MEANS_FUNCTION, DLS_OP_LOG},
    {"log2", DLS_NO_KEYWORD, DLS_MEANS_FUNCTION, DLS_OP_LOG2},
    {"sqrt", DLS_NO_KEYWORD, DLS_MEANS_FUNCTION, DLS_OP_SQRT},
    {"abs", DLS_NO_KEYWORD, DLS_MEANS_FUNCTION, DLS_OP_ABS},
    {"sign", DLS_NO_KEYWORD, DLS_MEANS_FUNCTION, DLS_OP_SIGN},
    {"floor", DLS_NO_KEYWORD, DLS_MEANS_FUNCTION, DLS_OP_FLOOR},
    {"min", DLS_NO_KEYWORD, DLS_MEANS_FUNCTION, DLS_OP_MIN},
    {"max", DLS_NO_KEYWORD, DLS_MEANS_FUNCTION, DLS_OP_MAX},
    {"if", DLS_NO_KEYWORD, DLS_MEANS_FUNCTION, DLS_OP_IF},
    {"dot", DLS_NO_KEYWORD, DLS_MEANS_FUNCTION, DLS_CODE_DOT},
    {"cross", DLS_NO_KEYWORD, DLS_MEANS_FUNCTION, DLS_CODE_CROSS},
    {"norm", DLS_NO_KEYWORD, DLS_MEANS_FUNCTION, DLS_CODE_NORM},
};

enum {
  NEAREST_WORDS = 20000,  // examined at most
};

// FNV-1a with a final mix, because the table uses the low bits
static unsigned hash_of(const char *text, unsigned length)
{
  unsigned hash = 2166136261u;
  for (unsigned i = 0; i < length; i++) hash = (hash ^ (unsigned char)text[i]) * 16777619u;
  hash ^= hash >> 15;
  hash *= 0x2c1b3c6du;
  return hash ^ hash >> 13;
}

bool dls_names_begin(dls_names *names, dls_arena *arena)
{
  *names = (dls_names){.arena = arena};
  for (size_t i = 0; i < sizeof builtins / sizeof builtins[0]; i++) {
    const builtin *b = &builtins[i];
    const int id = dls_names_enter(names, b->text, (unsigned)strlen(b->text));
    if (id < 0) return false;
    names->words[id].keyword = b->keyword;
    names->words[id].meaning = b->meaning;
    names->words[id].index = b->op;
  }
  return true;
}

void dls_names_free(dls_names *names)
{
  free(names->words);
  free(names->slots);
  *names = (dls_names){0};
}

// The slot where the word is or belongs. The table is never full.
static unsigned slot_of(const dls_names *names, const char *text, unsigned length, unsigned hash)
{
  unsigned slot = hash & (names->slot_count - 1);
  for (; names->slots[slot]; slot = (slot + 1) & (names->slot_count - 1)) {
    const dls_word *w = &names->words[names->slots[slot] - 1];
    if (w->hash == hash && w->length == length && memcmp(w->text, text, length) == 0) break;
  }
  return slot;
}

static bool rehash(dls_names *names)
{
  const unsigned bigger = names->slot_count ? names->slot_count * 2 : 256;
  int *slots = dls_alloc(bigger, sizeof *slots);
  if (!slots) return false;
  free(names->slots);
  names->slots = slots;
  names->slot_count = bigger;
  for (int i = 0; i < names->count; i++) {
    const dls_word *w = &names->words[i];
    slots[slot_of(names, w->text, w->length, w->hash)] = i + 1;
  }
  return true;
}

int dls_names_find(const dls_names *names, const char *text, unsigned length)
{
  return names->slots[slot_of(names, text, length, hash_of(text, length))] - 1;
}

int dls_names_enter(dls_names *names, const char *text, unsigned length)
{
  if ((unsigned)names->count * 2 >= names->slot_count && !rehash(names)) return -1;
  const unsigned hash = hash_of(text, length);
  const unsigned slot = slot_of(names, text, length, hash);
  if (names->slots[slot]) return names->slots[slot] - 1;

  void *words = names->words;
  if (dls_grow(&words, &names->capacity, names->count + 1, sizeof(dls_word))) return -1;
  names->words = words;
  const char *copy = dls_arena_copy(names->arena, text, length);
  if (!copy) return -1;
  names->words[names->count] = (dls_word){.text = copy,
                                          .length = length,
                                          .hash = hash,
                                          .contact = -1,
                                          .state = -1,
                                          .object = -1,
                                          .output = -1,
                                          .event = -1,
                                          .body = -1,
                                          .joint = -1};
  names->slots[slot] = ++names->count;
  return names->count - 1;
}

static unsigned kinds_of(const dls_word *w)
{
  unsigned kinds = 0;
  if (w->keyword == DLS_WORD_SLIP || w->keyword == DLS_WORD_STATIC) kinds |= DLS_NEAR_BLOCK;
  else if (w->keyword == DLS_WORD_RESTITUTION || w->keyword == DLS_WORD_FRICTION)
    kinds |= DLS_NEAR_BLOCK | DLS_NEAR_STATEMENT;
  else if (w->keyword) kinds |= DLS_NEAR_STATEMENT;
  if (w->contact >= 0) kinds |= DLS_NEAR_CONTACT;
  if (w->state >= 0) kinds |= DLS_NEAR_STATE;
  if (w->body >= 0) kinds |= DLS_NEAR_BODY;
  if (w->joint >= 0) kinds |= DLS_NEAR_JOINT;
  switch (w->meaning) {
  case DLS_MEANS_NOTHING:
  case DLS_MEANS_SUSPECT: return kinds;
  case DLS_MEANS_PARAMETER: return kinds | DLS_NEAR_PARAMETER;
  case DLS_MEANS_LET: return kinds | DLS_NEAR_LET;
  case DLS_MEANS_COORDINATE: return kinds | DLS_NEAR_COORDINATE;
  case DLS_MEANS_TIME:
  case DLS_MEANS_PI: return kinds | DLS_NEAR_CONSTANT;
  case DLS_MEANS_FUNCTION: return kinds | DLS_NEAR_FUNCTION;
  case DLS_MEANS_INDEX: return kinds;
  }
  return kinds;
}

static bool differs_in_case_only(const char *a, const char *b, unsigned length)
{
  for (unsigned i = 0; i < length; i++) {
    if ((a[i] | 0x20) != (b[i] | 0x20)) return false;
  }
  return true;
}

int dls_names_nearest(const dls_names *names, const char *text, unsigned length, unsigned kinds)
{
  if (length == 0 || length > DLS_NEAREST_LENGTH) return -1;
  // where that is 0 only its other case counts
  int limit = dls_word_reach((int)length);
  int nearest = -1;
  const int last = names->count < NEAREST_WORDS ? names->count : NEAREST_WORDS;
  for (int i = 0; i < last; i++) {
    const dls_word *w = &names->words[i];
    if (!(kinds_of(w) & kinds)) continue;
    if (w->length == length && differs_in_case_only(w->text, text, length)) return i;
    const int gap = (int)w->length - (int)length;
    if (w->length > DLS_NEAREST_LENGTH || w->length < 2 || limit == 0) continue;
    if (gap > limit || -gap > limit) continue;
    const int d = dls_word_distance(text, (int)length, w->text, (int)w->length, limit);
    if (d > limit) continue;
    nearest = i;
    limit = d - 1;  // only what is nearer still
    if (limit < 1) limit = 0;
  }
  return nearest;
}
