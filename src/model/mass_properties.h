// Mass, centre and inertia of solids of one density.                                 eq (sol.1)
#ifndef DLS_MODEL_MASS_PROPERTIES_H
#define DLS_MODEL_MASS_PROPERTIES_H

#include <delassus/mechanism.h>

// Of density 1. inertia: about the centre, in the axes of the frame: xx yy zz xy xz yz.
typedef struct dls_mass_properties {
  double volume, centre[3], inertia[6];
} dls_mass_properties;

// In the frame of the body that the solid stands on; a plane has none.
dls_mass_properties dls_solid_properties(const dls_solid *solid);

// Both together; where they overlap it counts twice.
dls_mass_properties dls_properties_sum(const dls_mass_properties *a, const dls_mass_properties *b);

#endif
