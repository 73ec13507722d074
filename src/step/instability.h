// Steps that are too long for a spring or a damper of the model.                    eq (int.8)
#ifndef DLS_STEP_INSTABILITY_H
#define DLS_STEP_INSTABILITY_H

#include "step/scheme.h"

dls_status dls_instability_create(
    dls_integrator *g);  // nothing, but for fixed steps of explicit schemes

// After a step h from v to v1, before it is taken: is a velocity, whose coordinate is told, carried
// away by steps of this length? -1: no.
int dls_instability_find(dls_integrator *g, double h);

// A smooth piece of length h from v to v1, where the point stands, with the error estimate of its
// velocities: are errors as large as velocities, step after step?                    eq (int.9)
void dls_instability_note_piece(dls_integrator *g, double h, const double *v, const double *v1,
                                const double *error_v);

#endif
