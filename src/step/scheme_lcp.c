// The velocity LCP with a pyramid in place of the cone: everything explicit but the impulses.
//
//   M (v1 - v0) + h F = N P + B beta,  q1 = q0 + h v1      M, F, N, B at t, q0, v0      eq (mor.4)
//
// N and B of bilateral constraints at t + h / 2, q0 + h / 2 v0, and with b_n as in eq (mor.1).
#include "step/scheme.h"
#include "step/tolerances.h"

#include <math.h>

static dls_status create(dls_integrator *g, dls_message *message)
{
  dls_polyhedral_options options = dls_polyhedral_defaults();
  options.facets = g->options.facets;
  options.stabilize = g->options.stabilize;
  options.scale = 0x1p-7;  // the size of a step; without, Lemke's method loses its way more often
  options.lcp.tolerance = fmax(g->options.tolerance, pyramid_error);
  const dls_status status = dls_moreau_make_ahead(g->moreau);
  return status == DLS_OK ? dls_step_problem_facet(g->moreau->contacts, &options, message) : status;
}

static dls_failure advance(dls_integrator *g, double t1, double *end, dls_message *message)
{
  *end = t1;
  return dls_moreau_explicit(g->moreau, g->t, t1 - g->t, g->q, g->v, g->impulse1, g->q1, g->v1,
                             message);
}

const dls_scheme dls_scheme_lcp = {
    {"lcp", "explicit, with a pyramid in place of the friction cone", 1, false, false},
    create,
    NULL,
    advance,
    false,
    NULL};
