// Writing verdicts, and the check they pass: a yes or a no is given only when its witness, checked
// against the data as given, holds; otherwise the answer is undecided.
#ifndef DLS_CERTIFY_WITNESS_H
#define DLS_CERTIFY_WITNESS_H

#include "certify/polyhedra.h"

// Sets the answer, the margin and the reason; removes earlier parts.
dls_verdict *dls_verdict_set(dls_context *x, dls_question question, dls_answer answer,
                             double margin, const char *by, const char *shows);

// Adds vectors to a verdict; they are converted from scaled to the user's variables, and
// normalised to a largest entry of 1 when `direction` (a direction has no size of its own).
void dls_witness_acceleration(dls_context *x, dls_verdict *verdict, const char *name,
                              const double *z);
// against_load: the direction is one whose product with F counts.
void dls_witness_direction(dls_context *x, dls_verdict *verdict, const char *name, const double *d,
                           bool against_load);
void dls_witness_multipliers(dls_context *x, dls_verdict *verdict, const char *name_b,
                             const double *lambda_b, const char *name_u, const double *lambda_u);
// The same, as a direction: both parts divided by their common largest entry.
void dls_witness_combination(dls_context *x, dls_verdict *verdict, const double *lambda_b,
                             const double *lambda_u);
// Adds the pivots of a definite matrix in the user's units: A = L diag(pivots) L^T, L unit lower
// triangular. False when there are none.
bool dls_witness_pivots(dls_context *x, dls_verdict *verdict, dls_index_set index_set, int n,
                        const double *A);
void dls_witness_set(dls_context *x, dls_verdict *verdict, const char *name,
                     dls_index_set index_set, const int *index, int count);

// Adds a point with friction: acceleration, lambda_b, lambda_u, tau; as `other`, other_b, ... when
// it is the second one.
void dls_witness_point(const dls_polyhedra *polyhedra, dls_verdict *verdict, const dls_point *point,
                       bool other);

// Adds lambda_b, lambda_u, tau, in the user's variables and kept by the caller; tau may be NULL.
void dls_witness_forces(const dls_polyhedra *polyhedra, dls_verdict *verdict, const double *lambda,
                        const double *tau);

// Adds, as part "coordinates", rows of G (n x columns) that form a nonsingular square matrix, by
// pivoting; undecided when there are none.
dls_status dls_witness_rows(dls_context *x, dls_verdict *verdict, const double *G, int columns);

// A kernel vector of A (rows x cols, of the given rank < cols) with few entries: one column as a
// combination of as many others as the rank at most. Leaves the vector when it finds none.
dls_status dls_sparse_kernel(dls_context *x, int rows, int cols, const double *A, int rank,
                             double *vector);

// The same of each column beside the independent ones, (cols - rank) x cols numbers: *count of
// them, none where it finds none.
dls_status dls_sparse_kernels(dls_context *x, int rows, int cols, const double *A, int rank,
                              int *count, double *vectors);

// Uncoupled parts of the system prove things by themselves: keeps, of a direction (n), only the
// part with the most negative product with F^; of multipliers, only the part with the most negative
// product with b^ (a constraint without gradient is a part of its own). Scaled variables.
void dls_keep_pushed_part(const dls_context *x, double *d);
void dls_keep_contradicting_part(const dls_context *x, double *lambda_b, double *lambda_u);

// Gates, on vectors in the user's variables and the data as given. Relative to the size of the
// terms, in coordinates scaled to unit masses.
// |G_b lambda_b + G_u lambda_u| over the largest multiplier (over the largest lambda_u alone when
// it is that which must not vanish); +infinity when that is zero.
double dls_margin_combination(const dls_context *x, const double *lambda_b, const double *lambda_u,
                              bool over_unilateral);
// lambda_b^T b_b + lambda_u^T b_u over the largest scaled multiplier and b.
double dls_margin_load(const dls_context *x, const double *lambda_b, const double *lambda_u);
// |M d|, |G_b^T d|, and min(0, smallest G_u^T d): the largest of the three.
double dls_margin_massless(const dls_context *x, const double *d);
// |M d| alone.
double dls_margin_null_mass(const dls_context *x, const double *d);
// |G_b^T z + b_b| (with_b) or |G_b^T d| (without).
double dls_margin_bilateral(const dls_context *x, const double *z, bool with_b);
// smallest entry of G_u^T d, gradients of unit length, relative to the length of d.
double dls_margin_opening(const dls_context *x, const double *d);

// What a check must reach.
double dls_margin_limit(const dls_context *x);
// What a combination that vanishes may leave: rounding of the data.                  eq (num.1)
double dls_margin_zero(const dls_context *x);
// Takes from a combination that vanishes, in scaled variables, what its computation left; signs and
// zeros stay.
dls_status dls_combination_refine(dls_context *x, double *lambda_b, double *lambda_u);

#endif
