// Incremental problems with a known solution: a point is drawn that obeys Coulomb's law, and the
// data are built around it.
#ifndef TEST_INCREMENTAL_MAKER_H
#define TEST_INCREMENTAL_MAKER_H

#include <delassus/incremental.h>

typedef struct made_shape {
  int dimension, contacts, equations;
  int dof;  // rank of W, at most
  bool global;
  bool frictionless;  // every third contact has mu = 0
  double W, q;        // scales of W and of q; 0 counts as 1
  double skew;        // unsymmetric part of W, relative; local form only
} made_shape;

typedef struct made_problem {
  dls_incremental problem;
  int rows;
  double *r, *u, *v;  // the solution
  double *mu, *q, *f, *w, *values[3];
  int *pattern[6];
} made_problem;

made_problem *made_create(const made_shape *shape);
void made_free(made_problem *made);

#endif
