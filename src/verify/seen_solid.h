// Solids of a mechanism as the checker sees them: how far they reach in a direction, what is
// inside, and their features.                                                         eq (enc.5)
#ifndef DLS_VERIFY_SEEN_SOLID_H
#define DLS_VERIFY_SEEN_SOLID_H

#include "verify/posture.h"
#include "verify/seen_feature.h"

// Where a solid is, in doubles rounded outwards.
typedef struct dls_seen_solid {
  const dls_solid *solid;
  dls_interval R[3][3], p[3];  // R by columns: axes of its frame in the world
} dls_seen_solid;

dls_seen_solid dls_seen_solid_of(const dls_posture *posture, const dls_solid *solid);

// An upper bound of d x over the points x of the solid; infinite where there is none.
double dls_seen_reach(const dls_seen_solid *solid, const dls_interval d[3]);
// A point of it, nearly as far in the direction d as any; of a plane, 0.
void dls_seen_furthest(const dls_seen_solid *solid, const double d[3], double x[3]);
// How far outside x is, at most; 0 inside. Plain arithmetic.
double dls_seen_outside(const dls_seen_solid *solid, const double x[3]);
// A ball around it; infinite: of a plane.
double dls_seen_ball(const dls_seen_solid *solid, double centre[3]);
// A length: how large it is; of a plane 0.
double dls_seen_size(const dls_solid *solid);

#endif
