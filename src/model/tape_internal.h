// The inside of a tape, shared by its compiler and its interpreters.
#ifndef DLS_MODEL_TAPE_INTERNAL_H
#define DLS_MODEL_TAPE_INTERNAL_H

#include "model/tape.h"

// What a run does: an op of the graph, or one of these that stand for two of its nodes.
enum {
  DLS_TAPE_SINCOS = DLS_OP_COUNT,  // two results: sin a, cos a
  DLS_TAPE_ADD_PRODUCT,            // a + b * c
  DLS_TAPE_SUB_PRODUCT,            // a - b * c
  DLS_TAPE_PRODUCT_SUB,            // b * c - a
  DLS_TAPE_NEG_PRODUCT,            // -(a * b)
  DLS_TAPE_COPY,                   // a, to have outputs side by side
  DLS_TAPE_OP_COUNT
};

// count operations of one kind. Results go to consecutive slots; the slots of the arguments are
// three arrays of count entries one behind the other, fewer when the op has fewer arguments.
typedef struct dls_operation_run {
  int op;
  int count;
  int result;   // first result slot
  int operand;  // where the arguments' slots begin in dls_tape.operands
} dls_operation_run;

// Outputs begin ... end - 1 of the tape: in consecutive slots, or each from its own.
typedef struct dls_tape_piece {
  int begin, end;
  bool consecutive;
} dls_tape_piece;

struct dls_tape {
  int slots, outputs;
  int constants, parameters, coordinates;
  int time;  // the slot of t; q, v and the inputs follow
  int inputs;
  int first;          // the first result slot
  int runs, prelude;  // runs 0 ... prelude - 1 depend on parameters alone
  dls_operation_run *run;
  int *operands;
  int *output;  // slot of each output
  dls_tape_piece *piece;
  int pieces;
  double *constant;  // values, and their relative errors in units of 2^-53
  float *constant_error;
};

// Arguments of a run's op.
int dls_tape_arguments(int op);

// The steps of dls_tape_run, in tape.c: sets t, q and v, and returns whether they are finite; one
// run.
bool dls_tape_place(const dls_tape *tape, double t, const double *q, const double *v, double *slot);
void dls_tape_run_one(const dls_tape *tape, int run, double *slot);

#endif
