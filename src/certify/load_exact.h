// The limit of friction, tested on the data themselves: without A_n and A_t, which are known to
// rounding only.
#ifndef DLS_CERTIFY_LOAD_EXACT_H
#define DLS_CERTIFY_LOAD_EXACT_H

#include "certify/cells.h"

// Contacts that slide, bilateral ones first, then the unilateral ones; all other contacts are
// bilateral and frictionless.
typedef struct dls_load_contacts {
  const dls_cells *c;
  int m_b, m;
  const int *contact;      // m
  const bool *frictional;  // m
} dls_load_contacts;

// Do all determinants have one sign, with the coefficients of the contacts? Undecided when that is
// too much work.
dls_status dls_load_signs(const dls_load_contacts *contacts, dls_answer *same);

// Moves the bracket [*low, *high] of the first loss of uniqueness, each end by a factor of up to
// 1 + far, to where all determinants have one sign at *low and two have different ones at *high,
// narrows it so that *value is known, and moves the ends apart again by the factor 1 + apart.
// *found false when there are no such ends, or when it is too much work.
dls_status dls_load_bracket(const dls_load_contacts *contacts, double far, double apart,
                            double *value, double *low, double *high, bool *found);

#endif
