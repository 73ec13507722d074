// What the questions about sliding share.
#ifndef DLS_CERTIFY_SLIDING_INTERNAL_H
#define DLS_CERTIFY_SLIDING_INTERNAL_H

#include "certify/sliding.h"
#include "linalg/minors.h"

dls_status dls_sliding_validate(const dls_sliding *sliding, const double *mu);

// The two columns of each contact with their error bounds, m x m each: A (sign +1, or open) and B
// (sign -1, or closed). mu_j = mu[j], or `uniform` when mu is NULL, with an uncertainty of `width`.
// noise: uncertainty of the data, relative to the terms of each entry.
void dls_sliding_columns(const dls_sliding *sliding, const double *mu, double uniform, double width,
                         double noise, dls_tracked *A, dls_tracked *B);

#endif
