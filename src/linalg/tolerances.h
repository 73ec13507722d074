// The tolerances of this room; relative, without unit, where nothing else is said. Limits of size
// and work stand with what they limit.
#ifndef DLS_LINALG_TOLERANCES_H
#define DLS_LINALG_TOLERANCES_H

#include <float.h>

// ---- the range of doubles, for all rooms -------------------------------------------------------

// A sum of squares between these is exact to rounding: what underflow takes from a square is less
// than 1e-307, and some such sums can be added or multiplied by scales. Chosen, with room to spare.
static const double dls_least_square = 1e-260, dls_largest_square = 1e260;

// Numbers up to this have finite multiples, up to ten million times: differences of differences.
static const double dls_largest_number = 1e300;

// The step to the boundary where there is none: stands for infinity, as steps are 1 at most.
static const double dls_longest_step = 1e30;

// ---- factors -----------------------------------------------------------------------------------

// Reciprocal condition number of a scaled KKT matrix up to which it counts as singular: a solution
// would have three digits. Chosen.
static const double singular_kkt = 1e-13;

// Reciprocal pivot growth of a KKT matrix up to which old pivots are not used for new numbers: they
// cost so many digits, which refinement must bring back. Chosen.
static const double worst_growth_kkt = 1e-6;

// The same of a sparse LU, as the growth itself; and the ratio of pivots up to which it is not
// asked for. Chosen.
static const double largest_growth = 1e8, pivots_alike = 1e4;

// Part of the largest entry of a column from which on the diagonal is the pivot: KLU's default.
static const double diagonal_pivot = 0.001;

// ---- refinement --------------------------------------------------------------------------------

// Residual of a KKT system, of the terms of its row, up to which there is nothing to refine: the
// rounding of the solution alone makes up to 1e-16 of it.
static const double refined_kkt = 1e-17;

// A correction above this part of the solution is followed by another, which is smaller by about
// this factor again. Chosen; rounding is 1e-16.
static const double refine_again = 1e-13;

// A correction above this part of the solution is noise. Chosen.
static const double refine_never = 0.5;

// ---- error bounds ------------------------------------------------------------------------------

// What rounding takes from a bound: of some twenty operations, and of a product with three for each
// of up to 6000 rows.
static const long double bound_rounding = 64 * LDBL_EPSILON, bound_rounding_product = 1e-15L;

#endif
