// Proofs that hold for the doubles as given: that a point is a solution, that there is one near it,
// that a set of complementary choices has none. No linear program and no tolerance is believed.
#ifndef DLS_CERTIFY_LCP_PROOF_H
#define DLS_CERTIFY_LCP_PROOF_H

#include <delassus/lcp_proof.h>

// z >= 0, w >= 0, z_i w_i = 0, and w_i = 0 in equations, all of it exactly. work: n.
bool dls_lcp_proves_point(const dls_mlcp *mlcp, const double *z, double *work);

// The system of the basis (equations and in[i]) has one solution, and it has z_i > 0 for in[i],
// w_i > 0 for the others. z: out, the solution within rounding. False when that is not proven.
// eq (lcp.17)
dls_status dls_lcp_proves_basis(const dls_mlcp *mlcp, const bool *in, double *z, bool *proven);

// y refutes the choices, exactly; or the one vector does that differs from y in the entries of
// equations only and has (M^T y)_j = 0 for the free variables. False, too, when memory runs out.
// eq (lcp.14)
bool dls_lcp_proves_none(const dls_mlcp *mlcp, const signed char *choice, const double *y);

// The choices of the leaves exclude each other and leave nothing out.
bool dls_lcp_covers(int n, int free, int leaves, const dls_lcp_leaf *leaf);

#endif
