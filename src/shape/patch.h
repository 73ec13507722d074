// The part of a solid that may touch something in a direction: a polygon, a segment or a point.
#ifndef DLS_SHAPE_PATCH_H
#define DLS_SHAPE_PATCH_H

#include "shape/support.h"

enum { DLS_PATCH_POINTS = 96 };

typedef struct dls_patch {
  int points, lines;
  int point[DLS_PATCH_POINTS];  // features: corners, ends, rims
  int line[DLS_PATCH_POINTS];   // features: edges, chords, sides
  int face;                     // a feature, or -1
} dls_patch;

// Around the point that lies farthest along m (world). Cylinders are flat on their cap when the
// whole cap is within reach.
dls_patch dls_patch_towards(dls_posed *solid, const double m[3], double reach);

// For a plane with the normal -m: all corners that lie up to reach less far than the farthest.
dls_patch dls_patch_within(dls_posed *solid, const double m[3], double reach);

#endif
