// The tolerances of this room: what makes a point good, what counts as rounding or as dependent,
// and what is added to matrices that may be singular. Methods see problems in units in which
// velocities and the diagonal of W are around 1 (units.h); where nothing else is said a number is
// relative. Numbers that steer a method on its way (line searches, steps to the boundary, patience,
// budgets) stand with the method: whatever they are, a point counts as solved by its measured error
// alone.
#ifndef DLS_SOLVE_TOLERANCES_H
#define DLS_SOLVE_TOLERANCES_H

// ---- answers -----------------------------------------------------------------------------------

// The default of dls_solve_options: of error.largest. Chosen.
static const double solve_tolerance = 1e-8;

// What a method aims at, of the tolerance. Chosen: the error is recomputed, with other rounding.
static const double goal_of_tolerance = 0.99;

// Where a point is not good by the other measures the goal is lowered to this part of what is
// missing, and not below that part of the best error at once. Chosen.
static const double goal_of_missing = 0.5, least_goal = 1e-3;

// Forces outside their cones by less than this, of what is allowed, are not moved: nothing else
// would change; above that many times they are moved before they are measured. Chosen.
static const double hardly_outside = 0.01, far_outside = 2;

// An error below this part of the least one so far is progress. Chosen.
static const double progress = 0.9;

// An LCP with less than this error is good although it did not converge: normal velocities may be
// next to nothing beside slips, and the tolerance below rounding. Chosen.
static const double good_lcp = 1e-8;

// A bilateral contact opens when its velocity is above this part of the largest load, plus so much
// for each part by which the diagonal was raised, plus that many times the error. Chosen.
static const double opening = 1e-9, opening_by_diagonal = 100, opening_by_error = 10;

// ---- one contact -------------------------------------------------------------------------------

// The last step of lambda, of eq (one.2): what is left is its square. In a sweep, where others will
// change it again; alone, for tolerances from `demanding` on; and to rounding. Chosen.
static const double near_in_sweep = 1e-3, near_alone = 1e-6, near_exact = 1e-8;
static const double demanding = 1e-10;

// Width of a bracket of lambda, of itself, that is not halved again: some roundings.
static const double bracket_rounding = 1e-15;

// ---- rounding ----------------------------------------------------------------------------------

// Square of what is left of a change, of its own, up to which it depends on newer ones. Chosen.
static const double dependent_change = 1e-12;

// Distance of a force from the border of its cone, of the bound of friction, that is rounding.
static const double border_rounding = 1e-15;

// Rounding of the test of a gradient step, of its right side: where it decides, the test says
// nothing. Chosen.
static const double descent_rounding = 1e-10;

// Rounding of the smoothed map, of its terms. Chosen.
static const double map_rounding = 1e-12;

// Residual of a proximal point's Newton step that is rounding. Chosen.
static const double proximal_rounding = 1e-14;

// ---- regularization ----------------------------------------------------------------------------

// eps of Newton's methods: this part of |F|/|r|, at least and, until steps fail, at most. In the
// plane the law of a few contacts is linear by pieces, and needs less; contacts that are hardly
// determined need more. Chosen.                                                       eq (new.2)
static const double regularization = 0.01, least_regularization = 1e-10, most_regularization = 1e-4;
static const double most_regularization_few = 1e-9, least_regularization_near = 1e-6;

// delta of the smoothed path, at least: holds forces that W does not determine. Chosen.
//                                                                                     eq (pth.2)
static const double least_delta = 1e-9;

// Of equations, of the diagonal of W, which may be singular there: of interior points, taken back
// by the next step, and of alternating directions. Chosen.
static const double equation_regularization = 1e-7, equation_penalty = 1e-4;

// The lower eigenvalue of a root on the border of the cone, of the higher one: a derivative is
// taken a little inside. Chosen.                                                            eq
// (nfb.2)
static const double inside_cone = 1e-8;

#endif
