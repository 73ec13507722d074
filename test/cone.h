// The extreme rays of a small polyhedral cone with integer data, in exact arithmetic: the truth
// about questions of signs, by enumeration.
#ifndef TEST_CONE_H
#define TEST_CONE_H

#include <stdbool.h>

enum { CONE_ROWS = 32, CONE_COLS = 32, CONE_RAYS = 400 };

//   { x : A x = 0, x_j >= 0 where nonnegative[j] }
typedef struct cone {
  int rows, cols;
  double A[CONE_ROWS][CONE_COLS];  // integers
  bool nonnegative[CONE_COLS];
} cone;

// All elements are combinations of lines, and nonnegative combinations of rays; rays vanish on
// none of the lines' account: each has minimal support among the nonnegative entries.
typedef struct cone_rays {
  int lines, rays;
  double line[CONE_COLS][CONE_COLS], ray[CONE_RAYS][CONE_COLS];
} cone_rays;

// False when the numbers grow beyond exact arithmetic or there are too many rays.
bool cone_enumerate(const cone *c, cone_rays *rays);

// Some element has c^T x < 0.
bool cone_descends(const cone_rays *rays, int cols, const double *c);

#endif
