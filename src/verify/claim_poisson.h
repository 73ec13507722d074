// What a report says of an impact by Poisson's law.
#ifndef DLS_VERIFY_CLAIM_POISSON_H
#define DLS_VERIFY_CLAIM_POISSON_H

#include "verify/checks.h"

typedef struct dls_poisson_claim {
  const dls_before *before;
  const double *E;  // m_u x m_u, diagonal
  int m_u;
} dls_poisson_claim;

// The motion in `object`, and the compression that it goes on from; x is the trial of Moreau's law
// with e = 0. False when something is wrong, or open, and why is said.
bool dls_check_poisson(const dls_poisson_claim *claim, dls_trial *x, dls_finding *f,
                       const json_t *object);

#endif
