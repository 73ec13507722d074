// A tape as C: its sums, products and quotients, statement by statement, between the runs of
// functions, which stay with the tape's own interpreter. So the bits are those of the tape: each
// operation is the same, and what libm computes is computed by the same code.
//
// The text holds numbers of slots and nothing else: no name and no constant of a model.
#ifndef DLS_MODEL_NATIVE_TEXT_H
#define DLS_MODEL_NATIVE_TEXT_H

#include "base/text.h"
#include "model/tape_internal.h"

#define DLS_NATIVE_TABLE "dls_native"  // the table of functions that the text defines

typedef struct dls_native_text {
  dls_text text;
  int functions;
  int stages;  // runs of functions; the C functions before stage k, then its run, end with the rest
  int *run;    // stages
  int *first;  // stages + 2: the C functions of each stage, and of the end
} dls_native_text;

// Slots behind those of the tape: its outputs side by side. What depends on parameters alone is
// not computed there.
static inline int dls_native_slots(const dls_tape *tape)
{
  return tape->slots + tape->outputs;
}

// Does output k depend on more than parameters?
bool dls_native_varies(const dls_tape *tape, int k);

dls_status dls_native_write(const dls_tape *tape, dls_native_text *out);  // free it in any case
void dls_native_text_free(dls_native_text *text);

#endif
