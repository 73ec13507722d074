// Bodies and contacts of a world, and the incremental problem of its step.
#ifndef DLS_STEP_WORLD_H
#define DLS_STEP_WORLD_H

#include <delassus/contacts.h>
#include <delassus/world.h>

#include "base/memory.h"

// What is derived from a body, once a step.
typedef struct dls_mover {
  int dof;             // first of its six velocities, or -1: it is not moved by forces
  double R[9];         // by rows
  double inertia[9];   // in the axes of the world
  double velocity[6];  // of the centre, then angular: in the axes of the world
  double force[6];     // at the centre, then torque
  double free_speed;   // of the centre at the end of the step, if nothing touched it
} dls_mover;

// Impulses of the last step by identity: open addressing.
typedef struct dls_warm {
  uint64_t id;  // 0: free
  double impulse[3];
} dls_warm;

// The incremental problem and what it is made of; everything grows and is kept.
typedef struct dls_world_problem {
  dls_incremental problem;
  dls_contacts *contacts;
  dls_arena *memory;
  ptrdiff_t dof_room, row_room;
  int *M_p, *M_i;
  double *M_x, *f, *w, *r, *v;
  double *gap;  // contacts: at the end of the step, to first order
} dls_world_problem;

struct dls_world {
  dls_world_options options;
  int bodies;
  dls_body *body;
  dls_mover *mover;
  ptrdiff_t body_room, mover_room;
  int contacts;
  dls_world_contact *contact;
  double (*frame)[9];    // normal and tangents, by rows
  double (*impulse)[3];  // of the last step
  ptrdiff_t contact_room, frame_room, impulse_room;
  bool stepped;  // the impulses are those of the contacts
  dls_warm *warm;
  ptrdiff_t warm_room;  // a power of two, or 0
  dls_world_problem step;
};

// Fills world->step from bodies and contacts. DLS_ERR_MEMORY or DLS_ERR_LIMIT.
dls_status dls_world_assemble(dls_world *world, double h, dls_message *message);
// Whether some contact penetrates, beyond the slop and what solutions leave behind.
bool dls_world_penetrates(const dls_world *world, double h);
// Gaps at the end of the step, before the bodies are moved.
void dls_world_find_gaps(dls_world *world, double h);
// Turns the problem into that of moving apart what penetrates there: no friction, no loads, and
// displacements in place of velocities.                                              eq (wld.2)
void dls_world_assemble_apart(dls_world *world);
// The impulse that a contact of that identity had; zeros when there was none.
void dls_world_recall(const dls_world *world, uint64_t id, double impulse[3]);

#endif
