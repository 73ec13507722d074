// A mechanical system as a struct of functions: what every model source provides.
//
//   M(q,t) v' + F(q,v,t) = G lambda + H tau                               eq (dyn.1)
//
// F stands on the left: Coriolis and centrifugal terms + grad V - applied forces.
// G = grad h has one column per contact, H one column per slip velocity; of a constraint of
// velocities the column of G is the gradient of h_dot by v.
//
// A system made by the library belongs to one thread at a time, and so does what is made from it;
// two threads may have two systems of one model. Patterns, names and `self` live as long as the
// system.
#ifndef DELASSUS_SYSTEM_H
#define DELASSUS_SYSTEM_H

#include <delassus/status.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dls_contact_kind { DLS_BILATERAL, DLS_UNILATERAL } dls_contact_kind;

typedef struct dls_contact_info {
  const char *name;
  dls_contact_kind kind;
  int tangents;  // tangential dimension: 0 (frictionless), 1 (planar) or 2 (spatial)
  uint64_t id;   // the same for the same contact at every state; may be 0 where the set is fixed
  // A constraint of velocities only, bilateral and without slip: A(q,t) v + a(q,t) = 0. Then h = 0,
  // h_dot = A v + a, and the column of G is the row of A.                             eq (rol.1)
  bool rolling;
  // Friction has a given bound, of values friction_force in place of friction.          eq (dry.1)
  bool bounded;
  // Friction with a given bound and nothing else, of a joint: bilateral, with slip; h, h_dot and
  // b_n are 0, and the column of G has no entry.
  bool dry;
  // While it does not slip friction is up to static_friction, a coefficient or, where it is
  // bounded, a force, not below that of sliding.                                              eq
  // (stf.1)
  bool has_static;
} dls_contact_info;

// An entry of the restitution matrix beside its diagonal: a blow at the contact `column` is passed
// on to `row`. Both are unilateral.
typedef struct dls_coupling {
  int row, column;
} dls_coupling;

// The pattern of a sparse matrix in compressed columns: the row indices of column j
// are i[p[j]] ... i[p[j+1]-1], strictly increasing.
typedef struct dls_pattern {
  int rows, cols;
  const int *p;  // cols + 1
  const int *i;  // p[cols]
} dls_pattern;

// Everything that is known of a system at (t, q, v). Arrays belong to the caller.
typedef struct dls_values {
  double *M;                // mass matrix on its pattern (both triangles)
  double *F;                // n
  double *h;                // m: gap functions
  double *h_dot;            // m: G^T v + dh/dt
  double *G;                // gradients of h on their pattern
  double *b_n;              // m: normal acceleration = G^T v' + b_n
  double *slip;             // tangents: slip velocity = H^T v + w_t
  double *H;                // tangential directions on their pattern
  double *b_t;              // tangents: tangential acceleration = H^T v' + b_t
  double *friction;         // m: Coulomb's coefficient, 0 for contacts without slip
  double *restitution;      // m
  double *coupling;         // couplings: entries of the restitution matrix beside these
  double *friction_force;   // m: the bound of friction that has a given one, else 0
  double *static_friction;  // m: of contacts that have a static one; not looked at elsewhere
} dls_values;

// The patterns of the derivatives below, in compressed columns.
typedef struct dls_derivative_patterns {
  dls_pattern R_q, R_v;  // n x n
  dls_pattern N_q, N_v;  // n x m: one column per contact
  dls_pattern T_q, T_v;  // n x tangents: one column per slip velocity
  dls_pattern D_q;       // n x m
  dls_pattern S_q;       // n x tangents
  // Entries of R_q and R_v, 1 each where more than the forces of contacts with a law (unilateral,
  // or with slip) is behind them: 0 where they vanish with these forces. NULL: all 1.
  const unsigned char *free_q, *free_v;
  bool steady;         // M, F, G and H, and what constraints impose, do not depend on time either
  bool constant_laws;  // friction and restitution are always the same
} dls_derivative_patterns;

// What an implicit integrator differentiates, at (t, q, v) and given a, lambda, tau:   eq (dyn.2)
//   R = M a + F - G lambda - H tau,   N = G^T a + b_n,   T = H^T a + b_t,   D = h_dot,   S = slip
// The others are in dls_values: R_a = M, N_a = D_v = G^T, T_a = S_v = H^T.
typedef struct dls_derivatives {
  double *R_q, *R_v;  // entry (i, j): dR_i / dq_j, dR_i / dv_j
  double *N_q, *N_v;  // entry (j, i): dN_i / dq_j, dN_i / dv_j
  double *T_q, *T_v;  // entry (j, s): dT_s / dq_j, dT_s / dv_j
  double *D_q;        // entry (j, i): d h_dot_i / dq_j
  double *S_q;        // entry (j, s): d slip_s / dq_j
} dls_derivatives;

// Configurations that are not vectors: bodies that rotate.
//
// A configuration q has nq numbers (positions, quaternions), its motion n velocities v, and
// q' = T(q) v. Around a centre it has n local coordinates x:                         eq (cha.1)
//
//   q = R(x),   x' = A(x) v,   x' = v at the centre,
//
// R a retraction. All functions of a system with a chart take x and x' for q and v, so that its
// equations are those of a vector space, and whoever integrates them moves the centre along. Where
// the local coordinates have their origin is the system's choice: a position may be its own, an
// angle may be 1 at the centre, so that what is asked for relative to |x| makes sense.
typedef struct dls_chart {
  int nq;
  const char *const *names;  // nq: those of v are the system's
  // From now on local coordinates are those around q. DLS_ERR_NUMBER, with a message, when q is no
  // configuration; a quaternion of another length is normalized.
  dls_status (*centre)(void *self, const double *q, dls_message *message);
  // (q, v) in local coordinates, and back. DLS_ERR_NUMBER when q is too far from the centre.
  dls_status (*enter)(void *self, const double *q, const double *v, double *x, double *x_dot);
  void (*leave)(void *self, const double *x, const double *x_dot, double *q, double *v);
} dls_chart;

typedef struct dls_system dls_system;
struct dls_system {
  int n;                           // coordinates, and velocities
  int m;                           // contacts
  int tangents;                    // slip velocities of all contacts together, in their order
  const char *const *coordinates;  // n names
  const dls_contact_info *contacts;
  dls_pattern mass;     // n x n
  dls_pattern normal;   // n x m
  dls_pattern tangent;  // n x tangents
  void *self;           // handed to the functions below; may hold work memory: one thread at a time

  // Fills every array of values at (t, q, v). When bound is not NULL, also fills it, in the same
  // layout, with bounds of the rounding errors in values; a system that has none sets them to 0.
  // Must not allocate. DLS_ERR_NUMBER when a value is not finite; message may be NULL.
  dls_status (*evaluate)(void *self, double t, const double *q, const double *v,
                         const dls_values *values, const dls_values *bound, dls_message *message);

  // Frees self and the system; may be NULL when the caller owns both.
  void (*destroy)(dls_system *system);

  // The rest is optional: NULL in systems that do not have it.
  const dls_derivative_patterns *derivative;  // NULL: the system has no derivatives

  // Fills all of out at (t, q, v) with accelerations a (n), normal forces lambda (m) and tangential
  // forces tau (tangents); lambda and tau may be NULL where there are none. Forces that are not
  // smooth give the derivative of the branch at hand. Must not allocate. DLS_ERR_NUMBER when an
  // argument or a result is not finite; message may be NULL.
  dls_status (*differentiate)(void *self, double t, const double *q, const double *v,
                              const double *a, const double *lambda, const double *tau,
                              const dls_derivatives *out, dls_message *message);

  // Kinetic and potential energy. Must not allocate. DLS_ERR_NUMBER when one is not finite; message
  // may be NULL.
  dls_status (*energy)(void *self, double t, const double *q, const double *v, double *kinetic,
                       double *potential, dls_message *message);

  // Parts that do not act on one another: no entry of a matrix above or of a derivative, no force,
  // friction or restitution of one depends on coordinates of another. Numbered from 0; each has a
  // coordinate. 0 or 1: the system is one.
  int parts;
  const int *coordinate_part;  // n: the part of each coordinate
  const int *contact_part;     // m

  // Makes a system of one part: its coordinates and contacts in their order, with derivatives when
  // this system has them, the parameters as they are now; energies up to what depends on no
  // coordinate. It is freed with dls_system_free, before what this system was made from.
  // DLS_ERR_MODEL when the part cannot be told apart after all.
  dls_status (*part)(void *self, int part, dls_system **out, dls_message *message);

  // Where the restitution matrix has entries beside its diagonal, no two at one place. 0: nowhere.
  int couplings;
  const dls_coupling *coupling;
  // Restitution is Poisson's, of impulses, at all contacts; Newton's where this is not set. There
  // are no couplings then.                                                           eq (poi.1)
  bool poisson;

  const dls_chart *chart;  // NULL: q is the vector of the coordinates, and q' = v

  // Forces that switch, by functions that jump or have kinks: each such function has branches, a
  // number each, and is smooth while one is held.                                    eq (swi.1)
  // 0: none does; else all three functions are there. They must not allocate.
  int switches;
  // The branches at (t, q, v): switches numbers.
  dls_status (*branches)(void *self, double t, const double *q, const double *v, double *branch,
                         dls_message *message);
  // How far they hold there: smooth functions, positive inside and negative outside.
  dls_status (*branch_margins)(void *self, double t, const double *q, const double *v,
                               const double *branch, double *margin, dls_message *message);
  // From now on forces and their derivatives are those of these branches at every point; NULL, as
  // at first: those of the branches at the point.
  void (*hold)(void *self, const double *branch);

  // Contacts that come and go; NULL, both: the set is always the same. Such a system has no parts.
  // Bilateral constraints are always there, and come first.
  //
  // The unilateral contacts near (t, q, v): with a gap up to `reach`, a length, or one that may
  // close within the time `horizon`; a few more do no harm. *id: count identities, increasing, not
  // 0, valid until the next call; no bilateral constraint has one of them.
  dls_status (*find)(void *self, double t, const double *q, const double *v, double reach,
                     double horizon, int *count, const uint64_t **id, dls_message *message);
  // Makes m, tangents, contacts, all patterns but that of M, and couplings those of these
  // unilateral contacts, in this order behind the bilateral ones, whether they are near or not.
  // Identities are some that find has given, to this system or, where a recording is taken up, to
  // another of the same model. Names live as long as the system, all else until the next call.
  dls_status (*select)(void *self, int count, const uint64_t *id, dls_message *message);
  // Optional. From now on a contact whose features have no gap where it is evaluated, as parallel
  // edges have none, is far apart there (DLS_FAR_APART, all else 0); false, as at first: evaluate
  // fails there. What moves comes by such places with contacts that are open.
  void (*pass_degenerate)(void *self, bool passes);
};

#define DLS_FAR_APART 1e100  // the gap of a contact that is not there

// The numbers of a configuration: n, or nq of the chart.
DLS_API int dls_system_nq(const dls_system *system);
// Their names; those of the velocities are `coordinates`, with a prime where they are shown.
DLS_API const char *const *dls_configuration_names(const dls_system *system);

// Frees a system made by the library. NULL is fine.
DLS_API void dls_system_free(dls_system *system);

// Allocates the arrays of values for the system, zeroed; one block, freed with dls_values_free.
DLS_API dls_status dls_values_create(const dls_system *system, dls_values **values);
DLS_API void dls_values_free(dls_values *values);

// The same for the derivatives. DLS_ERR_ARGUMENT when the system has none.
DLS_API dls_status dls_derivatives_create(const dls_system *system, dls_derivatives **derivatives);
DLS_API void dls_derivatives_free(dls_derivatives *derivatives);

// Checks sizes, names, patterns and functions: the first thing to call on a hand-made system.
DLS_API dls_status dls_system_validate(const dls_system *system, dls_message *message);

// A state owned by the caller: the configuration (dls_system_nq numbers) and n velocities at t.
typedef struct dls_state {
  double t;
  double *q;
  double *v;
} dls_state;

#ifdef __cplusplus
}
#endif
#endif
