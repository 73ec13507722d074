// Newton's method for a reformulation f(z_i, w_i) = 0 of complementarity.
#ifndef DLS_LCP_LCP_NEWTON_H
#define DLS_LCP_LCP_NEWTON_H

#include "lcp/lcp_method.h"

// f of a pair, and an element (a, b) of its generalized derivative.
typedef double (*dls_lcp_pair)(double z, double w, double *a, double *b);

ptrdiff_t dls_lcp_newton_reals(int n);
ptrdiff_t dls_lcp_newton_integers(int n);
// bold: full steps first.
void dls_lcp_newton(dls_lcp_run *run, dls_lcp_pair f, bool bold, double *z, double *work,
                    int *index);

#endif
