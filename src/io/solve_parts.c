#include "io/solve_parts.h"

#include "contact/incremental.h"
#include "contact/law.h"

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

typedef enum mode { OPEN, STICKING, SLIDING } mode;

// Of any law: where the trial force lies.                                            eq (law.1)
static mode mode_of(int d, const dls_one_law *l, double scale, const double *r, const double *u)
{
  const double x[] = {scale * r[0] - u[0], scale * r[1] - u[1], d == 3 ? scale * r[2] - u[2] : 0};
  const double t = tangential(d, x);
  if (l->law == DLS_LAW_EQUATION) return STICKING;
  if (dls_law_is_bounded(l->law)) return t <= scale * l->bound ? STICKING : SLIDING;
  if (!dls_law_is_bilateral(l->law)) {
    const double normal = l->law == DLS_LAW_CONE ? x[0] - l->mu * tangential(d, u) : x[0];
    const bool open = l->law == DLS_LAW_CONE ? l->mu * t <= -normal : normal <= 0;
    if (open) return OPEN;
    return l->law == DLS_LAW_CONE && l->mu > 0 && t <= l->mu * normal ? STICKING : SLIDING;
  }
  return l->law == DLS_LAW_BILATERAL_CONE && l->mu > 0 && t <= l->mu * fabs(x[0]) ? STICKING
                                                                                  : SLIDING;
}

dls_mode_counts dls_incremental_modes(const dls_incremental *p, const double *r, const double *u)
{
  const int d = p->dimension;
  dls_mode_counts modes = {.strongest = -1};
  for (int i = 0; i < p->contacts; i++) {
    const double *own = r + (ptrdiff_t)d * i, force = hypot(own[0], tangential(d, own));
    const dls_one_law law = dls_law_at(p, i);
    const double scale = dls_incremental_contact_scale(p, i);
    const mode now = mode_of(d, &law, scale, own, u + (ptrdiff_t)d * i);
    modes.open += now == OPEN, modes.sticking += now == STICKING, modes.sliding += now == SLIDING;
    if (modes.strongest >= 0 && !(force > modes.largest)) continue;
    modes.strongest = i;
    modes.largest = force;
  }
  return modes;
}
