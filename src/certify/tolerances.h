// The tolerances of this room: which numbers count as zero, as rounding, or as neither, and how
// large they are. Data are scaled (section 6 of docs/theory.md), and rho is the bound of their
// rounding, 8 (n + m) eps; where nothing else is said a number is relative to the largest of its
// kind. Error bounds of sums and products, some eps times their terms, stand where they are
// derived. Numbers that steer a method on its way (regularization, steps, budgets) stand with the
// method: whatever they are, an answer needs a witness that passes its check.
#ifndef DLS_CERTIFY_TOLERANCES_H
#define DLS_CERTIFY_TOLERANCES_H

// ---- what is zero ------------------------------------------------------------------------------

// The default of the tolerance for numbers without unit: below it, and above rho, nothing is
// decided. Chosen: some digits more than single precision has.                         eq (num.1)
static const double default_tolerance = 1e-9;

// rho, in eps for each row of the data: what sums of as many terms lose, and some more. The
// tolerance is at least so many rho. Chosen.                                            eq (num.1)
static const double noise_roundings = 8, tolerance_roundings = 16;

// Residuals of points, in rho, that are accepted where something else confirms the point. Chosen.
//                                                                                       eq (num.1)
static const double residual_roundings = 32;

// Entries of points and sides of intervals, in rho, that are zero: a few roundings of the data.
static const double entry_roundings = 4;

// The same of what comes out of systems that lose digits: modes of a point, distances of two,
// directions of a line, reciprocal condition numbers. Chosen: another factor of 16.
static const double solved_roundings = 64;

// Singular values and residuals, in rho, up to which a system has a line of solutions, and up to
// which the Gauss program is solved. Chosen.
static const double line_roundings = 16, gauss_roundings = 16;

// A size that is at least this divides nothing by zero.
static const double not_zero = 1e-300;

// ---- what is far away --------------------------------------------------------------------------

// Forces and accelerations of more than so many loads leave of the load what rounding leaves of
// them: whether a force of the size of the load is there cannot be seen. A proof with rounding in
// it excludes solutions up to there, and next to a least coefficient, where margins are small, up
// to the second. Chosen.
static const double far_solutions = 1e8, far_next_to_least = 1e6;

// What is further away hangs on some units in the last place of one number of the data: 1 / eps
// loads. Up to there whole numbers must not find a solution where a proof with rounding in it says
// that there is none. Chosen.                                                            eq (num.1)
static const double last_solutions = 0x1p52;

// A point of up to so many loads shows without whole numbers that two polyhedra touch. Chosen.
static const double moderate_point = 1e4;

// Two polyhedra of solutions touch when they do so within so many sizes of a point. Chosen.
static const double far_touching = 1e5;

// Ends of intervals of forces are looked for within so many sizes of a point, and told when they
// are the same within as many as the second. Chosen.
static const double near_ends = 1e4, far_ends = 1e8;

// How far the two may be apart, in tolerances. Chosen: linear programs lose that much there.
static const double same_end = 1e3;

// ---- weak friction -----------------------------------------------------------------------------

// Reciprocal condition from which on gradients and slips are far from dependent, and by how much
// the norms stay below 1: both are proven again, with less. Chosen.                   eq (fri.11)
static const double regular_gradients = 1e-7, clearly_weak = 1e-6;

// ---- polyhedra of modes ------------------------------------------------------------------------

// Accelerations beside the size of the point: up to the first a contact rests; up to the second
// two of them are one. Chosen.                                                          eq (fri.9)
static const double resting = 1e-10, same_acceleration = 1e-7;

// Two solutions are two when they differ by so many tolerances, of their size: in other units they
// may be nearer to each other. A pair is looked for that differs by the second. Chosen.
static const double two_solutions = 16, clearly_two = 1e-3;

// A point of a polyhedron is next to another one, in tolerances, of its size. Chosen.
static const double next_to = 1e3;

// Part of the tolerance above which a closed contact without force is shown as opening: units that
// are powers of two move the tolerance by less. Chosen.
static const double shown_opening = 1.0 / 16;

// Singular values between rho and this are neither zero nor of size one: gradients that differ by
// delta make ones of delta^2, and delta up to some roots of rho counts. Chosen.
static const double of_size_one = 1e-5;

// Optima of linear programs on a kernel that are zero: the inequality is tight, or leaves no
// slack. Chosen: what the programs' own tolerance leaves.
static const double tight_row = 1e-11, no_slack = 1e-10;

// Singular values of tight rows and entries of kernel vectors that are zero. Chosen.
static const double kernel_zero = 1e-11;

// ---- all contacts stick ------------------------------------------------------------------------

// What a witness may leave of the balance, in loads.                                    eq (chk.3)
static const double open_balance = 1e-3;

// The violation of a point that was found without rounding, in tolerances, and its forces in loads
// up to which doubtful data do not matter. Chosen.
static const double exact_violation = 500, doubtful_forces = 1e3;

// A proof next to the least coefficient has a margin of so many rho. Chosen.
static const double least_margin_roundings = 8;

// Violations that a program leaves: of a point with an additional force; of a curved cone, met only
// to the root of the rounding error. Chosen.
static const double extra_violation = 1e-8, curved_violation = 1e-8;

// Slack that a conic program does not tell from zero, in loads. Chosen: a hundred times its
// tolerance.
static const double program_slack = 1e-6;

// Acceleration of a contact that opens, at least. Chosen.
static const double opens_at_least = 1e-6;

// Relative width of a bracket of the least coefficient: where search ends, with one conic program
// and with large ones for each probe, and without rounding; where the value is told; where two
// formulas agree. Chosen.
static const double least_width = 1e-10, least_width_large = 1e-6, least_width_exact = 1e-13;
static const double least_told = 1e-6, least_agrees = 1e-9;

// Least coefficients below the first count as none, and none is looked for above the second.
// Chosen.
static const double least_none = 1e-9, least_most = 1e12;

// How far below a least coefficient its proof is shown, and above one that may not be attained:
// nearer to it forces are larger than rounding lets anybody check. Chosen.
static const double shown_below = 4e-10, shown_above = 1e-6;

// Forces at the least coefficient, in loads: attained below the first, growing without end above
// the second. Chosen.
static const double attained_forces = 1e3, endless_forces = 1e6;

// A coefficient that stands for every one. Chosen.
static const double huge_coefficient = 1e6;

// Relative distance of a bracket's middle from a fraction that is tried. Chosen.
static const double near_fraction = 1e-12;

// ---- sliding friction, for every load ----------------------------------------------------------

// Entries of A_n of which the difference from symmetry, of their sizes, is an error of the caller.
static const double not_symmetric = 1e-9;

// rcond from which on error bounds of first order in eps / rcond are used. Chosen.
static const double first_order_rcond = 1e-10;

// A determinant whose error bound is larger than this is not said to vanish, whatever its value.
// Chosen.
static const double uncertain_determinant = 1e-10;

// Coefficients above this are infinite. Chosen.
static const double infinite_coefficient = 1e12;

// Relative widths of a bracket of the critical coefficient: where halving ends. Chosen.
static const double critical_width = 1e-11;

// rho times the condition of the gradients: beyond the first A_n and A_t are doubtful, and so is a
// limit by eigenvalues; beyond the second no limit is told, even where determinants without
// rounding confirm it, because eigenvalues may have missed an earlier one. Chosen.
static const double doubtful_rounding = 1e-6, hopeless_rounding = 1e-3;

// Condition beyond which a number is not excused further, when it may be zero. Chosen.
static const double excusing_condition = 1e3;

// Where a bracket without rounding is looked for, at most, and how wide it is, at most. Chosen.
static const double bracket_reach = 1e-6, bracket_width = 1e-7;

// ---- complementarity problems ------------------------------------------------------------------

// Solutions that are one: distance, of their size. An entry of a face that is zero. Chosen.
static const double same_point = 1e-9, face_zero = 1e-9;

// A solution is shown with at most this residual, of the data as given; with more it is ambiguous.
// Chosen: of singular systems half the digits remain.
static const double shown_residual = 1e-7;

// Width of a face, of its ends: above the first it is one, up to the second a point. Chosen.
static const double wide_face = 1e-6, narrow_face = 1e-10;

// Entries of an end of a face, of its size and of the terms of w, that are zero. Chosen.
static const double end_zero = 1e-8;

// ---- multipliers, projection -------------------------------------------------------------------

// Entries of a kernel of gradients below this are zero, whatever rho; and so are entries that
// elimination leaves, of their terms. Chosen: what singular vectors lose.
static const double kernel_rounding = 1e-12, elimination_rounding = 1e-12;

// Residual of the forces of least norm, of the load. Chosen.
static const double least_norm_residual = 1e-12;

// Error of the Gauss program up to which its solution is kept. Chosen.
static const double gauss_acceptable = 1e-10;

// Singular values of bilateral gradients that count when a state is projected. Chosen.
static const double projection_rank = 1e-9;

// Change of a combination of gradients by a refinement, of its size, that leaves it the same one.
// Chosen.
static const double refinement_step = 1e-3;

// ---- impacts and time steps --------------------------------------------------------------------

// Of the solver of the impact with friction; and speeds, in tolerances, up to which a contact stays
// closed or sticks. Chosen.
static const double impact_solver_tolerance = 1e-12, impact_rest = 1e3;

// A proof against Newton's law is worth so many times its own errors. Chosen.
static const double decisive_proof = 1e4;

// Impulses in round cones that cancel may be unbalanced by this part of the tolerance. Chosen: what
// conic programs leave.
static const double cancel_unbalanced = 0.1;

// A point that is not further outside the dual cones than this lies in them to rounding, and a
// velocity is inside, or work is negative, from so many times that on. Chosen.
static const double solvable_rounding = 1e-9, solvable_clear = 1e3;

// A proof that a case is empty: by how much, of the data, at least; for impulses up to how many
// times their size, at least; and what may be left of terms that cancel. Chosen.        eq (slv.7)
static const double case_margin = 1e-7, case_bound = 1e11;
static const long double case_left = 1e-11L;

// A factor that outweighs the rounding of a few long double operations, roots included.
static const long double rounded_up = 1.000001L;

#endif
