// What all questions share: the data in unit-free form, its decompositions, and the rule that
// turns a number into zero / not zero / undecided.
//
// The path from the data to the reduced problem in y, v' = s D (z_0 + N V x):
//
//   scaled data M^, F^, G^_b, G^_u, b^                                           eq (num.1)
//   G^_b = U sigma V_b^T,  N = kernel of G^_b^T,  z_0 = least-norm solution of G^_b^T z + b^_b = 0
//   K = N^T M^ N = V diag(w) V^T,  E = G^_u^T N V,  f = b^_u + G^_u^T z_0,  c = (N V)^T (F^ + M^
//   z_0)
//
//   min 1/2 x^T diag(w) x + c^T x   s.t.  E x + f >= 0                            eq (gau.3)
#ifndef DLS_CERTIFY_CONTEXT_H
#define DLS_CERTIFY_CONTEXT_H

#include "base/memory.h"
#include "contact/scaling.h"

#include <delassus/check.h>

// The outcome of comparing a nonnegative number, relative to the size of its data, with zero.
typedef enum dls_size { DLS_SIZE_ZERO, DLS_SIZE_AMBIGUOUS, DLS_SIZE_POSITIVE } dls_size;

typedef struct dls_threshold {
  double noise;      // up to here: zero, as far as rounding lets one see
  double tolerance;  // above: positive; in between nothing is claimed
} dls_threshold;

dls_size dls_size_of(const dls_threshold *threshold, double value);

// A decision on the rank of a matrix from its singular values or eigenvalues (largest = 1).
typedef struct dls_rank {
  int certain;   // values above the tolerance
  int possible;  // values above the noise; the working rank
} dls_rank;

typedef struct dls_context {
  dls_problem given;
  int weights;  // the last unilateral contacts of it hold weights
  bool out_of_memory;
  bool state_open;   // another state within the tolerance may have dependent gradients
  bool k_ambiguous;  // some eigenvalue of K is neither zero nor positive
  bool solved;       // z, lambda_b, lambda_u and a are a solution
  dls_check *check;
  dls_arena *arena;  // what the check returns
  dls_arena *work;   // what is gone afterwards
  int exact_calls;   // programs that were solved without rounding
  int far_calls;     // and those that looked for solutions far away
  dls_message *message;
  const dls_check_options *options;
  double done;  // part of the work, 0 to 1

  // scaled data
  int n, m_b, m_u;
  dls_scaling scaling;
  double *D, *C_b, *C_u, *S, *S_b, *S_u;  // the same factors, by short names
  double mass_unit;
  double *M, *F, *G_b, *b_b, *G_u, *b_u;
  double G_b_change, G_change;  // by how much singular values of G_b and (G_b G_u) may be wrong
  double F_size, b_size;        // largest entries, 1 when all are zero
  // What accelerations and forces are measured by: b and F over the inertia, F and the inertia of
  // b. Where nothing has mass the two have nothing to do with each other.
  double a_load, f_load;
  dls_threshold basic;     // for the data themselves
  dls_threshold kernel;    // for what is computed on the kernel of G_b^T
  dls_threshold massless;  // for what is computed on its massless directions

  // mass
  double *mass_values, *mass_vectors;
  dls_rank mass;

  // bilateral constraints
  double *U, *sigma, *V_b;
  dls_rank bilateral;
  dls_answer compatible;
  double *z_0;

  // reduced problem, in the eigenvectors of K
  int k;          // dimension of the kernel of G_b^T
  double *basis;  // n x k: N V
  double *w;      // k eigenvalues, increasing; those at noise level set to 0
  int k_0;        // how many are 0: dimension of ker M and ker G_b^T together
  double *E, *f, *c;

  // the solution in scaled variables: v' = D z, lambda = C lambda^
  double *z, *lambda_b, *lambda_u, *a;
  dls_size *opening;   // m_u: is the normal acceleration zero (in contact), positive, or ambiguous?
  double *low, *high;  // m_b + m_u: intervals of the multipliers
} dls_context;

// Does the caller want one of these answers? DLS_ASK bits.
bool dls_context_asked(const dls_context *x, unsigned bits);

// The thresholds alone; dls_context_prepare sets them too.
void dls_context_thresholds(dls_context *x);

// Tells the caller how much of the work is done; what takes long asks on the way whether to go on.
// Both return DLS_ERR_STOPPED when the caller has had enough.
dls_status dls_context_progress(dls_context *x, double done);
dls_status dls_context_go_on(const dls_context *x);

// Zeroed memory of the context; sticky failure, so that callers ask once. Never NULL for callers
// that check `out_of_memory` before use.
double *dls_context_work(dls_context *x, ptrdiff_t count);
double *dls_context_keep(dls_context *x, ptrdiff_t count);

// Scales the data and decomposes the mass matrix and the bilateral constraints.
dls_status dls_context_prepare(dls_context *x);

// Solves eq (gau.3) and fills z, lambda_b, lambda_u, a; solved says whether it is a solution.
dls_status dls_context_solve(dls_context *x);

// Sets to zero what is below the rounding errors of a load.
void dls_context_remove_noise(const dls_context *x, double load, double *values, int count);

// lambda_b^ of least norm that solves G_b^ lambda_b^ = r in the least-squares sense; r: n.
void dls_context_bilateral_multipliers(const dls_context *x, const double *r, double *lambda_b);

// One file per question. Each fills check->verdict[...] of the context.
dls_status dls_certify_mass(dls_context *x);
dls_status dls_certify_independent(dls_context *x);
dls_status dls_certify_compatible(dls_context *x);
dls_status dls_certify_mfcq(dls_context *x);
dls_status dls_certify_delassus(dls_context *x);
dls_status dls_certify_exists(dls_context *x);
dls_status dls_certify_unique(dls_context *x);
dls_status dls_certify_forces(dls_context *x);

// The numbers: Delassus matrices and kinetic angles; the solution in the user's units; the same
// solution by reduced coordinates and by the dual program.
dls_status dls_compute_delassus(dls_context *x);
dls_status dls_compute_solution(dls_context *x);
dls_status dls_compute_reduced(dls_context *x);

#endif
