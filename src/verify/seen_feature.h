// Where two convex features touch: a common normal, and a point of each that the normal leaves.
// From the definition, for all kinds of features at once, enclosed.                    eq (enc.4)
//
// Each feature is the set of its points furthest in a direction, and of a smooth one that point is
// a function of the direction. So the normal is what is looked for, and little else.
#ifndef DLS_VERIFY_SEEN_FEATURE_H
#define DLS_VERIFY_SEEN_FEATURE_H

#include "verify/jet.h"

typedef enum dls_seen_kind {
  DLS_SEEN_POINT,  // a vertex, or the centre of a ball
  DLS_SEEN_LINE,   // an edge, or the axis of a round side
  DLS_SEEN_RIM,    // of a disc
  DLS_SEEN_OVAL,   // an ellipsoid
  DLS_SEEN_FLAT    // a plane with what is below it
} dls_seen_kind;

// In the world, and how it moves.
typedef struct dls_seen_feature {
  dls_seen_kind kind;
  dls_jet3 place;   // the point, one of the line or of the flat, the centre
  dls_jet3 axis;    // of length 1: along the line, normal to the rim, out of the flat
  dls_jet radius;   // around the point or line; of the rim
  dls_jet33 own;    // axes of the oval
  dls_jet half[3];  // and its semi-axes
  dls_jet3 level;   // of a flat: an axis of its solid, from which tangents are measured
} dls_seen_feature;

// Values and rates; what stands for second derivatives is 0.
typedef struct dls_seen_touch {
  dls_jet3 normal;    // from B to A
  dls_jet3 point[2];  // on A, on B
  mpfi_ptr gap;
  mpfi_ptr along[2];  // where on lines the points are, from their place
} dls_seen_touch;

// near: a direction next to the normal. False where nothing could be proven: there is no regular
// solution next to it, as between parallel edges.
bool dls_seen_touch_find(dls_pool *pool, const dls_seen_feature *a, const dls_seen_feature *b,
                         const double near[3], dls_seen_touch *touch);

#endif
