// Path following as a part of others.
#ifndef DLS_SOLVE_SMOOTHING_H
#define DLS_SOLVE_SMOOTHING_H

#include "solve/solver_run.h"

// The stages differ in the smoothing; each begins anew. self: of dls_method_smoothing.create, after
// dls_run_prepare. False when the run is over, true when the stage cannot go on.
extern const int dls_smoothing_stages;
bool dls_smoothing_stage(void *self, int stage);

#endif
