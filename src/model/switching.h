// Forces that switch: functions with jumps or kinks (sign, abs, floor, min, max, comparisons), made
// smooth by holding their branches.                                                   eq (swi.1)
//
// Each of them decides by a number s(t, q, v), and gives way to a function of its branch b, which
// is an input of the compiled equations:
//
//   sign s -> b,  abs s -> b s,  floor s -> b,  min, max, comparisons of x and y: by the sign b of
//   s = y - x,
//
// b the sign of s, or floor s. Equal numbers s share a branch.
#ifndef DLS_MODEL_SWITCHING_H
#define DLS_MODEL_SWITCHING_H

#include "model/mechanics.h"
#include "model/tape.h"

// Constant once built.
typedef struct dls_switching {
  int count;
  dls_expr *decides;      // count: s
  unsigned char *floors;  // count: the branch is floor s, not its sign
  unsigned char *jumps;   // count: a function of it jumps, and does not only have a kink
  dls_expr *force;        // n: those of the lagrangian, with inputs
  dls_tape *tape;         // count outputs: s
} dls_switching;

// What switches in the forces of the lagrangian, its branches the inputs behind accelerations and
// forces of contacts; *out is NULL when nothing does. The graph grows.
dls_status dls_switching_build(dls_graph *graph, const dls_lagrangian *lagrangian,
                               dls_switching **out);
void dls_switching_free(dls_switching *switching);  // NULL is fine

// Work memory of one system.
typedef struct dls_branches {
  const dls_switching *switching;
  const char *const *coordinates;
  int n;
  bool held;
  double *branch;  // count: in use
  double *slot;
} dls_branches;

// *out is NULL when switching is.
dls_status dls_branches_create(const dls_switching *switching, const dls_lagrangian *lagrangian,
                               dls_branches **out);
void dls_branches_free(dls_branches *branches);  // NULL is fine
void dls_branches_start(dls_branches *branches, const double *parameters);

// The branches at (t, q, v). DLS_ERR_NUMBER when one is decided by no finite number.
dls_status dls_branches_at(dls_branches *branches, double t, const double *q, const double *v,
                           double *branch, dls_message *message);
// How far each branch holds there: positive inside, negative outside.                eq (swi.2)
dls_status dls_branches_margins(dls_branches *branches, double t, const double *q, const double *v,
                                const double *branch, double *margin, dls_message *message);

#endif
