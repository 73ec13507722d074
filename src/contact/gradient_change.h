// How far the gradients of contacts change within the tolerance of the state.     eq (num.3)
#ifndef DLS_CONTACT_GRADIENT_CHANGE_H
#define DLS_CONTACT_GRADIENT_CHANGE_H

#include "base/memory.h"

#include <delassus/contact.h>

// contact: the contacts of the matrices in the system, bilateral ones first. change: receives a
// number of the arena for each entry of G_b and then of G_u, or NULL when no gradient changes.
dls_status dls_gradient_change(const dls_system *system, const dls_state *state,
                               const dls_problem_matrices *matrices, const int *contact,
                               double tolerance, dls_arena *arena, double **change);

#endif
