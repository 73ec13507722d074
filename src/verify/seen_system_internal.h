// The inside of the checker's system of bodies.
#ifndef DLS_VERIFY_SEEN_SYSTEM_INTERNAL_H
#define DLS_VERIFY_SEEN_SYSTEM_INTERNAL_H

#include "verify/seen_constraint.h"
#include "verify/seen_feature.h"
#include "verify/seen_pairs.h"
#include "verify/seen_rows.h"
#include "verify/seen_system.h"

// What the text of a model adds: the system less that of its bodies, as the evaluator has them.
typedef struct dls_seen_text {
  const dls_system *whole, *bodies;
  double *x, *x_dot, *moved;  // n: the centre in local coordinates of the system, and a place
  dls_values value, error, value_b, error_b;
} dls_seen_text;

// A contact of the report: of the text, a constraint, or two features.
typedef struct dls_seen_entry {
  const char *name;
  int of_text;                            // its contact in the system; -1
  const dls_seen_constraint *constraint;  // NULL: of two solids
  int solid[2];
  const char *feature[2];
  double near[3];  // next to the normal
  dls_seen_rule rule;
  const dls_seen_wanted *wanted;
} dls_seen_entry;

struct dls_seen_system {
  dls_system view;
  dls_arena *arena, *scratch;  // the second for one evaluation
  dls_mechanism mechanism;     // in maximal coordinates with one joint on a body at most
  dls_posture_plan plan;
  const dls_mechanism *given;
  const double *q, *v;
  dls_pool pool;
  bool pooled;
  dls_seen_entry *entry;  // m
  dls_contact_info *info;
  dls_seen_constraint *constraint;
  int constraints;
  dls_values changed;   // of data that are changed in their last digits
  dls_seen_text *text;  // NULL: bodies alone
  int n;                // velocities: those of the bodies, then those of the text
  double t;
};

// For the system of a model with bodies. DLS_ERR_STATE, with a message, when the state does not
// fit.
dls_status dls_seen_text_create(const dls_seen_source *source, dls_arena *arena,
                                dls_seen_text **out, dls_message *message);
// Adds it to the numbers of the bodies, at local coordinates x (NULL: 0); bound may be NULL.
dls_status dls_seen_text_add(const dls_seen_system *system, const double *x, const dls_values *to,
                             const dls_values *bound, dls_message *message);

// Poses at local coordinates x (NULL: 0), in numbers that live until the next call. False: no
// memory.
bool dls_seen_pose(dls_seen_system *system, const double *x, const double *v, uint64_t shaken,
                   dls_posture *posture);
// The two features of a contact and what they make. False: nothing could be proven there.
bool dls_seen_meet(const dls_seen_system *system, const dls_posture *posture,
                   const dls_seen_entry *entry, dls_seen_feature feature[2], dls_seen_touch *touch);

dls_status dls_seen_evaluate(void *self, double t, const double *x, const double *v,
                             const dls_values *values, const dls_values *bound,
                             dls_message *message);

#endif
