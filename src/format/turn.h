// Rotations and frames, quaternions with their real part first.
#ifndef DLS_FORMAT_TURN_H
#define DLS_FORMAT_TURN_H

#include <delassus/mechanism.h>

#include <stdbool.h>

extern const dls_pose dls_pose_none;  // the frame around it

// Shorter than this a direction, or a quaternion, is none.
#define DLS_TURN_SHORT 1e-14

// False when it is too short.
bool dls_turn_unit(int count, double *x);
void dls_turn_product(const double a[4], const double b[4], double out[4]);
void dls_turn_inverse(const double a[4], double out[4]);
void dls_turn_vector(const double a[4], const double x[3], double out[3]);
void dls_turn_matrix(const double a[4], double out[9]);  // row by row
// The shortest one that takes z to the direction; a turn about x by pi when it is -z.
void dls_turn_z_to(const double direction[3], double out[4]);
// Of a matrix whose columns are the axes.
void dls_turn_of_matrix(const double matrix[9], double out[4]);
void dls_turn_about(const double unit_axis[3], double angle, double out[4]);

dls_pose dls_pose_in(const dls_pose *outer, const dls_pose *inner);
dls_pose dls_pose_inverse(const dls_pose *pose);
void dls_pose_point(const dls_pose *pose, const double x[3], double out[3]);

#endif
