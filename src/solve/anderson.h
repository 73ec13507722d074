// Anderson's acceleration of fixed points x = G(x): the next point is the combination of the last
// ones whose residuals G(x) - x cancel best.                                          eq (and.1)
#ifndef DLS_SOLVE_ANDERSON_H
#define DLS_SOLVE_ANDERSON_H

#include "base/memory.h"
#include "solve/operator.h"

#include <stdbool.h>

enum { DLS_ANDERSON_MOST = 16 };  // differences remembered, at most

// A combination is refused when it moves by more than this many times the least move so far.
//                                                                                    eq (and.2)
static const double dls_anderson_worse = 2;

typedef struct dls_anderson dls_anderson;

// NULL when memory runs out; it lives in the arena. memory: at most DLS_ANDERSON_MOST. Products are
// summed up by the operator, which outlives it; NULL: all n numbers are here.
dls_anderson *dls_anderson_create(const dls_operator *op, dls_arena *arena, int n, int memory);

// The rest allocates nothing.

// Forgets everything, and uses at most `memory` differences from now on (no more than at creation;
// 0: next = G(x)).
void dls_anderson_restart(dls_anderson *a, int memory);

// next from x and g = G(x); next may be x or g. weight: of the squares in the least-squares
// problem, NULL for 1. False, with next = g, when nothing could be combined.
bool dls_anderson_step(dls_anderson *a, const double *weight, const double *x, const double *g,
                       double *next);

#endif
