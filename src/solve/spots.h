// Where sweeps stall the error sits in few places: the spots of a pile, which are solved one by one
// with everything around them at rest.                                                eq (bod.5)
#ifndef DLS_SOLVE_SPOTS_H
#define DLS_SOLVE_SPOTS_H

#include "solve/bodies.h"

typedef struct dls_spots dls_spots;

// Memory for as many regions at a time as threads; b and pace must outlive it.
dls_status dls_spots_create(const dls_bodies *b, const dls_pace *pace, dls_spots **out);
void dls_spots_free(dls_spots *s);  // NULL is fine

// Forgets what is held.
void dls_spots_restart(dls_spots *s);
// Contacts, in the order of colours, that sweeps should leave to the next call of dls_spots_solve:
// the inside of regions that had to be solved twice in a row where `hold` was given, because sweeps
// drive them away from their solution.
const bool *dls_spots_held(const dls_spots *s);

typedef struct dls_spots_report {
  int regions, solved;  // tried; those that were changed
} dls_spots_report;

// Solves regions around the contacts whose |F| stands out, the largest first, from r and its
// y = y0 + G r; both are changed. size: contacts of a region, at most
// DLS_REGION_CONTACTS. hold: the inside of regions that come again. least: |F| of a contact below
// which it is good enough. Stops when watch(self) answers true. Allocates nothing; the result does
// not depend on the threads.
dls_spots_report dls_spots_solve(dls_spots *s, int size, bool hold, double least,
                                 bool (*watch)(void *self), void *self, double *r, double *y);

#endif
