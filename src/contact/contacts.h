// Views of a set of contacts for those who have an arena.
#ifndef DLS_CONTACT_CONTACTS_H
#define DLS_CONTACT_CONTACTS_H

#include "base/memory.h"
#include <delassus/contacts.h>

// As dls_contacts_problem, with arrays of the arena; problem->sparse is matrices.
dls_status dls_contacts_view(const dls_contacts *contacts, const dls_matrix_view *M,
                             const double *F, dls_arena *arena, dls_problem_matrices *matrices,
                             dls_problem *problem);

#endif
