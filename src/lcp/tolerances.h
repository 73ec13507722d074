// The tolerances of this room. The methods see the scaled problem, whose entries are around 1
// (eq (lcp.11)): what has no other measure is relative to that. Numbers that steer a method (line
// searches, steps to the boundary, patience) stand with their method.
#ifndef DLS_LCP_TOLERANCES_H
#define DLS_LCP_TOLERANCES_H

enum { LARGEST_PROBLEM = 2000 };  // unknowns; the basis of Lemke's method has 32 MB

// ---- answers -----------------------------------------------------------------------------------

// The default of dls_lcp_options: of the error in units. Chosen.
static const double lcp_tolerance = 1e-8;

// Relative residual up to which Lemke's method is done: the final basis is solved with residuals in
// long double, so that more tells of a bad basis. Chosen.
static const double lemke_residual = 1e-11;

// A ray y proves that there is no solution: M^T y <= 0 up to the rounding of y, of its terms, and
// q^T y < 0 by more than any rounding, of its terms. Chosen.
static const long double ray_rounding = 1e-14L, ray_margin = 1e-9L;

// ---- singular: reciprocal condition numbers, up to which ---------------------------------------

// a basis that a method has arrived at has no solution. Ten roundings: what it gives is measured.
static const double singular_basis = 1e-15;
// one of all bases is solved by complete pivoting instead, or the Jacobian by Levenberg and
// Marquardt. A hundred roundings: there is another way. Chosen.
static const double singular_enumerated = 1e-14, singular_jacobian = 1e-14;
// the block of free variables is not eliminated: the reduced problem would have two digits. Chosen.
static const double singular_free_block = 1e-14;
// Lemke's basis is lost: one rounding.
static const double singular_lemke = 1e-16;
// there are no factors at all: a Newton step of interior points may be poor, and is measured.
static const double singular_interior = 1e-300;

// ---- rounding ----------------------------------------------------------------------------------

// What is left of a block after elimination with complete pivoting, and how negative z of a basis
// may be to count as zero: 1e4 roundings of entries around 1. Chosen.
static const double vanished_pivot = 1e-12, vanished_z = 1e-12;

// How negative z or w of a basis may be, of 1 + |z|, before its row changes sides. Chosen.
static const double negative_row = 1e-13;

// Added to the diagonal of M + M^T, n + 1 times: Cholesky's factors of a semidefinite matrix of
// entries around 1 round by (n + 1) eps. Chosen, with room.
static const double monotone_shift = 1e-13;

// Lemke's ratio test: quotients that differ by less, of 1 and themselves, are equal; an entry up to
// `small_pivot` of the largest of its column, which counts as least_column at least, is no pivot.
// Chosen: the inverse of the basis is updated up to 40 times before it is formed again.
static const double equal_ratios = 1e-12, small_pivot = 1e-11, least_column = 1e-3;

#endif
