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

#endif
