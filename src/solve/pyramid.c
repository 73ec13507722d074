// Lemke's method on the problem with a friction pyramid, delassus/polyhedral.h: exact in the plane,
// an approximation in space that gets better with more facets.
#include "solve/solver_run.h"

#include <delassus/polyhedral.h>

static dls_status create(dls_run *run, void **self)
{
  dls_polyhedral_options o = dls_polyhedral_defaults();
  if (run->options.facets > 0) o.facets = run->options.facets;
  o.lcp.time_limit = run->options.time_limit;
  dls_polyhedral *polyhedral = NULL;
  dls_status status = dls_polyhedral_create(run->problem, &o, &polyhedral, NULL);
  *self = polyhedral;
  return status;
}

static void iterate(dls_run *run, void *self)
{
  dls_lcp_report report;
  dls_run_measure(run);
  if (!dls_run_next(run)) return;
  if (dls_polyhedral_solve(self, run->r, &report) != DLS_OK) {
    dls_run_give_up(run, DLS_STOP_NUMERICS);
    return;
  }
  dls_run_measure(run);
  run->iterations += report.iterations;
  if (!dls_run_next(run)) return;
  dls_run_give_up(run, report.converged ? DLS_STOP_APPROXIMATE : DLS_STOP_STALLED);
}

static void destroy(void *self)
{
  dls_polyhedral_free(self);
}

const dls_method dls_method_pyramid = {
    .info = {"lemke-pyramid", "Lemke's method with a pyramid in place of the cone (--facets)", true,
             false, true, DLS_LAWS_CONE | DLS_LAW_BIT(DLS_LAW_BILATERAL_CONE)},
    .max_iterations = 1000000,
    .create = create,
    .iterate = iterate,
    .destroy = destroy,
};
