// The interior-point method as a part of others.
#ifndef DLS_SOLVE_INTERIOR_H
#define DLS_SOLVE_INTERIOR_H

#include "solve/run.h"

// self: of dls_method_interior.create, after dls_run_prepare. It has its own start. False when the
// run is over, true when it cannot go on.
bool dls_interior_iterate(dls_run *run, void *self, int most);

#endif
