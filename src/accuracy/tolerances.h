// The tolerances of this room, most of them some roundings. Numbers that steer the search for jumps
// and the choice of nodes stand with it.
#ifndef DLS_ACCURACY_TOLERANCES_H
#define DLS_ACCURACY_TOLERANCES_H

#include <float.h>

// ---- runs --------------------------------------------------------------------------------------

// Rounding of a step, of the largest number of the motion. Chosen.                    eq (err.7)
static const double step_rounding = 16 * DBL_EPSILON;

// How much wider the tolerances of a second run are, and how much longer its step is, of itself:
// every rounding falls otherwise. Chosen.                                             eq (err.9)
static const double disturbed_tolerance = 8, disturbed_step = 8 * DBL_EPSILON;

// A time this near to a jump, of the larger time, lies on it. Chosen: a time is a sum of steps.
static const double jump_time_rounding = 16 * DBL_EPSILON;

// What a formula and a start may differ by, of 1 and the start: starts are printed with few digits.
// Chosen.
static const double same_start = 1e-6;

// ---- jumps of formulas -------------------------------------------------------------------------

// Second differences of a velocity up to this, of the largest velocity, are rounding; it grows by
// `louder` up to `loudest` where a formula rounds more. Chosen; 6e-14 at first.       eq (err.6)
static const double formula_rounding = 256 * DBL_EPSILON, louder = 100, loudest = 1e-3;

// Jumps this near to each other, of their time, are one: formulas may change in neighbouring
// numbers what changes at one time. Chosen.
static const double same_time = 8 * DBL_EPSILON;

// ---- distances of graphs -----------------------------------------------------------------------

// The lowest point of two lines is met, of its height: a few operations.              eq (err.4)
static const double line_rounding = 4 * DBL_EPSILON;

// A point is covered, of the distance and the coordinates: a few operations.          eq (err.3)
static const double cover_rounding = 4 * DBL_EPSILON;

// Two distances are equal, of the coordinates; one rounding.
static const double equal_distances = DBL_EPSILON;

// Two points of a segment are one, of its length: they are neighbouring numbers.
static const double same_point = 2 * DBL_EPSILON;

#endif
