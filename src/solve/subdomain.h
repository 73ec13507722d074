// Part of a pile: some contacts, with the forces of all others as they are.             eq (bod.5)
#ifndef DLS_SOLVE_SUBDOMAIN_H
#define DLS_SOLVE_SUBDOMAIN_H

#include "solve/bodies.h"

enum { DLS_SUBDOMAIN_CONTACTS = 512 };

typedef struct dls_subdomain dls_subdomain;

// Memory for one subdomain at a time; b must outlive it.
dls_status dls_subdomain_create(const dls_bodies *b, dls_subdomain **out);
void dls_subdomain_free(dls_subdomain *g);  // NULL is fine

// Newton's method, then proximal points, on the contacts at the given places in the order of
// colours: at most DLS_SUBDOMAIN_CONTACTS on at most DLS_SUBDOMAIN_BODIES bodies. r, y: of the
// pile; those of the subdomain and its bodies are replaced where its |F| falls. Stops when |F| is
// `part` of what it was, or `least`. Returns whether r was replaced. Allocates nothing.
bool dls_subdomain_solve(dls_subdomain *g, int count, const int *places, double part, double least,
                         double *r, double *y);

#endif
