// Two frames on bodies of a forest, and the velocities that move one against the other.
#ifndef DLS_BODY_PAIR_H
#define DLS_BODY_PAIR_H

#include "body/tree.h"
#include "linalg/bounded.h"

typedef struct dls_pair {
  int body[2];        // or DLS_WORLD
  dls_pose frame[2];  // in the body's frame
  int first, count;   // velocities that move one of the two, increasing, in lists of the owner
  int common;         // those that move both come behind them, increasing
} dls_pair;

// The velocities of a pair, and which of the two each moves (0, 1; 2: both); *common: those that
// move both, behind the others. Returns how many there are; NULL arrays: only that.
int dls_pair_velocities(const dls_tree *tree, const int body[2], int *velocity, unsigned char *side,
                        int *common);

// Where the frames are at the tree's last move.
typedef struct dls_pair_state {
  dls_solid_motion motion[2];
  dls_solid_motion_error error[2];
  double r[2][3], r_error[2][3];  // from the origin of the body's frame, in world axes
} dls_pair_state;

void dls_pair_move(const dls_tree *tree, const dls_pair *pair, bool bounds, dls_pair_state *at);

// What velocity k does to the origin and axes of a frame that it moves.
typedef struct dls_pair_column {
  dls_bounded3 turn, shift;
} dls_pair_column;
dls_pair_column dls_pair_column_of(const dls_tree *tree, const dls_pair *pair,
                                   const dls_pair_state *at, int k, int side, bool bounds);

// The power of a force and a torque on the frame, by a rate of 1.
dls_bounded dls_column_power(const dls_pair_column *column, const dls_bounded wrench[6]);

// -- derivatives ----------------------------------------------------------------------------------

// Of the two frames by each velocity of the pair, alone and common ones, at the tree's last move:
// slope[2 i] of frame 0, slope[2 i + 1] of frame 1; 0 where it does not move it.
void dls_pair_slopes(const dls_tree *tree, const dls_pair *pair, const dls_pair_state *at,
                     const int *velocity, const unsigned char *side, dls_motion_slope *slope);

// Forces and torques on the two frames, W (12 numbers, as in dls_row_values), and how they change
// by displacements and rotations of the frames, D: to the wrenches on bodies; D then has what these
// lack, for dls_pair_bend.
void dls_pair_push(const dls_pair *pair, const dls_pair_state *at, const double W[12],
                   double D[12][12], dls_wrench *wrench);
// R_q -= X^T D X, X the displacements and rotations by each velocity.
void dls_pair_bend(const dls_pair *pair, const int *velocity, const dls_motion_slope *slope,
                   const double D[12][12], const dls_pattern *pattern, double *R_q);

#endif
