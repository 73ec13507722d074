// Which of many solids may touch: pairs whose boxes are within reach of one another. A tree over
// boxes, made anew at every update, in the order of a space-filling curve.          eq (near.1)
#ifndef DLS_SHAPE_NEAR_H
#define DLS_SHAPE_NEAR_H

#include <delassus/status.h>

#include <stdbool.h>

// Where one solid is: a box around it, with axes along those of the world.
typedef struct dls_near_box {
  double low[3], high[3];  // without bounds (-INFINITY, INFINITY): near everything
} dls_near_box;

// The box of a ball.
dls_near_box dls_near_ball(const double centre[3], double radius);

typedef struct dls_near_pair {
  int a, b;  // a < b
} dls_near_pair;

typedef struct dls_near dls_near;
dls_status dls_near_create(int solids, dls_near **near);
void dls_near_free(dls_near *near);  // NULL is fine

// All pairs of solids whose boxes, each grown by half of reach, meet (a box of infinite size meets
// all others, but no other such), in ascending order. group (may be NULL): two of one group, 0 or
// more, never pair; -1 is in none. Which pairs and their order depend on the boxes alone. A box
// with NaN meets all. The pairs stay until the next call; no memory is asked for once it has grown.
dls_status dls_near_update(dls_near *near, const dls_near_box *box, double reach, const int *group);
int dls_near_count(const dls_near *near);
const dls_near_pair *dls_near_pairs(const dls_near *near);

#endif
