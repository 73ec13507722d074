// A mechanism that grows, and the import that it becomes.
#ifndef DLS_FORMAT_DRAFT_H
#define DLS_FORMAT_DRAFT_H

#include "format/name_table.h"

typedef struct dls_draft {
  double gravity[3];
  int bodys, joints, closures, solids, rules, tendons, actuators, states;
  int body_capacity, joint_capacity, closure_capacity, solid_capacity, rule_capacity;
  int tendon_capacity, actuator_capacity, state_capacity;
  dls_rigid_body *body;
  dls_joint *joint;
  dls_closure *closure;
  dls_solid *solid;
  dls_contact_rule *rule;
  dls_tendon *tendon;
  dls_actuator *actuator;
  dls_import_state *state;
  dls_name_table body_names, joint_names, solid_names, tendon_names, actuator_names;
} dls_draft;

// The name, if it is neither NULL, empty nor taken in the table; else one like base_3, from number
// on, that is not in `avoid` (or NULL) either. Kept with the result.
const char *dls_draft_name(dls_file_reading *reading, dls_name_table *table,
                           const dls_name_table *avoid, const char *name, const char *base,
                           int number);
// Names of solids: alone on their bodies they may have none.
void dls_draft_name_solids(dls_file_reading *reading, dls_draft *draft);

int dls_draft_coordinates(const dls_draft *draft);  // numbers in q
int dls_draft_velocities(const dls_draft *draft);
// Where a joint's numbers begin in q, and those of the reference: bodies at their poses.
int dls_draft_start(const dls_draft *draft, int joint);
void dls_draft_reference(const dls_draft *draft, double *q);

// The import, in the reader's arena, which becomes its own; NULL when the reader has failed.
dls_import *dls_draft_finish(dls_file_reading *reading, const dls_draft *draft);

#endif
