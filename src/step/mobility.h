// How mobile coordinates are beside each other, to first order: 1 / M_ii.
#ifndef DLS_STEP_MOBILITY_H
#define DLS_STEP_MOBILITY_H

#include "step/snapshot.h"

// Where M is singular some M_ii pass through zero on the way, as with quaternions, and a constraint
// holds these coordinates: in other contacts they are no more mobile than the rest. mobility, n:
// 1 / M_ii, or what the caller has in its place where there is no mass. most: 2 n, work. bounded,
// n: whose mobility is less now.
void dls_mobility_bound(const dls_snapshot *point, double *mobility, double *most, bool *bounded);

// The mobilities where the point stands, 0 without mass; work: 2 n numbers and n.
void dls_mobility_set(const dls_snapshot *point, const int *diagonal, double *mobility,
                      double *most, bool *bounded);

// Powers of two about 1 / sqrt(M_ii) for some coordinates, relative to the first mass among them,
// so that units change nothing; those without one, by the gradients of these contacts. local: the
// place of a coordinate among them. Returns the exponent of the first mobility, or 0.
int dls_mobility_scales(const dls_snapshot *point, const double *mobility, int count,
                        const int *coordinate, int contacts, const int *contact, const int *local,
                        double *scale);

#endif
