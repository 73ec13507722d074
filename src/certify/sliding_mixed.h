// The bound for bilateral and unilateral sliding contacts together (TUT Prop. 13).
#ifndef DLS_CERTIFY_SLIDING_MIXED_H
#define DLS_CERTIFY_SLIDING_MIXED_H

#include "certify/sliding.h"

enum { DLS_SLIDING_MIXED_LARGEST = 12 };

// A_t: that of the problem, with zero columns where there is no friction. limit: mu at which the
// bilateral block alone may fail. *beta: upper bound of beta_2(M_ub^0); *value: the bound on mu, or
// 0 when rounding leaves none.
dls_status dls_sliding_mixed(const dls_sliding *sliding, const double *A_t, double limit,
                             double *beta, double *value);

#endif
