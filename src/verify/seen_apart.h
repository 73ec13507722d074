// That two solids do not touch, or nowhere but where they are said to.                eq (enc.6)
#ifndef DLS_VERIFY_SEEN_APART_H
#define DLS_VERIFY_SEEN_APART_H

#include "verify/seen_solid.h"

typedef enum dls_seen_distance {
  DLS_SEEN_APART,  // proven: further apart than that
  DLS_SEEN_NEAR,   // plain arithmetic finds points of both that are not
  DLS_SEEN_UNTOLD,
} dls_seen_distance;

// Are they further apart than `distance`? near: then a point of the first that is not.
dls_seen_distance dls_seen_apart(const dls_seen_solid *a, const dls_seen_solid *b, double distance,
                                 double near[3]);

// A direction from b to a in which they are far apart, or overlap least; plain arithmetic.
void dls_seen_direction(const dls_seen_solid *a, const dls_seen_solid *b, double direction[3]);

// A point at which two solids touch, and the lines of theirs that go through it.
typedef struct dls_seen_place {
  double point[3];
  bool straight[2];    // a side has one,
  double along[2][3];  // which goes this way
} dls_seen_place;

typedef struct dls_seen_places {
  dls_interval normal[3];  // from b to a
  int count;
  const dls_seen_place *place;
} dls_seen_places;

// The least of some lengths such that no points of a and b that are nearer than `distance` to each
// other are further than that from the convex hull of the places, in the directions normal to its
// sides; infinite: none of them is proven. inside: the largest of these lengths at least. *found:
// then a point further out was found that is next to both, by plain arithmetic: x.
double dls_seen_only_there(const dls_seen_solid *a, const dls_seen_solid *b, double distance,
                           double inside, const dls_seen_places *places, bool *found, double x[3]);

#endif
