// Mass, centre of mass and inertia: of shapes, and put together.
#ifndef DLS_FORMAT_WEIGHT_H
#define DLS_FORMAT_WEIGHT_H

#include <delassus/mechanism.h>

#include <stdbool.h>

// As of a body: about the centre of mass, in the axes of the frame, xx yy zz xy xz yz.
typedef struct dls_mass {
  double mass, centre[3], inertia[6];
} dls_mass;

// Volume, or the area of the surface for a shell, of a shape about its frame's origin (the sizes of
// a solid; no plane, no hull), and the moments of inertia of one unit of mass spread over it.
double dls_mass_measure(dls_solid_kind kind, const double *size, bool shell);
void dls_mass_moments(dls_solid_kind kind, const double *size, bool shell, double moments[3]);

// Seen from the frame around.
dls_mass dls_mass_in(const dls_pose *pose, const dls_mass *mass);
// One body of both; a total mass of 0 gives nothing.
dls_mass dls_mass_sum(const dls_mass *a, const dls_mass *b);

// Principal moments, the largest first, and the rotation to their axes.
void dls_mass_principal(const double inertia[6], double moments[3], double quaternion[4]);
// The inertia with these principal moments and axes.
void dls_mass_of_principal(const double moments[3], const double quaternion[4], double inertia[6]);

#endif
