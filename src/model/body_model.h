// Bodies of a model: their names, and the mechanism that they are at some parameter values.
#ifndef DLS_MODEL_BODY_MODEL_H
#define DLS_MODEL_BODY_MODEL_H

#include "model/analysis.h"

// After the statements, before vectors are lowered: reads the files that the text names, finds the
// bodies and joints that statements mean, and gives the text its coordinates of them. Errors are
// reported. DLS_ERR_MEMORY.
dls_status dls_bind_bodies(dls_model *model, const dls_model_files *files, dls_error_list *report);

// The second part of it: assignments of states that are about bodies.
dls_status dls_bind_entries(dls_model *model, dls_error_list *report);

// After the equations: what the mechanism at the parameters of the text, and the states, have
// wrong. DLS_ERR_MEMORY.
dls_status dls_model_bodies_check(dls_model *model, dls_error_list *report);

// Calls visit for every list of numbers of the source.
void dls_each_number_list(dls_source *source, void (*visit)(void *self, dls_number_list *list),
                          void *self);

// A deep copy; names get `prefix.` in front unless it is NULL. NULL when memory runs out.
const dls_mechanism *dls_mechanism_copy(dls_arena *arena, const dls_mechanism *mechanism,
                                        const char *prefix);

// Where something is wrong with bodies: the first thing, with its place in the text (length 0:
// none).
typedef struct dls_body_fault {
  dls_message message;
  char hint[200];
  unsigned at, length;
} dls_body_fault;

// A mechanism of a model, and where the bodies and joints of the text are in it.
typedef struct dls_made {
  dls_mechanism mechanism;
  const double *number;  // the numbers of the source
  int *body;             // of all bodies: their numbers in the mechanism
  int *first_joint;      // of all joints: the first in the mechanism; -1: it closes a loop, or none
  double *position;      // of the mechanism's joints: the coordinate at first, where one is given
  unsigned char *has;    // of these: 1: a position, 2: a velocity is given
  double *velocity;
} dls_made;

// The mechanism at these values of the numbers of the source, made in the arena. DLS_ERR_MODEL,
// with *fault; DLS_ERR_MEMORY.
dls_status dls_model_bodies_make(const dls_model *model, const double *number,
                                 const double *parameters, dls_arena *arena, dls_made *made,
                                 dls_body_fault *fault);

#endif
