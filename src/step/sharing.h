// Closed contacts that are redundant may share a load in many ways. Friction follows the normal
// forces where contacts slide: does the motion depend on how they share it?           eq (cap.13)
#ifndef DLS_STEP_SHARING_H
#define DLS_STEP_SHARING_H

#include "base/memory.h"
#include "step/snapshot.h"

typedef struct dls_sharing {
  // what the caller fills
  unsigned char *kind;   // m: dls_contact_status; sliding and sticking ones are closed
  double *xi;            // tangents: directions of sliding
  double *lambda, *tau;  // m, tangents: forces that fulfil the laws, or zero where none are known
  struct dls_sharing_work *work;
} dls_sharing;

// Memory for systems like that of the point, of the arena. NULL: none is left.
dls_sharing *dls_sharing_create(const dls_snapshot *point, dls_arena *arena);

// A contact that slides, and whose friction may be another one with another acceleration, by forces
// that fulfil all laws with the same modes; -1: none. Without forces: only where they may be as
// large as one likes. Sets of more than 48 equations that act on each other are not looked at.
// *bounded: accelerations cannot be as large as one likes.
int dls_sharing_open(dls_sharing *w, const dls_snapshot *point, bool *bounded);

#endif
