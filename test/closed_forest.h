// Random mechanisms with loops, ranges and dry friction, and accelerations of systems by a dense
// solution of the constrained equations: an oracle without the library's solvers.
#ifndef TEST_CLOSED_FOREST_H
#define TEST_CLOSED_FOREST_H

#include "forest.h"

#include <delassus/system.h>

enum { CLOSED_LOOPS = 8 };

typedef struct closed_forest {
  forest f;
  dls_closure closure[CLOSED_LOOPS];
  char names[CLOSED_LOOPS + FOREST_TENDONS + FOREST_ACTUATORS][24];
} closed_forest;

// A forest with so many closures of random kinds, of which rows add up to a part of its freedoms.
void closed_forest_draw(closed_forest *c, const forest_options *options, int closures);
// q of all joints, v.
void closed_forest_draw_state(const closed_forest *c, double *q, double *v);

// Everything of a system at (x, x_dot), dense, column by column.
typedef struct dense_system {
  int n, m, tangents;
  double *M, *F, *h, *h_dot, *G, *b_n, *slip, *H, *b_t;
} dense_system;
void dense_system_at(const dls_system *s, const double *x, const double *x_dot, dense_system *out);
void dense_system_free(dense_system *d);

// The acceleration by forces f (n) and forces of the first `rows` columns of G, which hold G^T a +
// b = 0 (b NULL: 0), by elimination with complete pivoting: minimal in no sense, but unique where
// asked for. lambda: rows. Returns the size of the smallest pivot relative to the largest.
double constrained_acceleration(const dense_system *d, int rows, const int *row, const double *f,
                                const double *b, double *a, double *lambda);

#endif
