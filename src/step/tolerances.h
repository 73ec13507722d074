// The tolerances of this room: what counts as zero, as held, as rounding or as dependent, and how
// well equations are solved. Numbers that steer a method on its way (factors of step lengths,
// patience, sizes up to which matrices are dense) stand with the method. Where nothing else is said
// a number is relative. Multiples of the double's epsilon are that many roundings.
#ifndef DLS_STEP_TOLERANCES_H
#define DLS_STEP_TOLERANCES_H

#include <float.h>

// ---- defaults of options -----------------------------------------------------------------------

// Of dls_integrator_options: the residual of contact problems, eq (int.5); gaps that are closed and
// velocities that are at rest, in the model's units; the stabilization of the pyramid; the constant
// of the critical interval, eq (cap.3). Chosen: far above rounding, far below what is seen.
static const double default_tolerance = 1e-9, default_closed = 1e-9, default_rest = 1e-9;
static const double default_stabilize = 1e-8, default_critical = 0.01;

// Errors of adaptive steps of Moreau's schemes where none are given: of first order they cost about
// as many steps as a picture needs. Chosen.
static const double default_rtol = 1e-4, default_atol = 1e-6;

// Of dls_world_options: the error of a step's problem, and the part of a penetration that a step
// takes back. Chosen.
static const double world_tolerance = 1e-8, world_recovery = 0.2;

// ---- time --------------------------------------------------------------------------------------

// A step that ends so near the end of the run, of its length, ends there. Chosen.
static const double end_of_run = 1e-9;

// Times are told apart from so many roundings on, of the time or of a step if that is longer.
static const double time_rounding = 16 * DBL_EPSILON;

// Halving ends: steps are below the rounding of the time or, where something else than their error
// failed, this part of the length asked for. Chosen.
static const double step_rounding = 1e-15, shortest_step = 1e-10;

// Steps of one length, up to the rounding of the times that they lie between. Chosen.
static const double same_step = 1e-6;

// Squared differences of logarithms of step lengths that are rounding: one and the same step.
static const double same_logarithm = 1e-20;

// ---- constraints that hold ---------------------------------------------------------------------

// |h| and |h'| that projection leaves, of `closed` and `rest`: no event and no mode sees them.
static const double gap_held = 0.01, rate_held = 0.1;

// How well gaps and their velocities are known, of their terms sum |G_i x_i|; more than these tell
// where a gap is not linear. Chosen.
static const double gap_known = 4e-15, rate_known = 1e-11;

// Where rounding ends the projection, so many times what may stay is still held. Chosen.
static const double held_at_rounding = 100;

// What smooth pieces leave of velocities, of what projection does. Chosen: errors add up.
static const double smooth_of_rate = 0.1;

// ---- the KKT system of a step ------------------------------------------------------------------

// The diagonal in place of the zero block, of the other numbers: small enough for refinement to
// gain some eight digits each time, large enough for its own pivots not to drown.
static const double kkt_diagonal = 1e-9;

// Pivots, of others, down to which the matrix is regular without it; and those that are rounding.
static const double kkt_regular = 1e-8, kkt_rounding = 1e-15;

// Residual of the constraints, of its terms, from which on refinement gains nothing.
static const double kkt_refined = 1e-14;

// ---- the contact problem of a step -------------------------------------------------------------

// W_ii, of the largest, up to which a contact gives way by rounding alone.
static const double block_rounding = 1e-14;

// Steps of lambda for a single contact, eq (one.2): what is left is its square. Chosen.
static const double near_contact = 1e-8;

// What solvers aim at, of the tolerance, since the rounding of the step comes on top; and not less
// than what they reach with few rows and with many. Chosen.
static const double aim_of_tolerance = 0.5, aim_of_bodies = 1e-2, aim_of_few_bodies = 5e-4;
static const double least_aim_few = 1e-13, least_aim_many = 1e-11;

// W has no refinement: what it missed, of q, that is corrected no more; and what must be reached
// where the tolerance asks for less. Chosen.
static const double corrected = 1e-13, hardly_corrected = 1e-11;

// Part of its bound by which friction must be inside the cone to count as such. Chosen.
static const double inside_cone = 1e-6;

// The pyramid: normal velocities, of the largest, that it leaves to contacts that are closed, plus
// so much for each part of stabilization; the error that pivots alone can reach; and what
// stabilization may add to velocities. Chosen.
static const double pyramid_closing = 1e-9, closing_by_stabilize = 100;
static const double pyramid_error = 1e-8, pyramid_added = 1e-4;

// Gaps of the world's contacts that are not told from zero: of the way that the tolerance leaves to
// the fastest body within a step. Chosen.
static const double gap_by_tolerance = 100;

// ---- Moreau's step -----------------------------------------------------------------------------

// Residuals of the balance of momentum and of velocities and coefficients, of their terms; contact
// problems are solved less exactly than that. Chosen.
static const double balance_missed = 1e-11, velocity_missed = 1e-10;

// Velocities of this part of `rest` are not looked at.
static const double still_of_rest = 1e-5;

// In units of balance_missed: the rounding of momenta, whose differences are taken; and the largest
// term of a force or a component on all rows that it acts on, where its rounding wanders. Chosen.
static const double momentum_rounding = 1e-3, wandering = 1e-2;

// Stiff forces and gaps over h are known as well as the coordinates are that they come from.
static const double stiff_rounding = 4 * DBL_EPSILON, way_rounding = 16 * DBL_EPSILON;

// Slip that may be an error of the law, in tolerances of the problem: it holds its contact fast.
// Chosen.
static const double slip_by_tolerance = 10;

// What Newton's law may miss, in tolerances of the problem that found the percussions. Chosen.
static const double newton_by_tolerance = 100;

// ---- smooth pieces -----------------------------------------------------------------------------

// The diagonal of constraints, in units of W; ratios of pivots above which it has no say, so that
// the sign of the determinant is known; and those that are rounding. Chosen.
static const double stage_diagonal = 1e-11, stage_regular = 1e-8, stage_rounding = 1e-15;

// Changes of Newton's iteration, of accelerations or v / h: that end it; that end it where rounding
// stops its convergence; and, of errors that are controlled, since steps are wrong by these.
// Chosen.
static const double stage_solved = 1e-14, stage_stalled = 1e-11, stage_of_error = 1e-3;

// Relative forces and accelerations without a sign; those of the iterative solution, which is less
// exact; and those whose sign is an event, a little more, so that modes just found do not end.
static const double no_sign = 1e-10, no_sign_iterative = 1e-8, no_sign_event = 2e-10;

// Of `closed` and `rest`: what gaps and slips that another contact holds fall below zero by.
static const double dip = 1e-3;

// Roundings in a gap and in a slip velocity, of the terms that these are sums of.
static const double gap_rounding = 32 * DBL_EPSILON, slip_rounding = 16 * DBL_EPSILON;

// Velocities after a critical interval that are at rest, in tolerances of its problem. Chosen.
static const double rest_by_tolerance = 10;

// Forces, of the scale of the load, and work and mean forces, of their terms, that are rounding.
static const double force_rounding = 1e-9, work_rounding = 1e-9, mean_rounding = 1e-9;

// Critical intervals, at most: of a step; of the time since the last one; and with errors that are
// controlled so that the way within is this part of the tolerance, or, where an event is sought,
// that part of this interval, and that the way of the gap is the last one, of what it may be wrong
// by. Chosen.
static const double critical_of_step = 1e-4, critical_of_time = 1e-3;
static const double critical_of_error = 1e-3, located_of_critical = 0.1;
static const double located_without_dense = 1e-5, located_of_error = 1e-4;

// ---- sliding in space --------------------------------------------------------------------------

// s' across s that is rounding, and so many times that at the end of a piece, or this part of
// `rest`; across by more than `along_drive`, sliding does not follow what drives it. Chosen.
static const double straight = 1e-10, straight_after = 10, straight_of_rest = 1e-3;
static const double along_drive = 1e-4;

// Errors of pieces and critical intervals, of a step: what can be told, and the most; and, where
// errors are controlled, of the tolerance of coordinates. Chosen.
static const double least_slide = 64 * DBL_EPSILON, most_slide = 1e-4, slide_of_error = 1e-2;

// ---- what is determined ------------------------------------------------------------------------

// Effect of a force on its own gap, of that without friction, that vanishes together with the
// force: as far as an event is located.
static const double no_effect = 2e-3;

// Accelerations of an open gap, of what the load does, that are none: the contact is idle.
static const double idle_acceleration = 1e-9;

// Relative forces and accelerations from which on signs are certain, and so many times that for
// another motion. Chosen, far above no_sign: what is told must be so.
static const double certain_sign = 1e-6, other_motion = 10;

// Ratio of pivots of a matrix that is far from singular. Chosen.
static const double far_from_singular = 1e-5;

// A change of slip, of the slip, that may be a jump; and all else that there is, of a jump. Chosen.
static const double jump_of_slip = 1e-3, else_of_jump = 1e-3;

// Pivots of det A, of a unit diagonal, that tell nothing; and the acceleration of a gap, of the
// load, that clearly closes it. Chosen.
static const double jam_rounding = 1e-10, clearly_down = 1e-6;

// ---- redundant constraints ---------------------------------------------------------------------

// What others leave of a gradient, of itself: redundant; up to `weak`, or up to `faint` of the
// largest gradient, it may be. Chosen.
static const double dependent = 1e-8, weak = 1e-3, faint = 1e-4;

// What is left is known if it changes by no more than this part at coordinates that are wrong by so
// many times what gaps are held to. Chosen.
static const double known_left = 0.1, wrong_gaps = 100;

// Sharing of a load: accelerations beside forces, in units of their own, that act; changes of
// forces that are rounding, of the largest; accelerations of all, that are another motion; and a
// force that vanishes, of itself. Chosen.
static const double sharing_acts = 1e-7, sharing_rounding = 1e-10, sharing_motion = 1e-6;
static const double sharing_vanishes = 1e-9;

// Its linear algebra, with entries about 1: pivots that count as zero; slopes along a direction, of
// both lengths, that are rounding; and what is left of an objective, of itself.
static const double sharing_pivot = 1e-8, sharing_slope = 1e-11, sharing_left = 1e-9;

// ---- derivatives along a motion ----------------------------------------------------------------

// Rates at which gaps and slips vanish at an event, of the velocities, that are too small to tell
// its time from; what the equations of an impact may miss, of its momenta; accelerations that
// differ by less, of the largest so far, do not jump; and rates of a start off its constraints, of
// their terms, that are none. Chosen.
static const double grazing_rate = 1e-6, impact_missed = 1e-5;
static const double same_acceleration = 1e-6, start_held = 1e-7;

// rcond down to which their equations are solved as they are; and singular values, of the largest,
// that then count as zero.
static const double variation_regular = 1e-13, variation_rounding = 1e-11;

// Bounds of friction in the second phase of an impact by Poisson's law, relative to themselves: the
// iteration for them has ended. About the residual that impulses are known to.
static const double percussion_settled = 1e-12;

// ---- the rest ----------------------------------------------------------------------------------

// Changes of velocity that steps which are too long make, of the velocity: those that matter; and,
// of the largest size so far, those that are more than rounding. Chosen.
static const double swing_matters = 0.01, swing_rounding = 1e-8;

// Pivots of a body's inertia, of what they come from, that are rounding; and how far from 1 a
// normal may be, in single precision.
static const double inertia_rounding = 1e-12, normal_length = 1e-6;

#endif
