// Values of definitions on demand: a formula that meets a definition without a value waits until
// that has been evaluated. No recursion: what waits is a list.
#ifndef DLS_MODEL_EVALUATOR_H
#define DLS_MODEL_EVALUATOR_H

#include "model/source.h"

typedef enum dls_mark { DLS_UNKNOWN, DLS_UNDER_WAY, DLS_KNOWN } dls_mark;

typedef struct dls_waiting {
  int definition;  // -1: the formula asked for
  const dls_formula *formula;
  int next;  // instruction
} dls_waiting;

typedef struct dls_evaluator dls_evaluator;
struct dls_evaluator {
  int count;                    // definitions
  const dls_formula **formula;  // count; NULL: the value is 0
  double *value;                // count; those known
  unsigned char *mark;          // count, dls_mark
  bool *cyclic;                 // count: on a circle that was found
  int *order;                   // the definitions that became known, in this order
  int known;
  int circles;
  DLS_LIST(dls_waiting) waiting;
  double *stack;
  ptrdiff_t stack_capacity;
  int stack_used;
  // Called once for a circle: the definitions waiting[first ...] need one another. May be NULL.
  void (*on_circle)(void *context, const dls_evaluator *evaluator, int first);
  void *context;
};

// Formulas as given (copied), nothing known. False when memory runs out; free it in any case.
bool dls_evaluator_begin(dls_evaluator *evaluator, int count, const dls_formula *const *formula);
void dls_evaluator_free(dls_evaluator *evaluator);

void dls_evaluator_know(dls_evaluator *evaluator, int definition, double value);

// What a broken formula or a circle would give is NaN. False when memory runs out.
bool dls_evaluator_run(dls_evaluator *evaluator, int definition);
bool dls_evaluator_formula(dls_evaluator *evaluator, const dls_formula *formula, double *value);

// Forgets the definitions that became known since `known` stood at the given number.
void dls_evaluator_forget(dls_evaluator *evaluator, int known);

#endif
