// Proximal points as a part of others.
#ifndef DLS_SOLVE_PROXIMAL_H
#define DLS_SOLVE_PROXIMAL_H

#include "solve/solver_run.h"

// From the measured point run->r. self: of dls_method_proximal.create, after dls_run_prepare. False
// when the run is over; true when `patience` proximal points have brought nothing.
bool dls_proximal_iterate(dls_run *run, void *self, int patience);

#endif
