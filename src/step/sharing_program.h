// Redundant contacts in one polyhedron: modes and sides are given, forces obey linear equations and
// inequalities.
#ifndef DLS_STEP_SHARING_PROGRAM_H
#define DLS_STEP_SHARING_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

// K (c + r square, by rows) is lost; its null vectors, one after another: c accelerations, r
// forces. Returns how many there are.
int dls_sharing_null_vectors(int size, double *K, int *column, double *vector);

// max o . y with P y >= -s, y of length k, from y = 0: s >= 0.
typedef struct dls_sharing_program {
  int k, count;
  double *P, *s;      // count x k by rows; count
  double *y;          // k: out
  double *Q, *R, *d;  // work: k x k, k x k, k
  int *active;        // work: k
} dls_sharing_program;

// The largest value; infinite: it may be as large as one likes. Never more than can be.
double dls_sharing_maximize(dls_sharing_program *w, const double *o);

#endif
