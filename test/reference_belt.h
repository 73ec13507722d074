// Masses on belts: closed forms piece by piece in a line, stretched time in a plane.
#ifndef TEST_REFERENCE_BELT_H
#define TEST_REFERENCE_BELT_H

#include "reference_ode.h"

typedef struct belt_state {
  real t, x, v;
} belt_state;

// m x'' = -k x - F sign(x' - u), with k > 0, at a belt of constant speed u.
typedef struct spring_belt {
  real m, k, F, u;
} spring_belt;
belt_state spring_belt_at(const spring_belt *b, belt_state start, real t, int *changes);

// m x'' = P - F sign(x' - U sin(w t)), |P| < F.
typedef struct shaken_belt {
  real m, P, F, U, w;
} shaken_belt;
belt_state shaken_belt_at(const shaken_belt *b, belt_state start, real t, int *changes);

// In a plane: belt speed u along x, springs kx and ky, m r'' = -K r - F s/|s|, s = r' - (u, 0).
typedef struct plane_belt {
  real m, F, u, kx, ky;
} plane_belt;
typedef struct plane_state {
  real t, r[2], v[2];
} plane_state;
// slowest: the least |s| from which it became faster again without a stop. false: it could not be
// followed (a margin is too small).
bool plane_belt_at(const plane_belt *b, plane_state start, real t, plane_state *end, int *changes,
                   real *slowest);

#endif
