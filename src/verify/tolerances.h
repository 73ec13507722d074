// The tolerances of this room: what counts as rounding, how well an equation must hold, and by how
// much an inequality that decides. Data are scaled (data.h), so that what has no unit is about 1;
// rho is their relative rounding, eq (chk.2), and "the tolerance" that of the report. Numbers that
// only steer a search or bound its work stand with it: what it finds is proven in any case.
#ifndef DLS_VERIFY_TOLERANCES_H
#define DLS_VERIFY_TOLERANCES_H

// ---- rounding of the data ----------------------------------------------------------------------

// rho, in units in the last place, for each coordinate, contact and slip. Chosen, as in eq (num.1):
// the sum of so many products, each of numbers that a few operations have rounded.
static const double rounding_of_data = 8;

// A number of the model is 0 when this many times the bound of its rounding error holds it. From
// eq (num.2).
static const double ball_width = 4;

// Numbers of the same state, evaluated in another order: as much again. Of the bound; and, where a
// number is written or compared, in units in the last place of itself.
static const double same_state = 8, comparison_rounding = 4, written_rounding = 8;

// Pivots between rho and this many times rho may be rounding or not, as elimination adds some rho
// to each; accelerations of a contact, whose terms are fewer, up to the second. Chosen.
static const double edge_of_rounding = 32, edge_of_opening = 8;

// Units are powers of two: the same matrix in the units of another reader, (16 = 4 * 4: row and
// column may each be off by two of them), has singular values that differ by so much at most.
static const double edge_of_units = 16;

// What the tolerance of the state changes counts in full in the units of check, in ours as this
// part: rows and columns may each be off by a factor of two. eq (num.3)
static const double part_of_ambiguity = 0.25;

// Slips and gradients of a contact are measured alike up to this ratio. Chosen: far below what the
// tolerance would hide, far above what bodies of an ordinary shape have.
static const double alike_lengths = 16;

// A product below this may be subject to underflow: it is not called exact. Above the least normal
// double by the 53 digits of the error of a product, and some.
static const double no_underflow = 1e-290;

// A direction that is shorter by some roundings: what holds for it holds for one of length 1.
static const double a_little_shorter = 1 - 1e-15;

// By how much one matrix must lie below another, whose diagonal is about 1, so that their order
// hangs on no rounding. Chosen: less than what certify leaves.                       eq (fri.11)
static const double clearly_below = 1e-7;

// Where any regular matrix will do, as its rank beyond rounding is proven elsewhere; and at least,
// wherever a margin is 0: far above the 256 bits of the arithmetic, far below what doubles tell.
static const double any_regular = 0x1p-100, least_margin = 0x1p-160;

// A factor for a margin that is that part is nearer to the matrix: refinement goes on with it.
static const double part_of_margin = 0x1p-10;

// ---- how well equations hold -------------------------------------------------------------------

// The tolerance is that of the report, but no less than this many times rho, with which its
// solutions were accepted (num.1), and no more than this: more would hide what is claimed.
static const double least_tolerance = 32, largest_tolerance = 1e-6;

// A strict inequality that decides is this many times larger than what the equations that hold only
// up to rounding leave open, eq (chk.3): it excludes solutions of up to so many times the loads.
enum { DLS_DECISIVE = 1000 };

// Where all contacts stick forces that cancel each other may be many times the loads: leaves must
// exclude more of them.
static const double decisive_for_sticking = 1e6;

// A proof that excludes this part of what it must is no fault, but none either: the last digits of
// a true one may be what is missing. Chosen.                                             eq (chk.3)
static const double nearly_decisive = 0.25;

// Forces and accelerations of regular problems are no larger, over the loads: what a proof excludes
// only up to less is looked for. The reciprocal of the tolerance that is usual.
static const double beyond_regular = 1e9;

// Larger ones hang on some units in the last place of one number of the data: 1 / eps loads.
// Chosen: as check does.                                                               eq (num.1)
static const double last_solutions = 0x1p52;

// A number that follows from others of the report, or from regular data, is that number up to this
// part of the tolerance.
enum { DLS_SHARP = 1000 };

// Ends of a span that are this far apart, in tolerances of the size, are two: each of them is known
// to 4 (one_end), and what is shown to 1.
// Below that part of one they are one, in between it is not told.
static const double spread_of_point = 32, one_end = 4, point_below = 0.01;

// A point of a polyhedron misses its rows, in tolerances of its size: it was made for sizes that
// differ by powers of two, and cones were cut to polygons.
static const double point_of_polyhedron = 4;

// The condition number is known to that part of the tolerance, or of what rounding makes of it, on
// both sides of each eigenvalue; one that rounding moves by more than the second is not told.
static const double part_of_condition = 0.25, condition_told = 0.1;

// Energy is kept below so many tolerances of the terms of the work, lost or gained above that part
// of one: in between either is right.
static const double kept_below = 4, changed_above = 0.25;

// Points of a contact are on the surfaces of its solids up to so many tolerances of gaps: two
// solids whose gap is the tolerance, faces that are flat up to rounding.
static const double point_of_contact = 4;

// Entries of a normal in the report are those of the model up to this: some hundred roundings where
// features curve little.
static const double direction_of_contact = 1e-10;

// ---- limits of friction ------------------------------------------------------------------------

// A bracket that is wider, relative, does not tell the value; one that a report leaves out goes
// half as far to both sides. That many digits are printed.
static const double bracket_width = 2e-6, half_bracket = 1e-6;

// Not even this coefficient is enough, or it is harmless: then none is. No friction reaches it.
static const double infinite_friction = 1e6;

// A fraction is next to a value: rounding of a few operations. Its numerator is at most that.
static const double next_to_fraction = 1e-12, largest_numerator = 1e9;

// Beside a coefficient, relative: no rounding of data is as small.
static const double beside_least = 0x1p-80;

// Next to the least coefficient, relative, forces that grow without end are more than that many
// times the loads.
static const double next_to_least = 1e-8, moderate_forces = 10;

// ---- searches ----------------------------------------------------------------------------------

// What elimination in long double leaves of numbers that cancel, of the terms: two roundings.
static const long double cancelled = 1e-17L;

// Rows over the free unknowns, of their terms: what the rounding of the data makes of them, in rho;
// and where nearly parallel gradients leave more, so many times as much.
static const double fine_reduction = 4, coarse_reduction = 4;

// Sums of the unknowns of a point, in units of long double for each term: as many operations, on
// coefficients that elimination has made of as many. Chosen; only a point that fulfils its rows to
// rho counts.
static const long double search_rounding = 8;

// Gains and pivots of the simplex method are more than this; the first attempts at a bound avoid
// small ones, the last one takes nearly all.
static const long double least_gain = 1e-13L, large_gain = 1e-9L, any_gain = 1e-16L;

// Right-hand sides are moved by so much to leave a circle; what artificial variables may then keep,
// in that; and without.
static const long double disturbance = 1e-10L, left_when_disturbed = 1000, left_over = 1e-12L;

// Of elimination in long double, far below the tolerance: remainders of rows, gains.
static const double remainder_rounding = 1e-13, combination_gain = 1e-12;

// Jacobi's rotations leave out entries below this, of the diagonal: squares of it do not count in
// long double.
static const long double rotated = 1e-22L;

// A size that is not 0.
static const double least_size = 1e-300;

#endif
