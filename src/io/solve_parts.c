#include "io/solve_parts.h"

#include "contact/incremental.h"

#include <math.h>
#include <stddef.h>

const char *dls_solve_kind(const dls_solve_summary *s)
{
  const dls_incremental *p = s->problem;
  if (!p) return s->lcp->free > 0 ? "mlcp" : "lcp";
  if (p->global) return p->dimension == 2 ? "gfc2d" : "gfc3d";
  return p->dimension == 2 ? "fc2d" : "fc3d";
}

bool dls_solve_is_valid(const dls_solve_summary *s)
{
  if (!s || !s->problem == !s->lcp || s->runs < (s->compare ? 0 : 1)) return false;
  for (int k = 0; k < s->runs; k++)
    if (!s->run[k].asked || (s->problem ? s->run[k].lcp != NULL : s->run[k].friction != NULL))
      return false;
  return true;
}

// ---- one run -----------------------------------------------------------------------------------

bool dls_solve_run_converged(const dls_solve_run *run)
{
  if (run->friction) return run->friction->converged;
  return run->lcp && run->lcp->converged;
}

double dls_solve_run_error(const dls_solve_run *run)
{
  if (run->friction) return run->friction->error.largest;
  return run->lcp ? run->lcp->error_in_units : NAN;
}

const char *dls_solve_run_stopped(const dls_solve_run *run)
{
  if (run->friction) return dls_stop_text(run->friction->stop);
  return run->lcp ? dls_lcp_stop_text(run->lcp->stop) : "";
}

int dls_solve_iterations(const dls_solve_run *run)
{
  if (run->friction) return run->friction->iterations;
  return run->lcp ? run->lcp->iterations : 0;
}

double dls_solve_seconds(const dls_solve_run *run)
{
  if (run->friction) return run->friction->seconds;
  return run->lcp ? run->lcp->seconds : NAN;
}

const char *dls_solve_made_by(const dls_solve_run *run)
{
  if (run->friction) return run->friction->solver;
  return run->lcp ? run->lcp->solver : NULL;
}

// Converged before not converged, then the smaller error; NaN is never better.
static bool better(const dls_solve_run *a, const dls_solve_run *b)
{
  if (!a->friction && !a->lcp) return false;
  if (dls_solve_run_converged(a) != dls_solve_run_converged(b)) return dls_solve_run_converged(a);
  const double x = dls_solve_run_error(a), y = dls_solve_run_error(b);
  return isnan(y) ? !isnan(x) : x < y;
}

const dls_solve_run *dls_solve_best(const dls_solve_summary *s)
{
  const dls_solve_run *best = NULL;
  for (int k = 0; k < s->runs && (k == 0 || s->compare); k++) {
    const dls_solve_run *run = &s->run[k];
    if (!run->friction && !run->lcp) continue;
    if (!best || better(run, best)) best = run;
  }
  return best;
}

// ---- contacts ----------------------------------------------------------------------------------

static double tangential(int dimension, const double *x)
{
  return dimension == 3 ? hypot(x[1], x[2]) : fabs(x[1]);
}

dls_contact_modes dls_incremental_modes(const dls_incremental *p, const double *r, const double *u)
{
  const int d = p->dimension;
  dls_contact_modes modes = {.strongest = -1};
  for (int i = 0; i < p->contacts; i++) {
    const double *ri = r + (ptrdiff_t)d * i, *ui = u + (ptrdiff_t)d * i, mu = p->mu[i];
    const double scale = dls_incremental_contact_scale(p, i);
    const double normal = scale * ri[0] - ui[0] - mu * tangential(d, ui);
    const double x[] = {0, scale * ri[1] - ui[1], d == 3 ? scale * ri[2] - ui[2] : 0};
    const double t = tangential(d, x), force = hypot(ri[0], tangential(d, ri));
    if (mu * t <= -normal) modes.open++;
    else if (mu > 0 && t <= mu * normal) modes.sticking++;
    else modes.sliding++;
    if (modes.strongest >= 0 && !(force > modes.largest)) continue;
    modes.strongest = i;
    modes.largest = force;
  }
  return modes;
}
