// A mechanism from a file at a state: M, bias, passive and actuator forces, poses, as MuJoCo has
// them, by the forest of src/body.
#ifndef TEST_ROBOT_H
#define TEST_ROBOT_H

#include <delassus/import.h>

typedef struct robot {
  const dls_import *import;
  int nq, nv;
  double *M;                // nv x nv
  double *bias;             // Coriolis, centrifugal, gyroscopic forces and gravity
  double *passive;          // of springs, dampers and carried weight, on the right-hand side
  double *actuator;         // of actuators, on the right-hand side
  double (*R)[9], (*p)[3];  // of the bodies: axes as columns, row by row; origins
} robot;

// False when the mechanism cannot be used.
bool robot_make(robot *r, const dls_import *import);
void robot_free(robot *r);
// False when something is not finite.
bool robot_at(robot *r, const double *q, const double *v, const double *control);

#endif
