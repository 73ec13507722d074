// Accelerated sweeps as a part of others.
#ifndef DLS_SOLVE_NSGS_ANDERSON_H
#define DLS_SOLVE_NSGS_ANDERSON_H

#include "solve/solver_run.h"

// self: of dls_method_nsgs_anderson.create, where the operator has rows. From run->r, at most
// `most` sweeps. False when the run is over.
bool dls_nsgs_anderson_iterate(dls_run *run, void *self, int most);

#endif
