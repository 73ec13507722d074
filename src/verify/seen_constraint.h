// The constraints that a mechanism always has, or at the ends of ranges, by name: rows of closures
// and of joints that are no coordinates (NAME.x ... NAME.rz), dry friction (NAME.friction), ranges
// (NAME.low, NAME.high).
#ifndef DLS_VERIFY_SEEN_CONSTRAINT_H
#define DLS_VERIFY_SEEN_CONSTRAINT_H

#include "verify/body_motion.h"

typedef enum dls_seen_law { DLS_SEEN_ROW, DLS_SEEN_DRY, DLS_SEEN_LOW, DLS_SEEN_HIGH } dls_seen_law;
typedef enum dls_seen_part {
  DLS_SEEN_JOINT,
  DLS_SEEN_CLOSURE,
  DLS_SEEN_COUPLING,  // a polynomial of joint coordinates
  DLS_SEEN_TENDON
} dls_seen_part;

typedef struct dls_seen_constraint {
  const char *name;
  dls_seen_law law;
  dls_seen_part part;
  int of;             // joint, closure or tendon
  bool framed;        // a row of two frames, or one velocity of a joint
  dls_frame_row row;  // of frames
  int velocity;       // of a joint's own velocities; -1
  double end, restitution, force;
} dls_seen_constraint;

// All of them, those of closures first, then dry friction, then ranges. DLS_ERR_MEMORY.
dls_status dls_seen_constraints(const dls_mechanism *mechanism, const dls_posture_plan *plan,
                                dls_arena *arena, int *count, dls_seen_constraint **list);

// Its value and gradient: h, or for dry friction the slip. False: no memory.
bool dls_seen_constraint_gauge(const dls_posture *posture, const dls_seen_constraint *constraint,
                               dls_arena *arena, dls_gauge *gauge);

#endif
