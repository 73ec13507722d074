// The forest of a mechanism in the coordinates of its joints: how its bodies move, M, F, energies,
// and what implicit schemes differentiate.                                           eq (tre.1)
//
// All functions take local coordinates x of the chart: the coordinate itself of hinges and slides,
// a rotation vector theta of balls, position and rotation vector of free bodies, eq (cha.1). They
// are true coordinates: x' are their rates, and M, F belong to them. Each velocity turns or shifts
// what hangs on it: its column is a direction s in the axes of the world, about or along which the
// origin of its link goes.
//
// Closures, contacts, joint limits and dry friction are not in here.
#ifndef DLS_BODY_TREE_H
#define DLS_BODY_TREE_H

#include "shape/touch.h"

typedef struct dls_tree_plain dls_tree_plain;      // numbers
typedef struct dls_tree_bounded dls_tree_bounded;  // the same with bounds of their errors
typedef struct dls_tree_data dls_tree_data;

// Constant, but for what `plain`, `bounded` and `data` hold.
typedef struct dls_tree {
  int n, nq, bodies, joints;
  const char *const *velocities;      // n names: "door"; "crate.x" ... "crate.rz"
  const char *const *configurations;  // nq names: "door"; "crate.x" ... "crate.qz"
  const int *joint_q, *joint_v;       // where each joint's numbers begin
  // The velocities that move body b: for (k = last[b]; k >= 0; k = above[k]), downwards in number.
  const int *last;     // bodies; -1: fixed in the world
  const int *above;    // n; -1: none
  const int *depth;    // n: how many are above
  const int *body_of;  // n: the body whose joint has this velocity
  bool *turns;         // n: whether it turns, or shifts
  // Trees that share no force: those of tendons are one. Numbered from 0.
  int parts;
  const int *part;       // n
  const int *body_part;  // bodies; -1: fixed in the world
  dls_pattern mass;      // n x n: pairs of velocities on one branch
  dls_pattern slope;     // n x n: of R_q and R_v; those of M, and of tendons
  dls_tree_plain *plain;
  dls_tree_bounded *bounded;
  dls_tree_data *data;
} dls_tree;

// The mechanism must have passed dls_mechanism_check. DLS_ERR_LIMIT when M has too many entries.
dls_status dls_tree_create(const dls_mechanism *mechanism, dls_tree **tree, dls_message *message);
void dls_tree_free(dls_tree *tree);  // NULL is fine
// Other numbers, the same bodies, joints and tendons. The centre stays.
void dls_tree_update(dls_tree *tree, const dls_mechanism *mechanism);

// -- the chart: as in dls_chart; the centre is first the reference ------------------------------
void dls_tree_reference(const dls_tree *tree, double *q);
dls_status dls_tree_centre(dls_tree *tree, const double *q, dls_message *message);
dls_status dls_tree_enter(const dls_tree *tree, const double *q, const double *v, double *x,
                          double *x_dot);
void dls_tree_leave(const dls_tree *tree, const double *x, const double *x_dot, double *q,
                    double *v);

// -- at a state ---------------------------------------------------------------------------------
// What follows belongs to the last call: at (x, x_dot) and x'' (NULL: 0), with bounds of rounding
// errors when asked for. None of these allocates. DLS_ERR_NUMBER when something is not finite, or
// a rotation vector is too long.
dls_status dls_tree_move(dls_tree *tree, const double *x, const double *x_dot, const double *x_ddot,
                         bool bounds);

// The motion of a frame on a body (NULL: the body's own), or on DLS_WORLD. error: NULL, or bounds,
// which need `bounds` above.
void dls_tree_motion(const dls_tree *tree, int body, const dls_pose *frame,
                     dls_solid_motion *motion, dls_solid_motion_error *error);

// What a rate of 1 of velocity k does: angular velocity and velocity of the point r from the origin
// of the body's frame, in world axes. k must be one that moves the body.
typedef struct dls_twist {
  double turn[3], shift[3];
} dls_twist;
void dls_tree_column(const dls_tree *tree, int k, int body, const double r[3], dls_twist *column);
// The same with bounds; r_error: those of r, or NULL.
void dls_tree_column_bounded(const dls_tree *tree, int k, int body, const double r[3],
                             const double *r_error, dls_twist *column, dls_twist *error);

// The coordinate x_k there, its rate and acceleration, as given.
void dls_tree_coordinate(const dls_tree *tree, int k, double *x, double *rate,
                         double *acceleration);

// M on its pattern; R = M x'' + F, which is F where x'' is 0. Bounds may be NULL.
void dls_tree_mass(dls_tree *tree, double *M, double *bound);
void dls_tree_forces(dls_tree *tree, double *R, double *bound);
// Bodies fixed in the world have none.
void dls_tree_energy(const dls_tree *tree, double *kinetic, double *potential);

// -- derivatives at a state, by x and x' with x'' held --------------------------------------------
// After each move, before those below.
void dls_tree_begin_slopes(dls_tree *tree);

// Of a point r from the origin of the body's frame, fixed in the body, by velocity k: rotation and
// displacement (x_turn, x_shift), of w, v and of alpha, a by x; of alpha, a by x' (those of w, v by
// x' are x_turn and x_shift). All in the axes of the world, and none turns along.       eq (tre.6)
typedef struct dls_motion_slope {
  dls_twist x, rate_x, acceleration_x, acceleration_v;
} dls_motion_slope;
void dls_tree_slope(const dls_tree *tree, int k, int body, const double r[3],
                    dls_motion_slope *slope);

// R_q and R_v of R = M x'' + F - sum over bodies J^T wrench, on the pattern `slope`. A wrench is a
// force at the origin of the body's frame and a torque, in world axes; its numbers stay when the
// body moves. NULL: none.                                                             eq (tre.7)
typedef struct dls_wrench {
  double torque[3], force[3];
} dls_wrench;
void dls_tree_differentiate(dls_tree *tree, const dls_wrench *wrench, double *R_q, double *R_v);

#endif
