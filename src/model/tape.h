// Expressions compiled to a linear tape: dead code removed, equal operations grouped into runs, so
// that the interpreter dispatches once per run and each run is a tight loop.
//
// Everything lives in slots, an array of doubles that belongs to the caller:
//   constants | parameters | t | q | v | inputs | results that depend on parameters alone | others
#ifndef DLS_MODEL_TAPE_H
#define DLS_MODEL_TAPE_H

#include "model/expression_graph.h"

typedef struct dls_tape dls_tape;

// Compiles the expressions out[0..outputs-1]. The graph is not needed any more afterwards.
dls_status dls_tape_compile(const dls_graph *graph, int coordinates, int parameters, int inputs,
                            const dls_expr *out, int outputs, dls_tape **tape);
void dls_tape_free(dls_tape *tape);

int dls_tape_slots(const dls_tape *tape);  // how many slots there are

// Nothing below allocates.

// Sets constants and parameters and evaluates once what depends on nothing else.
void dls_tape_start(const dls_tape *tape, const double *parameters, double *slot);

// Sets inputs first ... first + count - 1, before dls_tape_run. Returns whether they are finite.
bool dls_tape_input(const dls_tape *tape, int first, int count, const double *x, double *slot);

// Evaluates the rest at (t, q, v); after dls_tape_start on the same slots. Returns whether t, q and
// v are finite; evaluates nothing when they are not.
bool dls_tape_run(const dls_tape *tape, double t, const double *q, const double *v, double *slot);

// First-order bounds of the rounding errors in all slots, after dls_tape_run: running error
// analysis with inputs that carry half a unit in the last place.
void dls_tape_bound(const dls_tape *tape, const double *slot, double *error);

// The same with bounds of the errors of coordinates from number `first` on, and of their
// velocities, as they are given.
void dls_tape_bound_at(const dls_tape *tape, int first, const double *q_error,
                       const double *v_error, const double *slot, double *error);

// Copies outputs first ... first + count - 1 from slots (or from their errors). Returns whether
// all of them are finite.
bool dls_tape_gather(const dls_tape *tape, int first, int count, const double *slot, double *out);

// The same for groups of outputs: group g is first[g] ... first[g + 1] - 1 and goes to out[g].
bool dls_tape_gather_groups(const dls_tape *tape, int groups, const int *first, const double *slot,
                            double *const *out);

#endif
