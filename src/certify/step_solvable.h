// Can a time step be solved, whatever the masses and loads? eq (stp.1)
#ifndef DLS_CERTIFY_STEP_SOLVABLE_H
#define DLS_CERTIFY_STEP_SOLVABLE_H

#include "certify/context.h"

dls_status dls_certify_step(dls_context *x);

#endif
