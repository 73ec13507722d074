// What two frames A and B make of their relative place: a row of a closure, or the coordinate of a
// joint. In world axes.                                                              eq (row.1)
//
//   y = Y(pose of A, pose of B),  y' = W (v_A, w_A, v_B, w_B),  y'' = W (a_A, alpha_A, ...) + ...
#ifndef DLS_BODY_JOINT_ROW_H
#define DLS_BODY_JOINT_ROW_H

#include "shape/touch.h"

typedef enum dls_row_kind {
  DLS_ROW_ALONG,  // the distance of the origins along an axis of A
  DLS_ROW_TURN,   // the rotation from A to B: 2 tan(angle/2) times its axis, in the axes of A
  DLS_ROW_TILT,   // the same of the rotation that takes one z axis to the other; axis 0 or 1
  DLS_ROW_SKEW,   // -x of A times y of B
  DLS_ROW_ANGLE,  // the angle from A to B about z, within pi
  DLS_ROW_SPIN    // y = 0, and y' is the relative angular velocity about an axis of B
} dls_row_kind;

typedef struct dls_joint_row {
  dls_row_kind kind;
  int axis;
} dls_joint_row;

typedef struct dls_row_values {
  double value, rate, bias;
  double wrench[12];  // W: a force f on the row is f W on the frames, torques about their origins
} dls_row_values;

// Values at the motions; error (may be NULL): bounds of their rounding errors, those of the motions
// included (NULL: these are exact). DLS_ERR_NUMBER where the row has no value (turned by 180
// degrees). Allocates nothing.
dls_status dls_row_evaluate(dls_joint_row row, const dls_solid_motion *a,
                            const dls_solid_motion_error *error_a, const dls_solid_motion *b,
                            const dls_solid_motion_error *error_b, dls_row_values *values,
                            dls_row_values *error);

// Derivatives by displacements and rotations of A's, then of B's frame, as in
// dls_touch_derivative, and by v, w of both. Those of the rate by velocities are W.
typedef struct dls_row_slope {
  double rate_pose[12], bias_pose[12], bias_velocity[12];
  double wrench_pose[12][12];  // [i][k]: of W_i by the perturbation k
} dls_row_slope;
dls_status dls_row_differentiate(dls_joint_row row, const dls_solid_motion *a,
                                 const dls_solid_motion *b, dls_row_slope *slope);

#endif
