// Where the bodies of a mechanism are at a configuration, how they move, and what each velocity
// moves: from the plain data of the mechanism, as jets in time.                       eq (enc.1)
//
// Nothing of this is shared with the rooms that made the report. There, trees are walked with
// velocities and forces in rotating frames; here positions are differentiated, and sums over bodies
// are taken in the axes of the world.
#ifndef DLS_VERIFY_POSTURE_H
#define DLS_VERIFY_POSTURE_H

#include "base/memory.h"
#include "verify/jet.h"

#include <delassus/mechanism.h>

// A unit of velocity: the material point at x moves with turn x x + shift, in world axes.
typedef struct dls_freedom {
  dls_jet3 turn, shift;
} dls_freedom;

typedef struct dls_posture {
  dls_pool *pool;
  const dls_mechanism *mechanism;
  int n;                 // velocities
  dls_jet_frame world;   // at rest
  dls_jet_frame *frame;  // bodies
  dls_freedom *freedom;  // n
  const double *v;       // n
  // bodies + 1: the velocities of the joints on body b are first[b] ... first[b + 1] - 1; it is
  // also moved by those of its parent.
  const int *first, *parent;
  const int *joint_v;   // joints: the first of its velocities; -1: a closure
  dls_jet *coordinate;  // joints: of hinges and slides, with its rate
} dls_posture;

// What does not change with the state.
typedef struct dls_posture_plan {
  const dls_mechanism *mechanism;
  dls_coordinates_kind kind;
  int nq, n;
  int *first, *parent, *joint_q, *joint_v;
  int depth;  // of the longest branch, in bodies and joints
} dls_posture_plan;

// DLS_ERR_MODEL, with a message, when indices or numbers of the mechanism are out of their range.
dls_status dls_posture_plan_create(const dls_mechanism *mechanism, dls_coordinates_kind kind,
                                   dls_arena *arena, dls_posture_plan *plan, dls_message *message);
// How many bits its numbers need.
int dls_posture_bits(const dls_posture_plan *plan);

// x: local coordinates around q, or NULL for 0. False: no memory.
bool dls_posture_create(const dls_posture_plan *plan, const double *q, const double *x,
                        const double *v, dls_pool *pool, dls_arena *arena, dls_posture *posture);

const dls_jet_frame *dls_posture_body(const dls_posture *posture, int body);
dls_jet_frame dls_posture_frame(const dls_posture *posture, int body, const dls_pose *pose);

// The velocities that move a body, the last first: for (k = dls_last_freedom(...); k >= 0; k =
// dls_next_freedom(...)).
typedef struct dls_freedom_walk {
  int body, k;  // k: -1 at the end
} dls_freedom_walk;
dls_freedom_walk dls_freedom_first(const dls_posture *posture, int body);
void dls_freedom_next(const dls_posture *posture, dls_freedom_walk *walk);

// What it does to the material point at x.
dls_jet3 dls_freedom_at(dls_pool *pool, const dls_freedom *freedom, dls_jet3 x);

#endif
