// Sweeps that other methods use too.
#ifndef DLS_SOLVE_GAUSS_SEIDEL_H
#define DLS_SOLVE_GAUSS_SEIDEL_H

#include "solve/solver_run.h"

// self: of dls_method_gauss_seidel.create. start: once per solve, before the sweeps.
void dls_gauss_seidel_start(dls_run *run, void *self);
void dls_gauss_seidel_sweep(dls_run *run, void *self, bool backwards);

#endif
