// Lemke's method as a row of the table.                                             eq (lcp.7)
#include "lcp/lcp_method.h"

#include "lcp/tolerances.h"

#include <math.h>

enum { TRIES = 8 };

static ptrdiff_t none(int n)
{
  return n;
}

static bool halt(void *self, int pivots)
{
  dls_lcp_run *r = self;
  double error = INFINITY;
  (void)pivots;
  if (r->options.watch) {
    dls_lemke_point(r->lemke, r->point);
    error = dls_lcp_measure_point(r);
  }
  return !dls_lcp_continue(r, error);
}

static dls_lcp_stop reason(const dls_lemke_report *report)
{
  switch (report->outcome) {
  case DLS_LCP_RAY: return report->infeasible ? DLS_LCP_STOP_INFEASIBLE : DLS_LCP_STOP_RAY;
  case DLS_LCP_SINGULAR: return DLS_LCP_STOP_UNSUITED;
  case DLS_LCP_STOPPED: return DLS_LCP_STOP_ITERATIONS;
  case DLS_LCP_SOLVED:
  case DLS_LCP_INEXACT: break;
  }
  return DLS_LCP_STOP_NUMERICS;
}

static void run(dls_lcp_run *r, double *z, double *work, int *index)
{
  (void)index;
  dls_lemke_report report;
  dls_lemke_options options = {.tolerance = lemke_residual, .tries = TRIES};
  dls_lcp_limit(r, options.tries * dls_lemke_pivots(r->given.n));
  if (r->options.max_iterations > 0) options.max_pivots = r->options.max_iterations;
  r->stop = DLS_LCP_STOP_CONVERGED;
  // it has scales of its own, for rows and columns apart
  dls_lemke_solve(r->lemke, &r->given, &options, halt, r, work, &report);
  const bool halted = r->stop != DLS_LCP_STOP_CONVERGED;
  if (report.outcome == DLS_LCP_SOLVED || report.outcome == DLS_LCP_INEXACT) {
    for (int i = 0; i < r->given.n; i++) z[i] = work[i] / r->col[i] * r->s;
    dls_lcp_offer(r, z);
  }
  if (!halted && r->best_error > r->options.tolerance) r->stop = reason(&report);
}

const dls_lcp_method dls_lcp_method_lemke = {
    .info = {"lemke", "Lemke's complementary pivoting, lexicographic, eight covering vectors",
             "strictly semimonotone, P and copositive-plus matrices: a solution, or a ray that "
             "proves infeasibility"},
    .reals = none,
    .integers = none,
    .run = run};
