// The inside of making a mechanism: what its three files share.
#ifndef DLS_MODEL_MAKE_BODIES_H
#define DLS_MODEL_MAKE_BODIES_H

#include "model/body_model.h"
#include "model/body_forest.h"
#include "model/placement.h"

#include <stdarg.h>

typedef struct dls_making {
  const dls_model *model;
  const dls_source *s;
  const double *number, *parameters;
  dls_arena *arena;
  dls_body_forest forest;
  dls_made *made;
  dls_body_fault *fault;
  dls_status status;
  dls_rigid_body *body;
  dls_joint *joint;
  dls_closure *closure;
  dls_solid *solid;
  dls_contact_rule *rule;
  dls_tendon *tendon;
  dls_actuator *actuator;
  dls_pose *pose;  // of all bodies, in the world
  bool *movable;   // of all
  int next_joint;  // of the file at hand
} dls_making;

// Remembers the first fault; returns false.
bool dls_making_fault(dls_making *m, unsigned at, unsigned length, const char *hint,
                      const char *format, ...) DLS_PRINTF(5, 6);
bool dls_making_finite(dls_making *m, const dls_number_list *list);
bool dls_making_not_negative(dls_making *m, const dls_number_list *list, const char *what);
double dls_making_number(const dls_making *m, const dls_number_list *list, double otherwise);
const char *dls_making_name(const dls_making *m, int word);
bool dls_making_direction(dls_making *m, const dls_number_list *list, int first, double out[3]);
bool dls_making_place(dls_making *m, const dls_placement_statement *place, dls_pose *pose);

// The joints by which body i hangs, of a statement.
bool dls_making_joint(dls_making *m, int i, int joint);
bool dls_making_closures(dls_making *m);

bool dls_making_place_imported(dls_making *m, int i);
bool dls_making_imported_body(dls_making *m, int i);  // with its joints
bool dls_making_imports(dls_making *m);               // all else

#endif
