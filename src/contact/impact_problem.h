// An impact law as a contact problem in the jump of the velocities.
#ifndef DLS_CONTACT_IMPACT_PROBLEM_H
#define DLS_CONTACT_IMPACT_PROBLEM_H

#include "base/memory.h"

#include <delassus/contact.h>

// Velocities of the closed contacts before the impact; what counts as zero is zero.
typedef struct dls_impact_velocities {
  double *normal;  // m_u: u-
  double *slip;    // tangents
} dls_impact_velocities;

// DLS_ERR_MEMORY; arrays are the arena's.
dls_status dls_impact_velocities_create(const dls_contact_state *state, dls_arena *arena,
                                        dls_impact_velocities *before);

// eq (imp.5): z = v+ - v-, F = 0, b_b = 0, b_u = u- + E u-, b_t = the slips before; E: m_u x m_u.
// Points into the given problem, that of the state.
dls_status dls_impact_problem_create(const dls_problem *given, const dls_impact_velocities *before,
                                     const double *E, dls_arena *arena, dls_problem *problem);

// The second phase of an impact by Poisson's law, eq (poi.2), as a contact problem in its jump:
// p' = p_r - given stands for the percussions of unilateral contacts, given >= 0 are m_u of them,
// and `before` are the velocities after the first phase. The friction of given percussions is that
// of weights, eq (dry.1), which are the last coordinates and the last unilateral contacts.
// weighed: m_u, receives the contact of each weight; *weights: how many there are. The given
// problem is dense.
dls_status dls_restitution_problem_create(const dls_problem *given,
                                          const dls_impact_velocities *before,
                                          const double *percussion, dls_arena *arena,
                                          dls_problem *problem, int *weighed, int *weights);

#endif
