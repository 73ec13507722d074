// Features in the world, in plain numbers: what finding works with, and where Newton's method for
// the common normal begins.
#ifndef DLS_SHAPE_PLACE_H
#define DLS_SHAPE_PLACE_H

#include "shape/form.h"

typedef struct dls_feature_place {
  dls_feature_kind kind;
  bool edged;
  double at[3], axis[3];
  double radius, half_length;
  double semi[3][3];  // axes of an ellipsoid times their lengths
  double out[3];      // of an edge: sum of the normals beside it; of a rim: normal of the cap
  double side[2][3];  // of an edge: these normals
} dls_feature_place;

dls_feature_place dls_feature_place_of(const dls_feature *feature, const dls_solid_motion *motion);

// The point that lies farthest in the direction m (any length), and its derivative by m, which is
// symmetric. Lines count as their middles. False where there is none (m about a rim's axis).
bool dls_feature_far(const dls_feature_place *place, const double m[3], double x[3]);
bool dls_feature_curvature(const dls_feature_place *place, const double m[3], double K[3][3]);

// The common normal of two features for which there is no formula, eq (gap.4): n, the tangents t
// that it was found along (one where a feature is a line), and the inverse of P on them. False when
// there is none.
typedef struct dls_common_normal {
  int unknowns;
  double n[3], t[2][3];
  double inverse[2][2];
} dls_common_normal;

bool dls_common_normal_needed(dls_feature_kind a, dls_feature_kind b);
bool dls_common_normal_find(const dls_feature_place *a, const dls_feature_place *b,
                            dls_common_normal *normal);

#endif
