// The words of a model, each stored once, and what they mean.
#ifndef DLS_MODEL_NAMES_H
#define DLS_MODEL_NAMES_H

#include "base/memory.h"
#include <stdbool.h>

typedef enum dls_keyword {
  DLS_NO_KEYWORD,
  DLS_WORD_PARAMETER,
  DLS_WORD_LET,
  DLS_WORD_COORDINATE,
  DLS_WORD_VELOCITY,
  DLS_WORD_KINETIC,
  DLS_WORD_POTENTIAL,
  DLS_WORD_DISSIPATION,
  DLS_WORD_FORCE,
  DLS_WORD_BILATERAL,
  DLS_WORD_ROLLING,
  DLS_WORD_UNILATERAL,
  DLS_WORD_RESTITUTION,  // a statement, and a line in a contact's block
  DLS_WORD_STATE,
  DLS_WORD_OBJECT,
  DLS_WORD_EXACT,
  DLS_WORD_FOR,
  DLS_WORD_DRAW,
  DLS_WORD_OUTPUT,
  DLS_WORD_EVENT,
  DLS_WORD_GRAVITY,
  DLS_WORD_BODY,
  DLS_WORD_FIXED,
  DLS_WORD_JOINT,
  DLS_WORD_CONTACT,
  DLS_WORD_IMPORT,
  DLS_WORD_TORQUE,
  DLS_WORD_SLIP,      // only in a contact's block
  DLS_WORD_FRICTION,  // a statement, and a line in a contact's block
  DLS_WORD_STATIC,    // only in a contact's block
} dls_keyword;

typedef enum dls_meaning {
  DLS_MEANS_NOTHING,
  DLS_MEANS_SUSPECT,  // stood in a statement that failed: it may have been declared there
  DLS_MEANS_PARAMETER,
  DLS_MEANS_LET,
  DLS_MEANS_COORDINATE,
  DLS_MEANS_TIME,
  DLS_MEANS_PI,
  DLS_MEANS_FUNCTION,
  DLS_MEANS_INDEX,  // the variable of a `for` that is being read: index is its value
} dls_meaning;

typedef struct dls_word {
  const char *text;  // ends in a zero byte
  unsigned length, hash;
  dls_keyword keyword;
  dls_meaning meaning;         // in expressions
  int index;                   // among the parameters, lets, coordinates; the op of a function
  unsigned at;                 // where it was declared
  int contact, state, object;  // namespaces of their own; -1: none
  int output, event;           // likewise
  int body, joint;             // likewise: of all bodies and joints, those of files too
  bool reported;               // as unknown
} dls_word;

typedef struct dls_names {
  dls_arena *arena;  // not owned
  dls_word *words;
  ptrdiff_t capacity;
  int count;
  int *slots;  // hash table: word + 1, 0 is free
  unsigned slot_count;
} dls_names;

// Enters keywords, functions, t and pi. False when memory runs out; free it in any case.
bool dls_names_begin(dls_names *names, dls_arena *arena);
void dls_names_free(dls_names *names);

// The word's number; -1 when it is not there (find) or memory runs out (enter).
int dls_names_find(const dls_names *names, const char *text, unsigned length);
int dls_names_enter(dls_names *names, const char *text, unsigned length);

// What to look for as the nearest word, as bits.
enum {
  DLS_NEAR_STATEMENT = 1,
  DLS_NEAR_BLOCK = 2,  // slip, friction, static, restitution
  DLS_NEAR_FUNCTION = 4,
  DLS_NEAR_PARAMETER = 8,
  DLS_NEAR_LET = 16,
  DLS_NEAR_COORDINATE = 32,
  DLS_NEAR_CONSTANT = 64,  // t, pi
  DLS_NEAR_CONTACT = 128,
  DLS_NEAR_STATE = 256,
  DLS_NEAR_BODY = 512,
  DLS_NEAR_JOINT = 1024,
  DLS_NEAR_VALUE = DLS_NEAR_PARAMETER | DLS_NEAR_LET | DLS_NEAR_COORDINATE | DLS_NEAR_CONSTANT,
};

// The word that was probably meant, or -1. Looks at the first words only when there are very many.
int dls_names_nearest(const dls_names *names, const char *text, unsigned length, unsigned kinds);

#endif
