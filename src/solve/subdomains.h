// Where sweeps stall the error sits in few places: the subdomains of a pile, which are solved one
// by one with everything around them at rest.                                                eq
// (bod.5)
#ifndef DLS_SOLVE_SUBDOMAINS_H
#define DLS_SOLVE_SUBDOMAINS_H

#include "solve/bodies.h"

typedef struct dls_subdomains dls_subdomains;

// Memory for as many subdomains at a time as threads; b and pace must outlive it.
dls_status dls_subdomains_create(const dls_bodies *b, const dls_pace *pace, dls_subdomains **out);
void dls_subdomains_free(dls_subdomains *s);  // NULL is fine

// Forgets what is held.
void dls_subdomains_restart(dls_subdomains *s);
// Contacts, in the order of colours, that sweeps should leave to the next call of
// dls_subdomains_solve: the inside of subdomains that had to be solved twice in a row where `hold`
// was given, because sweeps drive them away from their solution.
const bool *dls_subdomains_held(const dls_subdomains *s);

typedef struct dls_subdomains_report {
  int subdomains, solved;  // tried; those that were changed
} dls_subdomains_report;

// Solves subdomains around the contacts whose |F| stands out, the largest first, from r and its
// y = y0 + G r; both are changed. size: contacts of a subdomain, at most
// DLS_SUBDOMAIN_CONTACTS. hold: the inside of subdomains that come again. least: |F| of a contact
// below which it is good enough. Stops when watch(self) answers true. Allocates nothing; the result
// does not depend on the threads.
dls_subdomains_report dls_subdomains_solve(dls_subdomains *s, int size, bool hold, double least,
                                           bool (*watch)(void *self), void *self, double *r,
                                           double *y);

#endif
