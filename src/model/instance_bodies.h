// The bodies of an instance: the mechanism at its parameters, and the system that joins it with
// what the text says of coordinates.                                                 eq (pul.1)
#ifndef DLS_MODEL_INSTANCE_BODIES_H
#define DLS_MODEL_INSTANCE_BODIES_H

#include "model/body_model.h"
#include "model/pullback.h"

#include "body/tree.h"

struct dls_instance_bodies {
  const dls_model *model;
  dls_instance *instance;
  dls_coordinates_kind kind;
  dls_arena *arena;  // of what is made of the numbers
  dls_made made;
  dls_system *inner;  // of the mechanism alone
  int n, nq, own;     // velocities and configuration of the mechanism; coordinates of the text
  dls_arena *names;
  dls_chart chart;
  const char *const *velocity_names;
  dls_system *reduced;  // of states in joint coordinates, where the inner one has others; or NULL
  dls_pullback *pullback;  // NULL: the text says nothing of forces
  dls_body_markers
      *here;  // at the state at hand, its tree in step with the chart; NULL: no markers
  dls_body_markers *anywhere;  // at any configuration
  double *z, *z_dot;           // coordinates of the text
  double *x;                   // local coordinates: 2 n
  uint64_t *found;             // identities, with those of the text
  ptrdiff_t found_room;
  int *chosen;  // contacts of the text
};

// For an instance whose model has bodies, once its parameters are set. DLS_ERR_MODEL with a message
// when the mechanism is wrong.
dls_status dls_instance_bodies_create(dls_instance *instance, dls_message *message);
void dls_instance_bodies_free(dls_instance_bodies *bodies);  // NULL is fine
// After a change of parameters.
dls_status dls_instance_bodies_update(dls_instance_bodies *bodies, dls_message *message);

// The mechanism of parameter values, in the arena, with what is wrong with it.
dls_status dls_model_bodies_at(const dls_model *model, const double *parameters, dls_arena *arena,
                               dls_made *made, dls_body_fault *fault);

// Coordinates of the text at a configuration: z and z_dot of the bodies.
dls_status dls_instance_bodies_expand(dls_instance_bodies *bodies, const double *q,
                                      const double *v);
// The same in local coordinates of the system's chart.
dls_status dls_instance_bodies_expand_local(dls_instance_bodies *bodies, const double *x,
                                            const double *x_dot);

// What a state gives to bodies.
typedef struct dls_body_value {
  dls_entry_field field;
  int body, part;
  const char *name;  // of a number
  bool velocity;
  double value;
} dls_body_value;

// A configuration in joint coordinates, as that of the system.
dls_status dls_instance_bodies_take(dls_instance_bodies *bodies, const double *joint_q,
                                    const double *joint_v, double *q, double *v,
                                    dls_message *message);
// Configuration and velocities of the bodies with these values; the others are those of the start.
dls_status dls_instance_bodies_state(dls_instance_bodies *bodies, const dls_body_value *value,
                                     int count, double *q, double *v, dls_message *message);

#endif
