// The units in which methods see a problem. They are powers of two and follow from the data, so
// that a problem in other units of mass, length and time becomes the same numbers, bit for bit:
// velocities u of contacts are around one, and so is the mean of the diagonal of W. Each equation
// has a unit of its own, conjugate to that of its multiplier.                        eq (unt.1)
//
// In global form v has the unit of u and f that of r; H is left as it is but for the columns of
// equations, and is not copied when there are none.
#ifndef DLS_SOLVE_UNITS_H
#define DLS_SOLVE_UNITS_H

#include "base/memory.h"

#include <delassus/incremental.h>

typedef struct dls_units {
  const dls_incremental *given;
  dls_incremental problem;  // in these units; patterns are those given
  double velocity;          // of u of contacts, and of v
  double impulse;           // of r of contacts, and of f
  double *equation;         // equations: those of u; of their r it is velocity * impulse / this
  double *W, *q, *M, *H, *f, *w;
  int *diagonal;  // where W_jj, or M_kk, stands; -1 where it does not
  // contacts, where there are laws: unilateral ones are cones with mu = 0
  unsigned char *law;
  double *mu, *bound;
} dls_units;

dls_status dls_units_create(const dls_incremental *given, dls_arena *arena, dls_units *units);

// Chooses the units for the numbers as they are now, and copies them. Allocates nothing.
void dls_units_refresh(dls_units *units);

// Of row j.
static inline double dls_units_velocity(const dls_units *s, int j)
{
  const int end = s->given->dimension * s->given->contacts;
  return j < end ? s->velocity : s->equation[j - end];
}

static inline double dls_units_impulse(const dls_units *s, int j)
{
  const int end = s->given->dimension * s->given->contacts;
  return j < end ? s->impulse : s->velocity * (s->impulse / s->equation[j - end]);
}

#endif
