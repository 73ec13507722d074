// The limit of friction, tested on the data themselves: without A_n and A_t, which are known to
// rounding only.
#ifndef DLS_CERTIFY_LOAD_EXACT_H
#define DLS_CERTIFY_LOAD_EXACT_H

#include "certify/polyhedra.h"

// Contacts that slide, bilateral ones first, then the unilateral ones; all other contacts are
// bilateral and frictionless.
typedef struct dls_load_contacts {
  const dls_polyhedra *c;
  int m_b, m;
  const int *contact;      // m
  const bool *frictional;  // m
} dls_load_contacts;

// Moves the bracket [*low, *high] of the first loss of uniqueness, each end by a factor of up to
// 1 + far, to where all determinants have one sign at *low and two have different ones at *high,
// narrows it so that *value is known, and moves the ends apart again by the factor 1 + apart.
// *found false when there are no such ends, or when it is too much work.
dls_status dls_load_bracket(const dls_load_contacts *contacts, double far, double apart,
                            double *value, double *low, double *high, bool *found);

// The signs of all determinants for the coefficients mu (m): yes when there is one sign, no with
// two choices that differ, or one that vanishes; a choice is 1 or -1 for the sign of a bilateral
// force, 1 or 0 for unilateral contacts that are closed or open. Undecided where a matrix is so
// near to singular that its sign may be rounding, or when it is too much work; *done: the choices
// are set. The last three may be NULL.
dls_status dls_load_signs(const dls_load_contacts *contacts, const double *mu, dls_answer *answer,
                          double *margin, int *first, int *second, bool *done);

// How far the matrix of one choice is from a singular one, when what is not zero changes in
// proportion to itself: eq (sli.7). NaN where that is too much work.
dls_status dls_load_distance(const dls_load_contacts *contacts, const double *mu, const int *choice,
                             double *distance);

#endif
