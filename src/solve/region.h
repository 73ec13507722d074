// Part of a pile: some contacts, with the forces of all others as they are.             eq (bod.5)
#ifndef DLS_SOLVE_REGION_H
#define DLS_SOLVE_REGION_H

#include "solve/bodies.h"

enum { DLS_REGION_CONTACTS = 512 };

typedef struct dls_region dls_region;

// Memory for one region at a time; b must outlive it.
dls_status dls_region_create(const dls_bodies *b, dls_region **out);
void dls_region_free(dls_region *g);  // NULL is fine

// Newton's method, then proximal points, on the contacts at the given places in the order of
// colours: at most DLS_REGION_CONTACTS on at most DLS_REGION_BODIES bodies. r, y: of the pile;
// those of the region and its bodies are replaced where its |F| falls. Stops when |F| is `part` of
// what it was, or `least`. Returns whether r was replaced. Allocates nothing.
bool dls_region_solve(dls_region *g, int count, const int *places, double part, double least,
                      double *r, double *y);

#endif
