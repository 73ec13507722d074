// Random mechanisms without contacts, and where their bodies are, by another way than the library:
// transformations in long double complex numbers, so that derivatives come from complex steps.
#ifndef TEST_FOREST_H
#define TEST_FOREST_H

#include <delassus/mechanism.h>

#include <complex.h>

enum { FOREST_BODIES = 40, FOREST_JOINTS = 80, FOREST_TENDONS = 3, FOREST_ACTUATORS = 12 };

typedef struct forest {
  dls_mechanism mechanism;
  dls_rigid_body body[FOREST_BODIES];
  dls_joint joint[FOREST_JOINTS];
  dls_tendon tendon[FOREST_TENDONS];
  dls_actuator actuator[FOREST_ACTUATORS];
  int terms[FOREST_TENDONS][3];
  double gear[FOREST_TENDONS][3];
  char names[FOREST_BODIES + FOREST_JOINTS][16];
  int n, nq, joint_v[FOREST_JOINTS], joint_q[FOREST_JOINTS];
} forest;

typedef struct forest_options {
  int bodies;
  double branch;  // 0: chains; 1: everywhere
  bool balls, frees, several, fixed, massless, reference, forces, carried, aligned;
  double far;  // how far from the origin roots are
} forest_options;

// The defaults have everything.
forest_options forest_everything(int bodies);
void forest_draw(forest *f, const forest_options *options);
void forest_draw_unit(double q[4]);
void forest_draw_state(const forest *f, double *q, double *x, double *x_dot);

typedef long double complex lc;

typedef struct forest_pose {
  lc R[3][3], p[3];
} forest_pose;

// Poses of all bodies at x around the configuration q.
void forest_poses(const forest *f, const double *q, const lc *x, forest_pose *pose);

// M of all bodies and armatures by their Jacobians (n x n), the potential energy, by definition.
void forest_mass(const forest *f, const double *q, const long double *x, long double *M);
long double forest_potential(const forest *f, const double *q, const long double *x);
// Columns of body b: angular velocity and velocity of its frame's origin (6 numbers each).
void forest_jacobian(const forest *f, const double *q, const long double *x, int b, long double *J);
// R = M a + F by Lagrange's equations and differences of high order, F with all forces.
void forest_forces(const forest *f, const double *q, const double *x, const double *x_dot,
                   const double *a, long double *R);

#endif
