// Random mechanisms whose bodies are a few point masses, and where these are along a motion, in
// long doubles, by the conventions of <delassus/mechanism.h>: an oracle for what bodies do.
#ifndef TEST_PARTICLE_TREE_H
#define TEST_PARTICLE_TREE_H

#include <delassus/mechanism.h>

enum { TREE_BODIES = 8, TREE_JOINTS = 24, TREE_PARTICLES = 5, TREE_MOST = 72 };

typedef struct particle_tree {
  dls_mechanism mechanism;
  dls_rigid_body body[TREE_BODIES];
  dls_joint joint[TREE_JOINTS];
  dls_tendon tendon[2];
  int tendon_joint[2][2];
  double tendon_gear[2][2];
  dls_actuator actuator[4];
  char name[TREE_BODIES + TREE_JOINTS][16];
  double particle[TREE_BODIES][TREE_PARTICLES][3], mass[TREE_BODIES][TREE_PARTICLES];
  int nq, n;
  double q[TREE_MOST], v[TREE_MOST];
} particle_tree;

// Draws one with so many bodies; forces: springs, dampers, armature, tendons, actuators too.
void draw_tree(particle_tree *tree, int bodies, bool forces);

typedef struct long_pose {
  long double R[9], p[3];  // row-major
} long_pose;

// Poses of the bodies at q moved by v for the time t: hinges, slides and positions by v t,
// quaternions by exp(v t) in their own axes.
void move_tree(const particle_tree *tree, const double *q, const double *v, long double t,
               long_pose *pose);
// The place of a point of a body.
void point_of(const long_pose *pose, const double at[3], long double x[3]);

// First (order 1) and second derivative at 0 of a function of time with `count` numbers, by
// differences of order 8 of steps `step`.
typedef void timed_function(const void *self, long double t, long double *y);
void differentiate(timed_function *f, const void *self, int count, long double step, int order,
                   long double *out);

#endif
