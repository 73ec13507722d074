// Sums over what hangs on each link, and directions in time, for derivatives.         eq (tre.7)
#ifndef DLS_BODY_TREE_SLOPE_H
#define DLS_BODY_TREE_SLOPE_H

#include "body/tree_internal.h"

// The direction of a velocity and its derivatives in time, in world axes.
struct dls_direction {
  vec s, s1, s2;
  // of balls, in the link's axes: T e, T' e, T'' e; how T e_j changes by this velocity's coordinate
  vec own[3], other[3];
};

// Of a link and all on it, about the origin of the link: with inertia and forces of link_state.
struct dls_composite {
  double weight;
  vec heavy;          // weights, and their first moment
  vec p;              // momentum
  mat K;              // B S = (2 K s, 2 s x p)
  vec force, torque;  // of wrenches that are given
  mat Q;              // sum d F^T of them
};

#endif
