// Can all contacts stick, with a coefficient that is a fraction? Without rounding.   eq (chk.14)
#ifndef DLS_VERIFY_STICKS_H
#define DLS_VERIFY_STICKS_H

#include "verify/exact_program.h"

// In the place of the coefficients of the contacts that do not slide. most: forces up to so many
// times the loads only; INFINITY: whatever their size. Unknown where the problem is large or a
// contact in space sticks.
dls_exact dls_sticks(dls_trial *x, mpq_srcptr mu, double most);

// Are there forces, not all of them zero but for those of frictionless joints, that cancel each
// other in the cones of that coefficient?
dls_exact dls_squeezes(dls_trial *x, mpq_srcptr mu);

#endif
