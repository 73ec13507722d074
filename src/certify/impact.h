// The parts of the analysis of an impact.
#ifndef DLS_CERTIFY_IMPACT_H
#define DLS_CERTIFY_IMPACT_H

#include "base/memory.h"
#include "contact/impact_problem.h"

#include <delassus/impact.h>

typedef struct dls_impact_work {
  dls_impact *out;
  dls_arena *arena;  // what the impact returns
  const dls_contact_state *state;
  dls_problem problem;  // of the state, dense
  dls_impact_velocities before;
  double tolerance;
} dls_impact_work;

// A point of a law's problem in the jump.
typedef struct dls_impact_point {
  const double *jump, *p_b, *p_u, *p_t;
  const double *above;        // m_u: u+ over what the law asks for at least, eq (con.3)'s a_u
  const unsigned char *mode;  // m_b + m_u
} dls_impact_point;

// Velocities after, energies; the residual is recomputed.
dls_status dls_impact_move(dls_impact_work *x, const dls_problem *problem,
                           const dls_impact_point *point, dls_impact_motion *motion);

// Is there p_u >= 0 with u+ = -E u-? Without friction by a linear program.             eq (imp.6)
dls_status dls_impact_newton(dls_impact_work *x);

// The motion by Poisson's law, once the first phase is known as Moreau's problem with e = 0; the
// check of the second is the caller's.                                           eq (poi.1),
// (poi.2)
dls_status dls_impact_poisson(dls_impact_work *x, const dls_impact_options *options,
                              dls_check **check, dls_message *message);

// Moreau's law with friction as an incremental problem; gives the motion where the modes were not
// decided.                                                                             eq (imp.7)
dls_status dls_impact_incremental(dls_impact_work *x);

#endif
