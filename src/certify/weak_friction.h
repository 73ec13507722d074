// Friction so weak that there is one solution at most, for every load.             eq (fri.11)
#ifndef DLS_CERTIFY_WEAK_FRICTION_H
#define DLS_CERTIFY_WEAK_FRICTION_H

#include "certify/polyhedra.h"

typedef struct dls_weakness {
  bool holds;      // accelerations and forces are unique, where there are any
  double margin;   // 1 - half the root of the product of the two norms
  double *weight;  // m: k, in the user's units; 0 without friction
} dls_weakness;

dls_status dls_weak_friction(const dls_polyhedra *polyhedra, dls_weakness *weakness);

#endif
