// M and F of a mechanism: sums over its bodies of what its particles are and need.    eq (enc.3)
#ifndef DLS_VERIFY_BODY_MOTION_H
#define DLS_VERIFY_BODY_MOTION_H

#include "verify/frame_row.h"

// A number of the mechanism, on which forces may act: y, and dy'/dv.
typedef struct dls_gauge {
  dls_jet y;
  mpfi_ptr *gradient;  // n
} dls_gauge;

// M: n x n, F: n; numbers of the pool. Bodies, and what the joints of the forest have of their own.
// False: no memory.
bool dls_body_mass_and_forces(const dls_posture *posture, dls_arena *arena, mpfi_ptr *M,
                              mpfi_ptr *F);
// Armature, damping and springs of closures, and of joints that are no coordinates. False: no
// memory.
bool dls_body_resistance(const dls_posture *posture, dls_arena *arena, mpfi_ptr *M, mpfi_ptr *F);
// Forces of tendons and actuators. False: no memory.
bool dls_body_applied(const dls_posture *posture, dls_arena *arena, mpfi_ptr *F);

// The coordinate of a hinge or slide, a row of two frames, and the length of a tendon. False: no
// memory.
bool dls_gauge_joint(const dls_posture *posture, int joint, dls_arena *arena, dls_gauge *gauge);
bool dls_gauge_row(const dls_posture *posture, dls_frame_row row, const dls_frame_pair *pair,
                   dls_arena *arena, dls_gauge *gauge);
// Along or about the free axis of a closure: of a hinge the angle, else the way.
bool dls_gauge_closure(const dls_posture *posture, int closure, dls_arena *arena, dls_gauge *gauge);
static inline bool dls_closure_has_axis(dls_closure_kind kind)
{
  return kind == DLS_CLOSURE_HINGE || kind == DLS_CLOSURE_SLIDE || kind == DLS_CLOSURE_CYLINDRICAL;
}
bool dls_gauge_tendon(const dls_posture *posture, int tendon, dls_arena *arena, dls_gauge *gauge);

// A force on y, on the side of what is applied, and inertia along y.
void dls_gauge_push(const dls_posture *posture, const dls_gauge *on, mpfi_ptr force, mpfi_ptr *F);
void dls_gauge_load(const dls_posture *posture, const dls_gauge *on, double inertia, mpfi_ptr *M,
                    mpfi_ptr *F);
// damping y' + stiffness (y - rest), on the left side, with a spring that acts outside rest[0] ...
// rest[1] only.
mpfi_ptr dls_gauge_resistance(dls_pool *pool, dls_jet y, double damping, double stiffness,
                              const double rest[2]);

#endif
