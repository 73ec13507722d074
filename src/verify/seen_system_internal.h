// The inside of the checker's system of bodies.
#ifndef DLS_VERIFY_SEEN_SYSTEM_INTERNAL_H
#define DLS_VERIFY_SEEN_SYSTEM_INTERNAL_H

#include "verify/seen_constraint.h"
#include "verify/seen_feature.h"
#include "verify/seen_pairs.h"
#include "verify/seen_rows.h"
#include "verify/seen_system.h"

// A contact of the report: a constraint, or two features.
typedef struct dls_seen_entry {
  const char *name;
  const dls_seen_constraint *constraint;  // NULL: of two solids
  int solid[2];
  const char *feature[2];
  double near[3];  // next to the normal
  dls_seen_rule rule;
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
  dls_values changed;  // of data that are changed in their last digits
};

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
