// Can all contacts stick, how much friction does it take, and which force is missing?
#ifndef DLS_CERTIFY_STICKING_H
#define DLS_CERTIFY_STICKING_H

#include "certify/context.h"

// Fills can_all_stick, the limit least_for_sticking and, when the answer is no, the extra force.
// They are asked when some closed contact has slip velocities and does not slide. Uses of the
// context only its memory, options and basic thresholds.
//
// The extra force is least in the kinetic metric, f^T M^-1 f, when M is definite; otherwise in the
// Euclidean metric of coordinates scaled to unit masses (by powers of two). It and the names of the
// contacts that detach are found only when the limit is asked for too: maps of one answer need not
// pay for them.
dls_status dls_certify_sticking(dls_context *x);

#endif
