// Incremental problems for tests: drawn in global form, and the same in local form, dense inside.
#ifndef TEST_DISCRETE_H
#define TEST_DISCRETE_H

#include <delassus/incremental.h>

typedef struct discrete {
  dls_incremental global, local;  // the same problem
  int rows, dof;
  double *W, *M, *H;  // dense, column-major
  double *mu;
  unsigned char *law;  // NULL before discrete_laws
  void *owned[32];
  int owners;
} discrete;

// d, contacts, equations, bodies of `size` coordinates each; contacts touch one or two of them.
// gyroscopic: how unsymmetric M is, relative. q is drawn; mu in (0, 1), every third one zero when
// frictionless.
discrete discrete_draw(int d, int contacts, int equations, int bodies, int size, double gyroscopic,
                       int frictionless);

// Gives contact i the law laws[below(count)]; directions and bounds are drawn. Before
// discrete_solvable.
void discrete_laws(discrete *p, int count, const unsigned char *laws);

// Makes a solution r (drawn: open, sticking and sliding contacts) and q, f to it. v: dof, may be
// NULL.
void discrete_solvable(discrete *p, double *r, double *v);

// The forces and velocities in other units, and M, H, W, q with them.
void discrete_scale(discrete *p, double force, double speed);

void discrete_free(discrete *p);

#endif
