// Events wait until their step is made: one that fails, or is made again, has none to tell.
#ifndef DLS_STEP_TELLING_H
#define DLS_STEP_TELLING_H

#include "step/scheme.h"

dls_status dls_telling_create(dls_integrator *g);  // nothing, where nobody listens
void dls_telling_forget(dls_integrator *g);        // what waits, as the step begins anew
void dls_telling_tell(dls_integrator *g);          // what waits

#endif
