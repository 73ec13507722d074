// Steps of Moreau's family: has friction taken all effect from the forces of contacts that slide?
//
//   det A < 0,   A = G^T K^-1 (G - mu H xi) of the contacts that are closed             eq (cap.9)
//
// On the grid a contact that goes on may be off for some steps, and hit again no faster than the
// load alone makes it: it counts as closed for as long as it was off that way before, and three
// steps.
#ifndef DLS_STEP_JAMMING_H
#define DLS_STEP_JAMMING_H

#include "step/scheme.h"

// After the scheme's own create: what is remembered follows what the scheme remembers.
dls_status dls_jamming_create(dls_integrator *g);

void dls_jamming_restart(dls_integrator *g);          // what a moment remembers was taken up
void dls_jamming_before(dls_integrator *g);           // the point stands at the begin of a step,
void dls_jamming_after(dls_integrator *g, double h);  // and at its end; may note a loss

#endif
