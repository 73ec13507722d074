#include "solve/newton_law.h"

#include "contact/law.h"
#include "linalg/length.h"

#include <math.h>

// The disc of this radius, which grows by `growth` with X_N.
static void disc(int d, double radius, double growth, const double *X, double *B)
{
  const double t = d == 3 ? dls_length(X[1], X[2]) : fabs(X[1]);
  for (int k = 1; k < d; k++) {
    if (t <= radius) {
      B[k + d * k] = 1;
      continue;
    }
    B[k] = growth * (X[k] / t);
    for (int l = 1; l < d; l++) B[k + d * l] = radius / t * ((k == l) - X[k] / t * (X[l] / t));
  }
}

void dls_newton_law(const dls_run *run, int i, const double *X, double *force, double *B)
{
  const int d = run->d;
  const dls_one_law l = dls_law_at(run->problem, i);
  const bool closed = dls_law_is_bilateral(l.law) || X[0] > 0;
  const double growth = !closed ? 0 : X[0] < 0 ? -l.mu : l.mu;
  dls_law_trial(d, &l, X, force);
  for (int k = 0; k < d * d; k++) B[k] = 0;
  if (closed) B[0] = 1;
  if (l.law == DLS_LAW_EQUATION)
    for (int k = 1; k < d; k++) B[k + d * k] = 1;
  else if (dls_law_slides(l.law))
    for (int k = 1; k < d; k++) B[k] = -growth * l.direction[k - 1];
  else if (dls_law_is_bounded(l.law)) disc(d, l.bound, 0, X, B);
  else disc(d, l.mu * fabs(force[0]), growth, X, B);
}
