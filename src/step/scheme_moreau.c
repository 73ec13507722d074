// Moreau's scheme with theta and gamma, fixed steps.                                 eq (mor.1)
#include "step/scheme.h"

static dls_failure advance(dls_integrator *g, double t1, double *end, dls_message *message)
{
  *end = t1;
  return dls_moreau_step(g->moreau, g->t, t1 - g->t, g->q, g->v, g->impulse1, g->q1, g->v1,
                         message);
}

const dls_scheme dls_scheme_moreau = {
    {"moreau", "Moreau-Jean with theta and gamma: robust, order one", 1, false, false},
    NULL,
    NULL,
    advance,
    false,
    NULL};
