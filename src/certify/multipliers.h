// The multipliers that belong to an acceleration.
//
//   { lambda : G lambda = G lambda*, lambda_u >= 0, lambda_i = 0 at contacts that open }   eq
//   (mul.1)
#ifndef DLS_CERTIFY_MULTIPLIERS_H
#define DLS_CERTIFY_MULTIPLIERS_H

#include "certify/context.h"

typedef struct dls_multipliers {
  dls_context *x;
  int m;                  // constraints that may carry a force: bilateral first
  int *constraint;        // their place in (bilateral, unilateral)
  double *G;              // n x m
  double *lambda;         // m: the multipliers found with the acceleration
  double unit;            // their size
  double *U, *V, *S;      // G = U diag(S) V^T
  double *T;              // rank x m: echelon form of G
  int certain, possible;  // rank of G
  dls_threshold threshold;
  bool bounded;    // no multiplier can grow without end
  bool ambiguous;  // a contact's opening or the rank is within the tolerance
  double width;    // of the widest interval, in units of `unit`; may be infinite
  int widest;
} dls_multipliers;

// Which constraint of the problem number j of the polyhedron is: bilateral?
bool dls_multipliers_is_bilateral(const dls_multipliers *p, int j);

// Collects the constraints that may carry a force; sets the forces of those that open to zero.
dls_status dls_multipliers_find(dls_context *x, dls_multipliers *p);

// The interval of every multiplier, into x->low and x->high: two linear programs each, none where
// the kernel of G has no entry. NaN ends where a program failed; ambiguous is then set.
dls_status dls_multipliers_intervals(dls_multipliers *p);

// Two points near by that differ in the widest component (m each, in units of `unit`).
dls_status dls_multipliers_span(dls_multipliers *p, double *from, double *to);

// Moves a point by the least change so that G point = G lambda* holds to rounding.
dls_status dls_multipliers_correct(dls_multipliers *p, double *point);

// Multipliers of all constraints, scaled, from a point in units of `unit`.
void dls_multipliers_spread(const dls_multipliers *p, const double *point, double *lambda_b,
                            double *lambda_u);

// Puts the point of least Euclidean norm, in the user's units, into x->lambda_b and x->lambda_u;
// leaves them when it is not found.                                               eq (mul.2)
dls_status dls_multipliers_least_norm(dls_multipliers *p);

#endif
