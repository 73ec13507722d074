// From the expressions of a Lagrangian system to compiled code for M, F, G, H, b_n, b_t.
//
//   p = dT/dv,  M = dp/dv,  F = D[p] - dT/dq + dV/dq + dR/dv - Q            eq (mod.1)
//   h_dot = D[h],  b_n = D[h_dot],  H = ds/dv,  b_t = D[s]                   eq (mod.2)
//   h = 0,  h_dot = A v + a,  G = dh_dot/dv  of rolling constraints          eq (rol.1)
//
// where D is the total time derivative with v' = 0.
#ifndef DLS_MODEL_MECHANICS_H
#define DLS_MODEL_MECHANICS_H

#include "model/expression_graph.h"
#include "model/native_cache.h"
#include <delassus/system.h>

typedef struct dls_lagrangian_contact {
  dls_contact_info info;  // name must outlive the mechanics
  dls_expr h;             // A v + a of a rolling constraint, 0 of friction alone
  dls_expr slip[2];
  dls_expr friction;         // -1: none; a force where it is bounded
  dls_expr restitution;      // -1: none
  dls_expr static_friction;  // of info.has_static
} dls_lagrangian_contact;

// h_dot of a contact.
dls_expr dls_lagrangian_rate(dls_graph *graph, const dls_lagrangian_contact *contact);

// An entry of the restitution matrix beside its diagonal.
typedef struct dls_lagrangian_coupling {
  dls_coupling place;
  dls_expr value;
} dls_lagrangian_coupling;

typedef struct dls_lagrangian {
  int n;                           // coordinates
  const char *const *coordinates;  // names, must outlive the mechanics
  int parameters;                  // how many there are
  dls_expr kinetic;                // T, at most quadratic in v
  dls_expr potential;              // V
  dls_expr dissipation;            // R
  const dls_expr *force;           // Q: n
  int m;
  const dls_lagrangian_contact *contacts;
  int couplings;
  const dls_lagrangian_coupling *coupling;
  // Branches that are held are inputs behind n accelerations and the forces of contacts.
  int switches;
  const dls_expr *decides;  // switches: what each is decided by
  bool poisson;             // restitution is of impulses
} dls_lagrangian;

// Constant once compiled: patterns and tapes. Any number of systems share it.
typedef struct dls_mechanics dls_mechanics;

// The lagrangian's smoothness and degrees have been checked by the caller. Copies what it needs
// but the names. DLS_ERR_LIMIT or DLS_ERR_MEMORY when the graph is spoilt.
dls_status dls_mechanics_compile(dls_graph *graph, const dls_lagrangian *lagrangian,
                                 dls_mechanics **mechanics);
void dls_mechanics_free(dls_mechanics *mechanics);

// Work memory for one evaluator of the mechanics.
typedef struct dls_mechanics_work dls_mechanics_work;
dls_status dls_mechanics_work_create(const dls_mechanics *mechanics, dls_mechanics_work **work);
void dls_mechanics_work_free(dls_mechanics_work *work);

// From now on values come from compiled C; bounds, and the values beside them, from the tape. Does
// nothing when that is so. Parameters and branches are to be set anew.
dls_status dls_mechanics_work_compile(dls_mechanics_work *work, const dls_native_cache *cache,
                                      dls_message *message);

// New parameter values: evaluates once what depends on nothing else. All are 0 until they are set.
void dls_mechanics_set_parameters(dls_mechanics_work *work, const double *parameters);

// The branches that forces have from now on.
void dls_mechanics_set_branches(dls_mechanics_work *work, const double *branch);

// From now on coordinates from number `first` on, and their velocities, have errors within these
// (arrays of the caller, of all).
void dls_mechanics_set_errors(dls_mechanics_work *work, int first, const double *q_error,
                              const double *v_error);

// The evaluate function of dls_system; allocates nothing. Fills M, F, ... in values, and in bound,
// unless it is NULL, first-order bounds of their rounding errors: t, q, v and parameters count as
// rounded, 0 and what is made of exact constants alone as exact. DLS_ERR_NUMBER when t, q, v or a
// result is not finite; the message names which.
dls_status dls_mechanics_evaluate(dls_mechanics_work *work, double t, const double *q,
                                  const double *v, const dls_values *values,
                                  const dls_values *bound, dls_message *message);

// Fills the sizes, names and patterns of a system (not self, evaluate, destroy).
void dls_mechanics_describe(const dls_mechanics *mechanics, dls_system *system);

#endif
