// The tolerances of this room. Programs are scaled so that rows and columns have entries around 1,
// and every answer is recomputed from the data as given; residuals are those of lp_internal.h, qp.h
// and cone.h, without unit. Numbers that steer a method stand with it, limits of work with what
// they limit.
#ifndef DLS_CONVEX_TOLERANCES_H
#define DLS_CONVEX_TOLERANCES_H

// ---- answers -----------------------------------------------------------------------------------

// The largest residual of what is called an optimum. Chosen; the methods aim at those below.
static const double accepted_optimum = 1e-8;

// The residual of a linear program that needs no second look. Chosen.
static const double sharp_optimum = 1e-12;

// Residual at which the iteration of a conic program ends; for programs that are built by
// cone_rows.h, unless they say what they need. Chosen.
static const double cone_optimum = 1e-10, cone_rows_optimum = 1e-12;

// The largest size of a solution, of the natural one: beyond it feasible and nearly feasible look
// alike to six digits. Chosen.
static const double largest_solution = 1e6;

// Sum of what is missing, in the scaled program, up to which a point is feasible when no optimum
// exists; and how far a row of a quadratic program may be missed, of the point. Chosen.
static const double feasible_point = 1e-9, fulfilled_row = 1e-9;

// To a residual's terms this part of the largest size of its kind is added: entries whose own terms
// vanish are measured by the rest. The same of the product of two sizes. Chosen.
static const double share_of_size = 1e-3;
static const long double share_of_sizes = 1e-3L;

// Terms count up to this many times the natural size, or the largest force: a huge point along a
// direction without resistance is no solution. Chosen.
static const double counted_sizes = 10;

// ---- certificates ------------------------------------------------------------------------------

// What must not vanish in a certificate, of its terms, and how exact one of a conic program must
// be: a feasible point would have to be 1e9 times as large as the data. Chosen.
static const double certificate_margin = 1e-9, cone_certificate = 1e-9;

// What must vanish in a certificate, of its terms: in that of a linear program, from a basis of
// CLP's; in that of a quadratic one. Chosen.
static const double certificate_zero_lp = 1e-10, certificate_zero_qp = 1e-12;

// How far outside its cone a certificate may be, of its size: some roundings.
static const double in_cone = 1e-15;

// ---- rounding ----------------------------------------------------------------------------------

// A matrix is semidefinite when its least eigenvalue is no more negative than this, of the largest
// one or with a unit diagonal. Chosen.
static const double indefinite = 1e-10;

// Diagonal entries of Cholesky's factor, of a matrix with unit diagonal, above which it is safely
// definite. Chosen; others go by eigenvalues.
static const double safe_pivot = 1e-4;

// Eigenvalues up to n times this, of the largest, are zero where a ray is looked for, and so are
// rows of entries around 1 along it. Chosen: 1e3 times the rounding of eigenvalues.
static const double null_space = 1e-13;

// Bounds that cross by this, of themselves, are made equal. Chosen.
static const double crossed_bounds = 1e-12;

// CLP's tolerances of rows and reduced costs, at first and later on. Chosen: its default is 1e-7.
static const double clp_tolerance = 1e-9, clp_tighter = 1e-11;

// The active set: rounding of a slack, of its terms; distance of a column from the span of the
// others, of their terms, and rate at which an index falls, of the largest, up to which it is none.
// Chosen.
static const double slack_rounding = 2e-15, dependent_column = 1e-12, vanishing_rate = 1e-13;

// Residuals up to which nothing is left to refine: of a quadratic program, and of a KKT system, of
// its right side. Rounding is 1e-16.
static const double refined_qp = 1e-16, refined_cone_kkt = 1e-14;

// What orthogonalization may leave of a vector, of itself: less is rounding. Chosen.
static const double orthogonal_rest = 1e-8;

// ---- regularization ----------------------------------------------------------------------------

// delta of eq (cne.9). The factors are good to about 1e-16 / delta, which must be well below delta:
// the part of a right side outside the range comes back divided by delta. `more` of it where there
// are no factors.
static const double first_delta = 1e-6, more_delta = 100;

// rho, the least eigenvalue of the proximal steps of a quadratic program, of the largest: at least;
// and of the refinement, where a larger one amplifies less rounding, and a smaller one needs fewer
// steps. Chosen.
static const double least_rho = 1e-11, refining_rho = 1e-9, refining_rho_smaller = 1e-12;

#endif
