// What counts as zero in the room of models.
#ifndef DLS_MODEL_TOLERANCES_H
#define DLS_MODEL_TOLERANCES_H

// Of the place of a contact force: singular values of its Jacobian below this part of the largest
// one do not count, and what G - J^T n leaves, relative to G, is zero up to this, both in the
// kinetic metric. Jacobians are exact up to rounding, so both are far above it, and far below what
// a wrong place gives.
static const double place_tolerance = 1e-8;

#endif
