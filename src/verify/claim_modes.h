// What contacts can do: branches of their laws, leaves of a tree of modes, and what each allows.
#ifndef DLS_VERIFY_CLAIM_MODES_H
#define DLS_VERIFY_CLAIM_MODES_H

#include "verify/trial.h"

// Which problem the modes belong to.
typedef enum dls_mode_scope {
  DLS_SCOPE_ALL,    // the contact problem
  DLS_SCOPE_STICK,  // the same where nothing detaches and sticking contacts go on sticking
} dls_mode_scope;

// The modes of a contact, as bits.
enum {
  DLS_DETACH = 1 << 0,
  DLS_CLOSED = 1 << 1,  // frictionless, stays closed; a bilateral one with a force of any sign
  DLS_STICK = 1 << 2,
  DLS_SLIDE = 1 << 3,  // in the known direction, or spatial in one that is not told
  DLS_PLUS = 1 << 4,   // planar, slip acceleration >= 0
  DLS_MINUS = 1 << 5,
  DLS_PULL_SHIFT = 8,  // the same modes with a force <= 0 at bilateral contacts
};
typedef unsigned dls_modes;

// All that the contact can do.                                                   eq (fri.3)
dls_modes dls_possible_modes(const dls_data *d, int contact, dls_mode_scope scope);
// The same for a contact with slips, whatever its coefficient.
dls_modes dls_friction_modes(const dls_data *d, int contact, dls_mode_scope scope);
// The bit of a name ("slide+ pulling"), two for either sign ("stick either"); 0 when it is none.
dls_modes dls_mode_of_name(const char *name);

// A leaf: what each contact does, one bit, or all bits that are possible where it is not told.
typedef struct dls_leaf_claim {
  const dls_modes *mode;  // m
  const double *d;        // n; NULL: a point
  const double *alpha;    // m
  const double *sigma;    // tangents
} dls_leaf_claim;

// No solution has these modes: eq (fri.4). A part of the system suffices.
bool dls_check_empty(dls_trial *x, dls_finding *f, const dls_leaf_claim *leaf, const char *what);

// Leaves that cover all modes, each empty or with the accelerations (or the forces) of `point`
// only. Without a point all leaves must be empty.                                      eq (chk.4)
bool dls_check_leaves(dls_trial *x, dls_finding *f, const json_t *witness, dls_mode_scope scope,
                      const dls_trial_point *point, bool forces);

// The leaves that may hold solutions: their numbers, and the mode of each contact in them.
typedef struct dls_held {
  int count;
  int *leaf;
  const dls_modes **mode;
} dls_held;

// The leaves cover all modes of the contact problem, and those that are said to be empty are.
bool dls_check_covering(dls_trial *x, dls_finding *f, const json_t *leaves, dls_held *held);

// All solutions in these modes, one or several for each contact, have the acceleration of the
// point, if there are any.                                                                   eq
// (chk.12)
bool dls_holds_acceleration(dls_trial *x, const dls_modes *mode, const dls_trial_point *point);
// The same for the forces, in one combination of modes, up to the tolerance.
bool dls_holds_forces(dls_trial *x, const dls_modes *mode, const dls_trial_point *point);
// The one combination of modes in which they lie; bilateral contacts keep the sign that they have
// in `mode`. False where that has two, or sliding has a direction that is not told.
bool dls_modes_by_acceleration(dls_trial *x, const dls_modes *mode, const dls_trial_point *point,
                               dls_modes *whole);

// ---- one combination of modes ------------------------------------------------------------------

typedef enum dls_inside { DLS_OUTSIDE, DLS_BORDER, DLS_INSIDE } dls_inside;

// What the equations of modes that are all told determine.
typedef struct dls_enclosure {
  bool accelerations, forces;  // unique, and enclosed in:
  dls_interval *z;             // n
  dls_interval *lambda;        // m
  dls_interval *tau;           // tangents
  dls_inside inequality;  // of the modes: one is violated, perhaps, or all are fulfilled strictly
  const char *why;        // what keeps both from being unique; NULL when nothing does
} dls_enclosure;

// point: a solution that may lie in these modes, or NULL. False when memory runs out.
bool dls_solve_modes(dls_trial *x, const dls_modes *mode, const dls_trial_point *point,
                     dls_enclosure *e);

// How far the point is from what is enclosed, of the accelerations or of the forces; relative.
double dls_distance(dls_trial *x, const dls_enclosure *e, const dls_trial_point *point,
                    bool forces);

// The modes in which the point lies; false when one of them has no linear equations.
bool dls_modes_of_point(dls_trial *x, const dls_trial_point *point, dls_modes *mode);

#endif
