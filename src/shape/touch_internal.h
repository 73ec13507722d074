// One formula, three kinds of numbers: plain, with bounds, with derivatives.
#ifndef DLS_SHAPE_TOUCH_INTERNAL_H
#define DLS_SHAPE_TOUCH_INTERNAL_H

#include "shape/place.h"

typedef struct dls_touch_side {
  const dls_solid_motion *motion;
  const dls_solid_motion_error *error;  // may be NULL
  dls_feature feature;
} dls_touch_side;

// A pair, and its common normal where that is no formula.
typedef struct dls_touch_pair {
  dls_touch_side side[2];
  dls_common_normal normal;
  bool newton;
  double sign;  // of the normal of two lines
} dls_touch_pair;

// False where the features have no formula together.
bool dls_touch_pair_make(const dls_form *a, const dls_solid_motion *motion_a, const dls_form *b,
                         const dls_solid_motion *motion_b, dls_touch_id id, dls_touch_pair *pair);

// Values alone. False where there are none.
bool dls_touch_plain(const dls_touch_pair *pair, dls_touch_values *values);
// Values, and bounds of their rounding errors.
bool dls_touch_bounded(const dls_touch_pair *pair, dls_touch_values *values,
                       dls_touch_values *error);
// The derivative along a perturbation: 0-11 of poses, 12-23 of velocities.
bool dls_touch_dual(const dls_touch_pair *pair, int perturbation, dls_touch_values *derivative);

#endif
