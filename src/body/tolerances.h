// The tolerances of this room; relative, without unit.
#ifndef DLS_BODY_TOLERANCES_H
#define DLS_BODY_TOLERANCES_H

// What an axis of a joint may differ from length 1: files have six digits, and the axis is scaled
// to length 1 anyway. Chosen.
static const double axis_length = 1e-5;

// How far a principal moment of inertia may exceed the sum of the other two, or be negative, of
// their sum: numbers of six digits from files. Chosen.
static const double inertia_rounding = 1e-5;

#endif
