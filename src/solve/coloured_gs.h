// The method for large piles as a part of others.
#ifndef DLS_SOLVE_COLOURED_GS_H
#define DLS_SOLVE_COLOURED_GS_H

#include "solve/solver_run.h"

// self: of dls_method_coloured_gs.create. From run->r, at most `most` sweeps. False when the run is
// over. Points are only offered: dls_run_return must follow.
bool dls_coloured_gs_iterate(dls_run *run, void *self, int most);

#endif
