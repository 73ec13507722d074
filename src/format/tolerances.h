// Tolerances of src/format.
#ifndef DLS_FORMAT_TOLERANCES_H
#define DLS_FORMAT_TOLERANCES_H

// How far a principal moment of inertia may exceed the sum of the other two, or be negative, of
// their sum: numbers of six digits from files, as dls_mechanism_check allows it.
static const double inertia_digits = 1e-5;

// The same, from where on a file that asks for it gets such moments made equal: rounding alone.
static const double inertia_rounding = 1e-12;

#endif
