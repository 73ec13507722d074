// Features of a solid by their names.
//
//   plane, sphere, ellipsoid   ""
//   capsule     "side", "end-", "end+"
//   box         "corner+-+", "edge+0-" (along the axis with the 0), "face00+"
//   cylinder    "side", "rim-", "rim+", "cap-", "cap+"; K in 0 ... 11, 30 K degrees from x to y:
//               "rim-K" points of a rim, "chord-K" lines from the point K to the next
//   hull        "vertexV", "edgeI-J", "faceF"
#ifndef DLS_VERIFY_SEEN_NAMED_H
#define DLS_VERIFY_SEEN_NAMED_H

#include "verify/posture.h"
#include "verify/seen_feature.h"

// False: the solid has no such feature.
bool dls_seen_feature_named(const dls_posture *posture, const dls_solid *solid, const char *name,
                            dls_seen_feature *feature);

#endif
