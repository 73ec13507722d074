// Newton's method for min(z, w) = 0: each step solves a complementary basis.
#include "lcp/lcp_newton.h"

static double pair(double z, double w, double *a, double *b)
{
  *a = z <= w, *b = !(z <= w);
  return z <= w ? z : w;
}

static void run(dls_lcp_run *r, double *z, double *work, int *index)
{
  dls_lcp_newton(r, pair, true, z, work, index);
}

const dls_lcp_method dls_lcp_method_newton_min = {
    .info = {"newton-min", "semismooth Newton for min(z, w) = 0 with a line search",
             "near a solution whose bases are all nonsingular (P-matrices); exact in finitely many "
             "steps there"},
    .reals = dls_lcp_newton_reals,
    .integers = dls_lcp_newton_integers,
    .run = run};
