// Path following as a part of others.
#ifndef DLS_SOLVE_PATH_H
#define DLS_SOLVE_PATH_H

#include "solve/solver_run.h"

// The stages differ in the smoothing; each begins anew. self: of dls_method_path.create, after
// dls_run_prepare. False when the run is over, true when the stage cannot go on.
extern const int dls_path_stages;
bool dls_path_stage(void *self, int stage);

#endif
