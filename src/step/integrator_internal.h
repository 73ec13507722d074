// What the life of an integrator and its steps share.
#ifndef DLS_STEP_INTEGRATOR_INTERNAL_H
#define DLS_STEP_INTEGRATOR_INTERNAL_H

#include "step/scheme.h"

// Makes everything anew for the contacts that the system has now, from what was kept last.
dls_status dls_integrator_renew(dls_integrator *g, dls_message *message);

// Penetrations and what constraints leave, where the point stands, to the counts.
void dls_integrator_note_gaps(dls_integrator *g);

// DLS_ERR_LIMIT with the sizes of the system.
dls_status dls_integrator_say_limit(const dls_integrator *g, dls_message *message);

#endif
