// Gaps of pairs of features in plain numbers, and whether the nearest points are on the features.
#ifndef DLS_SHAPE_NEARNESS_H
#define DLS_SHAPE_NEARNESS_H

#include "shape/place.h"
#include "shape/support.h"

typedef struct dls_nearness {
  double gap, n[3];
  double x[2][3];  // nearest points of A and B
  bool distance;   // a gap without a sign: it has no normal at 0
} dls_nearness;

// eq (gap.3). False where the pair has no formula, or no value.
bool dls_nearness_of(const dls_feature_place *a, const dls_feature_place *b, dls_nearness *out);

// Whether a point of the feature and the outward direction m there (world) are on it, but for
// `room`, a length: the point within the feature, the direction between those of its neighbours.
bool dls_feature_has(const dls_posed *solid, int feature, const dls_feature_place *place,
                     const double x[3], const double m[3], double room);
// The point alone.
bool dls_feature_holds(const dls_posed *solid, int feature, const dls_feature_place *place,
                       const double x[3], double room);

// Features that may be nearest to something in the direction m (world): those at the vertex last
// found, or all that there are. Returns how many of `most`.
int dls_features_towards(const dls_posed *solid, const double m[3], int *feature, int most);

#endif
