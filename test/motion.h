// Trajectories for tests.
#ifndef TEST_MOTION_H
#define TEST_MOTION_H

#include <delassus/trajectory.h>
#include <stdbool.h>

typedef struct motion {
  dls_trajectory view;
  double *t, *x;
} motion;

motion motion_make(int count, int n);  // zeroed
void motion_drop(motion m);

// Jumps, points that coincide, plateaus and slopes; on a coarse grid of numbers, so that there
// are ties, or anywhere.
motion motion_draw(int count, int n, bool coarse);

// dls_graph_distance, which has to succeed.
double motion_distance(motion a, motion b);

#endif
