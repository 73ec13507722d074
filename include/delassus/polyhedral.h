// The incremental problem with a pyramid in place of the friction cone: a linear complementarity
// problem.
//
// It borrows the problem, which must outlive it, and belongs to one thread at a time.
#ifndef DELASSUS_POLYHEDRAL_H
#define DELASSUS_POLYHEDRAL_H

#include <delassus/incremental.h>
#include <delassus/lcp.h>

#ifdef __cplusplus
extern "C" {
#endif

// The forces of contact i are r_N and r_T = sum_k beta_k d_k with beta >= 0, sum beta <= mu r_N.
// The unknowns are, in this order, the equations' r, all r_N, the beta contact by contact, and one
// lambda per contact, which is its sliding speed:                                   eq (pol.1)
//
//       | W_EE  W_EN  W_EB   0  |        |  q_E  |      E_i: ones for the beta of contact i
//   M = | W_NE  W_NN  W_NB   0  |    q = |  q_N  |      B:   tangential rows times the d_k
//       | W_BE  W_BN  W_BB   E  |        |  q_B  |
//       |  0     mu   -E^T   0  |        |   0   |
//
// A bilateral cone is one from each side, r_N >= 0 or r_N <= 0: where it opens from one, the other
// is tried, and all of up to eight such contacts in the end. Exact in the plane. In space the force
// of a sliding contact points up to pi / facets away from the opposite of its slip; what it
// dissipates is short by 1 - cos(pi / facets) at most.
typedef struct dls_polyhedral_options {
  int facets;        // in space: directions d_k, evenly spaced, at least 3; default 8. Ignored in
                     // the plane, where there are two
  double turn;       // angle of the first direction from the first tangent, radians; default 0
  double stabilize;  // eps: the diagonal is multiplied by 1 + eps. Changes the answer; default 0
  double scale;      // h > 0: multiplies E and mu, which does not change the forces; default 1
  dls_lcp_options lcp;  // default: Lemke's method, tolerance 1e-8
} dls_polyhedral_options;

DLS_API dls_polyhedral_options dls_polyhedral_defaults(void);

typedef struct dls_polyhedral dls_polyhedral;

// Local form only; cones, bilateral cones and unilateral contacts. The problem is not copied and
// must outlive it. options may be NULL. DLS_ERR_ARGUMENT with a message, DLS_ERR_NUMBER, or
// DLS_ERR_LIMIT beyond 2000 unknowns.
DLS_API dls_status dls_polyhedral_create(const dls_incremental *problem,
                                         const dls_polyhedral_options *options,
                                         dls_polyhedral **out, dls_message *message);

// The complementarity problem as it was built last.
DLS_API const dls_mlcp *dls_polyhedral_lcp(const dls_polyhedral *polyhedral);

// Builds it anew from the problem's numbers, which may have changed, and solves it. r: rows, out;
// in only where there are bilateral cones, whose r_N has the sign that is tried first. The report
// is that of the complementarity problem: nothing is said about the round cone. Where a bilateral
// cone opens from all sides that were tried, it has not converged. Allocates nothing.
DLS_API dls_status dls_polyhedral_solve(dls_polyhedral *polyhedral, double *r,
                                        dls_lcp_report *report);
// Another tolerance for the calls that follow; negative or NaN: left as it is.
DLS_API void dls_polyhedral_set_tolerance(dls_polyhedral *polyhedral, double tolerance);
DLS_API void dls_polyhedral_free(dls_polyhedral *polyhedral);

// All of it, once.
DLS_API dls_status dls_polyhedral_run(const dls_incremental *problem,
                                      const dls_polyhedral_options *options, double *r,
                                      dls_lcp_report *report, dls_message *message);

#ifdef __cplusplus
}
#endif
#endif
