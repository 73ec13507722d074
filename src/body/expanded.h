// A mechanism as trees see it: one joint on a body at most; bodies with several of them get others
// without mass in between. In maximal coordinates each of these bodies is free.
#ifndef DLS_BODY_EXPANDED_H
#define DLS_BODY_EXPANDED_H

#include "base/memory.h"

#include <delassus/mechanism.h>

typedef struct dls_expanded {
  dls_coordinates_kind kind;
  dls_mechanism mechanism;  // what the forest is made of; without closures, solids, rules
  // Of the mechanism given, in bodies of this one.
  int bodies, joints;
  int *body;           // bodies
  int *joint_body;     // joints: the body that it moves
  int *joint_parent;   // joints: the body that it stands on, or DLS_WORLD
  int *joint_of_tree;  // joints: the joint of this mechanism that it is; -1: none
  dls_pose *mount;     // joints: the frame of the body it moves, at the reference, in that parent's
  // what the arrays of `mechanism` are, and its tendons and actuators in those given
  dls_rigid_body *own_body;
  dls_joint *own_joint;
  dls_actuator *own_actuator;
} dls_expanded;

// The mechanism must have passed dls_mechanism_check; names are its own. DLS_ERR_MEMORY.
dls_status dls_expanded_create(const dls_mechanism *mechanism, dls_coordinates_kind kind,
                               dls_arena *arena, dls_expanded *out);
// Other numbers of the same mechanism.
void dls_expanded_update(dls_expanded *expanded, const dls_mechanism *mechanism);

// Does the forest apply the actuator? In maximal coordinates it knows free joints and frames only.
bool dls_expanded_applies(const dls_mechanism *mechanism, dls_coordinates_kind kind, int actuator);

#endif
