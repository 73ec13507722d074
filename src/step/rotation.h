// Rotations by unit quaternions, w first.
#ifndef DLS_STEP_ROTATION_H
#define DLS_STEP_ROTATION_H

#include "linalg/vector3.h"

// R of the quaternion, by rows.
void dls_rotation_matrix(const double q[4], double R[9]);
// q <- exp(h omega) q, of unit length; omega in the axes of the world.
void dls_rotation_turn(double q[4], const double omega[3], double h);
// R x and R^T x.
void dls_rotate(const double R[9], const double x[3], double out[3]);
void dls_rotate_back(const double R[9], const double x[3], double out[3]);
// Two unit vectors at right angles to n and to one another; n is of unit length.
void dls_tangents(const double n[3], double t1[3], double t2[3]);

#endif
