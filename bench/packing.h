// Piles of spheres in a box, made without simulating anything: one time step of a dense packing at
// rest under gravity, as an incremental problem in global form.
#ifndef BENCH_PACKING_H
#define BENCH_PACKING_H

#include <delassus/incremental.h>

typedef enum packing_order {
  PACKING_MIXED,      // light and heavy spheres at random
  PACKING_TOP_HEAVY,  // the heavier the higher
} packing_order;

typedef struct packing_options {
  int contacts;       // exactly so many
  int layers;         // of the finished box, about; 0: a cube
  double mass_ratio;  // heaviest / lightest sphere, a density; the lightest weighs 1
  packing_order order;
  double mu;         // between spheres, and on floor and walls
  double agitation;  // velocities before the step, relative to step * gravity; default 0.1
  double step;       // seconds; default 0.01
  unsigned long long seed;
} packing_options;

packing_options packing_defaults(void);

// Everything is owned by it. The same numbers on every machine: only + - * / and square roots.
typedef struct packing {
  dls_incremental problem;
  int spheres;
  int *body;      // 2 x contacts: the sphere that is pushed along n, and the other one or -1
  double *place;  // 3 x spheres
} packing;

// Aborts when memory runs out.
void packing_create(const packing_options *options, packing *out);
// Fills the local form of the same problem: W = H^T M^-1 H and q, for comparisons at small sizes.
void packing_to_local(packing *p);
void packing_free(packing *p);

// Two directions across n, of length 1.
void packing_tangents(const double *n, double *s, double *t);
// Appends the rows of one sphere to a column of H: a force sign * e at the lever -sign * arm * n.
// Returns where the next entry goes; row and x have room for six.
int packing_column(int at, int sphere, double sign, double arm, const double *n, const double *e,
                   int *row, double *x);

#endif
