// Newton's method for Fischer and Burmeister's function z + w - sqrt(z^2 + w^2) = 0, whose merit
// 1/2 |F|^2 is smooth.
#include "lcp/lcp_newton.h"

#include <math.h>

static double pair(double z, double w, double *a, double *b)
{
  const double length = hypot(z, w);
  // at the origin an element of the generalized derivative: the limit along z = w > 0
  *a = 1 - (length > 0 ? z / length : sqrt(0.5));
  *b = 1 - (length > 0 ? w / length : sqrt(0.5));
  // without cancellation where both are positive
  if (z > 0 && w > 0) return 2 * z * w / (z + w + length);
  return z + w - length;
}

static void run(dls_lcp_run *r, double *z, double *work, int *index)
{
  dls_lcp_newton(r, pair, false, z, work, index);
}

const dls_lcp_method dls_lcp_method_newton_fb = {
    .info = {"newton-fb", "semismooth Newton for Fischer and Burmeister's function, line search",
             "stationary points of the merit; for P0-matrices these are solutions"},
    .reals = dls_lcp_newton_reals,
    .integers = dls_lcp_newton_integers,
    .run = run,
    .polish = true};
