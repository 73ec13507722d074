// Sliding friction: for which coefficients has the contact problem one solution for every load?
#ifndef DLS_CERTIFY_SLIDING_H
#define DLS_CERTIFY_SLIDING_H

#include <delassus/check.h>

// The contacts of a problem that slide in known directions, bilateral ones first, m = m_b + m_u.
// With P = M^-1, or P = N (N^T M N)^-1 N^T where N spans the kernel of the gradients of
// frictionless bilateral contacts that were eliminated, and column-major: eq (sli.1)
typedef struct dls_sliding {
  int m_b, m_u;
  const double *A_n;  // m x m, symmetric: G^T P G
  const double *A_t;  // m x m: column j is G^T P H_j xi_j, zero for contacts without slip
  const double *mu;   // m, >= 0
  const bool
      *frictional;  // m: whether friction acts; where it does not, column j of A_t counts as 0
  bool eliminated;  // frictionless bilateral contacts were eliminated
  // what computing A_n and A_t has left: entry i, j is known to rounding sqrt(A_n,ii A_n,jj), times
  // coupling >= |H_j xi_j| / |g_j| for A_t; 0 where they are given
  double rounding, coupling;
} dls_sliding;

// ---- is it unique for every load, at these coefficients? ---------------------------------------

// A choice says for each bilateral contact the sign +1 or -1 of its force, and for each unilateral
// one whether it is closed (1) or open (0). Its determinant is that of the matrix with the columns
//   bilateral   A_n e_j - sign mu_j A_t e_j
//   closed      A_n e_j - mu_j A_t e_j
//   open        e_j                                                                  eq (sli.2)
// There is one solution for every load if and only if all 2^m determinants have the same sign.
typedef struct dls_sliding_verdict {
  dls_answer answer;
  double margin;  // yes: the smallest pivot relative to its own diagonal element; NaN otherwise
  const char *by;
  bool has_witness;  // no: two choices whose determinants have opposite signs, or of which the
                     // first is zero within rounding; undecided: the sign of the first is not known
  double determinant_first, determinant_second;  // relative to the product of the columns' lengths
  double error_first;                            // bound of the error of the first
} dls_sliding_verdict;

// mu: m, in place of the problem's own; may be NULL. first, second: m; written with a witness. In
// the second all unilateral contacts are open and all bilateral signs are +1; without
// bilateral contacts its determinant is 1, and the first is a principal minor that is not positive.
// Exact to m = 20. Entries count as known to a few units in their last place.
dls_status dls_sliding_unique(const dls_sliding *sliding, const double *mu, int *first, int *second,
                              dls_sliding_verdict *verdict);

// ---- bounds that are enough --------------------------------------------------------------------

typedef struct dls_sliding_bound {
  const char *by;
  double value;  // below it, for coefficients that are all equal, one solution for every load
} dls_sliding_bound;

typedef struct dls_sliding_bounds {
  int count;
  dls_sliding_bound bound[4];
  double sufficient;  // the largest; INFINITY without friction, NaN when none applies
  const char *by;     // which it is, or why there is none
  double beta;        // mixed: the certified upper bound of beta_2, eq (sli.5); NaN otherwise
} dls_sliding_bounds;

// All bounds that apply, rounded to the safe side.
dls_status dls_sliding_sufficient(const dls_sliding *sliding, dls_sliding_bounds *bounds);

// ---- the exact limit ---------------------------------------------------------------------------

// The smallest mu > 0, the same at all contacts with friction, at which uniqueness for every load
// is lost. Values above 1e12 in units of 1/|A_n^-1 A_t| count as INFINITY.
typedef struct dls_sliding_limit {
  double value;      // INFINITY: it never is; 0: lost without friction; NaN: not known
  double low, high;  // uniqueness is proven at low and no determinant vanishes below, by
                     // eigenvalues; it is lost at high, proven. NaN when not known, INFINITY or 0
  const char *by;    // the procedure, or the reason for NaN
} dls_sliding_limit;

enum { DLS_SLIDING_LIMIT_LARGEST = 12 };

// For up to 12 contacts; NaN with the reason beyond, and where eigenvalues leave it open.
dls_status dls_sliding_critical(const dls_sliding *sliding, dls_sliding_limit *limit);

#endif
