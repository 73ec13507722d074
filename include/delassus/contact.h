// The contact problem at a state: which contacts take part, and the data of their problem.
//
// A contact state keeps copies of all numbers; names, and what is behind them, are the system's,
// which must outlive it. It is constant: threads may share it.
#ifndef DELASSUS_CONTACT_H
#define DELASSUS_CONTACT_H

#include <delassus/system.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Which contacts take part, by the lexicographic rule.                          eq (sta.1)
typedef enum dls_contact_status {
  DLS_OPEN,        // h > 0: no force
  DLS_SEPARATING,  // h = 0, h' > 0: no force
  DLS_IMPACTING,   // h = 0, h' < 0: velocities must jump first
  DLS_SLIDING,     // h = h' = 0, slip velocity not zero
  DLS_STICKING,    // h = h' = 0, slip velocity zero (or none declared)
} dls_contact_status;

DLS_API const char *dls_contact_status_name(dls_contact_status status);

typedef struct dls_contact {
  const char *name;
  uint64_t id;
  dls_contact_kind kind;
  dls_contact_status status;
  double gap;              // h
  double normal_velocity;  // h'
  int tangents;            // 0, 1 or 2
  double slip[2];
  double friction;
  double friction_force;   // the bound of friction that has a given one
  double static_friction;  // while it does not slip, a coefficient or a bound; has_static says so
  double restitution;
  bool rolling;  // a constraint of velocities only: gap 0, normal_velocity A v + a
  bool bounded;  // friction_force in place of friction
  bool dry;      // friction with a given bound alone: no normal
  bool has_static;
} dls_contact;

// Coulomb friction at the contacts of a problem, bilateral ones first. Contact i has the slip
// velocities first[i] ... first[i+1]-1: none, one (planar) or two (spatial), with
//
//   slip velocity s_i = H_i^T v + w_i,   tangential acceleration H_i^T v' + b_t,i,
//   tangential force H_i tau_i,          |tau_i| <= mu_i |lambda_i|.                 eq (fri.1)
//
// Where static friction is larger, mu_s,i takes the place of mu_i while a contact does not slip,
// and does not start to.                                                                 eq (stf.1)
typedef struct dls_friction {
  int tangents;         // columns of H
  const int *first;     // m_b + m_u + 1
  const double *H;      // n x tangents
  const double *b_t;    // tangents
  const double *mu;     // m_b + m_u: coefficients >= 0; 0 for contacts without slip
  const double *mu_s;   // m_b + m_u: static ones, >= mu, and mu where a contact slides; NULL: mu
  const double *xi;     // tangents: the direction of sliding, of unit length; 0 while sticking
  const bool *sliding;  // m_b + m_u: slips, in the direction xi
  const double *w_n;    // m_b + m_u: imposed normal velocity; normal velocity = G^T v + w_n
  const double *w_t;    // tangents: imposed tangential velocity
} dls_friction;

// A sparse matrix in compressed columns.
typedef struct dls_matrix_view {
  dls_pattern pattern;
  const double *x;
} dls_matrix_view;

// The matrices of a problem, sparse.
typedef struct dls_problem_matrices {
  dls_matrix_view M, G_b, G_u;
  dls_matrix_view H;  // the slips of its contacts, bilateral ones first
  // As in dls_problem, for each entry of G_b and G_u.
  const double *G_b_change, *G_u_change;
} dls_problem_matrices;

typedef struct dls_weights dls_weights;

// The contact problem: find z = v' and forces with
//
//   M z + F = G_b lambda_b + G_u lambda_u + H tau,
//   G_b^T z + b_b = 0,   0 <= lambda_u _|_ G_u^T z + b_u >= 0,              eq (con.3)
//   (H_i^T z + b_t,i, tau_i) by Coulomb's law of contact i                    eq (fri.2)
//
// M is symmetric positive semidefinite; constraints may be redundant. Plain data: fill it by hand,
// dense and column-major, or take it from a dls_contact_state, which has it sparse: M, G_b, G_u and
// H of friction are NULL then. Names may be NULL.
typedef struct dls_problem {
  int n, m_b, m_u;
  const double *M;    // n x n
  const double *F;    // n
  const double *G_b;  // n x m_b
  const double *b_b;  // m_b
  const double *G_u;  // n x m_u
  const double *b_u;  // m_u
  const char *const *coordinates;
  const char *const *bilateral;
  const char *const *unilateral;
  const dls_friction *friction;        // NULL: no contact slips, nothing moves on its own
  const dls_problem_matrices *sparse;  // NULL: the matrices are dense
  // How far the entries of G_b and G_u change within the tolerance of the state; NULL: not at all.
  // Ranks that are smaller are not claimed.                                       eq (num.3)
  const double *G_b_change, *G_u_change;
  const dls_weights *weights;  // NULL: no friction has a given bound
} dls_problem;

// Friction with a given bound b is Coulomb's, with the coefficient 1, at a contact that a weight of
// its own presses with the force b:                                                   eq (dry.1)
//
//   m_w z_w + b = lambda_w,   0 <= lambda_w _|_ z_w >= 0,   |tau| <= lambda_w
//
// In the problem itself such contacts have no friction, and friction alone is no contact. In the
// other one, which knows the motion, the weights are the last coordinates, and what they press the
// last unilateral contacts. So all numbers of the first come first in the second.
struct dls_weights {
  dls_problem problem;
  int count;           // of weights,
  int dry;             // the first of which are of friction alone
  const int *contact;  // count: whose friction it is, bilateral ones first; -1: friction alone
  const int *system;   // count: the same in the order of the system
};

// The same problem with dense matrices, for those who want to look at them: n x n numbers for M.
// All else is the given problem's, and belongs to it. DLS_ERR_LIMIT beyond 15000 coordinates or
// contacts.
DLS_API dls_status dls_problem_dense(const dls_problem *problem, dls_problem **dense,
                                     dls_message *message);
DLS_API void dls_problem_dense_free(dls_problem *dense);  // NULL is fine

// A system at a state, with the contacts that are closed there. Everything in it is constant and
// owned by it; names are the system's.
typedef struct dls_contact_state {
  double t;
  double tolerance;  // what counted as zero: gaps, a length
  double rest;       // h' and slips, a velocity
  int nq, n, m;
  const double *q, *v;          // nq, n
  const dls_contact *contacts;  // all m, in the system's order
  bool impact;                  // some contact is impacting
  bool poisson;                 // restitution is of impulses: Poisson's law
  bool friction;                // some closed contact has slip and friction that is not 0

  // The closed contacts, bilateral ones first.
  const struct dls_contacts *closed;

  // The problem of the closed contacts (sliding, sticking and impacting), sparse: it costs what the
  // system's patterns and these contacts cost. Questions make of it the dense matrices they need.
  dls_problem problem;
  const int *bilateral_contact;   // m_b: index into `contacts`
  const int *unilateral_contact;  // m_u
  dls_problem_matrices matrices;  // of the problem
} dls_contact_state;

// Both have units: they change with those of the system.
typedef struct dls_contact_options {
  double tolerance;  // a length: |h| up to this counts as zero; default 1e-9
  double rest;       // a velocity: |h'| and |slip| up to this do; default 1e-9; 0: as `tolerance`
} dls_contact_options;

DLS_API dls_contact_options dls_contact_defaults(void);

// Evaluates the system and sorts its contacts. Entries of M, F, G and b that are below their own
// rounding-error bound are set to zero.                                          eq (num.2)
// DLS_ERR_STATE when a bilateral constraint is violated or a unilateral one penetrates by more
// than the tolerance; the message names the constraint and the amount. DLS_ERR_NUMBER when a number
// of the system, or its energy, is not finite at the state.
DLS_API dls_status dls_contact_state_create(const dls_system *system, const dls_state *state,
                                            const dls_contact_options *options,
                                            dls_contact_state **out, dls_message *message);
DLS_API void dls_contact_state_free(dls_contact_state *contact_state);

// What a sparse solution of the bilateral problem is worth.
typedef struct dls_bilateral_report {
  bool singular;    // redundant constraints, or a massless direction left free: nothing was solved
  double rcond;     // estimated reciprocal condition number of the scaled KKT matrix
  double residual;  // largest residual of a row, relative to the row's terms
} dls_bilateral_report;

// The bilateral constraints alone, eq (con.1), by sparse factorization: for the chains and linkages
// of thousands of coordinates for which the full check is too much. Closed unilateral contacts
// carry no force here. acceleration: n, lambda_b: m_b; not written when report->singular.
DLS_API dls_status dls_bilateral_solve(const dls_contact_state *contact_state, double *acceleration,
                                       double *lambda_b, dls_bilateral_report *report);

// How far a projection moved a state.
typedef struct dls_projection {
  double moved_q, moved_v;  // largest change of a coordinate and of a velocity
  int iterations;
} dls_projection;

// Moves the state to the nearest one, in the kinetic metric, that fulfils the constraints: first
// the coordinates (h_b = 0, h_u >= 0), then the velocities (h_b' = 0, those of rolling constraints
// too).                                                                          eq (prj.1)
// DLS_ERR_STATE when no consistent state is found near by; the state is then unchanged.
DLS_API dls_status dls_state_project(const dls_system *system, dls_state *state,
                                     const dls_contact_options *options, dls_projection *projection,
                                     dls_message *message);

// Largest violation of eq (con.3) by (z, lambda_b, lambda_u), recomputed from the data: each of
// balance, constraints, signs and complementarity relative to the largest of its own terms, in
// coordinates scaled to unit masses. NaN in, NaN out.
DLS_API dls_status dls_problem_residual(const dls_problem *problem, const double *z,
                                        const double *lambda_b, const double *lambda_u,
                                        double *residual);

// The same with friction, eq (con.3) and (fri.2): also the cones, and that the tangential force
// opposes the slip acceleration (the sliding direction at contacts that slide). tau: slips; may be
// NULL without friction.
DLS_API dls_status dls_coulomb_residual(const dls_problem *problem, const double *z,
                                        const double *lambda_b, const double *lambda_u,
                                        const double *tau, double *residual);

#ifdef __cplusplus
}
#endif
#endif
