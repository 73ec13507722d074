// The tolerances of this room; relative, without unit, where nothing else is said. Limits of size
// stand with what they limit.
#ifndef DLS_CONTACT_TOLERANCES_H
#define DLS_CONTACT_TOLERANCES_H

#include <float.h>

// ---- states ------------------------------------------------------------------------------------

// The defaults of dls_contact_options, in the units of the model: gaps, a length, and velocities up
// to these count as zero. Chosen; a model in other units gives its own.
static const double closed_gap = 1e-9, resting_speed = 1e-9;

// A number up to this many times its rounding-error bound is noise. Chosen.           eq (num.2)
static const double noise_factor = 4;

// Rounding of the velocity g^T v, of the sum of its terms, beside that of its terms: a model's few
// products and sums. Chosen.
static const double velocity_rounding = 4 * DBL_EPSILON;

// What the length of a direction of slip may differ from 1. Chosen; friction is wrong by as much.
static const double unit_length = 1e-6;

// What M_ij and M_ji may differ by, of themselves and of (M_ii M_jj)^(1/2). Chosen: more than the
// rounding of two formulas for the same.
static const double symmetry = 1e-12;

// ---- the error of an incremental problem -------------------------------------------------------

// 1/g: how many times finer impulses are than velocities in the one natural map of all contacts. So
// it bounds |F|/|q| in the units given for bodies of up to 1e5; a power of two.       eq (inc.9)
static const double dls_finer_impulses = 0x1p17;

// Rounding of a force, of itself: four units in the last place.                       eq (inc.9)
static const double dls_force_rounding = 0x1p-50;

// Of the load of a contact: what the rounding of forces may hide of a velocity, at most. Chosen.
//                                                                                     eq (inc.9)
static const double most_hidden = 0x1p-14;

// Velocities that reach another contact in this part, or more, count as a whole: a tower has one
// scale, although each floor passes on half of what it is given. Chosen.              eq (inc.13)
static const double noticed = 0x1p-10;

// Part of the energy of equations at which their loads are known well enough for a scale: they are
// rounded to powers of two. Chosen.                                                   eq (inc.12)
static const double load_accuracy = 0x1p-10;

// A bound of unit / load from below, where the unit is the power of two nearest to the largest
// load: a little less than 1 / sqrt(2).
static const double least_unit_by_load = 0.7;

// What may be left of the forces on a coordinate without mass, or without contacts, and of the law
// of friction where its cone is steeper than the reciprocal of this, of their own sizes. Chosen:
// the tolerance to which equations are checked.
static const double unbalanced_massless = 1e-9, unlawful_friction = 1e-9;

#endif
