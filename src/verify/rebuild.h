// The contacts of the model at the state of a report: evaluated, sorted and assembled by the
// checker's own code, every number with the bound of its rounding error.
#ifndef DLS_VERIFY_REBUILD_H
#define DLS_VERIFY_REBUILD_H

#include "verify/saved.h"

#include <delassus/contact.h>

// A number of the model and how far rounding may have moved it.
typedef struct dls_rounded {
  double value, error;
} dls_rounded;

typedef struct dls_seen_contact {
  const dls_contact_info *info;
  dls_contact_status status;
  dls_rounded gap, normal_velocity, slip[2];
  double friction, force, restitution;  // force: the bound of friction that has a given one
  double given_most;                    // static friction, 0: there is none
  double most;  // of friction or force: the static one where it counts                eq (stf.1)
} dls_seen_contact;

typedef struct dls_seen_state {
  int n, m;
  const double *q, *v;
  double t, rest;
  dls_seen_contact *contacts;  // all m
  bool impact;                 // one of them is impacting
  dls_problem problem;         // of the closed ones
  int *closed;                 // m_b + m_u: index into contacts, bilateral ones first
  // Friction with a given bound, as Coulomb's of what weights press: the same problem with them at
  // the end of coordinates and unilateral contacts.                                   eq (dry.1)
  int weights;         // 0: there is none
  const int *weighed;  // weights: index into contacts, friction alone first
  dls_problem weighted;
} dls_seen_state;

// Evaluates the system at the state of the report, its configuration q. Where rounding leaves the
// status of a contact open, that of the report is taken. Arrays are the arena's. DLS_ERR_STATE and
// DLS_ERR_NUMBER, with a message, when the state does not fit the system.
dls_status dls_seen_state_create(const dls_system *system, const dls_saved_report *saved,
                                 const double *q, dls_arena *arena, dls_seen_state *state,
                                 dls_message *message);

// Arrays for all values of a system; false: no memory.
bool dls_values_carve(const dls_system *system, dls_arena *arena, dls_values *values);

const char *dls_seen_status_name(dls_contact_status status);

// ---- impacts -----------------------------------------------------------------------------------

// Velocities of the closed contacts before the impact; what counts as zero is zero.
typedef struct dls_before {
  double *normal;  // m_u: u-
  double *slip;    // tangents
} dls_before;

bool dls_before_create(const dls_seen_state *state, dls_arena *arena, dls_before *before);

// The restitution matrix E of the closed unilateral contacts, m_u x m_u.
dls_status dls_seen_restitution(const dls_seen_state *state, const dls_system *system,
                                dls_arena *arena, double *E);

// A law of impact as a contact problem in the jump of the velocities.              eq (imp.5)
bool dls_jump_problem(const dls_seen_state *state, const dls_before *before, const double *E,
                      dls_arena *arena, dls_problem *problem);

#endif
