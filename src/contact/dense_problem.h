// Problems with dense matrices, for the questions that need them.
#ifndef DLS_CONTACT_DENSE_PROBLEM_H
#define DLS_CONTACT_DENSE_PROBLEM_H

#include "base/memory.h"
#include <delassus/contact.h>

// The problem itself where it is dense; else a copy with matrices from the arena. DLS_ERR_LIMIT
// with a message when they are too large.
dls_status dls_problem_make_dense(const dls_problem *problem, dls_arena *arena, dls_problem *out,
                                  dls_message *message);

#endif
